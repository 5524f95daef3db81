"""Boards of rectangles, read the short way: their scores, and the instances of each task once.

The result is that of reading all columns. Where that is not certain, all columns are read.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.base.parallel import Progress
from podium.score.table import Scores
from podium.score.task import PART, Task
from podium.source.assemble.label import IntegerKeys, TextKeys
from podium.source.layout import Wishes
from podium.source.number import to_numbers
from podium.source.table import ReadPlan, SourceTable, located
from podium.store.rectangle import LABELS, Rectangle
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
    rectangles = _placed(files) if plain and _are_trimmed(facts) else None
    instances = None if rectangles is None else _instances(files)
    if rectangles is None or instances is None:
        return None
    rows = {name: row for row, name in enumerate(facts.systems)}
    grids = {
        task: _Grid(len(rows), labels.size, np.dtype(np.float32 if facts.single else np.float64))
        for task, labels in instances.items()
    }
    if sum(len(one.systems) * one.width for one, _ in rectangles) < sum(grid.size for grid in grids.values()):
        for grid in grids.values():
            grid.blank()
    cells = [_Cell(grids[one.task], rows[name], first, one.width) for one, first in rectangles for name in one.systems]
    starts = np.cumsum([0, *(cell.width for cell in cells)])
    for batch in table.batches(ReadPlan((), ("score",), large=True)):
        with located(table, batch.first):
            scores = to_numbers(batch.rows.column("score"), "score", next(iter(grids.values())).dtype)
        for cell, start, some in _cut(scores, batch.first, cells, starts):
            cell.grid.put(cell.row, cell.first + start, some)
        if progress is not None:
            progress(int(batch.done * table.size), table.size)
    tasks = tuple(
        grids[name].task(name, instances[name], higher_is_better=higher) for name, (higher, _) in facts.tasks.items()
    )
    return Scores(facts.systems, tasks).select(tasks=wishes.tasks, systems=wishes.systems)


def _are_trimmed(facts: Facts) -> bool:
    """Whether labels are what reading makes of them."""
    return all(name == name.strip() for name in (*facts.systems, *facts.tasks))


def _placed(files: Sequence[RowFile]) -> list[tuple[Rectangle, int]] | None:
    """Rectangles of all files, and which instance of its task each begins with; None where they do not fit together.

    The rectangles of a task in a file stand side by side: they have the same systems, and no other file has these.
    """
    found: list[tuple[Rectangle, int]] = []
    known: set[tuple[str, str]] = set()
    for file in files:
        systems: dict[str, tuple[str, ...]] = {}
        widths: dict[str, int] = {}
        for one in file.rectangles or ():
            if systems.setdefault(one.task, one.systems) != one.systems:
                return None
            first = widths.get(one.task, 0)
            widths[one.task] = first + one.width
            found.append((one, first))
        cells = {(task, system) for task, names in systems.items() for system in names}
        rows = sum(len(systems[task]) * width for task, width in widths.items())
        if rows != file.file.rows or not known.isdisjoint(cells):
            return None
        known |= cells
    return found


def _instances(files: Sequence[RowFile]) -> dict[str, NDArray[Any]] | None:
    """Instances of each task, in order; None where two files have others, or another order."""
    found: dict[str, Any] = {}
    for file in files:
        rectangles, pieces = file.rectangles or (), dict[str, list[Any]]()
        for one, some in zip(rectangles, instances_of(file, rectangles), strict=True):
            pieces.setdefault(one.task, []).append(some)
        for task, several in pieces.items():
            labels = pa.concat_arrays(several)
            if not found.setdefault(task, labels).equals(labels):
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


def instances_of(file: RowFile, rectangles: Sequence[Rectangle]) -> Iterator[Any]:
    """Yield the instances of each of some rectangles of a file, in its order, as an Arrow array.

    Raises
    ------
    BoardError
        The file is missing or damaged.
    """
    with file.intact():
        name = [name for name in LABELS if name in file.columns][0]  # noqa: RUF015  # damaged where there is none
        parquet = file.open(())
        sizes = [parquet.metadata.row_group(number).num_rows for number in range(parquet.num_row_groups)]
    starts = np.cumsum([0, *sizes])
    for one in rectangles:
        stop = one.first + one.width
        groups = np.flatnonzero((starts[1:] > one.first) & (starts[:-1] < stop)).tolist()
        with file.intact():
            at, found = int(starts[groups[0]]), []
            for batch in parquet.iter_batches(one.width, groups, [name], use_threads=False):
                some = batch.column(0)[max(one.first - at, 0) : max(stop - at, 0)]
                at += len(batch)
                found.append(some)
                if at >= stop:
                    break
        yield pa.concat_arrays(found)


class _Grid:
    """Scores of all systems on a task, in parts of the size that tables have."""

    def __init__(self, n_systems: int, n_instances: int, dtype: np.dtype[Any]) -> None:
        widths = [min(PART, n_instances - start) for start in range(0, n_instances, PART)]
        self.parts = [np.empty((n_systems, width), dtype) for width in widths]
        self.scored = np.zeros(n_systems, dtype=np.int64)
        self.dtype, self.size = dtype, n_systems * n_instances

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


class _Cell(NamedTuple):
    """Where rows of a system that follow each other go: the grid, the row there, the first instance, how many."""

    grid: _Grid
    row: int
    first: int
    width: int


def _cut(
    scores: NDArray[Any], first: int, cells: Sequence[_Cell], starts: NDArray[np.int64]
) -> Iterator[tuple[_Cell, int, NDArray[Any]]]:
    """Cut scores of rows from the first on by their cells; with the instance that each piece begins with."""
    done, place = 0, int(np.searchsorted(starts, first, side="right")) - 1
    while done < scores.size:
        start = first + done - int(starts[place])
        some = scores[done : done + cells[place].width - start]
        yield cells[place], start, some
        done += some.size
        place += 1
