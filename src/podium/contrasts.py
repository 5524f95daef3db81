"""Contrasts: every system against one control, on every task, as far as their common instances tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.effects import LEAST, EffectSize, Pairs, effect_sizes, mcnemar
from podium.engine import Progress, count
from podium.errors import MethodError
from podium.meta_analyses import MetaAnalysis
from podium.scores import Scores, Task
from podium.summaries import Beside
from podium.synthesis import Pooling, synthesise
from podium.tallies import Comoments
from podium.tallies.draws import shared_sets
from podium.wording import counted, few

__all__ = ["Contrasts", "contrast"]

#: Effects that only 0/1 scores have.
_OF_BINARY = frozenset({"rd", "or"})

#: Ratio of the spreads of scores of two tasks above which they are hardly in the same units.
_OTHER_UNITS = 10.0

#: Instances below which the variance of an effect is itself hardly known.
_SMALL = 10

#: What is done where all differences are the same, for each effect.
_LIMIT = {
    **dict.fromkeys(
        ("md", "smd", "rd"), "their variance is taken as if one instance had differed by a standard deviation"
    ),
    "corr": "a correlation of 1 or −1 is taken as 1 / 2n less",
    "or": "where one side has no instance, both get half a one more",
}

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Every system against one control on T tasks.

    Attributes
    ----------
    scores, control
        What was counted, and the label of the control.
    kind
        Short name of the effect.
    pairs, sizes
        One for each task, shape `(N,)`: treatments.
    common
        The same: on how many instances treatment and control are both scored.
    binary
        Of each task, whether all scores are 0 or 1.
    """

    scores: Scores
    control: str
    kind: str
    common: tuple[Floats, ...]
    pairs: tuple[Pairs, ...]
    sizes: tuple[EffectSize, ...]
    binary: tuple[bool, ...]

    def analysis(
        self,
        treatment: str,
        pooling: Pooling,
        groups: Mapping[str, Sequence[str]] | None,
        beside: Mapping[str, Scores] | None,
    ) -> MetaAnalysis:
        """Pool the tasks on which a treatment can be compared with the control."""
        at = self.scores.systems.index(treatment)
        known = [bool(np.isfinite(size.effect[at])) for size in self.sizes]
        kept = [row for row, task in enumerate(self.scores.tasks) if known[row] and task.weight > 0]
        if not kept:
            why = "; ".join(self._left_out(at, kept))
            raise MethodError(f"{treatment!r} cannot be compared with {self.control!r} on any task: {why}")
        tasks = [self.scores.tasks[row] for row in kept]
        return synthesise(
            np.array([self.sizes[row].effect[at] for row in kept]),
            np.array([self.sizes[row].variance[at] for row in kept]),
            [self._detail(row, at) for row in kept],
            kind=self.kind,
            pooling=pooling,
            groups=groups,
            control=self.control,
            treatment=treatment,
            beside=tuple(
                _beside(name, other, (self.control, treatment), tasks) for name, other in (beside or {}).items()
            ),
            binary=all(self.binary[row] for row in kept),
            notes=(*self.scores.notes, *self._left_out(at, kept), *self._doubts(at, kept)),
            backend=self.scores.backend,
        )

    @property
    def _here(self) -> int:
        """Row of the control."""
        return self.scores.systems.index(self.control)

    def _detail(self, row: int, at: int) -> dict[str, Any]:
        """What a meta-analysis says of a task beside the effect."""
        task, pairs = self.scores.tasks[row], self.pairs[row]
        sign = 1.0 if task.higher_is_better else -1.0
        common = int(self.common[row][at])
        detail = {
            "task": task.name,
            "n": common,
            "control_only": int(task.scored[self._here]) - common,
            "treatment_only": int(task.scored[at]) - common,
            "control_mean": sign * float(pairs.control[at]) + 0.0,
            "treatment_mean": sign * float(pairs.treatment[at]) + 0.0,
        }
        if self.binary[row] and task.instance_weights is None:
            better, worse = (round(float(side[at])) for side in pairs.discordant)
            detail |= {"better": better, "worse": worse, "mcnemar": float(mcnemar(np.array(better), np.array(worse)))}
        return detail

    def _left_out(self, at: int, kept: Sequence[int]) -> list[str]:
        """Tasks that are not compared, and why."""
        few_common, constant, weightless = [], [], []
        for row, task in enumerate(self.scores.tasks):
            if row in kept:
                continue
            if not task.weight:
                weightless.append(task.name)
            elif self.pairs[row].n[at] < LEAST[self.kind]:
                few_common.append(f"{task.name} ({int(self.common[row][at])})")
            else:
                constant.append(task.name)
        least = counted(LEAST[self.kind], "instance")
        reasons = {
            f"fewer than {least} scored for both": few_common,
            "scores do not vary, so nothing is known of their chance": constant,
            "weight 0": weightless,
        }
        return [f"left out, for {why}: {few(names)}" for why, names in reasons.items() if names]

    def _doubts(self, at: int, kept: Sequence[int]) -> list[str]:
        """What to know of the tasks that are compared."""
        tasks = [self.scores.tasks[row] for row in kept]
        scored = (int(task.scored[[at, self._here]].sum()) for task in tasks)
        alone = [total - 2 * int(self.common[row][at]) for total, row in zip(scored, kept, strict=True)]
        limited = [self.scores.tasks[row].name for row in kept if self.sizes[row].limited[at]]
        small = [self.scores.tasks[row].name for row in kept if self.pairs[row].n[at] < _SMALL]
        notes = []
        if any(alone):
            names = few([task.name for task, number in zip(tasks, alone, strict=True) if number])
            notes.append(f"{counted(sum(alone), 'instance')} scored for one of the two only are left out, on {names}")
        if limited:
            notes.append(f"all differences are the same on {few(limited)}: {_LIMIT[self.kind]}")
        if small:
            notes.append(f"fewer than {_SMALL} common instances on {few(small)}, so the variance there is hardly known")
        return notes + _shared(tasks) + self._units(at, kept) + _weighted(tasks)

    def _units(self, at: int, kept: Sequence[int]) -> list[str]:
        """Doubt that tasks are in the same units, where mean differences are pooled."""
        spreads = [spread for row in kept if (spread := float(np.sqrt(self.pairs[row].within[at]))) > 0]
        if self.kind != "md" or not spreads or max(spreads) < _OTHER_UNITS * min(spreads):
            return []
        ratio = f"{max(spreads) / min(spreads):,.0f}"
        said = f"scores of one task spread {ratio} times as much as those of another"
        return [f"{said}; if their units differ, take effect 'smd'"]


def _shared(tasks: Sequence[Task]) -> list[str]:
    """Warn where effects that are pooled as independent are of the same items."""
    shared = shared_sets(tasks)
    if not shared:
        return []
    sets = f"{counted(shared, 'set')} of instances in several tasks"
    return [f"{sets}: effects on the same items are pooled as if independent, so the summary is too sure"]


def _weighted(tasks: Sequence[Task]) -> list[str]:
    if len({task.weight for task in tasks}) == 1:
        return []
    return ["task weights are not used: tasks are weighed by how precisely their effects are known"]


def contrast(
    scores: Scores,
    control: str,
    kind: str,
    *,
    ddof: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Contrasts:
    """Count joint moments, and measure the effect of every system against the control.

    Parameters
    ----------
    scores, control, kind, threads, progress
        See `podium.compare`.
    ddof
        Variances of scores are divided by n − ddof.

    Raises
    ------
    MethodError
        The effect is for 0/1 scores, and these are others.
    """
    binary = tuple(_is_binary(task) for task in scores.tasks)
    if kind in _OF_BINARY and not all(binary):
        name = scores.tasks[binary.index(False)].name
        raise MethodError(f"effect {kind!r} is for scores that are 0 or 1; task {name!r} has others: take 'smd'")
    tallies = count(scores, (Comoments,), threads=threads, progress=progress)[Comoments]
    effective = _effective(scores, tallies, threads)
    here = scores.systems.index(control)
    pairs = tuple(Pairs.of(*both).against(here) for both in zip(tallies, effective, strict=True))
    return Contrasts(
        scores=scores,
        control=control,
        kind=kind,
        common=tuple(tally.count[:, here] for tally in tallies),
        pairs=pairs,
        sizes=tuple(effect_sizes(each, kind, ddof=ddof) for each in pairs),
        binary=binary,
    )


def _effective(scores: Scores, tallies: Sequence[Comoments], threads: int | None) -> list[Floats]:
    """Numbers of instances for every pair of systems, (Σ w)² / Σ w² where they weigh differently."""
    if all(task.instance_weights is None for task in scores.tasks):
        return [tally.count for tally in tallies]
    squared = count(scores.with_squared_weights(), (Comoments,), threads=threads)[Comoments]
    return [
        np.divide(tally.weight**2, squares.weight, out=np.zeros_like(squares.weight), where=squares.weight > 0)
        for tally, squares in zip(tallies, squared, strict=True)
    ]


def _is_binary(task: Task) -> bool:
    return all(bool(((part == 0) | (part == 1) | np.isnan(part)).all()) for part in task.parts)


def _beside(name: str, scores: Scores, systems: Sequence[str], tasks: Sequence[Task]) -> Beside:
    """Means of another measure, on the tasks of an analysis; NaN where it has none."""
    there = {task.name: task for task in scores.tasks}
    rows = [scores.systems.index(label) if label in scores.systems else None for label in systems]
    means = [tuple(_mean(there.get(task.name), row) for task in tasks) for row in rows]
    return Beside(name, *means)


def _mean(task: Task | None, row: int | None) -> float:
    if task is None or row is None or not task.scored[row]:
        return float("nan")
    return float(np.nansum(task.values[row], dtype=np.float64) / task.scored[row])
