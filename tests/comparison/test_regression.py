"""Meta-regression: a mean is its simplest case, τ² is found by brute force again, and units do not matter."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from podium.comparison.moderators import Designs, regress
from podium.comparison.pooling import ESTIMATORS, INTERVALS, pool
from podium.errors import MethodError

Floats = NDArray[np.float64]

estimators, intervals = st.sampled_from(sorted(ESTIMATORS)), st.sampled_from(INTERVALS)


def world(seed: int, k: int = 9, p: int = 3, *, ratio: float = 20.0) -> tuple[Floats, Floats, Floats]:
    """Effects of four analyses, their variances, and a design of p columns for each."""
    rng = np.random.default_rng(seed)
    variance = rng.permuted(np.tile(np.geomspace(0.02, 0.02 * ratio, k), (4, 1)), axis=1)
    design = np.concatenate([np.ones((4, k, 1)), rng.normal(size=(4, k, p - 1))], axis=2)
    effect = 0.3 + design[..., 1:].sum(axis=2) * 0.2 + rng.normal(0, np.sqrt(variance + 0.05))
    return effect, variance, design


@given(seed=st.integers(0, 10**6), estimator=estimators, interval=intervals)
def test_without_properties_it_is_the_mean(seed: int, estimator: str, interval: str) -> None:
    y, v, design = world(seed)
    ours = regress(y, v, design[..., :1], estimator=estimator, interval=interval)
    mean = pool(y, v, estimator=estimator, interval=interval)
    for name in ("estimate", "std_error", "low", "high", "freedom", "p"):
        assert_allclose(getattr(ours, name)[:, 0], getattr(mean, name), rtol=1e-8, err_msg=name)
    for name in ("tau2", "tau2_low", "tau2_high", "i2", "h2"):
        assert_allclose(getattr(ours, name), getattr(mean, name), rtol=1e-8, atol=1e-12, err_msg=name)
    assert_allclose(ours.qe, mean.q)


def likelihood(tau2: float, y: Floats, v: Floats, x: Floats) -> float:
    """Restricted likelihood as it is written, without a factorisation."""
    w = np.diag(1 / (v + tau2))
    moments = x.T @ w @ x
    rest = y - x @ np.linalg.solve(moments, x.T @ w @ y)
    value: float = -0.5 * (np.log(v + tau2).sum() + np.linalg.slogdet(moments)[1] + rest @ w @ rest)
    return value


@given(seed=st.integers(0, 10**6))
def test_reml_is_at_the_highest_maximum(seed: int) -> None:
    y, v, design = world(seed, k=6)
    found = regress(y, v, design).tau2
    grid = np.append(0.0, np.geomspace(1e-5, 20.0, 400))
    for row in range(len(y)):
        best = likelihood(float(found[row]), y[row], v[row], design[row])
        assert best >= max(likelihood(tau2, y[row], v[row], design[row]) for tau2 in grid) - 1e-9


@given(seed=st.integers(0, 10**6), tau2=st.floats(0.001, 5.0))
def test_the_slope_is_that_of_the_likelihood(seed: int, tau2: float) -> None:
    y, v, design = world(seed)
    designs, at, step = Designs.of(y, v, design), np.full(4, tau2), 1e-5 * tau2
    slope, curvature = designs.fit(at).slope
    numerical = (designs.height(at + step) - designs.height(at - step)) / (2 * step)
    assert_allclose(slope, numerical, rtol=1e-4, atol=1e-4)
    assert_allclose(
        curvature, (designs.fit(at + step).slope[0] - designs.fit(at - step).slope[0]) / (2 * step), rtol=1e-3
    )


@given(seed=st.integers(0, 10**6), interval=intervals, power=st.integers(-40, 40))
def test_units_of_a_property_only_change_its_coefficient(seed: int, interval: str, power: int) -> None:
    y, v, design = world(seed)
    units = np.array([1.0, 3.0 * 2.0**power, 1.0])
    left, right = regress(y, v, design, interval=interval), regress(y, v, design * units, interval=interval)
    assert_allclose(right.estimate * units, left.estimate, rtol=1e-7, atol=1e-10)
    for name in ("p", "freedom", "tau2", "qm_p"):
        assert_allclose(getattr(right, name), getattr(left, name), rtol=1e-6, atol=1e-10, err_msg=name)


def test_no_analysis_hears_of_another() -> None:
    y, v, design = world(3)
    together = regress(y, v, design)
    for row in range(len(y)):
        alone = regress(y[row : row + 1], v[row : row + 1], design[row])
        assert_allclose(alone.estimate[0], together.estimate[row], rtol=1e-10)
        assert_allclose(alone.tau2[0], together.tau2[row], rtol=1e-8, atol=1e-12)


def test_alike_variances_have_all_degrees_of_freedom_and_unequal_ones_fewer() -> None:
    y, v, design = world(5)
    alike = regress(y, np.full_like(v, 0.1), design, estimator="fixed", interval="satterthwaite")
    assert_allclose(alike.freedom, 6.0)
    found = regress(y, v, design, estimator="fixed", interval="satterthwaite")
    assert ((found.freedom >= 1.0) & (found.freedom <= 6.0)).all()
    assert (found.qm_freedom < 6.0).all()


def test_a_task_that_alone_decides_a_coefficient_is_no_trouble() -> None:
    y, v = np.array([[0.1, 0.2, 0.3, 0.9]]), np.full((1, 4), 0.01)
    design = np.stack([np.ones(4), [0.0, 0.0, 0.0, 1.0]], axis=1)
    fit = regress(y, v, design)
    assert_allclose(fit.estimate[0], [0.2, 0.7], rtol=1e-10)
    assert np.isfinite(fit.freedom).all()
    assert (fit.freedom >= 1).all()


def test_effects_on_a_line_leave_nothing() -> None:
    x = np.array([1.0, 2.0, 3.0, 5.0])
    fit = regress([(0.1 + 0.2 * x).tolist()], [[0.01] * 4], np.stack([np.ones(4), x], axis=1))
    assert_allclose(fit.estimate[0], [0.1, 0.2], rtol=1e-9)
    assert fit.tau2[0] == 0


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((1, 3), (1, 4), (3, 2)), "effects have shape"),
        (((1, 3), (1, 3), (4, 2)), "the design"),
        (((1, 2), (1, 2), (2, 2)), "2 tasks are too few for 2 coefficients"),
    ],
)
def test_what_does_not_fit_is_refused(shapes: tuple[tuple[int, ...], ...], message: str) -> None:
    with pytest.raises(MethodError, match=message):
        regress(*(np.ones(shape) for shape in shapes))
