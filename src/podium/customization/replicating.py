"""The metric in bootstrap replicates: sums between ends of splits that move with the weights of the instances."""

import numpy as np
from numpy.typing import NDArray

from podium.customization.curves import Curves, Sums, combine, series
from podium.customization.factors import Weighting
from podium.customization.splitting import Cuts

__all__ = ["Replicator"]

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
