"""Pairs of systems that two rankings order differently, counted by sorting, for many pairs of rankings at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["PairCounts", "count_pairs"]

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Numbers of pairs of systems, each of shape `(K,)`, for K pairs of rankings.

    Attributes
    ----------
    compared
        Both systems are ranked in both rankings.
    discordant
        The rankings order the two systems differently.
    tied_first, tied_second, tied_both
        The two systems are tied in the first ranking, in the second, in both.
    """

    compared: Counts
    discordant: Counts
    tied_first: Counts
    tied_second: Counts
    tied_both: Counts


def count_pairs(first: Floats, second: Floats) -> PairCounts:
    """Compare K pairs of rankings, in O(K N log² N).

    Knight's algorithm: with the systems sorted by the first ranking, and by the second where the first ties, the
    discordant pairs are the inversions of the second.

    Parameters
    ----------
    first, second
        Shape `(K, N)`: ranks, NaN where unranked. Only pairs of systems that both rankings rank count.

    References
    ----------
    W. R. Knight, "A computer method for calculating Kendall's tau with ungrouped data", JASA 61, 1966.

    Examples
    --------
    >>> count_pairs(np.array([[1.0, 2.0, 3.0]]), np.array([[3.0, 1.5, 1.5]])).discordant
    array([2])
    """
    both = ~np.isnan(first) & ~np.isnan(second)
    # systems that are not compared go to the end of both rankings, where they are in no inversion
    first, second = np.where(both, first, np.inf), np.where(both, second, np.inf)
    order = np.lexsort((second, first))
    one, other = np.take_along_axis(first, order, 1), np.take_along_axis(second, order, 1)
    sorted_second = np.sort(second, axis=1)
    size = both.sum(axis=1)
    return PairCounts(
        compared=size * (size - 1) // 2,
        discordant=_inversions(other),
        tied_first=_tied_pairs(_repeats(one)),
        tied_second=_tied_pairs(_repeats(sorted_second)),
        tied_both=_tied_pairs(_repeats(one) & _repeats(other)),
    )


def _repeats(values: Floats) -> NDArray[np.bool_]:
    """Shape `(K, N − 1)`: where a value equals the one before it."""
    repeats: NDArray[np.bool_] = (values[:, 1:] == values[:, :-1]) & np.isfinite(values[:, 1:])
    return repeats


def _tied_pairs(repeats: NDArray[np.bool_]) -> Counts:
    """Pairs inside the runs of equal values: the m-th of a run is tied with the m − 1 before it."""
    place = np.arange(1, repeats.shape[1] + 1)
    start = np.maximum.accumulate(np.where(repeats, 0, place), axis=1)
    pairs: Counts = np.where(repeats, place - start, 0).sum(axis=1)
    return pairs


def _inversions(values: Floats) -> Counts:
    """Pairs i < j with values[i] > values[j], row by row, counted while sorting by merging."""
    rows, size = values.shape
    width, inverted = 1, np.zeros(rows, dtype=np.int64)
    runs = np.pad(values, ((0, 0), (0, (1 << max(size - 1, 0).bit_length()) - size)), constant_values=np.inf)
    while width < runs.shape[1]:
        halves = runs.reshape(rows, -1, 2 * width)
        order = np.argsort(halves, axis=2, kind="stable")
        from_left = order < width
        behind = width - np.cumsum(from_left, axis=2)  # of the left half, so greater than a right one in this place
        inverted += np.where(from_left, 0, behind).sum(axis=(1, 2))
        runs = np.take_along_axis(halves, order, 2).reshape(rows, -1)
        width *= 2
    return inverted
