"""Ties: how many pairs of scores are equal, or so nearly equal that rounding may have decided them."""

from dataclasses import dataclass
from typing import Self

from podium.score.table import Block
from podium.tally.kernel import Kernels
from podium.tally.tally import Tally

#: Scores of one instance that differ by at most this, in the units of the metric, are nearly tied.
NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class Ties(Tally):
    """Counts of pairs of scores of the same instance; weights play no part.

    Attributes
    ----------
    pairs
        Pairs of systems scored on the same instance.
    tied
        Those that tie under the tolerance of the table.
    near
        Those that do not, yet differ by at most 1e-9: rounding noise may have decided them.
    """

    pairs: int
    tied: int
    near: int

    @classmethod
    def empty(cls, n_systems: int) -> Self:  # noqa: ARG003  # the contract of all tallies
        """Return the tally of no pairs."""
        return cls(0, 0, 0)

    @classmethod
    def of(cls, block: Block, kernels: Kernels) -> Self:
        """Return the counts of one block."""
        pairs, tied, close = kernels.tied_pairs(block.values, block.tolerance, max(NEAR, block.tolerance))
        return cls(pairs, tied, close - tied)

    def merge(self, other: Self) -> Self:
        """Add."""
        return type(self)(self.pairs + other.pairs, self.tied + other.tied, self.near + other.near)
