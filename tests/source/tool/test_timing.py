"""Results of pytest-benchmark, Google Benchmark and hyperfine: files in `genuine` are what these versions wrote."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from support.tools import runs, written

GENUINE = Path(__file__).parent / "genuine"

FILES = ("pytest-benchmark-5.3.1", "google-benchmark-1.9.5", "hyperfine-1.15.0-commands", "hyperfine-1.15.0-parameters")


def genuine(name: str) -> dict[str, Any]:
    return dict(json.loads((GENUINE / f"{name}.json").read_text("utf-8")))


def changed(name: str, run: str) -> dict[str, Any]:
    """The same results in a file that is no copy."""
    given = genuine(name)
    (given["results"] if "results" in given else given["benchmarks"])[0]["run"] = run
    return given


def times(run: Any) -> list[float]:
    assert run.samples.repeats.tolist() == list(range(run.samples.scores.size))
    assert run.higher_is_better is False
    return [float(score) for score in run.samples.scores]


def test_rounds_of_pytest_benchmark() -> None:
    found = runs(GENUINE / "pytest-benchmark-5.3.1.json")
    given = genuine("pytest-benchmark-5.3.1")["benchmarks"]
    assert [(run.system, run.task) for run in found] == [
        ("list", "test_sum (size 100)"),
        ("numpy", "test_sum (size 100)"),
        ("list", "test_sum (size 1000)"),
        ("numpy", "test_sum (size 1000)"),
        ("list", "test_sort"),
        ("numpy", "test_sort"),
    ]
    for run, benchmark in zip(found, given, strict=True):
        assert np.mean(times(run)) == pytest.approx(benchmark["stats"]["mean"], rel=1e-12)


def test_groups_of_pytest_benchmark_are_tasks(tmp_path: Path) -> None:
    given = genuine("pytest-benchmark-5.3.1")
    for benchmark in given["benchmarks"]:
        benchmark["group"] = "all"
        del benchmark["stats"]["data"]
    found = runs(written(tmp_path / "a.json", given))
    assert {run.task for run in found} == {"all"}
    assert [run.system for run in found] == [benchmark["name"] for benchmark in given["benchmarks"]]
    assert [run.mean for run in found] == [benchmark["stats"]["mean"] for benchmark in given["benchmarks"]]


@pytest.mark.parametrize("name", FILES[:2])
def test_several_files_are_several_systems(tmp_path: Path, name: str) -> None:
    for folder in ("old", "new"):
        written(tmp_path / folder / "time.json", changed(name, folder))
    scores = podium.read(tmp_path)
    assert set(scores.systems) == {"old", "new"}
    assert not any(task.higher_is_better for task in scores.tasks)
    turned = podium.read([tmp_path / "old", tmp_path / "new"])
    assert turned.systems == scores.systems


def test_repetitions_of_google_benchmark() -> None:
    found = runs(GENUINE / "google-benchmark-1.9.5.json")
    assert [(run.system, run.task, run.metric, run.place) for run in found] == [
        ("sums", "time", "seconds", 0),
        ("sums", "time", "cpu seconds", 1),
        ("sorts", "10", "seconds", 0),
        ("sorts", "10", "cpu seconds", 1),
        ("sorts", "100", "seconds", 0),
        ("sorts", "100", "cpu seconds", 1),
    ]
    given = {one["name"]: one for one in genuine("google-benchmark-1.9.5")["benchmarks"]}
    mean = given["sums/repeats:3_mean"]
    assert np.mean(times(found[0])) == pytest.approx(mean["real_time"] * 1e-9, rel=1e-12)
    assert np.mean(times(found[1])) == pytest.approx(mean["cpu_time"] * 1e-9, rel=1e-12)
    assert found[0].mean == pytest.approx(mean["real_time"] * 1e-9, rel=1e-12)
    assert times(found[2]) == [given["sorts/10"]["real_time"] * 1e-6]
    assert "benchmarks that ended in an error are left out: broken" in found[0].notes[1]


def test_means_alone_of_google_benchmark(tmp_path: Path) -> None:
    given = genuine("google-benchmark-1.9.5")
    given["benchmarks"] = [one for one in given["benchmarks"] if one["run_type"] == "aggregate"]
    found = runs(written(tmp_path / "a.json", given))
    assert [(run.system, run.metric, run.samples) for run in found] == [
        ("sums", "seconds", None),
        ("sums", "cpu seconds", None),
    ]


def test_runs_of_hyperfine() -> None:
    given = genuine("hyperfine-1.15.0-commands")["results"]
    for run, result in zip(runs(GENUINE / "hyperfine-1.15.0-commands.json"), given, strict=True):
        assert (run.system, run.task) == (result["command"], "time")
        assert np.mean(times(run)) == pytest.approx(result["mean"], rel=1e-9)
    found = runs(GENUINE / "hyperfine-1.15.0-parameters.json")
    assert {(run.system, run.task) for run in found} == {
        (tool, f"size {size}") for tool in ("sort", "cat") for size in (1, 2)
    }
    assert found[0].notes == ("values of the parameter 'tool' are compared",)


def test_failed_runs_of_hyperfine_are_missing(tmp_path: Path) -> None:
    given = genuine("hyperfine-1.15.0-commands")
    given["results"][0]["exit_codes"][1] = 1
    found = runs(written(tmp_path / "a.json", given))
    assert np.isnan(times(found[0])).tolist() == [False, True, False, False]
    assert "runs that failed are missing: 'sleep 0.01' (1)" in found[0].notes[0]


def test_files_of_hyperfine_are_tasks(tmp_path: Path) -> None:
    for name in ("small", "large"):
        written(tmp_path / f"{name}.json", changed("hyperfine-1.15.0-commands", name))
    assert set(podium.read(tmp_path).task_names) == {"small", "large"}


def test_equal_commands_of_hyperfine_are_apart_by_their_parameters(tmp_path: Path) -> None:
    given = {"results": [{"command": "sort", "mean": size / 9, "parameters": {"size": str(size)}} for size in (1, 2)]}
    assert podium.read(written(tmp_path / "a.json", given)).systems == ("sort (size 1)", "sort (size 2)")


def test_the_fastest_is_first() -> None:
    ranking = podium.rank(podium.read(GENUINE / "hyperfine-1.15.0-commands.json"))
    assert ranking.systems[0] == "sleep 0.01"


@pytest.mark.parametrize("name", FILES)
def test_a_copy_of_a_file_is_no_other_system(tmp_path: Path, name: str) -> None:
    for copy in ("a", "b"):
        shutil.copy(GENUINE / f"{name}.json", tmp_path / f"{copy}.json")
    alone = runs(GENUINE / f"{name}.json")
    found = runs(tmp_path)
    assert [(run.system, run.task, run.metric) for run in found] == [
        (run.system, run.task, run.metric) for run in alone
    ]
    assert all("copies of other files are left out: b.json" in run.notes for run in found)
