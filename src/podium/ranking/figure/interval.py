"""How sure ranks are: ranks with their intervals, and bars over systems that are not separated."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError
from podium.base.words import few
from podium.ranking.result import Intervals, Ranking
from podium.report.canvas import (
    FAINT,
    INK,
    LIFT,
    NOTE_SIZE,
    Lettering,
    font_size,
    label_below,
    label_rows,
    legend,
    new_axes,
    row_height,
    size_of,
    strip,
    write,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def intervals_of(ranking: Ranking) -> Intervals:
    """Intervals of a ranking.

    Raises
    ------
    MethodError
        It has none: why, or how to ask for them.
    """
    if ranking.intervals is None:
        asked = "; ask for them with confidence=0.95 (--intervals)"
        why = [note.removeprefix("no intervals") for note in ranking.notes if note.startswith("no intervals")]
        raise MethodError(f"there are no intervals to draw{why[0] if why else asked}")
    return ranking.intervals


_MARGINAL = "#0072b2"

_BAND = "#eef2f5"

#: Systems that a diagram of critical differences has room for.
_MOST = 20

#: Smallest width, in inches, of axes above which the legend fits in a line.
_WIDE = 3.9


def rank_intervals(ranking: Ranking, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the rank of every system, with the ranks it may truly have, and the tiers as bands.

    A point at the rank; a thick line over the rank interval of the system by itself, a thin one over that of all
    systems together. A system without a rank has a row that says so.

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

    Examples
    --------
    >>> import podium
    >>> ranking = podium.rank(podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores)
    >>> ax = podium.plots.ranks(ranking)
    >>> [label.get_text() for label in ax.get_yticklabels()][0]
    'system 4'
    """
    intervals = intervals_of(ranking)
    names = Lettering.of(ranking.systems)
    rows = len(ranking)
    if ax is None:
        row = row_height(rows)
        margin = names.width(font_size(row)) + 0.15
        ax = new_axes(4.2, rows * row, left=margin, right=0.5, top=0.5, bottom=0.75)
    size = font_size(size_of(ax)[1] / rows)
    _bands(ax, intervals, size)
    _whiskers(ax, ranking, intervals, size)
    label_rows(ax, names.texts, names.font(size))
    _rank_axis(ax, int(ranking.rank.max()), intervals)
    return ax


def _bands(ax: "Axes", intervals: Intervals, size: float) -> None:
    """Shade every other tier, and number them at the right."""
    for tier in range(1, int(intervals.tier.max()) + 1):
        rows = np.flatnonzero(intervals.tier == tier)
        first, last = float(rows.min()) - 0.5, float(rows.max()) + 0.5
        if tier % 2:
            ax.axhspan(first, last, color=_BAND, linewidth=0, zorder=0)
        write(ax, (1.02, (first + last) / 2), str(tier), size, "rows", va="center")
    write(ax, (1.02, 1 + LIFT / size_of(ax)[1]), "tier", NOTE_SIZE, "axes", va="bottom")


def _whiskers(ax: "Axes", ranking: Ranking, intervals: Intervals, size: float) -> None:
    """Draw a thin line, a thick one, and a point for every ranked system."""
    ranked = np.flatnonzero(ranking.rank > 0)
    for low, high, thick, alpha, label in (
        (intervals.joint_rank_low, intervals.joint_rank_high, size / 9, None, "all systems together"),
        (intervals.rank_low, intervals.rank_high, size / 2.2, 0.45, "each system by itself"),
    ):
        ax.hlines(ranked, low[ranked], high[ranked], color=_MARGINAL, linewidth=thick, alpha=alpha, label=label)
    ax.plot(ranking.rank[ranked], ranked, "o", color=INK, markersize=size / 2, label="rank")
    for row in np.flatnonzero(ranking.rank == 0):
        write(ax, (1, float(row)), "not ranked", size, va="center", color=FAINT)


def _rank_axis(ax: "Axes", worst: int, intervals: Intervals) -> None:
    """Count ranks from 1, and say below what the lines are."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  # an extra

    pad = max(0.3, 0.02 * worst)
    ax.set_xlim(1 - pad, worst + pad)
    steps = MaxNLocator(nbins=8, integer=True, steps=[1, 2, 5, 10]).tick_values(1, worst)
    gap = 0.6 * (steps[1] - steps[0])
    ticks = [1, *(int(step) for step in steps if 1 + gap < step <= worst)]
    ax.set_xticks(ticks, [str(tick) for tick in ticks], fontsize=NOTE_SIZE)
    label_below(ax, "rank")
    handles, labels = ax.get_legend_handles_labels()
    confidence = f"{100 * intervals.confidence:g}%, "
    named = [label if label == "rank" else confidence + label for label in labels[::-1]]
    columns = 3 if size_of(ax)[0] >= _WIDE else 1
    legend(ax, ncols=columns, handles=handles[::-1], labels=named, columnspacing=1.2)


def runs(separated: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last index of the longest runs of systems, two or more, in which no two are separated.

    Parameters
    ----------
    separated
        Shape `(N, N)`: whether i is better than j, systems in order.

    Examples
    --------
    >>> runs(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=np.bool_))
    [(0, 1), (1, 2)]
    """
    apart = separated | separated.T
    found: list[tuple[int, int]] = []
    first = 0
    for last in range(len(apart)):
        if (against := np.flatnonzero(apart[last, first:last])).size:
            first += int(against[-1]) + 1
        if first < last:
            if found and found[-1][0] == first:
                found.pop()
            found.append((first, last))
    return found


def stacked(spans: Sequence[tuple[float, float]]) -> list[int]:
    """Level of each span, from 0, so that no two on a level touch; as few levels as can be.

    Parameters
    ----------
    spans
        Left and right end of each.

    Examples
    --------
    >>> stacked([(0, 2), (1, 3), (2.5, 4)])
    [0, 1, 0]
    """
    taken: list[float] = []  # right end of the last span on each level
    level = [0] * len(spans)
    for index in sorted(range(len(spans)), key=lambda index: spans[index]):
        left, right = spans[index]
        free = [row for row, end in enumerate(taken) if end < left]
        level[index] = free[0] if free else len(taken)
        if free:
            taken[free[0]] = right
        else:
            taken.append(right)
    return level


#: Height of a bar with its gap, and room above and below the bars, in rows of labels.
_BAR, _GAP = 0.45, 0.7


def critical_difference(ranking: Ranking, *, ax: "Axes | None" = None) -> "Axes":
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
        The ranking has no intervals, or so many systems that no label could be followed to its score.
    MissingExtraError
        Matplotlib is not installed.

    References
    ----------
    After Demšar, JMLR 7, 2006, Fig. 1; the bars are of podium's own tests, and not of Nemenyi's critical difference
    of mean ranks, which `podium.compare_task_scores` gives.

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
    if ranked.size > _MOST:
        raise MethodError(f"'cd' shows {_MOST} systems at most, and there are {ranked.size:,}; draw 'ranks' instead")
    score = ranking.score[ranked]
    good = score if ranking.higher_is_better else -score
    reach = 0.012 * (float(np.ptp(good)) or 1.0)
    spans = [(first, last) for first, last in runs(intervals.separated[np.ix_(ranked, ranked)])]
    levels = stacked([(good[last] - 2 * reach, good[first] + 2 * reach) for first, last in spans])
    above = _GAP + _BAR * (max(levels, default=-1) + 1)
    rows = above + _GAP + (len(ranked) + 1) // 2
    numbers = [str(rank) for rank in ranking.rank[ranked]]
    names = Lettering.of([ranking.systems[index] for index in ranked])
    if ax is None:
        row = row_height(max(len(ranked) // 2, 1))
        margin = names.width(font_size(row), extra=f"  {len(ranked)}") + 0.2
        width = 3.6 if len(ranked) <= 30 else 6.0
        ax = new_axes(width, rows * row, left=margin, right=margin, top=0.55, bottom=0.45)
    _axis(ax, score, rows, reach, ranking)
    _bars(ax, spans, levels, score, reach)
    _stems(ax, score, names, numbers, above + _GAP)
    _caption(ax, ranking, intervals.confidence, joined=bool(spans))
    return ax


def _axis(ax: "Axes", score: NDArray[np.float64], rows: float, reach: float, ranking: Ranking) -> None:
    """Scores along the top, the best at the right; below, rows count downwards."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  # an extra

    strip(ax, "top")
    low, high = float(score.min()) - 3 * reach, float(score.max()) + 3 * reach
    ax.set_xlim((low, high) if ranking.higher_is_better else (high, low))
    ax.set_ylim(rows, 0)
    ax.set_yticks([])
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False, labelsize=NOTE_SIZE)
    ticks = MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(low, high)
    ax.set_xticks([tick for tick in ticks if low <= tick <= high])
    ax.xaxis.set_label_position("top")
    how = ranking.title.partition(":")[0]
    ax.set_xlabel(f"{how}: score, best at the right", fontsize=NOTE_SIZE, color=INK)


def _bars(
    ax: "Axes", spans: list[tuple[int, int]], levels: list[int], score: NDArray[np.float64], reach: float
) -> None:
    """Join systems that are not separated, a little beyond the stems."""
    thickness = 72 * size_of(ax)[1] / ax.get_ylim()[0] * _BAR * 0.5
    for (first, last), level in zip(spans, levels, strict=True):
        y = _GAP + _BAR * (level + 0.5)
        left, right = sorted((score[first], score[last]))
        ax.plot(
            [left - reach, right + reach], [y, y], color="#0072b2", linewidth=thickness, solid_capstyle="butt", zorder=3
        )


def _stems(ax: "Axes", score: NDArray[np.float64], names: Lettering, numbers: list[str], top: float) -> None:
    """Lead from each score down to the label: the better half to the right, the worse to the left."""
    count = len(score)
    better = (count + 1) // 2
    left, right = ax.get_xlim()
    size = font_size(size_of(ax)[1] / ax.get_ylim()[0])
    for place, (x, name, number) in enumerate(zip(score, names.texts, numbers, strict=True)):
        is_better = place < better
        row = top + 0.5 + (place if is_better else count - 1 - place)
        end = right if is_better else left
        ax.plot([x, x, end], [0, row, row], color=FAINT, linewidth=0.6, zorder=2)
        text, side = (f"  {number}  {name}", "left") if is_better else (f"{name}  {number}  ", "right")
        write(ax, (float(is_better), row), text, names.font(size), "rows", ha=side, va="center")


def _caption(ax: "Axes", ranking: Ranking, confidence: float, *, joined: bool) -> None:
    found = "bars: not separated" if joined else "no bars: all are separated"
    text = f"{found} by podium's tests, not Nemenyi's ({100 * confidence:g}%, all pairs)"
    out = [system for system, rank in zip(ranking.systems, ranking.rank, strict=True) if not rank]
    height, style = size_of(ax)[1], {"ha": "center", "va": "top", "color": "black"}
    write(ax, (0.5, -0.1 / height), text, NOTE_SIZE, "axes", **style)
    if out:
        named = Lettering.of([few(out, 3)])
        write(ax, (0.5, -0.26 / height), f"not ranked: {named.texts[0]}", named.font(NOTE_SIZE), "axes", **style)
