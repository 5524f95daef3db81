"""From aggregate scores to shared ranks: which values count as equal, and what rank each gets."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ROUNDING", "competition_ranks", "levels", "midranks"]

#: Aggregates closer than this share of what they were summed from differ by rounding only, and so share a rank.
ROUNDING = 1e-12


def levels(values: NDArray[Any], *, tolerance: float | NDArray[np.float64] = 0.0) -> NDArray[np.int64]:
    """Dense levels, 0 for the highest value; neighbours in sorted order at most `tolerance` apart are equal.

    Parameters
    ----------
    values
        Shape `(N,)`, higher is better. NaN gets level −1.
    tolerance
        Largest step, in units of `values`, that still counts as a tie; shape `(N,)` where every value has its own,
        the larger of two neighbours deciding. Steps chain: a run of values with no larger step between neighbours
        is one level.

    Examples
    --------
    >>> levels(np.array([0.5, 0.75, 0.5, np.nan]))
    array([ 1,  0,  1, -1])
    >>> levels(np.array([0.1 + 0.2, 0.3]), tolerance=1e-12)
    array([0, 0])
    """
    result = np.full(values.size, -1, dtype=np.int64)
    scored = np.flatnonzero(~np.isnan(values))
    order = scored[np.argsort(-values[scored], kind="stable")]
    steps = -np.diff(values[order])
    reach = np.broadcast_to(np.asarray(tolerance, dtype=np.float64), values.shape)[order]
    apart = steps > np.maximum(reach[1:], reach[:-1])
    result[order] = np.concatenate(([0], np.cumsum(apart)))[: order.size]
    return result


def competition_ranks(level: NDArray[np.int64]) -> NDArray[np.int64]:
    """Standard competition ranks (1224) of dense levels: 1 plus the number of better values; 0 if unranked.

    Examples
    --------
    >>> competition_ranks(np.array([0, 1, 1, 2, -1]))
    array([1, 2, 2, 4, 0])
    """
    better = _better(level)
    return np.where(level >= 0, better + 1, 0)


def midranks(level: NDArray[np.int64]) -> NDArray[np.float64]:
    """Midranks of dense levels: ties share the mean of the places they take; NaN if unranked.

    Examples
    --------
    >>> midranks(np.array([0, 1, 1, 2, -1]))
    array([1. , 2.5, 2.5, 4. , nan])
    """
    sizes = np.bincount(level[level >= 0], minlength=1)
    result = _better(level) + (sizes[level] + 1) / 2
    return np.where(level >= 0, result, np.nan)


def _better(level: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the values on strictly better levels."""
    sizes = np.bincount(level[level >= 0], minlength=1)
    before: NDArray[np.int64] = np.concatenate(([0], np.cumsum(sizes)))[:-1]
    return before[level]
