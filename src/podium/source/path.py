"""From a source (a path, a glob, a directory, an address or `-`) to its files, opened as tables.

Files on object storage or on the web are found by their address, and opened through Arrow or fsspec.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from errno import ELOOP
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from podium.base.errors import InputError, MissingExtraError, nearest
from podium.base.words import LONG, beginning, ending, few, how_many, with_names
from podium.source.file import DOCUMENTS, ENDINGS, FORMATS, File, by_ending, sniffed
from podium.store.place import LOG

if TYPE_CHECKING:
    from podium.source.table import SourceTable

#: Formats in which no tool writes its results.
_TABLES = ("csv", "tsv", "feather", "duckdb")

#: Endings of files that podium does not read, and what to do with them.
_OTHERS = {
    ".eval": "is no archive of Inspect, or is cut off; copy it again",
    **dict.fromkeys((".zip", ".tar", ".tgz", ".7z"), "is an archive; unpack it first"),
}

#: What is said of folders of boards among others, and letters of a path that are shown.
BOARDS_LEFT, _LONGEST = "boards and Delta tables are read by themselves, so these are left out: ", 60

#: Bytes that are read of standard input or a pipe, which is held in memory; PODIUM_PIPE_MIB raises it.
_LARGEST_PIPE_MIB = 512

_Named = TypeVar("_Named", Path, "Remote")

#: Bytes of a pipe that are read at once.
_PIECE = 2**22


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files of a source, and notes about files that were left out."""

    files: tuple[File, ...]
    notes: tuple[str, ...] = ()


def find_files(source: Any, format: str | None = None) -> FoundFiles:  # noqa: A002  # the word a caller uses
    """Turn a path, glob, directory, `-` or a list of them into files.

    Raises
    ------
    InputError
        There is no file, or no file that podium can read.
    """
    if format is not None and format not in FORMATS:
        raise InputError(f"there is no format {format!r}; {nearest(format, FORMATS)}")
    sources = [source] if isinstance(source, str | Path) else _listed(source)
    files: list[File] = []
    notes: list[str] = []
    for one in sources:
        found = _files_at(str(one), format)
        files += found.files
        notes += found.notes
    if not files:
        raise InputError("the list of files to read is empty; name at least one file")
    mentions: dict[Any, File] = {}  # of several, the first counts
    for number, file in enumerate(files):
        known = number if file.remote is None else file.name
        mentions.setdefault(known if file.path is None else file.path.resolve(), file)
    return FoundFiles(tuple(mentions.values()), tuple(notes))


def is_table(source: Any) -> bool:
    """Return whether a source is files that are tables by their names, also if a tool wrote them.

    >>> is_table("scores.csv"), is_table(["a.csv.gz", "b.tsv"]), is_table("runs"), is_table("a.json")
    (True, True, False, False)
    """
    sources = [source] if isinstance(source, str | Path) else source
    if not isinstance(sources, list | tuple):
        return False
    paths = [str(one) for one in sources]
    return bool(paths) and all(by_ending(path)[0] in _TABLES and not Path(path).is_dir() for path in paths)


def text_file(path: str | Path) -> File:
    """Take one text file or pipe; the first bytes, not the name, show whether it is compressed.

    Raises
    ------
    InputError
        There is no such file, it is a folder, or it cannot be opened.
    """
    named = Path(path).expanduser()
    if named.is_dir():
        raise InputError(f"{str(named)!r} is a folder; name a file")
    if not named.exists():
        raise InputError(_no_such_file(named))
    if not named.is_file():
        return _pipe(named, "csv")
    try:
        return sniffed(File(named, str(named), "csv", None))
    except OSError as error:
        raise InputError(f"{str(named)!r} cannot be read: {error.strerror}") from error


def matches(source: str) -> list[str]:
    """Return the files and folders that a pattern matches, in order of their names; what is none, as it is.

    >>> matches("scores.csv")
    ['scores.csv']
    """
    path = Path(source).expanduser()
    if is_remote(source) or not has_magic(source) or path.exists():
        return [source]
    return sorted(glob(str(path), recursive=True)) or [source]  # noqa: PTH207  # the pattern may be absolute


def takes_in(source: str, path: Path) -> bool:
    """Return whether a file belongs to the files of a source.

    >>> takes_in("scores.csv", Path("board.json"))
    False
    """
    named = Path(source).expanduser()
    is_pipe = named.exists() and not (named.is_file() or named.is_dir())
    if source == "-" or is_remote(source) or not path.is_file() or is_pipe:
        return False
    try:
        files = _files_at(source, None).files
    except InputError:  # the reader explains why
        return False
    return any(file.path is not None and file.path.samefile(path) for file in files)


def _listed(source: Any) -> list[str | Path]:
    if hasattr(source, "read"):
        raise InputError(f"podium.read opens files itself; give it a path, not {type(source).__name__}")
    if isinstance(source, Iterable) and not isinstance(source, bytes | Mapping) and not hasattr(source, "columns"):
        listed = list(source)
        if all(isinstance(one, str | Path) for one in listed):
            return listed
    what = f"cannot read scores from {type(source).__name__}"
    raise InputError(f"{what}; give a path, or use podium.from_frame, from_dict or from_arrays")


def _files_at(source: str, wanted: str | None) -> FoundFiles:
    if not source:
        # an unset shell variable, most likely; it must not stand for the folder one happens to be in
        raise InputError("a source is the empty text; name a file, a folder, or . for this folder")
    if source == "-":
        if sys.stdin is None:
            raise InputError("standard input (-) is closed; name a file, or pipe one in")
        content = _read_pipe(sys.stdin.buffer, "standard input")
        return FoundFiles((sniffed(File(None, "standard input", wanted or "", None, content)),))
    if is_remote(source):
        return _of_addresses(source, wanted)
    path = Path(source).expanduser()
    if path.is_dir():
        return _directory(path, wanted)
    if path.exists():
        return FoundFiles((_file(path, wanted) if path.is_file() else _pipe(path, wanted),))
    if not has_magic(source):
        raise InputError(_no_such_file(path))
    matches = sorted(glob(str(path), recursive=True))  # noqa: PTH207  # the pattern may be absolute
    named = [Path(match) for match in matches if Path(match).is_file()]
    tables = {folder for match in map(Path, matches) for folder in (match, *match.parents) if (folder / LOG).is_dir()}
    files = tuple(_file(one, wanted) for one in named if tables.isdisjoint((one.parent, one.parent.parent)))
    boards = sorted(map(str, tables))
    if not files:
        raise InputError(_only_boards(boards) if boards else f"no file matches {source!r}")
    read = {parent for file in files if file.path is not None for parent in file.path.parents}
    folders = [match for match in matches if Path(match).is_dir() and Path(match) not in read]
    folders = [match for match in folders if tables.isdisjoint((Path(match), *Path(match).parents))]
    unread = f"{how_many(len(folders), 'folder')} matching {source!r} not read ("
    notes = [with_names(unread, list(map(repr, folders)), ")", room=LONG)] if folders else []
    return FoundFiles(files, (*notes, *_boards_note(boards)))


def _boards_note(folders: list[str]) -> list[str]:
    """Say that the files of boards are not read."""
    return [with_names(BOARDS_LEFT, [ending(one, _LONGEST) for one in folders], room=LONG)] if folders else []


def _only_boards(folders: list[str]) -> str:
    return f"{folders[0]} is a board or another Delta table, and is read by itself; name it alone"


def _of_addresses(source: str, wanted: str | None) -> FoundFiles:
    """Return the files that podium reads at an address, a pattern or a folder far away."""
    found = remote_files(source)
    if len(found) == 1:
        return FoundFiles((_far_away(found[0], wanted),))
    shown = [one for one in found if not any(part[:1] in {".", "_"} for part in one.name.split("/"))]
    readable = _readable(shown)
    if not readable:
        raise InputError(f"{source} has no file to read; podium reads CSV, TSV, JSON Lines, Parquet and Feather there")
    left = len(found) - len(readable)
    notes = (f"{how_many(left, 'file')} with other names in {source} not read",) if left else ()
    return FoundFiles(tuple(_far_away(one, wanted) for one in readable), notes)


def _readable(files: Sequence[_Named]) -> list[_Named]:
    """Return files of a folder that are read: tables, and documents such as a README only if there are no tables."""
    known = [file for file in files if by_ending(file.name)[0] not in {None, "duckdb"}]
    return [file for file in known if by_ending(file.name)[0] not in DOCUMENTS] or known


def _far_away(remote: "Remote", wanted: str | None) -> File:
    ending, compression = by_ending(remote.name.partition("?")[0])
    if (wanted or ending) == "duckdb":
        raise InputError(f"{remote.name} is a DuckDB database, which is read from a disk; copy it first")
    return sniffed(File(None, remote.name, wanted or ending or "", compression, remote=remote))


def _no_such_file(path: Path) -> str:
    if path.is_symlink():
        try:
            path.resolve(strict=True)
        except (RuntimeError, OSError) as error:  # the first up to Python 3.12
            if isinstance(error, RuntimeError) or error.errno == ELOOP:
                return f"{str(path)!r} is a link that leads back to itself"
        return f"{str(path)!r} is a link to {str(path.readlink())!r}, but that does not exist"
    folder, kind = path.parent, "file" if path.suffix else "file or folder"
    if not folder.is_dir():
        return f"there is no {kind} {str(path)!r}; its folder {str(folder)!r} does not exist"
    names = sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith("."))
    hint = nearest(path.name, names, 6) if names else "the folder is empty"
    return f"there is no {kind} {str(path)!r}; {hint}"


def _directory(folder: Path, wanted: str | None) -> FoundFiles:
    """Return all readable files in a folder and the folders below it, sorted by path."""
    boards = {path.parent for path in folder.rglob(LOG) if path.is_dir()}
    there = [path for path in folder.rglob("*") if path.is_file() and boards.isdisjoint(path.parents)]
    entries = sorted(path for path in there if not any(part.startswith(".") for part in path.relative_to(folder).parts))
    aside = [path for path in entries if any(part.startswith("_") for part in path.relative_to(folder).parts)]
    skipped = set(aside)
    entries = [path for path in entries if path not in skipped]
    readable = _readable(entries)
    names = [repr(str(path.relative_to(folder))) for path in aside]
    if not readable and not entries and not aside and boards:
        raise InputError(_only_boards(sorted(map(str, boards))))
    if not there and not boards:
        raise InputError(f"the folder {str(folder)!r} is empty")
    if not readable:
        for path in entries:
            _check_ending(path)
        formats = (name for name in FORMATS if name != "duckdb")
        endings = ", ".join(ending for name in formats for ending in ENDINGS[name])
        hint = f"; podium skips names that begin with _ in folders, so name these yourself: {few(names)}"
        raise InputError(
            f"the folder {str(folder)!r} has no file to read; podium reads files that end in {endings}, also with .gz, "
            f".zst, .bz2 or .xz added{hint if aside else ''}"
        )
    others = len(entries) - len(readable)
    left = [f"{how_many(others, 'file')} with other endings"] if others else []
    if aside:
        left.append(f"{how_many(len(aside), 'file')} whose name or folder begins with _ (")
    unread, where = " and ".join(left), f" in {str(folder)!r} not read"
    note = with_names(unread, names, f"){where}", room=LONG) if aside else unread + where
    notes = [*([note] if left else []), *_boards_note(sorted(map(str, boards)))]
    return FoundFiles(tuple(_file(path, wanted) for path in readable), tuple(notes))


def _pipe(path: Path, wanted: str | None) -> File:
    """Read a FIFO or /dev/stdin as a whole, because it can be read only once."""
    try:
        with path.open("rb") as stream:
            content = _read_pipe(stream, str(path))
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror}") from error
    return sniffed(File(None, str(path), wanted or by_ending(path.name)[0] or "", None, content))


def _read_pipe(stream: Any, name: str) -> bytes:
    """Read a pipe to its end, or to a limit; it may have no end."""
    try:
        limit = int(os.environ.get("PODIUM_PIPE_MIB", _LARGEST_PIPE_MIB)) << 20
    except ValueError:
        raise InputError("PODIUM_PIPE_MIB must be a whole number of MiB") from None
    parts, size = [], 0
    while part := stream.read(_PIECE):
        parts.append(part)
        size += len(part)
        if size > limit:
            what = f"{name} has more than {limit >> 20} MiB; write it to a file and name the file, or raise the limit"
            raise InputError(f"{what}: PODIUM_PIPE_MIB={limit >> 19}")
    return b"".join(parts)


def _file(path: Path, wanted: str | None) -> File:
    ending, compression = by_ending(path.name)
    if wanted is None and ending is None:
        _check_ending(path)
    file = File(path, str(path), wanted or ending or "", compression)
    return file if file.format else sniffed(file)


def _check_ending(path: Path) -> None:
    if (what := _OTHERS.get(path.suffix.lower())) is not None:
        raise InputError(f"{path} {what}")


def open_table(source: str | Path, format: str | None = None, table: str | None = None) -> "SourceTable":  # noqa: A002
    """Open the one file that a source names, in any format.

    Raises
    ------
    InputError
        There is no file, or there are several.
    """
    files = find_files(source, format).files
    if len(files) > 1:
        raise InputError(f"{source}: these are {len(files)} files, but one is expected; name one file")
    return opened(files[0], table)


def opened(file: File, table: str | None) -> "SourceTable":
    """Open a file with the reader of its format, which is imported only now; `table` names one of several in it."""
    if file.format in {"csv", "tsv"}:
        from podium.source.delimited import DelimitedTable  # noqa: PLC0415

        return DelimitedTable(file)
    if file.format in {"parquet", "feather", "duckdb"}:
        from podium.source.columnar import DuckTable, FeatherTable, ParquetTable  # noqa: PLC0415

        if file.format == "duckdb":
            return DuckTable(file, table)
        return ParquetTable(file) if file.format == "parquet" else FeatherTable(file)
    from podium.source.document import document, json_table  # noqa: PLC0415

    return json_table(file, table) if file.format == "jsonl" else document(file, table)


def labels_of(sources: Sequence[str]) -> list[str]:
    """Return labels of files and folders: their names without endings; or the parts of their paths that differ.

    >>> labels_of(["runs/2026-01.csv", "runs/2026-02.csv.gz"]), labels_of(["old/run/scores.csv", "new/run/scores.csv"])
    (['2026-01', '2026-02'], ['old', 'new'])
    """
    called = [Path(source) if Path(source).name not in {"", ".."} else Path(source).resolve() for source in sources]
    names = [path.name for path in called]
    stems = [name.partition(".")[0] or name for name in names]
    for chosen in (stems, names):
        if len(set(chosen)) == len(sources):
            return chosen
    parts = [path.parts for path in called]
    least = min(map(len, parts))
    same = [len({one[place] for one in parts}) == 1 for place in range(least)]
    before = same.index(False) if False in same else least
    ends = [len({one[-place] for one in parts}) == 1 for place in range(1, least - before + 1)]
    behind = ends.index(False) if False in ends else 0
    chosen = ["/".join(one[before : len(one) - behind]) for one in parts]
    return chosen if len(set(chosen)) == len(sources) and all(chosen) else list(sources)


#: How an address begins that is no path.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")

#: Seconds until a store that does not answer is given up, and tries.
_CONNECT, _ANSWER, _TRIES = 5.0, 10.0, 2

#: Letters of what a store says that are shown.
_REASON = 200

#: Where credentials come from, by scheme.
_CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role; AWS_ENDPOINT_URL names another store",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS, or gcloud auth application-default login",
    "abfs": "AZURE_STORAGE_ACCOUNT_NAME, with az login or AZURE_STORAGE_ACCOUNT_KEY",
}

#: What stores say to those whom they do not know.
_REFUSED = re.compile(r"ACCESS_DENIED|403|Forbidden|credential|InvalidAccessKey|SignatureDoesNotMatch")

#: Other spellings of schemes.
_ALIASES = {"s3a": "s3", "gcs": "gs", "abfss": "abfs", "az": "abfs"}


class _Address(NamedTuple):
    """An address, taken apart; and `place`, what its file system calls it."""

    url: str
    scheme: str
    place: str


@dataclass(frozen=True, slots=True)
class Remote:
    """One file.

    Attributes
    ----------
    name
        Its address.
    system
        Arrow's file system.
    place
        What that calls it.
    size
        Bytes.
    """

    name: str
    system: Any
    place: str
    size: int

    def open(self) -> Any:
        """Open it with random access.

        Raises
        ------
        InputError
            The store does not give it.
        """
        with _answering(_taken_apart(self.name)):
            return self.system.open_input_file(self.place)


def is_remote(source: str) -> bool:
    """Return whether a source is an address.

    >>> is_remote("s3://bucket/scores.parquet"), is_remote("scores.csv"), is_remote("C:/scores.csv")
    (True, False, False)
    """
    return _URL.match(source) is not None


def remote_files(url: str) -> list[Remote]:
    """List the file at an address, the files that match a pattern, or all files of a folder, by name.

    Raises
    ------
    InputError
        There is none, or the store cannot be reached.
    MissingExtraError
        The library for the store is not installed.
    """
    address = _taken_apart(url)
    system = _system(address)
    with _answering(address):
        found = sorted(_in_store(system, address))
    if not found:
        if _is_pattern(address):
            raise InputError(f"no file matches {url!r}")
        raise InputError(f"there is no file {url!r}{', or its server does not answer' if _is_web(address) else ''}")
    start = url.removesuffix(address.place)
    return [Remote(start + place, system, place, size) for place, size in found]


def _in_store(system: Any, address: _Address) -> Iterator[tuple[str, int]]:
    from pyarrow.fs import FileSelector, FileType  # noqa: PLC0415  # only for what is far away

    pattern = re.compile(_expression(address.place)) if _is_pattern(address) else None
    if pattern is None:
        (info,) = system.get_file_info([address.place])
        if info.type == FileType.File:
            yield info.path, info.size or 0
        if info.type != FileType.Directory:
            return
    folder = address.place if pattern is None else re.split(r"[*?\[]", address.place)[0].rpartition("/")[0]
    for info in system.get_file_info(FileSelector(folder, recursive=True, allow_not_found=True)):
        if info.type == FileType.File and (pattern is None or pattern.fullmatch(info.path)):
            yield info.path, info.size


def _is_pattern(address: _Address) -> bool:
    return not _is_web(address) and any(sign in address.place for sign in "*?[")


def _is_web(address: _Address) -> bool:
    return address.scheme in {"http", "https"}


def _expression(pattern: str) -> str:
    r"""Write a pattern as a regular expression: `**/` is any folders, `*` and `?` stay in one, `[…]` is some letters.

    >>> bool(re.fullmatch(_expression("b/**/run-?.csv"), "b/x/y/run-1.csv")), _expression("*.csv")
    (True, '[^/]*\\.csv')
    """
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.findall(r"\*\*/|\*\*|\*|\?|\[[^\]]+\]|.", pattern)
    return "".join(signs.get(one) or (one.replace("[!", "[^") if one[1:] else re.escape(one)) for one in pieces)


def _taken_apart(url: str) -> _Address:
    parts = urlsplit(url)
    scheme = _ALIASES.get(parts.scheme.lower(), parts.scheme.lower())
    return _Address(url, scheme, url if scheme.startswith("http") else url.partition("://")[2].rstrip("/"))


def _system(address: _Address) -> Any:
    """Return Arrow's file system for an address; credentials are those that the tools of the store use."""
    from pyarrow import fs  # noqa: PLC0415  # only for what is far away

    if address.scheme == "file":
        return fs.LocalFileSystem()
    if address.scheme == "s3":
        return _s3(address.place.partition("/")[0])
    if address.scheme in {"gs", "abfs"}:
        with _answering(address):
            system, _ = fs.FileSystem.from_uri(address.url)
            return system
    return _through_fsspec(address)


def _s3(bucket: str) -> Any:
    from pyarrow import fs  # noqa: PLC0415  # only for what is far away

    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if region is None and endpoint is None:
        try:
            region = fs.resolve_s3_region(bucket)
        except OSError:  # what is asked next says more
            region = None
    public = os.environ.get("AWS_NO_SIGN_REQUEST", "").lower() in {"1", "true", "yes"}
    retries = fs.AwsStandardS3RetryStrategy(max_attempts=_TRIES)
    patience = {"connect_timeout": _CONNECT, "request_timeout": _ANSWER, "retry_strategy": retries}
    return fs.S3FileSystem(anonymous=public, region=region, endpoint_override=endpoint, **patience)


def _through_fsspec(address: _Address) -> Any:
    """Return any other store that fsspec knows, the web among them."""
    from pyarrow.fs import FSSpecHandler, PyFileSystem  # noqa: PLC0415  # only for what is far away

    try:
        import fsspec  # noqa: PLC0415  # optional

        patience: dict[str, Any] = {}
        if _is_web(address):  # for which fsspec else waits five minutes
            from aiohttp import ClientTimeout  # noqa: PLC0415  # optional

            timeout = ClientTimeout(total=None, sock_connect=_CONNECT, sock_read=_ANSWER)
            patience = {"client_kwargs": {"timeout": timeout}}
        system = fsspec.filesystem(address.scheme, **patience)
    except ModuleNotFoundError:
        raise MissingExtraError("fsspec and aiohttp", "remote", address.url) from None
    except ImportError as error:  # it says what to install
        raise InputError(f"{address.url} cannot be read yet: {error}") from None
    except ValueError:
        known = "s3://, gs://, abfs://, https:// or file://"
        raise InputError(f"{address.url} begins with {address.scheme}://, which no store has; use {known}") from None
    return PyFileSystem(FSSpecHandler(system))


@contextmanager
def _answering(address: _Address) -> Iterator[None]:
    """Turn what a store answers into an error that says what to do."""
    try:
        yield
    except InputError:
        raise
    except (OSError, ValueError) as error:
        cure, credentials = "check the address and the network", _CREDENTIALS.get(address.scheme)
        if credentials and _REFUSED.search(str(error)):
            public = "; for public data set AWS_NO_SIGN_REQUEST=1" if address.scheme == "s3" else ""
            cure = f"give credentials ({credentials}){public}"
        reason = beginning(" ".join(str(error).split()), _REASON)
        raise InputError(f"{address.url} cannot be read: {reason}; {cure}") from error
