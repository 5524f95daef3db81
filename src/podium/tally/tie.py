"""Ties: how many pairs of scores are equal, or so nearly equal that rounding may have decided them."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.score.table import Block
from podium.tally.tally import Kernels, Tally

#: Neighbours of a score that are looked at one after the other; further ones are found by searching.
_LAGS = 16

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

    @classmethod
    def of_each(cls, block: Block, kernels: Kernels) -> list[Self]:  # noqa: ARG003  # NumPy sees all ballots at once
        """Return the counts of every ballot of a block by itself."""
        ballots = np.sort(block.values.T, axis=1)
        scored = np.count_nonzero(~np.isnan(ballots), axis=1)
        tied, close = (_close_pairs(ballots, reach) for reach in (block.tolerance, max(NEAR, block.tolerance)))
        counts = (scored * (scored - 1) // 2, tied, close - tied)
        return [cls(*numbers) for numbers in zip(*map(np.ndarray.tolist, counts), strict=True)]

    def merge(self, other: Self) -> Self:
        """Add."""
        return type(self)(self.pairs + other.pairs, self.tied + other.tied, self.near + other.near)


def tied_pairs(values: NDArray[Any], tolerance: float, near: float) -> tuple[int, int, int]:
    """Return the numbers of pairs, of pairs within `tolerance`, and of pairs within `near`."""
    scored = (~np.isnan(values)).sum(axis=0)
    pairs = int((scored * (scored - 1) // 2).sum())
    ballots = np.sort(values.T, axis=1)
    return pairs, int(_close_pairs(ballots, tolerance).sum()), int(_close_pairs(ballots, near).sum())


def _close_pairs(ballots: NDArray[Any], reach: float) -> NDArray[np.int64]:
    """Count, on each ballot `(L, N)`, sorted upwards with NaN last, the pairs no further apart than `reach`."""
    pairs = np.zeros(len(ballots), dtype=np.int64)
    left = np.arange(len(ballots))
    for lag in range(1, ballots.shape[1]):
        if lag > _LAGS:
            for index, ballot in zip(left.tolist(), ballots, strict=True):
                pairs[index] += _further(ballot, reach, lag)
            break
        near = ballots[:, lag:] <= ballots[:, :-lag] + reach
        if not near.any():  # where no pair is close, none with more between the two is
            break
        close = near.sum(axis=1)
        pairs[left] += close
        if not close.all():
            left, ballots = left[close > 0], ballots[close > 0]
    return pairs


def _further(ballot: NDArray[Any], reach: float, lag: int) -> int:
    """Count the close pairs of one ballot that have at least `lag` − 1 scores between the two, by searching."""
    scored = ballot[: ballot.size - np.count_nonzero(np.isnan(ballot))]
    last = np.searchsorted(scored, scored + reach, side="right") - 1
    return int(np.maximum(last - np.arange(scored.size) - (lag - 1), 0).sum())
