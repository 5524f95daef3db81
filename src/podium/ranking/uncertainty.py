"""From a counted table to a ranking that says how sure it is."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.ranking import note
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.contribution import Contributions, n_units, of_instances, of_tasks
from podium.ranking.counted import CountedScores
from podium.ranking.few import FEW_UNITS, floor_of_p_values
from podium.ranking.freedom import LEAST_FREEDOM, degrees_of_freedom, own_freedom
from podium.ranking.interval import intervals_if_enough, p_values
from podium.ranking.method.method import Standing
from podium.ranking.method_spec import MethodSpec, method_of, moves_in_steps, summed_basis, sums_over_units
from podium.ranking.repeat import exchange_p_values
from podium.ranking.result import Corrected, Intervals, Ranking
from podium.ranking.skewness import range_of_scores
from podium.ranking.winner import corrected_for_winning, step_of
from podium.score.table import Scores
from podium.tally.position import Positions
from podium.tally.tie import Ties

Floats = NDArray[np.float64]

Ints = NDArray[np.int64]

#: Units, and scores of these, up to which the step of a lead is looked for; of more, it is small beside its error.
_UNITS_IN_STEPS, _SCORES_IN_STEPS = 4096, 2**20


def ranking_of(
    counted: CountedScores, spec: MethodSpec, bootstrap: Bootstrap | None = None, progress: Progress | None = None
) -> Ranking:
    """Rank, with labels, notes, and intervals where a bootstrap is asked for; the table is counted `for_rankings`.

    Raises
    ------
    MethodError
        As of `standing`; or scores are too large to be averaged.
    """
    method, missing = method_of(spec), counted.setting(spec).missing
    if method.averaged and bootstrap is not None and bootstrap.units == "repeats":
        raise MethodError(f"method {spec.name!r} has no intervals for other repeats; use units='instances' or 'tasks'")
    counted.averaged(spec, progress)  # which takes long, of such a method
    standing = counted.standing(spec)
    intervals: Intervals | None = None
    about_intervals: list[str] = []
    if bootstrap is not None:
        intervals, about_intervals = _intervals(counted, spec, bootstrap, standing, progress)
    notes = [
        *note.how_counted(counted.given, method, missing),
        *about_intervals,
        *counted.given.notes,
        *note.of_ranking(counted.given, method, missing, counted.counts[Ties]),
    ]
    return Ranking.of(standing, counted.given, spec.name, spec.level, intervals=intervals, notes=notes)


def _intervals(
    counted: CountedScores, spec: MethodSpec, bootstrap: Bootstrap, standing: Standing, progress: Progress | None
) -> tuple[Intervals | None, list[str]]:
    """Put intervals on a ranking, or say why there are none."""
    own, about_systems = own_freedom_of(counted, spec, bootstrap.units)
    counted, spec = counted.as_sums(spec)
    freedom, notes = _freedom(counted, spec, bootstrap)
    if freedom < LEAST_FREEDOM:
        return None, notes
    floor, about_units = _floor_of_p_values(counted, spec, bootstrap, freedom)
    notes += about_systems + about_units
    samples = counted.replicates(spec, bootstrap.resampling, progress)
    lost = np.array(np.isnan(samples).all(axis=0))
    advice = note.about_lost(method_of(spec))
    intervals, about_lost = intervals_if_enough(
        standing,
        samples,
        bootstrap,
        freedom=freedom,
        own=own,
        lost=lost,
        advice=advice,
        floor=floor,
        bounds=range_of_scores(counted.by_name, spec, bootstrap.units, freedom),
        smooth=sums_over_units(spec, bootstrap.units),
    )
    if intervals is not None and sums_over_units(spec, bootstrap.units):
        intervals = _corrected(counted, intervals, spec, standing, freedom)
    return intervals, [*notes, *about_lost]


def _corrected(
    counted: CountedScores, intervals: Intervals, spec: MethodSpec, standing: Standing, freedom: float
) -> Intervals:
    """Add the score of the winner corrected for having won, where scores are sums over units."""
    place = standing.places(counted.given.systems)
    corrected: Corrected | None = None
    known = not np.isnan(intervals.std_error[place >= 0]).any()
    if known and np.count_nonzero(place == 0) == 1 and intervals.units != "both":
        corrected = corrected_for_winning(
            standing.goodness,
            intervals.samples,
            step=_step_of_leads(counted, spec, intervals.units, place),
            confidence=intervals.confidence,
            freedom=freedom,
            units=intervals.units,
        )
    return intervals.with_corrected(corrected, place == 0, higher_is_better=standing.higher_is_better)


def _step_of_leads(counted: CountedScores, spec: MethodSpec, units: str, place: Ints) -> float:
    """The step in which the lead of the first over the second moves; 0 where units are so many that it is tiny."""
    number = n_units(counted.by_name, units)
    if number > _UNITS_IN_STEPS or number * place.size > _SCORES_IN_STEPS or not (place == 1).any():
        return 0.0
    values = contributions_of(counted, spec, units).values
    return step_of(values[:, np.argmax(place == 0)] - values[:, np.argmax(place == 1)])


def _freedom(counted: CountedScores, spec: MethodSpec, bootstrap: Bootstrap) -> tuple[float, list[str]]:
    """By how many units standard errors are known, and what to know about that."""
    if bootstrap.units == "repeats":
        repeated = counted.repeated(spec, bootstrap.resampling)
        freedom = repeated.freedom(spec.level)
        return freedom, note.of_repeats(counted.given, freedom, repeated.steady)
    freedom = degrees_of_freedom(counted.by_name, bootstrap.units, spec.level)
    return freedom, note.of_intervals(counted.by_name, bootstrap.units, freedom)


def own_freedom_of(counted: CountedScores, spec: MethodSpec, units: str) -> tuple[Floats | None, list[str]]:
    """Degrees of freedom of each system where only what scores it says how good it is; and who has too few.

    Averages leave the rest out; so do methods that count missing scores directly or by a model. Where they are imputed,
    ballots that do not score a system say ½ of it, so all are known.
    """
    leaves_out = (
        method_of(spec).averages or method_of(spec).averaged or counted.setting(spec).missing in {"direct", "model"}
    )
    if not leaves_out or units == "repeats":
        return None, []
    own = own_freedom(counted.by_name, units)
    scored = np.sum([task.scored for task in counted.by_name.tasks], axis=0) > 0
    systems = counted.by_name.systems
    few = [system for system, short in zip(systems, (own < LEAST_FREEDOM) & scored, strict=True) if short]
    return own, note.of_few_scores(few, units)


def second_test(scores: Scores, spec: MethodSpec, units: str) -> Literal["exchange", "signs", "replicates"] | None:
    """Return what a pair must pass, too, see `_floor_of_p_values`; None where that is nothing."""
    if units == "repeats":
        return "exchange"
    if n_units(scores, units) <= FEW_UNITS:
        return "signs"
    return "replicates" if moves_in_steps(spec, units) else None


def _floor_of_p_values(
    counted: CountedScores, spec: MethodSpec, bootstrap: Bootstrap, freedom: float
) -> tuple[Floats | None, list[str]]:
    """Shape `(N, N)`: the smallest p-value each pair may have, that of a second test; None where there is none.

    The test is about scores that are sums over units, the *basis* (`summed_basis`): the mean itself, otherwise Borda.

    - Repeats are drawn: instances are exchanged, see `_floor_of_repeats`.
    - Few units: signs are flipped, or names shuffled, see `floor_of_p_values`.
    - Scores move in steps: replicates of the basis.
    """
    test = second_test(counted.by_name, spec, bootstrap.units)
    if test == "exchange":
        return _floor_of_repeats(counted, spec)
    basis = summed_basis(spec, bootstrap.units)
    if test == "signs":
        of_units, draws = contributions_of(counted, basis, bootstrap.units), bootstrap.resampling
        floor, by_signs = floor_of_p_values(
            of_units, confidence=bootstrap.confidence, replicates=draws.replicates, seed=draws.seed
        )
        number = len(of_units.values)
        return floor, [] if by_signs else [note.too_few_for_signs(counted.given, bootstrap.units, number)]
    if test == "replicates":
        of_basis = counted.counted_for(basis)
        samples = of_basis.replicates(basis, bootstrap.resampling)
        standing = of_basis.standing(basis)
        return p_values(standing, samples, freedom=freedom, units=bootstrap.units, smooth=True), []
    return None, []


def _floor_of_repeats(counted: CountedScores, spec: MethodSpec) -> tuple[Floats | None, list[str]]:
    """The same where repeats are drawn: but for means of means, exchanged instances must separate a pair too."""
    plain = all(task.repeats is None or task.repeats.statistic.name == "mean" for task in counted.by_name.tasks)
    if spec.name == "mean" and plain:
        return None, []
    basis = summed_basis(spec, "instances")
    return exchange_p_values(contributions_of(counted, basis, "instances")), []


def contributions_of(counted: CountedScores, basis: MethodSpec, units: str) -> Contributions:
    """What each unit adds to scores that are sums over units."""
    if basis.missing == "model":
        return _by_model(counted, basis, units)
    if units == "instances":
        return of_instances(counted.by_name, basis)
    own, weights = counted.counted_for(basis), counted.by_name.task_weights
    score = own.standing_of_each_task(basis).goodness.T
    if basis.level == "one":
        weights = weights * np.array([float(task.weight) for task in own.counts[Positions]])
    scored = np.array([task.scored > 0 for task in counted.by_name.tasks])
    weighs = (weights > 0) & scored.any(axis=1)
    return of_tasks(score[weighs], scored[weighs], weights[weighs])


def _by_model(counted: CountedScores, basis: MethodSpec, units: str) -> Contributions:
    """The same for scores by a model of missing scores, to first order."""
    scores, linearised = counted.by_name, counted.linearised(basis)
    if units == "instances":
        return of_instances(counted.of_pseudo_values(basis).by_name, MethodSpec("mean"), scored_in=scores)
    scored = np.array([task.scored > 0 for task in scores.tasks])
    return Contributions(linearised.weights[:, None] * np.nan_to_num(linearised.tasks), scored)
