"""A page of battles in a real Chromium: strengths by any weights, and who beat whom, as the commands print them."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.score.table import Scores
from support import page_cases as cases
from support.browser import in_chromium
from support.entry import answer, printed, run

pytestmark = pytest.mark.usefixtures("browser")

WORLDS = dict(cases.battle_worlds())

#: Names of systems that a page must show and never run.
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "&amp; ${1}",
    "\u202eabc",
    "=1+1",
    "名前",
]


def as_dump(scores: Scores, file: Path, names: dict[str, str] | None = None) -> None:
    """Write battles as an arena does: a row each, with the category and the judge."""
    named = {system: system for system in scores.systems} | (names or {})
    with file.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["model_a", "model_b", "winner", "judge", "category"])
        for task in scores.tasks:
            for at, column in enumerate(task.values.T):
                one, other = np.flatnonzero(~np.isnan(column)).tolist()
                winner = {0.0: "model_b", 0.5: "tie", 1.0: "model_a"}[column[one]]
                judge = "" if task.clusters is None else f"judge {task.clusters.numbers[at]}"
                rows.writerow([named[scores.systems[one]], named[scores.systems[other]], winner, judge, task.name])


def page_of(scores: Scores, folder: Path, names: dict[str, str] | None = None) -> Path:
    as_dump(scores, folder / "battles.csv", names)
    answer(folder, "page", "battles.csv", "--task-column", "category", "--replicates", "80", "-q", "-o", "board.html")
    return folder / "board.html"


def score_in(row: str) -> float:
    return float(row.rsplit(", score ", 1)[1].split(",", maxsplit=1)[0].replace("−", "-"))


def assert_as_printed(seen: Any, saved: Path, folder: Path) -> None:
    """Compare the rows of a page, and all digits of its table, with what its command prints."""
    assert (seen["errors"], seen["axe"]) == ([], [])
    wanted = printed(seen["command"], folder)["systems"]
    table = list(csv.DictReader(saved.read_text("utf-8").splitlines()))
    assert [row["system"] for row in table] == [row["system"] for row in wanted]
    for row, shown, own in zip(wanted, seen["rows"], table, strict=True):
        between = f", between {row['rank_low']} and {row['rank_high']}" if "rank_low" in row else ""
        assert shown.startswith(f"Rank {row['rank']}{between}: {row['system']}, score ")
        assert score_in(shown) == pytest.approx(row["score"], abs=6e-4)  # as it is rounded
        for name in ("rank", "rank_low", "rank_high", "joint_rank_low", "joint_rank_high", "tier"):
            assert own.get(name, "") == str(row.get(name, ""))
        for name in ("score", "score_low", "score_high"):
            if row.get(name) is None:
                assert own.get(name, "") == ""
            else:
                assert float(own[name]) == pytest.approx(row[name], abs=1e-8)


@pytest.mark.whole
@pytest.mark.parametrize("name", WORLDS)
def test_strengths_by_any_weights_are_those_of_the_command(name: str, tmp_path: Path) -> None:
    page = page_of(WORLDS[name], tmp_path)
    rng = np.random.default_rng(len(name))
    for way in ("bradley-terry", "bradley-terry-prior"):
        for _ in range(3):
            typed = [f"weigh:{task}:{rng.integers(1, 40) / 8}" for task in range(3)]
            seen = in_chromium("read-page.js", page, f"choose:ranked by:{way}", *typed, "save:CSV")
            assert_as_printed(seen, tmp_path / "saved.csv", tmp_path)


def test_of_an_arena_dump_the_page_has_what_the_command_prints(tmp_path: Path) -> None:
    answer(tmp_path, "example")
    folder = tmp_path / "example"
    answer(folder, "page", "battles.csv", "--task-column=language", "-q")
    seen = in_chromium("read-page.js", folder / "board.html", "weigh:0:2", "weigh:1:0,5", "save:CSV", "copy:As Python")
    assert seen["command"].endswith("--replicates 200 --method bradley-terry --task-weights English=2,German=0.5")
    assert_as_printed(seen, folder / "saved.csv", folder)
    assert seen["address"] == "#w=English:2,German:0.5"
    assert 'podium.rank(scores, "bradley-terry", ' in seen["copied"]
    again = in_chromium("read-page.js", f"{folder / 'board.html'}#w=English:2,German:0.5&m=mean", "save:CSV")
    assert again["command"].endswith("--method mean --task-weights English=2,German=0.5")
    assert [row.split(",")[0] for row in again["rows"]] == [
        f"Rank {row['rank']}" for row in printed(again["command"], folder)["systems"]
    ]
    assert (again["errors"], again["axe"]) == ([], [])


def test_who_beat_whom_is_what_pairwise_prints_and_follows_the_weights(tmp_path: Path) -> None:
    page = page_of(WORLDS["battles of few judges"], tmp_path)
    keys = ["application@ArrowDown", "application@ArrowRight", "application@ArrowUp", "save:CSV"]
    seen = in_chromium("read-view.js", f"{page}#v=battles&w=coding:2,chat:0.5", *keys)
    assert (seen["errors"], seen["axe"]) == ([], [])
    assert seen["tabs"] == ["Leaderboard", "Battles", "Agreement", "Data"]
    (command,) = seen["code"]
    assert command == "podium pairwise battles.csv --task-column category --task-weights chat=0.5,coding=2"
    wanted = printed(command, tmp_path)
    both = {frozenset((row["system"], row["opponent"])): row for row in wanted["pairs"]}
    table = list(csv.DictReader((tmp_path / "saved.csv").read_text("utf-8").splitlines()))
    assert len(table) == len(both) == 15
    for row in table:
        pair = both[frozenset((row["system"], row["opponent"]))]
        share = pair["probability"] if pair["system"] == row["system"] else 1 - pair["probability"]
        assert float(row["probability"]) == pytest.approx(share, abs=1e-12)
    won = sum(int(row["won"]) + int(row["lost"]) + int(row["tied"]) for row in table)
    assert won == 420, "each battle stands there once"
    assert seen["how"].startswith("420 battles of six systems over all three tasks")
    first, second = table[0]["system"], table[0]["opponent"]
    assert seen["said"].startswith(f"{first} won {table[0]['won']}, lost {table[0]['lost']}")
    share = float(f"{100 * float(table[0]['probability']):.1f}")
    assert seen["said"].endswith(f" battles against {second}: {share:g}% by these weights.")
    if best := [name for name in wanted["sentences"] if name.startswith("Condorcet winner: ")]:
        name = best[0].removeprefix("Condorcet winner: ").split(" ")[0]
        assert seen["sentence"] == f"{name} wins most of its battles against each of the five others."


def test_names_of_systems_run_nothing(tmp_path: Path) -> None:
    scores = WORLDS["battles of few judges"]
    page = page_of(scores, tmp_path, dict(zip(scores.systems, HOSTILE, strict=True)))
    seen = in_chromium("read-page.js", page, "weigh:0:3", "row:1:Enter", "button:Compare", "tab:Leaderboard")
    assert sorted(row.split(": ", 1)[1].rsplit(", score", 1)[0] for row in seen["rows"]) == sorted(HOSTILE)
    assert (seen["errors"], seen["axe"], seen["requests"]) == ([], [], ["file", "blob"])
    seen = in_chromium("read-view.js", f"{page}#v=battles", "application@ArrowRight")
    assert {name for row in seen["tables"][0][1:] for name in row[:2]} == set(HOSTILE)
    assert (seen["errors"], seen["axe"]) == ([], [])


def test_a_system_that_lost_all_has_a_strength_by_a_prior_alone(tmp_path: Path) -> None:
    scores = WORLDS["battles without judges"]
    loser = scores.systems[2]
    lost = [np.where(np.isnan(task.values[2]), task.values, 1.0 - ~np.isnan(task.values)) for task in scores.tasks]
    for task, values in zip(scores.tasks, lost, strict=True):
        met = ~np.isnan(task.values[2])
        values[:, met] = np.where(np.isnan(task.values[:, met]), np.nan, 1.0)
        values[2, met] = 0.0
    beaten = podium.from_arrays(dict(zip(scores.task_names, lost, strict=True)), systems=scores.systems)
    page = page_of(beaten, tmp_path)
    seen = in_chromium("read-page.js", page, "weigh:1:2", "save:CSV")
    assert "--method bradley-terry --prior 1 --task-weights chat=2" in seen["command"]
    assert_as_printed(seen, tmp_path / "saved.csv", tmp_path)
    plain = in_chromium("read-page.js", page, "choose:ranked by:bradley-terry")
    first, second, third, *more = sorted({*scores.systems} - {loser})
    assert plain["sentence"] == (
        f"No strengths: {first}, {second}, {third} and {len(more)} more never lose to or tie with the others. "
        "Give other tasks weight, or choose Bradley–Terry with a prior."
    )
    assert (plain["errors"], plain["axe"]) == ([], [])
    refused = run(tmp_path, *plain["command"].split()[1:])
    assert (refused.returncode, "never loses to or ties with" in refused.stderr) == (2, True)


def test_the_rest_of_battles_is_ranked_without_a_system(tmp_path: Path) -> None:
    page = page_of(WORLDS["battles of few judges"], tmp_path)
    seen = in_chromium("read-page.js", page, "weigh:2:3", "row:2:Delete")
    wanted = printed(seen["command"], tmp_path)["systems"]
    for row, shown in zip(wanted, seen["rows"], strict=True):
        assert shown.startswith(f"Rank {row['rank']}: {row['system']}, score ")
        assert score_in(shown) == pytest.approx(row["score"], abs=6e-4)
    assert "How ranks among the rest vary is not in this page" in seen["caption"]


@pytest.mark.parametrize("typed", [["--instances"], ["--probability-column", "judge"]])
def test_what_battles_have_not_is_refused(typed: list[str], tmp_path: Path) -> None:
    as_dump(WORLDS["battles of few judges"], tmp_path / "battles.csv")
    done = run(tmp_path, "page", "battles.csv", *typed)
    assert done.returncode == 2 or "battle" in done.stderr
    assert not (tmp_path / "board.html").exists()
