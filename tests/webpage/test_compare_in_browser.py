"""The view that compares two systems, in a real Chromium: it shows what `podium compare` prints, by its own command."""

import json
import re
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

import podium
from podium.base.words import chance, decimals, fixed
from support.browser import in_chromium
from support.entry import answer, as_lines, printed

pytestmark = [pytest.mark.usefixtures("browser"), pytest.mark.whole]

SYSTEMS = ["<b>a</b>", "-x 'y'", "名前", "d"]


def read(file: str | Path, *pressed: str) -> Any:
    seen = in_chromium("read-view.js", file, *pressed)
    assert (seen["errors"], seen["axe"]) == ([], [])
    assert set(seen["requests"]) <= {"file", "blob"}
    return {**seen, "rows": seen["tables"][0], "command": seen["code"][0]}


def write(folder: Path, *, right: bool) -> dict[str, Any]:
    """Scores by task, as a file; of all tasks but one some are missing."""
    rng = np.random.default_rng(5)
    values = {}
    for task, size in {"rte": 60, "a,b=c": 41, "mt": 33, "sst2": 120, "one": 1}.items():
        skill = np.linspace(0.9, 0.5, 4)[:, None] - 0.1 * (task == "rte")
        own = (
            (rng.random((4, size)) < skill).astype(float) if right else np.round(rng.normal(5 * skill, 1, (4, size)), 2)
        )
        values[task] = np.where(rng.random((4, size)) < 0.1 * (size < 60), np.nan, own)
    labels = {task: [f"{task} {at:03}" for at in range(own.shape[1])] for task, own in values.items()}
    as_lines(podium.from_arrays(values, systems=SYSTEMS, instances=labels), folder / "s.jsonl")
    return values


def page(folder: Path, *typed: str) -> Path:
    answer(folder, "page", "s.jsonl", "-o", "board.html", "-q", "--replicates", "40", *typed)
    return folder / "board.html"


def text(number: float | None) -> str:
    """A number as the page writes it: four digits."""
    return "–" if number is None else np.format_float_positional(float(f"{number:.4g}"), trim="-").replace("-", "−")


def assert_alike(found: list[list[str]], wanted: list[list[str]]) -> None:
    """The same cells, with as many decimals as their column; what lies between two may be rounded either way."""
    assert [len(row) for row in found] == [len(row) for row in wanted]
    for cell, other in zip(chain(*found), chain(*wanted), strict=True):
        if cell != other:
            near = 0.51 * 10 ** -len(cell.partition(".")[2])
            assert float(cell.replace("−", "-")) == pytest.approx(float(other.replace("−", "-")), rel=1.1e-3, abs=near)


def rows_of(made: Any) -> list[list[str]]:
    """The table of the page, from what the command prints."""
    factor, summary = 100 if made["binary"] else 1, made["summary"]
    rows = []
    for task in made["tasks"]:
        effect, low, high = (text(factor * task[name]) for name in ("effect", "low", "high"))
        means = [text(task["control_mean"]), text(task["treatment_mean"])]
        only = [str(task["worse"]), str(task["better"])] if made["binary"] else []
        rows.append([task["task"], str(task["n"]), *means, effect, low, high, f"{100 * task['weight']:.1f}%", *only])
    effect, low, high, *new = (text(factor * summary[name])
                               for name in ("effect", "low", "high", "prediction_low", "prediction_high"))  # fmt: skip
    on_suite = []
    if (suite := made["suite"]) is not None:
        ends = ["" if suite[end] is None else text(factor * suite[end]) for end in ("low", "high")]
        on_suite = [["on these tasks", "", "", "", text(factor * suite["effect"]), *ends]]
    like = ["on tasks like these", "", "", "", effect, low, high]
    return [*rows, *on_suite, like, ["on a new task", "", "", "", "", *new]]


def numbers(said: str) -> list[str]:
    return re.findall(r"−?\d[\d,.]*", said.rstrip("."))


def assert_both_answers(seen: Any, made: Any) -> None:
    """The sentence on these tasks, and that on others, have the numbers that the command prints."""
    suite, factor = made["suite"], 100 if made["suite"]["binary"] else 1
    others = seen["how"].partition("On other tasks like these:")[2]
    for said in numbers(made["conclusion"]):
        assert said in others, made["conclusion"]
    if suite["low"] is None:
        assert "cannot be said" in seen["sentence"]
        return
    places = decimals(factor * (suite["high"] - suite["low"]))
    size, low, high = (fixed(factor * one, places) for one in (abs(suite["effect"]), suite["low"], suite["high"]))
    assert f" {size} " in seen["sentence"] or size.strip("0.") == ""
    assert f"Between {low} and {high}" in seen["how"]
    assert f"{suite['better']} instances better, {suite['worse']} worse, {chance(suite['p'])}" in seen["how"]


@pytest.mark.parametrize("right", [True, False])
def test_two_rows_are_compared_as_the_command_does(right: bool, tmp_path: Path) -> None:
    values, left = write(tmp_path, right=right), ["sst2"] if right else ["sst2", "one"]
    board = page(tmp_path, "--instances", "--confidence", "0.9", "--lower", "mt", "--task-weights", "a\\,b=c=2,sst2=3")
    muted = ",".join(f"{task}:0" for task in left)  # of a single instance no task has an interval
    seen = read(f"{board}#w={muted}", "row:1:Space", "axe", "row:1:ArrowDown", "row:2:Space", "shown:Compare")
    made = printed(seen["command"], tmp_path)
    assert [task["task"] for task in made["tasks"]] == ["rte", "a,b=c", "mt"]
    assert_alike(seen["rows"][1:], rows_of(made))
    assert "--task-weights 'a\\,b=c=2,sst2=0" in seen["command"]
    assert_both_answers(seen, made)
    assert made["confidence"] == 0.9
    assert seen["focus"] == "System"
    for note in made["notes"]:
        if "lower is better" in note or "left out" in note or "not used" in note or "too few" in note:
            assert any(note.partition(": ")[0].partition(" (")[0] in shown for shown in seen["notes"]), note
    control, treatment = (SYSTEMS.index(made[name]) for name in ("control", "treatment"))
    assert seen["sentence"].startswith(f"{SYSTEMS[treatment]} is ")
    differ = {task: own[treatment] - own[control] for task, own in values.items() if task not in left}
    count = sum(int((np.abs(own) > 0).sum()) for own in differ.values())
    assert seen["count"] == f"{count} instances"
    for name, task, better, shown in seen["instances"]:
        own, at = values[task], int(name[-3:])
        turned = differ[task][at] * (-1 if task == "mt" else 1)
        assert better == SYSTEMS[treatment if turned > 0 else control]
        if right:
            best = np.nanmin(own[:, at]) if task == "mt" else np.nanmax(own[:, at])
            assert shown == f"{(own[:, at] == best).sum()} of {(~np.isnan(own[:, at])).sum()}"
        else:
            assert shown == f"{text(own[control, at])} → {text(own[treatment, at])}"
    if right:
        shares = [int(row[3].split()[0]) / int(row[3].split()[2]) for row in seen["instances"]]
        assert shares == sorted(shares)
    again = read(f"{board}{seen['address']}")
    assert [again[name] for name in ("rows", "sentence", "command", "instances")] == [
        seen[name] for name in ("rows", "sentence", "command", "instances")
    ]


def test_pickers_cards_and_clicks_lead_to_any_pair(tmp_path: Path) -> None:
    write(tmp_path, right=True)
    board = page(tmp_path, "--instances")
    ranked = podium.rank(podium.read(tmp_path / "s.jsonl"), confidence_level=None).systems
    seen = read(board, "click:3", "click:2", "button:Swap", "select:Task:rte", f"select:Only right:{ranked[1]}")
    assert seen["sentence"].startswith(f"{ranked[2]} is ")
    assert {row[1] for row in seen["instances"]} == {"rte"}
    assert {row[2] for row in seen["instances"]} == {ranked[1]}
    seen = read(board, "card:4", "button:Compare", "type:Compared with:d", "select:Order of tasks:by effect")
    assert (seen["focus"], seen["address"]) == (
        "Compared with",
        f"#v=compare&a=d&b={as_typed(ranked[3], 'd', ranked[0])}",
    )
    effects = [float(row[4].replace("−", "-")) for row in seen["rows"][1:-3]]
    assert effects == sorted(effects, reverse=True)


def test_texts_are_read_where_two_disagree(tmp_path: Path) -> None:
    values = write(tmp_path, right=True)
    said = {
        f"{task} {at:03}": f"It is <b>{task}</b>,\n{at}" for task, own in values.items() for at in range(own.shape[1])
    }
    rows = [{"instance": name, "words": text} for name, text in said.items() if not name.endswith("7")]
    (tmp_path / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    board = page(tmp_path, "--instances", "--texts", "texts.jsonl", "--text-column", "words")
    seen = read(f"{board}#v=compare")
    for name, *_ in seen["instances"]:
        label = name[: name.index(" ") + 4]
        assert name == label + ("" if label.endswith("7") else said[label])
    first = seen["instances"][0][0]
    label = first[: first.index(" ") + 4]
    seen = read(f"{board}#v=compare", f"button:{label}")
    assert seen["quoted"] == [label, said.get(label) if not label.endswith("7") else "This instance has no text."]
    assert "--texts" not in seen["command"]


def as_typed(treatment: str, control: str, other: str) -> str:
    """Who is compared with a control: who was, or who stood on the other side."""
    return quote(other if treatment == control else treatment, safe="!'()*-._~")


def test_one_score_per_task_is_tested_over_tasks(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    table = {system: {f"t{task}": float(score) for task, score in enumerate(row)}
             for system, row in zip(SYSTEMS, np.round(rng.random((4, 9)), 2), strict=True)}  # fmt: skip
    rows = [
        {"system": system, "task": task, "score": score} for system, own in table.items() for task, score in own.items()
    ]
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    seen = read(f"{page(tmp_path, '--seed', '4')}#v=compare&a=d&b=-x%20'y'")
    made = printed(seen["command"], tmp_path)
    tests = made["treatments"][0]
    shown = [[one["task"], *(text(one[name]) for name in ("control_score", "treatment_score", "difference"))]
             for one in made["differences"]]  # fmt: skip
    assert_alike(seen["rows"][1:], [*shown, ["on average", "", "", text(tests["mean"])]])
    low, high = (fixed(tests[name], 2) for name in ("low", "high"))
    assert f"between {low} and {high} (95%)" in seen["how"]
    assert f"test p = {tests['wilcoxon_p']:.2f}" in seen["how"]
    words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    wins, losses = (words[tests[name]] for name in ("wins", "losses"))
    assert f"is better than d on {wins} of nine tasks and worse on {losses}" in seen["sentence"]


def test_without_instances_means_are_compared_and_a_command_says_more(tmp_path: Path) -> None:
    values = write(tmp_path, right=True)
    seen = read(f"{page(tmp_path)}#v=compare&a=d&b=%E5%90%8D%E5%89%8D")
    means = podium.from_dict({name: {task: float(np.nanmean(own[row])) for task, own in values.items()
                                     if not np.isnan(own[row]).all()} for row, name in enumerate(SYSTEMS)})  # fmt: skip
    tests = podium.compare_task_scores(means, control="d", treatment="名前").treatments[0]
    shown = {row[0]: row[1:] for row in seen["rows"][1:-1]}
    for one in tests.tasks:
        assert_alike([shown[one.task]], [[text(one.control), text(one.treatment), text(one.difference)]])
    assert (seen.get("count"), seen["instances"]) == (None, [])
    assert printed(seen["command"], tmp_path)["kind"] == "meta-analysis"


def test_tasks_of_unlike_scales_are_compared_in_standard_deviations(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    values = {
        f"t {size}": size * rng.normal(np.array([[2.0], [2.3], [1.9]]), 0.5, (3, 30)) for size in (1, 40, 900, 3e4)
    }
    as_lines(podium.from_arrays(values, systems=["a", "b", "c"]), tmp_path / "s.jsonl")
    board = page(tmp_path, "--instances")
    seen = read(f"{board}#v=compare&a=a&b=b")
    made = printed(seen["command"], tmp_path)
    assert made["effect"] == "smd"
    assert_alike(seen["rows"][1:], rows_of(made))
    for said in numbers(made["conclusion"]):
        assert said in seen["how"], made["conclusion"]
    assert "standard deviations better than a over tasks like these" in seen["sentence"]
    seen = read(f"{board}#v=compare&a=a&b=b", "select:Effects in:differences")
    made = printed(seen["command"], tmp_path)
    assert made["effect"] == "md"
    assert "on these four tasks" in seen["sentence"]
    assert any("scales may differ" in note for note in seen["notes"])


def test_many_tasks_are_a_picture_and_families_count_once(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows = [
        {"system": f"m{at}", "task": f"set{task // 3}-{'abc'[task % 3]}", "score": 10.0 ** (task % 4) * rng.random()}
        for at in range(3)
        for task in range(60)
    ]
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    board = f"{page(tmp_path, '--family', 'first=set0*')}#v=compare&a=m0&b=m1"
    seen = read(board)
    made = printed(seen["command"], tmp_path)
    tests = made["treatments"][0]
    assert tests["wins"] + tests["losses"] + tests["ties"] < len(made["differences"]) == len(seen["rows"]) - 1
    assert f"test p = {tests['wilcoxon_p']:.2f}; sign test p = {tests['sign_p']:.2f}" in seen["how"]
    assert "families of tasks" in seen["sentence"]
    assert seen["marks"] == 24
    assert read(board, "button:All 60 tasks")["marks"] > 40  # rows out of view wait


def test_all_pairs_are_shares_of_tasks_won(tmp_path: Path) -> None:
    write(tmp_path, right=True)
    seen = read(f"{page(tmp_path)}#v=compare", "button:All pairs of systems")
    found = podium.pairwise(tmp_path / "s.jsonl", level="task")
    won = {
        (one, other): found.probability[row, column]
        for row, one in enumerate(found.systems)
        for column, other in enumerate(found.systems)
    }
    pairs = [row for row in seen["tables"][-1][1:] if len(row) == 4]
    assert len(pairs) == 6
    for one, other, share, _ in pairs:
        assert float(share) == pytest.approx(won[one, other], abs=5.1e-4)
