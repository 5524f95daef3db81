"""Texts and right answers read from tables."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal

import podium
from podium.errors import InputError, LabelError, PodiumError
from support.frames import FORMATS, save, written

FRAME = pl.DataFrame({"sample_id": [7, 3], "text": ['it\'s "fine", really', "größer\nals je"], "gold": [1, 0]})


def vectors(folder: Path, array: Any, name: str = "vectors.npy") -> Path:
    path = folder / name
    np.save(path, array)
    return path


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_says_the_same(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"samples.{ending}"
    save(FRAME, path)
    found = podium.read_texts(path)
    assert found.instances.tolist() == [7, 3]
    assert found.texts == tuple(FRAME["text"])
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
def test_what_makes_no_sense(tmp_path: Path, text: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(PodiumError, match=message) as caught:
        podium.read_texts(written(tmp_path, text), **options)
    assert isinstance(caught.value, InputError | LabelError)


def test_lists_are_no_texts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'text' holds lists"):
        podium.read_texts(written(tmp_path, '{"text": ["a", "b"]}\n', "samples.jsonl"))
    path = written(tmp_path, "x\n1\n")
    with pytest.raises(InputError, match="columns are 'x'"):
        podium.read_texts(path, embeddings=vectors(tmp_path, np.ones((1, 2))))
