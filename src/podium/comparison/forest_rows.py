"""What a forest plot shows of any comparison: rows of effects, what they amount to, and the columns beside them."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, isnan, nan
from statistics import median
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from podium.base.errors import InputError, LabelError, MethodError
from podium.base.words import DASH, chance, p_value, percent, significant
from podium.comparison.effects import EFFECTS, EffectMeasure
from podium.comparison.suite import SuiteEffect
from podium.comparison.summary import WEIGHT_BELOW, Beside, Summary, TaskEffect
from podium.report.size import page
from podium.report.view import exact_places, signed

if TYPE_CHECKING:
    from podium.comparison.result import Comparisons, MetaAnalysis
    from podium.comparison.task_tests import PairedTests, TaskComparison

#: Above a group and above the overall summary, in rows.
_ABOVE = 0.4

#: What a row is of; a heading has a label only, and a prediction has ends only. A system is drawn as a task.
Kind = Literal["heading", "task", "subgroup", "suite", "summary", "prediction"]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table, and what is drawn in it. Numbers that do not exist are NaN.

    Attributes
    ----------
    kind, label
        What it is of, and what stands at the far left.
    members
        Indices of the tasks that it depends on, or of its system.
    effect, low, high, p, holm
        Its effect with the interval, the p-value, and that adjusted for several systems.
    n, weight
        Number of instances, or of tasks; and the share in the summary.
    y
        Its middle, in rows from the top.
    indented
        Whether it stands under a heading.
    """

    kind: Kind
    label: str
    members: tuple[int, ...] = ()
    effect: float = nan
    low: float = nan
    high: float = nan
    p: float = nan
    holm: float = nan
    n: int | None = None
    weight: float = nan
    y: float = nan
    indented: bool = False

    @property
    def bold(self) -> bool:
        """Return whether its letters are bold."""
        return self.kind in {"heading", "suite", "summary"}

    def of(self, numbers: TaskEffect | SuiteEffect | Summary) -> "Row":
        """Give it an effect with its interval."""
        return replace(self, effect=numbers.effect, low=numbers.low, high=numbers.high, p=numbers.p)


#: By what tasks, or systems, can be sorted: a key for each, missing values last. Numbers go from large to small.
ORDERS: dict[str, Callable[[Row], tuple[bool, float | str]]] = {
    "effect": lambda row: (isnan(row.effect), -row.effect),
    "weight": lambda row: (isnan(row.weight), -row.weight),
    "n": lambda row: (row.n is None, -(row.n or 0)),
    "name": lambda row: (False, row.label),
}

#: What writes a number.
Writer = Callable[[float], str]

#: A built-in column by name, or a heading with a text for every task: by label, or in the order of the comparison.
Given = str | tuple[str, Mapping[str, Any] | Sequence[Any]]

#: A heading, and what stands in a row, which may be nothing.
Heading = tuple[str, Callable[[Row], str]]

#: Columns that a name asks for, beside those of other measures; no comparison has all of them.
COLUMNS = ("n", "control", "treatment", "means", "weight", "effect", "ci", "p", "holm")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """Content of a forest plot of a comparison.

    Attributes
    ----------
    rows, rule, height
        What stands in lines, where a rule parts tasks from their summary, and the height of all, in rows.
    kind, what, confidence
        Short name of the effect, what the axis is called, and the confidence of intervals.
    labels
        What columns that are given have texts for: of tasks, or of systems.
    columns
        Names of built-in columns that there are.
    left, right
        Columns that are shown unless others are asked for.
    sentences
        Below the picture.
    names
        Whom either side favours; empty texts if that is not known.
    means, beside
        Means of both systems on every task, and other measures of them.
    head
        What rows are.
    intervals
        Whether tasks have intervals of their own.
    """

    rows: tuple[Row, ...]
    rule: float
    height: float
    kind: str
    what: str
    confidence: float
    labels: tuple[str, ...]
    columns: tuple[str, ...]
    left: tuple[str, ...]
    right: tuple[str, ...]
    sentences: tuple[str, ...]
    names: tuple[str, str]
    means: Beside
    beside: tuple[Beside, ...] = ()
    head: str = "Task"
    intervals: bool = True

    @property
    def measure(self) -> EffectMeasure:
        """Return what effects are."""
        return EFFECTS[self.kind]


def content_of(
    comparison: "MetaAnalysis | Comparisons | TaskComparison", sort: str | None, *, prediction: bool
) -> Forest:
    """Return rows in order, with all that stands around them.

    Raises
    ------
    LabelError
        There is no such order.
    MethodError
        Tasks have no common scale, so their differences have no common axis.
    """
    if sort is not None and sort not in ORDERS:
        raise LabelError.unknown("order of tasks", str(sort), ORDERS)
    return _CONTENTS[comparison.schema](comparison, sort, prediction)


def _ordered(rows: Iterable[Row], sort: str | None) -> list[Row]:
    return list(rows) if sort is None else sorted(rows, key=ORDERS[sort])


def _placed(rows: Sequence[Row]) -> dict[str, Any]:
    """Give rows their places; return them, where the rule above the summary is, and the height of all."""
    y, rule, placed = 0.0, 0.0, list[Row]()
    for row in rows:
        whole = row.kind in {"suite", "summary"} and placed[-1].kind != "suite"
        if whole or (row.kind == "heading" and placed):
            rule = y + _ABOVE / 2 if whole else rule
            y += _ABOVE
        placed.append(replace(row, y=y + 0.5))
        y += 1
    return {"rows": tuple(placed), "rule": rule, "height": y + _ABOVE / 2}


def _together(kind: Kind, label: str, rows: Sequence[Row], numbers: SuiteEffect | Summary) -> Row:
    """Return what several tasks amount to."""
    counts = [row.n for row in rows]
    n = None if None in counts else sum(filter(None, counts))
    members, weight = tuple(row.members[0] for row in rows), sum(row.weight for row in rows)
    return Row(kind, label, members, n=n, weight=weight).of(numbers)


def _of_analysis(analysis: "MetaAnalysis", sort: str | None, prediction: bool) -> Forest:
    """Put tasks in order, those of a group under its heading and above its summary, and all summaries below."""
    groups = {group.name: group for group in analysis.subgroups}
    every = [
        Row("task", task.task, (index,), n=task.n, weight=task.weight).of(task)
        for index, task in enumerate(analysis.tasks)
    ]
    tasks = _ordered(every, sort)
    rows: list[Row] = []
    for group in (*analysis.subgroups, None):
        members = [row for row in tasks if groups.get(analysis.tasks[row.members[0]].group or "") is group]
        if members and groups:
            rows.append(Row("heading", "no group" if group is None else group.name))
        rows += [replace(row, indented=bool(groups)) for row in members]
        if members and group is not None:
            spread = "" if isnan(group.summary.i2) else f", I² = {percent(round(group.summary.i2, 2))}"
            rows.append(replace(_together("subgroup", f"Together{spread}", members, group.summary), indented=True))
    summary, suite = analysis.summary, None if EFFECTS[analysis.kind].ratio else analysis.suite
    if suite is not None:
        rows.append(_together("suite", "This task" if suite.tasks == 1 else "These tasks", every, suite))
    if suite is None or summary.k > 1:
        rows.append(_together("summary", "Summary" if suite is None else "Tasks like these", every, summary))
    if prediction and not (isnan(summary.prediction_low) or isnan(summary.prediction_high)):
        label = f"{100 * analysis.confidence:g}% prediction" + (" interval" if page() == math.inf else "")
        rows.append(Row("prediction", label, low=summary.prediction_low, high=summary.prediction_high))
    counted = ("n",) if any(task.n is not None for task in analysis.tasks) else ()
    means = ((task.control_mean for task in analysis.tasks), (task.treatment_mean for task in analysis.tasks))
    return Forest(
        **_placed(rows),
        kind=analysis.kind,
        what=analysis.what,
        confidence=analysis.confidence,
        labels=tuple(task.task for task in analysis.tasks),
        columns=COLUMNS[:-1],
        left=(*counted, *(other.name for other in analysis.beside)),
        right=("weight", "effect", "ci"),
        sentences=(*(", ".join(parts) for parts in analysis.details), *_below_zero(analysis)),
        names=(analysis.control, analysis.treatment),
        means=Beside("", *map(tuple, means)),
        beside=analysis.beside,
    )


def _below_zero(analysis: "MetaAnalysis") -> list[str]:
    """Say why weights are below 0; nothing if none is."""
    below = any(task.weight < WEIGHT_BELOW for task in analysis.tasks)
    return ["weights below 0: a more precise task with the same instances moves alike"] if below else []


#: Whom effects of several systems favour, beside the control.
_OTHERS = "the other"


def _of_systems(comparisons: "Comparisons", sort: str | None, _: bool) -> Forest:
    """Put systems in order: by the difference on these tasks, and by that on other tasks like these."""
    first, suites = comparisons.analyses[0], comparisons.suites
    summaries = [one.summary for one in comparisons.analyses]
    sections: list[tuple[str, Sequence[SuiteEffect | Summary], list[float], list[int]]] = []
    if suites and not EFFECTS[first.kind].ratio:
        sections.append(("These tasks", suites, comparisons.suite_holm.tolist(), [one.tasks for one in suites]))
    if not sections or any(one.k > 1 for one in summaries):
        sizes = [one.k for one in summaries]
        sections.append(("Tasks like these", summaries, comparisons.holm.tolist(), sizes))
    labels, rows = tuple(one.treatment for one in comparisons.analyses), list[Row]()
    for name, effects, holm, sizes in sections:
        rows += [Row("heading", name)] if len(sections) > 1 else []
        numbers = enumerate(zip(labels, effects, holm, sizes, strict=True))
        made = (Row("task", name, (at,), holm=p, n=k).of(effect) for at, (name, effect, p, k) in numbers)
        rows += [replace(row, indented=len(sections) > 1) for row in _ordered(made, sort)]
    said = f"each interval by itself: {percent(first.confidence)}", f"Holm p: adjusted for {len(labels)} comparisons"
    how: dict[str, Any] = {"kind": first.kind, "confidence": first.confidence, "said": said, "what": first.what}
    return _of_several(rows, labels, comparisons.control, **how)


def _of_tests(comparison: "TaskComparison", sort: str | None, _: bool) -> Forest:
    """Put tasks in order above their mean; or, of several treatments, these with the means of each."""
    if isnan(comparison.rope):
        raise MethodError(
            "tasks may differ in scale, so their differences have no common axis; if they do not, give a rope (--rope)"
        )
    if len(comparison) == 1:
        return _of_one_test(comparison, comparison.treatments[0], sort)
    tests = comparison.treatments
    rows = [
        Row("task", one.treatment, (index,), one.mean, one.low, one.high, one.wilcoxon_p, p, len(one))
        for index, (one, p) in enumerate(zip(tests, comparison.holm.tolist(), strict=True))
    ]
    sure, labels = comparison.confidence, tuple(one.treatment for one in tests)
    means = f"means over tasks; each interval by itself: {percent(sure)} (Student)"
    how: dict[str, Any] = {"kind": "md", "confidence": sure, "what": EFFECTS["md"].name}
    how["said"] = (means, "Holm p: of Wilcoxon's test, adjusted")
    return _of_several(_ordered(rows, sort), labels, comparison.control, **how)


def _of_several(
    rows: Sequence[Row],
    labels: tuple[str, ...],
    control: str,
    *,
    kind: str,
    confidence: float,
    said: tuple[str, ...],
    what: str,
) -> Forest:
    """Show several systems, each against the control."""
    return Forest(
        **_placed(rows),
        kind=kind,
        what=what,
        confidence=confidence,
        labels=labels,
        columns=("n", "effect", "ci", "p", "holm"),
        left=(),
        right=("effect", "ci", "holm"),
        sentences=said,
        names=(control, _OTHERS),
        means=Beside("", (), ()),
        head="System",
    )


def _of_one_test(comparison: "TaskComparison", tests: "PairedTests", sort: str | None) -> Forest:
    rows = _ordered((Row("task", one.task, (index,), one.difference) for index, one in enumerate(tests.tasks)), sort)
    name = "Mean" if tests.families == len(tests) else f"Mean of {tests.families} families"
    mean = Row("summary", name, tuple(range(len(tests))), tests.mean, tests.low, tests.high, tests.t_p)
    test = f"Wilcoxon {chance(tests.wilcoxon_p)}"
    return Forest(
        **_placed([*rows, mean]),
        kind="md",
        what=EFFECTS["md"].name,
        confidence=comparison.confidence,
        labels=tuple(one.task for one in tests.tasks),
        columns=("control", "treatment", "effect", "ci", "p"),
        left=("control", "treatment"),
        right=("effect",),
        sentences=(tests.counts(), test, tests.average(comparison.confidence)),
        names=(comparison.control, tests.treatment),
        means=Beside("", tuple(one.control for one in tests.tasks), tuple(one.treatment for one in tests.tasks)),
        intervals=False,
    )


_CONTENTS: dict[str, Callable[[Any, str | None, bool], Forest]] = {
    "meta-analysis": _of_analysis,
    "comparisons": _of_systems,
    "task-comparison": _of_tests,
}

#: Longest labels of systems that head columns, in letters.
_HEADS = 14


def _columns(content: Forest, decimals: Writer) -> dict[str, Heading]:
    """Return heading and cells of every column that a name asks for."""
    heads = content.names if all(0 < len(name) <= _HEADS for name in content.names) else ("Control", "Treatment")

    def of_tasks(other: Beside, form: str) -> Callable[[Row], str]:
        places = _places(other)

        def cell(row: Row) -> str:
            both = (other.control[row.members[0]], other.treatment[row.members[0]]) if row.kind == "task" else ()
            return form.format(*map(places, both)) if both else ""

        return cell

    def pooled(cell: Callable[[Row], str]) -> Callable[[Row], str]:
        """Leave rows out that depend on no task."""
        return lambda row: cell(row) if row.members else ""

    def weight(row: Row) -> str:
        shown = DASH if isnan(row.weight) else signed(f"{100 * row.weight:z.1f}%")
        return "" if row.kind == "suite" else shown

    def interval(row: Row) -> str:
        shown = DASH if isnan(row.low) and isnan(row.high) else f"[{decimals(row.low)}, {decimals(row.high)}]"
        return "" if row.kind == "heading" or lacks_interval(row) else shown

    def lacks_interval(row: Row) -> bool:
        return row.kind == "task" and not content.intervals

    columns = {
        "n": ("n" if content.head == "Task" else "Tasks", pooled(lambda row: DASH if row.n is None else f"{row.n:,}")),
        "control": (heads[0], of_tasks(content.means, "{0}")),
        "treatment": (heads[1], of_tasks(content.means, "{1}")),
        "means": (" → ".join(heads), of_tasks(content.means, "{} → {}")),
        "weight": ("Weight", pooled(weight)),
        "effect": (content.measure.short, pooled(lambda row: decimals(row.effect))),
        "ci": (f"{100 * content.confidence:g}% CI", interval),
        "p": ("p", pooled(lambda row: "" if lacks_interval(row) else p_value(row.p))),
        "holm": ("Holm p", pooled(lambda row: p_value(row.holm))),
    }
    others = {other.name: (other.name, of_tasks(other, "{} → {}")) for other in content.beside}
    return {**others, **{name: column for name, column in columns.items() if name in content.columns}}


def _places(other: Beside) -> Writer:
    """Show one significant digit of the middle difference between two systems; fewer decimals if these show all."""
    spans = [abs(after - before) for before, after in zip(other.control, other.treatment, strict=True)]
    seen, values = [10 * span for span in spans if span > 0], [*other.control, *other.treatment]
    whole = exact_places(values, _FEWEST)
    return writer([median(seen)] if seen else [1.0], values, digits=whole if whole < _FEWEST else None)


_NUMBER = re.compile(r"[-−+<]?[\d.,]+ ?%?")


class ForestColumn(NamedTuple):
    """A heading, and a text in every row; words are set to the left, numbers to the right."""

    heading: str
    cells: tuple[str, ...]
    words: bool = False


def chosen(content: Forest, wanted: str | Sequence[Given], decimals: Writer) -> list[ForestColumn]:
    """Make the columns that are asked for, by name or with a text for every task.

    Raises
    ------
    LabelError
        There is no such column or task.
    InputError
        A column has more or fewer texts than there are tasks.
    """
    known, made = _columns(content, decimals), list[ForestColumn]()
    for given in [wanted] if isinstance(wanted, str) else wanted:
        if isinstance(given, str):
            if given not in known:
                raise LabelError.unknown("column", given, known)
            heading, cell = known[given]
            made.append(ForestColumn(heading, tuple(cell(row) for row in content.rows)))
            continue
        heading, texts = given
        if isinstance(texts, Mapping):
            for label in texts:
                if label not in content.labels:
                    raise LabelError.unknown("task", label, content.labels)
            texts = [texts.get(label, "") for label in content.labels]
        if len(texts) != len(content.labels):
            raise InputError(
                f"column {heading!r} has {len(texts)} texts for {len(content.labels)} tasks; give one for each"
            )
        cells = list(map(str, texts))
        words = not all(_NUMBER.fullmatch(cell) for cell in cells if cell)
        of_rows = tuple(cells[row.members[0]] if row.kind == "task" else "" for row in content.rows)
        made.append(ForestColumn(heading, of_rows, words))
    return made


#: Fewest and most decimals that are chosen; from this size on a number is written with a power of ten.
_FEWEST, _MOST, _HUGE = 2, 4, 1e9


def decimals_of(content: Forest, digits: Any) -> Writer:
    """Return what writes effects: with the decimals given, or with those that the intervals need.

    Raises
    ------
    InputError
        `digits` is no number of decimals.
    """
    if digits is not None and (not isinstance(digits, int) or isinstance(digits, bool) or digits < 0):
        raise InputError(f"digits is {digits!r}; it must be a whole number of decimals, at least 0")
    shown = [row for row in content.rows if row.members]
    if content.measure.ratio:
        spans = [(row.high - row.low) / row.effect for row in shown if row.effect > 0]
        return writer(spans, [content.measure.null], ratios=True, digits=digits)
    values = [value for row in shown for value in (row.effect, row.low, row.high)]
    return writer([row.high - row.low for row in shown], values, digits=digits)


def writer(
    spans: Iterable[float], values: Iterable[float], *, ratios: bool = False, digits: int | None = None
) -> Writer:
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
