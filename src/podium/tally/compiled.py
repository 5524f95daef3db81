"""Kernels compiled by Numba: blocked for cache, vectorised, without the interpreter lock.

Each call is sequential and its order of additions is fixed by the shape of its input, so results do not
depend on how many calls run side by side. Reassociation is allowed in sums only to vectorise them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.parallel import compiled
from podium.tally import duel, moment, position
from podium.tally.draw import LANES, POISSON, STEP
from podium.tally.position import misses
from podium.tally.tally import weighed

#: No faster when compiled.
means = moment.means

#: Instances compared at a time: 64 systems × 256 doubles stay in a core's first- and second-level cache.
TILE = 256

#: Up to here comparing all pairs of one ballot is faster than sorting it.
_PAIRS_OF_ONE = 64

#: The same of a tile of ballots; and where these are complete and unweighted.
PAIRS_UP_TO, _WHOLE_UP_TO = 256, 512


def rank_sums(values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float) -> Floats:
    """Return Σ w E[rank], shape `(N,)` or `(N, B)`."""
    n_systems, n_instances = values.shape
    limit = values.dtype.type(tolerance)
    if n_systems > PAIRS_UP_TO and (weights is not None or n_systems > _WHOLE_UP_TO or misses(values)):
        return position.rank_sums(values, weights, tolerance)  # NumPy sorts nearly as fast
    if weights is not None and weights.ndim == 2:
        return weighed(_expected_by_pairs(values, limit), weights, halves=not misses(values))
    if weights is None and not misses(values):
        return _sums_of_whole(values, limit)  # type: ignore[no-any-return]
    each = np.ones(n_instances) if weights is None else np.ascontiguousarray(weights)
    return _sums_by_pairs(values, each, limit)  # type: ignore[no-any-return]


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
    """Return sums of ranks of ballots that are complete and weigh 1: whole numbers of halves, so exact in any order."""
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


@compiled(fastmath=False)  # explicit: otherwise the first caller's setting is inherited
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
    """Return sums of expected ranks with weights."""
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


def duels_in_replicates(values: NDArray[Any], draws: NDArray[np.uint8], tolerance: float) -> tuple[Any, Any]:
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
    if values.shape[0] > PAIRS_UP_TO:  # NumPy sorts sooner
        return position.tied_pairs(values, tolerance, near)
    return _tied_by_pairs(values, values.dtype.type(tolerance), values.dtype.type(near))  # type: ignore[no-any-return]


def _resampled_duels(values: NDArray[Any], weights: NDArray[Any], tolerance: float) -> tuple[Floats, Floats, Floats]:
    """Count in bytes where weights are bare draws; imputed wins, and weights of instances, are no whole numbers."""
    if weights.dtype != np.uint8:
        return duel.duels(values, weights, tolerance)
    wins, ties = duels_in_replicates(values, weights, tolerance)
    imputed = duel.imputed(values, weights, tolerance) if misses(values) else np.zeros_like(wins)
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
    """Return wins and ties with unit weights; NaN beats nothing and ties with nothing."""
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
    """Return wins and ties with weights."""
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
    """Return expected wins from ballots that score at most one of a pair."""
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


#: Instances whose products are summed at a time.
_STRETCH = 1024


def moments(values: NDArray[Any], weights: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Return Σ w, the mean and Σ w (x − mean)², each of shape `(N,)`."""
    each = np.ones(values.shape[1]) if weights is None else np.ascontiguousarray(weights)
    return _moments(values, each)  # type: ignore[no-any-return]


def comoments(values: NDArray[Any], weights: Floats | None) -> tuple[Floats, ...]:
    """Return count, Σ w, mean, m2 and comoment, each of shape `(N, N)`."""
    return moment.joint_moments(values, weights, moments(values, weights)[1], _products)


@compiled(fastmath={"reassoc"})
def _moments(values, weights):  # type: ignore[no-untyped-def]
    """Two passes over each row, from an origin of its own."""
    n_systems, n_instances = values.shape
    weight = np.zeros(n_systems)
    mean = np.zeros(n_systems)
    m2 = np.zeros(n_systems)
    for i in range(n_systems):
        row = values[i]
        first = 0
        while first < n_instances and (row[first] != row[first] or weights[first] == 0):
            first += 1
        if first == n_instances:
            continue
        origin = np.float64(row[first])
        total = 0.0
        shift = 0.0
        for c in range(n_instances):
            here = row[c] == row[c]
            total += weights[c] if here else 0.0
            shift += weights[c] * (row[c] - origin) if here else 0.0
        shift /= total
        spread = 0.0
        for c in range(n_instances):
            deviation = (row[c] - origin) - shift
            spread += weights[c] * deviation * deviation if row[c] == row[c] else 0.0
        weight[i] = total
        mean[i] = origin + shift
        m2[i] = spread
    return weight, mean, m2


@compiled(fastmath={"reassoc"})
def _products(left, right):  # type: ignore[no-untyped-def]
    """Sum over instances of left_i right_j, a stretch of them at a time, which stays in a core's cache."""
    n_systems, n_instances = left.shape
    total = np.zeros((n_systems, n_systems))
    for start in range(0, n_instances, _STRETCH):
        stop = min(start + _STRETCH, n_instances)
        for i in range(n_systems):
            one = left[i, start:stop]
            for j in range(n_systems):
                other = right[j, start:stop]
                part = 0.0
                for c in range(stop - start):
                    part += one[c] * other[c]
                total[i, j] += part
    return total
