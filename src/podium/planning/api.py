"""Plan an evaluation: what more data, and which missing scores, would make a ranking surer."""

import numpy as np
from numpy.typing import NDArray

from podium.base.parallel import Progress
from podium.planning.completion import cell_values
from podium.planning.result import MissingCell, Plan
from podium.planning.sample_size import comparisons_needed, growth_needed
from podium.ranking.api import pairwise, rank
from podium.ranking.ballot import Missing, task_ballots
from podium.ranking.bootstrap import units_of
from podium.ranking.inference import errors_of_differences
from podium.ranking.method.method import METHODS
from podium.ranking.result import Ranking
from podium.score.table import Scores, check_scores
from podium.tally.engine.local import count
from podium.tally.kernel.plain import expected_ranks
from podium.tally.moment import Moments

Floats = NDArray[np.float64]


def plan(
    scores: Scores,
    method: str = "borda",
    *,
    level: str | None = None,
    missing: Missing | None = None,
    prior: float = 0.0,
    time_limit: float | None = None,
    confidence: float = 0.95,
    power: float = 0.8,
    units: str | None = None,
    replicates: int = 1000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Plan:
    """Say how much more data would separate systems, and which missing scores would narrow the ranking most.

    Twice, for every pair. By the bootstrap of the ranking: the factor by which the number of units must grow,
    ((c + Φ⁻¹(power)) se / d)², c being the bound by which all pairs are told apart together (`Intervals.critical`).
    By Hoeffding, which assumes less and asks for more: the number of direct comparisons. Both take what is seen now
    for the truth: a difference that is a chance finding will ask for more. Missing cells are judged by Borda on the
    means of the tasks, whatever the method; see `podium.planning.completion.cell_values`.

    Parameters
    ----------
    scores
        The table. Directions, weights and the tie tolerance are its own.
    method, level, missing, prior, time_limit
        How to rank, see `podium.rank`; but a method that counts ballots does so at level "one" by default where there
        are instances, for at the others scores move in steps of a whole task, and plans would be rough.
    confidence
        Of telling systems apart, all pairs together, between 0 and 1.
    power
        Probability with which the larger evaluation is to separate two systems, at least 0.5 and below 1.
    units
        What there is to be more of: "instances" within each task, all tasks growing alike (by default, where there are
        any), "tasks" (by default where there are not), or "both": tasks, with their instances.
    replicates, seed
        Of the bootstrap.
    threads
        Cores to count on; the result does not depend on it.
    progress
        Called with the number of scores counted and the number there are.

    Returns
    -------
    Plan
        In the order of the ranking. Where there is too little data for intervals, without what rests on them.

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
    growth_needed(np.zeros(0), np.zeros(0), 0.0, power=power)  # refuse it before the work
    check_scores(scores)
    if level is None and method in METHODS and METHODS[method].level is not None and not scores.task_level:
        level = "one"
    ranking = rank(
        scores,
        method,
        level=level,
        missing=missing,
        prior=prior,
        time_limit=time_limit,
        confidence=confidence,
        units=units,
        replicates=replicates,
        seed=seed,
        threads=threads,
        progress=progress,
    )
    drawn = units_of(scores, units)
    difference = _differences(ranking)
    error, separated, critical = _sureness(ranking)
    probability, compared = _comparisons(scores, ranking, drawn, threads)
    n_pairs = len(ranking) * (len(ranking) - 1) // 2
    needed = comparisons_needed(probability, confidence=confidence, simultaneous_pairs=n_pairs)
    return Plan(
        method=ranking.method,
        level=ranking.level,
        systems=ranking.systems,
        confidence=confidence,
        power=power,
        units=drawn,
        size=scores.n_instances / len(scores.tasks) if drawn == "instances" else float(len(scores.tasks)),
        difference=difference,
        std_error=error,
        separated=separated,
        growth=_growth(difference, error, critical, separated, power),
        probability=probability,
        compared=compared,
        comparisons=np.where(probability < 0.5, np.inf, needed),
        cells=_cells(scores, threads) if scores.n_scored < scores.n_cells else (),
        notes=(*ranking.notes, *_notes(ranking, drawn)),
        backend=scores.backend,
    )


def _differences(ranking: Ranking) -> Floats:
    """Shape `(N, N)`: differences of goodness, 0 for systems that share a rank."""
    goodness = ranking.score if ranking.higher_is_better else -ranking.score
    same = (ranking.rank[:, None] == ranking.rank) & (ranking.rank > 0)
    return np.where(same, 0.0, goodness[:, None] - goodness)


def _sureness(ranking: Ranking) -> tuple[Floats, NDArray[np.bool_], float]:
    """Shape `(N, N)`: standard errors of differences, and which are told apart; and the joint critical value."""
    sure = ranking.intervals
    if sure is None:
        nothing = np.full((len(ranking), len(ranking)), np.nan)
        return nothing, np.zeros(nothing.shape, dtype=np.bool_), np.nan
    return errors_of_differences(sure.samples), sure.separated, sure.critical


def _comparisons(scores: Scores, ranking: Ranking, units: str, threads: int | None) -> tuple[Floats, Floats]:
    """Shape `(N, N)` each: share and number of direct comparisons, in the order of the ranking."""
    duels = pairwise(scores, level="one" if units == "instances" else "task", threads=threads)
    place = {system: index for index, system in enumerate(duels.systems)}
    order = [place[system] for system in ranking.systems]
    both = np.ix_(order, order)
    return duels.probability[both], duels.compared[both]


def _cells(scores: Scores, threads: int | None) -> tuple[MissingCell, ...]:
    """All that is missing, with its value, the most useful first."""
    table = scores.by_name()
    share = np.array([task.scored / task.n_instances for task in table.tasks])
    values = cell_values(_places(table, threads), share, table.task_weights)
    cells = [
        MissingCell(table.systems[system], table.tasks[task].name, float(share[task, system]), value)
        for task, system in np.argwhere(share < 1).tolist()
        for value in [float(values[task, system])]
    ]
    return tuple(sorted(cells, key=lambda cell: (-cell.value, cell.system, cell.task)))


def _places(scores: Scores, threads: int | None) -> Floats:
    """Shape `(T, N)`: midranks of the task means among the scored systems, NaN where unscored."""
    moments = count(scores, (Moments,), threads=threads)[Moments]
    means = np.array([task.means for task in moments])
    scale = None if scores.task_level else np.array([task.scale for task in moments])
    ballots = task_ballots(means, tolerance=scores.reach, scale=scale)
    ranks = np.array([expected_ranks(ballot.values, ballot.tolerance)[:, 0] for ballot in ballots])
    scored = ~np.isnan(means)
    count_scored = np.count_nonzero(scored, axis=1)[:, None]
    return np.where(scored, ranks * (count_scored + 1) / (len(scores.systems) + 1), np.nan)


def _growth(difference: Floats, error: Floats, critical: float, separated: NDArray[np.bool_], power: float) -> Floats:
    """How much more is needed; NaN where enough replicates turn a difference round that is large for its error."""
    growth = growth_needed(difference, error, critical, power=power)
    return np.where((growth < 1) & ~(separated | separated.T), np.nan, growth)


def _notes(ranking: Ranking, units: str) -> list[str]:
    notes = ["planned as if the differences seen now were the true ones; one that is a chance finding needs more"]
    if units == "instances" and ranking.intervals is not None and ranking.level in {"task", "two"}:
        notes.append(
            f"{ranking.level}-level scores move in steps of a whole task, so the numbers of instances are rough; "
            "for finer ones rank at level 'one'"
        )
    return notes
