"""Duels, compiled; and positions and ties, which compare the systems of a ballot in pairs too."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.compile import compiled
from podium.tally import duel as plain
from podium.tally import position
from podium.tally.compiled.draw import duels as duels_in_replicates

Floats = NDArray[np.float64]

#: Instances compared at a time: 64 systems × 256 doubles stay in a core's first- and second-level cache.
_TILE = 256

#: Up to here comparing all pairs of a ballot is faster than sorting it.
_PAIRS_UP_TO = 64


def rank_sums(values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float) -> Floats:
    """Return Σ w E[rank], shape `(N,)` or `(N, B)`."""
    n_systems, n_instances = values.shape
    if weights is not None and weights.ndim == 2:
        return position.rank_sums(values, weights, tolerance)
    if weights is None and n_systems <= _PAIRS_UP_TO and not _misses(values):
        wins, ties = _count_duels(values, values.dtype.type(tolerance))
        sums: Floats = n_instances + wins.sum(axis=0) + ties.sum(axis=0) / 2
        return sums
    each = np.ones(n_instances) if weights is None else np.ascontiguousarray(weights)
    kernel = _rank_sums_by_pairs if n_systems <= _PAIRS_UP_TO else _rank_sums_by_sorting
    return kernel(values, each, values.dtype.type(tolerance))  # type: ignore[no-any-return]


def duels(values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float) -> tuple[Floats, Floats, Floats]:
    """Return wins, ties and imputed wins, each of shape `(N, N)` or `(N, N, B)`."""
    if weights is not None and weights.ndim == 2:
        return _resampled_duels(values, weights, tolerance)
    limit = values.dtype.type(tolerance)
    each = np.ones(values.shape[1]) if weights is None else np.ascontiguousarray(weights)
    if weights is None:
        wins, ties = _count_duels(values, limit)
    else:
        wins, ties = _weigh_duels(values, each, limit)
    imputed = _imputed(values, each, limit) if _misses(values) else np.zeros_like(wins)
    return wins, ties, imputed


def tied_pairs(values: NDArray[Any], tolerance: float, near: float) -> tuple[int, int, int]:
    """Return the numbers of pairs, of pairs within `tolerance`, and of pairs within `near`."""
    limits = values.dtype.type(tolerance), values.dtype.type(near)
    if values.shape[0] <= _PAIRS_UP_TO:
        return _tied_by_pairs(values, *limits)  # type: ignore[no-any-return]
    scored = np.count_nonzero(~np.isnan(values), axis=0)
    pairs = int((scored * (scored - 1) // 2).sum())
    return pairs, _tied_by_sorting(values, limits[0]), _tied_by_sorting(values, limits[1])


def _resampled_duels(values: NDArray[Any], weights: NDArray[Any], tolerance: float) -> tuple[Floats, Floats, Floats]:
    """Count in bytes where weights are bare draws; imputed wins, and weights of instances, are no whole numbers."""
    if weights.dtype != np.uint8:
        return plain.duels(values, weights, tolerance)
    wins, ties = duels_in_replicates(values, weights, tolerance)
    imputed = plain.imputed(values, weights, tolerance) if _misses(values) else np.zeros_like(wins)
    return wins, ties, imputed


def _misses(values: NDArray[Any]) -> bool:
    """Whether any score may be missing: a sum of finite numbers is NaN only where it overflows both ways."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isnan(values.sum()))


@compiled()
def _count_exact(left, right):  # type: ignore[no-untyped-def]
    """Count wins and losses where any difference decides: kept apart, and tiny, so that it vectorises."""
    won = 0
    lost = 0
    for c in range(left.size):
        won += left[c] > right[c]
        lost += left[c] < right[c]
    return won, lost


@compiled()
def _count_beyond(left, right, tolerance):  # type: ignore[no-untyped-def]
    """Count wins and losses by more than the tolerance."""
    won = 0
    lost = 0
    for c in range(left.size):
        won += left[c] > right[c] + tolerance
        lost += right[c] > left[c] + tolerance
    return won, lost


@compiled()
def _count_scored(left, right):  # type: ignore[no-untyped-def]
    """Count instances on which both are scored."""
    both = 0
    for c in range(left.size):
        both += (left[c] == left[c]) & (right[c] == right[c])
    return both


@compiled()
def _count_duels(values, tolerance):  # type: ignore[no-untyped-def]
    """Wins and ties with unit weights; NaN beats nothing and ties with nothing."""
    n_systems, n_instances = values.shape
    wins = np.zeros((n_systems, n_systems))
    ties = np.zeros((n_systems, n_systems))
    full = np.empty(n_systems, np.bool_)
    for start in range(0, n_instances, _TILE):
        stop = min(n_instances, start + _TILE)
        for i in range(n_systems):
            row = values[i, start:stop]
            full[i] = _count_scored(row, row) == stop - start
        for i in range(n_systems):
            left = values[i, start:stop]
            for j in range(i + 1, n_systems):
                right = values[j, start:stop]
                if tolerance == 0:
                    won, lost = _count_exact(left, right)
                else:
                    won, lost = _count_beyond(left, right, tolerance)
                both = stop - start if full[i] and full[j] else _count_scored(left, right)
                wins[i, j] += won
                wins[j, i] += lost
                ties[i, j] += both - won - lost
                ties[j, i] += both - won - lost
    return wins, ties


@compiled(fastmath={"reassoc"})
def _weigh_duels(values, weights, tolerance):  # type: ignore[no-untyped-def]
    """Wins and ties with weights."""
    n_systems, n_instances = values.shape
    wins = np.zeros((n_systems, n_systems))
    ties = np.zeros((n_systems, n_systems))
    for start in range(0, n_instances, _TILE):
        stop = min(n_instances, start + _TILE)
        weight = weights[start:stop]
        for i in range(n_systems):
            left = values[i, start:stop]
            for j in range(i + 1, n_systems):
                right = values[j, start:stop]
                won = 0.0
                lost = 0.0
                tied = 0.0
                for c in range(stop - start):
                    won += weight[c] if left[c] > right[c] + tolerance else 0.0
                    lost += weight[c] if right[c] > left[c] + tolerance else 0.0
                    near = (left[c] <= right[c] + tolerance) & (right[c] <= left[c] + tolerance)
                    tied += weight[c] if near else 0.0
                wins[i, j] += won
                wins[j, i] += lost
                ties[i, j] += tied
                ties[j, i] += tied
    return wins, ties


@compiled()
def _imputed(values, weights, tolerance):  # type: ignore[no-untyped-def]
    """Expected wins from ballots that score at most one of a pair."""
    n_systems, n_instances = values.shape
    imputed = np.zeros((n_systems, n_systems))
    share = np.empty(n_systems)
    scored = np.empty(n_systems, np.int64)
    unscored = np.empty(n_systems, np.int64)
    ballot = np.empty(n_systems, values.dtype)
    for c in range(n_instances):
        k = 0
        m = 0
        for i in range(n_systems):
            if values[i, c] == values[i, c]:
                scored[k] = i
                ballot[k] = values[i, c]
                k += 1
            else:
                unscored[m] = i
                m += 1
        if m == 0:
            continue
        _midranks(ballot[:k], tolerance, share)
        for a in range(k):
            chance = share[a] / (k + 1)
            for b in range(m):
                imputed[unscored[b], scored[a]] += weights[c] * chance
                imputed[scored[a], unscored[b]] += weights[c] * (1.0 - chance)
        for a in range(m):
            for b in range(a + 1, m):
                imputed[unscored[a], unscored[b]] += weights[c] / 2
                imputed[unscored[b], unscored[a]] += weights[c] / 2
    return imputed


@compiled()
def _midranks(ballot, tolerance, ranks):  # type: ignore[no-untyped-def]
    """Write the midranks of a ballot without missing scores, 1 is best."""
    k = ballot.size
    if k <= _PAIRS_UP_TO:
        for i in range(k):
            above = 0
            below = 0
            for j in range(k):
                above += ballot[j] > ballot[i] + tolerance
                below += ballot[i] > ballot[j] + tolerance
            ranks[i] = (above - below + k + 1) / 2
        return
    ordered = np.sort(ballot)
    raised = ordered + tolerance
    for i in range(k):
        above = k - np.searchsorted(ordered, ballot[i] + tolerance, side="right")
        below = np.searchsorted(raised, ballot[i])
        ranks[i] = (above - below + k + 1) / 2


@compiled(fastmath={"reassoc"})
def _rank_sums_by_pairs(values, weights, tolerance):  # type: ignore[no-untyped-def]
    """Expected ranks of a tile of ballots at once, by comparing every pair."""
    n_systems, n_instances = values.shape
    sums = np.zeros(n_systems)
    doubled = np.empty((n_systems, _TILE))
    scored = np.empty(_TILE)
    factor = np.empty(_TILE)
    for start in range(0, n_instances, _TILE):
        size = min(n_instances, start + _TILE) - start
        scored[:] = 0.0
        for i in range(n_systems):
            column = values[i, start : start + size]
            for c in range(size):
                scored[c] += 1.0 if column[c] == column[c] else 0.0
        doubled[:] = 0.0
        for i in range(n_systems):
            left = values[i, start : start + size]
            for j in range(i + 1, n_systems):
                right = values[j, start : start + size]
                for c in range(size):
                    won = 1.0 if left[c] > right[c] + tolerance else 0.0
                    lost = 1.0 if right[c] > left[c] + tolerance else 0.0
                    doubled[i, c] += lost - won
                    doubled[j, c] += won - lost
        for c in range(size):
            factor[c] = (n_systems + 1) / (scored[c] + 1)
        for i in range(n_systems):
            column = values[i, start : start + size]
            total = 0.0
            for c in range(size):
                rank = (doubled[i, c] + scored[c] + 1) / 2 * factor[c]
                total += weights[start + c] * (rank if column[c] == column[c] else (n_systems + 1) / 2)
            sums[i] += total
    return sums


@compiled()
def _rank_sums_by_sorting(values, weights, tolerance):  # type: ignore[no-untyped-def]
    """Expected ranks ballot by ballot, in O(k log k)."""
    n_systems, n_instances = values.shape
    sums = np.zeros(n_systems)
    scored = np.empty(n_systems, np.int64)
    ballot = np.empty(n_systems, values.dtype)
    ranks = np.empty(n_systems)
    for c in range(n_instances):
        k = 0
        for i in range(n_systems):
            if values[i, c] == values[i, c]:
                scored[k] = i
                ballot[k] = values[i, c]
                k += 1
            else:
                sums[i] += weights[c] * ((n_systems + 1) / 2)
        _midranks(ballot[:k], tolerance, ranks)
        factor = (n_systems + 1) / (k + 1)
        for a in range(k):
            sums[scored[a]] += weights[c] * (ranks[a] * factor)
    return sums


@compiled()
def _count_equal(left, right):  # type: ignore[no-untyped-def]
    """Count instances on which both have the same score."""
    equal = 0
    for c in range(left.size):
        equal += left[c] == right[c]
    return equal


@compiled()
def _tied_by_pairs(values, tolerance, near):  # type: ignore[no-untyped-def]
    """Compare every pair of a tile of ballots."""
    n_systems, n_instances = values.shape
    pairs = 0
    tied = 0
    close = 0
    full = np.empty(n_systems, np.bool_)
    for start in range(0, n_instances, _TILE):
        stop = min(n_instances, start + _TILE)
        for i in range(n_systems):
            row = values[i, start:stop]
            full[i] = _count_scored(row, row) == stop - start
        for i in range(n_systems):
            left = values[i, start:stop]
            for j in range(i + 1, n_systems):
                right = values[j, start:stop]
                both = stop - start if full[i] and full[j] else _count_scored(left, right)
                won, lost = _count_beyond(left, right, near)
                pairs += both
                close += both - won - lost
                if tolerance == 0:
                    tied += _count_equal(left, right)
                else:
                    won, lost = _count_beyond(left, right, tolerance)
                    tied += both - won - lost
    return pairs, tied, close


@compiled()
def _tied_by_sorting(values, tolerance):  # type: ignore[no-untyped-def]
    """Count, ballot by ballot, the pairs within reach of each other; the order is by score."""
    n_systems, n_instances = values.shape
    ballot = np.empty(n_systems, values.dtype)
    tied = 0
    for c in range(n_instances):
        k = 0
        for i in range(n_systems):
            if values[i, c] == values[i, c]:
                ballot[k] = values[i, c]
                k += 1
        ordered = np.sort(ballot[:k])
        last = 0
        for a in range(k):
            # Everything from a + 1 up to `last` is within reach of the a-th lowest score.
            last = max(last, a)
            while last + 1 < k and not ordered[last + 1] > ordered[a] + tolerance:
                last += 1
            tied += last - a
    return tied
