"""Positions: the expected rank of every system, summed over ballots. All that Borda needs."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.score.table import Block
from podium.tally.duel import Duels
from podium.tally.kernel import Kernels
from podium.tally.tally import Tally


@dataclass(frozen=True, slots=True, eq=False)
class Positions(Tally):
    """Sums of expected ranks.

    On a ballot that scores k of N systems, a scored system with midrank r among the k has expected rank
    `r (N + 1) / (k + 1)` over all complete rankings compatible with the ballot, an unscored one `(N + 1) / 2`
    (Himmi et al. 2023, §2.2.1 and Ap. D, in closed form).

    Attributes
    ----------
    rank_sum
        Shape `(N,)` or `(N, B)`: Σ_b w_b E[rank], 1 is best, so lower is better. Exact on complete ballots with
        whole weights.
    weight
        Σ_b w_b, the (weighted) number of ballots; shape `(B,)` where there are replicates.
    """

    rank_sum: NDArray[np.float64]
    weight: float | NDArray[np.float64]

    @classmethod
    def empty(cls, n_systems: int) -> Self:
        """Return the tally of no ballots."""
        return cls(np.zeros(n_systems), 0.0)

    @classmethod
    def of(cls, block: Block, kernels: Kernels) -> Self:
        """Return the expected ranks of one block, summed."""
        return cls(
            kernels.rank_sums(block.values, block.weights, block.tolerance),
            block.weight,
        )

    @classmethod
    def from_duels(cls, duels: Duels) -> Self:
        """Read the same sums off the duels: E[rank of j] = 1 + Σ_i P(i above j)."""
        return cls(duels.weight + duels.expected.sum(axis=0), duels.weight)

    def merge(self, other: Self) -> Self:
        """Add."""
        return type(self)(self.rank_sum + other.rank_sum, self.weight + other.weight)

    @property
    def shares(self) -> NDArray[np.float64]:
        """Shape of `rank_sum`: mean position share E[rank] / (N + 1), between 0 and 1, lower is better; ½ of none."""
        ballots = np.broadcast_to(self.weight, self.rank_sum.shape) * (self.rank_sum.shape[0] + 1)
        shares = np.full(ballots.shape, 0.5)
        np.divide(self.rank_sum, ballots, out=shares, where=ballots > 0)
        return shares
