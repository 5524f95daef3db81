"""What to run next, as a result; and what it looks like."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, ClassVar, Literal

from podium.base.arrays import plain
from podium.base.words import few, how_many, percent, rounded_percent, significant, two_digits
from podium.planning.figure import allocated
from podium.report.result import Result
from podium.report.view import Column, Figure, Table, View

#: What is to be settled.
Settle = Literal["first", "tiers"]

_READING = (
    "gain: number of pairs of systems that it is expected to settle; a pair counts by the share of what it needs",
    "files and JSON have one row for each thing to run; new instances have no names, but a number",
)

#: Tasks of the same instances, or of a family, that text names.
_NAMED = 3

#: Tasks below which a plan saved nothing in simulations.
_FEW_TASKS = 20

#: Share of simulated completions below which it is not worth saying that a single system is left.
_RARE = 0.005


@dataclass(frozen=True, slots=True)
class Cell:
    """A system that is to be run on a task.

    Attributes
    ----------
    system, tasks
        Labels; tasks of one family, or of the same instances, are run together.
    items
        How many of its instances, or 1 for the task itself.
    cost
        Of all of them; their number if no cost is named.
    gain
        Number of pairs that they are expected to settle; each counts by the share of what it needs.
    instances
        Which, by label; None of tasks, of new instances, and where instances have no labels.
    """

    system: str
    tasks: tuple[str, ...]
    items: int
    cost: float
    gain: float
    instances: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Allocation(Result):
    """Scores to run next, in order.

    Attributes
    ----------
    cells
        What to run.
    settle
        "first" or "tiers".
    budget
        How many scores, or what they may cost.
    cost
        Name of the cost, or None.
    unit
        What is run: "scores", "instances" or "clusters".
    left
        How many scores are missing; 0 if all cells are of new instances.
    first
        The systems that may be first now; empty if there is too little data to say so.
    helped
        Share of simulated completions in which all that can be run settles more than is settled now.
    needed
        What it takes in these, as the budget counts, until as much is settled: the 5%, 50% and 95% quantile.
    new
        How many new instances of all tasks are thought of for each system; 0 if scores are missing.
    alone
        Share of simulated completions in which a single system may be first once all is there; NaN for tiers.
    confidence
        Of what is settled.
    notes
        What to know before trusting it, in words.

    Examples
    --------
    >>> import podium
    >>> podium.allocate(podium.datasets.xtreme_missing(), 5).left
    18
    """

    schema: ClassVar[str] = "allocation"
    _row_key: ClassVar[str] = "cells"

    cells: tuple[Cell, ...]
    settle: str
    budget: float
    cost: str | None
    unit: str
    left: int
    first: tuple[str, ...]
    helped: float
    needed: tuple[float, float, float]
    new: int
    alone: float
    confidence: float
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @property
    def title(self) -> str:
        """Return how much is planned of what is left."""
        items = sum(cell.items for cell in self.cells)
        number = how_many(items, self.unit[:-1]) if items else "nothing"
        return f"{number} to run{f' of {self.left:,} missing' if self.left else ''}, to settle {_ASKED[self.settle]}"

    @property
    def summary(self) -> tuple[str, ...]:
        """Say what to run first, who may be first now, and how much settles the question, in sentences."""
        said = [f"run {' and '.join(map(self._named, self.cells[:2]))} first"] if self.cells else []
        sure = f"{percent(self.confidence)} confidence"
        if self.settle == "first" and len(self.first) == 1:
            return (*said, f"{self.first[0]} is first already ({sure})")
        if self.settle == "first" and self.first:
            said.append(f"now {how_many(len(self.first), 'system')} may be first: {few(self.first)} ({sure})")
        everything = f"all {self.left:,} missing" if self.left else f"up to {self.new:,} new"
        if self.helped < _RARE:
            return (
                *said,
                f"{everything} {self.unit} would {_MORE[self.settle]} in hardly any of simulated completions",
            )
        low, median, high = (two_digits(value if self.cost else round(value)) for value in self.needed)
        what = f"a {self.cost} of about {median}" if self.cost else f"about {median}"
        beyond = ", more than the budget" if self.needed[1] > self.budget else ""
        share = rounded_percent(self.helped)
        each = "" if self.left else " a system"
        said.append(f"{everything} {self.unit}{each} would {_MORE[self.settle]} in {share} of simulated completions")
        said.append(f"in these, {what} ({low} to {high}) would do{beyond}")
        if self.alone >= _RARE:
            said.append(f"a single system would be left in {rounded_percent(self.alone)} of all completions")
        return tuple(said)

    def _named(self, cell: Cell) -> str:
        items = "" if self.unit == "scores" else f"{how_many(cell.items, self.unit[:-1])} of "
        return f"{cell.system} on {items}{few(cell.tasks, _NAMED)}"

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary for each thing to run, by which cost and gain of a cell are shared out.

        That is a system on a task, or on an instance, whose tasks stand together; instances that have no labels are one
        row, with their number as `items`.
        """
        found = []
        for cell in self.cells:
            named = cell.instances or (None,)
            tasks = cell.tasks if self.unit == "scores" else (", ".join(cell.tasks),)
            share, items = 1 / (len(named) * len(tasks)), cell.items // len(named)
            numbers = {"items": items, "cost": share * cell.cost, "gain": share * cell.gain}
            runs = product(named, tasks)
            found += [plain({"system": cell.system, "task": task, "instance": one, **numbers}) for one, task in runs]
        return found

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        columns = [
            Column.labels("system", [cell.system for cell in self.cells]),
            Column.labels("task", [few(cell.tasks, _NAMED) for cell in self.cells]),
        ]
        if self.unit != "scores":
            columns.append(Column.numbers(self.unit, [f"{cell.items:,}" for cell in self.cells]))
        if self.cost:
            columns.append(Column.numbers(self.cost, [f"{cell.cost:.4g}" for cell in self.cells]))
        columns.append(Column.numbers("gain", [significant(cell.gain) for cell in self.cells], 1))
        figures = (Figure("allocated", "What to run of each system", partial(allocated, self)),) if self.cells else ()
        table = Table(tuple(columns), "to run, in order")
        return View(self.title, (table,), self.notes, self.summary, figures, explain=_READING)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        names = ("settle", "budget", "cost", "unit", "left", "new", "confidence", "helped", "alone")
        low, median, high = self.needed
        return plain(
            {
                **{name: getattr(self, name) for name in names},
                "first": list(self.first),
                "needed": {"low": low, "median": median, "high": high},
                "cells": self.rows(),
            }
        )


_ASKED = {"first": "who is first", "tiers": "the tiers"}
_MORE = {"first": "rule out more systems", "tiers": "part more tiers"}


def notes_of_allocation(
    budget: float, left: int, cost: str | None, ways: tuple[str, str], tasks: float
) -> Sequence[str]:
    """Say what the plan is not, if there are few tasks, if less is left, and if gains are those of another method."""
    notes = ["run them, add the scores, and ask again: the answer depends on what they are"]
    if tasks < _FEW_TASKS:
        notes.append(f"with {how_many(int(tasks), 'task')}, running all systems task by task settles it as soon")
    if cost is None and 0 < left < budget:
        notes.append(f"the budget is {budget:,.0f}, but only {how_many(left, 'score')} are missing: all are planned")
    if ways[0] != ways[1]:
        notes.append(f"gains are those of {ways[1]}, whose scores are sums; who may be first is by {ways[0]}")
    return notes
