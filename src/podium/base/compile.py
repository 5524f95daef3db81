"""How inner loops are compiled: by Numba, for the types they meet, where work is large and Numba is there."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from podium.base.errors import warn


def compiling_pays(*, large: bool) -> bool:
    """Whether compiled loops are used: for large work, if Numba is installed; if it is not, a warning says so.

    >>> compiling_pays(large=False)
    False
    """
    there = large and find_spec("numba") is not None
    if large and not there:
        warn("this table is large: pip install 'podium[fast]' makes this up to four times as fast")
    return there


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile without the interpreter lock, and keep the result on disk where a place can be written.

    >>> @compiled()
    ... def double(number):
    ...     return 2 * number
    >>> double(21)
    42
    """
    import numba  # noqa: PLC0415  # an extra, and slow to load

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            return numba.njit(nogil=True, cache=True, **options)(function)  # type: ignore[no-any-return]
        except RuntimeError:  # no directory for the cache can be written
            return numba.njit(nogil=True, **options)(function)  # type: ignore[no-any-return]

    return decorate
