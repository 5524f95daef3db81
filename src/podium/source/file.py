"""One file to read: its bytes, unpacked; its format, by the end of its name or its first bytes; and its lines."""

import codecs
import io
import lzma
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from io import BytesIO
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from podium.base.errors import InputError

if TYPE_CHECKING:
    from podium.source.path import Remote

#: What reading damaged bytes raises, in addition to the errors of Arrow.
DAMAGE = (OSError, EOFError, lzma.LZMAError)

#: How a file begins that stands for one of Git LFS, in a clone without it, and bytes it may have.
POINTER, _POINTS = b"version https://git-lfs.github.com/spec/", 1024


def reason(error: BaseException) -> str:
    """Return the first line of what an error says."""
    return str(error).strip().partition("\n")[0]


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
        """Return how many bytes it has on disk, or wherever it is."""
        if self.remote is not None:
            return self.remote.size
        return len(self.content) if self.path is None else self.path.stat().st_size

    @property
    def portable(self) -> bool:
        """Return whether it can be read by its name on another machine, as standard input and pipes cannot."""
        return self.path is not None or self.remote is not None

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
            why = reason(error)
            if self.remote is not None and isinstance(error, OSError):
                raise InputError(f"{self.name} could not be read to its end: {why}; try again") from error
            raise InputError(f"{self.name} is damaged or is not {what}: {why}; write or download it again") from error

    def raw(self) -> BinaryIO:
        """Open the bytes as they are, for Python."""
        if self.remote is not None:
            return self.remote.open()  # type: ignore[no-any-return]
        return BytesIO(self.content) if self.path is None else self.path.open("rb")


def is_pointer(path: str) -> bool:
    """Return whether a file stands for one of Git LFS; such files are small."""
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
    """Return the format and compression that a file name shows.

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
    return replace(file, format=_binary_format(head) or _text_format(head.removeprefix(b"\xef\xbb\xbf")) or "csv")


def _compression_of(head: bytes) -> str | None:
    return next((name for magic, name in _COMPRESSION_MAGIC if head.startswith(magic)), None)


def _binary_format(head: bytes) -> str | None:
    """Return the format of a file that is not text."""
    return next((name for offset, magic, name in _FORMAT_MAGIC if head[offset:].startswith(magic)), None)


def _text_format(head: bytes) -> str | None:
    """Return the format of a text, if it is no table with lines and delimiters."""
    head = head[:_START]
    if head.lstrip().startswith((b"{", b"[")):
        return "jsonl"
    if _HTML.match(head):
        return "html"
    return "markdown" if b"|" in head and _RULED.search(head) else None


def disguise(head: bytes, format: str = "csv") -> str | None:  # noqa: A002  # the word people use
    """Return what a file really is if its name says text of a format but it begins otherwise; None if it can be that.

    >>> disguise(b"PAR1...")
    "holds parquet data, not text; rename it, or say format='parquet' (--input-format parquet)"
    """
    if (binary := _binary_format(head)) is not None:
        return f"holds {binary} data, not text; rename it, or say format={binary!r} (--input-format {binary})"
    if (compression := _compression_of(head)) is not None:
        ending = next(ending for ending, name in _COMPRESSIONS.items() if name == compression)
        return f"is compressed with {compression}; rename it so that it ends in {ending}"
    other = None if format in DOCUMENTS else _text_format(head)
    if other == "html":
        how = "or read the tables of the page with format='html' (--input-format html)"
        return f"is an HTML page; download the file itself (on GitHub: Raw), {how}"
    if other == "markdown":
        return "holds a Markdown table; rename it, or say format='markdown' (--input-format markdown)"
    return _what_else(head)


def _what_else(head: bytes) -> str | None:
    """Return what a pointer to another file, or a run or judgements of TREC are, which hold no scores."""
    if head.startswith(POINTER):
        return "only points to a file of Git LFS; fetch that with git lfs pull"
    lines = [line.split() for line in head[:_START].splitlines()[:_SHOWN] if line.strip()]
    if lines and all(len(line) == 6 and line[1].upper() == b"Q0" for line in lines):
        return "is a run of TREC, which ranks documents and holds no scores; name its judgements, too: --qrels FILE"
    if lines and all(len(line) == 4 and line[1] in {b"0", b"Q0"} and line[3].isdigit() for line in lines):
        return "holds judgements of TREC, and no scores; name the runs, and this file with --qrels"
    return None


#: First bytes of a text that are read, and most of them that are searched for complete rows.
_HEAD, _LONGEST_HEAD = 2**17, 2**27

_BOM = b"\xef\xbb\xbf"


class Lines:
    """The lines of a text file.

    Parameters
    ----------
    file
        The file.
    """

    def __init__(self, file: File) -> None:
        self.file = file
        self.name = file.name

    def head(self, size: int) -> tuple[bytes, bool]:
        """Return the first bytes, and whether these are all bytes."""
        with self.file.intact("what its name says", ValueError), self.file.open() as stream:
            head = bytes(stream.read(size))
            return head, len(head) < size

    def raw(self) -> Iterator[bytes]:
        """Yield the lines as bytes, without byte order mark."""
        with self.file.intact(), self.file.open() as stream, io.BufferedReader(stream, 2**20) as lines:
            for number, line in enumerate(lines):
                yield line.removeprefix(_BOM) if number == 0 else line

    def blocks(self, size: int) -> Iterator[bytes]:
        """Yield whole lines, about `size` bytes at a time, without byte order mark."""
        rest = b""
        start = True
        with self.file.intact(), self.file.open() as stream:
            while chunk := bytes(stream.read(size)):
                whole, newline, after = (chunk.removeprefix(_BOM) if start else chunk).rpartition(b"\n")
                start = False
                if newline:
                    yield rest + whole + newline
                rest = after if newline else rest + after
        if rest:
            yield rest

    def texts(self) -> Iterator[str]:
        """Yield the lines as text.

        Raises
        ------
        InputError
            A line is not UTF-8.
        """
        for number, line in enumerate(self.raw(), start=1):
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                raise self.not_utf8(number, error) from error

    def not_utf8(self, line: int, error: UnicodeDecodeError) -> InputError:
        """Return the error that a byte of a line is not UTF-8."""
        byte = error.object[error.start]
        what = f"{self.name}, line {line}: byte {error.start + 1} of the line (0x{byte:02x}) is not UTF-8"
        return InputError(f"{what}; save the file again as UTF-8")


def decoded_head(lines: Lines, enough: Callable[[str], bool]) -> tuple[str, bool]:
    """Return the first lines of a file as text, as many as needed, and whether these are all lines.

    Parameters
    ----------
    lines
        The file.
    enough
        Whether a text is long enough. A text that does not end with a line break is a part of the first line.

    Raises
    ------
    InputError
        The file is empty, damaged, or not UTF-8, or its first rows are too long.
    """
    size = _HEAD
    while size <= _LONGEST_HEAD:
        text, whole = _decoded(lines, size)
        if whole or (text.strip() and enough(text)):
            return text, whole
        size *= 2  # long lines: read more
    raise InputError(
        f"{lines.name}: its first rows do not end within {_LONGEST_HEAD >> 20} MiB; check line ends and quotes"
    )


def _encoding(head: bytes) -> str | None:
    """Return the encoding of a text that is not UTF-8, from its mark or from many NUL bytes; None if it may be UTF-8.

    >>> [_encoding("a,b".encode(name)) for name in ("utf-32", "utf-16", "utf-32-be", "utf-16-le", "utf-8")]
    ['utf-32', 'utf-16', 'utf-32-be', 'utf-16-le', None]
    >>> _encoding(bytes(9))
    'binary data'
    """
    if head.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "utf-32"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    start = head[:4096]
    share = start.count(0) / max(len(start), 1)
    if share < 0.3 or share >= 0.9:
        return None if share < 0.3 else "binary data"
    return f"utf-{16 if share < 0.6 else 32}-{'le' if start[0] else 'be'}"


def _decoded(lines: Lines, size: int) -> tuple[str, bool]:
    head, whole = lines.head(size)
    if (truth := disguise(head, lines.file.format)) is not None:
        raise InputError(f"{lines.name} {truth}")
    if (encoding := _encoding(head)) == "binary data":
        raise InputError(f"{lines.name} is binary data, not text; write or download it again")
    if encoding is not None:
        lines.file = replace(lines.file, encoding=encoding)
        head, whole = lines.head(size)
    head = head.removeprefix(_BOM)
    if whole and not head.strip():
        raise InputError(f"{lines.name} is empty; it needs a header line and at least one row")
    complete = head if whole else head[: head.rfind(b"\n") + 1] or head
    try:
        return codecs.utf_8_decode(complete, "strict", whole)[0], whole  # the last character may be incomplete
    except UnicodeDecodeError as error:
        line = complete.count(b"\n", 0, error.start) + 1
        start = complete.rfind(b"\n", 0, error.start) + 1
        shifted = UnicodeDecodeError("utf-8", complete[start:], error.start - start, error.end - start, error.reason)
        raise lines.not_utf8(line, shifted) from error


def whole_text(file: File) -> str:
    """Return all text of a document.

    Raises
    ------
    InputError
        It is empty, damaged, not text, or too large to be a document.
    """
    if file.size > _LONGEST_HEAD:
        raise InputError(
            f"{file.name} is one document of more than {_LONGEST_HEAD >> 20} MiB; write its table as JSON Lines or CSV"
        )
    return decoded_head(Lines(file), lambda _: False)[0]


def finite(text: bytes) -> float | None:
    """Read a finite number; None if the text is something else, such as the 1_000 of Python.

    >>> finite(b"0.5"), finite(b"1_000"), finite(b"nan"), finite(b"high")
    (0.5, None, None, None)
    """
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) and b"_" not in text else None
