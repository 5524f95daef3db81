"""Verdicts of stresses: chance is drawn from all cases there are, so that the truth is known."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from section import Row, Section
from trials import Verdict

import podium
from podium.robustness.study_result import Study, SweepResult
from podium.robustness.sweep import cases_of
from podium.robustness.verdict import steadiness

__all__ = ["sections"]

Floats = NDArray[np.float64]

#: Tables from which cases are drawn, and how many cases are listed at most.
TABLES, MOST = 6, 4096


@cache
def cases(systems: int, tasks: int, table: int) -> Study:
    """All cases of those strengths that have at least ten and can be listed, by two methods."""
    rng = np.random.default_rng([systems, tasks, table])
    ability = np.linspace(0, 0.8, systems)[:, None] + rng.normal(size=(systems, tasks))
    scores = podium.from_arrays({f"t{t}": ability[:, [t]] for t in range(tasks)})
    sweeps = [
        replace(sweep, strengths=[s for s in sweep.strengths if _listed(scores, sweep, s)])
        for sweep in podium.stresses.usual(scores)
    ]
    real = [sweep for sweep in sweeps if len(sweep.strengths) > 0]
    return podium.study(scores, real, ["borda", "mean"], repeats=MOST, exhaustive=True, n_jobs=1)


def _listed(scores: podium.Scores, sweep: podium.stresses.Sweep, strength: float) -> bool:
    every = cases_of(scores, sweep, strength)
    return every is not None and (every.number(MOST) or 0) >= 10


@dataclass(frozen=True)
class Drawn:
    """Repeats drawn from all cases of a table, as `podium.stress` does it where these are too many to list."""

    systems: int
    tasks: int
    repeats: int

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, and compare with the means of all cases."""
        truth = cases(self.systems, self.tasks, int(rng.integers(TABLES)))
        swept = tuple(_sampled(one, self.repeats, rng) for one in truth.swept)
        return _judged(replace(truth, swept=swept, repeats=self.repeats), truth)


def _sampled(one: SweepResult, repeats: int, rng: np.random.Generator) -> SweepResult:
    chosen = [rng.integers(tries, size=repeats) for tries in one.tries.tolist()]
    kept, tau = (
        np.stack([values[:, s, some] for s, some in enumerate(chosen)], axis=1) for values in (one.kept, one.tau)
    )
    tau = np.stack([tau[0], 2 * one.mean("tau")[0][:, None] - tau[0]])  # two that are equally steady
    return replace(one, kept=kept, tau=tau, listed=np.zeros(len(chosen), dtype=np.bool_))


def _judged(study: Study, truth: Study) -> Verdict:
    each, together = [], []
    for one, true in zip(study.swept, truth.swept, strict=True):
        mean = true.mean("kept")
        low, high = study.interval(one)
        each.append((low - 1e-9 <= mean) & (mean <= high + 1e-9))
        low, high = study.interval(one, together=True)
        together.append(((low - 1e-9 <= mean) & (mean <= high + 1e-9))[0])
    found = steadiness(study)
    return Verdict(
        share=float(np.mean([held.mean() for held in each])),
        verdict=float(all(held.all() for held in together)),
        steadier=float(found is not None and len(found.tiers) > 1),
    )


def _drawn() -> Iterator[Row]:
    for systems, tasks in ((4, 5), (6, 6)):
        for repeats in (10, 100, 200):
            label = f"N = {systems}, T = {tasks}, {repeats} repeats"
            yield Row(label, (Drawn(systems, tasks, repeats),), worlds=1600)


def sections() -> Iterator[Section]:
    """Tables of this file."""
    yield Section(
        "Stresses",
        "`podium.stress`: stresses whose cases can all be listed. Repeats are drawn from them. How often an interval "
        "of a share of the first place holds the mean of all cases; how often all intervals hold at once that the "
        "verdict rests on; and how often one of two methods that keep their order equally well is called steadier. "
        "Intervals are those of Clopper and Pearson, widened for places that are shared, so they are on the safe side.",
        ("share", "verdict", "steadier"),
        tuple(_drawn()),
    )
