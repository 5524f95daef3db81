"""Kendall's τ-b of two orders of systems, with an interval for other systems of the kind."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Bools, Floats, Ints
from podium.base.statistics import student_quantile

#: Fewer systems have no interval.
FEWEST = 6


class TauB(NamedTuple):
    """Kendall's τ-b and its interval, arrays of one shape.

    NaN where one of two ties all systems, and of intervals where there are fewer than six.
    """

    value: Floats
    low: Floats
    high: Floats


class _Pairs(NamedTuple):
    """Pairs of systems, or those with one system, for each two scores that are compared, arrays of one shape."""

    alike: Floats  # ordered alike less unlike
    first: Floats  # untied in the first scores, known in both
    second: Floats

    def tau(self) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.alike / np.sqrt(self.first * self.second))


def tau_b(first: Floats, second: Floats, confidence: float) -> TauB:
    """Return τ-b of K pairs of scores, each of shape `(K, N)`, and its interval for other systems of the kind.

    With s the jackknife's standard error over n systems, and one more that has no relation to them: τ' = n τ / (n + 1),
    s'² = s² n / (n + 1) + 4 τ'² / (n + 1)², and the interval is τ' ± t s', t of n − 3 degrees of freedom. What is added
    keeps it long enough if all systems seen are in one order. Only the order of scores matters; they are compared on
    the systems that have both, and are NaN for others.

    References
    ----------
    Arvesen, Annals of Mathematical Statistics 40, 1969 (jackknife of U-statistics).

    Examples
    --------
    >>> found = tau_b(np.array([np.arange(8.0)]), np.array([[1.0, 0, 2, 3, 4, 6, 5, 7]]), 0.95)
    >>> [round(float(one[0]), 3) for one in found]
    [0.857, 0.23, 1.0]
    """
    both = ~np.isnan(first) & ~np.isnan(second)

    def signs(scores: Floats, i: int) -> NDArray[np.int8]:
        own = scores[:, i, None]
        return ((own > scores).view(np.int8) - (own < scores).view(np.int8)) * (both & both[:, i, None])

    counted = []
    for i in range(first.shape[1]):
        one, other = signs(first, i), signs(second, i)
        counts = (one * other).sum(axis=1), np.abs(one).sum(axis=1), np.abs(other).sum(axis=1)
        counted.append((_Pairs(*(count.astype(np.float64) for count in counts)), both[:, i]))
    return _jackknifed(lambda: iter(counted), both.sum(axis=1), confidence)


def every_tau_b(scores: Floats, confidence: float) -> TauB:
    """Return the same for every two of K scores, of shape `(K, N)`, as matrices of shape `(K, K)`."""
    there = ~np.isnan(scores)

    def counted() -> Iterator[tuple[_Pairs, Bools]]:
        for i in range(scores.shape[1]):
            signs = np.nan_to_num(np.sign(scores[:, i, None] - scores)).astype(np.float32)  # counts are exact
            untied = (np.abs(signs) @ (there & there[:, i, None]).astype(np.float32).T).astype(np.float64)
            yield _Pairs((signs @ signs.T).astype(np.float64), untied, untied.T), there[:, i, None] & there[:, i]

    return _jackknifed(counted, there.astype(np.int64) @ there.T.astype(np.int64), confidence)


def _jackknifed(counted: Callable[[], Iterator[tuple[_Pairs, Bools]]], n: Ints, confidence: float) -> TauB:
    """Make intervals of what is counted for each system: its pairs, and whether both scores know it."""
    twice, total, squares = _Pairs(*np.zeros((3, *n.shape))), np.zeros(n.shape), np.zeros(n.shape)
    for own, _ in counted():
        twice = _Pairs(*(before + count for before, count in zip(twice, own, strict=True)))
    value = twice.tau()
    for own, there in counted():
        rest = _Pairs(*(every - 2 * count for every, count in zip(twice, own, strict=True)))
        without = np.where(there, rest.tau(), 0.0)
        total, squares = total + without, squares + without**2
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.maximum(squares / n - (total / n) ** 2, 0.0)
        middle = value * n / (n + 1)
        error = np.sqrt((n - 1) * spread * n / (n + 1) + 4 * (middle / (n + 1)) ** 2)
    half = np.full(n.shape, np.nan)
    for number in np.unique(n[n >= FEWEST]).tolist():
        half[n == number] = -student_quantile((1 - confidence) / 2, number - 3)
    half *= error
    low, high = np.maximum(np.minimum(middle - half, value), -1.0), np.minimum(np.maximum(middle + half, value), 1.0)
    return TauB(value, low, high)
