"""Scores of a task on another scale, as when one metric is in percent and the others are not."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from podium.base.check import as_number, check_enough, checked_count
from podium.base.errors import MethodError
from podium.base.spill import room_of
from podium.robustness.stress.stress import Cases
from podium.score.table import Scores
from podium.score.task import Task


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
            parts = tuple(
                np.multiply(part, float(1 + self.enlargement), out=room_of(part).empty(part.shape, part.dtype))
                for part in task.parts
            )
        if any(np.isinf(part).any() for part in parts):
            raise MethodError(
                f"scores of task {task.name!r} are too large to be enlarged by {self.enlargement:g} times themselves; "
                "divide them all by the largest"
            )
        return replace(task, parts=parts)
