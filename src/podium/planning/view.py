"""A plan: what it takes to separate each system from the next, and the missing scores to add first."""

import math
from functools import partial
from typing import Any

from podium.base.words import DASH, rounded_percent, significant
from podium.planning.result import ItemPlan, MissingCell, Plan, needed
from podium.report.view import Column, Figure, Table, View

#: Missing scores shown; JSON holds all.
_CELLS = 10

#: Stands where no amount of data separates.
_NEVER = "never"

_READING = (
    "difference: score of the system minus score of the next system in the ranking",
    "separated: the tests of rank separate the two, all pairs together",
    "instances or tasks needed: size of an evaluation whose tests separate the two with the chance asked for",
    "comparisons needed: not for the ranking, but to show (Hoeffding) that one of the two wins most of what both have",
    "value: number of pairs of systems that a missing score is expected to decide",
)


def view_plan(plan: Plan) -> View:
    """Lay out a plan: neighbours of the ranking, and the most useful of the missing scores.

    >>> import podium
    >>> view_plan(podium.plan(podium.datasets.toy_table1())).title
    'borda, task-level: 3 systems, 0 of 2 neighbours separated'
    """
    tables = (_neighbours(plan), *([_cells(plan.cells)] if plan.cells else []))
    figure = Figure("needed", f"{plan.unit.capitalize()} needed", partial(needed, plan))
    return View(plan.title, tables, plan.notes, plan.summary, figures=(figure,), explain=_READING)


def view_item_plan(plan: ItemPlan) -> View:
    """Lay out a plan of items.

    >>> import podium
    >>> view_item_plan(podium.plan_items(3000, 0.02)).title
    '3,000 items find a difference of 0.02 with a chance of 80%'
    """
    table = Table((
        Column.numbers("items", [f"{plan.items:,}"]),
        Column.numbers("difference", [f"{plan.delta:g}"]),
        Column.numbers("chance", [rounded_percent(plan.chance)]),
        Column.numbers("smallest", [DASH if math.isnan(plan.smallest) else f"{plan.smallest:.3g}"]),
        Column.numbers("items needed", [f"{plan.needed:,}"]),
        Column.numbers("discordant", [f"{significant(100 * plan.discordant)}%"]),
    ))  # fmt: skip
    reading = (
        "chance: with which a comparison of so many items finds the difference, if it is the true one",
        "smallest: difference that such a comparison finds with the power asked for; items needed: to find this one so",
        "discordant: share of items on which only one of the two systems is right",
    )
    return View(plan.title, (table,), plan.notes, plan.summary, explain=reading)


def _neighbours(plan: Plan) -> Table:
    rows = plan.neighbours()
    columns = [
        Column.labels("system", [row["system"] for row in rows]),
        Column.labels("next", [row["other"] for row in rows]),
        Column.numbers("difference", [_shown(row["difference"]) for row in rows]),
    ]
    growths = [plan.growth[place, place + 1] for place in range(len(rows))]
    if not all(math.isnan(growth) and row["difference"] != 0 for growth, row in zip(growths, rows, strict=True)):
        columns += [
            Column.numbers("std error", [_shown(row["std_error"]) for row in rows]),
            Column.words("separated", ["yes" if row["separated"] else "no" for row in rows], 1),
            Column.numbers(f"{plan.unit} now", [f"{plan.size:,.4g}"] * len(rows)),
            Column.numbers(f"{plan.unit} needed", [_units(*pair) for pair in zip(rows, growths, strict=True)], 1),
        ]
    columns += [
        Column.numbers("comparisons now", [_shown(row["comparisons_now"]) for row in rows]),
        Column.numbers("comparisons needed", [_comparisons(row) for row in rows], 1),
    ]
    return Table(tuple(columns), "neighbours")


def _units(row: dict[str, Any], growth: float) -> str:
    if row["separated"] or math.isnan(growth):
        return DASH
    return _NEVER if row["units_needed"] is None else f"{row['units_needed']:,}"


def _comparisons(row: dict[str, Any]) -> str:
    if row["probability"] is None:
        return DASH
    return _NEVER if row["comparisons_needed"] is None else f"{row['comparisons_needed']:,}"


def _cells(cells: tuple[MissingCell, ...]) -> Table:
    """Show the most useful, and how many more there are."""
    columns = (
        Column.labels("missing", [cell.system for cell in cells]),
        Column.labels("task", [cell.task for cell in cells]),
        Column.numbers("scored", [f"{100 * cell.scored:.0f}%" for cell in cells]),
        Column.numbers("value", [_value(cell) for cell in cells]),
    )
    return Table(columns, "missing scores").cut(_CELLS)


def _value(cell: MissingCell) -> str:
    return "<0.001" if 0 < cell.value < 0.0005 else f"{cell.value:.3f}"


def _shown(value: float | None) -> str:
    return DASH if value is None else f"{value:,.4g}"
