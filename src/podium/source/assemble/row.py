"""Rows whose labels are numbers: what readers of tables make, and what is put into cells."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.source.assemble.label import Coded

#: Task, system and instance key.
Cell = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class CodedRows:
    """Rows of a long table, coded; or some columns of a wide table, one after the other.

    Attributes
    ----------
    tasks, systems
        Label numbers.
    keys
        Instance keys, shape `(n,)`.
    scores
        Shape `(n,)`, NaN where missing.
    weights
        Instance weights, shape `(n,)`, or None.
    clusters
        Numbers of the clusters of the instances, shape `(n,)`, or None.
    numbers
        Rows of the batch, or of the table, that these are, shape `(n,)`; None where they are all of the batch.
    covariates
        By column, shape `(n,)`: what was measured beside the scores.
    """

    tasks: Coded
    systems: Coded
    keys: NDArray[np.int64]
    scores: NDArray[Any]
    weights: NDArray[np.float64] | None = None
    clusters: NDArray[np.float64] | None = None
    numbers: NDArray[np.int64] | None = None
    covariates: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    def place(self, row: Any) -> Any:
        """Row of the batch, or rows, that these are."""
        return row if self.numbers is None else self.numbers[row]

    def cell(self, row: int) -> Cell:
        """Cell of a row."""
        task, system = (int(coded.lookup[coded.indices[row]]) for coded in (self.tasks, self.systems))
        return task, system, int(self.keys[row])

    def with_covariate(self, name: str) -> "CodedRows":
        """Return the rows with a covariate as their scores; the first of several counts."""
        values = self.covariates.get(name)
        values = np.full(self.keys.size, np.nan) if values is None else values
        return replace(self, scores=values, weights=None, clusters=None)

    def scored(self, cell: Cell) -> list[int]:
        """Rows with a score for a cell."""
        task, system, key = cell
        found = (self.tasks.codes == task) & (self.systems.codes == system) & (self.keys == key)
        rows: list[int] = np.flatnonzero(found & ~np.isnan(self.scores)).tolist()
        return rows
