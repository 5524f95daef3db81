"""Write rows to their cells with NumPy: for small tables, and to test the compiled kernels."""

# ruff: noqa: PLR0917  # the same plain arguments as the compiled functions

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.score.task import PART

#: State of a cell: no row mentions it, a row leaves it empty, a row gives its score.
UNREAD, UNSCORED, SCORED = 0, 1, 2

#: Number of rows that are searched for runs together.
_STRETCH = 2**13


def bounds(tasks: NDArray[np.int32], keys: NDArray[np.int64], low: NDArray[np.int64], high: NDArray[np.int64]) -> None:
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
    rows: NDArray[np.int64],
) -> int:
    """Write scores of some rows to their cells; mark rows that contradict a cell, and count those that repeat one.

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
    rows
        Rows that are written, in their order.

    Returns
    -------
    int
        Number of rows with a score for a cell that already has a score.
    """
    systems, columns = lookup[systems[rows]].astype(np.int64), columns[rows]
    seen[columns] = True
    scores = scores[rows] + scores.dtype.type(0.0)  # one zero, not two
    first = np.unique(systems * values.shape[1] + columns, return_index=True)[1]
    cells = (systems[first], columns[first])
    fresh, before = scores[first], state[cells]
    scored = ~np.isnan(fresh)
    again = scored & (before == SCORED)
    clash[rows[first]] = again & (values[cells] != fresh)
    new = scored & (before != SCORED)
    values[cells[0][new], cells[1][new]] = fresh[new]
    state[cells] = np.where(scored, SCORED, np.maximum(before, UNSCORED))
    later = np.setdiff1d(np.arange(rows.size), first, assume_unique=True)
    repeats = int(np.count_nonzero(again))
    for row in later[~np.isnan(scores[later])].tolist():
        cell = (int(systems[row]), int(columns[row]))
        if state[cell] == SCORED:
            repeats += 1
            clash[rows[row]] = values[cell] != scores[row]
        else:
            values[cell], state[cell] = scores[row], SCORED
    return repeats


def hand_out(
    tasks: NDArray[np.int32],
    keys: NDArray[np.int64],
    low: int,
    shift: int,
    runs: int,
    table: NDArray[np.uint8],
    waiting: NDArray[np.int64],
    size: int,
    places: NDArray[np.int64],
    start: int,
) -> int:
    """Give rows from `start` on their places in the pool, until a partition is full; return the row that comes next.

    Parameters
    ----------
    tasks, keys
        Of all rows.
    low, shift, runs, table
        Which partition each is in, see `podium.source.assemble.partition.Cut`.
    waiting
        Rows of each partition that are in the pool.
    size
        Rows of a partition that the pool has room for.
    places
        Set to the place of each row.
    start
        The first row.
    """
    run = tasks[start:].astype(np.int64) * runs + ((keys[start:] - low) >> shift)
    numbers = table[run % table.size].astype(np.int64)
    order = np.argsort(numbers.astype(np.uint8), kind="stable")
    counts = np.bincount(numbers, minlength=waiting.size)
    within = np.empty_like(order)
    within[order] = np.arange(order.size) - np.repeat(np.cumsum(counts) - counts, counts)
    within += waiting[numbers]
    over = np.flatnonzero(within >= size)
    stop = int(over[0]) if over.size else numbers.size
    places[start : start + stop] = numbers[:stop] * size + within[:stop]
    waiting += np.bincount(numbers[:stop], minlength=waiting.size)
    return start + stop


def put(pool: NDArray[Any], places: NDArray[np.int64], values: NDArray[Any]) -> None:
    """Write values to their places."""
    pool[places] = values
