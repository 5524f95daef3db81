"""Tables of text: columns, cells that can be printed, and how many digits a score needs."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

#: Stands where a number does not exist.
DASH = "–"

#: A float64 holds no more significant digits than this.
_MOST = 16


def score_texts(scores: Sequence[float | None], ranks: Sequence[int | None], least: int | None = None) -> list[str]:
    """Write scores alike, with four digits or as many more as neighbouring ranks need to look different.

    Parameters
    ----------
    scores
        Best first, None where there is none.
    ranks
        Rank of each score; scores that share a rank may look the same.
    least
        Decimals to begin with, in place of four digits.

    Examples
    --------
    >>> score_texts([0.75, 0.5, None], [1, 2, None])
    ['0.7500', '0.5000', '–']
    >>> score_texts([0.500001, 0.5], [1, 2])
    ['0.500001', '0.500000']
    """
    largest = max((abs(score) for score in scores if score is not None), default=0.0)
    style, places = _start(largest) if least is None else ("f", least)
    while True:
        texts = [DASH if score is None else f"{score:.{places}{style}}" for score in scores]
        if places >= _MOST or _tell_apart(texts, ranks):
            return texts
        places += 1


def _start(largest: float) -> tuple[str, int]:
    """Notation and number of decimals that show four digits of the largest score."""
    if largest == 0:
        return "f", 4
    if not 1e-4 <= largest < 1e12:
        return "e", 3
    return "f", 4 + max(0, -1 - math.floor(math.log10(largest)))


def _tell_apart(texts: Sequence[str], ranks: Sequence[int | None]) -> bool:
    rows = list(zip(texts, ranks, strict=True))
    return all(upper[0] != lower[0] or upper[1] == lower[1] for upper, lower in pairwise(rows))


# Control characters could move the cursor or recolour the screen; direction overrides reorder a line.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    r"""Spell out characters that would break a line or steer a terminal.

    >>> print(printable("a\tb"))
    a\tb
    """
    return _UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def _signed(number: str) -> str:
    """Write a minus sign in place of a hyphen, and none where rounding left only zeros.

    >>> _signed("-0.75"), _signed("-0.000"), _signed("1–3")
    ('−0.75', '0.000', '1–3')
    """
    if not number.startswith("-"):
        return number
    return number[1:] if set(number[1:]) <= set("0.") else f"−{number[1:]}"


@dataclass(frozen=True, slots=True)
class Column:
    """Texts under one heading; numbers are set to the right."""

    name: str
    cells: tuple[str, ...]
    right: bool = False

    @classmethod
    def words(cls, name: str, cells: Iterable[str]) -> Self:
        """Return a column that is set to the left; signs that could steer a terminal are spelt out."""
        return cls(printable(name), tuple(map(printable, cells)))

    @classmethod
    def numbers(cls, name: str, cells: Iterable[str]) -> Self:
        """Return a column that is set to the right; a minus sign is one, and zero has none."""
        return cls(printable(name), tuple(_signed(printable(cell)) for cell in cells), right=True)


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length, with an optional caption."""

    columns: tuple[Column, ...]
    caption: str = ""

    @property
    def head(self) -> tuple[str, ...]:
        """The headings."""
        return tuple(column.name for column in self.columns)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells, row by row."""
        return list(zip(*(column.cells for column in self.columns), strict=True))
