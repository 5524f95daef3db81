"""Degrees of freedom of a ranking, of pairs and of systems: how well their standard errors are known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Ints
from podium.base.cluster import at_each
from podium.base.statistics import distinct
from podium.base.words import with_names
from podium.ranking import note
from podium.ranking.bootstrap import drawn_as_a_whole, repeated_scores
from podium.ranking.contributions import contributions_of, n_units, of_task, weighing
from podium.ranking.counted import CountedScores
from podium.ranking.linearised import pseudo_values
from podium.ranking.method import MethodResult
from podium.ranking.method_spec import MethodSpec, method_of, summed_basis
from podium.ranking.repeats import RunSpread
from podium.ranking.separation import ENOUGH
from podium.ranking.variation import power_of_two, squared_differences
from podium.score import prediction_powered
from podium.score.table import Scores
from podium.score.task import Task, extent, masses_of
from podium.score.units import FEW_UNITS, FLIPPED_UNITS, LEAST_FREEDOM, instance_set, units_among
from podium.tally.draw import Resampling

#: Units that a difference rests on, below which no standard error of it is known.
LEAST_EFFECTIVE = 4

#: Scores up to which it is looked at how many units carry a difference.
LOOKED_AT = 2**18

#: Chance with which it is said that runs differ though they do not.
_RUNS_DIFFER = 0.01

#: Products of scores that are added up to see how much each task varies; and instances of a task, at least and at most.
_PRODUCTS, _INSTANCES = 2 * 10**9, (256, 2048)


@dataclass(frozen=True, slots=True, eq=False)
class DegreesOfFreedom:
    """Degrees of freedom of the standard errors of a ranking.

    Attributes
    ----------
    whole
        Of a score or a difference of typical size.
    differences
        Shape `(N, N)`: of each difference, by the units that it rests on; None if all are known as well as the whole.
    pairs
        Shape `(N, N)`: the same, at most those of the units that score either system; of each score on the diagonal.
    least
        Of a score that has an interval.
    """

    whole: float
    differences: Floats | None
    pairs: Floats
    least: float = ENOUGH

    @classmethod
    def alike(cls, whole: float, n_systems: int) -> Self:
        """Return the same for all pairs."""
        return cls(whole, None, np.full((n_systems, n_systems), whole))

    @classmethod
    def of_labels(cls, table: Scores, most: float) -> Self:
        """Return those of a table of pseudo-values, see `podium.score.prediction_powered`, `most` at most."""
        pairs = np.minimum(prediction_powered.degrees_of_freedom(table), most)
        known = np.diag(pairs)[np.diag(pairs) > 0]
        return cls(float(np.median(known)) if known.size else 0.0, None, pairs)

    @classmethod
    def of(
        cls, counted: CountedScores, spec: MethodSpec, resampling: Resampling, result: MethodResult
    ) -> tuple[Self, list[str]]:
        """Return how well the standard errors of a ranking are known, and notes; of too few units, the whole alone."""
        drawn_table, drawn_spec = counted.as_drawn(spec)
        whole, notes = _of_all(drawn_table, drawn_spec, resampling)
        place = result.dense_ranks(counted.given.systems)
        if whole < LEAST_FREEDOM:
            return cls.alike(whole, place.size), notes
        if drawn_table.by_name.human and resampling.of_instances:
            return cls.of_labels(drawn_table.by_name, whole), notes
        own, about_systems = own_df(counted, spec, resampling.units)
        differences, about_pairs = _of_differences(drawn_table, drawn_spec, resampling, whole, place)
        pairs = cls.alike(whole, place.size).pairs if differences is None else differences
        if own is not None:
            pairs = np.minimum(pairs, np.minimum(own[:, None], own))
        return cls(whole, differences, pairs), [*notes, *about_systems, *about_pairs]


def _of_all(counted: CountedScores, spec: MethodSpec, resampling: Resampling) -> tuple[float, list[str]]:
    if resampling.units != "repeats":
        df = degrees_of_freedom(counted.by_name, resampling.units, spec.level)
        notes = note.of_intervals(counted.by_name, resampling.units, df)
        repeats = [task.repeats for task in counted.given.tasks]
        if any(repeats) and not any(own is not None and own.statistic.name in {"max", "min"} for own in repeats):
            spread = RunSpread.of(counted.given, repeats, spec.level, of_orders=not method_of(spec).averages)
            notes += [note.OF_THESE_RUNS] if spread.p < _RUNS_DIFFER else []
        return df, notes
    repeated = repeated_scores(counted, spec, resampling.seed)
    added, masses = _run_once(counted, spec)
    df = 0.0
    if masses.size != 1:
        variance, own = collapsed(added, masses) if masses.size else (np.zeros((1, 1)), 1.0)
        df = repeated.df(spec.level, (np.diag(variance), own))
    return df, note.of_repeats(counted.given, df, repeated.steady, whole=repeated.runs is not None)


def _run_once(counted: CountedScores, spec: MethodSpec) -> tuple[Floats, Floats]:
    """Return what tasks, or families, that were run once add to the scores, `(H, N)`, and what each weighs."""
    names, masses = drawn_as_a_whole(counted, spec, "repeats")
    wanted = [index for index, name in enumerate(names) if name is not None]
    if not wanted:
        return np.zeros((0, len(counted.given.systems))), np.zeros(0)
    families, of = np.unique([str(names[index]) for index in wanted], return_inverse=True)
    basis = summed_basis(spec, "instances")
    alone = counted.counted_for(basis).of_each_task(basis).oriented_score.T[wanted]
    added = np.zeros((families.size, alone.shape[1]))
    np.add.at(added, of, masses[wanted][:, None] * np.nan_to_num(alone))
    return added, np.bincount(of, weights=masses[wanted], minlength=families.size).astype(np.float64)


def _of_differences(
    counted: CountedScores, spec: MethodSpec, resampling: Resampling, df: float, place: Ints
) -> tuple[Floats | None, list[str]]:
    """Return degrees of freedom of each pair if instances or runs are drawn, 0 if it rests on too few; and notes."""
    units, basis = resampling.units, summed_basis(spec, resampling.units)
    if units == "repeats":
        runs = repeated_scores(counted, spec, resampling.seed).runs
        return None if runs is None else runs.of_pairs, []
    if units != "instances":
        return None, []
    if basis.missing == "model":
        pairs = df_of_pairs(pseudo_values(counted, basis)[0].by_name, MethodSpec("mean"), df)
    else:
        pairs = df_of_pairs(counted.by_name, basis, df)
    if n_units(counted.by_name, units) <= FLIPPED_UNITS or counted.by_name.n_cells > LOOKED_AT:
        return pairs, []
    effective = effective_units(contributions_of(counted, basis, units).values)
    pairs = np.where(effective < FEW_UNITS, np.minimum(pairs, effective - 1), pairs)
    pairs[effective < LEAST_EFFECTIVE] = 0.0
    first, second = np.flatnonzero(place == 0), np.flatnonzero(place == 1)
    if first.size == 1 and second.size == 1 and effective[first[0], second[0]] < LEAST_EFFECTIVE:
        both = [counted.given.systems[index] for index in (first[0], second[0])]
        number = float(effective[first[0], second[0]])
        fate = f": their difference rests on {number:.0f} instances, too few to separate them"
        return pairs, [with_names("", both, fate)]
    return pairs, []


def own_df(counted: CountedScores, spec: MethodSpec, units: str) -> tuple[Floats | None, list[str]]:
    """Return degrees of freedom of each system where only what scores it says how good it is; and who has too few.

    Averages leave the rest out; so do methods that count missing scores directly or by a model. Where they are imputed,
    ballots that do not score a system say ½ of it, so all are known.
    """
    leaves_out = (
        method_of(spec).averages or method_of(spec).fitted or counted.context(spec).missing in {"direct", "model"}
    )
    if not leaves_out or units == "repeats":
        return None, []
    own = df_of_systems(counted.by_name, units)
    scored = np.sum([task.scored for task in counted.by_name.tasks], axis=0) > 0
    systems = counted.by_name.systems
    few = [system for system, short in zip(systems, (own < LEAST_FREEDOM) & scored, strict=True) if short]
    return own, note.of_few_scores(few, units)


def degrees_of_freedom(scores: Scores, units: str, level: str | None) -> float:
    """Return degrees of freedom of the standard error of a mean over tasks, as if all scores had one variance.

    If tasks are drawn, (Σ w)² / Σ w² − 1 over families, that is F − 1 if all weigh the same. If instances are, see
    `satterthwaite`, over groups of tasks that are drawn together, and tasks of a single unit, which are drawn among
    each other. Unit u weighs a_u = Σ_t w_t v_tu / V_t, v_tu being what its instances weigh of all V_t in task t. The
    units tell as much as (Σ a)² / Σ a² of equal weight, and their mean has the variance Σ a². So of K instances that
    weigh the same they are K; by the number of clusters alone intervals cover too little if sizes differ
    (`docs/formulas.md`).

    0 if a single task with one unit stands alone beside others: nothing shows how it would vary.
    """
    tasks, names = weighing(scores, units)
    if not tasks:
        return 0.0
    weights = np.array([task.weight * (masses_of(task).sum() if level == "one" else 1.0) for task in tasks])
    weights /= weights.max()
    numbers, variances = _whole(names, weights)
    if units != "instances":
        return float(f"{numbers[0] - 1:.12g}") if numbers.size else 0.0
    if numbers.size and numbers[0] < 1 + 1e-9:
        return 0.0
    groups = [(numbers, variances)]
    for group in units_among(tasks):
        weight = np.zeros(group.number)
        for index, unit_of_instance in zip(group.tasks, group.of, strict=True):
            if names[index] is None:
                mass = masses_of(tasks[index])
                of_units = np.bincount(unit_of_instance, weights=mass, minlength=group.number)
                weight += weights[index] * of_units / mass.sum()
        if weight.any():
            groups.append(_effective(weight))
    numbers, variances = (np.concatenate(part) for part in zip(*groups, strict=True))
    return float(f"{satterthwaite(numbers, variances):.12g}")  # of 6 units it is 5, which rounding must not lower


def df_of_pairs(scores: Scores, spec: MethodSpec, whole: float) -> Floats:
    """Shape `(N, N)`: degrees of freedom of the standard error of each difference; of each score on the diagonal.

    If instances are drawn, as `degrees_of_freedom`, but by how much each task was seen to vary: a task on a large scale
    brings its own few degrees, and one heavy instance does not count as a hundred. V_t is what task t adds to the
    variance of S_i − S_j, and ν_t = (Σ v)² / Σ v² − 1 is of the weights v of its units. Tasks that share units add
    their standard deviations, as if they went together: 1 / ν_g = Σ_t √V_t / ν_t / Σ_t √V_t, and V_g = (Σ_t √V_t)².
    Groups add up after Satterthwaite. Of very many instances the first are looked at.

    Parameters
    ----------
    scores
        The table.
    spec
        Method "mean", or "borda" at level "one" or "balanced".
    whole
        Degrees of freedom of differences that do not vary.
    """
    tasks, names = weighing(scores, "instances")
    means, n_systems = method_of(spec).averages, len(scores.systems)
    weights = np.array([task.weight * (masses_of(task).sum() if spec.level == "one" else 1.0) for task in tasks])
    share = weights[:, None] * (np.array([task.scored > 0 for task in tasks]) if means else np.ones((1, n_systems)))
    share = np.divide(share, share.sum(axis=0), out=np.zeros_like(share), where=share.sum(axis=0) > 0)
    most = int(np.clip(_PRODUCTS // (n_systems**2 * len(tasks)), *_INSTANCES))
    if means:  # so that no square overflows
        share /= power_of_two(np.array([_largest(task) for task in tasks]))
    total, squares = np.zeros((2, n_systems, n_systems))
    single: dict[str, Floats] = {}
    for group in units_among(tasks):
        deviation, per_unit = np.zeros((2, n_systems, n_systems))
        for index, unit_of_instance in zip(group.tasks, group.of, strict=True):
            task, name = tasks[index], names[index]
            inside = of_task(_first(task, most), scores.effective_tie_tolerance, means=means).values
            if name is not None:
                single[name] = single.get(name, 0.0) + share[index] * inside.sum(axis=0)
                continue
            variance, df = _task_variance(inside, share[index], masses_of(task), unit_of_instance)
            deviation += np.sqrt(variance)
            per_unit += np.sqrt(variance) / df
        total += deviation**2
        squares += deviation**3 * per_unit
    if single:
        mass = np.array([weights[[other == name for other in names]].sum() for name in single])
        variance, df = collapsed(np.array(list(single.values())), mass)
        total += variance
        squares += variance**2 / df
    return np.divide(total**2, squares, out=np.full_like(total, whole), where=squares > 0)


def _task_variance(values: Floats, share: Floats, mass: Floats, unit_of_instance: Ints) -> tuple[Floats, float]:
    """Return variances `(N, N)` that a task adds to differences, by its first instances, and their df.

    What these add to the scores has shape `(L, N)`, and counts by the share of the task in each; the other two are of
    all instances.
    """
    of_units = np.bincount(unit_of_instance, weights=mass).astype(np.float64)
    df = float(_effective(of_units[of_units > 0])[0][0]) - 1
    own = mass[: len(values)]
    departure = share * (values - own[:, None] / own.sum() * values.sum(axis=0))
    squares = _of_pairs(_sums_of_units(departure, unit_of_instance[: len(values)]))
    return squares * (own.sum() / mass.sum()), df


def collapsed(added: Floats, masses: Floats) -> tuple[Floats, float]:
    """Return variances `(N, N)` that a stratum of tasks of one unit adds to differences, and their degrees of freedom.

    The tasks differ from their mean as if they were drawn from tasks that are all alike in truth. So the variance is
    too large where they are not, and never too small on average.

    Parameters
    ----------
    added
        Shape `(H, N)`: what each task, or family, adds to the scores.
    masses
        Shape `(H,)`: what each weighs; two at least.

    Examples
    --------
    >>> variance, df = collapsed(np.array([[0.5, 0.0], [0.0, 0.5], [0.5, 0.5]]), np.ones(3))
    >>> float(variance[0, 1]), df
    (0.75, 2.0)
    """
    df = float(_effective(masses)[0][0]) - 1
    departure = added - masses[:, None] / masses.sum() * added.sum(axis=0)
    return _of_pairs(departure) * (df + 1) / df, df


def _largest(task: Task) -> float:
    """Return the size of the largest score of a task."""
    return max(map(abs, extent(task))) if task.scored.any() else 0.0


def _first(task: Task, most: int) -> Task:
    """Return the first instances of a task."""
    if task.n_instances <= most:
        return task
    weights = None if task.instance_weights is None else task.instance_weights[:most]
    return task.with_values(task.parts[0][:, :most], instances=None, instance_weights=weights, clusters=None)


def _sums_of_units(departure: Floats, unit: Ints) -> Floats:
    """Shape `(U, N)`: sums over the instances of each unit."""
    if unit.size < 2 or (unit[1:] > unit[:-1]).all():
        return departure
    total = np.zeros((int(unit.max()) + 1, departure.shape[1]))
    np.add.at(total, unit, departure)
    return total


def _of_pairs(departure: Floats) -> Floats:
    """Shape `(N, N)`: Σ_u (r_ui − r_uj)², and Σ_u r_ui² on the diagonal."""
    squares, total = squared_differences(departure)
    squares[squares <= 1e-12 * total] = 0.0
    np.fill_diagonal(squares, np.diag(total) / 2)
    return squares


def effective_units(values: Floats) -> Floats:
    """Shape `(N, N)`: how many units carry a difference, m = (Σ_u d_u²)² / Σ_u d_u⁴; about U / 3 of normal scores.

    Parameters
    ----------
    values
        Shape `(U, N)`: what each unit adds to the score of each system; d_u is a difference of two of these.

    Examples
    --------
    >>> float(effective_units(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))[0, 1])
    2.0
    """
    x = values - values.mean(axis=1, keepdims=True)
    x /= np.abs(x).max(initial=0.0) or 1.0
    second, squares = x.T @ x, np.einsum("ui,ui->i", x, x)
    fourth = np.einsum("ui,ui->i", x**2, x**2)
    cubes, mixed = (x**3).T @ x, (x**2).T @ x**2
    two = squares[:, None] + squares - 2 * second
    four = fourth[:, None] + fourth - 4 * (cubes + cubes.T) + 6 * mixed
    some = four > 1e-12 * (fourth[:, None] + fourth)
    return np.asarray(np.divide(two**2, four, out=np.full_like(two, len(x)), where=some))


def effective_units_alone(values: Floats) -> Floats:
    """Shape `(N,)`: how many units set a system apart from the median system, see `effective_units`; inf if few tell.

    So rare failures are seen: on most units a system scores nearly as the others do, and on a handful far below. If a
    system equals the median on half of the units, as by scores of 0 and 1, no small difference can be taken for sure.

    Parameters
    ----------
    values
        Shape `(U, N)`: what each unit adds to the score of each system.

    Examples
    --------
    >>> effective_units_alone(np.array([[0.9, 1.0, 1.1]] * 8 + [[-9.0, 1.0, 1.1]])).round(1)
    array([ 1., inf,  9.])
    """
    x = values - np.median(values, axis=1, keepdims=True)
    x /= np.abs(x).max(initial=0.0) or 1.0
    two, four, typical = (x**2).sum(axis=0), (x**4).sum(axis=0), np.median(np.abs(x), axis=0)
    return np.asarray(np.divide(two**2, four, out=np.full_like(two, np.inf), where=(typical > 0) & (four > 0)))


def df_of_systems(scores: Scores, units: str) -> Floats:
    """Shape `(N,)`: degrees of freedom of the standard error of each system's score, the units that score it less 1.

    Families of tasks count by what they weigh, as (Σ w)² / Σ w².

    For scores that leave out what does not score a system, so a system on two of twelve tasks is known from two:
    averages, and ballots where missing scores count directly or by a model. Of tasks that share their instances, the
    one that scores it on most counts. A cluster counts as one unit if any of its instances does.
    """
    tasks, names = weighing(scores, units)
    if units != "instances":
        weight = {name: np.zeros(len(scores.systems)) for name in names}
        for name, task in zip(names, tasks, strict=True):
            weight[str(name)] += task.weight * (task.scored > 0)
        own = np.array(list(weight.values()))
        squares = (own**2).sum(axis=0)
        effective = np.divide(own.sum(axis=0) ** 2, squares, out=np.zeros_like(squares), where=squares > 0)
        # of 6 families that weigh the same it is 5, which rounding must not lower
        return np.asarray(np.round(effective, 9) - 1, dtype=np.float64)
    groups: dict[bytes, Floats] = {}
    for task in tasks:
        number = task.scored
        if task.clusters is not None:
            there = np.concatenate(at_each(task.parts, _packed), axis=1)
            number = np.array(
                [distinct(task.clusters.numbers[np.flatnonzero(row)]).size for row in map(np.unpackbits, there)]
            )
        key = instance_set(task)
        groups[key] = np.maximum(groups.get(key, 0.0), number)
    return np.asarray(np.sum(list(groups.values()), axis=0) - 1.0)


def _packed(part: NDArray[Any]) -> NDArray[np.uint8]:
    """Return which scores are there, a bit each."""
    return np.packbits(~np.isnan(part), axis=1)


def _whole(names: Sequence[str | None], weights: Floats) -> tuple[Floats, Floats]:
    """Return the effective number, and variance, of what is drawn as a whole under these names; empty if nothing is."""
    of: dict[str, float] = {}
    for name, weight in zip(names, weights.tolist(), strict=True):
        if name is not None:
            of[name] = of.get(name, 0.0) + weight
    return _effective(np.array(list(of.values())))


def _effective(weights: Floats) -> tuple[Floats, Floats]:
    """Shape `(1,)` each: (Σ a)² / Σ a² and Σ a²; empty if there are no weights."""
    squares = (weights**2).sum(keepdims=True)
    return weights.sum() ** 2 / squares[squares > 0], squares[squares > 0]


def groups_that_vary(groups: Iterable[tuple[float, float]]) -> tuple[Floats, Floats]:
    """Sizes and weights of the groups, without those of a single instance or of no weight.

    >>> groups_that_vary([(10, 1.0), (1, 2.0)])
    (array([10.]), array([1.]))
    """
    sizes, weights = np.array([group for group in groups if group[0] > 1 and group[1]]).reshape(-1, 2).T
    return sizes, weights


def satterthwaite(sizes: Floats, variances: Floats) -> float:
    """Degrees of freedom of the standard error of a mean over groups of units (Satterthwaite 1946); 0 of no group.

    (Σ_g v_g)² / Σ_g v_g² / (K_g − 1) for groups of K_g units, whose means have variances in the ratio of v_g.

    >>> satterthwaite(np.array([10.0, 10.0]), np.ones(2))
    18.0
    """
    if not sizes.size:
        return 0.0
    return float(variances.sum() ** 2 / (variances**2 / (sizes - 1)).sum())
