"""The command `convert`: what it writes, says and refuses."""

import subprocess
from pathlib import Path

import pytest

from support.entry import run

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


@pytest.mark.parametrize("ending", ["parquet", "feather", "csv", "tsv.xz", "jsonl.gz"])
def test_a_file_that_is_there_is_replaced(ending: str, folder: Path) -> None:
    path = folder / f"long.{ending}"
    assert converted(folder, "scores.csv", "-o", path.name).returncode == 0
    whole = path.read_bytes()
    path.write_text("mine")
    assert converted(folder, "scores.csv", "-o", path.name).returncode == 0
    assert path.read_bytes() == whole
