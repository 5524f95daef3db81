"""p-values of many comparisons, adjusted for their number."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


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
