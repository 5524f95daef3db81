"""From scores and their bootstrap replicates to intervals of scores, intervals of ranks, and tiers.

How far off may a score be? Critical values say how many standard errors are enough. Who is better than whom is another
question, see `podium.ranking.separation`; from the answer alone follow the intervals of ranks and the tiers. Last comes
the score of the winner, adjusted for selecting the winner.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from podium.base.arrays import Bools, Floats, Ints
from podium.base.statistics import distinct, log_normal_cdf, normal_cdf, normal_quantile
from podium.base.words import Doubt
from podium.ranking.method import MethodResult
from podium.ranking.method_spec import MethodSpec, method_of, sums_over_units
from podium.ranking.result import Intervals
from podium.ranking.separation import Separated
from podium.ranking.variation import (
    critical_value,
    deviations,
    power_of_two,
    quantiles,
    share_of_top,
    skewness,
    widening,
)
from podium.score import prediction_powered
from podium.score.place import ROUNDING, places
from podium.score.table import Scores
from podium.score.task import Task, extent
from podium.score.units import FEW_UNITS
from podium.tally.draw import check_replicates

if TYPE_CHECKING:
    from podium.ranking.bootstrap import Bootstrap
    from podium.ranking.degrees_of_freedom import DegreesOfFreedom

#: How many times as far off as Student's an end may be.
_FURTHEST = 2.5

#: Share of replicates that may fail to be ranked; where more do, those that do not are no fair sample.
_LOST_AT_MOST = 0.02

#: Share of α that is spent on bounding the mean beforehand: β / α.
_BOUND = 0.1

#: With fewer degrees of freedom than this, of ten units, too little is known of the standard error of a winner.
_LEAST_FREEDOM = 9

#: A score that moves in larger steps than this, in standard errors, is not near to normal.
_LARGEST_STEP = 0.5

#: One without steps that has a larger skewness is not either.
_LARGEST_SKEWNESS = 0.25

#: In fewer replicates than this share a system is missing too often to say how scores go together.
_LEAST_DRAWN = 0.9

#: A lead to which units add more different numbers than this has no steps that matter.
_NUMBERS = 1000

#: Leads, in standard errors, that are rounding.
_ROUNDING = 1e-9

#: Skewness that is none; and the least variance there can be, of where the draw is.
_SYMMETRIC, _LEAST_VARIANCE = 1e-6, 1e-9

#: How well means are found, as a share of how far away they may be.
_NARROW = 1e-12

#: The least step that matters, and the largest remainder that is rounding, as shares of the largest number.
_LEAST_STEP, _REMAINDER = 1e-3, 1e-7


def without_lost(
    samples: Floats, bootstrap: "Bootstrap", advice: str, lost: Bools | None = None
) -> tuple[Floats | None, list[str]]:
    """Return the replicates `(N, B)` that could be ranked; None if too few could, so that they are no fair sample.

    Parameters
    ----------
    samples, bootstrap
        The replicates, and how they were drawn.
    advice
        What to do if too many could not be ranked.
    lost
        Shape `(B,)`: which could not be ranked; by default those without any score.

    Returns
    -------
    The others, and what to know about them.

    Raises
    ------
    MethodError
        There are too few replicates for the confidence.
    """
    without = np.asarray(np.isnan(samples).all(axis=0)) if lost is None else lost
    number = int(without.sum())
    said = f"{number} of {bootstrap.replicates} replicates could not be ranked"
    if number > _LOST_AT_MOST * bootstrap.replicates:
        return None, [Doubt(f"no intervals: {said}; {advice}")]
    check_replicates(bootstrap.confidence, samples.shape[1] - number)
    return samples[:, ~without], [f"{said} and are left out of the intervals"] if number else []


def make_intervals(
    result: MethodResult,
    samples: Floats,
    bootstrap: "Bootstrap",
    separated: Separated,
    *,
    df: "DegreesOfFreedom",
    bounds: Floats | None = None,
    sums: bool = False,
) -> Intervals:
    """Turn replicates into intervals, rank intervals and tiers.

    Scores that are sums over units, as means and Borda scores are: Student's interval, corrected for skewness, see
    `interval_of_sums` (Hall 1992). Other scores: the quantiles α′/2 and 1 − α′/2 of the replicates, with α′ ≤ α =
    1 − confidence chosen so that for a mean of few units the interval is as wide as Student's: −Φ⁻¹(α′/2) is the
    critical value of one statement (the expanded percentile interval, Hesterberg 2015, §4.1). Where that is further
    out than B replicates reach, the interval reaches at least that many standard errors.

    Ranks: the rank interval of i reaches from 1 + the number of systems better than i to N − the number that i is
    better than (Mogstad, Romano, Shaikh & Wilhelm 2024, §3).

    Tiers: a tier ends only where all systems above are separated from all below, all pairs together. So every system of
    a tier is better than every system of the tiers below, at this confidence.

    Parameters
    ----------
    result
        The N scores, NaN where a system is not ranked, their direction, and the size of what they were summed from:
        smaller differences than 1e-12 of it are none.
    samples
        Shape `(N, B)`: scores in every replicate; a NaN is left out.
    bootstrap
        How the replicates were drawn, and the confidence 1 − α.
    separated
        Which systems differ.
    df
        Degrees of freedom n − 1 of the standard errors. With fewer than `LEAST_FREEDOM` a system has no interval.
    bounds
        Shape `(2, N)`: between what scores lie, see `range_of_scores`.
    sums
        Whether scores are sums over units.

    References
    ----------
    Efron & Tibshirani 1993, ch. 13; Hall 1992; Hesterberg 2015; Mogstad et al. 2024.
    """
    confidence, units = bootstrap.confidence, bootstrap.units
    oriented, ranked = result.oriented_score, ~np.isnan(result.score)
    oriented_samples = samples if result.higher_is_better else -samples
    rounding = ROUNDING * np.broadcast_to(np.asarray(result.scale, dtype=np.float64), ranked.shape)

    # scores: NaN where too few degrees of freedom are known
    of_scores = np.diag(df.pairs)
    bounds = np.full((2, ranked.size), [[-np.inf], [np.inf]]) if bounds is None else bounds
    enough = (of_scores >= df.least) & ranked
    std_error = np.where(enough, deviations(oriented_samples), np.nan)
    critical = np.ones(ranked.shape)
    for one in distinct(of_scores[enough]).tolist():  # each quantile once
        critical[of_scores == one] = critical_value(confidence, one, units=units)
    if sums:
        # the widening is in the critical value, but Hall's formula wants it in the standard error
        wider = np.where(enough, widening(of_scores, units), 1.0)
        low, high = interval_of_sums(
            oriented,
            wider * std_error,
            skewness(oriented_samples),
            critical / wider,
            bounds=bounds,
            unseen=1 - ((1 - confidence) / 2) ** (1 / (df.whole + 1)),
            rounding=rounding,
        )
    else:
        low, high = _percentile_interval(oriented, oriented_samples, std_error, critical, bounds)
    low, high = np.where(enough, low, np.nan), np.where(enough, high, np.nan)
    if not result.higher_is_better:
        low, high = -high, -low

    # ranks and tiers
    ahead = oriented[:, None] > oriented
    rank_low, rank_high, may_be_first = _ranks(separated, ahead, ranked)
    joint_low, joint_high = _rank_interval(separated.joint, ahead, ranked)
    better = separated.joint & ahead
    number = max(int(np.count_nonzero(ranked)), 2)
    return Intervals(
        confidence=confidence,
        units=units,
        replicates=samples.shape[1],
        seed=bootstrap.resampling.seed,
        std_error=std_error,
        score_low=low,
        score_high=high,
        rank_low=rank_low,
        rank_high=rank_high,
        joint_rank_low=joint_low,
        joint_rank_high=joint_high,
        share_first=share_of_top(oriented_samples, 1, rounding),
        tier=tiers_of(better, places(oriented, tolerance=rounding)),
        separated=better,
        may_be_first=may_be_first,
        critical=critical_value(confidence, df.whole, units=units, statements=number * (number - 1) // 2),
        samples=oriented_samples,
        rounding=rounding,
        tail=float(normal_cdf(-critical_value(confidence, df.whole, units=units))),
    )


def _percentile_interval(
    score: Floats, samples: Floats, std_error: Floats, critical: Floats, bounds: Floats
) -> tuple[Floats, Floats]:
    """Shape `(N,)` each: lower and upper end, the score between them, and neither outside of its bounds.

    An interval without length, of a score that varies, reaches as many standard errors as are enough.
    """
    low, high = np.empty((2, score.size))
    for one in distinct(critical).tolist():
        of, tail = critical == one, float(normal_cdf(-one))
        low[of], high[of] = quantiles(samples[of], [tail, 1 - tail])
        if tail * samples.shape[1] < 1:  # further out than the replicates reach
            low[of] = np.minimum(low[of], score[of] - one * std_error[of])
            high[of] = np.maximum(high[of], score[of] + one * std_error[of])
    low, high = np.minimum(low, score), np.maximum(high, score)  # replicates that lean to one side may all lie there
    low, high = np.maximum(low, bounds[0]), np.minimum(high, bounds[1])
    reach = np.where(low < high, 0.0, critical * std_error)
    return np.maximum(low - reach, bounds[0]), np.minimum(high + reach, bounds[1])


def range_of_scores(scores: Scores, spec: MethodSpec, units: str) -> Floats:
    """Return the range of the scores of a method, `(2, N)`: infinite where they may be of any size.

    Shares, such as Borda scores, lie between 0 and 1. A mean lies between the means of the lowest and of the highest
    scores that any system has on each task; where tasks are drawn, between the lowest and the highest of all tasks.

    Parameters
    ----------
    scores
        The table.
    spec
        The method, its level settled.
    units
        What is drawn.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1.0, 3.0], [0.0, 2.0]]})
    >>> range_of_scores(scores, MethodSpec("mean"), "instances")[1]
    array([3., 3.])
    """
    n_systems = len(scores.systems)
    if method_of(spec).shares or not sums_over_units(spec, units):
        ends = [0.0, 1.0] if method_of(spec).shares else [-np.inf, np.inf]
        return np.repeat(np.array(ends)[:, None], n_systems, axis=1)
    weighing = [task for task in scores.tasks if task.weight > 0 and task.scored.any()]
    of_tasks = np.array([_ends(task, scores.human) for task in weighing])
    if units != "instances":
        return np.repeat([[of_tasks[:, 0].min()], [of_tasks[:, 1].max()]], n_systems, axis=1)
    weights = np.array([task.weight * (task.scored > 0) for task in weighing])
    whole = weights.sum(axis=0)
    return np.asarray(np.divide(of_tasks.T @ weights, whole, out=np.full((2, n_systems), np.nan), where=whole > 0))


def _ends(task: Task, human: str) -> tuple[float, float]:
    """Return the lowest and the highest score, or label, of a task, in the direction in which higher is better."""
    low, high = prediction_powered.ends(task, human) if human else extent(task)
    return (low, high) if task.higher_is_better else (-high, -low)


def interval_of_sums(
    oriented: Floats, std_error: Floats, skewed: Floats, t: Floats, *, bounds: Floats, unseen: float, rounding: Floats
) -> tuple[Floats, Floats]:
    """Shape `(N,)` each: lower and upper end of the interval of every score (Hall 1992).

    The error of a sum in standard errors, T, has the skewness k of the sum, and the opposite sign of it: whoever drew
    few of the large values has too small a mean and too small a standard error. Hall's transformation
    g(T) = T + k T² / 3 + k² T³ / 27 + k / 6 is as good as symmetric, so that ± t bounds it: the ends lie
    g⁻¹(± t) standard errors off. t is Student's quantile; without skewness the interval is Student's. An end is at most
    2.5 t standard errors off: of a handful of units skewness is not known well, and g⁻¹ is steep where it is large.

    Where all n units of a system have one score, there is no standard error, but other scores there may be that n
    units did not show. A share of 1 − (α/2)^(1/n) of them is left unseen with a probability of α/2 (Clopper &
    Pearson 1934), and they reach the bounds at most.

    Parameters
    ----------
    oriented
        Shape `(N,)`, higher is better.
    std_error
        Shape `(N,)`, as of as many new units.
    skewed
        Shape `(N,)`: k, see `podium.ranking.variation.skewness`.
    t
        Shape `(N,)`: how many standard errors there are to an end without skewness.
    bounds
        Shape `(2, N)`: no end lies outside.
    unseen
        Share of scores that units may not have shown.
    rounding
        Shape `(N,)`: a smaller standard error is none.

    Examples
    --------
    >>> low, high = interval_of_sums(
    ...     np.array([0.9, 1.0]), np.array([0.05, 0.0]), np.array([-0.2, 0.0]), np.full(2, 2.0),
    ...     bounds=np.array([[0.0, 0.0], [1.0, 1.0]]), unseen=1 - 0.025 ** (1 / 20), rounding=np.full(2, 1e-12),
    ... )
    >>> low.round(3), high.round(3)
    (array([0.78 , 0.832]), array([0.988, 1.   ]))
    """
    reach = _FURTHEST * t
    low = oriented - std_error * np.minimum(_untransformed(t, skewed), reach)
    high = oriented - std_error * np.maximum(_untransformed(-t, skewed), -reach)
    constant = std_error <= rounding
    low = np.where(constant, oriented - unseen * (oriented - bounds[0]), low)
    high = np.where(constant, oriented + unseen * (bounds[1] - oriented), high)
    return np.clip(low, bounds[0], oriented), np.clip(high, oriented, bounds[1])


def _untransformed(z: Floats, k: Floats) -> Floats:
    """g⁻¹(z) = 3 / k (∛(1 + k (z − k / 6)) − 1) = 3 (z − k / 6) / (r² + r + 1), r being the root: no digits cancel."""
    moved = z - k / 6
    root = np.cbrt(1 + k * moved)
    return np.asarray(3 * moved / (root * root + root + 1))


def _ranks(separated: Separated, ahead: Bools, ranked: Bools) -> tuple[Ints, Ints, Bools]:
    """Shape `(N,)` each: best and worst rank of every system, and whether it may be the best, by two-sided tests.

    Who may be the best is known better, as that is one-sided: best and worst ranks follow it.
    """
    low, high = _rank_interval(separated.marginal, ahead, ranked)
    may_be_first = ranked & ~separated.not_best
    if np.count_nonzero(may_be_first) == 1 and high[may_be_first].item() > 1:
        may_be_first = low == 1  # one-sided, it leads; two-sided, others may be as good
    if np.count_nonzero(may_be_first) > 1:  # no system is certain to be first where another may be
        high = np.where(high == 1, 2, high)
    return np.where(may_be_first, 1, low), high, may_be_first


def _rank_interval(differs: Bools, ahead: Bools, ranked: Bools) -> tuple[Ints, Ints]:
    """Shape `(N,)` each: best and worst rank of every system, by its own row of what differs; 0 where unranked."""
    low = 1 + (differs & ahead.T).sum(axis=1)
    high = np.count_nonzero(ranked) - (differs & ahead).sum(axis=1)
    return np.where(ranked, low, 0), np.where(ranked, high, 0)


def tiers_of(better: Bools, place: Ints) -> Ints:
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


def winners_curse_corrected(
    oriented: Floats, samples: Floats, *, step: float, confidence: float, df: float, units: str
) -> tuple[float, float, float] | None:
    """Estimate the true score of the winner, given that it is first: hybrid inference on winners.

    The score X_w of the winner is a draw around its true mean μ that had to lie between two bounds (see `_win`), or
    somebody else would be first. F(X_w; μ) being its distribution between them, the estimate solves F = ½, so that it
    is too high as often as too low, and the ends of the interval solve F = 1 − q and F = q, with
    q = (α − β) / (2 (1 − β)). All stay in the interval X_w ± c σ that holds for all N systems together with confidence
    1 − β, where β = α / 10 (Bonferroni): so a narrow win does not send them far away.

    Three things are not as in the paper. Standard errors that are known from few units are Student's. Where scores
    move in steps h, as shares of right answers do, the winner is ahead by at least one, and the others count as half a
    step closer. Above 50 units the variance changes with the mean, see `conditional_mean`.

    Parameters
    ----------
    oriented
        Shape `(N,)`: X, higher is better; NaN where a system is not ranked.
    samples
        Shape `(N, B)`: the same in every replicate; replicates in which a ranked system has none are left out.
    step
        h ≥ 0, of leads, see `step_of`; 0 where they have none.
    confidence
        1 − α.
    df, units
        Degrees of freedom of the standard errors, and what was drawn, see `critical_value`.

    Returns
    -------
    Score, and lower and upper end, in units of oriented. None where simulated ones were wrong: there are fewer than
    ten units; several systems are first, so that there is no winner; h exceeds σ / 2, as where a winner has nearly all
    answers right; or there are no steps, but replicates have a skewness above ¼.

    References
    ----------
    Andrews, Kitagawa & McCloskey, *Inference on winners*, Quarterly Journal of Economics 139, 2024, §§ 3–5.

    Examples
    --------
    >>> samples = np.random.default_rng(0).normal(size=(3, 4000))
    >>> of_lead = [
    ...     winners_curse_corrected(
    ...         np.array([lead, 0.0, 0.0]), samples, step=0.0, confidence=0.95, df=1e9, units="instances"
    ...     )
    ...     for lead in (0.5, 2.0, 8.0)
    ... ]
    >>> [round(found[0], 1) for found in of_lead]
    [-0.6, 2.0, 8.0]
    """
    win = None if df < _LEAST_FREEDOM else _win(oriented, samples, step)
    few = df < FEW_UNITS
    if win is None or not (step or few or abs(win[1]) <= _LARGEST_SKEWNESS):
        return None
    std_error, skew, below, above = win
    bound = _BOUND * (1 - confidence)
    tail = (1 - confidence - bound) / (2 * (1 - bound))
    reach = critical_value(1 - bound, df, units=units, statements=oriented.size)
    # draws are normal below: so much wider, an interval without bounds is Student's
    spread = critical_value(1 - 2 * tail, df, units=units) / -float(normal_quantile(tail))
    found = []
    for share, scale in ((0.5, widening(df, units)), (1 - tail, spread), (tail, spread)):
        error = scale * std_error
        skewed = 0.0 if few else scale * skew
        mean = conditional_mean(share, below / error, above / error, reach=reach / scale, skewness=skewed)
        found.append(float(np.nanmax(oriented)) + error * mean)
    return found[0], found[1], found[2]


def _win(oriented: Floats, samples: Floats, step: float) -> tuple[float, float, float, float] | None:
    """Look how the winner won: its standard error, its skewness, and how far it could fall, or rise, and still win.

    All but the skewness are in units of the score. None where that says too little: where several are first, where the
    score of the first moves in steps too large for its standard error, where it has none, and where too many replicates
    lack a system.

    Let r_j = Σ_jw / Σ_ww. With every X_j − r_j X_w held as it is, w is first as long as X_w lies above
    X_w − (X_w − X_j) / (1 − r_j) for all j with r_j < 1, and below it for those with r_j > 1.
    """
    ranked = np.flatnonzero(~np.isnan(oriented))
    order = ranked[np.argsort(-oriented[ranked], kind="stable")]
    lead = oriented[order[0]] - oriented[order[1:]]
    drawn = samples[order][:, ~np.isnan(samples[order]).any(axis=0)]
    centred = drawn - drawn.mean(axis=1, keepdims=True)
    unit = power_of_two(centred)
    centred /= unit
    own = centred[0]
    error = unit * math.sqrt(float(own @ own) / max(own.size - 1, 1))
    too_few = own.size < _LEAST_DRAWN * samples.shape[1]
    varies = error > ROUNDING * np.abs(drawn).max(initial=0.0)
    if not lead.size or too_few or not varies or lead[0] <= _ROUNDING * error or step > _LARGEST_STEP * error:
        return None
    slope = (own - centred[1:]) @ own / (own @ own)  # 1 − r_j
    room = np.maximum(lead - step / 2, lead / 2)
    ends = [float(np.min(room[side > 0] / side[side > 0], initial=np.inf)) for side in (slope, -slope)]
    return error, float((own**3).mean() / (own**2).mean() ** 1.5), ends[0], ends[1]


def conditional_mean(share: float, below: float, above: float, *, reach: float, skewness: float = 0.0) -> float:
    """Find the mean μ for which a given share of the draws between two bounds falls below 0.

    Solves F(0; μ) = share. F is the distribution of z(X; μ) = X − μ, standard normal, in [z(−a; μ), z(b; μ)] ∩ [−c, c].
    With a skewness γ, X has the variance 1 + γ μ, which is 1 where μ is the draw, as if it counted rare events; then

        z(x; μ) = 3/2 ((1 + γ x)^⅔ − (1 + γ μ)^⅔) / (γ (1 + γ μ)^⅙)

    is nearly normal (Anscombe's transformation of Poisson numbers). Its mean of −γ / 6 is left out, so that a draw
    without bounds is its own estimate.

    Parameters
    ----------
    share
        Between 0 and 1: ½ for an estimate that is too high as often as too low.
    below, above
        a > 0 and b > 0, in standard errors of the draw; may be infinite.
    reach
        c > 0.
    skewness
        γ.

    References
    ----------
    Andrews, Kitagawa & McCloskey 2024, § 5; Anscombe, *On estimating binomial response relations*, Biometrika 43, 1956.

    Examples
    --------
    >>> [round(conditional_mean(0.5, below, math.inf, reach=3.0), 2) for below in (2.0, 0.5)]
    [-0.03, -1.06]
    """
    high = 2 * reach + abs(skewness) * reach**2
    low = -high
    while high - low > _NARROW * reach:  # the share falls as the mean rises; SciPy's finder takes long to load
        middle = (low + high) / 2
        least, most = max(_normal(-below, middle, skewness), -reach), min(_normal(above, middle, skewness), reach)
        if _share_below(_normal(0.0, middle, skewness), least, most) > share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _normal(x: float, mean: float, skewness: float) -> float:
    """z(x; μ), see `conditional_mean`."""
    if abs(skewness) < _SYMMETRIC or math.isinf(x):
        return x - mean
    variance = max(1 + skewness * mean, _LEAST_VARIANCE)
    moved = max(1 + skewness * x, 0.0) ** (2 / 3) - variance ** (2 / 3)
    return float(1.5 / skewness * moved / variance ** (1 / 6))


def _share_below(x: float, low: float, high: float) -> float:
    """(Φ(x) − Φ(low)) / (Φ(high) − Φ(low)), between 0 and 1; by logarithms, so that far tails keep their digits."""
    if x >= high:
        return 1.0
    if x <= low:
        return 0.0
    if low > 0:  # the same from the other side, where Φ is not close to 1
        return -math.expm1(_log_between(-high, -x) - _log_between(-high, -low))
    return math.exp(_log_between(low, x) - _log_between(low, high))


def _log_between(low: float, high: float) -> float:
    """log(Φ(high) − Φ(low))."""
    upper = log_normal_cdf(high)
    return upper + math.log(-math.expm1(log_normal_cdf(low) - upper))


def step_of(numbers: Floats) -> float:
    """Return the step of a sum: the largest number that divides all differences of its parts.

    Parameters
    ----------
    numbers
        Shape `(U,)`: what each of U units adds to the lead of one system over another.

    Returns
    -------
    The step, in units of the lead; 0 where there is none, or one so small that it does not matter.

    Examples
    --------
    >>> round(step_of(np.array([0.1, 0.0, -0.1, 0.1])), 12), step_of(np.random.default_rng(0).normal(size=50))
    (0.1, 0.0)
    """
    size = float(np.abs(numbers).max(initial=0.0))
    steps = distinct(np.round(numbers / (size or 1.0), 9))
    if not 1 < steps.size <= _NUMBERS:
        return 0.0
    step = 0.0
    for gap in np.diff(steps).tolist():
        step = _common_divisor(gap, step)
        if step <= _LEAST_STEP:
            return 0.0
    return size * step


def _common_divisor(one: float, other: float) -> float:
    """Return the greatest, by Euclid's algorithm; rounding is 0."""
    while other > _REMAINDER:
        one, other = other, abs(one - other * round(one / other))
    return one
