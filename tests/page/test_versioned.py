"""What a page says of a history is what `podium.history` found."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import podium
from podium.errors import InputError
from podium.score.table import Scores
from support.bundle import contents, unpacked
from support.entry import run


def version(seed: int, systems: str, gain: float = 0.0, tasks: str = "xy") -> Scores:
    """A table in which D is last, unless it gains."""
    rng = np.random.default_rng(seed)
    drawn = {task: rng.normal(size=(6, 60)) for task in "xyz"}
    rows = ["ABCDEF".index(system) for system in systems]
    levels = [gain - 3.0 if system == "D" else -float(row) for system, row in zip(systems, rows, strict=True)]
    values = {task: drawn[task][rows] + np.array(levels)[:, None] for task in tasks}
    labels = {task: [f"{task}{number}" for number in range(60)] for task in tasks}
    return podium.from_arrays(values, systems=list(systems), instances=labels)


@pytest.fixture(scope="module")
def steps() -> dict[str, Scores]:
    """Three versions: one in which D gains, and one in which F comes with a task and C is gone."""
    return {"May": version(3, "ABCD"), "June": version(3, "ABCD", gain=6.0), "July": version(3, "ABDF", 6.0, "xyz")}


def test_it_holds_the_ranks_intervals_and_marks_of_every_step(steps: dict[str, Scores]) -> None:
    found = podium.history(steps, replicates=200)
    commands = {"history": "podium history b/"}
    made = podium.make_page(steps["July"], replicates=40, history=found, commands=commands)
    content, arrays = unpacked(made.data)
    told = content["history"]
    assert told["command"] == "podium history b/"
    assert told["systems"] == list(found.systems)
    assert sorted(told["systems"]) == list("ABCDF")
    rows = {(row["step"], row["system"]): row for row in found.rows()}
    for at, step in enumerate(told["steps"]):
        assert step["label"] == list(steps)[at]
        for column, system in enumerate(told["systems"]):
            row = rows.get((step["label"], system))
            held = [int(arrays[f"history {name}"][at, column]) for name in ("ranks", "low", "high")]
            assert held == ([0, 0, 0] if row is None else [row["rank"], row["rank_low"], row["rank_high"]])
    named = [
        {name: [told["systems"][one] for one in step[name]] for name in ("entered", "left", "overtook")}
        for step in told["steps"]
    ]
    assert named == [
        {"entered": [], "left": [], "overtook": []},
        {"entered": [], "left": [], "overtook": ["D"]},
        {"entered": ["F"], "left": ["C"], "overtook": []},
    ]


def test_its_words_are_those_of_the_history(steps: dict[str, Scores]) -> None:
    found = podium.history(steps, replicates=200)
    made = podium.make_page(steps["July"], replicates=40, history=found)
    told, view = unpacked(made.data)[0]["history"], found.view()
    assert told["title"] == "borda, balanced: 3 steps, 5 systems"
    for name in ("verdict", "notes", "explain"):
        assert told[name] == list(getattr(view, name))
    for table, shown in zip(told["tables"], view.tables, strict=True):
        assert [column["name"] for column in table["head"]] == list(shown.head)
        assert table["rows"] == [list(row) for row in shown.rows]
    assert made.holds.endswith(" no texts, no gold answers; ranks of 5 systems in 3 steps")


def test_all_steps_are_told_where_the_terminal_shows_the_last() -> None:
    tables = {f"version {at}": version(at, "ABCD") for at in range(16)}
    found = podium.history(tables, confidence=None)
    made = podium.make_page(tables["version 15"], replicates=40, history=found)
    content, arrays = unpacked(made.data)
    assert len(content["history"]["tables"][1]["rows"]) > len(found.view().tables[1].rows)
    assert content["history"]["confidence"] is None
    assert {name for name in arrays if name.startswith("history")} == {"history ranks"}


def test_many_systems_have_wider_numbers() -> None:
    values = {"t": np.random.default_rng(1).normal(size=(300, 3))}
    found = podium.history({"a": podium.from_arrays(values), "b": podium.from_arrays(values)}, confidence=None)
    made = podium.make_page(podium.from_arrays(values), replicates=40, history=found)
    ranks = unpacked(made.data)[1]["history ranks"]
    assert ranks[0].tolist() == found.steps[0].ranking.rank.tolist()
    assert ranks.max() > 255


def test_without_it_a_page_holds_nothing_of_it(steps: dict[str, Scores]) -> None:
    made = podium.make_page(steps["May"], replicates=40)
    assert "history" not in unpacked(made.data)[0]
    assert made.holds.endswith(" no texts, no gold answers")


def test_what_is_no_history_that_ends_with_this_table_is_refused(steps: dict[str, Scores]) -> None:
    found = podium.history(steps, confidence=None)
    with pytest.raises(InputError, match="the last step of the history has other systems than the table"):
        podium.make_page(steps["May"], history=found)
    with pytest.raises(InputError, match=r"expected a History, not bool; make it with podium\.history"):
        podium.make_page(steps["May"], history=True)  # type: ignore[arg-type]
    last = steps[list(steps)[-1]]
    with pytest.raises(InputError, match="the last step of the history has other tasks than the table"):
        podium.make_page(last.select(tasks=last.task_names[:1]), history=found)
    podium.make_page(steps["May"], replicates=40, history=replace(found, steps=found.steps[:1]))


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory, steps: dict[str, Scores]) -> Path:
    """A folder with a board of four versions: one system, four, a gain, and a new system."""
    folder = tmp_path_factory.mktemp("boarded")
    podium.add(folder / "b", steps["May"].select(systems=["A"]))
    podium.add(folder / "b", steps["May"])
    podium.add(folder / "b", steps["June"], on_conflict="replace")
    podium.add(folder / "b", steps["July"], on_conflict="replace")
    return folder


def test_versions_of_a_board_are_steps_as_the_command_on_the_page_prints_them(board: Path) -> None:
    done = run(board, "page", "b", "--history", "--confidence", "0.9", "--seed=3", "--replicates", "40")
    assert done.returncode == 0, done.stderr
    assert "ranks of 5 systems in 3 steps" in done.stderr
    content = contents((board / "board.html").read_text("utf-8"))
    told = content["history"]
    assert told["command"] == "podium history b --confidence 0.9 --seed=3"
    assert content["command"] == "podium rank b --confidence 0.9 --seed=3 --replicates 40"
    assert content["python"]["history"] == "history = podium.history('b', confidence=0.9, seed=3)"
    found = podium.history(board / "b", confidence=0.9, seed=3)
    assert [step["label"] for step in told["steps"]] == ["version 1", "version 2", "version 3"]
    assert (told["verdict"], told["notes"]) == (list(found.view().verdict), list(found.view().notes))
    assert told["notes"][0].startswith("before version 1 there were fewer than two systems")
    assert told["tables"][0]["rows"] == [list(row) for row in found.view().tables[0].rows]


def test_as_of_and_options_of_reading_hold_for_every_step(board: Path) -> None:
    done = run(board, "page", "b", "--history", "--as-of", "2", "--tasks", "x", "-q", "--replicates=40")
    assert done.returncode == 0, done.stderr
    content = contents((board / "board.html").read_text("utf-8"))
    told = content["history"]
    assert told["command"] == "podium history b --as-of 2 --tasks x"
    assert "history" not in content["python"]
    tables = {f"version {number}": podium.read(board / "b", as_of=number, tasks=["x"]) for number in (1, 2)}
    found = podium.history(tables)
    assert told["verdict"] == list(found.view().verdict)
    printed = run(board, "history", "b", "--as-of", "2", "--tasks", "x")
    assert printed.stdout.splitlines()[0] == told["title"] == found.title
    assert f"• {told['verdict'][0]}" in printed.stdout


def test_large_tables_have_no_intervals_and_it_says_so(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.cli.rank._QUICK", 1)
    done = run(board, "page", "b", "--history", "--replicates=40")
    assert "the history has no intervals, because they take long" in done.stderr
    content = contents((board / "board.html").read_text("utf-8"))
    assert content["history"]["confidence"] is None
    assert content["python"]["history"] == "history = podium.history('b', confidence=None, seed=0)"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["s.csv", "--history"], "--history is about the versions of one board"),
        (["s.csv", "more.csv", "--history"], "--history is about the versions of one board"),
        (["b", "--history", "--each", "day"], "has 1 version with two systems; add more (podium add), or --each"),
        (["b", "--history", "--as-of", "1"], "has 1 version with two systems; choose a later --as-of"),
        (["b", "--each", "day"], "--each is about the versions that --history shows; add --history"),
        (["b", "--history", "--each", "week"], "there is no way to choose versions of a board 'week'"),
    ],
)
def test_what_has_no_versions_is_refused(board: Path, typed: list[str], said: str) -> None:
    for name in ("s", "more"):
        (board / f"{name}.csv").write_text(f"system,{name}1,{name}2\nA,1,2\nB,2,1\n", "utf-8")
    done = run(board, "page", *typed, "-o", "none.html")
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (board / "none.html").exists()
