"""How replicates vary: standard deviations, of differences too, and skewness, of numbers of any size."""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Pairs of systems whose replicates are looked at together.
_PAIRS = 256


def unit_of(values: Floats) -> float:
    """Return the power of two just below the largest number: divided by it, squares neither overflow nor vanish.

    A power of two changes no digit. 1 where there is no number but 0.

    >>> unit_of(np.array([-5.0, 3.0])), unit_of(np.zeros(2))
    (4.0, 1.0)
    """
    largest = float(np.abs(values).max(initial=0.0))
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if 0 < largest < math.inf else 1.0


def deviations(samples: Floats) -> Floats:
    """Shape `(N,)`: standard deviation of every row of `(N, B)`, NaN left out; NaN where fewer than two are left.

    >>> deviations(np.array([[1.0, 2.0, 3.0], [1.0, np.nan, np.nan]]))
    array([ 1., nan])
    """
    centred, count = _centred(samples)
    unit = unit_of(centred)
    variance: Floats = np.full(len(samples), np.nan)
    np.divide(((centred / unit) ** 2).sum(axis=1), count - 1, out=variance, where=count > 1)
    return np.sqrt(variance) * unit


def skewness(samples: Floats) -> Floats:
    """Shape `(N,)`: third central moment of every row of `(N, B)` in cubed standard deviations; 0 of a constant.

    >>> skewness(np.array([[0.0, 0.0, 0.0, 4.0], [1.0, 1.0, 1.0, 1.0]])).round(4)
    array([1.1547, 0.    ])
    """
    centred, count = _centred(samples)
    centred = centred / unit_of(centred)
    deviation = np.sqrt((centred**2).sum(axis=1) / count.clip(1))[:, None]
    standardised = np.divide(centred, deviation, out=np.zeros_like(centred), where=deviation > 0)
    third: Floats = (standardised**3).sum(axis=1) / count.clip(1)
    return third


def errors_of_differences(samples: Floats) -> Floats:
    """Standard deviation over replicates of the difference of each system from each other.

    From variances and covariances, Var(x − y) = Var x + Var y − 2 Cov(x, y); where little is left of them, or numbers
    are missing, from the differences themselves.

    Parameters
    ----------
    samples
        Shape `(N, B)`: scores in every replicate; a NaN is left out.

    Returns
    -------
    Shape `(N, N)`, in units of the score; NaN where fewer than two replicates have both.

    Examples
    --------
    >>> errors_of_differences(np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 2.0], [3.0, 2.0, 1.0]]))[0]
    array([0., 0., 2.])
    """
    if np.isnan(samples).any():
        return np.array([deviations(one - samples) for one in samples])
    centred = samples - samples.mean(axis=1, keepdims=True)
    unit = unit_of(centred)
    centred /= unit
    variance = (centred**2).sum(axis=1) / (samples.shape[1] - 1)
    total = variance[:, None] + variance
    of_difference = total - 2 / (samples.shape[1] - 1) * (centred @ centred.T)
    close = np.argwhere(of_difference <= 1e-6 * total)
    errors: Floats = np.sqrt(np.maximum(of_difference, 0.0)) * unit
    for start in range(0, len(close), _PAIRS):
        i, j = close[start : start + _PAIRS].T
        errors[i, j] = deviations(samples[i] - samples[j])
    return errors


def _centred(samples: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return departures from the mean of each row, 0 where there is no number, and how many numbers there are."""
    there = ~np.isnan(samples)
    count = there.sum(axis=1)
    mean = np.where(there, samples, 0.0).sum(axis=1) / count.clip(1)
    return np.where(there, samples - mean[:, None], 0.0), count
