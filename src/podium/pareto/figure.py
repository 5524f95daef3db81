"""Draw scores against cost, with the frontier as steps."""

from typing import TYPE_CHECKING

import numpy as np

from podium.report.drawing import COLOURS, FAINT, label_points, number_axes, points
from podium.report.picture import footed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from podium.pareto.result import Frontier

#: Of axes of their own, in inches.
_SIZE = (4.8, 3.2)

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
    logarithmic = bool(right.max() > LOGARITHMIC * left.min() > 0)
    across = _widened(left.min(), right.max(), logarithmic=logarithmic)
    names = f"{cost.name}, log scale" if logarithmic else cost.name, f"score ({found.ranking.method})"
    number_axes(ax, across, _widened(low.min(), high.max()), names=names, logarithmic=logarithmic)
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
        points(ax, cost.value[own], score[own], color=colour, markerfacecolor=fill, gid=kind)
    label_points(ax, cost.value, score, found.systems, first=np.arange(len(found), 0, -1.0))
    say()
    return ax


def _widened(low: float, high: float, *, logarithmic: bool = False) -> tuple[float, float]:
    if logarithmic:
        factor = (high / low) ** _BEYOND
        return low / factor, high * factor
    beyond = _BEYOND * (high - low or abs(high) or 1.0)
    return low - beyond, high + beyond
