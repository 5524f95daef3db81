"""Where majorities split systems into groups: every best order keeps the order of the groups."""

import numpy as np
from numpy.typing import NDArray

from podium.ranking.orders import transitive

__all__ = ["components"]

Floats = NDArray[np.float64]
Order = NDArray[np.int64]


def components(majorities: Floats) -> list[Order]:
    """Return the strongly connected components of the graph of strict majorities, best first.

    Placed one after the other they go against no majority between two of them, so that each can be ordered by
    itself (the extended Condorcet criterion, Truchon 1998). Components that no majority orders are placed by how
    many systems they reach, then by their first system.

    Parameters
    ----------
    majorities
        Shape `(N, N)`: positive where i beats j.

    Returns
    -------
    list of arrays
        Indices of each component, ascending.

    Examples
    --------
    >>> components(np.array([[0, 1, 0], [0, 0, 0], [1, 1, 0.0]]))
    [array([2]), array([0]), array([1])]
    """
    reach = transitive(majorities > 0) | np.eye(len(majorities), dtype=bool)
    first = np.argmax(reach & reach.T, axis=1)
    # Whoever reaches another component reaches all that it reaches, and more.
    firsts = sorted(set(first.tolist()), key=lambda index: (-int(reach[index].sum()), index))
    return [np.flatnonzero(first == index) for index in firsts]
