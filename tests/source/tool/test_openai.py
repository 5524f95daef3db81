"""Logs of OpenAI evals, in the layout of its version 3.0, and results of simple-evals."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.tools import mean, runs, scores, written


def event(number: int, sample: str, kind: str, data: dict[str, Any]) -> dict[str, Any]:
    return {
        "run_id": "230417220821DPM75QNS",
        "event_id": number,
        "sample_id": sample,
        "type": kind,
        "data": data,
        "created_by": "",
        "created_at": "2023-04-17 22:10:13.127375+00:00",
    }


def log(system: str, *correct: bool) -> list[dict[str, Any]]:
    """The final report may stand before the events, since these are written when there are many."""
    spec = {
        "completion_fns": [system],
        "eval_name": "test-match.s1.simple-v0",
        "base_eval": "test-match",
        "split": "s1",
        "run_config": {"seed": 20220722, "max_samples": None},
        "run_id": "230417220821DPM75QNS",
        "created_at": "2023-04-17 22:08:21.904498",
    }
    lines: list[dict[str, Any]] = [{"spec": spec}, {"final_report": {"accuracy": sum(correct) / len(correct)}}]
    for number, one in reversed(list(enumerate(correct))):
        sample = f"test-match.s1.{number}"
        usage = {"prompt_tokens": 7, "completion_tokens": 2}
        lines.append(event(2 * number, sample, "sampling", {"prompt": "?", "sampled": ["x"], "usage": usage}))
        lines.append(event(2 * number + 1, sample, "match", {"correct": one, "expected": "y", "picked": None}))
    return lines


def test_matches(tmp_path: Path) -> None:
    (found,) = runs(written(tmp_path / "a.jsonl", log("gpt", True, False, False)))
    assert (found.system, found.task, found.metric) == ("gpt", "test-match.s1.simple-v0", "accuracy")
    assert found.mean == pytest.approx(mean(found), abs=1e-12)
    assert scores(found) == {"test-match.s1.0": 1, "test-match.s1.1": 0, "test-match.s1.2": 0}
    assert found.notes == ()
    assert found.samples.covariates["input_tokens"].tolist() == [7, 7, 7]


def test_several_matches_of_a_sample_are_repeats(tmp_path: Path) -> None:
    lines = log("gpt", True, False)
    lines.append(event(9, "test-match.s1.0", "match", {"correct": False}))
    (found,) = runs(written(tmp_path / "a.jsonl", lines))
    assert found.samples.repeats.tolist() == [1, 2, 1]


def test_metrics_and_errors(tmp_path: Path) -> None:
    lines = log("gpt", True)[:2]
    lines[1]["final_report"] = {"f1": 0.5}
    lines += [event(number, f"s.{number}", "metrics", {"f1": number, "choice": "A"}) for number in (0, 1)]
    lines.append(event(3, "s.2", "error", {"type": "Timeout", "message": ""}))
    (found,) = runs(written(tmp_path / "a.jsonl", lines))
    assert (found.metric, found.mean, mean(found)) == ("f1", 0.5, 0.5)
    assert "samples that ended in an error are missing: a.jsonl (1)" in found.notes[0]


def test_a_report_alone(tmp_path: Path) -> None:
    lines = log("gpt", True)[:2]
    lines[1]["final_report"] = {"score": 0.5, "counts/choice/A": 3}
    (found,) = runs(written(tmp_path / "a.jsonl", lines))
    assert (found.metric, found.mean, found.samples) == ("score", 0.5, None)


def test_a_run_that_goes_on(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", [line for line in log("gpt", True, False) if "final_report" not in line])
    assert runs(path)[0].notes == ("without a final report, so the run has not ended: a.jsonl",)
    path.write_text(path.read_text("utf-8")[:-30], "utf-8")
    assert "is cut off and left out" in runs(path)[0].notes[0]


def test_a_limit_is_said(tmp_path: Path) -> None:
    lines = log("gpt", True, False)
    lines[0]["spec"]["run_config"]["max_samples"] = 2
    assert (
        "only some samples were run (max_samples): a.jsonl (2)"
        in runs(written(tmp_path / "a.jsonl", lines))[0].notes[0]
    )


MMLU = {"other": 0.6, "other:std": 0.49, "score:std": 0.46, "stem": 1.0, "stem:std": 0.0, "score": 0.7}


def test_means_of_simple_evals(tmp_path: Path) -> None:
    found = runs(written(tmp_path / "mmlu_gpt-4o_20250101_120000_DEBUG.json", MMLU))
    assert [(one.system, one.task, one.metric, one.mean) for one in found] == [
        ("gpt-4o", "mmlu", "score", 0.7),
        ("gpt-4o", "mmlu", "other", 0.6),
        ("gpt-4o", "mmlu", "stem", 1.0),
    ]
    assert found[0].made == "20250101_120000"
    assert "only a few examples" in found[0].notes[0]
    drop = runs(written(tmp_path / "drop_gpt-4o.json", MMLU | {"f1_score": 0.9}))
    assert drop[0].metric == "f1_score"


def test_examples_of_healthbench(tmp_path: Path) -> None:
    examples = [{"prompt_id": f"p{number}", "score": score} for number, score in enumerate((0.2, 0.6))]
    metrics = {"overall_score": 0.4, "overall_score:bootstrap_std": 0.1, "overall_score:n_samples": 2}
    whole = {
        "score": 0.4,
        "metrics": metrics,
        "htmls": [],
        "convos": [],
        "metadata": {"example_level_metadata": examples},
    }
    stem = "healthbench_hard_gpt-4.1_20250101_120000"
    written(tmp_path / f"{stem}.json", metrics | {"score": 0.4})
    written(tmp_path / f"{stem}_allresults.json", whole)
    found = runs(tmp_path)
    assert [(one.system, one.task, one.metric) for one in found] == [
        ("gpt-4.1", "healthbench_hard", "score"),
        ("gpt-4.1", "healthbench_hard", "overall_score"),
    ]
    assert mean(found[0]) == pytest.approx(0.4, abs=1e-9)
    assert found[1].samples is None


def test_no_number_is_missing(tmp_path: Path) -> None:
    lines = log("gpt", True, False)
    lines.append(event(9, "test-match.s1.9", "metrics", {"f1": float("nan")}))
    found = {one.metric: one for one in runs(written(tmp_path / "a.jsonl", lines))}
    assert np.isnan(scores(found["f1"])["test-match.s1.9"])
