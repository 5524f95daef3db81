"""How much is said beside a result: three notes in text, all with --verbose, and how to read it with --explain."""

import json
from pathlib import Path

import pytest

import podium
from podium.cli import output
from support.entry import run

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
    said = notes(run(tmp_path, "rank", "long.csv", "--verbose").stdout)
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
    binary, given = (
        run(tmp_path, "compare", "right.csv", "--explain"),
        run(tmp_path, "pool", "effects.csv", "--explain"),
    )
    assert "  better, worse: instances on which" in binary.stdout
    assert "  weight: share of the task" in given.stdout
    assert "better, worse:" not in given.stdout
    assert "better, worse:" not in run(tmp_path, "pool", "effects.csv", "-f", "latex").stdout


def test_how_to_read_a_result_is_said_when_asked(tmp_path: Path) -> None:
    plain = run(tmp_path, "rank", "dataset:toy-table1").stdout
    told = run(tmp_path, "rank", "dataset:toy-table1", "--explain").stdout
    assert "How to read this:" not in plain
    table, _, explanation = told.partition("\nHow to read this:\n")
    assert table == plain
    assert "bootstrap" in explanation
    assert all(line.startswith("  ") for line in explanation.splitlines())


def test_beside_numbers_the_explanation_goes_to_standard_error(tmp_path: Path) -> None:
    plain = run(tmp_path, "rank", "dataset:toy-table1", "-f", "json")
    told = run(tmp_path, "rank", "dataset:toy-table1", "-f", "json", "--explain")
    assert told.stdout == plain.stdout
    assert "bootstrap" in told.stderr


@pytest.mark.parametrize("name", ["markdown", "latex", "html"])
def test_documents_explain_themselves_and_say_it_once(tmp_path: Path, name: str) -> None:
    told = run(tmp_path, "rank", "dataset:toy-table1", "-f", name, "--explain")
    assert "bootstrap" in told.stdout
    assert told.stderr == ""


def test_quiet_explains_nothing_beside_numbers(tmp_path: Path) -> None:
    assert run(tmp_path, "rank", "dataset:toy-table1", "-f", "csv", "--explain", "-q").stderr == ""


def test_every_command_with_a_result_explains_it(tmp_path: Path) -> None:
    for command in ("rank", "pairwise", "agree", "plan", "info"):
        said = run(tmp_path, command, "dataset:toy-table1", "--explain").stdout
        assert "\nHow to read this:\n" in said, command
        assert said.splitlines()[-1] in {f"  more: docs/{page} in the documentation of podium" for page in PAGES}


def test_every_result_of_a_command_has_a_page(tmp_path: Path) -> None:
    assert {f"{page}.md" for page in output._PAGES.values()} <= PAGES
    rows = [f"t{task},{s},{i},{(task + i + (s == 'A')) % 3 // 2}" for task in range(3) for s in "AB" for i in range(8)]
    (tmp_path / "scores.csv").write_text("\n".join(["task,system,instance,score", *rows]))
    (tmp_path / "effects.csv").write_text("task,effect,variance\na,0.1,0.01\nb,0.2,0.02\n")
    for command in (
        *("compare scores.csv", "compare scores.csv --all --control A", "pool effects.csv"),
        *("difficulty failures scores.csv", "stress scores.csv --only scale --repeats 1 --jobs 1"),
        "customize scores.csv --difficulty failures --splits 2",
    ):
        done = run(tmp_path, *command.split(), "--explain")
        assert (done.returncode, done.stdout.splitlines()[-1][:13]) == (0, "  more: docs/"), done.stderr
