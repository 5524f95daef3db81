"""Parts of a task, and what is made of a table on disk: it is on disk, too, and the same."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.base import spill as piece
from podium.base.spill import Spill, room_of
from podium.customization.customizer import Customizer
from podium.customization.split import Splitting
from podium.response.fit import solved
from podium.score.table import Scores
from podium.score.task import PART, Task, each_score, of_instances, over_instances, stretches_of
from podium.stresses import (
    CloneSystem,
    Corrupt,
    DropSystems,
    RemoveCells,
    RemoveHard,
    RemoveInstances,
    RemoveScores,
    Rescale,
    Subsample,
)


def some_task(systems: int, instances: int, seed: int = 0) -> Task:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(systems, instances))
    return Task.cut("t", np.where(rng.random(values.shape) < 0.1, np.nan, values))


@given(st.integers(1, 12), st.sampled_from([1, 2, 5, PART, PART + 1, 2 * PART + 1]), st.integers(4, 2**16))
def test_some_instances_at_a_time_give_the_same_bytes(systems: int, instances: int, at_once: int) -> None:
    task = some_task(systems, instances)
    kept = np.random.default_rng(1).random(instances) < 0.7
    kept[0] = True
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(piece, "_AT_ONCE", at_once)
        sums = over_instances(task, lambda scores: np.nansum(scores, axis=0))
        assert sums.tobytes() == np.nansum(task.values, axis=0).tobytes()
        assert each_score(task, lambda scores: -scores).tobytes() == (-task.values).tobytes()
        assert np.concatenate([scores for _, scores in stretches_of(task)], axis=1).tobytes() == task.values.tobytes()
        chosen = of_instances(task, kept)
    expected = Task.cut("t", task.values[:, kept]).parts
    assert [part.tobytes() for part in chosen] == [part.tobytes() for part in expected]
    assert all(part.flags.c_contiguous for part in chosen)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Scores, Scores]:
    """A table of scores from 0 to 1 with repeats, in memory and on disk; a task has two parts."""
    path = tmp_path_factory.mktemp("both") / "scores.parquet"
    rng = np.random.default_rng(0)
    task, system, instance = np.nonzero(rng.random((2, 4, PART + 1)) < 0.95)
    some = (task == 0) | (instance < 300)
    task, system, instance = task[some], system[some], instance[some]
    columns = {
        "task": task,
        "system": system,
        "instance": instance,
        "score": rng.integers(0, 2, task.size).astype(float),
    }
    again = columns | {"score": rng.integers(0, 2, task.size).astype(float)}
    tables = [pa.table({**one, "repeat": np.full(task.size, number)}) for number, one in enumerate((columns, again))]
    pq.write_table(pa.concat_tables(tables), path)
    told: dict[str, Any] = {"repeat_column": "repeat", "lower": ["1"]}
    return podium.read(path, **told), podium.read(path, **told, memory="4GB")


def assert_on_disk(array: Any) -> None:
    assert isinstance(room_of(array), Spill)


@pytest.mark.parametrize(
    "stress",
    [
        RemoveScores(0.3),
        RemoveHard(0.3),
        RemoveCells(0.4),
        RemoveInstances(0.2),
        Subsample(0.5),
        Corrupt(2),
        Rescale(3, 2),
        CloneSystem(1),
        DropSystems(1),
    ],
    ids=lambda stress: type(stress).__name__,
)
def test_stressed_tables_are_on_disk(both: tuple[Scores, Scores], stress: Callable[..., Scores]) -> None:
    here, there = (stress(scores, np.random.default_rng(3)) for scores in both)
    for one, other in zip(here.tasks, there.tasks, strict=True):
        assert [part.tobytes() for part in one.parts] == [part.tobytes() for part in other.parts]
        for part in other.parts:
            assert_on_disk(part)
        if other.repeats is not None:
            assert_on_disk(other.repeats.values)


def test_what_is_solved_and_what_is_sorted_is_on_disk(both: tuple[Scores, Scores]) -> None:
    here, there = both
    for one, other in zip(solved(here, "it"), solved(there, "it"), strict=True):
        assert one.tobytes() == other.tobytes()
        assert_on_disk(other)
    failures = [podium.failure_rate(scores) for scores in both]
    assert failures[0].to_dict() == failures[1].to_dict()
    for level in ("one", "two"):
        customized = [
            podium.customize(scores, failures[0], splits=Splitting(3, level=level), confidence=None).to_dict()
            for scores in both
        ]
        assert customized[0] == customized[1]
    for box in Customizer.of(there, failures[0])._boxed("one"):
        for array in (box.parts[0].scores, box.parts[0].scored):
            assert_on_disk(array)


def test_repeats_are_on_disk(both: tuple[Scores, Scores]) -> None:
    for one, other in zip(both[0].tasks, both[1].tasks, strict=True):
        assert one.repeats is not None
        assert other.repeats is not None
        assert one.repeats.values.tobytes() == other.repeats.values.tobytes()
        for array in (other.repeats.values, other.repeats.numbers, other.repeats.right):
            assert_on_disk(array)
    assert podium.describe(both[0]).to_dict() == podium.describe(both[1]).to_dict()


def test_item_response_is_the_same(both: tuple[Scores, Scores]) -> None:
    small = [scores.select(tasks=["1"]) for scores in both]
    rated = [podium.item_response(scores, suspects=True).to_dict() for scores in small]
    assert rated[0] == rated[1]
    ranked = [podium.rank(scores, "irt", confidence=None).to_dict() for scores in small]
    assert ranked[0] == ranked[1]
