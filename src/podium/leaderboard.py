"""The one place where the steps are joined: count what a method needs, apply it, give labels back."""

import warnings
from collections.abc import Sequence

import numpy as np

from podium.arguments import check_resampling, check_scores, check_threads
from podium.engine import Progress, count
from podium.errors import MethodError, NoMaximumError, PodiumWarning, nearest
from podium.methods import METHODS, Method, Setting, check_missing, level_of
from podium.ranking import Missing
from podium.rankings import RankedTask, Ranking
from podium.replication import bootstrap, units_of
from podium.scores import Scores
from podium.standings import check_rankable
from podium.tallies import Means, Moments, Resampling, Ties
from podium.uncertainty import check_replicates
from podium.wording import few

__all__ = ["rank"]


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
