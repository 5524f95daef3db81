"""Positions: the expected rank of every system, summed over ballots. All that Borda needs."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.score.table import Block
from podium.tally.tally import Kernels, Tally, weighed

Floats = NDArray[np.float64]

#: Systems above which searching in a sorted ballot beats comparing every pair.
_SEARCH_ABOVE = 64


@dataclass(frozen=True, slots=True, eq=False)
class Positions(Tally):
    """Sums of expected ranks.

    On a ballot that scores k of N systems, a scored system with midrank r among the k has expected rank
    `r (N + 1) / (k + 1)` over all complete rankings compatible with the ballot, an unscored one `(N + 1) / 2`
    (Himmi et al. 2023, §2.2.1 and Ap. D, in closed form).

    Attributes
    ----------
    rank_sum
        Shape `(N,)` or `(N, B)`: Σ_b w_b E[rank], 1 is best, so lower is better. Exact on complete ballots with
        whole weights.
    weight
        Σ_b w_b, the (weighted) number of ballots; shape `(B,)` where there are replicates.
    """

    rank_sum: NDArray[np.float64]
    weight: float | NDArray[np.float64]

    @classmethod
    def empty(cls, n_systems: int) -> Self:
        """Return the tally of no ballots."""
        return cls(np.zeros(n_systems), 0.0)

    @classmethod
    def of(cls, block: Block, kernels: Kernels) -> Self:
        """Return the expected ranks of one block, summed."""
        return cls(
            kernels.rank_sums(block.values, block.weights, block.tolerance),
            block.weight,
        )

    def merge(self, other: Self) -> Self:
        """Add."""
        return type(self)(self.rank_sum + other.rank_sum, self.weight + other.weight)

    @property
    def shares(self) -> NDArray[np.float64]:
        """Shape of `rank_sum`: mean position share E[rank] / (N + 1), between 0 and 1, lower is better; ½ of none."""
        ballots = np.broadcast_to(self.weight, self.rank_sum.shape) * (self.rank_sum.shape[0] + 1)
        shares = np.full(ballots.shape, 0.5)
        np.divide(self.rank_sum, ballots, out=shares, where=ballots > 0)
        return shares


def rank_sums(values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float) -> Floats:
    """Return Σ w E[rank], shape `(N,)` or `(N, B)`."""
    return weighed(expected_ranks(values, tolerance), weights)


def expected_ranks(values: NDArray[Any], tolerance: float) -> Floats:
    """Shape `(N, L)`: r (N + 1) / (k + 1) where scored, (N + 1) / 2 where not."""
    scored = (~np.isnan(values)).sum(axis=0)
    standing = _standing_exact if tolerance == 0 else _standing_within
    midranks = (standing(values, tolerance) + scored + 1) / 2
    size = values.shape[0] + 1
    expected: Floats = np.where(np.isnan(values), size / 2, midranks * (size / (scored + 1)))
    return expected


def _standing_exact(values: NDArray[Any], _: float) -> NDArray[np.int64]:
    """Shape `(N, L)`: how many systems are above each score, less how many are below, by sorting columns."""
    order, column = np.argsort(values, axis=0), np.arange(values.shape[1])
    ordered = values[order, column]
    place = np.arange(values.shape[0])[:, None]
    new = np.ones(values.shape, dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    first = np.maximum.accumulate(np.where(new, place, 0), axis=0)
    ends = np.ones(values.shape, dtype=np.bool_)
    ends[:-1] = new[1:]
    last = np.minimum.accumulate(np.where(ends, place, values.shape[0])[::-1], axis=0)[::-1]
    scored = (~np.isnan(values)).sum(axis=0)
    standing = np.empty(values.shape, dtype=np.int64)
    standing[order, column] = (scored - 1 - last) - first
    return standing


def _standing_within(values: NDArray[Any], tolerance: float) -> NDArray[np.int64]:
    """Return the same where scores tie within a tolerance: compare every system with all, or search in columns."""
    if values.shape[0] > _SEARCH_ABOVE:
        return np.stack([_searched(column, tolerance) for column in values.T], axis=1)
    return np.array([(values > row + tolerance).sum(axis=0) - (row > values + tolerance).sum(axis=0) for row in values])


def _searched(column: NDArray[Any], tolerance: float) -> NDArray[np.int64]:
    ordered = np.sort(column)[: column.size - np.count_nonzero(np.isnan(column))]
    above = ordered.size - np.searchsorted(ordered, column + tolerance, side="right")
    return above - np.searchsorted(ordered + tolerance, column, side="left")
