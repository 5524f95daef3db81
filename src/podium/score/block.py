"""Block: what is counted at once."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Scores of all systems on a run of instances of one task, turned so that higher is better.

    Attributes
    ----------
    task
        Index of the task.
    values
        Shape `(N, L)`: systems × instances, NaN where missing.
    weights
        Shape `(L,)`, or None where every instance weighs 1; or `(L, B)`, a column for each of B replicates.
    tolerance
        System a beats system b where `a > b + tolerance`; neither beats the other in a tie. See `Scores.reach`.
    start
        Place of the first instance in its task.
    """

    task: int
    values: NDArray[Any]
    weights: NDArray[Any] | None
    tolerance: float
    start: int = 0

    @property
    def weight(self) -> float | NDArray[np.float64]:
        """Weight of all instances together; shape `(B,)` where there are replicates."""
        if self.weights is None:
            return float(self.values.shape[1])
        return self.weights.sum(axis=0, dtype=np.float64)  # type: ignore[no-any-return]


#: Instances held together in memory. Fixed, so results do not depend on threads or on the chunks of a file.
PART = 16_384
