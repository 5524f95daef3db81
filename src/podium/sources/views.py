"""Arrow numbers as NumPy arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["view"]


def view(array: Any) -> NDArray[Any]:
    """View an Arrow array of numbers without nulls as a read-only NumPy array, without copying.

    Arrow's own conversion imports pandas wherever it is installed, which takes longer than to rank a small table.

    >>> import pyarrow as pa
    >>> view(pa.array([1, 2, 3]))
    array([1, 2, 3])
    """
    result: NDArray[Any] = np.from_dlpack(array)
    return result
