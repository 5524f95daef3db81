"""Effect sizes by brute force on the pairs of scores themselves, and what is done where these say too little."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest, pearsonr

import podium
from podium.comparison.effects import EFFECT_SIZES, LEAST, EffectSize, Pairs, effect_sizes, mcnemar
from podium.errors import MethodError
from podium.score.table import Scores
from podium.tally.engine.count import count
from podium.tally.moment import Comoments

Floats = NDArray[np.float64]

#: Quarters, whose sums are exact, and many of which are equal; now and then anything.
scores = st.integers(-20, 20).map(lambda number: number / 4) | st.floats(-10, 10).map(lambda number: round(number, 3))
right_or_wrong = st.sampled_from([0.0, 1.0])
CLOSE = 1e-9

every_effect = pytest.mark.parametrize("kind", EFFECT_SIZES)


def pairs(values: ArrayLike, weights: ArrayLike | None = None, *, lower: bool = False) -> Pairs:
    """Every system, in rows, against every other on one task."""
    table = podium.from_arrays({"t": np.asarray(values, dtype=np.float64)}, lower=["t"] if lower else [])
    return counted(table if weights is None else table.with_instance_weights({"t": weights}))


def counted(table: Scores) -> Pairs:
    (tally,) = count(table, (Comoments,), threads=1)[Comoments]
    if table.tasks[0].instance_weights is None:
        return Pairs.of(tally)
    w = table.tasks[0].instance_weights
    here = ~np.isnan(table.tasks[0].values)
    both = here[:, None] & here
    with np.errstate(invalid="ignore"):
        return Pairs.of(tally, (both @ w) ** 2 / (both @ w**2))


def first(size: EffectSize) -> tuple[float, float]:
    """Effect and variance of the first system against the second."""
    return float(size.effect[0, 1]), float(size.variance[0, 1])


def by_hand(kind: str, x: Floats, y: Floats, ddof: int) -> tuple[float, float]:
    """Effect and variance by their definitions, of two arrays of paired scores that differ in more than a constant."""
    n, difference = x.size, float((x - y).mean())
    spread = float(np.var(x - y, ddof=ddof))
    if kind in ("md", "rd"):
        return difference, spread / n
    if kind == "or":
        b, c = (x > y).sum(), (x < y).sum()
        half = 0.5 * (min(b, c) == 0)
        return np.log((b + half) / (c + half)), 1 / (b + half) + 1 / (c + half)
    r = pearsonr(x, y).statistic
    if kind == "corr":
        return np.arctanh(r), 1 / (n - 3)
    d = difference / np.sqrt(spread / (2 * (1 - r)))
    j = 1 - 3 / (4 * (n - 1) - 1)
    return j * d, j**2 * (1 / n + d**2 / (2 * n)) * 2 * (1 - r)


@st.composite
def paired(draw: st.DrawFn, elements: st.SearchStrategy[float] = scores, systems: int = 2) -> Floats:
    values: Floats = draw(hnp.arrays(np.float64, (systems, draw(st.integers(4, 12))), elements=elements))
    return values


def ordinary(x: Floats, y: Floats) -> bool:
    """Whether neither the differences nor the scores are all the same, nor on one line."""
    return bool(np.ptp(x) and np.ptp(y) and np.ptp(x - y)) and abs(np.corrcoef(x, y)[0, 1]) < 1 - 1e-6


@every_effect
@given(data=st.data(), ddof=st.sampled_from([0, 1]))
def test_effects_of_two_systems_by_hand(kind: str, data: Any, ddof: int) -> None:
    x, y = data.draw(paired(right_or_wrong if kind in ("rd", "or") else scores))
    assume(ordinary(x, y))
    size = effect_sizes(pairs([x, y]), kind, ddof=ddof)
    assert_allclose(first(size), by_hand(kind, x, y, ddof), rtol=CLOSE, atol=CLOSE)
    assert size.limited[0, 1] == (kind == "or" and min((x > y).sum(), (x < y).sum()) == 0)


@st.composite
def with_holes(draw: st.DrawFn) -> Floats:
    values = draw(paired(systems=3))
    return np.where(draw(hnp.arrays(np.bool_, values.shape)), np.nan, values)


def one_score_beyond(level: float) -> Floats:
    """Scores that are all the same but one, which the second system lacks: two vary nowhere where both have scores."""
    values = np.full((3, 12), level)
    values[2, 5], values[1, 5] = level + 1, np.nan
    return values


@every_effect
@given(values=with_holes())
@example(values=one_score_beyond(0.0))
@example(values=one_score_beyond(0.3))
@example(values=np.where(np.arange(3)[:, None] == 0, 1e6 * np.arange(12), one_score_beyond(1e6 + 0.1)))
def test_systems_are_compared_on_the_instances_that_both_have(kind: str, values: Floats) -> None:
    if kind in ("rd", "or"):
        values = np.where(np.isnan(values), np.nan, values > 0.5)
    size = effect_sizes(pairs(values), kind)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        both = ~np.isnan(values[i] + values[j])
        if both.sum() < LEAST[kind]:
            assert np.isnan((size.effect[i, j], size.variance[i, j])).all()
            continue
        alone = effect_sizes(pairs(values[np.ix_((i, j), both)]), kind)
        assert_allclose(alone.effect[0, 1], size.effect[i, j], rtol=CLOSE, atol=CLOSE)
        assert_allclose(alone.variance[0, 1], size.variance[i, j], rtol=CLOSE, atol=CLOSE)
        assert alone.limited[0, 1] == size.limited[i, j]
        if ordinary(values[i][both], values[j][both]):
            ours = (size.effect[i, j], size.variance[i, j])
            assert_allclose(ours, by_hand(kind, values[i][both], values[j][both], 1), rtol=CLOSE, atol=CLOSE)


@every_effect
@given(data=st.data())
def test_treatment_and_control_swapped(kind: str, data: Any) -> None:
    values = data.draw(paired(right_or_wrong if kind in ("rd", "or") else scores, systems=3))
    size = effect_sizes(pairs(values), kind)
    sign = 1 if kind == "corr" else -1
    assert_allclose(size.effect.T, sign * size.effect, rtol=CLOSE, atol=1e-12)
    assert_allclose(size.variance.T, size.variance, rtol=CLOSE)
    assert_array_equal(size.limited.T, size.limited)


@every_effect
@given(data=st.data())
def test_where_lower_is_better_the_better_one_is_the_lower(kind: str, data: Any) -> None:
    values = data.draw(paired(right_or_wrong if kind in ("rd", "or") else scores))
    higher, lower = effect_sizes(pairs(values), kind), effect_sizes(pairs(values, lower=True), kind)
    sign = 1 if kind == "corr" else -1
    assert_allclose(lower.effect, sign * higher.effect, rtol=CLOSE, atol=1e-12)
    assert_allclose(lower.variance, higher.variance, rtol=CLOSE)


@given(values=paired(), scale=st.integers(1, 8), shift=st.integers(-100, 100))
def test_another_scale_of_the_scores(values: Floats, scale: int, shift: int) -> None:
    assume(ordinary(*values))
    plain, other = pairs(values), pairs(scale * values + shift)
    for kind, power in (("md", 1), ("smd", 0), ("corr", 0)):
        left, right = effect_sizes(plain, kind), effect_sizes(other, kind)
        assert_allclose(right.effect, scale**power * left.effect, rtol=1e-7, atol=1e-9)
        assert_allclose(right.variance, scale ** (2 * power) * left.variance, rtol=1e-7)
    # A correlation does not mind different scales either, nor a direction but for its sign.
    apart = effect_sizes(pairs([-scale * values[0] + shift, values[1]]), "corr")
    assert_allclose(apart.effect[0, 1], -effect_sizes(plain, "corr").effect[0, 1], rtol=1e-7, atol=1e-9)


@given(values=paired(right_or_wrong))
def test_risk_differences_and_odds_are_those_of_the_instances_on_which_one_is_right(values: Floats) -> None:
    x, y = values
    b, c, n = (x > y).sum(), (x < y).sum(), x.size
    better, worse = pairs(values).discordant
    assert_allclose((better[0, 1], worse[0, 1]), (b, c), atol=1e-9)
    if b + c not in (0, n):
        difference, variance = first(effect_sizes(pairs(values), "rd", ddof=0))
        assert_allclose((difference, variance), ((b - c) / n, (b + c - (b - c) ** 2 / n) / n**2), atol=1e-12)


# Weights of instances


@every_effect
@given(data=st.data())
def test_a_weight_of_0_leaves_an_instance_out(kind: str, data: Any) -> None:
    values = data.draw(paired(right_or_wrong if kind in ("rd", "or") else scores))
    weights = data.draw(hnp.arrays(np.float64, values.shape[1], elements=st.sampled_from([0.0, 2.0])))
    assume(weights.any())
    weighed, dense = effect_sizes(pairs(values, weights), kind), effect_sizes(pairs(values[:, weights > 0]), kind)
    assert_allclose(weighed.effect, dense.effect, rtol=CLOSE, atol=1e-12)
    assert_allclose(weighed.variance, dense.variance, rtol=CLOSE)


@given(values=paired(), data=st.data())
def test_weighed_instances_count_as_fewer(values: Floats, data: Any) -> None:
    x, y = values
    w = data.draw(hnp.arrays(np.float64, x.size, elements=st.integers(1, 8).map(float)))
    assume(ordinary(x, y))
    n = w.sum() ** 2 / (w**2).sum()
    difference = np.average(x - y, weights=w)
    spread = np.average((x - y - difference) ** 2, weights=w)
    for ddof in (0, 1):
        known = n >= LEAST["md"]
        expected = (difference, spread / (n - ddof)) if known else (np.nan, np.nan)
        assert_allclose(first(effect_sizes(pairs(values, w), "md", ddof=ddof)), expected, rtol=CLOSE, atol=CLOSE)
    expected = (np.arctanh(pairs(values, w).correlation[0, 1]), 1 / (n - 3)) if n >= LEAST["corr"] else (np.nan, np.nan)
    assert_allclose(first(effect_sizes(pairs(values, w), "corr")), expected, rtol=CLOSE)
    assert_allclose(pairs(values, w).correlation[0, 1], np.cov(x, y, aweights=w)[0, 1] / sds(x, y, w), rtol=CLOSE)


def sds(x: Floats, y: Floats, w: Floats) -> float:
    covariance = np.cov(x, y, aweights=w)
    return float(np.sqrt(covariance[0, 0] * covariance[1, 1]))


# Where all differences are the same

varied = paired().filter(lambda values: bool(np.ptp(values[0])))


@given(values=varied)
def test_identical_systems_differ_by_0_give_or_take_one_instance(values: Floats) -> None:
    x, n = values[0], values.shape[1]
    same = pairs([x, x])
    assert_allclose(first(effect_sizes(same, "md")), (0, 2 * x.var() / n**2), atol=1e-12)
    j = 1 - 3 / (4 * (n - 1) - 1)
    assert_allclose(first(effect_sizes(same, "smd")), (0, 2 * j**2 / n**2), atol=1e-12)
    assert_allclose(first(effect_sizes(same, "corr")), (np.arctanh(1 - 1 / n), 1 / (n - 3)))
    for kind in ("md", "smd", "corr"):
        assert effect_sizes(same, kind).limited.all()


@given(values=varied, shift=st.integers(-400, 400).filter(bool).map(lambda number: number / 40))
def test_a_constant_gain_is_not_infinitely_sure(values: Floats, shift: float) -> None:
    x, n = values[0], values.shape[1]
    shifted = pairs([x + shift, x])
    assert_allclose(first(effect_sizes(shifted, "md")), (shift, max(2 * x.var(), shift**2) / n**2), rtol=CLOSE)
    d, j = shift / x.std(ddof=1), 1 - 3 / (4 * (n - 1) - 1)
    assert_allclose(first(effect_sizes(shifted, "smd")), (j * d, 2 * j**2 * (1 + d**2 / 2) / n**2), rtol=CLOSE)
    for kind in ("md", "smd", "corr"):
        assert effect_sizes(shifted, kind).limited[0, 1]


@given(values=varied, factor=st.sampled_from([-3.0, -1.0, -0.1, 0.1, 0.3, 1.1, 3.0, 7.0]))
def test_scores_on_one_line(values: Floats, factor: float) -> None:
    x, n = values[0], values.shape[1]
    line = pairs([factor * x, x])
    sign = np.sign(factor)
    assert_allclose(first(effect_sizes(line, "corr")), (sign * np.arctanh(1 - 1 / n), 1 / (n - 3)), rtol=CLOSE)
    assert effect_sizes(line, "corr").limited[0, 1]
    assert_allclose(first(effect_sizes(line, "md")), ((factor - 1) * x.mean(), (factor - 1) ** 2 * x.var() / (n - 1)))
    assert not effect_sizes(line, "md").limited[0, 1]
    # Against each other, S_within = S_diff / 2; side by side, 1 − r is 0 but for rounding, and taken as 1 / n.
    apart, within = (4.0, (factor - 1) ** 2 / 4) if sign < 0 else (2 / n, (1 + factor**2) / 2)
    d, j = (factor - 1) * x.mean() / (np.sqrt(within) * x.std(ddof=1)), 1 - 3 / (4 * (n - 1) - 1)
    expected = (j * d, j**2 * (1 + d**2 / 2) / n * apart)
    assert_allclose(first(effect_sizes(line, "smd")), expected, rtol=1e-7, atol=1e-12)
    assert effect_sizes(line, "smd").limited[0, 1] == (sign > 0)


@given(constants=st.tuples(scores, scores), n=st.integers(4, 9))
def test_scores_that_are_all_the_same(constants: tuple[float, float], n: int) -> None:
    still = pairs(np.repeat([constants], n, axis=0).T)
    gap = constants[0] - constants[1]
    # Of what does not vary nothing is known, but that one is better throughout.
    assert_allclose(first(effect_sizes(still, "md")), (gap, gap**2 / n**2) if gap else (np.nan, np.nan))
    for kind in ("smd", "corr"):
        assert np.isnan(first(effect_sizes(still, kind))).all()
        assert not effect_sizes(still, kind).limited.any()


@given(values=varied, constant=scores)
def test_one_system_whose_scores_are_all_the_same(values: Floats, constant: float) -> None:
    x, n = values[0], values.shape[1]
    beside = pairs([x, np.full(n, constant)])
    gap = x.mean() - constant
    assert_allclose(first(effect_sizes(beside, "md")), (gap, x.var(ddof=1) / n), rtol=CLOSE, atol=CLOSE)
    # It has no correlation: S_within is the root of the mean of both variances.
    d, j = gap / np.sqrt(x.var(ddof=1) / 2), 1 - 3 / (4 * (n - 1) - 1)
    assert_allclose(first(effect_sizes(beside, "smd")), (j * d, j**2 * (2 / n + d**2 / n)), rtol=CLOSE, atol=CLOSE)
    assert np.isnan(first(effect_sizes(beside, "corr"))).all()


def test_odds_of_which_one_side_is_empty() -> None:
    same = pairs([[1, 0, 1, 0], [1, 0, 1, 0]])
    assert first(effect_sizes(same, "or")) == (0.0, 4.0)
    throughout = pairs([[1, 1, 1, 1], [0, 0, 0, 0]])
    assert_allclose(first(effect_sizes(throughout, "or")), (np.log(9), 1 / 4.5 + 2))
    assert effect_sizes(throughout, "or").limited[0, 1]


@every_effect
def test_too_few_instances_tell_nothing(kind: str) -> None:
    values = np.array([[0.0, 1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0, 0.0]])
    for n in range(1, 6):
        effect = first(effect_sizes(pairs(values[:, :n]), kind))
        assert np.isfinite(effect).all() if n >= LEAST[kind] else np.isnan(effect).all()
    nowhere = pairs([[1.0, np.nan, 0.0, np.nan], [np.nan, 1.0, np.nan, 0.0]])
    assert np.isnan(first(effect_sizes(nowhere, kind))).all()


def test_an_effect_that_does_not_exist_is_refused() -> None:
    with pytest.raises(MethodError, match=r"no effect 'cohen'.*'smd'"):
        effect_sizes(pairs([[1, 2], [2, 1]]), "cohen")


# McNemar


@given(b=st.integers(0, 60), c=st.integers(0, 60))
def test_mcnemar_is_a_binomial_test(b: int, c: int) -> None:
    expected = binomtest(min(b, c), b + c, 0.5).pvalue if b + c else 1.0
    assert_allclose(mcnemar(np.array([b * 1.0]), np.array([c * 1.0])), expected, rtol=CLOSE)


@given(values=paired(right_or_wrong, systems=4))
def test_mcnemar_of_many_pairs_from_their_moments(values: Floats) -> None:
    better, worse = pairs(values).discordant
    p = mcnemar(better, worse)
    for i in range(4):
        for j in range(4):
            b, c = int((values[i] > values[j]).sum()), int((values[i] < values[j]).sum())
            assert_allclose(p[i, j], binomtest(b, b + c).pvalue if b + c else 1.0, rtol=CLOSE)


def test_mcnemar_rounds_no_count_down() -> None:
    rng = np.random.default_rng(0)
    for n in (999, 50_021, 300_007):
        values = (rng.random((2, n)) < [[0.3], [0.301]]).astype(np.float64)
        better, worse = pairs(values).discordant
        b, c = int((values[0] > values[1]).sum()), int((values[0] < values[1]).sum())
        assert_allclose(mcnemar(better, worse)[0, 1], binomtest(b, b + c).pvalue, rtol=CLOSE)
    just_below = np.nextafter([2.0, 8.0], 0)
    assert_allclose(mcnemar(just_below, just_below[::-1]), binomtest(2, 10).pvalue)
