"""Studies, influences and robustness as text: what is shown is what was found, whatever is missing."""

import csv
import html
import io
import json
import re
from dataclasses import replace
from itertools import product
from math import ceil, floor
from typing import Any

import numpy as np
import pytest

from podium.report.result import Result
from podium.report.view import Table
from podium.robustness.api import Robustness
from podium.robustness.influence_result import Decisive, Influence, LeaveOneOut
from podium.robustness.study_result import Study
from support.robust import AXES, influence_of, robustness_of, study_of
from support.shown import rendered

SIX = ("mean", "borda:one", "borda:two", "kemeny:task", "bradley-terry:one", "copeland:two")

nan = np.nan


def broken() -> Study:
    """A study in which some numbers do not exist."""
    study = study_of()
    holed = {name: np.full_like(getattr(study.swept[1], name), nan) for name in ("tau", "kept")}
    return replace(study, swept=(study.swept[0], replace(study.swept[1], **holed), study.swept[2]))


def undecided() -> Influence:
    """Three share the first place, one task cannot be left out, and nothing decides."""
    lead = np.array([0.0, nan])
    tasks = LeaveOneOut.among(lead, ("t1", "t2"), lead, np.array([1.0, nan]), (("A", "B", "C"), ()))
    return replace(influence_of(), leaders=("A", "B", "C"), lead=0.0, tasks=tasks, decisive=())


RESULTS: dict[str, Robustness | Study | Influence] = {
    "whole": robustness_of(study_of(list(AXES)[:9]), influence_of(17, 30)),
    "truth": robustness_of(study_of(list(AXES)[:9], SIX[:4], truth=True), influence_of(3)),
    "no influence": robustness_of(study_of()),
    "no notes": robustness_of(study_of(), influence_of(), notes=()),
    "instances alone": robustness_of(study_of(), influence_of(0, 12)),
    "nothing to leave out": robustness_of(study_of(), influence_of(0)),
    "one method, one repeat": robustness_of(study_of(methods=["borda"], repeats=1)),
    "six methods": robustness_of(study_of(methods=SIX)),
    "one system": robustness_of(study_of(systems=["A"])),
    "no number": robustness_of(broken(), replace(influence_of(), lead=nan)),
    "undecided": robustness_of(study_of(), undecided()),
    "study": study_of(truth=True),
    "study without stress": study_of(["missing"], strengths=[0]),
    "influence": influence_of(17, 30),
    "influence, nothing to leave out": influence_of(0),
}


@pytest.mark.parametrize(("name", "format_"), list(product(RESULTS, ("table", "json", "csv", "html"))))
def test_every_result_has_every_format(name: str, format_: str) -> None:
    result = RESULTS[name]
    text = rendered(result, format_)
    assert text.endswith("\n")
    assert "nan" not in text.lower()
    if format_ == "json":
        assert json.loads(text)["kind"] == type(result).__name__.lower()
    elif format_ == "csv":
        rows = list(csv.DictReader(io.StringIO(text)))
        assert len(rows) == len(result.rows())
        assert text.startswith(
            "kind,unit,task,outcome,lead" if isinstance(result, Influence) else "stress,strength,method"
        )
    else:
        for sentence in result.view().verdict:
            assert sentence in html.unescape(text)


@pytest.mark.parametrize("name", RESULTS)
def test_tables_fit_on_a_terminal(name: str) -> None:
    lines = [line for line in rendered(RESULTS[name]).splitlines() if not line.startswith("note: ")]
    assert max(map(len, lines)) <= 120


def grid(result: Result, first: str) -> Table:
    """The first table whose first column has a heading."""
    return next(grid for grid in result.view().tables if grid.head[0] == first)


def test_of_each_stress_a_weak_a_middle_and_the_strongest_strength_are_shown() -> None:
    study = study_of(truth=True)
    rows = grid(study, "stress").rows
    assert [row[:2] for row in rows] == [
        *(("corrupt", text) for text in ("1", "5", "15")),
        *(("scale", text) for text in ("1", "9", "999")),
        *(("missing", text) for text in ("0.05", "0.3", "0.9")),
    ]
    one = study.sweep("scale")
    values = one.tau[1, 2]
    low, high = (end[1, 2] for end in study.interval(one))
    assert 0 < low < one.kept[1, 2].mean() < high < 1
    tau, kept = f"{values.mean():.2f} ± {values.std(ddof=1):.2f}", f"{floor(100 * low)}–{ceil(100 * high)}%"
    assert rows[4][4:] == (tau, kept)
    assert one.error is not None
    errors = one.error[0, 4]
    assert grid(study, "error under").rows[5][2] == f"{errors.mean():.2f} ± {errors.std(ddof=1):.2f}"
    assert [row[1] for row in grid(RESULTS["study without stress"], "stress").rows] == ["0"]


def certain(study: Study) -> Study:
    """The same, as if all cases had been tried."""
    return replace(
        study, swept=tuple(replace(one, listed=np.ones(len(one.strengths), dtype=np.bool_)) for one in study.swept)
    )


def test_breakdown_points_are_those_of_the_study() -> None:
    study = certain(study_of())
    found = grid(study, "lost under")
    assert [row[1] for row in found.rows] == [AXES[one.name][1] for one in study.swept]
    points = study.breakdown("kept"), study.breakdown("tau")
    texts = [float(cell.removeprefix(">").replace(",", "")) for row in found.rows for cell in row[2:]]
    wanted = [
        point[one.name][method] or max(one.strengths)
        for one in study.swept
        for method in study.methods
        for point in points
    ]
    assert texts == wanted
    some = [point[one.name][method] is None for one in study.swept for method in study.methods for point in points]
    assert [cell.startswith(">") for row in found.rows for cell in row[2:]] == some
    assert True in some


def test_open_breakdown_points_are_spans() -> None:
    study = study_of()
    cells = [row[2:5:2] for row in grid(study, "lost under").rows]
    seen = set()
    for one, row in zip(study.swept, cells, strict=True):
        for cell, (early, late) in zip(row, study.breakdown_interval(one), strict=True):
            kind = "open" if late is None and early is not None else "none" if late is None else "span"
            seen.add(kind)
            assert {"open": "≥", "none": ">", "span": "–"}[kind] in cell
    assert {"open", "span"} <= seen


def test_percentages_are_whole_only_where_nothing_is_lost() -> None:
    study = study_of(["missing"], ["borda"], strengths=[0.1], repeats=1000)
    for ones, text in ((1000, "100%"), (999, ">99%"), (990, "99%"), (1, "<1%"), (0, "0%")):
        kept = (np.arange(1000) < ones).astype(np.float64)[None, None]
        changed = replace(study, swept=(replace(study.swept[0], kept=kept),))
        assert grid(certain(changed), "stress").rows[0][3] == text
        low, high = (end.item() for end in changed.interval(changed.swept[0]))
        assert grid(changed, "stress").rows[0][3] == f"{floor(100 * low)}–{ceil(100 * high)}%"


def test_the_most_influential_are_shown() -> None:
    influence = influence_of(17, 30)
    tasks, instances = grid(influence, "without task"), grid(influence, "without instance")
    assert influence.tasks is not None
    leads = influence.tasks.lead.tolist()
    assert tasks.rows[0] == ("task 1", "−0.0100", "0.990", "C")
    assert tasks.rows[1] == ("task 2", "0.0000", "1.000", "A, C")
    assert tasks.rows[2][3] == "="
    assert tasks.rows[10] == ("… 7 more", f"{leads[10]:.4f} to {leads[16]:.4f}", "", "")
    assert len(tasks.rows) == 11
    assert [row[:2] for row in instances.rows] == [
        *((f"item {index}", f"task {index}") for index in range(1, 6)),
        ("… 25 more", ""),
    ]
    assert [grid.head[0] for grid in RESULTS["no influence"].view().tables] == ["stress", "lost under"]
    shared = grid(RESULTS["undecided"], "without task").rows
    assert shared == [("t1", "0.000", "1.000", "="), ("t2", "unranked", "–", "–")]


def test_decisive_sets_are_shown() -> None:
    names = tuple(f"i{index}" for index in range(7))
    few = (
        Decisive("tasks", ("t1",), 17, ("B",), smallest=True),
        Decisive("instances", names, 12000, ("B", "C", "D"), smallest=False),
    )
    assert grid(replace(influence_of(), decisive=few), "decisive").rows == [
        ("1 of 17 tasks", "t1", "B", "proved"),
        ("7 of 12,000 instances", "i0, i1, i2, i3, i4 and 2 more", "B, C and 1 more", "not proved"),
    ]


def test_notes_are_said_once() -> None:
    said = ("tasks count alike",)
    result = robustness_of(replace(study_of(), notes=said), replace(influence_of(), notes=said), notes=said)
    assert result.view().notes.count("tasks count alike") == 1


def test_labels_cannot_steer_a_terminal() -> None:
    evil = "a\x1b[31m\nb"
    influence = influence_of(1, 1, systems=(evil, "B"), level=evil)
    influence = replace(influence, decisive=(Decisive("tasks", (evil,), 1, (evil,), smallest=True),), notes=(evil,))
    study = study_of(methods=[evil])
    study = replace(study, swept=tuple(replace(one, name=f"{one.name}{evil}", axis=evil) for one in study.swept))
    shown: list[Any] = [robustness_of(study, influence, verdict=(evil,), notes=(evil,)), study, influence]
    for result in shown:
        assert "\x1b" not in rendered(result)
        assert not re.search(r"^b(\s|$)", rendered(result), re.MULTILINE)


def test_infinite_leads_are_told_apart_and_counted() -> None:
    lead = np.array([-np.inf, np.nan, 0.5, np.inf])
    tasks = LeaveOneOut.among(lead, list("wxyz"), lead, np.ones(4), [("B",), (), ("A",), ("A",)])
    result = replace(influence_of(), tasks=tasks, instances=None, lead=0.5)
    found = grid(result, "without task")
    assert [row[1] for row in found.rows] == ["−∞", "unranked", "0.500", "∞"]
    assert "lost for 1, unranked for 1 of 4" in found.caption
    assert "lead is −∞ where A cannot be placed, and ∞ where no other system can" in result.view().explain


def test_of_instances_that_are_not_listed_only_the_least_lead_is_told() -> None:
    lead = np.linspace(0.1, 1.0, 100)
    some = LeaveOneOut.among(lead, list("abcdefg"), lead[:7], np.ones(7), [("A",)] * 7, tasks=["t"] * 7)
    found = grid(replace(influence_of(), instances=some), "without instance")
    assert found.rows[-1][:3] == ("… 95 more", "", f"{lead[5]:.4f} or more")
