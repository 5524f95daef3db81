"""Cells as people write them: numbers with marks, words instead of scores, and names that look alike."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal

import podium
from podium.errors import InputError
from support.entry import run

NAN = float("nan")


def column(folder: Path, cells: list[str], rest: str = "7") -> podium.Scores:
    """Read a wide table whose task A has these cells."""
    path = folder / "scores.tsv"
    rows = [f"s{number}\t{cell}\t{rest}" for number, cell in enumerate(cells)]
    path.write_text("\n".join(["system\tA\tB", *rows, ""]), encoding="utf-8")
    return podium.read(path)


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["84.3±0.2", "84 ± 1", "7"], [84.3, 84, 7]),
        (["84.3 (0.2)", "84.1 (±1.0)", "80 (↑1.2)"], [84.3, 84.1, 80]),
        (["84.3 [83.1, 85.2]", "80 (n=5)", "81 (SE 0.2)"], [84.3, 80, 81]),
        (["**84.3**", "_80_", "81"], [84.3, 80, 81]),
        (["$84.3_{\\pm 0.2}$", "\\textbf{80.1}", "<b>81</b>"], [84.3, 80.1, 81]),
        (["84.3*", "80†", "81^a", "82ᵇ", "83[1]", "🥇 85"], [84.3, 80, 81, 82, 83, 85]),
        (["91%", "88.5 %", "9％"], [91, 88.5, 9]),
        (["84,3", "9,25 ± 0,5", "7"], [84.3, 9.25, 7]),
        (["1.234,5", "0,843", "12"], [1234.5, 0.843, 12]),
        (["1,234.5", "12", "1,234,567"], [1234.5, 12, 1234567]),
        (["1 234,5", "2 000", "1"], [1234.5, 2000, 1]),
        (["−0.5", "+0.5", "1e-3*"], [-0.5, 0.5, 0.001]),
        (["--", "–", "×", "?", "…", "❌", "84"], [*[NAN] * 6, 84]),
    ],
)
def test_numbers_are_read_as_people_write_them(tmp_path: Path, cells: list[str], numbers: list[float]) -> None:
    scores = column(tmp_path, cells)
    assert_array_equal(scores.select(tasks=["A"]).tasks[0].values[:, 0], numbers)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["91%", "0.88"], "'0.88' with no % sign, unlike other cells"),
        (["84,3", "84.1"], "'84.1', but elsewhere commas stand before decimals"),
        (["97.6", "97.8", "97,7"], "'97,7', but elsewhere points stand before decimals"),
        (["1,234.5", "1,5"], "'1,234.5', but elsewhere commas stand before decimals"),
        (["12/20", "1"], "holds '12/20', which is not a number"),
        (["<0.1", "1"], "holds '<0.1', which is not a number"),
        (["$0.03", "1"], r"holds '\$0.03', which is not a number"),
        (["∞", "1"], "holds '∞', which is not a number"),
        (["7B", "13B"], "holds '7B', which is not a number"),
        (["84.3 (rerun)", "1"], "which is not a number"),
    ],
)
def test_a_column_that_does_not_agree_is_named(tmp_path: Path, cells: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        column(tmp_path, cells)


def test_words_and_what_is_left_out_are_said(tmp_path: Path) -> None:
    scores = column(tmp_path, ["84.3 (0.2)", "OOM", "Timeout (3600s)", "OOM", "n/a", "80"])
    assert scores.notes[0] == "3 cells hold words and no score, and count as missing: 'OOM' (2), 'Timeout (3600s)'"
    assert "only the number of a cell, as in '84.3 (0.2)', was read in 'A'" in scores.notes
    scores = column(tmp_path, ["1,234", "1,300"])
    assert scores.tasks[0].values[:, 0].tolist() == [1234, 1300]
    assert scores.notes[0].startswith("commas are taken to divide thousands, as in '1,234'")
    assert column(tmp_path, ["1,234", "1,300"], rest="8,25").tasks[0].values[:, 0].tolist() == [1.234, 1.3]
    assert column(tmp_path, ["OOM", "timeout"]).task_names == ("B",), "no number, so no column of numbers"


def test_text_far_down_and_in_frames(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    numbers = "".join(f"m{number},0.5,1\n" for number in range(300))
    path.write_text(f"system,a,b\n{numbers}x,0.25*,2\ny,crashed,\n")
    scores = podium.read(path)
    assert_array_equal(scores.tasks[0].values[-2:, 0], [0.25, NAN])
    path.write_text("model,id,correct\nx,1,true\nx,2,error\nx,3,false\n")
    assert_array_equal(podium.read(path).tasks[0].values, [[1, NAN, 0]])
    frame = pl.DataFrame({"model": ["x", "y"], "task": ["t", "t"], "accuracy": ["91%", "OOM"]})
    assert_array_equal(podium.from_frame(frame).tasks[0].values, [[91], [NAN]])


@pytest.mark.parametrize("others", [[60, 50, 33], [0.6, 0.55, 0.9], [1, 7, 9.5]])
def test_minus_one_below_a_scale_is_missing(others: list[float]) -> None:
    frame = pl.DataFrame({"model": list("abcd"), "x": [-1.0, *map(float, others)], "y": [1.5, 2.5, 3.5, 4.5]})
    scores = podium.from_frame(frame)
    assert_array_equal(scores.tasks[0].values[:, 0], [NAN, *others])
    how = "if it is a score: tasks=['*'] (--tasks '*')"
    assert scores.notes[0] == f"−1 counts as missing (1 cell), as no other score is below 0: 'x'; {how}"
    assert podium.from_frame(frame, tasks="*").tasks[0].values[0, 0] == -1


@pytest.mark.parametrize("others", [[0, 1, 0.5], [-3, 60, 20], [-0.2, 0.4, 0.9], [0, 3, 2], [1200, 900, 800]])
def test_minus_one_may_be_a_score(others: list[float]) -> None:
    frame = pl.DataFrame({"model": list("abcd"), "x": [-1.0, *map(float, others)], "y": [1.5, 2.5, 3.5, 4.5]})
    assert podium.from_frame(frame).tasks[0].values[0, 0] == -1


def test_names_that_look_alike(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(
        "model,task,score\ncafe\u0301,A,1\ncaf\u00e9,B,2\nx\u00a0y,A,1\nx y,B,1\nGPT,A,1\ngpt,A,2\n", encoding="utf-8"
    )
    scores = podium.read(path)
    assert scores.systems == ("café", "x y", "GPT", "gpt")
    assert r"system 'café' is written 'cafe\u0301' and 'caf\xe9', which look alike and count as one" in scores.notes
    assert "systems with nearly one name, which count apart: 'GPT' and 'gpt'" in scores.notes
    path.write_text("model,A\nGPT-4,1\nGPT-4\u200b,1\nGPT\u20114,2\n", encoding="utf-8")
    assert {
        r"system 'GPT-4' is written 'GPT-4' and 'GPT-4\u200b', which look alike and count as one",
        r"systems with nearly one name, which count apart: 'GPT-4' and 'GPT\u20114'",
    } < {*podium.read(path).notes}
    path.write_text("model,A\ncafe\u0301,1\ncaf\u00e9,2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"written 'cafe\\u0301' and 'caf\\xe9'"):
        podium.read(path)
    path.write_text("model,cafe\u0301,caf\u00e9\nx,1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"columns 2 and 3 are called 'cafe\\u0301' and 'caf\\xe9', which look alike"):
        podium.read(path)


def test_columns_of_systems_are_rows_where_their_name_says_so() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"system": ["x", "y", "z"], "A": [1, 2, 3], "B": [2, 3, 1.5]}).set_index("system")
    expected = podium.from_frame(frame)
    turned = podium.from_frame(frame.T)
    assert (turned.systems, turned.task_names) == (expected.systems, expected.task_names)
    assert_array_equal(np.hstack([task.values for task in turned.tasks]), frame.to_numpy())


def test_what_leaves_nothing_out_and_weighs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("model,a,b,c\nx,1y,y,2z\nz,3,q,1\n")
    assert "leaves out every column of scores; keep one" in run(tmp_path, "rank", path, "--tasks", "!a,!b,!c").stderr
    path.write_text("model,a,b\nx,1y,2z\nz,3,1\n")
    assert "the other columns hold text, too" in run(tmp_path, "rank", path).stderr
    path.write_text("model,a,b\nx,1,2\nz,3,1\n")
    assert "weight of task 'a' is nan" in run(tmp_path, "rank", path, "--task-weights", "a=nan").stderr
