"""What a reader should know of a comparison of two systems before trusting it, in words."""

from collections.abc import Mapping, Sequence

import numpy as np

from podium.base.errors import MethodError
from podium.base.words import counted, few
from podium.comparison.contrast import Contrasts
from podium.comparison.effect import LEAST
from podium.comparison.result import MetaAnalysis
from podium.comparison.sentence import cochran

#: Ratio of the spreads of scores of two tasks above which they are hardly in the same units.
_OTHER_UNITS = 10.0

#: Instances below which the variance of an effect is itself hardly known.
_SMALL = 10

_ONE_APART = "variances are taken as if on one instance they had nothing to do with each other"

#: What is done where an effect or its variance is a limit, for each effect.
_LIMITS = {
    **dict.fromkeys(("md", "rd"), "on {} all differences are the same: " + _ONE_APART),
    "smd": "on {} one system's scores follow from the other's: " + _ONE_APART,
    "corr": "on {} one system's scores follow from the other's: a correlation of 1 is taken as 1 − 1/n",
    "or": "on {} one system or both are never alone in being right: half an instance is added to both sides",
}


#: Said where a table of treatments has no place for groups.
_GROUPED = "summaries of groups are in `analyses`, and in the JSON"


def left_out(contrasts: Contrasts, at: int, kept: Sequence[int]) -> list[str]:
    """Say which tasks are not compared, and why.

    Parameters
    ----------
    contrasts
        Of every system with one control.
    at
        Row of the treatment.
    kept
        Numbers of the tasks that are compared.
    """
    least = counted(LEAST[contrasts.kind], "instance")
    reasons: dict[str, list[str]] = {}
    for row, task in enumerate(contrasts.scores.tasks):
        if row in kept:
            continue
        n, common = float(contrasts.pairs[row].n[at]), int(contrasts.common[row][at])
        if not task.weight:
            reasons.setdefault("weight 0", []).append(task.name)
        elif n < LEAST[contrasts.kind]:
            worth = f" that are worth {n:.3g}" if n < 0.999 * common else ""
            reasons.setdefault(f"fewer than {least} scored for both", []).append(f"{task.name} ({common}{worth})")
        else:
            reasons.setdefault("scores do not vary, so nothing is known of their chance", []).append(task.name)
    return [f"left out, for {why}: {few(names)}" for why, names in reasons.items()]


def doubts(contrasts: Contrasts, at: int, kept: Sequence[int]) -> list[str]:
    """Say what to know of the tasks that are compared; parameters as of `left_out`."""
    tasks = [contrasts.scores.tasks[row] for row in kept]
    scored = (int(task.scored[[at, contrasts.here]].sum()) for task in tasks)
    alone = [total - 2 * int(contrasts.common[row][at]) for total, row in zip(scored, kept, strict=True)]
    limited = [task.name for task, row in zip(tasks, kept, strict=True) if contrasts.sizes[row].limited[at]]
    small = [task.name for task, row in zip(tasks, kept, strict=True) if contrasts.pairs[row].n[at] < _SMALL]
    notes = []
    if any(alone):
        names = few([task.name for task, number in zip(tasks, alone, strict=True) if number])
        notes.append(f"{counted(sum(alone), 'instance')} scored for one of the two only are left out, on {names}")
    if limited:
        notes.append(_LIMITS[contrasts.kind].format(few(limited)))
    if small:
        notes.append(f"fewer than {_SMALL} common instances on {few(small)}, so the variance there is hardly known")
    if contrasts.shared:
        sets = f"{counted(contrasts.shared, 'set')} of instances in several tasks"
        notes.append(f"{sets}: effects on the same items are pooled as if independent, so the summary is too sure")
    if lower := [task.name for task in tasks if not task.higher_is_better]:
        notes.append(f"lower is better on {few(lower)}: effects there are turned, so that positive is better")
    if contrasts.scores.tie_tolerance:
        notes.append("the tie tolerance is not used: effects are of scores as they are")
    if len({task.weight for task in tasks}) > 1:
        notes.append("task weights are not used: tasks are weighed by how precisely their effects are known")
    return notes + _units(contrasts, at, kept)


def _units(contrasts: Contrasts, at: int, kept: Sequence[int]) -> list[str]:
    """Doubt that tasks are in the same units, where mean differences are pooled."""
    spreads = [spread for row in kept if (spread := float(np.sqrt(contrasts.pairs[row].within[at]))) > 0]
    if contrasts.kind != "md" or not spreads or max(spreads) < _OTHER_UNITS * min(spreads):
        return []
    ratio = f"{max(spreads) / min(spreads):,.0f}"
    said = f"scores of one task spread {ratio} times as much as those of another"
    return [f"{said}; if their units differ, take effect 'smd'"]


def notes_on(analysis: MetaAnalysis, *, most: int) -> list[str]:
    """Say what to know before trusting a summary of tasks, of which at most so many are left out in turn."""
    if len(analysis) == 1:
        return ["there is one task: its own normal interval stands for the summary, and nothing is known of others"]
    notes = []
    low, high = sorted((analysis.summary.low, analysis.summary.high))
    significant = not low <= analysis.measure.null <= high
    turns = [
        task.task
        for task, rest in zip(analysis.tasks, analysis.without, strict=False)
        if (not rest.low <= analysis.measure.null <= rest.high) != significant
    ]
    if turns and len(analysis) > 2:
        end = "no longer differs" if significant else "would differ"
        which = few(turns) if len(turns) == 1 else f"any one of {few(turns)}"
        notes.append(f"without {which} the summary {end} from no effect")
    if len(analysis) > most:
        notes.append(f"with {counted(len(analysis), 'task')}, none is left out in turn")
    if len(analysis) < 5 and analysis.estimator != "fixed":
        notes.append(f"with {counted(len(analysis), 'task')}, how much tasks differ is hardly known")
    if analysis.summary.q < (len(analysis) - 1) / 2 and analysis.interval == "knapp-hartung" and len(analysis) < 10:
        notes.append(
            f"effects happen to be more alike than chance lets expect (Q = {cochran(analysis.summary.q)}), which "
            "narrows the Knapp–Hartung interval; the normal one (--interval normal) does not rest on that"
        )
    return notes


def common_notes(
    analyses: Sequence[MetaAnalysis], failed: Mapping[str, MethodError], *, grouped: bool
) -> tuple[str, ...]:
    """What holds of all, what is left out and for whom, and that there is more to know of some."""
    common = [note for note in analyses[0].notes if all(note in one.notes for one in analyses)]
    own = [(one.treatment, note) for one in analyses for note in one.notes if note not in common]
    out = [f"{treatment}: {note}" for treatment, note in own if note.startswith("left out")]
    more = dict.fromkeys(treatment for treatment, note in own if not note.startswith("left out"))
    notes = [*common, *(f"{treatment} is left out: {error}" for treatment, error in failed.items()), *out]
    if more:
        notes.append(f"there is more to know of {few(list(more))}: compare them one by one, or see the JSON")
    return (*notes, *([_GROUPED] if grouped else []))
