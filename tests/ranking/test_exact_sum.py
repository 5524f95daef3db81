from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from podium.ranking import ballots as sums
from podium.ranking.ballots import exact_sum, weighted_sum

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
    monkeypatch.setattr(sums, "_CHANGES", 0)
    assert_array_equal(weighted_sum(weights, terms), found)
