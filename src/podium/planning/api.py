"""Plan an evaluation: what more data, and which missing scores, would make a ranking surer."""

import math

import numpy as np
from numpy.typing import NDArray

from podium.base.check import as_number, check_threads
from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.planning.completion import missing_cells
from podium.planning.power import differences, growth_of_pairs, notes_on_repeats, separation
from podium.planning.result import Plan, notes_of
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.counted import CountedScores, direct_wins
from podium.ranking.distance import comparisons_needed
from podium.ranking.few import n_units
from podium.ranking.freedom import degrees_of_freedom
from podium.ranking.method_spec import MethodSpec, method_of, moves_in_steps, summed_basis, sums_over_units
from podium.ranking.note import warn
from podium.ranking.rankable import check_rankable
from podium.ranking.result import Ranking
from podium.ranking.uncertainty import contributions_of, ranking_of
from podium.score.family import family_names
from podium.score.table import Scores, of_battles
from podium.source.given import ScoresLike, as_scores
from podium.tally.moment import Means

Floats = NDArray[np.float64]

#: Numbers up to which what every unit adds to the scores is held.
_HELD = 2**23


def plan(
    scores: "ScoresLike",
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

    Every pair has two answers. By the tests of the ranking: the factor by which the number of units must grow, so that
    all tests that must agree separate the pair with this power, see `podium.planning.power.growth_for_power`. By
    Hoeffding, another question: how many direct comparisons show that one wins more than half of them, whatever the
    method, level and power. Both take the differences seen now as the true ones, so a difference found by chance needs
    more data. Missing cells are judged by Borda on the
    means of the tasks, whatever the method; see `podium.planning.completion.cell_values`.

    Parameters
    ----------
    scores
        The table, or what becomes one: a path, a frame, a dictionary or arrays, see `podium.ScoresLike`.
        Directions, weights and the tie tolerance are its own.
    method, level
        How to rank, see `podium.rank`. At levels "task" and "two" scores move in steps of a whole task, and plans are
        rough.
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
    >>> podium.plan(podium.datasets.xtreme_missing()).cells[0].system
    'M1'
    """
    if not 0.5 <= as_number(power) < 1:
        raise MethodError(f"power is {power!r}; it must be at least 0.5 and below 1, such as 0.8")
    scores = as_scores(scores)
    check_threads(threads)
    _refuse_repeats(units)
    bootstrap = Bootstrap.of(scores, confidence=confidence, units=units, replicates=replicates, seed=seed)
    spec = MethodSpec.of(method, level).on(scores)
    check_rankable(scores)
    warn(scores, method_of(spec))
    pairs = "one" if bootstrap.units == "instances" else "task"
    clustered = bootstrap.units == "instances" and any(task.clusters is not None for task in scores.tasks)
    incomplete = scores.n_scored < scores.n_cells and not of_battles(scores)  # battles lack no scores
    also = [Means] if incomplete else []
    counted = CountedScores.for_rankings(
        scores, [spec, direct_wins(pairs)], also=also, threads=threads, progress=progress
    )
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
    _, probability, compared = (matrix[np.ix_(order, order)] for matrix in counted.compared(pairs))
    needed = comparisons_needed(probability, confidence=confidence, simultaneous_pairs=math.comb(len(ranking), 2))
    cells, n_missing = missing_cells(counted) if incomplete else ((), 0)
    notes = [
        *ranking.notes,
        *notes_of(ranking, bootstrap.units, clustered=clustered, listed=len(cells), missing=n_missing),
    ]
    if ranking.method == "mean" and bootstrap.units == "instances":
        notes += notes_on_repeats(scores, ranking.systems, error, np.where(separated | separated.T, np.nan, growth))
    return Plan(
        method=ranking.method,
        level=ranking.level,
        systems=ranking.systems,
        confidence=confidence,
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
        cells=cells,
        notes=tuple(notes),
        backend=scores.backend,
        clustered=clustered,
    )


def _refuse_repeats(units: str | None) -> None:
    if units == "repeats":
        raise MethodError(
            "a plan does not add repeats; use units='instances' (--units instances): with method='mean' its notes say "
            "whether repeats would do"
        )


def _contributions(counted: CountedScores, spec: MethodSpec, units: str, ranking: Ranking) -> Floats | None:
    """Shape `(U, N)`, in the order of the ranking: what each unit adds to what is flipped; None of too many units."""
    if ranking.intervals is None or n_units(counted.by_name, units) * len(ranking) > _HELD:
        return None
    values = contributions_of(counted, summed_basis(spec, units), units).values
    return values[:, [counted.by_name.systems.index(system) for system in ranking.systems]]


def _size(scores: Scores, units: str) -> float:
    """How many units there are: instances of a task on average, or the clusters of these; or families of tasks."""
    if units != "instances":
        return float(len(set(family_names(scores.tasks))))
    drawn = sum(task.n_instances if task.clusters is None else len(task.clusters) for task in scores.tasks)
    return drawn / len(scores.tasks)
