"""Averages over tasks: mean, median and interquartile mean of task means, missing tasks left out.

Each takes `means` of shape `(T, N)` or, with replicates, `(T, N, B)`: the mean score of each system on each task, in
the units of the metrics, NaN where it has none; and task `weights` of shape `(T,)` or `(T, B)`, ≥ 0. Each returns shape
`(N,)` or `(N, B)`, in the direction of the means; NaN for a system without a score on any task that has weight.
"""

from collections.abc import Callable

import numpy as np

from podium.base.arrays import Floats, Ints
from podium.ranking.ballots import exact_sum, spread, weighted_sum
from podium.ranking.method import Method, MethodContext, MethodResult, task_means
from podium.tally.count import Counts
from podium.tally.moment import Means
from podium.tally.tally import Tally

#: Numbers, of tasks times systems times replicates, that are made at a time.
_PRODUCTS = 2**23

#: Tasks that are looked at together for the largest of them.
_FIRST = 64


def mean(means: Floats, weights: Floats) -> Floats:
    """Return the weighted mean over tasks of the task means.

    s_i = Σ_t w_t m_ti / Σ_t w_t, both sums over the tasks on which system i has a score (Colombo et al. 2022,
    §2.1).

    Examples
    --------
    >>> mean(np.array([[1.0, 2.0], [3.0, np.nan]]), np.array([1.0, 1.0]))
    array([2., 2.])
    """
    scored = ~np.isnan(means)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is infinite, and refused when ranked
        total = weighted_sum(weights, np.where(scored, means, 0.0))
        return _shared(total, weighted_sum(weights, scored.astype(np.float64)))


def median(means: Floats, weights: Floats) -> Floats:
    """Return the weighted median over tasks of the task means.

    The middle of the values at which the cumulative weight passes one half: with unit weights the usual
    median; a task of weight 2 counts as the same task twice.

    Examples
    --------
    >>> median(np.array([[1.0], [2.0], [10.0], [4.0]]), np.ones(4))
    array([3.])
    """
    values, weight = _ascending(*_scored(means, weights))
    passed = np.cumsum(weight, axis=0)
    half, close = passed[-1] / 2, 1e-12 * passed[-1]
    low = _at(values, (passed < half - close).sum(axis=0))
    high = _at(values, (passed <= half + close).sum(axis=0))
    return np.where(passed[-1] > 0, low + (high - low) / 2, np.nan)


def interquartile_mean(means: Floats, weights: Floats) -> Floats:
    """Return the weighted mean of the middle half of the task means.

    2 ∫ Q(p) dp over p from ¼ to ¾, where Q is the quantile function of the weighted task means; where the
    quartiles cut through a task, it counts in part. With a number of tasks divisible by four this drops the
    lowest and highest quarter and averages the rest.

    Examples
    --------
    >>> interquartile_mean(np.array([[1.0], [2.0], [4.0], [100.0]]), np.ones(4))
    array([3.])
    """
    values, weight = _ascending(*_scored(means, weights))
    upper = np.cumsum(weight, axis=0)
    total = upper[-1]
    inside = np.minimum(upper, 0.75 * total) - np.maximum(upper - weight, 0.25 * total)
    return _average(values, np.clip(inside, 0.0, None))


def _scored(means: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Task means and the weight of each, 0 for both where there is no score, in one shape."""
    weight = np.where(np.isnan(means), 0.0, spread(weights))
    values = np.where(weight > 0, means, 0.0)
    return values, np.broadcast_to(weight, values.shape)


def _ascending(values: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Sort values over tasks, those of no weight last, and weights with them."""
    order = np.argsort(np.where(weight > 0, values, np.inf), axis=0, kind="stable")
    return np.take_along_axis(values, order, axis=0), np.take_along_axis(weight, order, axis=0)


def _at(values: Floats, place: Ints) -> Floats:
    """Return the value of each system at its own place in the order of tasks."""
    last = np.minimum(place, values.shape[0] - 1)
    return np.asarray(np.take_along_axis(values, last[None], axis=0)[0])


def _average(values: Floats, weight: Floats) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is infinite, and refused when ranked
        return _shared(exact_sum(values * weight), exact_sum(weight))


def _shared(total: Floats, whole: Floats) -> Floats:
    """Divide a sum by its weight; NaN where there is none."""
    return np.asarray(np.divide(total, whole, out=np.full(np.shape(total), np.nan), where=whole > 0))


def _largest(scale: Floats, weights: Floats) -> Floats:
    """Return largest scale `(T, N[, 1])` of each system on the tasks that have weight `(T[, B])`, 0 where none has."""
    if weights.ndim == 1 or scale.shape[2] > 1 or weights.size * scale.shape[1] <= _PRODUCTS:
        return np.asarray(np.where(weights[:, None] > 0, scale, 0.0).max(axis=0))
    largest = np.zeros((scale.shape[1], weights.shape[1]))
    for of_system, row in zip(scale[:, :, 0].T, largest, strict=True):
        order = np.argsort(-of_system)
        open_ = np.arange(row.size)
        for start in range(0, order.size, _FIRST):  # the largest few tasks settle nearly all replicates
            tasks = order[start : start + _FIRST]
            drawn = weights[np.ix_(tasks, open_)] > 0
            settled = drawn.any(axis=0)
            row[open_[settled]] = of_system[tasks[drawn.argmax(axis=0)]][settled]
            open_ = open_[~settled]
            if not open_.size:
                break
    return largest


class _Average(Method):
    """An average over tasks: shown in the units of the metrics where they share a direction."""

    averages = True

    def __init__(self, title: str, over_tasks: Callable[[Floats, Floats], Floats]) -> None:
        self.title, self._over_tasks = f"{title} over tasks", over_tasks
        self.adds_up = over_tasks is mean

    def needs(self, level: str | None) -> tuple[type[Tally], ...]:  # noqa: ARG002  # it counts no ballots
        return (Means,)

    def apply(self, counts: Counts, context: MethodContext) -> MethodResult:
        score = self._over_tasks(task_means(counts), context.weights)
        scale: Floats | float = 1.0 if context.scale is None else _largest(context.scale, context.weights)
        lower = context.lower_is_better
        return MethodResult(-score if lower else score, scale=scale, higher_is_better=not lower)


MEAN = _Average("mean", mean)
MEDIAN = _Average("median", median)
IQM = _Average("interquartile mean", interquartile_mean)
