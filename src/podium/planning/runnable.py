"""What there is to run: which units score whom, what a score costs, and what is missing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from podium.base.arrays import Bools, Floats, Ints
from podium.base.check import as_number, checked_number, checked_whole, texts
from podium.base.errors import InputError, MethodError
from podium.base.words import with_names
from podium.planning.allocation import Pick
from podium.planning.result import Cell
from podium.ranking.contributions import contributions_of, weighing
from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import MethodSpec, summed_basis
from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import Units, drawn_as, units_among

#: Rounds in which costs of systems and of groups are fitted in turn.
_ROUNDS = 30

#: New instances of all tasks that are thought of at most.
_MOST = 1e5


@dataclass(frozen=True, slots=True, eq=False)
class UnitTable:
    """The U units of a table, by what they add to the scores of N systems.

    Attributes
    ----------
    systems
        The N labels.
    values, scored
        Shape `(U, N)`, see `podium.ranking.contributions.Contributions`.
    costs
        Shape `(U, N)`: what a score costs, 1 if nothing else is said.
    group
        Shape `(U,)`: the number of the group of each unit, whose units measure the same.
    tasks
        For each group the tasks that its units belong to, by name; where tasks or families are units, for each unit.
    labels
        For each group the labels of its units; None where they have none, or are tasks.
    unit
        What is run, in a word: "scores" of systems on tasks, or "instances", or "clusters" of these.
    new
        Whether no score is missing, so that new units are needed.
    """

    systems: tuple[str, ...]
    values: Floats
    scored: Bools
    costs: Floats
    group: Ints
    tasks: tuple[tuple[str, ...], ...]
    labels: tuple[Sequence[str] | None, ...]
    unit: str
    new: bool = False

    @classmethod
    def of(cls, counted: CountedScores, spec: MethodSpec, units: str, cost: str | None) -> Self:
        """Find the units of a counted table, and what each costs.

        Raises
        ------
        InputError, LabelError
            See `_costs`.
        """
        scores = counted.by_name
        added = contributions_of(counted, summed_basis(spec, units), units)
        values, scored = added.values, added.scored
        if units == "instances":
            tasks, _ = weighing(scores, "instances")
            groups = units_among(tasks)
            group = np.repeat(np.arange(len(groups)), [one.number for one in groups])
            names = tuple(tuple(tasks[index].name for index in one.tasks) for one in groups)
            costs = _costs(scores, [[tasks[index] for index in one.tasks] for one in groups], cost)[group]
            labels = tuple(_labels(tasks, one) for one in groups)
            unit = "clusters" if all(one.clusters is not None for one in groups) else "instances"
            return cls(scores.systems, values, scored, costs, group, names, labels, unit)
        _, drawn = weighing(scores, "tasks")
        of_unit = drawn if len(set(drawn)) == len(drawn) else sorted(set(drawn), key=str)
        known = {name for name in of_unit if name is not None}
        families: dict[str, list[Task]] = {name: [] for name in map(str, of_unit)}
        for task, name in zip(scores.tasks, drawn_as(scores.tasks, "tasks"), strict=True):
            if task.weight > 0:
                families.setdefault(str(name), []).append(task)
        bare = np.zeros((len(families) - len(known), len(scores.systems)))  # tasks that nobody is scored on
        values, scored = np.concatenate([values, bare]), np.concatenate([scored, bare > 0])
        costs, group = _costs(scores, list(families.values()), cost), np.zeros(len(values), dtype=np.int64)
        names = tuple(tuple(task.name for task in some) for some in families.values())
        return cls(scores.systems, values, scored, costs, group, names, (None,), "scores")

    @property
    def left(self) -> int:
        """Return how many scores are missing."""
        return int(np.count_nonzero(~self.scored))

    def with_new(self, budget: float) -> "UnitTable":
        """Return the table with as many new instances as there are, or as a budget needs, if no score is missing.

        Raises
        ------
        MethodError
            No score is missing, and there are no instances.
        """
        if self.left:
            return self
        if self.unit == "scores":
            raise MethodError(
                "no score is missing, so there is nothing to run; "
                "podium.plan (podium plan) says how many more tasks would separate the systems"
            )
        number = np.bincount(self.group)
        most = int(min(budget / self.costs.min() / 2, _MOST) / number.size) + 1
        first = np.searchsorted(self.group, np.arange(number.size))
        more = np.repeat(np.arange(number.size), np.maximum(number, most))
        nothing = np.zeros((more.size, len(self.systems)))
        return replace(
            self,
            values=np.concatenate([self.values, nothing]),
            scored=np.concatenate([self.scored, nothing > 0]),
            costs=np.concatenate([self.costs, self.costs[first[more]]]),
            group=np.concatenate([self.group, more]),
            new=True,
        )

    def cells(self, picks: Sequence[Pick]) -> tuple[Cell, ...]:
        """Return what to run, in order: one cell for a system on a task."""
        merged: dict[tuple[int, int], list[Pick]] = {}
        for pick in picks:
            for unit in pick.units.tolist() if self.unit == "scores" else [pick.group]:
                merged.setdefault((pick.system, unit), []).append(pick)
        found = []
        for (system, task), some in merged.items():
            units = np.concatenate([pick.units for pick in some])
            share = 1 / units.size if self.unit == "scores" else 1.0
            labels = None if self.unit == "scores" else self.labels[task]
            chosen = tuple(labels[unit] for unit in np.sort(units).tolist()) if labels and not self.new else None
            found.append(
                Cell(
                    self.systems[system],
                    self.tasks[task],
                    1 if self.unit == "scores" else units.size,
                    share * sum(pick.cost for pick in some),
                    share * sum(pick.gain for pick in some),
                    chosen,
                )
            )
        return tuple(found)

    def checked_budget(self, budget: float, cost: str | None) -> float:
        """Return a budget that makes sense.

        Raises
        ------
        MethodError
            It is no whole number from 1 up; or with a cost no number above 0, or below what the cheapest score costs.
        """
        if cost is None:
            number = as_number(budget)
            return float(checked_whole("budget", int(number) if number % 1 == 0 else budget))
        limit, cheapest = checked_number("budget", budget), float(self.costs[~self.scored].min(initial=np.inf))
        cheapest = cheapest if self.left else float(self.costs.min())
        if limit < cheapest:
            raise MethodError(f"budget is {budget!r}, but the cheapest score costs {cheapest:.4g}; give more")
        return limit


def _labels(tasks: Sequence[Task], group: Units) -> Sequence[str] | None:
    if group.clusters is not None:
        return group.clusters
    labels = np.full(group.number, None, dtype=object)
    for index, of in zip(group.tasks, group.of, strict=True):
        own = tasks[index].instances
        if own is None:
            return None
        labels[of] = list(map(str, own.tolist()))
    return list(labels)


def _costs(scores: Scores, groups: Sequence[Sequence[Task]], name: str | None) -> Floats:
    """Shape `(G, N)`: what a score of a system costs on all tasks of a group; 1 if no cost is named.

    A cost that is not known is a_i b_g, by least squares of the logarithms of those that are.

    Raises
    ------
    InputError
        A cost is 0 or below, or not known of a system.
    LabelError
        There is no such cost.
    """
    if name is None:
        return np.ones((len(groups), len(scores.systems)))
    (name,) = texts("cost", [name])
    scores.cost(name)
    found = np.full((len(groups), len(scores.systems)), np.nan)
    for row, tasks in enumerate(groups):
        values = np.concatenate(
            [task.covariates[name] for task in tasks if name in task.covariates] or [found[:0].T], 1
        )
        there = ~np.isnan(values)
        if (values[there] <= 0).any():
            who = [scores.systems[i] for i in np.flatnonzero((there & (values <= 0)).any(axis=1))]
            raise InputError(
                with_names(f"cost {name!r} is not above 0 for ", who, "; leave it empty if it is not known")
            )
        found[row] = len(tasks) * _known_mean(values)
    logs, share = np.log(found), np.zeros(len(scores.systems))
    for _ in range(_ROUNDS):
        of_group = _known_mean(logs - share)
        of_group[np.isnan(of_group)] = np.nan if np.isnan(of_group).all() else np.nanmean(of_group)
        share = _known_mean((logs - of_group[:, None]).T)
    if np.isnan(share).any():
        who = [scores.systems[i] for i in np.flatnonzero(np.isnan(share))]
        raise InputError(with_names(f"cost {name!r} is not known of ", who, "; give it on one task at least"))
    return np.where(np.isnan(found), np.exp(of_group[:, None] + share), found)


def _known_mean(values: Floats) -> Floats:
    """Return the mean of each row over what is known; NaN if nothing is."""
    there = ~np.isnan(values)
    total, number = np.where(there, values, 0.0).sum(axis=1), there.sum(axis=1)
    return np.asarray(np.divide(total, number, out=np.full(len(values), np.nan), where=number > 0))
