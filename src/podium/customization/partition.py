"""All boxes of a table, split: the metric overall and by split, averaged over boxes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.customization.box import Box
from podium.customization.curve import Sums, series
from podium.customization.split import Cuts, Splitting
from podium.customization.weight import Weighting, lead_shares, weightings

Floats = NDArray[np.float64]


class SharedEnd(NamedTuple):
    """End of a split among instances of one difficulty: number of the split, that difficulty, how many they are."""

    split: int
    value: float
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Boxes with the ends of their splits.

    Attributes
    ----------
    splitting
        How they were split.
    names
        What the s splits are called.
    boxes
        The instances, in order.
    cuts
        For each box, and each part of it, where splits end.
    weights
        Shape `(boxes,)`: weights of their averages.
    """

    splitting: Splitting
    names: tuple[str, ...]
    boxes: tuple[Box, ...]
    cuts: tuple[list[Cuts], ...]
    weights: Floats

    @classmethod
    def of(cls, splitting: Splitting, boxes: Sequence[Box], weights: Floats, names: Sequence[str] = ()) -> Self:
        """Split; unless they have names, splits are numbered.

        Raises
        ------
        MethodError
            There are more splits than instances.
        """
        called = tuple(names) or splitting.numbers
        return cls(splitting, called, tuple(boxes), tuple(box.cuts(splitting, len(called)) for box in boxes), weights)

    @property
    def count(self) -> int:
        """s, the number of splits."""
        return len(self.names)

    def sums(self, weighting: Weighting) -> list[Sums]:
        """For each box what systems earned, and could have, in each split."""
        return [box.sums(weighting, cuts) for box, cuts in zip(self.boxes, self.cuts, strict=True)]

    def metric(self, weighting: Weighting) -> tuple[Floats, Floats]:
        """Overall, shape `(N,)`, and within splits, `(N, s)`; of 1 at most, NaN where there is nothing to earn."""
        sums = self.sums(weighting)
        overall = self.overall(sums, weighting.split_weights(self.count))
        return overall, self.mean(one.within() for one in sums)

    def overall(self, sums: Sequence[Sums], weights: Floats) -> Floats:
        """Shape `(N, …)`: the metric with these weights of the splits, see `Sums.overall`."""
        return self.mean(one.overall(weights) for one in sums)

    def mean(self, values: Iterable[Floats]) -> Floats:
        """Average over boxes; a box in which a value is NaN is left out of its average."""
        if len(self.boxes) == 1:
            return next(iter(values))
        whole, total = 0.0, 0.0
        for weight, one in zip(self.weights.tolist(), values, strict=True):
            there = ~np.isnan(one)
            total = total + weight * there
            whole = whole + weight * np.where(there, one, 0.0)
        result: Floats = np.full(np.shape(total), np.nan)
        np.divide(whole, total, out=result, where=np.asarray(total) > 0)
        return result

    def sizes(self) -> Floats:
        """Shape `(s,)`: instances in each split, of all boxes; on average over systems that each have an order."""
        total = np.zeros(self.count)
        for box, cuts in zip(self.boxes, self.cuts, strict=True):
            short = box.short(self.splitting, self.count)
            for row, (part, ends) in enumerate(zip(box.parts, cuts, strict=True)):
                order = part.order
                if row not in short:
                    counts = order.along(order.ends[None].astype(np.float64), ends.along(order))[0]
                    total += np.diff(counts) / (len(box.parts) - len(short))
        return total

    def effective(
        self, weighting: Weighting, clusters: Sequence[NDArray[np.int64] | None] | None = None
    ) -> list[float]:
        """For each box the number of instances of equal weight that would tell as much: (Σ W)² / Σ W².

        W is that of the denominator, d W with split weights. Where systems have orders of their own, the least of them.
        Where instances have clusters, by number, that of clusters: W is then summed in each.
        """
        b = weighting.split_weights(self.count)
        weight, reward, _ = weighting.powers
        numbers = []
        for box, cuts, of in zip(self.boxes, self.cuts, clusters or [None] * len(self.boxes), strict=True):
            least = np.inf
            for curves, ends in zip(box.parts, cuts, strict=True):
                shares = curves.order.shares(ends.along(curves.order))[curves.order.permutation] @ b
                own = shares * series(curves.difficulty, weight + reward, curves.weights)
                if own.any():
                    scaled = own / own.max()
                    scaled = scaled if of is None else np.bincount(of, weights=scaled)
                    least = min(least, float(scaled.sum() ** 2 / (scaled**2).sum()))
            numbers.append(least if np.isfinite(least) else 0.0)
        return numbers

    def shares(self) -> list[Floats]:
        """For each box, `(K, s)`: which share of each instance is in each split, where systems have one order."""
        boxes = zip(self.boxes, self.cuts, strict=True)
        orders = [(box.parts[0].order, cuts[0]) for box, cuts in boxes]
        return [order.shares(ends.along(order)) for order, ends in orders]

    def ranges(self) -> list[tuple[float, float]]:
        """Least and greatest difficulty in each split; NaN where it is empty, or systems have orders of their own."""
        found = np.full((self.count, 2), np.nan)
        for box, cuts in zip(self.boxes, self.cuts, strict=True):
            if box.own:
                return [(np.nan, np.nan)] * self.count
            curves = box.parts[0]
            knots = cuts[0].along(curves.order)
            first = curves.order.ends[np.floor(knots[:-1]).astype(np.int64)]
            last = curves.order.ends[np.ceil(knots[1:]).astype(np.int64)]
            for j, (low, high) in enumerate(zip(first, last, strict=True)):
                if knots[j] < knots[j + 1]:
                    inside = curves.difficulty[low:high]
                    found[j] = np.fmin(found[j, 0], inside.min()), np.fmax(found[j, 1], inside.max())
        return [(float(low), float(high)) for low, high in found]

    def shared(self, row: int | None = None) -> list[SharedEnd]:
        """Find the splits that end among instances of one difficulty.

        Parameters
        ----------
        row
            Of a system, for boxes in which every system has an order of its own; None for the other boxes.
        """
        ends = []
        for box, cuts in zip(self.boxes, self.cuts, strict=True):
            if box.own == (row is None):
                continue
            curves, knots = box.parts[row or 0], cuts[row or 0].along(box.parts[row or 0].order)
            for split, knot in enumerate(knots[1:-1], start=1):
                group = int(knot)
                size = int(np.diff(curves.order.ends[group : group + 2]).sum())
                if knot > group and size > 1:
                    ends.append(SharedEnd(split, float(curves.difficulty[curves.order.ends[group]]), size))
        return ends


#: Weightings looked at together; their number is a multiple of it.
_TOGETHER = 500


def lead_shares_of(
    partition: Partition, sums: Sequence[Sums], weighting: Weighting, *, rising: bool, seed: int
) -> Floats:
    """Shape `(N,)`: in which share of weightings of the splits each system is first."""
    if weighting.power:
        return np.full(sums[0].earned.shape[0], np.nan)
    drawn = weightings(partition.count, rising=rising, seed=seed)
    pieces = [drawn[:, first : first + _TOGETHER] for first in range(0, drawn.shape[1], _TOGETHER)]
    share: Floats = np.mean([lead_shares(partition.overall(sums, piece)) for piece in pieces], axis=0)
    return share
