"""Rows in any order become tasks: each score goes to its cell as it is read, and instances are sorted at the end.

A column is a pair of a task and an instance. Each task has its columns in chunks of `PART` = 16,384, in order of first
appearance: column number 40,000 is place 7,232 of chunk 2, and a chunk belongs to one task. So scores stay where they
are while rows are read. At the end the columns of a task are sorted by the labels of its instances.

A chunk whose scores are small whole numbers, such as 0 and 1, has one byte for each.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import UNSCORED, Bools, Floats, Ints, PackedArray, as_codes
from podium.base.errors import InputError
from podium.score.task import PART, Clusters, Task
from podium.source.labels import Keys, Labels, RepeatedKeys
from podium.source.table import RowError

#: Task, system and instance key.
Cell = tuple[int, int, int]

#: Number of contradictions that are shown in full.
SHOWN = 3

#: Binary logarithm of the columns of a chunk.
_SHIFT = PART.bit_length() - 1

#: Systems that a chunk has room for at first, so that most tables never move; rows without scores take no memory.
_ROWS = 28

#: Columns that may be looked up in a table of tasks and keys; and how many times as many as there are columns.
_SPARE, _TIMES = 2**20, 8


@dataclass(frozen=True, slots=True)
class CodedRows:
    """Rows of a long table, coded; or some columns of a wide table, one after the other.

    Attributes
    ----------
    tasks, systems
        Label numbers, shape `(n,)`.
    keys
        Instance keys, shape `(n,)`.
    scores
        Shape `(n,)`, NaN where missing.
    weights
        Instance weights, shape `(n,)`, or None.
    clusters
        Numbers of the clusters of the instances, shape `(n,)`, or None.
    numbers
        Rows of the batch that these are, shape `(n,)`; None if they are all of the batch.
    covariates
        By column, shape `(n,)`: what was measured beside the scores.
    """

    tasks: NDArray[np.int32]
    systems: NDArray[np.int32]
    keys: Ints
    scores: NDArray[Any]
    weights: Floats | None = None
    clusters: Floats | None = None
    numbers: Ints | None = None
    covariates: Mapping[str, Floats] = field(default_factory=dict)

    def __sizeof__(self) -> int:  # by which Dask decides what to keep in memory
        arrays = (self.tasks, self.systems, self.keys, self.scores, self.weights, self.clusters)
        return sum(array.nbytes for array in arrays if array is not None)

    def place(self, row: int) -> int:
        """Return the row of the batch that this is."""
        return row if self.numbers is None else int(self.numbers[row])

    def scored(self, cell: Cell) -> list[int]:
        """Return rows with a score for a cell."""
        task, system, key = cell
        found = (self.tasks == task) & (self.systems == system) & (self.keys == key)
        rows: list[int] = np.flatnonzero(found & ~np.isnan(self.scores)).tolist()
        return rows


class Assembly:
    """Collects the scores of all tasks.

    Parameters
    ----------
    dtype
        Of the scores.
    covariates
        Names of what is measured beside them.
    side_by_side
        No table has instances, so each task has one. The tasks are assembled as if they were instances of one task.
    clusters
        Labels of the clusters.
    """

    def __init__(
        self, dtype: Any, *, covariates: Sequence[str] = (), side_by_side: bool = False, clusters: Labels | None = None
    ) -> None:
        self.contradictions: list[Cell] = []
        self.n_contradictions = 0
        #: Rows with a score, also those that repeat another.
        self.n_scores = 0
        self._dtypes = {"": dtype} | dict.fromkeys(covariates, np.float64)
        self._side_by_side, self._clusters = side_by_side, clusters
        self._n_systems = 0
        self._n_columns = 0
        self._chunks: list[_Chunk] = []
        #: For each task, the numbers of its chunks.
        self._own: dict[int, list[int]] = {}
        #: Columns by task and key − low, or by code where keys are far from each other; −1 if it has none yet.
        self._columns, self._shape, self._low = np.empty(0, dtype=np.int64), (0, 0), 0
        self._far, self._of_keys, self._of_pairs = False, _Codes(), _Codes()

    def add(self, rows: CodedRows, n_systems: int) -> None:
        """Write scores to their cells.

        Raises
        ------
        RowError
            An instance has two weights, or is in two clusters.
        """
        self._n_systems = n_systems
        tasks, keys = rows.tasks, rows.keys
        if self._side_by_side:
            tasks, keys = np.zeros_like(tasks), tasks.astype(np.int64)
        columns = self._numbered(tasks, keys)
        for kind, values in (("weight", rows.weights), ("cluster", rows.clusters)):
            if values is not None:
                self._attach(kind, columns, values, rows)
        named = {name: rows.scores if not name else rows.covariates.get(name) for name in self._dtypes}
        self._write(columns, rows.systems, named)

    def _numbered(self, tasks: NDArray[np.int32], keys: Ints) -> Ints:
        """Return the column of every row; new ones for pairs of task and key that are new."""
        places = self._places(tasks, keys)
        columns = self._columns[places]
        if columns.min() < 0:
            fresh = np.flatnonzero(columns < 0)
            _, first = np.unique(places[fresh], return_index=True)
            first = fresh[first]
            for some in np.split(first, np.flatnonzero(np.diff(tasks[first])) + 1):  # sorted by task
                self._columns[places[some]] = self._open(int(tasks[some[0]]), keys[some])
            columns[fresh] = self._columns[places[fresh]]
        return columns

    def _open(self, task: int, keys: Ints) -> Ints:
        """Add columns with these keys to a task."""
        own, columns = self._own.setdefault(task, []), []
        self._n_columns += keys.size
        while keys.size:
            if not own or self._chunks[own[-1]].keys.size == PART:
                packed = self._chunks[own[-1]].packed if own else not self._side_by_side
                own.append(len(self._chunks))
                self._chunks.append(_Chunk(task, self._dtypes, packed=packed))
            chunk = self._chunks[own[-1]]
            used = chunk.keys.size
            chunk.keys = np.concatenate((chunk.keys, keys[: PART - used]))
            columns.append(np.arange(used, chunk.keys.size) + (own[-1] << _SHIFT))
            keys = keys[PART - used :]
        return np.concatenate(columns)

    def _places(self, tasks: NDArray[np.int32], keys: Ints) -> Ints:
        """Return where the column of each row is looked up."""
        low, high, n_tasks = int(keys.min()), int(keys.max()), int(tasks.max()) + 1
        n_known, width = self._shape
        if not self._far and not (n_tasks <= n_known and self._low <= low and high < self._low + width):
            start, stop = (min(low, self._low), max(high + 1, self._low + width)) if width else (low, high + 1)
            wider = width if stop - start == width else max(stop - start, min(2 * width, stop - start + _SPARE))
            shape = (n_known if n_tasks <= n_known else max(n_tasks, 2 * n_known), wider)
            if shape[0] * shape[1] > _SPARE + _TIMES * max(self._n_columns, keys.size):
                self._encode()
            else:
                grown = np.full(shape, -1)
                grown[:n_known, self._low - start :][:, :width] = self._columns.reshape(self._shape)
                self._columns, self._shape, self._low = grown.reshape(-1), shape, start
        if not self._far:
            places = tasks * np.int64(self._shape[1])
            places += keys - self._low
            return places
        return self._coded(tasks, keys)

    def _coded(self, tasks: NDArray[Any], keys: Ints) -> Ints:
        """Return the same for keys that are far from each other."""
        places = self._of_pairs.code(tasks.astype(np.int64) << 32 | self._of_keys.code(keys))
        new = self._of_pairs.known.size - self._columns.size
        self._columns = np.concatenate((self._columns, np.full(new, -1)))
        return places

    def _encode(self) -> None:
        """Look up columns by code from now on."""
        self._far, self._columns = True, np.empty(0, dtype=np.int64)
        for number, chunk in enumerate(self._chunks):
            places = self._coded(np.full(chunk.keys.size, chunk.task), chunk.keys)
            self._columns[places] = np.arange(chunk.keys.size) + (number << _SHIFT)

    def _attach(self, kind: str, columns: Ints, values: Floats, rows: CodedRows) -> None:
        """Store the weight, or the cluster, of the instance of every row, and refuse a second one."""
        for number, some in by_number(columns >> _SHIFT):
            chunk, places, given = self._chunks[number], columns[some] & (PART - 1), values[some]
            known = chunk.attached.get(kind, np.empty(0))
            known = np.concatenate((known, np.full(chunk.keys.size - known.size, np.nan)))
            unknown = np.isnan(known[places])
            known[places[unknown][::-1]] = given[unknown][::-1]  # the last assignment, the first row, wins
            chunk.attached[kind] = known
            if (wrong := np.flatnonzero(known[places] != given)).size:
                here, there = given[wrong[0]], known[places[wrong[0]]]
                what = f"the instance has weight {here:g} here and {there:g} in another row; give it one weight"
                if kind == "cluster" and self._clusters is not None:
                    names = self._clusters.names
                    what = f"the instance is in cluster {names[int(here)]!r} here and {names[int(there)]!r} in "
                    what += "another row; give it one cluster"
                raise RowError(rows.place(int(np.arange(columns.size)[some][wrong[0]])), f"{what} for all systems")

    def _write(self, columns: Ints, systems: NDArray[np.int32], named: Mapping[str, NDArray[Any] | None]) -> None:
        """Write scores to their cells, chunk by chunk; keep those that contradict a score."""
        wrong = []
        for number, some in by_number(columns >> _SHIFT):
            chunk = self._chunks[number]
            chunk.make_room(self._n_systems)
            for name, values in named.items():
                if values is None:
                    continue
                width = chunk.values[name].shape[1]
                scores = values[some] + values.dtype.type(0.0)  # one zero, not two
                cells = systems[some] * np.int64(width) + (columns[some] & (PART - 1))
                absent = np.isnan(scores)
                if absent.any():
                    scores, cells = scores[~absent], cells[~absent]
                if not name and chunk.packed:
                    scores = chunk.fitted(scores)
                flat = chunk.values[name].reshape(-1)
                new = _unscored(flat[cells])
                added = slice(None, None, -1) if new.all() else np.flatnonzero(new)[::-1]
                flat[cells[added]] = scores[added]  # the last assignment, the first row, wins
                if name:
                    continue
                self.n_scores += scores.size
                if (other := flat[cells] != scores).any():
                    wrong.append(np.arange(columns.size)[some][~absent][other])
        rows = np.sort(np.concatenate(wrong)) if wrong else np.empty(0, dtype=np.int64)
        self.n_contradictions += rows.size
        for row in rows[: SHOWN - len(self.contradictions)].tolist():
            chunk = self._chunks[columns[row] >> _SHIFT]
            system, key = int(systems[row]), int(chunk.keys[columns[row] & (PART - 1)])
            self.contradictions.append((key, system, 0) if self._side_by_side else (chunk.task, system, key))

    def tasks(
        self, names: Sequence[str], keys: Keys | RepeatedKeys | None
    ) -> tuple[tuple[Task, ...], dict[str, tuple[Task, ...]]]:
        """Return tasks with their names and sorted instances, and the same with covariates as scores.

        The assembly is empty afterwards.
        """
        if self._side_by_side:
            return self._single_tasks(names), {name: self._single_tasks(names, name) for name in self._dtypes if name}
        made = [self._task(task, name, keys) for task, name in enumerate(names)]
        return tuple(one[""] for one in made), {name: tuple(one[name] for one in made) for name in self._dtypes if name}

    def _single_tasks(self, names: Sequence[str], kind: str = "") -> tuple[Task, ...]:
        """Cut what stands side by side into tasks, which share the memory of their scores."""
        ballots = np.empty((len(names), self._n_systems), self._dtypes[kind])
        weights, seen = np.ones(len(names)), np.zeros(len(names), dtype=np.bool_)
        for chunk in self._chunks:
            chunk.make_room(self._n_systems)
            ballots[chunk.keys] = chunk.values[kind][: self._n_systems, : chunk.keys.size].T
            weights[chunk.keys] = chunk.attached.get("weight", 1.0)
            seen[chunk.keys] = True
        if not seen.all():
            raise _no_rows(names[int(np.argmin(seen))])
        scored = (~np.isnan(ballots)).astype(np.int64)
        for array in (ballots, scored, weights):
            array.flags.writeable = False
        weighted = any(chunk.attached for chunk in self._chunks)
        own = weights[:, None] if weighted else [None] * len(names)
        return tuple(
            Task(name, (ballot[:, None],), count, instance_weights=weight)
            for name, ballot, count, weight in zip(names, ballots, scored, own, strict=True)
        )

    def _task(self, task: int, name: str, keys: Any) -> dict[str, Task]:
        numbers = self._own.pop(task, [])
        if not numbers:
            raise _no_rows(name)
        chunks = [self._chunks[number] for number in numbers]
        labels, order = keys.sort(np.concatenate([chunk.keys for chunk in chunks]))
        labels.flags.writeable = False
        details: dict[str, Any] = {"instances": labels}
        attached = {
            kind: np.concatenate([chunk.attached[kind] for chunk in chunks])[order] for kind in chunks[0].attached
        }
        if "cluster" in attached and self._clusters is not None:
            details["clusters"] = Clusters.coded(attached["cluster"].astype(np.int64), self._clusters.names)
        if "weight" in attached:
            details["instance_weights"] = attached["weight"]
        if not all(chunk.packed for chunk in chunks):
            for chunk in chunks:
                chunk.widen()
        made = {}
        for kind in self._dtypes:
            for chunk in chunks:
                chunk.make_room(self._n_systems)
            grids = [chunk.values.pop(kind)[: self._n_systems] for chunk in chunks]
            sizes = [chunk.keys.size for chunk in chunks]
            if not np.array_equal(order, np.arange(order.size)):
                _rearrange(grids, sizes, order)
            parts = [_part(grid, size, self._dtypes[kind]) for grid, size in zip(grids, sizes, strict=True)]
            made[kind] = Task.of(name, parts, **(details if not kind else {"instances": labels}))
        return made


class _Chunk:
    """Scores of all systems on at most `PART` instances of a task, NaN where none was read.

    Attributes
    ----------
    task
        Number of the task.
    keys
        Keys of the instances.
    values
        Space for systems × instances: by covariate, with scores under "".
    packed
        Scores are codes of a `PackedArray`, as long as all that come fit.
    attached
        What else is known of instances, their weights and the numbers of their clusters.
    """

    __slots__ = ("_dtype", "_filled", "attached", "keys", "packed", "task", "values")

    def __init__(self, task: int, dtypes: Mapping[str, Any], *, packed: bool) -> None:
        self.task = task
        self.keys = np.empty(0, dtype=np.int64)
        self.packed, self._dtype = packed, dtypes[""]
        self.values = {name: np.empty((0, 0), dtype) for name, dtype in dtypes.items()}
        if packed:
            self.values[""] = np.empty((0, 0), np.int8)
        self.attached: dict[str, Floats] = {}
        self._filled = 0

    def fitted(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return scores as codes, or widen the chunk for scores that are none."""
        codes = as_codes(scores)
        if codes is None:
            self.widen()
            return scores
        return codes

    def widen(self) -> None:
        """Hold scores as they are computed with."""
        if self.packed:
            self.packed, codes = False, self.values[""]
            self.values[""] = np.empty(codes.shape, self._dtype)
            self.values[""][: self._filled] = PackedArray(codes[: self._filled], self._dtype)

    def make_room(self, n_systems: int) -> None:
        """Have cells for so many systems."""
        width = 1 << (self.keys.size - 1).bit_length()
        for name, old in self.values.items():
            grid = old
            if n_systems > len(old) or width > old.shape[1]:
                least = _ROWS if width == PART else 0
                rows = len(old) if n_systems <= len(old) else max(n_systems, 2 * len(old), least)
                grid = self.values[name] = np.empty((rows, width), old.dtype)
                grid[: self._filled, : old.shape[1]] = old[: self._filled]
                grid[: self._filled, old.shape[1] :] = _nothing(grid)
            grid[self._filled : n_systems] = _nothing(grid)
        self._filled = max(self._filled, n_systems)


class _Codes:
    """Numbers integers that may be far from each other, batch by batch."""

    def __init__(self) -> None:
        self.known = self._codes = np.empty(0, dtype=np.int64)

    def code(self, values: Ints) -> Ints:
        """Return the number of each value."""
        distinct = np.unique(values, return_index=True)[0]  # by sorting; by hashing, as without the index, it is slow
        fresh = np.setdiff1d(distinct, self.known, assume_unique=True)
        if fresh.size:
            merged = np.concatenate((self.known, fresh))
            order = np.argsort(merged, kind="stable")
            self._codes = np.concatenate((self._codes, np.arange(self.known.size, merged.size)))[order]
            self.known = merged[order]
        codes: Ints = self._codes[np.searchsorted(self.known, values)]
        return codes


def by_number(numbers: NDArray[Any]) -> Iterator[tuple[int, Any]]:
    """Yield numbers, such as those of tasks, with their rows; if they change often, all rows of each together.

    >>> list(by_number(np.array([2, 2, 7])))
    [(2, slice(0, 2, None)), (7, slice(2, 3, None))]
    """
    changes = np.flatnonzero(numbers[1:] != numbers[:-1]) + 1
    if changes.size <= 64 or changes.size * 16 <= numbers.size:
        for start, stop in pairwise([0, *changes.tolist(), numbers.size]):
            yield int(numbers[start]), slice(start, stop)
        return
    order = np.argsort(numbers.astype(np.min_scalar_type(numbers.max())), kind="stable")  # small ones by their digits
    ordered = numbers[order]
    for some in np.split(order, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1):
        yield int(numbers[some[0]]), some


def _rearrange(grids: Sequence[NDArray[Any]], sizes: Sequence[int], order: Ints) -> None:
    """Put columns into another order, system by system."""
    starts = [0, *np.cumsum(sizes).tolist()]
    for system in range(len(grids[0])):
        row = np.concatenate([grid[system, :size] for grid, size in zip(grids, sizes, strict=True)])[order]
        for grid, size, start in zip(grids, sizes, starts[:-1], strict=True):
            grid[system, :size] = row[start : start + size]


def _part(grid: NDArray[Any], width: int, dtype: Any) -> Any:
    """Return so many columns of a grid as a part of a task; packed if that saves much."""
    part = grid if grid.shape[1] == width else grid[:, :width].copy("C")
    return PackedArray.of(part, dtype) if part.dtype == np.int8 else part


def _nothing(grid: NDArray[Any]) -> Any:
    return UNSCORED if grid.dtype == np.int8 else np.nan


def _unscored(values: NDArray[Any]) -> Bools:
    missing: Bools = values == UNSCORED if values.dtype == np.int8 else np.isnan(values)
    return missing


def _no_rows(task: str) -> InputError:
    return InputError(f"task {task!r} has no rows")
