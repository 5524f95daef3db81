"""Arrays handed to processes of this machine: they are put into memory without a name, which others map.

A file of `memfd_create` has no name and no disk. Other processes of the same user find it among the open files of its
owner (`/proc/PID/fd/N`). It is gone with the last process that has it open, however that ends. So scores take one copy
to a worker, where a socket takes five.
"""

import mmap
import os
import pickle
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

#: Arrays begin at a multiple of so many bytes.
_ALIGNED = 64

#: Files that an owner keeps for the next value; new ones must be made of empty pages, which takes as long as a copy.
_KEPT = 8


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value is: all of it but arrays, pickled, and where in the file of which process these are."""

    owner: int
    file: int
    identity: int
    size: int
    rest: bytes
    arrays: tuple[tuple[int, int], ...]


class Hands:
    """Hands values over, and takes their memory back.

    Examples
    --------
    >>> import numpy as np
    >>> hands = Hands()
    >>> place = hands.over({"a": np.arange(3), "b": "text"})
    >>> taken(place)
    {'a': array([0, 1, 2]), 'b': 'text'}
    >>> hands.back(place)
    """

    def __init__(self) -> None:
        self._free: list[_Memory] = []
        self._used: dict[int, _Memory] = {}

    def over(self, value: Any) -> Place:
        """Copy a value, whose arrays must lie in one piece, and return where it is."""
        found: list[pickle.PickleBuffer] = []
        rest = pickle.dumps(value, protocol=5, buffer_callback=found.append)
        places, end = [], 0
        for one in found:
            size = one.raw().nbytes
            places.append((end, size))
            end = -(-(end + size) // _ALIGNED) * _ALIGNED
        memory = self._memory(end)
        with memoryview(memory) as whole:
            for (start, size), one in zip(places, found, strict=True):
                whole[start : start + size] = one.raw()
        self._used[memory.file] = memory
        return Place(os.getpid(), memory.file, memory.identity, len(memory), rest, tuple(places))

    def _memory(self, size: int) -> "_Memory":
        """Take memory that is kept, the least that is large enough, or make some."""
        fitting = [one for one in self._free if len(one) >= size]
        if not fitting:
            return _Memory.of(size)
        least = min(fitting, key=len)
        self._free.remove(least)
        return least

    def back(self, place: Place) -> None:
        """Take the memory of a value back; nothing may read the value any more."""
        self._free.append(self._used.pop(place.file))
        if len(self._free) > _KEPT:
            self._free.pop(0).let_go()

    def close(self) -> None:
        """Let all memory go that was taken back."""
        while self._free:
            self._free.pop().let_go()


class _Memory(mmap.mmap):
    """A file without a name or a disk, mapped."""

    file: int
    identity: int

    @classmethod
    def of(cls, size: int) -> "_Memory":
        """Make one, somewhat larger, so that it holds the next value too."""
        size = 1 << max(size - 1, mmap.PAGESIZE - 1).bit_length()
        file = os.memfd_create("podium", os.MFD_CLOEXEC)
        os.ftruncate(file, size)
        made = cls(file, size)
        made.file, made.identity = file, os.fstat(file).st_ino
        return made

    def let_go(self) -> None:
        """Close it."""
        self.close()
        os.close(self.file)


def possible() -> bool:
    """Whether this system has such memory: Linux does."""
    return hasattr(os, "memfd_create") and os.path.exists(f"/proc/{os.getpid()}/fd")  # noqa: PTH110  # no path


def taken(place: Place) -> Any:
    """Return a value that was handed over; its arrays are read-only views of the memory of its owner."""
    whole = memoryview(_mapped(place.owner, place.file, place.identity, place.size))
    return pickle.loads(place.rest, buffers=[whole[start : start + size] for start, size in place.arrays])  # noqa: S301  # of our own process


@lru_cache(maxsize=_KEPT)
def _mapped(owner: int, file: int, identity: int, size: int) -> mmap.mmap:
    """Map a file of another process, once."""
    opened = os.open(f"/proc/{owner}/fd/{file}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        if os.fstat(opened).st_ino != identity:
            raise FileNotFoundError(f"file {file} of process {owner} is another one by now")
        return mmap.mmap(opened, size, prot=mmap.PROT_READ)
    finally:
        os.close(opened)
