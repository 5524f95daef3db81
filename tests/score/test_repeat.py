"""Statistics over repeats: their closed forms against brute force."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import podium
from podium.errors import InputError
from podium.score.repeat import RepeatVariance, Statistic

pytestmark = pytest.mark.core


def one(name: str, repeats: Sequence[float]) -> float:
    return float(Statistic(name).of(np.array([[repeats]]))[0, 0])


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.integers(1, 8), st.integers(0, 2))
def test_pass_at_k_is_the_share_of_draws_with_a_right_one(right: list[bool], k: int, holes: int) -> None:
    repeats = [*map(float, right), *[np.nan] * holes]
    if k > len(right):
        with pytest.raises(Exception, match=rf"needs {k} repeats, and there (is|are) {len(right)}"):
            one(f"pass@{k}", repeats)
        return
    draws = list(combinations(right, k))
    # whole numbers divided once: exact
    assert one(f"pass@{k}", repeats) == sum(map(any, draws)) / len(draws)
    assert one(f"pass^{k}", repeats) == sum(map(all, draws)) / len(draws)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=20), st.permutations(range(20)))
def test_mean_max_and_min_depend_on_no_order(repeats: list[float], order: list[int]) -> None:
    turned = [repeats[place] for place in order if place < len(repeats)]
    for name, function in (("mean", np.mean), ("max", np.max), ("min", np.min)):
        value = one(name, repeats)
        assert value == pytest.approx(float(function(repeats)), abs=1e-12)
        assert one(name, [*turned, *[np.nan] * 9]) == value


def test_a_majority_of_half_is_half() -> None:
    assert [one("majority", some) for some in ([1, 1, 0], [0, 0, 1], [1, 0], [1])] == [1, 0, 0.5, 1]


def test_an_instance_without_repeats_has_no_score() -> None:
    for name in ("mean", "max", "min", "majority", "pass@2", "pass^2"):
        assert np.isnan(one(name, [np.nan, np.nan]))


@pytest.mark.parametrize("name", ["pass@0", "pass@", "median", "pass5", "pass@1.5", "pass@05", ""])
def test_other_statistics_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"there is no statistic .* over repeats"):
        Statistic(name)


def test_arrays_with_an_axis_of_repeats() -> None:
    cube = np.array([[[1.0, 0.0], [1.0, np.nan]], [[0.0, 0.0], [1.0, 1.0]]])
    scores = podium.from_arrays({"t": cube}, systems=["A", "B"], clusters=["p", "q"])
    assert_array_equal(scores.tasks[0].values, [[0.5, 1], [0, 1]])
    scores = podium.from_arrays(cube[:, None], statistic="max")
    assert_array_equal(scores.tasks[0].values, [[1, 1], [0, 1]])
    assert podium.from_arrays({"t": cube.astype(np.float32)}).tasks[0].values.dtype == np.float32


@pytest.mark.parametrize(
    ("array", "statistic", "said"),
    [
        ([[[1, 0.5]]], "pass@1", r"task 't', system 'A', instance 1: a repeat scores 0.5, and 'pass@1' needs scores"),
        ([[[1, 0]]], "pass@3", r"task 't', system 'A', instance 1: 'pass@3' needs 3 repeats, and there are 2"),
        ([[1, 0]], "max", r"statistic='max' is over repeats, and task 't' has none"),
        ([[[1, np.inf]]], None, r"task 't': a score is infinite"),
        ([[[1, 0]]], "pass@x", r"there is no statistic 'pass@x' over repeats; did you mean 'pass@"),
    ],
)
def test_arrays_that_do_not_fit(array: Any, statistic: str | None, said: str) -> None:
    with pytest.raises(InputError, match=said):
        podium.from_arrays({"t": array}, systems=["A"], statistic=statistic)


def drawn(rng: np.random.Generator, instances: int, *, between: float, within: float) -> Any:
    """Two systems; every instance has one to five repeats."""
    of_instances = rng.normal(scale=np.sqrt(between), size=(2, instances, 1))
    repeats = of_instances + rng.normal(scale=np.sqrt(within), size=(2, instances, 5))
    repeats[:, np.arange(5) >= rng.integers(1, 6, size=(instances, 1))] = np.nan
    return repeats


def test_variances_between_instances_and_repeats_are_unbiased() -> None:
    rng = np.random.default_rng(0)
    found = [RepeatVariance.of(drawn(rng, 12, between=0.5, within=2.0)) for _ in range(2000)]
    for part, truth in (("between", 0.5), ("within", 2.0)):
        values = np.array([getattr(one, part) for one in found])
        assert abs(values.mean() - truth) < 4 * values.std() / np.sqrt(values.size)


def test_variances_without_enough_data_are_unknown() -> None:
    alone = RepeatVariance.of(np.array([[[1.0], [2.0]], [[np.nan], [np.nan]]]))
    assert np.isnan(alone.within).all()
    assert np.isnan(alone.between).all()
    one = RepeatVariance.of(np.array([[[1.0, 2.0]]]))
    assert (one.within.tolist(), one.repeats.tolist()) == ([0.5], [2])
    assert np.isnan(one.between).all()


def test_tables_keep_variances_only_as_long_as_they_are_true() -> None:
    cube = drawn(np.random.default_rng(1), 10, between=1.0, within=1.0)
    scores = podium.from_arrays({"t": cube}, systems=["A", "B"])
    repeats, turned = scores.tasks[0].repeats, scores.take([1, 0]).tasks[0].repeats
    assert repeats is not None
    assert turned is not None
    one, other = repeats.variance, turned.variance
    assert one is not None
    assert other is not None
    assert_array_equal(other.within, one.within[::-1])
    largest = podium.from_arrays({"t": cube}, statistic="max").tasks[0].repeats
    assert largest is not None
    assert largest.variance is None


def test_repeats_stay_with_their_systems_and_instances() -> None:
    cube = drawn(np.random.default_rng(1), 10, between=1.0, within=1.0)
    labels = [f"q{9 - number}" for number in range(10)]
    scores = podium.from_arrays({"t": cube, "u": cube}, systems=["A", "B"], instances=labels)
    changed = (
        scores.take([1, 0]),
        scores.select(tasks=["u"]),
        scores.by_name(),
        scores.with_task_weights({"u": 2.0}).with_directions(lower=["u"]),
        podium.stresses.Subsample(0.5)(scores, np.random.default_rng(0)),
    )
    for table in (scores, *changed):
        for task in table.tasks:
            assert task.repeats is not None
            assert_array_equal(task.repeats.statistic.of(task.repeats.values), task.values)
    holes = podium.stresses.RemoveScores(0.5)(scores, np.random.default_rng(0))
    assert all(task.repeats is None for task in holes.tasks), "scores that were removed have no repeats"
