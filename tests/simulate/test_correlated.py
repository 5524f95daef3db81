import numpy as np
import pytest
from numpy.testing import assert_array_equal

from podium.simulate import correlated


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.9])
def test_abilities_correlate_between_tasks_as_asked(correlation: float) -> None:
    world = correlated(20_000, 3, 1, correlation=correlation, noise=0.0, rng=0)
    abilities = np.concatenate([task.values for task in world.scores.tasks], axis=1)
    # Standard errors of correlation and variance over 20,000 systems: at most 0.007 and 0.01; four of them.
    assert np.corrcoef(abilities.T)[np.triu_indices(3, 1)] == pytest.approx(correlation, abs=0.03)
    assert abilities.var(axis=0) == pytest.approx(1.0, abs=0.04)


def test_noise_is_spread_as_asked_and_of_each_score() -> None:
    values = correlated(4, 1, 20_000, correlation=0.5, noise=3.0, rng=0).scores.tasks[0].values
    assert values.std(axis=1) == pytest.approx(3.0, abs=0.06)
    assert np.corrcoef(values)[np.triu_indices(4, 1)] == pytest.approx(0.0, abs=0.03)


def test_task_means_correlate_less_the_more_noise() -> None:
    world = correlated(20_000, 2, 4, correlation=0.8, noise=2.0, rng=1)
    means = [task.values.mean(axis=1) for task in world.scores.tasks]
    assert np.corrcoef(means)[0, 1] == pytest.approx(0.8 / (1 + 2.0**2 / 4), abs=0.03)


def test_where_tasks_agree_the_truth_is_their_order() -> None:
    world = correlated(30, 2, 1, correlation=1.0, noise=0.0, rng=5)
    for task in world.scores.tasks:
        assert_array_equal(world.truth, 1 + np.argsort(np.argsort(-task.values[:, 0])))
