import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.robustness.stresses import _PHRASES, NEEDS
from podium.score.table import Scores
from podium.simulate import gumbel
from podium.stresses import usual
from support.stressed import assert_equal, stressed_tables

NAMES = tuple(NEEDS)


def names(scores: Scores) -> tuple[str, ...]:
    return tuple(sweep.name for sweep in usual(scores))


def test_every_usual_stress_has_words() -> None:
    whole = names(gumbel(5, 4, 10, dispersion=0.5, rng=0).scores)
    assert whole == tuple(NEEDS) == tuple(_PHRASES)


@given(scores=stressed_tables(), seed=st.integers(0, 2**16))
def test_every_usual_stress_can_be_borne(scores: Scores, seed: int) -> None:
    for sweep in usual(scores):
        assert sweep.strengths[0] == 0
        assert list(sweep.strengths) == sorted(set(sweep.strengths))
        assert len(sweep.strengths) >= 2
        assert_equal(sweep.stress(sweep.strengths[0])(scores, np.random.default_rng(seed)), scores)
        for strength in sweep.strengths[1:]:
            stressed = sweep.stress(strength)(scores, np.random.default_rng(seed))
            assert len(stressed.systems) >= 2
        assert sweep.stress(float(sweep.strengths[-1])) == sweep.stress(sweep.strengths[-1])  # as arrays hold them
        assert pickle.loads(pickle.dumps(sweep)) == sweep  # noqa: S301  # our own


@pytest.mark.parametrize(
    ("shape", "absent"),
    [
        ((5, 4, 10), set()),
        ((3, 4, 10), {"systems"}),
        ((5, 1, 10), {"corrupt", "scale", "cells", "tasks"}),
        ((5, 4, 1), {"cells", "instances", "hard"}),
        ((5, 1, 1), {"corrupt", "scale", "missing", "cells", "instances", "hard", "tasks"}),
    ],
)
def test_what_makes_no_sense_for_a_table_is_left_out(shape: tuple[int, int, int], absent: set[str]) -> None:
    scores = gumbel(*shape, dispersion=0.5, rng=0).scores
    assert names(scores) == tuple(name for name in NAMES if name not in absent)


@pytest.mark.parametrize(
    ("scores", "corrupt", "tasks", "systems"),
    [
        (
            gumbel(16, 17, 3, dispersion=0.5, rng=0).scores,
            (0, 2, 4, 6, 8, 10),
            (0, 3, 6, 10, 13, 16),
            (0, 2, 3, 5, 6, 8),
        ),
        (podium.datasets.xtreme_missing(), (0, 1, 2, 3), (0, 1, 2, 3), (0, 1, 2, 3, 4, 5)),
    ],
)
def test_counts_go_as_far_as_the_table(
    scores: Scores, corrupt: tuple[int, ...], tasks: tuple[int, ...], systems: tuple[int, ...]
) -> None:
    strengths = {sweep.name: sweep.strengths for sweep in usual(scores)}
    found = tuple(strengths[name] for name in ("corrupt", "tasks", "systems"))
    assert found == (corrupt, tasks, systems)
