"""Read the next batch in the background while the last one is worked on."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["ahead"]

T = TypeVar("T")


def ahead(items: Iterable[T]) -> Iterator[T]:
    """Yield the same items, each produced by another thread while its predecessor is being used.

    >>> list(ahead(range(3)))
    [0, 1, 2]
    """
    iterator = iter(items)
    end: Any = object()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(next, iterator, end)
        while (item := waiting.result()) is not end:
            waiting = pool.submit(next, iterator, end)
            yield item
