"""Ties: how many pairs of scores are equal, or so nearly equal that rounding may have decided them."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.score.table import Block
from podium.tally.tally import Kernels, Tally

#: Systems above which searching in a sorted ballot beats comparing every pair.
_SEARCH_ABOVE = 64

#: Scores of one instance that differ by at most this, in the units of the metric, are nearly tied.
NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class Ties(Tally):
    """Counts of pairs of scores of the same instance; weights play no part.

    Attributes
    ----------
    pairs
        Pairs of systems scored on the same instance.
    tied
        Those that tie under the tolerance of the table.
    near
        Those that do not, yet differ by at most 1e-9: rounding noise may have decided them.
    """

    pairs: int
    tied: int
    near: int

    @classmethod
    def empty(cls, n_systems: int) -> Self:  # noqa: ARG003  # the contract of all tallies
        """Return the tally of no pairs."""
        return cls(0, 0, 0)

    @classmethod
    def of(cls, block: Block, kernels: Kernels) -> Self:
        """Return the counts of one block."""
        pairs, tied, close = kernels.tied_pairs(block.values, block.tolerance, max(NEAR, block.tolerance))
        return cls(pairs, tied, close - tied)

    def merge(self, other: Self) -> Self:
        """Add."""
        return type(self)(self.pairs + other.pairs, self.tied + other.tied, self.near + other.near)


def tied_pairs(values: NDArray[Any], tolerance: float, near: float) -> tuple[int, int, int]:
    """Return the numbers of pairs, of pairs within `tolerance`, and of pairs within `near`."""
    scored = (~np.isnan(values)).sum(axis=0)
    pairs = int((scored * (scored - 1) // 2).sum())
    ordered = np.sort(values, axis=0)
    return pairs, _within(ordered, tolerance), _within(ordered, near)


def _within(ordered: NDArray[Any], reach: float) -> int:
    """Count pairs of a column, sorted upwards with NaN last, that are no further apart than `reach`."""
    pairs = 0
    if ordered.shape[0] > _SEARCH_ABOVE:
        for column in ordered.T:
            scored = column[: column.size - np.count_nonzero(np.isnan(column))]
            last = np.searchsorted(scored, scored + reach, side="right") - 1
            pairs += int((last - np.arange(scored.size)).sum())
        return pairs
    for lag in range(1, ordered.shape[0]):
        close = int(np.count_nonzero(ordered[lag:] <= ordered[:-lag] + reach))
        if close == 0:
            break
        pairs += close
    return pairs
