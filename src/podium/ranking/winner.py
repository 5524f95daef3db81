"""The score of the winner, corrected for having won.

Whoever has the highest of several uncertain scores was probably lucky: the winner's curse.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.base.statistics import distinct, log_normal_cdf, normal_quantile
from podium.ranking.deviation import unit_of
from podium.ranking.few import FEW_UNITS
from podium.ranking.interval import critical_value, stretch
from podium.ranking.result import Corrected
from podium.score.place import ROUNDING

Floats = NDArray[np.float64]

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


class _Win(NamedTuple):
    """How a winner won: its standard error, its skewness, and how far its score could fall, or rise, and it still won.

    All but the skewness are in units of the score.
    """

    error: float
    skewness: float
    below: float
    above: float


def corrected_for_winning(
    goodness: Floats, samples: Floats, *, step: float, confidence: float, freedom: float, units: str
) -> Corrected | None:
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
    goodness
        Shape `(N,)`: X, higher is better; NaN where a system is not ranked.
    samples
        Shape `(N, B)`: the same in every replicate; replicates in which a ranked system has none are left out.
    step
        h ≥ 0, of leads, see `step_of`; 0 where they have none.
    confidence
        1 − α.
    freedom, units
        Degrees of freedom of the standard errors, and what was drawn, see `critical_value`.

    Returns
    -------
    Score and interval, in units of goodness. None where simulated ones were wrong: there are fewer than ten units;
    several systems are first, so that there is no winner; h exceeds σ / 2, as where a winner has nearly all answers
    right; or there are no steps, but replicates have a skewness above ¼.

    References
    ----------
    Andrews, Kitagawa & McCloskey, *Inference on winners*, Quarterly Journal of Economics 139, 2024, §§ 3–5.

    Examples
    --------
    >>> samples = np.random.default_rng(0).normal(size=(3, 4000))
    >>> of_lead = [
    ...     corrected_for_winning(
    ...         np.array([lead, 0.0, 0.0]), samples, step=0.0, confidence=0.95, freedom=1e9, units="instances"
    ...     )
    ...     for lead in (0.5, 2.0, 8.0)
    ... ]
    >>> [round(corrected.score, 1) for corrected in of_lead]
    [-0.6, 2.0, 8.0]
    """
    win = None if freedom < _LEAST_FREEDOM else _win(goodness, samples, step)
    few = freedom < FEW_UNITS
    if win is None or not (step or few or abs(win.skewness) <= _LARGEST_SKEWNESS):
        return None
    bound = _BOUND * (1 - confidence)
    tail = (1 - confidence - bound) / (2 * (1 - bound))
    reach = critical_value(1 - bound, freedom, units=units, statements=goodness.size)
    # draws are normal below: so much wider, an interval without bounds is Student's
    spread = critical_value(1 - 2 * tail, freedom, units=units) / -float(normal_quantile(tail))
    found = []
    for share, scale in ((0.5, stretch(freedom, units)), (1 - tail, spread), (tail, spread)):
        error = scale * win.error
        skewness = 0.0 if few else scale * win.skewness
        mean = conditional_mean(share, win.below / error, win.above / error, reach=reach / scale, skewness=skewness)
        found.append(float(np.nanmax(goodness)) + error * mean)
    return Corrected(*found)


def _win(goodness: Floats, samples: Floats, step: float) -> _Win | None:
    """Look how the winner won; None where that says too little.

    That is where several are first, where the score of the first moves in steps too large for its standard error, where
    it has none, and where too many replicates lack a system.

    Let r_j = Σ_jw / Σ_ww. With every X_j − r_j X_w held as it is, w is first as long as X_w lies above
    X_w − (X_w − X_j) / (1 − r_j) for all j with r_j < 1, and below it for those with r_j > 1.
    """
    ranked = np.flatnonzero(~np.isnan(goodness))
    order = ranked[np.argsort(-goodness[ranked], kind="stable")]
    lead = goodness[order[0]] - goodness[order[1:]]
    drawn = samples[order][:, ~np.isnan(samples[order]).any(axis=0)]
    centred = drawn - drawn.mean(axis=1, keepdims=True)
    unit = unit_of(centred)
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
    return _Win(error, float((own**3).mean() / (own**2).mean() ** 1.5), *ends)


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
    """Return the step in which a sum moves: the largest number of which all differences of its parts are multiples.

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
    """The greatest, by Euclid's algorithm; rounding is 0."""
    while other > _REMAINDER:
        one, other = other, abs(one - other * round(one / other))
    return one
