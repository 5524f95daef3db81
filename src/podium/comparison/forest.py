"""Draw a forest plot: the effect on every task and what they amount to, with a table on both sides."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from podium.base.arrays import Floats
from podium.base.words import significant
from podium.comparison.forest_rows import Forest, ForestColumn, Given, Row, Writer, chosen, content_of, decimals_of
from podium.report.drawing import (
    FAINT,
    INK,
    LONGEST,
    NOTE_SIZE,
    Lettering,
    font_size,
    room_of,
    round_ticks,
    row_height,
    size_of,
    strip,
    write,
)
from podium.report.picture import height_of, lines_of, new_axes, remark, wrapped
from podium.report.size import breadth, page
from podium.report.view import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from podium.comparison.result import Comparisons, MetaAnalysis
    from podium.comparison.task_tests import TaskComparison

#: Longest labels of systems that are said to be favoured, and that stand alone, in letters.
_FAVOURED, _ALONE = 24, 60


def forest(
    comparison: "MetaAnalysis | Comparisons | TaskComparison",
    *,
    left: str | Sequence[Given] | None = None,
    right: str | Sequence[Given] | None = None,
    sort: str | None = None,
    digits: int | None = None,
    title: str | None = None,
    label: str | None = None,
    prediction: bool = True,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the effect on every task with its interval, and below them what they amount to.

    A square at each effect, its area in proportion to its weight, with whiskers over its interval; a diamond over the
    interval of the summary, and one over that of each group; a bar over the prediction interval; a dotted line at no
    effect. An interval that is much longer than the others is cut at the end of the axis, with an arrow; its numbers
    stand beside it. Ratios have a logarithmic axis. Below stand τ², I² and Cochran's Q, and how effects were pooled.

    Of several systems against a control each has a row, with its effect on these tasks and, if there are several, on
    other tasks like these. One score per task has no interval: a square is a difference, and the diamond their mean.

    Parameters
    ----------
    comparison
        What `podium.compare` or `podium.pool` returns.
    left, right
        Columns beside the tasks and right of the picture: "n", "control", "treatment", "means", "weight", "effect",
        "ci", "p", "holm", the name of a measure of `MetaAnalysis.beside`, or a pair of a heading and texts, by task or
        in their order. By default n and what is beside, if there is any; and weight, effect and interval.
    sort
        "effect", "weight" or "n" (largest first), or "name"; within groups. None keeps the order of the table.
    digits
        Decimals of effects and intervals; None shows two significant digits of the shortest interval.
    title
        Above the picture.
    label
        Of the axis; by default the name of the effect.
    prediction
        Whether to show the prediction interval, where there is one.
    ax
        Where to draw, columns outside of it on both sides; None makes a figure of the size that all this needs.

    Raises
    ------
    LabelError
        There is no such column, task or order.
    InputError
        A column has more or fewer texts than there are tasks, or `digits` is no number of decimals.
    MethodError
        There is one score per task, and tasks have no common scale.
    MissingExtraError
        Matplotlib is not installed.

    References
    ----------
    Lewis & Clarke, BMJ 322, 2001, on forest plots; Sertkan, Althammer & Hofstätter, ACL 2023, Fig. 1.

    Examples
    --------
    >>> import podium
    >>> analysis = podium.pool([-0.08, 0.02], [0.0012, 0.0004], tasks=["rte", "sst2"], n=[277, 872])
    >>> ax = forest(analysis, left=["n"], right=["effect", "ci", "p"])
    >>> [text.get_text() for text in ax.texts][:4]
    ['Task', 'rte', 'sst2', 'Summary']
    """
    content = content_of(comparison, sort, prediction=prediction)
    decimals = decimals_of(content, digits)
    height = content.height
    row_inches = row_height(math.ceil(height)) if ax is None else size_of(ax)[1] / height
    room = (1 - _SHARE) * page() if ax is None else math.inf
    table = _Table.fitting(content, (left, right), decimals, font_size(row_inches), room)
    null, log = content.measure.null, content.measure.ratio
    axis = Axis(*limits(content.rows, null, log=log), null, log)
    sentences, names = list(content.sentences), content.names
    if any(map(axis.cuts, content.rows)):
        sentences.append("arrows: the interval goes on beyond the axis")
    wide = _across(table, _Words("", "", sided(names), []), axis) if any(names) else ()
    longest = max(map(len, names))
    if longest > _FAVOURED or (longest > len("treatment") and sum(wide) + 2 * _MARGIN > page()):
        sentences.append(f"control: {shorten(names[0], _ALONE)}, treatment: {shorten(names[1], _ALONE)}")
        names = ("control", "treatment")
    favoured = sided(names) if content.measure.sided and any(names) else ("", "")
    words = _Words(title or "", label or content.what, favoured, sentences)
    if ax is None:
        before, width, after = _across(table, words, axis)
        above, below = words.heights(before + width + after)
        margins = {"left": before, "right": after, "top": row_inches + above, "bottom": below}
        sides = {side: inches + _MARGIN for side, inches in margins.items()}
        ax = new_axes(width, row_inches * height, **sides, rigid=True)
    axis.put(ax, height)
    _draw_marks(ax, content, unit=min(1.0, table.size / (36 * row_inches)))
    table.draw(ax, content.rule)
    words.draw(ax, axis.share(null) * size_of(ax)[0], row_inches, table.reach)
    return ax


def sided(names: tuple[str, str]) -> tuple[str, str]:
    """Return what to write on both sides of no effect."""
    return f"← favours {names[0]}", f"favours {names[1]} →"


#: Arms of intervals longer than this many middle ones may be clipped, unless the axis gets at most so much longer by
#: showing all.
_LONG, _STRETCH = 3.0, 2.5

#: No logarithm, and no number, is further from 0 than this, so that sums and exponentials exist.
_LARGEST_LOG, _LARGEST = 650.0, 1e300

#: Beyond either end, as a share of the axis; and between numbers at it, in inches.
_BEYOND, _BETWEEN = 0.04, 0.08


def limits(rows: Sequence[Row], null: float, *, log: bool) -> tuple[float, float]:
    """Ends of the axis. It holds no effect, the effects of all rows, and all intervals unless a few squeeze the others.

    Where the hull of everything is more than 2.5 times as long as that of intervals with arms of at most three times
    the middle one, it is the latter that is shown. Intervals of summaries may make it up to three times as long.

    Parameters
    ----------
    rows
        With effects and ends of intervals; what is not finite does not count.
    null
        Value of no effect.
    log
        Whether distances are ratios.

    Examples
    --------
    >>> near = [Row("task", "a", effect=0.1, low=0.0, high=0.2), Row("task", "b", effect=0.2, low=0.1, high=0.3)]
    >>> [round(end, 3) for end in limits(near, 0.0, log=False)]
    [-0.012, 0.312]
    >>> far = Row("task", "c", effect=0.2, low=-9, high=10)
    >>> [round(end, 3) for end in limits([*near, far], 0.0, log=False)]
    [-0.124, 0.524]
    """
    values = np.array([[row.low, row.effect, row.high] for row in rows], dtype=np.float64)
    zero, most = (math.log(null), _LARGEST_LOG) if log else (null, _LARGEST)
    if log:
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.log(values)
    values[~np.isfinite(values)] = np.nan
    values = values.clip(-most, most)
    is_task = np.array([row.kind == "task" for row in rows])

    def hull(*parts: Floats | tuple[float, float]) -> tuple[float, float]:
        every = np.concatenate([np.ravel(part) for part in parts])
        return float(np.nanmin(every)), float(np.nanmax(every))

    core = hull(_within(values[is_task]), (zero, zero))
    span = core[1] - core[0]
    core = hull(values[~is_task].clip(core[0] - span, core[1] + span), core)
    whole = hull(values, (zero, zero))
    core = hull(values[:, 1], core)
    low, high = whole if whole[1] - whole[0] <= _STRETCH * (core[1] - core[0]) or core[0] == core[1] else core
    pad = _BEYOND * (high - low) or 1.0
    return (math.exp(low - pad), math.exp(high + pad)) if log else (low - pad, high + pad)


def _within(values: Floats) -> Floats:
    """Return effects, and ends of intervals cut to arms of a usual length."""
    low, effect, high = values.T
    arms = np.stack([effect - low, high - effect])
    arms = arms[np.isfinite(arms) & (arms > 0)]
    usual = float(np.median(arms)) if arms.size else 0.0
    return np.stack([effect, np.fmax(low, effect - _LONG * usual), np.fmin(high, effect + _LONG * usual)])


class Axis(NamedTuple):
    """Both ends of an axis, and the value of no effect; logarithmic for ratios."""

    low: float
    high: float
    null: float
    log: bool

    def cuts(self, row: Row) -> bool:
        """Say whether something in a row lies beyond the ends."""
        return any(value < self.low or value > self.high for value in (row.low, row.effect, row.high))

    def share(self, value: float) -> float:
        """Return where a value lies between the ends, from 0 to 1.

        >>> Axis(-1.0, 3.0, 0.0, log=False).share(0.0)
        0.25
        """
        low, value, high = map(math.log, (self.low, value, self.high)) if self.log else (self.low, value, self.high)
        return (value - low) / (high - low)

    def put(self, ax: "Axes", height: float) -> None:
        """Give axes these ends and as many numbers as fit, and rows that count downwards to a height."""
        strip(ax, "bottom")
        ax.set_xscale("log" if self.log else "linear")
        ax.set_xlim(self.low, self.high)
        ax.set_ylim(height, 0)
        ax.set_yticks([])
        font, width = Lettering.of(["−0"]).font(NOTE_SIZE), size_of(ax)[0]

        def fits(values: list[float], labels: list[str]) -> bool:
            halves = [room_of(label, font) / 2 for label in labels]
            places = [width * self.share(value) for value in values]
            spans = [(place - half, place + half) for place, half in zip(places, halves, strict=True)]
            return all(left[1] + _BETWEEN <= right[0] for left, right in pairwise(spans))

        values, labels = ticks(self.low, self.high, log=self.log, fits=fits)
        ax.set_xticks(values, labels, fontproperties=font, parse_math=False)
        ax.set_xticks([], minor=True)


def ticks(
    low: float, high: float, *, log: bool, fits: Callable[[list[float], list[str]], bool]
) -> tuple[list[float], list[str]]:
    """Return round values on the axis with their labels, as many as fit beside each other.

    Of ratios, 1 is among them: equal steps on a short axis, else parts of decades, or whole decades.

    Parameters
    ----------
    low, high
        Ends of the axis.
    log
        Whether distances are ratios.
    fits
        Whether labels at some values have room.

    Examples
    --------
    >>> ticks(-0.01, 0.32, log=False, fits=lambda values, labels: len(labels) < 6)[1]
    ['0.0', '0.1', '0.2', '0.3']
    >>> ticks(0.04, 12.0, log=True, fits=lambda values, labels: len(labels) < 6)[1]
    ['0.1', '0.3', '1', '3', '10']
    """
    fewer = [round_ticks(low, high, most) for most in range(7, 0, -1)] if not log or high < 5 * low else []
    if log:
        fewer = [found for found in fewer if 1.0 in found[0]]
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        parts = [(range(first, last + 1), mantissas) for mantissas in ((1, 2, 5), (1, 3), (1,))]
        parts += [(range(-apart * (-first // apart), last + 1, apart), (1,)) for apart in range(2, last - first + 2)]
        for decades, mantissas in parts:
            inside = [part * 10.0**at for at in decades for part in mantissas if low <= part * 10.0**at <= high]
            labels = [f"{value:,.10g}" if 1e-4 <= value < 1e6 else significant(value, 1) for value in inside]
            fewer.append((inside, labels))
    return next((found for found in fewer if fits(*found)), fewer[-1])


_TASK = "#0072b2"

#: Side of the largest square, half the height of a diamond and of a cap, in rows; side of the smallest, in points.
_SQUARE, _DIAMOND, _CAP, _SMALLEST = 0.62, 0.33, 0.13, 2.4

#: Area of squares that have no weights, as a share of the largest.
_ALIKE = 0.4


def _draw_marks(ax: "Axes", content: Forest, unit: float) -> None:
    """Draw guides, squares with whiskers, diamonds over the intervals of summaries, and the prediction interval.

    What is drawn in a row is `unit` of it, 1 where rows are as high as letters need. A square has an area in proportion
    to the weight of its task.
    """
    from matplotlib.patches import Polygon  # noqa: PLC0415  # an extra

    first, last = ax.get_xlim()

    def inside(value: float) -> bool:
        return isfinite(value) and first <= value <= last

    height = unit * 72 * size_of(ax)[1] / ax.get_ylim()[0]  # of a row, in points
    kinds = ("task", "subgroup", "suite", "summary", "prediction")
    every = ([row for row in content.rows if row.kind == kind] for kind in kinds)
    tasks, groups, suites, summaries, predictions = every
    whole = [*suites, *summaries]
    null = [content.measure.null] * 2
    dotted = (0, (1, 1.6))
    ax.plot(null, [0, ax.get_ylim()[0]], linestyle=dotted, color=INK, linewidth=0.9, zorder=1, gid="null")
    if whole and inside(whole[-1].effect):
        ends = [whole[-1].effect] * 2, [0, whole[-1].y]
        ax.plot(*ends, linestyle=(0, (5, 3)), color=FAINT, linewidth=0.5, zorder=0.9)
    for row in tasks:
        low, high = (row.effect if isnan(end) else end for end in (row.low, row.high))
        if isnan(low) or isnan(high):
            continue
        left, right = np.clip([low, high], first, last)
        if left < right:
            ax.hlines(row.y, left, right, color=INK, linewidth=0.9, zorder=2.5, gid="whisker")
        caps, cap = [end for end in (row.low, row.high) if inside(end)], _CAP * unit
        ax.vlines(caps, row.y - cap, row.y + cap, color=INK, linewidth=0.9, zorder=2.5, gid="caps")
        _arrows(ax, row)
    seen = [row for row in tasks if inside(row.effect)]
    weights = [row.weight for row in tasks]
    alike = all(map(isnan, weights))  # of systems, and of tasks that have no variance
    largest = 1.0 if alike else np.nan_to_num(weights).max() or 1.0
    shares = np.array([_ALIKE if alike else row.weight for row in seen])
    sizes = np.maximum(np.nan_to_num(shares) / largest * (_SQUARE * height) ** 2, _SMALLEST**2)
    places = [row.effect for row in seen], [row.y for row in seen]
    ax.scatter(*places, s=sizes, marker="s", color=_TASK, linewidths=0, zorder=2, gid="tasks")
    for row in (row for row in (*groups, *whole) if not isnan(row.effect)):
        low, high = (  # beyond the axis a diamond is cut off, not squeezed
            row.effect if isnan(end) else end if isfinite(end) else edge
            for end, edge in zip((row.low, row.high), (first, last), strict=True)
        )
        half, fill = _DIAMOND * unit, "white" if row.kind == "subgroup" else INK
        corners = [(low, row.y), (row.effect, row.y + half), (high, row.y), (row.effect, row.y - half)]
        edge: dict[str, Any] = {"edgecolor": INK, "linewidth": 0.8, "joinstyle": "miter"}
        ax.add_patch(Polygon(corners, closed=True, facecolor=fill, zorder=3, gid=row.kind, **edge))
        _arrows(ax, row)
    for row in predictions:
        low, high = np.clip([row.low, row.high], first, last)
        ax.hlines(row.y, low, high, color=_TASK, alpha=0.45, linewidth=0.2 * height, zorder=2, gid="prediction")
        _arrows(ax, row)


def _arrows(ax: "Axes", row: Row) -> None:
    """Point out of the picture where an interval goes on, or an effect is out of it."""
    from matplotlib.markers import CARETLEFTBASE, CARETRIGHTBASE, MarkerStyle  # noqa: PLC0415  # an extra

    first, last = ax.get_xlim()
    numbers = [number for number in (row.low, row.effect, row.high) if not isnan(number)]
    style: dict[str, Any] = {"s": 24, "color": INK, "linewidths": 0, "clip_on": False, "zorder": 4, "gid": "arrow"}
    if min(numbers) < first:
        ax.scatter([first], [row.y], marker=MarkerStyle(CARETLEFTBASE), **style)
    if max(numbers) > last:
        ax.scatter([last], [row.y], marker=MarkerStyle(CARETRIGHTBASE), **style)


#: Between columns, from the axes to a column, and of indentation, in heights of letters.
_GAP, _EDGE, _INDENT = 1.6, 1.5, 1.0

#: From the middle of a row down to the line that letters stand on: half a figure, in heights of letters.
_SINK = 0.365


class _Table:
    """Labels and columns beside the axes, in letters of a size in points; `reach` is how far they go, in inches."""

    def __init__(
        self, content: Forest, left: Sequence[ForestColumn], right: Sequence[ForestColumn], size: float
    ) -> None:
        rows = content.rows
        self.rows, self.head, self.size, self.em, columns = rows, content.head, size, size / 72, [*left, *right]
        cells = [cell for column in columns for cell in column.cells]
        labels, texts = [row.label for row in rows], [self.head, *(column.heading for column in columns), *cells]
        self._drawn = dict(zip(labels, Lettering.of(labels).texts, strict=True))
        self._fonts = Lettering.of([*texts, *self._drawn.values()], most=LONGEST)
        self._drawn |= dict(zip(texts, self._fonts.texts, strict=False))
        self._sides = [[(column, self._width(column)) for column in side] for side in (left, right)]
        widths = [self._room(row.label, bold=row.bold) + row.indented * _INDENT * self.em for row in rows]
        # a label with nothing next to it may go on into the columns
        beside = [width for at, width in enumerate(widths) if not left or any(column.cells[at] for column in left)]
        self._labels = max(*beside, self._room(self.head, bold=True))
        before, after = (sum(width + _GAP * self.em for _, width in side) for side in self._sides)
        before = max(self._labels + before, *widths) + _EDGE * self.em
        self.reach = before, after + (_EDGE - _GAP) * self.em if right else 0.0

    @classmethod
    def fitting(
        cls,
        content: Forest,
        given: tuple[str | Sequence[Given] | None, str | Sequence[Given] | None],
        decimals: Writer,
        size: float,
        room: float,
    ) -> Self:
        """Return the table with the columns given for its sides, or as many of the usual ones as have room."""
        usual = [list(content.left), list(content.right)]
        spare = [("weight",), content.left, ("ci",), ("holm",), ("effect",)]
        while True:
            sides = (own if one is None else one for one, own in zip(given, usual, strict=True))
            left, right = (chosen(content, side, decimals) for side in sides)
            table = cls(content, left, right, size)
            if not spare or sum(table.reach) + 2 * _MARGIN <= room:
                return table
            less = spare.pop(0)
            usual = [[name for name in side if name not in less] for side in usual]

    def _width(self, column: ForestColumn) -> float:
        cells = [self._room(cell, bold=row.bold) for row, cell in zip(self.rows, column.cells, strict=True)]
        return max(self._room(column.heading, bold=True), *cells)

    def _room(self, text: str, *, bold: bool) -> float:
        return room_of(self._drawn[text], self._fonts.font(self.size, bold=bold))

    def draw(self, ax: "Axes", rule: float) -> None:
        """Write labels, headings and cells, and rules below the headings and above the summary."""
        (width, height), start = size_of(ax), -self.reach[0]
        sink = _SINK * self.em / height * ax.get_ylim()[0]

        def put(x: float, y: float, text: str, *, side: str = "left", bold: bool = False) -> None:
            font = self._fonts.font(self.size, bold=bold)
            if text:
                write(ax, (x / width, y + sink), self._drawn[text], font, "rows", ha=side)

        put(start, -0.5, self.head, bold=True)
        for row in self.rows:
            put(start + row.indented * _INDENT * self.em, row.y, row.label, bold=row.bold)
        firsts = start + self._labels + _GAP * self.em, width + _EDGE * self.em
        for columns, x in zip(self._sides, firsts, strict=True):
            for column, room in columns:
                side, at = ("left", x) if column.words else ("right", x + room)
                put(at, -0.5, column.heading, side=side, bold=True)
                for row, cell in zip(self.rows, column.cells, strict=True):
                    put(at, row.y, cell, side=side, bold=row.bold)
                x += room + _GAP * self.em  # noqa: PLW2901  # from column to column
        ends = [start / width, 1 + self.reach[1] / width]
        for y, thickness in ((0.0, 0.8), (rule, 0.5)):
            ax.plot(ends, [y, y], transform=ax.get_yaxis_transform(), color=INK, linewidth=thickness, clip_on=False)


#: Size of a title, in points; height of its lines and of the others, and room for the numbers of the axis, in inches.
_TITLE_SIZE, _TITLE, _LINE, _NUMBERS = 9.5, 0.19, 0.145, 0.22

#: Between words that favour one side and the line of no effect, and around words, in inches.
_APART, _PAD = 0.08, 0.06


class _Words:
    """Words around a picture, in lines that are as long as it is wide.

    They are a title, a label of the axis, what lies left and right of no effect (or twice nothing), and sentences.
    """

    def __init__(self, title: str, label: str, sides: tuple[str, str], sentences: list[str]) -> None:
        self._fonts = Lettering.of([title, shorten(label, _ALONE), *sides], most=10**6)
        self._title, self._label, *self._sides = self._fonts.texts
        self._font, self._sentences = self._fonts.font(NOTE_SIZE), sentences

    def reach(self, width: float, null: float) -> tuple[float, float]:
        """Return inches that words below the axis stick out of axes of a width, with no effect at some inches."""
        left, right = (room_of(side, self._font) + _APART if side else 0.0 for side in self._sides)
        label = (room_of(self._label, self._font) - width) / 2
        return max(left - null, label, 0.0), max(null + right - width, label, 0.0)

    def heights(self, width: float) -> tuple[float, float]:
        """Return inches above the headings and below the axes that are needed where lines have some inches."""
        below = _LINE * (1 + any(self._sides)) + height_of(lines_of(self._sentences, width, ", "))
        return _TITLE * len(self._titles(width)) + _PAD, _NUMBERS + below + 2 * _PAD

    def draw(self, ax: "Axes", null: float, above: float, reach: tuple[float, float]) -> None:
        """Write around axes, whose left end is `null` inches from no effect; headings and columns take the others."""
        width, height = size_of(ax)
        whole, y = width + sum(reach), height + above + _PAD
        for line in reversed(self._titles(whole)):
            bold = self._fonts.font(_TITLE_SIZE, bold=True)
            write(ax, (-reach[0] / width, y / height), line, bold, "axes", va="bottom")
            y += _TITLE
        ax.set_xlabel(self._label, fontproperties=self._font, color=INK, parse_math=False, va="top")
        ax.xaxis.set_label_coords(0.5, -_NUMBERS / height)
        below = _NUMBERS + _LINE
        if any(self._sides):
            for x, side, text in zip((null - _APART, null + _APART), ("right", "left"), self._sides, strict=True):
                write(ax, (x / width, -below / height), text, self._font, "axes", ha=side, va="top")
            below += _LINE
        remark(ax, lines_of(self._sentences, whole, ", "), left=reach[0], below=below + _PAD)

    def _titles(self, width: float) -> list[str]:
        """Return lines of the title, cut where a word is longer than a line."""
        font = self._fonts.font(_TITLE_SIZE, bold=True)

        def fits(text: str) -> bool:
            return room_of(text, font) <= width

        def cut(line: str) -> str:
            return next(filter(fits, (shorten(line, most) for most in range(len(line) * 2, 2, -1))), "…")

        return list(map(cut, wrapped(self._title.split(" "), fits, " "))) if self._title else []


#: Of the whole picture, so that it fills a page, least and greatest width of the axes, and around all, in inches.
_PAGE, _NARROW, _WIDE, _MARGIN = 7.0, 2.4, 3.6, 0.1

#: Of a page of a given width, what axes have at least, unless columns are asked for.
_SHARE = 0.3


def _across(table: _Table, words: _Words, axis: Axis) -> tuple[float, float, float]:
    """Return inches left of the axes, of the axes, and right of them."""
    left, right = table.reach
    width = breadth(min(_WIDE, max(_NARROW, _PAGE - left - right)), left + right + 2 * _MARGIN)
    out = words.reach(width, axis.share(axis.null) * width)
    return max(left, out[0]), width, max(right, out[1])
