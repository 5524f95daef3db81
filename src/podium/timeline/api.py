"""How ranks went over versions of a table."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.base.check import check_threads, is_one_of
from podium.base.errors import InputError, MethodError, PodiumError, nearest
from podium.base.parallel import Progress
from podium.ranking.api import check_rankable
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import MethodSpec, method_of
from podium.ranking.uncertainty import ranking_of
from podium.score.table import Scores
from podium.tally.draw import check_resampling
from podium.timeline.change import Change, change_between
from podium.timeline.noise import LITTLE_IN_COMMON, untestable
from podium.timeline.result import History, HistoryStep, Move, Overtaking, names_of_sure, places_of
from podium.timeline.shared import SuiteChange, newly_scored
from podium.timeline.steps import Dates, Joined, RankedVersion, steps_of
from podium.timeline.view import notes_of_history, notes_of_suites

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podium.source.memory import ScoresLike

#: Which tasks a step is ranked by.
SUITES = ("own", "joined")


def history(
    steps: "Mapping[str, ScoresLike] | Any",
    method: str | MethodSpec = "borda",
    *,
    level: str | None = None,
    suite: str = "own",
    dates: "Mapping[str, Any] | Dates | None" = None,
    each: str | None = None,
    confidence: float | None = 0.95,
    units: str | None = None,
    replicates: int = 1000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> History:
    """Rank every version of a table, and say which changes from one to the next are more than noise.

    Every step is ranked as `podium.rank` does it. Replicates of two steps that follow each other draw the same
    instances. So the change s′ − s of a score has the standard error of its replicates, and what stayed the same
    cancels. "B overtook A" is more than noise where the lead of B over A changed by more than chance explains: by
    Student's test of that change, by an exact test of signs where at most 50 instances changed, adjusted by Shaffer's
    steps for all pairs of systems that both steps have, and by Bonferroni for the steps in which a score changed. Of
    all that is said of a history, something is wrong with a probability of at most 1 − confidence.

    Each change is the sum of four parts: scores on what both steps have are other ones (`by_scores`), or are there in
    one of them only (`by_coverage`); tasks or instances are other ones (`by_suite`); other systems are there to be
    compared with (`by_field`). Where scores came or went, only those that both steps have are tested. No change is
    tested where the direction of a task changed.

    Parameters
    ----------
    steps
        The versions, oldest first: a dictionary from labels to tables, or a list of (label, table), or of paths. A
        table is what `podium.rank` takes. With `dates`, one table. Or a board, whose versions are the steps.
    method, level
        How to rank, see `podium.rank`. Only scores that are sums over units are tested: those of "mean", and those of
        "borda" at levels "balanced" and "one", and at level "task" where tasks are drawn. Of battles, and with units
        "repeats", nothing is.
    suite
        "own": each step by the tasks it has. "joined": by all tasks seen so far; a score on a task that was retired
        stays, and what was never run is missing, see `podium.rank`.
    dates
        When each system appeared: {system: date}, as dates or as texts such as "2026-03-01". Every date is a step.
    each
        Of a board: "version" (by default: each that changed scores), or the last version of each "day" or "month".
    confidence
        Of intervals, tiers, and of what is more than noise; None for ranks only.
    units, replicates, seed
        Of the bootstrap, see `podium.rank`.
    threads
        Cores to count on; the result does not depend on it.
    progress
        Called with the number of steps ranked and their total.

    Returns
    -------
    History
        One ranking for each step, and what changed between them.

    Raises
    ------
    InputError
        There are fewer than two steps, two of one label, or what is given are no tables.
    LabelError
        There is no such way to choose versions of a board.
    MethodError
        As `podium.rank`, with the step; or there is no such suite.

    Examples
    --------
    >>> import podium
    >>> before = {"A": {"t": 0.9, "u": 0.8}, "B": {"t": 0.7, "u": 0.6}}
    >>> after = {**before, "C": {"t": 1.0, "u": 0.9}}
    >>> history = podium.history({"2026-01": before, "2026-02": after})
    >>> history.steps[1].first, history.steps[1].entered
    (('C',), ('C',))
    """
    check_threads(threads)
    check_resampling(confidence=confidence, units=units, replicates=replicates, seed=seed)
    if not is_one_of(suite, SUITES):
        raise MethodError(f"there is no suite {suite!r}; {nearest(str(suite), SUITES)}")
    given = MethodSpec.of(method, level)
    of_dates = dates if dates is None or isinstance(dates, Dates) else Dates.of_systems(dates)
    labels, tables, notes = steps_of(steps, of_dates, each)
    draws: dict[str, Any] = {"units": units, "replicates": replicates, "seed": seed}
    course = _Course(given, suite, confidence, draws, threads)
    for place, (label, table) in enumerate(zip(labels, tables, strict=True)):
        course.add(label, table)
        if progress is not None:
            progress(place + 1, len(labels))
    changed = sum(bool(step.tested) and any(move.change for _, move in step.moves) for step in course.steps)
    course.steps = [step.adjusted(changed, confidence) for step in course.steps]
    last = course.steps[-1].ranking
    return History(
        method=last.method,
        level=last.level,
        suite=suite,
        confidence=confidence,
        steps=tuple(course.steps),
        notes=(*notes, *notes_of_suites(course.orders, suite), *notes_of_history(course.steps, confidence, changed)),
        backend=last.backend,
    )


class _Course:
    """The steps so far; of their tables, only the last one and what it retired are held."""

    def __init__(
        self, spec: MethodSpec, suite: str, confidence: float | None, draws: dict[str, Any], threads: int | None
    ) -> None:
        self.steps: list[HistoryStep] = []
        self.orders: list[tuple[str, dict[str, int], dict[str, int]]] = []
        self._spec, self._suite, self._threads = spec, suite, threads
        self._confidence, self._draws = confidence, draws
        self._joined, self._seen = Joined(), set[str]()
        self._before: RankedVersion | None = None

    def add(self, label: str, own: Scores) -> None:
        """Rank the table of the next step, and compare it with the last."""
        together = self._joined.add(own)
        chosen, other = (together, own) if self._suite == "joined" else (own, together)
        try:
            after = self._ranked(chosen)
        except (MethodError, InputError) as error:
            error.args = (f"step {label!r}: {error}", *error.args[1:])
            raise
        if len(together.tasks) > len(own.tasks):
            self.orders.append((label, places_of(after.ranking), _places(other, after)))
        self.steps.append(_step(label, self._before, after, self._seen, self._threads))
        self._seen.update(chosen.systems)
        self._before = after

    def _ranked(self, scores: Scores) -> RankedVersion:
        bootstrap = None
        if self._confidence is not None:
            bootstrap = Bootstrap.of(scores, confidence=self._confidence, **self._draws)
        spec = self._spec.on(scores)
        if spec.missing is None and self._before is not None and self._before.spec.missing == "model":
            spec = replace(spec, missing="model")  # of a complete table it gives the same scores
        _check_ranked(scores, spec)
        counted = CountedScores.for_rankings(scores, [spec], threads=self._threads)
        return RankedVersion(counted, spec, ranking_of(counted, spec, bootstrap), bootstrap)


def _check_ranked(scores: Scores, spec: MethodSpec) -> None:
    """Refuse what no method could rank; but a single system has scores over time, if these are means."""
    if len(scores.systems) > 1:
        check_rankable(scores)
    elif not method_of(spec).averages:
        raise MethodError(
            f"there is only one system, {scores.systems[0]!r}, which beats nobody; its scores over time are those of "
            "method 'mean' (--method mean)"
        )


def _places(scores: Scores, version: RankedVersion) -> dict[str, int]:
    """Ranks by another table, or those they have where that cannot be ranked."""
    spec, threads = version.spec, version.counted.threads
    try:
        _check_ranked(scores, spec)
        return places_of(ranking_of(CountedScores.for_rankings(scores, [spec], threads=threads), spec))
    except PodiumError:
        return places_of(version.ranking)


def _step(
    label: str, before: RankedVersion | None, after: RankedVersion, seen: set[str], threads: int | None
) -> HistoryStep:
    if before is None:
        return HistoryStep(label, after.ranking)
    systems, earlier = set(after.scores.systems), set(before.scores.systems)
    tasks, before_tasks = after.scores.task_names, before.scores.task_names
    change = change_between(before, after, threads=threads)
    differences = SuiteChange.between(before.scores, after.scores)
    both = sorted(systems & earlier)
    overtakings = _overtakings(before, after, change)
    return HistoryStep(
        label=label,
        ranking=after.ranking,
        entered=tuple(sorted(systems - earlier)),
        left=tuple(sorted(earlier - systems)),
        returned=tuple(sorted((systems - earlier) & seen)),
        tasks_added=tuple(task for task in tasks if task not in before_tasks),
        tasks_retired=tuple(task for task in before_tasks if task not in tasks),
        directions_changed=differences.directions,
        weights_changed=differences.weights,
        instances_changed=differences.instances,
        clusters_changed=differences.clusters,
        first_scored=tuple(newly_scored(before.scores, after.scores, both).items()),
        last_scored=tuple(newly_scored(after.scores, before.scores, both).items()),
        moves=_moves(before, after, change, overtakings),
        overtakings=overtakings,
        tested="" if change.tested is None else "all" if change.tested.whole else "shared",
        untested="" if change.tested is not None else untestable(before, after) or LITTLE_IN_COMMON,
    )


def _overtakings(before: RankedVersion, after: RankedVersion, change: Change) -> tuple[Overtaking, ...]:
    """Pairs whose order turned round, the surest first."""
    ranks, earlier = after.ranks(change.systems), before.ranks(change.systems)
    turned = (ranks[:, None] < ranks) & (earlier[:, None] > earlier)
    found = []
    for winner, loser in np.argwhere(turned).tolist():
        p, surely = np.nan, False
        if change.tested is not None and after.bootstrap is not None:
            p = float(change.tested.p[winner, loser])
            gained = change.tested.change[winner] > change.tested.change[loser]
            surely = bool(gained and p <= 1 - after.bootstrap.confidence)
            surely = surely and (change.tested.whole or _by_what_was_tested(change, winner, loser))
        cause = _cause(change, winner, loser)
        found.append((not surely, ranks[winner], ranks[loser], winner, loser, p, cause))
    return tuple(
        Overtaking(change.systems[winner], change.systems[loser], p, not noise, cause)
        for noise, _, _, winner, loser, p, cause in sorted(found)
    )


def _by_what_was_tested(change: Change, winner: int, loser: int) -> bool:
    """Whether the order turned round on what both steps have, and not by what only one of them has."""
    turned = change.tested is not None and bool(change.tested.turned[winner, loser])
    return turned and _cause(change, winner, loser) not in {"suite", "coverage"}


def _cause(change: Change, winner: int, loser: int) -> str:
    """What changed the lead of one over the other most."""
    if change.causes is None:
        return ""
    parts = {name: getattr(change.causes, name) for name in ("scores", "suite", "field", "coverage")}
    return max(parts, key=lambda name: float(parts[name][winner] - parts[name][loser]))


def _moves(
    before: RankedVersion, after: RankedVersion, change: Change, overtakings: tuple[Overtaking, ...]
) -> tuple[tuple[str, Move], ...]:
    sure = names_of_sure(overtakings)
    up = before.ranks(change.systems) - after.ranks(change.systems)
    nothing = np.full(len(change.systems), np.nan)
    causes, tested = change.causes, change.tested
    error = nothing if tested is None or not tested.whole else tested.std_error
    parts = [nothing] * 4 if causes is None else [causes.scores, causes.suite, causes.field, causes.coverage]
    return tuple(
        (
            system,
            Move(
                int(up[index]),
                float(change.change[index]),
                float(error[index]),
                float(parts[0][index]),
                float(parts[1][index]),
                float(parts[2][index]),
                float(parts[3][index]),
                int(change.rescored[index]),
                int(change.lone[index]),
                None if tested is None else system in sure,
            ),
        )
        for index, system in enumerate(change.systems)
    )
