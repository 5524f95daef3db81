"""Boards of rectangles, read the short way: their scores, and the instances of each task once.

The result is that of reading all columns. Where that is not certain, all columns are read.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.base.parallel import Progress
from podium.score.table import PART, Scores, Task
from podium.source.assemble.label import IntegerKeys, TextKeys
from podium.source.layout import Wishes
from podium.source.number import to_numbers
from podium.source.table import ReadPlan, SourceTable, located
from podium.store.rectangle import Rectangle, instances_of
from podium.store.row import Facts, RowFile


def read_rectangles(
    table: SourceTable, files: Sequence[RowFile], facts: Facts, wishes: Wishes, progress: Progress | None = None
) -> Scores | None:
    """Read a board whose files are rectangles, with the same instances of each task; None for any other.

    Parameters
    ----------
    table
        All rows of the board.
    files
        Its files, opened.
    facts
        What is true of all rows.
    wishes
        What the caller says.

    Raises
    ------
    BoardError
        A file is missing or damaged.
    """
    plain = wishes == Wishes(None, {}, wishes.tasks, wishes.systems)
    rectangles = _all_rectangles(files) if plain and _are_trimmed(facts) else None
    instances = None if rectangles is None else _instances(files)
    if rectangles is None or instances is None:
        return None
    rows = {name: row for row, name in enumerate(facts.systems)}
    grids = {
        task: _Grid(len(rows), labels.size, np.dtype(np.float32 if facts.single else np.float64))
        for task, labels in instances.items()
    }
    if sum(len(one.systems) for one in rectangles) < len(rows) * len(grids):
        for grid in grids.values():
            grid.blank()
    cells = [(grids[one.task], rows[system], one.width) for one in rectangles for system in one.systems]
    starts = np.cumsum([0, *(width for *_, width in cells)])
    for batch in table.batches(ReadPlan((), ("score",), large=True)):
        with located(table, batch.first):
            scores = to_numbers(batch.rows.column("score"), "score", next(iter(grids.values())).dtype)
        for (grid, row, _), start, some in _cut(scores, batch.first, cells, starts):
            grid.put(row, start, some)
        if progress is not None:
            progress(int(batch.done * table.size), table.size)
    tasks = tuple(
        grids[name].task(name, instances[name], higher_is_better=higher) for name, (higher, _) in facts.tasks.items()
    )
    return Scores(facts.systems, tasks).select(tasks=wishes.tasks, systems=wishes.systems)


def _are_trimmed(facts: Facts) -> bool:
    """Whether labels are what reading makes of them."""
    return all(name == name.strip() for name in (*facts.systems, *facts.tasks))


def _all_rectangles(files: Sequence[RowFile]) -> list[Rectangle] | None:
    """Rectangles of all files, one file after the other, where each system has one on a task at most."""
    found = [one for file in files for one in file.rectangles or ()]
    cells = [(one.task, system) for one in found for system in one.systems]
    whole = all(
        file.rectangles is not None and sum(len(one.systems) * one.width for one in file.rectangles) == file.file.rows
        for file in files
    )
    return found if whole and len(set(cells)) == len(cells) else None


def _instances(files: Sequence[RowFile]) -> dict[str, NDArray[Any]] | None:
    """Instances of each task, in order; None where two files have others, or another order."""
    found: dict[str, Any] = {}
    for file in files:
        rectangles = file.rectangles or ()
        for one, labels in zip(rectangles, instances_of(file, rectangles), strict=True):
            if not found.setdefault(one.task, labels).equals(labels):
                return None
    if len({labels.type for labels in found.values()}) > 1:
        return None
    keys = IntegerKeys() if all(pa.types.is_integer(labels.type) for labels in found.values()) else TextKeys()
    ordered = {}
    for task, labels in found.items():
        known = keys.encode(labels, "instance")
        ordered[task], order = keys.sort(known)
        if not (np.array_equal(order, np.arange(known.size)) and np.diff(np.sort(known)).all()):
            return None
    return ordered


class _Grid:
    """Scores of all systems on a task, in parts of the size that tables have."""

    def __init__(self, n_systems: int, n_instances: int, dtype: np.dtype[Any]) -> None:
        widths = [min(PART, n_instances - start) for start in range(0, n_instances, PART)]
        self.parts = [np.empty((n_systems, width), dtype) for width in widths]
        self.scored = np.zeros(n_systems, dtype=np.int64)
        self.dtype = dtype

    def blank(self) -> None:
        """Let all scores be missing."""
        for part in self.parts:
            part.fill(np.nan)

    def put(self, row: int, first: int, scores: NDArray[Any]) -> None:
        """Write scores of a system on instances from the first on."""
        self.scored[row] += scores.size - np.count_nonzero(np.isnan(scores))
        done = 0
        while done < scores.size:
            number, column = divmod(first + done, PART)
            target = self.parts[number][row, column : column + scores.size - done]
            np.add(scores[done : done + target.size], 0.0, out=target)  # one zero, not two
            done += target.size

    def task(self, name: str, instances: NDArray[Any], *, higher_is_better: bool) -> Task:
        """Return the task, to which nothing is written any more."""
        for array in (*self.parts, instances):
            array.flags.writeable = False
        return Task(name, tuple(self.parts), self.scored, instances=instances, higher_is_better=higher_is_better)


#: Scores of a system on a task: the grid of the task, the row there, and the number of instances.
_Cell = tuple[_Grid, int, int]


def _cut(
    scores: NDArray[Any], first: int, cells: Sequence[_Cell], starts: NDArray[np.int64]
) -> Iterator[tuple[_Cell, int, NDArray[Any]]]:
    """Cut scores of rows from the first on by their cells; with the instance that each piece begins with."""
    done, place = 0, int(np.searchsorted(starts, first, side="right")) - 1
    while done < scores.size:
        start = first + done - int(starts[place])
        some = scores[done : done + cells[place][2] - start]
        yield cells[place], start, some
        done += some.size
        place += 1
