"""Rows that jump about a table larger than memory are brought together by where their cells are, on disk."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, BinaryIO, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.base.spill import no_room
from podium.score.table import PART
from podium.source.assemble.label import Coded
from podium.source.assemble.row import CodedRows

#: Keys of a task that stay together: a few parts, which they seldom share with others.
_TOGETHER = 4 * PART

#: Share of the memory that the cells of a partition take.
SHARE = 8

#: Partitions, each with an open file.
_MOST = 200

#: Rows that are handed on together.
_AT_ONCE = 2**18

#: Columns that not all rows have.
_OPTIONAL = ("weights", "clusters")

#: What the name of a column with a covariate begins with.
_BESIDE = "beside "

#: Scores in a page, which is what a system gives and takes of memory; rows that show whether a batch jumps.
_PAGE, _SHOWN = 512, 2**12

#: A batch of rows, with the number of its table and that of its first row in it.
Numbered = tuple[int, int, CodedRows]


def brought_together(batches: Iterator[Numbered], n_rows: int, memory: int) -> Iterator[Numbered]:
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
    """
    with ExitStack() as closing:
        partitions = None
        for number, first, rows in batches:
            if partitions is None and _jumps(rows, memory // SHARE):
                partitions = closing.enter_context(Partitions(n_rows * (rows.scores.dtype.itemsize + 1), memory))
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


class Partitions:
    """Coded rows in temporary files, by task and run of keys; those of a file keep their order.

    Parameters
    ----------
    n_bytes
        What all cells take, about.
    memory
        What the process may hold.

    Examples
    --------
    >>> one = Coded(np.zeros(3, dtype=np.int32), np.zeros(1, dtype=np.int32))
    >>> with Partitions(2**20, 2**20) as waiting:
    ...     waiting.add(CodedRows(one, one, np.array([5, 99_999, 4]), np.array([0.1, 0.2, 0.3])), table=0)
    ...     [rows.keys.tolist() for _, rows in waiting.drain()]
    [[5, 4], [99999]]
    """

    def __init__(self, n_bytes: int, memory: int) -> None:
        self._number = int(np.clip(-(-n_bytes * SHARE // memory), 2, _MOST))
        self._files: list[BinaryIO] = []
        self._writers: list[Any] = []

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
        codes = rows.tasks.codes
        columns: dict[str, NDArray[Any]] = {"tasks": codes, "systems": rows.systems.codes}
        columns |= {"keys": rows.keys, "scores": rows.scores}
        if beside := {name: values for name in _OPTIONAL if (values := getattr(rows, name)) is not None}:
            # An instance may have two weights, or clusters; the error names its row.
            numbers = first + rows.place(np.arange(rows.keys.size))
            columns |= beside | {"numbers": numbers, "origins": np.full(numbers.size, table, dtype=np.int32)}
        columns |= {_BESIDE + name: values for name, values in rows.covariates.items()}
        place = ((codes * 7919 + rows.keys // _TOGETHER) % self._number).astype(np.uint8)
        order = np.argsort(place, kind="stable")
        ends = np.cumsum(np.bincount(place, minlength=self._number)).tolist()
        batch = pa.record_batch({name: values[order] for name, values in columns.items()})
        try:
            self._open(batch.schema)
            for writer, start, stop in zip(self._writers, [0, *ends], ends, strict=False):
                if start < stop:
                    writer.write_batch(batch.slice(start, stop - start))
        except OSError as error:
            raise no_room(error) from error

    def _open(self, schema: Any) -> None:
        """Open the files, without a name, so that nothing is left behind."""
        while len(self._writers) < self._number:
            file: Any = tempfile.TemporaryFile(prefix="podium-")  # noqa: SIM115  # closed when it is read
            self._files.append(file)
            self._writers.append(pa.ipc.new_stream(pa.PythonFile(file, "w"), schema))

    def drain(self) -> Iterator[tuple[int, CodedRows]]:
        """Yield all rows, with the number of their table, one partition after the other; files are removed."""
        for writer, file in zip(self._writers, self._files, strict=True):
            writer.close()
            file.seek(0)
            with pa.ipc.open_stream(pa.PythonFile(file, "r")) as stream:
                for table in _together(stream):
                    yield from _by_origin(table)
            file.close()


def _together(stream: Any) -> Iterator[Any]:
    """Yield the rows of small batches together."""
    batches: list[Any] = []
    size = 0
    for batch in stream:
        batches.append(batch)
        size += batch.num_rows
        if size >= _AT_ONCE:
            yield pa.Table.from_batches(batches)
            batches, size = [], 0
    if batches:
        yield pa.Table.from_batches(batches)


def _by_origin(table: Any) -> Iterator[tuple[int, CodedRows]]:
    """Divide rows by the table that they are of."""
    columns = {name: table[name].to_numpy() for name in table.column_names}
    origins = columns.pop("origins", np.zeros(1, dtype=np.int32))
    edges = np.flatnonzero(np.diff(origins)) + 1
    for start, stop in zip([0, *edges.tolist()], [*edges.tolist(), table.num_rows], strict=True):
        some = {name: values[start:stop] for name, values in columns.items()}
        tasks, systems = (_coded(some.pop(name)) for name in ("tasks", "systems"))
        beside = {name.removeprefix(_BESIDE): some.pop(name) for name in list(some) if name.startswith(_BESIDE)}
        yield int(origins[start]), CodedRows(tasks, systems, **some, covariates=beside)


def _coded(codes: NDArray[np.int32]) -> Coded:
    """Numbers that stand for themselves."""
    return Coded(codes, np.arange(int(codes.max()) + 1, dtype=np.int32))
