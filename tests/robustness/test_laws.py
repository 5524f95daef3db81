"""What every stress promises."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import podium
from podium.errors import MethodError
from podium.score.table import Scores
from podium.score.task import PART, Task
from podium.stresses import (
    CloneSystem,
    Corrupt,
    DropSystems,
    DropTasks,
    RemoveCells,
    RemoveHard,
    RemoveInstances,
    RemoveScores,
    Rescale,
    Subsample,
    compose,
)
from support.examples import examples
from support.stressed import assert_equal, assert_sound, stressed_tables

#: Each with the largest strength a table can bear.
STRESSES: dict[Any, Callable[[Scores], Any]] = {
    Corrupt: lambda scores: len(scores.tasks),
    Rescale: lambda _: 99,
    RemoveScores: lambda _: 1.0,
    RemoveCells: lambda _: 1.0,
    RemoveInstances: lambda _: 1.0,
    RemoveHard: lambda _: 1.0,
    Subsample: lambda _: 1.0,
    DropTasks: lambda scores: len(scores.tasks) - 1,
    DropSystems: lambda scores: len(scores.systems) - 2,
    CloneSystem: lambda _: 4,
}
REMOVALS = (RemoveScores, RemoveCells, RemoveInstances, RemoveHard)
every_stress = pytest.mark.parametrize("kind", STRESSES)
pytestmark = [pytest.mark.core, pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")]
seeds = st.integers(0, 2**32)
few = examples(0.4)  # of each of many stresses


def at(kind: Any, scores: Scores, part: float) -> Any:
    """Make a stress of a part of the largest strength, in whole numbers where it counts."""
    most = STRESSES[kind](scores)
    return kind(part * most if isinstance(most, float) else round(part * most))


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@every_stress
@few
@given(scores=stressed_tables(), seed=seeds)
def test_strength_zero_changes_nothing(kind: Any, scores: Scores, seed: int) -> None:
    assert_equal(kind(0)(scores, rng(seed)), scores)


@every_stress
@few
@given(scores=stressed_tables(), part=st.floats(0, 1), seed=seeds)
def test_what_comes_out_is_a_sound_table_and_up_to_the_generator_alone(
    kind: Any, scores: Scores, part: float, seed: int
) -> None:
    stress = at(kind, scores, part)
    stressed = stress(scores, rng(seed))
    assert_sound(stressed)
    assert (stressed.tie_tolerance, stressed.notes, stressed.backend) == (scores.tie_tolerance, ("a note",), "pandas")
    known = {task.name: task for task in scores.tasks}
    for task in stressed.tasks:
        assert (task.weight, task.higher_is_better) == (known[task.name].weight, known[task.name].higher_is_better)
        assert [piece.dtype for piece in task.parts] == [piece.dtype for piece in known[task.name].parts]
        if kind is not Subsample:
            assert_array_equal(task.instances, known[task.name].instances)
            assert_array_equal(task.instance_weights, known[task.name].instance_weights)
    if kind not in {DropSystems, CloneSystem}:
        assert stressed.systems == scores.systems
    if kind is not DropTasks:
        assert stressed.task_names == scores.task_names
    sent = pickle.loads(pickle.dumps(stress))  # noqa: S301  # our own
    assert sent == stress
    assert_equal(sent(scores, rng(seed)), stressed)


@every_stress
def test_another_seed_is_another_stress(kind: Any) -> None:
    scores = podium.simulate.gumbel(6, 6, 20, dispersion=0.5, rng=0).scores
    stress = at(kind, scores, 0.5) if kind is not Rescale else Rescale(1, tasks=3)
    results = [stress(scores, rng(seed)) for seed in range(5)]
    seen = {
        (result.systems, result.task_names, *(task.values.tobytes() for task in result.tasks)) for result in results
    }
    assert len(seen) > 1


@every_stress
@few
@given(scores=stressed_tables(), part=st.floats(0, 1), seed=seeds)
def test_borda_ranks_whatever_is_left_if_it_connects(kind: Any, scores: Scores, part: float, seed: int) -> None:
    stressed = at(kind, scores, part)(scores, rng(seed))
    tasks_scored = np.sum([task.scored > 0 for task in stressed.tasks], axis=0)
    bare = sum(bool(task.scored.any()) for task in stressed.tasks)
    if not bare or (bare > 1 and tasks_scored.max() < 2):
        with pytest.raises(MethodError):
            podium.rank(stressed, confidence_level=None)
    else:
        assert set(podium.rank(stressed, confidence_level=None).systems) == set(stressed.systems)


@pytest.mark.parametrize("kind", REMOVALS)
@few
@given(scores=stressed_tables(), parts=st.tuples(st.floats(0, 1), st.floats(0, 1)), seed=seeds)
def test_what_is_removed_stays_removed_at_larger_shares(
    kind: Any, scores: Scores, parts: tuple[float, float], seed: int
) -> None:
    less, more = (kind(share)(scores, rng(seed)) for share in sorted(parts))
    for original, some, few in zip(scores.tasks, less.tasks, more.tasks, strict=True):
        kept = ~np.isnan(few.values)
        assert_array_equal(few.values[kept], some.values[kept])
        kept = ~np.isnan(some.values)
        assert_array_equal(some.values[kept], original.values[kept])


@few
@given(scores=stressed_tables(), parts=st.tuples(st.floats(0, 1), st.floats(0, 1)), seed=seeds)
def test_instances_left_out_stay_out_at_larger_shares(scores: Scores, parts: tuple[float, float], seed: int) -> None:
    # a sequence number in every score tells instances apart
    numbered = Scores(
        scores.systems,
        tuple(
            Task.cut(
                task.name,
                np.tile(np.arange(float(task.n_instances)), (len(scores.systems), 1)),
                instances=task.instances,
                instance_weights=task.instance_weights,
                weight=task.weight,
            )
            for task in scores.tasks
        ),
    )
    less, more = (Subsample(share)(numbered, rng(seed)) for share in sorted(parts))
    for whole, some, few in zip(numbered.tasks, less.tasks, more.tasks, strict=True):
        assert set(few.values[0]) <= set(some.values[0])
        for task in (some, few):
            assert_array_equal(task.instances, _rows(whole.instances, task))
            assert_array_equal(task.instance_weights, _rows(whole.instance_weights, task))
            assert task.instance_weights is None or task.instance_weights.any()


def _rows(values: Any, task: Task) -> Any:
    """Of what belongs to instances, what belongs to those that are left."""
    return None if values is None else values[task.values[0].astype(int)]


@few
@given(scores=stressed_tables(), data=st.data(), seed=seeds)
def test_tasks_and_systems_left_out_stay_out_at_larger_numbers(scores: Scores, data: Any, seed: int) -> None:
    for kind in (DropTasks, DropSystems):
        counts = st.integers(0, int(STRESSES[kind](scores)))
        less, more = (kind(number)(scores, rng(seed)) for number in sorted(data.draw(st.tuples(counts, counts))))
        assert set(more.task_names) <= set(less.task_names)
        assert set(more.systems) <= set(less.systems)


@few
@given(scores=stressed_tables(), seed=seeds)
def test_tasks_are_corrupted_one_after_the_other(scores: Scores, seed: int) -> None:
    steps = [Corrupt(number)(scores, rng(seed)) for number in range(len(scores.tasks) + 1)]
    ends = steps[-1]
    for step in steps:
        for before, now, end in zip(scores.tasks, step.tasks, ends.tasks, strict=True):
            assert now is before or np.array_equal(now.values, end.values, equal_nan=True)


@few
@given(scores=stressed_tables(), share=st.floats(0, 1), seed=seeds)
def test_exactly_so_many_are_removed(scores: Scores, share: float, seed: int) -> None:
    for kind in (RemoveScores, RemoveHard):
        assert kind(share)(scores, rng(seed)).n_scored == scores.n_scored - round(share * scores.n_scored)
    cells = np.array([task.scored for task in scores.tasks])
    left = np.array([task.scored for task in RemoveCells(share)(scores, rng(seed)).tasks])
    assert set((left / np.maximum(cells, 1)).ravel()) <= {0.0, 1.0}
    assert np.count_nonzero(left) == np.count_nonzero(cells) - round(share * np.count_nonzero(cells))
    for before, now in zip(scores.tasks, Subsample(share)(scores, rng(seed)).tasks, strict=True):
        wanted = before.n_instances - round(share * before.n_instances)
        assert now.n_instances >= max(wanted, 1)
        if before.instances is None and before.instance_weights is None:
            assert now.n_instances == max(wanted, 1)


@few
@given(scores=stressed_tables(), enlargement=st.integers(0, 999), seed=seeds)
def test_rescaling_moves_no_borda_ranking(scores: Scores, enlargement: int, seed: int) -> None:
    plain = scores.with_tie_tolerance(0)
    scaled = Rescale(enlargement, tasks=len(plain.tasks))(plain, rng(seed))
    for level in ("one", "two"):
        before, after = (
            podium.rank(plain, level=level, confidence_level=None),
            podium.rank(scaled, level=level, confidence_level=None),
        )
        assert before.systems == after.systems
        assert_array_equal(before.score, after.score)


def test_stresses_come_one_after_the_other_and_the_first_does_not_move_the_next() -> None:
    scores = podium.simulate.gumbel(5, 4, 10, dispersion=0.5, rng=0).scores
    none, some = (compose(DropTasks(number), RemoveScores(0.0))(scores, rng(1)) for number in (0, 2))
    assert_equal(none, scores)
    assert len(some.tasks) == 2
    plain = compose(Corrupt(0), RemoveScores(0.3))(scores, rng(1))
    wild = compose(Corrupt(3), RemoveScores(0.3))(scores, rng(1))
    for one, other in zip(plain.tasks, wild.tasks, strict=True):
        assert_array_equal(np.isnan(one.values), np.isnan(other.values))
    assert not np.array_equal(plain.tasks[0].values, wild.tasks[0].values, equal_nan=True)


@every_stress
def test_tables_of_several_parts_are_treated_as_one(kind: Any) -> None:
    values = rng(0).normal(size=(3, PART + 7))
    scores = Scores(("a", "b", "c"), (Task.cut("long", values), Task.cut("short", values[:, :5])))
    stressed = at(kind, scores, 0.5)(scores, rng(3))
    assert_sound(stressed)
    if kind in REMOVALS:
        kept = ~np.isnan(stressed.tasks[0].values)
        assert_array_equal(stressed.tasks[0].values[kept], values[kept])
        assert not kept.all()
