"""How much more data separates pairs by the test of all pairs, which goes step by step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

import podium
from podium.planning.power import growth_for_power, growth_needed, repeats_needed, variance_of_repeats
from podium.ranking.method import MethodResult
from podium.ranking.separation import by_p_values, p_values, sign_flip_test
from podium.ranking.variation import critical_value
from podium.score.table import Scores

Floats = NDArray[np.float64]


def replicates(n_systems: int, common: float = 0.0, number: int = 1000) -> Floats:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_systems, number)) + common * rng.normal(size=number)


def gaps(*scores: float) -> Floats:
    return np.subtract.outer(np.array(scores, dtype=np.float64), scores)


def grown(difference: Floats, samples: Floats, power: float = 0.8) -> Floats:
    return growth_for_power(
        difference, samples, freedom=1e6, units="instances", confidence=0.95, seed=0, of_sums=False, power=power
    )


def test_it_lies_between_one_comparison_and_the_first_of_all_steps() -> None:
    difference, samples = gaps(5, 3.5, 2, 1, 0), replicates(5)
    found = grown(difference, samples)
    left, right = np.triu_indices(5, 1)
    error = (samples[left] - samples[right]).std(axis=1, ddof=1)
    bounds = [
        growth_needed(difference[left, right], error, critical_value(0.95, 1e6, units="instances", statements=number))
        for number in (1, 10)
    ]
    assert (bounds[0] <= found[left, right]).all()
    assert (found[left, right] <= bounds[1]).all()
    assert_array_equal(found, found.T)
    assert found[0, 1] < bounds[1][0] * 0.9, "steps help"


@pytest.mark.parametrize("common", [0.0, 3.0])
def test_so_many_units_separate_as_often_as_promised(common: float) -> None:
    """New scores and replicates of them are drawn at the size planned, and tested as `podium.rank` tests them."""
    scores, samples = np.array([3.0, 2.0, 1.2, 0.0]), replicates(4, common)
    growth = grown(gaps(*scores), samples)[1, 2]
    rng = np.random.default_rng(1)
    apart = []
    for _ in range(400):
        centre = scores + (rng.normal(size=4) + common * rng.normal()) / np.sqrt(growth)
        again = rng.normal(size=(4, 1000)) + common * rng.normal(size=1000)
        p = p_values(MethodResult(centre), centre[:, None] + again / np.sqrt(growth), df=1e6, units="instances")
        apart.append(by_p_values(centre, p, 0.05).joint[1, 2] and centre[1] > centre[2])
    # four standard errors of a share of 400, and as much for the 1,000 draws of the plan
    assert np.mean(apart) == pytest.approx(0.8, abs=4 * np.sqrt(0.16 / 400 + 0.16 / 1000))


def _units(number: int, rng: np.random.Generator, *, places: bool) -> Floats:
    """What tasks of one score each add to the mean of four systems, or to their Borda scores."""
    scores = np.array([3.0, 2.0, 1.0, 0.0]) + rng.normal(size=(number, 4))
    return scores.argsort(axis=1).argsort(axis=1) / 3 if places else scores


@pytest.mark.parametrize("places", [False, True])
def test_few_units_separate_as_often_as_promised(places: bool) -> None:
    rng = np.random.default_rng(2)
    pilot = _units(2000, rng, places=places)
    samples = (rng.poisson(1.0, (1000, 2000)) / 2000 @ (pilot - pilot.mean(axis=0)) + pilot.mean(axis=0)).T
    growth = growth_for_power(
        gaps(*pilot.mean(axis=0)),
        samples,
        freedom=1999,
        contributions=pilot / 2000,
        units="instances",
        confidence=0.95,
        seed=0,
        of_sums=True,
    )
    needed = int(np.ceil(2000 * growth[1, 2]))
    assert 8 < needed < 40
    found = [sign_flip_test(_units(needed, rng, places=places), alpha=0.05, seed=0).joint[1, 2] for _ in range(300)]
    assert 0.73 < np.mean(found) < 0.97  # three standard errors below; a unit more is much


def test_names_directions_and_scales_change_little() -> None:
    difference, samples = gaps(4, 3, 1, 0), replicates(4)
    order = np.array([2, 0, 3, 1])
    both = np.ix_(order, order)
    found = grown(difference, samples)
    assert_allclose(grown(difference[both], samples[order]), found[both], rtol=0.03)
    assert_allclose(grown(7 * difference, 7 * samples), found)
    assert_array_equal(grown(difference, samples), found)


def test_many_systems_are_planned_by_the_first_step() -> None:
    scores = podium.simulate.gumbel(51, 1, 60, dispersion=0.05, rng=0).scores
    plan = podium.plan(scores, "mean", n_resamples=100)
    intervals = podium.rank(scores, "mean", confidence_level=0.95, n_resamples=100).intervals
    assert intervals is not None
    told = ~np.isnan(plan.growth)
    assert_allclose(plan.growth[told], growth_needed(plan.difference, plan.std_error, intervals.critical)[told])


sizes = st.floats(1e-3, 1e3)


@given(sizes, sizes, st.floats(1.0, 5.0), st.floats(0.5, 0.99))
def test_growth_scales_with_the_square_of_error_over_difference(d: float, se: float, c: float, power: float) -> None:
    def growth(d: float, se: float, c: float = c, power: float = power) -> float:
        return float(growth_needed(np.array(d), np.array(se), c, power=power))

    base = growth(d, se)
    assert_allclose(growth(2 * d, se), base / 4, rtol=1e-12)
    assert_allclose(growth(-d, 3 * se), 9 * base, rtol=1e-12)
    # planned again once there is that much, nothing more is needed
    assert_allclose(growth(d, se / np.sqrt(base)), 1.0, rtol=1e-12)
    assert growth(d, se, c=c + 0.1) > base
    assert growth(d, se, power=power + 0.005) > base


def test_growth_at_the_edges() -> None:
    found = growth_needed(np.array([0.0, 0.0, 1.0, np.nan, 1.0]), np.array([1.0, 0.0, 0.0, 1.0, np.nan]), 2.0)
    assert_allclose(found, [np.inf, np.inf, 0.0, np.nan, np.nan])
    # with power ½ the difference itself just reaches the bound
    assert growth_needed(np.array(1.0), np.array(1.0), 2.0, power=0.5) == pytest.approx(4.0)


def world(rng: np.random.Generator, *, within: float, instances: int = 60, repeats: int = 4, fixed: int = 0) -> Scores:
    """Three systems on two tasks; the instances are those of the seed `fixed`, the repeats are drawn."""
    of_instances = np.random.default_rng(fixed).normal(size=(2, 3, instances, 1)) + 0.1 * np.arange(3)[:, None, None]
    noise = rng.normal(scale=np.sqrt(within), size=(2, 3, instances, repeats))
    tables = dict(zip(("t", "u"), of_instances + noise, strict=True))
    return podium.from_arrays(tables, systems=["A", "B", "C"]).with_task_weights({"t": 2})


def test_the_variance_of_repeats_is_what_new_repeats_of_the_same_instances_change() -> None:
    rng = np.random.default_rng(0)
    worlds = [world(rng, within=3.0) for _ in range(1000)]
    means = np.array([
        [ranking.score[ranking.systems.index(name)] for name in "ABC"]
        for ranking in (podium.rank(one, "mean", confidence_level=None) for one in worlds[:400])
    ])  # fmt: skip
    expected = means.var(axis=0, ddof=1)
    found = np.mean([variance_of_repeats(one) for one in worlds], axis=0)
    # a variance of 400 numbers is known to 1/√200
    assert_allclose(found, expected, rtol=4 / np.sqrt(200))
    assert_allclose(found, (4 + 1) / 9 * 3 / (4 * 60), rtol=0.02)


def test_as_many_repeats_do_what_as_many_instances_would() -> None:
    # V = (b + w / m) / K: twice the instances, or r times the repeats
    between, within, m, instances = 0.2, 4.0, 3, 50
    variance = (between + within / m) / instances
    share = within / m / instances / variance
    factor = repeats_needed(1.5, share)
    assert (between + within / (factor * m)) / instances == pytest.approx(variance / 1.5)
    assert factor >= 1.5
    assert repeats_needed(1.5, 1.0) == pytest.approx(1.5)
    assert np.isinf(repeats_needed(10.0, share))


def test_a_plan_says_whether_to_buy_instances_or_repeats() -> None:
    noisy = podium.plan(world(np.random.default_rng(1), within=30.0), "mean", n_resamples=200)
    steady = podium.plan(world(np.random.default_rng(1), within=0.1), "mean", n_resamples=200)
    said = [[note for note in plan.notes if "repeats" in note] for plan in (noisy, steady)]
    assert said[0]
    assert said[1]
    assert all("cannot separate the two; add instances" in note for note in said[1])
    assert all(len(note) <= 140 for notes in said for note in notes)
    without = podium.plan(podium.simulate.gumbel(3, 2, 60, dispersion=0.1, rng=0).scores, "mean", n_resamples=200)
    assert not [note for note in without.notes if "repeats" in note]
