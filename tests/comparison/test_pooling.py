"""What pooling promises: the definitions, found again by brute force, and that no analysis hears of another."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import chi2, norm
from scipy.stats import t as student

import podium
from podium.comparison.pooling import INTERVALS, Pooled, pool
from podium.comparison.random_effects import ESTIMATORS, decreasing_roots
from podium.errors import ConvergenceError, MethodError
from support.drawn_effects import Analyses, analyses, eighths, estimators, often, q, variances
from support.examples import examples

Floats = NDArray[np.float64]
intervals = st.sampled_from(INTERVALS)


def columns(pooled: Pooled) -> dict[str, NDArray[Any]]:
    return {field.name: getattr(pooled, field.name) for field in fields(pooled)}


def assert_identical(left: Pooled, right: Pooled, *, but: tuple[str, ...] = ()) -> None:
    for name, column in columns(left).items():
        if name not in but:
            assert_array_equal(column, getattr(right, name), err_msg=name)


def only(pooled: Pooled, which: Any) -> Pooled:
    return Pooled(**{name: column[which] for name, column in columns(pooled).items()})


# Every analysis by itself


@often
@given(estimator=estimators, interval=intervals, data=analyses(batch=6))
def test_a_batch_is_its_analyses_one_by_one_bit_for_bit(estimator: str, interval: str, data: Analyses) -> None:
    y, v = data
    together = pool(y, v, estimator=estimator, interval=interval)
    for row in range(len(y)):
        assert_identical(only(together, row), pool(y[row], v[row], estimator=estimator, interval=interval))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_many_analyses_of_any_shape(estimator: str) -> None:
    rng = np.random.default_rng(0)
    v = rng.uniform(0.01, 1.0, (30, 40, 2, 7))
    y = rng.normal(0, np.sqrt(v + 0.2))
    v[rng.random(v.shape) < 0.2] = np.nan
    v[..., 0] = 0.5
    pooled = pool(y, v, estimator=estimator)
    assert pooled.estimate.shape == (30, 40, 2)
    assert pooled.weight.shape == v.shape
    for place in [(0, 0, 0), (29, 39, 1), (13, 7, 1)]:
        assert_identical(only(pooled, place), pool(y[place], v[place], estimator=estimator))


def test_no_analyses_are_pooled_into_none() -> None:
    pooled = pool(np.zeros((0, 3)), np.ones((0, 3)))
    assert pooled.estimate.shape == (0,)
    assert pooled.weight.shape == (0, 3)


@often
@given(estimator=estimators, interval=intervals, data=analyses(alone=True))
def test_absent_tasks_are_left_out(estimator: str, interval: str, data: Analyses) -> None:
    y, v = data
    here = ~np.isnan(y + v)
    holey = pool(y, v, estimator=estimator, interval=interval)
    dense = pool(y[here], v[here], estimator=estimator, interval=interval)
    assert_identical(holey, dense, but=("weight",))
    assert_array_equal(holey.weight[here], dense.weight)
    assert_array_equal(holey.weight[~here], 0.0)
    assert holey.k == here.sum()


@often
@given(estimator=estimators, data=analyses(alone=True, whole=True), draw=st.data())
def test_the_order_of_tasks_does_not_matter(estimator: str, data: Analyses, draw: Any) -> None:
    y, v = data
    order = np.array(draw.draw(st.permutations(range(y.size))))
    left, right = pool(y, v, estimator=estimator), pool(y[order], v[order], estimator=estimator)
    assert_allclose(right.weight, left.weight[order], rtol=1e-9)
    for name, column in columns(left).items():
        if name != "weight":
            assert_allclose(getattr(right, name), column, rtol=1e-9, atol=1e-12, err_msg=name)


#: How a number follows when effects are multiplied: with the factor to this power.
POWERS = {"estimate": 1, "std_error": 1, "low": 1, "high": 1, "prediction_low": 1, "prediction_high": 1}
POWERS |= {"tau2": 2, "tau2_low": 2, "tau2_high": 2}


@often
@given(estimator=estimators, interval=intervals, data=analyses(), power=st.integers(-30, 30))
def test_scaling_effects_scales_the_summary_without_rounding(
    estimator: str, interval: str, data: Analyses, power: int
) -> None:
    (y, v), factor = data, 2.0**power
    left = pool(y, v, estimator=estimator, interval=interval)
    right = pool(y * factor, v * factor**2, estimator=estimator, interval=interval)
    for name, column in columns(left).items():
        assert_array_equal(getattr(right, name), column * factor ** POWERS.get(name, 0), err_msg=name)


@often
@given(estimator=estimators, data=analyses())
def test_swapping_treatment_and_control_turns_the_summary_round(estimator: str, data: Analyses) -> None:
    y, v = data
    left, right = pool(y, v, estimator=estimator), pool(-y, v, estimator=estimator)
    assert_allclose(right.estimate, -left.estimate, rtol=1e-12, atol=1e-12)
    assert_allclose((right.low, right.prediction_low), (-left.high, -left.prediction_high), rtol=1e-9, atol=1e-12)
    assert_allclose((right.tau2, right.q, right.p), (left.tau2, left.q, left.p), rtol=1e-9, atol=1e-12)


@often
@given(estimator=estimators, data=analyses(), by=st.integers(-8000, 8000).map(lambda number: number / 8))
def test_shifting_effects_moves_the_summary_and_nothing_else(estimator: str, data: Analyses, by: float) -> None:
    y, v = data
    left, right = pool(y, v, estimator=estimator), pool(y + by, v, estimator=estimator)
    moved = ("estimate", "low", "high", "prediction_low", "prediction_high")
    assert_identical(left, right, but=moved)
    for name in moved:
        assert_allclose(getattr(right, name), getattr(left, name) + by, rtol=1e-13, atol=1e-13)


# Definitions


def freedom_of_robust_variance(w: Floats) -> float:
    """Twice the squared mean over the variance of HC2, a quadratic form of effects with variances 1 / w."""
    share = w / w.sum()
    residuals = np.eye(w.size) - share
    form = residuals.T @ np.diag(share**2 / (1 - share)) @ residuals / w
    return float(np.trace(form) ** 2 / np.trace(form @ form))


@given(v=hnp.arrays(np.float64, st.integers(2, 12), elements=st.floats(1e-3, 1e3)))
def test_few_tasks_with_most_of_the_weight_leave_few_degrees_of_freedom(v: Floats) -> None:
    y, k = np.arange(v.size), v.size
    df = float(pool(y, v, estimator="fixed").df)
    assert df == pytest.approx(freedom_of_robust_variance(1 / v), rel=1e-6)
    assert 1 <= df <= k - 1
    assert float(pool(y, np.full(k, v[0]), estimator="fixed").df) == pytest.approx(k - 1, rel=1e-12)


@given(k=st.integers(2, 12), least=st.floats(1e-60, 1e-20), most=st.floats(1e3, 1e300))
def test_a_task_that_decides_alone_leaves_one_degree_of_freedom(k: int, least: float, most: float) -> None:
    pooled = pool(np.zeros(k), np.append(np.full(k - 1, most), least))
    assert float(pooled.df) == pytest.approx(1, rel=1e-12)
    assert np.isfinite((pooled.low, pooled.high)).all()


@given(interval=st.sampled_from(["adhoc", "satterthwaite"]), data=analyses(alone=True, whole=True, least=2))
def test_no_standard_error_is_below_the_one_of_variances_alone(interval: str, data: Analyses) -> None:
    normal, scaled = (pool(*data, interval=name) for name in ("normal", interval))
    plain, adhoc = (pool(*data, interval=name) for name in ("knapp-hartung", "adhoc"))
    assert scaled.std_error >= normal.std_error
    assert scaled.std_error >= plain.std_error * (1 - 1e-12)
    assert scaled.high - scaled.low >= (adhoc.high - adhoc.low) * (1 - 1e-12)


@often
@given(
    estimator=estimators,
    interval=intervals,
    data=analyses(alone=True, whole=True, least=2),
    confidence=st.floats(0.5, 0.999),
)
def test_summary_and_intervals_are_as_defined(estimator: str, interval: str, data: Analyses, confidence: float) -> None:
    (y, v), k = data, data[0].size
    pooled = pool(y, v, estimator=estimator, interval=interval, confidence=confidence)
    w = 1 / (v + pooled.tau2)
    mean = (w * y).sum() / w.sum()
    factor = (w * (y - mean) ** 2).sum() / (k - 1) if interval != "normal" and np.ptp(y) > 0 else 1.0
    if interval in {"adhoc", "satterthwaite"}:
        factor = max(factor, 1.0)
    df = freedom_of_robust_variance(w) if interval == "satterthwaite" else k - 1
    law = norm() if interval == "normal" else student(df)
    reach = law.ppf((1 + confidence) / 2)
    error = np.sqrt(factor / w.sum())
    assert_allclose(pooled.weight, w / w.sum(), rtol=1e-12)
    assert_allclose((pooled.estimate, pooled.std_error), (mean, error), rtol=1e-9, atol=1e-12)
    assert_allclose((pooled.low, pooled.high), (mean - reach * error, mean + reach * error), rtol=1e-9, atol=1e-12)
    assert_allclose(pooled.p, 2 * law.sf(abs(mean) / error), rtol=1e-6, atol=1e-9)
    if estimator == "fixed" or interval != "satterthwaite":  # of that see the next test
        wide = reach * np.sqrt(error**2 + pooled.tau2) if estimator != "fixed" else np.nan
        new = (pooled.prediction_low, pooled.prediction_high)
        assert_allclose(new, (mean - wide, mean + wide), rtol=1e-9, atol=1e-12)
    assert_allclose(pooled.q, q(y, v, 0.0), rtol=1e-9, atol=1e-12)
    assert_allclose(pooled.q_p, chi2.sf(q(y, v, 0.0), k - 1), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("k", [2, 3, 5, 12])
def test_a_new_task_is_expected_over_all_that_tau2_may_be(k: int) -> None:
    """Beside 2,000 values of τ², each as likely as the next, and sums of their normal distributions."""
    rng = np.random.default_rng(k)
    y, v = rng.normal(0, 1.5, k), rng.uniform(0.1, 4, k)
    means, spreads = [], []
    for target in chi2.isf((np.arange(2000) + 0.5) / 2000, k - 1):
        tau2 = 0.0 if q(y, v, 0.0) <= target else brentq(lambda one, at=target: q(y, v, one) - at, 0, 1e9)
        w = 1 / (v + tau2)
        means.append((w * y).sum() / w.sum())
        spreads.append(np.sqrt(tau2 + 1 / w.sum()))
    mixed = norm(np.array(means), np.array(spreads))
    ends = [brentq(lambda x, at=share: mixed.cdf(x).mean() - at, -1e3, 1e3) for share in (0.025, 0.975)]
    pooled = pool(y, v)
    assert_allclose((pooled.prediction_low, pooled.prediction_high), ends, atol=3e-5 * (ends[1] - ends[0]))


# Ends of the earth


@often
@given(estimator=estimators, interval=intervals, effect=eighths, variance=st.floats(1e-30, 1e30))
def test_a_single_task_is_its_own_summary(estimator: str, interval: str, effect: float, variance: float) -> None:
    pooled = pool([effect], [variance], estimator=estimator, interval=interval)
    reach = norm.ppf(0.975) * np.sqrt(variance)
    assert_allclose((pooled.low, pooled.estimate, pooled.high), (effect - reach, effect, effect + reach), rtol=1e-12)
    assert_array_equal((pooled.weight[0], pooled.df), (1.0, np.inf))
    unknown = ("tau2", "prediction_low", "prediction_high", "tau2_low", "tau2_high", "q_p", "i2", "h2")
    assert all(np.isnan(getattr(pooled, name)) for name in unknown)


@often
@given(
    estimator=estimators,
    interval=st.sampled_from(["adhoc", "knapp-hartung"]),
    effect=st.floats(-100, 100),
    v=hnp.arrays(np.float64, st.integers(2, 8), elements=variances),
    rounding=st.booleans(),
)
def test_equal_effects_have_the_interval_of_their_variances(
    estimator: str, interval: str, effect: float, v: Floats, rounding: bool
) -> None:
    y = np.full(v.size, effect)
    y[-1] = np.nextafter(effect, np.inf) if rounding else effect
    pooled = pool(y, v, estimator=estimator, interval=interval)
    assert pooled.tau2 == 0
    assert_allclose(pooled.std_error, np.sqrt(1 / (1 / v).sum()), rtol=1e-12)
    reach = student(v.size - 1).ppf(0.975) * pooled.std_error
    assert_allclose((pooled.low, pooled.high), (effect - reach, effect + reach), rtol=1e-9, atol=1e-9)


wild = st.floats(-30.0, 30.0).map(lambda power: float(10.0**power))


@examples(3)
@given(
    estimator=estimators,
    interval=intervals,
    tasks=st.lists(st.tuples(wild | st.just(0.0), st.booleans(), wild), min_size=2, max_size=9),
)
def test_any_ratio_of_variances_is_pooled_without_a_warning(
    estimator: str, interval: str, tasks: list[tuple[float, bool, float]]
) -> None:
    y, v = np.array([-y if minus else y for y, minus, _ in tasks]), np.array([v for *_, v in tasks])
    pooled = pool(y, v, estimator=estimator, interval=interval)
    for name, column in columns(pooled).items():
        if not (estimator == "fixed" and name.startswith("prediction")):
            assert np.isfinite(column).all() or (name == "df" and interval == "normal"), name
    assert pooled.tau2 >= 0
    assert pooled.tau2_low <= pooled.tau2_high
    assert 0 <= pooled.i2 <= 1
    assert pooled.low < pooled.high or pooled.std_error < 1e-15 * abs(pooled.estimate)
    assert_allclose(pooled.weight.sum(), 1.0)
    rounding = 1e-12 * np.abs(y).max()
    assert y.min() - rounding <= pooled.estimate <= y.max() + rounding
    assert 0 <= pooled.p <= 1
    assert 0 <= pooled.q_p <= 1


# What cannot be pooled

BAD: dict[str, tuple[Any, Any, str]] = {
    "no variance for an effect": ([1, 2], [1], "one variance for each effect"),
    "no task axis": (1.0, 1.0, "one variance for each effect"),
    "no variance": ([1, 2], [1, 0], "variances finite and above 0"),
    "hardly any": ([1, 2], [1, 1e-320], "1e-60 or more"),
    "negative": ([1, 2], [1, -1], "variances finite and above 0"),
    "infinite variance": ([1, 2], [1, np.inf], "variances finite and above 0"),
    "infinite effect": ([1, np.inf], [1, 1], "effects must be finite"),
    "infinities that cancel": ([-np.inf, np.inf], [1, 1], "effects must be finite"),
    "no task": ([], [], "without any task"),
    "analyses of no task": (np.zeros((3, 0)), np.zeros((3, 0)), "without any task"),
    "an analysis without task": ([[1, 2], [np.nan, 1]], [[1, 1], [1, np.nan]], "without any task"),
}


@pytest.mark.parametrize(("effect", "variance", "message"), BAD.values(), ids=BAD)
def test_what_cannot_be_pooled_is_refused(effect: Any, variance: Any, message: str) -> None:
    with pytest.raises(MethodError, match=message):
        pool(effect, variance)


@pytest.mark.filterwarnings("error")
def test_a_task_of_no_weight_has_no_dffits() -> None:
    last = podium.pool([1, 2, 3], [1e-60, 1, 1e300]).tasks[2]
    assert np.isnan(last.dffits)


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


@pytest.mark.core
def test_a_function_that_is_no_number_has_no_root() -> None:
    zero, one = np.zeros(3), np.ones(3)

    def broken(x: Floats) -> tuple[Floats, Floats]:
        return np.array([np.nan, 1.0, 1.0]) - x, -np.ones(3)

    with pytest.raises(
        ConvergenceError, match="1 of 3 variances between tasks did not converge; choose estimator 'dl'"
    ):
        decreasing_roots(broken, zero, zero, 2 * one, one)


@pytest.mark.core
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
