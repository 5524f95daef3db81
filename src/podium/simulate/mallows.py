"""Orders of the Mallows model: the more an order differs from the truth, the rarer it is."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from podium.arguments import checked_generator, checked_number
from podium.errors import InputError
from podium.simulate.worlds import Layout, World

__all__ = ["mallows"]


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
    """Draw an order of the systems on every instance around a true order, of which the last system is the best.

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
    layout = Layout(systems, tasks, instances, scales, lower, missing)
    checked_number("dispersion", dispersion, error=InputError)
    generator = checked_generator(rng)

    def draw(size: int) -> NDArray[np.float64]:
        places = _places(_overtaken(generator.random((systems, size)), dispersion))
        return (systems - 1 - places[::-1]).astype(np.float64)

    return layout.fill(draw, dispersion * np.arange(systems, dtype=np.float64), generator)


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
