"""The fewest tasks, or instances, without which another is first: proved where scores add up or no smaller set does.

The search, in this order; each step runs only where those before have found nothing:

1. Where scores are sums over units, the units with the largest share of the lead are the fewest (`fewest`).
2. Tasks: all sets of one, two and three, as far as they are not too many (`_among_all`).
3. Larger sets, in orders of what helps the leader most against each of the nearest rivals: starts of every size where
   that can be afforded (`_scan_sizes`), otherwise by bisection (`_bisect_size`); sizes for instances are then refined
   (`_refine_instance_sizes`). Tasks are also left out one after the other (`_greedily`); the smaller set counts.

A set counts as smallest where its size is `proved_size`: no smaller set can exist.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from podium.robustness.influence.deletion import Case
from podium.robustness.influence.instance import InstanceDeletion
from podium.score.place import ROUNDING

Bools = NDArray[np.bool_]

Floats = NDArray[np.float64]

Integers = NDArray[np.int64]

#: Sets of up to this size are all tried, where that is not too much to compute.
_SIZES = 3

#: Numbers to compute in the search of few tasks (ten million take about half a second); and how many a ranking
#: of N systems amounts to where it takes long: so many, and so many times N³.
_BUDGET, _SLOW, _SLOWER = 2**26, 2**15, 2**4

#: Sets ranked at once, where a ranking does not take long.
_TOGETHER = 8

#: Nearest rivals, each with its own order in which tasks or instances are left out.
RIVALS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A set of units without which the leader is not first.

    Attributes
    ----------
    units
        Their indices, those first that do most.
    first
        Shape `(N,)`: who is first without them.
    smallest
        Whether there is no smaller set.
    """

    units: tuple[int, ...]
    first: Bools
    smallest: bool


def few_tasks(case: Case, leader: int) -> tuple[Found | None, int]:
    """Search the fewest tasks without which the leader is not first any more; None if no set was found.

    Where scores add up (`Case.additive`) no search is needed. Otherwise all sets of one, of two and of three tasks are
    tried, as far as they are not too many; then larger ones, in the order in which each helps a rival, and greedily.
    If a set may have been missed, the second number says up to which size all were tried; otherwise it is 0.
    """
    shares = case.shares_of_tasks()
    if case.additive:
        order, size = fewest(shares, leader)
        found = _scan_sizes(case, leader, [order], proved_size=size) if size else None
        if found is not None or not size:
            return found, 0
    n_tasks = len(case.table.tasks)
    tried, most = 0, _affordable(case)
    while tried < min(_SIZES, n_tasks - 1) and (tried == 0 or comb(n_tasks, tried + 1) <= most):
        tried += 1
        found = _among_all(case, leader, tried)
        if found is not None:
            return found, 0
        most -= comb(n_tasks, tried)
    found = _larger(case, leader, shares, tried, most)
    settled = tried >= n_tasks - 1 or (found is not None and found.smallest)
    return found, 0 if settled else tried


def _affordable(case: Case) -> int:
    """How many sets of tasks may be left out in turn."""
    n_systems, n_tasks = len(case.table.systems), len(case.table.tasks)
    numbers = n_tasks * n_systems * (n_systems if case.method.of_pairs else 1)
    if case.method.slow:
        numbers += _SLOW + _SLOWER * n_systems**3
    return _BUDGET // numbers


def _among_all(case: Case, leader: int, size: int) -> Found | None:
    """Try all sets of a size, and take the one without which the leader is furthest behind."""
    n_tasks = len(case.table.tasks)
    flat = np.fromiter(chain.from_iterable(combinations(range(n_tasks), size)), dtype=np.int64)
    sets = flat.reshape(-1, size)
    outcomes = case.without_tasks(~_members(sets, n_tasks))
    lost = outcomes.lost(leader)
    if not lost.any():
        return None
    best = int(np.argmin(np.where(lost, outcomes.lead(leader), np.inf)))
    return Found(tuple(sets[best].tolist()), outcomes.first[:, best], smallest=True)


def few_instances(deletion: InstanceDeletion, leader: int, leads: Floats) -> Found | None:
    """Search few instances, where no single one will do, without which the leader is not first; None if none is found.

    Where scores add up (`InstanceDeletion.additive`) the fewest are known. Otherwise instances are put in order, those
    first that help the leader most against one of the nearest rivals, in two ways: by how much leaving one out lowers
    the lead over the rival, and by what each adds to the difference of shares (`InstanceDeletion.shares`), for scores
    may move in steps, so that no single instance does anything. Of all starts of these orders that were looked at, the
    shortest is taken.

    Parameters
    ----------
    leads
        Shape `(instances, R)`: the lead over rivals without each instance.

    References
    ----------
    Broderick, Giordano & Meager 2020 (orders by influence, by which they approximate the answer that is ranked here).
    """
    if deletion.additive:
        order, size = fewest(deletion.shares(), leader, deletion.fixed())
        return _refine_instance_sizes(deletion, leader, order[None], expected=size) if size else None
    orders = list(np.argsort(leads, axis=0, kind="stable").T)
    if not deletion.case.method.averages:
        rivals = 1 if deletion.case.method.slow else RIVALS
        orders += list(np.argsort(-_gains(deletion.shares(), leader)[:, :rivals], axis=0, kind="stable").T)
    return _refine_instance_sizes(deletion, leader, np.array(orders))


def fewest(shares: Floats, leader: int, fixed: Floats | None = None) -> tuple[Integers, int]:
    """Order units so that as few as can be, from the first, bring somebody ahead of the leader, and say how few.

    The lead over rival j is Σ_u g_u, with g_u = `shares[u, leader] − shares[u, j]`. Of all sets of m units the one with
    the largest g_u takes most of it, so that the smallest m with which the rest falls below 0 is the fewest for this
    rival, and the least over rivals the fewest of all.

    Parameters
    ----------
    shares
        Shape `(U, N)`: what each unit adds to the scores, higher is better; NaN is nothing.
    fixed
        Shape `(N,)`: what is added by what is never left out.

    Returns
    -------
    An order of the units, and how many from its start; 0 if nobody gets ahead before all are left out.

    Examples
    --------
    >>> fewest(np.array([[3.0, 0.0], [0.0, 1.0], [0.5, 0.0]]), 0)
    (array([0, 2, 1]), 1)
    """
    best, order = (len(shares) + 1, 0.0), np.arange(len(shares))
    for rival in range(shares.shape[1]):
        gains = np.nan_to_num(shares[:, leader] - shares[:, rival])
        always = 0.0 if fixed is None else float(fixed[leader] - fixed[rival])
        size, rest = _taken(gains, always, at_most=best[0])
        if size and (size, rest) < best:
            best, order = (size, rest), np.argsort(-gains, kind="stable")
    return order, best[0] if best[0] <= len(shares) else 0


def _taken(gains: Floats, always: float, at_most: int) -> tuple[int, float]:
    """Say how many of the largest gains take the sum below 0, and what then remains; 0 if more than so many would."""
    size = min(at_most, gains.size)
    ordered = np.sort(np.partition(gains, gains.size - size)[gains.size - size :])[::-1]
    rest = always + gains.sum() - ordered.cumsum()
    behind = np.flatnonzero(rest < -ROUNDING * (abs(always) + np.abs(gains).sum()))
    return (int(behind[0]) + 1, float(rest[behind[0]])) if behind.size else (0, 0.0)


def _scan_sizes(case: Case, leader: int, orders: list[Integers], proved_size: int | None = None) -> Found | None:
    """Rank without the first m of each order, for one m after the other, and stop at the least that will do."""
    n_tasks = len(case.table.tasks)
    together = 1 if case.method.slow else _TOGETHER
    for first in range(1, n_tasks, together):
        sizes = range(first, min(first + together, n_tasks))
        found = _try_starts(case, leader, orders, sizes)
        if found is not None:
            return replace(found, smallest=len(found.units) == proved_size)
    return None


def _try_starts(case: Case, leader: int, orders: list[Integers], sizes: Sequence[int]) -> Found | None:
    """Rank without starts of orders, of so many tasks, and take the shortest that will do."""
    starts = [order[:size] for size in sizes for order in orders]
    kept = np.ones((len(case.table.tasks), len(starts)), dtype=np.bool_)
    for column, start in enumerate(starts):
        kept[start, column] = False
    outcomes = case.without_tasks(kept)
    lost = np.flatnonzero(outcomes.lost(leader))
    if not lost.size:
        return None
    return Found(tuple(starts[lost[0]].tolist()), outcomes.first[:, lost[0]], smallest=False)


def _bisect_size(case: Case, leader: int, order: Integers) -> Found | None:
    """Rank without ever longer starts of an order, then halve the step; of few rankings, the shortest that will do."""
    best: Found | None = None
    low, high, size = 0, len(order), 1
    while low < size < high:
        found = _try_starts(case, leader, [order], [size])
        if found is None:
            low = size
        else:
            best, high = found, size
        size = (low + high) // 2 if best is not None else min(2 * size, high - 1)
    return best


def _refine_instance_sizes(
    deletion: InstanceDeletion, leader: int, orders: Integers, expected: int | None = None
) -> Found | None:
    """Rank without starts of orders of instances, in ever finer steps, and take the shortest that will do.

    None shorter than expected will, where that is known.
    """
    best: tuple[int, int, Bools] | None = None
    low, high = np.full(len(orders), (expected or 1) - 1), np.full(len(orders), len(deletion))
    steps = [_doubling(len(deletion) - 1) if expected is None else np.array([expected])] * len(orders)
    while any(step.size for step in steps):
        which = np.repeat(np.arange(len(orders)), [step.size for step in steps])
        sizes = np.concatenate(steps)
        outcomes = deletion.without_first(orders, which, sizes)
        lost = outcomes.lost(leader)
        for column in np.lexsort((which, sizes)).tolist():
            order, size = int(which[column]), int(sizes[column])
            if lost[column] and size < high[order]:
                high[order] = size
                if best is None or size < best[1]:
                    best = (order, size, outcomes.first[:, column])
            elif not lost[column] and size < high[order]:
                low[order] = max(low[order], size)
        limit = len(deletion) if best is None else best[1]
        steps = [_between(below, min(above, limit)) for below, above in zip(low.tolist(), high.tolist(), strict=True)]
    if best is None:
        return None
    order, size, first = best
    return Found(tuple(orders[order, :size].tolist()), first, smallest=size in {1, 2, expected})


def _doubling(most: int) -> Integers:
    """Sizes from 1, each about a third larger than the one before."""
    sizes = np.unique(np.append(np.round(1.33 ** np.arange(100)), most).astype(np.int64))
    return sizes[sizes <= most]


def _between(low: int, high: int) -> Integers:
    """Up to 15 sizes between two, evenly."""
    sizes = np.unique(np.linspace(low, high, 17).round().astype(np.int64))
    return sizes[(low < sizes) & (sizes < high)]


def _members(sets: Integers, n_tasks: int) -> Bools:
    """Shape `(T, sets)`: which tasks are in which set."""
    members = np.zeros((n_tasks, len(sets)), dtype=np.bool_)
    members[sets.T, np.arange(len(sets))] = True
    return members


def _larger(case: Case, leader: int, shares: Floats, tried: int, most: int) -> Found | None:
    """Look for a set where those of up to so many tasks have been tried in vain; the smaller of what two ways find.

    The first way tries as many of the nearest rivals as can be afforded, and steps where not even one can.
    """
    gains = _gains(shares, leader)
    rivals = min(RIVALS, max(most // len(shares), 1))
    orders = list(np.argsort(-gains[:, :rivals], axis=0, kind="stable").T)
    if most < len(shares):
        return _bisect_size(case, leader, orders[0])
    ways = [_scan_sizes(case, leader, orders, proved_size=tried + 1)]
    if len(shares) ** 2 // 2 <= most - rivals * len(shares):
        ways.append(_greedily(case, leader, gains[:, 0], proved_size=tried + 1))
    found = [way for way in ways if way is not None]
    return min(found, key=lambda way: len(way.units), default=None)


def _gains(shares: Floats, leader: int) -> Floats:
    """Shape `(U, N − 1)`: what each unit adds to the lead over each rival, the nearest first."""
    gains = np.nan_to_num(shares[:, [leader]] - np.delete(shares, leader, axis=1))
    nearest: Floats = gains[:, np.argsort(gains.sum(axis=0), kind="stable")]
    return nearest


def _greedily(case: Case, leader: int, gains: Floats, proved_size: int) -> Found | None:
    """Leave out, one after the other, the task without which the lead is smallest; of equals what gains it most."""
    n_tasks = len(case.table.tasks)
    gone: list[int] = []
    while len(gone) < n_tasks - 1:
        rest = np.setdiff1d(np.arange(n_tasks), gone)
        sets = np.column_stack([np.tile(np.array(gone, dtype=np.int64), (len(rest), 1)), rest])
        outcomes = case.without_tasks(~_members(sets, n_tasks))
        lead, lost = outcomes.lead(leader), outcomes.lost(leader)
        best = np.lexsort((-gains[rest], lead, ~lost))[0]
        gone.append(int(rest[best]))
        if lost[best]:
            return Found(tuple(gone), outcomes.first[:, best], smallest=len(gone) == proved_size)
    return None
