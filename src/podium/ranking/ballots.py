"""Ballots of tasks and of instances, pooled to one box or to a vote for each task, and who is preferred by them.

Sums over tasks are rounded once, whatever their order, so that no rank depends on it.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Bools, Floats, Ints
from podium.score.place import ROUNDING, places
from podium.tally.duel import Duels
from podium.tally.position import expected_ranks

#: Products of weights and terms that are made at a time.
_PRODUCTS = 2**23

#: Numbers that are looked at at a time, so few that they stay near the processor.
_LOOKED_AT = 2**15

#: Systems whose sums are made at a time, where there are many.
_SYSTEMS = 64

#: Parts into which terms are cut at most; scores of one scale need two or three.
_PARTS = 6

Groups = tuple[tuple[int, ...], ...]

#: Ballots that can be counted: one per task; all instances in one box; the same, tasks weighing alike; or instances
#: inside each task, whose result is the ballot of the task.
Level = Literal["task", "one", "balanced", "two"]

#: How a missing score counts: at its expectation; not at all; at its expectation, and a system without any score on a
#: task is ranked inside it all the same; at its expectation by a model of strengths; or so, and in any way it might.
Missing = Literal["imputed", "direct", "placed", "model", "bounds"]

#: Means that are ranked together, which saves calls where tables are small.
_AT_ONCE = 2**16

#: Numbers in the matrices of all ballots, above which no matrix is made for each.
_MATRICES = 2**23

#: Ballots that a byte can count.
_COUNTED_AT_ONCE = 255

#: Ballots of a weight that are counted one by one, as matrices of all systems would take longer.
_FEW = 8

#: Comparisons, of pairs on tasks, that are held at a time.
_IN_MEMORY = 2**22


def pool_one_level(duels: Sequence[Duels], weights: Floats) -> Duels:
    """Return all ballots of all tasks in one box: Σ_t w_t Duels_t; a task weighs as many instances as it has.

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
    wins, ties, imputed = (
        _summed([getattr(task, name) for task in duels], weights) for name in ("wins", "ties", "imputed")
    )
    return Duels(wins, ties, imputed, exact_sum(weights * np.array([task.weight for task in duels])))


def pool_balanced(duels: Sequence[Duels], weights: Floats) -> Duels:
    """Return all ballots in one box, those of a task together weighing what the task weighs: Σ_t w_t c / n_t Duels_t.

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
    """Return what each ballot of a task weighs if they share the weight of the task; 0 where it has none.

    >>> shared_out(np.array([1.0, 1.0]), np.array([4.0, 0.0]))
    array([0.25, 0.  ])
    """
    weights, ballots = np.broadcast_arrays(weights, ballots)
    return np.divide(weights, ballots, out=np.zeros(weights.shape), where=ballots > 0)


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
    """Return one ballot out of many, that leaves out systems without a score."""
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
    """Return the weighted sum over tasks, where there are replicates for each."""
    total = np.zeros(np.broadcast_shapes(matrices[0].shape, weights.shape[1:]))
    for matrix, weight in zip(matrices, weights, strict=True):
        total += weight * matrix
    return total


def preferences(duels: Duels, missing: Missing) -> Floats:
    """Return how often i is preferred to j, shape `(N, N)` or `(N, N, B)`; a tie counts half for each; zero diagonal.

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
    # A group that reaches another reaches all that the other reaches, and more.
    firsts = sorted(set(first.tolist()), key=lambda index: (-int(reach[index].sum()), index))
    return tuple(tuple(np.flatnonzero(first == index).tolist()) for index in firsts)


def weak_components(edges: Bools) -> Groups:
    """Return the largest groups connected by edges of either direction, by their first index.

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


def evened(means: Floats, scale: Floats | None) -> Floats:
    """Give means of a task that differ by rounding only one value, the best of the place they share.

    Parameters
    ----------
    means, scale
        As for `task_ranks`.

    Examples
    --------
    >>> evened(np.array([[0.1 + 0.2, 0.3, 0.2]]), np.ones((1, 3)))[0, :2].tolist()
    [0.30000000000000004, 0.30000000000000004]
    """
    if scale is None:
        return means
    by_system = means.swapaxes(0, 1)  # tasks and replicates are columns
    tolerance = ROUNDING * np.broadcast_to(scale.swapaxes(0, 1), by_system.shape)
    place = places(by_system, tolerance=tolerance).reshape(len(by_system), -1)
    column = np.broadcast_to(np.arange(place.shape[1]), place.shape)
    best = np.full((place.shape[0] + 1, place.shape[1]), np.nan)  # the last row is for place −1
    np.fmax.at(best, (place, column), by_system.reshape(place.shape))
    best[-1] = np.nan
    return best[place, column].reshape(by_system.shape).swapaxes(0, 1)


def task_ranks(means: Floats, *, tolerance: float, scale: Floats | None) -> Floats:
    """Shape of `means`: expected ranks on the ballots of the tasks, as of `podium.tally.position.expected_ranks`.

    Parameters
    ----------
    means
        Shape `(T, N)`: task means, higher is better, NaN where the system has no score; or `(T, N, B)`, which makes a
        ballot of each replicate.
    tolerance
        Means no further apart than this tie, in the units of the metrics.
    scale
        Shape of `means`: size of the scores behind each mean, to which its rounding error is proportional; means
        within 1e-12 of it tie too. None where the scores are as given and carry no such error.

    Examples
    --------
    >>> task_ranks(np.array([[3.0, 2.0, np.nan], [0.1 + 0.2, 0.3, 0.0]]), tolerance=0.0, scale=np.ones((2, 3)))
    array([[1.33333333, 2.66666667, 2.        ],
           [1.5       , 1.5       , 3.        ]])
    """
    ranks = np.empty(means.shape)
    size = max(_AT_ONCE // means[0].size, 1)
    for start in range(0, len(means), size):
        some = slice(start, start + size)
        ballots = evened(means[some], None if scale is None else scale[some]).swapaxes(0, 1)
        expected = expected_ranks(ballots.reshape(len(ballots), -1), tolerance)
        ranks[some] = expected.reshape(ballots.shape).swapaxes(0, 1)
    return ranks


def task_duels(means: Floats, *, tolerance: float, scale: Floats | None) -> list[Duels]:
    """Duels of every task's one ballot; each replicate has its own.

    Parameters
    ----------
    means, tolerance, scale
        As for `task_ranks`.

    Examples
    --------
    >>> ballot, = task_duels(np.array([[3.0, 2.0, np.nan]]), tolerance=0.0, scale=None)
    >>> ballot.expected[:, 2].round(2)
    array([0.67, 0.33, 0.  ])
    """
    shape = (means.shape[1], *means.shape[1:])
    duels = []
    for ballot in evened(means, scale):
        found = _compared(ballot.reshape(len(ballot), -1), tolerance)
        wins, ties, imputed = (matrix.reshape(shape) for matrix in found)
        duels.append(Duels(wins, ties, imputed, np.ones(means.shape[2:])))
    return duels


def _compared(values: Floats, tolerance: float) -> tuple[Floats, Floats, Floats]:
    """Return wins, ties and imputed wins of each ballot, the columns of `(N, B)`, by itself."""
    n_systems = values.shape[0]
    scored = ~np.isnan(values)
    left, right = scored[:, None], scored[None]
    wins = values[:, None] > values[None] + tolerance
    ties = left & right & ~wins & ~wins.swapaxes(0, 1)
    shares = expected_ranks(values, tolerance) / (n_systems + 1)
    one = np.where(right, shares[None], 1 - shares[:, None])
    imputed = np.where(left & right, 0.0, np.where(left | right, one, 0.5))
    ties[np.diag_indices(n_systems)] = False
    imputed[np.diag_indices(n_systems)] = 0.0
    return wins.astype(np.float64), ties.astype(np.float64), imputed


def pool_task_level(
    means: Floats,
    weights: Floats,
    *,
    tolerance: float,
    scale: Floats | None,
    direct: bool = False,
    ranks: Callable[[], Floats] | None = None,
) -> Duels:
    """Return one ballot per task, made of the task means, in one box.

    Parameters
    ----------
    means, tolerance, scale
        Task means of shape `(T, N)` or `(T, N, B)`, and when two of them tie, as for `task_ranks`.
    weights
        Shape `(T,)` or `(T, B)`: task weights, ≥ 0.
    direct
        Whether nothing need be imputed, as only ballots that score both systems of a pair will count.
    ranks
        Gives `task_ranks` of the means, where these are kept; by default they are made.

    Examples
    --------
    >>> pool_task_level(np.array([[3.0, 2.0], [1.0, 1.0]]), np.ones(2), tolerance=0.0, scale=None).expected
    array([[0. , 1.5],
           [0.5, 0. ]])
    """
    if weights.ndim > 1 or means.size * means.shape[1] <= _MATRICES:
        return pool_one_level(task_duels(means, tolerance=tolerance, scale=scale), weights)
    expected = ranks() if ranks is not None else task_ranks(means, tolerance=tolerance, scale=scale)
    wins, ties = _decided(evened(means, scale), expected, weights, tolerance)
    imputed = np.zeros_like(wins) if direct else _imputed(expected, np.isnan(means), weights)
    return Duels(wins, ties, imputed, exact_sum(weights))


def pool_scored(
    means: Floats, weights: Floats, *, tolerance: float, scale: Floats | None, ranks: Callable[[], Floats] | None = None
) -> Duels:
    """Duels of the ballots of tasks in one box, of scored systems only: nothing is imputed.

    The cost is that of the pairs that a task scores, and not of all pairs.

    Parameters
    ----------
    means, tolerance, scale, weights, ranks
        As for `pool_task_level`.

    Examples
    --------
    >>> pool_scored(np.array([[3.0, 2.0, np.nan]]), np.ones(1), tolerance=0.0, scale=None).expected
    array([[0., 1., 0.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    replicates = np.broadcast_shapes(means.shape[2:], weights.shape[1:])
    shape = (means.shape[1], means.shape[1], *replicates)
    ballots, columns = evened(means, scale), weights.reshape(len(weights), -1)
    if math.prod(replicates) == 1:
        expected = ranks() if ranks is not None else task_ranks(means, tolerance=tolerance, scale=scale)
        flat = means.shape[:2]
        wins, ties = _decided(ballots.reshape(flat), expected.reshape(flat), columns[:, 0], tolerance)
    else:
        wins, ties = _decided_in_replicates(ballots.reshape(*means.shape[:2], -1), columns, tolerance)
    return Duels(wins.reshape(shape), ties.reshape(shape), np.zeros(shape), exact_sum(weights))


def _decided(ballots: Floats, ranks: Floats, weights: Floats, tolerance: float) -> tuple[Floats, Floats]:
    """Shape `(N, N)` each: weight of the ballots `(T, N)` that prefer i to j, and of those in which they tie."""
    n_systems = ballots.shape[1]
    wins, ties = np.zeros((2, n_systems, n_systems))
    distinct, kind, number = np.unique(weights, return_inverse=True, return_counts=True)
    for index in np.flatnonzero(number > _FEW):
        won, met = _numbers(ballots, ranks, np.flatnonzero(kind == index), tolerance)
        wins += distinct[index] * won
        ties += distinct[index] * (met - won - won.T)
    for index in np.flatnonzero(number[kind] <= _FEW):
        one = slice(index, index + 1)
        there = np.flatnonzero(~np.isnan(ballots[index]))
        points = _points(ballots[one], ranks[one], tolerance)[0, there]
        won = points[:, None] > points + tolerance
        both = (there[:, None] * n_systems + there).ravel()  # in one dimension, which is three times as fast
        wins.reshape(-1)[both] += weights[index] * won.ravel()
        ties.reshape(-1)[both] += weights[index] * ~(won | won.T).ravel()
    np.fill_diagonal(ties, 0.0)
    return wins, ties


def _numbers(ballots: Floats, ranks: Floats, some: Ints, tolerance: float) -> tuple[Floats, Floats]:
    """Shape `(N, N)` each: how many of some ballots prefer i to j, and how many score both."""
    n_systems = ballots.shape[1]
    total, met = np.zeros((2, n_systems, n_systems))
    for first in range(0, some.size, _COUNTED_AT_ONCE):
        run = some[first : first + _COUNTED_AT_ONCE]
        scored = ~np.isnan(ballots[run])
        won = np.zeros((n_systems, n_systems), dtype=np.uint8)
        for points, row in zip(_points(ballots[run], ranks[run], tolerance), scored, strict=True):
            there = np.flatnonzero(row)
            won[there] += points[there, None] > (points + tolerance if tolerance else points)
        total += won
        met += scored.T.astype(np.float64) @ scored.astype(np.float64)  # whole numbers, exact in any order
    return total, met


def _points(ballots: Floats, ranks: Floats, tolerance: float) -> NDArray[Any]:
    """Numbers in the order of scores, missing ones above all; where only equal scores tie, small whole numbers."""
    missing = np.isnan(ballots)
    if tolerance:
        return np.where(missing, np.inf, ballots)
    n_systems = ranks.shape[1]
    ends = n_systems + 1 - np.count_nonzero(missing, axis=1)[:, None]
    twice = np.rint(ranks * (2 * ends / (n_systems + 1)))  # midranks may be halves
    return np.where(missing, 1, -twice).astype(np.int16 if 2 * n_systems < 2**15 else np.int32)


def _decided_in_replicates(ballots: Floats, weights: Floats, tolerance: float) -> tuple[Floats, Floats]:
    """Shape `(N, N, B)` each: the same in replicates, which weigh ballots anew or have ballots of their own."""
    n_systems = ballots.shape[1]
    wins, met = np.zeros((2, n_systems, n_systems, max(ballots.shape[2], weights.shape[1])))
    scored = ~np.isnan(ballots)
    if ballots.shape[2] > 1:
        for ballot, there, weight in zip(ballots, scored, weights, strict=True):
            wins += weight * (ballot[:, None] > ballot + tolerance)
            met += weight * (there[:, None] & there)
    else:
        at_once = max(_IN_MEMORY // n_systems**2, 1)
        for first in range(0, len(ballots), at_once):
            some = np.s_[first : first + at_once]
            row, there, weight = ballots[some, :, 0], scored[some, :, 0], weights[some]
            wins += np.tensordot((row[:, :, None] > row[:, None] + tolerance).astype(np.float64), weight, axes=(0, 0))
            met += np.tensordot((there[:, :, None] & there[:, None]).astype(np.float64), weight, axes=(0, 0))
    ties = np.maximum(met - wins - wins.swapaxes(0, 1), 0.0)
    ties[np.diag_indices(n_systems)] = 0.0
    return wins, ties


def _imputed(ranks: Floats, missing: Bools, weights: Floats) -> Floats:
    """Shape `(N, N)`: expected wins on the ballots `(T, N)` that do not score both; equal patterns are one term."""
    n_systems = ranks.shape[1]
    chances = np.where(missing, 0.0, ranks / (n_systems + 1))
    groups = that_score_the_same(~missing)
    first = np.array([group[0] for group in groups])
    # Of the ballots of a group, added up: their weight, and the chances that an unscored system is above each scored.
    mass, above, absent = weights[first, None], weights[first, None] * chances[first], missing[first].astype(np.float64)
    for index, group in enumerate(groups):
        if group.size > 1:
            mass[index], above[index] = exact_sum(weights[group]), exact_sum(weights[group, None] * chances[group])
    # Of a pair: the first unscored and the second scored, at its chance or at all; and both unscored.
    at_chance, one, neither = (
        weighted_sum(absent, terms[..., None]).T for terms in (above, mass * (1 - absent), mass * absent)
    )
    imputed: Floats = at_chance + (one - at_chance).T + neither / 2
    np.fill_diagonal(imputed, 0.0)
    return imputed


def that_score_the_same(scored: Bools) -> list[Ints]:
    """Group ballots, the rows of `(T, N)`, that score the same systems; groups are in the order of their first ones.

    >>> that_score_the_same(np.array([[True, True], [True, False], [True, True]]))
    [array([0, 2]), array([1])]
    """
    groups: dict[bytes, list[int]] = {}
    for index, ballot in enumerate(np.packbits(scored, axis=1)):
        groups.setdefault(ballot.tobytes(), []).append(index)
    return [np.array(group) for group in groups.values()]


def exact_sum(terms: Floats) -> Floats:
    """Sum over the first axis, with the rounding errors of all steps added at the end (Neumaier 1974).

    The error of a step is that of Knuth's two-sum, which need not know the larger term.

    Parameters
    ----------
    terms
        Shape `(T, …)`; a sum that overflows on the way is infinite.

    Examples
    --------
    >>> exact_sum(np.array([[1e16], [1.0], [-1e16]]))
    array([1.])
    """
    if _halves(terms):
        plain: Floats = terms.sum(axis=0) + 0.0  # one zero, not two
        return plain[()]
    total = np.zeros(terms.shape[1:])
    lost = np.zeros(terms.shape[1:])
    with np.errstate(over="ignore", invalid="ignore"):
        for term in terms:
            raised = total + term
            part = raised - total
            lost += (total - (raised - part)) + (term - part)
            total = raised
        result: Floats = np.where(np.isfinite(total), total + lost, np.where(np.isnan(total), np.inf, total))
    return result[()]


def _halves(terms: Floats) -> bool:
    """Return whether all terms are halves, as midranks are, so small that no sum of them is rounded in any order."""
    most = 2**53 / max(len(terms), 1)
    size = max(_LOOKED_AT // max(terms[:1].size, 1), 1)
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(terms), size):  # the first few nearly always tell; and so there are no large arrays
            doubled = 2 * terms[start : start + size]
            if not (doubled == np.rint(doubled)).all() or not np.abs(doubled).max(initial=0.0) < most:
                return False
    return True


def weighted_sum(weights: Floats, terms: Floats) -> Floats:
    """Return Σ_t w_t x_t: `exact_sum` of all products.

    Where many replicates draw the same tasks, this is a product of matrices. Terms are cut into a few parts of so few
    digits that no sum of a part is rounded, in whatever order it is added.

    Parameters
    ----------
    weights
        Shape `(T,)` or `(T, B)`: task weights, ≥ 0.
    terms
        Shape `(T, N)`, or with replicates `(T, N, B)` or `(T, N, 1)`.

    Examples
    --------
    >>> weighted_sum(np.array([1.0, 2.0]), np.array([[0.5, 3.0], [0.25, 1.0]]))
    array([1., 5.])
    """
    if terms.shape[2:] != (1,) or weights.size * terms.shape[1] <= _PRODUCTS:
        return exact_sum(terms if weights.ndim == 1 and (weights == 1).all() else spread(weights) * terms)
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where there is work

    with threadpool_limits(limits=1, user_api="blas"):  # threads would wait for each other on a busy machine
        return _by_products(weights, terms)


def _by_products(weights: Floats, terms: Floats) -> Floats:
    values, usual = terms[..., 0], weights.max(axis=1)
    whole = bool((weights == np.rint(weights)).all())
    if not whole and bool(((weights == 0) | (weights == usual[:, None])).all()):
        # tasks stay or are left out: a task that stays weighs the same in all replicates, and is multiplied once
        values, whole = usual[:, None] * values, True
        weights = (weights > 0).astype(np.float64)
    largest = float(weights.sum(axis=0).max())
    total = np.empty((terms.shape[1], weights.shape[1]))
    for start in range(0, len(total), _SYSTEMS):
        some = values[:, start : start + _SYSTEMS]
        parts = _parts(some, largest) if whole else None
        if parts is None:
            size = max(_PRODUCTS // some.size, 1)
            pieces = [weights[:, first : first + size] for first in range(0, weights.shape[1], size)]
            found = np.concatenate([exact_sum(spread(piece) * some[..., None]) for piece in pieces], axis=1)
        else:
            found = np.zeros((some.shape[1], weights.shape[1]))
            for part in reversed(parts):  # the least first
                found += part.T @ weights
        total[start : start + _SYSTEMS] = found
    return total


def _parts(terms: Floats, weight: float) -> list[Floats] | None:
    """Cut numbers into parts, the greatest first, whose sums with whole weights up to `weight` are exact; or None."""
    digits = 52 - math.frexp(weight)[1]
    parts: list[Floats] = []
    rest = terms
    while np.any(rest):
        unit = math.ldexp(1.0, max(math.frexp(float(np.abs(rest).max()))[1] - digits, -1000))
        if len(parts) == _PARTS or digits < 1 or not np.isfinite(rest).all():
            return None
        parts.append(np.rint(rest / unit) * unit)
        rest = rest - parts[-1]
    return parts


def spread(weights: Floats) -> Floats:
    """Give task weights `(T,)` or `(T, B)` an axis for the systems, to multiply `(T, N)` or `(T, N, B)`.

    Where there are replicates, weights and tallies both have their axis, of length 1 where all are the same.

    >>> spread(np.ones((3, 5))).shape
    (3, 1, 5)
    """
    return weights[:, None] if weights.ndim == 1 else weights[:, None, :]
