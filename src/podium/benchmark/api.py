"""What a benchmark is worth: one look at every task."""

import math
from typing import Unpack

import numpy as np

from podium.base.arrays import Floats, Ints
from podium.base.check import Rng, check_confidence, seed_of
from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.base.words import how_many
from podium.benchmark.result import Benchmark
from podium.benchmark.worth import (
    UNKNOWN,
    effective_number,
    groups,
    headroom,
    nearest,
    oriented,
    reliability,
    separated,
    solved,
    suspects,
)
from podium.ranking.api import check_rankable
from podium.ranking.contributions import contributions_of, weighing
from podium.ranking.correlation import tau_b
from podium.ranking.counted import CountedScores
from podium.ranking.distance import correlations, count_pairs
from podium.ranking.method_spec import MethodSpec
from podium.score.noise import run_noise
from podium.score.table import of_battles
from podium.score.task import Task, mean_scores
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords

#: The best systems, among which a task should still tell.
BEST = 10

#: Shares of systems beaten are rounded to so many digits, so that rounding orders no systems.
_DIGITS = 12


@keywords
def tasks(
    scores: "ScoresLike",
    *,
    confidence_level: float = 0.95,
    rng: Rng = 0,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Benchmark:
    """Say what each task of a benchmark tells: headroom, signal and noise, pairs it separates, and its likes.

    The best are the first ten of Borda as `podium.rank` counts it. Without a task means: by what the other tasks add to
    those scores.

    Parameters
    ----------
    scores
        As for `podium.rank`; two tasks or more. What is about items needs one score per instance, and is NaN otherwise.
    confidence_level
        Of intervals, and with which a task separates pairs of systems, all pairs of the task together.
    rng
        Seed of the flips of signs by which a task of many items separates.
    progress
        Called with the number of tasks done and their number.

    Returns
    -------
    Benchmark
        One row per task. Tasks without weight or score are left out.

    Raises
    ------
    MethodError
        A single task or system, battles, or as `podium.rank`.

    Examples
    --------
    >>> import podium
    >>> world = podium.simulate.gumbel(12, 5, 60, dispersion=0.2, rng=0)
    >>> worth = podium.tasks(world.scores)
    >>> worth.pairs_of_best.tolist(), worth.reliability.round(2).tolist()
    ([27.0, 22.0, 22.0, 20.0, 24.0], [0.96, 0.95, 0.95, 0.95, 0.95])
    """
    check_confidence(confidence_level)
    seed, scores = seed_of(rng), as_scores(scores, **reading)
    if of_battles(scores):
        raise MethodError("battles of two systems have no tasks that could be weighed up; rank them")
    check_rankable(scores)
    spec = MethodSpec("borda").on(scores)
    counted = CountedScores.of(scores.with_families(families=False), [spec])
    by_name, _ = weighing(counted.by_name, "tasks")
    if len(by_name) < 2:
        raise MethodError("there is only one task with scores; what it adds to others needs two or more")
    place = {name: number for number, name in enumerate(scores.task_names)}
    order = sorted(range(len(by_name)), key=lambda number: place[by_name[number].name])
    every = [by_name[number] for number in order]
    parts = contributions_of(counted, spec, "tasks").values[order]
    systems = np.array(scores.systems)
    there = np.array([task.scored > 0 for task in every])
    score = np.where(there.any(axis=0), parts.sum(axis=0).round(_DIGITS), np.nan)
    others = np.where(there.any(axis=0), (parts.sum(axis=0) - parts).round(_DIGITS), np.nan)
    best = np.argsort(-np.nan_to_num(score, nan=-np.inf), kind="stable")[: min(BEST, int(there.any(axis=0).sum()))]
    given = [mean_scores(task) for task in every]
    means = np.array([own if task.higher_is_better else -own for task, (own, _) in zip(every, given, strict=True)])
    with_others = tau_b(means, others, confidence_level)
    without = correlations(count_pairs(np.broadcast_to(score, others.shape), others))
    first = score == np.nanmax(score)
    then = others == np.nanmax(others, axis=1, keepdims=True)
    near, near_tau = nearest(means)
    effective = effective_number(means, confidence_level)
    rests = (
        f"the number of independent tasks rests on {how_many(effective.systems, 'system')} with a score on every task"
    )
    unknown = f"how many independent tasks there are is unknown: {UNKNOWN}"
    known = [errors[~np.isnan(errors)] for _, errors in given]
    return Benchmark(
        tasks=tuple(task.name for task in every),
        systems=scores.systems,
        best=tuple(systems[best].tolist()),
        confidence=confidence_level,
        items=np.array([task.n_instances for task in every]),
        scored=there.sum(axis=1),
        headroom=np.array([headroom(task, own, best) for task, (own, _) in zip(every, given, strict=True)]),
        signal=np.nanmax(means, axis=1) - np.nanmin(means, axis=1),
        noise=np.array([math.sqrt((errors**2).mean()) if errors.size else math.nan for errors in known]),
        run_noise=np.array([math.nan if noise is None else noise.deviation for noise in map(run_noise, every)]),
        agreement=with_others.value,
        agreement_low=with_others.low,
        agreement_high=with_others.high,
        tau_without=without,
        first_without=tuple(() if (row & first).any() else tuple(systems[row].tolist()) for row in then),
        nearest=tuple(every[one].name if one >= 0 else None for one in near.tolist()),
        nearest_tau=near_tau,
        alike=tuple(tuple(every[one].name for one in group) for group in groups(means, near)),
        effective=effective,
        notes=(*scores.notes, rests if effective.number > 0 else unknown),
        backend=scores.backend,
        **_of_items(every, best, alpha=1 - confidence_level, seed=seed, progress=progress),
    )


def _of_items(
    every: list[Task], best: Ints, *, alpha: float, seed: int, progress: Progress | None
) -> dict[str, Floats]:
    """Return what the items of each task say, by the names of the result."""
    found = []
    for number, task in enumerate(every):
        values = oriented(task)
        by_none, by_all, by_best = solved(values, best)
        found.append(
            {
                "solved_by_none": by_none,
                "solved_by_all": by_all,
                "solved_by_best": by_best,
                "reliability": reliability(values),
                "pairs": separated(task, np.arange(len(values)), alpha=alpha, seed=seed),
                "pairs_of_best": separated(task, best, alpha=alpha, seed=seed),
                "suspects": suspects(values if task.higher_is_better else 1 + values),
            }
        )
        if progress is not None:
            progress(number + 1, len(every))
    return {name: np.array([one[name] for one in found]) for name in found[0]}
