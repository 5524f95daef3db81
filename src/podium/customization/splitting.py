"""Where splits end: as many instances in each, as wide, at thresholds, at quantiles, at random, or as a column says."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.customization.orders import Order
from podium.errors import MethodError, nearest

__all__ = ["BOX_LEVELS", "MOST_SPLITS", "SPLITTINGS", "TIES", "Cuts", "Splitting", "cut", "equal_counts"]

#: Ways to split, by name.
SPLITTINGS = ("equal", "width", "thresholds", "quantiles", "random", "manual")

#: What becomes of instances of equal difficulty across the end of a split: they are shared, or come by label.
TIES = ("share", "order")

#: Whether all instances are in one box, or those of each task in one of its own.
BOX_LEVELS = ("one", "two")

#: More than anybody can look at.
MOST_SPLITS = 50

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Splitting:
    """How to split, and into how many.

    Attributes
    ----------
    by
        One of `SPLITTINGS`.
    count
        s, the number of splits.
    marks
        Thresholds in units of difficulty, or quantiles between 0 and 1, increasing; empty for other ways.
    seed
        Of random splits.
    """

    by: str
    count: int
    marks: tuple[float, ...] = ()
    seed: int = 0

    @classmethod
    def of(cls, splits: Any, by: str | None, *, seed: int = 0) -> "Splitting":
        """Check what a caller says: how many splits, or where they end.

        Raises
        ------
        MethodError
            There is no such way; there are fewer than 1 splits or more than 50; or marks are no increasing numbers.

        Examples
        --------
        >>> Splitting.of([0.3, 0.6], None).count
        3
        """
        several = isinstance(splits, Sequence | np.ndarray) and not isinstance(splits, str)
        way = by or ("thresholds" if several else "equal")
        if way not in SPLITTINGS:
            raise MethodError(f"there is no way to split by {way!r}; {nearest(way, SPLITTINGS)}")
        if several != (way in {"thresholds", "quantiles"}):
            wanted = "the ends between them, such as [0.3, 0.6]" if not several else "how many there are, such as 7"
            raise MethodError(f"splits by {way!r} need {wanted}, not {splits!r}")
        marks = _marks(splits, way) if several else ()
        count = len(marks) + 1 if several else splits
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= MOST_SPLITS:
            raise MethodError(f"the number of splits is {count!r}; it must be a whole number from 1 to {MOST_SPLITS}")
        return cls(way, int(count), marks, seed)


def _marks(given: Any, by: str) -> tuple[float, ...]:
    try:
        marks = tuple(float(mark) for mark in given)
    except (TypeError, ValueError):
        raise MethodError(f"{by} are {given!r}; they must be numbers") from None
    if not marks:
        raise MethodError(f"there are no {by}; give at least one, or the number of splits")
    if not np.isfinite(marks).all() or any(low >= high for low, high in pairwise(marks)):
        raise MethodError(f"{by} are {list(marks)!r}; they must be finite and increasing")
    if by == "quantiles" and not all(0 < mark < 1 for mark in marks):
        raise MethodError(f"quantiles are {list(marks)!r}; they must lie between 0 and 1, such as 0.1, 0.5, 0.9")
    return marks


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """Ends of splits along an order.

    Attributes
    ----------
    places
        Shape `(s + 1,)`: knots, from 0 to G; or weights of the instances before each end.
    whole
        Weight of all instances in units of `places`, which then move as instances weigh more or less; 0 where they are
        knots.
    """

    places: Floats
    whole: float = 0.0

    def along(self, order: Order) -> Floats:
        """Shape `(s + 1,)`: the knots at which splits end."""
        if not self.whole:
            return self.places
        knots = order.knots_at(self.places * (order.total / self.whole))
        knots[0], knots[-1] = 0, order.ends.size - 1
        return knots


def cut(splitting: Splitting, order: Order, values: Floats, *, rising: bool, span: tuple[float, float]) -> Cuts:
    """Find where splits end along an order.

    Parameters
    ----------
    splitting
        How to split.
    order
        The instances, the easy ones first; of random and manual splits those of the first split.
    values
        Shape `(G,)`: the difficulty of its groups, increasing; of manual splits the number of each, from 0.
    rising
        Whether difficulty rises along the order, because high values are hard.
    span
        Least and greatest difficulty, between which "width" divides.

    Notes
    -----
    Of K instances in s equal splits, the first K mod s get one more. A difficulty that equals a threshold belongs with
    the lower values, as in [MA21, Eq. 2].
    """
    count, size = splitting.count, order.permutation.size
    if splitting.by in {"equal", "random"}:
        return Cuts(equal_counts(size, count), size)
    if splitting.by == "quantiles":
        marks = splitting.marks if rising else [1 - mark for mark in reversed(splitting.marks)]
        return Cuts(np.array([0.0, *marks, 1.0]), 1.0)
    if splitting.by == "manual":
        return Cuts(np.searchsorted(values, np.arange(count + 1), side="left").astype(np.float64))
    marks = splitting.marks
    if splitting.by == "width":
        marks = tuple(np.linspace(*span, count + 1)[1:-1].tolist())
    inner = np.searchsorted(values, marks, side="right")
    inner = inner if rising else values.size - inner[::-1]
    return Cuts(np.array([0, *inner, values.size], dtype=np.float64))


def equal_counts(size: int, splits: int) -> Floats:
    """Shape `(s + 1,)`: how many of K instances lie before the ends of equal splits.

    >>> equal_counts(10, 3)
    array([ 0.,  4.,  7., 10.])
    """
    least, more = divmod(size, splits)
    number = np.arange(splits + 1)
    return (least * number + np.minimum(number, more)).astype(np.float64)
