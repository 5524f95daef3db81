"""Where rows go in the table and how they get there, with NumPy: for small tables, and as the kernels' oracle."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.scores import PART

__all__ = ["SCORED", "UNREAD", "UNSCORED", "bounds", "place", "write"]

#: What has happened to a cell: no row named it, a row left it empty, a row gave its score.
UNREAD, UNSCORED, SCORED = 0, 1, 2


def bounds(
    tasks: NDArray[Any],
    lookup: NDArray[np.int32],
    keys: NDArray[np.int64],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
) -> None:
    """Lower `low` and raise `high` to the keys of every task."""
    codes = lookup[tasks]
    np.minimum.at(low, codes, keys)
    np.maximum.at(high, codes, keys)


def place(
    tasks: NDArray[Any],
    lookup: NDArray[np.int32],
    keys: NDArray[np.int64],
    base: NDArray[np.int64],
    start: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Find the part and the column in it of every row."""
    codes = lookup[tasks]
    part, column = np.divmod(keys - base[codes], PART)
    return (start[codes] + part).astype(np.int32), column.astype(np.int32)


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
    """Write scores to their cells; mark rows that contradict a cell, and count those that repeat one.

    Parameters
    ----------
    values, state
        Shape `(N, L)`: the scores of a part, and what has happened to each.
    seen
        Shape `(L,)`: columns that any row named.
    systems, lookup, columns, scores
        Shape `(n,)` but for `lookup`: system (through `lookup`), column and score of each row; NaN is missing.
    clash
        Shape `(n,)`: set where a row has another score than its cell.

    Returns
    -------
    int
        Number of rows whose cell an earlier row had named.
    """
    rows = lookup[systems].astype(np.int64)
    seen[columns] = True
    scores = scores + scores.dtype.type(0.0)  # one zero, not two
    first = np.unique(rows * values.shape[1] + columns, return_index=True)[1]
    cells = (rows[first], columns[first])
    fresh, before = scores[first], state[cells]
    scored = ~np.isnan(fresh)
    clash[first] = scored & (before == SCORED) & (values[cells] != fresh)
    new = scored & (before != SCORED)
    values[cells[0][new], cells[1][new]] = fresh[new]
    state[cells] = np.where(scored, SCORED, np.maximum(before, UNSCORED))
    later = np.setdiff1d(np.arange(rows.size), first, assume_unique=True)
    for row in later.tolist():
        clash[row] = _rewrite(values, state, (int(rows[row]), int(columns[row])), scores[row])
    return int(np.count_nonzero(before != UNREAD)) + later.size


def _rewrite(values: NDArray[Any], state: NDArray[np.uint8], cell: tuple[int, int], score: Any) -> bool:
    """Take a score for a cell that was read before; tell whether it contradicts."""
    if np.isnan(score):
        return False
    if state[cell] == SCORED:
        return bool(values[cell] != score)
    values[cell] = score
    state[cell] = SCORED
    return False
