"""Mean scores of every task, and how they vary: what a browser needs to rank by means, and by the order of means."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.statistics import distinct
from podium.page.bundle import in_steps
from podium.page.shares import TaskShares
from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import MethodSpec
from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import InstanceSets

Floats = NDArray[np.float64]

#: Stands for a mean that a replicate lacks.
_NONE = -128


@dataclass(frozen=True, slots=True, eq=False)
class TaskMeans:
    """Means of N systems on each of T tasks of instances; tables of one score per task need none of this.

    Attributes
    ----------
    scores
        The table.
    means
        Shape `(N, T)`, higher is better; NaN where there is none.
    by_order
        Shape `(N, T)`: share of the others beaten by the order of the means on each task alone.
    scale
        Shape `(N, T)`: size of the scores behind each mean, rounded up to a power of two, whose exponent it is.
    replicates
        Shape `(N, T, B)`: means in every replicate, higher is better; NaN where there is none. None where they are
        too many to be held, and if only tasks can be drawn.
    """

    scores: Scores
    means: Floats
    by_order: Floats
    scale: NDArray[np.int32]
    replicates: Floats | None

    @classmethod
    def of(cls, scores: Scores, shares: TaskShares) -> "TaskMeans":
        """Take a table, and what was counted of it.

        Examples
        --------
        >>> import podium
        >>> from podium.ranking.bootstrap import Bootstrap
        >>> scores = podium.from_arrays({"t": [[0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]})
        >>> bootstrap = Bootstrap.of(scores, confidence=0.95, units=None, replicates=40, seed=0)
        >>> TaskMeans.of(scores, TaskShares.of(scores, bootstrap)).by_order
        array([[1.],
               [0.]])
        """
        even = scores.with_task_weights({"*": 1.0})
        by_task, mean = MethodSpec("borda", "task"), MethodSpec("mean")
        counted = CountedScores.of(even, [by_task, mean])
        names = counted.by_name.task_names
        order = [names.index(name) for name in scores.task_names]
        scale = counted.setting(mean).scale
        if scale is None:
            raise TypeError("means have no scale")
        means, by_order = (counted.standing_of_each_task(spec).goodness[:, order] for spec in (mean, by_task))
        return cls(scores, means, by_order, np.frexp(scale[order].T)[1].astype(np.int32), shares.means)

    def content(self) -> dict[str, Any]:
        """Return plain values: lowest and highest score of each task, sets of instances, and when scores tie."""
        tasks = self.scores.tasks
        return {
            "ends": [_ends(task) for task in tasks],
            "sets": list(InstanceSets.among(tasks).of),
            "reach": self.scores.reach,
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return shares by the order of means, sizes, and replicates."""
        tasks = self.scores.tasks
        arrays: dict[str, NDArray[Any]] = {"by order": self.by_order, "mean scale": self.scale}
        if self.replicates is not None:
            there = ~np.isnan(self.replicates)
            centre = np.where(there.any(axis=2), self.means, 0.0)
            whole, arrays["mean steps"] = in_steps(np.where(there, self.replicates, centre[..., None]), centre)
            arrays["mean departures"] = np.where(there, whole, _NONE)
        if any(task.clusters is not None for task in tasks):
            arrays["scored units"] = np.stack([_scored_units(task) for task in tasks], axis=1)
        return arrays


def _scored_units(task: Task) -> NDArray[np.int32]:
    """Shape `(N,)`: clusters with a score of each system; instances where there are no clusters."""
    if task.clusters is None:
        return np.asarray(task.scored, dtype=np.int32)
    numbers = task.clusters.numbers
    return np.array([distinct(numbers[~np.isnan(row)]).size for row in task.values], dtype=np.int32)


def _ends(task: Task) -> tuple[float, float] | None:
    """The lowest and the highest score of a task, in its units; None without a score."""
    least = min(float(np.fmin.reduce(part, axis=None, initial=np.inf)) for part in task.parts)
    most = max(float(np.fmax.reduce(part, axis=None, initial=-np.inf)) for part in task.parts)
    return (least, most) if least <= most else None
