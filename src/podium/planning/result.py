"""Results of plans: how much more data separates systems, and which scores to run next."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, plain
from podium.base.words import DASH, LONG, few, how_many, percent, rounded_percent, significant, two_digits
from podium.planning.figure import allocated, needed
from podium.ranking.method_spec import in_words
from podium.ranking.result import Ranking
from podium.report.result import Result
from podium.report.view import Column, Figure, Table, View

#: Stands where no amount of data separates.
_NEVER = "never"

_READING = (
    "difference: score of the system minus score of the next system in the ranking",
    "separated: the tests of rank separate the two, all pairs together",
    "instances or tasks needed: size of an evaluation whose tests separate the two with the chance asked for",
    "comparisons needed: not for the ranking, but to show (Hoeffding) that one of the two wins most of what both have",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plan(Result):
    """More data that would separate the N systems of a ranking, in its order.

    Attributes
    ----------
    method, level
        Of the ranking.
    systems
        The N labels, best first; unranked systems last.
    confidence
        With which systems are to be separated, all pairs together.
    power
        Probability with which a new evaluation of the size in `growth` separates them.
    units
        What there is to be more of: "instances" of the same tasks; "tasks"; "both": tasks, with their instances.
    size
        How many there are: mean number of instances a task (of clusters, where these are drawn), or number of tasks.
    difference
        Shape `(N, N)`: how much better i is than j, in units of the score; 0 for a shared rank, NaN where unranked.
    std_error
        Shape `(N, N)`: its standard deviation over replicates; NaN where there are none.
    separated
        Shape `(N, N)`: whether i is better than j, all pairs together, by the bootstrap.
    growth
        Shape `(N, N)`: factor by which the number of units must grow, see `podium.planning.power.growth_of_pairs`;
        infinite where the difference is 0. NaN where it has no standard error, or where it is large for its standard
        error but many replicates reverse it.
    probability
        Shape `(N, N)`: share of the direct comparisons of i and j that i won.
    compared
        Shape `(N, N)`: number of these comparisons, of instances, or of tasks where tasks are the units.
    comparisons
        Shape `(N, N)`: more comparisons than this show by Hoeffding's bound that i is better than j, all pairs
        together, if the share stays the same; infinite where i wins at most half, NaN where nothing was compared.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.
    clustered
        Whether there is to be more of clusters of instances, as large as those there are.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(3, 4, 50, dispersion=0.1, rng=0).scores
    >>> plan = podium.plan(scores, "mean", n_resamples=200)
    >>> plan.units, plan.size
    ('instances', 50.0)
    """

    schema: ClassVar[str] = "plan"
    _row_key: ClassVar[str] = "pairs"

    method: str
    level: str | None
    systems: tuple[str, ...]
    confidence: float
    power: float
    units: str
    size: float
    difference: Floats
    std_error: Floats
    separated: NDArray[np.bool_]
    growth: Floats
    probability: Floats
    compared: Floats
    comparisons: Floats
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"
    clustered: bool = False

    @property
    def unit(self) -> str:
        """Return what there is to be more of, in a word: "clusters" where these are drawn."""
        if self.units != "instances":
            return "tasks"
        return "clusters" if self.clustered else "instances"

    @property
    def title(self) -> str:
        """Method, size, and how many neighbours are separated, in words."""
        how = in_words(self.method, self.level)
        apart = int(np.diagonal(self.separated, 1).sum())
        n = len(self.systems)
        return f"{how}: {how_many(n, 'system')}, {apart} of {how_many(n - 1, 'neighbour')} separated"

    @property
    def summary(self) -> tuple[str, ...]:
        r"""Say what first and second, and first and third, would take, in sentences.

        >>> import podium
        >>> scores = podium.simulate.gumbel(3, 4, 50, dispersion=0.1, rng=0).scores
        >>> print(*podium.plan(scores, "mean", n_resamples=200).summary[0].split(" with "), sep="\n")
        about 710 instances a task instead of 50 would separate system 3 from system 1
        a chance of 80%, if the difference seen is the true one
        """
        return tuple(self.sentence(0, j) for j in range(1, min(len(self.systems), 3)))

    def sentence(self, i: int, j: int) -> str:
        r"""Say what it takes to separate the systems at two places of the ranking, counted from 0.

        >>> import podium
        >>> print(*podium.plan(podium.datasets.toy_table1()).sentence(0, 2).split(", "), sep="\n")
        about 320 tasks instead of 6 (53 times as many) would separate C from A with a chance of 80%
        if the difference seen is the true one
        """
        pair = f"{self.systems[i]} from {self.systems[j]}"
        if self.separated[i, j] or self.separated[j, i]:
            return f"{self.systems[i]} and {self.systems[j]} are separated already"
        if self.difference[i, j] == 0:
            return f"to separate {pair}: no amount of data, as the difference is 0"
        if math.isnan(self.growth[i, j]):
            return f"to separate {pair}: {self._by_comparisons(i, j)}"
        unit = f"{self.unit} a task" if self.units == "instances" else self.unit
        times = f"{two_digits(self.growth[i, j])} times as many"
        needed = math.ceil(self.growth[i, j] * self.size)
        many = f"about {two_digits(needed)} {unit} instead of {self.size:,.0f} ({times})"
        chance = f"with a chance of {percent(self.power)}, if the difference seen is the true one"
        said = f"{many} would separate {pair} {chance}"
        return said if len(said) <= LONG else said.replace(f" ({times})", "")

    def _by_comparisons(self, i: int, j: int) -> str:
        needed = self.comparisons[i, j]
        if math.isnan(needed):
            return "unknown, as they are never scored together"
        if math.isinf(needed):
            return f"no amount of data, as {self.systems[i]} wins at most half of the comparisons"
        now = f"{self.compared[i, j]:,.4g}"
        return f"more than {math.floor(needed):,} comparisons of the two instead of {now}, by Hoeffding's bound"

    def neighbours(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per system and the next in the ranking, as `rows` has them.

        >>> import podium
        >>> [row["system"] + row["other"] for row in podium.plan(podium.datasets.toy_table1()).neighbours()]
        ['CB', 'BA']
        """
        return [self._row(i, i + 1) for i in range(len(self.systems) - 1)]

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per pair of systems, the better first; None where a number is unknown or infinite.

        >>> import podium
        >>> podium.plan(podium.datasets.xtreme_missing()).rows()[0]["comparisons_needed"]
        15
        """
        return [self._row(i, j) for i in range(len(self.systems)) for j in range(i + 1, len(self.systems))]

    def _row(self, i: int, j: int) -> dict[str, Any]:
        comparisons, growth = self.comparisons[i, j], float(self.growth[i, j])
        return plain({
            "system": self.systems[i],
            "other": self.systems[j],
            "difference": float(self.difference[i, j]),
            "std_error": float(self.std_error[i, j]),
            "separated": bool(self.separated[i, j] or self.separated[j, i]),
            "growth": growth,
            "units_now": self.size,
            "units_needed": math.ceil(growth * self.size) if math.isfinite(growth) else None,
            "probability": float(self.probability[i, j]),
            "comparisons_now": float(self.compared[i, j]),
            "comparisons_needed": math.floor(comparisons) + 1 if math.isfinite(comparisons) else None,
        })  # fmt: skip

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        figure = Figure("needed", f"{self.unit.capitalize()} needed", partial(needed, self))
        return View(self.title, (_pairs_table(self),), self.notes, self.summary, figures=(figure,), explain=_READING)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            **{name: getattr(self, name) for name in ("method", "level", "confidence", "power", "units")},
            "n_systems": len(self.systems),
            "summary": list(self.summary),
            "pairs": self.rows(),
        }


def _pairs_table(plan: Plan) -> Table:
    rows = plan.neighbours()
    growths = [float(growth) for growth in np.diagonal(plan.growth, 1)]
    unknown = [row["separated"] or math.isnan(growth) for row, growth in zip(rows, growths, strict=True)]
    planned = not all(math.isnan(one) and row["difference"] != 0 for one, row in zip(growths, rows, strict=True))

    def needed(name: str, gone: Iterable[bool]) -> list[str]:
        numbers = [_NEVER if row[name] is None else f"{row[name]:,}" for row in rows]
        return [DASH if nothing else number for number, nothing in zip(numbers, gone, strict=True)]

    of_units = (
        Column.numbers("std error", [_shown(row["std_error"]) for row in rows]),
        Column.words("separated", ["yes" if row["separated"] else "no" for row in rows], 1),
        Column.numbers(f"{plan.unit} now", [f"{plan.size:,.0f}"] * len(rows)),
        Column.numbers(f"{plan.unit} needed", needed("units_needed", unknown), 1),
    )
    columns = (
        Column.labels("system", [row["system"] for row in rows]),
        Column.labels("next", [row["other"] for row in rows]),
        Column.numbers("difference", [_shown(row["difference"]) for row in rows]),
        *(of_units if planned else ()),
    )
    unseen = [row["probability"] is None for row in rows]
    of_comparisons = (
        Column.numbers("comparisons now", [_shown(row["comparisons_now"]) for row in rows]),
        Column.numbers("comparisons needed", needed("comparisons_needed", unseen), 1),
    )
    if planned and len(plan.systems) == 2:  # then another number for the same pair would confuse
        return Table(columns, "neighbours", spare=of_comparisons)
    return Table((*columns, *of_comparisons), "neighbours")


def _shown(value: float | None) -> str:
    return DASH if value is None else f"{value:,.4g}"


def notes_of(ranking: Ranking, units: str, *, clustered: bool, missing: int) -> list[str]:
    """Say what a plan assumes, and where its numbers are rough."""
    notes = ["a difference that was found by chance needs more data than the plan says"]
    if clustered:
        notes.append(
            "there must be so many more clusters, as large as those there are; more instances in each help less"
        )
    if units == "instances" and ranking.intervals is not None and ranking.level in {"task", "two"}:
        notes.append(
            f"{ranking.level}-level scores move in steps of a whole task, so the numbers of instances are rough; "
            "level 'balanced' gives finer ones"
        )
    if missing:
        notes.append(f"{how_many(missing, 'score')} missing: podium allocate says which to run next")
    if len(ranking.systems) > 2 or ranking.intervals is None:
        notes.append(
            "comparisons needed answers another question: after how many it is sure that one of the two wins more than "
            "half of them (Hoeffding)"
        )
    return notes


#: What is to be settled.
Settle = Literal["first", "tiers"]

_TO_RUN = (
    "gain: number of pairs of systems that it is expected to settle; a pair counts by the share of what it needs",
    "files and JSON have one row for each thing to run; new instances have no names, but a number",
)

#: Tasks of the same instances, or of a family, that text names.
_TASKS_NAMED = 3

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
        return f"{cell.system} on {items}{few(cell.tasks, _TASKS_NAMED)}"

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
            Column.labels("task", [few(cell.tasks, _TASKS_NAMED) for cell in self.cells]),
        ]
        if self.unit != "scores":
            columns.append(Column.numbers(self.unit, [f"{cell.items:,}" for cell in self.cells]))
        if self.cost:
            columns.append(Column.numbers(self.cost, [f"{cell.cost:.4g}" for cell in self.cells]))
        columns.append(Column.numbers("gain", [significant(cell.gain) for cell in self.cells], 1))
        figures = (Figure("allocated", "What to run of each system", partial(allocated, self)),) if self.cells else ()
        table = Table(tuple(columns), "to run, in order")
        return View(self.title, (table,), self.notes, self.summary, figures, explain=_TO_RUN)

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
