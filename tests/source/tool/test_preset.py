"""Exports of platforms that log experiments, with the columns that their own code and documentation name."""

import csv
import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import podium
from podium.errors import InputError
from support.tools import read, table


def as_csv(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)
    return path


def as_json(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), "utf-8")
    return path


def langsmith(*scores: float | None) -> list[dict[str, Any]]:
    return [
        {
            "inputs.question": f"q{number}",
            "outputs.answer": "a",
            "error": None,
            "reference.answer": "b",
            "feedback.correct": score,
            "feedback.comment": "nice",
            "execution_time": 0.5,
            "example_id": f"e{number}",
            "id": f"{score} {number}",
        }
        for number, score in enumerate(scores)
    ]


def test_langsmith(tmp_path: Path) -> None:
    paths = [as_csv(tmp_path / "a.csv", langsmith(1, 0, None)), as_csv(tmp_path / "b.csv", langsmith(1, 1, 0))]
    scores = read(*paths, preset="langsmith")
    assert str(table(scores)) == "{('a', 'correct'): [1.0, 0.0, nan], ('b', 'correct'): [1.0, 1.0, 0.0]}"
    assert any("left out, since they hold no numbers: comment" in note for note in scores.notes)


def test_braintrust(tmp_path: Path) -> None:
    def event(number: int, score: float | None, *, root: bool = True) -> dict[str, Any]:
        given = {"input": {"q": number}, "scores": {"Factuality": score, "Length": 0.5} if root else None}
        return {"id": f"{number}", "experiment_id": "x", "is_root": root, **given, "metrics": {"start": 1}}

    first = [event(1, 1), event(1, 0, root=False), event(2, None), event(1, 0)]
    as_json(tmp_path / "new.json", {"events": first, "cursor": None})
    (tmp_path / "old.jsonl").write_text("".join(json.dumps(event(number, 0.25)) + "\n" for number in (1, 2)), "utf-8")
    scores = read(tmp_path, preset="braintrust", tasks="Factuality")
    assert str(table(scores)) == "{('new', 'Factuality'): [0.5, nan], ('old', 'Factuality'): [0.25, 0.25]}"
    assert any("rows that are no results of Braintrust are left out: " in note for note in scores.notes)
    assert any("repeats" in note for note in scores.notes)


def langfuse(run: str | None, trace: str, value: float, **more: Any) -> dict[str, Any]:
    return {"id": trace, "trace_id": trace, "dataset_run_id": run, "name": "acc", "value": value, **more}


def test_langfuse(tmp_path: Path) -> None:
    rows = [langfuse("r1", "t1", 1), langfuse("r1", "t2", 0), langfuse("r2", "t3", 1), langfuse(None, "t4", 1)]
    rows = [{**row, "data_type": "NUMERIC"} for row in rows]
    rows.append(langfuse("r1", "t5", 0, data_type="CATEGORICAL"))
    assert table(read(as_csv(tmp_path / "scores.csv", rows), preset="langfuse")) == {
        ("r1", "acc"): [0.5],
        ("r2", "acc"): [1.0],
    }


def test_langfuse_with_items_of_the_data_set(tmp_path: Path) -> None:
    rows = [
        {"datasetRunId": run, "datasetItemId": item, "name": "acc", "value": value, "dataType": "BOOLEAN"}
        for run, value in (("r1", 1), ("r2", 0))
        for item in ("i1", "i2")
    ]
    path = as_json(tmp_path / "scores.json", {"data": rows, "meta": {"page": 1}})
    assert table(read(path, preset="langfuse")) == {("r1", "acc"): [1, 1], ("r2", "acc"): [0, 0]}


def test_scores_outside_of_experiments_are_refused(tmp_path: Path) -> None:
    path = as_csv(tmp_path / "scores.csv", [langfuse(None, "t1", 1)])
    with pytest.raises(InputError, match="no row names its experiment; a column should be called 'dataset_run_name'"):
        read(path, preset="langfuse")


def test_mlflow_evaluations(tmp_path: Path) -> None:
    for name, words in (("a", ("yes", "no")), ("b", ("yes", "yes"))):
        rows = [
            {"request_id": f"r{number}", "correct/value": word, "correct/rationale": "x", "correct/error_code": None}
            for number, word in enumerate(words)
        ]
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / f"{name}.parquet")
    assert table(read(tmp_path, preset="mlflow")) == {("a", "correct"): [1, 0], ("b", "correct"): [1, 1]}


def test_mlflow_tables_of_early_versions(tmp_path: Path) -> None:
    for name in ("a", "b"):
        given = {"columns": ["outputs", "toxicity/v1/score", "token_count"], "data": [["x", 0.5, 3], ["y", 0.25, 4]]}
        as_json(tmp_path / f"{name}.json", given)
    scores = read(tmp_path, preset="mlflow")
    assert table(scores) == {("a", "toxicity"): [0.5, 0.25], ("b", "toxicity"): [0.5, 0.25]}
    assert not scores.tasks[0].higher_is_better


def test_mlflow_runs(tmp_path: Path) -> None:
    def run(name: str, accuracy: float | None, day: int, status: str = "FINISHED") -> dict[str, Any]:
        given = {"run_id": f"{day}", "status": status, "start_time": f"2026-01-0{day}", "params.lr": 0.1}
        return {**given, "metrics.accuracy": accuracy, "metrics.loss": 1.0, "tags.mlflow.runName": name}

    rows = [run("a", 0.5, 1), run("a", 0.75, 2), run("b", 0.25, 3), run("c", 0.9, 4, "FAILED")]
    scores = read(as_csv(tmp_path / "runs.csv", rows), preset="mlflow-runs")
    assert table(scores) == {
        ("a", "accuracy"): [0.75],
        ("a", "loss"): [1.0],
        ("b", "accuracy"): [0.25],
        ("b", "loss"): [1.0],
    }
    assert [task.higher_is_better for task in scores.tasks] == [True, False]


def test_runs_of_weights_and_biases(tmp_path: Path) -> None:
    rows = [
        {
            "Name": name,
            "State": "finished",
            "Notes": "-",
            "User": "me",
            "Created": "2026-01-01",
            "Runtime": 3,
            "acc": acc,
        }
        for name, acc in (("a", 0.5), ("b", 0.25))
    ]
    rows.append({**rows[0], "Name": "c", "State": "crashed"})
    scores = read(as_csv(tmp_path / "export.csv", rows), preset="wandb")
    assert table(scores) == {("a", "acc"): [0.5], ("b", "acc"): [0.25]}
    assert any("choose tasks with --tasks" in note for note in scores.notes)


def test_a_run_without_a_value_counts_as_the_newest(tmp_path: Path) -> None:
    known = {"State": "finished", "optimizer": "adam"}
    rows: list[dict[str, Any]] = [
        {"Name": "A", "Created": "2026-01-01", "acc": 0.9, "loss": 0.1, **known},
        {"Name": "B", "Created": "2026-01-02", "acc": 0.8, "loss": 0.2, **known},
        {"Name": "B", "Created": "2026-01-03", "acc": "", "loss": "NaN", **known},
        {"Name": "C", "Created": "2026-01-03", "acc": "diverged", "loss": 0.3, **known},
    ]
    scores = read(as_csv(tmp_path / "export.csv", rows), preset="wandb", lower="loss")
    missing = pytest.approx(math.nan, nan_ok=True)
    values = [dict(zip(scores.systems, task.values[:, 0], strict=True)) for task in scores.tasks]
    assert scores.task_names == ("acc", "loss")
    assert values == [{"A": 0.9, "B": 0.8, "C": missing}, {"A": 0.1, "B": missing, "C": 0.3}]
    assert "the newest run has no score, which is missing: B on loss" in scores.notes


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    path = as_csv(tmp_path / "a.csv", langsmith(1))
    with pytest.raises(InputError, match=r"no preset 'langsmit'; did you mean 'langsmith'.*mlflow-runs, wandb"):
        read(path, preset="langsmit")
    with pytest.raises(InputError, match="leave out tool, layout"):
        podium.read(path, preset="langsmith", system_column="id")
    with pytest.raises(InputError, match=r"none of 1 file was written by Langfuse; leave preset= \(--preset\) out"):
        read(path, preset="langfuse")


@pytest.mark.parametrize("preset", ["langfuse", "braintrust", "langsmith", "mlflow", "mlflow-runs", "wandb"])
@pytest.mark.parametrize("content", ["", "{", "[]", "a,b\n1\n", '{"events": [1]}', "\x00\xff", '[{"scores": 3}]'])
def test_other_files_are_refused(tmp_path: Path, preset: str, content: str) -> None:
    for ending in ("csv", "json", "jsonl", "parquet"):
        path = tmp_path / f"a.{ending}"
        path.write_text(content, "utf-8")
        with pytest.raises(InputError):
            read(path, preset=preset)


def experiment(name: str | None, *scores: float) -> list[dict[str, Any]]:
    return [
        {"experiment_name": name, "input": f"q{number}", "scores.Factuality": score}
        for number, score in enumerate(scores)
    ]


def test_the_experiment_is_the_system_where_the_export_names_it(tmp_path: Path) -> None:
    as_csv(tmp_path / "export0.csv", experiment("gpt", 1, 0))
    as_csv(tmp_path / "export1.csv", experiment("claude", 0, 0))
    found = table(read(tmp_path, preset="braintrust"))
    assert found == {("gpt", "Factuality"): [1.0, 0.0], ("claude", "Factuality"): [0.0, 0.0]}


def test_exports_of_equal_names_in_two_folders_are_two_systems(tmp_path: Path) -> None:
    for folder, scores in (("a", (1.0, 0.0)), ("b", (0.0, 0.0))):
        (tmp_path / folder).mkdir()
        as_csv(tmp_path / folder / "export.csv", experiment(None, *scores))
    found = table(read(tmp_path, preset="braintrust"))
    assert found == {("export (folder a)", "Factuality"): [1.0, 0.0], ("export (folder b)", "Factuality"): [0.0, 0.0]}
