"""The order of difficulty, and where splits end in it: equal counts or widths, thresholds, quantiles, and so on."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError, unknown
from podium.base.frozen import Frozen

Floats = NDArray[np.float64]

Integers = NDArray[np.int64]

#: Knots closer than this to a whole number differ from it by rounding only.
_SAME = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Order(Frozen):
    """An order of K instances in G groups, whose instances are equally hard within a group.

    A *knot* is a place between instances in units of groups, from 0, before the first, to G, behind the last; a knot
    inside a group takes in that share of every one of its instances, as random orders inside it do on average.

    Attributes
    ----------
    permutation
        Shape `(K,)`: the instances in order.
    ends
        Shape `(G + 1,)`: how many instances lie before each knot 0, 1, …, G.
    mass
        Shape `(G + 1,)`: their weight.
    """

    permutation: Integers
    ends: Integers
    mass: Floats

    @classmethod
    def of(cls, keys: Floats, weights: Floats, *, share_ties: bool = True) -> "Order":
        """Sort instances.

        Parameters
        ----------
        keys
            Shape `(K,)`: what to sort by, increasing, without NaN.
        weights
            Shape `(K,)`, ≥ 0.
        share_ties
            Whether instances of equal keys are one group; else each is its own, in the order given.

        Examples
        --------
        >>> Order.of(np.array([0.5, 0.1, 0.5]), np.ones(3)).ends
        array([0, 1, 3])
        """
        permutation = np.argsort(keys, kind="stable")
        ordered = keys[permutation]
        last = np.ones(keys.size, dtype=np.bool_)
        if share_ties:
            np.not_equal(ordered[1:], ordered[:-1], out=last[:-1])
        ends = np.concatenate([[0], np.flatnonzero(last) + 1])
        mass = np.concatenate([[0.0], np.cumsum(weights[permutation])])[ends]
        return cls(permutation, ends, mass)

    @property
    def total(self) -> float:
        """Weight of all instances."""
        return float(self.mass[-1])

    def knots_at(self, masses: Floats) -> Floats:
        """Knots before which instances of these weights lie, which must be between 0 and the total.

        >>> Order.of(np.array([0.5, 0.1, 0.5]), np.ones(3)).knots_at(np.array([1.0, 2.0]))
        array([1. , 1.5])
        """
        group = np.searchsorted(self.mass, masses, side="left").clip(0, self.mass.size - 1)
        below = (group - 1).clip(0)
        width = self.mass[group] - self.mass[below]
        share = np.divide(masses - self.mass[below], width, out=np.ones_like(width), where=width > 0)
        knots: Floats = np.where(group > 0, below + share.clip(0, 1), 0.0)
        whole = np.rint(knots)
        return np.where(np.abs(knots - whole) < _SAME, whole, knots)

    def along(self, sums: Floats, knots: Floats) -> Floats:
        """Read sums over the instances before knots, `(n, G + 1)`, at knots of shape `(s + 1,)`: shape `(n, s + 1)`."""
        below = np.floor(knots).astype(np.int64)
        share = knots - below
        above = np.minimum(below + 1, sums.shape[1] - 1)
        low = sums[:, below]
        # so that what is the same at both ends is the same to the bit in between, and nothing is left of nothing
        read: Floats = low + share * (sums[:, above] - low)
        return read

    def shares(self, knots: Floats) -> Floats:
        """Shape `(K, s)`: which share of each instance lies between successive knots, in the order given to `of`.

        >>> Order.of(np.array([0.5, 0.1, 0.5]), np.ones(3)).shares(np.array([0, 1.5, 2])).tolist()
        [[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]]
        """
        groups = np.arange(self.ends.size - 1)[:, None]
        overlap = np.minimum(knots[1:], groups + 1) - np.maximum(knots[:-1], groups)
        result = np.empty((self.permutation.size, knots.size - 1))
        result[self.permutation] = np.repeat(overlap.clip(0), np.diff(self.ends), axis=0)
        return result


#: Ways to split, by name.
SPLITTINGS = ("equal", "width", "thresholds", "quantiles", "random", "manual")

#: What becomes of instances of equal difficulty across the end of a split: they are shared, or come by label.
TIES = ("share", "order")

#: Whether all instances are in one box, or those of each task in one of its own.
BOX_LEVELS = ("one", "two")

#: More than a reader can look at.
MOST_SPLITS = 50


@dataclass(frozen=True, slots=True, init=False)
class Splitting:
    """How instances are divided into splits, from easy to hard.

    Attributes
    ----------
    splits
        How many, 1 to 50; or the thresholds or quantiles between them, increasing, which are of the measure, whichever
        end is hard; or the measure or extra column of a `Difficulty` that says which split an instance is in: numbers
        count from the easy split, other labels are put in order by the mean difficulty of their instances.
    by
        "equal" (as many instances in each; the default for a number), "width" (as wide a range of difficulty),
        "random", "thresholds" (of difficulty; the default for several numbers), "quantiles", or "manual" (a column).
        An instance of weight 2 counts as two.
    ties
        Where a split ends among instances of equal difficulty, these belong to both splits in the right fractions
        ("share", the default: what random orders give on average), or as they come by label ("order").
    level
        With several tasks: "two" (the default) splits and scores each by itself and averages over tasks, "one" puts all
        instances in one box.

    Raises
    ------
    MethodError
        There is no such way, rule for ties or level; there are fewer than 1 splits or more than 50; or thresholds or
        quantiles are no increasing numbers.

    Examples
    --------
    >>> import podium
    >>> podium.Splitting([0.3, 0.6]).by, podium.Splitting("genre").by
    ('thresholds', 'manual')
    """

    splits: int | str | tuple[float, ...]
    by: str
    ties: str
    level: str

    def __init__(
        self,
        splits: int | str | Sequence[float] = 7,
        by: str | None = None,
        *,
        ties: str = "share",
        level: str = "two",
    ) -> None:
        several = isinstance(splits, Sequence | np.ndarray) and not isinstance(splits, str)
        way = by or ("manual" if isinstance(splits, str) else "thresholds" if several else "equal")
        for what, given, names in (
            ("way to split by", way, SPLITTINGS),
            ("way with ties", ties, TIES),
            ("level", level, BOX_LEVELS),
        ):
            if given not in names:
                raise MethodError(unknown(what, given, names))
        object.__setattr__(self, "splits", _checked(splits, way))
        object.__setattr__(self, "by", way)
        object.__setattr__(self, "ties", ties)
        object.__setattr__(self, "level", level)

    @classmethod
    def of(cls, given: "int | Splitting") -> "Splitting":
        """Take how to split, or how many splits there are, as many instances in each.

        Raises
        ------
        MethodError
            It is neither.
        """
        if isinstance(given, Splitting):
            return given
        if not isinstance(given, int | np.integer):
            raise MethodError(f"splits is {given!r}; give a whole number, or how to split: podium.Splitting({given!r})")
        return cls(given)

    @property
    def marks(self) -> tuple[float, ...]:
        """Thresholds in units of difficulty, or quantiles between 0 and 1, increasing; empty for other ways."""
        return self.splits if isinstance(self.splits, tuple) else ()

    @property
    def numbers(self) -> tuple[str, ...]:
        """Names of the splits, from "1"; none where a column names them."""
        count = self.splits if isinstance(self.splits, int) else len(self.marks) + 1 if self.marks else 0
        return tuple(str(number + 1) for number in range(count))


def _checked(splits: Any, by: str) -> int | str | tuple[float, ...]:
    """Refuse splits that do not fit the way to split."""
    if isinstance(splits, str):
        if by != "manual":
            raise MethodError(f"splits={splits!r} names a column, and splits by {by!r} need none; say by='manual'")
        return splits
    if by == "manual":
        raise MethodError(f"manual splits need the column that says which split an instance is in, not {splits!r}")
    several = isinstance(splits, Sequence | np.ndarray)
    if several != (by in {"thresholds", "quantiles"}):
        wanted = "how many there are, such as 7" if several else "the ends between them, such as [0.3, 0.6]"
        raise MethodError(f"splits by {by!r} need {wanted}, not {splits!r}")
    marks = _marks(splits, by) if several else ()
    count = len(marks) + 1 if several else splits
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= MOST_SPLITS:
        raise MethodError(f"the number of splits is {count!r}; it must be a whole number from 1 to {MOST_SPLITS}")
    return marks or int(count)


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


def cut(
    splitting: Splitting, count: int, order: Order, values: Floats, *, rising: bool, span: tuple[float, float]
) -> Cuts:
    """Find where splits end along an order.

    Parameters
    ----------
    splitting, count
        How to split, and into how many.
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
    size = order.permutation.size
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
