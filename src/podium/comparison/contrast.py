"""Every system against one control: who that is, joint moments, the effects that they give, what to know of them."""

import fnmatch
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isinf
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.check import is_one_of
from podium.base.errors import LabelError, MethodError, nearest
from podium.base.parallel import Progress
from podium.base.words import Aside, Misleading, beginning, few, how_many, with_names
from podium.comparison.effects import EFFECTS, EffectSize, Pairs, design_effect, effect_sizes, mcnemar
from podium.score.table import Scores
from podium.score.task import Task, is_binary, scale_end, unlike_scales
from podium.score.units import Units, numbered, sharing, units_among
from podium.tally.count import count
from podium.tally.moment import Comoments

#: Instances below which the variance of an effect is itself uncertain.
_SMALL = 10

#: What a mean difference is exchanged for where it misleads.
_INSTEAD = "use effect 'smd' (-e smd)"

_UNCERTAIN = ", so the variance there is uncertain"


def against_control(scores: Scores, control: str | None, treatment: str | None) -> tuple[str, str | None]:
    """Settle who is compared with whom, see `settle_roles`; refuse a table of more systems without a control."""
    control, treatment = settle_roles(scores.systems, control, treatment)
    if control is None:
        raise MethodError(f"name the control=; the systems are {few([repr(label) for label in scores.systems], 20)}")
    return control, treatment


def settle_roles(systems: Sequence[str], control: str | None, treatment: str | None) -> tuple[str | None, str | None]:
    """Settle who is compared with whom: of two systems the first is the control, unless one has a role.

    Raises
    ------
    LabelError
        There is no such system, or several match.
    MethodError
        Both are the same.
    """
    control = None if control is None else system_named(systems, "control", control)
    treatment = None if treatment is None else system_named(systems, "treatment", treatment)
    if control is not None and treatment == control:
        raise MethodError(f"control and treatment are both {control!r}; name two systems")
    if len(systems) == 2:
        control = control or next(label for label in systems if label != treatment)
        treatment = treatment or next(label for label in systems if label != control)
    return control, treatment


def system_named(systems: Sequence[str], role: str, label: Any) -> str:
    """Return the system of a name, or else the only one that matches a pattern, or whose name has a part.

    Raises
    ------
    LabelError
        There is no such system, or several match.
    """
    if is_one_of(label, systems):
        return str(label)
    found = fnmatch.filter(systems, label) if isinstance(label, str) else []
    if isinstance(label, str) and label and not found:
        found = [system for system in systems if label.casefold() in system.casefold()]
    if len(found) == 1:
        return found[0]
    if isinstance(label, list | tuple):
        both = "podium.compare_all(scores, control, systems=[control, …])"
        raise LabelError(f"the {role} is one system, not {list(label)!r}; several with one control: {both}")
    if found:
        raise LabelError(f"the {role} {label!r} may be {few(list(map(repr, found)), 20)}; name one")
    raise LabelError(f"there is no system {label!r} to be the {role}; {nearest(str(label), systems)}")


def refuse_pooling(asked: Mapping[str, object]) -> None:
    """Refuse, of one score per task, what needs the variance of an effect: whatever is asked for, by its name.

    Raises
    ------
    MethodError
        Something is asked for.
    """
    for name, value in asked.items():
        if value:
            raise MethodError(
                f"{name} needs scores of instances: these are one per task, so the variance of an effect is unknown; "
                "leave it out, or pool known effects and variances (podium.pool, podium pool)"
            )


#: Systems counted together with the control.
_TOGETHER = 16


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Every system against one control, on every task.

    Arrays have a row for each of T tasks and a column for each of N systems. The control's own is there and unused.

    Attributes
    ----------
    scores, control
        What was counted, and the label of the control.
    kind
        Short name of the effect.
    binary
        Shape `(T,)`: whether all scores are 0 or 1.
    common
        On how many instances a treatment and the control are both scored.
    pairs, sizes
        Joint moments, and effects.
    n_clusters
        How many clusters these instances are in; 0 where there are none.
    shared
        Sets of instances, or of clusters of these, that several tasks have, or number, in common.
    """

    scores: Scores
    control: str
    kind: str
    binary: NDArray[np.bool_]
    common: Floats
    pairs: Pairs
    sizes: EffectSize
    n_clusters: Floats
    shared: tuple[Units, ...]

    @property
    def control_row(self) -> int:
        """Place of the control among the systems."""
        return self.scores.systems.index(self.control)

    def kept(self, row: int) -> list[int]:
        """Return tasks on which a treatment can be compared with the control, and whose weight is not 0."""
        there = np.isfinite(self.sizes.effect[:, row]) & (self.scores.task_weights > 0)
        return np.flatnonzero(there).tolist()

    def facts(self, at: int, row: int) -> dict[str, Any]:
        """Return what a meta-analysis says of a task beside the effect of a treatment."""
        task, common = self.scores.tasks[at], int(self.common[at, row])
        sign = 1 if task.higher_is_better else -1
        facts = {
            "task": task.name,
            "higher_is_better": task.higher_is_better,
            "n": common,
            "control_only": int(task.scored[self.control_row]) - common,
            "treatment_only": int(task.scored[row]) - common,
            # as given; 0 without a sign, as −0 would print as "-0.0"
            "control_mean": sign * float(self.pairs.control[at, row]) + 0.0,
            "treatment_mean": sign * float(self.pairs.treatment[at, row]) + 0.0,
        }
        equal = task.instance_weights is None or not np.ptp(task.instance_weights)
        if (self.binary[at] and equal) or (task.repeats is not None and is_binary(task)):
            treatment, control, _, _ = paired(task, row, self.control_row)
            better, worse = int((treatment > control).sum()), int((treatment < control).sum())
            facts |= {"better": better, "worse": worse}
            if self.binary[at] and equal and task.clusters is None:  # the test takes instances as independent
                facts["mcnemar"] = mcnemar(better, worse)
        return facts

    def skewness_ratio(self, at: int, row: int) -> float:
        """Third central moment of the differences over the second, Σ w (d − D)³ / Σ w (d − D)²; 0 of equal ones."""
        mean, variance = float(self.pairs.difference[at, row]), float(self.pairs.difference_variance[at, row])
        if variance == 0:
            return 0.0
        if self.binary[at]:  # d³ = d, and d² = 1 where the two differ
            return (mean - 3 * mean * (variance + mean**2) + 2 * mean**3) / variance
        treatment, control, weights, _ = paired(self.scores.tasks[at], row, self.control_row)
        spread = math.sqrt(variance)
        return spread * float(np.average(((treatment - control - mean) / spread) ** 3, weights=weights))

    def constant(self, row: int) -> list[int]:
        """Return tasks on which both systems have the same score everywhere, on enough instances to have an effect."""
        pairs, weights = self.pairs, self.scores.task_weights
        same = (pairs.mean_variance[:, row] == 0) & (pairs.difference[:, row] == 0)
        clustered = np.array([task.clusters is not None for task in self.scores.tasks])
        enough = (pairs.n[:, row] >= EFFECTS["md"].least) & (~clustered | (self.n_clusters[:, row] > 1))
        return np.flatnonzero(same & enough & (weights > 0)).tolist()

    def without_difference(self, tasks: Sequence[int], row: int, size: float) -> Self:
        """Give tasks an effect of 0, as sure as if on one of the instances the difference were of this size."""
        effect, variance, limited = (getattr(self.sizes, name).copy() for name in ("effect", "variance", "limited"))
        effect[tasks, row], limited[tasks, row] = 0.0, True
        variance[tasks, row] = (size / self.pairs.n[tasks, row]) ** 2
        return replace(self, sizes=EffectSize(effect, variance, limited))


def contrast(
    scores: Scores, control: str, kind: str, *, ddof: int = 1, jobs: int | None = None, progress: Progress | None = None
) -> Contrasts:
    """Count joint moments, and measure the effect of every system against the control.

    Parameters
    ----------
    scores, control, kind, jobs, progress
        See `podium.compare`.
    ddof
        Variances of scores are divided by n − ddof.

    Raises
    ------
    MethodError
        The effect is for 0/1 scores, and these are others.
    """
    binary = np.array([_is_binary(task) for task in scores.tasks])
    if EFFECTS[kind].binary and not binary.all():
        name = scores.tasks[int(binary.argmin())].name
        raise MethodError(f"effect {kind!r} needs scores that are 0 or 1, and task {name!r} has others; use 'smd'")
    control_row = scores.systems.index(control)
    common, pairs = _moments_with_control(scores, control_row, jobs, progress)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is infinite, and refused by `analyse`
        pairs = _refined(pairs, scores, control_row)
        sizes = effect_sizes(pairs, kind, ddof=ddof)
    n_clusters = np.zeros_like(common)
    if any(task.clusters is not None for task in scores.tasks):
        factor, n_clusters = _design_effects(sizes, scores, control_row, kind=kind, ddof=ddof)
        effect, variance = sizes.effect, sizes.variance
        if kind == "or":  # where ½ is added to the numbers, it is of a whole cluster
            with np.errstate(divide="ignore", invalid="ignore"):
                better, worse = (side + factor / 2 for side in pairs.discordant)
                effect = np.where(sizes.limited, np.log(better / worse), effect)
                variance = np.where(sizes.limited, 1 / better + 1 / worse, variance)
        sizes = replace(sizes, effect=np.where(np.isnan(factor), np.nan, effect), variance=variance * factor)
    shared = tuple(sharing(scores.tasks, numbers=True))
    return Contrasts(scores, control, kind, binary, common, pairs, sizes, n_clusters, shared)


def _design_effects(
    sizes: EffectSize, scores: Scores, control_row: int, *, kind: str, ddof: int
) -> tuple[Floats, Floats]:
    """Shape `(T, N)` each: `design_effect`, NaN on a single cluster, and how many clusters there are; 1 and 0 without.

    So variances become those of clusters.
    """
    factor, found = np.ones_like(sizes.effect), np.zeros_like(sizes.effect)
    for at, task in enumerate(scores.tasks):
        if task.clusters is None:
            continue
        for row in (row for row in range(len(scores.systems)) if row != control_row):
            treatment, control, weights, both = paired(task, row, control_row)
            clusters = task.clusters.numbers[both]
            found[at, row] = np.unique(clusters).size
            if np.isfinite(sizes.effect[at, row]):
                moved = EFFECTS[kind].influence(treatment, control, weights)
                moved = np.zeros_like(moved) if sizes.limited[at, row] else moved
                factor[at, row] = design_effect(moved, weights, clusters, ddof=ddof)
    return factor, found


def _moments_with_control(
    scores: Scores, control_row: int, threads: int | None, progress: Progress | None
) -> tuple[Floats, Pairs]:
    """Return numbers of common instances, and joint moments with the control.

    Joint moments are of every two systems, so many systems are counted a few at a time, each time with the control.
    """
    n_systems = len(scores.systems)
    shape = len(scores.tasks), n_systems
    others = [row for row in range(n_systems) if row != control_row]
    groups = [others[first : first + _TOGETHER] for first in range(0, len(others), _TOGETHER)] or [[]]
    common, moments = np.zeros(shape), {field.name: np.zeros(shape) for field in fields(Pairs)}
    before, total = 0, (len(others) + len(groups)) * scores.n_instances
    for group in groups:
        rows = sorted([control_row, *group])
        some = scores if len(rows) == n_systems else scores.select(systems=[scores.systems[row] for row in rows])
        share = None if progress is None else _share(progress, before, total)
        tallies = count(some, (Comoments,), threads=threads, progress=share)[Comoments]
        place = rows.index(control_row)
        for at, (tally, effective) in enumerate(zip(tallies, _effective(some, tallies, threads), strict=True)):
            common[at, rows], pairs = tally.count[:, place], Pairs.of(tally, effective)
            for name, moment in moments.items():
                moment[at, rows] = getattr(pairs, name)[:, place]
        before += some.n_cells
    return common, Pairs(**moments)


def _share(progress: Progress, before: int, total: int) -> Progress:
    """Return the progress of a part that follows others."""
    return lambda done, _: progress(before + done, total)


def _effective(scores: Scores, tallies: Sequence[Comoments], threads: int | None) -> list[Floats]:
    """Return numbers of instances for every pair of systems, (Σ w)² / Σ w² where they weigh differently."""
    if all(task.instance_weights is None for task in scores.tasks):
        return [tally.count for tally in tallies]
    squared = count(scores.with_squared_weights(), (Comoments,), threads=threads)[Comoments]
    return [
        np.divide(tally.weight**2, squares.weight, out=np.zeros_like(squares.weight), where=squares.weight > 0)
        for tally, squares in zip(tallies, squared, strict=True)
    ]


def _refined(pairs: Pairs, scores: Scores, control_row: int) -> Pairs:
    """Measure differences themselves where moments of the scores are too coarse.

    Their variance, divided by n, is 0 where it is no more than the scores are rounded by.
    """
    coarse = pairs.cancelled.copy()
    coarse[:, control_row] = False  # the control does not differ from itself, so its own always cancel
    if not coarse.any():
        return pairs
    mean, variance = pairs.difference.copy(), pairs.difference_variance.copy()
    for at, row in np.argwhere(coarse).tolist():
        treatment, control, weights, _ = paired(scores.tasks[at], row, control_row)
        magnitude = np.maximum(np.abs(treatment), np.abs(control)).max()
        difference = treatment - control
        mean[at, row] = np.average(difference, weights=weights)
        spread = np.average((difference - mean[at, row]) ** 2, weights=weights)
        rounding = (4 * np.finfo(np.float64).eps * magnitude) ** 2
        variance[at, row] = spread if spread > rounding else 0.0
    return replace(pairs, difference=mean, difference_variance=variance)


def oriented(task: Task, row: int) -> Floats:
    """Shape `(K,)`: scores of one system, turned so that higher is better; tallies have them turned already."""
    scores = np.concatenate([part[row] for part in task.parts]).astype(np.float64)
    return scores if task.higher_is_better else -scores


def paired(task: Task, treatment_row: int, control_row: int) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Return scores, turned, and weights of the n instances that both have and that weigh; `(K,)`: which these are."""
    treatment, control = oriented(task, treatment_row), oriented(task, control_row)
    weights = np.ones(task.n_instances) if task.instance_weights is None else task.instance_weights
    both = ~(np.isnan(treatment) | np.isnan(control)) & (weights > 0)
    return treatment[both], control[both], weights[both], both


def _is_binary(task: Task) -> bool:
    return all(bool(((part == 0) | (part == 1) | np.isnan(part)).all()) for part in task.parts)


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
