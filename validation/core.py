"""The core of the simulations: worlds in which statements have been wrong before, quick enough for every test run."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import frontiers
import histories
import judges
import orders
import slices
import subsets
import suites
import truths
import units
import watching
from nulls import Equal, Shuffled
from paired import Treated
from rerun import Rerun
from section import Row
from trials import Ranked
from truths import Clustered, World

__all__ = ["CORE", "released"]

#: Replicates of every ranking: enough for 95%, and quick.
_REPLICATES = 199

#: Better and worse systems, on three metrics of the same items, rounded so that there are ties.
_METRICS = Equal(12, 4, 48, "ties", group=3, gap=0.5, alike=0.8)


def _tasks() -> Iterator[Row]:
    for systems, tasks, worlds in ((5, 6, 200), (15, 9, 100)):
        yield Row(f"borda, N {systems}, T {tasks}", (Equal(systems, tasks, 0, replicates=_REPLICATES),), worlds)


def _instances() -> Iterator[Row]:
    level: Any
    for method, level, noise, instances in (
        ("borda", "balanced", "normal", 12),
        ("borda", "balanced", "right", 60),
        ("borda", "two", "normal", 12),
        ("borda", "two", "ties", 12),
        ("borda", "two", "right", 60),
        ("mean", None, "normal", 12),
        ("mean", None, "right", 60),
        ("mean", None, "skewed", 12),
        ("copeland", None, "normal", 12),
        ("copeland", None, "ties", 12),
    ):
        trial = Equal(20, 1, instances, noise, method=method, level=level, replicates=_REPLICATES)
        yield Row(f"{_name(method, level)}, N 20, K {instances}, {noise}", (trial,), 80)
    trial = Equal(12, 2, 60, level="two", replicates=_REPLICATES)
    yield Row("borda (two), N 12, T 2, K 60", (trial,), 80)


def _shuffled() -> Iterator[Row]:
    level: Any
    for method, level in (("borda", "balanced"), ("borda", "two"), ("copeland", "two")):
        generated = Shuffled(_METRICS, method, level, replicates=_REPLICATES)
        yield Row(f"{_name(method, level)}, names shuffled, generated metrics", (generated,), 40)


def _name(method: str, level: str | None) -> str:
    return method if level is None else f"{method} ({level})"


def _apart() -> Iterator[Row]:
    for method in ("borda", "mean"):
        trial = Equal(10, 9, 0, group=2, gap=5, method=method, replicates=_REPLICATES)
        yield Row(f"{method}, N 10, T 9, groups of 2", (trial,), 100)


def _covered() -> Iterator[Row]:
    world = World(8, 1, 20, 0.1)
    yield Row("mean, N 8, K 20", (Ranked(world, "mean", truths.true_mean, replicates=_REPLICATES),), 120)
    for uneven in (False, True):
        clusters = Clustered(5, 1, 160, 0.0, clusters=20, alike=0.3, uneven=uneven)
        label = f"mean, N 5, 20 {'unequal' if uneven else 'equal'} clusters, ρ 0.3"
        yield Row(label, (Ranked(clusters, "mean", truths.true_centre, replicates=_REPLICATES),), 120)


def released() -> Iterator[Row]:
    """Rows of released tables; they need the folder beside the project."""
    for table in ("FLICKR.parquet", "glue.csv"):
        yield Row(f"borda, names shuffled, {table}", (Shuffled(table, replicates=_REPLICATES),), 60)
    for table in ("glue.csv", "superglue.csv"):
        trial = units.Stated(partial(units.shuffled_families, table=table), replicates=_REPLICATES)
        yield Row(f"borda, names shuffled by family, {table}", (trial,), 60)


def _rerun() -> Iterator[Row]:
    for method in ("mean", "borda"):
        for gap, own in ((0.0, 0.0), (0.2, 1.0)):
            trial = Rerun(6, 30, 3, gap=gap, own=own, method=method, replicates=_REPLICATES)
            label = "equal systems" if not gap else "unequal systems"
            yield Row(f"{method}, N 6, K 30, 3 repeats drawn, {label}", (trial,), 40)


def _over_tasks() -> Iterator[Row]:
    for noise in ("normal", "ties"):
        yield Row(f"tests over tasks, N 5, T 6, {noise}", (Treated(5, 6, noise),), 200)


CORE = (
    *_tasks(),
    *_instances(),
    *_shuffled(),
    *_apart(),
    *_covered(),
    *_rerun(),
    *_over_tasks(),
    *histories.rows(),
    *units.rows(),
    *suites.rows(),
    *watching.rows(),
    *frontiers.rows(_REPLICATES, quick=True),
    *judges.rows(quick=True),
    *slices.rows(quick=True),
    *(row for _, row in orders.rows(_REPLICATES, quick=True)),
    *subsets.rows(quick=True),
)
