"""Work on large arrays some columns at a time; what is as large goes where they are, in memory or on disk."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.spill import room_of

#: Numbers that are worked on at a time.
_AT_ONCE = 2**20


def pieces(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Yield runs of columns of an array, each of some numbers that fit into memory many times.

    >>> list(pieces(2**19, 5))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    width = max(_AT_ONCE // max(n_rows, 1), 2)
    for start in range(0, n_columns, width):
        yield slice(start, min(start + width, n_columns))


def over_columns(shape: tuple[int, ...], function: Callable[[slice], NDArray[Any]]) -> NDArray[Any]:
    """Return what a function makes of some columns of an array `(N, K)` at a time, put together along the last axis.

    Sums over rows are as they were for all columns at once: a single column would be added up in another order, so the
    function never gets one, unless there is only one.

    Examples
    --------
    >>> values = np.arange(10.0).reshape(2, 5)
    >>> over_columns(values.shape, lambda columns: values[:, columns].sum(axis=0))
    array([ 5.,  7.,  9., 11., 13.])
    """
    made, (n_rows, n_columns) = [], shape
    for some in pieces(n_rows, n_columns):
        if some.stop - some.start == 1 < n_columns:
            made.append(function(slice(some.start - 1, some.stop))[..., 1:])
        else:
            made.append(function(some))
    return made[0] if len(made) == 1 else np.concatenate(made, axis=-1)


def side_by_side(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays `(N, …)` one beside the other, held where the first is.

    >>> side_by_side([np.ones((2, 1)), np.zeros((2, 2))])
    array([[1., 0., 0.],
           [1., 0., 0.]])
    """
    if len(arrays) == 1:
        return arrays[0]
    shape = (len(arrays[0]), sum(array.shape[1] for array in arrays))
    whole = room_of(arrays[0]).empty(shape, np.result_type(*arrays))
    return np.concatenate(arrays, axis=1, out=whole)


def columns_of(values: NDArray[Any], chosen: NDArray[Any]) -> NDArray[Any]:
    """Return some columns of an array, by mask or by place, held where it is.

    >>> columns_of(np.arange(6.0).reshape(2, 3), np.array([True, False, True]))
    array([[0., 2.],
           [3., 5.]])
    """
    places = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
    taken = room_of(values).empty((len(values), places.size), values.dtype)
    for row, own in zip(values, taken, strict=True):
        np.take(row, places, out=own, mode="clip")  # other modes copy once more
    return taken


def as_type(values: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """Return the same as numbers of a type, held where they are.

    >>> as_type(np.ones(2), np.float32).dtype
    dtype('float32')
    """
    if values.dtype == dtype:
        return values
    cast = room_of(values).empty(values.shape, dtype)
    cast[...] = values
    return cast
