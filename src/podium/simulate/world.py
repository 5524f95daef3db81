"""Worlds: scores drawn from models, Gumbel, Mallows or correlated, and the true ranking they are drawn from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Frozen
from podium.base.check import checked_generator, checked_number, checked_whole
from podium.base.errors import InputError
from podium.score.place import competition_ranks, places
from podium.score.table import Scores
from podium.score.task import Task


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
    """Size of a world, and what happens to the scores drawn for it.

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
            object.__setattr__(self, name, checked_whole(name, given, bound, error=InputError))
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
        """Return the T numbers of instances."""
        return self._per_task("instances", self.instances)

    @property
    def factors(self) -> tuple[float, ...]:
        """Return the T factors of scores."""
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
            values = draw(int(size)) * (factor if up else -factor)
            values = np.where(generator.random(values.shape) < self.missing, np.nan, values)
            tasks.append(Task.cut(name, values, higher_is_better=up))
        return World(Scores(_labels("system", ability.size), tuple(tasks)), competition_ranks(places(ability)))


def _labels(kind: str, number: int) -> tuple[str, ...]:
    """Return labels that sort in order of their numbers.

    >>> _labels("task", 2)
    ('task 1', 'task 2')
    """
    width = len(str(number))
    return tuple(f"{kind} {index:0{width}d}" for index in range(1, number + 1))


def gumbel(
    systems: int,
    tasks: int,
    instances: int | Sequence[int],
    *,
    dispersion: float,
    scales: Sequence[float] | None = None,
    lower: int = 0,
    missing: float = 0.0,
    rng: np.random.Generator | int,
) -> World:
    """Draw scores with a known truth: system n scores Gumbel(φ n, 1) on every instance, so the last is the best.

    The difference of two systems is logistic, so system n + 1 beats system n on an instance with probability
    1 / (1 + exp(−φ)). The order of all systems on an instance is that of the Plackett–Luce model with weights
    exp(φ n) (Colombo et al. 2022, §4.1 and Remark 1, which prints the weights without the exponential).

    Parameters
    ----------
    systems, tasks
        Numbers N of systems and T of tasks.
    instances
        Number of instances of each task: one for all, or T of them.
    dispersion
        φ ≥ 0: 0 makes all systems equal.
    scales
        T factors above 0: the scores of each task are multiplied by its own; 1 by default.
    lower
        How many tasks, the last ones, are better lower: their scores are negated.
    missing
        Share of scores, between 0 and 1, removed completely at random.
    rng
        Generator, or seed of one: any whole number.

    Raises
    ------
    InputError
        A number is out of range, or `rng` is neither a generator nor a whole number.

    Examples
    --------
    >>> gumbel(4, 2, 100, dispersion=1.0, missing=0.25, rng=0).scores
    Scores(4 systems × 2 tasks, 200 instances, 204 of 800 scores missing)
    """
    shape = WorldShape(systems, tasks, instances, scales, lower, missing)
    checked_number("dispersion", dispersion, error=InputError)
    generator = checked_generator(rng)
    centres = dispersion * np.arange(1, systems + 1, dtype=np.float64)
    return shape.fill(lambda size: generator.gumbel(centres[:, None], size=(shape.systems, size)), centres, generator)


def mallows(
    systems: int,
    tasks: int,
    instances: int | Sequence[int],
    *,
    dispersion: float,
    scales: Sequence[float] | None = None,
    lower: int = 0,
    missing: float = 0.0,
    rng: np.random.Generator | int,
) -> World:
    """Draw an order of the systems on every instance, around a true order whose last system is the best.

    P(σ) ∝ exp(−θ d(σ, truth)), where d, the Kendall distance, counts the pairs that two orders put in opposite order.
    A system scores the number of systems it beats on the instance, from 0 to N − 1. Drawn exactly, by repeated
    insertion: the systems come from the best to the worst, and the i-th is put above v of those before it with
    probability ∝ exp(−θ v), v = 0, …, i − 1.

    Parameters
    ----------
    dispersion
        θ ≥ 0: 0 makes all orders equally likely, and all systems equal.
    systems, tasks, instances, scales, lower, missing, rng
        As for `gumbel`.

    Raises
    ------
    InputError
        A number is out of range, or `rng` is neither a generator nor a whole number.

    References
    ----------
    Mallows 1957 (the model); Doignon, Pekeč & Regenwetter 2004 (repeated insertion).

    Examples
    --------
    >>> mallows(3, 1, 4, dispersion=1.0, rng=0).scores.tasks[0].values
    array([[0., 2., 1., 0.],
           [2., 1., 0., 1.],
           [1., 0., 2., 2.]])
    """
    shape = WorldShape(systems, tasks, instances, scales, lower, missing)
    checked_number("dispersion", dispersion, error=InputError)
    generator = checked_generator(rng)

    def draw(size: int) -> NDArray[np.float64]:
        places = _places(_overtaken(generator.random((shape.systems, size)), dispersion))
        return (systems - 1 - places[::-1]).astype(np.float64)

    return shape.fill(draw, dispersion * np.arange(shape.systems, dtype=np.float64), generator)


def _overtaken(uniform: NDArray[np.float64], dispersion: float) -> NDArray[np.int64]:
    """Shape `(N, K)`: how many of the i systems before it system i is put above, by inverting the distribution."""
    before = np.arange(uniform.shape[0])[:, None]
    if dispersion:
        drawn = np.log1p(uniform * np.expm1(-dispersion * (before + 1))) / -dispersion
    else:
        drawn = uniform * (before + 1)
    overtaken: NDArray[np.int64] = np.minimum(np.floor(drawn), before).astype(np.int64)
    return overtaken


def _places(overtaken: NDArray[np.int64]) -> NDArray[np.int64]:
    """Shape `(N, K)`: place, from 0, of each system after all are inserted."""
    places = np.empty_like(overtaken)
    for row, above in enumerate(overtaken):
        place = row - above
        places[:row] += places[:row] >= place
        places[row] = place
    return places


def correlated(
    systems: int,
    tasks: int,
    instances: int | Sequence[int],
    *,
    correlation: float,
    noise: float = 1.0,
    scales: Sequence[float] | None = None,
    lower: int = 0,
    missing: float = 0.0,
    rng: np.random.Generator | int,
) -> World:
    """Draw systems whose abilities correlate between tasks; the truth is the order of what tasks have in common.

    System n has on task t the ability a_nt = √ρ g_n + √(1 − ρ) e_nt, and scores a_nt + ν z on every instance, where
    g, e and z are independent standard normal numbers, z for each score. So abilities have variance 1, and correlate
    with ρ between any two tasks; task means over K instances correlate with ρ / (1 + ν² / K). At ρ = 0 the scores
    know nothing of the truth.

    Parameters
    ----------
    correlation
        ρ, between 0 and 1.
    noise
        ν ≥ 0: standard deviation of the scores of a system on a task, where the abilities have 1.
    systems, tasks, instances, scales, lower, missing, rng
        As for `gumbel`.

    Raises
    ------
    InputError
        A number is out of range, or `rng` is neither a generator nor a whole number.

    Examples
    --------
    >>> world = correlated(4, 3, 50, correlation=1.0, noise=0.1, rng=0)
    >>> world.truth
    array([2, 4, 1, 3])
    >>> import podium
    >>> podium.rank(world.scores).systems
    ('system 3', 'system 1', 'system 4', 'system 2')
    """
    shape = WorldShape(systems, tasks, instances, scales, lower, missing)
    checked_number("noise", noise, error=InputError)
    checked_number("correlation", correlation, most=1, error=InputError)
    generator = checked_generator(rng)
    common = generator.standard_normal(shape.systems)

    def draw(size: int) -> NDArray[np.float64]:
        ability = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * generator.standard_normal(shape.systems)
        scores: NDArray[np.float64] = ability[:, None] + noise * generator.standard_normal((shape.systems, size))
        return scores

    return shape.fill(draw, common, generator)
