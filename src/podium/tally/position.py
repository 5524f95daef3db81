"""Tallies of positions: how many others a system beats on each instance, and which scores tie."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.score.table import Block
from podium.tally.tally import Kernels, Tally, weighed

#: Ballots that are sorted together: all that is made of them stays in a core's cache.
_TOGETHER = 1024

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
        return cls(kernels.rank_sums(block.values, block.weights, block.tolerance), block.weight)

    @classmethod
    def of_each(cls, block: Block, kernels: Kernels) -> list[Self]:  # noqa: ARG003  # there is nothing to add up
        """Return the expected ranks of every ballot of a block by itself."""
        ranks = expected_ranks(block.values, block.tolerance).T
        if block.weights is None:
            return [cls(ballot, 1.0) for ballot in ranks]
        return [cls(ballot * weight, weight) for ballot, weight in zip(ranks, block.weights.tolist(), strict=True)]

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
    if weights is None and tolerance == 0 and not misses(values):
        sums: Floats = np.zeros(values.shape[0])
        for some in stretches_of(values.shape[1]):
            sums += _sums_of_whole(np.ascontiguousarray(values[:, some].T))
        return sums
    return weighed(expected_ranks(values, tolerance), weights)


def misses(values: NDArray[Any]) -> bool:
    """Return whether any score may be missing: a sum of finite numbers is NaN only where it overflows both ways."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isnan(values.sum()))


def _sums_of_whole(ballots: NDArray[Any]) -> Floats:
    """Return sums of midranks of complete ballots `(L, N)`: whole numbers of halves, so exact in any order."""
    n_ballots, n_systems = ballots.shape
    order = np.argsort(ballots, axis=1)  # lowest first
    places = order + np.arange(0, ballots.size, n_systems)[:, None]
    first, last = runs_in(ballots.ravel().take(places), 0.0)
    ranks = np.tile(np.arange(n_systems, 0.0, -1.0), n_ballots)
    length = last - first + 1
    tied = np.arange(length.sum()) + np.repeat(first - np.cumsum(length) + length, length)
    ranks[tied] = np.repeat(n_systems - first % n_systems - (length - 1) / 2, length)
    return np.bincount(order.ravel(), ranks, n_systems).astype(np.float64, copy=False)


def runs_in(ballots: NDArray[Any], reach: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find runs of two or more scores, each no further than `reach` from the next, on sorted ballots `(L, N)`.

    Returns
    -------
    Places of the first and of the last score of each run, as in `ballots.ravel()`.
    """
    near = np.zeros((len(ballots), ballots.shape[1] + 1), dtype=np.int8)
    np.less_equal(ballots[:, 1:], ballots[:, :-1] + reach, out=near[:, 1:-1].view(np.bool_))
    ends = np.flatnonzero(np.diff(near, axis=1))  # a run that begins ends on the same ballot
    return ends[::2], ends[1::2]


def expected_ranks(values: NDArray[Any], tolerance: float) -> Floats:
    """Shape `(N, L)`: r (N + 1) / (k + 1) where scored, (N + 1) / 2 where not."""
    if tolerance == 0:
        ranks: Floats = np.empty(values.shape)
        for some in stretches_of(values.shape[1]):
            ranks[:, some] = _by_sorting(np.ascontiguousarray(values[:, some].T)).T
        return ranks
    scored = (~np.isnan(values)).sum(axis=0)
    midranks = (_above_less_below(values, tolerance) + scored + 1) / 2
    size = values.shape[0] + 1
    expected: Floats = np.where(np.isnan(values), size / 2, midranks * (size / (scored + 1)))
    return expected


def stretches_of(n_ballots: int) -> list[slice]:
    """Cut ballots into stretches that fit a core's cache, since each is sorted by itself."""
    return [slice(start, start + _TOGETHER) for start in range(0, n_ballots, _TOGETHER)]


def _by_sorting(ballots: NDArray[Any]) -> Floats:
    """Return expected ranks of ballots `(L, N)` on which only equal scores tie; what is not scored costs no sorting."""
    n_ballots, n_systems = ballots.shape
    missing = np.isnan(ballots)
    scored = n_systems - np.count_nonzero(missing, axis=1)
    order = np.argsort(ballots, axis=1)  # lowest first, NaN last
    order += np.arange(0, ballots.size, n_systems)[:, None]
    cells = order[np.arange(n_systems) < scored[:, None]]
    ordered = ballots.ravel()[cells]
    start = np.cumsum(scored) - scored
    # Runs of equal scores, none of them in two ballots.
    new = np.ones(cells.size + 1, dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:-1])
    new[start] = True
    first = np.flatnonzero(new)
    length = np.diff(first)
    ballot = np.repeat(np.arange(n_ballots), scored)[first[:-1]]
    # A run of m scores with b below it, of k: the midrank is k − b − (m − 1) / 2.
    midranks = scored[ballot] - (first[:-1] - start[ballot]) - (length - 1) / 2
    expected = np.full(ballots.shape, (n_systems + 1) / 2)
    expected.ravel()[cells] = np.repeat(midranks * ((n_systems + 1) / (scored[ballot] + 1)), length)
    return expected


def _above_less_below(values: NDArray[Any], tolerance: float) -> NDArray[np.int64]:
    """Shape `(N, L)`: how many systems are above each score, less how many are below; scores tie within a tolerance.

    Compares every system with all, or searches in sorted columns.
    """
    if values.shape[0] > _SEARCH_ABOVE:
        return np.stack([_searched(column, tolerance) for column in values.T], axis=1)
    return np.array([(values > row + tolerance).sum(axis=0) - (row > values + tolerance).sum(axis=0) for row in values])


def _searched(column: NDArray[Any], tolerance: float) -> NDArray[np.int64]:
    ordered = np.sort(column)[: column.size - np.count_nonzero(np.isnan(column))]
    above = ordered.size - np.searchsorted(ordered, column + tolerance, side="right")
    return above - np.searchsorted(ordered + tolerance, column, side="left")


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
        pairs[index] = _tie_searched(ballots[index], reach)
    return pairs


def _tie_searched(ballot: NDArray[Any], reach: float) -> int:
    """Count the close pairs of one ballot by searching."""
    scored = ballot[: ballot.size - np.count_nonzero(np.isnan(ballot))]
    last = np.searchsorted(scored, scored + reach, side="right") - 1
    return int((last - np.arange(scored.size)).sum())
