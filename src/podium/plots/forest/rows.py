"""What stands in each row of a forest plot: tasks, headings of groups, summaries."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Literal

from podium.errors import LabelError
from podium.meta_analyses import MetaAnalysis
from podium.summaries import Subgroup, Summary, TaskEffect
from podium.wording import percent

__all__ = ["ORDERS", "Row", "Rows"]

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
