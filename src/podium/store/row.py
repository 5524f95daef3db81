"""Files of rows: Parquet, sorted by task and system, with what is true of all rows at the end of the file."""

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, Self
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from podium.base.arrow import from_numpy, texts, to_numpy
from podium.base.errors import BoardError
from podium.store.end import digest_of_end, end_of
from podium.store.log import COLUMNS, DataFile, Snapshot
from podium.store.place import Place, said
from podium.store.rectangle import Rectangle, Rectangles, by_word, rectangles_in

#: How the names of files of rows begin and end; between are the SHA-256 of the file, and digits of that of its end.
BEGINNING, ENDING = "scores-", ".parquet"

#: Rows of a group; a group ends with its task if it has a number of rows.
_GROUP, _LEAST = 2**17, 2**14

#: Columns whose few words are held as numbers.
_WORDS = ("task", "system", "source", "tool", "run", "time", "addition")

#: Arrow types of columns.
_TYPES = {"string": pa.string(), "long": pa.int64(), "double": pa.float64()}

#: Files opened at once, where they are far away.
_AT_ONCE = 16

_KEY = b"podium"


@dataclass(frozen=True, slots=True)
class Facts:
    """What is true of all rows of a file.

    Attributes
    ----------
    systems
        Labels, sorted.
    tasks
        By label: whether higher is better, and whether it has means alone, without instances.
    statistic
        Of repeats; None where there are none.
    single
        Whether all scores were in single precision.
    repeats
        The largest number of a repeat; 0 where there are none.
    sources
        Where they come from.
    replaces
        Names of the files that this one stands in place of.
    """

    systems: tuple[str, ...]
    tasks: Mapping[str, tuple[bool, bool]]
    statistic: str | None
    single: bool
    repeats: int = 0
    sources: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()

    @property
    def holds(self) -> dict[str, tuple[str, ...]]:
        """Systems, tasks and sources, as a version says them of its files."""
        return {"systems": self.systems, "tasks": tuple(self.tasks), "sources": self.sources}

    @classmethod
    def of(cls, told: bytes) -> Self:
        """Take what stands at the end of a file."""
        facts = json.loads(told)
        tasks = {name: (bool(higher), bool(means)) for name, (higher, means) in facts["tasks"].items()}
        facts.pop("nonce")
        kept = {"tasks": tasks} | {name: tuple(facts[name]) for name in ("systems", "sources", "replaces")}
        return cls(**{**facts, **kept})

    @classmethod
    def joined(cls, several: Sequence["Facts"], replaces: Sequence[str] = ()) -> "Facts":
        """Facts of several files together."""
        tasks = {name: facts for one in several for name, facts in one.tasks.items()}
        return cls(
            tuple(sorted({name for one in several for name in one.systems})),
            dict(sorted(tasks.items())),
            next((one.statistic for one in several if one.statistic is not None), None),
            all(one.single for one in several),
            max((one.repeats for one in several), default=0),
            tuple(sorted({name for one in several for name in one.sources})),
            tuple(replaces),
        )


def arrow_schema(names: Sequence[str]) -> Any:
    """Arrow schema of some columns of a board, in their order."""
    return pa.schema([(name, _TYPES[COLUMNS.get(name, "double")]) for name in names])


@contextmanager
def damaged(place: Place, file: DataFile) -> Iterator[None]:
    """Turn what damaged bytes of a file raise into an error that says what to do.

    Raises
    ------
    BoardError
        Bytes are damaged.
    """
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, IndexError, pa.ArrowException) as error:
        advice = f"podium board repair {place.name} keeps what is whole, and says what to add again"
        raise BoardError(f"{place.name}: {file.name} is damaged: {said(error)}; {advice}") from error


class RowFile:
    """A file of rows, opened.

    Parameters
    ----------
    place, file
        Where it is, and which.

    Attributes
    ----------
    facts
        What is true of all its rows.
    columns
        Names of its columns.
    rectangles
        What makes up the file; None where it does not say so.

    Raises
    ------
    BoardError
        It is missing or damaged.
    """

    def __init__(self, place: Place, file: DataFile) -> None:
        self.place, self.file = place, file
        with self.intact():
            parquet = pq.ParquetFile(end_of(place, file.name))
            self._metadata = parquet.metadata
            self.facts = Facts.of(self._metadata.metadata[_KEY])
            self.columns: list[str] = parquet.schema_arrow.names
            told = self._metadata.metadata
            self.rectangles: list[Rectangle] | None = rectangles_in(told, told[_KEY], self.facts.systems)
            if self._metadata.num_rows != file.rows:
                raise ValueError("it has another number of rows than its version says")
        self._reader: Any = None

    @classmethod
    def described(cls, place: Place, name: str, size: int) -> DataFile:
        """Describe a file of rows by what it says of itself.

        Raises
        ------
        BoardError
            It is damaged.
        """
        file = DataFile(name, size, 0, ("", ""), ("", ""))
        with damaged(place, file):
            metadata = pq.read_metadata(end_of(place, name))
            facts = Facts.of(metadata.metadata[_KEY])
            tasks = list(facts.tasks)
            ends = ((tasks[0], tasks[-1]), (facts.systems[0], facts.systems[-1]))
            return DataFile(name, size, metadata.num_rows, *ends, facts.holds)

    def open(self, words: Sequence[str], **how: Any) -> Any:
        """Open it as Parquet; its pages are compared with their checksums."""
        kept = {"read_dictionary": [name for name in words if name in self.columns], "metadata": self._metadata}
        kept |= {"page_checksum_verification": True}
        return pq.ParquetFile(self.place.open(self.file.name), **kept, **how)

    def intact(self) -> AbstractContextManager[None]:
        """Turn what damaged bytes raise into an error that says what to do."""
        return damaged(self.place, self.file)

    @property
    def n_groups(self) -> int:
        """Number of groups of rows."""
        return int(self._metadata.num_row_groups)

    def group(self, number: int, columns: Sequence[str]) -> Any:
        """Return the rows of a group, with columns of the board; what the file has not is null."""
        there = [name for name in columns if name in self.columns]
        with self.intact():
            self._reader = self._reader or self.open(_WORDS)
            rows = self._reader.read_row_group(number, there, use_threads=False)
            rows.validate(full=True)  # heads of pages have no checksum: words may be numbers of none
            return padded(rows, columns)

    def labels(self, number: int) -> tuple[list[str], list[str], int]:
        """Return the tasks and the systems that a group of rows may have, and its number of rows."""
        group = self._metadata.row_group(number)
        tasks = [name for name in self.facts.tasks if _may_hold(group, "task", [name])]
        return tasks, [name for name in self.facts.systems if _may_hold(group, "system", [name])], group.num_rows

    def candidates(self, tasks: Sequence[str], systems: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Yield the groups that may have rows of these (sorted), and the number of the first row of each."""
        first = 0
        for number in range(self.n_groups):
            group = self._metadata.row_group(number)
            if all(_may_hold(group, name, labels) for name, labels in (("task", tasks), ("system", systems))):
                yield number, first
            first += group.num_rows

    def rows(self, tasks: Sequence[str], systems: Sequence[str], columns: Sequence[str]) -> tuple[Any, NDArray[Any]]:
        """Return the rows of some tasks and systems (sorted), with these columns, and their numbers in the file."""
        found, places = [], [np.empty(0, dtype=np.int64)]
        for number, first in self.candidates(tasks, systems):
            chosen = to_numpy(_among(self.group(number, ("system",))["system"], systems))
            if not chosen.any():
                continue
            rows = np.flatnonzero(chosen & to_numpy(_among(self.group(number, ("task",))["task"], tasks)))
            if rows.size:
                group = self.group(number, columns)
                found.append(group if rows.size == len(group) else group.take(from_numpy(rows)))
                places.append(rows + first)
        table = pa.concat_tables(found) if found else padded(pa.table({}), columns)
        return table, np.concatenate(places)


def _may_hold(group: Any, name: str, labels: Sequence[str]) -> bool:
    """Whether a group of rows may hold one of some sorted labels, by its least and its greatest."""
    place = next(number for number in range(group.num_columns) if group.column(number).path_in_schema == name)
    statistics = group.column(place).statistics
    if statistics is None or not statistics.has_min_max:
        return True
    at = bisect_left(labels, statistics.min)
    return at < len(labels) and labels[at] <= statistics.max


def _among(column: Any, labels: Sequence[str]) -> Any:
    """Which rows of a column of words have one of some labels."""
    import pyarrow.compute as pc  # noqa: PLC0415  # takes longer to load than a small table to read

    pieces = []
    for chunk in column.chunks:
        known = pc.is_in(chunk.dictionary, value_set=texts(labels))
        pieces.append(known.take(chunk.indices))
    return pa.chunked_array(pieces, pa.bool_())


def padded(table: Any, columns: Sequence[str]) -> Any:
    """Return a table with these columns, null where it has none."""
    arrays = []
    for name in columns:
        kind = _TYPES[COLUMNS.get(name, "double")]
        if name in _WORDS:
            kind = pa.dictionary(pa.int32(), kind)
        arrays.append(table[name].cast(kind) if name in table.column_names else pa.nulls(len(table), kind))
    return pa.table(arrays, names=list(columns))


def row_files(place: Place, files: Sequence[DataFile]) -> list[RowFile]:
    """Open files of rows; several at once where they are far away."""
    if place.folder is not None or len(files) < 2:
        return [RowFile(place, file) for file in files]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(lambda file: RowFile(place, file), files))


def holding(snapshot: Snapshot, tasks: Sequence[str]) -> list[DataFile]:
    """Return the files of a version that may have rows of some sorted tasks."""
    found = []
    for file in snapshot.files:
        at = bisect_left(tasks, file.tasks[0])
        if at < len(tasks) and tasks[at] <= file.tasks[1]:
            found.append(file)
    return found


class RowWriter:
    """Writes sorted rows into a new file of a place, see `writing_rows`."""

    def __init__(self, writer: Any, schema: Any, facts: Facts) -> None:
        self._writer, self.schema, self.facts = writer, schema, facts
        self._waiting: list[Any] = []
        self.rows = 0
        self._ends: list[tuple[str, str]] = []
        self._systems: set[str] = set()
        self._rectangles = Rectangles(schema.names, score_alone=COLUMNS.keys() >= set(schema.names))

    @property
    def ends(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """The first and the last of the tasks, and of the systems."""
        tasks = [task for ends in self._ends for task in ends]
        return (min(tasks), max(tasks)), (min(self._systems), max(self._systems))

    @property
    def kept(self) -> Facts:
        """What is true of the rows, with the systems and tasks that have some."""
        there = {task for ends in self._ends for task in ends}
        tasks = {name: of_task for name, of_task in self.facts.tasks.items() if name in there}
        return replace(self.facts, systems=tuple(sorted(self._systems)), tasks=tasks)

    @property
    def told(self) -> dict[bytes, str]:
        """What the file says at its end."""
        # two writers may write the same rows; a name is of one file
        facts = json.dumps({**asdict(self.kept), "nonce": uuid4().hex})
        return {_KEY: facts, **self._rectangles.told(sorted(self._systems), facts)}

    def write(self, rows: Any) -> None:
        """Take rows, which follow all rows before them."""
        for task, start, stop in by_word(rows["task"]):
            piece = rows.slice(start, stop - start)
            self._rectangles.add(task, piece)
            waiting = sum(len(one) for one in self._waiting)
            if waiting >= _LEAST and self._ends and self._ends[-1][1] != task:
                self.flush()
            self._ends.append((task, task))
            self._systems.update(map(str, piece["system"].unique().to_pylist()))
            self._waiting.append(piece.cast(self.schema))
            self.rows += len(piece)
            if waiting + len(piece) >= _GROUP:
                self.flush()

    def flush(self) -> None:
        """Write the rows that wait, in groups."""
        if self._waiting:
            self._writer.write_table(pa.concat_tables(self._waiting), row_group_size=_GROUP)
            self._waiting = []


@contextmanager
def writing_rows(place: Place, columns: Sequence[str], facts: Facts, written: list[DataFile]) -> Iterator[RowWriter]:
    """Write sorted rows into a new file, and append it when all is written; there is none if there is no row.

    Parameters
    ----------
    facts
        What is true of the rows; of its systems and tasks those that have rows are kept.
    """
    schema = arrow_schema(columns)
    with place.writing() as path:
        how = {"compression": "zstd", "store_schema": False, "write_page_checksum": True}
        with pq.ParquetWriter(path, schema, **how) as parquet:
            writer = RowWriter(parquet, schema, facts)
            yield writer
            writer.flush()
            parquet.add_key_value_metadata(writer.told)
        if writer.rows:
            entry = place.keep(path, BEGINNING, f"-{digest_of_end(path)}{ENDING}")
            written.append(DataFile(entry.name, entry.size, writer.rows, *writer.ends, writer.kept.holds))
