"""Cells of a board: a number for each, and which rows of a board have the cells of new rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.base.arrow import texts, to_numpy
from podium.source.board import instances_of
from podium.source.canonical import TEXT_INSTANCE

#: Columns that say which cell a row is of.
KEYS = ("task", "system", "instance", TEXT_INSTANCE, "repeat")

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Known:
    """Rows of the board, and which of them new rows have the cells of.

    Attributes
    ----------
    rows, places
        The rows, and where they are.
    new, keys
        Cells of the new rows, and of the board's.
    instances, there
        The same without repeats.
    match, found
        By new row: a row of the board, one with a score if there is one, and whether it has the same cell.
    """

    rows: Any
    places: list[tuple[str, Numbers]]
    new: Numbers
    keys: Numbers
    instances: Numbers
    there: Numbers
    match: Numbers
    found: NDArray[np.bool_]

    @classmethod
    def of(
        cls, rows: Any, old: Any, places: list[tuple[str, Numbers]], tasks: Sequence[str], systems: Sequence[str]
    ) -> "Known":
        """Find the cells of new rows among old ones."""
        new, keys = cell_keys([rows, old], tasks, systems)
        instances, there = cell_keys([rows, old], tasks, systems, with_repeat=False)
        order = np.lexsort((to_numpy(old["score"].is_null()), keys))
        at = np.searchsorted(keys, new, sorter=order)
        match = order[np.minimum(at, keys.size - 1)]
        found = (at < keys.size) & (keys[match] == new)
        return cls(old, places, new, keys, instances, there, match, found)

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


def codes_of(column: Any, labels: Sequence[str]) -> Numbers:
    """Numbers of words among sorted labels; -1 of those that are not there."""
    known = texts(labels)
    pieces = [
        pc.index_in(chunk.dictionary, value_set=known).take(chunk.indices)
        if pa.types.is_dictionary(chunk.type)
        else pc.index_in(chunk, value_set=known)
        for chunk in (column.chunks if isinstance(column, pa.ChunkedArray) else [column])
    ]
    return np.concatenate([np.empty(0, np.int64), *(to_numpy(piece, -1) for piece in pieces)])


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
