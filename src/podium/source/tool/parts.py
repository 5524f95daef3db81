"""Values inside a JSON file that is too large to hold, one at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.source.tool.value import parsed

#: Bytes looked at together.
_PIECE = 2**22

_QUOTE, _BACKSLASH, _COMMA, _COLON = b'"\\,:'

#: What each byte does to the depth, and whether it marks where a value begins or ends.
_DEEPER = np.zeros(256, dtype=np.int8)
_DEEPER[list(b"{[")] = 1
_DEEPER[list(b"}]")] = -1
_MARK = np.zeros(256, dtype=np.bool_)
_MARK[list(b'{}[],:"')] = True

#: How deep values are told apart: members of the file, elements of a list, members of an element.
_DEEPEST = 3

#: A mark: where it stands, which byte, and how many objects and lists are open after it.
_Mark = tuple[int, int, int]


class Parts:
    """The members of the object that a file holds, and of the objects in one of its lists.

    Parameters
    ----------
    path
        The file.
    name
        What errors call it.
    inside
        The member that is a list of objects, whose members come one by one.
    skipped
        Members of these objects that are not parsed.

    Attributes
    ----------
    whole
        Whether the end was there, once all has been read.
    """

    def __init__(self, path: Path, name: str, inside: str = "", skipped: frozenset[str] = frozenset()) -> None:
        self.path, self.name, self.inside, self.skipped = path, name, inside, skipped
        self.whole = False

    def names(self) -> Iterator[str]:
        """Names of the members of the file, without their values."""
        with self.path.open("rb") as stream:
            begin = 0
            for position, byte, depth in self._marks(stream):
                if depth != 1:
                    continue
                if byte == _COLON:
                    yield self._key(begin, position)
                begin = position + 1

    def __iter__(self) -> Iterator[tuple[str, int | None, str, Any]]:
        """Name of a member, number of the element in it, name in the element, value; the last is never cut off."""
        with self.path.open("rb") as stream:
            begin, member, key, element = 0, "", "", -1
            for position, byte, depth in self._marks(stream):
                listed = member == self.inside and depth > 1
                if byte == _COLON and depth == 1:
                    member, element, begin = self._key(begin, position), -1, position + 1
                elif byte == _COLON and listed and depth == _DEEPEST:
                    key, begin = self._key(begin, position), position + 1
                elif (depth == 1 and byte == _COMMA) or depth == 0:
                    if member and member != self.inside:
                        yield member, None, "", self._value(begin, position)
                    member, begin = "", position + 1
                elif listed and _DEEPER[byte] == 1:
                    element += depth == _DEEPEST
                    key, begin = "", position + 1
                elif (
                    listed and key and ((byte == _COMMA and depth == _DEEPEST) or (_DEEPER[byte] == -1 and depth == 2))
                ):
                    if key not in self.skipped:
                        yield member, element, key, self._value(begin, position)
                    key, begin = "", position + 1
                elif depth == 1 and _DEEPER[byte] == 1:
                    begin = position + 1

    def _value(self, begin: int, end: int) -> Any:
        with self.path.open("rb") as stream:
            stream.seek(begin)
            return parsed(stream.read(end - begin), self.name)

    def _key(self, begin: int, end: int) -> str:
        key = self._value(begin, end)
        if not isinstance(key, str):
            raise InputError(f"{self.name} is not JSON: {str(key)[:40]} is no name")
        return key

    def _marks(self, stream: Any) -> Iterator[_Mark]:
        """Marks outside of texts that are not too deep, until the object of the file ends."""
        place, depth, in_text, escaped = 0, 0, False, False
        while piece := stream.read(_PIECE):
            values = np.frombuffer(piece, dtype=np.uint8)
            at = np.flatnonzero(_MARK[values])
            at, escaped = _without_escaped(values, at, escaped)
            quotes = values[at] == _QUOTE
            inside = (np.cumsum(quotes) + in_text) % 2 == 1
            in_text = bool(inside[-1]) if at.size else in_text
            at = at[~inside & ~quotes]
            change = _DEEPER[values[at]]
            depths = depth + np.cumsum(change, dtype=np.int64)
            depth = int(depths[-1]) if at.size else depth
            near = depths + (change < 0) <= _DEEPEST
            at, depths = at[near], depths[near]
            for position, byte, deep in zip(at.tolist(), values[at].tolist(), depths.tolist(), strict=True):
                yield place + position, byte, deep
                if deep <= 0:
                    self.whole = deep == 0
                    return
            place += len(piece)


def _without_escaped(values: NDArray[np.uint8], at: Any, escaped: bool) -> tuple[Any, bool]:
    """Positions that no backslash comes before; and whether one comes before the next piece.

    Of backslashes in a row, every second one is itself escaped.
    """
    slashes = np.flatnonzero(values == _BACKSLASH)
    if not slashes.size:
        return (at[at != 0] if escaped else at), False
    numbers = np.arange(slashes.size)
    first = np.r_[True, np.diff(slashes) > 1]
    begins = np.maximum.accumulate(np.where(first, numbers, 0))
    place = numbers - begins + (escaped & (slashes[begins] == 0))
    after = slashes[place % 2 == 0] + 1
    hidden = np.zeros(values.size + 1, dtype=np.bool_)
    hidden[after] = True
    hidden[0] = escaped
    return at[~hidden[at]], bool(hidden[-1])
