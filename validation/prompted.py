"""Scores by several prompts: how often what is said of other items and other prompts holds."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from section import Row, Section
from trials import Verdict

import podium
from podium.base.statistics import normal_quantile
from podium.gating.checks import whole_checks
from podium.ranking.result import Ranking
from podium.score.crossed import without_prompts
from podium.score.repeat import Repeats, Statistic
from podium.score.task import Task

__all__ = ["sections"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Prompted:
    """Equal systems on items that are hard for all, or for one; prompts suit all, or one; the rest has a variance of 1.

    Attributes
    ----------
    systems, items, prompts, tasks
        How many. Tasks have other items and the same prompts.
    suits
        Standard deviation of what a prompt adds to all systems, and again to each.
    hard
        The same of items, for all systems; half of it again for each.
    binary
        Whether scores are right or wrong.
    levels
        What is added to the scores of each system.
    """

    systems: int
    items: int
    prompts: int
    suits: float
    hard: float = 1.0
    tasks: int = 1
    binary: bool = False
    levels: tuple[float, ...] = ()

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, rank by means, and compare two systems."""
        tasks, truth = self.drawn(rng), 0.5 if self.binary else 0.0
        names = tuple(f"s{number}" for number in range(self.systems))
        table = podium.Scores(names, tuple(tasks))
        found = podium.rank(table, "mean", n_resamples=100, rng=int(rng.integers(2**32)))
        seed = int(rng.integers(2**32))
        one = podium.compare(table.take([0, 1]), "s0", "s1")
        assert isinstance(one, podium.MetaAnalysis)  # noqa: S101  # there are instances
        assert one.suite is not None  # noqa: S101  # in the units of the scores
        assert found.intervals is not None  # noqa: S101  # there are prompts enough
        repeats = podium.rank(without_prompts(table), "mean", n_resamples=200, rng=seed)
        by_prompt = podium.rank(self._prompts_as_tasks(table), "mean", units="both", n_resamples=200, rng=seed)
        return Verdict(
            score=_inside(found, truth),
            difference=float(one.suite.low <= 0 <= one.suite.high),
            mistaken=float(found.intervals.separated.any()),
            as_repeats=_inside(repeats, truth),
            as_tasks=_inside(by_prompt, truth),
        )

    def drawn(self, rng: np.random.Generator) -> Iterator[Task]:
        shape = (self.systems, 1, self.prompts)
        prompt = self.suits * (rng.normal(size=shape[1:]) + rng.normal(size=shape))
        level = np.reshape(self.levels or np.zeros(self.systems), (-1, 1, 1))
        for number in range(self.tasks):
            item = rng.normal(size=(1, self.items, 1)) + rng.normal(size=(self.systems, self.items, 1)) / 2
            noise = rng.normal(size=(self.systems, self.items, self.prompts))
            values = level + self.hard * item + prompt + noise
            values = (values > 0).astype(float) if self.binary else values
            kept = Repeats(values, Statistic(), tuple(f"p{place:02}" for place in range(self.prompts)))
            labels = np.arange(self.items) + 1000 * number
            yield replace(Task.cut(f"t{number}", values.mean(axis=2), instances=labels), repeats=kept)

    def _prompts_as_tasks(self, table: podium.Scores) -> podium.Scores:
        tasks = []
        for task in table.tasks:
            assert task.repeats is not None  # noqa: S101  # the prompts
            tasks += [
                Task.cut(f"{task.name}:{label}", task.repeats.values[..., place].copy(), instances=task.instances)
                for place, label in enumerate(task.repeats.labels)
            ]
        return podium.Scores(table.systems, tuple(tasks))


@dataclass(frozen=True)
class Gated:
    """A run that is worse than the baseline by the margin, and one that is as good.

    Attributes
    ----------
    items, prompts, suits, hard
        As of `Prompted`.
    margin
        How much worse still passes.
    right
        The share of right answers of the baseline; of other scores 0.
    """

    items: int
    prompts: int
    suits: float
    margin: float
    right: float = 0.0
    hard: float = 1.0

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw both runs, and hold them against the baseline."""
        worse, equal = (self._outcome(rng, behind) for behind in (self.margin, 0.0))
        return Verdict(shipped=float(worse == "pass"), blocked=float(equal == "fail"))

    def _outcome(self, rng: np.random.Generator, behind: float) -> str:
        levels = (0.0, -behind)
        if self.right:
            spread = (1.25 * self.hard**2 + 2 * self.suits**2 + 1) ** 0.5
            levels = tuple((spread * normal_quantile(np.array([self.right, self.right - behind]))).tolist())
        world = Prompted(2, self.items, self.prompts, self.suits, self.hard, binary=self.right > 0, levels=levels)
        names = ("old", "new")
        table = podium.Scores(names, tuple(world.drawn(rng)))
        how: dict[str, Any] = {"names": names, "over": "suite", "margin": self.margin, "confidence": 0.95}
        return whole_checks(table, table, 0, **how)[1][0].outcome


def _inside(ranking: Ranking, truth: float) -> float:
    found = ranking.intervals
    if found is None or np.isnan(found.score_low).any():
        return np.nan
    return float(np.mean((found.score_low <= truth) & (truth <= found.score_high)))


def _rows() -> Iterator[Row]:
    for prompts in (5, 8, 20):
        for items in (20, 100, 500):
            for suits in (0.1, 0.5):
                label = f"N 4, P {prompts}, K {items}, prompts {suits:g}"
                yield Row(label, (Prompted(4, items, prompts, suits),), 400)
        yield Row(f"N 20, P {prompts}, K 100, prompts 0.5", (Prompted(20, 100, prompts, 0.5),), 200)
        yield Row(f"N 4, P {prompts}, K 50, no effects but noise", (Prompted(4, 50, prompts, 0.0, 0.0),), 400)
        yield Row(f"N 4, P {prompts}, K 50, 4 tasks, prompts 0.3", (Prompted(4, 50, prompts, 0.3, tasks=4),), 200)
        yield Row(
            f"N 4, P {prompts}, K 50, right or wrong, prompts 0.3", (Prompted(4, 50, prompts, 0.3, binary=True),), 400
        )


def _gates() -> Iterator[Row]:
    for prompts in (5, 8, 20):
        for items in (30, 100):
            where = f"P {prompts}, K {items}"
            yield Row(f"{where}, scores, prompts 0.1", (Gated(items, prompts, 0.1, 0.2),), 400)
            yield Row(f"{where}, scores, prompts 0.5", (Gated(items, prompts, 0.5, 0.2),), 400)
            for right, margin in ((0.7, 0.05), (0.97, 0.02), (1 - 1e-6, 0.01), (1 - 1e-6, 0.03)):
                label = f"{where}, {100 * right:.3g}% right, worse by {100 * margin:g}%"
                yield Row(f"{label}, prompts 0.3", (Gated(items, prompts, 0.3, margin, right),), 400)
        for items in (30, 100, 400):
            few = Gated(items, prompts, 0.0, 0.03, 1 - 1e-6, 3.0)
            yield Row(f"P {prompts}, K {items}, 100% right, worse by 3%, on few items", (few,), 400)


def sections() -> Iterator[Section]:
    """Yield the sections."""
    yield Section(
        "Prompts are drawn",
        "Equal systems on K items by each of P prompts (`--prompt-column`); what a prompt adds has the standard "
        "deviation that is given, for all systems and again for each. Beside it the same table with prompts taken for "
        "repeats, and for tasks of which other ones are drawn (`--units both`).",
        ("score", "difference", "mistaken", "as_repeats", "as_tasks"),
        tuple(_rows()),
        unpromised=("as_repeats", "as_tasks"),
    )
    yield Section(
        "Gates by several prompts",
        "`podium.gate` with `--prompt-column`: a run that is worse by the margin, for other items and other prompts, "
        "passes, or one that is as good fails. Answers are hardest to judge if the baseline never fails, and the new "
        "run fails on few items.",
        ("shipped", "blocked"),
        tuple(_gates()),
    )
