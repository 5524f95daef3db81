"""Cells as people write them: numbers with marks, words instead of scores, and names that look alike."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal

import podium
from support.entry import run

NAN = float("nan")


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
