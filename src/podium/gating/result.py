"""What a gate says: a verdict, the checks behind it, and the instances that broke or were mended."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from typing import Any, ClassVar, Literal

from podium.base.arrays import plain
from podium.base.words import DASH, decimals, fixed, how_many, numeral, percent, two_digits
from podium.comparison.suite import POWER, SuiteEffect
from podium.comparison.summary import on_suite
from podium.report.result import Result
from podium.report.view import Column, Table, View

#: How a check ends, and what a gate says.
Outcome = Literal["pass", "fail", "cannot tell"]

#: Exit codes of the command; "cannot tell" may count as one of the others.
EXIT_CODES: dict[str, int] = {"pass": 0, "fail": 1, "cannot tell": 3}


#: Instances, and tasks, that are shown; JSON holds all.
_ITEMS, _TASKS = 10, 20

_READING = (
    "pass: the interval of the difference lies above −margin; fail: it lies below 0 and reaches −margin",
    "cannot tell: neither, so more instances are needed",
    "difference: positive if the new run is better, also where lower scores are better",
    "tasks stand by their differences, the worst first; each interval is by itself, and a task fails by Holm's rule",
    "an error of 2.5% to either side is that of one gate; of many gates some err, see --per-week",
)


@dataclass(frozen=True, slots=True)
class Check:
    """A condition of a gate, and whether it holds.

    Attributes
    ----------
    name
        What is looked at: the suite, other tasks like these, a task, or a covariate.
    outcome
        "pass", "fail" or "cannot tell".
    said
        Why, in words.
    effect, low, high
        The difference with its interval, positive if the new run is better; NaN of a hard limit.
    limit
        What it is held against.
    """

    name: str
    outcome: Outcome
    said: str
    effect: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    limit: float = float("nan")


@dataclass(frozen=True, slots=True)
class GateTask:
    """The difference on one task.

    Attributes
    ----------
    task
        Label.
    before, after
        Means of both runs on the instances that both have, as given.
    effect, low, high
        Their difference with its interval, positive if the new run is better; NaN where too few instances tell.
    margin
        How much worse the task may be; NaN if single tasks are not checked.
    """

    task: str
    before: float
    after: float
    effect: float
    low: float
    high: float
    margin: float = float("nan")


@dataclass(frozen=True, slots=True)
class Item:
    """An instance on which the two runs score differently."""

    task: str
    instance: str
    before: float
    after: float


@dataclass(frozen=True, slots=True, repr=False)
class Gate(Result):
    """A new run against a baseline.

    Attributes
    ----------
    before, after
        Names of the baseline and of the new run.
    verdict
        "pass", "fail" or "cannot tell"; `exit_code` is what the command ends with.
    checks
        The conditions; the first is that of the whole.
    suite
        The difference on these tasks; None of one score a task.
    margin
        How much worse still passes, in the units of the scores.
    confidence
        Of every interval, adjusted for the number of gates a week.
    per_week
        That number, or None.
    tasks
        The difference on each task, the worst first.
    broken, mended
        Instances that score less, or more, than before, most first.
    items_needed
        How many more instances would settle it, if the difference seen is the true one; 0 if it is settled, or unknown.
    unsure
        What "cannot tell" counts as: "pass", "fail", or None.
    notes
        What to know before trusting it, in words; what changed between the runs comes first.

    Examples
    --------
    >>> import podium
    >>> old = podium.from_arrays({"t": [[1.0] * 80 + [0.0] * 20]}, systems=["m"])
    >>> podium.gate(old, {"m": {"t": 0.8}}, margin=0.1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    podium.errors.InputError: task 't': after has one score, and before has scores of instances; log ...
    """

    schema: ClassVar[str] = "gate"
    _beyond_rows: ClassVar[str] = "these rows are the checks; -f json also has the instances that broke or were mended"
    _row_key: ClassVar[str] = "checks"

    before: str
    after: str
    verdict: Outcome
    checks: tuple[Check, ...]
    suite: SuiteEffect | None
    margin: float
    confidence: float
    per_week: int | None = None
    tasks: tuple[GateTask, ...] = ()
    broken: tuple[Item, ...] = ()
    mended: tuple[Item, ...] = ()
    items_needed: int = 0
    unsure: str | None = None
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def __len__(self) -> int:
        return len(self.checks)

    @property
    def title(self) -> str:
        """Return the verdict, and of whom."""
        return f"{self.verdict.upper()}: {self.after} against {self.before}"

    @property
    def exit_code(self) -> int:
        """0 if it passes, 1 if it fails, 3 if the scores cannot tell; `unsure` may turn 3 into one of the others."""
        return EXIT_CODES[self.unsure if self.verdict == "cannot tell" and self.unsure else self.verdict]

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per check; None where a number does not exist."""
        return [plain(asdict(check)) for check in self.checks]

    def view(self) -> View:
        """Return what it looks like: the verdict first, the checks, and the instances that broke and were mended."""
        said = [f"{check.name}: {check.said}" for check in self.checks if check.outcome != "pass"]
        said = said or [self.checks[0].said]
        if self.suite is not None:
            said.append(on_suite(self.suite, confidence=self.confidence))
        if self.items_needed:
            said.append(self._enough())
        if self.per_week:
            said.append(f"adjusted for {how_many(self.per_week, 'gate')} a week")
        binary = {score for item in (*self.broken, *self.mended) for score in (item.before, item.after)} <= {0, 1}
        words = ("broke", "mended") if binary else ("fell", "rose")
        changed = dict(zip(words, (self.broken, self.mended), strict=True))
        tasks = (_tasks(self),) if len(self.tasks) > 1 else ()
        tables = (_checks(self), *tasks, *(_items(what, items) for what, items in changed.items() if items))
        return View(self.title, tables, self.notes, tuple(said), explain=_READING)

    def _enough(self) -> str:
        """Say how many instances would settle it, in the unit of `podium.plan`."""
        n, tasks = (self.suite.n, self.suite.tasks) if self.suite is not None else (0, 1)
        needed, now = two_digits(math.ceil((n + self.items_needed) / tasks)), f"{n / tasks:,.0f}"
        each = "instances a task" if tasks > 1 else "instances"
        chance = f"would settle it with a chance of {percent(POWER)}"
        return f"about {needed} {each} instead of {now} {chance}, if the difference seen is the true one"

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        names = ("verdict", "exit_code", "before", "after", "margin", "confidence", "per_week", "unsure")
        return {
            **{name: getattr(self, name) for name in names},
            "checks": self.rows(),
            "suite": None if self.suite is None else self.suite.to_dict(),
            "items_needed": self.items_needed,
            "tasks": [plain(asdict(task)) for task in self.tasks],
            "broken": [plain(asdict(item)) for item in self.broken],
            "mended": [plain(asdict(item)) for item in self.mended],
        }


def _checks(gate: Gate) -> Table:
    number, interval = _written([(check.low, check.high) for check in gate.checks])
    return Table((
        Column.labels("check", [check.name for check in gate.checks]),
        Column.words("outcome", [check.outcome for check in gate.checks], 2),
        Column.numbers("difference", [number(one.effect) for one in gate.checks], 1),
        Column.numbers(f"{percent(gate.confidence)} CI", [interval(one.low, one.high) for one in gate.checks], 1),
        Column.words("why", [check.said for check in gate.checks]),
    ))  # fmt: skip


def _tasks(gate: Gate) -> Table:
    number, interval = _written([(task.low, task.high) for task in gate.tasks])
    margins = [DASH if isnan(task.margin) else f"{task.margin:g}" for task in gate.tasks]
    return Table((
        Column.labels("task", [task.task for task in gate.tasks]),
        Column.numbers("before", [number(task.before) for task in gate.tasks]),
        Column.numbers("after", [number(task.after) for task in gate.tasks]),
        Column.numbers("difference", [number(task.effect) for task in gate.tasks], 1),
        Column.numbers(f"{percent(gate.confidence)} CI", [interval(one.low, one.high) for one in gate.tasks], 1),
        *([Column.numbers("margin", margins)] if set(margins) != {DASH} else []),
    ), "The difference on each task").cut(_TASKS)  # fmt: skip


def _written(ends: Sequence[tuple[float, float]]) -> tuple[Callable[[float], str], Callable[[float, float], str]]:
    """Return what writes a number, and an interval, with the decimals that the shortest interval needs."""
    widths = [high - low for low, high in ends if high > low]
    places = decimals(min(widths)) if widths else 3

    def number(value: float) -> str:
        return DASH if isnan(value) else fixed(value, places)

    def interval(low: float, high: float) -> str:
        return DASH if isnan(low) else f"[{number(low)}, {number(high)}]"

    return number, interval


def _items(what: str, items: Sequence[Item]) -> Table:
    head = f"{what} ({len(items):,})"
    columns = (
        Column.labels(head, [": ".join(filter(None, (item.task, item.instance))) for item in items]),
        Column.numbers("before", [numeral(item.before) for item in items]),
        Column.numbers("after", [numeral(item.after) for item in items]),
    )
    return Table(columns, head, listing=True).cut(_ITEMS)
