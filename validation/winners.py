"""Worlds in which somebody wins: whether the score of the winner, corrected for having won, is right."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from section import Row
from trials import Verdict

import podium

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Won:
    """A table whose systems have known means, and how it is ranked.

    Attributes
    ----------
    centres
        Means of normal scores, in standard deviations of them; of 0/1 scores how often they are right.
    tasks, instances
        T and K; K = 0 for a table of tasks.
    noise
        "normal"; "right" (0 or 1); "skewed" (lognormal, the worse the longer the tail) or "turned" (the better).
    common
        Standard deviation of what all systems have in common on an instance, or task, beside 1 of their own.
    method
        "mean" or "borda".
    missing
        Share of scores removed completely at random; only where all are equal.
    """

    centres: tuple[float, ...]
    tasks: int
    instances: int
    noise: str = "normal"
    common: float = 0.0
    method: str = "mean"
    missing: float = 0.0

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, rank, and compare the score of the winner with its true one."""
        shape = (len(self.centres), self.tasks, self.instances or 1)
        own = rng.normal(size=shape) + self.common * rng.normal(size=shape[1:])
        means = np.array(self.centres)[:, None, None]
        if self.noise == "right":
            values = (rng.random(shape) < means).astype(np.float64)
        elif self.noise == "normal":
            values = own + means
        else:
            values = (np.exp(own / 2) - np.exp(1 / 8)) * (1 if self.noise == "turned" else -1) + means
        values = np.where(rng.random(shape) < self.missing, np.nan, values)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", podium.errors.PodiumWarning)
            tasks = {f"task {task + 1}": values[:, task] for task in range(self.tasks)}
            scores = podium.from_arrays(tasks if self.instances else values[..., 0])
            seed = int(rng.integers(2**32))
            ranking = podium.rank(scores, self.method, confidence_level=0.95, rng=seed, n_jobs=1)
        first = ranking.rows()[0]
        truth = self._truth()[scores.systems.index(first["system"])]
        if first.get("corrected_score") is None:
            return Verdict(corrected=0.0)
        return Verdict(
            below=float(first["corrected_score"] < truth),
            winner=float(first["corrected_low"] <= truth <= first["corrected_high"]),
            naive=float(ranking.score[0] < truth),
            corrected=1.0,
        )

    def _truth(self) -> Floats:
        """Shape `(N,)`: the mean, or the expected share of the others beaten."""
        centres = np.array(self.centres)
        if self.method == "mean":
            return centres
        gap = centres[:, None] - centres
        wins = (1 + gap) / 2 if self.noise == "right" else ndtr(gap / np.sqrt(2))
        return np.asarray((wins.sum(axis=1) - 0.5) / (centres.size - 1))


def rows() -> Iterator[Row]:
    """All equal, two level at the top, one far ahead; alike; of few tasks; right or wrong; skewed."""
    for n in (2, 5, 20, 50):
        yield Row(f"mean, N {n}, K 100", (Won((0.0,) * n, 1, 100),), 400)
    for n, tasks in ((5, 10), (20, 10), (5, 12), (20, 12), (5, 30), (20, 30)):
        for method in ("mean", "borda"):
            yield Row(f"{method}, N {n}, T {tasks}", (Won((0.0,) * n, tasks, 0, method=method),), 400)
    for n in (5, 20):
        yield Row(f"borda, N {n}, T 5, K 20", (Won((0.0,) * n, 5, 20, method="borda"),), 400)
        for method in ("mean", "borda"):
            trial = Won((0.0,) * n, 3, 60, method=method, missing=0.2)
            yield Row(f"{method}, N {n}, T 3, K 60, 20% missing", (trial,), 400)
    yield Row("mean, N 20, K 100, correlation 0.9", (Won((0.0,) * 20, 1, 100, common=3.0),), 400)
    for method in ("mean", "borda"):
        yield Row(f"{method}, two level, six behind, K 100", (Won((0.3, 0.3, *[0.0] * 6), 1, 100, method=method),), 400)
        yield Row(f"{method}, one far ahead, K 100", (Won((0.8, *[0.0] * 7), 1, 100, method=method),), 400)
    for share, sizes in ((0.5, (100, 200, 1000)), (0.9, (100, 200, 1000)), (0.97, (500, 1000, 2000))):
        for n, instances in zip((5, 20, 50), sizes, strict=True):
            trial = Won((share,) * n, 1, instances, "right")
            yield Row(f"mean, N {n}, K {instances}, {share:.0%} right", (trial,), 400)
    yield Row("borda, N 20, K 200, 70% right", (Won((0.7,) * 20, 1, 200, "right", method="borda"),), 400)
    for noise in ("skewed", "turned"):
        yield Row(f"mean, N 20, K 200, {noise}", (Won((0.0,) * 20, 1, 200, noise),), 400)
