"""Tables of small whole numbers, held in one byte a score, give what plain arrays give."""

import copy
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import podium
from podium.score.table import Scores

pytestmark = pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")


@pytest.fixture(scope="module")
def packed() -> Scores:
    rng = np.random.default_rng(3)
    skill = np.linspace(-0.5, 0.5, 33)[:, None]
    solved = (rng.normal(size=(33, 2_100)) + skill > 0).astype(float)
    solved[rng.random(solved.shape) < 0.1] = np.nan
    tries = np.round(10 + 3 * (rng.normal(size=(33, 2_100)) - skill))
    scores = podium.from_arrays({"solved": solved, "tries": tries}, lower=["tries"])
    assert kinds(scores) == {"PackedArray"}
    return scores


def kinds(scores: Scores) -> set[str]:
    return {type(part).__name__ for task in scores.tasks for part in task.parts}


def unpacked(scores: Scores) -> Scores:
    return replace(scores, tasks=tuple(task.with_values(task.values) for task in scores.tasks))


@pytest.mark.parametrize("method", ["borda", "mean", "median", "iqm", "wins", "copeland", "borda:one", "kemeny"])
def test_rankings_are_those_of_plain_arrays(packed: Scores, method: str) -> None:
    assert podium.rank(packed, method).to_dict() == podium.rank(unpacked(packed), method).to_dict()


def test_other_answers_are_those_of_plain_arrays(packed: Scores) -> None:
    for scores in (copy.deepcopy(packed), pickle.loads(pickle.dumps(packed))):  # noqa: S301  # its own
        assert kinds(scores) == {"PackedArray"}
        one, other = (
            podium.compare(given, control=packed.systems[0], treatment=packed.systems[1])
            for given in (scores, unpacked(scores))
        )
        assert one.to_dict() == other.to_dict()
        assert podium.influence(scores).to_dict() == podium.influence(unpacked(scores)).to_dict()
        assert podium.page(scores).html == podium.page(unpacked(scores)).html


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_files_hold_and_give_back_the_same(packed: Scores, tmp_path: Path, ending: str) -> None:
    files = tmp_path / f"packed.{ending}", tmp_path / f"plain.{ending}"
    for scores, file in zip((packed, unpacked(packed)), files, strict=True):
        podium.convert(scores, file)
    assert files[0].read_bytes() == files[1].read_bytes()
    again = podium.read(files[0])
    assert kinds(again) == {"PackedArray"}
    for task, before in zip(again.tasks, packed.tasks, strict=True):
        assert np.array_equal(task.values, before.values, equal_nan=True)


@pytest.mark.parametrize("odd", [0.5, 128, -128, 1e300])
def test_a_score_that_does_not_fit_makes_the_task_plain(tmp_path: Path, odd: float) -> None:
    values = np.ones((33, 20_000))
    values[20, 17_000] = odd
    podium.convert(podium.from_arrays({"t": values}), tmp_path / "t.parquet")
    scores = podium.read(tmp_path / "t.parquet")
    assert kinds(scores) == {"ndarray"}
    assert np.array_equal(scores.tasks[0].values, values)
