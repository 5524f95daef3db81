"""A simulated world: scores, and the true ranking they are drawn from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.check import checked_number, checked_whole
from podium.base.errors import InputError
from podium.base.frozen import Frozen
from podium.score.place import competition_ranks, levels
from podium.score.table import Scores, Task

Floats = NDArray[np.float64]


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


@dataclass(frozen=True, slots=True)
class WorldShape:
    """How large a world is, and what happens to the scores drawn for it.

    Attributes
    ----------
    systems, tasks
        N and T.
    instances
        Of every task the same number, or one for each.
    scales
        One factor above 0 for each task, by which its scores are multiplied, or None for 1.
    lower
        How many tasks, the last ones, are better lower: their scores are negated.
    missing
        Share of scores removed completely at random: each by itself, with this probability.

    Raises
    ------
    InputError
        A number is out of range, or there is not one for each task.

    Examples
    --------
    >>> WorldShape(2, 3, [10, 20, 30]).sizes
    (10, 20, 30)
    """

    systems: int
    tasks: int
    instances: int | Sequence[int]
    scales: Sequence[float] | None = None
    lower: int = 0
    missing: float = 0.0

    def __post_init__(self) -> None:
        least = {"systems": (self.systems, 1), "tasks": (self.tasks, 1), "lower": (self.lower, 0)}
        for name, (given, bound) in least.items():
            checked_whole(name, given, bound, error=InputError)
        for index, size in enumerate(self.sizes):
            name = "instances" if np.ndim(self.instances) == 0 else f"instances[{index}]"
            checked_whole(name, size, error=InputError)
        if self.lower > self.tasks:
            raise InputError(f"{self.lower} tasks are to be better lower, but there are {self.tasks}; ask for fewer")
        for index, factor in enumerate(self.factors):
            checked_number(f"scales[{index}]", factor, error=InputError)
            if not factor:
                raise InputError(f"scales[{index}] is 0; it must be a number above 0")
        checked_number("missing", self.missing, most=1, error=InputError)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The T numbers of instances."""
        return self._per_task("instances", self.instances)

    @property
    def factors(self) -> tuple[float, ...]:
        """The T factors of scores."""
        return self._per_task("scales", 1.0 if self.scales is None else self.scales)

    def _per_task(self, name: str, given: Any) -> tuple[Any, ...]:
        if np.ndim(given) == 0:
            return (given,) * self.tasks
        if len(given) != self.tasks:
            raise InputError(
                f"{name} has {len(given)} numbers for {self.tasks} tasks; give one for each, or one for all"
            )
        return tuple(given)

    def fill(self, draw: Callable[[int], Floats], ability: Floats, generator: np.random.Generator) -> World:
        """Make a world of drawn scores.

        Parameters
        ----------
        draw
            From K to scores `(N, K)` of the next task, higher is better.
        ability
            Shape `(N,)`: what the true ranking ranks, higher is better.
        generator
            Draws, after the scores of each task, which of them are missing.
        """
        tasks: list[Task] = []
        for name, size, factor in zip(_labels("task", self.tasks), self.sizes, self.factors, strict=True):
            up = len(tasks) < self.tasks - self.lower
            values = draw(size) * (factor if up else -factor)
            values = np.where(generator.random(values.shape) < self.missing, np.nan, values)
            tasks.append(Task.cut(name, values, higher_is_better=up))
        return World(Scores(_labels("system", ability.size), tuple(tasks)), competition_ranks(levels(ability)))


def _labels(kind: str, number: int) -> tuple[str, ...]:
    """Labels that sort in order of their numbers.

    >>> _labels("task", 2)
    ('task 1', 'task 2')
    """
    width = len(str(number))
    return tuple(f"{kind} {index:0{width}d}" for index in range(1, number + 1))
