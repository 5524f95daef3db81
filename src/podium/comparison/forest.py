"""Draw a forest plot: the effect on every task and what they amount to, with a table on both sides."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite, isnan, nan
from statistics import median
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from podium.base.arrays import Floats
from podium.base.errors import InputError, LabelError
from podium.base.words import DASH, p_value, percent, significant
from podium.comparison.effects import EFFECTS
from podium.comparison.suite import SuiteEffect
from podium.comparison.summary import Beside, Summary, TaskEffect
from podium.report.drawing import (
    FAINT,
    INK,
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
from podium.report.view import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from podium.comparison.result import MetaAnalysis

#: By what tasks can be sorted: a key for each, missing values last. Numbers go from large to small.
ORDERS: dict[str, Callable[[TaskEffect], tuple[bool, float | str]]] = {
    "effect": lambda task: (isnan(task.effect), -task.effect),
    "weight": lambda task: (isnan(task.weight), -task.weight),
    "n": lambda task: (task.n is None, -(task.n or 0)),
    "name": lambda task: (False, task.task),
}

#: Columns that a name asks for, beside those of other measures.
COLUMNS = ("n", "control", "treatment", "means", "weight", "effect", "ci", "p")

#: A built-in column by name, or a heading with a text for every task: by label, or in the order of the analysis.
Given = str | tuple[str, Mapping[str, Any] | Sequence[Any]]

#: Longest labels of systems that head columns, that are said to be favoured, and that stand alone, in letters.
_HEADS, _FAVOURED, _ALONE = 14, 24, 60


def forest(
    analysis: "MetaAnalysis",
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

    Parameters
    ----------
    analysis
        What `podium.compare` or `podium.pool` returns.
    left, right
        Columns beside the tasks and right of the picture: "n", "control", "treatment", "means", "weight", "effect",
        "ci", "p", the name of a measure of `MetaAnalysis.beside`, or a pair of a heading and texts, by task or in
        their order. By default n and what is beside, if there is any; and weight, effect and interval.
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
    rows, rule, height = _rows(analysis, sort, prediction=prediction)
    decimals = _decimals(analysis, rows, digits)
    if left is None:
        left = [*(["n"] if any(task.n is not None for task in analysis.tasks) else ())]
        left += [other.name for other in analysis.beside]
    right = ["weight", "effect", "ci"] if right is None else right
    before, after = (_columns(analysis, rows, side, decimals) for side in (left, right))
    null, log = analysis.measure.null, EFFECTS[analysis.kind].ratio
    axis = Axis(*limits(rows, null, log=log), null, log)
    sentences = [", ".join(parts) for parts in analysis.details]
    if any(map(axis.cuts, rows)):
        sentences.append("arrows: the interval goes on beyond the axis")
    names = (analysis.control, analysis.treatment)
    if max(map(len, names)) > _FAVOURED:
        sentences.append(f"control: {shorten(names[0], _ALONE)}, treatment: {shorten(names[1], _ALONE)}")
        names = ("control", "treatment")
    sided = EFFECTS[analysis.kind].sided and any(names)
    sides = (f"← favours {names[0]}", f"favours {names[1]} →") if sided else ("", "")
    words = _Words(title or "", label or analysis.measure.name, sides, sentences)
    row = row_height(math.ceil(height)) if ax is None else size_of(ax)[1] / height
    table = _Table(rows, before, after, font_size(row))
    if ax is None:
        ax = _page(table, words, axis, row, height)
    axis.put(ax, height)
    _draw_marks(ax, analysis, rows, unit=min(1.0, table.size / (36 * row)))
    table.draw(ax, rule)
    words.draw(ax, axis.share(null) * size_of(ax)[0], row, table.reach)
    return ax


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table, and what is drawn in it. Numbers that do not exist are NaN.

    Attributes
    ----------
    kind
        What it is of; a heading has a label only, and a prediction has ends only.
    label
        At the far left.
    members
        Indices of the tasks that it depends on.
    y
        Its middle, in rows from the top.
    indented
        Whether it stands under the heading of a group.
    """

    kind: Literal["heading", "task", "subgroup", "suite", "summary", "prediction"]
    label: str
    members: tuple[int, ...] = ()
    effect: float = nan
    low: float = nan
    high: float = nan
    p: float = nan
    y: float = nan
    indented: bool = False

    @property
    def bold(self) -> bool:
        """Return whether its letters are bold."""
        return self.kind in {"heading", "suite", "summary"}

    def of(self, numbers: TaskEffect | SuiteEffect | Summary) -> "Row":
        """Give it an effect with its interval."""
        return replace(self, effect=numbers.effect, low=numbers.low, high=numbers.high, p=numbers.p)


#: Above a group and above the overall summary, in rows.
_ABOVE = 0.4


def _rows(analysis: "MetaAnalysis", sort: str | None, *, prediction: bool) -> tuple[list[Row], float, float]:
    """Put tasks in order, those of a group under its heading and above its summary, and all summaries below.

    Return also where a rule parts tasks from their summary, and the height of all.
    """
    if sort is not None and sort not in ORDERS:
        raise LabelError.unknown("order of tasks", str(sort), ORDERS)
    every, groups = range(len(analysis)), {group.name: group for group in analysis.subgroups}
    order = every if sort is None else sorted(every, key=lambda index: ORDERS[sort](analysis.tasks[index]))
    tasks = [Row("task", analysis.tasks[index].task, (index,)).of(analysis.tasks[index]) for index in order]
    rows: list[Row] = []
    for group in (*analysis.subgroups, None):
        members = [row for row in tasks if groups.get(analysis.tasks[row.members[0]].group or "") is group]
        if members and groups:
            rows.append(Row("heading", "no group" if group is None else group.name))
        rows += [replace(row, indented=bool(groups)) for row in members]
        if members and group is not None:
            spread = "" if isnan(group.summary.i2) else f", I² = {percent(round(group.summary.i2, 2))}"
            indices = tuple(row.members[0] for row in members)
            rows.append(Row("subgroup", f"Together{spread}", indices, indented=True).of(group.summary))
    summary, suite = analysis.summary, None if EFFECTS[analysis.kind].ratio else analysis.suite
    if suite is not None:
        rows.append(Row("suite", "This task" if suite.tasks == 1 else "These tasks", tuple(every)).of(suite))
    if suite is None or summary.k > 1:
        rows.append(Row("summary", "Summary" if suite is None else "Tasks like these", tuple(every)).of(summary))
    if prediction and not (isnan(summary.prediction_low) or isnan(summary.prediction_high)):
        label = f"{100 * analysis.confidence:g}% prediction interval"
        rows.append(Row("prediction", label, low=summary.prediction_low, high=summary.prediction_high))
    y, rule, placed = 0.0, 0.0, list[Row]()
    for row in rows:
        whole = row.kind in {"suite", "summary"} and placed[-1].kind != "suite"
        if whole or (row.kind == "heading" and placed):
            rule = y + _ABOVE / 2
            y += _ABOVE
        placed.append(replace(row, y=y + 0.5))
        y += 1
    return placed, rule, y + _ABOVE / 2


def _decimals(analysis: "MetaAnalysis", rows: Sequence[Row], digits: Any) -> Callable[[float], str]:
    """Return what writes effects: with the decimals given, or with those that the intervals need."""
    if digits is not None and (not isinstance(digits, int) or isinstance(digits, bool) or digits < 0):
        raise InputError(f"digits is {digits!r}; it must be a whole number of decimals, at least 0")
    shown = [row for row in rows if row.members]
    if EFFECTS[analysis.kind].ratio:
        spans = [(row.high - row.low) / row.effect for row in shown if row.effect > 0]
        return writer(spans, [analysis.measure.null], ratios=True, digits=digits)
    values = [value for row in shown for value in (row.effect, row.low, row.high)]
    return writer([row.high - row.low for row in shown], values, digits=digits)


#: Fewest and most decimals that are chosen; from this size on a number is written with a power of ten.
_FEWEST, _MOST, _HUGE = 2, 4, 1e9


def writer(
    spans: Iterable[float], values: Iterable[float], *, ratios: bool = False, digits: int | None = None
) -> Callable[[float], str]:
    """Return what writes numbers alike: with two significant digits of the shortest span, in 2 to 4 decimals.

    Where spans are over 100, there are no decimals. Numbers that are too small for four decimals, of ten digits, and
    tiny and large ratios, have significant digits.

    >>> [writer([0.5], [])(value) for value in (-0.5, -0.001, 12345, float("nan"), float("inf"))]
    ['−0.50', '0.00', '12,345.00', '–', '∞']
    >>> [writer([0.5], [], ratios=True)(value) for value in (0.00123, 0.5, 12345)]
    ['0.0012', '0.50', '12,345']
    >>> writer([0.0053, 0.1], [-0.01, 0.2])(0.1), writer([2e-8], [-1e-7, 3e-7])(-1e-7)
    ('0.1000', '−1.00×10⁻⁷')
    """
    sizes = [abs(value) for value in values if value and isfinite(value)]
    shortest = min((span for span in spans if span > 0 and isfinite(span)), default=min(sizes, default=1.0))
    wanted = 1 - math.floor(math.log10(shortest))
    places = (0 if wanted < 0 else min(max(wanted, _FEWEST), _MOST)) if digits is None else digits
    tiny = digits is None and max(sizes, default=1.0) < 5 * 10.0**-_MOST

    def written(value: float) -> str:
        if tiny or abs(value) >= _HUGE or isnan(value):
            return significant(value, 3 if digits is None else max(2, digits))
        if ratios and not 0.1 <= value < 1000:
            return significant(value, max(2, places))
        return f"{value:z,.{places}f}".replace("-", "−")

    return written


#: A heading, and what stands in a row, which may be nothing.
Heading = tuple[str, Callable[[Row], str]]

_NUMBER = re.compile(r"[-−+<]?[\d.,]+ ?%?")


class _Column(NamedTuple):
    """A heading, and a text in every row; words are set to the left, numbers to the right."""

    heading: str
    cells: tuple[str, ...]
    words: bool = False


def _columns(
    analysis: "MetaAnalysis", rows: Sequence[Row], wanted: str | Sequence[Given], decimals: Callable[[float], str]
) -> list[_Column]:
    """Make the columns that are asked for, by name or with a text for every task."""
    known = {other.name: _beside(other.name, other) for other in analysis.beside} | _built_in(analysis, decimals)
    labels, made = [task.task for task in analysis.tasks], []
    for given in [wanted] if isinstance(wanted, str) else wanted:
        if isinstance(given, str):
            if given not in known:
                raise LabelError.unknown("column", given, known)
            heading, cell = known[given]
            made.append(_Column(heading, tuple(cell(row) for row in rows)))
            continue
        heading, texts = given
        if isinstance(texts, Mapping):
            if wrong := [label for label in texts if label not in labels]:
                raise LabelError.unknown("task", wrong[0], labels)
            texts = [texts.get(label, "") for label in labels]
        if len(texts) != len(labels):
            raise InputError(f"column {heading!r} has {len(texts)} texts for {len(labels)} tasks; give one for each")
        cells = list(map(str, texts))
        words = not all(_NUMBER.fullmatch(cell) for cell in cells if cell)
        made.append(_Column(heading, tuple(cells[row.members[0]] if row.kind == "task" else "" for row in rows), words))
    return made


def _built_in(analysis: "MetaAnalysis", decimals: Callable[[float], str]) -> dict[str, Heading]:
    """Return heading and cells of every column that a name asks for."""
    names, tasks = (analysis.control, analysis.treatment), analysis.tasks
    control, treatment = names if all(0 < len(name) <= _HEADS for name in names) else ("Control", "Treatment")
    means = Beside("", tuple(task.control_mean for task in tasks), tuple(task.treatment_mean for task in tasks))
    places = _places(means)

    def one(values: Sequence[float]) -> Callable[[Row], str]:
        return lambda row: places(values[row.members[0]]) if row.kind == "task" else ""

    def pooled(cell: Callable[[Row], str]) -> Callable[[Row], str]:
        return lambda row: cell(row) if row.members else ""

    def count(row: Row) -> str:
        counts = [tasks[index].n for index in row.members]
        return DASH if None in counts else f"{sum(filter(None, counts)):,}"

    def weight(row: Row) -> str:
        share = sum(tasks[index].weight for index in row.members)
        return "" if row.kind == "suite" else DASH if isnan(share) else f"{100 * share:.1f}%"

    def interval(row: Row) -> str:
        if row.kind == "heading" or (isnan(row.low) and isnan(row.high)):
            return "" if row.kind == "heading" else DASH
        return f"[{decimals(row.low)}, {decimals(row.high)}]"

    made = (
        ("n", pooled(count)),
        (control, one(means.control)),
        (treatment, one(means.treatment)),
        _beside(f"{control} → {treatment}", means),
        ("Weight", pooled(weight)),
        (EFFECTS[analysis.kind].short, pooled(lambda row: decimals(row.effect))),
        (f"{100 * analysis.confidence:g}% CI", interval),
        ("p", pooled(lambda row: p_value(row.p))),
    )
    return dict(zip(COLUMNS, made, strict=True))


def _beside(name: str, other: Beside) -> Heading:
    """Return means of both systems with an arrow from the control to the treatment."""
    places = _places(other)

    def cell(row: Row) -> str:
        if row.kind != "task":
            return ""
        (index,) = row.members
        return f"{places(other.control[index])} → {places(other.treatment[index])}"

    return name, cell


def _places(other: Beside) -> Callable[[float], str]:
    """Show one significant digit of the middle difference between two systems."""
    spans = [abs(after - before) for before, after in zip(other.control, other.treatment, strict=True)]
    seen = [10 * span for span in spans if span > 0]
    return writer([median(seen)] if seen else [1.0], [*other.control, *other.treatment])


#: Arms of intervals longer than this many middle ones may be clipped, and effects this many middle ones away; nothing
#: is clipped where the axis gets at most so much longer by showing all.
_LONG, _FAR, _STRETCH = 3.0, 20.0, 2.5

#: No logarithm, and no number, is further from 0 than this, so that sums and exponentials exist.
_LARGEST_LOG, _LARGEST = 650.0, 1e300


def limits(rows: Sequence[Row], null: float, *, log: bool) -> tuple[float, float]:
    """Ends of the axis. It holds the value of no effect, and all intervals unless a few would squeeze the others.

    Where the hull of everything is more than 2.5 times as long as that of intervals with arms of at most three times
    the middle one, it is the latter that is shown. Summaries may make it up to three times as long.

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
    low, high = whole if whole[1] - whole[0] <= _STRETCH * (core[1] - core[0]) or core[0] == core[1] else core
    pad = _BEYOND * (high - low) or 1.0
    return (math.exp(low - pad), math.exp(high + pad)) if log else (low - pad, high + pad)


def _within(values: Floats) -> Floats:
    """Return effects, and ends of intervals cut to arms of a usual length; without effects far from all others."""
    low, effect, high = values.T
    arms = np.stack([effect - low, high - effect])
    arms = arms[np.isfinite(arms) & (arms > 0)]
    usual = float(np.median(arms)) if arms.size else 0.0
    if np.isnan(effect).all():
        return values
    away = np.abs(effect - np.nanmedian(effect))
    reach = _FAR * max(usual, float(np.nanmedian(away)))
    near = ~(away > reach) if reach else np.full(len(effect), fill_value=True)
    return np.stack([effect, np.fmax(low, effect - _LONG * usual), np.fmin(high, effect + _LONG * usual)])[:, near]


#: Beyond either end, as a share of the axis; and between numbers at it, in inches.
_BEYOND, _BETWEEN = 0.04, 0.08


class Axis(NamedTuple):
    """Place values between two ends, with that of no effect among them; logarithmic for ratios."""

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


#: Between columns, from the axes to a column, and of indentation, in heights of letters.
_GAP, _EDGE, _INDENT = 1.6, 1.5, 1.0

#: From the middle of a row down to the line that letters stand on: half a figure, in heights of letters.
_SINK = 0.365

_HEAD = "Task"


class _Table:
    """Labels and columns beside the axes, in letters of a size in points; `reach` is how far they go, in inches."""

    def __init__(self, rows: Sequence[Row], left: Sequence[_Column], right: Sequence[_Column], size: float) -> None:
        self.rows, self.size, self.em, columns = rows, size, size / 72, [*left, *right]
        cells = [cell for column in columns for cell in column.cells]
        texts = [_HEAD, *(row.label for row in rows), *(column.heading for column in columns), *cells]
        texts = list(dict.fromkeys(texts))
        self._fonts = Lettering.of(texts)
        self._drawn = dict(zip(texts, self._fonts.texts, strict=True))
        self._sides = [[(column, self._width(column)) for column in side] for side in (left, right)]
        labels = [self._room(row.label, bold=row.bold) + row.indented * _INDENT * self.em for row in rows]
        # a label with nothing next to it may go on into the columns
        beside = [width for at, width in enumerate(labels) if not left or any(column.cells[at] for column in left)]
        self._labels = max(*beside, self._room(_HEAD, bold=True))
        before, after = (sum(width + _GAP * self.em for _, width in side) for side in self._sides)
        before = max(self._labels + before, *labels) + _EDGE * self.em
        self.reach = before, after + (_EDGE - _GAP) * self.em if right else 0.0

    def _width(self, column: _Column) -> float:
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

        put(start, -0.5, _HEAD, bold=True)
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


#: Of the whole picture, so that it fills a page, least and greatest width of the axes, and around all, in inches.
_PAGE, _NARROW, _WIDE, _MARGIN = 7.0, 2.4, 3.6, 0.1


def _page(table: _Table, words: _Words, axis: Axis, row: float, height: float) -> "Axes":
    """Return axes in a figure with room for columns on both sides, and for words above and below."""
    left, right = table.reach
    width = min(_WIDE, max(_NARROW, _PAGE - left - right))
    out = words.reach(width, axis.share(axis.null) * width)
    left, right = max(left, out[0]), max(right, out[1])
    above, below = words.heights(left + width + right)
    sides = {"left": left + _MARGIN, "right": right + _MARGIN, "top": row + above + _MARGIN, "bottom": below + _MARGIN}
    return new_axes(width, row * height, **sides)


_TASK = "#0072b2"

#: Side of the largest square, half the height of a diamond and of a cap, in rows; side of the smallest, in points.
_SQUARE, _DIAMOND, _CAP, _SMALLEST = 0.62, 0.33, 0.13, 2.4


def _draw_marks(ax: "Axes", analysis: "MetaAnalysis", rows: Sequence[Row], unit: float) -> None:
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
    tasks, groups, suites, summaries, predictions = ([row for row in rows if row.kind == kind] for kind in kinds)
    whole = [*suites, *summaries]
    null = [analysis.measure.null] * 2
    dotted = (0, (1, 1.6))
    ax.plot(null, [0, ax.get_ylim()[0]], linestyle=dotted, color=INK, linewidth=0.9, zorder=1, gid="null")
    if inside(whole[-1].effect):
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
    shares = np.nan_to_num([analysis.tasks[row.members[0]].weight for row in seen])
    largest = np.nan_to_num([task.weight for task in analysis.tasks]).max() or 1.0
    sizes = np.maximum(shares / largest * (_SQUARE * height) ** 2, _SMALLEST**2)
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
