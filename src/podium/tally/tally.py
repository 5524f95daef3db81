"""The contracts that tallies keep: empty, update, merge; and the same table weighed many times."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol, Self

from podium.score.table import Block, Task
from podium.tally.kernel import Kernels


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


class Reweighing(Protocol):
    """What an engine asks of replicates: how many there are, and how the instances of a block weigh in each."""

    @property
    def replicates(self) -> int:
        """How many, B."""
        ...

    def keys(self, tasks: Sequence[Task]) -> Sequence[Any]:
        """For each task, what `weigh` wants to know of it."""
        ...

    def weigh(self, block: Block, key: Any, kernels: Kernels) -> Block:
        """Return the block with weights of shape `(L, B)`."""
        ...
