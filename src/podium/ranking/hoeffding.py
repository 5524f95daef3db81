"""Hoeffding: how far a share of comparisons may lie from its probability, and how many part the two from ½."""

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from podium.base.check import check_confidence, is_one_of
from podium.base.errors import MethodError, nearest

#: Whether a bound holds below and above together, or each by itself.
Sided = Literal["two", "one"]

SIDES: tuple[Sided, ...] = ("two", "one")


def radius(
    compared: NDArray[np.float64], *, confidence: float = 0.95, sided: Sided = "two", simultaneous: bool = False
) -> NDArray[np.float64]:
    """Shape `(N, N)`: distance c_ij that share and probability of i beating j exceed with probability at most δ.

    With δ = 1 − confidence, c_ij = sqrt(log(2/δ) / (2 z_ij)) for the two sides together and
    c_ij = sqrt(log(1/δ) / (2 z_ij)) for either side alone (Hoeffding 1963, Theorem 2). Himmi et al. 2023, Eq. 4,
    print the latter and use it as if it were the former; their δ is the probability of error too.

    Parameters
    ----------
    compared
        Shape `(N, N)`: z_ij, the number of independent comparisons of i and j, each of which counts 0, ½ or 1. Where
        comparisons weigh w_b, the bound holds with the effective number (Σ w_b)² / Σ w_b².
    confidence
        1 − δ, strictly between 0 and 1.
    sided
        "two": c bounds the distance below and above together; "one": each of the two sides by itself.
    simultaneous
        Let the bounds of all N (N − 1) / 2 pairs hold together (union bound), with δ divided by their number; one-sided
        ones in one direction per pair, chosen beforehand.

    Returns
    -------
    Infinite where nothing was compared.

    Raises
    ------
    MethodError
        The confidence is not between 0 and 1, or `sided` is neither "two" nor "one".

    Examples
    --------
    >>> radius(np.array([[0.0, 200.0], [200.0, 0.0]])).round(4)
    array([[  inf, 0.096],
           [0.096,   inf]])
    """
    n_systems = len(compared)
    pairs = max(1, n_systems * (n_systems - 1) // 2) if simultaneous else 1
    half = exponent(confidence, sided, pairs) / 2
    squared = np.divide(half, compared, out=np.full(compared.shape, np.inf), where=compared > 0)
    distance: NDArray[np.float64] = np.sqrt(squared)
    return distance


def ends(
    probability: NDArray[np.float64], distance: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower and upper ends of intervals: share ∓ distance, but never outside 0 to 1; these two where nothing is known.

    Parameters
    ----------
    probability
        Shares won, NaN where nothing was compared.
    distance
        As of `radius`, infinite there.

    Examples
    --------
    >>> ends(np.array([0.9, np.nan]), np.array([0.2, np.inf]))
    (array([0.7, 0. ]), array([1., 1.]))
    """
    return np.fmax(probability - distance, 0.0), np.fmin(probability + distance, 1.0)


def comparisons_needed(
    probability: NDArray[np.float64], *, confidence: float = 0.95, sided: Sided = "two", simultaneous_pairs: int = 1
) -> NDArray[np.float64]:
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
        needed: NDArray[np.float64] = np.divide(exponent(confidence, sided, simultaneous_pairs) / 2, distance**2)
    return needed


def exponent(confidence: float, sided: Sided, pairs: int = 1) -> float:
    """2 z c² of the bound c on z comparisons: log(2m/δ) for two sides of m pairs together, log(m/δ) for one.

    Raises
    ------
    MethodError
        The confidence is not between 0 and 1, or `sided` is neither "two" nor "one".

    Examples
    --------
    >>> round(exponent(0.95, "two"), 4)
    3.6889
    """
    check_confidence(confidence)
    if not is_one_of(sided, SIDES):
        raise MethodError(f"there is no sided={sided!r}; {nearest(str(sided), SIDES)}")
    return math.log(pairs * (2 if sided == "two" else 1)) - math.log1p(-confidence)
