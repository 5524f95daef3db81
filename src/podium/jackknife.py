"""What the first place rests on: rank without each task and each instance, and find the few that decide."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.deciding import Found, few_tasks
from podium.deletions import Case, Outcomes
from podium.engine import Progress, count
from podium.errors import MethodError
from podium.influences import Decisive, Influence, Without
from podium.leaderboard import rank
from podium.methods import METHODS, Setting
from podium.ranking import Missing
from podium.rankings import Ranking
from podium.scores import Scores
from podium.tallies import Means, Moments

__all__ = ["influence"]

Floats = NDArray[np.float64]


def influence(
    scores: Scores,
    method: str = "borda",
    *,
    level: str | None = None,
    missing: Missing | None = None,
    prior: float = 0.0,
    time_limit: float | None = None,
    keep: int = 20,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Influence:
    """Say what the first place rests on.

    Parameters
    ----------
    scores
        The table. Directions, weights and the tie tolerance are its own.
    method, level, missing, prior
        How to rank, see `podium.rank`.
    time_limit
        For "kemeny": seconds for each of the rankings, of which there are many.
    keep
        How many instances to keep, the most influential ones.
    threads
        Cores to count on; the result does not depend on it.
    progress
        Called with the number of scores counted and the number there are.

    Returns
    -------
    Influence

    Raises
    ------
    InputError, MethodError, NoMaximumError
        As `podium.rank`; or `keep` is not a whole number from 0 up.

    Warns
    -----
    PodiumWarning
        As `podium.rank`.

    Examples
    --------
    >>> import podium
    >>> podium.influence(podium.datasets.toy_table1())
    Influence(what the first place of C rests on (borda, task-level))
      without one task: kept
      2 of 6 tasks decide: A is first
    """
    _check_keep(keep)
    ranking = rank(
        scores,
        method,
        level=level,
        missing=missing,
        prior=prior,
        time_limit=time_limit,
        threads=threads,
        progress=progress,
    )
    leaders = tuple(system for system, place in zip(ranking.systems, ranking.rank, strict=True) if place == 1)
    if not leaders:
        raise MethodError("no system can be ranked, so nobody is first; give weight to a task that has scores")
    case = _case(scores, ranking, missing=missing, prior=prior, time_limit=time_limit, threads=threads)
    whole = case.without_tasks(np.ones((len(scores.tasks), 1), dtype=np.bool_))
    leader = scores.systems.index(leaders[0])
    names = case.scores.task_names
    tasks, decisive = None, []
    if len(names) > 1:
        tasks = _without(case.without_tasks(~np.eye(len(names), dtype=np.bool_)), leader, whole, names, scores.systems)
        found = few_tasks(case, leader)
        decisive += [] if found is None else [_decisive("tasks", found, names, scores.systems)]
    return Influence(
        method=ranking.method,
        level=ranking.level,
        systems=ranking.systems,
        leader=leaders[0],
        leaders=leaders,
        lead=float(whole.lead(leader)[0]),
        tasks=tasks,
        instances=None,
        decisive=tuple(decisive),
        notes=ranking.notes,
        backend=ranking.backend,
    )


def _check_keep(given: Any) -> None:
    try:
        number = operator.index(given)
    except TypeError:
        number = -1
    if number < 0:
        raise MethodError(f"keep is {given!r}; it must be a whole number, at least 0")


def _case(scores: Scores, ranking: Ranking, *, missing: Missing | None, threads: int | None, **options: Any) -> Case:
    """Count what the method needs."""
    method = METHODS[ranking.method]
    table = scores.by_name()
    needs = method.needs(ranking.level)
    counts = count(table, (*needs, *((Moments,) if Means in needs else ())), threads=threads)
    setting = Setting.of(table, counts, ranking.level, missing=missing or method.missing, **options)
    return Case(table, method, counts, setting)


def _without(outcomes: Outcomes, leader: int, whole: Outcomes, units: Sequence[str], systems: Sequence[str]) -> Without:
    """Put the answers without each unit in order, the smallest lead first."""
    lead = outcomes.lead(leader)
    order = np.lexsort((np.arange(lead.size), np.round(lead, 13)))
    chosen = outcomes.take(order)
    return Without(
        units=tuple(units[unit] for unit in order.tolist()),
        tasks=None,
        lead=lead[order],
        tau=chosen.tau(whole.level[:, 0]),
        first=tuple(_named(first, systems) for first in chosen.first.T),
    )


def _decisive(kind: str, found: Found, units: Sequence[str], systems: Sequence[str]) -> Decisive:
    return Decisive(
        kind=kind,
        units=tuple(units[unit] for unit in found.units),
        of=len(units),
        first=_named(found.first, systems),
        smallest=found.smallest,
    )


def _named(first: NDArray[np.bool_], systems: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(systems[row] for row in np.flatnonzero(first).tolist()))
