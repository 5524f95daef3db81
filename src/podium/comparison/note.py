"""What a reader should know of a comparison of two systems before trusting it, in words."""

from collections.abc import Mapping, Sequence
from math import isinf, isnan

import numpy as np
from numpy.typing import NDArray

from podium.base.words import Aside, Doubt, Misleading, beginning, how_many, rounded_percent, weighing_as, with_names
from podium.comparison.effects import EFFECTS, Contrasts, paired
from podium.comparison.pooling import Pooling
from podium.comparison.random_effects import INTERVAL_KINDS, INTERVALS
from podium.comparison.result import MetaAnalysis
from podium.comparison.suite import SuiteEffect
from podium.comparison.summary import Summary, TaskEffect, cochran
from podium.score.table import Scores
from podium.score.task import Task, scale_end, unlike_scales
from podium.score.units import numbered, units_among

#: Instances below which the variance of an effect is itself uncertain.
_SMALL = 10

#: Said of a single task, unless its verdict says it.
ONE_TASK = "with one task nothing is known of others"

#: What a mean difference is exchanged for where it misleads.
_INSTEAD = "use effect 'smd' (-e smd)"

_UNCERTAIN = ", so the variance there is uncertain"

#: Tasks from which a note names influential ones: metafor's rules find some among 5 equal ones in most analyses, and
#: among 10 in a quarter.
_FROM = 10


def left_out(contrasts: Contrasts, row: int) -> list[str]:
    """Say on which tasks a treatment is not compared, and why."""
    least, kept = EFFECTS[contrasts.kind].least, set(contrasts.kept(row))
    reasons: dict[str, list[str]] = {}
    for at, task in enumerate(contrasts.scores.tasks):
        if at in kept:
            continue
        n, common, name = float(contrasts.pairs.n[at, row]), int(contrasts.common[at, row]), task.name
        why = "the scores do not vary" if task.weight else "weight 0"
        if task.weight and task.clusters is not None and contrasts.n_clusters[at, row] < 2:
            why = "all instances are in one cluster"
        if task.weight and n < least:
            why = f"fewer than {how_many(least, 'instance')} scored for both systems"
            name += f" ({common}, effective number {n:.3g})" if n < 0.999 * common else f" ({common})"
        reasons.setdefault(why, []).append(name)
    return [with_names(f"left out ({why}): ", names) for why, names in reasons.items()]


def doubts(contrasts: Contrasts, row: int) -> list[str]:
    """Say what to know of the tasks on which a treatment is compared."""
    kept, scores = contrasts.kept(row), contrasts.scores
    tasks, notes = [scores.tasks[at] for at in kept], []

    def named(which: NDArray[np.bool_]) -> list[str]:
        return [task.name for task, one in zip(tasks, which.tolist(), strict=True) if one]

    pair = [row, contrasts.control_row]
    scored = np.array([task.scored[pair].sum() for task in tasks], dtype=np.int64)
    alone = scored - 2 * contrasts.common[kept, row].astype(np.int64)
    if alone.any():
        unused = how_many(int(alone.sum()), "instance")
        before = f"not used: {unused} with a score for only one of the two systems, on "
        notes.append(with_names(before, named(alone != 0)))
    if limited := named(contrasts.sizes.limited[kept, row]):
        before, _, after = EFFECTS[contrasts.kind].limit.partition("{}")
        notes.append(with_names(before, limited, after, most=3))
    if small := named(contrasts.pairs.n[kept, row] < _SMALL):
        notes.append(with_names(f"fewer than {_SMALL} common instances on ", small, _UNCERTAIN))
    notes += _of_clusters(contrasts, kept, row)
    if lower := [task.name for task in tasks if not task.higher_is_better]:
        sign = "; effects there change sign, so that positive is better"
        notes.append(with_names("lower is better on ", lower, sign))
    if scores.tie_tolerance:
        notes.append(Aside("the tie tolerance has no influence on effects"))
    if len({task.weight for task in tasks}) > 1:
        notes.append("task weights are not used; tasks with a more precise effect count more")
    if contrasts.kind == "md":
        means = np.abs(contrasts.pairs.control[kept, row]).tolist()
        sizes = {task.name: size for task, size in zip(tasks, means, strict=True)}
        notes += unlike_scales(sizes, _INSTEAD) or _unlike_metrics(scores, tasks)
    return notes


def _unlike_metrics(scores: Scores, tasks: Sequence[Task]) -> list[str]:
    """Note that a mean over tasks adds different metrics, if they are known and not on one scale."""
    metrics = {task: scores.metric_of(task.name) for task in tasks}
    if not all(metrics.values()) or len(set(metrics.values())) < 2:
        return []
    scales = {task: scale_end(task) for task in metrics}
    if len(set(scales.values())) == 1 and not isinf(next(iter(scales.values()))):
        return []
    odd = max(metrics, key=lambda task: scales[task])
    other = next(task for task, metric in metrics.items() if metric != metrics[odd])
    both = ", ".join(f"{beginning(task.name, 20)}: {metrics[task]}" for task in (odd, other))
    return [Misleading(f"metrics differ ({both}), so a mean misleads; {_INSTEAD}")]


def _of_clusters(contrasts: Contrasts, kept: Sequence[int], row: int) -> list[str]:
    """Say what to know of tasks whose instances have clusters."""
    tasks, found = contrasts.scores.tasks, set[tuple[object, str]]()
    kept = [at for at in kept if tasks[at].clusters is not None]
    if not kept:
        return []
    sets = {at: units.tasks for units in contrasts.shared for at in units.tasks}
    for at in kept:
        task, clusters = tasks[at], tasks[at].clusters
        if clusters is not None:  # of those that several tasks share each counts once
            numbers = np.unique(clusters.numbers[paired(task, row, contrasts.control_row)[3]]).tolist()
            found |= {(sets.get(at, at), clusters.names[number]) for number in numbers}
    notes = [f"the variance of each effect is that of whole clusters, {len(found):,} over all tasks"]
    if loose := [tasks[at].name for at in kept if contrasts.n_clusters[at, row] < _SMALL]:
        notes.append(with_names(f"fewer than {_SMALL} clusters on ", loose, _UNCERTAIN))
    shared = (units.clusters for units in units_among([tasks[at] for at in kept]) if len(units.tasks) > 1)
    if any(numbered(np.array(names)) for names in shared if names is not None):
        notes.append("tasks that number their clusters alike count as independent; name clusters that are the same")
    return notes


def notes_on(  # noqa: PLR0917  # as a summary has them
    summary: Summary,
    tasks: Sequence[TaskEffect],
    leave_one_out: Sequence[Summary],
    null: float,
    pooling: Pooling,
    variance: NDArray[np.float64],
) -> list[str]:
    """Say what to know before trusting a summary of tasks; `leave_one_out` has one for each task left out, or none."""
    if summary.k == 1:
        return [ONE_TASK]
    notes: list[str] = []
    significant = not summary.low <= null <= summary.high
    turns = [
        task.task
        for task, rest in zip(tasks, leave_one_out, strict=False)
        if not isnan(rest.low) and (not rest.low <= null <= rest.high) != significant
    ]
    if turns and summary.k > 2:
        would = "would" if significant else "would no longer"
        before = "without " if len(turns) == 1 else "without any one of "
        change = f", the interval of the summary {would} contain {null:g} (no effect)"
        notes.append(Doubt(with_names(before, turns, change)))
    if not leave_one_out:
        notes.append(f"there are {summary.k:,} tasks, too many to leave each one out in turn")
    if summary.k < 5 and pooling.estimator != "fixed":
        notes.append(f"{how_many(summary.k, 'task')} are too few to know well how much tasks differ")
    clusters = len({task.cluster or task.task for task in tasks})
    return notes + _narrow(summary, clusters, sorted(variance.tolist()), pooling)


def on_two_answers(suite: SuiteEffect, summary: Summary, tasks: Sequence[TaskEffect]) -> list[str]:
    """Say why tasks like these are said to differ in effect where these are not: which task weighs otherwise."""
    if summary.k < 2 or not suite.low <= 0 <= suite.high or summary.low <= 0 <= summary.high:
        return []
    moved = max(tasks, key=lambda task: abs((task.weight - 1 / len(tasks)) * (task.effect - summary.effect)))
    counts = f"{rounded_percent(moved.weight)} in the second and {rounded_percent(1 / len(tasks))} in the first"
    said = f"the first answer weighs tasks as rank does, the second by precision: {beginning(moved.task, 20)} counts "
    return [Doubt(said + counts)]


def on_runs(suites: Sequence[SuiteEffect]) -> list[str]:
    """Say which differences are smaller than what two single runs of one system differ by."""
    small = [one for one in suites if abs(one.effect) < one.noise]
    if not small:
        return []
    if len(suites) > 1:
        said = f"{len(small):,} of {len(suites):,} treatments differ from the control by less"
    else:
        said = "the two systems differ by less"
    return [Doubt(f"{said} than two single runs of one system may, so one run of each may say the opposite")]


def _narrow(summary: Summary, clusters: int, variances: Sequence[float], pooling: Pooling) -> list[str]:
    """Say where the interval of several tasks, least variance first, may hold less often than it says."""
    k, interval, notes = summary.k, pooling.interval, list[str]()
    units = how_many(clusters, "cluster") if interval == "cr2" else how_many(k, "task")
    widest = INTERVAL_KINDS[interval].widest(clusters if interval == "cr2" else k)
    if pooling.estimator != "fixed" and _unlike(variances, interval) > widest:
        # Few tasks are reason enough where even equal variances would be too unlike.
        ratio = variances[-1] / variances[0]
        times = f"{ratio:,.0f}" if ratio < 1e6 else "over 1,000,000"
        and_unlike = f" and variances that differ 1 : {times}" if widest >= 1 else ""
        mends = clusters > 1 and interval not in {INTERVALS[0], "cr2"}
        safe = mends and _unlike(variances, INTERVALS[0]) <= INTERVAL_KINDS[INTERVALS[0]].widest(k)
        instead = "the default interval is not" if safe else "take it as a hint"
        notes.append(Doubt(f"with {units}{and_unlike}, this interval may be too narrow; {instead}"))
    elif interval == "knapp-hartung" and k < 10 and summary.q < (k - 1) / 2:
        notes.append(
            f"effects differ less than chance predicts (Q = {cochran(summary.q)}), so plain Knapp–Hartung may be too "
            "narrow; the default interval is not"
        )
    if pooling.estimator == "dl" and interval == "normal" and summary.q < k - 1:
        notes.append("τ² is cut off at 0; Ranger's released code goes below 0 here, so its numbers differ")
    return notes


def _unlike(variances: Sequence[float], interval: str) -> float:
    """Say how unlike variances are: few precise tasks harm; few blunt ones do only where the factor may be below 1."""
    least, middle, most = variances[0], variances[len(variances) // 2], variances[-1]
    return most / least if interval in {"knapp-hartung", "cr2"} else max(middle, most / 10) / least


def influence_notes(tasks: Sequence[TaskEffect]) -> list[str]:
    """Name tasks that move the summary much, by metafor's rules; of fewer tasks these name some nearly always."""
    moving = [task.task for task in tasks if task.influential]
    if not moving or len(tasks) < _FROM:
        return []
    one = "it" if len(moving) == 1 else "them"
    return [with_names("the summary depends much on ", moving, f"; report it with and without {one}")]


def common_notes(
    analyses: Sequence[MetaAnalysis], missing: Mapping[str, Sequence[str]], failed: Sequence[str], *, grouped: bool
) -> tuple[str, ...]:
    """Return what holds for all analyses, what is left out in some, and which have more notes.

    `missing` has the notes of each treatment on tasks that are left out, and `failed` the treatments without analysis.
    """
    common = [note for note in analyses[0].notes if all(note in one.notes for one in analyses)]
    alone = f"; compare each with {analyses[0].control} alone to see why"
    notes = [*common, *([with_names("left out: ", failed, alone)] if failed else [])]
    more = []
    for one in analyses:
        treatment, left = one.treatment, missing[one.treatment]
        notes += [weighing_as(note, f"{treatment}: {note}") for note in left if note not in common]
        if not {*one.notes} <= {*common, *left}:
            more.append(treatment)
    if more:
        notes.append(with_names("there are more notes on ", more, "; JSON has them with each analysis"))
    return (*notes, *(["the summaries of groups are in `analyses` and in the JSON output"] if grouped else []))
