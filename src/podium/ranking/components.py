"""Groups of systems that reach each other by results: strongly connected components."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["strong_components", "weak_components"]

Bools = NDArray[np.bool_]
Groups = tuple[tuple[int, ...], ...]


def strong_components(edges: Bools) -> Groups:
    """Largest groups in which every system reaches every other along edges; no edge leads from a later to an earlier.

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
    from scipy.sparse import csr_array  # noqa: PLC0415  # SciPy is slow to import
    from scipy.sparse.csgraph import breadth_first_order  # noqa: PLC0415  # the same

    graph = csr_array(edges)
    groups = _groups(graph, "strong")
    if len(groups) == 1:
        return groups
    reached = {group: breadth_first_order(graph, group[0], return_predecessors=False).size for group in groups}
    return tuple(sorted(groups, key=lambda group: (-reached[group], group)))


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
    from scipy.sparse import csr_array  # noqa: PLC0415  # SciPy is slow to import

    return tuple(sorted(_groups(csr_array(edges), "weak")))


def _groups(graph: object, connection: str) -> Groups:
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415  # SciPy is slow to import

    number, label = connected_components(graph, directed=True, connection=connection)
    return tuple(tuple(np.flatnonzero(label == group).tolist()) for group in range(number))
