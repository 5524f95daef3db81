"""How numbers are written: how many digits a score needs, its sign, and what stands where there is none."""

import math
from collections.abc import Sequence
from itertools import pairwise

from podium.base.words import DASH

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


def signed(number: str) -> str:
    """Write a minus sign in place of a hyphen, and none where rounding left only zeros.

    >>> signed("-0.75"), signed("-0.000"), signed("1–3")
    ('−0.75', '0.000', '1–3')
    """
    if not number.startswith("-"):
        return number
    return number[1:] if set(number[1:]) <= set("0.") else f"−{number[1:]}"
