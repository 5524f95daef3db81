"""Pool several effects into one with its interval, by fixed or random effects; many analyses at once."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.arrays import Floats, Frozen
from podium.base.check import check_confidence, is_one_of
from podium.base.errors import MethodError, nearest
from podium.comparison.random_effects import (
    ESTIMATORS,
    Fit,
    Model,
    Studies,
    decreasing_roots,
    product_sum,
    q_profile,
    where_q_is,
)

#: Least variance whose weight, and products of such weights, are numbers.
LEAST = 1e-60

#: Places of the integral over τ², and how far √χ² is from its middle, which is normal with variance ½, at most.
_NODES, _FAR = 32, 4.3

#: Stands for √Q where effects are equal.
_LEAST_ROOT = 1e-50


class IntervalKind(NamedTuple):
    """A way to make the interval of a summary.

    Attributes
    ----------
    name
        In words, with places for degrees of freedom and clusters.
    widest
        From the number of tasks, or clusters, to how unlike variances may be: so far, intervals at 95% held in 93% or
        more of simulations (docs/validation.md).
    moderated
        The same of moderators: ratio of variances above which more than 7% of those that are noise had p < 0.05.
    """

    name: str
    widest: Callable[[int], float]
    moderated: float = np.inf


#: Intervals by their short names.
INTERVAL_KINDS = {
    "satterthwaite": IntervalKind("Knapp–Hartung (factor ≥ 1, {df} df)", lambda k: min(50.0 * (k - 1), 1000.0)),
    "adhoc": IntervalKind("Knapp–Hartung (factor ≥ 1)", lambda _: 5.0, 10.0),
    "knapp-hartung": IntervalKind("Knapp–Hartung (plain)", lambda _: 2.0, 5.0),
    "normal": IntervalKind("normal intervals", lambda k: 2.0 if k >= 20 else 0.0, 0.0),
    "cr2": IntervalKind("CR2 over {clusters} ({df} df)", lambda k: min(max(10.0 * (k - 2), 2.0), 100.0)),
}

#: Those that can be asked for, the default first: "cr2" goes with clusters.
IntervalName = Literal["satterthwaite", "adhoc", "knapp-hartung", "normal"]

INTERVALS: tuple[IntervalName, ...] = get_args(IntervalName)

#: Effects are equal up to rounding where their mean square in standard errors is less.
ALIKE = 1e-16


_ROOT_TWO_PI = np.sqrt(2 * np.pi)

#: Numbers of analyses, each at many τ², that are pooled together.
_MIXED_AT_ONCE = 2**20


@dataclass(frozen=True, slots=True, eq=False)
class Pooled(Frozen):
    """Summaries of many analyses; shape `(…)` each unless said otherwise, NaN where a number does not exist.

    Attributes
    ----------
    k
        Number of tasks of each analysis.
    estimate, std_error
        Weighted mean of the effects, and its standard error.
    df
        Degrees of freedom of its interval; infinite where that is normal.
    low, high
        Interval.
    prediction_low, prediction_high
        Interval of the effect on a new task, see `with_new_task`; for an interval that metafor has, as there: estimate
        ± t √(std_error² + τ²) with t of the same distribution as the other (Higgins, Thompson & Spiegelhalter 2009).
        NaN for fixed effects and for one task.
    tau2, tau2_low, tau2_high
        Variance between tasks, and its Q-profile interval.
    q
        Cochran's Q = Σ (y − μ₀)² / v with the fixed-effect mean μ₀.
    i2, h2
        I² = τ² / (τ² + v̄), with the typical variance v̄ = (k − 1) Σ w / ((Σ w)² − Σ w²), w = 1 / v; H² = 1 / (1 − I²)
        (Higgins & Thompson 2002). For fixed effects, of Q: I² = max(0, 1 − (k − 1) / Q), H² = Q / (k − 1).
    weight
        Shape `(…, k)`: share of each task, summing to 1; 0 where it is absent.
    """

    k: NDArray[np.int64]
    estimate: Floats
    std_error: Floats
    df: Floats
    low: Floats
    high: Floats
    prediction_low: Floats
    prediction_high: Floats
    tau2: Floats
    tau2_low: Floats
    tau2_high: Floats
    q: Floats
    i2: Floats
    h2: Floats
    weight: Floats

    @classmethod
    def joined(cls, pieces: Sequence[Self], shape: tuple[int, ...]) -> Self:
        """Join lists of analyses, and give as many as it holds a shape."""
        joined = {field.name: np.concatenate([getattr(piece, field.name) for piece in pieces]) for field in fields(cls)}
        number = math.prod(shape)
        return cls(**{name: array[:number].reshape((*shape, *array.shape[1:])) for name, array in joined.items()})

    @property
    def p(self) -> Floats:
        """Two-sided p-value of no effect, by the distribution of the interval."""
        with np.errstate(over="ignore"):  # an effect of that many standard errors has p = 0
            return two_sided(self.estimate / self.std_error, self.df)

    @property
    def q_p(self) -> Floats:
        """P-value of Q, by the χ² distribution with k − 1 degrees of freedom: that all tasks share one effect."""
        from scipy.special import chdtrc  # noqa: PLC0415  # slow to import

        return np.where(self.k > 1, chdtrc(np.maximum(self.k - 1, 1), self.q), np.nan)


def pool(
    effect: ArrayLike,
    variance: ArrayLike,
    *,
    estimator: str = "reml",
    interval: str = "satterthwaite",
    confidence: float = 0.95,
    profile: bool = True,
) -> Pooled:
    """Pool effects, weighed by w = 1 / (v + τ²), into μ = Σ w y / Σ w.

    Parameters
    ----------
    effect, variance
        Shape `(…, k)`: effects y of k tasks, and their sampling variances v ≥ 10⁻⁶⁰; NaN in either where a task is
        absent.
    estimator
        Of τ²: "reml", "dl" (DerSimonian–Laird, truncated at 0), "pm" (Paule–Mandel), or "fixed" for τ² = 0.
    interval
        "normal": se² = 1 / Σ w. "knapp-hartung": that times q = Σ w (y − μ)² / (k − 1), with Student's t of k − 1
        degrees of freedom; where all effects are equal up to rounding, without the factor. "adhoc": the factor is
        max(1, q), so that effects that happen to agree do not look surer than their variances allow; as in metafor.
        "satterthwaite": the same with the degrees of freedom of `Studies.satterthwaite`, fewer where few tasks have
        most of the weight. A single task has a normal interval.
    confidence
        Of all intervals, between 0 and 1.
    profile
        Whether to find the interval of τ², and by default that of a new task, as well.

    Returns
    -------
    Pooled
        Each analysis as if it were alone.

    Raises
    ------
    MethodError
        Shapes differ, a variance is not above 10⁻⁶⁰, an analysis has no task, or the estimator, interval or confidence
        makes no sense.
    ConvergenceError
        τ² was not found.

    References
    ----------
    Sertkan et al. 2023, Eq. 9–12; Viechtbauer 2005; Paule & Mandel 1982; Knapp & Hartung 2003; Satterthwaite 1946;
    Bell & McCaffrey 2002.

    Examples
    --------
    >>> pooled = pool([0.1, 0.3, 0.2], [0.01, 0.02, 0.01], estimator="fixed", interval="normal")
    >>> round(float(pooled.estimate), 4), round(float(pooled.low), 4)
    (0.18, 0.056)
    """
    check_pooling(estimator, interval, confidence)
    y, v = np.asarray(effect, dtype=np.float64), np.asarray(variance, dtype=np.float64)
    if y.shape != v.shape or not y.ndim:
        raise MethodError(f"effects have shape {y.shape} and variances {v.shape}; give one variance for each effect")
    return Pooling(estimator, interval, confidence).summarise(y, v, profile=profile)


@dataclass(frozen=True, slots=True)
class Pooling:
    """A way to pool effects: estimator of the variance between tasks, interval, confidence.

    See `pool`.

    Attributes
    ----------
    estimator, interval, confidence
        Of `ESTIMATORS`, of `INTERVALS`, and between 0 and 1.
    robust
        Whether the interval of dependent effects is robust, over clusters of tasks: no other one was asked for.
    ranger
        Whether it is all as Ranger does it: variances of scores are divided by n, and tasks count as independent.
    """

    estimator: str
    interval: str
    confidence: float
    robust: bool = False
    ranger: bool = False

    @classmethod
    def of(
        cls, estimator: str | None, interval: str | None, confidence_level: float, like: str | None, cluster: Any = None
    ) -> Self:
        """Fill in what was not asked for: REML with "satterthwaite", or what another tool does.

        Raises
        ------
        MethodError
            There is no such estimator, interval or tool, or the confidence is not between 0 and 1; or there are
            clusters of tasks, and an interval or a tool, which have no use for them.
        """
        if like is not None and not is_one_of(like, ("ranger",)):
            raise MethodError(f"there is no tool {like!r} to imitate; {nearest(str(like), ['ranger'])}")
        usual = ("reml", INTERVALS[0]) if like is None else ("dl", "normal")
        settled = usual[0] if estimator is None else estimator, usual[1] if interval is None else interval
        check_pooling(*settled, confidence_level)
        robust = interval is None and like is None
        if cluster and not robust:
            named = f"interval {interval!r}" if interval is not None else f"like {like!r}"
            raise MethodError(f"clusters of tasks have an interval of their own; leave out {named}, or the clusters")
        return cls(*settled, confidence_level, robust, ranger=like is not None)

    @property
    def mixes(self) -> bool:
        """Return whether the effect on a new task is expected over all that τ² may be."""
        return self.interval == INTERVALS[0] and self.estimator != "fixed"

    def summarise(self, effect: Floats, variance: Floats, *, profile: bool = True) -> Pooled:
        """Pool effects of one or many analyses, see `pool`; variances may be of the same tasks for all."""
        shape, v = effect.shape[:-1], np.broadcast_to(variance, effect.shape)
        here = ~(np.isnan(effect) | np.isnan(v))
        if not (effect.shape[-1] and here.any(axis=-1).all()):
            raise MethodError("there is an analysis without any task, so there is nothing to pool")
        if not (np.isfinite(effect) & np.isfinite(v) & (v >= LEAST))[here].all():
            raise MethodError(
                f"effects must be finite, and variances finite and above 0, {LEAST:g} or more; "
                "both are NaN where a task is absent"
            )
        y, v = (np.ascontiguousarray(one.reshape(-1, effect.shape[-1]).T) for one in (effect, v))
        if y.shape[1] == 1:  # pooled twice, as NumPy sums one alone in another order
            y, v = np.repeat(y, 2, axis=1), np.repeat(v, 2, axis=1)
        return Pooled.joined([pool_model(Studies.of(y, v), self, profile=profile)[0]], shape)


def check_pooling(estimator: str, interval: str, confidence: float) -> None:
    """Refuse what describes no pooling.

    Raises
    ------
    MethodError
        There is no such estimator or interval, or the confidence is not between 0 and 1.
    """
    if not is_one_of(estimator, ESTIMATORS):
        raise MethodError(f"there is no estimator {estimator!r}; {nearest(str(estimator), ESTIMATORS)}")
    if not is_one_of(interval, INTERVALS):
        raise MethodError(f"there is no interval {interval!r}; {nearest(str(interval), INTERVALS)}")
    check_confidence(confidence)


def factor_of(q: Floats, k: Floats, df: Floats, interval: str) -> tuple[Floats, Floats]:
    """Give what the variance of a mean is multiplied by, with Q at its weights, and the degrees of freedom."""
    normal = np.full_like(k, np.inf)
    if interval == "normal":
        return np.ones_like(k), normal
    factor = np.divide(q, k - 1, out=np.ones_like(k), where=k > 1)
    factor = np.where(factor > ALIKE, factor, 1.0) if interval == "knapp-hartung" else np.maximum(factor, 1.0)
    return factor, np.where(k > 1, np.clip(df, 1.0, np.maximum(k - 1, 1)), normal)


def quantile(df: Floats, confidence: float) -> Floats:
    """Return the two-sided quantile of Student's t, normal for infinitely many degrees of freedom."""
    from scipy.special import ndtri, stdtrit  # noqa: PLC0415  # slow to import

    tail = (1 - confidence) / 2
    if np.isinf(df).all():
        return np.full_like(df, -ndtri(tail))
    normal = np.isinf(df)
    return np.asarray(np.where(normal, -ndtri(tail), -stdtrit(np.where(normal, 1.0, df), tail)))


def two_sided(statistic: Floats, df: Floats) -> Floats:
    """Return the two-sided p-values of statistics by Student's t, normal for infinitely many degrees of freedom."""
    from scipy.special import ndtr, stdtr  # noqa: PLC0415  # slow to import

    below, normal = -np.abs(statistic), np.isinf(df)
    return np.asarray(np.where(normal, 2 * ndtr(below), 2 * stdtr(np.where(normal, 1.0, df), below)))


def inconsistency(studies: Model, tau2: Floats, estimator: str) -> tuple[Floats, Floats]:
    """I² and H², with the typical variance v̄ = df / tr P at τ² = 0; of Q for fixed effects.

    I² = τ² / (τ² + v̄) and H² = 1 / (1 − I²), or I² = max(0, 1 − df / Q) and H² = Q / df.
    """
    at_zero, df = studies.at_zero, np.maximum(studies.df, 1)
    if estimator == "fixed":
        q = at_zero.q
        return np.maximum(0.0, 1 - np.divide(df, q, out=np.full_like(q, np.inf), where=q > 0)), q / df
    ratio = tau2 * at_zero.pair_weight / df  # τ² / v̄
    return ratio / (1 + ratio), 1 + ratio


def pool_model(model: Studies, pooling: Pooling, *, profile: bool = True, new_task: bool = True) -> tuple[Pooled, Fit]:
    """Pool A analyses, shape `(A,)` each, and `(A, k)` of the weights; also the fit.

    With `profile`, there is the interval of τ², and unless `new_task` is False that of a new task.
    """
    k, estimator = model.count, pooling.estimator
    tau2 = ESTIMATORS[estimator].find(model)
    fit = model.fit(tau2)
    df = model.satterthwaite(fit) if pooling.interval == "satterthwaite" else k - 1
    factor, df = factor_of(fit.q, k, df, pooling.interval)
    absent, several = np.full_like(tau2, np.nan), k > 1
    tau2_low, tau2_high = q_profile(model, pooling.confidence) if profile else (absent, absent)
    i2, h2 = inconsistency(model, tau2, estimator)
    tau2, q, i2, h2 = (np.where(several, number, np.nan) for number in (tau2, model.at_zero.q, i2, h2))
    pooled = Pooled(
        k=k.astype(np.int64),
        estimate=fit.mean,
        std_error=np.sqrt(factor / fit.total),
        df=df,
        **dict.fromkeys(("low", "high", "prediction_low", "prediction_high"), absent),
        tau2=tau2,
        tau2_low=tau2_low,
        tau2_high=tau2_high,
        q=q,
        i2=i2,
        h2=h2,
        weight=model.shares(fit),
    )
    pooled = with_ends(pooled, pooling)
    return with_new_task(pooled, model, pooling) if profile and new_task else pooled, fit


def with_ends(pooled: Pooled, pooling: Pooling) -> Pooled:
    """Make the interval of a mean, and one of the effect on a new task as metafor has it, from error and df."""
    mean, std_error, tau2 = pooled.estimate, pooled.std_error, pooled.tau2
    reach = quantile(pooled.df, pooling.confidence)
    pooled = replace(pooled, low=mean - reach * std_error, high=mean + reach * std_error)
    if pooling.mixes or pooling.estimator == "fixed":
        return pooled
    around = np.where(np.isnan(tau2), np.nan, reach * np.sqrt(std_error**2 + tau2))
    return replace(pooled, prediction_low=mean - around, prediction_high=mean + around)


@cache
def _rule() -> tuple[Floats, Floats]:
    """Return places between 0 and 1 and the logarithms of weights of Gauss and Legendre's rule, shape `(places, 1)`."""
    places, weights = np.polynomial.legendre.leggauss(_NODES)
    return (1 + places[:, None]) / 2, np.log(weights[:, None])


def with_new_task(pooled: Pooled, model: Studies, pooling: Pooling, *, robust: bool = False) -> Pooled:
    """Make the interval of the effect on a new task, over all that τ² may be.

    Q(τ²) has the χ² distribution with k − 1 degrees of freedom, so P(χ² ≥ Q(τ²)) is how sure it is that the variance is
    not above τ². With τ² drawn from this confidence distribution, the effect is normal around μ(τ²) with variance
    τ² + 1 / Σ w; the ends are quantiles of the mixture, and not inside the interval of the mean. Drawing is an integral
    over √Q by Gauss and Legendre's rule.

    Parameters
    ----------
    pooled, model
        A analyses, and their effects.
    pooling
        If it names an interval that metafor has, nothing changes.
    robust
        Whether Q says no more about τ² than the degrees of freedom of the mean do, and the error of μ is at least that
        of the mean: true effects of a cluster may be related.

    References
    ----------
    Viechtbauer 2007; Nagashima, Noma & Furukawa, Statistical Methods in Medical Research 28, 2019.
    """
    from scipy.special import chdtrc  # noqa: PLC0415  # slow to import

    if not pooling.mixes:
        return pooled
    at_zero, whole = model.at_zero, np.maximum(model.df, 1)
    df = np.minimum(pooled.df, whole) if robust else whole
    middle, most = np.sqrt(df - 0.5), at_zero.q * df / whole
    high = np.minimum(np.sqrt(most), middle + _FAR)
    low = np.clip(middle - _FAR, 0, high)
    places, log_weights = _rule()
    root = np.maximum(low + (high - low) * places, _LEAST_ROOT)
    height = log_weights + (df - 1) * np.log(root) - root**2 / 2
    share, zero = np.exp(height - height.max(axis=0)), chdtrc(df, most)
    share = np.vstack([share * (1 - zero) / product_sum(share), zero])
    mean, variance, tau2 = np.array([np.append(root, root[:1], axis=0)] * 3)
    mean[-1], variance[-1], tau2[-1] = at_zero.mean, 1 / at_zero.total, 0.0
    some = max(int(_MIXED_AT_ONCE // max(model.count.sum(), 1)), 1)
    for here in (slice(at, min(at + some, _NODES)) for at in range(0, _NODES, some)):
        target = root[here] ** 2 * whole / df
        every = model.take(np.tile(np.arange(whole.size), len(target)))
        found = where_q_is(every, target.ravel())
        fit = every.fit(found)
        tau2[here], mean[here], variance[here] = (of.reshape(target.shape) for of in (found, fit.mean, 1 / fit.total))
    variance = np.maximum(variance, pooled.std_error**2) if robust else variance
    spread, tail = np.sqrt(variance + tau2), (1 - pooling.confidence) / 2
    ends = -_mixture_quantile(-mean, spread, share, tail), _mixture_quantile(mean, spread, share, tail)
    new_low, new_high = np.minimum(ends[0], pooled.low), np.maximum(ends[1], pooled.high)
    new_low, new_high = (np.where(model.df > 0, end, np.nan) for end in (new_low, new_high))
    return replace(pooled, prediction_low=new_low, prediction_high=new_high)


def _mixture_quantile(mean: Floats, spread: Floats, share: Floats, tail: float) -> Floats:
    """Shape `(A,)`: above what a share `tail` of A mixtures of normal distributions lies.

    Parameters
    ----------
    mean, spread, share
        Shape `(places, A)`: means, standard deviations and shares of the distributions; the last is the narrowest.
    tail
        Between 0 and ½.
    """
    from scipy.special import ndtr, ndtri  # noqa: PLC0415  # slow to import

    ends = mean - ndtri(tail) * spread
    first = ends.min(axis=0)

    def beyond(shift: Floats) -> tuple[Floats, Floats]:
        off = (mean - first - shift) / spread
        above = np.maximum(product_sum(share, ndtr(off)), np.finfo(np.float64).tiny)
        density = product_sum(share, np.exp(-(off**2) / 2) / spread) / _ROOT_TWO_PI
        return np.log(above / tail), -density / above

    nought = np.zeros_like(first)
    return np.asarray(first + decreasing_roots(beyond, nought, nought, ends.max(axis=0) - first, spread[-1]))
