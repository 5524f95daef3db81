"""`--plot`: pictures beside the result, and what is refused before the work."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import podium
from support.entry import run, run_script, wide

#: Commands and the results whose figures they offer.
SIZES = {"size": {"t": 1.0, "u": 2.0, "v": 4.0}}

OFFERED: dict[str, Callable[[podium.Scores], list[Any]]] = {
    "rank": lambda scores: [podium.rank(scores, confidence=None), podium.pairwise(scores), podium.agree(scores)],
    "pairwise": lambda scores: [podium.pairwise(scores)],
    "agree": lambda scores: [podium.agree(scores)],
    "compare": lambda scores: [podium.compare(scores, control="a", treatment="b", moderators=SIZES)],
    "pool": lambda scores: [podium.compare(scores, control="a", treatment="b", moderators=SIZES)],
    "customize": lambda scores: [podium.customize(scores, podium.failure_rate(scores), splits=2, confidence=None)],
    "stress": lambda scores: [podium.stress(scores, ["mean"], only=["scale"], repeats=1, jobs=1)],
    "plan": lambda scores: [podium.plan(scores)],
    "info": lambda scores: [podium.describe(scores)],
}

SUFFIXES = {"heatmap": "svg", "ranks": "pdf", "cd": "png", "bump": "svg"}


def test_every_picture_is_drawn_beside_the_result(tmp_path: Path) -> None:
    scores = podium.simulate.gumbel(3, 2, 30, dispersion=1.0, rng=0).scores
    lines = [
        f"{system},{task.name},{index},{value}"
        for task in scores.tasks
        for system, row in zip(scores.systems, task.values, strict=True)
        for index, value in enumerate(row)
    ]
    (tmp_path / "scores.csv").write_text("\n".join(["system,task,instance,score", *lines]), encoding="utf-8")
    asked = [part for name, suffix in SUFFIXES.items() for part in ("--plot", f"{name}={name}.{suffix}")]
    done = run_script(tmp_path, "rank", "scores.csv", *asked)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run(tmp_path, "rank", "scores.csv").stdout
    for name, suffix in SUFFIXES.items():
        assert (tmp_path / f"{name}.{suffix}").stat().st_size > 1000


@pytest.mark.parametrize("command", OFFERED)
def test_a_command_offers_the_figures_of_its_result(tmp_path: Path, command: str) -> None:
    right = {"t": [[1, 1, 0, 1], [0, 1, 0, 0]], "u": [[1, 0, 1, 1], [0, 1, 1, 0]], "v": [[1, 0, 0, 0], [0, 0, 1, 0]]}
    scores = podium.from_arrays(right, systems=["a", "b"])
    figures = {figure.name for result in OFFERED[command](scores) for figure in result.view().figures}
    text = " ".join(run(tmp_path, command, "--help").stdout.split())
    said = re.search(r"SVG, PDF or PNG: (.*?\))\.", text)
    assert set(re.findall(r"(\w+) \(", said[1]) if said else ()) == figures


def test_the_only_picture_of_a_command_need_not_be_named(tmp_path: Path) -> None:
    for command in ("pairwise", "agree"):
        done = run(tmp_path, command, "dataset:toy-table1", "--plot", f"{command}.svg")
        assert (done.returncode, (tmp_path / f"{command}.svg").exists()) == (0, True), done.stderr


def test_the_input_is_not_drawn_over(tmp_path: Path) -> None:
    table = wide(tmp_path).rename(tmp_path / "table.svg")
    done = run(tmp_path, "rank", "table.svg", "--input-format", "csv", "--plot", "bump=table.svg")
    assert done.returncode == 2
    assert "table.svg is read as input and would be overwritten" in done.stderr
    assert table.read_text(encoding="utf-8").startswith("system,")


def test_without_matplotlib_the_extra_is_named_before_the_work(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from podium.cli import main\n"
        "sys.argv = ['podium', 'rank', 'there-is-no-such-file.csv', '--plot', 'bump=a.svg']\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: a picture needs matplotlib: pip install 'podium[plot]'\n"
