"""Degrees of freedom of a standard error: by how many units it is known."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.distribution import distinct
from podium.score.shared_instance import instance_set, units_among
from podium.score.table import Scores
from podium.score.task import Task

Floats = NDArray[np.float64]

#: Fewer degrees of freedom than this are too few to know a standard error by.
LEAST_FREEDOM = 5


def degrees_of_freedom(scores: Scores, units: str, level: str | None) -> float:
    """Degrees of freedom of the standard error of a mean over tasks, weights included.

    Where tasks are drawn, (Σ w)² / Σ w² − 1, that is T − 1 where all weigh the same. Where instances are, see
    `satterthwaite`, over the groups of tasks that share their K instances and so are drawn together, as if all scores
    had one variance: v = (Σ w)² / K, or at level "one", where a task weighs as many instances as it has, (Σ w)² K.
    Where there are clusters, a unit is a cluster, see `of_clusters`.
    """
    tasks = [task for task in scores.tasks if task.weight > 0 and task.scored.any()]
    if not tasks:
        return 0.0
    if units != "instances":
        weights = np.array([task.weight for task in tasks]) / max(task.weight for task in tasks)
        return float(weights.sum() ** 2 / (weights**2).sum() - 1)
    if any(task.clusters is not None for task in tasks):
        numbers, variances = of_clusters(tasks, [task.weight * _size(task, level) for task in tasks])
        # of 6 clusters it is 5, which rounding must not lower
        return float(f"{satterthwaite(numbers, variances):.12g}")
    groups: dict[bytes, tuple[float, float]] = {}
    for task in tasks:
        size, weight = groups.get(instance_set(task), (task.n_instances, 0.0))
        groups[instance_set(task)] = (size, weight + task.weight)
    sizes, sums = groups_that_vary(groups.values())
    return satterthwaite(sizes, (sums / sums.max(initial=0.0)) ** 2 * (sizes if level == "one" else 1 / sizes))


def own_freedom(scores: Scores, units: str) -> Floats:
    """Shape `(N,)`: degrees of freedom of the standard error of each system's score, the units that score it less 1.

    For scores that leave out what does not score a system, so a system on two of twelve tasks is known from two:
    averages, and ballots where missing scores count directly or by a model. Of tasks that share their instances, the
    one that scores it on most counts. A cluster counts as one unit if any of its instances does.
    """
    tasks = [task for task in scores.tasks if task.weight > 0]
    if units != "instances":
        of_tasks: Floats = np.sum([task.scored > 0 for task in tasks], axis=0) - 1.0
        return of_tasks
    groups: dict[bytes, Floats] = {}
    for task in tasks:
        number = task.scored if task.clusters is None else _scored_clusters(task.values, task.clusters.numbers)
        key = instance_set(task)
        groups[key] = np.maximum(groups.get(key, 0.0), number)
    of_instances: Floats = np.sum(list(groups.values()), axis=0) - 1.0
    return of_instances


def _scored_clusters(values: NDArray[Any], clusters: NDArray[Any]) -> Floats:
    """Shape `(N,)`: clusters with a score of each system."""
    return np.array([distinct(clusters[~np.isnan(row)]).size for row in values], dtype=np.float64)


def _size(task: Task, level: str | None) -> int:
    return task.n_instances if level == "one" else 1


def of_clusters(tasks: Sequence[Task], weights: Sequence[float]) -> tuple[Floats, Floats]:
    """Effective numbers of units of each group of tasks, and variances, for `satterthwaite`.

    Unit u weighs a_u = Σ_t w_t k_tu / K_t with k_tu of the K_t instances of task t. The units tell as much as
    (Σ a)² / Σ a² of equal weight, and their mean has the variance v = Σ a². Of units of equal size these are K and
    (Σ w)² / K. Intervals then cover as they should whether or not instances of a cluster are alike; by the number of
    clusters alone they cover too little where sizes differ (`docs/design.md`). Tasks of one unit, and groups of no
    weight, are left out.

    Parameters
    ----------
    tasks, weights
        The tasks, and the weight of each in the whole.
    """
    numbers, variances = [], []
    largest = max(weights, default=0.0) or 1.0
    for units in units_among(tasks):
        weight = np.zeros(units.number)
        for index, of in zip(units.tasks, units.of, strict=True):
            counts = np.bincount(of, minlength=units.number)
            if np.count_nonzero(counts) > 1:
                weight += weights[index] / largest * counts / of.size
        if weight.any():
            numbers.append(float(weight.sum() ** 2 / (weight**2).sum()))
            variances.append(float((weight**2).sum()))
    return np.array(numbers), np.array(variances)


def groups_that_vary(groups: Iterable[tuple[float, float]]) -> tuple[Floats, Floats]:
    """Sizes and weights of the groups, without those of a single instance or of no weight.

    >>> groups_that_vary([(10, 1.0), (1, 2.0)])
    (array([10.]), array([1.]))
    """
    sizes, weights = np.array([group for group in groups if group[0] > 1 and group[1]]).reshape(-1, 2).T
    return sizes, weights


def satterthwaite(sizes: Floats, variances: Floats) -> float:
    """Degrees of freedom of the standard error of a mean over groups of units (Satterthwaite 1946); 0 of no group.

    (Σ_g v_g)² / Σ_g v_g² / (K_g − 1) for groups of K_g units, whose means have variances in the ratio of v_g.

    >>> satterthwaite(np.array([10.0, 10.0]), np.ones(2))
    18.0
    """
    if not sizes.size:
        return 0.0
    return float(variances.sum() ** 2 / (variances**2 / (sizes - 1)).sum())
