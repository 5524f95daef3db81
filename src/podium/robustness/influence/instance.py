"""Outcomes without some instances; one that several tasks share is left out of all of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.robustness.influence.deletion import AT_ONCE, Case, Outcomes
from podium.score.instance import numbered, same_instances
from podium.score.table import Scores, Task
from podium.tally.engine.leave_out import all_but_each, each_alone, without_starts
from podium.tally.engine.local import Counts
from podium.tally.moment import Means, Moments
from podium.tally.position import Positions
from podium.tally.tally import Tally

#: Numbers above which there are too many instances; and instances times the cube of the number of systems, where each
#: ranking takes long.
_MOST, _MOST_SLOW = 2**28, 2**24

Floats = NDArray[np.float64]

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class InstanceDeletion:
    """The instances of a table that can be left out: those of tasks that have several.

    They are numbered from 0, group by group: tasks with the same instance labels have the same instances, see
    `podium.score.instance.same_instances`.

    Attributes
    ----------
    case
        The table, and how it is ranked.
    groups
        Indices of the tasks that share their instances.
    """

    case: Case
    groups: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, case: Case) -> "InstanceDeletion":
        """Find out which tasks share their instances."""
        tasks = case.table.tasks
        return cls(case, tuple(group for group in same_instances(tasks) if tasks[group[0]].n_instances > 1))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The number of the first instance of each group, and that of all instances at the end."""
        sizes = (self.case.table.tasks[group[0]].n_instances for group in self.groups)
        return tuple(accumulate(sizes, initial=0))

    def __len__(self) -> int:
        return self.starts[-1]

    @property
    def additive(self) -> bool:
        """Whether the scores are, up to a factor that all systems share, sums over instances.

        So they are at level "one"; at level "two" the Borda scores of a single task are in the order of such sums; and
        where means are averaged, they are if no score is missing, and all tasks have the same instances with the same
        weights.
        """
        case = self.case
        if not case.method.averages:
            alone = case.spec.level == "two" and len(case.table.tasks) == 1 and not case.method.of_pairs
            return case.additive and (case.spec.level == "one" or alone)
        weights = [task.instance_weights for task in case.table.tasks]
        alike = all(one is weights[0] or _equal(one, weights[0]) for one in weights)
        return case.additive and alike and self.groups == (tuple(range(len(weights))),)

    def label(self, instance: int) -> tuple[str, tuple[str, ...]]:
        """Name an instance, by its number from 1 where it has no label, and the tasks that have it."""
        group = int(np.searchsorted(self.starts, instance, side="right")) - 1
        tasks = [self.case.table.tasks[index] for index in self.groups[group]]
        place = instance - self.starts[group]
        labels = tasks[0].instances
        return str(place + 1 if labels is None else labels[place]), tuple(task.name for task in tasks)

    @property
    def too_many(self) -> bool:
        """Whether ranking without each would take too long."""
        slowly = self.case.method.slow and len(self) * len(self.case.table.systems) ** 3 > _MOST_SLOW
        return slowly or self.cost > _MOST

    @property
    def cost(self) -> int:
        """Numbers to be computed to rank without each instance."""
        n_systems = len(self.case.table.systems)
        return len(self) * len(self.case.table.tasks) * n_systems ** (2 if self.case.method.of_pairs else 1)

    @property
    def numbered_alike(self) -> tuple[str, ...]:
        """Tasks with the same numbers for their instances, which may be different ones."""
        tasks = [self.case.table.tasks[index] for group in self.groups if len(group) > 1 for index in group]
        return tuple(task.name for task in tasks if task.instances is not None and numbered(task.instances))

    def without_each(self) -> Iterator[Outcomes]:
        """Rank without each instance, a run of them after the other, in their order."""
        kinds = self._kinds()
        size = max(AT_ONCE * len(self) // max(self.cost, 1), 1)
        for group in self.groups:
            place_of = {index: place for place, index in enumerate(group)}
            for run in _joined(all_but_each(self._table(group), kinds), kinds, size):
                yield self._ranked(place_of, run)

    def most_influential(
        self, leader: int, rivals: Integers, keep: int, progress: Callable[[int], None]
    ) -> "Influential":
        """Rank without each instance, and keep some outcomes, see `Outcomes.by_influence`; say how many are done."""
        lead, over = np.empty(len(self)), np.empty((len(self), rivals.size))
        kept, numbers, done = Outcomes.none(len(self.case.table.systems)), np.empty(0, dtype=np.int64), 0
        for outcomes in self.without_each():
            here = np.arange(done, done + len(outcomes))
            lead[here], over[here] = outcomes.lead(leader), outcomes.ahead(leader, rivals).T
            kept, numbers = Outcomes.joined([kept, outcomes]), np.append(numbers, here)
            best = kept.by_influence(leader)[:keep]
            kept, numbers = kept.take(best), numbers[best]
            done += len(outcomes)
            progress(done)
        return Influential(lead, over, numbers, kept)

    def without_first(self, orders: Integers, which: Integers, sizes: Integers) -> Outcomes:
        """Rank without the first so many instances of an order.

        Parameters
        ----------
        orders
            Shape `(O, instances)`: orders of all instances.
        which, sizes
            Shape `(B,)`: which order, and how many instances from its start.
        """
        places = np.empty((len(self), len(orders)), dtype=np.int32)
        for column, order in enumerate(orders):
            places[order, column] = np.arange(len(self))
        place_of = {index: place for place, index in enumerate(chain(*self.groups))}
        per_piece = max(AT_ONCE * len(self) // max(self.cost, 1), 1)
        pieces = []
        for first in range(0, sizes.size, per_piece):
            piece = slice(first, first + per_piece)
            of_groups = [
                without_starts(self._table(group), self._kinds(), places[start:end], which[piece], sizes[piece])
                for group, start, end in zip(self.groups, self.starts, self.starts[1:], strict=False)
            ]
            counts = Counts({kind: tuple(chain(*(group[kind] for group in of_groups))) for kind in self._kinds()})
            pieces.append(self._ranked(place_of, counts))
        return Outcomes.joined(pieces)

    def shares(self) -> Floats:
        """Shape `(instances, N)`: what each instance adds to the scores, before they are divided by the weight of all.

        Exact where scores are additive. Otherwise what it adds to the mean over tasks, or to the Borda score of all
        instances in one box, in which tasks weigh as the level says, by their weights alone or by their instances too.
        """
        pieces = []
        kind = Means if self.case.method.averages else Positions
        for group in self.groups:
            table = self._table(group)
            weights = self.case.weights[list(group)]
            if self.case.spec.level != "one":
                weights = weights / [_mass(task) for task in table.tasks]
            for run in each_alone(table, (kind,)):
                terms = [_terms(task) for task in run[kind]]
                pieces.append(sum(weight * term for weight, term in zip(weights, terms, strict=True)))
        return np.concatenate(pieces, axis=1).T

    def fixed(self) -> Floats:
        """Shape `(N,)`: what tasks of one instance add to the scores, in the measure of exact `shares`."""
        total = np.zeros(len(self.case.table.systems))
        for index in sorted(set(range(len(self.case.table.tasks))).difference(*self.groups)):
            run = next(each_alone(self._table((index,)), (Positions,)))
            total += self.case.weights[index] * _terms(run[Positions][0])[:, 0]
        return total

    def _table(self, group: tuple[int, ...]) -> Scores:
        """Return the tasks of a group, without their weights, which may all be zero."""
        tasks = (self.case.table.tasks[index] for index in group)
        return replace(self.case.table, tasks=tuple(replace(task, weight=1.0) for task in tasks))

    def _kinds(self) -> tuple[type[Tally], ...]:
        """Kinds of tallies: moments for means; and means where it must be seen whether scores still connect tasks."""
        needs = self.case.method.needs(self.case.spec.level)
        if Means in needs:
            return (Moments,)
        return needs if self.case.complete else (*needs, Means)

    def _ranked(self, place_of: dict[int, int], counts: Counts) -> Outcomes:
        """Rank replicates; tasks with a place have the counts at it, and the others those of the table."""
        whole = self.case.counted.counts.as_replicates()
        size = _size(counts[self._kinds()[0]][0])

        def same(array: NDArray[Any]) -> NDArray[Any]:
            return np.broadcast_to(array, (*array.shape[:-1], size))

        def joined(kind: type[Tally]) -> tuple[Any, ...]:
            tasks = enumerate(whole[kind])
            return tuple(counts[kind][place_of[t]] if t in place_of else tally.changed(same) for t, tally in tasks)

        weights = np.ones((len(self.case.table.tasks), 1))
        if Moments in counts:
            tasks = joined(Moments)
            means = Counts({Means: tuple(map(Means.from_moments, tasks))})
            scored = np.array([task.weight > 0 for task in tasks])
            return self.case.ranked(weights, scored, means, np.array([task.scale for task in tasks]))
        tallies = Counts({kind: joined(kind) for kind in self.case.method.needs(self.case.spec.level)})
        scored = np.array([task.scored > 0 for task in self.case.table.tasks])[..., None]
        if Means in counts:
            scored = np.repeat(scored, size, axis=2)
            for index, place in place_of.items():
                scored[index] = counts[Means][place].weight > 0
        return self.case.ranked(weights, scored, tallies)


@dataclass(frozen=True, slots=True, eq=False)
class Influential:
    """Outcomes without each instance.

    Attributes
    ----------
    lead
        Shape `(instances,)`: see `Outcomes.lead`.
    over
        Shape `(instances, R)`: the lead over each rival.
    instances, outcomes
        The most influential instances, first those without which the place is lost, and the outcomes without them.
    """

    lead: Floats
    over: Floats
    instances: Integers
    outcomes: Outcomes


def _terms(task: Any) -> Floats:
    """Shape `(N, L)`: what instances that are counted alone add to a sum in which higher is better."""
    terms: Floats = -task.rank_sum if isinstance(task, Positions) else task.weight * task.mean
    return terms


def _mass(task: Task) -> float:
    """Weight of all instances; 1 where they have none."""
    return float(task.n_instances if task.instance_weights is None else task.instance_weights.sum()) or 1.0


def _equal(one: Floats | None, other: Floats | None) -> bool:
    return one is not None and other is not None and np.array_equal(one, other)


def _size(tally: Tally) -> int:
    """Length of the axis of replicates."""
    return int(np.shape(getattr(tally, fields(tally)[0].name))[-1])  # type: ignore[arg-type]


def _joined(runs: Iterator[Counts], kinds: tuple[type[Tally], ...], size: int) -> Iterator[Counts]:
    """Join runs until they have so many replicates."""
    waiting: list[Counts] = []
    together = 0
    for run in runs:
        waiting.append(run)
        together += _size(run[kinds[0]][0])
        if together >= size:
            yield _concatenated(waiting, kinds)
            waiting, together = [], 0
    if waiting:
        yield _concatenated(waiting, kinds)


def _concatenated(runs: list[Counts], kinds: tuple[type[Tally], ...]) -> Counts:
    if len(runs) == 1:
        return runs[0]

    side_by_side = partial(np.concatenate, axis=-1)
    return Counts(
        {
            kind: tuple(
                kind.together(tallies, side_by_side) for tallies in zip(*(run[kind] for run in runs), strict=True)
            )
            for kind in kinds
        }
    )
