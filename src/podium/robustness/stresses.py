"""Stresses of tasks and systems: leave them out, copy systems, and enlarge or corrupt the scores of tasks."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, count, islice
from math import comb
from typing import Any, NamedTuple

import numpy as np

from podium.base.arrays import Floats
from podium.base.check import as_number, check_enough, checked_count, checked_number, texts
from podium.base.errors import LabelError, MethodError
from podium.base.words import are, how_many
from podium.score.family import family_names
from podium.score.place import midranks, places
from podium.score.table import Scores
from podium.score.task import Task

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


def compose(*stresses: Stress) -> Stress:
    """Return a stress that applies several, the first one first.

    Each has a generator of its own, so the strength of one does not change the random numbers of the next.

    Examples
    --------
    >>> import podium
    >>> from podium.stresses import Rescale
    >>> compose(Rescale(1), Rescale(2))
    Composed(stresses=(Rescale(enlargement=1, tasks=1), Rescale(enlargement=2, tasks=1)))
    """
    return _Composed(stresses)


@dataclass(frozen=True, slots=True, repr=False)
class _Composed:
    stresses: tuple[Stress, ...]

    def __repr__(self) -> str:
        return f"Composed(stresses={self.stresses})"

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        for stress, own in zip(self.stresses, rng.spawn(len(self.stresses)), strict=True):
            scores = stress(scores, own)
        return scores


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
        rows = [_row_of(label, scores) for label in which]
        if len(rows) < self.systems:
            asked = how_many(self.systems, "system")
            raise MethodError(f"{asked} {are(self.systems)} to be left out, but only {len(rows)} named; name more")
        return rows[: self.systems]


def _without_systems(scores: Scores, lost: Collection[int]) -> Scores:
    return scores.take([row for row in range(len(scores.systems)) if row not in lost]) if lost else scores


def _row_of(system: str, scores: Scores) -> int:
    if system not in scores.systems:
        raise LabelError.unknown("system", system, scores.systems)
    return scores.systems.index(system)


@dataclass(frozen=True, slots=True)
class CloneSystem:
    """Add copies of a system: the same scores under other labels, after all others.

    Means judge each system alone and do not move. Borda counts may turn other systems round. The best orders of the
    others by exact Kemeny at levels task and one stay the same as long as no cycle of strict majorities passes through
    the system (so, always where majorities have no cycle), and no score is missing, or missing="direct" leaves missing
    ones out; of several best orders another may then be chosen. In a cycle through the system, copies multiply its
    majorities, and can turn others round; and where missing scores are imputed, every copy changes what is expected of
    them. At level two all this must hold within each task and among the orders of the tasks, and each task must have a
    single best order: of several one is its ballot, and with copies that may be another.

    Attributes
    ----------
    copies
        How many to add, labelled "NAME (copy 1)" and so on; numbers whose label exists are skipped.
    system
        Label of the system; by default one drawn at random.

    Raises
    ------
    MethodError
        The number is no whole number from 0 up.
    LabelError
        When called: there is no such system.

    Examples
    --------
    >>> import podium
    >>> podium.stresses.CloneSystem(2, "B")(podium.datasets.toy_table1(), np.random.default_rng(0)).systems
    ('A', 'B', 'C', 'B (copy 1)', 'B (copy 2)')
    """

    copies: int
    system: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "copies", checked_count("copies", self.copies))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Add copies of the system, drawn by the generator unless it is named."""
        drawn = int(rng.integers(len(scores.systems)))
        return self._copied(scores, drawn if self.system is None else _row_of(self.system, scores))

    def cases(self, scores: Scores) -> Cases:
        """List every system; one where it is named."""
        if self.system is None:
            return Cases(len(scores.systems), 1, lambda chosen: self._copied(scores, *chosen))
        row = _row_of(self.system, scores)
        return Cases(0, 0, lambda _: self._copied(scores, row))

    def _copied(self, scores: Scores, row: int) -> Scores:
        if not self.copies:
            return scores
        labels = (f"{scores.systems[row]} (copy {number})" for number in count(1))
        free = islice((label for label in labels if label not in scores.systems), self.copies)
        return scores.take([*range(len(scores.systems)), *[row] * self.copies], (*scores.systems, *free))


@dataclass(frozen=True, slots=True)
class Rescale:
    """Multiply the scores of some tasks, drawn at random, by λ = 1 + enlargement.

    The order of the systems on every instance stays what it is, so that no method that counts ballots can change
    (unless scores become equal, or tie by a tolerance); averages follow the enlarged tasks more and more.

    Attributes
    ----------
    enlargement
        λ − 1 > −1: 0 changes nothing, 1 doubles.
    tasks
        How many.

    Raises
    ------
    MethodError
        The enlargement is no finite number above −1, or the number of tasks no whole number from 0 up; when called,
        there are fewer tasks, or scores are too large.

    References
    ----------
    Colombo et al. 2022, §4.3; Himmi et al. 2023, §3.2.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_dict({"A": {"rte": 0.5}, "B": {"rte": 0.25}})
    >>> podium.stresses.Rescale(3)(scores, np.random.default_rng(0)).tasks[0].values.T
    array([[2., 1.]])
    """

    enlargement: float
    tasks: int = 1

    def __post_init__(self) -> None:
        if not (np.isfinite(as_number(self.enlargement)) and self.enlargement > -1):
            raise MethodError(f"the enlargement is {self.enlargement!r}; it must be a number above -1, 0 for none")
        object.__setattr__(self, "tasks", checked_count("tasks to rescale", self.tasks))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Rescale tasks drawn by the generator."""
        check_enough(self.tasks, len(scores.tasks), "task", "rescaled")
        return self._with(scores, rng.permutation(len(scores.tasks))[: self.tasks].tolist())

    def cases(self, scores: Scores) -> Cases:
        """List all sets of so many tasks."""
        check_enough(self.tasks, len(scores.tasks), "task", "rescaled")
        return Cases(len(scores.tasks), self.tasks, partial(self._with, scores))

    def _with(self, scores: Scores, chosen: Collection[int]) -> Scores:
        return replace(scores, tasks=tuple(self._larger(t) if i in chosen else t for i, t in enumerate(scores.tasks)))

    def _larger(self, task: Task) -> Task:
        if not self.enlargement:
            return task
        with np.errstate(over="ignore"):  # which is looked for below
            parts = tuple(part * float(1 + self.enlargement) for part in task.parts)
        if any(np.isinf(part).any() for part in parts):
            raise MethodError(
                f"scores of task {task.name!r} are too large to be enlarged by {self.enlargement:g} times themselves; "
                "divide them all by the largest"
            )
        return replace(task, parts=parts)


@dataclass(frozen=True, slots=True)
class Corrupt:
    """Replace all scores of some tasks, drawn at random, by noise that ranks the systems in reverse.

    On such a task a system of goodness n, the higher the better, scores Gumbel(−dispersion × n, 1) on every instance,
    turned where lower is better. The goodness of a system that is r-th of N, ties sharing the mean of their places, is
    N + 1 − r. Missing scores stay missing. Scores may leave the range of the metric. The tasks corrupted at a number
    are corrupted in the same way at every larger number, for generators in the same state.

    Attributes
    ----------
    tasks
        How many to corrupt.
    dispersion
        0 makes all systems equal on these tasks; the larger, the surer the reversal.
    truth
        The ranks of the systems, in the order of the table, 1 best, that are reversed, such as
        `tuple(world.truth.tolist())`. By default each task's own: the ranks of the (weighted) means of its scores.
    own_scale
        Whether draws are brought to the mean and the standard deviation of the task's scores (a task of equal scores
        stays as it is), so that a task does not decide an average by its scale; otherwise they stay as drawn.

    Raises
    ------
    MethodError
        The number is no whole number from 0 up, the dispersion no number from 0 up, or a rank no number; when called,
        there are fewer tasks, or not as many systems as ranks, or scores are too large.

    References
    ----------
    Colombo et al. 2022, §4.2: dispersion 1, the true ranks, not on the scale of the task.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1.0] * 100, [0.0] * 100]}, systems=["A", "B"])
    >>> podium.rank(podium.stresses.Corrupt(1)(scores, np.random.default_rng(0))).systems
    ('B', 'A')
    """

    tasks: int
    dispersion: float = 1.0
    truth: tuple[int, ...] | None = None
    own_scale: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", checked_count("tasks to corrupt", self.tasks))
        object.__setattr__(self, "dispersion", checked_number("the dispersion", self.dispersion))
        if self.truth is not None:
            object.__setattr__(self, "truth", tuple(_ranks(self.truth).tolist()))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Corrupt tasks drawn by the generator."""
        check_enough(self.tasks, len(scores.tasks), "task", "corrupted")
        if self.truth is not None and len(self.truth) != len(scores.systems):
            raise MethodError(f"the truth has {len(self.truth)} ranks for {len(scores.systems)} systems; give one each")
        tasks = list(scores.tasks)
        for index in rng.permutation(len(tasks))[: self.tasks].tolist():
            tasks[index] = self._corrupted(tasks[index], rng)
        return replace(scores, tasks=tuple(tasks))

    def _corrupted(self, task: Task, rng: np.random.Generator) -> Task:
        sign = 1.0 if task.higher_is_better else -1.0
        values = sign * task.values.astype(np.float64)
        there = ~np.isnan(values)
        if self.truth is None:  # ranked by means; NaN where no score of a system weighs something
            weights = there * (1.0 if task.instance_weights is None else task.instance_weights)
            with np.errstate(invalid="ignore", divide="ignore"):
                shares = weights / weights.sum(axis=1, keepdims=True)
            ability = np.sum(np.where(there, values, 0.0) * shares, axis=1)
        else:
            ability = -_ranks(self.truth)
        goodness = np.nan_to_num(ability.size + 1 - midranks(places(ability)))
        drawn = rng.gumbel(-self.dispersion * goodness[:, None], size=values.shape)
        old, new = values[there], drawn[there]
        if self.own_scale and old.size:
            with np.errstate(over="ignore", invalid="ignore"):  # which is looked for below
                spread = new.std()
                drawn = old.mean() + (drawn - new.mean()) * (old.std() / spread if spread else 0.0)
        if not np.isfinite(drawn[there]).all():
            raise MethodError(
                f"scores of task {task.name!r} are too large to be corrupted; divide them all by the largest"
            )
        return task.with_values(np.where(there, sign * drawn, np.nan).astype(task.parts[0].dtype))


def _ranks(truth: Any) -> Floats:
    """Truth as numbers."""
    try:
        ranks = np.array(truth, dtype=np.float64)
    except (TypeError, ValueError):
        ranks = np.full(1, np.nan)
    if ranks.ndim != 1 or not np.isfinite(ranks).all():
        raise MethodError(f"the truth is {truth!r}; give the rank of every system, 1 for the best, as in (2, 1, 3)")
    return ranks
