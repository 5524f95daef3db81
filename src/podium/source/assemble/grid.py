"""The cells of one task while they are filled; parts grow by systems and instances and are sorted at the end.

What base, offset, number, column and position are is said in `podium.source.assemble.assembly`, with an example.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.spill import MEMORY, Room, room_of
from podium.score.task import PART
from podium.source.assemble.scatter import SCORED

#: Systems that a part has room for at first, so that most tables never move; rows without scores take no memory.
_ROWS = 28

_LEAST_KEY = -(2**63)


class SparseKeysError(Exception):
    """Instance keys are so far from each other that they must be numbered task by task."""


@dataclass(frozen=True, slots=True)
class Rooms:
    """Where the scores of a table are held, and the states of its cells, which are gone once it is read."""

    values: Room = MEMORY
    states: Room = MEMORY


class Compaction:
    """For each task, the keys seen so far and their columns."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def columns(self, tasks: NDArray[np.int32], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give every row its column number."""
        result = np.empty_like(keys)
        order = np.argsort(tasks, kind="stable")
        edges = np.flatnonzero(np.diff(tasks[order])) + 1
        for rows in np.split(order, edges):
            if rows.size:
                result[rows] = self._number(int(tasks[rows[0]]), keys[rows])
        return result

    def keys(self, task: int, columns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Keys of columns."""
        known, numbers = self._known[task]
        return known[np.argsort(numbers)][columns]

    def _number(self, task: int, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        none = np.empty(0, dtype=np.int64)
        known, columns = self._known.get(task, (none, none))
        distinct = np.unique(keys, return_index=True)[0]  # by sorting; by hashing, as without the index, it is slow
        fresh = np.setdiff1d(distinct, known, assume_unique=True)
        if fresh.size:
            merged = np.concatenate((known, fresh))
            order = np.argsort(merged, kind="stable")
            numbers = np.concatenate((columns, np.arange(known.size, merged.size)))
            known, columns = merged[order], numbers[order]
            self._known[task] = (known, columns)
        result: NDArray[np.int64] = columns[np.searchsorted(known, keys)]
        return result


class GridPart:
    """Scores of all systems on at most `PART` instances, with the state of each cell.

    Attributes
    ----------
    rooms
        Where both are held.
    values, state
        Space for systems × instances; a value is valid if its state is SCORED.
    seen
        Instances that occur in some row.
    attached
        What else is known of instances, their weights and the numbers of their clusters; NaN if not yet known.
    """

    __slots__ = ("attached", "rooms", "seen", "state", "values")

    def __init__(self, n_systems: int, width: int, dtype: Any, rooms: Rooms) -> None:
        self.rooms = rooms
        self.values = rooms.values.empty((n_systems, width), dtype)
        self.state = rooms.states.zeros((n_systems, width), np.uint8)
        self.seen = np.zeros(width, dtype=np.bool_)
        self.attached: dict[str, NDArray[np.float64]] = {}

    def make_room(self, n_systems: int, width: int) -> None:
        """Grow to at least this many systems and instances."""
        rows, columns = self.values.shape
        if n_systems <= rows and width <= columns:
            return
        rows = rows if n_systems <= rows else max(n_systems, 2 * rows)
        width = max(width, columns)
        self.values = _grown(self.values, (rows, width), self.rooms.values.empty)
        self.state = _grown(self.state, (rows, width), self.rooms.states.zeros)
        self.seen = _grown(self.seen, (width,), MEMORY.zeros)
        for kind, values in self.attached.items():
            grown = np.full(width, np.nan)
            grown[:columns] = values
            self.attached[kind] = grown

    def blank(self, n_systems: int) -> NDArray[np.int64]:
        """Set missing scores to NaN, drop the states, and count the scores of each system."""
        self.make_room(n_systems, 0)
        counts = np.empty(n_systems, dtype=np.int64)
        for system, (state, values) in enumerate(zip(self.state[:n_systems], self.values, strict=False)):
            scored = state == SCORED
            counts[system] = np.count_nonzero(scored)
            if counts[system] < scored.size:
                values[~scored] = np.nan
        self.state = np.empty((0, 0), dtype=np.uint8)
        return counts


def _grown(array: NDArray[Any], shape: tuple[int, ...], make: Any) -> NDArray[Any]:
    larger: NDArray[Any] = make(shape, array.dtype)
    larger[tuple(slice(length) for length in array.shape)] = array
    return larger


class TaskGrid:
    """The parts of one task. Key k is in part `(k - base) // PART`, at column `(k - base) % PART` of it.

    Attributes
    ----------
    base
        Key of the first column; None without parts. It is the smallest key of the first batch, so that short tasks fill
        one part from its start, and less by `PART` for every part that is put before the others.
    parts
        Parts in order of keys; None if the part is not opened, because it has no row yet.

    Examples
    --------
    >>> grid = TaskGrid()
    >>> grid.cover(100, 20_000, limit=9), grid.base, len(grid.parts)
    (True, 100, 2)
    >>> grid.cover(90, 90, limit=9), grid.base, len(grid.parts)
    (True, -16284, 3)
    """

    __slots__ = ("base", "parts")

    def __init__(self) -> None:
        self.base: int | None = None
        self.parts: list[GridPart | None] = []

    def cover(self, low: int, high: int, limit: int) -> bool:
        """See that there is a part for all keys from `low` to `high`; return whether parts were added.

        Raises
        ------
        SparseKeysError
            There would be more than `limit` parts, or the base would be no 64-bit integer.
        """
        base = low if self.base is None else self.base
        before = max(-((low - base) // PART), 0)
        after = max((high - base) // PART + 1 - len(self.parts), 0)
        if before + len(self.parts) + after > limit or base - before * PART < _LEAST_KEY:
            raise SparseKeysError
        self.base = base - before * PART
        self.parts = [*([None] * before), *self.parts, *([None] * after)]
        return before + after > 0

    def opened(self, number: int, n_systems: int, width: int, dtype: Any, rooms: Rooms) -> GridPart:
        """Open the part with this number, with room for this many systems and columns; a single part may be narrow."""
        width = PART if len(self.parts) > 1 else min(PART, 1 << (width - 1).bit_length())
        part = self.parts[number]
        if part is None:
            part = GridPart(n_systems if width < PART else max(n_systems, _ROWS), width, dtype, rooms)
            self.parts[number] = part
        part.make_room(n_systems, width)
        return part

    def keys(self) -> NDArray[np.int64]:
        """Keys that occur in some row, ascending."""
        base = self.base or 0
        found = [
            np.flatnonzero(part.seen) + (base + number * PART)
            for number, part in enumerate(self.parts)
            if part is not None
        ]
        return np.concatenate(found)

    def positions(self) -> NDArray[np.int64]:
        """Positions of these keys, ascending."""
        return np.flatnonzero(np.concatenate([part.seen for part in self.parts if part is not None]))

    def attached(self, kind: str, positions: NDArray[np.int64]) -> NDArray[np.float64] | None:
        """Weights or clusters of the instances at these positions; None if no row gives any."""
        opened = [part for part in self.parts if part is not None]
        if all(kind not in part.attached for part in opened):
            return None
        of_parts = [part.attached.get(kind, np.full(part.seen.size, np.nan)) for part in opened]
        gathered: NDArray[np.float64] = np.concatenate(of_parts)[positions]
        return gathered

    def harvest(self, n_systems: int, positions: NDArray[np.int64]) -> tuple[list[NDArray[Any]], NDArray[np.int64]]:
        """Return scores at these positions, in this order, cut into full parts, and the number of scores by system.

        The grid is empty afterwards.
        """
        opened = [part for part in self.parts if part is not None]
        self.parts = []
        counts = np.sum([part.blank(n_systems) for part in opened], axis=0)
        sources = [part.values[:n_systems] for part in opened]
        widths = [min(PART, positions.size - start) for start in range(0, positions.size, PART)]
        in_place = all(source.shape[1] == PART for source in sources[: len(widths) - 1])
        if not (in_place and np.array_equal(positions, np.arange(positions.size))):
            sources = _rearranged(sources, positions, widths)
        return [_narrowed(source, width) for source, width in zip(sources, widths, strict=False)], counts


def _rearranged(sources: list[NDArray[Any]], positions: NDArray[np.int64], widths: list[int]) -> list[NDArray[Any]]:
    """Move columns system by system, in place if a part is wide enough."""
    rows, dtype, room = len(sources[0]), sources[0].dtype, room_of(sources[0])
    results = [
        sources[index] if sources[index].shape[1] >= width else room.empty((rows, width), dtype)
        for index, width in enumerate(widths)
    ]
    for system in range(rows):
        row = np.concatenate([source[system] for source in sources])[positions]
        for index, width in enumerate(widths):
            results[index][system, :width] = row[index * PART : index * PART + width]
    return results


def _narrowed(array: NDArray[Any], width: int) -> NDArray[Any]:
    if array.shape[1] == width:
        return array
    narrow = room_of(array).empty((len(array), width), array.dtype)
    narrow[...] = array[:, :width]
    return narrow
