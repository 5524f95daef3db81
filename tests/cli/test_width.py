"""On a terminal of any width: names stay, nothing is wider than the terminal, and what is left out is said."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

import podium
from podium.cli.app import app
from podium.errors import InputError, PodiumError
from podium.report import text
from podium.report.view import Table, View, width_of
from support.entry import run
from support.terminal import STYLE, on_terminal, podium_on_terminal

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
    show = text.show

    def noting(view: View, *rest: Any, **more: Any) -> None:
        views.append(view)
        show(view, *rest, **more)

    monkeypatch.setattr(text, "show", noting)
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
        fits(on_terminal(width, lambda: text.show(shown[0])), shown[0], width)


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
            for name in column.cells:
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


@pytest.mark.parametrize("format_", ["table", "markdown", "latex", "html"])
def test_the_first_rows_and_some_columns(folder: Path, format_: str) -> None:
    out = run(folder, "rank", "scores.csv", "--top", "2", "--columns", "rank,score", "-f", format_).stdout
    ranking = run(folder, "rank", "scores.csv", "-f", "csv").stdout.splitlines()[1:]
    names = [line.split(",")[0].replace("_", "\\_") for line in ranking]
    assert [name in out for name in names] == [True, True, False, False, False]
    assert "3 more" in out
    assert "tier" not in out.partition("score")[0]


def test_the_summary_stays_below_the_first_tasks(folder: Path) -> None:
    out = run(folder, *shlex.split(COMMANDS["compare"]), "--top", "3").stdout.split("\n\n")[2]
    assert [line.split("  ")[0] for line in out.splitlines()[1:]] == [*TASKS[:3], "… 4 more", "summary"]


def test_more_systems_than_agree_shows_by_itself(tmp_path: Path) -> None:
    rows = [f"s{row:02},{row},{(row * 7) % 30},{(row * 11) % 30}" for row in range(30)]
    (tmp_path / "scores.csv").write_text("\n".join(["system,a,b,c", *rows]))
    for top, there, more in [((), 10, "… 20 more"), (("--top", "25"), 25, "… 5 more"), (("--top", "30"), 30, "")]:
        out = run(tmp_path, "agree", "scores.csv", *top).stdout
        assert len(re.findall(r"^s\d\d ", out, re.MULTILINE)) == there
        assert more in out


@pytest.mark.parametrize("command", ["rank", "plan", "customize", "stress"])
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
