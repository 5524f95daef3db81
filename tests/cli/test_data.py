"""`podium convert`, `podium add` and `podium board`, and tables of difficulty."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

import podium
from golden.output.transcripts import TABLES
from podium.report.formats import FORMATS
from support.entry import run

TABLE = "system,rte,ter\nA,0.7,2\nB,0.6,\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "scores.csv").write_text(TABLE)
    return tmp_path


def converted(folder: Path, *typed: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "convert", *typed)


@pytest.mark.parametrize("ending", ["parquet", "feather", "csv", "jsonl.gz"])
def test_the_table_ranks_to_the_same_bytes(ending: str, folder: Path) -> None:
    assert converted(folder, "scores.csv", "--lower", "ter", "-o", f"long.{ending}").returncode == 0
    first = run(folder, "rank scores.csv --lower ter -f csv")
    second = run(folder, "rank", f"long.{ending}", "-f", "csv")
    assert first.returncode == second.returncode == 0
    assert first.stdout == second.stdout


@pytest.mark.parametrize("ending", ["parquet", "feather", "csv", "tsv.xz", "jsonl.gz"])
def test_a_file_that_is_there_is_replaced(ending: str, folder: Path) -> None:
    path = folder / f"long.{ending}"
    assert converted(folder, "scores.csv", "-o", path.name).returncode == 0
    whole = path.read_bytes()
    path.write_text("mine")
    assert converted(folder, "scores.csv", "-o", path.name).returncode == 0
    assert path.read_bytes() == whole


_COMMANDS = ("info", "log", "check", "compact")

BOARD_TABLE = "system,rte,ter\nA,0.7,2\nB,0.6,3\n"


@pytest.fixture
def boards(tmp_path: Path) -> Path:
    (tmp_path / "scores.csv").write_text(BOARD_TABLE)
    (tmp_path / "more.csv").write_text("system,rte,ter\nA,0.8,2\nC,0.5,4\n")
    assert run(tmp_path, "add board/ scores.csv --lower ter").returncode == 0
    return tmp_path


def test_a_board_ranks_like_the_table(boards: Path) -> None:
    board, table = (run(boards, "rank board/ -f json"), run(boards, "rank scores.csv --lower ter -f json"))
    ranked, again = json.loads(table.stdout), json.loads(board.stdout)
    assert ranked.pop("notes") == ["tasks: rte, ter", *again.pop("notes")]
    assert (board.returncode, again) == (0, ranked)
    for command in ("info", "agree", "pairwise", "compare"):
        more = ("--control", "A", "--all") if command == "compare" else ()
        assert run(boards, command, "board", *more).returncode == 0, command
    assert run(boards, "convert board -o x.csv").returncode == 0
    assert (boards / "x.csv").read_text().startswith("task,system,score,direction\nrte,A,0.7,higher\n")


@pytest.mark.parametrize("form", FORMATS)
def test_every_command_answers_in_every_format(boards: Path, form: str) -> None:
    for words in (("add", "board", "scores.csv", "--lower", "ter"), *(("board", name, "board") for name in _COMMANDS)):
        answer = run(boards, *words, "-f", form)
        assert (answer.returncode, bool(answer.stdout.strip())) == (0, True), words
        if form == "json":
            assert "kind" in json.loads(answer.stdout)


def test_conflicts_are_refused_or_settled(boards: Path) -> None:
    refused = run(boards, "add board more.csv --lower ter")
    assert refused.returncode == 2
    assert "task 'rte', system 'A' has 0.7 from version 0 (scores.csv)" in refused.stderr
    assert "(scores.csv), and 0.8 is added; nothing was added; say --on-conflict" in refused.stderr
    kept = run(boards, "add board more.csv --lower ter --on-conflict keep")
    assert "2 scores added, 1 there already, 1 kept as they were; board is at version 1" in kept.stdout
    replaced = run(boards, "add board more.csv --lower ter --on-conflict replace --run seven")
    assert "3 there already, 1 replaced; board is at version 2" in replaced.stdout
    log = json.loads(run(boards, "board log board -f json").stdout)
    assert [(row["version"], row["new"], row["replaced"], row["source"]) for row in log["rows"]] == [
        *((2, 0, 1, "more.csv"), (1, 2, 0, "more.csv"), (0, 4, 0, "scores.csv"))
    ]
    assert run(boards, "add board more.csv --on-conflict kept").returncode == 2


def test_versions_are_read_by_number_and_by_date(boards: Path) -> None:
    run(boards, "add board more.csv --lower ter --on-conflict keep")
    for when, systems in (("0", 2), ("1", 3), ("2999-01-01", 3)):
        answer = json.loads(run(boards, "rank", "board", "--as-of", when, "-f", "json").stdout)
        assert len(answer["systems"] if "systems" in answer else answer["rows"]) == systems
    early = run(boards, "rank board --as-of 2020-01-01")
    assert early.returncode == 2
    assert "has no version as old as 2020-01-01; the first is version 0 of 20" in early.stderr
    assert "is about a board" in run(boards, "rank scores.csv --as-of 0").stderr


def test_what_is_said_of_a_board(boards: Path) -> None:
    info = run(boards, "board info board").stdout
    assert "2 systems, 2 tasks, 4 rows" in info
    assert "lower" in info
    assert "board is sound" in run(boards, "board check board").stdout
    assert "1 file already" in run(boards, "board compact board").stdout
    next((boards / "board").glob("*.parquet")).write_bytes(b"PAR1")
    checked = run(boards, "board check board")
    assert checked.returncode == 2
    assert "error: board cannot be read: " in checked.stderr


def test_bad_input_is_explained(boards: Path) -> None:
    for typed, words in (
        (("add", ".", "more.csv"), "and is no board; name a new or an empty folder"),
        (("rank", "board", "--layout", "wide"), "--layout is about other files"),
        (("rank", "board", "scores.csv"), "is read by itself"),
        (("info", "board", "--formats"), "podium board info board shows a board"),
    ):
        done = run(boards, *typed)
        assert done.returncode == 2, typed
        assert words in done.stderr, typed


@pytest.mark.parametrize("source", ["res", "res/*", "res/**/*", "res/board/*.parquet"])
def test_a_board_among_files_is_left_out_and_named(boards: Path, source: str) -> None:
    (boards / "res").mkdir()
    (boards / "board").rename(boards / "res" / "board")
    alone = run(boards, "rank", source)
    assert alone.returncode == 2
    assert "res/board is a board or another Delta table, and is read by itself; name it alone" in alone.stderr
    (boards / "res" / "other.csv").write_text("system,rte\nX,0.1\nY,0.2\n")
    answer = run(boards, "rank", source, "-f", "json")
    if "board" in source:
        assert answer.returncode == 2
        return
    assert "Y" in answer.stdout
    assert '"A"' not in answer.stdout
    assert "res/board" in answer.stdout + answer.stderr
    if source == "res":
        assert "are read by themselves, so these are left out: res/board" in answer.stdout + answer.stderr


@pytest.mark.parametrize("name", ["100% sure", "C:/x", "a b#c?d", "ü n", "a%zz%"])
def test_a_board_may_have_any_name(boards: Path, name: str) -> None:
    for source in ("scores.csv", "more.csv"):
        added = run(boards, "add", name, source, "--lower", "ter", "--on-conflict", "keep")
        assert added.returncode == 0, added.stderr
    ranked = run(boards, "rank", name, "-f", "json")
    assert ranked.returncode == 0, ranked.stderr
    for typed in (("compact",), ("log",), ("check",), ("info", "--as-of", "0")):
        answer = run(boards, "board", typed[0], name, *typed[1:])
        assert answer.returncode == 0, answer.stderr
    assert run(boards, "rank", name, "-f", "json").stdout == ranked.stdout


def test_names_that_cannot_be_are_explained(boards: Path) -> None:
    odd = "\udcff.csv"
    (boards / odd).write_text(BOARD_TABLE)
    assert run(boards, "add", "other", odd).returncode == 0
    assert "\\\\udcff.csv" in run(boards, "board log other -f json").stdout
    (boards / "dangling").symlink_to("nowhere")
    (boards / "c%25").mkdir()
    (boards / "link").symlink_to("c%25")
    for typed, words in (
        (("add", "http://x/y", "scores.csv"), "no board can be at http://x/y; name a folder"),
        (("add", "\udcff", "scores.csv"), "is no text in UTF-8; choose another"),
        (("add", "x%20y", "scores.csv"), "/x%20y': Delta Lake takes %20 for another letter"),
        (("add", "link", "scores.csv"), "%25': Delta Lake takes %25 for another letter"),
        (("add", "dangling", "scores.csv"), "is a link to 'nowhere', which is not there; make that folder"),
        (("rank", "board", "--as-of", "20261001"), "a date is written 2026-10-01"),
        (("rank", "board", "--covariate-column", "x"), "board has no covariate; leave"),
    ):
        done = run(boards, *typed)
        assert done.returncode == 2, typed
        assert words in done.stderr, done.stderr


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_difficulties_are_read_back_as_they_were_made(tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"difficulty.{suffix}"
    done = run(tmp_path, "difficulty", "failures", TABLES / "long.csv", "-o", target)
    assert (done.returncode, done.stdout) == (0, "")
    back = podium.read_difficulty(target)
    assert back.measure().hard == "high"
    assert back.rows() == podium.failures(podium.read(TABLES / "long.csv")).rows()


def test_embeddings_come_from_files(tmp_path: Path) -> None:
    typed: list[str | Path] = []
    for role, name, option in (("test", "gold", "embeddings"), ("train", "train", "train-embeddings")):
        count = len((TABLES / f"{name}.csv").read_text("utf-8").splitlines()) - 1
        np.save(tmp_path / f"{name}.npy", np.random.default_rng(0).normal(size=(count, 4)))
        typed += [f"--{role}", TABLES / f"{name}.csv", f"--{option}", tmp_path / f"{name}.npy"]
    done = run(tmp_path, "difficulty", "similarity", *typed)
    assert "note: embeddings as given, of 4 dimensions" in done.stdout
