"""Results of lighteval: its own means, averages, directions, details of both layouts and damage."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from podium.errors import InputError
from podium.source.logs import find_logs
from podium.source.tool.lighteval import TOOLS
from support.tools import read, runs, table, takers, written

DATE = "2026-01-02T03-04-05.678"


def results(
    root: Path,
    model: str,
    rows: dict[str, dict[str, float]],
    metrics: list[dict[str, Any]] | None = None,
    date: str = DATE,
    **general: Any,
) -> Path:
    given = {
        "config_general": {"model_config": {"model_name": model}, **general},
        "results": rows,
        "versions": {},
        "config_tasks": {name: {"name": name, "metrics": metrics or []} for name in rows},
        "summary_tasks": {},
    }
    return written(root / "results" / model / f"results_{date}.json", given)


def details(root: Path, model: str, task: str, metric: dict[str, list[Any]], date: str = DATE) -> Path:
    count = len(next(iter(metric.values())))
    docs = [{"id": str(i), "query": f"q{i}", "task_name": task} for i in range(count)]
    rows = [{name: values[i] for name, values in metric.items()} for i in range(count)]
    path = root / "details" / model / date / f"details_{task}_{date}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"doc": docs, "metric": rows, "model_response": [{"text": "a"}] * count}), path)
    return path


def test_means_of_lighteval_are_those_of_its_details(shared: Path) -> None:
    folder = shared / "data/formats/lighteval"
    logs = find_logs(folder)
    assert logs is not None
    assert len(logs.units) == 3
    sampled = [run for run in runs(folder) if run.samples is not None]
    assert len(sampled) == 6
    for run in sampled:
        assert run.samples.scores.mean() == pytest.approx(run.mean, abs=1e-9)
    scores = read(folder)
    assert [task.values.shape for task in scores.tasks] == [(3, 30), (3, 40)]
    assert scores.systems == ("demo/alpha", "demo/beta", "demo/gamma")


def test_results_and_details_are_read_together_wherever_they_lie() -> None:
    unit = TOOLS[0].unit
    assert unit is not None
    for root in ("", "/a/", "/details/b/", "/results/b/details/"):
        results_path = f"{root}results/org/model/results_{DATE}.json"
        details_path = f"{root}details/org/model/{DATE}/details_mt|0_{DATE}.parquet"
        assert unit(results_path) == unit(details_path)
    # a repository of details has no folder of results
    assert unit(f"/repo/results_{DATE}.json") == unit(f"/repo/{DATE}/details_mt|0_{DATE}.parquet")


def test_averages_do_not_stand_beside_their_tasks(tmp_path: Path) -> None:
    rows = {"mmlu:law|5": {"acc": 0.5, "acc_stderr": 0.1}, "mmlu:art|5": {"acc": 0.7}}
    results(tmp_path, "a/x", {**rows, "mmlu:_average|5": {"acc": 0.6}, "all": {"acc": 0.6}})
    assert table(read(tmp_path)) == {("a/x", "mmlu:law"): [0.5], ("a/x", "mmlu:art"): [0.7]}


def test_tasks_with_other_numbers_of_examples_are_apart(tmp_path: Path) -> None:
    results(tmp_path, "a/x", {"leaderboard|arc|0|0": {"acc": 0.5}, "leaderboard|arc|25|0": {"acc": 0.7}})
    assert read(tmp_path).task_names == ("arc (n-shot 0)", "arc (n-shot 25)")


def test_metrics_have_the_order_and_direction_of_the_configuration(tmp_path: Path) -> None:
    metrics: list[dict[str, Any]] = [
        {"metric_name": ["wer", "cer"], "higher_is_better": {"wer": False, "cer": False}},
        {"metric_name": "acc", "higher_is_better": True},
    ]
    results(tmp_path, "a/x", {"asr|0": {"acc": 0.5, "wer": 0.25}}, metrics)
    scores = read(tmp_path)
    assert table(scores) == {("a/x", "asr"): [0.25]}
    assert not scores.tasks[0].higher_is_better


def test_metrics_of_all_samples_together_have_their_mean_alone(tmp_path: Path) -> None:
    # inputs of a corpus metric may be numbers too, and are no scores
    results(tmp_path, "a/x", {"mt|0": {"acc": 0.5, "ppl": 7.0, "bleu": 3.0}})
    details(tmp_path, "a/x", "mt|0", {"acc": [0, 1], "ppl": [-1.5, -2.5], "bleu": [["a"], ["b"]]})
    scores = read(tmp_path, metric=["*"])
    assert table(scores) == {("a/x", "mt/acc"): [0, 1], ("a/x", "mt/ppl"): [7], ("a/x", "mt/bleu"): [3]}
    assert any("scored only as a whole" in note and "ppl, bleu" in note for note in scores.notes)


def test_details_alone_name_the_model_by_their_folders(tmp_path: Path) -> None:
    details(tmp_path, "a/x", "mt|0", {"acc": [None, 1]})
    assert np.array_equal(table(read(tmp_path))["a/x", "mt"], [np.nan, 1], equal_nan=True)


def test_samples_that_stand_twice_are_repeats(tmp_path: Path) -> None:
    path = details(tmp_path, "a/x", "mt|0", {"acc": [0, 1]})
    old = pq.ParquetFile(path).read()
    pq.write_table(pa.concat_tables([old, old.slice(1)]), path)
    (run,) = runs(path)
    assert run.samples.repeats.tolist() == [1, 1, 2]


def test_details_before_0_10_join_by_their_text(tmp_path: Path) -> None:
    for model, texts in (("a/x", ["p", "q"]), ("a/y", ["q", "p"])):
        path = tmp_path / "details" / model / DATE / f"details_leaderboard|arc|25|0_{DATE}.parquet"
        path.parent.mkdir(parents=True)
        rows = [{"acc": float(text == "p")} for text in texts]
        pq.write_table(pa.table({"example": texts, "predictions": texts, "metrics": rows}), path)
    scores = read(tmp_path)
    assert scores.task_names == ("arc",)
    assert scores.tasks[0].values[0].tolist() == scores.tasks[0].values[1].tolist()


def test_the_newest_of_two_runs_counts(tmp_path: Path) -> None:
    results(tmp_path, "a/x", {"arc|0": {"acc": 0.5}}, date="2026-01-02T03-04-05")
    results(tmp_path, "a/x", {"arc|0": {"acc": 0.7}}, date="2026-01-03T03:04:05.1")
    assert table(read(tmp_path)) == {("a/x", "arc"): [0.7]}


def test_a_limit_is_said(tmp_path: Path) -> None:
    results(tmp_path, "a/x", {"arc|0": {"acc": 0.5}}, max_samples=10)
    assert "lighteval ran only 10 samples of each task (--max-samples)" in read(tmp_path).notes


def test_other_questions_under_the_same_number_are_refused(tmp_path: Path) -> None:
    details(tmp_path, "a/x", "mt|0", {"acc": [0, 1]})
    path = details(tmp_path, "a/y", "mt|0", {"acc": [0, 1]})
    docs = [{"id": str(i), "query": "other", "task_name": "mt|0"} for i in range(2)]
    pq.write_table(pa.table({"doc": docs, "metric": [{"acc": 1}, {"acc": 1}]}), path)
    with pytest.raises(InputError, match=r"instance '0' differs between"):
        read(tmp_path)


def test_other_parquet_files_are_not_taken(tmp_path: Path) -> None:
    for name, columns in {"a": {"doc": [1], "metric": [2]}, "b": {"metrics": [{"a": 1}], "x": [1]}}.items():
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
        assert not takers(tmp_path / f"{name}.parquet")
    (tmp_path / "c.parquet").write_bytes(b"PAR1 and nothing else")
    assert not takers(tmp_path / "c.parquet")


def test_details_of_early_versions_are_texts(tmp_path: Path) -> None:
    metrics = ["{'acc': 1.0, 'acc_norm': np.float64(0.0), 'ok': True}", "{'acc': 0, 'acc_norm': 1e-01, 'ok': False}"]
    metrics = [f"{shown[:-1]}, 'bleu': Input(golds=['x'], preds=['y'])}}" for shown in metrics]
    given = {"acc": 0.5, "acc_norm": 0.05, "ok": 0.5, "bleu": 31.0, "acc_stderr": 0.1}
    results(tmp_path, "a/x", {"leaderboard|arc:challenge|25": given, "all": given}, model_name="a/x")
    path = tmp_path / "details" / "a/x" / DATE / f"details_leaderboard|arc:challenge|25_{DATE}.parquet"
    path.parent.mkdir(parents=True)
    texts = {"example": ["p", "q"], "full_prompt": ["p", "q"], "predictions": ["['a']", "['b']"], "metrics": metrics}
    pq.write_table(pa.table(texts), path)
    sampled = {run.metric: (run.samples.scores, run.mean) for run in runs(tmp_path) if run.samples is not None}
    assert {name: scores.tolist() for name, (scores, _) in sampled.items()} == {
        "acc": [1, 0],
        "acc_norm": [0, 0.1],
        "ok": [1, 0],
    }
    for scores, mean in sampled.values():
        assert scores.mean() == pytest.approx(mean, abs=1e-9)
    assert table(read(tmp_path, metric="bleu")) == {("a/x", "arc:challenge"): [31.0]}
