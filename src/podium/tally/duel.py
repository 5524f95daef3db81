"""Duels: who beats whom on how many ballots. All that pairwise methods need."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.score.table import Block
from podium.tally import battle
from podium.tally.position import Positions, expected_ranks
from podium.tally.tally import Kernels, Tally, weighed


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
        counting = battle.duels if battle.of_few(block.values) else kernels.duels
        wins, ties, imputed = counting(block.values, block.weights, block.tolerance)
        return cls(wins, ties, imputed, block.weight)

    def merge(self, other: Self) -> Self:
        """Add."""
        return type(self)(
            self.wins + other.wins, self.ties + other.ties, self.imputed + other.imputed, self.weight + other.weight
        )

    @property
    def compared(self) -> NDArray[np.float64]:
        """Shape `(N, N)`: (weighted) number of ballots in which both are scored."""
        return self.wins + self.wins.swapaxes(0, 1) + self.ties

    @property
    def expected(self) -> NDArray[np.float64]:
        """Shape `(N, N)`: expected wins of i over j, ties counting half; `expected + expected.T` is the weight."""
        return self.wins + self.ties / 2 + self.imputed

    def positions(self) -> Positions:
        """Read the positions off the duels: E[rank of j] = 1 + Σ_i P(i above j)."""
        return Positions(self.weight + self.expected.sum(axis=0), self.weight)


def duels(values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float) -> tuple[Floats, Floats, Floats]:
    """Return wins, ties and imputed wins, each of shape `(N, N)` or `(N, N, B)`."""
    n_systems = values.shape[0]
    scored = ~np.isnan(values)
    wins = np.array([weighed(row > values + tolerance, weights) for row in values])
    ties = np.array([weighed((row <= values + tolerance) & (values <= row + tolerance), weights) for row in values])
    ties[np.diag_indices(n_systems)] = 0.0
    return wins, ties, np.zeros_like(wins) if scored.all() else imputed(values, weights, tolerance)


def imputed(values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float) -> Floats:
    """Return expected wins on ballots that score at most one of the two, shape `(N, N)` or `(N, N, B)`."""
    n_systems = values.shape[0]
    scored = ~np.isnan(values)
    # Position share of the scored, i.e. the chance that one given unscored system is above them.
    shares = np.where(scored, expected_ranks(values, tolerance) / (n_systems + 1), 0.0)
    one = np.array([weighed(~row & scored, weights) for row in scored])
    above = np.array([weighed(np.where(~row, shares, 0.0), weights) for row in scored])
    neither = np.array([weighed(~row & ~scored, weights) for row in scored])
    wins: Floats = above + (one - above).swapaxes(0, 1) + neither / 2
    wins[np.diag_indices(n_systems)] = 0.0
    return wins
