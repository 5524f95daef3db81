"""Worlds in which systems are equal, all of them or in groups: nothing that podium separates there is true."""

import warnings
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from trials import Verdict

import podium
from podium.score.shared_instance import same_instances
from podium.score.table import Scores

Floats = NDArray[np.float64]

#: Where released tables of scores lie, if they are there.
TABLES = Path(__file__).parents[2] / "shared" / "data" / "scores"


@dataclass(frozen=True)
class Equal:
    """A generated table whose systems are equal in groups, and how it is ranked.

    Attributes
    ----------
    systems, tasks, instances
        N, T and K; K = 0 for a table of tasks.
    noise
        What scores are: "normal", "ties" (normal, rounded to whole numbers), "skewed" (lognormal), or "right" (0 or 1,
        97% right in the best group, 85% in the next).
    group
        Systems of a group; None where all are equal.
    gap
        By how many standard deviations of the noise a group is ahead of the next.
    alike
        Correlation of the scores of a system on the same instance of different tasks, which are then metrics of the
        same instances; 0 where every task has its own.
    missing
        Share of scores removed completely at random.
    short
        How many systems have few scores, and how many each of them has; on tasks or instances drawn at random.
    method, level, replicates
        How it is ranked; `method` may name a way to count missing scores, as in "wins:missing=direct".
    """

    systems: int
    tasks: int
    instances: int
    noise: str = "normal"
    group: int | None = None
    gap: float = 0.0
    alike: float = 0.0
    missing: float = 0.0
    short: tuple[int, int] = (0, 0)
    method: str = "borda"
    level: str | None = None
    replicates: int = 1000

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, rank, and look for equal systems that are separated."""
        return judged(self.drawn(rng), self, self.groups, rng)

    @property
    def groups(self) -> NDArray[np.int64]:
        """Shape `(N,)`: the group of every system, 0 is the best."""
        return np.arange(self.systems) // (self.group or self.systems)

    def drawn(self, rng: np.random.Generator) -> Scores:
        """Draw a table."""
        group = self.groups
        size = (self.systems, max(self.instances, 1))
        common = rng.normal(size=size)
        values = {}
        for task in range(self.tasks):
            normal = np.sqrt(self.alike) * common + np.sqrt(1 - self.alike) * rng.normal(size=size)
            scores = self._noisy(normal, group[:, None])
            values[f"task {task}"] = np.where(rng.random(size) < self.missing, np.nan, scores)
        for system in range(self.short[0]):
            known = rng.permutation(self.tasks * size[1]).reshape(self.tasks, -1) < self.short[1]
            for scores, kept in zip(values.values(), known, strict=True):
                scores[system, ~kept] = np.nan
        labels = {task: [f"item {k}" for k in range(size[1])] for task in values} if self.alike else None
        return podium.from_arrays(values, instances=labels)

    def _noisy(self, normal: Floats, group: NDArray[np.int64]) -> Floats:
        centre = np.multiply(-self.gap, group, dtype=np.float64)
        if self.noise == "right":
            return (normal < np.where(group == 0, 1.881, 1.036 - 0.5 * np.maximum(group - 1, 0))).astype(np.float64)
        if self.noise == "ties":
            return np.round(normal + centre)
        return np.exp(1.5 * normal) + centre if self.noise == "skewed" else normal + centre


@dataclass(frozen=True)
class Shuffled:
    """A table; inside every instance the names of the systems are shuffled, for all its metrics alike.

    Attributes
    ----------
    table
        The file of a released table; or a generated one, drawn once and for all.
    method, level, replicates
        How it is ranked.
    """

    table: str | Equal
    method: str = "borda"
    level: str | None = None
    replicates: int = 1000

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Shuffle, rank, and look for systems that are separated."""
        scores = released(self.table) if isinstance(self.table, str) else self.table.drawn(np.random.default_rng(0))
        tasks = list(scores.tasks)
        for group in same_instances(scores.tasks):
            size = (len(scores.systems), tasks[group[0]].n_instances)
            names = rng.permuted(np.tile(np.arange(size[0])[:, None], size[1]), axis=0)
            for task in group:
                values = np.concatenate(tasks[task].parts, axis=1).astype(np.float64)
                tasks[task] = tasks[task].with_values(np.take_along_axis(values, names, axis=0))
        everyone = np.zeros(len(scores.systems), dtype=np.int64)
        return judged(replace(scores, tasks=tuple(tasks)), self, everyone, rng)


@cache
def released(table: str) -> Scores:
    """Read a released table, once in a process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", podium.errors.PodiumWarning)
        return podium.read(TABLES / table)


def judged(scores: Scores, how: Equal | Shuffled, group: NDArray[np.int64], rng: np.random.Generator) -> Verdict:
    """Rank, and compare with the groups of equal systems, the best first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", podium.errors.PodiumWarning)
        seed = int(rng.integers(2**32))
        ranking = podium.rank(
            scores, how.method, level=how.level, confidence=0.95, replicates=how.replicates, seed=seed, threads=1
        )
    found = ranking.intervals
    if found is None:
        return Verdict()
    own = group[[scores.systems.index(system) for system in ranking.systems]]
    ranked = found.tier > 0
    both = ranked[:, None] & ranked
    equal, ahead = both & (own[:, None] == own), both & (own[:, None] < own)
    best = scores.systems[0]
    return Verdict(
        parted=float((equal & (found.tier != found.tier[:, None])).any()) if not ahead.any() else np.nan,
        mistaken=float((found.separated & ~ahead).any()),
        best=float(best in ranking.top()) if ranked[ranking.systems.index(best)] else np.nan,
        apart=float(found.separated[ahead].mean()) if ahead.any() else np.nan,
    )
