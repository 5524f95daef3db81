"""`podium agree`: every format, what is cut short for people, and what is refused."""

import csv
import io
import json
from pathlib import Path

import pytest

from podium.report.formats import FORMATS
from support.entry import run, run_script


def many(folder: Path, count: int) -> Path:
    """Write a table whose mean, pulled by one task, orders the systems in another way than their ranks."""
    path = folder / "many.csv"
    rows = [f"s{index:02},{index},{index},{10 * (index * 7 % count)}" for index in range(count)]
    path.write_text("\n".join(["system,a,b,c", *rows]), encoding="utf-8")
    return path


def test_the_table_has_the_matrix_the_pairs_and_who_moves(tmp_path: Path) -> None:
    done = run_script(tmp_path, "agree", "dataset:xtreme-missing", "--methods", "mean,borda", "--verbose")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert done.stdout.startswith("2 rankings of 9 systems: tau-b from 0.085 to 0.085\n")
    assert ["mean", "1.000", "0.085"] in lines
    assert ["borda:task", "0.085", "1.000"] in lines
    assert ["mean", "/", "borda:task", "0.458", "0.000", "0.333", "0.400"] in lines
    assert ["who", "moves", "best", "worst", "spread", "mean", "borda:task"] in lines
    assert ["M9", "5", "9", "4", "5", "9"] in lines
    assert done.stdout.count("note: mean: 18 of 40 scores are missing") == 1
    assert "note: left out: M5 (no rank by mean, borda:task)" in done.stdout


def test_who_moves_is_cut_short_for_people_only(tmp_path: Path) -> None:
    texts = {
        name: run(tmp_path, "agree", many(tmp_path, 23), "-m", "mean", "-m", "borda:task", "-f", name).stdout
        for name in FORMATS
    }
    assert "… 13 more" in texts["table"]
    assert "… 13 more" in texts["markdown"]
    content = json.loads(texts["json"])
    assert (content["kind"], content["n_systems"], len(content["systems"])) == ("agreement", 23, 23)
    assert [entry["n"] for entry in content["top_agreement"]] == [1, 3, 5, 10]
    rows = list(csv.DictReader(io.StringIO(texts["csv"])))
    assert [row["system"] for row in rows] == [row["system"] for row in content["systems"]]
    spreads = [int(row["spread"]) for row in rows]
    assert spreads == sorted(spreads, reverse=True)
    assert spreads[0] > spreads[-1]
    assert texts["latex"].count(r"\toprule") == 3


def test_the_result_goes_to_a_file(tmp_path: Path) -> None:
    done = run(tmp_path, "agree", "dataset:toy-table1", "-o", "agreement.json")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert json.loads((tmp_path / "agreement.json").read_text(encoding="utf-8"))["kind"] == "agreement"


def test_the_result_does_not_go_over_its_source(tmp_path: Path) -> None:
    source = many(tmp_path, 5)
    before = source.read_bytes()
    done = run(tmp_path, "agree", source, "-o", source)
    assert (done.returncode, source.read_bytes()) == (2, before)
    assert "read as input and would be overwritten" in done.stderr


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        ("mean,brda", "there is no method 'brda'; did you mean 'borda'?"),
        ("mean,borda:tow", "there is no level 'tow'; did you mean 'two'?"),
        ("mean", "there is only mean"),
        ("mean,mean", "'mean' appears twice"),
    ],
)
def test_unknown_methods_are_named_with_the_nearest(tmp_path: Path, methods: str, said: str) -> None:
    done = run(tmp_path, "agree", "dataset:toy-table1", "--methods", methods)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
