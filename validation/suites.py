"""Two runs on the same items: intervals on their suite, gates, and the smallest difference that is found."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from section import Row, Section
from trials import Verdict

import podium
from podium.comparison.suite import suite_effect
from podium.score.table import Scores

Floats = NDArray[np.float64]

#: Worse by so much is not to pass, of scores of 0 and 1 and of normal ones with standard deviation 1.
_MARGIN = {"right": 0.03, "normal": 0.2, "skewed": 0.2}

#: Tables from which the smallest difference is taken, on average.
_PILOTS = 40


@dataclass(frozen=True)
class TwoRuns:
    """Two runs that answer the same items, whose scores on an item correlate.

    Attributes
    ----------
    scores
        "right" (0 or 1), "normal", or "skewed" (log-normal).
    tasks, items
        T, and items of each.
    right
        Share that the baseline answers right.
    gain
        By how much the new run is better in truth.
    alike
        Correlation of the two on an item, before scores are cut to 0 and 1.
    cluster
        Items of a cluster; 0 without.
    shared
        Share of the items that a task has in common with the others.
    uneven
        Whether sizes of tasks are 1 : 3 : 9, over and over.
    repeats
        Runs of each item.
    """

    scores: str = "right"
    tasks: int = 1
    items: int = 100
    right: float = 0.8
    gain: float = 0.0
    alike: float = 0.5
    cluster: int = 0
    shared: float = 0.0
    uneven: bool = False
    repeats: int = 1

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Compare, and look what is said."""
        found = suite_effect(self.drawn(rng), "before", "after")
        gain = self.true_gain
        margin = _MARGIN[self.scores]
        verdict = found.verdict(margin)
        return Verdict(
            suite=float(found.low <= gain <= found.high),
            shipped=float(verdict in {"better", "equal", "not worse"}) if gain <= -margin else np.nan,
            blocked=float(verdict == "worse") if gain >= 0 else np.nan,
        )

    @property
    def true_gain(self) -> float:
        """What the new run is better by, where shares end at 1."""
        return min(self.right + self.gain, 0.999) - self.right if self.scores == "right" else self.gain

    def drawn(self, rng: np.random.Generator) -> Scores:
        """Draw a table."""
        values, labels, clusters = {}, {}, {}
        common = max(round(self.shared * self.items), 0)
        both = self._latent(rng, common)
        for task in range(self.tasks):
            items = self.items * (1, 3, 9)[task % 3] // 4 if self.uneven else self.items
            latent = np.concatenate([both, self._latent(rng, items - common)], axis=1)
            if self.shared:
                latent = np.sqrt(0.5) * latent + np.sqrt(0.5) * self._latent(rng, items)
            values[f"t{task}"] = self._scored(latent)
            labels[f"t{task}"] = [f"doc {place}" if place < common else f"{task}-{place}" for place in range(items)]
            if self.cluster:
                clusters[f"t{task}"] = [f"{task}-{place // self.cluster}" for place in range(items)]
        systems = ["before", "after"]
        return podium.from_arrays(values, systems=systems, instances=labels, clusters=clusters or None)

    def _latent(self, rng: np.random.Generator, items: int) -> Floats:
        """Shape `(2, K)`, or `(2, K, R)`: standard normal, alike for both runs, and inside clusters."""
        item, own = rng.normal(size=items), rng.normal(size=(2, items))
        if self.cluster and items:
            of = np.arange(items) // self.cluster
            number = int(of[-1]) + 1
            item = (item + rng.normal(size=number)[of]) / np.sqrt(2)
            own = (own + rng.normal(size=(2, number))[:, of]) / np.sqrt(2)
        latent = np.sqrt(self.alike) * item + np.sqrt(1 - self.alike) * own
        if self.repeats == 1:
            return np.asarray(latent)
        again = rng.normal(size=(2, items, self.repeats))
        return np.asarray(np.sqrt(0.5) * latent[..., None] + np.sqrt(0.5) * again)

    def _scored(self, latent: Floats) -> Floats:
        if self.scores == "right":
            ends = [NormalDist().inv_cdf(share) for share in (self.right, min(self.right + self.gain, 0.999))]
            return (latent < np.reshape(ends, (2, *[1] * (latent.ndim - 1)))).astype(np.float64)
        values = np.exp(0.8 * latent) if self.scores == "skewed" else latent
        values[1] += self.gain
        return values


@dataclass(frozen=True)
class Found:
    """How often a difference is found, beside Student's paired test or McNemar's exact one of all items."""

    runs: TwoRuns

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Compare both ways."""
        table = self.runs.drawn(rng)
        found = float(suite_effect(table, "before", "after").p <= 0.05)
        differences = np.concatenate([task.values[1] - task.values[0] for task in table.tasks])
        usual = float(_usual(differences, binary=self.runs.scores == "right") <= 0.05)
        return Verdict(found=found, usual=usual, power=found - 0.97 * usual)


def _usual(differences: Floats, *, binary: bool) -> float:
    """p-value of the usual test of one task."""
    from scipy import stats  # noqa: PLC0415  # only here

    if binary:
        better, worse = int((differences > 0).sum()), int((differences < 0).sum())
        return float(stats.binomtest(better, better + worse).pvalue) if better + worse else 1.0
    return float(stats.ttest_1samp(differences, 0.0).pvalue)


@dataclass(frozen=True)
class Smallest:
    """How often the smallest difference is found that is said to be found in 80% of cases."""

    runs: TwoRuns

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw runs that differ by it."""
        table = replace(self.runs, gain=smallest(self.runs)).drawn(rng)
        return Verdict(smallest=float(suite_effect(table, "before", "after").p <= 0.05))


@cache
def smallest(runs: TwoRuns) -> float:
    """The mean of what some tables say, each drawn with the difference that those before it said."""
    gain = 0.0
    for _ in range(3):
        tables = (replace(runs, gain=gain).drawn(np.random.default_rng([7, pilot])) for pilot in range(_PILOTS))
        gain = float(np.mean([suite_effect(table, "before", "after").smallest for table in tables]))
    return gain


def _worlds() -> Iterator[tuple[str, TwoRuns]]:
    for right in (0.5, 0.9, 0.99):
        for tasks, items in ((1, 20), (1, 100), (1, 500), (1, 2000), (5, 50), (20, 20), (60, 20), (10, 200)):
            yield f"{100 * right:g}% right, T {tasks}, K {items}", TwoRuns(tasks=tasks, items=items, right=right)
    for scores in ("normal", "skewed"):
        for tasks, items in ((1, 20), (1, 200), (1, 2000), (5, 20), (20, 30), (60, 20)):
            yield f"{scores}, T {tasks}, K {items}", TwoRuns(scores, tasks, items)
    for scores in ("right", "normal"):
        name = "80% right" if scores == "right" else scores
        yield f"{name}, 20 clusters of 10", TwoRuns(scores, 1, 200, cluster=10)
        yield f"{name}, T 5, 20 clusters of 5", TwoRuns(scores, 5, 100, cluster=5)
        yield f"{name}, T 10, K 60, half shared", TwoRuns(scores, 10, 60, shared=0.5)
        yield f"{name}, T 10, K 60, all shared", TwoRuns(scores, 10, 60, shared=1.0)
        yield f"{name}, T 9, K 10, 30, 90", TwoRuns(scores, 9, 40, uneven=True)
        yield f"{name}, T 3, K 60, 4 repeats", TwoRuns(scores, 3, 60, repeats=4)


def _powers() -> Iterator[tuple[str, TwoRuns]]:
    for items in (20, 100, 500):
        for share in (0.5, 0.9):
            gain = 1.6 / math.sqrt(items) * math.sqrt(2 * share * (1 - share)) * (1 if share < 0.9 else -1)
            yield f"{100 * share:g}% right, K {items}", TwoRuns(items=items, right=share, gain=gain)
        yield f"normal, K {items}", TwoRuns("normal", 1, items, gain=2.2 / math.sqrt(items))


def _smallest() -> Iterator[tuple[str, TwoRuns]]:
    for tasks, items in ((1, 200), (1, 1000), (10, 100)):
        yield f"50% right, T {tasks}, K {items}", TwoRuns(tasks=tasks, items=items, right=0.5)
        yield f"normal, T {tasks}, K {items}", TwoRuns("normal", tasks, items)
    yield "normal, 60 clusters of 10", TwoRuns("normal", 1, 600, cluster=10)


def sections() -> tuple[Section, ...]:
    """Tables of the page."""
    return (
        Section(
            "Two runs are compared on their suite",
            "`podium.compare` and `podium.gate`: two runs of T tasks with K items each, whose answers to an item "
            "correlate by ½. Equal runs, runs worse by the margin (3 percentage points, or 0.2 standard deviations), "
            "and runs that gain as much. How often the interval holds, a run that is worse by the margin passes, and "
            "one that is as good fails. Few right or wrong answers leave few values, so intervals hold more often.",
            ("suite", "shipped", "blocked"),
            tuple(
                Row(label, tuple(replace(runs, gain=sign * _MARGIN[runs.scores]) for sign in (0, -1, 1)), 400)
                for label, runs in _worlds()
            ),
        ),
        Section(
            "Differences of two runs are found",
            "One task, beside the usual test of paired items: McNemar's exact one of right and wrong answers, "
            "Student's otherwise. No more than 3% of what that finds may be lost.",
            ("power", "found", "usual"),
            tuple(Row(label, (Found(runs),), 1000) for label, runs in _powers()),
            unpromised=("found", "usual"),
        ),
        Section(
            "The smallest difference that is found",
            "Runs that differ by what `SuiteEffect.smallest` says is found in 80% of cases.",
            ("smallest",),
            tuple(Row(label, (Smallest(runs),), 1000) for label, runs in _smallest()),
        ),
    )


def rows() -> Iterator[Row]:
    """Some of them, quick enough for every test run."""
    for label, runs in list(_worlds())[1::6]:
        yield Row(label, tuple(replace(runs, gain=sign * _MARGIN[runs.scores]) for sign in (0, -1)), 60)
