"""Pictures of robustness: how rankings hold under stress, and what a first place depends on."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.errors import MethodError
from podium.base.words import few, fixed, how_many, numeral
from podium.report.drawing import (
    COLOURS,
    FAINT,
    INK,
    LIFT,
    LONGEST,
    NOTE_SIZE,
    Lettering,
    font_size,
    label_below,
    label_rows,
    legend,
    line_style,
    round_ticks,
    row_height,
    size_of,
    strip,
    write,
)
from podium.report.picture import Key, Panels, footed, height_of, lines_of, remark
from podium.report.view import shorten
from podium.robustness.verdict import BOUNDS, CONFIDENCE, MEASURES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.font_manager import FontProperties

    from podium.robustness.influence_result import Influence, LeaveOneOut
    from podium.robustness.study_result import Study, SweepResult

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


def stability(study: "Study", *, measure: str = "tau", stresses: Sequence[str] | None = None) -> "list[Axes]":
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
    >>> from podium.robustness.study_result import Study, SweepResult
    >>> tau = np.array([[[1.0, 1.0], [0.8, 0.6]]])
    >>> first = np.array([[[1.0, 0.0], [0.5, 0.5]]])
    >>> strengths, none = np.array([0.0, 0.5]), np.zeros((1, 2))
    >>> swept = SweepResult("missing", "share of scores removed", strengths, tau, None, tau, first, none, none, none[0])
    >>> (ax,) = podium.plots.stability(Study(("A", "B"), ("borda",), (("A",),), (swept,), 2, 0))
    >>> ax.get_xlabel()
    'share of scores removed'
    """
    breakdown = study.breakdown(measure)
    shown = study.swept if stresses is None else tuple(study.sweep(name) for name in stresses)
    if not shown:
        raise MethodError("there is no stress to draw; name at least one of the study")
    panels = Panels.of([one.axis for one in shown])
    scales = [places_of_strengths(one.strengths) for one in shown]
    spreads = [Spread.of(study, one, measure) for one in shown]
    rings = [[one.strengths == breakdown[one.name][method] for method in study.methods] for one in shown]
    flat = [one.name for one, (_, to_scale) in zip(shown, scales, strict=True) if not to_scale]
    bound = f"{'below' if MEASURES[measure] else 'above'} {BOUNDS[measure]:g} (dashed)"
    broken = any(ring.any() for ones in rings for ring in ones)
    said = [
        f"lines: {_WORDS[measure][1]}; {study.tried}",
        spreads[0].words,
        f"ring: the weakest strength tried at which the mean is {bound}" if broken else f"no mean is {bound}",
        f"strengths at equal distances: {few(flat)}" if flat else "",
    ]
    lines = lines_of([*filter(None, said)], panels.breadth)
    key = Key.of(study.methods, panels.breadth - panels.left)
    figure, axes = panels.draw(key.height, height_of(lines) + 0.1)
    low = min(0.0, *(float(np.nanmin(spread.low)) for spread in spreads))
    for index, (ax, (places, to_scale)) in enumerate(zip(axes, scales, strict=True)):
        strip(ax, "bottom", "left")
        _strengths(ax, shown[index].strengths, places, panels.width, to_scale=to_scale)
        ax.set_ylim(low - 0.04 * (1 - low), 1 + 0.04 * (1 - low))
        ax.set_yticks(*round_ticks(low, 1.0, size_of(ax)[1] / 0.3), fontsize=NOTE_SIZE)
        ax.axhline(BOUNDS[measure], color=FAINT, linewidth=0.7, linestyle=(0, (3, 2)), zorder=1, gid="bound")
        for m in range(len(study.methods)):
            _line(ax, places, spreads[index], m, rings[index][m])
        panels.label(ax, index, shown[index].name, _WORDS[measure][0])
    key.draw(figure, [_style(m) for m in range(len(study.methods))], panels.left)
    remark(axes[panels.lowest], lines, left=panels.left - 0.1, below=panels.below(panels.lowest))
    return axes


def _style(m: int) -> dict[str, Any]:
    return {**line_style(m), "linewidth": 1.1, "markersize": 2.8}


def _line(ax: "Axes", places: Floats, spread: "Spread", m: int, broken: NDArray[np.bool_]) -> None:
    """Draw the means of a method, their band, and where it breaks down."""
    style = _style(m)
    if spread.words:
        band = {"color": style["color"], "alpha": 0.13, "linewidth": 0, "zorder": 1.5, "gid": "band"}
        ax.fill_between(places, spread.low[m], spread.high[m], **band)
    ax.plot(places, spread.mean[m], zorder=2.5 - 0.01 * m, clip_on=False, gid="method", **style)
    ring = {"markersize": 7, "markerfacecolor": "none", "markeredgecolor": style["color"], "markeredgewidth": 0.8}
    ax.plot(places[broken], spread.mean[m][broken], "o", zorder=2.6, gid="breakdown", **ring)


def _strengths(ax: "Axes", strengths: Floats, places: Floats, width: float, *, to_scale: bool) -> None:
    """Write strengths below an axis of so many inches, as many as there is room for; the last is kept."""
    low, high = float(places[0]), float(places[-1])
    pad = _PAD * (high - low) or 0.5
    ax.set_xlim(low - pad, high + pad)
    if to_scale and strengths.size > 1:
        numbers = round_ticks(low, high, width / 0.42, whole=bool((strengths == np.round(strengths)).all()))
    else:
        texts = [numeral(strength) for strength in strengths.tolist()]
        step = (width - 2 * _PAD * width) / max(strengths.size - 1, 1)
        every = math.ceil((1.03 * Lettering.of(texts).width(NOTE_SIZE) + _APART) / step)
        kept = range((len(texts) - 1) % every, len(texts), every)
        numbers = [float(places[index]) for index in kept], [texts[index] for index in kept]
    ax.set_xticks(*numbers, fontsize=NOTE_SIZE)


def places_of_strengths(strengths: NDArray[np.float64]) -> tuple[NDArray[np.float64], bool]:
    """Return places along an axis: the strengths themselves if their steps are alike, else 0, 1, 2, …; and whether so.

    >>> places_of_strengths(np.array([0.0, 0.1, 0.2, 0.5]))[0].tolist()
    [0.0, 0.1, 0.2, 0.5]
    >>> places_of_strengths(np.array([0.0, 1, 9, 99]))[0].tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    steps = np.diff(strengths)
    to_scale = not steps.size or bool(steps.min() > 0 and steps.max() < _UNEVEN * steps.min())
    return (strengths if to_scale else np.arange(float(strengths.size))), to_scale


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
    def of(cls, study: "Study", one: "SweepResult", measure: str) -> "Spread":
        """Summarise the tries of a stress.

        Of shares of the first place, which are 0 or 1 in most repeats, quantiles would say nothing; their band is the
        interval of the mean, see `Study.interval`.

        Examples
        --------
        >>> import podium
        >>> sweep = podium.stresses.Sweep("tasks", podium.stresses.DropTasks, (0, 5), "tasks left out")
        >>> study = podium.study(podium.datasets.toy_table1(), [sweep], ["mean"], repeats=40, n_jobs=1)
        >>> spread = Spread.of(study, study.sweep("tasks"), "kept")
        >>> spread.low.round(2), spread.high.round(2), spread.words
        (array([[1. , 0.2]]), array([[1.  , 0.57]]), 'bands: 95% intervals of the mean')
        """
        mean, trials = one.mean(measure), one.trials(measure)
        if one.tries.max() == 1:
            return cls(mean, mean, mean, "")
        if measure == "kept":
            low, high = study.interval(one)
            return cls(mean, low, high, f"bands: {100 * CONFIDENCE:g}% intervals of the mean")
        ends = _BROAD if len(mean) <= _FEW else _MIDDLE
        low, high = np.stack([np.quantile(some, ends, axis=1) for some in trials], axis=2)
        return cls(mean, low, high, "bands: from {:g} to {:g}% of the repeats".format(*(100 * end for end in ends)))


#: Most tasks and instances drawn.
_MOST = {"task": 20, "instance": 10}

#: What becomes of the first place: colour and mark; behind what is lost.
_KINDS = {"kept": (COLOURS[0], "o"), "shared": (COLOURS[3], "s"), "lost": (COLOURS[1], "D")}

_BAND = "#faefec"

#: Infinite leads: what they mean, and at which edge they stand.
_EDGES = {-math.inf: ("leader not placed", "left"), math.inf: ("no other placed", "right")}

#: Of axes of their own, below them down to what is said, and to the right, in inches.
_WIDTH, _DROP, _GAP = 4.0, 0.44, 0.1

#: Width of the heading of names at the right, in inches.
_HEAD = 0.8

#: Smallest width, in inches, of axes above which the legend fits in a line.
_WIDE = 2.8


@dataclass(frozen=True, slots=True)
class _Row:
    """A unit left out, or a heading: label, what the lead is then, what becomes of the place, and who is first."""

    label: str
    lead: float
    kind: str = ""
    first: str = ""


def influence(influence: "Influence", *, ax: "Axes | None" = None) -> "Axes":
    """Draw the lead without each task, and without each instance, the most influential on top.

    A line stands at the lead with all; a mark shows what it is without one task (at most 20) or one instance (at most
    10). Left of 0 the first place is lost, and who is first instead is written at the right. Where the leader, or
    no other system, can be placed, the mark stands at the edge, with a word.

    Parameters
    ----------
    influence
        What `podium.influence` returns.
    ax
        Where to draw; None makes a figure of the size that the rows need.

    Raises
    ------
    MethodError
        There is nothing to leave out.
    MissingExtraError
        Matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> import podium
    >>> lead, tau = np.array([-0.02, 0.05]), np.array([0.3, 1.0])
    >>> from podium.robustness.influence_result import Influence, LeaveOneOut
    >>> tasks = LeaveOneOut.among(lead, ("rte", "wnli"), lead, tau, (("B",), ("A",)))
    >>> ax = podium.plots.influence(Influence("borda", "two", ("A", "B"), "A", ("A",), 0.04, tasks, None, ()))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['rte', 'wnli']
    """
    rows = _rows(influence)
    labels = Lettering.of([row.label for row in rows])
    others = sorted({row.first for row in rows} - {""})
    firsts = Lettering.of(others)
    row = row_height(len(rows))
    left = labels.width(font_size(row)) + 0.2
    right = _GAP + max(1.03 * firsts.width(font_size(row)), _HEAD) + 0.05 if firsts.texts else 0.3
    size = (_WIDTH, len(rows) * row)
    said = [influence.title]
    for kind, without in influence.by_kind.items():
        if without.of > _MOST[kind]:
            reach = without.reach(_MOST[kind], influence.lead_places)
            lead = f", without which the lead is {reach}" if reach else ""
            said.append(f"not drawn: {how_many(without.of - min(_MOST[kind], len(without.units)), kind)}{lead}")
    ax, say = footed(ax, said, size, left=left, right=right, top=0.5, below=_DROP)
    letters = font_size(size_of(ax)[1] / len(rows))
    label_rows(ax, labels.texts, labels.font(letters))
    _marks(ax, influence, rows, letters)
    _names(ax, rows, dict(zip(others, firsts.texts, strict=True)), firsts.font(letters))
    legend(ax, ncols=4 if size_of(ax)[0] >= _WIDE else 1, handlelength=1.0, handletextpad=0.5, columnspacing=1.2)
    say()
    return ax


def _rows(influence: "Influence") -> list[_Row]:
    """Units, the most influential first; under headings where there are both tasks and instances."""
    found = {kind: _units(influence, kind, without) for kind, without in influence.by_kind.items()}
    if not found:
        why = f": {influence.notes[0]}" if influence.notes else ""
        raise MethodError(f"there is no task and no instance to leave out, so there is nothing to draw{why}")
    if len(found) == 1:
        return next(iter(found.values()))
    return [row for kind, rows in found.items() for row in (_Row(f"{kind}s", math.nan), *rows)]


def _units(influence: "Influence", kind: str, without: "LeaveOneOut") -> list[_Row]:
    """Say what becomes of the first place without each unit."""
    alike = without.tasks is None or len(set(without.tasks)) == 1  # then their names add nothing
    tasks = [""] * len(without.units) if alike else [f" ({task})" for task in without.tasks or ()]
    rows = []
    for unit, task, lead, first in zip(without.units, tasks, without.lead.tolist(), without.first, strict=True):
        others = [system for system in first if system not in influence.leaders]
        what = ("shared", f"with {few(others, 1)}") if others else ("kept", "")
        if math.isnan(lead):
            what = ("not ranked", "")
        elif influence.leader not in first:
            what = ("lost", few(first, 1))
        rows.append(_Row(f"{unit}{task}", lead, *what))
    return rows[: _MOST[kind]]


def _marks(ax: "Axes", influence: "Influence", rows: list[_Row], size: float) -> None:
    """Draw lines at 0 and at the lead with all, and a mark for each unit, with its distance from that lead."""
    whole = influence.lead
    ends = [lead for lead in (0.0, whole, *(row.lead for row in rows)) if math.isfinite(lead)]
    pad = 0.05 * (max(ends) - min(ends)) or 1.0
    low, high = min(ends) - pad, max(ends) + pad
    ax.set_xlim(low, high)
    ax.set_xticks(*round_ticks(low, high, size_of(ax)[0] / 0.6), fontsize=NOTE_SIZE)
    if any(row.lead < 0 for row in rows):
        ax.axvspan(low, 0, color=_BAND, linewidth=0, zorder=0)
    ax.axvline(0, color=FAINT, linewidth=0.9, zorder=1, gid="zero")
    left_out = " or ".join(f"one {kind}" for kind in influence.by_kind)
    leader = Lettering.of([f"lead of {shorten(influence.leader, LONGEST)}, without {left_out}"], most=10**6)
    label_below(ax, leader.texts[0], leader.font(NOTE_SIZE))
    text = f"with all: {fixed(whole, influence.lead_places)}"
    ax.axvline(whole, color=INK, linewidth=0.9, zorder=1.5, label=text, gid="lead")
    start = min(max(whole, low), high) if math.isfinite(whole) or whole in _EDGES else 0.0
    for kind, (colour, mark) in _KINDS.items():
        chosen = [index for index, row in enumerate(rows) if row.kind == kind]
        leads = [min(max(rows[index].lead, low), high) for index in chosen]
        ax.hlines(chosen, [start] * len(chosen), leads, color=colour, linewidth=size / 6, alpha=0.5, zorder=2)
        if chosen:
            style: dict[str, Any] = {"color": colour, "markersize": size / 1.7, "zorder": 3, "clip_on": False}
            ax.plot(leads, chosen, mark, **style, label=kind, gid=kind)
    for index, row in enumerate(rows):
        if row.kind == "not ranked":
            write(ax, (0, index), " not ranked", size, va="center", color=FAINT)
        elif row.lead in _EDGES:
            word, side = _EDGES[row.lead]
            x = low if side == "left" else high
            said = write(ax, (x, index), f"   {word}   ", size, ha=side, va="center", color=FAINT, zorder=2.5)
            said.set_bbox({"facecolor": "white", "linewidth": 0, "pad": 0})


def _names(ax: "Axes", rows: list[_Row], drawn: dict[str, str], font: "FontProperties") -> None:
    """Write who is first instead, as it is drawn, and what headings are."""
    x = 1 + _GAP / size_of(ax)[0]
    for index, row in enumerate(rows):
        if not row.kind:
            ax.get_yticklabels()[index].set_color(FAINT)
        if row.first:
            colour = _KINDS[row.kind][0]
            write(ax, (x, index), drawn[row.first], font, "rows", va="center_baseline", color=colour)
    if drawn:
        write(ax, (x, 1 + LIFT / size_of(ax)[1]), "first without it", NOTE_SIZE, "axes", va="bottom", color=FAINT)
