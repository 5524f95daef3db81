"""How sure ranks are: ranks with their intervals, and bars over systems that are not separated.

- Who beats whom: every system against every other, as coloured cells.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from podium.base.check import checked_whole
from podium.base.errors import MethodError
from podium.base.words import few, how_many
from podium.report.diagram import Diagram, cliques
from podium.report.drawing import (
    FAINT,
    INK,
    LIFT,
    NOTE_SIZE,
    Lettering,
    cell_axes,
    font_size,
    label_below,
    label_rows,
    legend,
    row_height,
    size_of,
    write,
)
from podium.report.picture import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from podium.base.arrays import Floats, Ints
    from podium.ranking.result import Intervals, Pairwise, Ranking


def intervals_of(ranking: "Ranking") -> "Intervals":
    """Return the intervals of a ranking.

    Raises
    ------
    MethodError
        It has none: why, or how to ask for them.
    """
    if ranking.intervals is None:
        asked = "; ask for them with confidence_level=0.95 (--intervals)"
        why = [note.removeprefix("no intervals") for note in ranking.notes if note.startswith("no intervals")]
        raise MethodError(f"there are no intervals to draw{why[0] if why else asked}")
    return ranking.intervals


_MARGINAL = "#0072b2"

_BAND = "#eef2f5"

#: Smallest width, in inches, of axes above which the legend fits in a line.
_WIDE = 3.9


def rank_intervals(ranking: "Ranking", *, top: int | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw the rank of every system, with the ranks it may truly have, and the tiers as bands if there are several.

    A point at the rank; a thick line over the rank interval of the system by itself, a thin one over that of all
    systems together. A system without a rank has a row that says so.

    Parameters
    ----------
    ranking
        With intervals, which `podium.rank` gives unless `confidence=None`.
    top
        How many systems to draw, the best first; None for all.
    ax
        Where to draw; None makes a figure of the size that the systems need.

    Raises
    ------
    MethodError
        The ranking has no intervals, or `top` is no number of systems.
    MissingExtraError
        Matplotlib is not installed.

    Examples
    --------
    >>> import podium
    >>> ranking = podium.rank(podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores)
    >>> ax = podium.plots.ranks(ranking)
    >>> [label.get_text() for label in ax.get_yticklabels()][0]
    'system 4'
    """
    intervals = intervals_of(ranking)
    rows = len(ranking) if top is None else min(checked_whole("top", top, 1), len(ranking))
    names = Lettering.of(ranking.systems[:rows])
    if ax is None:
        row = row_height(rows)
        margin = names.width(font_size(row)) + 0.15
        ax = new_axes(4.2, rows * row, left=margin, right=0.5, top=0.5, bottom=0.75)
    size = font_size(size_of(ax)[1] / rows)
    _bands(ax, intervals, size, intervals.tier[:rows])
    _whiskers(ax, ranking, intervals, size, rows)
    label_rows(ax, names.texts, names.font(size))
    less = len(ranking) - rows
    worst = int(intervals.joint_rank_high[:rows].max() if less else ranking.rank.max())
    _rank_axis(ax, worst, intervals, f"rank; {how_many(less, 'more system')} not shown" if less else "rank")
    return ax


def _bands(ax: "Axes", intervals: "Intervals", size: float, tiers: "Ints") -> None:
    """Shade every other tier, and number them at the right, if there are several."""
    if not intervals.tiered:
        return
    for tier in range(1, int(tiers.max()) + 1):
        rows = np.flatnonzero(tiers == tier)
        first, last = float(rows.min()) - 0.5, float(rows.max()) + 0.5
        if tier % 2:
            ax.axhspan(first, last, color=_BAND, linewidth=0, zorder=0)
        write(ax, (1.02, (first + last) / 2), str(tier), size, "rows", va="center")
    write(ax, (1.02, 1 + LIFT / size_of(ax)[1]), "tier", NOTE_SIZE, "axes", va="bottom")


def _whiskers(ax: "Axes", ranking: "Ranking", intervals: "Intervals", size: float, rows: int) -> None:
    """Draw a thin line, a thick one, and a point for every ranked system."""
    ranked = np.flatnonzero(ranking.rank[:rows] > 0)
    for low, high, thick, alpha, label in (
        (intervals.joint_rank_low, intervals.joint_rank_high, size / 9, None, "all systems together"),
        (intervals.rank_low, intervals.rank_high, size / 2.2, 0.45, "each system by itself"),
    ):
        ax.hlines(ranked, low[ranked], high[ranked], color=_MARGINAL, linewidth=thick, alpha=alpha, label=label)
    ax.plot(ranking.rank[ranked], ranked, "o", color=INK, markersize=size / 2, label="rank")
    for row in np.flatnonzero(ranking.rank[:rows] == 0):
        write(ax, (1, float(row)), "not ranked", size, va="center", color=FAINT)


def _rank_axis(ax: "Axes", worst: int, intervals: "Intervals", label: str) -> None:
    """Count ranks from 1, and say below what the lines are."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  # an extra

    pad = max(0.3, 0.02 * worst)
    ax.set_xlim(1 - pad, worst + pad)
    steps = MaxNLocator(nbins=8, integer=True, steps=[1, 2, 5, 10]).tick_values(1, worst)
    gap = 0.6 * (steps[1] - steps[0])
    ticks = [1, *(int(step) for step in steps if 1 + gap < step <= worst)]
    ax.set_xticks(ticks, [str(tick) for tick in ticks], fontsize=NOTE_SIZE)
    label_below(ax, label)
    handles, labels = ax.get_legend_handles_labels()
    confidence = f"{100 * intervals.confidence:g}%, "
    named = [label if label == "rank" else confidence + label for label in labels[::-1]]
    columns = 3 if size_of(ax)[0] >= _WIDE else 1
    legend(ax, ncols=columns, handles=handles[::-1], labels=named, columnspacing=1.2)


def cd(ranking: "Ranking", *, ax: "Axes | None" = None) -> "Axes":
    """Draw systems along their scores, best at the right, with bars over those that are not separated.

    Every bar is a longest run of systems, in order of rank, in which no two are separated, all pairs together. The
    labels, with ranks, stand left and right, in rows of their own. Systems without a rank are named below.

    Parameters
    ----------
    ranking
        With intervals, which `podium.rank` gives unless `confidence=None`.
    ax
        Where to draw; None makes a figure of the size that the systems need.

    Raises
    ------
    MethodError
        The ranking has no intervals.
    MissingExtraError
        Matplotlib is not installed.

    References
    ----------
    After Demšar, JMLR 7, 2006, Fig. 1; the bars are of podium's own tests, and not of Nemenyi's critical difference
    of mean ranks, which are those of a `podium.TaskComparison`.

    Examples
    --------
    >>> import podium
    >>> ranking = podium.rank(podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores)
    >>> ax = podium.plots.cd(ranking)
    >>> ax.get_xlabel()
    'borda, balanced: score, best at the right'
    """
    intervals = intervals_of(ranking)
    ranked = np.flatnonzero(ranking.rank > 0)
    joined = cliques(intervals.separated[np.ix_(ranked, ranked)])
    found = "systems on one bar are not separated" if joined else "no bars: all systems are separated"
    said = [f"{found} ({100 * intervals.confidence:g}%, all pairs; podium's tests, not Nemenyi's)"]
    what = (ranking.method == "mean" and ranking.metric) or "score"
    if out := [system for system, rank in zip(ranking.systems, ranking.rank, strict=True) if not rank]:
        said.append(f"not ranked: {few(out, 3)}")
    return Diagram(
        ranking.score[ranked],
        [ranking.systems[index] for index in ranked],
        [str(rank) for rank in ranking.rank[ranked]],
        joined,
        f"{ranking.title.partition(':')[0]}: {what}, best at the right",
        falls=not ranking.higher_is_better,
    ).draw(ax, said)


#: From an interval that ends at ½ to one that ends at 0 or 1. Green and purple differ to colour-blind readers too.
_WINS = np.array([[0.77, 0.90, 0.74], [0.0, 0.35, 0.16]])

_LOSES = np.array([[0.88, 0.80, 0.91], [0.36, 0.13, 0.46]])

_UNDECIDED = np.array([0.87, 0.87, 0.87])

#: Width of the legend, in inches.
_LEGEND = 2.0

#: Smallest side of a cell, in inches, that has room for a number.
ROOM = 0.27

#: Systems up to which cells are drawn as shapes.
_SHAPES = 150

#: Largest side of all cells together, in inches, as a picture in dots of more takes gigabytes; and smallest height of a
#: name, so that where there are more systems only every so many have names.
_SIDE, _LEAST = 20.0, 0.13


def heatmap(pairwise: "Pairwise", *, ax: "Axes | None" = None) -> "Axes":
    """Draw every system against every other: green where the row is better beyond doubt, purple where it is worse.

    The darker, the surer: the further the interval of the share of comparisons won is from ½; grey where it holds ½; a
    cross where two systems were never compared, or of more than 150 systems nothing. Systems are in order of their
    share. Where there is room, columns bear their names and cells show the share won; otherwise columns bear the
    numbers of rows. Of more than 150 systems, only every second one has its name, or every third, and so on.

    Parameters
    ----------
    pairwise
        What `podium.pairwise` returns.
    ax
        Where to draw; None makes a figure of the size that the systems need.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.

    References
    ----------
    Himmi, Irurozki, Noiry, Clémençon & Colombo, 2023, Fig. 6 and §2.3.

    Examples
    --------
    >>> import podium
    >>> duels = podium.pairwise(podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores)
    >>> ax = podium.plots.heatmap(duels)
    >>> [label.get_text() for label in ax.get_yticklabels()][0]
    'system 4  1'
    """
    n_systems = len(pairwise.systems)
    names = Lettering.of(pairwise.systems)
    ax, side, named = square_axes(ax, names, widest=_LEGEND, below=1.35)
    edges = np.arange(n_systems + 1) - 0.5
    away = np.argwhere(np.isnan(pairwise.probability) & ~np.eye(n_systems, dtype=np.bool_))
    if n_systems > _SHAPES:  # as a picture, since so many shapes take minutes and megabytes
        ax.imshow(_colours(pairwise), interpolation="none")
    else:
        ax.pcolormesh(edges, edges, _colours(pairwise), edgecolors="white", linewidth=min(0.8, 3 * side))
        ax.scatter(away[:, 1], away[:, 0], marker="x", s=(72 * side * 0.3) ** 2, color=FAINT, linewidth=0.6)
    if side >= ROOM:
        _number(ax, pairwise, size=min(7.5, 72 * side / 3.2))
    label_cells(ax, names, side, named=named)
    _legend(ax, pairwise, crossed=bool(away.size))
    return ax


def _colours(pairwise: "Pairwise") -> "Floats":
    """Shape `(N, N, 3)`."""
    colours = np.tile(_UNDECIDED, (len(pairwise.systems), len(pairwise.systems), 1))
    for decided, distance, shades in (
        (pairwise.separated, pairwise.low - 0.5, _WINS),
        (pairwise.separated.T, 0.5 - pairwise.high, _LOSES),
    ):
        depth = (2 * distance)[..., None].clip(0, 1)
        colours = np.where(decided[..., None], shades[0] + depth * (shades[1] - shades[0]), colours)
    colours[np.isnan(pairwise.probability)] = 1.0
    return colours


def _number(ax: "Axes", pairwise: "Pairwise", size: float) -> None:
    """Write the shares into the cells, in black or white, whichever is read better."""
    luminance = _colours(pairwise) @ [0.3, 0.59, 0.11]
    for i, j in np.argwhere(~np.isnan(pairwise.probability)):
        text = f"{pairwise.probability[i, j]:.2f}".removeprefix("0")
        ink = INK if luminance[i, j] > 0.56 else "white"
        ax.text(j, i, text, ha="center", va="center_baseline", fontsize=size, color=ink)


def square_axes(ax: "Axes | None", names: Lettering, *, widest: float, below: float) -> "tuple[Axes, float, bool]":
    """Return axes for rows and columns of cells, the side of a cell, and whether columns have room for names.

    Parameters
    ----------
    ax
        Where to draw; None makes a figure of the size that names and cells need.
    names
        Of rows and columns.
    widest, below
        Inches of what stands below the cells: its width, and its height.
    """
    number, named = len(names.texts), False
    if ax is None:
        side = min(0.4, max(_LEAST, 6.5 / number), _SIDE / number)
        letters = font_size(max(side, _LEAST))
        margin = max(names.width(letters, extra=f"  {number}") + 0.15, widest - number * side)
        named = side >= ROOM
        top = names.width(font_size(side), extra="  00") + 0.15 if named else 0.4
        ax = new_axes(number * side, number * side, left=margin, right=0.15, top=top, bottom=below, rigid=True)
        ax.set_anchor("N")
    return ax, min(size_of(ax)) / number, named


def label_cells(ax: "Axes", names: Lettering, side: float, *, named: bool) -> None:
    """Names and numbers at the rows, and at the columns either both or numbers alone; side of a cell in inches."""
    ax.set_aspect("equal")
    cell_axes(ax, len(names.texts), len(names.texts))
    step = math.ceil(_LEAST / side) if len(names.texts) > _SHAPES else 1
    size, places = font_size(step * side), range(0, len(names.texts), step)
    rows = [f"{names.texts[place]}  {place + 1}" for place in places]
    ax.set_yticks(places, rows, fontproperties=names.font(size), parse_math=False)
    if named:
        columns = [f"{place + 1}  {names.texts[place]}" for place in places]
        ax.set_xticks(places, columns, fontproperties=names.font(size), rotation=90, parse_math=False)
    else:
        ax.set_xticks(places, [str(place + 1) for place in places], fontsize=size, rotation=0 if 72 * side > 20 else 90)


def _legend(ax: "Axes", pairwise: "Pairwise", *, crossed: bool) -> None:
    """Say what the colours mean, below the cells."""
    from matplotlib.lines import Line2D  # noqa: PLC0415  # an extra
    from matplotlib.patches import Patch  # noqa: PLC0415

    handles: list[Patch | Line2D] = [
        Patch(color=tuple(_WINS.mean(axis=0)), label="row better than column"),
        Patch(color=tuple(_LOSES.mean(axis=0)), label="row worse than column"),
        Patch(color=tuple(_UNDECIDED), label="undecided"),
    ]
    if crossed and len(pairwise.systems) > _SHAPES:
        handles.append(Patch(facecolor="white", edgecolor=FAINT, linewidth=0.6, label="never compared"))
    elif crossed:
        handles.append(Line2D([], [], linestyle="", marker="x", color=FAINT, label="never compared"))
    together = "all pairs together" if pairwise.simultaneous else "pair by pair"
    sides = "one-sided, " if pairwise.sided == "one" else ""
    legend(
        ax,
        handles=handles,
        loc="upper right",
        bbox_to_anchor=(1.0, -0.08 / size_of(ax)[1]),
        title=f"Hoeffding, {100 * pairwise.confidence:g}%, {sides}{together};\ndarker: surer (interval further from ½)",
        title_fontsize=NOTE_SIZE,
        alignment="left",
        handlelength=1.2,
    )
