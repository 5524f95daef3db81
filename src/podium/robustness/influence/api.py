"""What the first place depends on: rank without each task and each instance, and find the few that decide."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from podium.base.check import check_threads, checked_whole
from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.base.words import few
from podium.ranking.counted import CountedScores, check_rankable
from podium.ranking.method_spec import MethodSpec, method_of
from podium.ranking.note import warn
from podium.robustness.influence.decisive import RIVALS, Found, few_instances, few_tasks
from podium.robustness.influence.deletion import Case, Outcomes
from podium.robustness.influence.instance import InstanceDeletion
from podium.robustness.influence.note import NAMES, not_all_tried, not_left_out, notes_of
from podium.robustness.influence.result import Decisive, Influence, LeaveOneOut
from podium.score.table import Scores, check_scores

#: Names of tasks that stand beside an instance.
_TASKS = 3

Floats = NDArray[np.float64]


def influence(
    scores: Scores,
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
    proved to be the smallest if scores add up over tasks or over instances (at level "one" by "borda", and by "wins" if
    all is imputed; by "mean" with complete scores on the same instances), or if all smaller sets were tried;
    `Decisive.smallest` says so. Other sets of instances are starts of an order by influence, as in approximate maximum
    influence perturbations; they count only if ranking without them puts another system first.

    Parameters
    ----------
    scores
        The table. Directions, weights and the tie tolerance are its own.
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
        out, and a note says so.

    Raises
    ------
    InputError
        `scores` is no score table.
    MethodError
        As `podium.rank`; no system can be ranked, so that there is no first place; or `keep` is not a whole
        number from 0 up.
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
    check_scores(scores)
    check_threads(threads)
    spec = MethodSpec.of(method, level).on(scores)
    check_rankable(scores)
    warn(scores, method_of(spec))
    case = Case(CountedScores.for_rankings(scores, [spec], threads=threads), spec)
    ranking = case.counted.ranking(spec)
    leaders = tuple(system for system, place in zip(ranking.systems, ranking.rank, strict=True) if place == 1)
    if not leaders:
        raise MethodError("no system can be ranked, so there is no first place; give weight to a task that has scores")
    deletion = InstanceDeletion.of(case)
    leader = scores.systems.index(leaders[0])
    with threadpool_limits(limits=1, user_api="blas"):  # so that no sum is added in another order
        whole = case.without_tasks(np.ones((len(scores.tasks), 1), dtype=np.bool_))
        tasks, few_of_tasks, cut_short = _tasks(case, leader, whole)
        instances, few_of_instances, needed = _instances(
            deletion, leader, whole, keep, progress=_told(progress, deletion)
        )
    return Influence(
        method=ranking.method,
        level=ranking.level,
        systems=ranking.systems,
        leader=leaders[0],
        leaders=leaders,
        lead=float(whole.lead(leader)[0]),
        tasks=tasks,
        instances=instances,
        decisive=few_of_tasks + few_of_instances,
        notes=(*ranking.notes, *notes_of(leaders, deletion), *not_left_out(tasks), *needed, *cut_short),
        backend=ranking.backend,
    )


def _told(progress: Progress | None, deletion: InstanceDeletion) -> Callable[[int], None]:
    """Say that tasks are done, and then how many instances."""
    n_tasks = len(deletion.case.table.tasks)
    n_tasks, n_instances = n_tasks if n_tasks > 1 else 0, 0 if deletion.too_many else len(deletion)

    def tell(done: int) -> None:
        if progress is not None:
            progress(n_tasks + done, n_tasks + n_instances)

    tell(0)
    return tell


def _tasks(case: Case, leader: int, whole: Outcomes) -> tuple[LeaveOneOut | None, tuple[Decisive, ...], list[str]]:
    """Rank without each task, and without few; with notes."""
    names, systems = case.table.task_names, case.table.systems
    if len(names) < 2:
        return None, (), []
    outcomes = case.without_tasks(~np.eye(len(names), dtype=np.bool_))
    order = outcomes.by_influence(leader)
    kept, listed = outcomes.take(order), [names[index] for index in order]
    without = LeaveOneOut.among(outcomes.lead(leader), listed, *_described(kept, leader, whole, systems))
    found, tried = few_tasks(case, leader)
    notes = not_all_tried(tried, found is not None)
    if found is None:
        return without, (), notes
    units = tuple(names[index] for index in found.units)
    return without, (Decisive("tasks", units, len(names), _named(found.first, systems), found.smallest),), notes


def _instances(
    deletion: InstanceDeletion, leader: int, whole: Outcomes, keep: int, *, progress: Callable[[int], None]
) -> tuple[LeaveOneOut | None, tuple[Decisive, ...], list[str]]:
    """Rank without each instance, and without few, where there are any and they are not too many; with notes."""
    if not len(deletion) or deletion.too_many:
        return None, (), []
    systems = deletion.case.table.systems
    behind = whole.ahead(leader, np.arange(len(systems)))[:, 0]
    behind[leader] = np.inf
    rivals = np.argsort(behind, kind="stable")[: min(RIVALS, len(systems) - 1)]
    each = deletion.most_influential(leader, rivals, max(keep, 1), progress)
    kept = each.outcomes.take(np.arange(min(keep, len(each.outcomes))))
    labels, of = _labels(deletion, each.instances[:keep].tolist())
    without = LeaveOneOut.among(each.lead, labels, *_described(kept, leader, whole, systems), tasks=of)
    if each.outcomes.lost(leader)[0]:
        found: Found | None = Found((int(each.instances[0]),), each.outcomes.first[:, 0], smallest=True)
    else:
        found = few_instances(deletion, leader, each.over)
    unranked = _labels(deletion, np.flatnonzero(np.isnan(each.lead))[:NAMES].tolist())
    notes = not_left_out(without, [f"{label} of {tasks}" for label, tasks in zip(*unranked, strict=True)])
    if found is None:
        return without, (), notes
    units, tasks = _labels(deletion, found.units)
    decisive = Decisive("instances", units, len(deletion), _named(found.first, systems), found.smallest, tasks)
    return without, (decisive,), notes


def _described(
    outcomes: Outcomes, leader: int, whole: Outcomes, systems: Sequence[str]
) -> tuple[Floats, Floats, list[tuple[str, ...]]]:
    """Lead, τ-b and who is first, of each."""
    first = [_named(first, systems) for first in outcomes.first.T]
    return outcomes.lead(leader), outcomes.tau(whole.level[:, 0]), first


def _labels(deletion: InstanceDeletion, numbers: Sequence[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name instances, and the tasks each belongs to."""
    named = [deletion.label(number) for number in numbers]
    return tuple(label for label, _ in named), tuple(few(tasks, _TASKS) for _, tasks in named)


def _named(first: NDArray[np.bool_], systems: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(systems[row] for row in np.flatnonzero(first).tolist()))
