"""How much true effects differ between tasks: estimators of their variance τ², many analyses at once."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import ConvergenceError

Floats = NDArray[np.float64]

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


class EffectFit(Protocol):
    """A analyses at some τ², with weights w = 1 / (v + τ²), what is expected of every effect, and residuals r."""

    @property
    def q(self) -> Floats:
        """Shape `(A,)`: Σ w r²."""

    @property
    def q_slope(self) -> Floats:
        """Shape `(A,)`: −dQ/dτ² = Σ w² r²."""

    @property
    def pair_weight(self) -> Floats:
        """Shape `(A,)`: trace of the matrix P with Q = y'Py; Q is expected to be k − p at τ², and changes by this."""

    @property
    def squares(self) -> Floats:
        """Shape `(A,)`: Σ r²."""

    @property
    def slope(self) -> tuple[Floats, Floats]:
        """Twice the slope of the restricted likelihood, and its derivative; shape `(A,)` each."""


class MeanFit(EffectFit, Protocol):
    """A fit that expects one mean of all effects of an analysis."""

    @property
    def total(self) -> Floats:
        """Shape `(A,)`: 1 / the variance of the mean."""

    @property
    def mean(self) -> Floats:
        """Shape `(A,)`: μ."""


class EffectModel(Protocol):
    """Effects of A analyses and what they are expected to be: one mean (`Studies`), or more (`regression.Designs`)."""

    @property
    def freedom(self) -> Floats:
        """Shape `(A,)`: tasks less coefficients."""

    @property
    def least_variance(self) -> Floats:
        """Shape `(A,)`: of the tasks."""

    @property
    def most_tau2(self) -> Floats:
        """Shape `(A,)`: from here on the restricted likelihood falls."""

    def take(self, which: NDArray[np.intp]) -> Self:
        """Some analyses, in the order given, or one several times."""

    def fit(self, tau2: Floats) -> EffectFit:
        """Weigh by 1 / (vᵢ + τ²)."""

    def height(self, tau2: Floats) -> Floats:
        """Twice the restricted likelihood, up to a constant."""


F = TypeVar("F", bound=MeanFit)


class MeanModel(EffectModel, Protocol[F]):
    """Effects that are expected to be one mean: independent (`Studies`), or with covariances (`gls.Rotated`)."""

    @property
    def count(self) -> Floats:
        """Shape `(A,)`: number of tasks."""

    def fit(self, tau2: Floats) -> F:
        """Weigh by 1 / (vᵢ + τ²)."""

    def shares(self, fit: F) -> Floats:
        """Shape `(A, k)`: weight of every task in the mean."""

    def satterthwaite(self, fit: F) -> Floats:
        """Shape `(A,)`: degrees of freedom of the interval "satterthwaite"."""


@dataclass(frozen=True, slots=True)
class Studies:
    """Effects of A analyses of up to k tasks, in columns; sums run down them in order, so neighbours do not matter.

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
        Shape `(A,)`: an effect that weighs most.
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
    def freedom(self) -> Floats:
        """Shape `(A,)`: tasks less one mean."""
        return self.count - 1

    @property
    def most_tau2(self) -> Floats:
        """Shape `(A,)`: squared range of the effects; beyond it the restricted likelihood falls."""
        here = self.present > 0
        least: Floats = np.where(here, self.effect, np.inf).min(axis=0)
        greatest: Floats = np.where(here, self.effect, -np.inf).max(axis=0)
        return (greatest - least) ** 2

    @property
    def least_variance(self) -> Floats:
        """Shape `(A,)`: of the tasks."""
        least: Floats = np.where(self.present > 0, self.variance, np.inf).min(axis=0)
        return least

    def take(self, which: NDArray[np.intp]) -> Self:
        """Some analyses, in the order given, or one several times."""
        return type(self)(*(np.take(getattr(self, field), which, axis=-1) for field in self.__slots__))

    def fit(self, tau2: Floats) -> "Fit":
        """Weigh by 1 / (vᵢ + τ²)."""
        weight = self.present / (self.variance + tau2)
        total = product_sum(weight)
        shift = product_sum(weight, self.effect) / total
        return Fit(weight, self.effect - shift, total, self.origin + shift)

    def height(self, tau2: Floats) -> Floats:
        """Twice the restricted likelihood, up to a constant: −(Σ log(v + τ²) + log Σ w + Q)."""
        fit = self.fit(tau2)
        logarithms = product_sum(np.log(self.variance + tau2), self.present)
        height: Floats = -(logarithms + np.log(fit.total) + fit.q)
        return height

    def shares(self, fit: "Fit") -> Floats:
        """Shape `(A, k)`: weight of every task in the mean; they add up to 1."""
        return (fit.weight / fit.total).T

    def satterthwaite(self, fit: "Fit") -> Floats:
        """Shape `(A,)`: degrees of freedom of the robust variance of the mean, from the shares of the tasks."""
        return fit.freedom


@dataclass(frozen=True)
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
        return product_sum(self.weight, self.residual, self.residual)

    @cached_property
    def pair_weight(self) -> Floats:
        """Shape `(A,)`: Σ w − Σ w² / Σ w = 2 Σ wᵢ wⱼ / Σ w over pairs i < j, in which no digits cancel."""
        return 2 * product_sum(self.weight[1:], np.cumsum(self.weight, axis=0)[:-1]) / self.total

    @property
    def q_slope(self) -> Floats:
        """Shape `(A,)`: Σ w² (y − μ)²."""
        return product_sum(self.weight, self.residual, self.weight, self.residual)

    @property
    def squares(self) -> Floats:
        """Shape `(A,)`: Σ (y − μ)²."""
        return product_sum(self.residual, self.residual, (self.weight > 0).astype(np.float64))

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

    @property
    def freedom(self) -> Floats:
        """Shape `(A,)`: degrees of freedom of the robust variance of μ, Σ cᵢ (yᵢ − μ)² with cᵢ = hᵢ² / (1 − hᵢ).

        With shares h = w / Σ w, and effects of variance 1 / w, its mean is 1 / Σ w, and Satterthwaite's degrees of
        freedom are 1 / (Σ hᵢ² + Σ cᵢ cⱼ over pairs i ≠ j): k − 1 where all weigh the same, 1 where one decides alone.

        >>> studies = Studies.of(np.array([[0.1], [0.3], [0.5]]), np.array([[0.1], [0.1], [0.01]]))
        >>> studies.fit(np.zeros(1)).freedom.round(4)
        array([1.198])
        """
        share = self.weight / self.total
        large = share > 0.5  # one at most; what it leaves is summed, as digits would cancel
        left = np.where(large, product_sum(np.where(large, 0.0, share)), 1 - share)
        lever = share * share / np.maximum(left, _LEAST_SHARE)
        freedom: Floats = 1 / (product_sum(share, share) + 2 * product_sum(lever[1:], np.cumsum(lever, axis=0)[:-1]))
        return freedom


def product_sum(*factors: Floats) -> Floats:
    """Sum of products, down the columns."""
    total: Floats = np.einsum(",".join(["ka"] * len(factors)) + "->a", *factors)
    return total


def inconsistency(at_zero: EffectFit, freedom: Floats, tau2: Floats, estimator: str) -> tuple[Floats, Floats]:
    """I² and H², with the typical variance v̄ = freedom / tr P at τ² = 0; of Q for fixed effects.

    I² = τ² / (τ² + v̄) and H² = 1 / (1 − I²), or I² = max(0, 1 − freedom / Q) and H² = Q / freedom.
    """
    if estimator == "fixed":
        q = at_zero.q
        return np.maximum(0.0, 1 - np.divide(freedom, q, out=np.full_like(q, np.inf), where=q > 0)), q / freedom
    ratio = tau2 * at_zero.pair_weight / freedom  # τ² / v̄
    return ratio / (1 + ratio), 1 + ratio


def fixed(studies: EffectModel, at_zero: EffectFit) -> Floats:  # noqa: ARG001  # as estimators are called
    """No variance between tasks: they share one effect."""
    return np.zeros_like(studies.freedom)


def dersimonian_laird(studies: EffectModel, at_zero: EffectFit) -> Floats:
    """τ² = max(0, (Q − (k − 1)) / (Σ w − Σ w² / Σ w)) with w = 1 / v (Sertkan et al. 2023, Eq. 9; truncated).

    >>> studies = Studies.of(np.array([[0.1], [0.3], [0.5]]), np.full((3, 1), 0.01))
    >>> dersimonian_laird(studies, studies.fit(np.zeros(1))).round(9)
    array([0.03])
    """
    pair_weight, excess = at_zero.pair_weight, at_zero.q - studies.freedom
    return np.maximum(np.divide(excess, pair_weight, out=np.zeros_like(excess), where=studies.freedom > 0), 0.0)


def paule_mandel(studies: EffectModel, at_zero: EffectFit) -> Floats:
    """Τ² at which Q(τ²) = Σ (y − μ)² / (v + τ²) is what is expected of it, k − 1; 0 if it is less without (1982).

    >>> studies = Studies.of(np.array([[0.1], [0.3], [0.5]]), np.full((3, 1), 0.01))
    >>> paule_mandel(studies, studies.fit(np.zeros(1))).round(9)
    array([0.03])
    """
    return where_q_is(studies, at_zero, np.maximum(studies.freedom, 1))


def q_profile(studies: EffectModel, at_zero: EffectFit, confidence: float) -> tuple[Floats, Floats]:
    """Interval of τ²: where Q(τ²) is between quantiles of χ² with k − 1 degrees of freedom (Viechtbauer 2007).

    Both ends are 0 where even τ² = 0 makes effects more alike than is likely, and NaN where there is one task.

    >>> studies = Studies.of(np.array([[0.1], [0.3], [0.5]]), np.full((3, 1), 0.01))
    >>> [float(end[0].round(4)) for end in q_profile(studies, studies.fit(np.zeros(1)), 0.95)]
    [0.0008, 1.5699]
    """
    from scipy.special import chdtri  # noqa: PLC0415  # slow to import

    freedom = np.maximum(studies.freedom, 1)
    tail = (1 - confidence) / 2
    ends = (where_q_is(studies, at_zero, chdtri(freedom, share)) for share in (tail, 1 - tail))
    low, high = (np.where(studies.freedom > 0, end, np.nan) for end in ends)
    return low, high


def reml(studies: EffectModel, at_zero: EffectFit) -> Floats:  # noqa: ARG001  # as estimators are called
    """Maximise the restricted likelihood −½ (Σ log(v + τ²) + log Σ w + Q) over τ² ≥ 0 (Viechtbauer 2005).

    It may have several maxima. They are where its slope falls through 0 between values of τ² from 0 to the squared
    range of the effects, beyond which it has none, and at τ² = 0 where it falls from there. The highest is taken.

    >>> studies = Studies.of(np.array([[0.1], [0.3], [0.5]]), np.full((3, 1), 0.01))
    >>> reml(studies, studies.fit(np.zeros(1))).round(9)
    array([0.03])
    """
    grid = _grid(studies)
    rising = np.array([studies.fit(tau2).slope[0] > 0 for tau2 in grid])
    rising[-1] = False  # at the squared range the slope is not above 0, except by rounding
    (starts_falling,) = np.nonzero(~rising[0])
    before, which = np.nonzero(rising[:-1] & ~rising[1:])
    found = _maxima(studies, which, grid[before, which], grid[before + 1, which])
    tau2 = np.append(np.zeros(starts_falling.size), found)
    return _highest(studies, np.append(starts_falling, which), tau2)


def _grid(studies: EffectModel) -> Floats:
    """Values of τ², shape `(S, A)`: upwards from 0 to the squared range; not below where τ² is too small to matter."""
    least = studies.least_variance / _FACTOR
    grid = [studies.most_tau2]
    while grid[-1].any():
        lower = grid[-1] / _FACTOR
        grid.append(np.where(lower > least, lower, 0.0))
    return np.array(grid[::-1])


def _maxima(studies: EffectModel, which: NDArray[np.intp], low: Floats, high: Floats) -> Floats:
    """Find the maximum between two values of τ² in each of some analyses."""
    # The first is solved twice, and cut off again, as NumPy sums one column alone in another order.
    some = studies.take(np.append(which, which[:1]))
    low, high = np.append(low, low[:1]), np.append(high, high[:1])
    return decreasing_roots(lambda tau2: some.fit(tau2).slope, low, low, high, some.least_variance)[:-1]


def _highest(studies: EffectModel, which: NDArray[np.intp], tau2: Floats) -> Floats:
    """Of the maxima of each analysis, take the one with the largest likelihood, of equals the last.

    `which` says of which analysis each maximum is; every analysis has at least one.
    """
    best = np.zeros_like(studies.freedom)
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
