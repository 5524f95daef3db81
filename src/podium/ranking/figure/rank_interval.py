"""How sure each rank is: a point and two whiskers for every system, over bands of tiers."""

from typing import TYPE_CHECKING

import numpy as np

from podium.base.errors import MethodError
from podium.ranking.interval import Intervals
from podium.ranking.result import Ranking
from podium.report.draw.canvas import (
    FAINT,
    INK,
    LIFT,
    NOTE_SIZE,
    font_size,
    label_below,
    label_rows,
    legend_above,
    new_axes,
    row_height,
    size_of,
    strip,
    write,
)
from podium.report.draw.file import check_installed
from podium.report.draw.lettering import Lettering

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def intervals_of(ranking: Ranking) -> Intervals:
    """Intervals of a ranking.

    Raises
    ------
    MethodError
        It has none: why, or how to ask for them.
    """
    if ranking.intervals is None:
        why = [note for note in ranking.notes if note.startswith("no intervals")]
        raise MethodError(
            f"this picture shows how sure the ranks are, and the ranking does not say: {why[0]}"
            if why
            else "this picture shows how sure the ranks are; pass confidence=0.95 to podium.rank to have that"
        )
    return ranking.intervals


_MARGINAL = "#0072b2"

_BAND = "#eef2f5"

#: Smallest width, in inches, of axes above which the legend fits in a line.
_WIDE = 3.9


def rank_intervals(ranking: Ranking, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the rank of every system, with the ranks it may truly have, and the tiers as bands.

    A point at the rank; a thick line over the rank interval of the system by itself, a thin one over that of all
    systems together. A system without a rank has a row that says so.

    Parameters
    ----------
    ranking
        With intervals: `podium.rank(…, confidence=0.95)`.
    ax
        Where to draw; None makes a figure of the size that the systems need.

    Raises
    ------
    MethodError
        The ranking has no intervals.
    MissingExtraError
        Matplotlib is not installed.

    Examples
    --------
    >>> import podium
    >>> ranking = podium.rank(podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores, confidence=0.95)
    >>> ax = podium.plots.rank_intervals(ranking)
    >>> [label.get_text() for label in ax.get_yticklabels()][0]
    'system 4'
    """
    check_installed()
    intervals = intervals_of(ranking)
    names = Lettering.of(ranking.systems)
    rows = len(ranking)
    if ax is None:
        row = row_height(rows)
        margin = names.width(font_size(row)) + 0.15
        ax = new_axes(4.2, rows * row, left=margin, right=0.5, top=0.5, bottom=0.75)
    size = font_size(size_of(ax)[1] / rows)
    _bands(ax, intervals, size)
    _whiskers(ax, ranking, intervals, size)
    strip(ax, "bottom")
    label_rows(ax, names.texts, names.font(size))
    _rank_axis(ax, int(ranking.rank.max()), intervals)
    return ax


def _bands(ax: "Axes", intervals: Intervals, size: float) -> None:
    """Shade every other tier, and number them at the right."""
    for tier in range(1, int(intervals.tier.max()) + 1):
        rows = np.flatnonzero(intervals.tier == tier)
        first, last = float(rows.min()) - 0.5, float(rows.max()) + 0.5
        if tier % 2:
            ax.axhspan(first, last, color=_BAND, linewidth=0, zorder=0)
        write(ax, (1.02, (first + last) / 2), str(tier), size, "rows", va="center")
    write(ax, (1.02, 1 + LIFT / size_of(ax)[1]), "tier", NOTE_SIZE, "axes", va="bottom")


def _whiskers(ax: "Axes", ranking: Ranking, intervals: Intervals, size: float) -> None:
    """Draw a thin line, a thick one, and a point for every ranked system."""
    ranked = np.flatnonzero(ranking.rank > 0)
    for low, high, thick, alpha, label in (
        (intervals.joint_rank_low, intervals.joint_rank_high, size / 9, None, "all systems together"),
        (intervals.rank_low, intervals.rank_high, size / 2.2, 0.45, "each system by itself"),
    ):
        ax.hlines(ranked, low[ranked], high[ranked], color=_MARGINAL, linewidth=thick, alpha=alpha, label=label)
    ax.plot(ranking.rank[ranked], ranked, "o", color=INK, markersize=size / 2, label="rank")
    for row in np.flatnonzero(ranking.rank == 0):
        write(ax, (1, float(row)), "not ranked", size, va="center", color=FAINT)


def _rank_axis(ax: "Axes", worst: int, intervals: Intervals) -> None:
    """Count ranks from 1, and say below what the lines are."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  # an extra

    pad = max(0.3, 0.02 * worst)
    ax.set_xlim(1 - pad, worst + pad)
    steps = MaxNLocator(nbins=8, integer=True, steps=[1, 2, 5, 10]).tick_values(1, worst)
    gap = 0.6 * (steps[1] - steps[0])
    ticks = [1, *(int(step) for step in steps if 1 + gap < step <= worst)]
    ax.set_xticks(ticks, [str(tick) for tick in ticks], fontsize=NOTE_SIZE)
    label_below(ax, "rank")
    handles, labels = ax.get_legend_handles_labels()
    confidence = f"{100 * intervals.confidence:g}%, "
    named = [label if label == "rank" else confidence + label for label in labels[::-1]]
    columns = 3 if size_of(ax)[0] >= _WIDE else 1
    legend_above(ax, columns, handles=handles[::-1], labels=named, columnspacing=1.2)
