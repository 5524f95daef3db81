"""Effect sizes: how much better every system is than one control, on every task, and how uncertain that is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Frozen
from podium.base.errors import MethodError, nearest
from podium.tally.moment import Comoments

#: A variance below this share of those it is a difference of is rounding, and so is what a correlation lacks to 1.
_ROUNDING = 1e-12

#: Where the variance of differences is below this share of the squared scores, half the digits are lost.
_CANCELLED = 1e-8


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

        `tally` is of one task; `effective` has the effective numbers of instances, if these weigh differently.
        """
        total = np.maximum(tally.weight, np.finfo(np.float64).tiny)
        # [i, j] is of system i on what it has in common with j, so [j, i] is of j on the same instances. That is
        # counted as a difference from all that each has, and is only as exact as that: where squares of i are 100 in
        # all, on the diagonal, what is below 1e-10 is rounding; so is what differences lack to the squares of both.
        mean, own = tally.mean, np.diagonal(tally.m2)[:, None]
        squares = np.where(tally.m2 > _ROUNDING * own, tally.m2, 0.0)
        of_differences = tally.m2 + tally.m2.T - 2 * tally.comoment  # Σ (x − y)² = Σ x² + Σ y² − 2 Σ x y
        return cls(
            n=tally.count if effective is None else effective,
            treatment=mean,
            control=mean.T,
            treatment_variance=squares / total,
            control_variance=squares.T / total,
            difference=_mean_differences(mean, squares),
            difference_variance=np.where(of_differences > _ROUNDING * (own + own.T), of_differences, 0.0) / total,
        )

    @property
    def cancelled(self) -> NDArray[np.bool_]:
        """Return where differences are so small beside the scores that moments of the scores are too coarse."""
        scores = self.treatment_variance + self.control_variance + self.treatment**2 + self.control**2
        return (self.n > 1) & (self.difference_variance < _CANCELLED * scores)

    @property
    def mean_variance(self) -> Floats:
        """Mean of the variances of both systems, divided by n."""
        return (self.treatment_variance + self.control_variance) / 2

    @property
    def discordant(self) -> tuple[Floats, Floats]:
        """Return, of 0/1 scores, on how many instances only the treatment, and only the control, is better."""
        squares, sum_ = self.n * (self.difference_variance + self.difference**2), self.n * self.difference
        return (squares + sum_) / 2, (squares - sum_) / 2

    @property
    def correlation(self) -> Floats:
        """Pearson correlation, ±1 up to rounding; NaN where all scores of one are the same."""
        product = np.sqrt(self.treatment_variance * self.control_variance)
        covariance = self.mean_variance - self.difference_variance / 2
        ratio = np.divide(covariance, product, out=np.full_like(product, np.nan), where=product > 0)
        return np.where(1 - np.abs(ratio) < _ROUNDING, np.sign(ratio), ratio)


def _mean_differences(mean: Floats, squares: Floats) -> Floats:
    """Return differences of means [i, j] and [j, i]; 0 where neither system varies and means are equal up to rounding.

    Means are as exact as those over all that each system has, on the diagonal, so 0.1 and 0.1 + 1e-13 are equal.
    """
    with np.errstate(over="ignore"):  # sums of scores near 1e308 are infinite, and larger than any difference
        difference = mean - mean.T
        magnitude = np.abs(mean) + np.abs(np.diagonal(mean))[:, None]
        equal = (squares + squares.T == 0) & (np.abs(difference) <= _ROUNDING * (magnitude + magnitude.T))
    return np.where(equal, 0.0, difference)


#: From pairs, and what variances are divided by n less, to effect, variance, and whether that is a limit.
Size = Callable[[Pairs, int], tuple[Floats, Floats, NDArray[np.bool_]]]

#: From scores of the treatment and the control, and weights, shape `(n,)` each, to how much each pair of scores moves
#: an effect, up to a common factor; Σ w_i x_i = 0 with weights, and zero where nothing varies.
Influence = Callable[[Floats, Floats, Floats], Floats]


def _mean_difference(pairs: Pairs, ddof: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    n, difference, variance = pairs.n, pairs.difference, pairs.difference_variance
    limit = np.maximum(2 * pairs.mean_variance, difference**2) / n
    variance_diff = np.where(variance > 0, variance * n / (n - ddof), limit)  # S²_diff
    return difference, variance_diff / n, variance == 0


def _influence_of_difference(treatment: Floats, control: Floats, weights: Floats) -> Floats:
    """Return d_i − D."""
    difference = treatment - control
    return np.asarray(difference - np.average(difference, weights=weights))


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


def _moving_correlation(treatment: Floats, control: Floats, weights: Floats) -> Floats:
    """Return z_x z_y − r (z_x² + z_y²) / 2 with z the standardised scores."""
    standardised = []
    for scores in (treatment, control):
        centred = scores - np.average(scores, weights=weights)
        deviation = np.sqrt(np.average(centred**2, weights=weights))
        standardised.append(centred / deviation if deviation > 0 else np.zeros_like(centred))
    x, y = standardised
    correlation = np.average(x * y, weights=weights)
    return np.asarray(x * y - correlation * (x**2 + y**2) / 2)


def _odds_ratio(pairs: Pairs, ddof: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:  # noqa: ARG001  # as all are called
    better, worse = pairs.discordant
    # Counts are whole up to rounding, unless instances weigh differently.
    none = np.minimum(better, worse) < 1e-9 * pairs.n
    better, worse = (np.where(none, side + 0.5, side) for side in (better, worse))
    return np.log(better / worse), 1 / better + 1 / worse, none


def _moving_odds(treatment: Floats, control: Floats, weights: Floats) -> Floats:
    """Return 1 / b where only the treatment is right, −1 / c where only the control is."""
    better, worse = treatment > control, control > treatment
    shares = [max(float(weights[side].sum()), np.finfo(np.float64).tiny) for side in (better, worse)]
    return np.where(better, 1 / shares[0], 0.0) - np.where(worse, 1 / shares[1], 0.0)


def _ratio(logarithm: Floats) -> Floats:
    """Infinite where it is too large for a number."""
    with np.errstate(over="ignore"):
        return np.exp(logarithm)


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale that effects are pooled on: from there to the one they are shown on, and back; what texts call it."""

    shown: Callable[[Floats], Floats]
    pooled: Callable[[Floats], Floats]
    of_axis: str = ""
    of_tau2: str = ""


#: By `EffectKind.pooled_as`.
SCALES = {
    "effect": Scale(np.asarray, np.asarray),
    "Fisher z": Scale(np.tanh, np.arctanh, ", Fisher z", " (Fisher z)"),
    "log": Scale(_ratio, np.log, ", logarithm", " (log scale)"),
}

_ONE_IS_INDEPENDENT = "for the variance, one instance there counts as independent"


@dataclass(frozen=True, slots=True)
class EffectKind:
    """A kind of effect: what it is called, and the scales it is pooled and shown on.

    Attributes
    ----------
    name
        In full, as an axis is labelled.
    null
        Value of no effect, as shown.
    pooled_as
        What is pooled: "effect", or a function of it that is closer to normal: "Fisher z" or "log".
    """

    name: str
    null: float = 0.0
    pooled_as: str = "effect"


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectMeasure(EffectKind):
    """A kind of effect with how it is measured, and how it is said.

    Attributes
    ----------
    short
        What it is called in a heading.
    size
        How it is measured, see `effect_sizes`; None of effects that are given.
    influence
        How much each pair of scores moves it.
    least
        Instances needed to know its variance.
    limit
        What is done on tasks where the effect or its variance is a limit; these take the place of "{}".
    said
        How a value is said; empty of differences, which are better or worse.
    said_in
        By what a value is multiplied to be said, and in what it is then counted.
    sided
        Whether a larger one is better for the treatment.
    binary
        Whether only 0/1 scores have it.
    on_suite
        Whether the difference on the suite is told beside it, in the units of the scores.
    """

    short: str
    size: Size | None = None
    influence: Influence = _influence_of_difference
    least: int = 2
    limit: str = f"all differences are equal on {{}}; {_ONE_IS_INDEPENDENT}"
    said: str = ""
    said_in: tuple[float, str] = (1.0, "")
    sided: bool = True
    binary: bool = False
    on_suite: bool = False

    @property
    def scale(self) -> Scale:
        """Return the scale it is pooled on."""
        return SCALES[self.pooled_as]

    @property
    def ratio(self) -> bool:
        """Return whether it is a ratio, which is never 0."""
        return self.pooled_as == "log"


#: Of 0/1 scores, differences are said in these.
POINTS = (100.0, "percentage points")

#: Effects by their short names.
EFFECTS = {
    "md": EffectMeasure("mean difference", short="MD", size=_mean_difference, on_suite=True),
    "smd": EffectMeasure(
        "standardised mean difference (Hedges' g)",
        short="SMD",
        size=_standardised,
        least=3,
        limit=f"scores correlate perfectly on {{}}; {_ONE_IS_INDEPENDENT}",
        said_in=(1.0, "standard deviations"),
    ),
    "corr": EffectMeasure(
        "correlation",
        pooled_as="Fisher z",
        short="r",
        size=_correlation,
        influence=_moving_correlation,
        least=4,
        limit="the scores correlate perfectly on {}; a correlation of 1 counts as 1 − 1/n there",
        said="a correlation of {}",
        sided=False,
    ),
    "rd": EffectMeasure(
        "risk difference", short="RD", size=_mean_difference, said_in=POINTS, binary=True, on_suite=True
    ),
    "or": EffectMeasure(
        "odds ratio",
        null=1.0,
        pooled_as="log",
        short="OR",
        size=_odds_ratio,
        influence=_moving_odds,
        limit="the number of better or of worse instances is 0 on {}; ½ is added to both numbers there",
        said="{} times the odds",
        binary=True,
        on_suite=True,
    ),
    "given": EffectMeasure("effect", short="Effect", said="an effect of {}"),
}

#: How those that have one are measured from scores.
EffectName = Literal["md", "smd", "corr", "rd", "or"]

MEASURED = {name: kind.size for name, kind in EFFECTS.items() if kind.size is not None}


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
    """Return the effect of a treatment against a control, from n pairs of scores.

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
        Of `MEASURED`.
    ddof
        Variances are divided by n − ddof: 1, or 0 as the code released with the paper does.

    Returns
    -------
    EffectSize
        NaN where there are fewer instances than `EffectKind.least`, and where nothing varies: all scores of both
        systems are the same and equal (for "smd", also where they differ); all of either, for "corr".

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
    >>> from podium.tally.count import count
    >>> from podium.tally.moment import Comoments
    >>> table = podium.from_arrays({"t": [[1, 2, 3, 4], [1, 1, 2, 4]]}, systems=["new", "old"])
    >>> pairs = Pairs.of(count(table, (Comoments,))[Comoments][0])
    >>> size = effect_sizes(pairs, "md")
    >>> float(size.effect[0, 1]), round(float(size.variance[0, 1]), 4)
    (0.5, 0.0833)
    """
    check_effect(kind)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect, variance, limited = MEASURED[kind](pairs, ddof)
    varies = (pairs.mean_variance > 0) | (pairs.difference != 0)
    known = (pairs.n >= EFFECTS[kind].least) & varies & np.isfinite(effect) & (variance > 0)
    return EffectSize(np.where(known, effect, np.nan), np.where(known, variance, np.nan), known & limited)


def check_effect(kind: str) -> None:
    """Refuse what is no effect of two systems.

    Raises
    ------
    MethodError
        It is not the name of one.
    """
    if str(kind) not in MEASURED:
        raise MethodError(f"there is no effect {kind!r}; {nearest(str(kind), MEASURED)}")


def design_effect(influence: Floats, weights: Floats, clusters: NDArray[np.int64], *, ddof: int = 1) -> float:
    """Return by how much the variance of an effect is larger, or smaller, because instances come in clusters.

    The ratio of G / (G − ddof) Σ_g (Σ_{i in g} w_i x_i)² over G clusters to n / (n − ddof) Σ_i (w_i x_i)² over n
    instances, x_i being what instance i moves the effect by. So the variance of a mean difference is that of Miller
    (2024, §2.2), Σ_g (Σ_{i in g} (d_i − D))² / n², times G / (G − 1) for few clusters, as other programs have it. 1
    where each instance is a cluster. Where nothing varies, n / G: as if all instances of a cluster were one.

    Parameters
    ----------
    influence, weights
        Shape `(n,)`: x, see `Influence`, and w.
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


def mcnemar(better: int, worse: int) -> float:
    """Return exact two-sided p-value of McNemar's test: that an instance is as likely to get better as to get worse.

    2 P(X ≤ min(b, c)) for X binomial with b + c draws of ½, at most 1; 1 if both are 0.

    References
    ----------
    McNemar 1947.

    Examples
    --------
    >>> round(mcnemar(8, 2), 4)
    0.1094
    """
    from scipy.special import bdtr  # noqa: PLC0415  # slow to import

    fewer, both = min(better, worse), better + worse
    return 1.0 if 2 * fewer == both else min(float(2 * bdtr(fewer, both, 0.5)), 1.0)
