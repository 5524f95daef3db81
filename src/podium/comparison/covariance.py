"""The covariance of effects on tasks that share instances or clusters, from what each instance moves them by."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.base.frozen import Frozen
from podium.comparison.contrast import Contrasts, TaskContrast, in_common, oriented
from podium.comparison.effect import influences
from podium.score.units import Units, go_together, numbered

#: Share of the variance of an effect that others must leave unexplained, or it tells nothing new; ρ is then 0.999.
_NEW = 0.002

#: Instances, or clusters, of each task below which correlations are uncertain, so that they are drawn to their mean.
_ENOUGH = 10

#: Share of the largest eigenvalue of correlations below which one is 0.
_SINGULAR = 1e-10

#: Numbers of influences held at once.
_AT_ONCE = 2**24

Floats = NDArray[np.float64]


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
    effect j by (see `podium.comparison.effect.influences`), two effects correlate by

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

    width = max(_AT_ONCE // len(tasks), 1)
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
