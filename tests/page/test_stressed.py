"""What a page says of robustness is what `podium.stress` found."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.errors import InputError
from podium.robustness.figure import Spread
from support.bundle import contents, unpacked
from support.entry import WIDE, run


def test_it_holds_the_verdict_and_the_curves() -> None:
    scores = podium.datasets.toy_table1()
    found = podium.stress(scores, ["borda", "mean"], only=["tasks", "scale"], repeats=10, jobs=1)
    made = podium.make_page(scores, replicates=40, robustness=found, commands={"stress": "podium stress s.csv"})
    told = unpacked(made.data)[0]["robustness"]
    assert told["command"] == "podium stress s.csv"
    assert told["verdict"] == list(found.verdict)
    assert told["notes"] == list(found.notes)
    assert told["leaders"] == [list(leaders) for leaders in found.study.leaders]
    broken = found.study.breakdown("kept")
    for stress, swept in zip(told["stresses"], found.study.swept, strict=True):
        assert (stress["name"], stress["axis"]) == (swept.name, swept.axis)
        assert stress["breakdown"] == list(broken[swept.name].values())
        np.testing.assert_array_equal(stress["strengths"], swept.strengths)
        spread = Spread.of(found.study, swept, "kept")
        np.testing.assert_array_equal(stress["mean"], swept.mean("kept"))
        np.testing.assert_array_equal([stress["low"], stress["high"]], [spread.low, spread.high])


def test_without_it_a_page_holds_nothing_of_it() -> None:
    made = podium.make_page(podium.datasets.toy_table1(), replicates=40)
    assert "robustness" not in unpacked(made.data)[0]


def test_what_is_no_robustness_of_these_systems_is_refused() -> None:
    scores = podium.datasets.toy_table1()
    found = podium.stress(scores, ["borda"], only=["tasks"], repeats=2, jobs=1)
    with pytest.raises(InputError, match="that of other systems"):
        podium.make_page(podium.datasets.xtreme_missing(), robustness=found)
    with pytest.raises(InputError, match="expected a Robustness, not bool"):
        podium.make_page(scores, robustness=True)  # type: ignore[arg-type]


def test_the_command_stresses_by_its_seed_and_says_what_the_page_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stress = podium.stress

    def quick(scores: podium.Scores, *, seed: int, progress: Any) -> podium.Robustness:
        return stress(scores, ["borda"], only=["tasks"], repeats=3, jobs=1, seed=seed, progress=progress)

    monkeypatch.setattr(podium, "stress", quick)
    (tmp_path / "s.csv").write_text(WIDE, "utf-8")
    options = [
        "--stress",
        "--seed",
        "3",
        "--lower=ter",
        "--confidence",
        "0.9",
        "--replicates=40",
        "--task-weights",
        "rte=2",
    ]
    done = run(tmp_path, "page", "s.csv", *options)
    assert done.returncode == 0, done.stderr
    assert "no gold answers; the verdict may name instances" in done.stderr
    content = contents((tmp_path / "board.html").read_text("utf-8"))
    assert content["robustness"]["command"] == "podium stress s.csv --seed 3 --lower=ter --task-weights rte=2"
    assert content["agreement"]["command"] == "podium agree s.csv --lower=ter --task-weights rte=2"
    scores = podium.read(tmp_path / "s.csv", lower=["ter"]).with_task_weights({"rte": 2})
    wanted = stress(scores, ["borda"], only=["tasks"], repeats=3, jobs=1, seed=3)
    assert content["robustness"]["verdict"] == list(wanted.verdict)
