"""What two versions have in common: tasks, instances, clusters and coverage."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Ints
from podium.score.table import Scores
from podium.score.task import Clusters, Task
from podium.score.units import instance_set

#: A version, and the label of one of its clusters.
_Cluster = tuple[int, str]


def same_clusters(one: Task, other: Task) -> bool:
    """Whether two versions of a task with the same instances have the same clusters of them."""
    if one.clusters is None or other.clusters is None:
        return one.clusters is other.clusters
    return one.clusters.labels == other.clusters.labels


def with_joint_clusters(pairs: Sequence[tuple[Task, Task]]) -> list[tuple[Task, Task]]:
    """Give both versions of each task the same clusters: those of both, joined where they have an instance in common.

    Where only one version has clusters, both get these. Clusters that two tasks share stay shared.

    >>> import numpy as np
    >>> one, other = (
    ...     Task.cut("t", np.zeros((2, 4)), clusters=Clusters.of(labels)) for labels in ("aabc", "xyzz"))
    >>> [(pair[0].clusters.labels, pair[1].clusters.labels) for pair in with_joint_clusters([(one, other)])]
    [(('0 a', '0 a', '0 b', '0 b'), ('0 a', '0 a', '0 b', '0 b'))]
    """
    if all(same_clusters(one, other) for one, other in pairs):
        return list(pairs)
    parent: dict[_Cluster, _Cluster] = {}

    def root(cluster: _Cluster) -> _Cluster:
        while (above := parent.setdefault(cluster, cluster)) != cluster:
            parent[cluster] = parent[above]
            cluster = above
        return cluster

    for one, other in pairs:
        for before, after in zip(*map(_labels, (one, other), (0, 1)), strict=False):  # one of them may have none
            first, second = sorted((root(before), root(after)))
            parent[second] = first
    joint = []
    for one, other in pairs:
        labels = _labels(one, 0) or _labels(other, 1)
        clusters = Clusters.of([" ".join(map(str, root(label))) for label in labels]) if labels else None
        joint.append((replace(one, clusters=clusters), replace(other, clusters=clusters)))
    return joint


def _labels(task: Task, version: int) -> list[_Cluster]:
    return [] if task.clusters is None else [(version, label) for label in task.clusters.labels]


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


def scored_in_both(shared: Shared, systems: list[str]) -> Shared | None:
    """Leave out scores of some systems that only one of two versions has; None where there are none.

    >>> import podium
    >>> from podium.timeline.shared import shared_part
    >>> one = podium.from_dict({"A": {"t": 1.0, "u": 2.0}, "B": {"t": 1.0, "u": 2.0}})
    >>> other = podium.from_dict({"A": {"t": 1.0, "u": 3.0}, "B": {"t": 1.0}})
    >>> scored_in_both(shared_part(one, other), ["A", "B"]).before
    Scores(2 systems × 2 tasks, 1 of 4 scores missing)
    """
    pairs = list(zip(shared.before.tasks, shared.after.tasks, strict=True))
    here, there = (rows_of(scores, systems) for scores in (shared.before, shared.after))
    cut = [_in_both(one, other, here, there) for one, other in pairs]
    if all(pair is None for pair in cut):
        return None
    kept = [pair if found is None else found for pair, found in zip(pairs, cut, strict=True)]
    return replace(
        shared,
        before=replace(shared.before, tasks=tuple(one for one, _ in kept)),
        after=replace(shared.after, tasks=tuple(other for _, other in kept)),
    )


def _in_both(one: Task, other: Task, here: Ints, there: Ints) -> tuple[Task, Task] | None:
    if (one.scored[here] == one.n_instances).all() and (other.scored[there] == other.n_instances).all():
        return None
    lone = np.isnan(one.values[here]) != np.isnan(other.values[there])
    return (_without(one, here, lone), _without(other, there, lone)) if lone.any() else None


def _without(task: Task, rows: Ints, lone: NDArray[np.bool_]) -> Task:
    values = np.array(task.values, dtype=np.result_type(task.values.dtype, np.float32), copy=True)
    values[rows] = np.where(lone, np.nan, values[rows])
    return task.with_values(values)


def rows_of(scores: Scores, systems: list[str]) -> Ints:
    """Shape `(N,)`: where some systems stand in a table."""
    row = {system: index for index, system in enumerate(scores.systems)}
    return np.array([row[system] for system in systems], dtype=np.int64)


def lone_scores(shared: Shared, systems: list[str]) -> Ints:
    """Shape `(N,)`: how many scores of each system only one of the versions has, on what both have."""
    total = np.zeros(len(systems), dtype=np.int64)
    here, there = (rows_of(scores, systems) for scores in (shared.before, shared.after))
    for one, other in zip(shared.before.tasks, shared.after.tasks, strict=True):
        total += np.count_nonzero(np.isnan(one.values[here]) != np.isnan(other.values[there]), axis=1)
    return total


def whole_elsewhere(scores: Scores, part: Scores | None, systems: list[str]) -> bool:
    """Whether no score of some systems is missing in a table, beside its part that both versions have."""
    missing = _missing(scores, systems)
    return bool((missing == (0 if part is None else _missing(part, systems))).all())


def _missing(scores: Scores, systems: list[str]) -> Ints:
    rows = rows_of(scores, systems)
    counts = [task.n_instances - task.scored[rows] for task in scores.tasks]
    total: Ints = np.sum(counts, axis=0, dtype=np.int64)
    return total


def newly_scored(before: Scores, after: Scores, systems: list[str]) -> dict[str, tuple[str, ...]]:
    """For each task of both versions, the systems that have scores on it in the second one only.

    >>> import podium
    >>> one = podium.from_dict({"A": {"t": 1.0, "u": 2.0}, "B": {"t": 1.0}})
    >>> other = podium.from_dict({"A": {"t": 1.0, "u": 3.0}, "B": {"t": 1.0, "u": 3.0}})
    >>> newly_scored(one, other, ["A", "B"]), newly_scored(other, one, ["A", "B"])
    ({'u': ('B',)}, {})
    """
    here, there = rows_of(before, systems), rows_of(after, systems)
    known = {task.name: task.scored[here] > 0 for task in before.tasks}
    found = {}
    for task in after.tasks:
        if task.name in known:
            new = np.flatnonzero((task.scored[there] > 0) & ~known[task.name]).tolist()
            if new:
                found[task.name] = tuple(systems[index] for index in new)
    return found
