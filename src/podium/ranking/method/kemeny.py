"""Kemeny consensus: the order that contradicts the ballots least, with a proof."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError
from podium.ranking.ballot import majority, preferences, strong_components
from podium.ranking.method.kemeny_bound import Best, best_order, majorities_of, moved
from podium.ranking.method.majority import never_met
from podium.ranking.method.method import Certificate, Method, Setting, Standing, needs_of_pairs, pooled
from podium.ranking.task_ballot import pool_task_level
from podium.score.place import places
from podium.tally.duel import Duels
from podium.tally.engine.count import Counts

Floats = NDArray[np.float64]

Order = NDArray[np.int64]

#: Preferences, and costs, are the same if they differ by no more than this share of the largest preference.
_SAME = 1e-9


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
    majorities, unit, grain = majorities_of(wins, same)
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
    return np.argsort(places(net, tolerance=same * len(net)), kind="stable")


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


def share_below(order: NDArray[np.int64], preference: Floats) -> Floats:
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
    >>> share_below(np.array([2, 0, 1]), np.array([[0, 1, 0], [1, 0, 0], [2, 2, 0.0]]))
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


def consensus_shares(preference: Floats, solve: Callable[[Floats], Consensus]) -> Floats:
    """Scores as of `share_below`, by the consensus of every replicate.

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
    >>> consensus_shares(np.array([[0, 1, 0], [1, 0, 0], [2, 2, 0.0]])[..., None], solve=None)[:, 0]
    array([0.25, 0.25, 1.  ])
    """
    n_systems = len(preference)
    beats = majority(preference)
    net = beats.sum(axis=1) - beats.sum(axis=0)
    score: Floats = (1 + net / max(n_systems - 1, 1)) / 2
    plain = ((net[:, None] > net[None]) == beats).all(axis=(0, 1))
    for b in np.flatnonzero(~plain):
        matrix = np.ascontiguousarray(preference[..., b])
        score[:, b] = share_below(solve(matrix).order, matrix)
    return score


def _apply(counts: Counts, setting: Setting) -> Standing:
    if setting.level != "two":
        preference = preferences(pooled(counts, setting), setting.missing)
        return _consensus(preference, preference, _solver(setting, _n_replicates(preference)), inner=())
    tasks = [preferences(task, setting.missing) for task in counts[Duels]]
    # tasks may be the same in all replicates, and searched once, while their weights are not
    replicates = _n_replicates(tasks[0], setting.weights[:, None], setting.scored)
    solve = _solver(setting, len(tasks) * _n_replicates(tasks[0]) + replicates)
    inner: list[Consensus] = []
    if tasks[0].ndim == 3:
        ballots = [consensus_shares(task, solve) for task in tasks]
    else:
        inner = [solve(task) for task in tasks]
        ballots = [share_below(found.order, task) for found, task in zip(inner, tasks, strict=True)]
    of_tasks = np.where(setting.scored, np.array(ballots), np.nan)
    outer = pool_task_level(of_tasks, setting.weights, tolerance=1e-9, scale=None)
    return _consensus(preferences(outer, "imputed"), np.sum(tasks, axis=0), solve, inner)


def _n_replicates(*arrays: NDArray[Any]) -> int:
    """Longest third axis of some arrays; 1 where there is none."""
    return max(array.shape[2] if array.ndim == 3 else 1 for array in arrays)


def _solver(setting: Setting, runs: int) -> Callable[[Floats], Consensus]:
    """Kemeny's search, with its part of the time; which of several best orders it finds depends on no order of rows."""
    time_limit = None if setting.time_limit is None else setting.time_limit / runs
    systems = setting.alphabetical

    def solve(matrix: Floats) -> Consensus:
        found = kemeny(matrix[np.ix_(systems, systems)], time_limit=time_limit)
        other = None if found.alternative is None else systems[found.alternative]
        return replace(found, order=systems[found.order], alternative=other)

    return solve


def _consensus(
    preference: Floats, met: Floats, solve: Callable[[Floats], Consensus], inner: Sequence[Consensus]
) -> Standing:
    """Order by a preference matrix, or by that of every replicate; `inner` are the consensus orders it was made of."""
    if preference.ndim == 3:
        return Standing(consensus_shares(preference, solve))
    found = solve(preference)
    certificate = _certificate(found)
    if inner:
        unique = found.unique and all(task.unique for task in inner)
        optimal = found.optimal and all(task.optimal for task in inner)
        certificate = replace(certificate, optimal=optimal, unique=unique or (found.unique and None))
    ballots = "the consensus orders of the tasks" if inner else "the ballots"
    return Standing(
        share_below(found.order, preference),
        certificate=certificate,
        remarks=lambda labels: [*never_met(met, labels), *_remarks(certificate, ballots)],
    )


def _certificate(consensus: Consensus) -> Certificate:
    other = consensus.alternative
    return Certificate(
        cost=consensus.cost,
        lower_bound=consensus.lower_bound,
        gap=consensus.gap,
        optimal=consensus.optimal,
        unique=consensus.unique,
        alternative=None if other is None else tuple(other.tolist()),
    )


def _remarks(certificate: Certificate, ballots: str) -> list[str]:
    cost = f"{certificate.cost:g} disagreements with {ballots}"
    if certificate.gap:
        saved = f"up to {100 * certificate.gap:.2g}% of its {cost}"
        return [f"not proved best: a better order might save {saved}; more time may help"]
    if not certificate.optimal:
        return ["not proved best: the consensus order of a task was not; more time may help"]
    if certificate.unique:
        return [f"proved best, with {cost}; no other order is as good"]
    if certificate.unique is None:
        return [f"proved best, with {cost}; but a task has several equally good orders of its own"]
    return [f"proved best, with {cost}; other orders are as good; the JSON output has one"]


KEMENY = Method(
    title="Kemeny consensus",
    shares=True,
    needs=needs_of_pairs,
    apply=_apply,
    level="balanced",
    missing=("imputed", "direct"),
    options=("time_limit",),
    of_pairs=True,
    slow=True,
    steps=True,
)
