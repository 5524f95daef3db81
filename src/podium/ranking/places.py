"""From Kemeny consensus orders to scores, in which systems that no majority parts share their places."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from podium.ranking.kemeny import Consensus
from podium.ranking.pooling import majority

__all__ = ["consensus_places", "places"]

Floats = NDArray[np.float64]


def places(order: NDArray[np.int64], preference: Floats) -> Floats:
    """Score each system by the share of the others placed below it, (N − place) / (N − 1).

    Neighbours of the order none of whom has a majority over another may stand in any order, and share the mean of
    their places; so systems with the same scores on every ballot share theirs.

    Parameters
    ----------
    order
        Shape `(N,)`: a consensus order of indices, best first.
    preference
        Shape `(N, N)`, as of `preferences`.

    Examples
    --------
    >>> places(np.array([2, 0, 1]), np.array([[0, 1, 0], [1, 0, 0], [2, 2, 0.0]]))
    array([0.25, 0.25, 1.  ])
    """
    n_systems = order.size
    beats = majority(preference)
    undecided = ~(beats | beats.T)
    score = np.empty(n_systems)
    first = 0
    for place in range(1, n_systems + 1):
        if place < n_systems and undecided[order[first:place], order[place]].all():
            continue
        score[order[first:place]] = 1 - (first + place - 1) / 2 / max(n_systems - 1, 1)
        first = place
    return score


def consensus_places(preference: Floats, solve: Callable[[Floats], Consensus]) -> Floats:
    """Scores as of `places`, by the consensus of every replicate.

    Where majorities contradict each other nowhere, the consensus is to follow them, and no search is needed: that is
    so if i has a majority over j exactly where i has more majorities, less those against it, than j.

    Parameters
    ----------
    preference
        Shape `(N, N, B)`, as of `preferences`.
    solve
        Finds the consensus of one matrix.

    Returns
    -------
    Shape `(N, B)`.

    Examples
    --------
    >>> consensus_places(np.array([[0, 1, 0], [1, 0, 0], [2, 2, 0.0]])[..., None], solve=None)[:, 0]
    array([0.25, 0.25, 1.  ])
    """
    n_systems = len(preference)
    beats = majority(preference)
    net = beats.sum(axis=1) - beats.sum(axis=0)
    score: Floats = (1 + net / max(n_systems - 1, 1)) / 2
    plain = ((net[:, None] > net[None]) == beats).all(axis=(0, 1))
    for b in np.flatnonzero(~plain):
        matrix = np.ascontiguousarray(preference[..., b])
        score[:, b] = places(solve(matrix).order, matrix)
    return score
