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
from support.entry import run, run_script, wide

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
    assert run(folder, "rank scores.csv -o out").returncode == 0
    assert run(folder, "info scores.csv -o out").returncode == 0
    assert {"ranking.csv", "description.csv", "mine.svg"} <= names(folder / "out")


def test_pictures_that_cannot_be_drawn_are_said_and_old_ones_removed(folder: Path) -> None:
    run(folder, "rank scores.csv -o out/")
    done = run(folder, "rank scores.csv -o out/ --no-intervals")
    assert done.returncode == 0
    missing = (
        "no picture 'ranks' or 'cd': there are no intervals to draw; ask for them with confidence=0.95 (--intervals)"
    )
    there = "out/report.html is the page to look at; the numbers are beside it"
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
    assert run(folder, "rank scores.csv -o board").returncode == 0
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
    "rank": lambda scores: [podium.rank(scores, confidence=None), podium.pairwise(scores), podium.agree(scores)],
    "pairwise": lambda scores: [podium.pairwise(scores)],
    "agree": lambda scores: [podium.agree(scores)],
    "compare": lambda scores: [podium.compare(scores, control="a", treatment="b", moderators=SIZES)],
    "pool": lambda scores: [podium.compare(scores, control="a", treatment="b", moderators=SIZES)],
    "customize": lambda scores: [podium.customize(scores, podium.failure_rate(scores), splits=2, confidence=None)],
    "stress": lambda scores: [podium.stress(scores, ["mean"], only=["scale"], repeats=1, jobs=1)],
    "plan": lambda scores: [podium.plan(scores)],
    "info": lambda scores: [podium.describe(scores)],
}

SUFFIXES = {"heatmap": "svg", "ranks": "pdf", "cd": "png", "bump": "svg"}


def test_every_picture_is_drawn_beside_the_result(tmp_path: Path) -> None:
    scores = podium.simulate.gumbel(3, 2, 30, dispersion=1.0, rng=0).scores
    lines = [
        f"{system},{task.name},{index},{value}"
        for task in scores.tasks
        for system, row in zip(scores.systems, task.values, strict=True)
        for index, value in enumerate(row)
    ]
    (tmp_path / "scores.csv").write_text("\n".join(["system,task,instance,score", *lines]), encoding="utf-8")
    asked = [part for name, suffix in SUFFIXES.items() for part in ("--plot", f"{name}={name}.{suffix}")]
    done = run_script(tmp_path, "rank", "scores.csv", *asked)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run(tmp_path, "rank scores.csv").stdout
    for name, suffix in SUFFIXES.items():
        assert (tmp_path / f"{name}.{suffix}").stat().st_size > 1000


@pytest.mark.parametrize("command", OFFERED)
def test_a_command_offers_the_figures_of_its_result(tmp_path: Path, command: str) -> None:
    right = {"t": [[1, 1, 0, 1], [0, 1, 0, 0]], "u": [[1, 0, 1, 1], [0, 1, 1, 0]], "v": [[1, 0, 0, 0], [0, 0, 1, 0]]}
    scores = podium.from_arrays(right, systems=["a", "b"])
    figures = {figure.name for result in OFFERED[command](scores) for figure in result.view().figures}
    text = " ".join(run(tmp_path, command, "--help").stdout.split())
    said = re.search(r"SVG, PDF or PNG: (.*?\))\.", text)
    assert set(re.findall(r"(\w+) \(", said[1]) if said else ()) == figures


def test_the_only_picture_of_a_command_need_not_be_named(tmp_path: Path) -> None:
    for command in ("pairwise", "agree"):
        done = run(tmp_path, command, "dataset:toy-table1", "--plot", f"{command}.svg")
        assert (done.returncode, (tmp_path / f"{command}.svg").exists()) == (0, True), done.stderr


def test_the_input_is_not_drawn_over(tmp_path: Path) -> None:
    table = wide(tmp_path).rename(tmp_path / "table.svg")
    done = run(tmp_path, "rank table.svg --input-format csv --plot bump=table.svg")
    assert done.returncode == 2
    assert "table.svg is read as input and would be overwritten" in done.stderr
    assert table.read_text(encoding="utf-8").startswith("system,")


def test_without_matplotlib_the_extra_is_named_before_the_work(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from podium.cli import main\n"
        "sys.argv = ['podium', 'rank', 'there-is-no-such-file.csv', '--plot', 'bump=a.svg']\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: a picture needs matplotlib: pip install 'podium[plot]'\n"


#: Pages of the documentation.
PAGES = {path.name for path in (Path(__file__).parents[2] / "docs").glob("*.md")}

#: A result with more notes than text shows.
ASK = ("agree", "dataset:xtreme-missing")


def notes(text: str) -> list[str]:
    return [line.removeprefix("note: ") for line in text.splitlines() if line.startswith("note: ")]


def test_text_shows_three_notes_and_counts_the_others(tmp_path: Path) -> None:
    whole = json.loads(run(tmp_path, *ASK, "-f", "json").stdout)["notes"]
    short, long = run(tmp_path, *ASK).stdout, run(tmp_path, *ASK, "--verbose").stdout
    assert notes(short) == notes(long)[:3]
    assert set(whole) <= set(notes(long))
    assert short.endswith(f"\n… and {len(notes(long)) - 3} more notes (--verbose)\n")
    assert "--verbose" not in long


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


def test_only_columns_that_are_there_are_explained(tmp_path: Path) -> None:
    right = ["task,system,instance,score"]
    right += [f"{t},{s},{i},{int(i % 3 > s)}" for t in "uv" for s in (0, 1) for i in range(12)]
    (tmp_path / "right.csv").write_text("\n".join(right), "utf-8")
    (tmp_path / "effects.csv").write_text("task,effect,variance\na,0.1,0.01\nb,0.2,0.02\n", "utf-8")
    binary, given = (run(tmp_path, "compare right.csv --explain"), run(tmp_path, "pool effects.csv --explain"))
    assert "  better, worse: instances on which" in binary.stdout
    assert "  weight: share of the task" in given.stdout
    assert "better, worse:" not in given.stdout
    assert "better, worse:" not in run(tmp_path, "pool effects.csv -f latex").stdout


def test_how_to_read_a_result_is_said_when_asked(tmp_path: Path) -> None:
    plain = run(tmp_path, "rank dataset:toy-table1").stdout
    told = run(tmp_path, "rank dataset:toy-table1 --explain").stdout
    table, _, explanation = told.partition("\nHow to read this:\n")
    assert table == plain
    assert "bootstrap" in explanation
    assert all(line.startswith("  ") for line in explanation.splitlines())
    for name in ("json", "csv", "markdown", "latex", "html"):
        ask, numbers = f"rank dataset:toy-table1 -f {name}", name in {"json", "csv"}
        bare, done, quiet = (run(tmp_path, f"{ask} {more}") for more in ("", "--explain", "--explain -q"))
        assert ("bootstrap" in done.stdout, "bootstrap" in done.stderr) == (not numbers, numbers)
        assert (done.stdout == bare.stdout or not numbers, quiet.stderr) == (True, "")


def test_every_result_of_a_command_has_a_page(tmp_path: Path) -> None:
    assert {f"{page}.md" for page in output._PAGES.values()} <= PAGES
    rows = [f"t{task},{s},{i},{(task + i + (s == 'A')) % 3 // 2}" for task in range(3) for s in "AB" for i in range(8)]
    (tmp_path / "scores.csv").write_text("\n".join(["task,system,instance,score", *rows]))
    (tmp_path / "effects.csv").write_text("task,effect,variance\na,0.1,0.01\nb,0.2,0.02\n")
    for command in (
        *(f"{name} dataset:toy-table1" for name in ("rank", "pairwise", "agree", "plan", "info")),
        *("compare scores.csv", "compare scores.csv --all --control A", "pool effects.csv"),
        *("difficulty failures scores.csv", "stress scores.csv --only scale --repeats 1 --jobs 1"),
        "customize scores.csv --difficulty failures --splits 2",
    ):
        done = run(tmp_path, *command.split(), "--explain")
        assert (done.returncode, done.stdout.splitlines()[-1][:13]) == (0, "  more: docs/"), done.stderr


@pytest.fixture(scope="module")
def stressed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of four systems on five tasks of ten instances."""
    place = tmp_path_factory.mktemp("stress")
    scores = podium.simulate.gumbel(4, 5, 10, dispersion=0.3, rng=0).scores
    rows = [
        f"{task.name},{system},{k},{float(task.values[n, k])!r}"
        for task in scores.tasks
        for n, system in enumerate(scores.systems)
        for k in range(task.n_instances)
    ]
    (place / "scores.csv").write_text("\n".join(["task,system,instance,score", *rows]))
    return place


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(stressed: Path) -> None:
    ask = "stress scores.csv --only missing,tasks --repeats 4 -f json"
    one, other = (run(stressed, f"{ask} --jobs 1 --seed {seed}") for seed in (1, 2))
    assert one.returncode == 0, one.stderr
    assert one.stdout == run_script(stressed, f"{ask} --jobs 2 --seed 1").stdout
    assert one.stdout != other.stdout


def test_a_folder_used_again_keeps_nothing_of_the_run_before(stressed: Path) -> None:
    ask = "stress scores.csv --only missing --repeats 1 --jobs 1 -o twice"
    run(stressed, ask)
    assert (stressed / "twice" / "influence.csv").exists()
    (stressed / "twice" / "mine.txt").write_text("kept")
    done = run(stressed, f"{ask} --no-leave-out")
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (stressed / "twice").iterdir()}
    assert names == {"report.html", "robustness.json", "study.csv", "kept.svg", "stability.svg", "mine.txt"}


def test_what_instances_of_a_single_task_do_is_drawn_too(stressed: Path) -> None:
    done = run(stressed, "stress scores.csv --tasks 'task 1' --only missing --repeats 1 --jobs 1 -o v1.2/")
    assert done.returncode == 0, done.stderr
    assert (stressed / "v1.2" / "influence.svg").exists()


def test_without_a_matplotlib_that_works_the_numbers_are_there(stressed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (stressed / "broken" / "matplotlib").mkdir(parents=True)
    (stressed / "broken" / "matplotlib" / "__init__.py").write_text("raise ImportError('libfreetype is gone')")
    monkeypatch.setenv("PYTHONPATH", str(stressed / "broken"), prepend=os.pathsep)
    done = run_script(stressed, "stress scores.csv --only missing --repeats 1 --jobs 1 -o bare/")
    assert done.returncode == 0, done.stderr
    assert "no pictures: libfreetype is gone" in done.stderr
    names = {path.name for path in (stressed / "bare").iterdir()}
    assert names == {"report.html", "robustness.json", "study.csv", "influence.csv"}
