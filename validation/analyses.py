"""Trials of pooling: effects are drawn around a true mean, and what their summary says is held against it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from trials import Verdict

import podium
from podium.comparison.effect import Pairs, effect_sizes
from podium.comparison.pooling import Pooled, pool
from podium.score.table import Scores
from podium.tally.engine.local import count
from podium.tally.moment import Comoments

__all__ = ["Drawn", "Measured"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Drawn:
    """Analyses of k effects around a mean of 0.

    Their sampling variances are known: evenly in log around 1, the largest `ratio` times the smallest. One trial is
    many analyses at once, of which it gives the shares.
    """

    k: int
    tau2: float
    estimator: str
    interval: str
    ratio: float
    analyses: int = 1000

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw effects, pool them, and compare with 0, the effect on one more task, and τ²."""
        variance = np.geomspace(1 / np.sqrt(self.ratio), np.sqrt(self.ratio), self.k)
        effect = rng.normal(0, np.sqrt(variance + self.tau2), (self.analyses, self.k))
        pooled = pool(effect, np.broadcast_to(variance, effect.shape), estimator=self.estimator, interval=self.interval)
        return _verdict(pooled, 0.0, rng.normal(0, np.sqrt(self.tau2), self.analyses), self.tau2)


@dataclass(frozen=True)
class Measured:
    """An analysis of the scores of two systems on k tasks of 50 to 2,000 instances, pooled by default.

    The difference between the systems is normal around `gain` with standard deviation τ from task to task. For "rd"
    it is one of chances of being right, of which the control has 60 to 80%; otherwise of normal scores with standard
    deviation 1. Scores of an instance correlate: 0.6, for "rd" in what is cut into right and wrong.
    """

    kind: str
    k: int
    tau: float
    gain: float = 0.05

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw scores, measure and pool effects, and compare with the gain, that on one more task, and τ²."""
        every = [
            effect_sizes(Pairs.of(tally), self.kind)
            for tally in count(self._scores(rng), (Comoments,), threads=1)[Comoments]
        ]
        pooled = pool([size.effect[0, 1] for size in every], [size.variance[0, 1] for size in every])
        return _verdict(pooled, self.gain, rng.normal(self.gain, self.tau), self.tau**2)

    def _scores(self, rng: np.random.Generator) -> Scores:
        tasks = {}
        for task, size in enumerate(np.geomspace(50, 2000, self.k).round().astype(int)):
            gain = rng.normal(self.gain, self.tau)
            noise = np.sqrt(0.6) * rng.normal(size=size) + np.sqrt(0.4) * rng.normal(size=(2, size))
            if self.kind == "rd":
                chance = rng.uniform(0.6, 0.8) + np.array([[gain], [0.0]])
                tasks[f"task {task}"] = (noise < ndtri(chance)).astype(np.float64)
            else:
                tasks[f"task {task}"] = noise + np.array([[gain], [0.0]])
        return podium.from_arrays(tasks)


def _verdict(pooled: Pooled, mean: float, new: Floats | float, tau2: float) -> Verdict:
    return Verdict(
        summary=float(np.mean((pooled.low <= mean) & (mean <= pooled.high))),
        prediction=float(np.mean((pooled.prediction_low <= new) & (new <= pooled.prediction_high))),
        tau2=float(np.mean((pooled.tau2_low <= tau2) & (tau2 <= pooled.tau2_high))),
    )
