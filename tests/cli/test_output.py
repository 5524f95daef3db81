"""Where a result goes: folders, pictures, notes, and how to read it; and `podium stress`, which fills a folder."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import podium
from podium.cli import output
from support.entry import as_lines, run, run_script

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
    "allocate": (("--budget", "10"), {"allocation.json", "allocation.csv", "allocated.svg"}),
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
    assert "note: wrote out/report.html, the page to look at; the numbers are beside it" in done.stderr
    assert names(folder / "out") == {"report.html", *files}
    page = (folder / "out" / "report.html").read_text("utf-8")
    assert page.count("<figure>") == sum(name.endswith(".svg") for name in files)
    (numbers,) = (folder / "out").glob("*.json")
    assert json.loads(numbers.read_text("utf-8"))["kind"] == numbers.stem


def test_a_folder_that_is_there_needs_no_slash_and_keeps_what_is_not_ours(folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out" / "mine.svg").write_text("kept")
    assert run(folder, "rank scores.csv -o out").returncode == 0
    assert run(folder, "info scores.csv -o out").returncode == 0
    assert {"ranking.csv", "description.csv", "mine.svg"} <= names(folder / "out")


def test_pictures_that_cannot_be_drawn_are_said_and_old_ones_removed(folder: Path) -> None:
    run(folder, "rank scores.csv -o out/")
    done = run(folder, "rank scores.csv -o out/ --no-intervals")
    assert done.returncode == 0
    why = "there are no intervals to draw; ask for them with confidence_level=0.95 (--intervals)"
    missing = f"no picture 'ranks' or 'cd': {why}"
    there = "replaced out/report.html, the page to look at; the numbers are beside it"
    assert done.stderr == f"note: {missing}\nnote: {there}\n"
    assert names(folder / "out") == {"report.html", "ranking.json", "ranking.csv"}


def test_a_folder_gets_all_files_or_none(folder: Path) -> None:
    (folder / "out" / "ranks.svg").mkdir(parents=True)
    done = run(folder, "rank scores.csv -o out/")
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "error: out/ranks.svg is a folder; name a file in it\n",
    )
    assert names(folder / "out") == {"ranks.svg"}


def test_pictures_do_not_go_over_those_of_the_folder(folder: Path) -> None:
    done = run(folder, "rank scores.csv -o out/ --plot heatmap=out/heatmap.svg --plot cd=out/cd.svg")
    assert done.returncode == 0
    assert names(folder / "out") == {"report.html", "heatmap.svg", *FILLED["rank"][1]}


def test_a_name_without_suffix_is_a_file_still(folder: Path) -> None:
    for said in ("wrote board", "replaced board"):
        done = run(folder, "rank scores.csv -o board")
        assert (done.returncode, done.stderr) == (0, f"note: {said}\n")
    assert (folder / "board").read_text("utf-8").startswith("borda")
    assert run(folder, "rank scores.csv -q -o board --plot cd=cd.svg").stderr == ""
    assert "note: wrote new.csv; replaced cd.svg\n" in run(folder, "rank scores.csv -o new.csv --plot cd=cd.svg").stderr


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
    assert run(folder, "rank scores.csv -o .").returncode == 0
    assert (folder / "scores.csv").read_text() == "\n".join(ROWS)
    assert {"report.html", "ranking.csv"} <= names(folder)


def test_the_format_is_that_of_standard_output(folder: Path) -> None:
    done = run(folder, "info scores.csv -o out/ -f json -q")
    assert json.loads(done.stdout) == json.loads((folder / "out" / "description.json").read_text("utf-8"))
    assert done.stderr == ""


#: Commands and the results whose figures they offer.
SIZES = {"size": {"t": 1.0, "u": 2.0, "v": 4.0}}

OFFERED: dict[str, Callable[[podium.Scores], list[Any]]] = {
    "rank": lambda scores: [podium.rank(scores, confidence_level=None), podium.pairwise(scores), podium.agree(scores)],
    "pairwise": lambda scores: [podium.pairwise(scores)],
    "agree": lambda scores: [podium.agree(scores), podium.correlate(scores)],
    "compare": lambda scores: [
        podium.compare(scores, control="a", treatment="b", moderators=SIZES),
        podium.compare_task_scores(podium.datasets.toy_table1(), control="A"),
    ],
    "pool": lambda scores: [podium.compare(scores, control="a", treatment="b", moderators=SIZES)],
    "customize": lambda scores: [podium.customize(scores, podium.failures(scores), splits=2, confidence_level=None)],
    "stress": lambda scores: [podium.stress(scores, ["mean"], only=["scale"], repeats=1, n_jobs=1)],
    "plan": lambda scores: [podium.plan(scores)],
    "info": lambda scores: [podium.info(scores)],
}


@pytest.mark.parametrize("command", OFFERED)
def test_a_command_offers_the_figures_of_its_result(tmp_path: Path, command: str) -> None:
    right = {"t": [[1, 1, 0, 1], [0, 1, 0, 0]], "u": [[1, 0, 1, 1], [0, 1, 1, 0]], "v": [[1, 0, 0, 0], [0, 0, 1, 0]]}
    scores = podium.from_arrays(right, systems=["a", "b"])
    figures = {figure.name for result in OFFERED[command](scores) for figure in result.view().figures}
    text = " ".join(run(tmp_path, command, "--help-all").stdout.split())
    said = re.search(r"SVG, PDF or PNG: (.*?\))\.", text)
    assert set(re.findall(r"(\w+) \(", said[1]) if said else ()) == figures


def test_without_matplotlib_the_extra_is_named_before_the_work(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from podium.cli import main\n"
        "sys.argv = ['podium', 'rank', 'there-is-no-such-file.csv', '--plot', 'bump=a.svg']\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"error: a picture needs matplotlib: pip install .*\[plot\]'\n", done.stderr)


#: Pages of the documentation.
PAGES = {path.name for path in (Path(__file__).parents[2] / "docs").glob("*.md")}


def test_every_result_of_a_command_has_a_page() -> None:
    assert {f"{page}.md" for page in output._PAGES.values()} <= PAGES


#: A result with more notes than text shows.
ASK = ("agree", "dataset:xtreme-missing")


def notes(text: str) -> list[str]:
    return [line.removeprefix("note: ") for line in text.splitlines() if line.startswith("note: ")]


def test_what_changes_a_conclusion_is_among_the_three_however_much_was_read_aside(tmp_path: Path) -> None:
    rows = [f"{s},{t},{0.9 - 0.1 * s - 0.02 * (s * t % 3)},x,accuracy" for s in range(5) for t in range(9) if s + t < 9]
    (tmp_path / "long.csv").write_text("\n".join(["system,task,score,date,metric", *rows, rows[0]]), "utf-8")
    said = notes(run(tmp_path, "rank long.csv --verbose").stdout)
    assert said[0].startswith("10 of 45 scores are missing")
    assert set(said[-3:]) == {
        "column 'date' not used",
        "all scores belong to one metric, 'accuracy'",
        "1 row repeats an earlier score; each score counts once",
    }


def test_a_text_file_is_as_short_and_documents_hold_all(tmp_path: Path) -> None:
    for name in ("board.txt", "board.md", "board.html"):
        assert run(tmp_path, *ASK, "-q", "-o", name).returncode == 0
    whole = podium.agree(podium.datasets.xtreme_missing()).notes
    text, *documents = ((tmp_path / name).read_text("utf-8") for name in ("board.txt", "board.md", "board.html"))
    assert len(notes(text)) == 3
    for document in documents:
        assert "--verbose" not in document
        assert all(note.partition("'")[0].partition(":")[2] in document for note in whole)


@pytest.fixture(scope="module")
def stressed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of four systems on five tasks of ten instances."""
    place = tmp_path_factory.mktemp("stress")
    as_lines(podium.simulate.gumbel(4, 5, 10, dispersion=0.3, rng=0).scores, place / "scores.jsonl")
    return place


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(stressed: Path) -> None:
    ask = "stress scores.jsonl --only missing,tasks --repeats 4 -f json"
    one, other = (run(stressed, f"{ask} --jobs 1 --seed {seed}") for seed in (1, 2))
    assert one.returncode == 0, one.stderr
    assert one.stdout == run_script(stressed, f"{ask} --jobs 2 --seed 1").stdout
    assert one.stdout != other.stdout


def test_a_folder_used_again_keeps_nothing_of_the_run_before(stressed: Path) -> None:
    ask = "stress scores.jsonl --only missing --repeats 1 --jobs 1 -o twice"
    run(stressed, ask)
    assert (stressed / "twice" / "influence.csv").exists()
    (stressed / "twice" / "mine.txt").write_text("kept")
    done = run(stressed, f"{ask} --no-leave-out")
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (stressed / "twice").iterdir()}
    assert names == {"report.html", "robustness.json", "study.csv", "kept.svg", "stability.svg", "mine.txt"}


def test_what_instances_of_a_single_task_do_is_drawn_too(stressed: Path) -> None:
    done = run(stressed, "stress scores.jsonl --tasks 'task 1' --only missing --repeats 1 --jobs 1 -o v1.2/")
    assert done.returncode == 0, done.stderr
    assert (stressed / "v1.2" / "influence.svg").exists()


def test_without_a_matplotlib_that_works_the_numbers_are_there(stressed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (stressed / "broken" / "matplotlib").mkdir(parents=True)
    (stressed / "broken" / "matplotlib" / "__init__.py").write_text("raise ImportError('libfreetype is gone')")
    monkeypatch.setenv("PYTHONPATH", str(stressed / "broken"), prepend=os.pathsep)
    done = run_script(stressed, "stress scores.jsonl --only missing --repeats 1 --jobs 1 -o bare/")
    assert done.returncode == 0, done.stderr
    assert "no pictures: libfreetype is gone" in done.stderr
    names = {path.name for path in (stressed / "bare").iterdir()}
    assert names == {"report.html", "robustness.json", "study.csv", "influence.csv"}
