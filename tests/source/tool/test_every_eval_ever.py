"""Records of Every Eval Ever: samples, other metrics, parents, unknown levels, evaluators and damage."""

import math
from pathlib import Path
from typing import Any

import pytest

from podium.errors import InputError
from support.tools import read, runs, table, takers, written


def one(name: str, score: Any, metric: str = "accuracy", *, lower: bool = False, **more: Any) -> dict[str, Any]:
    config = {"metric_name": metric, "lower_is_better": lower, **more.pop("config", {})}
    return {
        "evaluation_name": name,
        "source_data": {"dataset_name": name},
        "metric_config": config,
        "score_details": {"score": score},
        **more,
    }


def record(root: Path, model: str, *results: dict[str, Any], uuid: str = "u1", **more: Any) -> Path:
    given = {
        "schema_version": "0.3.0",
        "evaluation_id": f"c/{model}/1",
        "retrieved_timestamp": "1750000001",
        "source_metadata": {"source_organization_name": "Org", "evaluator_relationship": "third_party"},
        "eval_library": {"name": "lib"},
        "model_info": {"id": model, "name": model, "additional_details": {"params_billions": 8}},
        "evaluation_results": list(results),
        **more,
    }
    return written(root / model / f"{uuid}.json", given)


def samples(root: Path, model: str, name: str, scores: list[Any], uuid: str = "u1", **more: Any) -> Path:
    rows = [
        {
            "schema_version": "0.3.0",
            "evaluation_id": f"c/{model}/1",
            "model_id": model,
            "evaluation_name": name,
            "sample_id": f"s{i}",
            "sample_hash": f"h{i}",
            "evaluation": {"score": score, "is_correct": bool(score)},
            "token_usage": {"input_tokens": 3, "output_tokens": i},
            "performance": {"latency_ms": 500},
            **more,
        }
        for i, score in enumerate(scores)
    ]
    return written(root / model / f"{uuid}_samples.jsonl", rows)


def test_the_genuine_records(shared: Path) -> None:
    folder = shared / "data/formats/every_eval_ever"
    taken = {path.name for path in folder.rglob("*.json*") if takers(path)}
    assert taken == {path.name for path in folder.rglob("*.json*") if "schema" not in path.name}
    found = table(read(folder))
    assert found["TencentARC/LLaMA-Pro-8B-Instruct", "IFEval"] == [0.4486]
    # its only sample has the score 1
    assert found["demo-org/demo-model", "demo-source.demo_bench"] == [0.75]


def test_samples_stand_for_a_result_if_their_mean_is_its_score(tmp_path: Path) -> None:
    results = one("qa", 2 / 3), one("qa", 0.9, "f1"), one("lm", 12.5, "ppl", lower=True)
    record(tmp_path, "a/x", *results)
    samples(tmp_path, "a/x", "qa", [1, 0, True])
    scores = read(tmp_path, metric="*")
    assert table(scores) == {("a/x", "qa/accuracy"): [1, 0, 1], ("a/x", "qa/f1"): [0.9], ("a/x", "lm"): [12.5]}
    assert [task.higher_is_better for task in scores.tasks] == [False, True, True]
    found = runs(tmp_path)
    assert {name: part.tolist() for name, part in found[0].samples.covariates.items()} == {
        "seconds": [0.5, 0.5, 0.5],
        "input_tokens": [3, 3, 3],
        "output_tokens": [0, 1, 2],
    }
    assert found[0].covariates == {"parameters": 8e9}


def test_zeros_that_a_converter_wrote_for_unknown_scores_are_no_scores(tmp_path: Path) -> None:
    record(tmp_path, "a/x", one("lm", 12.5, "ppl", lower=True))
    samples(tmp_path, "a/x", "lm", [0.0, 0.0])
    scores = read(tmp_path)
    assert table(scores) == {("a/x", "lm"): [12.5]}
    assert "lm: scores of samples left out, since their mean is not the record's" in scores.notes


def test_results_of_one_name_are_joined_by_their_identifier(tmp_path: Path) -> None:
    record(tmp_path, "a/x", one("qa", 0.5, evaluation_result_id="r1"), one("qa", 0.5, evaluation_result_id="r2"))
    samples(tmp_path, "a/x", "qa", [0, 1], evaluation_result_id="r2")
    assert table(read(tmp_path)) == {("a/x", "qa (result r1)"): [0.5], ("a/x", "qa (result r2)"): [0, 1]}


def test_samples_without_a_record(tmp_path: Path) -> None:
    samples(tmp_path, "a/x", "qa", [0, 1])
    assert table(read(tmp_path)) == {("a/x", "qa"): [0, 1]}


def test_what_is_made_of_other_results_is_left_out(tmp_path: Path) -> None:
    record(tmp_path, "a/x", one("bench.overall", 0.6), one("bench.law", 0.5), one("bench.art", 0.7))
    scores = read(tmp_path)
    assert sorted(scores.task_names) == ["bench.art", "bench.law"]
    assert "left out, since they are made of other results: bench.overall" in scores.notes


def test_unknown_levels_are_missing(tmp_path: Path) -> None:
    level = {"score_type": "levels", "has_unknown_level": True}
    record(tmp_path, "a/x", one("qa", 1.5, config=level), one("other", -1, config=level))
    samples(tmp_path, "a/x", "qa", [1, -1, 2])
    found = table(read(tmp_path))
    assert str(found["a/x", "qa"]) == "[1.0, nan, 2.0]"
    assert math.isnan(found["a/x", "other"][0])


def test_failed_samples_are_missing(tmp_path: Path) -> None:
    path = samples(tmp_path, "a/x", "qa", [0, 1], error="timed out")
    (run,) = runs(path)
    assert str(run.samples.scores.tolist()) == "[nan, nan]"
    assert run.notes == ("samples that ended in an error are missing: u1_samples.jsonl (2)",)


def test_a_line_that_is_cut_off_is_left_out(tmp_path: Path) -> None:
    path = samples(tmp_path, "a/x", "qa", [0, 1])
    path.write_bytes(path.read_bytes()[:-20])
    scores = read(path)
    assert table(scores) == {("a/x", "qa"): [0]}
    assert any("line is cut off" in note for note in scores.notes)


def test_evaluators_who_disagree_are_apart_and_the_newest_record_of_one_counts(tmp_path: Path) -> None:
    record(tmp_path, "a/x", one("qa", 0.5), retrieved_timestamp="1750000001")
    record(tmp_path, "a/x", one("qa", 0.6), uuid="u2", retrieved_timestamp="1750000002.5")
    record(tmp_path, "a/y", one("qa", 0.5), source_metadata={"source_organization_name": "A"})
    record(tmp_path, "a/y", one("qa", 0.7), uuid="u2", source_metadata={"source_organization_name": "B"})
    found = table(read(tmp_path))
    assert found == {("a/x", "qa"): [0.6], ("a/y (evaluator A)", "qa"): [0.5], ("a/y (evaluator B)", "qa"): [0.7]}


def test_times_of_both_forms_sort(tmp_path: Path) -> None:
    record(tmp_path, "a/x", one("qa", 0.5), evaluation_timestamp="1750000000")
    record(tmp_path, "a/x", one("qa", 0.6), uuid="u2", evaluation_timestamp="2026-01-01T00:00:00Z")
    assert table(read(tmp_path)) == {("a/x", "qa"): [0.6]}


def test_another_version_is_read_and_said(tmp_path: Path) -> None:
    record(tmp_path, "a/x", one("qa", 0.5), schema_version="0.9.0")
    assert "another version of the schema is read like 0.3: u1.json (0.9.0)" in read(tmp_path).notes


def test_parameters_of_a_metric_are_part_of_its_name(tmp_path: Path) -> None:
    record(tmp_path, "a/x", one("qa", 0.5, "pass", config={"metric_parameters": {"k": 1}}))
    (run,) = runs(tmp_path / "a/x/u1.json")
    assert run.metric == "pass (k 1)"


def test_a_model_without_a_name_is_refused(tmp_path: Path) -> None:
    record(tmp_path, "a/x", one("qa", 0.5), model_info={})
    with pytest.raises(InputError, match=r"u1.json: model_info names no model"):
        read(tmp_path)
