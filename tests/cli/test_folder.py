"""`-o FOLDER/`: what every command fills a folder with, and what is not overwritten."""

import json
from pathlib import Path

import pytest

from support.entry import run

#: Right or wrong on six tasks of eight instances, for every command.
ROWS = ["task,system,instance,score"] + [
    f"t{task},{system},{instance},{int((task + instance + shift) % 3 > 0)}"
    for task in range(6)
    for shift, system in enumerate("AB")
    for instance in range(8)
]

#: A command, its options, and the files beside the page.
FILLED: dict[str, tuple[tuple[str, ...], set[str]]] = {
    "rank": ((), {"ranking.json", "ranking.csv", "ranks.svg", "cd.svg"}),
    "agree": ((), {"agreement.json", "agreement.csv", "bump.svg"}),
    "plan": ((), {"plan.json", "plan.csv", "needed.svg"}),
    "info": ((), {"description.json", "description.csv"}),
    "compare": ((), {"meta-analysis.json", "meta-analysis.csv", "forest.svg"}),
    "difficulty failures": ((), {"difficulty.json", "difficulty.csv"}),
    "customize": (
        ("--difficulty", "failures", "--splits", "2"),
        {"customized.json", "customized.csv", "parallel.svg", "moves.svg", "difficulty.svg"},
    ),
    "stress": (
        ("--repeats", "1", "--only", "missing", "--jobs", "1"),
        {"robustness.json", "study.csv", "influence.csv", "kept.svg", "stability.svg", "influence.svg"},
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table."""
    (tmp_path / "scores.csv").write_text("\n".join(ROWS))
    return tmp_path


def names(folder: Path) -> set[str]:
    """Files in it."""
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("command", FILLED)
def test_every_command_fills_a_folder(folder: Path, command: str) -> None:
    options, files = FILLED[command]
    typed = [*command.split(), "scores.csv", *options]
    bare, done = run(folder, *typed), run(folder, *typed, "-o", "out/")
    assert (done.returncode, done.stdout) == (0, bare.stdout), done.stderr
    assert "note: out/report.html is the page to look at; the numbers are beside it" in done.stderr
    assert names(folder / "out") == {"report.html", *files}
    page = (folder / "out" / "report.html").read_text("utf-8")
    assert page.count("<svg") == sum(name.endswith(".svg") for name in files)
    (numbers,) = (folder / "out").glob("*.json")
    assert json.loads(numbers.read_text("utf-8"))["kind"] == numbers.stem


def test_a_folder_that_is_there_needs_no_slash_and_keeps_what_is_not_ours(folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out" / "mine.svg").write_text("kept")
    assert run(folder, "rank", "scores.csv", "-o", "out").returncode == 0
    assert run(folder, "info", "scores.csv", "-o", "out").returncode == 0
    assert {"ranking.csv", "description.csv", "mine.svg"} <= names(folder / "out")


def test_pictures_that_cannot_be_drawn_are_said_and_old_ones_removed(folder: Path) -> None:
    run(folder, "rank", "scores.csv", "-o", "out/")
    done = run(folder, "rank", "scores.csv", "-o", "out/", "--no-intervals")
    assert done.returncode == 0
    missing = (
        "no picture 'ranks' or 'cd': there are no intervals to draw; ask for them with confidence=0.95 (--intervals)"
    )
    there = "out/report.html is the page to look at; the numbers are beside it"
    assert done.stderr == f"note: {missing}\nnote: {there}\n"
    assert names(folder / "out") == {"report.html", "ranking.json", "ranking.csv"}


def test_a_folder_gets_all_files_or_none(folder: Path) -> None:
    (folder / "out" / "ranks.svg").mkdir(parents=True)
    done = run(folder, "rank", "scores.csv", "-o", "out/")
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "error: out/ranks.svg is a folder; name a file in it\n",
    )
    assert names(folder / "out") == {"ranks.svg"}


def test_pictures_do_not_go_over_those_of_the_folder(folder: Path) -> None:
    refused = run(folder, "rank", "scores.csv", "-o", "out/", "--plot", "heatmap=out/ranks.svg")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "error: out/ranks.svg is to hold two results; name a file for each\n"
    done = run(
        folder, "rank", "scores.csv", "-o", "out/", "--plot", "heatmap=out/heatmap.svg", "--plot", "cd=out/cd.svg"
    )
    assert done.returncode == 0
    assert names(folder / "out") == {"report.html", "heatmap.svg", *FILLED["rank"][1]}


def test_a_name_without_suffix_is_a_file_still(folder: Path) -> None:
    assert run(folder, "rank", "scores.csv", "-o", "board").returncode == 0
    assert (folder / "board").read_text("utf-8").startswith("borda")


@pytest.mark.parametrize("source", ["out/ranking.csv", "out/*.csv", "out/description.csv"])
def test_nothing_that_is_read_is_written_over(folder: Path, source: str) -> None:
    (folder / "out").mkdir()
    for name in ("ranking.csv", "description.csv"):
        (folder / "out" / name).write_text("\n".join(ROWS))
    done = run(folder, "rank", source, "-o", "out/")
    assert (done.returncode, done.stdout) == (2, "")
    assert "is read as input and would be overwritten" in done.stderr
    assert (folder / "out" / "ranking.csv").read_text() == "\n".join(ROWS)
    assert names(folder / "out") == {"ranking.csv", "description.csv"}


def test_what_is_read_may_lie_beside(folder: Path) -> None:
    assert run(folder, "rank", "scores.csv", "-o", ".").returncode == 0
    assert (folder / "scores.csv").read_text() == "\n".join(ROWS)
    assert {"report.html", "ranking.csv"} <= names(folder)


def test_the_format_is_that_of_standard_output(folder: Path) -> None:
    done = run(folder, "info", "scores.csv", "-o", "out/", "-f", "json", "-q")
    assert json.loads(done.stdout) == json.loads((folder / "out" / "description.json").read_text("utf-8"))
    assert done.stderr == ""
