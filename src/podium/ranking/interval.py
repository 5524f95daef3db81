"""From scores and their bootstrap replicates to intervals of scores, intervals of ranks, and tiers.

Critical values say how many standard errors are enough. By them `_better` says who is better than whom, and from that
alone follow the intervals of ranks and the tiers.
"""

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

Ints = NDArray[np.int64]

Bools = NDArray[np.bool_]

#: Share of replicates that may fail to be ranked; where more do, those that do not are no fair sample.
_LOST_AT_MOST = 0.02

#: Pairs of systems whose replicates are looked at together.
_PAIRS = 256


def intervals_if_enough(
    standing: Standing,
    samples: Floats,
    bootstrap: Bootstrap,
    *,
    freedom: float,
    lost: Bools,
    advice: str,
) -> tuple[Intervals | None, list[str]]:
    """Make intervals if enough replicates could be ranked; if not, those that could are no fair sample.

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
    notes = [note.lost(number, bootstrap.replicates)] if number else []
    return intervals(standing, samples[:, ~lost], bootstrap, freedom=freedom), notes


def intervals(standing: Standing, samples: Floats, bootstrap: Bootstrap, *, freedom: float) -> Intervals:
    """Turn replicates into intervals, rank intervals and tiers.

    Scores: the quantiles α′/2 and 1 − α′/2 of the replicates, with α′ ≤ α = 1 − confidence chosen so that for a mean
    of few units the interval is as wide as Student's: −Φ⁻¹(α′/2) is the critical value of one statement (the expanded
    percentile interval, Hesterberg 2015, §4.1). Where that is further out than B replicates reach, the interval
    reaches at least that many standard errors.

    Ranks: system i is better than j where d = s_i − s_j > c · se(d), se(d) being the standard deviation of d over
    replicates, and where fewer than a share Φ(−c) of the replicates reverse it; c is the critical value of the N − 1
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
    confidence, units = bootstrap.confidence, bootstrap.units
    check_replicates(confidence, samples.shape[1])
    ranked = ~np.isnan(standing.score)
    n_ranked = max(int(np.count_nonzero(ranked)), 2)
    for_score, for_system, for_all = (
        critical_value(confidence, freedom, units=units, statements=number)
        for number in (1, n_ranked - 1, n_ranked * (n_ranked - 1) // 2)
    )
    std_error = np.sqrt(variances(samples))
    low, high = _score_interval(standing.score, samples, std_error, for_score)

    sign = 1.0 if standing.higher_is_better else -1.0
    goodness, goodness_samples = sign * standing.score, sign * samples
    scale = np.broadcast_to(np.asarray(standing.scale), goodness.shape)
    better, jointly_better = _better(goodness, goodness_samples, scale, (for_system, for_all))
    rank_low, rank_high = _rank_interval(better, ranked)
    joint_low, joint_high = _rank_interval(jointly_better, ranked)
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
        tier=_tiers(jointly_better, levels(goodness, tolerance=ROUNDING * scale)),
        separated=jointly_better,
        critical=for_all,
        samples=goodness_samples,
        tail=_tail(for_score),
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


def _tail(critical: float) -> float:
    """Φ(−c): the probability that a normal error is more than c standard errors below."""
    from statistics import NormalDist  # noqa: PLC0415  # only where intervals are wanted

    return NormalDist().cdf(-critical)


def _score_interval(score: Floats, samples: Floats, std_error: Floats, critical: float) -> tuple[Floats, Floats]:
    """Shape `(N,)` each: lower and upper end."""
    tail = _tail(critical)
    low, high = quantiles(samples, [tail, 1 - tail])
    if tail * samples.shape[1] < 1:  # further out than the replicates reach
        low = np.minimum(low, score - critical * std_error)
        high = np.maximum(high, score + critical * std_error)
    return low, high


def _better(goodness: Floats, samples: Floats, scale: Floats, criticals: tuple[float, float]) -> tuple[Bools, Bools]:
    """Shape `(N, N)` for each critical value, the smaller first: whether i is better than j.

    It is where its lead is more than so many standard errors, and few replicates reverse it: where a score jumps, as
    orders inside tasks do, a lead by luck is large beside its standard error though many replicates reverse it.
    """
    rounding = ROUNDING * np.maximum(scale[:, None], scale)
    lead = goodness[:, None] - goodness
    lead[lead <= rounding] = 0.0
    error = errors_of_differences(samples)
    error[error <= rounding] = 0.0  # a lead without error is certain
    reversed_share = _reversed_share(samples, rounding, lead > criticals[0] * error)
    own, joint = ((lead > critical * error) & (reversed_share < _tail(critical)) for critical in criticals)
    return own, joint


def _reversed_share(samples: Floats, rounding: Floats, wanted: Bools) -> Floats:
    """Shape `(N, N)`: share of replicates in which i does not lead j; 0 where it is not wanted."""
    share = np.zeros(wanted.shape)
    for i, row in enumerate(wanted):
        behind = np.flatnonzero(row)
        reverse = samples[i] - samples[behind] <= rounding[i, behind, None]
        share[i, behind] = reverse.sum(axis=1) / (samples.shape[1] + 1)
    return share


def _rank_interval(better: Bools, ranked: Bools) -> tuple[Ints, Ints]:
    """Shape `(N,)` each: best and worst rank of every system, given which are better than which; 0 where unranked."""
    low = 1 + better.sum(axis=0)
    high = np.count_nonzero(ranked) - better.sum(axis=1)
    return np.where(ranked, low, 0), np.where(ranked, high, 0)


def _tiers(better: Bools, place: Ints) -> Ints:
    """Shape `(N,)`: number of the tier of every system, 1 is best; 0 where unranked.

    A tier ends above the first system that is worse than one in it. Systems of one place share a rank, and a tier.
    """
    tier = np.zeros(place.size, dtype=np.int64)
    current, members = 1, np.zeros(place.size, dtype=np.bool_)
    for number in range(place.max(initial=-1) + 1):
        group = place == number
        if better[np.ix_(members, group)].any():
            current, members = current + 1, np.zeros_like(members)
        members |= group
        tier[group] = current
    return tier


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
        return np.sqrt([variances(one - samples) for one in samples])
    centred = samples - samples.mean(axis=1, keepdims=True)
    variance = (centred**2).sum(axis=1) / (samples.shape[1] - 1)
    total = variance[:, None] + variance
    of_difference = total - 2 / (samples.shape[1] - 1) * (centred @ centred.T)
    close = np.argwhere(of_difference <= 1e-6 * total)
    for start in range(0, len(close), _PAIRS):
        i, j = close[start : start + _PAIRS].T
        of_difference[i, j] = variances(samples[i] - samples[j])
    errors: Floats = np.sqrt(of_difference)
    return errors


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
