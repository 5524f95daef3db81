"""Ballots of tasks, pooled to one box or to a vote for each task; and who is preferred by them, by majority."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from podium.ranking.exact_sum import exact_sum
from podium.score.place import ROUNDING
from podium.tally.duel import Duels

Floats = NDArray[np.float64]

Bools = NDArray[np.bool_]

Groups = tuple[tuple[int, ...], ...]

#: How a missing score counts: at its expectation; not at all; at its expectation, and a system without any score on a
#: task is ranked inside it all the same; at its expectation by a model of strengths; or so, and in any way it might.
Missing = Literal["imputed", "direct", "placed", "model", "bounds"]


def pool_one_level(duels: Sequence[Duels], weights: Floats) -> Duels:
    """All ballots of all tasks in one box: Σ_t w_t Duels_t; a task weighs as many instances as it has.

    The matrix of Himmi et al. 2023, §2.2.2, before its columns are summed.

    Parameters
    ----------
    duels
        One tally per task, each possibly of replicates.
    weights
        Shape `(T,)` or `(T, B)`: task weights, ≥ 0.

    Examples
    --------
    >>> one = Duels(np.array([[0.0, 1.0], [0.0, 0.0]]), np.zeros((2, 2)), np.zeros((2, 2)), 1.0)
    >>> pool_one_level([one, one], np.array([1.0, 2.0])).wins
    array([[0., 3.],
           [0., 0.]])
    """
    return Duels(
        _summed([task.wins for task in duels], weights),
        _summed([task.ties for task in duels], weights),
        _summed([task.imputed for task in duels], weights),
        exact_sum(weights * np.array([task.weight for task in duels])),
    )


def pool_balanced(duels: Sequence[Duels], weights: Floats) -> Duels:
    """All ballots in one box, those of a task together weighing what the task weighs: Σ_t w_t c / n_t Duels_t.

    n_t is the number of ballots of task t, and c = Σ_t w_t n_t / Σ_t w_t their mean, so that the box holds about as
    many ballots as there are; where all tasks have the same number, this is `pool_one_level`.

    Parameters
    ----------
    duels
        One tally per task, each possibly of replicates.
    weights
        Shape `(T,)` or `(T, B)`: task weights, ≥ 0.

    Examples
    --------
    >>> many = Duels(np.array([[0.0, 3.0], [0.0, 0.0]]), np.zeros((2, 2)), np.zeros((2, 2)), 3.0)
    >>> few = Duels(np.array([[0.0, 0.0], [1.0, 0.0]]), np.zeros((2, 2)), np.zeros((2, 2)), 1.0)
    >>> pool_balanced([many, few], np.ones(2)).wins
    array([[0., 2.],
           [2., 0.]])
    """
    return pool_one_level(duels, balanced_weights(duels, weights))


def balanced_weights(duels: Sequence[Duels], weights: Floats) -> Floats:
    """Shape of `weights`: what a ballot of each task weighs in `pool_balanced`."""
    ballots = np.array([task.weight for task in duels])
    weights, ballots = np.broadcast_arrays(weights, ballots)
    total = weights.sum(axis=0)
    mean = np.divide((weights * ballots).sum(axis=0), total, out=np.zeros_like(total), where=total > 0)
    return weights * shared_out(mean, ballots)


def shared_out(weights: Floats, ballots: Floats) -> Floats:
    """What each ballot of a task weighs if they share the weight of the task; 0 where it has none.

    >>> shared_out(np.array([1.0, 1.0]), np.array([4.0, 0.0]))
    array([0.25, 0.  ])
    """
    weights, ballots = np.broadcast_arrays(weights, ballots)
    each: Floats = np.divide(weights, ballots, out=np.zeros(weights.shape), where=ballots > 0)
    return each


def pool_two_level(duels: Sequence[Duels], weights: Floats, *, scored: Bools, missing: Missing) -> Duels:
    """Every task casts one vote on every pair, decided by the majority of its ballots; every task weighs the same.

    Inside task t, i beats j if P_t[i, j] > P_t[j, i] with P_t as of `preferences`; the vote is a win of weight w_t,
    or a tie where the two are equal. The two levels of Colombo et al. 2022, §3.3, with the majority on pairs in
    place of Borda. A task that has no score of a system, or compares a pair on no ballot, casts no vote on the pair if
    `missing` is "direct"; otherwise it then stands at half a win for each.

    Parameters
    ----------
    duels
        One tally per task, each possibly of replicates.
    weights
        Shape `(T,)` or `(T, B)`: task weights, ≥ 0.
    scored
        Shape `(T, N)` or `(T, N, B)`: whether a task has any score of a system.
    missing
        How ballots that do not score both systems count inside a task, see `preferences`.

    Examples
    --------
    >>> many = Duels(np.array([[0.0, 90.0], [9.0, 0.0]]), np.zeros((2, 2)), np.zeros((2, 2)), 99.0)
    >>> few = Duels(np.array([[0.0, 0.0], [1.0, 0.0]]), np.zeros((2, 2)), np.zeros((2, 2)), 1.0)
    >>> pool_two_level([many, few], np.ones(2), scored=np.ones((2, 2), dtype=np.bool_), missing="direct").wins
    array([[0., 1.],
           [1., 0.]])
    """
    votes = [_vote(task, there, missing) for task, there in zip(duels, scored, strict=True)]
    return pool_one_level(votes, weights)


def _vote(task: Duels, scored: Bools, missing: Missing) -> Duels:
    """One ballot out of many, that leaves out systems without a score."""
    preference = preferences(task, missing)
    preference = np.where(scored[:, None] & scored, preference, 0.0)
    against = preference.swapaxes(0, 1)
    wins = majority(preference)
    voted = preference + against > 0
    others = ~np.eye(len(wins), dtype=np.bool_)
    others = others if wins.ndim == 2 else others[:, :, None]
    ties = voted & ~wins & ~wins.swapaxes(0, 1) & others
    imputed = np.where(voted | ~others, 0.0, 0.5)
    return Duels(wins.astype(np.float64), ties.astype(np.float64), imputed, np.ones(wins.shape[2:]))


def _summed(matrices: Sequence[Floats], weights: Floats) -> Floats:
    """Weighted sum over tasks, where there are replicates for each."""
    total = np.zeros(np.broadcast_shapes(matrices[0].shape, weights.shape[1:]))
    for matrix, weight in zip(matrices, weights, strict=True):
        total += weight * matrix
    return total


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
