"""Places that a text takes on the screen, and texts that take fewer."""

import unicodedata
from bisect import bisect_left
from collections.abc import Collection

#: Categories of signs that take no place of their own: marks on a letter, and joiners.
_NO_PLACE = frozenset({"Mn", "Me", "Cf"})

#: Shares of what stays of a name that stand before the cut.
_BEFORE = (0.5, 0.75, 0.25, 0.9, 0.1)


def width_of(text: str) -> int:
    r"""Return the places on the screen: two for wide East Asian characters, none for combining marks.

    >>> width_of("日本"), width_of("e\u0301")
    (4, 1)
    """
    return len(text) if text.isascii() else sum(map(_places, text))


def _places(sign: str) -> int:
    if unicodedata.category(sign) in _NO_PLACE:
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def longest_word(text: str) -> int:
    """Return the places of the widest word."""
    return max(map(width_of, text.split(" ")))


def folded(text: str, width: int) -> list[str]:
    """Break a text into lines between its words, never inside one.

    >>> folded("share of scores removed", 12)
    ['share of', 'scores', 'removed']
    """
    lines: list[str] = []
    for word in text.split(" "):
        if lines and width_of(lines[-1]) + 1 + width_of(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def shorten(name: str, width: int, before: float = 0.5) -> str:
    """Leave out the middle of a name that is too wide; of what stays, a share is before the cut.

    >>> shorten("distilbert-base-cased", 12), shorten("bert", 12)
    ('distil…cased', 'bert')
    """
    if width_of(name) <= width:
        return name
    left = min(max(round((width - 1) * before + 0.25), 1), width - 2)
    end = _beginning(name[::-1], width - 1 - left)[::-1]
    while end and not _places(end[0]):  # a mark whose letter was left out
        end = end[1:]
    return f"{_beginning(name, left)}…{end}"


def _beginning(text: str, width: int) -> str:
    """Return as many signs of a text as have room."""
    if text.isascii():
        return text[:width]
    used = 0
    for index, sign in enumerate(text):
        used += _places(sign)
        if used > width:
            return text[:index]
    return text


def shortened(names: Collection[str], width: int) -> list[str]:
    """Shorten names alike: in the middle, or a little to the side of it where that keeps more of them different.

    >>> shortened(["model-7b-instruct", "model-9b-instruct"], 12)
    ['model-7b…uct', 'model-9b…uct']
    """
    best: list[str] = []
    for before in _BEFORE:
        texts = [shorten(name, width, before) for name in names]
        if len(set(texts)) > len(set(best)):
            best = texts
        if len(set(best)) == len(set(names)):
            break
    return best


def enough(names: Collection[str], least: int, most: int) -> int:
    """Return a width at which different names still look different, as small as it goes; without one, the least.

    >>> enough(["llama-3-8b-chat", "llama-3-70b-chat"], 5, 16)
    9
    """
    different = set(names)

    def all_differ(width: int) -> bool:
        return len(set(shortened(different, width))) == len(different)

    widths = range(least, most + 1)
    found = bisect_left(widths, True, key=all_differ)  # almost always, names that differ do so at greater widths
    return widths[found] if found < len(widths) else least
