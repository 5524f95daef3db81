"""Many replicates at once, compiled: random draws, and duels weighed by them.

Draws are small whole numbers, so they are kept as bytes: one vector instruction adds those of dozens of replicates.
Sums are of whole numbers, and so the same in any order.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.compile import compiled
from podium.tally.draw import LANES, POISSON, STEP

#: Instances whose draws are added up in bytes; 32 × 7, the largest draw, is less than 256.
_GROUP = 32

#: Instances whose draws are added in one pass over the replicates.
_UNROLLED = 8


def draws(keys: NDArray[np.uint64], first: int, replicates: int) -> NDArray[np.uint8]:
    """Return the Poisson numbers of some instances in some replicates, shape `(L, B)`."""
    start, stop = first // LANES, -(-(first + replicates) // LANES)
    hashes = np.empty((keys.size, stop - start), dtype=np.uint64)
    _hash(keys, np.uint64(start), hashes)
    numbers = np.empty((keys.size, (stop - start) * LANES), dtype=np.uint8)
    _to_poisson(hashes.astype("<u8", copy=False).view("<u2").ravel(), numbers.ravel())
    return numbers[:, first % LANES : first % LANES + replicates]


def duels(values: NDArray[Any], draws: NDArray[np.uint8], tolerance: float) -> tuple[Any, Any]:
    """Return wins and ties in every replicate, each of shape `(N, N, B)`."""
    length, replicates = draws.shape
    n_systems = values.shape[0]
    padded = np.zeros((length + 1, replicates), dtype=np.uint8)  # the last row adds nothing
    padded[:-1] = draws
    wins = np.zeros((n_systems, n_systems, replicates), dtype=np.uint32)
    ties = np.zeros_like(wins)
    _add_duels(np.ascontiguousarray(values.T), padded, values.dtype.type(tolerance), wins, ties)
    ties += ties.swapaxes(0, 1)
    return wins.astype(np.float64), ties.astype(np.float64)


@compiled()
def _hash(keys, start, hashes):  # type: ignore[no-untyped-def]
    """Fill `(L, groups)` with hashes, as `draws.mix` makes them."""
    for row in range(keys.size):
        for column in range(hashes.shape[1]):
            state = keys[row] + (start + np.uint64(column) + np.uint64(1)) * STEP
            state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            hashes[row, column] = state ^ (state >> np.uint64(31))


_CUTS = tuple(np.uint16(cut) for cut in np.flatnonzero(np.diff(POISSON)) + 1)

_C1, _C2, _C3, _C4, _C5, _C6, _C7 = _CUTS


@compiled()
def _to_poisson(values, numbers):  # type: ignore[no-untyped-def]
    """Look 16 bits up in the table by comparing, which vectorises."""
    for place in range(values.size):
        value = values[place]
        low = np.uint8(value >= _C1) + np.uint8(value >= _C2) + np.uint8(value >= _C3) + np.uint8(value >= _C4)
        numbers[place] = np.uint8(low + np.uint8(value >= _C5) + np.uint8(value >= _C6) + np.uint8(value >= _C7))


@compiled()
def _add_duels(ballots, draws, tolerance, wins, ties):  # type: ignore[no-untyped-def]
    """Add wins of i over j, and for i < j ties, over all ballots `(L, N)`, a group at a time."""
    length, n_systems = ballots.shape
    won = np.empty(_GROUP + _UNROLLED, dtype=np.int64)
    lost = np.empty(_GROUP + _UNROLLED, dtype=np.int64)
    tied = np.empty(_GROUP + _UNROLLED, dtype=np.int64)
    sums = np.empty(draws.shape[1], dtype=np.uint8)
    total = np.empty(draws.shape[1], dtype=np.uint8)
    for start in range(0, length, _GROUP):
        stop = min(start + _GROUP, length)
        everyone = np.arange(start, stop + _UNROLLED)
        _add_up(draws, everyone, stop - start, length, total)
        for i in range(n_systems):
            for j in range(i):
                n_won, n_lost, n_tied = 0, 0, 0
                for c in range(start, stop):
                    left, right = ballots[c, i], ballots[c, j]
                    won[n_won], lost[n_lost], tied[n_tied] = c, c, c
                    above, below = left > right + tolerance, right > left + tolerance
                    n_won += above
                    n_lost += below
                    n_tied += (left == left) & (right == right) & (not above) & (not below)
                _add_up(draws, won, n_won, length, sums)
                _add_to(wins[i, j], sums)
                if n_won + n_lost == stop - start:  # the others are lost, all of them
                    _add_rest(wins[j, i], total, sums)
                    continue
                _add_up(draws, lost, n_lost, length, sums)
                _add_to(wins[j, i], sums)
                if n_tied:
                    _add_up(draws, tied, n_tied, length, sums)
                    _add_to(ties[i, j], sums)


@compiled()
def _add_up(draws, rows, count, nothing, sums):  # type: ignore[no-untyped-def]
    """Sum `count` rows of draws; the list of rows is filled up with the row of zeros."""
    for place in range(count, count + _UNROLLED):
        rows[place] = nothing
    sums[:] = 0
    for place in range(0, count, _UNROLLED):
        _add_rows(draws, rows[place : place + _UNROLLED], sums)


@compiled()
def _add_rows(draws, rows, sums):  # type: ignore[no-untyped-def]
    """Add eight rows in one pass: kept apart, and tiny, so that it vectorises."""
    a, b, c, d, e, f, g, h = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7]
    for lane in range(sums.size):
        four = draws[a, lane] + draws[b, lane] + draws[c, lane] + draws[d, lane]
        eight = four + draws[e, lane] + draws[f, lane] + draws[g, lane] + draws[h, lane]
        sums[lane] = np.uint8(sums[lane] + eight)


@compiled()
def _add_to(totals, sums):  # type: ignore[no-untyped-def]
    for lane in range(sums.size):
        totals[lane] += np.uint32(sums[lane])


@compiled()
def _add_rest(totals, all_sums, sums):  # type: ignore[no-untyped-def]
    for lane in range(sums.size):
        totals[lane] += np.uint32(all_sums[lane] - sums[lane])
