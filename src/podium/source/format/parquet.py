"""Parquet files, decoded ahead by two threads where there is much to decode."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from podium.base.parallel import ahead
from podium.source.format.arrow import column_of
from podium.source.path import DAMAGE, File
from podium.source.table import Batch, ReadPlan, SourceTable, check_names, damaged, numbered

#: Rows decoded together: little memory, and enough work to hide the call.
_BATCH = 2**18

#: Bytes of a column that are read at a time.
_BUFFER = 2**20

#: Threads that decode a large file, and how many batches each may be ahead.
_LANES, _DEPTH = 2, 4


class ParquetTable(SourceTable):
    """A Parquet file.

    Parameters
    ----------
    file
        Where it is.

    Raises
    ------
    InputError
        It is damaged, or names a column twice.
    """

    def __init__(self, file: File) -> None:
        self.name = file.name
        self.size = file.size
        self._file = file
        parquet = self._opened()
        schema = parquet.schema_arrow
        check_names(file.name, schema.names)
        self.n_rows: int = parquet.metadata.num_rows
        self.columns = tuple(column_of(field.name, field.type, self._head(parquet, field.name)) for field in schema)

    def _opened(self, texts: tuple[str, ...] = ()) -> Any:
        try:
            return pq.ParquetFile(self._file.open_random(), read_dictionary=list(texts), buffer_size=_BUFFER)
        except (pa.ArrowException, *DAMAGE) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: BaseException) -> Exception:
        return damaged(self.name, self.size, "a Parquet file", error)

    def _head(self, parquet: Any, name: str) -> Any:
        """First values of a column that could be a row number; none of others."""
        if name.strip() not in {"", "__index_level_0__"} and not name.startswith("Unnamed: "):
            return pa.array([])
        batch = next(parquet.iter_batches(batch_size=100, columns=[name]), None)
        return pa.array([]) if batch is None else batch.column(0)

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Decode the columns of the plan, in order."""
        try:
            yield from numbered(self._decoded(plan), self.n_rows)
        except (pa.ArrowException, *DAMAGE) as error:
            raise self._damaged(error) from error
        finally:
            pa.default_memory_pool().release_unused()

    def _decoded(self, plan: ReadPlan) -> Iterator[Any]:
        """Decode in order; of large files every other row group by another thread."""
        groups = range(self._opened().num_row_groups)
        if not plan.large:
            yield from filter(None, self._lane(plan, groups))
            return
        lanes = [ahead(self._lane(plan, groups[lane::_LANES]), depth=_DEPTH) for lane in range(_LANES)]
        for group in groups:
            yield from iter(partial(next, lanes[group % _LANES]), None)

    def _lane(self, plan: ReadPlan, groups: range) -> Iterator[Any]:
        """Decode some row groups, with None at the end of each, by a reader that no other thread uses."""
        texts = {column.name for column in self.columns if column.kind == "text"}
        parquet = self._opened(tuple(name for name in plan.labels if name in texts))
        for group in groups:
            yield from parquet.iter_batches(_BATCH, [group], plan.columns, use_threads=False)
            yield None
