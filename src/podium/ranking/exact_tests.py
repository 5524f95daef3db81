"""What each unit adds to the scores, where scores are sums over units.

- Exact tests for few units: differences of systems whose validity does not rest on there being many units.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Bools, Floats, Ints
from podium.base.statistics import COUNTED, all_signs, flip_p_value, normal_cdf
from podium.ranking.bootstrap import unit_of
from podium.ranking.method_spec import MethodSpec, method_of
from podium.score.table import Scores
from podium.score.task import Task, masses_of
from podium.score.units import Units, drawn_as, units_among
from podium.tally.draw import sign_flips
from podium.tally.position import expected_ranks

#: Of more units than `COUNTED`, signs are flipped in so many ways, all but the first by chance.
_BY_CHANCE = 5000

#: Flips times pairs of systems above which fewer flips are made, and the fewest that are.
_AT_MOST, _AT_LEAST = 2 * 10**9, 1000

#: A statistic that is larger by this share is as large; and a sum of squares of this share is none.
_ROUNDING, _NOTHING = 1e-9, 1e-24

#: Pairs of systems, and units, that are looked at together.
_PAIRS, _UNITS = 1024, 4096


@dataclass(frozen=True, slots=True, eq=False)
class Separated:
    """Which systems a test separates, at the error α.

    Attributes
    ----------
    joint
        Shape `(N, N)`, symmetric: whether i and j differ, if all pairs are judged together.
    own
        Shape `(N, N)`: whether i and j differ, if the N − 1 pairs of i are judged together, two-sided.
    beaten
        Shape `(N,)`: whether another system is better, one-sided, if the N − 1 pairs of the system are judged together.
        The best system is said to be beaten with a probability of at most α.
    """

    joint: Bools
    own: Bools
    beaten: Bools

    def __and__(self, other: "Separated") -> "Separated":
        """Return what both tests say."""
        return Separated(self.joint & other.joint, self.own & other.own, self.beaten & other.beaten)

    @classmethod
    def where(cls, pairs: Bools) -> Self:
        """Return that all of some pairs `(N, N)` are separated."""
        return cls(pairs, pairs, np.asarray(pairs.any(axis=1)))


def flipped(values: Floats, *, alpha: float, seed: int) -> Separated:
    """Separate systems by flips of whole units: exact for any scores of symmetric differences (Fisher 1935).

    If two systems are equal in all, every unit might as well have exchanged their scores. So the sign of what unit u
    adds to a difference, d_u = x_ui − x_uj, is flipped, the same for all pairs. T = |Σ_u d_u| / √Σ_u d_u² is compared
    with the largest T of all pairs under the same signs: pairs above the 1 − α quantile are separated, and the others
    compared with the largest of them, until none is separated (Romano & Wolf 2005, stepdown). All 2^(U − 1) signs are
    tried up to U = 14, otherwise 4,999 by chance and those that are.

    Parameters
    ----------
    values
        Shape `(U, N)`: what each unit adds to the score of each system.
    alpha
        α, the chance that any equal pair of those judged together is separated.
    seed
        Of signs by chance, which depend on it and on the place of the unit.

    References
    ----------
    Fisher 1935, §21; Romano & Wolf, JASA 100, 2005; possible winners and ranks: Mogstad et al. 2024, §3.

    Examples
    --------
    >>> values = np.array([[3.0, 2.0, 1.0]] * 5 + [[3.0, 1.0, 2.0]] * 3) / 8
    >>> found = flipped(values, alpha=0.05, seed=0)
    >>> found.joint[0].tolist(), found.beaten.tolist()
    ([False, True, True], [False, True, True])
    """
    n_units, n_systems = values.shape
    if n_systems == 2:  # exact, where more systems take signs by chance
        p = flip_p_value(values[:, 0] - values[:, 1])
        apart = np.array([[False, p <= alpha], [p <= alpha, False]])
        total = values.sum(axis=0)
        return Separated(apart, apart, (total < total.max()) & (p / 2 <= alpha))
    centred = values - values.mean(axis=1, keepdims=True)
    centred /= unit_of(centred)
    inverse = _inverse_lengths(centred)
    if n_units <= COUNTED:
        sums = all_signs(n_units) @ centred
    else:
        number = int(np.clip(_AT_MOST // n_systems**2, _AT_LEAST, _BY_CHANCE))
        sums = np.zeros((number, n_systems))
        for start in range(0, n_units, _UNITS):
            some = centred[start : start + _UNITS]
            sums += sign_flips(seed, start, len(some), number) @ some
    joint, own = np.zeros((2, n_systems, n_systems), dtype=np.bool_)
    beaten = np.zeros(n_systems, dtype=np.bool_)
    largest = np.zeros(len(sums))
    for i in range(n_systems):
        t = (sums - sums[:, [i]]) * inverse[i]
        above, below = t.max(axis=1), -t.min(axis=1)
        beaten[i] = _exceed(t[0].max(), np.concatenate([above, below]), alpha)
        np.maximum(above, below, out=above)
        np.maximum(largest, above, out=largest)
        own[i] = _stepped(np.abs(t[0]), above, alpha, partial(_largest, t))
    first, second = np.triu_indices(n_systems, 1)
    lead = np.abs(sums[0, first] - sums[0, second]) * inverse[first, second]

    def largest_of(some: Bools) -> Floats:
        found = np.zeros(len(sums))
        for i in np.unique(first[some]):
            others = second[some & (first == i)]
            t = np.abs((sums[:, others] - sums[:, [i]]) * inverse[i, others])
            np.maximum(found, t.max(axis=1), out=found)
        return found

    joint[first, second] = _stepped(lead, largest, alpha, largest_of)
    return Separated(joint | joint.T, own, beaten)


def _stepped(t: Floats, largest: Floats, alpha: float, largest_of: Callable[[Bools], Floats]) -> Bools:
    """Shape of `t`: which of some comparisons are significant, stepping down.

    Parameters
    ----------
    t
        What each comparison comes to.
    largest
        The largest that any of them comes to, under each of the flips, the first of which flips nothing.
    alpha
        The error of all together.
    largest_of
        The same of some of the comparisons.
    """
    found = np.zeros(t.shape, dtype=np.bool_)
    while True:
        more = ~found & _exceed(t, largest, alpha)
        if not more.any():
            return found
        found |= more
        if found.all():
            return found
        largest = largest_of(~found)


def _largest(t: Floats, some: Bools) -> Floats:
    """Shape `(S,)`: the largest of some columns."""
    return np.asarray(np.abs(t[:, some]).max(axis=1))


def _exceed(t: Any, largest: Floats, alpha: float) -> Any:
    """Whether at most a share α of the flips comes to as much, to rounding."""
    rank = math.floor(alpha * largest.size + _ROUNDING)
    return t * (1 - _ROUNDING) > np.partition(largest, -rank - 1)[-rank - 1]


def _inverse_lengths(values: Floats) -> Floats:
    """Shape `(N, N)`: 1 / √Σ_u d_u² of each pair of systems; 0 where they do not differ."""
    products = values.T @ values
    own = np.diag(products)
    total = own[:, None] + own
    squares = np.maximum(total - 2 * products, 0.0)
    close = np.argwhere(squares <= 1e-6 * total)  # little is left of the digits
    for start in range(0, len(close), _PAIRS):
        i, j = close[start : start + _PAIRS].T
        squares[i, j] = ((values[:, i] - values[:, j]) ** 2).sum(axis=0)
    varies = squares > _NOTHING * total
    inverse: Floats = np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=varies)
    return inverse


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """What each of U units adds to the scores of N systems.

    Attributes
    ----------
    values
        Shape `(U, N)`; their sum over units is the score, in a direction in which higher is better.
    scored
        Shape `(U, N)`: whether the unit has a score of the system.
    """

    values: Floats
    scored: Bools


def n_units(scores: Scores, units: str) -> int:
    """How many units are drawn: families of tasks that have weight and a score; or the units of their instances.

    >>> import podium
    >>> n_units(podium.datasets.toy_table1(), "tasks")
    6
    """
    tasks, names = weighing(scores, units)
    if units != "instances":
        return len(set(names))
    return sum(group.number for group in units_among(tasks))


def of_tasks(alone: Floats, scored: Bools, weights: Floats) -> Contributions:
    """Contributions of tasks: c_ti = w_t / W · s_i + w_t / W_i · (m_ti − s_i).

    s_i = Σ_t w_t m_ti / W_i, both sums over the tasks that score system i, and W = Σ w_t: a task has its share of the
    weight, and departs from the mean of the system where it scores it. Where nothing is missing, c_ti = w_t / W · m_ti.

    Parameters
    ----------
    alone
        Shape `(T, N)`: m_ti, the score by each task alone, higher is better; NaN where it does not count.
    scored
        Shape `(T, N)`: whether the task has a score of the system.
    weights
        Shape `(T,)`.

    Examples
    --------
    >>> of_tasks(np.array([[1.0, 2.0], [3.0, np.nan]]), np.ones((2, 2), dtype=np.bool_), np.ones(2)).values
    array([[0.5, 1. ],
           [1.5, 1. ]])
    """
    counts, share = ~np.isnan(alone), _shares(alone, weights)
    mean = (share * np.where(counts, alone, 0.0)).sum(axis=0)
    departure = share * np.where(counts, alone - mean, 0.0)
    return Contributions((weights / weights.sum())[:, None] * mean + departure, scored)


def by_unit(parts: Contributions, of: Ints, number: int) -> Contributions:
    """Add up what the parts of each unit add, by the number of their unit; it scores a system if one of them does.

    >>> by_unit(Contributions(np.eye(3), np.eye(3, dtype=np.bool_)), np.array([0, 1, 0]), 2).values
    array([[1., 0., 1.],
           [0., 1., 0.]])
    """
    shape = (number, parts.values.shape[1])
    values, scored = np.zeros(shape), np.zeros(shape, dtype=np.bool_)
    np.add.at(values, of, parts.values)
    np.logical_or.at(scored, of, parts.scored)
    return Contributions(values, scored)


def of_instances(scores: Scores, spec: MethodSpec, *, scored_in: Scores | None = None) -> Contributions:
    """Contributions of instances: c_ui = Σ_t [v_tu · c_ti + w_t / W_i · (c_tui − v_tu · m_ti)].

    c_ti is what task t adds, see `of_tasks`, and m_ti its score alone; v_tu is the weight of instance u inside its
    task, and c_tui what it adds there, also by `of_tasks`. So an instance has its share of what its task adds, and
    departs from that by as much as inside its task. An instance that several tasks share is one unit, and so is a
    cluster. Borda is a mean over ballots, on which a system without a score counts at its expectation.

    Parameters
    ----------
    scores
        The table. A number for every system on every instance must fit into memory.
    spec
        Method "mean", or "borda" at level "one" or "balanced".
    scored_in
        The table with the scores, where `scores` has numbers in their place that are never missing.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_arrays({"t": [[3.0, 1.0, 2.0], [2.0, 2.0, 1.0]]})
    >>> of_instances(scores, MethodSpec("borda", "balanced")).values.sum(axis=0).round(4)
    array([0.6667, 0.3333])
    """
    tasks, _ = weighing(scores, "instances")
    inside = [of_task(task, scores.effective_tie_tolerance, means=method_of(spec).averages) for task in tasks]
    weights = np.array([task.weight for task in tasks])
    if spec.level == "one":
        weights = weights * [masses_of(task).sum() for task in tasks]
    alone = np.array([part.values.sum(axis=0) for part in inside])
    if method_of(spec).averages:  # a task without scores of a system says nothing of its mean
        alone[~np.array([part.scored.any(axis=0) for part in inside])] = np.nan
    outer = of_tasks(alone, ~np.isnan(alone), weights)
    spread = []
    for task, part, added, share, own in zip(tasks, inside, outer.values, _shares(alone, weights), alone, strict=True):
        mass = masses_of(task) / masses_of(task).sum()
        departure = part.values - mass[:, None] * np.where(np.isnan(own), 0.0, own)
        spread.append(mass[:, None] * added + share * departure)
    groups = units_among(tasks)
    there = [part.scored for part in inside]
    if scored_in is not None:
        of_name = {task.name: task for task in scored_in.tasks}
        there = [~np.isnan(of_name[task.name].values).T for task in tasks]
    return Contributions(
        np.concatenate([_added(units, [spread[task] for task in units.tasks]) for units in groups]),
        np.concatenate([_added(units, [there[task] for task in units.tasks]) > 0 for units in groups]),
    )


def _shares(alone: Floats, weights: Floats) -> Floats:
    """Shape `(T, N)`: w_t / W_i, the share of each task in the weight of the tasks that score the system."""
    weight = weights[:, None] * ~np.isnan(alone)
    whole = weight.sum(axis=0)
    share: Floats = np.divide(weight, whole, out=np.zeros_like(weight), where=whole > 0)
    return share


def _added(units: Units, values: list[NDArray[Any]]) -> Floats:
    """Shape `(U, N)`: sums of values of instances, `(K, N)` of each task, over those of each unit."""
    total = np.zeros((units.number, values[0].shape[1]))
    for of, own in zip(units.of, values, strict=True):
        np.add.at(total, of, own)
    return total


def of_task(task: Task, tolerance: float, *, means: bool) -> Contributions:
    """What each instance adds to the mean of one task, or to the shares of others beaten in it.

    >>> import podium
    >>> task = podium.from_arrays({"t": [[3.0, 1.0, 2.0], [2.0, 2.0, 1.0]]}).tasks[0]
    >>> of_task(task, 0.0, means=False).values.sum(axis=0).round(4)
    array([0.6667, 0.3333])
    """
    given = np.concatenate(task.parts, axis=1).astype(np.float64)
    values = given if task.higher_is_better else -given
    scored = ~np.isnan(values).T
    if means:
        return of_tasks(values.T, scored, masses_of(task))
    n_systems = len(values)
    shares = (n_systems - expected_ranks(values, tolerance).T) / max(n_systems - 1, 1)
    return of_tasks(shares, scored, masses_of(task))


def weighing(scores: Scores, units: str) -> tuple[list[Task], list[str | None]]:
    """Return the tasks that have weight and a score, and the names under which they are drawn, see `drawn_as`.

    >>> import podium
    >>> weighing(podium.datasets.toy_table1().select(tasks=["Task[12]"]), "tasks")[1]
    ['Task1', 'Task2']
    """
    both = zip(scores.tasks, drawn_as(scores.tasks, units), strict=True)
    some = [(task, name) for task, name in both if task.weight > 0 and task.scored.any()]
    return [task for task, _ in some], [name for _, name in some]


def exchange_p_values(units: Contributions) -> Floats:
    """Shape `(N, N)`: two-sided p-values of differences of scores, if two systems might have exchanged any instance.

    If two systems are equal on the same instances, then of each instance their repeats might as well have been those of
    the other, and what it adds to the difference, d, has either sign. So Σ d has the variance Σ d², exactly, and is
    nearly normal where there are many instances: p = 2 Φ(−|Σ d| / √Σ d²). Valid for any method that is a sum over
    instances. It sees fewer differences than draws of repeats do, because d² holds too that systems differ more on some
    instances than on others.

    Parameters
    ----------
    units
        What each instance adds to the scores.

    Examples
    --------
    >>> units = Contributions(np.tile([1.0, 0.0], (4, 1)), np.ones((4, 2), dtype=np.bool_))
    >>> float(exchange_p_values(units)[0, 1].round(4))
    0.0455
    """
    products = units.values.T @ units.values
    own = np.diag(products)
    squares = np.maximum(own[:, None] + own - 2 * products, 0.0)
    score = units.values.sum(axis=0)
    lead = np.abs(score[:, None] - score)
    z = np.divide(lead, np.sqrt(squares), out=np.zeros_like(lead), where=squares > 1e-12 * (own[:, None] + own))
    p: Floats = 2 * normal_cdf(-z)
    return p
