"""What systems cost, as far as it is known for sure, and which of them then dominates which."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from podium.base.arrays import Bools, Floats, Frozen, Ints
from podium.base.errors import InputError, MethodError
from podium.base.words import with_names
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import MethodSpec
from podium.ranking.uncertainty import ranking_of
from podium.score.table import Scores
from podium.source.descriptor import described
from podium.source.direction import says_direction
from podium.source.table import SourceColumn


def cost_table(scores: Scores, name: str) -> Scores:
    """Return the costs of one name as a table: lower is better, unless the name is that of a speed, or says otherwise.

    Raises
    ------
    LabelError
        There is no such cost.
    InputError
        No cost is known, or one is below 0.
    """
    costs = scores.cost(name).values
    higher = says_direction(name)
    if higher is None:
        higher = described(SourceColumn(name, "number")) == "a speed"
    tasks = tuple(
        replace(task, higher_is_better=higher).with_values(values, instance_weights=None)
        for task, values in zip(scores.tasks, costs, strict=True)
        if task.weight > 0 and not np.isnan(values).all()
    )
    if not tasks:
        raise InputError(f"cost {name!r} is not known of any system on a task that counts; name another")
    below = [task.values.min(axis=1, initial=np.inf, where=~np.isnan(task.values)) < 0 for task in tasks]
    if np.any(below):
        who = [scores.systems[row] for row in np.flatnonzero(np.any(below, axis=0))]
        raise InputError(
            with_names(f"cost {name!r} is below 0 for ", who, "; give costs as they are, neither negated nor as logs")
        )
    return replace(scores, tasks=tasks, tie_tolerance=0.0, notes=(), human="")


def varies(table: Scores, units: str) -> bool:
    """Return whether costs differ between what is drawn: instances of a task, tasks, or both.

    Raises
    ------
    MethodError
        They do, and repeats are drawn: the table has costs of one run.
    """
    lows, highs = ([np.array([end(row) for row in task.values]) for task in table.tasks] for end in (_low, _high))
    inside = bool(np.any(np.array(lows) < np.array(highs)))
    between = bool(np.any(np.min(lows, axis=0) < np.max(highs, axis=0)))
    if units == "repeats" and between:
        raise MethodError("costs of repeats are not known one by one; use units='instances' (--units instances)")
    return inside if units == "instances" else between


def _low(row: Floats) -> float:
    return float(np.fmin.reduce(row, initial=np.inf))


def _high(row: Floats) -> float:
    return float(np.fmax.reduce(row, initial=-np.inf))


@dataclass(frozen=True, slots=True, eq=False)
class Cost(Frozen):
    """Costs of N systems, by one measure.

    Attributes
    ----------
    name
        Name of the measure.
    higher_is_better
        Direction; of a speed, higher is better.
    exact
        Whether it is known without error.
    value, low, high
        Shape `(N,)`: mean over tasks of means over instances, NaN where unknown; and its interval, NaN if exact.
    place
        Shape `(N,)`: its rank, 1 is best; 0 where unknown.
    cheaper
        Shape `(N, N)`: whether the cost of i is surely better than that of j.
    """

    name: str
    higher_is_better: bool
    exact: bool
    value: Floats
    low: Floats
    high: Floats
    place: Ints
    cheaper: Bools

    @classmethod
    def of(cls, name: str, table: Scores, bootstrap: Bootstrap | None, threads: int | None) -> Self:
        """Rank systems by their mean cost; without a bootstrap it is exact."""
        spec = MethodSpec("mean").on(table)
        found = ranking_of(CountedScores.for_rankings(table, [spec], threads=threads), spec, bootstrap)
        place, sure, unknown = found.rank, found.intervals, np.full(len(found), np.nan)
        below = (place[:, None] < place) & (place[:, None] > 0) & (bootstrap is None)
        cost = cls(
            name=name,
            higher_is_better=found.higher_is_better,
            exact=bootstrap is None,
            value=found.score + 0.0,  # no negative zero
            low=unknown if sure is None else sure.score_low,
            high=unknown if sure is None else sure.score_high,
            place=place,
            cheaper=below if sure is None else sure.separated,
        )
        return cost.at(np.array([found.systems.index(system) for system in table.systems]))

    def at(self, rows: Ints) -> Self:
        """Return the same of some systems."""
        arrays = {name: getattr(self, name)[rows] for name in ("value", "low", "high", "place")}
        return replace(self, **arrays, cheaper=self.cheaper[np.ix_(rows, rows)])

    @property
    def at_most(self) -> Bools:
        """Shape `(N, N)`: whether i surely costs no more than j."""
        return np.asarray(self.cheaper | ((self.place[:, None] == self.place) & self.exact))

    def allows(self, limit: float | None) -> Bools:
        """Shape `(N,)`: whether a cost is within a limit, if there is one."""
        if limit is None:
            return np.ones(self.value.shape, dtype=np.bool_)
        return np.asarray(self.value >= limit if self.higher_is_better else self.value <= limit)


def dominance(better: Bools, costs: Sequence[Cost]) -> tuple[Bools, Bools]:
    """Return which systems surely dominate which, and which may, shape `(N, N)` each.

    System i dominates j if it is better, and no cost of it is higher. All that is returned holds if all that is known
    for sure does.

    Parameters
    ----------
    better
        Shape `(N, N)`: whether i is surely better than j.
    costs
        Of the same systems.
    """
    surely, possibly = better.copy(), ~(better.T | np.eye(len(better), dtype=np.bool_))
    for cost in costs:
        surely &= cost.at_most
        possibly &= ~cost.cheaper.T
    return surely, possibly
