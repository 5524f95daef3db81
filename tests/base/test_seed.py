"""One way from a seed to random numbers, for any whole number."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.base.parallel import generator


@given(seed=st.integers(0, 2**64 - 1))
def test_seeds_that_numpy_takes_are_those_of_numpy(seed: int) -> None:
    assert generator(seed).integers(2**63) == np.random.default_rng(seed).integers(2**63)


@given(seed=st.integers(-(2**63), -1), key=st.integers(0, 9))
def test_negative_seeds_differ_from_positive_ones(seed: int, key: int) -> None:
    drawn = generator(seed, key).integers(2**63)
    assert drawn == generator(seed, key).integers(2**63)
    assert drawn != generator(-seed, key).integers(2**63)
    assert drawn != generator(seed, key + 1).integers(2**63)
    assert drawn != generator(seed).integers(2**63)


@pytest.mark.parametrize("seed", [np.int64(-3), np.uint8(200), np.int32(5)])
def test_whole_numbers_of_numpy_are_those_of_python(seed: Any) -> None:
    assert generator(seed, 1).random() == generator(int(seed), 1).random()
    scores = podium.simulate.gumbel(4, 2, 5, dispersion=0.5, rng=seed).scores
    by_numpy, by_python = (podium.rank(scores, confidence_level=0.9, n_resamples=20, rng=s) for s in (seed, int(seed)))
    assert json.dumps(by_numpy.to_dict()) == json.dumps(by_python.to_dict())


def test_keys_name_streams_as_children_of_a_seed_sequence_do() -> None:
    child = np.random.SeedSequence(5).spawn(3)[2]
    expected = np.random.default_rng(child).random(4)
    assert generator(5, 2).random(4) == pytest.approx(expected, abs=0)
