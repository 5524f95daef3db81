"""Positions, compiled: midranks of many ballots, by comparing all pairs of systems or by sorting."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.compile import compiled
from podium.tally import position as plain
from podium.tally.position import misses
from podium.tally.tally import weighed

Floats = NDArray[np.float64]

#: Instances compared at a time: 64 systems × 256 doubles stay in a core's first- and second-level cache.
TILE = 256

#: Ballots that are laid side by side before they are sorted.
ROWS = 64

#: Up to here comparing all pairs of one ballot is faster than sorting it.
_PAIRS_OF_ONE = 64

#: The same of a tile of ballots; and where these are complete and unweighted.
PAIRS_UP_TO, _WHOLE_UP_TO = 256, 512


def rank_sums(values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float) -> Floats:
    """Return Σ w E[rank], shape `(N,)` or `(N, B)`."""
    n_systems, n_instances = values.shape
    limit = values.dtype.type(tolerance)
    if weights is not None and weights.ndim == 2:
        if n_systems > PAIRS_UP_TO:  # NumPy sorts as fast
            return plain.rank_sums(values, weights, tolerance)
        return weighed(_expected_by_pairs(values, limit), weights, halves=not misses(values))
    if weights is None and n_systems <= _WHOLE_UP_TO and not misses(values):
        return _sums_of_whole(values, limit)  # type: ignore[no-any-return]
    each = np.ones(n_instances) if weights is None else np.ascontiguousarray(weights)
    kernel = _sums_by_pairs if n_systems <= PAIRS_UP_TO else _sums_by_sorting
    return kernel(values, each, limit)  # type: ignore[no-any-return]


@compiled()
def count_exact(left, right):  # type: ignore[no-untyped-def]
    """Count wins and losses where any difference decides: kept apart, and tiny, so that it vectorises."""
    won = 0
    lost = 0
    for c in range(left.size):
        won += left[c] > right[c]
        lost += left[c] < right[c]
    return won, lost


@compiled()
def count_beyond(left, right, tolerance):  # type: ignore[no-untyped-def]
    """Count wins and losses by more than the tolerance."""
    won = 0
    lost = 0
    for c in range(left.size):
        won += left[c] > right[c] + tolerance
        lost += right[c] > left[c] + tolerance
    return won, lost


@compiled()
def _sums_of_whole(values, tolerance):  # type: ignore[no-untyped-def]
    """Sums of ranks of ballots that are complete and weigh 1: whole numbers of halves, so exact in any order."""
    n_systems, n_instances = values.shape
    lead = np.zeros(n_systems)
    for start in range(0, n_instances, TILE):
        stop = min(n_instances, start + TILE)
        for i in range(n_systems):
            left = values[i, start:stop]
            for j in range(i + 1, n_systems):
                right = values[j, start:stop]
                if tolerance == 0:
                    won, lost = count_exact(left, right)
                else:
                    won, lost = count_beyond(left, right, tolerance)
                lead[i] += won - lost
                lead[j] += lost - won
    return (n_instances * (n_systems + 1.0) - lead) / 2


@compiled()
def midranks(ballot, tolerance, ranks):  # type: ignore[no-untyped-def]
    """Write the midranks of a ballot without missing scores, 1 is best."""
    k = ballot.size
    if k <= _PAIRS_OF_ONE:
        for i in range(k):
            above = 0
            below = 0
            for j in range(k):
                above += ballot[j] > ballot[i] + tolerance
                below += ballot[i] > ballot[j] + tolerance
            ranks[i] = (above - below + k + 1) / 2
        return
    if tolerance == 0:
        order = np.argsort(ballot)
        first = 0
        while first < k:
            last = first
            while last + 1 < k and ballot[order[last + 1]] == ballot[order[first]]:
                last += 1
            for place in range(first, last + 1):
                ranks[order[place]] = k - (first + last) / 2
            first = last + 1
        return
    ordered = np.sort(ballot)
    raised = ordered + tolerance
    for i in range(k):
        above = k - np.searchsorted(ordered, ballot[i] + tolerance, side="right")
        below = np.searchsorted(raised, ballot[i])
        ranks[i] = (above - below + k + 1) / 2


@compiled(fastmath=False)  # said, since otherwise it would be as in whoever has it compiled first
def _tile_by_pairs(values, start, tolerance):  # type: ignore[no-untyped-def]
    """Return expected ranks of up to TILE ballots, by comparing every pair."""
    n_systems, n_instances = values.shape
    size = min(TILE, n_instances - start)
    expected = np.zeros((n_systems, size))  # made here, so that the loops vectorise
    scored = np.zeros(size)
    for i in range(n_systems):
        left = values[i, start : start + size]
        for c in range(size):
            scored[c] += 1.0 if left[c] == left[c] else 0.0
        for j in range(i + 1, n_systems):
            right = values[j, start : start + size]
            for c in range(size):
                won = 1.0 if left[c] > right[c] + tolerance else 0.0
                lost = 1.0 if right[c] > left[c] + tolerance else 0.0
                expected[i, c] += lost - won
                expected[j, c] += won - lost
    for i in range(n_systems):
        for c in range(size):
            rank = (expected[i, c] + scored[c] + 1) / 2 * ((n_systems + 1) / (scored[c] + 1))
            there = values[i, start + c] == values[i, start + c]
            expected[i, c] = rank if there else (n_systems + 1) / 2
    return expected


@compiled(fastmath={"reassoc"})
def _sums_by_pairs(values, weights, tolerance):  # type: ignore[no-untyped-def]
    """Sums of expected ranks with weights."""
    n_systems, n_instances = values.shape
    sums = np.zeros(n_systems)
    for start in range(0, n_instances, TILE):
        expected = _tile_by_pairs(values, start, tolerance)
        for i in range(n_systems):
            total = 0.0
            for c in range(expected.shape[1]):
                total += weights[start + c] * expected[i, c]
            sums[i] += total
    return sums


@compiled()
def _expected_by_pairs(values, tolerance):  # type: ignore[no-untyped-def]
    """Shape `(N, L)`: expected ranks."""
    expected = np.empty(values.shape)
    for start in range(0, values.shape[1], TILE):
        expected[:, start : start + TILE] = _tile_by_pairs(values, start, tolerance)
    return expected


@compiled()
def _rows_by_sorting(ballots, tolerance):  # type: ignore[no-untyped-def]
    """Shape `(L, N)`: expected ranks of ballots `(L, N)`, in O(k log k) each."""
    n_ballots, n_systems = ballots.shape
    expected = np.full((n_ballots, n_systems), (n_systems + 1) / 2)
    scored = np.empty(n_systems, np.int64)
    ballot = np.empty(n_systems, ballots.dtype)
    ranks = np.empty(n_systems)
    for c in range(n_ballots):
        k = 0
        for i in range(n_systems):
            if ballots[c, i] == ballots[c, i]:
                scored[k] = i
                ballot[k] = ballots[c, i]
                k += 1
        midranks(ballot[:k], tolerance, ranks)
        factor = (n_systems + 1) / (k + 1)
        for a in range(k):
            expected[c, scored[a]] = ranks[a] * factor
    return expected


@compiled()
def _sums_by_sorting(values, weights, tolerance):  # type: ignore[no-untyped-def]
    """Sums of expected ranks with weights."""
    n_systems, n_instances = values.shape
    sums = np.zeros(n_systems)
    for start in range(0, n_instances, ROWS):
        rows = _rows_by_sorting(np.ascontiguousarray(values[:, start : start + ROWS].T), tolerance)
        for c in range(len(rows)):
            for i in range(n_systems):
                sums[i] += weights[start + c] * rows[c, i]
    return sums
