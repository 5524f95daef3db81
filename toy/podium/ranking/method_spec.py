"""Which method to use and how: level, missing scores, options."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError, nearest
from podium.ranking.ballot import MISSING, Missing
from podium.score.table import Scores
from podium.tally.engine.local import Counts
from podium.tally.moment import Moments

Floats = NDArray[np.float64]

#: Ballots that can be counted: one per task, all instances in one box, or instances within tasks.
LEVELS = ("task", "one", "two")


def level_of(scores: Scores, level: str | None, default: str) -> str:
    """Settle the level: task where there is nothing below, otherwise as asked or by default.

    Raises
    ------
    MethodError
        There is no such level.
    """
    if level is None:
        return "task" if scores.task_level else default
    if level not in LEVELS:
        raise MethodError(f"there is no level {level!r}; {nearest(level, LEVELS)}")
    return level


def check_missing(missing: str) -> None:
    """Refuse a way to count missing scores that there is not.

    Raises
    ------
    MethodError
        It is neither "imputed" nor "direct".
    """
    if missing not in MISSING:
        raise MethodError(f"there is no way {missing!r} to count missing scores; {nearest(missing, MISSING)}")


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
    missing
        What a ballot says about a pair of which it does not score both, see `podium.ranking.ballot.preferences`.
    prior
        Of Bradley–Terry, see `podium.ranking.method.bradley_terry`.
    time_limit
        Of Kemeny, in seconds.
    """

    weights: Floats
    falling: bool
    tolerance: float
    scale: Floats | None
    as_given: bool
    level: str | None
    missing: Missing = "imputed"
    prior: float = 0.0
    time_limit: float | None = None

    @classmethod
    def of(cls, scores: Scores, counts: Counts, level: str | None, **options: Any) -> "Setting":
        """Return the setting of a table whose moments were counted, if they are needed at all."""
        return cls(
            weights=scores.task_weights,
            falling=not scores.higher_is_better.any(),
            tolerance=scores.reach,
            scale=_scale(counts[Moments]) if Moments in counts else None,
            as_given=scores.task_level,
            level=level,
            **options,
        )

    def resampled(self, task_draws: Floats) -> "Setting":
        """Return the setting of replicates, in which each task counts as often as it is drawn `(T, B)`."""
        scale = None if self.scale is None else self.scale[..., None]
        return replace(self, weights=self.weights[:, None] * task_draws, scale=scale)


def _scale(tasks: Sequence[Moments]) -> Floats:
    """Shape `(T, N)`: that of every task, in one go."""
    together = Moments(*(np.array([getattr(task, field.name) for task in tasks]) for field in fields(Moments)))
    return together.scale
