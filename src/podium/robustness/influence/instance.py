"""Rankings without some instances; one that several tasks share is left out of all of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate, chain, pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.words import few
from podium.robustness.influence.contest import AT_ONCE, Contest, EachLeftOut, Floats, Integers, Outcomes
from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import numbered, same_instances
from podium.tally.engine import leave_out
from podium.tally.engine.count import Counts
from podium.tally.moment import Means, Moments
from podium.tally.position import Positions
from podium.tally.tally import Tally

#: Numbers above which there are too many instances; and instances times the cube of the number of systems, where each
#: ranking takes long.
_MOST, _MOST_SLOW = 2**28, 2**24

#: Names of tasks that stand beside an instance.
_TASKS = 3


@dataclass(frozen=True, eq=False)
class InstanceDeletion:
    """The instances of a table that can be left out: those of tasks that have several.

    They are numbered from 0, group by group: tasks with the same instance labels have the same instances, see
    `podium.score.units.same_instances`. After a group of 5 instances, number 6 is the second of the next.

    Attributes
    ----------
    contest
        The table, and how it is ranked.
    groups
        Indices of the tasks that share their instances.
    """

    kind: ClassVar[str] = "instance"

    contest: Contest
    groups: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, contest: Contest) -> "InstanceDeletion":
        """Find out which tasks share their instances."""
        tasks = contest.table.tasks
        return cls(contest, tuple(group for group in same_instances(tasks) if tasks[group[0]].n_instances > 1))

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """The number of the first instance of each group, and that of all instances at the end."""
        sizes = (self.contest.table.tasks[group[0]].n_instances for group in self.groups)
        return tuple(accumulate(sizes, initial=0))

    def __len__(self) -> int:
        return self.offsets[-1]

    @property
    def additive(self) -> bool:
        """Whether the scores are, up to a factor that all systems share, sums over instances.

        So they are at level "one"; at "balanced" and "two" Borda scores of a single task are in the order of such sums;
        and where means are averaged, they are if no score is missing, and all tasks have the same instances with the
        same weights.
        """
        contest = self.contest
        if not contest.method.averages:
            single = len(contest.table.tasks) == 1 and not contest.method.of_pairs
            summed = {"one", "balanced", "two"} if single else {"one"}
            return contest.additive and contest.spec.level in summed
        weights = [task.instance_weights for task in contest.table.tasks]
        alike = all(one is weights[0] or _equal(one, weights[0]) for one in weights)
        return contest.additive and alike and self.groups == (tuple(range(len(weights))),)

    def labels(self, units: Sequence[int]) -> tuple[str, ...]:
        """Labels of instances; numbers from 1 where they have none."""
        return tuple(map(self._label, units))

    def _label(self, instance: int) -> str:
        group = self._group_of(instance)
        place = instance - self.offsets[group]
        labels = self.contest.table.tasks[self.groups[group][0]].instances
        return str(place + 1 if labels is None else labels[place])

    def tasks_of(self, units: Sequence[int]) -> tuple[str, ...]:
        """For each of some instances, the tasks it belongs to, in words."""
        names = self.contest.table.task_names
        return tuple(few([names[index] for index in self.groups[self._group_of(unit)]], _TASKS) for unit in units)

    def _group_of(self, instance: int) -> int:
        return int(np.searchsorted(self.offsets, instance, side="right")) - 1

    @property
    def too_many(self) -> bool:
        """Whether ranking without each would take too long."""
        slowly = self.contest.method.slow and len(self) * len(self.contest.table.systems) ** 3 > _MOST_SLOW
        return slowly or len(self) * self._numbers > _MOST

    @property
    def _numbers(self) -> int:
        """Numbers that a ranking is made of."""
        n_systems = len(self.contest.table.systems)
        return len(self.contest.table.tasks) * n_systems ** (2 if self.contest.method.of_pairs else 1)

    @property
    def _at_once(self) -> int:
        """How many rankings to make at a time."""
        return max(AT_ONCE // self._numbers, 1)

    @property
    def numbered_alike(self) -> tuple[str, ...]:
        """Tasks with the same numbers for their instances, which may be different ones."""
        tasks = [self.contest.table.tasks[index] for group in self.groups if len(group) > 1 for index in group]
        return tuple(task.name for task in tasks if task.instances is not None and numbered(task.instances))

    def without_each(self, rivals: Integers, most: int, progress: Callable[[int], None]) -> "EachInstanceLeftOut":
        """Rank without each instance, and keep the outcomes that matter most.

        Parameters
        ----------
        rivals
            Shape `(R,)`: indices of systems, see `EachInstanceLeftOut.lead_over`.
        most
            How many outcomes to keep at most; the first is always kept, as few instances may be that one.
        progress
            Called with the number of instances that were left out so far.
        """
        most = max(most, 1)
        leads, leads_over, units, outcomes = [], [], [], []
        done = 0
        for run in self._outcomes():
            best = run.by_influence()[:most]
            leads.append(run.lead)
            leads_over.append(run.ahead(rivals).T)
            units.append(done + best)
            outcomes.append(run.take(best))
            done += len(run)
            progress(done)
        best_of_runs = Outcomes.joined(outcomes)
        best = best_of_runs.by_influence()[:most]
        return EachInstanceLeftOut(
            np.concatenate(leads), np.concatenate(units)[best], best_of_runs.take(best), np.concatenate(leads_over)
        )

    def _outcomes(self) -> Iterator[Outcomes]:
        """Rank without each instance, a run of them after the other, in their order."""
        kinds = self._kinds
        for group in self.groups:
            for run in _joined(leave_out.all_but_each(self._table(group), kinds), kinds, self._at_once):
                yield self._ranked(group, run)

    def without_prefixes(self, orders: Integers, sizes: Sequence[Integers]) -> list[Outcomes]:
        """Rank without prefixes of each order: its first instances, so many of them.

        Parameters
        ----------
        orders
            Shape `(O, instances)`: orders of all instances.
        sizes
            For each order, shape `(B,)`: how many of its first instances to leave out, one number after the other.

        Returns
        -------
        For each order, the outcomes without prefixes of these sizes.
        """
        positions = np.empty((len(self), len(orders)), dtype=np.int32)
        np.put_along_axis(positions, orders.T, np.arange(len(self), dtype=np.int32)[:, None], axis=0)
        which = np.repeat(np.arange(len(orders)), [some.size for some in sizes])
        size = np.concatenate(sizes)
        outcomes = Outcomes.joined([
            self._run_without(positions, which[start : start + self._at_once], size[start : start + self._at_once])
            for start in range(0, size.size, self._at_once)
        ])  # fmt: skip
        return [outcomes.take(np.flatnonzero(which == order)) for order in range(len(orders))]

    def _run_without(self, positions: NDArray[np.int32], which: Integers, size: Integers) -> Outcomes:
        """Rank replicates: in each, instances whose position in one of the orders is below a size are left out."""
        of_groups = [
            leave_out.without_prefixes(self._table(group), self._kinds, positions[begin:end], which, size)
            for group, (begin, end) in zip(self.groups, pairwise(self.offsets), strict=True)
        ]
        counts = Counts({kind: tuple(chain(*(group[kind] for group in of_groups))) for kind in self._kinds})
        return self._ranked(list(chain(*self.groups)), counts)

    def shares(self) -> Floats:
        """Shape `(instances, N)`: what each instance adds to the scores, before they are divided by the weight of all.

        Exact where scores are additive. Otherwise what it adds to the mean over tasks, or to the Borda score of all
        instances together, in which tasks weigh as the level says, by their weights alone or by their instances too.
        """
        pieces = []
        kind: type[Positions | Means] = Means if self.contest.method.averages else Positions
        for group in self.groups:
            table = self._table(group)
            weights = self.contest.weights[list(group)]
            if self.contest.spec.level != "one":
                weights = weights / [_mass(task) for task in table.tasks]
            for run in leave_out.each_alone(table, (kind,)):
                terms = [_terms(tally) for tally in run[kind]]
                pieces.append(sum(weight * term for weight, term in zip(weights, terms, strict=True)))
        return np.concatenate(pieces, axis=1).T

    def fixed(self) -> Floats:
        """Shape `(N,)`: what tasks of one instance add to the scores, in the measure of exact `shares`."""
        total = np.zeros(len(self.contest.table.systems))
        for index in sorted(set(range(len(self.contest.table.tasks))).difference(*self.groups)):
            # never Means: averages are `additive` only if one group holds all tasks, and then none is fixed
            run = next(leave_out.each_alone(self._table((index,)), (Positions,)))
            total += self.contest.weights[index] * _terms(run[Positions][0])[:, 0]
        return total

    def _table(self, group: tuple[int, ...]) -> Scores:
        """Return the tasks of a group, without their weights, which may all be zero."""
        tasks = (self.contest.table.tasks[index] for index in group)
        return replace(self.contest.table, tasks=tuple(replace(task, weight=1.0) for task in tasks))

    @property
    def _ranks_means(self) -> bool:
        """Whether the means of tasks are ranked: by averages, and by ballots at level task."""
        return Means in self.contest.method.needs(self.contest.spec.level)

    @cached_property
    def _kinds(self) -> tuple[type[Tally], ...]:
        """Kinds of tallies to count.

        For means only Moments: `_by_means` makes means of them. For ballots of instances what the method needs, and
        where scores are missing or weigh nothing also Means, which say who has any (`scored` in `_by_ballots`).
        """
        if self._ranks_means:
            return (Moments,)
        needs = self.contest.method.needs(self.contest.spec.level)
        weights = (task.instance_weights for task in self.contest.table.tasks)
        full = self.contest.complete and all(some is None or some.all() for some in weights)
        return needs if full else (*needs, Means)

    def _ranked(self, indices: Sequence[int], counts: Counts) -> Outcomes:
        """Rank replicates: `counts` are of the tasks of these indices; the other tasks have the counts of the table."""
        return (self._by_means if self._ranks_means else self._by_ballots)(indices, counts)

    def _by_means(self, indices: Sequence[int], counts: Counts) -> Outcomes:
        """Rank by means: made of moments, which say also how large the scores are, and who has any."""
        moments = self._of_all_tasks(Moments, indices, counts)
        means = Counts({Means: tuple(map(Means.from_moments, moments))})
        scored = np.array([tally.weight > 0 for tally in moments])
        return self.contest.ranked(self._all_stay, scored, means, np.array([tally.scale for tally in moments]))

    def _by_ballots(self, indices: Sequence[int], counts: Counts) -> Outcomes:
        """Rank by tallies that do not say who has a score: see `_kinds`."""
        contest = self.contest
        needs = contest.method.needs(contest.spec.level)
        tallies = Counts({kind: self._of_all_tasks(kind, indices, counts) for kind in needs})
        scored = np.array([task.scored > 0 for task in contest.table.tasks])[..., None]
        if Means in counts:  # some lack a score
            scored = np.repeat(scored, counts.n_replicates, axis=2)
            for index, means in zip(indices, counts[Means], strict=True):
                scored[index] = means.weight > 0
        return contest.ranked(self._all_stay, scored, tallies)

    @property
    def _all_stay(self) -> Floats:
        """Shape `(T, 1)`: no task is left out, see `Contest.ranked`."""
        return np.ones((len(self.contest.table.tasks), 1))

    def _of_all_tasks(self, kind: type[Tally], indices: Sequence[int], counts: Counts) -> tuple[Any, ...]:
        """Tallies of all tasks, with an axis of replicates: `counts` for these indices, else those of the table."""
        n_replicates = counts.n_replicates

        def repeated(array: NDArray[Any]) -> NDArray[Any]:
            return np.broadcast_to(array, (*array.shape[:-1], n_replicates))

        tallies = [tally.changed(repeated) for tally in self.contest.counted.counts.as_replicates()[kind]]
        for index, tally in zip(indices, counts[kind], strict=True):
            tallies[index] = tally
        return tuple(tallies)


@dataclass(frozen=True, slots=True, eq=False)
class EachInstanceLeftOut(EachLeftOut):
    """Outcomes without one instance at a time.

    Attributes
    ----------
    lead_over
        Shape `(U, R)`: the lead over each of R rivals without each of all units, in the order of the table.
    """

    lead_over: Floats


def _terms(tally: Positions | Means) -> Floats:
    """Shape `(N, L)`: what instances that are counted alone add to a sum in which higher is better."""
    terms: Floats = -tally.rank_sum if isinstance(tally, Positions) else tally.weight * tally.mean
    return terms


def _mass(task: Task) -> float:
    """Weight of all instances; 1 where they have none."""
    return float(task.n_instances if task.instance_weights is None else task.instance_weights.sum()) or 1.0


def _equal(one: Floats | None, other: Floats | None) -> bool:
    return one is not None and other is not None and np.array_equal(one, other)


def _joined(runs: Iterator[Counts], kinds: Sequence[type[Tally]], at_least: int) -> Iterator[Counts]:
    """Join runs until they have so many replicates."""
    waiting: list[Counts] = []
    together = 0
    for run in runs:
        waiting.append(run)
        together += run.n_replicates
        if together >= at_least:
            yield _concatenated(waiting, kinds)
            waiting, together = [], 0
    if waiting:
        yield _concatenated(waiting, kinds)


def _concatenated(runs: list[Counts], kinds: Sequence[type[Tally]]) -> Counts:
    if len(runs) == 1:
        return runs[0]
    side_by_side = partial(np.concatenate, axis=-1)
    return Counts({
        kind: tuple(kind.together(tallies, side_by_side) for tallies in zip(*(run[kind] for run in runs), strict=True))
        for kind in kinds
    })  # fmt: skip
