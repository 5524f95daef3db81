"""How many pairs tiers tell apart, against Holm's stepwise tests by the same standard errors."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student
from section import Row
from trials import Verdict

import podium

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Told:
    """Systems whose scores are equal steps apart, on one task.

    Attributes
    ----------
    systems, instances
        N and K.
    step
        Between means of normal scores with standard deviation 1; or of shares of right answers, from 50% on.
    right
        Whether scores are 0 and 1.
    method
        How they are ranked.
    """

    systems: int
    instances: int
    step: float
    right: bool = False
    method: str = "mean"

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, rank, and count separated pairs by podium and by Holm."""
        size, means = (self.systems, self.instances), self.step * np.arange(self.systems)[:, None]
        values = (rng.random(size) < 0.5 + means).astype(np.float64) if self.right else means + rng.normal(size=size)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", podium.errors.PodiumWarning)
            seed = int(rng.integers(2**32))
            ranking = podium.rank(
                podium.from_arrays({"t": values}), self.method, confidence_level=0.95, rng=seed, n_jobs=1
            )
        found = ranking.intervals
        assert found is not None  # noqa: S101  # there are instances enough
        better, worse = np.triu_indices(self.systems, 1)
        error = np.std(found.samples[better] - found.samples[worse], axis=1, ddof=1)
        lead = ranking.score[better] - ranking.score[worse]
        p = 2 * student.sf(np.divide(lead, error, out=np.zeros_like(lead), where=error > 0), self.instances - 1)
        by_holm = _holm(p)
        separated = found.separated[better, worse]
        return Verdict(
            fewer=float(separated.sum() < by_holm.sum()), apart=float(separated.mean()), stepwise=float(by_holm.mean())
        )


def _holm(p: Floats) -> NDArray[np.bool_]:
    """Which of m hypotheses Holm (1979) rejects at 5%: up to the first p₍ᵢ₎ above 5% / (m − i + 1)."""
    order = np.argsort(p)
    kept = np.logical_and.accumulate(p[order] <= 0.05 / np.arange(p.size, 0, -1))
    rejected = np.zeros(p.size, dtype=np.bool_)
    rejected[order] = kept
    return rejected


def rows(*, few: bool) -> Iterator[Row]:
    """Normal scores and right answers; of at most 50 instances, or of more."""
    sizes = [(8, 20, 0.3, False), (8, 50, 0.2, False), (8, 50, 0.06, True)]
    if not few:
        sizes = [(8, 60, 0.2, False), (8, 200, 0.1, False), (8, 1000, 0.05, False), (20, 200, 0.05, False)]
        sizes += [(8, 60, 0.06, True), (8, 200, 0.04, True), (8, 1000, 0.02, True), (20, 500, 0.02, True)]
    for method in ("mean", "borda"):
        for systems, instances, step, right in sizes:
            label = f"{method}, N {systems}, K {instances}, {'right or wrong' if right else 'normal'}"
            yield Row(label, (Told(systems, instances, step, right, method),))
