"""Where splits end along an order of difficulty, and sums of the metric between: any weights and rewards follow."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Frozen
from podium.base.errors import MethodError
from podium.base.words import how_many
from podium.customization.split import Order, Splitting, Weighting

Integers = NDArray[np.int64]

#: Share of all that could be earned below which a sum is rounding.
_ROUNDING = 1e-13


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
        least, more = divmod(size, count)
        number = np.arange(count + 1)
        return Cuts((least * number + np.minimum(number, more)).astype(np.float64), size)
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


@dataclass(frozen=True, slots=True, eq=False)
class Sums(Frozen):
    """Numerator and denominator of the metric, split by split, before split weights.

    Attributes
    ----------
    earned
        Shape `(n, s)`, or `(n, s, R)` of replicates: Σ K W over the scored instances of a system in a split.
    possible
        The same of Σ d W, what it would have earned had all been right.
    """

    earned: Floats
    possible: Floats

    def within(self) -> Floats:
        """Shape `(n, s)`: the metric of each split, 1 at most; NaN where nothing could be earned."""
        return _ratio(self.earned, self.possible)

    def cleaned(self) -> "Sums":
        """Return the same with nothing where only rounding is left."""
        left = self.possible > _ROUNDING * self.possible.sum(axis=1, keepdims=True)
        return Sums(np.where(left, self.earned, 0.0), np.where(left, self.possible, 0.0))

    def overall(self, weights: Floats) -> Floats:
        """Shape `(n,)`: the metric with these weights of the splits, `(s,)`; or `(n, W)` of weights `(s, W)`."""
        return _ratio(*(np.tensordot(sums, weights, axes=(1, 0)) for sums in (self.earned, self.possible)))


def _ratio(part: Floats, whole: Floats) -> Floats:
    result: Floats = np.full(part.shape, np.nan)
    np.divide(part, whole, out=result, where=whole > 0)
    return result


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """Scores of n systems on K instances, in an order that is theirs together.

    Attributes
    ----------
    order
        The instances, the easy ones first.
    values
        Shape `(G,)`: what the groups of the order are ordered by, increasing.
    places
        Shape `(K,)`: where the instances, in order, stand in their box.
    scores
        Shape `(n, K)`: in [0, 1], higher is better, in order, 0 where missing.
    scored
        Shape `(n, K)` or, where no score is missing, `(1, K)`: 1 where there is a score, 0 elsewhere, in order.
    difficulty
        Shape `(K,)`: B, in order.
    weights
        Shape `(K,)`: of the instances themselves, in order.
    """

    order: Order
    values: Floats
    places: NDArray[np.int64]
    scores: Floats
    scored: Floats
    difficulty: Floats
    weights: Floats

    def sums(self, weighting: Weighting, knots: Floats) -> Sums:
        """Sum between successive knots of shape `(s + 1,)`."""
        shares = self.order.shares(knots)[self.order.permutation]
        parts = [(inside, shares[inside, j]) for j, inside in enumerate(map(np.flatnonzero, shares.T))]

        def between(values: Floats, power: int) -> Floats:
            weights = series(self.difficulty, power, self.weights)
            return np.stack([(values[:, inside] * (weights[inside] * own)).sum(axis=1) for inside, own in parts], 1)

        return self._combined(weighting, between)

    def replicates(self, weighting: Weighting, cuts: Cuts, draws: NDArray[np.uint8]) -> Sums:
        """Sum between the ends of splits with instances weighed anew, once for each replicate.

        Parameters
        ----------
        weighting, cuts
            W, d, e, and where splits end: shares of the weight are of the weight in the replicate.
        draws
            Shape `(K, R)`: how often each instance was drawn, in this order.

        Returns
        -------
        Sums of shape `(n, s, R)`; with draws of 1 those of `sums`.
        """
        runs = _Runs(self, draws)
        ends = runs.ends(cuts)

        def between(values: Floats, power: int) -> Floats:
            weighed = values * series(self.difficulty, power, self.weights)
            return np.diff(runs.before(_cut(weighed), ends), axis=1)

        return self._combined(weighting, between).cleaned()

    def _combined(self, weighting: Weighting, between: Callable[[Floats, int], Floats]) -> Sums:
        """Put the metric together of sums of values times powers of B, split by split.

        With K = e + (d − e) score, so that partial credit lies between penalty and reward, Σ K W is e Σ W (1 − score)
        + d Σ W score.
        """
        weight, reward, penalty = weighting.powers
        earned = weighting.reward.number * between(self.scores, weight + reward)
        if weighting.penalty.number:
            wrong = between(self.scored, weight + penalty) - between(self.scores, weight + penalty)
            earned = earned + weighting.penalty.number * wrong
        possible = weighting.reward.number * between(self.scored, weight + reward)
        return Sums(earned, np.broadcast_to(possible, earned.shape).copy())


def series(difficulty: Floats, power: int, weights: Floats) -> Floats:
    """Weights times B^power; B⁰ is 1, also of 0."""
    return weights if power == 0 else weights * difficulty**power


def check_powers(weighting: Weighting, difficulty: Floats, name: str) -> None:
    """Refuse powers of B where they are undefined, or turn a weight or a reward negative.

    Raises
    ------
    MethodError
        B is 0 and 1/B is asked for, or B is negative and any power is.
    """
    powers = {weighting.power, weighting.reward.power, *([weighting.penalty.power] if weighting.penalty.number else [])}
    if powers == {0}:
        return
    if (negative := np.count_nonzero(difficulty < 0)) > 0:
        raise MethodError(
            f"{name} is below 0 on {negative:,} of {difficulty.size:,} instances, so B and 1/B would make weights or "
            "rewards negative; weight by splits, such as 'linear', with numbers as reward and penalty"
        )
    if -1 in powers and (zero := np.count_nonzero(difficulty == 0)) > 0:
        raise MethodError(
            f"{name} is 0 on {zero:,} of {difficulty.size:,} instances, so 1/B is undefined (cases 6 and 8 of the "
            "paper's Table 1); weight by splits, such as 'linear', and use numbers as reward and penalty "
            "(cases 1, 2, 4, 5)"
        )
    if not difficulty.any():
        raise MethodError(f"{name} is 0 on every instance, so weights or rewards of B are all 0; use numbers")
    least = min(weighting.power + weighting.reward.power, weighting.power + weighting.penalty.power, 0)
    with np.errstate(over="ignore", divide="ignore"):
        if least and np.isinf(difficulty**least).any():
            raise MethodError(
                f"{name} is as small as {difficulty.min():g}, and its reciprocal is too large to add up; weigh by "
                "splits, such as 'linear', with numbers as reward and penalty"
            )


#: Instances summed at once; ends of splits are looked for inside such runs.
_RUN = 64


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
        parts = []
        for some, own, kept in rows:
            by = (own if keys is None else keys)[kept]
            order = Order.of(by if rising else -by, weights[kept], share_ties=share_ties)
            values, places = by[order.permutation[order.ends[:-1]]], kept[order.permutation]
            ordered = np.take(some, places, axis=1)
            there = ~np.isnan(ordered)
            parts.append(
                Curves(
                    order,
                    values if rising else values[::-1].copy(),
                    places,
                    scores=np.where(there, ordered, 0.0),
                    scored=np.ones((1, places.size)) if there.all() else there.astype(np.float64),
                    difficulty=own[places],
                    weights=weights[places],
                )
            )
        span = (float(np.nanmin(difficulty)), float(np.nanmax(difficulty)))
        return cls(tuple(parts), rising, span, difficulty.ndim == 2, name)

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

    def replicates(self, weighting: Weighting, cuts: list[Cuts], draws: NDArray[np.uint8]) -> Sums:
        """Shape `(N, s, R)`: the same sums in replicates, by draws of the instances, `(K, R)`."""
        pairs = zip(self.parts, cuts, strict=True)
        return _joined([part.replicates(weighting, ends, draws[part.places]) for part, ends in pairs])


def _joined(sums: list[Sums]) -> Sums:
    if len(sums) == 1:
        return sums[0]
    return Sums(np.concatenate([one.earned for one in sums]), np.concatenate([one.possible for one in sums]))
