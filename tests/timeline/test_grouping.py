"""Clusters that only one of two versions has, or that they make in different ways."""

from typing import Any

import numpy as np
import pytest

import podium
from podium.score.task import Clusters, Task
from podium.timeline.shared import with_joint_clusters

#: Instances, of eight clusters of ten.
SIZE = 80


def task(name: str, labels: str | None) -> Task:
    clusters = None if labels is None else Clusters.of(list(labels))
    return Task.cut(name, np.zeros((2, 4)), clusters=clusters)


@pytest.mark.parametrize(
    ("before", "after", "groups"),
    [
        ("aabb", "xxyy", [[0, 1], [2, 3]]),
        ("aabb", None, [[0, 1], [2, 3]]),
        (None, "aabb", [[0, 1], [2, 3]]),
        ("aabb", "xyyz", [[0, 1, 2, 3]]),
        ("aabc", "xyzz", [[0, 1], [2, 3]]),
        ("abca", "xyzw", [[0, 3], [1], [2]]),
    ],
)
def test_an_instance_goes_with_all_that_either_version_puts_beside_it(
    before: str | None, after: str | None, groups: list[list[int]]
) -> None:
    ((one, other),) = with_joint_clusters([(task("t", before), task("t", after))])
    assert one.clusters is not None
    assert other.clusters is not None
    assert one.clusters.labels == other.clusters.labels
    found: dict[str, list[int]] = {}
    for place, label in enumerate(one.clusters.labels):
        found.setdefault(label, []).append(place)
    assert sorted(found.values()) == groups


def test_clusters_that_tasks_share_stay_shared() -> None:
    pairs = with_joint_clusters([(task("t", "abcd"), task("t", "wxyz")), (task("u", None), task("u", "wwww"))])
    labels = [one.clusters.labels for one, _ in pairs if one.clusters is not None]
    assert len(labels) == 2
    assert len(set(labels[0])) == 4
    assert set(labels[1]) == {labels[0][0]}, "w is one cluster of both tasks"


def test_where_clusters_are_the_same_they_stay() -> None:
    pair = task("t", "aabb"), task("t", "aabb")
    assert with_joint_clusters([pair]) == [pair]


@pytest.mark.parametrize("grouped", ["before", "after", "both"])
def test_clusters_of_either_version_count(grouped: str) -> None:
    rows = np.random.default_rng(0).normal(size=(3, SIZE)) * 0.1 + np.array([[0.2], [0.1], [0.0]])
    later = rows.copy()
    later[2] += np.repeat([1.0, 1.0, 1.0, 1.0, 1.0, -0.6, -0.6, -0.6], 10)  # sure of 80 instances, not of 8 clusters
    told: dict[str, Any] = {"systems": list("ABC"), "instances": {"t": [f"{k:02d}" for k in range(SIZE)]}}
    of = {"t": [f"c{k // 10}" for k in range(SIZE)]}
    steps = {
        version: podium.from_arrays({"t": values}, **told, clusters=of if grouped in {version, "both"} else None)
        for version, values in (("before", rows), ("after", later))
    }
    step = podium.history(steps, "mean", n_resamples=200, n_jobs=1).steps[1]
    assert {one.winner for one in step.overtakings} == {"C"}
    assert not any(one.surely for one in step.overtakings)
    assert step.tested == ("all" if grouped == "both" else "shared")
    free = {
        version: podium.from_arrays({"t": values}, **told) for version, values in (("before", rows), ("after", later))
    }
    assert all(one.surely for one in podium.history(free, "mean", n_resamples=200, n_jobs=1).steps[1].overtakings), (
        "each for itself, they would be sure"
    )
