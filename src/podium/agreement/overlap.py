"""What rankings share at their ends: top-n and last-n agreement, and rank-biased overlap.

One rule for ties: systems tied for places d to d + t − 1 all stand at d, so that the top n may hold more than n
systems. It is the rule of Webber, Moffat & Zobel 2010, called RBO^w by Corsi & Urbano, SIGIR 2024.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.errors import MethodError
from podium.ranking.distance import common_levels
from podium.score.place import competition_ranks

Counts = NDArray[np.int64]


def top_agreement(a: ArrayLike, b: ArrayLike, n: int) -> float:
    """Share of the n best systems that two rankings have in common.

    A_n = 2 |S ∩ T| / (|S| + |T|), S and T the systems of rank n or better; the plain share where nothing is tied
    across place n.

    Parameters
    ----------
    a, b
        Shape `(N,)`: ranks of the same systems, 1 is best; only their order matters. NaN is unranked: such a system
        is left out, and those behind it move up.
    n
        From 1 to the number of systems that both rank.

    Raises
    ------
    MethodError
        `n` is out of range; vectors of different length, infinite ranks, or no system that both rank.

    References
    ----------
    Colombo, Noiry, Irurozki & Clémençon, NeurIPS 2022, §5.2, Table 2; ties as Webber, Moffat & Zobel, 2010.

    Examples
    --------
    >>> top_agreement([1, 2, 3, 4], [1, 3, 2, 4], 2)
    0.5
    """
    one, other = common_levels(a, b)
    return _agreement(one, other, n)


def last_agreement(a: ArrayLike, b: ArrayLike, n: int) -> float:
    """Share of the n worst systems that two rankings have in common: `top_agreement` of the reversed rankings.

    >>> last_agreement([1, 2, 3, 4], [1, 3, 2, 4], 1)
    1.0
    """
    one, other = common_levels(a, b)
    return _agreement(one.max() - one, other.max() - other, n)


def rank_biased_overlap(a: ArrayLike, b: ArrayLike, p: float = 0.9) -> float:
    """Rank-biased overlap: mean agreement of the tops of two rankings, the first places weighing most.

    RBO = A_n pⁿ + (1 − p)/p · Σ_{d=1…n} A_d p^d, A_d the `top_agreement` at d: the agreement expected by a reader who
    goes on from each place to the next with probability p. Beyond the n systems that both rank, agreement is
    extrapolated, as RBO_ext; as these are the same systems in both, A_n is 1.

    Parameters
    ----------
    a, b
        Shape `(N,)`: ranks of the same systems, 1 is best; only their order matters. NaN is unranked: such a system
        is left out, and those behind it move up.
    p
        Persistence, between 0 and 1, both excluded: with 0.9 the first ten places have 86 % of the weight.

    Returns
    -------
    float
        Above 0, and 1 for the same ranking.

    Raises
    ------
    MethodError
        `p` is out of range; vectors of different length, infinite ranks, or no system that both rank.

    References
    ----------
    Webber, Moffat & Zobel, "A similarity measure for indefinite rankings", ACM TOIS 28(4), 2010, Eq. 30.

    Examples
    --------
    >>> round(rank_biased_overlap([1, 2, 3], [2, 1, 3]), 6)
    0.9
    """
    if not 0 < p < 1:
        raise MethodError(f"p is {p}; it must lie between 0 and 1, both excluded")
    agreements = _agreements(*common_levels(a, b))
    depths = np.arange(1, agreements.size + 1)
    return float(agreements[-1] * p**agreements.size + (1 - p) * np.sum(agreements * p ** (depths - 1)))


def _agreement(one: Counts, other: Counts, n: int) -> float:
    if not 1 <= n <= one.size:
        raise MethodError(f"n is {n}; it must lie between 1 and {one.size}, the number of systems that both rank")
    return float(_agreements(one, other)[n - 1])


def _agreements(one: Counts, other: Counts) -> NDArray[np.float64]:
    """A_d for every depth d from 1 to n."""
    ranks, others = competition_ranks(one), competition_ranks(other)
    common, first, second = (
        np.cumsum(np.bincount(places, minlength=one.size + 1)[1:])
        for places in (np.maximum(ranks, others), ranks, others)
    )
    agreements: NDArray[np.float64] = 2 * common / (first + second)
    return agreements
