"""Which weights of the splits put whom first: shares of all weightings there are."""

import numpy as np
from numpy.typing import NDArray

from podium.seeding import generator

__all__ = ["DRAWS", "lead_shares", "weightings"]

#: Weightings drawn: a share is then known to half a percent (its standard error is at most 1 / 2√DRAWS).
DRAWS = 10_000

Floats = NDArray[np.float64]


def weightings(splits: int, *, rising: bool, seed: int, draws: int = DRAWS) -> Floats:
    """Draw weights of s splits, all weightings being equally likely.

    Exponential draws, divided by their sum, are uniform on the simplex of weights; sorted, they are uniform on that
    part of it where weights never fall from one split to the next. The sum cancels in the metric and is left out.

    Returns
    -------
    Shape `(s, draws)`.

    Examples
    --------
    >>> weightings(3, rising=True, seed=0, draws=2).shape
    (3, 2)
    """
    drawn = generator(seed).standard_exponential((splits, draws))
    return np.sort(drawn, axis=0) if rising else drawn


def lead_shares(scores: Floats) -> Floats:
    """Shape `(N,)`: in which share of the columns of `(N, draws)` a system is first, ties shared; NaN never is.

    >>> lead_shares(np.array([[1.0, 0.0], [1.0, 2.0]])).tolist()
    [0.25, 0.75]
    """
    known = np.where(np.isnan(scores), -np.inf, scores)
    best = known.max(axis=0)
    reach = 1e-12 * np.maximum(np.abs(best), 1.0)
    first = (known >= best - reach) & np.isfinite(best)
    share: Floats = (first / first.sum(axis=0).clip(1)).mean(axis=1)
    return share
