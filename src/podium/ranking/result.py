"""The answer: systems with aggregate score, rank, and how much of each was measured; frozen."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Frozen, plain_list
from podium.base.errors import MethodError
from podium.base.words import DASH, how_many, span
from podium.ranking.bootstrap import quantiles, share_of_top
from podium.ranking.method.method import Certificate, Standing
from podium.ranking.method_spec import in_words
from podium.report.result import Result
from podium.score.place import best_first, competition_ranks, midranks
from podium.score.table import Scores

#: Columns of ranks, in which 0 stands for a system that has none.
_ZERO_IS_NONE = {"rank", "rank_low", "rank_high", "joint_rank_low", "joint_rank_high", "tier"}


@dataclass(frozen=True, slots=True)
class RankedTask:
    """What a ranking says of a task: label, direction, weight, and number of instances."""

    name: str
    higher_is_better: bool
    weight: float
    n_instances: int


@dataclass(frozen=True, slots=True)
class Corrected:
    """A score corrected for having won, and its interval; in a direction in which higher is better."""

    score: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Intervals(Frozen):
    """Uncertainty of a ranking of N systems from B bootstrap replicates.

    The intervals of a `Ranking` have its order of systems. Until `in_order` they have the order of the table.

    Attributes
    ----------
    confidence
        Of every interval and of the tiers, between 0 and 1.
    units
        What was drawn anew: "instances" within tasks, "tasks", "both", or "repeats" of the same instances.
    replicates
        B.
    seed
        Of the draws.
    std_error
        Shape `(N,)`: standard deviation of the score over replicates, in its units.
    score_low, score_high
        Shape `(N,)`: interval of the score. Of means and Borda scores, Student's, corrected for skewness (Hall 1992);
        of other scores, the percentile interval, widened for small samples.
    rank_low, rank_high
        Shape `(N,)`: for each system by itself, the ranks it may truly have (1 is best); 0 where unranked.
    joint_rank_low, joint_rank_high
        Shape `(N,)`: the same for all systems together.
    share_first
        Shape `(N,)`: share of replicates in which the system is first; ties share. It is no probability of being the
        best: of equal systems the one that was lucky has the largest share. See `podium.Ranking.top`.
    tier
        Shape `(N,)`: 1 is best; every system of a tier is better than every system of the tiers below, all pairs
        together; 0 where unranked.
    separated
        Shape `(N, N)`: whether i is better than j, all pairs together.
    may_be_first
        Shape `(N,)`: whether no other system is better, see `podium.Ranking.top`.
    critical
        How many standard errors a difference must exceed if all pairs are judged at once by Bonferroni, widened for
        small samples. `separated` goes by steps, which need less, and by exact tests of few units: see the design.
    samples
        Shape `(N, B)`: goodness (higher is better) in every replicate.
    rounding
        Shape `(N,)`: smaller differences between scores are none.
    tail
        Share of replicates left out below, and above, by a percentile interval widened for small samples.
    corrected_score, corrected_low, corrected_high
        Shape `(N,)`, in units of the score: the true score of the winner and its interval, corrected for having won,
        see `podium.ranking.winner`. Whoever is first was probably lucky, so that its own score is too high. NaN but for
        the winner, and of the winner where it is not known; None where the method has none.
    """

    confidence: float
    units: str
    replicates: int
    seed: int
    std_error: NDArray[np.float64]
    score_low: NDArray[np.float64]
    score_high: NDArray[np.float64]
    rank_low: NDArray[np.int64]
    rank_high: NDArray[np.int64]
    joint_rank_low: NDArray[np.int64]
    joint_rank_high: NDArray[np.int64]
    share_first: NDArray[np.float64]
    tier: NDArray[np.int64]
    separated: NDArray[np.bool_]
    may_be_first: NDArray[np.bool_]
    critical: float
    samples: NDArray[np.float64]
    rounding: NDArray[np.float64]
    tail: float
    corrected_score: NDArray[np.float64] | None = None
    corrected_low: NDArray[np.float64] | None = None
    corrected_high: NDArray[np.float64] | None = None

    def with_corrected(self, corrected: Corrected | None, winner: NDArray[np.bool_], *, higher_is_better: bool) -> Self:
        """Return the same with the corrected score of the winner, by its place among the systems, if there is any."""
        score, low, high = np.full((3, winner.size), np.nan)
        if corrected is not None:
            score[winner], low[winner], high[winner] = corrected.score, corrected.low, corrected.high
        if not higher_is_better:
            score, low, high = -score, -high, -low
        return replace(self, corrected_score=score, corrected_low=low, corrected_high=high)

    def in_order(self, order: NDArray[np.int64]) -> Self:
        """Return the same for systems in another order."""
        changed: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value = value[np.ix_(order, order)] if field.name == "separated" else value[order]
            changed[field.name] = value
        return type(self)(**changed)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Fields of shape `(N,)`, by name."""
        names = ("std_error", "score_low", "score_high", "rank_low", "rank_high", "joint_rank_low", "joint_rank_high")
        corrected = () if self.corrected_score is None else ("corrected_score", "corrected_low", "corrected_high")
        return {name: getattr(self, name) for name in (*names, "share_first", "tier", *corrected)}

    def to_dict(self) -> dict[str, Any]:
        """How they were made, as JSON can hold it."""
        return {name: getattr(self, name) for name in ("confidence", "units", "replicates", "seed")}

    @property
    def explanation(self) -> tuple[str, str]:
        """What was drawn, and what intervals and tiers mean, in two sentences.

        >>> import podium
        >>> scores = podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores
        >>> podium.rank(scores).intervals.explanation[1]
        'tier: every system of a tier is better than every system of the tiers below (95%, all pairs together)'
        """
        drawn = {"instances": "the instances", "tasks": "the tasks", "both": "tasks and instances"}
        drawn["repeats"] = "the repeats of the same instances"
        sure = f"{100 * self.confidence:g}%"
        replicates = f"{self.replicates:,} bootstrap replicates of {drawn[self.units]}, seed {self.seed}"
        return (
            f"{sure} rank intervals, each for one system; {replicates}",
            f"tier: every system of a tier is better than every system of the tiers below ({sure}, all pairs together)",
        )

    def share_top(self, k: int) -> NDArray[np.float64]:
        """Shape `(N,)`: share of replicates in which each system is among the best k; ties share the last places.

        Raises
        ------
        MethodError
            k is not between 1 and N.

        Examples
        --------
        >>> import podium
        >>> scores = podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores
        >>> podium.rank(scores).intervals.share_top(4)
        array([1., 1., 1., 1.])
        """
        _check_top(k, self.tier.size)
        return share_of_top(self.samples, k, self.rounding)

    def difference(self, i: int, j: int) -> tuple[float, float]:
        """Percentile interval of how much better i is than j, in units of the score; both as places in the ranking.

        The quantiles of the difference over replicates, at the same tails as for scores. Both systems are scored on
        the same instances; this interval takes that into account, two intervals side by side do not. NaN where either
        is unranked. It is about this one pair; `separated` is about all pairs together.

        Examples
        --------
        >>> import podium
        >>> scores = podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores
        >>> low, high = podium.rank(scores, "mean").intervals.difference(0, 3)
        >>> low < 3 < high
        True
        """
        low, high = quantiles(self.samples[[i]] - self.samples[[j]], [self.tail, 1 - self.tail])
        return float(low[0]), float(high[0])


@dataclass(frozen=True, slots=True, eq=False)
class Ranking(Result):
    """Systems in order, best first; systems that share a rank are in order of their labels.

    Attributes
    ----------
    method, level
        How it was made: "borda", "mean", …, and on which ballots: "task", "one", "balanced" or "two", or None.
    systems
        The N labels, best first; unranked systems last.
    score
        Shape `(N,)`: aggregate score, NaN where unranked.
    rank
        Shape `(N,)`: standard competition rank (1224), 1 is best, 0 where unranked.
    midrank
        Shape `(N,)`: the same with ties sharing the mean of their places, NaN where unranked.
    tasks_scored
        Shape `(N,)`: on how many of the T tasks the system has any score.
    coverage
        Shape `(N,)`: share of all (task, instance) cells in which the system has a score.
    n_tasks
        T.
    higher_is_better
        Direction of `score`.
    rank_sum, points, extras
        Shape `(N,)` or None, see `Standing`.
    certificate
        How good it is, of a consensus order; otherwise None.
    intervals
        How sure it is; None where that was not asked, or is not known.
    circle
        Of battles that no order fits, systems of which each beats the next, and the last the first; otherwise empty.
    tasks
        The T tasks, with direction and weight, in the order of the table; empty where they are not known.
    notes
        What to know before trusting it, in words.
    caveat
        What the first place rests on, if some systems have much fewer scores than others; otherwise empty.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> ranking = podium.rank(podium.datasets.toy_table1())
    >>> ranking.systems
    ('C', 'B', 'A')
    >>> ranking.rank
    array([1, 2, 3])
    """

    schema: ClassVar[str] = "ranking"
    row_key: ClassVar[str] = "systems"
    other_figures: ClassVar[Mapping[str, str]] = {
        "heatmap": "podium.pairwise(scores).plot('heatmap')",
        "bump": "podium.agree(scores).plot('bump')",
    }

    method: str
    level: str | None
    systems: tuple[str, ...]
    score: NDArray[np.float64]
    rank: NDArray[np.int64]
    midrank: NDArray[np.float64]
    tasks_scored: NDArray[np.int64]
    coverage: NDArray[np.float64]
    n_tasks: int
    higher_is_better: bool = True
    rank_sum: NDArray[np.float64] | None = None
    points: NDArray[np.float64] | None = None
    extras: tuple[tuple[str, NDArray[np.float64]], ...] = ()
    certificate: Certificate | None = None
    intervals: Intervals | None = None
    circle: tuple[str, ...] = ()
    tasks: tuple[RankedTask, ...] = ()
    notes: tuple[str, ...] = ()
    caveat: str = ""
    backend: str = "pyarrow"

    @classmethod
    def of(
        cls,
        standing: Standing,
        scores: Scores,
        method: str,
        level: str | None,
        *,
        intervals: Intervals | None = None,
        notes: Sequence[str] = (),
    ) -> "Ranking":
        """Give the numbers of a method their labels back, in order, beside what is known of the table.

        Raises
        ------
        MethodError
            As of `Standing.places`.
        """
        systems, tasks = scores.systems, scores.tasks
        place = standing.places(systems)
        order = np.array(best_first(place, systems), dtype=np.int64)
        scored = np.array([task.scored for task in tasks])
        remarks = standing.remarks(systems) if standing.remarks else []
        return cls(
            method=method,
            level=level,
            systems=tuple(systems[row] for row in order),
            score=standing.score[order],
            rank=competition_ranks(place)[order],
            midrank=midranks(place)[order],
            tasks_scored=np.count_nonzero(scored, axis=0)[order],
            coverage=(scored.sum(axis=0) / scores.n_instances)[order],
            n_tasks=len(tasks),
            higher_is_better=standing.higher_is_better,
            rank_sum=None if standing.rank_sum is None else standing.rank_sum[order],
            points=None if standing.points is None else standing.points[order],
            extras=tuple((name, array[order]) for name, array in standing.extras),
            certificate=None if standing.certificate is None else standing.certificate.named(systems),
            intervals=None if intervals is None else intervals.in_order(order),
            tasks=tuple(RankedTask(task.name, task.higher_is_better, task.weight, task.n_instances) for task in tasks),
            notes=(*notes, *remarks),
            backend=scores.backend,
        )

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def title(self) -> str:
        """Method, level, and size, in words.

        >>> import podium
        >>> podium.rank(podium.datasets.toy_table1()).title
        'borda, task-level: 3 systems, 6 tasks'
        """
        how = in_words(self.method, self.level)
        return f"{how}: {how_many(len(self), 'system')}, {how_many(self.n_tasks, 'task')}"

    def __repr__(self) -> str:
        lines = [f"Ranking({self.title})"]
        for row in self.rows()[:10]:
            line = f"{span(row['rank']):>4}  {row['system']}  {_shown(row['score'])}"
            if self.intervals is not None:
                line += f"  ranks {span(row['rank_low'], row['rank_high'])}, tier {span(row['tier'])}"
            lines.append(line)
        if len(self) > 10:
            lines.append(f"      … and {len(self) - 10} more")
        if self.notes:
            lines.append(f"      {how_many(len(self.notes), 'note')} in .notes")
        return "\n".join(lines)

    @property
    def scope(self) -> str:
        """Say over what the intervals speak; empty without intervals.

        >>> import podium
        >>> podium.rank(podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores).scope
        'on these 2 tasks'
        """
        if self.intervals is None:
            return ""
        number = sum(task.weight > 0 for task in self.tasks) or self.n_tasks
        of_instances = "on this task" if number == 1 else f"on these {number:,} tasks"
        return {
            "instances": of_instances,
            "tasks": "over other tasks like these",
            "both": "over other tasks and instances like these",
            "repeats": "over other runs of these instances",
        }[self.intervals.units]

    def top(self, k: int = 1) -> tuple[str, ...]:
        """Return a set of systems that contains all of the best k, with the confidence of the intervals; best first.

        Of the best one: those that no other system is better than, each by one-sided tests of its own N − 1 pairs, so
        that the best one is among them with this confidence. Of several: those whose joint rank intervals reach k,
        which hold together (Mogstad, Romano, Shaikh & Wilhelm 2024, §3).

        Raises
        ------
        MethodError
            There are no intervals; or k is not between 1 and N.

        Examples
        --------
        >>> import podium
        >>> scores = podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores
        >>> podium.rank(scores).top()
        ('system 4',)
        """
        if self.intervals is None:
            raise MethodError("without intervals nothing is known of who may be the best; rank with confidence=0.95")
        _check_top(k, len(self))
        reach = self.intervals.joint_rank_low
        within = self.intervals.may_be_first if k == 1 else (reach >= 1) & (reach <= k)
        return tuple(system for system, there in zip(self.systems, within, strict=True) if there)

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per system, best first; None where a number does not exist.

        >>> import podium
        >>> podium.rank(podium.datasets.toy_table1(), method="mean").rows()[0]["system"]
        'A'
        """
        columns = {name: plain_list(array) for name, array in self._columns().items()}
        for name in _ZERO_IS_NONE & columns.keys():
            columns[name] = [rank or None for rank in columns[name]]
        return [
            {"system": system, **{name: values[index] for name, values in columns.items()}}
            for index, system in enumerate(self.systems)
        ]

    def _columns(self) -> dict[str, NDArray[Any]]:
        columns: dict[str, NDArray[Any]] = {
            "rank": self.rank,
            "midrank": self.midrank,
            "score": self.score,
            "rank_sum": self.rank_sum if self.rank_sum is not None else np.empty(0),
            "points": self.points if self.points is not None else np.empty(0),
            **dict(self.extras),
            **({} if self.intervals is None else self.intervals.columns()),
            "tasks_scored": self.tasks_scored,
            "coverage": self.coverage,
        }
        return {name: array for name, array in columns.items() if array.size}

    def content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "method": self.method,
            "level": self.level,
            "higher_is_better": self.higher_is_better,
            "n_systems": len(self),
            "n_tasks": self.n_tasks,
            **({"caveat": self.caveat} if self.caveat else {}),
            "certificate": None if self.certificate is None else asdict(self.certificate),
            **({"circle": list(self.circle)} if self.circle else {}),
            "intervals": None if self.intervals is None else self.intervals.to_dict(),
            "tasks": [{name: getattr(task, name) for name in task.__slots__} for task in self.tasks],
            "systems": self.rows(),
        }


def _check_top(k: int, n_systems: int) -> None:
    if k not in range(1, n_systems + 1):
        raise MethodError(f"there is no top {k!r}; k is a whole number between 1 and {n_systems}")


def _shown(score: float | None) -> str:
    return DASH if score is None else f"{score:.4f}"
