"""On a terminal of any width, in pipes and closed streams."""

import io
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
import pytest

import podium
from podium.base import file as writing
from podium.base.progress import Bar
from podium.base.words import printable
from podium.cli.app import app
from podium.errors import InputError, PodiumError
from podium.report import text as terminal
from podium.report.formats import render
from podium.report.text import show, to_latex, to_markdown, to_text
from podium.report.view import Column, Table, View, width_of
from support.entry import SCRIPT, run
from support.terminal import STYLE, on_terminal, podium_on_terminal, script_on_terminal


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
    text = _drawn(podium.rank(scores, "mean", confidence_level=None).view(), monkeypatch, 42)
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
    text = render(podium.rank(scores, "mean", confidence_level=None))
    assert [line.split()[2] for line in text.splitlines()[5:8]] == ["0.600001", "0.600000", "0.600000"]


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
    lines = render(podium.info(scores)).splitlines()
    counts = [line.split() for line in lines[-3:]]
    assert counts == [["35", "–"], ["20", "t0"], ["5", "t1"]]


def test_special_characters_are_escaped_in_documents() -> None:
    scores = podium.from_dict({"a_b|c*": {"t": 1.0, "u": 2.0}, "50% & $x^2$": {"t": 0.5, "u": 1.0}})
    ranking = podium.rank(scores, confidence_level=None)
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
    monkeypatch.setattr("podium.base.progress._PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    with Bar("reading", quiet=quiet) as bar:
        bar(1, None)
        bar(50, 100)
    assert ("reading" in terminal.getvalue()) is shown


def test_a_pipe_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("podium.base.progress._SELDOM", 0.05)
    for quiet in (False, True):
        with Bar("counting", quiet=quiet) as bar:
            bar(1, 4)
            time.sleep(0.3)
        time.sleep(0.1)
        lines = capsys.readouterr().err.splitlines()
        assert all(line.startswith("counting: 25%, 0 s so far") for line in lines)
        assert bool(lines) is not quiet


def test_at_a_prompt_long_work_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("podium.base.progress._SELDOM", 0.02)
    own: list[int] = []
    for prompt, progress, said in (
        (False, None, False),
        (True, None, True),
        (True, lambda done, _: own.append(done), False),
    ):
        if prompt:
            monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
        podium.stress(
            podium.datasets.demo(), only="instances", repeats=20, n_jobs=1, leave_out=False, progress=progress
        )
        assert ("stress: " in capsys.readouterr().err) is said
    assert own


def test_the_bar_says_once_where_dask_shows_its_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("podium.base.progress._PATIENCE", 0.0)
    monkeypatch.setattr("podium.base.progress._links", set())
    cluster = SimpleNamespace(client=SimpleNamespace(dashboard_link="http://127.0.0.1:8787/status"))
    monkeypatch.setattr("podium.base.cluster.in_force", lambda: cluster)
    for label in ("reading", "counting"):
        with Bar(label) as bar:
            bar(50, 100)
    assert terminal.getvalue().count("note: Dask shows what workers do at http://127.0.0.1:8787/status") == 1


def test_the_bar_leaves_standard_output_alone_and_keeps_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, output = _Terminal(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(sys, "stdout", output)
    monkeypatch.setattr("podium.base.progress._PATIENCE", 0.0)
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
    assert sum("--system-column name,data" in line for line in lines) == 1
    assert run(tmp_path, "rank scores.csv").stderr.count("\n") < len(lines)
    assert script_on_terminal(tmp_path, 1, "rank", "nowhere.csv").startswith("error: there")


WIDTHS = (60, 80, 100, 120, 200)

SYSTEMS = (
    "organisation/llama-3-8b-instruct-q4",
    "organisation/llama-3-70b-instruct-q4",
    "a laboratory with spaces/model one",
    "日本の研究所/言語モデル一号機のとても長い名前",
    "gpt-x",
)

TASKS = (
    "Microsoft Research Paraphrase Corpus",
    "Recognising Textual Entailment",
    "sst2",
    "wnli",
    "qnli",
    "cola",
    "Stanford QA",
)

COMMANDS = {
    "rank": "rank scores.csv",
    "pairwise": "pairwise scores.csv",
    "agree": "agree scores.csv",
    "plan": "plan holes.csv",
    "allocate": "allocate holes.csv --budget 9",
    "info": "info scores.csv",
    "datasets": "datasets",
    "compare": f"compare scores.csv --control '{SYSTEMS[0]}' --treatment '{SYSTEMS[1]}'",
    "compare all": f"compare scores.csv --control '{SYSTEMS[0]}' --all",
    "pool": "pool effects.csv",
    "customize": "customize scores.csv --difficulty failures",
    "stress": "stress scores.csv --repeats 1 --jobs 1",
    "failures": "difficulty failures scores.csv",
    "irt": "difficulty irt scores.csv --explain",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables whose names are long, with and without holes."""
    place, chance = tmp_path_factory.mktemp("wide"), np.random.default_rng(0)
    rows = [
        f"{system},{task},question number {number} of {task},{int(chance.random() < 0.85 - 0.15 * better)}"
        for task in TASKS
        for number in range(12)
        for better, system in enumerate(SYSTEMS)
    ]
    (place / "scores.csv").write_text("\n".join(["system,task,instance,score", *rows]), encoding="utf-8")
    cells = [f"{system},{task},{chance.random():.3f}" for system in SYSTEMS for task in TASKS if chance.random() < 0.7]
    (place / "holes.csv").write_text("\n".join(["system,task,score", *cells]), encoding="utf-8")
    effects = [f"{task},{chance.random():.3f},0.01" for task in TASKS]
    (place / "effects.csv").write_text("\n".join(["task,effect,variance", *effects]), encoding="utf-8")
    return place


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[View]:
    """Every view that is shown on a terminal."""
    views: list[View] = []
    show = terminal.show

    def noting(view: View, *rest: Any, **more: Any) -> None:
        views.append(view)
        show(view, *rest, **more)

    monkeypatch.setattr(terminal, "show", noting)
    return views


def in_sight(name: str, text: str) -> bool:
    """Whether a name is there, whole or without its middle."""
    if name in text:
        return True
    cuts = [match.start() for match in re.finditer("…", text)]
    return any(
        text[:cut].endswith(name[:before]) and text[cut + 1 :].startswith(name[-after:])
        for cut in cuts
        for before in range(1, len(name))
        for after in range(1, len(name) - before)
    )


def parts(lines: list[str]) -> Iterator[tuple[list[str], list[str], str]]:
    """Headings, rows, and what is said below, of every table."""
    blocks = "\n".join(lines).split("\n\n")
    for block in blocks:
        above, rule, below = (
            re.split(r"^(─+)$", block, maxsplit=1, flags=re.MULTILINE) if "\n─" in block else ("", "", "")
        )
        if rule:
            rows, _, said = below.strip("\n").partition("\nnot shown: ")
            yield above.splitlines(), rows.splitlines(), " ".join(said.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_fits(folder: Path, shown: list[View], command: str) -> None:
    first, *wider = WIDTHS
    fits(podium_on_terminal(folder, first, *shlex.split(COMMANDS[command])), shown[0], first)
    for width in wider:
        fits(on_terminal(width, lambda: terminal.show(shown[0])), shown[0], width)


def fits(text: str, view: View, width: int) -> None:
    lines = [line.rstrip() for line in STYLE.sub("", text).splitlines()]
    assert max(map(width_of, lines)) <= width
    drawn = list(parts(lines))
    assert len(drawn) == len(view.tables)
    for table, (headings, rows, said) in zip(view.tables, drawn, strict=True):
        keeps_names(table, "\n".join(rows))
        says_what_is_left_out(table, headings, said)


def keeps_names(table: Table, rows: str) -> None:
    for column in table.columns:
        if column.label:
            for name in column.cells[:20]:
                assert in_sight(name, rows), name


def says_what_is_left_out(table: Table, headings: list[str], said: str) -> None:
    """Every heading stands above the table, in whole words, or is named below it."""
    there = " ".join(headings).split()
    words = {word for name in table.choice for word in name.split()}
    assert all(word in words or "…" in word for word in there)
    for column in table.columns:
        assert (
            column.name in said
            or set(column.name.split()) <= set(there)
            or (column.named and in_sight(column.name, "\n".join([*headings, said])))
            or re.search(r"and \d+ more \(", said)
        ), column.name
    assert not said or said.endswith("(--wide shows all; --columns A,B chooses)")


def test_wide_shows_everything_and_whole_names(folder: Path) -> None:
    text = podium_on_terminal(folder, 60, *shlex.split(COMMANDS["compare"]), "--wide")
    assert all(name in text for name in (*SYSTEMS[:2], *TASKS, "McNemar", "without"))
    assert "not shown" not in text
    assert "…" not in text
    assert max(map(len, STYLE.sub("", text).splitlines())) > 120


def test_a_long_table_leaves_the_sentence_on_the_screen(tmp_path: Path) -> None:
    rows = "".join(f"s{row:02},{row},{row % 7}\n" for row in range(50))
    (tmp_path / "long.csv").write_text(f"system,t,u\n{rows}", encoding="utf-8")

    def shown(more: str = "") -> tuple[int, str]:
        text = STYLE.sub("", podium_on_terminal(tmp_path, 80, "rank", "long.csv", "--no-intervals", *more.split()))
        return len(re.findall(r"^ +\d+ +s\d\d ", text, flags=re.MULTILINE)), text

    assert shown()[0] == 20
    assert "… 30 more" in shown()[1]
    assert "--top 50 shows all rows" in shown()[1]
    assert [shown(more)[0] for more in ("--top 30", "--top 50", "--wide")] == [30, 50, 50]
    assert run(tmp_path, "rank long.csv --no-intervals").stdout.count("\n") > 50


def test_a_pipe_gets_everything(folder: Path) -> None:
    out = run(folder, *shlex.split(COMMANDS["compare"])).stdout
    assert all(name in out for name in (*SYSTEMS[:2], *TASKS, "McNemar p", "without"))
    assert not set("…├●┤┊─\x1b") & set(out)
    assert run(folder, *shlex.split(COMMANDS["compare"]), "--wide").stdout == out


def test_tiers_and_intervals_are_drawn_where_there_is_room(folder: Path) -> None:
    wide, narrow = (podium_on_terminal(folder, width, "rank", "scores.csv") for width in (120, 60))
    assert "├" in wide
    assert "├" not in narrow
    assert "\x1b[36m" in wide, "every other tier has a colour"
    assert "\x1b[36m" not in podium_on_terminal(folder, 120, "rank", "scores.csv", NO_COLOR="1")


def test_a_column_that_is_no_task_either_is_refused_before_systems_are_ranked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = shlex.split(COMMANDS["rank"])
    for name in (name for table in podium_view(folder, monkeypatch, *typed).tables for name in table.choice):
        assert run(folder, *typed, "--columns", name.replace(",", r"\,")).returncode == 0
    monkeypatch.setattr("podium.rank", None)
    assert "there is no column 'scroe'; did you mean 'score'" in run(folder, *typed, "--columns", "scroe,lead").stderr


@pytest.mark.parametrize("command", ["plan", "customize", "stress"])
def test_a_column_that_no_table_has_is_refused_before_the_work(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    typed = shlex.split(COMMANDS[command])
    every = {name for table in podium_view(folder, monkeypatch, *typed).tables for name in table.choice}
    for name in every:
        assert headings(folder, monkeypatch, *typed, "--columns", name.replace(",", r"\,")) == "read"
    assert "there is no column 'scroe'; " in headings(folder, monkeypatch, *typed, "--columns", "scroe,lead")


def podium_view(folder: Path, monkeypatch: pytest.MonkeyPatch, *typed: str) -> View:
    """What a command would show."""
    views: list[View] = []
    monkeypatch.setattr("podium.cli.output.print_view", lambda view, *_, **__: views.append(view))
    monkeypatch.chdir(folder)
    app.main([*typed, "-q"], prog_name="podium", standalone_mode=False)
    return views[0]


def headings(folder: Path, monkeypatch: pytest.MonkeyPatch, *typed: str) -> str:
    """What a command that may not read its table says: "read" where it is about to."""

    def read(*_: Any, **__: Any) -> NoReturn:
        raise InputError("read")

    monkeypatch.setattr(podium, "read", read)
    monkeypatch.chdir(folder)
    with pytest.raises(PodiumError) as caught:
        app.main([*typed, "-q"], prog_name="podium", standalone_mode=False)
    return str(caught.value)


def test_what_a_table_is_read_for_is_left_out_last(folder: Path) -> None:
    closest = podium_on_terminal(folder, 60, "pairwise", "scores.csv")
    assert any("separated" in line and "not shown" not in line for line in closest.splitlines())
    (folder / "runs.csv").write_text(
        "system,task,instance,seed,score\n"
        + "".join(
            f"{s},t{t},{i},{r},{(s * i + r + t) % 3}\n"
            for s in (1, 2)
            for t in (1, 2)
            for i in range(8)
            for r in (1, 2)
        )
    )
    described = podium_on_terminal(folder, 80, "info", "runs.csv", "--repeat-column", "seed")
    assert "repeats" in described.partition("not shown:")[0]


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
    noted = run(tmp_path, "agree odd.csv -f csv")
    assert noted.returncode == 0
    assert r"\x1b[31mred\nC" in noted.stderr
    assert not {"\x1b", "\u202e"} & set(noted.stderr)
    assert all(line.startswith(("note: ", "warning: ")) for line in noted.stderr.splitlines())
    (tmp_path / "text.csv").write_text('system,"a\r\nb",c,d\nA,x,y,1\nB,1,2,3\n', encoding="utf-8")
    hinted = run(tmp_path, "rank text.csv")
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
