"""What every task says of the systems, and how that varies: all that a browser needs to rank with other weights.

- Mean scores of every task, and how they vary: what a browser needs to rank by means, and by the order of means.
- Who beats whom on every task: what a browser needs to rank some of the systems among themselves.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Ints
from podium.base.parallel import Progress
from podium.base.statistics import distinct
from podium.ranking.bootstrap import Bootstrap, in_chunks
from podium.ranking.contributions import by_unit, of_task
from podium.ranking.counted import CountedScores
from podium.ranking.degrees_of_freedom import LOOKED_AT, degrees_of_freedom, df_of_pairs
from podium.ranking.method_spec import MethodSpec
from podium.ranking.uncertainty import few_units
from podium.score.table import Scores, of_battles
from podium.score.task import Task, extent, masses_of
from podium.score.units import (
    FEW_UNITS,
    FLIPPED_UNITS,
    LEAST_FREEDOM,
    InstanceSets,
    Units,
    drawn_as,
    one_unit,
    units_among,
    weighs_alone,
)
from podium.tally.count import count
from podium.tally.draw import FLIPS, Resampling, task_key
from podium.tally.duel import Duels
from podium.tally.moment import Means
from podium.tally.position import Positions
from podium.webpage.shell import in_steps

#: Numbers up to which a page holds how means vary, systems times tasks times replicates; and what single units add.
MOST_HELD = 250_000

#: Ways whose scores are sums over instances.
_BORDA, _MEAN = MethodSpec("borda", "balanced"), MethodSpec("mean")

#: Numbers that the tallies of replicates hold, at a time.
_AT_ONCE = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class Together:
    """Tasks that are drawn together: they share instances, or clusters.

    Attributes
    ----------
    units
        What is drawn as one in these tasks.
    own
        For each of these tasks its units by their numbers, in the order of their first instances.
    gram
        Shape `(tasks, tasks)`: Σ_u v_tu v_t'u, with v_tu the share of the weight of task t that is in unit u; 1 / K
        throughout if the tasks have the same K instances, and 1 of a task inside one unit. With weights w, a mean over
        these tasks is known from (Σ w)² / wᵀ G w units.
    """

    units: Units
    own: tuple[Ints, ...]
    gram: Floats

    @classmethod
    def of(cls, units: Units, scores: Scores) -> "Together":
        """Look at tasks of a table that are drawn together."""
        masses = np.array([unit_shares(scores.tasks[task], of, units.number) for task, of in _parts(units)])
        own = tuple(of[np.sort(np.unique(of, return_index=True)[1])] for of in units.of)
        return cls(units, own, masses @ masses.T)

    def content(self, *, single: bool) -> dict[str, Any]:
        """Return plain values; numbers of units only if what each adds is in the page, None of all in their order."""
        whole = [own.size == self.units.number and bool((np.diff(own) == 1).all()) for own in self.own]
        return {
            "tasks": list(self.units.tasks),
            "units": self.units.number,
            "gram": self.gram.ravel().tolist(),
            "sizes": [own.size for own in self.own],
            "clustered": self.units.clusters is not None,
            "numbers": [None if w else own.tolist() for w, own in zip(whole, self.own, strict=True)]
            if single
            else None,
        }

    def added(self, scores: Scores, *, means: bool) -> list[Floats]:
        """Return for each task what each of its units adds to the mean of the task, or to shares; shape `(U_t, N)`."""
        return [
            by_unit(
                of_task(scores.tasks[task], scores.effective_tie_tolerance, means=means), of, self.units.number
            ).values[own]
            for (task, of), own in zip(_parts(self.units), self.own, strict=True)
        ]

    def shares(self, scores: Scores) -> list[Floats]:
        """Return for each task the share of its weight that each of its units has; shape `(U_t,)`."""
        return [
            unit_shares(scores.tasks[task], of, self.units.number)[own]
            for (task, of), own in zip(_parts(self.units), self.own, strict=True)
        ]


def _parts(units: Units) -> "zip[tuple[int, Ints]]":
    return zip(units.tasks, units.of, strict=True)


@dataclass(frozen=True, slots=True, eq=False)
class TaskShares:
    """Borda shares of N systems by each of T tasks alone, and their bootstrap replicates.

    The score by any weights w is Σ_t w_t s_it / Σ_t w_t, in the table and in every replicate. If tasks are drawn, a
    browser draws them itself, by the same keys.

    Attributes
    ----------
    scores
        The table.
    resampling
        The replicates.
    shares
        Shape `(N, T)`: share of the others beaten; ½ if a task says nothing of a system.
    replicates
        Shape `(N, T, B)`: the shares in every replicate of the instances, NaN where nothing of a task is drawn; None
        if each task is a single unit, so that only tasks can be drawn.
    ballots
        Shape `(T,)`: how many ballots a task has, instances by their weights.
    drawn_ballots
        Shape `(T, B)`: how many are drawn of them; None if `replicates` is.
    means
        Shape `(N, T, B)`: mean scores in every replicate, higher is better, NaN where there is none; None if
        `replicates` is, and if they are more numbers than `MOST_HELD`.
    groups
        Which tasks are drawn together; none if `replicates` is None.
    single
        Whether the page holds what single units add, see `holds_units`.
    """

    scores: Scores
    resampling: Resampling
    shares: Floats
    replicates: Floats | None
    ballots: Floats
    drawn_ballots: Floats | None
    means: Floats | None
    groups: tuple[Together, ...]
    single: bool

    @classmethod
    def of(cls, scores: Scores, bootstrap: Bootstrap, progress: Progress | None = None) -> "TaskShares":
        """Count every task, once and in every replicate.

        Examples
        --------
        >>> import podium
        >>> scores = podium.datasets.xtreme_missing()
        >>> made = TaskShares.of(scores, Bootstrap.of(scores, confidence=0.95, units=None, replicates=40, seed=0))
        >>> made.shares.mean(axis=1)[:2].round(4), made.content()["families"]
        (array([0.8154, 0.5458]), [0, 3, 1, 2])
        """
        spec = MethodSpec("borda", missing="imputed").on(scores)  # which any weights and levels leave as it is
        even = scores.with_task_weights({"*": 1.0})  # a reader may weigh what weighs nothing
        counted = CountedScores.for_rankings(even, [spec])
        names = counted.by_name.task_names  # in whose order tasks are counted
        order = [names.index(name) for name in scores.task_names]
        shares = counted.of_each_task(spec).oriented_score[:, order]
        ballots = np.array([masses_of(task).sum() for task in scores.tasks])
        resampling = Resampling("instances", bootstrap.replicates, bootstrap.resampling.seed)
        if all(map(one_unit, scores.tasks)):
            return cls(scores, resampling, shares, None, ballots, None, None, (), single=False)
        held = shares.size * bootstrap.replicates <= MOST_HELD
        drawn, numbers, means = _replicates(counted.by_name, resampling, progress, means=held)
        groups = tuple(Together.of(units, scores) for units in units_among(scores.tasks))
        return cls(
            scores,
            resampling,
            shares,
            drawn[:, order],
            ballots,
            numbers[order],
            means[:, order] if held else None,
            groups,
            single=holds_units(scores),
        )

    def content(self) -> dict[str, Any]:
        """Return what is drawn, as plain values."""
        scores, seed = self.scores, self.resampling.seed
        families = drawn_as(scores.tasks, "tasks")
        place = {name: number for number, name in enumerate(sorted(set(families), key=str))}
        by_name = sorted(scores.task_names)
        return {
            "units": "tasks" if self.replicates is None else "instances",
            "groups": [group.content(single=self.single) for group in self.groups],
            "scored": [bool(task.scored.any()) for task in scores.tasks],
            "byName": [by_name.index(name) for name in scores.task_names],
            "families": [place[name] for name in families],
            "lone": [one_unit(task) for task in scores.tasks],
            "draws": f"{int(task_key(seed, b'')):016x}",
            "flips": f"{int(task_key(seed, FLIPS)):016x}",
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is counted: shares; and if instances are drawn, replicates (see `in_steps`)."""
        arrays: dict[str, NDArray[Any]] = {"shares": self.shares}
        if not self.scores.task_level:
            arrays["ballots"] = self.ballots
        if self.replicates is not None and self.drawn_ballots is not None:
            drawn = np.asarray(~np.isnan(self.replicates).all(axis=0))
            arrays["drawn"] = drawn.astype(np.uint8)
            known = np.where(drawn, self.replicates, self.shares[:, :, None])
            arrays["departures"], arrays["steps"] = in_steps(known, self.shares)
            arrays["ballot departures"], arrays["ballot steps"] = in_steps(self.drawn_ballots, self.ballots)
        if self.single:
            for name, means in (("contributions", False), ("mean contributions", True)):
                added = [own for group in self.groups for own in group.added(self.scores, means=means)]
                arrays[name] = np.concatenate([own.ravel() for own in added])
            arrays["unit shares"] = np.concatenate([own for group in self.groups for own in group.shares(self.scores)])
        return arrays


def holds_units(scores: Scores) -> bool:
    """Return whether a page of a table holds what single units add: only if an exact test needs it.

    So they are `FEW_UNITS` in all; or as few as are flipped (see `few_units`), by the weights that tasks have or by
    any others, and what they add are `MOST_HELD` numbers at most. Of battles it also says on how many a difference
    rests, as long as that is looked at.

    >>> import podium
    >>> holds_units(podium.from_arrays({"t": np.arange(120.0).reshape(3, 40)}))
    True
    """
    groups = units_among(scores.tasks)
    number = sum(units.number for units in groups)
    if number <= FEW_UNITS or (of_battles(scores) and scores.n_cells <= LOOKED_AT):
        return True
    if 2 * len(scores.systems) * sum(np.unique(of).size for units in groups for of in units.of) > MOST_HELD:
        return False
    return number <= FLIPPED_UNITS or any(map(partial(needs_flips, scores), (_BORDA, _MEAN)))


def needs_flips(scores: Scores, basis: MethodSpec) -> bool:
    """Return whether few instances, by their number or in effect, make an exact test necessary.

    >>> import podium
    >>> scores = podium.from_arrays({"t": np.random.default_rng(0).random((3, 300))})
    >>> needs_flips(scores, MethodSpec("borda", "balanced"))
    False
    """
    whole = 0.0 if weighs_alone(scores.tasks) else degrees_of_freedom(scores, "instances", basis.level)
    if whole < LEAST_FREEDOM:  # no test at all
        return False
    return few_units(scores, "instances", df_of_pairs(scores.by_name(), basis, whole))


def _replicates(
    scores: Scores, resampling: Resampling, progress: Progress | None, *, means: bool
) -> tuple[Floats, Floats, Floats]:
    """Return shares `(N, T, B)` and ballots `(T, B)` of all replicates, tasks in order of names; means if wanted."""
    kinds = (Positions, Means) if means else (Positions,)
    n_systems, n_tasks = len(scores.systems), len(scores.tasks)
    keys = resampling.keys(scores.tasks)

    def score(chunk: Resampling) -> Floats:
        counts = count(scores, kinds, resampling=chunk, keys=keys)
        ballots = np.array([np.broadcast_to(task.weight, (chunk.replicates,)) for task in counts[Positions]])
        ranks = np.stack(
            [np.broadcast_to(task.rank_sum.T, (chunk.replicates, n_systems)).T for task in counts[Positions]]
        )
        with np.errstate(invalid="ignore", divide="ignore"):  # nothing may be drawn
            shares = (n_systems - ranks / ballots[:, None]) / (n_systems - 1)
        parts = [ballots, shares.reshape(-1, chunk.replicates)]
        if means:
            own = [np.broadcast_to(task.means.T, (chunk.replicates, n_systems)).T for task in counts[Means]]
            parts.append(np.concatenate(own))
        return np.concatenate(parts)

    made = in_chunks(resampling, score, at_once=max(_AT_ONCE // (n_systems * n_tasks), 1), progress=progress)
    ballots, *others = np.split(made, [n_tasks, n_tasks * (n_systems + 1)])
    shares, *found = (part.reshape(n_tasks, -1, made.shape[1]).transpose(1, 0, 2) for part in others if part.size)
    return shares, ballots, found[0] if found else np.empty(0)


def unit_shares(task: Task, of: Ints, number: int) -> Floats:
    """Shape `(U,)`: share of the weight of a task that its instances in each unit have.

    >>> import podium
    >>> unit_shares(podium.from_arrays({"t": [[3, 1, 2, 4]]}).tasks[0], np.array([0, 0, 2, 0]), 3)
    array([0.75, 0.  , 0.25])
    """
    mass = masses_of(task)
    return np.asarray(np.bincount(of, weights=mass, minlength=number) / mass.sum())


#: Stands for a mean that a replicate lacks.
_NONE = -128


@dataclass(frozen=True, slots=True, eq=False)
class TaskMeans:
    """Means of N systems on each of T tasks of instances; tables of one score per task need none of this.

    Attributes
    ----------
    scores
        The table.
    means
        Shape `(N, T)`, higher is better; NaN where there is none.
    by_order
        Shape `(N, T)`: share of the others beaten by the order of the means on each task alone.
    scale
        Shape `(N, T)`: size of the scores behind each mean, rounded up to a power of two, whose exponent it is.
    replicates
        Shape `(N, T, B)`: means in every replicate, higher is better; NaN where there is none. None where they are
        too many to be held, and if only tasks can be drawn.
    """

    scores: Scores
    means: Floats
    by_order: Floats
    scale: NDArray[np.int32]
    replicates: Floats | None

    @classmethod
    def of(cls, scores: Scores, shares: TaskShares) -> "TaskMeans":
        """Take a table, and what was counted of it.

        Examples
        --------
        >>> import podium
        >>> from podium.ranking.bootstrap import Bootstrap
        >>> scores = podium.from_arrays({"t": [[0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]})
        >>> bootstrap = Bootstrap.of(scores, confidence=0.95, units=None, replicates=40, seed=0)
        >>> TaskMeans.of(scores, TaskShares.of(scores, bootstrap)).by_order
        array([[1.],
               [0.]])
        """
        even = scores.with_task_weights({"*": 1.0})
        by_task, mean = MethodSpec("borda", "task"), MethodSpec("mean")
        counted = CountedScores.of(even, [by_task, mean])
        names = counted.by_name.task_names
        order = [names.index(name) for name in scores.task_names]
        scale = counted.context(mean).scale
        if scale is None:
            raise TypeError("means have no scale")
        means, by_order = (counted.of_each_task(spec).oriented_score[:, order] for spec in (mean, by_task))
        return cls(scores, means, by_order, np.frexp(scale[order].T)[1].astype(np.int32), shares.means)

    def content(self) -> dict[str, Any]:
        """Return plain values: lowest and highest score of each task, sets of instances, and when scores tie."""
        tasks = self.scores.tasks
        return {
            "ends": [_ends(task) for task in tasks],
            "sets": list(InstanceSets.among(tasks).of),
            "reach": self.scores.effective_tie_tolerance,
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return shares by the order of means, sizes, and replicates."""
        tasks = self.scores.tasks
        arrays: dict[str, NDArray[Any]] = {"by order": self.by_order, "mean scale": self.scale}
        if self.replicates is not None:
            there = ~np.isnan(self.replicates)
            centre = np.where(there.any(axis=2), self.means, 0.0)
            whole, arrays["mean steps"] = in_steps(np.where(there, self.replicates, centre[..., None]), centre)
            arrays["mean departures"] = np.where(there, whole, _NONE)
        if any(task.clusters is not None for task in tasks):
            arrays["scored units"] = np.stack([_scored_units(task) for task in tasks], axis=1)
        return arrays


def _scored_units(task: Task) -> NDArray[np.int32]:
    """Shape `(N,)`: clusters with a score of each system; instances where there are no clusters."""
    if task.clusters is None:
        return np.asarray(task.scored, dtype=np.int32)
    numbers = task.clusters.numbers
    return np.array([distinct(numbers[~np.isnan(row)]).size for row in task.values], dtype=np.int32)


def _ends(task: Task) -> tuple[float, float] | None:
    """Return the lowest and the highest score of a task, higher is better; None without a score."""
    least, most = extent(task)
    if least > most:
        return None
    return (least, most) if task.higher_is_better else (-most, -least)


#: Pairs of systems, on all tasks, up to which a page holds who beats whom.
MOST_PAIRS = 50_000


def pairs(scores: Scores) -> NDArray[Any] | None:
    """Return on how many ballots of each task one system of a pair beats the other, less how many it loses.

    Shape `(T, N (N − 1) / 2)`, pairs in the order (0, 1), (0, 2), …. None where they are too many; where a task has one
    score per system, which says the same; and where a system has scores on some instances of a task only, since what
    the others are expected to be then depends on who is in the table.

    Examples
    --------
    >>> import podium
    >>> pairs(podium.from_arrays({"t": [[3, 1, 2], [2, 1, 3], [1, 0, 0]]}))
    array([[0, 3, 3]], dtype=int8)
    """
    n_systems = len(scores.systems)
    number = len(scores.tasks) * n_systems * (n_systems - 1) // 2
    whole = all(set(task.scored.tolist()) <= {0, task.n_instances} for task in scores.tasks)
    if scores.task_level or number > MOST_PAIRS or not whole:
        return None
    spec = MethodSpec("wins", "one", "direct")
    counted = CountedScores.of(scores, [spec])
    duels = dict(zip(counted.by_name.task_names, counted.counts[Duels], strict=True))
    left, right = np.triu_indices(n_systems, 1)
    wins = np.array([(duels[name].wins - duels[name].wins.T)[left, right] for name in scores.task_names])
    if (wins != np.rint(wins)).any():
        return wins
    return wins.astype(np.int8 if np.abs(wins).max(initial=0) <= np.iinfo(np.int8).max else np.int32)
