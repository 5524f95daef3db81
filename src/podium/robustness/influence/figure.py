"""What a first place depends on: the lead without each task and each instance, and who is first instead."""

import math
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from podium.base.errors import MethodError
from podium.base.words import few, fixed, how_many
from podium.report.draw.canvas import (
    COLOURS,
    FAINT,
    INK,
    LIFT,
    NOTE_SIZE,
    font_size,
    label_below,
    label_rows,
    legend,
    round_ticks,
    row_height,
    size_of,
    write,
)
from podium.report.draw.lettering import LONGEST, Lettering
from podium.report.draw.page import footed
from podium.report.width import shorten
from podium.robustness.influence.result import Influence, LeaveOneOut, by_kind, lead_places, reach_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.font_manager import FontProperties

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


def influence(influence: Influence, *, ax: "Axes | None" = None) -> "Axes":
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
    ax, say = footed(ax, _remarks(influence), size, left=left, right=right, top=0.5, below=_DROP)
    letters = font_size(size_of(ax)[1] / len(rows))
    label_rows(ax, labels.texts, labels.font(letters))
    _scale(ax, influence, rows)
    _marks(ax, influence, rows, letters)
    _names(ax, rows, dict(zip(others, firsts.texts, strict=True)), firsts.font(letters))
    legend(ax, ncols=4 if size_of(ax)[0] >= _WIDE else 1, handlelength=1.0, handletextpad=0.5, columnspacing=1.2)
    say()
    return ax


def _rows(influence: Influence) -> list[_Row]:
    """Units, the most influential first; under headings where there are both tasks and instances."""
    found = {kind: _units(influence, kind, without) for kind, without in by_kind(influence).items()}
    if not found:
        why = f": {influence.notes[0]}" if influence.notes else ""
        raise MethodError(f"there is no task and no instance to leave out, so there is nothing to draw{why}")
    if len(found) == 1:
        return next(iter(found.values()))
    return [row for kind, rows in found.items() for row in (_Row(f"{kind}s", math.nan), *rows)]


def _units(influence: Influence, kind: str, without: LeaveOneOut) -> list[_Row]:
    alike = without.tasks is None or len(set(without.tasks)) == 1  # then their names add nothing
    tasks = [""] * len(without.units) if alike else [f" ({task})" for task in without.tasks or ()]
    labels = [f"{unit}{task}" for unit, task in zip(without.units, tasks, strict=True)]
    every = zip(labels, without.lead.tolist(), without.first, strict=True)
    return [_row(influence, *one) for one in islice(every, _MOST[kind])]


def _row(influence: Influence, label: str, lead: float, first: tuple[str, ...]) -> _Row:
    """Say what becomes of the first place."""
    others = [system for system in first if system not in influence.leaders]
    if math.isnan(lead):
        return _Row(label, lead, "not ranked")
    if influence.leader not in first:
        return _Row(label, lead, "lost", few(first, 1))
    return _Row(label, lead, "shared", f"with {few(others, 1)}") if others else _Row(label, lead, "kept")


def _remarks(influence: Influence) -> list[str]:
    """Say how systems were ranked, and what is not drawn."""
    places = lead_places(influence)
    said = [f"{influence.title}"]
    for kind, without in by_kind(influence).items():
        if without.of <= _MOST[kind]:
            continue
        reach = reach_of(without, _MOST[kind], places)
        lead = f", without which the lead is {reach}" if reach else ""
        said.append(f"not drawn: {how_many(without.of - min(_MOST[kind], len(without.units)), kind)}{lead}")
    return said


def _scale(ax: "Axes", influence: Influence, rows: list[_Row]) -> None:
    """Leads, with lines at 0 and at the lead with all."""
    known = [row.lead for row in rows if math.isfinite(row.lead)]
    ends = [*known, 0.0, *[influence.lead] * math.isfinite(influence.lead)]
    pad = 0.05 * (max(ends) - min(ends)) or 1.0
    low, high = min(ends) - pad, max(ends) + pad
    ax.set_xlim(low, high)
    ax.set_xticks(*round_ticks(low, high, size_of(ax)[0] / 0.6), fontsize=NOTE_SIZE)
    if any(row.lead < 0 for row in rows):
        ax.axvspan(low, 0, color=_BAND, linewidth=0, zorder=0)
    ax.axvline(0, color=FAINT, linewidth=0.9, zorder=1, gid="zero")
    left_out = " or ".join(f"one {kind}" for kind in by_kind(influence))
    leader = Lettering.of([f"lead of {shorten(influence.leader, LONGEST)}, without {left_out}"], most=10**6)
    label_below(ax, leader.texts[0], leader.font(NOTE_SIZE))


def _marks(ax: "Axes", influence: Influence, rows: list[_Row], size: float) -> None:
    """Draw a mark for each unit, and how far it is from the lead with all."""
    whole = influence.lead
    text = f"with all: {fixed(whole, lead_places(influence))}"
    ax.axvline(whole, color=INK, linewidth=0.9, zorder=1.5, label=text, gid="lead")
    low, high = ax.get_xlim()
    start = min(max(whole, low), high) if math.isfinite(whole) or whole in _EDGES else 0.0
    for kind, (colour, mark) in _KINDS.items():
        chosen = [index for index, row in enumerate(rows) if row.kind == kind]
        leads = [min(max(rows[index].lead, low), high) for index in chosen]
        ax.hlines(chosen, [start] * len(chosen), leads, color=colour, linewidth=size / 6, alpha=0.5, zorder=2)
        if chosen:
            ax.plot(
                leads, chosen, mark, color=colour, markersize=size / 1.7, zorder=3, label=kind, gid=kind, clip_on=False
            )
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
