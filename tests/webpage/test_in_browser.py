"""The page in a real Chromium, from the disk and without a network: it shows what Python ranks, by any weights."""

import csv
import math
import re
import struct
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import numpy as np
import pytest

import podium
from podium.base.words import fixed
from podium.ranking.bootstrap import Bootstrap
from podium.score.table import Scores
from podium.webpage.shares import TaskShares
from support import page_cases as cases
from support.browser import in_chromium
from support.entry import answer, as_lines, printed

pytestmark = pytest.mark.usefixtures("browser")

WORLDS = dict(cases.worlds())


def shown(scores: Scores, folder: Path, *keys: str) -> Any:
    podium.page(scores, title="</script><b>x").save(folder / "board.html")
    return read(folder / "board.html", *keys)


def read(file: Path | str, *keys: str) -> Any:
    return in_chromium("read-page.js", file, *keys)


def page_of_file(folder: Path) -> Path:
    """A page that the command made of a file."""
    as_lines(WORLDS["instances"], folder / "s.jsonl")
    typed = ["--title=x y", "--replicates", "300", "-q", "--task-weights", "t1=2", "--systems", "!a"]
    answer(folder, "page", "s.jsonl", "-o", "board.html", *typed)
    return folder / "board.html"


@pytest.mark.whole
def test_where_few_instances_are_left_the_page_says_which_command_has_an_exact_test(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    shares = np.array([[0.3], [0.5], [0.6], [0.9]])
    right = {f"t{task}": (rng.random((4, size)) < shares).astype(float) for task, size in enumerate((180, 40))}
    labels = {task: [f"{task}-{number}" for number in range(own.shape[1])] for task, own in right.items()}
    as_lines(podium.from_arrays(right, systems=list("abcd"), instances=labels), tmp_path / "s.jsonl")
    answer(tmp_path, "page", "s.jsonl", "-o", "board.html", "-q")
    seen = read(tmp_path / "board.html", "0:Delete")
    assert "At most 50 instances have weight, and this page holds none by itself: the command below" in seen["caption"]
    made = printed(seen["command"], tmp_path)
    assert made["systems"][0]["rank_high"] >= 1
    seen = read(tmp_path / "board.html", "1:Delete")
    assert "Few instances have most of the weight, and this page holds none by itself" in seen["caption"]
    for row, system in zip(seen["rows"], printed(seen["command"], tmp_path)["systems"], strict=True):
        assert row.startswith(f"Rank {system['rank']}, between {system['rank_low']} and {system['rank_high']}: ")
    assert "by itself" not in read(tmp_path / "board.html")["caption"]


@pytest.mark.whole
def test_a_single_task_of_one_instance_shows_no_spread(tmp_path: Path) -> None:
    scores = WORLDS["tasks of one instance"]
    names = scores.task_names
    weights = {name: 0.0 for name in names if name.startswith("one") and name != "one 0"}
    keys = [f"{names.index(name)}:Delete" for name in weights]
    seen = shown(scores, tmp_path, *keys)
    ranking = podium.rank(scores.with_task_weights(weights), "borda:missing=imputed")
    assert ranking.intervals is None
    assert "No intervals: a single instance, or cluster, of a task shows no spread." in seen["caption"]
    assert "How sure that is cannot be said from this file." in seen["sentence"]


@pytest.mark.whole
def test_the_command_of_a_view_gives_its_table(tmp_path: Path) -> None:
    page = page_of_file(tmp_path)
    seen = read(page, "0:Delete", "2:Shift+ArrowUp")
    assert seen["command"] == "podium rank s.jsonl --replicates 300 --systems '!a' --task-weights t0=0,t1=2,t2=3"
    ranked = printed(seen["command"], tmp_path)
    for row, system in zip(seen["rows"], ranked["systems"], strict=True):
        between = f"between {system['rank_low']} and {system['rank_high']}"
        assert row.startswith(
            f"Rank {system['rank']}, {between}: {system['system']}, score {fixed(system['score'], 3)}"
        )
    assert seen["address"] == "#w=t0:0,t2:3"
    again = read(tmp_path / "board.html#w=t0:0,t2:3,none:3")
    assert (again["rows"], again["sentence"]) == (seen["rows"], seen["sentence"])


@pytest.mark.parametrize("chosen", [[], ["choose:ranked by:two"], ["choose:ranked by:mean"]])
def test_what_is_shared_says_the_same(chosen: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = page_of_file(tmp_path)
    saved = [f"save:{name}" for name in ("CSV", "LaTeX", "SVG", "PNG", "PDF", "HTML")]
    seen = read(page, "0:Delete", "2:Shift+ArrowUp", *chosen, *saved, "copy:As Python")
    monkeypatch.chdir(tmp_path)
    made: dict[str, Any] = {}
    exec(seen["copied"], made)  # noqa: S102  # what the page tells the reader to run
    ranking = made["ranking"]
    assert ranking.intervals is not None
    table = list(csv.DictReader((tmp_path / "saved.csv").read_text("utf-8").splitlines()))
    assert [row["system"] for row in table] == list(ranking.systems)
    for row, wanted in zip(table, ranking.rows(), strict=True):
        jumps = 1 if "choose:ranked by:two" in chosen else 0  # rounded replicates may have other orders inside tasks
        for name in ("rank", "rank_low", "rank_high", "joint_rank_low", "joint_rank_high", "tier"):
            assert abs(int(row[name]) - wanted[name]) <= (0 if name == "rank" else jumps)
        assert float(row["score"]) == pytest.approx(wanted["score"], rel=1e-12)
        near = 0.05 if jumps else 2e-3  # replicates are rounded
        assert float(row["score_low"]) == pytest.approx(wanted["score_low"], abs=near)
        assert float(row["score_high"]) == pytest.approx(wanted["score_high"], abs=near)
    again = read(tmp_path / "saved.html")
    assert [again[name] for name in ("rows", "sentence", "address")] == [
        seen[name] for name in ("rows", "sentence", "address")
    ]
    assert again["errors"] == []
    assert (tmp_path / "saved.latex").read_text().count("\\\\") == len(table) + 1
    drawn = fromstring((tmp_path / "saved.svg").read_bytes())  # noqa: S314  # drawn a moment before
    assert len(drawn.findall("{*}circle")) == len(table)
    texts = [text.text for text in drawn.findall("{*}text")]
    assert {"rank", "system", "tier", "1", str(len(table)), *ranking.systems} <= set(texts)
    assert any("may be as good" in (text or "") or "is first" in (text or "") for text in texts)
    assert_printed(tmp_path / "saved.pdf", drawn)
    width, height = struct.unpack(">II", (tmp_path / "saved.png").read_bytes()[16:24])
    assert (width, height) == (2 * int(drawn.attrib["width"]), 2 * int(drawn.attrib["height"]))


def assert_printed(pdf: Path, drawn: Element) -> None:
    """One page of the size of the picture, with its text as text."""
    content = pdf.read_bytes()
    (box,) = re.findall(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", content)
    points = [0.75 * int(drawn.attrib[side]) for side in ("width", "height")]
    assert [float(side) for side in box] == pytest.approx(points, abs=1)
    assert b"/Font" in content


def rows_of(scores: Scores, before: podium.Ranking | None = None, way: str | None = None) -> list[str]:
    """What the rows say to a screen reader, by Python."""
    ranking = podium.rank(scores, cases.WAYS.get(way or "", "borda:missing=imputed"), n_resamples=200)
    found, old = ranking.intervals, before or ranking
    usual = np.sort(np.abs(ranking.score))[len(ranking.score) // 2]
    places = 3 - math.floor(math.log10(usual)) if way == "mean" else 3  # four digits of a usual score
    rows = []
    for place, (system, rank) in enumerate(zip(ranking.systems, ranking.rank.tolist(), strict=True)):
        between = "" if found is None else f", between {found.rank_low[place]} and {found.rank_high[place]}"
        up = int(old.rank[old.systems.index(system)]) - rank
        moved = "" if up == 0 else f", {abs(up)} {'up' if up > 0 else 'down'}"
        score = fixed(ranking.score[place], places)
        rows.append(f"Rank {rank}{between}: {system}, score {score}{moved}")
    return rows


@pytest.mark.whole
def test_the_rest_is_ranked_without_a_system(tmp_path: Path) -> None:
    scores = WORLDS["tasks"]
    seen = shown(scores, tmp_path, "row:1:Delete", "row:1:Enter", "button:Leave out", "1:Shift+ArrowUp")
    first, second = podium.rank(scores, "borda:missing=imputed", confidence_level=None).systems[:2]
    rest = scores.select(systems=[f"!{first}", f"!{second}"])
    assert seen["rows"] == rows_of(
        rest.with_task_weights({"t1": 2.0}), podium.rank(rest, "borda:missing=imputed", confidence_level=None)
    )
    assert seen["address"] == f"#w=t1:2&x={first},{second}"
    for keys in (["row:2:Delete"], ["row:2:Enter", "button:Leave out"]):
        focus = shown(scores, tmp_path, *keys)["focus"]
        assert focus.startswith("Rank 2, "), "keys go on from the next row"
        assert focus == rows_of(scores.select(systems=[f"!{second}"]))[1]
    assert (seen["errors"], seen["axe"]) == ([], [])
    again = shown(scores, tmp_path, "row:1:Delete", f"press:take {first} back")
    assert (again["rows"], again["address"]) == (rows_of(scores), "")


@pytest.mark.whole
@pytest.mark.parametrize("way", cases.WAYS)
def test_without_a_system_instances_rank_the_rest_and_the_command_agrees(way: str, tmp_path: Path) -> None:
    page = page_of_file(tmp_path)
    seen = read(f"{page}#x=c,none{'' if way == 'balanced' else '&m=mean' if way == 'mean' else f'&l={way}'}")
    ranked = printed(seen["command"], tmp_path)
    assert sorted(system["system"] for system in ranked["systems"]) == ["b", "d", "e", "f"]
    for row, system in zip(seen["rows"], ranked["systems"], strict=True):
        between = f", between {system['rank_low']} and {system['rank_high']}" if way == "mean" else ""
        assert row.startswith(
            f"Rank {system['rank']}{between}: {system['system']}, score {fixed(system['score'], 3)}"[:-1]
        )
    assert ("How ranks among the rest vary is not in this page" in seen["caption"]) == (way != "mean")
    assert ("This page does not hold how sure that is." in seen["sentence"]) == (way != "mean")


@pytest.mark.whole
@pytest.mark.parametrize(
    ("name", "way"),
    [("instances", "balanced"), ("instances with holes and ties", "one"), ("few instances", "balanced")],
)
def test_scores_of_instances_say_how_sure_the_rest_is(name: str, way: str, tmp_path: Path) -> None:
    scores = WORLDS[name]
    podium.page(scores, instances=True, commands={"rank": "podium rank s.csv"}).save(tmp_path / "board.html")
    first = podium.rank(scores, cases.WAYS[way], confidence_level=None).systems[0]
    level = "" if way == "balanced" else f"&l={way}"
    seen = read(f"{tmp_path / 'board.html'}#x={first}{level}")
    rest = scores.select(systems=[f"!{first}"])
    assert [row.partition(", score")[0] for row in seen["rows"]] == [
        row.partition(", score")[0] for row in rows_of(rest, way=way)
    ]
    assert "not in this page" not in seen["caption"]
    assert (seen["errors"], seen["axe"]) == ([], [])


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
def test_ranks_are_compared_with_the_order_that_is_pinned(tmp_path: Path) -> None:
    scores = WORLDS["tasks"]
    seen = shown(
        scores, tmp_path, "1:Shift+ArrowUp", "press:Keep this order to compare", "choose:ranked by:mean", "2:Delete"
    )
    pinned = podium.rank(scores.with_task_weights({"t1": 2.0}), "borda:missing=imputed", confidence_level=None)
    assert seen["rows"] == rows_of(scores.with_task_weights({"t1": 2.0, "t2": 0.0}), pinned, "mean")
    assert seen["address"] == "#w=t1:2,t2:0&m=mean&p=t1:2"
    assert "Red is against the order that was kept." in seen["caption"]
    assert (seen["errors"], seen["axe"]) == ([], [])
    again = read(f"{tmp_path / 'board.html'}{seen['address']}")
    assert (again["rows"], again["caption"]) == (seen["rows"], seen["caption"])
    back = read(f"{tmp_path / 'board.html'}{seen['address']}", "press:Compare with the first order")
    assert back["address"] == "#w=t1:2,t2:0&m=mean"


@pytest.mark.whole
def test_without_knowing_who_beats_whom_nobody_is_left_out(tmp_path: Path) -> None:
    scores = WORLDS["instances with holes and ties"]
    podium.page(scores).save(tmp_path / "board.html")
    seen = read(tmp_path / "board.html#x=a")
    assert seen["rows"] == rows_of(scores)
    assert seen["left out"].startswith("Not left out, since this page does not hold who beats whom")


@pytest.mark.whole
def test_of_many_means_the_page_says_which_command_has_intervals(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    scores = podium.from_arrays({f"t{task}": rng.random((40, 8)) for task in range(40)})
    podium.page(scores, commands={"rank": "podium rank s.csv"}).save(tmp_path / "board.html")
    seen = read(tmp_path / "board.html#m=mean")
    ranking = podium.rank(scores, "mean", confidence_level=None)
    assert [row.split(":")[0] for row in seen["rows"]] == [f"Rank {rank}" for rank in ranking.rank]
    assert seen["caption"].endswith("How means vary is not in this page: the command below gives intervals.")
    assert seen["command"] == "podium rank s.csv --method mean"


@pytest.mark.parametrize(
    "name",
    [
        "instances",
        "metrics of the same items in clusters",
        "tasks of one instance",
        "tasks",
        "very few instances of many tasks",
        "thirty families",
    ],
)
def test_the_page_shows_what_python_ranks(name: str, tmp_path: Path) -> None:
    scores = WORLDS[name]
    seen = shown(scores, tmp_path)
    assert seen["rows"] == rows_of(scores)
    winners = podium.rank(scores, "borda:missing=imputed", n_resamples=200).top()
    assert seen["sentence"] == _sentence(scores, winners)
    assert (seen["requests"], seen["errors"]) == (["file", "blob"], [])


def _sentence(scores: Scores, winners: tuple[str, ...]) -> str:
    """What the page says of possible winners, where they are few and as well covered."""
    first, *others = winners
    numbers = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    scope = podium.rank(scores, "borda:missing=imputed", n_resamples=200).scope
    if len(winners) == len(scores.systems):
        return f"Any of the {numbers[len(winners)]} systems may be the best (95% confidence, {scope})."
    if len(others) == 1:
        more = f", and {others[0]} may be as good"
    else:
        more = f", and {numbers[len(others)]} others may be as good" if others else ""
    return f"{first} is first{more} (95% confidence, {scope})."


def test_families_of_tasks_are_counted(tmp_path: Path) -> None:
    tasks = ["MNLI-m", "MNLI-mm", "MRPC-a", "MRPC-b", "SST-2", "RTE", "CoLA", "QNLI", "STS-B"]
    table = {system: {task: (at * len(task)) % 7 / 7 for task in tasks} for at, system in enumerate("abcd", 2)}
    seen = shown(podium.from_dict(table), tmp_path)
    assert "over all nine tasks of seven families" in seen["caption"]


def test_missing_scores_count_by_the_model_as_on_the_command_line(tmp_path: Path) -> None:
    values = {
        f"t{task}": np.random.default_rng(task).normal(np.arange(6)[:, None] / 9, 1, (6, 90)) for task in range(3)
    }
    for task, own in enumerate(values.values()):
        own[task, :60] = own[5 - task, 50:] = np.nan
    as_lines(podium.from_arrays(values, systems=list("abcdef")), tmp_path / "s.jsonl")
    answer(tmp_path, "page", "s.jsonl", "-o", "board.html", "-q")
    expected, seen = (read(tmp_path / "board.html", *keys) for keys in ([], ["choose:missing scores count:model"]))
    assert expected["command"].endswith("--missing imputed")
    assert seen["command"] == expected["command"].removesuffix(" --missing imputed")
    made = printed(seen["command"], tmp_path)
    assert len(made["systems"]) == len(seen["rows"])
    for row, one in zip(seen["rows"], made["systems"], strict=True):
        ends = f"between {one['rank_low']} and {one['rank_high']}"
        assert row.startswith(f"Rank {one['rank']}, {ends}: {one['system']}, score {fixed(one['score'], 3)}")
    assert read(f"{tmp_path / 'board.html'}{seen['address']}")["rows"] == seen["rows"]
    weighed = read(f"{tmp_path / 'board.html'}#k=model&w=t0:2")
    assert weighed["command"].endswith("--missing imputed --task-weights t0=2")


@pytest.mark.whole
def test_the_sentence_says_where_a_model_of_missing_scores_puts_another_first(tmp_path: Path) -> None:
    values = -0.4 * np.arange(10)[:, None] + np.random.default_rng(0).normal(size=(10, 300))
    values[0, :180] = np.nan  # the best, on less than half of the instances
    scores = podium.from_arrays({"t": values}, systems=list("abcdefghij"))
    firsts = [
        podium.rank(scores, f"borda:missing={way}", confidence_level=None).systems[0] for way in ("model", "imputed")
    ]
    assert firsts == ["a", "b"]
    seen = shown(scores, tmp_path)
    assert seen["sentence"].startswith("b leads on what was run")
    assert seen["sentence"].endswith(" 6% of the scores are missing, and a model of them puts a first.")
    assert "6% of the scores are missing;" in seen["caption"]
    by_model = read(tmp_path / "board.html", "choose:missing scores count:model")
    assert by_model["sentence"].endswith("With missing scores as expected it was b.")
    half = read(tmp_path / "board.html", "choose:systems run on:0.5")
    assert (half["address"], len(half["rows"])) == ("#r=0.5", 9)
    assert half["rows"] == [row for row in seen["rows"] if ": a," not in row]
    assert "model" not in read(tmp_path / "board.html", "0:ArrowUp")["sentence"]


@pytest.mark.whole
def test_a_link_says_what_is_not_here_and_that_it_was_made_with_other_data(tmp_path: Path) -> None:
    scores = WORLDS["tasks"]
    seen = shown(scores, tmp_path, "1:Shift+ArrowUp", "copy:Link")
    link = seen["copied"].partition("#")[2]
    assert (seen["banner"], read(f"{tmp_path / 'board.html'}#{link}")["banner"]) == ("", "")
    lacks = read(f"{tmp_path / 'board.html'}#w=t1:2,t99:3&x=nobody&l=other&v=history")
    assert lacks["banner"].startswith(
        "This link asks for what is not here: view “history”, task “t99”, system “nobody” and method “other”. "
        "The rest is shown."
    )
    assert (lacks["rows"], lacks["address"]) == (seen["rows"], "#w=t1:2")
    other = shown(scores.select(systems=scores.systems[:-1]), tmp_path)
    assert other["banner"] == ""
    other = read(f"{tmp_path / 'board.html'}#{link}")
    assert other["banner"].startswith("This link was made with other data, so numbers and ranks may differ.")
    assert (other["errors"], other["axe"]) == ([], [])


@pytest.mark.whole
def test_weights_are_chosen_by_the_names_that_the_maker_or_the_reader_gave_them(tmp_path: Path) -> None:
    scores = WORLDS["tasks"]
    presets = {"two of them": {"t1": 2, "t2": 1}}
    podium.page(scores, weight_presets=presets).save(tmp_path / "board.html")
    before = podium.rank(scores, "borda:missing=imputed", confidence_level=None)
    weights = dict.fromkeys(scores.task_names, 0.0) | {"t1": 2.0, "t2": 1.0}
    seen = read(tmp_path / "board.html", "choose:weights:two of them")
    assert seen["rows"] == rows_of(scores.with_task_weights(weights), before)
    saved = read(
        tmp_path / "board.html", "1:Shift+ArrowUp", "press:Save weights", "type:mine", "press:Reset weights",
        "choose:weights:mine",
    )  # fmt: skip
    assert saved["rows"] == rows_of(scores.with_task_weights({"t1": 2.0}), before)
    assert saved["address"] == "#w=t1:2&ps.mine=t1:2"
    again = read(f"{tmp_path / 'board.html'}#ps.mine=t1:2", "choose:weights:mine")
    assert (again["rows"], again["errors"], again["axe"]) == (saved["rows"], [], [])


def test_cells_show_scores_or_shares_beaten(tmp_path: Path) -> None:
    values = np.array([[0.4, 0.893, 0.12], [81.25, 70.5, 64.0], [3.0, 2.0, 1.0]])
    scores = podium.from_arrays(
        {f"t{task}": own[:, None] for task, own in enumerate(values)}, systems=list("abc"), lower="t2"
    )
    seen = shown(scores, tmp_path)
    assert seen["cells"] == {"a": [".400", "81.3", "3"], "b": [".893", "70.5", "2"], "c": [".120", "64.0", "1"]}
    assert seen["heads"] == ["t0", "t1", "t2 ↓"]
    beaten = read(tmp_path / "board.html", "press:share beaten")
    assert beaten["cells"] == {"a": ["50", "100", "0"], "b": ["100", "50", "50"], "c": ["0", "0", "100"]}
    assert beaten["address"] == "#c=beaten"
    assert (beaten["errors"], beaten["axe"]) == ([], [])


def test_weights_that_are_typed_count(tmp_path: Path) -> None:
    scores = WORLDS["instances"]
    seen = shown(scores, tmp_path, "0:Delete", "1:ArrowUp", "1:Shift+ArrowUp", "3:3", "3:Enter")
    weighed = scores.with_task_weights({"t0": 0, "t1": 2.25, "t3": 3})
    assert seen["rows"] == rows_of(weighed, podium.rank(scores, "borda:missing=imputed", confidence_level=None))
    assert seen["errors"] == []


def weighed_as_shown(scores: Scores, address: str) -> Scores:
    weights = [one.split(":") for one in address.removeprefix("#w=").split(",")]
    return scores.with_task_weights({task: float(weight) for task, weight in weights})


@pytest.mark.whole
def test_a_card_makes_a_system_first_by_the_nearest_weights(tmp_path: Path) -> None:
    scores = WORLDS["tasks"]
    shares = TaskShares.of(scores, Bootstrap.of(scores, confidence=0.95, units=None, replicates=40, seed=0)).shares
    before = podium.rank(scores, "borda:missing=imputed", confidence_level=None)
    second = scores.systems.index(before.systems[1])
    least = cases.moved(shares, np.ones(len(scores.tasks)), second, 1)
    assert least is not None
    keys = ["row:1:End", "row:6:Home", "row:1:ArrowDown", "row:2:Enter", "button:Make it first", "said"]
    seen = shown(scores, tmp_path, *keys)
    name = scores.systems[second]
    assert seen["status"].startswith(f"Nearest weights under which {name} is first: {100 * least:.0f}% of all weight")
    weighed = weighed_as_shown(scores, seen["address"])
    assert podium.rank(weighed, "borda:missing=imputed", confidence_level=None).systems[0] == name
    assert seen["rows"] == rows_of(weighed, before)
    assert seen["errors"] == []


@pytest.mark.whole
def test_a_row_that_no_weights_put_where_it_is_dragged_stays(tmp_path: Path) -> None:
    values = {f"t{task}": np.arange(4.0)[:, None] + np.random.default_rng(task).random((4, 40)) for task in range(3)}
    scores = podium.from_arrays(values, systems=list("dcba"))
    seen = shown(scores, tmp_path, "drag:3:1", "said", "row:3:Enter")
    assert seen["status"] == "No weights put c first. b beats it on every task."
    assert seen["rows"] == rows_of(scores)
    assert "Rank\n3 of 4, tier 3" in seen["card"]
    assert (seen["address"], seen["errors"]) == ("", [])


@pytest.mark.whole
def test_without_weights_nothing_is_ranked(tmp_path: Path) -> None:
    scores = WORLDS["few tasks"]
    seen = shown(scores, tmp_path, *[f"{task}:Delete" for task in range(len(scores.tasks))])
    assert seen["sentence"] == "Every task has weight 0. Give at least one some weight."
    assert sorted(seen["rows"]) == sorted(scores.systems)
    assert seen["errors"] == []


@pytest.mark.whole
def test_weight_on_no_score_ranks_nothing(tmp_path: Path) -> None:
    drawn = np.random.default_rng(0).random((3, 20))
    scores = podium.from_arrays({"t0": drawn, "t1": np.full((3, 20), np.nan)})
    seen = shown(scores, tmp_path, "0:Delete")
    assert seen["sentence"] == "Every task with scores has weight 0. Give at least one some weight."


def test_labels_are_never_markup(tmp_path: Path) -> None:
    hostile = ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "&amp;", "\u202eabc", "名前"]
    values = {f"<b>{task}</b>": np.random.default_rng(task).random((5, 20)) for task in range(6)}
    scores = podium.from_arrays(values, systems=hostile)
    seen = shown(scores, tmp_path)
    assert seen["rows"] == rows_of(scores)
    assert (seen["requests"], seen["errors"]) == (["file", "blob"], [])
