"""The rows of a forest plot and their marks: squares with whiskers, diamonds, bars and arrows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, isnan, nan
from typing import TYPE_CHECKING, Literal

import numpy as np

from podium.base.errors import LabelError
from podium.base.words import percent
from podium.comparison.result import MetaAnalysis
from podium.comparison.summary import Subgroup, Summary, TaskEffect
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
        Indices of the tasks that it rests on.
    y
        Its middle, in rows from the top.
    indented
        Whether it stands under the heading of a group.
    """

    kind: Literal["heading", "task", "subgroup", "summary", "prediction"]
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
        return self.kind in {"heading", "summary"}


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows from the top, the height they take, and where a rule parts tasks from their summary."""

    rows: tuple[Row, ...]
    rule: float
    height: float

    @classmethod
    def of(cls, analysis: MetaAnalysis, *, sort: str | None, prediction: bool) -> "Rows":
        """Put tasks in order, each group under its heading and above its summary; the overall summary comes last.

        Raises
        ------
        LabelError
            There is no such order.
        """
        if sort is not None and sort not in ORDERS:
            raise LabelError.unknown("order of tasks", str(sort), ORDERS)
        y = 0.0
        placed: list[Row] = []
        for row in _body(analysis, sort):
            y += _GAP if row.kind == "heading" and placed else 0
            placed.append(replace(row, y=y + 0.5))
            y += 1
        rule = y + _GAP / 2
        y += _GAP
        for row in _end(analysis, prediction=prediction):
            placed.append(replace(row, y=y + 0.5))
            y += 1
        return cls(tuple(placed), rule, y + _GAP / 2)

    def of_kind(self, *kinds: str) -> list[Row]:
        """Rows of some kinds."""
        return [row for row in self.rows if row.kind in kinds]


def _body(analysis: MetaAnalysis, sort: str | None) -> Iterator[Row]:
    order = range(len(analysis))
    if sort is not None:
        key = ORDERS[sort]
        order = sorted(order, key=lambda index: key(analysis.tasks[index]))  # type: ignore[assignment]  # as good
    rows = [_task(index, analysis.tasks[index]) for index in order]
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
            yield _subtotal(group, sum((row.members for row in members), ()))


def _end(analysis: MetaAnalysis, *, prediction: bool) -> Iterator[Row]:
    summary = analysis.summary
    yield _summary(Row("summary", "Summary", tuple(range(len(analysis)))), summary)
    if prediction and not (isnan(summary.prediction_low) or isnan(summary.prediction_high)):
        label = f"{100 * analysis.confidence:g}% prediction interval"
        yield Row("prediction", label, low=summary.prediction_low, high=summary.prediction_high)


def _task(index: int, task: TaskEffect) -> Row:
    return Row("task", task.task, (index,), task.effect, task.low, task.high, task.p)


def _subtotal(group: Subgroup, members: tuple[int, ...]) -> Row:
    spread = "" if isnan(group.summary.i2) else f", I² = {percent(round(group.summary.i2, 2))}"
    return _summary(Row("subgroup", f"Together{spread}", members, indented=True), group.summary)


def _summary(row: Row, summary: Summary) -> Row:
    return replace(row, effect=summary.effect, low=summary.low, high=summary.high, p=summary.p)


_TASK = "#0072b2"

#: Side of the largest square, half the height of a diamond and of a cap, in rows; side of the smallest, in points.
_LARGEST, _DIAMOND, _CAP, _SMALLEST = 0.62, 0.33, 0.13, 2.4


def draw_guides(ax: "Axes", null: float, summary: float, bottom: float) -> None:
    """Draw a dotted line at no effect, down to the axis, and a faint one at the summary, down to a row."""
    (line,) = ax.plot([null, null], [0, ax.get_ylim()[0]], linestyle=(0, (1, 1.6)), color=INK, linewidth=0.9, zorder=1)
    line.set_gid("null")
    if _inside(ax, summary):
        ax.plot([summary, summary], [0, bottom], linestyle=(0, (5, 3)), color=FAINT, linewidth=0.5, zorder=0.9)


def draw_tasks(ax: "Axes", rows: Sequence[Row], weights: Sequence[float], unit: float) -> None:
    """Draw a square at every effect, its area in proportion to the weight, with whiskers over its interval.

    Parameters
    ----------
    rows, weights
        Of the tasks.
    unit
        What is drawn in a row is so much of it, 1 where rows are as high as letters need.
    """
    for row in rows:
        _whisker(ax, row, _CAP * unit)
    seen = [index for index, row in enumerate(rows) if _inside(ax, row.effect)]
    shares = np.nan_to_num(np.array(weights, dtype=np.float64))
    areas = shares / (shares.max() or 1.0) * (_LARGEST * _points(ax, unit)) ** 2
    marks = ax.scatter(
        [rows[index].effect for index in seen],
        [rows[index].y for index in seen],
        s=np.maximum(areas[seen], _SMALLEST**2),
        marker="s",
        color=_TASK,
        linewidths=0,
        zorder=2,
    )
    marks.set_gid("tasks")


def draw_diamonds(ax: "Axes", rows: Sequence[Row], unit: float, *, filled: bool) -> None:
    """Draw a diamond over every interval of a summary; a vertical stroke where the interval has no length."""
    from matplotlib.patches import Polygon  # noqa: PLC0415  # an extra

    for row in rows:
        if isnan(row.effect):
            continue
        # beyond the axis it is cut off, not squeezed
        low, high = (
            row.effect if isnan(end) else end if isfinite(end) else edge
            for end, edge in zip((row.low, row.high), _between(ax), strict=True)
        )
        half = _DIAMOND * unit
        corners = [(low, row.y), (row.effect, row.y + half), (high, row.y), (row.effect, row.y - half)]
        diamond = Polygon(
            corners,
            closed=True,
            facecolor=INK if filled else "white",
            edgecolor=INK,
            linewidth=0.8,
            joinstyle="miter",
            zorder=3,
        )
        diamond.set_gid(row.kind)
        ax.add_patch(diamond)
        _arrows(ax, row)


def draw_prediction(ax: "Axes", rows: Sequence[Row], unit: float) -> None:
    """Draw a bar over a prediction interval."""
    for row in rows:
        low, high = np.clip([row.low, row.high], *_between(ax))
        bar = ax.hlines(row.y, low, high, color=_TASK, alpha=0.45, linewidth=0.2 * _points(ax, unit), zorder=2)
        bar.set_gid("prediction")
        _arrows(ax, row)


def _whisker(ax: "Axes", row: Row, cap: float) -> None:
    """Draw a line over an interval, as far as it is seen, and a cap at each end that is."""
    low, high = (row.effect if isnan(end) else end for end in (row.low, row.high))
    if isnan(low) or isnan(high):
        return
    left, right = np.clip([low, high], *_between(ax))
    if left < right:
        ax.hlines(row.y, left, right, color=INK, linewidth=0.9, zorder=2.5).set_gid("whisker")
    ends = [end for end in (row.low, row.high) if _inside(ax, end)]
    ax.vlines(ends, row.y - cap, row.y + cap, color=INK, linewidth=0.9, zorder=2.5).set_gid("caps")
    _arrows(ax, row)


def _arrows(ax: "Axes", row: Row) -> None:
    """Point out of the picture where an interval goes on, or an effect is out of it."""
    from matplotlib.markers import CARETLEFTBASE, CARETRIGHTBASE, MarkerStyle  # noqa: PLC0415  # an extra

    first, last = _between(ax)
    numbers = [number for number in (row.low, row.effect, row.high) if not isnan(number)]
    for edge, marker, goes_on in (
        (first, MarkerStyle(CARETLEFTBASE), min(numbers, default=inf) < first),
        (last, MarkerStyle(CARETRIGHTBASE), max(numbers, default=-inf) > last),
    ):
        if goes_on:
            arrow = ax.scatter([edge], [row.y], s=24, marker=marker, color=INK, linewidths=0, clip_on=False, zorder=4)
            arrow.set_gid("arrow")


def _points(ax: "Axes", unit: float) -> float:
    """Height of a row, in points."""
    return unit * 72 * size_of(ax)[1] / ax.get_ylim()[0]


def _between(ax: "Axes") -> tuple[float, float]:
    low, high = ax.get_xlim()
    return low, high


def _inside(ax: "Axes", value: float) -> bool:
    low, high = ax.get_xlim()
    return isfinite(value) and low <= value <= high
