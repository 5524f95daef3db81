"""Intervals of scores and of ranks, tiers, who may be the best; and whether they keep their promise."""

import itertools
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

import podium
from podium.base.statistics import holm
from podium.errors import MethodError
from podium.ranking.figure import intervals_of
from podium.ranking.intervals import interval_of_sums, range_of_scores
from podium.ranking.method_spec import LEVELS, METHODS, MethodSpec
from podium.ranking.result import Intervals
from podium.ranking.variation import critical_value, skewness
from podium.score.table import Scores

WAYS: list[tuple[str, str | None]] = [("borda", level) for level in LEVELS]


WAYS += [(name, None) for name, method in METHODS.items() if not method.level and not method.fitted]


every_way = pytest.mark.parametrize(("method", "level"), WAYS, ids=str)


def world(*, systems: int = 5, tasks: int = 7, instances: int = 60, dispersion: float = 0.2, rng: int = 0) -> Scores:
    return podium.simulate.gumbel(systems, tasks, instances, dispersion=dispersion, rng=rng).scores


@every_way
@pytest.mark.parametrize("units", ["instances", "tasks", "both"])
def test_every_method_gets_intervals_through_the_same_call(method: str, level: Any, units: Any) -> None:
    ranking = podium.rank(world(), method, level=level, confidence_level=0.9, units=units, n_resamples=200)
    found = intervals_of(ranking)
    assert (found.score_low <= found.score_high).all()
    assert ((found.joint_rank_low <= found.rank_low) & (found.rank_high <= found.joint_rank_high)).all()
    assert ((found.rank_low <= ranking.rank) & (ranking.rank <= found.rank_high)).all()
    assert not (found.separated & found.separated.T).any()
    assert found.share_first.sum() == pytest.approx(1)
    assert found.share_top(2).sum() == pytest.approx(2)
    assert_array_equal(found.share_top(len(ranking)), 1)
    assert (np.diff(found.tier) >= 0).all()
    assert set(found.tier) == set(range(1, found.tier.max() + 1))
    for place in range(1, len(ranking)):
        ends = found.tier[place] > found.tier[place - 1]
        assert ends == found.separated[:place, place:].all()


@every_way
def test_same_bytes_for_any_number_of_threads_and_order_of_tasks(method: str, level: Any) -> None:
    scores = world()
    turned = replace(scores, tasks=scores.tasks[::-1])
    one = podium.rank(scores, method, level=level, confidence_level=0.95, n_resamples=100, n_jobs=1)
    other = podium.rank(turned, method, level=level, confidence_level=0.95, n_resamples=100, n_jobs=2)
    assert one.rows() == other.rows()
    assert_array_equal(intervals_of(one).samples, intervals_of(other).samples)


def test_standard_error_of_a_mean_is_that_of_the_textbook() -> None:
    scores = world(systems=3, tasks=2, instances=900)
    ranking = podium.rank(scores, "mean", confidence_level=0.95, n_resamples=4000)
    by_hand = {
        system: np.sqrt(sum(task.values[row].var() / task.n_instances for task in scores.tasks)) / 2
        for row, system in enumerate(scores.systems)
    }
    expected = [by_hand[system] for system in ranking.systems]
    # relative error of a standard deviation from 4,000 draws: 1/√8,000, five times
    assert_allclose(intervals_of(ranking).std_error, expected, rtol=5 / np.sqrt(8000))


def test_drawing_tasks_agrees_with_scipy() -> None:
    scores = podium.simulate.gumbel(4, 12, 1, dispersion=0.2, rng=0).scores
    ranking = podium.rank(scores, "mean", confidence_level=0.95, n_resamples=4000)
    table = np.array([[task.values[scores.systems.index(s), 0] for task in scores.tasks] for s in ranking.systems])
    theirs = scipy.stats.bootstrap((table,), np.mean, axis=1, n_resamples=4000, rng=0, method="percentile")
    assert_allclose(intervals_of(ranking).std_error, theirs.standard_error, rtol=0.08)
    # SciPy's percentile interval is not widened for 12 tasks
    wide = intervals_of(ranking).score_high - intervals_of(ranking).score_low
    narrow = theirs.confidence_interval.high - theirs.confidence_interval.low
    widening = critical_value(0.95, 11, units="tasks") / scipy.stats.norm.ppf(0.975)
    assert_allclose(wide / narrow, widening, rtol=0.1)


@pytest.mark.parametrize("method", ["borda"])
def test_comparisons_of_one_instance_are_not_taken_for_independent(method: str) -> None:
    # on every instance the systems stand in one order or in its reverse, so that all comparisons say the same
    n_systems, n_instances = 10, 400
    up = np.random.default_rng(0).random(n_instances) < 0.5
    values = np.where(up, 1.0, -1.0) * np.arange(n_systems)[:, None]
    scores = podium.from_arrays({"t": values})
    ranking = podium.rank(scores, method, level="one", confidence_level=0.95, n_resamples=2000)
    last = ranking.systems.index(scores.systems[-1])
    honest = np.sqrt(up.mean() * (1 - up.mean()) / n_instances)
    too_narrow = honest / np.sqrt(n_systems - 1)
    assert intervals_of(ranking).std_error[last] == pytest.approx(honest, rel=0.1)
    assert intervals_of(ranking).std_error[last] > 2 * too_narrow


def test_equal_systems_share_a_tier_and_distant_ones_do_not() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(6, 500)) + np.array([[0.0], [0.0], [0.0], [5.0], [5.0], [5.0]])
    ranking = podium.rank(podium.from_arrays({"t": values}), "mean", confidence_level=0.95)
    assert_array_equal(intervals_of(ranking).tier, [1, 1, 1, 2, 2, 2])
    assert_array_equal(intervals_of(ranking).joint_rank_low, [1, 1, 1, 4, 4, 4])
    assert_array_equal(intervals_of(ranking).joint_rank_high, [3, 3, 3, 6, 6, 6])


def test_a_constant_difference_is_certain_and_none_is_none() -> None:
    base = np.random.default_rng(2).normal(size=40)
    ranking = podium.rank(podium.from_arrays({"t": [base, base + 1, base + 1]}), "mean", confidence_level=0.95)
    assert_array_equal(intervals_of(ranking).tier, [1, 1, 2])
    assert_array_equal(intervals_of(ranking).share_first, [0.5, 0.5, 0])


@pytest.mark.parametrize("method", ["borda", "mean"])
def test_rows_in_another_order_change_no_digit(method: str) -> None:
    rng = np.random.default_rng(0)
    values = np.round(rng.normal(size=(40, 1)) + rng.normal(size=(40, 14)), 1)
    scores = podium.from_arrays(values)
    plain = podium.rank(scores, method, n_resamples=199).rows()
    for _ in range(3):
        again = podium.rank(scores.take(rng.permutation(40).tolist()), method, n_resamples=199).rows()
        assert list(map(repr, again)) == list(map(repr, plain))


@pytest.mark.parametrize("method", ["borda", "mean"])
def test_rows_of_a_leaderboard_in_another_order_change_no_digit(method: str, shared: Path) -> None:
    scores = podium.read(shared / "data" / "scores" / "glue.csv")
    order = np.random.default_rng(1).permutation(len(scores.systems)).tolist()
    plain, again = (podium.rank(table, method).rows() for table in (scores, scores.take(order)))
    assert list(map(repr, again)) == list(map(repr, plain))


def test_too_little_data_is_said() -> None:
    few = podium.rank(podium.datasets.xtreme_missing(), confidence_level=0.95)
    assert few.intervals is None
    assert any("4 tasks cannot show" in note for note in few.notes)
    short = podium.rank(podium.simulate.gumbel(3, 2, 4, dispersion=1.0, rng=0).scores, confidence_level=0.95)
    assert any("fewer than 6 instances" in note for note in short.notes)
    tiny = podium.rank(podium.simulate.gumbel(3, 1, 4, dispersion=1.0, rng=0).scores, confidence_level=0.95)
    assert tiny.intervals is None


def test_unscored_systems_have_no_interval() -> None:
    values = np.random.default_rng(0).normal(size=(3, 50))
    values[1] = np.nan
    with pytest.warns(podium.errors.PodiumWarning, match="missing"):
        ranking = podium.rank(podium.from_arrays({"t": values}), "mean", confidence_level=0.95)
    last = ranking.rows()[-1]
    assert [last[name] for name in ("rank", "score_low", "rank_low", "tier", "std_error")] == [None] * 5
    assert ranking.rows()[0]["rank_high"] <= 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"confidence_level": 1.5}, "between 0 and 1"),
        ({"confidence_level": "0.95"}, "must be a number"),
        ({"n_resamples": 10.5}, "whole number"),
        ({"rng": "x"}, "whole number"),
        ({"units": "bogus"}, "no units"),
        ({"confidence_level": 0.999}, "are too few for intervals of confidence"),
        ({"confidence_level": 0.95, "units": "instance"}, "instances"),
        ({"confidence_level": 0.95, "n_resamples": 0}, "at least 1"),
        ({"confidence_level": 0.95, "n_resamples": 39}, "at least 40"),
    ],
)
def test_what_makes_no_sense(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(MethodError, match=message):
        podium.rank(world(), **arguments)  # type: ignore[arg-type]


def test_difference_of_systems_that_share_their_luck() -> None:
    rng = np.random.default_rng(3)
    luck, own = rng.normal(size=400), rng.normal(scale=0.1, size=(2, 400))
    values = luck + own + np.array([[0.05], [0.0]])
    found = intervals_of(
        podium.rank(podium.from_arrays({"t": values}), "mean", confidence_level=0.95, n_resamples=4000)
    )
    low, high = found.difference(0, 1)
    error = np.std(values[0] - values[1], ddof=1) / np.sqrt(400)
    # the textbook's paired interval; its ends within a tenth of their half-width, five errors of a quantile of 4,000
    assert_allclose([low, high], np.mean(values[0] - values[1]) + 1.966 * error * np.array([-1, 1]), atol=0.2 * error)
    assert found.score_low[0] < found.score_high[1]
    assert found.difference(1, 0) == pytest.approx((-high, -low))


def test_a_difference_with_an_unranked_system_is_open() -> None:
    values = np.random.default_rng(0).normal(size=(2, 50))
    with pytest.warns(podium.errors.PodiumWarning, match="missing"):
        ranking = podium.rank(podium.from_arrays({"t": [*values, np.full(50, np.nan)]}), "mean", confidence_level=0.95)
    assert np.isnan(intervals_of(ranking).difference(0, 2)).all()


def test_critical_value_of_several_statements_is_that_of_the_table() -> None:
    # upper 0.25% point of Student's t with 20 degrees of freedom, 3.153 in any printed table: ten two-sided statements
    assert critical_value(0.95, 20, units="instances", statements=10) == pytest.approx(3.153, abs=5e-4)


def test_a_table_without_instances_cannot_resample_them() -> None:
    with pytest.raises(MethodError, match="no instances"):
        podium.rank(podium.datasets.toy_table1(), confidence_level=0.95, units="both")
    with pytest.raises(MethodError, match="no top 9"):
        intervals_of(podium.rank(world(), confidence_level=0.95)).share_top(9)


def test_systems_that_are_the_same_are_never_told_apart() -> None:
    values = np.random.default_rng(4).normal(size=(5, 40)).round(1)
    values[3] = values[4] = values[0]
    table = podium.from_arrays({f"t{i}": values[:, 5 * i : 5 * i + 5] for i in range(8)})
    level: Any
    units: Any
    for (method, level), units in itertools.product(WAYS, ("instances", "tasks")):
        spec = podium.MethodSpec(method, level, prior=1.0 if method == "bradley-terry" else 0.0)
        ranking = podium.rank(table, spec, confidence_level=0.9, units=units, n_resamples=60)
        twins = [ranking.systems.index(table.systems[row]) for row in (0, 3, 4)]
        assert len({ranking.rank[twin] for twin in twins}) == 1, (method, level)
        if ranking.intervals is not None:
            assert not ranking.intervals.separated[np.ix_(twins, twins)].any(), (method, level)
            assert np.ptp(ranking.intervals.share_first[twins]) == pytest.approx(0, abs=1e-12), (method, level)


def test_a_small_task_that_decides_is_named() -> None:
    rng = np.random.default_rng(0)
    table = podium.from_arrays({"large": rng.normal(size=(3, 500)), "small": rng.normal(size=(3, 3))})
    note = next(
        note for note in podium.rank(table, "mean", confidence_level=0.95).notes if note.startswith("no intervals")
    )
    assert "small, with fewer than 6 instances" in note
    # in one box three instances among 500 decide nothing
    assert podium.rank(table, level="one", confidence_level=0.95).intervals is not None
    heavy = podium.from_arrays({f"t{i}": rng.normal(size=(3, 1)) for i in range(8)}).with_task_weights({"t0": 1e9})
    assert podium.rank(heavy, "mean", confidence_level=0.95).intervals is None


def of_tasks(values: NDArray[np.float64]) -> Scores:
    rows = {
        f"system {i + 1}": {f"task {t}": float(score) for t, score in enumerate(row)} for i, row in enumerate(values)
    }
    return podium.from_dict(rows)


@pytest.mark.filterwarnings("ignore:.*scores are missing:podium.errors.PodiumWarning")
@pytest.mark.parametrize("units", ["tasks", "instances"])
def test_an_average_of_few_scores_has_no_interval_and_is_separated_from_none(units: str) -> None:
    # the last system is scored on two tasks, or five instances, which agree; so its replicates hardly vary
    rng = np.random.default_rng(4)
    values = rng.normal(size=(5, 12)) + np.array([0.0, 0.0, 0.0, 0.0, 9.0])[:, None]
    values[4, 2 if units == "tasks" else 5 :] = np.nan
    scores = of_tasks(values) if units == "tasks" else podium.from_arrays({"task": values})
    ranking = podium.rank(scores, "mean", confidence_level=0.95, n_resamples=400)
    found = intervals_of(ranking)
    assert ranking.systems[0] == "system 5"
    assert np.isnan([found.score_low[0], found.score_high[0], found.std_error[0]]).all()
    assert not np.isnan(found.std_error[1:]).any()
    assert (found.rank_low[0], found.rank_high[0], found.tier.max()) == (1, 5, 1)
    assert f"system 5: on fewer than 6 {units}, so without interval, and separated from none" in ranking.notes
    assert '"score_low": null' in str(ranking.render("json"))
    for form in ("table", "html", "csv"):
        assert ranking.render(form)


@pytest.mark.filterwarnings("ignore:.*scores are missing:podium.errors.PodiumWarning")
def test_fewer_scores_are_known_less() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(2, 20))
    values[1] = values[0]
    values[1, 8:] = np.nan
    ranking = podium.rank(of_tasks(values), "mean", confidence_level=0.95)
    found = intervals_of(ranking)
    place = ranking.systems.index("system 2")
    half = max(found.score_high[place] - ranking.score[place], ranking.score[place] - found.score_low[place])
    # Student's with 7 degrees of freedom, and √(8/7) for the tasks drawn, if there were no skewness
    assert half / found.std_error[place] > 0.85 * scipy.stats.t.ppf(0.975, 7) * np.sqrt(8 / 7)


@pytest.mark.parametrize("method", ["mean", "borda"])
@pytest.mark.parametrize("kind", ["normal", "right or wrong"])
@pytest.mark.parametrize(("number", "gap"), [(100, 0.2), (300, 0.1)])
def test_no_pair_is_lost_that_holm_separates_by_the_same_standard_errors(
    method: str, kind: str, number: int, gap: float
) -> None:
    better, worse = np.triu_indices(8, 1)
    lost = []
    for seed in range(10):
        values = gap * np.arange(8)[:, None] + np.random.default_rng(seed).normal(size=(8, number))
        values = values if kind == "normal" else (values > 0.7).astype(np.float64)
        ranking = podium.rank(podium.from_arrays({"t": values}), method, confidence_level=0.95, n_resamples=999)
        found = intervals_of(ranking)
        error = (found.samples[better] - found.samples[worse]).std(axis=1, ddof=1)
        p = 2 * scipy.stats.t.sf((ranking.score[better] - ranking.score[worse]) / error, number - 1)
        lost.append(((holm(p) <= 0.05) & ~found.separated[better, worse]).sum())
    # of 100 right or wrong answers flips are exact, and Student's test is not: one of the 141 pairs is lost
    assert sum(lost) <= (1 if (kind, number) == ("right or wrong", 100) else 0)


numbers = st.floats(-2, 2)


def ends(
    score: float, error: float, skewed: float, t: float, *, low: float = -100.0, high: float = 100.0, n: float = 20
) -> tuple[float, float]:
    found = interval_of_sums(
        np.array([score]),
        np.array([error]),
        np.array([skewed]),
        np.array([t]),
        bounds=np.array([[low], [high]]),
        unseen=1 - 0.025 ** (1 / n),
        rounding=np.array([1e-12]),
    )
    return float(found[0][0]), float(found[1][0])


def sure_of(scores: Scores, method: str, **options: Any) -> Intervals:
    return intervals_of(podium.rank(scores, method, confidence_level=0.95, **options))


@given(score=numbers, error=st.floats(0.01, 1), skewed=st.floats(-1, 1), t=st.floats(1, 4))
def test_the_ends_undo_the_transformation(score: float, error: float, skewed: float, t: float) -> None:
    low, high = ends(score, error, skewed, t)
    for end, z in ((low, t), (high, -t)):
        off = (score - end) / error
        transformed = off + skewed * off**2 / 3 + skewed**2 * off**3 / 27 + skewed / 6
        # a very skewed score can lie at the end of its own interval, and no end is further off than 2.5 t
        if low < score < high and abs(off) < 2.5 * t * (1 - 1e-9):
            assert transformed == pytest.approx(z, abs=1e-6)


@given(score=numbers, error=st.floats(0.01, 1), skewed=st.floats(-1, 1), t=st.floats(1, 4))
def test_the_mirror_image_of_scores_has_the_mirror_image_of_the_interval(
    score: float, error: float, skewed: float, t: float
) -> None:
    assert_allclose(ends(-score, error, -skewed, t), -np.array(ends(score, error, skewed, t))[::-1], atol=1e-9)


@given(score=numbers, error=st.floats(0.01, 1), t=st.floats(1, 4))
def test_without_skewness_it_is_students(score: float, error: float, t: float) -> None:
    assert_allclose(ends(score, error, 0.0, t), (score - t * error, score + t * error))
    assert_allclose(ends(score, error, 2e-6, t), (score - t * error, score + t * error), atol=1e-4)


@pytest.mark.parametrize("n", [6, 20, 150])
def test_of_a_system_that_is_always_right_it_is_clopper_and_pearsons(n: int) -> None:
    values = np.vstack([np.ones(n), np.arange(n) % 2])
    exact = scipy.stats.binomtest(n, n).proportion_ci(0.95, method="exact")
    found = sure_of(podium.from_arrays({"t": values}), "mean")
    assert_allclose((found.score_low[0], found.score_high[0]), (exact.low, exact.high))


def test_of_a_system_that_is_always_first_it_is_clopper_and_pearsons() -> None:
    values = np.vstack([np.ones(8), np.zeros(8)])
    exact = scipy.stats.binomtest(8, 8).proportion_ci(0.95, method="exact")
    found = sure_of(podium.from_arrays({f"t{i}": values[:, [i]] for i in range(8)}), "borda")
    assert_allclose((found.score_low, found.score_high), [(exact.low, 0.0), (1.0, 1 - exact.low)])


def test_no_interval_leaves_the_range_of_the_scores() -> None:
    rng = np.random.default_rng(0)
    values = (rng.random((6, 40)) < 0.95).astype(float)
    found = sure_of(podium.from_arrays({"t": values}), "mean")
    assert found.score_high.max() <= 1
    lower = podium.from_arrays({"t": 1 - values}).with_directions(lower=["t"])
    turned = sure_of(lower, "mean")
    assert_allclose(turned.score_low, 1 - found.score_high, atol=1e-12)
    assert turned.score_low.min() >= 0


def test_the_range_of_a_mean_weighs_the_tasks_that_a_system_is_scored_on() -> None:
    scores = podium.from_arrays({"a": [[1.0, 3.0], [0.0, 2.0]], "b": [[5.0, 9.0], [np.nan, np.nan]]})
    drawn = range_of_scores(scores.with_task_weights({"a": 3.0}), MethodSpec("mean"), "instances")
    assert_allclose(drawn, [[(3 * 0 + 5) / 4, 0.0], [(3 * 3 + 9) / 4, 3.0]])
    of_tasks = range_of_scores(scores, MethodSpec("mean"), "tasks")
    assert_allclose(of_tasks, [[0.0, 0.0], [9.0, 9.0]])


@pytest.mark.parametrize(
    ("spec", "most"),
    [("kemeny:one", 1.0), ("borda:two:missing=model", 1.0), ("median", np.inf), ("bradley-terry", np.inf)],
)
def test_other_scores_are_shares_or_of_any_size(spec: str, most: float) -> None:
    found = range_of_scores(podium.from_arrays({"a": [[1.0, 3.0], [0.0, 2.0]]}), MethodSpec.of(spec), "instances")
    assert_array_equal(found[1], most)


@pytest.mark.parametrize("method", ["borda:two", "borda:task", "copeland:two", "kemeny:task", "median", "wins:two"])
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_every_interval_holds_its_score_and_shares_stay_between_0_and_1(method: str, confidence: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        scores = podium.from_arrays({f"t{i}": np.round(rng.normal(size=(3, 8)), 1) for i in range(2)})
        found = podium.rank(scores, method, confidence_level=confidence, n_resamples=60)
        low, high = intervals_of(found).score_low, intervals_of(found).score_high
        assert ((low <= found.score) & (found.score <= high)).all()
        if method != "median":
            assert (low >= 0).all()
            assert (high <= 1).all()


@pytest.mark.parametrize("exponent", [-660, 500])
def test_the_size_of_scores_changes_nothing_else(exponent: int) -> None:
    values = np.random.default_rng(0).normal(5, 1, (4, 30))
    one = sure_of(podium.from_arrays({"t": values}), "mean")
    factor = 2.0**exponent
    other = sure_of(podium.from_arrays({"t": values * factor}), "mean")
    for name in ("std_error", "score_low", "score_high", "corrected_score", "corrected_low"):
        assert_allclose(getattr(other, name), getattr(one, name) * factor, rtol=1e-9)
    assert (other.separated == one.separated).all()


def test_skewness_is_scipys_and_leaves_out_what_is_missing() -> None:
    samples = np.random.default_rng(0).lognormal(size=(3, 200))
    assert_allclose(skewness(samples), scipy.stats.skew(samples, axis=1))
    holes = np.hstack([samples, np.full((3, 5), np.nan)])
    assert_allclose(skewness(holes), skewness(samples))
    assert_allclose(skewness(1e120 * samples), skewness(samples))


def test_means_of_skewed_scores_are_covered() -> None:
    # Student's interval covers 86 to 88% here, percentiles 88%; 8 systems, standard error of a share 0.9
    rng, hits = np.random.default_rng(0), []
    for seed in range(60):
        scores = podium.from_arrays({"t": rng.lognormal(size=(8, 30))})
        found = sure_of(scores, "mean", n_resamples=199, rng=seed)
        hits.append((found.score_low <= np.exp(0.5)) & (np.exp(0.5) <= found.score_high))
    assert np.mean(hits) > 0.91


def six(gap: float, seed: int = 0) -> Scores:
    rng = np.random.default_rng(seed)
    return podium.from_arrays({"t": rng.normal(size=(6, 200)) + gap * np.arange(6)[:, None]})


def test_who_is_far_ahead_is_the_only_best() -> None:
    ranking = podium.rank(six(2.0), confidence_level=0.95)
    assert ranking.top() == ranking.systems[:1]
    assert ranking.top(3) == ranking.systems[:3]
    assert ranking.top(6) == ranking.systems
    assert ranking.view().verdict == (f"{ranking.systems[0]} is first (95% confidence, on this task)",)


def test_equal_systems_may_all_be_the_best() -> None:
    ranking = podium.rank(six(0.0), confidence_level=0.95)
    assert ranking.top() == ranking.systems
    assert ranking.view().verdict == ("any of the 6 systems may be the best (95% confidence, on this task)",)


def test_nobody_is_surely_first_where_another_may_be() -> None:
    rng = np.random.default_rng(0)
    for gap in np.linspace(1.2, 2.4, 30):
        values = rng.normal(size=(10, 12)) + gap * (np.arange(10) == 0)[:, None]
        ranking = podium.rank(podium.from_arrays(values), "mean", n_resamples=200)
        assert intervals_of(ranking).rank_high[0] > 1 or len(ranking.top()) == 1


def test_a_larger_k_has_no_smaller_set() -> None:
    ranking = podium.rank(six(0.15), confidence_level=0.95)
    sets = [set(ranking.top(k)) for k in range(1, 7)]
    assert all(small <= large for small, large in pairwise(sets))
    assert all(set(ranking.systems[:k]) <= found for k, found in enumerate(sets, start=1))


def test_the_set_contains_the_best_as_often_as_it_says() -> None:
    """Two equal systems ahead of three: the first of them is missed in at most 5% of worlds."""
    missed, worlds = 0, 300
    for seed in range(worlds):
        rng = np.random.default_rng([11, seed])
        values = rng.normal(size=(5, 60)) + np.array([0.4, 0.4, 0.0, 0.0, 0.0])[:, None]
        ranking = podium.rank(podium.from_arrays({"t": values}), "mean", confidence_level=0.95, n_resamples=200)
        missed += "system 1" not in ranking.top()
    assert missed / worlds < 0.05 + 3 * np.sqrt(0.05 * 0.95 / worlds)


def test_what_cannot_be_known_is_refused() -> None:
    with pytest.raises(MethodError, match="without intervals nothing is known"):
        podium.rank(six(1.0), confidence_level=None).top()
    with pytest.raises(MethodError, match="there is no top 7; k is a whole number between 1 and 6"):
        podium.rank(six(1.0), confidence_level=0.95).top(7)


WORLDS, SYSTEMS = 200, 8


def found(instances: int, dispersion: float, world: int) -> Intervals:
    scores = podium.simulate.gumbel(SYSTEMS, 1, instances, dispersion=dispersion, rng=world).scores
    ranking = podium.rank(scores, "mean", confidence_level=0.95, n_resamples=200, rng=world, n_jobs=1)
    order = np.array([scores.systems.index(system) for system in ranking.systems])
    return intervals_of(ranking).in_order(np.argsort(order))


def test_scores_and_differences_are_covered() -> None:
    truth = 0.1 * np.arange(1, SYSTEMS + 1) + np.euler_gamma
    holds, gaps = np.zeros((2, WORLDS))
    for world in range(WORLDS):
        sure = found(20, 0.1, world)
        holds[world] = ((sure.score_low <= truth) & (truth <= sure.score_high)).mean()
        low, high = sure.difference(5, 2)
        gaps[world] = low <= 0.3 <= high
    # 1,600 independent score intervals: 2% is what is allowed, three binomial errors are 1.6%
    assert abs(holds.mean() - 0.95) < 0.02 + 3 * np.sqrt(0.05 * 0.95 / (WORLDS * SYSTEMS))
    # 200 differences: the same, and three binomial errors of 1.5%
    assert abs(gaps.mean() - 0.95) < 0.02 + 3 * np.sqrt(0.05 * 0.95 / WORLDS)


def test_equal_systems_are_seldom_parted() -> None:
    parted = np.mean([found(20, 0.0, world).separated.any() for world in range(WORLDS)])
    # at most 5%, and three binomial errors of 1.5%
    assert parted < 0.05 + 3 * np.sqrt(0.05 * 0.95 / WORLDS)


def test_equal_systems_on_few_tasks_are_seldom_parted() -> None:
    # ten systems on ten tasks: too few to know from them how 45 differences go together
    rng = np.random.default_rng(0)
    parted = []
    for world in range(WORLDS):
        scores = podium.from_arrays(rng.normal(size=(10, 10)))
        ranking = podium.rank(scores, "mean", confidence_level=0.95, n_resamples=200, rng=world, n_jobs=1)
        parted.append(intervals_of(ranking).separated.any())
    # the same; the quantile of the largest difference over replicates would part them in a fifth of the worlds
    assert np.mean(parted) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / WORLDS)


def test_joint_rank_intervals_hold_the_true_ranks() -> None:
    true_rank = SYSTEMS - np.arange(SYSTEMS)
    held = [
        bool(((sure.joint_rank_low <= true_rank) & (true_rank <= sure.joint_rank_high)).all())
        for sure in (found(100, 0.1, world) for world in range(WORLDS // 2))
    ]
    # at least 95%, less three binomial errors of 2.2%
    assert np.mean(held) > 0.95 - 3 * np.sqrt(0.05 * 0.95 / len(held))


def test_equal_systems_are_seldom_parted_by_scores_that_jump() -> None:
    # the default: on each task an order, which is luck; beside its standard error luck looks large in a fifth of worlds
    parted = []
    for world in range(WORLDS):
        scores = podium.simulate.gumbel(4, 5, 50, dispersion=0.0, rng=world).scores
        ranking = podium.rank(scores, confidence_level=0.95, n_resamples=200, rng=world, n_jobs=1)
        parted.append(intervals_of(ranking).separated.any())
    assert np.mean(parted) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / WORLDS)


def test_groups_joined_by_a_single_task_are_seldom_parted() -> None:
    rng, worlds = np.random.default_rng(0), 60
    wrong = 0
    for _ in range(worlds):
        values = rng.normal(size=(10, 30))
        values[:5, 16:] = values[5:, :15] = np.nan
        found = intervals_of(podium.rank(podium.from_arrays(values), n_resamples=200))
        wrong += bool(found.separated.any())
    # a third of the worlds, if the task counts as one of 30
    assert wrong / worlds <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / worlds)
