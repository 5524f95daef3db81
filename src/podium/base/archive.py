"""Arrays in one file behind a header in JSON, which says what they are: an .npz, in which each array has a checksum."""

import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

#: Name of the header among the arrays of a file, and the ending of all names.
_HEADER, _ENDING = "header", ".npy"

#: What damaged bytes raise.
_OF_DAMAGE = (ValueError, KeyError, EOFError, RuntimeError, OverflowError, zipfile.BadZipFile, zlib.error)


class Archive:
    """A file that is read array by array.

    Parameters
    ----------
    file
        Its path, or its bytes.

    Raises
    ------
    ValueError
        It is no such file, or is damaged.
    OSError
        It cannot be read.

    Examples
    --------
    >>> content = io.BytesIO()
    >>> write_archive(content, {"kind": "tosses"}, [("heads", np.array([3, 1]))])
    >>> found = Archive(content)
    >>> found.header, found.names, found["heads"]
    ({'kind': 'tosses'}, ('heads',), array([3, 1]))
    """

    def __init__(self, file: Path | BinaryIO) -> None:
        with _noticing():
            self._file = zipfile.ZipFile(file)
            self.header: Any = json.loads(str(self[_HEADER]))
        names = (name.removesuffix(_ENDING) for name in self._file.namelist())
        self.names = tuple(name for name in names if name != _HEADER)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Read an array; a ValueError says that it is damaged, or not there."""
        with _noticing():
            content = self._file.read(f"{name}{_ENDING}")
            found: NDArray[Any] = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
        return found


def write_archive(
    file: BinaryIO, header: Any, arrays: Iterable[tuple[str, NDArray[Any]]], *, compressed: bool = False
) -> None:
    """Write a header and named arrays, each as soon as it is there; the same bytes for the same content."""
    kind = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", kind) as archive:
        _write_array(archive, _HEADER, np.array(json.dumps(header)))
        for name, array in arrays:
            _write_array(archive, name, array)


def _write_array(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    entry = zipfile.ZipInfo(f"{name}{_ENDING}")  # of 1980, so that bytes do not depend on the time
    entry.compress_type = archive.compression
    with archive.open(entry, "w", force_zip64=True) as member:
        np.lib.format.write_array(member, array, allow_pickle=False)


@contextmanager
def _noticing() -> Iterator[None]:
    """Turn whatever damaged bytes raise into a ValueError."""
    try:
        yield
    except _OF_DAMAGE as error:
        raise ValueError(str(error)) from error
