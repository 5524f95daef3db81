"""A meta-analysis: the effect on each task with what it depends on, and all of them together."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.base.words import (
    DASH,
    LONG,
    are,
    chance,
    decimals,
    fixed,
    how_many,
    listed,
    numeral,
    p_value,
    percent,
    rounded_percent,
    significant,
    with_names,
)
from podium.comparison.effects import EFFECTS
from podium.comparison.figure import baujat, bubble, critical_difference
from podium.comparison.forest import forest
from podium.comparison.suite import SuiteEffect
from podium.comparison.summary import (
    DIAGNOSED,
    MANY,
    Coefficient,
    Moderation,
    Summary,
    TaskEffect,
    cochran,
    written,
    written_end,
)
from podium.report.view import Bars, Column, Figure, Table, View, exact_places, places_of

if TYPE_CHECKING:
    from podium.comparison.result import Comparison, Comparisons, MetaAnalysis
    from podium.comparison.task_tests import PairedTests, TaskComparison

#: Decimals of means at most, unless these are small.
_MEANS = 4

#: Width of intervals that have too many zeros to be written in full.
_TINY = 1e-5

#: Whatever has an effect with an interval.
Effect = TaskEffect | Summary | SuiteEffect

#: By column.
_EFFECTS = {
    "effect": "effect: positive if the treatment is better, also where lower scores are better",
    "weight": "weight: share of the task in the summary",
    "without": "without: the summary without this task",
    "better": "better, worse: instances on which the treatment is better, or worse, than the control",
}

_INTERVALS = (
    "intervals of tasks are Student's, as they are pooled; the first sentence, and podium gate, test right and wrong"
)

_MODERATORS = (
    "intercept: the effect expected where numbers are 0 and groups are the first; others: how effects differ from it",
    "a moderator that goes with effects need not be their cause",
)

_INFLUENCES = (
    "residual: the effect less the summary without the task, in standard errors; hat: its share of the summary",
    "DFFITS: by how many standard deviations the task moves the summary; Cook: the square of that, in standard errors",
    "COVRATIO: below 1 if the summary is more precise without it; τ², Q: without it",
    "influential: by metafor's rules, which find some among 5 equal tasks in most analyses, among 10 in a quarter",
)

_COMPARISONS = (
    "difference: the mean over these tasks of the means of paired differences; tasks weigh as in a ranking",
    "effect: positive if the treatment is better than the control, pooled over the tasks",
    "Holm p, BH p: p-values corrected for several comparisons; BH controls the false discovery rate",
    "I²: share of the variance that comes from differences between tasks",
)

_TASK_TESTS = (
    "sign: exact, ties left out; Wilcoxon signed-rank: exact, differences of 0 left out",
    "paired t: for differences that are near normal; Bayesian signed-rank: chances that most of the mass is there",
    "Bayesian chances are too sure on few tasks: of equal pairs 15% have one above 95% on 6 tasks, 12% on 20",
    "difference: positive if the treatment is better, also where lower scores are better",
)

_TREATMENTS = (
    "better, worse: tasks on which the treatment is better, or worse, than the control",
    "p: Wilcoxon signed-rank, exact; Holm p, BH p: corrected for several comparisons",
    "P(better): chance by the Bayesian signed-rank test that most of the mass is above practical equivalence",
    "mean rank: over tasks that score all systems, 1 is best; Nemenyi's test depends on which systems are in the table",
    "podium rank has tiers of all systems by its own tests, which need neither Friedman's nor Nemenyi's",
)


def view_meta_analysis(analysis: "MetaAnalysis") -> View:
    """Lay out a meta-analysis: its tasks, subgroups and summary in one grid.

    >>> import podium
    >>> view_meta_analysis(podium.pool([0.1, 0.3], [0.01, 0.02])).title
    'effect: 2 tasks'
    """
    notes = analysis.notes
    figures = [
        Figure("forest", "The effect on every task, and pooled", partial(forest, analysis)),
        Figure("baujat", "Which tasks differ, and which move the summary", partial(baujat, analysis)),
    ]
    tables = [_effects(analysis)]
    there = {one.name for one in tables[0].columns if not one.named}
    explain = [said for name, said in _EFFECTS.items() if name in there]
    if analysis.suite is not None and analysis.suite.binary and len(analysis) > 1:
        explain.append(_INTERVALS)
    if analysis.moderation is not None:
        figures.append(Figure("bubble", "Effects by a property of tasks", partial(bubble, analysis)))
        tables.append(_coefficients(analysis.moderation, analysis.confidence))
        explain += _MODERATORS
    if analysis.diagnostics and analysis.diagnosed:
        tables.append(_influences(analysis))
        explain += _INFLUENCES
    elif analysis.diagnostics:
        way = "; take one of each set (--tasks)" if 2 <= len(analysis) <= MANY else f", not {len(analysis)}"
        notes = (f"no diagnostics: they need {DIAGNOSED}{way}", *notes)
    explain += [", ".join(parts) for parts in analysis.details]
    about = f"{analysis.treatment} against {analysis.control}" if analysis.treatment else ""
    verdict = tuple(filter(None, (analysis.on_suite, analysis.conclusion, analysis.moderated)))
    return View(analysis.title, tuple(tables), notes, verdict, tuple(figures), tuple(explain), about=about)


def view_comparisons(comparisons: "Comparisons") -> View:
    """Lay out several comparisons with one control: a row for each treatment.

    >>> import podium
    >>> scores = podium.simulate.gumbel(3, 6, 100, dispersion=1.0, rng=0).scores
    >>> view_comparisons(podium.compare_all(scores, control="system 1")).title
    '2 systems against system 1, mean difference'
    """
    first, suites = comparisons.analyses[0], comparisons.suites
    summaries, treatments = zip(*((one.summary, one.treatment) for one in comparisons.analyses), strict=True)
    places, confidence, explain = _places(summaries), first.confidence, [*_COMPARISONS]
    columns = [
        Column.labels("on other tasks like these" if suites else "treatment", treatments),
        Column.numbers("tasks", [str(len(one)) for one in comparisons.analyses]),
        Column.numbers("effect", [written(one.effect, first.kind, places) for one in summaries], 1),
        _intervals(summaries, confidence, first.kind, places, 1),
        _p("p", [one.p for one in summaries]),
        _p("Holm p", comparisons.holm.tolist(), 1),
        _p("BH p", comparisons.benjamini_hochberg.tolist()),
        Column.numbers("I²", [percent(round(one.i2, 2)) for one in summaries]),
    ]
    if first.moderation is not None:
        name, tests = "F" if first.moderation.student else "χ²", comparisons.tests
        columns += [
            Column.numbers(name, [cochran(test["qm"]) for test in tests], 1),
            _p(f"{name} p", [test["qm_p"] for test in tests]),
            _p(f"{name} Holm p", [test["qm_holm"] for test in tests], 1),
        ]
        of = listed(first.moderation.moderators)
        explain.append(f"{name}: test that effects differ with {of}; {name} Holm p: corrected for several treatments")
    tables = [Table(tuple(columns), bars=_bars(summaries, confidence))]
    if suites:
        places = _places(suites)
        on_suite = (
            Column.labels("on these tasks", treatments),
            Column.numbers("difference", [fixed(one.effect, places) for one in suites], 1),
            _intervals(suites, confidence, "md", places, 1),
            _p("p", [one.p for one in suites]),
            _p("Holm p", comparisons.suite_holm.tolist(), 1),
            Column.numbers("better", [f"{one.better:,}" for one in suites]),
            Column.numbers("worse", [f"{one.worse:,}" for one in suites]),
        )
        several = any(one.k > 1 for one in summaries)
        tables = [Table(on_suite, bars=_bars(suites, confidence)), *(tables if several else ())]
    figures = (Figure("forest", "The effect of every system", partial(forest, comparisons)),)
    said = _better_and_worse(comparisons)
    return View(comparisons.title, tuple(tables), comparisons.notes, said, figures, tuple(explain))


def _better_and_worse(comparisons: "Comparisons") -> tuple[str, ...]:
    """Say which treatments are better or worse than the control beyond chance; by correlation, which is most alike."""
    first, suites = comparisons.analyses[0], comparisons.suites
    known: Sequence[Effect] = suites or [one.summary for one in comparisons.analyses]
    where = "on these tasks" if suites else "over tasks like these"
    if not EFFECTS[first.kind].sided:
        alike = written(known[0].effect, first.kind, _places(known))
        return (f"{first.treatment} is most like {comparisons.control} {where}: {first.measure.name} {alike}",)
    p, null = (comparisons.suite_holm if suites else comparisons.holm), 0.0 if suites else first.measure.null
    better = {one.treatment: bool(it.effect > null) for one, it in zip(comparisons.analyses, known, strict=True)}
    return _beyond_chance(better, p, comparisons.control, where, first.confidence)


def _beyond_chance(
    better: Mapping[str, bool], p: NDArray[np.float64], control: str, where: str, confidence: float
) -> tuple[str, ...]:
    """Say which treatments are better or worse than the control beyond chance, by p-values that hold together."""
    sure = f"({percent(confidence)} confidence" + (f", {p.size:,} comparisons together)" if p.size > 1 else ")")
    beyond = [one for one, holm in zip(better, p.tolist(), strict=True) if holm < 1 - confidence]
    said = []
    for how, which in (("better", True), ("worse", False)):
        if names := [name for name in beyond if better[name] is which]:
            after = f" {are(len(names))} {how} than {control} {where} {sure}"
            said.append(with_names("", names, after, room=LONG))
    return tuple(said) or (f"no system is clearly better or worse than {control} {where} {sure}",)


def view_task_comparison(comparison: "TaskComparison") -> View:
    """Lay out tests over tasks: of one treatment the tests and the tasks, of several a row for each.

    >>> import podium
    >>> toy = podium.datasets.toy_table1()
    >>> view_task_comparison(podium.compare(toy, control="A", treatment="C")).title
    'C against A, one score per task: 6 tasks'
    """
    found = comparison.friedman
    if len(comparison) == 1 and found is None:
        only = comparison.treatments[0]
        tables = (_tests(comparison, only), _differences(comparison, only))
        verdict, about = (comparison.verdict(only),), f"{only.treatment} against {comparison.control}"
        drawn = (Figure("forest", "The difference on every task, and their mean", partial(forest, comparison)),)
        return View(comparison.title, tables, comparison.notes, verdict, drawn, _TASK_TESTS, about=about)
    better = {one.treatment: bool(one.wins > one.losses) for one in comparison.treatments}
    where = "over tasks like these"
    said = [*_beyond_chance(better, comparison.holm, comparison.control, where, comparison.confidence)]
    every = [_treatments(comparison)]
    if found is not None:
        differ = "the systems differ" if found.f_p < 1 - comparison.confidence else "no sign that the systems differ"
        said += [f"{differ}: Friedman's test, Iman–Davenport {chance(found.f_p)}"]
        f = f"F({found.f_df[0]:,}, {found.f_df[1]:,}) = {fixed(found.f, 1) if math.isfinite(found.f) else '∞'}"
        reach = f"{fixed(found.critical_difference, 2)} in mean rank, {percent(comparison.confidence)}"
        rows = [
            ("Friedman", f"χ²({found.df:,}) = {fixed(found.chi2, 1)}", p_value(found.p)),
            ("Iman–Davenport", f, p_value(found.f_p)),
            ("Nemenyi", f"critical difference {reach}", ""),
            ("mean rank", f"{fixed(found.mean_rank[comparison.control], 2)} of {comparison.control}", ""),
        ]
        every.append(_results("all systems", rows))
    figures = (
        Figure("forest", "The difference of every system", partial(forest, comparison)),
        Figure("cd", "Mean ranks with Nemenyi's critical difference", partial(critical_difference, comparison)),
    )
    return View(comparison.title, tuple(every), comparison.notes, tuple(said), figures, _TREATMENTS)


def sentence_of(comparison: "Comparison") -> str:
    """Return the sentences for a paper, see `Comparison.sentence`."""
    from podium import __version__  # noqa: PLC0415  # the package itself

    what, who, how = _COMPARED[comparison.schema](comparison)
    found = who + "; ".join(one for one in comparison.view().verdict if one not in comparison.notes)
    return " ".join([f"{what} (podium {__version__}).", f"We find: {found}.", *(f"{one}." for one in how)])


def _pooled(analysis: "MetaAnalysis") -> tuple[str, str, list[str]]:
    """Return what effects are pooled, and how."""
    who = f"compare {analysis.treatment} with {analysis.control} by" if analysis.treatment else "pool"
    instances = [task.n or 0 for task in analysis.tasks]
    size = how_many(len(analysis), "task") + (f" with {sum(instances):,} pairs of scores" if all(instances) else "")
    *differ, how = map(", ".join, analysis.details or [[]])
    pooled = f"Effects are pooled by {how}" + (f": {'; '.join(differ)}" if differ else "")
    return f"We {who} the {analysis.what} on {size}", "", [pooled] if len(analysis) > 1 else []


def _all_pooled(comparisons: "Comparisons") -> tuple[str, str, list[str]]:
    first = comparisons.analyses[0]
    who = f"We compare {how_many(len(comparisons), 'system')} with {comparisons.control} by the {first.what}"
    adjusted = f"p-values are adjusted by Holm for {how_many(len(comparisons), 'comparison')}"
    return f"{who} on {how_many(len(first), 'task')}", "", [adjusted]


def _all_tested(comparison: "TaskComparison") -> tuple[str, str, list[str]]:
    several = len(comparison) > 1
    who = how_many(len(comparison), "system") if several else comparison.treatments[0].treatment
    size = how_many(max(map(len, comparison.treatments)), "task")
    how = "p-values are of the exact Wilcoxon signed-rank test" + (", adjusted by Holm" if several else "")
    what = f"We compare {who} with {comparison.control} on {size}, each with one score per system"
    return what, "" if several else f"{who} is ", [how]


#: What is compared and how, for a paper, by kind of result.
_COMPARED: dict[str, Callable[[Any], tuple[str, str, list[str]]]] = {
    "meta-analysis": _pooled,
    "comparisons": _all_pooled,
    "task-comparison": _all_tested,
}


def _tests(comparison: "TaskComparison", tests: "PairedTests") -> Table:
    """Return one row for each test that there is."""
    places, n = tests.places, tests.wins + tests.losses
    rank_sum = f"rank sum {numeral(tests.rank_sum)} of {n * (n + 1) // 2:,}"
    rows = [
        ("sign", f"{tests.wins} better, {tests.ties} equal, {tests.losses} worse", p_value(tests.sign_p)),
        ("Wilcoxon signed-rank", rank_sum, p_value(tests.wilcoxon_p)),
    ]
    if not math.isnan(tests.low):
        interval = f"{percent(comparison.confidence)} CI {_interval(tests, places)}"
        rows.append(("paired t", f"mean {fixed(tests.mean, places)}, {interval}", p_value(tests.t_p)))
    if not math.isnan(tests.better):
        near = f"{_drawn(tests.equal)} within ±{numeral(comparison.rope)}"
        drawn = f"{_drawn(tests.better)} better, {near}, {_drawn(tests.worse)} worse"
        rows.append(("Bayesian signed-rank", drawn, ""))
    return _results("test", rows)


def _results(name: str, rows: Sequence[tuple[str, str, str]]) -> Table:
    """Return tests, what they give, and their p-values."""
    names, results, p = zip(*rows, strict=True)
    return Table((Column.words(name, names), Column.words("result", results), Column.numbers("p", p)))


def _interval(tests: "PairedTests", places: int) -> str:
    return DASH if math.isnan(tests.low) else f"[{fixed(tests.low, places)}, {fixed(tests.high, places)}]"


def _drawn(probability: float) -> str:
    """Write a share of random draws, which is never known to be none or all."""
    return rounded_percent(probability if math.isnan(probability) else min(max(probability, 1e-6), 1 - 1e-6))


def _differences(comparison: "TaskComparison", tests: "PairedTests") -> Table:
    """Return scores and differences, task by task; without a common scale each number has its own decimals."""
    tasks, one_scale = tests.tasks, not math.isnan(comparison.rope)
    scores = [score for task in tasks for score in (task.control, task.treatment)]
    places = places_of(exact_places(scores, decimals(max(map(abs, scores))) + 2))

    def shown(name: str, values: Iterable[float], side: int = 0) -> Column:
        column = Column.numbers(name, [fixed(value, places) if one_scale else numeral(value) for value in values])
        return replace(column, best=tuple(side * task.difference > 0 for task in tasks))

    return Table((
        Column.words("task", [task.task for task in tasks]),
        shown(comparison.control, (task.control for task in tasks), -1),
        shown(tests.treatment, (task.treatment for task in tasks), 1),
        shown("difference", (task.difference for task in tasks)),
    ))  # fmt: skip


def _treatments(comparison: "TaskComparison") -> Table:
    """Return one row for each treatment; columns that would be empty are left out."""
    found, of_all = comparison.treatments, comparison.friedman
    places = max(one.places for one in found)
    sizes = [str(len(one)) for one in found]
    ranks = [math.nan if of_all is None else of_all.mean_rank[one.treatment] for one in found]
    intervals = [_interval(one, places) for one in found]
    columns = (
        Column.words("treatment", [one.treatment for one in found]),
        *([Column.numbers("tasks", sizes)] if len(set(sizes)) > 1 else ()),
        Column.numbers("better", [str(one.wins) for one in found]),
        Column.numbers("worse", [str(one.losses) for one in found]),
        _p("p", [one.wilcoxon_p for one in found]),
        _p("Holm p", comparison.holm.tolist()),
        Column.numbers("difference", [fixed(one.mean, places) for one in found]),
        Column.numbers(f"{percent(comparison.confidence)} CI", intervals),
        Column.numbers("P(better)", [_drawn(one.better) for one in found]),
        Column.numbers("mean rank", [fixed(rank, 2) for rank in ranks]),
        _p("BH p", comparison.benjamini_hochberg.tolist()),
    )
    return Table(tuple(one for one in columns if not set(one.cells) <= {DASH}))


def _effects(analysis: "MetaAnalysis") -> Table:
    """Return tasks, then subgroups, then all together; columns that would be empty are left out.

    A single task has the interval of the sentence, which is right for few instances, and no summary.
    """
    tasks, kind, suite = analysis.tasks, analysis.kind, analysis.suite
    alone = len(tasks) == 1 and suite is not None and suite.tasks == 1 and not math.isnan(suite.low)
    named = [*((group.name, group.summary) for group in analysis.subgroups), ("summary", analysis.summary)]
    named = [] if alone and not analysis.subgroups else named
    first: Sequence[Effect] = [suite] if alone and suite is not None else tasks
    every: list[Effect] = [*first, *(summary for _, summary in named)]
    places = _places(every[: len(tasks)])
    apart = [abs(task.treatment_mean - task.control_mean) for task in tasks]
    usual = decimals(max((abs(task.control_mean) for task in tasks), default=1.0)) + 2
    digits = places_of(max(usual, min(decimals(median(filter(None, apart))), _MEANS) if any(apart) else 0))

    def of_tasks(name: str, cells: Iterable[str]) -> Column:
        return Column.numbers(name, [*cells, *[""] * len(named)], named=name in {analysis.control, analysis.treatment})

    def of_system(name: str, means: Iterable[float], side: int) -> Column:
        better = [EFFECTS[kind].sided and side * (task.effect - EFFECTS[kind].null) > 0 for task in tasks]
        return replace(of_tasks(name, (fixed(mean, digits) for mean in means)), best=(*better, *[False] * len(named)))

    def means(control: Iterable[float], treatment: Iterable[float]) -> list[str]:
        return [f"{fixed(before, 3)} → {fixed(after, 3)}" for before, after in zip(control, treatment, strict=True)]

    columns = [
        Column.labels("task", [*(task.task for task in tasks), *(name for name, _ in named)]),
        of_tasks("n", (_count(task.n) for task in tasks)),
        of_system(analysis.control or "control", (task.control_mean for task in tasks), -1),
        of_system(analysis.treatment or "treatment", (task.treatment_mean for task in tasks), 1),
        *(of_tasks(other.name, means(other.control, other.treatment)) for other in analysis.beside),
        Column.numbers("effect", [written(one.effect, kind, places) for one in every], 2),
        _intervals(every, analysis.confidence, kind, places, 2),
        _p("p", [one.p for one in every], 1),
        of_tasks("weight", ("" if alone else f"{100 * task.weight:.1f}%" for task in tasks)),
    ]
    if EFFECTS[kind].sided:
        columns.append(of_tasks("better", (_count(task.better) for task in tasks)))
        columns.append(of_tasks("worse", (_count(task.worse) for task in tasks)))
        columns.append(of_tasks("McNemar p", (p_value(task.mcnemar) for task in tasks)))
    without = [written(rest.effect, kind, places) for rest in analysis.without] or [""] * len(tasks)
    columns.append(of_tasks("without", without))
    there = tuple(one for one in columns if not set(one.cells) <= {"", DASH, "nan"})
    return Table(there, foot=len(named), bars=_bars(every, analysis.confidence))


def _coefficients(moderation: Moderation, confidence: float) -> Table:
    """Return one row for each coefficient; each has the decimals that its own interval needs."""
    found = moderation.coefficients

    def shown(value: float, of: Coefficient) -> str:
        width = of.high - of.low
        return significant(value) if width < _TINY else fixed(value, decimals(width))

    names = [f"{one.moderator}: {one.group} vs {one.reference}" if one.group else one.moderator for one in found]
    ends = [f"[{shown(one.low, one)}, {shown(one.high, one)}]" for one in found]
    return Table((
        Column.labels("moderator", names),
        Column.numbers("coefficient", [shown(one.estimate, one) for one in found], 2),
        Column.numbers(f"{percent(confidence)} CI", ends, 2),
        Column.numbers("SE", [significant(one.std_error) for one in found]),
        Column.numbers("t" if moderation.student else "z", [fixed(one.statistic, 2) for one in found]),
        _p("p", [one.p for one in found], 1),
    ))  # fmt: skip


def _influences(analysis: "MetaAnalysis") -> Table:
    """Return what each task does to the summary."""
    tasks = analysis.tasks
    marks = ["yes" if task.influential else "" for task in tasks]
    columns = (
        Column.labels("task", [task.task for task in tasks]),
        Column.numbers("residual", [fixed(task.studentised, 2) for task in tasks], 2),
        Column.numbers("hat", [fixed(task.hat, 3) for task in tasks], 1),
        Column.numbers("DFFITS", [fixed(task.dffits, 2) for task in tasks], 1),
        Column.numbers("Cook", [fixed(task.cook, 2) for task in tasks], 2),
        Column.numbers("COVRATIO", [fixed(task.covariance_ratio, 2) for task in tasks]),
        Column.numbers("τ²", [significant(rest.tau2) for rest in analysis.without]),
        Column.numbers("Q", [cochran(rest.q) for rest in analysis.without]),
        *([Column.words("influential", marks, 1)] if any(marks) else ()),
    )
    return Table(columns, caption="Without each task")


def _p(name: str, values: Iterable[float], priority: int = 0) -> Column:
    return Column.numbers(name, [p_value(value) for value in values], priority)


def _intervals(effects: Sequence[Effect], confidence: float, kind: str, places: int, priority: int) -> Column:
    ends = [f"[{written_end(one.low, kind, places)}, {written_end(one.high, kind, places)}]" for one in effects]
    return Column.numbers(f"{percent(confidence)} CI", ends, priority)


def _bars(effects: Sequence[Effect], confidence: float) -> Bars:
    """Return intervals of effects, for a terminal to draw."""
    ends = tuple((one.low, one.effect, one.high) for one in effects)
    return Bars(f"effect with {percent(confidence)} CI", ends, origin=0.0)


def _count(number: int | None) -> str:
    return DASH if number is None else f"{number:,}"


def _places(effects: Sequence[Effect]) -> int:
    """Return decimals that show two digits of the shortest interval."""
    widths = [width for one in effects if math.isfinite(width := one.high - one.low) and width > 0]
    return places_of(max(decimals(min(widths, default=math.nan)), 2))
