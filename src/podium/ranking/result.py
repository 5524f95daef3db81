"""The answer: systems with aggregate score, rank, and how much of each was measured; frozen."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError
from podium.base.words import counted, span
from podium.ranking.interval import Intervals
from podium.report.result import Result
from podium.score.place import ROUNDING, competition_ranks, levels, midranks

#: Columns of ranks, in which 0 stands for a system that has none.
_ZERO_IS_NONE = {"rank", "rank_low", "rank_high", "joint_rank_low", "joint_rank_high", "tier"}


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """What a method makes of tallies: one number per system, in the order of the tallies.

    Attributes
    ----------
    score
        Shape `(N,)`: aggregate score; NaN where the method cannot place the system.
    scale
        Shape `(N,)`, or one number for all: size of the numbers that `score` was summed from, which is what its
        rounding errors are proportional to.
    higher_is_better
        Direction of `score`.
    rank_sum, points
        Shape `(N,)`, or None: the weighted sum of (expected) ranks, lower is better, and of systems
        beaten, higher is better, as Borda counts are printed in papers.
    extras
        What else the method has to say of each system: names and arrays of shape `(N,)`.
    certificate
        Of a consensus order.
    remarks
        Given the labels, what else a reader should know, in words.
    """

    score: NDArray[np.float64]
    scale: NDArray[np.float64] | float = 1.0
    higher_is_better: bool = True
    rank_sum: NDArray[np.float64] | None = None
    points: NDArray[np.float64] | None = None
    extras: tuple[tuple[str, NDArray[np.float64]], ...] = ()
    certificate: "Certificate | None" = None
    remarks: Callable[[Sequence[str]], list[str]] | None = None

    def levels(self, systems: Sequence[str]) -> NDArray[np.int64]:
        """Shape `(N,)`: dense levels, 0 for the best, −1 for a system that cannot be placed; errors name `systems`.

        Scores closer than 1e-12 of what they were summed from differ by rounding only, and share a level.

        Raises
        ------
        MethodError
            A score is not finite: the numbers were too large to be added up.

        Examples
        --------
        >>> Standing(np.array([0.3, 0.5, 0.1 + 0.2])).levels(["A", "B", "C"])
        array([1, 0, 1])
        """
        if np.isinf(self.score).any():
            system = systems[int(np.flatnonzero(np.isinf(self.score))[0])]
            raise MethodError(
                f"the scores of system {system!r} are too large to be averaged; rescale them, or use method 'borda' "
                "with level 'one' or 'two', which only compares them"
            )
        goodness = self.score if self.higher_is_better else -self.score
        return levels(goodness, tolerance=ROUNDING * self.scale)


@dataclass(frozen=True, slots=True)
class Certificate:
    """How good an order is, of those that minimise disagreements with the ballots.

    Attributes
    ----------
    cost
        Weighted number of pairwise disagreements with the ballots, lower is better.
    lower_bound
        No order costs less.
    gap
        Share of the cost that a better order might save, 0 where there is none.
    optimal
        Whether the order was proved to be a best one.
    unique
        Whether there is no other of the same cost; None where that was not proved in time.
    alternative
        Another order of the same cost, best first, as indices or labels; or None.
    """

    cost: float
    lower_bound: float
    gap: float
    optimal: bool
    unique: bool | None
    alternative: tuple[int, ...] | tuple[str, ...] | None

    def named(self, labels: Sequence[str]) -> "Certificate":
        """Return the same with labels for indices."""
        if self.alternative is None:
            return self
        return replace(self, alternative=tuple(labels[int(index)] for index in self.alternative))


@dataclass(frozen=True, slots=True)
class RankedTask:
    """What a ranking says of a task: label, direction, weight, and number of instances."""

    name: str
    higher_is_better: bool
    weight: float
    n_instances: int


@dataclass(frozen=True, slots=True, eq=False)
class Ranking(Result):
    """Systems in order, best first; systems that share a rank are in order of their labels.

    Attributes
    ----------
    method, level
        How it was made: "borda", "mean", …, and on which ballots: "task", "one" or "two", or None.
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
        How sure it is, or None where that was not asked, or cannot be told.
    tasks
        The T tasks, with direction and weight, in the order of the table; empty where they are not known.
    notes
        What to know before trusting it, in words.
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
    tasks: tuple[RankedTask, ...] = ()
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @classmethod
    def of(
        cls,
        standing: Standing,
        systems: Sequence[str],
        *,
        method: str,
        level: str | None,
        tasks_scored: NDArray[np.int64],
        coverage: NDArray[np.float64],
        n_tasks: int,
        intervals: Intervals | None = None,
        tasks: Sequence[RankedTask] = (),
        notes: Sequence[str] = (),
        backend: str = "pyarrow",
    ) -> "Ranking":
        """Give the numbers of a method their labels back, in order.

        Raises
        ------
        MethodError
            As of `Standing.levels`.
        """
        level_of = standing.levels(systems)
        last = len(systems)
        order = sorted(range(last), key=lambda i: (level_of[i] if level_of[i] >= 0 else last, systems[i]))
        take = np.array(order, dtype=np.int64)

        def ordered(array: NDArray[Any]) -> NDArray[Any]:
            return array[take]

        return cls(
            method=method,
            level=level,
            systems=tuple(systems[i] for i in order),
            score=ordered(standing.score),
            rank=ordered(competition_ranks(level_of)),
            midrank=ordered(midranks(level_of)),
            tasks_scored=ordered(tasks_scored),
            coverage=ordered(coverage),
            n_tasks=n_tasks,
            higher_is_better=standing.higher_is_better,
            rank_sum=None if standing.rank_sum is None else ordered(standing.rank_sum),
            points=None if standing.points is None else ordered(standing.points),
            extras=tuple((name, ordered(array)) for name, array in standing.extras),
            certificate=None if standing.certificate is None else standing.certificate.named(systems),
            intervals=None if intervals is None else intervals.in_order(take),
            tasks=tuple(tasks),
            notes=(*notes, *(standing.remarks(systems) if standing.remarks else ())),
            backend=backend,
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
        how = self.method if self.level is None else f"{self.method}, {self.level}-level"
        return f"{how}: {counted(len(self), 'system')}, {counted(self.n_tasks, 'task')}"

    def __repr__(self) -> str:
        lines = [f"Ranking({self.title})"]
        for row in self.rows()[:10]:
            line = f"{span(row['rank'], row['rank']):>4}  {row['system']}  {_shown(row['score'])}"
            if self.intervals is not None:
                line += f"  ranks {span(row['rank_low'], row['rank_high'])}, tier {span(row['tier'], row['tier'])}"
            lines.append(line)
        if len(self) > 10:
            lines.append(f"      … and {len(self) - 10} more")
        return "\n".join(lines)

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per system, best first; None where a number does not exist.

        >>> import podium
        >>> podium.rank(podium.datasets.toy_table1(), method="mean").rows()[0]["system"]
        'A'
        """
        columns = {name: _plain(array) for name, array in self._columns().items()}
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
            "certificate": None if self.certificate is None else asdict(self.certificate),
            "intervals": None if self.intervals is None else self.intervals.to_dict(),
            "tasks": [{name: getattr(task, name) for name in task.__slots__} for task in self.tasks],
            "systems": self.rows(),
        }


def _plain(array: NDArray[Any]) -> list[Any]:
    """Python numbers, None for NaN."""
    return [None if value != value else value for value in array.tolist()]  # noqa: PLR0124  # NaN differs from itself


def _shown(score: float | None) -> str:
    return "–" if score is None else f"{score:.4f}"
