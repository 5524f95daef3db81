"""Human scores of a judged table: as ppi-python estimates them, valid of any judge, and never worse than labels."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import podium
from podium import Scores
from podium.errors import InputError, MethodError
from podium.score.prediction_powered import powered
from support.compared import analysed
from support.entry import run

Floats = NDArray[np.float64]

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "prediction_powered.json").read_text())


def judged(judge: Any, labels: Any, *, clusters: Any = None, **options: Any) -> Scores:
    """Scores of one task, an item a column; a label is NaN where there is none."""
    judge, labels = np.asarray(judge, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    n_systems, n_items = judge.shape
    columns = {"system": np.repeat([f"m{row}" for row in range(n_systems)], n_items)}
    columns |= {"item": np.tile(np.arange(n_items), n_systems), "score": judge.ravel(), "human": labels.ravel()}
    if clusters is not None:
        columns["cluster"] = np.tile(clusters, n_systems)
    return podium.from_frame(pa.table(columns), human_column="human", **options)


def drawn(
    seed: int, *, right: Any = (0.5, 0.7), agree: float = 0.9, items: int = 400, labelled: int = 60
) -> tuple[Floats, Floats]:
    """Scores of 0 and 1 by a judge, and labels of the same items of all systems."""
    rng = np.random.default_rng(seed)
    truth = rng.random((len(right), items)) < np.array(right)[:, None]
    judge = np.where(rng.random(truth.shape) < agree, truth, ~truth).astype(float)
    there = np.isin(np.arange(items), rng.choice(items, labelled, replace=False))
    return judge, np.where(there, truth.astype(float), np.nan)


def means(scores: Scores) -> Floats:
    return np.asarray(np.nanmean(scores.tasks[0].values, axis=1))


def test_means_and_differences_are_those_of_ppi_python() -> None:
    judge, known = np.array(GOLDEN["judge"]), np.array(GOLDEN["labels"])
    labels = np.full_like(judge, np.nan)
    labels[:, : known.shape[1]] = known
    found = powered(judged(judge, labels))
    assert found.tuning[0] == pytest.approx([one["tuning"] for one in GOLDEN["mean"]], abs=1e-9)
    assert means(found.table) == pytest.approx([one["tuned"] for one in GOLDEN["mean"]], abs=1e-9)
    ranking = podium.rank(judged(judge, labels), "mean")
    assert ranking.score == pytest.approx(sorted((one["tuned"] for one in GOLDEN["mean"]), reverse=True), abs=1e-9)
    pair = powered(judged(judge, labels), paired=True)
    assert pair.tuning[0, 1] == pytest.approx(GOLDEN["difference"]["tuning"], abs=1e-9)
    suite = analysed(judged(judge, labels), control="m0", treatment="m1").suite
    assert suite is not None
    assert suite.effect == pytest.approx(GOLDEN["difference"]["tuned"], abs=1e-9)


@given(st.integers(0, 2**32 - 1), st.floats(-0.5, 1))
def test_a_bias_of_the_judge_changes_nothing(seed: int, bias: float) -> None:
    judge, labels = drawn(seed, labelled=40, items=120)
    one, other = powered(judged(judge, labels)), powered(judged(judge + bias, labels))
    assert means(other.table) == pytest.approx(means(one.table), abs=1e-9)
    assert other.gain == pytest.approx(one.gain)
    assert (one.gain >= 1).all()
    assert ((one.tuning >= 0) & (one.tuning <= 1)).all()


@given(st.integers(0, 2**32 - 1))
def test_without_help_of_the_judge_labels_count_alone(seed: int) -> None:
    judge, labels = drawn(seed, labelled=40, items=120)
    of_labels = np.nanmean(labels, axis=1)
    for useless in (np.ones_like(judge), 1 - judge):  # which says nothing, or the opposite
        found = powered(judged(useless, labels))
        assert found.gain == pytest.approx([1, 1])
        assert means(found.table) == pytest.approx(of_labels)
    whole = powered(judged(judge[:, :40], np.where(np.isnan(labels[:, :40]), 0.0, labels[:, :40])))
    assert (whole.tuning == 0).all()


@given(st.integers(0, 2**32 - 1))
def test_clusters_are_units(seed: int) -> None:
    judge, labels = drawn(seed, labelled=40, items=120)
    alone = powered(judged(judge, labels))
    single = powered(judged(judge, labels, clusters=[f"c{item}" for item in range(120)]))
    assert single.tuning == pytest.approx(alone.tuning)
    assert single.table.tasks[0].values == pytest.approx(alone.table.tasks[0].values)
    # each item and its label twice, in one cluster: the same estimate, as sure
    twice = powered(judged(judge.repeat(2, 1), labels.repeat(2, 1), clusters=np.arange(120).repeat(2).astype(str)))
    assert twice.gain == pytest.approx(alone.gain, rel=0.01)
    spread = [one.table.tasks[0].values for one in (alone, twice)]
    departures = [one - one.mean(axis=1, keepdims=True) for one in spread]
    by_unit = departures[1].reshape(2, 120, 2).sum(axis=2) / 2
    assert (by_unit**2).sum(axis=1) == pytest.approx((departures[0] ** 2).sum(axis=1), rel=0.02)


def test_tasks_add_up() -> None:
    parts = [drawn(seed, labelled=number) for seed, number in ((0, 40), (1, 60), (2, 80))]
    alone = [powered(judged(*part)) for part in parts]
    tasks = [
        replace(judged(*part).tasks[0], name=name, instances=None) for name, part in zip("abc", parts, strict=True)
    ]
    scores = Scores(("m0", "m1"), tuple(tasks), human="human").with_task_weights({"b": 2})
    found, weights = powered(scores), np.array([1, 2, 1])
    assert found.n_labels.tolist() == [180, 180]
    assert found.tuning == pytest.approx(np.concatenate([one.tuning for one in alone]))
    variance = np.array([one.variance[0] for one in alone])
    labels = variance * [one.gain for one in alone]
    assert found.gain == pytest.approx((weights**2 @ labels) / (weights**2 @ variance))
    ranking = podium.rank(scores, "mean", n_resamples=2000)
    means_of = dict(zip(("m0", "m1"), weights @ [means(one.table) for one in alone] / 4, strict=True))
    assert dict(zip(ranking.systems, ranking.score, strict=True)) == pytest.approx(means_of)
    assert ranking.intervals is not None
    error = np.sqrt(weights**2 @ variance)[[int(name[1]) for name in ranking.systems]] / 4
    assert ranking.intervals.std_error == pytest.approx(error, rel=0.06)


def test_a_judge_that_was_always_right_may_err() -> None:
    judge, labels = drawn(0, agree=1.0, labelled=20)
    labels[:, np.flatnonzero(~np.isnan(labels[0]))[:10]] = [[0.0] * 5 + [1.0] * 5] * 2  # as varied as can be
    judge = np.where(np.isnan(labels), judge * 0.2, labels)
    found = powered(judged(judge, labels))
    assert found.tuning == pytest.approx(1)
    assert (found.variance > 2 * 0.2 / 20**2).all()


def test_labels_that_are_all_alike_are_not_known_for_sure() -> None:
    judge, labels = drawn(5, right=(0.95, 0.95, 0.95), agree=0.98, labelled=20)
    labels[0][~np.isnan(labels[0])] = 1
    found = powered(judged(judge, labels))
    assert (found.variance[0, 0], means(found.table)[0]) == pytest.approx((3 / 20**2, 1))
    mistaken = 0
    for seed in range(40):
        table = judged(*drawn(seed, right=(0.92, 0.92, 0.92), agree=0.98, labelled=20))
        intervals = podium.rank(table, "mean", n_resamples=200).intervals
        assert intervals is not None
        mistaken += bool(intervals.separated.any())
    assert mistaken <= 4  # of 40 tables of equal systems


def test_the_interval_of_a_task_is_as_long_as_few_labels_make_it() -> None:
    rng = np.random.default_rng(0)
    judge = rng.normal(size=(2, 300))
    labels = np.where(np.arange(300) < 12, judge + 0.3 * rng.normal(size=(2, 300)), np.nan)
    found = analysed(judged(judge, labels), control="m0", treatment="m1")
    (task,), suite = found.tasks, found.suite
    assert suite is not None
    assert (task.low, task.high, task.p) == pytest.approx((suite.low, suite.high, suite.p))


def test_one_pair_without_labels_of_both_leaves_the_others_compared() -> None:
    judge, labels = drawn(2, right=(0.5, 0.7, 0.6))
    labels[2] = np.where(np.isnan(labels[2]) & (np.arange(labels.shape[1]) < 100), judge[2], np.nan)
    found = podium.compare_all(judged(judge, labels), "m0")
    assert isinstance(found, podium.Comparisons)
    assert [one.treatment for one in found.analyses] == ["m1"]
    assert any("m2" in note for note in found.notes)


def test_intervals_hold_as_often_as_they_say() -> None:
    right, held = np.array([0.6, 0.75]), []
    for seed in range(150):
        ranking = podium.rank(judged(*drawn(seed, right=right, agree=0.85, labelled=40)), "mean", n_resamples=200)
        truth, found = right[[int(name[1:]) for name in ranking.systems]], ranking.intervals
        assert found is not None
        held += ((found.score_low <= truth) & (truth <= found.score_high)).tolist()
    assert 0.91 <= np.mean(held) <= 0.985


def test_borda_is_a_mean_of_ballots() -> None:
    judge, labels = drawn(0, right=(0.4, 0.6, 0.8))
    ranking = podium.rank(judged(judge, labels))
    assert (ranking.method, ranking.level, ranking.systems) == ("borda", "balanced", ("m2", "m1", "m0"))
    assert ranking.score.mean() == pytest.approx(0.5, abs=0.02)
    whole = podium.rank(judged(judge, judge))  # labelled everywhere: the ranking of the labels
    assert whole.score == pytest.approx(podium.rank(podium.from_arrays({"score": judge})).score)
    labels[0, :] = np.where(np.arange(labels.shape[1]) % 2, labels[0], np.nan)
    partly = podium.rank(judged(judge, labels))  # by items that are labelled for all
    assert "with the judge as good as" in partly.notes[0]
    assert any("labels left out: the judge did not score the answer, or people did not" in one for one in partly.notes)


def test_what_labels_bought_is_said_first() -> None:
    judge, labels = drawn(0)
    for answer in (podium.rank(judged(judge, labels), "mean"), podium.compare(judged(judge, labels), "m0", "m1")):
        assert answer.notes[0].startswith("human scores by prediction-powered inference: ")
        assert "with the judge as good as" in answer.notes[0]
    assert "labels in column 'human'" in podium.rank(judged(judge, labels)).sentence
    assert "(human score)" in podium.compare(judged(judge, labels), "m0", "m1").view().title
    useless = podium.rank(judged(np.ones_like(judge), labels), "mean")
    assert useless.notes[0].endswith("to which the judge adds nothing")


def test_labels_that_were_chosen_are_noticed() -> None:
    judge, _ = drawn(0, items=600)
    labels = np.where((judge == 1).all(axis=0) & (np.arange(600) % 3 > 0), judge, np.nan)
    labels[:, :9] = judge[:, :9]
    assert any("no random part" in note for note in podium.rank(judged(judge, labels), "mean").notes)
    assert not any("no random part" in note for note in podium.rank(judged(*drawn(1, items=600)), "mean").notes)


def test_few_labels_have_no_interval() -> None:
    judge, labels = drawn(0, right=(0.5, 0.6, 0.7))
    labels[0, np.flatnonzero(~np.isnan(labels[0]))[9:]] = np.nan
    ranking = podium.rank(judged(judge, labels), "mean")
    assert ranking.intervals is not None
    place = ranking.systems.index("m0")
    assert np.isnan(ranking.intervals.score_low[place])
    assert np.isfinite(np.delete(ranking.intervals.score_low, place)).all()
    assert any("m0: fewer than 10 labels" in note for note in ranking.notes)
    suite = analysed(judged(judge, labels), control="m0", treatment="m1").suite
    assert suite is not None
    assert np.isnan(suite.low)
    assert podium.rank(judged(judge[:2], np.where(np.arange(400) < 8, judge[:2], np.nan)), "mean").intervals is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda labels: 20 * labels, "are about 20 and the judge's scores 1.0; bring both to one scale"),
        (lambda labels: labels * 0 + 1, "all 180 labels in column 'human' are 1, so they show no difference"),
        (lambda labels: labels * [[np.nan], [1], [1]], "no label of 'm0', task 'score'; label some"),
        (lambda labels: labels * [[np.nan], [1], [np.nan]], "labels of 'm1' only; label answers of other systems"),
        (lambda labels: labels * np.nan, "no label; label answers"),
    ],
)
def test_labels_that_say_nothing_are_refused(change: Any, words: str) -> None:
    judge, labels = drawn(0, right=(0.5, 0.7, 0.7))
    with pytest.raises(InputError, match=words.replace("(", r"\(")):
        podium.rank(judged(judge, change(labels)), "mean")


def test_what_has_no_human_scores_is_refused(tmp_path: Path) -> None:
    scores = judged(*drawn(0))
    for method in ("kemeny", "median", "irt", "bradley-terry"):
        with pytest.raises(MethodError, match=f"use method 'mean' .* or 'borda', not '{method}'"):
            podium.rank(scores, method)
    with pytest.raises(MethodError, match="leave level 'two' out"):
        podium.rank(scores, "borda:two")
    with pytest.raises(MethodError, match="effect 'smd' is not known of human scores"):
        podium.compare(scores, "m0", "m1", effect="smd")
    for verb in (podium.stress, podium.agree, podium.pairwise):
        with pytest.raises(InputError, match="use the labels in column 'human'"):
            verb(scores)
    with pytest.raises(InputError, match="watch does not use labels"):
        next(podium.watch(scores.take([0]), scores.take([1]), margin=0.1))
    (tmp_path / "wide.csv").write_text("system,a,b,human\nA,1,2,1\nB,2,1,2\n")
    said = run(tmp_path, "rank", "wide.csv", "--human-column", "human").stderr
    assert "long table" in said


def test_a_new_run_is_gated_by_human_scores(tmp_path: Path) -> None:
    judge, labels = drawn(3, right=(0.6, 0.85), items=600, labelled=150)
    lines = "system,item,score,human\n"
    for row, name in enumerate(("before", "after")):
        body = (f"m,{k},{judge[row, k]:g},{'' if np.isnan(labels[row, k]) else labels[row, k]}" for k in range(600))
        (tmp_path / f"{name}.csv").write_text(lines + "\n".join(body))
    runs = [tmp_path / "before.csv", tmp_path / "after.csv"]
    gate = podium.gate(*runs, margin=0.02, must={"score": 0.7}, human_column="human")
    assert gate.verdict == "pass"
    assert gate.suite is not None
    suite = analysed(judged(judge, labels), control="m0", treatment="m1").suite
    assert suite is not None
    assert (gate.suite.effect, gate.suite.low) == pytest.approx((suite.effect, suite.low))
    assert gate.suite.n == 150
    (tmp_path / "after.csv").write_text(lines + "\n".join(f"m,{k},1,1" for k in range(590)))
    with pytest.raises(InputError, match="no score on 10 instances of before"):
        podium.gate(*runs, margin=0.02, human_column="human")


def test_few_labels_that_happen_to_be_small_are_on_the_scale_of_scores_below_and_above_0() -> None:
    rng = np.random.default_rng(0)
    judge = 2 * rng.normal(size=(2, 100))
    labels = np.where(np.arange(100) < 12, rng.normal(size=(2, 100)) / 2, np.nan)
    assert podium.rank(judged(judge, labels), "mean").intervals is not None
    with pytest.raises(InputError, match="bring both to one scale"):
        podium.rank(judged(20 * judge, labels), "mean")
    with pytest.raises(InputError, match="bring both to one scale"):
        podium.rank(judged(1 + np.abs(judge), np.abs(labels)), "mean")


def test_labels_are_not_taken_for_scores_of_a_judge() -> None:
    table = pa.table({"system": ["a", "b"], "item": ["x", "x"], "score": [1.0, 0.0], "human": [1.0, 0.0]})
    with pytest.raises(InputError, match="name both, with score_column="):
        podium.from_frame(table, human_column="score")


def test_labels_are_no_cost() -> None:
    judge, labels = drawn(0)
    scores = judged(judge, labels)
    with pytest.raises(MethodError, match="the table has none"):
        podium.frontier(scores, method="mean")
    frame = pa.table(
        {"system": ["A"] * 400 + ["B"] * 400, "item": [*range(400)] * 2, "score": judge.ravel()}
        | {"human": labels.ravel(), "cost": np.repeat([2.0, 1.0], 400)}
    )
    found = podium.frontier(frame, method="mean", human_column="human")
    assert found.ranking.score == pytest.approx(podium.rank(scores, "mean").score)
