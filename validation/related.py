"""Trials of pooling where tasks depend on each other: metrics of the same items, twins, languages of a data set."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from section import Row, Section
from trials import Verdict

from podium.comparison.dependence import robust_variance
from podium.comparison.pooling import Pooled, Pooling, pool_model, with_ends
from podium.comparison.random_effects import Rotated

__all__ = ["Related", "sections"]

Floats = NDArray[np.float64]

#: What podium does by default.
USUAL = Pooling.of(None, None, 0.95, None)


@dataclass(frozen=True)
class Related:
    """Analyses of tasks in groups, around a mean of 0; one trial is many analyses at once.

    Attributes
    ----------
    groups
        How many tasks each group has.
    size
        Items of each task.
    tau
        Standard deviation of true effects from task to task, where an item has about 1.
    common
        Share of that variance that is of the whole group.
    shared
        Whether the tasks of a group have the same items, on which differences correlate by about 0.6.
    """

    groups: tuple[int, ...]
    size: int
    tau: float
    common: float = 0.0
    shared: bool = True
    analyses: int = 1000

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw differences, and pool their means as independent, by their covariance, and with robust variances."""
        effect, covariance = self._drawn(rng)
        alone = covariance * np.eye(effect.shape[1])
        if not self.shared:
            covariance = alone
        rotated = Rotated.of(effect, covariance)
        by_model, fit = pool_model(rotated, USUAL, profile=False)
        found = by_model
        if len(self.groups) > 1:
            inverse = rotated.inverse(fit)
            clusters = np.repeat(np.arange(len(self.groups)), self.groups)
            if not self.shared:
                inverse = inverse * np.eye(effect.shape[1])  # off the diagonal is rounding
            variance, df = robust_variance(effect - fit.mean[:, None], inverse, clusters)
            found = with_ends(replace(by_model, std_error=np.sqrt(variance), df=df), USUAL)
        independent = USUAL.summarise(effect, np.diagonal(alone, axis1=1, axis2=2), profile=False)
        return Verdict(alone=_holds(independent), modelled=_holds(by_model), related=_holds(found))

    def _drawn(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Effects, shape `(A, k)`, and their covariance as it is estimated, shape `(A, k, k)`."""
        number, k = self.analyses, sum(self.groups)
        effect, covariance = np.empty((number, k)), np.zeros((number, k, k))
        first = 0
        for tasks in self.groups:
            here = slice(first, first + tasks)
            load = np.sqrt(0.6) * rng.uniform(0.75, 1.2, (tasks, 1)) if self.shared else np.zeros((tasks, 1))
            spread = np.exp(rng.uniform(-0.3, 0.3, (tasks, 1)))  # of tasks, in log
            common = rng.normal(size=(number, 1, self.size))
            items = load * common + np.sqrt(1 - load**2) * rng.normal(size=(number, tasks, self.size))
            items *= spread
            centred = items - items.mean(axis=2, keepdims=True)
            covariance[:, here, here] = centred @ np.swapaxes(centred, 1, 2) / (self.size * (self.size - 1))
            together, own = rng.normal(size=(number, 1)), rng.normal(size=(number, tasks))
            true = self.tau * (np.sqrt(self.common) * together + np.sqrt(1 - self.common) * own)
            effect[:, here] = items.mean(axis=2) + true
            first += tasks
        return effect, covariance


def _holds(pooled: Pooled) -> float:
    """Share of the intervals that hold 0."""
    return float(((pooled.low <= 0) & (pooled.high >= 0)).mean())


def _rows() -> Iterator[Row]:
    worlds: list[tuple[str, tuple[int, ...], int, bool]] = [
        ("five metrics of 200 items", (5,), 200, True),
        ("five metrics of 50 items", (5,), 50, True),
        ("20 languages of 200 items", (20,), 200, True),
        ("five metrics of the same items and five other tasks", (5, 1, 1, 1, 1, 1), 200, True),
        ("ten tasks, two of them the same items", (2, *[1] * 8), 200, True),
        ("ten tasks, two of them twins of other items", (2, *[1] * 8), 200, False),
        *((f"{number} sets of three metrics", (3,) * number, 200, True) for number in (3, 5, 10)),
        *((f"{number} clusters of three tasks with own items", (3,) * number, 200, False) for number in (3, 5, 10)),
    ]
    for label, groups, size, shared in worlds:
        for tau, common in ((0.0, 0.0), (0.1, 0.0), (0.1, 0.5), (0.1, 1.0)):
            if (len(groups) > 1 or not common) and (shared or tau):
                true = f", {common:.0%} of it common" if common else ""
                yield Row(f"{label}, τ {tau:g}{true}", (Related(groups, size, tau, common, shared),), worlds=10)


def sections() -> tuple[Section, ...]:
    """Tables of this page."""
    return (
        Section(
            "Tasks depend on each other",
            "A world is 1,000 analyses. Differences of two systems on items are normal with standard deviations of "
            "0.7 to 1.3; on tasks with the same items they correlate by 0.35 to 0.85. True effects differ by τ from "
            "task to task; all of it or a half may be common to the tasks of a set, as in metrics of one test set "
            "or in MNLI-m and MNLI-mm. The first column takes tasks as independent. The second uses the covariance "
            "from the items, and takes true effects as unrelated. The third is what podium does: covariance, and "
            "robust variances over sets or `--cluster` (CR2) where there are two. No promise is made about the others.",
            ("alone", "modelled", "related"),
            tuple(_rows()),
            unpromised=("alone", "modelled"),
        ),
    )
