"""Histories whose truth is known: what is said to be more than noise, and is not."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from section import Row, Section
from trials import Verdict

import podium
from podium.timeline.result import History

__all__ = ["Course", "rows", "sections"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Course:
    """Two versions of a table, and what became of the first.

    Attributes
    ----------
    systems, tasks, instances
        N, T and K of the first version; K = 0 for a table of tasks.
    noise
        What scores are: "normal", "ties" (normal, rounded to whole numbers), "skewed" (lognormal), or "right" (0 or 1,
        85% right).
    step
        By how many standard deviations each system is ahead of the next; 0 where all are equal.
    rerun
        How many systems are run again on everything, with fresh noise.
    alike
        Correlation of the scores of a system in two runs of an instance.
    touched
        Share of instances on which a run that is made again differs at all.
    shared
        Whether all tasks have the same instances.
    new_tasks, retired, larger
        Tasks that come, tasks that go, and by what share the instances of every task grow.
    entering
        Systems that come, a standard deviation ahead of all others; as many leave.
    gain
        By how many standard deviations the last system becomes better; then statements about it are true.
    method, replicates
        How versions are ranked.
    """

    systems: int
    tasks: int
    instances: int
    noise: str = "normal"
    step: float = 0.0
    rerun: int = 0
    alike: float = 0.0
    touched: float = 1.0
    shared: bool = False
    new_tasks: int = 0
    retired: int = 0
    larger: float = 0.0
    entering: int = 0
    gain: float = 0.0
    method: str = "borda"
    replicates: int = 400

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw both versions, and look at what is said of them."""
        before, after = self.drawn(rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", podium.errors.PodiumWarning)
            history = podium.history(
                {"before": before, "after": after},
                self.method,
                replicates=self.replicates,
                seed=int(rng.integers(2**32)),
                threads=1,
            )
        return self._verdict(history)

    def _verdict(self, history: History) -> Verdict:
        step = history.steps[1]
        if not step.tested:
            return Verdict()
        better = f"system {self.systems - 1}" if self.gain else ""
        sure = [one for one in step.overtakings if one.surely]
        found = float(any(one.winner == better for one in sure)) if self.gain else np.nan
        return Verdict(invented=float(any(one.winner != better for one in sure)), noticed=found)

    def drawn(self, rng: np.random.Generator) -> tuple[podium.Scores, podium.Scores]:
        """Draw a table, and what became of it."""
        n_tasks, size = self.tasks + self.new_tasks, max(self.instances, 1)
        whole = size + round(self.larger * size)
        everyone = self.systems + self.entering
        normal = self._run(rng, everyone, n_tasks, whole)
        centres = -self.step * np.arange(everyone, dtype=np.float64)
        centres[self.systems :] = 1.0
        again = normal.copy()
        for system in range(self.systems - self.rerun, self.systems):
            fresh = self._run(rng, 1, n_tasks, whole)[:, 0]
            run = np.sqrt(self.alike) * normal[:, system] + np.sqrt(1 - self.alike) * fresh
            moved = rng.random(run.shape) < self.touched
            again[:, system] = np.where(moved, run, normal[:, system])
        moved_centres = centres.copy()
        moved_centres[self.systems - 1] += self.gain
        first = [f"system {index}" for index in range(self.systems)]
        later = [f"system {index}" for index in range(self.entering, everyone)]
        before = self._table(normal, centres, first, range(self.tasks), size)
        after = self._table(again, moved_centres, later, range(self.retired, n_tasks), whole)
        return before, after

    def _run(self, rng: np.random.Generator, systems: int, tasks: int, size: int) -> Floats:
        """Shape `(T, N, K)`: normal scores; of the same instances where tasks share them."""
        own = rng.normal(size=(tasks, systems, size))
        if not self.shared:
            return own
        common = rng.normal(size=(1, systems, size))
        mixed: Floats = np.sqrt(0.5) * common + np.sqrt(0.5) * own
        return mixed

    def _table(self, normal: Floats, centres: Floats, systems: list[str], tasks: range, size: int) -> podium.Scores:
        rows = [int(system.split()[1]) for system in systems]
        values = {f"task {t}": self._noisy(normal[t][rows, :size], centres[rows][:, None]) for t in tasks}
        named = {task: [f"{'' if self.shared else task} item {k}" for k in range(size)] for task in values}
        return podium.from_arrays(values, systems=systems, instances=named if self.instances else None)

    def _noisy(self, normal: Floats, centre: Floats) -> Floats:
        if self.noise == "right":
            return (normal + centre < 1.036).astype(np.float64)
        if self.noise == "ties":
            return np.round(normal + centre)
        return np.exp(1.5 * normal) + centre if self.noise == "skewed" else normal + centre
