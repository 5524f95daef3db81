"""Arrays on disk, if the memory that is allowed is small; and work on large arrays some columns at a time."""

import mmap
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError

#: Bytes of the first file that holds several arrays, and of the largest; each has twice as many as the one before.
_FIRST, _LARGEST = 2**26, 2**30

#: Arrays begin at a multiple of so many bytes, as vector instructions like them to.
_ALIGNED = 64

#: Bytes that the interpreter, its libraries and the rows at hand take; less cannot be promised.
_LEAST = 400_000_000

#: Bytes below what is allowed at which pages are let go, as some come while a batch or a block is worked on.
_AHEAD = 2**27

#: Bytes of files that are left in memory without a word.
_FEW = 2**23

#: Seconds between two looks at the memory that is used; longer where no system tells how much that is.
_LOOK, _BLIND = 0.004, 0.25

#: Where Linux says how much memory this process holds.
_STATM = Path("/proc/self/statm")

#: Bytes of a unit.
_UNITS = {"": 1, "B": 1} | {
    f"{prefix}{end}": base**power
    for power, prefix in enumerate("KMGT", 1)
    for end, base in (("B", 1000), ("", 1000), ("iB", 1024), ("i", 1024))
}


class Room(Protocol):
    """Where arrays are made: NumPy itself for memory, or a `Spill`."""

    def empty(self, shape: Any, dtype: Any) -> NDArray[Any]:
        """Return an array that holds anything."""

    def zeros(self, shape: Any, dtype: Any) -> NDArray[Any]:
        """Return an array of zeros."""


MEMORY: Room = np


class Spill:
    """A room on disk. While the process holds more than so many bytes, what it has read of its files is let go.

    Arrays are shared mappings of temporary files without a name, so nothing is left behind, however the process ends.
    A thread looks at the resident memory and gives pages back to the system; who computes with an array never
    notices, and results are the same. Files are removed with the last of their arrays.

    Parameters
    ----------
    memory
        Bytes that the process may hold, all included.

    Raises
    ------
    InputError
        That is less than 400 MB, which podium and its libraries may take without the table; or TMPDIR names no folder.

    Examples
    --------
    >>> room = Spill(2**31)
    >>> array = room.zeros((2, 3), np.float64)
    >>> array[0] = 1
    >>> array.sum(), room_of(array.T[1:]) is room, room_of(np.zeros(3)) is MEMORY
    (np.float64(3.0), True, True)
    """

    def __init__(self, memory: int) -> None:
        if memory < _LEAST:
            raise InputError(
                f"{memory / 1e6:,.0f} MB of memory is too little, as podium and its libraries take up to "
                f"{_LEAST / 1e6:.0f} MB without the table; allow more (--memory 500MB)"
            )
        check_temporary_folder()
        self.memory = memory
        # Arrays keep their segment, and a segment its room: so both are gone with the last array. A list that is there
        # never changes, as the thread that watches may be looking at it.
        self._segments: tuple[ref[_Segment], ...] = ()
        threading.Thread(target=_watch, args=(ref(self),), name="podium-spill", daemon=True).start()

    def empty(self, shape: int | Sequence[int], dtype: Any) -> NDArray[Any]:
        """Return an array on disk; its bytes are zeros.

        Raises
        ------
        InputError
            The disk is full.
        """
        dtype = np.dtype(dtype)
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        if size == 0:
            return np.empty(shape, dtype)
        segment = self._segments[-1]() if self._segments else None
        if segment is None or segment.used + size > len(segment):
            segment = self._new(size, _FIRST if segment is None else min(2 * len(segment), _LARGEST))
            self._segments = (*(one for one in self._segments if one() is not None), ref(segment))
        return np.ndarray(shape, dtype, segment, segment.take(size))

    zeros = empty

    def _new(self, least: int, size: int) -> "_Segment":
        """Make a file of that size; where the disk has no room for it, of less, but at least of so many bytes."""
        while size > least:
            with suppress(InputError):
                return _Segment.of(size, self)
            size //= 2
        return _Segment.of(least, self)

    def release(self) -> None:
        """Give the pages of all arrays back to the system; they are read again where they are wanted."""
        if hasattr(mmap, "MADV_DONTNEED"):  # Windows does so by itself
            for one in self._segments:
                if (segment := one()) is not None:
                    segment.madvise(mmap.MADV_DONTNEED)


class _Segment(mmap.mmap):
    """A temporary file, mapped; `home` is the spill that it is of, and `used` how many of its bytes arrays have."""

    home: Spill
    used: int

    @classmethod
    def of(cls, size: int, home: Spill) -> "_Segment":
        """Make a file of that size, all of it reserved: a write to a full disk through a mapping ends the process."""
        try:
            with tempfile.TemporaryFile(prefix="podium-") as file:
                file.truncate(size)
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, size)
                segment = cls(file.fileno(), size)
        except OSError as error:
            raise no_room(error) from error
        segment.home, segment.used = home, 0
        return segment

    def take(self, size: int) -> int:
        """Where the next array begins."""
        start = self.used
        self.used = -(-(start + size) // _ALIGNED) * _ALIGNED
        return start


def check_temporary_folder() -> None:
    """Refuse a folder for temporary files that is not there; Python would take another, and say nothing.

    Raises
    ------
    InputError
        TMPDIR names no folder.
    """
    named = os.environ.get("TMPDIR")
    if named and not Path(named).is_dir():
        raise InputError(f"TMPDIR is {named!r}, which is no folder; make it, or name another for the table")


def no_room(error: OSError) -> InputError:
    """Return the error for a disk that is full, or a folder for temporary files that is not there."""
    return InputError(
        f"the table does not fit into {tempfile.gettempdir()}: {error.strerror or error}; name a folder with more room "
        "in the environment variable TMPDIR, or allow more memory"
    )


def _watch(spill: "ref[Spill]") -> None:
    """Keep the memory of the process below what is allowed, until the spill is gone."""
    floor = 0
    while (here := spill()) is not None:
        held = resident()
        if held is None or (held > here.memory - _AHEAD and _of_files() > floor + _FEW):
            here.release()
            floor = _of_files()
        del here
        time.sleep(_LOOK if held is not None else _BLIND)


def room_of(array: NDArray[Any]) -> Room:
    """Where an array, or what it is a view of, is held."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return base.home if isinstance(base, _Segment) else MEMORY


def _pages(field: int) -> int | None:
    """Bytes, from what Linux says of this process; None elsewhere."""
    try:
        return int(_STATM.read_bytes().split()[field]) * mmap.PAGESIZE
    except OSError:
        return None


def resident() -> int | None:
    """Bytes of memory that this process holds; None where the system does not say."""
    return _pages(1)


def _of_files() -> int:
    """Bytes of these that are pages of files."""
    return _pages(2) or 0


def bytes_of(size: str | int) -> int:
    """Read a size such as "2GB", "512MiB" or a number of bytes.

    Raises
    ------
    InputError
        It is no size.

    Examples
    --------
    >>> bytes_of("2GB"), bytes_of("1.5 GiB"), bytes_of(4096)
    (2000000000, 1610612736, 4096)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(size))
    unit = {name.upper(): number for name, number in _UNITS.items()}.get(found[2].upper()) if found else None
    if found is None or unit is None or isinstance(size, bool):
        raise InputError(f"memory is {size!r}; write a size such as 2GB or 512MiB")
    return int(float(found[1]) * unit)


#: Numbers that are worked on at a time.
_AT_ONCE = 2**20


def pieces(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Yield runs of columns of an array, each of some numbers that fit into memory many times.

    >>> list(pieces(2**19, 5))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    width = max(_AT_ONCE // max(n_rows, 1), 2)
    for start in range(0, n_columns, width):
        yield slice(start, min(start + width, n_columns))


def over_columns(shape: tuple[int, ...], function: Callable[[slice], NDArray[Any]]) -> NDArray[Any]:
    """Return what a function makes of some columns of an array `(N, K)` at a time, put together along the last axis.

    Sums over rows are as they were for all columns at once: a single column would be added up in another order, so the
    function never gets one, unless there is only one.

    Examples
    --------
    >>> values = np.arange(10.0).reshape(2, 5)
    >>> over_columns(values.shape, lambda columns: values[:, columns].sum(axis=0))
    array([ 5.,  7.,  9., 11., 13.])
    """
    made, (n_rows, n_columns) = [], shape
    for some in pieces(n_rows, n_columns):
        if some.stop - some.start == 1 < n_columns:
            made.append(function(slice(some.start - 1, some.stop))[..., 1:])
        else:
            made.append(function(some))
    return made[0] if len(made) == 1 else np.concatenate(made, axis=-1)


def side_by_side(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays `(N, …)` one beside the other, held where the first is.

    >>> side_by_side([np.ones((2, 1)), np.zeros((2, 2))])
    array([[1., 0., 0.],
           [1., 0., 0.]])
    """
    if len(arrays) == 1:
        return arrays[0]
    shape = (len(arrays[0]), sum(array.shape[1] for array in arrays))
    whole = room_of(arrays[0]).empty(shape, np.result_type(*arrays))
    return np.concatenate(arrays, axis=1, out=whole)


def columns_of(values: NDArray[Any], chosen: NDArray[Any]) -> NDArray[Any]:
    """Return some columns of an array, by mask or by place, held where it is.

    >>> columns_of(np.arange(6.0).reshape(2, 3), np.array([True, False, True]))
    array([[0., 2.],
           [3., 5.]])
    """
    places = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
    taken = room_of(values).empty((len(values), places.size), values.dtype)
    for row, own in zip(values, taken, strict=True):
        np.take(row, places, out=own, mode="clip")  # other modes copy once more
    return taken


def as_type(values: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """Return the same as numbers of a type, held where they are.

    >>> as_type(np.ones(2), np.float32).dtype
    dtype('float32')
    """
    if values.dtype == dtype:
        return values
    cast = room_of(values).empty(values.shape, dtype)
    cast[...] = values
    return cast
