"""What few units can show, by brute force and by laws."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

import podium
from podium.ranking.contribution import Contributions, n_units, of_instances, of_tasks
from podium.ranking.few import floor_of_p_values, largest_lead_by_chance, sign_flip_p_values
from podium.ranking.method_spec import MethodSpec
from podium.score.table import Scores
from support.worlds import tables

Floats = NDArray[np.float64]

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


def test_all_names_are_tried_where_shuffles_are_many() -> None:
    """Two units with three systems: the largest lead is one of few, and its chances are those of all orders."""
    values = np.array([[0.0, 1.0, 3.0], [0.0, 2.0, 5.0]])
    leads = np.sort([np.ptp(values[0] + values[1][list(order)]) for order in permutations(range(3))])
    units = Contributions(values, np.ones((2, 3), dtype=np.bool_))
    for confidence, exact in ((0.4, leads[3 - 1]), (0.9, leads[-1])):
        bound = largest_lead_by_chance(units, confidence=confidence, replicates=3999, seed=1)
        assert bound == pytest.approx(exact)


def test_who_is_not_scored_takes_no_part_in_shuffles() -> None:
    values = np.array([[1.0, 0.0, 0.5], [1.0, 0.0, 0.5]])
    units = Contributions(values, np.array([[True, True, False]] * 2))
    assert largest_lead_by_chance(units, confidence=0.95, replicates=999, seed=0) == pytest.approx(2.0)


def test_the_bound_holds_for_equal_systems() -> None:
    """By its construction it fails in 5% of worlds, also where scores are ranks of few tasks."""
    worlds, wrong = 400, 0
    for world in range(worlds):
        ranks = np.random.default_rng([3, world]).permuted(np.tile(np.arange(5.0), (6, 1)), axis=1)
        units = Contributions(ranks, np.ones(ranks.shape, dtype=np.bool_))
        bound = largest_lead_by_chance(units, confidence=0.95, replicates=199, seed=world)
        wrong += np.ptp(ranks.sum(axis=0)) > bound
    assert wrong / worlds < 0.05 + 3 * np.sqrt(0.05 * 0.95 / worlds)


def test_signs_are_flipped_where_they_could_separate_anything() -> None:
    twelve = Contributions(np.outer(np.ones(12), np.arange(4.0)), np.ones((12, 4), dtype=np.bool_))
    floor, by_signs = floor_of_p_values(twelve, confidence=0.95, replicates=999, seed=0)
    assert by_signs
    assert_allclose(floor[np.triu_indices(4, 1)], 2.0**-11)
    six = Contributions(twelve.values[:6], twelve.scored[:6])
    floor, by_signs = floor_of_p_values(six, confidence=0.95, replicates=999, seed=0)
    assert not by_signs
    assert set(np.unique(floor)) <= {0.0, 1.0}
    assert floor[0, 3] == 0.0


@given(scores=tables())
@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
def test_contributions_of_instances_add_up_to_the_scores(scores: Scores) -> None:
    for spec in (MethodSpec("borda", "one", "imputed"), MethodSpec("borda", "balanced", "imputed"), MethodSpec("mean")):
        try:
            ranking = podium.rank(scores, spec, confidence=None)
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


def test_the_order_of_systems_does_not_matter_to_signs() -> None:
    values = np.random.default_rng(5).normal(size=(20, 6))
    units = Contributions(values, np.ones(values.shape, dtype=np.bool_))
    order = [3, 1, 5, 0, 2, 4]
    turned = Contributions(values[:, order], units.scored)
    floor, _ = floor_of_p_values(units, confidence=0.95, replicates=99, seed=0)
    other, _ = floor_of_p_values(turned, confidence=0.95, replicates=99, seed=0)
    assert_array_equal(floor[np.ix_(order, order)], other)
