"""Roots of many decreasing functions at once: Newton's method inside brackets."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from podium.errors import ConvergenceError

__all__ = ["decreasing_roots"]

Floats = NDArray[np.float64]

#: Newton's method doubles the digits with each step, so after one of this relative size nothing but rounding is left.
_SMALL = 1e-9
#: Steps; halving alone takes some 60 from any bracket.
_MOST = 200


def decreasing_roots(
    function: Callable[[Floats], tuple[Floats, Floats]], start: Floats, low: Floats, high: Floats, scale: Floats
) -> Floats:
    """Find where each of A functions, positive to the left and not to the right, crosses 0.

    Parameters
    ----------
    function
        From A arguments to A values and A slopes.
    start
        Shape `(A,)`: where to begin, between `low` and `high`. Where that is `low` and the function is not positive
        there, it is the answer.
    low, high
        Shape `(A,)`: bracket.
    scale
        Shape `(A,)`: size of what the argument is added to; the root is exact to rounding of argument and scale.

    Returns
    -------
    Shape `(A,)`. A root does not depend on what other functions are solved beside it.

    Raises
    ------
    ConvergenceError
        A function is not a number, so that there is no side to go to.

    Examples
    --------
    >>> import numpy as np
    >>> def off(x):
    ...     return np.array([2.0, 3.0]) - x**2, -2 * x
    >>> zero, one = np.zeros(2), np.ones(2)
    >>> decreasing_roots(off, one, zero, 4 * one, one) ** 2
    array([2., 3.])
    """
    at, done = start, np.zeros(start.shape, dtype=np.bool_)
    for _ in range(_MOST):
        value, slope = function(at)
        low, high = np.where(value > 0, at, low), np.where(value <= 0, at, high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = at - value / slope
            # Where this is rounding alone, it may point out of the bracket.
            near = (slope < 0) & (np.abs(newton - at) <= _SMALL * (at + scale))
        good = near | (newton > low) & (newton < high)
        new = np.where(good, np.clip(newton, low, high), np.where(high > low, (low + high) / 2, low))
        # A step that only halves the bracket is no sign of a root, unless the bracket itself is small.
        step = np.where(good, np.abs(new - at), high - low)
        at = np.where(done, at, new)
        done |= step <= _SMALL * (new + scale)
        if done.all():
            return at
    raise ConvergenceError(
        f"{int((~done).sum())} of {done.size} variances between tasks did not converge; choose estimator 'dl' "
        "(--estimator dl), which needs no iteration"
    )
