"""How sure the answer is: intervals on scores and ranks, chances of being first, and tiers; frozen."""

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.competition import better_and_equal, levels
from podium.errors import MethodError
from podium.frozen import Frozen

__all__ = ["Intervals", "share_of_top"]


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
        Shape `(N,)`: 1 is best; no two systems of a tier are told apart, and the first of a tier is worse than one of
        the tier above; 0 where unranked.
    separated
        Shape `(N, N)`: whether i is better than j, all pairs together.
    critical
        How many standard errors of a difference it must exceed for that, widened for small samples.
    samples
        Shape `(N, B)`: goodness (higher is better) in every replicate.
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
        >>> scores = podium.datasets.gumbel(4, 2, 50, dispersion=1.0, rng=0)
        >>> podium.rank(scores, confidence=0.95).intervals.explanation[-37:]
        'of the same tasks (bootstrap, seed 0)'
        """
        drawn = {
            "instances": "other instances of the same tasks",
            "tasks": "other tasks of the same kind",
            "both": "other tasks of the same kind, and other instances",
        }
        return (
            f"{100 * self.confidence:g}% intervals for the rank of each system by itself, and tiers of systems that "
            f"cannot be told apart, all pairs together; from {self.replicates:,} replicates with {drawn[self.units]} "
            f"(bootstrap, seed {self.seed})"
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
        >>> scores = podium.datasets.gumbel(4, 2, 50, dispersion=1.0, rng=0)
        >>> podium.rank(scores, confidence=0.95).intervals.top(4)
        array([1., 1., 1., 1.])
        """
        if not 1 <= k <= self.tier.size:
            raise MethodError(f"top {k} of {self.tier.size} systems makes no sense; k must lie between the two")
        return share_of_top(self.samples, k)


def share_of_top(samples: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Shape `(N,)`: share of replicates `(N, B)` in which each system is among the best k, ties shared."""
    level = levels(samples, tolerance=1e-12)
    better, equal = better_and_equal(level)
    places: NDArray[np.float64] = np.clip((k - better) / equal.clip(1), 0.0, 1.0)
    share: NDArray[np.float64] = np.where(level >= 0, places, 0.0).mean(axis=1)
    return share
