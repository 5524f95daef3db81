from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import podium
from podium.robustness.stresses import difficulty
from podium.score.table import Scores
from podium.score.task import Task
from podium.stresses import RemoveCells, RemoveHard, RemoveInstances, RemoveScores, Subsample
from support.stressed import labelled

DRAWS = 2000


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def table(*sizes: int, **details: object) -> Scores:
    values = rng(0).normal(size=(3, max(sizes)))
    tasks = (Task.cut(f"task {i}", values[:, :size], **details) for i, size in enumerate(sizes))
    return Scores(("a", "b", "c"), tuple(tasks))


def test_every_score_is_as_likely_to_go() -> None:
    scores, stress, generator = table(2, 1), RemoveScores(0.3), rng(1)  # three of nine
    gone = np.zeros(9)
    for _ in range(DRAWS):
        gone += np.concatenate([np.isnan(task.values).ravel() for task in stress(scores, generator).tasks])
    # Standard error 0.011; four of them.
    assert_allclose(gone / DRAWS, 3 / 9, atol=0.045)


def test_every_cell_is_as_likely_to_go_however_many_scores_it_has() -> None:
    scores, stress, generator = table(50, 1), RemoveCells(0.5), rng(1)  # three of six
    gone = np.zeros((2, 3))
    for _ in range(DRAWS):
        gone += np.array([task.scored == 0 for task in stress(scores, generator).tasks])
    assert_allclose(gone / DRAWS, 0.5, atol=0.045)


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
    stress, generator, gone = RemoveHard(0.1, steepness=2.0), rng(0), np.zeros((2, 2, 4))
    for _ in range(DRAWS):
        gone += np.array([np.isnan(task.values) for task in stress(scores, generator).tasks]) & ~np.isnan(values)
    odds = np.where(np.isnan(values), 0, np.exp(2.0 * hard)) * np.ones((2, 1, 1))
    assert gone.sum() == DRAWS
    # Standard error at most 0.009; four of them.
    assert_allclose(gone / DRAWS, odds / odds.sum(), atol=0.036)


def test_two_are_drawn_one_after_the_other() -> None:
    scores = Scores(("a", "b"), (Task.cut("t", np.array([[0.0, 0.5, 1.0], [0.0, 0.5, 1.0]])),))
    odds = np.exp(3.0 * np.tile([1.0, 0.5, 0.0], 2))
    chance = np.zeros(6)
    for first, second in product(range(6), repeat=2):
        if first != second:
            both = odds[first] / odds.sum() * odds[second] / (odds.sum() - odds[first])
            chance[[first, second]] += both
    stress, generator, gone = RemoveHard(1 / 3, steepness=3.0), rng(1), np.zeros(6)
    for _ in range(DRAWS):
        gone += np.isnan(stress(scores, generator).tasks[0].values).ravel()
    assert_allclose(gone / DRAWS, chance, atol=0.045)


def test_without_steepness_difficulty_does_not_count() -> None:
    scores = podium.from_arrays({"t": [[0.0, 1.0], [0.0, 1.0]]}, systems=["a", "b"])
    stress, generator, gone = RemoveHard(0.25, steepness=0.0), rng(2), np.zeros(4)
    for _ in range(DRAWS):
        gone += np.isnan(stress(scores, generator).tasks[0].values).ravel()
    assert_allclose(gone / DRAWS, 0.25, atol=0.04)


def test_equal_and_absent_scores_are_of_middling_difficulty_and_extremes_of_no_other() -> None:
    flat = Task.cut("t", np.array([[1.0, np.nan], [1.0, np.nan]]))
    assert_array_equal(difficulty(flat), [0.5, 0.5])
    assert_array_equal(difficulty(Task.cut("t", np.full((2, 3), np.nan))), [0.5] * 3)
    largest = np.finfo(np.float64).max
    assert_array_equal(difficulty(Task.cut("t", np.array([[largest, -largest]]))), [0.0, 1.0])
