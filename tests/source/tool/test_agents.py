"""Results of SWE-bench, in the layouts of its harness 5.0 and its leaderboard, and of Harbor 0.25.

- Runs of Terminal-Bench: its own accuracy, trials, runs that have not ended and damage.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.base.errors import InputError
from support.tools import mean, nothing_is_found, runs, scores, written

IDS = [f"{repository}__{repository}-{number}" for repository in ("django", "sympy") for number in (11, 12, 13)]


def report(*resolved: str) -> dict[str, Any]:
    return {
        "total_instances": 6,
        "submitted_instances": 5,
        "resolved_instances": len(resolved),
        "completed_ids": IDS[:3],
        "incomplete_ids": IDS[5:],
        "empty_patch_ids": [IDS[4]],
        "submitted_ids": IDS[:5],
        "resolved_ids": list(resolved),
        "unresolved_ids": [one for one in IDS[:3] if one not in resolved],
        "error_ids": [IDS[3]],
        "schema_version": 2,
    }


def test_the_report_of_a_run(tmp_path: Path) -> None:
    (found,) = runs(written(tmp_path / "org__model-4.1.first.json", report(*IDS[:2])))
    assert (found.system, found.task, found.metric, found.settings) == (
        "org/model-4.1",
        "SWE-bench",
        "resolved",
        {"run": "first"},
    )
    assert scores(found) == dict(zip(IDS[:5], (1, 1, 0, 0, 0), strict=True))
    assert set(found.samples.clusters) == {"django__django", "sympy__sympy"}
    assert "instances that were not run are missing: org__model-4.1.first.json (1 of 6)" in found.notes[1]


def test_reports_of_the_hosted_harness(tmp_path: Path) -> None:
    given = {"total_instances": 6, "resolved_ids": IDS[:1], "completed_ids": IDS[:2], "failed_ids": IDS[2:3]}
    written(tmp_path / "swe-bench_lite__test__run.json", {**given, "pending_ids": IDS[3:], "submitted_ids": IDS})
    (found,) = runs(tmp_path)
    assert found.system == "swe-bench_lite__test__run"
    assert scores(found) == {IDS[0]: 1, IDS[1]: 0, IDS[2]: 0}
    assert "(3 of 6)" in found.notes[1]


def test_a_submission_may_list_only_what_it_resolved(tmp_path: Path) -> None:
    submission(tmp_path / "lite", "20240402_first", {"resolved": IDS[:2]})
    (found,) = runs(tmp_path)
    assert scores(found) == {IDS[0]: 1, IDS[1]: 1}
    assert found.mean == 2 / 300
    assert nothing_is_found(tmp_path / "other", {"resolved": ["lodash"]}, {"resolved": [1]}, {"resolved": True})


def test_reports_of_instances(tmp_path: Path) -> None:
    for number, one in enumerate(IDS[:2]):
        tests = {"FAIL_TO_PASS": {"success": ["a"] * (2 - number), "failure": ["b"] * number}}
        given = {one: {"patch_exists": True, "resolved": number == 0, "tests_status": tests}}
        written(tmp_path / "run_evaluation" / "first" / "org__model" / one / "report.json", given)
    found = runs(tmp_path)
    assert [(one.system, one.metric, one.settings["run"]) for one in found] == [
        ("org/model", "resolved", "first"),
        ("org/model", "tests fixed", "first"),
    ]
    assert [mean(one) for one in found] == [0.5, 0.75]


def submission(folder: Path, name: str, given: dict[str, Any], metadata: str = "") -> None:
    written(folder / name / "results" / "results.json", given)
    (folder / name / "metadata.yaml").write_text(metadata, "utf-8")


def test_the_report_of_a_run_counts_and_not_those_of_its_instances(tmp_path: Path) -> None:
    written(tmp_path / "org__m.run.json", report(*IDS[:2]))
    for one in IDS[:3]:
        given = {one: {"patch_exists": True, "resolved": one != IDS[2], "tests_status": {}}}
        written(tmp_path / "logs" / "run_evaluation" / "run" / "org__m" / one / "report.json", given)
    found = runs(tmp_path)
    assert [(one.metric, one.settings) for one in found] == [
        ("resolved", {"run": "run"}),
        ("tests fixed", {"run": "run"}),
    ]
    assert podium.read(tmp_path).tasks[0].values.shape == (1, 5)


def test_submissions_to_the_leaderboard(tmp_path: Path) -> None:
    board = tmp_path / "evaluation" / "verified"
    submission(board, "20240402_first", {"no_generation": IDS[4:5], "no_logs": [], "resolved": IDS[:2]})
    text = 'info:\n  name: "Second + agent"\n  site: x\n'
    submission(board, "20250101_second", {"no_generation": [], "no_logs": [], "resolved": IDS[1:4]}, text)
    first, second = runs(tmp_path)
    assert (first.system, second.system, second.made) == ("first", "Second + agent", "20250101")
    assert first.task == "SWE-bench verified"
    assert scores(first) == dict(zip(IDS[:5], (1, 1, 0, 0, 0), strict=True))
    assert scores(second) == dict(zip(IDS[:5], (0, 1, 1, 1, 0), strict=True))
    assert (first.mean, second.mean) == (2 / 500, 3 / 500)
    assert first.notes[1] == "instances that none resolved are left out: 495 of 500 in verified"
    assert podium.rank(podium.read(tmp_path)).systems[0] == "Second + agent"


def test_details_of_a_submission(tmp_path: Path) -> None:
    given = {one: {"cost": 0.5, "api_calls": 9, "resolved": number < 2} for number, one in enumerate(IDS)}
    folder = tmp_path / "evaluation" / "bash-only" / "20250726_mini_model"
    (found,) = runs(written(folder / "per_instance_details.json", given))
    assert (found.system, found.task, mean(found)) == ("mini_model", "SWE-bench bash-only", 1 / 3)
    assert found.samples.covariates["cost"].tolist() == [0.5] * 6


def trial(agent: str, task: str, number: int, reward: float | None, **others: Any) -> dict[str, Any]:
    return {
        "id": "0",
        "task_name": task,
        "trial_name": f"{task}__{number}",
        "source": "terminal-bench",
        "task_checksum": f"sum of {task}",
        "agent_info": {"name": agent, "version": "1.0", "model_info": {"name": "opus", "provider": "anthropic"}},
        "agent_result": {"n_input_tokens": 10, "n_output_tokens": 5, "cost_usd": 0.25},
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "exception_info": None if reward is not None else {"exception_type": "AgentTimeoutError"},
        "started_at": "2026-08-13T12:00:00Z",
        "finished_at": "2026-08-13T12:01:00Z",
        "agent_execution": {"started_at": "2026-08-13T12:00:10Z", "finished_at": "2026-08-13T12:00:40.500000Z"},
        **others,
    }


def job(folder: Path, agent: str, rewards: dict[str, list[float | None]]) -> Path:
    written(folder / "result.json", {"n_total_trials": 4, "stats": {"n_completed_trials": 4}})
    written(folder / "config.json", {"job_name": "x"})
    for task, listed in rewards.items():
        for number, reward in enumerate(listed):
            written(folder / f"{task}__{number}" / "result.json", trial(agent, task, number, reward))
            written(folder / f"{task}__{number}" / "config.json", {"trial_name": "x", "task": {}})
    return folder


def test_trials_are_repeats(tmp_path: Path) -> None:
    (found,) = runs(job(tmp_path / "job", "terminus", {"a": [1, 0], "b": [None, 0.5]}))
    assert (found.system, found.task, found.metric) == ("terminus, anthropic/opus", "terminal-bench", "reward")
    assert found.samples.instances.tolist() == ["a", "a", "b", "b"]
    assert found.samples.repeats.tolist() == [1, 2, 1, 2]
    assert found.samples.scores.tolist() == [1, 0, 0, 0.5]
    assert found.samples.covariates["seconds"].tolist() == [30.5] * 4
    assert found.samples.covariates["cost"].tolist() == [0.25] * 4
    assert "trials without a reward count as 0, as in Harbor: terminus, anthropic/opus on" in found.notes[0]


def test_trials_that_go_on_are_missing(tmp_path: Path) -> None:
    folder = job(tmp_path / "job", "terminus", {"a": [1]})
    written(folder / "b__0" / "result.json", trial("terminus", "b", 0, None, finished_at=None, agent_execution=None))
    (found,) = runs(folder)
    assert np.isnan(scores(found)["b"])
    assert "trials that had not ended are missing: terminus, anthropic/opus on" in found.notes[0]


def test_steps_and_several_rewards(tmp_path: Path) -> None:
    steps = [{"agent_result": {"cost_usd": 0.5}}, {"agent_result": {"cost_usd": 1.0}}, {"agent_result": None}]
    rewards = {"rewards": {"correctness": 1, "reward": 0.5}}
    given = trial("t", "a", 0, 1, agent_result=None, step_results=steps, verifier_result=rewards)
    main, other = runs(written(tmp_path / "job" / "a__0" / "result.json", given))
    assert (main.metric, other.metric) == ("reward", "correctness")
    assert main.samples.covariates["cost"].tolist() == [1.5]


def test_other_tasks_of_one_name_are_refused(tmp_path: Path) -> None:
    job(tmp_path / "one", "one", {"a": [1]})
    written(tmp_path / "two" / "a__0" / "result.json", trial("two", "a", 0, 1, task_checksum="other"))
    with pytest.raises(InputError, match="instance 'a' differs"):
        podium.read(tmp_path)


def test_submissions_of_an_agent_without_a_model_are_apart(tmp_path: Path) -> None:
    for submission, reward in (("x_big", 1.0), ("x_small", 0.0)):
        given = trial("X", "a", 0, reward, agent_info={"name": "X", "version": "1.0", "model_info": None})
        written(tmp_path / submission / "job" / "a__0" / "result.json", given)
    assert podium.rank(podium.read(tmp_path)).systems == ("X (folder x_big)", "X (folder x_small)")


def simulations(model: str, rewards: dict[str, list[float | None]], **others: Any) -> dict[str, Any]:
    """Results of tau2-bench, as its own classes write them."""
    of_trials = [
        {
            "id": f"{task}-{trial}",
            "task_id": task,
            "trial": trial,
            "duration": 60.5,
            "agent_cost": 0.25,
            "termination_reason": "infrastructure_error" if reward is None else "user_stop",
            "reward_info": {"reward": reward or 0.0},
        }
        for task, of_task in rewards.items()
        for trial, reward in enumerate(of_task)
    ]
    info = {
        "num_trials": 2,
        "user_info": {"implementation": "user_simulator", "llm": "user-model", "llm_args": {}},
        "agent_info": {"implementation": "llm_agent", "llm": model, "llm_args": {"temperature": 0.0}},
        "environment_info": {"domain_name": "retail", "policy": "be kind"},
    }
    tasks = [{"id": task} for task in rewards]
    return {"timestamp": "2026-01-01T00:00:00", "info": info, "tasks": tasks, "simulations": of_trials, **others}


def test_simulations_of_tau2_are_repeats(tmp_path: Path) -> None:
    written(tmp_path / "a.json", simulations("a", {"0": [1, 0], "1": [None, 1]}))
    (found,) = runs(tmp_path)
    assert (found.system, found.task, found.metric, found.whole) == ("a", "retail", "reward", True)
    assert sorted(zip(found.samples.instances, found.samples.repeats, strict=True)) == [
        *(("0", 1), ("0", 2), ("1", 1), ("1", 2))
    ]
    assert mean(found) == pytest.approx(2 / 3)
    assert found.samples.covariates["cost"].tolist() == [0.25] * 4
    assert found.notes == ("simulations without a reward are missing: a.json (1)",)


def test_simulations_of_tau2_in_files_of_their_own(tmp_path: Path) -> None:
    for model, reward in (("a", 1), ("b", 0)):
        given = simulations(model, {"0": [reward, 1]})
        for one in given.pop("simulations"):
            written(tmp_path / model / "simulations" / f"{one['id']}.json", one)
        written(tmp_path / model / "results.json", given)
    index = [{"id": "x", "task_id": 0, "trial": 0, "reward": 0.5, "agent_cost": 0.1, "duration": 3.0}]
    written(tmp_path / "c" / "results.json", simulations("c", {}, simulations=[], simulation_index=index))
    assert {run.system: mean(run) for run in runs(tmp_path)} == {"a": 1, "b": 0.5, "c": 0.5}


def test_metr_runs_are_repeats_of_tasks(tmp_path: Path) -> None:
    rows = [
        {
            "task_family": family,
            "task_id": f"{family}/{task}",
            "alias": alias,
            "model": "x",
            "task_source": "HCAST",
            "score_binarized": score,
            "score_cont": score / 2,
            "generation_cost": 0.5,
            "started_at": 1_700_000_000_000,
            "completed_at": 1_700_000_060_000,
        }
        for alias, of_model in (("A", [1, 0, 1]), ("B", [0, 0, 1]))
        for (family, task), score in zip([("f", 1), ("f", 1), ("g", 1)], of_model, strict=True)
    ]
    written(tmp_path / "runs.jsonl", rows)
    first = runs(tmp_path)[0]
    assert (first.system, first.task, first.metric) == ("A", "HCAST", "score_binarized")
    assert first.samples.clusters.tolist() == ["f", "f", "g"]
    assert first.samples.covariates["seconds"].tolist() == [60] * 3
    found = podium.read(tmp_path)
    assert found.systems == ("A", "B")
    assert [task.n_instances for task in found.tasks] == [2]
    assert podium.rank(found, method="mean").score.tolist() == [0.75, 0.5]


RUN = "run-1"


def task_trial(task: str, number: int, *, resolved: bool | None) -> dict[str, Any]:
    name = f"{task}.{number}-of-2.{RUN}"
    return {
        "id": "x",
        "trial_name": name,
        "task_id": task,
        "instruction": "do",
        "is_resolved": resolved,
        "failure_mode": "unset",
        "parser_results": {"test": "passed"},
        "total_input_tokens": 3,
        "agent_started_at": "2025-07-13T11:55:58.910366+00:00",
        "agent_ended_at": "2025-07-13T11:55:59.910366+00:00",
    }


def a_run(folder: Path, agent: str, resolved: dict[str, list[bool | None]], *, ended: bool = True) -> Path:
    trials = [
        task_trial(task, number, resolved=one)
        for task, all_of in resolved.items()
        for number, one in enumerate(all_of, 1)
    ]
    right = sum(one["is_resolved"] is True for one in trials)
    whole = {"n_resolved": right, "n_unresolved": len(trials) - right, "accuracy": right / len(trials)}
    if ended:
        written(folder / agent / "results.json", {"id": "x", "results": trials, **whole, "resolved_ids": []})
    about = {"agent_name": agent, "model_name": "m", "dataset_name": "core", "dataset_version": "0.1"}
    written(folder / agent / "run_metadata.json", {**about, "start_time": "2025-07-13"})
    for one in trials:
        written(folder / agent / one["task_id"] / one["trial_name"] / "results.json", one)
    return folder


def test_the_accuracy_is_that_of_the_trials(tmp_path: Path) -> None:
    (found,) = runs(a_run(tmp_path, "a", {"x": [True, False], "y": [True, None]}))
    assert (found.system, found.task, found.metric, found.whole) == ("a, m", "core", "resolved", True)
    assert found.samples.instances.tolist() == ["x", "x", "y", "y"]
    assert found.samples.repeats.tolist() == [1, 2, 1, 2]
    assert np.mean(found.samples.scores) == found.mean == 0.5
    assert found.samples.covariates["seconds"].tolist() == [1.0] * 4
    assert found.notes == ("1 trial ended without tests, which counts as 0, as in Terminal-Bench",)


def test_a_run_that_has_not_ended_has_its_trials(tmp_path: Path) -> None:
    (found,) = runs(a_run(tmp_path, "a", {"x": [True, False], "y": [True, True]}, ended=False))
    assert (found.system, found.mean, found.whole) == ("a, m", None, False)
    assert found.samples.scores.tolist() == [1, 0, 1, 1]
    assert "its run has no results" in found.notes[0]


def test_runs_of_an_agent_without_a_model_are_apart(tmp_path: Path) -> None:
    for submission, right in (("x_big", True), ("x_small", False)):
        for number in ("1", "2"):
            a_run(tmp_path / submission, number, {"x": [right], "y": [True]})
            about = {"agent_name": "X", "model_name": None, "dataset_name": "core", "start_time": f"2025-07-1{number}"}
            written(tmp_path / submission / number / "run_metadata.json", about)
    assert podium.rank(podium.read(tmp_path)).systems == ("X (folder x_big)", "X (folder x_small)")
