"""Dispersion of many rankings: how far they lie from each other and from a consensus, exactly."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.agreement.vectors import checked
from podium.errors import MethodError

__all__ = ["Dispersion", "dispersion"]

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Dispersion:
    """How far T rankings of N systems lie apart, in Kendall distances with ties at ½.

    Attributes
    ----------
    pairwise
        Mean distance between two of the rankings; NaN for one ranking.
    to_consensus
        Mean distance from the consensus; None if there was none to compare with.
    random
        N(N − 1)/4: the mean distance of random orders from each other and from anything.
    n_rankings, n_systems
        T and N.
    """

    pairwise: float
    to_consensus: float | None
    random: float
    n_rankings: int
    n_systems: int


def dispersion(ranks: ArrayLike, to: ArrayLike | None = None) -> Dispersion:
    """Measure the dispersion of rankings: mean Kendall distance from each other, and from a consensus.

    For every pair of systems let w rankings have one above the other, l below it, and z tie them. Then
    Σ w·l + z(w + l)/2 is the sum of the distances between all T(T − 1)/2 pairs of rankings, so that they need not be
    compared one by one: O(T N²).

    Parameters
    ----------
    ranks
        Shape `(T, N)`: one row per ranking, 1 is best; only the order in a row matters. NaN is unranked: such
        a system is in no pair of that row, which makes the distances of the row smaller.
    to
        Shape `(N,)`: ranks of the consensus, or None.

    Raises
    ------
    MethodError
        No rankings, other shapes, or infinite ranks.

    References
    ----------
    Colombo, Noiry, Irurozki & Clémençon, NeurIPS 2022, Appendix C and Table 8; ties as `kendall_distance`.

    Examples
    --------
    >>> dispersion([[1, 2, 3], [1, 3, 2], [2, 1, 3]], to=[1, 2, 3])
    Dispersion(pairwise=1.3333333333333333, to_consensus=0.6666666666666666, random=1.5, n_rankings=3, n_systems=3)
    """
    table = checked(ranks, dimensions=2)
    n_rankings, n_systems = table.shape
    if not table.size:
        raise MethodError("there are no rankings to compare")
    consensus = None if to is None else checked(to, dimensions=1)
    if consensus is not None and consensus.size != n_systems:
        raise MethodError(f"the consensus ranks {consensus.size} systems, and the rankings {n_systems}")
    apart, away = 0.0, 0.0
    for system, (above, below, tied) in enumerate(_preferences(table)):
        apart += float(np.sum(above * below + tied * (above + below) / 2))
        if consensus is not None:
            away += float(np.sum(_distance_to(consensus[system], consensus[system + 1 :], above, below, tied)))
    return Dispersion(
        pairwise=apart / math.comb(n_rankings, 2) if n_rankings > 1 else math.nan,
        to_consensus=None if consensus is None else away / n_rankings,
        random=n_systems * (n_systems - 1) / 4,
        n_rankings=n_rankings,
        n_systems=n_systems,
    )


def _preferences(ranks: Floats) -> Iterator[tuple[Counts, Counts, Counts]]:
    """For each system: how many rankings have it above, below, and tied with each of the systems after it."""
    systems = np.ascontiguousarray(ranks.T)
    for index, one in enumerate(systems):
        rest = systems[index + 1 :]
        yield (
            np.count_nonzero(one < rest, axis=1),
            np.count_nonzero(one > rest, axis=1),
            np.count_nonzero(one == rest, axis=1),
        )


def _distance_to(one: float, rest: Floats, above: Counts, below: Counts, tied: Counts) -> Floats:
    """Sum over rankings of what each pair adds to the distance from a consensus that ranks it so."""
    distance = np.where(one < rest, below + tied / 2, (above + below) / 2)
    distance = np.where(one > rest, above + tied / 2, distance)
    return np.where(np.isnan(rest) | np.isnan(one), 0.0, distance)
