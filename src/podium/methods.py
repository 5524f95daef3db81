"""Every way to rank, by name: the tallies it needs, and what it makes of them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from podium.engine import Counts
from podium.ranking import interquartile_mean, mean, median, one_level, task_level, two_level
from podium.rankings import Standing
from podium.tallies import Means, Positions, Tally

__all__ = ["LEVELS", "METHODS", "Method", "Setting"]

#: Ballots that can be counted: one per task, all instances in one box, or instances within tasks.
LEVELS = ("task", "one", "two")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What a method knows of a table beside its tallies.

    Attributes
    ----------
    weights
        Shape `(T,)`, or `(T, B)` or `(T, 1)` where the tallies are of replicates: task weights.
    falling
        Whether lower is better on every task, so that averages are shown as they were given.
    tolerance
        Scores no further apart tie, in the units of the metrics.
    scale
        Shape `(T, N)` (with replicates `(T, N, 1)`): size of the scores behind each mean, see `Moments.scale`; None
        where means were not counted.
    as_given
        Whether the means are the scores themselves, and so carry no error of rounding.
    level
        One of `LEVELS`, or None for methods that have none.
    """

    weights: Floats
    falling: bool
    tolerance: float
    scale: Floats | None
    as_given: bool
    level: str | None

    def resampled(self, task_draws: Floats) -> "Setting":
        """Return the setting of replicates, in which each task counts as often as it is drawn `(T, B)`."""
        scale = None if self.scale is None else self.scale[..., None]
        return replace(self, weights=self.weights[:, None] * task_draws, scale=scale)

    def replicate(self, number: int) -> "Setting":
        """Return the setting of one replicate."""
        weights = self.weights[:, number if self.weights.shape[1] > 1 else 0]
        return replace(self, weights=weights, scale=None if self.scale is None else self.scale[..., 0])


@dataclass(frozen=True, slots=True)
class Method:
    """A way to rank.

    Attributes
    ----------
    title
        What it is called in a sentence.
    needs
        Kinds of tallies it needs at a level.
    apply
        From tallies to one number per system, or per system and replicate.
    has_levels
        Whether it counts ballots.
    averages
        Whether it averages scores, and leaves missing ones out.
    vectorised
        Whether `apply` takes all replicates at once.
    """

    title: str
    needs: Callable[[str | None], tuple[type[Tally], ...]]
    apply: Callable[[Counts, Setting], Standing]
    has_levels: bool = False
    averages: bool = False
    vectorised: bool = False


def _task_means(counts: Counts) -> Floats:
    """Shape `(T, N)` or `(T, N, B)`, oriented."""
    return np.array([task.means for task in counts[Means]])


def _average(over_tasks: Callable[[Floats, Floats], Floats]) -> Method:
    """Build a method from an average over tasks: shown in the units of the metrics where they share a direction."""

    def apply(counts: Counts, setting: Setting) -> Standing:
        score = over_tasks(_task_means(counts), setting.weights)
        scale = 1.0 if setting.scale is None else setting.scale.max(axis=0)
        return Standing(-score if setting.falling else score, scale=scale, higher_is_better=not setting.falling)

    return Method(
        title=over_tasks.__name__.replace("_", " ") + " over tasks",
        needs=lambda level: (Means,),  # noqa: ARG005
        apply=apply,
        averages=True,
        vectorised=True,
    )


def _borda(counts: Counts, setting: Setting) -> Standing:
    if setting.level == "one":
        return one_level(counts[Positions], setting.weights)
    if setting.level == "two":
        return two_level(counts[Positions], setting.weights)
    scale = None if setting.as_given else setting.scale
    return task_level(_task_means(counts), setting.weights, tolerance=setting.tolerance, scale=scale)


#: Every way to rank, by name.
METHODS: dict[str, Method] = {
    "borda": Method(
        title="Borda count",
        needs=lambda level: (Means,) if level == "task" else (Positions,),
        apply=_borda,
        has_levels=True,
        vectorised=True,
    ),
    "mean": _average(mean),
    "median": _average(median),
    "iqm": _average(interquartile_mean),
}
