"""Who is preferred to whom, by majority; and the groups of systems that reach each other by results."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from podium.score.place import ROUNDING
from podium.tally.duel import Duels

Floats = NDArray[np.float64]

Bools = NDArray[np.bool_]

Groups = tuple[tuple[int, ...], ...]

#: How a ballot counts a pair if it does not score both systems: as its expectation, or not at all.
Missing = Literal["imputed", "direct"]

MISSING: tuple[Missing, ...] = ("imputed", "direct")


def preferences(duels: Duels, missing: Missing) -> Floats:
    """How often i is preferred to j, shape `(N, N)` or `(N, N, B)`; a tie counts half for each; zero diagonal.

    Parameters
    ----------
    duels
        Of one task, or pooled.
    missing
        "imputed": a ballot that does not score both counts at its expectation over all rankings compatible with it
        (Himmi et al. 2023, §2.2.1), so that P[i, j] + P[j, i] is the weight of all ballots. "direct": it counts not
        at all, so that the sum is the weight of the ballots that score both, and 0 for a pair never compared.

    Examples
    --------
    >>> win = np.array([[0.0, 2.0], [1.0, 0.0]])
    >>> preferences(Duels(win, np.zeros((2, 2)), np.array([[0.0, 0.5], [0.5, 0.0]]), 4.0), "imputed")
    array([[0. , 2.5],
           [1.5, 0. ]])
    """
    return duels.expected if missing == "imputed" else duels.wins + duels.ties / 2


def majority(preference: Floats) -> Bools:
    """Shape of `preference`: whether i is preferred to j more often than j to i.

    Counts that differ by at most 1e-12 of their sum differ by rounding only, and neither has the majority.

    Parameters
    ----------
    preference
        Shape `(N, N)` or `(N, N, B)`, as of `preferences`.

    Examples
    --------
    >>> majority(np.array([[0.0, 0.1 + 0.2], [0.3, 0.0]])).any()
    np.False_
    """
    against = preference.swapaxes(0, 1)
    return preference - against > ROUNDING * (preference + against)


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
