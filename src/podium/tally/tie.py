"""Ties: how many pairs of scores are equal, or so nearly equal that rounding may have decided them."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.score.table import Block
from podium.tally.position import runs_in, stretches_of
from podium.tally.tally import Kernels, Tally

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
        tied, close = (
            _close_pairs(ballots, reach, runs_in(ballots, reach))
            for reach in (block.tolerance, max(NEAR, block.tolerance))
        )
        counts = (scored * (scored - 1) // 2, tied, close - tied)
        return [cls(*numbers) for numbers in zip(*map(np.ndarray.tolist, counts), strict=True)]

    def merge(self, other: Self) -> Self:
        """Add."""
        return type(self)(self.pairs + other.pairs, self.tied + other.tied, self.near + other.near)


def tied_pairs(values: NDArray[Any], tolerance: float, near: float) -> tuple[int, int, int]:
    """Return the numbers of pairs, of pairs within `tolerance`, and of pairs within `near`."""
    scored = values.shape[0] - np.count_nonzero(np.isnan(values), axis=0)
    pairs, tied, close = int((scored * (scored - 1) // 2).sum()), 0, 0
    for some in stretches_of(values.shape[1]):
        ballots = np.sort(np.ascontiguousarray(values[:, some].T), axis=1)
        first, last = runs_in(ballots, near)
        both = int(_close_pairs(ballots, near, (first, last)).sum())
        all_tie = bool((ballots.ravel()[last] <= ballots.ravel()[first] + tolerance).all())
        tied += both if all_tie else int(_close_pairs(ballots, tolerance, runs_in(ballots, tolerance)).sum())
        close += both
    return pairs, tied, close


def _close_pairs(
    ballots: NDArray[Any], reach: float, runs: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> NDArray[np.int64]:
    """Count, on each ballot `(L, N)`, sorted upwards with NaN last, the pairs no further apart than `reach`.

    If the ends of a run of neighbours are close, all of its pairs are.
    """
    first, last = runs
    flat, ballot, steps = ballots.ravel(), first // ballots.shape[1], last - first
    pairs = np.bincount(ballot, weights=steps * (steps + 1) // 2, minlength=len(ballots)).astype(np.int64)
    for index in set(ballot[flat[last] > flat[first] + reach].tolist()):
        pairs[index] = _searched(ballots[index], reach)
    return pairs


def _searched(ballot: NDArray[Any], reach: float) -> int:
    """Count the close pairs of one ballot by searching."""
    scored = ballot[: ballot.size - np.count_nonzero(np.isnan(ballot))]
    last = np.searchsorted(scored, scored + reach, side="right") - 1
    return int((last - np.arange(scored.size)).sum())
