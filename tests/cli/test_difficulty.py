"""`podium difficulty`, `podium customize` and `--instance-weights`."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import podium
from podium.difficulty.api import failure_rate, spurious_bias
from support.entry import run


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
    done = run(folder, "difficulty irt scores.csv -f csv --tasks a")
    assert done.returncode == 0
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    beside = ["std_error", "discrimination", "discrimination_std_error", "information", "misfit", "estimate"]
    assert list(rows[0]) == ["task", "instance", "irt", *beside]
    hard = {int(row["instance"]): float(row["irt"]) for row in rows}
    assert hard[0] == min(hard.values()), "which all solve"
    assert hard[1] == max(hard.values()), "which none solves"


def test_other_commands_write_parquet_too(folder: Path) -> None:
    done = run(folder, "rank scores.csv -o board.parquet")
    assert (done.returncode, done.stdout) == (0, "")
    rows = json.loads(run(folder, "rank scores.csv -f json").stdout)["systems"]
    assert pq.read_table(folder / "board.parquet").to_pylist() == rows


SYSTEMS = ("bow", "lstm", "bert")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
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


def test_predictions_are_graded_split_and_weighted(tables: Path) -> None:
    table = "--difficulty difficulty.csv --difficulty-column bias --splits 4 -f csv"
    same = run(tables, f"customize scores.csv {table}")
    assert same.stdout == run(tables, f"customize predictions.csv --gold gold.csv {table}").stdout
    # the hard instances weigh most, and everybody fails some
    assert all(float(row["score"]) < float(row["accuracy"]) for row in rows_of(same.stdout))


def test_confidences_come_from_a_column_of_the_sources(tables: Path) -> None:
    done = run(tables, "customize predictions.csv --gold gold.csv --probability-column sure --splits 5 -f json")
    found = json.loads(done.stdout)
    assert found["measure"] == "confidence"
    assert found["splits"][0]["low"] is None
    assert not [note for note in found["notes"] if "not used" in note]


def test_weights_of_instances_for_any_method(tables: Path) -> None:
    ask = "rank scores.csv --method mean --no-intervals -f csv"
    plain = run(tables, ask)
    weighed = run(tables, f"{ask} --instance-weights difficulty.csv --difficulty-column bias")
    lower = zip(rows_of(plain.stdout), rows_of(weighed.stdout), strict=True)
    assert all(float(hard["score"]) < float(easy["score"]) for easy, hard in lower)
    given = run(tables, f"{ask} --instance-weights weights.csv")
    scores = {system: np.zeros(40) for system in SYSTEMS}
    for row in rows_of((tables / "scores.csv").read_text()):
        scores[row["system"]][int(row["instance"])] = float(row["score"])
    for row in rows_of(given.stdout):
        assert float(row["score"]) == pytest.approx(np.average(scores[row["system"]], weights=np.arange(40)))
    for command in ("info", "agree"):
        assert run(tables, command, "scores.csv", "--instance-weights", "weights.csv").returncode == 0


def test_strictness_refuses_what_is_not_in_both(tables: Path) -> None:
    (tables / "half.csv").write_text("instance,bias\n" + "\n".join(f"{number},0.{number}" for number in range(10, 20)))
    ask = "customize scores.csv --difficulty half.csv --splits 2"
    assert "left out: 30 instances without bias" in run(tables, ask).stdout
    strict = run(tables, f"{ask} --strict")
    assert strict.returncode == 2
    assert "30 instances without bias" in strict.stderr


#: Systems; the tasks have as many instances each, and those of the second are harder.
ABILITIES, INSTANCES = np.linspace(-2, 2, 12), 15


@pytest.fixture(scope="module")
def levels(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
def test_one_box_of_all_tasks_has_difficulties_of_one_scale(levels: Path, level: str, together: bool) -> None:
    done = run(levels, f"customize scores.csv --difficulty irt --level {level} --no-intervals -f csv")
    assert done.returncode == 0, done.stderr
    scores = podium.read(levels / "scores.csv")
    difficulty = podium.item_response(scores, together=together)
    board = podium.customize(scores, difficulty, splits=podium.Splitting(level=level), confidence=None)
    expected = {row["system"]: row["score"] for row in board.rows()}
    found = {row["system"]: float(row["score"]) for row in csv.DictReader(io.StringIO(done.stdout))}
    assert found == pytest.approx(expected, rel=1e-9)
    assert ("every task has its own scale" in done.stderr) is not together


def test_confidences_may_be_strict(levels: Path) -> None:
    sure = run(levels, "customize scores.csv --score-column score --probability-column sure --strict")
    assert sure.returncode == 0, "some scores might have no confidence"
