"""The fewest tasks, or instances, without which another is first: proved where scores add up or no smaller set does.

A `Search` says how far it has come: no set of up to `survives` units decides, and a set `found` does. It is `settled`
as soon as nothing is left between the two. The steps, each of which runs only where those before have not settled it:

1. Each unit is left out alone.
2. Where scores are sums over units, the units that add most to the lead over a rival are the fewest (`fewest`).
3. Sets of two and three tasks are all tried, as far as they are not too many.
4. Greedily: units are put in the order in which they help the leader most against one of the nearest rivals, and the
   first m are left out, for many m.
"""

from dataclasses import dataclass, replace
from itertools import chain, combinations
from math import comb

import numpy as np

from podium.base.arrays import Bools, Floats
from podium.robustness.leave_out import EachLeftOut, InstanceDeletion, Integers, Outcomes, TaskDeletion
from podium.score.place import ROUNDING

Deletion = TaskDeletion | InstanceDeletion

#: Sets of up to this size are all tried, where that is not too much to compute.
_SIZES = 3

#: Numbers to compute in the search of few tasks (ten million take about half a second); and how many a ranking
#: of N systems amounts to where it takes long: so many, and so many times N³.
_BUDGET, _SLOW, _SLOWER = 2**26, 2**15, 2**4

#: Nearest rivals, each with its own order in which tasks or instances are left out.
_RIVALS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A set of units without which the leader is not first: it decides.

    Attributes
    ----------
    units
        Their indices, those first that do most.
    first
        Shape `(N,)`: who is first without them.
    """

    units: tuple[int, ...]
    first: Bools


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """How far the search for the fewest units has come.

    Attributes
    ----------
    most
        How many units can be left out at most.
    survives
        No set of up to so many units decides: the leader stays first, or nothing can be ranked.
    found
        The smallest set known to decide, or None.
    """

    most: int
    survives: int = 0
    found: Found | None = None

    @property
    def settled(self) -> bool:
        """Whether it is proved that no set smaller than `found` decides; if none is found, that none does."""
        fewest_known = self.most + 1 if self.found is None else len(self.found.units)
        return self.survives + 1 >= fewest_known


def search_few(deletion: Deletion, each: EachLeftOut) -> Search:
    """Search the fewest units without which the leader is not first any more.

    Orders are those by how much leaving one unit out lowers the lead over a rival, and by what each adds to the
    difference of shares (`InstanceDeletion.shares`), for scores may move in steps, so that no single unit does
    anything. Of all prefixes of these orders that were looked at, the shortest is taken.

    Parameters
    ----------
    deletion
        What can be left out.
    each
        The outcomes without each unit.

    References
    ----------
    Broderick, Giordano & Meager 2020 (orders by influence, by which they approximate the answer that is ranked here).
    """
    most = len(deletion) - 1
    if each.outcomes.lost[0]:
        return Search(most, found=Found((int(each.units[0]),), each.outcomes.first[:, 0]))
    search = Search(most, survives=min(1, most))
    if deletion.additive and not search.settled:
        order, size = fewest(deletion.shares(), deletion.contest.leader, deletion.fixed())
        if not 0 < size <= most:  # nobody gets ahead
            return replace(search, survives=most)
        search = replace(search, survives=max(size - 1, search.survives))
        # a few more in the same order if these do not decide: the table may not be ranked, or the place be shared
        search = replace(search, found=_shortest_between(deletion, order[None], np.array([size]), search.survives))
    if isinstance(deletion, TaskDeletion):
        search = _by_all_small_sets(deletion, search)
    elif deletion.additive:
        return search
    return search if search.settled else _by_orders(deletion, each, search)


def _by_all_small_sets(tasks: TaskDeletion, search: Search) -> Search:
    """Try every set of the smallest size that may decide, then of the next, as far as that can be afforded."""
    n_systems, n_tasks = len(tasks.contest.table.systems), len(tasks.contest.table.tasks)
    numbers = n_tasks * n_systems * (n_systems if tasks.contest.method.of_pairs else 1)
    if tasks.contest.method.slow:
        numbers += _SLOW + _SLOWER * n_systems**3
    for size in range(2, min(_SIZES, search.most) + 1):
        if search.settled or comb(len(tasks), size) > _BUDGET // numbers:
            break
        if size > search.survives:
            found = _best_of_all(tasks, size)
            search = replace(search, survives=size) if found is None else replace(search, found=found)
    return search


def _best_of_all(tasks: TaskDeletion, size: int) -> Found | None:
    """Try all sets of a size, and take the one without which the leader is furthest behind."""
    flat = np.fromiter(chain.from_iterable(combinations(range(len(tasks)), size)), dtype=np.int64)
    sets = flat.reshape(-1, size)
    left_out = np.zeros((len(tasks), len(sets)), dtype=np.bool_)
    left_out[sets.T, np.arange(len(sets))] = True
    outcomes = tasks.without(left_out)
    lost = outcomes.lost
    if not lost.any():
        return None
    best = int(np.argmin(np.where(lost, outcomes.lead, np.inf)))
    return Found(tuple(sets[best].tolist()), outcomes.first[:, best])


def _by_orders(deletion: Deletion, each: EachLeftOut, search: Search) -> Search:
    """Try the first units of some orders."""
    contest = deletion.contest
    orders = [np.argsort(each.lead_over, axis=0, kind="stable").T]
    if isinstance(deletion, TaskDeletion) or not contest.method.averages:
        shares = deletion.shares()
        gains = np.nan_to_num(shares[:, [contest.leader]] - np.delete(shares, contest.leader, axis=1))
        nearest = np.argsort(gains.sum(axis=0), kind="stable")[: 1 if contest.method.slow else _RIVALS]
        orders.append(np.argsort(-gains[:, nearest], axis=0, kind="stable").T)
    found = _shortest_between(deletion, np.concatenate(orders), _growing(search.most), search.survives)
    known = filter(None, [search.found, found])
    return replace(search, found=min(known, key=lambda one: len(one.units), default=None))


def _shortest_between(deletion: Deletion, orders: Integers, sizes: Integers, survives: int) -> Found | None:
    """Rank without prefixes of orders, of these sizes and then in ever finer steps, and take the shortest that will do.

    None of up to `survives` units will.
    """
    brackets = [_Bracket(order, survives, len(deletion)) for order in orders]
    tried = [sizes] * len(orders)
    while any(some.size for some in tried):
        outcomes = deletion.without_prefixes(orders, tried)
        brackets = list(map(_Bracket.narrowed, brackets, tried, outcomes))
        shortest = min(bracket.high for bracket in brackets)
        # an order whose `low` reaches the shortest prefix of all cannot win, and gets no more sizes
        tried = [_between(bracket.low, shortest) for bracket in brackets]
    return min(brackets, key=lambda bracket: bracket.high).found()


@dataclass(frozen=True, slots=True, eq=False)
class _Bracket:
    """An order of units whose first `low` are too few to be left out, and whose first `high` are enough.

    Until a prefix is known to be enough, `high` is the number of all units. `first` says who is first without it.
    """

    order: Integers
    low: int
    high: int
    first: Bools | None = None

    def narrowed(self, sizes: Integers, outcomes: Outcomes) -> "_Bracket":
        """Learn from the outcomes without prefixes of some sizes below `high`, from small to large."""
        tried = [self.low, *sizes.tolist()]
        lost = np.flatnonzero(outcomes.lost)
        if not lost.size:
            return replace(self, low=tried[-1])
        enough = int(lost[0])
        return replace(self, low=tried[enough], high=tried[enough + 1], first=outcomes.first[:, enough])

    def found(self) -> Found | None:
        """Return the shortest prefix that is enough, if one is known."""
        return None if self.first is None else Found(tuple(self.order[: self.high].tolist()), self.first)


def _growing(most: int) -> Integers:
    """Sizes from 1, each about a third larger than the one before."""
    sizes = np.unique(np.append(np.round(1.33 ** np.arange(100)), most).astype(np.int64))
    return sizes[sizes <= most]


def _between(low: int, high: int) -> Integers:
    """Up to 15 sizes between two, evenly."""
    sizes = np.unique(np.linspace(low, high, 17).round().astype(np.int64))
    return sizes[(low < sizes) & (sizes < high)]


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
    least, order = (len(shares) + 1, 0.0), np.arange(len(shares))
    for rival in range(shares.shape[1]):
        gains = np.nan_to_num(shares[:, leader] - shares[:, rival])
        always = 0.0 if fixed is None else float(fixed[leader] - fixed[rival])
        size, rest = _taken(gains, always, at_most=least[0])
        if size and (size, rest) < least:
            least, order = (size, rest), np.argsort(-gains, kind="stable")
    return order, least[0] if least[0] <= len(shares) else 0


def _taken(gains: Floats, always: float, at_most: int) -> tuple[int, float]:
    """Say how many of the largest gains take the sum below 0, and what then remains; 0 if more than so many would."""
    size = min(at_most, gains.size)
    ordered = np.sort(np.partition(gains, gains.size - size)[gains.size - size :])[::-1]
    rest = always + gains.sum() - ordered.cumsum()
    behind = np.flatnonzero(rest < -ROUNDING * (abs(always) + np.abs(gains).sum()))
    return (int(behind[0]) + 1, float(rest[behind[0]])) if behind.size else (0, 0.0)


def nearest_rivals(whole: Outcomes) -> Integers:
    """Indices of the systems closest to the leader when nothing is left out, the nearest first."""
    behind = whole.ahead(np.arange(len(whole.score)))[:, 0]
    behind[whole.leader] = np.inf
    return np.argsort(behind, kind="stable")[: min(_RIVALS, behind.size - 1)]
