"""Kemeny consensus beside brute force, on leaderboards, and its laws."""

import itertools
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

import podium
from podium.errors import MethodError
from podium.ranking.ballots import strong_components
from podium.ranking.method import Certificate
from podium.ranking.method.kemeny import insertions, kemeny
from podium.score.table import Scores
from podium.score.task import Task
from podium.tally.count import count
from podium.tally.duel import Duels
from podium.tally.moment import Moments

Floats = NDArray[np.float64]
Order = NDArray[np.int64]

#: What rounding may change about costs of a few dozen ballots.
ROUNDING = 1e-8


@cache
def all_orders(n: int) -> Order:
    return np.array(list(itertools.permutations(range(n))), dtype=np.int64)


def cost(preferences: Floats, order: Order) -> float:
    """From the definition, pair by pair."""
    pairs = itertools.combinations(order.tolist(), 2)
    return float(sum(preferences[below, above] for above, below in pairs))


def all_costs(preferences: Floats) -> Floats:
    """Costs of all orders, from the definition."""
    orders = all_orders(len(preferences))
    pairs = itertools.combinations(range(len(preferences)), 2)
    return sum((preferences[orders[:, j], orders[:, i]] for i, j in pairs), np.zeros(len(orders)))


@st.composite
def ballots(draw: Any, *, least: int = 1, most: int = 6) -> Floats:
    """Preferences of complete ballots with ties and whole, half or any weights."""
    n = draw(st.integers(least, most))
    number = draw(st.integers(1, 7))
    levels = draw(arrays(np.int64, (number, n), elements=st.integers(0, draw(st.integers(1, n)))))
    weight = st.one_of(st.sampled_from([1.0, 2.0, 0.5, 0.1, 1 / 3]), st.integers(1, 3000).map(lambda k: k / 1000))
    weights = draw(arrays(np.float64, number, elements=draw(st.sampled_from([st.just(1.0), weight]))))
    wins = (levels[:, :, None] > levels[:, None, :]) + (levels[:, :, None] == levels[:, None, :]) / 2
    return np.tensordot(weights, wins, 1)


@st.composite
def matrices(draw: Any, most: int = 6) -> Floats:
    """Preferences that are not complementary: whole, multiples of a tenth or a third, or any numbers."""
    n = draw(st.integers(1, most))
    whole = st.integers(0, 6)
    # Six decimals: whether smaller differences count depends on rounding, here and there.
    decimals = st.floats(0, 1).map(lambda number: round(number, 6))
    elements = st.sampled_from([whole.map(float), whole.map(lambda k: k * 0.1), whole.map(lambda k: k / 3)])
    preferences: Floats = draw(arrays(np.float64, (n, n), elements=draw(st.one_of(elements, st.just(decimals)))))
    return preferences


def gumbel(seed: int, systems: int = 30, instances: int = 1, dispersion: float = 0.03) -> Floats:
    return task_preferences(podium.simulate.gumbel(systems, 9, instances, dispersion=dispersion, rng=seed).scores)


def task_preferences(scores: Scores) -> Floats:
    """One ballot per task, missing means imputed."""
    means = [task.means for task in count(scores, (Moments,))[Moments]]
    single = Scores(scores.systems, tuple(Task.cut(str(index), row[:, None]) for index, row in enumerate(means)))
    preferences: Floats = np.sum([duels.expected for duels in count(single, (Duels,))[Duels]], axis=0)
    return preferences


def assert_best(preferences: Floats, order: Order, consensus: Certificate) -> None:
    costs = all_costs(preferences)
    size = max(float(preferences.max(initial=0)), 1.0)
    ties = int((costs <= costs.min() + 2e-9 * size).sum())
    assert consensus.optimal
    assert consensus.gap == 0
    assert consensus.cost == pytest.approx(costs.min(), abs=ROUNDING * size)
    assert consensus.cost == pytest.approx(cost(preferences, order), abs=ROUNDING * size)
    assert consensus.lower_bound == consensus.cost
    assert consensus.unique == (ties == 1)
    if consensus.alternative is None:
        assert consensus.unique
    else:
        assert sorted(consensus.alternative) == list(range(len(preferences)))
        assert list(consensus.alternative) != order.tolist()
        assert cost(preferences, np.array(consensus.alternative)) == pytest.approx(costs.min(), abs=ROUNDING * size)


@given(preferences=ballots(most=7))
def test_ballots_equal_brute_force(preferences: Floats) -> None:
    assert_best(preferences, *kemeny(preferences))


@given(preferences=matrices(most=7))
def test_any_matrix_equals_brute_force(preferences: Floats) -> None:
    assert_best(preferences, *kemeny(preferences))


@pytest.mark.parametrize("seed", range(20))
def test_branching_equals_brute_force(seed: int) -> None:
    preferences = np.random.default_rng(seed).integers(0, 40, (7, 7)).astype(float)
    assert_best(preferences, *kemeny(preferences))


@pytest.mark.parametrize("seed", [10, 16, 19, 81])
def test_a_second_best_order_that_no_single_move_reaches_is_found(seed: int) -> None:
    # Seeds chosen for it: the assertions before the last say what they have to be like.
    preferences = np.random.default_rng(seed).integers(0, 9, (6, 6)).astype(float)
    majorities = np.maximum(preferences - preferences.T, 0)
    assert len(strong_components(majorities > 0)) == 1
    costs = all_costs(preferences)
    for order in all_orders(6)[costs == costs.min()]:
        assert (insertions(order, majorities)[~np.eye(6, dtype=bool)] > 0).all()
    assert (costs == costs.min()).sum() > 1
    assert_best(preferences, *kemeny(preferences))


@pytest.mark.parametrize("table", ["glue.csv", "superglue.csv", "xtreme.csv"])
def test_leaderboards_are_proved(shared: Path, table: str) -> None:
    preferences = task_preferences(podium.read(shared / "data" / "scores" / table))
    order, consensus = kemeny(preferences)
    assert consensus.optimal
    assert consensus.unique is not None
    assert consensus.cost == pytest.approx(cost(preferences, order))
    assert consensus.cost <= cost(preferences, np.argsort(-preferences.sum(axis=1), kind="stable")) + ROUNDING
    assert consensus.cost >= np.triu(np.minimum(preferences, preferences.T), 1).sum() - ROUNDING
    if consensus.alternative is not None:
        assert cost(preferences, np.array(consensus.alternative)) == pytest.approx(consensus.cost)


@pytest.mark.parametrize("seed", range(3))
def test_larger_worlds_are_proved_the_same_way_each_time(seed: int) -> None:
    preferences = gumbel(seed)
    (order, first), (again, _), (_, turned) = map(kemeny, (preferences, preferences, preferences.T))
    assert first.optimal
    assert_array_equal(order, again)
    assert turned.cost == first.cost
    assert max(map(len, strong_components(preferences > preferences.T))) > 20, "the search was needed"


def test_weighted_larger_worlds_are_proved() -> None:
    # No common unit, and so no shortcut by whole numbers.
    rng = np.random.default_rng(0)
    preferences = sum((rng.random() * gumbel(seed, systems=25) for seed in range(3)), np.zeros((25, 25)))
    _, consensus = kemeny(preferences)
    assert consensus.optimal
    assert consensus.unique
    assert kemeny(preferences.T)[1].cost == pytest.approx(consensus.cost)


def test_a_time_limit_gives_the_best_order_so_far_and_a_true_bound() -> None:
    preferences = gumbel(0, systems=60, dispersion=0.0)
    (order, hasty), (_, patient) = kemeny(preferences, time_limit=0), kemeny(preferences)
    assert not hasty.optimal
    assert hasty.unique is None
    assert hasty.alternative is None
    assert sorted(order) == list(range(60))
    assert hasty.lower_bound <= patient.cost <= hasty.cost
    assert hasty.gap == pytest.approx((hasty.cost - hasty.lower_bound) / hasty.cost)
    assert patient.optimal


def test_ties_are_put_in_borda_order_then_in_order_of_indices() -> None:
    order, consensus = kemeny(np.full((4, 4), 2.0))
    assert_array_equal(order, [0, 1, 2, 3])
    assert consensus.unique is False
    assert consensus.cost == 12
    # 1 beats 2 only; nothing else is decided, so that Borda says 1, 0, 2.
    preferences = np.ones((3, 3))
    preferences[1, 2] = 2
    assert_array_equal(kemeny(preferences)[0], [1, 0, 2])


def test_no_disagreement_costs_nothing() -> None:
    order, consensus = kemeny(np.triu(np.ones((5, 5)), 1))
    assert (consensus.cost, consensus.lower_bound, consensus.gap, consensus.unique) == (0, 0, 0, True)
    order, lone = kemeny(np.zeros((1, 1)))
    assert order.tolist() == [0]
    assert lone.unique


def test_the_solver_prints_nothing() -> None:
    code = """
from podium.ranking.method.kemeny import kemeny
import numpy as np
kemeny(np.roll(3 * np.eye(3), 1, axis=1))
"""
    # In a process of its own, since what the library writes reaches standard output when the process ends.
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_preferences_stay_as_they_were() -> None:
    preferences = np.arange(9.0).reshape(3, 3)
    kemeny(preferences)
    assert_array_equal(preferences, np.arange(9.0).reshape(3, 3))


@pytest.mark.parametrize("limit", [-1.0, np.nan])
def test_a_time_limit_below_0_is_refused(limit: float) -> None:
    with pytest.raises(MethodError, match=f"time limit {limit}"):
        podium.rank(podium.datasets.toy_table1(), podium.MethodSpec("kemeny", time_limit=limit), confidence_level=None)


@given(preferences=matrices())
def test_components_go_against_no_majority_between_them(preferences: Floats) -> None:
    majorities = np.maximum(preferences - preferences.T, 0)
    parts = strong_components(majorities > 0)
    assert sorted(np.concatenate(parts)) == list(range(len(majorities)))
    for left, right in itertools.combinations(parts, 2):
        assert not majorities[np.ix_(right, left)].any()
    assert all(len(strong_components(majorities[np.ix_(part, part)] > 0)) == 1 for part in parts)


@given(data=st.data())
def test_the_order_of_rows_does_not_choose_among_equally_good_orders(data: st.DataObject) -> None:
    """Two tasks that order four systems: often several orders are best, and one of them must be chosen."""
    names = ["a", "b", "c", "d"]
    tasks = {f"task {t}": dict(zip(names, data.draw(st.permutations(range(4))), strict=True)) for t in range(2)}

    def ranked(rows: list[str]) -> dict[str, Any]:
        table = {name: {task: float(values[name]) for task, values in tasks.items()} for name in rows}
        return podium.rank(podium.from_dict(table), "kemeny", confidence_level=None).to_dict()

    assert ranked(names) == ranked(data.draw(st.permutations(names)))
