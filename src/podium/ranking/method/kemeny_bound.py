"""The best order of items that no majority splits, proved by branch and bound, and whether there is another.

- The linear relaxation of an order: no three items in a circle, with the inequalities that matter added as needed.
"""

import heapq
import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.ranking.ballot import transitive

Floats = NDArray[np.float64]

Integers = NDArray[np.int64]

Relation = NDArray[np.bool_]

#: Inequalities violated by less are met.
_FEASIBLE = 1e-6

#: Of the violated inequalities, at most so many of one pair are added at once.
_PER_PAIR = 4

#: One thread and a fixed method give the same answer each time.
_OPTIONS = {
    "output_flag": False,
    "threads": 1,
    "presolve": "off",
    "solver": "simplex",
    "simplex_strategy": 1,
    "dual_feasibility_tolerance": 1e-9,
}


def _solver() -> Any:
    """Return a solver that prints nothing: HiGHS greets on standard output at the first call, which may be its own."""
    import highspy  # noqa: PLC0415  # loading it takes longer than most rankings

    class Silent(highspy.Highs):  # type: ignore[misc]  # has no types in some versions
        def enableCallbacks(self) -> None:  # noqa: N802  # the library's name
            self.silent()
            super().enableCallbacks()

    return Silent()


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """What a relaxation says.

    Attributes
    ----------
    above
        Shape `(N, N)`: how far i is above j, between 0 and 1; `above + above.T` is 1 off the diagonal.
    bound
        No order that keeps to the fixed pairs goes against less weight.
    penalty
        Shape `(N, N)`: how much the bound rises when i is put above j; 0 for pairs that are fixed.
    solved
        No inequality is violated; else the search stopped because of the bound, or of time.
    """

    above: Floats
    bound: float
    penalty: Floats
    solved: bool


class Relaxation:
    """Minimise the weight against majorities over x_ij ∈ [0, 1], i < j, with 0 ≤ x_ij + x_jk − x_ik ≤ 1.

    x_ij = 1 puts i above j. An integral point is an order, and the inequalities are the triangles of the linear
    ordering polytope (Grötschel, Jünger and Reinelt 1984); violated ones are added in rounds, slack ones dropped.

    Parameters
    ----------
    majorities
        Shape `(N, N)`: by how much i beats j, zero where it does not.

    Examples
    --------
    >>> circle = np.array([[0.0, 3.0, 0.0], [0.0, 0.0, 2.0], [1.0, 0.0, 0.0]])
    >>> Relaxation(circle).solve(np.zeros((3, 3), dtype=bool)).bound
    1.0
    """

    def __init__(self, majorities: Floats) -> None:
        n = len(majorities)
        self._n = n
        self._first, self._second = np.triu_indices(n, 1)
        self._pair = np.zeros((n, n), dtype=np.int64)
        self._pair[self._first, self._second] = np.arange(self._first.size)
        against, along = (majorities.T[self._first, self._second], majorities[self._first, self._second])
        self._cost = against - along
        self._offset = float(along.sum())
        self._unit = max(float(np.abs(self._cost).max(initial=0.0)), np.finfo(float).tiny)
        self._rows = np.zeros((0, 3), dtype=np.int64)
        self._highs = self._model(_solver())

    def _model(self, highs: Any) -> Any:
        """Variables and costs, the largest of which is 1."""
        for name, value in _OPTIONS.items():
            highs.setOptionValue(name, value)
        size = self._cost.size
        highs.addVars(size, np.zeros(size), np.ones(size))
        highs.changeColsCost(size, np.arange(size, dtype=np.int32), self._cost / self._unit)
        return highs

    def solve(self, fixed: Relation, *, enough: float = np.inf, deadline: float = np.inf) -> Relaxed:
        """Solve with pairs fixed, until the bound exceeds `enough` or the clock `deadline` (`time.perf_counter`).

        Parameters
        ----------
        fixed
            Shape `(N, N)`: transitive and without circles; i must be above j.
        """
        lower = fixed[self._first, self._second].astype(np.float64)
        upper = (~fixed[self._second, self._first]).astype(np.float64)
        size = self._cost.size
        self._highs.changeColsBounds(size, np.arange(size, dtype=np.int32), lower, upper)
        above = np.full((self._n, self._n), 0.5)
        best, reduced = self._certified(np.zeros(len(self._rows)), lower, upper)
        penalty, dropped_at = self._penalty(reduced * (upper - lower)), -np.inf
        while best <= enough:
            finished = self._run(deadline)
            solution = self._highs.getSolution()
            dual = np.array(solution.row_dual)
            if dual.size == len(self._rows):
                bound, reduced = self._certified(dual, lower, upper)
                if bound > best:
                    best, penalty = bound, self._penalty(reduced * (upper - lower))
            if not finished:
                break
            above = self._square(np.clip(solution.col_value, lower, upper))
            rows = self._most_violated(above)
            if not rows.size:
                return Relaxed(above, best, penalty, solved=True)
            if best > dropped_at:
                # Only after progress, so that no inequality comes and goes for ever.
                dropped_at = best + 1e-9 * self._unit
                self._drop_slack()
            self._add(rows)
        return Relaxed(above, best, penalty, solved=False)

    def _run(self, deadline: float) -> bool:
        """Whether the program could be solved in time."""
        highs = self._highs
        if deadline < np.inf:
            left = deadline - time.perf_counter()
            if left <= 0:
                return False
            highs.setOptionValue("time_limit", highs.getRunTime() + left)
        highs.run()
        return bool(highs.getModelStatus() == type(highs.getModelStatus()).kOptimal)

    def _certified(self, dual: Floats, lower: Floats, upper: Floats) -> tuple[float, Floats]:
        """Lagrangian bound of the multipliers, true whatever the tolerances of the solver, and the reduced costs.

        Σ_r min(λ_r, 0) + Σ_ij min over bounds of (c − Aᵀλ)_ij x_ij, since every row lies between 0 and 1.
        """
        dual = dual * self._unit
        weights = (dual[:, None] * np.array([1.0, 1.0, -1.0])).ravel()
        reduced = self._cost - np.bincount(self._rows.ravel(), weights, self._cost.size)
        bound = np.minimum(dual, 0).sum() + np.where(reduced > 0, lower, upper) @ reduced
        return self._offset + float(bound), reduced

    def _square(self, values: Floats) -> Floats:
        """Variables as a matrix."""
        square = np.zeros((self._n, self._n))
        square[self._first, self._second], square[self._second, self._first] = values, 1.0 - values
        return square

    def _penalty(self, reduced: Floats) -> Floats:
        """Reduced costs as a matrix: what it costs to put i above j where the bound counts on the opposite."""
        penalty = np.zeros((self._n, self._n))
        penalty[self._first, self._second] = np.maximum(reduced, 0)
        penalty[self._second, self._first] = np.maximum(-reduced, 0)
        return penalty

    def _most_violated(self, above: Floats) -> Integers:
        """Violated inequalities as pairs ij, jk, ik, few of each pair; first those that can lift the bound most."""
        triples, beyond = _violated(above)
        rows = self._pair[triples[:, [0, 1, 0]], triples[:, [1, 2, 2]]]
        gain = beyond * (np.abs(self._cost)[rows].min(axis=1, initial=np.inf) + 0.01 * self._unit)
        rows = rows[np.argsort(-np.round(gain / self._unit, 6), kind="stable")]
        uses = [0] * self._cost.size
        keep = []
        for index, (ij, jk, ik) in enumerate(rows.tolist()):
            if max(uses[ij], uses[jk], uses[ik]) < _PER_PAIR:
                uses[ij], uses[jk], uses[ik] = uses[ij] + 1, uses[jk] + 1, uses[ik] + 1
                keep.append(index)
        return rows[keep]

    def _drop_slack(self) -> None:
        """Take out the inequalities that hold by themselves; the basis stays one."""
        slack = np.array([status.name == "kBasic" for status in self._highs.getBasis().row_status], dtype=bool)
        if slack.any():
            gone = np.flatnonzero(slack).astype(np.int32)
            self._highs.deleteRows(gone.size, gone)
            self._rows = self._rows[~slack]

    def _add(self, rows: Integers) -> None:
        """Add inequalities, given as the pairs ij, jk, ik."""
        count = len(rows)
        starts = np.arange(0, 3 * count, 3, dtype=np.int32)
        values = np.tile([1.0, 1.0, -1.0], count)
        self._highs.addRows(
            count, np.zeros(count), np.ones(count), 3 * count, starts, rows.ravel().astype(np.int32), values
        )
        self._rows = np.concatenate([self._rows, rows])


def _violated(above: Floats) -> tuple[Integers, Floats]:
    """Triples i < j < k whose inequality is violated, shape `(R, 3)`, and by how much."""
    n = len(above)
    # NaN, unlike any number, violates nothing: it stands for what is not i < j < k.
    upper = np.where(np.tri(n, dtype=bool), np.nan, above)
    found, excess = [np.zeros((0, 3), dtype=np.int64)], [np.zeros(0)]
    for i in range(n - 2):
        row = upper[i, i + 1 :]
        beyond = np.abs(row[:, None] + upper[i + 1 :, i + 1 :] - row - 0.5) - 0.5
        j, k = np.nonzero(beyond > _FEASIBLE)
        if j.size:
            found.append(np.column_stack([np.full(j.size, i), i + 1 + j, i + 1 + k]))
            excess.append(beyond[j, k])
    return np.concatenate(found), np.concatenate(excess)


Order = NDArray[np.int64]


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
