"""Means: the weighted mean of every system. All that averages over tasks need."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.scores import Block
from podium.tallies.kernels import Kernels
from podium.tallies.moments import Moments
from podium.tallies.tally import Tally

__all__ = ["Means"]


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
    def from_moments(cls, moments: Moments) -> Self:
        """Leave the spread out."""
        return cls(moments.weight, moments.mean)

    def merge(self, other: Self) -> Self:
        """Combine the two; where one has no weight, the other is returned unchanged."""
        weight = self.weight + other.weight
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        step = np.where((self.weight > 0) & (other.weight > 0), other.mean - self.mean, 0.0)
        return type(self)(weight, np.where(self.weight > 0, self.mean + step * share, other.mean))

    @property
    def means(self) -> NDArray[np.float64]:
        """Shape `(N,)` or `(N, B)`: the mean, NaN where the system has no score."""
        return np.where(self.weight > 0, self.mean, np.nan)
