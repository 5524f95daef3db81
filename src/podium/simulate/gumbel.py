"""Gumbel scores: on every instance the systems are in an order of the Plackett–Luce model."""

from collections.abc import Sequence

import numpy as np

from podium.arguments import checked_generator, checked_number
from podium.errors import InputError
from podium.simulate.worlds import Layout, World

__all__ = ["gumbel"]


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
    layout = Layout(systems, tasks, instances, scales, lower, missing)
    checked_number("dispersion", dispersion, error=InputError)
    generator = checked_generator(rng)
    centres = dispersion * np.arange(1, systems + 1, dtype=np.float64)
    return layout.fill(lambda size: generator.gumbel(centres[:, None], size=(systems, size)), centres, generator)
