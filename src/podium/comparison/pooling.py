"""Pool several effects into one with its interval, by fixed or random effects; many analyses at once."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.arrays import Floats, Frozen
from podium.base.check import check_confidence, is_one_of
from podium.base.errors import ConvergenceError, InputError, MethodError, nearest

#: Newton's method doubles the digits with each step, so after one of this relative size nothing but rounding is left.
_SMALL = 1e-9

#: Steps; halving alone takes some 60 from any bracket.
_MOST = 200


def decreasing_roots(
    function: Callable[[Floats], tuple[Floats, Floats]], start: Floats, low: Floats, high: Floats, scale: Floats
) -> Floats:
    """Find where each of A functions, positive to the left and not to the right, crosses 0.

    Parameters
    ----------
    function
        From A arguments to A values and A slopes.
    start
        Shape `(A,)`: where to begin, between `low` and `high`. Where that is `low` and the function is not positive
        there, it is the answer.
    low, high
        Shape `(A,)`: bracket.
    scale
        Shape `(A,)`: size of what the argument is added to; the root is exact to rounding of argument and scale.

    Returns
    -------
    Shape `(A,)`. A root does not depend on what other functions are solved beside it.

    Raises
    ------
    ConvergenceError
        A function is not a number, so that there is no side to go to.

    Examples
    --------
    >>> import numpy as np
    >>> def off(x):
    ...     return np.array([2.0, 3.0]) - x**2, -2 * x
    >>> zero, one = np.zeros(2), np.ones(2)
    >>> decreasing_roots(off, one, zero, 4 * one, one) ** 2
    array([2., 3.])
    """
    at, done = start, np.zeros(start.shape, dtype=np.bool_)
    for _ in range(_MOST):
        value, slope = function(at)
        low, high = np.where(value > 0, at, low), np.where(value <= 0, at, high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = at - value / slope
            # Where this is rounding alone, it may point out of the bracket.
            near = (slope < 0) & (np.abs(newton - at) <= _SMALL * (at + scale))
        good = near | (newton > low) & (newton < high)
        new = np.where(good, np.clip(newton, low, high), np.where(high > low, (low + high) / 2, low))
        # A step that only halves the bracket is no sign of a root, unless the bracket itself is small.
        step = np.where(good, np.abs(new - at), high - low)
        at = np.where(done, at, new)
        done |= step <= _SMALL * (new + scale)
        if done.all():
            return at
    raise ConvergenceError(
        f"{int((~done).sum())} of {done.size} variances between tasks did not converge; choose estimator 'dl' "
        "(--estimator dl), which needs no iteration"
    )


#: Stands for Q = 0.
_LEAST_Q = 1e-100

#: Stands for a share that is too small for a number.
_LEAST_SHARE = 1e-300

#: The likelihood may have several maxima: ratio of the values of τ² at which REML looks.
_FACTOR = 3.0


class EffectFit(ABC):
    """A analyses at some τ², with weights w = 1 / (v + τ²), what is expected of every effect, and residuals r."""

    @property
    @abstractmethod
    def q(self) -> Floats:
        """Shape `(A,)`: Σ w r²."""

    @property
    @abstractmethod
    def q_slope(self) -> Floats:
        """Shape `(A,)`: −dQ/dτ² = Σ w² r²."""

    @property
    @abstractmethod
    def squares(self) -> Floats:
        """Shape `(A,)`: Σ r²."""

    @property
    @abstractmethod
    def pair_weight(self) -> Floats:
        """Shape `(A,)`: trace of the matrix P with Q = y'Py; Q is expected to be k − p at τ², and changes by this."""

    @property
    @abstractmethod
    def slope(self) -> tuple[Floats, Floats]:
        """Twice the slope of the restricted likelihood, and its derivative; shape `(A,)` each."""


class EffectModel(ABC):
    """Effects of A analyses and what they are expected to be: one mean, or more (`moderators.Designs`)."""

    @property
    @abstractmethod
    def df(self) -> Floats:
        """Shape `(A,)`: tasks less coefficients."""

    @property
    @abstractmethod
    def least_variance(self) -> Floats:
        """Shape `(A,)`: of the tasks."""

    @property
    @abstractmethod
    def most_tau2(self) -> Floats:
        """Shape `(A,)`: from here on the restricted likelihood falls."""

    @abstractmethod
    def take(self, which: NDArray[np.intp]) -> Self:
        """Return some analyses, in the order given, or one several times."""

    @abstractmethod
    def fit(self, tau2: Floats) -> EffectFit:
        """Weigh by 1 / (vᵢ + τ²)."""

    @abstractmethod
    def height(self, tau2: Floats) -> Floats:
        """Return twice the restricted likelihood, up to a constant."""


@dataclass(frozen=True)
class MeanFit(EffectFit):
    """Weights and weighted means of A analyses.

    Attributes
    ----------
    weight, residual
        Shape `(k, A)`: w, 0 where a task is absent; and what is left of the effects.
    total, mean
        Shape `(A,)`: 1 / the variance of the mean, and the mean μ.
    """

    weight: Floats
    residual: Floats
    total: Floats
    mean: Floats

    @property
    def q(self) -> Floats:
        """Shape `(A,)`: Σ w r²."""
        return product_sum(self.weight, self.residual, self.residual)

    @property
    def q_slope(self) -> Floats:
        """Shape `(A,)`: Σ w² r²."""
        return product_sum(self.weight, self.residual, self.weight, self.residual)

    @property
    def squares(self) -> Floats:
        """Shape `(A,)`: Σ r²."""
        return product_sum(self.residual, self.residual, (self.weight > 0).astype(np.float64))


@dataclass(frozen=True)
class MeanModel(EffectModel):
    """Effects of A analyses of up to k tasks, in columns, that are expected to be one mean.

    Sums run down the columns in order, so neighbours do not matter.

    Attributes
    ----------
    effect
        Shape `(k, A)`: less `origin`, so that sums lose no digits where effects are alike and far from 0, nor where one
        weighs far more than the others.
    variance
        Shape `(k, A)`.
    present
        Shape `(k, A)`: 1, or 0 where there is no such task; effect and variance are then 0 and 1.
    origin
        Shape `(A,)`: an effect.
    count
        Shape `(A,)`: number of tasks.
    """

    effect: Floats
    variance: Floats
    present: Floats
    origin: Floats
    count: Floats

    @property
    def df(self) -> Floats:
        """Shape `(A,)`: tasks less one mean."""
        return self.count - 1

    @property
    def least_variance(self) -> Floats:
        """Shape `(A,)`: of the tasks."""
        return np.asarray(np.where(self.present > 0, self.variance, np.inf).min(axis=0))

    def take(self, which: NDArray[np.intp]) -> Self:
        """Return some analyses, in the order given, or one several times."""
        names = ("effect", "variance", "present", "origin", "count")
        return replace(self, **{name: np.take(getattr(self, name), which, axis=-1) for name in names})

    @abstractmethod
    def fit(self, tau2: Floats) -> MeanFit:
        """Weigh by 1 / (vᵢ + τ²)."""

    def height(self, tau2: Floats) -> Floats:
        """Return twice the restricted likelihood, up to a constant: −(Σ log(v + τ²) + log of the total weight + Q)."""
        fit = self.fit(tau2)
        logarithms = product_sum(np.log(self.variance + tau2), self.present)
        return -(logarithms + np.log(fit.total) + fit.q)

    def shares(self, fit: MeanFit) -> Floats:
        """Shape `(A, k)`: weight of every task in the mean; they add up to 1."""
        return (fit.weight / fit.total).T

    def satterthwaite(self, fit: MeanFit) -> Floats:  # noqa: ARG002  # others need it
        """Shape `(A,)`: degrees of freedom of the interval "satterthwaite", here those of the model."""
        return self.df


class Studies(MeanModel):
    """Independent effects; `origin` is one that weighs most."""

    @classmethod
    def of(cls, effect: Floats, variance: Floats) -> Self:
        """Take columns with NaN where a task is absent; every analysis has one."""
        absent = np.isnan(effect + variance)
        known = np.where(absent, np.inf, variance)
        origin = np.where(known == known.min(axis=0), effect, -np.inf).max(axis=0)
        effect, variance = np.where(absent, 0.0, effect - origin), np.where(absent, 1.0, variance)
        return cls(effect, variance, 1.0 - absent, origin, (~absent).sum(axis=0, dtype=np.float64))

    @property
    def most_tau2(self) -> Floats:
        """Shape `(A,)`: squared range of the effects; beyond it the restricted likelihood falls."""
        least, greatest = (np.where(self.present > 0, self.effect, end) for end in (np.inf, -np.inf))
        return np.asarray((greatest.max(axis=0) - least.min(axis=0)) ** 2)

    def fit(self, tau2: Floats) -> "Fit":
        """Weigh by 1 / (vᵢ + τ²)."""
        weight = self.present / (self.variance + tau2)
        total = product_sum(weight)
        shift = product_sum(weight, self.effect) / total
        return Fit(weight, self.effect - shift, total, self.origin + shift)

    def satterthwaite(self, fit: MeanFit) -> Floats:
        """Shape `(A,)`: degrees of freedom of the robust variance of μ, Σ cᵢ (yᵢ − μ)² with cᵢ = hᵢ² / (1 − hᵢ).

        With shares h = w / Σ w, and effects of variance 1 / w, its mean is 1 / Σ w, and Satterthwaite's degrees of
        freedom are 1 / (Σ hᵢ² + Σ cᵢ cⱼ over pairs i ≠ j): k − 1 where all weigh the same, 1 where one decides alone.

        >>> studies = Studies.of(np.array([[0.1], [0.3], [0.5]]), np.array([[0.1], [0.1], [0.01]]))
        >>> studies.satterthwaite(studies.fit(np.zeros(1))).round(4)
        array([1.198])
        """
        share = fit.weight / fit.total
        large = share > 0.5  # one at most; what it leaves is summed, as digits would cancel
        left = np.where(large, product_sum(np.where(large, 0.0, share)), 1 - share)
        lever = share * share / np.maximum(left, _LEAST_SHARE)
        return 1 / (product_sum(share, share) + 2 * product_sum(lever[1:], np.cumsum(lever, axis=0)[:-1]))


class Fit(MeanFit):
    """Weighted means of independent effects: μ = Σ w y / Σ w."""

    @cached_property
    def pair_weight(self) -> Floats:
        """Shape `(A,)`: Σ w − Σ w² / Σ w = 2 Σ wᵢ wⱼ / Σ w over pairs i < j, in which no digits cancel."""
        return 2 * product_sum(self.weight[1:], np.cumsum(self.weight, axis=0)[:-1]) / self.total

    @property
    def slope(self) -> tuple[Floats, Floats]:
        """Slope of the restricted likelihood l, doubled, and its derivative.

        With w = 1 / (v + τ²) and r = y − μ, which change by dw/dτ² = −w² and dr/dτ² = −dμ/dτ² = Σ w² r / Σ w:

            2 dl/dτ²   = Σ w² r² − (Σ w − Σ w² / Σ w)
            2 d²l/dτ⁴  = Σ w² − 2 Σ w³ / Σ w + (Σ w² / Σ w)² − 2 (Σ w³ r² − (Σ w² r)² / Σ w)
        """
        w, r = self.weight, self.residual
        ww, wwr = w * w, w * w * r
        sum_w, sum_ww = self.total, product_sum(ww)
        slope = product_sum(wwr, r) - self.pair_weight
        of_weights = sum_ww - 2 * product_sum(ww, w) / sum_w + (sum_ww / sum_w) ** 2
        of_residuals = 2 * (product_sum(wwr, w, r) - product_sum(wwr) ** 2 / sum_w)
        return slope, of_weights - of_residuals


def product_sum(*factors: Floats) -> Floats:
    """Sum of products, down the columns."""
    return np.asarray(np.einsum(",".join(["ka"] * len(factors)) + "->a", *factors))


def inconsistency(at_zero: EffectFit, df: Floats, tau2: Floats, estimator: str) -> tuple[Floats, Floats]:
    """I² and H², with the typical variance v̄ = df / tr P at τ² = 0; of Q for fixed effects.

    I² = τ² / (τ² + v̄) and H² = 1 / (1 − I²), or I² = max(0, 1 − df / Q) and H² = Q / df.
    """
    if estimator == "fixed":
        q = at_zero.q
        return np.maximum(0.0, 1 - np.divide(df, q, out=np.full_like(q, np.inf), where=q > 0)), q / df
    ratio = tau2 * at_zero.pair_weight / df  # τ² / v̄
    return ratio / (1 + ratio), 1 + ratio


def fixed(studies: EffectModel, at_zero: EffectFit) -> Floats:  # noqa: ARG001  # as estimators are called
    """No variance between tasks: they share one effect."""
    return np.zeros_like(studies.df)


def dersimonian_laird(studies: EffectModel, at_zero: EffectFit) -> Floats:
    """τ² = max(0, (Q − (k − 1)) / (Σ w − Σ w² / Σ w)) with w = 1 / v (Sertkan et al. 2023, Eq. 9; truncated).

    >>> studies = Studies.of(np.array([[0.1], [0.3], [0.5]]), np.full((3, 1), 0.01))
    >>> dersimonian_laird(studies, studies.fit(np.zeros(1))).round(9)
    array([0.03])
    """
    pair_weight, excess = at_zero.pair_weight, at_zero.q - studies.df
    return np.maximum(np.divide(excess, pair_weight, out=np.zeros_like(excess), where=studies.df > 0), 0.0)


def paule_mandel(studies: EffectModel, at_zero: EffectFit) -> Floats:
    """Τ² at which Q(τ²) = Σ (y − μ)² / (v + τ²) is what is expected of it, k − 1; 0 if it is less without (1982).

    >>> studies = Studies.of(np.array([[0.1], [0.3], [0.5]]), np.full((3, 1), 0.01))
    >>> paule_mandel(studies, studies.fit(np.zeros(1))).round(9)
    array([0.03])
    """
    return where_q_is(studies, at_zero, np.maximum(studies.df, 1))


def q_profile(studies: EffectModel, at_zero: EffectFit, confidence: float) -> tuple[Floats, Floats]:
    """Return interval of τ²: where Q(τ²) is between quantiles of χ² with k − 1 degrees of freedom (Viechtbauer 2007).

    Both ends are 0 where even τ² = 0 makes effects more alike than is likely, and NaN where there is one task.

    >>> studies = Studies.of(np.array([[0.1], [0.3], [0.5]]), np.full((3, 1), 0.01))
    >>> [float(end[0].round(4)) for end in q_profile(studies, studies.fit(np.zeros(1)), 0.95)]
    [0.0008, 1.5699]
    """
    from scipy.special import chdtri  # noqa: PLC0415  # slow to import

    df = np.maximum(studies.df, 1)
    tail = (1 - confidence) / 2
    ends = (where_q_is(studies, at_zero, chdtri(df, share)) for share in (tail, 1 - tail))
    low, high = (np.where(studies.df > 0, end, np.nan) for end in ends)
    return low, high


def reml(studies: EffectModel, at_zero: EffectFit) -> Floats:  # noqa: ARG001  # as estimators are called
    """Maximise the restricted likelihood −½ (Σ log(v + τ²) + log Σ w + Q) over τ² ≥ 0 (Viechtbauer 2005).

    It may have several maxima. They are where its slope falls through 0 between values of τ² from 0 to the squared
    range of the effects, beyond which it has none, and at τ² = 0 where it falls from there. The highest is taken.

    >>> studies = Studies.of(np.array([[0.1], [0.3], [0.5]]), np.full((3, 1), 0.01))
    >>> reml(studies, studies.fit(np.zeros(1))).round(9)
    array([0.03])
    """
    least = studies.least_variance / _FACTOR
    grid = [studies.most_tau2]
    while grid[-1].any():  # downwards to 0, and not below where τ² is too small to matter
        lower = grid[-1] / _FACTOR
        grid.append(np.where(lower > least, lower, 0.0))
    tried = np.array(grid[::-1])
    rising = np.array([studies.fit(tau2).slope[0] > 0 for tau2 in tried])
    rising[-1] = False  # at the squared range the slope is not above 0, except by rounding
    (starts_falling,) = np.nonzero(~rising[0])
    before, which = np.nonzero(rising[:-1] & ~rising[1:])
    # The first is solved twice, and cut off again, as NumPy sums one column alone in another order.
    before, twice = np.append(before, before[:1]), np.append(which, which[:1])
    some, low, high = studies.take(twice), tried[before, twice], tried[before + 1, twice]
    found = decreasing_roots(lambda tau2: some.fit(tau2).slope, low, low, high, some.least_variance)[:-1]
    return _highest(studies, np.append(starts_falling, which), np.append(np.zeros(starts_falling.size), found))


def _highest(studies: EffectModel, which: NDArray[np.intp], tau2: Floats) -> Floats:
    """Of the maxima of each analysis, take the one with the largest likelihood, of equals the last.

    `which` says of which analysis each maximum is; every analysis has at least one.
    """
    best = np.zeros_like(studies.df)
    several = np.bincount(which)[which] > 1
    best[which[~several]] = tau2[~several]
    which, tau2 = which[several], tau2[several]
    upwards = np.lexsort((studies.take(which).height(tau2), which))  # analysis by analysis
    which, tau2 = which[upwards], tau2[upwards]
    last = np.flatnonzero(np.diff(which, append=-1))  # of each analysis
    best[which[last]] = tau2[last]
    return best


def where_q_is(studies: EffectModel, at_zero: EffectFit, target: Floats) -> Floats:
    """Find τ² with Q(τ²) = target; 0 if Q(0) is less.

    Newton's method on 1 / Q, which is nearly a line, and one where all variances are equal.
    """
    # Q(τ²) ≤ Σ (y − μ)² / τ², whatever μ is.
    high = at_zero.squares / target
    zero = np.zeros_like(high)

    def shortfall(tau2: Floats) -> tuple[Floats, Floats]:
        fit = studies.fit(tau2)
        # Effects that are all equal have Q = 0: far below the target, however small it is.
        q = np.maximum(fit.q, _LEAST_Q)
        return 1 / target - 1 / q, -fit.q_slope / (q * q)

    return decreasing_roots(shortfall, zero, zero, high, studies.least_variance)


#: Estimators by name: from effects, and their fit without variance between tasks.
ESTIMATORS: dict[str, Callable[[EffectModel, EffectFit], Floats]] = {
    "reml": reml,
    "dl": dersimonian_laird,
    "pm": paule_mandel,
    "fixed": fixed,
}


#: Least variance whose weight, and products of such weights, are numbers.
_LEAST = 1e-60

#: No effect that is given is larger, nor the least variance than a power of it: beyond, τ² loses digits.
_LARGEST, _LEAST_AT_MOST = 1e30, 1e100

#: How the interval of a summary is made; the first is the default.
INTERVALS = ("satterthwaite", "adhoc", "knapp-hartung", "normal")

#: Effects are equal up to rounding where their mean square in standard errors is less.
ALIKE = 1e-16

#: Places of the integral over τ², and how far √χ² is from its middle, which is normal with variance ½, at most.
_NODES, _FAR = 32, 4.3

#: Stands for √Q where effects are equal.
_LEAST_ROOT = 1e-50

_ROOT_TWO_PI = np.sqrt(2 * np.pi)

#: Numbers pooled together, so that they stay in a core's cache.
_AT_ONCE = 2**15

#: Numbers of analyses, each at many τ², that are pooled together.
_MIXED_AT_ONCE = 2**20


@dataclass(frozen=True, slots=True, eq=False)
class Pooled(Frozen):
    """Summaries of many analyses; shape `(…)` each unless said otherwise, NaN where a number does not exist.

    Attributes
    ----------
    k
        Number of tasks of each analysis.
    estimate, std_error
        Weighted mean of the effects, and its standard error.
    df
        Degrees of freedom of its interval; infinite where that is normal.
    low, high
        Interval.
    prediction_low, prediction_high
        Interval of the effect on a new task, see `with_new_task`; for an interval that metafor has, as there: estimate
        ± t √(std_error² + τ²) with t of the same distribution as the other (Higgins, Thompson & Spiegelhalter 2009).
        NaN for fixed effects and for one task.
    tau2, tau2_low, tau2_high
        Variance between tasks, and its Q-profile interval.
    q
        Cochran's Q = Σ (y − μ₀)² / v with the fixed-effect mean μ₀.
    i2, h2
        I² = τ² / (τ² + v̄), with the typical variance v̄ = (k − 1) Σ w / ((Σ w)² − Σ w²), w = 1 / v; H² = 1 / (1 − I²)
        (Higgins & Thompson 2002). For fixed effects, of Q: I² = max(0, 1 − (k − 1) / Q), H² = Q / (k − 1).
    weight
        Shape `(…, k)`: share of each task, summing to 1; 0 where it is absent.
    """

    k: NDArray[np.int64]
    estimate: Floats
    std_error: Floats
    df: Floats
    low: Floats
    high: Floats
    prediction_low: Floats
    prediction_high: Floats
    tau2: Floats
    tau2_low: Floats
    tau2_high: Floats
    q: Floats
    i2: Floats
    h2: Floats
    weight: Floats

    @classmethod
    def joined(cls, pieces: Sequence[Self], shape: tuple[int, ...]) -> Self:
        """Join lists of analyses, and give them a shape."""
        joined = {field.name: np.concatenate([getattr(piece, field.name) for piece in pieces]) for field in fields(cls)}
        return cls(**{name: array.reshape((*shape, *array.shape[1:])) for name, array in joined.items()})

    def first(self, number: int) -> Self:
        """Keep so many of a list of analyses."""
        return type(self)(**{field.name: getattr(self, field.name)[:number] for field in fields(self)})

    @property
    def p(self) -> Floats:
        """Two-sided p-value of no effect, by the distribution of the interval."""
        with np.errstate(over="ignore"):  # an effect of that many standard errors has p = 0
            return two_sided(self.estimate / self.std_error, self.df)

    @property
    def q_p(self) -> Floats:
        """P-value of Q, by the χ² distribution with k − 1 degrees of freedom: that all tasks share one effect."""
        from scipy.special import chdtrc  # noqa: PLC0415  # slow to import

        return np.where(self.k > 1, chdtrc(np.maximum(self.k - 1, 1), self.q), np.nan)


def pool(
    effect: ArrayLike,
    variance: ArrayLike,
    *,
    estimator: str = "reml",
    interval: str = "satterthwaite",
    confidence: float = 0.95,
    profile: bool = True,
) -> Pooled:
    """Pool effects, weighed by w = 1 / (v + τ²), into μ = Σ w y / Σ w.

    Parameters
    ----------
    effect, variance
        Shape `(…, k)`: effects y of k tasks, and their sampling variances v ≥ 10⁻⁶⁰; NaN in either where a task is
        absent.
    estimator
        Of τ²: "reml", "dl" (DerSimonian–Laird, truncated at 0), "pm" (Paule–Mandel), or "fixed" for τ² = 0.
    interval
        "normal": se² = 1 / Σ w. "knapp-hartung": that times q = Σ w (y − μ)² / (k − 1), with Student's t of k − 1
        degrees of freedom; where all effects are equal up to rounding, without the factor. "adhoc": the factor is
        max(1, q), so that effects that happen to agree do not look surer than their variances allow; as in metafor.
        "satterthwaite": the same with the degrees of freedom of `Studies.satterthwaite`, fewer where few tasks have
        most of the weight. A single task has a normal interval.
    confidence
        Of all intervals, between 0 and 1.
    profile
        Whether to find the interval of τ², and by default that of a new task, as well.

    Returns
    -------
    Pooled
        Each analysis as if it were alone.

    Raises
    ------
    MethodError
        Shapes differ, a variance is not above 10⁻⁶⁰, an analysis has no task, or the estimator, interval or confidence
        makes no sense.
    ConvergenceError
        τ² was not found.

    References
    ----------
    Sertkan et al. 2023, Eq. 9–12; Viechtbauer 2005; Paule & Mandel 1982; Knapp & Hartung 2003; Satterthwaite 1946;
    Bell & McCaffrey 2002.

    Examples
    --------
    >>> pooled = pool([0.1, 0.3, 0.2], [0.01, 0.02, 0.01], estimator="fixed", interval="normal")
    >>> round(float(pooled.estimate), 4), round(float(pooled.low), 4)
    (0.18, 0.056)
    """
    check_pooling(estimator, interval, confidence)
    y, v = np.asarray(effect, dtype=np.float64), np.asarray(variance, dtype=np.float64)
    if y.shape != v.shape or not y.ndim:
        raise MethodError(f"effects have shape {y.shape} and variances {v.shape}; give one variance for each effect")
    here = ~(np.isnan(y) | np.isnan(v))
    if not (y.shape[-1] and here.any(axis=-1).all()):
        raise MethodError("there is an analysis without any task, so there is nothing to pool")
    if not (np.isfinite(y) & np.isfinite(v) & (v >= _LEAST))[here].all():
        raise MethodError(
            f"effects must be finite, and variances finite and above 0, {_LEAST:g} or more; "
            "both are NaN where a task is absent"
        )
    shape, k, pooling = y.shape[:-1], y.shape[-1], Pooling(estimator, interval, confidence)
    y, v = y.reshape(-1, k).T, v.reshape(-1, k).T
    pieces, size = [], max(_AT_ONCE // k, 2)
    for at in range(0, max(y.shape[1], 1), size):
        some = [np.ascontiguousarray(one[:, at : at + size]) for one in (y, v)]
        number = some[0].shape[1]
        if number == 1:  # pooled twice, as NumPy sums one alone in another order
            some = [np.repeat(one, 2, axis=1) for one in some]
        pieces.append(pool_model(Studies.of(*some), pooling, profile=profile)[0].first(number))
    return Pooled.joined(pieces, shape)


@dataclass(frozen=True, slots=True)
class Pooling:
    """How effects are pooled: estimator of the variance between tasks, interval, confidence.

    See `pool`.

    Attributes
    ----------
    estimator, interval, confidence
        Of `ESTIMATORS`, of `INTERVALS`, and between 0 and 1.
    robust
        Whether the interval of dependent effects is robust, over clusters of tasks: no other one was asked for.
    ranger
        Whether it is all as Ranger does it: variances of scores are divided by n, and tasks count as independent.
    """

    estimator: str
    interval: str
    confidence: float
    robust: bool = False
    ranger: bool = False

    @classmethod
    def of(
        cls, estimator: str | None, interval: str | None, confidence: float, like: str | None, cluster: object = None
    ) -> Self:
        """Fill in what was not asked for: REML with "satterthwaite", or what another tool does.

        Raises
        ------
        MethodError
            There is no such estimator, interval or tool, or the confidence is not between 0 and 1; or there are
            clusters of tasks, and an interval or a tool, which have no use for them.
        """
        if like is not None and not is_one_of(like, ("ranger",)):
            raise MethodError(f"there is no tool {like!r} to imitate; {nearest(str(like), ['ranger'])}")
        usual = ("reml", INTERVALS[0]) if like is None else ("dl", "normal")
        settled = usual[0] if estimator is None else estimator, usual[1] if interval is None else interval
        check_pooling(*settled, confidence)
        robust = interval is None and like is None
        if cluster and not robust:
            named = f"interval {interval!r}" if interval is not None else f"like {like!r}"
            raise MethodError(f"clusters of tasks have an interval of their own; leave out {named}, or the clusters")
        return cls(*settled, confidence, robust, ranger=like is not None)

    @property
    def mixes(self) -> bool:
        """Whether the effect on a new task is expected over all that τ² may be."""
        return self.interval == INTERVALS[0] and self.estimator != "fixed"

    def summarise(self, effect: Floats, variance: Floats, *, profile: bool = True) -> Pooled:
        """Pool effects of one or many analyses; variances may be of the same tasks for all."""
        return pool(
            effect,
            np.broadcast_to(variance, effect.shape),
            estimator=self.estimator,
            interval=self.interval,
            confidence=self.confidence,
            profile=profile,
        )


def check_pooling(estimator: str, interval: str, confidence: float) -> None:
    """Refuse what describes no pooling.

    Raises
    ------
    MethodError
        There is no such estimator or interval, or the confidence is not between 0 and 1.
    """
    if not is_one_of(estimator, ESTIMATORS):
        raise MethodError(f"there is no estimator {estimator!r}; {nearest(str(estimator), ESTIMATORS)}")
    if not is_one_of(interval, INTERVALS):
        raise MethodError(f"there is no interval {interval!r}; {nearest(str(interval), INTERVALS)}")
    check_confidence(confidence)


def given_numbers(what: str, given: ArrayLike) -> Floats:
    """Return a list of numbers, NaN where a mask hides one.

    Raises
    ------
    InputError
        It has something that is no number, or rows of different lengths.
    """
    try:
        if np.ma.isMaskedArray(given):
            given = np.ma.filled(np.ma.asarray(given, dtype=np.float64), np.nan)
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be a list of numbers") from None


def check_given(effects: Floats, variances: Floats, tasks: Sequence[str], n: Sequence[int | None]) -> None:
    """Refuse effects that cannot be pooled, or that do not fit their variances, tasks and numbers of instances.

    Raises
    ------
    InputError
        There are no effects, or not in one list; there are more or fewer variances, tasks or numbers of
        instances; a task is there twice; an effect is not finite, a variance not finite and at least
        10⁻⁶⁰, or a number of instances no whole number from 0 up; or effects are beyond ±10³⁰, or all variances 10¹⁰⁰.
    """
    if effects.ndim != 1 or not effects.size:
        raise InputError(f"effects have shape {effects.shape}; give a list of at least one")
    for what, number in (("variances", variances.size), ("labels", len(tasks)), ("numbers n", len(n))):
        if number != effects.size:
            raise InputError(f"there are {effects.size} effects and {number} {what}; give one for each effect")
    if len(set(tasks)) < len(tasks):
        twice = next(task for task in tasks if tasks.count(task) > 1)
        raise InputError(f"task {twice!r} appears twice; give each a name of its own")
    for one in n:
        given: Any = one
        if given is not None and not (isinstance(given, (int, np.integer)) and 0 <= given <= 2**53):
            raise InputError(f"n is {one!r}; it must be a whole number of instances, at most 2**53, or None")
    for task, effect, variance in zip(tasks, effects.tolist(), variances.tolist(), strict=True):
        if not (np.isfinite(effect) and np.isfinite(variance) and variance >= _LEAST):
            raise InputError(
                f"task {task!r} has effect {effect} and variance {variance}; the effect must be finite, and the "
                f"variance finite and above 0, {_LEAST:g} or more"
            )
        if abs(effect) > _LARGEST or variances.min() > _LEAST_AT_MOST:
            raise InputError(
                f"task {task!r} has effect {effect:g} and variance {variance:g}; give both in larger units"
            )


def pool_model(
    model: MeanModel, pooling: Pooling, *, profile: bool = True, new_task: bool = True
) -> tuple[Pooled, MeanFit]:
    """Pool A analyses, shape `(A,)` each, and `(A, k)` of the weights; also the fit.

    With `profile`, there is the interval of τ², and unless `new_task` is False that of a new task.
    """
    k, estimator = model.count, pooling.estimator
    at_zero = model.fit(np.zeros_like(k))
    tau2 = ESTIMATORS[estimator](model, at_zero)
    fit = model.fit(tau2)
    df = model.satterthwaite(fit) if pooling.interval == "satterthwaite" else k - 1
    factor, df = factor_of(fit.q, k, df, pooling.interval)
    absent, several = np.full_like(tau2, np.nan), k > 1
    tau2_low, tau2_high = q_profile(model, at_zero, pooling.confidence) if profile else (absent, absent)
    i2, h2 = inconsistency(at_zero, np.maximum(k - 1, 1), tau2, estimator)
    tau2, q, i2, h2 = (np.where(several, number, np.nan) for number in (tau2, at_zero.q, i2, h2))
    pooled = Pooled(
        k=k.astype(np.int64),
        estimate=fit.mean,
        std_error=np.sqrt(factor / fit.total),
        df=df,
        low=absent,
        high=absent,
        prediction_low=absent,
        prediction_high=absent,
        tau2=tau2,
        tau2_low=tau2_low,
        tau2_high=tau2_high,
        q=q,
        i2=i2,
        h2=h2,
        weight=model.shares(fit),
    )
    pooled = with_ends(pooled, pooling)
    return with_new_task(pooled, model, pooling) if profile and new_task else pooled, fit


def with_ends(pooled: Pooled, pooling: Pooling) -> Pooled:
    """Make the interval of a mean, and one of the effect on a new task as metafor has it, from error and df."""
    mean, std_error, tau2 = pooled.estimate, pooled.std_error, pooled.tau2
    reach = quantile(pooled.df, pooling.confidence)
    pooled = replace(pooled, low=mean - reach * std_error, high=mean + reach * std_error)
    if pooling.mixes or pooling.estimator == "fixed":
        return pooled
    around = np.where(np.isnan(tau2), np.nan, reach * np.sqrt(std_error**2 + tau2))
    return replace(pooled, prediction_low=mean - around, prediction_high=mean + around)


@cache
def _rule() -> tuple[Floats, Floats]:
    """Return places between 0 and 1 and the logarithms of weights of Gauss and Legendre's rule, shape `(places, 1)`."""
    places, weights = np.polynomial.legendre.leggauss(_NODES)
    return (1 + places[:, None]) / 2, np.log(weights[:, None])


def with_new_task(pooled: Pooled, model: MeanModel, pooling: Pooling, *, robust: bool = False) -> Pooled:
    """Make the interval of the effect on a new task, over all that τ² may be.

    Q(τ²) has the χ² distribution with k − 1 degrees of freedom, so P(χ² ≥ Q(τ²)) is how sure it is that the variance is
    not above τ². With τ² drawn from this confidence distribution, the effect is normal around μ(τ²) with variance
    τ² + 1 / Σ w; the ends are quantiles of the mixture, and not inside the interval of the mean. Drawing is an integral
    over √Q by Gauss and Legendre's rule.

    Parameters
    ----------
    pooled, model
        A analyses, and their effects.
    pooling
        If it names an interval that metafor has, nothing changes.
    robust
        Whether Q says no more about τ² than the degrees of freedom of the mean do, and the error of μ is at least that
        of the mean: true effects of a cluster may be related.

    References
    ----------
    Viechtbauer 2007; Nagashima, Noma & Furukawa, Statistical Methods in Medical Research 28, 2019.
    """
    from scipy.special import chdtrc, ndtr, ndtri  # noqa: PLC0415  # slow to import

    if not pooling.mixes:
        return pooled
    at_zero, whole = model.fit(np.zeros_like(model.df)), np.maximum(model.df, 1)
    df = np.minimum(pooled.df, whole) if robust else whole
    middle, most = np.sqrt(df - 0.5), at_zero.q * df / whole
    high = np.minimum(np.sqrt(most), middle + _FAR)
    low = np.clip(middle - _FAR, 0, high)
    places, log_weights = _rule()
    root = np.maximum(low + (high - low) * places, _LEAST_ROOT)
    height = log_weights + (df - 1) * np.log(root) - root**2 / 2
    share, zero = np.exp(height - height.max(axis=0)), chdtrc(df, most)
    share = np.vstack([share * (1 - zero) / product_sum(share), zero])
    mean, variance, tau2 = np.array([np.append(root, root[:1], axis=0)] * 3)
    mean[-1], variance[-1], tau2[-1] = at_zero.mean, 1 / at_zero.total, 0.0
    some = max(int(_MIXED_AT_ONCE // max(model.count.sum(), 1)), 1)
    for here in (slice(at, min(at + some, _NODES)) for at in range(0, _NODES, some)):
        target = root[here] ** 2 * whole / df
        every = model.take(np.tile(np.arange(whole.size), len(target)))
        found = where_q_is(every, every.fit(np.zeros(target.size)), target.ravel())
        fit = every.fit(found)
        tau2[here], mean[here], variance[here] = (of.reshape(target.shape) for of in (found, fit.mean, 1 / fit.total))
    variance = np.maximum(variance, pooled.std_error**2) if robust else variance
    spread = np.sqrt(variance + tau2)
    tail = (1 - pooling.confidence) / 2

    def upper(centre: Floats) -> Floats:
        ends = centre - ndtri(tail) * spread
        first = ends.min(axis=0)

        def beyond(shift: Floats) -> tuple[Floats, Floats]:
            off = (centre - first - shift) / spread
            above = np.maximum(product_sum(share, ndtr(off)), np.finfo(np.float64).tiny)
            density = product_sum(share, np.exp(-(off**2) / 2) / spread) / _ROOT_TWO_PI
            return np.log(above / tail), -density / above

        nought = np.zeros_like(first)
        found: Floats = first + decreasing_roots(beyond, nought, nought, ends.max(axis=0) - first, spread[-1])
        return found

    ends = np.minimum(-upper(-mean), pooled.low), np.maximum(upper(mean), pooled.high)
    new_low, new_high = (np.where(model.df > 0, end, np.nan) for end in ends)
    return replace(pooled, prediction_low=new_low, prediction_high=new_high)


def factor_of(q: Floats, k: Floats, df: Floats, interval: str) -> tuple[Floats, Floats]:
    """Give what the variance of a mean is multiplied by, with Q at its weights, and the degrees of freedom."""
    normal = np.full_like(k, np.inf)
    if interval == "normal":
        return np.ones_like(k), normal
    factor = np.divide(q, k - 1, out=np.ones_like(k), where=k > 1)
    factor = np.where(factor > ALIKE, factor, 1.0) if interval == "knapp-hartung" else np.maximum(factor, 1.0)
    return factor, np.where(k > 1, np.clip(df, 1.0, np.maximum(k - 1, 1)), normal)


def quantile(df: Floats, confidence: float) -> Floats:
    """Return the two-sided quantile of Student's t, normal for infinitely many degrees of freedom."""
    from scipy.special import ndtri, stdtrit  # noqa: PLC0415  # slow to import

    tail = (1 - confidence) / 2
    if np.isinf(df).all():
        return np.full_like(df, -ndtri(tail))
    normal = np.isinf(df)
    return np.asarray(np.where(normal, -ndtri(tail), -stdtrit(np.where(normal, 1.0, df), tail)))


def two_sided(statistic: Floats, df: Floats) -> Floats:
    """Return the two-sided p-values of statistics by Student's t, normal for infinitely many degrees of freedom."""
    from scipy.special import ndtr, stdtr  # noqa: PLC0415  # slow to import

    below, normal = -np.abs(statistic), np.isinf(df)
    return np.asarray(np.where(normal, 2 * ndtr(below), 2 * stdtr(np.where(normal, 1.0, df), below)))
