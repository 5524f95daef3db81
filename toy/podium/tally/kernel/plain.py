"""Kernels in plain NumPy: short, obvious, and the reference for the compiled ones."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.tally.draw import LANES, POISSON, STEP, mix

Floats = NDArray[np.float64]

#: Instances whose weights in all replicates are made into doubles at a time.
_STRETCH = 1024

#: Systems above which searching in a sorted ballot beats comparing every pair.
_SEARCH_ABOVE = 64


def rank_sums(values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float) -> Floats:
    """Return Σ w E[rank], shape `(N,)` or `(N, B)`."""
    return _weighed(expected_ranks(values, tolerance), weights)


def duels(values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float) -> tuple[Floats, Floats, Floats]:
    """Return wins, ties and imputed wins, each of shape `(N, N)` or `(N, N, B)`."""
    n_systems = values.shape[0]
    scored = ~np.isnan(values)
    wins = np.array([_weighed(row > values + tolerance, weights) for row in values])
    ties = np.array([_weighed((row <= values + tolerance) & (values <= row + tolerance), weights) for row in values])
    ties[np.diag_indices(n_systems)] = 0.0
    return wins, ties, np.zeros_like(wins) if scored.all() else imputed(values, weights, tolerance)


def imputed(values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float) -> Floats:
    """Return expected wins on ballots that score at most one of the two, shape `(N, N)` or `(N, N, B)`."""
    n_systems = values.shape[0]
    scored = ~np.isnan(values)
    # Position share of the scored, i.e. the chance that one given unscored system is above them.
    shares = np.where(scored, expected_ranks(values, tolerance) / (n_systems + 1), 0.0)
    one = np.array([_weighed(~row & scored, weights) for row in scored])
    above = np.array([_weighed(np.where(~row, shares, 0.0), weights) for row in scored])
    neither = np.array([_weighed(~row & ~scored, weights) for row in scored])
    wins: Floats = above + (one - above).swapaxes(0, 1) + neither / 2
    wins[np.diag_indices(n_systems)] = 0.0
    return wins


def moments(values: NDArray[Any], weights: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Return Σ w, the mean and Σ w (x − mean)², each of shape `(N,)`."""
    scored = ~np.isnan(values) if weights is None else ~np.isnan(values) & (weights > 0)
    weight = _weighed(scored, weights)
    # Deviations from a score of the system itself: a constant system has exactly that mean.
    first = values[np.arange(values.shape[0]), scored.argmax(axis=1)].astype(np.float64)
    origin = np.where(scored.any(axis=1), first, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is infinite, and refused when ranked
        deviations = np.where(scored, values - origin[:, None], 0.0)
        shift = np.divide(_weighed(deviations, weights), weight, out=np.zeros_like(weight), where=weight > 0)
        deviations = np.where(scored, deviations - shift[:, None], 0.0)
        return weight, np.where(weight > 0, origin + shift, 0.0), _weighed(deviations**2, weights)


def means(values: NDArray[Any], weights: NDArray[Any] | None) -> tuple[Floats, Floats]:
    """Return Σ w and the mean, each of shape `(N,)` or `(N, B)`."""
    if weights is None or weights.ndim == 1:
        return moments(values, weights)[:2]
    scored = ~np.isnan(values)
    _, centre, _ = moments(values, None)
    # Deviations from a mean, so that sums lose no digits to cancellation.
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is infinite, and refused when ranked
        shift = _weighed(np.where(scored, values - centre[:, None], 0.0), weights)
    weight = np.broadcast_to(weights.sum(axis=0, dtype=np.float64), shift.shape)
    if not scored.all():
        weight = _weighed(scored, weights)
    shift = np.divide(shift, weight, out=np.zeros(weight.shape), where=weight > 0)
    return weight, np.where(weight > 0, centre[:, None] + shift, 0.0)


def draws(keys: NDArray[np.uint64], first: int, replicates: int) -> NDArray[np.uint8]:
    """Return the Poisson numbers of some instances in some replicates, shape `(L, B)`."""
    groups = np.arange(first // LANES, -(-(first + replicates) // LANES), dtype=np.uint64)
    hashes = mix(keys[:, None] + (groups + np.uint64(1)) * STEP)
    skipped = first % LANES
    numbers: NDArray[np.uint8] = POISSON[hashes.astype("<u8", copy=False).view("<u2")]
    return numbers[:, skipped : skipped + replicates]


def comoments(values: NDArray[Any], weights: Floats | None) -> tuple[Floats, ...]:
    """Return count, Σ w, mean, m2 and comoment, each of shape `(N, N)`."""
    return joint_moments(values, weights, moments(values, weights)[1], _product)


def joint_moments(
    values: NDArray[Any], weights: Floats | None, centre: Floats, product: Callable[[Floats, Floats], Floats]
) -> tuple[Floats, ...]:
    """Return the same from means of systems, by sums over instances of left_i right_j, for which there is `product`."""
    scored = ~np.isnan(values)
    # Centred on each system's own mean, sums over the common instances lose no digits to cancellation.
    deviations = np.where(scored, values - centre[:, None], 0.0)
    weighed = deviations if weights is None else deviations * weights
    shape = (len(values), len(values))
    if scored.all():  # sums of a system are then the same, whatever the other
        count = np.full(shape, values.shape[1] + 0.0)
        weight = count if weights is None else np.full(shape, weights.sum())
        sums, squares = (
            np.repeat(total.sum(axis=1), len(values)).reshape(shape) for total in (weighed, weighed * deviations)
        )
    else:
        present = scored.astype(np.float64)
        count = product(present, present)
        weight = count if weights is None else product(present * weights, present)
        sums, squares = product(weighed, present), product(weighed * deviations, present)
    shift = np.divide(sums, weight, out=np.zeros_like(weight), where=weight > 0)
    products = product(weighed, deviations)
    m2 = np.maximum(squares - shift**2 * weight, 0.0)
    comoment = (products + products.T) / 2 - shift * shift.T * weight
    return count, weight, np.where(weight > 0, centre[:, None] + shift, 0.0), m2, comoment


def tied_pairs(values: NDArray[Any], tolerance: float, near: float) -> tuple[int, int, int]:
    """Return the numbers of pairs, of pairs within `tolerance`, and of pairs within `near`."""
    scored = (~np.isnan(values)).sum(axis=0)
    pairs = int((scored * (scored - 1) // 2).sum())
    ordered = np.sort(values, axis=0)
    return pairs, _within(ordered, tolerance), _within(ordered, near)


def _within(ordered: NDArray[Any], reach: float) -> int:
    """Count pairs of a column, sorted upwards with NaN last, that are no further apart than `reach`."""
    pairs = 0
    if ordered.shape[0] > _SEARCH_ABOVE:
        for column in ordered.T:
            scored = column[: column.size - np.count_nonzero(np.isnan(column))]
            last = np.searchsorted(scored, scored + reach, side="right") - 1
            pairs += int((last - np.arange(scored.size)).sum())
        return pairs
    for lag in range(1, ordered.shape[0]):
        close = int(np.count_nonzero(ordered[lag:] <= ordered[:-lag] + reach))
        if close == 0:
            break
        pairs += close
    return pairs


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


def _weighed(array: NDArray[Any], weights: NDArray[Any] | None) -> Floats:
    """Sum over instances, once for each replicate where weights have shape `(L, B)`."""
    if weights is not None and weights.ndim == 2:
        return _weighed_often(array, weights)
    total: Floats = (array if weights is None else array * weights).sum(axis=-1, dtype=np.float64)
    return total


def _weighed_often(array: NDArray[Any], weights: NDArray[Any]) -> Floats:
    """Multiply matrices in stretches of instances, which bounds the memory of weights made into doubles."""
    total = np.zeros((array.shape[0], weights.shape[1]))
    for start in range(0, array.shape[1], _STRETCH):
        stretch = slice(start, start + _STRETCH)
        total += array[:, stretch].astype(np.float64) @ weights[stretch].astype(np.float64)
    return total


def _product(left: Floats, right: Floats) -> Floats:
    """Sum over instances of left_i right_j, in an order that no BLAS thread count changes."""
    return np.array([(row * right).sum(axis=1) for row in left])
