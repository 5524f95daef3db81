"""From scores and their bootstrap replicates to intervals of scores, intervals of ranks, and tiers.

Two questions, two answers. How far off may a score be? Critical values say how many standard errors are enough. Who is
better than whom? p-values of all pairs do, adjusted for all comparisons, see `_better`; from that alone follow the
intervals of ranks and the tiers.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.statistics import distinct, holm, normal_cdf, normal_quantile, shaffer, student_cdf, student_quantile
from podium.ranking import note
from podium.ranking.bootstrap import Bootstrap, quantiles, share_of_top
from podium.ranking.deviation import deviations, errors_of_differences, skewness
from podium.ranking.few import Separated
from podium.ranking.freedom import LEAST_FREEDOM
from podium.ranking.method.method import Standing
from podium.ranking.result import Intervals
from podium.ranking.skewness import Range, interval_of_sums
from podium.score.place import ROUNDING, places
from podium.tally.draw import check_replicates

Floats = NDArray[np.float64]

Ints = NDArray[np.int64]

Bools = NDArray[np.bool_]

#: Share of replicates that may fail to be ranked; where more do, those that do not are no fair sample.
_LOST_AT_MOST = 0.02

#: Degrees of freedom that are enough, to rounding.
_ENOUGH = LEAST_FREEDOM * (1 - 1e-9)

#: Leads that are no evidence at this confidence need no closer look.
_CANDIDATE = 0.5


def intervals_if_enough(
    standing: Standing,
    samples: Floats,
    bootstrap: Bootstrap,
    *,
    freedom: float,
    lost: Bools,
    advice: str,
    own: Floats | None = None,
    pairs: Floats | None = None,
    exact: Separated | None = None,
    instead: Bools | None = None,
    bounds: Range | None = None,
    smooth: bool = False,
) -> tuple[Intervals | None, list[str]]:
    """Make intervals if enough replicates could be ranked; if not, those that could are no fair sample.

    Parameters
    ----------
    standing, samples, bootstrap, freedom, own, pairs, exact, instead, bounds, smooth
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
    kept = samples[:, ~lost]
    found = intervals(
        standing,
        kept,
        bootstrap,
        freedom=freedom,
        own=own,
        pairs=pairs,
        exact=exact,
        instead=instead,
        bounds=bounds,
        smooth=smooth,
    )
    return found, notes


def intervals(
    standing: Standing,
    samples: Floats,
    bootstrap: Bootstrap,
    *,
    freedom: float,
    own: Floats | None = None,
    pairs: Floats | None = None,
    exact: Separated | None = None,
    instead: Bools | None = None,
    bounds: Range | None = None,
    smooth: bool = False,
) -> Intervals:
    """Turn replicates into intervals, rank intervals and tiers.

    Scores that are sums over units, as means and Borda scores are: Student's interval, corrected for skewness, see
    `interval_of_sums` (Hall 1992). Other scores: the quantiles α′/2 and 1 − α′/2 of the replicates, with α′ ≤ α =
    1 − confidence chosen so that for a mean of few units the interval is as wide as Student's: −Φ⁻¹(α′/2) is the
    critical value of one statement (the expanded percentile interval, Hesterberg 2015, §4.1). Where that is further
    out than B replicates reach, the interval reaches at least that many standard errors.

    Ranks: systems are separated by Student's test of each pair, see `by_student`, or by an exact test instead of it or
    beside it. The rank interval of i reaches from 1 + the number of systems better than i to N − the number that i is
    better than (Mogstad, Romano, Shaikh & Wilhelm 2024, §3).

    Tiers: a tier ends only where all systems above are separated from all below, all pairs together. So every system of
    a tier is better than every system of the tiers below, at this confidence.

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
    own
        Shape `(N,)`: those of each system where they are fewer, since units that do not score it say nothing; None
        where there are no such. With fewer than `LEAST_FREEDOM` a system has no interval and is not separated.
    pairs
        Shape `(N, N)`: degrees of freedom of each difference, and of each score on the diagonal, if they are known.
    exact
        What another test separates, see `podium.ranking.few`; None if there is none.
    instead
        Shape `(N,)`: systems of which the exact test takes the place of Student's, in pairs of them; other pairs must
        be separated by both, as all must if it is None.
    bounds
        Between what scores lie, and whether they are sums over units; None where that is not known.
    smooth
        Whether scores move smoothly, see `p_values`.

    Raises
    ------
    MethodError
        There are too few replicates for the confidence.

    References
    ----------
    Efron & Tibshirani 1993, ch. 13; Hall 1992; Hesterberg 2015; Holm 1979; Shaffer 1986; Mogstad et al. 2024.
    """
    confidence, units = bootstrap.confidence, bootstrap.units
    check_replicates(confidence, samples.shape[1])
    ranked = ~np.isnan(standing.score)
    known = np.full((ranked.size, ranked.size), freedom) if pairs is None else pairs
    if own is not None:
        known = np.minimum(known, np.minimum(own[:, None], own))
    n_ranked = max(int(np.count_nonzero(ranked)), 2)
    for_score, for_all = (
        critical_value(confidence, freedom, units=units, statements=number)
        for number in (1, n_ranked * (n_ranked - 1) // 2)
    )
    rounding = ROUNDING * np.broadcast_to(np.asarray(standing.scale, dtype=np.float64), ranked.shape)
    goodness_samples = samples if standing.higher_is_better else -samples
    std_error, low, high = _of_scores(
        standing.goodness, goodness_samples, np.diag(known), bootstrap, rounding=rounding, bounds=bounds
    )
    if not standing.higher_is_better:
        low, high = -high, -low

    alpha = 1 - confidence
    ahead = standing.goodness[:, None] > standing.goodness
    exact = Separated.where(np.ones_like(ahead)) if exact is None else exact
    alone = np.zeros_like(ahead) if instead is None else instead[:, None] & instead
    found = exact & Separated.where(known >= _ENOUGH)
    if not alone.all():
        p = p_values(standing, samples, freedom=known, units=units, smooth=smooth)
        student = by_student(standing.goodness, p, alpha)
        beaten = (alone & exact.own & ahead.T).any(axis=1)
        found = found & Separated(student.joint | alone, student.own | alone, student.beaten | beaten)
    better = found.joint & ahead
    rank_low, rank_high = _rank_interval(found.own, ahead, ranked)
    may_be_first = ranked & ~found.beaten
    if np.count_nonzero(may_be_first) == 1 and rank_high[may_be_first].item() > 1:
        may_be_first = rank_low == 1  # one-sided, it leads; two-sided, others may be as good
    if np.count_nonzero(may_be_first) > 1:  # nobody is surely first where another may be
        rank_high = np.where(rank_high == 1, 2, rank_high)
    rank_low = np.where(may_be_first, 1, rank_low)
    joint_low, joint_high = _rank_interval(found.joint, ahead, ranked)
    return Intervals(
        confidence=confidence,
        units=units,
        replicates=samples.shape[1],
        seed=bootstrap.resampling.seed,
        std_error=np.where(ranked, std_error, np.nan),
        score_low=np.where(ranked, low, np.nan),
        score_high=np.where(ranked, high, np.nan),
        rank_low=rank_low,
        rank_high=rank_high,
        joint_rank_low=joint_low,
        joint_rank_high=joint_high,
        share_first=share_of_top(goodness_samples, 1, rounding),
        tier=_tiers(better, places(standing.goodness, tolerance=rounding)),
        separated=better,
        may_be_first=may_be_first,
        critical=for_all,
        samples=goodness_samples,
        rounding=rounding,
        tail=_tail(for_score),
    )


def _of_scores(
    goodness: Floats, samples: Floats, known: Floats, bootstrap: Bootstrap, *, rounding: Floats, bounds: Range | None
) -> tuple[Floats, Floats, Floats]:
    """Shape `(N,)` each: standard error, lower and upper end; NaN where too few degrees of freedom are known."""
    confidence, units, enough = bootstrap.confidence, bootstrap.units, known >= _ENOUGH
    std_error = np.where(enough, deviations(samples), np.nan)
    critical = _by_freedom(lambda number: critical_value(confidence, number, units=units), known, enough)
    if bounds is None or not bounds.of_sums:
        low, high = _percentile_interval(goodness, samples, std_error, critical, bounds)
    else:
        # the stretch is in the critical value, but Hall's formula wants it in the standard error
        wider = np.where(enough, stretch(known, units), 1.0)
        low, high = interval_of_sums(
            goodness,
            wider * std_error,
            skewness(samples),
            critical / wider,
            bounds=bounds,
            alpha=1 - confidence,
            rounding=rounding,
        )
    return std_error, np.where(enough, low, np.nan), np.where(enough, high, np.nan)


def critical_value(confidence: float, freedom: float, *, units: str, statements: int = 1) -> float:
    """How many standard deviations of replicates the error of any of m statements exceeds with probability α at most.

    c = √(n / (n − 1)) · −t_{n−1}⁻¹(α / 2m): Student's quantile, since the standard error too is known from n units
    only, with α = 1 − confidence divided among the statements (Bonferroni). The root undoes that drawing n of n tasks
    divides squares by n; it is left out for units = "instances", whose Poisson draws vary in number too, by which
    the variance of a mean grows by as much as it lacks: (1 − 1/n)(1 + 1/n + …) ≈ 1; and for "repeats", which have been
    widened.

    >>> round(critical_value(0.95, 8, units="tasks"), 3), round(critical_value(0.95, 1e9, units="instances"), 3)
    (2.446, 1.96)
    """
    return float(-student_quantile((1 - confidence) / 2 / statements, freedom) * stretch(freedom, units))


def stretch(freedom: Any, units: str) -> Any:
    """By how much replicates vary less than the scores of as many new units."""
    return 1.0 if units in {"instances", "repeats"} else np.sqrt(1 + 1 / np.maximum(freedom, 1e-300))


def _tail(critical: float) -> float:
    """Φ(−c): the probability that a normal error is more than c standard errors below."""
    return float(normal_cdf(-critical))


def _percentile_interval(
    score: Floats, samples: Floats, std_error: Floats, critical: Floats, bounds: Range | None
) -> tuple[Floats, Floats]:
    """Shape `(N,)` each: lower and upper end, the score between them, and neither outside of its bounds.

    An interval without length, of a score that varies, reaches as many standard errors as are enough.
    """
    low, high = np.empty((2, score.size))
    for one in distinct(critical).tolist():
        of, tail = critical == one, _tail(one)
        low[of], high[of] = quantiles(samples[of], [tail, 1 - tail])
        if tail * samples.shape[1] < 1:  # further out than the replicates reach
            low[of] = np.minimum(low[of], score[of] - one * std_error[of])
            high[of] = np.maximum(high[of], score[of] + one * std_error[of])
    low, high = np.minimum(low, score), np.maximum(high, score)  # replicates that lean to one side may all lie there
    least, most = (-np.inf, np.inf) if bounds is None else (bounds.low, bounds.high)
    low, high = np.maximum(low, least), np.minimum(high, most)
    reach = np.where(low < high, 0.0, critical * std_error)
    return np.maximum(low - reach, least), np.minimum(high + reach, most)


def _by_freedom(number: Callable[[float], float], known: Floats, enough: Bools) -> Floats:
    """Shape of `known`: a number that depends on degrees of freedom, each taken once; 1 where they are not enough."""
    found = np.ones(known.shape)
    for freedom in distinct(known[enough]).tolist():
        found[known == freedom] = number(freedom)
    return found


def p_values(
    standing: Standing, samples: Floats, *, freedom: float | Floats, units: str, smooth: bool = False
) -> Floats:
    """Shape `(N, N)`: two-sided p-values of all differences of two scores; 1 on the diagonal, NaN of the unranked.

    p = 2 T(−t), T being Student's distribution, and t the lead divided by its standard deviation over replicates. Where
    scores do not move smoothly, t is at most Φ⁻¹(1 − r), r being the share of replicates that reverse the lead. This
    matters where a score jumps, as orders inside tasks do: a lead by luck is then large beside its standard error,
    though many replicates reverse it. Otherwise it would say the same as t, less surely. As in `critical_value`,
    standard errors are taken √(n / (n − 1)) as large where tasks are drawn.

    Parameters
    ----------
    standing, samples
        As for `intervals`.
    freedom
        Degrees of freedom of the standard errors: of all, or shape `(N,)` of each system, of which a pair has the
        smaller, or `(N, N)` of each difference. With fewer than `LEAST_FREEDOM` no difference is known, and p is 1.
    units
        What was drawn.
    smooth
        Whether scores move smoothly, as sums over units do, and jump nowhere.
    """
    scale = np.broadcast_to(np.asarray(standing.scale), standing.score.shape)
    rounding = ROUNDING * np.maximum(scale[:, None], scale)
    goodness = standing.goodness
    lead = np.abs(goodness[:, None] - goodness)
    lead[lead <= rounding] = 0.0
    error = errors_of_differences(samples)
    error[error <= rounding] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(lead > 0, lead / error, lead)  # a lead without error is certain, and no lead is none
    known = np.asarray(freedom, dtype=np.float64)
    pairs = known if known.ndim > 1 else np.broadcast_to(np.minimum(known[..., None], known), lead.shape)
    if not smooth:
        worth_a_look = critical_value(_CANDIDATE, max(float(known.max()), LEAST_FREEDOM), units=units)
        goodness_samples = samples if standing.higher_is_better else -samples
        ahead = (t > worth_a_look) & (goodness[:, None] > goodness)
        reversed_share = _reversed_share(goodness_samples, rounding, ahead)
        t = np.minimum(t, -normal_quantile(np.maximum(reversed_share, reversed_share.T)))
    enough = pairs >= _ENOUGH
    t /= np.where(enough, stretch(pairs, units), 1.0)
    p = np.ones_like(t)
    left, right = np.nonzero(np.triu(enough, 1))  # both orders of a pair have the same t
    p[left, right] = p[right, left] = np.minimum(2 * student_cdf(-t[left, right], pairs[left, right]), 1.0)
    return np.where(np.isnan(lead), np.nan, p)


def by_student(goodness: Floats, p: Floats, alpha: float) -> Separated:
    """Separate pairs by their p-values, adjusted for all comparisons; both adjustments hold under any dependence.

    Among the N − 1 pairs of a system stepwise after Holm; among all pairs after Shaffer. The quantile of the largest
    difference over replicates (Romano & Wolf 2005) is little lower if there are many units, and far too low if there
    are not many more units than systems: the replicates do not know how differences go together.

    Parameters
    ----------
    goodness
        Shape `(N,)`: scores, higher is better; NaN of the unranked.
    p
        Shape `(N, N)`: two-sided p-values.
    alpha
        1 − confidence.
    """
    ranked = np.flatnonzero(~np.isnan(goodness))
    joint, own = np.zeros((2, *p.shape), dtype=np.bool_)
    beaten = np.zeros(goodness.size, dtype=np.bool_)
    first, second = (ranked[rows] for rows in np.triu_indices(ranked.size, 1))
    joint[first, second] = shaffer(p[first, second], ranked.size) <= alpha
    for i in ranked:
        others = ranked[ranked != i]
        own[i, others] = holm(p[i, others]) <= alpha
        above = p[i, others][goodness[others] > goodness[i]]
        beaten[i] = above.size > 0 and above.min() / 2 * others.size <= alpha
    return Separated(joint | joint.T, own, beaten)


def _reversed_share(samples: Floats, rounding: Floats, wanted: Bools) -> Floats:
    """Shape `(N, N)`: share of replicates in which i does not lead j; 0 where it is not wanted."""
    share = np.zeros(wanted.shape)
    lowest, highest = np.fmin.reduce(samples, axis=1), np.fmax.reduce(samples, axis=1)
    never = lowest[:, None] - highest > rounding
    for i, row in enumerate(wanted & ~never):
        behind = np.flatnonzero(row)
        reverse = samples[i] - samples[behind] <= rounding[i, behind, None]
        share[i, behind] = reverse.sum(axis=1) / (samples.shape[1] + 1)
    return share


def _rank_interval(differs: Bools, ahead: Bools, ranked: Bools) -> tuple[Ints, Ints]:
    """Shape `(N,)` each: best and worst rank of every system, by its own row of what differs; 0 where unranked."""
    low = 1 + (differs & ahead.T).sum(axis=1)
    high = np.count_nonzero(ranked) - (differs & ahead).sum(axis=1)
    return np.where(ranked, low, 0), np.where(ranked, high, 0)


def _tiers(better: Bools, place: Ints) -> Ints:
    """Shape `(N,)`: number of the tier of every system, 1 is best; 0 where unranked.

    Going down the ranking, a tier ends where each system above is better than each below.
    """
    order = np.argsort(place, kind="stable")[np.count_nonzero(place < 0) :]
    apart = better[np.ix_(order, order)]
    last = order.size - 1 - np.argmin(apart[:, ::-1], axis=1)  # in a row, the last that the system is not better than
    starts = np.append(0, np.maximum.accumulate(last)[:-1]) < np.arange(order.size)
    tier = np.zeros(place.size, dtype=np.int64)
    tier[order] = 1 + np.cumsum(starts)
    return tier
