"""How much more data would separate two systems, if what is seen now is the truth."""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError
from podium.ranking.hoeffding import Sided, exponent

Floats = NDArray[np.float64]


def comparisons_needed(
    probability: Floats, *, confidence: float = 0.95, sided: Sided = "two", simultaneous_pairs: int = 1
) -> Floats:
    """Count the comparisons beyond which Hoeffding's bound parts a share won from ½.

    The bound on z comparisons is c(z) = √(log(2m/δ) / 2z), see `radius`, and |p − ½| > c(z) once
    z > log(2m/δ) / (2 (p − ½)²).

    Parameters
    ----------
    probability
        Any shape: share p of comparisons won, taken to stay as it is. NaN gives NaN.
    confidence
        1 − δ, strictly between 0 and 1.
    sided
        "two" or "one" (with log(m/δ)).
    simultaneous_pairs
        Number m of pairs that are to hold together (union bound).

    Returns
    -------
    More comparisons than this are needed; infinite where p = ½.

    Raises
    ------
    MethodError
        The confidence is not between 0 and 1, or `sided` is neither "two" nor "one".

    References
    ----------
    Hoeffding 1963, Theorem 2; Himmi et al. 2023, Eq. 4.

    Examples
    --------
    >>> comparisons_needed(np.array([0.6, 0.55, 0.5])).round(1)
    array([184.4, 737.8,   inf])
    """
    distance = np.asarray(probability, dtype=np.float64) - 0.5
    with np.errstate(divide="ignore"):
        needed: Floats = np.divide(exponent(confidence, sided, simultaneous_pairs) / 2, distance**2)
    return needed


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

    Raises
    ------
    MethodError
        The power is below ½ or not below 1.

    Examples
    --------
    >>> growth_needed(np.array([0.02, 0.01, 0.0]), np.array([0.01, 0.01, 0.01]), critical=1.96).round(2)
    array([1.96, 7.85,  inf])
    """
    if not 0.5 <= power < 1:
        raise MethodError(f"power is {power}; it must be at least 0.5 and below 1, such as 0.8")
    reach = critical + NormalDist().inv_cdf(power)
    size = np.abs(difference)
    ratio = np.divide(reach * std_error, size, out=np.full_like(size, np.inf), where=size != 0)
    growth: Floats = np.square(ratio)
    return growth
