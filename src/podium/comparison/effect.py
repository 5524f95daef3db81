"""Effect sizes: how much better a treatment is than a control on one task, and how uncertain that is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Frozen
from podium.base.errors import MethodError, nearest
from podium.tally.moment import Comoments

#: A variance below this share of those it is a difference of is rounding, and so is what a correlation lacks to 1.
_ROUNDING = 1e-12

#: Where the variance of differences is below this share of the squared scores, half the digits are lost.
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
    difference, difference_variance
        Mean of the differences treatment − control, and their variance, divided by n; 0 where it is only rounding.
    """

    n: Floats
    treatment: Floats
    control: Floats
    treatment_variance: Floats
    control_variance: Floats
    difference: Floats
    difference_variance: Floats

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
        total = np.maximum(tally.weight, np.finfo(np.float64).tiny)
        # [i, j] is of system i on what it has in common with j, so [j, i] is of j on the same instances.
        mean, of_other = tally.mean, tally.mean.T
        squares = _without_rounding(tally.m2)
        return cls(
            n=tally.count if effective is None else effective,
            treatment=mean,
            control=of_other,
            treatment_variance=squares / total,
            control_variance=squares.T / total,
            difference=_mean_differences(mean, squares),
            difference_variance=_difference_squares(tally) / total,
        )

    @classmethod
    def empty(cls, n_systems: int) -> Self:
        """Begin with no instances; shape `(N,)` each."""
        return cls(**{field.name: np.zeros(n_systems) for field in fields(cls)})

    def against(self, control: int) -> Self:
        """Keep one control: from shape `(N, N)` to `(N,)`."""
        return type(self)(**{name: moment[:, control] for name, moment in self._named_moments()})

    def filled(self, rows: Sequence[int], others: Self) -> Self:
        """Return the same with others at some rows; shape `(N,)` each, others as many as rows."""
        filled = {name: moment.copy() for name, moment in self._named_moments()}
        for name, moment in others._named_moments():
            filled[name][rows] = moment
        return type(self)(**filled)

    def _named_moments(self) -> list[tuple[str, Floats]]:
        return [(field.name, getattr(self, field.name)) for field in fields(self)]

    @property
    def cancelled(self) -> NDArray[np.bool_]:
        """Where differences are so small, compared with the scores, that moments of the scores are too coarse."""
        scores = self.treatment_variance + self.control_variance + self.treatment**2 + self.control**2
        return (self.n > 1) & (self.difference_variance < _CANCELLED * scores)

    @property
    def mean_variance(self) -> Floats:
        """Mean of the variances of both systems, divided by n."""
        return (self.treatment_variance + self.control_variance) / 2

    @property
    def discordant(self) -> tuple[Floats, Floats]:
        """Of 0/1 scores, on how many instances only the treatment, and only the control, has the better one."""
        squares, sum_ = self.n * (self.difference_variance + self.difference**2), self.n * self.difference
        return (squares + sum_) / 2, (squares - sum_) / 2

    @property
    def correlation(self) -> Floats:
        """Pearson correlation, ±1 up to rounding; NaN where all scores of one are the same."""
        product = np.sqrt(self.treatment_variance * self.control_variance)
        covariance = self.mean_variance - self.difference_variance / 2
        ratio = np.divide(covariance, product, out=np.full_like(product, np.nan), where=product > 0)
        return np.where(1 - np.abs(ratio) < _ROUNDING, np.sign(ratio), ratio)


def _without_rounding(m2: Floats) -> Floats:
    """Squared deviations [i, j] of system i on what it has in common with j; 0 where they are rounding.

    What a pair has in common is counted as a difference from all that each has, and is only as exact as that: where
    those of i are 100 in all, on the diagonal, what is below 1e-10 is rounding.
    """
    return np.where(m2 > _ROUNDING * np.diagonal(m2)[:, None], m2, 0.0)


def _mean_differences(mean: Floats, squares: Floats) -> Floats:
    """Differences of means [i, j] and [j, i]; 0 where neither system varies and means are equal up to rounding.

    Means are as exact as those over all that each system has, on the diagonal, so 0.1 and 0.1 + 1e-13 are equal.
    """
    with np.errstate(over="ignore"):  # sums of scores near 1e308 are infinite, and larger than any difference
        difference = mean - mean.T
        magnitude = np.abs(mean) + np.abs(np.diagonal(mean))[:, None]
        equal = (squares + squares.T == 0) & (np.abs(difference) <= _ROUNDING * (magnitude + magnitude.T))
    return np.where(equal, 0.0, difference)


def _difference_squares(tally: Comoments) -> Floats:
    """Squared deviations of the differences, Σ (x − y)² = Σ x² + Σ y² − 2 Σ x y; 0 where that is rounding.

    So it is where these cancel: where those of x and of y are 100 in all, what is below 2e-10.
    """
    own = np.diagonal(tally.m2)[:, None]
    squares = tally.m2 + tally.m2.T - 2 * tally.comoment
    return np.where(squares > _ROUNDING * (own + own.T), squares, 0.0)


#: Instances needed to know the variance of each effect.
LEAST = {"md": 2, "smd": 3, "corr": 4, "rd": 2, "or": 2}


def influences(treatment: Floats, control: Floats, weights: Floats, kind: str) -> Floats:
    """Shape `(n,)`: how much each pair of scores moves an effect, Σ w_i x_i = 0 with weights; up to a common factor.

    Of a mean difference, also standardised: d_i − D. Of a correlation: z_x z_y − r (z_x² + z_y²) / 2 with z the
    standardised scores. Of an odds ratio of 0/1 scores: 1 / b where only the treatment is right, −1 / c where only the
    control is. Zero where nothing varies.
    """
    if kind not in {"corr", "or"}:
        difference = treatment - control
        return np.asarray(difference - np.average(difference, weights=weights))
    if kind == "or":
        better, worse = treatment > control, control > treatment
        shares = [max(float(weights[side].sum()), np.finfo(np.float64).tiny) for side in (better, worse)]
        return np.where(better, 1 / shares[0], 0.0) - np.where(worse, 1 / shares[1], 0.0)
    standardised = []
    for scores in (treatment, control):
        centred = scores - np.average(scores, weights=weights)
        deviation = np.sqrt(np.average(centred**2, weights=weights))
        standardised.append(centred / deviation if deviation > 0 else np.zeros_like(centred))
    x, y = standardised
    correlation = np.average(x * y, weights=weights)
    return np.asarray(x * y - correlation * (x**2 + y**2) / 2)


def design_effect(influence: Floats, weights: Floats, clusters: NDArray[np.int64], *, ddof: int = 1) -> float:
    """By how much the variance of an effect is larger, or smaller, because instances come in clusters.

    The ratio of G / (G − ddof) Σ_g (Σ_{i in g} w_i x_i)² over G clusters to n / (n − ddof) Σ_i (w_i x_i)² over n
    instances, x_i being what instance i moves the effect by. So the variance of a mean difference is that of Miller
    (2024, §2.2), Σ_g (Σ_{i in g} (d_i − D))² / n², times G / (G − 1) for few clusters, as other programs have it. 1
    where each instance is a cluster. Where nothing varies, n / G: as if all instances of a cluster were one.

    Parameters
    ----------
    influence, weights
        Shape `(n,)`: x, see `influences`, and w.
    clusters
        Shape `(n,)`: numbers of the clusters.
    ddof
        As of `effect_sizes`.

    Returns
    -------
    NaN of a single cluster.

    Examples
    --------
    >>> design_effect(np.array([1.0, 1.0, -1.0, -1.0]), np.ones(4), np.array([0, 0, 1, 1]))
    3.0
    """
    n_clusters, n = np.unique(clusters).size, influence.size
    if n_clusters < 2:
        return float("nan")
    moved = weights * influence
    of_clusters = np.bincount(clusters, weights=moved)
    alone, together = float((moved**2).sum()), float((of_clusters**2).sum())
    if alone == 0:
        return n / n_clusters
    corrected = (n_clusters / (n_clusters - ddof)) / (n / (n - ddof))
    return corrected * together / alone


@dataclass(frozen=True, slots=True, eq=False)
class EffectSize(Frozen):
    """Effects on the scale they are pooled on, shape `(…)`; NaN where they cannot be known.

    Attributes
    ----------
    effect, variance
        Positive is better for the treatment.
    limited
        Where the variance is a limit, or with "corr" and "or" the effect, see `effect_sizes`.
    """

    effect: Floats
    variance: Floats
    limited: NDArray[np.bool_]


def effect_sizes(pairs: Pairs, kind: str, *, ddof: int = 1) -> EffectSize:
    """Effect of a treatment against a control, from n pairs of scores.

    "md", mean difference: D = mean of the differences, V = S²_diff / n (Eq. 1).
    "smd", standardised mean difference: g = J D / S_within with S_within = S_diff / √(2 (1 − r)) and
    J = 1 − 3 / (4 (n − 1) − 1), V = J² (1 / n + d² / 2n) 2 (1 − r) with d = D / S_within (Eq. 2–5).
    "corr", correlation as Fisher's z = artanh r, V = 1 / (n − 3) (Eq. 7).
    "rd", risk difference of 0/1 scores: as "md", b / n − c / n with b and c the instances on which only the treatment
    (only the control) is right. "or", log of their odds ratio b / c, V = 1 / b + 1 / c, both plus ½ where one is 0.

    Where all differences are the same (for "smd", also where scores correlate perfectly), the variance would be 0. It
    is then taken as if on one of the n instances the two had been scored independently: 1 − |r| = 1 / n,
    and S²_diff = 2 S²_within / n (or D² / n, where that is more). Such a task is still known precisely: had many
    instances differed, some would have been seen.

    Parameters
    ----------
    pairs
        Of one or many comparisons.
    kind
        Of `EFFECT_SIZES`.
    ddof
        Variances are divided by n − ddof: 1, or 0 as the code released with the paper does.

    Returns
    -------
    EffectSize
        NaN where there are fewer instances than `LEAST`, and where nothing varies: all scores of both systems are the
        same and equal (for "smd", also where they differ); all of either, for "corr".

    Raises
    ------
    MethodError
        There is no such effect.

    References
    ----------
    Sertkan et al. 2023, §3.1; Borenstein et al. 2009; for pairs of 0/1 scores McNemar 1947, Agresti 2013, §11.

    Examples
    --------
    >>> import podium
    >>> from podium.tally.engine.count import count
    >>> from podium.tally.moment import Comoments
    >>> table = podium.from_arrays({"t": [[1, 2, 3, 4], [1, 1, 2, 4]]}, systems=["new", "old"])
    >>> pairs = Pairs.of(count(table, (Comoments,))[Comoments][0])
    >>> size = effect_sizes(pairs, "md")
    >>> float(size.effect[0, 1]), round(float(size.variance[0, 1]), 4)
    (0.5, 0.0833)
    """
    check_effect(kind)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect, variance, limited = EFFECT_SIZES[kind](pairs, ddof)
    varies = (pairs.mean_variance > 0) | (pairs.difference != 0)
    known = (pairs.n >= LEAST[kind]) & varies & np.isfinite(effect) & (variance > 0)
    return EffectSize(np.where(known, effect, np.nan), np.where(known, variance, np.nan), known & limited)


def check_effect(kind: str) -> None:
    """Refuse what is no effect of two systems.

    Raises
    ------
    MethodError
        It is not the name of one.
    """
    if str(kind) not in EFFECT_SIZES:
        raise MethodError(f"there is no effect {kind!r}; {nearest(str(kind), EFFECT_SIZES)}")


def mcnemar(better: Floats, worse: Floats) -> Floats:
    """Exact two-sided p-value of McNemar's test: that an instance is as likely to get better as to get worse.

    2 P(X ≤ min(b, c)) for X binomial with b + c draws of ½, at most 1.

    Parameters
    ----------
    better, worse
        Shape `(…)`: b and c, whole numbers up to rounding.

    Returns
    -------
    Shape `(…)`; 1 where both are 0.

    References
    ----------
    McNemar 1947.

    Examples
    --------
    >>> mcnemar(np.array([8.0]), np.array([2.0])).round(4)
    array([0.1094])
    """
    from scipy.special import bdtr  # noqa: PLC0415  # slow to import

    fewer, both = np.rint(np.minimum(better, worse)), np.rint(better + worse)
    tail: Floats = 2 * bdtr(fewer, both.astype(np.int64), 0.5)
    return np.where(fewer * 2 == both, 1.0, np.minimum(tail, 1.0))


def _mean_difference(pairs: Pairs, ddof: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    n, difference, variance = pairs.n, pairs.difference, pairs.difference_variance
    limit = np.maximum(2 * pairs.mean_variance, difference**2) / n
    variance_diff = np.where(variance > 0, variance * n / (n - ddof), limit)  # S²_diff
    return difference, variance_diff / n, variance == 0


def _standardised(pairs: Pairs, ddof: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    # One constant system has no correlation with the other; with 0 for it, S_within is the root mean variance of both.
    apart = 2 * (1 - np.nan_to_num(pairs.correlation))  # 2 (1 − r), S²_diff / S²_within
    same = (pairs.difference_variance == 0) | (apart == 0)
    apart = np.where(same, 2 / pairs.n, apart)
    within_variance = np.where(same, pairs.mean_variance, pairs.difference_variance / apart)  # divided by n
    d = pairs.difference / np.sqrt(within_variance * pairs.n / (pairs.n - ddof))
    correction = 1 - 3 / (4 * (pairs.n - 1) - 1)
    return correction * d, correction**2 * (1 + d**2 / 2) / pairs.n * apart, same


def _correlation(pairs: Pairs, ddof: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:  # noqa: ARG001  # as all are called
    correlation, most = pairs.correlation, 1 - 1 / pairs.n
    limited = np.abs(correlation) == 1
    effect = np.arctanh(np.where(limited, np.copysign(most, correlation), correlation))
    return effect, 1 / (pairs.n - 3), limited


def _odds_ratio(pairs: Pairs, ddof: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:  # noqa: ARG001  # as all are called
    better, worse = pairs.discordant
    # Counts are whole up to rounding, unless instances weigh differently.
    none = np.minimum(better, worse) < 1e-9 * pairs.n
    better, worse = (np.where(none, side + 0.5, side) for side in (better, worse))
    return np.log(better / worse), 1 / better + 1 / worse, none


#: Effects by name: from pairs to effect, variance, and whether that is a limit.
EFFECT_SIZES: dict[str, Callable[[Pairs, int], tuple[Floats, Floats, NDArray[np.bool_]]]] = {
    "md": _mean_difference,
    "smd": _standardised,
    "corr": _correlation,
    "rd": _mean_difference,
    "or": _odds_ratio,
}
