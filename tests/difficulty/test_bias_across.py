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

from podium.difficulty.bias import CLASSIFIERS, bias_across
from podium.errors import InputError, MethodError
from support.examples import examples

Sets = tuple[Any, Any, Any, Any]


def world(classes: int = 2, seed: int = 0) -> Sets:
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
def test_a_plain_loop_counts_the_same(classes: int) -> None:
    train, gold, test, asked = world(classes)
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
    train, gold, test, asked = world()
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
def test_the_number_of_processes_does_not_matter(probabilities: bool) -> None:  # a parameter of pytest
    alone, both = (bias_across(*world(3), probabilities=probabilities, jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(alone.bias, both.bias)
    np.testing.assert_array_equal(alone.by_classifier, both.by_classifier)


@examples(0.3)
@given(st.randoms(use_true_random=False), st.booleans())
def test_order_does_not_matter(random: Any, probabilities: bool) -> None:  # a parameter of Hypothesis
    train, gold, test, asked = world(seed=4)
    rows, places = list(range(60)), list(range(40))
    random.shuffle(places)
    found = bias_across(train, gold, test, asked, probabilities=probabilities, jobs=1)
    if not probabilities:  # which rest on folds, and these on the order of the training set
        random.shuffle(rows)
    moved = bias_across(train[rows], gold[rows], test[places], asked[places], probabilities=probabilities, jobs=1)
    np.testing.assert_allclose(found.bias[places], moved.bias, rtol=1e-9)
    np.testing.assert_array_equal(found.by_classifier[:, places], moved.by_classifier)


def test_the_seed_draws_the_folds() -> None:
    first, second, other = (bias_across(*world(), probabilities=True, seed=seed, jobs=1).bias for seed in (0, 0, -1))
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()
    np.testing.assert_allclose(first, other, atol=0.1)


@pytest.mark.parametrize("probabilities", [False, True])
def test_answers_never_seen_in_training_are_wrong_and_counted(probabilities: bool) -> None:  # pytest
    train, gold, test, asked = world()
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
    assert bias_across(*world(), jobs=1).unconverged == 2
    assert bias_across(*world(), probabilities=True, jobs=1).unconverged == 12  # five folds, and all


def test_progress_is_told_after_each_classifier() -> None:
    told: list[tuple[int, int | None]] = []
    bias_across(*world(), jobs=1, progress=lambda *now: told.append(now))
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
def test_bad_input_is_refused(sets: Sets, says: str) -> None:
    with pytest.raises(InputError, match=says):
        bias_across(*sets, jobs=1)


def test_a_lone_class_cannot_be_calibrated() -> None:
    train, gold, test, asked = world()
    gold = np.where(np.arange(60) == 5, 7, gold)
    with pytest.raises(InputError, match="train_gold: '7' is the right answer of a single instance"):
        bias_across(train, gold, test, asked, probabilities=True, jobs=1)
    assert bias_across(train, gold, test, asked, jobs=1).bias.size == 40


def test_bad_options_are_refused() -> None:
    with pytest.raises(MethodError, match="n_jobs is -1; it must be a whole number"):
        bias_across(*world(), jobs=-1)
