"""On a terminal: a drawn table that keeps names and numbers, and a bar for long work."""

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.base import file as writing
from podium.base.words import printable
from podium.cli.messages import Bar
from podium.report.formats import render
from podium.report.text import show, to_latex, to_markdown, to_text
from podium.report.view import Column, Table, View
from support.entry import run
from support.terminal import script_on_terminal


def test_a_terminal_gets_a_drawn_table(tmp_path: Path) -> None:
    text = script_on_terminal(tmp_path, 80, "rank", "dataset:xtreme-missing")
    assert "─" in text
    assert "\x1b[1m" in text
    assert "0.9841" in text


def _drawn(sheet: View, monkeypatch: pytest.MonkeyPatch, columns: int) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    file = io.StringIO()
    show(sheet, file)
    return file.getvalue()


def test_narrow_terminals_shorten_names_and_keep_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    label = "a very long label of a system with every setting in it"
    scores = podium.from_dict({label: {"t": 123456.75, "u": 2}, "[red]B": {"t": 0.25, "u": 1}})
    text = _drawn(podium.rank(scores, "mean", confidence=None).view(), monkeypatch, 42)
    assert "61729.3750" in text
    assert "2/2" in text
    assert "[red]B" in text, "a label is no markup"
    assert "a very l…g in it" in text
    assert max(map(len, text.splitlines())) <= 42


def test_plain_text_aligns_wide_letters_and_disarms_control_characters() -> None:
    columns = (
        Column("system", tuple(map(printable, ("日本", "e\u0301", "\x1b[2Jx", "a\nb")))),
        Column("score", ("1.0", "2.0", "3.0", "10.0"), right=True),
    )
    assert to_text(View("title", (Table(columns),))).splitlines()[2:] == [
        "system    score",
        "日本        1.0",
        "e\u0301           2.0",
        "\\x1b[2Jx    3.0",
        "a\\nb       10.0",
    ]


def test_scores_of_different_ranks_look_different() -> None:
    scores = podium.from_dict({"A": {"t": 0.700002, "u": 0.5}, "B": {"t": 0.7, "u": 0.5}, "C": {"t": 0.7, "u": 0.5}})
    text = render(podium.rank(scores, "mean", confidence=None))
    assert [line.split()[2] for line in text.splitlines()[3:6]] == ["0.600001", "0.600000", "0.600000"]


@pytest.mark.parametrize(
    ("scores", "texts"),
    [
        ([1234.5, 2.0], ["1234.5000", "2.0000"]),
        ([0.00123456, 0.001], ["0.001235", "0.001000"]),
        ([3.2e-9, 1e-9], ["3.200e-09", "1.000e-09"]),
        ([0.0, -0.5], ["0.0000", "-0.5000"]),
        ([1e15, 1e14], ["1.000e+15", "1.000e+14"]),
        ([0.5 + 1e-9, 0.5], ["0.5000", "0.5000"]),  # digits that would be more than anybody reads
    ],
)
def test_digits(scores: list[float], texts: list[str]) -> None:
    from podium.report.view import score_texts

    assert score_texts(scores, [1, 2]) == texts


def test_many_systems_are_described_by_what_they_miss() -> None:
    values = np.ones((60, 3))
    values[:20, 0] = np.nan
    values[20:25, 1] = np.nan
    arrays: dict[str, Any] = {f"t{task}": values[:, [task]] for task in range(3)}
    scores = podium.from_arrays(arrays, systems=[f"s{row}" for row in range(60)])
    lines = render(podium.describe(scores)).splitlines()
    counts = [line.split() for line in lines[-3:]]
    assert counts == [["35", "–"], ["20", "t0"], ["5", "t1"]]


def test_special_characters_are_escaped_in_documents() -> None:
    scores = podium.from_dict({"a_b|c*": {"t": 1.0, "u": 2.0}, "50% & $x^2$": {"t": 0.5, "u": 1.0}})
    ranking = podium.rank(scores, confidence=None)
    assert r"a\_b\|c\*" in to_markdown(ranking.view())
    latex = to_latex(ranking.view())
    assert r"50\% \& \$x\textasciicircum{}2\$" in latex


def test_names_are_no_option_of_latex_and_no_entity_of_markdown() -> None:
    columns = (Column("[head]", ("[1]", "*", "A [2]", "&amp;")), Column("note", ("[x]", "*", "*", "*")))
    view = View("title", (Table(columns),))
    rows = [line.removesuffix(r" \\") for line in to_latex(view).splitlines()]
    assert rows[3] == "{}[head] & note"
    assert rows[5:9] == ["{}[1] & [x]", "{}* & *", "A [2] & *", r"\&amp; & *"]
    assert r"| \&amp; |" in to_markdown(view)


def test_writing_follows_links_and_keeps_permissions(tmp_path: Path) -> None:
    target, link = tmp_path / "board.txt", tmp_path / "latest.txt"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    link.symlink_to(target)
    writing.write("new", link)
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "new"
    assert target.stat().st_mode & 0o777 == 0o640


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("quiet", "patience", "shown"), [(False, 0.0, True), (False, 60.0, False), (True, 0.0, False)])
def test_the_bar_appears_on_long_work_unless_quiet(
    monkeypatch: pytest.MonkeyPatch, quiet: bool, patience: float, shown: bool
) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("podium.cli.messages._PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    with Bar("reading", quiet=quiet) as bar:
        bar(1, None)
        bar(50, 100)
    assert ("reading" in terminal.getvalue()) is shown


def test_the_bar_leaves_standard_output_alone_and_keeps_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, output = _Terminal(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(sys, "stdout", output)
    monkeypatch.setattr("podium.cli.messages._PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    with Bar("reading") as bar:
        bar(50, 100)
        sys.stdout.write("the result\n")
        sys.stderr.write("a warning\n")
    assert output.getvalue() == "the result\n"
    assert "a warning\n" in terminal.getvalue()


def test_errors_are_wrapped_between_words_and_never_inside_what_is_typed(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("name,data,ImageNet\nViT,laion,70\nViT,openai,68\nB,laion,1\nB,openai,2\n")
    lines = script_on_terminal(tmp_path, 80, "rank", "scores.csv").splitlines()
    assert max(map(len, lines)) <= 80
    assert sum("(--system-column name,data)" in line for line in lines) == 1
    assert run(tmp_path, "rank", "scores.csv").stderr.count("\n") < len(lines)
