"""Tasks: means and their errors, parts, and clusters, which are drawn as one."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import podium
from podium.errors import InputError, LabelError
from podium.score.table import Scores
from podium.score.task import PART, Clusters, Task, mean_scores, with_instances
from podium.score.units import units_among


@given(st.integers(0, 10_000), st.booleans(), st.booleans(), st.booleans())
def test_errors_are_those_of_statsmodels(seed: int, clustered: bool, weighted: bool, holes: bool) -> None:
    """A regression on a constant: robust (HC1) for single instances, cov_type="cluster" for clusters."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 40))
    labels = np.append([0, 1], rng.integers(0, 6, n - 2))
    values = rng.normal(5, 2, (2, n)) + rng.normal(size=6)[labels]
    weights = rng.integers(1, 5, n).astype(float) if weighted else np.ones(n)
    if holes:
        values[1, rng.permutation(n - 2)[: n // 3] + 2] = np.nan
    details = {"clusters": Clusters.of(list(map(str, labels)))} if clustered else {}
    means, errors = mean_scores(Task.cut("t", values, instance_weights=weights, **details))
    for row, mean, error in zip(values, means, errors, strict=True):
        known = ~np.isnan(row)
        fit = sm.WLS(row[known], np.ones(known.sum()), weights=weights[known])
        told = {"cov_type": "cluster", "cov_kwds": {"groups": labels[known]}} if clustered else {"cov_type": "HC1"}
        fitted = fit.fit(**told)
        assert_allclose([mean, error], [fitted.params[0], fitted.bse[0]], rtol=1e-9)


def test_a_large_task_is_the_same_as_its_systems_one_by_one() -> None:
    values = np.random.default_rng(0).normal(size=(3, 600_000)).astype(np.float32)
    together = np.array(mean_scores(Task.cut("t", values)))
    alone = np.array([np.ravel(mean_scores(Task.cut("t", row[None]))) for row in values]).T
    assert_allclose(together, alone, rtol=1e-12)


@pytest.mark.parametrize(
    ("values", "clusters", "weights", "mean"),
    [
        ([np.nan, np.nan], None, None, np.nan),
        ([0.5, np.nan], None, None, 0.5),
        ([0.5, 0.7], ["a", "a"], None, 0.6),
        ([0.5, 0.7], None, [1.0, 0.0], 0.5),
    ],
)
def test_one_instance_or_cluster_has_no_error(
    values: list[float], clusters: list[str] | None, weights: list[float] | None, mean: float
) -> None:
    task = Task.cut(
        "t",
        np.array([values]),
        clusters=None if clusters is None else Clusters.of(clusters),
        instance_weights=None if weights is None else np.array(weights),
    )
    means, errors = mean_scores(task)
    assert_allclose(means, [mean])
    assert np.isnan(errors).all()


def some_task(systems: int, instances: int, seed: int = 0) -> Task:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(systems, instances))
    return Task.cut("t", np.where(rng.random(values.shape) < 0.1, np.nan, values))


@given(st.integers(1, 12), st.sampled_from([1, 2, 5, PART, PART + 1, 2 * PART + 1]))
def test_some_instances_of_a_task_are_its_columns(systems: int, instances: int) -> None:
    task = some_task(systems, instances)
    kept = np.random.default_rng(1).random(instances) < 0.7
    kept[0] = True
    chosen = with_instances(task, kept).parts
    expected = Task.cut("t", task.values[:, kept]).parts
    assert [part.tobytes() for part in chosen] == [part.tobytes() for part in expected]
    assert all(part.flags.c_contiguous for part in chosen)


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
    for labels, said in refused.values():
        with pytest.raises(InputError, match=said):
            podium.from_arrays({"t": values}, clusters={"t": labels})
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
