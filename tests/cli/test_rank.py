"""`podium rank` and `podium pairwise`: every way in and out."""

import csv
import io
import json
from pathlib import Path

import pytest

import podium
from support.entry import WIDE, run, run_script, wide


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("rank - --input-format csv --lower ter", 0),
        ("rank dataset:xtreme-missing --method mean -f csv", 0),
        ("rank - --input-format csv --frob", 2),
        ("rank dataset:xtreme-missing --plot ranks=a.svg", 2),
    ],
)
def test_in_this_process_and_in_one_of_its_own_a_command_does_the_same(tmp_path: Path, line: str, code: int) -> None:
    here, apart = (way(tmp_path, line, stdin=WIDE.encode()) for way in (run, run_script))
    assert here.returncode == apart.returncode == code
    assert (here.stdout, here.stderr) == (apart.stdout, apart.stderr)
    assert here.stdout or here.stderr


def test_directions_weights_and_selection_reach_the_ranking(tmp_path: Path) -> None:
    wide(tmp_path)
    chosen = "--lower t*r --task-weights rte=2,ter=1 --tasks !sst2 --systems A,C"
    done = run(tmp_path, f"rank scores.csv {chosen} -f json")
    board = json.loads(done.stdout)
    assert (board["n_systems"], board["n_tasks"], board["level"]) == (2, 2, "task")
    # A wins rte (weight 2), C wins ter (weight 1), so A beats C on two thirds of the weight
    assert [row["system"] for row in board["systems"]] == ["A", "C"]
    assert board["systems"][0]["score"] == pytest.approx(2 / 3)


def test_names_with_commas_can_be_typed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('system,"a, b",c,d\nA,1,2,3\nB,2,1,3\n', encoding="utf-8")
    options = ("--lower", r"a\, b,d", "--task-weights", r"a\, b=2,c=3", "--tasks", r"a\, b,c,d")
    board = json.loads(run(tmp_path, "rank", "a.csv", *options, "-f", "json").stdout)
    told = [(task["name"], task["higher_is_better"], task["weight"]) for task in board["tasks"]]
    assert told == [("a, b", False, 2), ("c", True, 3), ("d", False, 1)]
    for command in ("rank", "info"):
        assert r"A comma in a name is written \, as in" in " ".join(run(tmp_path, command, "--help").stdout.split())


def test_a_long_table_with_its_own_column_names_comes_by_standard_input(tmp_path: Path) -> None:
    rows = "model,data set,item,acc\n" + "".join(
        f"{model},{task},{item},{(model == 'x') * 0.5 + item / 10}\n"
        for model in "xy"
        for task in "ab"
        for item in range(8)
    )
    done = run_script(
        tmp_path,
        "rank - --input-format csv --layout long --system-column model --task-column 'data set' --instance-column item "
        "--score-column acc --level one -f csv --threads 1",
        stdin=rows.encode(),
    )
    assert done.stderr == "note: x is first (95% confidence, on these 2 tasks)\n"
    first = next(csv.DictReader(io.StringIO(done.stdout)))
    assert (first["system"], first["rank"], float(first["score"])) == ("x", "1", 1.0)


def test_quiet_leaves_out_warnings_and_they_are_said_otherwise(tmp_path: Path) -> None:
    loud = run(tmp_path, "rank dataset:xtreme-missing --method mean -f csv")
    quiet = run(tmp_path, "rank dataset:xtreme-missing --method mean -f csv --quiet")
    assert loud.stderr.startswith("warning: 18 of 40 scores are missing")
    assert loud.stderr.count("18 of 40") == 1, "a note that was a warning is not said again"
    assert "\nnote: M5: no score on any task, so not ranked\n" in loud.stderr
    assert quiet.stderr == ""
    assert quiet.stdout == loud.stdout
    assert loud.stdout.splitlines()[-1].startswith("M5,,,,0,0"), "a system without scores has no rank and no score"


def test_several_sources_make_one_table(tmp_path: Path) -> None:
    for task in "ab":
        rows = f"system,task,score\nA,{task},1\nB,{task},0\n"
        (tmp_path / f"{task}.csv").write_text(rows, encoding="utf-8")
    board = json.loads(run(tmp_path, "rank a.csv b.csv -f json").stdout)
    assert board["n_tasks"] == 2
    assert json.loads(run(tmp_path, "rank '?.csv' -f json").stdout)["systems"] == board["systems"]


def test_the_built_in_data_sets_are_listed_as_they_are_typed(tmp_path: Path) -> None:
    text = run(tmp_path, "datasets").stdout
    assert all(f"dataset:{name}" in text for name in podium.datasets.names())


@pytest.mark.parametrize(("missing", "mentioned"), [("model", True), ("imputed", False)])
def test_fits_of_many_systems_are_not_repeated_unless_asked_for(tmp_path: Path, missing: str, mentioned: bool) -> None:
    rows = [f"s{index},t{task},{index * (task + 3) % 7}" for index in range(101) for task in range(8) if index != task]
    (tmp_path / "many.csv").write_text("\n".join(["system,task,score", *rows]), encoding="utf-8")
    done = run(tmp_path, "rank", "many.csv", "--missing", missing, "--replicates", "100", "--level", "two")
    assert done.returncode == 0
    assert ("intervals are left out, because they take long" in done.stdout + done.stderr) is mentioned


def test_a_name_that_is_a_pattern_or_has_a_comma_can_be_chosen(tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text('system,"Lyon, east",Paris\n*,1,2\nx,3,4\ny,2,1\n', "utf-8")
    chosen = run(tmp_path, "rank odd.csv --systems '*,x' --no-intervals -f csv")
    assert [line.split(",")[0] for line in chosen.stdout.splitlines()[1:]] == ["x", "*"]
    cut = run(tmp_path, "rank odd.csv --tasks 'Lyon, east'")
    assert "there is no task 'Lyon'; a comma of a name is typed with a backslash: 'Lyon\\, east'" in cut.stderr
    assert run(tmp_path, "rank odd.csv --tasks 'Lyon\\, east' --no-intervals").returncode == 0


def test_a_level_or_model_may_follow_the_method(tmp_path: Path) -> None:
    table = ("rank", "-", "--input-format", "csv", "--lower", "ter", "-m")
    ways = (("borda", "--missing", "direct"), ("borda:missing=direct",))
    done = [run(tmp_path, *table, *way, stdin=WIDE.encode()) for way in (*ways, ("borda", "--level", "task"))]
    level = run(tmp_path, *table, "borda:task", stdin=WIDE.encode())
    assert done[0].stderr == done[1].stderr, "borda has no such way"
    assert (done[2].returncode, done[2].stdout) == (0, level.stdout)


CYCLE = "system,a,b,c\nA,3,1,2\nB,2,3,1\nC,1,2,3\n"


def test_the_answer_is_that_of_the_library(tmp_path: Path) -> None:
    scores = podium.datasets.toy_table1()
    pairs, majorities = podium.pairwise(scores), podium.condorcet(scores, level="task", missing="direct")
    content = json.loads(run_script(tmp_path, "pairwise dataset:toy-table1 -f json").stdout)
    beside = content.pop("condorcet")
    assert content == json.loads(json.dumps(pairs.to_dict() | {"kind": "head-to-head"}))
    assert beside["undecided"] == [list(pair) for pair in majorities.undecided]
    rows = list(csv.DictReader(io.StringIO(run(tmp_path, "pairwise dataset:toy-table1 -f csv").stdout)))
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
    done = run(tmp_path, "pairwise scores.csv")
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
    done = run(tmp_path, "pairwise dataset:toy-table1 -o pairs/ --plot heatmap=who.svg")
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (tmp_path / "pairs").iterdir()}
    assert names == {"report.html", "head-to-head.json", "pairwise.csv", "condorcet.csv", "heatmap.svg"}
    assert (tmp_path / "who.svg").stat().st_size > 5_000
