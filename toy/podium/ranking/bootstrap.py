"""The bootstrap of any method: count replicates in batches, rank each, keep the scores."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.base.words import counted, few
from podium.ranking.inference import intervals
from podium.ranking.interval import Intervals
from podium.ranking.method.method import Method
from podium.ranking.method_spec import Setting
from podium.ranking.result import Standing
from podium.score.instance import instance_set
from podium.score.table import Scores
from podium.tally.duel import Duels
from podium.tally.engine.local import Counts, count
from podium.tally.resampling import Resampling
from podium.tally.tally import Tally

Floats = NDArray[np.float64]

#: Numbers of tallies in memory at a time.
_AT_ONCE = 2**23

#: Replicates at a time where each takes long, so that progress is told in time.
_SLOW = 64

#: Fewer degrees of freedom than this are too few to know a standard error by.
LEAST_FREEDOM = 5

#: Share of replicates that may fail to be ranked; where more do, those that do not are no fair sample.
_LOST_AT_MOST = 0.02


def bootstrap(
    scores: Scores,
    method: Method,
    counts: Counts,
    setting: Setting,
    resampling: Resampling,
    *,
    standing: Standing,
    confidence: float,
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[Intervals | None, list[str]]:
    """Put intervals on what a method made of a table, or say why there are none.

    Parameters
    ----------
    scores, method, counts, setting, resampling, threads, progress
        As for `replicate`.
    standing
        What the method made of the table itself.
    confidence
        Of the intervals, between 0 and 1.

    Returns
    -------
    The intervals, in the order of the table; None where there is too little data, or too many replicates could not be
    ranked. And what to know of them, in words.
    """
    freedom = degrees_of_freedom(scores, resampling.units, setting.level)
    notes = _doubts(scores, resampling.units, freedom)
    if freedom < LEAST_FREEDOM:
        return None, notes
    samples = replicate(scores, method, counts, setting, resampling, threads=threads, progress=progress)
    lost = np.array(np.isnan(samples).all(axis=0))
    advice = "pass prior=1 (--prior 1)"
    sure, losses = concluded(
        standing, samples, lost, confidence=confidence, freedom=freedom, resampling=resampling, advice=advice
    )
    return sure, notes + losses


def concluded(
    standing: Standing,
    samples: Floats,
    lost: NDArray[np.bool_],
    *,
    confidence: float,
    freedom: float,
    resampling: Resampling,
    advice: str,
) -> tuple[Intervals | None, list[str]]:
    """Make intervals of replicates, unless too many could not be ranked: those that could are no fair sample then.

    Parameters
    ----------
    standing, samples, confidence, freedom, resampling
        As for `podium.ranking.inference.intervals`.
    lost
        Shape `(B,)`: which replicates could not be ranked.
    advice
        What to do about it.

    Returns
    -------
    The intervals or None, and what to know of them, in words.
    """
    number = int(lost.sum())
    said = f"{number} of {resampling.replicates} replicates could not be ranked"
    if number > _LOST_AT_MOST * resampling.replicates:
        return None, [f"no intervals: {said}; {advice}"]
    sure = intervals(standing, samples[:, ~lost], confidence=confidence, freedom=freedom, resampling=resampling)
    return sure, [f"{said} and are left out of the intervals"] if number else []


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
    tasks = [task for task in scores.tasks if task.weight > 0 and task.scored.any()]
    if not tasks:
        return 0.0
    if units != "instances":
        weights = np.array([task.weight for task in tasks]) / max(task.weight for task in tasks)
        return float(weights.sum() ** 2 / (weights**2).sum() - 1)
    groups: dict[bytes, tuple[int, float]] = {}
    for task in tasks:
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


def _doubts(scores: Scores, units: str, freedom: float) -> list[str]:
    """What to know of the intervals, or why there are none."""
    least = LEAST_FREEDOM + 1
    small = [task.name for task in scores.tasks if task.n_instances < least]
    if freedom < LEAST_FREEDOM and units == "instances":
        which = f"{few(small)}, with fewer than {least} instances" if small else "few instances"
        return [f"no intervals: too much rests on {which}, which cannot tell how the answer would vary with others"]
    if freedom < LEAST_FREEDOM:
        number = counted(len(scores.tasks), "task")
        reason = f"no intervals, for {number} cannot tell how the answer would vary with others; {least} are needed"
        return [reason if len(scores.tasks) < least else f"no intervals: too much rests on few of {number}"]
    if units == "instances" and small:
        return [f"{few(small)}: fewer than {least} instances, so how its result would vary with others is hardly known"]
    return []
