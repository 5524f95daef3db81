"""The contract of replicates: the same table many times, its instances weighed differently each time."""

from collections.abc import Sequence
from typing import Any, Protocol

from podium.scores import Block, Task
from podium.tallies.kernels import Kernels

__all__ = ["Reweighing"]


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
