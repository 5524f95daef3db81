"""Resampling: what the bootstrap draws anew, how often, and from which seed."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.check import check_resampling
from podium.score.block import Block
from podium.score.instance import instance_set
from podium.score.table import Task
from podium.tally.draw import draw_tasks, instance_keys, task_key
from podium.tally.kernel import Kernels


@dataclass(frozen=True, slots=True)
class Resampling:
    """A run of bootstrap replicates.

    Attributes
    ----------
    units
        "instances": the tasks are the ones of interest, and their instances a sample; "tasks": the tasks are a
        sample of all tasks there might be; "both": both, hierarchically.
    replicates
        How many, B.
    seed
        A replicate is a function of the seed and of its number alone.
    first
        Number of the first replicate.

    Raises
    ------
    MethodError
        An unknown unit, or no replicates.

    Examples
    --------
    >>> Resampling("tasks", replicates=2, seed=0).task_draws(3).shape
    (3, 2)
    """

    units: str
    replicates: int = 1000
    seed: int = 0
    first: int = 0

    def __post_init__(self) -> None:
        check_resampling(confidence=None, units=self.units, replicates=self.replicates, seed=self.seed)
        object.__setattr__(self, "replicates", operator.index(self.replicates))
        object.__setattr__(self, "seed", operator.index(self.seed))

    @property
    def of_instances(self) -> bool:
        """Whether instances are drawn."""
        return self.units != "tasks"

    def task_draws(self, n_tasks: int) -> NDArray[np.float64]:
        """Shape `(T, B)`: how often each task is drawn, or `(T, 1)` of ones where tasks are not."""
        if self.units == "instances":
            return np.ones((n_tasks, 1))
        return draw_tasks(self.seed, n_tasks, self.first, self.replicates)

    def keys(self, tasks: Sequence[Task]) -> list[np.uint64 | None]:
        """Keys of the draws of each task; None for a single instance, which is no sample and is taken as it is."""
        return [None if task.n_instances == 1 else task_key(self.seed, instance_set(task)) for task in tasks]

    def weigh(self, block: Block, key: np.uint64 | None, kernels: Kernels) -> Block:
        """Weigh the instances of a block by how often each is drawn in every replicate.

        Weights have shape `(L, B)`: draws times instance weights where there are such.
        """
        length = block.values.shape[1]
        draws: NDArray[Any] = np.ones((length, self.replicates), dtype=np.uint8)
        if key is not None:
            draws = kernels.draws(instance_keys(key, block.start, length), self.first, self.replicates)
        if block.weights is not None:
            draws = draws * block.weights[:, None]
        return Block(block.task, block.values, draws, block.tolerance, block.start)
