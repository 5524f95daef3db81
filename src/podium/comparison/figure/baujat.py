"""Which tasks differ from the others, and which move the summary: a Baujat plot."""

from typing import TYPE_CHECKING

import numpy as np

from podium.base.errors import MethodError
from podium.comparison.result import MetaAnalysis
from podium.report.draw.canvas import COLOURS, INK, NOTE_SIZE, label_below, round_ticks, size_of, strip
from podium.report.draw.page import footed
from podium.report.draw.point import label_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Of axes of their own, and their margins, in inches.
_WIDTH, _HEIGHT = 4.4, 3.2
_LEFT, _RIGHT, _TOP, _BELOW = 0.62, 0.2, 0.12, 0.46

#: Radius of a point, in inches; room beyond the last one, as a share of the axes.
_RADIUS, _PAD = 0.035, 0.1

_SAID = "to the right: the task differs from the others; higher up: the summary moves more without it"


def baujat(analysis: MetaAnalysis, *, ax: "Axes | None" = None) -> "Axes":
    """Draw for each task how much it adds to heterogeneity, and how far the summary moves without it.

    Horizontal is the squared Pearson residual (y − μ)² / (v + τ²), the part of the task in Cochran's Q at τ²; vertical
    the squared move of the summary without the task, (μ − μ₋ᵢ)² / se₋ᵢ². A task that is influential by metafor's rules
    has another colour and mark. Names stand beside points where there is room; those that are farthest out come first.

    Parameters
    ----------
    analysis
        What `podium.compare` or `podium.pool` returns, of 2 to 500 tasks.
    ax
        Where to draw; None makes a figure.

    Raises
    ------
    MethodError
        There is a single task, or more than 500, or effects depend on each other.
    MissingExtraError
        Matplotlib is not installed.

    References
    ----------
    Baujat, Mahé, Pignon & Hill, Statistics in Medicine 21, 2002; `baujat` of metafor.

    Examples
    --------
    >>> import podium
    >>> ax = baujat(podium.pool([0.1, 0.2, 0.9], [0.01] * 3, tasks=["rte", "sst2", "wnli"]))
    >>> sorted(text.get_text() for text in ax.texts)[:3]
    ["diamonds: influential by metafor's rules", 'rte', 'sst2']
    """
    if not analysis.diagnosed:
        raise MethodError("'baujat' needs 2 to 500 tasks whose effects are independent; draw 'forest' instead")
    x, y = (np.array([getattr(task, name) for task in analysis.tasks]) ** 2 for name in ("pearson", "shift"))
    marked = np.array([bool(task.influential) for task in analysis.tasks])
    kinds = [(~marked, COLOURS[0], "o", "other"), (marked, COLOURS[1], "D", "influential")]
    said = [_SAID, *(["diamonds: influential by metafor's rules"] if marked.any() else [])]
    ax, say = footed(ax, said, (_WIDTH, _HEIGHT), left=_LEFT, right=_RIGHT, top=_TOP, below=_BELOW)
    _scale(ax, float(x.max()), float(y.max()))
    for chosen, colour, mark, name in kinds:
        ax.plot(x[chosen], y[chosen], mark, color=colour, markersize=144 * _RADIUS, clip_on=False, gid=name, zorder=3)
    far = x / (x.max() or 1.0) + y / (y.max() or 1.0)
    names = [task.task for task in analysis.tasks]
    label_points(ax, x, y, names, first=far, radius=np.full(x.size, 1.3 * _RADIUS), size=NOTE_SIZE)
    say()
    return ax


def _scale(ax: "Axes", right: float, top: float) -> None:
    """Count from 0 in both directions."""
    width, height = size_of(ax)
    strip(ax, "bottom", "left")
    ends = [(1 + _PAD) * (end or 1.0) for end in (right, top)]
    ax.set_xlim(0, ends[0])
    ax.set_ylim(0, ends[1])
    ax.set_xticks(*round_ticks(0, ends[0], width / 0.7), fontsize=NOTE_SIZE)
    ax.set_yticks(*round_ticks(0, ends[1], height / 0.5), fontsize=NOTE_SIZE)
    label_below(ax, "squared Pearson residual (heterogeneity)")
    ax.set_ylabel("squared move of the summary without it", fontsize=NOTE_SIZE, color=INK, labelpad=3)
