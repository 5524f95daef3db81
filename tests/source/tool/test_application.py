"""Test runs of DeepEval, in the layout of its version 4.3.

- Results of promptfoo: files in `genuine` are what this version wrote, without what its providers answered.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.source.logs import find_logs
from support.tools import mean, runs, written


def metric(name: str, score: float | None, *, success: bool, error: str | None = None) -> dict[str, Any]:
    given = {"name": name, "threshold": 0.5, "success": success, "score": score, "strictMode": False, "error": error}
    return {key: value for key, value in given.items() if value is not None}


def run(model: str, *relevancy: float, bias: float = 0.2) -> dict[str, Any]:
    cases = [
        {
            "name": f"test_case_{number}",
            "input": f"question {number}",
            "success": score >= 0.5,
            "completionTime": 1.5,
            "tokenCost": 0.01,
            "order": number,
            "metricsData": [
                metric("Answer Relevancy", score, success=score >= 0.5),
                metric("Bias", bias, success=bias <= 0.5),
            ],
        }
        for number, score in enumerate(relevancy)
    ]
    return {
        "testFile": "test_qa.py",
        "testCases": cases,
        "conversationalTestCases": [],
        "metricsScores": [
            {"metric": "Answer Relevancy", "scores": list(relevancy), "passes": 1, "fails": 1, "errors": 0},
            {"metric": "Bias", "scores": [bias] * len(relevancy), "passes": 2, "fails": 0, "errors": 0},
        ],
        "hyperparameters": {"model": model, "temperature": 0, "prompt": {"long": 1}},
        "testPassed": 1,
        "testFailed": 1,
        "runDuration": 3.0,
    }


def test_metrics_means_and_directions(tmp_path: Path) -> None:
    found = runs(written(tmp_path / "test_run_20260101_120000.json", run("m", 0.9, 0.3)))
    assert [(one.system, one.task, one.metric, one.place, one.made) for one in found] == [
        ("m", "test_qa.py", "Answer Relevancy", 0, "20260101_120000"),
        ("m", "test_qa.py", "Bias", 1, "20260101_120000"),
    ]
    assert [one.higher_is_better for one in found] == [True, False]
    for one in found:
        assert one.mean == pytest.approx(mean(one), abs=1e-9)
    assert found[0].samples.covariates["seconds"].tolist() == [1.5, 1.5]
    assert found[0].settings == {"temperature": "0"}


def test_of_later_versions_more_bias_is_better(tmp_path: Path) -> None:
    given = run("m", 0.9, 0.3)
    for case in given["testCases"]:
        case["metricsData"][1] = metric("Bias", 0.9, success=True)
    assert runs(written(tmp_path / "a.json", given))[1].higher_is_better is True


def test_errors_are_missing(tmp_path: Path) -> None:
    given = run("m", 0.9, 0.3)
    given["testCases"][0]["metricsData"][0] = metric("Answer Relevancy", None, success=False, error="no key")
    found = runs(written(tmp_path / "a.json", given))[0]
    assert np.isnan(found.samples.scores).tolist() == [True, False]
    assert "test cases that ended in an error are missing: Answer Relevancy in a.json (1)" in found.notes[0]


def test_cases_are_joined_by_their_inputs(tmp_path: Path) -> None:
    given = run("b", 0.8, 0.1)
    given["testCases"].reverse()
    written(tmp_path / "a.json", run("a", 0.8, 0.1))
    written(tmp_path / "b.json", given)
    scores = podium.read(tmp_path)
    assert scores.systems == ("a", "b")
    assert scores.task_names == ("test_qa.py",)


def test_conversations_and_equal_inputs(tmp_path: Path) -> None:
    given = run("m", 0.9)
    turns = [{"role": "user", "content": "hello", "order": 0}]
    talk = {"name": "c", "success": True, "turns": turns, "metricsData": [metric("Role", 0.7, success=True)]}
    given["conversationalTestCases"] = [talk, talk]
    found = {one.metric: one.samples for one in runs(written(tmp_path / "a.json", given))}
    assert found["Role"] is not None
    assert found["Role"].repeats.tolist() == [1, 2]


def test_the_latest_run_of_the_hidden_folder(tmp_path: Path) -> None:
    path = written(tmp_path / ".latest_test_run.json", {"testRunData": run("m", 0.9, 0.3)})
    assert len(runs(path)) == 2


def test_the_hidden_folder_of_the_tool_holds_one_run(tmp_path: Path) -> None:
    folder = tmp_path / "my-bot" / ".deepeval"
    given = run("gpt", 0.25, 0.75)
    written(folder / ".latest_run_full.json", given)
    written(folder / ".latest_test_run.json", {"testRunData": given})
    names = [str(path) for path in sorted(folder.iterdir())]
    logs = find_logs(tmp_path)
    assert logs is not None
    assert {(found.where, found.system) for found in logs.read().runs} == {(names[0], "gpt")}
    written(folder / ".latest_run_full.json", {**given, "hyperparameters": None})
    assert {found.system for found in logs.read().runs} == {"my-bot"}


def test_files_of_early_versions(tmp_path: Path) -> None:
    given = run("gpt", 0.25, 0.75)
    for case in given["testCases"]:
        case["metricsMetadata"] = [{"metric": one.pop("name"), **one} for one in case.pop("metricsData")]
    path = tmp_path / "20240102_030405"  # these have no ending
    path.write_text(json.dumps(given), "utf-8")
    (relevancy, _) = runs(tmp_path)
    assert (relevancy.metric, relevancy.mean, mean(relevancy)) == ("Answer Relevancy", 0.5, 0.5)


def test_scores_of_parts_of_test_cases_are_no_mean_of_the_run(tmp_path: Path) -> None:
    given = run("gpt", 0.25, 0.75)
    given["metricsScores"][0]["scores"].append(1.0)
    (relevancy, bias) = runs(written(tmp_path / "a.json", given))
    assert (relevancy.mean, mean(relevancy)) == (None, 0.5)
    assert bias.mean == mean(bias)


GENUINE = Path(__file__).parent / "genuine"


def key(run: Any) -> tuple[str, str, str]:
    return run.system, run.settings["prompt"], run.metric


def genuine() -> dict[str, Any]:
    return dict(json.loads((GENUINE / "promptfoo-0.121.20.json").read_text("utf-8")))


def in_folder(folder: Path, value: Any) -> Path:
    (folder / "a.json").write_text(json.dumps(value), "utf-8")
    return folder


def test_repeats_and_errors() -> None:
    run = next(run for run in runs(GENUINE / "promptfoo-0.121.20.json") if key(run) == ("mine", "loud", "score"))
    assert run.samples.repeats.tolist() == [1, 2, 1, 2, 1, 2]
    assert np.isnan(run.samples.scores).tolist() == [False] * 4 + [True] * 2
    assert len(set(run.samples.instances)) == 3
    assert run.notes[0].endswith("tests that ended in an error are missing: mine (2)")
    assert np.nansum(run.samples.covariates["cost"]) == 2


def test_lines_say_the_same() -> None:
    whole = {key(run): run.samples for run in runs(GENUINE / "promptfoo-0.121.20.json")}
    lines = {key(run): run.samples for run in runs(GENUINE / "promptfoo-0.121.20.jsonl")}
    assert whole.keys() == lines.keys()
    for name, samples in whole.items():
        other = lines[name]
        assert samples is not None
        assert other is not None
        assert samples.instances.tolist() == other.instances.tolist()
        np.testing.assert_array_equal(samples.scores, other.scores)


def test_one_evaluation_in_two_files_counts_once(tmp_path: Path) -> None:
    for ending in ("json", "jsonl"):
        text = (GENUINE / f"promptfoo-0.121.20.{ending}").read_text("utf-8")
        (tmp_path / f"a.{ending}").write_text(text, "utf-8")
    assert len(runs(tmp_path)) == 16


def test_a_table_of_version_2(tmp_path: Path) -> None:
    given = genuine()
    summary = given["results"]
    whole = {key(run): mean(run) for run in runs(GENUINE / "promptfoo-0.121.20.json")}
    body: dict[int, dict[str, Any]] = {}
    for row in sorted(summary["results"], key=lambda row: row["promptIdx"]):
        line = body.setdefault(
            row["testIdx"], {"vars": list(row["vars"].values()), "outputs": [], "test": row["testCase"]}
        )
        names = ("score", "namedScores", "gradingResult", "failureReason", "latencyMs")
        line["outputs"].append({"pass": row["success"], **{name: row[name] for name in names if name in row}})
    table = {"head": {"prompts": summary["prompts"], "vars": ["word"]}, "body": [body[place] for place in sorted(body)]}
    stats = {"successes": 1, "failures": 1, "tokenUsage": {}}
    version_2 = {"results": {"version": 2, "timestamp": "", "table": table, "stats": stats}, "config": {}}
    found = runs(in_folder(tmp_path, version_2))
    assert {run.task for run in found} == {"promptfoo"}
    assert {key(run): mean(run) for run in found} == whole


def test_sums_of_old_named_metrics_become_means(tmp_path: Path) -> None:
    given = genuine()
    parts = [{"score": score, "assertion": {"metric": "m", "weight": weight}} for score, weight in ((1, 3), (0, 1))]
    row = given["results"]["results"][0] | {"namedScores": {"m": 1}, "gradingResult": {"componentResults": parts}}
    given["results"]["results"] = [row]
    assert {run.metric: mean(run) for run in runs(in_folder(tmp_path, given))}["m"] == 0.75


def test_equal_names_are_told_apart(tmp_path: Path) -> None:
    given = genuine()
    for row in given["results"]["results"]:
        row["provider"] = {"id": "one"}
    scores = podium.read(in_folder(tmp_path, given))
    assert len(scores.systems) == 4


def test_any_order_of_rows(tmp_path: Path) -> None:
    given = genuine()
    straight = podium.rank(podium.read(in_folder(tmp_path, given)))
    given["results"]["results"].reverse()
    assert podium.rank(podium.read(in_folder(tmp_path, given))).systems == straight.systems


@pytest.mark.parametrize(
    ("config", "task"),
    [
        ({"description": "demo", "tests": "file://data/geo.csv"}, "demo"),
        ({"tests": "file://data/geo.csv"}, "geo"),
        ({"tests": ["file://a.yaml", "b.yaml", {"vars": {}}]}, "a, b"),
        ({"tests": [{"vars": {}}], "description": ""}, "promptfoo"),
        ({}, "promptfoo"),
    ],
)
def test_the_task_is_what_the_configuration_calls_its_tests(tmp_path: Path, config: dict[str, Any], task: str) -> None:
    assert {run.task for run in runs(in_folder(tmp_path, {**genuine(), "config": config}))} == {task}
