import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from podium.planning.power import growth_needed

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
