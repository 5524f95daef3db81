"""Effect sizes by brute force on the pairs of scores themselves, and what is done where these say too little."""

import math
from dataclasses import replace
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
from podium.comparison.contrast import contrast
from podium.comparison.effects import EFFECTS, MEASURED, EffectSize, Pairs, design_effect, effect_sizes, mcnemar
from podium.comparison.result import MetaAnalysis
from podium.errors import MethodError
from podium.score.table import Scores
from podium.tally.count import count
from podium.tally.moment import Comoments
from support.compared import analysed

Floats = NDArray[np.float64]

#: Quarters, whose sums are exact, and many of which are equal; now and then anything.
scores = st.integers(-20, 20).map(lambda number: number / 4) | st.floats(-10, 10).map(lambda number: round(number, 3))
right_or_wrong = st.sampled_from([0.0, 1.0])
CLOSE = 1e-9

every_effect = pytest.mark.parametrize("kind", MEASURED)


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
        if both.sum() < EFFECTS[kind].least:
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
        known = n >= EFFECTS["md"].least
        expected = (difference, spread / (n - ddof)) if known else (np.nan, np.nan)
        assert_allclose(first(effect_sizes(pairs(values, w), "md", ddof=ddof)), expected, rtol=CLOSE, atol=CLOSE)
    expected = (
        (np.arctanh(pairs(values, w).correlation[0, 1]), 1 / (n - 3))
        if n >= EFFECTS["corr"].least
        else (np.nan, np.nan)
    )
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


# McNemar


@given(b=st.integers(0, 60), c=st.integers(0, 60))
def test_mcnemar_is_a_binomial_test(b: int, c: int) -> None:
    expected = binomtest(min(b, c), b + c, 0.5).pvalue if b + c else 1.0
    assert_allclose(mcnemar(b, c), expected, rtol=CLOSE)


#: Four instances a cluster.
OF = [number // 4 for number in range(40)]


def test_the_control_is_not_measured_against_itself() -> None:
    scores = podium.from_arrays({"t": np.random.default_rng(0).random((3, 40))}, clusters=OF)
    assert contrast(scores, scores.systems[1], "md").n_clusters.tolist() == [[10, 0, 10]]


@pytest.mark.parametrize("clusters", [None, OF], ids=["alone", "clusters"])
def test_nearly_equal_scores_are_turned_where_lower_is_better(clusters: list[int] | None) -> None:
    rng = np.random.default_rng(0)
    control = 100 + rng.random(40)
    values = np.array([control, control + 1e-6 * rng.random(40)])
    higher, lower = (
        analysed(
            podium.from_arrays({"t": sign * values}, systems=["A", "B"], lower=low, clusters=clusters),
            control="A",
            treatment="B",
        ).tasks[0]
        for sign, low in ((1, []), (-1, ["t"]))
    )
    assert higher.effect > 0
    assert (lower.effect, lower.variance) == (higher.effect, higher.variance)
    assert (lower.control_mean, lower.treatment_mean) == (-higher.control_mean, -higher.treatment_mean)


def test_a_mean_of_zero_has_no_sign() -> None:
    scores = podium.from_arrays({"t": [[1, -1, 0, 0], [0, 1, 2, 3]]}, systems=["A", "B"], lower=["t"])
    (task,) = analysed(scores, control="A", treatment="B").tasks
    assert math.copysign(1, task.control_mean) == 1


#: Made up; statsmodels 0.15.0, OLS on a constant with cov_type="cluster", gives the variances below.
OURS = [0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 4, 4, 5]
TREATMENT = [0.63, 0.9, 0.78, 0.43, 0.5, 1.27, 0.01, 0.82, 0.8, 0.47, 0.5, 0.48, 0.65]
CONTROL = [0.45, 0.5, 0.55, 1.3, 1.09, 0.62, 1.29, 0.52, 0.46, 0.91, 0.04, 0.04, 0.81]


def compared(scores: Scores, kind: str = "md", **options: object) -> MetaAnalysis:
    return analysed(scores, control="A", treatment="B", effect=kind, **options)


def table(arrays: dict[str, Any], clusters: Any) -> Scores:
    return podium.from_arrays(arrays, systems=["A", "B"], clusters=clusters)


def test_the_variance_of_a_mean_difference_is_that_of_statsmodels() -> None:
    (task,) = compared(table({"t": [CONTROL, TREATMENT]}, OURS)).tasks
    assert task.effect == pytest.approx(-0.026153846153846184, abs=1e-12)
    assert task.variance == pytest.approx(0.03624373096180112, rel=1e-9)
    (of_mean,) = compared(table({"t": [[0.0] * 13, TREATMENT]}, OURS)).tasks
    assert of_mean.variance == pytest.approx(0.006803476068765116, rel=1e-9)


def test_it_is_the_formula_of_miller_with_the_correction_for_few_clusters() -> None:
    (task,) = compared(table({"t": [CONTROL, TREATMENT]}, OURS), like="ranger").tasks
    departures = np.subtract(TREATMENT, CONTROL)
    departures -= departures.mean()
    together = sum(departures[i] * departures[j] for i in range(13) for j in range(13) if OURS[i] == OURS[j])
    assert task.variance == pytest.approx(together / 13**2, rel=1e-9)


@pytest.mark.parametrize("kind", ["md", "smd", "corr", "rd", "or"])
def test_an_instance_a_cluster_changes_nothing_and_copies_tell_nothing_new(kind: str) -> None:
    rng = np.random.default_rng(3)
    common = rng.normal(size=(3, 1, 30))
    values = common + rng.normal(size=(3, 2, 30))
    if kind in {"rd", "or"}:
        values = (values > 0).astype(float)
    arrays = {f"t{number}": one for number, one in enumerate(values)}
    labels = {name: [f"{name} {place}" for place in range(30)] for name in arrays}
    plain, alone = (compared(table(arrays, clusters), kind) for clusters in (None, labels))
    assert_allclose([one.variance for one in alone.tasks], [one.variance for one in plain.tasks], rtol=1e-9)
    assert alone.summary.effect == pytest.approx(plain.summary.effect)
    copied = {name: np.repeat(one, 400, axis=1) for name, one in arrays.items()}
    often = compared(table(copied, {name: np.repeat(some, 400) for name, some in labels.items()}), kind)
    # small-sample corrections, (n − 1) and (n − 3) of 30, do not see the copies
    assert_allclose([one.variance for one in often.tasks], [one.variance for one in plain.tasks], rtol=0.2)


def test_influences_are_derivatives() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 20))
    weights = np.ones(20)
    right = (rng.random((2, 20)) > 0.4).astype(float)

    def correlation(weights: Floats) -> float:
        covariance = np.cov(x, y, aweights=weights)
        return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))

    def log_odds(weights: Floats) -> float:
        return float(np.log(weights[right[0] > right[1]].sum() / weights[right[0] < right[1]].sum()))

    for kind, (treatment, control), effect in (("corr", (x, y), correlation), ("or", right, log_odds)):
        steps = [effect(weights + 1e-6 * (np.arange(20) == place)) - effect(weights) for place in range(20)]
        found = EFFECTS[kind].influence(treatment, control, weights)
        scale = 20 if kind == "corr" else 1
        assert_allclose(np.array(steps) / 1e-6 * scale, found, atol=1e-4)


def test_clusters_that_cancel_make_an_effect_surer() -> None:
    assert design_effect(np.array([1.0, -1.0, 1.0, -1.0]), np.ones(4), np.array([0, 0, 1, 1])) == 0
    assert design_effect(np.zeros(6), np.ones(6), np.array([0, 0, 1, 1, 2, 2])) == 2


def test_what_is_said_of_clusters() -> None:
    rng = np.random.default_rng(6)
    values = {name: rng.normal(size=(2, 40)) for name in ("t", "u", "v", "w")}
    clusters = {name: [f"p{place % 20}" for place in range(40)] for name in ("t", "u")}
    clusters |= {"v": [f"v{place % 5}" for place in range(40)], "w": ["all"] * 40}
    analysis = compared(table(values, clusters))
    assert [task.task for task in analysis.tasks] == ["t", "u", "v"]
    for said in (
        "left out (all instances are in one cluster): w",
        "the variance of each effect is that of whole clusters, 25 over all tasks",
        "fewer than 10 clusters on v, so the variance there is uncertain",
        "tasks share clusters (1 set), so their covariance is used; the interval is robust, over 2 clusters of tasks",
    ):
        assert said in analysis.notes


def shared_clusters(*names: str, passages: int = 20) -> Scores:
    """Tasks with instances of their own about the same passages."""
    rng = np.random.default_rng(11)
    values = {name: rng.normal(size=(2, 80)) for name in names}
    return table(values, {name: [f"p{place % passages}" for place in range(80)] for name in names})


def test_tasks_that_share_clusters_are_not_said_to_share_instances() -> None:
    analysis = compared(shared_clusters("t", "u", "v"))
    notes = set(analysis.notes)
    assert "the variance of each effect is that of whole clusters, 20 over all tasks" in notes
    assert "20 clusters for 3 tasks that share them: fewer than ten for each, so correlations are smoothed" in notes
    assert any(note.startswith("tasks share clusters (1 set), so their covariance is used; how far") for note in notes)
    assert "covariance of tasks that share clusters" in analysis.details[-1]
    ranger = "tasks that share clusters (1 set) count as independent, as in Ranger: the interval is too narrow"
    assert ranger in compared(shared_clusters("t", "u"), like="ranger").notes
    sizes = {"size": {"t": 1.0, "u": 2.0, "v": 3.0}}
    with pytest.raises(MethodError, match="some share clusters; keep one of each set"):
        compared(shared_clusters("t", "u", "v"), moderators=sizes)


def test_few_instances_and_shared_clusters_are_told_apart() -> None:
    rng = np.random.default_rng(12)
    items = {name: [f"item {place}" for place in range(12)] for name in ("x", "y", "z")}
    few = podium.from_arrays({name: rng.normal(size=(2, 12)) for name in items}, systems=["A", "B"], instances=items)
    many = shared_clusters("t", "u", passages=40)
    notes = compared(replace(many, tasks=(*many.tasks, *few.tasks))).notes
    assert any(note.startswith("tasks share instances or clusters (2 sets), so") for note in notes)
    assert "12 instances for 3 tasks that share them: fewer than ten for each, so correlations are smoothed" in notes


def test_a_cluster_without_a_common_score_and_one_that_is_only_numbered() -> None:
    scores = shared_clusters("t", "u")
    holes = [task.values.copy() for task in scores.tasks]
    for values in holes:
        values[0, ::20] = np.nan  # the passage p0
    labels = {task.name: task.clusters.labels for task in scores.tasks if task.clusters is not None}
    missing = table({"t": holes[0], "u": holes[1]}, labels)
    numbered = table({"t": holes[0], "u": holes[1]}, {name: [str(place % 20) for place in range(80)] for name in "tu"})
    said = "the variance of each effect is that of whole clusters, {} over all tasks"
    assert said.format(19) in compared(missing).notes
    assert said.format(38) in compared(numbered).notes  # these count as independent


def test_mcnemar_takes_instances_as_independent_and_is_left_out() -> None:
    rng = np.random.default_rng(8)
    right = (rng.random((2, 30)) > 0.5).astype(float)
    (task,) = compared(table({"t": right}, [place // 3 for place in range(30)]), "rd").tasks
    assert task.better is not None
    assert np.isnan(task.mcnemar)


@pytest.mark.parametrize("binary", [True, False])
def test_lean_is_the_third_moment_of_the_differences_over_the_second(binary: bool) -> None:
    rng = np.random.default_rng(3)
    one, other = (rng.random((2, 50)) < [[0.8], [0.5]]).astype(np.float64) if binary else rng.exponential(size=(2, 50))
    table = podium.from_arrays({"t": [one, other], "u": [one, one]}, systems=["A", "B"])
    contrasts = contrast(table, "A", "md")
    difference = other - one - (other - one).mean()
    assert contrasts.skewness_ratio(0, 1) == pytest.approx((difference**3).mean() / (difference**2).mean())
    assert contrasts.skewness_ratio(1, 1) == 0
