"""Adjusted p-values beside statsmodels, by hand, and what adjusting promises."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from statsmodels.stats.multitest import multipletests

from podium.base.statistics import benjamini_hochberg, holm, shaffer
from support.examples import examples

Floats = NDArray[np.float64]
Adjust = Callable[[Floats], Floats]

p_values = hnp.arrays(
    np.float64, st.integers(1, 12), elements=st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.02, 0.05, 1.0])
)
OURS: dict[str, Adjust] = {"holm": holm, "fdr_bh": benjamini_hochberg}
both = pytest.mark.parametrize("name", OURS)


@both
@examples(0.5)  # its Holm takes long
@given(p=p_values)
def test_statsmodels_adjusts_alike(name: str, p: Floats) -> None:
    assert_allclose(OURS[name](p), multipletests(p, method=name)[1], rtol=1e-12)


@both
@given(p=p_values, data=st.data())
def test_what_is_absent_does_not_count(name: str, p: Floats, data: Any) -> None:
    hole = data.draw(hnp.arrays(np.bool_, p.size))
    adjusted = OURS[name](np.where(hole, np.nan, p))
    assert np.isnan(adjusted[hole]).all()
    assert_array_equal(adjusted[~hole], OURS[name](p[~hole]))


@both
@given(p=p_values, data=st.data())
def test_adjusting_keeps_the_order_and_goes_up_only(name: str, p: Floats, data: Any) -> None:
    adjusted = OURS[name](p)
    assert ((adjusted >= p) & (adjusted <= 1)).all()
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()
    order = np.array(data.draw(st.permutations(range(p.size))))
    assert_array_equal(OURS[name](p[order]), adjusted[order])
    # Any p-value that grows lets no other shrink.
    grown = p.copy()
    grown[0] = (1 + grown[0]) / 2
    assert (OURS[name](grown) >= adjusted - 1e-15).all()


@given(p=p_values)
def test_the_order_of_strictness(p: Floats) -> None:
    bonferroni = np.minimum(p * p.size, 1)
    assert (benjamini_hochberg(p) <= holm(p) + 1e-15).all()
    assert (holm(p) <= bonferroni + 1e-15).all()


@given(p=p_values, level=st.floats(0.001, 0.5))
def test_rejections_are_those_of_the_stepwise_procedures(p: Floats, level: float) -> None:
    ordered, m = np.sort(p), p.size
    step = np.arange(1, m + 1)
    # Holm goes up from the smallest, until one is not small enough; Benjamini and Hochberg look for the last that is.
    down = next((i for i in range(m) if (m - i) * ordered[i] > level), m)
    up = max((i + 1 for i in range(m) if m * ordered[i] / step[i] <= level), default=0)
    # Not where rounding decides.
    assume(np.abs(np.append(holm(p), benjamini_hochberg(p)) - level).min() > 1e-12)
    assert (holm(p) <= level).sum() == down
    assert (benjamini_hochberg(p) <= level).sum() == up


def test_by_hand() -> None:
    p = [0.04, 0.001, np.nan, 0.03, 0.005]
    assert_allclose(holm(p), [0.06, 0.004, np.nan, 0.06, 0.015])
    assert_allclose(benjamini_hochberg(p), [0.04, 0.004, np.nan, 0.04, 0.01])


@both
def test_nothing_to_adjust(name: str) -> None:
    assert OURS[name](np.array([])).size == 0
    assert np.isnan(OURS[name](np.array([np.nan, np.nan]))).all()


def partitions(number: int, largest: int | None = None) -> list[list[int]]:
    """All ways to cut a number into groups, by brute force."""
    if number == 0:
        return [[]]
    most = number if largest is None else min(number, largest)
    return [[size, *rest] for size in range(1, most + 1) for rest in partitions(number - size, size)]


@pytest.mark.parametrize("n_items", range(2, 13))
def test_shaffer_allows_as_many_equalities_as_there_can_be(n_items: int) -> None:
    pairs = n_items * (n_items - 1) // 2
    possible = {sum(size * (size - 1) // 2 for size in groups) for groups in partitions(n_items)}
    p = np.linspace(1e-6, 1e-4, pairs)
    true = [max(number for number in possible if number <= left) for left in range(pairs, 0, -1)]
    assert_allclose(shaffer(p, n_items), np.minimum(np.maximum.accumulate(true * p), 1))


@given(n_items=st.integers(2, 8), data=st.data())
def test_shaffer_never_exceeds_holm(n_items: int, data: st.DataObject) -> None:
    p = data.draw(hnp.arrays(np.float64, n_items * (n_items - 1) // 2, elements=st.floats(0, 1)))
    adjusted = shaffer(p, n_items)
    assert (adjusted <= holm(p)).all()
    assert (adjusted >= p).all()


def test_shaffer_of_very_many_items_is_holm() -> None:
    p = np.random.default_rng(0).random(130 * 129 // 2)
    assert_array_equal(shaffer(p, 130), holm(p))
