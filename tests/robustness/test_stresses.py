"""Single stresses: which fit a table, what they change, and what they refuse."""

import pickle
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import podium
from podium.errors import LabelError, MethodError
from podium.robustness.removal import difficulty
from podium.robustness.sweep import USUAL
from podium.score.table import Scores
from podium.score.task import Task
from podium.simulate import gumbel
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
    usual,
)
from support.stressed import assert_equal, labelled, stressed_tables

NAMES = tuple(USUAL)


def names(scores: Scores) -> tuple[str, ...]:
    return tuple(sweep.name for sweep in usual(scores))


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


SHARES = (RemoveScores, RemoveCells, RemoveInstances, RemoveHard, Subsample)


NO_RANKS: Any = (1, np.nan)


COUNTS = (Corrupt, DropTasks, DropSystems, CloneSystem)


@pytest.mark.parametrize("kind", SHARES)
@pytest.mark.parametrize("bad", [-0.1, 1.1, np.nan, np.inf, "0.5", None])
def test_what_is_no_share_is_refused(kind: Callable[[Any], Any], bad: Any) -> None:
    with pytest.raises(MethodError, match=re.escape(f"is {bad!r}; it must be a number from 0 to 1")):
        kind(bad)


@pytest.mark.parametrize("kind", COUNTS)
@pytest.mark.parametrize("bad", [-1, 1.5, np.nan, np.inf, "2", None])
def test_what_is_no_whole_number_is_refused(kind: Callable[[Any], Any], bad: Any) -> None:
    with pytest.raises(MethodError, match=re.escape(f"is {bad!r}; give a whole number from 0 up")):
        kind(bad)


@pytest.mark.parametrize("kind", COUNTS)
def test_whole_floats_are_whole_numbers(kind: Callable[[Any], Any]) -> None:
    assert kind(2.0) == kind(np.int64(2)) == kind(2)
    assert repr(kind(2.0)) == repr(kind(2))


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, "9", 10**400])
def test_enlargements_that_turn_scores_round_are_refused(bad: Any) -> None:
    with pytest.raises(MethodError, match="the enlargement is"):
        Rescale(bad)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Rescale(1, tasks=-1), "the number of tasks to rescale is -1"),
        (lambda: Corrupt(1, dispersion=-1.0), "the dispersion is -1.0; it must be a number from 0 up"),
        (lambda: RemoveHard(0.5, steepness=np.nan), "the steepness is nan"),
        (lambda: Corrupt(1, truth=NO_RANKS), "give the rank of every system"),
    ],
)
def test_parameters_out_of_range_are_refused(make: Callable[[], Any], says: str) -> None:
    with pytest.raises(MethodError, match=says):
        make()


@pytest.mark.parametrize(
    ("stress", "says"),
    [
        (Rescale(1, tasks=7), "7 tasks are to be rescaled, but there are 6 tasks; ask for 6 or fewer"),
        (Corrupt(7), "7 tasks are to be corrupted, but there are 6 tasks; ask for 6 or fewer"),
        (DropTasks(6), "6 tasks are to be left out, .* 6 tasks, and at least 1 must stay; ask for 5 or fewer"),
        (DropSystems(2), "2 systems are to be left out, but there are 3 systems, and at least 2 must stay; ask for 1"),
        (DropSystems(1, ()), "1 system is to be left out, but only 0 named; name more"),
    ],
)
def test_more_than_there_are_is_refused_with_how_many_there_are(stress: Any, says: str) -> None:
    with pytest.raises(MethodError, match=says):
        stress(podium.datasets.toy_table1(), np.random.default_rng(0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_are_not_enlarged_beyond_numbers(dtype: type[np.floating]) -> None:
    largest = float(np.finfo(dtype).max)
    scores = podium.from_arrays({"t": np.array([[largest / 8], [1.0]], dtype=dtype)}, systems=["A", "B"])
    fine = Rescale(np.float64(3))(scores, np.random.default_rng(0)).tasks[0].values
    assert fine.dtype == dtype
    assert fine.tolist() == [[largest / 2], [4.0]]
    with pytest.raises(
        MethodError, match="scores of task 't' are too large to be enlarged by 99 times themselves; div"
    ):
        Rescale(99)(scores, np.random.default_rng(0))


@pytest.mark.parametrize("stress", [DropSystems(1, ("M10",)), CloneSystem(1, "M10"), CloneSystem(0, "M10")])
def test_unknown_systems_are_refused_with_the_nearest(stress: Any) -> None:
    with pytest.raises(LabelError, match="there is no system 'M10'; did you mean 'M1'"):
        stress(podium.datasets.xtreme_missing(), np.random.default_rng(0))


def test_named_systems_go_in_the_order_of_their_names() -> None:
    scores = podium.datasets.xtreme_missing()
    left = [DropSystems(number, ("M4", "M2", "M4"))(scores, np.random.default_rng(0)).systems for number in (1, 2)]
    assert set(scores.systems) - set(left[0]) == {"M4"}
    assert set(scores.systems) - set(left[1]) == {"M4", "M2"}
    alone: Any = "M4"  # one name is one name
    assert DropSystems(1, alone)(scores, np.random.default_rng(0)).systems == left[0]


def test_a_task_that_weighs_something_stays() -> None:
    scores = podium.datasets.toy_table1().with_task_weights({"*": 0, "Task3": 2})
    for seed in range(20):
        assert DropTasks(5)(scores, np.random.default_rng(seed)).task_names == ("Task3",)


def test_a_table_of_two_systems_can_be_left_alone() -> None:
    scores = podium.from_dict({"A": {"t": 1.0}, "B": {"t": 0.5}})
    assert DropSystems(0)(scores, np.random.default_rng(0)).systems == ("A", "B")
    alone = replace(scores.select(systems=["A"]), notes=("one",))
    assert DropSystems(0)(alone, np.random.default_rng(0)).systems == ("A",)


DRAWS = 2000


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def table(*sizes: int, **details: object) -> Scores:
    values = rng(0).normal(size=(3, max(sizes)))
    tasks = (Task.cut(f"task {i}", values[:, :size], **details) for i, size in enumerate(sizes))
    return Scores(("a", "b", "c"), tuple(tasks))


def share_gone(stress: Any, scores: Scores, seed: int) -> Any:
    """In which share of draws each score is missing, task after task."""
    generator = rng(seed)
    drawn = (stress(scores, generator).tasks for _ in range(DRAWS))
    return np.mean([np.concatenate([np.isnan(task.values).ravel() for task in tasks]) for tasks in drawn], axis=0)


def test_every_score_is_as_likely_to_go() -> None:
    # Three of nine, with a standard error of 0.011; four of them.
    assert_allclose(share_gone(RemoveScores(0.3), table(2, 1), 1), 3 / 9, atol=0.045)


def test_every_cell_is_as_likely_to_go_however_many_scores_it_has() -> None:
    stressed = RemoveCells(0.5)(table(50, 1), rng(1))
    assert {int(scored) for task in stressed.tasks for scored in task.scored} <= {0, 1, 50}, "each as a whole"
    assert_allclose(share_gone(RemoveCells(0.5), table(50, 1), 1), 0.5, atol=0.045)  # three of six


def test_missing_cells_count_for_nothing() -> None:
    values = np.array([[1.0, 2.0], [np.nan, np.nan], [1.0, np.nan]])
    scores = Scores(("a", "b", "c"), (Task.cut("t", values), Task.cut("u", values)))
    assert RemoveCells(0.5)(scores, rng(0)).n_scored in {2, 3, 4}  # of four cells with a score, two stay
    assert RemoveScores(0.5)(scores, rng(0)).n_scored == 3
    assert RemoveHard(0.5)(scores, rng(0)).n_scored == 3


@pytest.mark.parametrize("kind", [RemoveInstances, Subsample])
def test_tasks_of_the_same_instances_lose_the_same(kind: type[RemoveInstances | Subsample]) -> None:
    values = np.tile(np.arange(40.0), (2, 1))
    names = {"t": labelled(40), "u": labelled(40), "v": labelled(40, "other"), "w": None}
    scores = Scores(("a", "b"), tuple(Task.cut(name, values, instances=labels) for name, labels in names.items()))
    kept = [task.values[0][~np.isnan(task.values[0])].tolist() for task in kind(0.5)(scores, rng(0)).tasks]
    assert kept[0] == kept[1]
    assert len({tuple(one) for one in kept}) == 3


@pytest.mark.parametrize("kind", [RemoveInstances, Subsample])
def test_only_the_same_labels_one_by_one_are_the_same_instances(kind: type[RemoveInstances | Subsample]) -> None:
    values = np.tile(np.arange(40.0), (2, 1))
    most = np.array([*labelled(39).tolist(), "another"], dtype=np.dtypes.StringDType())
    labels = {"t": labelled(40), "u": most, "one": np.arange(40), "two": np.arange(40)}
    scores = Scores(("a", "b"), tuple(Task.cut(name, values, instances=names) for name, names in labels.items()))
    t, u, one, two = (set(task.values[0][~np.isnan(task.values[0])]) for task in kind(0.5)(scores, rng(0)).tasks)
    assert t != u
    assert one == two


def test_labels_and_weights_of_instances_go_with_them() -> None:
    weights = np.arange(1.0, 41.0)
    values = np.tile(np.arange(40.0), (2, 1))
    scores = Scores(("a", "b"), (Task.cut("t", values, instances=labelled(40), instance_weights=weights),))
    (task,) = Subsample(0.7)(scores, rng(0)).tasks
    assert task.n_instances == 12
    assert task.instance_weights is not None
    assert task.instances is not None
    assert_array_equal(task.instance_weights, task.values[0] + 1)
    assert task.instances.tolist() == [f"item {number:04.0f}" for number in task.values[0]]


def test_an_instance_lost_stays_as_an_empty_ballot() -> None:
    stressed = RemoveInstances(0.4)(table(10, 5), rng(0))
    empty = [np.isnan(task.values).all(axis=0) for task in stressed.tasks]
    assert [mask.size for mask in empty] == [10, 5]
    assert sum(mask.sum() for mask in empty) == 6
    assert stressed.n_cells - stressed.n_scored == 18


def test_an_instance_that_weighs_something_stays() -> None:
    weights = np.zeros(30)
    weights[17] = 2.0
    plain = Task.cut("t", np.tile(np.arange(30.0), (2, 1)), instances=labelled(30))
    weighed = Task.cut("u", plain.values, instances=labelled(30), instance_weights=weights)
    for seed in range(20):
        left = Subsample(1.0)(Scores(("a", "b"), (plain, weighed)), rng(seed)).tasks
        assert left[0].n_instances == left[1].n_instances <= 2
        assert 17.0 in left[1].values[0]


def test_the_first_to_go_is_drawn_by_difficulty() -> None:
    values = np.array([[0.0, 4.0, 2.0, np.nan], [1.0, 4.0, np.nan, np.nan]])
    scores = Scores(("a", "b"), (Task.cut("t", values), Task.cut("u", -values, higher_is_better=False)))
    # Differences to 1 of the means, of what is scaled by the range, 0 to 4; the same on the task turned round.
    hard = np.array([0.875, 0.0, 0.5, 0.5])
    for task in scores.tasks:
        assert_allclose(difficulty(task), hard)
    there = np.tile(~np.isnan(values).ravel(), 2)
    gone, odds = share_gone(RemoveHard(0.1, steepness=2.0), scores, 0)[there], np.exp(2.0 * np.tile(hard, 4))[there]
    assert gone.sum() == pytest.approx(1)
    # Standard error at most 0.009; four of them.
    assert_allclose(gone, odds / odds.sum(), atol=0.036)


def test_two_are_drawn_one_after_the_other() -> None:
    scores = Scores(("a", "b"), (Task.cut("t", np.array([[0.0, 0.5, 1.0], [0.0, 0.5, 1.0]])),))
    odds = np.exp(3.0 * np.tile([1.0, 0.5, 0.0], 2))
    chance = np.zeros(6)
    for first, second in product(range(6), repeat=2):
        if first != second:
            both = odds[first] / odds.sum() * odds[second] / (odds.sum() - odds[first])
            chance[[first, second]] += both
    assert_allclose(share_gone(RemoveHard(1 / 3, steepness=3.0), scores, 1), chance, atol=0.045)


def test_without_steepness_difficulty_does_not_count() -> None:
    scores = podium.from_arrays({"t": [[0.0, 1.0], [0.0, 1.0]]}, systems=["a", "b"])
    assert_allclose(share_gone(RemoveHard(0.25, steepness=0.0), scores, 2), 0.25, atol=0.04)


def test_equal_and_absent_scores_are_of_middling_difficulty_and_extremes_of_no_other() -> None:
    flat = Task.cut("t", np.array([[1.0, np.nan], [1.0, np.nan]]))
    assert_array_equal(difficulty(flat), [0.5, 0.5])
    assert_array_equal(difficulty(Task.cut("t", np.full((2, 3), np.nan))), [0.5] * 3)
    largest = np.finfo(np.float64).max
    assert_array_equal(difficulty(Task.cut("t", np.array([[largest, -largest]]))), [0.0, 1.0])


def every_task(scores: Scores) -> list[Scores]:
    return [scores.select(tasks=[name]) for name in scores.task_names]


@pytest.mark.parametrize("own_scale", [True, False])
@pytest.mark.parametrize("lower", [0, 2])
def test_corrupted_tasks_rank_the_systems_in_reverse(own_scale: bool, lower: int) -> None:
    scores = gumbel(5, 2, 50, dispersion=2.0, lower=lower, rng=0).scores
    for task in every_task(Corrupt(2, dispersion=3.0, own_scale=own_scale)(scores, rng())):
        for method in ("borda", "mean", "kemeny"):
            assert podium.rank(task, method, confidence_level=None).systems == scores.systems


def test_the_truth_is_reversed_where_it_is_given() -> None:
    scores = gumbel(4, 3, 40, dispersion=0.0, rng=0).scores
    for task in every_task(Corrupt(3, dispersion=3.0, truth=(2, 1, 4, 3))(scores, rng())):
        assert podium.rank(task, confidence_level=None).systems == ("system 3", "system 4", "system 1", "system 2")


def test_each_task_is_reversed_by_itself() -> None:
    values = gumbel(4, 1, 40, dispersion=3.0, rng=0).scores.tasks[0].values
    scores = Scores(("a", "b", "c", "d"), (Task.cut("up", values), Task.cut("down", values[::-1])))
    up, down = (
        podium.rank(task, confidence_level=None).systems
        for task in every_task(Corrupt(2, dispersion=3.0)(scores, rng()))
    )
    assert up == ("a", "b", "c", "d")
    assert down == ("d", "c", "b", "a")


def test_as_drawn_scores_are_gumbel_around_the_goodness_negated() -> None:
    scores = gumbel(3, 1, 20_000, dispersion=1.0, lower=1, rng=0).scores
    values = -Corrupt(1, dispersion=0.5, truth=(2, 2, 1), own_scale=False)(scores, rng()).tasks[0].values
    # The mean of Gumbel(c, 1) is c + 0.5772, its variance pi^2 / 6; those who share ranks 2 and 3 have goodness 1.5.
    assert_allclose(values.mean(axis=1), np.euler_gamma - 0.5 * np.array([1.5, 1.5, 3.0]), atol=0.04)
    assert_allclose(values.var(axis=1), np.pi**2 / 6, atol=0.1)


@given(seed=st.integers(0, 2**16), lower=st.integers(0, 2), missing=st.sampled_from([0.0, 0.4]))
def test_own_scale_keeps_mean_and_deviation_and_holes(seed: int, lower: int, missing: float) -> None:
    scores = gumbel(4, 2, [3, 20], dispersion=1.0, scales=[1000, 0.01], lower=lower, missing=missing, rng=seed).scores
    for before, now in zip(scores.tasks, Corrupt(2)(scores, rng(seed)).tasks, strict=True):
        assert_array_equal(np.isnan(before.values), np.isnan(now.values))
        assert np.nanmean(now.values) == pytest.approx(np.nanmean(before.values), rel=1e-9)
        if before.scored.sum() > 1:
            assert np.nanstd(now.values) == pytest.approx(np.nanstd(before.values), rel=1e-9)


def test_own_scale_leaves_equal_scores_and_empty_tasks() -> None:
    tasks = (Task.cut("equal", np.full((2, 3), 0.7)), Task.cut("empty", np.full((2, 3), np.nan)))
    equal, empty = Corrupt(2)(Scores(("a", "b"), tasks), rng()).tasks
    assert_allclose(equal.values, 0.7)
    assert_array_equal(empty.scored, [0, 0])


def test_means_to_be_reversed_are_weighted() -> None:
    values = np.array([[1.0] * 30 + [0.0] * 30, [0.0] * 30 + [1.0] * 30])
    for heavy, best in ((slice(30), "b"), (slice(30, 60), "a")):
        weights = np.ones(60)
        weights[heavy] = 3.0
        scores = Scores(("a", "b"), (Task.cut("t", values, instance_weights=weights),))
        assert podium.rank(Corrupt(1, dispersion=5.0)(scores, rng()), confidence_level=None).systems[0] == best


def test_every_task_is_as_likely_to_be_corrupted() -> None:
    scores = gumbel(2, 4, 2, dispersion=0.5, rng=0).scores
    generator, times = rng(1), np.zeros(4)
    for _ in range(1000):
        stressed = Corrupt(1)(scores, generator)
        times += [now is not before for now, before in zip(stressed.tasks, scores.tasks, strict=True)]
    # Standard error 14; four of them.
    assert_allclose(times, 250, atol=55)


def test_the_truth_must_fit_the_table() -> None:
    scores = gumbel(3, 2, 2, dispersion=0.5, rng=0).scores
    with pytest.raises(MethodError, match="the truth has 2 ranks for 3 systems"):
        Corrupt(1, truth=(1, 2))(scores, rng())
    with pytest.raises(MethodError, match="give the rank of every system"):
        Corrupt(1, truth=("first", "second"))  # type: ignore[arg-type]


def test_scores_too_large_to_average_are_refused() -> None:
    scores = Scores(("a", "b"), (Task.cut("t", np.array([[1e308, -1e308], [1e308, 1e308]])),))
    with pytest.raises(MethodError, match="task 't' are too large to be corrupted"):
        Corrupt(1)(scores, rng())
