"""Noise of runs: by definition, by its laws, and in worlds whose runs are known."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

import podium
from podium.score.noise import RunNoise, run_noise
from podium.score.repeat import Repeats, Statistic


def noise(values: Any, mass: Any = None, *, runs: bool = True) -> RunNoise:
    mass = np.ones(values.shape[1]) if mass is None else mass
    found = RunNoise.of([(Repeats.of(values, Statistic(), runs=runs), mass, 1.0)])
    assert found is not None
    return found


def test_of_whole_runs_it_is_the_variance_of_their_means() -> None:
    rng = np.random.default_rng(0)
    values, mass = rng.normal(size=(3, 7, 4)) + rng.normal(size=(3, 1, 4)), rng.uniform(1, 2, size=7)
    means = np.einsum("nkr,k->nr", values, mass / mass.sum())
    found = noise(values, mass)
    assert_allclose(found.single, means.var(axis=1, ddof=1))
    assert_allclose(found.mean, found.single / 4)
    assert found.df.tolist() == [3, 3, 3]
    halves = [
        (Repeats.of(part, Statistic(), runs=True), own, own.sum() / mass.sum())
        for part, own in ((values[:, :3], mass[:3]), (values[:, 3:], mass[3:]))
    ]
    together = RunNoise.of(halves)
    assert together is not None
    assert_allclose(together.single, found.single)


def test_of_repeats_without_labels_it_is_what_instances_add_each_for_itself() -> None:
    values = np.array([[[0.0, 1.0, 1.0], [0.0, 0.0, np.nan], [1.0, np.nan, np.nan], [np.nan] * 3]])
    found = noise(values, runs=False)
    own = np.array([1 / 3, 0, (2 / 3) / 3]) / 9  # the single repeat varies as the others do
    assert_allclose(found.single, own.sum())
    assert_allclose(found.mean, (own / [3, 2, 1]).sum())
    assert found.common.tolist() == [0]


def test_unequal_runs_have_what_their_instances_have_in_common() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(400, 30, 3)) + rng.normal(size=(400, 1, 3))
    values[:, 15:, 2] = np.nan
    found = noise(values)
    assert found.single.mean() == pytest.approx(1 + 1 / 30, rel=0.15)
    assert found.common.mean() == pytest.approx(1 / 3, rel=0.15)


@pytest.mark.parametrize("together", [False, True])
def test_two_runs_differ_by_no_more_in_95_percent_of_cases(together: bool) -> None:
    """0/1 scores of three systems on 12 items, two runs of each."""
    rng = np.random.default_rng(2)
    within = []
    for _ in range(300):
        ability, hard = rng.normal(size=(3, 1, 1)), rng.normal(size=(1, 12, 1))
        seed = together * rng.normal(size=(3, 1, 42))
        runs = (rng.random((3, 12, 42)) < 1 / (1 + np.exp(hard - ability - seed))).astype(float)
        means = runs[..., 2:].mean(axis=1)
        within.append(np.abs(means[:, :20] - means[:, 20:]) <= noise(runs[..., :2], runs=together).difference + 1e-9)
    assert 0.93 < np.mean(within) < 0.975


@given(arrays(np.float64, (2, 3, 3), elements=st.integers(-9, 9).map(float)), st.integers(-4, 4), st.booleans())
def test_a_shift_changes_nothing_and_a_factor_its_square(values: Any, factor: int, runs: bool) -> None:
    found, other = noise(values, runs=runs), noise(factor * values + 7, runs=runs)
    if (
        Repeats.of(values, Statistic(), runs=runs).of_runs
        == Repeats.of(factor * values, Statistic(), runs=runs).of_runs
    ):
        assert_allclose(other.single, factor**2 * found.single, atol=1e-9)
        assert_allclose(other.mean, factor**2 * found.mean, atol=1e-9)


def test_without_repeats_nothing_is_known() -> None:
    values = np.array([[[0.0, 1.0], [1.0, 0.0]], [[1.0, np.nan], [0.0, np.nan]]])
    assert np.isnan(noise(values).single).tolist() == [False, True]
    assert np.isnan(noise(values[1:]).difference)
    assert run_noise(podium.from_arrays({"t": values[..., 0]}).tasks[0]) is None
    mass = np.ones(2)
    best = Repeats.of(values, Statistic("max"))
    assert RunNoise.of([(best, mass, 1.0)]) is None
    assert RunNoise.of([(Repeats.of(values, Statistic()), mass, 0.5), (None, mass, 0.5)]) is None
