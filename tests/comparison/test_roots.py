import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from podium.comparison.pooling import decreasing_roots
from podium.errors import ConvergenceError

pytestmark = pytest.mark.core

Floats = NDArray[np.float64]


def test_a_function_that_is_no_number_has_no_root() -> None:
    zero, one = np.zeros(3), np.ones(3)

    def broken(x: Floats) -> tuple[Floats, Floats]:
        return np.array([np.nan, 1.0, 1.0]) - x, -np.ones(3)

    with pytest.raises(
        ConvergenceError, match="1 of 3 variances between tasks did not converge; choose estimator 'dl'"
    ):
        decreasing_roots(broken, zero, zero, 2 * one, one)


@given(
    roots=hnp.arrays(np.float64, st.integers(1, 5), elements=st.floats(1e-6, 1.0)),
    steepness=st.sampled_from([1.0, 3.0, 51.0]),
)
def test_roots_are_found_where_newtons_method_alone_goes_astray(roots: Floats, steepness: float) -> None:
    zero, one = np.zeros(roots.size), np.ones(roots.size)

    def kinked(x: Floats) -> tuple[Floats, Floats]:
        """Flat far from the root, with a slope that says the wrong thing."""
        return np.tanh(steepness * (roots - x)), -steepness / np.cosh(steepness * (roots - x)) ** 4

    assert_allclose(decreasing_roots(kinked, zero, zero, 2 * one, one), roots, atol=1e-8)
