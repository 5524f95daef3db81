"""Moments of systems, and of pairs of systems."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.compiling import compiled

__all__ = ["comoments", "moments"]

Floats = NDArray[np.float64]


def moments(values: NDArray[Any], weights: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Return Σ w, the mean and Σ w (x − mean)², each of shape `(N,)`."""
    each = np.ones(values.shape[1]) if weights is None else np.ascontiguousarray(weights)
    return _moments(values, each)  # type: ignore[no-any-return]


def comoments(values: NDArray[Any], weights: Floats | None) -> tuple[Floats, ...]:
    """Return count, Σ w, mean, m2 and comoment, each of shape `(N, N)`."""
    each = np.ones(values.shape[1]) if weights is None else np.ascontiguousarray(weights)
    _, centre, _ = _moments(values, each)
    return _comoments(values, each, centre)  # type: ignore[no-any-return]


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
def _comoments(values, weights, centre):  # type: ignore[no-untyped-def]
    """Sums of deviations from each system's own mean, over the common instances of every pair."""
    n_systems, n_instances = values.shape
    count = np.zeros((n_systems, n_systems))
    weight = np.zeros((n_systems, n_systems))
    mean = np.zeros((n_systems, n_systems))
    m2 = np.zeros((n_systems, n_systems))
    comoment = np.zeros((n_systems, n_systems))
    for i in range(n_systems):
        left = values[i]
        for j in range(i, n_systems):
            right = values[j]
            n = 0.0
            w = 0.0
            sx = 0.0
            sy = 0.0
            sxx = 0.0
            syy = 0.0
            sxy = 0.0
            for c in range(n_instances):
                both = (left[c] == left[c]) & (right[c] == right[c])
                x = left[c] - centre[i] if both else 0.0
                y = right[c] - centre[j] if both else 0.0
                each = weights[c] if both else 0.0
                n += 1.0 if both else 0.0
                w += each
                sx += each * x
                sy += each * y
                sxx += each * x * x
                syy += each * y * y
                sxy += each * x * y
            count[i, j] = count[j, i] = n
            if w == 0.0:
                continue
            weight[i, j] = weight[j, i] = w
            mean[i, j] = centre[i] + sx / w
            mean[j, i] = centre[j] + sy / w
            m2[i, j] = max(sxx - sx * sx / w, 0.0)
            m2[j, i] = max(syy - sy * sy / w, 0.0)
            comoment[i, j] = comoment[j, i] = sxy - sx * sy / w
    return count, weight, mean, m2, comoment
