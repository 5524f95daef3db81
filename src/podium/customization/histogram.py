"""How difficult the instances are: a histogram, where it is split; and splits in words."""

from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from podium.base.arrays import Floats
from podium.base.errors import MethodError
from podium.base.words import decimals, few, fixed, how_many, printable, significant
from podium.report.drawing import (
    COLOURS,
    FAINT,
    INK,
    LONGEST,
    NOTE_SIZE,
    Lettering,
    apart,
    label_below,
    round_ticks,
    size_of,
    strip,
    write,
)
from podium.report.picture import footed
from podium.report.view import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from podium.customization.result import Customized, Split


#: How splits are made that have no order.
_UNORDERED = {"manual", "random"}

#: Ways to make splits, in words.
_WORDS = {
    "equal": "equally populated",
    "width": "of equal width",
    "thresholds": "at thresholds",
    "quantiles": "at quantiles",
    "random": "at random",
    "manual": "by hand",
}


def how(customized: "Customized") -> str:
    """Say by what, and how splits were made."""
    return f"by {shorten(printable(customized.measure), LONGEST)} ({_WORDS[customized.by]})"


def ends_of(customized: "Customized") -> tuple[str, str]:
    """Say what the first and the last split are; nothing of a single one, or where they have no order."""
    if len(customized.splits) == 1 or customized.by in _UNORDERED:
        return "", ""
    if customized.values is None and customized.hard == "high":
        return "least confident", "most confident"
    return "easiest", "hardest"


#: Numbers of more digits before, or after the point are written with three significant ones.
_LARGE, _SMALL = 1e5, 4


def ranges_of(splits: tuple["Split", ...]) -> list[str]:
    """Least and greatest difficulty in each; nothing where there is none.

    >>> from podium.customization.result import Split
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


def sizes_of(splits: tuple["Split", ...]) -> list[str]:
    """Count the instances of each, with a decimal where some are shared between splits.

    >>> from podium.customization.result import Split
    >>> sizes_of((Split("1", 0.5, 1.0, 1200, 1.0), Split("2", 0.0, 0.25, 3.5, 2.0), Split("3", 0.0, 0.0, 0, 3.0)))
    ['n 1,200', 'n 3.5', 'empty']
    """
    rounded = [round(split.instances, 1) for split in splits]
    return [f"n {size:,.{0 if size == round(size) else 1}f}" if size else "empty" for size in rounded]


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Places where ranges of difficulty meet.

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
    def of(cls, customized: "Customized") -> "Boundaries":
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


#: Of bars, and of every other split behind them.
_BARS, _BAND = "#8fb4cc", "#f1f1ee"

#: So few values have a bar each; least and greatest number of bars of more.
_FEW, _FEWEST, _MOST = 25, 20, 80

#: Most points of a grid on which values may lie.
_POINTS = 1e4

#: Size of axes of their own, and what they leave around, in inches.
_WIDE, _HIGH, _LEFT, _BOTTOM = 5.2, 2.4, 0.65, 0.5

#: From the axes up to the numbers of splits, between these, and of a line of small letters, in inches.
_LIFT, _APART, _LINE = 0.2, 0.07, 0.135


def difficulty_histogram(customized: "Customized", *, ax: "Axes | None" = None) -> "Axes":
    """Draw how many instances there are of every difficulty, and the boundaries of splits, the easiest at the left.

    A boundary stands half way between the instances next to it. It is dashed where these are equally difficult, and so
    lies inside a tie. Up to 25 different values have a bar each. Splits whose ranges overlap, as those made at random
    or for each task by itself, are not drawn, and the picture says so.

    Parameters
    ----------
    customized
        What `podium.customize` returns.
    ax
        Where to draw; None makes a figure.

    Raises
    ------
    MethodError
        Every system has difficulties of its own.
    MissingExtraError
        Matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> import podium
    >>> from podium.difficulty.result import Difficulty, Measure
    >>> scores = podium.from_arrays({"t": [[1, 1, 0, 0], [0, 1, 1, 1], [1, 1, 1, 0]]}, systems=["A", "B", "C"])
    >>> bias = Difficulty(np.arange(4), (Measure("bias", np.array([0.9, 0.8, 0.4, 0.1]), "low"),))
    >>> ax = podium.plots.difficulty(podium.customize(scores, bias, splits=2))
    >>> ax.get_xlabel()
    'easiest  ←  bias  →  hardest'
    """
    if customized.values is None:
        raise MethodError(
            f"every system has its own values of {customized.measure!r}, so that an instance has no single difficulty; "
            "weight by a measure with one value for each instance"
        )
    cuts = Boundaries.of(customized)
    names = Lettering.of([customized.splits[index].name for index in cuts.splits], most=16)
    gap = (1.03 * names.width(NOTE_SIZE) if names.texts else 0.0) + _APART
    size, top = (max(_WIDE, gap * len(cuts.splits)), _HIGH), _LIFT + _LINE + 0.1
    number, splits = how_many(customized.values.size, "instance"), how_many(len(customized.splits), "split")
    said = [f"{number}, {splits} {how(customized)}"]
    if cuts.splits:
        empty = [split.name for index, split in enumerate(customized.splits) if index not in cuts.splits]
        tied = sum(cuts.tied)
        said += [f"dashed: {tied} of {len(cuts.tied)} boundaries, which lie inside ties"] if tied else []
        said += [f"without instances: {few(empty)}"] if empty else []
    else:
        said.append("the ranges of these splits overlap, so they are not drawn")
    ax, say = footed(ax, said, size, left=_LEFT, right=0.15, top=top, below=_BOTTOM)
    _bars(ax, customized.values)
    _scale(ax, customized)
    _bounds(ax, cuts, names, gap)
    say()
    return ax


def _bars(ax: "Axes", values: Floats) -> None:
    """Count instances."""
    different, counts = np.unique(values, return_counts=True)
    if different.size > _FEW:
        counts, edges = np.histogram(values, bins=_edges(values, different))
        ax.bar(
            edges[:-1], counts, np.diff(edges), align="edge", color=_BARS, edgecolor="white", linewidth=0.4, zorder=2
        )
        return
    whole = float(np.ptp(different)) or max(1.0, abs(float(different[0])))
    width = max(0.8 * float(np.diff(different).min(initial=whole)), 0.01 * whole)
    ax.bar(different, counts, min(width, 0.2 * whole), color=_BARS, zorder=2)


def _edges(values: Floats, different: Floats) -> Floats:
    """Edges of bars by the rule of Freedman and Diaconis; of values on a grid, bars hold equally many of its points."""
    low, whole = float(different[0]), float(np.ptp(different))
    spread = float(np.subtract(*np.quantile(values, [0.75, 0.25])))
    width = float(np.clip(2 * spread / values.size ** (1 / 3), whole / _MOST, whole / _FEWEST))
    grid = float(np.diff(different).min())
    if whole < _POINTS * grid and np.abs((points := (different - low) / grid) - points.round()).max() < 1e-3:
        width, low = grid * ceil(width / grid - 1e-9), low - grid / 2
    edges: Floats = low + width * np.arange(np.ceil((different[-1] - low) / width * (1 - 1e-12)) + 1)
    edges[-1] = max(edges[-1], different[-1])
    return edges


def _scale(ax: "Axes", customized: "Customized") -> None:
    """Counts from 0; difficulty from easy to hard."""
    strip(ax, "bottom", "left")
    ax.margins(x=0.02)
    ax.autoscale_view()
    if customized.hard == "low":
        ax.invert_xaxis()
    ax.set_ylim(bottom=0)
    width, height = size_of(ax)
    low, high = sorted(ax.get_xlim())
    ax.set_xticks(*round_ticks(low, high, width / 0.7), fontsize=NOTE_SIZE)
    ax.set_yticks(*round_ticks(*ax.get_ylim(), height / 0.4, whole=True), fontsize=NOTE_SIZE)
    ax.set_ylabel("instances", fontsize=NOTE_SIZE, color=INK, labelpad=2)
    measure = Lettering.of([customized.measure])
    easy, hard = ends_of(customized)
    text = f"{easy}  ←  {measure.texts[0]}  →  {hard}" if easy else measure.texts[0]
    label_below(ax, text, Lettering.of([text], most=80).font(NOTE_SIZE))


def _bounds(ax: "Axes", cuts: Boundaries, names: Lettering, gap: float) -> None:
    """Shade every other split, draw lines between them, dashed inside ties, and name splits above.

    Names have at least a gap between them, with a line down to the middle of each; of too many there are only some.
    """
    left, right = ax.get_xlim()
    ends = [left, *cuts.places, right]
    for place in range(0, len(cuts.splits), 2):
        ax.axvspan(ends[place], ends[place + 1], color=_BAND, linewidth=0, zorder=0)
    for bound, tied in dict(zip(cuts.places, cuts.tied, strict=True)).items():
        style = (0, (3, 2)) if tied else "-"
        ax.axvline(bound, color=COLOURS[1], linewidth=0.9, linestyle=style, zorder=3, gid="boundary")
    ax.set_xlim(left, right)
    width, height = size_of(ax)
    kept = range(0, len(cuts.splits), max(1, ceil(gap * len(cuts.splits) / width - 1e-9)))
    middle = [((ends[place] + ends[place + 1]) / 2 - left) / (right - left) * width for place in kept]
    for place, wanted, found in zip(kept, middle, apart(middle, gap, 0.0, width), strict=True):
        lead = [wanted / width, found / width], [1.0, 1 + 0.8 * _LIFT / height]
        ax.plot(*lead, transform=ax.transAxes, color=FAINT, linewidth=0.6, clip_on=False)
        spot = (found / width, 1 + _LIFT / height)
        write(ax, spot, names.texts[place], names.font(NOTE_SIZE), "axes", ha="center", va="bottom")
