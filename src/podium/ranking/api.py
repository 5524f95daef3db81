"""Compare every system with every other: count duels, pool them, put intervals on them, give labels back."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from podium.base.check import check_replicates, check_resampling, check_threads
from podium.base.errors import MethodError, NoMaximumError, PodiumWarning, nearest
from podium.base.parallel import Progress
from podium.base.words import counted, few
from podium.ranking.ballot import Missing, majority, preferences
from podium.ranking.bootstrap import bootstrap, units_of
from podium.ranking.counted import check_rankable
from podium.ranking.hoeffding import Sided, radius
from podium.ranking.method.majority import majorities, wins
from podium.ranking.method.method import METHODS, Method, pooled
from podium.ranking.method_spec import Setting, check_missing, level_of
from podium.ranking.pair import Condorcet, Pairwise
from podium.ranking.result import RankedTask, Ranking
from podium.score.instance import shared_sets
from podium.score.place import ROUNDING, levels
from podium.score.table import Scores, check_scores
from podium.tally.duel import Duels
from podium.tally.engine.local import Counts, count
from podium.tally.moment import Means, Moments
from podium.tally.resampling import Resampling
from podium.tally.tie import Ties

if TYPE_CHECKING:
    from podium.tally.tally import Tally


def rank(
    scores: Scores,
    method: str = "borda",
    *,
    level: str | None = None,
    missing: Missing | None = None,
    prior: float = 0.0,
    time_limit: float | None = None,
    confidence: float | None = None,
    units: str | None = None,
    replicates: int = 1000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """Rank the systems of a score table.

    Parameters
    ----------
    scores
        The table. Directions, weights and the tie tolerance are its own.
    method
        "borda" (default): expected share of other systems beaten, missing scores at their expectation over all
        compatible rankings; "mean": mean over tasks of the mean over instances; "median" and "iqm": median and
        interquartile mean over tasks of the same means. The last three leave missing scores out, and so compare
        systems on different work: a warning says so. From comparisons of pairs: "wins": mean share of comparisons
        won; "copeland": share of the others beaten by majority; "bradley-terry": maximum-likelihood strength, in
        log-odds. "kemeny": the order with the fewest disagreements with the ballots, exactly, with a certificate.
    level
        For methods that count ballots: "task" (one ballot per task, made of its means), "one" (σˡ: all instances in
        one box) or "two" (σ²ˡ: inside each task, then over tasks; of pairs, each task casts one vote). By default
        "two" (for "bradley-terry" "one") where there are instances, otherwise "task"; the ranking says which.
    missing
        For methods of pairs, a ballot that does not score both counts at its expectation over all rankings compatible
        with it ("imputed"; the default but for "bradley-terry"), or not at all ("direct").
    prior
        For "bradley-terry": games against one opponent common to all, half of them won; 0 is maximum likelihood.
    time_limit
        For "kemeny": seconds after which to take the best order so far; the certificate then says how good it is.
    confidence
        Ask for intervals of this confidence on scores and ranks, and for tiers, such as 0.95; see `Intervals`. None
        where they are not wanted. Where there is too little data for them, there are none and a note says so.
    units
        What the bootstrap draws anew: "instances" within each task (by default, where there are any), "tasks" (by
        default where there are not), or "both".
    replicates, seed
        How many times, and from which seed. The draws of a seed depend on the labels of the instances, where these
        have none on the name of their task, and on nothing else; tasks with the same instances are drawn together.
    threads
        Cores to count on; the result does not depend on it.
    progress
        Called with the number of scores counted and the number there are; then with replicates.

    Returns
    -------
    Ranking
        Best first; ties share a rank.

    Raises
    ------
    InputError
        `scores` is no score table.
    MethodError
        An unknown method, level or option; fewer than two systems; no system scored on two tasks, so that nothing
        connects the tasks; scores too large to be averaged; fewer than one thread; a confidence that does not lie
        between 0 and 1 or needs more replicates; unknown units, or instances to draw where there are none.
    NoMaximumError
        By "bradley-terry": some systems never lose to the others, or never meet them, and there is no prior.

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
    >>> podium.rank(podium.datasets.xtreme_missing())
    Ranking(borda, task-level: 10 systems, 4 tasks)
       1  M0  0.8154
       2  M3  0.5757
       3  M2  0.5469
       4  M1  0.5458
       5  M7  0.5218
       6  M5  0.5000
       7  M4  0.4618
       8  M8  0.4491
       9  M6  0.3709
      10  M9  0.2126
    """
    check_scores(scores)
    check_threads(threads)
    check_resampling(confidence=confidence, units=units, replicates=replicates, seed=seed)
    chosen = _method(method)
    used = _level(method, level, scores)
    if confidence is not None:
        check_replicates(confidence, replicates)
    _check_options(method, missing=missing, prior=prior, time_limit=time_limit)
    check_rankable(scores)
    table = scores.by_name()
    needs = chosen.needs(used)
    counts = count(table, (*needs, *((Moments,) if Means in needs else ()), Ties), threads=threads, progress=progress)
    options = {"missing": missing or chosen.missing, "prior": prior, "time_limit": time_limit}
    setting = Setting.of(table, counts, used, **options)
    try:
        standing = chosen.apply(counts, setting)
    except NoMaximumError as error:
        raise error.named(table.systems) from None
    notes = [*scores.notes, *_notes(scores, chosen, setting.missing, counts[Ties])]
    sure = None
    if confidence is not None:
        resampling = Resampling(units_of(table, units), replicates, seed)
        sure, doubts = bootstrap(
            table,
            chosen,
            counts,
            setting,
            resampling,
            standing=standing,
            confidence=confidence,
            threads=threads,
            progress=progress,
        )
        notes += doubts
    return Ranking.of(
        standing,
        scores.systems,
        method=method,
        level=used,
        tasks_scored=np.sum([task.scored > 0 for task in scores.tasks], axis=0, dtype=np.int64),
        coverage=np.sum([task.scored for task in scores.tasks], axis=0) / scores.n_instances,
        n_tasks=len(scores.tasks),
        tasks=[RankedTask(task.name, task.higher_is_better, task.weight, task.n_instances) for task in scores.tasks],
        intervals=sure,
        notes=notes,
        backend=scores.backend,
    )


def _method(name: str) -> Method:
    if name not in tuple(METHODS):
        raise MethodError(f"there is no method {name!r}; {nearest(name, METHODS)}")
    return METHODS[name]


def _level(method: str, level: str | None, scores: Scores) -> str | None:
    default = METHODS[method].level
    if default is None:
        if level is not None:
            raise MethodError(f"method {method!r} has no levels; leave level={level!r} out, or use 'borda'")
        return None
    return level_of(scores, level, default)


def _check_options(method: str, *, missing: str | None, prior: float, time_limit: float | None) -> None:
    given = {"missing": missing is not None, "prior": prior != 0, "time_limit": time_limit is not None}
    for name, is_given in given.items():
        if is_given and name not in METHODS[method].options:
            takers = ", ".join(repr(other) for other in METHODS if name in METHODS[other].options)
            raise MethodError(f"method {method!r} has no option {name!r}; it is for {takers}")
    if missing is not None:
        check_missing(missing)


def _notes(scores: Scores, method: Method, counting: Missing, ties: Sequence[Ties]) -> list[str]:
    """What a reader of the ranking should know, in words; what might mislead is a warning too."""
    notes = []
    higher = scores.higher_is_better
    if method.averages and higher.any() and not higher.all():
        lower = ", ".join(task.name for task in scores.tasks if not task.higher_is_better)
        notes.append(f"the {method.title} adds up tasks of different directions; {lower} count negated")
        warnings.warn(notes[-1], PodiumWarning, stacklevel=4)
    missing = scores.n_cells - scores.n_scored
    if missing and method.averages:
        notes.append(
            f"{missing} of {scores.n_cells} scores are missing and left out, so systems are compared on different "
            "work; method 'borda' accounts for them"
        )
        warnings.warn(notes[-1], PodiumWarning, stacklevel=4)
    elif missing:
        how = "each counts at its expectation over all rankings compatible with the scores there are"
        if counting == "direct":
            how = "a ballot compares only the systems that it scores"
        notes.append(f"{missing} of {scores.n_cells} scores are missing; {how}")
    never = [
        system
        for system, scored in zip(scores.systems, np.sum([task.scored for task in scores.tasks], axis=0), strict=True)
        if not scored
    ]
    if never:
        fate = "not ranked" if method.averages else "placed in the middle for want of any score"
        notes.append(f"{few(never)}: no score on any task, {fate}")
    if bare := [task.name for task in scores.tasks if not task.scored.any()]:
        notes.append(f"{few(bare)}: no system has a score on it, so it tells them not apart")
    if method.averages:
        if scores.tie_tolerance:
            notes.append(f"the tie tolerance has no effect on the {method.title}")
        return notes
    if near := sum(task.near for task in ties):
        pairs = sum(task.pairs for task in ties)
        notes.append(
            f"{near} of {pairs} pairs of scores differ by at most 1e-9 without being equal; rounding may have "
            "decided them (a tie tolerance of 1e-9 makes them ties)"
        )
    return notes


Floats = NDArray[np.float64]


def pairwise(
    scores: Scores,
    *,
    level: str = "one",
    confidence: float = 0.95,
    sided: Sided = "two",
    simultaneous: bool = False,
    threads: int | None = None,
) -> Pairwise:
    """Compare every pair of systems on the ballots that score both, with Hoeffding intervals.

    Parameters
    ----------
    scores
        The table. Directions, weights and the tie tolerance are its own.
    level
        What is a comparison: "one": an instance of any task (σˡ); "two": a task, which goes to the system that wins
        more of its instances; "task": a task, which goes to the system with the higher mean. The intervals take
        comparisons as independent draws, of instances or of tasks.
    confidence
        Probability, between 0 and 1, with which an interval holds the true probability.
    sided
        "two": both ends together hold with this confidence; "one": each end by itself, as Himmi et al. 2023 print it.
    simultaneous
        Whether the intervals of all pairs hold together.
    threads
        Cores to count on; the result does not depend on it.

    Returns
    -------
    Pairwise
        Systems by the mean over opponents of the share of comparisons won. Weights of tasks and of instances
        weigh comparisons; the intervals then rest on the effective number of comparisons.

    Raises
    ------
    MethodError
        Fewer than two systems, an unknown level or side, threads below 1, or a confidence that is
        not between 0 and 1.

    References
    ----------
    Himmi, Irurozki, Noiry, Clémençon & Colombo, 2023, §2.3; Hoeffding 1963.

    Examples
    --------
    >>> import podium
    >>> duels = podium.pairwise(podium.simulate.gumbel(3, 2, 100, dispersion=1.0, rng=0).scores)
    >>> duels
    Pairwise(3 systems, one-level: 3 of 3 pairs separated at 0.95)
    >>> float(duels.probability[0, 1]), float(duels.low[0, 1].round(4))
    (0.725, 0.629)
    """
    _check_pairs(scores, threads)
    level = level_of(scores, level, "one")
    duels, effective = _counted(scores.by_name(), level, threads)
    preference = preferences(duels, "direct")
    probability = np.divide(preference, duels.compared, out=np.full_like(preference, np.nan), where=effective > 0)
    spread = radius(effective, confidence=confidence, sided=sided, simultaneous=simultaneous)
    low = np.where(effective > 0, np.maximum(probability - spread, 0.0), 0.0)
    high = np.where(effective > 0, np.minimum(probability + spread, 1.0), 1.0)
    share = wins(preference).score
    order = _order(share, scores.systems)
    both = np.ix_(order, order)
    return Pairwise(
        systems=tuple(scores.systems[row] for row in order),
        share=share[order],
        probability=probability[both],
        compared=effective[both],
        radius=spread[both],
        low=low[both],
        high=high[both],
        separated=low[both] > 0.5,
        level=level,
        confidence=confidence,
        sided=sided,
        simultaneous=simultaneous,
        notes=(*scores.notes, *_pairwise_notes(effective), *_shared(scores, level)),
        backend=scores.backend,
    )


def condorcet(
    scores: Scores, *, level: str | None = None, missing: Missing = "imputed", threads: int | None = None
) -> Condorcet:
    """Find the system that beats every other by majority, or say what prevents one.

    Parameters
    ----------
    scores
        The table. Directions, weights and the tie tolerance are its own.
    level, missing
        The ballots, and how those count that do not score both of a pair: as for method "copeland" of `podium.rank`.
    threads
        Cores to count on; the result does not depend on it.

    Returns
    -------
    Condorcet
        Winner, Smith set, a shortest cycle of majorities, and undecided pairs, by label.

    Raises
    ------
    MethodError
        Fewer than two systems, an unknown level or way to count missing scores, or threads below 1.

    Examples
    --------
    >>> import podium
    >>> podium.condorcet(podium.datasets.toy_table1()).undecided
    (('A', 'C'),)
    """
    _check_pairs(scores, threads)
    check_missing(missing)
    used = level_of(scores, level, "two")
    table = scores.by_name()
    counts = count(table, (Moments, Means) if used == "task" else (Duels,), threads=threads)
    setting = Setting.of(table, counts, used, missing=missing)
    preference = preferences(pooled(counts, setting), missing)
    return Condorcet.of(
        majorities(preference),
        majority(preference),
        scores.systems,
        level=used,
        notes=scores.notes,
        backend=scores.backend,
    )


def _check_pairs(scores: Scores, threads: int | None) -> None:
    check_scores(scores)
    check_threads(threads)
    if len(scores.systems) < 2:
        raise MethodError("there are fewer than two systems, so there is no pair to compare")


def _counted(scores: Scores, level: str, threads: int | None) -> tuple[Duels, Floats]:
    """Duels on the ballots of a level, weighed, and the effective numbers of comparisons (Σ w)² / Σ w²."""
    needs: tuple[type[Tally], ...] = (Moments, Means) if level == "task" else (Duels,)
    counts = count(scores, needs, threads=threads)
    duels = _pooled(scores, counts, level, scores.task_weights)
    by_instance = level == "one" and any(task.instance_weights is not None for task in scores.tasks)
    if not by_instance and (scores.task_weights == 1).all():
        return duels, duels.compared
    if by_instance:
        counts = count(scores.with_squared_weights(), needs, threads=threads)
    squares = _pooled(scores, counts, level, scores.task_weights**2).compared
    return duels, np.divide(duels.compared**2, squares, out=np.zeros_like(squares), where=squares > 0)


def _pooled(scores: Scores, counts: Counts, level: str, weights: Floats) -> Duels:
    return pooled(counts, replace(Setting.of(scores, counts, level, missing="direct"), weights=weights))


def _order(share: Floats, systems: tuple[str, ...]) -> list[int]:
    """Best first, equals in order of their labels, systems never compared last."""
    level = levels(share, tolerance=ROUNDING)
    last = len(systems)
    return sorted(range(last), key=lambda row: (level[row] if level[row] >= 0 else last, systems[row]))


def _shared(scores: Scores, level: str) -> list[str]:
    """Warn where comparisons that are counted as independent are of the same items."""
    shared = shared_sets(scores.tasks) if level == "one" else 0
    if not shared:
        return []
    sets = f"{counted(shared, 'set')} of instances in several tasks"
    return [f"{sets}: comparisons on the same items count as independent, as in the paper, so intervals are too narrow"]


def _pairwise_notes(effective: Floats) -> list[str]:
    n_systems = len(effective)
    apart = n_systems * (n_systems - 1) // 2 - np.count_nonzero(effective) // 2
    if not apart:
        return []
    return [f"{apart} of {n_systems * (n_systems - 1) // 2} pairs of systems are never scored together, and stay open"]
