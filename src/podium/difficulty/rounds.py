"""What rounds of training and evaluating came to: counts that add up."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.frozen import Frozen

__all__ = ["Rounds"]


@dataclass(frozen=True, slots=True, eq=False)
class Rounds(Frozen):
    """Counts of some rounds, the first ones in order or a single one.

    Attributes
    ----------
    number
        How many rounds.
    correct
        Shape `(K,)`: correct predictions of each instance, over rounds and models.
    evaluated
        Shape `(K,)`: predictions of each instance.
    unconverged
        Fits that stopped before they converged.

    Examples
    --------
    >>> one = Rounds(1, np.array([1, 0]), np.array([2, 0]), 0)
    >>> Rounds.none(2).plus(one).plus(one).correct
    array([2, 0])
    """

    number: int
    correct: NDArray[np.int64]
    evaluated: NDArray[np.int64]
    unconverged: int

    @classmethod
    def none(cls, instances: int) -> "Rounds":
        """No rounds yet."""
        return cls(0, np.zeros(instances, dtype=np.int64), np.zeros(instances, dtype=np.int64), 0)

    def plus(self, more: "Rounds") -> "Rounds":
        """Add counts, as a new value: an interrupt never meets half a round."""
        return Rounds(
            self.number + more.number,
            self.correct + more.correct,
            self.evaluated + more.evaluated,
            self.unconverged + more.unconverged,
        )
