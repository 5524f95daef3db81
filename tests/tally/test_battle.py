"""Duels of battles are counted from the scores that are there, and are those that the plain way counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import podium
from podium.score.table import of_battles
from podium.tally import duel


@pytest.mark.parametrize("weights", ["none", "instances", "draws", "both"])
@given(seed=st.integers(0, 2**32 - 1), tolerance=st.sampled_from([0.0, 0.5, 0.6]), single=st.booleans())
def test_they_are_those_of_the_plain_way(weights: str, seed: int, tolerance: float, *, single: bool) -> None:
    rng = np.random.default_rng(seed)
    n_systems, length = rng.integers(4, 9), rng.integers(1, 30)
    values = np.full((n_systems, length), np.nan, dtype=np.float32 if single else np.float64)
    for column in range(length):
        rows = rng.choice(n_systems, rng.integers(0, 3), replace=False)
        values[rows, column] = rng.choice([0.0, 0.5, 1.0], rows.size)
    given_weights = {
        "none": None,
        "instances": rng.random(length),
        "draws": rng.poisson(1, (length, 3)).astype(np.uint8),
        "both": rng.random((length, 3)),
    }[weights]
    assert duel.of_few(values)
    fast, plain = (counted(values, given_weights, tolerance) for counted in (duel.duels_of_few, duel.duels))
    for left, right in zip(fast, plain, strict=True):
        assert left.shape == right.shape
        assert_allclose(left, right, rtol=0, atol=1e-12)


def test_other_tables_are_counted_the_usual_way() -> None:
    assert not duel.of_few(np.ones((5, 3)))
    assert not duel.of_few(np.full((3, 4), np.nan))
    three = np.full((5, 40), np.nan)
    three[:2] = 1.0
    three[2, -1] = 1.0
    assert not duel.of_few(three)
    assert duel.of_few(three[:, :-1])


def test_what_a_table_of_battles_is() -> None:
    nan = np.nan
    fought = np.array([[1, 1, nan, nan], [0, nan, 1, nan], [nan, 0, 0, 1]])
    assert of_battles(podium.from_arrays({"t": fought}))
    assert not of_battles(podium.from_arrays({"t": fought * 0.5}))  # right or wrong, and not won or lost
    assert not of_battles(podium.from_arrays({"t": fought[:2]}))  # of two systems all instances have both
    assert not of_battles(podium.from_arrays({"t": np.where(np.isnan(fought), 0.5, fought)}))
    assert not of_battles(podium.from_arrays(fought[:, :3]))  # one score for each task
