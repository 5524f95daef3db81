"""The versions of a table: what each holds, and commits that fail where somebody else was faster.

Delta Lake keeps the log. podium's own words about a version (what was done, to how many scores) are JSON under "podium"
in what Delta Lake says of its commit.
"""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from numbers import Integral
from typing import Any

from podium.base.errors import BoardError, OutputError
from podium.store.place import LOG, Place, said, table_class

#: Name of a board among tables of Delta Lake, and the newest format that is understood.
NAME, FORMAT = "podium board", 2

#: Columns that every board has, and their types in Delta Lake; covariates, of type "double", come behind them.
COLUMNS = {
    "task": "string",
    "system": "string",
    "instance": "long",
    "instance_label": "string",
    "repeat": "long",
    "score": "double",
    "weight": "double",
    "cluster": "string",
    "direction": "string",
    "statistic": "string",
    "source": "string",
    "tool": "string",
    "run": "string",
    "time": "string",
    "addition": "string",
}

#: Columns of few words, one in every row; they are read as numbers of words.
WORDS = ("task", "system", "direction", "source", "addition")

#: Every version stays until it is forgotten.
_SETTINGS = {"delta.enableExpiredLogCleanup": "false"}

#: Digits of a date, and versions whose words are read at once.
_DIGITS, _AT_ONCE = 8, 16


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of rows, as a version names it.

    Attributes
    ----------
    name
        Its name in the place.
    size, rows
        Bytes and rows.
    stats
        What Delta Lake keeps of it, in JSON; known of a file that was just written.
    empty
        Columns without any value in it.
    """

    name: str
    size: int
    rows: int
    stats: str = field(default="", compare=False, repr=False)
    empty: frozenset[str] = field(default_factory=frozenset, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class BoardVersion:
    """What a version says of itself.

    Attributes
    ----------
    number
        From 0.
    time
        When it was written, in milliseconds since 1970; later than that of the version before, though the clock may
        have gone back.
    info
        What podium says of it.
    """

    number: int
    time: int
    info: Mapping[str, Any]

    @property
    def moment(self) -> str:
        """The time in words, UTC."""
        return datetime.fromtimestamp(self.time / 1000, UTC).isoformat(sep=" ", timespec="seconds")[:19]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A table at one version.

    Attributes
    ----------
    place
        Where it is.
    number
        Of the version.
    files
        Its files of rows, by name.
    columns
        Its columns and their types.
    table
        As Delta Lake has opened it.
    """

    place: Place
    number: int
    files: tuple[DataFile, ...]
    columns: Mapping[str, str]
    table: Any = field(repr=False)

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return sum(one.rows for one in self.files)

    @property
    def covariates(self) -> list[str]:
        """Names of its columns of covariates."""
        return [name for name in self.columns if name not in COLUMNS]

    def has(self, column: str) -> bool:
        """Whether a column may have values."""
        return column in self.columns and any(column not in one.empty for one in self.files)


def is_board(place: Place) -> bool:
    """Whether a place has a board; a table of versions that another tool wrote is none."""
    return bool(_opened(place).metadata().name == NAME)


def opened(place: Place, number: int | None = None) -> Snapshot:
    """Open a board at a version, or at the newest.

    Raises
    ------
    BoardError
        There is no board, its log is damaged, or a newer podium wrote it.
    """
    if not place.has_log():
        raise BoardError(f"there is no board {place.name}; podium add {place.name} FILE makes one")
    table = _opened(place, number)
    _check_format(place, table.metadata())
    columns = {one.name: getattr(one.type, "type", str(one.type)) for one in table.schema().fields}
    for name, kind in COLUMNS.items():
        if columns.get(name) != kind:
            what = f"is of type {columns[name]}, not {kind}" if name in columns else "is gone"
            raise BoardError(f"{place.name}: another tool changed the board: column {name!r} {what}; {_earlier(place)}")
    snapshot = Snapshot(place, table.version(), tuple(_files(table)), columns, table)
    if foreign := [one.name for one in snapshot.files if {"task", "system", "direction", "addition"} & one.empty]:
        raise BoardError(f"{place.name}: another tool added {foreign[0]}; {_earlier(place)}")
    return snapshot


def files_of(place: Place) -> list[str]:
    """Return the names of the files of rows of a table that another tool wrote.

    Raises
    ------
    BoardError
        Its rows are not in its files alone.
    """
    table = _opened(place)
    metadata, features = table.metadata(), table.protocol().reader_features or []
    if metadata.partition_columns or {"deletionVectors", "columnMapping"} & set(features):
        raise BoardError(
            f"{place.name} is a Delta table with partitions, deletion vectors or renamed columns; write it as Parquet"
        )
    return [one.name for one in _files(table)]


def _earlier(place: Place) -> str:
    return f"read an earlier version (--as-of), which podium board log {place.name} lists"


def _opened(place: Place, number: int | None = None) -> Any:
    try:
        return table_class(place.name)(place.url, version=number, storage_options=place.options)
    except Exception as error:
        if not is_of_delta(error):
            raise
        if place.folder is None and not any(word in str(error) for word in ("ernel", "Json", "rotocol")):
            advice = "check the address, network and credentials"
            raise BoardError(f"{place.name} cannot be read: {said(error)}; {advice}") from error
        raise BoardError(f"the log of {place.name} is damaged: {said(error)}; {_earlier(place)}") from error


def is_of_delta(error: Exception) -> bool:
    """Whether an error is one of Delta Lake's; its classes have no common door."""
    return type(error).__module__ in {"_internal", "deltalake.exceptions", "builtins"} and not isinstance(
        error, AssertionError | TypeError | KeyError
    )


def _check_format(place: Place, metadata: Any) -> None:
    if metadata.name != NAME:
        raise BoardError(f"{place.name} is a Delta table of another tool and no board; choose another place")
    number = str(metadata.description).removeprefix("format ")
    if not number.isdecimal() or int(number) > FORMAT:
        raise BoardError(
            f"{place.name} was written by a newer podium (format {number}; this one knows {FORMAT}); update podium"
        )


def _files(table: Any) -> Iterator[DataFile]:
    import pyarrow as pa  # noqa: PLC0415  # only to read

    found = pa.RecordBatchReader.from_stream(table.get_add_actions(flatten=True)).read_all().to_pylist()
    for one in sorted(found, key=lambda one: str(one["path"])):
        rows = one["num_records"]
        nulls = {name.removeprefix("null_count."): count for name, count in one.items() if name[:11] == "null_count."}
        empty = frozenset(name for name, count in nulls.items() if count is not None and count == rows)
        yield DataFile(one["path"], one["size_bytes"], rows or 0, empty=empty)


def versions(place: Place) -> list[BoardVersion]:
    """Return what all versions say of themselves, the oldest first.

    Raises
    ------
    BoardError
        The log is damaged.
    """
    files, found = place.files(), list[BoardVersion]()

    def told_by(number: int) -> Any:
        """What Delta Lake says of a commit; its own history finds nothing in a folder with # or ? in its path."""
        with files.open_input_stream(f"{LOG}/{number:020d}.json") as stream:
            lines = map(json.loads, stream.read().splitlines())
            return next(line["commitInfo"] for line in lines if "commitInfo" in line)

    with place.answering(), ThreadPoolExecutor(_AT_ONCE) as pool:
        for number, told in enumerate(pool.map(told_by, range(_opened(place).version() + 1))):
            written = max(int(told.get("timestamp", 0)), found[-1].time + 1 if found else 0)
            found.append(BoardVersion(number, written, json.loads(told.get("podium", "{}"))))
    return found


def number_at(place: Place, as_of: int | str | date) -> int:
    """Return the last version that is not later than a number, a date (its end, UTC) or a time.

    Raises
    ------
    BoardError
        There is none, or it is none of these.
    """
    number, found = _whole(as_of), versions(place)
    least = forgotten(found)
    if number is not None:
        if number > found[-1].number:
            more = "; a date is written 2026-10-01" if len(str(as_of).strip()) == _DIGITS else ""
            raise BoardError(f"{place.name} has no version {as_of}; its versions are 0 to {found[-1].number}{more}")
        if number < least:
            raise BoardError(f"{place.name}: version {as_of} was forgotten; the first that is kept is {least}")
        return number
    latest, kept = _milliseconds(as_of), [one for one in found if one.number >= least]
    fitting = [one.number for one in kept if one.time <= latest]
    if not fitting:
        first = f"version {kept[0].number} of {kept[0].moment} UTC"
        raise BoardError(f"{place.name} has no version as old as {as_of}; the first is {first}")
    return fitting[-1]


def forgotten(found: Iterable[BoardVersion]) -> int:
    """Return the first version that is kept, by what versions say."""
    return max((int(one.info.get("forgotten", 0)) for one in found), default=0)


def _whole(as_of: Any) -> int | None:
    """The number of a version, if it is one."""
    number = isinstance(as_of, Integral) and not isinstance(as_of, bool)
    return int(as_of) if number or (isinstance(as_of, str) and as_of.strip().isdecimal()) else None


def _milliseconds(as_of: Any) -> float:
    try:
        if isinstance(as_of, datetime):
            moment = as_of
        elif isinstance(as_of, date) or len(str(as_of).strip()) == 10:
            day = as_of if isinstance(as_of, date) else date.fromisoformat(str(as_of).strip())
            moment = datetime.combine(day, clock(), UTC) + timedelta(days=1, milliseconds=-1)
        else:
            moment = datetime.fromisoformat(str(as_of).strip())
    except ValueError:
        what = "write a date such as 2026-10-01, a time such as 2026-10-01T12:00, or the number of a version"
        raise BoardError(f"as_of (--as-of) is {as_of!r}; {what}") from None
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp() * 1000


class OvertakenError(Exception):
    """Somebody else has written the next version."""


def commit(
    place: Place,
    seen: Snapshot | None,
    info: Mapping[str, Any],
    *,
    added: Sequence[DataFile] = (),
    removed: Sequence[DataFile] = (),
    covariates: Sequence[str] = (),
) -> int:
    """Write the next version, if the newest is still the one that was seen; return its number.

    Parameters
    ----------
    seen
        The version that was looked at; None to make a board.
    info
        What podium says of the version.
    added, removed
        Files of rows, which are there.
    covariates
        Columns that the rows have; a board gets new ones in a version of its own before.

    Raises
    ------
    OvertakenError
        Somebody else has written the next version.
    OutputError
        It cannot be written.
    """
    from deltalake import Field, Schema  # noqa: PLC0415  # optional
    from deltalake.transaction import AddAction, RemoveAction, create_table_with_add_actions  # noqa: PLC0415  # optional

    now = int(time.time() * 1000)
    new = [AddAction(one.name, one.size, {}, now, True, one.stats) for one in added]
    if seen is None:
        columns = COLUMNS | dict.fromkeys(covariates, "double")
        with committing(place, None, added):
            create_table_with_add_actions(
                place.url,
                Schema([Field(name, kind) for name, kind in columns.items()]),
                new,
                mode="error",
                name=NAME,
                description=f"format {FORMAT}",
                configuration=_SETTINGS,
                storage_options=place.options,
                commit_properties=telling(info, tries=0),
            )
        return 0
    if fresh := [name for name in covariates if name not in seen.columns]:
        told = {"kind": "columns", "columns": fresh}
        with committing(place, seen):
            seen.table.alter.add_columns(
                [Field(name, "double") for name in fresh], commit_properties=telling(told, tries=0)
            )
        seen = opened(place, seen.number + 1)
    gone = [RemoveAction(one.name, True, now, one.size, {}) for one in removed]
    with committing(place, seen, added):
        seen.table.create_write_transaction(
            [*gone, *new], "append", seen.table.schema(), commit_properties=telling(info, tries=0)
        )
    return seen.number + 1


def telling(info: Mapping[str, Any], *, tries: int | None = None) -> Any:
    """Return what podium says of a commit, and how often it is tried again where others were faster."""
    from deltalake import CommitProperties  # noqa: PLC0415  # optional

    return CommitProperties(custom_metadata={"podium": json.dumps(info)}, max_commit_retries=tries)


@contextmanager
def committing(place: Place, seen: Snapshot | None, added: Sequence[DataFile] = ()) -> Iterator[None]:
    """Turn what Delta Lake says against a commit into an error of podium.

    It is none if the next version has the files that were added: then its answer was lost.

    Raises
    ------
    OvertakenError
        Somebody else has written a version.
    OutputError
        It cannot be written.
    """
    try:
        yield
    except Exception as error:
        if not is_of_delta(error):
            raise
        try:
            following = _opened(place, 0 if seen is None else seen.number + 1)
        except BoardError:
            advice = "nothing was changed; make room, or check that you may write there"
            raise OutputError(f"{place.name} cannot be written: {said(error)}; {advice}") from error
        if not added or not {one.name for one in added} <= {one.name for one in _files(following)}:
            raise OvertakenError from error
