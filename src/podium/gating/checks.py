"""The checks of a gate: all tasks together, missing instances, single tasks, hard limits, and budgets of covariates."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from podium.base.arrays import Floats
from podium.base.check import matching
from podium.base.errors import InputError, MethodError
from podium.base.statistics import bisect
from podium.base.words import few, how_many, percent, significant, two_digits
from podium.comparison.api import compare
from podium.comparison.margin import limit_in_units, scale_of, written_number
from podium.comparison.result import MetaAnalysis
from podium.comparison.suite import SuiteEffect, suite_effect, verdict
from podium.gating.result import Check, Outcome
from podium.score.repeat import Repeats
from podium.score.table import Scores
from podium.score.task import Task, mean_scores

#: What becomes of the verdict on an interval.
_OUTCOMES: dict[str, Outcome] = {
    **dict.fromkeys(("better", "equal", "not worse"), "pass"),
    "worse": "fail",
    "cannot tell": "cannot tell",
}

#: A multiple below this is taken for an amount, unless it ends with x.
_UNUSUAL = 0.5

#: Halvings in which an end of the interval of a ratio is looked for, and multiples of the ratio beyond its upper end.
_STEPS, _LARGER = 14, 4.0 ** np.arange(1, 6)

#: Said of what holds for the scores that there are: failures have the worst score there is, see `with_failures`.
_IF_FAILED = " if the instances without a score have the worst one"


def verdict_of(checks: Sequence[Check]) -> Outcome:
    """Return the worst outcome of any check."""
    return min((check.outcome for check in checks), key=["fail", "cannot tell", "pass"].index)


def limits_of(option: str, given: Mapping[str, float | str] | str | Iterable[str] | None) -> Mapping[str, float | str]:
    """Return limits by name, also of a text or texts `NAME=N`; the last = counts, as names may have one.

    Raises
    ------
    MethodError
        A text is not of that form.

    Examples
    --------
    >>> limits_of("--budget", "cost=1.1x, seconds=2")
    {'cost': '1.1x', 'seconds': '2'}
    """
    if isinstance(given, Mapping):
        return given
    limits: dict[str, float | str] = {}
    for text in given.split(",") if isinstance(given, str) else given or ():
        label, equals, value = (part.strip() for part in text.rpartition("="))
        if not (equals and label and value):
            raise MethodError(f"{option} {text!r} is not of the form NAME=N")
        limits[label] = value
    return limits


def with_failures(scores: Scores, names: tuple[str, str], pairs: Sequence[tuple[Task, Floats]]) -> tuple[int, Scores]:
    """Count the instances that only the new run lacks, and score them as if they had failed.

    The worst score is the end of the scale, 0 or 1 of scores from 0 to 1; elsewhere the worst that the task has. By
    several prompts an instance is lacking if it has no score by one of them.
    """
    lacking, tasks = 0, []
    for task, given in pairs:
        cells = task.repeats if scores.prompts else None
        values = given.copy() if cells is None else cells.values[[scores.systems.index(name) for name in names]]
        gone = np.isnan(values[1]) & ~np.isnan(values[0])
        lacking += int(np.atleast_2d(gone.T).any(axis=0).sum()) if task.weight > 0 else 0
        if gone.any():
            scale = scale_of(task)
            end = 0.0 if task.higher_is_better else scale
            seen = np.nanmin(values) if task.higher_is_better else np.nanmax(values)
            values[1, gone] = seen if math.isinf(scale) else end
        if cells is None:
            tasks.append(task.with_values(values))
        else:
            kept = Repeats(values, cells.statistic, cells.labels)
            tasks.append(task.with_values(kept.statistic.of(values), repeats=kept))
    return lacking, replace(scores, systems=names, tasks=tuple(tasks))


def whole_checks(
    scores: Scores, failed: Scores, lacking: int, *, names: tuple[str, str], over: str, margin: float, confidence: float
) -> tuple[SuiteEffect | None, list[Check]]:
    """Return the difference on the suite, None of one score a task; and the check of all tasks together.

    If that passes, and the new run lacks instances, a second one says whether it passes even if these have the worst
    score, see `with_failures`.
    """
    suite, whole = _whole_check(scores, names, over, margin, confidence)
    if whole.outcome != "pass" or not lacking:
        return suite, [whole]
    which = "no score by some prompt" if scores.prompts else "no score"
    said = f"{names[1]} has {which} on {how_many(lacking, 'instance')} of {names[0]}; "
    _, worst = _whole_check(failed, names, over, margin, confidence)
    passes = worst.outcome == "pass"
    worst_score = "have the worst score"
    said += f"it passes even if all of them {worst_score}" if passes else f"if they {worst_score}, it does not pass"
    outcome: Outcome = "pass" if passes else "cannot tell"
    return suite, [whole, replace(worst, name="missing instances", outcome=outcome, said=said)]


def _whole_check(
    scores: Scores, names: tuple[str, str], over: str, margin: float, confidence: float
) -> tuple[SuiteEffect | None, Check]:
    suite = None if scores.task_level and not scores.prompts else suite_effect(scores, *names, confidence=confidence)
    if suite is not None and over == "suite":
        name, effect, low, high = "these tasks", suite.effect, suite.low, suite.high
    else:
        name = "other tasks like these"
        found = compare(scores, control=names[0], treatment=names[1], confidence_level=confidence)
        one = found.summary if isinstance(found, MetaAnalysis) else found.effects[0]
        single = isinstance(found, MetaAnalysis) and found.summary.k == 1
        effect, low, high = one.effect, math.nan if single else one.low, math.nan if single else one.high
    return suite, Check(name, *_judged(low, high, margin), effect, low, high, -margin)


def _judged(low: float, high: float, margin: float) -> tuple[Outcome, str]:
    """Return the outcome of an interval of a difference, and why."""
    found, more = verdict(low, high, margin), f" by more than {margin:g}"
    if found in {"equal", "not worse"}:
        said = f"not worse{more}" + (", though worse" if high < 0 else "")
    elif found == "cannot tell":
        unsure = f"may be worse{more}" if margin else "may be better or worse"
        said = "too little data for an interval" if math.isnan(low) else unsure
    else:
        said = found + (more if high < -margin else "")
    return _OUTCOMES[found], said


def task_checks(
    scores: Scores, failed: Scores | None, names: tuple[str, str], margins: Mapping[str, float], confidence: float
) -> list[Check]:
    """Find tasks that are worse by more than their margins, or might be if instances that the new run lacks failed."""
    found = list(_worse_tasks(scores, names, margins, confidence))
    known = {check.name for check in found}
    late = () if failed is None else _worse_tasks(failed, names, margins, confidence)
    unsure_of = [check for check in late if check.outcome == "fail" and check.name not in known]
    found += [replace(one, outcome="cannot tell", said=f"{one.said}{_IF_FAILED}") for one in unsure_of]
    none = "no task is clearly worse by more than its margin"
    return found or [Check("single tasks", "pass", none)]


def _worse_tasks(
    scores: Scores, names: tuple[str, str], margins: Mapping[str, float], confidence: float
) -> Iterator[Check]:
    """Find tasks that are worse by more than their margins: by intervals for all that are left, until none is found."""

    def effect(task: str, sure: float) -> SuiteEffect:
        return suite_effect(scores.select(tasks=[task]), *names, confidence=sure)

    tested = [task for task in margins if not math.isnan(effect(task, confidence).low)]
    if untested := len(margins) - len(tested):
        yield Check("single tasks", "cannot tell", f"{how_many(untested, 'task')} with too few instances for a test")
    left = {task: margins[task] for task in tested}
    while left:
        each = 1 - (1 - confidence) / len(left)
        worse = []
        for name, margin in left.items():
            one = effect(name, each)
            if one.high < -margin:
                worse.append(name)
                yield Check(name, "fail", f"worse by more than {margin:g}", one.effect, one.low, one.high, -margin)
        if not worse:
            return
        left = {name: margin for name, margin in left.items() if name not in worse}


def limit_checks(scores: Scores, failed: Scores, row: int, must: Mapping[str, float | str]) -> Iterator[Check]:
    """Return hard limits on the means of the new run, also if the instances that it lacks have failed."""
    for pattern, given in must.items():
        names = set(matching("task", [pattern], scores.task_names))
        for task, worst in zip(scores.tasks, failed.tasks, strict=True):
            if task.name not in names:
                continue
            limit = limit_in_units(given, task)
            mean, least = float(mean_scores(task)[0][row]), float(mean_scores(worst)[0][1])
            mean = least if scores.human else mean  # which people would give
            kept, surely = (
                (one >= limit - 1e-12 if task.higher_is_better else one <= limit + 1e-12) for one in (mean, least)
            )
            sign = ("≥" if kept else "<") if task.higher_is_better else ("≤" if kept else ">")
            said = f"mean {significant(mean, 3)} {sign} {limit:g}"
            if math.isnan(mean):
                yield Check(task.name, "cannot tell", "no instance has a score", limit=limit)
            elif kept and not surely:
                yield Check(task.name, "cannot tell", f"{said}, but {significant(least, 3)}{_IF_FAILED}", limit=limit)
            else:
                yield Check(task.name, "pass" if kept else "fail", said, limit=limit)


def budget_checks(
    scores: Scores, names: tuple[str, str], budget: Mapping[str, float | str], confidence: float
) -> Iterator[Check]:
    """Check whether the new run uses more of a covariate than a multiple of the baseline: after − multiple · before."""
    rows = [scores.systems.index(name) for name in names]
    every = {
        name: [
            (task.weight, values[rows].astype(np.float64))
            for task, values in zip(scores.tasks, one.values, strict=True)
            if task.weight > 0
        ]
        for name, one in scores.covariates.items()
        if name != scores.human
    }
    known = [name for name, pairs in every.items() if not all(np.isnan(both).any(axis=0).all() for _, both in pairs)]
    for name, given in budget.items():
        written = str(given).strip()
        multiple = written_number(written.removesuffix("x"))
        if name not in known:
            have = few(known, 6) if known else "none"
            raise InputError(
                f"there is no covariate {name!r} of instances in both runs; there are: {have}; tables have "
                "it in a column (--covariate-column), logs if the tool says it of each instance, as Inspect does"
            )
        if not multiple > 0:
            raise MethodError(f"budget {name}={given!r} (--budget) is no multiple of the baseline, such as 1.1x")
        if multiple < _UNUSUAL and not written.endswith("x"):
            what = f"budget {name}={given} (--budget) is {given} times the baseline, and no amount"
            raise MethodError(f"{what}; if you mean that, write {name}={given}x")
        costs = [
            replace(task, higher_is_better=False).with_values(values[rows], instance_weights=None)
            for task, values in zip(scores.tasks, scores.covariates[name].values, strict=True)
        ]
        of_costs = replace(scores, systems=names, tasks=tuple(costs), human="")
        tested = partial(_less_than, of_costs, confidence)
        found = tested(multiple)
        pairs = every[name]
        if min(np.fmin.reduce(values, axis=None, initial=0.0) for _, values in pairs) < 0:
            raise InputError(f"covariate {name!r} has values below 0, so a multiple of it makes no sense; leave it out")
        lacking = sum(int((~np.isnan(old) & np.isnan(new)).sum()) for _, (old, new) in pairs)
        common = [(weight, values[:, ~np.isnan(values).any(axis=0)]) for weight, values in pairs]
        weights, of_tasks = zip(*((weight, both.mean(axis=1)) for weight, both in common if both.size), strict=True)
        means = np.average(of_tasks, axis=0, weights=weights).tolist()  # as the test weighs them
        outcome = _OUTCOMES[found.verdict()]
        used = f"{significant(means[1], 3)} on average"
        if means[0]:
            used = f"{significant(means[1] / means[0], 3)}x the baseline"
            used += _ends_of_ratio(tested, means[1] / means[0], confidence)
        said = f"{used}, {multiple:g}x allowed"
        if outcome == "cannot tell" and (needed := found.items_for(abs(found.effect), confidence)) > found.n:
            said += f"; about {two_digits(needed)} instances instead of {found.n:,} would tell"
        if lacking:
            said += f"; unknown of {how_many(lacking, 'instance')} of {names[1]}"
            outcome = "cannot tell" if outcome == "pass" else outcome
        yield Check(name, outcome, said, limit=multiple)


def _less_than(costs: Scores, confidence: float, multiple: float) -> SuiteEffect:
    """Measure by how much less than a multiple of the first system the second uses."""
    tasks = tuple(task.with_values(np.array([[multiple], [1.0]]) * task.values) for task in costs.tasks)
    return suite_effect(replace(costs, tasks=tasks), *costs.systems, confidence=confidence)


def _ends_of_ratio(tested: Callable[[float], SuiteEffect], ratio: float, confidence: float) -> str:
    """Say between which multiples the ratio lies: those that the test neither passes nor fails (Fieller 1954)."""
    if not ratio > 0 or math.isnan(tested(ratio).low):
        return ""
    low, _ = bisect(0.0, ratio, lambda multiple: tested(multiple).high < 0, _STEPS)
    most = next((end for end in ratio * _LARGER if tested(end).low > 0), None)
    if most is None:
        return f" ({percent(confidence)} CI {significant(low, 3)} or more)"
    _, high = bisect(ratio, most, lambda multiple: not tested(multiple).low > 0, _STEPS)
    return f" ({percent(confidence)} CI {significant(low, 3)} to {significant(high, 3)})"
