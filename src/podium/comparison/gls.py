"""Generalised least squares: effects that depend on each other are pooled by their covariance matrix."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.comparison.heterogeneity import decreasing_roots
from podium.comparison.pooling import Pooled, Pooling, correction, quantile

Floats = NDArray[np.float64]

#: Share of the largest eigenvalue below which one is rounding.
_ROUNDING = 1e-12

#: Share of the mean eigenvalue below which a variance between tasks makes no difference.
_LEAST = 1e-9

#: Ratio of the values of τ² at which REML looks for maxima.
_FACTOR = 3.0

#: Stands for Q = 0.
_LEAST_Q = 1e-100

#: Numbers of covariance matrices that are taken apart at once.
_AT_ONCE = 2**22


@dataclass(frozen=True)
class Rotated:
    """Effects of A analyses of up to k tasks, along the principal axes of their covariance, where they are independent.

    With V = U diag(λ) Uᵀ the model y = μ 1 + e, cov e = V + τ² I, becomes Uᵀy = μ Uᵀ1 + e with variances λ + τ², so
    that a value of τ² costs k steps and not k³.

    Attributes
    ----------
    effect, one, variance
        Shape `(k, A)`: Uᵀ(y − origin), Uᵀ1 and λ.
    present
        Shape `(k, A)`: 1, or 0 for as many axes as tasks are absent.
    origin, count
        Shape `(A,)`: an effect, so that sums lose no digits; and the number of tasks.
    axes
        Shape `(A, k, k)`: U.
    """

    effect: Floats
    one: Floats
    variance: Floats
    present: Floats
    origin: Floats
    count: Floats
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
        variance = np.maximum(variance, _ROUNDING * variance.max(axis=1, keepdims=True))
        origin = effect[np.arange(len(effect)), here.argmax(axis=1)]
        centred = np.where(here, effect - origin[:, None], 0.0)
        along = np.einsum("aij,ai->ja", axes, centred)
        one = np.einsum("aij,ai->ja", axes, here.astype(np.float64))
        known = np.where(present, variance, 1.0)
        return cls(along, one, known.T, present.T.astype(np.float64), origin, here.sum(axis=1).astype(np.float64), axes)

    def fit(self, tau2: Floats) -> "Weighed":
        """Weigh by 1 / (λ + τ²)."""
        weight = self.present / (self.variance + tau2)
        total = _sum(weight, self.one, self.one)
        shift = _sum(weight, self.one, self.effect) / total
        return Weighed(weight, self.one, self.effect - shift * self.one, total, self.origin + shift)

    @property
    def squares(self) -> Floats:
        """Shape `(A,)`: Σ (y − ȳ)²."""
        mean = _sum(self.one, self.effect) / self.count
        away = self.effect - mean * self.one
        return _sum(away, away, self.present)

    def shares(self, fit: "Weighed") -> Floats:
        """Shape `(A, k)`: weight of every task in the mean; they add up to 1, and some may be below 0."""
        shares: Floats = np.einsum("aij,ja->ai", self.axes, fit.weight * fit.one / fit.total)
        return shares

    def inverse(self, fit: "Weighed") -> Floats:
        """Shape `(A, k, k)`: (V + τ² I)⁻¹; 0 where a task is absent."""
        inverse: Floats = np.einsum("aij,ja,alj->ail", self.axes, fit.weight, self.axes)
        return inverse


@dataclass(frozen=True)
class Weighed:
    """Weights along the axes and weighted means of A analyses.

    Attributes
    ----------
    weight, one, residual
        Shape `(k, A)`: w, Uᵀ1, and Uᵀ(y − μ 1).
    total, mean
        Shape `(A,)`: 1ᵀW1 and μ = 1ᵀWy / 1ᵀW1.
    """

    weight: Floats
    one: Floats
    residual: Floats
    total: Floats
    mean: Floats

    @property
    def q(self) -> Floats:
        """Shape `(A,)`: (y − μ 1)ᵀ W (y − μ 1)."""
        return _sum(self.weight, self.residual, self.residual)

    @cached_property
    def trace(self) -> Floats:
        """Shape `(A,)`: of P = W − W11ᵀW / 1ᵀW1."""
        weighed = self.weight * self.one
        trace: Floats = self.weight.sum(axis=0) - _sum(weighed, weighed) / self.total
        return trace


def _sum(*factors: Floats) -> Floats:
    """Sum of products, down the columns."""
    total: Floats = np.einsum(",".join(["ka"] * len(factors)) + "->a", *factors)
    return total


def fixed(rotated: Rotated, at_zero: Weighed) -> Floats:  # noqa: ARG001  # as estimators are called
    """No variance between tasks: they share one effect."""
    return np.zeros_like(at_zero.total)


def dersimonian_laird(rotated: Rotated, at_zero: Weighed) -> Floats:
    """τ² = max(0, (Q − (k − 1)) / tr P), both at τ² = 0."""
    excess = at_zero.q - (rotated.count - 1)
    return np.maximum(np.divide(excess, at_zero.trace, out=np.zeros_like(excess), where=rotated.count > 1), 0.0)


def paule_mandel(rotated: Rotated, at_zero: Weighed) -> Floats:  # noqa: ARG001  # as estimators are called
    """Τ² at which Q(τ²) is what is expected of it, k − 1; 0 if it is less without."""
    return _where_q_is(rotated, np.maximum(rotated.count - 1, 1))


def reml(rotated: Rotated, at_zero: Weighed) -> Floats:
    """Maximise the restricted likelihood −½ (Σ log(λ + τ²) + log 1ᵀW1 + Q) over τ² ≥ 0; the highest of its maxima.

    The slope is not above 0 where τ⁴ ≥ s² (τ² + max λ) with s² = Σ (y − ȳ)² / (k − 1), as
    rᵀWWr ≤ Σ (y − ȳ)² / τ⁴ and tr P ≥ (k − 1) / (max λ + τ²).
    """
    spread = rotated.squares / np.maximum(rotated.count - 1, 1)
    largest = (rotated.variance * rotated.present).max(axis=0)
    top = (spread + np.sqrt(spread**2 + 4 * spread * largest)) / 2
    smallest = np.where(rotated.present > 0, rotated.variance, np.inf).min(axis=0)
    least = np.maximum(smallest, _LEAST * _sum(rotated.variance, rotated.present) / rotated.count) / _FACTOR
    best, height = np.zeros_like(at_zero.total), _height(rotated, np.zeros_like(at_zero.total))
    high = top
    while high.any():
        low = np.where(high / _FACTOR > least, high / _FACTOR, 0.0)
        # A maximum lies between where the slope is above 0 and where it is not.
        between = (_slope(rotated, low)[0] > 0) & ((_slope(rotated, high)[0] <= 0) | (high == top)) & (high > 0)
        if between.any():
            found = np.where(between, _maximum(rotated, low, np.where(between, high, low)), 0.0)
            there = np.where(between, _height(rotated, found), -np.inf)
            best, height = np.where(there > height, found, best), np.maximum(there, height)
        high = low
    return np.where(rotated.count > 1, best, 0.0)


def _maximum(rotated: Rotated, low: Floats, high: Floats) -> Floats:
    smallest = rotated.variance.min(axis=0)

    def slope(tau2: Floats) -> tuple[Floats, Floats]:
        value, derivative = _slope(rotated, tau2)
        # Analyses without a maximum here have an empty bracket, and are done at once.
        return np.where(high > low, value, -1.0), np.where(high > low, derivative, -1.0)

    return decreasing_roots(slope, low, low, high, smallest)


def _slope(rotated: Rotated, tau2: Floats) -> tuple[Floats, Floats]:
    """Slope of the restricted likelihood l, doubled, and its derivative.

    2 dl/dτ² = Σ w² r² − tr P, and 2 d²l/dτ⁴ = tr P² − 2 (Σ w³ r² − (Σ w² x r)² / S) with x = Uᵀ1, S = 1ᵀW1 and
    tr P² = Σ w² − 2 Σ w³ x² / S + (Σ w² x² / S)².
    """
    fit = rotated.fit(tau2)
    w, r, x = fit.weight, fit.residual, fit.one
    ww = w * w
    of_weights = ww.sum(axis=0) - 2 * _sum(ww, w, x, x) / fit.total + (_sum(ww, x, x) / fit.total) ** 2
    of_residuals = 2 * (_sum(ww, w, r, r) - _sum(ww, x, r) ** 2 / fit.total)
    return _sum(ww, r, r) - fit.trace, of_weights - of_residuals


def _height(rotated: Rotated, tau2: Floats) -> Floats:
    """Restricted likelihood, doubled."""
    fit = rotated.fit(tau2)
    height: Floats = -(_sum(np.log(rotated.variance + tau2), rotated.present) + np.log(fit.total) + fit.q)
    return height


def q_profile(rotated: Rotated, confidence: float) -> tuple[Floats, Floats]:
    """Interval of τ²: where Q(τ²) is between quantiles of χ² with k − 1 degrees of freedom; NaN of one task."""
    from scipy.special import chdtri  # noqa: PLC0415  # slow to import

    freedom = np.maximum(rotated.count - 1, 1)
    tail = (1 - confidence) / 2
    ends = (_where_q_is(rotated, chdtri(freedom, share)) for share in (tail, 1 - tail))
    low, high = (np.where(rotated.count > 1, end, np.nan) for end in ends)
    return low, high


def _where_q_is(rotated: Rotated, target: Floats) -> Floats:
    """Find τ² with Q(τ²) = target, which falls; 0 if Q(0) is less."""
    zero = np.zeros_like(target)

    def shortfall(tau2: Floats) -> tuple[Floats, Floats]:
        fit = rotated.fit(tau2)
        q = np.maximum(fit.q, _LEAST_Q)
        return 1 / target - 1 / q, -_sum(fit.weight, fit.residual, fit.weight, fit.residual) / (q * q)

    return decreasing_roots(shortfall, zero, zero, rotated.squares / target, rotated.variance.min(axis=0))


#: Estimators by name, as those of `podium.comparison.heterogeneity.ESTIMATORS`.
ESTIMATORS: dict[str, Callable[[Rotated, Weighed], Floats]] = {
    "reml": reml,
    "dl": dersimonian_laird,
    "pm": paule_mandel,
    "fixed": fixed,
}


def pool_dependent(effect: Floats, covariance: Floats, pooling: Pooling, *, profile: bool = True) -> Pooled:
    """Pool effects by generalised least squares: μ = 1ᵀWy / 1ᵀW1 with W = (V + τ² I)⁻¹.

    All else is as in `podium.comparison.pooling.pool`, of which this is the form for any covariance matrix: Q = rᵀV⁻¹r,
    the Q-profile by Q(τ²) = rᵀWr, the factor of Knapp and Hartung rᵀWr / (k − 1), the typical variance
    v̄ = (k − 1) / tr P with P = W − W11ᵀW / 1ᵀW1 at τ² = 0; and weights are shares of each task in μ, which may be
    below 0.

    Parameters
    ----------
    effect
        Shape `(A, k)`: NaN where a task is absent.
    covariance
        Shape `(k, k)`, or `(A, k, k)`: V, positive definite on the tasks that are there.
    pooling
        Estimator of τ², interval, confidence.
    profile
        Whether to find the interval of τ² as well.

    Raises
    ------
    ConvergenceError
        τ² was not found.

    References
    ----------
    Viechtbauer 2010 (rma.mv); Becker & Wu 2007.

    Examples
    --------
    >>> pooling = Pooling.of("fixed", "normal", 0.95, None)
    >>> pooled = pool_dependent(np.array([[0.1, 0.3]]), np.array([[0.02, 0.01], [0.01, 0.04]]), pooling)
    >>> pooled.estimate.round(9), pooled.weight.round(9)
    (array([0.15]), array([[0.75, 0.25]]))
    """
    rows = max(_AT_ONCE // effect.shape[1] ** 2, 1)
    pieces = []
    for at in range(0, len(effect), rows):
        some = covariance if covariance.ndim == 2 else covariance[at : at + rows]
        pieces.append(pooled_of(Rotated.of(effect[at : at + rows], some), pooling, profile=profile)[0])
    return Pooled.joined(pieces, (len(effect),))


def pooled_of(rotated: Rotated, pooling: Pooling, *, profile: bool = True) -> tuple[Pooled, Weighed]:
    """Pool what is rotated already; also the fit."""
    k, estimator = rotated.count, pooling.estimator
    at_zero = rotated.fit(np.zeros_like(k))
    tau2 = ESTIMATORS[estimator](rotated, at_zero)
    fit = rotated.fit(tau2)
    factor, freedom = correction(fit.q, k - 1, pooling.interval)
    std_error = np.sqrt(factor / fit.total)
    absent = np.full_like(tau2, np.nan)
    tau2_low, tau2_high = q_profile(rotated, pooling.confidence) if profile else (absent, absent)
    q, several = at_zero.q, k > 1
    ratio = tau2 * at_zero.trace / np.maximum(k - 1, 1)  # τ² / v̄
    h2, i2 = 1 + ratio, ratio / (1 + ratio)
    if estimator == "fixed":
        h2 = q / np.maximum(k - 1, 1)
        i2 = np.maximum(0.0, 1 - np.divide(1.0, h2, out=np.full_like(q, np.inf), where=h2 > 0))
    pooled = Pooled(
        k=k.astype(np.int64),
        estimate=fit.mean,
        std_error=std_error,
        freedom=freedom,
        low=absent,
        high=absent,
        prediction_low=absent,
        prediction_high=absent,
        tau2=np.where(several, tau2, np.nan),
        tau2_low=tau2_low,
        tau2_high=tau2_high,
        q=np.where(several, q, np.nan),
        i2=np.where(several, i2, np.nan),
        h2=np.where(several, h2, np.nan),
        weight=rotated.shares(fit),
    )
    return with_ends(pooled, pooling), fit


def with_ends(pooled: Pooled, pooling: Pooling) -> Pooled:
    """Make the intervals of a mean, and of the effect on a new task, from its standard error and freedom."""
    mean, std_error, tau2 = pooled.estimate, pooled.std_error, pooled.tau2
    reach = quantile(pooled.freedom, pooling.confidence)
    around = np.where(np.isnan(tau2) | (pooling.estimator == "fixed"), np.nan, reach * np.sqrt(std_error**2 + tau2))
    return replace(
        pooled,
        low=mean - reach * std_error,
        high=mean + reach * std_error,
        prediction_low=mean - around,
        prediction_high=mean + around,
    )
