"""From a counted table to a ranking that says how sure it is."""

from dataclasses import replace
from functools import cached_property
from math import nan
from typing import Literal

import numpy as np

from podium.base.arrays import Bools, Floats
from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.base.statistics import student_cdf
from podium.ranking import note
from podium.ranking.battle import circle_of
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.counted import CountedScores
from podium.ranking.degrees_of_freedom import (
    LEAST_RESTING,
    collapsed,
    degrees_of_freedom,
    freedom_of_pairs,
    own_freedom,
    resting_alone,
    resting_on,
)
from podium.ranking.exact_tests import (
    Contributions,
    Separated,
    by_unit,
    exchange_p_values,
    flipped,
    n_units,
    of_instances,
    of_tasks,
)
from podium.ranking.intervals import (
    by_student,
    corrected_for_winning,
    make_intervals,
    p_values,
    range_of_scores,
    step_of,
)
from podium.ranking.method import MethodResult
from podium.ranking.method_spec import MethodSpec, method_of, moves_in_steps, summed_basis, sums_over_units
from podium.ranking.repeats import RunSpread
from podium.ranking.result import Intervals, Ranking
from podium.score.table import Scores
from podium.score.units import FEW_UNITS, FLIPPED_UNITS, LEAST_FREEDOM, drawn_as, shares_instances
from podium.tally.position import Positions, Ties

#: Units, and scores of these, up to which the step of a lead is looked for; of more, it is small beside its error.
_UNITS_IN_STEPS, _SCORES_IN_STEPS = 4096, 2**20

#: Chance with which it is said that runs differ though they do not.
_RUNS_DIFFER = 0.01

#: Units that are flipped at most; and scores up to which it is looked at how many units carry a difference.
_FLIPPED_AT_MOST, _LOOKED_AT = 20_000, 2**18


def ranking_of(
    counted: CountedScores, spec: MethodSpec, bootstrap: Bootstrap | None = None, progress: Progress | None = None
) -> Ranking:
    """Rank, with labels, notes, and intervals where a bootstrap is asked for; the table is counted `for_rankings`.

    Raises
    ------
    MethodError
        As of `result`; or scores are too large to be averaged.
    """
    method, missing = method_of(spec), counted.context(spec).missing
    if method.fitted and bootstrap is not None and bootstrap.units == "repeats":
        raise MethodError(f"method {spec.name!r} has no intervals for other repeats; use units='instances' or 'tasks'")
    counted.fitted(spec, progress)  # which takes long, of such a method
    result = counted.result(spec)
    intervals: Intervals | None = None
    about_intervals: list[str] = []
    if bootstrap is not None:
        intervals, about_intervals = _Uncertainty(counted, spec, bootstrap, result).intervals(progress)
    circle, misfit = circle_of(counted.given) or ((), nan)
    notes = [
        *note.how_counted(counted.given, method, missing),
        *note.of_misfit(misfit, spec.name, missing),
        *about_intervals,
        *counted.given.notes,
        *note.of_ranking(counted.given, method, missing, counted.counts[Ties]),
    ]
    ranking = Ranking.of(result, counted.given, spec.name, spec.level, intervals=intervals, notes=notes)
    return replace(ranking, circle=circle)


class _Uncertainty:
    """How sure a ranking is: degrees of freedom, tests and replicates of one way to rank a counted table.

    Attributes
    ----------
    counted, spec
        The table and the way to rank of whose replicates intervals are made.
    basis
        The way to rank whose scores are sums over units, on the same ballots, see `summed_basis`.
    place
        Shape `(N,)`: dense ranks of the systems by the ranking itself.
    """

    def __init__(self, counted: CountedScores, spec: MethodSpec, bootstrap: Bootstrap, result: MethodResult) -> None:
        self._own, self._about_systems = own_freedom_of(counted, spec, bootstrap.units)
        self.counted, self.spec, fit = counted, spec, counted.fitted(spec)
        if fit is not None:  # means of pseudo-values
            self.spec = MethodSpec("mean")
            self.counted = CountedScores.of(fit.table, [self.spec], threads=counted.threads)
        self.bootstrap, self.units, self.result = bootstrap, bootstrap.units, result
        self.basis = summed_basis(self.spec, self.units)
        self.place = result.dense_ranks(counted.given.systems)

    @cached_property
    def contributions(self) -> Contributions:
        """What each unit adds to the scores of the basis."""
        return contributions_of(self.counted, self.basis, self.units)

    def intervals(self, progress: Progress | None) -> tuple[Intervals | None, list[str]]:
        """Return intervals, or None with the reason why there are none, and what to know about them."""
        counted, spec, units = self.counted, self.spec, self.units
        freedom, notes = self._freedom()
        if freedom < LEAST_FREEDOM:
            return None, notes
        smooth = sums_over_units(spec, units)
        pairs, about_pairs = self._freedom_of_pairs(freedom)
        test = second_test(counted.by_name, spec, units, pairs)
        exact = self._exact(test, freedom)
        samples = counted.replicates(spec, self.bootstrap.resampling, progress)
        intervals, about_lost = make_intervals(
            self.result,
            samples,
            self.bootstrap,
            freedom=freedom,
            own=self._own,
            pairs=pairs,
            lost=np.array(np.isnan(samples).all(axis=0)),
            advice=note.about_lost(method_of(spec)),
            exact=exact,
            instead=self._scored_by_all() if smooth and test == "flips" else None,
            bounds=range_of_scores(counted.by_name, spec, units, freedom),
            smooth=smooth,
        )
        if intervals is not None and smooth:
            intervals = self._corrected(intervals, freedom)
        return intervals, [*notes, *self._about_systems, *about_pairs, *self._about_failures(), *about_lost]

    def _freedom(self) -> tuple[float, list[str]]:
        """By how many units standard errors are known, and what to know about that."""
        counted, spec = self.counted, self.spec
        if self.units == "repeats":
            repeated = counted.repeated(spec, self.bootstrap.resampling)
            single, masses = self._run_once()
            freedom = 0.0
            if masses.size != 1:
                variance, known = collapsed(single, masses) if masses.size else (np.zeros((1, 1)), 1.0)
                freedom = repeated.freedom(spec.level, (np.diag(variance), known))
            return freedom, note.of_repeats(counted.given, freedom, repeated.steady, whole=repeated.runs is not None)
        freedom = degrees_of_freedom(counted.by_name, self.units, spec.level)
        notes = note.of_intervals(counted.by_name, self.units, freedom)
        repeats = [task.repeats for task in counted.given.tasks]
        if any(repeats) and not any(own is not None and own.statistic.name in {"max", "min"} for own in repeats):
            spread = RunSpread.of(counted.given, repeats, spec.level, of_orders=not method_of(spec).averages)
            notes += [note.OF_THESE_RUNS] if spread.p < _RUNS_DIFFER else []
        return freedom, notes

    def _run_once(self) -> tuple[Floats, Floats]:
        """What tasks, or families, that were run once add to the scores, `(H, N)`, and what each weighs."""
        names, masses = self.counted.drawn_as_a_whole(self.spec, "repeats")
        wanted = [index for index, name in enumerate(names) if name is not None]
        if not wanted:
            return np.zeros((0, self.place.size)), np.zeros(0)
        families, of = np.unique([str(names[index]) for index in wanted], return_inverse=True)
        basis = summed_basis(self.spec, "instances")
        alone = self.counted.counted_for(basis).of_each_task(basis).oriented_score.T[wanted]
        added = np.zeros((families.size, self.place.size))
        np.add.at(added, of, masses[wanted][:, None] * np.nan_to_num(alone))
        return added, np.bincount(of, weights=masses[wanted], minlength=families.size).astype(np.float64)

    def _freedom_of_pairs(self, freedom: float) -> tuple[Floats | None, list[str]]:
        """Degrees of freedom of each pair if instances or runs are drawn, 0 if it rests on too few; what to know."""
        counted, basis = self.counted, self.basis
        if self.units == "repeats":
            runs = counted.repeated(self.spec, self.bootstrap.resampling).runs
            return None if runs is None else runs.of_pairs, []
        if self.units != "instances":
            return None, []
        if basis.missing == "model":
            pairs = freedom_of_pairs(counted.of_pseudo_values(basis).by_name, MethodSpec("mean"), freedom)
        else:
            pairs = freedom_of_pairs(counted.by_name, basis, freedom)
        if n_units(counted.by_name, self.units) <= FLIPPED_UNITS or counted.by_name.n_cells > _LOOKED_AT:
            return pairs, []
        resting = resting_on(self.contributions.values)
        pairs = np.where(resting < FEW_UNITS, np.minimum(pairs, resting - 1), pairs)
        pairs[resting < LEAST_RESTING] = 0.0
        first, second = np.flatnonzero(self.place == 0), np.flatnonzero(self.place == 1)
        if first.size == 1 and second.size == 1 and resting[first[0], second[0]] < LEAST_RESTING:
            both = [counted.given.systems[index] for index in (first[0], second[0])]
            return pairs, [note.rests_on_few(both, float(resting[first[0], second[0]]))]
        return pairs, []

    def _about_failures(self) -> list[str]:
        """Name the systems whose mean rests on a few failures, which others may have, too, but did not show."""
        scores = self.counted.by_name
        if self.units != "instances" or not method_of(self.spec).averages or scores.n_cells > _LOOKED_AT:
            return []
        values = self.contributions.values
        few = (resting_alone(values) < LEAST_RESTING) & (len(values) >= FEW_UNITS)
        return note.of_rare_failures([name for name, rare in zip(scores.systems, few, strict=True) if rare])

    def _exact(self, test: str | None, freedom: float) -> Separated | None:
        """Return what a second test separates, of scores that are sums over units, the *basis* (`summed_basis`).

        - Repeats are drawn: instances are exchanged, see `exchange_p_values`, but for means of means.
        - Few units: signs are flipped, see `flipped`.
        - Scores move in steps: replicates of the basis.
        """
        counted, basis, alpha = self.counted, self.basis, 1 - self.bootstrap.confidence
        if test == "flips":
            found = flipped(self.contributions.values, alpha=alpha, seed=self.bootstrap.resampling.seed)
            crossed = self.units == "both" and shares_instances(counted.by_name.tasks)
            return found & self._crossed(alpha, freedom) if crossed else found
        if test == "exchange":
            plain = all(task.repeats is None or task.repeats.statistic.name == "mean" for task in counted.by_name.tasks)
            if self.spec.name == "mean" and plain:
                return None
            units = contributions_of(counted, summed_basis(self.spec, "instances"), "instances")
            return by_student(units.values.sum(axis=0), exchange_p_values(units), alpha)
        if test == "replicates":
            of_basis = counted.counted_for(basis)
            samples, result = of_basis.replicates(basis, self.bootstrap.resampling), of_basis.result(basis)
            p = p_values(result, samples, freedom=freedom, units=self.units, smooth=True)
            return by_student(result.oriented_score, p, alpha)
        return None

    def _crossed(self, alpha: float, freedom: float) -> Separated:
        """Separate by Student's test where tasks and instances are drawn, and tasks share instances.

        Flips of tasks do not know the error that these have in common. With what tasks, instances, and instances of
        single tasks move a difference by, its variance is V_t + V_u − V_tu, at least V_t and V_u (Cameron, Gelbach &
        Miller 2011).
        """
        counted, basis = self.counted, summed_basis(self.spec, "instances")
        tasks = tuple(replace(task, instances=None, clusters=None) for task in counted.by_name.tasks)
        apart = CountedScores.of(replace(counted.given, tasks=tasks), [basis], threads=counted.threads)
        of_tasks, of_units, of_both = (
            len(values) * np.array([(values[:, [i]] - values).var(axis=0, ddof=1) for i in range(values.shape[1])])
            for values in (
                self.contributions.values,
                *(contributions_of(one, basis, "instances").values for one in (counted, apart)),
            )
        )
        variance = np.maximum(np.maximum(of_tasks, of_units), of_tasks + of_units - of_both)
        oriented = counted.result(self.spec).oriented_score
        lead = np.abs(oriented[:, None] - oriented)
        t = np.divide(lead, np.sqrt(variance), out=np.zeros_like(lead), where=variance > 0)
        return by_student(oriented, 2 * student_cdf(-t, np.full_like(t, freedom)), alpha)

    def _scored_by_all(self) -> Bools:
        """Shape `(N,)`: which systems flips alone separate.

        By a model of missing scores, what a unit says of a system that it does not score follows from other units; and
        a mean leaves out tasks that do not score the system, so a difference of two holds how difficult tasks are. So
        whoever is scored by a part of the units must be separated by as many degrees of freedom as these leave, too.
        """
        if self.spec.missing != "model" and not (method_of(self.spec).averages and self.units != "instances"):
            return np.ones(self.place.size, dtype=np.bool_)
        return np.asarray(self.contributions.scored.all(axis=0))

    def _corrected(self, intervals: Intervals, freedom: float) -> Intervals:
        """Add the score of the winner corrected for having won, where scores are sums over units."""
        first, second = self.place == 0, self.place == 1
        corrected = np.full((3, first.size), np.nan)
        known = not np.isnan(intervals.std_error[self.place >= 0]).any()
        if known and np.count_nonzero(first) == 1 and self.units != "both":
            step, number = 0.0, n_units(self.counted.by_name, self.units)
            # of very many units, the step in which the lead of the first moves is tiny
            if number <= _UNITS_IN_STEPS and number * first.size <= _SCORES_IN_STEPS and second.any():
                values = self.contributions.values
                step = step_of(values[:, np.argmax(first)] - values[:, np.argmax(second)])
            found = corrected_for_winning(
                self.result.oriented_score,
                intervals.samples,
                step=step,
                confidence=intervals.confidence,
                freedom=freedom,
                units=self.units,
            )
            if found is not None:
                corrected[:, first] = np.array(found)[:, None]
        score, low, high = corrected if self.result.higher_is_better else -corrected[[0, 2, 1]]
        return replace(intervals, corrected_score=score, corrected_low=low, corrected_high=high)


def own_freedom_of(counted: CountedScores, spec: MethodSpec, units: str) -> tuple[Floats | None, list[str]]:
    """Degrees of freedom of each system where only what scores it says how good it is; and who has too few.

    Averages leave the rest out; so do methods that count missing scores directly or by a model. Where they are imputed,
    ballots that do not score a system say ½ of it, so all are known.
    """
    leaves_out = (
        method_of(spec).averages or method_of(spec).fitted or counted.context(spec).missing in {"direct", "model"}
    )
    if not leaves_out or units == "repeats":
        return None, []
    own = own_freedom(counted.by_name, units)
    scored = np.sum([task.scored for task in counted.by_name.tasks], axis=0) > 0
    systems = counted.by_name.systems
    few = [system for system, short in zip(systems, (own < LEAST_FREEDOM) & scored, strict=True) if short]
    return own, note.of_few_scores(few, units)


def second_test(
    scores: Scores, spec: MethodSpec, units: str, pairs: Floats | None = None
) -> Literal["exchange", "flips", "replicates"] | None:
    """Return what else separates pairs, see `_exact`; None if nothing does.

    Flips are made of up to `FLIPPED_UNITS` units; and of more, if half of the differences are known from, or rest on,
    up to `FEW_UNITS`, as their degrees of freedom `pairs` say.
    """
    if units == "repeats":
        return "exchange"
    number = n_units(scores, units)
    between = np.zeros(0) if pairs is None else pairs[np.triu_indices(len(pairs), 1)]
    few = between.size > 0 and number <= _FLIPPED_AT_MOST and float(np.median(between)) + 1 <= FEW_UNITS
    if number <= FLIPPED_UNITS or few:
        return "flips"
    return "replicates" if moves_in_steps(spec, units) else None


def contributions_of(counted: CountedScores, basis: MethodSpec, units: str) -> Contributions:
    """What each unit adds to scores that are sums over units."""
    if basis.missing == "model":
        return _by_model(counted, basis, units)
    if units == "instances":
        return of_instances(counted.by_name, basis)
    own, weights = counted.counted_for(basis), counted.by_name.task_weights
    score = own.of_each_task(basis).oriented_score.T
    if basis.level == "one":
        weights = weights * np.array([float(task.weight) for task in own.counts[Positions]])
    scored = np.array([task.scored > 0 for task in counted.by_name.tasks])
    weighs = (weights > 0) & scored.any(axis=1)
    return _of_families(of_tasks(score[weighs], scored[weighs], weights[weighs]), counted.by_name, weighs)


def _by_model(counted: CountedScores, basis: MethodSpec, units: str) -> Contributions:
    """The same for scores by a model of missing scores, to first order."""
    scores, linearised = counted.by_name, counted.linearised(basis)
    if units == "instances":
        return of_instances(counted.of_pseudo_values(basis).by_name, MethodSpec("mean"), scored_in=scores)
    scored = np.array([task.scored > 0 for task in scores.tasks])
    weighs = linearised.weights > 0
    values = linearised.weights[weighs, None] * np.nan_to_num(linearised.tasks[weighs])
    return _of_families(Contributions(values, scored[weighs]), scores, weighs)


def _of_families(alone: Contributions, scores: Scores, weighs: Bools) -> Contributions:
    """Add up what the tasks of each family add, of the tasks that weigh something."""
    families, of = np.unique(np.array(drawn_as(scores.tasks, "tasks"))[weighs], return_inverse=True)
    return alone if families.size == len(alone.values) else by_unit(alone, of, families.size)
