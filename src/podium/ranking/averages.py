"""Averages over tasks: mean, median and interquartile mean of task means, missing tasks left out."""

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["interquartile_mean", "mean", "median"]

Floats = NDArray[np.float64]


def mean(means: Floats, weights: Floats) -> Floats:
    """Weighted mean over tasks of the task means.

    s_i = Σ_t w_t m_ti / Σ_t w_t, both sums over the tasks on which system i has a score (Colombo et al. 2022,
    §2.1). Sums are exact before they are rounded, so the order of tasks does not matter.

    Parameters
    ----------
    means
        Shape `(T, N)`: mean score of each system on each task, in the units of the metrics; NaN where the
        system has no score.
    weights
        Shape `(T,)`: task weights, ≥ 0.

    Returns
    -------
    Shape `(N,)`, in the direction of `means`; NaN for a system without a score on any task that has weight.

    Examples
    --------
    >>> mean(np.array([[1.0, 2.0], [3.0, np.nan]]), np.array([1.0, 1.0]))
    array([2., 2.])
    """
    return np.array([_mean(*_scored(column, weights)) for column in means.T])


def median(means: Floats, weights: Floats) -> Floats:
    """Weighted median over tasks of the task means.

    The middle of the values at which the cumulative weight passes one half: with unit weights the usual
    median; a task of weight 2 counts as the same task twice.

    Parameters
    ----------
    means
        Shape `(T, N)`, in the units of the metrics; NaN where the system has no score; those are left out.
    weights
        Shape `(T,)`: task weights, ≥ 0.

    Returns
    -------
    Shape `(N,)`, in the direction of `means`; NaN for a system without a score on any task that has weight.

    Examples
    --------
    >>> median(np.array([[1.0], [2.0], [10.0], [4.0]]), np.ones(4))
    array([3.])
    """
    return np.array([_median(*_scored(column, weights)) for column in means.T])


def interquartile_mean(means: Floats, weights: Floats) -> Floats:
    """Weighted mean of the middle half of the task means.

    2 ∫ Q(p) dp over p from ¼ to ¾, where Q is the quantile function of the weighted task means; where the
    quartiles cut through a task, it counts in part. With a number of tasks divisible by four this drops the
    lowest and highest quarter and averages the rest.

    Parameters
    ----------
    means
        Shape `(T, N)`, in the units of the metrics; NaN where the system has no score; those are left out.
    weights
        Shape `(T,)`: task weights, ≥ 0.

    Returns
    -------
    Shape `(N,)`, in the direction of `means`; NaN for a system without a score on any task that has weight.

    Examples
    --------
    >>> interquartile_mean(np.array([[1.0], [2.0], [4.0], [100.0]]), np.ones(4))
    array([3.])
    """
    return np.array([_interquartile_mean(*_scored(column, weights)) for column in means.T])


def _scored(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Values that are there and count, in ascending order, with their weights."""
    kept = ~np.isnan(values) & (weights > 0)
    order = np.argsort(values[kept], kind="stable")
    return values[kept][order], weights[kept][order]


def _mean(values: Floats, weights: Floats) -> float:
    if values.size == 0:
        return math.nan
    try:
        with np.errstate(over="ignore"):
            return math.fsum(values * weights) / math.fsum(weights)
    except OverflowError:  # on the way to the sum; refused when ranked
        return math.inf


def _median(values: Floats, weights: Floats) -> float:
    if values.size == 0:
        return math.nan
    passed = np.cumsum(weights)
    half = passed[-1] / 2
    close = 1e-12 * passed[-1]
    low = values[np.searchsorted(passed, half - close)]
    high = values[np.searchsorted(passed, half + close, side="right")]
    return float(low + (high - low) / 2)


def _interquartile_mean(values: Floats, weights: Floats) -> float:
    if values.size == 0:
        return math.nan
    upper = np.cumsum(weights)
    total = upper[-1]
    lower = np.concatenate(([0.0], upper[:-1]))
    inside = np.clip(np.minimum(upper, 0.75 * total) - np.maximum(lower, 0.25 * total), 0.0, None)
    return _mean(values, inside)
