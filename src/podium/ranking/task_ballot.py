"""One ballot for every task, made of task means: its ranks, and the duels of all such ballots in one box."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.ranking.ballot import pool_one_level
from podium.ranking.exact_sum import exact_sum, weighted_sum
from podium.score.place import ROUNDING, places
from podium.tally.duel import Duels
from podium.tally.position import expected_ranks

Floats = NDArray[np.float64]

Bools = NDArray[np.bool_]

Ints = NDArray[np.int64]

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


def pool_task_level(
    means: Floats,
    weights: Floats,
    *,
    tolerance: float,
    scale: Floats | None,
    direct: bool = False,
    ranks: Callable[[], Floats] | None = None,
) -> Duels:
    """One ballot per task, made of the task means, in one box.

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
