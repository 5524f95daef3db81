"""Draw scores against cost, with the frontier as steps."""

from typing import TYPE_CHECKING, Any

import numpy as np

from podium.base.words import numeral
from podium.report.drawing import (
    COLOURS,
    FAINT,
    INK,
    NOTE_SIZE,
    Lettering,
    label_below,
    label_points,
    round_ticks,
    size_of,
    strip,
)
from podium.report.picture import footed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from podium.pareto.result import Frontier

#: Of axes of their own, in inches.
_SIZE = (4.8, 3.2)

#: Radius of a point, in inches.
_RADIUS = 0.035

#: The axis of costs is logarithmic if the largest is more than so many times the least.
LOGARITHMIC = 50.0

#: Room beyond the outermost points, as a share of the axes.
_BEYOND = 0.06


def frontier(found: "Frontier", *, ax: "Axes | None" = None) -> "Axes":
    """Draw a point for each system, its cost (the first, if there are several) to the right and its score upwards.

    Points are filled if the system is surely on the frontier, hollow if it perhaps is, and grey if it is surely
    dominated. Lines are the intervals of scores, and of costs that were measured on instances. The steps join the
    systems on the frontier of the numbers, of a single cost. The axis of costs is logarithmic above a factor of 50.

    Parameters
    ----------
    found
        What `podium.frontier` returns.
    ax
        Where to draw; None makes a figure.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.

    Examples
    --------
    >>> import podium
    >>> import pyarrow
    >>> table = pyarrow.table({"system": ["a", "b"], "cost": [1, 900], "t": [0.5, 0.7], "u": [0.4, 0.6]})
    >>> podium.plots.frontier(podium.frontier(table)).get_xscale()
    'log'
    """
    cost, score, sure = found.costs[0], found.ranking.score[found.places], found.ranking.intervals
    low, high = (score, score) if sure is None else (sure.score_low[found.places], sure.score_high[found.places])
    left, right, low, high = (
        np.where(np.isnan(end), middle, end)
        for end, middle in ((cost.low, cost.value), (cost.high, cost.value), (low, score), (high, score))
    )
    said = ["filled: surely on the frontier; hollow: perhaps; grey: surely dominated"]
    ax, say = footed(ax, said, _SIZE, left=0.62, right=0.2, top=0.12, below=0.46)
    strip(ax, "bottom", "left")
    _scale(ax, (left.min(), right.max()), (low.min(), high.max()))
    name = Lettering.of([cost.name])
    label_below(ax, name.texts[0], name.font(NOTE_SIZE))
    ax.set_ylabel("score", fontsize=NOTE_SIZE, color=INK, labelpad=3)
    if len(found.costs) == 1:
        on = np.flatnonzero(found.observed)
        on = on[np.argsort(-cost.place[on])]  # from the dearest to the cheapest, whichever side that is
        ax.step(cost.value[on], score[on], where="pre", color=COLOURS[0], linewidth=0.9, alpha=0.6, zorder=1)
    kinds = np.array(found.frontier)
    for kind, colour, fill in zip(
        ("surely", "perhaps", "dominated"), (COLOURS[0], COLOURS[0], FAINT), (COLOURS[0], "white", FAINT), strict=True
    ):
        own = kinds == kind
        ax.vlines(cost.value[own], low[own], high[own], color=colour, linewidth=0.8, zorder=2)
        ax.hlines(score[own], left[own], right[own], color=colour, linewidth=0.8, zorder=2)
        style: dict[str, Any] = {"markerfacecolor": fill, "markersize": 144 * _RADIUS, "clip_on": False, "gid": kind}
        ax.plot(cost.value[own], score[own], "o", color=colour, zorder=3, **style)
    first, radius = np.arange(len(found), 0, -1.0), np.full(len(found), 1.3 * _RADIUS)
    label_points(ax, cost.value, score, found.systems, first=first, radius=radius, size=NOTE_SIZE)
    say()
    return ax


def _scale(ax: "Axes", horizontal: tuple[float, float], vertical: tuple[float, float]) -> None:
    """Give axes their ends, and round numbers; the horizontal one is logarithmic if costs differ much."""
    width, height = size_of(ax)
    bottom, top = _widened(*vertical)
    ax.set_ylim(bottom, top)
    ax.set_yticks(*round_ticks(bottom, top, height / 0.5), fontsize=NOTE_SIZE)
    if not horizontal[1] > LOGARITHMIC * horizontal[0] > 0:
        left, right = _widened(*horizontal)
        ax.set_xlim(left, right)
        ax.set_xticks(*round_ticks(left, right, width / 0.7), fontsize=NOTE_SIZE)
        return
    left, right = _widened(*np.log10(horizontal))
    powers = np.arange(np.ceil(left), right)[:: max(1, int((right - left) / (width / 0.6)))]
    ax.set_xscale("log")
    ax.set_xlim(10**left, 10**right)
    ax.set_xticks(10**powers, [numeral(10.0**power) for power in powers], fontsize=NOTE_SIZE)
    ax.minorticks_off()


def _widened(low: float, high: float) -> tuple[float, float]:
    beyond = _BEYOND * (high - low or abs(high) or 1.0)
    return low - beyond, high + beyond
