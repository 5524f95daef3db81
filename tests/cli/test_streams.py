"""Standard input, output and error: closed, read twice, given up by their reader, and safe to look at."""

import subprocess
from pathlib import Path

import pytest

from support.entry import SCRIPT, run
from support.terminal import podium_on_terminal


def shell(folder: Path, command: str) -> tuple[str, str]:
    """Run a line of Bash in a folder; `podium` is the installed script."""
    line = command.replace("podium", f"'{SCRIPT}'", 1)
    done = subprocess.run(["/bin/bash", "-c", line], capture_output=True, text=True, check=False, cwd=folder)
    return done.stdout, done.stderr


@pytest.mark.parametrize("command", ["--help", "rank --help", "datasets"])
def test_a_reader_that_stops_early_is_no_error(tmp_path: Path, command: str) -> None:
    assert shell(tmp_path, f"podium {command} | true; echo ${{PIPESTATUS[0]}}") == ("0\n", "")


@pytest.mark.parametrize("command", ["rank dataset:toy-table1", "rank dataset:toy-table1 -f parquet", "datasets"])
def test_standard_output_that_is_closed_is_said(tmp_path: Path, command: str) -> None:
    _, said = shell(tmp_path, f"podium {command} >&-; echo $? >&2")
    assert said == "error: standard output is closed; redirect it into a file\n2\n"


def test_a_file_needs_no_standard_output(tmp_path: Path) -> None:
    assert shell(tmp_path, "podium rank dataset:toy-table1 -o board.csv -q >&-; echo $? >&2") == ("", "0\n")
    assert (tmp_path / "board.csv").read_text().startswith("system,rank")


def test_the_exit_code_does_not_depend_on_standard_error(tmp_path: Path) -> None:
    assert shell(tmp_path, "podium rank nowhere.csv 2>&-; echo $?") == ("2\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
def test_the_exit_code_does_not_depend_on_a_full_standard_error(tmp_path: Path) -> None:
    assert shell(tmp_path, "podium rank nowhere.csv 2>/dev/full; echo $?") == ("2\n", "")
    out, _ = shell(tmp_path, "podium agree dataset:toy-table1 -f csv 2>/dev/full; echo $?")
    assert out.endswith("\n0\n"), "notes are said there"


def test_standard_input_that_is_closed_is_said(tmp_path: Path) -> None:
    _, said = shell(tmp_path, "podium rank - <&-; echo $? >&2")
    assert said == "error: standard input (-) is closed; name a file, or pipe one in\n2\n"


@pytest.mark.parametrize("format_", ["table", "csv", "json", "jsonl", "markdown", "latex", "html"])
def test_no_format_steers_the_terminal(tmp_path: Path, format_: str) -> None:
    (tmp_path / "odd.csv").write_text("system,t,u\n\x1b]0;owned\x07,1,2\n\x9b2J,0,1\n", encoding="utf-8")
    shown = podium_on_terminal(tmp_path, 80, "rank", "odd.csv", "-f", format_, "-q")
    assert not {"\x07", "\x9b"} & set(shown)
    assert "\x1b]" not in shown
    assert "owned" in shown


def test_names_do_not_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text('system,t,u,v\n"\x1b[31mred\nC",1,2,3\nB\u202e,0,1,\n', encoding="utf-8")
    noted = run(tmp_path, "agree", "odd.csv", "-f", "csv")
    assert noted.returncode == 0
    assert r"\x1b[31mred\nC" in noted.stderr
    assert not {"\x1b", "\u202e"} & set(noted.stderr)
    assert all(line.startswith(("note: ", "warning: ")) for line in noted.stderr.splitlines())
    (tmp_path / "text.csv").write_text('system,"a\r\nb",c,d\nA,x,y,1\nB,1,2,3\n', encoding="utf-8")
    hinted = run(tmp_path, "rank", "text.csv")
    assert r"--tasks '!a\r\nb,!c'" in hinted.stderr
    assert len(hinted.stderr.splitlines()) == 1
    (tmp_path / "two\nlines.csv").write_text("system\n", encoding="utf-8")
    broken = run(tmp_path, "rank", "two\nlines.csv")
    assert broken.stderr.startswith(r"error: two\nlines.csv: ")
    misused = run(tmp_path, "datasets", "a\nb")
    assert len(misused.stderr.splitlines()) == 1
    refused = run(tmp_path, "rank", "\x1b[31m.csv")
    assert refused.stderr.startswith("error: ")
    assert "\x1b" not in refused.stderr
