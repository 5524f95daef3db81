"""Clusters that a tool names for some instances, beside files that name none."""

from collections.abc import Sequence

import numpy as np
import pytest

import podium
from podium.score.table import Scores
from podium.source.settle import as_table, in_clusters, settle
from podium.source.tool.run import Run, Samples, labels


def run(system: str, task: str, clusters: Sequence[str] | None = None, size: int = 4) -> Run:
    told = None if clusters is None else labels(clusters)
    samples = Samples(labels(range(size)), np.arange(size, dtype=np.float64), clusters=told)
    return Run(f"{system}-{task}", system, task, "acc", samples=samples)


def scores(*runs: Run) -> Scores:
    return podium.from_frame(as_table(settle(runs)))


def names(runs: Sequence[Run]) -> list[str]:
    (found,) = runs
    assert found.samples is not None
    assert found.samples.clusters is not None
    return list(found.samples.clusters)


def test_without_clusters_nothing_changes() -> None:
    runs = {("A", "t"): [run("A", "t")]}
    assert in_clusters(runs) is runs


def test_a_system_without_clusters_has_those_of_the_others() -> None:
    found = in_clusters({("A", "t"): [run("A", "t", "xxyy")], ("B", "t"): [run("B", "t")]})
    assert names(found["B", "t"]) == ["x", "x", "y", "y"]


def test_tasks_with_the_same_labels_have_the_same_clusters() -> None:
    (task, other) = scores(run("A", "t", "xxyy"), run("A", "u"), run("B", "t", "xxyy"), run("B", "u")).tasks
    assert task.clusters is not None
    assert other.clusters is not None
    assert task.clusters.labels == other.clusters.labels


def test_tasks_that_merely_number_their_instances_alike_are_apart() -> None:
    (task, other, third) = scores(run("A", "t", "xxyy"), run("A", "u", "vwwv"), run("A", "v", size=2)).tasks
    assert task.clusters is not None
    assert other.clusters is not None
    assert third.clusters is not None
    assert [sorted(set(one.clusters.labels)) for one in (task, other, third) if one.clusters is not None] == [
        ["x", "y"],
        ["v", "w"],
        ["v: 0", "v: 1"],
    ]
    assert task.instances is not None
    assert other.instances is not None
    assert task.instances.tolist() != other.instances.tolist()


@pytest.mark.parametrize("order", [1, -1])
def test_means_stand_beside_clusters(order: int) -> None:
    means = [Run("c", system, task, "acc", 0.5) for system in "AB" for task in "uv"]
    found = scores(*[run("A", "t", "xxyy"), run("B", "t", "xxyy"), *means][::order])
    assert found.n_scored == found.n_cells == 12
