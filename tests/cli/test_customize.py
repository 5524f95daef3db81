"""`podium customize` and `--instance-weights`."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from support.entry import run, run_script

SYSTEMS = ("bow", "lstm", "bert")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Predictions, right answers, difficulties: systems that fail the hard instances, the better the later."""
    place = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(0)
    hardness = np.linspace(0, 1, 40)
    gold = rng.integers(0, 2, 40)
    rows, scores = ["model,sample_id,pred,sure"], ["system,instance,score"]
    for strength, system in enumerate(SYSTEMS):
        right = rng.random(40) < 1.1 - hardness + 0.2 * strength
        for number in range(40):
            prediction = gold[number] if right[number] else 1 - gold[number]
            rows.append(f"{system},{number},{prediction},{0.5 + rng.random() / 2:.3f}")
            scores.append(f"{system},{number},{int(right[number])}")
    (place / "predictions.csv").write_text("\n".join(rows))
    (place / "scores.csv").write_text("\n".join(scores))
    (place / "gold.csv").write_text("\n".join(["sample_id,gold", *(f"{i},{label}" for i, label in enumerate(gold))]))
    lines = [
        f"{number},{1 - hardness[number]:.4f},{number % 4},{'long' if number % 2 else 'short'}" for number in range(40)
    ]
    (place / "difficulty.csv").write_text("\n".join(["instance,bias,similarity_25,length", *lines]))
    (place / "weights.csv").write_text("\n".join(["instance,weight", *(f"{i},{i}" for i in range(40))]))
    return place


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_predictions_are_graded_split_and_weighted(folder: Path) -> None:
    table = ("--difficulty", "difficulty.csv", "--difficulty-column", "bias")
    done = run(folder, "customize", "predictions.csv", "--gold", "gold.csv", *table, "--splits", "4")
    assert done.returncode == 0, done.stderr
    assert "weighted by bias: 3 systems, 4 splits (equal), weights linear, reward 1, penalty -1" in done.stdout
    assert "95% ranks" in done.stdout
    assert "split 4" in done.stdout
    same = run(folder, "customize", "scores.csv", *table, "--splits", "4", "-f", "csv")
    graded = run(folder, "customize", "predictions.csv", "--gold", "gold.csv", *table, "--splits", "4", "-f", "csv")
    assert same.stdout == graded.stdout
    # the hard instances weigh most, and everybody fails some
    assert all(float(row["score"]) < float(row["accuracy"]) for row in rows_of(same.stdout))


def test_json_tells_the_splits(folder: Path) -> None:
    table = ("--difficulty", "difficulty.csv", "--difficulty-column", "bias")
    done = run_script(folder, "customize", "scores.csv", *table, "--splits", "0.25,0.5", "--case", "4", "-f", "json")
    found = json.loads(done.stdout)
    assert found["kind"] == "customized"
    assert (found["by"], found["penalty"]) == ("thresholds", "-0.5")
    assert [split["weight"] for split in found["splits"]] == [1, 2, 3]
    assert [split["instances"] for split in found["splits"]] == [20, 10, 10]


def test_confidences_come_from_a_column_of_the_sources(folder: Path) -> None:
    done = run(
        folder,
        *(
            "customize",
            "predictions.csv",
            "--gold",
            "gold.csv",
            "--probability-column",
            "sure",
            "--splits",
            "5",
            "-f",
            "json",
        ),
    )
    found = json.loads(done.stdout)
    assert found["measure"] == "confidence"
    assert found["splits"][0]["low"] is None
    assert not [note for note in found["notes"] if "not used" in note]


def test_difficulty_from_the_scores_themselves(folder: Path) -> None:
    for measure in ("failures", "irt"):
        done = run(folder, "customize", "scores.csv", "--difficulty", measure, "--splits", "3", "--no-intervals")
        assert done.returncode == 0, done.stderr
        assert "do not weight a leaderboard of the same systems by them" in done.stdout


def test_manual_splits_by_a_column_of_text(folder: Path) -> None:
    done = run(
        folder,
        *("customize", "scores.csv", "--difficulty", "difficulty.csv", "--difficulty-column", "bias"),
        *("--splits", "length", "--split-weights", "1,5", "-f", "json"),
    )
    assert [split["name"] for split in json.loads(done.stdout)["splits"]] == ["short", "long"]


def test_weights_of_instances_for_any_method(folder: Path) -> None:
    plain = run(folder, "rank", "scores.csv", "--method", "mean", "--no-intervals", "-f", "csv")
    weighed = run(
        folder,
        *("rank", "scores.csv", "--method", "mean", "--no-intervals", "-f", "csv"),
        *("--instance-weights", "difficulty.csv", "--difficulty-column", "bias"),
    )
    lower = zip(rows_of(plain.stdout), rows_of(weighed.stdout), strict=True)
    assert all(float(hard["score"]) < float(easy["score"]) for easy, hard in lower)
    given = run(folder, *("rank", "scores.csv", "--method", "mean", "-f", "csv", "--instance-weights", "weights.csv"))
    scores = {system: np.zeros(40) for system in SYSTEMS}
    for row in rows_of((folder / "scores.csv").read_text()):
        scores[row["system"]][int(row["instance"])] = float(row["score"])
    for row in rows_of(given.stdout):
        assert float(row["score"]) == pytest.approx(np.average(scores[row["system"]], weights=np.arange(40)))
    for command in ("info", "agree"):
        assert run(folder, command, "scores.csv", "--instance-weights", "weights.csv").returncode == 0


def test_pictures(folder: Path) -> None:
    done = run(
        folder,
        *("customize", "scores.csv", "--difficulty", "difficulty.csv", "--difficulty-column", "bias"),
        *("--plot", "parallel=p.svg", "--plot", "moves=m.pdf", "--plot", "difficulty=d.png"),
    )
    assert done.returncode == 0, done.stderr
    assert all((folder / name).stat().st_size > 5_000 for name in ("p.svg", "m.pdf", "d.png"))


def test_strictness_refuses_what_is_not_in_both(folder: Path) -> None:
    (folder / "half.csv").write_text("instance,bias\n" + "\n".join(f"{number},0.{number}" for number in range(10, 20)))
    table = ("--difficulty", "half.csv", "--splits", "2")
    lax = run(folder, "customize", "scores.csv", *table)
    assert "left out: 30 instances without bias" in lax.stdout
    strict = run(folder, "customize", "scores.csv", *table, "--strict")
    assert strict.returncode == 2
    assert "30 instances without bias" in strict.stderr
