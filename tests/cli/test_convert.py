"""The command `convert`: what it writes, says and refuses."""

import subprocess
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from podium.source import log
from podium.source.look import identified
from support.entry import run
from support.tools import written

TABLE = "system,rte,ter\nA,0.7,2\nB,0.6,\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "scores.csv").write_text(TABLE)
    return tmp_path


def converted(folder: Path, *typed: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "convert", *typed)


def test_a_table_is_written_and_said(folder: Path) -> None:
    done = converted(folder, "scores.csv", "--lower", "ter", "-o", "long.tsv")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "note: tasks: rte, ter\nnote: long.tsv holds 2 systems × 2 tasks, 1 of 4 scores missing\n"
    assert (folder / "long.tsv").read_text() == (
        "task\tsystem\tscore\tdirection\nrte\tA\t0.7\thigher\nrte\tB\t0.6\thigher\nter\tA\t2\tlower\n"
    )


@pytest.mark.parametrize("ending", ["parquet", "feather", "csv", "jsonl.gz"])
def test_the_table_ranks_to_the_same_bytes(ending: str, folder: Path) -> None:
    assert converted(folder, "scores.csv", "--lower", "ter", "-o", f"long.{ending}").returncode == 0
    first = run(folder, "rank", "scores.csv", "--lower", "ter", "-f", "csv")
    second = run(folder, "rank", f"long.{ending}", "-f", "csv")
    assert first.returncode == second.returncode == 0
    assert first.stdout == second.stdout


def test_notes_of_what_was_read_are_printed(folder: Path) -> None:
    (folder / "scores.csv").write_text("system,rte,ter,link\nA,0.7,2,x\nB,0.6,,y\n")
    done = converted(folder, "scores.csv", "--lower", "ter", "-o", "long.csv")
    assert "note: tasks: rte, ter; not counted: link (--tasks '*,link' counts it)\n" in done.stderr
    assert converted(folder, "scores.csv", "--lower", "ter", "-o", "long.csv", "-q").stderr == ""


def test_what_has_no_room_is_a_warning(folder: Path) -> None:
    done = converted(folder, "scores.csv", "--lower", "ter", "--task-weights", "rte=2", "-o", "long.csv")
    assert "warning: the table does not hold weights of tasks, without which it may rank otherwise\n" in done.stderr


def test_the_input_is_not_overwritten(folder: Path) -> None:
    done = converted(folder, "scores.csv", "--force", "-o", "scores.csv")
    assert done.returncode == 2
    assert done.stderr == "error: scores.csv is read as input and would be overwritten; choose another place\n"
    assert converted(folder, ".", "-o", "scores.csv").returncode == 2
    assert (folder / "scores.csv").read_text() == TABLE


@pytest.mark.parametrize("ending", ["parquet", "feather", "csv", "tsv.xz", "jsonl.gz"])
def test_its_own_tables_are_replaced_and_others_are_not(ending: str, folder: Path) -> None:
    path = folder / f"long.{ending}"
    for _ in range(2):
        assert converted(folder, "scores.csv", "-o", path.name).returncode == 0
    path.write_text("mine")
    done = converted(folder, "scores.csv", "-o", path.name)
    assert done.returncode == 2
    assert "does not look like a file that podium wrote" in done.stderr
    assert path.read_text() == "mine"
    assert converted(folder, "scores.csv", "-o", path.name, "--force").returncode == 0


def test_a_table_of_somebody_else_is_not_replaced(folder: Path) -> None:
    (folder / "theirs.csv").write_text(TABLE)
    assert converted(folder, "scores.csv", "-o", "theirs.csv").returncode == 2


def test_the_ending_is_looked_at_before_the_work(folder: Path) -> None:
    done = converted(folder, "no-such-file.csv", "-o", "scores.xlsx")
    assert done.returncode == 2
    assert done.stderr.startswith("error: scores.xlsx: name a file that ends in .parquet")
    assert "no folder" in converted(folder, "scores.csv", "-o", "no/long.csv").stderr


def test_an_output_is_needed(folder: Path) -> None:
    done = converted(folder, "scores.csv")
    assert done.returncode == 2
    assert "--output" in done.stderr


def logs(folder: Path) -> None:
    """Results of MTEB: six models on two tasks."""
    for number in range(6):
        for place, task in enumerate(("qa", "nli")):
            score = {"hf_subset": "default", "main_score": (number + place) / 9}
            given = {"task_name": task, "mteb_version": "2.1.0", "dataset_revision": "d", "scores": {"test": [score]}}
            written(folder / "logs" / f"team__m{number}" / "r1" / f"{task}.json", given)


def test_an_interrupted_run_continues(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs(folder)
    monkeypatch.setattr(log, "_MANY", 1)
    monkeypatch.setattr(log, "_AT_ONCE", 4)
    monkeypatch.setattr(log, "cores", lambda: 1)
    work, looked = identified, []

    @wraps(work)
    def stopped(batch: Any) -> Any:
        looked.append(batch)
        if len(looked) == 3:
            raise KeyboardInterrupt
        return work(batch)

    monkeypatch.setattr(log, "identified", stopped)
    done = converted(folder, "logs", "-o", "long.csv")
    assert done.returncode == 130
    assert "what is done so far is in long.csv.partial; the same command continues from it" in done.stderr
    assert len(list((folder / "long.csv.partial").iterdir())) == 2
    assert not (folder / "long.csv").exists()
    done = converted(folder, "logs", "-o", "long.csv")
    assert done.returncode == 0
    assert "continuing from long.csv.partial" in done.stderr
    assert len(looked) == 4  # the third batch alone is looked at again
    assert not (folder / "long.csv.partial").exists()
    monkeypatch.undo()
    assert converted(folder, "logs", "-o", "whole.csv").returncode == 0
    assert (folder / "long.csv").read_bytes() == (folder / "whole.csv").read_bytes()
    assert (folder / "whole.csv").read_text().count("\n") == 13


def test_a_run_that_is_short_keeps_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs(folder)

    def stopped(_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(log, "identified", stopped)
    assert converted(folder, "logs", "-o", "long.csv").returncode == 130
    assert not (folder / "long.csv.partial").exists()
