"""Effect sizes: how much better every system is than one control, on every task, and how uncertain that is."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Frozen
from podium.base.errors import MethodError, nearest
from podium.base.parallel import Progress
from podium.score.cluster import Clusters
from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import Units, sharing
from podium.tally.engine.count import count
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


#: Effects that only 0/1 scores have.
_OF_BINARY = frozenset({"rd", "or"})

#: Systems counted together with the control.
_TOGETHER = 16


@dataclass(frozen=True, slots=True)
class TaskContrast:
    """Every system against one control on one task.

    Arrays have a row for each system of the table. The control's own row is there and unused.

    Attributes
    ----------
    task
        Its scores.
    binary
        Whether all scores are 0 or 1.
    common
        Shape `(N,)`: on how many instances a treatment, in its row, and the control are both scored.
    pairs, sizes
        Shape `(N,)` each: joint moments, and effects.
    n_clusters
        Shape `(N,)`: how many clusters these instances are in; 0 where there are none.
    """

    task: Task
    binary: bool
    common: Floats
    pairs: Pairs
    sizes: EffectSize
    n_clusters: Floats

    def facts(self, treatment_row: int, control_row: int) -> dict[str, Any]:
        """What a meta-analysis says of the task beside the effect of a treatment."""
        task, pairs = self.task, self.pairs
        common = int(self.common[treatment_row])
        facts = {
            "task": task.name,
            "higher_is_better": task.higher_is_better,
            "n": common,
            "control_only": int(task.scored[control_row]) - common,
            "treatment_only": int(task.scored[treatment_row]) - common,
            "control_mean": _as_given(float(pairs.control[treatment_row]), task),
            "treatment_mean": _as_given(float(pairs.treatment[treatment_row]), task),
        }
        if self.binary and task.instance_weights is None:
            better, worse = (round(float(side[treatment_row])) for side in pairs.discordant)
            facts |= {"better": better, "worse": worse}
            if task.clusters is None:  # the test takes instances as independent
                facts["mcnemar"] = float(mcnemar(np.array(better), np.array(worse)))
        return facts

    def lean(self, treatment_row: int, control_row: int) -> float:
        """Third central moment of the differences over the second, Σ w (d − D)³ / Σ w (d − D)²; 0 of equal ones."""
        mean, variance = (float(of[treatment_row]) for of in (self.pairs.difference, self.pairs.difference_variance))
        if variance == 0:
            return 0.0
        if self.binary:  # d³ = d, and d² = 1 where the two differ
            return (mean - 3 * mean * (variance + mean**2) + 2 * mean**3) / variance
        task, spread = self.task, math.sqrt(variance)
        difference = oriented(task, treatment_row) - oriented(task, control_row)
        weights = np.ones_like(difference) if task.instance_weights is None else task.instance_weights
        here = ~np.isnan(difference)
        return spread * float(np.average(((difference[here] - mean) / spread) ** 3, weights=weights[here]))

    def constant(self, treatment_row: int) -> bool:
        """Whether both systems have the same score everywhere, on enough instances to have an effect."""
        pairs, enough = self.pairs, self.task.clusters is None or self.n_clusters[treatment_row] > 1
        same = pairs.mean_variance[treatment_row] == 0 == pairs.difference[treatment_row]
        return bool(same and enough and pairs.n[treatment_row] >= LEAST["md"] and self.task.weight > 0)

    def without_difference(self, treatment_row: int, size: float) -> Self:
        """Give an effect of 0, as sure as if on one of the instances the difference were of this size."""
        effect, variance, limited = (getattr(self.sizes, name).copy() for name in ("effect", "variance", "limited"))
        effect[treatment_row], limited[treatment_row] = 0.0, True
        variance[treatment_row] = (size / self.pairs.n[treatment_row]) ** 2
        return replace(self, sizes=EffectSize(effect, variance, limited))


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Every system against one control.

    Attributes
    ----------
    scores, control
        What was counted, and the label of the control.
    kind
        Short name of the effect.
    tasks
        One for each task.
    shared
        Sets of instances, or of clusters of these, that several tasks have, or number, in common.
    """

    scores: Scores
    control: str
    kind: str
    tasks: tuple[TaskContrast, ...]
    shared: tuple[Units, ...]

    def kept(self, treatment_row: int) -> list[TaskContrast]:
        """Tasks on which a treatment can be compared with the control, and whose weight is not 0."""
        return [one for one in self.tasks if np.isfinite(one.sizes.effect[treatment_row]) and one.task.weight > 0]


def contrast(
    scores: Scores,
    control: str,
    kind: str,
    *,
    ddof: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Contrasts:
    """Count joint moments, and measure the effect of every system against the control.

    Parameters
    ----------
    scores, control, kind, threads, progress
        See `podium.compare`.
    ddof
        Variances of scores are divided by n − ddof.

    Raises
    ------
    MethodError
        The effect is for 0/1 scores, and these are others.
    """
    binary = [_is_binary(task) for task in scores.tasks]
    if kind in _OF_BINARY and not all(binary):
        name = scores.tasks[binary.index(False)].name
        raise MethodError(f"effect {kind!r} needs scores that are 0 or 1, and task {name!r} has others; use 'smd'")
    control_row = scores.systems.index(control)
    tasks = []
    for task, is_binary, (common, moments) in zip(
        scores.tasks, binary, _moments_with_control(scores, control_row, threads, progress), strict=True
    ):
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is infinite, and refused by `analyse`
            pairs = _refined(moments, task, control_row)
            sizes = effect_sizes(pairs, kind, ddof=ddof)
        n_clusters = np.zeros(len(scores.systems))
        if task.clusters is not None:
            sizes, n_clusters = _clustered(sizes, pairs, task, task.clusters, control_row, kind=kind, ddof=ddof)
        tasks.append(TaskContrast(task, is_binary, common, pairs, sizes, n_clusters))
    return Contrasts(scores, control, kind, tuple(tasks), tuple(sharing(scores.tasks, numbers=True)))


def _clustered(
    sizes: EffectSize, pairs: Pairs, task: Task, clusters: Clusters, control_row: int, *, kind: str, ddof: int
) -> tuple[EffectSize, Floats]:
    """Make variances those of clusters, see `design_effect`; an effect on a single cluster cannot be known.

    Also numbers of clusters, shape `(N,)`. Where ½ is added to the numbers of an odds ratio, it is of a whole cluster.
    """
    factor, found = np.ones(len(sizes.effect)), np.zeros(len(sizes.effect))
    control = oriented(task, control_row)
    weights = np.ones(task.n_instances) if task.instance_weights is None else task.instance_weights
    for row in range(len(factor)):
        if row == control_row:
            continue
        treatment = oriented(task, row)
        both = in_common(task, treatment, control)
        found[row] = np.unique(clusters.numbers[both]).size
        if not np.isfinite(sizes.effect[row]):
            continue
        moved = influences(treatment[both], control[both], weights[both], kind)
        moved = np.zeros_like(moved) if sizes.limited[row] else moved
        factor[row] = design_effect(moved, weights[both], clusters.numbers[both], ddof=ddof)
    effect, variance = sizes.effect, sizes.variance
    if kind == "or":
        better, worse = (side + factor / 2 for side in pairs.discordant)
        effect = np.where(sizes.limited, np.log(better / worse), effect)
        variance = np.where(sizes.limited, 1 / better + 1 / worse, variance)
    effect = np.where(np.isnan(factor), np.nan, effect)
    return replace(sizes, effect=effect, variance=variance * factor), found


def _moments_with_control(
    scores: Scores, control_row: int, threads: int | None, progress: Progress | None
) -> list[tuple[Floats, Pairs]]:
    """Numbers of common instances, shape `(N,)`, and joint moments with the control, for each task.

    Joint moments are of every two systems, so many systems are counted a few at a time, each time with the control.
    """
    n_systems = len(scores.systems)
    others = [row for row in range(n_systems) if row != control_row]
    groups = [others[first : first + _TOGETHER] for first in range(0, len(others), _TOGETHER)] or [[]]
    common = [np.zeros(n_systems) for _ in scores.tasks]
    pairs = [Pairs.empty(n_systems) for _ in scores.tasks]
    before, total = 0, (len(others) + len(groups)) * scores.n_instances
    for group in groups:
        rows = sorted([control_row, *group])
        some = scores if len(rows) == n_systems else scores.select(systems=[scores.systems[row] for row in rows])
        share = None if progress is None else _share(progress, before, total)
        tallies = count(some, (Comoments,), threads=threads, progress=share)[Comoments]
        place = rows.index(control_row)
        for task, (tally, effective) in enumerate(zip(tallies, _effective(some, tallies, threads), strict=True)):
            common[task][rows] = tally.count[:, place]
            pairs[task] = pairs[task].filled(rows, Pairs.of(tally, effective).against(place))
        before += some.n_cells
    return list(zip(common, pairs, strict=True))


def _share(progress: Progress, before: int, total: int) -> Progress:
    """Progress of a part that follows others."""
    return lambda done, _: progress(before + done, total)


def _effective(scores: Scores, tallies: Sequence[Comoments], threads: int | None) -> list[Floats]:
    """Numbers of instances for every pair of systems, (Σ w)² / Σ w² where they weigh differently."""
    if all(task.instance_weights is None for task in scores.tasks):
        return [tally.count for tally in tallies]
    squared = count(scores.with_squared_weights(), (Comoments,), threads=threads)[Comoments]
    return [
        np.divide(tally.weight**2, squares.weight, out=np.zeros_like(squares.weight), where=squares.weight > 0)
        for tally, squares in zip(tallies, squared, strict=True)
    ]


def _refined(pairs: Pairs, task: Task, control_row: int) -> Pairs:
    """Measure differences themselves where moments of the scores are too coarse."""
    # The control does not differ from itself, so its own row always cancels.
    rows = [row for row in np.flatnonzero(pairs.cancelled).tolist() if row != control_row]
    if not rows:
        return pairs
    mean, variance = pairs.difference.copy(), pairs.difference_variance.copy()
    control = oriented(task, control_row)
    for row in rows:
        mean[row], variance[row] = _difference_moments(oriented(task, row), control, task.instance_weights)
    return replace(pairs, difference=mean, difference_variance=variance)


def oriented(task: Task, row: int) -> Floats:
    """Shape `(K,)`: scores of one system, turned so that higher is better; tallies have them turned already."""
    scores = np.concatenate([part[row] for part in task.parts]).astype(np.float64)
    return scores if task.higher_is_better else -scores


def in_common(task: Task, treatment: Floats, control: Floats) -> NDArray[np.bool_]:
    """Shape `(K,)`: the instances that have a score for both, and a weight above 0."""
    both = ~(np.isnan(treatment) | np.isnan(control))
    return both if task.instance_weights is None else both & (task.instance_weights > 0)


def _as_given(mean: float, task: Task) -> float:
    """Turn a mean of oriented scores back to the units as given; 0 without a sign, as −0 would print as "-0.0"."""
    return (mean if task.higher_is_better else -mean) + 0.0


def _difference_moments(treatment: Floats, control: Floats, weights: Floats | None) -> tuple[float, float]:
    """Mean and variance of differences, divided by n; that is 0 where it is no more than the scores are rounded by."""
    both = ~(np.isnan(treatment) | np.isnan(control))
    magnitude = np.maximum(np.abs(treatment[both]), np.abs(control[both])).max()
    difference = treatment[both] - control[both]
    mean = float(np.average(difference, weights=None if weights is None else weights[both]))
    variance = float(np.average((difference - mean) ** 2, weights=None if weights is None else weights[both]))
    return mean, variance if variance > (4 * np.finfo(np.float64).eps * magnitude) ** 2 else 0.0


def _is_binary(task: Task) -> bool:
    return all(bool(((part == 0) | (part == 1) | np.isnan(part)).all()) for part in task.parts)
