"""Intervals of scores that are sums over units, and so skewed as the units are."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.ranking.method_spec import MethodSpec, method_of, sums_over_units
from podium.score.table import Scores
from podium.score.task import Task

Floats = NDArray[np.float64]


#: How many times as far off as Student's an end may be.
_FURTHEST = 2.5


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """Between what the scores of N systems lie, whatever units are drawn.

    Attributes
    ----------
    low, high
        Shape `(N,)`, in the direction in which higher is better.
    effective_units
        How many units of equal weight tell as much.
    of_sums
        Whether the scores are sums over units.
    """

    low: Floats
    high: Floats
    effective_units: float
    of_sums: bool = True


def range_of_scores(scores: Scores, spec: MethodSpec, units: str, freedom: float) -> Range | None:
    """Return the range of the scores of a method; None where they are no sums over units, and may be of any size.

    Shares, such as Borda scores, lie between 0 and 1. A mean lies between the means of the lowest and of the highest
    scores that any system has on each task; where tasks are drawn, between the lowest and the highest of all tasks.

    Parameters
    ----------
    scores
        The table.
    spec
        The method, its level settled.
    units
        What is drawn.
    freedom
        Degrees of freedom of a standard error.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1.0, 3.0], [0.0, 2.0]]})
    >>> range_of_scores(scores, MethodSpec("mean"), "instances", freedom=1).high
    array([3., 3.])
    """
    n_systems, sums = len(scores.systems), sums_over_units(spec, units)
    if method_of(spec).shares:
        return Range(np.zeros(n_systems), np.ones(n_systems), freedom + 1, of_sums=sums)
    if not sums:
        return None
    weighing = [task for task in scores.tasks if task.weight > 0 and task.scored.any()]
    ends = np.array([_ends(task) for task in weighing])
    if units != "instances":
        return Range(np.full(n_systems, ends[:, 0].min()), np.full(n_systems, ends[:, 1].max()), freedom + 1)
    weights = np.array([task.weight * (task.scored > 0) for task in weighing])
    whole = weights.sum(axis=0)
    low, high = np.divide(ends.T @ weights, whole, out=np.full((2, n_systems), np.nan), where=whole > 0)
    return Range(low, high, freedom + 1)


def _ends(task: Task) -> tuple[float, float]:
    """Return the lowest and the highest score of a task, in the direction in which higher is better."""
    low = min(float(np.fmin.reduce(part, axis=None, initial=np.inf)) for part in task.parts)
    high = max(float(np.fmax.reduce(part, axis=None, initial=-np.inf)) for part in task.parts)
    return (low, high) if task.higher_is_better else (-high, -low)


def interval_of_sums(
    goodness: Floats,
    std_error: Floats,
    skewed: Floats,
    t: float | Floats,
    *,
    bounds: Range,
    alpha: float,
    rounding: Floats,
) -> tuple[Floats, Floats]:
    """Shape `(N,)` each: lower and upper end of the interval of every score (Hall 1992).

    The error of a sum in standard errors, T, has the skewness k of the sum, and the opposite sign of it: whoever drew
    few of the large values has too small a mean and too small a standard error. Hall's transformation
    g(T) = T + k T² / 3 + k² T³ / 27 + k / 6 is as good as symmetric, so that ± t bounds it: the ends lie
    g⁻¹(± t) standard errors off. t is Student's quantile; without skewness the interval is Student's. An end is at most
    2.5 t standard errors off: of a handful of units skewness is not known well, and g⁻¹ is steep where it is large.

    Where all n units of a system have one score, there is no standard error, but other scores there may be that n
    units did not show. A share of 1 − (α/2)^(1/n) of them is left unseen with a probability of α/2 (Clopper &
    Pearson 1934), and they reach the ends of the range at most.

    Parameters
    ----------
    goodness
        Shape `(N,)`, higher is better.
    std_error
        Shape `(N,)`, as of as many new units.
    skewed
        Shape `(N,)`: k, see `podium.ranking.deviation.skewness`.
    t
        Shape `(N,)`: how many standard errors there are to an end without skewness.
    bounds
        No end lies outside.
    alpha
        1 − confidence.
    rounding
        Shape `(N,)`: a smaller standard error is none.

    Examples
    --------
    >>> bounds = Range(np.zeros(2), np.ones(2), effective_units=20)
    >>> low, high = interval_of_sums(
    ...     np.array([0.9, 1.0]), np.array([0.05, 0.0]), np.array([-0.2, 0.0]), 2.0, bounds=bounds, alpha=0.05,
    ...     rounding=np.full(2, 1e-12),
    ... )
    >>> low.round(3), high.round(3)
    (array([0.78 , 0.832]), array([0.988, 1.   ]))
    """
    reach = _FURTHEST * t
    low = goodness - std_error * np.minimum(_untransformed(t, skewed), reach)
    high = goodness - std_error * np.maximum(_untransformed(-t, skewed), -reach)
    constant = std_error <= rounding
    unseen = 1 - (alpha / 2) ** (1 / bounds.effective_units)
    low = np.where(constant, goodness - unseen * (goodness - bounds.low), low)
    high = np.where(constant, goodness + unseen * (bounds.high - goodness), high)
    return np.clip(low, bounds.low, goodness), np.clip(high, goodness, bounds.high)


def _untransformed(z: float | Floats, k: Floats) -> Floats:
    """g⁻¹(z) = 3 / k (∛(1 + k (z − k / 6)) − 1) = 3 (z − k / 6) / (r² + r + 1), r being the root: no digits cancel."""
    moved = z - k / 6
    root = np.cbrt(1 + k * moved)
    ends: Floats = 3 * moved / (root * root + root + 1)
    return ends
