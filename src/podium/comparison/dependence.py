"""Dependent effects: which tasks belong together, and how they are pooled by their covariance and by clusters."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Frozen
from podium.base.check import matching
from podium.base.errors import InputError, LabelError, MethodError
from podium.base.words import how_many, with_names
from podium.comparison.effects import Contrasts, TaskContrast, in_common, influences, oriented
from podium.comparison.pooling import ALIKE, Pooled, Pooling, pool_model, product_sum, with_ends, with_new_task
from podium.comparison.result import TaskDependence
from podium.score.units import Units, go_together, numbered

Floats = NDArray[np.float64]

#: Share of the largest eigenvalue below which one is rounding.
_ROUNDING = 1e-12

#: Share of the mean eigenvalue below which a variance between tasks makes no difference.
_LEAST = 1e-9

#: What `Rotated` has of each analysis, in columns.
_COLUMNS = ("effect", "one", "variance", "present", "origin", "count")

#: Numbers of covariance matrices that are taken apart at once.
_AT_ONCE = 2**22


@dataclass(frozen=True)
class Rotated:
    """Effects of A analyses of up to k tasks, along the principal axes of their covariance, where they are independent.

    With V = U diag(λ) Uᵀ the model y = μ 1 + e, cov e = V + τ² I, becomes Uᵀy = μ Uᵀ1 + e with variances λ + τ², so
    that a value of τ² costs k steps and not k³.

    Attributes
    ----------
    effect, one, variance
        Shape `(k, A)`: Uᵀ(y − origin), Uᵀ1 and λ.
    present
        Shape `(k, A)`: 1, or 0 for as many axes as tasks are absent.
    origin, count
        Shape `(A,)`: an effect, so that sums lose no digits; and the number of tasks.
    axes
        Shape `(A, k, k)`: U.
    """

    effect: Floats
    one: Floats
    variance: Floats
    present: Floats
    origin: Floats
    count: Floats
    axes: Floats

    @classmethod
    def of(cls, effect: Floats, covariance: Floats) -> Self:
        """Rotate rows of effects, shape `(A, k)`, NaN where a task is absent; covariances `(k, k)` or `(A, k, k)`."""
        here = ~np.isnan(effect)
        both = here[:, :, None] & here[:, None, :]
        # Axes of absent tasks have a variance that no other has, so that they stay apart.
        apart = -covariance.diagonal(axis1=-2, axis2=-1).max(axis=-1)
        absent = np.where(here, 0.0, np.broadcast_to(apart, len(here))[:, None])
        matrix = np.where(both, covariance, 0.0) + absent[:, :, None] * np.eye(effect.shape[1])
        variance, axes = np.linalg.eigh(matrix)
        present = variance > np.where(here.all(axis=1), -np.inf, apart / 2)[:, None]
        variance = np.maximum(variance, _ROUNDING * variance.max(axis=1, keepdims=True))
        origin = effect[np.arange(len(effect)), here.argmax(axis=1)]
        centred = np.where(here, effect - origin[:, None], 0.0)
        along = np.einsum("aij,ai->ja", axes, centred)
        one = np.einsum("aij,ai->ja", axes, here.astype(np.float64))
        known = np.where(present, variance, 1.0)
        return cls(along, one, known.T, present.T.astype(np.float64), origin, here.sum(axis=1).astype(np.float64), axes)

    def fit(self, tau2: Floats) -> "Weighed":
        """Weigh by 1 / (λ + τ²)."""
        weight = self.present / (self.variance + tau2)
        total = product_sum(weight, self.one, self.one)
        shift = product_sum(weight, self.one, self.effect) / total
        return Weighed(weight, self.one, self.effect - shift * self.one, total, self.origin + shift)

    @property
    def freedom(self) -> Floats:
        """Shape `(A,)`: tasks less one mean."""
        return self.count - 1

    @property
    def least_variance(self) -> Floats:
        """Shape `(A,)`: along the axes; where that is nothing beside the others, the least that makes a difference."""
        least: Floats = np.where(self.present > 0, self.variance, np.inf).min(axis=0)
        return np.maximum(least, _LEAST * product_sum(self.variance, self.present) / self.count)

    @property
    def most_tau2(self) -> Floats:
        """Shape `(A,)`: the restricted likelihood falls where τ⁴ ≥ s² (τ² + max λ) with s² = Σ (y − ȳ)² / (k − 1).

        For rᵀWWr ≤ Σ (y − ȳ)² / τ⁴ and tr P ≥ (k − 1) / (max λ + τ²).
        """
        away = self.effect - product_sum(self.one, self.effect) / self.count * self.one
        spread = product_sum(away, away, self.present) / np.maximum(self.freedom, 1)
        largest = (self.variance * self.present).max(axis=0)
        most: Floats = (spread + np.sqrt(spread**2 + 4 * spread * largest)) / 2
        return np.where(self.freedom > 0, most, 0.0)

    def take(self, which: NDArray[np.intp]) -> Self:
        """Some analyses, in the order given, or one several times; without their axes."""
        columns = {name: np.take(getattr(self, name), which, axis=-1) for name in _COLUMNS}
        return replace(self, **columns, axes=self.axes[:0])

    def height(self, tau2: Floats) -> Floats:
        """Twice the restricted likelihood, up to a constant: −(Σ log(λ + τ²) + log 1ᵀW1 + Q)."""
        fit = self.fit(tau2)
        logarithms = product_sum(np.log(self.variance + tau2), self.present)
        height: Floats = -(logarithms + np.log(fit.total) + fit.q)
        return height

    def shares(self, fit: "Weighed") -> Floats:
        """Shape `(A, k)`: weight of every task in the mean; they add up to 1, and some may be below 0."""
        shares: Floats = np.einsum("aij,ja->ai", self.axes, fit.weight * fit.one / fit.total)
        return shares

    def satterthwaite(self, fit: "Weighed") -> Floats:  # noqa: ARG002  # as models are asked
        """Shape `(A,)`: those of the model, as axes are no tasks whose shares could be counted."""
        return self.freedom

    def inverse(self, fit: "Weighed") -> Floats:
        """Shape `(A, k, k)`: (V + τ² I)⁻¹; 0 where a task is absent."""
        inverse: Floats = np.einsum("aij,ja,alj->ail", self.axes, fit.weight, self.axes)
        return inverse


@dataclass(frozen=True)
class Weighed:
    """Weights along the axes and weighted means of A analyses.

    Attributes
    ----------
    weight, one, residual
        Shape `(k, A)`: w, Uᵀ1, and Uᵀ(y − μ 1).
    total, mean
        Shape `(A,)`: 1ᵀW1 and μ = 1ᵀWy / 1ᵀW1.
    """

    weight: Floats
    one: Floats
    residual: Floats
    total: Floats
    mean: Floats

    @property
    def q(self) -> Floats:
        """Shape `(A,)`: (y − μ 1)ᵀ W (y − μ 1)."""
        return product_sum(self.weight, self.residual, self.residual)

    @cached_property
    def pair_weight(self) -> Floats:
        """Shape `(A,)`: trace of P = W − W11ᵀW / 1ᵀW1."""
        weighed = self.weight * self.one
        trace: Floats = self.weight.sum(axis=0) - product_sum(weighed, weighed) / self.total
        return trace

    @property
    def q_slope(self) -> Floats:
        """Shape `(A,)`: rᵀWWr."""
        return product_sum(self.weight, self.residual, self.weight, self.residual)

    @property
    def squares(self) -> Floats:
        """Shape `(A,)`: rᵀr."""
        return product_sum(self.residual, self.residual, (self.weight > 0).astype(np.float64))

    @property
    def slope(self) -> tuple[Floats, Floats]:
        """Slope of the restricted likelihood l, doubled, and its derivative.

        With x = Uᵀ1 and S = 1ᵀW1,

            2 dl/dτ²   = Σ w² r² − tr P
            2 d²l/dτ⁴  = Σ w² − 2 Σ w³ x² / S + (Σ w² x² / S)² − 2 (Σ w³ r² − (Σ w² x r)² / S)
        """
        w, r, x = self.weight, self.residual, self.one
        ww = w * w
        of_weights = (
            ww.sum(axis=0) - 2 * product_sum(ww, w, x, x) / self.total + (product_sum(ww, x, x) / self.total) ** 2
        )
        of_residuals = 2 * (product_sum(ww, w, r, r) - product_sum(ww, x, r) ** 2 / self.total)
        return product_sum(ww, r, r) - self.pair_weight, of_weights - of_residuals


def pool_dependent(effect: Floats, covariance: Floats, pooling: Pooling, *, profile: bool = True) -> Pooled:
    """Pool effects by generalised least squares: μ = 1ᵀWy / 1ᵀW1 with W = (V + τ² I)⁻¹.

    All else is as in `podium.comparison.pooling.pool`, of which this is the form for any covariance matrix: Q = rᵀV⁻¹r,
    the Q-profile by Q(τ²) = rᵀWr, the factor of Knapp and Hartung rᵀWr / (k − 1), the typical variance
    v̄ = (k − 1) / tr P with P = W − W11ᵀW / 1ᵀW1 at τ² = 0; and weights are shares of each task in μ, which may be
    below 0.

    Parameters
    ----------
    effect
        Shape `(A, k)`: NaN where a task is absent.
    covariance
        Shape `(k, k)`, or `(A, k, k)`: V, positive definite on the tasks that are there.
    pooling
        Estimator of τ², interval, confidence.
    profile
        Whether to find the interval of τ² as well.

    Raises
    ------
    ConvergenceError
        τ² was not found.

    References
    ----------
    Viechtbauer 2010 (rma.mv); Becker & Wu 2007.

    Examples
    --------
    >>> pooling = Pooling.of("fixed", "normal", 0.95, None)
    >>> pooled = pool_dependent(np.array([[0.1, 0.3]]), np.array([[0.02, 0.01], [0.01, 0.04]]), pooling)
    >>> pooled.estimate.round(9), pooled.weight.round(9)
    (array([0.15]), array([[0.75, 0.25]]))
    """
    rows = max(_AT_ONCE // effect.shape[1] ** 2, 1)
    pieces = []
    for at in range(0, len(effect), rows):
        some = covariance if covariance.ndim == 2 else covariance[at : at + rows]
        rotated = Rotated.of(effect[at : at + rows], some)
        pooled, _ = pool_model(rotated, pooling, profile=profile)
        pieces.append(with_new_task(pooled, rotated, pooling) if profile else pooled)
    return Pooled.joined(pieces, (len(effect),))


def in_units(pooled: Pooled, unit: float) -> Pooled:
    """From effects that were divided by a unit to effects."""
    names = ("estimate", "std_error", "low", "high", "prediction_low", "prediction_high")
    effects = {name: getattr(pooled, name) * unit for name in names}
    squares = {name: getattr(pooled, name) * unit * unit for name in ("tau2", "tau2_low", "tau2_high")}
    return replace(pooled, **effects, **squares)


def robust_variance(residual: Floats, inverse: Floats, clusters: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Variance of μ = 1ᵀWy / 1ᵀW1 by CR2, whatever the covariance of effects inside a cluster, and its freedom.

    With r = y − μ, m = 1 / 1ᵀW1 and Φ = W⁻¹, the variance is m² Σ_g (1ᵀW_g A_g r_g)² over clusters. A_g makes it
    unbiased where W is right: it is the symmetric solution of A_g (Φ_g − m 11ᵀ) A_g = Φ_g. The terms of the sum are
    squares of normal numbers with covariance matrix P, so that the freedom is (tr P)² / tr P² (Satterthwaite). With
    one task in each cluster A is 1 / √(1 − h), that of HC2.

    Parameters
    ----------
    residual
        Shape `(A, k)`: r, in A analyses of the same k tasks.
    inverse
        Shape `(A, k, k)`: W, 0 between tasks of different clusters.
    clusters
        Shape `(k,)`: number of the cluster of each task, at least two different ones.

    Returns
    -------
    Shape `(A,)` each: variance and degrees of freedom.

    References
    ----------
    Bell & McCaffrey 2002; Tipton, Psychological Methods 20, 2015; Pustejovsky & Tipton, JBES 36, 2018.

    Examples
    --------
    >>> residual, inverse = np.array([[-0.1, 0.1, 0.0]]), np.eye(3)[None]
    >>> variance, freedom = robust_variance(residual, inverse, np.array([0, 0, 1]))
    >>> variance.round(6), freedom.round(6)
    (array([0.]), array([1.]))
    """
    groups = _places(clusters)
    of_groups = [inverse[:, places[:, :, None], places[:, None, :]] for places in groups]
    weight = np.concatenate([block.sum(axis=(2, 3)) for block in of_groups], axis=1)  # 1ᵀW_g 1
    others = _others(weight)
    m = 1 / weight.sum(axis=1)
    terms, cross, first = [], [], 0
    for places, block in zip(groups, of_groups, strict=True):
        here = slice(first, first + len(places))
        row = (_alone if places.shape[1] == 1 else _together)(block, (m[:, None] * others)[:, here])
        terms.append(np.einsum("agi,agi->ag", row, residual[:, places]))
        cross.append(row.sum(axis=2))
        first += len(places)
    moved, b = np.concatenate(terms, axis=1), np.concatenate(cross, axis=1)
    variance = m**2 * (moved**2).sum(axis=1)
    # P has m² 1ᵀW_g 1 on its diagonal, as A_g makes it unbiased, and −m³ b_g b_h beside; m² cancels in the freedom.
    bb = m[:, None] * b**2
    squares = (weight**2).sum(axis=1) + (bb * _others(bb)).sum(axis=1)
    return variance, np.maximum(1 / m**2 / squares, 1.0)


def _places(clusters: NDArray[np.int64]) -> list[NDArray[np.intp]]:
    """Places of the tasks of each cluster, shape `(clusters, tasks)` for those of each size."""
    order = np.argsort(clusters, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(clusters[order])) + 1)
    sizes = sorted({group.size for group in groups})
    return [np.array([group for group in groups if group.size == size]) for size in sizes]


def _others(of_each: Floats) -> Floats:
    """Sum over all other clusters, shape `(A, clusters)`; without a subtraction, which costs digits."""
    none = np.zeros((len(of_each), 1))
    before = np.concatenate([none, of_each.cumsum(axis=1)[:, :-1]], axis=1)
    after = np.concatenate([none, of_each[:, ::-1].cumsum(axis=1)[:, :-1]], axis=1)[:, ::-1]
    others: Floats = before + after
    return others


def _alone(block: Floats, left: Floats) -> Floats:
    """Clusters of one task: w A, shape `(A, clusters, 1)`; `left` is 1 − h."""
    root = np.sqrt(left)[..., None]
    return np.divide(block[..., 0], root, out=np.zeros_like(root), where=root > 0)


def _together(block: Floats, left: Floats) -> Floats:
    """Clusters of several tasks: 1ᵀW A, shape `(A, clusters, tasks)`; `left` is 1 − h with h = m 1ᵀW_g 1.

    With Φ = LLᵀ and u = L⁻¹1, Φ − m 11ᵀ = L R² Lᵀ for R = I − (1 − √(1 − h)) uuᵀ / uᵀu. So A = L (NᵀN)^(−½) Lᵀ with
    N = R LᵀL, and 1ᵀW A = uᵀ (NᵀN)^(−½) Lᵀ. Of N, and not of NᵀN, axes are found where variances differ very much.
    """
    size = np.sqrt(np.diagonal(block, axis1=-2, axis2=-1))
    outer = size[..., :, None] * size[..., None, :]
    lower = np.linalg.cholesky(np.linalg.inv(block / outer)) / size[..., None]
    u = np.linalg.solve(lower, np.ones((block.shape[-1], 1)))
    share = (1 - np.sqrt(left)[..., None, None]) / (u**2).sum(axis=-2, keepdims=True)
    gram = np.swapaxes(lower, -1, -2) @ lower
    n = gram - share * u @ (np.swapaxes(u, -1, -2) @ gram)
    _, values, axes = np.linalg.svd(n)
    power = np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)
    along = (axes @ u)[..., 0] * power
    row: Floats = np.einsum("agj,agji,agli->agl", along, axes, lower)
    return row


#: Share of the variance of an effect that others must leave unexplained, or it tells nothing new; ρ is then 0.999.
_NEW = 0.002

#: Instances, or clusters, of each task below which correlations are uncertain, so that they are drawn to their mean.
_ENOUGH = 10

#: Share of the largest eigenvalue of correlations below which one is 0.
_SINGULAR = 1e-10

#: Numbers of influences held at once.
_DEPENDENCE_AT_ONCE = 2**24


@dataclass(frozen=True, slots=True, eq=False)
class Covariance(Frozen):
    """How the effects of a treatment on k tasks vary together.

    Attributes
    ----------
    matrix
        Shape `(k, k)`: V, with the variances of the effects on its diagonal.
    alike
        Shape `(k, k)`: correlations by which tasks may say nothing new, see `saying_nothing`.
    sets
        Tasks that share instances, or clusters of these, by index.
    shared
        What the tasks of a set share: "instances", "clusters", or both words.
    drawn
        The same of the sets with few of these, whose correlations were drawn to their mean; empty if there is none.
    """

    matrix: Floats
    alike: Floats
    sets: tuple[tuple[int, ...], ...]
    shared: str = "instances"
    drawn: str = ""

    @classmethod
    def given(cls, matrix: Floats | None) -> Self | None:
        """Take a matrix whose origin is not known; None where it has no covariances."""
        if matrix is None or np.count_nonzero(matrix) == len(matrix):
            return None
        return cls(matrix, np.eye(len(matrix)), ())

    def with_variance(self, variance: Floats) -> Self:
        """Keep the correlations, with other variances."""
        ratio = np.sqrt(variance / np.diagonal(self.matrix))
        return replace(self, matrix=self.matrix * np.outer(ratio, ratio))


def what_is_shared(units: Iterable[Units]) -> str:
    """Return "instances", "clusters", or "instances or clusters"; nothing where there is no set."""
    return " or ".join(sorted({one.noun for one in units}, reverse=True))


def covariance_of(contrasts: Contrasts, treatment_row: int) -> Covariance | None:
    """Covariance of the effects on the kept tasks, if some share instances or clusters.

    With s_ju = Σ w_i x_ij over the instances i of unit u (an instance, or a cluster), x_ij being what instance i moves
    effect j by (see `podium.comparison.effects.influences`), two effects correlate by

        ρ_jl = Σ_u s_ju s_lu / √(Σ_u s_ju² Σ_u s_lu²),

    sums in the denominator over all units of each, and covary by ρ_jl √(v_j v_l): so a task has its variance with
    itself. A standardised difference has a second source of error, its standard deviation: of v = a (1 + d²/2) the
    parts d²/2 covary by ρ² with the sign of d_j d_l (Gleser & Olkin 2009).

    Where a set has fewer than ten units for each of its tasks, ρ becomes (1 − λ) ρ + λ ρ̄ with the mean ρ̄ and
    λ = Σ (1 − ρ²)² / (U − 1) / Σ (ρ − ρ̄)², at most 1 (Schäfer & Strimmer 2005), as V would have no useful inverse.

    Instances that are only numbered, from 0 or 1, are the same in all tasks if effects on them go together, see
    `_related`: files of different data sets are numbered alike, and so are metrics of one data set.
    """
    systems = contrasts.scores.systems
    rows = treatment_row, systems.index(contrasts.control)
    kept = contrasts.kept(treatment_row)
    place = {one.task.name: index for index, one in enumerate(kept)}
    names = [one.task.name for one in contrasts.tasks]
    variance = np.array([one.sizes.variance[treatment_row] for one in kept])
    correlation, alike = np.eye(len(kept)), np.eye(len(kept))
    sets, used, drawn = [], [], []
    for units in contrasts.shared:
        of = [(place[names[task]], units.of[at]) for at, task in enumerate(units.tasks) if names[task] in place]
        if len(of) < 2:
            continue
        places = [where for where, _ in of]
        found = _correlation([kept[where] for where in places], [one for _, one in of], units, contrasts.kind, rows)
        only_numbered = units.clusters is None and all(numbered(kept[where].task.instances) for where in places)
        if only_numbered and not _related(found, np.array([kept[where].common[treatment_row] for where in places])):
            continue
        grid = np.ix_(places, places)
        alike[grid] = _alike(found, units.number)
        few = units.number < _ENOUGH * len(places)
        correlation[grid] = _drawn(found, units.number) if few else found
        sets.append(tuple(places))
        used.append(units)
        drawn += [units] if few and len(places) > 2 else []
    if not sets:
        return None
    matrix = _scaled(correlation, variance, kept, contrasts.kind, treatment_row)
    return Covariance(matrix, alike, tuple(sets), what_is_shared(used), what_is_shared(drawn))


def _correlation(
    tasks: Sequence[TaskContrast], of: Sequence[NDArray[np.int64]], units: Units, kind: str, rows: tuple[int, int]
) -> Floats:
    """Shape `(m, m)`: ρ of the tasks of a set; a few units at a time where all influences would not fit."""

    def moved() -> Iterator[Floats]:
        for one, numbers in zip(tasks, of, strict=True):
            yield _moved(one, numbers, units.number, kind, rows)

    width = max(_DEPENDENCE_AT_ONCE // len(tasks), 1)
    gram = np.zeros((len(tasks), len(tasks)))
    for first in range(0, units.number, width):
        some = np.array([one[first : first + width] for one in moved()])
        gram += some @ some.T
    np.fill_diagonal(gram, 1.0)
    return np.clip(gram, -1.0, 1.0)


def _moved(one: TaskContrast, numbers: NDArray[np.int64], size: int, kind: str, rows: tuple[int, int]) -> Floats:
    """Shape `(U,)`: by how much each unit moves an effect, of length 1; 0 where nothing is known of that."""
    task = one.task
    treatment, control = (oriented(task, row) for row in rows)
    weights = np.ones(task.n_instances) if task.instance_weights is None else task.instance_weights
    both = in_common(task, treatment, control)
    if one.sizes.limited[rows[0]] and kind != "or":
        return np.zeros(size)
    moved = weights[both] * influences(treatment[both], control[both], weights[both], kind)
    of_units = np.bincount(numbers[both], weights=moved, minlength=size)
    length = float(np.sqrt((of_units**2).sum()))
    return of_units / length if length > 0 else np.zeros(size)


def _related(correlation: Floats, numbers: Floats) -> bool:
    """Whether tasks that number their instances alike go together as they would not if these were different instances.

    Then a correlation has the variance 1 / max(n_j, n_l).
    """
    first, second = np.triu_indices(len(numbers), 1)
    return go_together(correlation[first, second], 1 / np.sqrt(np.maximum(numbers[first], numbers[second])))


def _alike(correlation: Floats, number: int) -> Floats:
    """Correlations, or where there are too few units to tell what follows from several tasks, those near 1 only."""
    if len(correlation) < number - 1:
        return correlation
    return np.where(correlation**2 > 1 - _NEW, correlation, np.eye(len(correlation)))


def saying_nothing(alike: Floats, here: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Shape `(k,)`: of the tasks that are here, those that move as an earlier one, or a sum of earlier ones, does."""
    silent = np.zeros(len(here), dtype=np.bool_)
    told = np.zeros((int(here.sum()), len(here)))  # what each task that says something adds to those before it
    number = 0
    for task in np.flatnonzero(here).tolist():
        left = alike[task] - told[:number, task] @ told[:number]
        silent[task] = left[task] < _NEW
        if not silent[task]:
            told[number] = left / np.sqrt(left[task])
            number += 1
    return silent


def _drawn(correlation: Floats, number: int) -> Floats:
    """Draw correlations to their mean by as much as they are uncertain."""
    apart = ~np.eye(len(correlation), dtype=np.bool_)
    found = correlation[apart]
    mean = found.mean()
    uncertain, spread = ((1 - found**2) ** 2).sum() / (number - 1), ((found - mean) ** 2).sum()
    share = min(uncertain / spread, 1.0) if spread > 0 else 1.0
    smooth: Floats = np.where(apart, (1 - share) * correlation + share * mean, 1.0)
    return smooth


def _scaled(correlation: Floats, variance: Floats, kept: Sequence[TaskContrast], kind: str, row: int) -> Floats:
    """From correlations to covariances."""
    if kind == "smd":
        n = np.array([one.pairs.n[row] for one in kept])
        d = np.array([one.sizes.effect[row] for one in kept]) / (1 - 3 / (4 * (n - 1) - 1))
        first = np.sqrt(variance / (1 + d**2 / 2))
        second = first * d / np.sqrt(2)
        matrix: Floats = correlation * np.outer(first, first) + correlation**2 * np.outer(second, second)
    else:
        matrix = correlation * np.outer(np.sqrt(variance), np.sqrt(variance))
    np.fill_diagonal(matrix, variance)
    return matrix


def check_covariance(covariance: Floats, tasks: Sequence[str]) -> Floats:
    """Return a covariance matrix; refuse what is none, or has no inverse.

    Raises
    ------
    InputError
        It is not square, not symmetric, has a number that is not finite or a variance that is not above 0; or some
        effects depend on each other completely; the message names them.
    """
    shape = covariance.shape
    if shape != (len(tasks), len(tasks)):
        raise InputError(f"variances have shape {shape}; give one for each effect, or a matrix of {len(tasks)} rows")
    if not np.isfinite(covariance).all() or not (np.diagonal(covariance) > 0).all():
        raise InputError("a covariance matrix must be finite, with variances above 0 on its diagonal")
    if not np.allclose(covariance, covariance.T, rtol=1e-9, atol=0):
        raise InputError("a covariance matrix must be symmetric; give the same number for (a, b) and for (b, a)")
    deviation = np.sqrt(np.diagonal(covariance))
    correlation = covariance / np.outer(deviation, deviation)
    off = np.abs(np.triu(correlation, 1))
    if len(tasks) > 1 and off.max() > 1 - _SINGULAR:
        one, other = (tasks[place] for place in np.unravel_index(off.argmax(), off.shape))
        if off.max() > 1 + _SINGULAR:
            raise InputError(f"the covariance of {one!r} and {other!r} is larger than their variances allow")
        raise InputError(f"the effects on {one!r} and {other!r} correlate perfectly; leave one of the two out")
    values, axes = np.linalg.eigh(correlation)
    if values[0] < -_SINGULAR * len(tasks):
        raise InputError("the covariance matrix has a negative eigenvalue, so no effects can vary together like this")
    if values[0] < _SINGULAR * values[-1]:
        name = tasks[int(np.abs(axes[:, 0]).argmax())]
        raise InputError(f"the effect on {name!r} follows from the others, as a mean of them does; leave it out")
    return covariance


#: Degrees of freedom below which an interval is mostly a matter of their number.
_FEW = 4.0

#: Share of the summary that is shown as one below 0.
_BELOW = 5e-4


@dataclass(frozen=True, slots=True, eq=False)
class Dependence(Frozen):
    """How the effects on k tasks depend on each other.

    Attributes
    ----------
    covariance
        Shape `(k, k)`: V, which generalised least squares uses.
    clusters
        Shape `(k,)`: number of the cluster of each task. Tasks of different clusters have no covariance.
    alike
        Shape `(k, k)`: correlations by which tasks say nothing new where others are there; they are then left out.
    silent
        Shape `(k,)`: the tasks that are left out where all are there.
    robust
        Whether the variance of a mean is CR2 over clusters, where there are two.
    sets
        Tasks that share instances, or clusters of these, by index.
    shared, drawn
        What they share, and of what there are few; see `Covariance`.
    """

    covariance: Floats
    clusters: NDArray[np.int64]
    alike: Floats
    silent: NDArray[np.bool_]
    robust: bool
    sets: tuple[tuple[int, ...], ...] = ()
    shared: str = "instances"
    drawn: str = ""

    @classmethod
    def among(
        cls,
        covariance: Floats,
        cluster: NDArray[np.int64] | None = None,
        *,
        alike: Floats | None = None,
        robust: bool = True,
        sets: tuple[tuple[int, ...], ...] = (),
        shared: str = "instances",
        drawn: str = "",
    ) -> Self:
        """Join into clusters what has covariance, or a cluster of the user's, in common."""
        linked = covariance != 0
        for places in sets:
            linked[np.ix_(places, places)] = True
        if cluster is not None:
            linked = linked | (cluster[:, None] == cluster)
        clusters = _components(linked)
        alike = np.eye(len(covariance)) if alike is None else alike
        silent = saying_nothing(alike, np.ones(len(alike), dtype=np.bool_))
        return cls(covariance, clusters, alike, silent, robust, sets, shared, drawn)

    @property
    def several(self) -> bool:
        """Whether intervals are robust: they are asked for, and there are two clusters."""
        return self.robust and np.unique(self.clusters[~self.silent]).size > 1

    @property
    def related(self) -> bool:
        """Whether intervals allow for true effects that are related: they are robust, and a cluster has several."""
        return self.several and bool(np.bincount(self.clusters[~self.silent]).max() > 1)

    def interval(self, pooling: Pooling) -> str:
        """What the interval of the summary is called; that of a model has k − 1 degrees of freedom by default."""
        if self.several:
            return "cr2"
        return "adhoc" if pooling.interval == "satterthwaite" else pooling.interval

    def summarise(self, effect: Floats, pooling: Pooling, *, profile: bool = True) -> Pooled:
        """Pool each row of effects, shape `(A, k)` with NaN where a task is absent."""
        # In units of the largest variance, a power of 4, squares of variances are numbers, and no digit changes.
        unit = 2.0 ** float(np.floor(np.log2(np.diagonal(self.covariance).max()) / 2))
        scaled = replace(self, covariance=self.covariance / unit / unit)
        return in_units(scaled.pooled(effect / unit, pooling, profile=profile), unit)

    def heard(self, effect: Floats) -> NDArray[np.bool_]:
        """Shape `(A, k)`: the tasks of each row that say something new."""
        here = ~np.isnan(effect)
        if not self.silent.any():  # so no task follows from fewer of them either
            return here
        heard: NDArray[np.bool_] = here & ~np.array([saying_nothing(self.alike, row) for row in here])
        return heard

    def confined(self, effect: Floats) -> NDArray[np.bool_]:
        """Shape `(A,)`: whether all of several tasks are in one cluster, though the summary is robust over clusters."""
        heard = self.heard(effect)
        number = np.array([np.unique(self.clusters[row]).size for row in heard])
        confined: NDArray[np.bool_] = self.several & (number < 2) & (heard.sum(axis=1) > 1)
        return confined

    def pooled(self, effect: Floats, pooling: Pooling, *, profile: bool) -> Pooled:
        """Pool each row of effects as they are, without units."""
        effect = np.where(self.heard(effect), effect, np.nan)
        if not self.robust:
            return pool_dependent(effect, self.covariance, pooling, profile=profile)
        rows = [self._robust(row, pooling, profile=profile) for row in effect]
        return Pooled.joined(rows, (len(rows),))

    def _robust(self, effect: Floats, pooling: Pooling, *, profile: bool) -> Pooled:
        """Pool one row; CR2 where its tasks are in two clusters."""
        here = ~np.isnan(effect)
        rotated = Rotated.of(effect[here][None], self.covariance[np.ix_(here, here)])
        pooled, fit = pool_model(rotated, pooling, profile=profile)
        weight = np.zeros((1, effect.size))
        weight[:, here] = pooled.weight
        clusters = self.clusters[here]
        if np.unique(clusters).size < 2:
            pooled = replace(pooled, weight=weight)
            return with_new_task(pooled, rotated, pooling) if profile else pooled
        variance, freedom = robust_variance(effect[here][None] - fit.mean[:, None], rotated.inverse(fit), clusters)
        alike = fit.q <= ALIKE * (rotated.count - 1)
        std_error = np.sqrt(np.where(alike, 1 / fit.total, variance))
        pooled = with_ends(replace(pooled, std_error=std_error, freedom=freedom, weight=weight), pooling)
        return with_new_task(pooled, rotated, pooling, robust=True) if profile else pooled

    def between(self, of_group: Floats, pooling: Pooling) -> tuple[float, float]:
        """Cochran's Q of the summaries of groups, rows of effects, which may covary; and its p-value.

        It takes true effects as unrelated, so there is none where the summary does not.
        """
        if self.related:
            return float("nan"), float("nan")
        known = replace(self, robust=False).summarise(of_group, replace(pooling, interval="normal"), profile=False)
        own = np.where(np.isnan(known.tau2), 0.0, known.tau2) * (known.weight**2).sum(axis=1)
        covariance = known.weight @ self.covariance @ known.weight.T + np.diag(own)
        told = replace(pooling, estimator="fixed", interval="normal")
        q = pool_dependent(known.estimate[None], covariance, told, profile=False)
        return float(q.q[0]), float(q.q_p[0])

    def record(self, tasks: Sequence[str]) -> TaskDependence:
        """What a meta-analysis says of it."""
        clusters = [np.flatnonzero(self.clusters == number) for number in range(self.clusters.max() + 1)]
        return TaskDependence(
            sets=tuple(tuple(tasks[place] for place in places) for places in self.sets),
            clusters=tuple(tuple(tasks[place] for place in places.tolist()) for places in clusters),
            covariance=self.covariance,
            shared=self.shared,
        )

    def first_tasks(self, tasks: Sequence[str]) -> dict[str, str]:
        """Of each task that depends on others the first of these."""
        first = [int(np.argmax(self.clusters == number)) for number in self.clusters]
        several = np.bincount(self.clusters)[self.clusters] > 1
        return {task: tasks[place] for task, place, many in zip(tasks, first, several, strict=True) if many}

    def refuse_moderators(self) -> None:
        """Refuse to ask what effects depend on where they depend on each other.

        Raises
        ------
        MethodError
            Tasks share instances or clusters of these, covary, or are in one cluster.
        """
        if self.sets:
            why = f"some share {self.shared}; keep one of each set (--tasks)"
            raise MethodError(f"moderators need tasks that are independent, and {why}")
        if np.bincount(self.clusters).max() == 1:
            return
        what, one = "covariances", "set"
        if not (self.covariance - np.diag(np.diagonal(self.covariance))).any():
            what, one = "clusters", "cluster"
        raise MethodError(
            f"moderators take effects as independent, and the {what} given say that they are not; "
            f"leave the moderators out, or take one task of each {one}"
        )

    def group_notes(self, names: Sequence[str], of_group: Floats) -> list[str]:
        """Say what to know of summaries of groups, rows of effects."""
        notes = []
        if self.related and len(names) > 1:
            notes.append("groups are not tested against each other, as true effects in a cluster may be related")
        if alone := [name for name, one in zip(names, self.confined(of_group), strict=True) if one]:
            after = ": its interval holds" if len(alone) == 1 else ": their intervals hold"
            why = f"{after} only if true effects are unrelated"
            notes.append(with_names("one cluster has all tasks of ", alone, why))
        return notes

    def notes(self, tasks: Sequence[str], pooled: Pooled) -> list[str]:
        """Say what was done, and what to know of it."""
        notes, number = [], int(self.clusters.max()) + 1
        if self.sets:
            shared = f"tasks share {self.shared} ({how_many(len(self.sets), 'set')}), so their covariance is used"
            if self.several:
                notes.append(f"{shared}; the interval is robust, over {how_many(number, 'cluster')} of tasks")
            elif number > 1:
                notes.append(f"{shared}; the interval holds if their true effects are unrelated")
            else:
                notes.append(f"{shared}; how far other test sets differ cannot be known from these")
        elif not self.several and number == 1:
            notes.append("all tasks are in one cluster, so the interval holds only if their true effects are unrelated")
        if self.several and pooled.freedom[0] < _FEW:
            notes.append(
                f"the clusters give only {pooled.freedom[0]:.1f} degrees of freedom, so the interval is wide; "
                "tasks in other clusters would help"
            )
        if silent := [task for task, left in zip(tasks, self.silent, strict=True) if left]:
            notes.append(with_names("no weight, as other tasks tell the same of every instance: ", silent))
        if below := [task for task, weight in zip(tasks, pooled.weight[0], strict=True) if weight < -_BELOW]:
            notes.append(with_names("weight below 0, as a more precise task with these instances moves alike: ", below))
        if self.drawn:
            few = f"fewer than ten {self.drawn} for each task that shares them"
            notes.append(f"{few}, so their correlations are smoothed")
        return notes


def _components(linked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Numbers of what is linked, directly or by others, in the order of first places."""
    number = np.full(len(linked), -1)
    for first in range(len(linked)):
        if number[first] >= 0:
            continue
        here = np.zeros(len(linked), dtype=np.bool_)
        new = here.copy()
        new[first] = True
        while new.any():
            here |= new
            new = linked[new].any(axis=0) & ~here
        number[here] = number.max() + 1
    return number


@dataclass(frozen=True, slots=True)
class Clustering:
    """What is asked about the dependence of tasks.

    Attributes
    ----------
    headings
        Name of the cluster of each task that is in one.
    detect
        Whether tasks that share instances count as dependent.
    robust
        Whether intervals are robust, over clusters.
    families
        Name of the family of each task that shares one; tasks of a family are in one cluster, where intervals are
        robust.
    """

    headings: Mapping[str, str]
    detect: bool
    robust: bool
    families: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        tasks: Sequence[str],
        cluster: Mapping[str, Sequence[str]] | None,
        *,
        families: Sequence[str] = (),
        interval: str | None,
        like: str | None,
    ) -> Self:
        """Settle it: intervals are robust unless one is named, and another tool knows no dependence.

        Raises
        ------
        LabelError
            A cluster names a task that is not there, or two clusters name the same.
        MethodError
            All tasks are in one cluster; or an interval, or a tool to imitate, is named beside clusters.
        """
        refuse_beside_clusters(cluster, interval=interval, like=like)
        headings = headings_of("cluster", tasks, cluster)
        names = set(headings.values())
        if len(names) == 1 and len(headings) == len(tasks) > 1:
            raise MethodError(
                f"all {len(tasks):,} tasks are in cluster {names.pop()!r}, and a robust error needs two clusters; "
                "name fewer tasks in it, or leave the cluster out"
            )
        sizes = Counter(families)
        shared = {task: name for task, name in zip(tasks, families, strict=False) if sizes[name] > 1}
        return cls(headings, like is None, interval is None and like is None, shared)

    def dependence(self, tasks: Sequence[str], variance: Floats, covariance: Covariance | None) -> Dependence | None:
        """Dependence of the effects on some tasks; None where there is none."""
        families = [self.families.get(task, "") for task in tasks] if self.robust else []
        together = any(name and size > 1 for name, size in Counter(families).items())
        if not (self.headings or together or covariance is not None):
            return None
        linked = np.eye(len(tasks), dtype=np.bool_)
        for names in ([self.headings.get(task, "") for task in tasks], families if together else []):
            of = np.array(names, dtype=object)
            if of.size:
                linked |= (of[:, None] == of) & (of != "")
        numbers = _components(linked)
        if covariance is None:
            return Dependence.among(np.diag(variance), numbers, robust=self.robust)
        return Dependence.among(
            covariance.matrix,
            numbers,
            alike=covariance.alike,
            robust=self.robust,
            sets=covariance.sets,
            shared=covariance.shared,
            drawn=covariance.drawn,
        )

    def notes(self, shared: Sequence[Units]) -> list[str]:
        """Say that sets of instances, or clusters, that are shared are not looked at, if so."""
        if self.families and not self.robust and self.detect:
            names = sorted(set(self.families.values()))
            return [with_names("tasks of one family count as independent with this interval: ", names)]
        if self.detect or not shared:
            return []
        said = f"tasks that share {what_is_shared(shared)} ({how_many(len(shared), 'set')}) count as independent"
        return [f"{said}, as in Ranger: the interval is too narrow"]


def refuse_beside_clusters(cluster: object, *, interval: str | None, like: str | None) -> None:
    """Refuse clusters of tasks beside what has no use for them.

    Raises
    ------
    MethodError
        An interval, or a tool to imitate, is named too.
    """
    if cluster and (interval is not None or like is not None):
        named = f"interval {interval!r}" if interval is not None else f"like {like!r}"
        raise MethodError(f"clusters of tasks have an interval of their own; leave out {named}, or the clusters")


def headings_of(what: str, tasks: Sequence[str], groups: Mapping[str, Sequence[str]] | None) -> dict[str, str]:
    """Heading of each task that one of the groups names by label or glob; `what` is "group" or "cluster".

    Raises
    ------
    LabelError
        A group names a task that is not there, or two groups name the same.

    Examples
    --------
    >>> headings_of("cluster", ["mnli-m", "mnli-mm", "rte"], {"mnli": ["mnli*"]})
    {'mnli-m': 'mnli', 'mnli-mm': 'mnli'}
    """
    headings: dict[str, str] = {}
    given: object = groups
    if given is not None and not isinstance(given, Mapping):
        example = "as in {'inference': ['mnli', 'rte']}"
        raise LabelError(f"{what}s are given as headings with the tasks below each, {example}")
    for name, patterns in (groups or {}).items():
        found = matching("task", patterns, tasks)
        if not found:
            raise LabelError(f"{what} {name!r} names no task; leave it out")
        for task in found:
            if headings.setdefault(task, name) != name:
                raise LabelError(f"task {task!r} is in the {what}s {headings[task]!r} and {name!r}; keep one")
    return headings
