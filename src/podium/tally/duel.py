"""Duels: who beats whom on how many ballots. All that pairwise methods need."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.score.table import Block
from podium.tally.kernel import Kernels
from podium.tally.tally import Tally


@dataclass(frozen=True, slots=True, eq=False)
class Duels(Tally):
    """Pairwise wins and ties, counted and imputed.

    Attributes
    ----------
    wins
        Shape `(N, N)`: `wins[i, j]` is the (weighted) number of ballots in which i and j are both scored and i
        beats j. Exact for whole weights.
    ties
        Shape `(N, N)`, symmetric, zero diagonal: ballots in which both are scored and neither beats the other.
    imputed
        Shape `(N, N)`: expected wins of i over j from ballots that score at most one of the two: r/(k + 1) for an
        unscored i over a scored j of midrank r among k, its complement the other way, ½ if neither is scored
        (Himmi et al. 2023, §2.2.1). Zero diagonal.
    weight
        Σ_b w_b, the (weighted) number of ballots; shape `(B,)` where there are replicates, whose axis is the last one
        of the other fields too.
    """

    wins: NDArray[np.float64]
    ties: NDArray[np.float64]
    imputed: NDArray[np.float64]
    weight: float | NDArray[np.float64]

    @classmethod
    def empty(cls, n_systems: int) -> Self:
        """Return the tally of no ballots."""
        wins, ties, imputed = np.zeros((3, n_systems, n_systems))
        return cls(wins, ties, imputed, 0.0)

    @classmethod
    def of(cls, block: Block, kernels: Kernels) -> Self:
        """Return the duels of one block."""
        wins, ties, imputed = kernels.duels(block.values, block.weights, block.tolerance)
        return cls(wins, ties, imputed, block.weight)

    def merge(self, other: Self) -> Self:
        """Add."""
        return type(self)(
            self.wins + other.wins,
            self.ties + other.ties,
            self.imputed + other.imputed,
            self.weight + other.weight,
        )

    @property
    def compared(self) -> NDArray[np.float64]:
        """Shape `(N, N)`: (weighted) number of ballots in which both are scored."""
        return self.wins + self.wins.swapaxes(0, 1) + self.ties

    @property
    def expected(self) -> NDArray[np.float64]:
        """Shape `(N, N)`: expected wins of i over j, ties counting half; `expected + expected.T` is the weight."""
        return self.wins + self.ties / 2 + self.imputed
