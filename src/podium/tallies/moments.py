"""Moments: count, mean and spread of every system. All that means need."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.scores import Block
from podium.tallies.kernels import Kernels
from podium.tallies.tally import Tally

__all__ = ["Moments"]


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

    def merge(self, other: Self) -> Self:
        """Combine the two; where one has no weight, the other is returned unchanged."""
        weight = self.weight + other.weight
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is infinite, and refused when ranked
            step = np.where((self.weight > 0) & (other.weight > 0), other.mean - self.mean, 0.0)
            mean = np.where(self.weight > 0, self.mean + step * share, other.mean)
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
