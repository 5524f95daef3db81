"""Influence diagnostics: how far each task is from the others, and how far it moves their summary."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.base.frozen import Frozen
from podium.comparison.pooling import Pooled

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Diagnostics(Frozen):
    """What each of k tasks does to a summary μ; shape `(k,)` each. "Without" it, τ² is estimated again.

    Attributes
    ----------
    hat
        Hat value: the share of the task in the summary, w / Σ w.
    studentised
        Externally studentised residual: the effect less the summary without it, in standard errors.
    pearson
        Pearson residual (y − μ) / √(v + τ²); its square is the part of the task in Q at τ².
    dffits
        By how many of its standard deviations, estimated without the task, μ moves when the task comes in.
    cook
        Cook's distance: (μ − μ₋ᵢ)² / se².
    covariance_ratio
        se₋ᵢ² / se²: below 1, the summary is more precise without the task.
    dfbetas
        (μ − μ₋ᵢ) in standard errors that all tasks have with τ² of the others.
    shift
        (μ − μ₋ᵢ) / se₋ᵢ.
    """

    hat: Floats
    studentised: Floats
    pearson: Floats
    dffits: Floats
    cook: Floats
    covariance_ratio: Floats
    dfbetas: Floats
    shift: Floats

    @property
    def influential(self) -> NDArray[np.bool_]:
        """Shape `(k,)`: by the usual rules, those of metafor.

        |DFFITS| > 3 √(1 / (k − 1)), Cook's distance above the median of χ² with 1 degree of freedom, hat value above
        3 / k, or |DFBETAS| > 1.
        """
        from scipy.special import chdtr  # noqa: PLC0415  # slow to import

        k = self.hat.size
        far = np.abs(self.dffits) > 3 * np.sqrt(1 / (k - 1))
        far |= np.asarray(chdtr(1, self.cook) > 0.5)
        moving: NDArray[np.bool_] = far | (self.hat > 3 / k) | (np.abs(self.dfbetas) > 1)
        return moving


def diagnose(
    effect: NDArray[np.float64], variance: NDArray[np.float64], pooled: Pooled, without: Pooled
) -> Diagnostics:
    """Compare a summary with those without each task.

    Standard errors are those of `Pooled`. So what Knapp and Hartung multiply a variance by, s² = se² Σ w, is in them,
    and where a variance without a task is made of v + τ²₋ᵢ, it is multiplied by s² without that task.

    Parameters
    ----------
    effect, variance
        Shape `(k,)`: y and v of k > 1 tasks, none absent.
    pooled
        Shape `(1,)`: all tasks.
    without
        Shape `(k,)`: row i lacks task i.

    References
    ----------
    Viechtbauer & Cheung 2010, as `influence` and `baujat` of metafor compute it.

    Examples
    --------
    >>> from podium.comparison.pooling import pool
    >>> y, v = np.array([0.1, 0.2, 0.9]), np.full(3, 0.01)
    >>> rest = pool(np.where(np.eye(3), np.nan, y), np.broadcast_to(v, (3, 3)))
    >>> diagnose(y, v, pool(y[None], v[None]), rest).studentised.round(1).tolist()
    [-0.7, -0.4, 6.1]
    """
    tau2, least = np.nan_to_num(pooled.tau2), np.nan_to_num(without.tau2)  # of a single task there is none
    weight = 1 / (variance + least[:, None])  # (k, k): row i with τ² without task i
    others = np.where(np.eye(effect.size, dtype=np.bool_), 0.0, weight).sum(axis=1)
    factor = without.std_error**2 * others
    moved = pooled.estimate - without.estimate
    spread = factor * (variance + least)
    hat = pooled.weight[0]
    of_mean = np.sqrt(spread * hat)
    return Diagnostics(
        hat=hat,
        studentised=(effect - without.estimate) / np.sqrt(spread + without.std_error**2),
        pearson=(effect - pooled.estimate) / np.sqrt(variance + tau2),
        dffits=np.divide(moved, of_mean, out=np.full_like(moved, np.nan), where=of_mean > 0),
        cook=(moved / pooled.std_error) ** 2,
        covariance_ratio=(without.std_error / pooled.std_error) ** 2,
        dfbetas=moved / np.sqrt(factor / weight.sum(axis=1)),
        shift=moved / without.std_error,
    )
