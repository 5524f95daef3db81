"""The contract every tally keeps: empty, update, merge."""

from abc import ABC, abstractmethod
from typing import Self

from podium.scores import Block
from podium.tallies.kernels import Kernels

__all__ = ["Tally"]


class Tally(ABC):
    """Sufficient statistics of the ballots of one task; a frozen value.

    Laws, tested for every tally:

    - `merge` is associative and commutative: exactly where the sums are of whole and half numbers (complete
      ballots with whole weights), to rounding elsewhere;
    - `empty` is its identity, exactly;
    - the tally of a table is the merge of the tallies of any cut of it into blocks.
    """

    __slots__ = ()

    @classmethod
    @abstractmethod
    def empty(cls, n_systems: int) -> Self:
        """Return the tally of no ballots."""

    @classmethod
    @abstractmethod
    def of(cls, block: Block, kernels: Kernels) -> Self:
        """Return the tally of the ballots of one block."""

    @abstractmethod
    def merge(self, other: Self) -> Self:
        """Return the tally of the ballots of both."""

    def update(self, block: Block, kernels: Kernels) -> Self:
        """Return this tally with the ballots of one block added."""
        return self.merge(type(self).of(block, kernels))
