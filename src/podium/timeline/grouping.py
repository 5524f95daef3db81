"""Clusters of instances that two versions of a table put together in different ways."""

from collections.abc import Sequence
from dataclasses import replace

from podium.score.cluster import Clusters
from podium.score.task import Task

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
