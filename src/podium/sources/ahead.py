"""Read the next batches in the background while the last one is worked on."""

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["ahead"]

T = TypeVar("T")

_WAIT = 0.1


def ahead(items: Iterable[T], depth: int = 1) -> Iterator[T]:
    """Yield the same items, at most `depth` of them produced before they are asked for.

    >>> list(ahead(range(3)))
    [0, 1, 2]
    """
    waiting: queue.Queue[tuple[str, T | BaseException | None]] = queue.Queue(depth)
    stopped = threading.Event()

    def put(kind: str, what: T | BaseException | None) -> None:
        while not stopped.is_set():
            try:
                return waiting.put((kind, what), timeout=_WAIT)
            except queue.Full:
                continue

    def produce() -> None:
        try:
            for item in items:
                put("item", item)
                if stopped.is_set():
                    return
            put("end", None)
        except BaseException as error:  # noqa: BLE001  # it is raised again where the items are wanted
            put("error", error)

    thread = threading.Thread(target=produce, name="podium-read", daemon=True)
    thread.start()
    try:
        while True:
            kind, what = waiting.get()
            if kind == "end":
                return
            if kind == "error":
                raise what  # type: ignore[misc]
            yield what  # type: ignore[misc]
    finally:
        stopped.set()
        thread.join()
