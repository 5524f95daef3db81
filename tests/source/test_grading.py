"""Predictions and right answers become scores."""

import json
import math
import tempfile
import warnings
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import podium
from podium.errors import InputError, LabelError, PodiumWarning
from podium.source.columnar import ArrowTable
from podium.source.grade import answer_of, right_answers
from podium.source.labels import read_keyed
from support.frames import FORMATS, save, written

PREDICTIONS = "model,id,pred\nA,1,x\nB,1,y\nA,2,y\nB,2,y\nA,3,x\nB,3,\n"
GOLD = "id,gold\n3,x\n2,y\n1,x\n"


def read(folder: Path, predictions: str, gold: str, **options: Any) -> podium.Scores:
    return podium.read(written(folder, predictions), gold=written(folder, gold, "gold.csv"), **options)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("other", ["csv", "jsonl", "parquet"])
def test_every_format_with_every_other(tmp_path: Path, ending: str, other: str) -> None:
    predictions = pl.DataFrame(
        {"system": ["A", "A", "A", "B", "B", "B"], "id": [1, 2, 3, 1, 2, 3], "pred": [0, 1, 1, 0, None, -1]}
    )
    gold = pl.DataFrame({"id": [3, 2, 1], "gold": [1.0, 1.0, 0.0]})  # numbers of another type
    save(predictions, tmp_path / f"predictions.{ending}")
    save(gold, tmp_path / f"gold.{other}")
    scores = podium.read(tmp_path / f"predictions.{ending}", gold=tmp_path / f"gold.{other}")
    assert scores.task_names == ("accuracy",)
    assert_array_equal(scores.tasks[0].values, [[1, 1, 1], [1, np.nan, 0]])
    assert np.asarray(scores.tasks[0].instances).tolist() == [1, 2, 3]
    assert scores.notes == (
        "no column names tasks, so all scores belong to task 'accuracy'",
        f"a score is 1 if column 'pred' equals column 'gold' of {tmp_path / f'gold.{other}'}, else 0",
        "1 of 5 predictions, such as '-1', match no right answer of any instance",
    )


def test_the_accuracies_of_sst2(shared: Path) -> None:
    folder = shared / "data" / "difficulty"
    expected = json.loads((shared / "data" / "golden" / "difficulty.json").read_text("utf-8"))["accuracy_all_samples"]
    scores = podium.read(
        folder / "sst2_predictions.parquet", prediction_column="pred", gold=folder / "sst2_samples.parquet"
    )
    found = dict(zip(scores.systems, 100 * scores.tasks[0].values.mean(axis=1), strict=True))
    assert found == pytest.approx(expected, abs=1e-9)
    assert "5 of 8,720 predictions, such as '-1', match no right answer of any instance" in scores.notes


def test_several_files_of_predictions(tmp_path: Path) -> None:
    gold = written(tmp_path, GOLD, "gold.csv")
    one = written(tmp_path, "model,id,pred\nA,1,x\nA,2,x\nA,9,x\n", "a.csv")
    other = written(tmp_path, "model,id,pred\nB,8,x\nB,1,y\nB,2,y\n", "b.csv")
    scores = podium.read([one, other], gold=gold)
    assert_array_equal(scores.tasks[0].values, [[1, 0], [0, 1]])
    assert scores.notes[2:] == (
        "2 instances left out because the right answer is missing: '9', '8'",
        f"1 instance of column 'gold' of {gold} without prediction: '3'",
    )


def test_labels_are_the_same_as_numbers_and_as_text(tmp_path: Path) -> None:
    save(pl.DataFrame({"id": ["1", "2"], "gold": ["x", "y"]}), tmp_path / "gold.parquet")
    scores = podium.read(written(tmp_path, PREDICTIONS), gold=tmp_path / "gold.parquet")
    assert_array_equal(scores.tasks[0].values, [[1, 1], [0, 1]])
    save(pl.DataFrame({"id": [7, 8], "gold": ["x", "y"]}), tmp_path / "gold.parquet")
    scores = podium.read(written(tmp_path, "model,id,pred\nA,007,x\nA,7,y\nA,8,y\n"), gold=tmp_path / "gold.parquet")
    assert_array_equal(scores.tasks[0].values, [[0, 1]])
    assert "1 instance left out because the right answer is missing: '007'" in scores.notes


def test_gold_that_is_nowhere(tmp_path: Path) -> None:
    path = written(tmp_path, PREDICTIONS, "predictions.csv")
    with pytest.raises(InputError, match=r"no file or folder '.*gld'.*predictions.csv has no column '.*gld' either"):
        podium.read(path, gold=str(tmp_path / "gld"))


def test_a_column_that_only_some_files_have(tmp_path: Path) -> None:
    one = written(tmp_path, "model,id,pred,gold\nA,1,x,x\n", "a.csv")
    other = written(tmp_path, "model,id,pred\nB,1,x\n", "b.csv")
    with pytest.raises(LabelError, match="no column 'gold'"):
        podium.read([one, other], gold="gold")


ANSWERS = ["x", "y", "1", "1.0", " 1", "", "NA", "none"]


@given(
    st.lists(
        st.tuples(st.sampled_from("AB"), st.integers(0, 3), st.sampled_from(ANSWERS)),
        min_size=1,
        unique_by=lambda row: row[:2],
    ),
    st.dictionaries(st.integers(0, 3), st.sampled_from(ANSWERS), min_size=1),
)
def test_scores_as_by_hand(rows: list[tuple[str, int, str]], gold: dict[int, str]) -> None:
    numbers = all(_number(word) is not None or word in {"", "NA", "none"} for word in gold.values())
    right = {
        instance: _plain(word) for instance, word in gold.items() if word and not (numbers and _number(word) is None)
    }
    expected = {
        (system, instance): math.nan
        if word in {"", "NA", "none"} and word not in right.values()
        else float(_plain(word) == right[instance])
        for system, instance, word in rows
        if instance in right
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        predictions = "model,id,pred\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
        answers = "id,gold\n" + "".join(f"{instance},{word}\n" for instance, word in gold.items())
        if not expected:
            with pytest.raises(InputError, match="no instance has a right answer"):
                read(folder, predictions, answers)
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PodiumWarning)  # of predictions that are all wrong
            scores = read(folder, predictions, answers)
    task = scores.tasks[0]
    values = {
        (system, instance): task.values[row, column]
        for row, system in enumerate(scores.systems)
        for column, instance in enumerate(np.asarray(task.instances).tolist())
        if (system, instance) in expected
    }
    assert values == pytest.approx(expected, nan_ok=True)
    assert task.scored.sum() == sum(not math.isnan(value) for value in expected.values())


def _number(word: str) -> Decimal | None:
    try:
        return Decimal(word)
    except InvalidOperation:
        return None


def _plain(word: str) -> Decimal | str:
    number = _number(word)
    return word.strip() if number is None else number


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-1000, max_value=1000))
def test_numbers_are_alike_however_written(number: Decimal) -> None:
    ways = {str(number), f"{number:f}", f" {number:f}0 ", f"{number:e}", f"{number:.5f}"}
    assert len(set(map(answer_of, ways))) == 1
    assert Decimal(answer_of(str(number))) == number


def test_long_numbers_keep_their_digits() -> None:
    assert answer_of("12345678901234567890123456789012345678") != answer_of("12345678901234567890123456789012345679")
    assert right_answers(["none", "-", "a"]) == ["none", "-", "a"]


def test_predictions_in_other_words_draw_a_warning(tmp_path: Path) -> None:
    with pytest.warns(PodiumWarning, match=r"match no right answer of any instance; check their spelling in"):
        scores = read(tmp_path, "model,id,pred\nA,1,0\nA,2,1\n", "id,gold\n1,negative\n2,positive\n")
    assert scores.tasks[0].values.tolist() == [[0, 0]]


@pytest.mark.parametrize("whole", ["predictions", "gold"])
def test_instances_written_as_floats_are_those_written_as_integers(tmp_path: Path, whole: str) -> None:
    ends = ("", ".0") if whole == "predictions" else (".0", "")
    rows = "".join(f"{model},{number}{ends[0]},x\n" for model in "AB" for number in (3, 1, 2))
    (tmp_path / "gold.csv").write_text("id,gold\n" + "".join(f"{number}{ends[1]},x\n" for number in (1, 2, 3)))
    scores = podium.read(written(tmp_path, "model,id,pred\n" + rows), gold=tmp_path / "gold.csv")
    assert scores.tasks[0].instances is not None
    assert scores.tasks[0].instances.tolist() == [1, 2, 3]
    assert scores.tasks[0].values.all()


_LABELS = st.sampled_from([-(2**63), -5, 0, 1, 7, 8, 10**12, 2**63 - 1])
_CELLS = st.lists(st.tuples(_LABELS, st.sampled_from(["t", "u"])), min_size=1, max_size=12)


@pytest.mark.parametrize("tasks", [False, True])
@given(known=_CELLS, wanted=_CELLS, text=st.booleans(), words=st.booleans())
def test_instances_are_found_in_another_table(
    *, known: list[tuple[int, str]], wanted: list[tuple[int, str]], text: bool, words: bool, tasks: bool
) -> None:
    def table(cells: list[tuple[int, str]], *, text: bool) -> pa.Table:
        labels = [str(label) for label, _ in cells] if text else [label for label, _ in cells]
        return pa.table({"id": labels, "task": [task for _, task in cells]})

    task = "task" if tasks else None
    _, keyed = read_keyed(ArrowTable("known", table(known, text=text)), instance="id", task=task)
    rows = table(wanted, text=True)
    if words:  # labels that no integer can be
        rows = pa.concat_tables([rows, pa.table({"id": ["x7"], "task": ["t"]})])
    found = keyed.find(rows.combine_chunks().to_batches()[0], "id", task).tolist()
    shown = [keyed.label(place) if place >= 0 else None for place in found]
    cells = {(str(label), task if tasks else None) for label, task in known}
    expected = [(str(label), task if tasks else None) for label, task in wanted]
    named = [f"{label!r} of {task!r}" if tasks else repr(label) for label, task in expected]
    assert shown[: len(wanted)] == [name if cell in cells else None for name, cell in zip(named, expected, strict=True)]
    assert shown[len(wanted) :] == [None] * words
