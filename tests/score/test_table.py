import fnmatch
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from scipy.stats import rankdata

import podium
from podium.errors import InputError, LabelError, WeightError
from podium.score.place import competition_ranks, midranks, places
from podium.score.table import Scores
from podium.score.task import PART, Task
from support.worlds import coarse


@pytest.fixture
def toy() -> Scores:
    return podium.datasets.toy_table1()


def test_a_table_cannot_be_written_to(toy: Scores) -> None:
    with pytest.raises(ValueError, match="read-only"):
        toy.tasks[0].parts[0][0, 0] = 1.0
    with pytest.raises(AttributeError):
        toy.systems = ()  # type: ignore[misc]


def test_blocks_cover_the_table_once_and_are_oriented() -> None:
    values = np.arange(3.0 * (2 * PART + 5)).reshape(3, -1)
    table = Scores(("a", "b", "c"), (Task.cut("up", values), Task.cut("down", values, higher_is_better=False)))
    blocks = list(table.blocks())
    for index, sign in ((0, 1.0), (1, -1.0)):
        together = np.concatenate([block.values for block in blocks if block.task == index], axis=1)
        np.testing.assert_array_equal(together, sign * values)


def test_instance_weights_are_cut_like_the_scores() -> None:
    size = PART + 3
    table = Scores(("a", "b"), (Task.cut("t", np.ones((2, size)), instance_weights=np.arange(1.0, size + 1)),))
    weights = np.concatenate([block.weights for block in table.blocks() if block.weights is not None])
    np.testing.assert_array_equal(weights, np.arange(1.0, size + 1))


@pytest.mark.parametrize(
    ("patterns", "kept"),
    [
        (["Task1"], ["Task1"]),
        (["Task[12]", "Task6"], ["Task1", "Task2", "Task6"]),
        (["!Task1"], ["Task2", "Task3", "Task4", "Task5", "Task6"]),
        (["Task*", "!Task[2-6]"], ["Task1"]),
    ],
)
def test_selecting_tasks(toy: Scores, patterns: list[str], kept: list[str]) -> None:
    assert list(toy.select(tasks=patterns).task_names) == kept


def test_an_exact_label_wins_over_reading_it_as_a_glob() -> None:
    odd = Scores(("a",), (Task.cut("t[1]", np.ones((1, 1))), Task.cut("t1", np.ones((1, 1)))))
    assert odd.select(tasks=["t[1]"]).task_names == ("t[1]",)


def test_unknown_labels_offer_the_nearest(toy: Scores) -> None:
    with pytest.raises(LabelError, match="no task 'Tsk1'; did you mean 'Task1'"):
        toy.select(tasks=["Tsk1"])
    with pytest.raises(LabelError, match="no task 'zzz'; there are 'Task1'"):
        toy.with_directions(lower=["zzz"])
    with pytest.raises(LabelError, match="no system 'D'"):
        toy.select(systems=["D"])
    with pytest.raises(LabelError, match="no task 'nope'"):
        toy.with_task_weights({"nope": 1.0})
    wrong: dict[Any, float] = {1: 2}
    with pytest.raises(LabelError, match="tasks are named by text, such as '1', not by 1"):
        toy.with_task_weights(wrong)


def test_a_task_cannot_be_better_both_ways(toy: Scores) -> None:
    with pytest.raises(InputError, match="'Task1' is named both as better lower and as better higher"):
        toy.with_directions(lower=["Task1"], higher=["Task*"])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"Task1": -1.0}, "weight of task 'Task1' is -1; a weight is a finite number that is not negative"),
        ({"*": 0.0}, "all zero"),
        ({"Task1": np.inf}, "weight of task 'Task1' is inf"),
        ({"Task?": np.nan, "Task2": 1}, "weight of task 'Task1' is nan"),
        ({"Task1": "a"}, "weight of task 'Task1' is 'a', which is not a number"),
        ({"Task[12]": 2, "*": 3}, "task 'Task1' is given weight 2 by 'Task\\[12\\]' and 3 by '\\*'; give it one"),
        ([("Task1", 1)], "weights are a dictionary such as"),
        (2, "weights are a dictionary such as {'rte': 2}, not int"),
    ],
)
def test_weights_that_make_no_sense_are_refused(toy: Scores, weights: Any, message: str) -> None:
    with pytest.raises(WeightError, match=message):
        toy.with_task_weights(weights)


def test_a_name_outdoes_globs_and_globs_may_agree(toy: Scores) -> None:
    weights = {"Task[1-3]": 3, "Task2": 5, "Task[12]": 4, "Task1": 1, "Task[3-6]": 3}
    assert toy.with_task_weights(weights).task_weights.tolist() == [1, 5, 3, 3, 3, 3]
    assert toy.with_task_weights(dict(reversed(weights.items()))).task_weights.tolist() == [1, 5, 3, 3, 3, 3]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 2.0], "has 1 instances"),
        ([-1.0], "negative"),
        ([0.0], "all zero"),
        ([np.nan], "instance weights of task 'Task1': weight 1 is nan"),
        (["a"], "instance weights of task 'Task1' are not numbers"),
    ],
)
def test_instance_weights_that_make_no_sense_are_refused(toy: Scores, weights: list[Any], message: str) -> None:
    with pytest.raises(WeightError, match=message):
        toy.with_instance_weights({"Task1": weights})


def test_infinite_scores_are_refused() -> None:
    with pytest.raises(InputError, match="task 'x', system 2: a score is infinite"):
        Task.cut("x", np.array([[1.0], [np.inf]]))
    finite = Task.cut("x", np.array([[1.0], [2.0]]))
    with pytest.raises(InputError, match="task 'x', system 1: a score is infinite"):
        Task("x", (np.array([[-np.inf], [np.inf]]),), finite.scored)
    with pytest.raises(InputError, match="task 'x', system 2: a score is infinite"):
        finite.with_values(np.array([[1.0], [np.inf]]))


@pytest.mark.parametrize(
    ("systems", "tasks", "message"),
    [
        ((), (), "no systems"),
        (("a",), (), "no tasks"),
        (("a", "a"), (Task.cut("x", np.ones((2, 1))),), "system 'a' appears twice"),
        (("a",), (Task.cut("x", np.ones((1, 1))),) * 2, "task 'x' appears twice"),
        (("a",), (Task.cut("x", np.ones((2, 1))),), "2 rows of scores for 1 systems"),
    ],
)
def test_tables_that_make_no_sense_are_refused(systems: tuple[str, ...], tasks: tuple[Task, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Scores(systems, tasks)


@pytest.mark.parametrize("tolerance", [-1.0, np.inf, np.nan, "0.1"])
def test_tie_tolerances_that_make_no_sense_are_refused(toy: Scores, tolerance: Any) -> None:
    with pytest.raises(InputError, match="tie tolerance"):
        toy.with_tie_tolerance(tolerance)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("level", ["task", "one"])
@pytest.mark.parametrize(("low", "step"), [(0.7, 0.1), (0.801, 0.001), (80.1, 0.1), (0.1, 0.2), (33.3, 1.1)])
def test_a_tolerance_reaches_the_score_it_just_reaches(low: float, step: float, level: Any, dtype: Any) -> None:
    # low + step is written as a person would, so that it differs from the sum by rounding
    values = np.array([[low], [round(low + step, 3)], [round(low + 1.01 * step, 5)]], dtype=dtype)
    for sign in (1, -1):
        pairs = [Scores(("a", "b"), (Task.cut("t", sign * values[[0, i]]),), tie_tolerance=step) for i in (1, 2)]
        assert [podium.rank(pair, level=level, confidence_level=None).rank.tolist().count(1) for pair in pairs] == [
            2,
            1,
        ]


def test_systems_are_taken_by_their_rows_in_any_order_and_several_times() -> None:
    table = podium.from_arrays({"t": [[1.0, np.nan], [3.0, 4.0], [5.0, 6.0]]}, systems=["a", "b", "c"])
    taken = table.take([2, 0, 0], ["c", "a", "a again"])
    assert taken.systems == ("c", "a", "a again")
    np.testing.assert_array_equal(taken.tasks[0].values, [[5.0, 6.0], [1.0, np.nan], [1.0, np.nan]])
    np.testing.assert_array_equal(taken.tasks[0].scored, [2, 1, 1])


def test_other_scores_of_a_task_are_counted_and_cut() -> None:
    task = Task.cut("t", np.zeros((2, 3)), weight=2.0)
    values = np.zeros((2, PART + 1))
    values[1, PART] = np.nan
    other = task.with_values(values)
    assert [part.shape[1] for part in other.parts] == [PART, 1]
    np.testing.assert_array_equal(other.scored, [PART + 1, PART])
    assert (other.name, other.weight) == ("t", 2.0)


def test_names_of_many_tasks_are_looked_up_and_not_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = podium.from_arrays(np.ones((2, 3_000)))
    monkeypatch.delattr(fnmatch, "filter")
    names = scores.task_names
    assert scores.with_task_weights(dict.fromkeys(names, 2.0)).task_weights.tolist() == [2.0] * 3_000
    assert scores.select(tasks=names).task_names == names
    assert scores.with_directions(lower=names).higher_is_better.sum() == 0


values = hnp.arrays(np.float64, hnp.array_shapes(max_dims=1, max_side=12), elements=coarse)


@given(values=values)
def test_ranks_are_scipys(values: NDArray[np.float64]) -> None:
    level = places(values)
    assert_array_equal(competition_ranks(level), rankdata(-values, method="min"))
    assert_array_equal(midranks(level), rankdata(-values))
    assert_array_equal(level + 1, rankdata(-values, method="dense"))


@given(values=values)
def test_missing_values_take_no_place(values: NDArray[np.float64]) -> None:
    holes = np.append(values, [np.nan, np.nan])
    assert_array_equal(places(holes)[:-2], places(values))
    assert_array_equal(competition_ranks(places(holes))[-2:], [0, 0])
    assert_array_equal(midranks(places(holes))[-2:], [np.nan, np.nan])


def test_small_steps_chain() -> None:
    assert places(np.array([0.0, 0.9, 1.8, 3.0]), tolerance=1.0).tolist() == [1, 1, 1, 0]


@pytest.mark.parametrize("size", [0, 2])
def test_nothing_to_rank(size: int) -> None:
    level = places(np.full(size, np.nan))
    assert competition_ranks(level).tolist() == [0] * size
