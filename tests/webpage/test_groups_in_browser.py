"""Groups of tasks in a real Chromium: they open, their weights count, and what is copied gives the same ranking."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.base.words import fixed
from podium.ranking.bootstrap import Bootstrap
from podium.score.table import Scores
from podium.webpage.groups import Groups
from podium.webpage.shares import TaskShares
from support.browser import in_chromium
from support.entry import answer, as_lines, printed

pytestmark = [pytest.mark.usefixtures("browser"), pytest.mark.whole]

GROUPS = {"mmlu_*": "Know, it: all", "code?": "名前", "t9": "alone", "not here": "unknown"}


def table(n_systems: int, tasks: list[str]) -> Scores:
    rng = np.random.default_rng(5)
    skill = rng.normal(0, 0.1, (n_systems, len(tasks))) + np.linspace(0.6, 0.4, n_systems)[:, None]
    values = {task: (rng.random((n_systems, 40)) < skill[:, [at]]).astype(float) for at, task in enumerate(tasks)}
    labels = {task: [f"{task} {at}" for at in range(40)] for task in tasks}
    return podium.from_arrays(values, systems=[f"s{at}" for at in range(n_systems)], instances=labels)


#: Two groups, "other", and a task alone in its group.
FEW = table(5, [*(f"mmlu_{at}" for at in range(4)), "t9", "t1", "code1", "code2", "t2"])

#: Grouped by their names.
MANY = table(6, [*(f"mmlu_{at}" for at in range(40)), *(f"bbh/{at}" for at in range(20)), "piqa", "rte"])


def read(file: Path | str, *keys: str, **environment: str) -> Any:
    seen = in_chromium("read-page.js", file, *keys, **environment)
    assert (seen["errors"], seen["axe"]) == ([], [])
    return seen


def rows_of(scores: Scores, before: Scores) -> list[str]:
    """What rows say: rank, interval, name, score, and how far they have moved."""
    ranking, old = (
        podium.rank(scores, "borda:missing=imputed", n_resamples=200),
        podium.rank(before, "borda:missing=imputed", confidence_level=None),
    )
    assert ranking.intervals is not None
    rows = []
    for place, (system, rank) in enumerate(zip(ranking.systems, ranking.rank.tolist(), strict=True)):
        low, high = ranking.intervals.rank_low[place], ranking.intervals.rank_high[place]
        up = int(old.rank[old.systems.index(system)]) - rank
        moved = "" if up == 0 else f", {abs(up)} {'up' if up > 0 else 'down'}"
        rows.append(f"Rank {rank}, between {low} and {high}: {system}, score {fixed(ranking.score[place], 3)}{moved}")
    return rows


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with groups that the command made, beside its table."""
    folder = tmp_path_factory.mktemp("groups")
    as_lines(FEW, folder / "s.jsonl")
    listed = "".join(f'{task},"{group}"\n' for task, group in GROUPS.items())
    (folder / "g.csv").write_text(f"task,group\n{listed}", "utf-8")
    answer(folder, "page", "s.jsonl", "--groups", "g.csv", "-o", "board.html", "-q", "--task-weights", "t1=0.3")
    return folder / "board.html"


KNOW, NAME = "Know%2C%20it%3A%20all", "%E5%90%8D%E5%89%8D"

#: The first group times 2.5; the second is opened, its first task twice as heavy, the group muted and brought back.
STEPS = [
    "0:Shift+ArrowUp",
    "0:ArrowUp",
    "0:ArrowUp",
    "press:2 tasks of 名前",
    "2:Shift+ArrowUp",
    "1:Delete",
    "1:Shift+ArrowUp",
]

#: What that is for each task.
EFFECTIVE = {"mmlu_*": 2.5, "code1": 2.0, "t1": 0.3}


def test_what_is_copied_gives_the_same_ranking(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = read(page, *STEPS, "copy:As Python")
    given = FEW.with_task_weights({"t1": 0.3})
    assert seen["rows"] == rows_of(FEW.with_task_weights(EFFECTIVE), given)
    assert seen["address"] == f"#w=code1:2&g={KNOW}:2.5&o={NAME}"
    assert "over all nine tasks, eight of them in three groups, weighing them by hand" in seen["caption"]
    assert "--groups" not in seen["command"]
    ranked = printed(seen["command"], page.parent)
    monkeypatch.chdir(page.parent)
    made: dict[str, Any] = {}
    exec(seen["copied"], made)  # noqa: S102  # what the page tells the reader to run
    for row, system, own in zip(seen["rows"], ranked["systems"], made["ranking"].rows(), strict=True):
        for one in (system, own):
            between = f"between {one['rank_low']} and {one['rank_high']}"
            assert row.startswith(f"Rank {one['rank']}, {between}: {one['system']}, score {fixed(one['score'], 3)}")


def test_the_address_holds_groups_and_ignores_unknown_ones(page: Path) -> None:
    seen = read(f"{page}#w=code1:2&g={KNOW}:2.5,none:3&o=none,{NAME}&s=*{KNOW}&p=t2:0&pg={NAME}:0")
    weighed, pinned = FEW.with_task_weights(EFFECTIVE), FEW.with_task_weights({"t1": 0.3, "t2": 0, "code?": 0})
    assert sorted(seen["rows"]) == sorted(rows_of(weighed, pinned))
    assert seen["address"] == f"#w=code1:2&g={KNOW}:2.5&o={NAME}&p=t2:0&pg={NAME}:0&s=*{KNOW}"
    first = seen["rows"][0].split(": ")[1].split(",")[0]
    shares = TaskShares.of(FEW, Bootstrap.of(FEW, confidence=0.95, units=None, replicates=40, seed=0)).shares
    assert first == FEW.systems[int(shares[:, :4].mean(axis=1).argmax())]


def test_a_cell_of_a_group_is_the_mean_of_its_tasks(page: Path) -> None:
    seen = read(f"{page}#w=mmlu_1:3", "0:Shift+ArrowUp", "cell:1:0")
    weighed = FEW.with_task_weights({"mmlu_*": 2, "mmlu_1": 6, "t1": 0.3})
    leader = FEW.systems.index(podium.rank(weighed, "borda:missing=imputed", confidence_level=None).systems[0])
    shares = TaskShares.of(FEW, Bootstrap.of(FEW, confidence=0.95, units=None, replicates=40, seed=0)).shares
    share = np.average(shares[leader, :4], weights=[1, 3, 1, 1])
    part = 12 / weighed.task_weights.sum()
    said = seen["card"].replace("\n", " ")
    beats, of_all, adds = re.findall(r"beats ([\d.]+)% .* ([\d]+)% of all: adds (\.\d+)", said)[0]
    assert f"{float(beats):.1f}" == f"{100 * share:.1f}"
    assert (of_all, adds) == (f"{100 * part:.0f}", f"{part * share:.3f}"[1:])
    assert "Know, it: all, 4 tasks: beats" in said
    assert len(re.findall(r"mmlu_\d", said)) == 4
    assert "code1" not in said, "the card of a group lists its tasks only"


def test_by_the_mean_a_cell_leaves_out_what_has_no_score(tmp_path: Path) -> None:
    scores = {"law_0": (9, 5, 4, 2), "law_1": (None, 6, 3, 1), "art_0": (8, None, 5, 3), "art_1": (7, 6, 5, 4)}
    rows = [
        f"{task},S{system},{score}\n"
        for task, own in scores.items()
        for system, score in enumerate(own)
        if score is not None
    ]
    (tmp_path / "s.csv").write_text("task,system,score\n" + "".join(rows), "utf-8")
    made = podium.page(tmp_path / "s.csv", groups={"law*": "law", "art*": "art"}, n_resamples=40)
    made.save(tmp_path / "board.html")
    shown = f"{tmp_path / 'board.html'}#m=mean&g=law:0.5&w=law_0:2&o=law"
    group = read(shown, "cell:1:0")
    assert (
        "law, 2 tasks: beats 100% of the others on average; it has scores on 1, and the others count for nothing"
        in (group["card"])
    )
    assert "Weight 0.5, 43% of all" in group["card"], "as its bar says"
    assert re.search(r"law_1\s+none\s+none\s+0.5\s", group["card"])
    assert "counts for nothing" in group["notes"]
    task = read(shown, "cell:1:1")["card"]
    assert "Weight 1 (2 × 0.5 of its group), 29% of all" in task
    assert re.search(r"law_0\s+100%\s+9\s+1\s", task), "the list has the same weight"
    hole = read(shown, "cell:1:2")["card"]
    assert "law_1: no score here, so it counts for nothing." in hole


def test_the_board_is_sorted_by_what_is_seen(page: Path) -> None:
    seen = read(f"{page}#o={NAME}&s=:code1", "press:2 tasks of 名前")
    assert seen["address"] == f"#s=*{NAME}"
    assert read(f"{page}#s=:code1")["address"] == f"#s=*{NAME}"
    assert read(f"{page}#o={NAME}&s=:code1")["address"] == f"#o={NAME}&s=%3Acode1"


def test_weights_of_zero_are_no_tasks_and_no_command(page: Path) -> None:
    seen = read(f"{page}#g={NAME}:0")
    assert "over seven of nine tasks, six of them in two groups, weighing them by hand" in seen["caption"]
    groups = ",".join(f"{name}:0" for name in (KNOW, NAME, "other"))
    nothing = read(f"{page}#g={groups}&w=t9:0")
    assert nothing["sentence"] == "Every task has weight 0. Give at least one some weight."
    assert "command" not in nothing, "podium refuses weights that are all 0"


def test_many_tasks_fold_by_their_names_and_a_group_opens(tmp_path: Path) -> None:
    podium.page(MANY, n_resamples=60).save(tmp_path / "board.html")
    found = Groups.of(MANY.task_names, None)
    assert found is not None
    assert list(found.tasks) == ["mmlu", "bbh", "other"]
    seen = read(tmp_path / "board.html", "1:Delete", "press:40 tasks of mmlu", "2:Delete", "press:40 tasks of mmlu")
    assert seen["address"] == "#w=mmlu_1:0&g=bbh:0"
    assert "whose names begin alike" in seen["notes"]
    weighed = MANY.with_task_weights({"bbh/*": 0, "mmlu_1": 0})
    assert [row.split(":")[1] for row in seen["rows"]] == [row.split(":")[1] for row in rows_of(weighed, MANY)]
    again = read(f"{tmp_path / 'board.html'}{seen['address']}")
    assert (again["rows"], again["address"]) == (seen["rows"], seen["address"])


def test_the_sheet_of_a_phone_has_groups(page: Path) -> None:
    steps = ["press:Weights", "0:ArrowUp", "press:名前 2 tasks ▾", "2:End", "press:Done"]
    seen = read(page, *steps, WIDTH="390")
    weighed = FEW.with_task_weights({"mmlu_*": 1.25, "code1": 4, "t1": 0.3})
    assert seen["rows"] == rows_of(weighed, FEW.with_task_weights({"t1": 0.3}))
    assert seen["address"] == f"#w=code1:4&g={KNOW}:1.25&o={NAME}"


def test_groups_fit_every_screen(page: Path) -> None:
    for screen in in_chromium("measure-page.js", page, "360,768,1280"):
        for view in screen["views"]:
            assert view["wide"] <= screen["width"]
            assert view["axe"] == []
            assert screen["width"] > 700 or view["small"] == []
        if screen["sheet"] is not None:
            assert screen["sheet"]["hash"].startswith(f"#g={KNOW}:4")
            assert screen["sheet"]["above"] >= 4
