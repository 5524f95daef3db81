from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from podium.ranking import ballots
from podium.ranking.ballots import pool_task_level, preferences
from podium.ranking.method.borda import task_level
from podium.ranking.method.majority import wins


def test_task_ballots_tie_as_those_of_borda_do() -> None:
    means = np.array([[0.1 + 0.2, 0.3, np.nan], [1.0, 2.0, 3.0]])
    details: dict[str, Any] = {"tolerance": 0.0, "scale": np.ones_like(means)}
    pooled = pool_task_level(means, np.array([1.0, 2.0]), **details)
    assert pooled.ties[0, 1] == 1.0
    assert_array_equal(pooled.wins, [[0, 0, 0], [2, 0, 0], [2, 2, 0]])
    borda = task_level(means, np.array([1.0, 2.0]), **details)
    assert_allclose(wins(preferences(pooled, "imputed")).score, borda.score)


@pytest.mark.parametrize("tolerance", [0.0, 0.05])
def test_many_ballots_are_pooled_like_few(tolerance: float, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    means = np.where(rng.random((200, 9)) < 0.6, np.nan, rng.random((200, 9)).round(1))
    means[120:] = np.where(np.isnan(means[:80]), np.nan, rng.random((80, 9)).round(1))  # holes of other tasks
    means[::50] = np.nan
    weights = rng.choice([0.5, 1.0, 2.0], 200)
    weights[60:70] = np.arange(10.0)  # some that no other ballot has
    few = pool_task_level(means, weights, tolerance=tolerance, scale=None)
    monkeypatch.setattr(ballots, "_MATRICES", 1000)
    monkeypatch.setattr(ballots, "_COUNTED_AT_ONCE", 7)
    monkeypatch.setattr(ballots, "task_duels", None)
    many = pool_task_level(means, weights, tolerance=tolerance, scale=None)
    assert_array_equal(many.wins, few.wins)
    assert_array_equal(many.ties, few.ties)
    # 200 sums of numbers below 2.
    assert_allclose(many.imputed, few.imputed, rtol=0, atol=1e-12)
    assert many.weight == few.weight
    direct = pool_task_level(means, weights, tolerance=tolerance, scale=None, direct=True)
    assert_array_equal(direct.wins, many.wins)
    assert_array_equal(direct.ties, many.ties)
    assert not direct.imputed.any()
