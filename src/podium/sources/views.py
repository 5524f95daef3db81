"""Arrow numbers as NumPy arrays, and back.

Arrow's own conversions, and its scalars, import pandas wherever it is installed, which takes longer than to rank a
small table.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["as_arrow", "column_in", "view", "view_with_nan"]


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
