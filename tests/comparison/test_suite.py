"""Two systems on these tasks: against tests of one task, by hand, and beside what a ranking says."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

import podium
from podium.comparison.suite import SuiteEffect, suite_effect
from podium.score.table import Scores


def pair(*tasks: np.ndarray, **told: object) -> Scores:
    """A table of two systems, each task of shape (2, K)."""
    names = {f"t{place}": values for place, values in enumerate(tasks)}
    return podium.from_arrays(names, systems=["old", "new"], **told)  # type: ignore[arg-type]


def suite(table: Scores, confidence: float = 0.95) -> SuiteEffect:
    return suite_effect(table, "old", "new", confidence=confidence)


def normal(items: int, seed: int = 0, gain: float = 0.2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(size=items) + rng.normal(size=(2, items)) + np.array([[0.0], [gain]]))


def test_one_task_of_many_items_is_student_s_paired_interval() -> None:
    values = normal(300)
    found = suite(pair(values))
    usual = stats.ttest_rel(values[1], values[0])
    assert (found.low, found.high) == pytest.approx(tuple(usual.confidence_interval(0.95)))
    assert (found.p, found.df, found.std_error) == pytest.approx((usual.pvalue, 299, stats.sem(values[1] - values[0])))


def test_tasks_weigh_as_in_a_ranking_and_their_variances_add() -> None:
    tasks = [normal(300, 1), normal(900, 2)]
    found = suite(pair(*tasks).with_task_weights({"t0": 3}))
    differences = [values[1] - values[0] for values in tasks]
    assert found.effect == pytest.approx(0.75 * differences[0].mean() + 0.25 * differences[1].mean())
    parts = [(share * stats.sem(one)) ** 2 for share, one in zip((0.75, 0.25), differences, strict=True)]
    assert found.std_error == pytest.approx(math.sqrt(sum(parts)))
    assert found.df == pytest.approx(sum(parts) ** 2 / (parts[0] ** 2 / 299 + parts[1] ** 2 / 899))


@pytest.mark.parametrize(("better", "worse", "same"), [(9, 2, 60), (14, 3, 0), (0, 6, 94), (1, 1, 18)])
def test_right_and_wrong_answers_of_few_items_have_mcnemar_s_exact_p(better: int, worse: int, same: int) -> None:
    old = [0.0] * better + [1.0] * worse + [1.0] * same
    new = [1.0] * better + [0.0] * worse + [1.0] * same
    found = suite(pair(np.array([old, new])))
    table = [[same, worse], [better, 0]]
    assert found.p == pytest.approx(mcnemar(table, exact=True).pvalue)
    assert (found.better, found.worse) == (better, worse)
    assert (found.low <= 0 <= found.high) == (found.p > 0.05)


def test_the_interval_of_right_and_wrong_answers_is_tango_s() -> None:
    n, better, worse = 300, 40, 15
    values = np.zeros((2, n))
    values[1, :better] = 1
    values[0, better : better + worse] = 1
    found = suite(pair(values))

    def statistic(difference: float) -> float:
        a, b = 2 * n, -better - worse + (2 * n - better + worse) * difference
        c = -worse * difference * (1 - difference)
        other = (math.sqrt(b * b - 4 * a * c) - b) / (2 * a)
        return (better - worse - n * difference) / math.sqrt(n * (2 * other + difference * (1 - difference)))

    assert statistic(found.low) == pytest.approx(1.95996, abs=1e-3)
    assert statistic(found.high) == pytest.approx(-1.95996, abs=1e-3)


def test_tasks_that_score_the_same_items_are_as_sure_as_one_of_them() -> None:
    values = normal(300)
    labels = {f"t{place}": [f"doc {item}" for item in range(300)] for place in range(3)}
    once, thrice = suite(pair(values)), suite(pair(values, values, values, instances=labels))
    assert thrice.std_error == pytest.approx(once.std_error)
    assert thrice.units == 300


def test_tasks_of_one_item_are_drawn_among_each_other() -> None:
    values = normal(300)
    found, whole = suite(pair(*(values[:, [item]] for item in range(300)))), suite(pair(values))
    numbers = [[getattr(one, name) for name in ("effect", "std_error", "df", "low", "p")] for one in (found, whole)]
    assert numbers[0] == pytest.approx(numbers[1])


def test_clusters_count_as_one_each() -> None:
    values = np.repeat(normal(40), 10, axis=1)
    table = pair(values, clusters={"t0": np.repeat([f"c{place}" for place in range(40)], 10).tolist()})
    assert suite(table).std_error == pytest.approx(suite(pair(normal(40))).std_error)


@given(st.integers(1, 4), st.integers(8, 60), st.integers(0, 10**6), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_interval_holds_zero_where_and_only_where_p_is_large(
    tasks: int,
    items: int,
    seed: int,
    binary: bool,  # as Hypothesis gives it
) -> None:
    drawn = [normal(items, seed + place) for place in range(tasks)]
    found = suite(pair(*((one > 0).astype(float) if binary else one for one in drawn)))
    assert (found.low <= 0 <= found.high) == (found.p > 0.05)
    assert found.low <= found.effect <= found.high


@given(st.integers(0, 10**6), st.sampled_from([1e-9, 0.5, 1e6]))
@settings(max_examples=20, deadline=None)
def test_scale_and_order_change_nothing_but_units_and_sign(seed: int, scale: float) -> None:
    values = normal(50, seed)
    found, turned = suite(pair(values)), suite(pair(scale * values[::-1]))
    assert (-turned.high / scale, -turned.low / scale, turned.p) == pytest.approx((found.low, found.high, found.p))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("binary", [False, True])
def test_a_ranking_that_separates_two_systems_is_not_contradicted(seed: int, *, binary: bool) -> None:
    values = normal(60, seed, gain=0.45)
    table = pair((values > 0).astype(float) if binary else values)
    found = podium.rank(table, "mean").intervals
    assert found is not None
    assert bool(found.separated[0, 1]) == (suite(table).p <= 0.05)


def test_verdicts_go_by_the_margin() -> None:
    values = normal(2000, gain=0.0)
    equal = suite(pair(values))
    assert (equal.verdict(0.2), equal.verdict(0.0)) == ("equal", "cannot tell")
    better, worse = suite(pair(normal(2000, gain=0.4))), suite(pair(normal(2000, gain=-0.4)))
    assert (better.verdict(0.2), worse.verdict(0.2), worse.verdict(1.0)) == ("better", "worse", "equal")
    assert suite(pair(normal(3))).verdict(0.2) == "cannot tell"


def test_more_items_find_smaller_differences() -> None:
    found = suite(pair(normal(400)))
    assert found.items_for(found.smallest) == pytest.approx(400, rel=0.01)
    assert found.items_for(found.smallest / 2) == pytest.approx(1600, rel=0.01)
    assert found.items_for(found.smallest, 0.99) > found.items_for(found.smallest)


def test_single_runs_differ_by_what_repeats_vary() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(1, 400, 1)) + rng.normal(size=(2, 400, 5))
    table = podium.from_arrays({"t": values}, systems=["old", "new"])
    found, runs = suite(table), values.mean(axis=1).var(axis=1, ddof=1).mean()
    assert found.noise == pytest.approx(2.306 * math.sqrt(2 * runs), rel=1e-3)  # t of 8 degrees of freedom
    small = "than two single runs of one system may, so one run of each may say the opposite"
    assert f"the two systems differ by less {small}" in podium.compare(table, "old", "new").notes
    better = podium.from_arrays({"t": values + np.array([0, 0.5, 0])[:2, None, None]}, systems=["old", "new"])
    assert not any(small in note for note in podium.compare(better, "old", "new").notes)
    three = podium.from_arrays({"t": values[[0, 1, 1]]}, systems=["old", "new", "same"])
    assert f"2 of 2 treatments differ from the control by less {small}" in podium.compare(three, "old").notes


def test_single_runs_of_a_task_without_repeats_are_unknown() -> None:
    values = np.random.default_rng(4).normal(size=(2, 40, 2))
    assert math.isnan(suite(podium.from_arrays({"t": values, "u": values[..., 0]}, systems=["old", "new"])).noise)


def test_compare_says_both_and_the_forest_plot_draws_both() -> None:
    table = pair(normal(100, 1), normal(100, 2), normal(100, 3))
    found = podium.compare(table, control="old", treatment="new", margin="5")
    first, second = found.view().verdict[:2]
    assert "on these 3 tasks: " in first
    assert second.startswith("on other tasks like these: on average ")
    told = found.to_dict()
    assert told["suite"]["n"] == 300
    assert told["verdict"] in {"better", "equal", "not worse"}
    axes: Any = found.plot("forest").axes
    labels = [text.get_text() for text in axes.texts]
    assert {"These tasks", "Tasks like these"} <= set(labels)


def test_a_sentence_for_a_paper_holds_no_advice() -> None:
    rng = np.random.default_rng(5)
    scores = podium.from_arrays({"share": rng.random((2, 30)), "score": 250 * rng.random((2, 30))}, systems=["a", "b"])
    analysis = podium.compare(scores, control="a", treatment="b")
    assert any("use effect 'smd'" in said for said in analysis.view().verdict)
    assert "use effect" not in analysis.sentence


def test_borda_and_the_mean_may_differ_and_a_sentence_says_so() -> None:
    old = np.zeros(60)
    new = np.array([-1.0] * 40 + [5.0] * 20)
    said = podium.compare(pair(np.array([old, new])), control="old", treatment="new").on_suite  # type: ignore[attr-defined]
    assert "more instances got worse than better, but on average it is better" in said


def test_equal_weights_of_instances_change_nothing() -> None:
    values = np.array([[1.0] * 20 + [0.0] * 10] * 2)
    plain, weighted = pair(values), pair(values).with_instance_weights({"t0": np.full(30, 3.0)})
    assert suite(plain).low < -0.1
    assert suite(weighted) == suite(plain)


@pytest.mark.parametrize("heavy", [1.0, 2.0, 10.0])
def test_a_run_that_is_worse_by_the_margin_seldom_passes_with_weights(heavy: float) -> None:
    rng = np.random.default_rng(1)
    passed = 0
    for _ in range(300):
        old, weights = (rng.random(40) < 0.95).astype(float), np.where(rng.random(40) < 0.2, heavy, 1.0)
        new = np.where(rng.random(40) < 0.05 / 0.95, 0.0, old)
        passed += suite(pair(np.stack([old, new])).with_instance_weights({"t0": weights})).low > -0.05
    assert passed <= 15  # 2.5% of 300 are 7.5, with a standard deviation of 2.7
