"""Tables whose scores are hidden, and run in the order of `podium.allocate`, or task by task."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from section import Row, Section
from trials import Verdict

import podium
from podium.score.table import Scores

__all__ = ["sections"]

Bools = NDArray[np.bool_]

#: Released tables; they are in the page only where they are.
_RELEASED = Path(__file__).parents[2] / "shared" / "data" / "scores"

_REPLICATES = 400


class Hidden:
    """A table of which a part is known, the same of all systems; the rest comes on demand."""

    def __init__(self, whole: Scores, known: int, rng: np.random.Generator) -> None:
        self.whole, tasks = whole, whole.tasks
        self._values = [np.asarray(task.values, dtype=np.float64) for task in tasks]
        labels = {None if task.instances is None else tuple(task.instances.tolist()) for task in tasks}
        self.shared = len(labels) == 1 and None not in labels
        # the order of tasks, or of instances in each task, in which all are run that nothing is said of
        size = len(tasks) if whole.task_level else max(values.shape[1] for values in self._values)
        self.order = rng.permutation(size)
        self.there = [np.zeros(values.shape, dtype=np.bool_) for values in self._values]
        for unit in self.order[:known]:
            self.reveal_all(unit)

    @property
    def size(self) -> int:
        """Return how many cells there are: a system on a task, or on an instance."""
        return sum(there.size for there in self.there) // (len(self.there) if self.shared else 1)

    @property
    def count(self) -> int:
        """Return how many of them are known."""
        return sum(int(there.sum()) for there in self.there) // (len(self.there) if self.shared else 1)

    @property
    def scores(self) -> Scores:
        """Return what is known."""
        both = zip(self.whole.tasks, self._values, self.there, strict=True)
        tasks = tuple(task.with_values(np.where(there, values, np.nan)) for task, values, there in both)
        return replace(self.whole, tasks=tasks)

    def reveal_all(self, unit: int) -> None:
        """Score all systems on a task, or on an instance of each task."""
        if self.whole.task_level:
            self.there[unit][:] = True
        else:
            for there in self.there:
                there[:, unit] = True

    def reveal(self, cell: dict[str, Any]) -> None:
        """Score a system on what `podium.allocate` says; if it names no instance, on the first that are missing."""
        system = self.whole.systems.index(cell["system"])
        for task, there in zip(self.whole.tasks, self.there, strict=True):
            if task.name not in cell["task"].split(", "):
                continue
            if cell["instance"] is None:
                missing = [unit for unit in self.order if not there[system, unit]] if task.n_instances > 1 else [0]
                there[system, missing[: cell["items"]]] = True
            else:
                there[system, np.asarray(task.instances).astype(str) == cell["instance"]] = True


def settled(scores: Scores, settle: str, confidence: float, seed: int) -> Bools | None:
    """Shape `(N, N)` or `(N,)`: which pairs of tiers are apart, or who is not first; None if there are no intervals."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", podium.errors.PodiumWarning)
        found = podium.rank(scores, confidence_level=confidence, n_resamples=_REPLICATES, rng=seed, n_jobs=1)
    if found.intervals is None:
        return None
    order = [found.systems.index(system) for system in scores.systems]
    if settle == "first":
        return np.asarray(~found.intervals.may_be_first[order])
    tier = found.intervals.tier[order]
    return np.asarray(tier[:, None] < tier)


@dataclass(frozen=True)
class Revealed:
    """A table, what is known of it at first, and what is asked.

    Attributes
    ----------
    systems, tasks, instances
        N, T and K of a generated table, K = 0 for tasks; strengths are normal, and so is what a system has on a task,
        with a standard deviation of 1.
    spread
        Standard deviation of strengths.
    released
        A released table instead, of which so many systems are drawn.
    settle
        As of `podium.allocate`.
    """

    systems: int
    tasks: int
    instances: int = 0
    spread: float = 1.5
    released: str | None = None
    settle: str = "first"

    def drawn(self, rng: np.random.Generator) -> Scores:
        """Return the whole table."""
        if self.released:
            scores = podium.read(_RELEASED / self.released)
            return scores.select(systems=rng.permutation(scores.systems)[: self.systems].tolist())
        strength = self.spread * rng.normal(size=(self.systems, 1))
        if not self.instances:
            return podium.from_arrays(
                strength + rng.normal(size=(self.systems, self.tasks)) + rng.normal(size=self.tasks)
            )
        size = (self.systems, self.instances)
        return podium.from_arrays(
            {
                f"task {task}": (strength / 10 + rng.normal(size=size) + rng.normal(size=self.instances) > 0) * 1.0
                for task in range(self.tasks)
            }
        )

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, hide, and count what has to be run until as much is settled as by the whole table."""
        whole, seed = self.drawn(rng), int(rng.integers(2**32))
        wanted = settled(whole, self.settle, 0.95, seed)
        if wanted is None or not wanted.any():
            return Verdict()
        known = 2 if whole.task_level else max(whole.tasks[0].n_instances // 10, 6)
        found = [
            self._until(Hidden(whole, known, np.random.default_rng(seed)), wanted, seed, by) for by in (True, False)
        ]
        return Verdict(ran=found[0], robin=found[1], saved=1 - found[0] / found[1])

    def _until(self, table: Hidden, wanted: Bools, seed: int, allocated: bool) -> float:
        step = len(table.whole.systems) if table.whole.task_level else max(table.size // 25, 1)
        after, units = table.count + step, iter(table.order)
        while True:
            scores = table.scores
            out = settled(scores, self.settle, 0.95, seed)
            if (out is not None and not (wanted & ~out).any()) or table.count == table.size:
                return table.count / table.size
            cells = _allocated(scores, step, self.settle, seed) if allocated else []
            for cell in cells:
                table.reveal(cell)
            if allocated and not cells:  # who is first is another than by the whole table
                return 1.0
            while not allocated and table.count < min(after, table.size):
                table.reveal_all(next(units))
            after += step


def _allocated(scores: Scores, budget: int, settle: str, seed: int, confidence: float = 0.95) -> list[dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", podium.errors.PodiumWarning)
        asked: Any = {"settle": settle, "confidence_level": confidence, "n_resamples": _REPLICATES, "rng": seed}
        return podium.allocate(scores, budget, **asked, n_jobs=1).rows()


@dataclass(frozen=True)
class Chosen:
    """Equal systems on tasks, of which two are known, and then run as allocated."""

    systems: int
    tasks: int

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Ask once for half of the table; and again and again for a twentieth, until one is said to be first."""
        size, seed = (self.systems, self.tasks), int(rng.integers(2**32))
        whole = podium.from_arrays(rng.normal(size=size) + rng.normal(size=self.tasks))
        asked = ((0.95, 2), (0.95, 20), (0.99, 20))
        found = [self._claimed(Hidden(whole, 2, np.random.default_rng(seed)), *how, seed) for how in asked]
        return Verdict(chosen=found[0], looked=found[1], strict=found[2])

    def _claimed(self, table: Hidden, confidence: float, parts: int, seed: int) -> float:
        while table.count < table.size:
            for cell in _allocated(table.scores, -(-table.size // parts), "first", seed, confidence):
                table.reveal(cell)
            out = settled(table.scores, "first", confidence, seed)
            alone = out is not None and int(out.sum()) == self.systems - 1
            if alone or parts == 2:
                return float(alone)
        return 0.0


def sections() -> Iterator[Section]:
    """Tables of this file."""
    rows = [
        Row("tasks, N 15, T 40", (Revealed(15, 40),), 16),
        Row("tasks, N 30, T 40", (Revealed(30, 40),), 8),
        Row("tasks, N 10, T 40, tiers", (Revealed(10, 40, settle="tiers"),), 12),
        Row("4 tasks of 250 instances, N 12", (Revealed(12, 4, 250),), 10),
        Row("4 tasks of 250 instances, N 12, tiers", (Revealed(12, 4, 250, settle="tiers"),), 8),
    ]
    if _RELEASED.exists():
        rows += [
            Row("SuperGLUE, 20 of 24 systems", (Revealed(20, 14, released="superglue.csv"),), 4),
            Row("GLUE, 30 of 105 systems", (Revealed(30, 14, released="glue.csv"),), 4),
            Row("SummEval, 14 of 16 systems", (Revealed(14, 17, 100, released="SUM_EVAL.parquet"),), 4),
            Row("Flickr, 7 of 8 systems", (Revealed(7, 14, 108, released="FLICKR.parquet"),), 4),
        ]
    yield Section(
        "Scores are run as allocated",
        "`podium.allocate`: two tasks (or a tenth of the instances) are known of all systems. Then batches of a task "
        "for all (or a 25th of the table) are run as it says, or task by task (instance by instance) for all systems. "
        "What percentage of the table is run until no system may be first that the whole table rules out, or its tiers "
        "are apart; and what that saves. Worlds in which the whole table settles nothing are left out. No promise is "
        "made.",
        ("ran", "robin", "saved"),
        tuple(rows),
        ("ran", "robin", "saved"),
    )
    yield Section(
        "Equal systems are run as allocated",
        "How often a single one of equal systems is said to be first, by scores that `podium.allocate` chose: at one "
        "look, after half of the table was run at once; at any look after each twentieth of the table, for which no "
        "promise is made; and at any of these with a confidence of 99%.",
        ("chosen", "looked", "strict"),
        tuple(Row(f"N {systems}, T {tasks}", (Chosen(systems, tasks),), 100) for systems, tasks in ((2, 40), (5, 20))),
        ("looked",),
    )
