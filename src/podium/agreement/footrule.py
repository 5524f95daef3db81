"""Spearman's footrule: how many places systems move from one ranking to another."""

import numpy as np
from numpy.typing import ArrayLike

from podium.agreement.vectors import common_levels
from podium.competition import midranks

__all__ = ["spearman_footrule"]


def spearman_footrule(a: ArrayLike, b: ArrayLike, *, normalised: bool = False) -> float:
    """Sum the places by which systems move between two rankings.

    F = Σ_i |a_i − b_i| over the n systems that both rank, a and b their midranks among these.

    Parameters
    ----------
    a, b
        Shape `(N,)`: ranks of the same systems, 1 is best; only their order matters. NaN is unranked: such a system
        is left out, and those behind it move up.
    normalised
        Divide by the largest value there can be, ⌊n²/2⌋, so that 0 is agreement and 1 reversal. Zero for n = 1.

    Raises
    ------
    MethodError
        Vectors of different length, infinite ranks, or no system that both rank.

    References
    ----------
    Diaconis & Graham, "Spearman's footrule as a measure of disarray", JRSS B 39, 1977; with ties Fagin et al.,
    "Comparing partial rankings", 2006, §3: F_prof.

    Examples
    --------
    >>> spearman_footrule([1, 2, 3], [3, 2, 1])
    4.0
    >>> spearman_footrule([1, 2, 3], [3, 2, 1], normalised=True)
    1.0
    """
    one, other = (midranks(level) for level in common_levels(a, b))
    moved = float(np.abs(one - other).sum())
    return moved / max(one.size**2 // 2, 1) if normalised else moved
