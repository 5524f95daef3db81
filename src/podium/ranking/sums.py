"""Sums over tasks: compensated, so that neither the order of tasks nor their number costs digits."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["exact_sum", "spread"]

Floats = NDArray[np.float64]

#: Terms added up at a time, so that they stay in a core's cache.
_AT_ONCE = 2**16


def exact_sum(terms: Floats) -> Floats:
    """Sum over the first axis, with the rounding errors of all steps added at the end (Neumaier 1974).

    Parameters
    ----------
    terms
        Shape `(T, …)`; a sum that overflows on the way is infinite.

    Examples
    --------
    >>> exact_sum(np.array([[1e16], [1.0], [-1e16]]))
    array([1.])
    """
    columns = terms.reshape(len(terms), -1)
    width = max(_AT_ONCE // len(terms), 1)
    sums = [_column_sums(columns[:, start : start + width]) for start in range(0, columns.shape[1], width)]
    result: Floats = np.concatenate(sums).reshape(terms.shape[1:])
    return result[()]


def _column_sums(terms: Floats) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
        totals = np.cumsum(terms, axis=0)  # one after the other
        before, after, step = totals[:-1], totals[1:], terms[1:]
        lost = np.where(np.abs(before) >= np.abs(step), (before - after) + step, (step - after) + before)
        total, rest = totals[-1], np.cumsum(np.concatenate([np.zeros_like(terms[:1]), lost]), axis=0)[-1]
        result: Floats = np.where(np.isfinite(total), total + rest, np.where(np.isnan(total), np.inf, total))
    return result


def spread(weights: Floats) -> Floats:
    """Give task weights `(T,)` or `(T, B)` an axis for the systems, to multiply `(T, N)` or `(T, N, B)`.

    Where there are replicates, weights and tallies both have their axis, of length 1 where all are the same.

    >>> spread(np.ones((3, 5))).shape
    (3, 1, 5)
    """
    return weights[:, None] if weights.ndim == 1 else weights[:, None, :]
