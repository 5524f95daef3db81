"""Kemeny consensus: the order that contradicts the ballots least, with a proof.

Branch and bound on the linear ordering polytope: a linear program says how far each system is above each other, the
inequalities against circles of three are added as they are violated, and what stays undecided is split in two.
"""

import heapq
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Bools, Floats, Ints
from podium.base.errors import MethodError
from podium.ranking.ballots import majority, pool_task_level, preferences, strong_components, transitive
from podium.ranking.method import Certificate, MethodContext, MethodResult, PairMethod, pooled
from podium.ranking.method.majority import never_met
from podium.score.place import places
from podium.tally.count import Counts
from podium.tally.duel import Duels

Order = Ints

#: Preferences, and costs, are the same if they differ by no more than this share of the largest preference.
_SAME = 1e-9

#: Finest divisor looked for, as a share of the largest majority.
_FINEST = 1e-7

#: Inequalities violated by less are met; and relaxed points closer than this to 0 and 1 are orders.
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


def kemeny(preferences: Floats, *, time_limit: float | None = None) -> tuple[Order, Certificate]:
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

    Returns
    -------
    Shape `(N,)`: indices, best first; and how good that order is.

    Raises
    ------
    MethodError
        `time_limit` is negative.

    Examples
    --------
    >>> order, certificate = kemeny(np.array([[0, 2, 0], [1, 0, 3], [3, 0, 0.0]]))
    >>> order, certificate.cost, certificate.unique
    (array([1, 2, 0]), 2.0, True)
    """
    deadline = np.inf if time_limit is None else time.perf_counter() + time_limit
    if time_limit is not None and not time_limit >= 0:
        raise MethodError(f"time limit {time_limit} must be ≥ 0 seconds; give None for no limit")
    wins = np.array(preferences, dtype=np.float64)
    np.fill_diagonal(wins, 0.0)
    same = _SAME * float(wins.max(initial=0.0))
    net = np.array([math.fsum(row) for row in wins - wins.T])
    borda = np.argsort(places(net, tolerance=same * len(net)), kind="stable")
    # From here on systems are in Borda order, so that the order they came in does not matter.
    wins = wins[np.ix_(borda, borda)]
    majorities, divisor, grain = _majorities_of(wins, same)
    # Multiples of a divisor are exact; what is left is the rounding of bounds.
    tolerance = 1e-4 if grain else same / divisor
    parts = [np.array(group) for group in strong_components(majorities > 0)]
    solved = {}
    for index in sorted(range(len(parts)), key=lambda index: parts[index].size):
        inner = majorities[np.ix_(parts[index], parts[index])]
        solved[index] = best_order(inner, grain=grain, tolerance=tolerance, deadline=deadline)
    best = [solved[index] for index in range(len(parts))]
    joined = np.concatenate([part[found.order] for part, found in zip(parts, best, strict=True)])
    order = _settled(joined, majorities)
    # disagreements, added up exactly before they are rounded
    cost = math.fsum(np.tril(wins[np.ix_(order, order)], -1).ravel().tolist())
    gap = divisor * math.fsum(found.excess - found.bound for found in best)
    other = _other(joined, order, majorities, parts, best) if gap == 0 else None
    known = gap == 0 and all(found.unique is not None for found in best)
    return borda[order], Certificate(
        cost=cost,
        lower_bound=cost - gap,
        gap=gap / cost if gap else 0.0,
        optimal=gap == 0,
        unique=False if other is not None else (True if known else None),
        alternative=None if other is None else tuple(borda[other].tolist()),
    )


def _majorities_of(wins: Floats, same: float) -> tuple[Floats, float, float]:
    """Majorities in multiples of a divisor, that divisor, and the grain, 1 if all are whole multiples of it, else 0."""
    margins = wins - wins.T
    margins[np.abs(margins) <= same] = 0.0
    majorities = np.maximum(margins, 0.0)
    largest = float(majorities.max())
    divisor = _common_divisor(np.unique(majorities[majorities > 0]), same)
    if divisor:
        whole = np.rint(majorities / divisor)
        if np.abs(majorities - whole * divisor).sum() < 1e-4 * divisor:
            return whole, divisor, 1.0
    return majorities / (largest or 1.0), largest or 1.0, 0.0


def _common_divisor(sizes: Floats, same: float) -> float:
    """Return the largest number that divides all but for rounding (Euclid); 0 if it is too small to be meant."""
    divisor = 0.0
    for size in sizes.tolist():
        rest = size
        while rest > max(same, _FINEST * sizes[-1]):
            divisor, rest = rest, abs(math.remainder(divisor, rest))
        if divisor < _FINEST * sizes[-1]:
            return 0.0
    # The largest is a multiple too, and has the smallest relative error.
    return float(sizes[-1] / round(sizes[-1] / divisor)) if divisor else 0.0


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


class Best(NamedTuple):
    """The best order found of systems that no majority splits.

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


def _other(joined: Order, order: Order, majorities: Floats, parts: list[Order], best: list[Best]) -> Order | None:
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
    orders = [found.order if found.other is None else found.other for found in best]
    another = np.concatenate([part[inner] for part, inner in zip(parts, orders, strict=True)])
    return None if np.array_equal(another, order) else another


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
    place = np.arange(order.size)
    return np.where(place[:, None] > place, passed - own, before - own)


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


def best_order(majorities: Floats, *, grain: float, tolerance: float, deadline: float = np.inf) -> Best:
    """Minimise the weight against majorities over all orders, and say whether another order is as good.

    Best-first branch and bound on `_Relaxation`: each node fixes pairs, with all that follows by transitivity and
    from reduced costs; each relaxed point is rounded to an order, which is improved by moving single items. Then the
    same search goes on among all orders but the best.

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
    if len(majorities) == 1:
        return Best(np.zeros(1, dtype=np.int64), 0.0, 0.0, None, unique=True)
    search = _Search(majorities, tolerance, deadline)
    step = max(grain - tolerance, tolerance)
    bound, finished = 0.0, False
    for least, relaxed in search.branches(-step):
        bound, finished = max(bound, least), relaxed is None
        if relaxed is not None:
            search.take(relaxed.rounded)
    order, excess = search.order, search.excess
    if not finished:
        bound = float(np.ceil((bound - tolerance) / grain) * grain) if grain else bound
        return Best(order, excess, min(bound, excess), None, None)
    change = insertions(order, majorities)
    np.fill_diagonal(change, np.inf)
    end, start = divmod(int(np.argmin(change)), order.size)
    if change[end, start] <= tolerance:
        return Best(order, excess, excess, moved(order, start, end), unique=False)
    search.relaxation.exclude(order)
    for _, relaxed in search.branches(tolerance):
        if relaxed is None:
            return Best(order, excess, excess, None, unique=True)
        other = relaxed.rounded
        if weight_against(other, majorities) <= excess + tolerance and not np.array_equal(other, order):
            return Best(order, excess, excess, other, unique=False)
    return Best(order, excess, excess, None, None)


@dataclass(order=True, slots=True)
class _Node:
    """Orders that put i above j wherever `fixed[i, j]`; the lowest bound comes first, then the deepest."""

    bound: float
    height: int
    fixed: Bools = field(compare=False)


class _Relaxed(NamedTuple):
    """The solution of a relaxation.

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

    @property
    def rounded(self) -> Order:
        """Items by how many others they are above."""
        return np.argsort(-self.above.sum(axis=1), kind="stable")


class _Search:
    """The best order so far, its weight against majorities, and the relaxation with the inequalities met so far."""

    def __init__(self, majorities: Floats, tolerance: float, deadline: float) -> None:
        self._majorities, self._tolerance = majorities, tolerance
        self.order = improved(np.arange(len(majorities)), majorities, tolerance=tolerance)
        self.excess = weight_against(self.order, majorities)
        self.relaxation = _Relaxation(majorities, deadline)

    def take(self, order: Order) -> None:
        """Improve an order, and keep it if it is better."""
        order = improved(order, self._majorities, tolerance=self._tolerance)
        excess = weight_against(order, self._majorities)
        if excess < self.excess - self._tolerance:
            self.order, self.excess = order, excess

    def branches(self, slack: float) -> Iterator[tuple[float, _Relaxed | None]]:
        """Search the orders that go against at most `excess + slack`: yield a bound of all, and the next relaxation.

        The last relaxation is None if the search is through; if it runs out of time, it just ends.
        """
        gaps, whole = np.abs(self._majorities - self._majorities.T), -np.inf
        nodes = [_Node(-np.inf, 0, np.zeros(gaps.shape, dtype=np.bool_))]
        while nodes:
            node = heapq.heappop(nodes)
            whole = max(whole, node.bound)
            if node.bound > self.excess + slack:
                break
            relaxed = self.relaxation.solve(node.fixed, self.excess + slack)
            if not nodes:
                whole = max(whole, relaxed.bound)
            yield whole, relaxed  # which may lower the excess
            fraction = np.minimum(relaxed.above, relaxed.above.T)
            if relaxed.bound > self.excess + slack or (relaxed.solved and fraction.max() <= _FEASIBLE):
                continue
            if not relaxed.solved:
                return
            fixed = transitive(node.fixed | (relaxed.bound + relaxed.penalty.T > self.excess + slack))
            choice = np.where(np.triu(~(fixed | fixed.T), 1), fraction * (1 + gaps), 0)
            i, j = divmod(int(np.argmax(choice)), len(choice))
            parts = [fixed]  # if what was undecided has been fixed meanwhile: the same node, smaller
            if choice[i, j] > _FEASIBLE:
                parts = [fixed.copy(), fixed.copy()]
                parts[0][j, i] = parts[1][i, j] = True
            for part in map(transitive, parts):
                if not (part & part.T).any():  # it does not contradict itself
                    heapq.heappush(nodes, _Node(max(node.bound, relaxed.bound), node.height - 1, part))
        yield whole, None


class _Relaxation:
    """Minimise the weight against majorities over x_ij ∈ [0, 1], i < j, with 0 ≤ x_ij + x_jk − x_ik ≤ 1.

    x_ij = 1 puts i above j. An integral point is an order, and the inequalities are the triangles of the linear
    ordering polytope (Grötschel, Jünger and Reinelt 1984); violated ones are added in rounds, slack ones dropped.
    The row that excludes an order stands among them as −1.
    """

    def __init__(self, majorities: Floats, deadline: float) -> None:
        self._n, self._deadline = len(majorities), deadline
        self._first, self._second = np.triu_indices(self._n, 1)
        size = self._first.size
        self._pair = np.zeros((self._n, self._n), dtype=np.int64)
        self._pair[self._first, self._second] = np.arange(size)
        along = majorities[self._first, self._second]
        self._cost = majorities[self._second, self._first] - along
        self._offset = float(along.sum())
        self._unit = float(np.abs(self._cost).max())
        self._rows = np.zeros((0, 3), dtype=np.int64)
        self._excluded, self._least = np.zeros(size), 0.0
        self._highs = _solver()
        for name, value in _OPTIONS.items():
            self._highs.setOptionValue(name, value)
        self._columns = np.arange(size, dtype=np.int32)
        self._highs.addVars(size, np.zeros(size), np.ones(size))
        self._highs.changeColsCost(size, self._columns, self._cost / self._unit)

    def exclude(self, order: Order) -> None:
        """Leave out one order: all others invert some of its neighbours."""
        left, right = order[:-1], order[1:]
        columns, along = self._pair[np.minimum(left, right), np.maximum(left, right)], left < right
        self._excluded[columns] = np.where(along, -1.0, 1.0)
        self._least = 1.0 - np.count_nonzero(along)
        self._highs.addRow(self._least, np.inf, columns.size, columns.astype(np.int32), self._excluded[columns])
        self._rows = np.concatenate([self._rows, np.full((1, 3), -1)])

    def solve(self, fixed: Bools, enough: float) -> _Relaxed:
        """Solve with pairs fixed, transitive and without circles, until the bound exceeds `enough`, or time is over."""
        lower = fixed[self._first, self._second].astype(np.float64)
        upper = (~fixed[self._second, self._first]).astype(np.float64)
        self._highs.changeColsBounds(lower.size, self._columns, lower, upper)
        above = np.full((self._n, self._n), 0.5)
        best, reduced = self._certified(np.zeros(len(self._rows)), lower, upper)
        dropped_at = -np.inf
        while best <= enough:
            finished = self._run()
            solution = self._highs.getSolution()
            if len(solution.row_dual) == len(self._rows):
                bound, changed = self._certified(np.array(solution.row_dual), lower, upper)
                best, reduced = (bound, changed) if bound > best else (best, reduced)
            if not finished:
                break
            values = np.clip(solution.col_value, lower, upper)
            above = np.zeros((self._n, self._n))
            above[self._first, self._second], above[self._second, self._first] = values, 1.0 - values
            rows = self._most_violated(above)
            if not rows.size:
                return _Relaxed(above, best, self._penalty(reduced * (upper - lower)), solved=True)
            if best > dropped_at:
                # Only after progress, so that no inequality comes and goes for ever.
                dropped_at = best + 1e-9 * self._unit
                self._drop_slack()
            self._add(rows)
        return _Relaxed(above, best, self._penalty(reduced * (upper - lower)), solved=False)

    def _run(self) -> bool:
        """Return whether the program could be solved in time."""
        highs = self._highs
        if self._deadline < np.inf:
            left = self._deadline - time.perf_counter()
            if left <= 0:
                return False
            highs.setOptionValue("time_limit", highs.getRunTime() + left)
        highs.run()
        return bool(highs.getModelStatus().name == "kOptimal")

    def _certified(self, dual: Floats, lower: Floats, upper: Floats) -> tuple[float, Floats]:
        """Lagrangian bound of the multipliers, true whatever the tolerances of the solver, and the reduced costs.

        Σ_r min(λ_r, 0) + max(μ, 0) b + Σ_ij min over bounds of (c − Aᵀλ − μ e)_ij x_ij, since every triangle lies
        between 0 and 1, and the row e that excludes an order above b.
        """
        triangle = self._rows[:, 0] >= 0
        excluding = max(float(dual[~triangle].sum()), 0.0) * self._unit
        dual = dual[triangle] * self._unit
        weights = (dual[:, None] * np.array([1.0, 1.0, -1.0])).ravel()
        reduced = self._cost - np.bincount(self._rows[triangle].ravel(), weights, self._cost.size)
        reduced -= excluding * self._excluded
        bound = np.minimum(dual, 0).sum() + excluding * self._least + np.where(reduced > 0, lower, upper) @ reduced
        return self._offset + float(bound), reduced

    def _penalty(self, reduced: Floats) -> Floats:
        """Return reduced costs as a matrix: what it costs to put i above j where the bound counts on the opposite."""
        penalty = np.zeros((self._n, self._n))
        penalty[self._first, self._second] = np.maximum(reduced, 0)
        penalty[self._second, self._first] = np.maximum(-reduced, 0)
        return penalty

    def _most_violated(self, above: Floats) -> Ints:
        """Violated inequalities as pairs ij, jk, ik, few of each pair; first those that can lift the bound most."""
        # NaN, unlike any number, violates nothing: it stands for what is not i < j < k.
        upper = np.where(np.tri(self._n, dtype=np.bool_), np.nan, above)
        found, excess = [np.zeros((0, 3), dtype=np.int64)], [np.zeros(0)]
        for i in range(self._n - 2):
            row = upper[i, i + 1 :]
            beyond = np.abs(row[:, None] + upper[i + 1 :, i + 1 :] - row - 0.5) - 0.5
            j, k = np.nonzero(beyond > _FEASIBLE)
            found.append(np.column_stack([np.full(j.size, i), i + 1 + j, i + 1 + k]))
            excess.append(beyond[j, k])
        i, j, k = np.concatenate(found).T
        rows = np.column_stack([self._pair[i, j], self._pair[j, k], self._pair[i, k]])
        gain = np.concatenate(excess) * (np.abs(self._cost)[rows].min(axis=1, initial=np.inf) + 0.01 * self._unit)
        uses = [0] * self._cost.size
        keep = []
        for row in rows[np.argsort(-np.round(gain / self._unit, 6), kind="stable")].tolist():
            if max(uses[pair] for pair in row) < _PER_PAIR:
                keep.append(row)
                for pair in row:
                    uses[pair] += 1
        return np.array(keep, dtype=np.int64).reshape(-1, 3)

    def _drop_slack(self) -> None:
        """Take out the inequalities that hold by themselves; the basis stays one."""
        slack = np.array([status.name == "kBasic" for status in self._highs.getBasis().row_status], dtype=np.bool_)
        slack &= self._rows[:, 0] >= 0
        if slack.any():
            gone = np.flatnonzero(slack).astype(np.int32)
            self._highs.deleteRows(gone.size, gone)
            self._rows = self._rows[~slack]

    def _add(self, rows: Ints) -> None:
        """Add inequalities, given as the pairs ij, jk, ik."""
        count, signs = len(rows), np.tile([1.0, 1.0, -1.0], len(rows))
        starts = np.arange(0, rows.size, 3, dtype=np.int32)
        columns = rows.ravel().astype(np.int32)
        self._highs.addRows(count, np.zeros(count), np.ones(count), rows.size, starts, columns, signs)
        self._rows = np.concatenate([self._rows, rows])


def _solver() -> Any:
    """Return a solver that prints nothing: HiGHS greets on standard output at the first call, which may be its own."""
    import highspy  # noqa: PLC0415  # loading it takes longer than most rankings

    class Silent(highspy.Highs):  # type: ignore[misc]  # has no types in some versions
        def enableCallbacks(self) -> None:  # noqa: N802  # the library's name
            self.silent()
            super().enableCallbacks()

    return Silent()


def share_below(order: Order, preference: Floats) -> Floats:
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


def consensus_shares(preference: Floats, solve: Callable[[Floats], Order]) -> Floats:
    """Return scores as of `share_below`, by the consensus of every replicate.

    Where majorities contradict each other nowhere, the consensus is to follow them, and no search is needed: that is
    so if i has a majority over j exactly where i has more majorities, less those against it, than j.

    Parameters
    ----------
    preference
        Shape `(N, N, B)`, as of `preferences`.
    solve
        Finds the consensus order of one matrix.

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
        score[:, b] = share_below(solve(matrix), matrix)
    return score


class _Kemeny(PairMethod):
    title = "Kemeny consensus"
    missing = ("imputed", "direct")
    options = ("time_limit",)
    shares = slow = takes_long = steps = True

    def apply(self, counts: Counts, context: MethodContext) -> MethodResult:
        if context.level != "two":
            preference = preferences(pooled(counts, context), context.missing)
            solve = _solve_in(context, _n_replicates(preference))
            if preference.ndim == 3:
                return MethodResult(consensus_shares(preference, lambda matrix: solve(matrix)[0]))
            order, certificate = solve(preference)
            return _consensus(order, preference, certificate, preference, "the ballots")
        tasks = [preferences(task, context.missing) for task in counts[Duels]]
        # tasks may be the same in all replicates, and searched once, while their weights are not
        replicates = _n_replicates(tasks[0], context.weights[:, None], context.scored)
        solve = _solve_in(context, len(tasks) * _n_replicates(tasks[0]) + replicates)
        inner: list[Certificate] = []
        ballots = []
        for task in tasks:
            if task.ndim == 3:
                ballots.append(consensus_shares(task, lambda matrix: solve(matrix)[0]))
                continue
            order, certificate = solve(task)
            inner.append(certificate)
            ballots.append(share_below(order, task))
        of_tasks = np.where(context.scored, np.array(ballots), np.nan)
        outer = preferences(pool_task_level(of_tasks, context.weights, tolerance=1e-9, scale=None), "imputed")
        if outer.ndim == 3:
            return MethodResult(consensus_shares(outer, lambda matrix: solve(matrix)[0]))
        order, found = solve(outer)
        unique = found.unique and all(one.unique for one in inner)
        optimal = found.optimal and all(one.optimal for one in inner)
        certificate = replace(found, optimal=optimal, unique=unique or (found.unique and None))
        return _consensus(order, outer, certificate, np.sum(tasks, axis=0), "the consensus orders of the tasks")


def _n_replicates(*arrays: NDArray[Any]) -> int:
    """Longest third axis of some arrays; 1 where there is none."""
    return max(array.shape[2] if array.ndim == 3 else 1 for array in arrays)


def _solve_in(context: MethodContext, runs: int) -> Callable[[Floats], tuple[Order, Certificate]]:
    """Kemeny's search, with its part of the time; which of several best orders it finds depends on no order of rows."""
    time_limit = None if context.time_limit is None else context.time_limit / runs
    systems = context.alphabetical

    def solve(matrix: Floats) -> tuple[Order, Certificate]:
        order, certificate = kemeny(matrix[np.ix_(systems, systems)], time_limit=time_limit)
        if certificate.alternative is not None:
            other = systems[np.array(certificate.alternative, dtype=np.int64)]
            certificate = replace(certificate, alternative=tuple(other.tolist()))
        return systems[order], certificate

    return solve


def _consensus(order: Order, preference: Floats, certificate: Certificate, met: Floats, ballots: str) -> MethodResult:
    return MethodResult(
        share_below(order, preference),
        certificate=certificate,
        remarks=lambda labels: [*never_met(met, labels), *_remarks(certificate, ballots)],
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


KEMENY = _Kemeny()
