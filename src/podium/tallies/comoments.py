"""Comoments: joint first and second moments of every pair of systems. All that effect sizes need."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.scores import Block
from podium.tallies.kernels import Kernels
from podium.tallies.tally import Tally

__all__ = ["Comoments"]


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
        weight = self.weight + other.weight
        both = (self.weight > 0) & (other.weight > 0)
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        step = np.where(both, other.mean - self.mean, 0.0)
        cross = self.weight * share
        return type(self)(
            self.count + other.count,
            weight,
            np.where(self.weight > 0, self.mean + step * share, other.mean),
            self.m2 + other.m2 + step**2 * cross,
            self.comoment + other.comoment + step * step.T * cross,
        )
