"""`--family`, `--family-column` and `--family-weights`: from a file to every command that draws or tests tasks."""

import json
from pathlib import Path

import numpy as np
import pytest

from support.bundle import contents
from support.entry import run

UNDO = "each counts as one; if they are none: families=False (--family none)"


def wide(folder: Path) -> Path:
    names = ("MRPC-a", "MRPC-b", "RTE", "QNLI", "WNLI", "CoLA", "SST-2", "AX")
    rng = np.random.default_rng(1)
    rows = [f"{system},{','.join(f'{score:.3f}' for score in rng.uniform(0.5, 0.9, 8))}" for system in "ABCD"]
    path = folder / "scores.csv"
    path.write_text("\n".join([f"system,{','.join(names)}", *rows]) + "\n")
    return path


def notes(folder: Path, *words: str | Path) -> list[str]:
    done = run(folder, *words, "-f", "json")
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)["notes"]
    return found


@pytest.mark.parametrize("command", [("info",), ("compare", "--control", "A", "--treatment", "C")])
def test_families_are_guessed_said_and_undone(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = wide(tmp_path)
    guessed = notes(tmp_path, *command, path)
    said = notes(tmp_path, *command, path, "--family", "nli=RTE,QNLI", "--family", "MRPC=MRPC-*")
    assert [note for note in guessed if "famil" in note] == [f"families of tasks, by their names: MRPC (2), {UNDO}"]
    assert any(note.startswith("families of tasks: MRPC (2), nli (2)") for note in said)
    assert not any("famil" in note for note in notes(tmp_path, *command, path, "--family", "none"))


@pytest.mark.parametrize("command", ["rank", "pairwise", "agree", "stress", "plan"])
def test_every_command_takes_families(tmp_path: Path, command: str) -> None:
    more = ["--repeats", "20"] if command == "stress" else []
    done = run(tmp_path, command, wide(tmp_path), "--family", "nli=RTE,QNLI", "--family-weights", *more)
    assert done.returncode == 0, done.stderr


def test_weights_of_families(tmp_path: Path) -> None:
    done = run(tmp_path, "info", wide(tmp_path), "--family-weights", "-f", "json")
    tasks = json.loads(done.stdout)["tasks"]
    assert {task["name"]: task["weight"] for task in tasks if task["family"]} == {"MRPC-a": 0.5, "MRPC-b": 0.5}
    assert {task["weight"] for task in tasks if not task["family"]} == {1.0}


def test_a_column_of_families(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    rows = [f"{s},{t},{n + k}" for n, s in enumerate("AB") for k, t in enumerate(("u,x", "v,x", "w,y"))]
    path.write_text("system,task,set,score\n" + "\n".join(rows) + "\n")
    assert "families of tasks: x (2), each counts as one" in notes(tmp_path, "info", path, "--family-column", "set")[0]


def test_a_page_keeps_families_in_its_commands_and_says_weights_anew(tmp_path: Path) -> None:
    told = ["--family", "nli=RTE,QNLI", "--family-weights"]
    done = run(tmp_path, "page", wide(tmp_path), *told, "-o", "board.html")
    assert done.returncode == 0, done.stderr
    content = contents((tmp_path / "board.html").read_text("utf-8"))
    assert "--family nli=RTE,QNLI" in content["command"]
    assert "--family-weights" not in content["command"]
    assert content["python"]["scores"].endswith(".with_families({'nli': ['RTE', 'QNLI']})")
