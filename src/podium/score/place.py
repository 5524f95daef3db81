"""From aggregate scores to shared ranks: which values count as equal, and what rank each gets."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Aggregates closer than this share of what they were summed from differ by rounding only, and so share a rank.
ROUNDING = 1e-12


def places(values: NDArray[Any], *, tolerance: float | NDArray[np.float64] = 0.0) -> NDArray[np.int64]:
    """Return dense places, 0 for the highest value; sorted neighbours that differ by at most `tolerance` are equal.

    Parameters
    ----------
    values
        Shape `(N, …)`, higher is better; every further axis (replicates) has places of its own. NaN gets place −1.
    tolerance
        Largest step, in units of `values`, that still counts as a tie; of a shape that broadcasts to that of
        `values` where every value has its own, the larger of two neighbours deciding. Steps chain: a run of values
        with no larger step between neighbours is one place.

    Examples
    --------
    >>> places(np.array([0.5, 0.75, 0.5, np.nan]))
    array([ 1,  0,  1, -1])
    >>> places(np.array([0.1 + 0.2, 0.3]), tolerance=1e-12)
    array([0, 0])
    """
    order = np.argsort(-values, axis=0, kind="stable")  # NaN last
    ordered = np.take_along_axis(values, order, axis=0)
    reach = np.take_along_axis(np.broadcast_to(np.asarray(tolerance, dtype=np.float64), values.shape), order, axis=0)
    place = np.zeros(values.shape, dtype=np.int64)
    with np.errstate(invalid="ignore", over="ignore"):  # between infinities there is no step; a huge one is one
        np.cumsum(-np.diff(ordered, axis=0) > np.maximum(reach[1:], reach[:-1]), axis=0, out=place[1:])
    result = np.empty_like(place)
    np.put_along_axis(result, order, np.where(np.isnan(ordered), -1, place), axis=0)
    return result


def competition_ranks(place: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the standard competition ranks (1224) of dense places: 1 plus the number of better values; 0 if unranked.

    Examples
    --------
    >>> competition_ranks(np.array([0, 1, 1, 2, -1]))
    array([1, 2, 2, 4, 0])
    """
    better, _ = better_and_equal(place)
    return np.where(place >= 0, better + 1, 0)


def midranks(place: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return midranks of dense places: ties share the mean of the ranks they take; NaN if unranked.

    Examples
    --------
    >>> midranks(np.array([0, 1, 1, 2, -1]))
    array([1. , 2.5, 2.5, 4. , nan])
    """
    better, equal = better_and_equal(place)
    return np.where(place >= 0, better + (equal + 1) / 2, np.nan)


def best_first(place: NDArray[np.int64], names: Sequence[str]) -> list[int]:
    """Return the indices of dense places `(N,)` in order: the best first, equals by name, the unranked last.

    >>> best_first(np.array([1, -1, 0, 0]), ["a", "b", "d", "c"])
    [3, 2, 0, 1]
    """
    last = len(names)
    return sorted(range(last), key=lambda index: (place[index] if place[index] >= 0 else last, names[index]))


def better_and_equal(place: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each value, how many are at better places and how many at its own; any numbers for the unranked."""
    columns = place.reshape(place.shape[0], math.prod(place.shape[1:]))
    n_values, n_columns = columns.shape
    cell = np.maximum(columns, 0) * n_columns + np.arange(n_columns)
    sizes = np.bincount(cell[columns >= 0], minlength=n_values * n_columns).reshape(n_values, n_columns)
    before = np.cumsum(sizes, axis=0) - sizes
    return before.ravel()[cell].reshape(place.shape), sizes.ravel()[cell].reshape(place.shape)
