"""`podium stress`: what it fills a folder with, and what is refused."""

import csv
import io
import json
import os
from pathlib import Path

import pytest

import podium
from support.entry import run, run_script


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of four systems on five tasks of ten instances."""
    place = tmp_path_factory.mktemp("stress")
    scores = podium.simulate.gumbel(4, 5, 10, dispersion=0.3, rng=0).scores
    rows = [
        f"{task.name},{system},{k},{task.values[n, k]!r}"
        for task in scores.tasks
        for n, system in enumerate(scores.systems)
        for k in range(task.n_instances)
    ]
    (place / "scores.csv").write_text(
        "\n".join(["task,system,instance,score", *rows]).replace("np.float64(", "").replace(")", "")
    )
    return place


def test_a_folder_holds_a_page_with_its_pictures_and_all_numbers(folder: Path) -> None:
    done = run(folder, "stress", "scores.csv", "--repeats", "2", "--jobs", "1", "-o", "stress/")
    assert done.returncode == 0, done.stderr
    assert "system 4 is first by" in done.stdout
    assert "stress/report.html is the page to look at" in done.stderr
    names = {path.name for path in (folder / "stress").iterdir()}
    assert names == {
        "report.html", "robustness.json", "study.csv", "influence.csv", "kept.svg", "stability.svg", "influence.svg"
    }  # fmt: skip
    page = (folder / "stress" / "report.html").read_text("utf-8")
    assert page.count("<svg") == 3
    assert "<script" not in page
    content = json.loads((folder / "stress" / "robustness.json").read_text("utf-8"))
    assert [one["name"] for one in content["study"]["stresses"]][:3] == ["corrupt", "scale", "missing"]
    rows = list(csv.DictReader(io.StringIO((folder / "stress" / "study.csv").read_text("utf-8"))))
    assert len(rows) == len(content["study"]["rows"])


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(folder: Path) -> None:
    ask = ("stress", "scores.csv", "--only", "missing,tasks", "--repeats", "4", "-f", "json")
    one, again, other = (
        way(folder, *ask, "--seed", seed, "--jobs", jobs)
        for way, seed, jobs in ((run, "1", "1"), (run_script, "1", "2"), (run, "2", "1"))
    )
    assert one.returncode == 0, one.stderr
    assert one.stdout == again.stdout
    assert one.stdout != other.stdout
    content = json.loads(one.stdout)
    assert [stress["name"] for stress in content["study"]["stresses"]] == ["missing", "tasks"]
    assert content["study"]["repeats"] == 4


def test_csv_holds_the_study(folder: Path) -> None:
    done = run(
        folder,
        "stress",
        "scores.csv",
        "--only",
        "scale",
        "--repeats",
        "2",
        "--methods",
        "borda:one,mean",
        "--jobs",
        "1",
        "-f",
        "csv",
    )
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    # a stress that keeps the order on every instance
    assert {row["mean"] for row in rows if row["method"] == "borda:one"} == {"1.0"}
    assert {row["method"] for row in rows} == {"borda:one", "mean"}


def test_a_folder_used_again_keeps_nothing_of_the_run_before(folder: Path) -> None:
    ask = ("stress", "scores.csv", "--only", "missing", "--repeats", "1", "--jobs", "1", "-o", "twice")
    run(folder, *ask)
    assert (folder / "twice" / "influence.csv").exists()
    (folder / "twice" / "mine.txt").write_text("kept")
    done = run(folder, *ask, "--no-leave-out")
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (folder / "twice").iterdir()}
    assert names == {"report.html", "robustness.json", "study.csv", "kept.svg", "stability.svg", "mine.txt"}


def test_what_instances_of_a_single_task_do_is_drawn_too(folder: Path) -> None:
    done = run(
        folder,
        "stress",
        "scores.csv",
        "--tasks",
        "task 1",
        "--only",
        "missing",
        "--repeats",
        "1",
        "--jobs",
        "1",
        "-o",
        "one",
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "one" / "influence.svg").exists()


def test_a_slash_means_a_folder(folder: Path) -> None:
    done = run(
        folder,
        "stress",
        "scores.csv",
        "--only",
        "missing",
        "--repeats",
        "1",
        "--jobs",
        "1",
        "-o",
        "v1.2/",
        "--no-leave-out",
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "v1.2" / "report.html").exists()


def test_without_a_matplotlib_that_works_the_numbers_are_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "broken" / "matplotlib").mkdir(parents=True)
    (folder / "broken" / "matplotlib" / "__init__.py").write_text("raise ImportError('libfreetype is gone')")
    monkeypatch.setenv("PYTHONPATH", str(folder / "broken"), prepend=os.pathsep)
    done = run_script(
        folder, "stress", "scores.csv", "--only", "missing", "--repeats", "1", "--jobs", "1", "-o", "bare/"
    )
    assert done.returncode == 0, done.stderr
    assert "no pictures: libfreetype is gone" in done.stderr
    names = {path.name for path in (folder / "bare").iterdir()}
    assert names == {"report.html", "robustness.json", "study.csv", "influence.csv"}
