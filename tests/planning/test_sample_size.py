"""How many more comparisons or units: laws, the bound turned around, and the power that is promised."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import podium
from podium.errors import MethodError
from podium.planning.sample_size import comparisons_needed, growth_needed
from podium.ranking.hoeffding import SIDES, Sided, radius

shares = st.floats(0.51, 1.0)
sizes = st.floats(1e-3, 1e3)


@given(shares, st.floats(0.5, 0.999), st.sampled_from(SIDES), st.booleans())
def test_the_bound_separates_just_beyond(share: float, confidence: float, sided: Sided, simultaneous: bool) -> None:
    pairs = 3 if simultaneous else 1
    needed = comparisons_needed(np.array(share), confidence=confidence, sided=sided, simultaneous_pairs=pairs)
    # a millionth to either side, so that rounding cannot decide
    around = np.full((3, 3), needed * (1 + 1e-6)), np.full((3, 3), needed * (1 - 1e-6))
    after, before = (
        radius(compared, confidence=confidence, sided=sided, simultaneous=simultaneous)[0, 1] for compared in around
    )
    assert after < share - 0.5 < before


def test_comparisons_by_hand() -> None:
    # log(2 · 10 / 0.05) / (2 · 0.1²), worked out elsewhere
    assert_allclose(comparisons_needed(np.array([0.4, 0.6]), simultaneous_pairs=10), 299.573227, rtol=1e-8)
    assert np.isinf(comparisons_needed(np.array(0.5)))
    assert np.isnan(comparisons_needed(np.array(np.nan)))


@given(shares, shares, st.floats(0.5, 0.99))
def test_further_from_half_needs_fewer_and_surer_needs_more(one: float, other: float, confidence: float) -> None:
    near, far = sorted((one, other))
    assert comparisons_needed(np.array(far)) <= comparisons_needed(np.array(near))
    less = comparisons_needed(np.array(one), confidence=confidence)
    assert less < comparisons_needed(np.array(one), confidence=confidence + 0.005)
    assert less < comparisons_needed(np.array(one), confidence=confidence, simultaneous_pairs=2)


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


@pytest.mark.parametrize("power", [0.0, 0.4, 1.0, float("nan")])
def test_a_power_that_makes_no_sense_is_refused(power: float) -> None:
    with pytest.raises(MethodError, match="power is"):
        growth_needed(np.array(1.0), np.array(1.0), 2.0, power=power)


@pytest.mark.parametrize(("method", "level"), [("mean", None), ("borda", "one")])
def test_as_many_instances_as_planned_separate_as_often_as_promised(method: str, level: str | None) -> None:
    # a pilot so large that difference and error are all but the true ones: d is 30 standard errors
    pilot = podium.simulate.gumbel(2, 2, 20_000, dispersion=0.2, rng=0).scores
    plan = podium.plan(pilot, method, level=level, power=0.7, replicates=400)
    assert plan.separated[0, 1]
    size = int(np.ceil(plan.growth[0, 1] * plan.size))
    assert 20 < size < 400
    apart = 0
    for rng in range(1, 201):
        world = podium.simulate.gumbel(2, 2, size, dispersion=0.2, rng=rng).scores
        ranking = podium.rank(world, method, level=level, confidence=0.95, replicates=200)
        assert ranking.intervals is not None
        apart += bool(ranking.intervals.separated[0, 1] and ranking.systems == plan.systems)
    # four standard errors of a share of 200, 0.13, beside which 3% error of the pilot's se matters little
    assert apart / 200 == pytest.approx(0.7, abs=4 * np.sqrt(0.7 * 0.3 / 200))
