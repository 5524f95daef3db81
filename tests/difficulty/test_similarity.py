from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from podium.difficulty.texts import top_similarity
from podium.errors import InputError, MethodError

pytestmark = pytest.mark.core

Array = NDArray[Any]

#: Rounding of a product of single precision.
SINGLE = 1e-6


@st.composite
def embeddings(draw: st.DrawFn, kind: Any = np.float64) -> tuple[Array, Array]:
    """A training and a test set; a few values, so that similarities tie."""
    size = draw(st.integers(1, 5))
    elements = st.sampled_from([-1.0, 0.0, 0.5, 2.0]) | st.floats(-50, 50, width=32)
    sets = []
    for least in (1, 0):
        rows = draw(hnp.arrays(kind, (draw(st.integers(least, 30)), size), elements=elements))
        rows[~rows.any(axis=1)] = 1
        sets.append(rows)
    return sets[0], sets[1]


def brute_force(train: Array, test: Array, top: Sequence[float]) -> Array:
    """One pair after another, sorted."""
    rows = []
    for one in test.astype(np.float64):
        cosines = [one @ other / np.sqrt((one @ one) * (other @ other)) for other in train.astype(np.float64)]
        cosines.sort(reverse=True)
        rows.append([np.mean(cosines[: ceil(round(percent * len(train) / 100, 9))]) for percent in top])
    return np.array(rows).reshape(len(test), len(top)).T


percentages = st.lists(st.floats(0.5, 100) | st.sampled_from([1.0, 25.0, 50.0, 100.0]), min_size=1, max_size=4)


@given(sets=embeddings(), top=percentages)
def test_it_is_the_mean_of_the_largest_cosines(sets: tuple[Array, Array], top: list[float]) -> None:
    assert_allclose(top_similarity(*sets, top), brute_force(*sets, top), atol=1e-12)


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int64])
def test_any_numbers_will_do(kind: Any) -> None:
    rng = np.random.default_rng(0)
    train, test = (np.asarray(10 * rng.normal(size=(size, 20)) + 1, dtype=kind) for size in (300, 40))
    top = (1, 10, 33, 50, 99, 100)
    assert_allclose(top_similarity(train, test, top), brute_force(train, test, top), atol=SINGLE)


@given(sets=embeddings(np.float32), top=percentages, threads=st.integers(1, 5))
def test_threads_do_not_change_a_bit(sets: tuple[Array, Array], top: list[float], threads: int) -> None:
    memory = 40 * len(sets[0])  # tiles of a few rows
    one = top_similarity(*sets, top, memory=memory, threads=1)
    assert_array_equal(top_similarity(*sets, top, memory=memory, threads=threads), one)


def test_threads_do_not_change_a_bit_of_a_large_table() -> None:
    rng = np.random.default_rng(1)
    train, test = rng.normal(size=(3000, 64)).astype(np.float32), rng.normal(size=(3000, 64)).astype(np.float32)
    one, two, five = (top_similarity(train, test, (1, 25, 100), threads=threads) for threads in (1, 2, 5))
    assert_array_equal(one, two)
    assert_array_equal(one, five)


@given(sets=embeddings(np.float32), top=percentages, room=st.integers(1, 40))
def test_memory_changes_only_rounding(sets: tuple[Array, Array], top: list[float], room: int) -> None:
    assert_allclose(top_similarity(*sets, top, memory=4 * len(sets[0]) * room), top_similarity(*sets, top), atol=SINGLE)


@given(sets=embeddings(), data=st.data())
def test_the_order_of_instances_and_their_lengths_do_not_matter(sets: tuple[Array, Array], data: Any) -> None:
    train, test = sets
    order = data.draw(st.permutations(range(len(train))))
    turn = data.draw(st.permutations(range(len(test))))
    lengths = data.draw(hnp.arrays(np.float64, len(train), elements=st.floats(1e-6, 1e6)))
    changed = top_similarity((train * lengths[:, None])[order], 3 * test[turn], (10, 60, 100))
    assert_allclose(changed, top_similarity(train, test, (10, 60, 100))[:, turn], atol=1e-12)


@given(sets=embeddings(), top=percentages)
def test_more_neighbours_are_less_similar(sets: tuple[Array, Array], top: list[float]) -> None:
    found = top_similarity(*sets, sorted(top))
    assert (np.abs(found) <= 1 + 1e-12).all()
    assert (np.diff(found, axis=0) <= 1e-12).all()


@given(sets=embeddings())
def test_an_instance_of_the_training_set_is_like_itself(sets: tuple[Array, Array]) -> None:
    train, _ = sets
    assert_allclose(top_similarity(train, train, (1e-9,)), np.ones((1, len(train))), atol=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_lengths_may_be_extreme(scale: float) -> None:
    train, test = np.array([[3.0, 4.0], [1.0, 0.0]]), np.array([[0.0, 1.0]])
    assert_allclose(top_similarity(scale * train, scale * test, (50, 100)), [[0.8], [0.4]])


def test_a_whole_number_of_neighbours_is_not_rounded_up() -> None:
    assert 7 * 0.01 * 100 > 7
    angles = np.linspace(0, 1, 100)
    train = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for percent in range(1, 101):
        found = top_similarity(train, [[1.0, 0.0]], (percent,))
        assert found.item() == pytest.approx(np.cos(angles[:percent]).mean(), abs=1e-12)


def test_a_part_of_a_neighbour_is_one() -> None:
    train = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    assert_allclose(top_similarity(train, train[:1], (0.1, 33, 34, 67)).ravel(), [1, 1, 0.5, 0])


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    train = np.ones((10, 2))
    top_similarity(train, np.ones((25, 2)), memory=10 * 8 * 40, progress=lambda done, all_: told.append((done, all_)))
    assert told == [(10, 25), (20, 25), (25, 25)]


GOOD = np.ones((3, 2))


def changed(row: int, values: list[float]) -> Array:
    rows = GOOD.copy()
    rows[row] = values
    return rows


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        (changed(1, [1, np.nan]), GOOD, "the embedding of train in row 1 is not finite"),
        (GOOD, changed(2, [np.inf, 1]), "the embedding of test in row 2 is not finite"),
        (GOOD, changed(0, [0, 0]), "the embedding of test in row 0 is all zeros and has no cosine; leave it out"),
        (GOOD, np.ones((3, 4)), "train have 2 dimensions and those of test 4; make both with the same model"),
        (np.ones((0, 2)), GOOD, "there are no embeddings of train"),
        (np.ones((0, 0)), np.ones((0, 0)), "there are no embeddings of train"),
        (GOOD, np.ones(3), r"test have shape \(3,\); they need one row per instance"),
        (np.array([["a", "b"]]), GOOD, "train are <U1, not real numbers"),
        (GOOD, GOOD * 1j, "test are complex128, not real numbers"),
    ],
)
def test_bad_embeddings_are_refused(train: Array, test: Array, message: str) -> None:
    with pytest.raises(InputError, match=message):
        top_similarity(train, test)


@pytest.mark.parametrize("top", [0, -1, 100.1, np.nan, np.inf])
def test_percentages_out_of_range_are_refused(top: float) -> None:
    with pytest.raises(MethodError, match="choose 0 < top_percent ≤ 100"):
        top_similarity(GOOD, GOOD, (50, top))


def test_memory_for_less_than_a_row_is_refused() -> None:
    assert top_similarity(GOOD, GOOD, memory=24).shape == (1, 3)
    with pytest.raises(MethodError, match="similarities of one test instance take 24 bytes, and memory allows 23"):
        top_similarity(GOOD, GOOD, memory=23)


def test_no_threads_are_refused() -> None:
    with pytest.raises(MethodError, match="n_jobs is 0"):
        top_similarity(GOOD, GOOD, threads=0)


def test_rounding_leads_out_of_no_bound() -> None:
    vectors = np.random.default_rng(0).normal(size=(200, 300)).astype(np.float32)
    same, opposite = (top_similarity(sign * vectors, vectors, (0.5, 100)) for sign in (1, -1))
    assert same.max() == 1
    assert (opposite >= -1).all()
    alike = top_similarity(-np.tile(vectors[:1], (50, 1)), np.tile(vectors[:1], (50, 1)), (10, 100))
    assert (alike >= -1).all()
    assert alike == pytest.approx(-1, abs=1e-6)
