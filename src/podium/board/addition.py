"""What is added to a board: scores in the order of their names, as rows, and what is true of all of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from podium.base.arrays import from_numpy, same, texts, to_numpy
from podium.base.errors import BoardError, InputError
from podium.base.parallel import Progress
from podium.base.words import as_typed
from podium.score.table import Scores
from podium.score.task import Task
from podium.source.board import instances_of
from podium.source.canonical import TEXT_INSTANCE, LongTable
from podium.store.log import COLUMNS, Snapshot
from podium.store.rows import LABELS, Facts, scan

#: Directions in words, by whether higher is better; and scores, by whether a task has means alone.
_DIRECTIONS = {True: "higher", False: "lower"}
_MEANS = {True: "means alone", False: "scores of instances"}


@dataclass(frozen=True)
class Addition:
    """Scores that are added.

    Attributes
    ----------
    scores
        Tasks and systems sorted by name.
    origin
        Where they come from: source, and tool, run and time if they are known.
    covariates
        Names of the covariates.
    means
        Tasks that have means alone.
    """

    scores: Scores
    origin: Mapping[str, str]
    covariates: tuple[str, ...] = ()
    means: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def of(cls, scores: Scores, origin: Mapping[str, str]) -> "Addition":
        """Check the labels and sort the scores.

        Raises
        ------
        InputError
            A covariate has the name of a column of boards; or a label is empty, or no text.
        """
        _check_labels(scores)
        tasks = tuple(replace(task, name=task.name.strip()) for task in scores.tasks)
        scores = replace(scores, systems=tuple(name.strip() for name in scores.systems), tasks=tasks)
        scores = scores.by_name().take(sorted(range(len(scores.systems)), key=scores.systems.__getitem__))
        covariates = tuple(dict.fromkeys(name for task in scores.tasks for name in task.covariates))
        if taken := [name for name in covariates if name in COLUMNS]:
            raise InputError(f"covariate {taken[0]!r} has the name of a column of boards; read it under another name")
        means = frozenset(task.name for task in scores.tasks if task.instances is None and task.n_instances == 1)
        return cls(scores, origin, covariates, means)

    @property
    def statistic(self) -> str | None:
        """Return the statistic over repeats of an instance; None if there are none."""
        return next((task.repeats.statistic.name for task in self.scores.tasks if task.repeats is not None), None)

    def agreed(self, snapshot: Snapshot) -> "Addition":
        """Check that a board says the same of the tasks; return the addition with what the board knows better.

        Raises
        ------
        BoardError
            A direction, the statistic of repeats, or what a task is made of differs.
        """
        # all repeats have one statistic, whatever their task
        known = Facts.of(snapshot) if self.statistic else Facts.of_tasks(snapshot, self.scores.task_names)
        name, means = snapshot.place.name, set(self.means)
        for task in self.scores.tasks:
            if task.name not in known.tasks:
                continue
            higher, of_means = min(known.tasks[task.name])
            if higher != task.higher_is_better:
                there, here = _DIRECTIONS[higher], _DIRECTIONS[not higher]
                advice = f"add it with --{there} {as_typed(task.name)}"
                raise _differs(name, f"{there} is better on task {task.name!r}", here, advice)
            if of_means == (task.name in self.means):
                continue
            if not (_only_zero(task) if of_means else _only_zero_there(snapshot, task.name)):
                there, here = _MEANS[of_means], _MEANS[not of_means]
                raise _differs(name, f"task {task.name!r} has {there}", here, "add it under another name")
            means ^= {task.name}
        if known.statistic is not None and self.statistic not in {None, known.statistic}:
            there = f"the score of an instance is the {known.statistic} of its repeats"
            raise _differs(name, there, f"the {self.statistic}", f"add it with --statistic {known.statistic}")
        return replace(self, means=frozenset(means))

    def rows(self, progress: Progress | None = None) -> Iterator[Any]:
        """Yield the rows in order, as tables with columns of a board.

        Rows without a score that only say in which order labels come are left out.
        """
        tasks, alone = self.scores.tasks, texts(sorted(self.means))
        counts = np.sum([task.scored for task in tasks], axis=0).tolist()
        silent = texts([system for system, count in zip(self.scores.systems, counts, strict=True) if not count])
        unscored = {}
        for task in tasks:
            labels = np.arange(task.n_instances) if task.instances is None else task.instances
            empty = np.concatenate([np.isnan(part).all(axis=0) for part in task.parts])
            unscored[task.name] = {str(label) for label in labels[empty].tolist()}
        for rows in LongTable(self.scores, "parquet").pieces(progress):
            columns = dict(zip(rows.column_names, rows.columns, strict=True))
            columns["score"] = columns["score"].cast(pa.float64())
            if "instance" in columns:
                labels = columns.pop("instance")
                if self.means:
                    labels = pc.if_else(pc.is_in(columns["task"], alone), pa.nulls(len(rows), labels.type), labels)
                columns[TEXT_INSTANCE if pa.types.is_string(labels.type) else "instance"] = labels
            table = pa.table(columns)
            values = [table[name] for name in ("score", *self.covariates)]
            missing = np.all([np.isnan(to_numpy(one, np.nan)) for one in values], axis=0)
            if missing.any():
                needed = ~missing | to_numpy(pc.is_in(table["system"], silent))
                labels = instances_of(table).cast(pa.string())
                for task_name, some in unscored.items():
                    if some:
                        found = pc.is_in(labels, texts(sorted(some)))
                        needed |= to_numpy(pc.and_(found, pc.equal(table["task"], task_name)))
                table = table.filter(from_numpy(needed))
            yield table

    def signed(self, rows: Any, number: int) -> Any:
        """Return rows with where they come from, and the version of the board that they are added with."""
        for name, value in self.origin.items():
            rows = rows.append_column(name, same(value, len(rows)))
        return rows.append_column("board_version", from_numpy(np.full(len(rows), number)))


def _check_labels(scores: Scores) -> None:
    """Refuse labels that could not be read again."""
    groups: list[tuple[str, Sequence[str]]] = [("system", scores.systems), ("task", scores.task_names)]
    for task in scores.tasks:
        if task.instances is not None and task.instances.dtype.kind not in "iu":
            groups.append((f"instance of task {task.name!r}", task.instances.tolist()))
        groups.append(("cluster", () if task.clusters is None else task.clusters.labels))
        groups.append(("covariate", list(task.covariates)))
    for kind, labels in groups:
        try:
            "\0".join(labels).encode()
        except UnicodeEncodeError:
            odd = next(label for label in labels if any("\ud800" <= letter <= "\udfff" for letter in label))
            raise InputError(f"{kind}: the name {odd!r} is no text in UTF-8; name it otherwise") from None
        if not all(map(str.strip, labels)):
            raise InputError(f"{kind}: a name is empty; give it one")


def _only_zero(task: Task) -> bool:
    """Return whether the one instance is that which a mean becomes among tasks with instances."""
    return task.n_instances == 1 and task.instances is not None and str(task.instances[0]) == "0"


def _only_zero_there(snapshot: Snapshot, task: str) -> bool:
    for rows in scan(snapshot, LABELS, task=[task]):
        if {label for name in LABELS for label in rows.column(name).unique().to_pylist()} - {None, 0, "0"}:
            return False
    return True


def _differs(name: str, there: str, here: str, advice: str) -> BoardError:
    return BoardError(f"{name} says that {there}, and what is added says {here}; {advice}, or correct the board first")
