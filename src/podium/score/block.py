"""Blocks of a score table, which is what an engine counts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.score.task import AT_ONCE, PART


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Scores of all systems on a run of instances of one task, turned so that higher is better.

    Attributes
    ----------
    task
        Index of the task; of the first one where `each_a_task`.
    values
        Shape `(N, L)`: systems × instances, NaN where missing.
    weights
        Shape `(L,)`, or None where every instance weighs 1; or `(L, B)`, a column for each of B replicates.
    tolerance
        System a beats system b where `a > b + tolerance`; neither beats the other in a tie. See `Scores.reach`.
    start
        Place of the first instance in its task.
    each_a_task
        Whether every instance is the only one of its task, and the tasks follow each other in the table.
    """

    task: int
    values: NDArray[Any]
    weights: NDArray[Any] | None
    tolerance: float
    start: int = 0
    each_a_task: bool = False

    @property
    def weight(self) -> float | NDArray[np.float64]:
        """Weight of all instances together; shape `(B,)` where there are replicates."""
        if self.weights is None:
            return float(self.values.shape[1])
        return self.weights.sum(axis=0, dtype=np.float64)  # type: ignore[no-any-return]


def block_length(n_systems: int, at_most: int | None = None) -> int:
    """Instances of a block: a power of two, at most `PART`."""
    fit = min(max(AT_ONCE // n_systems, 256), at_most or PART)
    return min(PART, 1 << (fit.bit_length() - 1))


def blocks_of(
    task: int,
    parts: Iterable[NDArray[Any]],
    weights: NDArray[np.float64] | None,
    *,
    length: int,
    tolerance: float,
    falls: bool,
    start: int = 0,
) -> Iterator[Block]:
    """Cut parts of a task that follow each other into blocks; `weights` are those of their instances."""
    first = 0
    for part in parts:
        for place in range(0, part.shape[1], length):
            values = part[:, place : place + length]
            yield Block(
                task=task,
                values=-values if falls else np.ascontiguousarray(values),
                weights=None if weights is None else weights[first : first + values.shape[1]],
                tolerance=tolerance,
                start=start + first,
            )
            first += values.shape[1]
