"""Adding to boards, beside a dictionary."""

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium.errors import BoardError, InputError, LabelError, MissingExtraError, OutputError, PodiumWarning
from podium.score.table import Scores
from support.boarded import ADDITIONS, Cell, rows, table
from support.stressed import assert_equal


@settings(max_examples=12, deadline=None)
@given(whole=ADDITIONS, text=st.booleans(), data=st.data())
def test_order_and_batches_do_not_matter(whole: dict[Cell, float], text: bool, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        podium.add(f"{folder}/one", table(whole, text=text))
        left = list(data.draw(st.permutations(list(whole.items()))))
        while left:
            size = data.draw(st.integers(1, len(left)))
            batch, left = left[:size], left[size:]
            podium.add(f"{folder}/many", table(dict(batch), text=text))
        one, many = podium.read(f"{folder}/one"), podium.read(f"{folder}/many")
        assert_equal(one, many)
        assert one.systems == tuple(sorted(one.systems))
        assert one.task_names == tuple(sorted(one.task_names))
        assert podium.info(one).render("json") == podium.info(many).render("json")


def test_without_delta_lake_the_extra_is_named_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "deltalake", None)
    with pytest.raises(MissingExtraError, match=r"board needs deltalake: pip install .*\[store\]"):
        podium.add(tmp_path / "board", {"A": {"rte": 0.7}, "B": {"rte": 0.6}})
    assert list(tmp_path.iterdir()) == []


def test_everything_that_convert_keeps_is_kept(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frame = pa.Table.from_pylist(
        [
            {
                "task": task,
                "system": system,
                "instance": f"q{number}",
                "repeat": repeat,
                "score": float(rng.integers(2)),
                "weight": 1.0 + number,
                "passage": f"p{number % 2}",
                "seconds": float(rng.random()),
            }
            for task in ("a", "b")
            for system in ("A", "B", "C")
            for number in range(6)
            for repeat in (1, 2, 3)
        ]
    )
    columns = {"weight_column": "weight", "cluster_column": "passage", "repeat_column": "repeat"}
    scores = podium.from_frame(frame, **columns, statistic="pass@2", lower=["b"], covariate_column="seconds")  # type: ignore[arg-type]
    podium.convert(scores, tmp_path / "x.parquet")
    podium.add(tmp_path / "board", scores)
    here, there = podium.read(tmp_path / "board"), podium.read(tmp_path / "x.parquet")
    assert_equal(here, there)
    for one, other in zip(here.tasks, there.tasks, strict=True):
        assert one.clusters is not None
        assert other.clusters is not None
        assert one.clusters.labels == other.clusters.labels
        assert one.repeats is not None
        assert other.repeats is not None
        # a board keeps the scores of repeats, and not which run of one instance is which of another
        np.testing.assert_array_equal(np.sort(one.repeats.values), np.sort(other.repeats.values))
        np.testing.assert_array_equal(one.covariates["seconds"], other.covariates["seconds"])
    assert not podium.add(tmp_path / "board", tmp_path / "x.parquet").written


def test_single_precision_becomes_double_with_a_warning(tmp_path: Path) -> None:
    values = np.array([[0.1, 0.2], [0.3, 0.4]], dtype=np.float32)
    scores = podium.from_arrays({"t": values}, systems=["A", "B"], instances={"t": [4, 5]})
    with pytest.warns(PodiumWarning, match="does not hold single precision"):
        podium.add(tmp_path / "board", scores)
    np.testing.assert_array_equal(podium.read(tmp_path / "board").tasks[0].values, values)
    with pytest.warns(PodiumWarning, match="does not hold single precision"):
        assert not podium.add(tmp_path / "board", scores).written


def test_a_conflict_names_both_values_and_the_first_addition(tmp_path: Path) -> None:
    podium.add(tmp_path, {"A": {"rte": {"7": 1, "8": 0}}}, source="run-1/")
    with pytest.raises(BoardError) as caught:
        podium.add(tmp_path, {"A": {"rte": {"7": 0, "8": 1}}, "B": {"rte": {"7": 0}}})
    words = str(caught.value)
    for part in ("task 'rte', system 'A', instance", "1.0", "0.0", "version 0 (run-1/)", "(1 more differ)"):
        assert part in words, part
    assert podium.read(tmp_path).systems == ("A",)
    assert len(list(tmp_path.glob("*.parquet"))) == 1


def several(*runs: dict[int, float], system: str = "A") -> Scores:
    """Scores of runs on instances, numbered as repeats."""
    rows_of = [
        {"task": "t", "system": system, "instance": number, "run": place, "score": score}
        for place, run in enumerate(runs)
        for number, score in run.items()
    ]
    return podium.from_frame(pa.Table.from_pylist(rows_of), repeat_column="run")


@pytest.mark.parametrize("other", [None, {1: 0.0, 2: 1.0}])
def test_a_file_that_has_grown_counts_what_is_new_of_it(tmp_path: Path, other: dict[int, float] | None) -> None:
    if other is not None:
        podium.add(tmp_path, several(other), source="other")
    runs: list[dict[int, float]] = [{1: 1.0, 2: 0.0}, {1: 1.0, 2: 0.0, 3: 1.0}, {3: 1.0, 1: 0.5}]
    grown = [several(runs[0]), several(runs[1]), several(runs[1], runs[2]), several(runs[0])]
    there = 0 if other is None else 2
    for scores, more in zip(grown, (2, 1, 2, 0), strict=True):
        made = podium.add(tmp_path, scores, source="x.csv", on_conflict="repeat")
        assert (made.new + made.repeated, made.notes) == (more, ())
        assert not podium.add(tmp_path, scores, source="x.csv", on_conflict="repeat").written
        there += more
        assert rows(tmp_path) == there
    mine = [1.0, 0.5] if other is None else [0.0, 1.0, 0.5]
    assert podium.read(tmp_path).tasks[0].values[0, 0] == sum(mine) / len(mine)


@pytest.mark.parametrize("rule", ["error", "keep", "repeat"])
def test_another_run_of_a_source_has_a_name(tmp_path: Path, rule: Any) -> None:
    first, other = {1: 1.0, 2: 0.0, 3: 1.0}, {1: 0.0, 2: 1.0, 3: 1.0}
    for length in (2, 3):  # the rest, 3, is as in the other run
        podium.add(tmp_path, several(dict(list(first.items())[:length])), source="x.csv", on_conflict=rule)
    assert not podium.add(tmp_path, several(first), source="x.csv", on_conflict="repeat").written
    with pytest.raises(BoardError, match=r"1 has 1.0 from version 0 \(x.csv\), and 0.0 is added \(1 more .*\(--run\)"):
        podium.add(tmp_path, several(other), source="x.csv", on_conflict="repeat")
    for how in ({"source": "x.csv", "run": "2"}, {"source": "y.csv"}):
        assert podium.add(tmp_path, several(other), on_conflict="repeat", **how).repeated == 3  # type: ignore[arg-type]
        assert not podium.add(tmp_path, several(other), on_conflict="repeat", **how).written  # type: ignore[arg-type]
    assert rows(tmp_path) == 9


def test_a_file_that_was_corrected_after_it_had_grown_is_one_run(tmp_path: Path) -> None:
    rule: Any
    for scores, rule in (({1: 1.0}, "repeat"), ({1: 1.0, 2: 0.0}, "repeat"), ({1: 0.5, 2: 0.0}, "replace")):
        podium.add(tmp_path, several(scores), source="x.csv", on_conflict=rule)
    assert not podium.add(tmp_path, several({1: 0.5, 2: 0.0}), source="x.csv", on_conflict="repeat").written
    with pytest.raises(BoardError, match=r"0\.0 from version 1"):
        podium.add(tmp_path, several({1: 0.5, 2: 1.0}), source="x.csv", on_conflict="repeat")


def test_repeats_are_the_same_in_any_order(tmp_path: Path) -> None:
    board = tmp_path / "board"
    for place, run in enumerate(({1: 1.0, 2: 0.0}, {1: 0.5, 2: 0.5})):
        podium.add(board, several(run), source=str(place), on_conflict="repeat")
    podium.convert(podium.read(board), tmp_path / "same.csv")
    for how in ("error", "keep", "replace"):
        made = podium.add(board, tmp_path / "same.csv", on_conflict=how)
        assert (made.written, made.same, made.kept) == (False, 4, 0)
    assert podium.add(board, several({1: 0.5}, {1: 1.0}, {1: 0.0}), source="more").new == 1, "of three one is new"
    assert not podium.add(board, several({1: 0.0}, {1: 1.0})).written, "a part of the repeats"
    assert rows(board) == 5
    assert podium.read(board).tasks[0].values.tolist() == [[0.5, 0.25]]
    with pytest.raises(BoardError, match=r"instance 1.* is added"):
        podium.add(board, several({1: 0.5}, {1: 0.25}))
    assert podium.add(board, several({1: 0.5}, {1: 1.0}), on_conflict="replace").written
    assert podium.read(board).tasks[0].values.tolist() == [[0.75, 0.25]]


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ({"lower": ["t"]}, {}, "lower is better on task 't'"),
        ({"weight_column": "w"}, {}, "weight 2.0"),
        ({"cluster_column": "c"}, {}, "cluster"),
        ({"repeat_column": "r"}, {"repeat_column": "r", "statistic": "max"}, "mean of its repeats"),
    ],
)
def test_facts_that_differ_are_refused(
    tmp_path: Path, first: dict[str, Any], second: dict[str, Any], words: str
) -> None:
    def frame(system: str) -> Any:
        columns = {"w": 2.0, "c": "one", "r": 1}
        return pa.Table.from_pylist(
            [{"task": "t", "system": system, "instance": number, "score": 1.0, **columns} for number in (1, 2)]
        )

    podium.add(tmp_path, podium.from_frame(frame("A"), **first))
    before = sorted(tmp_path.rglob("*"))
    for rule_name in ("error", "replace"):
        with pytest.raises(BoardError, match=words):
            podium.add(tmp_path, podium.from_frame(frame("B"), **second), on_conflict=rule_name)
    assert sorted(tmp_path.rglob("*")) == before


def test_means_and_instances_of_a_task_do_not_mix(tmp_path: Path) -> None:
    podium.add(tmp_path, {"A": {"t": 0.5}})
    with pytest.raises(BoardError, match="task 't' has means alone"):
        podium.add(tmp_path, {"B": {"t": {"x": 1.0, "y": 0.0}}})
    podium.add(tmp_path, {"B": {"u": {"x": 1.0, "y": 0.0}, "t": {"0": 1.0}}})
    assert podium.read(tmp_path).task_names == ("t", "u")


def test_new_covariates_get_a_version_of_their_own(tmp_path: Path) -> None:
    plain = pa.Table.from_pylist([{"task": "t", "system": "A", "instance": 1, "score": 1.0}])
    timed = pa.Table.from_pylist([{"task": "t", "system": "B", "instance": 1, "score": 1.0, "seconds": 3.0}])
    podium.add(tmp_path, plain)
    assert podium.add(tmp_path, timed).version == 2
    found = podium.read(tmp_path).covariates["seconds"].values[0]
    np.testing.assert_array_equal(found, [[np.nan], [3.0]])


def test_labels_without_a_score_are_added_once(tmp_path: Path) -> None:
    labels, nan = {"t": [0, 1, 2]}, float("nan")
    scores = podium.from_arrays({"t": [[1, nan, nan], [nan, nan, nan]]}, systems=["A", "B"], instances=labels)
    made = podium.add(tmp_path, scores)
    assert (made.new, made.missing) == (1, 3)
    assert not podium.add(tmp_path, scores).written
    assert podium.read(tmp_path).systems == ("A", "B")
    assert podium.read(tmp_path).n_instances == 3
    assert podium.add(tmp_path, podium.from_arrays({"t": [[1, 0, nan]]}, systems=["B"], instances=labels)).new == 2
    podium.add(tmp_path / "none", podium.from_arrays({"t": [[nan] * 3]}, systems=["A"], instances=labels))
    assert podium.read(tmp_path / "none").n_instances == 3


def test_bad_input_is_explained(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match="did you mean 'keep'"):
        podium.add(tmp_path, {"A": {"t": 1}}, on_conflict="kept")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="run= is text, not 5"):
        podium.add(tmp_path, {"A": {"t": 1}}, run=5)  # type: ignore[arg-type]
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(OutputError, match=r"has notes.txt and is no board"):
        podium.add(tmp_path, {"A": {"t": 1}})
    with pytest.raises(OutputError, match="is a file"):
        podium.add(tmp_path / "notes.txt", {"A": {"t": 1}})
    podium.add(tmp_path / "b", {"A": {"t": 1}})
    assert podium.read(tmp_path / "b", as_of=np.int64(0)).systems == ("A",)  # type: ignore[arg-type]
    for how, words in (
        ({"as_of": "yesterday"}, "write a date"),
        ({"as_of": True}, "is True; write a date"),
        ({"as_of": 7}, "no version 7; its versions are 0 to 0"),
        ({"as_of": "2020-01-01"}, "the first is version 0"),
        ({"layout": "wide"}, "leave it out"),
        ({"score_column": "score"}, "leave it out"),
    ):
        with pytest.raises(InputError, match=words):
            podium.read(tmp_path / "b", **how)
    with pytest.raises(InputError, match="is read by itself"):
        podium.read([tmp_path / "b", tmp_path / "notes.txt"])
    with pytest.raises(InputError, match="is about a board"):
        podium.read(tmp_path / "notes.txt", as_of=1)


def test_a_board_is_read_as_text_beside_numbers(tmp_path: Path) -> None:
    podium.add(tmp_path / "b", {"A": {"t": {"x": 1.0, "y": 0.0}}})
    number = pa.Table.from_pylist([{"task": "u", "system": "A", "instance": 7, "score": 1.0}])
    podium.add(tmp_path / "b", number)
    whole = podium.read(tmp_path / "b")
    assert [task.instances.tolist() for task in whole.tasks if task.instances is not None] == [["x", "y"], ["7"]]
    assert not podium.add(tmp_path / "b", number).written


def timed(score: float | None, seconds: float | None, more: float | None = None) -> Scores:
    """One instance with a covariate, beside another that is always the same."""
    rows_of = [
        {"task": "t", "system": "A", "instance": 1, "score": score, "cost": seconds, "size": more},
        {"task": "t", "system": "B", "instance": 1, "score": 0.5, "cost": 1.0, "size": None},
    ]
    return podium.from_frame(pa.Table.from_pylist(rows_of), covariate_column=["cost", "size"] if more else "cost")


def held(board: Path) -> tuple[float, ...]:
    """Score and covariates of the first system."""
    scores = podium.read(board)
    return (float(scores.tasks[0].values[0, 0]), *(float(one[0, 0]) for one in scores.tasks[0].covariates.values()))


def test_a_missing_score_replaces_none(tmp_path: Path) -> None:
    podium.add(tmp_path, timed(1.0, 5.0))
    with pytest.raises(BoardError, match=r"has cost 5\.0 from version 0 .*, and cost 7\.0 is added"):
        podium.add(tmp_path, timed(None, 7.0))
    assert podium.add(tmp_path, timed(None, 7.0), on_conflict="replace").replaced == 1
    assert held(tmp_path) == (1.0, 7.0)
    assert podium.add(tmp_path, timed(0.0, None), on_conflict="replace").replaced == 1
    assert held(tmp_path) == (0.0, 7.0)
    plain = pa.Table.from_pylist([{"task": "t", "system": "A", "instance": 1, "score": 0.75}])
    assert podium.add(tmp_path, plain, on_conflict="replace").replaced == 1
    assert held(tmp_path) == (0.75, 7.0)
    assert not podium.add(tmp_path, timed(None, None), on_conflict="replace").written


def test_a_covariate_of_a_missing_score_is_a_conflict_of_its_own(tmp_path: Path) -> None:
    podium.add(tmp_path, timed(None, 5.0))
    with pytest.raises(BoardError, match=r"has cost 5\.0 from .*, and cost 7\.0 is added"):
        podium.add(tmp_path, timed(1.0, 7.0))
    podium.add(tmp_path, timed(1.0, 7.0), on_conflict="replace")
    assert held(tmp_path) == (1.0, 7.0)
    assert rows(tmp_path) == 2


def test_repeats_of_another_addition_are_pointed_out(tmp_path: Path) -> None:
    how: Any
    for run, how, note in ((1, "repeat", False), (1, "error", False), (2, "error", True)):
        scores = several({1: 1.0}, {1: 0.0})
        made = podium.add(tmp_path, scores, source=f"run {run}", on_conflict=how)
        assert bool(made.notes) == note
    assert not made.written
    assert "--on-conflict repeat" in made.notes[0]


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ({"a": {"t": {"": 1.0, "x": 2.0}}}, "instance of task 't': a name is empty; give it one"),
        ({"a\ud800": {"t": 1.0}}, "system: the name '.*' is no text"),
        ({"a": {"t\ud800": 1.0}}, "task: the name '.*' is no text"),
    ],
)
def test_labels_that_cannot_be_read_again_are_refused(tmp_path: Path, scores: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        podium.add(tmp_path / "b", scores)
    assert not (tmp_path / "b").exists()
