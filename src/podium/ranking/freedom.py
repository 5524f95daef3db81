"""Degrees of freedom of a standard error: by how many units it is known."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from podium.score.shared_instance import instance_set
from podium.score.table import Scores

Floats = NDArray[np.float64]

#: Fewer degrees of freedom than this are too few to know a standard error by.
LEAST_FREEDOM = 5


def degrees_of_freedom(scores: Scores, units: str, level: str | None) -> float:
    """Degrees of freedom of the standard error of a mean over tasks, weights included.

    Where tasks are drawn, (Σ w)² / Σ w² − 1, that is T − 1 where all weigh the same. Where instances are, see
    `satterthwaite`, over the groups of tasks that share their K instances and so are drawn together, as if all scores
    had one variance: v = (Σ w)² / K, or at level "one", where a task weighs as many instances as it has, (Σ w)² K.
    """
    tasks = [task for task in scores.tasks if task.weight > 0 and task.scored.any()]
    if not tasks:
        return 0.0
    if units != "instances":
        weights = np.array([task.weight for task in tasks]) / max(task.weight for task in tasks)
        return float(weights.sum() ** 2 / (weights**2).sum() - 1)
    groups: dict[bytes, tuple[float, float]] = {}
    for task in tasks:
        size, weight = groups.get(instance_set(task), (task.n_instances, 0.0))
        groups[instance_set(task)] = (size, weight + task.weight)
    sizes, sums = groups_that_vary(groups.values())
    return satterthwaite(sizes, (sums / sums.max(initial=0.0)) ** 2 * (sizes if level == "one" else 1 / sizes))


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
