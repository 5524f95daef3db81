"""Exact tests for few units: differences of systems whose validity does not rest on there being many units.

A standard error that is known from six or twenty units is often too small by chance, above all if scores are ranks: two
equal systems then differ by the same number on every unit. So the signs of differences are flipped instead, whole units
at a time.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.flip import COUNTED, all_signs, flip_p_value
from podium.ranking.deviation import unit_of
from podium.tally.draw import sign_flips

Floats = NDArray[np.float64]

Bools = NDArray[np.bool_]

#: Up to so many units, pairs of systems are separated by flips. Above, Student's test has nearly the same power.
FLIPPED_UNITS = 200

#: Up to so many units, neither the skewness of a mean is known, nor a single pair's normal approximation good enough.
FEW_UNITS = 50

#: Of more units than `COUNTED`, signs are flipped in so many ways, all but the first by chance.
_BY_CHANCE = 5000

#: Flips times pairs of systems above which fewer flips are made, and the fewest that are.
_AT_MOST, _AT_LEAST = 2 * 10**9, 1000

#: A statistic that is larger by this share is as large; and a sum of squares of this share is none.
_ROUNDING, _NOTHING = 1e-9, 1e-24

#: Pairs of systems, and units, that are looked at together.
_PAIRS, _UNITS = 1024, 4096


@dataclass(frozen=True, slots=True, eq=False)
class Separated:
    """Which systems a test separates, at the error α.

    Attributes
    ----------
    joint
        Shape `(N, N)`, symmetric: whether i and j differ, if all pairs are judged together.
    own
        Shape `(N, N)`: whether i and j differ, if the N − 1 pairs of i are judged together, two-sided.
    beaten
        Shape `(N,)`: whether another system is better, one-sided, if the N − 1 pairs of the system are judged together.
        The best system is said to be beaten with a probability of at most α.
    """

    joint: Bools
    own: Bools
    beaten: Bools

    def __and__(self, other: "Separated") -> "Separated":
        """Return what both tests say."""
        return Separated(self.joint & other.joint, self.own & other.own, self.beaten & other.beaten)

    @classmethod
    def where(cls, pairs: Bools) -> Self:
        """Return that all of some pairs `(N, N)` are separated."""
        return cls(pairs, pairs, np.asarray(pairs.any(axis=1)))


def flipped(values: Floats, *, alpha: float, seed: int) -> Separated:
    """Separate systems by flips of whole units: exact for any scores of symmetric differences (Fisher 1935).

    If two systems are equal in all, every unit might as well have exchanged their scores. So the sign of what unit u
    adds to a difference, d_u = x_ui − x_uj, is flipped, the same for all pairs. T = |Σ_u d_u| / √Σ_u d_u² is compared
    with the largest T of all pairs under the same signs: pairs above the 1 − α quantile are separated, and the others
    compared with the largest of them, until none is separated (Romano & Wolf 2005, stepdown). All 2^(U − 1) signs are
    tried up to U = 14, otherwise 4,999 by chance and those that are.

    Parameters
    ----------
    values
        Shape `(U, N)`: what each unit adds to the score of each system.
    alpha
        α, the chance that any equal pair of those judged together is separated.
    seed
        Of signs by chance, which depend on it and on the place of the unit.

    References
    ----------
    Fisher 1935, §21; Romano & Wolf, JASA 100, 2005; possible winners and ranks: Mogstad et al. 2024, §3.

    Examples
    --------
    >>> values = np.array([[3.0, 2.0, 1.0]] * 5 + [[3.0, 1.0, 2.0]] * 3) / 8
    >>> found = flipped(values, alpha=0.05, seed=0)
    >>> found.joint[0].tolist(), found.beaten.tolist()
    ([False, True, True], [False, True, True])
    """
    n_units, n_systems = values.shape
    if n_systems == 2:  # exact, where more systems take signs by chance
        p = flip_p_value(values[:, 0] - values[:, 1])
        apart = np.array([[False, p <= alpha], [p <= alpha, False]])
        total = values.sum(axis=0)
        return Separated(apart, apart, (total < total.max()) & (p / 2 <= alpha))
    centred = values - values.mean(axis=1, keepdims=True)
    centred /= unit_of(centred)
    inverse = _inverse_lengths(centred)
    if n_units <= COUNTED:
        sums = all_signs(n_units) @ centred
    else:
        number = int(np.clip(_AT_MOST // n_systems**2, _AT_LEAST, _BY_CHANCE))
        sums = np.zeros((number, n_systems))
        for start in range(0, n_units, _UNITS):
            some = centred[start : start + _UNITS]
            sums += sign_flips(seed, start, len(some), number) @ some
    joint, own = np.zeros((2, n_systems, n_systems), dtype=np.bool_)
    beaten = np.zeros(n_systems, dtype=np.bool_)
    largest = np.zeros(len(sums))
    for i in range(n_systems):
        t = (sums - sums[:, [i]]) * inverse[i]
        above, below = t.max(axis=1), -t.min(axis=1)
        beaten[i] = _exceed(t[0].max(), np.concatenate([above, below]), alpha)
        np.maximum(above, below, out=above)
        np.maximum(largest, above, out=largest)
        own[i] = _stepped(np.abs(t[0]), above, alpha, partial(_largest, t))
    first, second = np.triu_indices(n_systems, 1)
    lead = np.abs(sums[0, first] - sums[0, second]) * inverse[first, second]

    def largest_of(some: Bools) -> Floats:
        found = np.zeros(len(sums))
        for i in np.unique(first[some]):
            others = second[some & (first == i)]
            t = np.abs((sums[:, others] - sums[:, [i]]) * inverse[i, others])
            np.maximum(found, t.max(axis=1), out=found)
        return found

    joint[first, second] = _stepped(lead, largest, alpha, largest_of)
    return Separated(joint | joint.T, own, beaten)


def _stepped(t: Floats, largest: Floats, alpha: float, largest_of: Callable[[Bools], Floats]) -> Bools:
    """Shape of `t`: which of some comparisons are significant, stepping down.

    Parameters
    ----------
    t
        What each comparison comes to.
    largest
        The largest that any of them comes to, under each of the flips, the first of which flips nothing.
    alpha
        The error of all together.
    largest_of
        The same of some of the comparisons.
    """
    found = np.zeros(t.shape, dtype=np.bool_)
    while True:
        more = ~found & _exceed(t, largest, alpha)
        if not more.any():
            return found
        found |= more
        if found.all():
            return found
        largest = largest_of(~found)


def _largest(t: Floats, some: Bools) -> Floats:
    """Shape `(S,)`: the largest of some columns."""
    return np.asarray(np.abs(t[:, some]).max(axis=1))


def _exceed(t: Any, largest: Floats, alpha: float) -> Any:
    """Whether at most a share α of the flips comes to as much, to rounding."""
    rank = math.floor(alpha * largest.size + _ROUNDING)
    return t * (1 - _ROUNDING) > np.partition(largest, -rank - 1)[-rank - 1]


def _inverse_lengths(values: Floats) -> Floats:
    """Shape `(N, N)`: 1 / √Σ_u d_u² of each pair of systems; 0 where they do not differ."""
    products = values.T @ values
    own = np.diag(products)
    total = own[:, None] + own
    squares = np.maximum(total - 2 * products, 0.0)
    close = np.argwhere(squares <= 1e-6 * total)  # little is left of the digits
    for start in range(0, len(close), _PAIRS):
        i, j = close[start : start + _PAIRS].T
        squares[i, j] = ((values[:, i] - values[:, j]) ** 2).sum(axis=0)
    varies = squares > _NOTHING * total
    inverse: Floats = np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=varies)
    return inverse
