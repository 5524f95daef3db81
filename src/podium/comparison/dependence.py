"""Dependent effects: which tasks belong together, and how they are pooled by their covariance and by clusters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Frozen
from podium.base.errors import MethodError
from podium.base.words import Doubt, how_many, with_names
from podium.comparison.contrast import Contrasts, paired
from podium.comparison.effects import EFFECTS
from podium.comparison.pooling import ALIKE, Pooled, Pooling, pool_model, with_ends, with_new_task
from podium.comparison.random_effects import Rotated
from podium.comparison.summary import WEIGHT_BELOW, TaskDependence
from podium.score.units import Units, go_together, numbered

#: Numbers of covariance matrices that are taken apart at once.
_AT_ONCE = 2**22


def pool_dependent(effect: Floats, covariance: Floats, pooling: Pooling, *, profile: bool = True) -> Pooled:
    """Pool effects by generalised least squares: μ = 1ᵀWy / 1ᵀW1 with W = (V + τ² I)⁻¹.

    All else is as in `podium.comparison.pooling.pool`, here for any covariance matrix: Q = rᵀV⁻¹r,
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
        pieces.append(pool_model(Rotated.of(effect[at : at + rows], some), pooling, profile=profile)[0])
    return Pooled.joined(pieces, (len(effect),))


def robust_variance(residual: Floats, inverse: Floats, clusters: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Compute the variance of μ = 1ᵀWy / 1ᵀW1 by CR2, whatever effects covary inside a cluster, and its df.

    With r = y − μ, m = 1 / 1ᵀW1 and Φ = W⁻¹, the variance is m² Σ_g (1ᵀW_g A_g r_g)² over clusters. A_g makes it
    unbiased where W is right: it is the symmetric solution of A_g (Φ_g − m 11ᵀ) A_g = Φ_g. The terms of the sum are
    squares of normal numbers with covariance matrix P, so that the degrees of freedom are (tr P)² / tr P²
    (Satterthwaite). With one task in each cluster A is 1 / √(1 − h), that of HC2.

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
    >>> variance, df = robust_variance(residual, inverse, np.array([0, 0, 1]))
    >>> variance.round(6), df.round(6)
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
    """Return places of the tasks of each cluster, shape `(clusters, tasks)` for those of each size."""
    order = np.argsort(clusters, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(clusters[order])) + 1)
    sizes = sorted({group.size for group in groups})
    return [np.array([group for group in groups if group.size == size]) for size in sizes]


def _others(of_each: Floats) -> Floats:
    """Sum over all other clusters, shape `(A, clusters)`; without a subtraction, which costs digits."""
    none = np.zeros((len(of_each), 1))
    before = np.concatenate([none, of_each.cumsum(axis=1)[:, :-1]], axis=1)
    after = np.concatenate([none, of_each[:, ::-1].cumsum(axis=1)[:, :-1]], axis=1)[:, ::-1]
    return np.asarray(before + after)


def _alone(block: Floats, left: Floats) -> Floats:
    """Compute w A of clusters of one task, shape `(A, clusters, 1)`; `left` is 1 − h."""
    root = np.sqrt(left)[..., None]
    return np.divide(block[..., 0], root, out=np.zeros_like(root), where=root > 0)


def _together(block: Floats, left: Floats) -> Floats:
    """Compute 1ᵀW A of clusters of several tasks, shape `(A, clusters, tasks)`; `left` is 1 − h with h = m 1ᵀW_g 1.

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
    return np.asarray(np.einsum("agj,agji,agli->agl", along, axes, lower))


#: Share of the variance of an effect that others must leave unexplained, or it tells nothing new; ρ is then 0.999.
_NEW = 0.002

#: Instances, or clusters, of each task below which correlations are uncertain, so that they are shrunk to their mean.
_ENOUGH = 10


@dataclass(frozen=True, slots=True, eq=False)
class Covariance(Frozen):
    """Covariance of the effects of a treatment on k tasks.

    Attributes
    ----------
    matrix
        Shape `(k, k)`: V, with the variances of the effects on its diagonal.
    alike
        Shape `(k, k)`: correlations by which tasks may say nothing new, see `redundant_tasks`.
    sets
        Tasks that share instances, or clusters of these, by index.
    shared
        What the tasks of a set share: "instances", "clusters", or both words.
    shrunk
        How many of these there are for how many tasks, of the first set with few, whose correlations were shrunk to
        their mean; empty if there is none.
    """

    matrix: Floats
    alike: Floats
    sets: tuple[tuple[int, ...], ...] = ()
    shared: str = "instances"
    shrunk: str = ""

    @classmethod
    def given(cls, matrix: Floats) -> Self | None:
        """Take a matrix whose origin is not known; None where it has no covariances."""
        return None if np.count_nonzero(matrix) == len(matrix) else cls(matrix, np.eye(len(matrix)))

    def with_variance(self, variance: Floats) -> Self:
        """Keep the correlations, with other variances."""
        ratio = np.sqrt(variance / np.diagonal(self.matrix))
        return replace(self, matrix=self.matrix * np.outer(ratio, ratio))


def what_is_shared(units: Iterable[Units]) -> str:
    """Return "instances", "clusters", or "instances or clusters"; nothing where there is no set."""
    return " or ".join(sorted({one.noun for one in units}, reverse=True))


def covariance_of(contrasts: Contrasts, row: int) -> Covariance | None:
    """Return the covariance of the effects of a treatment on the kept tasks, if some share instances or clusters.

    With s_ju = Σ w_i x_ij over the instances i of unit u (an instance, or a cluster), x_ij being what instance i moves
    effect j by (see `podium.comparison.effects.Influence`), two effects correlate by

        ρ_jl = Σ_u s_ju s_lu / √(Σ_u s_ju² Σ_u s_lu²),

    sums in the denominator over all units of each, and covary by ρ_jl √(v_j v_l): so a task has its variance with
    itself. A standardised difference has a second source of error, its standard deviation: of v = a (1 + d²/2) the
    parts d²/2 covary by ρ² with the sign of d_j d_l (Gleser & Olkin 2009).

    Where a set has fewer than ten units for each of its tasks, ρ becomes (1 − λ) ρ + λ ρ̄ with the mean ρ̄ and
    λ = Σ (1 − ρ²)² / (U − 1) / Σ (ρ − ρ̄)², at most 1 (Schäfer & Strimmer 2005), as V would have no useful inverse.

    Instances that are only numbered, from 0 or 1, are the same in all tasks if effects on them go together: files of
    different data sets are numbered alike, and so are metrics of one data set. If these were different instances, a
    correlation would have the variance 1 / max(n_j, n_l).
    """
    kept, sizes, every = contrasts.kept(row), contrasts.sizes, contrasts.scores.tasks
    correlation, alike = np.eye(len(kept)), np.eye(len(kept))
    sets, used, shrunk = [], [], []
    for units in contrasts.shared:
        of = [(kept.index(at), units.of[place]) for place, at in enumerate(units.tasks) if at in kept]
        if len(of) < 2:
            continue
        places = [place for place, _ in of]
        found = _correlation(contrasts, [(kept[place], numbers) for place, numbers in of], units.number, row)
        if units.clusters is None and all(numbered(every[kept[place]].instances) for place in places):
            first, second = np.triu_indices(len(places), 1)
            n = contrasts.common[[kept[place] for place in places], row]
            if not go_together(found[first, second], 1 / np.sqrt(np.maximum(n[first], n[second]))):
                continue
        grid, few = np.ix_(places, places), units.number < _ENOUGH * len(places)
        # where there are too few units to tell what follows from several tasks, only correlations near 1 say so
        told = len(places) < units.number - 1
        alike[grid] = found if told else np.where(found**2 > 1 - _NEW, found, np.eye(len(places)))
        correlation[grid] = _shrunk(found, units.number) if few else found
        sets.append(tuple(places))
        used.append(units)
        if few and len(places) > 2:
            shrunk.append(f"{units.number:,} {what_is_shared([units])} for {len(places)} tasks that share them")
    if not sets:
        return None
    variance = sizes.variance[kept, row]
    if contrasts.kind == "smd":
        d = sizes.effect[kept, row] / (1 - 3 / (4 * (contrasts.pairs.n[kept, row] - 1) - 1))
        root = np.sqrt(variance / (1 + d**2 / 2))
        second_part = root * d / np.sqrt(2)
        matrix = correlation * np.outer(root, root) + correlation**2 * np.outer(second_part, second_part)
    else:
        matrix = correlation * np.outer(np.sqrt(variance), np.sqrt(variance))
    np.fill_diagonal(matrix, variance)
    return Covariance(matrix, alike, tuple(sets), what_is_shared(used), next(iter(shrunk), ""))


def _correlation(contrasts: Contrasts, tasks: Sequence[tuple[int, NDArray[np.int64]]], size: int, row: int) -> Floats:
    """Shape `(m, m)`: ρ of the tasks of a set, given with the unit of each instance, of so many units."""

    def moved(at: int, numbers: NDArray[np.int64]) -> Floats:
        """Shape `(U,)`: by how much each unit moves an effect, of length 1; 0 where nothing is known of that."""
        if contrasts.sizes.limited[at, row] and contrasts.kind != "or":
            return np.zeros(size)
        treatment, control, weights, both = paired(contrasts.scores.tasks[at], row, contrasts.control_row)
        own = weights * EFFECTS[contrasts.kind].influence(treatment, control, weights)
        of_units = np.bincount(numbers[both], weights=own, minlength=size)
        length = float(np.sqrt((of_units**2).sum()))
        return of_units / length if length > 0 else np.zeros(size)

    every = np.array([moved(*one) for one in tasks])
    gram = every @ every.T
    np.fill_diagonal(gram, 1.0)
    return np.asarray(np.clip(gram, -1.0, 1.0))


def redundant_tasks(alike: Floats, here: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Shape `(k,)`: of the tasks that are here, those that move as an earlier one, or a sum of earlier ones, does."""
    redundant = np.zeros(len(here), dtype=np.bool_)
    told = np.zeros((int(here.sum()), len(here)))  # what each task that says something adds to those before it
    number = 0
    for task in np.flatnonzero(here).tolist():
        left = alike[task] - told[:number, task] @ told[:number]
        redundant[task] = left[task] < _NEW
        if not redundant[task]:
            told[number] = left / np.sqrt(left[task])
            number += 1
    return redundant


def _shrunk(correlation: Floats, number: int) -> Floats:
    """Shrink correlations to their mean by as much as they are uncertain."""
    apart = ~np.eye(len(correlation), dtype=np.bool_)
    found = correlation[apart]
    mean = found.mean()
    uncertain, spread = ((1 - found**2) ** 2).sum() / (number - 1), ((found - mean) ** 2).sum()
    share = min(uncertain / spread, 1.0) if spread > 0 else 1.0
    return np.where(apart, (1 - share) * correlation + share * mean, 1.0)


#: Degrees of freedom below which an interval is mostly a matter of their number.
_FEW = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class Dependence(Frozen):
    """Dependence of the effects on k tasks on each other, and how they are pooled with it.

    Attributes
    ----------
    covariance
        Which generalised least squares uses.
    clusters
        Shape `(k,)`: number of the cluster of each task. Tasks of different clusters have no covariance.
    redundant
        Shape `(k,)`: the tasks that say nothing new where all are there; they are then left out.
    robust
        Whether the variance of a mean is CR2 over clusters, where there are two.
    """

    covariance: Covariance
    clusters: NDArray[np.int64]
    redundant: NDArray[np.bool_]
    robust: bool

    @classmethod
    def of(cls, covariance: Covariance, linked: NDArray[np.bool_], *, robust: bool) -> Self:
        """Join into clusters what has covariance, or is linked, shape `(k, k)`."""
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415  # slow to import

        linked = linked | (covariance.matrix != 0)
        for places in covariance.sets:
            linked[np.ix_(places, places)] = True
        redundant = redundant_tasks(covariance.alike, np.ones(len(linked), dtype=np.bool_))
        return cls(covariance, connected_components(linked)[1].astype(np.int64), redundant, robust)

    @property
    def several(self) -> bool:
        """Return whether intervals are robust: they are asked for, and there are two clusters."""
        return self.robust and np.unique(self.clusters[~self.redundant]).size > 1

    @property
    def related(self) -> bool:
        """Return whether intervals allow for related true effects: they are robust, and a cluster has several."""
        return self.several and bool(np.bincount(self.clusters[~self.redundant]).max() > 1)

    def interval(self, pooling: Pooling) -> str:
        """Return the name of the interval of the summary; that of a model has k − 1 degrees of freedom by default."""
        if self.several:
            return "cr2"
        return "adhoc" if pooling.interval == "satterthwaite" else pooling.interval

    def heard(self, effect: Floats) -> NDArray[np.bool_]:
        """Shape `(A, k)`: the tasks of each row that say something new."""
        here = ~np.isnan(effect)
        if not self.redundant.any():  # so no task follows from fewer of them either
            return here
        return np.asarray(here & ~np.array([redundant_tasks(self.covariance.alike, row) for row in here]))

    def confined(self, effect: Floats) -> NDArray[np.bool_]:
        """Shape `(A,)`: whether all of several tasks are in one cluster, though the summary is robust over clusters."""
        heard = self.heard(effect)
        number = np.array([np.unique(self.clusters[row]).size for row in heard])
        return np.asarray(self.several & (number < 2) & (heard.sum(axis=1) > 1))

    def comparable(self, pooled: Pooled, effect: Floats) -> Pooled:
        """Take away the errors of confined analyses, which are of another kind than that of the summary."""
        names = ("std_error", "df", "low", "high", "prediction_low", "prediction_high")
        confined = self.confined(effect)
        return replace(pooled, **{name: np.where(confined, np.nan, getattr(pooled, name)) for name in names})

    def summarise(self, effect: Floats, pooling: Pooling, *, profile: bool = True) -> Pooled:
        """Pool each row of effects, shape `(A, k)` with NaN where a task is absent."""
        # In units of the largest variance, a power of 4, squares of variances are numbers, and no digit changes.
        matrix = self.covariance.matrix
        unit = 2.0 ** float(np.floor(np.log2(np.diagonal(matrix).max()) / 2))
        matrix, effect = matrix / unit / unit, np.where(self.heard(effect), effect, np.nan) / unit
        if self.robust:
            rows = [self._robust(row, matrix, pooling, profile=profile) for row in effect]
            found = Pooled.joined(rows, (len(rows),))
        else:
            found = pool_dependent(effect, matrix, pooling, profile=profile)
        names = ("estimate", "std_error", "low", "high", "prediction_low", "prediction_high")
        scaled = {name: getattr(found, name) * unit for name in names}
        scaled |= {name: getattr(found, name) * unit * unit for name in ("tau2", "tau2_low", "tau2_high")}
        return replace(found, **scaled)

    def _robust(self, effect: Floats, covariance: Floats, pooling: Pooling, *, profile: bool) -> Pooled:
        """Pool one row; CR2 where its tasks are in two clusters."""
        here = ~np.isnan(effect)
        clusters = self.clusters[here]
        several = np.unique(clusters).size > 1
        rotated = Rotated.of(effect[here][None], covariance[np.ix_(here, here)])
        pooled, fit = pool_model(rotated, pooling, profile=profile, new_task=not several)
        weight = np.zeros((1, effect.size))
        weight[:, here] = pooled.weight
        pooled = replace(pooled, weight=weight)
        if not several:
            return pooled
        variance, df = robust_variance(effect[here][None] - fit.mean[:, None], rotated.inverse(fit), clusters)
        std_error = np.sqrt(np.where(fit.q <= ALIKE * (rotated.count - 1), 1 / fit.total, variance))
        pooled = with_ends(replace(pooled, std_error=std_error, df=df), pooling)
        return with_new_task(pooled, rotated, pooling, robust=True) if profile else pooled

    def between(self, of_group: Floats, pooling: Pooling) -> tuple[float, float]:
        """Return Cochran's Q of the summaries of groups, rows of effects, which may covary; and its p-value.

        It takes true effects as unrelated, so there is none where the summary does not.
        """
        if self.related:
            return float("nan"), float("nan")
        known = replace(self, robust=False).summarise(of_group, replace(pooling, interval="normal"), profile=False)
        own = np.where(np.isnan(known.tau2), 0.0, known.tau2) * (known.weight**2).sum(axis=1)
        covariance = known.weight @ self.covariance.matrix @ known.weight.T + np.diag(own)
        fixed = replace(pooling, estimator="fixed", interval="normal")
        q = pool_dependent(known.estimate[None], covariance, fixed, profile=False)
        return float(q.q[0]), float(q.q_p[0])

    def record(self, tasks: Sequence[str]) -> TaskDependence:
        """Return what a meta-analysis says of it."""
        clusters = [np.flatnonzero(self.clusters == number) for number in range(self.clusters.max() + 1)]
        return TaskDependence(
            sets=tuple(tuple(tasks[place] for place in places) for places in self.covariance.sets),
            clusters=tuple(tuple(tasks[place] for place in places.tolist()) for places in clusters),
            covariance=self.covariance.matrix,
            shared=self.covariance.shared,
        )

    def first_tasks(self, tasks: Sequence[str]) -> list[str | None]:
        """Return for each task the first of those that it depends on; None where there is no other."""
        several = np.bincount(self.clusters)[self.clusters] > 1
        return [
            tasks[int(np.argmax(self.clusters == number))] if many else None
            for number, many in zip(self.clusters, several, strict=True)
        ]

    def refuse_moderators(self) -> None:
        """Refuse to ask what effects depend on where they depend on each other.

        Raises
        ------
        MethodError
            Tasks share instances or clusters of these, covary, or are in one cluster.
        """
        if self.covariance.sets:
            why = f"some share {self.covariance.shared}; keep one of each set (--tasks)"
            raise MethodError(f"moderators need tasks that are independent, and {why}")
        if np.bincount(self.clusters).max() == 1:
            return
        what, one = "covariances", "set"
        if np.count_nonzero(self.covariance.matrix) == len(self.clusters):  # on the diagonal
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
        notes, number, covariance = [], int(self.clusters.max()) + 1, self.covariance
        if covariance.sets:
            number_of = how_many(len(covariance.sets), "set")
            shared = f"tasks share {covariance.shared} ({number_of}), so their covariance is used"
            if self.several:
                notes.append(f"{shared}; the interval is robust, over {how_many(number, 'cluster')} of tasks")
            elif number > 1:
                notes.append(f"{shared}; the interval holds if their true effects are unrelated")
            else:
                notes.append(f"{shared}; how far other test sets differ cannot be known from these")
        elif not self.several and number == 1:
            notes.append("all tasks are in one cluster, so the interval holds only if their true effects are unrelated")
        if self.several and pooled.df[0] < _FEW:
            notes.append(
                f"the clusters give only {pooled.df[0]:.1f} degrees of freedom, so the interval is wide; "
                "tasks in other clusters would help"
            )
        if redundant := [task for task, left in zip(tasks, self.redundant, strict=True) if left]:
            notes.append(with_names("no weight, as other tasks tell the same of every instance: ", redundant))
        if below := [task for task, weight in zip(tasks, pooled.weight[0], strict=True) if weight < WEIGHT_BELOW]:
            alike = "weight below 0, as a more precise task with these instances moves alike: "
            notes.append(Doubt(with_names(alike, below)))
        if covariance.shrunk:
            notes.append(f"{covariance.shrunk}: fewer than ten for each, so correlations are smoothed")
        return notes
