"""What the first place depends on: rank without each task and each instance, and find the few that decide."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from podium.base.check import check_threads, checked_whole
from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import MethodSpec, method_of
from podium.ranking.note import warn
from podium.ranking.rankable import check_rankable
from podium.ranking.result import Ranking
from podium.ranking.uncertainty import ranking_of
from podium.robustness.influence.contest import Bools, Contest, EachLeftOut, Outcomes
from podium.robustness.influence.decisive import Search, few_instances, few_tasks, nearest_rivals
from podium.robustness.influence.instance import InstanceDeletion
from podium.robustness.influence.note import not_all_tried, not_left_out, notes_of
from podium.robustness.influence.result import Decisive, Influence, LeaveOneOut
from podium.robustness.influence.task import TaskDeletion
from podium.score.family import family_notes
from podium.source.read import ScoresLike, as_scores


def influence(
    scores: "ScoresLike",
    method: str | MethodSpec = "borda",
    *,
    level: str | None = None,
    keep: int = 20,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Influence:
    """Say what the first place depends on: the answer without each task and each instance, and how few decide it.

    Every number comes from ranking the table without the unit (the jackknife), as `podium.rank` would. A decisive
    set is the smallest one found without which the leader is no longer first, not even together with others. It is
    proved to be the smallest if scores add up over tasks or over instances, or if all smaller sets were tried;
    `Decisive.smallest` says so. Over tasks scores add up by "borda", by "wins" if all is imputed, and by "mean" if
    complete. Over instances they do by the first two at level "one", by "borda" on a single task also at "balanced" and
    "two", and by "mean" if complete and on the same instances with the same weights. Other sets of instances are the
    first ones in an order by influence, as in approximate maximum influence perturbations; they count only if ranking
    without them puts another system first.

    Parameters
    ----------
    scores
        The table, or what becomes one: a path, a frame, a dictionary or arrays, see `podium.ScoresLike`.
        Directions, weights and the tie tolerance are its own.
    method, level
        How to rank, see `podium.rank`. A time limit holds for each of the many rankings.
    keep
        How many instances to keep, the most influential ones. An instance that several tasks share, by their instance
        labels, is left out of all of them together; tasks of one instance are left out as tasks only.
    threads
        Cores to count on; the result does not depend on it.
    progress
        Called with the number of tasks and instances that were left out so far, and their total.

    Returns
    -------
    Influence
        Scores are turned so that higher is better. If there are too many instances for the method, only tasks are left
        out, and a note says so. Tasks of one family are left out as one, under its name, see
        `podium.score.family.family_names`.

    Raises
    ------
    InputError
        `scores` is no score table and cannot be read as one.
    MethodError
        As `podium.rank`; the method is fitted to a whole table; it places no system, so that nobody is first; or `keep`
        is not a whole number from 0 up.
    NoMaximumError
        By "bradley-terry", as `podium.rank`, on the whole table. Without a task or an instance it is
        not an error: the outcome is "unranked".

    Warns
    -----
    PodiumWarning
        As `podium.rank`.

    References
    ----------
    Tukey 1958 (jackknife); Broderick, Giordano & Meager, "An automatic finite-sample robustness metric: when can
    dropping a little data make a big difference?", 2020.

    Examples
    --------
    >>> import podium
    >>> podium.influence(podium.datasets.toy_table1())
    Influence(what the first place of C depends on (borda, task-level))
      without one task: shared without Task1, Task2, Task5, Task6
      without 2 of 6 tasks (Task1, Task2): A first
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where there are replicates

    keep = checked_whole("keep", keep, 0)
    scores = as_scores(scores)
    check_threads(threads)
    spec = MethodSpec.of(method, level).on(scores)
    method_of(spec).check_parts()
    check_rankable(scores)
    warn(scores, method_of(spec))
    counted = CountedScores.for_rankings(scores, [spec], threads=threads)
    ranking = ranking_of(counted, spec)
    leaders = _leaders(ranking, spec)
    contest = Contest(counted, spec, leader=scores.systems.index(leaders[0]))
    tasks, instances = TaskDeletion(contest), InstanceDeletion.of(contest)
    with threadpool_limits(limits=1, user_api="blas"):  # so that no sum is added in another order
        whole = tasks.without(np.zeros((len(tasks), 1), dtype=np.bool_))
        of_tasks = _of_tasks(tasks, whole)
        of_instances = _of_instances(instances, whole, keep, _told(progress, tasks, instances))
    return Influence(
        method=ranking.method,
        level=ranking.level,
        systems=ranking.systems,
        leader=leaders[0],
        leaders=leaders,
        lead=float(whole.lead[0]),
        tasks=of_tasks.without,
        instances=of_instances.without,
        decisive=of_tasks.decisive + of_instances.decisive,
        notes=(
            *ranking.notes,
            *family_notes(scores.tasks),
            *notes_of(leaders, instances),
            *of_tasks.unranked,
            *of_instances.unranked,
            *of_tasks.not_tried,
        ),
        backend=ranking.backend,
    )


def _leaders(ranking: Ranking, spec: MethodSpec) -> tuple[str, ...]:
    """Return who is first, or raise a `MethodError` if nobody is."""
    leaders = tuple(system for system, rank in zip(ranking.systems, ranking.rank, strict=True) if rank == 1)
    if not leaders:
        raise MethodError(f"{spec} can place no system of this table, so nobody is first; choose another method")
    return leaders


def _told(progress: Progress | None, tasks: TaskDeletion, instances: InstanceDeletion) -> Callable[[int], None]:
    """Say that tasks are done, and then how many instances."""
    n_tasks = len(tasks) if len(tasks) > 1 else 0
    n_instances = 0 if instances.too_many else len(instances)

    def tell(done: int) -> None:
        if progress is not None:
            progress(n_tasks + done, n_tasks + n_instances)

    tell(0)
    return tell


class _Part(NamedTuple):
    """What is said of tasks, or of instances; nothing where none can be left out.

    Attributes
    ----------
    without
        The answer without each.
    decisive
        The few that decide, if any were found.
    unranked, not_tried
        Notes: without which there is no ranking, and which sets were not tried.
    """

    without: LeaveOneOut | None = None
    decisive: tuple[Decisive, ...] = ()
    unranked: Sequence[str] = ()
    not_tried: Sequence[str] = ()


def _of_tasks(tasks: TaskDeletion, whole: Outcomes) -> _Part:
    """Rank without each task, and without few, where there are several."""
    if len(tasks) < 2:
        return _Part()
    each, search = tasks.without_each(), few_tasks(tasks)
    return _Part(
        without=_listed(tasks, each, len(tasks), whole),
        decisive=_decisive(tasks, search),
        unranked=not_left_out(tasks, each.lead_of_all),
        not_tried=not_all_tried(search),
    )


def _of_instances(instances: InstanceDeletion, whole: Outcomes, keep: int, progress: Callable[[int], None]) -> _Part:
    """Rank without each instance, and without few, where there are any and they are not too many."""
    if not len(instances) or instances.too_many:
        return _Part()
    each = instances.without_each(nearest_rivals(whole), keep, progress)
    return _Part(
        without=_listed(instances, each, keep, whole),
        decisive=_decisive(instances, few_instances(instances, each)),
        unranked=not_left_out(instances, each.lead_of_all),
    )


def _listed(deletion: TaskDeletion | InstanceDeletion, each: EachLeftOut, most: int, whole: Outcomes) -> LeaveOneOut:
    """List the most influential units."""
    units, outcomes = each.units[:most].tolist(), each.outcomes.take(slice(most))
    return LeaveOneOut.among(
        each.lead_of_all,
        deletion.labels(units),
        lead=outcomes.lead,
        tau=outcomes.tau(whole.place[:, 0]),
        first=[_named(first, deletion) for first in outcomes.first.T],
        tasks=deletion.tasks_of(units),
    )


def _decisive(deletion: TaskDeletion | InstanceDeletion, search: Search) -> tuple[Decisive, ...]:
    found = search.found
    if found is None:
        return ()
    units, tasks = deletion.labels(found.units), deletion.tasks_of(found.units)
    heirs = _named(found.first, deletion)
    return (Decisive(f"{deletion.kind}s", units, len(deletion), heirs, smallest=search.settled, tasks=tasks),)


def _named(first: Bools, deletion: TaskDeletion | InstanceDeletion) -> tuple[str, ...]:
    systems = deletion.contest.table.systems
    return tuple(sorted(systems[row] for row in np.flatnonzero(first).tolist()))
