"""Ballots made of task means: one for every task."""

import numpy as np
from numpy.typing import NDArray

from podium.competition import ROUNDING, levels
from podium.scores import Block

__all__ = ["task_ballots"]

Floats = NDArray[np.float64]


def task_ballots(means: Floats, *, tolerance: float, scale: Floats | None) -> list[Block]:
    """One ballot for every task: an instance on which every system scores its mean.

    Parameters
    ----------
    means
        Shape `(T, N)`: task means, higher is better, NaN where the system has no score.
    tolerance
        Means no further apart than this tie, in the units of the metrics.
    scale
        Shape `(T, N)`: size of the scores behind each mean, to which its rounding error is proportional; means
        within 1e-12 of it tie too. None where the scores are as given and carry no such error.

    Examples
    --------
    >>> ballot, = task_ballots(np.array([[0.1 + 0.2, 0.3]]), tolerance=0.0, scale=np.ones((1, 2)))
    >>> bool(ballot.values[0, 0] == ballot.values[1, 0])
    True
    """
    ballots = means if scale is None else [_evened(*row) for row in zip(means, scale, strict=True)]
    return [Block(task, ballot[:, None], None, tolerance) for task, ballot in enumerate(ballots)]


def _evened(means: Floats, scale: Floats) -> Floats:
    """Give means that differ by rounding only one value, the best of the level they share."""
    level = levels(means, tolerance=ROUNDING * scale)
    best = np.full(means.size + 1, np.nan)
    np.fmax.at(best, level, means)
    best[-1] = np.nan
    return best[level]
