"""Ballots of tasks, pooled, and sums that are rounded once."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

import podium
from podium.ranking import ballots
from podium.ranking import ballots as sums
from podium.ranking.ballots import (
    Missing,
    exact_sum,
    majority,
    pool_balanced,
    pool_one_level,
    pool_task_level,
    pool_two_level,
    preferences,
    weighted_sum,
)
from podium.score.table import Scores
from podium.tally.count import count
from podium.tally.duel import Duels
from support.worlds import tables

Floats = NDArray[np.float64]


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
def test_replicates_that_draw_the_same_tasks_are_summed_like_each_alone(
    scale: float, *, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    weights: Floats = rng.poisson(1.0, (400, 7)).astype(np.float64) * (1.0 if whole else 0.1)
    terms = rng.random((400, 70, 1)) * scale * rng.choice([1e-3, 1.0, 300.0], (400, 70, 1))
    each = exact_sum(weights[:, None] * terms)
    monkeypatch.setattr(sums, "_PRODUCTS", 1000)
    found = weighted_sum(weights, terms)
    # Alone, a task drawn three times is rounded once before it is added.
    assert_allclose(found, each, rtol=2**-51, atol=0)
    if whole:  # otherwise these are the same sums in smaller pieces
        assert_array_equal(weighted_sum(weights[::-1], terms[::-1]), found)
        exact = sum(Fraction(draws) * Fraction(term) for draws, term in zip(weights[:, 2], terms[:, 3, 0], strict=True))
        assert found[3, 2] == float(exact)
    else:
        assert_array_equal(found, each)


@pytest.mark.parametrize(
    "terms", [np.array([[2.5, -0.0, 2.0**51], [1.0, -0.0, 0.5], [-3.5, -0.0, 0.5]]), np.zeros((0, 2))]
)
def test_halves_add_up_exactly_at_once(terms: Floats, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = exact_sum(terms)
    assert not np.signbit(at_once[at_once == 0]).any(), "one zero"
    monkeypatch.setattr(sums, "_halves", lambda _: False)
    assert_array_equal(exact_sum(terms), at_once)


@pytest.mark.parametrize("weight", [1.0, 3.0, 0.1])
def test_sums_without_a_few_tasks_are_those_of_the_others(weight: float, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    weights: Floats = np.where(np.eye(300, 40, dtype=np.bool_), 0.0, weight * rng.integers(0, 4, 300)[:, None])
    weights[:, 7] = weights.max(axis=1)
    weights[:50, 9] = 0.0
    terms = rng.random((300, 70, 1)) * rng.choice([1e-3, 1.0, 300.0], (300, 70, 1))
    each = exact_sum(weights[:, None] * terms)
    monkeypatch.setattr(sums, "_PRODUCTS", 1000)
    found = weighted_sum(weights, terms)
    assert_allclose(found, each, rtol=2**-51, atol=0)
    assert_array_equal(weighted_sum(weights[::-1], terms[::-1]), found)


def test_ballots_of_tasks_whose_means_differ_by_rounding_tie() -> None:
    means = np.array([[0.1 + 0.2, 0.3, np.nan], [1.0, 2.0, 3.0]])
    pooled = pool_task_level(means, np.array([1.0, 2.0]), tolerance=0.0, scale=np.ones_like(means))
    assert pooled.ties[0, 1] == 1.0
    assert_array_equal(pooled.wins, [[0, 0, 0], [2, 0, 0], [2, 2, 0]])


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


every_missing = pytest.mark.parametrize("missing", ["imputed", "direct"])


def duels_of(scores: Scores) -> tuple[Duels, ...]:
    return count(scores, [Duels])[Duels]


def counted(scores: Scores, missing: Missing) -> Floats:
    """Preferences by the definition: ballot by ballot, pair by pair, weighed by task."""
    n_systems = len(scores.systems)
    total = np.zeros((n_systems, n_systems))
    for block in scores.blocks():
        for ballot in block.values.T:
            total += scores.tasks[block.task].weight * _ballot(ballot, missing)
    return total


def _ballot(ballot: Floats, missing: Missing) -> Floats:
    scored = ballot[~np.isnan(ballot)]

    def share(value: float) -> float:
        """Chance that an unscored system is above a scored one: midrank / (k + 1)."""
        return float((np.sum(scored > value) + (np.sum(scored == value) + 1) / 2) / (scored.size + 1))

    result = np.zeros((ballot.size, ballot.size))
    for i, j in ((i, j) for i in range(ballot.size) for j in range(ballot.size) if i != j):
        one, other = ballot[i], ballot[j]
        if not np.isnan([one, other]).any():
            result[i, j] = 1.0 if one > other else 0.5 if one == other else 0.0
        elif missing == "imputed":
            result[i, j] = 0.5 if np.isnan([one, other]).all() else share(other) if np.isnan(one) else 1 - share(one)
    return result


@every_missing
@given(scores=tables())
def test_one_box_counts_every_ballot_with_the_weight_of_its_task(missing: Missing, scores: Scores) -> None:
    pooled = pool_one_level(duels_of(scores), scores.task_weights)
    assert_allclose(preferences(pooled, missing), counted(scores, missing), atol=1e-12)
    assert pooled.weight == pytest.approx(sum(task.weight * task.n_instances for task in scores.tasks))


@every_missing
@given(scores=tables())
def test_a_task_votes_as_most_of_its_ballots(missing: Missing, scores: Scores) -> None:
    scored = np.array([task.scored > 0 for task in scores.tasks])
    pooled = pool_two_level(duels_of(scores), scores.task_weights, scored=scored, missing=missing)
    expected = np.zeros_like(pooled.wins)
    cast = np.zeros_like(pooled.wins)
    for task, there in zip(scores.tasks, scored, strict=True):
        inside = counted(Scores(scores.systems, (task,)), missing) / task.weight * np.outer(there, there)
        expected += task.weight * np.where(np.isclose(inside, inside.T, rtol=1e-9), 0, inside > inside.T)
        cast += task.weight * (inside + inside.T > 0)
    assert_allclose(pooled.wins, expected)
    assert_allclose(pooled.compared, cast)
    assert_allclose(pooled.expected + pooled.expected.T, pooled.weight * (1 - np.eye(len(cast))))
    if missing == "imputed":
        half = np.einsum("t,tij->ij", scores.task_weights, ~(scored[:, :, None] & scored[:, None])) / 2
        assert_allclose(pooled.imputed, half * (1 - np.eye(len(cast))))


@given(scores=tables())
def test_in_the_balanced_box_every_task_weighs_its_weight(scores: Scores) -> None:
    pooled = pool_balanced(duels_of(scores), scores.task_weights)
    ballots = sum(task.weight * task.n_instances for task in scores.tasks) / scores.task_weights.sum()
    expected = sum(
        counted(Scores(scores.systems, (task,)), "imputed") / task.n_instances * ballots for task in scores.tasks
    )
    assert_allclose(preferences(pooled, "imputed"), expected, atol=1e-9)


def test_rounding_makes_no_majority_and_one_ballot_does() -> None:
    assert not majority(np.array([[0.0, 0.1 + 0.2], [0.3, 0.0]])).any()
    assert_array_equal(majority(np.array([[0.0, 1e9 + 1], [1e9, 0.0]])), [[False, True], [False, False]])


def test_the_levels_differ_where_one_task_is_large() -> None:
    scores = podium.from_arrays({"large": [[1.0] * 9, [0.0] * 9], "a": [[0.0], [1.0]], "b": [[0.0], [1.0]]})
    duels = duels_of(scores)
    assert_array_equal(pool_one_level(duels, np.ones(3)).wins, [[0, 9], [2, 0]])
    assert_allclose(pool_balanced(duels, np.ones(3)).wins, np.array([[0, 1], [2, 0]]) * 11 / 3)
    scored = np.ones((3, 2), dtype=np.bool_)
    assert_array_equal(pool_two_level(duels, np.ones(3), scored=scored, missing="direct").wins, [[0, 1], [2, 0]])
