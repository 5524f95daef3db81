"""Whether pairwise results pin down strengths at all."""

import numpy as np
from numpy.typing import NDArray

from podium.errors import NoMaximumError
from podium.ranking.components import strong_components, weak_components

__all__ = ["check_maximum"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def check_maximum(wins: Floats, ties: Floats) -> None:
    """Check that the likelihood of Davidson's model has a maximum, which then is the only one.

    Draw an edge from i to j where i beat or tied with j at least once. There is a maximum if and only if

    - every system reaches every other along edges (Ford 1957): otherwise some group never loses to or ties with the
      rest, and the gap between them can grow without making any result less likely; and,
    - where there are ties, some cycle of edges has more wins than ties: otherwise there are strengths by which every
      winner is ahead by 2 log ν or more and no tied pair is further apart, and these can be scaled up without end
      together with log ν. Two systems that beat each other are such a cycle.

    Both follow from the likelihood being concave and every term bounded: there is a maximum unless along some
    direction no term falls; the second condition is the absence of a positive cycle in the difference constraints
    of the directions in which ν grows.

    Parameters
    ----------
    wins, ties
        Shape `(N, N)`: numbers of comparisons, only whether they are positive matters.

    Raises
    ------
    NoMaximumError
        With the groups, as indices.

    Examples
    --------
    >>> check_maximum(np.array([[0.0, 1.0], [1.0, 0.0]]), np.zeros((2, 2)))
    """
    won, tied = wins > 0, ties > 0
    groups = strong_components(won | tied)
    if len(groups) > 1:
        apart = weak_components(won | tied)
        raise NoMaximumError(apart if len(apart) > 1 else groups, meet=len(apart) == 1)
    if tied.any() and not _outweighed(won, tied):
        raise NoMaximumError(groups, meet=True)


def _outweighed(won: Bools, tied: Bools) -> bool:
    """Whether some cycle has more wins than ties: heights with a step up for a win, down for a tie, never settle."""
    if (won & won.T).any() or len(strong_components(won)) < len(won):
        return True
    height = np.zeros(len(won))
    for _ in range(len(won)):
        over_beaten = np.where(won, height + 1, -np.inf).max(axis=1)
        near_tied = np.where(tied, height - 1, -np.inf).max(axis=1)
        higher = np.maximum.reduce([height, over_beaten, near_tied])
        if (higher == height).all():
            return False
        height = higher
    return True
