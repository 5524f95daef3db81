"""Robust variance of a pooled mean: bias-reduced linearisation over clusters of tasks, Satterthwaite's freedom."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Share of the largest eigenvalue below which one is rounding.
_ROUNDING = 1e-12


def robust_variance(residual: Floats, inverse: Floats, clusters: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Variance of μ = 1ᵀWy / 1ᵀW1 by CR2, whatever the covariance of effects inside a cluster, and its freedom.

    With r = y − μ, m = 1 / 1ᵀW1 and Φ = W⁻¹, the variance is m² Σ_g (1ᵀW_g A_g r_g)² over clusters. A_g makes it
    unbiased where W is right: it is the symmetric solution of A_g (Φ_g − m 11ᵀ) A_g = Φ_g. The terms of the sum are
    squares of normal numbers with covariance matrix P, so that the freedom is (tr P)² / tr P² (Satterthwaite). With
    one task in each cluster A is 1 / √(1 − h), that of HC2.

    Parameters
    ----------
    residual
        Shape `(A, k)`: r, in A analyses of the same k tasks.
    inverse
        Shape `(A, k, k)`: W, 0 between tasks of different clusters.
    clusters
        Shape `(k,)`: number of the cluster of each task, at least two different ones.

    Returns
    -------
    Shape `(A,)` each: variance and degrees of freedom.

    References
    ----------
    Bell & McCaffrey 2002; Tipton, Psychological Methods 20, 2015; Pustejovsky & Tipton, JBES 36, 2018.

    Examples
    --------
    >>> residual, inverse = np.array([[-0.1, 0.1, 0.0]]), np.eye(3)[None]
    >>> variance, freedom = robust_variance(residual, inverse, np.array([0, 0, 1]))
    >>> variance.round(6), freedom.round(6)
    (array([0.]), array([1.]))
    """
    total = inverse.sum(axis=(1, 2))
    m = 1 / total
    terms, own, cross = [], [], []
    for places in _places(clusters):
        if places.shape[1] == 1:
            moved, of_one, of_itself = _alone(residual[:, places[:, 0]], inverse[:, places[:, 0], places[:, 0]], m)
        else:
            moved, of_one, of_itself = _together(residual, inverse, places, m)
        terms.append(moved)
        own.append(of_itself)
        cross.append(of_one)
    moved, a, b = (np.concatenate(parts, axis=1) for parts in (terms, own, cross))
    variance = m**2 * (moved**2).sum(axis=1)
    # P = m² (diag(a) − m b bᵀ); the factor m² cancels in the freedom.
    bb = m[:, None] * b**2
    trace = (a - bb).sum(axis=1)
    squares = ((a - bb) ** 2).sum(axis=1) + bb.sum(axis=1) ** 2 - (bb**2).sum(axis=1)
    return variance, np.maximum(np.divide(trace**2, squares, out=np.ones_like(trace), where=squares > 0), 1.0)


def _places(clusters: NDArray[np.int64]) -> list[NDArray[np.intp]]:
    """Places of the tasks of each cluster, shape `(clusters, tasks)` for those of each size."""
    order = np.argsort(clusters, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(clusters[order])) + 1)
    sizes = sorted({group.size for group in groups})
    return [np.array([group for group in groups if group.size == size]) for size in sizes]


def _alone(residual: Floats, weight: Floats, m: Floats) -> tuple[Floats, Floats, Floats]:
    """Clusters of one task: w A r, w A 1 and (w A)² Φ, shape `(A, clusters)`."""
    lever = np.minimum(weight * m[:, None], 1.0)
    adjusted = weight / np.sqrt(np.where(lever < 1, 1 - lever, np.inf))
    return adjusted * residual, adjusted, adjusted**2 / weight


def _together(residual: Floats, inverse: Floats, places: NDArray[np.intp], m: Floats) -> tuple[Floats, Floats, Floats]:
    """Clusters of several tasks: 1ᵀW A r, 1ᵀW A 1 and 1ᵀW A Φ A W 1, shape `(A, clusters)`."""
    block = inverse[:, places[:, :, None], places[:, None, :]]  # (A, clusters, tasks, tasks)
    phi = np.linalg.inv(block)
    # With Φ = CᵀC, A = Cᵀ (C (Φ − m 11ᵀ) Cᵀ)^(−½) C.
    c = np.swapaxes(np.linalg.cholesky(phi), -1, -2)
    inner = c @ (phi - m[:, None, None, None]) @ np.swapaxes(c, -1, -2)
    values, axes = np.linalg.eigh(inner)
    kept = values > _ROUNDING * values[..., -1:]
    power = np.where(kept, 1 / np.sqrt(np.where(kept, values, 1.0)), 0.0)
    a = np.swapaxes(c, -1, -2) @ (axes * power[..., None, :]) @ np.swapaxes(axes, -1, -2) @ c
    row = (block.sum(axis=2)[..., None, :] @ a)[..., 0, :]
    moved = np.einsum("agi,agi->ag", row, residual[:, places])
    return moved, row.sum(axis=2), np.einsum("agi,agij,agj->ag", row, phi, row)
