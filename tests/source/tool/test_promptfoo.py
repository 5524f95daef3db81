"""Results of promptfoo: files in `genuine` are what this version wrote, without what its providers answered."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.source.logs import find_logs
from podium.source.tool.run import Run
from support.wrong_files import survives_damage

GENUINE = Path(__file__).parent / "genuine"


def runs(path: Path) -> list[Run]:
    logs = find_logs(path)
    assert logs is not None
    return list(logs.read().runs)


def mean(run: Run) -> float:
    assert run.samples is not None
    return float(np.nanmean(run.samples.scores))


def key(run: Run) -> tuple[str, str, str]:
    return run.system, run.settings["prompt"], run.metric


def genuine() -> dict[str, Any]:
    return dict(json.loads((GENUINE / "promptfoo-0.121.20.json").read_text("utf-8")))


def written(folder: Path, value: Any) -> Path:
    (folder / "a.json").write_text(json.dumps(value), "utf-8")
    return folder


def test_the_tools_own_means() -> None:
    found = runs(GENUINE / "promptfoo-0.121.20.json")
    prompts = genuine()["results"]["prompts"]
    assert [key(run)[:2] for run in found[::4]] == [(one["provider"], one["label"]) for one in prompts]
    for run in found:
        assert run.task == "demo"
        if run.mean is not None:
            assert mean(run) == pytest.approx(run.mean, abs=1e-9)
    assert sum(run.mean is not None for run in found) == 8
    named = {key(run): mean(run) for run in found}
    for prompt in prompts:
        weights = prompt["metrics"]["namedScoreWeights"]
        for name, total in prompt["metrics"]["namedScores"].items():
            assert named[prompt["provider"], prompt["label"], name] == pytest.approx(total / weights[name], abs=1e-9)


def test_repeats_and_errors() -> None:
    run = next(run for run in runs(GENUINE / "promptfoo-0.121.20.json") if key(run) == ("mine", "loud", "score"))
    assert run.samples is not None
    assert run.samples.repeats is not None
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
    found = runs(written(tmp_path, version_2))
    assert {run.task for run in found} == {"promptfoo"}
    assert {key(run): mean(run) for run in found} == whole


def test_sums_of_old_named_metrics_become_means(tmp_path: Path) -> None:
    given = genuine()
    parts = [{"score": score, "assertion": {"metric": "m", "weight": weight}} for score, weight in ((1, 3), (0, 1))]
    row = given["results"]["results"][0] | {"namedScores": {"m": 1}, "gradingResult": {"componentResults": parts}}
    given["results"]["results"] = [row]
    assert {run.metric: mean(run) for run in runs(written(tmp_path, given))}["m"] == 0.75


def test_equal_names_are_told_apart(tmp_path: Path) -> None:
    given = genuine()
    for row in given["results"]["results"]:
        row["provider"] = {"id": "one"}
    scores = podium.read(written(tmp_path, given))
    assert len(scores.systems) == 4


def test_any_order_of_rows(tmp_path: Path) -> None:
    given = genuine()
    straight = podium.rank(podium.read(written(tmp_path, given)))
    given["results"]["results"].reverse()
    assert podium.rank(podium.read(written(tmp_path, given))).systems == straight.systems


def test_what_is_no_result_is_left(tmp_path: Path) -> None:
    given = genuine()
    others = [given["config"], {"results": [1], "config": {}}, {"results": {"stats": {}}, "config": {}}]
    for number, other in enumerate(others):
        (tmp_path / f"{number}.json").write_text(json.dumps(other), "utf-8")
    assert find_logs(tmp_path) is None


@pytest.mark.parametrize("ending", ["json", "jsonl"])
@pytest.mark.parametrize("seed", range(60))
def test_damage_is_refused_in_words(tmp_path: Path, ending: str, seed: int) -> None:
    path = tmp_path / f"a.{ending}"
    path.write_text((GENUINE / f"promptfoo-0.121.20.{ending}").read_text("utf-8"), "utf-8")
    survives_damage(path, seed)


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
    assert {run.task for run in runs(written(tmp_path, {**genuine(), "config": config}))} == {task}
