"""The rows of a forest plot and their marks: squares with whiskers, diamonds, bars and arrows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, isnan, nan
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from podium.base.errors import LabelError
from podium.base.words import percent
from podium.comparison.result import MetaAnalysis
from podium.comparison.summary import Summary, TaskEffect
from podium.report.draw.canvas import FAINT, INK, size_of

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
