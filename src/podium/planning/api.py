"""Plan an evaluation: what more data, and which missing scores, would make a ranking surer."""

from dataclasses import replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from podium.base.check import check_threads
from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.planning.completion import cell_values
from podium.planning.result import MissingCell, Plan
from podium.ranking.ballot import task_ballots
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.counted import CountedScores, check_rankable, comparing
from podium.ranking.hoeffding import comparisons_needed
from podium.ranking.interval import errors_of_differences
from podium.ranking.method_spec import MethodSpec, method_of
from podium.ranking.note import warn
from podium.ranking.result import Ranking
from podium.score.table import Scores, check_scores
from podium.tally.moment import Moments
from podium.tally.position import expected_ranks

Floats = NDArray[np.float64]


def plan(
    scores: Scores,
    method: str | MethodSpec = "borda",
    *,
    level: str | None = None,
    confidence: float = 0.95,
    power: float = 0.8,
    units: str | None = None,
    replicates: int = 1000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Plan:
    """Say how much more data would separate systems, and which missing scores would narrow the ranking most.

    Every pair has two answers. By the bootstrap of the ranking: the factor by which the number of units must grow,
    ((c + Φ⁻¹(power)) se / d)², where c is the bound that separates all pairs together (`Intervals.critical`).
    By Hoeffding, which assumes less and needs more data: the number of direct comparisons. Both take the differences
    seen now as the true ones, so a difference found by chance needs more data. Missing cells are judged by Borda on the
    means of the tasks, whatever the method; see `podium.planning.completion.cell_values`.

    Parameters
    ----------
    scores
        The table. Directions, weights and the tie tolerance are its own.
    method, level
        How to rank, see `podium.rank`. But if there are instances, a method that counts ballots does so at level "one"
        by default: at other levels scores move in steps of a whole task, and plans would be rough.
    confidence
        With which systems are to be separated, all pairs together, between 0 and 1.
    power
        Probability with which the larger evaluation is to separate two systems, at least 0.5 and below 1.
    units
        What to add: "instances" within each task, the same factor for all tasks (the default if there are any), "tasks"
        (the default if there are none), or "both": tasks, with their instances.
    replicates, seed
        Of the bootstrap.
    threads
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
        `scores` is no score table.
    MethodError
        As `podium.rank`; or the power is below 0.5 or not below 1.

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
    >>> podium.plan(podium.datasets.xtreme_missing()).cells[0].system
    'M1'
    """
    if not 0.5 <= power < 1:
        raise MethodError(f"power is {power}; it must be at least 0.5 and below 1, such as 0.8")
    check_scores(scores)
    check_threads(threads)
    bootstrap = Bootstrap.of(scores, confidence=confidence, units=units, replicates=replicates, seed=seed)
    spec = MethodSpec.of(method, level)
    if spec.level is None and method_of(spec).level is not None and not scores.task_level:
        spec = replace(spec, level="one")
    check_rankable(scores)
    warn(scores, method_of(spec))
    pairs = "one" if bootstrap.units == "instances" else "task"
    incomplete = scores.n_scored < scores.n_cells
    counted = CountedScores.for_rankings(
        scores,
        [spec, comparing(pairs)],
        also=[Moments] if incomplete else [],
        threads=threads,
        progress=progress,
    )
    ranking = counted.ranking(spec, bootstrap, progress)
    difference = _differences(ranking)
    error, separated, critical = _sureness(ranking)
    growth = growth_needed(difference, error, critical, power=power)
    order = [scores.systems.index(system) for system in ranking.systems]
    _, probability, compared = (matrix[np.ix_(order, order)] for matrix in counted.compared(pairs))
    n_pairs = len(ranking) * (len(ranking) - 1) // 2
    needed = comparisons_needed(probability, confidence=confidence, simultaneous_pairs=n_pairs)
    return Plan(
        method=ranking.method,
        level=ranking.level,
        systems=ranking.systems,
        confidence=confidence,
        power=power,
        units=bootstrap.units,
        size=scores.n_instances / len(scores.tasks) if bootstrap.units == "instances" else float(len(scores.tasks)),
        difference=difference,
        std_error=error,
        separated=separated,
        # unknown where a difference is large for its error, but many replicates reverse it
        growth=np.where((growth < 1) & ~(separated | separated.T), np.nan, growth),
        probability=probability,
        compared=compared,
        comparisons=np.where(probability < 0.5, np.inf, needed),
        cells=_cells(counted) if incomplete else (),
        notes=(*ranking.notes, *_notes(ranking, bootstrap.units)),
        backend=scores.backend,
    )


def _differences(ranking: Ranking) -> Floats:
    """Shape `(N, N)`: differences of goodness, 0 for systems that share a rank."""
    goodness = ranking.score if ranking.higher_is_better else -ranking.score
    same = (ranking.rank[:, None] == ranking.rank) & (ranking.rank > 0)
    return np.where(same, 0.0, goodness[:, None] - goodness)


def _sureness(ranking: Ranking) -> tuple[Floats, NDArray[np.bool_], float]:
    """Shape `(N, N)`: standard errors of differences, and which are separated; and the joint critical value."""
    sure = ranking.intervals
    if sure is None:
        nothing = np.full((len(ranking), len(ranking)), np.nan)
        return nothing, np.zeros(nothing.shape, dtype=np.bool_), np.nan
    return errors_of_differences(sure.samples), sure.separated, sure.critical


def _cells(counted: CountedScores) -> tuple[MissingCell, ...]:
    """All that is missing, with its value, the most useful first."""
    table = counted.table
    share = np.array([task.scored / task.n_instances for task in table.tasks])
    values = cell_values(_places(counted), share, table.task_weights)
    cells = [
        MissingCell(table.systems[system], table.tasks[task].name, float(share[task, system]), value)
        for task, system in np.argwhere(share < 1).tolist()
        for value in [float(values[task, system])]
    ]
    return tuple(sorted(cells, key=lambda cell: (-cell.value, cell.system, cell.task)))


def _places(counted: CountedScores) -> Floats:
    """Shape `(T, N)`: midranks of the task means among the scored systems, NaN where unscored."""
    means = np.array([task.means for task in counted.counts[Moments]])
    ballots = task_ballots(means, tolerance=counted.table.reach, scale=counted.common.scale_of_rounding)
    ranks = np.array([expected_ranks(ballot.values, ballot.tolerance)[:, 0] for ballot in ballots])
    scored = ~np.isnan(means)
    count_scored = np.count_nonzero(scored, axis=1)[:, None]
    return np.where(scored, ranks * (count_scored + 1) / (len(counted.table.systems) + 1), np.nan)


def _notes(ranking: Ranking, units: str) -> list[str]:
    notes = ["the plan takes the differences seen now as the true ones; a difference found by chance needs more data"]
    if units == "instances" and ranking.intervals is not None and ranking.level in {"task", "two"}:
        notes.append(
            f"{ranking.level}-level scores move in steps of a whole task, so the numbers of instances are rough; "
            "level 'one' gives finer ones"
        )
    return notes


def growth_needed(difference: Floats, std_error: Floats, critical: float, *, power: float = 0.8) -> Floats:
    """Find the factor by which a sample must grow to separate scores with a given probability.

    Scores are separated where |d| > c · se. With f times as many units the standard error is se/√f, and a new
    difference is about normal around d with that error, so that it exceeds the bound with the probability wanted if
    f = ((c + Φ⁻¹(power)) se / d)². With power ½ this is (c · se / d)², where d itself just reaches the bound.

    It assumes that d is the true difference, that a unit varies as much as those seen, and that all tasks grow alike
    (or, where units are tasks, that there are more tasks of the same kind).

    Parameters
    ----------
    difference
        Any shape: d, in units of the score. NaN gives NaN.
    std_error
        Same shape: se of d at the present size, ≥ 0.
    critical
        c, in standard errors.
    power
        Probability with which to separate, at least ½ and below 1.

    Returns
    -------
    f: above 1 more units are needed, below 1 fewer would do; infinite where d = 0.

    Examples
    --------
    >>> growth_needed(np.array([0.02, 0.01, 0.0]), np.array([0.01, 0.01, 0.01]), critical=1.96).round(2)
    array([1.96, 7.85,  inf])
    """
    reach = critical + NormalDist().inv_cdf(power)
    size = np.abs(difference)
    ratio = np.divide(reach * std_error, size, out=np.full_like(size, np.inf), where=size != 0)
    growth: Floats = np.square(ratio)
    return growth
