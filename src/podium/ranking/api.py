"""Rank the systems of a table; what a table needs to be ranked, and whose rank depends on how missing scores count."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Unpack

import numpy as np

from podium.base.arrays import Bools, Floats, Ints
from podium.base.check import Rng, check_threads, seed_of, texts
from podium.base.cluster import at_each
from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.base.words import few, with_names
from podium.ranking import note
from podium.ranking.ballots import Level, Missing, weighted_sum
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.counted import CountedScores
from podium.ranking.family import family_of_each
from podium.ranking.human import by_people
from podium.ranking.method_spec import MethodName, MethodSpec, method_of
from podium.ranking.prompts import by_prompts
from podium.ranking.result import Ranking
from podium.ranking.style import adjusted
from podium.ranking.uncertainty import ranking_of
from podium.score.crossed import Crossed
from podium.score.place import competition_ranks
from podium.score.table import Scores, of_battles
from podium.score.task import Task
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords
from podium.tally.draw import UnitKind, check_resampling
from podium.tally.moment import Means

#: Scores up to which means on each task are counted also by methods that do not need them.
_SHOWN = 2**23

#: Coverage differs if a system has less than this share of the scores of the one that has most.
_ALIKE = 0.8

#: Comparisons, and systems, up to which ranking once more takes a second; by whether tasks have one score each.
_COMPARISONS, _SYSTEMS = {False: 2 * 10**7, True: 10**10}, {False: 100, True: 1000}


@keywords
def rank(
    scores: "ScoresLike",
    method: MethodName | str | MethodSpec = "borda",
    *,
    level: Level | None = None,
    missing: Missing | None = None,
    confidence_level: float | None = 0.95,
    units: UnitKind | None = None,
    n_resamples: int = 1000,
    rng: Rng = 0,
    system_families: Mapping[str, str] | None = None,
    adjust: str | Sequence[str] | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Ranking:
    """Rank the systems of a score table.

    Parameters
    ----------
    scores
        The table, or what becomes one: a path, a frame, a dictionary or arrays, see `podium.ScoresLike`.
        Directions, weights and the tie tolerance are its own.
    method
        "borda" (default): expected share of other systems beaten, missing scores at their chance to win by a model of
        how strong systems are; "mean": mean over tasks of the mean over instances; "median" and "iqm": median and
        interquartile mean over tasks of the same means. The last three leave missing scores out, and so compare
        systems on different work: a warning says so. From comparisons of pairs: "wins": mean share of comparisons
        won; "copeland": share of the others beaten by majority; "bradley-terry": maximum-likelihood strength, in
        log-odds. "kemeny": the order with the fewest disagreements with the ballots, exactly, with a certificate.
        "irt": ability in an item response model, where instances are hard, and separate systems, to different
        degrees; scores must lie between 0 and 1, and "irt:1pl" takes all instances to separate alike.
        Its rows have two errors: "std_error" is over other instances, and intervals go by it; "ability_std_error" is
        the model's, of these instances.
        A method with other options is a `podium.MethodSpec`.
    level
        For methods that count ballots: "task" (one ballot per task, made of its means), "one" (σˡ: all instances in
        one box), "balanced" (the same, but the ballots of a task together weigh what the task weighs) or "two" (σ²ˡ:
        inside each task, then over tasks; of pairs, each task casts one vote). By default "balanced" (for
        "bradley-terry" "one") where there are instances, otherwise "task"; the ranking says which. It may stand after
        the name instead: "borda:one".
    missing
        How a missing score counts, such as "imputed" or "direct"; see `podium.MethodSpec`.
    confidence_level
        Confidence of intervals on scores and ranks, and of tiers; see `Intervals`. None for no intervals, which is
        quicker where the table is large.
        If there is too little data, there are no intervals, and a note says so.
    units
        What the bootstrap draws again: "instances" within each task (the default if there are any), "tasks" (the
        default if there are none), or "both": what other instances, or tasks, of the kind would say. Or "repeats":
        what another run of the same instances would say, where scores are a statistic over repeats, see `podium.read`.
        If a column names prompts, and there are five or more, instances and prompts are drawn unless something is said
        here, see `podium.score.crossed`.
    n_resamples, rng
        How many times, and from which seed. The draws of a seed depend only on the labels of the instances, or on the
        name of their task if they have no labels. Tasks with the same instances are drawn together, and so are the
        instances of a cluster, see `podium.read`. Up to 200 units, 5,000 to 50,000 flips of signs by the seed say which
        pairs are separated, whatever the number of resamples.
    system_families
        By system the family it belongs to, such as its base model: the table then has one line for each, that of its
        best member, with its rank among families. Systems are ranked as without.
    adjust
        Covariates of answers, by name or pattern, such as their length: systems are ranked as if answers that compete
        were alike in these, see `podium.ranking.style.adjusted`. "length" and "markdown" stand for columns with usual
        names. For "bradley-terry" of battles, as Arena's style control, and "mean" of other scores.
    n_jobs
        Cores to count on; the result does not depend on it.
    progress
        Called with the number of scores counted and their total; then with the number of replicates and their total.

    Returns
    -------
    Ranking
        Best first; ties share a rank.

    Raises
    ------
    InputError
        `scores` is no score table and cannot be read as one.
    MethodError
        An unknown method or level, or an option said twice; fewer than two systems; no score, or only scores that weigh
        nothing; no system scored on two tasks, so that nothing connects the tasks; scores too large to be averaged;
        fewer than one thread; a confidence that is not between 0 and 1 or needs more replicates; unknown units, or
        instances or repeats to draw where there are none.
    NoMaximumError
        By "bradley-terry": some systems never lose to the others, or never meet them, and there is no prior.
    ConvergenceError
        By "irt": the scores do not settle abilities.

    Warns
    -----
    PodiumWarning
        Missing scores are left out by the method; or it averages over tasks of different directions.

    References
    ----------
    Colombo, Noiry, Irurozki & Clémençon, NeurIPS 2022 (Borda, levels); Himmi, Irurozki, Noiry, Clémençon &
    Colombo, 2023 (missing scores).

    Examples
    --------
    >>> import podium
    >>> scores = podium.datasets.demo()  # or "scores.csv", a pandas frame, a dictionary
    >>> podium.rank(scores)
    Ranking(borda, balanced: 8 systems, 5 tasks)
    • atlas is first, and birch may be as good (95% confidence, on these 5 tasks)
    rank  95% ranks  tier  system   score  tasks scored
       1        1–2     1  atlas   0.6426           5/5
       2        1–2     1  birch   0.6205           4/5
       3          3     2  cedar   0.5278           5/5
       4        4–6     2  delta   0.4951           5/5
       5        4–6     2  fjord   0.4709           5/5
       6        4–6     2  ember   0.4670           5/5
       7        7–8     3  grove   0.3910           5/5
       8        7–8     3  heron   0.3852           5/5
    1 note in .notes
    >>> podium.rank(scores, missing="imputed", tasks=["code", "math"]).systems[0]
    'atlas'
    """
    seed = seed_of(rng)
    if adjust is not None and not isinstance(scores, Scores | Mapping):  # what is adjusted for is read, too
        reading = {"covariate_column": adjust, **reading}
    scores = as_scores(scores, human=True, prompts=True, **reading)
    check_threads(n_jobs)
    # also without intervals
    check_resampling(confidence_level=confidence_level, units=units, n_resamples=n_resamples, rng=seed)
    asked, style = MethodSpec.of(method, level, missing), None
    if adjust is not None:
        if units not in {None, "instances"}:
            raise MethodError("adjusted scores vary with the items, or battles; leave units= (--units) out")
        check_rankable(scores)
        style = adjusted(scores, asked, texts("covariate", adjust), confidence=confidence_level or 0.95)
        scores = style.table
    bootstrap: Bootstrap | None = None
    if confidence_level is not None:
        bootstrap = Bootstrap.of(scores, confidence=confidence_level, units=units, replicates=n_resamples, seed=seed)
    asked, scores, spec, found, bought = _as_means(scores, asked, units)
    spec = spec if style is None else MethodSpec("mean")
    check_rankable(scores)
    family = dict(zip(scores.systems, family_of_each(scores.systems, system_families), strict=False))
    if spec.missing == "bounds":  # bounds have no intervals
        bootstrap = None
    note.warn(scores, method_of(spec))
    also = [Means] if scores.n_cells <= _SHOWN else []  # for columns of tasks
    counted = CountedScores.for_rankings(scores, [spec], also=also, threads=n_jobs, progress=progress)
    ranking = with_dependence(ranking_of(counted, spec, bootstrap, progress, found), counted, spec)
    if scores.human or found is not None:
        means = ranking.means if asked.name == "mean" else None
        notes = (*bought, *ranking.notes)
        ranking = replace(ranking, method=asked.name, level=asked.level, means=means, notes=notes)
    if found is not None and found.by_prompt is not None:
        rows = [scores.systems.index(system) for system in ranking.systems]
        ranking = replace(ranking, by_prompt=found.by_prompt.of(rows, higher=ranking.higher_is_better))
    ranking = ranking if style is None else style.ranking(ranking)
    if system_families is None:
        return ranking
    alone = [system for system in ranking.systems if system not in system_families]
    said = [with_names("without a family, so each by itself: ", alone)] if alone else []
    families = tuple(family[system] for system in ranking.systems)
    return replace(ranking, families=families, notes=(*ranking.notes, *said))


def _as_means(
    scores: Scores, asked: MethodSpec, units: UnitKind | None
) -> tuple[MethodSpec, Scores, MethodSpec, Crossed | None, tuple[str, ...]]:
    """Return how it is ranked, and the table and method that do so: means, if scores are of prompts, or of people.

    And how means over prompts vary, and notes.
    """
    if scores.prompts:
        asked, whole, found, notes = by_prompts(scores, asked, units)
        return asked, whole, MethodSpec("mean"), found, tuple(notes)
    if scores.human:
        asked, people = by_people(scores, asked)
        return asked, people.table, MethodSpec("mean"), None, people.notes
    return asked, scores, asked.on(scores), None, ()


def places_by(scores: Scores, specs: Sequence[MethodSpec], *, threads: int | None = None) -> list[Ints | None]:
    """Rank a table in several ways: return `CountedScores.dense_ranks` of each; all None if no method could rank it.

    >>> import podium
    >>> places_by(podium.datasets.toy_table1(), [MethodSpec("mean"), MethodSpec("borda")])
    [array([0, 1, 2]), array([2, 1, 0])]
    """
    try:
        check_rankable(scores)
    except MethodError:
        return [None for _ in specs]
    settled = [spec.on(scores) for spec in specs]
    counted = CountedScores.of(scores, settled, threads=threads)
    return [counted.dense_ranks(spec) for spec in settled]


def check_rankable(scores: Scores) -> None:
    """Refuse a table that no method could rank.

    Raises
    ------
    MethodError
        Fewer than two systems, no score, only scores that weigh nothing, or no system scored on two tasks, so that
        nothing connects the tasks.

    Examples
    --------
    >>> import podium
    >>> check_rankable(podium.from_dict({"A": {"rte": 0.5}}))
    Traceback (most recent call last):
    podium.errors.MethodError: there is only one system, 'A'; a ranking needs at least two
    """
    check_several(scores, "ranking")
    check_weighty(scores, "rank by")
    if not connected(np.array([task.scored > 0 for task in scores.tasks])):
        raise MethodError(
            "no system is scored on two tasks, so nothing compares the systems of one task with those of another; "
            "rank the tasks one by one with tasks= (--tasks), or check the system names"
        )


def check_several(scores: Scores, what: str) -> None:
    """Refuse a table of one system, and say which files were left out, since the others may be in these.

    Raises
    ------
    MethodError
        There is one system.
    """
    if len(scores.systems) < 2:
        few = f"there is only one system, {scores.systems[0]!r}; a {what} needs at least two"
        raise MethodError("; ".join([few, *(note for note in scores.notes if note.startswith("left out"))]))


def check_weighty(scores: Scores, purpose: str) -> None:
    """Refuse a table in which no score counts, because all are missing or weigh nothing; the purpose ends the error.

    >>> import podium
    >>> check_weighty(podium.datasets.toy_table1(), "rank by")
    """
    if not scores.n_scored:
        raise MethodError(f"every score is missing, so there is nothing to {purpose}")
    if not any(map(weighs, scores.tasks)):
        names = few([task.name for task in scores.tasks if task.scored.any()])
        raise MethodError(
            f"every score is on a task or an instance of weight 0 ({names}), so there is nothing to {purpose}; "
            "give weight to what has scores"
        )


def weighs(task: Task) -> bool:
    """Return whether a task weighs something, and some score is on an instance that does."""
    if task.weight == 0 or not task.scored.any():
        return False
    weights = task.instance_weights
    if weights is None or weights.all():
        return True
    scored = np.concatenate(at_each(task.parts, _has_scores))
    return bool((scored & (weights > 0)).any())


def _has_scores(part: Floats) -> Bools:
    """Shape `(K,)`: whether some system has a score on each instance."""
    return np.array(~np.isnan(part).all(axis=0))


def connected(scored: Bools, kept: Bools | None = None) -> Bools:
    """Return whether there is a score, and some system is scored on two tasks if several tasks have scores.

    Parameters
    ----------
    scored
        Shape `(T, N)` or, of B tables, `(T, N, B)`: whether a system has any score on a task.
    kept
        Shape `(T, B)`: which of the tasks `(T, N)` each of B tables has; None if there is one table, with all of them.

    Examples
    --------
    >>> bool(connected(np.eye(2, dtype=np.bool_)))
    False
    >>> connected(np.eye(2, dtype=np.bool_), np.array([[True, True], [True, False]]))
    array([False,  True])
    """
    if kept is not None:  # by products of whole numbers, which are exact
        there = kept.astype(np.float64)
        tasks = scored.any(axis=1) @ there
        most = weighted_sum(there, scored[..., None].astype(np.float64)).max(axis=0)
        return np.array((tasks > 0) & ((tasks == 1) | (most > 1)))
    several = scored.any(axis=1).sum(axis=0) > 1
    enough = scored.sum(axis=0).max(axis=0) > 1
    return np.array(scored.any(axis=(0, 1)) & (enough | ~several))


def other_way(spec: MethodSpec) -> Missing | None:
    """Return the way to count missing scores that is set against that of a method; None where there is none.

    >>> other_way(MethodSpec("borda")), other_way(MethodSpec("wins")), other_way(MethodSpec("mean"))
    ('model', 'direct', None)
    """
    method = method_of(spec)
    if not method.missing or method.slow:
        return None
    if (spec.missing or method.missing[0]) != "imputed":
        return "imputed"
    return "model" if "model" in method.missing else "direct"


def differs(scores: Scores) -> bool:
    """Return whether some system that has scores has much fewer of them than another.

    >>> import podium
    >>> differs(podium.datasets.xtreme_missing()), differs(podium.datasets.toy_table1())
    (True, False)
    """
    scored = np.sum([task.scored for task in scores.tasks], axis=0)
    return bool((scored[scored > 0] < _ALIKE * scored.max()).any())


def with_dependence(ranking: Ranking, counted: CountedScores, spec: MethodSpec) -> Ranking:
    """Say whose rank depends most on how missing scores count, and what the first place rests on, if coverage differs.

    Parameters
    ----------
    ranking
        By `spec`.
    counted
        The table; it is counted again where the other way needs other tallies.
    spec
        How it was ranked.
    """
    scores, systems = counted.given, ranking.systems
    if of_battles(scores) or not differs(scores):
        return ranking
    way, said, firsts = other_way(spec), list[str](), list[str]()
    n_systems, task_level = len(systems), scores.task_level
    if way is None:
        pass
    elif n_systems > _SYSTEMS[task_level] or scores.n_instances * n_systems**2 > _COMPARISONS[task_level]:
        said = [note.unequal_coverage(scores, way)]  # ranking once more takes long
    else:
        other = replace(spec, missing=way)
        with suppress(MethodError):
            place = counted.counted_for(other).result(other).dense_ranks(scores.systems)
            rank_of = dict(zip(scores.systems, competition_ranks(place).tolist(), strict=True))
            said = note.depends_on_missing(systems, ranking.rank.tolist(), [rank_of[name] for name in systems], way)
            firsts = [name for name in systems if rank_of[name] == 1]
    notes = ranking.notes
    if said:  # behind the note on missing scores, where a reader sees it
        (before,) = note.of_missing(scores, counted.context(spec).missing)
        after = notes.index(before) + 1
        notes = (*notes[:after], *said, *notes[after:])
    best = systems[: np.count_nonzero(ranking.rank == 1)] if ranking.intervals is None else ranking.top()
    cover = dict(zip(systems, ranking.coverage.tolist(), strict=True))
    short = [system for system in best if cover[system] < _ALIKE * max(cover.values())]
    elsewhere = [] if systems[0] in firsts else firsts
    missing = 1 - scores.n_scored / scores.n_cells
    caveat = note.first_place_rests_on(systems[0], missing, cover, short, elsewhere=elsewhere, way=way)
    return replace(ranking, notes=notes, caveat=caveat)
