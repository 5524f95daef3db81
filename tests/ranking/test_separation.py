"""What few units can show, by brute force and by laws."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.stats import binomtest

import podium
from podium.base.statistics import flip_p_value, sign_flip_p_values
from podium.ranking.contributions import n_units, of_instances, of_tasks
from podium.ranking.figure import intervals_of
from podium.ranking.method_spec import MethodSpec
from podium.ranking.separation import sign_flip_test
from podium.score.table import Scores
from support.worlds import tables

Floats = NDArray[np.float64]

GLUE = Path(__file__).parents[3] / "shared" / "data" / "scores" / "glue.csv"

#: Differences of ranks: whole and half numbers, also 0.
rank_differences = st.integers(-8, 8).map(lambda number: number / 2)


def share_of_signs(differences: Floats) -> float:
    """The p-value by its definition: all ways to set the signs."""
    sums = [abs(sum(sign * size for sign, size in zip(signs, differences, strict=True)))
            for signs in product((-1, 1), repeat=differences.size)]  # fmt: skip
    return float(np.mean(np.array(sums) >= abs(differences.sum()) - 1e-9))


@given(differences=arrays(np.float64, st.integers(1, 9), elements=rank_differences))
def test_signs_of_few_units_are_all_tried(differences: Floats) -> None:
    assert sign_flip_p_values(differences[None])[0] == pytest.approx(share_of_signs(differences))


@pytest.mark.parametrize("lattice", [False, True])
def test_the_saddlepoint_is_near_the_share_of_signs_and_rarely_below(lattice: bool) -> None:
    """15 units: too many to be tried by podium, few enough to be tried here."""
    rng = np.random.default_rng(0)
    differences = rng.normal(size=(60, 15)) + rng.choice([0.4, 0.8, 1.2], size=(60, 1))
    if lattice:
        differences = np.round(2 * differences) / 2
    found = sign_flip_p_values(differences)
    ways = 1.0 - 2.0 * ((np.arange(2**15)[:, None] >> np.arange(15)) & 1)
    sums = np.abs(np.abs(differences) @ ways.T)
    exact = (sums >= np.abs(differences.sum(axis=1, keepdims=True)) - 1e-9).mean(axis=1)
    ratio = found / exact
    assert np.median(ratio) == pytest.approx(1.0, abs=0.1)
    assert ratio.min() > 0.65  # the smallest ones, of a few of all ways, are the least exact
    assert ratio.max() < 2


@given(differences=arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(15, 40)), elements=rank_differences))
def test_p_values_lie_between_all_agreeing_and_none(differences: Floats) -> None:
    found = sign_flip_p_values(differences)
    least = 2.0 ** (1 - np.count_nonzero(differences, axis=1))
    assert ((found >= np.minimum(least, 1) * (1 - 1e-9)) & (found <= 1)).all()
    assert_allclose(sign_flip_p_values(-7 * differences), found, rtol=1e-6)


def test_units_that_all_agree_are_as_sure_as_their_signs() -> None:
    assert sign_flip_p_values(np.linspace(1, 2, 20)[None])[0] == 2.0**-19


@given(fewer=st.integers(0, 20), more=st.integers(0, 40), size=st.floats(0.1, 10))
def test_signs_of_one_size_are_a_binomial_test(fewer: int, more: int, size: float) -> None:
    added = size * np.array([1.0] * more + [-1.0] * fewer + [0.0] * 5)
    expected = binomtest(fewer, fewer + more).pvalue if fewer + more else 1.0
    assert flip_p_value(added) == pytest.approx(expected)


def by_brute_force(
    values: Floats, pairs: list[tuple[int, int]], alpha: float, *, sided: bool = False
) -> set[tuple[int, int]]:
    """Pairs that are separated, by the definition: all ways to set signs, one step down after the other."""
    ways = np.array(list(product((1, -1), repeat=len(values))))

    def statistic(signs: Floats, pair: tuple[int, int]) -> float:
        difference = values[:, pair[0]] - values[:, pair[1]]
        length = np.sqrt((difference**2).sum())
        total = float((signs * difference).sum() / length) if length > 1e-9 else 0.0
        return total if sided else abs(total)

    left, found = set(pairs), set[tuple[int, int]]()
    while left:
        largest = np.array([max(statistic(signs, pair) for pair in left) for signs in ways])
        more = {pair for pair in left if np.mean(largest >= statistic(ways[0], pair) - 1e-9) <= alpha}
        if not more:
            break
        found, left = found | more, left - more
    return found


@given(
    values=arrays(np.float64, st.tuples(st.integers(3, 7), st.integers(2, 4)), elements=rank_differences),
    alpha=st.sampled_from([0.05, 0.2, 0.5]),
)
@settings(max_examples=30)
def test_flips_of_few_units_are_all_tried(values: Floats, alpha: float) -> None:
    n_systems = values.shape[1]
    found = sign_flip_test(values, alpha=alpha, seed=0)
    joint = by_brute_force(values, [(i, j) for i in range(n_systems) for j in range(i)], alpha)
    assert {(i, j) for i, j in np.argwhere(found.joint).tolist() if j < i} == joint
    for i in range(n_systems):
        others = [j for j in range(n_systems) if j != i]
        assert set(np.flatnonzero(found.marginal[i])) == {
            j for _, j in by_brute_force(values, [(i, j) for j in others], alpha)
        }
        assert found.not_best[i] == bool(by_brute_force(values, [(j, i) for j in others], alpha, sided=True))


@given(seed=st.integers(0, 2**32), n_units=st.integers(15, 70), n_systems=st.integers(2, 6))
@settings(max_examples=20)
def test_flips_know_no_order_of_systems_and_no_scale(seed: int, n_units: int, n_systems: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_units, n_systems)) + rng.normal(scale=0.5, size=n_systems)
    order = rng.permutation(n_systems)
    found = sign_flip_test(values, alpha=0.05, seed=1)
    turned = sign_flip_test(1000 * values[:, order] + rng.normal(size=(n_units, 1)), alpha=0.05, seed=1)
    assert_array_equal(found.joint[np.ix_(order, order)], turned.joint)
    assert_array_equal(found.marginal[np.ix_(order, order)], turned.marginal)
    assert_array_equal(found.not_best[order], turned.not_best)
    assert not (found.joint & ~found.marginal).all(axis=1).any()


def test_equal_systems_are_separated_in_one_of_twenty_tables_at_most() -> None:
    """Ranks of few tasks, where Student's test is wrong in one of eight."""
    worlds, wrong, lost = 300, 0, 0
    for world in range(worlds):
        ranks = np.random.default_rng([3, world]).permuted(np.tile(np.arange(5.0), (7, 1)), axis=1)
        found = sign_flip_test(ranks, alpha=0.05, seed=world)
        wrong += int(found.joint.any())
        lost += int(found.not_best[0])
    assert wrong / worlds < 0.05 + 3 * np.sqrt(0.05 * 0.95 / worlds)
    assert lost / worlds < 0.05 + 3 * np.sqrt(0.05 * 0.95 / worlds)


def test_more_flips_decide_where_a_seed_would() -> None:
    values = np.random.default_rng(17).normal([0, 0.5, 0.9], size=(30, 3))
    by_seed = [sign_flip_test(values, alpha=0.05, seed=seed).joint.sum() for seed in range(10)]
    closely = [sign_flip_test(values, alpha=0.05, seed=seed, closely=True).joint.sum() for seed in range(10)]
    assert (len(set(by_seed)), len(set(closely))) == (2, 1)


def test_units_that_all_agree_separate_and_a_single_unit_does_not() -> None:
    twelve = np.outer(np.ones(12), np.arange(4.0))
    assert sign_flip_test(twelve, alpha=0.05, seed=0).joint.sum() == 12
    assert sign_flip_test(twelve, alpha=0.05, seed=0).not_best.tolist() == [True, True, True, False]
    heavy = np.concatenate([100 * twelve[:1], np.random.default_rng(0).normal(size=(50, 4))])
    assert not sign_flip_test(heavy, alpha=0.05, seed=0).joint.any()


@pytest.mark.skipif(not GLUE.exists(), reason="the released scores are not beside the project")
def test_possible_winners_of_glue_by_its_columns_and_by_its_families() -> None:
    """By all 2^14, and 2^10, flips, written by hand for the first time: 6 of 105 systems, and 10."""
    scores = podium.read(GLUE)
    apart = replace(scores, tasks=tuple(replace(task, family=task.name) for task in scores.tasks))
    assert len(podium.rank(apart).top()) == 6
    ranking = podium.rank(scores)
    assert [ranking.systems.index(system) + 1 for system in ranking.top()] == [1, 2, 3, 4, 5, 6, 8, 12, 24, 35]
    order = np.random.default_rng(0).permutation(len(scores.systems))
    again = podium.rank(scores.take(order.tolist()))
    assert again.to_dict() == ranking.to_dict()


@given(scores=tables())
@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
def test_contributions_of_instances_add_up_to_the_scores(scores: Scores) -> None:
    for spec in (MethodSpec("borda", "one", "imputed"), MethodSpec("borda", "balanced", "imputed"), MethodSpec("mean")):
        try:
            ranking = podium.rank(scores, spec, confidence_level=None)
        except podium.errors.MethodError:
            return
        if not ranking.higher_is_better:
            continue
        place = [ranking.systems.index(system) for system in scores.systems]
        units = of_instances(scores, spec)
        assert len(units.values) == n_units(scores, "instances")
        ranked = ~np.isnan(ranking.score[place])
        assert_allclose(units.values.sum(axis=0)[ranked], ranking.score[place][ranked], atol=1e-9)


@given(
    alone=arrays(np.float64, (5, 3), elements=st.floats(-9, 9)),
    weights=arrays(np.float64, 5, elements=st.floats(0.1, 9)),
)
def test_contributions_of_tasks_add_up_to_their_mean(alone: Floats, weights: Floats) -> None:
    units = of_tasks(alone, np.ones((5, 3), dtype=np.bool_), weights)
    assert_allclose(units.values, alone * weights[:, None] / weights.sum(), atol=1e-9)
    assert_allclose(units.values.sum(axis=0), np.average(alone, axis=0, weights=weights), atol=1e-9)


def test_tasks_that_share_instances_do_not_hide_their_common_error() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(4, 1, 30)) + 0.5 * rng.normal(size=(4, 10, 30))
    labels = [f"doc {k}" for k in range(30)]
    scores = podium.from_arrays({f"metric {t}": values[:, t] for t in range(10)}, instances=labels)
    tasks = podium.rank(scores, "mean", units="tasks")
    assert intervals_of(tasks).separated.any()
    assert "tasks share instances, so intervals are for other tasks with these; --units both" in " ".join(tasks.notes)
    for method in ("mean", "borda"):
        both = podium.rank(scores, method, units="both")
        assert not intervals_of(both).separated.any()
        assert not any("share" in note for note in both.notes)


@pytest.mark.filterwarnings("ignore:40 of 120 scores are missing")
def test_a_system_without_a_score_is_no_rival_if_lower_is_better() -> None:
    values = np.random.default_rng(0).normal(50, 10, (3, 40))
    values[2] = np.nan
    ranked = [
        podium.rank(podium.from_arrays({"t": some}).with_directions(lower=["*"]), "mean")
        for some in (values, values[:2])
    ]
    assert ranked[0].top() == ranked[1].top() == ("system 1", "system 2")
