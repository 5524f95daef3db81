"""Models of worlds: Gumbel noise on strengths, Mallows orders, correlated scores."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from podium.base.check import checked_generator, checked_number
from podium.base.errors import InputError
from podium.simulate.world import World, WorldShape


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
    return shape.fill(lambda size: generator.gumbel(centres[:, None], size=(systems, size)), centres, generator)


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
    systems, tasks
        Numbers N of systems and T of tasks.
    instances
        Number of instances of each task: one for all, or T of them.
    dispersion
        θ ≥ 0: 0 makes all orders equally likely, and all systems equal.
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
        places = _places(_overtaken(generator.random((systems, size)), dispersion))
        return (systems - 1 - places[::-1]).astype(np.float64)

    return shape.fill(draw, dispersion * np.arange(systems, dtype=np.float64), generator)


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
    systems, tasks
        Numbers N of systems and T of tasks.
    instances
        Number of instances of each task: one for all, or T of them.
    correlation
        ρ, between 0 and 1.
    noise
        ν ≥ 0: standard deviation of the scores of a system on a task, where the abilities have 1.
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
    common = generator.standard_normal(systems)

    def draw(size: int) -> NDArray[np.float64]:
        ability = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * generator.standard_normal(systems)
        scores: NDArray[np.float64] = ability[:, None] + noise * generator.standard_normal((systems, size))
        return scores

    return shape.fill(draw, common, generator)
