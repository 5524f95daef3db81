"""Pictures of a customized leaderboard: the score within every split, and how weights change the ranks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.words import percent
from podium.customization.histogram import ends_of, how, ranges_of, sizes_of
from podium.report.drawing import (
    COLOURS,
    FAINT,
    INK,
    LIFT,
    NOTE_SIZE,
    Lettering,
    apart,
    font_size,
    label_below,
    label_rows,
    legend,
    line_style,
    room_of,
    round_ticks,
    row_height,
    size_of,
    strip,
    write,
)
from podium.report.picture import footed, height_of, lines_of, new_axes, remark
from podium.score.place import competition_ranks, places

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
    rank = customized.accuracy_rank  # the most accurate first; of equal ones in the order of the ranking
    order = np.argsort(np.where(rank > 0, rank, rows + 1), kind="stable")
    names = Lettering.of([customized.systems[index] for index in order])
    ranks = [f"{rank[index] or '–'}" for index in order]
    labels = [f"{name}  {rank}" for name, rank in zip(names.texts, ranks, strict=True)]
    row = row_height(rows)
    left, right = max(1.03 * names.width(font_size(row), extra=f"  {rows}") + 0.2, 1.0), _NEXT + _LAST
    said, intervals = [customized.title], customized.ranking.intervals
    if intervals is not None:
        said.append(f"bars: {percent(intervals.confidence)} intervals of the weighted score")
    ax, say = footed(ax, said, (_WIDTH, rows * row), left=left, right=right, top=0.7, below=_DROP)
    size = font_size(size_of(ax)[1] / rows)
    label_rows(ax, labels, names.font(size))
    accuracy, score = customized.accuracy[order], customized.ranking.score[order]
    bars: list[Any] = [] if intervals is None else [intervals.score_low[order], intervals.score_high[order]]
    values = np.concatenate([accuracy, score, *bars])
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 100.0)
    pad = 0.04 * (high - low) or 1.0
    ax.set_xlim(low - pad, high + pad)
    ax.set_xticks(*round_ticks(low - pad, high + pad, min(8.0, size_of(ax)[0] / 0.5)), fontsize=NOTE_SIZE)
    label_below(ax, "accuracy and weighted score, %")
    if low - pad < 0 < high + pad:
        ax.axvline(0, color=FAINT, linewidth=0.9, zorder=1, gid="zero")
    at = np.arange(rows)
    ax.hlines(at, accuracy, score, color="#e4e4e4", linewidth=size / 6, zorder=1)
    hollow: dict[str, Any] = {"color": FAINT, "markerfacecolor": "white", "markersize": size / 2.2}
    ax.plot(accuracy, at, "-o", linewidth=size / 9, label="accuracy", **hollow)
    ax.plot(score, at, color=INK, linewidth=size / 9, zorder=2.2, gid="score")
    ranked, change = customized.ranking.rank[order] > 0, customized.rank_change[order]
    if bars:
        colours = np.where(change == 0, _KEPT, _MOVED).tolist()
        ax.hlines(at, *bars, color=colours, linewidth=size / 2.6, alpha=0.3, zorder=1.5, gid="interval")
    for marker, among, label in (
        ("o", ranked & (change == 0), "weighted score, rank kept"),
        ("^", ranked & (change > 0), "weighted score, moved up"),
        ("v", ranked & (change < 0), "weighted score, moved down"),
    ):
        colour, large = (_KEPT, 1.9) if marker == "o" else (_MOVED, 1.6)
        ax.plot(score[among], at[among], marker, color=colour, markersize=size / large, zorder=3, label=label)
    _columns(ax, customized, order, size)
    legend(ax, ncols=2 if size_of(ax)[0] >= _WIDE else 1, columnspacing=1.6)
    say()
    return ax


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


#: Left of the first axis, in inches.
_PAD = 0.12

#: Most width between the outer axes without turning texts, least width of it, and least and greatest distance of axes.
_BROAD, _NARROW, _NEAR, _FAR = 8.5, 3.6, 0.19, 1.6

#: Of a line of small letters, between texts side by side, and from the axes to what is above and below, in inches.
_LINE, _APART, _PARALLEL_NEXT = 0.135, 0.12, 0.06


@dataclass(frozen=True, slots=True)
class SplitAxes:
    """Texts around the axes of s splits.

    Attributes
    ----------
    ends
        What the first and the last are, or twice nothing.
    heads
        Names.
    feet
        Ranges and sizes, on up to two lines.
    """

    ends: tuple[str, str]
    heads: Lettering
    feet: tuple[str, ...]

    @classmethod
    def of(cls, customized: "Customized") -> "SplitAxes":
        """Say what the splits are."""
        pairs = zip(ranges_of(customized.splits), sizes_of(customized.splits), strict=True)
        feet = tuple("\n".join(filter(None, pair)) for pair in pairs)
        return cls(ends_of(customized), Lettering.of([split.name for split in customized.splits], most=24), feet)

    @property
    def step(self) -> float:
        """Inches from one axis to the next, in a figure of its own."""
        gaps = max(len(self.feet) - 1, 1)
        level = max(_wide(self.feet), self.heads.width(NOTE_SIZE)) + _APART
        if gaps * level <= _BROAD:
            return max(level, min(_FAR, _NARROW / gaps))
        return max(_NEAR, _BROAD / gaps)

    def reach(self, step: float) -> float:
        """Inches by which texts are wider than the outer axes, on either side."""
        above, below = self._turned(step)
        return max(_LINE if below else _wide(self.feet), _LINE if above else self.heads.width(NOTE_SIZE)) / 2

    def heights(self, step: float) -> tuple[float, float]:
        """Inches above and below the axes."""
        above, below = self._turned(step)
        head = self.heads.width(NOTE_SIZE) if above else _LINE
        lines = max(foot.count("\n") + 1 for foot in self.feet)
        foot = _wide([_on_a_line(foot) for foot in self.feet]) if below else _LINE * lines
        return _PARALLEL_NEXT + head + (_PARALLEL_NEXT + _LINE if any(self.ends) else 0.0), _PARALLEL_NEXT + foot

    def draw(self, ax: "Axes", step: float) -> None:
        """Write all of it; where axes are closer than letters are high, at some of them only."""
        above, below = self._turned(step)
        high = size_of(ax)[1]
        plain, named = Lettering.of(["–"]).font(NOTE_SIZE), self.heads.font(NOTE_SIZE)
        for place in range(0, len(self.feet), ceil(_LINE / step)):
            head, foot = self.heads.texts[place], self.feet[place]
            for y, text, side, turn, font in (
                (1 + _PARALLEL_NEXT / high, head, "bottom", above, named),
                (-_PARALLEL_NEXT / high, _on_a_line(foot) if below else foot, "top", below, plain),
            ):
                write(ax, (place, y), text, font, "columns", ha="center", va=side, rotation=90 if turn else 0)
        top, shift = 1 + (self.heights(step)[0] - _LINE) / high, _PAD / step / 2
        for x, side, text in ((-shift, "left", self.ends[0]), (len(self.feet) - 1 + shift, "right", self.ends[1])):
            write(ax, (x, top), text, plain, "columns", ha=side, va="bottom", color=FAINT)

    def _turned(self, step: float) -> tuple[bool, bool]:
        """Return whether texts above and below are turned on axes that are so many inches apart."""
        if len(self.feet) == 1:
            return False, False
        return self.heads.width(NOTE_SIZE) + _APART / 2 > step, _wide(self.feet) + _APART / 2 > step


def _wide(texts: Sequence[str]) -> float:
    """Inches of the widest line in small letters."""
    font = Lettering.of(["–"]).font(NOTE_SIZE)
    return max(room_of(line, font) for text in texts for line in text.split("\n"))


def _on_a_line(text: str) -> str:
    return text.replace("\n", ", ")


#: So many systems have a colour and a style of their own each; of more, so many of the best and of the unsteady.
_FEW, _SHOWN = 12, 3

#: Greys of the others, from the best to the worst.
_DARK, _LIGHT = 0.50, 0.84

#: From the last axis to the names, least height, and from texts to what is said, in inches.
_LEAD, _HIGH, _GAP = 0.4, 3.4, 0.12


def parallel(customized: "Customized", *, ax: "Axes | None" = None) -> "Axes":
    """Draw the score within every split as a line for each system, over an axis for each split.

    Above the axes stand the numbers of the splits, below them the range of difficulty and the number of instances.
    Names, with the rank by the weighted score, stand at the right, without overlap. Up to twelve systems differ in
    colour, dashes and marks. Of more, the three best and the three others whose rank changes most from split to split
    are coloured; the rest are grey, the better the darker. A line is broken where a system has no score in a split.

    Parameters
    ----------
    customized
        What `podium.customize` returns.
    ax
        Where to draw; None makes a figure of the size that systems and splits need.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.

    References
    ----------
    Mishra & Arunkumar, AAAI 2021, Fig. 2.

    Examples
    --------
    >>> import numpy as np
    >>> import podium
    >>> from podium.difficulty.result import Difficulty, Measure
    >>> scores = podium.from_arrays({"t": [[1, 1, 0, 0], [0, 1, 1, 1], [1, 1, 1, 0]]}, systems=["A", "B", "C"])
    >>> bias = Difficulty(np.arange(4), (Measure("bias", np.array([0.9, 0.8, 0.4, 0.1]), "low"),))
    >>> ax = podium.plots.parallel(podium.customize(scores, bias, splits=2))
    >>> [text.get_text() for text in ax.texts][:3]
    [' 1  B', ' 2  C', ' 3  A']
    """
    rows, splits = customized.split_scores.shape
    names, frame = Lettering.of(customized.systems), SplitAxes.of(customized)
    scored = [bool(np.isfinite(line).any()) for line in customized.split_scores]
    parts = zip(customized.ranking.rank.tolist(), names.texts, scored, strict=True)
    texts = (f" {rank or '–'}  {text}{'' if known else ' (no score)'}" for rank, text, known in parts)
    names = replace(names, texts=tuple(texts))
    said = _parallel_remarks(customized)
    if ax is None:
        row, step = row_height(rows), frame.step
        width = _PAD + step * max(splits - 1, 0.25) + _LEAD
        half = frame.reach(step)
        left, right = max(0.6, half - _PAD), max(1.03 * names.width(font_size(row)) + 0.05, half - _LEAD)
        lines = lines_of(said, width + right)
        above, below = frame.heights(step)
        sides = {"left": left, "right": right, "top": above, "bottom": below + _GAP + height_of(lines)}
        sides = {side: inches + 0.1 for side, inches in sides.items()}
        ax = new_axes(width, max(_HIGH, rows * row), rigid=True, **sides)
    else:
        lines = lines_of(said, size_of(ax)[0])
    width, height = size_of(ax)
    pad, lead = min(_PAD, 0.05 * width), min(_LEAD, 0.15 * width)
    step = (width - pad - lead) / max(splits - 1, 1)
    ax.set_xlim(-pad / step, (width - pad) / step)
    strip(ax)
    every = customized.split_scores[np.isfinite(customized.split_scores)]
    low, high = min(0.0, float(every.min(initial=0.0))), max(0.0, float(every.max(initial=0.0)))
    beyond = 0.03 * (high - low) or 1.0
    ax.set_ylim(low - beyond, high + beyond)
    ax.set_yticks(*round_ticks(low, high, min(10.0, height / 0.25)), fontsize=NOTE_SIZE)
    ax.set_ylabel("score within the split, %", fontsize=NOTE_SIZE, color=INK, labelpad=2)
    ax.set_xticks([])
    ax.vlines(range(splits), 0, 1, transform=ax.get_xaxis_transform(), color="#d9d9d9", linewidth=0.8, zorder=1)
    ax.hlines(0, ax.get_xlim()[0], splits - 1, color=FAINT, linewidth=0.9, zorder=1.5, gid="zero")
    slots = _slots(ax, customized.split_scores, height)
    size = font_size(height / rows)
    for place, style in enumerate(_styles(customized)):
        scores, slot, (look, above) = customized.split_scores[place], slots[place], style
        _line(ax, scores, slot, style, size)
        colour = FAINT if not scored[place] else look["color"] if above else INK
        write(ax, (1.0, slot), names.texts[place], names.font(size), "rows", va="center", color=colour)
    frame.draw(ax, step)
    remark(ax, lines, left=pad, below=frame.heights(step)[1] + _GAP)
    return ax


def _parallel_remarks(customized: "Customized") -> list[str]:
    """Say what is seen."""
    empty = [split.name for split in customized.splits if round(split.instances, 1) == 0]
    full = np.array([split.name not in empty for split in customized.splits])
    none = np.isnan(customized.split_scores[:, full])
    gap = (none & ~none.all(axis=1, keepdims=True)).any()
    range_too = "" if customized.values is None else "range and "
    said = [
        f"splits {how(customized)}, with {range_too}number of instances",
        "names with rank by weighted score",
        *(["lines are broken where a split is empty"] if empty else []),
        *(["lines are broken where a system has no score in a split"] if gap else []),
    ]
    if len(customized) > _FEW:
        said.append(
            f"coloured: the {_SHOWN} best, and {_SHOWN} others whose rank changes most between splits; "
            "grey: the better the darker"
        )
    return said


def _slots(ax: "Axes", scores: Floats, height: float) -> list[float]:
    """Place of each name, as a score: next to the last score of the system, without overlap."""
    low, high = ax.get_ylim()
    row = min(height / len(scores), 1.45 * font_size(height / len(scores)) / 72) * (high - low) / height
    last = [known[-1] if (known := line[np.isfinite(line)]).size else low for line in scores]
    # of names that want one place, the better one is above
    places = apart([-score for score in last], row, row / 2 - high, -low - row / 2)
    return [-float(place) for place in places]


def _line(ax: "Axes", scores: Floats, slot: float, style: tuple[dict[str, Any], int], size: float) -> None:
    """Draw scores, and lead from the last to the name."""
    known, (look, above) = np.flatnonzero(np.isfinite(scores)), style
    width = size / (5 if above else 9)
    order = 2 + 0.02 * above
    if known.size:
        last = float(scores[known[-1]])
        track = [known[-1], len(scores) - 1, ax.get_xlim()[1]], [last, last, slot]
        ax.plot(*track, color=look["color"], linewidth=0.6, linestyle=(0, (1, 1.2)), zorder=order, gid="lead")
    widths: dict[str, Any] = {"linewidth": width, "markersize": 2.6 * width}
    ax.plot(range(len(scores)), scores, **look, **widths, zorder=order, solid_joinstyle="round", gid="system")


def _styles(customized: "Customized") -> list[tuple[dict[str, Any], int]]:
    """Return the style of each line, and how far it is in front; 0 in the background."""
    rows = len(customized)
    if rows <= _FEW:
        return [(line_style(row), rows - row) for row in range(rows)]
    greys = np.linspace(_DARK, _LIGHT, rows)
    styles = [({**line_style(row), "color": f"{grey:.3f}"}, 0) for row, grey in enumerate(greys)]
    rank = competition_ranks(places(customized.split_scores, tolerance=1e-9)).astype(np.float64)
    rank[rank == 0] = np.nan
    some = np.isfinite(rank).any(axis=1)
    moves = np.zeros(rows)
    moves[some] = np.nanmax(rank[some], axis=1) - np.nanmin(rank[some], axis=1)
    moving = [row for row in np.argsort(-moves, kind="stable") if row >= _SHOWN and moves[row] > 0][:_SHOWN]
    for place, row in enumerate([*range(_SHOWN), *moving]):
        styles[row] = line_style(place), rows - row
    return styles
