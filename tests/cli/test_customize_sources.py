"""Where `podium customize` takes difficulty from."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest

import podium
from support.entry import run

#: Systems; the tasks have as many instances each, and those of the second are harder.
ABILITIES, INSTANCES = np.linspace(-2, 2, 12), 15


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(3)
    rows = ["system,task,instance,score,sure"]
    for task, shift in (("easy", -1.5), ("hard", 1.5)):
        hardness = np.linspace(-1, 1, INSTANCES) + shift
        chances = 1 / (1 + np.exp(hardness - ABILITIES[:, None]))
        right = rng.random(chances.shape) < chances
        rows += [
            f"s{system:02},{task},{number},{int(solved)},{chance:.3f}"
            for system, (solves, sure) in enumerate(zip(right, chances, strict=True))
            for number, (solved, chance) in enumerate(zip(solves, sure, strict=True))
        ]
    (place / "scores.csv").write_text("\n".join(rows) + "\n")
    return place


@pytest.mark.parametrize(("level", "together"), [("one", True), ("two", False)])
def test_one_box_of_all_tasks_has_difficulties_of_one_scale(folder: Path, level: str, together: bool) -> None:
    done = run(
        folder, "customize", "scores.csv", "--difficulty", "irt", "--level", level, "--no-intervals", "-f", "csv"
    )
    assert done.returncode == 0, done.stderr
    scores = podium.read(folder / "scores.csv")
    difficulty = podium.item_response(scores, together=together)
    board = podium.customize(scores, difficulty, splits=podium.Splitting(level=level), confidence=None)
    expected = {row["system"]: row["score"] for row in board.rows()}
    found = {row["system"]: float(row["score"]) for row in csv.DictReader(io.StringIO(done.stdout))}
    assert found == pytest.approx(expected, rel=1e-9)
    assert ("every task has its own scale" in done.stderr) is not together


def test_strictness_about_no_table_is_refused(folder: Path) -> None:
    for measure in ("failures", "irt"):
        done = run(folder, "customize", "scores.csv", "--difficulty", measure, "--strict")
        assert done.returncode == 2
        assert "--strict needs a table of difficulties, and there is none" in done.stderr
    sure = run(folder, "customize", "scores.csv", "--score-column", "score", "--probability-column", "sure", "--strict")
    assert sure.returncode == 0, "some scores might have no confidence"
