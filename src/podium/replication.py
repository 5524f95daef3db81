"""The bootstrap of any method: count replicates in batches, rank each, keep the scores."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from podium.engine import Counts, Progress, count
from podium.errors import MethodError
from podium.methods import Method, Setting
from podium.scores import Scores
from podium.tallies import Duels, Resampling, Tally
from podium.tallies.draws import instance_set

__all__ = ["degrees_of_freedom", "replicate", "units_of"]

Floats = NDArray[np.float64]

#: Numbers of tallies in memory at a time.
_AT_ONCE = 2**23
#: Replicates at a time where each takes long, so that progress is told in time.
_SLOW = 64


def replicate(
    scores: Scores,
    method: Method,
    counts: Counts,
    setting: Setting,
    resampling: Resampling,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Floats:
    """Rank every replicate.

    Parameters
    ----------
    scores
        The table, its tasks in the order of `counts`.
    counts
        Tallies of the table itself, which serve where only tasks are drawn.
    setting
        Of the table itself.
    progress
        Called with the number of replicates ranked and the number there will be.

    Returns
    -------
    Shape `(N, B)`: the score of every system in every replicate; NaN where the method cannot place it.
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where there are replicates

    kinds = method.needs(setting.level)
    pieces = []
    # One thread for each matrix product: there are threads enough, and results do not depend on their number.
    with threadpool_limits(limits=1, user_api="blas"):
        for batch in _batches(scores, method, kinds, resampling):
            drawn = counts.as_replicates()
            if resampling.of_instances:
                drawn = count(scores, kinds, resampling=batch, threads=threads)
            resampled = setting.resampled(batch.task_draws(len(scores.tasks)))
            score = method.apply(drawn, resampled).score
            pieces.append(np.broadcast_to(score, (len(scores.systems), batch.replicates)))
            if progress is not None:
                progress(batch.first + batch.replicates, resampling.replicates)
    return np.concatenate(pieces, axis=1)


def units_of(scores: Scores, units: str | None) -> str:
    """Settle what is drawn: instances within tasks where there are any, otherwise tasks.

    Raises
    ------
    MethodError
        Instances are to be drawn from a table that has none.
    """
    if units is None:
        return "tasks" if scores.task_level else "instances"
    if units != "tasks" and scores.task_level:
        raise MethodError(f"this table has no instances to resample, so units cannot be {units!r}; choose 'tasks'")
    return units


def degrees_of_freedom(scores: Scores, units: str, level: str | None) -> float:
    """Degrees of freedom of the standard error of a mean over tasks, weights heeded.

    Where tasks are drawn, (Σ w)² / Σ w² − 1, that is T − 1 where all weigh the same. Where instances are, after
    Satterthwaite (1946), (Σ_g v_g)² / Σ_g v_g² / (K_g − 1) over the groups of tasks that share their K_g instances
    and so are drawn together, as if all scores had one variance: v_g = (Σ w)² / K_g, or at level "one", where a task
    weighs as many instances as it has, (Σ w)² K_g. Groups of a single instance are left out; 0 if no other is left.
    """
    counted = [task for task in scores.tasks if task.weight > 0 and task.scored.any()]
    if units != "instances":
        weights = np.array([task.weight for task in counted]) / max(task.weight for task in counted)
        return float(weights.sum() ** 2 / (weights**2).sum() - 1)
    groups: dict[bytes, tuple[int, float]] = {}
    for task in counted:
        size, weight = groups.get(instance_set(task), (task.n_instances, 0.0))
        groups[instance_set(task)] = (size, weight + task.weight)
    sizes, sums = np.array([group for group in groups.values() if group[0] > 1]).reshape(-1, 2).T
    if not sizes.size:
        return 0.0
    share = (sums / sums.max()) ** 2 * (sizes if level == "one" else 1 / sizes)
    return float(share.sum() ** 2 / (share**2 / (sizes - 1)).sum())


def _batches(
    scores: Scores, method: Method, kinds: tuple[type[Tally], ...], resampling: Resampling
) -> Iterator[Resampling]:
    """Cut a run of replicates so that their tallies fit into memory; the draws do not depend on it."""
    n_systems = len(scores.systems)
    pairs = n_systems**2 * (3 * len(scores.tasks) if Duels in kinds and resampling.of_instances else 3)
    numbers = max(len(scores.tasks) * n_systems, pairs if method.of_pairs else 0)
    size = min(max(_AT_ONCE // numbers, 1), _SLOW if method.slow else resampling.replicates)
    for first in range(0, resampling.replicates, size):
        yield replace(resampling, first=first, replicates=min(size, resampling.replicates - first))
