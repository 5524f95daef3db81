"""How ranks went over versions of a table."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

from podium.base.check import Rng, check_threads, is_one_of, seed_of
from podium.base.errors import InputError, MethodError, PodiumError, nearest
from podium.base.parallel import Progress
from podium.ranking.api import check_rankable
from podium.ranking.ballots import Level, Missing
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import MethodName, MethodSpec, method_of
from podium.ranking.uncertainty import ranking_of
from podium.score.table import Scores
from podium.score.task import is_binary
from podium.source.memory import ReadingOptions, keywords
from podium.tally.draw import UnitKind, check_resampling
from podium.timeline.change import step_after
from podium.timeline.result import History, HistoryStep, places_of
from podium.timeline.steps import Dates, Each, Joined, RankedVersion, steps_of
from podium.timeline.view import notes_of_history, notes_of_suites

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podium.source.memory import ScoresLike

#: Which tasks a step is ranked by.
Suite = Literal["own", "joined"]

SUITES: tuple[Suite, ...] = get_args(Suite)


@keywords
def history(
    steps: "Mapping[str, ScoresLike] | Any",
    method: MethodName | str | MethodSpec = "borda",
    *,
    level: Level | None = None,
    missing: Missing | None = None,
    suite: Suite = "own",
    dates: "Mapping[str, Any] | Dates | None" = None,
    each: Each | None = None,
    confidence_level: float | None = 0.95,
    units: UnitKind | None = None,
    n_resamples: int = 1000,
    rng: Rng = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
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
    compared with (`by_field`). Tests are about the scores that both steps have. No change is tested where the direction
    of a task changed.

    Parameters
    ----------
    steps
        The versions, oldest first: a dictionary from labels to tables, or a list of (label, table), or of paths. A
        table is what `podium.rank` takes. With `dates`, one table. Or one path: a pattern such as "months/*.csv"; a
        board, whose versions are the steps; or logs of one system, each run of which is a step.
    method, level, missing
        How to rank, see `podium.rank`. A single system has no other to beat, so instead of "borda" it has its "mean".
        Only scores that are sums over units are tested: those of "mean", and those of "borda" at levels "balanced" and
        "one", and at level "task" where tasks are drawn. Of battles, and with units "repeats", nothing is.
    suite
        "own": each step by the tasks it has. "joined": by all tasks seen so far; a score on a task that was retired
        stays, and what was never run is missing, see `podium.rank`.
    dates
        When each system appeared: {system: date}, as dates or as texts such as "2026-03-01". Every date is a step.
    each
        Of a board: "version" (by default: each that changed scores), or the last version of each "day" or "month".
    confidence_level
        Of intervals, tiers, and of what is more than noise; None for ranks only.
    units, n_resamples, rng
        Of the bootstrap, see `podium.rank`.
    n_jobs
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
    seed = seed_of(rng)
    check_threads(n_jobs)
    check_resampling(confidence_level=confidence_level, units=units, n_resamples=n_resamples, rng=seed)
    if not is_one_of(suite, SUITES):
        raise MethodError(f"there is no suite {suite!r}; {nearest(str(suite), SUITES)}")
    given = MethodSpec.of(method, level, missing)
    of_dates = dates if dates is None or isinstance(dates, Dates) else Dates.of_systems(dates)
    labels, tables, notes = steps_of(steps, of_dates, each, reading)
    draws: dict[str, Any] = {"confidence": confidence_level, "units": units, "replicates": n_resamples, "seed": seed}
    joined, seen = Joined(), set[str]()
    before: RankedVersion | None = None
    found: list[HistoryStep] = []
    points = True
    orders: list[tuple[str, dict[str, int], dict[str, int]]] = []
    for place, (label, own) in enumerate(zip(labels, tables, strict=True)):
        together = joined.add(own)
        chosen, other = (together, own) if suite == "joined" else (own, together)
        if not found and len(own.systems) == 1 and given == MethodSpec():
            given = MethodSpec("mean")
        points = points and len(own.systems) == 1 and all(map(is_binary, own.tasks))
        try:
            after = _ranked(chosen, given, before, draws=draws, threads=n_jobs)
        except (MethodError, InputError) as error:
            error.args = (f"step {label!r}: {error}", *error.args[1:])
            raise
        if len(together.tasks) > len(own.tasks):
            orders.append((label, places_of(after.ranking), _places(other, after)))
        step = HistoryStep(label, after.ranking)
        found.append(step if before is None else step_after(label, before, after, seen, n_jobs))
        seen.update(chosen.systems)
        before = after  # of all tables, only the last one and what it retired are held
        if progress is not None:
            progress(place + 1, len(labels))
    changed = sum(bool(step.tested) and any(move.change for _, move in step.moves) for step in found)
    found = [step.adjusted(changed, confidence_level) for step in found]
    last = found[-1].ranking
    return History(
        method=last.method,
        level=last.level,
        suite=suite,
        confidence=confidence_level,
        steps=tuple(found),
        points=points,
        notes=(*notes, *notes_of_suites(orders, suite), *notes_of_history(found, confidence_level, changed)),
        backend=last.backend,
    )


def _ranked(
    scores: Scores, given: MethodSpec, before: RankedVersion | None, *, draws: dict[str, Any], threads: int | None
) -> RankedVersion:
    """Rank the table of a step."""
    bootstrap = None if draws["confidence"] is None else Bootstrap.of(scores, **draws)
    spec = given.on(scores)
    if spec.missing is None and before is not None and before.spec.missing == "model":
        spec = replace(spec, missing="model")  # of a complete table it gives the same scores
    _check_ranked(scores, spec)
    counted = CountedScores.for_rankings(scores, [spec], threads=threads)
    return RankedVersion(counted, spec, ranking_of(counted, spec, bootstrap), bootstrap)


def _check_ranked(scores: Scores, spec: MethodSpec) -> None:
    """Refuse what no method could rank; but a single system has scores over time, if these are means."""
    if len(scores.systems) > 1:
        check_rankable(scores)
    elif not method_of(spec).averages:
        raise MethodError(
            f"there is only one system, {scores.systems[0]!r}, which has no other to beat; rank all steps by their "
            "mean scores with method='mean' (--method mean), or give two systems in each"
        )


def _places(scores: Scores, version: RankedVersion) -> dict[str, int]:
    """Ranks by another table, or those they have where that cannot be ranked."""
    spec, threads = version.spec, version.counted.threads
    try:
        _check_ranked(scores, spec)
        return places_of(ranking_of(CountedScores.for_rankings(scores, [spec], threads=threads), spec))
    except PodiumError:
        return places_of(version.ranking)
