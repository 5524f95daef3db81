"""Arrow numbers as NumPy arrays, and back.

Arrow's own conversions, and its scalars, import pandas wherever it is installed, which takes longer than to rank a
small table.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.source.table import Batch, SourceColumn, Kind, ReadPlan

#: Rows handed on together.
_BATCH = 2**20


def kind_of(arrow_type: Any) -> Kind:
    """Kind of an Arrow type; dates, times and the like are read as text."""
    types = pa.types
    if types.is_dictionary(arrow_type):
        return kind_of(arrow_type.value_type)
    if types.is_nested(arrow_type):
        return "nested"
    if types.is_integer(arrow_type):
        return "integer"
    if types.is_float32(arrow_type) or types.is_float16(arrow_type):
        return "single"
    if types.is_floating(arrow_type) or types.is_boolean(arrow_type) or types.is_decimal(arrow_type):
        return "number"
    return "empty" if types.is_null(arrow_type) else "text"


def column_of(name: str, arrow_type: Any, values: Any) -> SourceColumn:
    """Describe a column; `values` are its first ones, looked at only where the name could be a row number's."""
    kind = kind_of(arrow_type)
    return SourceColumn(name, kind, counts=kind == "integer" and counts_up(values.to_pylist()))


def counts_up(values: list[Any]) -> bool:
    """Whether values are those of a row number: 0, 1, 2 and so on.

    >>> counts_up([0, 1, 2]), counts_up([1, 2]), counts_up([])
    (True, False, False)
    """
    return bool(values) and values == list(range(len(values)))


class ArrowTable:
    """A table in memory.

    Parameters
    ----------
    name
        What errors call it.
    table
        Arrow table.
    """

    def __init__(self, name: str, table: Any) -> None:
        self.name = name
        self.n_rows: int = table.num_rows
        self.size: int = table.num_rows
        self._table = table
        head = table.slice(0, 100)
        self.columns = tuple(
            column_of(field.name, field.type, head.column(index)) for index, field in enumerate(table.schema)
        )

    def find_columns(self) -> None:
        """All columns are known."""

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Cut the table into batches."""
        first = 0
        for rows in self._table.select(plan.columns).to_batches(max_chunksize=_BATCH):
            yield Batch(rows, first, (first + rows.num_rows) / max(self.n_rows, 1))
            first += rows.num_rows

    def where(self, row: int) -> str:
        """Count rows from 1."""
        return f"row {row + 1}"


def as_arrow(numbers: NDArray[Any]) -> Any:
    """View contiguous numbers as an Arrow array, without copying; NaN stays NaN.

    >>> as_arrow(np.array([1.0, 2.5])).to_pylist()
    [1.0, 2.5]
    """
    return pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), numbers.size, [None, pa.py_buffer(numbers)])


def column_in(rows: Any, name: str) -> Any:
    """A column of a record batch or a table, in one piece.

    >>> column_in(pa.table({"a": [1, 2]}), "a").to_pylist()
    [1, 2]
    """
    column = rows.column(name)
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def view(array: Any) -> NDArray[Any]:
    """View an Arrow array of numbers without nulls as a read-only NumPy array, without copying.

    >>> view(pa.array([1, 2, 3]))
    array([1, 2, 3])
    """
    result: NDArray[Any] = np.from_dlpack(array)
    return result


def view_with_nan(array: Any) -> NDArray[Any]:
    """View an Arrow array of floating-point numbers, with NaN for nulls, which asks for a copy.

    >>> view_with_nan(pa.array([1.0, None]))
    array([ 1., nan])
    """
    if array.null_count == 0:
        return view(array)
    unmasked = pa.Array.from_buffers(array.type, len(array), [None, array.buffers()[1]], offset=array.offset)
    valid = view(array.is_valid().cast(pa.uint8()))
    numbers = view(unmasked)
    return np.where(valid, numbers, numbers.dtype.type(np.nan))
