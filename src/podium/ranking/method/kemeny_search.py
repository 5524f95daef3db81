"""The best order of items that no majority splits, proved by branch and bound, and whether there is another."""

import heapq
import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from podium.ranking.ballot import transitive
from podium.ranking.method.kemeny_bound import Relaxation, Relaxed

Floats = NDArray[np.float64]

Order = NDArray[np.int64]

Relation = NDArray[np.bool_]

#: Finest unit looked for, as a share of the largest majority.
_FINEST = 1e-7


def weight_against(order: Order, majorities: Floats) -> float:
    """Return the weight of the majorities that an order goes against, Σ majorities[j, i] over i above j.

    Parameters
    ----------
    order
        Shape `(N,)`: indices, best first.
    majorities
        Shape `(N, N)`: by how much i beats j, max(P_ij − P_ji, 0); zero where it does not.

    Examples
    --------
    >>> weight_against(np.array([1, 0]), np.array([[0.0, 3.0], [0.0, 0.0]]))
    3.0
    """
    return float(np.tril(majorities[np.ix_(order, order)], -1).sum())


def insertions(order: Order, majorities: Floats) -> Floats:
    """Return what moving one item does to the weight against: entry `(q, p)` is for taking the item at p to q.

    Shape `(N, N)`, zero diagonal; an item passes all between, so each column is a cumulative sum.

    Examples
    --------
    >>> insertions(np.array([1, 0]), np.array([[0.0, 3.0], [0.0, 0.0]]))
    array([[ 0., -3.],
           [-3.,  0.]])
    """
    placed = majorities[np.ix_(order, order)]
    # Column p, row r: what the item at p gains on the one at r by leaving it above.
    passed = np.cumsum(placed.T - placed, axis=0)
    own = np.diag(passed)
    before = passed - (placed.T - placed)
    down = passed - own
    up = before - own
    place = np.arange(order.size)
    return np.where(place[:, None] > place, down, up)


def moved(order: Order, start: int, end: int) -> Order:
    """Return the order with the item at one place taken to another.

    >>> moved(np.array([5, 6, 7]), 0, 2)
    array([6, 7, 5])
    """
    return np.insert(np.delete(order, start), end, order[start])


def improved(order: Order, majorities: Floats, *, tolerance: float) -> Order:
    """Move single items, the most useful move first, until none lowers the weight against by more than `tolerance`.

    >>> improved(np.array([1, 2, 0]), np.triu(np.ones((3, 3)), 1), tolerance=1e-9)
    array([0, 1, 2])
    """
    while True:
        change = insertions(order, majorities)
        end, start = divmod(int(np.argmin(change)), order.size)
        if change[end, start] >= -tolerance:
            return order
        order = moved(order, start, end)


#: Relaxed points closer than this to 0 and 1 are orders.
_INTEGRAL = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """The best order found.

    Attributes
    ----------
    order
        Shape `(N,)`: indices, best first.
    excess, bound
        Weight of the majorities it goes against, and what no order can go below; equal where it is proved best.
    other
        Another order of the same weight, if one was found.
    unique
        Whether there is none; None where that, or the order itself, was not proved in time.
    """

    order: Order
    excess: float
    bound: float
    other: Order | None
    unique: bool | None


def best_order(majorities: Floats, *, grain: float, tolerance: float, deadline: float = np.inf) -> Best:
    """Minimise the weight against majorities over all orders.

    Best-first branch and bound on `Relaxation`: each node fixes pairs, with all that follows by transitivity and
    from reduced costs; each relaxed point is rounded to an order, which is improved by moving single items.

    Parameters
    ----------
    majorities
        Shape `(N, N)`: by how much i beats j, zero where it does not.
    grain
        All majorities are multiples of it, so an order less than this above a bound is best; 0 for any numbers.
    tolerance
        Weights no further apart are the same.
    deadline
        Clock (`time.perf_counter`) at which to stop with what there is.

    Examples
    --------
    >>> circle = np.array([[0.0, 3.0, 0.0], [0.0, 0.0, 2.0], [1.0, 0.0, 0.0]])
    >>> best_order(circle, grain=1.0, tolerance=0.0).order
    array([0, 1, 2])
    """
    search = _Search(majorities, tolerance, deadline)
    finished = search.minimise(max(grain - tolerance, tolerance))
    if not finished:
        bound = np.ceil((search.bound - tolerance) / grain) * grain if grain else search.bound
        return Best(search.order, search.excess, min(float(bound), search.excess), None, None)
    finished, other = search.another()
    unique = None if not finished else other is None
    return Best(search.order, search.excess, search.excess, other, unique)


@dataclass(order=True, slots=True)
class _Node:
    """Orders that put i above j wherever `fixed[i, j]`; the lowest bound comes first, then the deepest."""

    bound: float
    turn: int
    fixed: Relation = field(compare=False)

    def children(self, relaxed: Relaxed, most: float, gaps: Floats) -> "list[_Node]":
        """Parts that may hold more orders of weight at most `most`; none where the relaxation settles it."""
        fraction = np.minimum(relaxed.above, relaxed.above.T)
        if relaxed.bound > most or fraction.max() <= _INTEGRAL:
            return []
        fixed = transitive(self.fixed | (relaxed.bound + relaxed.penalty.T > most))
        bound = max(self.bound, relaxed.bound)
        choice = np.where(np.triu(~(fixed | fixed.T), 1), fraction * (1 + gaps), 0)
        i, j = divmod(int(np.argmax(choice)), len(choice))
        if choice[i, j] <= _INTEGRAL:
            # What was undecided has been fixed meanwhile: the same node, smaller.
            return _nodes([(bound, self.turn - 1, fixed)])
        halves = [fixed.copy(), fixed.copy()]
        halves[0][j, i] = halves[1][i, j] = True
        return _nodes([(bound, self.turn - 1, transitive(half)) for half in halves])


def _nodes(parts: Iterable[tuple[float, int, Relation]]) -> list[_Node]:
    """Leave out what contradicts itself."""
    return [_Node(*part) for part in parts if not (part[2] & part[2].T).any()]


class _Search:
    """Best order so far, and the relaxation with the inequalities met so far."""

    def __init__(self, majorities: Floats, tolerance: float, deadline: float) -> None:
        self.majorities, self.tolerance, self.deadline = majorities, tolerance, deadline
        self.order = improved(np.arange(len(majorities)), majorities, tolerance=tolerance)
        self.excess = weight_against(self.order, majorities)
        self.bound = 0.0
        self.gaps = np.abs(majorities - majorities.T)
        self.relaxation = Relaxation(majorities)
        self.root: Relaxed | None = None

    def minimise(self, step: float) -> bool:
        """Search until no order is better by `step` or more; whether that was proved in time."""
        nodes = [_Node(-np.inf, 0, np.zeros(self.majorities.shape, dtype=bool))]
        while nodes:
            node = heapq.heappop(nodes)
            self.bound = max(self.bound, node.bound)
            if node.bound > self.excess - step:
                break
            relaxed = self.relaxation.solve(node.fixed, enough=self.excess - step, deadline=self.deadline)
            self.root = self.root or relaxed
            self._take(self._rounded(relaxed))
            if not nodes:
                self.bound = max(self.bound, relaxed.bound)
            if not relaxed.solved and relaxed.bound <= self.excess - step:
                return False
            for child in node.children(relaxed, self.excess - step, self.gaps):
                heapq.heappush(nodes, child)
        return True

    def another(self) -> tuple[bool, Order | None]:
        """Whether the search ended in time, and an order of the same weight as the best one, if there is any."""
        change = insertions(self.order, self.majorities)
        np.fill_diagonal(change, np.inf)
        end, start = divmod(int(np.argmin(change)), self.order.size)
        if change[end, start] <= self.tolerance:
            return True, moved(self.order, start, end)
        most = self.excess + self.tolerance
        nodes = self._inversions(most)
        heapq.heapify(nodes)
        while nodes:
            node = heapq.heappop(nodes)
            relaxed = self.relaxation.solve(node.fixed, enough=most, deadline=self.deadline)
            other = np.argsort(-relaxed.above.sum(axis=1), kind="stable")
            if weight_against(other, self.majorities) <= most and not np.array_equal(other, self.order):
                return True, other
            if not relaxed.solved and relaxed.bound <= most:
                return False, None
            for child in node.children(relaxed, most, self.gaps):
                heapq.heappush(nodes, child)
        return True, None

    def _inversions(self, most: float) -> list[_Node]:
        """All other orders, by their first pair of neighbours in the best order that they invert.

        An order that inverts no neighbours of another is that other, so nothing is left out.
        """
        parts = []
        known = np.zeros(self.majorities.shape, dtype=bool)
        if self.root is not None:
            known = self.root.bound + self.root.penalty.T > most
        for place, (above, below) in enumerate(zip(self.order, self.order[1:], strict=False)):
            fixed = known.copy()
            fixed[self.order[:place], self.order[1 : place + 1]] = True
            fixed[below, above] = True
            parts.append((-np.inf, place, transitive(fixed)))
        return _nodes(parts)

    def _rounded(self, relaxed: Relaxed) -> Order:
        """Items by how many others they are above, then moved."""
        order = np.argsort(-relaxed.above.sum(axis=1), kind="stable")
        return improved(order, self.majorities, tolerance=self.tolerance)

    def _take(self, order: Order) -> None:
        excess = weight_against(order, self.majorities)
        if excess < self.excess - self.tolerance:
            self.order, self.excess = order, excess


def majorities_of(wins: Floats, same: float) -> tuple[Floats, float, float]:
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
