"""Rank vectors as they come in: checked, and ranked anew among the systems that both rank."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.competition import levels
from podium.errors import MethodError

__all__ = ["checked", "common_levels", "paired"]

Floats = NDArray[np.float64]


def checked(ranks: ArrayLike, *, dimensions: int) -> Floats:
    """Return ranks as floats: shape `(N,)` or `(T, N)`, 1 is best, NaN is unranked.

    Raises
    ------
    MethodError
        Other dimensions, or infinite ranks.

    Examples
    --------
    >>> checked([1, 2.5, 2.5], dimensions=1)
    array([1. , 2.5, 2.5])
    """
    array = np.asarray(ranks, dtype=np.float64)
    if array.ndim != dimensions:
        wanted = "one rank per system" if dimensions == 1 else "one row per ranking, one column per system"
        raise MethodError(f"ranks of shape {array.shape} are given; {wanted} is wanted")
    if np.isinf(array).any():
        raise MethodError("a rank is infinite; mark systems without a rank by NaN")
    return array


def paired(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    """Return two rank vectors over the same N systems.

    Raises
    ------
    MethodError
        They are of different length, or are no rank vectors.

    Examples
    --------
    >>> paired([1, 2], [2, 1])
    (array([1., 2.]), array([2., 1.]))
    """
    one, other = checked(a, dimensions=1), checked(b, dimensions=1)
    if one.size != other.size:
        raise MethodError(f"the rankings have {one.size} and {other.size} systems; rank the same systems in both")
    return one, other


def common_levels(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Dense levels, 0 is best, in both rankings, of the systems that both rank; the others are left out.

    Raises
    ------
    MethodError
        As `paired`; or no system is ranked by both.

    Examples
    --------
    >>> common_levels([1, 2, 3, np.nan], [4, 2.5, 2.5, 1])
    (array([0, 1, 2]), array([1, 0, 0]))
    """
    one, other = paired(a, b)
    both = ~np.isnan(one) & ~np.isnan(other)
    if not both.any():
        raise MethodError("no system is ranked by both rankings")
    return levels(-one[both]), levels(-other[both])
