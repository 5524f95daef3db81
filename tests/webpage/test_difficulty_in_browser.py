"""The difficulty view in a real Chromium: it shows what `podium customize` prints, and its command prints the same."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from customization.test_golden import METRICS, Released
from podium.base.words import fixed
from support.browser import in_chromium
from support.entry import answer, printed

WEB = Path(__file__).parents[2] / "web"

pytestmark = [pytest.mark.usefixtures("browser"), pytest.mark.whole]


def read(file: str | Path, *pressed: str) -> Any:
    return in_chromium("read-difficulty.js", file, *pressed)


def write(folder: Path) -> None:
    """Five systems, and how sure they are, on two tasks whose instances have two measures of difficulty and a kind.

    One instance of each is not rated.
    """
    rng = np.random.default_rng(5)
    hard = rng.random((2, 90))
    solved = rng.random((5, 2, 90)) < 0.95 - hard * np.linspace(0.2, 0.7, 5)[:, None, None]
    sure = 0.05 + 0.3 * solved + 0.6 * rng.random(solved.shape)
    rows = [
        f"{system},t{task},{task}-{at},{int(solved[number, task, at])},{sure[number, task, at]:.2f}"
        for number, system in enumerate(["<b>a</b>", "b", "名前", "d", "e"])
        for task in range(2)
        for at in range(90)
    ]
    (folder / "s.csv").write_text("\n".join(["system,task,instance,accuracy,confidence", *rows]) + "\n", "utf-8")
    kinds = ("law", "a <b>tale</b>", "news", "news")
    rated = [
        f"{task}-{at},{1 - hard[task, at]:.2f},{rng.random():.3f},{kinds[at % 4]}"
        for task in range(2)
        for at in range(1, 90)
    ]
    (folder / "d.csv").write_text("\n".join(["instance,bias,failures,a kind", *rated]) + "\n", "utf-8")


def expected(command: str, folder: Path) -> list[list[str]]:
    """The rows of the table of a page, from what a command prints."""
    made = printed(command, folder)
    splits = [f"split_{split['name']}" for split in made["splits"]]
    systems = {row["system"]: row for row in made["systems"]}
    rows = []
    for row in systems.values():
        numbers = [row[name] for name in ("score_low", "score_high", "inflation", *splits)]
        ranks = [fixed(row["accuracy"], 1), str(row["accuracy_rank"]), fixed(row["score"], 1), str(row["rank"])]
        between = f"{row['rank_low']}–{row['rank_high']}"
        rows.append([row["system"], *ranks, between, *["–" if one is None else fixed(one, 1) for one in numbers]])
    return sorted([[text.replace("-", "−") if at else text for at, text in enumerate(row)] for row in rows])


OWN = ("--probability-column", "confidence")

TABLE = ("--difficulty", "d.csv")


@pytest.mark.parametrize(
    ("typed", "pressed"),
    [
        (TABLE, ("all together", "Case 9: rewards and penalties B", "Threshold 2@ArrowRight")),
        (TABLE, ("all together", "same width", "Threshold 1@Shift+ArrowLeft", "Weight of split 7@ArrowDown")),
        (TABLE, ("random", "Number of splits@Home")),
        ((*TABLE, "--splits", "a kind"), ("Measure=failures", "by a kind", "Weight of split news@ArrowUp")),
        ((*TABLE, *OWN), ("Measure=each system’s own confidence", "Case 9: rewards and penalties B")),
        (OWN, ("all together", "these are of=d", "Threshold 2@ArrowRight", "Case 8: rewards and penalties 1/B")),
        (OWN, ("random", "these are of=<b>a</b>", "From less sure to sure=all the same")),
        (("--difficulty", "irt"), ("same width", "Number of splits@ArrowLeft")),
        (("--difficulty", "failures"), ("all together", "Number of splits@Home")),
    ],
)
def test_the_view_shows_what_its_command_prints(
    typed: tuple[str, ...], pressed: tuple[str, ...], tmp_path: Path
) -> None:
    write(tmp_path)
    answer(tmp_path, "page", "s.csv", *typed, "-o", "board.html", "-q")
    seen = read(tmp_path / "board.html", *pressed)
    assert (seen["errors"], seen["axe"]) == ([], [])
    assert set(seen["requests"]) <= {"file", "blob"}
    assert sorted(seen["rows"]) == expected(seen["command"], tmp_path)
    again = read(f"{tmp_path / 'board.html'}{seen['address']}")
    assert (again["rows"], again["sentence"], again["command"]) == (seen["rows"], seen["sentence"], seen["command"])


def test_what_answers_earn_is_typed(tmp_path: Path) -> None:
    write(tmp_path)
    answer(tmp_path, "page", "s.csv", *TABLE, "-o", "board.html", "-q")
    fields = ("type:Wrong answers earn, typed~-0.5", "type:Right answers earn, typed~2")
    seen = read(tmp_path / "board.html", *fields, "type:Number of splits, typed~3")
    assert "--splits=3 --reward=2 --penalty=-0.5" in seen["command"]
    assert (seen["refused"], seen["axe"]) == ([], [])
    assert sorted(seen["rows"]) == expected(seen["command"], tmp_path)
    seen = read(tmp_path / "board.html", "type:Wrong answers earn, typed~1", "type:Number of splits, typed~40")
    assert {why.rpartition(". It stays ")[2] for why in seen["refused"]} == {"−1.", "7."}
    assert not {"--penalty", "--splits"} & {word.partition("=")[0] for word in seen["command"].split()}


def test_kernels_give_the_golden_numbers(shared: Path, tmp_path: Path) -> None:
    released = Released(shared)
    biases = [np.array(released.biases[metric.replace("WSBias_algorithm", "bias_algo")]) for metric in METRICS[:2]]
    size = biases[0].size
    goodness = released.table(released.right, released.biases["sample_id"]).tasks[0].values
    answers = []
    for number, metric in enumerate(METRICS[:2]):
        golden = released.golden["formula"][metric]
        wanted = golden["case1_7_equal_splits"]
        within = [100 * score for model in released.models for score in wanted["split_scores"][model]]
        answers.append(recipe(number, 7, 1) | {"score": [wanted["score"][model] for model in released.models]})
        answers[-1]["splitScores"] = within
        for case in range(1, 10):
            scores = golden["two_equal_splits"][f"case{case}"]
            if None not in scores.values():
                answers.append(recipe(number, 2, case) | {"score": [scores[model] for model in released.models]})
    tasks = [{"name": "sst2", "weight": 1, "instances": size, "goodness": goodness.ravel().tolist(),
              "values": [own.tolist() for own in biases], "splits": [None, None], "weights": None,
              "keys": [None, None]}]  # fmt: skip
    measures = [{"name": metric, "hard": "low", "own": False, "levels": ["two", "one"], "splits": None, "notes": []}
                for metric in METRICS[:2]]  # fmt: skip
    content = {"systems": len(released.models), "measures": measures, "tasks": tasks, "answers": answers}
    (tmp_path / "golden.json").write_text(json.dumps(content), "utf-8")
    environment = {**os.environ, "CASES_TO_CUSTOMIZE": str(tmp_path)}
    command = ["npx", "vitest", "run", "src/kernel/customize.test.ts", "-t", "golden.json"]
    done = subprocess.run(command, cwd=WEB, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout
    assert f"{len(answers)} passed" in done.stdout
    assert len(answers) >= 12


def recipe(measure: int, count: int, case: int) -> dict[str, Any]:
    weighting = podium.Weighting(case=case) if case != 3 else podium.Weighting()
    factors = {name: {"number": one.number, "power": one.power} for name, one in
               (("reward", weighting.reward), ("penalty", weighting.penalty))}  # fmt: skip
    splitting = {"by": "equal", "count": count, "marks": [], "ties": "order", "level": "two"}
    weights = {"weights": weighting.weights, **factors}
    return {"measure": measure, "splitting": splitting, "weighting": weights, "tolerance": 1e-9}


def test_the_leaderboard_counts_hard_instances_only(tmp_path: Path) -> None:
    write(tmp_path)
    answer(tmp_path, "page", "s.csv", "--difficulty", "d.csv", "-o", "board.html", "-q", "--replicates", "40")
    waits = ("until:only the harder half", "save:CSV", "copy:As Python")
    seen = in_chromium("read-page.js", tmp_path / "board.html", "choose:instances:hard", *waits)
    saved = (tmp_path / "saved.csv").read_text("utf-8")
    difficulty = podium.read_difficulty(tmp_path / "d.csv")
    scores = podium.weigh(podium.read(tmp_path / "s.csv"), difficulty, measure="bias", splits=2, split_weights=[0, 1])
    wanted = podium.rank(scores, n_resamples=40)
    assert wanted.intervals is not None
    rows = [line.split(",") for line in saved.splitlines()[1:]]
    assert [row[0] for row in rows] == list(wanted.systems)
    assert [float(row[2]) for row in rows] == pytest.approx(wanted.score.tolist(), abs=1e-12)
    assert [int(row[5]) for row in rows] == wanted.intervals.rank_low.tolist()
    assert "split_weights=[0, 1]" in seen["copied"]
    assert "i=hard" in seen["address"]
    again = in_chromium("read-page.js", f"{tmp_path / 'board.html'}{seen['address']}", *waits[:2])
    assert (tmp_path / "saved.csv").read_text("utf-8") == saved
    assert again["address"] == seen["address"]
