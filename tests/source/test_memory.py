"""Scores from what is already in memory: frames, dictionaries and arrays."""

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import podium
from podium.errors import InputError, LabelError, PodiumError
from podium.score.task import PART
from podium.score.units import same_instances
from podium.source.arrays import from_arrays, from_dict
from podium.source.memory import from_frame

if TYPE_CHECKING:
    from podium.score.table import Scores

pytestmark = pytest.mark.core

COLUMNS: dict[str, list[Any]] = {"model": ["A", "B", "C"], "rte": [0.5, None, 0.7], "sst2": [1, 2, 3]}

FRAMES: dict[str, Any] = {
    "pandas": pd.DataFrame(COLUMNS),
    "pandas, missing as NaN": pd.DataFrame({**COLUMNS, "rte": [0.5, np.nan, 0.7]}),
    "pandas, categories": pd.DataFrame(COLUMNS).astype({"model": "category"}),
    "pandas, named index": pd.DataFrame(COLUMNS).set_index("model"),
    "pandas, unnamed index": pd.DataFrame(COLUMNS).set_index("model").rename_axis(None),
    "pandas, filtered": pd.DataFrame({name: ["x", *values] for name, values in COLUMNS.items()}).drop(index=0),
    "polars": pl.DataFrame(COLUMNS),
    "polars, lazy": pl.LazyFrame(COLUMNS),
    "pyarrow": pa.table(COLUMNS),
    "pyarrow, batch": pa.RecordBatch.from_pydict(COLUMNS),
    "narwhals": nw.from_native(pl.DataFrame(COLUMNS)),
}


@pytest.mark.parametrize("name", FRAMES)
def test_every_frame_gives_the_same_table(name: str) -> None:
    scores = from_frame(FRAMES[name])
    assert scores.systems == ("A", "B", "C")
    assert scores.task_names == ("rte", "sst2")
    np.testing.assert_array_equal(scores.tasks[0].values, [[0.5], [np.nan], [0.7]])
    np.testing.assert_array_equal(scores.tasks[1].values, [[1], [2], [3]])
    assert scores.backend == {"narwhals": "polars"}.get(name, name.partition(",")[0])


def test_a_reader_of_record_batches_is_read_to_its_end() -> None:
    batches = pa.table(COLUMNS).to_batches(max_chunksize=2)
    scores = from_frame(pa.RecordBatchReader.from_batches(batches[0].schema, batches))
    assert (scores.systems, scores.n_scored, scores.backend) == (("A", "B", "C"), 5, "pyarrow")


def test_a_long_frame_with_options() -> None:
    frame = pl.DataFrame({"who": ["A", "B"], "task": ["t", "t"], "n": [1, 1], "acc": [0.5, 0.25], "w": [2.0, 2.0]})
    scores = from_frame(
        frame, system_column="who", instance_column="n", score_column="acc", weight_column="w", lower=["t"]
    )
    assert scores.tasks[0].instance_weights is not None
    assert scores.tasks[0].instance_weights.tolist() == [2]
    assert not scores.tasks[0].higher_is_better


def test_frames_of_predictions_and_frames_of_systems_by_column() -> None:
    predictions = pd.DataFrame({"system": ["A", "A", "B", "B"], "id": [1, 2, 1, 2], "prediction": list("xyxx")})
    answers = pd.DataFrame({"id": [1, 2], "gold": ["x", "y"]})
    beside = predictions.assign(right=["x", "y", "x", "y"]).rename(columns={"prediction": "said"})
    for scores in (from_frame(predictions, gold=answers), from_frame(beside, gold="right", prediction_column="said")):
        np.testing.assert_array_equal(scores.tasks[0].values, [[1, 1], [1, 0]])
    with pytest.raises(InputError, match="gold is 3; it must be a column, or a frame or a file"):
        from_frame(predictions, gold=3)  # type: ignore[arg-type]
    turned = pd.DataFrame({"task": ["t", "u"], "A": [1.0, 2.0], "B": [2.0, 3.0]})
    assert from_frame(turned, transpose=True).systems == ("A", "B")


def test_a_series_with_a_named_index_is_a_frame() -> None:
    frame = pd.DataFrame({"system": ["A", "A", "B"], "task": ["t", "u", "t"], "acc": [0.3, 0.1, 0.2]})
    scores = from_frame(frame.groupby(["system", "task"])["acc"].mean())
    assert (scores.systems, scores.task_names, scores.n_scored) == (("A", "B"), ("t", "u"), 3)


def test_pandas_columns_may_be_numbers_and_systems_an_index_of_numbers() -> None:
    frame = pd.DataFrame([[1.0, 2.0]], columns=[0, 1], index=pd.Index([7], name="system"))
    scores = from_frame(frame)
    assert (scores.systems, scores.task_names) == (("7",), ("0", "1"))


def test_the_numbers_of_rows_that_a_filter_leaves_are_no_column() -> None:
    assert podium.rank(FRAMES["pandas, filtered"]).notes == podium.rank(FRAMES["pandas"]).notes


@pytest.mark.parametrize(
    ("index", "columns"),
    [
        (["system", "instance"], "task"),
        (["task", "instance"], "system"),
        (["system", "task"], "instance"),
        ("instance", ["task", "system"]),
        ("system", ["task", "instance"]),
    ],
)
def test_a_pandas_pivot_is_the_table_it_was_made_of(index: Any, columns: Any) -> None:
    cells = [(system, task, number) for system in "AB" for task in ("t", "u") for number in range(3)]
    frame = pd.DataFrame(cells[1:], columns=["system", "task", "instance"]).assign(score=np.arange(11.0) % 4)
    plain, pivot = podium.rank(frame), frame.pivot_table(index=index, columns=columns, values="score")
    for given in (pivot, pivot.reset_index()):
        ranking = podium.rank(given)
        assert ranking.systems == plain.systems
        assert ranking["score"].tolist() == pytest.approx(plain["score"].tolist())


def test_pivots_of_means_and_pivots_that_do_not_say_what_they_are() -> None:
    frame = pd.DataFrame({"system": ["A", "A", "B", "B"], "task": ["t", "u"] * 2, "acc": [0.3, 0.1, 0.2, 0.4]})
    pivot = frame.assign(f1=0.5).pivot_table(["acc", "f1"], "system", "task")
    assert podium.info(pivot).to_dict()["tasks"] == podium.info(pivot.reset_index()).to_dict()["tasks"]
    assert sorted(from_frame(pivot).task_names) == ["t:acc", "t:f1", "u:acc", "u:f1"]
    assert from_frame(frame.pivot_table("acc", "task", "system").reset_index()).task_names == ("t", "u")
    with pytest.raises(InputError, match=r"columns have 2 levels, called \[None, None\].*; name them, as in"):
        podium.rank(frame.groupby(["system", "task"]).agg({"acc": ["mean", "std"]}))
    odd = frame.rename(columns={"task": "part of it"}).pivot_table("acc", "part of it", "system").reset_index()
    with pytest.raises(InputError, match="columns are called 'system', but these hold no numbers: part of it; call"):
        podium.rank(odd)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pl.DataFrame({"system": ["A"], "rte": ["x"]}), "the frame, row 1: column 'rte' holds 'x'"),
        (pa.table({"system": pa.array([], pa.string()), "rte": pa.array([], pa.float64())}), "the frame .* no rows"),
        (pd.DataFrame([["A", 1, 2]], columns=["system", "a", "a"]), "columns 2 and 3 are both called 'a'"),
        (pd.DataFrame({"system": ["A", "B"], "rte": [1, "x"]}), "the frame"),
        (pa.table([["A"], [1], [2]], names=["system", "a", "a"]), "two columns have the same name"),
        ([1, 2], "list is not a data frame"),
        ("scores.csv", "str is not a data frame; .*use podium.read for paths"),
        (pd.Series([1, 2]), "Series is not a data frame; convert a series with to_frame"),
        (pl.Series([1, 2]), "Series is not a data frame"),
    ],
)
def test_bad_frames(frame: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_frame(frame)


def test_dictionaries_of_numbers_lists_and_mappings() -> None:
    scores = from_dict(
        {
            "A": {"one": 1, "list": [1, None, 0.5], "map": {"b": 1, "a": 2}},
            "B": {"map": {"c": 3}, "list": (3, 2, float("nan")), "two": np.float32(2)},
            "C": {"one": None},
        }
    )
    assert scores.systems == ("A", "B", "C")
    assert scores.task_names == ("one", "list", "map", "two")
    nan = np.nan
    expected = [
        [[1], [nan], [nan]],
        [[1, nan, 0.5], [3, 2, nan], [nan] * 3],
        [[2, 1, nan], [nan, nan, 3], [nan] * 3],
        [[nan], [2], [nan]],
    ]
    for task, values in zip(scores.tasks, expected, strict=True):
        np.testing.assert_array_equal(task.values, values)
    assert np.asarray(scores.tasks[2].instances).tolist() == ["a", "b", "c"]
    numbers = from_dict({"A": {"t": {10: 1, 9: 2}}}).tasks[0]
    assert np.asarray(numbers.instances).tolist() == [9, 10]
    mixed = from_dict({"A": {"t": {10: 1, "9": 2}}}).tasks[0]
    assert np.asarray(mixed.instances).tolist() == ["10", "9"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"A": {"t": [1, 2]}, "B": {"t": [1]}}, "task 't': system 'A' has 2 scores and system 'B' has 1"),
        ({"A": {"t": [1, 2]}, "B": {"t": 1}}, "task 't' is a list for system 'A' and a number for 'B'"),
        ({"A": {"t": "x"}}, "task 't', system 'A': 'x' is not a number"),
        ({"A": {"t": ["x"]}}, "task 't', system 'A': 'x' is not a number"),
        ({"A": {"t": [[1]]}}, "task 't', system 'A': .* is not a number"),
        ({"A": {"t": {}}}, "task 't' has no instances"),
        ({"A": {"t": []}}, "task 't' has no instances"),
        ([("A", {"t": 1})], "expected a dictionary system → task → score, not list; use podium.read for paths"),
        ({"A": 1}, "system 'A': expected a mapping from tasks to scores, not int"),
        ({"A": {"t": float("inf")}}, "task 't', system 'A': a score is infinite"),
        ({}, "no systems"),
        ({"A": {}}, "no tasks"),
        ({1: {"t": 1}, "1": {"t": 2}}, "two systems have the same name"),
        ({"A": {1: 1, "1": 2}}, "system 'A': two tasks have the same name"),
        ({"A": {"t": {1: 1, "1": 2}}}, "task 't', system 'A': two instances have the same label"),
    ],
)
def test_bad_dictionaries(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_dict(given)


def test_dictionaries_take_the_same_options() -> None:
    given = {"A": {"ter": 1, "rte": 1}, "B": {"ter": 1, "rte": 2}}
    scores = from_dict(given, tasks=["ter"], systems="B", lower="ter")
    assert (scores.systems, scores.task_names) == (("B",), ("ter",))
    assert not scores.tasks[0].higher_is_better
    with pytest.raises(LabelError, match="no task 'tre'; did you mean 'ter'"):
        from_dict(given, lower=["tre"])


def test_arrays_of_two_and_three_axes_and_mappings() -> None:
    flat = from_arrays(np.array([[1, 2, None], [4, 5, 6]]))
    assert flat.systems == ("system 1", "system 2")
    assert flat.task_names == ("task 1", "task 2", "task 3")
    assert (flat.task_level, flat.n_scored) == (True, 5)
    cube = np.arange(2 * 3 * 4, dtype=np.float32).reshape(2, 3, 4)
    deep = from_arrays(cube, systems=["A", "B"], tasks=["x", "y", "z"], instances=[4, 3, 2, 1])
    assert deep.tasks[1].parts[0].dtype == np.float32
    np.testing.assert_array_equal(deep.tasks[1].values, cube[:, 1, ::-1])
    assert np.asarray(deep.tasks[0].instances).tolist() == [1, 2, 3, 4]
    named = from_arrays({"x": cube[:, 0], "y": cube[:, 1, :2]}, tasks=["y", "x"], instances={"y": ["b", "a"]})
    assert [task.n_instances for task in named.tasks] == [2, 4]
    assert (np.asarray(named.tasks[0].instances).tolist(), named.tasks[1].instances) == (["a", "b"], None)
    mixed = from_arrays({"x": cube[:, 0], "y": [[1], [2]]})
    assert {task.parts[0].dtype for task in mixed.tasks} == {np.dtype(np.float64)}


def test_arrays_are_copied_and_cut() -> None:
    array = np.zeros((2, PART + 1))
    scores = from_arrays({"t": array})
    array[:] = 1
    assert not np.any(scores.tasks[0].values)
    assert [part.shape for part in scores.tasks[0].parts] == [(2, PART), (2, 1)]


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ([1, 2], {}, r"shape \(2,\); expected \(systems, tasks\)"),
        ([[1, 2]], {"systems": ["A", "B"]}, r"shape \(1, 1\), but 2 systems are named"),
        ([[1, 2]], {"tasks": ["A"]}, r"shape \(1, 2\), so 2 tasks; 1 are named"),
        ([[1, 2]], {"tasks": ["A", "A"]}, "task 'A' appears twice"),
        ([["x"]], {}, "the array is not an array of numbers"),
        ([[1], [1, 2]], {}, "the array is not an array of numbers"),
        ({"t": [1]}, {}, r"task 't': the array has shape \(1,\); expected \(systems, instances\)"),
        ({"t": [[1]], "u": [[1], [2]]}, {}, r"task 'u' has shape \(2, 1\) and task 't' has shape \(1, 1\)"),
        ({"t": [[1]]}, {"instances": [1, 2]}, r"task 't' has 1 instances, but their labels have shape \(2,\)"),
        ({"t": [[1, 2]]}, {"instances": [1, 1]}, "an instance label occurs twice"),
        ({"t": [[1], [np.inf]]}, {"systems": ["A", "B"]}, "task 't', system 'B': a score is infinite"),
        ({"t": np.empty((1, 0))}, {}, "no instances"),
        ({}, {}, "no arrays"),
        (np.empty((0, 2)), {}, "no systems"),
        ([[1, 2]], {"systems": 3}, r"systems is 3; give a list of labels, such as \['A', 'B'\]"),
        ([[1, 2], [3, 4]], {"systems": "AB"}, "systems is 'AB'; give a list"),
        ([[1, 2]], {"tasks": {"x", "y"}}, "tasks is {.*}; give a list"),
    ],
)
def test_bad_arrays(given: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_arrays(given, **options)


def test_an_unknown_task_of_a_mapping() -> None:
    with pytest.raises(LabelError, match="no task 'u'"):
        from_arrays({"t": [[1]]}, tasks=["u"])


def test_doors_agree_with_each_other() -> None:
    values = [[0.5, 1.0], [0.25, np.nan]]
    expected = from_arrays(values, systems=["A", "B"], tasks=["x", "y"])
    doors: list[Scores] = [
        from_dict({"A": {"x": 0.5, "y": 1}, "B": {"x": 0.25}}),
        from_frame(pl.DataFrame({"system": ["A", "B"], "x": [0.5, 0.25], "y": [1.0, None]})),
    ]
    for scores in doors:
        assert (scores.systems, scores.task_names) == (expected.systems, expected.task_names)
        for task, other in zip(scores.tasks, expected.tasks, strict=True):
            np.testing.assert_array_equal(task.values, other.values)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lower": [1]}, "tasks are named by text, such as '1', not by 1"),
        ({"higher": None}, "tasks are named by text, such as 'None', not by None"),
        ({"systems": 3}, "systems are named by text, such as '3', not by 3"),
    ],
)
def test_options_of_another_kind(options: dict[str, Any], message: str) -> None:
    given = {"A": {"1": 0.5}, "B": {"1": 0.6}}
    with pytest.raises(PodiumError, match=message):
        from_dict(given, **options)
    with pytest.raises(PodiumError, match=message):
        from_frame(pl.DataFrame({"system": ["A", "B"], "1": [0.5, 0.6]}), **options)


def test_a_column_named_by_its_number() -> None:
    with pytest.raises(LabelError, match="system columns are named by text, such as '0', not by 0"):
        from_frame(pl.DataFrame({"system": ["A"], "rte": [1]}), system_column=0)  # type: ignore[arg-type]


def test_tasks_of_one_array_have_the_same_instances() -> None:
    values = np.arange(24.0).reshape(2, 3, 4)
    assert len(same_instances(from_arrays(values).tasks)) == 1
    assert len(same_instances(from_arrays({f"t{task}": values[:, task] for task in range(3)}).tasks)) == 3


def test_an_index_without_a_name_holds_the_systems_also_once_it_is_a_column() -> None:
    frame = pd.DataFrame({"rte": [1.0, 2.0]}, index=["A", "B"])
    assert podium.from_frame(frame.reset_index()).systems == podium.from_frame(frame).systems == ("A", "B")
