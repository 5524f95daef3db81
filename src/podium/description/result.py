"""What is in a score table before anybody ranks it: shape, holes, directions, ties; frozen."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Frozen, plain
from podium.base.words import how_many
from podium.report.result import Result
from podium.score.repeat import RepeatVariance


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
    repeats
        Variances between instances and between repeats, where scores are means over repeats; otherwise None.
    clusters
        How many clusters the instances are in, or None.
    family
        Name of the family of the task, if it shares one with others; otherwise None.
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
    repeats: RepeatVariance | None = None
    clusters: int | None = None
    family: str | None = None

    @property
    def variances(self) -> tuple[float, float]:
        """Variance between instances, and between repeats of one: means over systems; NaN where nothing is known."""
        if self.repeats is None:
            return math.nan, math.nan
        known = np.isfinite(self.repeats.between)
        if not known.any():
            return math.nan, math.nan
        return float(self.repeats.between[known].mean()), float(self.repeats.within[known].mean())

    def as_row(self, names: Iterable[str], *, variances: bool, clusters: bool, families: bool) -> dict[str, Any]:
        """Return fields as plain values, and variances, number of clusters and family if they are wanted."""
        row = {name: getattr(self, name) for name in names}
        if families:
            row["family"] = self.family
        if clusters:
            row["n_clusters"] = self.clusters
        if variances:
            row |= plain(dict(zip(VARIANCES, self.variances, strict=True)))
        return row


@dataclass(frozen=True, slots=True, eq=False)
class CovariateDescription(Frozen):
    """What was measured beside the scores, such as cost.

    Attributes
    ----------
    name, unit
        As in the table; the unit is empty where the name does not say it.
    means
        Shape `(N,)`: of each system, the mean over tasks of means over instances; NaN where nothing is known.
    missing
        Shape `(N,)`: how many scores of each system stand without it.
    """

    name: str
    unit: str
    means: NDArray[np.float64]
    missing: NDArray[np.int64]


#: What variances are called in rows and files.
VARIANCES = ("variance_between_instances", "variance_between_repeats")


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
    means, std_errors
        Shape `(N, T)`: mean of each system over the instances of each task, and its standard error, of whole clusters
        where there are any; see `podium.score.task.mean_scores`. NaN where unknown.
    notes
        What reading left out or made up.
    backend
        Library of the frames that `to_frame` returns by default.
    battles
        Whether instances are battles of two systems, so that the scores of all others are not missing.
    covariates
        What was measured beside the scores, such as cost or time.

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
    means: NDArray[np.float64]
    std_errors: NDArray[np.float64]
    notes: tuple[str, ...]
    backend: str = "pyarrow"
    battles: bool = False
    covariates: tuple[CovariateDescription, ...] = ()

    def __repr__(self) -> str:
        return f"Description({self.title})"

    @property
    def title(self) -> str:
        """How many systems, tasks and instances there are, and how many scores are missing, in words.

        >>> import podium
        >>> podium.describe(podium.datasets.xtreme_missing()).title
        '10 systems, 4 tasks, 4 instances: 18 of 40 scores missing (45.0%)'
        """
        if self.battles:
            shape = f"{how_many(len(self.systems), 'system')}, {how_many(len(self.tasks), 'task')}"
            return f"{shape}, {how_many(self.n_scored // 2, 'battle')} of two systems each"
        missing = self.n_cells - self.n_scored
        share = f" ({share_of(missing, self.n_cells)})" if missing else ""
        return (
            f"{how_many(len(self.systems), 'system')}, {how_many(len(self.tasks), 'task')}, "
            f"{how_many(self.n_instances, 'instance')}: "
            f"{missing:,} of {how_many(self.n_cells, 'score')} missing{share}"
        )

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

    @property
    def repeated(self) -> bool:
        """Whether some scores are means over repeats."""
        return any(task.repeats is not None for task in self.tasks)

    @property
    def clustered(self) -> bool:
        """Whether the instances of some tasks are in clusters."""
        return any(task.clusters is not None for task in self.tasks)

    @property
    def related(self) -> bool:
        """Whether some tasks are in one family."""
        return any(task.family is not None for task in self.tasks)

    @property
    def averaged(self) -> bool:
        """Whether some tasks have several instances, so that means have standard errors."""
        return any(task.n_instances > 1 for task in self.tasks)

    @property
    def _beside(self) -> dict[str, bool]:
        return {"variances": self.repeated, "clusters": self.clustered, "families": self.related}

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per task.

        >>> import podium
        >>> podium.describe(podium.datasets.xtreme_missing()).rows()[0]["n_scored"]
        7
        """
        order = ("higher_is_better", "weight", "n_instances", "n_cells", "n_scored", "pairs", "tied", "near")
        return [{"task": task.name} | task.as_row(order, **self._beside) for task in self.tasks]

    def beyond_rows(self) -> str:
        """Say what is not among the rows."""
        return "these rows are the tasks only; -f json and -f table also have the systems"

    def content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        beside = {"repeats", "clusters", "family"}
        names = [field.name for field in fields(TaskDescription) if field.name not in beside]
        return {
            "n_systems": len(self.systems),
            "n_tasks": len(self.tasks),
            "n_instances": self.n_instances,
            "n_cells": self.n_cells,
            "n_scored": self.n_scored,
            "tasks": [task.as_row(names, **self._beside) for task in self.tasks],
            "systems": [self._system(place, system) for place, system in enumerate(self.systems)],
        }

    def _system(self, place: int, system: str) -> dict[str, Any]:
        names = [task.name for task in self.tasks]
        row: dict[str, Any] = {"system": system, "scored": dict(zip(names, self.scored[place].tolist(), strict=True))}
        if self.averaged:
            row["mean"] = plain(dict(zip(names, self.means[place].tolist(), strict=True)))
            row["std_error"] = plain(dict(zip(names, self.std_errors[place].tolist(), strict=True)))
        if self.covariates:
            row["covariates"] = plain({one.name: float(one.means[place]) for one in self.covariates})
        repeated = {task.name: task.repeats for task in self.tasks if task.repeats is not None}
        if repeated:
            parts = ("between", "within")
            for part, name in zip(parts, VARIANCES, strict=True):
                row[name] = plain({task: float(getattr(found, part)[place]) for task, found in repeated.items()})
        return row


def share_of(part: int, whole: int) -> str:
    """Percentage that is 0 or 100 only when nothing or all is meant."""
    share = 100 * part / whole
    if 0 < share < 0.1:
        return "<0.1%"
    if 99.9 < share < 100:
        return ">99.9%"
    return f"{share:.1f}%"
