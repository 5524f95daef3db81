"""`podium.allocate`: its model against dense algebra, and what it chooses where that is plain."""

import csv
import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import podium
from podium.errors import InputError, LabelError, MethodError
from podium.planning.allocation import _COMMON, UnitGroup, _Part
from podium.score.table import Scores
from support.worlds import tables

Floats = NDArray[np.float64]

Bools = NDArray[np.bool_]


@st.composite
def scored(draw: st.DrawFn) -> Bools:
    shape = draw(st.integers(1, 5)), draw(st.integers(2, 4))
    return np.array(draw(st.lists(st.booleans(), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))).reshape(
        shape
    )


def posterior(there: Bools, variance: float, prior: float) -> Floats:
    """Covariance of parts by all observations one by one: each is part + what its unit shares + a residual."""
    unit, system = np.nonzero(there)
    shares = (unit[:, None] == unit) * _COMMON + np.eye(unit.size)
    design = np.eye(there.shape[1])[system]
    information = design.T @ np.linalg.solve(variance * shares, design) if unit.size else 0.0
    return np.asarray(np.linalg.inv(information + np.eye(there.shape[1]) / prior))


def weights(n_systems: int) -> Floats:
    w = np.arange(1.0, n_systems**2 + 1).reshape(n_systems, n_systems)
    w = np.triu(w, 1) + np.triu(w, 1).T
    return np.asarray(np.diag(w.sum(axis=1)) - w)


@given(scored(), st.floats(0.1, 10), st.floats(0.1, 10), st.data())
def test_what_a_score_settles_is_that_of_all_observations(
    there: Bools, variance: float, prior: float, data: st.DataObject
) -> None:
    n_systems = there.shape[1]
    part = _Part(UnitGroup(there, np.ones(there.shape), np.zeros(n_systems), variance, prior), np.random.default_rng(0))
    assert_allclose(part.covariance, posterior(there, variance, prior), rtol=1e-9, atol=1e-12)
    assert_allclose(part.complete, posterior(there | True, variance, prior), rtol=1e-9, atol=1e-12)
    kinds, systems = np.nonzero(~part.scored)
    if not kinds.size:
        return
    place = data.draw(st.integers(0, kinds.size - 1))
    kind, system = int(kinds[place]), int(systems[place])
    laplacian = weights(n_systems)
    told, before = part.settled(laplacian)[kind, system], np.trace(laplacian @ part.covariance)
    (unit,) = part.add(kind, system, 1)
    now = there.copy()
    now[unit, system] = True
    assert_allclose(part.covariance, posterior(now, variance, prior), rtol=1e-8, atol=1e-11)
    assert told == pytest.approx(before - np.trace(laplacian @ part.covariance), rel=1e-6, abs=1e-9)
    # the next one finds the units sorted anew
    left = np.argwhere(~part.scored)
    if len(left):
        kind, system = left[0].tolist()
        units = part.add(kind, system, len(part.units[kind]))
        now[units, system] = True
        assert_allclose(part.covariance, posterior(now, variance, prior), rtol=1e-8, atol=1e-11)


def world(systems: int = 6, tasks: int = 20, known: int = 8, lead: float = 0.0, rng: int = 0) -> Scores:
    """Two systems near the top, `lead` apart, and others far behind; all are scored on the first tasks only."""
    strength = np.array([0.0, -lead, *np.full(systems - 2, -4.0)])[:, None]
    values = strength + np.random.default_rng(rng).normal(size=(systems, tasks))
    values[:, known:] = np.nan
    values[-1, known:] = -4.0  # so that tasks are known, too
    return podium.from_arrays(values, systems=list("ABCDEF")[:systems])


def test_scores_go_to_those_that_may_be_first() -> None:
    found = podium.allocate(world(), 10, n_resamples=200)
    assert set(found.first) == {"A", "B"}
    assert {cell.system for cell in found.cells} == {"A", "B"}
    assert len({cell.tasks for cell in found.cells}) == 5  # both on the same tasks
    assert found.summary[1] == "now 2 systems may be first: A, B (95% confidence)"
    assert sum(cell.items for cell in found.cells) == 10
    assert found.needed == tuple(sorted(found.needed))
    assert found.needed[-1] <= found.left == 60


def test_who_is_first_already_gets_nothing() -> None:
    found = podium.allocate(world(lead=6.0, known=12), 10, n_resamples=200)
    assert not found.rows()
    assert found.summary == ("A is first already (95% confidence)",)
    assert "A is first already" in repr(found)


def test_two_systems_are_asked_for_by_name() -> None:
    found = podium.allocate(world(), 7, systems=["B", "C"], settle="tiers", n_resamples=200)
    assert {cell.system for cell in found.cells} <= {"B", "C"}
    with pytest.raises(LabelError, match="no system"):
        podium.allocate(world(), 7, systems=["B", "X"])


@given(tables())
def test_all_that_is_missing_is_planned_once_if_the_budget_allows(scores: Scores) -> None:
    try:
        found = podium.allocate(scores, 10_000, settle="tiers", n_resamples=40)
        again = podium.allocate(scores, 10_000, settle="tiers", n_resamples=40, n_jobs=2)
    except MethodError:
        return  # nothing to rank by, or to run
    assert again.to_dict() == found.to_dict()
    cells = [(cell.system, cell.tasks) for cell in found.cells]
    assert len(set(cells)) == len(cells)
    assert all(cell.gain >= 0 and cell.items > 0 for cell in found.cells)
    assert sum(cell.items for cell in found.cells) <= (found.left or 20_000)
    json.dumps(found.to_dict(), allow_nan=False)


def test_more_than_there_is_plans_all_and_says_so() -> None:
    found = podium.allocate(podium.datasets.xtreme_missing(), 100)
    assert len(found.cells) == found.left == 18
    assert "the budget is 100, but only 18 scores are missing: all are planned" in found.notes
    # six tasks are needed to tell anything
    assert not any(found.needed)
    rows = list(csv.DictReader(io.StringIO(str(found.render("csv")))))
    assert [row["system"] for row in rows] == [cell.system for cell in found.cells]


def answers(known: int = 30, **more: Any) -> Scores:
    """Three systems on two tasks of 60 labelled instances, of which B lacks some on the second."""
    right = (np.random.default_rng(1).random((3, 2, 60)) < np.array([0.8, 0.75, 0.1])[:, None, None]).astype(float)
    right[1, 1, known:] = np.nan
    values = {"t": right[:, 0], "u": right[:, 1]}
    labels = {task: [f"{task}{number:02}" for number in range(60)] for task in values}
    return podium.from_arrays(values, systems=list("ABC"), instances=labels, **more)


def test_a_file_has_one_row_for_each_instance_to_run() -> None:
    found = podium.allocate(answers(), 12, n_resamples=200)
    (cell,), rows = found.cells, found.rows()
    assert (cell.system, cell.tasks, cell.items) == ("B", ("u",), 12)
    assert {row["instance"] for row in rows} < {f"u{number:02}" for number in range(30, 60)}
    assert [(row["system"], row["task"], row["items"]) for row in rows] == [("B", "u", 1)] * 12
    assert_allclose(sum(row["gain"] for row in rows), cell.gain)


def test_new_instances_are_the_same_for_those_that_may_be_first() -> None:
    found = podium.allocate(answers(60), 40, n_resamples=200)
    assert found.left == 0
    items = {(cell.system, *cell.tasks): cell.items for cell in found.cells}
    assert {system for system, _ in items} == {"A", "B"}
    assert sum(items.values()) == 40
    assert all(abs(items["A", task] - items["B", task]) <= 1 for task in "tu")


def priced(*costs: Any) -> Scores:
    scores = world()
    tasks = tuple(
        replace(task, covariates={"usd": np.where(np.isnan(task.values), np.nan, np.array(costs)[:, None])})
        for task in scores.tasks
    )
    return replace(scores, tasks=tasks)


def test_costs_are_spent_where_they_settle_most() -> None:
    found = podium.allocate(priced(1, 1, 1, 1, 1, 1), 10, cost="usd", n_resamples=200)
    assert found.cells == podium.allocate(world(), 10, n_resamples=200).cells
    dear = podium.allocate(priced(1, 8, 1, 1, 1, 1), 12, cost="usd", n_resamples=200)
    number = {system: sum(cell.system == system for cell in dear.cells) for system in "AB"}
    assert number["A"] > number["B"]
    assert sum(cell.cost for cell in dear.cells) <= 12 + 1e-9
    assert all(cell.cost == pytest.approx(1.0) for cell in dear.cells if cell.system == "A")
    # twice the money for twice the price
    twice = podium.allocate(priced(2, 16, 2, 2, 2, 2), 24, cost="usd", n_resamples=200)
    assert [(cell.system, cell.tasks) for cell in twice.cells] == [(cell.system, cell.tasks) for cell in dear.cells]
    assert_allclose(twice.needed, 2 * np.array(dear.needed))


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(MethodError, match="budget is 0; it must be a whole number"):
        podium.allocate(world(), 0)
    with pytest.raises(MethodError, match=r"budget is 2\.5; it must be a whole number"):
        podium.allocate(world(), 2.5)
    with pytest.raises(LabelError, match="no settle 'frist'; did you mean 'first'"):
        podium.allocate(world(), 5, settle="frist")  # type: ignore[arg-type]
    with pytest.raises(MethodError, match="no score is missing, so there is nothing to run"):
        podium.allocate(podium.datasets.toy_table1(), 5)
    with pytest.raises(MethodError, match="only one system"):
        podium.allocate(world(), 5, systems=["A"])
    with pytest.raises(LabelError, match="no cost 'eur'"):
        podium.allocate(priced(1, 1, 1, 1, 1, 1), 5, cost="eur")
    with pytest.raises(InputError, match="cost 'usd' is not above 0 for B"):
        podium.allocate(priced(1, 0, 1, 1, 1, 1), 5, cost="usd")
    with pytest.raises(InputError, match="cost 'usd' is not known of C"):
        podium.allocate(priced(1, 1, np.nan, 1, 1, 1), 5, cost="usd")
    with pytest.raises(MethodError, match=r"budget is 0\.5, but the cheapest score costs 1"):
        podium.allocate(priced(1, 1, 1, 1, 1, 1), 0.5, cost="usd")
