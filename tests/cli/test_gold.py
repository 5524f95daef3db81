"""Predictions on the command line: `--gold` and `--prediction-column`, wherever scores are read."""

import json
from pathlib import Path

import pytest

from support.entry import run, run_script

PREDICTIONS = "model,id,pred\n" + "".join(
    f"{model},{number},{'x' if number < right else 'y'}\n"
    for model, right in (("A", 9), ("B", 6), ("C", 3))
    for number in range(10)
)
GOLD = "id,gold\n" + "".join(f"{number},x\n" for number in range(10))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "predictions.csv").write_text(PREDICTIONS, encoding="utf-8")
    (tmp_path / "gold.csv").write_text(GOLD, encoding="utf-8")
    return tmp_path


def test_predictions_are_ranked_by_accuracy(folder: Path) -> None:
    done = run(folder, "rank", "predictions.csv", "--gold", "gold.csv", "-m", "mean", "--no-intervals", "-f", "json")
    assert done.returncode == 0, done.stderr
    board = json.loads(done.stdout)
    assert [task["name"] for task in board["tasks"]] == ["accuracy"]
    assert {row["system"]: row["score"] for row in board["systems"]} == pytest.approx({"A": 0.9, "B": 0.6, "C": 0.3})
    assert any("equals column 'gold' of gold.csv" in note for note in board["notes"])


@pytest.mark.parametrize(
    "command", [("info",), ("agree",), ("plan",), ("compare", "--control", "A", "--treatment", "B")]
)
def test_every_command_takes_predictions(folder: Path, command: tuple[str, ...]) -> None:
    name, *options = command
    done = run(
        folder, name, "predictions.csv", "--gold", "gold.csv", "--prediction-column", "pred", "--verbose", *options
    )
    assert done.returncode == 0, done.stderr
    assert "accuracy" in done.stdout + done.stderr


def test_a_column_of_standard_input_may_be_gold(folder: Path) -> None:
    table = b"model,id,guess,answer\nA,1,x,x\nB,1,y,x\n"
    done = run_script(
        folder, "rank", "-", "--gold", "answer", "--prediction-column", "guess", "-f", "json", stdin=table
    )
    assert done.returncode == 0, done.stderr
    assert [row["system"] for row in json.loads(done.stdout)["systems"]] == ["A", "B"]
