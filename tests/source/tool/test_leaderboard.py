"""Boards that models are run for: what each file says, which record counts, and damage."""

from pathlib import Path
from typing import Any

import pytest

import podium
from support.tools import mean, runs, scores, written
from support.wrong_files import survives_damage


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
    assert first.samples is not None
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


@pytest.mark.parametrize("seed", range(30))
def test_damage_is_refused_in_words(tmp_path: Path, seed: int) -> None:
    written(tmp_path / "judgment.jsonl", [judged("a", "q1", 1), judged("b", "q1", 0)])
    written(tmp_path / "results.jsonl", [record("a", 50), record("b", 60)])
    about = {"model": "a", "model_type": "RM", "chat_template": "t"}
    written(tmp_path / "scores.json", {"results": [1, 0], "subset": ["hep", "hep"], "id": [7, 8], **about})
    calls(tmp_path, "a", 5, [1, 2], ".jsonl")
    survives_damage(tmp_path, seed)
