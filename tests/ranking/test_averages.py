from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.stats import trim_mean

import podium
from podium.ranking.method import average
from podium.ranking.method.average import interquartile_mean, mean, median

Floats = NDArray[np.float64]
AVERAGES = [mean, median, interquartile_mean]
values = st.integers(-50, 50).map(lambda x: x / 10)
columns = hnp.arrays(np.float64, st.tuples(st.integers(1, 12), st.just(1)), elements=values)


@given(means=columns)
def test_unit_weights_give_the_textbook_averages(means: Floats) -> None:
    ones = np.ones(len(means))
    assert mean(means, ones) == pytest.approx(np.mean(means))
    assert median(means, ones) == pytest.approx(np.median(means))


@given(means=columns)
def test_the_interquartile_mean_is_scipys_trimmed_mean_of_four_copies(means: Floats) -> None:
    # Four copies of every task make the quartiles fall between tasks, where trimming needs no fractions.
    four = np.repeat(means, 4, axis=0)
    expected = trim_mean(four[:, 0], 0.25)
    assert interquartile_mean(means, np.ones(len(means))) == pytest.approx(expected)
    assert interquartile_mean(four, np.ones(len(four))) == pytest.approx(expected)


@pytest.mark.parametrize("average", AVERAGES)
@given(means=columns, data=st.data())
def test_weight_two_equals_the_task_twice(
    average: Callable[[Floats, Floats], Floats], means: Floats, data: st.DataObject
) -> None:
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(means), max_size=len(means))))
    times[0] += not times.any()
    weighed = average(means, times.astype(float))
    assert_allclose(weighed, average(np.repeat(means, times, axis=0), np.ones(times.sum())))


@pytest.mark.parametrize("average", AVERAGES)
@given(means=columns, data=st.data())
def test_the_order_of_tasks_does_not_change_a_bit(
    average: Callable[[Floats, Floats], Floats], means: Floats, data: st.DataObject
) -> None:
    order = np.array(data.draw(st.permutations(range(len(means)))))
    ones = np.ones(len(means))
    assert average(means[order], ones) == average(means, ones)


@pytest.mark.parametrize("average", AVERAGES)
def test_missing_tasks_are_left_out(average: Callable[[Floats, Floats], Floats]) -> None:
    holes = np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, np.nan]])
    assert_allclose(average(holes, np.ones(3)), np.array([2.0, np.nan]))
    assert_allclose(average(holes, np.array([1.0, 1.0, 0.0])), np.array([1.0, np.nan]))


def test_the_largest_scale_is_that_of_the_tasks_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    scale = rng.random((300, 4, 1))
    weights = np.where(rng.random((300, 50)) < 0.02, 1.0, 0.0)  # in some replicates the largest 64 are not drawn
    weights[:, 7] = 0.0
    expected = average._largest(scale, weights)
    monkeypatch.setattr(average, "_PRODUCTS", 0)
    assert_array_equal(average._largest(scale, weights), expected)
    assert_array_equal(expected[:, 7], 0.0)


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
def test_means_over_other_tasks_are_not_separated_by_how_difficult_these_are() -> None:
    separated = 0
    for seed in range(60, 80):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(10, 40)) + 3 * rng.normal(size=40)
        for row in values[:5]:
            row[rng.permutation(40)[6:]] = np.nan
        intervals = podium.rank(podium.from_arrays(values), "mean", replicates=400).intervals
        assert intervals is not None
        separated += bool(intervals.separated.any())
    assert separated <= 2
