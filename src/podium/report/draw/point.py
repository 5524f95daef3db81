"""Names of points in a plane: each beside its point, none over another name or point."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from podium.report.draw.canvas import size_of, write
from podium.report.draw.lettering import Lettering, room_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

#: Where a name stands, seen from its point: right first, then left, above, below, and in the corners.
_SIDES = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)])

#: Between a point and its name, in inches; height of a line, in letters.
_GAP, _LINE = 0.03, 1.25

#: Longest name, in letters.
_LONGEST = 28


def label_points(
    ax: "Axes", x: Floats, y: Floats, labels: Sequence[str], *, first: Floats, radius: Floats, size: float
) -> None:
    """Write names beside points, where there is room for them.

    Call it when limits and size of the axes are settled.

    Parameters
    ----------
    ax
        Axes.
    x, y, labels
        Points, and their names.
    first
        Who chooses a place first: the largest.
    radius
        Of each point, in inches.
    size
        Of letters, in points.
    """
    from matplotlib.patheffects import withStroke  # noqa: PLC0415  # an extra

    names = Lettering.of(labels, most=_LONGEST)
    font, high = names.font(size), _LINE * size / 72
    span = np.array(size_of(ax))
    centres = _inches(ax, np.stack([x, y], axis=1), span)
    taken = np.concatenate([centres - radius[:, None], centres + radius[:, None]], axis=1)
    for one in np.argsort(-first, kind="stable").tolist():
        half = np.array([room_of(names.texts[one], font), high]) / 2
        away = half + (radius[one] + _GAP) * np.where(np.abs(_SIDES).sum(axis=1) > 1, 0.7, 1.0)[:, None]
        middles = centres[one] + _SIDES * away
        boxes = np.concatenate([middles - half, middles + half], axis=1)
        inside = np.all(boxes[:, :2] >= 0, axis=1) & np.all(boxes[:, 2:] <= span, axis=1)
        meets = np.any(_meet(boxes, taken), axis=1)
        free = np.flatnonzero(inside & ~meets)
        if not free.size:
            continue
        x_share, y_share = (middles[free[0]] / span).tolist()
        said = write(ax, (x_share, y_share), names.texts[one], font, "axes", ha="center", va="center", zorder=4)
        said.set_path_effects([withStroke(linewidth=2, foreground="white")])  # lines may run below
        taken = np.concatenate([taken, boxes[free[:1]]])


def _meet(some: Floats, others: Floats) -> NDArray[np.bool_]:
    """Whether boxes, by their lower left and upper right ends, overlap; shape `(some, others)`."""
    apart = (some[:, None, :2] >= others[:, 2:]) | (some[:, None, 2:] <= others[:, :2])
    meet: NDArray[np.bool_] = ~np.any(apart, axis=2)
    return meet


def _inches(ax: "Axes", points: Floats, span: Floats) -> Floats:
    """From data to inches from the lower left corner of the axes."""
    shares: Floats = ax.transAxes.inverted().transform(ax.transData.transform(points))
    return shares * span
