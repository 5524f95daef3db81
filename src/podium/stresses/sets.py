"""What can be left out of a test set: instances, those that several tasks share as one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.scores import Task
from podium.tallies.draws import same_instances

__all__ = ["InstanceSets"]


@dataclass(frozen=True, slots=True)
class InstanceSets:
    """Sets of instances.

    Attributes
    ----------
    of
        For each of T tasks, the number of its set; tasks with the same instance labels have the same set.
    sizes
        For each set, how many instances.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1, 0, 1]], "u": [[3, 2, 1]]}, systems=["A"])
    >>> InstanceSets.among(scores.tasks)
    InstanceSets(of=(0, 1), sizes=(3, 3))
    """

    of: tuple[int, ...]
    sizes: tuple[int, ...]

    @classmethod
    def among(cls, tasks: Sequence[Task]) -> "InstanceSets":
        """Tell the sets of instances of tasks apart."""
        groups = same_instances(tasks)
        number = {index: g for g, group in enumerate(groups) for index in group}
        return cls(tuple(number[t] for t in range(len(tasks))), tuple(tasks[group[0]].n_instances for group in groups))

    def keys(self, rng: np.random.Generator) -> list[NDArray[np.float64]]:
        """Draw a random key between 0 and 1 for every instance: one array for each set."""
        return self.split(rng.random(sum(self.sizes)))

    def split(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Cut what holds a value for every instance of every set into one array for each set."""
        return np.split(values, np.cumsum(self.sizes)[:-1])
