"""How much more data would separate systems whose scores differ by so much, with such standard errors."""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from podium.ranking.deviation import errors_of_differences
from podium.ranking.result import Ranking

Floats = NDArray[np.float64]


def differences(ranking: Ranking) -> Floats:
    """Shape `(N, N)`: differences of goodness, 0 for systems that share a rank."""
    goodness = ranking.score if ranking.higher_is_better else -ranking.score
    same = (ranking.rank[:, None] == ranking.rank) & (ranking.rank > 0)
    return np.where(same, 0.0, goodness[:, None] - goodness)


def separation(ranking: Ranking) -> tuple[Floats, NDArray[np.bool_], float]:
    """Shape `(N, N)`: standard errors of differences, and which are separated; and the joint critical value."""
    intervals = ranking.intervals
    if intervals is None:
        nothing = np.full((len(ranking), len(ranking)), np.nan)
        return nothing, np.zeros(nothing.shape, dtype=np.bool_), np.nan
    return errors_of_differences(intervals.samples), intervals.separated, intervals.critical


def growth_needed(difference: Floats, std_error: Floats, critical: float, *, power: float = 0.8) -> Floats:
    """Find the factor by which a sample must grow to separate scores with a given probability.

    Scores are separated where |d| > c · se. With f times as many units the standard error is se/√f, and a new
    difference is about normal around d with that error, so that it exceeds the bound with the probability wanted if
    f = ((c + Φ⁻¹(power)) se / d)². With power ½ this is (c · se / d)², where d itself just reaches the bound.

    It assumes that d is the true difference, that a unit varies as much as those seen, and that all tasks grow alike
    (or, where units are tasks, that there are more tasks of the same kind).

    Parameters
    ----------
    difference
        Any shape: d, in units of the score. NaN gives NaN.
    std_error
        Same shape: se of d at the present size, ≥ 0.
    critical
        c, in standard errors.
    power
        Probability with which to separate, at least ½ and below 1.

    Returns
    -------
    f: above 1 more units are needed, below 1 fewer would do; infinite where d = 0.

    Examples
    --------
    >>> growth_needed(np.array([0.02, 0.01, 0.0]), np.array([0.01, 0.01, 0.01]), critical=1.96).round(2)
    array([1.96, 7.85,  inf])
    """
    reach = critical + NormalDist().inv_cdf(power)
    size = np.abs(difference)
    ratio = np.divide(reach * std_error, size, out=np.full_like(size, np.inf), where=size != 0)
    growth: Floats = np.square(ratio)
    return growth
