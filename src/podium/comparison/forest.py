"""Draw a forest plot: the effect on every task and what they amount to, with a table on both sides."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import inf, isfinite, isnan, nan
from statistics import median
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, LabelError
from podium.base.words import DASH, p_value, percent, raised, significant
from podium.comparison.result import Beside, MetaAnalysis, Summary, TaskEffect
from podium.report.draw.canvas import FAINT, INK, NOTE_SIZE, font_size, new_axes, row_height, size_of, strip, write
from podium.report.draw.lettering import Lettering, room_of
from podium.report.draw.page import height_of, lines_of, remark, wrapped
from podium.report.width import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: By what tasks can be sorted: a key for each, missing values last. Numbers go from large to small.
ORDERS: dict[str, Callable[[TaskEffect], tuple[bool, float | str]]] = {
    "effect": lambda task: (isnan(task.effect), -task.effect),
    "weight": lambda task: (isnan(task.weight), -task.weight),
    "n": lambda task: (task.n is None, -(task.n or 0)),
    "name": lambda task: (False, task.task),
}

#: Above a group and above the overall summary, in rows.
_GAP = 0.4

#: Heading of tasks that are in no group where others are in one.
_REST = "no group"


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
        """Whether its letters are."""
        return self.kind in {"heading", "suite", "summary"}

    def of(self, numbers: TaskEffect | Summary) -> "Row":
        """Give it an effect with its interval."""
        return replace(self, effect=numbers.effect, low=numbers.low, high=numbers.high, p=numbers.p)


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows from the top, the height they take, and where a rule parts tasks from their summary."""

    rows: tuple[Row, ...]
    rule: float
    height: float

    @classmethod
    def of(cls, analysis: MetaAnalysis, *, sort: str | None, prediction: bool) -> Self:
        """Put tasks in order, each group under its heading and above its summary; the overall summary comes last.

        Raises
        ------
        LabelError
            There is no such order.
        """
        if sort is not None and sort not in ORDERS:
            raise LabelError.unknown("order of tasks", str(sort), ORDERS)
        y, rule = 0.0, 0.0
        placed: list[Row] = []
        for row in (*_tasks(analysis, sort), *_end(analysis, prediction=prediction)):
            whole = row.kind in {"suite", "summary"} and placed[-1].kind != "suite"
            if whole or (row.kind == "heading" and placed):
                rule = y + _GAP / 2
                y += _GAP
            placed.append(replace(row, y=y + 0.5))
            y += 1
        return cls(tuple(placed), rule, y + _GAP / 2)

    def of_kind(self, kind: str) -> list[Row]:
        """Rows of a kind."""
        return [row for row in self.rows if row.kind == kind]


def _tasks(analysis: MetaAnalysis, sort: str | None) -> Iterator[Row]:
    order = list(range(len(analysis)))
    if sort is not None:
        order.sort(key=lambda index: ORDERS[sort](analysis.tasks[index]))
    rows = [Row("task", analysis.tasks[index].task, (index,)).of(analysis.tasks[index]) for index in order]
    if not analysis.subgroups:
        yield from rows
        return
    groups = {group.name: group for group in analysis.subgroups}
    for name, group in (*groups.items(), (_REST, None)):
        members = [row for row in rows if groups.get(analysis.tasks[row.members[0]].group or "") is group]
        if members:
            yield Row("heading", name)
            yield from (replace(row, indented=True) for row in members)
        if members and group is not None:
            spread = "" if isnan(group.summary.i2) else f", I² = {percent(round(group.summary.i2, 2))}"
            indices = tuple(row.members[0] for row in members)
            yield Row("subgroup", f"Together{spread}", indices, indented=True).of(group.summary)


def _end(analysis: MetaAnalysis, *, prediction: bool) -> Iterator[Row]:
    summary, members = analysis.summary, tuple(range(len(analysis)))
    suite = analysis.suite if analysis.kind != "or" else None
    if suite is not None:
        name = "This task" if suite.tasks == 1 else "These tasks"
        yield Row("suite", name, members, suite.effect, suite.low, suite.high, suite.p)
    if suite is None or summary.k > 1:
        yield Row("summary", "Summary" if suite is None else "Tasks like these", members).of(summary)
    if prediction and not (isnan(summary.prediction_low) or isnan(summary.prediction_high)):
        label = f"{100 * analysis.confidence:g}% prediction interval"
        yield Row("prediction", label, low=summary.prediction_low, high=summary.prediction_high)


_TASK = "#0072b2"

#: Side of the largest square, half the height of a diamond and of a cap, in rows; side of the smallest, in points.
_LARGEST, _DIAMOND, _CAP, _SMALLEST = 0.62, 0.33, 0.13, 2.4


def draw_marks(ax: "Axes", analysis: MetaAnalysis, rows: Rows, unit: float) -> None:
    """Draw guides, squares with whiskers, diamonds over the intervals of summaries, and the prediction interval.

    Parameters
    ----------
    ax, analysis, rows
        Where, and what.
    unit
        What is drawn in a row is so much of it, 1 where rows are as high as letters need.
    """
    height = unit * 72 * size_of(ax)[1] / ax.get_ylim()[0]  # of a row, in points
    whole = [*rows.of_kind("suite"), *rows.of_kind("summary")]
    null = analysis.measure.null
    dotted = (0, (1, 1.6))
    ax.plot([null, null], [0, ax.get_ylim()[0]], linestyle=dotted, color=INK, linewidth=0.9, zorder=1, gid="null")
    if _inside(ax, whole[-1].effect):
        ends = [whole[-1].effect] * 2, [0, whole[-1].y]
        ax.plot(*ends, linestyle=(0, (5, 3)), color=FAINT, linewidth=0.5, zorder=0.9)
    tasks = rows.of_kind("task")
    _squares(ax, tasks, [analysis.tasks[row.members[0]].weight for row in tasks], unit, height)
    for row in (*rows.of_kind("subgroup"), *whole):
        if not isnan(row.effect):
            _diamond(ax, row, _DIAMOND * unit)
            _arrows(ax, row)
    for row in rows.of_kind("prediction"):
        low, high = np.clip([row.low, row.high], *ax.get_xlim())
        ax.hlines(row.y, low, high, color=_TASK, alpha=0.45, linewidth=0.2 * height, zorder=2, gid="prediction")
        _arrows(ax, row)


def _squares(ax: "Axes", rows: Sequence[Row], weights: Sequence[float], unit: float, height: float) -> None:
    """Draw a square at every effect, its area in proportion to the weight, with whiskers over its interval."""
    for row in rows:
        _whisker(ax, row, _CAP * unit)
    seen = [index for index, row in enumerate(rows) if _inside(ax, row.effect)]
    shares = np.nan_to_num(np.array(weights, dtype=np.float64))
    areas = shares / (shares.max() or 1.0) * (_LARGEST * height) ** 2
    places = [rows[index].effect for index in seen], [rows[index].y for index in seen]
    sizes = np.maximum(areas[seen], _SMALLEST**2)
    ax.scatter(*places, s=sizes, marker="s", color=_TASK, linewidths=0, zorder=2, gid="tasks")


def _whisker(ax: "Axes", row: Row, cap: float) -> None:
    """Draw a line over an interval, as far as it is seen, and a cap at each end that is."""
    low, high = (row.effect if isnan(end) else end for end in (row.low, row.high))
    if isnan(low) or isnan(high):
        return
    left, right = np.clip([low, high], *ax.get_xlim())
    if left < right:
        ax.hlines(row.y, left, right, color=INK, linewidth=0.9, zorder=2.5, gid="whisker")
    ends = [end for end in (row.low, row.high) if _inside(ax, end)]
    ax.vlines(ends, row.y - cap, row.y + cap, color=INK, linewidth=0.9, zorder=2.5, gid="caps")
    _arrows(ax, row)


def _diamond(ax: "Axes", row: Row, half: float) -> None:
    """Draw a diamond over an interval; beyond the axis it is cut off, not squeezed."""
    from matplotlib.patches import Polygon  # noqa: PLC0415  # an extra

    low, high = (
        row.effect if isnan(end) else end if isfinite(end) else edge
        for end, edge in zip((row.low, row.high), ax.get_xlim(), strict=True)
    )
    corners = [(low, row.y), (row.effect, row.y + half), (high, row.y), (row.effect, row.y - half)]
    fill = "white" if row.kind == "subgroup" else INK
    edge: dict[str, Any] = {"edgecolor": INK, "linewidth": 0.8, "joinstyle": "miter"}
    ax.add_patch(Polygon(corners, closed=True, facecolor=fill, zorder=3, gid=row.kind, **edge))


def _arrows(ax: "Axes", row: Row) -> None:
    """Point out of the picture where an interval goes on, or an effect is out of it."""
    from matplotlib.markers import CARETLEFTBASE, CARETRIGHTBASE, MarkerStyle  # noqa: PLC0415  # an extra

    first, last = ax.get_xlim()
    numbers = [number for number in (row.low, row.effect, row.high) if not isnan(number)]
    style: dict[str, Any] = {"s": 24, "color": INK, "linewidths": 0, "clip_on": False, "zorder": 4, "gid": "arrow"}
    if min(numbers, default=inf) < first:
        ax.scatter([first], [row.y], marker=MarkerStyle(CARETLEFTBASE), **style)
    if max(numbers, default=-inf) > last:
        ax.scatter([last], [row.y], marker=MarkerStyle(CARETRIGHTBASE), **style)


def _inside(ax: "Axes", value: float) -> bool:
    low, high = ax.get_xlim()
    return isfinite(value) and low <= value <= high


#: Fewest and most decimals that are chosen; from this size on a number is written with a power of ten.
_FEWEST, _MOST, _HUGE = 2, 4, 1e9


@dataclass(frozen=True, slots=True)
class Decimals:
    """How numbers in one unit are written.

    Attributes
    ----------
    places
        After the point.
    power
        Of ten, taken out of every number and said in the heading.
    ratio
        Whether numbers are ratios; tiny and large ones then have significant digits instead.
    """

    places: int
    power: int = 0
    ratio: bool = False

    @classmethod
    def of(cls, spans: Iterable[float], values: Iterable[float]) -> "Decimals":
        """Show two significant digits of the shortest span, with 2 to 4 decimals, or none where spans are over 100.

        Numbers too small for four decimals, or of ten digits, have a power of ten taken out.

        Parameters
        ----------
        spans, values
            Differences that are to be seen, and the numbers to be written; those that are not finite do not count.

        Examples
        --------
        >>> Decimals.of([0.0053, 0.1], [-0.01, 0.2])
        Decimals(places=4, power=0, ratio=False)
        >>> Decimals.of([2e-8], [-1e-7, 3e-7])
        Decimals(places=2, power=-7, ratio=False)
        """
        sizes = [abs(value) for value in values if value and math.isfinite(value)]
        shortest = min((span for span in spans if span > 0 and math.isfinite(span)), default=min(sizes, default=1.0))
        power = _power(sizes)
        places = 1 - math.floor(math.log10(shortest)) + power
        return cls(0 if places < 0 else min(max(places, _FEWEST), _MOST), power)

    @property
    def unit(self) -> str:
        """What follows the heading: the power of ten, if any.

        >>> Decimals(2, -7).unit
        ' in 10⁻⁷'
        """
        return f" in 10{raised(self.power)}" if self.power else ""

    def __call__(self, value: float) -> str:
        """Write a number.

        >>> [Decimals(2)(value) for value in (-0.5, -0.001, 12345, float("nan"), float("inf"))]
        ['−0.50', '0.00', '12,345.00', '–', '∞']
        >>> [Decimals(2, ratio=True)(value) for value in (0.00123, 0.5, 12345)]
        ['0.0012', '0.50', '12,345']
        """
        scaled = value / 10.0**self.power
        extreme = self.ratio and not 0.1 <= scaled < 1000
        if extreme or abs(scaled) >= _HUGE or math.isnan(scaled):
            return significant(scaled, max(2, self.places))
        return f"{scaled:z,.{self.places}f}".replace("-", "−")


def _power(sizes: list[float]) -> int:
    """Power of ten to take out of numbers of some sizes: of the largest if that is tiny, of the middle if huge."""
    if sizes and max(sizes) < 5 * 10.0**-_MOST:
        return math.floor(math.log10(max(sizes)))
    if sizes and median(sizes) >= _HUGE:
        return math.floor(math.log10(median(sizes)))
    return 0


Floats = NDArray[np.float64]

#: Arms of intervals longer than this many middle ones may be clipped, and effects this many middle ones away.
_LONG, _FAR = 3.0, 20.0

#: Nothing is clipped where the axis gets at most this much longer by showing all.
_STRETCH = 2.5

#: No logarithm, and no number, is further from 0 than this, so that sums and exponentials exist.
_LARGEST_LOG, _AXIS_LARGEST = 650.0, 1e300

#: Beyond either end, as a share of the axis.
_PAD = 0.04


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
    zero = null
    if log:
        with np.errstate(divide="ignore", invalid="ignore"):
            values, zero = np.log(values), math.log(null)
    values[~np.isfinite(values)] = np.nan
    most = _LARGEST_LOG if log else _AXIS_LARGEST
    values = values.clip(-most, most)
    is_task = np.array([row.kind == "task" for row in rows])
    core = _hull(np.append(_within(values[is_task]), zero))
    span = core[1] - core[0]
    pooled = values[~is_task].ravel()
    core = _hull(np.append(pooled.clip(core[0] - span, core[1] + span), core))
    whole = _hull(np.append(values.ravel(), zero))
    low, high = whole if whole[1] - whole[0] <= _STRETCH * (core[1] - core[0]) or core[0] == core[1] else core
    pad = _PAD * (high - low) or 1.0
    return (math.exp(low - pad), math.exp(high + pad)) if log else (low - pad, high + pad)


def _within(values: Floats) -> Floats:
    """Effects, and ends of intervals cut to arms of a usual length; without effects far from all others."""
    low, effect, high = values.T
    arms = np.stack([effect - low, high - effect])
    arms = arms[np.isfinite(arms) & (arms > 0)]
    usual = float(np.median(arms)) if arms.size else 0.0
    known = effect[np.isfinite(effect)]
    if not known.size:
        return values.ravel()
    away = np.abs(effect - np.median(known))
    reach = _FAR * max(usual, float(np.median(away[np.isfinite(away)])))
    near = ~(away > reach) if reach else np.full(len(effect), fill_value=True)
    return np.concatenate(
        [effect[near], np.fmax(low, effect - _LONG * usual)[near], np.fmin(high, effect + _LONG * usual)[near]]
    )


def _hull(values: Floats) -> tuple[float, float]:
    return float(np.nanmin(values)), float(np.nanmax(values))


#: Between numbers at the axis, in inches.
_APART = 0.08


@dataclass(frozen=True, slots=True)
class Axis:
    """From where to where, with the value of no effect between; logarithmic for ratios."""

    low: float
    high: float
    null: float
    log: bool

    def cuts(self, row: Row) -> bool:
        """Whether something in a row lies beyond the ends."""
        return any(value < self.low or value > self.high for value in (row.low, row.effect, row.high))

    def share(self, value: float) -> float:
        """Where a value lies between the ends, from 0 to 1.

        >>> Axis(-1.0, 3.0, 0.0, log=False).share(0.0)
        0.25
        """
        low, value, high = map(math.log, (self.low, value, self.high)) if self.log else (self.low, value, self.high)
        return (value - low) / (high - low)

    def put(self, ax: "Axes", height: float, decimals: Decimals) -> None:
        """Give axes these ends and numbers, and rows that count downwards to a height."""
        strip(ax, "bottom")
        ax.set_xscale("log" if self.log else "linear")
        ax.set_xlim(self.low, self.high)
        ax.set_ylim(height, 0)
        ax.set_yticks([])
        letters = Lettering.of(["−0"])
        font = letters.font(NOTE_SIZE)
        width = size_of(ax)[0]

        def fits(values: list[float], labels: list[str]) -> bool:
            halves = [room_of(label, font) / 2 for label in labels]
            places = [width * self.share(value) for value in values]
            spans = [(place - half, place + half) for place, half in zip(places, halves, strict=True)]
            return all(left[1] + _APART <= right[0] for left, right in pairwise(spans))

        values, labels = ticks(self.low, self.high, log=self.log, unit=10.0**decimals.power, fits=fits)
        ax.set_xticks(values, labels, fontproperties=font, parse_math=False)
        ax.set_xticks([], minor=True)


def ticks(
    low: float, high: float, *, log: bool, unit: float, fits: Callable[[list[float], list[str]], bool]
) -> tuple[list[float], list[str]]:
    """Round values on the axis with their labels, as many as fit beside each other.

    Parameters
    ----------
    low, high
        Ends of the axis.
    log
        Whether distances are ratios.
    unit
        What labels are multiples of.
    fits
        Whether labels at some values have room.

    Examples
    --------
    >>> ticks(-0.01, 0.32, log=False, unit=1.0, fits=lambda values, labels: len(labels) < 6)[1]
    ['0.0', '0.1', '0.2', '0.3']
    >>> ticks(0.04, 12.0, log=True, unit=1.0, fits=lambda values, labels: len(labels) < 6)[1]
    ['0.1', '0.3', '1', '3', '10']
    """
    fewer = list(_ratios(low, high) if log else _steps(low, high, unit))
    return next((found for found in fewer if fits(*found)), fewer[-1])


def _steps(low: float, high: float, unit: float) -> Iterator[tuple[list[float], list[str]]]:
    """Multiples of round steps, ever fewer."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  # an extra

    for most in range(7, 0, -1):
        places = MaxNLocator(most, steps=[1, 2, 5, 10]).tick_values(low, high)
        decimals = max(0, -math.floor(math.log10((places[1] - places[0]) / unit) + 1e-9))
        inside = [float(place) for place in places if low <= place <= high]
        yield inside, [f"{place / unit:z,.{decimals}f}".replace("-", "−") for place in inside]


def _ratios(low: float, high: float) -> Iterator[tuple[list[float], list[str]]]:
    """Round values that include 1, ever fewer: equal steps on a short axis, parts of decades, whole decades."""
    if high < 5 * low:
        yield from (found for found in _steps(low, high, 1.0) if 1.0 in found[0])
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    places = [
        [part * 10.0**decade for decade in range(first, last + 1) for part in mantissas]
        for mantissas in ((1, 2, 5), (1, 3), (1,))
    ]
    places += [
        [10.0**decade for decade in range(-apart * (-first // apart), last + 1, apart)]
        for apart in range(2, last - first + 2)
    ]
    for values in places:
        inside = [value for value in values if low <= value <= high]
        yield inside, [f"{value:,.10g}" if 1e-4 <= value < 1e6 else significant(value, 1) for value in inside]


#: A built-in column by name, or a heading with a text for every task: by label, or in the order of the analysis.
Given = str | tuple[str, Mapping[str, Any] | Sequence[Any]]

Cell = tuple[str, ...]

#: How effects are called in a heading.
_SHORT = {"md": "MD", "smd": "SMD", "corr": "r", "rd": "RD", "or": "OR", "given": "Effect"}

#: Longest labels of systems that head columns, in letters.
_NAME = 14

_NUMBER = re.compile(r"[-−+<]?[\d.,]+ ?%?")


@dataclass(frozen=True, slots=True)
class ForestColumn:
    """A heading, and in every row a cell of one or more parts, which stand in columns of their own.

    Attributes
    ----------
    heading
        Over the column.
    cells
        For every row; empty where there is nothing to say.
    words
        Whether cells are words, set to the left, rather than numbers, set to the right.
    """

    heading: str
    cells: tuple[Cell, ...]
    words: bool = False


def default_columns(analysis: MetaAnalysis) -> tuple[list[Given], list[Given]]:
    """What stands left and right where nothing else is asked for."""
    counts: list[Given] = ["n"] if any(task.n is not None for task in analysis.tasks) else []
    return counts + [other.name for other in analysis.beside], ["weight", "effect", "ci"]


def columns_of(
    analysis: MetaAnalysis, rows: Sequence[Row], wanted: str | Sequence[Given], decimals: Decimals
) -> list[ForestColumn]:
    """Make columns.

    Raises
    ------
    LabelError
        There is no such column, or no such task.
    InputError
        A column has more or fewer texts than there are tasks.
    """
    known = {other.name: _beside(other) for other in analysis.beside} | _built_in(analysis, decimals)
    made = []
    for given in [wanted] if isinstance(wanted, str) else wanted:
        if not isinstance(given, str):
            made.append(_own(analysis, rows, *given))
        elif given in known:
            heading, cell = known[given]
            made.append(ForestColumn(heading, tuple(cell(row) for row in rows)))
        else:
            raise LabelError.unknown("column", given, known)
    return made


def _built_in(analysis: MetaAnalysis, decimals: Decimals) -> dict[str, tuple[str, Callable[[Row], Cell]]]:
    """Heading and cells of every column that a name asks for."""
    names = (analysis.control, analysis.treatment)
    control, treatment = (
        names if min(map(len, names)) > 0 and max(map(len, names)) <= _NAME else ("Control", "Treatment")
    )
    tasks = analysis.tasks
    means = Beside("", tuple(task.control_mean for task in tasks), tuple(task.treatment_mean for task in tasks))
    places = _places(means)

    def one(values: Sequence[float]) -> Callable[[Row], Cell]:
        return lambda row: (places(values[row.members[0]]),) if row.kind == "task" else ()

    def pooled(cell: Callable[[Row], str]) -> Callable[[Row], Cell]:
        return lambda row: (cell(row),) if row.members else ()

    def count(row: Row) -> str:
        counts = [tasks[index].n for index in row.members]
        return DASH if None in counts else f"{sum(filter(None, counts)):,}"

    def share(row: Row) -> str:
        weight = sum(tasks[index].weight for index in row.members)
        return DASH if isnan(weight) else f"{100 * weight:.1f}%"

    return {
        "n": ("n", pooled(count)),
        "control": (f"{control}{places.unit}", one(means.control)),
        "treatment": (f"{treatment}{places.unit}", one(means.treatment)),
        "means": (f"{control} → {treatment}{places.unit}", _beside(means)[1]),
        "weight": ("Weight", lambda row: (share(row),) if row.members and row.kind != "suite" else ()),
        "effect": (_SHORT[analysis.kind] + decimals.unit, pooled(lambda row: decimals(row.effect))),
        "ci": (f"{100 * analysis.confidence:g}% CI{decimals.unit}", lambda row: _interval(row, decimals)),
        "p": ("p", pooled(lambda row: p_value(row.p))),
    }


def _interval(row: Row, decimals: Decimals) -> Cell:
    if row.kind == "heading":
        return ()
    low, high = decimals(row.low), decimals(row.high)
    return (f"[{low},", f"{high}]") if row.low == row.low or row.high == row.high else (low,)


def _beside(other: Beside) -> tuple[str, Callable[[Row], Cell]]:
    """Means of both systems with an arrow from the control to the treatment."""
    places = _places(other)

    def cell(row: Row) -> Cell:
        if row.kind != "task":
            return ()
        (index,) = row.members
        return places(other.control[index]), "→", places(other.treatment[index])

    return f"{other.name}{places.unit}", cell


def _places(other: Beside) -> Decimals:
    """Decimals that show one significant digit of the middle difference between two systems."""
    spans = [abs(after - before) for before, after in zip(other.control, other.treatment, strict=True)]
    seen = [10 * span for span in spans if span > 0]
    return Decimals.of([median(seen)] if seen else [1.0], [*other.control, *other.treatment])


def _own(
    analysis: MetaAnalysis, rows: Sequence[Row], heading: str, texts: Mapping[str, Any] | Sequence[Any]
) -> ForestColumn:
    labels = [task.task for task in analysis.tasks]
    if isinstance(texts, Mapping):
        for label in texts:
            if label not in labels:
                raise LabelError.unknown("task", label, labels)
        texts = [texts.get(label, "") for label in labels]
    if len(texts) != len(labels):
        raise InputError(f"column {heading!r} has {len(texts)} texts for {len(labels)} tasks; give one for each")
    written = [str(text) for text in texts]
    words = not all(_NUMBER.fullmatch(text) for text in written if text)
    cells: list[Cell] = [(text,) if text else () for text in written]
    return ForestColumn(heading, tuple(cells[row.members[0]] if row.kind == "task" else () for row in rows), words)


#: Between columns, between parts of a cell, from the axes to a column, and of indentation, in heights of letters.
_COLUMN_GAP, _INNER, _EDGE, _INDENT = 1.6, 0.35, 1.5, 1.0

#: From the middle of a row down to the line that letters stand on: half a figure, in heights of letters.
_SINK = 0.365

_HEAD = "Task"


class _Widths(NamedTuple):
    """Inches of a column, of its cells, and of each part of the cells that have most."""

    whole: float
    cells: float
    parts: tuple[float, ...]


@dataclass(frozen=True)
class ForestTable:
    """Everything written beside the axes.

    Attributes
    ----------
    rows
        What stands at the far left.
    left, right
        Columns next to the labels, and right of the axes.
    size
        Of the letters, in points.
    """

    rows: Rows
    left: Sequence[ForestColumn]
    right: Sequence[ForestColumn]
    size: float

    @cached_property
    def reach(self) -> tuple[float, float]:
        """Inches from the axes to both ends."""
        em = self.size / 72
        labels = self._labels + sum(widths.whole + _COLUMN_GAP * em for widths in map(self._widths, self.left))
        right = sum(widths.whole + _COLUMN_GAP * em for widths in map(self._widths, self.right))
        return max(labels, *self._inches, 0) + _EDGE * em, right + (_EDGE - _COLUMN_GAP) * em if self.right else 0.0

    def draw(self, ax: "Axes") -> None:
        """Write labels, headings and cells, and rules below the headings and above the summary."""
        em, width = self.size / 72, size_of(ax)[0]
        start = -self.reach[0]
        self._write(ax, (start, -0.5), _HEAD, bold=True)
        for row in self.rows.rows:
            self._write(ax, (start + row.indented * _INDENT * em, row.y), row.label, bold=row.bold)
        for columns, first in ((self.left, start + self._labels + _COLUMN_GAP * em), (self.right, width + _EDGE * em)):
            x = first
            for column in columns:
                x = self._column(ax, column, x) + _COLUMN_GAP * em
        ends = [start / width, 1 + self.reach[1] / width]
        for y, thickness in ((0.0, 0.8), (self.rows.rule, 0.5)):
            ax.plot(ends, [y, y], transform=ax.get_yaxis_transform(), color=INK, linewidth=thickness, clip_on=False)

    def _column(self, ax: "Axes", column: ForestColumn, x: float) -> float:
        """Write a column from x, and return its end: words from the left, numbers up to there, parts in the middle."""
        widths = self._widths(column)
        end = x + widths.whole
        side = "left" if column.words else "right" if len(widths.parts) < 2 else "center"
        place = {"left": x, "right": end, "center": (x + end) / 2}[side]
        self._write(ax, (place, -0.5), column.heading, side=side, bold=True)
        for row, cell in zip(self.rows.rows, column.cells, strict=True):
            if len(cell) == 1:
                self._write(ax, (place, row.y), cell[0], side=side, bold=row.bold)
                continue
            stop = end - (widths.whole - widths.cells) / 2
            for part, room in reversed(list(zip(cell, widths.parts, strict=False))):
                self._write(ax, (stop, row.y), part, side="right", bold=row.bold)
                stop -= room + _INNER * self.size / 72
        return end

    def _write(
        self, ax: "Axes", place: tuple[float, float], text: str, *, side: str = "left", bold: bool = False
    ) -> None:
        """Write at so many inches from the left of the axes, in a row."""
        width, height = size_of(ax)
        y = place[1] + _SINK * self.size / 72 / height * self.rows.height
        write(ax, (place[0] / width, y), self._drawn[text], self._fonts.font(self.size, bold=bold), "rows", ha=side)

    def _widths(self, column: ForestColumn) -> _Widths:
        cells = [
            [self._room(part, bold=row.bold) for part in cell]
            for row, cell in zip(self.rows.rows, column.cells, strict=True)
        ]
        most = max(map(len, cells), default=0)
        parts = tuple(map(max, zip(*(cell for cell in cells if len(cell) == most), strict=True)))
        alone = max((cell[0] for cell in cells if len(cell) == 1), default=0.0)
        content = max(alone, sum(parts) + _INNER * self.size / 72 * max(0, most - 1))
        return _Widths(max(content, self._room(column.heading, bold=True)), content, parts)

    @cached_property
    def _inches(self) -> list[float]:
        """Of each label."""
        indent = _INDENT * self.size / 72
        return [self._room(row.label, bold=row.bold) + row.indented * indent for row in self.rows.rows]

    @cached_property
    def _labels(self) -> float:
        """Inches of the column of labels; one with nothing next to it may go on into the columns."""
        beside = [
            width
            for row, width in enumerate(self._inches)
            if not self.left or any(column.cells[row] for column in self.left)
        ]
        return max(*beside, self._room(_HEAD, bold=True))

    def _room(self, text: str, *, bold: bool) -> float:
        return room_of(self._drawn[text], self._fonts.font(self.size, bold=bold))

    @cached_property
    def _fonts(self) -> Lettering:
        return Lettering.of(self._texts)

    @cached_property
    def _drawn(self) -> dict[str, str]:
        """Every text, shortened."""
        return dict(zip(self._texts, self._fonts.texts, strict=True))

    @cached_property
    def _texts(self) -> list[str]:
        columns = [*self.left, *self.right]
        cells = [part for column in columns for cell in column.cells for part in cell]
        labels = [row.label for row in self.rows.rows]
        return list(dict.fromkeys([_HEAD, *labels, *(column.heading for column in columns), *cells]))


#: Longest label of a system that is said to be favoured, and longest name that stands alone, in letters.
_FOREST_SHORT, _LONGEST = 24, 60


def favours(analysis: MetaAnalysis) -> tuple[str, str]:
    """Say what is left and right of no effect; nothing of a correlation, or where the systems have no names.

    Examples
    --------
    >>> favours(MetaAnalysis("BERT", "GPT", "md", "reml", "normal", 0.95, (), None))
    ('← favours BERT', 'favours GPT →')
    """
    names = (analysis.control, analysis.treatment)
    if analysis.kind == "corr" or not any(names):
        return "", ""
    if _long(analysis):
        names = ("control", "treatment")
    return f"← favours {names[0]}", f"favours {names[1]} →"


def _long(analysis: MetaAnalysis) -> bool:
    """Whether the names are too long to stand beside the line of no effect."""
    return max(len(analysis.control), len(analysis.treatment)) > _FOREST_SHORT


#: Size of a title, in points; height of its lines and of the others, and room for the numbers of the axis, in inches.
_TITLE_SIZE, _TITLE, _LINE, _NUMBERS = 9.5, 0.19, 0.145, 0.22

#: Between words that favour one side and the line of no effect, and around a margin, in inches.
_CLEAR, _FOREST_PAD = 0.08, 0.06


@dataclass(frozen=True, slots=True)
class Margins:
    """Words around a picture, in lines that are as long as it is wide.

    Attributes
    ----------
    title, label
        Above all; below the axis.
    sides
        What lies left and right of no effect, or twice nothing.
    said
        Sentences below.
    fonts
        That have all letters of the others.
    """

    title: str
    label: str
    sides: tuple[str, str]
    said: list[str]
    fonts: Lettering

    @classmethod
    def of(cls, title: str, label: str, sides: tuple[str, str], said: list[str]) -> "Margins":
        """Find fonts for what is said."""
        fonts = Lettering.of([title, shorten(label, _LONGEST), *sides], most=10**6)
        title, label, left, right = fonts.texts
        return cls(title, label, (left, right), said, fonts)

    def reach(self, width: float, null: float) -> tuple[float, float]:
        """Inches that words below the axis stick out of axes of a width, with no effect at some inches."""
        font = self.fonts.font(NOTE_SIZE)
        left, right = (room_of(side, font) + _CLEAR if side else 0.0 for side in self.sides)
        label = (room_of(self.label, font) - width) / 2
        return max(left - null, label, 0.0), max(null + right - width, label, 0.0)

    def heights(self, width: float) -> tuple[float, float]:
        """Inches above the headings and below the axes that are needed where lines have some inches."""
        below = _LINE * (1 + any(self.sides)) + height_of(lines_of(self.said, width, ", "))
        return _TITLE * len(self._title(width)) + _FOREST_PAD, _NUMBERS + below + 2 * _FOREST_PAD

    def draw(self, ax: "Axes", *, null: float, above: float, reach: tuple[float, float]) -> None:
        """Write around axes.

        Parameters
        ----------
        ax
            Axes.
        null
            Inches from their left to no effect.
        above, reach
            Inches that headings take above, and columns on both sides.
        """
        width, height = size_of(ax)
        whole, font = width + sum(reach), self.fonts.font(NOTE_SIZE)
        y = height + above + _FOREST_PAD
        for line in reversed(self._title(whole)):
            bold = self.fonts.font(_TITLE_SIZE, bold=True)
            write(ax, (-reach[0] / width, y / height), line, bold, "axes", va="bottom")
            y += _TITLE
        ax.set_xlabel(self.label, fontproperties=font, color=INK, parse_math=False, va="top")
        ax.xaxis.set_label_coords(0.5, -_NUMBERS / height)
        below = _NUMBERS + _LINE
        if any(self.sides):
            for x, side, text in ((null - _CLEAR, "right", self.sides[0]), (null + _CLEAR, "left", self.sides[1])):
                write(ax, (x / width, -below / height), text, font, "axes", ha=side, va="top")
            below += _LINE
        remark(ax, lines_of(self.said, whole, ", "), left=reach[0], below=below + _FOREST_PAD)

    def _title(self, width: float) -> list[str]:
        """Lines of the title, cut where a word is longer than a line."""
        font = self.fonts.font(_TITLE_SIZE, bold=True)

        def fits(text: str) -> bool:
            return room_of(text, font) <= width

        lines = wrapped(self.title.split(" "), fits, " ") if self.title else []
        cuts = [(shorten(line, most) for most in range(len(line) * 2, 2, -1)) for line in lines]
        return [next(filter(fits, shorter), "…") for shorter in cuts]


#: Of the whole picture, so that it fills a page, and least and greatest width of the axes, in inches.
_PAGE, _NARROW, _WIDE = 7.0, 2.4, 3.6

#: Said where an interval is cut.
_ARROWS = "arrows: the interval goes on beyond the axis"

#: Around everything, in inches.
_MARGIN = 0.1


def forest(
    analysis: MetaAnalysis,
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
    rows = Rows.of(analysis, sort=sort, prediction=prediction)
    decimals = _decimals(analysis, rows, digits)
    before, after = (
        columns_of(analysis, rows.rows, usual if given is None else given, decimals)
        for given, usual in zip((left, right), default_columns(analysis), strict=True)
    )
    null, log = analysis.measure.null, analysis.measure.pooled_as == "log"
    axis = Axis(*limits(rows.rows, null, log=log), null, log)
    said = [", ".join(parts) for parts in analysis.details] + [_ARROWS] * any(map(axis.cuts, rows.rows))
    if _long(analysis):
        said.append(
            f"control: {shorten(analysis.control, _LONGEST)}, treatment: {shorten(analysis.treatment, _LONGEST)}"
        )
    margins = Margins.of(title or "", (label or analysis.measure.name) + decimals.unit, favours(analysis), said)
    row = row_height(math.ceil(rows.height)) if ax is None else size_of(ax)[1] / rows.height
    table = ForestTable(rows, before, after, font_size(row))
    if ax is None:
        ax = _page(table, margins, axis, row)
    axis.put(ax, rows.height, decimals)
    draw_marks(ax, analysis, rows, unit=min(1.0, table.size / (36 * row)))
    table.draw(ax)
    margins.draw(ax, null=axis.share(axis.null) * size_of(ax)[0], above=row, reach=table.reach)
    return ax


def _decimals(analysis: MetaAnalysis, rows: Rows, digits: Any) -> Decimals:
    """As given, or as the intervals need."""
    if digits is not None:
        if not isinstance(digits, int) or isinstance(digits, bool) or digits < 0:
            raise InputError(f"digits is {digits!r}; it must be a whole number of decimals, at least 0")
        return Decimals(digits)
    shown = [row for row in rows.rows if row.members]
    if analysis.measure.pooled_as == "log":
        ratios = [(row.high - row.low) / row.effect for row in shown if row.effect > 0]
        return replace(Decimals.of(ratios, [analysis.measure.null]), ratio=True)
    values = [value for row in shown for value in (row.effect, row.low, row.high)]
    return Decimals.of([row.high - row.low for row in shown], values)


def _page(table: ForestTable, margins: Margins, axis: Axis, row: float) -> "Axes":
    """Axes in a figure with room for columns on both sides, and for words above and below."""
    left, right = table.reach
    width = min(_WIDE, max(_NARROW, _PAGE - left - right))
    out = margins.reach(width, axis.share(axis.null) * width)
    left, right = max(left, out[0]), max(right, out[1])
    above, below = margins.heights(left + width + right)
    return new_axes(
        width,
        row * table.rows.height,
        left=left + _MARGIN,
        right=right + _MARGIN,
        top=row + above + _MARGIN,
        bottom=below + _MARGIN,
    )
