"""Which rows of a board new rows match: the same cell, the same scores, the same run.

Numbers of repeats are given as they come, so a score that comes again looks like one more. What says that it is the
same is all that its source has given at once: if nothing has another value, it is the same run.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.base.arrays import to_numpy
from podium.source.board import instances_of
from podium.store.rows import codes_of

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Known:
    """Rows of the board, and which of them new rows have the cells of.

    Attributes
    ----------
    rows
        The rows.
    new, keys
        Cells of the new rows, and of the board's.
    instances, there
        The same without repeats.
    match, found
        By new row: a row of the board, one with a score if there is one, and whether it has the same cell.
    """

    rows: Any
    new: Numbers
    keys: Numbers
    instances: Numbers
    there: Numbers
    match: Numbers
    found: NDArray[np.bool_]

    @classmethod
    def of(cls, rows: Any, old: Any, tasks: Sequence[str], systems: Sequence[str]) -> "Known":
        """Find the cells of new rows among old ones."""
        new, keys = cell_keys([rows, old], tasks, systems)
        instances, there = cell_keys([rows, old], tasks, systems, with_repeat=False)
        order = np.lexsort((to_numpy(old["score"].is_null()), keys))
        at = np.searchsorted(keys, new, sorter=order)
        match = order[np.minimum(at, keys.size - 1)]
        found = (at < keys.size) & (keys[match] == new)
        return cls(old, new, keys, instances, there, match, found)

    def partly(self, rows: Any) -> Numbers:
        """Instances of which the board has repeats that the new rows have not, where these have any score."""
        if repeats_of(self.rows).max(initial=1) == 1:
            return np.empty(0, dtype=np.int64)
        more = to_numpy(self.rows["score"].is_valid()) & ~np.isin(self.keys, self.new)
        return np.intersect1d(self.there[more], self.instances[~np.isnan(floats_of(rows["score"]))])


def floats_of(column: Any) -> NDArray[np.float64]:
    """Return numbers of a column, NaN where there is none."""
    return to_numpy(column, np.nan)


def repeats_of(rows: Any) -> Numbers:
    """Return the repeats of rows; 1 where they have none."""
    if "repeat" not in rows.column_names:
        return np.ones(len(rows), dtype=np.int64)
    return to_numpy(rows["repeat"], 1)


def cell_keys(
    tables: Sequence[Any], tasks: Sequence[str], systems: Sequence[str], *, with_repeat: bool = True
) -> list[Numbers]:
    """Give each cell (task, system, instance, repeat) a number, the same in all tables; labels are sorted."""
    labels = [instances_of(table) for table in tables]
    if len({one.type for one in labels}) > 1:
        labels = [one.cast(pa.string()) for one in labels]
    chunks = [chunk for one in labels for chunk in (one.chunks if isinstance(one, pa.ChunkedArray) else [one])]
    coded = pa.chunked_array(chunks).combine_chunks().dictionary_encode()
    instances = to_numpy(coded.indices).astype(np.int64)
    repeats = np.concatenate([repeats_of(table) for table in tables])
    keys = np.concatenate([codes_of(table["task"], tasks) for table in tables]) * len(systems)
    keys = keys + np.concatenate([codes_of(table["system"], systems) for table in tables])
    keys = keys * (int(instances.max(initial=0)) + 1) + instances
    if with_repeat:
        keys = keys * (int(repeats.max(initial=0)) + 1) + repeats
    return np.split(keys, np.cumsum([len(table) for table in tables])[:-1])


@dataclass(slots=True)
class Continued:
    """Compares the scores of an addition with those of earlier ones from its source.

    Attributes
    ----------
    seen
        By earlier addition: whether the new one has all its scores of the instances that both have, and whether it has
        all of the new one's.
    shared
        By earlier addition, how many scores it has of these instances; of these systems and tasks where none is
        compared.
    """

    seen: dict[str, tuple[bool, bool]] = field(default_factory=dict)
    shared: Counter[str] = field(default_factory=Counter)

    def compare(self, keys: Numbers, scores: NDArray[np.float64], old: Any, there: Numbers) -> None:
        """Take scores of instances, and rows of the board from the same source with theirs."""
        given = ~np.isnan(scores)
        for name, rows in _by_addition(old):
            mine, theirs = np.isin(keys, there[rows]) & given, np.isin(there[rows], keys)
            if theirs.any():
                before = to_numpy(old["score"], np.nan)[rows][theirs]
                here, past = counted([(keys[mine], scores[mine]), (there[rows][theirs], before)])
                wider, narrower = self.seen.get(name, (True, True))
                self.shared[name] += before.size
                self.seen[name] = (wider and bool((here >= past).all()), narrower and bool((here <= past).all()))

    @property
    def additions(self) -> frozenset[str]:
        """Those of which the new one is a longer or a shorter copy."""
        return frozenset(name for name, either in self.seen.items() if any(either))

    def count(self, old: Any) -> None:
        """Take rows of the board from the same source, where none is compared."""
        for name, rows in _by_addition(old):
            self.shared[name] += rows.size

    @property
    def run(self) -> str | None:
        """The addition that new rows belong to: of those that the new one goes on with, the one with most scores.

        So what is new of a file that has grown is compared together with the rest of it when the next one comes.
        """
        several = self.additions if self.seen else self.shared
        return max(sorted(several), key=lambda name: self.shared[name], default=None)

    @property
    def differs(self) -> bool:
        """Whether the source gave other scores of some instances before."""
        return any(not any(either) for either in self.seen.values())


def _by_addition(old: Any) -> Iterator[tuple[str, Numbers]]:
    codes = old["addition"].cast(pa.string()).combine_chunks().dictionary_encode()
    scored = to_numpy(old["score"].is_valid())
    for number, name in enumerate(codes.dictionary.to_pylist()):
        rows = np.flatnonzero((to_numpy(codes.indices) == number) & scored)
        if rows.size:
            yield name, rows


def counted(several: Sequence[tuple[Numbers, NDArray[np.float64]]]) -> list[Numbers]:
    """Count how often each instance has each score in several lists; in the same order.

    >>> here, there = (np.array([7, 7]), np.array([1.0, 1.0])), (np.array([8]), np.array([0.5]))
    >>> [some.tolist() for some in counted([here, there])]
    [[2, 0], [0, 1]]
    """
    numbers = pairs(several)
    total = max((int(some.max(initial=-1)) for some in numbers), default=-1) + 1
    return [np.bincount(some, minlength=total) for some in numbers]


def pairs(several: Sequence[tuple[Numbers, NDArray[np.float64]]]) -> list[Numbers]:
    """Give each pair of an instance and a score a number, the same in all lists."""
    keys = np.concatenate([keys for keys, _ in several])
    values = np.concatenate([scores for _, scores in several]) + 0.0  # one zero, not two
    _, codes = np.unique(values, return_inverse=True)
    _, numbers = np.unique(keys * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)
    return np.split(numbers, np.cumsum([keys.size for keys, _ in several])[:-1])


def found_again(
    keys: Numbers, scores: NDArray[np.float64], there: Numbers, before: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Which scores of instances are among those of before, each of which is found once.

    >>> found_again(np.array([7, 7, 7]), np.array([1.0, 1.0, 0.5]), np.array([7]), np.array([1.0])).tolist()
    [True, False, False]
    """
    mine, theirs = pairs([(keys, scores), (there, before)])
    count = np.bincount(theirs, minlength=int(mine.max(initial=-1)) + 1)
    order = np.argsort(mine, kind="stable")
    _, first, several = np.unique(mine[order], return_index=True, return_counts=True)
    rank = np.empty(mine.size, dtype=np.int64)
    rank[order] = np.arange(mine.size) - np.repeat(first, several)
    found: NDArray[np.bool_] = rank < count[mine]
    return found


def alike(
    keys: Numbers, scores: NDArray[np.float64], there: Numbers, before: NDArray[np.float64], *, whole: bool
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which scores of instances the board has, and which are further ones, whatever their repeats are numbered.

    Only instances count of which one side has all scores of the other, or, with `whole`, the same scores.

    >>> board = np.array([7, 7, 8]), np.array([1.0, 0.5, 0.0])
    >>> had, more = alike(np.array([7, 7, 7, 8]), np.array([0.25, 0.5, 1.0, 1.0]), *board, whole=False)
    >>> had.tolist(), more.tolist()
    ([False, True, True, False], [True, False, False, False])
    """
    mine, theirs = pairs([(keys, scores), (there, before)])
    total = max(int(mine.max(initial=-1)), int(theirs.max(initial=-1))) + 1
    here, past = (np.bincount(some, minlength=total) for some in (mine, theirs))
    instance = np.empty(total, dtype=np.int64)
    instance[mine], instance[theirs] = keys, there
    beside, lacking = instance[here > past], instance[here < past]
    other = np.union1d(beside, lacking) if whole else np.intersect1d(beside, lacking)
    fitting = np.isin(keys, there) & ~np.isin(keys, other)
    had = found_again(keys, scores, there, before) & fitting
    return had, fitting & ~had
