"""Trials of leaderboards weighted by difficulty, on instances drawn from endlessly many."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from trials import Verdict

import podium
from podium.difficulty.result import Difficulty, Measure

__all__ = ["Weighted", "equal"]

Floats = NDArray[np.float64]

#: Chance of being right on the easiest and on the hardest instance, by system.
ENDS = np.array([[0.95, 0.3], [0.9, 0.45], [0.8, 0.55], [0.7, 0.6], [0.6, 0.6]])
SPLITS = 7


def equal(systems: int, easiest: float = 0.9, hardest: float = 0.5) -> Floats:
    """The ends of systems that are all equal."""
    return np.tile([easiest, hardest], (systems, 1))


@dataclass(frozen=True)
class Weighted:
    """Systems on instances of difficulty uniform on (0, 1), or of five values; case 1 of Table 1, seven splits.

    Where `own`, every system has difficulties (confidences) of its own; a share of scores may be missing at random.
    """

    instances: int
    ends: Floats = field(default_factory=lambda: ENDS)
    weights: str = "linear"
    tied: bool = False
    own: bool = False
    missing: float = 0.0
    replicates: int = 400

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw instances, customize, and compare with all there might be."""
        shape = (len(self.ends), self.instances) if self.own else (1, self.instances)
        hardness = self._stepped(rng.random(shape))
        scores = (rng.random((len(self.ends), self.instances)) < self._chances(hardness)).astype(np.float64)
        scores[rng.random(scores.shape) < self.missing] = np.nan
        table = podium.from_arrays({"t": scores})
        measure = Measure("hardness", hardness[0], "high")
        rated = podium.from_arrays({"t": hardness}) if self.own else Difficulty(np.arange(self.instances), (measure,))
        found = podium.customize(
            *(table, rated),
            splits=SPLITS,
            split_weights=self.weights,
            confidence_level=0.95,
            n_resamples=self.replicates,
            rng=int(rng.integers(2**32)),
            n_jobs=1,
        )
        sure = found.ranking.intervals
        if sure is None:
            return Verdict()
        truth = self._truth()[[table.systems.index(system) for system in found.systems]]
        pairs = [(i, j) for i in range(truth.size) for j in range(i)]
        held = [low <= truth[i] - truth[j] <= high for i, j in pairs for low, high in [sure.difference(i, j)]]
        true_rank = 1 + (truth[:, None] < truth).sum(axis=1)
        if np.ptp(truth) < 1e-9:
            return Verdict(parted=float(np.unique(sure.tier).size > 1))
        return Verdict(
            score=float(((sure.score_low <= truth) & (truth <= sure.score_high)).mean()),
            difference=float(np.mean(held)),
            rank=float(((sure.rank_low <= true_rank) & (true_rank <= sure.rank_high)).mean()),
            joint=float(((sure.joint_rank_low <= true_rank) & (true_rank <= sure.joint_rank_high)).all()),
        )

    def _stepped(self, hardness: Floats) -> Floats:
        return np.floor(5 * hardness) / 4 if self.tied else hardness

    def _chances(self, hardness: Floats) -> Floats:
        """Shape `(N, K)`: straight from the easiest to the hardest."""
        chances: Floats = self.ends[:, :1] + (self.ends[:, 1:] - self.ends[:, :1]) * hardness
        return chances

    def _truth(self) -> Floats:
        """Shape `(N,)`: the metric on a fine grid of instances."""
        places = (np.arange(SPLITS * 10_000) + 0.5) / (SPLITS * 10_000)
        powers = {"linear": 1.0, "square": 2.0}
        weights = np.repeat(np.arange(1.0, SPLITS + 1) ** powers[self.weights], 10_000)
        earned: Floats = (2 * self._chances(self._stepped(places[None])) - 1) @ (100 * weights / weights.sum())
        return earned
