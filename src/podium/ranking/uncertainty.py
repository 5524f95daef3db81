"""From a counted table to a ranking that says how sure it is."""

from dataclasses import replace
from math import nan

import numpy as np

from podium.base.arrays import Bools, Floats
from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.base.statistics import student_cdf
from podium.ranking import note
from podium.ranking.battle import circle_of
from podium.ranking.bootstrap import Bootstrap, replicates
from podium.ranking.contributions import contributions_of, n_units
from podium.ranking.counted import CountedScores
from podium.ranking.degrees_of_freedom import LEAST_EFFECTIVE, LOOKED_AT, DegreesOfFreedom, effective_units_alone
from podium.ranking.intervals import make_intervals, range_of_scores, step_of, winners_curse_corrected, without_lost
from podium.ranking.method import MethodResult, task_means
from podium.ranking.method_spec import MethodSpec, method_of, moves_in_steps, summed_basis, sums_over_units
from podium.ranking.prompts import intervals_for_other_prompts
from podium.ranking.result import Intervals, Ranking, ranked
from podium.ranking.separation import ENOUGH, Separated, by_p_values, exchange_p_values, p_values, sign_flip_test
from podium.score.crossed import Crossed
from podium.score.table import Scores
from podium.score.units import FEW_UNITS, FLIPPED_UNITS, LEAST_FREEDOM, shares_instances
from podium.tally.moment import Means
from podium.tally.position import Ties

#: Units, and scores of these, up to which the step of a lead is looked for; of more, it is small beside its error.
_UNITS_IN_STEPS, _SCORES_IN_STEPS = 4096, 2**20

#: Units that are flipped at most.
_FLIPPED_AT_MOST = 20_000


def ranking_of(
    counted: CountedScores,
    spec: MethodSpec,
    bootstrap: Bootstrap | None = None,
    progress: Progress | None = None,
    found: Crossed | None = None,
) -> Ranking:
    """Rank, with labels, notes, and intervals where a bootstrap is asked for; the table is counted with `Ties`, too.

    If the table has prompts, intervals are by how items and prompts vary, which was `found`.

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
    nothing: tuple[None, list[str]] = (None, [])
    intervals, said = nothing
    if bootstrap is not None and found is not None and counted.given.prompts:
        intervals = intervals_for_other_prompts(counted.given, found, result, bootstrap)
    elif bootstrap is not None:
        intervals, said = _intervals(counted, spec, bootstrap, result, progress)
    circle, misfit = circle_of(counted.given) or ((), nan)
    notes = [
        *(note.of_means(counted.by_name.tasks, task_means(counted.counts)) if method.averages else ()),
        *note.how_counted(counted.given, method, missing),
        *note.of_misfit(misfit, spec.name, missing),
        *said,
        *counted.given.notes,
        *note.of_ranking(counted.given, method, missing, counted.counts[Ties]),
    ]
    ranking = ranked(result, counted.given, spec.name, spec.level, intervals=intervals, notes=notes)
    return replace(ranking, circle=circle, means=_means(counted, ranking))


def _means(counted: CountedScores, ranking: Ranking) -> Floats | None:
    """Shape `(N, T)`: means of the scores on each task, in the order of the ranking; None if they were not counted."""
    if Means not in counted.counts:
        return None
    table = counted.by_name
    means = np.where(table.higher_is_better, 1.0, -1.0)[:, None] * task_means(counted.counts)
    task, system = ({name: place for place, name in enumerate(names)} for names in (table.task_names, table.systems))
    tasks, systems = [task[name] for name in counted.given.task_names], [system[name] for name in ranking.systems]
    return means[np.ix_(tasks, systems)].T


def _intervals(
    counted: CountedScores, spec: MethodSpec, bootstrap: Bootstrap, result: MethodResult, progress: Progress | None
) -> tuple[Intervals | None, list[str]]:
    """Return the intervals, or None with the reason why there are none; and what to know about them.

    Units are drawn anew in replicates (`units`). Their number says how well standard errors are known (degrees of
    freedom). Replicates, and exact tests where units are few, say which systems are separated; and from that follow
    intervals of ranks, and tiers. Intervals of scores are made of the replicates alone.
    """
    df, notes = DegreesOfFreedom.of(counted, spec, bootstrap.resampling, result)
    if df.whole < LEAST_FREEDOM:
        return None, notes
    drawn_table, drawn_spec = counted.as_drawn(spec)
    notes += _about_failures(drawn_table, drawn_spec, bootstrap.units)

    made = replicates(drawn_table, drawn_spec, bootstrap.resampling, progress)
    samples, about_lost = without_lost(made, bootstrap, note.about_lost(method_of(drawn_spec)))
    notes += about_lost
    if samples is None:
        return None, notes

    sums = sums_over_units(drawn_spec, bootstrap.units)
    separated = _separated(drawn_table, drawn_spec, bootstrap, result, samples=samples, df=df)
    bounds = range_of_scores(drawn_table.by_name, drawn_spec, bootstrap.units)
    intervals = make_intervals(result, samples, bootstrap, separated, df=df, bounds=bounds, sums=sums)
    return (_with_winner(intervals, drawn_table, drawn_spec, result, df.whole) if sums else intervals), notes


def _about_failures(counted: CountedScores, spec: MethodSpec, units: str) -> list[str]:
    """Name the systems whose mean rests on a few failures, which others may have, too, but did not show."""
    scores = counted.by_name
    if units != "instances" or not method_of(spec).averages or scores.n_cells > LOOKED_AT or scores.human:
        return []
    values = contributions_of(counted, summed_basis(spec, units), units).values
    few = (effective_units_alone(values) < LEAST_EFFECTIVE) & (len(values) >= FEW_UNITS)
    return note.of_rare_failures([name for name, rare in zip(scores.systems, few, strict=True) if rare])


def _separated(
    drawn_table: CountedScores,
    drawn_spec: MethodSpec,
    bootstrap: Bootstrap,
    result: MethodResult,
    *,
    samples: Floats,
    df: DegreesOfFreedom,
) -> Separated:
    """Return which systems differ: those that each test separates.

    ====================  ====================================  ============================================
    if                    by the basis, see `summed_basis`      by the method itself
    ====================  ====================================  ============================================
    repeats are drawn     instances exchanged (`_by_exchange`)  Student's test
    units are few         whole units flipped (`_by_flips`)     Student's test, unless flips decide alone
    scores move in steps  Student's test (`_by_replicates`)     Student's test
    otherwise             none                                  Student's test
    ====================  ====================================  ============================================
    """
    units, alpha, oriented = bootstrap.units, 1 - bootstrap.confidence, result.oriented_score
    labels = bool(drawn_table.by_name.human) and bootstrap.resampling.of_instances  # few of many units carry the error
    few = units != "repeats" and not labels and few_units(drawn_table.by_name, units, df.differences)
    found, flips_decide = Separated.where(df.pairs >= ENOUGH), np.zeros_like(df.pairs, dtype=np.bool_)
    if few and sums_over_units(drawn_spec, units):
        flips_decide = _flips_decide(drawn_table, drawn_spec, units)
    if (second := _by_second_test(drawn_table, drawn_spec, bootstrap, oriented, df, few=few)) is not None:
        found &= second
    if flips_decide.all():
        return found
    smooth = sums_over_units(drawn_spec, units)
    student = by_p_values(oriented, p_values(result, samples, df=df.pairs, units=units, smooth=smooth), alpha)
    not_best = (flips_decide & found.marginal & (oriented[:, None] < oriented)).any(axis=1)
    return found & Separated(student.joint | flips_decide, student.marginal | flips_decide, student.not_best | not_best)


def _by_second_test(
    counted: CountedScores, spec: MethodSpec, bootstrap: Bootstrap, oriented: Floats, df: DegreesOfFreedom, *, few: bool
) -> Separated | None:
    """Return which systems a test of the basis separates, see `_separated`; None if there is none."""
    if bootstrap.units == "repeats":
        return _by_exchange(counted, spec, bootstrap)
    if few:
        return _by_flips(counted, spec, bootstrap, oriented, df.whole)
    if moves_in_steps(spec, bootstrap.units):
        return _by_replicates(counted, summed_basis(spec, bootstrap.units), bootstrap, df.whole)
    return None


def few_units(scores: Scores, units: str, differences: Floats | None) -> bool:
    """Return whether units are so few that their signs are flipped: up to `FLIPPED_UNITS`.

    Or more, if half of the differences are known from, or rest on, up to `FEW_UNITS`, as their degrees of freedom say.
    """
    number = n_units(scores, units)
    between = np.zeros(0) if differences is None else differences[np.triu_indices(len(differences), 1)]
    few = between.size > 0 and number <= _FLIPPED_AT_MOST and float(np.median(between)) + 1 <= FEW_UNITS
    return number <= FLIPPED_UNITS or few


def _by_exchange(counted: CountedScores, spec: MethodSpec, bootstrap: Bootstrap) -> Separated | None:
    """Exchange instances, see `exchange_p_values`; None of means of means, of which Student's test is enough."""
    plain = all(task.repeats is None or task.repeats.statistic.name == "mean" for task in counted.by_name.tasks)
    if spec.name == "mean" and plain:
        return None
    values = contributions_of(counted, summed_basis(spec, "instances"), "instances").values
    return by_p_values(values.sum(axis=0), exchange_p_values(values), 1 - bootstrap.confidence)


def _by_flips(counted: CountedScores, spec: MethodSpec, bootstrap: Bootstrap, oriented: Floats, df: float) -> Separated:
    """Flip signs of whole units; flips of tasks do not know what tasks with the same instances share."""
    units, alpha = bootstrap.units, 1 - bootstrap.confidence
    values = contributions_of(counted, summed_basis(spec, units), units).values
    ranked = np.flatnonzero(~np.isnan(oriented))  # a system without a score adds 0, which is no score
    found = sign_flip_test(values[:, ranked], alpha=alpha, seed=bootstrap.resampling.seed, closely=True)
    found = found.among(ranked, oriented.size)
    if units == "both" and shares_instances(counted.by_name.tasks):
        found &= by_p_values(oriented, _crossed_p_values(counted, spec, values, oriented, df), alpha)
    return found


def _crossed_p_values(counted: CountedScores, spec: MethodSpec, by_task: Floats, oriented: Floats, df: float) -> Floats:
    """Shape `(N, N)`: p-values by Student's test if tasks and instances are drawn, and tasks share instances.

    With what tasks, instances, and instances of single tasks move a difference by, its variance is V_t + V_u − V_tu,
    at least V_t and V_u (Cameron, Gelbach & Miller 2011).
    """
    basis = summed_basis(spec, "instances")
    tasks = tuple(replace(task, instances=None, clusters=None) for task in counted.by_name.tasks)
    apart = CountedScores.of(replace(counted.given, tasks=tasks), [basis], threads=counted.threads)
    of_tasks, of_units, of_both = (
        len(values) * np.array([(values[:, [i]] - values).var(axis=0, ddof=1) for i in range(values.shape[1])])
        for values in (by_task, *(contributions_of(one, basis, "instances").values for one in (counted, apart)))
    )
    variance = np.maximum(np.maximum(of_tasks, of_units), of_tasks + of_units - of_both)
    lead = np.abs(oriented[:, None] - oriented)
    t = np.divide(lead, np.sqrt(variance), out=np.zeros_like(lead), where=variance > 0)
    return np.asarray(2 * student_cdf(-t, np.full_like(t, df)))


def _by_replicates(counted: CountedScores, basis: MethodSpec, bootstrap: Bootstrap, df: float) -> Separated:
    """Test the basis by Student's test, with replicates of its own."""
    of_basis = counted.counted_for(basis)
    samples, result = replicates(of_basis, basis, bootstrap.resampling), of_basis.result(basis)
    p = p_values(result, samples, df=df, units=bootstrap.units, smooth=True)
    return by_p_values(result.oriented_score, p, 1 - bootstrap.confidence)


def _flips_decide(counted: CountedScores, spec: MethodSpec, units: str) -> Bools:
    """Shape `(N, N)`: which pairs flips alone decide, if units are few and scores are sums over them.

    By a model of missing scores, what a unit says of a system that it does not score follows from other units; and
    a mean leaves out tasks that do not score the system, so a difference of two holds how difficult tasks are. So
    a system that a part of the units scores must be separated by as many degrees of freedom as these leave, too.
    """
    if spec.missing != "model" and (units == "instances" or not method_of(spec).averages):
        return np.ones((len(counted.by_name.systems),) * 2, dtype=np.bool_)
    whole = np.asarray(contributions_of(counted, summed_basis(spec, units), units).scored.all(axis=0))
    return whole[:, None] & whole


def _with_winner(
    intervals: Intervals, counted: CountedScores, spec: MethodSpec, result: MethodResult, df: float
) -> Intervals:
    """Add the score of the winner corrected for having won, where scores are sums over units."""
    units, basis = intervals.units, summed_basis(spec, intervals.units)
    place = result.dense_ranks(counted.given.systems)
    first, second = place == 0, place == 1
    corrected = np.full((3, first.size), np.nan)
    known = not np.isnan(intervals.std_error[place >= 0]).any()
    if known and np.count_nonzero(first) == 1 and units != "both":
        step, number = 0.0, n_units(counted.by_name, units)
        # of very many units, the step in which the lead of the first moves is tiny
        if number <= _UNITS_IN_STEPS and number * first.size <= _SCORES_IN_STEPS and second.any():
            values = contributions_of(counted, basis, units).values
            step = step_of(values[:, np.argmax(first)] - values[:, np.argmax(second)])
        found = winners_curse_corrected(
            result.oriented_score, intervals.samples, step=step, confidence=intervals.confidence, df=df, units=units
        )
        if found is not None:
            corrected[:, first] = np.array(found)[:, None]
    score, low, high = corrected if result.higher_is_better else -corrected[[0, 2, 1]]
    return replace(intervals, corrected_score=score, corrected_low=low, corrected_high=high)
