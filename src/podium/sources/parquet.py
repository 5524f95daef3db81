"""Parquet files, row group by row group, decoded ahead by two threads where there is much to decode."""

import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from podium.errors import InputError
from podium.sources.arrow import column_of
from podium.sources.paths import DAMAGE, File
from podium.sources.tables import Batch, Plan, check_names

__all__ = ["ParquetTable"]

#: Row groups larger than this are decoded piece by piece, to bound memory.
_LARGE_GROUP = 2**21

_BATCH = 2**18


class ParquetTable:
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
            return pq.ParquetFile(self._file.open_random(), read_dictionary=list(texts))
        except (pa.ArrowException, *DAMAGE) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: BaseException) -> InputError:
        if self._file.size == 0:
            return InputError(f"{self.name} is empty")
        reason = str(error).strip().partition("\n")[0]
        return InputError(f"{self.name} is damaged or not a Parquet file: {reason}; write or download it again")

    def _head(self, parquet: Any, name: str) -> Any:
        """First values of a column that could be a row number; none of others."""
        if name.strip() not in {"", "__index_level_0__"} and not name.startswith("Unnamed: "):
            return pa.array([])
        batch = next(parquet.iter_batches(batch_size=100, columns=[name]), None)
        return pa.array([]) if batch is None else batch.column(0)

    def find_columns(self) -> None:
        """All columns are known."""

    def batches(self, plan: Plan) -> Iterator[Batch]:
        """Decode the columns of the plan, in order."""
        first = 0
        try:
            for rows in self._decoded(plan):
                yield Batch(rows, first, (first + rows.num_rows) / self.n_rows)
                first += rows.num_rows
        except (pa.ArrowException, *DAMAGE) as error:
            raise self._damaged(error) from error

    def _decoded(self, plan: Plan) -> Iterator[Any]:
        texts = {column.name for column in self.columns if column.kind == "text"}
        coded = tuple(name for name in plan.labels if name in texts)
        parquet = self._opened(coded)
        groups = range(parquet.num_row_groups)
        if max((parquet.metadata.row_group(group).num_rows for group in groups), default=0) > _LARGE_GROUP:
            yield from parquet.iter_batches(batch_size=_BATCH, columns=plan.columns)
            return
        own = threading.local()  # a reader must not be shared between threads

        def decode(group: int) -> Any:
            if not hasattr(own, "parquet"):
                own.parquet = self._opened(coded)
            return own.parquet.read_row_group(group, columns=plan.columns, use_threads=False)

        threads = 2 if plan.large else 1
        with ThreadPoolExecutor(threads) as pool:
            waiting = deque(pool.submit(decode, group) for group in groups[:threads])
            for group in groups:
                table = waiting.popleft().result()
                if group + threads < len(groups):
                    waiting.append(pool.submit(decode, group + threads))
                yield from table.to_batches()
                del table

    def where(self, row: int) -> str:
        """Count rows from 1."""
        return f"row {row + 1}"
