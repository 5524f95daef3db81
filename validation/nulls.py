"""Worlds in which systems are equal, all of them or in groups: nothing that podium separates there is true."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Protocol

import hidden
import numpy as np
from numpy.typing import NDArray
from section import Row, Section
from trials import Trial, Verdict

import podium
from podium.ranking.ballots import Level
from podium.score.table import Scores
from podium.score.units import same_instances

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
    level: Level | None = None
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
    level: Level | None = None
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
                tasks[task] = tasks[task].with_values(_renamed(values, names))
        everyone = np.zeros(len(scores.systems), dtype=np.int64)
        return judged(replace(scores, tasks=tuple(tasks)), self, everyone, rng)


def _renamed(values: Floats, names: NDArray[np.int64]) -> Floats:
    """Shape `(N, K)`: scores in the order of names, among the systems with a score; holes stay where they are."""
    scored = ~np.isnan(values)
    found = np.full(values.shape, np.nan)
    moved = np.take_along_axis(values, names, axis=0)
    found.T[scored.T] = moved.T[~np.isnan(moved).T]
    return found


@cache
def released(table: str) -> Scores:
    """Read a released table, or a part of MTEB, once in a process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", podium.errors.PodiumWarning)
        if table in PARTS:
            return PARTS[table]()
        if table == OFFICIAL:
            return podium.read(TABLES / table, task_column="benchmark", score_column="official_score")
        return podium.read(TABLES / table)


#: Leaderboards' own averages: a score for each of three benchmarks, which have few systems in common.
OFFICIAL = "official_scores.csv"

#: Tasks of MTEB in a part of it, and systems.
_TASKS, _SYSTEMS = 200, 60


def _part_of_mteb(rng: np.random.Generator | None = None) -> Scores:
    """The systems with most scores, on the tasks that score most of them; or systems and tasks that are drawn."""
    cells = hidden.mteb_cells().cells
    systems = _most(cells.T) if rng is None else rng.permutation(cells.shape[1])
    cells = cells[:, systems[:_SYSTEMS]]
    tasks = _most(cells) if rng is None else rng.permutation(np.flatnonzero((~np.isnan(cells)).sum(axis=1) > 1))
    return podium.from_arrays(cells[tasks[:_TASKS]].T)


def _most(cells: Floats) -> NDArray[np.int64]:
    """Rows, those with most scores first."""
    return np.argsort(np.isnan(cells).sum(axis=1), kind="stable")


def _sst2() -> Scores:
    """Which of ten models are right on which texts of SST-2."""
    import pandas as pd  # noqa: PLC0415  # only where the table is there

    folder = TABLES.parent / "difficulty"
    gold = pd.read_parquet(folder / "sst2_samples.parquet").set_index("sample_id")["gold"]
    told = pd.read_parquet(folder / "sst2_predictions.parquet").pivot_table("pred", "model", "sample_id")
    return podium.from_arrays({"SST-2": (told.to_numpy() == gold[told.columns].to_numpy()).astype(np.float64)})


#: Released tables that have to be put together.
PARTS: dict[str, Callable[[], Scores]] = {
    "MTEB, 60 systems × 200 tasks": _part_of_mteb,
    "MTEB, 60 drawn systems × 200 drawn tasks": lambda: _part_of_mteb(np.random.default_rng(0)),
    "SST-2": _sst2,
}


class _How(Protocol):
    """How a table is ranked."""

    @property
    def method(self) -> str: ...
    @property
    def level(self) -> Level | None: ...
    @property
    def replicates(self) -> int: ...


def judged(scores: Scores, how: _How, group: NDArray[np.int64], rng: np.random.Generator) -> Verdict:
    """Rank, and compare with the groups of equal systems, the best first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", podium.errors.PodiumWarning)
        seed = int(rng.integers(2**32))
        ranking = podium.rank(
            scores, how.method, level=how.level, confidence_level=0.95, n_resamples=how.replicates, rng=seed, n_jobs=1
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


def _equal() -> Iterator[Row]:
    for systems, tasks in ((5, 6), (6, 6), (15, 9), (10, 15), (30, 20), (100, 12), (15, 30), (5, 100)):
        for method in ("borda", "mean"):
            yield _null(f"{method}, N {systems}, T {tasks}", Equal(systems, tasks, 0, method=method))
    yield _null("borda, N 5, T 1000", Equal(5, 1000, 0), worlds=100)
    for method, systems, tasks in (("borda", 15, 9), ("copeland", 6, 12), ("kemeny", 5, 12), ("median", 6, 12)):
        yield _null(f"{method}, N {systems}, T {tasks}, ties", Equal(systems, tasks, 0, "ties", method=method))
    for missing in (0.2, 0.5, 0.8):
        for method in ("borda", "mean"):
            trial = Equal(10, 12, 0, missing=missing, method=method)
            yield _null(f"{method}, N 10, T 12, {missing:.0%} missing", trial)


def _equal_on_instances() -> Iterator[Row]:
    for level in ("balanced", "two"):
        for systems, tasks, instances, alike in ((20, 1, 12, 0), (30, 2, 20, 0), (62, 15, 48, 0.6), (25, 15, 100, 0.9)):
            label = f"borda ({level}), N {systems}, T {tasks}, K {instances}" + (", same items" if alike else "")
            yield _null(label, Equal(systems, tasks, instances, alike=alike, level=level))
    for systems, instances in ((10, 50), (30, 100), (100, 200), (8, 1000)):
        for method in ("borda", "mean"):
            trial = Equal(systems, 1, instances, "right", method=method)
            yield _null(f"{method}, N {systems}, K {instances}, 97% right", trial)
    for instances in (12, 50, 200):
        yield _null(f"mean, N 10, K {instances}, skewed", Equal(10, 1, instances, "skewed", method="mean"))


def _equal_where_few_are_scored() -> Iterator[Row]:
    for tasks, missing in ((60, 0.5), (60, 0.85), (200, 0.95)):
        trial = Equal(10, tasks, 0, missing=missing, method="mean")
        yield _null(f"mean, N 10, T {tasks}, {missing:.0%} missing", trial)
    for way in ("borda", "borda:missing=model", "wins:missing=direct", "mean"):
        for number in (3, 6, 12):
            trial = Equal(6, 1, 60, short=(3, number), method=way)
            yield _null(f"{way}, N 6, K 60, three with {number} scores", trial)
            trial = Equal(10, 60, 0, short=(3, number), method=way)
            yield _null(f"{way}, N 10, T 60, three with {number} scores", trial)


def _equal_on_few_and_many() -> Iterator[Row]:
    for instances in (6, 8, 25, 1000):
        ways: tuple[tuple[str, Level | None], ...] = (("borda", "balanced"), ("borda", "two"), ("mean", None))
        for method, level in ways:
            name = method if level is None else f"{method} ({level})"
            yield _null(f"{name}, N 10, K {instances}", Equal(10, 1, instances, method=method, level=level))


def _apart() -> Iterator[Row]:
    for systems, tasks, group, gap in ((10, 6, 5, 5), (10, 9, 2, 5), (20, 12, 10, 5), (20, 20, 2, 1), (20, 30, 4, 0.7)):
        for method in ("borda", "mean"):
            trial = Equal(systems, tasks, 0, group=group, gap=gap, method=method)
            yield _null(f"{method}, N {systems}, T {tasks}, groups of {group}", trial)
    for level in ("balanced", "two"):
        for systems, tasks, instances, group, gap in ((8, 1, 100, 2, 0.4), (15, 5, 100, 5, 0.3), (20, 3, 30, 10, 0.5)):
            trial = Equal(systems, tasks, instances, group=group, gap=gap, level=level)
            yield _null(f"borda ({level}), N {systems}, T {tasks}, K {instances}, groups of {group}", trial)
    for method in ("borda", "mean"):
        yield _null(f"{method}, N 20, K 200, 97% and 85% right", Equal(20, 1, 200, "right", group=10, method=method))


def _null(label: str, trial: Trial, worlds: int = 400) -> Row:
    return Row(label, (trial,), worlds=worlds)


def _shuffled() -> Iterator[Row]:
    for name in ("DIALOG_pc", "DIALOG_tc", "FLICKR", "SUM_EVAL"):
        table = f"{name}.parquet"
        if (TABLES / table).exists():
            for level in ("balanced", "one", "two"):
                yield _null(f"borda ({level}), {name}", Shuffled(table, level=level))
            yield _null(f"mean, {name}", Shuffled(table, "mean"))
            yield _null(f"copeland (two), {name}", Shuffled(table, "copeland", "two"))
    for name in ("glue", "superglue"):
        table = f"{name}.csv"
        if (TABLES / table).exists():
            for method in ("borda", "mean"):
                yield _null(f"{method}, {name}", Shuffled(table, method))


def _shuffled_parts() -> Iterator[Row]:
    if not hidden.MTEB.exists():
        return
    for name in ("xtreme", "xtreme_missing_table5", "official_scores"):
        yield _null(f"borda, {name}", Shuffled(f"{name}.csv"), worlds=20)
    for part in PARTS:
        if part == "SST-2":
            for method in ("borda", "mean"):
                yield _null(f"{method}, {part}", Shuffled(part, method), worlds=800)
            continue
        for method, worlds in (("borda", 200), ("mean", 200), ("borda:missing=model", 100)):
            yield _null(f"{method}, {part}", Shuffled(part, method), worlds)


def sections() -> tuple[Section, ...]:
    """All systems equal, equal in groups, and equal since their names were shuffled."""
    return (
        Section(
            "All systems are equal",
            "The hardest worlds for tiers: nothing that is separated is true. Tables of tasks, tables of instances, "
            "several metrics of the same items that correlate, scores of 0 and 1, ties, skewed scores, holes.",
            ("parted", "best"),
            (*_equal(), *_equal_on_instances(), *_equal_where_few_are_scored(), *_equal_on_few_and_many()),
        ),
        Section(
            "Systems are equal in groups",
            "The groups are apart, so that many comparisons are rightly made and stepwise methods could be led astray. "
            "The last column says how many of the unequal pairs are separated; no promise is made about it.",
            ("mistaken", "best", "apart"),
            tuple(_apart()),
            unpromised=("apart",),
        ),
        Section(
            "Released tables with their names shuffled",
            "Inside every instance the names of the systems are shuffled, once for all its metrics (of tables of "
            "tasks, inside every task). Real ties, real correlations, and systems that are equal by construction. "
            "Holes stay where they are. Of MTEB, the 60 systems with most scores, on the 200 tasks that score most of "
            "them; or as many that are drawn, with 78% of the scores missing. SST-2: ten models are right or wrong on "
            "872 texts. Cells are empty where tasks are too few for intervals.",
            ("parted", "best"),
            (*_shuffled(), *_shuffled_parts()),
        ),
    )
