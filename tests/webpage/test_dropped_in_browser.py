"""Files that a reader drops on a page, in a real Chromium: ranked as the command ranks the tables together."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.browser import in_chromium
from support.entry import answer, printed, run

pytestmark = pytest.mark.usefixtures("browser")

TASKS = ["rte", "a, b", "wer", "sst2", "名", "acc:x", "ter (%)", "qqp"]


def table(seed: int, systems: list[str], tasks: list[str] = TASKS, holes: float = 0.0) -> dict[str, dict[str, float]]:
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(np.linspace(0.8, 0.4, len(systems))[:, None], 0.2, (len(systems), len(tasks))), 2)
    values[rng.random(values.shape) < holes] = np.nan
    rows = [dict(zip(tasks, row, strict=True)) for row in values.tolist()]
    known = [{task: one for task, one in row.items() if not np.isnan(one)} for row in rows]
    return dict(zip(systems, known, strict=True))


def as_wide(rows: dict[str, dict[str, float]], path: Path) -> None:
    names = list(dict.fromkeys(task for row in rows.values() for task in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["model", *names], *([who, *map(row.get, names)] for who, row in rows.items())])


def as_long(rows: dict[str, dict[str, float]], path: Path) -> None:
    lines = [{"system": who, "task": task, "score": one} for who, row in rows.items() for task, one in row.items()]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")


def read(page: Path | str, *keys: str) -> Any:
    seen = in_chromium("read-page.js", page, *keys)
    assert (seen["errors"], seen["axe"]) == ([], [])
    assert set(seen["requests"]) <= {"file", "blob", "data"}
    return seen


def assert_ranked_alike(seen: Any, folder: Path) -> None:
    """The rows are those of the command that the page shows, typed beside both files."""
    ranked = printed(seen["command"], folder)
    assert len(seen["rows"]) == len(ranked["systems"])
    for row, one in zip(seen["rows"], ranked["systems"], strict=True):
        between = f", between {one['rank_low']} and {one['rank_high']}" if "rank_low" in one else ""
        said, _, score = row.partition(", score ")
        assert said == f"Rank {one['rank']}{between}: {one['system']}"
        assert float(score.split(",")[0].replace("−", "-")) == pytest.approx(one["score"], abs=5.1e-4)


@pytest.mark.parametrize(
    ("seed", "write", "holes", "asked"),
    [
        (1, as_wide, 0.0, []),
        (2, as_long, 0.15, ["2:Shift+ArrowUp", "0:Delete"]),
        (3, as_wide, 0.1, ["row:2:Delete"]),
        (4, as_long, 0.0, ["choose:ranked by:mean"]),
    ],
)
def test_dropped_systems_are_ranked_as_the_command_ranks_both_tables(
    seed: int, write: Any, holes: float, asked: list[str], tmp_path: Path
) -> None:
    suffix = "csv" if write is as_wide else "jsonl"
    write(table(seed, list("abcdefg"), holes=holes), tmp_path / f"board.{suffix}")
    write(table(seed + 50, ["mine", "<b>'yours'</b>"], TASKS[::-1], holes), tmp_path / f"own.{suffix}")
    answer(tmp_path, "page", f"board.{suffix}", "-o", "board.html", "-q")
    seen = read(tmp_path / "board.html", f"drop:{tmp_path / f'own.{suffix}'}", "press:Add 2 systems", *asked)
    assert f"board.{suffix} --replicates 200 own.{suffix}" in seen["command"]
    assert any(": mine, " in row for row in seen["rows"])
    assert_ranked_alike(seen, tmp_path)


def test_what_was_understood_is_said_before_anything_changes(tmp_path: Path) -> None:
    rows = table(5, list("abcd"))
    as_wide(rows, tmp_path / "board.csv")
    answer(tmp_path, "page", "board.csv", "-o", "board.html", "-q")
    own = {"a": rows["a"], "b": rows["b"] | {"rte": 0.99}, "mine": {"rte": 91.0, "date": 2024, "wer": 0.25}}
    as_wide(own, tmp_path / "own.csv")
    seen = read(tmp_path / "board.html", f"drop:{tmp_path / 'own.csv'}", "press:Cancel")
    assert len(seen["rows"]) == 4
    (said,) = seen["dropped"]
    lines = said.splitlines()
    assert lines[0] == "own.csv: 1 system, 2 tasks"
    assert "New: mine" in lines
    assert "Here already: a, b" in lines
    assert "Their scores here stay as they are, though the file has others: b" in lines
    assert "Not used: date" in lines
    assert "Other units than on this page? rte" in lines
    assert any(line.startswith("wer\tlower\t1\t0.25\t") for line in lines)


def test_links_and_saved_pages_carry_systems_only_if_the_reader_says_so(tmp_path: Path) -> None:
    as_wide(table(6, list("abcdef")), tmp_path / "board.csv")
    as_wide(table(7, ["mine"]), tmp_path / "own.csv")
    answer(tmp_path, "page", "board.csv", "-o", "board.html", "-q")
    page, drop = tmp_path / "board.html", [f"drop:{tmp_path / 'own.csv'}", "press:Add 1 system"]
    alone = read(page, *drop, "save:HTML")
    assert "mine" not in alone["address"]
    assert "mine" not in (tmp_path / "saved.html").read_text("utf-8")
    carried = read(page, *drop, "check:Links and saved pages carry them", "save:HTML")
    assert "y.mine=" in carried["address"]
    for again in (read(f"{page}{carried['address']}"), read(tmp_path / "saved.html")):
        assert (again["rows"], again["sentence"]) == (alone["rows"], alone["sentence"])
    without = read(page, *drop, "check:Links and saved pages carry them", "press:take mine out of the table")
    assert (without["rows"], without["address"]) == (read(page)["rows"], "")


@pytest.mark.parametrize("kind", ["wide", "metrics"])
def test_an_empty_page_becomes_a_leaderboard_of_what_is_dropped(kind: str, tmp_path: Path) -> None:
    rows = table(8, list("abcdef"), holes=0.05)
    if kind == "metrics":  # those of one data set are drawn together
        lines = [
            f"{who},set {at},{name},{round(0.1 * at + one / 7, 3)}"
            for who in "abcdef"
            for at in range(5)
            for name, one in (("acc", ord(who) * at % 7), ("wer", ord(who) % 5))
        ]
        (tmp_path / "own.csv").write_text("\n".join(["system,task,metric,score", *lines]) + "\n", "utf-8")
    else:
        as_wide({who: {"params": 7.0 * at} | row for at, (who, row) in enumerate(rows.items())}, tmp_path / "own.csv")
    answer(tmp_path, "page", "--empty", "-o", "empty.html", "-q")
    seen = read(tmp_path / "empty.html", f"drop:{tmp_path / 'own.csv'}", "press:Add 6 systems")
    assert len(seen["rows"]) == 6
    assert_ranked_alike(seen, tmp_path)


def test_what_cannot_be_read_is_said_with_a_command_that_reads_it_or_says_what_to_do(tmp_path: Path) -> None:
    as_wide(table(9, list("abcd")), tmp_path / "board.csv")
    (tmp_path / "predictions.csv").write_text("system,id,prediction\nA,1,x\nB,1,y\n", "utf-8")
    answer(tmp_path, "page", "board.csv", "-o", "board.html", "-q")
    (said,) = read(tmp_path / "board.html", f"drop:{tmp_path / 'predictions.csv'}", "press:Close")["dropped"]
    assert "predictions.csv is not read here: column “prediction” holds predictions" in said
    command = next(line for line in said.splitlines() if line.startswith("podium "))
    assert "--gold" in run(tmp_path, command.removeprefix("podium ").removesuffix(" Copy as command")).stderr


def as_instances(systems: str, path: Path, seed: int, more: str = "", part: float = 1.0) -> None:
    """Write scores on sixty instances of each of three tasks, of the last system only some."""
    rng = np.random.default_rng(seed)
    lines = [
        f"{who},{task},{task[0]}{item},{int(rng.random() < 0.7 - 0.06 * at)}"
        for at, who in enumerate(systems)
        for task in ("wino", "piqa", "arc")
        for item in range(60)
        if who != systems[-1] or rng.random() < part
    ]
    path.write_text("\n".join(["system,task,id,correct", *lines]) + f"\n{more}", "utf-8")


@pytest.mark.parametrize(("asked", "part"), [([], 1.0), (["0:Shift+ArrowUp", "row:2:Delete"], 0.7)])
def test_dropped_scores_of_instances_are_ranked_with_those_of_the_page(
    asked: list[str], part: float, tmp_path: Path
) -> None:
    as_instances("ABCDEF", tmp_path / "board.csv", 1)
    as_instances("XY", tmp_path / "own.csv", 2, part=part)
    answer(tmp_path, "page", "board.csv", "--instances", "-o", "board.html", "-q")
    drop = [f"drop:{tmp_path / 'own.csv'}", "press:Add 2 systems", "until:Added, on this computer only"]
    seen = read(tmp_path / "board.html", *drop, *asked)
    assert "board.csv --replicates 200 own.csv" in seen["command"]
    assert any(row.startswith("Rank") and ": X, " in row for row in seen["rows"])
    assert_ranked_alike(seen, tmp_path)
    again = read(tmp_path / "board.html", *drop, "press:take X out", "press:take Y out")
    assert again["rows"] == read(tmp_path / "board.html")["rows"]


def test_instances_that_are_not_on_the_page_are_named(tmp_path: Path) -> None:
    as_instances("ABCD", tmp_path / "board.csv", 3)
    as_instances("X", tmp_path / "own.csv", 4, more="X,wino,w99,1\nX,boolq,b1,1\n", part=0.5)
    answer(tmp_path, "page", "board.csv", "--instances", "-o", "board.html", "-q")
    answer(tmp_path, "page", "board.csv", "-o", "plain.html", "-q")
    (said,) = read(tmp_path / "board.html", f"drop:{tmp_path / 'own.csv'}", "press:Cancel")["dropped"]
    assert "Not used: instances of wino that are not here (w99), boolq" in said
    assert "of 60 instances)" in said
    (said,) = read(tmp_path / "plain.html", f"drop:{tmp_path / 'own.csv'}", "press:Close")["dropped"]
    assert "needs those of the other systems (--instances)" in said


@pytest.mark.whole
def test_large_and_hostile_files_are_answered_in_a_sentence_and_nothing_stands_still(tmp_path: Path) -> None:
    as_wide(table(10, list("abcd")), tmp_path / "board.csv")
    answer(tmp_path, "page", "board.csv", "-o", "board.html", "-q")
    (tmp_path / "odd.csv").write_text('system,rte\n"<img src=x onerror=alert(1)>",0.5\n__proto__,0.25\n', "utf-8")
    made = in_chromium("drop-large.js", tmp_path / "board.html", "huge.csv:500", "large.csv:30", tmp_path / "odd.csv")
    huge, large, odd = made["found"]
    assert "it has 500 MB, and a page reads 32 MB at most" in huge["said"]
    assert "board.csv --replicates 200 huge.csv" in huge["said"]
    assert large["said"].startswith("large.csv: 2 systems, 2 tasks")
    assert "__proto__" in odd["said"]
    assert max(one["milliseconds"] for one in made["found"]) < 100
    assert (made["markup"], made["errors"]) == (0, [])
