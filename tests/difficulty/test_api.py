"""Difficulty by label: what joins texts, embeddings and scores to the numbers, and what is said of it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.difficulty.api import bias, failures, irt, similarity
from podium.difficulty.bias import bias_across, bias_within
from podium.difficulty.result import Texts
from podium.difficulty.texts import encode, top_similarity
from podium.errors import InputError, MethodError


def reviews(count: int, seed: int, name: str) -> Texts:
    """Draw texts of which one word tells the answer, mostly."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(2, size=count)
    told = np.where(rng.random(count) < 0.15, 1 - gold, gold)
    filler = rng.choice(["film", "plot", "actor", "scene", "music", "ending"], size=(count, 4))
    texts = [" ".join([*words, ("bad", "good")[mood]]) for words, mood in zip(filler, told, strict=True)]
    labels = np.array([f"{name}{number}" for number in range(count)])
    return Texts(labels, tuple(texts), tuple(("neg", "pos")[answer] for answer in gold), name=f"{name}.csv")


TEST, TRAIN = reviews(60, 0, "test"), reviews(80, 1, "train")


def vectors(texts: Texts, dimensions: int = 5) -> Texts:
    rng = np.random.default_rng(len(texts))
    return replace(texts, texts=None, embeddings=rng.normal(size=(len(texts), dimensions)))


def test_without_a_training_set_bias_is_of_algorithm_1() -> None:
    rated = bias(TEST, rounds=3, rng=4, n_jobs=1)
    expected = bias_within(encode(TEST.texts or ()).test, TEST.gold, rounds=3, seed=4, jobs=1)
    assert rated.instances.tolist() == TEST.instances.tolist()
    assert rated.measure("bias").hard == "low"
    np.testing.assert_array_equal(rated.measure().values, expected.bias)
    assert rated.extras[0][0] == "evaluated"
    np.testing.assert_array_equal(rated.extras[0][1], expected.evaluated)
    assert rated.notes[0].startswith("texts encoded by TF-IDF")
    assert rated.notes[1].startswith("bias: share of 6 linear models, trained on 30 of 60 instances each")


@pytest.mark.parametrize("probabilities", [False, True])
def test_with_a_training_set_bias_is_of_algorithm_2(probabilities: bool) -> None:
    rated = bias(TEST, TRAIN, probabilities=probabilities, n_jobs=1)
    encoded = encode(TEST.texts or (), train=TRAIN.texts)
    expected = bias_across(encoded.train, TRAIN.gold, encoded.test, TEST.gold, probabilities=probabilities, jobs=1).bias
    np.testing.assert_array_equal(rated.measure().values, expected)
    assert rated.extras == ()
    assert "four classifiers, trained on 80 instances of train.csv" in rated.notes[-1]
    assert ("probability" in rated.notes[-1]) is probabilities


def test_the_algorithm_can_be_named() -> None:
    within = bias(TEST, TRAIN, algorithm=1, rounds=2, n_jobs=1)
    np.testing.assert_array_equal(within.measure().values, bias(TEST, rounds=2, n_jobs=1).measure().values)


def test_embeddings_that_come_with_texts_are_taken() -> None:
    given = replace(TEST, embeddings=vectors(TEST).embeddings)
    rated = bias(given, rounds=2, n_jobs=1)
    assert given.embeddings is not None
    expected = bias_within(given.embeddings, TEST.gold, rounds=2, jobs=1).bias
    np.testing.assert_array_equal(rated.measure().values, expected)
    assert rated.notes[0] == "embeddings as given, of 5 dimensions"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"fine_tune": True, "encoder": "hf:no/such"}, "fine-tuning is for texts, and test.csv comes with embeddings"),
        ({"encoder": "tfidf"}, "encoder 'tfidf' is for texts, and test.csv comes with embeddings"),
    ],
)
def test_nothing_said_of_encoders_is_ignored_beside_embeddings(options: dict[str, Any], said: str) -> None:
    given = replace(TEST, embeddings=vectors(TEST).embeddings)
    with pytest.raises(MethodError, match=said):
        bias(given, **options)


@pytest.mark.parametrize("half", ["test", "train"])
def test_embeddings_of_one_set_are_not_thrown_away(half: str) -> None:
    sets = {"test": TEST, "train": TRAIN}
    sets[half] = replace(sets[half], embeddings=vectors(sets[half]).embeddings)
    for rate in (bias, similarity):
        with pytest.raises(InputError, match=rf"{half}.csv comes with embeddings and (test|train).csv without"):
            rate(sets["test"], sets["train"])


def test_instances_never_held_out_and_answers_never_seen_are_said() -> None:
    few = bias(TEST, rounds=1, size=40, n_jobs=1)
    held = few.extras[0][1] > 0
    assert held.sum() == 20
    assert np.isnan(few.measure().values).tolist() == (~held).tolist()
    assert few.notes[-1] == "no bias for 40 instances that no round held out; use more rounds"
    other = replace(TEST, gold=("neither", *(TEST.gold or ())[1:]))
    over = bias(other, TRAIN, n_jobs=1)
    assert over.measure().values[0] == 0
    assert over.notes[-1] == "bias 0 for 1 instance with a right answer that the training set does not have"


def test_notes_of_the_sets_are_kept() -> None:
    noted = replace(TEST, notes=("two rows left out",))
    assert bias(noted, rounds=1, n_jobs=1).notes[0] == "two rows left out"
    assert similarity(TRAIN, noted).notes[0] == "two rows left out"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"algorithm": 3}, "there is no algorithm 3"),
        ({"algorithm": 2}, "algorithm 2 learns from a training set"),
        ({"probabilities": True}, "probabilities are for algorithm 2"),
        ({"train": TRAIN, "size": 10}, "only algorithm 1, within the test set, takes size"),
        ({"train": TRAIN, "rounds": 64}, "only algorithm 1, within the test set, takes rounds"),
        ({"fine_tune": True}, "encoder 'tfidf' cannot be fine-tuned"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(MethodError, match=said):
        bias(TEST, **options)


def test_sets_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match=r"test.csv: bias needs right answers"):
        bias(replace(TEST, gold=None))
    with pytest.raises(InputError, match=r"train.csv: bias needs right answers"):
        bias(TEST, replace(TRAIN, gold=None))
    with pytest.raises(InputError, match=r"train.csv comes with embeddings and test.csv without; give both"):
        bias(TEST, vectors(TRAIN))
    with pytest.raises(InputError, match="dimension"):
        bias(vectors(TEST), vectors(TRAIN, 6))
    with pytest.raises(InputError, match="dimension"):
        similarity(vectors(TEST), vectors(TRAIN, 6))
    wrong: Any = "test.csv"
    with pytest.raises(InputError, match="test: expected Texts, not str"):
        bias(wrong)


def test_similarity_is_that_of_the_embeddings() -> None:
    rated = similarity(TEST, TRAIN, top_percent=(1, 12.5, 1))
    assert [(measure.name, measure.hard) for measure in rated.measures] == [
        ("similarity_1", "low"),
        ("similarity_12.5", "low"),
    ]
    encoded = encode(TEST.texts or (), train=TRAIN.texts)
    assert encoded.train is not None
    expected = top_similarity(encoded.train, encoded.test, (1, 12.5))
    np.testing.assert_array_equal([measure.values for measure in rated.measures], expected)
    assert rated.notes[-1] == "similarity: mean cosine to the nearest 1 / 12.5 % of 80 instances of train.csv"


def test_percentages_that_would_be_called_alike_are_refused() -> None:
    with pytest.raises(
        MethodError, match=r"top_percent names 25.0000001 and 25, and .* be called similarity_25; leave one"
    ):
        similarity(TEST, TRAIN, top_percent=(25.0000001, 25))


def test_texts_without_words_have_no_similarity_and_lend_none() -> None:
    test = replace(TEST, texts=("?!", *(TEST.texts or ())[1:]))
    train = replace(TRAIN, texts=("...", *(TRAIN.texts or ())[1:]))
    values = similarity(test, train).measure().values
    assert np.isnan(values[0])
    assert np.isfinite(values[1:]).all()
    notes = similarity(test, train).notes
    assert "train.csv: left out 1 instance without a word or with an embedding of zeros" in notes
    assert "test.csv: left out 1 instance without a word or with an embedding of zeros" in notes
    with pytest.raises(InputError, match=r"all embeddings of test.csv are zeros"):
        similarity(replace(TEST, texts=("!",) * 60), TRAIN)


shares = st.one_of(st.just(np.nan), st.floats(0, 1))


@given(st.lists(st.lists(shares, min_size=3, max_size=3), min_size=2, max_size=5), st.booleans())
def test_failures_are_one_minus_the_mean_of_the_scores_there_are(rows: list[list[float]], lower: bool) -> None:
    scores = podium.from_arrays({"t": np.array(rows)}, lower=["t"] if lower else ())
    values = failures(scores).measure().values
    for column, value in zip(np.array(rows).T, values, strict=True):
        there = [score if lower else 1 - score for score in column.tolist() if score == score]  # noqa: PLR0124  # NaN
        assert (np.isnan(value) and not there) or value == pytest.approx(np.mean(there), abs=1e-12)


def test_failures_have_the_labels_of_tasks_and_instances() -> None:
    tables = {"u": np.array([[1, 0], [1, np.nan]]), "t": np.array([[0, 0.5], [0, 0.5]])}
    scores = podium.from_arrays(tables, instances={"u": [7, 3]}, systems=["A", "B"])
    rated = failures(scores)
    assert rated.rows() == [
        {"task": "u", "instance": 3, "failures": 1.0},
        {"task": "u", "instance": 7, "failures": 0.0},
        {"task": "t", "instance": 0, "failures": 1.0},
        {"task": "t", "instance": 1, "failures": 0.5},
    ]
    assert rated.measure().hard == "high"
    assert rated.notes[-1].startswith("failures of 2 systems; ")


def test_labels_of_all_tasks_are_text_if_those_of_one_are() -> None:
    tables = {"u": np.array([[1, 0], [1, 0]]), "t": np.array([[0, 1], [0, 1]])}
    scores = podium.from_arrays(tables, instances={"u": ["x", "y"]})
    assert [row["instance"] for row in failures(scores).rows()] == ["x", "y", "0", "1"]


def test_large_tasks_are_taken_part_by_part() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(2, size=(3, 40_000)).astype(np.float32)
    np.testing.assert_allclose(failures(podium.from_arrays({"t": values})).measure().values, 1 - values.mean(axis=0))


@pytest.mark.parametrize("rate", [failures, irt])
def test_scores_that_say_nothing_of_instances_are_refused(rate: Any) -> None:
    with pytest.raises(MethodError, match="scores are of whole tasks"):
        rate(podium.datasets.toy_table1())
    with pytest.raises(MethodError, match=r"task 't', system 'B': a score of 27.5 does not lie between 0"):
        rate(podium.from_arrays({"t": np.array([[0, 1], [1, 27.5]])}, systems=["A", "B"]))
    with pytest.raises(InputError, match="expected a path"):
        rate(None)


def answers(seed: int, systems: int = 40, instances: int = 30) -> Any:
    rng = np.random.default_rng(seed)
    ability, difficulty = rng.normal(size=(systems, 1)), rng.normal(size=instances)
    return (rng.logistic(size=(systems, instances)) < 1.5 * (ability - difficulty)).astype(float), difficulty


def test_item_response_finds_what_is_hard_in_either_direction() -> None:
    table, difficulty = answers(0)
    rated = irt(podium.from_arrays({"t": table}))
    assert np.corrcoef(rated.measure("irt").values, difficulty)[0, 1] > 0.9
    assert rated.measure().hard == "high"
    turned = irt(podium.from_arrays({"t": 1 - table}, lower=["t"]))
    np.testing.assert_allclose(turned.measure().values, rated.measure().values)
    assert any(note.startswith("40 systems are few") for note in rated.notes)


def test_suspects_are_listed_and_what_has_no_estimate_says_so() -> None:
    table, _ = answers(3, systems=60, instances=300)
    table[:, 7] = 1 - table[:, 7]
    table[:, 8], table[:, 9] = 1.0, 0.0
    rated = irt(podium.from_arrays({"t": table}), suspects=True)
    rows = rated.rows()
    assert [row["instance"] for row in rows if row["suspects"]] == [7]
    assert rows[7]["slope"] < 0 < rows[7]["discrimination"]
    assert [rows[k]["estimate"] for k in (7, 8, 9)] == ["yes", "all solve it", "none solves it"]
    assert rows[8]["irt"] == min(row["irt"] for row in rows)
    assert rows[9]["irt"] == max(row["irt"] for row in rows)
    for name in ("std_error", "discrimination", "discrimination_std_error", "information", "misfit", "suspect"):
        assert rows[8][name] is rows[9][name] is None
        assert rows[7][name] is not None
    assert rated.notes[0].startswith("suspects: better systems do worse; check their labels. Of 1 about 0.")
    assert "no estimate for 1 instance: all solve it; b only puts it at the easy end" in rated.notes
    assert rated.view().tables[-1].rows[0][:2] == ("t", "7")
    assert rated.to_frame("pandas")["suspects"].sum() == 1
    assert max(map(len, rated.notes)) <= 140


def test_suspects_among_the_reviews_are_few(shared: Path) -> None:
    folder = shared / "data" / "difficulty"
    scores = podium.read(folder / "sst2_predictions.parquet", gold=folder / "sst2_samples.parquet")
    rated = irt(scores, suspects=True)
    likely = {row["instance"]: row["suspect"] for row in rated.rows() if (row["suspect"] or 0) > 0.5}
    assert (len(rated), len(likely)) == (872, 14)
    first = sorted(likely, key=lambda instance: -likely[instance])[:3]
    assert set(first) == {547, 707, 526}
    assert {f"{likely[instance]:.0%}" for instance in first} == {"89%", "90%"}
    assert f"{likely[519]:.0%}" == "73%"  # this label is wrong; those of the first three are right
    assert [row["instance"] for row in rated.rows() if row["suspects"]] == sorted(first)


def test_tasks_have_a_scale_each_or_one_together() -> None:
    (one, _), (two, _) = answers(1), answers(2)
    scores = podium.from_arrays({"a": one, "b": two})
    apart = irt(scores)
    alone = irt(podium.from_arrays({"b": two}))
    np.testing.assert_allclose(apart.measure().values[30:], alone.measure().values)
    assert any("its own scale; irt(scores, together=True), or `podium" in note for note in apart.notes)
    joint = irt(scores, together=True)
    whole = irt(podium.from_arrays({"t": np.hstack([one, two])}))
    np.testing.assert_allclose(joint.measure().values, whole.measure().values)
    assert dict(joint.extras)["discrimination"].shape == (60,)


@pytest.mark.parametrize(("old", "new"), podium._RENAMED.items())
def test_old_names_work_with_a_warning(old: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"podium.{old} is now podium.{new}"):
        assert getattr(podium, old) is getattr(podium, new)
