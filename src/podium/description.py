"""What is in a score table before anybody ranks it: shape, holes, directions, ties; frozen."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.arguments import check_scores, check_threads
from podium.engine import Progress, count
from podium.frozen import Frozen
from podium.scores import Scores
from podium.tallies import Ties

__all__ = ["SCHEMA_VERSION", "Description", "TaskDescription", "describe"]

#: Raised when the meaning or the name of a field of `Description.to_dict` changes.
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class TaskDescription:
    """One task: size, direction, holes and ties.

    Attributes
    ----------
    name, n_instances, higher_is_better, weight
        As in the table.
    n_cells, n_scored
        Cells (systems × instances), and those that hold a score.
    pairs, tied, near
        Pairs of scores of the same instance; those that tie; those that do not but differ by at most 1e-9.
    """

    name: str
    n_instances: int
    higher_is_better: bool
    weight: float
    n_cells: int
    n_scored: int
    pairs: int
    tied: int
    near: int


@dataclass(frozen=True, slots=True, eq=False)
class Description(Frozen):
    """A score table in numbers.

    Attributes
    ----------
    systems
        The N labels.
    tasks
        One entry per task.
    scored
        Shape `(N, T)`: on how many instances of each task each system has a score.
    notes
        What reading left out or made up.

    Examples
    --------
    >>> import podium
    >>> description = podium.describe(podium.datasets.xtreme_missing())
    >>> description.tasks[0].n_scored, description.n_cells
    (7, 40)
    """

    systems: tuple[str, ...]
    tasks: tuple[TaskDescription, ...]
    scored: NDArray[np.int64]
    notes: tuple[str, ...]

    @property
    def n_instances(self) -> int:
        """Instances of all tasks together."""
        return sum(task.n_instances for task in self.tasks)

    @property
    def n_cells(self) -> int:
        """Cells, scored or missing."""
        return sum(task.n_cells for task in self.tasks)

    @property
    def n_scored(self) -> int:
        """Cells that hold a score."""
        return sum(task.n_scored for task in self.tasks)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON can hold it, with the version of this layout under "schema_version"."""
        return {
            "schema_version": SCHEMA_VERSION,
            "kind": "description",
            "n_systems": len(self.systems),
            "n_tasks": len(self.tasks),
            "n_instances": self.n_instances,
            "n_cells": self.n_cells,
            "n_scored": self.n_scored,
            "tasks": [{name: getattr(task, name) for name in task.__slots__} for task in self.tasks],
            "systems": [
                {"system": system, "scored": dict(zip((task.name for task in self.tasks), row, strict=True))}
                for system, row in zip(self.systems, self.scored.tolist(), strict=True)
            ],
            "notes": list(self.notes),
        }


def describe(scores: Scores, *, threads: int | None = None, progress: Progress | None = None) -> Description:
    """Describe a score table: shape, missing pattern, directions, ties and near-ties.

    Parameters
    ----------
    scores
        The table.
    threads
        Cores to count on; the result does not depend on it.
    progress
        Called with the number of scores counted and the number there are.

    Raises
    ------
    InputError
        `scores` is no score table.
    MethodError
        `threads` is below 1.

    Examples
    --------
    >>> import podium
    >>> description = podium.describe(podium.datasets.xtreme_missing())
    >>> description.n_cells - description.n_scored
    18
    """
    check_scores(scores)
    check_threads(threads)
    ties = count(scores, (Ties,), threads=threads, progress=progress)[Ties]
    return Description(
        systems=scores.systems,
        tasks=tuple(
            TaskDescription(
                name=task.name,
                n_instances=task.n_instances,
                higher_is_better=task.higher_is_better,
                weight=task.weight,
                n_cells=task.n_instances * len(scores.systems),
                n_scored=int(task.scored.sum()),
                pairs=tied.pairs,
                tied=tied.tied,
                near=tied.near,
            )
            for task, tied in zip(scores.tasks, ties, strict=True)
        ),
        scored=np.array([task.scored for task in scores.tasks]).T,
        notes=scores.notes,
    )
