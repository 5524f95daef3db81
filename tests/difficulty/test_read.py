"""Difficulty, and texts with right answers, read from tables."""

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


SAMPLES = pl.DataFrame({"sample_id": [7, 3], "text": ['it\'s "fine", really', "größer\nals je"], "gold": [1, 0]})


def vectors(folder: Path, array: Any, name: str = "vectors.npy") -> Path:
    path = folder / name
    np.save(path, array)
    return path


@pytest.mark.parametrize("ending", FORMATS)
def test_texts_are_the_same_in_every_format(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"samples.{ending}"
    save(SAMPLES, path)
    found = podium.read_texts(path)
    assert found.instances.tolist() == [7, 3]
    assert found.texts == tuple(SAMPLES["text"])
    assert found.gold == ("1", "0")
    assert (found.embeddings, found.notes) == (None, ())
    assert found.name == str(path)


def test_the_samples_of_sst2(shared: Path) -> None:
    path = shared / "data" / "difficulty" / "sst2_samples.parquet"
    found = podium.read_texts(path)
    frame = pl.read_parquet(path)
    assert len(found) == 872
    assert found.texts == tuple(frame["text"])
    assert found.gold == tuple(frame["gold"].cast(pl.String))


@pytest.mark.parametrize(
    "header",
    [
        "id,text,gold",
        "Instance,Sentence,label",
        "qid,question,answer",
        "item,Prompt,gold label",
        "sample-id,review,class",
    ],
)
def test_usual_names(tmp_path: Path, header: str) -> None:
    found = podium.read_texts(written(tmp_path, f"{header}\nx,not bad,yes\n"))
    assert (found.instances.tolist(), found.texts, found.gold) == (["x"], ("not bad",), ("yes",))


def test_columns_that_are_named(tmp_path: Path) -> None:
    path = written(tmp_path, "text,example,label,key\nwrong,right,x,1\n")
    found = podium.read_texts(path, text_column="example", gold_column="text", instance_column="key")
    assert (found.instances.tolist(), found.texts, found.gold) == ([1], ("right",), ("wrong",))
    # a column with a role is not taken for another: "example" is usually an instance
    assert podium.read_texts(path, text_column="example").instances.tolist() == [0]


def test_without_instances_rows_are_numbered(tmp_path: Path) -> None:
    found = podium.read_texts(written(tmp_path, "sentence\na\n \na\n"))
    assert found.instances.tolist() == [0, 2]
    assert (found.texts, found.gold) == (("a", "a"), None)
    assert found.notes == (
        "no column names the instances, so rows are numbered from 0",
        "1 row without text left out: '1'",
    )


def test_rows_that_lack_something_are_named(tmp_path: Path) -> None:
    found = podium.read_texts(written(tmp_path, "id,text,gold\na,x,1\nb,,1\nc,y,\nd,z,NA\ne,none,0.0\n"))
    assert (found.texts, found.gold) == (("x", "none"), ("1", "0"))
    assert found.notes == ("1 row without text left out: 'b'", "2 rows without right answer left out: 'c', 'd'")


def test_words_may_be_answers(tmp_path: Path) -> None:
    found = podium.read_texts(written(tmp_path, "id,text,gold\na,x,FAVOR\nb,y,NONE\n"))
    assert found.gold == ("FAVOR", "NONE")


def test_equal_repeats_count_once(tmp_path: Path) -> None:
    found = podium.read_texts(written(tmp_path, "id,text,gold\nb,x,1\na,y,0\nb,x,1.0\nb,x,\n"))
    assert (found.instances.tolist(), found.texts, found.gold) == (["b", "a"], ("x", "y"), ("1", "0"))
    assert found.notes == ("1 row without right answer left out: 'b'", "1 row repeating an instance counted once: 'b'")


@pytest.mark.parametrize(("again", "what"), [("b,z,1", "text"), ("b,x,0", "right answer")])
def test_repeats_that_differ_are_refused(tmp_path: Path, again: str, what: str) -> None:
    path = written(tmp_path, f"id,text,gold\nb,x,1\na,y,0\n{again}\n")
    with pytest.raises(InputError, match=f"line 2 and line 4: instance 'b' has another {what} in each"):
        podium.read_texts(path)


def test_embeddings_go_with_the_rows(tmp_path: Path) -> None:
    array = np.arange(12, dtype=np.float32).reshape(4, 3)
    path = vectors(tmp_path, array)
    whole = podium.read_texts(written(tmp_path, "id,gold\n4,a\n3,a\n2,b\n1,b\n"), embeddings=path)
    assert whole.embeddings is not None
    assert_array_equal(whole.embeddings, array)
    assert isinstance(whole.embeddings.base, np.memmap), "mapped, not read"
    assert whole.texts is None
    part = podium.read_texts(written(tmp_path, "id,text,gold\n4,a,1\n3,,1\n2,c,\n1,d,1\n"), embeddings=path)
    assert part.texts == ("a", "", "d"), "a text may lack where there is an embedding"
    assert_array_equal(part.embeddings, array[[0, 1, 3]])


def test_embeddings_in_an_archive(tmp_path: Path) -> None:
    np.savez(tmp_path / "one.npz", anything=np.array([[1, 2], [3, 4]]))
    found = podium.read_texts(written(tmp_path, "text\na\nb\n"), embeddings=str(tmp_path / "one.npz"))
    assert_array_equal(found.embeddings, [[1, 2], [3, 4]])


def test_repeats_with_another_embedding_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "id,gold\na,1\na,1\n")
    assert len(podium.read_texts(path, embeddings=vectors(tmp_path, np.ones((2, 3))))) == 1
    with pytest.raises(InputError, match="line 2 and line 3: instance 'a' has another embedding"):
        podium.read_texts(path, embeddings=vectors(tmp_path, np.eye(2)))


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.ones((3, 2)), "has 3 rows and .*table.csv has 2 rows"),
        (np.ones(2), r"shape \(2,\)"),
        (np.ones((2, 0)), r"shape \(2, 0\)"),
        (np.array([["a"], ["b"]]), "and type <U1"),
        (np.array([[1, 2], [3, np.nan]]), "vectors.npy, row 2: the embedding is not finite"),
        (np.array([[1, np.inf], [3, 4]]), "vectors.npy, row 1: the embedding is not finite"),
    ],
)
def test_embeddings_that_make_no_sense(tmp_path: Path, array: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        podium.read_texts(written(tmp_path, "text\na\nb\n"), embeddings=vectors(tmp_path, array))


def test_files_that_hold_no_embeddings(tmp_path: Path) -> None:
    path = written(tmp_path, "text\na\nb\n")
    with pytest.raises(InputError, match=r"no file .*nothing\.npy"):
        podium.read_texts(path, embeddings=tmp_path / "nothing.npy")
    np.savez(tmp_path / "two.npz", a=np.ones((2, 2)), b=np.ones((2, 2)))
    with pytest.raises(InputError, match=r"two\.npz holds 2 arrays; write only"):
        podium.read_texts(path, embeddings=tmp_path / "two.npz")
    np.save(tmp_path / "objects.npy", np.array([[None]]), allow_pickle=True)
    cut = tmp_path / "cut.npy"
    cut.write_bytes(vectors(tmp_path, np.ones((2, 2))).read_bytes()[:-8])
    empty, archive = tmp_path / "empty.npy", tmp_path / "bad.npz"
    empty.write_bytes(b"")
    archive.write_bytes(b"PK\x03\x04 and no more")
    for damaged in (tmp_path / "objects.npy", cut, empty, archive, path, tmp_path):
        with pytest.raises(InputError, match=r"is damaged, or is not a \.npy or \.npz file"):
            podium.read_texts(path, embeddings=damaged)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("id,gold\n1,1\n", {}, "no column is called 'text' or.*columns are 'id', 'gold'"),
        ("id,text\n1,a\n", {"text_column": "txet"}, "no column 'txet'; did you mean 'text'"),
        ("id,text\n1,a\n", {"gold_column": "text", "text_column": "text"}, "'text' has two roles, text and gold"),
        ("id,text\n1,\n2,\n", {}, "no row has a text"),
        ("id,text,gold\n1,a,\n2,b,\n", {}, "no row has a right answer"),
        ("id,text,gold\n1,a,\n2,,x\n", {}, "no row has both"),
        ("id,text\n,a\n", {}, "line 2: there is no instance"),
        ("id,text\n", {}, "but no rows"),
        ("", {}, "is empty"),
    ],
)
def test_texts_that_make_no_sense(tmp_path: Path, text: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(PodiumError, match=message) as caught:
        podium.read_texts(written(tmp_path, text), **options)
    assert isinstance(caught.value, InputError | LabelError)


def test_lists_are_no_texts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'text' holds lists"):
        podium.read_texts(written(tmp_path, '{"text": ["a", "b"]}\n', "samples.jsonl"))
    path = written(tmp_path, "x\n1\n")
    with pytest.raises(InputError, match="columns are 'x'"):
        podium.read_texts(path, embeddings=vectors(tmp_path, np.ones((1, 2))))
