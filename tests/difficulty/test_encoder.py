"""TF-IDF, names of encoders, batches, and the share to fine-tune on: what needs no PyTorch."""

import math
from collections import Counter
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from podium.difficulty.model import batches, distinct, stratified_share
from podium.difficulty.texts import encode, settle
from podium.errors import InputError, MethodError

WORDS = ["film", "good", "bad", "not", "a", "7"]


def many(count: int, seed: int = 0) -> list[str]:
    """Draw texts with far more than 300 terms."""
    rng = np.random.default_rng(seed)
    return [" ".join(f"w{word}" for word in rng.zipf(1.4, size=12) % 5000) for _ in range(count)]


def by_hand(texts: list[str]) -> list[dict[str, float]]:
    """Weigh terms by the formula, text by text."""
    counts = []
    for text in texts:
        words = text.split()
        counts.append(Counter(chain(words, map(" ".join, pairwise(words)))))
    distinct_texts = set(texts)
    documents = Counter(term for text in distinct_texts for term in counts[texts.index(text)])
    size = len(distinct_texts)
    weighed = [
        {t: (1 + math.log(n)) * (1 + math.log((1 + size) / (1 + documents[t]))) for t, n in count.items()}
        for count in counts
    ]
    lengths = [math.sqrt(sum(value**2 for value in weights.values())) for weights in weighed]
    return [{t: w / length for t, w in weights.items()} for weights, length in zip(weighed, lengths, strict=True)]


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=8))
def test_few_terms_are_weighed_as_the_formula_says(texts: list[str]) -> None:
    matrix = encode(texts).test
    expected = by_hand(texts)
    terms = sorted({term for weights in expected for term in weights})
    dense = np.array([[weights.get(term, 0.0) for term in terms] for weights in expected])
    np.testing.assert_allclose(matrix, dense, atol=1e-6)  # float32


def test_many_terms_are_reduced_as_by_the_exact_decomposition() -> None:
    texts = many(400)
    matrix = encode(texts).test
    assert matrix.shape == (400, 300)
    np.testing.assert_allclose(np.linalg.norm(matrix, axis=1), 1, atol=1e-5)
    expected = by_hand(texts)
    terms = {term: place for place, term in enumerate(sorted({term for weights in expected for term in weights}))}
    dense = np.zeros((400, len(terms)))
    for row, weights in enumerate(expected):
        dense[row, [terms[term] for term in weights]] = list(weights.values())
    squares, left = np.linalg.eigh(dense @ dense.T)  # of 400 rows, far sooner decomposed than their many columns
    exact = left[:, -300:] * np.sqrt(squares[-300:])
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    # similarities, which do not depend on signs or rotations; the decomposition is by random projections
    assert np.corrcoef((matrix @ matrix.T).ravel(), (exact @ exact.T).ravel())[0, 1] > 0.99


def test_the_same_bytes_each_time_on_any_number_of_threads_in_any_order() -> None:
    texts = many(400)
    once = encode(texts).test
    assert encode(texts).test.tobytes() == once.tobytes()
    with threadpool_limits(limits=2):
        assert encode(texts).test.tobytes() == once.tobytes()
    assert encode(texts[::-1]).test[::-1].tobytes() == once.tobytes()


def test_test_and_training_texts_are_encoded_together() -> None:
    test, train = many(40), many(90, seed=1)
    encoded = encode(test, train=train)
    assert encoded.train is not None
    both = encode([*test, *train]).test
    assert encoded.test.tobytes() == both[:40].tobytes()
    assert encoded.train.tobytes() == both[40:].tobytes()
    assert encode(test).train is None


def test_texts_without_words_are_zeros_and_said() -> None:
    encoded = encode(["good film", "!?", ""])
    assert not encoded.test[1:].any()
    assert encoded.notes[1] == "2 texts without a word: their embeddings are zeros"
    with pytest.raises(InputError, match="none of 2 texts has a word"):
        encode(["...", ""])


def test_tfidf_cannot_be_fine_tuned() -> None:
    with pytest.raises(MethodError, match="hf:roberta-base"):
        encode(["a", "b"], gold=["x", "y"])


@pytest.mark.parametrize(
    ("encoder", "said"),
    [
        ("bert:base", "there is no kind of encoder 'bert'; write sentence-transformers:base or hf:base"),
        ("./nowhere", "there is no folder './nowhere'"),
        ("hf:a/b/c", "there is no folder 'a/b/c'"),
        ("hf:", "the encoder has no name"),
        ("", "the encoder has no name"),
    ],
)
def test_names_that_mean_nothing(encoder: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        settle(encoder)
    assert str(caught.value).startswith(said)


def test_a_folder_says_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no model"):
        settle(str(tmp_path))
    (tmp_path / "config.json").touch()
    assert settle(str(tmp_path)) == ("transformer", str(tmp_path))
    (tmp_path / "modules.json").touch()
    assert settle(str(tmp_path)) == ("sentence", str(tmp_path))
    assert settle(f"hf:{tmp_path}") == ("transformer", str(tmp_path))
    with pytest.raises(InputError, match="is a file; name the folder"):
        settle(str(tmp_path / "config.json"))


@given(st.lists(st.integers(1, 40), max_size=30), st.integers(1, 60), st.integers(1, 5))
def test_batches_hold_every_text_once_and_keep_the_budget(lengths: list[int], budget: int, most: int) -> None:
    found = list(batches(lengths, budget, most))
    assert sorted(chain.from_iterable(found)) == list(range(len(lengths)))
    for batch in found:
        assert len(batch) <= most
        assert len(batch) == 1 or len(batch) * max(lengths[index] for index in batch) <= budget


@given(st.lists(st.sampled_from(WORDS)))
def test_distinct_texts_lead_back_to_all(texts: list[str]) -> None:
    once, places = distinct(texts)
    assert [once[place] for place in places] == texts
    assert len(set(once)) == len(once)


@given(st.lists(st.sampled_from("xyz"), min_size=10, max_size=120), st.integers(-3, 3))
def test_the_share_is_a_tenth_of_every_answer_as_far_as_can_be(gold: list[str], seed: int) -> None:
    sizes = Counter(gold)
    total = math.floor(len(gold) / 10 + 0.5)
    if len(sizes) < 2 or total < 2:
        with pytest.raises(InputError, match="two different right answers"):
            stratified_share(gold, 0.1, seed)
        return
    chosen = stratified_share(gold, 0.1, seed)
    assert chosen.sum() == total
    assert (chosen == stratified_share(gold, 0.1, seed)).all()
    drawn = Counter(answer for answer, taken in zip(gold, chosen, strict=True) if taken)
    for answer, size in sizes.items():
        assert abs(drawn[answer] - total * size / len(gold)) < len(sizes)
        assert drawn[answer] >= (1 if size > 1 and total >= len(sizes) else 0)


@pytest.mark.parametrize("share", [0, 1, -0.1, math.nan])
def test_a_share_is_between_0_and_1(share: float) -> None:
    with pytest.raises(MethodError, match="between 0 and 1"):
        stratified_share(["a", "b"] * 20, share, 0)
