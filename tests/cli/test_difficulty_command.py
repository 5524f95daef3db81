"""`podium difficulty`: every measure and format, and what is refused."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import podium
from podium.difficulty.api import failure_rate, spurious_bias
from support.entry import run, run_script


def reviews(folder: Path, name: str, count: int, seed: int = 0) -> Path:
    """Write texts of which one word mostly tells the answer."""
    rng = np.random.default_rng(seed)
    rows = ["id,text,label"]
    for number in range(count):
        good = bool(rng.integers(2))
        told = good ^ bool(rng.random() < 0.15)
        words = [*rng.choice(["film", "plot", "actor", "scene"], size=4), "good" if told else "bad"]
        rows.append(f"{name}{number},{' '.join(words)},{'pos' if good else 'neg'}")
    path = folder / f"{name}.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def scores(folder: Path) -> Path:
    rows = ["system,task,instance,score"]
    rows += [f"s{s},{t},{k},{int(k % (s + 2) == 0)}" for s in range(6) for t in "ab" for k in range(12)]
    path = folder / "scores.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("difficulty")
    reviews(made, "test", 40)
    reviews(made, "train", 60, 1)
    scores(made)
    return made


BIAS = ("difficulty", "bias", "--test", "test.csv", "--rounds", "3", "--jobs", "1")


def test_without_a_file_a_summary_is_shown(folder: Path) -> None:
    done = run_script(folder, *BIAS)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "40 instances: bias"
    assert lines[2].split()[:3] == ["measure", "hard", "instances"]
    assert [line.split()[0] for line in lines[6:16]] == ["hardest"] * 5 + ["easiest"] * 5
    assert "note: bias: share of 6 linear models" in done.stdout


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_files_are_read_back_as_they_were_made(folder: Path, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"difficulty.{suffix}"
    done = run(folder, "difficulty", "failures", "scores.csv", "-o", target)
    assert (done.returncode, done.stdout) == (0, "")
    assert "note: failures of 6 systems" in done.stderr
    back = podium.read_difficulty(target)
    assert back.measure().hard == "high"
    assert back.rows() == failure_rate(podium.read(folder / "scores.csv")).rows()


def test_a_file_of_bias_says_what_it_holds_and_leaves_nothing_beside_it(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "difficulty.parquet"
    run(folder, *BIAS, "-o", target)
    assert list(tmp_path.iterdir()) == [target]
    table = pq.read_table(target)
    assert table.column_names == ["instance", "bias", "evaluated"]
    about = json.loads(table.schema.metadata[b"podium"])
    assert about["measures"] == [{"name": "bias", "hard": "low"}]
    rated = spurious_bias(podium.read_texts(folder / "test.csv"), rounds=3, jobs=1)
    assert about["notes"] == list(rated.notes)
    assert table.to_pylist() == rated.rows()


def test_across_sets_and_similarity_read_both(folder: Path) -> None:
    both = ("--train", "train.csv", "--test", "test.csv")
    across = run(folder, "difficulty", "bias", *both, "--jobs", "1", "-f", "json")
    assert across.returncode == 0
    assert {row["bias"] for row in json.loads(across.stdout)["instances"]} <= {0, 0.25, 0.5, 0.75, 1}
    near = run(folder, "difficulty", "similarity", *both, "--top-percent", "1,25%", "-f", "csv")
    assert near.stdout.splitlines()[0] == "instance,similarity_1,similarity_25"


def test_embeddings_come_from_files(folder: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    np.save(tmp_path / "test.npy", rng.normal(size=(40, 4)))
    np.save(tmp_path / "train.npy", rng.normal(size=(60, 4)))
    done = run(
        *(folder, "difficulty", "similarity", "--train", "train.csv", "--test", "test.csv"),
        *("--embeddings", tmp_path / "test.npy", "--train-embeddings", tmp_path / "train.npy"),
    )
    assert "note: embeddings as given, of 4 dimensions" in done.stdout


def test_item_response_of_scores(folder: Path) -> None:
    done = run(folder, "difficulty", "irt", "scores.csv", "-f", "csv", "--tasks", "a")
    assert done.returncode == 0
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    beside = ["std_error", "discrimination", "discrimination_std_error", "information", "misfit", "estimate"]
    assert list(rows[0]) == ["task", "instance", "irt", *beside]
    hard = {int(row["instance"]): float(row["irt"]) for row in rows}
    assert hard[0] == min(hard.values()), "which all solve"
    assert hard[1] == max(hard.values()), "which none solves"


def test_other_commands_write_parquet_too(folder: Path) -> None:
    done = run(folder, "rank", "scores.csv", "-o", "board.parquet")
    assert (done.returncode, done.stdout) == (0, "")
    rows = json.loads(run(folder, "rank", "scores.csv", "-f", "json").stdout)["systems"]
    assert pq.read_table(folder / "board.parquet").to_pylist() == rows


def test_help_lists_the_measures(folder: Path) -> None:
    bare, asked = run(folder, "difficulty"), run(folder, "difficulty", "--help")
    assert bare.stdout == asked.stdout
    assert all(f"  {name} " in asked.stdout for name in ("bias", "similarity", "failures", "irt"))
