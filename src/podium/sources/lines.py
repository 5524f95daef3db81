"""Text files as lines: UTF-8 with or without a byte order mark, plain or compressed."""

import io
from collections.abc import Iterator
from typing import Any

from podium.errors import InputError
from podium.sources.paths import DAMAGE, File

__all__ = ["Lines", "decoded_head"]

_HEAD = 2**17

_BOM = b"\xef\xbb\xbf"


class Lines:
    """The lines of a text file.

    Parameters
    ----------
    file
        Where it is.
    """

    def __init__(self, file: File) -> None:
        self.file = file
        self.name = file.name

    def open(self) -> Any:
        """Open the bytes, decompressed."""
        return self.file.open()

    def damaged(self, error: BaseException) -> InputError:
        """Say that the bytes cannot be had."""
        reason = str(error).strip().partition("\n")[0]
        return InputError(f"{self.name} is damaged, or not what its name says: {reason}; write or download it again")

    def head(self) -> tuple[bytes, bool]:
        """Return the first bytes, and whether they are all."""
        try:
            with self.open() as stream:
                head = bytes(stream.read(_HEAD))
                return head, len(head) < _HEAD
        except (*DAMAGE, ValueError) as error:
            raise self.damaged(error) from error

    def raw(self) -> Iterator[bytes]:
        """Yield the lines as bytes, without byte order mark."""
        try:
            with self.open() as stream, io.BufferedReader(stream, 2**20) as lines:
                for number, line in enumerate(lines):
                    yield line.removeprefix(_BOM) if number == 0 else line
        except DAMAGE as error:
            raise self.damaged(error) from error

    def blocks(self, size: int) -> Iterator[bytes]:
        """Yield whole lines, about `size` bytes at a time, without byte order mark."""
        rest = b""
        start = True
        try:
            with self.open() as stream:
                while chunk := bytes(stream.read(size)):
                    whole, newline, after = (chunk.removeprefix(_BOM) if start else chunk).rpartition(b"\n")
                    start = False
                    if newline:
                        yield rest + whole + newline
                    rest = after if newline else rest + after
        except DAMAGE as error:
            raise self.damaged(error) from error
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
        """Say which byte of which line is not UTF-8."""
        byte = error.object[error.start]
        return InputError(
            f"{self.name}, line {line}: byte {error.start + 1} of the line (0x{byte:02x}) is not UTF-8; save the file "
            "again as UTF-8"
        )


def decoded_head(lines: Lines) -> tuple[str, bool]:
    """First lines of a file as text, and whether they are all; the last line may be cut where they are not.

    Raises
    ------
    InputError
        The file is empty, damaged, or not UTF-8.
    """
    head, whole = lines.head()
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{lines.name} is UTF-16, not UTF-8; save the file again as UTF-8")
    head = head.removeprefix(_BOM)
    if not head.strip():
        raise InputError(
            f"{lines.name} is empty; it needs a header line and at least one row"
            if whole
            else f"{lines.name} begins with {_HEAD} blank bytes"
        )
    complete = head if whole else head[: head.rfind(b"\n") + 1] or head
    try:
        return complete.decode(), whole
    except UnicodeDecodeError as error:
        line = complete.count(b"\n", 0, error.start) + 1
        start = complete.rfind(b"\n", 0, error.start) + 1
        shifted = UnicodeDecodeError("utf-8", complete[start:], error.start - start, error.end - start, error.reason)
        raise lines.not_utf8(line, shifted) from error
