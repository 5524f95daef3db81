"""Kendall's distance and correlation between two rankings, with ties."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.agreement.inversions import PairCounts, count_pairs
from podium.agreement.vectors import paired
from podium.errors import MethodError

__all__ = ["checked_penalty", "correlations", "distances", "kendall_distance", "kendall_tau"]


def kendall_distance(a: ArrayLike, b: ArrayLike, *, normalised: bool = False, tie_penalty: float = 0.5) -> float:
    """Count the pairs of systems that two rankings order differently.

    K = D + p·(pairs tied in exactly one ranking), D the number of pairs in opposite orders. A pair tied in both
    rankings counts nothing.

    Parameters
    ----------
    a, b
        Shape `(N,)`: ranks of the same systems, 1 is best; only their order matters. NaN is unranked: a pair counts
        if both rankings rank both systems.
    normalised
        Divide by the number n(n − 1)/2 of pairs that count, so that 0 is agreement, 1 reversal, and ½ what two
        random orders have on average. NaN if there is no pair.
    tie_penalty
        p, from 0 to 1. From ½ on it is a metric; ½ is the expectation over random orders of the tied.

    Raises
    ------
    MethodError
        Vectors of different length, infinite ranks, or a penalty out of range.

    References
    ----------
    Fagin, Kumar, Mahdian, Sivakumar & Vee, "Comparing partial rankings", SIAM J. Discrete Math. 20, 2006, §3: K^(p).

    Examples
    --------
    >>> kendall_distance([1, 2, 3], [2, 1, 3])
    1.0
    >>> kendall_distance([1, 2, 3], [1, 2.5, 2.5], normalised=True)
    0.16666666666666666
    """
    checked_penalty(tie_penalty)
    one, other = paired(a, b)
    counts = count_pairs(one[None], other[None])
    distance = float(distances(counts, tie_penalty)[0])
    if not normalised:
        return distance
    pairs = int(counts.compared[0])
    return distance / pairs if pairs else math.nan


def kendall_tau(a: ArrayLike, b: ArrayLike) -> float:
    """Kendall's τ-b: agreement between two rankings, from −1 (reversed) over 0 to 1 (the same).

    τ_b = (C − D) / √((n₀ − n_a)(n₀ − n_b)), with C and D the pairs in the same and in opposite orders, n₀ all pairs,
    n_a and n_b the pairs tied in each ranking.

    Parameters
    ----------
    a, b
        Shape `(N,)`: ranks of the same systems, 1 is best; only their order matters. NaN is unranked: a pair counts
        if both rankings rank both systems.

    Returns
    -------
    float
        NaN where a ranking ties all systems, or fewer than two are ranked by both.

    Raises
    ------
    MethodError
        Vectors of different length, or infinite ranks.

    References
    ----------
    M. G. Kendall, "The treatment of ties in ranking problems", Biometrika 33, 1945.

    Examples
    --------
    >>> kendall_tau([1, 2, 3], [1, 3, 2])
    0.3333333333333333
    """
    one, other = paired(a, b)
    counts = count_pairs(one[None], other[None])
    return float(correlations(counts)[0])


def distances(counts: PairCounts, tie_penalty: float) -> NDArray[np.float64]:
    """Kendall distances, shape `(K,)`, of counted pairs.

    >>> distances(count_pairs(np.array([[1.0, 2.0]]), np.array([[1.5, 1.5]])), 0.5)
    array([0.5])
    """
    return counts.discordant + tie_penalty * (counts.tied_first + counts.tied_second - 2 * counts.tied_both)


def correlations(counts: PairCounts) -> NDArray[np.float64]:
    """Kendall's τ-b, shape `(K,)`, of counted pairs; NaN where a ranking ties all.

    >>> correlations(count_pairs(np.array([[1.0, 2.0, 3.0]]), np.array([[1.0, 3.0, 2.0]])))
    array([0.33333333])
    """
    numbers = (counts.compared, counts.discordant, counts.tied_first, counts.tied_second, counts.tied_both)
    # Python's integers, for the product of two numbers of pairs may not fit into 64 bits
    return np.array([_correlation(*row) for row in np.array(numbers).T.tolist()])


def _correlation(pairs: int, discordant: int, tied_one: int, tied_other: int, tied_both: int) -> float:
    untied = pairs - tied_one - tied_other + tied_both
    room = (pairs - tied_one) * (pairs - tied_other)
    return (untied - 2 * discordant) / math.sqrt(room) if room else math.nan


def checked_penalty(tie_penalty: float) -> None:
    """Refuse a penalty that is no share of a pair.

    Raises
    ------
    MethodError
        It is not between 0 and 1.
    """
    if not 0 <= tie_penalty <= 1:
        raise MethodError(f"tie_penalty is {tie_penalty}; it must lie between 0 and 1")
