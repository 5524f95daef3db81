"""Clusters are drawn whole: copies of an instance inside its cluster tell nothing new, by any method."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import podium
from podium.ranking.contributions import n_units, of_instances
from podium.ranking.degrees_of_freedom import degrees_of_freedom, df_of_systems
from podium.ranking.figure import intervals_of
from podium.ranking.method_spec import MethodSpec
from podium.score.table import Scores
from podium.score.task import Clusters
from podium.tally import compiled
from podium.tally.count import PLAIN
from podium.tally.draw import Resampling

Floats = np.ndarray[Any, np.dtype[np.float64]]


def world(rng: int, *, clusters: int = 20, systems: int = 4, tasks: int = 2) -> dict[str, Floats]:
    generator = np.random.default_rng(rng)
    ability = np.linspace(0, 1, systems)[:, None]
    return {f"t{number}": generator.normal(size=(systems, clusters)) + ability for number in range(tasks)}


def named(arrays: dict[str, Floats], times: int = 1) -> Scores:
    """Every instance its own cluster, or copies of it in one."""
    copied = {name: np.repeat(values, times, axis=1) for name, values in arrays.items()}
    labels = {
        name: np.repeat([f"{name} {place}" for place in range(values.shape[1])], times)
        for name, values in arrays.items()
    }
    return podium.from_arrays(copied, clusters=labels)


@pytest.mark.parametrize(
    "method", ["mean", "borda", "borda:one", "borda:two", "wins:one", "copeland", "kemeny", "median"]
)
@pytest.mark.parametrize("clusters", [20, 60])
def test_copies_inside_a_cluster_change_nothing(method: str, clusters: int) -> None:
    arrays = world(1, clusters=clusters)
    once, often = (
        intervals_of(podium.rank(named(arrays, times), method, confidence_level=0.95, n_resamples=80, rng=2))
        for times in (1, 3)
    )
    for field in ("std_error", "score_low", "score_high", "share_first"):
        assert_allclose(getattr(often, field), getattr(once, field), rtol=1e-9, atol=1e-12)
    for field in ("rank_low", "rank_high", "joint_rank_low", "joint_rank_high", "tier", "separated"):
        assert_array_equal(getattr(often, field), getattr(once, field))


@pytest.mark.parametrize("level", ["one", "balanced", "two", "task"])
def test_hoeffding_counts_a_cluster_as_one_draw(level: Any) -> None:
    arrays = world(2)
    once, often = (podium.pairwise(named(arrays, times), level=level) for times in (1, 4))
    plain = podium.pairwise(podium.from_arrays(arrays), level=level)
    assert_allclose(often.compared, once.compared, rtol=1e-12)
    assert_allclose(once.compared, plain.compared, rtol=1e-12)
    assert_allclose(often.radius, once.radius, rtol=1e-12)


def test_hoeffding_with_holes_and_unequal_clusters_by_hand() -> None:
    values = np.array([[1.0, 1, 0, 1, np.nan, 1], [0.0, np.nan, 1, 0, 1, 0]])
    scores = podium.from_arrays({"t": values}, clusters=["a", "a", "a", "b", "b", "c"])
    scores = scores.with_instance_weights({"t": [1, 1, 2, 1, 1, 3]})
    # both are scored on 1 and 2 of a, 1 of b, 3 of c
    compared = podium.pairwise(scores, level="one").compared
    assert compared[0, 1] == pytest.approx((1 + 2 + 1 + 3) ** 2 / (3**2 + 1 + 3**2))


def test_freedom_and_units_are_those_of_clusters() -> None:
    arrays = world(3)
    plain, often = podium.from_arrays(arrays), named(arrays, 5)
    for level in ("one", "balanced"):
        assert degrees_of_freedom(often, "instances", level) == pytest.approx(
            degrees_of_freedom(plain, "instances", level)
        )
    assert n_units(often, "instances") == n_units(plain, "instances") == 40
    unequal = podium.from_arrays({"t": np.ones((2, 12))}, clusters=list("aaaaaabcdefg"))
    sizes = np.array([6.0, 1, 1, 1, 1, 1, 1])
    assert degrees_of_freedom(unequal, "instances", "one") == pytest.approx(sizes.sum() ** 2 / (sizes**2).sum() - 1)


def test_clusters_with_one_label_are_one_unit_in_all_tasks() -> None:
    arrays = world(4, clusters=12)
    same = podium.from_arrays(arrays, clusters=[f"p{place // 2}" for place in range(12)])
    assert n_units(same, "instances") == 6
    assert degrees_of_freedom(same, "instances", "balanced") == pytest.approx(5)
    ranking = podium.rank(same, "mean", confidence_level=0.95, n_resamples=50)
    said = [note for note in ranking.notes if "cluster" in note]
    assert said[0] == "6 clusters of instances count as one draw each"
    where = "clusters in several tasks with different instances"
    assert said[1] == f"{where}: 'p0' and 5 more; each is one draw; label them apart if unrelated"
    assert max(map(len, said)) <= 140


def test_contributions_are_sums_over_clusters() -> None:
    arrays = world(5, clusters=6)
    plain = podium.from_arrays(arrays)
    labels = ["x", "x", "y", "z", "z", "z"]
    both = podium.from_arrays(arrays, clusters={"t0": labels, "t1": labels})
    for spec in (MethodSpec("mean"), MethodSpec("borda", "balanced")):
        alone, together = of_instances(plain, spec).values, of_instances(both, spec).values
        expected = [alone[[0, 1, 6, 7]], alone[[2, 8]], alone[[3, 4, 5, 9, 10, 11]]]
        assert_allclose(together, [some.sum(axis=0) for some in expected], atol=1e-12)


@given(seed=st.integers(0, 5), first=st.integers(0, 9), replicates=st.integers(1, 9))
def test_draws_are_of_clusters_whatever_the_cut(seed: int, first: int, replicates: int) -> None:
    labels = ["x", "y", "x", "z", "y", "x"]
    task = podium.from_arrays({"t": np.ones((1, 6))}, clusters=labels).tasks[0]
    other = replace(task, name="u", clusters=Clusters.of(["y", "q", "x", "q", "q", "q"]))
    run = Resampling("instances", replicates, seed, first)
    key, beside = run.keys([task, other])
    assert isinstance(key, np.ndarray)
    assert isinstance(beside, np.ndarray)
    for kernels in (PLAIN, compiled):
        draws = kernels.draws(key, first, replicates)
        assert_array_equal(draws[[0, 1]], draws[[2, 4]])
        assert_array_equal(kernels.draws(beside, first, replicates)[[2, 0]], draws[[0, 1]])
    whole = PLAIN.draws(key, 0, 20)
    assert_array_equal(whole[:, first : first + replicates], PLAIN.draws(key, first, replicates))


def test_the_standard_error_is_that_of_clusters() -> None:
    generator = np.random.default_rng(0)
    numbers = np.repeat(np.arange(60), generator.integers(1, 9, 60))
    values = generator.normal(size=(2, numbers.size)) + generator.normal(size=(2, 60))[:, numbers]
    scores = podium.from_arrays({"t": values}, clusters=list(map(str, numbers)))
    intervals = intervals_of(podium.rank(scores, "mean", confidence_level=0.95, n_resamples=20_000))
    departures = values - values.mean(axis=1, keepdims=True)
    sums = np.array([np.bincount(numbers, weights=row) for row in departures])
    expected = np.sqrt((sums**2).sum(axis=1)) / numbers.size
    order = [int(label.split()[1]) - 1 for label in podium.rank(scores, "mean", confidence_level=None).systems]
    # a ratio of sums, known to 1/√40,000 from replicates; its own curvature adds about 2 %
    assert_allclose(intervals.std_error, expected[order], rtol=0.04)


def test_one_cluster_is_no_sample() -> None:
    arrays = world(6, clusters=9)
    alone = podium.from_arrays(arrays, clusters={"t0": ["p"] * 9, "t1": list("abcdefghi")})
    ranking = podium.rank(alone, "mean", confidence_level=0.95, n_resamples=50)
    assert ranking.intervals is None
    lone = "no intervals: t0: one cluster shows no spread; leave it out (--tasks '!t0') or choose --units tasks"
    assert lone in ranking.notes
    none = podium.rank(podium.from_arrays(arrays, clusters={"t0": ["p"] * 9, "t1": ["q"] * 9}), confidence_level=0.95)
    assert none.intervals is None
    assert any(note.startswith("no intervals: 2 tasks cannot show") for note in none.notes)


def test_each_system_is_known_from_what_scores_it() -> None:
    nan = np.nan
    values = np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, nan, 3.0, nan, nan, nan]])
    plain = podium.from_arrays({"t": values, "u": values}, instances={"t": list("abcdef"), "u": list("ghijkl")})
    assert df_of_systems(plain, "instances").tolist() == [11.0, 3.0]
    assert df_of_systems(plain, "tasks").tolist() == [1.0, 1.0]
    # metrics of the same items are known from these items once
    shared = podium.from_arrays({"t": values, "u": values}, instances={"t": list("abcdef"), "u": list("abcdef")})
    assert df_of_systems(shared, "instances").tolist() == [5.0, 1.0]
    clustered = podium.from_arrays({"t": values}, clusters=list("xxyyzz"))
    assert df_of_systems(clustered, "instances").tolist() == [2.0, 1.0]


@pytest.mark.parametrize("way", ["wins:missing=direct", "borda:missing=model"])
def test_a_system_with_few_scores_is_separated_from_none(way: str) -> None:
    values = np.random.default_rng(1).normal(size=(6, 60))
    values[0, 3:], values[0, :3] = np.nan, 9.0  # best on all of its three instances
    ranking = podium.rank(podium.from_arrays({"t": values}), way, confidence_level=0.95, n_resamples=200)
    few = ranking.systems.index("system 1")
    assert not intervals_of(ranking).separated[few].any()
    assert not intervals_of(ranking).separated[:, few].any()
    assert any("system 1: on fewer than 6 instances" in note for note in ranking.notes)
