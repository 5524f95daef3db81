"""Column numbers for instance keys that lie far apart: each task counts its own, in order of appearance."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Compaction"]


class Compaction:
    """Per task, the keys seen so far and the column each has got."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def columns(self, tasks: NDArray[np.int32], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give every row its column number."""
        result = np.empty_like(keys)
        order = np.argsort(tasks, kind="stable")
        edges = np.flatnonzero(np.diff(tasks[order])) + 1
        for rows in np.split(order, edges):
            if rows.size:
                result[rows] = self._number(int(tasks[rows[0]]), keys[rows])
        return result

    def column(self, task: int, key: int) -> int:
        """Column of one key that has been seen."""
        known, columns = self._known[task]
        return int(columns[np.searchsorted(known, key)])

    def keys(self, task: int, columns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Keys of columns."""
        known, numbers = self._known[task]
        return known[np.argsort(numbers)][columns]

    def _number(self, task: int, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        none = np.empty(0, dtype=np.int64)
        known, columns = self._known.get(task, (none, none))
        fresh = np.setdiff1d(keys, known)
        if fresh.size:
            merged = np.concatenate((known, fresh))
            order = np.argsort(merged, kind="stable")
            numbers = np.concatenate((columns, np.arange(known.size, merged.size)))
            known, columns = merged[order], numbers[order]
            self._known[task] = (known, columns)
        result: NDArray[np.int64] = columns[np.searchsorted(known, keys)]
        return result
