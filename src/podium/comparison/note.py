"""What a reader should know of a comparison of two systems before trusting it, in words."""

from collections.abc import Mapping, Sequence
from math import isnan

import numpy as np
from numpy.typing import NDArray

from podium.base.words import Doubt, beginning, how_many, rounded_percent, weighing_as, with_names
from podium.comparison.pooling import INTERVAL_KINDS, INTERVALS, Pooling
from podium.comparison.result import MetaAnalysis
from podium.comparison.suite import SuiteEffect
from podium.comparison.summary import Moderation, Summary, TaskEffect, cochran

#: Said of a single task, unless its verdict says it.
ONE_TASK = "with one task nothing is known of others"

#: Tasks from which a note names influential ones: metafor's rules find some among 5 equal ones in most analyses, and
#: among 10 in a quarter.
_FROM = 10


#: Tasks for each coefficient below which a note says that they are few, as the Cochrane Handbook has it (10.11.4).
_ENOUGH = 10


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


def moderation_notes(moderation: Moderation, variance: NDArray[np.float64], how: Pooling) -> list[str]:
    """Say what to know before trusting coefficients; see docs/validation.md."""
    k, tested, notes = variance.size, len(moderation.coefficients) - 1, []
    if how.estimator != "fixed" and variance.max() > INTERVAL_KINDS[how.interval].moderated * variance.min():
        notes.append(
            "a moderator that is noise looks real too often with this interval; the default (--interval) is safe"
        )
    if k < _ENOUGH * tested and not moderation.qm_p < 1 - how.confidence:
        what = f"{how_many(k, 'task')} for {how_many(tested, 'coefficient')}"
        notes.append(f"{what} show large differences only; no sign of one does not mean that there is none")
    return notes
