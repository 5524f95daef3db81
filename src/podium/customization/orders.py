"""Instances in order of difficulty, those of one difficulty together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.frozen import Frozen

__all__ = ["Order"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: Knots closer than this to a whole number differ from it by rounding only.
_SAME = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Order(Frozen):
    """An order of K instances in G groups, within which nobody is harder than another.

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
