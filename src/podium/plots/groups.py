"""Runs of systems that cannot be told apart, and where bars over them find room."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["runs", "stacked"]


def runs(separated: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last index of the longest runs of systems, two or more, of which no two are told apart.

    Parameters
    ----------
    separated
        Shape `(N, N)`: whether i is better than j, systems in order.

    Examples
    --------
    >>> runs(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=np.bool_))
    [(0, 1), (1, 2)]
    """
    apart = separated | separated.T
    found: list[tuple[int, int]] = []
    first = 0
    for last in range(len(apart)):
        if (against := np.flatnonzero(apart[last, first:last])).size:
            first += int(against[-1]) + 1
        if first < last:
            if found and found[-1][0] == first:
                found.pop()
            found.append((first, last))
    return found


def stacked(spans: Sequence[tuple[float, float]]) -> list[int]:
    """Level of each span, from 0, so that no two on a level touch; as few levels as can be.

    Parameters
    ----------
    spans
        Left and right end of each.

    Examples
    --------
    >>> stacked([(0, 2), (1, 3), (2.5, 4)])
    [0, 1, 0]
    """
    taken: list[float] = []  # right end of the last span on each level
    level = [0] * len(spans)
    for index in sorted(range(len(spans)), key=lambda index: spans[index]):
        left, right = spans[index]
        free = [row for row, end in enumerate(taken) if end < left]
        level[index] = free[0] if free else len(taken)
        if free:
            taken[free[0]] = right
        else:
            taken.append(right)
    return level
