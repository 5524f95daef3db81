"""Whether the answer depends on how we ask: one table ranked in several ways, several tables or tasks in one way."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from podium.agreement.correlation import Repeatability, by_chance, clustered, expected, repeated
from podium.agreement.correlations import Correlations
from podium.agreement.result import TOP, Agreement, gathered
from podium.base.check import Rng, check_confidence, check_threads, checked_whole, seed_of, texts
from podium.base.errors import LabelError, MethodError
from podium.base.parallel import Progress
from podium.base.words import LONG, how_many, with_names
from podium.ranking.api import check_rankable, differs, rank, weighs
from podium.ranking.ballots import Level, Missing
from podium.ranking.correlation import FEWEST, every_tau_b
from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import LEVELS, METHODS, MethodName, MethodSpec
from podium.ranking.result import Ranking
from podium.ranking.uncertainty import ranking_of
from podium.score.table import Scores
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords
from podium.tally.draw import UnitKind, check_resampling

#: Another way to count missing scores, shown too where some systems have far fewer scores than others.
_OTHER_ASSUMPTION = "borda:missing=imputed"

#: Tasks that are compared at most, as every two are.
_TASKS = 300


@keywords
def agree(
    scores: "ScoresLike",
    methods: Sequence[str | MethodSpec] | None = None,
    *,
    top_n: Sequence[int] = TOP,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Agreement:
    """Rank systems in several ways, and say how far these agree and which systems move.

    Parameters
    ----------
    scores
        As for `podium.rank`.
    methods
        Names of methods, with a level after a colon where one is meant: "mean", "borda", "borda:one"; or a way to count
        missing scores: "borda:missing=imputed"; or, with options, `podium.MethodSpec`. By default every method that is
        quick, at every level where there are instances; and where some systems have far fewer scores than others,
        "borda:missing=imputed". A method that cannot rank these scores is then left out, and the notes say why.
    top_n
        Numbers of best systems whose agreement is looked at.
    n_jobs
        Cores to count on; the result does not depend on it.
    progress
        Called with the number of scores counted and the number there are.

    Returns
    -------
    Agreement
        On the systems that every method ranks. What methods warn of is in its notes.

    Raises
    ------
    MethodError
        An unknown method or level, the same twice, fewer than two, or a method that cannot rank these scores.

    Examples
    --------
    >>> import podium
    >>> podium.agree(podium.datasets.xtreme_missing(), ["borda", "mean", "median", "iqm"])
    Agreement(4 rankings of 9 systems: tau-b from 0.085 to 0.944)
    • who is first depends on the method: M7 by mean, median, iqm; M0 by borda:task
    • M1 moves most: from rank 2 to 8
    who moves  best  worst  spread  borda:task  mean  median  iqm
    M1            2      8       6           2     8       7    7
    M9            4      9       5           9     5       4    5
    M4            2      6       4           6     2       3    3
    M7            1      4       3           4     1       1    1
    M3            3      6       3           3     6       6    6
    M6            4      7       3           7     4       5    4
    M2            5      8       3           5     6       8    8
    M0            1      3       2           1     3       2    2
    M8            8      9       1           8     9       9    9
    4 notes in .notes
    """
    scores = as_scores(scores, **reading)
    check_threads(n_jobs)
    depths: Any = top_n
    depths = [checked_whole("top_n", one) for one in (depths if isinstance(depths, Iterable) else [depths])]
    given = MethodSpec.several(_quick(scores) if methods is None else methods)
    specs = [spec.on(scores) for spec in given]
    # named as they were asked for; notes say how a missing score counts
    ways = [str(replace(spec, missing=one.missing)) for spec, one in zip(specs, given, strict=True)]
    if twice := [way for way, spec in zip(ways, specs, strict=True) if specs.count(spec) > 1]:
        raise MethodError(f"{twice[0]!r} appears twice; leave one out")
    check_rankable(scores)
    counted = CountedScores.for_rankings(scores, specs, threads=n_jobs, progress=progress)
    rankings = {}
    failed: dict[str, MethodError] = {}
    for way, spec in zip(ways, specs, strict=True):
        try:
            rankings[way] = ranking_of(counted, spec)
        except MethodError as error:
            failed[way] = error
            if methods is not None:
                raise
    if failed and len(rankings) < 2:
        raise next(iter(failed.values()))
    return Agreement.of(rankings, top_n=depths, notes=_left_out(ways, failed))


def _left_out(ways: Sequence[str], failed: Mapping[str, MethodError]) -> list[str]:
    """Say which ways are left out and why; a method is named alone where all its levels are, for one reason."""
    said: dict[str, list[str]] = {}
    for way, error in failed.items():
        said.setdefault(str(error).partition(";")[0], []).append(way)
    notes = []
    for why, same in said.items():
        partly = {way.partition(":")[0] for way in ways if way not in same}
        names = list(dict.fromkeys(way if (name := way.partition(":")[0]) in partly else name for way in same))
        left = f" {'is' if len(names) == 1 else 'are'} left out: "
        note = with_names("", names, left + why, room=LONG)
        if len(note) > LONG:  # names of systems in the error; alone, the method says them all
            note = with_names("", names, f"{left}{why.partition(': ')[0]}; rank by this alone to see why")
        notes.append(note)
    return notes


def _quick(scores: Scores) -> list[str]:
    """Return every way to rank that takes no long time; levels where they differ."""
    ways = []
    for name, method in METHODS.items():
        if method.takes_long:
            continue
        spread_out = method.level is not None and not scores.task_level
        ways += [f"{name}:{level}" for level in LEVELS] if spread_out else [name]
    return [*ways, _OTHER_ASSUMPTION] if differs(scores) else ways


@keywords
def correlate(
    scores: "ScoresLike",
    *others: "ScoresLike",
    names: Sequence[str] | None = None,
    method: MethodName | str | MethodSpec = "borda",
    level: Level | None = None,
    missing: Missing | None = None,
    confidence_level: float = 0.95,
    units: UnitKind | None = None,
    n_resamples: int = 500,
    rng: Rng = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Correlations:
    """Say whether two benchmarks, judges or metrics order systems alike; or, of a single table, its tasks.

    Each is ranked on its own, tables on the systems that all have. τ-b of every two has an interval for other systems
    of the kind. Beside it stand what noise lets one expect of two with the same true order, and what chance gives.

    Parameters
    ----------
    scores, others
        As for `podium.rank`; two tables or more, or one, of which the tasks are compared.
    names
        Of the tables; "table 1" and so on by default.
    method, level, missing
        How systems are ranked, as by `podium.rank`.
    confidence_level
        Of the intervals.
    units, n_resamples, rng
        What is drawn anew to see how noisy each is, as by `podium.rank`. Of too few units, that is not known.
    n_jobs
        Cores to count on.
    progress
        Called with the number of tables or tasks ranked, and their number.

    Returns
    -------
    Correlations
        Of more than two, those that agree stand side by side.

    Raises
    ------
    LabelError
        The tables have fewer than two systems in common.
    MethodError
        Fewer than two tasks, or too many; names that are not unique; or as `podium.rank`.

    Examples
    --------
    >>> import podium
    >>> world = podium.simulate.gumbel(12, 4, 60, dispersion=0.05, rng=0).scores
    >>> halves = [world.select(tasks=tasks) for tasks in (["task [12]"], ["task [34]"])]
    >>> podium.correlate(*halves, names=["a", "b"]).sentences[0].partition(";")[0]
    'a and b order 12 systems more alike than chance: tau-b 0.76 (0.32 to 1.00)'
    """
    check_confidence(confidence_level)
    check_resampling(confidence_level=confidence_level, units=units, n_resamples=n_resamples, rng=seed_of(rng))
    check_threads(n_jobs)
    tables = [as_scores(one, **reading) for one in (scores, *others)]
    columns, notes = _tables(tables, names) if others else _tasks(tables[0])
    spec, rankings = MethodSpec.of(method, level, missing), list[Ranking]()
    for name, table in columns.items():
        drawn = None if table.n_instances == 1 else confidence_level  # of one score each, no noise is known
        try:
            ranking = rank(
                table, spec, confidence_level=drawn, units=units, n_resamples=n_resamples, rng=rng, n_jobs=n_jobs
            )
        except MethodError as error:
            raise MethodError(f"{name}: {error}") from None
        rankings.append(ranking)
        if progress is not None:
            progress(len(rankings), len(columns))
    systems = next(iter(columns.values())).systems
    placed = [dict(zip(ranking.systems, ranking.rank.tolist(), strict=True)) for ranking in rankings]
    ranks = np.array([[own[system] for system in systems] for own in placed], dtype=np.int64)
    noises = [_noise(ranking) for ranking in rankings]
    if others:
        said = {name: ranking.notes for name, ranking in zip(columns, rankings, strict=True)}
        notes += [note for note in gathered(said) if "no intervals: " not in note]  # of scores
    if unknown := [name for name, own in zip(columns, noises, strict=True) if np.isnan(own.share)]:
        notes.append(with_names("how noisy these are is not known, for lack of instances or tasks: ", unknown))
    found = _compared(ranks, noises, confidence_level)
    known = np.where(found["common"] < FEWEST, np.nan, found["tau"])
    order, cluster = clustered(known) if len(columns) > 2 else (np.arange(2), np.ones(2, dtype=np.int64))
    place = {one: number for number, one in enumerate(dict.fromkeys(cluster[order].tolist()), 1)}
    return Correlations(
        between="tables" if others else "tasks",
        names=tuple(np.array(list(columns), dtype=object)[order]),
        systems=systems,
        method=rankings[0].method,
        level=rankings[0].level,
        confidence=confidence_level,
        ranks=ranks[order],
        **{name: matrix[np.ix_(order, order)] for name, matrix in found.items()},
        cluster=np.array([place[one] for one in cluster[order].tolist()]),
        notes=tuple(notes),
        backend=tables[0].backend,
    )


def _tables(tables: Sequence[Scores], names: Sequence[str] | None) -> tuple[dict[str, Scores], list[str]]:
    """Return tables by name, with the systems that all have in one order, and say which others there are."""
    labels = [f"table {number}" for number in range(1, len(tables) + 1)] if names is None else texts("names", names)
    if len(labels) != len(tables) or len(set(labels)) < len(labels):
        raise MethodError(
            f"names must be {len(tables)} different texts, one for each table; on the command line NAME=PATH"
        )
    common = [system for system in tables[0].systems if all(system in table.systems for table in tables)]
    notes = []
    for label, table in zip(labels, tables, strict=True):
        if left := [system for system in table.systems if system not in set(common)]:
            notes.append(with_names(f"left out of {label}, as not all tables have them: ", left))
    if len(common) < 2:
        raise LabelError(
            f"{' and '.join(labels)} have {how_many(len(common), 'system')} in common, and two are needed; "
            f"{'; '.join(notes)}. As one table: podium.agree (--between methods)"
        )
    taken = [table.take([table.systems.index(system) for system in common]) for table in tables]
    return dict(zip(labels, taken, strict=True)), notes


def _tasks(scores: Scores) -> tuple[dict[str, Scores], list[str]]:
    """Return a table of each task that weighs something, and say which others there are."""
    check_rankable(scores)
    some = [task for task in scores.tasks if weighs(task) and np.count_nonzero(task.scored) > 1]
    left = [task.name for task in scores.tasks if task.name not in {one.name for one in some}]
    notes = [*scores.notes, *([with_names("left out, without weight or scores: ", left)] if left else [])]
    if not 1 < len(some) <= _TASKS:
        raise MethodError(
            f"{how_many(len(some), 'task')} cannot be compared with each other: two are needed, {_TASKS} are the most; "
            "choose with tasks= (--tasks)"
        )
    return {task.name: replace(scores, tasks=(task,), notes=()) for task in some}, notes


def _noise(ranking: Ranking) -> Repeatability:
    sure, oriented = ranking.intervals, ranking.score if ranking.higher_is_better else -ranking.score
    return Repeatability(np.nan, np.nan) if sure is None else repeated(oriented, sure.samples)


def _compared(ranks: Any, noises: Sequence[Repeatability], confidence: float) -> dict[str, Any]:
    """Compare every two rankings of shape `(K, N)`: return matrices of shape `(K, K)` by name."""
    places = np.where(ranks > 0, -ranks, np.nan)
    there = (ranks > 0).astype(np.int64)
    number = len(ranks)
    found = np.full((2, number, number), np.nan)
    for i in range(number):
        for j in range(i, number):
            numbers = expected(noises[i], noises[j]), by_chance(places[i], places[j])
            found[:, i, j] = found[:, j, i] = numbers
    tau = every_tau_b(places, confidence)
    values = {"tau": tau.value, "tau_low": tau.low, "tau_high": tau.high}
    return {"common": there @ there.T, **values, "expected": found[0], "chance": found[1]}
