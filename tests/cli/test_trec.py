"""Location files on the command line: in place of sources, and with a measure."""

import json
import sys
from pathlib import Path

import pytest
import yaml

from podium.cli import entry as guard
from support.entry import run, run_script, wide

QRELS = "q1 0 d1 1\nq2 0 d2 1\nq3 0 d1 2\n"
TREC = ("--trec", "data/config.yaml")
RUNS = {"good": "q1 d1 1 9\nq2 d2 1 9\nq3 d1 1 9\n", "poor": "q1 d9 1 9\nq1 d1 2 8\nq2 d2 1 9\n"}


def collections(folder: Path) -> Path:
    """Write two collections in a folder of their own, with a location file whose paths lead from the one above."""
    home = folder / "data"
    home.mkdir()
    for name, lines in {"qrels": QRELS, **RUNS}.items():
        (home / name).write_text(lines)
    tasks = {"covid": "TREC Covid", "antique": "Antique"}
    content = {
        "qrels": dict.fromkeys(tasks, "./data/qrels"),
        "available_rankings": {system: dict.fromkeys(tasks, f"./data/{system}") for system in RUNS},
        "display_names": tasks,
    }
    path = home / "config.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    return path


def lines_of_scores(folder: Path) -> Path:
    """Write a location file of scores."""
    for system, content in {"A": "1\n0\n1\n", "B": "0\n0\n1\n"}.items():
        (folder / f"{system}.txt").write_text(content)
    path = folder / "scores.yaml"
    path.write_text("eval_metrics: {A: {rte: A.txt}, B: {rte: B.txt}}\n")
    return path


@pytest.mark.parametrize(("measure", "values"), [((), (1.0, 0.543643)), (("--measure", "RR"), (1.0, 0.5))])
def test_rank(tmp_path: Path, measure: tuple[str, ...], values: tuple[float, float]) -> None:
    path = collections(tmp_path)
    done = run(tmp_path, "rank", "--trec", path, *measure, "--method", "mean", "--no-intervals", "-f", "json", "-q")
    assert (done.returncode, done.stderr) == (0, "")
    board = json.loads(done.stdout)
    assert [(row["system"], row["score"]) for row in board["systems"]] == [
        ("good", values[0]),
        ("poor", pytest.approx(values[1], abs=1e-6)),
    ]
    assert any("that a run lacks score 0" in note for note in board["notes"])


@pytest.mark.parametrize("command", ["rank", "agree", "plan", "info"])
def test_every_command_takes_a_location_file(tmp_path: Path, command: str) -> None:
    for path in (collections(tmp_path), lines_of_scores(tmp_path)):
        done = run(tmp_path, command, "--trec", path)
        assert done.returncode == 0, done.stderr
        assert done.stdout


def test_tasks_systems_directions_and_weights(tmp_path: Path) -> None:
    path = collections(tmp_path)
    chosen = ("--tasks", "TREC*", "--lower", "TREC Covid", "--task-weights", "TREC Covid=2", "--tie-tolerance", "0.1")
    done = run_script(tmp_path, "info", "--trec", path, *chosen, "--systems", "poor", "-f", "json")
    assert done.returncode == 0, done.stderr
    (task,) = json.loads(done.stdout)["tasks"]
    assert (task["name"], task["higher_is_better"], task["weight"]) == ("TREC Covid", False, 2)


@pytest.mark.parametrize(
    ("arguments", "mentioned"),
    [
        ((), "Missing argument 'SOURCE'; see 'podium rank --help'"),
        (("scores.csv", *TREC), "--trec data/config.yaml replaces the sources; leave out 'scores.csv' or --trec"),
        ((*TREC, "--system-column", "model"), "--system-column is for tables, and --trec reads no table; leave it out"),
        ((*TREC, "--input-format", "csv"), "--input-format is for tables, and --trec reads no table; leave it"),
        ((*TREC, "--measure", "nDGC@10"), "there is no measure 'nDGC'; did you mean 'nDCG'"),
        ((*TREC, "--tasks", "Covid"), "there is no task 'Covid'"),
        (("scores.csv", "--measure", "RR"), "--measure needs TREC runs"),
        (("--trec", "scores.yaml", "--measure", "RR"), "scores.yaml lists scores, not runs"),
        (("--trec", "score.yaml"), "there is no file 'score.yaml'; did you mean 'scores.yaml'"),
    ],
)
def test_what_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    mentioned: str,
) -> None:
    collections(tmp_path)
    lines_of_scores(tmp_path)
    wide(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["podium", "rank", *arguments])
    with pytest.raises(SystemExit) as left:
        guard.main()
    assert left.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"error: {mentioned}")


@pytest.mark.parametrize("name", ["config.yaml", "qrels", "good"])
def test_a_result_is_not_written_over_what_is_listed(tmp_path: Path, name: str) -> None:
    path = collections(tmp_path)
    before = (path.parent / name).read_text()
    done = run(tmp_path, "info", "--trec", path, "-f", "json", "-o", path.parent / name)
    assert done.returncode == 2
    assert f"{name} is read as input and would be overwritten" in done.stderr
    assert (path.parent / name).read_text() == before
