"""The log of a table: its versions, what each holds, and commits that fail where somebody else was faster.

A version is a file of JSON lines that Delta Lake writes. podium's own words about it are JSON under "podium" in its
first line: what was done, when, to how many scores; the digest of the version before; and a seal, the digest of all
that podium says and of the files that the version adds and removes. The name of a file of rows has its own digest. So
a change of any file is found.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from hashlib import sha256
from numbers import Integral
from typing import Any

from podium.base.errors import BoardError
from podium.store.place import LOG, Place, said, table_class

#: Name of a board among tables of Delta Lake, and the newest format that is understood.
NAME, FORMAT = "podium board", 1

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

#: Digits of a date.
_DIGITS = 8

#: Requests at once to a store far away.
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of rows, as a version names it.

    Attributes
    ----------
    name
        Its name in the place, with its SHA-256.
    size, rows
        Bytes and rows.
    tasks, systems
        The first and the last of its labels.
    holds
        All its systems and tasks, and where they come from; known of a file that was just written.
    """

    name: str
    size: int
    rows: int
    tasks: tuple[str, str]
    systems: tuple[str, str]
    holds: Mapping[str, Sequence[str]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def stats(self) -> dict[str, Any]:
        """What Delta Lake keeps of it in a version."""
        low, high = zip(self.tasks, self.systems, strict=True)
        names = ("task", "system")
        return {
            "numRecords": self.rows,
            "minValues": dict(zip(names, low, strict=True)),
            "maxValues": dict(zip(names, high, strict=True)),
        }


@dataclass(frozen=True, slots=True)
class BoardVersion:
    """What a version says of itself.

    Attributes
    ----------
    number
        From 0.
    time
        When it was written, in milliseconds since 1970; later than that of the version before.
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


def lost_files(infos: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the files that repairs have given up, by what versions say of themselves; in the order of their names.

    >>> lost_files([{"kind": "add"}, {"kind": "repair", "lost": ["b", "a"]}])
    ['a', 'b']
    """
    return sorted({str(name) for info in infos for name in info.get("lost", ())})


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A table at one version.

    Attributes
    ----------
    number
        Of the version.
    files
        Its files of rows, by name.
    columns
        Its columns and their types.
    table
        As Delta Lake has opened it.
    """

    number: int
    files: tuple[DataFile, ...]
    columns: Mapping[str, str]
    table: Any = field(repr=False)

    @property
    def covariates(self) -> list[str]:
        """Names of its columns of covariates."""
        return [name for name in self.columns if name not in COLUMNS]


def is_board(place: Place) -> bool:
    """Whether a place has a board; a table of versions that another tool wrote is none."""
    if not place.has_log():
        raise BoardError(f"{place.name} has the log of a board, but no version in it; podium board repair {place.name}")
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
    there = _newest(place) if number is None else number
    table = _opened(place, number)
    _check_format(place, table.metadata())
    columns = {one.name: getattr(one.type, "type", str(one.type)) for one in table.schema().fields}
    for name, kind in COLUMNS.items():
        if columns.get(name) != kind:
            what = f"is of type {columns[name]}, not {kind}" if name in columns else "is gone"
            raise BoardError(f"{place.name}: another tool changed the board: column {name!r} {what}; {_earlier(place)}")
    snapshot = Snapshot(table.version(), tuple(_files(place, table)), columns, table)
    _check_seal(place, snapshot.number, there)
    return snapshot


def _newest(place: Place) -> int:
    """The last version that there is, or was, by the names of files of the log."""
    return max(_numbered(place, ".json", ".sha256"), default=0)


def _check_seal(place: Place, number: int, wanted: int) -> None:
    """Refuse a version that is not the one that was there, or whose file has not what was written.

    Raises
    ------
    BoardError
        The file of the version is missing or damaged.
    """
    if number >= wanted:
        content = place.read(file_of(number))
        info = version_in(place, number, content).info
        if "seal" not in info or seal_in(info, content) == info["seal"]:
            return
    advice = f"podium board repair {place.name} repairs it"
    what = "is damaged" if max(number, wanted) in numbers(place) else "is missing"
    raise BoardError(f"the log of {place.name} is damaged: version {max(number, wanted)} {what}; {advice}")


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
    return sorted(str(name) for name in _columns_of(table)["path"])


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
        advice = f"podium board check {place.name} says where, podium board repair {place.name} repairs it"
        raise BoardError(f"the log of {place.name} is damaged: {said(error)}; {advice}") from error


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


def _columns_of(table: Any) -> dict[str, list[Any]]:
    import pyarrow as pa  # noqa: PLC0415  # only to read

    found: dict[str, list[Any]] = (
        pa.RecordBatchReader.from_stream(table.get_add_actions(flatten=True)).read_all().to_pydict()
    )
    return found


def _files(place: Place, table: Any) -> Iterable[DataFile]:
    found = _columns_of(table)
    names = ("path", "size_bytes", "num_records", "min.task", "max.task", "min.system", "max.system")
    if not found["path"]:
        return
    nothing = [None] * len(found["path"])
    rows = zip(*(found.get(name, nothing) for name in names), strict=True)
    for name, size, count, *ends in sorted(rows):
        if count is None or None in ends:
            raise BoardError(f"{place.name}: another tool added {name}; {_earlier(place)}")
        yield DataFile(name, size, count, (ends[0], ends[1]), (ends[2], ends[3]))


def file_of(number: int) -> str:
    """Name of the file of a version."""
    return f"{LOG}/{number:020d}.json"


def numbers(place: Place) -> list[int]:
    """Return the versions whose files are there."""
    return _numbered(place, ".json")


def witnessed(place: Place) -> list[int]:
    """Return the versions that have a witness beside the log, though their files may be missing."""
    return _numbered(place, ".sha256")


def _numbered(place: Place, *endings: str) -> list[int]:
    names = (entry.name.removeprefix(f"{LOG}/") for entry in place.entries(LOG))
    return sorted(int(name[:20]) for name in names if name[20:] in endings and name[:20].isdecimal())


def versions(place: Place) -> list[BoardVersion]:
    """Return what all versions say of themselves, the oldest first.

    Raises
    ------
    BoardError
        The file of a version is damaged.
    """
    there = numbers(place)
    if place.folder is not None:
        return [version_in(place, number, place.read(file_of(number))) for number in there]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        contents = pool.map(lambda number: place.read(file_of(number)), there)
        return [version_in(place, number, content) for number, content in zip(there, contents, strict=True)]


def version_in(place: Place, number: int, content: bytes) -> BoardVersion:
    """Return what the file of a version says."""
    try:
        told = next(line["commitInfo"] for line in map(json.loads, content.splitlines()) if "commitInfo" in line)
        info = json.loads(told["podium"]) if "podium" in told else {}
        return BoardVersion(number, int(info.get("written", told.get("timestamp", 0))), info)
    except (ValueError, KeyError, StopIteration, TypeError, AttributeError) as error:
        advice = f"podium board repair {place.name} repairs it"
        raise BoardError(f"{place.name}: {file_of(number)} is damaged: {said(error)}; {advice}") from error


def number_at(place: Place, as_of: int | str | date) -> int:
    """Return the last version that is not later than a number, a date (its end, UTC) or a time.

    Raises
    ------
    BoardError
        There is none, or it is none of these.
    """
    there = numbers(place)
    number = _whole(as_of)
    if number is not None:
        if number not in there:
            more = "; a date is written 2026-10-01" if len(str(as_of).strip()) == _DIGITS else ""
            raise BoardError(
                f"{place.name} has no version {as_of}; its versions are 0 to {max(there, default=0)}{more}"
            )
        if number < (least := forgotten(versions(place))):
            raise BoardError(f"{place.name}: version {as_of} was forgotten; the first that is kept is {least}")
        return number
    latest, found = _milliseconds(as_of), versions(place)
    found = [one for one in found if one.number >= forgotten(found)]
    fitting = [one.number for one in found if one.time <= latest]
    if not fitting:
        first = f"version {found[0].number} of {found[0].moment} UTC" if found else "none"
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


def witness_of(number: int) -> str:
    """Name of the file with the digest of the newest version, to which no later version bears witness yet."""
    return f"{LOG}/{number:020d}.sha256"


def seal_of(info: Mapping[str, Any], added: Iterable[Any], removed: Iterable[Any]) -> str:
    """Digest of what a version says, and of the files that it adds (name, bytes, stats) and removes (name)."""
    told = {key: value for key, value in info.items() if key not in {"seal", "nonce"}}
    content = [told, sorted(added), sorted(removed)]
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def seal_in(info: Mapping[str, Any], content: bytes) -> str:
    """Digest of what a version says, by all lines of its file; empty where they are damaged."""
    try:
        lines = [json.loads(line) for line in content.splitlines()]
        files = [line["add"] for line in lines if "add" in line]
        added = [[one["path"], int(one["size"]), one["stats"]] for one in files]
        return seal_of(info, added, [line["remove"]["path"] for line in lines if "remove" in line])
    except (ValueError, KeyError, TypeError):
        return ""
