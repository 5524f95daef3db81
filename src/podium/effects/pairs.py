"""Pairs: what effect sizes need to know of the scores of two systems on the same instances of a task."""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.frozen import Frozen
from podium.tallies import Comoments

__all__ = ["Pairs"]

#: A spread below this share of the spreads it is a difference of is rounding, and so is what a correlation lacks to 1.
_ROUNDING = 1e-12

#: Where the spread of differences is below this share of the squared scores, half the digits are lost.
_CANCELLED = 1e-8

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs(Frozen):
    """Joint moments of pairs of scores: treatment and control on the same instances, higher is better.

    Attributes
    ----------
    n
        Shape `(…)`: number of instances scored for both; where they weigh differently, (Σ w)² / Σ w².
    treatment, control
        Means over these.
    treatment_variance, control_variance
        Divided by n, not by n − 1.
    difference, spread
        Mean of the differences treatment − control, and their variance, divided by n; 0 where it is only rounding.
    """

    n: Floats
    treatment: Floats
    control: Floats
    treatment_variance: Floats
    control_variance: Floats
    difference: Floats
    spread: Floats

    @classmethod
    def of(cls, tally: Comoments, effective: Floats | None = None) -> Self:
        """Pair every system, in rows, as treatment with every other, in columns, as control; shape `(N, N)` each.

        Parameters
        ----------
        tally
            Of one task.
        effective
            Shape `(N, N)`: effective numbers of instances, where these weigh differently.
        """
        size = np.maximum(tally.weight, np.finfo(np.float64).tiny)
        both = tally.m2 + tally.m2.T
        spread = both - 2 * tally.comoment
        return cls(
            n=tally.count if effective is None else effective,
            treatment=tally.mean,
            control=tally.mean.T,
            treatment_variance=tally.m2 / size,
            control_variance=tally.m2.T / size,
            difference=tally.mean - tally.mean.T,
            spread=np.where(spread > _ROUNDING * both, spread / size, 0.0),
        )

    def against(self, control: int) -> "Pairs":
        """Keep one control: shape `(N,)` each."""
        return Pairs(*(column[:, control] for column in self.columns()))

    def columns(self) -> tuple[Floats, ...]:
        """All moments, in the order in which they are listed."""
        return tuple(getattr(self, field.name) for field in fields(self))

    @property
    def cancelled(self) -> NDArray[np.bool_]:
        """Where differences are so small beside the scores that moments of these hardly tell them."""
        scores = self.treatment_variance + self.control_variance + self.treatment**2 + self.control**2
        return (self.n > 1) & (self.spread < _CANCELLED * scores)

    @property
    def within(self) -> Floats:
        """Mean of the variances of both systems, divided by n."""
        return (self.treatment_variance + self.control_variance) / 2

    @property
    def discordant(self) -> tuple[Floats, Floats]:
        """Of 0/1 scores, on how many instances only the treatment, and only the control, has the better one."""
        squares, sum_ = self.n * (self.spread + self.difference**2), self.n * self.difference
        return (squares + sum_) / 2, (squares - sum_) / 2

    @property
    def correlation(self) -> Floats:
        """Pearson correlation, ±1 where no more than rounding is lacking; NaN where all scores of one are the same."""
        product = np.sqrt(self.treatment_variance * self.control_variance)
        covariance = self.within - self.spread / 2
        ratio = np.divide(covariance, product, out=np.full_like(product, np.nan), where=product > 0)
        return np.where(1 - np.abs(ratio) < _ROUNDING, np.sign(ratio), ratio)
