"""The end of a Parquet file, which says where and what everything before it is; nothing in the file covers it.

The name of a file of rows has digits of its digest. So it is compared before Arrow reads it, whose C++ ends the process
over some damaged ones, and whoever reads a part of a file is sure of the rest: pages have checksums.
"""

from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa

from podium.store.place import Place

#: Bytes that are read to find the end, and of what stands behind it: its length and a word.
_TAIL, _BEHIND = 2**16, 8

#: Digits of its digest in the name of a file.
_DIGITS = 16


def end_of(place: Place, name: str) -> Any:
    """Return the end of a file as a file of its own, from which Arrow knows all but the rows.

    Raises
    ------
    BoardError
        The file is missing, or the store does not give it.
    ValueError
        It is not what the name of the file says.
    """
    with place.open(name) as stream, place.answering(name):
        size = stream.size()
        tail = _last(stream, size, min(size, _TAIL))
        length = int.from_bytes(tail[-_BEHIND:-4], "little") + _BEHIND
        tail = tail[-length:] if length <= len(tail) else _last(stream, size, min(size, length))
    digits = name.rpartition(".")[0].rpartition("-")[2]
    if len(digits) == _DIGITS and digits != _digits_of(tail):
        raise ValueError("its end has changed")
    return pa.BufferReader(tail)


def digest_of_end(path: Path) -> str:
    """Return digits of the digest of the end of a file of this machine."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        length = int.from_bytes(_last(stream, size, _BEHIND)[:4], "little") + _BEHIND
        return _digits_of(_last(stream, size, length))


def _last(stream: Any, size: int, length: int) -> bytes:
    stream.seek(size - length)
    content: bytes = stream.read(length)
    return content


def _digits_of(content: bytes) -> str:
    return sha256(content).hexdigest()[:_DIGITS]
