"""Histories whose truth is known: what is said to be more than noise, and is not."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from section import Row, Section
from trials import Verdict

import podium
from podium.tally.draw import UnitKind
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
    missing
        Share of scores that are missing; of the systems that are run again, others than before.
    clusters
        Into how many clusters instances fall, whose scores have a half of their variance in common; 0 for none.
    regrouped
        Whether only the first version has these clusters.
    harder
        By how many standard deviations every second task is harder.
    special
        By how many standard deviations the last system is better at every second task, and worse at the others.
    late
        Share of the last task of the first version on which the last system is not scored yet.
    versions
        How many versions there are: of more than two, the first ones are runs of all systems with fresh noise.
    units, method, replicates
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
    missing: float = 0.0
    clusters: int = 0
    regrouped: bool = False
    harder: float = 0.0
    special: float = 0.0
    late: float = 0.0
    versions: int = 2
    units: UnitKind | None = None
    method: str = "borda"
    replicates: int = 400

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw both versions, and look at what is said of them."""
        tables = [self.drawn(rng)[0] for _ in range(self.versions - 2)] + list(self.drawn(rng))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", podium.errors.PodiumWarning)
            history = podium.history(
                {f"version {number}": table for number, table in enumerate(tables)},
                self.method,
                units=self.units,
                n_resamples=self.replicates,
                rng=int(rng.integers(2**32)),
                n_jobs=1,
            )
        return self._verdict(history)

    def _verdict(self, history: History) -> Verdict:
        last = history.steps[-1]
        if not last.tested:
            return Verdict()
        better = f"system {self.systems - 1}" if self.gain else ""
        sure = [(step, one) for step in history.steps for one in step.overtakings if one.surely]
        right = [step is last and one.winner == better for step, one in sure]
        changed = [(step, name) for step in history.steps for name, move in step.moves if move.score_surely]
        # by borda the scores of the others fall if one becomes better
        true = [step is last and (name == better or bool(better and self.method == "borda")) for step, name in changed]
        return Verdict(invented=float(not all([*right, *true])), noticed=float(any(right)) if self.gain else np.nan)

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
        there = normal.copy()
        there[self.tasks - 1, self.systems - 1, : round(self.late * size)] = np.nan
        before = self._table(there, centres, first, range(self.tasks), size, grouped=True)
        tasks = range(self.retired, n_tasks)
        after = self._table(again, moved_centres, later, tasks, whole, grouped=not self.regrouped)
        return before, after

    def _run(self, rng: np.random.Generator, systems: int, tasks: int, size: int) -> Floats:
        """Shape `(T, N, K)`: normal scores; of the same instances where tasks share them, NaN where missing."""
        own = rng.normal(size=(tasks, systems, size))
        if self.shared:
            own = np.sqrt(0.5) * rng.normal(size=(1, systems, size)) + np.sqrt(0.5) * own
        if self.clusters:
            of_clusters = rng.normal(size=(tasks, systems, self.clusters))
            own = np.sqrt(0.5) * of_clusters[..., np.arange(size) % self.clusters] + np.sqrt(0.5) * own
        return np.where(rng.random(own.shape) < self.missing, np.nan, own)

    def _table(
        self, normal: Floats, centres: Floats, systems: list[str], tasks: range, size: int, *, grouped: bool
    ) -> podium.Scores:
        rows = [int(system.split()[1]) for system in systems]
        values = {
            f"task {t}": self._noisy(normal[t][rows, :size], (centres + self._skill(t, centres.size))[rows][:, None])
            for t in tasks
        }
        named = {task: [f"{'' if self.shared else task} item {k}" for k in range(size)] for task in values}
        clusters = self.clusters if grouped else 0
        of = {task: [f"{task} cluster {k % clusters}" for k in range(size)] for task in values if clusters}
        return podium.from_arrays(
            values, systems=systems, instances=named if self.instances else None, clusters=of or None
        )

    def _skill(self, task: int, n_systems: int) -> Floats:
        """Shape `(N,)`: how much better than elsewhere each system is at a task."""
        second = task % 2
        skill = np.full(n_systems, -self.harder * second)
        skill[self.systems - 1] += self.special if second else -self.special
        return skill

    def _noisy(self, normal: Floats, centre: Floats) -> Floats:
        if self.noise == "right":
            return np.where(np.isnan(normal), np.nan, normal + centre < 1.036)
        if self.noise == "ties":
            return np.round(normal + centre)
        return np.exp(1.5 * normal) + centre if self.noise == "skewed" else normal + centre


def _again() -> Iterator[Row]:
    for method in ("mean", "borda"):
        for noise in ("normal", "ties", "skewed", "right"):
            for instances in (20, 200):
                for rerun in (1, 6):
                    yield _row(method, f"{noise}, K {instances}", Course(6, 1, instances, noise, rerun=rerun))
        yield _row(method, "right, K 1,000, on 1% of them", Course(6, 1, 1000, "right", rerun=1, touched=0.01))
        yield _row(method, "right, K 1,000, on 5% of them", Course(6, 1, 1000, "right", rerun=6, touched=0.05))
        yield _row(method, "T 2, K 60", Course(20, 2, 60, rerun=20))
        yield _row(method, "T 3, K 60, the same instances", Course(6, 3, 60, rerun=6, shared=True))
        yield _row(method, "T 2, K 120 in 12 clusters", Course(6, 2, 120, rerun=6, clusters=12))
        yield _row(method, "T 2, K 100, 30% missing", Course(6, 2, 100, rerun=6, missing=0.3))
        for tasks, rerun in ((8, 6), (12, 1)):
            yield _row(method, f"T {tasks}, drawn", Course(6, tasks, 0, rerun=rerun))
        yield _row(method, "T 8, K 30, tasks drawn", Course(6, 8, 30, rerun=6, units="tasks"))


def _long() -> Iterator[Row]:
    for method in ("mean", "borda"):
        for versions in (5, 20):
            for label, course in (
                ("normal, K 60", Course(6, 1, 60, rerun=6)),
                ("right, K 200", Course(6, 1, 200, "right", rerun=6)),
                ("T 12, drawn", Course(6, 12, 0, rerun=6)),
            ):
                yield _row(method, f"{label}, {versions} versions", replace(course, versions=versions))


def _others() -> Iterator[Row]:
    for method in ("mean", "borda"):
        for noise in ("normal", "skewed"):
            yield _row(method, f"{noise}, K 60, a new task", Course(6, 3, 60, noise, new_tasks=1))
        new_one = Course(6, 3, 60, new_tasks=1, retired=1, rerun=2)
        yield _row(method, "K 60, a new task, one retired", new_one)
        yield _row(method, "K 20, a new task", Course(6, 3, 20, new_tasks=1, rerun=2))
        yield _row(method, "K 60, half as many instances more", Course(6, 3, 60, larger=0.5))
        yield _row(method, "K 60, 2 enter and are better, 2 leave", Course(6, 3, 60, entering=2))
        yield _row(method, "K 20, 2 enter and are better, 2 leave", Course(6, 3, 20, entering=2, rerun=3))
        of_tasks = Course(6, 8, 0, new_tasks=2, entering=1, rerun=2)
        yield _row(method, "tasks drawn, 2 new ones, 1 enters", of_tasks)
        yield _row(method, "K 60, a new task, 1 enters", Course(20, 3, 60, new_tasks=1, entering=1))


def _later() -> Iterator[Row]:
    for method in ("mean", "borda"):
        for special in (0.0, 0.5):
            of = "a specialist" if special else "no specialist"
            for share in (1.0, 0.5):
                course = Course(6, 2, 100, harder=1.0, special=special, late=share)
                yield _row(method, f"K 100, {share:.0%} of a hard task is scored later, {of}", course)
        course = Course(6, 2, 100, harder=1.0, special=0.5, late=1.0, rerun=3)
        yield _row(method, "K 100, 100% of a hard task is scored later, a specialist", course)
        course = Course(6, 8, 0, harder=1.0, special=0.5, late=1.0, rerun=2)
        yield _row(method, "T 8, drawn, a hard task is scored later, a specialist", course)
        course = Course(6, 2, 120, rerun=6, clusters=12, regrouped=True)
        yield _row(method, "T 2, K 120 in 12 clusters, which the later table does not name", course)


def _better() -> Iterator[Row]:
    for method in ("mean", "borda"):
        for gain in (0.3, 0.6):
            for versions in (2, 20):
                course = Course(6, 2, 100, step=0.1, rerun=6, gain=gain, versions=versions)
                yield _row(method, f"K 100, each 0.1 σ ahead, {versions} versions, the last gains {gain:g} σ", course)
        course = Course(6, 12, 0, step=0.1, rerun=6, gain=2.0)
        yield _row(method, "T 12, drawn, each 0.1 σ ahead, the last gains 2 σ", course)


def _row(method: str, label: str, course: Course) -> Row:
    again = f", {course.rerun} run again" if course.rerun else ""
    return Row(f"{method}, N {course.systems}, {label}{again}", (replace(course, method=method),), 500)


def rows() -> tuple[Row, ...]:
    """Worlds for the tests: where other tests were wrong."""
    few = (
        ("1 run again, K 60", Course(6, 1, 60, rerun=1, method="mean", replicates=199)),
        ("all run again, K 12", Course(6, 1, 12, rerun=6, method="borda", replicates=199)),
        ("1 run again on 1%", Course(6, 1, 500, "right", rerun=1, touched=0.01, method="mean", replicates=199)),
        ("a new task", Course(6, 3, 60, new_tasks=1, method="borda", replicates=199)),
        ("2 enter, K 20", Course(6, 3, 20, entering=2, rerun=3, method="borda", replicates=199)),
        ("scored later", Course(6, 2, 60, harder=1.0, special=0.5, late=1.0, method="mean", replicates=199)),
        (
            "clusters are forgotten",
            Course(6, 1, 80, rerun=6, clusters=8, regrouped=True, method="mean", replicates=199),
        ),
    )
    return tuple(Row(f"history, {label}", (course,), 60) for label, course in few)


def sections() -> tuple[Section, ...]:
    """Systems that gained nothing, and one that did."""
    return (
        Section(
            "Histories in which nothing was gained",
            "Two versions of a table of equal systems. Some are run again, with fresh noise; tasks or instances come; "
            "systems come that are a standard deviation better; or the last system has its scores on a hard task "
            "later, at which a specialist is better by as much as it is worse at the other. In how many histories does "
            "`podium.history` say of any system that it overtook another, or changed its score, by more than noise?",
            ("invented",),
            (*_again(), *_long(), *_others(), *_later()),
        ),
        Section(
            "Histories in which the last system became better",
            "The same where all are run again, and the last one gains. In how many histories is it said to have "
            "overtaken a system, and in how many is anything said of another one?",
            ("invented", "noticed"),
            tuple(_better()),
            unpromised=("noticed",),
        ),
    )
