"""Compiled inner loops for large tables; `scatter` does the same with NumPy, and tests compare both."""

# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: ANN001, ANN201, ANN202, PLR0917, SIM110

import numpy as np

from podium.base.compile import compiled
from podium.score.task import PART
from podium.source.assemble.scatter import SCORED, UNREAD, UNSCORED

_SHIFT = PART.bit_length() - 1

_MASK = PART - 1

#: Number of texts compared at once, and number of consecutive right guesses before this is tried.
_STRETCH, _STREAK = 256, 16


@compiled()
def bounds(tasks, keys, low, high):
    """Lower `low` and raise `high` to the keys of every task."""
    for row in range(keys.size):
        task = tasks[row]
        key = keys[row]
        low[task] = min(low[task], key)
        high[task] = max(high[task], key)


@compiled()
def place(tasks, lookup, keys, bases, slots):
    """Find the slot and the column of every row; `bases` and `slots` are those of the first column of each task."""
    found = np.empty(keys.size, dtype=np.int32)
    columns = np.empty(keys.size, dtype=np.int32)
    for row in range(keys.size):
        task = lookup[tasks[row]]
        offset = keys[row] - bases[task]
        found[row] = slots[task] + (offset >> _SHIFT)
        columns[row] = offset & _MASK
    return found, columns


@compiled()
def write(values, state, seen, systems, lookup, columns, scores, clash, rows):
    """Write scores of some rows to their cells; mark rows that contradict a cell, and count those that repeat one."""
    repeats = 0
    for row in rows:
        system = lookup[systems[row]]
        column = columns[row]
        score = scores[row] + scores.dtype.type(0.0)  # one zero, not two
        before = state[system, column]
        seen[column] = True
        if np.isnan(score):
            if before == UNREAD:
                state[system, column] = UNSCORED
        elif before != SCORED:
            values[system, column] = score
            state[system, column] = SCORED
        else:
            repeats += 1
            if values[system, column] != score:
                clash[row] = True
    return repeats


@compiled()
def hand_out(tasks, keys, low, shift, runs, table, waiting, size, places, start):
    """Give rows from `start` on their places in the pool, until a partition is full; return the row that comes next."""
    for row in range(start, keys.size):
        run = tasks[row] * runs + ((keys[row] - low) >> shift)
        if run < 0 or run >= table.size:
            run %= table.size
        number = table[run]
        if waiting[number] == size:
            return row
        places[row] = number * size + waiting[number]
        waiting[number] += 1
    return keys.size


@compiled()
def put(pool, places, values):
    """Write values to their places."""
    for row in range(values.size):
        pool[places[row]] = values[row]


@compiled()
def number_texts(ends, letters, row, last, result, known, known_ends, hashes, table, size):
    """Number texts from `row` on, until all are done or room for new texts is needed."""
    streak = 0
    while row < result.size:
        begin, end = ends[row], ends[row + 1]
        code = last + 1
        length = min(_STRETCH, result.size - row, size - code)
        if streak >= _STREAK and length > 1 and _same_stretch(ends, letters, row, known, known_ends, code, length):
            for index in range(length):
                result[row + index] = code + index
            row += length
            last = code + length - 1
            continue
        streak += 1
        if code >= size or not _same(letters, begin, end, known, known_ends, code):
            streak = 0
            hashed, slot, code = _find(letters, begin, end, known, known_ends, hashes, table)
            if code < 0:
                if size == hashes.size or known_ends[size] + end - begin > known.size:
                    break
                code = size
                table[slot] = code
                hashes[code] = hashed
                top = known_ends[code]
                known[top : top + end - begin] = letters[begin:end]
                known_ends[code + 1] = top + end - begin
                size += 1
        result[row] = code
        last = code
        row += 1
    return row, size, last


@compiled()
def _same_stretch(ends, letters, row, known, known_ends, code, length):
    """Whether the next texts equal the known texts from `code` on, compared as one stretch of bytes."""
    begin, top = ends[row], known_ends[code]
    different = 0
    for index in range(1, length + 1):
        different += ends[row + index] - begin != known_ends[code + index] - top
    if different:
        return False
    for index in range(ends[row + length] - begin):
        different += letters[begin + index] != known[top + index]
    return different == 0


@compiled()
def _same(letters, begin, end, known, known_ends, code):
    top = known_ends[code]
    if known_ends[code + 1] - top != end - begin:
        return False
    for index in range(end - begin - 1, -1, -1):  # labels differ at their ends first
        if letters[begin + index] != known[top + index]:
            return False
    return True


@compiled()
def _find(letters, begin, end, known, known_ends, hashes, table):
    """Hash a text (FNV-1a) and look it up: return its hash, its slot, and its code or -1."""
    hashed = np.uint64(14695981039346656037)
    for index in range(begin, end):
        hashed = (hashed ^ np.uint64(letters[index])) * np.uint64(1099511628211)
    mask = np.uint64(table.size - 1)
    slot = (hashed ^ (hashed >> np.uint64(32))) & mask
    while table[slot] >= 0:
        code = table[slot]
        if hashes[code] == hashed and _same(letters, begin, end, known, known_ends, code):
            return hashed, slot, code
        slot = (slot + np.uint64(1)) & mask
    return hashed, slot, np.int32(-1)


@compiled()
def index_hashes(hashes, table):
    """Fill an empty hash table with the labels known so far."""
    mask = np.uint64(table.size - 1)
    for code in range(hashes.size):
        hashed = hashes[code]
        slot = (hashed ^ (hashed >> np.uint64(32))) & mask
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = code
