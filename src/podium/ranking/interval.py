"""How sure the answer is: intervals on scores and ranks, chances of being first, and tiers; frozen."""

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError
from podium.base.frozen import Frozen
from podium.score.place import better_and_equal, levels


@dataclass(frozen=True, slots=True, eq=False)
class Intervals(Frozen):
    """Uncertainty of a ranking of N systems from B bootstrap replicates, in the order of the ranking.

    Attributes
    ----------
    confidence
        Of every interval and of the tiers, between 0 and 1.
    units
        What was drawn anew: "instances" within tasks, "tasks", or "both".
    replicates
        B.
    seed
        Of the draws.
    std_error
        Shape `(N,)`: standard deviation of the score over replicates, in its units.
    score_low, score_high
        Shape `(N,)`: percentile interval of the score, widened for small samples.
    rank_low, rank_high
        Shape `(N,)`: for each system by itself, the ranks it may truly have (1 is best); 0 where unranked.
    joint_rank_low, joint_rank_high
        Shape `(N,)`: the same for all systems together.
    first
        Shape `(N,)`: share of replicates in which the system is first; ties share.
    tier
        Shape `(N,)`: 1 is best; the systems in a tier are not separated, and the first of a tier is worse than one in
        the tier above; 0 where unranked.
    separated
        Shape `(N, N)`: whether i is better than j, all pairs together.
    critical
        How many standard errors of a difference it must exceed for that, widened for small samples.
    samples
        Shape `(N, B)`: goodness (higher is better) in every replicate.
    tail
        Share of replicates left out below, and above, by a percentile interval widened for small samples.
    """

    confidence: float
    units: str
    replicates: int
    seed: int
    std_error: NDArray[np.float64]
    score_low: NDArray[np.float64]
    score_high: NDArray[np.float64]
    rank_low: NDArray[np.int64]
    rank_high: NDArray[np.int64]
    joint_rank_low: NDArray[np.int64]
    joint_rank_high: NDArray[np.int64]
    first: NDArray[np.float64]
    tier: NDArray[np.int64]
    separated: NDArray[np.bool_]
    critical: float
    samples: NDArray[np.float64]
    tail: float

    def in_order(self, order: NDArray[np.int64]) -> Self:
        """Return the same for systems in another order."""
        changed: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value = value[np.ix_(order, order)] if field.name == "separated" else value[order]
            changed[field.name] = value
        return type(self)(**changed)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Fields of shape `(N,)`, by name."""
        names = ("std_error", "score_low", "score_high", "rank_low", "rank_high", "joint_rank_low", "joint_rank_high")
        return {name: getattr(self, name) for name in (*names, "first", "tier")}

    def to_dict(self) -> dict[str, Any]:
        """How they were made, as JSON can hold it."""
        return {name: getattr(self, name) for name in ("confidence", "units", "replicates", "seed")}

    @property
    def explanation(self) -> str:
        """What was drawn, and what the intervals mean, in a sentence.

        >>> import podium
        >>> scores = podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores
        >>> podium.rank(scores, confidence=0.95).intervals.explanation.split("; ")[-1]
        '1,000 bootstrap replicates of the instances, seed 0'
        """
        drawn = {"instances": "the instances", "tasks": "the tasks", "both": "tasks and instances"}
        return (
            f"{100 * self.confidence:g}% rank intervals, each for one system; no two systems in a tier are separated; "
            f"{self.replicates:,} bootstrap replicates of {drawn[self.units]}, seed {self.seed}"
        )

    def top(self, k: int) -> NDArray[np.float64]:
        """Shape `(N,)`: share of replicates in which each system is among the best k; ties share the last places.

        Raises
        ------
        MethodError
            k is not between 1 and N.

        Examples
        --------
        >>> import podium
        >>> scores = podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores
        >>> podium.rank(scores, confidence=0.95).intervals.top(4)
        array([1., 1., 1., 1.])
        """
        if k not in range(1, self.tier.size + 1):
            raise MethodError(f"there is no top {k!r}; k is a whole number between 1 and {self.tier.size}")
        return share_of_top(self.samples, k)

    def difference(self, i: int, j: int) -> tuple[float, float]:
        """Percentile interval of how much better i is than j, in units of the score; both as places in the ranking.

        The quantiles of the difference over replicates, at the same tails as for scores. Both systems are scored on
        the same instances; this interval takes that into account, two intervals side by side do not. NaN where either
        is unranked. It is about this one pair; `separated` is about all pairs together.

        Examples
        --------
        >>> import podium
        >>> scores = podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores
        >>> low, high = podium.rank(scores, "mean", confidence=0.95).intervals.difference(0, 3)
        >>> low < 3 < high
        True
        """
        low, high = quantiles(self.samples[[i]] - self.samples[[j]], [self.tail, 1 - self.tail])
        return float(low[0]), float(high[0])


def quantiles(samples: NDArray[np.float64], shares: list[float]) -> NDArray[np.float64]:
    """Shape `(S, N)`: quantiles of the rows of `(N, B)`, NaN left out; NaN where all are.

    The share q lies at place q (B + 1) of the ordered replicates, so that another one falls below it with probability
    q exactly (Davison & Hinkley 1997, §5.2.1); other rules leave out up to 1 / B more on each side.

    >>> quantiles(np.arange(1.0, 1000)[None], [0.025, 0.975]).round(6).tolist()
    [[25.0], [975.0]]
    """
    if not np.isnan(samples).any():
        return np.quantile(samples, shares, axis=1, method="weibull")
    result = np.full((len(shares), samples.shape[0]), np.nan)
    for row, values in enumerate(samples):
        kept = values[~np.isnan(values)]
        if kept.size:
            result[:, row] = np.quantile(kept, shares, method="weibull")
    return result


def share_of_top(samples: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Shape `(N,)`: share of replicates `(N, B)` in which each system is among the best k, ties shared."""
    level = levels(samples, tolerance=1e-12)
    better, equal = better_and_equal(level)
    places: NDArray[np.float64] = np.clip((k - better) / equal.clip(1), 0.0, 1.0)
    share: NDArray[np.float64] = np.where(level >= 0, places, 0.0).mean(axis=1)
    return share
