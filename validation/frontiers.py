"""Systems of known worth and cost: how often any claim about the frontier is false."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from nulls import Equal
from section import Row, Section
from trials import Verdict

import podium

__all__ = ["rows", "sections"]


@dataclass(frozen=True)
class Priced:
    """A world whose systems are equal in groups, with costs.

    Attributes
    ----------
    world
        Scores, and how they are ranked.
    costs
        "exact": whole numbers drawn for each system, so that some are equal; "drawn": on each instance, lognormal, with
        one mean for all systems, and correlated with the scores.
    margin
        As of `podium.frontier`; a claim is false if the best group is ahead by as much or more.
    """

    world: Equal
    costs: str = "exact"
    margin: float | None = None

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, ask for the frontier, and look for false claims."""
        scores, exact = self.world.drawn(rng), rng.integers(self.world.systems, size=self.world.systems)
        tasks = []
        for task in scores.tasks:
            cost = np.broadcast_to(exact[:, None] + 1.0, task.values.shape).copy()
            if self.costs == "drawn":
                cost = np.exp(0.5 * rng.normal(size=cost.shape) + 0.5 * np.nan_to_num(task.values))
            tasks.append(replace(task, covariates={"cost": cost}))
        cost_of = np.zeros(exact.size) if self.costs == "drawn" else exact
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", podium.errors.PodiumWarning)
            found = podium.frontier(
                replace(scores, tasks=tuple(tasks)),
                margin=self.margin,
                method=self.world.method,
                n_resamples=self.world.replicates,
                rng=int(rng.integers(2**32)),
                n_jobs=1,
            )
        row = {system: place for place, system in enumerate(scores.systems)}
        group, cost_of = (of[[row[system] for system in found.systems]] for of in (self.world.groups, cost_of))
        cheaper, better = cost_of[:, None] <= cost_of, group[:, None] < group
        dominates = (cheaper & better).any(axis=0)
        not_on = dominates | ((cost_of[:, None] < cost_of) & (group[:, None] <= group)).any(axis=0)
        kinds = np.array(found.frontier)
        false = bool(((kinds == "surely") & not_on).any() or ((kinds == "dominated") & ~dominates).any())
        if found.within is not None:
            false |= bool(((found.within == 0) & (group * self.world.gap >= (self.margin or 0)) & (group > 0)).any())
        return Verdict(frontier=float(false))


def rows(replicates: int = 400, *, quick: bool = False) -> Iterator[Row]:
    """Equal systems and groups of them, few units and many, exact costs and drawn ones; or a quick choice of them."""

    def row(label: str, world: Equal, costs: str = "exact", margin: float | None = None) -> Row:
        return Row(label, (Priced(replace(world, replicates=replicates), costs, margin),), 60 if quick else 400)

    for systems, tasks in ((5, 6), (15, 9), (40, 20))[1 if quick else 0 : 2 if quick else 3]:
        yield row(f"N {systems}, T {tasks}", Equal(systems, tasks, 0))
    related = Equal(12, 4, 30, "ties", alike=0.8, group=3, gap=0.5)
    yield row("groups of 3, N 12, 4 metrics of 30 instances, costs drawn", related, "drawn")
    yield row(
        "margin 0.5, N 10, T 8, half are 0.5 behind", Equal(10, 8, 0, group=5, gap=0.5, method="mean"), margin=0.5
    )
    if quick:
        return
    yield row("groups of 3, N 12, 4 metrics of 30 instances", related)
    for noise in ("ties", "skewed", "right"):
        for costs in ("exact", "drawn"):
            yield row(f"mean, N 12, T 3, K 30, {noise}, costs {costs}", Equal(12, 3, 30, noise, method="mean"), costs)
    world = Equal(10, 2, 40, group=5, gap=0.5, method="mean")
    yield row("margin 0.5, N 10, T 2, K 40, half are 0.5 behind", world, margin=0.5)


def sections() -> Iterator[Section]:
    """Tables of this file."""
    yield Section(
        "Frontiers of score and cost",
        "`podium.frontier`: how often any of its claims, about all systems together, is false.",
        ("frontier",),
        tuple(rows()),
    )
