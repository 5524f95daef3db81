"""Customized leaderboards with labels: what is matched, what is said, what is refused."""

import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import podium
from podium.difficulty.result import Difficulty, Hard, Measure
from podium.errors import InputError, LabelError, MethodError, WeightError

RANDOM = podium.Splitting(by="random")


LABELS = [f"i{number:03}" for number in range(60)]


def made(seed: int = 0, *, tasks: tuple[str, ...] = ("t",), systems: int = 4, size: int = 60) -> podium.Scores:
    """Right or wrong, harder from one instance to the next, systems better from one to the next."""
    rng = np.random.default_rng(seed)
    chance = np.linspace(0.9, 0.3, size) + np.linspace(-0.2, 0.1, systems)[:, None]
    tables = {task: (rng.random((systems, size)) < chance).astype(float) for task in tasks}
    return podium.from_arrays(tables, instances=LABELS[:size])


def labelled(values: Any) -> podium.Scores:
    return podium.from_arrays({"t": values}, instances=LABELS)


def rated(values: Any = None, *, hard: Hard = "high", labels: list[str] | None = None) -> Difficulty:
    labels = LABELS if labels is None else labels
    values = np.linspace(0.1, 1, len(labels)) if values is None else np.asarray(values, dtype=float)
    return Difficulty(np.array(labels, dtype=np.dtypes.StringDType()), (Measure("hardness", values, hard),))


def customize(*given: Any, **options: Any) -> Any:
    """Weigh without intervals, unless they are asked for."""
    return podium.customize(*given, **({"confidence_level": None} | options))


def test_one_split_with_penalty_zero_is_accuracy() -> None:
    result = customize(made(), rated(), splits=1, split_weights=podium.Weighting(penalty=0))
    np.testing.assert_allclose(result.ranking.score, result.accuracy)
    assert not result.rank_change.any()
    assert np.abs(result.inflation).max() < 1e-9


def test_instances_without_difficulty_and_difficulties_without_instance_are_named() -> None:
    labels = [*LABELS[:50], "elsewhere", "nowhere"]
    result = customize(made(), rated(labels=labels))
    assert "left out: 10 instances without hardness (i050, i051, i052, i053, i054 and 5 more)" in result.notes
    assert "not used: 2 values of hardness for unknown instances (elsewhere, nowhere)" in result.notes
    assert sum(split.instances for split in result.splits) == 50
    with pytest.raises(InputError, match=r"left out: 10 instances without hardness.*strict"):
        customize(made(), rated(labels=labels), strict=True)


def test_nothing_in_common_is_refused_with_labels_of_both() -> None:
    with pytest.raises(InputError, match=r"'i000'.*'a', 'b'"):
        customize(made(), rated(labels=["a", "b"]))


def test_a_measure_without_any_value_is_refused() -> None:
    none = Difficulty(rated().instances, (Measure("x", np.full(60, np.nan), "high"),), np.array(["t"] * 60))
    with pytest.raises(InputError, match="no instance of the scores has a value of x"):
        customize(made(), none)


def test_numbers_and_numbers_as_text_are_the_same_labels() -> None:
    scores = podium.from_arrays({"t": [[1, 0, 1, 0]]}, instances=[3, 1, 2, 10])
    numbers = Difficulty(np.array([1, 2, 3, 10]), (Measure("bias", np.array([0.1, 0.2, 0.3, 0.4]), "low"),))
    texts = Difficulty(np.array(["1", "2", "3", "10"]), numbers.measures)
    results = [customize(scores, one, splits=2).split_scores.tolist() for one in (numbers, texts)]
    # the last split has the lowest biases, of instances 1 and 2, of which 2 is right
    assert results[0] == results[1] == [[0.0, 0.0]]


def test_tasks_without_difficulty_are_named() -> None:
    scores = made(tasks=("a", "b"))
    only = Difficulty(np.array(LABELS[:50]), (Measure("x", np.linspace(0, 1, 50), "high"),), np.array(["a"] * 50))
    notes = customize(scores, only).notes
    assert "left out: 1 task without any x (b)" in notes
    some = "i050 of a, i051 of a, i052 of a, i053 of a, i054 of a and 5 more"
    assert f"left out: 10 instances without x ({some})" in notes
    few = np.concatenate([np.linspace(0, 1, 60), np.linspace(0, 1, 5)])
    tasks = np.array(["a"] * 60 + ["b"] * 5)
    small = Difficulty(np.array([*LABELS, *LABELS[:5]]), (Measure("x", few, "high"),), tasks)
    with pytest.raises(MethodError, match="task 'b': 7 splits of 5 instances"):
        customize(scores, small)


def test_a_difficulty_without_tasks_is_doubted_where_tasks_are_of_other_items() -> None:
    numbered = podium.from_arrays({"qa": made().tasks[0].values, "nli": made(1).tasks[0].values[:, :30]})
    only = Difficulty(np.arange(60), rated().measures)
    said = "the difficulty names no tasks"
    assert any(said in note for note in customize(numbered, only).notes)
    with pytest.raises(InputError, match=said):
        customize(numbered, only, strict=True)
    # two metrics of the same items, which have names
    assert not any(said in note for note in customize(made(tasks=("a", "b")), rated(), strict=True).notes)


def test_a_single_task_may_be_called_otherwise() -> None:
    named = Difficulty(rated().instances, rated().measures, np.array(["accuracy"] * 60))
    result = customize(made(), named)
    assert "the difficulties of task accuracy are used for task t" in result.notes
    with pytest.raises(InputError, match=r"of 'a', 'b', those of the difficulty .* of 'accuracy'"):
        customize(made(tasks=("a", "b")), named)


def test_a_bias_is_a_share_and_one_end_is_hard() -> None:
    with pytest.raises(InputError, match="'bias_2' is a share"):
        Measure("bias_2", np.array([1.5]), "low")
    with pytest.raises(LabelError, match="no end of a measure"):
        Measure("x", np.array([1.5]), "loww")  # type: ignore[arg-type]


def test_easy_instances_that_count_most_are_said() -> None:
    hard, easy = rated(), rated(hard="low")
    said = "so easy instances count most"
    for difficulty, weights, wrong in (
        (hard, "B", False),
        (hard, "1/B", True),
        (easy, "B", True),
        (easy, "1/B", False),
    ):
        notes = customize(made(), difficulty, split_weights=weights).notes
        assert any(said in note for note in notes) == wrong


def test_systems_scored_in_some_splits_only_are_named() -> None:
    values = made().tasks[0].values.copy()
    values[0, :20] = np.nan
    result = customize(labelled(values), rated(), splits=3)
    assert "system 1 has no score in split 1, so it is compared on other splits than the rest" in result.notes


def test_an_instance_has_one_difficulty() -> None:
    with pytest.raises(InputError, match="instance 'b' has a difficulty twice"):
        rated([0.1, 0.2, 0.3], labels=["a", "b", "b"])
    tasks, measure = np.array(["t", "u", "u"]), (Measure("x", np.arange(3.0), "high"),)
    assert len(Difficulty(np.array([1, 1, 2]), measure, tasks)) == 3
    with pytest.raises(InputError, match="instance '1' of task 'u' has a difficulty twice"):
        Difficulty(np.array([1, 1, 1]), measure, tasks)


def test_tasks_of_the_difficulty_are_heeded() -> None:
    scores = made(tasks=("a", "b"))
    labels, hard = np.array([*LABELS, *LABELS]), np.linspace(0.1, 1, 60)
    tasks = np.array(["a"] * 60 + ["b"] * 60)
    both = Difficulty(labels, (Measure("x", np.concatenate([hard, hard[::-1]]), "high"),), tasks)
    result = customize(scores, both)
    alone = [
        customize(scores.select(tasks=[task]), rated(values)).ranking
        for task, values in (("a", hard), ("b", hard[::-1]))
    ]
    for place, system in enumerate(result.systems):
        mean = np.mean([ranking.score[ranking.systems.index(system)] for ranking in alone])
        assert result.ranking.score[place] == pytest.approx(mean)


def test_task_weights_count_at_both_levels() -> None:
    scores = made(tasks=("a", "b")).with_task_weights({"b": 0})
    for level in ("one", "two"):
        result = customize(scores, rated(), splits=podium.Splitting(6, level=level))
        alone = customize(scores.select(tasks=["a"]), rated(), splits=6)
        np.testing.assert_allclose(sorted(result.ranking.score), sorted(alone.ranking.score))


def test_lower_is_better_counts_as_one_minus_the_score() -> None:
    scores = made()
    turned = podium.from_arrays(
        {"t": 1 - scores.tasks[0].values}, instances=LABELS, systems=scores.systems, lower=["t"]
    )
    np.testing.assert_allclose(customize(turned, rated()).ranking.score, customize(scores, rated()).ranking.score)


def test_missing_scores_are_left_out_and_said() -> None:
    values = made().tasks[0].values.copy()
    values[0, :30] = np.nan
    result = customize(labelled(values), rated(), splits=2)
    assert any("30 of 240 scores are missing" in note for note in result.notes)
    row = result.systems.index("system 1")
    assert np.isnan(result.split_scores[row, 0])
    assert result.ranking.score[row] == pytest.approx(result.split_scores[row, 1])


def test_a_system_without_any_score_is_not_ranked() -> None:
    values = made().tasks[0].values.copy()
    values[2] = np.nan
    result = customize(labelled(values), rated())
    assert result.systems[-1] == "system 3"
    assert result.rows()[-1]["rank"] is None
    assert result.rank_change[-1] == 0


def test_empty_splits_are_said_and_not_scored() -> None:
    result = customize(made(), rated(), splits=podium.Splitting([2.0, 3.0]))
    assert any(note.startswith("empty splits have no score: 2, 3") for note in result.notes)
    assert np.isnan(result.split_scores[:, 1:]).all()
    assert result.to_dict()["splits"][2]["low"] is None
    np.testing.assert_allclose(result.ranking.score, result.split_scores[:, 0])


def test_ties_across_an_end_are_said() -> None:
    result = customize(made(), rated(np.repeat([0.2, 0.4, 0.8], 20)), splits=2)
    assert (
        "split 1 ends among instances of equal hardness (20 of 0.400); the splits on both sides share them"
        in " ".join(result.notes)
    )
    assert [split.instances for split in result.splits] == [30, 30]


def test_a_measure_that_is_not_hard_for_the_systems_is_said_to_be_none() -> None:
    said = "does not show what is hard for them"
    assert not any(said in note for note in customize(made(), rated()).notes)
    assert any(said in note for note in customize(made(), rated(hard="low")).notes)


def test_manual_splits_are_those_of_a_column() -> None:
    kinds = np.array(["easy"] * 20 + ["hard"] * 40)
    difficulty = Difficulty(rated().instances, rated().measures, extras=(("kind", kinds),))
    result = customize(made(), difficulty, splits=podium.Splitting("kind"), split_weights=[1, 3])
    assert [split.name for split in result.splits] == ["easy", "hard"]
    assert [split.instances for split in result.splits] == [20, 40]
    assert "splits from easy to hard: easy, hard (numbers in order, other labels by mean hardness)" in result.notes
    levels = np.repeat(["low", "medium", "high"], 20)
    named = Difficulty(rated().instances, rated().measures, extras=(("level", levels),))
    ordered = customize(made(), named, splits=podium.Splitting("level")).splits
    assert [split.name for split in ordered] == ["low", "medium", "high"]
    right = made().tasks[0].values[:, kinds == "easy"].mean(axis=1)
    for system, share in zip(made().systems, right, strict=True):
        assert result.split_scores[result.systems.index(system), 0] == pytest.approx(100 * (2 * share - 1))


def test_manual_splits_need_their_column() -> None:
    with pytest.raises(MethodError, match="need the column"):
        podium.Splitting(3, "manual")


def test_random_splits_follow_the_seed_alone() -> None:
    first, again, other = (customize(made(), rated(), splits=RANDOM, rng=seed) for seed in (1, 1, 2))
    assert first.split_scores.tolist() == again.split_scores.tolist()
    assert first.split_scores.tolist() != other.split_scores.tolist()


def test_random_splits_depend_on_no_order_of_tasks() -> None:
    scores = made(tasks=("a", "b"))
    turned = scores.select(tasks=["a", "b"])
    turned = podium.from_arrays({task.name: task.values for task in reversed(scores.tasks)}, instances=LABELS)
    results = [customize(one, rated(), splits=RANDOM, rng=-5) for one in (scores, turned)]
    np.testing.assert_allclose(results[0].ranking.score, results[1].ranking.score)
    alone = customize(scores.select(tasks=["a"]), rated(), splits=RANDOM, rng=-5)
    assert alone.splits[0].instances == 9


def test_any_whole_number_is_a_seed() -> None:
    assert customize(made(), rated(), rng=-1, confidence_level=0.95, n_resamples=100).ranking.intervals is not None
    numpy: Any = np.int64(-1)
    options: dict[str, Any] = {"splits": RANDOM, "confidence_level": 0.9, "n_resamples": 20}
    found = [customize(made(), rated(), rng=seed, **options).to_dict() for seed in (-1, numpy)]
    assert json.dumps(found[0]) == json.dumps(found[1])


def test_split_labels_are_kept_apart_to_the_last_digit() -> None:
    months = np.where(np.arange(60) % 2, 20240101.0, 20240102.0)
    difficulty = Difficulty(rated().instances, rated().measures, extras=(("month", months),))
    result = customize(made(), difficulty, splits=podium.Splitting("month"))
    assert [split.name for split in result.splits] == ["20240101", "20240102"]


def test_width_splits_are_as_wide() -> None:
    result = customize(made(), rated(), splits=podium.Splitting(3, "width"))
    edges = np.linspace(0.1, 1, 4)
    for split, low, high in zip(result.splits, edges, edges[1:], strict=False):
        assert low - 1e-9 <= split.low <= split.high <= high + 1e-9


@given(st.integers(0, 20), st.sampled_from(["low", "high"]))
def test_the_last_split_is_the_hard_one(seed: int, hard: Hard) -> None:
    values = np.random.default_rng(seed).random(60)
    result = customize(made(), rated(values, hard=hard), splits=3)
    ends = [split.low for split in result.splits]
    assert ends == sorted(ends, reverse=hard == "low")
    assert [split.weight for split in result.splits] == [1, 2, 3]


def test_intervals_do_not_depend_on_threads() -> None:
    one, two = (
        customize(made(tasks=("a", "b")), rated(), confidence_level=0.9, n_resamples=200, n_jobs=threads)
        for threads in (1, 2)
    )
    assert one.ranking.intervals.samples.tobytes() == two.ranking.intervals.samples.tobytes()


def test_replicates_of_plain_accuracy_are_those_of_the_mean() -> None:
    """The same draws of the same instances: 100 times the mean."""
    scores = made()
    plain = customize(scores, rated(), splits=1, split_weights=podium.Weighting(penalty=0), confidence_level=0.95)
    mean = podium.rank(scores, "mean", confidence_level=0.95)
    assert mean.intervals is not None
    np.testing.assert_allclose(plain.ranking.intervals.samples, 100 * mean.intervals.samples)
    np.testing.assert_allclose(plain.ranking.intervals.std_error, 100 * mean.intervals.std_error)
    assert plain.ranking.intervals.tier.tolist() == mean.intervals.tier.tolist()


def test_too_few_instances_give_no_intervals_and_a_note() -> None:
    result = customize(made(size=5), rated(labels=LABELS[:5]), splits=2, confidence_level=0.95)
    assert result.ranking.intervals is None
    assert any("no intervals" in note for note in result.notes)


def test_intervals_rest_on_what_counts() -> None:
    result = customize(made(), rated(), splits=podium.Splitting([0.95]), split_weights=[0, 1], confidence_level=0.95)
    assert result.ranking.intervals is None
    assert any("as much as on 4.0 of equal weight" in note for note in result.notes)
    steep = rated(np.concatenate([[1e-6], np.linspace(0.5, 1, 59)]), hard="low")
    assert customize(made(), steep, split_weights="1/B", confidence_level=0.95).ranking.intervals is None


def test_many_tasks_are_customized_in_time_and_memory() -> None:
    """Leads of many tasks: ten thousand weightings, a few hundred at a time."""
    rng = np.random.default_rng(0)
    scores = podium.from_arrays({f"t{number}": rng.integers(0, 2, (20, 10)) for number in range(40)})
    hard = Difficulty(np.arange(10), (Measure("x", rng.random(10), "high"),))
    assert customize(scores, hard, splits=5).leads.sum() == pytest.approx(1)


def test_a_system_better_everywhere_leads_under_all_weights() -> None:
    values = np.vstack([np.ones(60), made().tasks[0].values[:2]])
    result = customize(labelled(values), rated())
    assert result.leads[0] == result.leads_rising[0] == 1
    assert result.leads.sum() == pytest.approx(1)


def test_continuous_weights_have_no_weightings_to_lead_under() -> None:
    result = customize(made(), rated(), split_weights="1/B")
    assert np.isnan(result.leads).all()
    assert result.rows()[0]["leads"] is None


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"measure": "bias"}, LabelError, "no measure of difficulty 'bias'"),
        ({"splits": [0.5, 0.7]}, MethodError, r"podium\.Splitting\(\[0\.5, 0\.7\]\)"),
        ({"splits": "kind"}, MethodError, r"podium\.Splitting\('kind'\)"),
        ({"splits": podium.Splitting("kind")}, LabelError, "no column 'kind'"),
        ({"split_weights": [1e308] * 7}, WeightError, "moderate size"),
        ({"splits": 50, "split_weights": [1, 2]}, WeightError, "2 weights for 50 splits"),
        ({"n_jobs": 0}, MethodError, "n_jobs is 0"),
        ({"confidence_level": 95}, MethodError, r"confidence_level \(--confidence\) is 95"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        customize(made(), rated(), **options)


def test_splittings_and_weightings_are_values() -> None:
    values = (
        podium.Splitting(3),
        podium.Splitting((0.2, 0.5), "quantiles", ties="order", level="one"),
        podium.Splitting("kind"),
        podium.Weighting("square", "1/B", -1),
        podium.Weighting([1, 2.5]),
    )
    for value in values:
        assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301  # our own
        assert eval(repr(value), vars(podium)) == value  # noqa: S307  # what it prints makes it again
    assert len(set(values)) == 5


def test_a_customizer_answers_any_level_and_way_with_ties() -> None:
    scores, ties = made(tasks=("a", "b")), rated(np.repeat([0.2, 0.4, 0.8], 20))
    customizer = podium.Customizer.of(scores, ties)
    for splitting in (
        podium.Splitting(2, ties=way, level=level) for way in ("share", "order") for level in ("one", "two")
    ):
        result = customize(scores, ties, splits=splitting)
        rows = [scores.systems.index(system) for system in result.systems]
        assert (100 * customizer.metric(splitting)[0][rows]).tolist() == result.ranking.score.tolist()


def test_random_splits_weigh_scores_of_any_scale() -> None:
    scores = podium.from_arrays({"bleu": [[30.0, 20.0], [25.0, 31.0]]}, instances=["x", "y"])
    weighed = podium.weigh(scores, rated([0.1, 0.2], labels=["x", "y"]), splits=podium.Splitting(2, "random"))
    assert weighed.tasks[0].instance_weights is not None
    assert sorted(weighed.tasks[0].instance_weights.tolist()) == [1, 2]


def test_powers_of_difficulty_are_refused_where_they_are_undefined() -> None:
    nought, negative = rated(np.linspace(0, 1, 60)), rated(np.linspace(-1, 1, 60))
    with pytest.raises(MethodError, match="hardness is 0 on 1 of 60 instances"):
        customize(made(), nought, split_weights="1/B")
    with pytest.raises(MethodError, match="below 0 on 30 of 60"):
        customize(made(), negative, split_weights=podium.Weighting(case="rewards-B"))
    assert customize(made(), nought, split_weights="B").ranking.score.size == 4


def test_scores_beyond_one_are_refused_with_their_place() -> None:
    scores = podium.from_arrays({"bleu": [[0.5, 35.2], [0.1, 0.2]]}, instances=["x", "y"])
    with pytest.raises(InputError, match=r"task 'bleu', instance 'y': a score is 35\.2"):
        customize(scores, rated([0.1, 0.2], labels=["x", "y"]), splits=1)


def test_difficulties_of_another_kind_are_refused() -> None:
    with pytest.raises(InputError, match="expected a Difficulty, not dict"):
        customize(made(), {})


def test_equal_confidences_are_said() -> None:
    scores = made()
    sure = np.tile(np.linspace(0.5, 0.6, 60), (4, 1))
    distinct = customize(scores, labelled(sure))
    assert not any("equal confidence" in note for note in distinct.notes)
    sure[1, :58], sure[2, :30] = 0.5, 0.5
    notes = customize(scores, labelled(sure)).notes
    first, second = scores.systems[1], scores.systems[2]
    assert f"splits share instances, because up to 58 have equal confidence: {first}, {second}" in notes


def test_confidences_without_some_scores_are_said() -> None:
    scores = made()
    sure = scores.tasks[0].values.copy() * 0.3 + np.linspace(0.5, 0.6, 60)
    sure[1, :4] = np.nan
    result = customize(scores, labelled(sure))
    assert "left out: 4 of 240 scores without a confidence" in result.notes
    assert result.values is None
    with pytest.raises(InputError, match="strict"):
        customize(scores, labelled(sure), strict=True)
    with pytest.raises(InputError, match="a confidence is 50"):
        customize(scores, labelled(100 * np.full_like(sure, 0.5)))
    sure[2] = np.nan
    for options in (
        {"confidence_level": None},
        {"splits": podium.Splitting(by="width"), "confidence_level": None},
        {"splits": podium.Splitting([0.55]), "confidence_level": 0.95, "n_resamples": 100},
    ):
        partly = customize(scores, labelled(sure), **options)
        assert partly.systems[-1] == "system 3"
        assert partly.rows()[-1]["rank"] is None
    assert any(
        note == "no score by split, because there are fewer confidences than splits: system 3"
        for note in customize(scores, labelled(sure)).notes
    )
    with pytest.raises(LabelError, match="confidences have no measure"):
        customize(scores, labelled(sure), measure="p")
    with pytest.raises(InputError, match="no score has a confidence"):
        customize(scores, podium.from_arrays({"p": sure}, instances=LABELS, systems=list("abcd")))


def test_weighed_instances_weigh_as_in_the_metric() -> None:
    """With penalty 0 the metric is the weighted mean."""
    scores, difficulty = made(), rated(np.repeat([0.2, 0.4, 0.8], 20))
    for weights in ("linear", "square", "B", "1/B", [3, 0, 1, 2, 5]):
        weighed = podium.weigh(scores, difficulty, splits=5, split_weights=weights)
        metric = customize(scores, difficulty, splits=5, split_weights=podium.Weighting(weights, penalty=0))
        np.testing.assert_allclose(
            100 * podium.rank(weighed, "mean", confidence_level=None).score, metric.ranking.score
        )


def test_weighing_leaves_out_what_is_not_rated_and_multiplies_weights() -> None:
    scores = made().with_instance_weights({"t": np.arange(1, 61)})
    weighed = podium.weigh(scores, rated(labels=LABELS[:50]), splits=podium.Splitting([0.5]), split_weights=[1, 10])
    assert weighed.tasks[0].instance_weights is not None
    assert weighed.tasks[0].instance_weights.tolist() == [*range(1, 23), *range(230, 510, 10)]
    assert any("10 instances without hardness" in note for note in weighed.notes)
    said = "instances weighted by hardness (high values are hard): weights 1, 10 over 2 splits (thresholds)"
    assert said in podium.rank(weighed, "mean", confidence_level=None).notes
    assert podium.rank(weighed, "kemeny", level="one", confidence_level=None).certificate is not None


def test_weighing_takes_scores_of_any_scale() -> None:
    scores = podium.from_arrays({"bleu": [[30.0, 20.0], [25.0, 31.0]]}, instances=["x", "y"])
    weighed = podium.weigh(scores, rated([0.1, 0.2], labels=["x", "y"]), splits=2)
    assert podium.rank(weighed, level="one", confidence_level=None).systems[0] == "system 2"
    with pytest.raises(InputError, match="confidences differ"):
        podium.weigh(scores, scores)  # type: ignore[arg-type]


@pytest.mark.parametrize("level", ["one", "two"])
def test_copies_inside_a_cluster_change_no_interval(level: Any) -> None:
    rng = np.random.default_rng(0)
    arrays = {task: (rng.random((3, 40)) < 0.6).astype(float) for task in ("t", "u")}
    hardness = np.linspace(0.1, 1, 40)
    found = []
    for times in (1, 3):
        labels = [f"i{place:02}-{copy}" for place in range(40) for copy in range(times)]
        scores = podium.from_arrays(
            {task: np.repeat(values, times, axis=1) for task, values in arrays.items()},
            instances=labels,
            clusters=[label.split("-")[0] for label in labels],
        )
        texts = np.array(labels, dtype=np.dtypes.StringDType())
        difficulty = Difficulty(texts, (Measure("hardness", np.repeat(hardness, times), "high"),))
        splitting = podium.Splitting(4, level=level)
        result = customize(scores, difficulty, splits=splitting, confidence_level=0.95, n_resamples=80)
        assert "40 clusters of instances count as one draw each" in result.notes
        found.append(result.ranking)
    once, often = (ranking.intervals for ranking in found)
    assert_allclose(found[1].score, found[0].score, rtol=1e-9)
    for field in ("std_error", "score_low", "score_high"):
        assert_allclose(getattr(often, field), getattr(once, field), rtol=1e-9)
    assert_array_equal(often.rank_high, once.rank_high)


def test_clusters_stay_with_their_instances_where_some_have_no_difficulty() -> None:
    values = np.ones((2, 4))
    scores = podium.from_arrays({"t": values}, instances=list("abcd"), clusters=["p", "q", "p", "r"])
    difficulty = Difficulty(np.array(["a", "c", "d"]), (Measure("hardness", np.array([0.1, 0.2, 0.3]), "high"),))
    weighed = podium.weigh(scores, difficulty, splits=1)
    assert weighed.tasks[0].clusters is not None
    assert weighed.tasks[0].clusters.labels == ("p", "p", "r")
