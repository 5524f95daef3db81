"""Produce the next items in the background while the last one is worked on."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["ahead"]

T = TypeVar("T")


def ahead(items: Iterable[T], *, depth: int = 1) -> Iterator[T]:
    """Yield the same items, produced by another thread that is up to `depth` items ahead.

    >>> list(ahead(range(3)))
    [0, 1, 2]
    """
    iterator = iter(items)
    end: Any = object()
    with ThreadPoolExecutor(1) as pool:
        waiting = deque(pool.submit(next, iterator, end) for _ in range(depth))
        try:
            while (item := waiting.popleft().result()) is not end:
                waiting.append(pool.submit(next, iterator, end))
                yield item
        finally:
            for future in waiting:
                future.cancel()
