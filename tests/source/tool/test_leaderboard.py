"""Boards that models are run for: what each file says, which record counts, and damage.

- Results of BIG-bench: files of metrics, files of scores with parts and numbers of examples, and damage.
- Reports of ExplainaBoard: the layouts of its versions, names, and damage.
- Results of learners on tables of data: folds, failed and repeated ones, and directions.
"""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import podium
from podium.errors import InputError
from podium.source.logs import find_logs
from support.tools import mean, read, runs, scores, table, takers, written


def judged(model: str, question: str, score: float, time: float = 1.0) -> dict[str, Any]:
    return {
        "question_id": question,
        "task": "zebra",
        "model": model,
        "score": score,
        "tstamp": time,
        "category": "reasoning",
    }


def test_the_last_score_of_a_question_of_livebench_counts(tmp_path: Path) -> None:
    rows = [judged("M", "q1", 0, 3), judged("m", "q1", 1, 2), judged("m", "q2", -1), judged("n", "q1", 0.5)]
    written(tmp_path / "zebra" / "ground_truth_judgment.jsonl", rows)
    written(tmp_path / "zebra" / "question.jsonl", [{"question_id": "q1", "task": "zebra", "turns": ["Who?"]}])
    first, second = runs(tmp_path)
    assert (first.system, first.task, first.metric) == ("m", "zebra", "score")
    assert first.samples.scores[:1].tolist() == [0]
    assert list(scores(first)) == ["q1", "q2"]
    assert mean(first) == 0
    assert scores(second) == {"q1": 0.5}


def test_prompts_of_reward_bench_count_before_shares(tmp_path: Path) -> None:
    about = {"model_type": "RM", "chat_template": "t"}
    for model, right in (("org/a", [1, 0, 1]), ("org/b", [0, 0, 1])):
        prompts = {"results": right, "subset": ["hep", "hep", "llmbar"], "id": [7, 8, 9], "text_chosen": ["x"] * 3}
        written(tmp_path / "eval-set-scores" / f"{model}.json", {**prompts, "model": model, **about})
        shares = {"hep": sum(right[:2]) / 2, "llmbar": right[2]}
        written(tmp_path / "eval-set" / f"{model}.json", {**shares, "model": model, **about})
    found = podium.read(tmp_path)
    assert found.systems == ("org/a", "org/b")
    assert found.task_names == ("hep", "llmbar")
    assert [task.n_instances for task in found.tasks] == [2, 1]


def test_the_command_of_reward_bench(tmp_path: Path) -> None:
    for model, share in (("a", 0.75), ("b", 0.5)):
        given = {"accuracy": share, "num_prompts": 4, "model": model, "ref_model": None, "tokenizer": "t"}
        written(tmp_path / "v1" / f"{model}.json", {**given, "extra_results": {"hep": share, "model": model}})
        written(tmp_path / "own" / f"{model}.json", {**given, "extra_results": None})
    assert {(run.system, run.task, run.mean) for run in runs(tmp_path)} == {
        *(("a", "hep", 0.75), ("b", "hep", 0.5), ("a", "preferences", 0.75), ("b", "preferences", 0.5))
    }


def calls(folder: Path, model: str, total: int, wrong: list[int], ending: str = ".json") -> None:
    first = {"accuracy": 1 - len(wrong) / total, "correct_count": total - len(wrong), "total_count": total}
    lines = [{"id": f"simple_{one}", "model_name": model, "valid": False, "error": ["x"]} for one in wrong]
    path = written(folder / "score" / model / "non_live" / "BFCL_v4_simple_score.jsonl", [first, *lines])
    path.rename(path.with_suffix(ending))


def test_calls_that_no_file_lists_were_right(tmp_path: Path) -> None:
    for model, wrong in (("a", [1, 3]), ("b", [3]), ("c", [])):
        calls(tmp_path, model, 5, wrong)
    found = {run.system: run for run in runs(tmp_path)}
    assert list(found) == ["a", "b", "c"]
    assert {run.task for run in found.values()} == {"simple"}
    assert [mean(run) for run in found.values()] == [run.mean for run in found.values()] == [0.6, 0.8, 1.0]
    assert [label for label, score in scores(found["a"]).items() if not score] == ["simple_1", "simple_3"]


def test_other_calls_are_compared_by_means(tmp_path: Path) -> None:
    calls(tmp_path, "a", 5, [1])
    calls(tmp_path, "b", 4, [1])
    found = podium.read(tmp_path)
    assert [float(task.values[0, 0]) for task in found.tasks] == [0.8]
    assert "do not list all that was wrong, or were run on other calls, have means: simple" in " ".join(found.notes)


def record(model: str, score: float, **others: Any) -> dict[str, Any]:
    raw = [{"test_mcc": score - 1, "test_macro_f1": 10.0}, {"test_mcc": score + 1, "test_macro_f1": 10.0}]
    total = {"test_mcc": score, "test_mcc_se": 1.0, "test_macro_f1": 10.0, "test_macro_f1_se": 0.0}
    given = {"dataset": "angry-tweets", "task": "sentiment", "model": model, "results": {"raw": raw, "total": total}}
    how = {"num_model_parameters": 7, "few_shot": True, "validation_split": False, "euroeval_version": "15"}
    return {**given, **how, **others}


def test_the_last_record_of_euroeval_counts(tmp_path: Path) -> None:
    rows = [record("a", 50), record("b", 60), record("a", 70), record("a", 80, validation_split=True)]
    written(tmp_path / "euroeval_benchmark_results.jsonl", rows)
    found = [run for run in runs(tmp_path) if run.place == 0]
    assert [(run.system, run.task, run.metric, run.mean) for run in found] == [
        ("a", "angry-tweets", "mcc", 70),
        ("b", "angry-tweets", "mcc", 60),
        ("a", "angry-tweets", "mcc", 80),
    ]
    assert [mean(run) for run in found] == [70, 60, 80]
    assert found[2].task_settings == {"split": "validation"}
    assert found[0].covariates == {"parameters": 7}
    assert podium.read(tmp_path).systems == ("a", "b")


BOARD = """- dirname: 2025-02-25-20-23-07--old
  model: m
  edit_format: diff
  pass_rate_1: 20.4
  pass_rate_2: 35.6
  seconds_per_case: 34.8
  total_cost: 0.0000

- dirname: 2025-03-25-20-23-07--new
  model: m
  edit_format: diff
  pass_rate_1: 21.4
  pass_rate_2: 36.6

- dirname: 2025-02-25-20-23-07--n
  model: n
  edit_format: whole
  pass_rate_1: 30.4
  pass_rate_2: 35.0
"""


def test_a_board_of_aider(tmp_path: Path) -> None:
    (tmp_path / "polyglot_leaderboard.yml").write_text(BOARD, "utf-8")
    found = runs(tmp_path)
    assert [(run.system, run.metric, run.mean) for run in found if run.place == 0] == [
        ("m", "pass_rate_2", 35.6),
        ("m", "pass_rate_2", 36.6),
        ("n", "pass_rate_2", 35.0),
    ]
    assert found[0].covariates == {"seconds": 34.8}
    board = podium.read(tmp_path)
    assert board.task_names == ("polyglot_leaderboard",)
    assert podium.rank(board, method="mean").score.tolist() == [36.6, 35.0]


def test_each_file_of_epochs_hub_is_a_benchmark(tmp_path: Path) -> None:
    head = "Release date,Organization,Training compute (FLOP),stderr,Started at,id"
    for name, metric, rows in (
        ("gpqa_diamond", "mean_score", ["a,0.4", "b,0.6"]),
        ("math", "mean_score", ["b,0.7", "c,0.9"]),
        ("apex", "Accuracy", ["a,0.5"]),
    ):
        lines = [f"{row},2025-01-01,Lab,1e25,0.02,2025-02-01,rec" for row in rows]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"Model version,{metric},{head}", *lines]) + "\n", "utf-8")
    found = podium.read(tmp_path)
    assert found.task_names == ("apex", "gpqa_diamond", "math")
    assert found.systems == ("a", "b", "c")
    assert podium.read([tmp_path / "math.csv", tmp_path / "apex.csv"]).task_names == ("apex", "math")


def entry(part: str, score: float, shots: int = 0, metric: str = "exact_str_match", **more: Any) -> dict[str, Any]:
    return {
        "subtask_description": part,
        "number_of_shots": shots,
        "preferred_score": metric,
        "score_dict": {"bleu": 0.1, metric: score, "normalized_aggregate_score": 100 * score},
        "high_score": 1,
        "low_score": 0,
        **more,
    }


def scores_of(root: Path, task: str, name: str, *entries: dict[str, Any]) -> Path:
    model = {"model_family": "BIG-G", "model_name": name, "total_params": 7}
    given = {"model": model, "scores": list(entries), "task": {"task_name": task}}
    return written(root / task / "results" / f"scores_BIG-G_{name}.json", given)


def test_the_genuine_metrics(shared: Path) -> None:
    folder = shared / "data/formats/big_bench"
    found = table(read(folder))
    assert len(found) == 27
    for path in folder.rglob("*.jsonl"):
        task = path.name.partition("_few_shot_template")[0]
        assert found["code-davinci-002-cot", task] == [json.loads(path.read_text())["accuracy"]]


def test_the_preferred_score_of_every_number_of_examples(tmp_path: Path) -> None:
    for name in ("125m", "1b"):
        scores_of(tmp_path, "words", name, entry("words", 0.5), entry("words", 0.7, 3))
    scores = read(tmp_path)
    assert table(scores)["BIG-G 1b", "words (n-shot 3)"] == [0.7]
    assert len(table(scores)) == 4
    assert scores.tasks[0].higher_is_better


def test_a_task_does_not_stand_beside_its_parts(tmp_path: Path) -> None:
    whole = entry("words", 0.6, metric="normalized_aggregate_score")
    scores_of(tmp_path, "words", "1b", whole, entry("words:easy", 0.5), entry("words:hard", 0.7))
    assert table(read(tmp_path)) == {("BIG-G 1b", "words:easy"): [0.5], ("BIG-G 1b", "words:hard"): [0.7]}


def test_a_high_score_below_the_low_one_turns_the_direction(tmp_path: Path) -> None:
    scores_of(tmp_path, "words", "1b", entry("", 0.5, metric="loss_of_words", high_score=0, low_score=10))
    scores = read(tmp_path)
    assert table(scores) == {("BIG-G 1b", "words"): [0.5]}
    assert not scores.tasks[0].higher_is_better


def test_a_model_without_a_name_is_refused(tmp_path: Path) -> None:
    path = scores_of(tmp_path, "words", "1b", entry("words", 0.5))
    written(path, {**json.loads(path.read_text()), "model": {}})
    with pytest.raises(InputError, match=r"scores_BIG-G_1b.json: its model has neither"):
        read(tmp_path)


def report(path: Path, system: str | None, overall: Any, data: str = "xnli", **more: Any) -> Path:
    given = {
        "task_name": "text-classification",
        "system_name": system,
        "dataset_name": data,
        "sub_dataset_name": None,
        "results": {"overall": overall, "fine_grained": {}},
        **more,
    }
    return written(path, given)


def test_the_genuine_reports(shared: Path) -> None:
    folder = shared / "data/formats/explainaboard"
    taken = {path.name for path in folder.rglob("*.json") if takers(path)}
    assert taken == {"report.json", "report_absa.json", "report_pairwise_tc.json", "report_summ.json"}
    found = table(read(folder, metric="*"))
    assert found["report", "text-classification"] == [0.8803]
    assert found["report_absa", "aspect-based-sentiment-classification"] == [0.91]
    assert found["report_summ", "summarization/bart_score_summ"] == [-1.309]
    assert found["report_summ", "summarization/bleu"] == [9.368]


def test_systems_and_data_have_their_names(tmp_path: Path) -> None:
    for system, language, value in (("A", "ar", 0.7), ("A", "de", 0.8), ("B", "ar", 0.6), ("B", "de", 0.5)):
        overall = {"Accuracy": {"metric_name": "Accuracy", "value": value}}
        report(tmp_path / f"{system}{language}.json", system, overall, language=language)
    assert table(read(tmp_path)) == {
        ("A", "xnli (language ar)"): [0.7],
        ("A", "xnli (language de)"): [0.8],
        ("B", "xnli (language ar)"): [0.6],
        ("B", "xnli (language de)"): [0.5],
    }


def test_levels_of_analysis_of_later_versions(tmp_path: Path) -> None:
    value = {"cls_name": "MetricResult", "values": {"score": {"cls_name": "Score", "value": 0.5}}}
    report(tmp_path / "a.json", "A", {"example": {"F1": value}, "span": {"F1": value}}, sub_dataset_name="de")
    (first, second) = runs(tmp_path / "a.json")
    assert (first.task, first.metric, first.mean) == ("xnli/de", "F1", 0.5)
    assert (second.metric, second.mean) == ("span/F1", 0.5)


@pytest.mark.parametrize("overall", [None, [], {}, {"Accuracy": {"value": "high"}}, [{"metric_name": "a"}], "x"])
def test_reports_without_scores_are_not_taken(tmp_path: Path, overall: Any) -> None:
    assert not takers(report(tmp_path / "a.json", "A", overall))


AUTOML = """id,task,framework,constraint,fold,type,result,metric,mode,version,params,utc,duration,seed,info,auc,logloss
t/1,adult,A,1h8c,0,binary,0.91,auc,aws,1.0,,2024-01-01T00:00:00,60.5,1,,0.91,
t/1,adult,A,1h8c,1,binary,,auc,aws,1.0,,2024-01-01T01:00:00,61.5,2,OutOfMemory,,
t/1,adult,A,1h8c,1,binary,0.93,auc,aws,1.0,,2024-01-02T00:00:00,62.5,2,,0.93,
t/1,adult,B,1h8c,0,binary,0.81,auc,aws,1.0,,2024-01-01T00:00:00,60.5,1,,0.81,
t/1,adult,B,1h8c,1,binary,,auc,aws,1.0,,2024-01-01T00:00:00,60.5,2,TimeOut,,
t/2,car,A,1h8c,0,multiclass,-0.9,neg_logloss,aws,1.0,,2024-01-01T00:00:00,60.5,1,,,0.9
t/2,car,B,1h8c,0,multiclass,-0.2,neg_logloss,aws,1.0,,2024-01-01T00:00:00,60.5,1,,,0.2
"""


def test_folds_of_the_automl_benchmark_are_instances(tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_text(AUTOML, "utf-8")
    logs = find_logs(tmp_path, "automl-benchmark")
    assert logs is not None
    found = {(run.system, run.task): run for run in logs.read().runs}
    assert scores(found["A", "adult"]) == {0: 0.91, 1: 0.93}
    samples = found["A", "adult"].samples
    assert samples is not None
    assert sorted(samples.covariates["seconds"]) == [60.5, 62.5]
    assert found["B", "adult"].notes == ("folds without a result are missing: B on adult (1)",)
    table = podium.read(tmp_path / "results.csv")
    assert table.systems == ("A", "B")
    assert all(task.higher_is_better for task in table.tasks)
    assert podium.rank(podium.read(tmp_path / "results.csv", tasks=["car*"])).systems == ("B", "A")


def test_errors_of_tabarena_are_better_lower(tmp_path: Path) -> None:
    rows = [
        {"method": method, "dataset": data, "fold": fold, "metric_error": error, "time_train_s": 1.0, "imputed": False}
        for method, error in (("LGB", 0.1), ("RF", 0.2))
        for data in ("adult", "car")
        for fold in (0, 1)
    ]
    rows[-1]["imputed"] = True
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "results.parquet")
    found = podium.read(tmp_path)
    assert [(task.name, task.higher_is_better, task.n_instances) for task in found.tasks] == [
        ("adult", False, 2),
        ("car", False, 2),
    ]
    assert podium.rank(found).systems == ("LGB", "RF")
    assert "results of others that stand for failed ones count, as in TabArena: RF on car (1)" in found.notes
