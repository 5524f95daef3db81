"""Pairs of rankings counted one by one; Hoeffding's bound beside exact chances."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.stats import binom

from podium.errors import MethodError
from podium.ranking.distance import count_pairs
from podium.ranking.pairwise import SIDES, Sided, comparisons_needed, radius

pytestmark = pytest.mark.core


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 33, 70])
def test_pairs_are_those_counted_one_by_one(size: int) -> None:
    rng = np.random.default_rng(size)
    first, second = (rng.integers(0, size // 2 + 2, (5, size)).astype(np.float64) for _ in range(2))
    first[rng.random(first.shape) < 0.1] = np.nan
    second[rng.random(second.shape) < 0.1] = np.nan
    counts = count_pairs(first, second)
    for row in range(5):
        steps = [
            ((first[row, i] - first[row, j]), (second[row, i] - second[row, j]))
            for i, j in combinations(range(size), 2)
        ]
        there = [(a, b) for a, b in steps if not np.isnan(a + b)]
        expected = (
            len(there),
            sum(a * b < 0 for a, b in there),
            sum(a == 0 for a, _ in there),
            sum(b == 0 for _, b in there),
            sum(a == 0 == b for a, b in there),
        )
        found = (counts.compared, counts.discordant, counts.tied_first, counts.tied_second, counts.tied_both)
        assert_array_equal([one[row] for one in found], expected)


Floats = NDArray[np.float64]


counts = hnp.arrays(np.float64, (4, 4), elements=st.integers(0, 500).map(float))


shares = st.floats(0.51, 1.0)


confidences = st.floats(0.01, 0.999)


def pair(compared: float) -> Floats:
    return np.array([[0.0, compared], [compared, 0.0]])


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("probability", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("compared", [10, 57, 1000])
def test_the_exact_chance_of_an_error_is_below_the_promised_one(
    confidence: float, probability: float, compared: int
) -> None:
    won = np.arange(compared + 1)
    chance = binom.pmf(won, compared, probability)
    distance = won / compared - probability
    two = radius(pair(compared), confidence=confidence)[0, 1]
    one = radius(pair(compared), confidence=confidence, sided="one")[0, 1]
    assert chance[np.abs(distance) >= two].sum() <= 1 - confidence
    assert chance[distance >= one].sum() <= 1 - confidence
    assert chance[-distance >= one].sum() <= 1 - confidence


@given(compared=counts, confidence=confidences)
def test_the_bound_is_hoeffdings(compared: Floats, confidence: float) -> None:
    for sided, sides in (("two", 2), ("one", 1)):
        c = radius(compared, confidence=confidence, sided="two" if sided == "two" else "one")
        met = compared > 0
        assert_allclose(sides * np.exp(-2 * compared[met] * c[met] ** 2), 1 - confidence)
        assert np.isinf(c[~met]).all()


@pytest.mark.parametrize("sided", SIDES)
@given(compared=counts, confidence=confidences)
def test_simultaneous_bounds_spend_the_error_on_all_pairs(sided: Sided, compared: Floats, confidence: float) -> None:
    together = radius(compared, confidence=confidence, sided=sided, simultaneous=True)
    alone = radius(compared, confidence=1 - (1 - confidence) / 6, sided=sided)
    assert_allclose(together, alone)


def test_a_single_pair_needs_no_correction() -> None:
    assert_allclose(radius(pair(9.0), simultaneous=True), radius(pair(9.0)))


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, np.nan])
def test_a_confidence_that_is_no_probability_is_refused(confidence: float) -> None:
    with pytest.raises(MethodError, match="it must be a number between 0 and 1"):
        radius(pair(9.0), confidence=confidence)


def test_an_unknown_side_is_refused() -> None:
    with pytest.raises(MethodError, match="no sided='both'; there are 'two', 'one'"):
        radius(pair(9.0), sided="both")  # type: ignore[arg-type]


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
