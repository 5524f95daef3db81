"""Sums along an order of difficulty: made once, they answer any splits, weights, rewards and penalties."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Frozen
from podium.base.errors import MethodError
from podium.base.piece import columns_of, pieces
from podium.base.spill import room_of
from podium.customization.split import Order, Weighting

Floats = NDArray[np.float64]

Between = Callable[[str, int], Floats]

#: Share of a sum below which a difference from it is added up anew.
_CANCELLED = 1e-6

#: Share of all that could be earned below which a sum is rounding.
_ROUNDING = 1e-13


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
    _sums: dict[tuple[str, int], Floats] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        scores: Floats,
        difficulty: Floats,
        weights: Floats,
        kept: NDArray[np.int64],
        *,
        keys: Floats | None,
        rising: bool,
        share_ties: bool,
    ) -> "Curves":
        """Sort some instances of a box by their difficulty, or by keys; the arguments are those of `Box.of`."""
        by = (difficulty if keys is None else keys)[kept]
        order = Order.of(by if rising else -by, weights[kept], share_ties=share_ties)
        values = by[order.permutation[order.ends[:-1]]]
        places = kept[order.permutation]
        ordered = columns_of(scores, places)
        whole = not np.isnan(ordered.min(initial=0.0))
        scored = np.ones((1, ordered.shape[1]))
        if not whole:
            scored = room_of(ordered).empty(ordered.shape, np.float64)
            for some in pieces(*ordered.shape):
                there = ~np.isnan(ordered[:, some])
                scored[:, some] = there
                ordered[:, some][~there] = 0.0
        return cls(
            order,
            values if rising else values[::-1].copy(),
            places,
            ordered,
            scored,
            difficulty[places],
            weights[places],
        )

    def sums(self, weighting: Weighting, knots: Floats) -> Sums:
        """Sum between successive knots of shape `(s + 1,)`.

        With K = e + (d − e) score, so that partial credit lies between penalty and reward, Σ K W is e Σ W (1 − score)
        + d Σ W score, and each is a difference of sums along the order.
        """

        def between(kind: str, power: int) -> Floats:
            read = self.order.along(self._along("scored", power), knots)
            # where little is left of large sums, most of its digits are gone
            lost = (np.diff(read, axis=1) < _CANCELLED * read[:, 1:]).any(axis=0)
            found = np.diff(read if kind == "scored" else self.order.along(self._along(kind, power), knots), axis=1)
            for split in np.flatnonzero(lost).tolist():
                found[:, split] = self._within(kind, power, knots[split], knots[split + 1])
            return found

        return combine(weighting, between, rows=self.scores.shape[0])

    def _within(self, kind: str, power: int, low: float, high: float) -> Floats:
        """Shape `(n,)`: sums between two knots, added up one by one."""
        first, last = int(low), int(np.ceil(high))
        groups = np.arange(first, last)
        shares = np.minimum(high, groups + 1) - np.maximum(low, groups)
        ends = self.order.ends[first : last + 1]
        inside = slice(int(ends[0]), int(ends[-1]))
        weights = series(self.difficulty[inside], power, self.weights[inside]) * np.repeat(shares, np.diff(ends))
        sums: Floats = (self.scores if kind == "scores" else self.scored)[:, inside] @ weights
        return sums

    def _along(self, kind: str, power: int) -> Floats:
        """Shape `(n, G + 1)`: sums of scores, or of what is scored, times B^power, before each knot; kept."""
        if (kind, power) not in self._sums:
            values = self.scores if kind == "scores" else self.scored
            weights, ends = series(self.difficulty, power, self.weights), self.order.ends
            sums: Floats = room_of(values).empty((values.shape[0], ends.size), np.float64)
            for row, own in zip(values, sums, strict=True):
                own[:] = np.concatenate([np.zeros(1), np.cumsum(row * weights)])[ends]
            self._sums[kind, power] = sums
        return self._sums[kind, power]


def series(difficulty: Floats, power: int, weights: Floats) -> Floats:
    """Weights times B^power; B⁰ is 1, also of 0."""
    return weights if power == 0 else weights * difficulty**power


def combine(weighting: Weighting, between: Between, *, rows: int) -> Sums:
    """Put the metric together of sums of scores, and of what is scored, times powers of B.

    Parameters
    ----------
    weighting
        W, d and e.
    between
        Gives for ("scores" or "scored", power) the sums, shape `(n, s, …)`, or `(1, s, …)` where all systems have the
        same.
    rows
        n.
    """
    weight, reward, penalty = weighting.powers
    right = between("scores", weight + reward)
    earned = weighting.reward.number * right
    if weighting.penalty.number:
        power = weight + penalty
        earned = earned + weighting.penalty.number * (between("scored", power) - between("scores", power))
    possible = weighting.reward.number * between("scored", weight + reward)
    return Sums(earned, np.broadcast_to(possible, (rows, *possible.shape[1:])).copy())


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
