"""Hold a new run against a baseline, and say whether it may ship."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from podium.base.arrays import Floats
from podium.base.check import check_confidence, checked_whole, is_one_of
from podium.base.errors import InputError, MethodError
from podium.base.words import Misleading, as_typed, few, how_many, with_names
from podium.comparison.margin import margins_of
from podium.comparison.suite import SuiteEffect, suite_effect
from podium.gating.checks import (
    budget_checks,
    limit_checks,
    limits_of,
    task_checks,
    verdict_of,
    whole_checks,
    with_failures,
)
from podium.gating.result import Check, Gate, GateTask, Item
from podium.score.crossed import THESE_ALONE, shared
from podium.score.prediction_powered import powered
from podium.score.table import Scores
from podium.score.task import Task, masses_of
from podium.source.choose_runs import OLDER
from podium.source.memory import as_scores, keywords
from podium.source.named import Source, joined, read_sources
from podium.source.read import read

if TYPE_CHECKING:
    from podium.source.memory import ScoresLike

#: What the difference is to hold for.
Over = Literal["suite", "tasks"]

OVER: tuple[Over, ...] = get_args(Over)

#: What "cannot tell" may count as.
Unsure = Literal["pass", "fail"]

UNSURE: tuple[Unsure, ...] = get_args(Unsure)

#: Limits by name, or texts `NAME=N`.
Limits = Mapping[str, float | str] | str | Sequence[str]

_AGE = re.compile(r"(\d+)\s*([dhw])")

_HOURS = {"h": 1, "d": 24, "w": 168}


@keywords
def gate(
    before: "ScoresLike",
    after: "ScoresLike",
    *,
    margin: float | str | Mapping[str, float | str],
    over: Over = "suite",
    tasks_too: bool = False,
    must: Limits | None = None,
    budget: Limits | None = None,
    unsure: Unsure | None = None,
    baseline_age: str | None = None,
    per_week: int | None = None,
    task_weights: Mapping[str, float] | None = None,
    system: str | None = None,
    names: tuple[str, str] = ("before", "after"),
    strict: bool = False,
    confidence_level: float = 0.95,
    **options: Any,
) -> Gate:
    """Say whether a new run may ship: PASS, FAIL or CANNOT TELL.

    It passes if the interval of the difference lies above −margin: the new run is better, or not worse by more than
    the margin. It fails if the interval lies below 0, and not above −margin. Otherwise the scores cannot tell. So a run
    that is worse by the margin passes in at most 2.5% of gates at 95% confidence, and one that is as good fails in at
    most 2.5%. That is about one gate: of many, some err, see `per_week`. If a column names five prompts or more, it
    holds for other prompts, too; in simulations up to 5% of such gates pass or fail wrongly.

    Instances that only the baseline has a score for may have failed: it passes only if it would with the worst score
    that the task has on all of them. Instances that only the new run has are left out; a note counts both.

    Parameters
    ----------
    before, after
        The baseline and the new run: paths, such as folders that a tool wrote, or what else `podium.rank` takes.
        Instances are matched, see `podium.source.named.joined`.
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
        "1.1x"; or a text, as on the command line: "cost=1.1x". The interval of the ratio holds the multiples that the
        test neither passes nor fails (Fieller 1954). It misses more often if the costs of one run alone have a long
        tail: of lognormal costs, σ = 0.3 against 1.5, in 20% of 60 instances.
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
    confidence_level
        Of every interval, between 0 and 1.
    options
        As `podium.read` takes them.

    Returns
    -------
    Gate

    Raises
    ------
    InputError
        The runs are the same, share no instance, are scored by different metrics, or on different scales; the new run
        lacks a task; a log is empty, cut off or unfinished; or the baseline is too old, or says no date.
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
    check_confidence(confidence_level)
    if per_week is not None:
        confidence_level = 1 - (1 - confidence_level) / checked_whole("per_week", per_week)
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
            f"{' and '.join(names)} have no scored instance in common; are they runs of the same tasks, with the same "
            "labels of instances?"
        )
    accepted, margins = margins_of(margin, scores)
    lacking, failed = with_failures(scores, names, pairs)
    compared, worst, bought = scores, failed, tuple[str, ...]()
    if scores.prompts:
        _refuse_of_prompts(over, budget)
        compared, told = shared(scores.take(rows))
        worst, bought = shared(failed)[0], tuple(told)
    if scores.human:
        if lacking:
            wrong = f"{names[1]} has no score on {how_many(lacking, 'instance')} of {names[0]}"
            raise InputError(
                f"{wrong}, so nothing is known of human scores there; score the same instances in both runs"
            )
        both = scores.take(rows)
        failed = worst = powered(both).table
        bought = powered(both, paired=True).notes
        pairs = [(task, task.covariates[scores.human]) for task in both.tasks]
    how: dict[str, Any] = {"names": names, "over": over, "margin": accepted, "confidence": confidence_level}
    suite, checks = whole_checks(compared, worst, lacking, **how)
    each = tasks_too or (isinstance(margin, Mapping) and set(margin) != {"*"})  # margins of tasks are for tasks
    if each:
        checks += task_checks(compared, worst if lacking else None, names, margins, confidence_level)
    checks += limit_checks(scores, failed, rows[1], limits_of("must=", must))
    checks += budget_checks(scores, names, limits_of("budget=", budget), confidence_level)
    broken, mended = _changed(pairs)
    return Gate(
        before=names[0],
        after=names[1],
        verdict=verdict_of(checks),
        checks=tuple(checks),
        suite=suite,
        margin=accepted,
        confidence=confidence_level,
        per_week=per_week,
        tasks=_differences(compared, names, margins if each else {}, confidence_level),
        broken=broken,
        mended=mended,
        items_needed=_needed(suite, checks[0], accepted, confidence_level)
        if over == "suite" and not compared.prompts
        else 0,
        unsure=unsure,
        notes=(*bought, *map(_weighed, scores.notes), *_notes(names, pairs, means=scores.task_level)),
        backend=scores.backend,
    )


def read_run(options: Mapping[str, Any], given: Any, name: str) -> Scores:
    """Read one or more paths with some options, or take scores as they are."""
    listed = given if isinstance(given, list | tuple) else [given]
    of_paths = bool(listed) and all(isinstance(one, str | PathLike) for one in listed)
    return (
        read([fspath(one) for one in listed], name=name, **options)
        if of_paths
        else as_scores(given, human=True, prompts=True)
    )


def read_baseline(given: Any, name: str, system: str | None, options: Mapping[str, Any]) -> Source:
    """Read a finished run of one system."""
    [source] = read_sources({name: given}, partial(read_run, options))
    refuse_unfinished([source])
    if source.scores.prompts:
        raise InputError("a run that goes on is watched by one prompt; leave prompt_column= (--prompt-column) out")
    return of_system(source, [source, source], system)


def _refuse_of_prompts(over: str, budget: Limits | None) -> None:
    """Refuse what says nothing of other prompts."""
    if over == "tasks":
        raise MethodError(
            f"other tasks are judged by these prompts only; use over='suite' (--over suite), or {THESE_ALONE}"
        )
    if limits_of("budget=", budget):
        raise MethodError(f"a budget is judged by these prompts only; leave budget= (--budget) out, or {THESE_ALONE}")


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


def _weighed(note: str) -> str:
    """Return a note; that the newest of several runs counts stands first, since a folder may hold too much."""
    return Misleading(note) if OLDER in note else note


def _notes(names: tuple[str, str], pairs: Sequence[tuple[Task, Floats]], *, means: bool) -> Iterator[str]:
    """Say what is left out, that instances are unknown, and that two runs are alike."""
    if means:
        yield "there are means alone; scores of instances tell more: log samples, as lm-eval does with --log_samples"
    if all(np.array_equal(values[0], values[1], equal_nan=True) for _, values in pairs):
        yield f"all scores of {names[0]} and {names[1]} are equal; make sure that they are not the same run"
    for place, name in enumerate(names):
        alone = sum(int((~np.isnan(values[place]) & np.isnan(values[1 - place])).sum()) for _, values in pairs)
        if alone:
            yield f"left out: {how_many(alone, 'instance')} that only {name} has a score for"


def _differences(
    scores: Scores, names: tuple[str, str], margins: Mapping[str, float], confidence: float
) -> tuple[GateTask, ...]:
    """Return the difference on each task that counts, the worst first."""
    found, rows = [], [scores.systems.index(name) for name in names]
    for task in scores.tasks:
        values = task.values[rows].astype(np.float64)
        both = ~np.isnan(values).any(axis=0)
        if not both.any() or not task.weight > 0:
            continue
        one = suite_effect(scores.select(tasks=[task.name]), *names, confidence=confidence)
        old, new = (float(np.average(own[both], weights=masses_of(task)[both])) for own in values)
        margin = margins.get(task.name, math.nan)
        found.append(GateTask(task.name, old, new, one.effect, one.low, one.high, margin))
    return tuple(sorted(found, key=lambda one: (one.effect, one.task)))


def _changed(pairs: Sequence[tuple[Task, Floats]]) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """Return instances that score less, and more, than before; largest changes first, else in order of the table."""
    found: list[tuple[float, Item]] = []
    for task, (old, new) in pairs:
        change = (new - old) if task.higher_is_better else (old - new)
        for place in np.flatnonzero(np.nan_to_num(change) != 0).tolist() if task.weight > 0 else ():
            label = "" if task.n_instances == 1 else str(place if task.instances is None else task.instances[place])
            found.append((float(change[place]), Item(task.name, label, float(old[place]), float(new[place]))))
    broken = tuple(item for change, item in sorted(found, key=lambda pair: pair[0]) if change < 0)
    mended = tuple(item for change, item in sorted(found, key=lambda pair: -pair[0]) if change > 0)
    return broken, mended


def _needed(suite: SuiteEffect | None, check: Check, margin: float, confidence: float) -> int:
    """Return how many more instances would settle it in 80% of cases, if the difference seen is the true one."""
    if suite is None or check.outcome != "cannot tell" or math.isnan(suite.low):
        return 0
    distance = suite.effect + margin if suite.effect > -margin else -suite.effect
    return max(suite.items_for(distance, confidence) - suite.n, 1) if distance > 0 else 0
