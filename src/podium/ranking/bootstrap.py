"""The bootstrap: what is drawn anew, how often, with what confidence; its one loop over replicates; how these vary.

What a unit weighs in a replicate is drawn in `podium.tally.draw`.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from podium.base.arrays import Floats, Ints
from podium.base.check import check_confidence
from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.ranking.repeats import check_repeats
from podium.score.place import better_and_equal, places
from podium.score.table import Scores
from podium.score.units import weighs_alone
from podium.tally.draw import Resampling, check_replicates

#: Pairs of systems whose replicates are looked at together.
_PAIRS = 256


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """What intervals are wanted, and the replicates that they are made of.

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
        """What is drawn anew: "instances" within tasks, "tasks", "both", or "repeats" of the same instances."""
        return self.resampling.units

    @property
    def replicates(self) -> int:
        """How often, B."""
        return self.resampling.replicates


def in_runs(
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
        From a run of R replicates to scores of shape `(N, R)`.
    at_once
        The longest run.
    threads
        How many runs are made side by side; 1 where `score` itself works on several cores.
    progress
        Called with the number of replicates made and the number there will be.

    Returns
    -------
    Shape `(N, B)`.

    Examples
    --------
    >>> in_runs(Resampling("tasks", 5), lambda run: run.task_draws("abc"), at_once=2).shape
    (3, 5)
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where there are replicates

    runs = [
        replace(resampling, first=resampling.first + done, replicates=min(at_once, resampling.replicates - done))
        for done in range(0, resampling.replicates, at_once)
    ]
    pieces = []
    done = 0
    # One thread for each matrix product: there are threads enough, and results do not depend on their number.
    with threadpool_limits(limits=1, user_api="blas"):
        for piece in map(score, runs) if threads == 1 or len(runs) == 1 else _side_by_side(score, runs, threads):
            pieces.append(piece)
            done += piece.shape[1]
            if progress is not None:
                progress(done, resampling.replicates)
    return np.concatenate(pieces, axis=1)


def _side_by_side(
    score: Callable[[Resampling], Floats], runs: Sequence[Resampling], threads: int | None
) -> Iterator[Floats]:
    """Yield the scores of runs, in their order."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # a small table has one run

    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(score, runs)


def quantiles(samples: Floats, shares: list[float]) -> Floats:
    """Shape `(S, N)`: quantiles of the rows of `(N, B)`, NaN left out; NaN where all are.

    The share q lies at place q (B + 1) of the ordered replicates, so that another one falls below it with probability
    q exactly (Davison & Hinkley 1997, §5.2.1); other rules leave out up to 1 / B more on each side.

    >>> quantiles(np.arange(1.0, 1000)[None], [0.025, 0.975]).round(6).tolist()
    [[25.0], [975.0]]
    """
    if not np.isnan(samples).any():
        return np.quantile(samples, shares, axis=1, method="weibull")
    result = np.full((len(shares), samples.shape[0]), np.nan)
    for row, values in enumerate(samples):
        kept = values[~np.isnan(values)]
        if kept.size:
            result[:, row] = np.quantile(kept, shares, method="weibull")
    return result


def share_of_top(samples: Floats, k: int, rounding: Floats) -> Floats:
    """Shape `(N,)`: share of replicates `(N, B)` in which each system is among the best k, ties shared.

    Scores tie that differ by at most the `rounding` of either, of shape `(N,)`.
    """
    place = places(samples, tolerance=rounding[:, None])
    better, equal = better_and_equal(place)
    within: Floats = np.clip((k - better) / equal.clip(1), 0.0, 1.0)
    share: Floats = np.where(place >= 0, within, 0.0).mean(axis=1)
    return share


def deviations(samples: Floats) -> Floats:
    """Shape `(N,)`: standard deviation of every row of `(N, B)`, NaN left out; NaN where fewer than two are left.

    >>> deviations(np.array([[1.0, 2.0, 3.0], [1.0, np.nan, np.nan]]))
    array([ 1., nan])
    """
    centred, count = _centred(samples)
    unit = unit_of(centred)
    variance: Floats = np.full(len(samples), np.nan)
    np.divide(((centred / unit) ** 2).sum(axis=1), count - 1, out=variance, where=count > 1)
    return np.sqrt(variance) * unit


def skewness(samples: Floats) -> Floats:
    """Shape `(N,)`: third central moment of every row of `(N, B)` in cubed standard deviations; 0 of a constant.

    >>> skewness(np.array([[0.0, 0.0, 0.0, 4.0], [1.0, 1.0, 1.0, 1.0]])).round(4)
    array([1.1547, 0.    ])
    """
    centred, count = _centred(samples)
    centred = centred / unit_of(centred)
    deviation = np.sqrt((centred**2).sum(axis=1) / count.clip(1))[:, None]
    standardised = np.divide(centred, deviation, out=np.zeros_like(centred), where=deviation > 0)
    third: Floats = (standardised**3).sum(axis=1) / count.clip(1)
    return third


def errors_of_differences(samples: Floats) -> Floats:
    """Standard deviation over replicates of the difference of each system from each other.

    From variances and covariances, Var(x − y) = Var x + Var y − 2 Cov(x, y); where little is left of them, or numbers
    are missing, from the differences themselves.

    Parameters
    ----------
    samples
        Shape `(N, B)`: scores in every replicate; a NaN is left out.

    Returns
    -------
    Shape `(N, N)`, in units of the score; NaN where fewer than two replicates have both.

    Examples
    --------
    >>> errors_of_differences(np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 2.0], [3.0, 2.0, 1.0]]))[0]
    array([0., 0., 2.])
    """
    if np.isnan(samples).any():
        return np.array([deviations(one - samples) for one in samples])
    centred = samples - samples.mean(axis=1, keepdims=True)
    unit = unit_of(centred)
    centred /= unit
    variance = (centred**2).sum(axis=1) / (samples.shape[1] - 1)
    total = variance[:, None] + variance
    of_difference = total - 2 / (samples.shape[1] - 1) * (centred @ centred.T)
    close = np.argwhere(of_difference <= 1e-6 * total)
    errors: Floats = np.sqrt(np.maximum(of_difference, 0.0)) * unit
    for start in range(0, len(close), _PAIRS):
        i, j = close[start : start + _PAIRS].T
        errors[i, j] = deviations(samples[i] - samples[j])
    return errors


def _centred(samples: Floats) -> tuple[Floats, Ints]:
    """Return departures from the mean of each row, 0 where there is no number, and how many numbers there are."""
    there = ~np.isnan(samples)
    count = there.sum(axis=1)
    mean = np.where(there, samples, 0.0).sum(axis=1) / count.clip(1)
    return np.where(there, samples - mean[:, None], 0.0), count


def unit_of(values: Floats) -> float:
    """Return the power of two just below the largest number: divided by it, squares neither overflow nor vanish.

    A power of two changes no digit. 1 where there is no number but 0.

    >>> unit_of(np.array([-5.0, 3.0])), unit_of(np.zeros(2))
    (4.0, 1.0)
    """
    largest = float(np.abs(values).max(initial=0.0))
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if 0 < largest < math.inf else 1.0
