"""Splits in words: which ends they have, from where to where they go, and how many instances they hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from podium.base.words import decimals, fixed, significant
from podium.customization.result import Customized, Split
from podium.report.draw.canvas import FAINT, NOTE_SIZE, size_of, write
from podium.report.draw.lettering import Lettering, room_of, shorten
from podium.report.table import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Where ranges of difficulty meet.

    Attributes
    ----------
    splits
        Indices of those that are not empty, the easiest first; none where their ranges overlap.
    places
        Boundaries between them.
    tied
        Whether the instances on both sides of each are equally difficult.
    """

    splits: tuple[int, ...]
    places: tuple[float, ...]
    tied: tuple[bool, ...]

    @classmethod
    def of(cls, customized: Customized) -> "Boundaries":
        """Find them half way between the instances beside."""
        full = [index for index, split in enumerate(customized.splits) if np.isfinite(split.low)]
        spans = [(customized.splits[index].low, customized.splits[index].high) for index in full]
        if customized.hard == "low":
            meet = [(before[0], after[1]) for before, after in pairwise(spans)]
        else:
            meet = [(after[0], before[1]) for before, after in pairwise(spans)]
        if any(upper < lower for upper, lower in meet):
            return cls((), (), ())
        places = tuple(lower + (upper - lower) / 2 for upper, lower in meet)
        return cls(tuple(full), places, tuple(upper == lower for upper, lower in meet))


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


#: Left of the first axis, in inches.
PAD = 0.12

#: Most width between the outer axes without turning texts, least width of it, and least and greatest distance of axes.
_BROAD, _NARROW, _NEAR, _FAR = 8.5, 3.6, 0.19, 1.6

#: Of a line of small letters, between texts side by side, and from the axes to what is above and below, in inches.
_LINE, _APART, _GAP = 0.135, 0.12, 0.06


@dataclass(frozen=True, slots=True)
class SplitAxes:
    """Texts around the axes of s splits.

    Attributes
    ----------
    ends
        What the first and the last are, or twice nothing.
    heads
        Names.
    feet
        Ranges and sizes, on up to two lines.
    """

    ends: tuple[str, str]
    heads: Lettering
    feet: tuple[str, ...]

    @classmethod
    def of(cls, customized: Customized) -> "SplitAxes":
        """Say what the splits are."""
        ranges, sizes = ranges_of(customized.splits), sizes_of(customized.splits)
        feet = tuple("\n".join(filter(None, pair)) for pair in zip(ranges, sizes, strict=True))
        return cls(ends_of(customized), Lettering.of([split.name for split in customized.splits], most=24), feet)

    @property
    def step(self) -> float:
        """Inches from one axis to the next, in a figure of its own."""
        gaps = max(len(self.feet) - 1, 1)
        level = max(_wide(self.feet), self.heads.width(NOTE_SIZE)) + _APART
        if gaps * level <= _BROAD:
            return max(level, min(_FAR, _NARROW / gaps))
        return max(_NEAR, _BROAD / gaps)

    def reach(self, step: float) -> float:
        """Inches by which texts are wider than the outer axes, on either side."""
        above, below = self._turned(step)
        return max(_LINE if below else _wide(self.feet), _LINE if above else self.heads.width(NOTE_SIZE)) / 2

    def heights(self, step: float) -> tuple[float, float]:
        """Inches above and below the axes."""
        above, below = self._turned(step)
        head = self.heads.width(NOTE_SIZE) if above else _LINE
        lines = max(foot.count("\n") + 1 for foot in self.feet)
        foot = _wide([_on_a_line(foot) for foot in self.feet]) if below else _LINE * lines
        return _GAP + head + (_GAP + _LINE if any(self.ends) else 0.0), _GAP + foot

    def draw(self, ax: "Axes", step: float) -> None:
        """Write all of it; where axes are closer than letters are high, at some of them only."""
        above, below = self._turned(step)
        high = size_of(ax)[1]
        plain, named = Lettering.of(["–"]).font(NOTE_SIZE), self.heads.font(NOTE_SIZE)
        for place in range(0, len(self.feet), ceil(_LINE / step)):
            head, foot = self.heads.texts[place], self.feet[place]
            for y, text, side, turn, font in (
                (1 + _GAP / high, head, "bottom", above, named),
                (-_GAP / high, _on_a_line(foot) if below else foot, "top", below, plain),
            ):
                write(ax, (place, y), text, font, "columns", ha="center", va=side, rotation=90 if turn else 0)
        top, shift = 1 + (self.heights(step)[0] - _LINE) / high, PAD / step / 2
        for x, side, text in ((-shift, "left", self.ends[0]), (len(self.feet) - 1 + shift, "right", self.ends[1])):
            write(ax, (x, top), text, plain, "columns", ha=side, va="bottom", color=FAINT)

    def _turned(self, step: float) -> tuple[bool, bool]:
        """Whether texts above and below are turned where axes have a distance of some inches."""
        if len(self.feet) == 1:
            return False, False
        return self.heads.width(NOTE_SIZE) + _APART / 2 > step, _wide(self.feet) + _APART / 2 > step


def _wide(texts: Sequence[str]) -> float:
    """Inches of the widest line in small letters."""
    font = Lettering.of(["–"]).font(NOTE_SIZE)
    return max(room_of(line, font) for text in texts for line in text.split("\n"))


def _on_a_line(text: str) -> str:
    return text.replace("\n", ", ")
