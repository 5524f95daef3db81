"""A simulated world: scores, and the ranking they were drawn from."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.competition import competition_ranks, levels
from podium.frozen import Frozen
from podium.scores import Scores, Task

__all__ = ["World", "numbered", "world_of"]


@dataclass(frozen=True, slots=True, eq=False)
class World(Frozen):
    """Scores with their truth.

    Attributes
    ----------
    scores
        N systems, T tasks.
    truth
        Shape `(N,)`: true rank of each system, in the order of `scores.systems`; 1 is best, equals share the smallest.

    Examples
    --------
    >>> import podium
    >>> world = podium.simulate.gumbel(3, 2, 10, dispersion=0.5, rng=0)
    >>> world.truth
    array([3, 2, 1])
    """

    scores: Scores
    truth: NDArray[np.int64]


def world_of(tasks: Sequence[NDArray[np.float64]], ability: NDArray[np.float64]) -> World:
    """Number the systems and the tasks of drawn scores.

    Parameters
    ----------
    tasks
        T arrays `(N, K_t)`, NaN where missing, higher is better.
    ability
        Shape `(N,)`: what the true ranking ranks, higher is better.
    """
    parts = tuple(Task.cut(name, values) for name, values in zip(numbered("task", len(tasks)), tasks, strict=True))
    return World(Scores(numbered("system", ability.size), parts), competition_ranks(levels(ability)))


def numbered(kind: str, number: int) -> tuple[str, ...]:
    """Labels that sort in order of their numbers.

    >>> numbered("task", 2)
    ('task 1', 'task 2')
    """
    width = len(str(number))
    return tuple(f"{kind} {index:0{width}d}" for index in range(1, number + 1))
