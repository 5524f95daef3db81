"""Instances that are split together, and the metric on them, also in bootstrap replicates."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError
from podium.base.words import how_many
from podium.customization.curve import Curves, Sums, combine, series
from podium.customization.split import Cuts, Splitting, Weighting, cut

#: Instances summed at once; ends of splits are looked for inside such runs.
_RUN = 64

Floats = NDArray[np.float64]

Integers = NDArray[np.int64]


class Replicator:
    """Sums of one part in many replicates; what does not change from one to the next is made once.

    Parameters
    ----------
    curves
        Scores in order.
    weighting, cuts
        W, d, e, and where splits end: shares of the weight are of the weight in the replicate.
    """

    def __init__(self, curves: Curves, weighting: Weighting, cuts: Cuts) -> None:
        self._curves, self._weighting, self._cuts = curves, weighting, cuts
        self._weighed: dict[tuple[str, int], Floats] = {}
        combine(weighting, self._prepare, rows=1)

    def sums(self, draws: NDArray[np.uint8]) -> Sums:
        """Sum between the ends of splits with instances weighed anew, once for each replicate.

        Parameters
        ----------
        draws
            Shape `(K, R)`: how often each instance was drawn, in the order of the curves.

        Returns
        -------
        Sums of shape `(n, s, R)`; with draws of 1 those of `Curves.sums`.
        """
        runs = _Runs(self._curves, draws)
        ends = runs.ends(self._cuts)

        def between(kind: str, power: int) -> Floats:
            return np.diff(runs.before(self._weighed[kind, power], ends), axis=1)

        return combine(self._weighting, between, rows=self._curves.scores.shape[0]).cleaned()

    def _prepare(self, kind: str, power: int) -> Floats:
        """Weigh, and cut into runs, what will be summed."""
        curves = self._curves
        values = curves.scores if kind == "scores" else curves.scored
        self._weighed[kind, power] = _cut(values * series(curves.difficulty, power, curves.weights))
        return np.zeros((1, 1))


def _cut(values: Floats) -> Floats:
    """Shape `(n, runs, RUN)`, filled up with 0."""
    rows, size = values.shape
    runs = max(-(-size // _RUN), 1)
    return np.pad(values, ((0, 0), (0, runs * _RUN - size))).reshape(rows, runs, _RUN)


class _Runs:
    """Draws of instances in runs of equal length, the last filled up with ones that were never drawn."""

    def __init__(self, curves: Curves, draws: NDArray[np.uint8]) -> None:
        self.order = curves.order
        size, replicates = draws.shape
        self.count = max(-(-size // _RUN), 1)
        filled = np.zeros((self.count * _RUN, replicates))
        filled[:size] = draws
        self.draws = filled.reshape(self.count, _RUN, replicates)
        self.weights = _cut(curves.weights[None])
        self.mass = self._whole(self.weights)

    def ends(self, cuts: Cuts) -> list[tuple[Integers, Integers, Floats]]:
        """For each end the instances before the knot below and before the one above it, and how far between it lies.

        Each of shape `(R,)`.
        """
        replicates = self.draws.shape[2]
        nowhere = np.zeros(replicates)
        if not cuts.whole:
            places = self.order.ends[cuts.places.astype(np.int64)]
            return [(np.full(replicates, place), np.full(replicates, place), nowhere) for place in places]
        total = self.mass[0, -1]
        first, last = np.zeros(replicates, np.int64), np.full(replicates, self.order.permutation.size)
        inner = [self._end_at(place / cuts.whole * total) for place in cuts.places[1:-1]]
        return [(first, first, nowhere), *inner, (last, last, nowhere)]

    def before(self, cut: Floats, ends: list[tuple[Integers, Integers, Floats]]) -> Floats:
        """Shape `(n, s + 1, R)`: sums of values, cut into runs, over the instances drawn before each end."""
        whole = self._whole(cut)
        read = []
        for low, high, share in ends:
            below = self._at(cut, whole, low)
            above = self._at(cut, whole, high) if share.any() else below
            read.append(below + share * (above - below))
        return np.stack(read, axis=1)

    def _end_at(self, mass: Floats) -> tuple[Integers, Integers, Floats]:
        """Find the group of instances in which each replicate reaches a mass `(R,)`, and how far inside it."""
        run = (self.mass[0, 1:] < mass).sum(axis=0).clip(0, self.count - 1)
        drawn = self.weights[0, run] * self._drawn(run)
        reached = self.mass[0, run, np.arange(run.size), None] + np.cumsum(drawn, axis=1)
        place = (run * _RUN + (reached < mass[:, None]).sum(axis=1)).clip(0, self.order.permutation.size - 1)
        group = np.searchsorted(self.order.ends, place, side="right")
        low, high = self.order.ends[group - 1], self.order.ends[group]
        below, above = (self._at(self.weights, self.mass, ends)[0] for ends in (low, high))
        width = above - below
        share = np.divide(mass - below, width, out=np.ones_like(width), where=width > 0).clip(0, 1)
        return low, high, share

    def _whole(self, cut: Floats) -> Floats:
        """Shape `(n, runs + 1, R)`: sums over the runs before each."""
        sums = np.matmul(cut.transpose(1, 0, 2), self.draws)  # (runs, n, R)
        start = np.zeros((1, *sums.shape[1:]))
        return np.concatenate([start, np.cumsum(sums, axis=0)]).transpose(1, 0, 2)

    def _at(self, cut: Floats, whole: Floats, places: Integers) -> Floats:
        """Shape `(n, R)`: sums over the first so many instances, `(R,)`."""
        run = np.minimum(places // _RUN, self.count - 1)
        inside = np.arange(_RUN) < (places - run * _RUN)[:, None]
        rest = np.einsum("nrk,rk->nr", cut[:, run], self._drawn(run) * inside)
        sums: Floats = whole[:, run, np.arange(run.size)] + rest
        return sums

    def _drawn(self, run: Integers) -> Floats:
        """Shape `(R, RUN)`: the draws of one run for each replicate."""
        drawn: Floats = self.draws[run, :, np.arange(run.size)]
        return drawn


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """K instances on which N systems are scored, split together.

    Attributes
    ----------
    parts
        Scores along an order: one of all systems, or one for each.
    rising
        Whether difficulty rises along the order.
    span
        Least and greatest difficulty.
    own
        Whether every system has difficulties of its own.
    name
        What errors call it, as the task it is of.
    """

    parts: tuple[Curves, ...]
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
        parts = tuple(
            Curves.of(some, own, weights, kept, keys=keys, rising=rising, share_ties=share_ties)
            for some, own, kept in rows
        )
        span = (float(np.nanmin(difficulty)), float(np.nanmax(difficulty)))
        return cls(parts, rising, span, difficulty.ndim == 2, name)

    def cuts(self, splitting: Splitting, count: int) -> list[Cuts]:
        """Find where splits end, for each part; of systems with too few instances of their own all splits are empty.

        Raises
        ------
        MethodError
            There are more splits than instances.
        """
        short = self.short(splitting, count)
        if short and not self.own:
            where = f"{self.name}: " if self.name else ""
            raise MethodError(
                f"{where}{how_many(count, 'split')} of {how_many(self.parts[0].places.size, 'instance')}; "
                f"take {self.parts[0].places.size} or fewer (splits=, --splits)"
            )
        return [
            Cuts(np.zeros(count + 1))
            if row in short
            else cut(splitting, count, part.order, part.values, rising=self.rising, span=self.span)
            for row, part in enumerate(self.parts)
        ]

    def short(self, splitting: Splitting, count: int) -> list[int]:
        """Parts with fewer instances than splits that must each have some."""
        filled = splitting.by in {"equal", "random", "quantiles"}
        return [row for row, part in enumerate(self.parts) if filled and part.places.size < count]

    def sums(self, weighting: Weighting, cuts: list[Cuts]) -> Sums:
        """Shape `(N, s)`: what the systems earned, and could have, in each split."""
        pairs = zip(self.parts, cuts, strict=True)
        return _joined([part.sums(weighting, ends.along(part.order)) for part, ends in pairs])

    def replicates(self, weighting: Weighting, cuts: list[Cuts]) -> Callable[[NDArray[np.uint8]], Sums]:
        """Return what makes of draws of the instances, `(K, R)`, the same sums in replicates, `(N, s, R)`."""
        replicators = [Replicator(part, weighting, ends) for part, ends in zip(self.parts, cuts, strict=True)]

        def sums(draws: NDArray[np.uint8]) -> Sums:
            pairs = zip(self.parts, replicators, strict=True)
            return _joined([replicator.sums(np.take(draws, part.places, axis=0)) for part, replicator in pairs])

        return sums


def _joined(sums: list[Sums]) -> Sums:
    if len(sums) == 1:
        return sums[0]
    return Sums(np.concatenate([one.earned for one in sums]), np.concatenate([one.possible for one in sums]))
