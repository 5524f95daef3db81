"""The one place where the steps are joined: count what a method needs, apply it, give labels back."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.arguments import check_scores, check_threads
from podium.engine import Counts, Progress, count
from podium.errors import MethodError, PodiumWarning, nearest
from podium.ranking import interquartile_mean, mean, median, one_level, task_level, two_level
from podium.rankings import RankedTask, Ranking, Standing
from podium.scores import Scores
from podium.tallies import Moments, Positions, Tally, Ties

__all__ = ["LEVELS", "METHODS", "Method", "rank"]

#: Ballots that Borda can count: one per task, all instances in one box, or instances within tasks.
LEVELS = ("task", "one", "two")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Method:
    """A way to rank: what it is called, the tallies it needs, and what it makes of them."""

    title: str
    needs: Callable[[str | None], tuple[type[Tally], ...]]
    apply: Callable[[Scores, Counts, str | None], Standing]
    has_levels: bool = False
    averages: bool = False


def rank(
    scores: Scores,
    method: str = "borda",
    *,
    level: str | None = None,
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
        systems on different work: a warning says so.
    level
        For "borda": "task" (one ballot per task, made of its means), "one" (σˡ: all instances in one box) or
        "two" (σ²ˡ: Borda inside each task, then over tasks). By default "two" where there are instances, otherwise
        "task"; the ranking says which.
    threads
        Cores to count on; the result does not depend on it.
    progress
        Called with the number of scores counted and the number there are.

    Returns
    -------
    Ranking
        Best first; ties share a rank.

    Raises
    ------
    InputError
        `scores` is no score table.
    MethodError
        An unknown method or level; fewer than two systems; no system scored on two tasks, so that nothing
        connects the tasks; scores too large to be averaged; or fewer than one thread.

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
    chosen = _method(method)
    used = _level(method, level, scores)
    _check_rankable(scores)
    counts = count(scores, (*chosen.needs(used), Ties), threads=threads, progress=progress)
    standing = chosen.apply(scores, counts, used)
    return Ranking.of(
        standing,
        scores.systems,
        method=method,
        level=used,
        tasks_scored=np.sum([task.scored > 0 for task in scores.tasks], axis=0, dtype=np.int64),
        coverage=np.sum([task.scored for task in scores.tasks], axis=0) / scores.n_instances,
        n_tasks=len(scores.tasks),
        tasks=[RankedTask(task.name, task.higher_is_better, task.weight, task.n_instances) for task in scores.tasks],
        notes=[*scores.notes, *_notes(scores, chosen, counts[Ties])],
        backend=scores.backend,
    )


def _method(name: str) -> Method:
    if name not in tuple(METHODS):
        raise MethodError(f"there is no method {name!r}; {nearest(name, METHODS)}")
    return METHODS[name]


def _level(method: str, level: str | None, scores: Scores) -> str | None:
    if not METHODS[method].has_levels:
        if level is not None:
            raise MethodError(f"method {method!r} has no levels; leave level={level!r} out, or use 'borda'")
        return None
    if level is None:
        return "task" if scores.task_level else "two"
    if level not in LEVELS:
        raise MethodError(f"there is no level {level!r}; {nearest(level, LEVELS)}")
    return level


def _check_rankable(scores: Scores) -> None:
    if len(scores.systems) < 2:
        raise MethodError(f"there is only one system, {scores.systems[0]!r}; a ranking needs at least two")
    if scores.n_scored == 0:
        raise MethodError("every score is missing, so there is nothing to rank by")
    tasks_scored = np.sum([task.scored > 0 for task in scores.tasks], axis=0)
    if sum(bool(task.scored.any()) for task in scores.tasks) > 1 and tasks_scored.max() < 2:
        raise MethodError(
            "no system is scored on two tasks, so nothing compares the systems of one task with those of another; "
            "rank the tasks one by one with --tasks, or check the system names"
        )


def _task_means(counts: Counts) -> Floats:
    """Shape `(T, N)`, oriented."""
    return np.array([task.means for task in counts[Moments]])


def _average(over_tasks: Callable[[Floats, Floats], Floats]) -> Method:
    """Build a method from an average over tasks: shown in the units of the metrics where they share a direction."""

    def apply(scores: Scores, counts: Counts, level: str | None) -> Standing:  # noqa: ARG001  # averages have no levels
        falling = not scores.higher_is_better.any()
        score = over_tasks(_task_means(counts), scores.task_weights)
        scale = np.max([task.scale for task in counts[Moments]], axis=0)
        return Standing(-score if falling else score, scale=scale, higher_is_better=not falling)

    return Method(
        title=over_tasks.__name__.replace("_", " ") + " over tasks",
        needs=lambda level: (Moments,),  # noqa: ARG005
        apply=apply,
        averages=True,
    )


def _borda(scores: Scores, counts: Counts, level: str | None) -> Standing:
    if level == "one":
        return one_level(counts[Positions], scores.task_weights)
    if level == "two":
        return two_level(counts[Positions], scores.task_weights)
    return task_level(
        _task_means(counts),
        scores.task_weights,
        tolerance=scores.reach,
        scale=None if scores.task_level else np.array([task.scale for task in counts[Moments]]),
    )


def _notes(scores: Scores, method: Method, ties: Sequence[Ties]) -> list[str]:
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
        notes.append(
            f"{missing} of {scores.n_cells} scores are missing; each counts at its expectation over all rankings "
            "compatible with the scores there are"
        )
    never = [
        system
        for system, scored in zip(scores.systems, np.sum([task.scored for task in scores.tasks], axis=0), strict=True)
        if not scored
    ]
    if never:
        fate = "not ranked" if method.averages else "placed in the middle for want of any score"
        notes.append(f"{_few(never)}: no score on any task, {fate}")
    if bare := [task.name for task in scores.tasks if not task.scored.any()]:
        notes.append(f"{_few(bare)}: no system has a score on it, so it tells them not apart")
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


def _few(labels: Sequence[str]) -> str:
    """List labels, the first few of many."""
    return ", ".join(labels[:5]) + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")


#: Every way to rank, by name.
METHODS: dict[str, Method] = {
    "borda": Method(
        title="Borda count",
        needs=lambda level: (Moments,) if level == "task" else (Positions,),
        apply=_borda,
        has_levels=True,
    ),
    "mean": _average(mean),
    "median": _average(median),
    "iqm": _average(interquartile_mean),
}
