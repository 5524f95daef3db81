"""Verdicts of stresses: chance is drawn from all cases there are, so that the truth is known."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from section import Row, Section
from trials import Verdict

import podium
from podium.robustness.study.change import cases_of
from podium.robustness.study.plan import Tries, longer_plan
from podium.robustness.study.result import Study, SweepResult
from podium.robustness.study.steady import steadiness

__all__ = ["sections"]

Floats = NDArray[np.float64]

#: A released table of scores, if it is there.
GLUE = Path(__file__).parents[2] / "shared" / "data" / "scores" / "glue.csv"

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
    return podium.study(scores, real, ["borda", "mean"], repeats=1, most_repeats=MOST, jobs=1)


def _listed(scores: podium.Scores, sweep: podium.stresses.Sweep, strength: float) -> bool:
    every = cases_of(scores, sweep, strength)
    return every is not None and (every.number(MOST) or 0) >= 10


@dataclass(frozen=True)
class Drawn:
    """Repeats drawn from all cases of a table, more where the verdict is open, as `podium.stress` does it."""

    systems: int
    tasks: int
    repeats: int
    most: int

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, add repeats, and compare with the means of all cases."""
        truth = cases(self.systems, self.tasks, int(rng.integers(TABLES)))
        drawn = [[rng.integers(tries, size=self.most) for tries in one.tries[0].tolist()] for one in truth.swept]
        plan = tuple(tuple(Tries(self.repeats, self.repeats) for _ in one.strengths) for one in truth.swept)
        while True:
            swept = tuple(_sampled(one, chosen, row) for one, chosen, row in zip(truth.swept, drawn, plan, strict=True))
            study = replace(truth, swept=swept, repeats=self.repeats, most_repeats=self.most)
            longer = longer_plan(plan, study)
            if longer == plan:
                return _judged(study, truth)
            plan = longer


def _sampled(one: SweepResult, chosen: list[NDArray[np.int64]], row: Sequence[Tries]) -> SweepResult:
    def some(values: Floats) -> Floats:
        found = np.full((*values.shape[:2], max(tries.number for tries in row)), np.nan)
        for s, (number, whole, _) in enumerate(row):
            found[0, s, :number] = values[0, s, chosen[s][:number]]
            found[1:, s, :whole] = values[1:, s, chosen[s][:whole]]
        return found

    kept, tau = some(one.kept), some(one.tau)
    tau = np.stack([tau[0], 2 * one.mean("tau")[0][:, None] - tau[0]])  # two that are equally steady
    return replace(one, kept=kept, tau=tau, listed=np.zeros(len(row), dtype=np.bool_))


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


@dataclass(frozen=True)
class Released:
    """A released table under all usual stresses by default; the seed is drawn."""

    path: Path = GLUE

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Compare the sentences with those of seed 0."""
        return Verdict(same=float(_said(self.path, int(rng.integers(1, 2**31))) == _said(self.path, 0)))


@cache
def _said(path: Path, seed: int) -> tuple[str, ...]:
    return podium.stress(podium.read(path), seed=seed, leave_out=False, jobs=1).verdict


def _drawn() -> Iterator[Row]:
    for systems, tasks in ((4, 5), (6, 6)):
        for repeats, most in ((10, 10), (10, 320), (100, 100), (100, 3200)):
            label = f"N = {systems}, T = {tasks}, {repeats} repeats" + (f" to {most:,}" if most > repeats else "")
            yield Row(label, (Drawn(systems, tasks, repeats, most),), worlds=1600)


def sections() -> Iterator[Section]:
    """Tables of this file."""
    yield Section(
        "Stresses",
        "`podium.stress`: stresses whose cases can all be listed. Repeats are drawn from them, more where the "
        "verdict is open. How often an interval of a share of the first place holds the mean of all cases; how "
        "often all intervals hold at once that the verdict rests on; and how often one of two methods that keep their "
        "order equally well is called steadier. Intervals hold for any number of looks, so they are on the safe side.",
        ("share", "verdict", "steadier"),
        tuple(_drawn()),
    )
    if GLUE.exists():
        yield Section(
            "GLUE under stress, from seed to seed",
            "`podium.stress` of 105 systems on 14 tasks, as it is by default: how often all sentences of the verdict "
            "are those of seed 0.",
            ("same",),
            (Row("GLUE", (Released(),), worlds=20),),
        )
