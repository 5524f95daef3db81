"""Gumbel scores: on every instance the systems are in an order of the Plackett–Luce model."""

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.simulate.worlds import World, world_of

__all__ = ["gumbel"]


def gumbel(
    systems: int,
    tasks: int,
    instances: int,
    *,
    dispersion: float,
    missing: float = 0.0,
    rng: np.random.Generator | int,
) -> World:
    """Draw scores with a known truth: system n scores Gumbel(φ n, 1) on every instance, so the last is the best.

    The difference of two systems is logistic, so system n + 1 beats system n on an instance with probability
    1 / (1 + exp(−φ)). The order of all systems on an instance is that of the Plackett–Luce model with weights
    exp(φ n) (Colombo et al. 2022, §4.1 and Remark 1, which prints the weights without the exponential).

    Parameters
    ----------
    systems, tasks, instances
        Numbers of systems, of tasks, and of instances of each task.
    dispersion
        φ ≥ 0: 0 makes all systems equal.
    missing
        Share of scores, between 0 and 1, removed completely at random.
    rng
        Generator, or seed of one.

    Raises
    ------
    InputError
        A number is out of range.

    Examples
    --------
    >>> gumbel(4, 2, 100, dispersion=1.0, missing=0.25, rng=0).scores
    Scores(4 systems × 2 tasks, 200 instances, 204 of 800 scores missing)
    """
    if min(systems, tasks, instances) < 1:
        raise InputError("a world needs at least one system, one task and one instance")
    if not (dispersion >= 0 and 0 <= missing <= 1):
        raise InputError(f"dispersion {dispersion} must be ≥ 0, and missing {missing} between 0 and 1")
    generator = np.random.default_rng(rng)
    centres = dispersion * np.arange(1, systems + 1, dtype=np.float64)

    def draw() -> NDArray[np.float64]:
        values = generator.gumbel(centres[:, None], size=(systems, instances))
        return np.where(generator.random(values.shape) < missing, np.nan, values)

    return world_of([draw() for _ in range(tasks)], centres)
