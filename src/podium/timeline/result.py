"""The answer: for every step a ranking, what came and went, and which changes are more than noise; frozen."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar, Self

from podium.base.arrays import Frozen, plain
from podium.base.words import how_many
from podium.ranking.method_spec import in_words
from podium.ranking.result import Ranking
from podium.report.result import Result

if TYPE_CHECKING:
    from podium.report.view import View


@dataclass(frozen=True, slots=True)
class Overtaking:
    """A system that was behind another and is now ahead of it.

    Attributes
    ----------
    winner, loser
        Who is ahead now, and who was ahead in the step before.
    p
        p-value of the change of their lead, adjusted for all pairs of systems that both steps have, for the change
        of the score of each, and for all steps in which a score changed; NaN where it is not tested.
    surely
        Whether the change of their lead is more than noise; and turned their order round, where only what both steps
        have is tested.
    cause
        What changed their lead most: "scores", "suite", "field", or "coverage"; empty where that is not known.
    """

    winner: str
    loser: str
    p: float
    surely: bool
    cause: str


@dataclass(frozen=True, slots=True)
class Move:
    """Change of one system from the step before to this one.

    Attributes
    ----------
    rank
        Its rank before less its rank now: 2 is two places up.
    change
        Gain of the score: score less score before, or the other way round where lower is better; + is better.
    std_error
        Its standard deviation over replicates that draw the same in both steps, where that is tested; else NaN.
    df
        Degrees of freedom of that; NaN where it is.
    p
        p-value of `by_scores`, adjusted as those of overtakings; NaN where it is not tested.
    by_scores, by_suite, by_field, by_coverage
        The parts of the change by cause: scores on what both steps have, tasks and instances, the other systems, and
        scores that only one of the steps has, on what both have; NaN where that is not known.
    rescored, lone, common
        How many of its scores on what both steps have are other ones, are there in one step only, and are there in
        both.
    surely
        Whether it overtook a system, or was overtaken, by more than noise; None where nothing is tested.
    score_surely
        Whether some of its scores are other ones, and `by_scores` is more than noise; None where `p` is NaN.
    """

    rank: int
    change: float
    std_error: float
    df: float
    p: float
    by_scores: float
    by_suite: float
    by_field: float
    by_coverage: float
    rescored: int
    lone: int
    common: int
    surely: bool | None
    score_surely: bool | None

    def adjusted(self, steps: int, alpha: float) -> Self:
        """Return the same with a p-value adjusted for so many steps, by Bonferroni."""
        p = self.p if isnan(self.p) else min(steps * self.p, 1.0)
        return replace(self, p=p, score_surely=self.score_surely and p <= alpha)


def places_of(ranking: Ranking) -> dict[str, int]:
    """Return the rank of every system that has one, best first."""
    return {system: rank for system, rank in zip(ranking.systems, ranking.rank.tolist(), strict=True) if rank}


def names_of_sure(overtakings: Iterable[Overtaking]) -> set[str]:
    """Return who overtook, or was overtaken, by more than noise."""
    return {name for one in overtakings if one.surely for name in (one.winner, one.loser)}


@dataclass(frozen=True, slots=True, eq=False)
class HistoryStep(Frozen):
    """One step of a history.

    Attributes
    ----------
    label
        Its name: of a file, a version, or a date.
    ranking
        The ranking of its table, as `podium.rank` makes it.
    entered, left
        Systems that the step before does not have, and that only the step before has; by name.
    returned
        Of those that entered, the ones that an earlier step has.
    tasks_added, tasks_retired
        The same of tasks.
    directions_changed, weights_changed, instances_changed, clusters_changed
        Tasks that both steps have, with others of these.
    first_scored, last_scored
        For such a task, the systems of both steps that have scores on it in this step only, and in the one before only.
    moves
        By system that both steps have.
    overtakings
        Pairs whose order is another one than in the step before; surest first.
    tested
        What was tested: "all", the changes as they are; "shared", those on tasks and instances that both steps have;
        empty, nothing.
    untested
        Why nothing was tested, in words; empty where something was.
    """

    label: str
    ranking: Ranking
    entered: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    tasks_added: tuple[str, ...] = ()
    tasks_retired: tuple[str, ...] = ()
    directions_changed: tuple[str, ...] = ()
    weights_changed: tuple[str, ...] = ()
    instances_changed: tuple[str, ...] = ()
    clusters_changed: tuple[str, ...] = ()
    first_scored: tuple[tuple[str, tuple[str, ...]], ...] = ()
    last_scored: tuple[tuple[str, tuple[str, ...]], ...] = ()
    moves: tuple[tuple[str, Move], ...] = ()
    overtakings: tuple[Overtaking, ...] = ()
    tested: str = ""
    untested: str = ""

    @property
    def first(self) -> tuple[str, ...]:
        """Who is first."""
        return tuple(system for system, rank in self.rank_of().items() if rank == 1)

    def rank_of(self) -> dict[str, int]:
        """Return the rank of every system that has one."""
        return places_of(self.ranking)

    def adjusted(self, steps: int, confidence: float | None) -> Self:
        """Return the same with p-values adjusted for so many steps, by Bonferroni, and with what is then sure.

        Holm's steps would not hold here: a step in which something changed is one where other systems did not.
        """
        if confidence is None or steps < 2:
            return self
        found = [replace(one, p=min(steps * one.p, 1.0)) for one in self.overtakings]
        found = [replace(one, surely=one.surely and one.p <= 1 - confidence) for one in found]
        sure = names_of_sure(found)
        moves = [
            (name, replace(move.adjusted(steps, 1 - confidence), surely=move.surely and name in sure))
            for name, move in self.moves
        ]
        return replace(self, overtakings=tuple(sorted(found, key=lambda one: not one.surely)), moves=tuple(moves))

    def content(self) -> dict[str, Any]:
        """Return what files hold of it beside the rows."""
        names = (
            *("entered", "left", "returned", "tasks_added", "tasks_retired"),
            *("directions_changed", "weights_changed", "instances_changed", "clusters_changed"),
        )
        return {
            "step": self.label,
            "n_systems": len(self.ranking),
            "n_tasks": self.ranking.n_tasks,
            **{name: list(getattr(self, name)) for name in names},
            "first_scored": {task: list(systems) for task, systems in self.first_scored},
            "last_scored": {task: list(systems) for task, systems in self.last_scored},
            "tested": self.tested,
            "untested": self.untested,
            "overtakings": [
                plain({"winner": one.winner, "loser": one.loser, "p": one.p})
                | {"more_than_noise": one.surely if self.tested else None, "cause": one.cause or None}
                for one in self.overtakings
            ],
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class History(Result):
    """Rankings of the versions of a table, in order, and what changed between them.

    Attributes
    ----------
    method, level
        How every step was ranked; the level of the last.
    suite
        "own": each step by the tasks it has; "joined": by all tasks seen so far.
    confidence
        Of intervals and of what is more than noise: of all that is said of changes, something is wrong with a
        probability of at most 1 − confidence; None where there are no intervals.
    steps
        In order.
    points
        Whether changes are percentage points: of one system whose scores are all 0 or 1.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> table = podium.datasets.toy_table1()
    >>> history = podium.history({"May": table, "June": table})
    >>> history
    History(borda, task-level: 2 steps, 3 systems)
    • C is first in both steps; in June B, A may be as good
    rank  95% ranks  rank change  system   score  score change  first seen
       1        1–3  0            C       0.5833        0.0000  May
       2        1–3  0            B       0.5000        0.0000  May
       3        1–3  0            A       0.4167        0.0000  May
    """

    schema: ClassVar[str] = "history"
    _beyond_rows: ClassVar[str] = (
        "these rows are the systems of all steps only; -f json also has tasks and systems that come and go"
    )
    _row_key: ClassVar[str] = "systems"

    method: str
    level: str | None
    suite: str
    confidence: float | None
    steps: tuple[HistoryStep, ...]
    points: bool = False
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @property
    def systems(self) -> tuple[str, ...]:
        """Return all systems: those of the last step in the order of its ranking, then who left, the latest first."""
        return tuple(dict.fromkeys(system for step in reversed(self.steps) for system in step.ranking.systems))

    @property
    def alone(self) -> bool:
        """Return whether all steps have the same single system, whose scores are then the answer."""
        return len(self.systems) == 1

    @property
    def title(self) -> str:
        """Method, level, and size, in words.

        >>> import podium
        >>> table = podium.datasets.toy_table1()
        >>> podium.history({"May": table, "June": table}).title
        'borda, task-level: 2 steps, 3 systems'
        """
        how = in_words(self.method, self.level)
        return f"{how}: {how_many(len(self.steps), 'step')}, {how_many(len(self.systems), 'system')}"

    def first_seen(self) -> dict[str, str]:
        """Return, for each system, the label of the first step that has it."""
        seen: dict[str, str] = {}
        for step in self.steps:
            for system in step.ranking.systems:
                seen.setdefault(system, step.label)
        return seen

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per step and system, best first; None where a number does not exist.

        >>> import podium
        >>> table = podium.datasets.toy_table1()
        >>> row = podium.history({"May": table, "June": table}).rows()[3]
        >>> row["step"], row["system"], row["rank"], row["rank_change"], row["score_change"]
        ('June', 'C', 1, 0, 0.0)
        """
        names = ("rank", "rank_low", "rank_high", "tier", "score", "score_low", "score_high", "std_error")
        return [
            {"step": step.label, "system": row["system"], **{name: row.get(name) for name in names}}
            | {"tasks_scored": row["tasks_scored"], **_of_move(step, row["system"], moves, self.confidence)}
            for step in self.steps
            for moves in [dict(step.moves)]
            for row in step.ranking.rows()
        ]

    def view(self) -> "View":
        """Return what it looks like: title, verdict, tables, notes and figures."""
        from podium.timeline.view import view_history  # noqa: PLC0415  # only where it is shown

        return view_history(self)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            **{name: getattr(self, name) for name in ("method", "level", "suite", "confidence")},
            "n_steps": len(self.steps),
            "n_systems": len(self.systems),
            "steps": [step.content() for step in self.steps],
            "systems": self.rows(),
        }


def _of_move(step: HistoryStep, system: str, moves: dict[str, Move], confidence: float | None) -> dict[str, Any]:
    move = moves.get(system)
    parts = ("by_scores", "by_suite", "by_field", "by_coverage", "rescored")
    said = ("change", "std_error", "p", *parts, "lone")
    names = ("score_change", "score_change_std_error", "by_scores_p", *parts, "scored_once")
    numbers = {name: None if move is None else getattr(move, of) for name, of in zip(names, said, strict=True)}
    sure = [one for one in step.overtakings if one.surely]
    return {
        "entered": system in step.entered,
        "rank_change": None if move is None else move.rank,
        **plain(numbers),
        "more_than_noise": None if move is None or confidence is None else move.surely,
        "by_scores_more_than_noise": None if move is None else move.score_surely,
        # names in one cell, as files of rows can hold them; a name may hold a comma
        "overtook": " | ".join(one.loser for one in sure if one.winner == system),
        "overtaken_by": " | ".join(one.winner for one in sure if one.loser == system),
    }
