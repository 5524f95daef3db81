"""Battles: whether one strength a system explains them, or any order does, and scores that count what was fought."""

import numpy as np
import pytest
from numpy.typing import NDArray

import podium
from podium.ranking.battle import FoughtBattles, circle_of
from podium.ranking.figure import intervals_of

Floats = NDArray[np.float64]


def _fought(chance: Floats, number: int, rng: np.random.Generator, *, judges: int = 0, often: float = 0.0) -> Floats:
    """Battles `(N, K)`: i beats j with chance[i, j]; the first two systems meet that much more often."""
    n_systems = len(chance)
    pairs = np.array([rng.permutation(n_systems)[:2] for _ in range(number)])
    pairs[rng.random(number) < often] = [0, 1]
    taste = 1.5 * rng.normal(size=(max(judges, 1), n_systems)) * (judges > 0)
    judge, (first, second) = rng.integers(max(judges, 1), size=number), pairs.T
    odds = np.log(chance / (1 - chance))[first, second] + taste[judge, first] - taste[judge, second]
    values = np.full((n_systems, number), np.nan)
    values[first, np.arange(number)] = won = rng.random(number) < 1 / (1 + np.exp(-odds))
    values[second, np.arange(number)] = ~won
    return values


def _circle(n_systems: int) -> Floats:
    """Each beats the half of the others that follows it in three quarters of the battles."""
    ahead = np.subtract.outer(-np.arange(n_systems), -np.arange(n_systems)) % n_systems
    half = (n_systems - 1) // 2
    return np.where((ahead > 0) & (ahead <= half), 0.75, np.where(ahead >= n_systems - half, 0.25, 0.5))


def _by_strength(step: float, n_systems: int) -> Floats:
    theta = -step * np.arange(n_systems)
    return np.asarray(1 / (1 + np.exp(theta - theta[:, None])))


def test_a_circle_below_a_system_that_beats_all_is_named() -> None:
    chance = np.full((4, 4), 0.9)
    chance[1:, 1:], chance[1:, 0] = _circle(3), 0.1
    found = circle_of(podium.from_arrays({"t": _fought(chance, 400, np.random.default_rng(4))}, systems=list("abcd")))
    assert found is not None
    assert found[0] == ("b", "c", "d")


def test_a_circle_is_found_and_named_and_separates_nobody() -> None:
    values = _fought(_circle(5), 400, np.random.default_rng(0), often=0.3)
    ranking = podium.rank(podium.from_arrays({"t": values}, systems=list("abcde")), n_resamples=400)
    for one, other in zip(ranking.circle, (*ranking.circle[1:], ranking.circle[0]), strict=True):
        row = values[["abcde".index(one), "abcde".index(other)]]
        assert np.nansum(row[0][~np.isnan(row[1])]) > np.nansum(row[1][~np.isnan(row[0])])
    assert not intervals_of(ranking).separated.any()
    assert "no single order fits these battles: " in ranking.view().verdict[0]
    assert ranking.to_dict()["circle"] == list(ranking.circle)
    assert any("one strength a system does not explain who won (p = 0.002)" in note for note in ranking.notes)


@pytest.mark.parametrize("judges", [0, 12])
def test_battles_that_strengths_explain_fit(judges: int) -> None:
    rng = np.random.default_rng(3)
    rejected = 0
    for _ in range(60):
        values = _fought(_by_strength(0.4, 5), 200, rng, judges=judges)
        clusters = {"t": [f"judge {one % 12}" for one in range(200)]} if judges else None
        rejected += circle_of(podium.from_arrays({"t": values}, clusters=clusters)) is not None
    assert rejected <= 8  # of 60 at 5%, more in 1 of 300


def test_strengths_that_explain_nothing_but_an_order_make_no_circle() -> None:
    chance = np.where(np.triu(np.ones((6, 6)), 1) > 0, 0.75, 0.25)
    found = circle_of(podium.from_arrays({"t": _fought(chance, 2000, np.random.default_rng(5))}))
    assert found is not None
    assert found[0] == ()


def test_order_of_battles_and_systems_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    values, names = _fought(_by_strength(0.5, 5), 150, rng), list("abcde")
    judges = rng.integers(20, size=150)
    for clusters in (None, judges):
        results = []
        for _ in range(3):
            rows, columns = rng.permutation(5), rng.permutation(150)
            labels = None if clusters is None else {"t": [f"judge {one}" for one in clusters[columns]]}
            table = podium.from_arrays(
                {"t": values[rows][:, columns]}, systems=[names[row] for row in rows], clusters=labels
            )
            battles = FoughtBattles.of(table)
            drawn = battles.replicates(names, np.zeros(5), 5, 0)
            results.append((battles.misfit(), battles.disorder(), drawn.round(9).tolist()))
        assert results[0] == results[1] == results[2]


def test_scores_are_mean_shares_won_and_vary_as_battles_do() -> None:
    values = _fought(_by_strength(0.5, 4), 300, np.random.default_rng(2))
    table = podium.from_arrays({"t": values})
    there = ~np.isnan(values)
    met = (there.astype(float) @ there.T.astype(float)) * (1 - np.eye(4))
    won = np.nan_to_num(values) @ there.T.astype(float) * (1 - np.eye(4))
    shares = np.divide(won, met, out=np.zeros((4, 4)), where=met > 0)
    ranking = podium.rank(table, podium.MethodSpec("borda", missing="direct"), n_resamples=4000)
    order = [table.systems.index(system) for system in ranking.systems]
    np.testing.assert_allclose(ranking.score, shares.sum(axis=1)[order] / 3)
    variance = np.divide(shares * (1 - shares), met, out=np.zeros((4, 4)), where=met > 0).sum(axis=1) / 9
    np.testing.assert_allclose(intervals_of(ranking).std_error, np.sqrt(variance)[order], rtol=0.06)
