"""Runs of Terminal-Bench: its own accuracy, trials, runs that have not ended and damage."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from support.damage import read, survives, table, written
from support.tools import runs, takers

RUN = "run-1"


def trial(task: str, number: int, *, resolved: bool | None) -> dict[str, Any]:
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
        trial(task, number, resolved=one) for task, all_of in resolved.items() for number, one in enumerate(all_of, 1)
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


def test_two_agents(tmp_path: Path) -> None:
    a_run(a_run(tmp_path, "a", {"x": [True], "y": [False]}), "b", {"x": [True], "y": [True]})
    assert table(read(tmp_path)) == {("a, m", "core"): [1, 0], ("b, m", "core"): [1, 1]}


def test_submissions_of_an_agent_without_a_model_are_apart(tmp_path: Path) -> None:
    for submission, right in (("x_big", True), ("x_small", False)):
        for number in ("1", "2"):
            a_run(tmp_path / submission, number, {"x": [right], "y": [True]})
            about = {"agent_name": "X", "model_name": None, "dataset_name": "core", "start_time": f"2025-07-1{number}"}
            written(tmp_path / submission / number / "run_metadata.json", about)
    assert podium.rank(podium.read(tmp_path)).systems == ("X (folder x_big)", "X (folder x_small)")


def test_other_files_are_not_taken(tmp_path: Path) -> None:
    about = a_run(tmp_path, "a", {"x": [True]}) / "a" / "run_metadata.json"
    assert not takers(about)
    assert not takers(written(tmp_path / "b.json", {"task_id": "x", "trial_name": "y", "score": 1}))


@pytest.mark.parametrize("seed", range(40))
def test_damage(tmp_path: Path, seed: int) -> None:
    folder = a_run(tmp_path / "runs", "a", {"x": [True, None], "y": [False, True]}, ended=seed % 2 == 0)
    survives(folder, tmp_path / "copy", seed)
