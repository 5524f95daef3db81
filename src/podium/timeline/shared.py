"""What two versions of a table have in common, and in what they differ."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import instance_set
from podium.timeline.grouping import same_clusters, with_joint_clusters

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Shared:
    """Two versions, cut down to the tasks and the instances that both have; systems are all those of each.

    Attributes
    ----------
    before, after
        The same tasks, by name, with the same instances in the same order, with the weights of the later one, and with
        the clusters of both, joined.
    regrouped
        Whether the clusters of any task were other ones.
    """

    before: Scores
    after: Scores
    regrouped: bool = False


def same_suite(before: Scores, after: Scores) -> bool:
    """Whether two versions have the same tasks, with the same instances, weights and directions.

    >>> import podium
    >>> table = podium.datasets.toy_table1()
    >>> same_suite(table, table), same_suite(table, table.with_task_weights({"Task1": 2}))
    (True, False)
    """
    ones, others = ({task.name: task for task in scores.tasks} for scores in (before, after))
    if ones.keys() != others.keys() or before.tie_tolerance != after.tie_tolerance:
        return False
    return all(_same_task(one, others[name]) for name, one in ones.items())


def _same_task(one: Task, other: Task) -> bool:
    if one.weight != other.weight or one.higher_is_better != other.higher_is_better:
        return False
    if not _same_instances(one, other):
        return False
    return _same(one.instance_weights, other.instance_weights) and same_clusters(one, other)


@dataclass(frozen=True, slots=True)
class SuiteChange:
    """How tasks that both of two versions have differ: names of tasks, in the order of the later version.

    Attributes
    ----------
    directions, weights, instances, clusters
        Tasks of which these are other ones. Weights are of tasks, or of instances that are the same.
    """

    directions: tuple[str, ...]
    weights: tuple[str, ...]
    instances: tuple[str, ...]
    clusters: tuple[str, ...]

    @classmethod
    def between(cls, before: Scores, after: Scores) -> "SuiteChange":
        """Compare the tasks of one name.

        >>> import podium
        >>> table = podium.datasets.toy_table1()
        >>> SuiteChange.between(table, table.with_task_weights({"Task1": 2})).weights
        ('Task1',)
        """
        known = {task.name: task for task in before.tasks}
        pairs = [(known[task.name], task) for task in after.tasks if task.name in known]
        same = [_same_instances(one, other) for one, other in pairs]
        alike = [pair for pair, known in zip(pairs, same, strict=True) if known]
        reweighted = {other.name for one, other in alike if not _same(one.instance_weights, other.instance_weights)}
        reweighted |= {other.name for one, other in pairs if one.weight != other.weight}
        return cls(
            directions=tuple(other.name for one, other in pairs if one.higher_is_better != other.higher_is_better),
            weights=tuple(other.name for _, other in pairs if other.name in reweighted),
            instances=tuple(other.name for (_, other), known in zip(pairs, same, strict=True) if not known),
            clusters=tuple(other.name for one, other in alike if not same_clusters(one, other)),
        )


def _same_instances(one: Task, other: Task) -> bool:
    return one.n_instances == other.n_instances and instance_set(one) == instance_set(other)


def _same(one: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def shared_part(before: Scores, after: Scores, *, least: int = 1) -> Shared | None:
    """Cut two versions down to what both have; None where that is nothing.

    A task is the same if its name and its direction are; an instance, if its label is. Instances without labels are the
    same where there are as many.

    Parameters
    ----------
    before, after
        The versions.
    least
        Leave out tasks with fewer units (instances, or clusters of these) in common.

    Examples
    --------
    >>> import podium
    >>> table = podium.datasets.toy_table1()
    >>> shared_part(table, table.select(tasks=["Task1", "Task2"])).before
    Scores(3 systems × 2 tasks, 0 of 6 scores missing)
    """
    known = {task.name: task for task in before.tasks}
    found = [_in_common(known[task.name], task) for task in after.tasks if task.name in known]
    pairs = [pair for pair in found if pair is not None]
    regrouped = not all(same_clusters(one, other) for one, other in pairs)
    joint = with_joint_clusters(pairs)
    kept = sorted((pair for pair in joint if _units(pair[1]) >= least), key=lambda pair: pair[1].name)
    if not any(task.weight for _, task in kept):
        return None
    tolerance = after.tie_tolerance
    return Shared(
        replace(before, tasks=tuple(one for one, _ in kept), tie_tolerance=tolerance),
        replace(after, tasks=tuple(other for _, other in kept)),
        regrouped,
    )


def _units(task: Task) -> int:
    return task.n_instances if task.clusters is None else len(task.clusters)


def _in_common(one: Task, other: Task) -> tuple[Task, Task] | None:
    """Both tasks with their common instances; None where there are none."""
    if one.higher_is_better != other.higher_is_better:
        return None
    if not _same_instances(one, other):
        if one.instances is None or other.instances is None:
            return None
        ours, theirs = (np.array(list(map(str, labels.tolist()))) for labels in (one.instances, other.instances))
        _, here, there = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
        if not here.size:
            return None
        one, other = _cut_down(one, np.sort(here)), _cut_down(other, np.sort(there))
    weights = other.instance_weights
    if weights is not None and not weights.any():
        return None
    return replace(one, weight=other.weight, instance_weights=weights), other


def _cut_down(task: Task, places: Ints) -> Task:
    """Return the task with some of its instances; they keep their order."""
    if task.instances is None or places.size == task.n_instances:
        return task
    return task.with_values(
        task.values[:, places],
        instances=task.instances[places],
        instance_weights=None if task.instance_weights is None else task.instance_weights[places],
        clusters=None if task.clusters is None else task.clusters.take(places),
    )


def of_systems(scores: Scores, systems: list[str]) -> Scores:
    """Return the table with some systems, in this order."""
    if list(scores.systems) == systems:
        return scores
    row = {system: index for index, system in enumerate(scores.systems)}
    return scores.take([row[system] for system in systems])


def changed_scores(shared: Shared, systems: list[str]) -> Ints:
    """Shape `(N,)`: how many scores of each system differ on what both have; one that is there only once is none.

    >>> import podium
    >>> one = podium.from_dict({"A": {"t": 1.0, "u": 2.0}, "B": {"t": 1.0, "u": 2.0}})
    >>> other = podium.from_dict({"A": {"t": 1.0, "u": 3.0}, "B": {"t": 1.0}})
    >>> changed_scores(shared_part(one, other), ["A", "B"])
    array([1, 0])
    """
    total = np.zeros(len(systems), dtype=np.int64)
    for one, other in zip(_rows(shared.before, systems), _rows(shared.after, systems), strict=True):
        differ = (one != other) & ~(np.isnan(one) | np.isnan(other))
        total += np.count_nonzero(differ, axis=1)
    return total


def _rows(scores: Scores, systems: list[str]) -> list[NDArray[Any]]:
    chosen = of_systems(scores, systems)
    return [task.values for task in chosen.tasks]
