"""Histories in which scores, directions, weights or clusters are other ones: no gain, and so no star."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import podium
from support.versions import FEW, table

Floats = NDArray[Any]


def easy_and_hard(seed: int) -> dict[str, Floats]:
    """Systems that are all alike, on a task of which all solve most, and one of which they solve few."""
    rng = np.random.default_rng(seed)
    return {task: (rng.random((6, 200)) < share) * 1.0 for task, share in (("easy", 0.9), ("hard", 0.4))}


def without(values: dict[str, Floats], task: str, row: int, columns: slice = slice(None)) -> dict[str, Floats]:
    cut = {name: rows.copy() for name, rows in values.items()}
    cut[task][row, columns] = np.nan
    return cut


@pytest.mark.parametrize("method", ["mean", "borda"])
@pytest.mark.parametrize("columns", [slice(None), slice(100)], ids=["whole task", "half of it"])
def test_scores_that_are_filled_in_are_no_gain(method: str, columns: slice) -> None:
    full = easy_and_hard(0)
    whole = columns.stop is None
    full["easy"][5] = np.arange(200) < (100 if whole else 180)
    full["hard"][5] = 1.0 if whole else np.arange(200) < 100  # what is filled in is what it is best at
    steps = {"a": table(without(full, "hard", 5, columns)), "b": table(full)}
    there = podium.history(steps, method, **FEW).steps[1]
    back = podium.history(dict(reversed(list(steps.items()))), method, **FEW).steps[1]
    for step in (there, back):
        assert step.tested == "shared"
        assert not any(one.surely for one in step.overtakings)
        assert dict(step.moves)["F"].by_scores == 0.0
        assert (dict(step.moves)["F"].lone, dict(step.moves)["F"].rescored) == (200 if whole else 100, 0)
        for _, move in step.moves:
            parts = move.by_scores + move.by_suite + move.by_field + move.by_coverage
            assert parts == pytest.approx(move.change, abs=1e-12)
    moved = {one.cause for step in (there, back) for one in step.overtakings if "F" in (one.winner, one.loser)}
    assert moved == {"coverage"}
    assert (there.first_scored, there.last_scored) == (((("hard", ("F",)),) if whole else ()), ())
    assert (back.first_scored, back.last_scored) == ((), ((("hard", ("F",)),) if whole else ()))


def test_what_was_filled_in_is_said_and_shown() -> None:
    full = easy_and_hard(1)
    told = podium.history({"a": table(without(full, "hard", 5)), "b": table(full)}, "mean", **FEW)
    text = str(told.view().tables[1])
    assert "first scored on hard: F" in text
    assert told.to_dict()["steps"][1]["first_scored"] == {"hard": ["F"]}
    part = podium.history({"a": table(without(full, "hard", 5, slice(9))), "b": table(full)}, "mean", **FEW)
    assert "scores came or went: F" in str(part.view().tables[1])


def test_a_gain_on_what_both_score_is_noticed_although_scores_came() -> None:
    full = easy_and_hard(2)
    full["easy"][5, :150] = 0.0
    later = {task: rows.copy() for task, rows in full.items()}
    later["easy"][5] = later["hard"][5] = 1.0
    steps = {"a": table(without(full, "hard", 0, slice(20))), "b": table(later)}
    sure = [one for one in podium.history(steps, "mean", **FEW).steps[1].overtakings if one.surely]
    assert {(one.winner, one.cause) for one in sure} == {("F", "scores")}
    assert len(sure) == 5


@pytest.mark.parametrize("method", ["mean", "borda"])
def test_a_system_without_scores_gains_none_from_its_first(method: str) -> None:
    rng = np.random.default_rng(3)
    full = {"t": (rng.random((6, 200)) < np.array([0.9, 0.5, 0.5, 0.5, 0.5, 0.1])[:, None]) * 1.0}
    steps = podium.history({"a": table(without(full, "t", 5)), "b": table(full)}, method, **FEW).steps
    assert not any(one.surely for one in steps[1].overtakings)
    assert not any(move.surely for _, move in steps[1].moves)


def test_a_new_task_that_only_some_are_scored_on_is_no_gain() -> None:
    full = easy_and_hard(4)
    steps = {"a": table({"easy": full["easy"]}), "b": table(without(full, "hard", 5))}
    step = podium.history(steps, "mean", **FEW).steps[1]
    assert step.tested == "shared"
    assert not any(one.surely for one in step.overtakings)


@pytest.mark.parametrize("method", ["mean", "borda"])
def test_an_order_that_the_suite_turned_round_has_no_star(method: str) -> None:
    rows = np.zeros((2, 400))
    rows[0, :300] = 1.0
    rows[1, 100:320] = 1.0
    later = rows.copy()
    later[1, 320:345] = 1.0  # a sure gain, and too small to overtake
    steps = {"a": table({"t": rows}), "b": table({"t": later, "one": np.array([[0.0], [1.0]])})}
    step = podium.history(steps, method, **FEW).steps[1]
    assert step.tested == "shared"
    assert [(one.winner, one.surely, one.cause) for one in step.overtakings] == [("B", False, "suite")]
    assert step.overtakings[0].p <= 0.05, "the gain on what both have is sure, and did not turn the order round"


@pytest.mark.parametrize("method", ["mean", "borda"])
def test_another_direction_is_said_and_has_no_star(method: str) -> None:
    values = {"t": np.arange(6.0)[:, None] + 0.01 * np.random.default_rng(5).normal(size=(6, 100))}
    values["u"] = values["t"].copy()
    told = podium.history({"a": table(values), "b": table(values, lower=["t", "u"])}, method, **FEW)
    step = told.steps[1]
    assert step.overtakings
    assert (step.tested, step.directions_changed) == ("", ("t", "u"))
    assert not any(one.surely for one in step.overtakings)
    assert "direction changed: t, u" in str(told.view().tables[1])
    assert told.to_dict()["steps"][1]["directions_changed"] == ["t", "u"]
    assert "no change is tested: the direction of a task is another one" in told.notes


def test_other_weights_instances_and_clusters_are_said() -> None:
    values = easy_and_hard(6)
    grown = {**values, "hard": np.hstack([values["hard"], values["hard"][:, :50]])}
    weighed = podium.history({"a": table(values), "b": table(values).with_task_weights({"easy": 5})}, **FEW)
    larger = podium.history({"a": table(values), "b": table(grown)}, **FEW)
    of = {task: [f"c{k // 2}" for k in range(200)] for task in values}
    grouped = podium.history({"a": table(values), "b": table(values, clusters=of)}, **FEW)
    assert "weights changed: easy" in str(weighed.view().tables[1])
    assert "other instances: hard" in str(larger.view().tables[1])
    assert "other clusters: easy, hard" in str(grouped.view().tables[1])
    assert weighed.to_dict()["steps"][1]["weights_changed"] == ["easy"]
    assert larger.to_dict()["steps"][1]["instances_changed"] == ["hard"]
    assert grouped.to_dict()["steps"][1]["clusters_changed"] == ["easy", "hard"]


@pytest.mark.parametrize(
    ("method", "units"), [("borda:task", "instances"), ("borda:two", "instances"), ("mean", "repeats")]
)
def test_the_note_says_why_nothing_is_tested(method: str, units: Any) -> None:
    values = {f"t{k}": np.random.default_rng([7, k]).normal(size=(4, 20)) for k in range(8)}
    scores = table(values)
    if units == "repeats":
        rows = [
            (task, f"{task} {k}", "ABCDEF"[i], r, v)
            for task, x in values.items()
            for (i, k), v in np.ndenumerate(x)
            for r in range(3)
        ]
        names = ("task", "instance", "system", "repeat", "score")
        scores = podium.from_frame(
            pa.table(dict(zip(names, zip(*rows, strict=True), strict=True))), repeat_column="repeat"
        )
    told = podium.history({"a": scores, "b": scores}, method, units=units, **FEW)
    assert (told.steps[1].tested, told.steps[1].untested) == (
        "",
        "the scores are no sums over units; see docs/history.md for what is",
    )
    assert f"no change is tested: {told.steps[1].untested}" in told.notes


def test_task_level_scores_are_tested_where_tasks_are_drawn() -> None:
    values = {f"t{k}": np.random.default_rng([8, k]).normal(size=(4, 20)) for k in range(8)}
    steps = {"a": table(values), "b": table(values)}
    assert podium.history(steps, "borda:task", units="tasks", **FEW).steps[1].tested == "all"


def test_a_change_is_positive_where_lower_scores_became_better() -> None:
    values = {"ms": 100.0 + np.random.default_rng(9).normal(size=(3, 60)) + np.array([[0.0], [1.0], [2.0]])}
    later = {"ms": values["ms"] - np.array([[0.0], [0.0], [12.0]])}
    steps = {"a": table(values, lower=["ms"]), "b": table(later, lower=["ms"])}
    told = podium.history(steps, "mean", **FEW)
    assert dict(told.steps[1].moves)["C"].change == pytest.approx(12.0)
    assert "score change: by how much the score became better (+) or worse (−)" in told.view().explain
    assert "+12" in str(told.view().tables[0])
