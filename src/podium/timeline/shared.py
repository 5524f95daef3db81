"""What two versions have in common: tasks, instances, clusters and coverage."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Ints
from podium.score.table import Scores
from podium.score.task import Clusters, Task, with_instances
from podium.score.units import instance_set

#: A version, and the label of one of its clusters.
_Cluster = tuple[int, str]


def same_clusters(one: Task, other: Task) -> bool:
    """Return whether two versions of a task with the same instances have the same clusters of them."""
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
    """

    before: Scores
    after: Scores


def same_suite(before: Scores, after: Scores) -> bool:
    """Say whether two versions have the same tasks, with the same instances, weights and directions.

    >>> import podium
    >>> table = podium.datasets.toy_table1()
    >>> same_suite(table, table), same_suite(table, table.with_task_weights({"Task1": 2}))
    (True, False)
    """
    alike = set(before.task_names) == set(after.task_names) and before.tie_tolerance == after.tie_tolerance
    return alike and not any(suite_changes(before, after).values())


def suite_changes(before: Scores, after: Scores) -> dict[str, tuple[str, ...]]:
    """Return the tasks of both versions whose directions, weights, instances or clusters differ.

    Weights are of tasks, or of instances that are the same.

    >>> import podium
    >>> table = podium.datasets.toy_table1()
    >>> suite_changes(table, table.with_task_weights({"Task1": 2}))["weights_changed"]
    ('Task1',)
    """
    changed: dict[str, list[str]] = {
        name: [] for name in ("directions_changed", "weights_changed", "instances_changed", "clusters_changed")
    }
    known = {task.name: task for task in before.tasks}
    for other in after.tasks:
        one = known.get(other.name)
        if one is None:
            continue
        same = _same_instances(one, other)
        weighed = same and not _same(one.instance_weights, other.instance_weights)
        differs = (
            one.higher_is_better != other.higher_is_better,
            weighed or one.weight != other.weight,
            not same,
            same and not same_clusters(one, other),
        )
        for names, changes in zip(changed.values(), differs, strict=True):
            names.extend([other.name] * changes)
    return {name: tuple(tasks) for name, tasks in changed.items()}


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
    joint = with_joint_clusters(pairs)
    kept = sorted((pair for pair in joint if _units(pair[1]) >= least), key=lambda pair: pair[1].name)
    if not any(task.weight for _, task in kept):
        return None
    tolerance = after.tie_tolerance
    return Shared(
        replace(before, tasks=tuple(one for one, _ in kept), tie_tolerance=tolerance),
        replace(after, tasks=tuple(other for _, other in kept)),
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
        here, there = np.isin(ours, theirs), np.isin(theirs, ours)
        if not here.any():
            return None
        one, other = with_instances(one, here), with_instances(other, there)
    weights = other.instance_weights
    if weights is not None and not weights.any():
        return None
    return replace(one, weight=other.weight, instance_weights=weights), other


def rows_of(labels: Sequence[str], systems: Sequence[str]) -> Ints:
    """Shape `(N,)`: where some systems stand among labels."""
    row = {label: index for index, label in enumerate(labels)}
    return np.array([row[system] for system in systems], dtype=np.int64)


def of_systems(scores: Scores, systems: list[str]) -> Scores:
    """Return the table with some systems, in this order."""
    return scores if list(scores.systems) == systems else scores.take(rows_of(scores.systems, systems).tolist())


def compared_scores(shared: Shared | None, systems: Sequence[str]) -> tuple[Ints, Ints, Ints]:
    """Shape `(N,)` each: how many scores of a system differ on what both have, are there only once, and are in both.

    >>> import podium
    >>> one = podium.from_dict({"A": {"t": 1.0, "u": 2.0}, "B": {"t": 1.0, "u": 2.0}})
    >>> other = podium.from_dict({"A": {"t": 1.0, "u": 3.0}, "B": {"t": 1.0}})
    >>> compared_scores(shared_part(one, other), ["A", "B"])
    (array([1, 0]), array([0, 1]), array([2, 1]))
    """
    differ, lone, common = np.zeros((3, len(systems)), dtype=np.int64)
    if shared is not None:
        here, there = (rows_of(scores.systems, systems) for scores in (shared.before, shared.after))
        for one, other in zip(shared.before.tasks, shared.after.tasks, strict=True):
            earlier, later = one.values[here], other.values[there]
            gone, new = np.isnan(later), np.isnan(earlier)
            differ += np.count_nonzero((earlier != later) & ~(gone | new), axis=1)
            lone += np.count_nonzero(gone != new, axis=1)
            common += np.count_nonzero(~(gone | new), axis=1)
    return differ, lone, common


def scored_in_both(shared: Shared, systems: list[str]) -> Shared | None:
    """Leave out scores of some systems that only one of two versions has; None where there are none.

    >>> import podium
    >>> from podium.timeline.shared import shared_part
    >>> one = podium.from_dict({"A": {"t": 1.0, "u": 2.0}, "B": {"t": 1.0, "u": 2.0}})
    >>> other = podium.from_dict({"A": {"t": 1.0, "u": 3.0}, "B": {"t": 1.0}})
    >>> scored_in_both(shared_part(one, other), ["A", "B"]).before
    Scores(2 systems × 2 tasks, 1 of 4 scores missing)
    """
    if not compared_scores(shared, systems)[1].any():
        return None
    here, there = (rows_of(scores.systems, systems) for scores in (shared.before, shared.after))
    tasks: tuple[list[Task], list[Task]] = [], []
    for one, other in zip(shared.before.tasks, shared.after.tasks, strict=True):
        lone = np.isnan(one.values[here]) != np.isnan(other.values[there])
        for kept, task, rows in zip(tasks, (one, other), (here, there), strict=True):
            values = np.array(task.values, copy=True)
            values[rows] = np.where(lone, np.nan, values[rows])
            kept.append(task.with_values(values))
    before, after = (
        replace(scores, tasks=tuple(kept)) for scores, kept in zip((shared.before, shared.after), tasks, strict=True)
    )
    return replace(shared, before=before, after=after)


def newly_scored(before: Scores, after: Scores, systems: list[str]) -> dict[str, tuple[str, ...]]:
    """For each task of both versions, the systems that have scores on it in the second one only.

    >>> import podium
    >>> one = podium.from_dict({"A": {"t": 1.0, "u": 2.0}, "B": {"t": 1.0}})
    >>> other = podium.from_dict({"A": {"t": 1.0, "u": 3.0}, "B": {"t": 1.0, "u": 3.0}})
    >>> newly_scored(one, other, ["A", "B"]), newly_scored(other, one, ["A", "B"])
    ({'u': ('B',)}, {})
    """
    here, there = rows_of(before.systems, systems), rows_of(after.systems, systems)
    known = {task.name: task.scored[here] > 0 for task in before.tasks}
    found = {}
    for task in after.tasks:
        if task.name in known:
            new = np.flatnonzero((task.scored[there] > 0) & ~known[task.name]).tolist()
            if new:
                found[task.name] = tuple(systems[index] for index in new)
    return found
