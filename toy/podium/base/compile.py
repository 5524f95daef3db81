"""How inner loops are compiled: by Numba, for the types they meet."""

from collections.abc import Callable
from typing import Any

import numba


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile without the interpreter lock, and keep the result on disk where a place can be written.

    >>> @compiled()
    ... def double(number):
    ...     return 2 * number
    >>> double(21)
    42
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            return numba.njit(nogil=True, cache=True, **options)(function)  # type: ignore[no-any-return]
        except RuntimeError:  # no directory for the cache can be written
            return numba.njit(nogil=True, **options)(function)  # type: ignore[no-any-return]

    return decorate
