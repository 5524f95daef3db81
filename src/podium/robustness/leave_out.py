"""A table ranked again and again with tasks or instances left out, and what becomes of its first place each time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Bools, Floats
from podium.base.words import few
from podium.ranking.api import connected, weighs
from podium.ranking.bootstrap import is_linear
from podium.ranking.counted import CountedScores
from podium.ranking.distance import kendall_tau
from podium.ranking.linearised import linearised
from podium.ranking.method import Method
from podium.ranking.method_spec import MethodSpec, method_of
from podium.score.family import family_names
from podium.score.place import ROUNDING, places
from podium.score.table import Scores
from podium.score.task import masses_of
from podium.score.units import numbered, same_instances
from podium.tally import leave_out
from podium.tally.count import Counts
from podium.tally.draw import Resampling
from podium.tally.duel import Duels
from podium.tally.moment import Means, Moments
from podium.tally.position import Positions
from podium.tally.tally import Tally

Integers = NDArray[np.int64]

#: Numbers that rankings are made of at a time.
_AT_ONCE = 2**22

#: Cube of the number of systems, times tables, above which no model of missing scores is fitted to each.
_LONG = 10**10

#: Binary digits of leads that are not rounding.
_DIGITS = 43


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Ranks of the same N systems after each of B deletions.

    Attributes
    ----------
    score
        Shape `(N, B)`, turned so that higher is better; NaN where a system cannot be placed, or the table not ranked.
    place
        Shape `(N, B)`: 0 for the first and for all who share the first place; −1 where there is no score.
    leader
        Index of the system that is first when nothing is left out.
    """

    score: Floats
    place: Integers
    leader: int

    @classmethod
    def joined(cls, pieces: list["Outcomes"]) -> "Outcomes":
        """Put outcomes one after the other."""
        return cls(
            np.concatenate([piece.score for piece in pieces], axis=1),
            np.concatenate([piece.place for piece in pieces], axis=1),
            pieces[0].leader,
        )

    def take(self, which: Integers | slice) -> "Outcomes":
        """Return some of the outcomes, in that order."""
        return replace(self, score=self.score[:, which], place=self.place[:, which])

    def __len__(self) -> int:
        return int(self.score.shape[1])

    @property
    def first(self) -> Bools:
        """Shape `(N, B)`: who is first, alone or not."""
        first: Bools = self.place == 0
        return first

    @property
    def lost(self) -> Bools:
        """Shape `(B,)`: whether somebody is first, and it is not the leader, not even among others."""
        first = self.first
        lost: Bools = first.any(axis=0) & ~first[self.leader]
        return lost

    def ahead(self, rivals: Integers) -> Floats:
        """Shape `(R, B)`: score of the leader less that of each rival; −∞ (∞) where only the rival (leader) has one."""
        own, other = self.score[self.leader], self.score[rivals]
        with np.errstate(invalid="ignore"):
            return np.where(np.isnan(other), np.inf, np.where(np.isnan(own), -np.inf, own - other))

    @property
    def lead(self) -> Floats:
        """Shape `(B,)`: score of the leader less the best of the others, 0 where the place is shared.

        −∞ where the leader cannot be placed, ∞ where no other system can, and NaN where no system can.
        """
        others = np.delete(np.arange(self.score.shape[0]), self.leader)
        lead = self.ahead(others).min(axis=0)
        first = self.first
        shared = first[self.leader] & first[others].any(axis=0)
        found: Floats = np.where(first.any(axis=0), np.where(shared, 0.0, lead), np.nan)
        return found

    def by_influence(self) -> Integers:
        """Shape `(B,)`: the outcomes in order: where the place is lost, then where none is placed, then by lead.

        >>> score = np.array([[1.0, np.nan, 1.0], [0.5, np.nan, 2.0]])
        >>> Outcomes(score, np.array([[0, -1, 1], [1, -1, 0]]), leader=0).by_influence()
        array([2, 1, 0])
        """
        lead = self.lead
        kind = np.where(lead < 0, 0, np.where(np.isnan(lead), 1, 2))
        # each is rounded in proportion to its own scores, so that large ones elsewhere make no leads alike
        largest = np.abs(np.where(np.isfinite(self.score), self.score, 0.0)).max(axis=0, initial=0.0)
        unit = np.ldexp(1.0, np.frexp(largest)[1] - _DIGITS)
        return np.lexsort((np.round(lead / unit) * unit, kind))

    def tau(self, place: Integers) -> Floats:
        """Shape `(B,)`: τ-b to a ranking of the places `(N,)`; unplaced are last; 0 where either ties all."""
        last = len(place)
        own = np.where(place < 0, last, place)
        found = [kendall_tau(own, np.where(other < 0, last, other)) for other in self.place.T]
        tau: Floats = np.nan_to_num(np.array(found, dtype=np.float64), nan=0.0)
        return tau


@dataclass(frozen=True, eq=False)
class Contest:
    """A counted table, how it is ranked, and the index of its leader; a replicate is the table after one deletion."""

    counted: CountedScores
    spec: MethodSpec
    leader: int

    @property
    def table(self) -> Scores:
        """Return the table, its tasks in the order in which they are counted."""
        return self.counted.by_name

    @property
    def method(self) -> Method:
        """Return the method that ranks."""
        return method_of(self.spec)

    @cached_property
    def _weighing(self) -> Bools:
        """Shape `(T,)`: which tasks have a score that counts."""
        return np.array(list(map(weighs, self.table.tasks)))

    @property
    def complete(self) -> bool:
        """Return whether no score is missing."""
        return self.table.n_scored == self.table.n_cells

    @property
    def additive(self) -> bool:
        """Return whether scores are one weighted mean over tasks, with the same weights for all systems.

        To bring a rival ahead of the leader by leaving out as few tasks as can be, one then leaves out those by which
        the leader gains most on the rival: no smaller set will do.
        """
        imputed = not self.method.averages and self.counted.context(self.spec).missing != "direct"
        return self.method.adds_up and (imputed or self.complete)

    def ranked(self, task_factors: Floats, scored: Bools, counts: Counts, scale: Floats | None = None) -> Outcomes:
        """Rank B replicates, tables after one deletion each; no system is placed where `podium.rank` refuses.

        The last axis of every array is that of the replicates; its length is 1 where they are all alike.

        Parameters
        ----------
        task_factors
            Shape `(T, B)`: by what the weight of each task is multiplied: 1 if it stays, 0 if it is left out.
        scored
            Shape `(T, N, B)`: whether a system has any score on a task.
        counts, scale
            As for `CountedScores.reweighed`.
        """
        spec = self.spec
        if spec.time_limit is not None:  # the method shares it among the replicates: each has as much as the table
            n_replicates = max(task_factors.shape[1], scored.shape[2], counts.n_replicates)
            spec = replace(spec, time_limit=spec.time_limit * n_replicates)
        long = len(self.counted.given.systems) ** 3 * len(task_factors) > _LONG and is_linear(spec, Resampling("tasks"))
        if spec.missing == "model" and counts.alike is not None and long:
            score = linearised(self.counted, spec).replicates_of_tasks(task_factors)
            result = replace(self.counted.result(spec), score=score)  # a step from the fit; close if tasks are many
        else:
            result = self.counted.reweighed(spec, task_factors, counts, scale=scale, scored=scored)
        # a table whose scores all weigh nothing is no table to rank
        weigh = (self._weighing[:, None] * task_factors * scored.any(axis=1)).sum(axis=0) > 0
        if scored.shape[2] == 1:  # all replicates have the same scores
            connects = connected(scored[:, :, 0], task_factors > 0)
        else:
            connects = connected(scored & (task_factors > 0)[:, None])
        turned = result.score if result.higher_is_better else -result.score
        score = np.where(connects & weigh, turned, np.nan)
        return Outcomes(score, places(score, tolerance=ROUNDING * np.asarray(result.scale)), self.leader)


@dataclass(frozen=True, eq=False)
class TaskDeletion:
    """The U families of tasks of a contest that can be left out, each as one; a task alone is a family."""

    kind: ClassVar[str] = "task"

    contest: Contest

    @cached_property
    def families(self) -> tuple[tuple[str, ...], NDArray[np.intp]]:
        """Return the names of the families, and the number of that of each task."""
        of = family_names(self.contest.table.tasks)
        number = {name: place for place, name in enumerate(dict.fromkeys(of))}
        return tuple(number), np.array([number[name] for name in of], dtype=np.intp)

    def __len__(self) -> int:
        return len(self.families[0])

    def named(self, units: Sequence[int]) -> tuple[tuple[str, ...], None]:
        """Return names of families, which belong to no tasks."""
        return tuple(self.families[0][unit] for unit in units), None

    def each(self) -> Iterator[Outcomes]:
        """Rank without each task."""
        yield self.without(np.eye(len(self), dtype=np.bool_))

    def without_prefixes(self, orders: Integers, sizes: Sequence[Integers]) -> list[Outcomes]:
        """Rank without the first tasks of each order, see `InstanceDeletion.without_prefixes`."""
        position = np.argsort(orders, axis=1).T  # the inverse of each order
        left_out = [position[:, [order]] < some for order, some in enumerate(sizes)]
        outcomes = self.without(np.concatenate(left_out, axis=1))
        ends = np.cumsum([0, *(some.size for some in sizes)]).tolist()
        return [outcomes.take(slice(start, end)) for start, end in pairwise(ends)]

    def without(self, left_out: Bools) -> Outcomes:
        """Rank without some of the families, `(U, B)`."""
        left_out = left_out[self.families[1]]
        contest = self.contest
        scored = np.array([task.scored > 0 for task in contest.table.tasks])[..., None]
        counts = contest.counted.counts.as_replicates()
        # Sums over tasks are one product of matrices, see `weighted_sum`, and then only weights take memory.
        n_systems, n_tasks = len(contest.table.systems), len(left_out)
        numbers = max(n_tasks // 4, n_systems) if contest.method.adds_up else n_tasks * n_systems
        numbers = max(numbers, 4 * n_systems**2 if contest.method.of_pairs else 0)
        at_once = max(_AT_ONCE // numbers, 1)
        pieces = []
        for start in range(0, left_out.shape[1], at_once):
            # a task of weight 0 that stays still connects those that are scored on it
            stays = ~left_out[:, start : start + at_once]
            pieces.append(contest.ranked(stays.astype(np.float64), scored, counts))
        return Outcomes.joined(pieces)

    def shares(self) -> Floats:
        """Shape `(U, N)`: what each family adds to the scores, before they are divided by the weight of all tasks.

        Exact where scores are additive, see `Contest.additive`; otherwise what it adds to the mean over tasks, or to
        the Borda score at the same level. 0 where there is no score.
        """
        counted, spec = self.contest.counted, self.contest.spec
        if not self.additive:  # a like method, by which scores are sums; it may rank by tallies of its own
            like = "mean" if self.contest.method.averages else MethodSpec("borda", spec.level, missing="imputed")
            spec = MethodSpec.of(like).on(self.contest.table)  # a method may have no level
            counted = counted.counted_for(spec)
        turned = counted.of_each_task(spec).oriented_score.T
        weight = self.contest.table.task_weights
        if self.contest.spec.level == "one":  # there a task also weighs by its instances
            tallies = counted.counts[Duels] if Duels in counted.counts else counted.counts[Positions]
            weight = weight * np.array([tally.weight for tally in tallies])
        shares = np.zeros((len(self), turned.shape[1]))
        np.add.at(shares, self.families[1], np.nan_to_num(weight[:, None] * turned))
        return shares

    def fixed(self) -> Floats:
        """Shape `(N,)`: what is never left out adds nothing."""
        return np.zeros(len(self.contest.table.systems))

    @property
    def additive(self) -> bool:
        """Return whether the scores are sums over tasks."""
        return self.contest.additive


#: Numbers above which there are too many instances; and instances times the cube of the number of systems, where each
#: ranking takes long.
_TOO_MANY, _TOO_MANY_SLOW = 2**28, 2**24

#: Names of tasks that stand beside an instance.
_TASKS = 3


@dataclass(frozen=True, eq=False)
class InstanceDeletion:
    """The instances of a contest that can be left out: those of tasks that have several.

    They are numbered from 0, group by group: tasks with the same instance labels have the same instances, see
    `podium.score.units.same_instances`. After a group of 5 instances, number 6 is the second of the next.
    """

    kind: ClassVar[str] = "instance"

    contest: Contest

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Return indices of the tasks that share their instances."""
        tasks = self.contest.table.tasks
        return tuple(group for group in same_instances(tasks) if tasks[group[0]].n_instances > 1)

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Return the number of the first instance of each group, and that of all instances at the end."""
        sizes = (self.contest.table.tasks[group[0]].n_instances for group in self.groups)
        return tuple(accumulate(sizes, initial=0))

    def __len__(self) -> int:
        return self.offsets[-1]

    @property
    def additive(self) -> bool:
        """Return whether the scores are, up to a factor that all systems share, sums over instances.

        So they are at level "one"; at "balanced" and "two" Borda scores of a single task are in the order of such sums;
        and where means are averaged, they are if no score is missing, and all tasks have the same instances with the
        same weights.
        """
        contest = self.contest
        if not contest.method.averages:
            single = len(contest.table.tasks) == 1 and not contest.method.of_pairs
            summed = {"one", "balanced", "two"} if single else {"one"}
            return contest.additive and contest.spec.level in summed
        masses = list(map(masses_of, contest.table.tasks))
        alike = all(np.array_equal(one, masses[0]) for one in masses)
        return contest.additive and alike and self.groups == (tuple(range(len(masses))),)

    def named(self, units: Sequence[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return labels of instances, numbers from 1 where they have none; and the tasks each belongs to, in words."""
        labels, of = [], []
        for unit, number in zip(units, np.searchsorted(self.offsets, units, side="right").tolist(), strict=True):
            group, place = self.groups[number - 1], unit - self.offsets[number - 1]
            tasks = [self.contest.table.tasks[index] for index in group]
            labels.append(str(place + 1 if tasks[0].instances is None else tasks[0].instances[place]))
            of.append(few([task.name for task in tasks], _TASKS))
        return tuple(labels), tuple(of)

    @property
    def too_many(self) -> bool:
        """Return whether ranking without each would take too long."""
        slowly = self.contest.method.slow and len(self) * len(self.contest.table.systems) ** 3 > _TOO_MANY_SLOW
        return slowly or len(self) * self._numbers > _TOO_MANY

    @property
    def _numbers(self) -> int:
        """Return numbers that a ranking is made of."""
        n_systems = len(self.contest.table.systems)
        return len(self.contest.table.tasks) * n_systems ** (2 if self.contest.method.of_pairs else 1)

    @property
    def numbered_alike(self) -> tuple[str, ...]:
        """Return tasks with the same numbers for their instances, which may be different ones."""
        tasks = [self.contest.table.tasks[index] for group in self.groups if len(group) > 1 for index in group]
        return tuple(task.name for task in tasks if task.instances is not None and numbered(task.instances))

    def each(self) -> Iterator[Outcomes]:
        """Rank without each instance, a run of them after the other, in their order."""
        kinds = self._kinds
        for group in self.groups:
            for run in leave_out.all_but_each(self._table(group), kinds):
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
        at_once = max(_AT_ONCE // self._numbers, 1)
        pieces = []
        for run in (slice(start, start + at_once) for start in range(0, size.size, at_once)):
            of_groups = [
                leave_out.without_prefixes(self._table(group), self._kinds, positions[begin:end], which[run], size[run])
                for group, (begin, end) in zip(self.groups, pairwise(self.offsets), strict=True)
            ]
            counts = Counts({kind: tuple(chain(*(group[kind] for group in of_groups))) for kind in self._kinds})
            pieces.append(self._ranked(list(chain(*self.groups)), counts))
        outcomes = Outcomes.joined(pieces)
        return [outcomes.take(np.flatnonzero(which == order)) for order in range(len(orders))]

    def shares(self) -> Floats:
        """Shape `(instances, N)`: what each instance adds to the scores, before they are divided by the weight of all.

        Exact where scores are additive. Otherwise what it adds to the mean over tasks, or to the Borda score of all
        instances together, in which tasks weigh as the level says, by their weights alone or by their instances too.
        """
        pieces = []
        kind: type[Positions | Means] = Means if self.contest.method.averages else Positions
        for group in self.groups:
            table = self._table(group)
            weights = self.contest.table.task_weights[list(group)]
            if self.contest.spec.level != "one":
                weights = weights / [float(masses_of(task).sum()) or 1.0 for task in table.tasks]
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
            total += self.contest.table.task_weights[index] * _terms(run[Positions][0])[:, 0]
        return total

    def _table(self, group: tuple[int, ...]) -> Scores:
        """Return the tasks of a group, without their weights, which may all be zero."""
        tasks = (self.contest.table.tasks[index] for index in group)
        return replace(self.contest.table, tasks=tuple(replace(task, weight=1.0) for task in tasks))

    @property
    def _ranks_means(self) -> bool:
        """Return whether the means of tasks are ranked: by averages, and by ballots at level task."""
        return Means in self.contest.method.needs(self.contest.spec.level)

    @cached_property
    def _kinds(self) -> tuple[type[Tally], ...]:
        """Kinds of tallies to count.

        For means only Moments, which `_ranked` makes means of. For ballots of instances what the method needs, and
        where scores are missing or weigh nothing also Means, which say who has any.
        """
        if self._ranks_means:
            return (Moments,)
        needs = self.contest.method.needs(self.contest.spec.level)
        weights = (task.instance_weights for task in self.contest.table.tasks)
        full = self.contest.complete and all(some is None or some.all() for some in weights)
        return needs if full else (*needs, Means)

    def _ranked(self, indices: Sequence[int], counts: Counts) -> Outcomes:
        """Rank replicates: `counts` are of the tasks of these indices; the other tasks have the counts of the table."""
        contest, tasks = self.contest, self.contest.table.tasks
        all_stay = np.ones((len(tasks), 1))
        if self._ranks_means:  # made of moments, which say also how large the scores are, and who has any
            moments = self._of_all_tasks(Moments, indices, counts)
            means = Counts({Means: tuple(map(Means.from_moments, moments))})
            scored = np.array([tally.weight > 0 for tally in moments])
            return contest.ranked(all_stay, scored, means, np.array([tally.scale for tally in moments]))
        needs = contest.method.needs(contest.spec.level)
        scored = np.array([task.scored > 0 for task in tasks])[..., None]
        if Means in counts:  # some lack a score
            scored = np.repeat(scored, counts.n_replicates, axis=2)
            scored[list(indices)] = [means.weight > 0 for means in counts[Means]]
        return contest.ranked(
            all_stay, scored, Counts({kind: self._of_all_tasks(kind, indices, counts) for kind in needs})
        )

    def _of_all_tasks(self, kind: type[Tally], indices: Sequence[int], counts: Counts) -> tuple[Any, ...]:
        """Tallies of all tasks, with an axis of replicates: `counts` for these indices, else those of the table."""
        n_replicates = counts.n_replicates

        def repeated(array: NDArray[Any]) -> NDArray[Any]:
            return np.broadcast_to(array, (*array.shape[:-1], n_replicates))

        tallies = [tally.changed(repeated) for tally in self.contest.counted.counts.as_replicates()[kind]]
        for index, tally in zip(indices, counts[kind], strict=True):
            tallies[index] = tally
        return tuple(tallies)


def _terms(tally: Positions | Means) -> Floats:
    """Shape `(N, L)`: what instances that are counted alone add to a sum in which higher is better."""
    terms: Floats = -tally.rank_sum if isinstance(tally, Positions) else tally.weight * tally.mean
    return terms


Deletion = TaskDeletion | InstanceDeletion
