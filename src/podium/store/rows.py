"""Rows of a table: Parquet files, sorted by task and system, which Delta Lake and Arrow read by their columns."""

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from podium.base.arrays import from_numpy, texts, to_numpy
from podium.base.errors import BoardError, OutputError
from podium.store.log import COLUMNS, WORDS, DataFile, Snapshot
from podium.store.place import Place, shortened

#: Columns of instances, and those that say which cell a row is of.
LABELS = ("instance", "instance_label")
KEYS = ("task", "system", *LABELS, "repeat")

#: Rows that are read at once, bytes of a column, and rows of a group of a file.
_BATCH, _BUFFER, GROUP = 2**18, 2**20, 2**17

#: How podium names files of rows.
_ROWS = re.compile(r"scores-[0-9a-f]{32}\.parquet")

#: Arrow types of columns.
_TYPES = {"string": pa.string(), "long": pa.int64(), "double": pa.float64()}


def scan(
    snapshot: Snapshot, columns: Sequence[str], *, words: Sequence[str] = WORDS, **among: Sequence[str]
) -> Iterator[Any]:
    """Yield the rows as record batches with some columns, null where a file has none.

    Parameters
    ----------
    snapshot
        The version, whose files are read in their order.
    columns
        Their names.
    words
        Columns that are read as dictionaries.
    among
        By column of words, sorted labels: only rows with one of these are wanted. Those that are taken out of a list
        meanwhile are no longer looked for.

    Raises
    ------
    BoardError
        A file is missing or damaged.
    """
    for file in snapshot.files:
        batches = _batches(snapshot.place, file, list(dict.fromkeys(columns)), words, among)
        while True:
            with snapshot.place.reading():
                batch = next(batches, None)
            if batch is None:
                break
            if len(batch):
                yield batch


def _batches(
    place: Place, file: DataFile, columns: list[str], words: Sequence[str], among: Mapping[str, Sequence[str]]
) -> Iterator[Any]:
    far = place.folder is None  # where a request takes long, whatever its size
    source = place.files().open_input_file(file.name)
    metadata = pq.read_metadata(source)
    there, coded = ([name for name in names if name in metadata.schema.names] for names in (columns, words))
    parquet = pq.ParquetFile(
        source,
        metadata=metadata,
        read_dictionary=coded,
        pre_buffer=far,
        buffer_size=0 if far else _BUFFER,
        page_checksum_verification=True,
    )
    schema = arrow_schema(columns, words)
    if not among:
        for batch in parquet.iter_batches(_BATCH, columns=there, use_threads=False):
            yield padded(batch, schema)
        return
    for number in range(parquet.num_row_groups):
        group = parquet.metadata.row_group(number)
        if not all(_may_hold(group, name, labels) for name, labels in among.items()):
            continue
        keys = parquet.read_row_group(number, list(among), use_threads=False)
        chosen = np.all([codes_of(keys[name], labels) >= 0 for name, labels in among.items()], axis=0)
        if chosen.any():
            rows = parquet.read_row_group(number, there, use_threads=False).filter(from_numpy(chosen))
            for batch in rows.combine_chunks().to_batches():
                yield padded(batch, schema)


def _may_hold(group: Any, name: str, labels: Sequence[str]) -> bool:
    """Return whether a group of rows may hold one of some sorted labels, by its least and its greatest."""
    place = next(number for number in range(group.num_columns) if group.column(number).path_in_schema == name)
    statistics = group.column(place).statistics
    if statistics is None or not statistics.has_min_max:
        return True
    at = bisect_left(labels, statistics.min)
    return at < len(labels) and labels[at] <= statistics.max


def padded(rows: Any, schema: Any) -> Any:
    """Return rows, as a table or a record batch, with the columns of a schema; null where they have none."""
    there = rows.schema.names
    arrays = [
        rows.column(one.name).cast(one.type) if one.name in there else pa.nulls(len(rows), one.type) for one in schema
    ]
    return type(rows).from_arrays(arrays, schema=schema)


def arrow_schema(names: Sequence[str], words: Sequence[str] = ()) -> Any:
    """Return the Arrow schema of some columns of a board, in their order; some as dictionaries of words."""
    kinds = {name: _TYPES[COLUMNS.get(name, "double")] for name in names}
    coded = pa.dictionary(pa.int32(), pa.string())
    return pa.schema([(name, coded if name in words else kind) for name, kind in kinds.items()])


def rows_of(snapshot: Snapshot, tasks: Sequence[str], systems: Sequence[str], columns: Sequence[str]) -> Any:
    """Return the rows of some tasks and systems as a table."""
    found = list(scan(snapshot, columns, task=tasks, system=systems))
    return pa.Table.from_batches(found, schema=arrow_schema(columns, WORDS)).unify_dictionaries().combine_chunks()


def codes_of(column: Any, labels: Sequence[str]) -> NDArray[np.int64]:
    """Return the places of words among sorted labels; -1 for those that are not there."""
    known = texts(labels)
    pieces = [
        pc.index_in(chunk.dictionary, value_set=known).take(chunk.indices)
        if pa.types.is_dictionary(chunk.type)
        else pc.index_in(chunk, value_set=known)
        for chunk in (column.chunks if isinstance(column, pa.ChunkedArray) else [column])
    ]
    return np.concatenate([np.empty(0, np.int64), *(to_numpy(piece, -1) for piece in pieces)])


@dataclass(slots=True)
class Facts:
    """Properties of the rows of a board.

    Attributes
    ----------
    systems
        Their labels.
    tasks
        By label: whether higher is better, and whether it has means alone, without instances; all that rows say.
    statistics
        Of repeats.
    repeats
        The largest number of a repeat; 0 if there are none.
    """

    systems: set[str] = field(default_factory=set)
    tasks: dict[str, set[tuple[bool, bool]]] = field(default_factory=dict)
    statistics: set[str] = field(default_factory=set)
    repeats: int = 0

    @classmethod
    def of(cls, snapshot: Snapshot) -> "Facts":
        """Read what is true of all rows."""
        found = cls()
        for batch in scan(snapshot, fact_columns(snapshot), words=(*WORDS, LABELS[1])):
            found.take(batch, snapshot.place)
        return found

    @classmethod
    def of_tasks(cls, snapshot: Snapshot, tasks: Sequence[str]) -> "Facts":
        """Read what the first rows of some tasks say of them; nothing about systems and repeats."""
        found, waiting = cls(), sorted(tasks)
        for batch in scan(snapshot, fact_columns(snapshot), words=(*WORDS, LABELS[1]), task=waiting):
            found.take(batch, snapshot.place)
            waiting[:] = [task for task in waiting if task not in found.tasks]
        return found

    @property
    def statistic(self) -> str | None:
        """Return the statistic over repeats of an instance; None if there are none."""
        return min(self.statistics, default="mean" if self.repeats else None)

    def take(self, batch: Any, place: Place) -> None:
        """Take further rows.

        Raises
        ------
        BoardError
            A row has no task, system or direction.
        """
        if any(batch.column(name).null_count for name in ("task", "system", "direction")):
            raise BoardError(f"{place.name} has a row without a task, a system or a direction: another tool changed it")
        (tasks, task), (ways, way), (systems, system) = (
            words_of(batch.column(name)) for name in ("task", "direction", "system")
        )
        empty = np.ones(len(batch), dtype=np.bool_)
        for name in set(LABELS) & set(batch.schema.names):
            column = batch.column(name)
            empty &= to_numpy(column.is_null()) if column.null_count else np.False_
        starts = starts_of(task, system, way, empty)
        self.systems.update(systems[code] for code in np.unique(system[starts]).tolist())
        for code, of, means in {*zip(*(some[starts].tolist() for some in (task, way, empty)), strict=True)}:
            self.tasks.setdefault(tasks[code], set()).add((ways[of] != "lower", means))
        if "repeat" in batch.schema.names:
            self.repeats = max(self.repeats, int(to_numpy(batch.column("repeat"), 0).max(initial=0)))
        if "statistic" in batch.schema.names:
            self.statistics.update(filter(None, batch.column("statistic").unique().to_pylist()))


def fact_columns(snapshot: Snapshot) -> list[str]:
    """Return the columns that facts are read from."""
    return ["task", "system", "direction", *(name for name in (*LABELS, "repeat", "statistic") if snapshot.has(name))]


def words_of(column: Any) -> tuple[list[str], NDArray[np.int32]]:
    """Return the words of a dictionary column without gaps, and the number of the word of each row."""
    return column.dictionary.to_pylist(), to_numpy(column.indices)


def starts_of(*columns: NDArray[Any]) -> NDArray[np.int64]:
    """Return the rows at which some column has another value than in the row before, and the first."""
    changed = np.ones(columns[0].size, dtype=np.bool_)
    changed[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(changed)


def is_rows(name: str) -> bool:
    """Return whether podium wrote a file of rows, by its name.

    >>> is_rows("scores-mine.parquet"), is_rows(f"scores-{'0f' * 16}.parquet")
    (False, True)
    """
    return _ROWS.fullmatch(name) is not None


@contextmanager
def writing_rows(place: Place, columns: Sequence[str], written: list[DataFile]) -> Iterator[Callable[[Any], None]]:
    """Yield a function that writes rows into a new file, which is appended when all is written; without rows, none is.

    Raises
    ------
    OutputError
        There is no room, or it may not be written.
    """
    schema, name, files = arrow_schema(columns), f"scores-{uuid4().hex}.parquet", place.files()
    try:
        if place.folder is not None:
            place.folder.mkdir(parents=True, exist_ok=True)
        how = {"filesystem": files, "compression": "zstd", "write_page_checksum": True}
        with pq.ParquetWriter(name, schema, **how) as parquet:
            yield lambda rows: parquet.write_table(padded(rows, schema), row_group_size=GROUP)
        with files.open_input_file(name) as stream:
            size, metadata = stream.size(), pq.read_metadata(stream)
    except OSError as error:
        place.remove(name)
        advice = "nothing was added; make room, or choose another place"
        raise OutputError(f"{place.name} cannot be written: {error.strerror or shortened(error)}; {advice}") from error
    except BaseException:
        place.remove(name)
        raise
    if metadata.num_rows:
        written.append(_described(name, size, metadata))
    else:
        place.remove(name)


def _described(name: str, size: int, metadata: Any) -> DataFile:
    """Describe a file that was written, by the statistics of its groups of rows."""
    stats: dict[str, Any] = {"numRecords": metadata.num_rows, "minValues": {}, "maxValues": {}, "nullCount": {}}
    for place, column in enumerate(metadata.schema.names):
        several = [metadata.row_group(group).column(place).statistics for group in range(metadata.num_row_groups)]
        stats["nullCount"][column] = sum(one.null_count for one in several)
        if column in {"task", "system", "source"} and all(one.has_min_max for one in several):
            stats["minValues"][column] = min(one.min for one in several)
            stats["maxValues"][column] = max(one.max for one in several)
    empty = frozenset(column for column, count in stats["nullCount"].items() if count == metadata.num_rows)
    return DataFile(name, size, metadata.num_rows, empty, json.dumps(stats))
