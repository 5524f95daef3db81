"""Splits in words: which ends they have, from where to where they go, and how many instances they hold."""

import numpy as np

from podium.customized import Customized, Split
from podium.plots.lettering import shorten
from podium.report.grid import printable
from podium.wording import decimals, fixed, significant

__all__ = ["ends_of", "how", "ranges_of", "sizes_of"]

#: How splits are made that have no order.
_UNORDERED = {"manual", "random"}

#: Numbers of more digits before, or after the point are written with three significant ones.
_LARGE, _SMALL = 1e5, 4


#: Ways to make splits, in words.
_WORDS = {
    "equal": "equally populated",
    "width": "of equal width",
    "thresholds": "at thresholds",
    "quantiles": "at quantiles",
    "random": "at random",
    "manual": "by hand",
}


def how(customized: Customized) -> str:
    """Say by what, and how splits were made."""
    return f"by {shorten(printable(customized.measure))} ({_WORDS[customized.by]})"


def ends_of(customized: Customized) -> tuple[str, str]:
    """Say what the first and the last split are; nothing of a single one, or where they have no order."""
    if len(customized.splits) == 1 or customized.by in _UNORDERED:
        return "", ""
    if customized.values is None and customized.hard == "high":
        return "least confident", "most confident"
    return "easiest", "hardest"


def ranges_of(splits: tuple[Split, ...]) -> list[str]:
    """Least and greatest difficulty in each; nothing where there is none.

    >>> ranges_of((Split("1", 0.5, 1.0, 3, 1.0), Split("2", 0.0, 0.25, 3, 2.0), Split("3", -0.5, -0.5, 1, 3.0)))
    ['0.50 to 1.00', '0.00 to 0.25', '−0.50']
    """
    ends = np.array([[split.low, split.high] for split in splits])
    if np.isnan(ends).all():
        return [""] * len(splits)
    places = decimals(float(np.nanmax(ends) - np.nanmin(ends)) / len(splits))
    places = next((fewer for fewer in range(places) if np.allclose(ends, ends.round(fewer), equal_nan=True)), places)
    plain = places <= _SMALL and np.nanmax(np.abs(ends)) < _LARGE
    joint = "–" if np.nanmin(ends) >= 0 else " to "

    def shown(low: float, high: float) -> str:
        if np.isnan(low):
            return ""
        texts = [fixed(end, places) if plain else significant(end, 3) for end in (low, high)]
        return texts[0] if low == high else joint.join(texts)

    return [shown(split.low, split.high) for split in splits]


def sizes_of(splits: tuple[Split, ...]) -> list[str]:
    """Count the instances of each, with a decimal where some are shared between splits.

    >>> sizes_of((Split("1", 0.5, 1.0, 1200, 1.0), Split("2", 0.0, 0.25, 3.5, 2.0), Split("3", 0.0, 0.0, 0, 3.0)))
    ['n 1,200', 'n 3.5', 'empty']
    """
    rounded = [round(split.instances, 1) for split in splits]
    return [f"n {size:,.{0 if size == round(size) else 1}f}" if size else "empty" for size in rounded]
