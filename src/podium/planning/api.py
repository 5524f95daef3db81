"""Plan an evaluation: how much more data would separate systems, what to run next, what a paired comparison finds."""

import math
from functools import partial
from typing import Any, Unpack, get_args

import numpy as np

from podium.base.arrays import Floats
from podium.base.check import Rng, as_number, check_confidence, check_threads, checked_number, checked_whole, seed_of
from podium.base.errors import InputError, LabelError, MethodError
from podium.base.parallel import Progress, with_one_blas_thread
from podium.base.words import with_names
from podium.planning.allocation import groups_of, schedule
from podium.planning.items import ItemPlan, LabelPlan, drawn_items, item_plan, items_needed, unlabelled
from podium.planning.power import differences, growth_of_pairs, notes_on_repeats, separation
from podium.planning.result import Allocation, Plan, Settle, notes_of, notes_of_allocation
from podium.planning.runnable import UnitTable
from podium.ranking.api import check_rankable, rank
from podium.ranking.ballots import Level, Missing
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.contributions import HELD, contributions_of, n_units
from podium.ranking.counted import CountedScores
from podium.ranking.degrees_of_freedom import degrees_of_freedom
from podium.ranking.human import by_people
from podium.ranking.method_spec import (
    MethodName,
    MethodSpec,
    in_words,
    method_of,
    moves_in_steps,
    summed_basis,
    sums_over_units,
)
from podium.ranking.note import warn
from podium.ranking.pairwise import compare_pairs, comparisons_needed, direct_wins
from podium.ranking.result import Ranking
from podium.ranking.uncertainty import ranking_of
from podium.score.family import family_names
from podium.score.prediction_powered import LEAST_LABELS
from podium.score.table import Scores, of_battles
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords
from podium.tally.draw import UnitKind


@keywords
def plan(
    scores: "ScoresLike",
    method: MethodName | str | MethodSpec = "borda",
    *,
    level: Level | None = None,
    missing: Missing | None = None,
    confidence_level: float = 0.95,
    power: float = 0.8,
    units: UnitKind | None = None,
    n_resamples: int = 1000,
    rng: Rng = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Plan:
    """Say how much more data would separate systems.

    Every pair has two answers. By the tests of the ranking: the factor by which the number of units must grow, so that
    all tests that must agree separate the pair with this power, see `podium.planning.power.growth_for_power`. By
    Hoeffding, another question: how many direct comparisons show that one wins more than half of them, whatever the
    method, level and power. Both take the differences seen now as the true ones, so a difference found by chance needs
    more data.

    Parameters
    ----------
    scores
        As for `podium.rank`.
    method, level, missing
        How to rank, see `podium.rank`. At levels "task" and "two" scores move in steps of a whole task, and plans are
        rough.
    confidence_level
        With which systems are to be separated, all pairs together, between 0 and 1.
    power
        Probability with which the larger evaluation is to separate two systems, at least 0.5 and below 1.
    units
        What to add: "instances" within each task, the same factor for all tasks (the default if there are any), "tasks"
        (the default if there are none), or "both": tasks, with their instances.
    n_resamples, rng
        Of the bootstrap.
    n_jobs
        Cores to count on; the result does not depend on it.
    progress
        Called with the number of scores counted and their total; then with the number of replicates and their total.

    Returns
    -------
    Plan
        In the order of the ranking. If there is too little data for intervals, the plan has no numbers that need them.

    Raises
    ------
    InputError
        `scores` is no score table and cannot be read as one.
    MethodError
        As `podium.rank`; the units are "repeats"; or the power is below 0.5 or not below 1.

    Warns
    -----
    PodiumWarning
        As `podium.rank`.

    References
    ----------
    Hoeffding 1963; Himmi et al. 2023, §2.2.1 and §2.3.

    Examples
    --------
    >>> import podium
    >>> podium.plan(podium.datasets.toy_table1()).rows()[0]["units_needed"]
    553
    """
    seed = seed_of(rng)
    _check_power(power)
    scores = as_scores(scores, **reading)
    check_threads(n_jobs)
    if units == "repeats":
        raise MethodError(
            "a plan does not add repeats; use units='instances' (--units instances): with method='mean' its notes say "
            "whether repeats would do"
        )
    bootstrap = Bootstrap.of(scores, confidence=confidence_level, units=units, replicates=n_resamples, seed=seed)
    spec = MethodSpec.of(method, level, missing).on(scores)
    check_rankable(scores)
    warn(scores, method_of(spec))
    pairs: Level = "one" if bootstrap.units == "instances" else "task"
    clustered = bootstrap.units == "instances" and any(task.clusters is not None for task in scores.tasks)
    counted = CountedScores.for_rankings(scores, [spec, direct_wins(pairs)], threads=n_jobs, progress=progress)
    ranking = ranking_of(counted, spec, bootstrap, progress)
    difference = differences(ranking)
    error, separated, _ = separation(ranking)
    growth = growth_of_pairs(
        ranking,
        difference,
        freedom=degrees_of_freedom(counted.by_name, bootstrap.units, ranking.level),
        contributions=_contributions(counted, spec, bootstrap.units, ranking),
        in_steps=moves_in_steps(spec, bootstrap.units),
        of_sums=sums_over_units(spec, bootstrap.units),
        power=power,
    )
    order = [scores.systems.index(system) for system in ranking.systems]
    _, probability, compared = (matrix[np.ix_(order, order)] for matrix in compare_pairs(counted, pairs))
    needed = comparisons_needed(probability, confidence=confidence_level, simultaneous_pairs=math.comb(len(ranking), 2))
    holes = 0 if of_battles(scores) else scores.n_cells - scores.n_scored  # battles lack no scores
    notes = [*ranking.notes, *notes_of(ranking, bootstrap.units, clustered=clustered, missing=holes)]
    if ranking.method == "mean" and bootstrap.units == "instances":
        notes += notes_on_repeats(scores, ranking.systems, error, np.where(separated | separated.T, np.nan, growth))
    return Plan(
        method=ranking.method,
        level=ranking.level,
        systems=ranking.systems,
        confidence=confidence_level,
        power=power,
        units=bootstrap.units,
        size=_size(scores, bootstrap.units),
        difference=difference,
        std_error=error,
        separated=separated,
        # unknown where a difference is large for its error, but many replicates reverse it
        growth=np.where((growth < 1) & ~(separated | separated.T), np.nan, growth),
        probability=probability,
        compared=compared,
        comparisons=np.where(probability < 0.5, np.inf, needed),
        notes=tuple(notes),
        backend=scores.backend,
        clustered=clustered,
    )


def _contributions(counted: CountedScores, spec: MethodSpec, units: str, ranking: Ranking) -> Floats | None:
    """Shape `(U, N)`, in the order of the ranking: what each unit adds to what is flipped; None of too many units."""
    if ranking.intervals is None or n_units(counted.by_name, units) * len(ranking) > HELD:
        return None
    values = contributions_of(counted, summed_basis(spec, units), units).values
    return values[:, [counted.by_name.systems.index(system) for system in ranking.systems]]


def _size(scores: Scores, units: str) -> float:
    """Return how many units there are: instances a task on average, or clusters of these; or families of tasks."""
    if units != "instances":
        return float(len(set(family_names(scores.tasks))))
    drawn = sum(task.n_instances if task.clusters is None else len(task.clusters) for task in scores.tasks)
    return drawn / len(scores.tasks)


def _check_power(power: float) -> None:
    if not 0.5 <= as_number(power) < 1:
        raise MethodError(f"power is {power!r}; it must be at least 0.5 and below 1, such as 0.8")


@keywords
def allocate(
    scores: "ScoresLike",
    budget: float,
    *,
    settle: Settle = "first",
    cost: str | None = None,
    method: MethodName | str | MethodSpec = "borda",
    level: Level | None = None,
    missing: Missing | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    rng: Rng = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Allocation:
    """Choose which scores to run next, so that a ranking soon says who is first, or which systems form tiers.

    Scores are normal, given who is better: so how much each of them settles is known before it is run, and from
    simulated completions of the table, which differences matter and what they need. Scores are chosen one after the
    other, by what each is expected to settle by its cost; of systems with fewer than 14 tasks or instances, those with
    fewest come first; see `podium.planning.allocation.schedule`. What the ranking separates already gets nothing.

    What can be run are the missing scores of a system on a task; with instances, those of the task that others have
    answered; and if none is missing, new instances, the same for several systems.

    Parameters
    ----------
    scores
        As for `podium.rank`. Two systems alone are compared with `systems=["A", "B"]`.
    budget
        How many scores to run, or with a cost how much to spend.
    settle
        "first": who is first, each other system against the best; or "tiers": systems of different tiers.
    cost
        Name of a covariate that says what a score costs; an unknown one is taken in proportion, by its system and task.
    method, level, missing, confidence_level, n_resamples, rng, n_jobs, progress
        As for `podium.rank`; the seed also of the simulations.

    Returns
    -------
    Allocation
        In the order in which to run. Ask again once there are some of the scores, since they say which others matter.

    Raises
    ------
    InputError
        A cost is 0 or below, or not known of a system.
    LabelError
        There is no such cost.
    MethodError
        There is nothing left to run; the table holds battles; the budget is no number above 0, or below the cheapest
        score; or as `podium.rank`.

    Warns
    -----
    PodiumWarning
        As `podium.rank`.

    References
    ----------
    Chen, Lin, Yücesan & Chick, Simulation budget allocation, Discrete Event Dynamic Systems 10, 2000; Frazier, Powell &
    Dayanik, INFORMS Journal on Computing 21, 2009.

    Examples
    --------
    >>> import podium
    >>> podium.allocate(podium.datasets.xtreme_missing(), 5)["system"][:2].tolist()
    ['M5', 'M5']
    """
    seed = seed_of(rng)
    check_confidence(confidence_level)
    if settle not in get_args(Settle):
        raise LabelError.unknown("settle", settle, get_args(Settle))
    scores = as_scores(scores, **reading)
    if of_battles(scores):
        raise MethodError(
            "these are battles, which have no missing scores; podium.plan (podium plan) says how many separate systems"
        )
    asked: dict[str, Any] = {"level": level, "missing": missing, "confidence_level": confidence_level}
    ranking = rank(scores, method, **asked, n_resamples=n_resamples, rng=seed, n_jobs=n_jobs, progress=progress)
    spec = MethodSpec.of(method, level, missing).on(scores)
    bootstrap = Bootstrap.of(scores, confidence=confidence_level, units=None, replicates=n_resamples, seed=seed)
    table = UnitTable.of(CountedScores.for_rankings(scores, [spec], threads=n_jobs), spec, bootstrap.units, cost)
    limit = table.checked_budget(budget, cost)
    left, before, table = table.left, table.group.size, table.with_new(limit)
    order = np.array([ranking.systems.index(system) for system in scores.systems])
    (error, joint, _), sure = separation(ranking), ranking.intervals
    first = () if sure is None else tuple(np.array(ranking.systems)[sure.may_be_first].tolist())
    out = joint | joint.T if sure is None or settle == "tiers" else np.broadcast_to(~sure.may_be_first, joint.shape)
    apart, error = (matrix[np.ix_(order, order)] for matrix in (out, error))
    groups = groups_of(table.values, table.scored, table.group, table.costs)
    draws = np.random.default_rng(seed % 2**64)
    told: dict[str, Any] = {"budget": limit, "settle": settle, "apart": apart, "error": error}
    found = with_one_blas_thread(partial(schedule, **told, confidence=confidence_level, rng=draws), groups)
    helped = found.needed[found.needed > 0]
    basis = summed_basis(spec, bootstrap.units)
    ways = in_words(spec.name, spec.level), in_words(basis.name, basis.level)
    tasks = table.group.size if table.unit == "scores" else math.inf
    return Allocation(
        cells=table.cells(found.picks),
        settle=settle,
        budget=limit,
        cost=cost,
        unit=table.unit,
        left=left,
        first=first,
        helped=helped.size / found.needed.size,
        needed=tuple(np.quantile(helped, [0.05, 0.5, 0.95]).tolist()) if helped.size else (0.0, 0.0, 0.0),
        new=0 if left else table.group.size - before,
        alone=found.alone,
        confidence=confidence_level,
        notes=(*notes_of_allocation(limit, left, cost, ways, tasks), *ranking.notes),
        backend=scores.backend,
    )


@keywords
def plan_labels(
    scores: "ScoresLike",
    reach: float,
    *,
    method: MethodName | str | MethodSpec = "borda",
    level: Level | None = None,
    confidence_level: float = 0.95,
    rng: Rng = 0,
    **reading: Unpack[ReadingOptions],
) -> LabelPlan:
    """Say how many more labels by people make human scores as sure as is wanted, and which items to label next.

    A judge scored all answers, and people labelled some, see `podium.rank`. What more labels bring is taken from the
    labels that there are: how they vary, and go together with the judge's scores.

    Parameters
    ----------
    scores
        As for `podium.rank`, with labels by people (`human_column`).
    reach
        Half the length of intervals that is wanted, in the units of the scores by the method.
    method, level
        "mean", or "borda" (default).
    confidence_level
        Of intervals.
    rng
        Seed by which items are drawn.

    Returns
    -------
    LabelPlan
        Items are drawn at random of those without a label, since labels of others would not do.

    Raises
    ------
    InputError
        There are no labels, or as `podium.rank`.
    MethodError
        The reach is not above 0, some system has fewer than ten labels, or as `podium.rank`.

    References
    ----------
    Angelopoulos, Duchi & Zrnic 2023, §6 (PPI++); Neyman 1934 (labels of each task).

    Examples
    --------
    >>> import podium, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     podium.datasets.write_examples(folder)
    ...     plan = podium.plan_labels(f"{folder}/judged.csv", 0.06, method="mean", human_column="human")
    >>> plan.summary
    ('51 more items, labelled for all systems, bring every human score within 0.06',)
    """
    seed = seed_of(rng)
    check_confidence(confidence_level)
    scores = as_scores(scores, human=True, **reading)
    if not checked_number("reach= (--labels)", reach) > 0:
        raise MethodError(f"reach= (--labels) is {reach:g}; it must be above 0, such as 0.03")
    if not scores.human:
        raise InputError("there are no labels by people; name their column with human_column= (--human-column)")
    spec, found = by_people(scores, MethodSpec.of(method, level))
    if short := [one for one, own in zip(scores.systems, found.n_labels, strict=True) if own < LEAST_LABELS]:
        raise MethodError(with_names("", short, f": a plan needs {LEAST_LABELS} labels of each, drawn at random"))
    number, now, then = items_needed(found, float(reach), confidence_level)
    tasks = found.table.tasks
    return LabelPlan(
        method=spec.name,
        level=spec.level,
        systems=scores.systems,
        confidence=confidence_level,
        reach=float(reach),
        n_labels=found.n_labels,
        now=now,
        then=then,
        items=drawn_items(tasks, scores.human, number, seed),
        left=sum(unlabelled(task, scores.human).size for task in tasks),
        notes=(*found.notes, *scores.notes),
        backend=scores.backend,
    )


@keywords
def plan_items(
    items: int,
    delta: float,
    *,
    rate: float = 0.8,
    correlation: float = 0.5,
    confidence_level: float = 0.95,
    power: float = 0.8,
) -> ItemPlan:
    """Say what a paired comparison finds, before there are data: two systems are right or wrong on some instances.

    Of p and p + δ right with correlation ρ, only the new system is right on b = (p + δ)(1 − p) − c of the instances,
    only the old one on a = p (1 − p − δ) − c, with c = ρ √(p (1 − p)(p + δ)(1 − p − δ)). A difference of an instance
    has the variance a + b − δ², which is near 2 p (1 − p)(1 − ρ). The test is that of `podium.compare` on one task:
    McNemar's, z = (B − A) / √(A + B), or the exact one, up to 200 instances or 50 discordant ones. Its chance is a sum
    over A + B, the number of discordant instances, and B. It is near Φ((|δ| √n − z √(a + b)) / √(a + b − δ²)), with z =
    Φ⁻¹(1 − α/2).

    Parameters
    ----------
    items
        How many.
    delta
        The difference of the shares right, new less old, as a share: 0.02; negative if it is worse.
    rate
        Share right of the old system.
    correlation
        Of the two on the same instances; two versions of one system often have 0.5 to 0.8. If these shares allow less,
        the largest that they allow counts, with a note.
    confidence_level
        1 − α, between 0 and 1.
    power
        Wanted, at least 0.5 and below 1.

    Returns
    -------
    ItemPlan
        For instances that all are scored; missing ones make it a plan for fewer.

    Raises
    ------
    MethodError
        An argument makes no sense, such as a difference of 0, or more than 100% right.

    References
    ----------
    McNemar 1947; Miettinen, Biometrics 24, 1968; Connor, Biometrics 43, 1987; Miller 2024, §5.

    Examples
    --------
    >>> import podium
    >>> podium.plan_items(500, 0.02)
    ItemPlan(500 instances find a difference of 0.02 with a chance of 21%)
    • on 500 instances the smallest difference found in 80% of cases is 0.047
    • about 3,000 instances find 0.02 so often
    instances  difference  chance  smallest  instances needed  discordant
      500        0.02     21%    0.0475         3,017         15%
    1 note in .notes
    """
    n = checked_whole("items", items)
    p, rho = checked_number("rate", rate, most=1), checked_number("correlation", correlation, -1, 1)
    check_confidence(confidence_level)
    _check_power(power)
    d = as_number(delta)
    if not (d and 0 <= p + d <= 1):
        points = f"; for {d:g} points give {d / 100:g}" if 1 <= abs(d) < 100 else ""
        raise MethodError(f"delta is {delta!r}; it must not be 0, and rate + delta must be from 0 to 1{points}")
    return item_plan(n, d, p, rho, confidence=confidence_level, power=power)
