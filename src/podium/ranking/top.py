"""Who is among the best k: in how many replicates, and with confidence."""

import numpy as np
from numpy.typing import NDArray

from podium.score.place import better_and_equal, levels

Floats = NDArray[np.float64]

Bools = NDArray[np.bool_]


def set_of_top(goodness: Floats, p: Floats, k: int, confidence: float) -> Bools:
    """Shape `(N,)`: a set that contains all of the best k systems with this confidence; False where unranked.

    A system is left out if at least k others lead it with a one-sided p-value of at most α / (k (N − k)). If one of the
    best k is left out, one of the others is wrongly held to be better than it. There are k (N − k) such pairs, which
    Bonferroni covers under any dependence (Mogstad, Romano, Shaikh & Wilhelm 2024, §3).

    Parameters
    ----------
    goodness
        Shape `(N,)`: scores, higher is better, NaN where unranked.
    p
        Shape `(N, N)`: two-sided p-values, as of `p_values`.
    k
        How many are the best.
    confidence
        1 − α.

    Examples
    --------
    >>> p = np.array([[1.0, 0.2, 0.01], [0.2, 1.0, 0.3], [0.01, 0.3, 1.0]])
    >>> set_of_top(np.array([3.0, 2.0, 1.0]), p, 1, 0.95)
    array([ True,  True, False])
    """
    ranked = ~np.isnan(goodness)
    pairs = k * (np.count_nonzero(ranked) - k)
    with np.errstate(invalid="ignore"):
        behind = (goodness > goodness[:, None]) & (pairs * p / 2 <= 1 - confidence)
    contained: Bools = ranked & (behind.sum(axis=1) < k)
    return contained


def share_of_top(samples: Floats, k: int, rounding: Floats) -> Floats:
    """Shape `(N,)`: share of replicates `(N, B)` in which each system is among the best k, ties shared.

    Scores tie that differ by at most the `rounding` of either, of shape `(N,)`.
    """
    level = levels(samples, tolerance=rounding[:, None])
    better, equal = better_and_equal(level)
    places: Floats = np.clip((k - better) / equal.clip(1), 0.0, 1.0)
    share: Floats = np.where(level >= 0, places, 0.0).mean(axis=1)
    return share
