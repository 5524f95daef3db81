"""The mean of every system over the instances of a task, and its standard error."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.score.cluster import Clusters
from podium.score.task import Task

Floats = NDArray[np.float64]

#: Scores that are averaged at once, so that a large task needs no second copy.
_TOGETHER = 2**20


def mean_scores(task: Task) -> tuple[Floats, Floats]:
    r"""Return the mean of each system over the instances of a task, and its standard error.

    Over the n instances that score a system, with weights w, the mean is m = Σ w x / Σ w. Its standard error is

    * √(n / (n − 1) Σ (w (x − m))²) / Σ w where instances are drawn one by one: s / √n without weights;
    * √(G / (G − 1) Σ_g (Σ_{i in g} w_i (x_i − m))²) / Σ w where they come in G clusters (Miller 2024, §2.2, with the
      usual correction for few clusters).

    Parameters
    ----------
    task
        Scores of N systems on K instances; missing ones are left out, and instances that weigh nothing.

    Returns
    -------
    means, std_errors
        Shape `(N,)` each, in the units of the scores. NaN for no score, and for the error of one instance or cluster.

    Examples
    --------
    >>> means, errors = mean_scores(Task.cut("rte", np.array([[0.0, 1.0, 1.0, 0.0]])))
    >>> print(f"{means[0]} {errors[0]:.6f}")
    0.5 0.288675
    """
    weights = np.ones(task.n_instances) if task.instance_weights is None else task.instance_weights
    values, step = task.values, max(1, _TOGETHER // task.n_instances)
    found = [_of_rows(values[row : row + step], weights, task.clusters) for row in range(0, len(values), step)]
    means, errors = np.concatenate(found, axis=1)
    return means, errors


def _of_rows(scores: NDArray[Any], weights: Floats, clusters: Clusters | None) -> tuple[Floats, Floats]:
    """Means and standard errors of some systems."""
    values = scores.astype(np.float64)
    counted = ~np.isnan(values) & (weights > 0)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        total = np.where(counted, weights, 0.0).sum(axis=1)
        means = np.where(counted, weights * values, 0.0).sum(axis=1) / total
        moved = np.where(counted, weights * (values - means[:, None]), 0.0)
        drawn = np.count_nonzero(counted, axis=1)
        if clusters is not None:
            moved, drawn = _of_clusters(moved, counted, clusters)
        errors = np.sqrt(drawn / (drawn - 1) * (moved**2).sum(axis=1)) / total
    return means, np.where(drawn > 1, errors, np.nan)


def _of_clusters(moved: Floats, counted: NDArray[np.bool_], clusters: Clusters) -> tuple[Floats, NDArray[np.int64]]:
    """Sum over each cluster, shape `(N, G)`, and the number of clusters that score each system, shape `(N,)`."""
    numbers, size = clusters.numbers, len(clusters)
    sums = np.array([np.bincount(numbers, weights=row, minlength=size) for row in moved])
    found = [np.count_nonzero(np.bincount(numbers[row], minlength=size)) for row in counted]
    return sums, np.array(found, dtype=np.int64)
