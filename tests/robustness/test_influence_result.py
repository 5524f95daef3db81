"""What a result of influence says, in words, rows, frames and JSON."""

import json

import numpy as np
import pytest

import podium
from podium import Influence
from podium.errors import LabelError
from podium.robustness.influence_result import Decisive, LeaveOneOut


def handmade() -> Influence:
    lead, every = np.array([-0.25, 0.75]), np.array([-np.inf, np.nan, 0.0, 0.0, 1.0, np.inf])
    return Influence(
        method="mean",
        level=None,
        systems=("A", "B"),
        leader="A",
        leaders=("A",),
        lead=0.5,
        tasks=LeaveOneOut.among(lead, ("x", "y"), lead, np.array([-1.0, 1.0]), (("B",), ("A",))),
        instances=LeaveOneOut.among(every, ("7",), every[:1], np.array([0.0]), (("B",),), tasks=("x, y",)),
        decisive=(Decisive("instances", ("7", "8", "9", "10"), 40, ("B",), smallest=False, tasks=("x, y",) * 4),),
        notes=("a note",),
    )


def test_words_say_what_is_lost_and_what_decides() -> None:
    assert repr(handmade()).splitlines() == [
        "Influence(what the first place of A depends on (mean))",
        "  without one task: lost without x",
        "  without one of 6 instances: lost for 1, unranked for 1, shared for 2",
        "  without 4 of 40 instances (7, 8, 9 and 1 more): B first",
    ]


def test_rows_have_tasks_first_and_no_infinite_number() -> None:
    task, other, instance = handmade().rows()
    assert task == {
        "kind": "task", "unit": "x", "task": "x", "outcome": "lost", "lead": -0.25, "influence": 0.75, "tau": -1.0,
        "first": "B",
    }  # fmt: skip
    assert other["influence"] == -0.25
    assert (instance["kind"], instance["unit"], instance["task"]) == ("instance", "7", "x, y")
    assert instance["lead"] is instance["influence"] is None
    assert instance["outcome"] == "lost"


def test_outcomes_tell_infinite_and_missing_leads_apart() -> None:
    lead = np.array([-np.inf, -0.1, np.nan, 0.0, 0.1, np.inf])
    found = LeaveOneOut.among(lead, list("abcdef"), lead, lead, [()] * 6)
    assert found.outcome == ("lost", "lost", "unranked", "shared", "kept", "kept")
    assert (found.lost, found.shared, found.unranked, found.of) == (2, 1, 1, 6)


def test_json_holds_everything() -> None:
    found = json.loads(json.dumps(handmade().to_dict(), allow_nan=False))
    assert (found["schema_version"], found["kind"]) == (1, "influence")
    assert found["counts"] == [
        {"kind": "task", "of": 2, "lost": 1, "shared": 0, "unranked": 0},
        {"kind": "instance", "of": 6, "lost": 1, "shared": 2, "unranked": 1},
    ]
    assert len(found["without"]) == 3
    assert found["decisive"][0] == {
        "kind": "instances", "units": ["7", "8", "9", "10"], "of": 40, "first": ["B"], "smallest": False,
        "tasks": ["x, y"] * 4,
    }  # fmt: skip
    assert found["notes"] == ["a note"]


def test_frames_come_as_asked_or_as_the_scores_came() -> None:
    found = handmade()
    assert found.to_frame().num_rows == 3
    assert list(found.to_frame("pandas").columns) == list(found.rows()[0])
    with pytest.raises(LabelError, match="frame library"):
        found.to_frame("excel")


def test_arrays_cannot_be_written_to() -> None:
    found = podium.influence(podium.datasets.toy_table1())
    assert found.tasks is not None
    with pytest.raises(ValueError, match="read-only"):
        found.tasks.lead[0] = 1.0
