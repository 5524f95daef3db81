"""Text files as lines: UTF-8 with or without byte order mark, plain or compressed."""

import codecs
import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import isfinite

from podium.base.errors import InputError
from podium.source.file import File, disguise

_HEAD = 2**17

#: Maximum number of first bytes that are searched for complete rows.
_LONGEST_HEAD = 2**27

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
        """First bytes, and whether these are all bytes."""
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
        """Error: a byte of a line is not UTF-8."""
        byte = error.object[error.start]
        return InputError(
            f"{self.name}, line {line}: byte {error.start + 1} of the line (0x{byte:02x}) is not UTF-8; save the file "
            "again as UTF-8"
        )


def decoded_head(lines: Lines, enough: Callable[[str], bool]) -> tuple[str, bool]:
    """First lines of a file as text, as many as needed, and whether these are all lines.

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
    """The encoding of a text that is not UTF-8, from its mark or from many NUL bytes; None if it may be UTF-8.

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
    """All text of a document.

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
