"""What the first place depends on: rank without each task and each instance, and find the few that decide.

A `Search` for the fewest units, tasks or instances, without which another is first says how far it has come: no set of
up to `survives` units decides, and a set `found` does. It is `settled` as soon as nothing is left between the two. The
steps; each runs only if those before have not settled it:

1. Each unit is left out alone.
2. If scores are sums over units, the units that add most to the lead over a rival are the fewest (`fewest`).
3. Sets of two and three tasks are all tried, as far as they are not too many.
4. Greedily: units are put in the order in which they help the leader most against one of the nearest rivals, and the
   first m are left out, for many m.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import NamedTuple, Unpack

import numpy as np

from podium.base.arrays import Bools, Floats
from podium.base.check import check_threads, checked_whole
from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.base.words import how_many, with_names
from podium.ranking.api import check_rankable
from podium.ranking.ballots import Level, Missing
from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import MethodName, MethodSpec, method_of
from podium.ranking.note import warn
from podium.ranking.uncertainty import ranking_of
from podium.robustness.influence_result import Decisive, Influence, LeaveOneOut
from podium.robustness.leave_out import Contest, Deletion, InstanceDeletion, Integers, Outcomes, TaskDeletion
from podium.score.family import family_notes
from podium.score.place import ROUNDING
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords

#: Names of what cannot be left out.
_NAMES = 5

#: Sets of up to this size are all tried, where that is not too much to compute.
_SIZES = 3

#: Numbers to compute in the search of few tasks (ten million take about half a second); and how many a ranking
#: of N systems amounts to where it takes long: so many, and so many times N³.
_BUDGET, _SLOW, _SLOWER = 2**26, 2**15, 2**4

#: Nearest rivals, each with its own order in which tasks or instances are left out.
_RIVALS = 3


@keywords
def influence(
    scores: "ScoresLike",
    method: MethodName | str | MethodSpec = "borda",
    *,
    level: Level | None = None,
    missing: Missing | None = None,
    keep: int = 20,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
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
        As for `podium.rank`.
    method, level, missing
        How to rank, see `podium.rank`. A time limit holds for each of the many rankings.
    keep
        How many instances to keep, the most influential ones. An instance that several tasks share, by their instance
        labels, is left out of all of them together; tasks of one instance are left out as tasks only.
    n_jobs
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
        As `podium.rank`; the method is fitted to a whole table; it places no system, so that none is first; or `keep`
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
    Influence(what the first place of C depends on (borda, task-level): lead 0.0833)
    • C is first by borda:task
    • the leader stays first when any one task is left out
    • the leader shares the first place without Task1, Task2, Task5, Task6
    • leaving out 2 of 6 tasks (Task1, Task2) puts A first; no smaller set does
    without task    lead    tau  first
    Task1         0.0000  0.000  A, B and 1 more
    Task2         0.0000  0.000  A, B and 1 more
    Task5         0.0000  0.816  B, C
    Task6         0.0000  0.000  A, B and 1 more
    Task3         0.2000  1.000  =
    Task4         0.3000  0.816  =
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where there are replicates

    keep = checked_whole("keep", keep, 0)
    scores = as_scores(scores, **reading)
    check_threads(n_jobs)
    spec = MethodSpec.of(method, level, missing).on(scores)
    method_of(spec).check_parts()
    check_rankable(scores)
    warn(scores, method_of(spec))
    counted = CountedScores.for_rankings(scores, [spec], threads=n_jobs)
    ranking = ranking_of(counted, spec)
    leaders = tuple(system for system, place in zip(ranking.systems, ranking.rank, strict=True) if place == 1)
    if not leaders:
        raise MethodError(f"{spec} can place no system of this table, so none is first; choose another method")
    contest = Contest(counted, spec, leader=scores.systems.index(leaders[0]))
    tasks, instances = TaskDeletion(contest), InstanceDeletion(contest)
    n_tasks = len(tasks) if len(tasks) > 1 else 0
    n_instances = 0 if instances.too_many else len(instances)

    def tell(done: int) -> None:
        if progress is not None:
            progress(n_tasks + done, n_tasks + n_instances)

    notes = [*ranking.notes, *family_notes(scores.tasks), *_notes(leaders, instances)]
    without: dict[str, LeaveOneOut] = {}
    decisive: list[Decisive] = []
    unproved: list[str] = []
    with threadpool_limits(limits=1, user_api="blas"):  # so that no sum is added in another order
        whole = tasks.without(np.zeros((len(tasks), 1), dtype=np.bool_))
        behind = whole.ahead(np.arange(len(scores.systems)))[:, 0]
        behind[whole.leader] = np.inf
        rivals = np.argsort(behind, kind="stable")[: min(_RIVALS, behind.size - 1)]
        lefts: list[tuple[Deletion, EachLeftOut, int]] = []
        if n_tasks:
            lefts.append((tasks, without_each(tasks, rivals, n_tasks), n_tasks))
        tell(0)
        if n_instances:
            lefts.append((instances, without_each(instances, rivals, keep, tell), keep))
        for deletion, each, most in lefts:
            units, outcomes = each.units[:most].tolist(), each.outcomes.take(slice(most))
            labels, groups = deletion.named(units)
            without[deletion.kind] = LeaveOneOut.among(
                each.lead_of_all,
                labels,
                lead=outcomes.lead,
                tau=outcomes.tau(whole.place[:, 0]),
                first=[_named(first, deletion) for first in outcomes.first.T],
                tasks=groups,
            )
            search = search_few(deletion, each)
            if search.found is not None:
                labels, groups = deletion.named(search.found.units)
                decisive.append(
                    Decisive(
                        kind=f"{deletion.kind}s",
                        units=labels,
                        of=len(deletion),
                        first=_named(search.found.first, deletion),
                        smallest=search.settled,
                        tasks=groups,
                        families=deletion is tasks and len(tasks) < tasks.families[1].size,
                    )
                )
            notes += _not_left_out(deletion, each.lead_of_all)
            if deletion is tasks and not search.settled:
                any_few = "1 task" if search.survives == 1 else f"up to {search.survives:,} tasks"
                doubt = "and none was found that does" if search.found is None else "so fewer than were found may do so"
                unproved.append(
                    f"leaving out {any_few} puts no system ahead of the leader; larger sets were not all tried, {doubt}"
                )
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


def _named(first: Bools, deletion: Deletion) -> tuple[str, ...]:
    systems = deletion.contest.table.systems
    return tuple(sorted(systems[row] for row in np.flatnonzero(first).tolist()))


def _not_left_out(deletion: Deletion, lead: Floats) -> list[str]:
    """Say how many units cannot be left out, by the leads without each, and the names of the first few."""
    unranked = np.flatnonzero(np.isnan(lead)).tolist()
    if not unranked:
        return []
    names, tasks = deletion.named(unranked[:_NAMES])
    if tasks is not None:
        names = tuple(f"{name} of {task}" for name, task in zip(names, tasks, strict=True))
    said = f"{how_many(len(unranked), deletion.kind)} cannot be left out, because then the systems cannot be ranked"
    return [with_names(f"{said}: ", names, most=_NAMES, total=len(unranked))]


def _notes(leaders: Sequence[str], instances: InstanceDeletion) -> list[str]:
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


class Found(NamedTuple):
    """A set of units without which the leader is not first, those first that do most; and who is first, `(N,)`."""

    units: tuple[int, ...]
    first: Bools


class Search(NamedTuple):
    """State of the search for the fewest units.

    Attributes
    ----------
    most
        How many units can be left out at most.
    survives
        No set of up to so many units decides: the leader stays first, or nothing can be ranked.
    found
        The smallest set known to decide, or None.
    """

    most: int
    survives: int = 0
    found: Found | None = None

    @property
    def settled(self) -> bool:
        """Return whether it is proved that no set smaller than `found` decides; if none is found, that none does."""
        fewest_known = self.most + 1 if self.found is None else len(self.found.units)
        return self.survives + 1 >= fewest_known


@dataclass(frozen=True, slots=True, eq=False)
class EachLeftOut:
    """Outcomes without one unit, a task or an instance, at a time.

    Attributes
    ----------
    lead_of_all
        Shape `(U,)`: the lead without each of all units, in the order of the table; see `Outcomes.lead`.
    lead_over
        Shape `(U, R)`: the lead over each of R rivals without each of all units, in the same order.
    units, outcomes
        The most influential units, the most influential first (`Outcomes.by_influence`), and the outcomes without them.
    """

    lead_of_all: Floats
    lead_over: Floats
    units: Integers
    outcomes: Outcomes


def without_each(
    deletion: Deletion, rivals: Integers, most: int, progress: Callable[[int], None] = lambda _: None
) -> EachLeftOut:
    """Rank without each unit, and keep the outcomes that matter most.

    Parameters
    ----------
    deletion
        What can be left out.
    rivals
        Shape `(R,)`: indices of systems, see `EachLeftOut.lead_over`.
    most
        How many outcomes to keep at most; the first is always kept, as few units may be that one.
    progress
        Called with the number of units that were left out so far.
    """
    leads, leads_over, units, outcomes = [], [], [], []
    done = 0
    for run in deletion.each():
        best = run.by_influence()[: max(most, 1)]
        leads.append(run.lead)
        leads_over.append(run.ahead(rivals).T)
        units.append(done + best)
        outcomes.append(run.take(best))
        done += len(run)
        progress(done)
    best_of_runs = Outcomes.joined(outcomes)
    best = best_of_runs.by_influence()[: max(most, 1)]
    return EachLeftOut(
        np.concatenate(leads), np.concatenate(leads_over), np.concatenate(units)[best], best_of_runs.take(best)
    )


def search_few(deletion: Deletion, each: EachLeftOut) -> Search:
    """Search the fewest units without which the leader is not first any more.

    Orders are those by how much leaving one unit out lowers the lead over a rival, and by what each adds to the
    difference of shares (`InstanceDeletion.shares`), for scores may move in steps, so that no single unit does
    anything. Of all prefixes of these orders that were looked at, the shortest is taken.

    Parameters
    ----------
    deletion
        What can be left out.
    each
        The outcomes without each unit.

    References
    ----------
    Broderick, Giordano & Meager 2020 (orders by influence, by which they approximate the answer that is ranked here).
    """
    most = len(deletion) - 1
    if each.outcomes.lost[0]:
        return Search(most, found=Found((int(each.units[0]),), each.outcomes.first[:, 0]))
    search = Search(most, survives=min(1, most))
    if deletion.additive and not search.settled:
        order, size = fewest(deletion.shares(), deletion.contest.leader, deletion.fixed())
        if not 0 < size <= most:  # no other gets ahead
            return search._replace(survives=most)
        search = search._replace(survives=max(size - 1, search.survives))
        # a few more in the same order if these do not decide: the table may not be ranked, or the place be shared
        search = search._replace(found=_shortest_between(deletion, order[None], np.array([size]), search.survives))
    if isinstance(deletion, TaskDeletion):
        search = _by_all_small_sets(deletion, search)
    elif deletion.additive:
        return search
    return search if search.settled else _by_orders(deletion, each, search)


def _by_all_small_sets(tasks: TaskDeletion, search: Search) -> Search:
    """Try every set of the smallest size that may decide, then of the next, as far as that can be afforded.

    Of a size that decides, take the set without which the leader is furthest behind.
    """
    contest = tasks.contest
    n_systems, n_tasks = len(contest.table.systems), len(contest.table.tasks)
    numbers = n_tasks * n_systems * (n_systems if contest.method.of_pairs else 1)
    if contest.method.slow:
        numbers += _SLOW + _SLOWER * n_systems**3
    for size in range(2, min(_SIZES, search.most) + 1):
        if search.settled or comb(len(tasks), size) > _BUDGET // numbers:
            break
        if size <= search.survives:
            continue
        sets = np.array(list(combinations(range(len(tasks)), size)))
        left_out = np.zeros((len(tasks), len(sets)), dtype=np.bool_)
        left_out[sets.T, np.arange(len(sets))] = True
        outcomes = tasks.without(left_out)
        lost = outcomes.lost
        if lost.any():
            best = int(np.argmin(np.where(lost, outcomes.lead, np.inf)))
            return search._replace(found=Found(tuple(sets[best].tolist()), outcomes.first[:, best]))
        search = search._replace(survives=size)
    return search


def _by_orders(deletion: Deletion, each: EachLeftOut, search: Search) -> Search:
    """Try the first units of some orders."""
    contest = deletion.contest
    orders = [np.argsort(each.lead_over, axis=0, kind="stable").T]
    if isinstance(deletion, TaskDeletion) or not contest.method.averages:
        shares = deletion.shares()
        gains = np.nan_to_num(shares[:, [contest.leader]] - np.delete(shares, contest.leader, axis=1))
        nearest = np.argsort(gains.sum(axis=0), kind="stable")[: 1 if contest.method.slow else _RIVALS]
        orders.append(np.argsort(-gains[:, nearest], axis=0, kind="stable").T)
    growing = np.unique(np.append(np.round(1.33 ** np.arange(100)), search.most).astype(np.int64))  # by a third
    sizes = growing[growing <= search.most]
    found = _shortest_between(deletion, np.concatenate(orders), sizes, search.survives)
    known = filter(None, [search.found, found])
    return search._replace(found=min(known, key=lambda one: len(one.units), default=None))


def _shortest_between(deletion: Deletion, orders: Integers, sizes: Integers, survives: int) -> Found | None:
    """Rank without prefixes of orders, of these sizes and then in ever finer steps, and take the shortest that will do.

    None of up to `survives` units will.
    """
    low, high = [survives] * len(orders), [len(deletion)] * len(orders)  # too few, and enough as far as is known
    first: list[Bools | None] = [None] * len(orders)  # without the first `high`
    tried = [sizes] * len(orders)
    while any(some.size for some in tried):
        for order, outcomes in enumerate(deletion.without_prefixes(orders, tried)):
            steps = [low[order], *tried[order].tolist()]
            lost = np.flatnonzero(outcomes.lost)
            enough = int(lost[0]) if lost.size else len(steps) - 1
            low[order] = steps[enough]
            if lost.size:
                high[order], first[order] = steps[enough + 1], outcomes.first[:, enough]
        # an order whose `low` reaches the shortest prefix of all cannot win, and gets no more sizes
        tried = [_between(one, min(high)) for one in low]
    best = int(np.argmin(high))
    heirs = first[best]
    return None if heirs is None else Found(tuple(orders[best, : high[best]].tolist()), heirs)


def _between(low: int, high: int) -> Integers:
    """Up to 15 sizes between two, evenly."""
    sizes = np.unique(np.linspace(low, high, 17).round().astype(np.int64))
    return sizes[(low < sizes) & (sizes < high)]


def fewest(shares: Floats, leader: int, fixed: Floats) -> tuple[Integers, int]:
    """Order units so that as few as can be, from the first, bring somebody ahead of the leader, and say how few.

    The lead over rival j is Σ_u g_u, with g_u = `shares[u, leader] − shares[u, j]`. Of all sets of m units the one with
    the largest g_u takes most of it, so that the smallest m with which the rest falls below 0 is the fewest for this
    rival, and the least over rivals the fewest of all.

    Parameters
    ----------
    shares
        Shape `(U, N)`: what each unit adds to the scores, higher is better; NaN is nothing.
    fixed
        Shape `(N,)`: what is added by what is never left out.

    Returns
    -------
    An order of the units, and how many from its start; 0 if no other gets ahead before all are left out.

    Examples
    --------
    >>> fewest(np.array([[3.0, 0.0], [0.0, 1.0], [0.5, 0.0]]), 0, np.zeros(2))
    (array([0, 2, 1]), 1)
    """
    least, order = (len(shares) + 1, 0.0), np.arange(len(shares))
    for rival in range(shares.shape[1]):
        gains = np.nan_to_num(shares[:, leader] - shares[:, rival])
        always = float(fixed[leader] - fixed[rival])
        rest = always + gains.sum() - np.sort(gains)[::-1].cumsum()
        behind = np.flatnonzero(rest < -ROUNDING * (abs(always) + np.abs(gains).sum()))
        if behind.size and (int(behind[0]) + 1, float(rest[behind[0]])) < least:
            least, order = (int(behind[0]) + 1, float(rest[behind[0]])), np.argsort(-gains, kind="stable")
    return order, least[0] if least[0] <= len(shares) else 0
