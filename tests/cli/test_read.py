"""What every command reads: bad input, right answers, TREC runs, families and clusters."""

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from support.bundle import contents
from support.entry import WIDE, run, run_script, wide

LONG = "system,task,instance,score\n"

# name: (content of scores.csv, arguments, what the message must mention)
CASES: dict[str, tuple[bytes, tuple[str, ...], tuple[str, ...]]] = {
    "empty file": (b"", (), ("empty",)),
    "header only": (b"system,rte,sst2\n", (), ("scores.csv",)),
    "not UTF-8": (b"system,rte,sst2\nA\xff,1,2\nB,1,2\n", (), ("UTF-8",)),
    "ragged rows": (b"system,rte,sst2\nA,1,2\nB,1,2,3\n", (), ("3",)),
    "duplicates": (f"{LONG}A,t,1,0.5\nB,t,1,0.5\nA,t,1,0.6\n".encode(), (), ("'A'", "'t'", "line 4")),
    "text for a score": (b"system,rte,sst2\nA,1,2\nB,1,oops\n", (), ("oops", "3")),
    "infinity": (b"system,rte,sst2\nA,1,inf\nB,1,2\n", (), ("inf",)),
    "unconnected tasks": (b"system,rte,sst2\nA,1,\nB,,2\n", (), ("two tasks",)),
    "one system": (b"system,rte,sst2\nA,1,2\n", (), ("one system",)),
    "only a task without weight has scores": (
        b"system,task,score\nA,rte,1\nB,rte,2\nA,sst2,\nB,sst2,\n",
        ("--task-weights", "rte=0"),
        ("weight 0 (rte)", "give weight"),
    ),
}


def _assert_refused(code: int, out: str, err: str, mentioned: tuple[str, ...]) -> None:
    assert code == 2, err
    assert out == ""
    assert "Traceback" not in err
    warnings, found, message = err.rpartition("error: ")
    assert found
    assert all(line.startswith("warning: ") for line in warnings.splitlines())
    assert [word for word in mentioned if word not in message] == []


@pytest.mark.core
@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_refused_in_plain_words(tmp_path: Path, name: str) -> None:
    content, arguments, mentioned = CASES[name]
    (tmp_path / "scores.csv").write_bytes(content)
    done = run(tmp_path, "rank", "scores.csv", *arguments)
    _assert_refused(done.returncode, done.stdout, done.stderr, mentioned)


@pytest.mark.core
@pytest.mark.parametrize(
    ("source", "mentioned"),
    [
        ("nowhere.csv", "nowhere.csv"),
        ("nothing/*.csv", "nothing/*.csv"),
        ("folder", "folder"),
        ("", "empty text"),
        ("dataset:xtrem-missing", "did you mean 'xtreme-missing'?"),
    ],
)
def test_sources_that_are_not_there(tmp_path: Path, source: str, mentioned: str) -> None:
    (tmp_path / "folder").mkdir()
    done = run(tmp_path, "rank", source)
    _assert_refused(done.returncode, done.stdout, done.stderr, (mentioned,))


@pytest.mark.core
def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text(WIDE, encoding="utf-8-sig")
    done = run(tmp_path, "rank scores.csv --lower ter")
    assert done.returncode == 0
    assert done.stderr == ""


@pytest.mark.core
def test_the_output_is_checked_before_the_input_is_read(tmp_path: Path) -> None:
    done = run_script(tmp_path, "rank nowhere.csv -o no/board.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no/board.json" in done.stderr
    assert "nowhere.csv" not in done.stderr


@pytest.mark.core
def test_a_file_that_is_there_survives_a_failure(tmp_path: Path) -> None:
    board = run(tmp_path, "rank dataset:toy-table1 -o board.json")
    before = (tmp_path / "board.json").read_bytes()
    done = run(tmp_path, "rank nowhere.csv -o board.json")
    assert (board.returncode, done.returncode) == (0, 2)
    assert "nowhere.csv" in done.stderr
    assert (tmp_path / "board.json").read_bytes() == before


@pytest.mark.core
@pytest.mark.parametrize("source", ["scores.csv", "*.csv", ".", "link"])
@pytest.mark.parametrize("command", ["rank", "info"])
def test_a_result_is_not_written_over_its_input(tmp_path: Path, command: str, source: str) -> None:
    (tmp_path / "scores.csv").write_text(WIDE, encoding="utf-8")
    (tmp_path / "link").symlink_to("scores.csv")
    done = run(tmp_path, command, source, "-o", "./scores.csv")
    _assert_refused(done.returncode, done.stdout, done.stderr, ("scores.csv is read as input",))
    assert (tmp_path / "scores.csv").read_text(encoding="utf-8") == WIDE


def test_a_result_may_replace_what_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text(WIDE, encoding="utf-8")
    for _ in range(2):
        assert run(tmp_path, "rank . -q -o board.txt").returncode == 0


@pytest.mark.core
def test_examples_in_an_error_stand_on_lines_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "twice.csv").write_text("system,task,score\nA,x,1\nA,x,2\nB,x,1\n")
    done = run(tmp_path, "rank twice.csv")
    first, example, advice = done.stderr.splitlines()
    assert first == "error: 1 score contradicts an earlier score:"
    assert example == "  task 'x', system 'A': 1 (twice.csv, line 2) and 2 (twice.csv, line 3)"
    assert advice.startswith("keep one score of each pair")
    kept = run(tmp_path, "rank twice.csv --keep-first --no-intervals")
    assert kept.returncode == 0
    assert "1 row contradicts an earlier score and was left out" in kept.stdout


def test_several_columns_name_a_task_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "parts.csv").write_text('system,task,"sp,lit",score\nA,x,dev,1\nA,x,test,2\nB,x,dev,1\nB,x,test,3\n')
    done = run(tmp_path, "rank parts.csv --task-column 'task,sp\\,lit' --no-intervals --format csv")
    assert done.returncode == 0
    assert "tasks are named task:sp,lit" in done.stderr


PREDICTIONS = "model,id,pred\n" + "".join(
    f"{model},{number},{'x' if number < right else 'y'}\n"
    for model, right in (("A", 9), ("B", 6), ("C", 3))
    for number in range(10)
)
GOLD = "id,gold\n" + "".join(f"{number},x\n" for number in range(10))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "predictions.csv").write_text(PREDICTIONS, encoding="utf-8")
    (tmp_path / "gold.csv").write_text(GOLD, encoding="utf-8")
    return tmp_path


def test_predictions_are_ranked_by_accuracy(folder: Path) -> None:
    done = run(folder, "rank predictions.csv --gold gold.csv -m mean --no-intervals -f json")
    assert done.returncode == 0, done.stderr
    board = json.loads(done.stdout)
    assert [task["name"] for task in board["tasks"]] == ["accuracy"]
    assert {row["system"]: row["score"] for row in board["systems"]} == pytest.approx({"A": 0.9, "B": 0.6, "C": 0.3})
    assert any("equals column 'gold' of gold.csv" in note for note in board["notes"])


@pytest.mark.parametrize("command", ["info", "agree", "plan", "compare --control A --treatment B"])
def test_every_command_takes_predictions(folder: Path, command: str) -> None:
    done = run(folder, f"{command} predictions.csv --gold gold.csv --prediction-column pred --verbose")
    assert done.returncode == 0, done.stderr
    assert "accuracy" in done.stdout + done.stderr


def test_a_column_of_standard_input_may_be_gold(folder: Path) -> None:
    table = b"model,id,guess,answer\nA,1,x,x\nB,1,y,x\n"
    done = run_script(folder, "rank - --gold answer --prediction-column guess -f json", stdin=table)
    assert done.returncode == 0, done.stderr
    assert [row["system"] for row in json.loads(done.stdout)["systems"]] == ["A", "B"]


QRELS = "q1 0 d1 1\nq2 0 d2 1\nq3 0 d1 2\n"
TREC = "--trec data/config.yaml"
RUNS = {"good": "q1 d1 1 9\nq2 d2 1 9\nq3 d1 1 9\n", "poor": "q1 d9 1 9\nq1 d1 2 8\nq2 d2 1 9\n"}


def collections(folder: Path) -> Path:
    """Write two collections in a folder of their own, with a location file whose paths lead from the one above."""
    home = folder / "data"
    home.mkdir()
    for name, lines in {"qrels": QRELS, **RUNS}.items():
        (home / name).write_text(lines)
    tasks = {"covid": "TREC Covid", "antique": "Antique"}
    content = {
        "qrels": dict.fromkeys(tasks, "./data/qrels"),
        "available_rankings": {system: dict.fromkeys(tasks, f"./data/{system}") for system in RUNS},
        "display_names": tasks,
    }
    path = home / "config.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    return path


def lines_of_scores(folder: Path) -> Path:
    """Write a location file of scores."""
    for system, content in {"A": "1\n0\n1\n", "B": "0\n0\n1\n"}.items():
        (folder / f"{system}.txt").write_text(content)
    path = folder / "scores.yaml"
    path.write_text("eval_metrics: {A: {rte: A.txt}, B: {rte: B.txt}}\n")
    return path


@pytest.mark.parametrize(("measure", "values"), [((), (1.0, 0.543643)), (("--measure", "RR"), (1.0, 0.5))])
def test_rank(tmp_path: Path, measure: tuple[str, ...], values: tuple[float, float]) -> None:
    path = collections(tmp_path)
    done = run(tmp_path, "rank", "--trec", path, *measure, "--method", "mean", "--no-intervals", "-f", "json", "-q")
    assert (done.returncode, done.stderr) == (0, "")
    board = json.loads(done.stdout)
    assert [(row["system"], row["score"]) for row in board["systems"]] == [
        ("good", values[0]),
        ("poor", pytest.approx(values[1], abs=1e-6)),
    ]
    assert any("that a run lacks score 0" in note for note in board["notes"])


@pytest.mark.parametrize("command", ["rank", "agree", "plan", "info"])
def test_every_command_takes_a_location_file(tmp_path: Path, command: str) -> None:
    for path in (collections(tmp_path), lines_of_scores(tmp_path)):
        done = run(tmp_path, command, "--trec", path)
        assert done.returncode == 0, done.stderr
        assert done.stdout


def test_tasks_systems_directions_and_weights(tmp_path: Path) -> None:
    path = collections(tmp_path)
    chosen = ("--tasks", "TREC*", "--lower", "TREC Covid", "--task-weights", "TREC Covid=2", "--tie-tolerance", "0.1")
    done = run_script(tmp_path, "info", "--trec", path, *chosen, "--systems", "poor", "-f", "json")
    assert done.returncode == 0, done.stderr
    (task,) = json.loads(done.stdout)["tasks"]
    assert (task["name"], task["higher_is_better"], task["weight"]) == ("TREC Covid", False, 2)


@pytest.mark.parametrize(
    ("line", "mentioned"),
    [
        (f"scores.csv {TREC}", "--trec data/config.yaml replaces the sources; leave out 'scores.csv' or --trec"),
        (f"{TREC} --system-column model", "--system-column is for tables, and --trec reads no table; leave it out"),
        (f"{TREC} --input-format csv", "--input-format is for tables, and --trec reads no table; leave it out"),
        (f"{TREC} --measure nDGC@10", "there is no measure 'nDGC'; did you mean 'nDCG'"),
        (f"{TREC} --tasks Covid", "there is no task 'Covid'"),
        ("--trec scores.yaml --measure RR", "scores.yaml lists scores, not runs"),
        ("--trec score.yaml", "there is no file 'score.yaml'; did you mean 'scores.yaml'"),
    ],
)
def test_location_files_that_make_no_sense(tmp_path: Path, line: str, mentioned: str) -> None:
    collections(tmp_path)
    lines_of_scores(tmp_path)
    wide(tmp_path)
    done = run(tmp_path, f"rank {line}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {mentioned}")


@pytest.mark.parametrize("name", ["config.yaml", "qrels", "good"])
def test_a_result_is_not_written_over_what_is_listed(tmp_path: Path, name: str) -> None:
    path = collections(tmp_path)
    before = (path.parent / name).read_text()
    done = run(tmp_path, "info", "--trec", path, "-f", "json", "-o", path.parent / name)
    assert done.returncode == 2
    assert f"{name} is read as input and would be overwritten" in done.stderr
    assert (path.parent / name).read_text() == before


UNDO = "each counts as one; if they are none: families=False (--family none)"


def named_alike(folder: Path) -> Path:
    names = ("MRPC-a", "MRPC-b", "RTE", "QNLI", "WNLI", "CoLA", "SST-2", "AX")
    rng = np.random.default_rng(1)
    rows = [f"{system},{','.join(f'{score:.3f}' for score in rng.uniform(0.5, 0.9, 8))}" for system in "ABCD"]
    path = folder / "scores.csv"
    path.write_text("\n".join([f"system,{','.join(names)}", *rows]) + "\n")
    return path


def notes(folder: Path, *words: str | Path) -> list[str]:
    done = run(folder, *words, "-f", "json")
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)["notes"]
    return found


@pytest.mark.parametrize("command", [("info",), ("compare", "--control", "A", "--treatment", "C")])
def test_families_are_guessed_said_and_undone(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = named_alike(tmp_path)
    guessed = notes(tmp_path, *command, path)
    said = notes(tmp_path, *command, path, "--family", "nli=RTE,QNLI", "--family", "MRPC=MRPC-*")
    assert [note for note in guessed if "famil" in note] == [f"families of tasks, by their names: MRPC (2), {UNDO}"]
    assert any(note.startswith("families of tasks: MRPC (2), nli (2)") for note in said)
    assert not any("famil" in note for note in notes(tmp_path, *command, path, "--family", "none"))


@pytest.mark.parametrize("command", ["rank", "pairwise", "agree", "stress", "plan"])
def test_every_command_takes_families(tmp_path: Path, command: str) -> None:
    more = ["--repeats", "20"] if command == "stress" else []
    done = run(tmp_path, command, named_alike(tmp_path), "--family", "nli=RTE,QNLI", "--family-weights", *more)
    assert done.returncode == 0, done.stderr


def test_weights_of_families(tmp_path: Path) -> None:
    done = run(tmp_path, "info", named_alike(tmp_path), "--family-weights", "-f", "json")
    tasks = json.loads(done.stdout)["tasks"]
    assert {task["name"]: task["weight"] for task in tasks if task["family"]} == {"MRPC-a": 0.5, "MRPC-b": 0.5}
    assert {task["weight"] for task in tasks if not task["family"]} == {1.0}


def test_a_column_of_families(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    rows = [f"{s},{t},{n + k}" for n, s in enumerate("AB") for k, t in enumerate(("u,x", "v,x", "w,y"))]
    path.write_text("system,task,set,score\n" + "\n".join(rows) + "\n")
    assert "families of tasks: x (2), each counts as one" in notes(tmp_path, "info", path, "--family-column", "set")[0]


def test_a_page_keeps_families_in_its_commands_and_says_weights_anew(tmp_path: Path) -> None:
    told = ["--family", "nli=RTE,QNLI", "--family-weights"]
    done = run(tmp_path, "page", named_alike(tmp_path), *told, "-o", "board.html")
    assert done.returncode == 0, done.stderr
    content = contents((tmp_path / "board.html").read_text("utf-8"))
    assert "--family nli=RTE,QNLI" in content["command"]
    assert "--family-weights" not in content["command"]
    assert content["python"]["scores"].endswith(".with_families({'nli': ['RTE', 'QNLI']})")


HEAD = "system,task,instance,passage,score\n"


def file(folder: Path) -> Path:
    rng = np.random.default_rng(1)
    hard = rng.normal(size=(2, 30))
    rows = [
        f"{system},{task},{task}{place},{task}-p{place // 5},{hard[number, place // 5] + rng.normal() + better / 9:.3f}"
        for better, system in enumerate("ABC")
        for number, task in enumerate(("rte", "sst2"))
        for place in range(150)
    ]
    path = folder / "scores.csv"
    path.write_text(HEAD + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(
    "command",
    [
        "rank",
        "pairwise",
        "plan --method mean",
        "compare --control A --treatment C",
        "agree --methods mean,borda",
        "info",
    ],
)
def test_every_command_takes_clusters(tmp_path: Path, command: str) -> None:
    file(tmp_path)
    done = run(tmp_path, f"{command} scores.csv --cluster-column passage -f json")
    assert done.returncode == 0, done.stderr
    without = run(tmp_path, f"{command} scores.csv -f json")
    notes = [note for note in json.loads(done.stdout)["notes"] if note not in json.loads(without.stdout)["notes"]]
    assert bool(notes) == (command.split(maxsplit=1)[0] not in {"agree", "info"})
    assert all("cluster" in note and len(note) <= 140 for note in notes)


def test_a_plan_counts_clusters(tmp_path: Path) -> None:
    done = run(tmp_path, "plan", file(tmp_path), "--cluster-column", "passage", "--method", "mean")
    assert "clusters needed" in done.stdout
    assert "clusters a task instead of 30" in done.stdout
    assert "note: there must be so many more clusters, as large as those there are" in done.stdout
