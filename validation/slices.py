"""Slices that order systems alike, or differ: how often a claim is false, and intervals of shrunk departures hold."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from section import Row, Section
from trials import Verdict

import podium

__all__ = ["rows", "sections"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sliced:
    """Systems on slices of unlike sizes, the k-th 1 / k as large as the first.

    Attributes
    ----------
    systems, slices, items
        How many, in all.
    kind
        What scores are: right or wrong; wrong in 4%; or the square of an exponential number less than is due.
    gap
        From the best system to the worst, in logits, or in scores.
    spread
        Standard deviation of departures, of shares of right answers.
    harder
        Standard deviation of how hard slices are, in logits; systems must then be equal, or they do depart.
    clusters
        Items of a cluster; three of ten items leave the slice of their cluster.
    """

    systems: int
    slices: int
    items: int
    kind: Literal["binary", "rare", "skewed"] = "binary"
    gap: float = 0.0
    spread: float = 0.0
    harder: float = 0.0
    clusters: int = 0
    method: str = "mean"

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, ask, and look what holds."""
        size = (self.systems, self.items)
        chance = 1 / np.arange(1, self.slices + 1)
        of_slice = rng.choice(self.slices, self.items, p=chance / chance.sum())
        level, departs = np.linspace(self.gap, 0, self.systems), np.zeros((self.systems, self.slices))
        cluster = np.arange(self.items)
        if self.clusters:
            cluster = rng.integers(self.items // self.clusters, size=self.items)
            together = rng.choice(self.slices, self.items, p=chance / chance.sum())[cluster]
            of_slice = np.where(rng.random(self.items) < 0.7, together, of_slice)
        hard = (rng.normal(0, 1.2, self.items) + rng.normal(0, self.harder, self.slices)[of_slice])[cluster]
        own = rng.normal(0, 0.7, size)[:, cluster] * bool(self.clusters)
        if self.spread:
            departs = rng.normal(0, self.spread, departs.shape)
            level = np.linspace(0.1, -0.1, self.systems)
            rate = 0.55 + level[:, None] + departs + rng.normal(0, 0.1, self.slices)
            values = (rng.random(size) < np.clip(rate, 0.02, 0.98)[:, of_slice]).astype(float)
        elif self.kind == "binary":
            values = (rng.random(size) < 1 / (1 + np.exp(-(level[:, None] + hard + own)))).astype(float)
        elif self.kind == "rare":
            values = (rng.random(size) >= 0.04 * np.exp(-level[:, None] - (hard + own) / 2)).astype(float)
        else:
            values = level[:, None] + hard + own - rng.exponential(1, size) ** 2
        there = np.unique(of_slice)
        kept = {f"slice {at:02}": np.flatnonzero(of_slice == at) for at in there.tolist()}
        scores = podium.from_arrays(
            {name: values[:, own] for name, own in kept.items()},
            instances={name: [f"item {one}" for one in own.tolist()] for name, own in kept.items()},
            clusters={name: [f"cluster {one}" for one in cluster[own].tolist()] for name, own in kept.items()}
            if self.clusters
            else None,
        ).with_families(False)
        found = podium.slices(scores, method=self.method, n_resamples=40, rng=int(rng.integers(2**32)))
        if not self.spread:
            return Verdict(sliced=float(found.p <= 0.05))
        truth = (departs - departs.mean(axis=0))[:, there].T
        cut = found.cuts[0]
        return Verdict(shrunk=float(np.mean((cut.shrunk_low <= truth) & (truth <= cut.shrunk_high))))


def rows(*, quick: bool = False) -> Iterator[Row]:
    """Slices alike, with few items, rare failures, skewed scores, clusters, hard slices; or departures of a size."""
    alike = Sliced(5, 9, 300)
    worlds = {
        "2 systems, 4 slices, 100 items": replace(alike, systems=2, slices=4, items=100),
        "5 systems, 9 slices, 300 items": alike,
        "the same, of unlike strength, Borda": replace(alike, gap=1.0, method="borda"),
        "the same, 4% wrong": replace(alike, kind="rare"),
        "10 systems, 20 slices, 1000 items, 4% wrong": Sliced(10, 20, 1000, "rare"),
        "the same, 4% wrong, of unlike strength": Sliced(10, 20, 1000, "rare", gap=1.0),
        "the same, skewed": Sliced(10, 20, 1000, "skewed"),
        "5 systems, 6 slices, 400 items in clusters of 5": Sliced(5, 6, 400, clusters=5),
        "5 systems, 9 slices, 300 items, slices of unlike difficulty": replace(alike, harder=1.5),
        "3 systems, 5 slices, 200 items, departures of 0.03": Sliced(3, 5, 200, spread=0.03),
        "5 systems, 9 slices, 300 items, departures of 0.1": replace(alike, spread=0.1),
        "10 systems, 20 slices, 500 items, departures of 0.05": Sliced(10, 20, 500, spread=0.05),
    }
    for number, (label, world) in enumerate(worlds.items()):
        if not quick or number in {3, 10}:
            yield Row(label, (world,), 40 if quick else 400)


def sections() -> Iterator[Section]:
    """Tables of this file."""
    yield Section(
        "Slices",
        "`podium.slices`: how often any difference between slices that are alike is called more than chance; and "
        "intervals of shrunk departures, of all systems and slices.",
        ("sliced", "shrunk"),
        tuple(rows()),
    )
