"""Sums over tasks: compensated, so that neither the order of tasks nor their number costs digits."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def exact_sum(terms: Floats) -> Floats:
    """Sum over the first axis, with the rounding errors of all steps added at the end (Neumaier 1974).

    The error of a step is that of Knuth's two-sum, which need not know the larger term.

    Parameters
    ----------
    terms
        Shape `(T, …)`; a sum that overflows on the way is infinite.

    Examples
    --------
    >>> exact_sum(np.array([[1e16], [1.0], [-1e16]]))
    array([1.])
    """
    total = np.zeros(terms.shape[1:])
    lost = np.zeros(terms.shape[1:])
    with np.errstate(over="ignore", invalid="ignore"):
        for term in terms:
            raised = total + term
            part = raised - total
            lost += (total - (raised - part)) + (term - part)
            total = raised
        result: Floats = np.where(np.isfinite(total), total + lost, np.where(np.isnan(total), np.inf, total))
    return result[()]


def spread(weights: Floats) -> Floats:
    """Give task weights `(T,)` or `(T, B)` an axis for the systems, to multiply `(T, N)` or `(T, N, B)`.

    Where there are replicates, weights and tallies both have their axis, of length 1 where all are the same.

    >>> spread(np.ones((3, 5))).shape
    (3, 1, 5)
    """
    return weights[:, None] if weights.ndim == 1 else weights[:, None, :]
