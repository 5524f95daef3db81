"""From bootstrap replicates of scores to intervals, rank intervals and tiers."""

import math
from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.competition import ROUNDING
from podium.errors import MethodError
from podium.intervals import Intervals, share_of_top
from podium.rankings import Standing
from podium.tallies import Resampling

__all__ = ["check_confidence", "intervals", "variances", "widening"]

Floats = NDArray[np.float64]


def intervals(
    standing: Standing, samples: Floats, *, confidence: float, freedom: float, resampling: Resampling
) -> Intervals:
    """Turn replicates into intervals, rank intervals and tiers.

    Scores: the quantiles α′/2 and 1 − α′/2 of the replicates, with α′ ≤ α = 1 − confidence chosen so that for a mean
    of few units the interval is as wide as Student's: Φ⁻¹(α′/2) = √(n / (n − 1)) t_{n−1}⁻¹(α/2), n − 1 being the
    degrees of freedom (the expanded percentile interval, Hesterberg 2015, §4.1).

    Ranks: system i is better than j where d = s_i − s_j > c · se(d), se(d) being the standard deviation of d over
    replicates. For the marginal rank interval of i, c is the 1 − α quantile of max_j |d* − d| / se(d) over all j ≠ i;
    for the joint ones over all pairs (studentised maximum; Romano & Wolf 2005), and both are widened like the above.
    The interval of i then reaches from 1 + the number of systems better than i to N − the number that i is better than
    (Mogstad, Romano, Shaikh & Wilhelm 2024, §3).

    Tiers: going down the ranking, a tier ends above the first system that is worse than one in it, all pairs together.
    So no two systems of a tier are told apart; if all systems are equal, they are parted with probability α at most.

    Parameters
    ----------
    standing
        The N scores, NaN where a system is not ranked, their direction, and the size of what they were summed from:
        smaller differences than 1e-12 of it are none.
    samples
        Shape `(N, B)`: scores in every replicate; a NaN is left out.
    confidence
        1 − α, between 0 and 1.
    freedom
        Degrees of freedom n − 1 of the standard errors.
    resampling
        How the replicates were drawn.

    Raises
    ------
    MethodError
        The confidence does not lie between 0 and 1, or there are too few replicates for it.

    References
    ----------
    Efron & Tibshirani 1993, ch. 13; Hesterberg 2015; Romano & Wolf 2005; Mogstad et al. 2024.
    """
    check_confidence(confidence, samples.shape[1])
    sign = 1.0 if standing.higher_is_better else -1.0
    goodness, replicates = sign * standing.score, sign * samples
    ranked = ~np.isnan(goodness)
    scale = np.broadcast_to(np.asarray(standing.scale), goodness.shape)
    wider = widening(confidence, freedom)
    tail = NormalDist().cdf(wider * NormalDist().inv_cdf((1 - confidence) / 2))
    low, high = _quantiles(samples, [tail, 1 - tail])
    marginal, joint, critical = _told_apart(goodness, replicates, confidence, wider, scale)
    rank_low, rank_high = _rank_interval(marginal, goodness)
    joint_low, joint_high = _rank_interval(joint, goodness)
    return Intervals(
        confidence=confidence,
        units=resampling.units,
        replicates=samples.shape[1],
        seed=resampling.seed,
        std_error=np.where(ranked, np.sqrt(variances(samples)), np.nan),
        score_low=np.where(ranked, low, np.nan),
        score_high=np.where(ranked, high, np.nan),
        rank_low=rank_low,
        rank_high=rank_high,
        joint_rank_low=joint_low,
        joint_rank_high=joint_high,
        first=share_of_top(replicates, 1),
        tier=_tiers(joint, goodness),
        separated=joint > 0,
        critical=critical,
        samples=replicates,
    )


def widening(confidence: float, freedom: float) -> float:
    """How much wider than a normal interval one must be that knows its standard error from few units.

    √(n / (n − 1)) t_{n−1}⁻¹(α/2) / Φ⁻¹(α/2): the first factor undoes that a bootstrap divides by n.

    >>> round(widening(0.95, 8), 3)
    1.248
    """
    from scipy.special import stdtrit  # noqa: PLC0415  # only where intervals are wanted

    tail = (1 - confidence) / 2
    student = float(stdtrit(freedom, tail)) / NormalDist().inv_cdf(tail)
    return math.sqrt((freedom + 1) / freedom) * student


def check_confidence(confidence: float, replicates: int) -> None:
    """Refuse a confidence that is none, or that so few replicates cannot tell.

    Raises
    ------
    MethodError
        The confidence does not lie between 0 and 1, or fewer than two replicates lie beyond it.

    Examples
    --------
    >>> check_confidence(0.95, 1000)
    """
    if not 0 < confidence < 1:
        raise MethodError(f"confidence is {confidence}; it must lie between 0 and 1, such as 0.95")
    if replicates * (1 - confidence) < 2 - 1e-9:  # 40 × (1 − 0.95), once rounded, is less than 2
        raise MethodError(
            f"{replicates} replicates are too few for intervals of confidence {confidence:g}; "
            f"take at least {math.ceil(2 / (1 - confidence))}"
        )


def _quantiles(samples: Floats, shares: list[float]) -> Floats:
    """Shape `(2, N)`, NaN left out; NaN where all are."""
    if not np.isnan(samples).any():
        return np.quantile(samples, shares, axis=1)
    result = np.full((len(shares), samples.shape[0]), np.nan)
    for row, values in enumerate(samples):
        kept = values[~np.isnan(values)]
        if kept.size:
            result[:, row] = np.quantile(kept, shares)
    return result


def variances(samples: Floats) -> Floats:
    """Shape `(N,)`: variance of every row of `(N, B)`, NaN left out; 0 where fewer than two numbers are left.

    >>> variances(np.array([[1.0, 2.0, 3.0], [1.0, np.nan, 2.0]]))
    array([1. , 0.5])
    """
    there = ~np.isnan(samples)
    count = there.sum(axis=1)
    mean = np.where(there, samples, 0.0).sum(axis=1) / count.clip(1)
    squares = np.where(there, samples - mean[:, None], 0.0) ** 2
    variance: Floats = squares.sum(axis=1) / (count - 1).clip(1)
    return variance


def _differences(goodness: Floats, samples: Floats, scale: Any) -> Iterator[tuple[int, Floats, Floats, Floats]]:
    """Yield for each system i: d over all j, its standard error, and |d* − d| / se(d) over j and replicates."""
    for i in range(goodness.size):
        difference = goodness[i] - goodness
        deviation = samples[i] - samples
        error = np.sqrt(variances(deviation))
        size = ROUNDING * np.maximum(scale[i], scale)
        error[error <= size] = 0.0
        difference[np.abs(difference) <= size] = 0.0
        away = np.abs(deviation - difference[:, None])
        studentised = np.divide(away, error[:, None], out=np.zeros_like(away), where=error[:, None] > 0)
        yield i, difference, error, np.nan_to_num(studentised, copy=False)


def _told_apart(
    goodness: Floats, samples: Floats, confidence: float, wider: float, scale: Floats
) -> tuple[NDArray[np.int64], NDArray[np.int64], float]:
    """Shape `(N, N)` each: 1 where i is better than j, −1 where it is worse, 0 where neither can be said.

    The first is for the comparisons of each system i by itself, the second for all pairs together; and how many
    standard errors a difference must exceed for the second.
    """
    statistic = np.zeros((goodness.size, goodness.size))
    own = np.zeros(goodness.size)
    largest = np.zeros(samples.shape[1])
    for i, difference, error, studentised in _differences(goodness, samples, scale):
        furthest = studentised.max(axis=0)
        own[i] = np.quantile(furthest, confidence)
        np.maximum(largest, furthest, out=largest)
        with np.errstate(divide="ignore", invalid="ignore"):  # a difference without error is certain
            statistic[i] = np.where(difference == 0, 0.0, difference / (wider * error))
    statistic[np.isnan(statistic)] = 0.0
    sign = np.sign(statistic).astype(np.int64)
    joint = float(np.quantile(largest, confidence))
    return (
        np.where(np.abs(statistic) > own[:, None], sign, 0),
        np.where(np.abs(statistic) > joint, sign, 0),
        wider * joint,
    )


def _rank_interval(apart: NDArray[np.int64], goodness: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Best and worst rank that the comparisons leave each system; 0 where unranked."""
    ranked = ~np.isnan(goodness)
    low = 1 + (apart < 0).sum(axis=1)
    high = np.count_nonzero(ranked) - (apart > 0).sum(axis=1)
    return np.where(ranked, low, 0), np.where(ranked, high, 0)


def _tiers(apart: NDArray[np.int64], goodness: Floats) -> NDArray[np.int64]:
    """Number the groups, best first, in each of which nobody is told apart; 0 where unranked."""
    order = np.argsort(-goodness, kind="stable")[: np.count_nonzero(~np.isnan(goodness))]
    tier = np.zeros(goodness.size, dtype=np.int64)
    current, members = 1, order[:0]
    for system in order:
        if (apart[members, system] > 0).any():
            current, members = current + 1, order[:0]
        members = np.append(members, system)
        tier[system] = current
    return tier
