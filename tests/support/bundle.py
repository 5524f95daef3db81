"""What a page holds, unpacked as a browser does."""

import base64
import gzip
import json
from typing import Any

import numpy as np

from podium.webpage.shell import parts_of

__all__ = ["contents", "unpacked"]


def unpacked(data: bytes) -> tuple[Any, dict[str, np.ndarray[Any, Any]]]:
    whole = gzip.decompress(data)
    body = 8 + int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8:body])
    arrays = {}
    for one in header["arrays"]:
        size = int(np.prod(one["shape"]))
        first = body + one["first"]
        if "usual" in one:
            bits = np.frombuffer(whole, np.uint8, -(-size // 8), first)
            others = np.unpackbits(bits, count=size, bitorder="little").astype(np.bool_)
            numbers = np.full(size, np.nan if one["usual"] is None else one["usual"])
            numbers[others] = np.frombuffer(whole, np.float64, others.sum(), first + -(-bits.size // 8) * 8)
        else:
            numbers = np.frombuffer(whole, one["kind"], size, first)
        arrays[one["name"]] = numbers.reshape(one["shape"])
    return header["content"], arrays


def contents(page: str) -> dict[str, Any]:
    """What a page holds besides arrays: of the leaderboard, and by name of what other views need."""
    found = {name: unpacked(base64.b64decode(text))[0] for name, text in parts_of(page).items()}
    return {**found.pop("data"), **found}
