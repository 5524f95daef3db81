"""Stresses that take away: tasks and systems left out, scores made missing, test sets shrunk.

What is taken away at a share, or at a number, is taken away at every larger one too, for generators in the same state.
A share that does not lie between 0 and 1 is a `MethodError`.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, islice
from math import comb
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Bools, Floats
from podium.base.check import check_enough, checked_count, checked_number, texts
from podium.base.errors import LabelError, MethodError
from podium.base.words import are, how_many
from podium.score.family import family_names
from podium.score.table import Scores
from podium.score.task import Task, with_instances
from podium.score.units import InstanceSets

#: A stress at one strength: from scores, and a generator that all its chance comes from, to changed scores.
Stress = Callable[[Scores, np.random.Generator], Scores]


class Cases(NamedTuple):
    """All that a stress can do to a table, each as likely as any other: choose so many of some things.

    A stress has a method `cases` where it can list them, from scores to these, or to None for a table where it
    cannot.

    Attributes
    ----------
    things, chosen
        How many there are to choose from, and how many of them are chosen.
    apply
        From the indices of the chosen to the changed scores.

    Examples
    --------
    >>> import podium
    >>> every = podium.stresses.DropTasks(4).cases(podium.datasets.toy_table1())
    >>> every.number(100), every.nth(0).task_names, every.nth(14).task_names
    (15, ('Task5', 'Task6'), ('Task1', 'Task2'))
    """

    things: int
    chosen: int
    apply: Callable[[tuple[int, ...]], Scores]

    def number(self, most: int) -> int | None:
        """Return how many cases there are; None where there are more than so many."""
        if 0 < self.chosen < self.things and self.things > most:  # the number itself may have a million digits
            return None
        number = comb(self.things, self.chosen)
        return number if number <= most else None

    def nth(self, number: int) -> Scores:
        """Return the case of this number, from 0."""
        return self.apply(next(islice(combinations(range(self.things), self.chosen), number, None)))


@dataclass(frozen=True, slots=True)
class DropTasks:
    """Leave tasks, drawn at random, out of the table; a task of positive weight always stays.

    Tasks of one family go together and count as one, see `podium.score.family.family_names`. Whatever is left out at a
    number is left out at every larger number too, for generators in the same state.

    Attributes
    ----------
    tasks
        How many to leave out; at least one stays.

    Raises
    ------
    MethodError
        The number is no whole number from 0 up; when called, no task would stay.

    References
    ----------
    Colombo et al. 2022, §5.2, who keep t of T tasks.

    Examples
    --------
    >>> import podium
    >>> podium.stresses.DropTasks(4)(podium.datasets.toy_table1(), np.random.default_rng(0)).task_names
    ('Task1', 'Task2')
    """

    tasks: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", checked_count("tasks to leave out", self.tasks))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Leave out tasks drawn by the generator."""
        families = family_names(scores.tasks)
        names = list(dict.fromkeys(families))
        check_enough(self.tasks, len(names), "task", "left out", stay=1)
        order = [names[index] for index in rng.permutation(len(names)).tolist()]
        # A table needs a task that weighs something: of those, the last drawn is the last to go.
        weighing = {name for name, task in zip(families, scores.tasks, strict=True) if task.weight > 0}
        last = next(name for name in reversed(order) if name in weighing)
        order.remove(last)
        return _without_tasks(scores, order[: self.tasks])

    def cases(self, scores: Scores) -> Cases | None:
        """List all sets of so many tasks; None where a task weighs nothing, since sets are not equally likely then."""
        names = list(dict.fromkeys(family_names(scores.tasks)))
        check_enough(self.tasks, len(names), "task", "left out", stay=1)
        if any(task.weight <= 0 for task in scores.tasks):
            return None
        return Cases(len(names), self.tasks, lambda lost: _without_tasks(scores, [names[index] for index in lost]))


def _without_tasks(scores: Scores, lost: Collection[str]) -> Scores:
    """Leave out families of tasks, by name."""
    families = family_names(scores.tasks)
    kept = (task for task, family in zip(scores.tasks, families, strict=True) if family not in lost)
    return replace(scores, tasks=tuple(kept))


@dataclass(frozen=True, slots=True)
class DropSystems:
    """Leave systems out of the table, drawn at random or named.

    Whatever is left out at a number is left out at every larger number too, for generators in the same state.

    Attributes
    ----------
    systems
        How many to leave out; at least two stay.
    which
        The labels of systems that may go, first to last: the first so many of them are left out. By default any,
        drawn at random.

    Raises
    ------
    MethodError
        The number is no whole number from 0 up; when called, fewer than two systems would stay, or fewer are named.
    LabelError
        When called: a system named is not in the table.

    Examples
    --------
    >>> import podium
    >>> podium.stresses.DropSystems(1, ("B",))(podium.datasets.toy_table1(), np.random.default_rng(0)).systems
    ('A', 'C')
    """

    systems: int
    which: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "systems", checked_count("systems to leave out", self.systems))
        if self.which is not None:
            object.__setattr__(self, "which", tuple(dict.fromkeys(texts("system", self.which))))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Leave out systems, drawn by the generator unless they are named."""
        check_enough(self.systems, len(scores.systems), "system", "left out", stay=2)
        drawn = rng.permutation(len(scores.systems))[: self.systems].tolist()
        return _without_systems(scores, drawn if self.which is None else self._named(scores, self.which))

    def cases(self, scores: Scores) -> Cases:
        """List all sets of so many systems; one set where they are named."""
        check_enough(self.systems, len(scores.systems), "system", "left out", stay=2)
        if self.which is None:
            return Cases(len(scores.systems), self.systems, partial(_without_systems, scores))
        lost = self._named(scores, self.which)
        return Cases(0, 0, lambda _: _without_systems(scores, lost))

    def _named(self, scores: Scores, which: Sequence[str]) -> list[int]:
        rows = [row_of(label, scores) for label in which]
        if len(rows) < self.systems:
            asked = how_many(self.systems, "system")
            raise MethodError(f"{asked} {are(self.systems)} to be left out, but only {len(rows)} named; name more")
        return rows[: self.systems]


def _without_systems(scores: Scores, lost: Collection[int]) -> Scores:
    return scores.take([row for row in range(len(scores.systems)) if row not in lost]) if lost else scores


def row_of(system: str, scores: Scores) -> int:
    """Return where a system stands in a table."""
    if system not in scores.systems:
        raise LabelError.unknown("system", system, scores.systems)
    return scores.systems.index(system)


@dataclass(frozen=True, slots=True)
class _Share:
    """A stress whose strength is a share, from 0 to 1."""

    _what: ClassVar[str] = "scores to remove"

    share: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", checked_number(f"the share of {self._what}", self.share, most=1))


@dataclass(frozen=True, slots=True)
class RemoveHard(_Share):
    """Remove scores at random, those on hard instances more often, as when systems fail to answer.

    Exactly round(share × number of scores there are), drawn one by one without replacement, each with odds
    exp(steepness × difficulty of its instance), see `difficulty`.

    Attributes
    ----------
    share
        0 changes nothing, 1 leaves no score.
    steepness
        A score on the hardest possible instance is exp(steepness) times as likely to go next as one on the easiest;
        0 removes completely at random. The default 4 is 55 times.

    Raises
    ------
    MethodError
        The steepness is no number from 0 up, or the share does not lie between 0 and 1.

    References
    ----------
    Efraimidis & Spirakis 2006 (weighted sampling without replacement by one random key for each score, here on the
    scale of logarithms).

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1.0, 0.0] * 50, [1.0, 0.0] * 50]}, systems=["A", "B"])
    >>> stressed = podium.stresses.RemoveHard(0.25, steepness=8.0)(scores, np.random.default_rng(0))
    >>> np.isnan(stressed.tasks[0].values).sum(axis=0).reshape(50, 2).sum(axis=0)
    array([ 0, 50])
    """

    steepness: float = 4.0

    def __post_init__(self) -> None:
        super(RemoveHard, self).__post_init__()  # slots make another class, which a bare super() does not know
        object.__setattr__(self, "steepness", checked_number("the steepness", self.steepness))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Remove scores drawn by the generator."""
        keys = -rng.gumbel(size=scores.n_cells)
        for task, key in zip(scores.tasks, of_tasks(scores, keys), strict=True):
            key[:] -= self.steepness * difficulty(task)
        return without_smallest(scores, keys, self.share)


def difficulty(task: Task) -> Floats:
    """Shape `(K,)`: how hard each instance of a task is for its systems, from 0, easy, to 1.

    1 less the mean over systems of the scores, brought to [0, 1] by the smallest and the largest of the task and turned
    so that higher is better. Missing scores are left out. Where no system has a score, and where all scores of the task
    are equal, ½.

    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1.0, 3.0, 5.0], [2.0, 3.0, 4.0]]}, systems=["A", "B"])
    >>> difficulty(scores.tasks[0])
    array([0.875, 0.5  , 0.125])
    """
    values = task.values.astype(np.float64)
    low = np.fmin.reduce(values, axis=None, initial=np.inf)
    high = np.fmax.reduce(values, axis=None, initial=-np.inf)
    if not low < high:
        return np.full(task.n_instances, 0.5)
    there = ~np.isnan(values)
    share = (values / 2 - low / 2) / (high / 2 - low / 2)  # halves: the difference of the largest numbers is infinite
    with np.errstate(invalid="ignore"):
        mean = share.sum(axis=0, where=there) / there.sum(axis=0)
    mean = np.where(np.isnan(mean), 0.5, mean)
    return 1.0 - mean if task.higher_is_better else mean


@dataclass(frozen=True, slots=True)
class RemoveScores(_Share):
    """Remove scores completely at random, exactly round(share × number of scores there are) of the whole table.

    Attributes
    ----------
    share
        0 changes nothing, 1 leaves no score.

    References
    ----------
    Himmi et al. 2023, §4.2, on task-level scores.

    Examples
    --------
    >>> import podium
    >>> podium.stresses.RemoveScores(0.25)(podium.datasets.toy_table1(), np.random.default_rng(0))
    Scores(3 systems × 6 tasks, 4 of 18 scores missing)
    """

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Remove scores drawn by the generator."""
        return without_smallest(scores, rng.random(scores.n_cells), self.share)

    def cases(self, scores: Scores) -> Cases:
        """List all sets of so many scores."""

        def without(chosen: tuple[int, ...]) -> Scores:
            there = np.flatnonzero(np.concatenate([~np.isnan(task.values).ravel() for task in scores.tasks]))
            return blanked(scores, of_tasks(scores, _marked(scores.n_cells, there, chosen)))

        return Cases(scores.n_scored, round(self.share * scores.n_scored), without)


@dataclass(frozen=True, slots=True)
class RemoveCells(_Share):
    """Remove whole (system, task) results, all scores of one system on one task, completely at random.

    Exactly round(share × number of results with a score) of them, each as likely as any other, as when systems were not
    evaluated on some tasks.

    Attributes
    ----------
    share
        0 changes nothing, 1 leaves no score.

    References
    ----------
    Himmi et al. 2023, §4.3.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(4, 2, 10, dispersion=1.0, rng=0).scores
    >>> [task.scored for task in podium.stresses.RemoveCells(0.25)(scores, np.random.default_rng(0)).tasks]
    [array([10, 10,  0,  0]), array([10, 10, 10, 10])]
    """

    _what: ClassVar[str] = "cells to remove"

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Remove results drawn by the generator."""
        keys = rng.random((len(scores.tasks), len(scores.systems)))
        empty = np.array([task.scored == 0 for task in scores.tasks])
        number = round(self.share * np.count_nonzero(~empty))
        if not number:
            return scores
        return _without_cells(scores, smallest(np.where(empty, np.inf, keys).ravel(), number))

    def cases(self, scores: Scores) -> Cases:
        """List all sets of so many results."""
        there = np.flatnonzero(np.array([task.scored > 0 for task in scores.tasks]))
        size = len(scores.tasks) * len(scores.systems)
        number = round(self.share * there.size)
        return Cases(there.size, number, lambda chosen: _without_cells(scores, _marked(size, there, chosen)))


def _without_cells(scores: Scores, lost: Bools) -> Scores:
    """Make results missing, by a mask of every system on the first task, then on the second, and so on."""
    return blanked(scores, [mask[:, None] for mask in lost.reshape(len(scores.tasks), -1)])


def _marked(size: int, there: NDArray[np.intp], chosen: tuple[int, ...]) -> Bools:
    """Return a mask of the chosen among those that are there."""
    mask = np.zeros(size, dtype=np.bool_)
    mask[there[list(chosen)]] = True
    return mask


@dataclass(frozen=True, slots=True)
class RemoveInstances(_Share):
    """Remove the scores of all systems on instances drawn at random, which stay in the table as empty ballots.

    Exactly round(share × number of instances of the table) of them. Tasks with the same sequence of instance labels
    share their instances: such an instance counts once, and is lost on all of these tasks. That is also so where the
    labels merely number the instances. Tasks without labels, or with only some labels in common, share none.

    Attributes
    ----------
    share
        0 changes nothing, 1 leaves no score.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(4, 2, 10, dispersion=1.0, rng=0).scores
    >>> podium.stresses.RemoveInstances(0.25)(scores, np.random.default_rng(0))
    Scores(4 systems × 2 tasks, 20 instances, 20 of 80 scores missing)
    """

    _what: ClassVar[str] = "instances to remove"

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Remove instances drawn by the generator."""
        sets = InstanceSets.among(scores.tasks)
        keys = np.concatenate(sets.keys(rng))
        number = round(self.share * keys.size)
        if not number:
            return scores
        lost = sets.split(smallest(keys, number))
        return blanked(scores, [lost[one] for one in sets.of])


@dataclass(frozen=True, slots=True)
class Subsample(_Share):
    """Cut every task down to a part of its instances, as if its test set had been smaller.

    Exactly round(share × K) of the K instances of a task are left out, drawn at random; but one of positive weight
    always stays. Tasks whose sequences of instance labels are identical, also where these merely number the instances,
    keep the same instances; no others do.

    Attributes
    ----------
    share
        Of the instances, left out: 0 changes nothing, 1 leaves one instance of each task (of tasks that share
        instances, one each that weighs something).

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(4, 2, 10, dispersion=1.0, rng=0).scores
    >>> podium.stresses.Subsample(0.75)(scores, np.random.default_rng(0))
    Scores(4 systems × 2 tasks, 4 instances, 0 of 16 scores missing)
    """

    _what: ClassVar[str] = "instances to leave out"

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Leave out instances drawn by the generator."""
        sets = InstanceSets.among(scores.tasks)
        keys = sets.keys(rng)
        last: list[set[int]] = [set() for _ in keys]  # for each set, those that stay so that every task has some weight
        for task, one in zip(scores.tasks, sets.of, strict=True):
            weights = task.instance_weights
            last[one].add(int(np.argmax(keys[one] if weights is None else np.where(weights > 0, keys[one], -1.0))))
        for key, always in zip(keys, last, strict=True):
            key[list(always)] += 1.0
        stay = [
            ~smallest(key, min(round(self.share * key.size), key.size - len(always)))
            for key, always in zip(keys, last, strict=True)
        ]
        kept = (with_instances(task, stay[one]) for task, one in zip(scores.tasks, sets.of, strict=True))
        return replace(scores, tasks=tuple(kept))


def smallest(keys: Floats, number: int) -> Bools:
    """Return a mask of so many smallest keys; a larger number of the same keys masks these too.

    >>> smallest(np.array([0.3, 0.1, 0.2]), 2)
    array([False,  True,  True])
    """
    mask = np.zeros(keys.size, dtype=np.bool_)
    if number:
        mask[np.argpartition(keys, number - 1)[:number]] = True
    return mask


def of_tasks(scores: Scores, values: NDArray[Any]) -> list[NDArray[Any]]:
    """Cut an array with a value for one score, by task, system and instance, into a view `(N, K)` for each task."""
    ends = np.cumsum([task.scored.size * task.n_instances for task in scores.tasks])
    return [part.reshape(len(scores.systems), -1) for part in np.split(values, ends[:-1])]


def without_smallest(scores: Scores, keys: Floats, share: float) -> Scores:
    """Make the scores of the smallest keys missing, exactly round(share × number of scores there are).

    Keys have the shape `(n_cells,)`, as for `of_tasks`; those of missing scores are written over.
    """
    number = round(share * scores.n_scored)
    if not number:
        return scores
    for task, key in zip(scores.tasks, of_tasks(scores, keys), strict=True):
        key[np.isnan(task.values)] = np.inf
    return blanked(scores, of_tasks(scores, smallest(keys, number)))


def blanked(scores: Scores, lost: Sequence[Bools]) -> Scores:
    """Make scores missing; `lost` holds a mask of a shape that broadcasts to `(N, K)` for each task."""
    tasks = (
        task.with_values(np.where(mask, np.nan, task.values)) if mask.any() else task
        for task, mask in zip(scores.tasks, lost, strict=True)
    )
    return replace(scores, tasks=tuple(tasks))
