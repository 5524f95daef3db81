"""How rankings hold under stress: a panel for every stress, a line for every method."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError
from podium.base.words import few, numeral
from podium.report.draw.canvas import FAINT, NOTE_SIZE, line_style, round_ticks, size_of, strip
from podium.report.draw.lettering import Lettering
from podium.report.draw.page import Key, Panels, height_of, lines_of, remark
from podium.robustness.study.result import BOUNDS, CONFIDENCE, MEASURES, Study, SweepResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

#: Steps are drawn at equal distances where the longest is so many times the shortest.
_UNEVEN = 15

#: Least distance of numbers below the axis, and of what is drawn from its ends as a share of the width, in inches.
_APART, _PAD = 0.09, 0.04

#: Quantiles between which bands lie, of as many methods as do not hide each other, and of more.
_BROAD, _MIDDLE = (0.05, 0.95), (0.25, 0.75)

#: Methods up to which bands are broad.
_FEW = 2

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
    >>> from podium.robustness.study.result import SweepResult
    >>> tau = np.array([[[1.0, 1.0], [0.8, 0.6]]])
    >>> first = np.array([[[1.0, 0.0], [0.5, 0.5]]])
    >>> strengths, none = np.array([0.0, 0.5]), np.zeros((1, 2))
    >>> swept = SweepResult("missing", "share of scores removed", strengths, tau, None, tau, first, none, none, none[0])
    >>> (ax,) = podium.plots.stability(Study(("A", "B"), ("borda",), (("A",),), (swept,), 2, 0))
    >>> ax.get_xlabel()
    'share of scores removed'
    """
    breakdown = study.breakdown(measure)
    shown = study.swept if stresses is None else tuple(study[name] for name in stresses)
    if not shown:
        raise MethodError("there is no stress to draw; name at least one of the study")
    panels = Panels.of([one.axis for one in shown])
    scales = [Strengths.of(one.strengths, panels.width) for one in shown]
    spreads = [Spread.of(study, one, measure) for one in shown]
    rings = [[one.strengths == breakdown[one.name][method] for method in study.methods] for one in shown]
    flat = [one.name for one, scale in zip(shown, scales, strict=True) if not scale.to_scale]
    said = _said(study, measure, spreads[0].words, flat, broken=any(ring.any() for ones in rings for ring in ones))
    lines = lines_of(said, panels.breadth)
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


def _said(study: Study, measure: str, bands: str, flat: Sequence[str], *, broken: bool) -> list[str]:
    """Say what lines and bands are, where the bound is and what passed it, and which axes are not to scale."""
    bound = f"{'below' if MEASURES[measure] else 'above'} {BOUNDS[measure]:g} (dashed)"
    said = [
        f"lines: {_WORDS[measure][1]}; {study.tried}",
        bands,
        f"ring: the weakest strength tried at which the mean is {bound}" if broken else f"no mean is {bound}",
        f"strengths at equal distances: {few(flat)}" if flat else "",
    ]
    return [sentence for sentence in said if sentence]


def _style(m: int) -> dict[str, Any]:
    """How the line of a method looks."""
    return {**line_style(m), "linewidth": 1.1, "markersize": 2.8}


def _scale(ax: "Axes", scale: "Strengths", low: float) -> None:
    """Strengths from left to right, and the measure up to 1."""
    strip(ax, "bottom", "left")
    ax.set_xlim(*scale.ends)
    ax.set_xticks(scale.ticks, scale.texts, fontsize=NOTE_SIZE)
    ax.set_ylim(low - 0.04 * (1 - low), 1 + 0.04 * (1 - low))
    ax.set_yticks(*round_ticks(low, 1.0, size_of(ax)[1] / 0.3), fontsize=NOTE_SIZE)


def _line(ax: "Axes", scale: "Strengths", spread: "Spread", m: int, broken: NDArray[np.bool_]) -> None:
    """Draw the means of a method, their band, and where it breaks down."""
    style = _style(m)
    if spread.words:
        band = {"color": style["color"], "alpha": 0.13, "linewidth": 0, "zorder": 1.5, "gid": "band"}
        ax.fill_between(scale.places, spread.low[m], spread.high[m], **band)
    ax.plot(scale.places, spread.mean[m], zorder=2.5 - 0.01 * m, clip_on=False, gid="method", **style)
    ring = {"markersize": 7, "markerfacecolor": "none", "markeredgecolor": style["color"], "markeredgewidth": 0.8}
    ax.plot(scale.places[broken], spread.mean[m][broken], "o", zorder=2.6, gid="breakdown", **ring)


@dataclass(frozen=True, slots=True)
class Strengths:
    """An axis of strengths.

    Attributes
    ----------
    places
        Shape `(S,)`: of each strength.
    ticks, texts
        Where numbers stand, and which.
    ends
        Of the axis.
    to_scale
        Whether places are the strengths themselves; else they are 0, 1, 2, ….
    """

    places: NDArray[np.float64]
    ticks: tuple[float, ...]
    texts: tuple[str, ...]
    ends: tuple[float, float]
    to_scale: bool

    @classmethod
    def of(cls, strengths: NDArray[np.float64], width: float) -> "Strengths":
        """Place strengths along so many inches.

        >>> axis = Strengths.of(np.array([0.0, 1, 9, 99, 999]), 2.0)
        >>> axis.places.tolist(), axis.texts
        ([0.0, 1.0, 2.0, 3.0, 4.0], ('0', '1', '9', '99', '999'))
        >>> Strengths.of(np.array([0.0, 0.1, 0.2, 0.5]), 2.0).places.tolist()
        [0.0, 0.1, 0.2, 0.5]
        """
        steps = np.diff(strengths)
        to_scale = not steps.size or bool(steps.min() > 0 and steps.max() < _UNEVEN * steps.min())
        places = strengths if to_scale else np.arange(float(strengths.size))
        low, high = float(places[0]), float(places[-1])
        pad = _PAD * (high - low) or 0.5
        if to_scale and steps.size:
            numbers = round_ticks(low, high, width / 0.42, whole=bool((strengths == np.round(strengths)).all()))
        else:
            numbers = places.tolist(), [numeral(strength) for strength in strengths.tolist()]
            step = (width - 2 * _PAD * width) / max(strengths.size - 1, 1)
            numbers = _thinned(*numbers, step)
        return cls(places, tuple(numbers[0]), tuple(numbers[1]), (low - pad, high + pad), to_scale)


def _thinned(ticks: Sequence[float], texts: Sequence[str], step: float) -> tuple[list[float], list[str]]:
    """Leave out numbers that do not fit, the last being kept."""
    every = ceil((1.03 * Lettering.of(texts).width(NOTE_SIZE) + _APART) / step)
    kept = [index for index in range(len(texts)) if (len(texts) - 1 - index) % every == 0]
    return [ticks[index] for index in kept], [texts[index] for index in kept]


@dataclass(frozen=True, slots=True)
class Spread:
    """Lines with bands.

    Attributes
    ----------
    mean, low, high
        Shape `(M, S)`: the line, and the ends of the band around it, which are equal where there is one repeat.
    words
        What the band is; nothing where there is none.
    """

    mean: Floats
    low: Floats
    high: Floats
    words: str

    @classmethod
    def of(cls, study: Study, one: SweepResult, measure: str) -> "Spread":
        """Summarise the tries of a stress.

        Of shares of the first place, which are 0 or 1 in most repeats, quantiles would say nothing; their band is the
        interval of the mean, see `Study.interval`.

        Examples
        --------
        >>> import podium
        >>> sweep = podium.stresses.Sweep("tasks", podium.stresses.DropTasks, (0, 5), "tasks left out")
        >>> study = podium.study(podium.datasets.toy_table1(), [sweep], ["mean"], repeats=40, jobs=1)
        >>> spread = Spread.of(study, study["tasks"], "kept")
        >>> spread.low.round(2), spread.high.round(2), spread.words
        (array([[1. , 0.2]]), array([[1.  , 0.57]]), 'bands: 95% intervals of the mean')
        """
        mean, values = one.mean(measure), one.values(measure)
        if values.shape[2] == 1:
            return cls(mean, mean, mean, "")
        if measure == "kept":
            low, high = study.interval(one)
            return cls(mean, low, high, f"bands: {100 * CONFIDENCE:g}% intervals of the mean")
        ends = _BROAD if len(values) <= _FEW else _MIDDLE
        quantiles = [[np.quantile(tried, ends) for tried in row] for row in one.by_method(measure)]
        low, high = np.moveaxis(np.array(quantiles), 2, 0)
        return cls(mean, low, high, "bands: from {:g} to {:g}% of the repeats".format(*(100 * end for end in ends)))
