from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

import podium
from podium.simulate import gumbel


def test_a_world_follows_its_seed() -> None:
    first, again, other = (gumbel(4, 2, 50, dispersion=0.5, missing=0.2, rng=seed).scores for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.tasks[1].values, again.tasks[1].values)
    assert not np.array_equal(first.tasks[1].values, other.tasks[1].values)


def test_neighbours_win_as_often_as_the_logistic_says() -> None:
    scores = gumbel(2, 1, 40_000, dispersion=0.7, rng=0).scores
    better = (scores.tasks[0].values[1] > scores.tasks[0].values[0]).mean()
    # Binomial standard error 0.0024; four of them.
    assert better == pytest.approx(1 / (1 + np.exp(-0.7)), abs=0.01)


def test_the_last_system_is_the_best() -> None:
    ranking = podium.rank(gumbel(12, 3, 400, dispersion=0.5, missing=0.3, rng=3).scores, confidence_level=None)
    assert ranking.systems == tuple(f"system {index:02d}" for index in range(12, 0, -1))


def test_the_share_of_missing_scores_is_kept() -> None:
    scores = gumbel(10, 2, 1_000, dispersion=0.1, missing=0.3, rng=0).scores
    assert 1 - scores.n_scored / scores.n_cells == pytest.approx(0.3, abs=0.02)


@pytest.mark.parametrize(("systems", "dispersion"), [(3, 0.0), (3, 0.6), (4, 0.3), (4, 1.0)])
def test_orders_are_those_of_plackett_and_luce(systems: int, dispersion: float) -> None:
    draws = 20_000
    values = gumbel(systems, 1, draws, dispersion=dispersion, rng=systems).scores.tasks[0].values
    code = systems ** np.arange(systems)
    drawn = code @ np.argsort(-values, axis=0)
    orders = list(permutations(range(systems)))
    seen = [np.count_nonzero(drawn == code @ order) for order in orders]
    # Remark 1, with weights exp(phi n): each place goes to one of those left, in proportion to weight.
    weight = np.exp(dispersion * np.arange(1, systems + 1))
    chances = [np.prod([weight[n] / weight[list(order[i:])].sum() for i, n in enumerate(order)]) for order in orders]
    assert np.sum(chances) == pytest.approx(1)
    # One of four tests with fixed seeds; by chance below once in 10,000 times.
    assert chisquare(seen, draws * np.array(chances)).pvalue > 1e-4


def test_scores_are_what_they_were() -> None:
    # Documents, and simulations elsewhere, rest on the numbers of a seed.
    centres, generator = 0.5 * np.arange(1, 4)[:, None], np.random.default_rng(11)
    first = generator.gumbel(centres, size=(3, 5))
    first[generator.random((3, 5)) < 0.2] = np.nan
    second = generator.gumbel(centres, size=(3, 5))
    second[generator.random((3, 5)) < 0.2] = np.nan
    tasks = gumbel(3, 2, 5, dispersion=0.5, missing=0.2, rng=11).scores.tasks
    np.testing.assert_array_equal(tasks[0].values, first)
    np.testing.assert_array_equal(tasks[1].values, second)
