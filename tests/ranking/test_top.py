"""Who may be among the best."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import podium
from podium.errors import MethodError
from podium.score.table import Scores


def world(gap: float, seed: int = 0) -> Scores:
    rng = np.random.default_rng(seed)
    return podium.from_arrays({"t": rng.normal(size=(6, 200)) + gap * np.arange(6)[:, None]})


def test_who_is_far_ahead_is_the_only_best() -> None:
    ranking = podium.rank(world(2.0), confidence=0.95)
    assert ranking.top() == ranking.systems[:1]
    assert ranking.top(3) == ranking.systems[:3]
    assert ranking.top(6) == ranking.systems
    assert ranking.view().verdict == (f"{ranking.systems[0]} is first (95% confidence, on this task)",)


def test_equal_systems_may_all_be_the_best() -> None:
    ranking = podium.rank(world(0.0), confidence=0.95)
    assert ranking.top() == ranking.systems
    assert ranking.view().verdict == ("any of the 6 systems may be the best (95% confidence, on this task)",)


def test_nobody_is_surely_first_where_another_may_be() -> None:
    rng = np.random.default_rng(0)
    for gap in np.linspace(1.2, 2.4, 30):
        values = rng.normal(size=(10, 12)) + gap * (np.arange(10) == 0)[:, None]
        ranking = podium.rank(podium.from_arrays(values), "mean", replicates=200)
        assert ranking.intervals is not None
        assert ranking.intervals.rank_high[0] > 1 or len(ranking.top()) == 1


def test_a_larger_k_has_no_smaller_set() -> None:
    ranking = podium.rank(world(0.15), confidence=0.95)
    sets = [set(ranking.top(k)) for k in range(1, 7)]
    assert all(small <= large for small, large in pairwise(sets))
    assert all(set(ranking.systems[:k]) <= found for k, found in enumerate(sets, start=1))


def test_the_set_contains_the_best_as_often_as_it_says() -> None:
    """Two equal systems ahead of three: the first of them is missed in at most 5% of worlds."""
    missed, worlds = 0, 300
    for seed in range(worlds):
        rng = np.random.default_rng([11, seed])
        values = rng.normal(size=(5, 60)) + np.array([0.4, 0.4, 0.0, 0.0, 0.0])[:, None]
        ranking = podium.rank(podium.from_arrays({"t": values}), "mean", confidence=0.95, replicates=200)
        missed += "system 1" not in ranking.top()
    assert missed / worlds < 0.05 + 3 * np.sqrt(0.05 * 0.95 / worlds)


def test_shares_of_scores_of_any_size_are_the_same() -> None:
    scores = world(0.1)
    small = podium.from_arrays({"t": 1e-13 * np.concatenate(scores.tasks[0].parts, axis=1)})
    shares = [podium.rank(table, "mean", confidence=0.95).intervals for table in (scores, small)]
    assert shares[0] is not None
    assert shares[1] is not None
    assert_array_equal(shares[0].share_first, shares[1].share_first)


def test_what_cannot_be_known_is_refused() -> None:
    with pytest.raises(MethodError, match="without intervals nothing is known"):
        podium.rank(world(1.0), confidence=None).top()
    with pytest.raises(MethodError, match="there is no top 7; k is a whole number between 1 and 6"):
        podium.rank(world(1.0), confidence=0.95).top(7)
