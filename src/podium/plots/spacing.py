"""Places for labels: as near as can be to what they name, and none over another."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["apart"]


def apart(wanted: Sequence[float], gap: float, low: float, high: float) -> NDArray[np.float64]:
    """Move places apart, in their order, so that the sum of squares of the moves is least.

    Less n gaps, places must not fall, which is isotonic regression; its solution cut at bounds is the best within them.

    Parameters
    ----------
    wanted
        Where the labels would be best, in any order; equal ones keep theirs.
    gap
        Least distance between neighbours; made smaller where so many do not fit.
    low, high
        Between which all places lie.

    Examples
    --------
    >>> apart([5.0, 1.0, 5.0], 2.0, 0.0, 10.0).tolist()
    [4.0, 1.0, 6.0]
    >>> apart([9.0, 9.5, 10.0], 2.0, 0.0, 10.0).tolist()
    [6.0, 8.0, 10.0]
    """
    from scipy.optimize import isotonic_regression  # noqa: PLC0415  # SciPy is slow to import

    places = np.asarray(wanted, dtype=np.float64)
    if places.size < 2:
        return places.clip(low, high)
    order = np.argsort(places, kind="stable")
    steps = min(gap, (high - low) / (places.size - 1)) * np.arange(places.size)
    moved = np.empty_like(places)
    moved[order] = isotonic_regression(places[order] - steps).x.clip(low, max(low, high - steps[-1])) + steps
    return moved
