"""p-values of many comparisons, adjusted for their number."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

#: Items up to which the numbers of equalities that can be true together are counted out.
_EXACT_UP_TO = 128


def holm(p: ArrayLike) -> Floats:
    """Adjust p-values so that the chance of any false rejection is kept, whatever their dependence (Holm 1979).

    The i-th smallest of m becomes the largest of (m − j + 1) p₍ⱼ₎ for j ≤ i, at most 1.

    Parameters
    ----------
    p
        Shape `(m,)`; NaN where there is no test, which then does not count.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    return _adjusted(p, lambda ordered: np.maximum.accumulate(np.arange(ordered.size, 0, -1) * ordered))


def shaffer(p: Floats, n_items: int) -> Floats:
    """Adjust p-values of all comparisons of two among n items, as `holm`, but using that equality is transitive.

    Equal items form groups of sizes g₁ + g₂ + … = n, so that Σ g (g − 1) / 2 hypotheses of equality are true, which is
    not any number: among four items 0, 1, 2, 3 or 6. Once one is rejected, at most 3 others can be true, not 5. So the
    i-th smallest of m becomes the largest of t_j p₍ⱼ₎ for j ≤ i, t_j being the largest possible number ≤ m − j + 1.
    It never exceeds that of Holm (Shaffer 1986). Above 128 items, where there is next to no difference, it is that of
    Holm.

    Parameters
    ----------
    p
        Shape `(m,)`, m = n (n − 1) / 2.
    n_items
        How many items are compared.

    Examples
    --------
    >>> shaffer(np.array([0.01, 0.02, 0.5, 0.5, 0.5, 0.5]), 4)
    array([0.06, 0.06, 1.  , 1.  , 1.  , 1.  ])
    """
    return _adjusted(p, lambda ordered: np.maximum.accumulate(equalities_left(n_items)[: ordered.size] * ordered))


def equalities_left(n_items: int) -> NDArray[np.int64]:
    """Shape `(m,)`: t_1, t_2, … of `shaffer`: how many of all m comparisons can be of equals once 0, 1, … are rejected.

    >>> equalities_left(4)
    array([6, 3, 3, 3, 2, 1])
    """
    left = np.arange(n_items * (n_items - 1) // 2, 0, -1)
    if n_items > _EXACT_UP_TO:
        return left
    possible = _numbers_of_equal_pairs(n_items)
    return possible[np.searchsorted(possible, left, side="right") - 1]


def _numbers_of_equal_pairs(n_items: int) -> NDArray[np.int64]:
    """Ascending: Σ g (g − 1) / 2 for all ways to cut n items into groups of sizes g; bit s of a number stands for s."""
    sums = [1]
    for total in range(1, n_items + 1):
        found = 0
        for size in range(1, total + 1):
            found |= sums[total - size] << size * (size - 1) // 2
        sums.append(found)
    bits = np.frombuffer(bin(sums[-1])[:1:-1].encode(), dtype=np.uint8)
    return np.flatnonzero(bits == ord("1"))


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Adjust p-values so that the expected share of false ones among rejections is kept (Benjamini & Hochberg 1995).

    The i-th smallest of m becomes the smallest of m p₍ⱼ₎ / j for j ≥ i. Proved for tests that are independent,
    and for one-sided ones that are positively dependent, as comparisons with one control are.

    Parameters
    ----------
    p
        Shape `(m,)`; NaN where there is no test, which then does not count.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    array([0.03, 0.04, 0.04])
    """

    def stepped(ordered: Floats) -> Floats:
        scaled = ordered * (ordered.size / np.arange(1, ordered.size + 1))
        return np.minimum.accumulate(scaled[::-1])[::-1]

    return _adjusted(p, stepped)


def _adjusted(p: ArrayLike, adjust: Callable[[Floats], Floats]) -> Floats:
    """Adjust the p-values that exist, smallest first, and put them back in their places."""
    given = np.asarray(p, dtype=np.float64)
    order = np.argsort(given, kind="stable")[: np.count_nonzero(~np.isnan(given))]
    result = np.full_like(given, np.nan)
    result[order] = np.minimum(adjust(given[order]), 1.0)
    return result
