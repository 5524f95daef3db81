"""How scores vary over replicates: quantiles, standard errors, skewness, and critical values."""

import math
from typing import Any

import numpy as np

from podium.base.arrays import Floats, Ints
from podium.base.statistics import student_quantile
from podium.score.place import better_and_equal, places

#: Pairs of systems whose replicates are looked at together.
_PAIRS = 256


def quantiles(samples: Floats, shares: list[float]) -> Floats:
    """Shape `(S, N)`: quantiles of the rows of `(N, B)`, NaN left out; NaN where all are.

    The share q lies at place q (B + 1) of the ordered replicates, so that another one falls below it with probability
    q exactly (Davison & Hinkley 1997, §5.2.1); other rules leave out up to 1 / B more on each side.

    >>> quantiles(np.arange(1.0, 1000)[None], [0.025, 0.975]).round(6).tolist()
    [[25.0], [975.0]]
    """
    if not np.isnan(samples).any():
        return np.quantile(samples, shares, axis=1, method="weibull")
    result = np.full((len(shares), samples.shape[0]), np.nan)
    for row, values in enumerate(samples):
        kept = values[~np.isnan(values)]
        if kept.size:
            result[:, row] = np.quantile(kept, shares, method="weibull")
    return result


def share_of_top(samples: Floats, k: int, rounding: Floats) -> Floats:
    """Shape `(N,)`: share of replicates `(N, B)` in which each system is among the best k, ties shared.

    Scores tie that differ by at most the `rounding` of either, of shape `(N,)`.
    """
    place = places(samples, tolerance=rounding[:, None])
    better, equal = better_and_equal(place)
    within: Floats = np.clip((k - better) / equal.clip(1), 0.0, 1.0)
    return np.asarray(np.where(place >= 0, within, 0.0).mean(axis=1))


def deviations(samples: Floats) -> Floats:
    """Shape `(N,)`: standard deviation of every row of `(N, B)`, NaN left out; NaN where fewer than two are left.

    >>> deviations(np.array([[1.0, 2.0, 3.0], [1.0, np.nan, np.nan]]))
    array([ 1., nan])
    """
    centred, count = departures(samples)
    unit = power_of_two(centred)
    squares, unknown = ((centred / unit) ** 2).sum(axis=1), np.full(len(samples), np.nan)
    return np.asarray(np.sqrt(np.divide(squares, count - 1, out=unknown, where=count > 1)) * unit)


def skewness(samples: Floats) -> Floats:
    """Shape `(N,)`: third central moment of every row of `(N, B)` in cubed standard deviations; 0 of a constant.

    >>> skewness(np.array([[0.0, 0.0, 0.0, 4.0], [1.0, 1.0, 1.0, 1.0]])).round(4)
    array([1.1547, 0.    ])
    """
    centred, count = departures(samples)
    centred = centred / power_of_two(centred)
    deviation = np.sqrt((centred**2).sum(axis=1) / count.clip(1))[:, None]
    standardised = np.divide(centred, deviation, out=np.zeros_like(centred), where=deviation > 0)
    return np.asarray((standardised**3).sum(axis=1) / count.clip(1))


def squared_differences(values: Floats) -> tuple[Floats, Floats]:
    """Shape `(N, N)` each: Σ_u (x_ui − x_uj)² over the rows of `(U, N)`, and Σ_u x_ui² + Σ_u x_uj².

    The first from products; where little is left of their digits, from the differences themselves.

    >>> squared_differences(np.array([[1.0, 2.0], [0.0, 2.0]]))[0]
    array([[0., 5.],
           [5., 0.]])
    """
    products = values.T @ values
    own = np.diag(products)
    total = own[:, None] + own
    squares = np.maximum(total - 2 * products, 0.0)
    close = np.argwhere(squares <= 1e-6 * total)
    for start in range(0, len(close), _PAIRS):
        i, j = close[start : start + _PAIRS].T
        squares[i, j] = ((values[:, i] - values[:, j]) ** 2).sum(axis=0)
    return squares, total


def errors_of_differences(samples: Floats) -> Floats:
    """Return the standard deviation over replicates of the difference of each system from each other.

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
    unit = power_of_two(centred)
    squares, _ = squared_differences(centred.T / unit)
    return np.asarray(np.sqrt(squares / (samples.shape[1] - 1)) * unit)


def departures(samples: Floats) -> tuple[Floats, Ints]:
    """Return departures from the mean over the last axis, 0 where there is no number, and how many numbers there are.

    >>> departures(np.array([[1.0, 3.0, np.nan]]))
    (array([[-1.,  1.,  0.]]), array([2]))
    """
    there = ~np.isnan(samples)
    count = there.sum(axis=-1)
    mean = np.where(there, samples, 0.0).sum(axis=-1) / count.clip(1)
    return np.where(there, samples - mean[..., None], 0.0), count


def power_of_two(values: Floats) -> float:
    """Return the power of two just below the largest number: divided by it, squares neither overflow nor vanish.

    A power of two changes no digit. 1 where there is no number but 0.

    >>> power_of_two(np.array([-5.0, 3.0])), power_of_two(np.zeros(2))
    (4.0, 1.0)
    """
    largest = float(np.abs(values).max(initial=0.0))
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if 0 < largest < math.inf else 1.0


def critical_value(confidence: float, df: float, *, units: str, statements: int = 1) -> float:
    """Return the standard deviations of replicates that the error of any of m statements exceeds in α of cases at most.

    c = √(n / (n − 1)) · −t_{n−1}⁻¹(α / 2m): Student's quantile, since the standard error too is known from n units
    only, with α = 1 − confidence divided among the statements (Bonferroni). The root undoes that drawing n of n tasks
    divides squares by n; it is left out for units = "instances", whose Poisson draws vary in number too, by which
    the variance of a mean grows by as much as it lacks: (1 − 1/n)(1 + 1/n + …) ≈ 1; and for "repeats", which have been
    widened.

    >>> round(critical_value(0.95, 8, units="tasks"), 3), round(critical_value(0.95, 1e9, units="instances"), 3)
    (2.446, 1.96)
    """
    return float(-student_quantile((1 - confidence) / 2 / statements, df) * widening(df, units))


def widening(df: Any, units: str) -> Any:
    """By how much replicates vary less than the scores of as many new units."""
    return 1.0 if units in {"instances", "repeats"} else np.sqrt(1 + 1 / np.maximum(df, 1e-300))
