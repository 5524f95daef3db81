"""Moments of systems, and of pairs of systems, compiled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.compile import compiled
from podium.tally.moment import joint_moments

Floats = NDArray[np.float64]

#: Instances of which sums of products are made at a time.
_STRETCH = 1024


def moments(values: NDArray[Any], weights: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Return Σ w, the mean and Σ w (x − mean)², each of shape `(N,)`."""
    each = np.ones(values.shape[1]) if weights is None else np.ascontiguousarray(weights)
    return _moments(values, each)  # type: ignore[no-any-return]


def comoments(values: NDArray[Any], weights: Floats | None) -> tuple[Floats, ...]:
    """Return count, Σ w, mean, m2 and comoment, each of shape `(N, N)`."""
    return joint_moments(values, weights, moments(values, weights)[1], _products)


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
