"""Tables, and families of systems, whose true agreement and order are known."""

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from nulls import Equal, Floats
from section import Row, Section
from trials import Verdict

import podium
from podium.ranking.family import families_of

__all__ = ["rows", "sections"]


@dataclass(frozen=True)
class Twice:
    """Systems with a score on each of two tables, drawn anew in each world.

    Attributes
    ----------
    systems
        N.
    tau
        Kendall's τ of what scores are made of, two normal numbers.
    shape
        What scores are: "normal", "ties" (rounded to a handful of values), "heavy" (Student's t of 2 degrees of
        freedom), "clumps" (two groups of equal systems), or "odd" (every tenth is reversed).
    """

    systems: int
    tau: float
    shape: str = "normal"

    def drawn(self, rng: np.random.Generator, number: int) -> tuple[Floats, Floats]:
        """Draw two scores of so many systems."""
        r, (one, other) = math.sin(math.pi / 2 * self.tau), rng.normal(size=(2, number))
        other = r * one + math.sqrt(1 - r * r) * other
        if self.shape == "ties":
            return np.round(1.5 * one), np.round(1.5 * other)
        if self.shape == "heavy":
            scale = np.sqrt(2 / rng.chisquare(2, number))
            return one * scale, other * scale
        if self.shape == "clumps":
            group = rng.integers(2, size=number)
            moved = np.where(rng.random(number) < (1 - self.tau) / 2, 1 - group, group)
            return one + 5 * group, rng.normal(size=number) + 5 * moved
        return one, np.where(rng.random(number) < 0.1, -other, other) if self.shape == "odd" else other

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, correlate, and see whether the interval holds and unrelated tables are called alike."""
        tables = [podium.from_arrays({"t": scores[:, None]}) for scores in self.drawn(rng, self.systems)]
        found = podium.correlate(*tables, names=["a", "b"], n_jobs=1)
        value, low, high = (float(matrix[0, 1]) for matrix in (found.tau, found.tau_low, found.tau_high))
        alike = math.nan if self.tau or self.shape == "heavy" else float(value > found.chance[0, 1])
        return Verdict(tau=math.nan if math.isnan(low) else float(low <= _truth(self) <= high), related_orders=alike)


@cache
def _truth(world: Twice) -> float:
    """Return τ-b of very many systems."""
    rng = np.random.default_rng(0)
    return float(np.mean([podium.agreement.kendall_tau(*world.drawn(rng, 4000)) for _ in range(20)]))


@dataclass(frozen=True)
class Noisy:
    """Two benchmarks that order systems alike, with other noise; how far the τ-b that is expected is off.

    Attributes
    ----------
    systems, shape
        N, and their true scores: "normal", "clumps" (two groups of equal systems), or "even" (at equal distances).
    noise
        Standard deviation of scores of the first benchmark; of the other, half of it.
    """

    systems: int
    shape: str
    noise: float

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw true scores and one sample of each benchmark; and others, to see how far these agree."""
        n = self.systems
        true = {"normal": rng.normal(size=n), "clumps": 4.0 * (np.arange(n) % 2), "even": np.linspace(-1.7, 1.7, n)}

        def sample() -> tuple[Floats, Floats]:
            centre = true[self.shape][:, None]
            first, second = (centre + noise * math.sqrt(30) * rng.normal(size=(n, 30)) for noise in noises)
            return first, second

        noises = self.noise, self.noise / 2
        tables = [podium.from_arrays({"t": scores}) for scores in sample()]
        found = podium.correlate(*tables, method="mean", n_resamples=200, n_jobs=1)
        means = [[scores.mean(axis=1) for scores in sample()] for _ in range(20)]
        return Verdict(
            expected=float(found.expected[0, 1] - np.mean([podium.agreement.kendall_tau(*two) for two in means]))
        )


@dataclass(frozen=True)
class Related:
    """A world whose systems are in families of 1, 1, 2, 5 and more members, whatever their group."""

    world: Equal

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, rank, and look for families that are called better and are not, or a best one that cannot be first."""
        scores = self.world.drawn(rng)
        of = rng.permutation(np.searchsorted([1, 2, 4, 9], np.arange(self.world.systems), side="right"))
        family = {system: f"family {one}" for system, one in zip(scores.systems, of.tolist(), strict=True)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", podium.errors.PodiumWarning)
            ranking = podium.rank(
                scores,
                self.world.method,
                system_families=family,
                n_resamples=self.world.replicates,
                rng=int(rng.integers(2**32)),
                n_jobs=1,
            )
        found = families_of(ranking)
        group = np.array([self.world.groups[of == int(name.removeprefix("family "))].min() for name in found.names])
        true_rank = 1 + (group < group[:, None]).sum(axis=1)
        ties = (group <= group[:, None]).sum(axis=1)  # equal families share the ranks from the one to the other
        false = (found.better & (group[:, None] >= group)).any()
        joint = float(((found.low <= ties) & (true_rank <= found.high)).all())
        return Verdict(families=float(false), joint=joint if ranking.intervals is not None else math.nan)


def rows(replicates: int = 400, *, quick: bool = False) -> Iterator[tuple[str, Row]]:
    """Yield rows, each with the number of its table; or a quick choice of them."""
    worlds = 100 if quick else 1000
    for shape in ("ties",) if quick else ("normal", "ties", "heavy", "clumps", "odd"):
        for systems in (6, 15) if quick else (6, 12, 30):
            for tau in (0.0, 0.5, 0.9):
                yield "orders", Row(f"{shape}, N {systems}, tau {tau:g}", (Twice(systems, tau, shape),), worlds)
    for shape in ("normal", "clumps", "even"):
        for systems in (8,) if quick else (8, 15, 30):
            for noise in (0.6,) if quick else (0.2, 0.6):
                yield (
                    "noise",
                    Row(f"{shape}, N {systems}, noise {noise:g}", (Noisy(systems, shape, noise),), worlds // 4),
                )
    kinds = [Equal(20, 12, 0), Equal(20, 3, 40, "right", method="mean")]
    kinds += (
        []
        if quick
        else [
            Equal(20, 8, 0),
            Equal(20, 3, 40),
            Equal(20, 3, 40, "skewed", method="mean"),
            Equal(20, 3, 40, "right", group=5, method="mean"),
            Equal(20, 12, 0, group=4, gap=0.5),
            Equal(20, 12, 0, missing=0.2),
        ]
    )
    for world in kinds:
        groups = f", groups of {world.group}" if world.group else ""
        what = f"{world.method}, T {world.tasks}, K {world.instances}, {world.noise}{groups}"
        what += f", {world.missing:.0%} missing" if world.missing else ""
        yield "families", Row(what, (Related(replace(world, replicates=replicates)),), 40 if quick else 400)


def sections() -> Iterator[Section]:
    """Tables of this file."""
    found = list(rows())
    yield Section(
        "Two tables order systems",
        "`podium.correlate`: how often the interval of tau-b holds that of very many systems, and unrelated tables are "
        "called alike.",
        ("tau", "related_orders"),
        tuple(row for kind, row in found if kind == "orders"),
    )
    yield Section(
        "What noise lets one expect",
        "`podium.correlate`: expected tau-b of two benchmarks of one true order, less that of other samples of both.",
        ("expected",),
        tuple(row for kind, row in found if kind == "noise"),
    )
    yield Section(
        "Families of systems",
        "`podium.rank(system_families=…)`: 20 systems in families of 1, 1, 2, 5 and 11. How often a family "
        "is called better than one that is not worse, and all ranks hold.",
        ("families", "joint"),
        tuple(row for kind, row in found if kind == "families"),
    )
