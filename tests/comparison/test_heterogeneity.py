"""Variances between tasks: each estimator does what it promises, by brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.stats import chi2

from podium.comparison.pooling import ESTIMATORS, pool
from support.drawn_effects import Analyses, analyses, estimators, often, q

Floats = NDArray[np.float64]

random_effects = st.sampled_from(sorted(set(ESTIMATORS) - {"fixed"}))


def restricted(y: Floats, v: Floats, tau2: Floats) -> Floats:
    """Restricted log-likelihood at each τ², but for a constant; by its definition, of effects near 0."""
    w = 1 / (v + tau2[:, None])
    total = w.sum(axis=1)
    residual = y - ((w * y).sum(axis=1) / total)[:, None]
    height: Floats = -0.5 * (-np.log(w).sum(axis=1) + np.log(total) + (w * residual**2).sum(axis=1))
    return height


def fine(y: Floats, v: Floats) -> Floats:
    """0, and τ² up to ten times the squared range of the effects: 1,000 for each power of ten."""
    low, high = v.min() / 1000, 10 * max(float(np.ptp(y)) ** 2, v.min())
    return np.append(0.0, np.geomspace(low, high, 1 + round(1000 * np.log10(high / low))))


@often
@given(estimator=random_effects, data=analyses(alone=True, whole=True, least=2))
def test_heterogeneity_is_as_defined(estimator: str, data: Analyses) -> None:
    (y, v), k = data, data[0].size
    pooled = pool(y, v, estimator=estimator)
    w = 1 / v
    typical = (k - 1) * w.sum() / (w.sum() ** 2 - (w**2).sum())
    assert_allclose(pooled.i2, pooled.tau2 / (pooled.tau2 + typical), rtol=1e-9)
    assert_allclose(pooled.h2, 1 + pooled.tau2 / typical, rtol=1e-9)
    if estimator == "dl":  # the same as those of Q, where that is more than is to be expected
        assert_allclose(pooled.h2, np.maximum(q(y, v, 0.0) / (k - 1), 1.0), rtol=1e-9)


@given(data=analyses(alone=True, whole=True, least=2))
def test_fixed_effects_measure_heterogeneity_by_q(data: Analyses) -> None:
    (y, v), k = data, data[0].size
    pooled = pool(y, v, estimator="fixed")
    assert pooled.tau2 == 0
    ratio = q(y, v, 0.0) / (k - 1)
    assert_allclose(pooled.h2, ratio, rtol=1e-9, atol=1e-12)
    assert_allclose(pooled.i2, 1 - 1 / ratio if ratio > 1 else 0.0, rtol=1e-9, atol=1e-12)


@given(data=analyses(alone=True, whole=True, least=2))
def test_dersimonian_and_laird(data: Analyses) -> None:
    y, v = data
    w = 1 / v
    by_hand = (q(y, v, 0.0) - (y.size - 1)) / (w.sum() - (w**2).sum() / w.sum())
    assert_allclose(pool(y, v, estimator="dl").tau2, max(0.0, by_hand), rtol=1e-9, atol=1e-9 * v.min())


@given(data=analyses(alone=True, whole=True, least=2))
def test_paule_and_mandel_give_q_its_expectation(data: Analyses) -> None:
    y, v = data
    tau2 = float(pool(y, v, estimator="pm").tau2)
    if tau2:
        assert q(y, v, tau2) == pytest.approx(y.size - 1, rel=1e-9)
    else:
        assert q(y, v, 0.0) <= y.size - 1


@often
@given(estimator=estimators, data=analyses(alone=True, whole=True, least=2), confidence=st.floats(0.5, 0.999))
def test_ends_of_the_interval_of_tau2_give_q_its_quantiles(estimator: str, data: Analyses, confidence: float) -> None:
    y, v = data
    pooled = pool(y, v, estimator=estimator, confidence=confidence)
    tail = (1 - confidence) / 2
    for end, share in ((pooled.tau2_low, 1 - tail), (pooled.tau2_high, tail)):
        wanted = chi2.ppf(share, y.size - 1)
        if end:
            assert q(y, v, float(end)) == pytest.approx(wanted, rel=1e-9)
        else:
            assert q(y, v, 0.0) <= wanted
    without = pool(y, v, estimator=estimator, confidence=confidence, profile=False)
    assert np.isnan((without.tau2_low, without.tau2_high)).all()
    assert (without.tau2, without.low) == (pooled.tau2, pooled.low)


@given(data=analyses(alone=True, whole=True, least=2))
def test_no_tau2_is_more_likely_than_that_of_reml(data: Analyses) -> None:
    y, v = data
    tau2 = pool(y, v).tau2
    assert restricted(y, v, tau2[None])[0] >= restricted(y, v, fine(y, v)).max() - 1e-9


def looked_over(y: Floats, v: Floats) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Fine grid of τ², the likelihood there, and where it has its maxima, but for one at 0."""
    grid = fine(y, v)
    height = restricted(y, v, grid)
    inner = height[1:-1]
    return grid, height, np.nonzero((inner > height[:-2]) & (inner > height[2:]))[0] + 1


#: Tasks of high precision that agree, and others far apart: the likelihood has a maximum for each of the two.
EXACT, COARSE = np.array([-0.01, 0.0, 0.004, 0.01]), np.array([-1.0, 0.2, 1.0, 1.3])


@pytest.mark.parametrize(("apart", "maxima", "highest"), [(5.0, 1, 0), (9.0, 2, 0), (13.0, 2, 1), (400.0, 2, 1)])
def test_of_several_maxima_the_highest_is_taken(apart: float, maxima: int, highest: int) -> None:
    y, v = np.append(EXACT, apart * COARSE), np.repeat([1e-6, 10.0], 4)
    grid, height, tops = looked_over(y, v)
    assert len(tops) == maxima
    assert height[tops].argmax() == highest
    # Beside one with another answer, too.
    tau2 = pool([y, -EXACT.mean() + np.append(EXACT, EXACT)], [v, v]).tau2[0]
    assert_allclose(tau2, grid[tops[highest]], rtol=0.003)
    assert restricted(y, v, tau2[None])[0] >= height.max()


def test_the_highest_is_taken_wherever_there_are_two_scales() -> None:
    rng = np.random.default_rng(1)
    several = 0
    for _ in range(100):
        k = int(rng.integers(2, 5))
        y = np.append(rng.normal(0, 0.03, k), rng.normal(0, 10 ** rng.uniform(0, 1.5), k))
        v = np.append(np.full(k, 1e-6), 10 ** rng.uniform(-1, 2, k))
        _, height, tops = looked_over(y, v)
        assert restricted(y, v, pool(y, v).tau2[None])[0] >= height.max() - 1e-9
        several += len(tops) > 1
    assert several > 20


def test_one_task_far_more_precise_than_the_others_leaves_them_their_say_in_tau2() -> None:
    others, k = np.array([-3.0, -1.0, 2.0, 6.0]), 5
    for precise in (1e-3, 1e-20, 1e-30):
        y, v = np.append(others, 0.5), np.append(np.full(4, 1.0), precise)
        w = 1 / v
        # Σ w − Σ w² / Σ w by pairs, since the difference is 0 to 16 digits
        pairs = 2 * sum(w[i] * w[j] for i in range(k) for j in range(i))
        assert_allclose(pool(y, v, estimator="dl").tau2, (q(y, v, 0.0) - (k - 1)) * w.sum() / pairs, rtol=1e-9)
        assert q(y, v, float(pool(y, v, estimator="pm").tau2)) == pytest.approx(k - 1)
        assert pool(y, v).tau2 > 1
