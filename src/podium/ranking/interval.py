"""From bootstrap replicates of scores to intervals, rank intervals and tiers."""

import math

import numpy as np
from numpy.typing import NDArray

from podium.ranking import note
from podium.ranking.bootstrap import Bootstrap, quantiles, share_of_top
from podium.ranking.method.method import Standing
from podium.ranking.result import Intervals
from podium.score.place import ROUNDING, levels
from podium.tally.draw import check_replicates

Floats = NDArray[np.float64]

#: Share of replicates that may fail to be ranked; where more do, those that do not are no fair sample.
_LOST_AT_MOST = 0.02

#: Systems, or pairs of close ones, looked at together.
_ROWS = 256


def intervals(standing: Standing, samples: Floats, bootstrap: Bootstrap, *, freedom: float) -> Intervals:
    """Turn replicates into intervals, rank intervals and tiers.

    Scores: the quantiles α′/2 and 1 − α′/2 of the replicates, with α′ ≤ α = 1 − confidence chosen so that for a mean
    of few units the interval is as wide as Student's: −Φ⁻¹(α′/2) is the critical value of one statement (the expanded
    percentile interval, Hesterberg 2015, §4.1). Where that is further out than B replicates reach, the interval
    reaches at least that many standard errors.

    Ranks: system i is better than j where d = s_i − s_j > c · se(d), se(d) being the standard deviation of d over
    replicates, and where fewer than a share Φ(−c) of the replicates say otherwise; c is the critical value of the N − 1
    differences of i for its marginal rank interval, and of all N (N − 1) / 2 for the joint ones. The interval of i then
    reaches from 1 + the number of systems better than i to N − the number that i is better than (Mogstad, Romano,
    Shaikh & Wilhelm 2024, §3). The quantile of the largest difference over replicates (Romano & Wolf 2005) would be 3%
    lower where there are many units; where there are not many more units than systems, the replicates do not know how
    differences go together, and it is far too low.

    Tiers: going down the ranking, a tier ends above the first system that is worse than one in it, all pairs together.
    So the systems in a tier are not separated; if all systems are equal, some are separated with a probability of about
    α. The scores of Copeland, Kemeny and two-level Borda move in steps; a bootstrap of few units knows less about steps
    than about means, so there α is less sure.

    Parameters
    ----------
    standing
        The N scores, NaN where a system is not ranked, their direction, and the size of what they were summed from:
        smaller differences than 1e-12 of it are none.
    samples
        Shape `(N, B)`: scores in every replicate; a NaN is left out.
    bootstrap
        How the replicates were drawn, and the confidence 1 − α.
    freedom
        Degrees of freedom n − 1 of the standard errors.

    Raises
    ------
    MethodError
        There are too few replicates for the confidence.

    References
    ----------
    Efron & Tibshirani 1993, ch. 13; Hesterberg 2015; Mogstad et al. 2024.
    """
    from statistics import NormalDist  # noqa: PLC0415  # only where intervals are wanted

    confidence, units = bootstrap.confidence, bootstrap.units
    check_replicates(confidence, samples.shape[1])
    sign = 1.0 if standing.higher_is_better else -1.0
    goodness, goodness_samples = sign * standing.score, sign * samples
    ranked = ~np.isnan(goodness)
    scale = np.broadcast_to(np.asarray(standing.scale), goodness.shape)
    others = max(int(np.count_nonzero(ranked)) - 1, 1)
    one, own, every = (
        critical_value(confidence, freedom, units=units, statements=number)
        for number in (1, others, others * (others + 1) // 2)
    )
    tail = NormalDist().cdf(-one)
    low, high = quantiles(samples, [tail, 1 - tail])
    std_error = np.sqrt(variances(samples))
    if tail * samples.shape[1] < 1:  # further out than the replicates reach
        low = np.minimum(low, standing.score - one * std_error)
        high = np.maximum(high, standing.score + one * std_error)
    marginal, joint = _separated(goodness, goodness_samples, scale, own, every)
    rank_low, rank_high = _rank_interval(marginal, goodness)
    joint_low, joint_high = _rank_interval(joint, goodness)
    return Intervals(
        confidence=confidence,
        units=units,
        replicates=samples.shape[1],
        seed=bootstrap.seed,
        std_error=np.where(ranked, std_error, np.nan),
        score_low=np.where(ranked, low, np.nan),
        score_high=np.where(ranked, high, np.nan),
        rank_low=rank_low,
        rank_high=rank_high,
        joint_rank_low=joint_low,
        joint_rank_high=joint_high,
        first=share_of_top(goodness_samples, 1),
        tier=_tiers(joint, levels(goodness, tolerance=ROUNDING * scale)),
        separated=joint > 0,
        critical=every,
        samples=goodness_samples,
        tail=tail,
    )


def conclude(
    standing: Standing,
    samples: Floats,
    bootstrap: Bootstrap,
    *,
    freedom: float,
    lost: NDArray[np.bool_],
    advice: str,
) -> tuple[Intervals | None, list[str]]:
    """Make intervals of replicates, unless too many could not be ranked: those that could are no fair sample then.

    Parameters
    ----------
    standing, samples, bootstrap, freedom
        As for `intervals`.
    lost
        Shape `(B,)`: which replicates could not be ranked.
    advice
        What to do about it.

    Returns
    -------
    The intervals or None, and what to know about them, in words.
    """
    number = int(lost.sum())
    if number > _LOST_AT_MOST * bootstrap.replicates:
        return None, [note.too_many_lost(number, bootstrap.replicates, advice)]
    sure = intervals(standing, samples[:, ~lost], bootstrap, freedom=freedom)
    return sure, [note.lost(number, bootstrap.replicates)] if number else []


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


def variances(samples: Floats) -> Floats:
    """Shape `(N,)`: variance of every row of `(N, B)`, NaN left out; NaN where fewer than two numbers are left.

    >>> variances(np.array([[1.0, 2.0, 3.0], [1.0, np.nan, np.nan]]))
    array([ 1., nan])
    """
    there = ~np.isnan(samples)
    count = there.sum(axis=1)
    mean = np.where(there, samples, 0.0).sum(axis=1) / count.clip(1)
    squares = np.where(there, samples - mean[:, None], 0.0) ** 2
    variance: Floats = np.full(len(samples), np.nan)
    np.divide(squares.sum(axis=1), count - 1, out=variance, where=count > 1)
    return variance


def _separated(
    goodness: Floats, samples: Floats, scale: Floats, own: float, every: float
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Shape `(N, N)` each: 1 where i is better than j, −1 where it is worse, 0 where neither can be said.

    The first is for the comparisons of each system by itself, whose critical value is `own`, the second for all pairs.
    A difference without error is certain.
    """
    from statistics import NormalDist  # noqa: PLC0415  # only where intervals are wanted

    apart = np.zeros((2, goodness.size, goodness.size), dtype=np.int8)
    for start in range(0, goodness.size, _ROWS):
        rows = slice(start, start + _ROWS)
        difference = goodness[rows, None] - goodness
        size = ROUNDING * np.maximum(scale[rows, None], scale)
        error = errors_of_differences(samples, rows)
        error[error <= size] = 0.0
        far = (np.abs(difference) > size) & (np.abs(difference) > own * error)
        turned = _turned_round(samples, np.sign(difference), size, far, start)
        for which, critical in enumerate((own, every)):
            sure = far & (np.abs(difference) > critical * error) & (turned < NormalDist().cdf(-critical))
            apart[which, rows] = np.where(sure, np.sign(difference), 0)
    return apart[0], apart[1]


def _turned_round(samples: Floats, sign: Floats, size: Floats, far: NDArray[np.bool_], start: int) -> Floats:
    """Share of replicates in which a difference has not the sign it has, for those that are far from none.

    Where a score jumps, as orders inside tasks do, a difference by luck is large beside its standard error though many
    replicates turn it round.
    """
    share = np.zeros(far.shape)
    pairs = np.argwhere(far)
    for first in range(0, len(pairs), _ROWS // 4):  # few enough for a core's cache
        i, j = pairs[first : first + _ROWS // 4].T
        deviation = sign[i, j, None] * (samples[start + i] - samples[j])
        share[i, j] = (deviation <= size[i, j, None]).sum(axis=1) / (samples.shape[1] + 1)
    return share


def errors_of_differences(samples: Floats, rows: slice = slice(None)) -> Floats:
    """Standard deviation over replicates of the difference of some systems from all.

    From variances and covariances, Var(x − y) = Var x + Var y − 2 Cov(x, y); where little is left of them, or numbers
    are missing, from the differences themselves.

    Parameters
    ----------
    samples
        Shape `(N, B)`: scores in every replicate; a NaN is left out.
    rows
        The M systems whose differences are wanted; by default all.

    Returns
    -------
    Shape `(M, N)`, in units of the score; NaN where fewer than two replicates have both.

    Examples
    --------
    >>> errors_of_differences(np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 2.0], [3.0, 2.0, 1.0]]))[0]
    array([0., 0., 2.])
    """
    several = range(*rows.indices(len(samples)))
    if np.isnan(samples).any():
        return np.sqrt([variances(samples[i] - samples) for i in several])
    centred = samples - samples.mean(axis=1, keepdims=True)
    variance = (centred**2).sum(axis=1) / (samples.shape[1] - 1)
    total = variance[rows, None] + variance
    error = total - 2 / (samples.shape[1] - 1) * (centred[rows] @ centred.T)
    close = np.argwhere(error <= 1e-6 * total)
    for start in range(0, len(close), _ROWS):
        i, j = close[start : start + _ROWS].T
        error[i, j] = variances(samples[rows][i] - samples[j])
    errors: Floats = np.sqrt(error)
    return errors


def _rank_interval(apart: NDArray[np.int8], goodness: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Best and worst rank that the comparisons leave each system; 0 where unranked."""
    ranked = ~np.isnan(goodness)
    low = 1 + (apart < 0).sum(axis=1)
    high = np.count_nonzero(ranked) - (apart > 0).sum(axis=1)
    return np.where(ranked, low, 0), np.where(ranked, high, 0)


def _tiers(apart: NDArray[np.int8], level: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the groups, best first, in each of which no two systems are separated; 0 where unranked.

    Systems of one level, which share a rank, stay together: they are never separated.
    """
    tier = np.zeros(level.size, dtype=np.int64)
    current, members = 1, np.zeros(level.size, dtype=np.bool_)
    for place in range(level.max(initial=-1) + 1):
        group = level == place
        if (apart[np.ix_(members, group)] > 0).any():
            current, members = current + 1, np.zeros_like(members)
        members |= group
        tier[group] = current
    return tier
