"""What commands read, and `podium rank` and `podium pairwise`: every way in and out that is not frozen."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import podium
from golden.output.transcripts import TABLES
from podium.cli.options import LONG
from podium.cli.rank import BootstrapOptions, MethodOptions, seconds_of_intervals
from support.bundle import contents
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
    told = "8 instances are numbered alike in several tasks, so drawn together; if they are not the same: --family none"
    assert done.stderr == f"note: x is first (95% confidence, on these 2 tasks)\nnote: {told}\n"
    first = next(csv.DictReader(io.StringIO(done.stdout)))
    assert (first["system"], first["rank"], float(first["score"])) == ("x", "1", 1.0)


def test_several_sources_make_one_table(tmp_path: Path) -> None:
    for task in "ab":
        rows = f"system,task,score\nA,{task},1\nB,{task},0\n"
        (tmp_path / f"{task}.csv").write_text(rows, encoding="utf-8")
    board = json.loads(run(tmp_path, "rank a.csv b.csv -f json").stdout)
    assert board["n_tasks"] == 2
    assert json.loads(run(tmp_path, "rank '?.csv' -f json").stdout)["systems"] == board["systems"]


#: Tables of systems, tasks and instances, the method, and whether intervals are made without being asked for.
SIZES = [
    ((1000, 20, 1), "borda", True),
    ((3000, 20, 1), "borda", False),
    ((1000, 10, 100), "mean", True),
    ((20, 2, 100_000), "borda", True),
    ((20, 2, 100_000), "wins", True),
    ((100, 2, 20_000), "wins", False),
    ((20, 10, 100), "bradley-terry", True),
    ((300, 10, 100), "bradley-terry", False),
    ((21, 6, 1), "kemeny", False),
]


@pytest.mark.parametrize(("size", "method", "quick"), SIZES)
def test_intervals_are_made_if_they_take_half_a_minute(size: tuple[int, int, int], method: str, quick: bool) -> None:
    n_systems, n_tasks, n_instances = size
    values = np.random.default_rng(0).random((n_systems, n_instances))
    scores = podium.from_arrays({f"t{task}": values for task in range(n_tasks)})
    assert (seconds_of_intervals(scores, MethodOptions(method), BootstrapOptions()) < LONG) is quick


def test_intervals_that_take_long_are_made_if_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podium.cli.options.LONG", 0)
    told = "no intervals, because they would take about 1 minute; --intervals makes them"
    rows = [f"{name},{','.join(map(str, range(first, first + 8)))}" for first, name in enumerate("AB")]
    (tmp_path / "two.csv").write_text("\n".join(["system,a,b,c,d,e,f,g,h", *rows]), encoding="utf-8")
    for more, made in (("", False), ("--intervals", True)):
        done = run(tmp_path, f"rank two.csv {more}")
        assert ("95% ranks" in done.stdout) is made
        assert (told in done.stderr) is not made


def test_a_level_or_model_may_follow_the_method(tmp_path: Path) -> None:
    table = ("rank", "-", "--input-format", "csv", "--lower", "ter", "-m")
    ways = (("borda", "--missing", "direct"), ("borda:missing=direct",))
    done = [run(tmp_path, *table, *way, stdin=WIDE.encode()) for way in (*ways, ("borda", "--level", "task"))]
    level = run(tmp_path, *table, "borda:task", stdin=WIDE.encode())
    assert done[0].stderr == done[1].stderr, "borda has no such way"
    assert (done[2].returncode, done[2].stdout) == (0, level.stdout)


def test_the_answer_is_that_of_the_library(tmp_path: Path) -> None:
    scores = podium.datasets.toy_table1()
    pairs, majorities = podium.pairwise(scores), podium.condorcet(scores, level="task", missing="direct")
    content = json.loads(run_script(tmp_path, "pairwise dataset:toy-table1 -f json").stdout)
    beside = content.pop("condorcet")
    both = {"kind": "head-to-head", "sentences": [majorities.sentence]}
    assert content == json.loads(json.dumps(pairs.to_dict() | both))
    assert beside["undecided"] == [list(pair) for pair in majorities.undecided]
    rows = list(csv.DictReader(io.StringIO(run(tmp_path, "pairwise dataset:toy-table1 -f csv").stdout)))
    assert [float(row["probability"]) for row in rows] == [row["probability"] for row in pairs.rows()]


def test_the_matrix_is_drawn_and_a_folder_holds_both_answers(tmp_path: Path) -> None:
    done = run(tmp_path, "pairwise dataset:toy-table1 -o pairs/ --plot heatmap=who.svg")
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (tmp_path / "pairs").iterdir()}
    assert names == {"report.html", "head-to-head.json", "pairwise.csv", "condorcet.csv", "heatmap.svg"}
    assert (tmp_path / "who.svg").stat().st_size > 5_000


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text(WIDE, encoding="utf-8-sig")
    done = run(tmp_path, "rank scores.csv --lower ter")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.core
def test_a_file_that_is_there_survives_a_failure_and_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text(WIDE, encoding="utf-8")
    for _ in range(2):
        assert run(tmp_path, "rank . -q -o board.txt").returncode == 0
    before = (tmp_path / "board.txt").read_bytes()
    assert run(tmp_path, "rank nowhere.csv -o board.txt").returncode == 2
    assert (tmp_path / "board.txt").read_bytes() == before


@pytest.mark.core
@pytest.mark.parametrize("command", ["rank", "info"])
def test_a_result_is_not_written_over_its_input(tmp_path: Path, command: str) -> None:
    wide(tmp_path)
    (tmp_path / "link").symlink_to("scores.csv")
    for source in ("scores.csv", "*.csv", ".", "link"):
        done = run(tmp_path, command, source, "-o", "./scores.csv")
        assert (done.returncode, done.stdout) == (2, "")
        assert "scores.csv is read as input" in done.stderr
    assert (tmp_path / "scores.csv").read_text(encoding="utf-8") == WIDE


def test_a_column_of_standard_input_may_be_gold(tmp_path: Path) -> None:
    table = b"model,id,guess,answer\nA,1,x,x\nB,1,y,x\n"
    done = run_script(tmp_path, "rank - --gold answer --prediction-column guess -f json", stdin=table)
    assert done.returncode == 0, done.stderr
    assert [row["system"] for row in json.loads(done.stdout)["systems"]] == ["A", "B"]


def test_a_page_keeps_families_in_its_commands_and_says_weights_anew(tmp_path: Path) -> None:
    told = ["--family", "nli=RTE,QNLI", "--family-weights"]
    done = run(tmp_path, "page", TABLES / "more" / "families.csv", *told, "-o", "board.html")
    assert done.returncode == 0, done.stderr
    content = contents((tmp_path / "board.html").read_text("utf-8"))
    assert "--family nli=RTE,QNLI" in content["command"]
    assert "--family-weights" not in content["command"]
    assert content["python"]["scores"].endswith(".with_families({'nli': ['RTE', 'QNLI']})")


def test_messages_name_options_and_not_what_is_passed_in_python(tmp_path: Path) -> None:
    scores = np.random.default_rng(0).normal(size=(3, 8))
    names = ["QQP (F1)", "QQP (acc)", *"abcdef"]
    rows = [",".join(["system", *names]), *(",".join([f"s{i}", *map(str, row)]) for i, row in enumerate(scores))]
    (tmp_path / "t.csv").write_text("\n".join(rows), "utf-8")
    said = run(tmp_path, "rank t.csv").stdout
    assert "if they are none: --family none" in said
    assert "families=False" not in said
    assert "families=False (--family none)" in " ".join(podium.rank(tmp_path / "t.csv").notes)  # in Python both
    picture = run(tmp_path, "rank t.csv --plot forest.svg")
    assert "there is no picture 'forest'" in picture.stderr
    assert not (tmp_path / "forest.svg").exists()
