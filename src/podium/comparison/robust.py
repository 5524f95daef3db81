"""Robust variance of a pooled mean: bias-reduced linearisation over clusters of tasks, Satterthwaite's freedom."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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
    groups = _places(clusters)
    of_groups = [inverse[:, places[:, :, None], places[:, None, :]] for places in groups]
    weight = np.concatenate([block.sum(axis=(2, 3)) for block in of_groups], axis=1)  # 1ᵀW_g 1
    others = _others(weight)
    m = 1 / weight.sum(axis=1)
    terms, cross, first = [], [], 0
    for places, block in zip(groups, of_groups, strict=True):
        here = slice(first, first + len(places))
        row = (_alone if places.shape[1] == 1 else _together)(block, (m[:, None] * others)[:, here])
        terms.append(np.einsum("agi,agi->ag", row, residual[:, places]))
        cross.append(row.sum(axis=2))
        first += len(places)
    moved, b = np.concatenate(terms, axis=1), np.concatenate(cross, axis=1)
    variance = m**2 * (moved**2).sum(axis=1)
    # P has m² 1ᵀW_g 1 on its diagonal, as A_g makes it unbiased, and −m³ b_g b_h beside; m² cancels in the freedom.
    bb = m[:, None] * b**2
    squares = (weight**2).sum(axis=1) + (bb * _others(bb)).sum(axis=1)
    return variance, np.maximum(1 / m**2 / squares, 1.0)


def _places(clusters: NDArray[np.int64]) -> list[NDArray[np.intp]]:
    """Places of the tasks of each cluster, shape `(clusters, tasks)` for those of each size."""
    order = np.argsort(clusters, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(clusters[order])) + 1)
    sizes = sorted({group.size for group in groups})
    return [np.array([group for group in groups if group.size == size]) for size in sizes]


def _others(of_each: Floats) -> Floats:
    """Sum over all other clusters, shape `(A, clusters)`; without a subtraction, which costs digits."""
    none = np.zeros((len(of_each), 1))
    before = np.concatenate([none, of_each.cumsum(axis=1)[:, :-1]], axis=1)
    after = np.concatenate([none, of_each[:, ::-1].cumsum(axis=1)[:, :-1]], axis=1)[:, ::-1]
    others: Floats = before + after
    return others


def _alone(block: Floats, left: Floats) -> Floats:
    """Clusters of one task: w A, shape `(A, clusters, 1)`; `left` is 1 − h."""
    root = np.sqrt(left)[..., None]
    return np.divide(block[..., 0], root, out=np.zeros_like(root), where=root > 0)


def _together(block: Floats, left: Floats) -> Floats:
    """Clusters of several tasks: 1ᵀW A, shape `(A, clusters, tasks)`; `left` is 1 − h with h = m 1ᵀW_g 1.

    With Φ = LLᵀ and u = L⁻¹1, Φ − m 11ᵀ = L R² Lᵀ for R = I − (1 − √(1 − h)) uuᵀ / uᵀu. So A = L (NᵀN)^(−½) Lᵀ with
    N = R LᵀL, and 1ᵀW A = uᵀ (NᵀN)^(−½) Lᵀ. Of N, and not of NᵀN, axes are found where variances differ very much.
    """
    size = np.sqrt(np.diagonal(block, axis1=-2, axis2=-1))
    outer = size[..., :, None] * size[..., None, :]
    lower = np.linalg.cholesky(np.linalg.inv(block / outer)) / size[..., None]
    u = np.linalg.solve(lower, np.ones((block.shape[-1], 1)))
    share = (1 - np.sqrt(left)[..., None, None]) / (u**2).sum(axis=-2, keepdims=True)
    gram = np.swapaxes(lower, -1, -2) @ lower
    n = gram - share * u @ (np.swapaxes(u, -1, -2) @ gram)
    _, values, axes = np.linalg.svd(n)
    power = np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)
    along = (axes @ u)[..., 0] * power
    row: Floats = np.einsum("agj,agji,agli->agl", along, axes, lower)
    return row
