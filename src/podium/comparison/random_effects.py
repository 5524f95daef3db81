"""Random-effects models: a mean of independent or dependent effects, or coefficients; the variance between tasks."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.errors import ConvergenceError

if TYPE_CHECKING:
    from podium.comparison.moderators import Designs

#: Stands for Q = 0.
_LEAST_Q = 1e-100

#: Stands for a share that is too small for a number.
_LEAST_SHARE = 1e-300

#: The likelihood may have several maxima: ratio of the values of τ² at which REML looks.
_FACTOR = 3.0

#: Share of the largest eigenvalue of a covariance matrix below which one is rounding.
_ROUNDED = 1e-12

#: Share of the mean eigenvalue below which a variance between tasks makes no difference.
_NO_DIFFERENCE = 1e-9


def product_sum(*factors: Floats) -> Floats:
    """Sum of products, down the columns."""
    return np.asarray(np.einsum(",".join(["ka"] * len(factors)) + "->a", *factors))


@dataclass(frozen=True)
class Studies:
    """Effects of A analyses of up to k tasks, in columns, that are expected to be one mean; here they are independent.

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
        Shape `(A,)`: an effect; of independent ones, one that weighs most.
    count
        Shape `(A,)`: number of tasks.
    """

    effect: Floats
    variance: Floats
    present: Floats
    origin: Floats
    count: Floats

    @classmethod
    def of(cls, effect: Floats, variance: Floats) -> Self:
        """Take columns with NaN where a task is absent; every analysis has one."""
        absent = np.isnan(effect + variance)
        known = np.where(absent, np.inf, variance)
        origin = np.where(known == known.min(axis=0), effect, -np.inf).max(axis=0)
        effect, variance = np.where(absent, 0.0, effect - origin), np.where(absent, 1.0, variance)
        return cls(effect, variance, 1.0 - absent, origin, (~absent).sum(axis=0, dtype=np.float64))

    @property
    def df(self) -> Floats:
        """Shape `(A,)`: tasks less one mean."""
        return self.count - 1

    @property
    def least_variance(self) -> Floats:
        """Shape `(A,)`: of the tasks."""
        return np.asarray(np.where(self.present > 0, self.variance, np.inf).min(axis=0))

    @property
    def most_tau2(self) -> Floats:
        """Shape `(A,)`: squared range of the effects; beyond it the restricted likelihood falls."""
        least, greatest = (np.where(self.present > 0, self.effect, end) for end in (np.inf, -np.inf))
        return np.asarray((greatest.max(axis=0) - least.min(axis=0)) ** 2)

    def take(self, which: NDArray[np.intp]) -> Self:
        """Return some analyses, in the order given, or one several times."""
        names = ("effect", "variance", "present", "origin", "count")
        return replace(self, **{name: np.take(getattr(self, name), which, axis=-1) for name in names})

    def fit(self, tau2: Floats) -> "Fit":
        """Weigh by 1 / (v + τ²)."""
        weight = self.present / (self.variance + tau2)
        total = product_sum(weight)
        shift = product_sum(weight, self.effect) / total
        return Fit(weight, self.effect - shift, total, self.origin + shift)

    @cached_property
    def at_zero(self) -> "Fit":
        """Return the fit without variance between tasks."""
        return self.fit(np.zeros_like(self.count))

    def restricted_log_likelihood(self, tau2: Floats) -> Floats:
        """Return twice the logarithm, up to a constant: −(Σ log(v + τ²) + log of the total weight + Q)."""
        fit = self.fit(tau2)
        return -(product_sum(np.log(self.variance + tau2), self.present) + np.log(fit.total) + fit.q)

    def shares(self, fit: "Fit") -> Floats:
        """Shape `(A, k)`: weight of every task in the mean; they add up to 1."""
        return (fit.weight / fit.total).T

    def satterthwaite(self, fit: "Fit") -> Floats:
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


@dataclass(frozen=True)
class Rotated(Studies):
    """Effects of A analyses of up to k tasks, along the principal axes of their covariance, where they are independent.

    With V = U diag(λ) Uᵀ the model y = μ 1 + e, cov e = V + τ² I, becomes Uᵀy = μ Uᵀ1 + e with variances λ + τ², so
    that a value of τ² costs k steps and not k³. So `effect` is Uᵀ(y − origin), `variance` λ, and `present` is 0 for as
    many axes as tasks are absent.

    Attributes
    ----------
    one
        Shape `(k, A)`: Uᵀ1.
    axes
        Shape `(A, k, k)`: U.
    """

    one: Floats
    axes: Floats

    @classmethod
    def of(cls, effect: Floats, covariance: Floats) -> Self:
        """Rotate rows of effects, shape `(A, k)`, NaN where a task is absent; covariances `(k, k)` or `(A, k, k)`."""
        here = ~np.isnan(effect)
        both = here[:, :, None] & here[:, None, :]
        # Axes of absent tasks have a variance that no other has, so that they stay apart.
        apart = -covariance.diagonal(axis1=-2, axis2=-1).max(axis=-1)
        absent = np.where(here, 0.0, np.broadcast_to(apart, len(here))[:, None])
        matrix = np.where(both, covariance, 0.0) + absent[:, :, None] * np.eye(effect.shape[1])
        variance, axes = np.linalg.eigh(matrix)
        present = variance > np.where(here.all(axis=1), -np.inf, apart / 2)[:, None]
        variance = np.maximum(variance, _ROUNDED * variance.max(axis=1, keepdims=True))
        origin = effect[np.arange(len(effect)), here.argmax(axis=1)]
        along = np.einsum("aij,ai->ja", axes, np.where(here, effect - origin[:, None], 0.0))
        one, count = np.einsum("aij,ai->ja", axes, here.astype(np.float64)), here.sum(axis=1).astype(np.float64)
        return cls(along, np.where(present, variance, 1.0).T, present.T.astype(np.float64), origin, count, one, axes)

    @property
    def least_variance(self) -> Floats:
        """Shape `(A,)`: along the axes; where that is nothing beside the others, the least that makes a difference."""
        least = super().least_variance
        return np.maximum(least, _NO_DIFFERENCE * product_sum(self.variance, self.present) / self.count)

    @property
    def most_tau2(self) -> Floats:
        """Shape `(A,)`: the restricted likelihood falls where τ⁴ ≥ s² (τ² + max λ) with s² = Σ (y − ȳ)² / (k − 1).

        For rᵀWWr ≤ Σ (y − ȳ)² / τ⁴ and tr P ≥ (k − 1) / (max λ + τ²).
        """
        away = self.effect - product_sum(self.one, self.effect) / self.count * self.one
        spread = product_sum(away, away, self.present) / np.maximum(self.df, 1)
        most = (spread + np.sqrt(spread**2 + 4 * spread * (self.variance * self.present).max(axis=0))) / 2
        return np.where(self.df > 0, most, 0.0)

    def take(self, which: NDArray[np.intp]) -> Self:
        """Return some analyses, in the order given, or one several times; without their axes."""
        return replace(super().take(which), one=np.take(self.one, which, axis=-1), axes=self.axes[:0])

    def fit(self, tau2: Floats) -> "RotatedFit":
        """Weigh by 1 / (λ + τ²)."""
        weight = self.present / (self.variance + tau2)
        total = product_sum(weight, self.one, self.one)
        shift = product_sum(weight, self.one, self.effect) / total
        return RotatedFit(weight, self.effect - shift * self.one, total, self.origin + shift, self.one)

    def shares(self, fit: "Fit") -> Floats:
        """Shape `(A, k)`: weight of every task in the mean; they add up to 1, and some may be below 0."""
        return np.asarray(np.einsum("aij,ja->ai", self.axes, fit.weight * self.one / fit.total))

    def satterthwaite(self, fit: "Fit") -> Floats:  # noqa: ARG002  # as of independent effects
        """Shape `(A,)`: those of the model, tasks less one mean."""
        return self.df

    def inverse(self, fit: "Fit") -> Floats:
        """Shape `(A, k, k)`: (V + τ² I)⁻¹; 0 where a task is absent."""
        return np.asarray(np.einsum("aij,ja,alj->ail", self.axes, fit.weight, self.axes))


@dataclass(frozen=True)
class Fit:
    """Weights and weighted means of A analyses: μ = Σ w y / Σ w.

    Attributes
    ----------
    weight, residual
        Shape `(k, A)`: w, 0 where a task is absent; and r, what is left of the effects.
    total, mean
        Shape `(A,)`: 1 / the variance of the mean; and μ.
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
        """Shape `(A,)`: −dQ/dτ² = Σ w² r²."""
        return product_sum(self.weight, self.residual, self.weight, self.residual)

    @property
    def squares(self) -> Floats:
        """Shape `(A,)`: Σ r²."""
        return product_sum(self.residual, self.residual, (self.weight > 0).astype(np.float64))

    @cached_property
    def pair_weight(self) -> Floats:
        """Shape `(A,)`: trace of the matrix P with Q = y'Py; Q is expected to be k − p at τ², and changes by this.

        Σ w − Σ w² / Σ w = 2 Σ wᵢ wⱼ / Σ w over pairs i < j, in which no digits cancel.
        """
        return 2 * product_sum(self.weight[1:], np.cumsum(self.weight, axis=0)[:-1]) / self.total

    @property
    def slope(self) -> tuple[Floats, Floats]:
        """Slope of the restricted likelihood l, doubled, and its derivative; shape `(A,)` each.

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


@dataclass(frozen=True)
class RotatedFit(Fit):
    """Weights along the axes, and weighted means: μ = 1ᵀWy / 1ᵀW1; `residual` is Uᵀ(y − μ 1), `one` Uᵀ1."""

    one: Floats

    @cached_property
    def pair_weight(self) -> Floats:
        """Shape `(A,)`: trace of P = W − W11ᵀW / 1ᵀW1."""
        weighed = self.weight * self.one
        return np.asarray(self.weight.sum(axis=0) - product_sum(weighed, weighed) / self.total)

    @property
    def slope(self) -> tuple[Floats, Floats]:
        """Slope of the restricted likelihood l, doubled, and its derivative.

        With x = Uᵀ1 and S = 1ᵀW1,

            2 dl/dτ²   = Σ w² r² − tr P
            2 d²l/dτ⁴  = Σ w² − 2 Σ w³ x² / S + (Σ w² x² / S)² − 2 (Σ w³ r² − (Σ w² x r)² / S)
        """
        w, r, x, total = self.weight, self.residual, self.one, self.total
        ww = w * w
        of_weights = ww.sum(axis=0) - 2 * product_sum(ww, w, x, x) / total + (product_sum(ww, x, x) / total) ** 2
        of_residuals = 2 * (product_sum(ww, w, r, r) - product_sum(ww, x, r) ** 2 / total)
        return product_sum(ww, r, r) - self.pair_weight, of_weights - of_residuals


#: Effects that are expected to be one mean, or to follow a design.
Model: TypeAlias = "Studies | Designs"


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


def fixed(studies: Model) -> Floats:
    """No variance between tasks: they share one effect."""
    return np.zeros_like(studies.df)


def dersimonian_laird(studies: Model) -> Floats:
    """τ² = max(0, (Q − (k − 1)) / (Σ w − Σ w² / Σ w)) with w = 1 / v (Sertkan et al. 2023, Eq. 9; truncated).

    >>> studies = Studies.of(np.array([[0.1], [0.3], [0.5]]), np.full((3, 1), 0.01))
    >>> dersimonian_laird(studies).round(9)
    array([0.03])
    """
    pair_weight, excess = studies.at_zero.pair_weight, studies.at_zero.q - studies.df
    return np.maximum(np.divide(excess, pair_weight, out=np.zeros_like(excess), where=studies.df > 0), 0.0)


def paule_mandel(studies: Model) -> Floats:
    """Τ² at which Q(τ²) = Σ (y − μ)² / (v + τ²) is what is expected of it, k − 1; 0 if it is less without (1982).

    >>> studies = Studies.of(np.array([[0.1], [0.3], [0.5]]), np.full((3, 1), 0.01))
    >>> paule_mandel(studies).round(9)
    array([0.03])
    """
    return where_q_is(studies, np.maximum(studies.df, 1))


def q_profile(studies: Model, confidence: float) -> tuple[Floats, Floats]:
    """Return interval of τ²: where Q(τ²) is between quantiles of χ² with k − 1 degrees of freedom (Viechtbauer 2007).

    Both ends are 0 where even τ² = 0 makes effects more alike than is likely, and NaN where there is one task.

    >>> studies = Studies.of(np.array([[0.1], [0.3], [0.5]]), np.full((3, 1), 0.01))
    >>> [float(end[0].round(4)) for end in q_profile(studies, 0.95)]
    [0.0008, 1.5699]
    """
    from scipy.special import chdtri  # noqa: PLC0415  # slow to import

    df = np.maximum(studies.df, 1)
    tail = (1 - confidence) / 2
    ends = (where_q_is(studies, chdtri(df, share)) for share in (tail, 1 - tail))
    low, high = (np.where(studies.df > 0, end, np.nan) for end in ends)
    return low, high


def reml(studies: Model) -> Floats:
    """Maximise the restricted likelihood −½ (Σ log(v + τ²) + log Σ w + Q) over τ² ≥ 0 (Viechtbauer 2005).

    It may have several maxima. They are where its slope falls through 0 between values of τ² from 0 to the squared
    range of the effects, beyond which it has none, and at τ² = 0 where it falls from there. The highest is taken.

    >>> studies = Studies.of(np.array([[0.1], [0.3], [0.5]]), np.full((3, 1), 0.01))
    >>> reml(studies).round(9)
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


def _highest(studies: Model, which: NDArray[np.intp], tau2: Floats) -> Floats:
    """Take the maximum of each analysis with the largest likelihood, of equals the last.

    `which` is the analysis of each maximum; every analysis has at least one.
    """
    best = np.zeros_like(studies.df)
    several = np.bincount(which)[which] > 1
    best[which[~several]] = tau2[~several]
    which, tau2 = which[several], tau2[several]
    upwards = np.lexsort((studies.take(which).restricted_log_likelihood(tau2), which))  # analysis by analysis
    which, tau2 = which[upwards], tau2[upwards]
    last = np.flatnonzero(np.diff(which, append=-1))  # of each analysis
    best[which[last]] = tau2[last]
    return best


def where_q_is(studies: Model, target: Floats) -> Floats:
    """Find τ² with Q(τ²) = target; 0 if Q(0) is less.

    Newton's method on 1 / Q, which is nearly a line, and one where all variances are equal.
    """
    # Q(τ²) ≤ Σ (y − μ)² / τ², whatever μ is.
    high = studies.at_zero.squares / target
    zero = np.zeros_like(high)

    def shortfall(tau2: Floats) -> tuple[Floats, Floats]:
        fit = studies.fit(tau2)
        # Effects that are all equal have Q = 0: far below the target, however small it is.
        q = np.maximum(fit.q, _LEAST_Q)
        return 1 / target - 1 / q, -fit.q_slope / (q * q)

    return decreasing_roots(shortfall, zero, zero, high, studies.least_variance)


class Estimator(NamedTuple):
    """An estimator of the variance between tasks: its name, and from effects to τ²."""

    name: str
    find: Callable[[Model], Floats]


#: Estimators by their short names.
EstimatorName = Literal["reml", "dl", "pm", "fixed"]

ESTIMATORS = {
    "reml": Estimator("REML", reml),
    "dl": Estimator("DerSimonian–Laird", dersimonian_laird),
    "pm": Estimator("Paule–Mandel", paule_mandel),
    "fixed": Estimator("fixed effect", fixed),
}
