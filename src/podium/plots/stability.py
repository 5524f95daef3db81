"""How rankings hold under stress: a panel for every stress, a line for every method."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import MethodError
from podium.plots.canvas import COLOURS, FAINT, NOTE_SIZE, round_ticks, size_of, strip
from podium.plots.keys import Key
from podium.plots.needs import check_installed
from podium.plots.panels import Panels
from podium.plots.remarks import height_of, lines_of, remark
from podium.plots.spread import Spread
from podium.plots.strengths import Strengths
from podium.studies import BOUNDS, MEASURES, Study
from podium.wording import counted, few

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["stability"]

#: Beside the colours of lines, so that they are told apart in print as well.
_LINES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.2, 1, 1.2)), (0, (2.5, 1)), (0, (7, 2)))
_MARKS = "os^DvP"

#: What is measured: at the axis, and in a sentence.
_WORDS = {
    "tau": ("Kendall's τ-b", "mean Kendall's τ-b of the rankings with and without stress"),
    "kept": ("first place kept", "how much of the first place those keep who have it without stress"),
    "error": ("error", "mean distance to the true ranking, as a share of the pairs"),
}


def stability(study: Study, *, measure: str = "tau", stresses: Sequence[str] | None = None) -> "list[Axes]":
    """Draw what stresses do to methods: a panel for every stress, from weak to strong, with a line for every method.

    A line joins the means over repeats; a band shows how far the repeats spread, which is said below. A ring marks the
    breakdown point, and the broken line its bound, see `Study.breakdown`. All panels have one vertical axis. Strengths
    that span decades stand at equal distances.

    Parameters
    ----------
    study
        What `podium.study` returns.
    measure
        "tau" (agreement with the ranking without stress), "kept" (of the first place) or "error" (distance to the
        truth).
    stresses
        Names of those to draw, in this order; None draws all.

    Returns
    -------
    Axes of the panels, in order, in a figure of their own; `save` takes them.

    Raises
    ------
    LabelError
        There is no such measure, or stress.
    MethodError
        There is no truth to measure errors by, or no stress to draw.
    MissingExtraError
        Matplotlib is not installed.

    References
    ----------
    Colombo, Noiry, Irurozki & Clémençon, 2022, Fig. 3.

    Examples
    --------
    >>> import podium
    >>> from podium.studies import Swept
    >>> tau = np.array([[[1.0, 1.0], [0.8, 0.6]]])
    >>> first = np.array([[[1.0, 0.0], [0.5, 0.5]]])
    >>> strengths, none = np.array([0.0, 0.5]), np.zeros((1, 2))
    >>> swept = Swept("missing", "share of scores removed", strengths, tau, None, tau, first, none, none, none[0])
    >>> (ax,) = podium.plots.stability(Study(("A", "B"), ("borda",), (("A",),), (swept,), 2, 0))
    >>> ax.get_xlabel()
    'share of scores removed'
    """
    check_installed()
    breakdown = study.breakdown(measure)
    shown = study.swept if stresses is None else tuple(study[name] for name in stresses)
    if not shown:
        raise MethodError("there is no stress to draw; name at least one of the study")
    panels = Panels.of([one.axis for one in shown])
    scales = [Strengths.of(one.strengths, panels.width) for one in shown]
    spreads = [Spread.of(getattr(one, measure), shares=measure == "kept", certain=one.strengths == 0) for one in shown]
    rings = [[one.strengths == breakdown[one.name][method] for method in study.methods] for one in shown]
    flat = [one.name for one, scale in zip(shown, scales, strict=True) if not scale.to_scale]
    broken = any(ring.any() for ones in rings for ring in ones)
    said = [_lines(study, measure), spreads[0].words, _rings(measure, broken=broken), _flat(flat)]
    lines = lines_of(list(filter(None, said)), panels.breadth)
    key = Key.of(study.methods, panels.breadth - panels.left)
    figure, axes = panels.draw(key.height, height_of(lines) + 0.1)
    low = min(0.0, *(float(np.nanmin(spread.low)) for spread in spreads))
    for index, (ax, scale) in enumerate(zip(axes, scales, strict=True)):
        _scale(ax, scale, low)
        ax.axhline(BOUNDS[measure], color=FAINT, linewidth=0.7, linestyle=(0, (3, 2)), zorder=1, gid="bound")
        for m in range(len(study.methods)):
            _line(ax, scale, spreads[index], m, rings[index][m])
        panels.label(ax, index, shown[index].name, _WORDS[measure][0])
    key.draw(figure, [_style(m) for m in range(len(study.methods))], panels.left)
    remark(axes[panels.lowest], lines, left=panels.left - 0.1, below=panels.below(panels.lowest))
    return axes


def _lines(study: Study, measure: str) -> str:
    return f"lines: {_WORDS[measure][1]}; {counted(study.repeats, 'repeat')}"


def _rings(measure: str, *, broken: bool) -> str:
    """Say where the bound is, and what passed it."""
    side = "below" if MEASURES[measure] else "above"
    bound = f"{side} {BOUNDS[measure]:g} (dashed)"
    return f"ring: the weakest strength tried at which the mean is {bound}" if broken else f"no mean is {bound}"


def _flat(names: Sequence[str]) -> str:
    """Say which axes are not to scale."""
    return f"strengths at equal distances: {few(names)}" if names else ""


def _style(m: int) -> dict[str, Any]:
    """How the line of a method looks."""
    return {
        "color": COLOURS[m % len(COLOURS)],
        "linestyle": _LINES[(m + m // len(COLOURS)) % len(_LINES)],
        "marker": _MARKS[(m + m // len(COLOURS)) % len(_MARKS)],
        "linewidth": 1.1,
        "markersize": 2.8,
    }


def _scale(ax: "Axes", scale: Strengths, low: float) -> None:
    """Strengths from left to right, and the measure up to 1."""
    strip(ax, "bottom", "left")
    ax.set_xlim(*scale.ends)
    ax.set_xticks(scale.ticks, scale.texts, fontsize=NOTE_SIZE)
    ax.set_ylim(low - 0.04 * (1 - low), 1 + 0.04 * (1 - low))
    places, texts = round_ticks(low, 1.0, size_of(ax)[1] / 0.3)
    ax.set_yticks(places, texts, fontsize=NOTE_SIZE)


def _line(ax: "Axes", scale: Strengths, spread: Spread, m: int, broken: NDArray[np.bool_]) -> None:
    """Draw the means of a method, their band, and where it breaks down."""
    style = _style(m)
    if spread.words:
        ax.fill_between(
            scale.places,
            spread.low[m],
            spread.high[m],
            color=style["color"],
            alpha=0.13,
            linewidth=0,
            zorder=1.5,
            gid="band",
        )
    ax.plot(scale.places, spread.mean[m], zorder=2.5 - 0.01 * m, clip_on=False, gid="method", **style)
    ax.plot(
        scale.places[broken],
        spread.mean[m][broken],
        "o",
        markersize=7,
        markerfacecolor="none",
        markeredgecolor=style["color"],
        markeredgewidth=0.8,
        zorder=2.6,
        gid="breakdown",
    )
