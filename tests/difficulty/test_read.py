"""Difficulty read from tables."""

import json
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import podium
from podium.errors import InputError, LabelError, PodiumError
from support.frames import FORMATS, save, written

FRAME = pl.DataFrame({"instance": [7, 3, 5], "bias": [0.5, 0.25, None], "failures": [1, 2, 3], "gold": ["a", "b", "a"]})


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_says_the_same(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"difficulty.{ending}"
    save(FRAME, path)
    found = podium.read_difficulty(path)
    assert found.instances.tolist() == [3, 5, 7]
    assert found.instances.dtype == np.int64
    assert [(measure.name, measure.hard) for measure in found.measures] == [("bias", "low"), ("failures", "high")]
    assert_array_equal(found.measure("bias").values, [0.25, np.nan, 0.5])
    assert_array_equal(found.measure("failures").values, [2, 3, 1])
    assert found.tasks is None
    assert found.notes == ("1 of 3 values of 'bias' is missing", "column 'gold' not used")


def test_the_released_bias_of_sst2(shared: Path) -> None:
    path = shared / "data" / "difficulty" / "sst2_spurious_bias.parquet"
    one = podium.read_difficulty(path, measures="bias_algo1")
    assert [measure.name for measure in one.measures] == ["bias_algo1"]
    both = podium.read_difficulty(path)
    assert [(measure.name, measure.hard) for measure in both.measures] == [("bias_algo1", "low"), ("bias_algo2", "low")]
    # 794 rows, 7 samples twice
    assert len(one) == len(both) == 787
    note = "7 instances in several rows; the mean of their values counts: '0', '2', '3', '4', '5' and 2 more"
    assert one.notes == (note,)
    means = pl.read_parquet(path).group_by("sample_id").agg(pl.col("bias_algo1", "bias_algo2").mean()).sort("sample_id")
    assert_array_equal(both.instances, means["sample_id"])
    for measure in both.measures:
        assert_allclose(measure.values, means[measure.name], rtol=1e-15)


def test_labels_are_numbers_only_where_they_are_written_so(tmp_path: Path) -> None:
    found = podium.read_difficulty(written(tmp_path, "id,irt\n7,1\n007,2\n10,3\n"))
    assert found.instances.tolist() == ["007", "10", "7"]
    assert isinstance(found.instances.dtype, np.dtypes.StringDType)
    assert_array_equal(found.measure().values, [2, 3, 1])


def test_whole_numbers_may_be_written_with_a_point(tmp_path: Path) -> None:
    found = podium.read_difficulty(written(tmp_path, "id,irt\n7.0,1\n8,2\n-10.0,3\n"))
    assert found.instances.tolist() == [-10, 7, 8]
    found = podium.read_difficulty(written(tmp_path, "id,irt\n7.0,1\n07.0,2\n7.5,3\n"))
    assert found.instances.tolist() == ["07.0", "7.0", "7.5"]


def test_labels_that_turn_out_late_to_be_text(tmp_path: Path) -> None:
    rows = "".join(f"{number},{number}\n" for number in range(1000))
    found = podium.read_difficulty(written(tmp_path, f"id,failures\n{rows}a,5\n"))
    assert len(found) == 1001
    assert found.instances[-1] == "a"


def test_tasks_divide_instances(tmp_path: Path) -> None:
    path = written(tmp_path, "dataset,id,similarity_25\nsst2,2,.2\nrte,1,.4\nsst2,1,.1\nrte,2,.8\nrte,2,.6\n")
    found = podium.read_difficulty(path)
    assert found.tasks is not None
    assert found.tasks.tolist() == ["sst2", "sst2", "rte", "rte"]
    assert found.instances.tolist() == [1, 2, 1, 2]
    assert_allclose(found.measure().values, [0.1, 0.2, 0.4, 0.7])
    assert found.notes == ("1 instance in several rows; the mean of their values counts: '2' of 'rte'",)


def test_roles_that_are_named(tmp_path: Path) -> None:
    path = written(tmp_path, "which,where,hardness,bias\nx,t,3,9\ny,t,1,9\n")
    found = podium.read_difficulty(
        path, instance_column="which", task_column="where", measures=["hardness"], hard="high"
    )
    assert found.rows() == [
        {"task": "t", "instance": "x", "hardness": 3.0},
        {"task": "t", "instance": "y", "hardness": 1.0},
    ]
    assert podium.read_difficulty(written(tmp_path, "id,irt\n1,1\n"), hard="low").measure().hard == "low"


def test_capitals_and_words_for_missing(tmp_path: Path) -> None:
    found = podium.read_difficulty(written(tmp_path, "Sample-ID,Bias (test),STS\n1,0,n/a\n2,1,-\n3,NA,5\n"))
    assert [(measure.name, measure.hard) for measure in found.measures] == [("Bias (test)", "low"), ("STS", "low")]
    assert_array_equal(found.measures[1].values, [np.nan, np.nan, 5])
    assert found.notes == ("1 of 3 values of 'Bias (test)' is missing", "2 of 3 values of 'STS' are missing")


def test_columns_of_text_are_no_measures(tmp_path: Path) -> None:
    found = podium.read_difficulty(written(tmp_path, "id,bias_type,bias\n1,gender,.5\n2,age,.25\n"))
    assert [measure.name for measure in found.measures] == ["bias"]
    assert found.notes == ("column 'bias_type' not used",)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b"]), st.integers(-3, 3), st.none() | st.integers(0, 64).map(lambda n: n / 64)
        ),
        min_size=1,
        max_size=12,
    ).filter(lambda rows: any(value is not None for _, _, value in rows))
)
def test_means_as_by_hand(rows: list[tuple[str, int, float | None]]) -> None:
    values: dict[tuple[str, int], list[float]] = defaultdict(list)
    for task, instance, value in rows:
        values[task, instance] += [] if value is None else [value]
    lines = (f"{task},{instance},{'' if value is None else value}\n" for task, instance, value in rows)
    with tempfile.TemporaryDirectory() as folder:
        found = podium.read_difficulty(written(Path(folder), "task,instance,bias\n" + "".join(lines)))
    order = list(dict.fromkeys(task for task, _, _ in rows))
    expected: list[tuple[str, int, Any]] = [
        (*key, sum(values[key]) / len(values[key]) if values[key] else None)
        for key in sorted(values, key=lambda key: (order.index(key[0]), key[1]))
    ]
    # sums of 64ths are exact, so the means are too
    assert [(row["task"], row["instance"], row["bias"]) for row in found.rows()] == expected


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("id,bias\n1,1.5\n", {}, "line 2: 'bias' is 1.5, but a bias is a share from 0 to 1"),
        ("id,Spurious-2\n1,1\n2,-0.1\n", {}, "line 3: 'Spurious-2' is -0.1"),
        ("id,bias\n1,1\n", {"measures": "bais"}, "no column 'bais'; did you mean 'bias'.*The columns are 'id', 'bias'"),
        ("id,bias\n1,1\n", {"measures": []}, "the list of measures is empty"),
        ("id,bias\n1,1\n", {"measures": "id", "hard": "low"}, "'id' holds labels"),
        ("id,loss\n1,1\n", {}, "no column of numbers has a name.*columns are 'id', 'loss'"),
        ("id,bias\n1,x\n", {}, "line 2: column 'bias' holds 'x'"),
        ("id,loss\n1,1\n", {"measures": "loss"}, "hard='low'.*low values mean hard.*hard='high'"),
        ("id,bias\n1,1\n", {"hard": "lower"}, "no end of a measure that is hard 'lower'; did you mean 'low'"),
        ("row,bias\n1,1\n", {}, "no column names the instances.*columns are 'row', 'bias'"),
        ("id,bias\n1,1\n", {"instance_column": "row"}, "no column 'row'"),
        ("id,bias\n1,1\n", {"task_column": "row"}, "no column 'row'"),
        ("id,bias\n", {}, "no rows|no column of numbers"),
        ("", {}, "is empty"),
        ("id,bias\n,1\n", {}, "line 2: there is no instance in column 'id'"),
        ("task,id,bias\nt,1,1\n,2,1\n", {}, "line 3: there is no task in column 'task'"),
        ("id,irt\n1,2\n2,inf\n", {}, "line 3: column 'irt' holds inf"),
        ("id,irt\n1,2\n2,easy\n", {"measures": "irt"}, "line 3: column 'irt' holds 'easy', which is not a number"),
        ("id,irt\n1,\n2,NA\n", {"measures": "irt"}, "column 'irt' has no value"),
    ],
)
def test_what_makes_no_sense(tmp_path: Path, text: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(PodiumError, match=message) as caught:
        podium.read_difficulty(written(tmp_path, text), **options)
    assert isinstance(caught.value, InputError | LabelError)


def test_what_no_column_can_be(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps({"id": 1, "bias": [1, 2]}), "difficulty.jsonl")
    with pytest.raises(InputError, match="'bias' holds lists"):
        podium.read_difficulty(path, measures="bias")
    with pytest.raises(InputError, match="no file"):
        podium.read_difficulty(tmp_path / "nothing.csv")


def test_a_million_rows_take_a_moment(tmp_path: Path) -> None:
    count = 1_000_000
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"instance": rng.permutation(count), "bias": rng.random(count)})
    path = tmp_path / "large.parquet"
    frame.write_parquet(path)
    start = time.perf_counter()
    found = podium.read_difficulty(path)
    assert time.perf_counter() - start < 10  # half a second on a quiet machine; a loop per row takes longer
    assert_array_equal(found.measure().values, frame.sort("instance")["bias"])
