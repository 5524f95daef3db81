"""One file to read: its bytes, unpacked; its format, by the end of its name or its first bytes; and files far away.

Files on object storage or on the web are found by their address, and opened through Arrow or fsspec.
"""

import lzma
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import urlsplit

from podium.base.errors import InputError, MissingExtraError
from podium.base.words import beginning

#: What reading damaged bytes raises, in addition to the errors of Arrow.
DAMAGE = (OSError, EOFError, lzma.LZMAError)

#: How a file begins that stands for one of Git LFS, in a clone without it, and bytes it may have.
POINTER, _POINTS = b"version https://git-lfs.github.com/spec/", 1024


@dataclass(frozen=True, slots=True)
class File:
    """One file to read, or the content of standard input or a pipe.

    Attributes
    ----------
    path
        Path, or None for standard input and pipes.
    name
        What errors call it.
    format
        One of `FORMATS` of `podium.source.file`; empty if not known yet.
    compression
        "gzip", "zstd", "bz2", "xz" or None.
    content
        All bytes, of standard input or a pipe.
    remote
        Where it is, if that is no path.
    encoding
        Of text that is not UTF-8, and is read as UTF-8: "utf-16", "utf-32" or one of these with an order of bytes.
    """

    path: Path | None
    name: str
    format: str
    compression: str | None
    content: bytes = field(default=b"", repr=False)
    remote: "Remote | None" = None
    encoding: str | None = None

    @property
    def size(self) -> int:
        """Bytes on disk, or wherever it is."""
        if self.remote is not None:
            return self.remote.size
        return len(self.content) if self.path is None else self.path.stat().st_size

    def open(self) -> Any:
        """Open the bytes, decompressed, as an Arrow stream."""
        import pyarrow as pa  # noqa: PLC0415  # only to read

        if self.encoding is not None:
            return pa.transcoding_input_stream(replace(self, encoding=None).open(), self.encoding, "utf-8")
        if self.compression == "xz":
            return pa.PythonFile(lzma.open(self.path or self.raw()), mode="r")
        return pa.input_stream(self._bytes(), compression=self.compression)

    def open_random(self) -> Any:
        """Open the bytes with random access; compressed files are unpacked in memory."""
        import pyarrow as pa  # noqa: PLC0415  # only to read

        if self.compression is not None:
            return pa.BufferReader(self.open().read())
        return self._bytes()

    def _bytes(self) -> Any:
        """Open the bytes as they are."""
        import pyarrow as pa  # noqa: PLC0415  # only to read

        if self.remote is not None:
            return self.remote.open()
        if self.path is None:
            return pa.BufferReader(self.content)
        try:
            return pa.OSFile(str(self.path))
        except UnicodeEncodeError:  # a name that is no text
            return pa.PythonFile(self.path.open("rb"), mode="r")

    @contextmanager
    def intact(self, what: str = "what its name says", *errors: type[Exception]) -> Iterator[None]:
        """Turn what damaged bytes raise into an error that names the file.

        Parameters
        ----------
        what
            What the file should be.
        errors
            What its reader raises, in addition to `DAMAGE`.

        Raises
        ------
        InputError
            The file is empty, damaged, or not of the expected format.
        """
        damage: tuple[type[Exception], ...] = (*DAMAGE, *errors)
        try:
            yield
        except damage as error:
            if self.size == 0:
                raise InputError(f"{self.name} is empty") from error
            if self.path is not None and is_pointer(str(self.path)):
                raise InputError(
                    f"{self.name} only points to a file of Git LFS; fetch that with git lfs pull"
                ) from error
            reason = str(error).strip().partition("\n")[0]
            if self.remote is not None and isinstance(error, OSError):
                raise InputError(f"{self.name} could not be read to its end: {reason}; try again") from error
            raise InputError(
                f"{self.name} is damaged or is not {what}: {reason}; write or download it again"
            ) from error

    def raw(self) -> BinaryIO:
        """Open the bytes as they are, for Python."""
        if self.remote is not None:
            return self.remote.open()  # type: ignore[no-any-return]
        return BytesIO(self.content) if self.path is None else self.path.open("rb")


def is_pointer(path: str) -> bool:
    """Whether a file stands for one of Git LFS; such files are small."""
    try:
        if os.path.getsize(path) > _POINTS:  # noqa: PTH202  # a hundred thousand times
            return False
        with Path(path).open("rb") as stream:
            return stream.read(len(POINTER)) == POINTER
    except OSError:
        return False


#: Bytes that show what a text is, and lines that show whether it is of TREC.
_START, _SHOWN = 4096, 5

#: By format: endings of file names.
ENDINGS = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson", ".jsonlines", ".json"),
    "parquet": (".parquet", ".pq"),
    "feather": (".feather", ".arrow", ".arrows", ".ipc"),
    "duckdb": (".duckdb", ".ddb"),
    "excel": (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
    "markdown": (".md", ".markdown"),
    "html": (".html", ".htm"),
    "yaml": (".yaml", ".yml"),
}

#: Formats of documents, which may hold more than a table of scores; in a folder they are read if there are no others.
DOCUMENTS = ("excel", "markdown", "html", "yaml")

#: Formats of files that may hold several tables.
SEVERAL = ("duckdb", "jsonl", *DOCUMENTS)

_FORMATS = {ending: name for name, endings in ENDINGS.items() for ending in endings}

#: Formats by name.
FORMATS = tuple(ENDINGS)

_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd", ".bz2": "bz2", ".xz": "xz"}

_COMPRESSION_MAGIC = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh", "bz2"), (b"\xfd7zXZ", "xz"))

_FORMAT_MAGIC = (
    (0, b"PAR1", "parquet"),
    (0, b"ARROW1", "feather"),
    (0, b"\xff\xff\xff\xff", "feather"),
    (8, b"DUCK", "duckdb"),
    (0, b"PK\x03\x04", "excel"),
    (0, b"\xd0\xcf\x11\xe0", "excel"),
)

#: How a page begins, and what is below the names of a Markdown table.
_HTML = re.compile(rb"\s*(<!--.*?-->\s*)*<(!doctype|html|head|body|table|div|meta)\b", re.IGNORECASE | re.DOTALL)
_RULED = re.compile(rb"\|[^\n]*\n(?=[^\n]*-)(?=[^\n]*[|+])[ \t|+:-]+\r?(\n|\Z)")


def by_ending(name: str) -> tuple[str | None, str | None]:
    """Format and compression that a file name shows.

    >>> by_ending("runs.TSV.gz"), by_ending("scores")
    (('tsv', 'gzip'), (None, None))
    """
    path = Path(name.lower())
    compression = _COMPRESSIONS.get(path.suffix)
    ending = path.with_suffix("").suffix if compression else path.suffix
    return _FORMATS.get(ending), compression


def sniffed(file: File) -> File:
    """Look at the first bytes for what the name does not show."""
    with file.raw() as raw:
        file = replace(file, compression=file.compression or _compression_of(raw.read(8)))
    if file.format:
        return file
    try:
        with file.open() as stream:
            head = bytes(stream.read(_START))
    except (*DAMAGE, ValueError):  # damaged: the reader explains why
        head = b""
    return replace(file, format=_binary(head) or _of_text(head.removeprefix(b"\xef\xbb\xbf")) or "csv")


def _compression_of(head: bytes) -> str | None:
    return next((name for magic, name in _COMPRESSION_MAGIC if head.startswith(magic)), None)


def _binary(head: bytes) -> str | None:
    """Format of a file that is not text."""
    return next((name for offset, magic, name in _FORMAT_MAGIC if head[offset:].startswith(magic)), None)


def _of_text(head: bytes) -> str | None:
    """Format of a text, if it is no table with lines and delimiters."""
    head = head[:_START]
    if head.lstrip().startswith((b"{", b"[")):
        return "jsonl"
    if _HTML.match(head):
        return "html"
    return "markdown" if b"|" in head and _RULED.search(head) else None


def disguise(head: bytes, format: str = "csv") -> str | None:  # noqa: A002  # the word people use
    """What a file really is if its name says text of a format but it begins otherwise; None if it can be that.

    >>> disguise(b"PAR1...")
    "holds parquet data, not text; rename it, or say format='parquet' (--input-format parquet)"
    """
    if (binary := _binary(head)) is not None:
        return f"holds {binary} data, not text; rename it, or say format={binary!r} (--input-format {binary})"
    if (compression := _compression_of(head)) is not None:
        ending = next(ending for ending, name in _COMPRESSIONS.items() if name == compression)
        return f"is compressed with {compression}; rename it so that it ends in {ending}"
    other = None if format in DOCUMENTS else _of_text(head)
    if other == "html":
        return (
            "is an HTML page; download the file itself (on GitHub: Raw), or read the tables of the page with "
            "format='html' (--input-format html)"
        )
    if other == "markdown":
        return "holds a Markdown table; rename it, or say format='markdown' (--input-format markdown)"
    return _of_others(head)


def _of_others(head: bytes) -> str | None:
    """What a pointer to another file, or a run or judgements of TREC are, which hold no scores."""
    if head.startswith(POINTER):
        return "only points to a file of Git LFS; fetch that with git lfs pull"
    lines = [line.split() for line in head[:_START].splitlines()[:_SHOWN] if line.strip()]
    if lines and all(len(line) == 6 and line[1].upper() == b"Q0" for line in lines):
        what = (
            "is a run of TREC, which ranks documents and holds no scores; list it under available_rankings, and qrels"
        )
    elif lines and all(len(line) == 4 and line[1] in {b"0", b"Q0"} and line[3].isdigit() for line in lines):
        what = "holds judgements of TREC, and no scores; list it under qrels, and runs under available_rankings"
    else:
        return None
    return f"{what}, in a YAML file, and type podium rank --trec FILE"


#: How an address begins that is no path.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")

#: Seconds until a store that does not answer is given up, and tries.
_CONNECT, _ANSWER, _TRIES = 5.0, 10.0, 2

#: Letters of what a store says that are shown.
_LONGEST = 200

#: Where credentials come from, by scheme.
_CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role; AWS_ENDPOINT_URL names another store",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS, or gcloud auth application-default login",
    "abfs": "AZURE_STORAGE_ACCOUNT_NAME, with az login or AZURE_STORAGE_ACCOUNT_KEY",
}

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
    """Whether a source is an address.

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
        found = sorted(_listed(system, address))
    if not found:
        if _is_pattern(address):
            raise InputError(f"no file matches {url!r}")
        raise InputError(f"there is no file {url!r}{', or its server does not answer' if _is_web(address) else ''}")
    start = url.removesuffix(address.place)
    return [Remote(start + place, system, place, size) for place, size in found]


def _listed(system: Any, address: _Address) -> Iterator[tuple[str, int]]:
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
    r"""Regular expression of a pattern: `**/` is any folders, `*` and `?` stay in one, `[…]` is one of some letters.

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
    """Arrow's file system for an address; credentials are those that the tools of the store use."""
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
    return fs.S3FileSystem(
        anonymous=os.environ.get("AWS_NO_SIGN_REQUEST", "").lower() in {"1", "true", "yes"},
        region=region,
        endpoint_override=endpoint,
        connect_timeout=_CONNECT,
        request_timeout=_ANSWER,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=_TRIES),
    )


def _through_fsspec(address: _Address) -> Any:
    """Any other store that fsspec knows, the web among them."""
    from pyarrow.fs import FSSpecHandler, PyFileSystem  # noqa: PLC0415  # only for what is far away

    try:
        import fsspec  # noqa: PLC0415  # optional

        system = fsspec.filesystem(address.scheme, **_patience(address))
    except ModuleNotFoundError:
        raise MissingExtraError("fsspec and aiohttp", "remote", address.url) from None
    except ImportError as error:  # it says what to install
        raise InputError(f"{address.url} cannot be read yet: {error}") from None
    except ValueError:
        known = "s3://, gs://, abfs://, https:// or file://"
        raise InputError(f"{address.url} begins with {address.scheme}://, which no store has; use {known}") from None
    return PyFileSystem(FSSpecHandler(system))


def _patience(address: _Address) -> dict[str, Any]:
    """How long fsspec waits for the web; without that, five minutes."""
    if not _is_web(address):
        return {}
    from aiohttp import ClientTimeout  # noqa: PLC0415  # optional

    return {"client_kwargs": {"timeout": ClientTimeout(total=None, sock_connect=_CONNECT, sock_read=_ANSWER)}}


@contextmanager
def _answering(address: _Address) -> Iterator[None]:
    """Turn what a store answers into an error that says what to do.

    Raises
    ------
    InputError
        It does not answer, or refuses.
    """
    try:
        yield
    except (OSError, ValueError) as error:
        reason = beginning(" ".join(str(error).split()), _LONGEST)
        raise InputError(f"{address.url} cannot be read: {reason}{_advice(address, str(error))}") from error


def _advice(address: _Address, reason: str) -> str:
    """What to do."""
    credentials = _CREDENTIALS.get(address.scheme)
    if credentials and re.search(
        r"ACCESS_DENIED|403|Forbidden|credential|InvalidAccessKey|SignatureDoesNotMatch", reason
    ):
        public = "; for public data set AWS_NO_SIGN_REQUEST=1" if address.scheme == "s3" else ""
        return f"; give credentials ({credentials}){public}"
    return "; check the address and the network"
