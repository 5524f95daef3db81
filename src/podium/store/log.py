"""The versions of a table: what each holds, and commits that fail if somebody else was faster.

Delta Lake keeps the log. What podium adds about a version (what was done, to how many scores) is JSON under "podium" in
the information of its commit.
"""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from typing import Any

from podium.base.errors import BoardError, OutputError
from podium.store.place import ASK, LOG, Place, earlier, shortened, table_class

#: Name of a board among tables of Delta Lake, and its format.
NAME, FORMAT = "podium board", 3

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
    "board_version": "long",
}

#: Columns of few words, one in every row; they are read as dictionaries.
WORDS = ("task", "system", "direction", "source")

#: Every version stays until it is forgotten.
_SETTINGS = {"delta.enableExpiredLogCleanup": "false"}

#: Versions whose commits are read at once.
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of rows of a version.

    Attributes
    ----------
    name
        Its name in the place.
    size, rows
        Bytes and rows.
    empty
        Columns without any value in it.
    stats
        Statistics for Delta Lake, in JSON; known of a file that was just written.
    """

    name: str
    size: int
    rows: int
    empty: frozenset[str] = field(default_factory=frozenset, compare=False, repr=False)
    stats: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class BoardVersion:
    """The information of a commit.

    Attributes
    ----------
    number
        From 0.
    time
        When it was written, in milliseconds since 1970; later than that of the version before, though the clock may
        have gone back.
    info
        What podium wrote about it.
    """

    number: int
    time: int
    info: Mapping[str, Any]

    @property
    def moment(self) -> str:
        """Return the time in words, UTC."""
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
        Names of its columns.
    table
        As Delta Lake has opened it.
    """

    place: Place
    number: int
    files: tuple[DataFile, ...]
    columns: tuple[str, ...]
    table: Any = field(repr=False)

    @property
    def rows(self) -> int:
        """Return how many rows it has."""
        return sum(one.rows for one in self.files)

    @property
    def size(self) -> int:
        """Return how many bytes its files have."""
        return sum(one.size for one in self.files)

    @property
    def covariates(self) -> list[str]:
        """Return names of its columns of covariates."""
        return [name for name in self.columns if name not in COLUMNS]

    def has(self, column: str) -> bool:
        """Return whether a column may have values."""
        return column in self.columns and any(column not in one.empty for one in self.files)


def is_board(place: Place) -> bool:
    """Return whether a table is a board; another tool may have written it."""
    return bool(_opened(place).metadata().name == NAME)


def opened(place: Place, number: int | None = None) -> Snapshot:
    """Open a board at a version, or at the newest.

    Raises
    ------
    BoardError
        There is no board, its log is damaged, or another podium wrote it.
    """
    if not place.has_log():
        raise BoardError(f"there is no board {place.name}; podium add {place.name} FILE makes one")
    table = _opened(place, number)
    metadata, columns = (
        table.metadata(),
        {one.name: getattr(one.type, "type", str(one.type)) for one in table.schema().fields},
    )
    if metadata.name != NAME:
        raise BoardError(f"{place.name} is a Delta table of another tool and no board; choose another place")
    form = str(metadata.description).removeprefix("format ")
    if form != str(FORMAT):
        older = form.isdecimal() and int(form) < FORMAT
        what, advice = ("an older", "add its files to a new board") if older else ("a newer", "update podium")
        raise BoardError(
            f"{place.name} was written by {what} podium (format {form}; this one knows {FORMAT}); {advice}"
        )
    for name, kind in COLUMNS.items():
        if columns.get(name) != kind:
            what = f"is of type {columns[name]}, not {kind}" if name in columns else "is gone"
            raise BoardError(f"{place.name}: another tool changed the board: column {name!r} {what}; {earlier(place)}")
    files = tuple(_files(table))
    if foreign := [one.name for one in files if {"task", "system", "direction", "board_version"} & one.empty]:
        raise BoardError(f"{place.name}: another tool added {foreign[0]}; {earlier(place)}")
    return Snapshot(place, table.version(), files, tuple(columns), table)


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


def _opened(place: Place, number: int | None = None) -> Any:
    try:
        return table_class(place.name)(place.url, version=number, storage_options=place.options)
    except Exception as error:
        if not _is_of_delta(error):
            raise
        if place.folder is None and not any(word in str(error) for word in ("ernel", "Json", "rotocol")):
            raise BoardError(f"{place.name} cannot be read: {shortened(error)}; {ASK}") from error
        raise BoardError(f"the log of {place.name} is damaged: {shortened(error)}; {earlier(place)}") from error


def _is_of_delta(error: Exception) -> bool:
    """Return whether an error is one of Delta Lake's; its classes have no common base."""
    return type(error).__module__ in {"_internal", "deltalake.exceptions", "builtins"} and not isinstance(
        error, AssertionError | TypeError | KeyError
    )


def _files(table: Any) -> Iterator[DataFile]:
    import pyarrow as pa  # noqa: PLC0415  # only to read

    found = pa.RecordBatchReader.from_stream(table.get_add_actions(flatten=True)).read_all().to_pylist()
    for one in sorted(found, key=lambda one: str(one["path"])):
        rows = one["num_records"] or 0
        nulls = {name.removeprefix("null_count."): count for name, count in one.items() if name[:11] == "null_count."}
        empty = frozenset(name for name, count in nulls.items() if count is not None and count == rows)
        yield DataFile(one["path"], one["size_bytes"], rows, empty)


def versions(place: Place) -> list[BoardVersion]:
    """Read the information of all commits, the oldest first.

    Raises
    ------
    BoardError
        The log is damaged.
    """
    files, found = place.files(), list[BoardVersion]()

    def info_of(number: int) -> Any:
        """Read a commit; the history of Delta Lake finds nothing in a folder with # or ? in its path."""
        with files.open_input_stream(f"{LOG}/{number:020d}.json") as stream:
            lines = map(json.loads, stream.read().splitlines())
            return next(line["commitInfo"] for line in lines if "commitInfo" in line)

    with place.reading(), ThreadPoolExecutor(_AT_ONCE) as pool:
        for number, info in enumerate(pool.map(info_of, range(_opened(place).version() + 1))):
            written = max(int(info.get("timestamp", 0)), found[-1].time + 1 if found else 0)
            found.append(BoardVersion(number, written, json.loads(info.get("podium", "{}"))))
    return found


def forgotten(found: Iterable[BoardVersion]) -> int:
    """Return the first version that is kept."""
    return max((int(one.info.get("forgotten", 0)) for one in found), default=0)


def number_at(place: Place, as_of: int | str | date) -> int:
    """Return the last version that is not later than a number, a date (its end, UTC) or a time.

    Raises
    ------
    BoardError
        There is none, or it is none of these.
    """
    found, text = versions(place), str(as_of).strip()
    least = forgotten(found)
    if text.isdecimal():
        number = int(text)
        if number > found[-1].number:
            more = "; a date is written 2026-10-01" if len(text) == len("20261001") else ""
            raise BoardError(f"{place.name} has no version {as_of}; its versions are 0 to {found[-1].number}{more}")
        if number < least:
            raise BoardError(f"{place.name}: version {as_of} was forgotten; the first that is kept is {least}")
        return number
    try:
        if isinstance(as_of, datetime):
            moment = as_of
        elif isinstance(as_of, date) or len(text) == len("2026-10-01"):
            day = datetime.combine(date.fromisoformat(text), clock(), UTC)
            moment = day + timedelta(days=1, milliseconds=-1)
        else:
            moment = datetime.fromisoformat(text)
    except ValueError:
        advice = "write a date such as 2026-10-01, a time such as 2026-10-01T12:00, or the number of a version"
        raise BoardError(f"as_of (--as-of) is {as_of!r}; {advice}") from None
    latest = (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp() * 1000
    fitting = [one.number for one in found[least:] if one.time <= latest]
    if not fitting:
        first = f"version {least} of {found[least].moment} UTC"
        raise BoardError(f"{place.name} has no version as old as {as_of}; the first is {first}")
    return fitting[-1]


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
        What podium writes about it.
    added, removed
        Files of rows, which are there.
    covariates
        Columns that the rows have; a board gets new ones in a version of its own before, see `next_number`.

    Raises
    ------
    OvertakenError
        Somebody else has written the next version.
    OutputError
        It cannot be written.
    """
    from deltalake import Field, Schema  # noqa: PLC0415  # optional
    from deltalake.transaction import AddAction, RemoveAction, create_table_with_add_actions  # noqa: PLC0415  # optional

    now, number = int(time.time() * 1000), next_number(seen, covariates)
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
        return number
    if fresh := [name for name in covariates if name not in seen.columns]:
        described = telling({"kind": "columns", "columns": fresh}, tries=0)
        with committing(place, seen, added):
            seen.table.alter.add_columns([Field(name, "double") for name in fresh], commit_properties=described)
        seen = opened(place, seen.number + 1)
    gone = [RemoveAction(one.name, True, now, one.size, {}) for one in removed]
    with committing(place, seen, added):
        seen.table.create_write_transaction(
            [*gone, *new], "append", seen.table.schema(), commit_properties=telling(info, tries=0)
        )
    return number


def next_number(seen: Snapshot | None, covariates: Sequence[str]) -> int:
    """Return the number of the version that a commit writes; new covariates take one more."""
    if seen is None:
        return 0
    return seen.number + 1 + (not set(covariates) <= set(seen.columns))


def telling(info: Mapping[str, Any], *, tries: int | None = None) -> Any:
    """Return properties of a commit: its information, and how often it is tried again if others were faster."""
    from deltalake import CommitProperties  # noqa: PLC0415  # optional

    return CommitProperties(custom_metadata={"podium": json.dumps(info)}, max_commit_retries=tries)


@contextmanager
def committing(place: Place, seen: Snapshot | None, added: Sequence[DataFile] = ()) -> Iterator[None]:
    """Turn the error of a commit into one of podium; it is none if the next version has the files that were added.

    Raises
    ------
    OvertakenError
        Somebody else has written a version; the files that were added are removed.
    OutputError
        It cannot be written.
    """
    try:
        yield
    except Exception as error:
        if not _is_of_delta(error):
            raise
        try:
            following = _opened(place, 0 if seen is None else seen.number + 1)
        except BoardError:
            advice = "nothing was changed; make room, or check that you may write there"
            raise OutputError(f"{place.name} cannot be written: {shortened(error)}; {advice}") from error
        if not added or not {one.name for one in added} <= {one.name for one in _files(following)}:
            for file in added:
                place.remove(file.name)
            raise OvertakenError from error
