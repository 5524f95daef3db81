"""How kernels are compiled."""

from collections.abc import Callable
from typing import Any

import numba

__all__ = ["compiled"]


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile without the interpreter lock, and keep the result on disk where a place can be written."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            return numba.njit(nogil=True, cache=True, **options)(function)  # type: ignore[no-any-return]
        except RuntimeError:  # no directory for the cache can be written
            return numba.njit(nogil=True, **options)(function)  # type: ignore[no-any-return]

    return decorate
