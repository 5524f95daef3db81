"""Parquet files; two threads decode large files ahead."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from podium.base.parallel import ahead
from podium.source.file import File
from podium.source.format.arrow import columns_of
from podium.source.table import Batch, ReadPlan, SourceTable, check_names, numbered

#: Number of rows per batch: little memory, but enough work per call.
_BATCH = 2**18

#: Bytes of a column that are read at once.
_BUFFER = 2**20

#: Number of threads for a large file, and number of batches that each thread may be ahead.
_LANES, _DEPTH = 2, 4


class ParquetTable(SourceTable):
    """A Parquet file.

    Parameters
    ----------
    file
        The file.

    Raises
    ------
    InputError
        The file is damaged, or names a column twice.
    """

    def __init__(self, file: File) -> None:
        self.name = file.name
        self.size = file.size
        self._file = file
        parquet = self._opened()
        schema = parquet.schema_arrow
        check_names(file.name, schema.names)
        self.n_rows: int = parquet.metadata.num_rows
        self.columns = columns_of(schema)

    def _opened(self, texts: tuple[str, ...] = ()) -> Any:
        how: dict[str, Any] = {"read_dictionary": list(texts), "buffer_size": _BUFFER}
        if self._file.remote is not None:  # a request takes long, whatever its size
            how = {"read_dictionary": list(texts), "pre_buffer": True}
        with self._intact():
            return pq.ParquetFile(self._file.open_random(), **how)

    def _intact(self) -> AbstractContextManager[None]:
        return self._file.intact("a Parquet file", pa.ArrowException)

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Decode the columns of the plan, in order."""
        try:
            with self._intact():
                yield from numbered(self._decoded(plan), self.n_rows)
        finally:
            pa.default_memory_pool().release_unused()

    def _decoded(self, plan: ReadPlan) -> Iterator[Any]:
        """Decode in order; in large files, threads take turns with row groups."""
        groups = range(self._opened().num_row_groups)
        if not plan.large:
            yield from filter(None, self._lane(plan, groups))
            return
        lanes = [ahead(self._lane(plan, groups[lane::_LANES]), depth=_DEPTH) for lane in range(_LANES)]
        for group in groups:
            yield from iter(partial(next, lanes[group % _LANES]), None)

    def _lane(self, plan: ReadPlan, groups: range) -> Iterator[Any]:
        """Decode some row groups, with None after each, with a reader that no other thread uses."""
        texts = {column.name for column in self.columns if column.kind == "text"}
        parquet = self._opened(tuple(name for name in plan.labels if name in texts))
        for group in groups:
            yield from parquet.iter_batches(_BATCH, [group], plan.columns, use_threads=False)
            yield None
