"""Write rows to their cells with NumPy: for small tables, and to test the compiled kernels."""

# ruff: noqa: PLR0917  # the same plain arguments as the compiled functions

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.score.table import PART

#: State of a cell: no row mentions it, a row leaves it empty, a row gives its score.
UNREAD, UNSCORED, SCORED = 0, 1, 2

#: Number of rows that are searched for runs together.
_STRETCH = 2**13


def bounds(
    tasks: NDArray[np.int32],
    keys: NDArray[np.int64],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
) -> None:
    """Lower `low` and raise `high` to the keys of every task."""
    np.minimum.at(low, tasks, keys)
    np.maximum.at(high, tasks, keys)


def place(
    tasks: NDArray[Any],
    lookup: NDArray[np.int32],
    keys: NDArray[np.int64],
    bases: NDArray[np.int64],
    slots: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Find the slot and the column of every row; `bases` and `slots` are those of the first column of each task."""
    codes = lookup[tasks]
    number, column = np.divmod(keys - bases[codes], PART)
    return (slots[codes] + number).astype(np.int32), column.astype(np.int32)


def find_runs(tasks: NDArray[Any], systems: NDArray[Any], keys: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """First rows of runs with one task, one system and consecutive keys; empty if there are more than `limit`."""
    starts = [np.zeros(min(keys.size, 1), dtype=np.int64)]
    for begin in range(0, keys.size - 1, _STRETCH):  # a stretch fits into the cache of a core
        here, after = slice(begin, begin + _STRETCH), slice(begin + 1, begin + _STRETCH + 1)
        ahead = keys[after]
        breaks = ahead - keys[here][: ahead.size] != 1
        breaks |= systems[after] != systems[here][: ahead.size]
        breaks |= tasks[after] != tasks[here][: ahead.size]
        if breaks.any():
            starts.append(np.flatnonzero(breaks) + (begin + 1))
            limit -= starts[-1].size
            if limit < 0:
                return np.empty(0, dtype=np.int64)
    return np.concatenate(starts)


def write_run(
    values: NDArray[Any],
    state: NDArray[np.uint8],
    seen: NDArray[np.bool_],
    scores: NDArray[Any],
    clash: NDArray[np.bool_],
) -> int:
    """Write the scores of one system on consecutive columns, as `write` does; all arrays have shape `(n,)`."""
    seen[:] = True
    if not state.any():  # the common case: nothing was here before
        np.add(scores, 0.0, out=values)  # one zero, not two
        state[:] = SCORED
        if np.isnan(values.sum()):
            state[np.isnan(values)] = UNSCORED
        return 0
    scores = scores + scores.dtype.type(0.0)
    scored = ~np.isnan(scores)
    again = scored & (state == SCORED)
    clash |= again & (values != scores)
    new = scored & (state != SCORED)
    values[new] = scores[new]
    state[:] = np.where(scored, SCORED, np.maximum(state, UNSCORED))
    return int(np.count_nonzero(again))


def write(
    values: NDArray[Any],
    state: NDArray[np.uint8],
    seen: NDArray[np.bool_],
    systems: NDArray[Any],
    lookup: NDArray[np.int32],
    columns: NDArray[np.int32],
    scores: NDArray[Any],
    clash: NDArray[np.bool_],
) -> int:
    """Write scores to their cells; mark rows that contradict a cell, and count rows that repeat a cell.

    Parameters
    ----------
    values, state
        Shape `(N, L)`: the scores of a part, and the state of each cell.
    seen
        Shape `(L,)`: columns that occur in some row.
    systems, lookup, columns, scores
        System (through `lookup`), column and score of each row, shape `(n,)`; NaN is missing.
    clash
        Shape `(n,)`: set to True if a row has a different score than its cell.

    Returns
    -------
    int
        Number of rows with a score for a cell that already has a score.
    """
    rows = lookup[systems].astype(np.int64)
    seen[columns] = True
    scores = scores + scores.dtype.type(0.0)  # one zero, not two
    first = np.unique(rows * values.shape[1] + columns, return_index=True)[1]
    cells = (rows[first], columns[first])
    fresh, before = scores[first], state[cells]
    scored = ~np.isnan(fresh)
    again = scored & (before == SCORED)
    clash[first] = again & (values[cells] != fresh)
    new = scored & (before != SCORED)
    values[cells[0][new], cells[1][new]] = fresh[new]
    state[cells] = np.where(scored, SCORED, np.maximum(before, UNSCORED))
    later = np.setdiff1d(np.arange(rows.size), first, assume_unique=True)
    repeats = int(np.count_nonzero(again))
    for row in later[~np.isnan(scores[later])].tolist():
        cell = (int(rows[row]), int(columns[row]))
        if state[cell] == SCORED:
            repeats += 1
            clash[row] = values[cell] != scores[row]
        else:
            values[cell], state[cell] = scores[row], SCORED
    return repeats
