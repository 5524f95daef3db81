"""Bad input: a plain message on standard error, exit code 2, no traceback, and nothing on standard output."""

from pathlib import Path

import pytest

from support.entry import WIDE, run, run_script

pytestmark = pytest.mark.core

LONG = "system,task,instance,score\n"

# name: (content of scores.csv, arguments, what the message must mention)
CASES: dict[str, tuple[bytes, tuple[str, ...], tuple[str, ...]]] = {
    "empty file": (b"", (), ("empty",)),
    "header only": (b"system,rte,sst2\n", (), ("scores.csv",)),
    "not UTF-8": (b"system,rte,sst2\nA\xff,1,2\nB,1,2\n", (), ("UTF-8",)),
    "ragged rows": (b"system,rte,sst2\nA,1,2\nB,1,2,3\n", (), ("3",)),
    "unknown column": (WIDE.encode(), ("--system-column", "modle"), ("modle", "rte")),
    "duplicates": (f"{LONG}A,t,1,0.5\nB,t,1,0.5\nA,t,1,0.6\n".encode(), (), ("'A'", "'t'", "line 4")),
    "text for a score": (b"system,rte,sst2\nA,1,2\nB,1,oops\n", (), ("oops", "3")),
    "infinity": (b"system,rte,sst2\nA,1,inf\nB,1,2\n", (), ("inf",)),
    "unconnected tasks": (b"system,rte,sst2\nA,1,\nB,,2\n", (), ("two tasks",)),
    "one system": (b"system,rte,sst2\nA,1,2\n", (), ("one system",)),
    "unknown task in --lower": (WIDE.encode(), ("--lower", "rtee"), ("'rtee'", "'rte'")),
    "unknown task in --task-weights": (WIDE.encode(), ("--task-weights", "sst=2"), ("'sst'", "'sst2'")),
    "malformed --task-weights": (WIDE.encode(), ("--task-weights", "rte"), ("TASK=WEIGHT",)),
    "negative weight": (WIDE.encode(), ("--task-weights", "rte=-1"), ("negative",)),
    "weights all zero": (WIDE.encode(), ("--task-weights", "*=0"), ("zero",)),
    "only a task without weight has scores": (
        b"system,task,score\nA,rte,1\nB,rte,2\nA,sst2,\nB,sst2,\n",
        ("--task-weights", "rte=0"),
        ("weight 0 (rte)", "give weight"),
    ),
    "unknown system": (WIDE.encode(), ("--systems", "D"), ("'D'",)),
    "negative tolerance": (WIDE.encode(), ("--tie-tolerance", "-1"), ("tolerance",)),
    "level without levels": (WIDE.encode(), ("--method", "mean", "--level", "two"), ("'mean'", "borda")),
    "output in no folder": (WIDE.encode(), ("-o", "no/board.json"), ("no/board.json",)),
    "output is a file and no folder": (WIDE.encode(), ("-o", "scores.csv/"), ("scores.csv", "folder")),
    "output of unknown format": (WIDE.encode(), ("-o", "board.docx"), (".docx", ".json")),
}


def _assert_refused(code: int, out: str, err: str, mentioned: tuple[str, ...]) -> None:
    assert code == 2, err
    assert out == ""
    assert "Traceback" not in err
    warnings, found, message = err.rpartition("error: ")
    assert found
    assert all(line.startswith("warning: ") for line in warnings.splitlines())
    assert [word for word in mentioned if word not in message] == []


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_refused_in_plain_words(tmp_path: Path, name: str) -> None:
    content, arguments, mentioned = CASES[name]
    (tmp_path / "scores.csv").write_bytes(content)
    done = run(tmp_path, "rank", "scores.csv", *arguments)
    _assert_refused(done.returncode, done.stdout, done.stderr, mentioned)


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


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text(WIDE, encoding="utf-8-sig")
    done = run(tmp_path, "rank", "scores.csv", "--lower", "ter")
    assert done.returncode == 0
    assert done.stderr == ""


def test_the_output_is_checked_before_the_input_is_read(tmp_path: Path) -> None:
    done = run_script(tmp_path, "rank", "nowhere.csv", "-o", "no/board.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no/board.json" in done.stderr
    assert "nowhere.csv" not in done.stderr


def test_a_file_that_is_there_survives_a_failure(tmp_path: Path) -> None:
    board = run(tmp_path, "rank", "dataset:toy-table1", "-o", "board.json")
    before = (tmp_path / "board.json").read_bytes()
    done = run(tmp_path, "rank", "nowhere.csv", "-o", "board.json")
    assert (board.returncode, done.returncode) == (0, 2)
    assert "nowhere.csv" in done.stderr
    assert (tmp_path / "board.json").read_bytes() == before


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
        assert run(tmp_path, "rank", ".", "-q", "-o", "board.txt").returncode == 0


def test_examples_in_an_error_stand_on_lines_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "twice.csv").write_text("system,task,score\nA,x,1\nA,x,2\nB,x,1\n")
    done = run(tmp_path, "rank", "twice.csv")
    first, example, advice = done.stderr.splitlines()
    assert first == "error: 1 score contradicts an earlier score:"
    assert example == "  task 'x', system 'A': 1 (twice.csv, line 2) and 2 (twice.csv, line 3)"
    assert advice.startswith("keep one score of each pair")
    kept = run(tmp_path, "rank", "twice.csv", "--keep-first", "--no-intervals")
    assert kept.returncode == 0
    assert "1 row contradicts an earlier score and was left out" in kept.stdout


def test_several_columns_name_a_task_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "parts.csv").write_text('system,task,"sp,lit",score\nA,x,dev,1\nA,x,test,2\nB,x,dev,1\nB,x,test,3\n')
    done = run(tmp_path, "rank", "parts.csv", "--task-column", r"task,sp\,lit", "--no-intervals", "--format", "csv")
    assert done.returncode == 0
    assert "tasks are named task:sp,lit" in done.stderr
