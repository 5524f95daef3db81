"""`podium compare` and `podium pool`: which of two is the control, and what goes out."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.base.progress import Bar
from podium.cli.output import Destination
from podium.comparison.forest_rows import COLUMNS
from support.entry import run


def long_table(folder: Path, systems: int = 2, *, tasks: int = 4) -> Path:
    """Write 0/1 scores of some systems on 60 instances of each task."""
    rng = np.random.default_rng(0)
    rows = ["system,task,instance,score"]
    for task in range(tasks):
        hard = rng.normal(size=60)
        for system in range(systems):
            right = hard + 0.4 * system + rng.normal(size=60) > 0
            rows += [f"s{system},t{task},{item},{int(score)}" for item, score in enumerate(right)]
    path = folder / "scores.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return long_table(tmp_path_factory.mktemp("three"), 3).parent


@pytest.mark.parametrize(
    ("typed", "control"),
    [
        ("--systems s0,s1", 0),
        ("--systems s1,s0", 1),
        ("--systems s1 --systems s0", 1),
        ("--systems 's1,s0,s*,!s2'", 1),
        # patterns leave two in the order of the table
        ("--systems 's1,s[0]'", 0),
        ("--systems 's[10]'", 0),
        ("--systems '!s2'", 0),
        ("--systems 's1,s*,!s2'", 0),
        # a named role counts more than the order
        ("--systems s0,s1 --treatment s0", 1),
        ("--systems s1,s0 --control s0", 0),
        ("--systems s1,s0 --treatment s0", 1),
        ("--systems s1,s0 --all", 1),
    ],
)
def test_of_two_systems_the_first_that_is_typed_is_the_control(three: Path, typed: str, control: int) -> None:
    rest = "--all" if "--all" in typed else f"--treatment s{1 - control}"
    done = run(three, f"compare scores.csv {typed}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run(three, f"compare scores.csv --systems 's[01]' --control s{control} {rest}").stdout


@pytest.mark.parametrize("asked", [[], ["--all"]])
def test_a_result_reaches_standard_output_after_the_bar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[str]
) -> None:
    ended: list[str] = []
    monkeypatch.setattr(Bar, "__exit__", lambda *_: ended.append("bar"))
    monkeypatch.setattr(Destination, "deliver", lambda *_, **__: ended.append("result"))
    run(tmp_path, "compare", long_table(tmp_path), *asked)
    assert ended[-2:] == ["bar", "result"]


def test_what_it_writes_is_pooled_again(tmp_path: Path) -> None:
    path = long_table(tmp_path)
    assert run(tmp_path, "compare", path, "-e", "or", "-o", "effects.csv").returncode == 0
    one = json.loads(run(tmp_path, "compare", path, "-e", "or", "-f", "json").stdout)["summary"]
    two = json.loads(run(tmp_path, "pool effects.csv -f json").stdout)["summary"]
    assert two == pytest.approx(one, rel=1e-9)


def test_the_plot_offers_what_the_library_draws() -> None:
    many = podium.compare_all(podium.simulate.gumbel(3, 3, 40, dispersion=1.0, rng=0).scores, control="system 1")
    for name in COLUMNS:
        podium.plots.forest(many if name == "holm" else podium.pool([0.1, 0.2], [0.1, 0.1]), left=[name])


@pytest.mark.parametrize("command", ["rank", "compare", "compare --all", "pool"])
def test_sentences_are_those_of_the_library(tmp_path: Path, command: str) -> None:
    path = long_table(tmp_path)
    scores, control = podium.read(path), podium.read(path).systems[0]
    if command == "pool":
        result: Any = podium.pool([0.1, 0.3], [0.01, 0.02])
        path.write_text("effect,variance\n0.1,0.01\n0.3,0.02\n", "utf-8")
    else:
        all_pairs = podium.compare_all if "--all" in command else podium.compare
        result = podium.rank(scores) if command == "rank" else all_pairs(scores, control=control)
    said = run(tmp_path, *command.split(), path, "--sentence")
    assert said.stdout == f"{result.sentence}\n"
    assert result.to_dict()["sentence"] == result.sentence
    run(tmp_path, *command.split(), path, "--sentence", "-o", "paper.txt")
    assert (tmp_path / "paper.txt").read_text("utf-8") == said.stdout
    refused = run(tmp_path, *command.split(), path, "--sentence", "-f", "csv")
    assert "--sentence is plain text, and not csv" in refused.stderr
