"""Intervals of means over repeats: of shares of the first place, and of measures that spread over a range."""

from math import e

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, stdtrit

Floats = NDArray[np.float64]


def share_interval(mean: ArrayLike, repeats: ArrayLike, error: ArrayLike) -> tuple[Floats, Floats]:
    """Return the ends of an interval of the mean of a share from 0 to 1, which holds for any number of repeats.

    A sum S of independent shares with mean p passes a whole number with at most e times the probability that a binomial
    number of as many tries passes it: P(S ≥ k) ≤ e P(Bin(R, p) ≥ k). So this is the interval of Clopper and Pearson at
    a level of error / e, of the sum rounded outwards.

    Parameters
    ----------
    mean
        Any shape: of the shares.
    repeats
        Shape that broadcasts against it: how many shares, each of an independent repeat.
    error
        The same: how often the interval may miss, at most.

    References
    ----------
    Bentkus 2004 (On Hoeffding's inequalities), for sums of shares; Clopper & Pearson 1934.

    Examples
    --------
    >>> low, high = share_interval([0.0, 0.5, 1.0], 100, 0.05)
    >>> low.round(3), high.round(3)
    (array([0.   , 0.379, 0.954]), array([0.046, 0.621, 1.   ]))
    """
    total, of = np.broadcast_arrays(np.multiply(mean, repeats), np.asarray(repeats, dtype=np.float64))
    tail = np.divide(error, 2 * e)
    rounding = 1e-9 * of
    down, up = np.floor(total + rounding), np.ceil(total - rounding)
    low = np.where(down > 0, betaincinv(np.maximum(down, 1), of - down + 1, tail), 0.0)
    high = np.where(up < of, betaincinv(up + 1, np.maximum(of - up, 1), 1 - tail), 1.0)
    return low, high


def mean_interval(mean: ArrayLike, spread: ArrayLike, repeats: ArrayLike, error: ArrayLike) -> tuple[Floats, Floats]:
    """Return the ends of Student's interval of a mean over repeats; infinite where there is one repeat.

    Parameters
    ----------
    mean, spread, repeats
        Shapes that broadcast: mean, standard deviation and number of the repeats.
    error
        The same: how often the interval may miss.

    Examples
    --------
    >>> low, high = mean_interval(0.5, 0.1, 100, 0.05)
    >>> print(round(float(low), 3), round(float(high), 3))
    0.48 0.52
    """
    repeats = np.asarray(repeats, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        reach = -stdtrit(np.maximum(repeats - 1, 1), np.divide(error, 2)) * np.asarray(spread) / np.sqrt(repeats)
    reach = np.where(repeats > 1, reach, np.inf)
    return np.subtract(mean, reach), np.add(mean, reach)
