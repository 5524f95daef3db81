"""Rows in any order become tasks: each score goes directly to its cell, and instances are sorted at the end.

The cells of a task are systems × columns. Columns are held in parts of `PART` = 16,384. The key of an instance, an
integer, says which column it has. These numbers lead from a key to its column and back:

=========  ===========================================================================================
base       of a task: the key of its first column
offset     of a key in its task: key − base
number     of a part in its task: offset // 16,384
column     of a key in its part: offset % 16,384
slot       of a part among those of all tasks: the slot of the first part of the task, plus the number
position   of a column among all columns of the opened parts of a task, laid side by side
=========  ===========================================================================================

Say that the first batch has keys 100 … 20,000 of task 0 and keys 7 … 30 of task 1. Then the bases are 100 and 7, task 0
has two parts with slots 0 and 1, and task 1 has one with slot 2. Key 20,000 of task 0 has offset 19,900; so its part is
number 1, slot 1, and its column is 3,516. Key 9 of task 1 has offset 2: number 0, slot 2, column 2.

If key 90 of task 0 comes later, a part is put before the others, and the base becomes 100 − 16,384 = −16,284. Key 90
has offset 16,374: number 0, column 16,374. Key 20,000 has now number 2, and still column 3,516. Task 1 begins at slot
3. So scores stay where they are; only numbers and slots are counted anew.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.score.cluster import Clusters
from podium.score.task import PART, Task
from podium.source.assemble import scatter
from podium.source.assemble.grid import Compaction, GridPart, Rooms, SparseKeysError, TaskGrid
from podium.source.assemble.label import Coded, Keys, Labels
from podium.source.assemble.repeat import RepeatedKeys
from podium.source.assemble.row import CodedRows
from podium.source.table import RowError

#: Cells that may be opened without checking whether their instances exist (128 MB).
_FREE_CELLS = 2**24

#: Runs with a greater mean length are written as runs.
_RUN = 512


class Assembly:
    """Collects the scores of all tasks.

    Parameters
    ----------
    dtype
        Of the scores.
    kernels
        Returns `scatter`, or for large tables `kernel`, which does the same. Called only for rows without runs,
        because runs of consecutive instances need no compiled code.
    expected
        Number of rows to come, as far as known.
    compact
        Number instances task by task, because their keys are far from each other.
    side_by_side
        No table has instances, so each task has one. The tasks are assembled as if they were instances of one task.
    clusters
        Labels of the clusters.
    rooms
        Where scores and states are held; by default in memory.
    """

    def __init__(
        self,
        dtype: Any,
        kernels: Callable[[], ModuleType],
        *,
        expected: int = 0,
        compact: bool = False,
        side_by_side: bool = False,
        clusters: Labels | None = None,
        rooms: Rooms | None = None,
    ) -> None:
        self.repeats = 0
        self._dtype = dtype
        self._kernels = kernels
        self._expected = expected
        self._clusters = clusters
        self._rooms = Rooms() if rooms is None else rooms
        self._compaction = Compaction() if compact else None
        self._side_by_side = side_by_side
        self._grids: list[TaskGrid] = []
        self._rows = 0
        self._n_systems = 0
        #: Columns of all opened parts, to tell whether keys are too far from each other.
        self._opened = 0
        #: For each task, the key of its first column, and the slot of its first part.
        self._bases = np.empty(0, dtype=np.int64)
        self._first_slots = np.empty(0, dtype=np.int64)

    def make_room(self, n_systems: int, n_tasks: int) -> None:
        """Make room for the systems and tasks that are known by now."""
        self._n_systems = n_systems
        n_grids = 1 if self._side_by_side else n_tasks
        if n_grids > len(self._grids):
            self._grids += [TaskGrid() for _ in range(n_grids - len(self._grids))]
            self._count_slots()

    def add(self, rows: CodedRows) -> NDArray[np.int64]:
        """Write scores to their cells; return the rows that contradict an earlier one.

        Raises
        ------
        RowError
            An instance has two weights, or is in two clusters.
        SparseKeysError
            The keys require `compact`.
        """
        self._rows += rows.keys.size
        if self._side_by_side:
            one = Coded(np.zeros(rows.keys.size, dtype=np.int32), np.zeros(1, dtype=np.int32))
            rows = replace(rows, tasks=one, keys=rows.tasks.codes.astype(np.int64))
        keys = rows.keys if self._compaction is None else self._compaction.columns(rows.tasks.codes, rows.keys)
        clash = np.zeros(keys.size, dtype=np.bool_)
        starts = scatter.find_runs(rows.tasks.indices, rows.systems.indices, keys, keys.size // _RUN)
        if starts.size and rows.weights is None and rows.clusters is None:
            self._add_runs(rows, keys, starts, clash)
        else:
            self._add_rows(rows, keys, clash)
        return np.flatnonzero(clash)

    def _add_runs(
        self, rows: CodedRows, keys: NDArray[np.int64], starts: NDArray[np.int64], clash: NDArray[np.bool_]
    ) -> None:
        """Write stretches of one task and system with consecutive keys."""
        stops = np.append(starts[1:], keys.size)
        tasks = rows.tasks.lookup[rows.tasks.indices[starts]]
        systems = rows.systems.lookup[rows.systems.indices[starts]]
        self._cover(scatter, np.repeat(tasks, 2), np.stack((keys[starts], keys[stops - 1]), axis=1).ravel())
        for start, stop, task, system in zip(
            starts.tolist(), stops.tolist(), tasks.tolist(), systems.tolist(), strict=True
        ):
            offset = int(keys[start]) - int(self._bases[task])
            self._add_run(task, system, offset, rows.scores[start:stop], clash[start:stop])

    def _add_run(self, task: int, system: int, offset: int, scores: NDArray[Any], clash: NDArray[np.bool_]) -> None:
        """Write the scores of consecutive keys from this offset on, one part after the other."""
        done = 0
        while done < scores.size:
            number, column = divmod(offset + done, PART)
            length = min(scores.size - done, PART - column)
            part = self._part(task, number, column + length)
            rows, columns = slice(done, done + length), slice(column, column + length)
            self.repeats += scatter.write_run(
                values=part.values[system, columns],
                state=part.state[system, columns],
                seen=part.seen[columns],
                scores=scores[rows],
                clash=clash[rows],
            )
            done += length

    def _add_rows(self, rows: CodedRows, keys: NDArray[np.int64], clash: NDArray[np.bool_]) -> None:
        """Write rows in any order, part by part."""
        kernels = self._kernels()
        self._cover(kernels, rows.tasks.codes, keys)
        slots, columns = kernels.place(
            tasks=rows.tasks.indices, lookup=rows.tasks.lookup, keys=keys, bases=self._bases, slots=self._first_slots
        )
        indices, lookup = rows.systems
        beside = [
            (kind, values)
            for kind, values in (("weight", rows.weights), ("cluster", rows.clusters))
            if values is not None
        ]
        numbers = rows.place(np.arange(keys.size)) if beside else keys
        for chosen in _by_slot(slots):
            part = self._part_at(int(slots[chosen][0]), int(columns[chosen].max()) + 1)
            self.repeats += kernels.write(
                part.values, part.state, part.seen, indices, lookup, columns, rows.scores, clash, chosen
            )
            for kind, values in beside:
                self._attach(part, kind, columns[chosen], values[chosen], numbers[chosen])

    def _attach(
        self,
        part: GridPart,
        kind: str,
        columns: NDArray[np.int32],
        values: NDArray[np.float64],
        rows: NDArray[np.int64],
    ) -> None:
        """Store the weight, or the cluster, of the instance of every row, and refuse a second one."""
        known = part.attached.setdefault(kind, np.full(part.seen.size, np.nan))
        unknown = np.isnan(known[columns])
        known[columns[unknown][::-1]] = values[unknown][::-1]  # the last assignment, the first row, wins
        wrong = np.flatnonzero(known[columns] != values)
        if not wrong.size:
            return
        row = int(wrong[0])
        here, there = values[row], known[columns[row]]
        what = f"the instance has weight {here:g} here and {there:g} in another row; give it one weight"
        if kind == "cluster" and self._clusters is not None:
            names = self._clusters.names
            what = f"the instance is in cluster {names[int(here)]!r} here and {names[int(there)]!r} in another row; "
            what += "give it one cluster"
        raise RowError(int(rows[row]), f"{what} for all systems")

    def tasks(self, names: Sequence[str], keys: Keys | RepeatedKeys | None) -> tuple[Task, ...]:
        """Return the tasks with their names and sorted instances; the assembly is empty afterwards."""
        if self._side_by_side:
            return self._single_tasks(names)
        return tuple(self._task(task, name, keys) for task, name in enumerate(names))

    def _single_tasks(self, names: Sequence[str]) -> tuple[Task, ...]:
        """Cut what stands side by side into tasks, which share the memory of their scores."""
        grid = self._grids[0]
        positions, found = grid.positions(), grid.keys()
        if found.size < len(names):
            raise _no_rows(names[int(np.setdiff1d(np.arange(len(names)), found)[0])])
        weights = grid.attached("weight", positions)
        parts, _ = grid.harvest(self._n_systems, positions)
        ballots = self._rooms.values.empty((len(names), self._n_systems), self._dtype)
        np.concatenate([part.T for part in parts], out=ballots)
        scored = (~np.isnan(ballots)).astype(np.int64)
        for array in (ballots, scored, *(() if weights is None else (weights,))):
            array.flags.writeable = False
        own = [None] * len(names) if weights is None else weights[:, None]
        return tuple(
            Task(name, (ballot[:, None],), count, instance_weights=weight)
            for name, ballot, count, weight in zip(names, ballots, scored, own, strict=True)
        )

    def _task(self, task: int, name: str, keys: Keys | RepeatedKeys | None) -> Task:
        grid = self._grids[task]
        if not any(grid.parts):
            raise _no_rows(name)
        positions, labels = grid.positions(), None
        if keys is not None:
            found = grid.keys()
            if self._compaction is not None:
                found = self._compaction.keys(task, found)
            labels, order = keys.sort(found)
            positions = positions[order]
        weights, codes = grid.attached("weight", positions), grid.attached("cluster", positions)
        clusters = None
        if codes is not None and self._clusters is not None:
            clusters = Clusters.coded(codes.astype(np.int64), self._clusters.names)
        parts, scored = grid.harvest(self._n_systems, positions)
        for array in (*parts, *(array for array in (labels, weights) if array is not None)):
            array.flags.writeable = False
        return Task(name, tuple(parts), scored, instances=labels, instance_weights=weights, clusters=clusters)

    def _cover(self, kernels: ModuleType, tasks: NDArray[np.int32], keys: NDArray[np.int64]) -> None:
        """See that there is a part for every key of a batch."""
        extremes = np.iinfo(np.int64)
        low = np.full(len(self._grids), extremes.max)
        high = np.full(len(self._grids), extremes.min)
        kernels.bounds(tasks=tasks, keys=keys, low=low, high=high)
        limit = 16 + 4 * max(self._rows, self._expected) // PART
        changed = False
        for task in np.flatnonzero(low <= high).tolist():
            changed |= self._grids[task].cover(int(low[task]), int(high[task]), limit)
        if changed:
            self._count_slots()

    def _count_slots(self) -> None:
        """Give the parts of all tasks their slots, one task after the other."""
        counts = np.array([len(grid.parts) for grid in self._grids])
        self._first_slots = np.cumsum(counts) - counts
        self._bases = np.array([grid.base or 0 for grid in self._grids], dtype=np.int64)

    def _part_at(self, slot: int, width: int) -> GridPart:
        """Part with this slot, with room for this many columns."""
        task = int(np.searchsorted(self._first_slots, slot, side="right")) - 1
        return self._part(task, slot - int(self._first_slots[task]), width)

    def _part(self, task: int, number: int, width: int) -> GridPart:
        """Part of a task with this number, with room for this many columns."""
        grid = self._grids[task]
        if grid.parts[number] is None:
            self._opened += PART if len(grid.parts) > 1 else width
            # An instance has a row at least: more columns than rows means gaps, which a small grid may have.
            dense = max(self._rows, self._expected) >= self._opened or self._compaction is not None
            if not (dense or self._side_by_side) and self._opened * self._n_systems > _FREE_CELLS:
                raise SparseKeysError
        return grid.opened(number, self._n_systems, width, self._dtype, self._rooms)


def _no_rows(task: str) -> InputError:
    return InputError(f"task {task!r} has no rows")


def _by_slot(slots: NDArray[np.int32]) -> Iterator[NDArray[np.int64]]:
    """Yield the rows of one part after the other; if they change parts often, all rows of each part together."""
    changes = np.flatnonzero(slots[1:] != slots[:-1]) + 1
    order, ordered = np.arange(slots.size), slots
    if changes.size > 64 and changes.size * 16 > slots.size:
        order = np.argsort(
            slots.astype(np.min_scalar_type(slots.max())), kind="stable"
        )  # small numbers by their digits
        ordered = slots[order]
        changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    for start, stop in pairwise([0, *changes.tolist(), slots.size]):
        if start < stop:
            yield order[start:stop]
