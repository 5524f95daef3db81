"""Distributions, against SciPy."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from podium.base.statistics import log_normal_cdf, normal_cdf, normal_quantile, student_cdf, student_quantile

#: From two, fewer than any interval is made of, to as many as normal.
FREEDOMS = [2.0, 4.5, 5.0, 11.3, 30.0, 199.0, 1e4, 1e9]


def test_the_normal_distribution_is_that_of_scipy() -> None:
    x = np.linspace(-36, 10, 4001)
    assert_allclose(normal_cdf(x), special.ndtr(x), rtol=1e-12)
    assert normal_cdf(0.0) == 0.5
    for value in (*x.tolist(), -36.5, -40.0, -1e3, 40.0):
        assert math.isclose(log_normal_cdf(value), special.log_ndtr(value), rel_tol=1e-12)


def test_its_quantiles_are_too() -> None:
    p = np.array([[0.0, 1e-300, 1e-9], [0.001, 0.25, 0.5], [0.75, 1 - 1e-12, 1.0]])
    assert_allclose(normal_quantile(p), special.ndtri(p), rtol=1e-14)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_student_s_distribution_is_that_of_scipy(freedom: float) -> None:
    x = np.linspace(-30, 12, 1501)
    wanted = special.stdtr(freedom, x)
    there = wanted > 1e-280
    assert_allclose(student_cdf(x, freedom)[there], wanted[there], rtol=5e-13)
    many = np.tile(x, 14)  # so many that SciPy is used
    assert np.array_equal(student_cdf(many, freedom)[: x.size], wanted)
    p = [10.0**-k for k in range(1, 12)] + [0.25, 0.45, 0.5]
    assert_allclose([student_quantile(one, freedom) for one in p], special.stdtrit(freedom, p), rtol=1e-13, atol=1e-15)


def test_what_is_far_out_or_unknown() -> None:
    found = student_cdf(np.array([[-np.inf, np.inf], [-1e200, np.nan]]), 5.0).tolist()
    assert str(found) == "[[0.0, 1.0], [0.0, nan]]"
    assert student_cdf(np.empty((0, 0)), 5.0).shape == (0, 0)
