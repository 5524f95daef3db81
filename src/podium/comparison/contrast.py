"""Contrasts: every system against one control, on every task, on their common instances."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.comparison.effect import LEAST, EffectSize, Pairs, design_effect, effect_sizes, influences, mcnemar
from podium.score.cluster import Clusters
from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import Units, sharing
from podium.tally.engine.count import count
from podium.tally.moment import Comoments

#: Effects that only 0/1 scores have.
_OF_BINARY = frozenset({"rd", "or"})

#: Systems counted together with the control.
_TOGETHER = 16

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TaskContrast:
    """Every system against one control on one task.

    Arrays have a row for each system of the table. The control's own row is there and unused.

    Attributes
    ----------
    task
        Its scores.
    binary
        Whether all scores are 0 or 1.
    common
        Shape `(N,)`: on how many instances a treatment, in its row, and the control are both scored.
    pairs, sizes
        Shape `(N,)` each: joint moments, and effects.
    n_clusters
        Shape `(N,)`: how many clusters these instances are in; 0 where there are none.
    """

    task: Task
    binary: bool
    common: Floats
    pairs: Pairs
    sizes: EffectSize
    n_clusters: Floats

    def facts(self, treatment_row: int, control_row: int) -> dict[str, Any]:
        """What a meta-analysis says of the task beside the effect of a treatment."""
        task, pairs = self.task, self.pairs
        common = int(self.common[treatment_row])
        facts = {
            "task": task.name,
            "higher_is_better": task.higher_is_better,
            "n": common,
            "control_only": int(task.scored[control_row]) - common,
            "treatment_only": int(task.scored[treatment_row]) - common,
            "control_mean": _as_given(float(pairs.control[treatment_row]), task),
            "treatment_mean": _as_given(float(pairs.treatment[treatment_row]), task),
        }
        if self.binary and task.instance_weights is None:
            better, worse = (round(float(side[treatment_row])) for side in pairs.discordant)
            facts |= {"better": better, "worse": worse}
            if task.clusters is None:  # the test takes instances as independent
                facts["mcnemar"] = float(mcnemar(np.array(better), np.array(worse)))
        return facts

    def lean(self, treatment_row: int, control_row: int) -> float:
        """Third central moment of the differences over the second, Σ w (d − D)³ / Σ w (d − D)²; 0 of equal ones."""
        mean, variance = (float(of[treatment_row]) for of in (self.pairs.difference, self.pairs.difference_variance))
        if variance == 0:
            return 0.0
        if self.binary:  # d³ = d, and d² = 1 where the two differ
            return (mean - 3 * mean * (variance + mean**2) + 2 * mean**3) / variance
        task, spread = self.task, math.sqrt(variance)
        difference = oriented(task, treatment_row) - oriented(task, control_row)
        weights = np.ones_like(difference) if task.instance_weights is None else task.instance_weights
        here = ~np.isnan(difference)
        return spread * float(np.average(((difference[here] - mean) / spread) ** 3, weights=weights[here]))

    def constant(self, treatment_row: int) -> bool:
        """Whether both systems have the same score everywhere, on enough instances to have an effect."""
        pairs, enough = self.pairs, self.task.clusters is None or self.n_clusters[treatment_row] > 1
        same = pairs.mean_variance[treatment_row] == 0 == pairs.difference[treatment_row]
        return bool(same and enough and pairs.n[treatment_row] >= LEAST["md"] and self.task.weight > 0)

    def without_difference(self, treatment_row: int, size: float) -> Self:
        """Give an effect of 0, as sure as if on one of the instances the difference were of this size."""
        effect, variance, limited = (getattr(self.sizes, name).copy() for name in ("effect", "variance", "limited"))
        effect[treatment_row], limited[treatment_row] = 0.0, True
        variance[treatment_row] = (size / self.pairs.n[treatment_row]) ** 2
        return replace(self, sizes=EffectSize(effect, variance, limited))


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Every system against one control.

    Attributes
    ----------
    scores, control
        What was counted, and the label of the control.
    kind
        Short name of the effect.
    tasks
        One for each task.
    shared
        Sets of instances, or of clusters of these, that several tasks have in common.
    """

    scores: Scores
    control: str
    kind: str
    tasks: tuple[TaskContrast, ...]
    shared: tuple[Units, ...]

    def kept(self, treatment_row: int) -> list[TaskContrast]:
        """Tasks on which a treatment can be compared with the control, and whose weight is not 0."""
        return [one for one in self.tasks if np.isfinite(one.sizes.effect[treatment_row]) and one.task.weight > 0]


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
    binary = [_is_binary(task) for task in scores.tasks]
    if kind in _OF_BINARY and not all(binary):
        name = scores.tasks[binary.index(False)].name
        raise MethodError(f"effect {kind!r} needs scores that are 0 or 1, and task {name!r} has others; use 'smd'")
    control_row = scores.systems.index(control)
    tasks = []
    for task, is_binary, (common, moments) in zip(
        scores.tasks, binary, _moments_with_control(scores, control_row, threads, progress), strict=True
    ):
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is infinite, and refused by `analyse`
            pairs = _refined(moments, task, control_row)
            sizes = effect_sizes(pairs, kind, ddof=ddof)
        n_clusters = np.zeros(len(scores.systems))
        if task.clusters is not None:
            sizes, n_clusters = _clustered(sizes, pairs, task, task.clusters, control_row, kind=kind, ddof=ddof)
        tasks.append(TaskContrast(task, is_binary, common, pairs, sizes, n_clusters))
    return Contrasts(scores, control, kind, tuple(tasks), tuple(sharing(scores.tasks)))


def _clustered(
    sizes: EffectSize, pairs: Pairs, task: Task, clusters: Clusters, control_row: int, *, kind: str, ddof: int
) -> tuple[EffectSize, Floats]:
    """Make variances those of clusters, see `design_effect`; an effect on a single cluster cannot be known.

    Also numbers of clusters, shape `(N,)`. Where ½ is added to the numbers of an odds ratio, it is of a whole cluster.
    """
    factor, found = np.ones(len(sizes.effect)), np.zeros(len(sizes.effect))
    control = oriented(task, control_row)
    weights = np.ones(task.n_instances) if task.instance_weights is None else task.instance_weights
    for row in range(len(factor)):
        if row == control_row:
            continue
        treatment = oriented(task, row)
        both = in_common(task, treatment, control)
        found[row] = np.unique(clusters.numbers[both]).size
        if not np.isfinite(sizes.effect[row]):
            continue
        moved = influences(treatment[both], control[both], weights[both], kind)
        moved = np.zeros_like(moved) if sizes.limited[row] else moved
        factor[row] = design_effect(moved, weights[both], clusters.numbers[both], ddof=ddof)
    effect, variance = sizes.effect, sizes.variance
    if kind == "or":
        better, worse = (side + factor / 2 for side in pairs.discordant)
        effect = np.where(sizes.limited, np.log(better / worse), effect)
        variance = np.where(sizes.limited, 1 / better + 1 / worse, variance)
    effect = np.where(np.isnan(factor), np.nan, effect)
    return replace(sizes, effect=effect, variance=variance * factor), found


def _moments_with_control(
    scores: Scores, control_row: int, threads: int | None, progress: Progress | None
) -> list[tuple[Floats, Pairs]]:
    """Numbers of common instances, shape `(N,)`, and joint moments with the control, for each task.

    Joint moments are of every two systems, so many systems are counted a few at a time, each time with the control.
    """
    n_systems = len(scores.systems)
    others = [row for row in range(n_systems) if row != control_row]
    groups = [others[first : first + _TOGETHER] for first in range(0, len(others), _TOGETHER)] or [[]]
    common = [np.zeros(n_systems) for _ in scores.tasks]
    pairs = [Pairs.empty(n_systems) for _ in scores.tasks]
    before, total = 0, (len(others) + len(groups)) * scores.n_instances
    for group in groups:
        rows = sorted([control_row, *group])
        some = scores if len(rows) == n_systems else scores.select(systems=[scores.systems[row] for row in rows])
        share = None if progress is None else _share(progress, before, total)
        tallies = count(some, (Comoments,), threads=threads, progress=share)[Comoments]
        place = rows.index(control_row)
        for task, (tally, effective) in enumerate(zip(tallies, _effective(some, tallies, threads), strict=True)):
            common[task][rows] = tally.count[:, place]
            pairs[task] = pairs[task].filled(rows, Pairs.of(tally, effective).against(place))
        before += some.n_cells
    return list(zip(common, pairs, strict=True))


def _share(progress: Progress, before: int, total: int) -> Progress:
    """Progress of a part that follows others."""
    return lambda done, _: progress(before + done, total)


def _effective(scores: Scores, tallies: Sequence[Comoments], threads: int | None) -> list[Floats]:
    """Numbers of instances for every pair of systems, (Σ w)² / Σ w² where they weigh differently."""
    if all(task.instance_weights is None for task in scores.tasks):
        return [tally.count for tally in tallies]
    squared = count(scores.with_squared_weights(), (Comoments,), threads=threads)[Comoments]
    return [
        np.divide(tally.weight**2, squares.weight, out=np.zeros_like(squares.weight), where=squares.weight > 0)
        for tally, squares in zip(tallies, squared, strict=True)
    ]


def _refined(pairs: Pairs, task: Task, control_row: int) -> Pairs:
    """Measure differences themselves where moments of the scores are too coarse."""
    # The control does not differ from itself, so its own row always cancels.
    rows = [row for row in np.flatnonzero(pairs.cancelled).tolist() if row != control_row]
    if not rows:
        return pairs
    mean, variance = pairs.difference.copy(), pairs.difference_variance.copy()
    control = oriented(task, control_row)
    for row in rows:
        mean[row], variance[row] = _difference_moments(oriented(task, row), control, task.instance_weights)
    return replace(pairs, difference=mean, difference_variance=variance)


def oriented(task: Task, row: int) -> Floats:
    """Shape `(K,)`: scores of one system, turned so that higher is better; tallies have them turned already."""
    scores = np.concatenate([part[row] for part in task.parts]).astype(np.float64)
    return scores if task.higher_is_better else -scores


def in_common(task: Task, treatment: Floats, control: Floats) -> NDArray[np.bool_]:
    """Shape `(K,)`: the instances that have a score for both, and a weight above 0."""
    both = ~(np.isnan(treatment) | np.isnan(control))
    return both if task.instance_weights is None else both & (task.instance_weights > 0)


def _as_given(mean: float, task: Task) -> float:
    """Turn a mean of oriented scores back to the units as given; 0 without a sign, as −0 would print as "-0.0"."""
    return (mean if task.higher_is_better else -mean) + 0.0


def _difference_moments(treatment: Floats, control: Floats, weights: Floats | None) -> tuple[float, float]:
    """Mean and variance of differences, divided by n; that is 0 where it is no more than the scores are rounded by."""
    both = ~(np.isnan(treatment) | np.isnan(control))
    magnitude = np.maximum(np.abs(treatment[both]), np.abs(control[both])).max()
    difference = treatment[both] - control[both]
    mean = float(np.average(difference, weights=None if weights is None else weights[both]))
    variance = float(np.average((difference - mean) ** 2, weights=None if weights is None else weights[both]))
    return mean, variance if variance > (4 * np.finfo(np.float64).eps * magnitude) ** 2 else 0.0


def _is_binary(task: Task) -> bool:
    return all(bool(((part == 0) | (part == 1) | np.isnan(part)).all()) for part in task.parts)
