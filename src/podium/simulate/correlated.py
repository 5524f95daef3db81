"""Tasks that agree on the systems only in part."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from podium.arguments import checked_generator, checked_number
from podium.errors import InputError
from podium.simulate.worlds import Layout, World

__all__ = ["correlated"]


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
    layout = Layout(systems, tasks, instances, scales, lower, missing)
    checked_number("noise", noise, error=InputError)
    checked_number("correlation", correlation, most=1, error=InputError)
    generator = checked_generator(rng)
    common = generator.standard_normal(systems)

    def draw(size: int) -> NDArray[np.float64]:
        ability = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * generator.standard_normal(systems)
        scores: NDArray[np.float64] = ability[:, None] + noise * generator.standard_normal((systems, size))
        return scores

    return layout.fill(draw, common, generator)
