"""Trials of tests over tasks: systems are equal, with one score of each on every task."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from trials import Verdict

import podium

__all__ = ["Paired", "Treated"]

Floats = NDArray[np.float64]


#: Pairs of a world, compared at once.
_PAIRS = 50


@dataclass(frozen=True)
class Paired:
    """Pairs of equal systems on T tasks; differences are "normal", "ties" (normal, rounded) or "skewed"."""

    tasks: int
    noise: str

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, test at 5%, and look for differences: shares of pairs."""
        drawn = rng.normal(size=(_PAIRS, self.tasks))
        if self.noise == "ties":
            drawn = np.round(drawn)
        if self.noise == "skewed":
            drawn = np.sign(drawn) * np.exp(1.5 * rng.normal(size=drawn.shape))
        found = _compared(np.concatenate([np.zeros((1, self.tasks)), drawn]), rng, rope=0.0).treatments
        known = [one for one in found if not np.isnan(one.low)]
        chances = [max(one.better, one.worse) for one in found if not np.isnan(one.better)]
        return Verdict(
            sign=float(np.mean([one.sign_p <= 0.05 for one in found])),
            signed=float(np.mean([one.wilcoxon_p <= 0.05 for one in found])),
            student=float(np.mean([one.low <= 0 <= one.high for one in known])),
            surely=float(np.mean([chance > 0.95 for chance in chances])) if chances else np.nan,
        )


@dataclass(frozen=True)
class Treated:
    """N equal systems on T tasks; scores are "normal" or have "ties"."""

    systems: int
    tasks: int
    noise: str

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, compare all with the first, and look for any difference."""
        drawn = rng.normal(size=(self.systems, self.tasks))
        drawn = 1_000 * (np.round(drawn) if self.noise == "ties" else drawn)  # no scale that is known, so no more tests
        comparison = _compared(drawn, rng, rope=None)
        found = comparison.friedman
        assert found is not None  # noqa: S101  # there are six tasks
        ranks = list(found.mean_rank.values())
        return Verdict(
            holm=float(comparison.holm.min() <= 0.05),
            friedman=float(found.f_p <= 0.05),
            nemenyi=float(max(ranks) - min(ranks) > found.critical_difference),
        )


def _compared(values: Floats, rng: np.random.Generator, *, rope: float | None) -> podium.TaskComparison:
    """Compare all with the first."""
    scores = podium.from_arrays({f"task {task}": values[:, [task]] for task in range(values.shape[1])})
    return podium.compare_task_scores(scores, control=scores.systems[0], rope=rope, rng=int(rng.integers(2**32)))
