"""Moments: weighted means, spreads and joint moments of systems."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.score.table import Block
from podium.tally.tally import Kernels, Tally, weighed


@dataclass(frozen=True, slots=True, eq=False)
class Moments(Tally):
    """Weighted mean and sum of squared deviations of each system, missing scores left out.

    Merged by the parallel update of Chan, Golub & LeVeque (1979), so that a large mean costs no digits.
    Scores are oriented: for a lower-is-better task `mean` is the negated mean.

    Attributes
    ----------
    weight
        Shape `(N,)`: Σ w over the scored instances.
    mean
        Shape `(N,)`: Σ w x / Σ w, in the units of the metric, 0 where `weight` is 0.
    m2
        Shape `(N,)`: Σ w (x − mean)², in squared units.
    """

    weight: NDArray[np.float64]
    mean: NDArray[np.float64]
    m2: NDArray[np.float64]

    @classmethod
    def empty(cls, n_systems: int) -> Self:
        """Return the tally of no scores."""
        return cls(*(np.zeros(n_systems) for _ in range(3)))

    @classmethod
    def of(cls, block: Block, kernels: Kernels) -> Self:
        """Return the moments of one block."""
        return cls(*kernels.moments(block.values, block.weights))

    @classmethod
    def of_each(cls, block: Block, kernels: Kernels) -> list[Self]:  # noqa: ARG003  # one score needs no arithmetic
        """Return the moments of every ballot of a block by itself: the scores, without spread."""
        none = np.zeros(len(block.values))
        return [cls(weight, mean, none) for weight, mean in zip(*_of_each(block), strict=True)]

    def merge(self, other: Self) -> Self:
        """Combine the two; where one has no weight, the other is returned unchanged."""
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is infinite, and refused when ranked
            weight, mean, step, share = _merged(self, other)
            return type(self)(weight, mean, self.m2 + other.m2 + step**2 * self.weight * share)

    @property
    def means(self) -> NDArray[np.float64]:
        """Shape `(N,)`: the mean, NaN where the system has no score."""
        return np.where(self.weight > 0, self.mean, np.nan)

    @property
    def scale(self) -> NDArray[np.float64]:
        """Shape `(N,)`: size of the scores, |mean| plus standard deviation; rounding errors of means follow it."""
        spread = np.sqrt(np.divide(self.m2, self.weight, out=np.zeros_like(self.m2), where=self.weight > 0))
        return np.abs(self.mean) + np.where(np.isfinite(spread), spread, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Means(Tally):
    """Weighted mean of each system, missing scores left out.

    Merged by the parallel update of Chan, Golub & LeVeque (1979), so that a large mean costs no digits.
    Scores are oriented: for a lower-is-better task `mean` is the negated mean.

    Attributes
    ----------
    weight
        Shape `(N,)` or `(N, B)`: Σ w over the scored instances.
    mean
        Shape `(N,)` or `(N, B)`: Σ w x / Σ w, in the units of the metric, 0 where `weight` is 0.
    """

    weight: NDArray[np.float64]
    mean: NDArray[np.float64]

    @classmethod
    def empty(cls, n_systems: int) -> Self:
        """Return the tally of no scores."""
        return cls(np.zeros(n_systems), np.zeros(n_systems))

    @classmethod
    def of(cls, block: Block, kernels: Kernels) -> Self:
        """Return the means of one block."""
        return cls(*kernels.means(block.values, block.weights))

    @classmethod
    def of_each(cls, block: Block, kernels: Kernels) -> list[Self]:  # noqa: ARG003  # one score needs no arithmetic
        """Return the means of every ballot of a block by itself, which are its scores."""
        return [cls(weight, mean) for weight, mean in zip(*_of_each(block), strict=True)]

    @classmethod
    def from_moments(cls, moments: Moments) -> Self:
        """Leave the spread out."""
        return cls(moments.weight, moments.mean)

    def merge(self, other: Self) -> Self:
        """Combine the two; where one has no weight, the other is returned unchanged."""
        return type(self)(*_merged(self, other)[:2])

    @property
    def means(self) -> NDArray[np.float64]:
        """Shape `(N,)` or `(N, B)`: the mean, NaN where the system has no score."""
        return np.where(self.weight > 0, self.mean, np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class Comoments(Tally):
    """Pairwise-complete moments: for each pair, over the instances on which both systems are scored.

    Merged by the parallel update of Chan, Golub & LeVeque (1979) and its bivariate form (Pébay 2008, eq. 3.12).
    Scores are oriented, so that higher is better.

    Attributes
    ----------
    count, weight
        Shape `(N, N)`, symmetric: number of common instances, and Σ w over them.
    mean
        Shape `(N, N)`: `mean[i, j]` is the mean of i over the instances on which j is scored too.
    m2
        Shape `(N, N)`: `m2[i, j]` is Σ w (x_i − mean[i, j])² over the same instances.
    comoment
        Shape `(N, N)`, symmetric: Σ w (x_i − mean[i, j]) (x_j − mean[j, i]).
    """

    count: NDArray[np.float64]
    weight: NDArray[np.float64]
    mean: NDArray[np.float64]
    m2: NDArray[np.float64]
    comoment: NDArray[np.float64]

    @classmethod
    def empty(cls, n_systems: int) -> Self:
        """Return the tally of no scores."""
        return cls(*(np.zeros((n_systems, n_systems)) for _ in range(5)))

    @classmethod
    def of(cls, block: Block, kernels: Kernels) -> Self:
        """Return the comoments of one block."""
        return cls(*kernels.comoments(block.values, block.weights))

    def merge(self, other: Self) -> Self:
        """Combine the two; where one has no common instances, the other is returned unchanged."""
        weight, mean, step, share = _merged(self, other)
        cross = self.weight * share
        return type(self)(
            self.count + other.count,
            weight,
            mean,
            self.m2 + other.m2 + step**2 * cross,
            self.comoment + other.comoment + step * step.T * cross,
        )


def _merged(one: Moments | Means | Comoments, other: Moments | Means | Comoments) -> tuple[Floats, ...]:
    """Return weight and mean of both, the step from one mean to the other, and the share of the other."""
    weight = one.weight + other.weight
    share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
    step = np.where((one.weight > 0) & (other.weight > 0), other.mean - one.mean, 0.0)
    return weight, np.where(one.weight > 0, one.mean + step * share, other.mean), step, share


def _of_each(block: Block) -> tuple[Floats, Floats]:
    """Return weight and mean of every system on every ballot, each of shape `(L, N)`."""
    ballots = block.values.T
    weight = (~np.isnan(ballots)).astype(np.float64)
    if block.weights is not None:
        weight *= block.weights[:, None]
    return weight, np.where(weight > 0, ballots, 0.0) + 0.0  # one zero, not two


def moments(values: NDArray[Any], weights: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Return Σ w, the mean and Σ w (x − mean)², each of shape `(N,)`."""
    scored = ~np.isnan(values) if weights is None else ~np.isnan(values) & (weights > 0)
    weight = weighed(scored, weights)
    # Deviations from a score of the system itself: a constant system has exactly that mean.
    first = values[np.arange(values.shape[0]), scored.argmax(axis=1)].astype(np.float64)
    origin = np.where(scored.any(axis=1), first, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is infinite, and refused when ranked
        deviations = np.where(scored, values - origin[:, None], 0.0)
        shift = np.divide(weighed(deviations, weights), weight, out=np.zeros_like(weight), where=weight > 0)
        deviations = np.where(scored, deviations - shift[:, None], 0.0)
        return weight, np.where(weight > 0, origin + shift, 0.0), weighed(deviations**2, weights)


def means(values: NDArray[Any], weights: NDArray[Any] | None) -> tuple[Floats, Floats]:
    """Return Σ w and the mean, each of shape `(N,)` or `(N, B)`."""
    if weights is None or weights.ndim == 1:
        return moments(values, weights)[:2]
    scored = ~np.isnan(values)
    _, centre, _ = moments(values, None)
    # Deviations from a mean, so that sums lose no digits to cancellation.
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is infinite, and refused when ranked
        shift = weighed(np.where(scored, values - centre[:, None], 0.0), weights)
    weight = np.broadcast_to(weights.sum(axis=0, dtype=np.float64), shift.shape)
    if not scored.all():
        weight = weighed(scored, weights)
    shift = np.divide(shift, weight, out=np.zeros(weight.shape), where=weight > 0)
    return weight, np.where(weight > 0, centre[:, None] + shift, 0.0)


def comoments(values: NDArray[Any], weights: Floats | None) -> tuple[Floats, ...]:
    """Return count, Σ w, mean, m2 and comoment, each of shape `(N, N)`."""
    return joint_moments(values, weights, moments(values, weights)[1], _product)


def joint_moments(
    values: NDArray[Any], weights: Floats | None, centre: Floats, product: Callable[[Floats, Floats], Floats]
) -> tuple[Floats, ...]:
    """Return count, Σ w, mean, m2 and comoment, each of shape `(N, N)`, as the fields of `Comoments`.

    All are sums over instances of left_i right_j, for which there is `product`: from `(N, n)` twice to `(N, N)`.
    `centre`, shape `(N,)`, holds means of the systems; scores are taken as differences from them.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is infinite, and refused when compared
        return _joint_moments(values, weights, centre, product)


def _joint_moments(
    values: NDArray[Any], weights: Floats | None, centre: Floats, product: Callable[[Floats, Floats], Floats]
) -> tuple[Floats, ...]:
    scored = ~np.isnan(values)
    # Centred on each system's own mean, sums over the common instances lose no digits to cancellation.
    deviations = np.where(scored, values - centre[:, None], 0.0)
    weighed = deviations if weights is None else deviations * weights
    shape = (len(values), len(values))
    if scored.all():  # sums of a system are then the same, whatever the other
        count = np.full(shape, values.shape[1] + 0.0)
        weight = count if weights is None else np.full(shape, weights.sum())
        sums, squares = (
            np.repeat(total.sum(axis=1), len(values)).reshape(shape) for total in (weighed, weighed * deviations)
        )
    else:
        present = scored.astype(np.float64)
        count = product(present, present)
        weight = count if weights is None else product(present * weights, present)
        sums, squares = product(weighed, present), product(weighed * deviations, present)
    shift = np.divide(sums, weight, out=np.zeros_like(weight), where=weight > 0)
    products = product(weighed, deviations)
    m2 = np.maximum(squares - shift**2 * weight, 0.0)
    comoment = (products + products.T) / 2 - shift * shift.T * weight
    return count, weight, np.where(weight > 0, centre[:, None] + shift, 0.0), m2, comoment


def _product(left: Floats, right: Floats) -> Floats:
    """Sum over instances of left_i right_j, in an order that no BLAS thread count changes."""
    return np.array([(row * right).sum(axis=1) for row in left])
