"""What each unit adds to the scores, if they are sums over units."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from podium.base.arrays import Bools, Floats, Ints
from podium.ranking.counted import CountedScores
from podium.ranking.linearised import linearised, pseudo_values
from podium.ranking.method_spec import MethodSpec, method_of
from podium.score.table import Scores
from podium.score.task import Task, masses_of
from podium.score.units import drawn_as, units_among
from podium.tally.position import Positions, expected_ranks

#: Numbers up to which what every unit adds to the scores is held.
HELD = 2**23


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """The addition of each of U units to the scores of N systems.

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
    """Return how many units are drawn: families of tasks that have weight and a score; or the units of their instances.

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


def of_instances(
    scores: Scores, spec: MethodSpec, *, scored_in: Scores | None = None, centred: bool = False
) -> Contributions:
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
    centred
        Leave out the share that a unit has in what its tasks add: what is left sums to 0 over units.

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
        spread.append(share * departure if centred else mass[:, None] * added + share * departure)
    there = [part.scored for part in inside]
    if scored_in is not None:
        of_name = {task.name: task for task in scored_in.tasks}
        there = [~np.isnan(of_name[task.name].values).T for task in tasks]
    of_units = []
    for units in units_among(tasks):
        values, scored = (np.concatenate([some[task] for task in units.tasks]) for some in (spread, there))
        of_units.append(by_unit(Contributions(values, scored), np.concatenate(units.of), units.number))
    return Contributions(
        np.concatenate([units.values for units in of_units]), np.concatenate([units.scored for units in of_units])
    )


def _shares(alone: Floats, weights: Floats) -> Floats:
    """Shape `(T, N)`: w_t / W_i, the share of each task in the weight of the tasks that score the system."""
    weight = weights[:, None] * ~np.isnan(alone)
    whole = weight.sum(axis=0)
    return np.asarray(np.divide(weight, whole, out=np.zeros_like(weight), where=whole > 0))


def of_task(task: Task, tolerance: float, *, means: bool) -> Contributions:
    """Return what each instance adds to the mean of one task, or to the shares of others beaten in it.

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


def contributions_of(counted: CountedScores, basis: MethodSpec, units: str) -> Contributions:
    """Return what each unit adds to scores that are sums over units; made once."""
    return counted.once(("contributions", basis, units), partial(_contributions, counted, basis, units))


def _contributions(counted: CountedScores, basis: MethodSpec, units: str) -> Contributions:
    if basis.missing == "model":
        return _by_model(counted, basis, units)
    if units == "instances":
        return of_instances(counted.by_name, basis)
    own, weights = counted.counted_for(basis), counted.by_name.task_weights
    score = own.of_each_task(basis).oriented_score.T
    if basis.level == "one":
        weights = weights * np.array([float(task.weight) for task in own.counts[Positions]])
    scored = np.array([task.scored > 0 for task in counted.by_name.tasks])
    weighs = (weights > 0) & scored.any(axis=1)
    return _of_families(of_tasks(score[weighs], scored[weighs], weights[weighs]), counted.by_name, weighs)


def _by_model(counted: CountedScores, basis: MethodSpec, units: str) -> Contributions:
    """Return the same for scores by a model of missing scores, to first order."""
    scores, model = counted.by_name, linearised(counted, basis)
    if units == "instances":
        return of_instances(pseudo_values(counted, basis)[0].by_name, MethodSpec("mean"), scored_in=scores)
    scored = np.array([task.scored > 0 for task in scores.tasks])
    weighs = model.weights > 0
    values = model.weights[weighs, None] * np.nan_to_num(model.tasks[weighs])
    return _of_families(Contributions(values, scored[weighs]), scores, weighs)


def _of_families(alone: Contributions, scores: Scores, weighs: Bools) -> Contributions:
    """Add up what the tasks of each family add, of the tasks that weigh something."""
    families, of = np.unique(np.array(drawn_as(scores.tasks, "tasks"))[weighs], return_inverse=True)
    return alone if families.size == len(alone.values) else by_unit(alone, of, families.size)
