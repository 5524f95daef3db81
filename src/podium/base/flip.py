"""Flips of signs: how often a sum comes out as large as it did, if each of its terms might have had the other sign."""

import math

import numpy as np
from numpy.typing import NDArray

from podium.base.statistics import normal_cdf

Floats = NDArray[np.float64]

#: Up to so many terms, signs are flipped in all ways.
COUNTED = 14

#: Steps to the saddlepoint at most; a handful are enough unless all terms but one agree.
_STEPS = 50


def all_signs(n_units: int) -> Floats:
    """Shape `(2^(U − 1), U)`: all ways to set signs, the last fixed, since all may be turned together; first none."""
    ways = np.arange(2 ** (n_units - 1))[:, None] >> np.arange(n_units)
    return np.asarray(1.0 - 2.0 * (ways & 1), dtype=np.float64)


def sign_flip_p_values(differences: Floats) -> Floats:
    """Two-sided p-values of sums of differences, if each was as likely to have the other sign (Fisher 1935).

    If two systems are equal, every unit might as well have exchanged their scores. The p-value is the share of the 2^U
    ways to set the signs of d₁ … d_U that make |Σ ± d| at least as large as it is: exact for any distribution of |d|,
    also of ranks. Up to 14 units the ways are counted. Above, the share is that of the saddlepoint approximation
    (Robinson 1982; Lugannani & Rice 1980) at |Σ d| less the smallest |d| that is not 0, half a step of the sum.

    Parameters
    ----------
    differences
        Shape `(P, U)`: of P pairs of systems, on U units.

    Examples
    --------
    >>> sign_flip_p_values(np.array([[1.0, 1.0, 1.0, 1.0, 1.0, 1.0], [2.0, -1.0, 1.0, 3.0, 0.0, -2.0]])).round(3)
    array([0.031, 0.688])
    """
    if differences.shape[1] <= COUNTED:
        return _counted(differences)
    size = np.abs(differences)
    size = size / np.maximum(size.max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    size[size < 1e-9] = 0.0
    signed = np.copysign(size, differences).sum(axis=1)
    whole = size.sum(axis=1)
    least = 2.0 ** (1 - np.count_nonzero(size, axis=1))
    step = np.where(size > 0, size, np.inf).min(axis=1)
    reach = np.abs(signed) - np.where(np.isfinite(step), step, 0.0)
    p = np.ones(len(size))
    agreed = (np.abs(signed) >= whole * (1 - 1e-9)) & (whole > 0)
    p[agreed] = least[agreed]
    some = np.flatnonzero(~agreed & (reach > 1e-9 * whole))
    if some.size:
        p[some] = np.clip(2 * _tail(size[some], reach[some]), least[some], 1.0)
    return p


def flip_p_value(added: Floats) -> float:
    """The same of one sum: by the binomial distribution if all terms that are not 0 have one size (McNemar 1947).

    Parameters
    ----------
    added
        Shape `(U,)`.

    Examples
    --------
    >>> round(flip_p_value(np.array([1.0] * 8 + [-1.0] * 2 + [0.0] * 90)), 4)
    0.1094
    """
    size = np.abs(added)
    moved = added[size > 1e-12 * size.max(initial=0.0)]
    if not moved.size:
        return 1.0
    size = np.abs(moved)
    if size.min() < (1 - 1e-9) * size.max():
        return float(sign_flip_p_values(moved[None])[0])
    number, fewer = moved.size, min(np.count_nonzero(moved > 0), np.count_nonzero(moved < 0))
    whole = math.lgamma(number + 1) - number * math.log(2)
    tail = sum(math.exp(whole - math.lgamma(k + 1) - math.lgamma(number - k + 1)) for k in range(fewer + 1))
    return min(2 * tail, 1.0)


def _counted(differences: Floats) -> Floats:
    """The same by counting; with the last sign fixed, since all may be turned together."""
    sums = np.abs(differences @ all_signs(differences.shape[1]).T)
    observed = np.abs(differences.sum(axis=1, keepdims=True))
    slack = 1e-12 * np.abs(differences).sum(axis=1, keepdims=True)
    share: Floats = (sums >= observed - slack).mean(axis=1)
    return share


def _tail(size: Floats, reach: Floats) -> Floats:
    """Probability that Σ ± size is at least `reach`: Lugannani & Rice's formula, for K(θ) = Σ log cosh(θ size)."""
    theta = _saddlepoint(size, reach)
    tilted = theta[:, None] * size
    cumulant = (np.logaddexp(tilted, -tilted) - math.log(2)).sum(axis=1)
    curvature = (size**2 * (1 - np.tanh(tilted) ** 2)).sum(axis=1)
    root = np.sqrt(np.maximum(2 * (theta * reach - cumulant), 0.0))
    normal = normal_cdf(-reach / np.sqrt((size**2).sum(axis=1)))
    far = root > 0.05  # nearer, the formula is the difference of two large numbers, and the normal tail right
    density = np.exp(-(root**2) / 2) / math.sqrt(2 * math.pi)
    with np.errstate(divide="ignore", invalid="ignore"):
        corrected = normal_cdf(-root) + density * (1 / (theta * np.sqrt(curvature)) - 1 / root)
    tail: Floats = np.where(far & np.isfinite(corrected), corrected, normal)
    return tail


def _saddlepoint(size: Floats, reach: Floats) -> Floats:
    """Shape `(P,)`: θ where Σ size tanh(θ size) = reach: Newton's steps, kept between bounds."""
    theta: Floats = reach / (size**2).sum(axis=1)
    low, high = np.zeros_like(theta), np.full_like(theta, np.inf)
    for _ in range(_STEPS):
        bent = np.tanh(theta[:, None] * size)
        over = (size * bent).sum(axis=1) - reach
        low, high = np.where(over < 0, theta, low), np.where(over < 0, high, theta)
        slope = (size**2 * (1 - bent**2)).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            newton = theta - over / slope
        middle = np.where(np.isinf(high), 2 * theta, (low + high) / 2)
        following: Floats = np.where((newton > low) & (newton < high), newton, middle)
        done = np.abs(following - theta).max() <= 1e-9 * np.abs(theta).min()
        theta = following
        if done:
            break
    return theta
