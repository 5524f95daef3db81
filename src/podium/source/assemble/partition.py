"""Rows that jump about a table larger than memory are brought together by where their cells are, on disk."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import ModuleType
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.spill import no_room
from podium.score.task import PART
from podium.source.assemble.label import Coded
from podium.source.assemble.row import CodedRows

#: Share of the memory that the cells of a partition take, at most.
SHARE = 8

#: Partitions, each with an open file.
_MOST = 200

#: Runs of instances of all tasks that partitions are chosen for; more share these.
_RUNS = 2**20

#: Bytes of rows that wait in memory until those of a partition are written together.
_POOL = 3 * 2**23

#: Rows that are handed on together, about.
_AT_ONCE = 2**18

#: Columns that not all rows have.
_OPTIONAL = ("weights", "clusters")

#: What the name of a column with a covariate begins with.
_BESIDE = "beside "

#: Scores in a page, which is what a system gives and takes of memory; rows that show whether a batch jumps.
_PAGE, _SHOWN = 512, 2**12

#: A batch of rows, with the number of its table and that of its first row in it.
Numbered = tuple[int, int, CodedRows]


def brought_together(
    batches: Iterator[Numbered],
    n_rows: int,
    memory: int,
    kernels: Callable[[], ModuleType],
    covariates: Sequence[str] = (),
) -> Iterator[Numbered]:
    """Yield rows in their order as long as each batch keeps to few pages; later ones by where their cells are.

    Rows of one cell keep their order. So the table that is made of the rows is the same.

    Parameters
    ----------
    batches
        Rows, with the number of their table, and of the first row in it.
    n_rows
        How many there are, about.
    memory
        Bytes that the process may hold.
    kernels
        Returns `scatter`, or for large tables `kernel`.
    covariates
        Those that some rows have.
    """
    with ExitStack() as closing:
        partitions = None
        for number, first, rows in batches:
            if partitions is None and _jumps(rows, memory // SHARE):
                n_bytes = n_rows * (rows.scores.dtype.itemsize + 1) * (1 + len(covariates))
                cut = Cut.of(rows, n_bytes, memory // SHARE)
                partitions = closing.enter_context(Partitions(cut, kernels(), covariates))
            if partitions is None:
                yield number, first, rows
            else:
                partitions.add(rows, number, first)
        if partitions is not None:
            yield from ((number, 0, rows) for number, rows in partitions.drain())


def _jumps(rows: CodedRows, most: int) -> bool:
    """Whether the pages with the cells of these rows take more bytes; looks at all rows only if the first jump."""
    head = _pages(rows, _SHOWN)
    if 2 * head < min(_SHOWN, rows.keys.size):
        return False
    return _pages(rows, rows.keys.size) * _PAGE * rows.scores.dtype.itemsize > most


def _pages(rows: CodedRows, count: int) -> int:
    """How many pages the cells of the first rows are on."""
    some = slice(0, count)
    tasks, systems = (coded.lookup[coded.indices[some]].astype(np.int64) for coded in (rows.tasks, rows.systems))
    return int(np.unique((tasks << 48) + (systems << 32) + rows.keys[some] // _PAGE).size)


@dataclass(frozen=True, slots=True)
class Cut:
    """Which partition a cell is in: `table[runs * task + (key - low >> shift)]`.

    Attributes
    ----------
    low
        The lowest key of the first rows.
    shift
        Binary logarithm of the keys of a run.
    runs
        Runs of a task.
    table
        Partition of each run of each task; runs beyond the last begin anew.
    """

    low: int
    shift: int
    runs: int
    table: NDArray[np.uint8]

    @classmethod
    def of(cls, rows: CodedRows, n_bytes: int, at_once: int) -> Self:
        """Cut a table by its first rows, so that cells of a run are in one part or two, and take so few bytes at once.

        Parameters
        ----------
        rows
            Some rows.
        n_bytes
            What the cells of all rows take, about.
        at_once
            What those of a partition may take.

        Examples
        --------
        >>> one = Coded(np.zeros(2, dtype=np.int32), np.zeros(1, dtype=np.int32))
        >>> Cut.of(CodedRows(one, one, np.array([5, 99_999]), np.zeros(2)), 2**20, 2**20).table
        array([0, 1, 2, 3, 4, 5, 6], dtype=uint8)
        """
        n_tasks = int(rows.tasks.lookup.max()) + 1
        low, high = int(rows.keys.min()), int(rows.keys.max())
        shift = PART.bit_length() - 1
        most = max(_RUNS // n_tasks, 1)
        while shift > 0 and n_bytes > at_once * n_tasks * min(((high - low) >> shift) + 1, most):
            shift -= 1
        runs = min(((high - low) >> shift) + 1, most)
        total = n_tasks * runs
        table = np.arange(total) * min(total, _MOST) // total
        return cls(low, shift, runs, table.astype(np.uint8))


class Partitions:
    """Coded rows in temporary files, by task and run of keys; those of a file keep their order.

    Parameters
    ----------
    cut
        Which rows are in which file.
    kernels
        `scatter`, or for large tables `kernel`.
    covariates
        Those that some rows have.

    Examples
    --------
    >>> from podium.source.assemble import scatter
    >>> one = Coded(np.zeros(3, dtype=np.int32), np.zeros(1, dtype=np.int32))
    >>> rows = CodedRows(one, one, np.array([5, 99_999, 4]), np.array([0.1, 0.2, 0.3]))
    >>> with Partitions(Cut.of(rows, 2**20, 2**20), scatter) as waiting:
    ...     waiting.add(rows, table=0)
    ...     [rows.keys.tolist() for _, rows in waiting.drain()]
    [[5, 4], [99999]]
    """

    def __init__(self, cut: Cut, kernels: ModuleType, covariates: Sequence[str] = ()) -> None:
        self._cut, self._kernels, self._covariates = cut, kernels, covariates
        number = int(cut.table.max()) + 1
        self._files: list[BinaryIO] = []
        #: Rows of each stretch that was written to a file, and rows of each partition that wait.
        self._written: list[list[int]] = [[] for _ in range(number)]
        self._waiting = np.zeros(number, dtype=np.int64)
        #: Columns of the rows that wait, shape `(partitions, rows)`.
        self._pool: dict[str, NDArray[Any]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the files."""
        for file in self._files:
            file.close()

    def add(self, rows: CodedRows, table: int, first: int = 0) -> None:
        """Write rows of a batch of a table, given its number and that of the first row of the batch.

        Raises
        ------
        InputError
            The disk is full.
        """
        columns = self._columns(rows, table, first)
        if not self._pool:
            self._make_room(columns)
        size = next(iter(self._pool.values())).shape[1]
        places = np.empty(rows.keys.size, dtype=np.int64)
        start = 0
        while start < places.size:
            stop = self._kernels.hand_out(
                tasks=columns["tasks"],
                keys=rows.keys,
                low=self._cut.low,
                shift=self._cut.shift,
                runs=self._cut.runs,
                table=self._cut.table,
                waiting=self._waiting,
                size=size,
                places=places,
                start=start,
            )
            for name, pool in self._pool.items():
                self._kernels.put(pool.reshape(-1), places[start:stop], columns[name][start:stop])
            start = stop
            if start < places.size:  # one is full; all that are nearly so are written with it
                self._write(np.flatnonzero(2 * self._waiting >= size))

    def _columns(self, rows: CodedRows, table: int, first: int) -> dict[str, NDArray[Any]]:
        columns: dict[str, NDArray[Any]] = {"tasks": rows.tasks.codes, "systems": rows.systems.codes}
        columns |= {"keys": rows.keys, "scores": rows.scores}
        if beside := {name: values for name in _OPTIONAL if (values := getattr(rows, name)) is not None}:
            # An instance may have two weights, or clusters; the error names its row.
            numbers = first + rows.place(np.arange(rows.keys.size))
            columns |= beside | {"numbers": numbers, "origins": np.full(numbers.size, table, dtype=np.int32)}
        return columns | {_BESIDE + name: rows.with_covariate(name).scores for name in self._covariates}

    def _make_room(self, columns: dict[str, NDArray[Any]]) -> None:
        """Open the files, without names, so that nothing is left behind, and make room for rows that wait."""
        number = self._waiting.size
        size = max(_POOL // sum(values.itemsize for values in columns.values()) // number, 1)
        self._pool = {name: np.empty((number, size), values.dtype) for name, values in columns.items()}
        try:
            while len(self._files) < number:
                self._files.append(tempfile.TemporaryFile(prefix="podium-"))  # noqa: SIM115  # closed when it is read
        except OSError as error:
            raise no_room(error) from error

    def _write(self, numbers: NDArray[np.int64]) -> None:
        """Write the rows of some partitions that wait."""
        try:
            for number in numbers.tolist():
                count = int(self._waiting[number])
                for pool in self._pool.values():
                    self._files[number].write(pool[number, :count].data.cast("B"))
                self._written[number].append(count)
        except OSError as error:
            raise no_room(error) from error
        self._waiting[numbers] = 0

    def drain(self) -> Iterator[tuple[int, CodedRows]]:
        """Yield all rows, with the number of their table, one partition after the other; files are removed.

        Raises
        ------
        InputError
            The disk is full.
        """
        self._write(np.flatnonzero(self._waiting))
        kinds = {name: pool.dtype for name, pool in self._pool.items()}
        self._pool = {}
        for file, counts in zip(self._files, self._written, strict=True):
            try:
                file.seek(0)  # writes what is left in the buffer
            except OSError as error:
                raise no_room(error) from error
            for some in _together(counts):
                yield from _by_origin(_loaded(file, kinds, some))
            file.close()


def _together(counts: Sequence[int]) -> Iterator[list[int]]:
    """Put stretches of rows together that are handed on at once."""
    some: list[int] = []
    for count in counts:
        some.append(count)
        if sum(some) >= _AT_ONCE:
            yield some
            some = []
    if some:
        yield some


def _loaded(file: BinaryIO, kinds: dict[str, Any], counts: Sequence[int]) -> dict[str, NDArray[Any]]:
    """Read some stretches of rows, each of which has its columns one after the other."""
    columns = {name: np.empty(sum(counts), kind) for name, kind in kinds.items()}
    start = 0
    for count in counts:
        for values in columns.values():
            file.readinto(values[start : start + count].data.cast("B"))  # type: ignore[attr-defined]
        start += count
    return columns


def _by_origin(columns: dict[str, NDArray[Any]]) -> Iterator[tuple[int, CodedRows]]:
    """Divide rows by the table that they are of."""
    size = columns["keys"].size
    origins = columns.pop("origins", np.zeros(1, dtype=np.int32))
    edges = np.flatnonzero(np.diff(origins)) + 1
    for start, stop in zip([0, *edges.tolist()], [*edges.tolist(), size], strict=True):
        some = {name: values[start:stop] for name, values in columns.items()}
        tasks, systems = (_coded(some.pop(name)) for name in ("tasks", "systems"))
        beside = {name.removeprefix(_BESIDE): some.pop(name) for name in list(some) if name.startswith(_BESIDE)}
        yield int(origins[start]), CodedRows(tasks, systems, **some, covariates=beside)


def _coded(codes: NDArray[np.int32]) -> Coded:
    """Numbers that stand for themselves."""
    return Coded(codes, np.arange(int(codes.max()) + 1, dtype=np.int32))
