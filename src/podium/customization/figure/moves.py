"""What weighting changes: accuracy and weighted score of every system, and how many ranks it moves."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

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
from podium.report.draw.lettering import Lettering
from podium.report.draw.page import footed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from podium.customization.result import Customized

#: Of systems that keep their rank, and of those that move.
_KEPT, _MOVED = COLOURS[0], COLOURS[1]

#: Of axes of their own, and below them down to what is said, in inches.
_WIDTH, _DROP = 4.4, 0.42

#: Smallest width, in inches, of axes above which the legend fits in two columns.
_WIDE = 3.4

#: Right end of the ranks at the right, beginning of the changes, and their width, in inches.
_FIRST, _NEXT, _LAST = 0.32, 0.42, 0.45


def moves(customized: "Customized", *, ax: "Axes | None" = None) -> "Axes":
    """Draw accuracy and weighted score of every system, in order of accuracy, and how many ranks the system moves.

    A line joins the accuracies, another the weighted scores: where this one does not fall, ranks change. A circle
    where a system keeps its rank, a triangle of another colour where it moves up or down. Broad bars over the
    intervals of weighted scores, where there are any. Ranks by accuracy stand at the left, those by weighted score at
    the right, with the changes.

    Parameters
    ----------
    customized
        What `podium.customize` returns.
    ax
        Where to draw; None makes a figure of the size that the systems need.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.

    References
    ----------
    Mishra & Arunkumar, AAAI 2021, Fig. 3.

    Examples
    --------
    >>> import numpy as np
    >>> import podium
    >>> from podium.difficulty.result import Difficulty, Measure
    >>> scores = podium.from_arrays({"t": [[1, 1, 0, 0], [0, 1, 1, 1], [1, 1, 1, 0]]}, systems=["A", "B", "C"])
    >>> bias = Difficulty(np.arange(4), (Measure("bias", np.array([0.9, 0.8, 0.4, 0.1]), "low"),))
    >>> ax = podium.plots.moves(podium.customize(scores, bias, splits=2))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['B  1', 'C  1', 'A  3']
    """
    rows = len(customized)
    order = _by_accuracy(customized)
    names = Lettering.of([customized.systems[index] for index in order])
    ranks = [f"{customized.accuracy_rank[index] or '–'}" for index in order]
    labels = [f"{name}  {rank}" for name, rank in zip(names.texts, ranks, strict=True)]
    row = row_height(rows)
    margins = {"left": max(1.03 * names.width(font_size(row), extra=f"  {rows}") + 0.2, 1.0), "right": _NEXT + _LAST}
    ax, say = footed(ax, _remarks(customized), (_WIDTH, rows * row), **margins, top=0.7, below=_DROP)
    size = font_size(size_of(ax)[1] / rows)
    label_rows(ax, labels, names.font(size))
    _scale(ax, customized)
    _marks(ax, customized, order, size)
    _columns(ax, customized, order, size)
    legend(ax, ncols=2 if size_of(ax)[0] >= _WIDE else 1, columnspacing=1.6)
    say()
    return ax


def _by_accuracy(customized: "Customized") -> NDArray[np.int64]:
    """Places in the ranking, the most accurate system first; of equal ones in the order of the ranking."""
    rank = customized.accuracy_rank
    return np.argsort(np.where(rank > 0, rank, len(customized) + 1), kind="stable")


def _remarks(customized: "Customized") -> list[str]:
    """Say how scores were weighted, and what bars are."""
    intervals = customized.ranking.intervals
    sure = [] if intervals is None else [f"bars: {100 * intervals.confidence:g}% intervals of the weighted score"]
    return [customized.title, *sure]


def _scale(ax: "Axes", customized: "Customized") -> None:
    """Percent along the bottom, as far as points and bars go; a line at 0 where that is among them."""
    intervals = customized.ranking.intervals
    ends = [] if intervals is None else [intervals.score_low, intervals.score_high]
    values = np.concatenate([customized.accuracy, customized.ranking.score, *ends])
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 100.0)
    pad = 0.04 * (high - low) or 1.0
    ax.set_xlim(low - pad, high + pad)
    ax.set_xticks(*round_ticks(low - pad, high + pad, min(8.0, size_of(ax)[0] / 0.5)), fontsize=NOTE_SIZE)
    label_below(ax, "accuracy and weighted score, %")
    if low - pad < 0 < high + pad:
        ax.axvline(0, color=FAINT, linewidth=0.9, zorder=1, gid="zero")


def _marks(ax: "Axes", customized: "Customized", order: NDArray[np.int64], size: float) -> None:
    """Draw two lines, bars, and a mark on each line for every system."""
    rows = np.arange(len(order))
    accuracy, score = customized.accuracy[order], customized.ranking.score[order]
    ax.hlines(rows, accuracy, score, color="#e4e4e4", linewidth=size / 6, zorder=1)
    hollow: dict[str, Any] = {"color": FAINT, "markerfacecolor": "white", "markersize": size / 2.2}
    ax.plot(accuracy, rows, "-o", linewidth=size / 9, label="accuracy", **hollow)
    ax.plot(score, rows, color=INK, linewidth=size / 9, zorder=2.2, gid="score")
    ranked, change = customized.ranking.rank[order] > 0, customized.rank_change[order]
    if (intervals := customized.ranking.intervals) is not None:
        low, high = intervals.score_low[order], intervals.score_high[order]
        colours = np.where(change == 0, _KEPT, _MOVED).tolist()
        ax.hlines(rows, low, high, color=colours, linewidth=size / 2.6, alpha=0.3, zorder=1.5, gid="interval")
    for marker, among, label in (
        ("o", ranked & (change == 0), "weighted score, rank kept"),
        ("^", ranked & (change > 0), "weighted score, moved up"),
        ("v", ranked & (change < 0), "weighted score, moved down"),
    ):
        colour, large = (_KEPT, 1.9) if marker == "o" else (_MOVED, 1.6)
        ax.plot(score[among], rows[among], marker, color=colour, markersize=size / large, zorder=3, label=label)


def _columns(ax: "Axes", customized: "Customized", order: NDArray[np.int64], size: float) -> None:
    """Write ranks by weighted score and changes at the right, and above both sides what the ranks are by."""
    width, height = size_of(ax)
    rank, change = customized.ranking.rank[order].tolist(), customized.rank_change[order].tolist()
    font = Lettering.of(["▲▼="]).font(size)

    def beside(row: int, inches: float, text: str, colour: str, side: str = "left") -> None:
        write(ax, (1 + inches / width, row), text, font, "rows", ha=side, va="center_baseline", color=colour)

    for row, by in enumerate(change):
        if not rank[row]:
            beside(row, 0.1, "not ranked", FAINT)
            continue
        beside(row, _FIRST, str(rank[row]), INK, "right")
        arrow = f"{'▲' if by > 0 else '▼'}{abs(by)}"
        beside(row, _NEXT, arrow if by else "=", _MOVED if by else FAINT)
    for x, side, text in ((-0.05, "right", "rank by accuracy"), (0.1, "left", "rank by score")):
        spot = (x / width + (side == "left"), 1 + LIFT / height)
        write(ax, spot, text, NOTE_SIZE, "axes", ha=side, va="bottom", color=FAINT)
