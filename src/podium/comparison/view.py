"""A meta-analysis: the effect on each task with what it depends on, and all of them together."""

import math
from collections.abc import Iterable, Sequence
from functools import partial

from podium.base.words import DASH, decimals, fixed, p_value, percent
from podium.comparison.figure.forest import forest
from podium.comparison.result import Comparisons, MetaAnalysis
from podium.comparison.sentence import written, written_end
from podium.comparison.summary import Summary, TaskEffect
from podium.report.table import Bars, Column, Table
from podium.report.view import Figure, View

_EFFECTS = (
    "effect: positive if the treatment is better, also where lower scores are better",
    "weight: share of the task in the summary",
    "without: the summary without this task",
    "better, worse: instances on which the treatment is better, or worse, than the control",
)

_COMPARISONS = (
    "effect: positive if the treatment is better than the control, pooled over the tasks",
    "Holm p, BH p: p-values corrected for several comparisons; BH controls the false discovery rate",
    "I²: share of the variance that comes from differences between tasks",
)


def view_meta_analysis(analysis: MetaAnalysis) -> View:
    """Lay out a meta-analysis: its tasks, subgroups and summary in one grid.

    >>> import podium
    >>> view_meta_analysis(podium.pool([0.1, 0.3], [0.01, 0.02])).title
    'effect: 2 tasks'
    """
    # warnings first, as a terminal shows only a few notes
    notes = (*analysis.notes, *(", ".join(parts) for parts in analysis.details))
    figure = Figure("forest", "The effect on every task, and pooled", partial(forest, analysis))
    return View(analysis.title, (_effects(analysis),), notes, (analysis.conclusion,), (figure,), _EFFECTS)


def view_comparisons(comparisons: Comparisons) -> View:
    """Lay out several comparisons with one control: a row for each treatment.

    >>> import podium
    >>> scores = podium.simulate.gumbel(3, 6, 100, dispersion=1.0, rng=0).scores
    >>> view_comparisons(podium.compare_all(scores, control="system 1")).title
    '2 systems against system 1, mean difference'
    """
    summaries = [one.summary for one in comparisons.analyses]
    kind = comparisons.analyses[0].kind
    places, confidence = _places(summaries), comparisons.analyses[0].confidence
    columns = (
        Column.labels("treatment", [one.treatment for one in comparisons.analyses]),
        Column.numbers("tasks", [str(one.k) for one in summaries]),
        Column.numbers("effect", [written(one.effect, kind, places) for one in summaries], 1),
        Column.numbers(f"{percent(confidence)} CI", [_ends(one, kind, places) for one in summaries], 1),
        Column.numbers("p", [p_value(one.p) for one in summaries]),
        Column.numbers("Holm p", [p_value(p) for p in comparisons.holm.tolist()], 1),
        Column.numbers("BH p", [p_value(p) for p in comparisons.benjamini_hochberg.tolist()]),
        Column.numbers("I²", [percent(round(one.i2, 2)) for one in summaries]),
    )
    table = Table(columns, bars=_bars(summaries, confidence))
    return View(comparisons.title, (table,), comparisons.notes, explain=_COMPARISONS)


def _effects(analysis: MetaAnalysis) -> Table:
    """Tasks, then subgroups, then all together; columns that would be empty are left out."""
    tasks, kind, places = analysis.tasks, analysis.kind, _places(analysis.tasks)
    named = [*((group.name, group.summary) for group in analysis.subgroups), ("summary", analysis.summary)]
    every: list[TaskEffect | Summary] = [*tasks, *(summary for _, summary in named)]
    digits = decimals(max((abs(task.control_mean) for task in tasks), default=1.0)) + 2

    def of_tasks(name: str, cells: Iterable[str]) -> Column:
        return Column.numbers(name, [*cells, *[""] * len(named)], named=name in {analysis.control, analysis.treatment})

    only_one_right = [
        of_tasks("better", (_count(task.better) for task in tasks)),
        of_tasks("worse", (_count(task.worse) for task in tasks)),
        of_tasks("McNemar p", (p_value(task.mcnemar) for task in tasks)),
    ]
    columns = [
        Column.labels("task", [*(task.task for task in tasks), *(name for name, _ in named)]),
        of_tasks("n", (_count(task.n) for task in tasks)),
        of_tasks(analysis.control or "control", (fixed(task.control_mean, digits) for task in tasks)),
        of_tasks(analysis.treatment or "treatment", (fixed(task.treatment_mean, digits) for task in tasks)),
        *(of_tasks(other.name, map(_change, other.control, other.treatment)) for other in analysis.beside),
        Column.numbers("effect", [written(one.effect, kind, places) for one in every], 2),
        Column.numbers(f"{percent(analysis.confidence)} CI", [_ends(one, kind, places) for one in every], 2),
        Column.numbers("p", [p_value(one.p) for one in every], 1),
        of_tasks("weight", (f"{100 * task.weight:.1f}%" for task in tasks)),
        *(only_one_right if kind != "corr" else ()),
        of_tasks("without", [written(rest.effect, kind, places) for rest in analysis.without] or [""] * len(tasks)),
    ]
    nothing = {"", DASH, "nan"}
    there = tuple(one for one in columns if not set(one.cells) <= nothing)
    return Table(there, foot=len(named), bars=_bars(every, analysis.confidence))


def _bars(effects: Sequence[TaskEffect | Summary], confidence: float) -> Bars:
    """Intervals of effects, for a terminal to draw."""
    ends = tuple((one.low, one.effect, one.high) for one in effects)
    return Bars(f"effect with {percent(confidence)} CI", ends, origin=0.0)


def _count(number: int | None) -> str:
    return DASH if number is None else f"{number:,}"


def _change(control: float, treatment: float) -> str:
    return f"{fixed(control, 3)} → {fixed(treatment, 3)}"


def _places(effects: Sequence[TaskEffect | Summary]) -> int:
    """Decimals that show two digits of the shortest interval."""
    widths = [width for one in effects if math.isfinite(width := one.high - one.low) and width > 0]
    return max(decimals(min(widths, default=math.nan)), 2)


def _ends(one: TaskEffect | Summary, kind: str, places: int) -> str:
    return f"[{written_end(one.low, kind, places)}, {written_end(one.high, kind, places)}]"
