"""What a reader should know of a comparison of two systems before trusting it, in words."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from podium.base.words import counted, few
from podium.comparison.effect import LEAST, EffectSize, Pairs
from podium.score.table import Scores

Floats = NDArray[np.float64]

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


class Contrasted(Protocol):
    """What notes are made of; see `podium.comparison.contrast.Contrasts`."""

    @property
    def scores(self) -> Scores:
        """What was counted."""

    @property
    def here(self) -> int:
        """Row of the control."""

    @property
    def kind(self) -> str:
        """Short name of the effect."""

    @property
    def common(self) -> tuple[Floats, ...]:
        """Instances that each system has in common with the control, by task."""

    @property
    def pairs(self) -> tuple[Pairs, ...]:
        """Joint moments, by task."""

    @property
    def sizes(self) -> tuple[EffectSize, ...]:
        """Effects, by task."""

    @property
    def shared(self) -> int:
        """Number of sets of instances that several tasks have in common."""


def left_out(contrasts: Contrasted, at: int, kept: Sequence[int]) -> list[str]:
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


def doubts(contrasts: Contrasted, at: int, kept: Sequence[int]) -> list[str]:
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


def _units(contrasts: Contrasted, at: int, kept: Sequence[int]) -> list[str]:
    """Doubt that tasks are in the same units, where mean differences are pooled."""
    spreads = [spread for row in kept if (spread := float(np.sqrt(contrasts.pairs[row].within[at]))) > 0]
    if contrasts.kind != "md" or not spreads or max(spreads) < _OTHER_UNITS * min(spreads):
        return []
    ratio = f"{max(spreads) / min(spreads):,.0f}"
    said = f"scores of one task spread {ratio} times as much as those of another"
    return [f"{said}; if their units differ, take effect 'smd'"]
