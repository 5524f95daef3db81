"""Resampling: what the bootstrap draws anew, how often, and from which seed."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import MethodError, nearest
from podium.scores import Block, Task
from podium.tallies.draws import draw_tasks, instance_keys, task_key
from podium.tallies.kernels import Kernels

__all__ = ["UNITS", "Resampling"]

#: What can be drawn: instances within each task, whole tasks, or both, one inside the other.
UNITS = ("instances", "tasks", "both")


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
        if self.units not in UNITS:
            raise MethodError(f"there are no units {self.units!r} to resample; {nearest(self.units, UNITS)}")
        if self.replicates < 1:
            raise MethodError(f"replicates is {self.replicates}; it must be at least 1")

    @property
    def of_instances(self) -> bool:
        """Whether instances are drawn."""
        return self.units != "tasks"

    def task_draws(self, n_tasks: int) -> NDArray[np.float64]:
        """Shape `(T, B)`: how often each task is drawn, or `(T, 1)` of ones where tasks are not."""
        if self.units == "instances":
            return np.ones((n_tasks, 1))
        return draw_tasks(self.seed, n_tasks, self.first, self.replicates)

    def weigh(self, block: Block, task: Task, kernels: Kernels) -> Block:
        """Weigh the instances of a block by how often each is drawn in every replicate.

        Weights have shape `(L, B)`: draws times instance weights where there are such. A single instance is no sample
        to draw from, and is taken as it is.
        """
        if task.n_instances == 1:
            draws: NDArray[Any] = np.ones((1, self.replicates), dtype=np.uint8)
        else:
            keys = instance_keys(task_key(self.seed, task.name), block.start, block.values.shape[1])
            draws = kernels.draws(keys, self.first, self.replicates)
        if block.weights is not None:
            draws = draws * block.weights[:, None]
        return Block(block.task, block.values, draws, block.tolerance, block.start)
