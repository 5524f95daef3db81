"""How much true effects differ between tasks: estimators of their variance τ², many analyses at once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.effects.roots import decreasing_roots

__all__ = ["ESTIMATORS", "Fit", "Studies", "dersimonian_laird", "fixed", "paule_mandel", "q_profile", "reml"]

Floats = NDArray[np.float64]

#: Stands for Q = 0.
_LEAST_Q = 1e-100

#: REML may have several maxima: it is looked at 0 and at this many places, each so much below the one before.
_PLACES, _FACTOR = 12, 6.0


@dataclass(frozen=True, slots=True)
class Studies:
    """Effects of A analyses of up to k tasks, in columns; sums run down them in order, so none hears of its neighbours.

    Attributes
    ----------
    effect
        Shape `(k, A)`: less `origin`, so that sums lose no digits where effects are alike and far from 0.
    variance
        Shape `(k, A)`.
    present
        Shape `(k, A)`: 1, or 0 where there is no such task; effect and variance are then 0 and 1.
    origin
        Shape `(A,)`: one of the effects.
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
        if not np.isnan(effect.sum() + variance.sum()):
            present = np.ones_like(effect)
            return cls(effect - effect[0], variance, present, effect[0], present.sum(axis=0))
        here = ~(np.isnan(effect) | np.isnan(variance))
        origin = effect[here.argmax(axis=0), np.arange(here.shape[1])]
        centred = np.where(here, effect - origin, 0.0)
        return cls(centred, np.where(here, variance, 1.0), here.astype(np.float64), origin, here.sum(axis=0) + 0.0)

    @property
    def range(self) -> Floats:
        """Shape `(A,)`: largest less smallest effect."""
        here = self.present > 0
        least: Floats = np.where(here, self.effect, np.inf).min(axis=0)
        greatest: Floats = np.where(here, self.effect, -np.inf).max(axis=0)
        return greatest - least

    @property
    def least_variance(self) -> Floats:
        """Shape `(A,)`: of the tasks."""
        least: Floats = np.where(self.present > 0, self.variance, np.inf).min(axis=0)
        return least

    def fit(self, tau2: Floats) -> "Fit":
        """Weigh by 1 / (vᵢ + τ²)."""
        weight = self.present / (self.variance + tau2)
        total = _sum(weight)
        shift = _sum(weight, self.effect) / total
        return Fit(weight, self.effect - shift, total, self.origin + shift)


@dataclass(frozen=True, slots=True)
class Fit:
    """Weights and weighted means of A analyses.

    Attributes
    ----------
    weight, residual
        Shape `(k, A)`: w, 0 where a task is absent; and y − μ.
    total, mean
        Shape `(A,)`: Σ w, and μ = Σ w y / Σ w.
    """

    weight: Floats
    residual: Floats
    total: Floats
    mean: Floats

    @property
    def q(self) -> Floats:
        """Shape `(A,)`: Σ w (y − μ)²."""
        return _sum(self.weight, self.residual, self.residual)


def _sum(*factors: Floats) -> Floats:
    """Sum of products, down the columns."""
    total: Floats = np.einsum(",".join(["ka"] * len(factors)) + "->a", *factors)
    return total


def fixed(studies: Studies, flat: Fit) -> Floats:  # noqa: ARG001  # as estimators are called
    """No variance between tasks: they share one effect."""
    return np.zeros_like(flat.total)


def dersimonian_laird(studies: Studies, flat: Fit) -> Floats:
    """τ² = max(0, (Q − (k − 1)) / (Σ w − Σ w² / Σ w)) with w = 1 / v (Sertkan et al. 2023, Eq. 9; truncated)."""
    scale = flat.total - _sum(flat.weight, flat.weight) / flat.total
    excess = flat.q - (studies.count - 1)
    return np.maximum(np.divide(excess, scale, out=np.zeros_like(scale), where=studies.count > 1), 0.0)


def paule_mandel(studies: Studies, flat: Fit) -> Floats:
    """Τ² at which Q(τ²) = Σ (y − μ)² / (v + τ²) is what is expected of it, k − 1; 0 if it is less without (1982)."""
    return _where_q_is(studies, flat, np.maximum(studies.count - 1, 1))


def q_profile(studies: Studies, flat: Fit, confidence: float) -> tuple[Floats, Floats]:
    """Interval of τ²: where Q(τ²) is between quantiles of χ² with k − 1 degrees of freedom (Viechtbauer 2007).

    Both ends are 0 where even τ² = 0 makes effects more alike than is likely, and NaN where there is one task.
    """
    from scipy.special import chdtri  # noqa: PLC0415  # slow to import

    freedom = np.maximum(studies.count - 1, 1)
    tail = (1 - confidence) / 2
    ends = (_where_q_is(studies, flat, chdtri(freedom, share)) for share in (tail, 1 - tail))
    low, high = (np.where(studies.count > 1, end, np.nan) for end in ends)
    return low, high


def reml(studies: Studies, flat: Fit) -> Floats:  # noqa: ARG001  # as estimators are called
    """Maximise the restricted likelihood −½ (Σ log(v + τ²) + log Σ w + Q) over τ² ≥ 0 (Viechtbauer 2005).

    Its largest maximum is looked for at places from 0 to the squared range of the effects, beyond which it falls;
    from there Newton's method on the slope goes on.
    """

    def slope(tau2: Floats) -> tuple[Floats, Floats]:
        fit = studies.fit(tau2)
        w, r = fit.weight, fit.residual
        squares, wwr = w * w, w * w * r
        total = _sum(squares)
        share = total / fit.total
        value = _sum(wwr, r) - fit.total + share
        change = total - 2 * _sum(squares, w) / fit.total + share**2
        return value, change - 2 * (_sum(wwr, w, r) - _sum(wwr) ** 2 / fit.total)

    return decreasing_roots(slope, *_around_maximum(studies), studies.least_variance)


def _around_maximum(studies: Studies) -> tuple[Floats, Floats, Floats]:
    """Place where the restricted likelihood is largest, and its neighbours."""
    top = studies.range**2
    places = np.array([np.zeros_like(top), *(top * _FACTOR ** (step - _PLACES + 1) for step in range(_PLACES))])
    best = np.array([_restricted_likelihood(studies, place) for place in places]).argmax(axis=0)
    columns = np.arange(best.size)
    around = (best, np.maximum(best - 1, 0), np.minimum(best + 1, _PLACES))
    middle, low, high = (places[index, columns] for index in around)
    return middle, low, high


def _restricted_likelihood(studies: Studies, tau2: Floats) -> Floats:
    fit = studies.fit(tau2)
    spread = _sum(np.log(studies.variance + tau2), studies.present)
    height: Floats = -(spread + np.log(fit.total) + fit.q)
    return height


def _where_q_is(studies: Studies, flat: Fit, target: Floats) -> Floats:
    """Find τ² with Q(τ²) = target; 0 if Q(0) is less.

    Newton's method on 1 / Q, which is nearly a line, and one where all variances are equal.
    """
    high = _sum(flat.residual, flat.residual, studies.present) / target  # for Q(τ²) ≤ Σ (y − μ)² / τ², whatever μ is
    zero = np.zeros_like(high)

    def shortfall(tau2: Floats) -> tuple[Floats, Floats]:
        fit = studies.fit(tau2)
        # Effects that are all equal have Q = 0: far below the target, however small it is.
        q = np.maximum(fit.q, _LEAST_Q)
        return 1 / target - 1 / q, -_sum(fit.weight, fit.residual, fit.weight, fit.residual) / (q * q)

    return decreasing_roots(shortfall, zero, zero, high, studies.least_variance)


#: Estimators by name: from effects, and their fit without variance between tasks.
ESTIMATORS: dict[str, Callable[[Studies, Fit], Floats]] = {
    "reml": reml,
    "dl": dersimonian_laird,
    "pm": paule_mandel,
    "fixed": fixed,
}
