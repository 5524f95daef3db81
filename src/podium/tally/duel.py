"""Duels: who beats whom on how many ballots. All that pairwise methods need.

Ballots that score at most two systems, such as battles, are counted by what was fought, and nothing else.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.score.table import Block
from podium.tally.position import Positions, expected_ranks
from podium.tally.tally import Kernels, Tally, weighed


@dataclass(frozen=True, slots=True, eq=False)
class Duels(Tally):
    """Pairwise wins and ties, counted and imputed.

    Attributes
    ----------
    wins
        Shape `(N, N)`: `wins[i, j]` is the (weighted) number of ballots in which i and j are both scored and i
        beats j. Exact for whole weights.
    ties
        Shape `(N, N)`, symmetric, zero diagonal: ballots in which both are scored and neither beats the other.
    imputed
        Shape `(N, N)`: expected wins of i over j from ballots that score at most one of the two: r/(k + 1) for an
        unscored i over a scored j of midrank r among k, its complement the other way, ½ if neither is scored
        (Himmi et al. 2023, §2.2.1). Zero diagonal.
    weight
        Σ_b w_b, the (weighted) number of ballots; shape `(B,)` where there are replicates, whose axis is the last one
        of the other fields too.
    """

    wins: NDArray[np.float64]
    ties: NDArray[np.float64]
    imputed: NDArray[np.float64]
    weight: float | NDArray[np.float64]

    @classmethod
    def empty(cls, n_systems: int) -> Self:
        """Return the tally of no ballots."""
        wins, ties, imputed = np.zeros((3, n_systems, n_systems))
        return cls(wins, ties, imputed, 0.0)

    @classmethod
    def of(cls, block: Block, kernels: Kernels) -> Self:
        """Return the duels of one block."""
        counting = duels_of_few if of_few(block.values) else kernels.duels
        wins, ties, imputed = counting(block.values, block.weights, block.tolerance)
        return cls(wins, ties, imputed, block.weight)

    def merge(self, other: Self) -> Self:
        """Add."""
        return type(self)(
            self.wins + other.wins, self.ties + other.ties, self.imputed + other.imputed, self.weight + other.weight
        )

    @property
    def compared(self) -> NDArray[np.float64]:
        """Shape `(N, N)`: (weighted) number of ballots in which both are scored."""
        return self.wins + self.wins.swapaxes(0, 1) + self.ties

    @property
    def expected(self) -> NDArray[np.float64]:
        """Shape `(N, N)`: expected wins of i over j, ties counting half; `expected + expected.T` is the weight."""
        return self.wins + self.ties / 2 + self.imputed

    def positions(self) -> Positions:
        """Read the positions off the duels: E[rank of j] = 1 + Σ_i P(i above j)."""
        return Positions(self.weight + self.expected.sum(axis=0), self.weight)


#: Comparisons of rows that are made in one step, so that they stay in the cache.
_TOGETHER = 2**14


def duels(values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float) -> tuple[Floats, Floats, Floats]:
    """Return wins, ties and imputed wins, each of shape `(N, N)` or `(N, N, B)`."""
    n_systems = values.shape[0]
    scored = ~np.isnan(values)
    above = values + tolerance
    wins = _by_row(lambda row: row > above, values, weights)
    ties = _by_row(lambda row: (row <= above) & (values <= row + tolerance), values, weights)
    ties[np.diag_indices(n_systems)] = 0.0
    return wins, ties, np.zeros_like(wins) if scored.all() else imputed(values, weights, tolerance)


def _by_row(
    compared: Callable[[NDArray[Any]], NDArray[Any]], rows: NDArray[Any], weights: NDArray[Any] | None
) -> Floats:
    """Sum what comes of each row compared with all, of few rows in one step, which is quicker."""
    if len(rows) * rows.size <= _TOGETHER and (weights is None or weights.ndim == 1):
        return weighed(compared(rows[:, None]), weights)
    return np.array([weighed(compared(row), weights) for row in rows])


def imputed(values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float) -> Floats:
    """Return expected wins on ballots that score at most one of the two, shape `(N, N)` or `(N, N, B)`."""
    n_systems = values.shape[0]
    scored = ~np.isnan(values)
    # Position share of the scored, i.e. the chance that one given unscored system is above them.
    shares = np.where(scored, expected_ranks(values, tolerance) / (n_systems + 1), 0.0)
    one = _by_row(lambda row: ~row & scored, scored, weights)
    above = _by_row(lambda row: np.where(row, 0.0, shares), scored, weights)
    neither = _by_row(lambda row: ~row & ~scored, scored, weights)
    wins: Floats = above + (one - above).swapaxes(0, 1) + neither / 2
    wins[np.diag_indices(n_systems)] = 0.0
    return wins


#: Scores to look at, to see quickly that a table holds no battles.
_SHOWN = 16

#: Chances that an unscored system is above the loser, and above one of a tie or alone (Himmi et al. 2023, §2.2.1).
_ABOVE_LOSER, _ABOVE_MIDDLE = 2 / 3, 1 / 2


def of_few(values: NDArray[Any]) -> bool:
    """Return whether no instance of `(N, L)` has more than two scores, and systems are so many that this saves work.

    >>> nan = np.nan
    >>> of_few(np.array([[1, nan], [0, nan], [nan, 1], [nan, nan]])), of_few(np.ones((4, 2)))
    (True, False)
    """
    n_systems, length = values.shape
    if n_systems < 4 or length == 0 or np.count_nonzero(~np.isnan(values[:, :_SHOWN])) > 2 * min(length, _SHOWN):
        return False
    return bool(np.count_nonzero(~np.isnan(values), axis=0).max() <= 2)


def duels_of_few(values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float) -> tuple[Floats, Floats, Floats]:
    """Return wins, ties and imputed wins of such a table, each of shape `(N, N)` or `(N, N, B)`.

    Of k = 2 scored systems, an unscored one is above the winner with probability 1/3 and above the loser with 2/3, and
    above one that ties, or is scored alone, with ½. So all follows from wins, ties, and what each system has alone.

    >>> wins, ties, imputed = duels_of_few(np.array([[1.0], [0.0], [np.nan], [np.nan]]), None, 0.0)
    >>> wins[0].tolist(), imputed[2].round(2).tolist()
    ([0.0, 1.0, 0.0, 0.0], [0.33, 0.67, 0.0, 0.5])
    """
    n_systems, length = values.shape
    column, system = np.nonzero(~np.isnan(values.T))
    each = np.bincount(column, minlength=length)
    two = each[column] == 2
    first, second = system[two][::2], system[two][1::2]
    where = column[two][::2]
    left, right = values[first, where], values[second, where]
    tolerance = values.dtype.type(tolerance)
    won, lost = left > right + tolerance, right > left + tolerance
    above, below = np.where(lost, second, first), np.where(lost, first, second)
    decided = won | lost

    def summed(keys: NDArray[Any], columns: NDArray[Any], size: int) -> Floats:
        return _summed(keys, columns, weights, size)

    pairs, shape = n_systems**2, (n_systems, n_systems)
    wins = summed((above * n_systems + below)[decided], where[decided], pairs)
    tied = summed((first * n_systems + second)[~decided], where[~decided], pairs)
    alone = summed(system[~two], column[~two], n_systems)
    wins, tied = wins.reshape(*shape, *wins.shape[1:]), tied.reshape(*shape, *tied.shape[1:])
    ties = tied + tied.swapaxes(0, 1)
    total = np.asarray(float(length) if weights is None else weights.sum(axis=0, dtype=np.float64))
    return wins, ties, _imputed_of_few(wins, ties, alone, total)


def _summed(keys: NDArray[Any], columns: NDArray[Any], weights: NDArray[Any] | None, size: int) -> Floats:
    """Sum of the weights of columns by key, shape `(size,)` or `(size, B)`."""
    if weights is None or weights.ndim == 1:
        return np.bincount(keys, None if weights is None else weights[columns], minlength=size).astype(np.float64)
    sums = np.zeros((size, weights.shape[1]))
    if keys.size:
        order = np.argsort(keys, kind="stable")
        starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
        sums[keys[order][starts]] = np.add.reduceat(weights[columns[order]], starts, axis=0, dtype=np.float64)
    return sums


def _imputed_of_few(wins: Floats, ties: Floats, alone: Floats, total: Floats) -> Floats:
    """Return expected wins on ballots that score at most one of the two."""
    both = wins + wins.swapaxes(0, 1) + ties
    #: Of each system, on ballots that score it with another: what an unscored one wins there.
    share = wins.swapaxes(0, 1) * _ABOVE_LOSER + wins * (1 - _ABOVE_LOSER) + ties * _ABOVE_MIDDLE
    scored = both.sum(axis=1) + alone
    over = share.sum(axis=1) + alone * _ABOVE_MIDDLE  # of any system that is nowhere scored
    above = over[None] - share.swapaxes(0, 1)  # row: unscored; column: scored
    one = scored[:, None] - both  # row: scored; column: unscored
    neither = total - scored[:, None] - scored[None] + both
    imputed: Floats = above + one - above.swapaxes(0, 1) + neither / 2
    imputed[np.diag_indices(len(wins))] = 0.0
    return imputed
