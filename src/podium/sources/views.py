"""Arrow numbers as NumPy arrays.

Arrow's own conversions, and its scalars, import pandas wherever it is installed, which takes longer than to rank a
small table.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["view", "view_with_nan"]


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
