"""Trials of pooling: effects are drawn around a true mean, and what their summary says is held against it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit
from trials import Verdict

import podium
from podium.base.statistics import holm
from podium.comparison.effects import Pairs, effect_sizes
from podium.comparison.pooling import Pooled, pool
from podium.comparison.result import MetaAnalysis
from podium.score.table import Scores
from podium.tally.count import count
from podium.tally.moment import Comoments

__all__ = ["Against", "Drawn", "Measured", "Rare", "Tried"]

Floats = NDArray[np.float64]


def variances(k: int, ratio: float, form: str) -> Floats:
    """Known sampling variances, the largest `ratio` times the smallest, of which the typical one is 1.

    They are even in log ("even"), of two kinds ("half"), or all but one or two are alike, which are more precise
    ("precise", "two precise"), or one is less ("blunt").
    """
    place = {
        "even": np.linspace(0, 1, k),
        "half": np.arange(k) >= k // 2,
        "precise": np.arange(k) >= 1,
        "two precise": np.arange(k) >= 2,
        "blunt": np.arange(k) < 1,
    }[form]
    variance: Floats = np.power(ratio, place, dtype=np.float64)
    weight = 1 / variance
    typical = float((k - 1) * weight.sum() / (weight.sum() ** 2 - (weight**2).sum()))
    return variance / typical


@dataclass(frozen=True)
class Drawn:
    """Analyses of k effects around a mean of 0, whose sampling variances are known; see `variances`.

    One trial is many analyses at once, of which it gives the shares.
    """

    k: int
    tau2: float
    ratio: float
    form: str
    analyses: int = 1000

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw effects, pool them, and compare with 0, the effect on one more task, and τ²."""
        effect, variance = self.drawn(rng)
        pooled = pool(effect, variance)
        return _verdict(pooled, 0.0, rng.normal(0, np.sqrt(self.tau2), self.analyses), self.tau2)

    def drawn(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Effects and variances, shape `(analyses, k)`."""
        variance = variances(self.k, self.ratio, self.form)
        effect = rng.normal(0, np.sqrt(variance + self.tau2), (self.analyses, self.k))
        return effect, np.broadcast_to(variance, effect.shape)


@dataclass(frozen=True)
class Tried(Drawn):
    """The same, pooled in other ways."""

    resampled: int = 25

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw effects, pool them in every way, and compare with 0; and with the length of metafor's intervals."""
        effect, variance = self.drawn(rng)

        def made(estimator: str, interval: str) -> Pooled:
            return pool(effect, variance, estimator=estimator, interval=interval, profile=False)

        ours, adhoc, normal = (made("reml", name) for name in ("satterthwaite", "adhoc", "normal"))
        share = adhoc.weight
        squares = ((effect - adhoc.estimate[:, None]) * share) ** 2 / (1 - share)
        robust = -stdtrit(ours.df, 0.025) * np.sqrt(squares.sum(axis=1))
        mean, error = effect.mean(axis=1), effect.std(axis=1, ddof=1) / np.sqrt(self.k)
        few = slice(self.resampled)
        reach = np.array([self._reach(*one, rng) for one in zip(variance[few], normal.tau2[few], strict=True)])
        return Verdict(
            summary=_holding(ours),
            normal=_holding(normal),
            hartung=_holding(made("reml", "knapp-hartung")),
            adhoc=_holding(adhoc),
            mandel=_holding(made("pm", "adhoc")),
            robust=float(np.mean(abs(adhoc.estimate) <= robust)),
            bootstrap=float(np.mean(abs(adhoc.estimate[few]) <= reach * adhoc.std_error[few])),
            unweighted=float(np.mean(abs(mean) <= -stdtrit(self.k - 1, 0.025) * error)),
            length=float(np.median(ours.high - ours.low) / np.median(adhoc.high - adhoc.low)),
        )

    def _reach(self, variance: Floats, tau2: float, rng: np.random.Generator, replicates: int = 199) -> float:
        """How many standard errors hold 95% of the means of effects that are drawn with the estimate of τ²."""
        effect = rng.normal(0, np.sqrt(variance + tau2), (replicates, self.k))
        again = pool(effect, np.broadcast_to(variance, effect.shape), interval="adhoc", profile=False)
        return float(np.quantile(abs(again.estimate / again.std_error), 0.95, method="higher"))


@dataclass(frozen=True)
class Against:
    """Many analyses of N systems that are equal on average, one of them the control of all others."""

    systems: int
    k: int
    tau2: float
    ratio: float
    tables: int = 200

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw effects with the control in common, pool them, and adjust their p-values."""
        variance = variances(self.k, self.ratio, "precise")
        scores = rng.normal(0, np.sqrt((variance + self.tau2) / 2), (self.tables, self.systems, self.k))
        effect = scores[:, 1:] - scores[:, :1]
        p = pool(effect, np.broadcast_to(variance, effect.shape), profile=False).p
        return Verdict(holm=float(np.mean([holm(one).min() <= 0.05 for one in p])))


@dataclass(frozen=True)
class Measured:
    """An analysis of the scores of two systems on k tasks of 50 to 2,000 instances, pooled by default.

    The difference between the systems is normal around `gain` with standard deviation τ from task to task. For "rd"
    it is one of chances of being right, of which the control has 60 to 80%; otherwise of normal scores with standard
    deviation 1. Scores of an instance correlate: 0.6, for "rd" in what is cut into right and wrong.
    """

    kind: str
    k: int
    tau: float
    gain: float = 0.05

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw scores, measure and pool effects, and compare with the gain, that on one more task, and τ²."""
        every = [
            effect_sizes(Pairs.of(tally), self.kind)
            for tally in count(self._scores(rng), (Comoments,), threads=1)[Comoments]
        ]
        pooled = pool([size.effect[0, 1] for size in every], [size.variance[0, 1] for size in every])
        return _verdict(pooled, self.gain, rng.normal(self.gain, self.tau), self.tau**2)

    def _scores(self, rng: np.random.Generator) -> Scores:
        tasks = {}
        for task, size in enumerate(np.geomspace(50, 2000, self.k).round().astype(int)):
            gain = rng.normal(self.gain, self.tau)
            noise = np.sqrt(0.6) * rng.normal(size=size) + np.sqrt(0.4) * rng.normal(size=(2, size))
            if self.kind == "rd":
                chance = rng.uniform(0.6, 0.8) + np.array([[gain], [0.0]])
                tasks[f"task {task}"] = (noise < ndtri(chance)).astype(np.float64)
            else:
                tasks[f"task {task}"] = noise + np.array([[gain], [0.0]])
        return podium.from_arrays(tasks)


@dataclass(frozen=True)
class Rare:
    """Two systems on k tasks, right or wrong on each instance.

    Where they are paired, the control is right on the share `right`, and the treatment on the share `other` of these,
    which varies from task to task by a gamma distribution, with standard deviation `spread` times the share it lacks.
    """

    k: int
    size: int
    right: float
    other: float = 0.97
    spread: float = 0.0
    paired: bool = True

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw answers, compare, and hold the summary against the true difference, and that on one more task."""
        fails = np.full(self.k + 1, 1 - self.other)
        if self.spread:
            fails = rng.gamma(1 / self.spread**2, self.spread**2 * fails).clip(0, 1)
        tasks = {}
        for task, share in enumerate(fails[:-1].tolist()):
            control, other = rng.random((2, self.size)) < np.array([[self.right], [1 - share]])
            tasks[f"task {task}"] = np.array([other & control if self.paired else other, control], dtype=np.float64)
        if not any((own[0] != own[1]).any() for own in tasks.values()):
            return Verdict()
        found = podium.compare(podium.from_arrays(tasks), control="system 2", treatment="system 1", n_jobs=1)
        assert isinstance(found, MetaAnalysis)  # noqa: S101  # there are instances
        factor, less = (self.right, 0.0) if self.paired else (1.0, self.right - 1)
        mean, new = (-(share + less) * factor for share in (1 - self.other, float(fails[-1])))
        summary = found.summary
        return Verdict(
            summary=float(summary.low <= mean <= summary.high),
            prediction=float(summary.prediction_low <= new <= summary.prediction_high),
            alike=float(any(note.endswith("tasks count as equally precise") for note in found.notes)),
        )


def _holding(pooled: Pooled) -> float:
    """Share of the intervals that hold 0."""
    return float(np.mean((pooled.low <= 0) & (pooled.high >= 0)))


def _verdict(pooled: Pooled, mean: float, new: Floats | float, tau2: float) -> Verdict:
    return Verdict(
        summary=float(np.mean((pooled.low <= mean) & (mean <= pooled.high))),
        prediction=float(np.mean((pooled.prediction_low <= new) & (new <= pooled.prediction_high))),
        tau2=float(np.mean((pooled.tau2_low <= tau2) & (tau2 <= pooled.tau2_high))),
    )
