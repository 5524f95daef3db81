"""What is in a score table before anybody ranks it: shape, holes, directions, ties; frozen."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.report.result import Result


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
class Description(Result):
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
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> description = podium.describe(podium.datasets.xtreme_missing())
    >>> description.tasks[0].n_scored, description.n_cells
    (7, 40)
    """

    schema: ClassVar[str] = "description"
    row_key: ClassVar[str] = "tasks"

    systems: tuple[str, ...]
    tasks: tuple[TaskDescription, ...]
    scored: NDArray[np.int64]
    notes: tuple[str, ...]
    backend: str = "pyarrow"

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

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per task.

        >>> import podium
        >>> podium.describe(podium.datasets.xtreme_missing()).rows()[0]["n_scored"]
        7
        """
        order = ("name", "higher_is_better", "weight", "n_instances", "n_cells", "n_scored", "pairs", "tied", "near")
        return [{"task" if name == "name" else name: getattr(task, name) for name in order} for task in self.tasks]

    def beyond_rows(self) -> str:
        """Say what is not among the rows."""
        return "these rows are the tasks only; -f json and -f table also have the systems"

    def content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
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
        }
