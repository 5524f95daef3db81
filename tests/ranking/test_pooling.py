import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

import podium
from podium.ranking.ballots import Missing, majority, pool_balanced, pool_one_level, pool_two_level, preferences
from podium.ranking.method.borda import one_level
from podium.ranking.method.majority import wins
from podium.score.table import Scores
from podium.tally.duel import Duels
from podium.tally.engine.count import count
from podium.tally.position import Positions
from support.worlds import tables

Floats = NDArray[np.float64]
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


@given(scores=tables())
def test_mean_wins_are_borda_where_all_pairs_weigh_the_same(scores: Scores) -> None:
    counts = count(scores, [Duels, Positions])
    pooled = pool_one_level(counts[Duels], scores.task_weights)
    borda = one_level(counts[Positions], scores.task_weights)
    assert_allclose(wins(preferences(pooled, "imputed")).score, borda.score)


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
