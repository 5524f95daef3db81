"""What is drawn in the middle of a forest plot: squares with whiskers, diamonds, and arrows where the axis ends."""

from collections.abc import Sequence
from math import inf, isfinite, isnan
from typing import TYPE_CHECKING

import numpy as np

from podium.plots.canvas import FAINT, INK, size_of
from podium.plots.forest.rows import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_diamonds", "draw_guides", "draw_prediction", "draw_tasks"]

_TASK = "#0072b2"

#: Side of the largest square, half the height of a diamond and of a cap, in rows; side of the smallest, in points.
_LARGEST, _DIAMOND, _CAP, _SMALLEST = 0.62, 0.33, 0.13, 2.4


def draw_guides(ax: "Axes", null: float, summary: float, bottom: float) -> None:
    """Draw a dotted line at no effect, down to the axis, and a faint one at the summary, down to a row."""
    (line,) = ax.plot([null, null], [0, ax.get_ylim()[0]], linestyle=(0, (1, 1.6)), color=INK, linewidth=0.9, zorder=1)
    line.set_gid("null")
    if _inside(ax, summary):
        ax.plot([summary, summary], [0, bottom], linestyle=(0, (5, 3)), color=FAINT, linewidth=0.5, zorder=0.9)


def draw_tasks(ax: "Axes", rows: Sequence[Row], weights: Sequence[float], unit: float) -> None:
    """Draw a square at every effect, its area in proportion to the weight, with whiskers over its interval.

    Parameters
    ----------
    rows, weights
        Of the tasks.
    unit
        What is drawn in a row is so much of it, 1 where rows are as high as letters need.
    """
    for row in rows:
        _whisker(ax, row, _CAP * unit)
    seen = [index for index, row in enumerate(rows) if _inside(ax, row.effect)]
    shares = np.nan_to_num(np.array(weights, dtype=np.float64))
    areas = shares / (shares.max() or 1.0) * (_LARGEST * _points(ax, unit)) ** 2
    marks = ax.scatter(
        [rows[index].effect for index in seen],
        [rows[index].y for index in seen],
        s=np.maximum(areas[seen], _SMALLEST**2),
        marker="s",
        color=_TASK,
        linewidths=0,
        zorder=2,
    )
    marks.set_gid("tasks")


def draw_diamonds(ax: "Axes", rows: Sequence[Row], unit: float, *, filled: bool) -> None:
    """Draw a diamond over every interval of a summary; a vertical stroke where the interval has no length."""
    from matplotlib.patches import Polygon  # noqa: PLC0415  # an extra

    for row in rows:
        if isnan(row.effect):
            continue
        # beyond the axis it is cut off, not squeezed
        low, high = (
            row.effect if isnan(end) else end if isfinite(end) else edge
            for end, edge in zip((row.low, row.high), _between(ax), strict=True)
        )
        half = _DIAMOND * unit
        corners = [(low, row.y), (row.effect, row.y + half), (high, row.y), (row.effect, row.y - half)]
        diamond = Polygon(
            corners,
            closed=True,
            facecolor=INK if filled else "white",
            edgecolor=INK,
            linewidth=0.8,
            joinstyle="miter",
            zorder=3,
        )
        diamond.set_gid(row.kind)
        ax.add_patch(diamond)
        _arrows(ax, row)


def draw_prediction(ax: "Axes", rows: Sequence[Row], unit: float) -> None:
    """Draw a bar over a prediction interval."""
    for row in rows:
        low, high = np.clip([row.low, row.high], *_between(ax))
        bar = ax.hlines(row.y, low, high, color=_TASK, alpha=0.45, linewidth=0.2 * _points(ax, unit), zorder=2)
        bar.set_gid("prediction")
        _arrows(ax, row)


def _whisker(ax: "Axes", row: Row, cap: float) -> None:
    """Draw a line over an interval, as far as it is seen, and a cap at each end that is."""
    low, high = (row.effect if isnan(end) else end for end in (row.low, row.high))
    if isnan(low) or isnan(high):
        return
    left, right = np.clip([low, high], *_between(ax))
    if left < right:
        ax.hlines(row.y, left, right, color=INK, linewidth=0.9, zorder=2.5).set_gid("whisker")
    ends = [end for end in (row.low, row.high) if _inside(ax, end)]
    ax.vlines(ends, row.y - cap, row.y + cap, color=INK, linewidth=0.9, zorder=2.5).set_gid("caps")
    _arrows(ax, row)


def _arrows(ax: "Axes", row: Row) -> None:
    """Point out of the picture where an interval goes on, or an effect is out of it."""
    from matplotlib.markers import CARETLEFTBASE, CARETRIGHTBASE, MarkerStyle  # noqa: PLC0415  # an extra

    first, last = _between(ax)
    numbers = [number for number in (row.low, row.effect, row.high) if not isnan(number)]
    for edge, marker, goes_on in (
        (first, MarkerStyle(CARETLEFTBASE), min(numbers, default=inf) < first),
        (last, MarkerStyle(CARETRIGHTBASE), max(numbers, default=-inf) > last),
    ):
        if goes_on:
            arrow = ax.scatter([edge], [row.y], s=24, marker=marker, color=INK, linewidths=0, clip_on=False, zorder=4)
            arrow.set_gid("arrow")


def _points(ax: "Axes", unit: float) -> float:
    """Height of a row, in points."""
    return unit * 72 * size_of(ax)[1] / ax.get_ylim()[0]


def _between(ax: "Axes") -> tuple[float, float]:
    low, high = ax.get_xlim()
    return low, high


def _inside(ax: "Axes", value: float) -> bool:
    low, high = ax.get_xlim()
    return isfinite(value) and low <= value <= high
