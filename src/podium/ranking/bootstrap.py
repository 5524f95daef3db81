"""The bootstrap: what is drawn anew, how often, with what confidence; and the scores of all replicates.

What a unit weighs in a replicate is drawn in `podium.tally.draw`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from podium.base.arrays import Floats
from podium.base.check import check_confidence
from podium.base.errors import MethodError
from podium.base.parallel import Progress, cores
from podium.ranking.battle import FoughtBattles
from podium.ranking.counted import AT_ONCE, CountedScores
from podium.ranking.linearised import linearised, pseudo_values
from podium.ranking.method_spec import MethodSpec, method_of, needs_of
from podium.ranking.repeats import RepeatedScores, check_repeats
from podium.score.table import Scores, of_battles
from podium.score.task import masses_of
from podium.score.units import drawn_as, weighs_alone
from podium.tally.count import count
from podium.tally.draw import Resampling, check_replicates
from podium.tally.duel import Duels

#: Replicates at a time of a slow method, so that progress is told in time.
_SLOW = 64


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """The confidence of intervals, and the replicates that they are made of.

    Attributes
    ----------
    confidence
        Of the intervals, between 0 and 1.
    resampling
        What is drawn anew, how often, and from which seed.

    Raises
    ------
    MethodError
        The confidence does not lie between 0 and 1, or needs more replicates.

    Examples
    --------
    >>> Bootstrap(0.95, Resampling("tasks", replicates=10))
    Traceback (most recent call last):
    podium.errors.MethodError: 10 replicates are too few for intervals of confidence 0.95; use at least 40
    """

    confidence: float
    resampling: Resampling

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        check_replicates(self.confidence, self.resampling.replicates)

    @classmethod
    def of(cls, scores: Scores, *, confidence: float, units: str | None, replicates: int, seed: int) -> Self:
        """Return the bootstrap of a table; by default of instances, or of tasks if most of the weight is on lone units.

        Raises
        ------
        MethodError
            As of the class and of `Resampling`; there are no instances to draw, or no repeats, see `check_repeats`.
        """
        units = units or ("tasks" if scores.task_level or weighs_alone(scores.tasks) else "instances")
        made = cls(confidence, Resampling(units, replicates, seed))
        if units == "repeats":
            check_repeats(scores)
        elif units != "tasks" and scores.task_level:
            raise MethodError(f"this table has no instances to resample, so units cannot be {units!r}; choose 'tasks'")
        return made

    @property
    def units(self) -> str:
        """Return what is drawn anew: "instances" within tasks, "tasks", "both", or "repeats" of the same instances."""
        return self.resampling.units

    @property
    def replicates(self) -> int:
        """Return how often, B."""
        return self.resampling.replicates


def in_chunks(
    resampling: Resampling,
    score: Callable[[Resampling], Floats],
    *,
    at_once: int,
    threads: int = 1,
    progress: Progress | None = None,
) -> Floats:
    """Score all replicates, some at a time; the draws do not depend on how many.

    Parameters
    ----------
    resampling
        The B replicates.
    score
        From a chunk of R replicates to scores of shape `(N, R)`.
    at_once
        The largest chunk.
    threads
        How many chunks are made side by side; 1 where `score` itself works on several cores.
    progress
        Called with the number of replicates made and the number there will be.

    Returns
    -------
    Shape `(N, B)`.

    Examples
    --------
    >>> in_chunks(Resampling("tasks", 5), lambda chunk: chunk.task_draws("abc"), at_once=2).shape
    (3, 5)
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where there are replicates

    chunks = [
        replace(resampling, first=resampling.first + done, replicates=min(at_once, resampling.replicates - done))
        for done in range(0, resampling.replicates, at_once)
    ]

    def scored() -> Iterator[Floats]:
        if threads == 1 or len(chunks) == 1:
            yield from map(score, chunks)
            return
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # a small table has one chunk

        with ThreadPoolExecutor(threads) as pool:
            yield from pool.map(score, chunks)

    found, done = list[Floats](), 0
    # One thread for each matrix product: there are threads enough, and results do not depend on their number.
    with threadpool_limits(limits=1, user_api="blas"):
        for chunk in scored():
            found.append(chunk)
            done += chunk.shape[1]
            if progress is not None:
                progress(done, resampling.replicates)
    return np.concatenate(found, axis=1)


def replicates(
    counted: CountedScores, spec: MethodSpec, resampling: Resampling, progress: Progress | None = None
) -> Floats:
    """Shape `(N, B)`: the score of every system in every replicate; NaN where the method cannot place it."""
    made = _by_model if spec.missing == "model" else _counted_anew
    return made(counted, spec, resampling, progress)


def _by_model(counted: CountedScores, spec: MethodSpec, resampling: Resampling, progress: Progress | None) -> Floats:
    """Take one step from the fit of the whole table to each replicate, see `Linearised`, where that is close.

    How systems would do on what they were not run on is unknown, which adds to how they vary.
    """
    if not is_linear(spec, resampling):
        samples = _counted_anew(counted, spec, resampling, progress)
    elif resampling.of_instances:
        samples = _counted_anew(pseudo_values(counted, spec)[0], MethodSpec("mean"), resampling, progress)
    else:
        draws = resampling.task_draws(*drawn_as_a_whole(counted, spec, resampling.units))
        samples = linearised(counted, spec).replicates_of_tasks(draws)
    if resampling.units in {"tasks", "both"}:  # how tasks differ is in the draws
        return samples
    balanced = replace(spec, level="balanced") if spec.level in {"task", "two"} else spec
    model, variances = linearised(counted, balanced), pseudo_values(counted, balanced)[1]
    return samples + model.unrun(counted.by_name.systems, resampling, model.deviations(variances))


def is_linear(spec: MethodSpec, resampling: Resampling) -> bool:
    """Return whether replicates by a model of missing scores are one step from the fit of the whole table.

    Others, in which ballots of tasks are drawn inside or repeats are drawn, are fitted each by itself.
    """
    jumps = spec.level == "two" or (spec.level == "task" and resampling.of_instances)
    return spec.missing == "model" and not jumps and resampling.units != "repeats"


def drawn_as_a_whole(counted: CountedScores, spec: MethodSpec, units: str) -> tuple[tuple[str | None, ...], Floats]:
    """Return under which names tasks are drawn, if at all, and what each weighs."""
    tasks = counted.by_name.tasks
    sizes = [masses_of(task).sum() if spec.level == "one" else 1.0 for task in tasks]
    return drawn_as(tasks, units), counted.by_name.task_weights * sizes


def repeated_scores(counted: CountedScores, spec: MethodSpec, seed: int) -> RepeatedScores:
    """Return the repeats of the table, to be drawn for a method; made once."""
    of_orders = not method_of(spec).averages
    return counted.once(
        ("repeats", seed, of_orders, spec.level),
        lambda: RepeatedScores.of(counted.by_name, seed, of_orders=of_orders, level=spec.level),
    )


def _counted_anew(
    counted: CountedScores, spec: MethodSpec, resampling: Resampling, progress: Progress | None
) -> Floats:
    """Count and rank each replicate by itself."""
    scores, kinds = counted.by_name, needs_of(spec)
    if spec.name == "borda" and spec.missing == "direct" and resampling.units == "instances" and of_battles(scores):
        of_table = counted.result(spec).score
        battles = FoughtBattles.of(scores, spec.level)
        return battles.replicates(scores.systems, of_table, resampling.replicates, resampling.seed)
    repeated = repeated_scores(counted, spec, resampling.seed) if resampling.units == "repeats" else None
    keys = resampling.keys(scores.tasks) if resampling.of_instances else None
    whole = drawn_as_a_whole(counted, spec, resampling.units)

    def score(chunk: Resampling) -> Floats:
        drawn = None
        if repeated is not None:
            drawn = repeated.counts(kinds, range(chunk.first, chunk.first + chunk.replicates))
        elif keys is not None:
            drawn = count(scores, kinds, resampling=chunk, keys=keys, threads=counted.threads)
        return counted.reweighed(spec, chunk.task_draws(*whole), drawn).score

    at_once = _at_once(counted, spec, resampling)
    if repeated is None:
        return in_chunks(resampling, score, at_once=at_once, progress=progress)
    threads = counted.threads or cores()
    samples = in_chunks(resampling, score, at_once=min(at_once, _SLOW), threads=threads, progress=progress)
    return repeated.widened(samples, counted.result(spec).score, spec.level)


def _at_once(counted: CountedScores, spec: MethodSpec, resampling: Resampling) -> int:
    """Return how many replicates there can be in memory at a time."""
    method, n_systems, n_tasks = method_of(spec), len(counted.by_name.systems), len(counted.by_name.tasks)
    numbers = n_tasks * n_systems  # a mean, or a sum of ranks, of each system on each task
    if method.adds_up and not resampling.of_instances:  # one product of matrices, see `weighted_sum`
        numbers = max(n_tasks, n_systems) // 2
    if method.of_pairs:  # duels are three matrices, of each task where its instances are counted anew
        by_task = resampling.units != "tasks" and Duels in needs_of(spec)
        numbers = max(numbers, 3 * n_systems**2 * (n_tasks if by_task else 1))
    most = max(AT_ONCE // numbers, 1)
    return min(most, _SLOW) if method.slow else most
