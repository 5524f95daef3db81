"""Deletion: a table without some of its instances, as replicates in which these weigh nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.scores import Block, Task
from podium.tallies.kernels import Kernels

__all__ = ["Deletion"]

Integers = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Deletion:
    """Replicates without the first instances of some order.

    Attributes
    ----------
    places
        For each task, shape `(K, O)`: the place of each instance in each of O orders, from 0; None for a task that
        keeps all.
    orders, sizes
        Shape `(B,)`: in a replicate the first `sizes` instances of an order are left out.

    Examples
    --------
    >>> Deletion((np.array([[1], [0]]),), np.array([0]), np.array([1])).replicates
    1
    """

    places: tuple[Integers | None, ...]
    orders: Integers
    sizes: Integers

    @property
    def replicates(self) -> int:
        """How many, B."""
        return int(self.sizes.size)

    def keys(self, tasks: Sequence[Task]) -> Sequence[Integers | None]:
        """Places of each task."""
        if len(tasks) != len(self.places):
            raise ValueError(f"places of {len(self.places)} tasks do not fit {len(tasks)} tasks")
        return self.places

    def weigh(self, block: Block, key: Integers | None, kernels: Kernels) -> Block:  # noqa: ARG002  # the protocol
        """Weigh the instances that are left out 0, the others as they are."""
        length = block.values.shape[1]
        kept: NDArray[Any] = np.ones((length, self.replicates), dtype=np.uint8)
        if key is not None:
            kept = (key[block.start : block.start + length, self.orders] >= self.sizes).astype(np.uint8)
        weights = kept if block.weights is None else kept * block.weights[:, None]
        return Block(block.task, block.values, weights, block.tolerance, block.start)
