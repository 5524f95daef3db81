"""Hold a new run against a baseline, and say whether it may ship."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.base.arrays import Floats
from podium.base.check import check_confidence, checked_whole, is_one_of, matching
from podium.base.errors import InputError, MethodError
from podium.base.words import as_typed, few, how_many, significant, with_names
from podium.comparison.api import compare
from podium.comparison.result import MetaAnalysis
from podium.comparison.suite import (
    SuiteEffect,
    limit_in_units,
    margins_of,
    scale_of,
    suite_effect,
    verdict,
    written_number,
)
from podium.gating.result import Check, Gate, Item, Outcome
from podium.score.table import Scores
from podium.score.task import Task, mean_scores
from podium.source.memory import as_scores
from podium.source.named import Source, joined, read_sources
from podium.source.read import read

if TYPE_CHECKING:
    from podium.source.memory import ScoresLike

#: What the difference is to hold for.
OVER = ("suite", "tasks")

#: What "cannot tell" may count as.
UNSURE = ("pass", "fail")

_AGE = re.compile(r"(\d+)\s*([dhw])")

_HOURS = {"h": 1, "d": 24, "w": 168}

#: What becomes of the verdict on an interval.
_OUTCOMES: dict[str, Outcome] = {
    **dict.fromkeys(("better", "equal", "not worse"), "pass"),
    "worse": "fail",
    "cannot tell": "cannot tell",
}


def gate(
    before: "ScoresLike",
    after: "ScoresLike",
    *,
    margin: float | str | Mapping[str, float | str],
    over: str = "suite",
    tasks_too: bool = False,
    must: Mapping[str, float | str] | None = None,
    budget: Mapping[str, float | str] | None = None,
    unsure: str | None = None,
    baseline_age: str | None = None,
    per_week: int | None = None,
    task_weights: Mapping[str, float] | None = None,
    system: str | None = None,
    names: tuple[str, str] = ("before", "after"),
    strict: bool = False,
    confidence: float = 0.95,
    **options: Any,
) -> Gate:
    """Say whether a new run may ship: PASS, FAIL or CANNOT TELL.

    It passes if the interval of the difference lies above −margin: the new run is better, or not worse by more than
    the margin. It fails if the interval lies below 0, and not above −margin. Otherwise the scores cannot tell. So a run
    that is worse by the margin passes in at most 2.5% of gates at 95% confidence, and one that is as good fails in at
    most 2.5%. That is about one gate: of many, some err, see `per_week`.

    Items that only the baseline has a score for may have failed: it passes only if it would with the worst score that
    the task has on all of them. Items that only the new run has are left out; a note counts both.

    Parameters
    ----------
    before, after
        The baseline and the new run: paths, such as folders that a tool wrote, or what else `podium.rank` takes. Items
        are matched, see `podium.source.named.joined`.
    margin
        How much worse is still as good, in the units of the scores (0.01), or in percent of their scale ("1%"); or for
        some tasks, by label or glob, with "*" for all others.
    over
        "suite": the difference holds for other questions of these tasks, see `podium.comparison.suite.suite_effect`;
        "tasks": for other tasks like these, see `podium.compare`.
    tasks_too
        Whether it also fails if a single task is worse by more than its own margin, tested by Holm's rule; it does if
        `margin` names tasks.
    must
        Least mean that the new run must have, by label or glob of tasks; most, where lower is better. In the units of
        the scores, or in percent of their scale ("80%").
    budget
        How much of a covariate, such as "cost" or "seconds", the new run may use, as a multiple of the baseline: 1.1 or
        "1.1x".
    unsure
        What `Gate.exit_code` makes of "cannot tell": "pass", "fail", or None for a code of its own.
    baseline_age
        How old the baseline may be, such as "30d", "48h" or "4w", by what its log says.
    per_week
        How many such gates there are: intervals then hold for all together (Bonferroni).
    task_weights
        Weights of tasks, by label or glob, see `Scores.with_task_weights`.
    system
        Which system, if both runs hold several of the same names.
    names
        What the two are called.
    strict
        Whether it is an error that questions, or ways to ask them, differ.
    confidence
        Of every interval, between 0 and 1.
    options
        As `podium.read` takes them.

    Returns
    -------
    Gate

    Raises
    ------
    InputError
        The runs are the same, share no item, are scored by different metrics, or on different scales; the new run lacks
        a task; a log is empty, cut off or unfinished; or the baseline is too old, or says no date.
    LabelError
        There is no such system, task or covariate.
    MethodError
        A margin is in other units than the scores, or an argument makes no sense.

    Examples
    --------
    >>> import numpy as np
    >>> import podium
    >>> right = np.random.default_rng(0).random((1, 800))
    >>> runs = [podium.from_arrays({"qa": (right < share).astype(float)}, systems=["m"]) for share in (0.7, 0.72)]
    >>> podium.gate(*runs, margin=0.01).verdict
    'pass'
    """
    if not is_one_of(over, OVER):
        raise MethodError(f"over={over!r} (--over) must be 'suite' or 'tasks'")
    if unsure is not None and not is_one_of(unsure, UNSURE):
        raise MethodError(f"unsure={unsure!r} (--unsure) must be 'pass' or 'fail'")
    check_confidence(confidence)
    if per_week is not None:
        confidence = 1 - (1 - confidence) / checked_whole("per_week", per_week)
    refuse_same_path(before, after)
    if names[0] == names[1]:
        raise MethodError(f"the baseline and the new run are both {names[0]!r}; name two")
    sources = read_sources(dict(zip(names, (before, after), strict=True)), partial(read_run, options))
    refuse_unfinished(sources)
    _refuse_old(sources[0], baseline_age)
    sources = [of_system(source, sources, system) for source in sources]
    scores = joined(sources, strict=strict, by_position=False).select(tasks=_common_tasks(*sources))
    scores = scores.with_task_weights(task_weights) if task_weights else scores
    rows = [scores.systems.index(name) for name in names]
    pairs = [(task, task.values[rows].astype(np.float64)) for task in scores.tasks]  # (2, K) each
    if not any((~np.isnan(values).any(axis=0)).any() for task, values in pairs if task.weight > 0):
        raise InputError(
            f"{' and '.join(names)} have no scored item in common; are they runs of the same tasks, with the same "
            "labels of items?"
        )
    accepted, margins = margins_of(margin, scores)
    judge = partial(_whole, names=names, over=over, margin=accepted, confidence=confidence)
    suite, whole = judge(scores)
    checks = [whole]
    lacking, failed = _failed(scores, names, pairs)
    if whole.outcome == "pass" and lacking:
        checks.append(_missing(judge(failed)[1], lacking, names))
    if tasks_too or (isinstance(margin, Mapping) and set(margin) != {"*"}):  # margins of tasks are for tasks
        found = list(_of_tasks(scores, names, margins, confidence))
        known = {check.name for check in found}
        late = _of_tasks(failed, names, margins, confidence) if lacking else ()
        unsure_of = [check for check in late if check.outcome == "fail" and check.name not in known]
        found += [replace(one, outcome="cannot tell", said=f"{one.said}{_IF_FAILED}") for one in unsure_of]
        checks += found
    checks += _limits(scores, failed, rows[1], must or {})
    checks += _budgets(scores, names, budget or {}, confidence)
    outcomes = {check.outcome for check in checks}
    worst: tuple[Outcome, ...] = ("fail", "cannot tell", "pass")
    broken, mended = _changed(pairs)
    return Gate(
        before=names[0],
        after=names[1],
        verdict=next(outcome for outcome in worst if outcome in outcomes),
        checks=tuple(checks),
        suite=suite,
        margin=accepted,
        confidence=confidence,
        per_week=per_week,
        broken=broken,
        mended=mended,
        items_needed=_needed(suite, whole, accepted) if over == "suite" else 0,
        unsure=unsure,
        notes=(*scores.notes, *_notes(names, pairs)),
        backend=scores.backend,
    )


def read_run(options: Mapping[str, Any], given: Any, name: str) -> Scores:
    """Read one or more paths with some options, or take scores as they are."""
    listed = given if isinstance(given, list | tuple) else [given]
    of_paths = bool(listed) and all(isinstance(one, str | PathLike) for one in listed)
    return read([fspath(one) for one in listed], name=name, **options) if of_paths else as_scores(given)


def read_baseline(given: Any, name: str, system: str | None, options: Mapping[str, Any]) -> Source:
    """Read a finished run of one system."""
    [source] = read_sources({name: given}, partial(read_run, options))
    refuse_unfinished([source])
    return of_system(source, [source, source], system)


def refuse_same_path(before: Any, after: Any) -> None:
    """Refuse a path that is both the baseline and the new run."""
    paths = [Path(one).expanduser().resolve() for one in (before, after) if isinstance(one, str | PathLike)]
    if len(paths) == 2 and paths[0] == paths[1]:
        raise InputError(f"{fspath(before)} is both the baseline and the new run; name two")


def refuse_unfinished(sources: Sequence[Source]) -> None:
    """Refuse runs that were cut off or have not ended."""
    for source in sources:
        if unfinished := source.origin.unfinished:
            raise InputError(
                f"{source.name}: {few(unfinished, 3)} was cut off or has not ended, and what is missing may be "
                "what fails; run it to its end"
            )


def _refuse_old(source: Source, age: str | None) -> None:
    if age is None:
        return
    found = _AGE.fullmatch(str(age).strip())
    if found is None:
        raise MethodError(f"baseline_age={age!r} (--baseline-age) is no time such as 30d, 48h or 4w")
    try:
        made = datetime.fromisoformat(source.origin.made)
    except ValueError:
        raise InputError(
            f"{source.name} does not say when it was made, so its age is unknown; leave out baseline_age= "
            "(--baseline-age)"
        ) from None
    old = datetime.now(UTC) - (made if made.tzinfo else made.replace(tzinfo=UTC))
    if old < -timedelta(days=1):  # clocks and time zones differ by less
        raise InputError(f"{source.name} is dated {made:%Y-%m-%d}, which is still to come; is it the baseline?")
    if old > timedelta(hours=int(found[1]) * _HOURS[found[2]]):
        raise InputError(
            f"{source.name} is {how_many(old.days, 'day')} old, and at most {found[0]} is allowed; run it again"
        )


def of_system(source: Source, sources: Sequence[Source], system: str | None) -> Source:
    """Return a source with the one system that is compared."""
    scores = source.scores
    common = [label for label in sources[0].scores.systems if label in sources[1].scores.systems]
    if system is None and len(scores.systems) > 1:
        if len(common) != 1:
            raise InputError(
                f"{source.name} holds {how_many(len(scores.systems), 'system')}: {few(list(scores.systems))}; name the "
                "folder of one, or, if both runs hold it, the system, with system= (--systems)"
            )
        system = common[0]
    if system is None or (system not in scores.systems and len(scores.systems) == 1 and system not in common):
        return source
    origin = source.origin.of_system(system)
    return replace(source, scores=replace(scores.select(systems=[system]), origin=origin))


def _common_tasks(before: Source, after: Source) -> list[str]:
    """Return the tasks of both; refuse logs of the very same run, which a copied folder holds.

    A new run that lacks a task is refused, too, since what crashed may be what fails.
    """
    names, there = before.scores.task_names, after.scores.task_names
    if before.origin.made and before.origin.made == after.origin.made and names == there:
        pairs = zip(before.scores.tasks, after.scores.tasks, strict=True)
        if all(np.array_equal(one.values, other.values, equal_nan=True) for one, other in pairs):
            raise InputError(f"{before.name} and {after.name} hold the same run, of {before.origin.made}; name two")
    common = [name for name in names if name in there]
    if common and len(common) < len(names):
        gone = [name for name in names if name not in there]
        raise InputError(
            with_names(f"{after.name} lacks tasks that {before.name} has: ", gone)
            + f"; run them, or choose those of both with tasks= (--tasks {as_typed(','.join(common))})"
        )
    return common


def _notes(names: tuple[str, str], pairs: Sequence[tuple[Task, Floats]]) -> Iterator[str]:
    """Say what is left out, and that two runs are alike."""
    if all(np.array_equal(values[0], values[1], equal_nan=True) for _, values in pairs):
        yield f"all scores of {names[0]} and {names[1]} are equal; make sure that they are not the same run"
    for place, name in enumerate(names):
        alone = sum(int((~np.isnan(values[place]) & np.isnan(values[1 - place])).sum()) for _, values in pairs)
        if alone:
            yield f"left out: {how_many(alone, 'item')} that only {name} has a score for"


#: Said of what holds for the scores that there are.
_IF_FAILED = " if the items without a score fail"


def _failed(scores: Scores, names: tuple[str, str], pairs: Sequence[tuple[Task, Floats]]) -> tuple[int, Scores]:
    """Count the items that only the new run lacks, and score them as if they had failed.

    The worst score is the end of the scale, 0 or 1 of scores from 0 to 1; elsewhere the worst that the task has.
    """
    lacking, tasks = 0, []
    for task, given in pairs:
        values, gone = given.copy(), np.isnan(given[1]) & ~np.isnan(given[0])
        lacking += int(gone.sum()) if task.weight > 0 else 0
        if gone.any():
            scale = scale_of(task)
            end = 0.0 if task.higher_is_better else scale
            seen = np.nanmin(values) if task.higher_is_better else np.nanmax(values)
            values[1, gone] = seen if math.isinf(scale) else end
        tasks.append(task.with_values(values))
    return lacking, replace(scores, systems=names, tasks=tuple(tasks))


def _missing(worst: Check, lacking: int, names: tuple[str, str]) -> Check:
    """Say whether it passes whatever the items would score that the new run lacks."""
    said = f"{names[1]} has no score on {how_many(lacking, 'item')} of {names[0]}; "
    if worst.outcome == "pass":
        return replace(worst, name="missing items", said=f"{said}it passes even if all of them fail")
    return replace(worst, name="missing items", outcome="cannot tell", said=f"{said}if they fail, it does not pass")


def _whole(
    scores: Scores, *, names: tuple[str, str], over: str, margin: float, confidence: float
) -> tuple[SuiteEffect | None, Check]:
    """Return the difference on the suite, None of one score a task; and the check of all tasks together."""
    suite = None if scores.task_level else suite_effect(scores, *names, confidence=confidence)
    if suite is not None and over == "suite":
        name, effect, low, high = "these tasks", suite.effect, suite.low, suite.high
    else:
        name = "other tasks like these"
        found = compare(scores, control=names[0], treatment=names[1], confidence=confidence)
        if isinstance(found, MetaAnalysis):
            one = found.summary
            effect, (low, high) = one.effect, (one.low, one.high) if one.k > 1 else (math.nan, math.nan)
        else:
            tests = found.treatments[0]
            effect, low, high = tests.mean, tests.low, tests.high
    return suite, Check(name, *_judged(low, high, margin), effect, low, high, -margin)


def _judged(low: float, high: float, margin: float) -> tuple[Outcome, str]:
    """Return the outcome of an interval of a difference, and why."""
    found, more = verdict(low, high, margin), f" by more than {margin:g}"
    if found in {"equal", "not worse"}:
        said = f"not worse{more}" + (", though worse" if high < 0 else "")
    elif found == "cannot tell":
        said = "too little data for an interval" if math.isnan(low) else "may be worse" + (more if margin else "")
    else:
        said = found + (more if high < -margin else "")
    return _OUTCOMES[found], said


def _of_tasks(
    scores: Scores, names: tuple[str, str], margins: Mapping[str, float], confidence: float
) -> Iterator[Check]:
    """Find tasks that are worse by more than their margins: by intervals for all that are left, until none is found."""

    def effect(task: str, sure: float) -> SuiteEffect:
        return suite_effect(scores.select(tasks=[task]), *names, confidence=sure)

    tested = [task for task in margins if not math.isnan(effect(task, confidence).low)]
    if untested := len(margins) - len(tested):
        yield Check("single tasks", "cannot tell", f"{how_many(untested, 'task')} with too few items for a test")
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


def _limits(scores: Scores, failed: Scores, row: int, must: Mapping[str, float | str]) -> Iterator[Check]:
    """Return hard limits on the means of the new run, also if the items that it lacks have failed."""
    for pattern, given in must.items():
        names = set(matching("task", [pattern], scores.task_names))
        for task, worst in zip(scores.tasks, failed.tasks, strict=True):
            if task.name not in names:
                continue
            limit = limit_in_units(given, task)
            mean, least = float(mean_scores(task)[0][row]), float(mean_scores(worst)[0][1])
            kept, surely = (
                (one >= limit - 1e-12 if task.higher_is_better else one <= limit + 1e-12) for one in (mean, least)
            )
            sign = ("≥" if kept else "<") if task.higher_is_better else ("≤" if kept else ">")
            said = f"mean {significant(mean, 3)} {sign} {limit:g}"
            if math.isnan(mean):
                yield Check(task.name, "cannot tell", "no item has a score", limit=limit)
            elif kept and not surely:
                yield Check(task.name, "cannot tell", f"{said}, but {significant(least, 3)}{_IF_FAILED}", limit=limit)
            else:
                yield Check(task.name, "pass" if kept else "fail", said, limit=limit)


def _budgets(
    scores: Scores, names: tuple[str, str], budget: Mapping[str, float | str], confidence: float
) -> Iterator[Check]:
    """Check whether the new run uses more of a covariate than a multiple of the baseline: after − multiple · before."""
    rows = [scores.systems.index(name) for name in names]
    known = {
        name: one.values
        for name, one in scores.covariates.items()
        if any((~np.isnan(values[rows]).any(axis=0)).any() for values in one.values)
    }
    for name, given in budget.items():
        multiple = written_number(str(given).strip().removesuffix("x"))
        if name not in known:
            have = few(list(known), 6) if known else "none"
            raise InputError(f"there is no covariate {name!r} of items in both runs; there are: {have}")
        if not multiple > 0:
            raise MethodError(f"budget {name}={given!r} (--budget) is no multiple of the baseline, such as 1.1x")
        tasks = [
            replace(task, higher_is_better=False).with_values(
                np.array([[multiple], [1.0]]) * values[rows], instance_weights=None
            )
            for task, values in zip(scores.tasks, known[name], strict=True)
        ]
        found = suite_effect(replace(scores, systems=names, tasks=tuple(tasks)), *names, confidence=confidence)
        old, new = (np.concatenate([values[row] for values in known[name]]).astype(np.float64) for row in rows)
        if min(np.nanmin(old), np.nanmin(new)) < 0:
            raise InputError(f"covariate {name!r} has values below 0, so a multiple of it makes no sense; leave it out")
        both, lacking = ~np.isnan(old) & ~np.isnan(new), int((~np.isnan(old) & np.isnan(new)).sum())
        means = [float(old[both].mean()), float(new[both].mean())]
        used = (
            f"{significant(means[1] / means[0], 3)}x the baseline"
            if means[0]
            else f"{significant(means[1], 3)} on average"
        )
        outcome = _OUTCOMES[found.verdict()]
        said = f"{used}, {multiple:g}x allowed"
        if lacking:
            said += f"; unknown of {how_many(lacking, 'item')} of {names[1]}"
            outcome = "cannot tell" if outcome == "pass" else outcome
        yield Check(name, outcome, said, limit=multiple)


def _changed(pairs: Sequence[tuple[Task, Floats]]) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """Return items that score less, and more, than before; largest changes first, else in the order of the table."""
    found: list[tuple[float, Item]] = []
    for task, (old, new) in pairs:
        change = (new - old) if task.higher_is_better else (old - new)
        for place in np.flatnonzero(np.nan_to_num(change) != 0).tolist() if task.weight > 0 else ():
            label = "" if task.n_instances == 1 else str(place if task.instances is None else task.instances[place])
            found.append((float(change[place]), Item(task.name, label, float(old[place]), float(new[place]))))
    broken = tuple(item for change, item in sorted(found, key=lambda pair: pair[0]) if change < 0)
    mended = tuple(item for change, item in sorted(found, key=lambda pair: -pair[0]) if change > 0)
    return broken, mended


def _needed(suite: SuiteEffect | None, check: Check, margin: float) -> int:
    """Return how many more items would settle it in 80% of cases, if the difference seen is the true one."""
    if suite is None or check.outcome != "cannot tell" or math.isnan(suite.low):
        return 0
    distance = suite.effect + margin if suite.effect > -margin else -suite.effect
    return max(suite.items_for(distance) - suite.n, 1) if distance > 0 else 0
