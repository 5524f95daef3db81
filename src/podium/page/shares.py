"""What every task says of the systems, and how that varies: all that a browser needs to rank with other weights."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.parallel import Progress
from podium.page.bundle import in_steps
from podium.ranking.bootstrap import Bootstrap, in_runs
from podium.ranking.contribution import Contributions, by_unit, of_task
from podium.ranking.counted import CountedScores
from podium.ranking.few import FEW_UNITS
from podium.ranking.method_spec import MethodSpec
from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import Units, drawn_as, units_among
from podium.tally.draw import Resampling, names_key
from podium.tally.engine.count import count
from podium.tally.moment import Means
from podium.tally.position import Positions

Floats = NDArray[np.float64]

#: Numbers, of systems times tasks times replicates, up to which a page holds how means vary.
MOST_HELD = 250_000

#: Numbers that the tallies of replicates hold, at a time.
_AT_ONCE = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class Together:
    """Tasks that share what is drawn: the same instances, or clusters.

    Attributes
    ----------
    tasks
        The tasks, by index.
    n_units
        How many instances or clusters they have together, U.
    gram
        Shape `(tasks, tasks)`: Σ_u p_tu p_t'u, with p_tu the share of the instances of task t that are in unit u; 1 / K
        throughout where the tasks have the same K instances, and 1 of a task inside one unit. With weights w, a mean
        over these tasks is known from (Σ w)² / wᵀ G w units.
    contributions
        For each of these tasks, what each unit adds to its shares, see `Contributions`; empty where units are many.
    """

    tasks: tuple[int, ...]
    n_units: int
    gram: Floats
    contributions: tuple[Contributions, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TaskShares:
    """Borda shares of N systems by each of T tasks alone, and their bootstrap replicates.

    The score by any weights w is Σ_t w_t s_it / Σ_t w_t, in the table and in every replicate.

    Attributes
    ----------
    shares
        Shape `(N, T)`: share of the others beaten. If scores are missing, they are by a model of strengths, and are
        what each task stands for, see `Linearised`: other weights are one step from the fit of those of the table. 0
        for a system without any score.
    units
        What is drawn: "instances" or "tasks".
    draws
        Shape `(T, B)`: how often each task is drawn; None where instances are.
    replicates
        Shape `(N, T, B)`: the shares in every replicate, NaN where nothing of a task is drawn; None where tasks are.
    ballots
        Shape `(T,)`: how many ballots a task has, instances by their weights; and
    drawn_ballots
        shape `(T, B)`: how many are drawn of them; None where tasks are drawn.
    means
        Shape `(N, T, B)`: mean scores in every replicate, higher is better, NaN where there is none; None where tasks
        are drawn, and where they are more numbers than `MOST_HELD`.
    scored
        Shape `(T,)`: whether a task has a score. Others count in scores, but tell nothing of how sure these are.
    groups
        Which tasks are drawn together; none where tasks are drawn.
    by_name
        Shape `(T,)`: place of each task in the order of names, in which few tasks have their names shuffled.
    names
        Key of these shuffles.
    """

    shares: Floats
    units: str
    draws: NDArray[np.int64] | None
    replicates: Floats | None
    ballots: Floats | None
    drawn_ballots: Floats | None
    means: Floats | None
    scored: NDArray[np.bool_]
    groups: tuple[Together, ...]
    by_name: tuple[int, ...]
    names: np.uint64

    @classmethod
    def of(cls, scores: Scores, bootstrap: Bootstrap, progress: Progress | None = None) -> "TaskShares":
        """Count every task by itself; draws depend on labels only, so they are those of the whole table.

        Examples
        --------
        >>> import podium
        >>> scores = podium.datasets.xtreme_missing()
        >>> made = TaskShares.of(scores, Bootstrap.of(scores, confidence=0.95, units=None, replicates=40, seed=0))
        >>> made.shares.mean(axis=1)[:2].round(4), made.draws.shape
        (array([0.9841, 0.7409]), (4, 40))
        """
        spec = MethodSpec("borda").on(scores)
        even = scores.with_task_weights({"*": 1.0})  # a reader may weigh what weighs nothing
        counted = CountedScores.for_rankings(even, [spec], also=[] if bootstrap.units == "tasks" else [Positions])
        by_name = counted.by_name.task_names  # in whose order tasks are counted and drawn
        order = [by_name.index(name) for name in scores.task_names]
        resampling, n_tasks = bootstrap.resampling, len(order)
        stand_in: Scores | None = None
        unrun: Floats | float = 0.0
        if spec.missing == "model":
            own = CountedScores.of(scores, [spec])
            shares = np.nan_to_num(own.linearised(spec).tasks.T[:, order])
            bare = [not task.scored.any() for task in scores.tasks]  # whatever they weigh, they change nothing
            shares[:, bare] = np.nan_to_num(own.standing(spec).score)[:, None]
            if bootstrap.units != "tasks":
                stand_in, unrun = own.of_pseudo_values(spec).given, own.unrun(spec, resampling)
        else:
            shares = counted.standing_of_each_task(spec).goodness[:, order]
        scored = np.array([task.scored.any() for task in scores.tasks])
        if bootstrap.units == "tasks":
            draws = resampling.task_draws(drawn_as(scores.tasks, "tasks")).astype(np.int64)
            key = names_key(resampling.seed)
            return cls(shares, "tasks", draws, None, None, None, None, scored, (), tuple(order), key)
        ballots = np.array([task.weight for task in counted.counts[Positions]], dtype=np.float64)[order]
        held = len(scores.systems) * n_tasks * bootstrap.replicates <= MOST_HELD
        replicates = []
        for done, task in enumerate(scores.tasks, start=1):
            alone = even.select(tasks=[task.name])
            made = _replicates(alone, resampling, means=held)
            if stand_in is not None:
                values = stand_in.with_task_weights({"*": 1.0}).select(tasks=[task.name])
                drawn_means = _replicates(values, resampling, means=True)[2]
                there = ~np.isnan(drawn_means).all(axis=0)
                made = np.where(there, np.nan_to_num(drawn_means) + unrun, np.nan), *made[1:]
            replicates.append(made)
            if progress is not None:
                progress(done, n_tasks)
        units = units_among(scores.tasks)
        few = sum(one.number for one in units) <= FEW_UNITS  # these need a test of their own
        groups = tuple(_together(one, scores, stand_in, few=few) for one in units)
        drawn, numbers = (np.stack([one[part] for one in replicates], axis=-2) for part in (0, 1))
        means = np.stack([one[2] for one in replicates], axis=1) if held else None
        key = names_key(resampling.seed)
        return cls(shares, "instances", None, drawn, ballots, numbers, means, scored, groups, tuple(order), key)

    def content(self) -> dict[str, Any]:
        """Return what is drawn, as plain values."""
        groups = [
            {
                "tasks": list(group.tasks),
                "units": group.n_units,
                "gram": group.gram.ravel().tolist(),
                "single": len(group.contributions) > 0,
            }
            for group in self.groups
        ]
        return {
            "units": self.units,
            "groups": groups,
            "scored": self.scored.tolist(),
            "by_name": list(self.by_name),
            "names": f"{int(self.names):016x}",
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is counted: shares; draws of tasks; or which are drawn, and replicates (see `in_steps`)."""
        arrays: dict[str, NDArray[Any]] = {"shares": self.shares}
        if self.draws is not None:
            arrays["draws"] = self.draws.astype(np.uint8)
        if self.replicates is not None:
            drawn = np.asarray(~np.isnan(self.replicates).all(axis=0))
            arrays["drawn"] = drawn.astype(np.uint8)
            known = np.where(drawn, self.replicates, self.shares[:, :, None])
            arrays["departures"], arrays["steps"] = in_steps(known, self.shares)
        if self.ballots is not None and self.drawn_ballots is not None:
            arrays["ballots"] = self.ballots
            arrays["ballot departures"], arrays["ballot steps"] = in_steps(self.drawn_ballots, self.ballots)
        single = [one for group in self.groups for one in group.contributions]
        if single:
            arrays["contributions"] = np.concatenate([one.values.ravel() for one in single])
            arrays["taking"] = np.concatenate([one.scored.ravel() for one in single]).astype(np.uint8)
        return arrays


def _replicates(alone: Scores, resampling: Resampling, *, means: bool) -> tuple[Floats, Floats, Floats]:
    """Of a table of one task, in every replicate: shares `(N, B)`, ballots `(B,)`, and means `(N, B)` if wanted."""
    kinds = (Positions, Means) if means else (Positions,)
    n_systems = len(alone.systems)

    def score(run: Resampling) -> Floats:
        counts = count(alone, kinds, resampling=run)
        (positions,) = counts[Positions]
        ballots = np.broadcast_to(positions.weight, positions.rank_sum.shape[1:])
        with np.errstate(invalid="ignore"):  # nothing may be drawn
            shares = (n_systems - positions.rank_sum / ballots) / (n_systems - 1)
        return np.concatenate([ballots[None], shares, *([counts[Means][0].means] if means else [])])

    made = in_runs(resampling, score, at_once=max(_AT_ONCE // n_systems, 1))
    return made[1 : n_systems + 1], made[0], made[n_systems + 1 :]


def _added_by(task: Task, tolerance: float, stand_in: Scores | None) -> Contributions:
    """What each instance adds to the shares of its task."""
    plain = of_task(task, tolerance, means=False)
    if stand_in is None:
        return plain
    (own,) = (one for one in stand_in.tasks if one.name == task.name)
    return replace(plain, values=np.nan_to_num(of_task(own, 0.0, means=True).values))


def _together(units: Units, scores: Scores, stand_in: Scores | None, *, few: bool) -> Together:
    """What tasks share; `few` keeps every unit. `stand_in` has other numbers whose means are shares."""
    tasks = [scores.tasks[task] for task in units.tasks]
    masses = [np.bincount(of, minlength=units.number) / of.size for of in units.of]
    matrix = np.array(masses)
    contributions = tuple(
        by_unit(_added_by(task, scores.reach, stand_in), of, units.number)
        for task, of in zip(tasks, units.of, strict=True)
        if few
    )
    return Together(units.tasks, units.number, matrix @ matrix.T, contributions)
