"""What a board should have, as a dictionary, and the same as a table of any kind."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Any

import pyarrow as pa

import podium
from podium.errors import PodiumError
from podium.score.table import Scores
from support.boarded import Cell

#: The task on which a lower score is better.
LOWER = "sst2"


@dataclass(frozen=True)
class Kind:
    """What is true of all scores of a board: whether instances are text, and whether they have weights."""

    text: bool
    weighted: bool

    def options(self, rows: list[dict[str, Any]], *, repeated: bool) -> dict[str, Any]:
        """How rows are read."""
        found: dict[str, Any] = {"lower": [LOWER] if any(row["task"] == LOWER for row in rows) else []}
        found |= {"repeat_column": "repeat"} if repeated else {}
        return found | ({"weight_column": "weight"} if self.weighted else {})

    def row(self, cell: Cell, score: float | None, repeat: int | None) -> dict[str, Any]:
        """A row of a long table."""
        task, system, number = cell
        found = {"task": task, "system": system, "instance": f"q{number:03}" if self.text else number}
        found |= {} if repeat is None else {"repeat": repeat}
        return found | {"score": score} | ({"weight": 1.0 + number % 3} if self.weighted else {})

    def table(self, cells: Mapping[Cell, float]) -> Scores:
        """Scores of cells, in the order in which they come."""
        rows = [self.row(cell, score, None) for cell, score in cells.items()]
        return podium.from_frame(pa.Table.from_pylist(rows), **self.options(rows, repeated=False))


@dataclass
class Model:
    """The repeats of each cell, and all labels, those without a score, too."""

    kind: Kind
    scores: dict[Cell, list[float]] = field(default_factory=dict)
    systems: set[str] = field(default_factory=set)
    instances: set[tuple[str, int]] = field(default_factory=set)

    def copy(self) -> "Model":
        """The model as it is now."""
        scores = {cell: [*some] for cell, some in self.scores.items()}
        return Model(self.kind, scores, {*self.systems}, {*self.instances})

    def name(self, cells: Mapping[Cell, float]) -> dict[Cell, float]:
        """Take the labels of cells; return those with a score."""
        self.systems |= {system for _, system, _ in cells}
        self.instances |= {(task, number) for task, _, number in cells}
        return {cell: score for cell, score in cells.items() if not isnan(score)}

    @property
    def repeated(self) -> bool:
        """Whether a cell has several scores."""
        return any(len(some) > 1 for some in self.scores.values())

    @property
    def means(self) -> dict[tuple[str, str, str], float]:
        """The score of each cell."""
        label = self.kind.row
        return {
            (task, system, str(label((task, system, number), None, None)["instance"])): sum(some) / len(some)
            for (task, system, number), some in self.scores.items()
        }

    def rows(self) -> list[dict[str, Any]]:
        """Rows of a long table: one of each score, and one of each label that no score shows."""
        given: dict[Cell, list[Any]] = {cell: [*some] for cell, some in self.scores.items()}
        for task, number in self.instances - {(task, number) for task, _, number in given}:
            given[task, min(self.systems), number] = [None]
        for system in self.systems - {system for _, system, _ in given}:
            task, number = min(self.instances)
            given[task, system, number] = [None]
        return [
            self.kind.row(cell, score, repeat if self.repeated else None)
            for cell, some in sorted(given.items(), key=lambda one: one[0])
            for repeat, score in enumerate(some, start=1)
        ]

    def table(self) -> Scores:
        """All of it as scores."""
        return podium.from_frame(pa.Table.from_pylist(self.rows()), **self.options)

    def write(self, path: Path) -> None:
        """Write it as CSV."""
        rows = self.rows()
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)

    @property
    def options(self) -> dict[str, Any]:
        """How it is read from a table."""
        return self.kind.options(self.rows(), repeated=self.repeated)


def held(scores: Scores) -> dict[tuple[str, str, str], float]:
    """The scores of a table, by task, system and instance in words."""
    found = {}
    for task in scores.tasks:
        labels = range(task.n_instances) if task.instances is None else task.instances.tolist()
        for row, system in enumerate(scores.systems):
            for name, value in zip(labels, task.values[row].tolist(), strict=True):
                if not isnan(value):
                    found[task.name, system, str(name)] = value
    return found


def ranked(source: Path, **options: Any) -> str:
    """The ranking of a source in JSON, or why there is none."""
    try:
        return str(podium.rank(podium.read(source, **options), n_resamples=20).render("json"))
    except PodiumError as error:
        return str(error).replace(str(source), "")
