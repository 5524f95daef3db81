"""Arguments of a wrong type are refused by podium's own errors, and never by those of what happens to meet them."""

import contextlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import podium
from podium.difficulty.result import Difficulty, Measure
from podium.errors import PodiumError
from podium.stresses import Rescale, Sweep

RIGHT = (np.random.default_rng(0).random((2, 3, 30)) > 0.5).astype(float)

SCORES = podium.from_arrays({"t": RIGHT[0], "u": RIGHT[1]}, systems=["A", "B", "C"])

HARD = Difficulty(np.arange(30), (Measure("bias", np.linspace(0, 1, 30), "low"),))

SWEEP = Sweep("scale", Rescale, (0, 9), "enlargement of one task")

#: Every verb that takes scores or effects, and what it is quick with.
VERBS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "agree": (podium.agree, {"scores": SCORES}),
    "compare": (podium.compare, {"scores": SCORES, "control": "A", "treatment": "B"}),
    "compare_all": (podium.compare_all, {"scores": SCORES, "control": "A"}),
    "condorcet": (podium.condorcet, {"scores": SCORES}),
    "customize": (podium.customize, {"scores": SCORES, "difficulty": HARD, "replicates": 100, "splits": 3}),
    "describe": (podium.describe, {"scores": SCORES}),
    "influence": (podium.influence, {"scores": SCORES}),
    "pairwise": (podium.pairwise, {"scores": SCORES}),
    "plan": (podium.plan, {"scores": SCORES, "replicates": 100}),
    "pool": (podium.pool, {"effects": [0.1, 0.2, 0.3], "variances": [0.1, 0.1, 0.1]}),
    "rank": (podium.rank, {"scores": SCORES, "replicates": 100}),
    "stress": (podium.stress, {"scores": SCORES, "methods": ["mean"], "only": ["scale"], "repeats": 2, "jobs": 1}),
    "study": (podium.study, {"table": SCORES, "sweeps": [SWEEP], "methods": ["mean"], "repeats": 2, "jobs": 1}),
    "weigh": (podium.weigh, {"scores": SCORES, "difficulty": HARD, "splits": 3}),
}

WRONG = [None, 3, -1, 2.5, "x", ["x"], {"x": 1}, object(), float("nan"), True, b"x", {1, 2}]

#: Called with progress, or known by their own tests.
_NOT_TRIED = {"progress", "checkpoint", "key"}


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
@pytest.mark.parametrize("verb", VERBS)
def test_no_other_error_comes_of_a_wrong_type(verb: str) -> None:
    act, usual = VERBS[verb]
    for name in inspect.signature(act).parameters.keys() - _NOT_TRIED:
        for given in WRONG:
            with contextlib.suppress(PodiumError):
                act(**usual | {name: given})


def test_any_whole_number_is_a_seed_where_names_are_shuffled() -> None:
    few = podium.from_arrays(np.random.default_rng(0).random((6, 6)))
    assert podium.rank(few, seed=-1, replicates=100).intervals is not None
