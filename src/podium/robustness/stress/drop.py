"""Stresses that leave out tasks or systems."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from podium.base.check import check_enough, checked_count, texts
from podium.base.errors import MethodError
from podium.base.words import are, how_many
from podium.robustness.stress.stress import Cases, check_label
from podium.score.family import family_names
from podium.score.table import Scores


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
        order = rng.permutation(len(scores.systems)).tolist()
        return _without_systems(scores, (order if self.which is None else self._named(scores))[: self.systems])

    def cases(self, scores: Scores) -> Cases:
        """List all sets of so many systems; one set where they are named."""
        check_enough(self.systems, len(scores.systems), "system", "left out", stay=2)
        if self.which is None:
            return Cases(len(scores.systems), self.systems, partial(_without_systems, scores))
        lost = self._named(scores)[: self.systems]
        return Cases(0, 0, lambda _: _without_systems(scores, lost))

    def _named(self, scores: Scores) -> list[int]:
        """Rows of the systems named."""
        named = self.which or ()
        for label in named:
            check_label(label, scores)
        if len(named) < self.systems:
            asked = how_many(self.systems, "system")
            raise MethodError(f"{asked} {are(self.systems)} to be left out, but only {len(named)} named; name more")
        return list(map(scores.systems.index, named))


def _without_systems(scores: Scores, lost: Collection[int]) -> Scores:
    gone = set(lost)
    return scores.take([row for row in range(len(scores.systems)) if row not in gone]) if gone else scores
