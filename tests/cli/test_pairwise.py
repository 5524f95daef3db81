"""`podium pairwise`: shares won with intervals, the winner by majority or what prevents one, and what is refused."""

import csv
import io
import json
from pathlib import Path

import pytest

import podium
from support.entry import run, run_script

CYCLE = "system,a,b,c\nA,3,1,2\nB,2,3,1\nC,1,2,3\n"


def test_the_answer_is_that_of_the_library(tmp_path: Path) -> None:
    scores = podium.datasets.toy_table1()
    pairs, majorities = podium.pairwise(scores), podium.condorcet(scores, level="task", missing="direct")
    content = json.loads(run_script(tmp_path, "pairwise", "dataset:toy-table1", "-f", "json").stdout)
    beside = content.pop("condorcet")
    assert content == json.loads(json.dumps(pairs.to_dict() | {"kind": "head-to-head"}))
    assert beside["undecided"] == [list(pair) for pair in majorities.undecided]
    rows = list(csv.DictReader(io.StringIO(run(tmp_path, "pairwise", "dataset:toy-table1", "-f", "csv").stdout)))
    assert [float(row["probability"]) for row in rows] == [row["probability"] for row in pairs.rows()]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (CYCLE, "no Condorcet winner: A > B > C > A"),
        ("system,a,b,c\nA,3,3,1\nB,2,2,3\nC,1,1,2\n", "Condorcet winner: A beats every other system by majority"),
        ("system,a,b\nA,1,2\nB,2,1\n", "no Condorcet winner: no majority between A and B"),
    ],
)
def test_the_winner_or_what_prevents_one_comes_first(tmp_path: Path, table: str, said: str) -> None:
    (tmp_path / "scores.csv").write_text(table, encoding="utf-8")
    done = run(tmp_path, "pairwise", "scores.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[2] == f"• {said}"


def test_options_reach_the_intervals(tmp_path: Path) -> None:
    def widths(*options: str) -> list[float]:
        content = json.loads(run(tmp_path, "pairwise", "dataset:xtreme-missing", "-f", "json", *options).stdout)
        return [pair["radius"] for pair in content["pairs"] if pair["radius"] is not None]

    usual = widths()
    for options, wider in ((("--simultaneous",), True), (("--sided", "one"), False), (("--confidence", "0.8"), False)):
        assert all((one > other) is wider for one, other in zip(widths(*options), usual, strict=True))


def test_the_matrix_is_drawn_and_a_folder_holds_both_answers(tmp_path: Path) -> None:
    done = run(tmp_path, "pairwise", "dataset:toy-table1", "-o", "pairs/", "--plot", "heatmap=who.svg")
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (tmp_path / "pairs").iterdir()}
    assert names == {"report.html", "head-to-head.json", "pairwise.csv", "condorcet.csv", "heatmap.svg"}
    assert (tmp_path / "who.svg").stat().st_size > 5_000
