"""Spurious bias, within a test set and across sets: what a plain loop counts, and what does not matter."""

import importlib.util
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC

from podium.difficulty.bias import CLASSIFIERS, WithinBias, bias_across, bias_within, usual_size
from podium.errors import InputError, MethodError, MissingExtraError
from support.examples import examples


def world(instances: int, classes: int = 2, seed: int = 0) -> tuple[Any, Any]:
    """Overlapping clouds, one per class, so that some instances are answered rightly and some not."""
    rng = np.random.default_rng(seed)
    gold = np.arange(instances) % classes
    return rng.normal(size=(classes, 4))[gold] + rng.normal(size=(instances, 4)), gold


def same(first: WithinBias, second: WithinBias) -> None:
    np.testing.assert_array_equal(first.correct, second.correct)
    np.testing.assert_array_equal(first.evaluated, second.evaluated)
    np.testing.assert_array_equal(first.bias, second.bias)
    assert (first.unconverged, first.rounds, first.size) == (second.unconverged, second.rounds, second.size)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_plain_loop_counts_the_same(classes: int) -> None:
    embeddings, gold = world(36, classes)
    found = bias_within(embeddings, gold, rounds=12, size=12, seed=5, jobs=1)
    correct, evaluated = [0] * 36, [0] * 36
    for number in range(12):
        rng = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(number,)))
        train = sorted(rng.choice(36, 12, replace=False).tolist())
        centre = sum(embeddings[k] for k in train) / 12
        unit = (sum(((embeddings[k] - centre) ** 2).sum() for k in train) / 12) ** 0.5
        learnt = [(embeddings[k] - centre) / unit for k in train]
        # the dual problem has the same solution, found by another solver
        for model in (LogisticRegression(tol=1e-8), LinearSVC(dual=True, tol=1e-8, max_iter=10**6, random_state=0)):
            model.fit(learnt, gold[train])
            for k in set(range(36)) - set(train):
                evaluated[k] += 1
                correct[k] += int(model.predict([(embeddings[k] - centre) / unit])[0] == gold[k])
    assert found.correct.tolist() == correct
    assert found.evaluated.tolist() == evaluated
    assert 0 < sum(correct) < sum(evaluated)


@examples(0.5)
@given(st.integers(4, 30), st.integers(2, 4), st.integers(1, 4), st.integers(-3, 2**70), st.data())
def test_counts_add_up(instances: int, classes: int, rounds: int, seed: int, data: st.DataObject) -> None:
    embeddings, gold = world(instances, classes)
    size = data.draw(st.integers(2, instances - 1))
    found = bias_within(embeddings, gold, rounds=rounds, size=size, seed=seed, jobs=1)
    assert found.evaluated.sum() == 2 * rounds * (instances - size)
    assert (found.evaluated % 2 == 0).all()
    assert ((found.correct >= 0) & (found.correct <= found.evaluated)).all()
    np.testing.assert_array_equal(np.isnan(found.bias), found.evaluated == 0)
    held = found.evaluated > 0
    np.testing.assert_array_equal(found.bias[held], found.correct[held] / found.evaluated[held])


def test_the_number_of_processes_does_not_matter() -> None:
    embeddings, gold = world(120)
    alone = bias_within(embeddings, gold, rounds=7, jobs=1)
    same(alone, bias_within(embeddings, gold, rounds=7, jobs=2))
    assert alone.rounds == 7


def test_a_round_depends_on_its_number_and_the_seed_alone() -> None:
    embeddings, gold = world(30)
    few, more = (bias_within(embeddings, gold, rounds=rounds, jobs=1) for rounds in (3, 5))
    assert ((more.evaluated - few.evaluated) >= 0).all()
    assert (more.evaluated - few.evaluated).max() <= 4
    other = bias_within(embeddings, gold, rounds=3, seed=1, jobs=1)
    assert (other.evaluated != few.evaluated).any()


@examples(0.3)
@given(st.sampled_from([2.0**-30, 0.5, 2.0**40]), st.sampled_from([str, lambda code: 10 * code - 3.5]))
def test_neither_unit_nor_names_matter(factor: float, name: Any) -> None:
    embeddings, gold = world(24, 3)
    plain = bias_within(embeddings, gold, rounds=3, jobs=1)
    same(plain, bias_within(factor * embeddings, [name(code) for code in gold.tolist()], rounds=3, jobs=1))


def test_nor_do_place_and_turn() -> None:
    embeddings, gold = world(30)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    plain = bias_within(embeddings, gold, rounds=8, jobs=1)
    same(plain, bias_within(embeddings @ turn + 17.0, gold, rounds=8, jobs=1))


def test_instances_in_another_order_keep_their_bias_but_for_the_draws() -> None:
    embeddings, gold = world(40)
    order = np.random.default_rng(3).permutation(40)
    first = bias_within(embeddings, gold, rounds=80, jobs=1).bias
    second = bias_within(embeddings[order], gold[order], rounds=80, jobs=1).bias
    # shares of some 80 predictions, two of which go together: about 0.1 apart by chance
    assert np.abs(first[order] - second).max() < 0.4
    assert np.corrcoef(first[order], second)[0, 1] > 0.95


def test_a_spurious_token_makes_instances_easy() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(2, size=200)
    embeddings = rng.normal(size=(200, 10))  # which tells nothing
    token = np.arange(200) < 100
    embeddings[token, 0] += 4.0 * (2 * gold[token] - 1)
    bias = bias_within(embeddings, gold, rounds=20, jobs=1).bias
    assert bias[token].mean() > 0.85
    # what tells nothing is guessed, and so is right half of the time
    assert abs(bias[~token].mean() - 0.5) < 0.12


def test_training_sets_of_one_class_are_drawn_again() -> None:
    embeddings, _ = world(40)
    gold = np.array(["rare", *["common"] * 39])
    found = bias_within(embeddings, gold, rounds=10, size=2, jobs=1)
    assert found.evaluated[0] == 0  # a training set has two classes only with this one in it
    assert np.isnan(found.bias[0])
    assert found.evaluated[1:].sum() == 2 * 10 * 38


def test_what_can_hardly_be_drawn_is_refused() -> None:
    gold = np.zeros(200_000, dtype=int)
    gold[7] = 1
    with pytest.raises(MethodError, match="1000 training sets of 2 instances had one class each"):
        bias_within(np.zeros((200_000, 1)), gold, rounds=1, size=2, jobs=1)


def test_a_class_that_was_not_trained_on_is_wrong() -> None:
    embeddings, gold = world(40)
    gold = np.where(np.arange(40) == 0, 2, gold)
    found = bias_within(embeddings, gold, rounds=6, jobs=1)
    assert found.evaluated[0] > 0
    assert found.bias[0] == 0.0


def test_fits_that_stop_early_are_counted_and_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.difficulty.bias._STEPS", 1)
    embeddings, gold = world(40)
    assert bias_within(embeddings, gold, rounds=3, jobs=1).unconverged == 6
    monkeypatch.undo()
    assert bias_within(embeddings, gold, rounds=3, jobs=1).unconverged == 0


def test_progress_is_told_after_each_round() -> None:
    told: list[tuple[int, int | None]] = []
    embeddings, gold = world(20)
    bias_within(embeddings, gold, rounds=3, jobs=1, progress=lambda *now: told.append(now))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_the_usual_size_can_always_be_used() -> None:
    sizes = [usual_size(instances) for instances in range(4, 2000)]
    assert sizes[0] == 2
    assert sizes == sorted(sizes)
    assert all(2 <= size < instances for instances, size in enumerate(sizes, 4))
    assert bias_within(*world(4), rounds=1, jobs=1).size == 2


@pytest.mark.parametrize(
    ("embeddings", "gold", "says"),
    [
        ([[1.0], [2.0], [np.inf], [3.0]], [0, 1, 0, 1], "embeddings: row 2 .* not finite"),
        ([[1.0], [2.0], [3.0], [1e200]], [0, 1, 0, 1], r"embeddings: row 3 .* beyond 1e\+100"),
        ([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1], r"expected numbers of shape \(instances, dimensions\), not float64 of sh"),
        ([["a"], ["b"], ["c"], ["d"]], [0, 1, 0, 1], "expected numbers"),
        ([[1.0], [2.0, 3.0]], [0, 1], "embeddings: rows differ in length"),
        (np.ones((4, 0)), [0, 1, 0, 1], "expected numbers"),
        (np.ones((4, 2)), [0, 0, 0, 0], "gold: every right answer is 0"),
        (np.ones((4, 2)), [0, 1, 0], "embeddings: 4 rows for 3 right answers of gold"),
        (np.ones((4, 2)), [0, 1, None, 1], "gold: row 2 .* has no right answer"),
        (np.ones((4, 2)), [0, 1, np.nan, 1], "gold: row 2 .* has no right answer"),
        (np.ones((4, 2)), [[0], [1], [0], [1]], r"gold: expected one right answer per instance, not an array of shape"),
        (np.ones((3, 2)), [0, 1, 0], "3 rows are too few"),
    ],
)
def test_bad_input_is_refused(embeddings: Any, gold: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        bias_within(embeddings, gold, jobs=1)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rounds": 0}, "rounds is 0; it must be a whole number, at least 1"),
        ({"rounds": 2.5}, "rounds is 2.5"),
        ({"size": 1}, "size is 1; it must be a whole number, at least 2"),
        ({"size": 0.1}, "size is 0.1"),
        ({"size": 20}, "size is 20 of 20 instances; it must leave one"),
        ({"jobs": 0}, "n_jobs is 0"),
    ],
)
def test_bad_options_are_refused(options: Any, says: str) -> None:
    with pytest.raises(MethodError, match=says):
        bias_within(*world(20), **options)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "sklearn" else find(name))
    with pytest.raises(MissingExtraError, match=r"spurious bias needs scikit-learn: pip install"):
        bias_within(*world(20))


Sets = tuple[Any, Any, Any, Any]


def sets_of(classes: int = 2, seed: int = 0) -> Sets:
    """A training set of 60 and a test set of 40 from the same overlapping clouds, one per class."""
    rng = np.random.default_rng(seed)
    gold = np.arange(100) % classes
    embeddings = 1.3 * rng.normal(size=(classes, 4))[gold] + rng.normal(size=(100, 4))
    return embeddings[:60], gold[:60], embeddings[60:], gold[60:]


def plain(train: Any, test: Any) -> tuple[Any, Any]:
    """Both sets on the scale that the documentation promises."""
    centre = train.mean(axis=0)
    unit = np.mean([((row - centre) ** 2).sum() for row in train]) ** 0.5
    return (train - centre) / unit, (test - centre) / unit


def models() -> list[Any]:
    return [
        LogisticRegression(tol=1e-10),
        LinearSVC(dual=True, tol=1e-10, max_iter=10**6, random_state=0),
        SVC(kernel="rbf"),
        GaussianNB(),
    ]


@pytest.mark.parametrize("classes", [2, 3])
def test_a_plain_loop_over_classifiers_counts_the_same(classes: int) -> None:
    train, gold, test, asked = sets_of(classes)
    found = bias_across(train, gold, test, asked, jobs=1)
    known, unknown = plain(train, test)
    hits = np.array([model.fit(known, gold).predict(unknown) == asked for model in models()])
    np.testing.assert_array_equal(found.by_classifier, hits)
    assert found.bias.tolist() == [column.count(True) / 4 for column in hits.T.tolist()]
    assert set(found.bias) <= {0.0, 0.25, 0.5, 0.75, 1.0}
    assert len(set(found.bias)) > 2
    assert (found.unseen, found.unconverged) == (0, 0)
    assert len(CLASSIFIERS) == 4


def test_probabilities_are_those_of_platt() -> None:
    train, gold, test, asked = sets_of()
    found = bias_across(train, gold, test, asked, probabilities=True, seed=3, jobs=1)
    known, unknown = plain(train, test)
    given_to_right = []
    for model in models():
        values = np.empty(60)
        for learn, hold in StratifiedKFold(5, shuffle=True, random_state=3).split(known, gold):
            values[hold] = value(model.fit(known[learn], gold[learn]), known[hold])
        slope, shift = platt(values, gold)
        chance = expit(slope * value(model.fit(known, gold), unknown) + shift)
        given_to_right.append(np.where(asked == 1, chance, 1 - chance))
    # both minimize to a gradient of about 1e-6
    np.testing.assert_allclose(found.bias, np.mean(given_to_right, axis=0), atol=2e-4)
    assert len(set(found.bias)) == 40
    rough = bias_across(train, gold, test, asked, jobs=1)
    np.testing.assert_array_equal(found.by_classifier, rough.by_classifier)


def value(model: Any, rows: Any) -> Any:
    return model.decision_function(rows) if hasattr(model, "decision_function") else model.predict_proba(rows)[:, 1]


def platt(values: Any, gold: Any) -> Any:
    """Platt 1999: the likelihood of targets drawn in a little from 0 and 1."""
    positive, negative = (gold == 1).sum(), (gold == 0).sum()
    target = np.where(gold == 1, (positive + 1) / (positive + 2), 1 / (negative + 2))

    def loss(line: Any) -> float:
        logits = line[0] * values + line[1]
        return float(-(target * log_expit(logits) + (1 - target) * log_expit(-logits)).sum())

    return minimize(loss, [1.0, 0.0], options={"gtol": 1e-6}).x


@pytest.mark.parametrize("probabilities", [False, True])
def test_the_number_of_processes_does_not_matter_across(probabilities: bool) -> None:  # a parameter of pytest
    alone, both = (bias_across(*sets_of(3), probabilities=probabilities, jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(alone.bias, both.bias)
    np.testing.assert_array_equal(alone.by_classifier, both.by_classifier)


@examples(0.3)
@given(st.randoms(use_true_random=False), st.booleans())
def test_order_does_not_matter(random: Any, probabilities: bool) -> None:  # a parameter of Hypothesis
    train, gold, test, asked = sets_of(seed=4)
    rows, places = list(range(60)), list(range(40))
    random.shuffle(places)
    found = bias_across(train, gold, test, asked, probabilities=probabilities, jobs=1)
    if not probabilities:  # which rest on folds, and these on the order of the training set
        random.shuffle(rows)
    moved = bias_across(train[rows], gold[rows], test[places], asked[places], probabilities=probabilities, jobs=1)
    np.testing.assert_allclose(found.bias[places], moved.bias, rtol=1e-9)
    np.testing.assert_array_equal(found.by_classifier[:, places], moved.by_classifier)


def test_the_seed_draws_the_folds() -> None:
    first, second, other = (bias_across(*sets_of(), probabilities=True, seed=seed, jobs=1).bias for seed in (0, 0, -1))
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()
    np.testing.assert_allclose(first, other, atol=0.1)


@pytest.mark.parametrize("probabilities", [False, True])
def test_answers_never_seen_in_training_are_wrong_and_counted(probabilities: bool) -> None:  # pytest
    train, gold, test, asked = sets_of()
    names = np.array(["bad", "good"])
    new = names[asked].astype("<U9")
    new[:3] = ["aardvark", "neutral", "zebra"]
    found = bias_across(train, names[gold], test, new, probabilities=probabilities, jobs=1)
    assert found.unseen == 3
    assert found.bias[:3].tolist() == [0.0, 0.0, 0.0]
    assert not found.by_classifier[:, :3].any()
    rest = bias_across(train, gold, test, asked, probabilities=probabilities, jobs=1)
    np.testing.assert_array_equal(found.bias[3:], rest.bias[3:])


def test_a_token_learnt_in_training_makes_instances_easy() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(2, size=300)
    embeddings = rng.normal(size=(300, 6))
    token = np.arange(300) % 2 == 0
    embeddings[token, 0] += 4.0 * (2 * gold[token] - 1)
    for probabilities in (False, True):
        sets = (embeddings[:150], gold[:150], embeddings[150:], gold[150:])
        bias = bias_across(*sets, probabilities=probabilities, jobs=1).bias
        assert bias[token[150:]].mean() > 0.85
        assert abs(bias[~token[150:]].mean() - 0.5) < 0.12


def test_fits_that_stop_early_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.difficulty.bias._STEPS", 1)
    assert bias_across(*sets_of(), jobs=1).unconverged == 2
    assert bias_across(*sets_of(), probabilities=True, jobs=1).unconverged == 12  # five folds, and all


def test_progress_is_told_after_each_classifier() -> None:
    told: list[tuple[int, int | None]] = []
    bias_across(*sets_of(), jobs=1, progress=lambda *now: told.append(now))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


TWO = ([[0.0], [1.0]], ["a", "b"])


@pytest.mark.parametrize(
    ("sets", "says"),
    [
        (([[0.0], [np.nan]], ["a", "b"], *TWO), "train: row 1 .* not finite"),
        ((*TWO, [[0.0], [np.nan]], ["a", "b"]), "test: row 1 .* not finite"),
        (([[0.0], [1.0]], ["a", "a"], *TWO), "train_gold: every right answer is 'a'"),
        ((*TWO, [[0.0], [1.0]], ["a"]), "test: 2 rows for 1 right answer of test_gold"),
        ((*TWO, [[0.0, 1.0]], ["a"]), "train has 1 dimension and test 2"),
        (([[1.0], [1.0]], ["a", "b"], *TWO), "train: all embeddings are the same"),
        ((*TWO, [[0.0]], ["A"]), "no right answer of the test set, as 'A', is one of the training set, as 'a'"),
    ],
)
def test_bad_sets_are_refused(sets: Sets, says: str) -> None:
    with pytest.raises(InputError, match=says):
        bias_across(*sets, jobs=1)


def test_a_lone_class_cannot_be_calibrated() -> None:
    train, gold, test, asked = sets_of()
    gold = np.where(np.arange(60) == 5, 7, gold)
    with pytest.raises(InputError, match="train_gold: '7' is the right answer of a single instance"):
        bias_across(train, gold, test, asked, probabilities=True, jobs=1)
    assert bias_across(train, gold, test, asked, jobs=1).bias.size == 40


def test_bad_options_across_are_refused() -> None:
    with pytest.raises(MethodError, match="n_jobs is -1; it must be a whole number"):
        bias_across(*sets_of(), jobs=-1)
