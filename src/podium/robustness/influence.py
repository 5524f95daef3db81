"""What the first place depends on: rank without each task and each instance, and find the few that decide."""

from collections.abc import Sequence

import numpy as np

from podium.base.arrays import Bools, Floats
from podium.base.check import check_threads, checked_whole
from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.base.words import how_many, with_names
from podium.ranking.api import check_rankable
from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import MethodSpec, method_of
from podium.ranking.note import warn
from podium.ranking.uncertainty import ranking_of
from podium.robustness.decisive import Deletion, Search, nearest_rivals, search_few
from podium.robustness.influence_result import Decisive, Influence, LeaveOneOut
from podium.robustness.leave_out import Contest, EachLeftOut, InstanceDeletion, Outcomes, TaskDeletion
from podium.score.family import family_notes
from podium.source.memory import ScoresLike, as_scores

#: Names of what cannot be left out.
_NAMES = 5


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
    leaders = tuple(system for system, place in zip(ranking.systems, ranking.rank, strict=True) if place == 1)
    if not leaders:
        raise MethodError(f"{spec} can place no system of this table, so nobody is first; choose another method")
    contest = Contest(counted, spec, leader=scores.systems.index(leaders[0]))
    tasks, instances = TaskDeletion(contest), InstanceDeletion.of(contest)
    n_tasks = len(tasks) if len(tasks) > 1 else 0
    n_instances = 0 if instances.too_many else len(instances)

    def tell(done: int) -> None:
        if progress is not None:
            progress(n_tasks + done, n_tasks + n_instances)

    notes = [*ranking.notes, *family_notes(scores.tasks), *_notes(leaders, instances)]
    without: dict[str, LeaveOneOut] = {}
    decisive: list[Decisive] = []
    with threadpool_limits(limits=1, user_api="blas"):  # so that no sum is added in another order
        whole = tasks.without(np.zeros((len(tasks), 1), dtype=np.bool_))
        rivals = nearest_rivals(whole)
        lefts: list[tuple[Deletion, EachLeftOut, int]] = (
            [(tasks, tasks.without_each(rivals), n_tasks)] if n_tasks else []
        )
        tell(0)
        if n_instances:
            lefts.append((instances, instances.without_each(rivals, keep, tell), keep))
        unproved: list[str] = []
        for deletion, each, most in lefts:
            without[deletion.kind] = _without(deletion, each, most, whole)
            search = search_few(deletion, each)
            decisive += _decisive(deletion, search)
            notes += _not_left_out(deletion, each.lead_of_all)
            unproved += _not_all_tried(search) if deletion is tasks else []
    return Influence(
        method=ranking.method,
        level=ranking.level,
        systems=ranking.systems,
        leader=leaders[0],
        leaders=leaders,
        lead=float(whole.lead[0]),
        tasks=without.get("task"),
        instances=without.get("instance"),
        decisive=tuple(decisive),
        notes=(*notes, *unproved),
        backend=ranking.backend,
    )


def _without(deletion: Deletion, each: EachLeftOut, most: int, whole: Outcomes) -> LeaveOneOut:
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


def _decisive(deletion: Deletion, search: Search) -> list[Decisive]:
    if search.found is None:
        return []
    units, of = search.found.units, len(deletion)
    heirs, tasks = _named(search.found.first, deletion), deletion.tasks_of(units)
    return [Decisive(f"{deletion.kind}s", deletion.labels(units), of, heirs, smallest=search.settled, tasks=tasks)]


def _named(first: Bools, deletion: Deletion) -> tuple[str, ...]:
    systems = deletion.contest.table.systems
    return tuple(sorted(systems[row] for row in np.flatnonzero(first).tolist()))


def _not_left_out(deletion: Deletion, lead: Floats) -> list[str]:
    """Say how many units cannot be left out, by the leads without each, and the names of the first few."""
    unranked = np.flatnonzero(np.isnan(lead)).tolist()
    if not unranked:
        return []
    named = unranked[:_NAMES]
    names, tasks = deletion.labels(named), deletion.tasks_of(named)
    if tasks is not None:
        names = tuple(f"{name} of {task}" for name, task in zip(names, tasks, strict=True))
    said = f"{how_many(len(unranked), deletion.kind)} cannot be left out, because then the systems cannot be ranked"
    return [with_names(f"{said}: ", names, most=_NAMES, total=len(unranked))]


def _not_all_tried(search: Search) -> list[str]:
    """Say up to which number of tasks no set decides, if a set may have been missed."""
    if search.settled:
        return []
    any_few = "1 task" if search.survives == 1 else f"up to {search.survives:,} tasks"
    doubt = "and none was found that does" if search.found is None else "so fewer than were found may do so"
    return [f"leaving out {any_few} puts nobody ahead of the leader; larger sets were not all tried, {doubt}"]


def _notes(leaders: Sequence[str], instances: InstanceDeletion) -> list[str]:
    """What to know beside the notes of the ranking."""
    notes = []
    if len(leaders) > 1:
        about = f" share the first place; the results are about {leaders[0]}, the first by name"
        notes.append(with_names("", leaders, about))
    if instances.too_many:
        many, title = how_many(len(instances), "instance"), instances.contest.method.title
        notes.append(f"{many} are too many for the {title}, so only tasks are left out; method 'borda' can handle more")
        return notes
    if alike := instances.numbered_alike:
        same = ": instances with the same number count as the same; give them labels if they differ"
        notes.append(with_names("", alike, same))
    if any(task.clusters is not None for task in instances.contest.table.tasks):
        notes.append("instances are left out one by one, also where they are in clusters")
    return notes
