"""The fewest tasks, or instances, without which another is first: proved where scores add up or no smaller set does.

A `Search` says how far it has come: no set of up to `survives` units decides, and a set `found` does. It is `settled`
as soon as nothing is left between the two. The steps, each of which runs only where those before have not settled it:

1. Where scores are sums over units, the units that add most to the lead over a rival are the fewest (`fewest`).
2. Small sets are all tried: each instance; every set of one, two and three tasks, as far as they are not too many.
3. Larger sets are prefixes of orders. Units are put in the order in which they help the leader most against one of the
   nearest rivals, and the first m are left out, for many m. Tasks are also left out one after the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from math import comb

import numpy as np

from podium.robustness.influence.contest import Bools, Contest, Floats, Integers, Outcomes
from podium.robustness.influence.instance import EachInstanceLeftOut, InstanceDeletion
from podium.robustness.influence.task import TaskDeletion
from podium.score.place import ROUNDING

#: Sets of up to this size are all tried, where that is not too much to compute.
_SIZES = 3

#: Numbers to compute in the search of few tasks (ten million take about half a second); and how many a ranking
#: of N systems amounts to where it takes long: so many, and so many times N³.
_BUDGET, _SLOW, _SLOWER = 2**26, 2**15, 2**4

#: Sizes of prefixes that are ranked at once, where a ranking does not take long.
_TOGETHER = 8

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


def few_tasks(tasks: TaskDeletion) -> Search:
    """Search the fewest tasks, of several, without which the leader is not first any more."""
    search = Search(most=len(tasks) - 1)
    for step in (_by_sums, _by_all_small_sets, _by_orders):
        search = step(tasks, search)
        if search.settled:
            break
    return search


def _by_sums(tasks: TaskDeletion, search: Search) -> Search:
    """Step 1: take the fewest tasks by their sums, or if these do not decide, a few more in the same order.

    They may not: without them the table may not be ranked, or the place may be shared by rounding.
    """
    if not tasks.contest.additive:
        return search
    order, size = fewest(tasks.shares(), tasks.contest.leader)
    if not size:  # nobody gets ahead
        return replace(search, survives=search.most)
    return replace(search, survives=size - 1, found=_shortest_prefix(tasks, order[None], least=size))


def _by_all_small_sets(tasks: TaskDeletion, search: Search) -> Search:
    """Step 2: try every set of the smallest size that may decide, then of the next."""
    while not search.settled and search.survives < _affordable_size(tasks):
        found = _best_of_all(tasks, search.survives + 1)
        search = replace(search, survives=search.survives + 1) if found is None else replace(search, found=found)
    return search


def _by_orders(tasks: TaskDeletion, search: Search) -> Search:
    """Step 3: try the first tasks of some orders, and tasks one after the other, as well as the budget allows."""
    gains = _gains(tasks.shares(), tasks.contest.leader)
    budget = _affordable(tasks.contest) - _n_sets(tasks, _affordable_size(tasks))  # less what step 2 is given
    if budget < len(tasks):
        ways = [_bisected(tasks, _orders(gains)[0])]
    else:
        rivals = min(_RIVALS, budget // len(tasks))
        ways = [_shortest_prefix(tasks, _orders(gains[:, :rivals]))]
        if len(tasks) ** 2 // 2 <= budget - rivals * len(tasks):
            ways.append(_one_after_the_other(tasks, gains[:, 0]))
    known = filter(None, [search.found, *ways])
    return replace(search, found=min(known, key=lambda found: len(found.units), default=None))


def _affordable(contest: Contest) -> int:
    """How many sets of tasks may be left out in turn."""
    n_systems, n_tasks = len(contest.table.systems), len(contest.table.tasks)
    numbers = n_tasks * n_systems * (n_systems if contest.method.of_pairs else 1)
    if contest.method.slow:
        numbers += _SLOW + _SLOWER * n_systems**3
    return _BUDGET // numbers


def _n_sets(tasks: TaskDeletion, most: int) -> int:
    """How many sets of up to so many tasks there are."""
    return sum(comb(len(tasks), size) for size in range(1, most + 1))


def _affordable_size(tasks: TaskDeletion) -> int:
    """Size up to which all sets of tasks can be tried; 1 in any case."""
    sizes = range(2, min(_SIZES, len(tasks) - 1) + 1)
    return max((size for size in sizes if _n_sets(tasks, size) <= _affordable(tasks.contest)), default=1)


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


def _shortest_prefix(tasks: TaskDeletion, orders: Integers, least: int = 1) -> Found | None:
    """Rank without the first m of each order, for one m from `least` after the other, and stop at one that will do."""
    together = 1 if tasks.contest.method.slow else _TOGETHER
    for size in range(least, len(tasks), together):
        sizes = range(size, min(size + together, len(tasks)))
        outcomes = _without_first_tasks(tasks, orders, sizes)
        lost = np.flatnonzero(outcomes.lost)
        if lost.size:
            index, order = divmod(int(lost[0]), len(orders))
            units = tuple(orders[order, : sizes[index]].tolist())
            return Found(units, outcomes.first[:, lost[0]])
    return None


def _bisected(tasks: TaskDeletion, order: Integers) -> Found | None:
    """Rank without longer and longer prefixes of an order, then halve the step; in few rankings."""
    bracket, size = _Bracket(order, 0, len(tasks)), 1
    while bracket.low < size < bracket.high:
        bracket = bracket.narrowed(np.array([size]), _without_first_tasks(tasks, order[None], [size]))
        size = min(2 * size, bracket.high - 1) if bracket.first is None else (bracket.low + bracket.high) // 2
    return bracket.found()


def _without_first_tasks(tasks: TaskDeletion, orders: Integers, sizes: Sequence[int]) -> Outcomes:
    """Rank without prefixes of all orders, `(O, T)`: those of the first size, then those of the next."""
    # argsort of an order is its inverse; columns: size-major, then order
    position = np.argsort(orders, axis=1).T
    return tasks.without(np.concatenate([position < size for size in sizes], axis=1))


def _one_after_the_other(tasks: TaskDeletion, gains: Floats) -> Found | None:
    """Leave out, in each turn, the task without which the lead is smallest; of equals what adds most to it."""
    gone: list[int] = []
    while len(gone) < len(tasks) - 1:
        rest = np.setdiff1d(np.arange(len(tasks)), gone)
        left_out = np.eye(len(tasks), dtype=np.bool_)[:, rest]
        left_out[gone] = True
        outcomes = tasks.without(left_out)
        best = int(np.lexsort((-gains[rest], outcomes.lead, ~outcomes.lost))[0])
        gone.append(int(rest[best]))
        if outcomes.lost[best]:
            return Found(tuple(gone), outcomes.first[:, best])
    return None


def few_instances(instances: InstanceDeletion, each: EachInstanceLeftOut) -> Search:
    """Search few instances without which the leader is not first.

    Where scores add up (`InstanceDeletion.additive`) the fewest are known. Otherwise instances are put in order in two
    ways: by how much leaving one out lowers the lead over a rival, and by what each adds to the difference of shares
    (`InstanceDeletion.shares`), for scores may move in steps, so that no single instance does anything. Of all
    prefixes of these orders that were looked at, the shortest is taken.

    Parameters
    ----------
    each
        The outcomes without each instance.

    References
    ----------
    Broderick, Giordano & Meager 2020 (orders by influence, by which they approximate the answer that is ranked here).
    """
    search = _single_instances(each, Search(most=len(instances) - 1))
    if search.settled:
        return search
    if instances.additive:
        return _instances_by_sums(instances, search)
    return _instances_by_orders(instances, each, search)


def _single_instances(each: EachInstanceLeftOut, search: Search) -> Search:
    """Take one instance that decides; it is known already, and no set is smaller."""
    if not each.outcomes.lost[0]:
        return replace(search, survives=min(1, search.most))
    return replace(search, found=Found((int(each.units[0]),), each.outcomes.first[:, 0]))


def _instances_by_sums(instances: InstanceDeletion, search: Search) -> Search:
    """Take the fewest instances by their sums, or if these do not decide, a few more in the same order."""
    order, size = fewest(instances.shares(), instances.contest.leader, instances.fixed())
    if not 0 < size < len(instances):
        return replace(search, survives=search.most)
    survives = max(size - 1, search.survives)
    found = _shortest_between(instances, order[None], np.array([size]), survives)
    return replace(search, survives=survives, found=found)


def _instances_by_orders(instances: InstanceDeletion, each: EachInstanceLeftOut, search: Search) -> Search:
    """Try the first instances of some orders."""
    contest = instances.contest
    orders = [np.argsort(each.lead_over, axis=0, kind="stable").T]
    if not contest.method.averages:
        rivals = 1 if contest.method.slow else _RIVALS
        orders.append(_orders(_gains(instances.shares(), contest.leader)[:, :rivals]))
    found = _shortest_between(instances, np.concatenate(orders), _growing(search.most), search.survives)
    return replace(search, found=found)


def _shortest_between(instances: InstanceDeletion, orders: Integers, sizes: Integers, survives: int) -> Found | None:
    """Rank without prefixes of orders, of these sizes and then in ever finer steps, and take the shortest that will do.

    None of up to `survives` units will.
    """
    brackets = [_Bracket(order, survives, len(instances)) for order in orders]
    tried = [sizes] * len(orders)
    while any(some.size for some in tried):
        outcomes = instances.without_prefixes(orders, tried)
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


def _gains(shares: Floats, leader: int) -> Floats:
    """Shape `(U, N − 1)`: what each unit adds to the lead over each rival, the nearest first."""
    gains = np.nan_to_num(shares[:, [leader]] - np.delete(shares, leader, axis=1))
    nearest: Floats = gains[:, np.argsort(gains.sum(axis=0), kind="stable")]
    return nearest


def _orders(gains: Floats) -> Integers:
    """Shape `(R, U)`: for each rival, units in the order of what they add to the lead."""
    return np.argsort(-gains, axis=0, kind="stable").T
