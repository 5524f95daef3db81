"""Instances that are split together: all systems in one order, or each in its own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.customization.curves import Curves, Sums
from podium.customization.factors import Weighting
from podium.customization.orders import Order
from podium.customization.replicating import Replicator
from podium.customization.splitting import Cuts, Splitting, cut
from podium.errors import MethodError
from podium.wording import counted

__all__ = ["Box", "Part"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Systems of a box that have one order.

    Attributes
    ----------
    curves
        Their scores along it.
    values
        Shape `(G,)`: what the groups of the order are ordered by, increasing.
    places
        Shape `(K,)`: where the instances, in order, stand in the box.
    """

    curves: Curves
    values: Floats
    places: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """K instances on which N systems are scored, split together.

    Attributes
    ----------
    parts
        One of all systems, or one for each.
    rising
        Whether difficulty rises along the order.
    span
        Least and greatest difficulty.
    own
        Whether every system has difficulties of its own.
    name
        What errors call it, as the task it is of.
    """

    parts: tuple[Part, ...]
    rising: bool
    span: tuple[float, float]
    own: bool
    name: str

    @classmethod
    def of(
        cls,
        scores: Floats,
        difficulty: Floats,
        weights: Floats,
        *,
        rising: bool,
        share_ties: bool = True,
        keys: Floats | None = None,
        name: str = "",
    ) -> Self:
        """Sort the instances.

        Parameters
        ----------
        scores
            Shape `(N, K)`: in [0, 1], higher is better, NaN where missing.
        difficulty
            Shape `(K,)`: B; or `(N, K)` where every system has its own, NaN where it has none.
        weights
            Shape `(K,)`: of the instances.
        rising
            Whether high values are hard.
        share_ties
            Whether instances of equal difficulty share the splits they lie across.
        keys
            Shape `(K,)`: what to order by, increasing, in place of the difficulty.
        name
            What errors call it.
        """
        rising = rising or keys is not None
        every = np.arange(difficulty.shape[-1])
        if difficulty.ndim == 1:
            rows = [(scores, difficulty, every)]
        else:
            rows = [
                (scores[[row]], own, np.flatnonzero(~np.isnan(own) & ~np.isnan(scores[row])))
                for row, own in enumerate(difficulty)
            ]
        parts = []
        for some, own, kept in rows:
            by = (own if keys is None else keys)[kept]
            order = Order.of(by if rising else -by, weights[kept], share_ties=share_ties)
            values = by[order.permutation[order.ends[:-1]]]
            curves = Curves.of(some[:, kept], own[kept], weights[kept], order)
            parts.append(Part(curves, values if rising else values[::-1].copy(), kept[order.permutation]))
        span = (float(np.nanmin(difficulty)), float(np.nanmax(difficulty)))
        return cls(tuple(parts), rising, span, difficulty.ndim == 2, name)

    def cuts(self, splitting: Splitting) -> list[Cuts]:
        """Find where splits end, for each part; of systems with too few instances of their own all splits are empty.

        Raises
        ------
        MethodError
            There are more splits than instances.
        """
        short = self.short(splitting)
        if short and not self.own:
            where = f"{self.name}: " if self.name else ""
            raise MethodError(
                f"{where}{counted(splitting.count, 'split')} of {counted(self.parts[0].places.size, 'instance')}; "
                "there cannot be more splits than instances"
            )
        return [
            Cuts(np.zeros(splitting.count + 1))
            if row in short
            else cut(splitting, part.curves.order, part.values, rising=self.rising, span=self.span)
            for row, part in enumerate(self.parts)
        ]

    def short(self, splitting: Splitting) -> list[int]:
        """Parts with fewer instances than splits that must each have some."""
        filled = splitting.by in {"equal", "random", "quantiles"}
        return [row for row, part in enumerate(self.parts) if filled and part.places.size < splitting.count]

    def sums(self, weighting: Weighting, cuts: list[Cuts]) -> Sums:
        """Shape `(N, s)`: what the systems earned, and could have, in each split."""
        pairs = zip(self.parts, cuts, strict=True)
        return _joined([part.curves.sums(weighting, ends.along(part.curves.order)) for part, ends in pairs])

    def replicates(self, weighting: Weighting, cuts: list[Cuts]) -> Callable[[NDArray[np.uint8]], Sums]:
        """Return what makes of draws of the instances, `(K, R)`, the same sums in replicates, `(N, s, R)`."""
        replicators = [Replicator(part.curves, weighting, ends) for part, ends in zip(self.parts, cuts, strict=True)]

        def sums(draws: NDArray[np.uint8]) -> Sums:
            pairs = zip(self.parts, replicators, strict=True)
            return _joined([replicator.sums(np.take(draws, part.places, axis=0)) for part, replicator in pairs])

        return sums


def _joined(sums: list[Sums]) -> Sums:
    if len(sums) == 1:
        return sums[0]
    return Sums(np.concatenate([one.earned for one in sums]), np.concatenate([one.possible for one in sums]))
