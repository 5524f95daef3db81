"""Clusters: which instances are drawn as one, and how tables keep them."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import podium
from podium.errors import InputError, LabelError
from podium.score.table import Scores
from podium.score.task import Clusters
from podium.score.units import units_among

pytestmark = pytest.mark.core


def clustered() -> Scores:
    values = np.arange(12.0).reshape(2, 6)
    labels = ["p", "q", "p", "r", "q", "p"]
    return podium.from_arrays({"t": values}, instances=[5, 3, 1, 2, 4, 0], clusters=labels)


def labels_of(scores: Scores, task: int = 0) -> tuple[str, ...]:
    clusters = scores.tasks[task].clusters
    assert clusters is not None
    return clusters.labels


def test_what_a_cluster_is_drawn_by_depends_on_its_label_alone() -> None:
    one, other = Clusters.of(["b", "a"]), Clusters.of(["x", "b", "b"])
    assert one.hashes[one.names.index("b")] == other.hashes[other.names.index("b")]
    assert len({*one.hashes.tolist(), *other.hashes.tolist()}) == 3


def test_tables_keep_them() -> None:
    scores = clustered()
    assert labels_of(scores.take([1, 0])) == labels_of(scores)
    assert labels_of(scores.select(systems=["system 1"])) == labels_of(scores)
    assert labels_of(scores.with_task_weights({"t": 2})) == labels_of(scores)
    assert labels_of(copy.deepcopy(scores)) == labels_of(scores)
    fewer = podium.stresses.Subsample(0.5)(scores, np.random.default_rng(0))
    kept = [scores.tasks[0].values[0].tolist().index(value) for value in fewer.tasks[0].values[0]]
    assert labels_of(fewer) == tuple(labels_of(scores)[place] for place in kept)
    clusters = fewer.tasks[0].clusters
    assert clusters is not None
    assert set(clusters.names) == set(clusters.labels)


def test_tasks_that_share_a_cluster_are_drawn_together() -> None:
    values = np.ones((1, 2))
    arrays = dict.fromkeys("abcd", values)
    clusters = {"a": ["x", "y"], "b": ["z", "w"], "c": ["y", "z"]}
    scores = podium.from_arrays(arrays, clusters=clusters)
    first, second = units_among(scores.tasks)
    assert (first.tasks, first.number, first.clusters) == ((0, 1, 2), 4, ("w", "x", "y", "z"))
    assert [of.tolist() for of in first.of] == [[1, 2], [3, 0], [2, 3]]
    assert (second.tasks, second.number, second.clusters) == ((3,), 2, None)


def test_arrays_whose_clusters_do_not_fit_are_refused() -> None:
    values = np.ones((2, 3))
    refused: dict[str, tuple[list[Any], str]] = {
        "too few": (["a", "b"], "task 't' has 3 instances, but their clusters have shape"),
        "none": (["a", None, "b"], "task 't': instance 2 has no cluster"),
        "nan": (["a", "b", float("nan")], "task 't': instance 3 has no cluster"),
        "empty": (["a", " ", "b"], "task 't': instance 2 has no cluster"),
    }
    for given, said in refused.values():
        with pytest.raises(InputError, match=said):
            podium.from_arrays({"t": values}, clusters={"t": given})
    with pytest.raises(LabelError, match="'u'"):
        podium.from_arrays({"t": values}, clusters={"u": ["a", "b", "c"]})
    scores = clustered()
    with pytest.raises(InputError, match="task 't' has 6 instances, but clusters are given for 2"):
        replace(scores, tasks=(replace(scores.tasks[0], clusters=Clusters.of(["a", "b"])),))


def test_tasks_with_the_same_instances_have_the_same_clusters() -> None:
    arrays = {"t": np.ones((2, 3)), "u": np.zeros((2, 3))}
    with pytest.raises(InputError, match=r"instance 'j' is in cluster 'b' on task 't' and in cluster 'c' on task 'u'"):
        podium.from_arrays(arrays, instances=["i", "j", "k"], clusters={"t": ["a", "b", "c"], "u": ["a", "c", "b"]})
    with pytest.raises(InputError, match=r"task 't' has clusters and task 'u', with the same instances, has none"):
        podium.from_arrays(arrays, instances=["i", "j", "k"], clusters={"t": ["a", "b", "c"]})


def test_a_number_written_with_a_fraction_of_0_is_the_same_label() -> None:
    labels = {"t": ["a", "7", "12"], "u": ["12.0", "7.0", "7.5"]}
    scores = podium.from_arrays({name: [[1.0, 0.0, 2.0]] for name in labels}, instances=labels)
    (units,) = units_among(scores.tasks)
    assert units.number == 4
