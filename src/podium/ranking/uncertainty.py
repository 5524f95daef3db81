"""From a counted table to a ranking that says how sure it is."""

from dataclasses import replace
from math import nan
from typing import Literal

import numpy as np

from podium.base.arrays import Bools, Floats, Ints
from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.base.statistics import student_cdf
from podium.base.words import with_names
from podium.ranking import note
from podium.ranking.battle import circle_of
from podium.ranking.bootstrap import Bootstrap, drawn_as_a_whole, repeated_scores, replicates
from podium.ranking.contributions import contributions_of, n_units
from podium.ranking.counted import CountedScores
from podium.ranking.degrees_of_freedom import (
    LEAST_RESTING,
    collapsed,
    degrees_of_freedom,
    df_of_pairs,
    df_of_systems,
    resting_alone,
    resting_on,
)
from podium.ranking.intervals import corrected_for_winning, make_intervals, range_of_scores, step_of, without_lost
from podium.ranking.linearised import pseudo_values
from podium.ranking.method import MethodResult
from podium.ranking.method_spec import MethodSpec, method_of, moves_in_steps, summed_basis, sums_over_units
from podium.ranking.repeats import RunSpread
from podium.ranking.result import Intervals, Ranking
from podium.ranking.separation import ENOUGH, Separated, by_p_values, exchange_p_values, flipped, p_values
from podium.score.table import Scores
from podium.score.units import FEW_UNITS, FLIPPED_UNITS, LEAST_FREEDOM, shares_instances
from podium.tally.draw import Resampling
from podium.tally.position import Ties

#: Units, and scores of these, up to which the step of a lead is looked for; of more, it is small beside its error.
_UNITS_IN_STEPS, _SCORES_IN_STEPS = 4096, 2**20

#: Chance with which it is said that runs differ though they do not.
_RUNS_DIFFER = 0.01

#: Units that are flipped at most; and scores up to which it is looked at how many units carry a difference.
_FLIPPED_AT_MOST, _LOOKED_AT = 20_000, 2**18


def ranking_of(
    counted: CountedScores, spec: MethodSpec, bootstrap: Bootstrap | None = None, progress: Progress | None = None
) -> Ranking:
    """Rank, with labels, notes, and intervals where a bootstrap is asked for; the table is counted with `Ties`, too.

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
        intervals, about_intervals = _intervals(counted, spec, bootstrap, result, progress)
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


def _intervals(
    counted: CountedScores, spec: MethodSpec, bootstrap: Bootstrap, result: MethodResult, progress: Progress | None
) -> tuple[Intervals | None, list[str]]:
    """Return the intervals, or None with the reason why there are none; and what to know about them.

    Units are drawn anew in replicates (`units`). Their number says how well standard errors are known (degrees of
    freedom). Replicates, and exact tests where units are few, say which systems are separated; and from that follow
    intervals of ranks, and tiers. Intervals of scores are made of the replicates alone.
    """
    units, resampling = bootstrap.units, bootstrap.resampling
    own, about_systems = own_df(counted, spec, units)
    place = result.dense_ranks(counted.given.systems)
    if (fit := counted.fitted(spec)) is not None:  # to first order its scores are means of pseudo-values
        spec = MethodSpec("mean")
        counted = CountedScores.of(fit.table, [spec], threads=counted.threads)
    sums = sums_over_units(spec, units)

    # degrees of freedom, of all standard errors and of those of each pair
    df, notes = _df(counted, spec, resampling)
    if df < LEAST_FREEDOM:
        return None, notes
    of_pairs, about_pairs = _df_of_pairs(counted, spec, resampling, df, place)
    known = np.full((place.size, place.size), df) if of_pairs is None else of_pairs
    if own is not None:
        known = np.minimum(known, np.minimum(own[:, None], own))
    notes += [*about_systems, *about_pairs, *_about_failures(counted, spec, units)]

    samples, about_lost = without_lost(
        replicates(counted, spec, resampling, progress), bootstrap, note.about_lost(method_of(spec))
    )
    notes += about_lost
    if samples is None:
        return None, notes

    separated = _separated(counted, spec, bootstrap, result, samples=samples, df=df, known=known, of_pairs=of_pairs)
    bounds = range_of_scores(counted.by_name, spec, units)
    intervals = make_intervals(result, samples, bootstrap, separated, df=df, known=known, bounds=bounds, sums=sums)
    return (_with_winner(intervals, counted, spec, result, place=place, df=df) if sums else intervals), notes


def _df(counted: CountedScores, spec: MethodSpec, resampling: Resampling) -> tuple[float, list[str]]:
    """Return degrees of freedom of standard errors, and what to know about them."""
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
        variance, known = collapsed(added, masses) if masses.size else (np.zeros((1, 1)), 1.0)
        df = repeated.df(spec.level, (np.diag(variance), known))
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


def _df_of_pairs(
    counted: CountedScores, spec: MethodSpec, resampling: Resampling, df: float, place: Ints
) -> tuple[Floats | None, list[str]]:
    """Return degrees of freedom of each pair if instances or runs are drawn, 0 if it rests on too few; what to know."""
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
    if n_units(counted.by_name, units) <= FLIPPED_UNITS or counted.by_name.n_cells > _LOOKED_AT:
        return pairs, []
    resting = resting_on(contributions_of(counted, basis, units).values)
    pairs = np.where(resting < FEW_UNITS, np.minimum(pairs, resting - 1), pairs)
    pairs[resting < LEAST_RESTING] = 0.0
    first, second = np.flatnonzero(place == 0), np.flatnonzero(place == 1)
    if first.size == 1 and second.size == 1 and resting[first[0], second[0]] < LEAST_RESTING:
        both = [counted.given.systems[index] for index in (first[0], second[0])]
        number = float(resting[first[0], second[0]])
        fate = f": their difference rests on {number:.0f} instances, too few to separate them"
        return pairs, [with_names("", both, fate)]
    return pairs, []


def _about_failures(counted: CountedScores, spec: MethodSpec, units: str) -> list[str]:
    """Name the systems whose mean rests on a few failures, which others may have, too, but did not show."""
    scores = counted.by_name
    if units != "instances" or not method_of(spec).averages or scores.n_cells > _LOOKED_AT:
        return []
    values = contributions_of(counted, summed_basis(spec, units), units).values
    few = (resting_alone(values) < LEAST_RESTING) & (len(values) >= FEW_UNITS)
    return note.of_rare_failures([name for name, rare in zip(scores.systems, few, strict=True) if rare])


def _separated(
    counted: CountedScores,
    spec: MethodSpec,
    bootstrap: Bootstrap,
    result: MethodResult,
    *,
    samples: Floats,
    df: float,
    known: Floats,
    of_pairs: Floats | None,
) -> Separated:
    """Return which systems differ: by Student's test, and by a second test of scores that are sums over units.

    The scores of the second test are those of the *basis*, see `summed_basis`:

    - Repeats are drawn: instances are exchanged, see `exchange_p_values`, but for means of means.
    - Few units: signs are flipped, see `flipped`; if the scores themselves are sums, this test stands alone.
    - Scores move in steps: replicates of the basis.
    """
    units, seed, alpha = bootstrap.units, bootstrap.resampling.seed, 1 - bootstrap.confidence
    sums, basis = sums_over_units(spec, units), summed_basis(spec, units)
    oriented, alone = result.oriented_score, np.zeros_like(known, dtype=np.bool_)
    found = Separated.where(known >= ENOUGH)
    test = second_test(counted.by_name, spec, units, of_pairs)
    if test == "flips":
        contributions = contributions_of(counted, basis, units)
        found &= flipped(contributions.values, alpha=alpha, seed=seed)
        if units == "both" and shares_instances(counted.by_name.tasks):
            found &= _crossed(counted, spec, contributions.values, oriented, df=df, alpha=alpha)
        if sums:
            alone |= _by_flips_alone(spec, units, contributions.scored)
    elif test == "replicates":
        of_basis = counted.counted_for(basis)
        again, summed = replicates(of_basis, basis, bootstrap.resampling), of_basis.result(basis)
        p = p_values(summed, again, df=df, units=units, smooth=True)
        found &= by_p_values(summed.oriented_score, p, alpha)
    elif test == "exchange":
        plain = all(task.repeats is None or task.repeats.statistic.name == "mean" for task in counted.by_name.tasks)
        if not (spec.name == "mean" and plain):
            values = contributions_of(counted, summed_basis(spec, "instances"), "instances").values
            found &= by_p_values(values.sum(axis=0), exchange_p_values(values), alpha)
    if alone.all():
        return found
    student = by_p_values(oriented, p_values(result, samples, df=known, units=units, smooth=sums), alpha)
    beaten = (alone & found.own & (oriented[:, None] < oriented)).any(axis=1)
    return found & Separated(student.joint | alone, student.own | alone, student.beaten | beaten)


def _by_flips_alone(spec: MethodSpec, units: str, scored: Bools) -> Bools:
    """Shape `(N, N)`: which pairs flips alone separate, by which unit scores which system, `(U, N)`.

    By a model of missing scores, what a unit says of a system that it does not score follows from other units; and
    a mean leaves out tasks that do not score the system, so a difference of two holds how difficult tasks are. So
    whoever is scored by a part of the units must be separated by as many degrees of freedom as these leave, too.
    """
    if spec.missing == "model" or (method_of(spec).averages and units != "instances"):
        whole = np.asarray(scored.all(axis=0))
        return whole[:, None] & whole
    return np.ones((scored.shape[1],) * 2, dtype=np.bool_)


def _crossed(
    counted: CountedScores, spec: MethodSpec, by_task: Floats, oriented: Floats, *, df: float, alpha: float
) -> Separated:
    """Separate by Student's test where tasks and instances are drawn, and tasks share instances.

    Flips of tasks do not know the error that these have in common. With what tasks, instances, and instances of
    single tasks move a difference by, its variance is V_t + V_u − V_tu, at least V_t and V_u (Cameron, Gelbach &
    Miller 2011).
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
    return by_p_values(oriented, 2 * student_cdf(-t, np.full_like(t, df)), alpha)


def _with_winner(
    intervals: Intervals, counted: CountedScores, spec: MethodSpec, result: MethodResult, *, place: Ints, df: float
) -> Intervals:
    """Add the score of the winner corrected for having won, where scores are sums over units."""
    units, basis = intervals.units, summed_basis(spec, intervals.units)
    first, second = place == 0, place == 1
    corrected = np.full((3, first.size), np.nan)
    known = not np.isnan(intervals.std_error[place >= 0]).any()
    if known and np.count_nonzero(first) == 1 and units != "both":
        step, number = 0.0, n_units(counted.by_name, units)
        # of very many units, the step in which the lead of the first moves is tiny
        if number <= _UNITS_IN_STEPS and number * first.size <= _SCORES_IN_STEPS and second.any():
            values = contributions_of(counted, basis, units).values
            step = step_of(values[:, np.argmax(first)] - values[:, np.argmax(second)])
        found = corrected_for_winning(
            result.oriented_score, intervals.samples, step=step, confidence=intervals.confidence, df=df, units=units
        )
        if found is not None:
            corrected[:, first] = np.array(found)[:, None]
    score, low, high = corrected if result.higher_is_better else -corrected[[0, 2, 1]]
    return replace(intervals, corrected_score=score, corrected_low=low, corrected_high=high)


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
