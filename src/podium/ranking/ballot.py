"""Ballots of tasks, pooled to one box or to a vote for each task; and who is preferred by them, by majority."""

import math
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from podium.score.place import ROUNDING, places
from podium.score.table import Block
from podium.tally.duel import Duels
from podium.tally.position import expected_ranks

Floats = NDArray[np.float64]

Bools = NDArray[np.bool_]

Ints = NDArray[np.int64]

Groups = tuple[tuple[int, ...], ...]

#: How a missing score counts: at its expectation; not at all; at its expectation, and a system without any score on a
#: task is ranked inside it all the same; or at its expectation by a model of strengths.
Missing = Literal["imputed", "direct", "placed", "model"]


#: Products of weights and terms that are made at a time.
_PRODUCTS = 2**23

#: Comparisons that are held at a time, where many ballots score the same systems.
_COMPARED = 2**18

#: Numbers that are looked at at a time, so few that they stay near the processor.
_LOOKED_AT = 2**15

#: Weights of replicates that may differ from the usual ones for sums to be made of the differences.
_CHANGES = 2**16

#: Systems whose sums are made at a time, where there are many.
_SYSTEMS = 64

#: Parts into which terms are cut at most; scores of one scale need two or three.
_PARTS = 6


def task_ballots(means: Floats, *, tolerance: float, scale: Floats | None) -> list[Block]:
    """One ballot for every task: an instance on which every system scores its mean.

    Parameters
    ----------
    means
        Shape `(T, N)`: task means, higher is better, NaN where the system has no score; or `(T, N, B)`, which makes a
        ballot of each replicate.
    tolerance
        Means no further apart than this tie, in the units of the metrics.
    scale
        Shape that broadcasts to `means`: size of the scores behind each mean, to which its rounding error is
        proportional; means
        within 1e-12 of it tie too. None where the scores are as given and carry no such error.

    Examples
    --------
    >>> ballot, = task_ballots(np.array([[0.1 + 0.2, 0.3]]), tolerance=0.0, scale=np.ones((1, 2)))
    >>> bool(ballot.values[0, 0] == ballot.values[1, 0])
    True
    """
    n_systems = means.shape[1]
    ballots = evened(means, scale)
    return [Block(task, ballot.reshape(n_systems, -1), None, tolerance) for task, ballot in enumerate(ballots)]


def task_duels(means: Floats, *, tolerance: float, scale: Floats | None) -> list[Duels]:
    """Duels of every task's one ballot; each replicate has its own.

    Parameters
    ----------
    means, tolerance, scale
        As for `task_ballots`.

    Examples
    --------
    >>> ballot, = task_duels(np.array([[3.0, 2.0, np.nan]]), tolerance=0.0, scale=None)
    >>> ballot.expected[:, 2].round(2)
    array([0.67, 0.33, 0.  ])
    """
    shape = (means.shape[1], *means.shape[1:])
    duels = []
    for ballot in task_ballots(means, tolerance=tolerance, scale=scale):
        wins, ties, imputed = (matrix.reshape(shape) for matrix in _compared(ballot.values, tolerance))
        duels.append(Duels(wins, ties, imputed, np.ones(means.shape[2:])))
    return duels


def _compared(values: Floats, tolerance: float) -> tuple[Floats, Floats, Floats]:
    """Wins, ties and imputed wins of each ballot, the columns of `(N, B)`, by itself."""
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


def evened(means: Floats, scale: Floats | None) -> Floats:
    """Give means of a task that differ by rounding only one value, the best of the place they share.

    Parameters
    ----------
    means, scale
        As for `task_ballots`.

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


def pool_task_level(means: Floats, weights: Floats, *, tolerance: float, scale: Floats | None) -> Duels:
    """One ballot per task, made of the task means, in one box.

    Parameters
    ----------
    means, tolerance, scale
        Task means of shape `(T, N)` or `(T, N, B)`, and when two of them tie, as for `task_ballots`.
    weights
        Shape `(T,)` or `(T, B)`: task weights, ≥ 0.

    Examples
    --------
    >>> pool_task_level(np.array([[3.0, 2.0], [1.0, 1.0]]), np.ones(2), tolerance=0.0, scale=None).expected
    array([[0. , 1.5],
           [0.5, 0. ]])
    """
    if weights.ndim == 1 and means.size * means.shape[1] > _PRODUCTS:
        return _pool_many(evened(means, scale), weights, tolerance)
    return pool_one_level(task_duels(means, tolerance=tolerance, scale=scale), weights)


def _pool_many(ballots: Floats, weights: Floats, tolerance: float) -> Duels:
    """Pool many ballots `(T, N)` without a matrix for each; ballots that score the same systems are taken together."""
    n_systems = ballots.shape[1]
    missing = np.isnan(ballots)
    chances = np.where(missing, 0.0, expected_ranks(ballots.T, tolerance).T / (n_systems + 1))
    groups = that_score_the_same(~missing)
    wins, ties = np.zeros((2, n_systems, n_systems))
    # Of the ballots of a group, added up: their weight, and the chances that an unscored system is above each scored.
    mass, above = np.empty((len(groups), 1)), np.empty((len(groups), n_systems))
    absent = missing[[group[0] for group in groups]].astype(np.float64)
    for index, group in enumerate(groups):
        weight, scored = weights[group], np.flatnonzero(~missing[group[0]])
        mass[index], above[index] = exact_sum(weight), exact_sum(weight[:, None] * chances[group])
        won, tied = _decided(ballots[np.ix_(group, scored)], weight, tolerance)
        both = (scored[:, None] * n_systems + scored).ravel()  # in one dimension, which is three times as fast
        wins.reshape(-1)[both] += won.ravel()
        ties.reshape(-1)[both] += tied.ravel()
    np.fill_diagonal(ties, 0.0)
    # Of a pair: the first unscored and the second scored, at its chance or at all; and both unscored.
    first, one, neither = (
        weighted_sum(absent, terms[..., None]).T for terms in (above, mass * (1 - absent), mass * absent)
    )
    imputed = first + (one - first).T + neither / 2
    np.fill_diagonal(imputed, 0.0)
    return Duels(wins, ties, imputed, exact_sum(weights))


def that_score_the_same(scored: Bools) -> list[Ints]:
    """Group ballots, the rows of `(T, N)`, that score the same systems; groups are in the order of their first ones.

    >>> that_score_the_same(np.array([[True, True], [True, False], [True, True]]))
    [array([0, 2]), array([1])]
    """
    groups: dict[bytes, list[int]] = {}
    for index, ballot in enumerate(np.packbits(scored, axis=1)):
        groups.setdefault(ballot.tobytes(), []).append(index)
    return [np.array(group) for group in groups.values()]


def _decided(values: Floats, weights: Floats, tolerance: float) -> tuple[Floats, Floats]:
    """Shape `(k, k)` each: weight of the ballots `(T, k)`, without holes, that prefer i to j, and of those that tie."""
    n_systems = values.shape[1]
    wins, ties = np.empty((2, n_systems, n_systems))
    weight = weights[:, None, None]
    size = max(_COMPARED // max(values.size, 1), 1)
    for start in range(0, n_systems, size):
        some = slice(start, start + size)
        own, others = values[:, some, None], values[:, None]
        won = own > others + tolerance
        wins[some] = (weight * won).sum(axis=0)
        ties[some] = (weight * ~(won | (others > own + tolerance))).sum(axis=0)
    return wins, ties


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
    """Whether all terms are halves, as midranks are, so small that no sum of them is rounded in any order."""
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
        return exact_sum(spread(weights) * terms)
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where there is work

    with threadpool_limits(limits=1, user_api="blas"):  # threads would wait for each other on a busy machine
        return _by_products(weights, terms)


def _by_products(weights: Floats, terms: Floats) -> Floats:
    values, usual = terms[..., 0], weights.max(axis=1)
    if not _whole(weights) and bool(((weights == 0) | (weights == usual[:, None])).all()):
        # tasks stay or are left out: a task that stays weighs the same in all replicates, and is multiplied once
        values = usual[:, None] * values
        weights, usual = (weights > 0).astype(np.float64), (usual > 0).astype(np.float64)
    whole = _whole(weights)
    multiplied, largest = _multiplier(weights, usual)
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
                found += multiplied(part)
        total[start : start + _SYSTEMS] = found
    return total


def _whole(weights: Floats) -> bool:
    return bool((weights == np.rint(weights)).all())


def _multiplier(weights: Floats, usual: Floats) -> tuple[Callable[[Floats], Floats], float]:
    """Return what sums terms `(T, N)` by whole weights `(T, B)`, and the largest sum of weights that it makes.

    Terms are such that no sum of them is rounded. So where few weights are not the usual ones `(T,)`, the largest of
    each task, what these lack is subtracted from one sum for all replicates.
    """
    differs = weights != usual[:, None]
    if np.count_nonzero(differs) > _CHANGES:
        return lambda part: part.T @ weights, float(weights.sum(axis=0).max())
    replicate, task = np.nonzero(differs.T)
    lacks = (usual[task] - weights[task, replicate])[:, None]
    first = np.flatnonzero(np.diff(replicate, prepend=-1))

    def multiplied(part: Floats) -> Floats:
        found = np.repeat((part.T @ usual)[:, None], weights.shape[1], axis=1)
        if first.size:
            found[:, replicate[first]] -= np.add.reduceat(lacks * part[task], first, axis=0).T
        return found

    return multiplied, float(usual.sum())


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
