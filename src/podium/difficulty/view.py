"""Difficulty as a short view: how each measure is spread, and the hardest and easiest instances."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from podium.base.words import DASH
from podium.report.table import Column, Table
from podium.report.view import View

if TYPE_CHECKING:
    from podium.difficulty.result import Difficulty, Measure

#: Hardest and easiest instances shown.
_ENDS = 5

#: Instances shown on which better systems do worse, and how likely that is at least.
_SUSPECTS, _LIKELY = 15, 0.5

_QUANTILES = {"lowest": 0.0, "25%": 0.25, "median": 0.5, "75%": 0.75, "highest": 1.0}

_READING = (
    "hard: whether high or low values of the measure are hard",
    "distinct values, largest tie: how finely the measure orders the instances",
)


def view_difficulty(difficulty: "Difficulty") -> View:
    """Lay out a difficulty: quantiles and ties of its measures; then the ends of each. Files hold all instances.

    >>> values = np.array([0.9, 0.5, 0.5, np.nan])
    >>> view = view_difficulty(Difficulty(np.arange(4), (Measure("bias", values, "low"),)))
    >>> view.tables[0].rows
    [('bias', 'low', '3', '0.5000', '0.5000', '0.5000', '0.7000', '0.9000', '2', '2')]
    """
    ends = [_ends(difficulty, measure) for measure in difficulty.measures if np.isfinite(measure.values).any()]
    tables = (_spread(difficulty), *ends, *_suspects(difficulty))
    return View(difficulty.title, tables, difficulty.notes, explain=_READING)


def _spread(difficulty: "Difficulty") -> Table:
    """One row per measure."""
    rows = [_row(measure) for measure in difficulty.measures]
    names, hard, *numbers = zip(*rows, strict=True)
    heads = ("instances", *_QUANTILES, "distinct values", "largest tie")
    columns = [Column.numbers(name, cells) for name, cells in zip(heads, numbers, strict=True)]
    return Table((Column.labels("measure", names), Column.words("hard", hard), *columns), "measures")


def _row(measure: "Measure") -> tuple[str, ...]:
    there = measure.values[~np.isnan(measure.values)]
    if not there.size:
        return measure.name, measure.hard, "0", *[DASH] * (len(_QUANTILES) + 2)
    ties = np.unique(there, return_counts=True)[1]
    spread = [f"{value:.4f}" for value in np.quantile(there, list(_QUANTILES.values()))]
    return measure.name, measure.hard, f"{there.size:,}", *spread, f"{ties.size:,}", f"{ties.max():,}"


def _ends(difficulty: "Difficulty", measure: "Measure") -> Table:
    """Hardest instances first; of equals those that come first."""
    order = _hardest_first(measure)
    most = min(_ENDS, order.size // 2) or order.size
    chosen = [*order[:most], *order[max(order.size - most, most) :]]
    columns = [
        Column.labels("", ["hardest" if place < most else "easiest" for place in range(len(chosen))]),
        Column.labels("instance", [str(difficulty.instances[row]) for row in chosen]),
        Column.numbers(measure.name, [f"{measure.values[row]:.4f}" for row in chosen]),
    ]
    if difficulty.tasks is not None:
        columns.insert(1, Column.labels("task", [str(difficulty.tasks[row]) for row in chosen]))
    why = dict(difficulty.extras).get("estimate")
    if why is not None and not (why[chosen] == "yes").all():
        columns.append(Column.words("estimate", [str(why[row]) for row in chosen]))
    return Table(tuple(columns), f"hardest and easiest by {measure.name}")


def _suspects(difficulty: "Difficulty") -> tuple[Table, ...]:
    """Show the instances on which better systems rather do worse, likeliest first; nothing if none was looked for."""
    extras = dict(difficulty.extras)
    if "suspect" not in extras:
        return ()
    likely = np.nan_to_num(extras["suspect"], nan=0.0)
    order = np.argsort(-likely, kind="stable")
    chosen = order[: min(int((likely > _LIKELY).sum()), _SUSPECTS)].tolist()
    columns = [
        Column.labels("instance", [str(difficulty.instances[row]) for row in chosen]),
        Column.numbers("probability", [f"{likely[row]:.3f}" for row in chosen]),
        Column.numbers("slope", [f"{extras['slope'][row]:.2f}" for row in chosen]),
        Column.words("suspect", ["yes" if extras["suspects"][row] else "maybe" for row in chosen]),
    ]
    if difficulty.tasks is not None:
        columns.insert(0, Column.labels("task", [str(difficulty.tasks[row]) for row in chosen]))
    return (Table(tuple(columns), "instances on which better systems do worse"),) if chosen else ()


def _hardest_first(measure: "Measure") -> NDArray[np.intp]:
    rows = np.flatnonzero(~np.isnan(measure.values))
    values = measure.values[rows]
    return rows[np.argsort(values if measure.hard == "low" else -values, kind="stable")]
