"""Additions to boards drawn at random, what a dictionary makes of them, and boards compared with tables."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

import podium
from podium.score.table import Scores
from podium.store.log import COLUMNS, DataFile, opened
from podium.store.place import Place
from podium.store.rows import writing_rows

#: A cell: task, system, instance.
Cell = tuple[str, str, int]

CELLS = st.tuples(st.sampled_from(["rte", "sst2", "ümläut"]), st.sampled_from(["A", "B", "C c"]), st.integers(0, 3))

ADDITIONS = st.dictionaries(CELLS, st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=12)


def table(cells: Mapping[Cell, float], *, text: bool = False) -> Scores:
    """Scores of cells, in the order in which they come."""
    rows = [
        {"task": task, "system": system, "instance": f"q{number}" if text else number, "score": score}
        for (task, system, number), score in cells.items()
    ]
    return podium.from_frame(_frame(rows))


def _frame(rows: list[dict[str, Any]]) -> Any:
    return pa.Table.from_pylist(rows)


def cells(scores: Scores) -> dict[Cell, float]:
    """The cells of a table with integers as instances."""
    return {
        (task.name, system, int(task.instances[column]) if task.instances is not None else column): float(value)
        for task in scores.tasks
        for row, system in enumerate(scores.systems)
        for column, value in enumerate(task.values[row].tolist())
        if not np.isnan(value)
    }


def rows(path: str | Path) -> int:
    """How many rows a board has on disk at its newest version."""
    return sum(file.rows for file in opened(Place.of(path)).files)


def file_of(place: Place, tasks: tuple[str, ...] = ("a", "b"), rows: int = 20_000) -> DataFile:
    """Write a file with rows of two systems on some tasks."""
    written: list[DataFile] = []
    with writing_rows(place, list(COLUMNS), written) as write:
        for task in tasks:
            for system in ("A", "B"):
                same = {"task": task, "system": system, "direction": "higher", "board_version": 0, "score": 0.5}
                write(pa.table({**{name: [value] * rows for name, value in same.items()}, "instance": range(rows)}))
    return written[0]
