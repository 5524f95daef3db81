"""Evaluations of the size that a plan asks for: whether they separate two systems as often as it says."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from section import Row
from trials import Verdict

import podium
from podium.score.table import Scores

#: Instances, or tasks, of a pilot.
_PILOT, _TASKS = 400_000, 4000


@dataclass(frozen=True)
class Planned:
    """Systems whose scores are equal steps apart, and a plan to separate two in the middle.

    Attributes
    ----------
    systems
        N.
    step
        Between means of normal scores with standard deviation 1; or of shares of right answers, from 60% on.
    right
        Whether scores are 0 and 1.
    cluster
        Instances of a cluster, in which the scores of a system correlate by a half; 0 where there are no clusters.
    of_tasks
        Whether every score is of a task of its own, and tasks are drawn.
    method
        How systems are ranked.
    """

    systems: int
    step: float
    right: bool = False
    cluster: int = 0
    of_tasks: bool = False
    method: str = "mean"

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw as many instances as planned, rank, and look whether the two are separated."""
        scores = self.drawn(planned(self), rng)
        seed = int(rng.integers(2**32))
        ranking = podium.rank(scores, self.method, confidence_level=0.95, rng=seed, n_jobs=1)
        better, worse = (ranking.systems.index(scores.systems[place]) for place in self.middle)
        found = ranking.intervals
        return Verdict(planned=float(found is not None and found.separated[better, worse]))

    @property
    def middle(self) -> tuple[int, int]:
        """The two systems, the better first."""
        return self.systems // 2, self.systems // 2 - 1

    def drawn(self, units: int, rng: np.random.Generator) -> Scores:
        """Draw a table of so many instances or clusters."""
        means = self.step * np.arange(self.systems)[:, None]
        instances = units * (self.cluster or 1)
        if self.cluster:
            shared = np.repeat(rng.normal(size=(self.systems, units)), self.cluster, axis=1)
            values = means + (shared + rng.normal(size=shared.shape)) / np.sqrt(2)
            names = np.repeat([f"cluster {number}" for number in range(units)], self.cluster).tolist()
            return podium.from_arrays({"t": values}, clusters={"t": names})
        if self.of_tasks:
            return podium.from_arrays(means + rng.normal(size=(self.systems, units)))
        if self.right:
            return podium.from_arrays({"t": (rng.random((self.systems, instances)) < 0.6 + means).astype(np.float64)})
        return podium.from_arrays({"t": means + rng.normal(size=(self.systems, instances))})


@cache
def planned(trial: Planned) -> int:
    """How many instances or clusters the plan asks for: the mean of eight pilots."""
    sizes = []
    for pilot in range(8):
        size = _TASKS if trial.of_tasks else _PILOT // (trial.cluster or 1)
        scores = trial.drawn(size, np.random.default_rng([1, pilot]))
        plan = podium.plan(scores, trial.method, rng=pilot, n_jobs=1)
        better, worse = (plan.systems.index(scores.systems[place]) for place in trial.middle)
        sizes.append(float(plan.growth[better, worse]) * plan.size)
    return int(np.ceil(np.mean(sizes)))


def rows() -> Iterator[Row]:
    """Five and eight systems, of normal scores and of right answers; in clusters; and of few units."""
    for systems in (5, 8):
        yield Row(f"N {systems}, normal", (Planned(systems, 0.25),), 1600)
        yield Row(f"N {systems}, 60% right and more", (Planned(systems, 0.04, right=True),), 1600)
    for systems in (5, 8):
        yield Row(f"N {systems}, normal, clusters of 8", (Planned(systems, 0.25, cluster=8),), 800)
    for systems, steps in ((3, (2.5, 1.0)), (5, (2.5, 1.5, 0.75, 0.4)), (10, (1.5, 0.75))):
        for step in steps:
            yield Row(f"N {systems}, {step:g} σ apart, few instances", (Planned(systems, step),), 800)
    for step in (1.5, 0.75):
        yield Row(f"N 5, {step:g} σ apart, few tasks", (Planned(5, step, of_tasks=True),), 800)
        yield Row(f"N 5, {step:g} σ apart, few tasks, borda", (Planned(5, step, of_tasks=True, method="borda"),), 800)
