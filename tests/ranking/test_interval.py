"""Intervals, rank intervals and tiers."""

import itertools
from dataclasses import replace
from pathlib import Path

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
from podium.ranking.intervals import critical_value
from podium.ranking.method_spec import LEVELS, METHODS
from podium.ranking.result import Intervals, Ranking
from podium.score.table import Scores
from support.examples import examples

WAYS: list[tuple[str, str | None]] = [("borda", level) for level in LEVELS]
WAYS += [(name, None) for name, method in METHODS.items() if not method.level and not method.fitted]
every_way = pytest.mark.parametrize(("method", "level"), WAYS, ids=str)


def sure(ranking: Ranking) -> Intervals:
    assert ranking.intervals is not None
    return ranking.intervals


def world(*, systems: int = 5, tasks: int = 7, instances: int = 60, dispersion: float = 0.2, rng: int = 0) -> Scores:
    return podium.simulate.gumbel(systems, tasks, instances, dispersion=dispersion, rng=rng).scores


@every_way
@pytest.mark.parametrize("units", ["instances", "tasks", "both"])
def test_every_method_gets_intervals_through_the_same_call(method: str, level: str | None, units: str) -> None:
    ranking = podium.rank(world(), method, level=level, confidence=0.9, units=units, replicates=200)
    found = sure(ranking)
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
def test_same_bytes_for_any_number_of_threads_and_order_of_tasks(method: str, level: str | None) -> None:
    scores = world()
    turned = replace(scores, tasks=scores.tasks[::-1])
    one = podium.rank(scores, method, level=level, confidence=0.95, replicates=100, threads=1)
    other = podium.rank(turned, method, level=level, confidence=0.95, replicates=100, threads=2)
    assert one.rows() == other.rows()
    assert_array_equal(sure(one).samples, sure(other).samples)


def test_seeds_differ_but_little() -> None:
    first, second = (podium.rank(world(), "mean", confidence=0.95, replicates=4000, seed=seed) for seed in (0, 1))
    assert not np.array_equal(sure(first).samples, sure(second).samples)
    assert_allclose(sure(first).std_error, sure(second).std_error, rtol=0.1)


def test_standard_error_of_a_mean_is_that_of_the_textbook() -> None:
    scores = world(systems=3, tasks=2, instances=900)
    ranking = podium.rank(scores, "mean", confidence=0.95, replicates=4000)
    by_hand = {
        system: np.sqrt(sum(task.values[row].var() / task.n_instances for task in scores.tasks)) / 2
        for row, system in enumerate(scores.systems)
    }
    expected = [by_hand[system] for system in ranking.systems]
    # relative error of a standard deviation from 4,000 draws: 1/√8,000, five times
    assert_allclose(sure(ranking).std_error, expected, rtol=5 / np.sqrt(8000))


def test_drawing_tasks_agrees_with_scipy() -> None:
    scores = podium.simulate.gumbel(4, 12, 1, dispersion=0.2, rng=0).scores
    ranking = podium.rank(scores, "mean", confidence=0.95, replicates=4000)
    table = np.array([[task.values[scores.systems.index(s), 0] for task in scores.tasks] for s in ranking.systems])
    theirs = scipy.stats.bootstrap((table,), np.mean, axis=1, n_resamples=4000, rng=0, method="percentile")
    assert_allclose(sure(ranking).std_error, theirs.standard_error, rtol=0.08)
    # SciPy's percentile interval is not widened for 12 tasks
    wide = sure(ranking).score_high - sure(ranking).score_low
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
    ranking = podium.rank(scores, method, level="one", confidence=0.95, replicates=2000)
    last = ranking.systems.index(scores.systems[-1])
    honest = np.sqrt(up.mean() * (1 - up.mean()) / n_instances)
    too_narrow = honest / np.sqrt(n_systems - 1)
    assert sure(ranking).std_error[last] == pytest.approx(honest, rel=0.1)
    assert sure(ranking).std_error[last] > 2 * too_narrow


def test_equal_systems_share_a_tier_and_distant_ones_do_not() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(6, 500)) + np.array([[0.0], [0.0], [0.0], [5.0], [5.0], [5.0]])
    ranking = podium.rank(podium.from_arrays({"t": values}), "mean", confidence=0.95)
    assert_array_equal(sure(ranking).tier, [1, 1, 1, 2, 2, 2])
    assert_array_equal(sure(ranking).joint_rank_low, [1, 1, 1, 4, 4, 4])
    assert_array_equal(sure(ranking).joint_rank_high, [3, 3, 3, 6, 6, 6])


def test_a_constant_difference_is_certain_and_none_is_none() -> None:
    base = np.random.default_rng(2).normal(size=40)
    ranking = podium.rank(podium.from_arrays({"t": [base, base + 1, base + 1]}), "mean", confidence=0.95)
    assert_array_equal(sure(ranking).tier, [1, 1, 2])
    assert_array_equal(sure(ranking).share_first, [0.5, 0.5, 0])


@examples(0.4)
@given(st.permutations(range(5)))
def test_relabelling_relabels_intervals(order: list[int]) -> None:
    scores = world()
    shuffled = Scores(
        tuple(scores.systems[row] for row in order),
        tuple(
            podium.from_arrays({task.name: task.values[order]}, systems=[scores.systems[row] for row in order]).tasks[0]
            for task in scores.tasks
        ),
    )
    plain, relabelled = (
        {row["system"]: (row["score_low"], row["rank_low"], row["rank_high"], row["tier"]) for row in ranking.rows()}
        for ranking in (podium.rank(table, "mean", confidence=0.95, replicates=60) for table in (scores, shuffled))
    )
    for system, (low, *ranks) in plain.items():
        assert relabelled[system][0] == pytest.approx(low)
        assert list(relabelled[system][1:]) == ranks


@pytest.mark.parametrize("method", ["borda", "mean"])
def test_rows_in_another_order_change_no_digit(method: str) -> None:
    rng = np.random.default_rng(0)
    values = np.round(rng.normal(size=(40, 1)) + rng.normal(size=(40, 14)), 1)
    scores = podium.from_arrays(values)
    plain = podium.rank(scores, method, replicates=199).rows()
    for _ in range(3):
        again = podium.rank(scores.take(rng.permutation(40).tolist()), method, replicates=199).rows()
        assert list(map(repr, again)) == list(map(repr, plain))


@pytest.mark.parametrize("method", ["borda", "mean"])
def test_rows_of_a_leaderboard_in_another_order_change_no_digit(method: str, shared: Path) -> None:
    scores = podium.read(shared / "data" / "scores" / "glue.csv")
    order = np.random.default_rng(1).permutation(len(scores.systems)).tolist()
    plain, again = (podium.rank(table, method).rows() for table in (scores, scores.take(order)))
    assert list(map(repr, again)) == list(map(repr, plain))


def test_lower_is_better_keeps_the_units_of_the_scores() -> None:
    scores = world(tasks=2).with_directions(lower=["*"])
    found = podium.rank(scores, "mean", confidence=0.95)
    assert ((sure(found).score_low <= found.score) & (found.score <= sure(found).score_high)).all()
    assert sure(found).share_first[0] == sure(found).share_first.max()


def test_too_little_data_is_said() -> None:
    few = podium.rank(podium.datasets.xtreme_missing(), confidence=0.95)
    assert few.intervals is None
    assert any("4 tasks cannot show" in note for note in few.notes)
    short = podium.rank(podium.simulate.gumbel(3, 2, 4, dispersion=1.0, rng=0).scores, confidence=0.95)
    assert any("fewer than 6 instances" in note for note in short.notes)
    tiny = podium.rank(podium.simulate.gumbel(3, 1, 4, dispersion=1.0, rng=0).scores, confidence=0.95)
    assert tiny.intervals is None


def test_unscored_systems_have_no_interval() -> None:
    values = np.random.default_rng(0).normal(size=(3, 50))
    values[1] = np.nan
    with pytest.warns(podium.errors.PodiumWarning, match="missing"):
        ranking = podium.rank(podium.from_arrays({"t": values}), "mean", confidence=0.95)
    last = ranking.rows()[-1]
    assert [last[name] for name in ("rank", "score_low", "rank_low", "tier", "std_error")] == [None] * 5
    assert ranking.rows()[0]["rank_high"] <= 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"confidence": 1.5}, "between 0 and 1"),
        ({"confidence": "0.95"}, "must be a number"),
        ({"replicates": 10.5}, "whole number"),
        ({"seed": None}, "whole number"),
        ({"units": "bogus"}, "no units"),
        ({"confidence": 0.999}, "are too few for intervals of confidence"),
        ({"confidence": 0.95, "units": "instance"}, "instances"),
        ({"confidence": 0.95, "replicates": 0}, "at least 1"),
        ({"confidence": 0.95, "replicates": 39}, "at least 40"),
    ],
)
def test_what_makes_no_sense(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(MethodError, match=message):
        podium.rank(world(), **arguments)  # type: ignore[arg-type]


def test_difference_of_systems_that_share_their_luck() -> None:
    rng = np.random.default_rng(3)
    luck, own = rng.normal(size=400), rng.normal(scale=0.1, size=(2, 400))
    values = luck + own + np.array([[0.05], [0.0]])
    found = sure(podium.rank(podium.from_arrays({"t": values}), "mean", confidence=0.95, replicates=4000))
    low, high = found.difference(0, 1)
    error = np.std(values[0] - values[1], ddof=1) / np.sqrt(400)
    # the textbook's paired interval; its ends within a tenth of their half-width, five errors of a quantile of 4,000
    assert_allclose([low, high], np.mean(values[0] - values[1]) + 1.966 * error * np.array([-1, 1]), atol=0.2 * error)
    assert found.score_low[0] < found.score_high[1]
    assert found.difference(1, 0) == pytest.approx((-high, -low))


def test_a_difference_with_an_unranked_system_is_open() -> None:
    values = np.random.default_rng(0).normal(size=(2, 50))
    with pytest.warns(podium.errors.PodiumWarning, match="missing"):
        ranking = podium.rank(podium.from_arrays({"t": [*values, np.full(50, np.nan)]}), "mean", confidence=0.95)
    assert np.isnan(sure(ranking).difference(0, 2)).all()


def test_critical_value_of_several_statements_is_that_of_the_table() -> None:
    # upper 0.25% point of Student's t with 20 degrees of freedom, 3.153 in any printed table: ten two-sided statements
    assert critical_value(0.95, 20, units="instances", statements=10) == pytest.approx(3.153, abs=5e-4)


def test_a_table_without_instances_cannot_resample_them() -> None:
    with pytest.raises(MethodError, match="no instances"):
        podium.rank(podium.datasets.toy_table1(), confidence=0.95, units="both")
    with pytest.raises(MethodError, match="no top 9"):
        sure(podium.rank(world(), confidence=0.95)).share_top(9)


def test_systems_that_are_the_same_are_never_told_apart() -> None:
    values = np.random.default_rng(4).normal(size=(5, 40)).round(1)
    values[3] = values[4] = values[0]
    table = podium.from_arrays({f"t{i}": values[:, 5 * i : 5 * i + 5] for i in range(8)})
    for (method, level), units in itertools.product(WAYS, ("instances", "tasks")):
        spec = podium.MethodSpec(method, level, prior=1.0 if method == "bradley-terry" else 0.0)
        ranking = podium.rank(table, spec, confidence=0.9, units=units, replicates=60)
        twins = [ranking.systems.index(table.systems[row]) for row in (0, 3, 4)]
        assert len({ranking.rank[twin] for twin in twins}) == 1, (method, level)
        if ranking.intervals is not None:
            assert not ranking.intervals.separated[np.ix_(twins, twins)].any(), (method, level)
            assert np.ptp(ranking.intervals.share_first[twins]) == pytest.approx(0, abs=1e-12), (method, level)


def test_a_small_task_that_decides_is_named() -> None:
    rng = np.random.default_rng(0)
    table = podium.from_arrays({"large": rng.normal(size=(3, 500)), "small": rng.normal(size=(3, 3))})
    note = next(note for note in podium.rank(table, "mean", confidence=0.95).notes if note.startswith("no intervals"))
    assert "small, with fewer than 6 instances" in note
    # in one box three instances among 500 decide nothing
    assert podium.rank(table, level="one", confidence=0.95).intervals is not None
    heavy = podium.from_arrays({f"t{i}": rng.normal(size=(3, 1)) for i in range(8)}).with_task_weights({"t0": 1e9})
    assert podium.rank(heavy, "mean", confidence=0.95).intervals is None


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
    ranking = podium.rank(scores, "mean", confidence=0.95, replicates=400)
    found = ranking.intervals
    assert found is not None
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
    ranking = podium.rank(of_tasks(values), "mean", confidence=0.95)
    found = ranking.intervals
    assert found is not None
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
        ranking = podium.rank(podium.from_arrays({"t": values}), method, confidence=0.95, replicates=999)
        found = sure(ranking)
        error = (found.samples[better] - found.samples[worse]).std(axis=1, ddof=1)
        p = 2 * scipy.stats.t.sf((ranking.score[better] - ranking.score[worse]) / error, number - 1)
        lost.append(((holm(p) <= 0.05) & ~found.separated[better, worse]).sum())
    # of 100 right or wrong answers flips are exact, and Student's test is not: one of the 141 pairs is lost
    assert sum(lost) <= (1 if (kind, number) == ("right or wrong", 100) else 0)
