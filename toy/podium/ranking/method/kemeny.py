"""Kemeny consensus: the order that contradicts the ballots least, with a proof."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError
from podium.ranking.ballot import majority
from podium.ranking.graph import strong_components
from podium.ranking.method.kemeny_search import Best, best_order, moved
from podium.score.place import levels

Floats = NDArray[np.float64]

Order = NDArray[np.int64]

#: Preferences, and costs, are the same if they differ by no more than this share of the largest preference.
_SAME = 1e-9

#: Finest unit looked for, as a share of the largest majority.
_FINEST = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Consensus:
    """An order, and how sure it is that there is no better one.

    Attributes
    ----------
    order
        Shape `(N,)`: indices, best first.
    cost
        Σ preferences[j, i] over i above j in the order: disagreements with the ballots, lower is better.
    lower_bound
        No order costs less.
    optimal
        Whether the order was proved to be a best one.
    alternative
        Shape `(N,)` or None: another order of the same cost.
    unique
        Whether there is none; None where that was not proved in time.

    Examples
    --------
    >>> consensus = kemeny(np.array([[0.0, 2.0], [1.0, 0.0]]))
    >>> consensus.order, consensus.cost, consensus.unique
    (array([0, 1]), 1.0, True)
    """

    order: Order
    cost: float
    lower_bound: float
    optimal: bool
    alternative: Order | None
    unique: bool | None

    @property
    def gap(self) -> float:
        """Share of the cost that a better order might save; 0 where the order was proved best."""
        return 0.0 if self.optimal else (self.cost - self.lower_bound) / self.cost


def kemeny(preferences: Floats, *, time_limit: float | None = None) -> Consensus:
    """Find an order of least cost Σ preferences[j, i] over i above j, exactly.

    Components of the strict-majority graph are ordered one by one (Truchon 1998) by branch and bound on the linear
    ordering polytope, with the triangle inequalities that are violated (Grötschel, Jünger and Reinelt 1984). Of
    several best orders, neighbours that can change places are put in order of their Borda score, then of their index.

    Where all majorities are whole multiples of one number, as with unweighted ballots, costs are compared exactly; else
    costs within 1e-9 of the largest preference count as equal.

    Parameters
    ----------
    preferences
        Shape `(N, N)`: (weighted) number of ballots that put i above j, ties counting half; ≥ 0, the diagonal is
        ignored. Missing scores are up to the caller: imputed as expected wins, or left out, so that
        `preferences + preferences.T` need not be the number of ballots.
    time_limit
        Seconds after which to return the best order found so far; what it is then depends on the machine.

    Raises
    ------
    MethodError
        `preferences` is not square, or holds a negative number or none; or `time_limit` is negative.

    Examples
    --------
    >>> consensus = kemeny(np.array([[0, 2, 0], [1, 0, 3], [3, 0, 0.0]]))
    >>> consensus.order, consensus.cost, consensus.unique
    (array([1, 2, 0]), 2.0, True)
    """
    deadline = np.inf if time_limit is None else time.perf_counter() + time_limit
    wins = _checked(preferences, time_limit)
    same = _SAME * float(wins.max(initial=0.0))
    borda = _by_borda(wins, same)
    # From here on systems are in Borda order, so that the order they came in does not matter.
    wins = wins[np.ix_(borda, borda)]
    majorities, unit, grain = _majorities(wins, same)
    # Multiples of a unit are exact; what is left is the rounding of bounds.
    tolerance = 1e-4 if grain else same / unit
    parts = [np.array(group) for group in strong_components(majorities > 0)]
    solved: list[Best] = [_single()] * len(parts)
    for index in sorted(range(len(parts)), key=lambda index: parts[index].size):
        if parts[index].size > 1:
            inner = majorities[np.ix_(parts[index], parts[index])]
            solved[index] = best_order(inner, grain=grain, tolerance=tolerance, deadline=deadline)
    joined = np.concatenate([part[best.order] for part, best in zip(parts, solved, strict=True)])
    order = _settled(joined, majorities)
    cost = _cost(wins, order)
    gap = unit * math.fsum(best.excess - best.bound for best in solved)
    other = _other(joined, order, majorities, parts, solved) if gap == 0 else None
    known = gap == 0 and all(best.unique is not None for best in solved)
    return Consensus(
        order=borda[order],
        cost=cost,
        lower_bound=cost - gap,
        optimal=gap == 0,
        alternative=None if other is None else borda[other],
        unique=False if other is not None else (True if known else None),
    )


def _checked(preferences: Floats, time_limit: float | None) -> Floats:
    """Own copy, without a diagonal."""
    wins = np.array(preferences, dtype=np.float64)
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1] or not wins.size:
        raise MethodError(f"preferences must be a square matrix of at least one system, not of shape {wins.shape}")
    np.fill_diagonal(wins, 0.0)
    if not (np.isfinite(wins).all() and (wins >= 0).all()):
        i, j = np.argwhere(~(np.isfinite(wins) & (wins >= 0)))[0]
        raise MethodError(f"preferences[{i}, {j}] is {wins[i, j]}; numbers of ballots are finite and not negative")
    if time_limit is not None and not time_limit >= 0:
        raise MethodError(f"time limit {time_limit} must be ≥ 0 seconds; give None for no limit")
    return wins


def _by_borda(wins: Floats, same: float) -> Order:
    """Indices by wins minus losses, best first, those that differ by rounding only by index."""
    net = np.array([math.fsum(row) for row in wins - wins.T])
    return np.argsort(levels(net, tolerance=same * len(net)), kind="stable")


def _majorities(wins: Floats, same: float) -> tuple[Floats, float, float]:
    """Majorities in a unit of their own, that unit, and the grain, 1 if all are whole multiples of it, else 0."""
    margins = wins - wins.T
    margins[np.abs(margins) <= same] = 0.0
    majorities = np.maximum(margins, 0.0)
    largest = float(majorities.max())
    unit = _common_unit(np.unique(majorities[majorities > 0]), same)
    if unit:
        whole = np.rint(majorities / unit)
        if np.abs(majorities - whole * unit).sum() < 1e-4 * unit:
            return whole, unit, 1.0
    return majorities / (largest or 1.0), largest or 1.0, 0.0


def _common_unit(sizes: Floats, same: float) -> float:
    """Largest number of which all are multiples but for rounding (Euclid); 0 if it is too small to be meant."""
    unit = 0.0
    for size in sizes.tolist():
        rest = size
        while rest > max(same, _FINEST * sizes[-1]):
            unit, rest = rest, abs(math.remainder(unit, rest))
        if unit < _FINEST * sizes[-1]:
            return 0.0
    # The largest is a multiple too, and has the smallest relative error.
    return float(sizes[-1] / round(sizes[-1] / unit)) if unit else 0.0


def _single() -> Best:
    """The order of one system."""
    return Best(np.zeros(1, dtype=np.int64), 0.0, 0.0, None, unique=True)


def _settled(order: Order, majorities: Floats) -> Order:
    """Let neighbours that no majority orders change places until they are in Borda order."""
    order = order.copy()
    tied = (majorities == 0) & (majorities.T == 0)
    place = 0
    while place < order.size - 1:
        left, right = order[place], order[place + 1]
        if left > right and tied[left, right]:
            order[place], order[place + 1] = right, left
            place = max(place - 1, 0)
        else:
            place += 1
    return order


def _other(joined: Order, order: Order, majorities: Floats, parts: list[Order], solved: list[Best]) -> Order | None:
    """Another order of the same cost, if one is known.

    If each component has one best order, and majorities decide all neighbours, there is none: any other order
    inverts two neighbours, of one component or of two, and so costs more.
    """
    if not np.array_equal(joined, order):
        return joined
    left, right = order[:-1], order[1:]
    tied = np.flatnonzero(majorities[left, right] == majorities[right, left])
    if tied.size:
        return moved(order, int(tied[0]), int(tied[0]) + 1)
    orders = [best.order if best.other is None else best.other for best in solved]
    another = np.concatenate([part[inner] for part, inner in zip(parts, orders, strict=True)])
    return None if np.array_equal(another, order) else another


def _cost(wins: Floats, order: Order) -> float:
    """Disagreements, added up exactly before they are rounded."""
    return math.fsum(np.tril(wins[np.ix_(order, order)], -1).ravel().tolist())


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
