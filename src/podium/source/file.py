"""One file to read: its bytes, unpacked, and what damage to them means."""

import lzma
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from podium.base.errors import InputError
from podium.source.remote import Remote

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
        One of `FORMATS` of `podium.source.signature`; empty if not known yet.
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
    remote: Remote | None = None
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
