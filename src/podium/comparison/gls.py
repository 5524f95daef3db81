"""Generalised least squares: effects that depend on each other are pooled by their covariance matrix."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.comparison.heterogeneity import product_sum
from podium.comparison.pooling import Pooled, Pooling, pool_model, with_new_task

Floats = NDArray[np.float64]

#: Share of the largest eigenvalue below which one is rounding.
_ROUNDING = 1e-12

#: Share of the mean eigenvalue below which a variance between tasks makes no difference.
_LEAST = 1e-9

#: What `Rotated` has of each analysis, in columns.
_COLUMNS = ("effect", "one", "variance", "present", "origin", "count")

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
        total = product_sum(weight, self.one, self.one)
        shift = product_sum(weight, self.one, self.effect) / total
        return Weighed(weight, self.one, self.effect - shift * self.one, total, self.origin + shift)

    @property
    def freedom(self) -> Floats:
        """Shape `(A,)`: tasks less one mean."""
        return self.count - 1

    @property
    def least_variance(self) -> Floats:
        """Shape `(A,)`: along the axes; where that is nothing beside the others, the least that makes a difference."""
        least: Floats = np.where(self.present > 0, self.variance, np.inf).min(axis=0)
        return np.maximum(least, _LEAST * product_sum(self.variance, self.present) / self.count)

    @property
    def most_tau2(self) -> Floats:
        """Shape `(A,)`: the restricted likelihood falls where τ⁴ ≥ s² (τ² + max λ) with s² = Σ (y − ȳ)² / (k − 1).

        For rᵀWWr ≤ Σ (y − ȳ)² / τ⁴ and tr P ≥ (k − 1) / (max λ + τ²).
        """
        away = self.effect - product_sum(self.one, self.effect) / self.count * self.one
        spread = product_sum(away, away, self.present) / np.maximum(self.freedom, 1)
        largest = (self.variance * self.present).max(axis=0)
        most: Floats = (spread + np.sqrt(spread**2 + 4 * spread * largest)) / 2
        return np.where(self.freedom > 0, most, 0.0)

    def take(self, which: NDArray[np.intp]) -> Self:
        """Some analyses, in the order given, or one several times; without their axes."""
        columns = {name: np.take(getattr(self, name), which, axis=-1) for name in _COLUMNS}
        return replace(self, **columns, axes=self.axes[:0])

    def height(self, tau2: Floats) -> Floats:
        """Twice the restricted likelihood, up to a constant: −(Σ log(λ + τ²) + log 1ᵀW1 + Q)."""
        fit = self.fit(tau2)
        logarithms = product_sum(np.log(self.variance + tau2), self.present)
        height: Floats = -(logarithms + np.log(fit.total) + fit.q)
        return height

    def shares(self, fit: "Weighed") -> Floats:
        """Shape `(A, k)`: weight of every task in the mean; they add up to 1, and some may be below 0."""
        shares: Floats = np.einsum("aij,ja->ai", self.axes, fit.weight * fit.one / fit.total)
        return shares

    def satterthwaite(self, fit: "Weighed") -> Floats:  # noqa: ARG002  # as models are asked
        """Shape `(A,)`: those of the model, as axes are no tasks whose shares could be counted."""
        return self.freedom

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
        return product_sum(self.weight, self.residual, self.residual)

    @cached_property
    def pair_weight(self) -> Floats:
        """Shape `(A,)`: trace of P = W − W11ᵀW / 1ᵀW1."""
        weighed = self.weight * self.one
        trace: Floats = self.weight.sum(axis=0) - product_sum(weighed, weighed) / self.total
        return trace

    @property
    def q_slope(self) -> Floats:
        """Shape `(A,)`: rᵀWWr."""
        return product_sum(self.weight, self.residual, self.weight, self.residual)

    @property
    def squares(self) -> Floats:
        """Shape `(A,)`: rᵀr."""
        return product_sum(self.residual, self.residual, (self.weight > 0).astype(np.float64))

    @property
    def slope(self) -> tuple[Floats, Floats]:
        """Slope of the restricted likelihood l, doubled, and its derivative.

        With x = Uᵀ1 and S = 1ᵀW1,

            2 dl/dτ²   = Σ w² r² − tr P
            2 d²l/dτ⁴  = Σ w² − 2 Σ w³ x² / S + (Σ w² x² / S)² − 2 (Σ w³ r² − (Σ w² x r)² / S)
        """
        w, r, x = self.weight, self.residual, self.one
        ww = w * w
        of_weights = (
            ww.sum(axis=0) - 2 * product_sum(ww, w, x, x) / self.total + (product_sum(ww, x, x) / self.total) ** 2
        )
        of_residuals = 2 * (product_sum(ww, w, r, r) - product_sum(ww, x, r) ** 2 / self.total)
        return product_sum(ww, r, r) - self.pair_weight, of_weights - of_residuals


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
        rotated = Rotated.of(effect[at : at + rows], some)
        pooled, _ = pool_model(rotated, pooling, profile=profile)
        pieces.append(with_new_task(pooled, rotated, pooling) if profile else pooled)
    return Pooled.joined(pieces, (len(effect),))


def in_units(pooled: Pooled, unit: float) -> Pooled:
    """From effects that were divided by a unit to effects."""
    names = ("estimate", "std_error", "low", "high", "prediction_low", "prediction_high")
    effects = {name: getattr(pooled, name) * unit for name in names}
    squares = {name: getattr(pooled, name) * unit * unit for name in ("tau2", "tau2_low", "tau2_high")}
    return replace(pooled, **effects, **squares)
