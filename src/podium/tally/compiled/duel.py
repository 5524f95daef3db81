"""Duels, compiled; and ties, which compare the systems of a ballot in pairs too."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.compile import compiled
from podium.tally import duel as plain
from podium.tally.compiled.draw import duels as duels_in_replicates
from podium.tally.compiled.position import PAIRS_UP_TO, ROWS, TILE, count_beyond, count_exact, midranks
from podium.tally.position import misses

Floats = NDArray[np.float64]


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
    imputed = _imputed(values, each, limit) if misses(values) else np.zeros_like(wins)
    return wins, ties, imputed


def tied_pairs(values: NDArray[Any], tolerance: float, near: float) -> tuple[int, int, int]:
    """Return the numbers of pairs, of pairs within `tolerance`, and of pairs within `near`."""
    limits = values.dtype.type(tolerance), values.dtype.type(near)
    if values.shape[0] <= PAIRS_UP_TO:
        return _tied_by_pairs(values, *limits)  # type: ignore[no-any-return]
    return _tied_by_sorting(values, *limits)  # type: ignore[no-any-return]


def _resampled_duels(values: NDArray[Any], weights: NDArray[Any], tolerance: float) -> tuple[Floats, Floats, Floats]:
    """Count in bytes where weights are bare draws; imputed wins, and weights of instances, are no whole numbers."""
    if weights.dtype != np.uint8:
        return plain.duels(values, weights, tolerance)
    wins, ties = duels_in_replicates(values, weights, tolerance)
    imputed = plain.imputed(values, weights, tolerance) if misses(values) else np.zeros_like(wins)
    return wins, ties, imputed


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
    for start in range(0, n_instances, TILE):
        stop = min(n_instances, start + TILE)
        for i in range(n_systems):
            row = values[i, start:stop]
            full[i] = _count_scored(row, row) == stop - start
        for i in range(n_systems):
            left = values[i, start:stop]
            for j in range(i + 1, n_systems):
                right = values[j, start:stop]
                if tolerance == 0:
                    won, lost = count_exact(left, right)
                else:
                    won, lost = count_beyond(left, right, tolerance)
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
    for start in range(0, n_instances, TILE):
        stop = min(n_instances, start + TILE)
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
        midranks(ballot[:k], tolerance, share)
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
    for start in range(0, n_instances, TILE):
        stop = min(n_instances, start + TILE)
        for i in range(n_systems):
            row = values[i, start:stop]
            full[i] = _count_scored(row, row) == stop - start
        for i in range(n_systems):
            left = values[i, start:stop]
            for j in range(i + 1, n_systems):
                right = values[j, start:stop]
                both = stop - start if full[i] and full[j] else _count_scored(left, right)
                won, lost = count_beyond(left, right, near)
                pairs += both
                close += both - won - lost
                if tolerance == 0:
                    tied += _count_equal(left, right)
                else:
                    won, lost = count_beyond(left, right, tolerance)
                    tied += both - won - lost
    return pairs, tied, close


@compiled()
def _within(ordered, reach):  # type: ignore[no-untyped-def]
    """Count the pairs of sorted scores that are within reach of each other."""
    pairs = 0
    last = 0
    for a in range(ordered.size):
        # Everything from a + 1 up to `last` is within reach of the a-th lowest score.
        last = max(last, a)
        while last + 1 < ordered.size and not ordered[last + 1] > ordered[a] + reach:
            last += 1
        pairs += last - a
    return pairs


@compiled()
def _tied_by_sorting(values, tolerance, near):  # type: ignore[no-untyped-def]
    """The same ballot by ballot, each sorted."""
    pairs = 0
    tied = 0
    close = 0
    for start in range(0, values.shape[1], ROWS):
        ballots = np.ascontiguousarray(values[:, start : start + ROWS].T)
        for ballot in ballots:
            ordered = np.sort(ballot)
            k = ordered.size
            while k > 0 and ordered[k - 1] != ordered[k - 1]:
                k -= 1  # what is missing comes last
            pairs += k * (k - 1) // 2
            tied += _within(ordered[:k], tolerance)
            close += _within(ordered[:k], near)
    return pairs, tied, close
