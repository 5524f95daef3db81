"""Groups of systems that reach each other by results: strongly connected components."""

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]

Groups = tuple[tuple[int, ...], ...]


def strong_components(edges: Bools) -> Groups:
    """Largest groups in which every system reaches every other along edges; no edge leads from a later to an earlier.

    Where edges are majorities, a best order of Kemeny keeps the order of the groups (the extended Condorcet
    criterion, Truchon 1998).

    Parameters
    ----------
    edges
        Shape `(N, N)`: whether there is an edge from i to j.

    Returns
    -------
    Groups of indices in topological order, those that reach more systems first, and equals by their first index.

    Examples
    --------
    >>> strong_components(np.array([[False, True, False], [True, False, False], [False, True, False]]))
    ((2,), (0, 1))
    """
    reach = transitive(edges) | np.eye(len(edges), dtype=np.bool_)
    first = np.argmax(reach & reach.T, axis=1)
    # Whoever reaches another group reaches all that it reaches, and more.
    firsts = sorted(set(first.tolist()), key=lambda index: (-int(reach[index].sum()), index))
    return tuple(tuple(np.flatnonzero(first == index).tolist()) for index in firsts)


def weak_components(edges: Bools) -> Groups:
    """Largest groups connected by edges of either direction, by their first index.

    Parameters
    ----------
    edges
        Shape `(N, N)`: whether there is an edge from i to j.

    Examples
    --------
    >>> weak_components(np.array([[False, True, False], [False, False, False], [False, False, False]]))
    ((0, 1), (2,))
    """
    return tuple(sorted(strong_components(edges | edges.T)))


def transitive(relation: Bools) -> Bools:
    """Return the transitive closure: all pairs joined by a path.

    >>> transitive(np.diag([True, True], 1))[0]
    array([False,  True,  True])
    """
    closed = relation.copy()
    # Warshall's way rather than products of matrices, whose threads wait for each other on a busy machine.
    for middle in range(len(closed)):
        closed |= closed[:, middle, None] & closed[middle]
    return closed
