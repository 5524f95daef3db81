"""Ballots made of task means: one for every task."""

import numpy as np
from numpy.typing import NDArray

from podium.competition import ROUNDING, levels
from podium.scores import Block
from podium.tallies import Duels
from podium.tallies.kernels.plain import expected_ranks

__all__ = ["task_ballots", "task_duels"]

Floats = NDArray[np.float64]


def task_ballots(means: Floats, *, tolerance: float, scale: Floats | None) -> list[Block]:
    """One ballot for every task: an instance on which every system scores its mean.

    Parameters
    ----------
    means
        Shape `(T, N)`: task means, higher is better, NaN where the system has no score; or `(T, N, B)`, which makes a
        ballot of each replicate.
    tolerance
        Means no further apart than this tie, in the units of the metrics.
    scale
        Shape that broadcasts to `means`: size of the scores behind each mean, to which its rounding error is
        proportional; means
        within 1e-12 of it tie too. None where the scores are as given and carry no such error.

    Examples
    --------
    >>> ballot, = task_ballots(np.array([[0.1 + 0.2, 0.3]]), tolerance=0.0, scale=np.ones((1, 2)))
    >>> bool(ballot.values[0, 0] == ballot.values[1, 0])
    True
    """
    ballots = means if scale is None else [_evened(*row) for row in zip(means, scale, strict=True)]
    n_systems = means.shape[1]
    return [Block(task, ballot.reshape(n_systems, -1), None, tolerance) for task, ballot in enumerate(ballots)]


def task_duels(means: Floats, *, tolerance: float, scale: Floats | None) -> list[Duels]:
    """Duels of every task's one ballot; each replicate has its own.

    Parameters
    ----------
    means, tolerance, scale
        As for `task_ballots`.

    Examples
    --------
    >>> ballot, = task_duels(np.array([[3.0, 2.0, np.nan]]), tolerance=0.0, scale=None)
    >>> ballot.expected[:, 2].round(2)
    array([0.67, 0.33, 0.  ])
    """
    shape = (means.shape[1], *means.shape[1:])
    duels = []
    for ballot in task_ballots(means, tolerance=tolerance, scale=scale):
        wins, ties, imputed = (matrix.reshape(shape) for matrix in _compared(ballot.values, tolerance))
        duels.append(Duels(wins, ties, imputed, np.ones(means.shape[2:])))
    return duels


def _compared(values: Floats, tolerance: float) -> tuple[Floats, Floats, Floats]:
    """Wins, ties and imputed wins of each ballot, the columns of `(N, B)`, by itself."""
    n_systems = values.shape[0]
    scored = ~np.isnan(values)
    left, right = scored[:, None], scored[None]
    wins = values[:, None] > values[None] + tolerance
    ties = left & right & ~wins & ~wins.swapaxes(0, 1)
    shares = expected_ranks(values, tolerance) / (n_systems + 1)
    one = np.where(right, shares[None], 1 - shares[:, None])
    imputed = np.where(left & right, 0.0, np.where(left | right, one, 0.5))
    ties[np.diag_indices(n_systems)] = False
    imputed[np.diag_indices(n_systems)] = 0.0
    return wins.astype(np.float64), ties.astype(np.float64), imputed


def _evened(means: Floats, scale: Floats) -> Floats:
    """Give means that differ by rounding only one value, the best of the level they share."""
    level = levels(means, tolerance=ROUNDING * scale).reshape(means.shape[0], -1)
    column = np.broadcast_to(np.arange(level.shape[1]), level.shape)
    best = np.full((level.shape[0] + 1, level.shape[1]), np.nan)  # the last row is for level −1
    np.fmax.at(best, (level, column), means.reshape(level.shape))
    best[-1] = np.nan
    return best[level, column]
