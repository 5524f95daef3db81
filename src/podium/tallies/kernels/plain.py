"""Kernels in plain NumPy: short, obvious, and the reference for the compiled ones."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["comoments", "duels", "moments", "rank_sums", "tied_pairs"]

Floats = NDArray[np.float64]


def rank_sums(values: NDArray[Any], weights: Floats | None, tolerance: float) -> Floats:
    """Return Σ w E[rank], shape `(N,)`."""
    return _weighed(_expected_ranks(values, tolerance), weights)


def duels(values: NDArray[Any], weights: Floats | None, tolerance: float) -> tuple[Floats, Floats, Floats]:
    """Return wins, ties and imputed wins, each of shape `(N, N)`."""
    n_systems = values.shape[0]
    scored = ~np.isnan(values)
    wins = np.array([_weighed(row > values + tolerance, weights) for row in values])
    compared = np.array([_weighed(row & scored, weights) for row in scored])
    ties = compared - wins - wins.T
    np.fill_diagonal(ties, 0.0)
    if scored.all():
        return wins, ties, np.zeros_like(wins)
    # Position share of the scored, i.e. the chance that one given unscored system is above them.
    shares = np.where(scored, _expected_ranks(values, tolerance) / (n_systems + 1), 0.0)
    one = np.array([_weighed(~row & scored, weights) for row in scored])
    above = np.array([_weighed(np.where(~row, shares, 0.0), weights) for row in scored])
    neither = np.array([_weighed(~row & ~scored, weights) for row in scored])
    imputed = above + (one - above).T + neither / 2
    np.fill_diagonal(imputed, 0.0)
    return wins, ties, imputed


def moments(values: NDArray[Any], weights: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Return Σ w, the mean and Σ w (x − mean)², each of shape `(N,)`."""
    scored = ~np.isnan(values) if weights is None else ~np.isnan(values) & (weights > 0)
    weight = _weighed(scored, weights)
    # Deviations from a score of the system itself: a constant system has exactly that mean.
    first = values[np.arange(values.shape[0]), scored.argmax(axis=1)].astype(np.float64)
    origin = np.where(scored.any(axis=1), first, 0.0)
    deviations = np.where(scored, values - origin[:, None], 0.0)
    shift = np.divide(_weighed(deviations, weights), weight, out=np.zeros_like(weight), where=weight > 0)
    deviations = np.where(scored, deviations - shift[:, None], 0.0)
    return weight, np.where(weight > 0, origin + shift, 0.0), _weighed(deviations**2, weights)


def comoments(values: NDArray[Any], weights: Floats | None) -> tuple[Floats, ...]:
    """Return count, Σ w, mean, m2 and comoment, each of shape `(N, N)`."""
    scored = ~np.isnan(values)
    present = scored.astype(np.float64)
    weighed = present if weights is None else present * weights
    _, centre, _ = moments(values, weights)
    # Centred on each system's own mean, sums over the common instances lose no digits to cancellation.
    deviations = np.where(scored, values - centre[:, None], 0.0)
    weighed_deviations = deviations if weights is None else deviations * weights
    weight = _product(weighed, present)
    shift = np.divide(_product(weighed_deviations, present), weight, out=np.zeros_like(weight), where=weight > 0)
    m2 = _product(weighed_deviations * deviations, present) - shift**2 * weight
    comoment = _product(weighed_deviations, deviations) - shift * shift.T * weight
    mean = np.where(weight > 0, centre[:, None] + shift, 0.0)
    return _product(present, present), weight, mean, np.maximum(m2, 0.0), comoment


def tied_pairs(values: NDArray[Any], tolerance: float, near: float) -> tuple[int, int, int]:
    """Return the numbers of pairs, of pairs within `tolerance`, and of pairs within `near`."""
    scored = (~np.isnan(values)).sum(axis=0)
    pairs = int((scored * (scored - 1) // 2).sum())
    return pairs, _tied(values, tolerance), _tied(values, near)


def _tied(values: NDArray[Any], tolerance: float) -> int:
    above, below, scored = _standing(values, tolerance)
    others = np.where(np.isnan(values), 0, scored - 1 - above - below)
    return int(others.sum()) // 2


def _expected_ranks(values: NDArray[Any], tolerance: float) -> Floats:
    """Shape `(N, L)`: r (N + 1) / (k + 1) where scored, (N + 1) / 2 where not."""
    above, below, scored = _standing(values, tolerance)
    midranks = (above - below + scored + 1) / 2
    size = values.shape[0] + 1
    expected: Floats = np.where(np.isnan(values), size / 2, midranks * (size / (scored + 1)))
    return expected


def _standing(values: NDArray[Any], tolerance: float) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of systems above and below each score, `(N, L)`, and of scored systems, `(L,)`."""
    above = np.zeros(values.shape, dtype=np.int64)
    below = np.zeros(values.shape, dtype=np.int64)
    scored = (~np.isnan(values)).sum(axis=0)
    n_systems, n_instances = values.shape
    if n_systems <= 4 * n_instances:
        for system in range(n_systems):
            above[system] = (values > values[system] + tolerance).sum(axis=0)
            below[system] = (values[system] > values + tolerance).sum(axis=0)
        return above, below, scored
    for instance in range(n_instances):
        column = values[:, instance]
        ordered = np.sort(column)[: scored[instance]]
        above[:, instance] = ordered.size - np.searchsorted(ordered, column + tolerance, side="right")
        below[:, instance] = np.searchsorted(ordered + tolerance, column, side="left")
    return above, below, scored


def _weighed(array: NDArray[Any], weights: Floats | None) -> Floats:
    """Sum over instances."""
    total: Floats = (array if weights is None else array * weights).sum(axis=-1, dtype=np.float64)
    return total


def _product(left: Floats, right: Floats) -> Floats:
    """Sum over instances of left_i right_j, in an order that no BLAS thread count changes."""
    return np.array([(row * right).sum(axis=1) for row in left])
