from itertools import combinations, permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chisquare

import podium
from podium.simulate import mallows


def distance(scores: tuple[float, ...]) -> int:
    """Pairs that are not in the true order, in which the last is the best."""
    return sum(worse > better for worse, better in combinations(scores, 2))


@pytest.mark.parametrize("systems", [2, 3, 4])
@pytest.mark.parametrize("dispersion", [0.0, 0.4, 1.5])
def test_orders_come_as_often_as_the_model_says(systems: int, dispersion: float) -> None:
    draws = 20_000
    values = mallows(systems, 1, draws, dispersion=dispersion, rng=systems).scores.tasks[0].values
    orders = list(permutations(range(systems)))
    weights = np.exp([-dispersion * distance(order) for order in orders])
    code = systems ** np.arange(systems)
    seen = np.array([np.count_nonzero(code @ values == code @ order) for order in orders])
    assert seen.sum() == draws  # nothing but orders
    # One of nine tests with fixed seeds; by chance below once in 10,000 times.
    assert chisquare(seen, draws * weights / weights.sum()).pvalue > 1e-4


@pytest.mark.parametrize("dispersion", [0.05, 0.3, 1.0])
def test_the_mean_distance_is_that_of_the_model(dispersion: float) -> None:
    systems, draws = 12, 20_000
    values = mallows(systems, 1, draws, dispersion=dispersion, rng=0).scores.tasks[0].values
    distances = sum(np.where(values[i] > values[j], 1, 0) for i, j in combinations(range(systems), 2))
    # Fligner & Verducci 1986: E d = N q / (1 - q) - sum of i q^i / (1 - q^i), q = exp(-theta)
    q, i = np.exp(-dispersion), np.arange(1, systems + 1)
    expected = systems * q / (1 - q) - np.sum(i * q**i / (1 - q**i))
    assert np.mean(distances) == pytest.approx(expected, abs=4 * np.std(distances) / np.sqrt(draws))


def test_without_dispersion_all_are_equal_and_with_much_nobody_errs() -> None:
    assert_array_equal(mallows(5, 1, 2, dispersion=0.0, rng=0).truth, [1] * 5)
    sure = mallows(5, 1, 50, dispersion=100.0, rng=0)
    assert_array_equal(sure.scores.tasks[0].values, np.repeat(np.arange(5.0)[:, None], 50, axis=1))
    assert_array_equal(sure.truth, [5, 4, 3, 2, 1])


def test_the_true_order_is_found() -> None:
    world = mallows(8, 3, 300, dispersion=0.3, rng=0)
    ranking = podium.rank(world.scores, "kemeny", confidence_level=None)
    assert ranking.systems == world.scores.systems[::-1]


def test_scores_are_the_numbers_beaten() -> None:
    values = mallows(6, 2, 40, dispersion=0.2, rng=0).scores.tasks[1].values
    assert_allclose(np.sort(values, axis=0), np.repeat(np.arange(6.0)[:, None], 40, axis=1))
