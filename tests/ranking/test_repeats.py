"""Repeats that are drawn: against brute force, closed forms and the tables that they stand for."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

import podium
from podium.base.statistics import sign_flip_p_values
from podium.errors import MethodError
from podium.ranking.bootstrap import replicates as drawn_replicates
from podium.ranking.counted import CountedScores
from podium.ranking.figure import intervals_of
from podium.ranking.method_spec import MethodSpec
from podium.ranking.repeats import RepeatedScores
from podium.ranking.separation import exchange_p_values
from podium.score.repeat import Repeats, Statistic
from podium.score.table import Scores
from podium.tally.count import count
from podium.tally.draw import Resampling
from podium.tally.duel import Duels
from podium.tally.moment import Means
from podium.tally.position import Positions

Floats = NDArray[np.float64]


def runs(seed: int, shape: tuple[int, ...], *, binary: bool = True, holes: bool = False) -> Floats:
    rng = np.random.default_rng(seed)
    values = (rng.random(shape) < 0.6).astype(np.float64) if binary else rng.normal(size=shape)
    if holes:
        values[..., 2:][rng.random(values[..., 2:].shape) < 0.4] = np.nan
        values[0, 0] = np.nan
    return values


def table(seed: int = 0, *, binary: bool = True, holes: bool = False, statistic: str | None = None) -> Scores:
    cubes = {"t": runs(seed, (4, 7, 5), binary=binary, holes=holes), "u": runs(seed + 1, (4, 9, 5), binary=binary)}
    return podium.from_arrays(cubes, systems=list("ABCD"), lower=["u"], statistic=statistic)


def samples(scores: Scores, method: str, replicates: int = 60, **options: int) -> Floats:
    spec = MethodSpec.of(method).on(scores)
    counted = CountedScores.of(scores, [spec], threads=options.get("threads", 1))
    return drawn_replicates(counted, spec, Resampling("repeats", replicates, seed=3, first=options.get("first", 0)))


@pytest.mark.parametrize("binary", [True, False])
def test_tallies_are_those_of_the_tables_that_are_drawn(binary: bool) -> None:
    scores = table(binary=binary, holes=True).by_name()
    scores = scores.with_instance_weights({"u": np.arange(9.0)})
    repeated = RepeatedScores.of(scores, 7, of_orders=True)
    counts = repeated.counts([Positions, Means, Duels], range(3, 6))
    for place, number in enumerate(range(3, 6)):
        tasks = []
        for index, task in enumerate(scores.tasks):
            (values,) = repeated.drawn(index, range(number, number + 1))
            tasks.append(task.with_values(values if task.higher_is_better else -values))
        alone = count(replace(scores, tasks=tuple(tasks)), [Positions, Means, Duels], threads=1)
        for index in range(2):
            assert_array_equal(counts[Positions][index].rank_sum[..., place], alone[Positions][index].rank_sum)
            assert_allclose(counts[Means][index].mean[..., place], alone[Means][index].mean, atol=1e-12)
            assert_array_equal(counts[Duels][index].wins[..., place], alone[Duels][index].wins)


def test_what_is_drawn_is_among_the_repeats_of_the_same_system_and_instance() -> None:
    scores = podium.from_arrays({"t": runs(1, (3, 5, 4), binary=False, holes=True)}, statistic="max")
    repeated = RepeatedScores.of(scores, 0, of_orders=True)
    given_repeats = scores.tasks[0].repeats
    assert given_repeats is not None
    for values in repeated.drawn(0, range(20)):
        found = (values[..., None] == given_repeats.values).any(axis=2)
        assert_array_equal(found, ~np.isnan(scores.tasks[0].values))
        assert_array_equal(np.isnan(values), np.isnan(scores.tasks[0].values))


@pytest.mark.parametrize("statistic", ["mean", "majority", "pass@2", "pass^2"])
def test_counting_the_right_ones_gives_what_the_statistic_of_all_gives(statistic: str) -> None:
    cube = runs(2, (3, 30, 5), holes=True)
    ones = podium.from_arrays({"t": cube}, statistic=statistic)
    slow = RepeatedScores.of(ones, 0, of_orders=True)
    assert slow.repeats[0] is not None
    assert slow.repeats[0].right is not None
    quick = [values.copy() for values in slow.drawn(0, range(4))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Repeats, "right", None)
        for one, other in zip(quick, slow.drawn(0, range(4)), strict=True):
            assert_array_equal(one, other)


@pytest.mark.parametrize("holes", [False, True])
def test_errors_of_means_are_those_of_the_closed_form(holes: bool) -> None:
    cube = runs(3, (4, 40, 5), binary=False, holes=holes)
    scores = podium.from_arrays({"t": cube})
    drawn = samples(scores, "mean", 4000)
    number = np.count_nonzero(~np.isnan(cube), axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.array([[np.var(cell[~np.isnan(cell)], ddof=1) if (~np.isnan(cell)).any() else 0 for cell in row]
                             for row in cube])  # fmt: skip
    scored = (number > 0).sum(axis=1)
    error = np.sqrt((variance / number.clip(1)).sum(axis=1)) / scored
    # a standard deviation of 4,000 replicates is known to 1%; with unequal numbers the stretch is one on average
    assert_allclose(drawn.std(axis=1, ddof=1), error, rtol=0.12 if holes else 0.05)
    assert_allclose(drawn.mean(axis=1), np.nanmean(scores.tasks[0].values, axis=1), atol=1e-9)


@pytest.mark.parametrize("method", ["mean", "borda", "borda:two", "copeland", "median", "bradley-terry"])
def test_neither_threads_nor_runs_nor_other_tasks_and_systems_change_the_draws(method: str) -> None:
    scores = table(holes=True)
    whole = samples(scores, method)
    assert_array_equal(whole, samples(scores, method, threads=3))
    turned = scores.take([2, 0, 3, 1])
    assert_allclose(samples(turned, method), whole[[2, 0, 3, 1]], atol=1e-9)
    first = RepeatedScores.of(scores, 3, of_orders=True)
    alone = RepeatedScores.of(scores.select(tasks=["u"], systems=["B"]), 3, of_orders=True)
    for one, other in zip(first.drawn(1, range(5, 9)), alone.drawn(0, range(5, 9)), strict=True):
        assert_array_equal(one[[1]], other)


@given(st.integers(2, 8), st.integers(1, 4), st.integers(0, 2**16), st.booleans())
def test_pseudovalues_have_the_statistic_as_their_mean_and_the_variance_of_the_jackknife(
    n: int, k: int, seed: int, every: bool
) -> None:
    if k >= n:
        return
    cube = runs(seed, (2, 3, n))
    statistic = Statistic(f"pass{'^' if every else '@'}{k}")
    pseudo = Repeats.of(cube, statistic).pseudovalues()
    assert_allclose(pseudo.statistic.of(pseudo.values), statistic.of(cube), atol=1e-9)
    left = np.stack([statistic.of(np.delete(cube, r, axis=2)) for r in range(n)], axis=2)
    jackknife = (n - 1) / n * ((left - left.mean(axis=2, keepdims=True)) ** 2).sum(axis=2)
    assert_allclose(pseudo.values.var(axis=2, ddof=1) / n, jackknife, atol=1e-9)


def test_exchanged_instances_have_the_variance_of_flipped_signs() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 3)) * rng.exponential(size=(200, 1))
    values[:, 0] += 0.15
    found = exchange_p_values(values)
    flipped = sign_flip_p_values(np.array([values[:, 0] - values[:, 1], values[:, 1] - values[:, 2]]))
    # 200 skewed differences are nearly normal
    assert_allclose([found[0, 1], found[1, 2]], flipped, atol=0.01)


def test_intervals_for_other_repeats_are_narrower_than_those_for_other_instances() -> None:
    rng = np.random.default_rng(4)
    chances = rng.beta(0.3, 0.3, size=60)[:, None]  # easy instances and hard ones
    scores = podium.from_arrays({"t": (rng.random((4, 60, 5)) < chances).astype(float)}, systems=list("ABCD"))
    for method in ("mean", "borda"):
        again = podium.rank(scores, method, confidence_level=0.95, units="repeats", n_resamples=200)
        other = podium.rank(scores, method, confidence_level=0.95, n_resamples=200)
        assert_array_equal(again.score, other.score)
        assert "of the repeats of the same instances" in intervals_of(again).explanation[0]
        assert any("other repeats of the same instances" in note for note in again.notes)
        if method == "mean":  # of orders, equal systems leave nothing between instances
            assert (intervals_of(again).std_error < 0.7 * intervals_of(other).std_error).all()
        assert (intervals_of(again).units, again.to_dict()["intervals"]["units"]) == ("repeats", "repeats")


def test_systems_whose_repeats_agree_are_named() -> None:
    cube = runs(5, (3, 30, 4))
    cube[1] = cube[1, :, :1]
    scores = podium.from_arrays({"t": cube}, systems=list("ABC"))
    ranking = podium.rank(scores, "mean", confidence_level=0.95, units="repeats", n_resamples=100)
    assert "B: all repeats of an instance score alike, so intervals are too narrow" in ranking.notes
    cube[:] = cube[:, :, :1]
    none = podium.rank(podium.from_arrays({"t": cube}), "mean", confidence_level=0.95, units="repeats")
    assert none.intervals is None
    assert none.notes == ("no intervals: repeats differ on too few instances to show how other repeats would score",)


@pytest.mark.parametrize("method", ["mean", "borda"])
def test_tasks_that_were_run_once_are_drawn_among_each_other(method: str) -> None:
    several, once = runs(6, (3, 30, 4)), runs(7, (10, 3, 200, 1))
    alone = podium.from_arrays({"t": several, "once": once[0]}, systems=list("ABC"))
    none = podium.rank(alone, method, confidence_level=0.95, units="repeats", n_resamples=60)
    assert none.intervals is None
    assert none.notes[0].startswith("no intervals: once: run once, which shows no spread; run it again or leave it out")
    runs_of_ten = {f"once {number}": one for number, one in enumerate(once)}
    scores = podium.from_arrays({"t": several, **runs_of_ten}, systems=list("ABC"))
    bare = podium.from_arrays(
        {"t": several, **{name: one[:, :, 0] for name, one in runs_of_ten.items()}}, systems=list("ABC")
    )
    rankings = [
        podium.rank(one, method, confidence_level=0.95, units="repeats", n_resamples=400) for one in (scores, bare)
    ]
    found, expected = map(intervals_of, rankings)
    assert_array_equal(found.std_error, expected.std_error)
    assert any(
        note.startswith("once 0, once 1") and note.endswith("run once, so drawn as tasks") for note in rankings[0].notes
    )
    if method == "mean":  # the variance of the ten tasks among each other, and that of repeats, which is widened
        means = once.mean(axis=(2, 3))
        between = np.sqrt(means.var(axis=0, ddof=1) / 10) * 10 / 11
        order = [["A", "B", "C"].index(system) for system in rankings[0].systems]
        assert (found.std_error > between[order] * 0.9).all()
    assert_allclose(RepeatedScores.of(scores, 0, of_orders=False).widening(None), np.sqrt(4 / 3))


def test_tasks_with_other_numbers_of_repeats_widen_as_they_weigh() -> None:
    # repeats of variance 2 everywhere: 5 instances × 2, and 40 × 4
    two, four = np.tile([-1.0, 1.0], (1, 5, 1)), np.tile([-np.sqrt(3), 0.0, 0.0, np.sqrt(3)], (1, 40, 1))
    scores = podium.from_arrays({"two": np.repeat(two, 2, axis=0), "four": np.repeat(four, 2, axis=0)})
    drawn = samples(scores, "mean", 3000)
    # a standard deviation of 3,000 replicates is known to 1.3%
    assert_allclose(drawn.std(axis=1, ddof=1), np.sqrt(2 / 2 / 5 + 2 / 4 / 40) / 2, rtol=0.06)


@pytest.mark.parametrize("method", ["copeland", "borda:two"])
def test_the_interval_of_a_score_that_varies_has_length(method: str) -> None:
    # few replicates reverse the order, so the quantiles of both ends lie beyond the bound
    rng = np.random.default_rng(107)
    instances = int(rng.integers(5, 14))
    cube = (rng.random((2, instances, 3)) < [[[0.97]], [[0.3]]]).astype(np.float64)
    scores = podium.from_arrays({"t": cube})
    found = intervals_of(podium.rank(scores, method, confidence_level=0.95, units="repeats", n_resamples=200))
    assert (found.std_error > 0.1).all()
    assert (found.score_low < found.score_high).all()
    assert_array_equal(found.score_low <= [1.0, 0.0], True)
    assert_array_equal(found.score_high >= [1.0, 0.0], True)


def test_clusters_play_no_part_where_repeats_are_drawn() -> None:
    cube = runs(8, (3, 30, 4))
    labels = [f"c{place // 5}" for place in range(30)]
    said = "clusters play no part where repeats are drawn"
    plain, clustered = (
        podium.rank(one, "mean", confidence_level=0.95, units="repeats", n_resamples=60)
        for one in (podium.from_arrays({"t": cube}), podium.from_arrays({"t": cube}, clusters=labels))
    )
    assert said in clustered.notes
    assert said not in plain.notes
    assert_array_equal(intervals_of(plain).std_error, intervals_of(clustered).std_error)


@pytest.mark.parametrize(
    ("shape", "statistic", "said"),
    [
        ((3, 8), None, r"no task has repeats to draw; name their column with repeat_column= \(--repeat-column\)"),
        ((3, 8, 1), None, r"system 1, system 2, .*: only one repeat of each instance.* units='instances'"),
        ((3, 8, 4), "max", "draws of repeats do not show how their max varies"),
        ((3, 8, 3), "pass@3", "task 't': 3 repeats are too few to show how 'pass@3' varies; run more"),
    ],
)
def test_repeats_that_cannot_show_how_they_vary_are_refused(
    shape: tuple[int, ...], statistic: str | None, said: str
) -> None:
    scores = podium.from_arrays({"t": runs(0, shape)}, statistic=statistic)
    with pytest.raises(MethodError, match=said):
        podium.rank(scores, confidence_level=0.95, units="repeats")


def test_a_plan_does_not_add_repeats() -> None:
    with pytest.raises(MethodError, match="a plan does not add repeats; use units='instances'"):
        podium.plan(table(), units="repeats")


@pytest.mark.parametrize("statistic", ["pass@1", "pass^1"])
def test_one_of_one_repeat_is_the_mean(statistic: str) -> None:
    values = (np.random.default_rng(0).random((4, 1, 30, 3)) < 0.5).astype(float)
    values[0, 0, :5, 1:] = np.nan  # so some instances have one repeat only
    one, mean = (
        podium.rank(
            podium.from_arrays(values, statistic=name), "mean", confidence_level=0.95, units="repeats", n_resamples=80
        )
        for name in (statistic, "mean")
    )
    assert_allclose(intervals_of(one).score_low, intervals_of(mean).score_low, rtol=1e-12)


def seeded(spread: float, n_runs: int = 6) -> Floats:
    """Scores of four equal systems on 60 instances, whose runs differ."""
    rng = np.random.default_rng(4)
    return rng.normal(size=(4, 1, 60, n_runs)) + spread * rng.normal(size=(4, 1, 1, n_runs))


def test_runs_that_differ_are_drawn_as_a_whole() -> None:
    scores = podium.from_arrays(seeded(0.6))
    default = podium.rank(scores, "mean")
    assert intervals_of(default).separated.any()
    assert default.notes[0].startswith("runs of a system differ by more than their instances explain; --units repeats")
    for method in ("mean", "borda"):
        ranking = podium.rank(scores, method, units="repeats")
        assert not intervals_of(ranking).separated.any()
        assert "so whole runs are drawn" in ranking.notes[1]
    few = podium.rank(podium.from_arrays(seeded(0.6, 3)), "mean", units="repeats")
    assert few.intervals is None
    assert few.notes[0].endswith("too few to show by how much; run more")
    alike = podium.rank(podium.from_arrays(seeded(0.0)), "mean", units="repeats")
    assert not any("runs of" in note for note in alike.notes)


def test_labels_say_which_run_a_repeat_is(tmp_path: Path) -> None:
    values = seeded(0.6)
    rows = [
        {"system": f"s{i}", "instance": f"item {k}", "seed": f"seed {r}", "score": values[i, 0, k, r]}
        for i, k, r in np.ndindex(4, 60, 6)
    ]
    frame = pa.Table.from_pylist(rows).take(np.random.default_rng(0).permutation(len(rows)))
    named = podium.from_frame(frame, repeat_column="seed")
    numbered = podium.from_frame(frame.drop_columns("seed"), statistic="mean")
    for scores, whole in ((named, True), (numbered, False)):
        podium.convert(scores, tmp_path / "scores.csv")
        for one in (scores, podium.read(tmp_path / "scores.csv")):
            assert one.tasks[0].repeats is not None
            assert one.tasks[0].repeats.of_runs == whole
    board = tmp_path / "board"
    early = np.array(frame["seed"].to_pylist()) < "seed 3"
    for run, some in (("early", early), ("late", ~early)):
        podium.add(board, podium.from_frame(frame.filter(some), repeat_column="seed"), on_conflict="repeat", run=run)
    repeats = podium.read(board).tasks[0].repeats
    assert repeats is not None
    assert not repeats.of_runs
