"""From bootstrap replicates of scores to intervals, rank intervals and tiers."""

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from podium.competition import ROUNDING
from podium.errors import MethodError
from podium.intervals import Intervals, quantiles, share_of_top
from podium.rankings import Standing
from podium.tallies import Resampling

__all__ = ["critical_value", "intervals"]

Floats = NDArray[np.float64]


def intervals(
    standing: Standing, samples: Floats, *, confidence: float, freedom: float, resampling: Resampling
) -> Intervals:
    """Turn replicates into intervals, rank intervals and tiers.

    Scores: the quantiles α′/2 and 1 − α′/2 of the replicates, with α′ ≤ α = 1 − confidence chosen so that for a mean
    of few units the interval is as wide as Student's: −Φ⁻¹(α′/2) is the critical value of one statement (the expanded
    percentile interval, Hesterberg 2015, §4.1).

    Ranks: system i is better than j where d = s_i − s_j > c · se(d), se(d) being the standard deviation of d over
    replicates, and where fewer than a share Φ(−c) of the replicates say otherwise; c is the critical value of the N − 1
    differences of i for its marginal rank interval, and of all N (N − 1) / 2 for the joint ones. The interval of i then
    reaches from 1 + the number of systems better than i to N − the number that i is better than (Mogstad, Romano,
    Shaikh & Wilhelm 2024, §3). The quantile of the largest
    difference over replicates (Romano & Wolf 2005) would be 3% lower where there are many units; where there are not
    many more units than systems, the replicates do not know how differences go together, and it is far too low.

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
    Efron & Tibshirani 1993, ch. 13; Hesterberg 2015; Mogstad et al. 2024.
    """
    _check(confidence, samples.shape[1])
    sign = 1.0 if standing.higher_is_better else -1.0
    goodness, replicates = sign * standing.score, sign * samples
    ranked = ~np.isnan(goodness)
    scale = np.broadcast_to(np.asarray(standing.scale), goodness.shape)
    others = max(int(ranked.sum()) - 1, 1)
    one, own, every = (
        critical_value(confidence, freedom, units=resampling.units, statements=number)
        for number in (1, others, others * (others + 1) // 2)
    )
    tail = NormalDist().cdf(-one)
    low, high = quantiles(samples, [tail, 1 - tail])
    away = _standard_errors_away(goodness, replicates, scale)
    marginal, joint = (np.where(np.abs(away) > least, np.sign(away), 0).astype(np.int64) for least in (own, every))
    rank_low, rank_high = _rank_interval(marginal, goodness)
    joint_low, joint_high = _rank_interval(joint, goodness)
    return Intervals(
        confidence=confidence,
        units=resampling.units,
        replicates=samples.shape[1],
        seed=resampling.seed,
        std_error=np.where(ranked, np.sqrt(_variances(samples)), np.nan),
        score_low=np.where(ranked, low, np.nan),
        score_high=np.where(ranked, high, np.nan),
        rank_low=rank_low,
        rank_high=rank_high,
        joint_rank_low=joint_low,
        joint_rank_high=joint_high,
        first=share_of_top(replicates, 1),
        tier=_tiers(joint, goodness),
        separated=joint > 0,
        samples=replicates,
        tail=tail,
    )


def critical_value(confidence: float, freedom: float, *, units: str, statements: int = 1) -> float:
    """How many standard deviations of replicates the error of any of m statements exceeds with probability α at most.

    c = √(n / (n − 1)) · −t_{n−1}⁻¹(α / 2m): Student's quantile, since the standard error too is known from n units
    only, with α = 1 − confidence divided among the statements (Bonferroni). The root undoes that drawing n of n tasks
    divides squares by n; it is left out for units = "instances", whose Poisson draws vary in number too, by which
    the variance of a mean grows by as much as it lacks: (1 − 1/n)(1 + 1/n + …) ≈ 1.

    >>> round(critical_value(0.95, 8, units="tasks"), 3), round(critical_value(0.95, 1e9, units="instances"), 3)
    (2.446, 1.96)
    """
    from scipy.special import stdtrit  # noqa: PLC0415  # only where intervals are wanted

    student = -float(stdtrit(freedom, (1 - confidence) / 2 / statements))
    return student if units == "instances" else math.sqrt((freedom + 1) / freedom) * student


def _check(confidence: float, replicates: int) -> None:
    if not 0 < confidence < 1:
        raise MethodError(f"confidence is {confidence}; it must lie between 0 and 1, such as 0.95")
    if replicates * (1 - confidence) < 2:
        raise MethodError(
            f"{replicates} replicates are too few for intervals of confidence {confidence:g}; "
            f"take at least {math.ceil(2 / (1 - confidence))}"
        )


def _variances(samples: Floats) -> Floats:
    """Variance of every row, NaN left out, as an array of the length of the first axis."""
    there = ~np.isnan(samples)
    count = there.sum(axis=1)
    mean = np.where(there, samples, 0.0).sum(axis=1) / count.clip(1)
    squares = np.where(there, samples - mean[:, None], 0.0) ** 2
    variance: Floats = squares.sum(axis=1) / (count - 1).clip(1)
    return variance


def _standard_errors_away(goodness: Floats, samples: Floats, scale: Floats) -> Floats:
    """Shape `(N, N)`: by how many standard errors i is better than j; ±∞ for a difference without error, 0 for none.

    The smaller of |d| / se(d) and −Φ⁻¹(p), p being the share of replicates in which i is not on the same side of j.
    For smooth scores the two agree. Where a score jumps, as orders inside tasks do, a difference by luck is large
    beside its standard error though many replicates turn it round, and p, which no change of scale alters, tells.
    """
    from scipy.special import ndtri  # noqa: PLC0415  # only where intervals are wanted

    away = np.zeros((goodness.size, goodness.size))
    for i in range(goodness.size):
        difference = goodness[i] - goodness
        deviation = samples[i] - samples
        error = np.sqrt(_variances(deviation))
        size = ROUNDING * np.maximum(scale[i], scale)
        error[error <= size] = 0.0
        turned = np.sign(difference)[:, None] * deviation <= size[:, None]
        doubt = -ndtri(turned.sum(axis=1) / (samples.shape[1] + 1))
        with np.errstate(divide="ignore", invalid="ignore"):  # a difference without error is certain
            least = np.minimum(np.abs(difference / error), np.maximum(doubt, 0.0))
        away[i] = np.where(np.abs(difference) <= size, 0.0, np.sign(difference) * least)
    return np.nan_to_num(away, nan=0.0, posinf=np.inf, neginf=-np.inf)


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
