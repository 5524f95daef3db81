"""Worlds in which the same instances are run again: their repeats are drawn, and nothing else."""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import binom
from trials import Verdict, _verdict

import podium
from podium.ranking.ballots import Level
from podium.score.repeat import Statistic

__all__ = ["Rerun", "Single"]

#: Pairs of new runs of each system that are compared with what is said.
_PAIRS = 50

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rerun:
    """N systems that run K instances R times each.

    Attributes
    ----------
    systems, instances, repeats
        N, K and R.
    right
        Repeats are right with a probability that is drawn from Beta(a, b) for every instance; None for normal scores:
        each instance has a N(0, 1) centre, and repeats add N(0, 1).
    gap
        By how much a system is ahead of the next, in the mean of normal scores, or in the logit of being right.
    own
        Standard deviation of what an instance adds for a system of its own, in the same; 0: equal systems are equal
        on every instance.
    statistic, method, level, replicates
        How it is ranked.
    """

    systems: int
    instances: int
    repeats: int
    right: tuple[float, float] | None = (1.0, 1.0)
    gap: float = 0.0
    own: float = 0.0
    statistic: str | None = None
    method: str = "mean"
    level: Level | None = None
    replicates: int = 200

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw instances, run them, rank, and compare with what a run of them gives on average."""
        size = (self.systems, self.instances)
        ahead = self.gap * np.arange(self.systems, 0, -1)[:, None] + self.own * rng.normal(size=size)
        if self.right is None:
            centres = ahead + rng.normal(size=self.instances)
            values = centres[..., None] + rng.normal(size=(*size, self.repeats))
        else:
            chances = rng.beta(*self.right, self.instances).clip(1e-9, 1 - 1e-9)
            centres = 1 / (1 + (1 - chances) / chances * np.exp(-ahead))
            values = (rng.random((*size, self.repeats)) < centres[..., None]).astype(np.float64)
        scores = podium.from_arrays({"task": values}, statistic=self.statistic)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", podium.errors.PodiumWarning)
            ranking = podium.rank(
                scores,
                self.method,
                level=self.level,
                confidence_level=0.95,
                units="repeats",
                n_resamples=self.replicates,
                rng=int(rng.integers(2**32)),
                n_jobs=1,
            )
        order = [scores.systems.index(system) for system in ranking.systems]
        truth = (self._means(centres) if self.method == "mean" else self._shares(centres))[order]
        return _verdict(ranking, truth, np.round(truth, 12))

    def _means(self, centres: Floats) -> Floats:
        if self.right is None:
            return np.asarray(centres.mean(axis=1))
        chance, values = self._counts(centres)
        return np.asarray((chance @ values).mean(axis=1))

    def _shares(self, centres: Floats) -> Floats:
        """Mean probability of beating another system on an instance; a tie is half a win."""
        if self.right is None:
            beats = ndtr((centres[:, None] - centres) * np.sqrt(self.repeats / 2)).mean(axis=2)
        else:
            chance, values = self._counts(centres)
            wins = (values[:, None] > values) + 0.5 * (values[:, None] == values)
            beats = np.einsum("ikc,cd,jkd->ij", chance, wins, chance) / self.instances
        return np.asarray((beats.sum(axis=1) - 0.5) / (self.systems - 1))

    def _counts(self, centres: Floats) -> tuple[Floats, Floats]:
        """Probability `(N, K, R + 1)` of 0 to R right repeats, and the statistic `(R + 1,)` of each."""
        right = np.arange(self.repeats + 1)
        runs = (np.arange(self.repeats) < right[:, None]).astype(np.float64)[None]
        return binom.pmf(right, self.repeats, centres[..., None]), Statistic.named(self.statistic).of(runs)[0]


@dataclass(frozen=True)
class Single:
    """N systems that run K instances R times each, and by how much two new runs of one of them differ.

    Attributes
    ----------
    systems, instances, repeats
        N, K and R.
    right
        Scores are 0 or 1, else normal.
    together
        Standard deviation of what all instances of a run have in common, beside 1 of each; labels say which run it is.
    unequal
        Share of repeats that are missing.
    """

    systems: int
    instances: int
    repeats: int
    right: bool = True
    together: float = 0.0
    unequal: float = 0.0

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw runs, describe the first, and look at others."""
        size = (self.systems, self.instances, self.repeats + 2 * _PAIRS)
        centres = rng.normal(size=(self.systems, 1, 1)) + rng.normal(size=(1, self.instances, 1))
        values = centres + self.together * rng.normal(size=(self.systems, 1, size[2])) + rng.logistic(size=size)
        values = (values > 0).astype(np.float64) if self.right else values
        seen, new = values[..., : self.repeats].copy(), values[..., self.repeats :].mean(axis=1)
        seen[..., 1:][rng.random(seen[..., 1:].shape) < self.unequal] = np.nan
        if not self.together:
            seen.sort(axis=2)  # so that nothing says which run is which
        said = podium.info(podium.from_arrays({"task": seen})).tasks[0].noise
        if said is None or not said.two_runs > 0:
            return Verdict(runs=np.nan)
        differ = np.abs(new[:, :_PAIRS] - new[:, _PAIRS:])
        return Verdict(runs=float((differ <= said.two_runs + 1e-9).mean()))
