"""All pairs of systems compared: shares of comparisons won with Hoeffding intervals, and what majorities say."""

import math
from dataclasses import replace
from typing import Literal, Unpack, get_args

import numpy as np

from podium.base.arrays import Floats, Ints
from podium.base.check import check_confidence, check_threads, is_one_of
from podium.base.errors import MethodError, nearest
from podium.base.words import Aside
from podium.ranking import note
from podium.ranking.api import check_several, check_weighty
from podium.ranking.ballots import Level, Missing, balanced_weights, majority, preferences, weighted_sum
from podium.ranking.counted import CountedScores
from podium.ranking.method.majority import majorities, wins
from podium.ranking.method_spec import MethodSpec, level_of
from podium.ranking.result import Condorcet, Pairwise, labelled
from podium.score.place import ROUNDING, best_first, places
from podium.score.table import Scores
from podium.score.task import Task, masses_of
from podium.score.units import drawn_as, units_among
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords
from podium.tally.duel import Duels

#: Whether a bound holds below and above together, or each by itself.
Sided = Literal["two", "one"]

SIDES: tuple[Sided, ...] = get_args(Sided)


@keywords
def pairwise(
    scores: "ScoresLike",
    *,
    level: Level = "one",
    confidence_level: float = 0.95,
    sided: Sided = "two",
    simultaneous: bool = False,
    n_jobs: int | None = None,
    **reading: Unpack[ReadingOptions],
) -> Pairwise:
    """Compare every pair of systems on the ballots that score both, with Hoeffding intervals.

    Parameters
    ----------
    scores
        As for `podium.rank`.
    level
        What one comparison is. "one": an instance of any task (σˡ). "balanced": the same, but those of a task together
        weigh what the task weighs. "two": a task; the system that wins more of its instances wins it. "task": a task;
        the system with the higher mean wins it. The intervals take comparisons as independent draws, of instances or of
        tasks; all comparisons on the same instances, such as several metrics of the same items, are one draw, and so
        are those of a cluster.
    confidence_level
        Probability, between 0 and 1, that an interval contains the true probability.
    sided
        "two": both ends together hold with this confidence; "one": each end by itself, as Himmi et al. 2023 print it.
    simultaneous
        Whether the intervals of all pairs hold together.
    n_jobs
        Cores to count on; the result does not depend on it.

    Returns
    -------
    Pairwise
        Systems in order of the share of comparisons won, averaged over opponents. Weights of tasks and instances are
        weights of comparisons; the intervals then use the effective number of comparisons.

    Raises
    ------
    MethodError
        Fewer than two systems, no score that weighs anything, an unknown level or side, threads below 1, or a
        confidence that is not between 0 and 1.

    References
    ----------
    Himmi, Irurozki, Noiry, Clémençon & Colombo, 2023, §2.3; Hoeffding 1963.

    Examples
    --------
    >>> import podium
    >>> duels = podium.pairwise(podium.simulate.gumbel(3, 2, 100, dispersion=1.0, rng=0).scores)
    >>> duels
    Pairwise(pairwise, one-level: 3 systems, 3 of 3 pairs separated)
    • system 3 wins most, 80% of its comparisons on average; 2 of 2 wins are beyond chance (95%, pair by pair)
    rank  system    share won  better than  worse than
       1  system 3      0.802       2 of 2      0 of 2
       2  system 2      0.495       1 of 2      1 of 2
       3  system 1      0.202       0 of 2      2 of 2
    >>> float(duels.probability[0, 1]), float(duels.low[0, 1].round(4))
    (0.725, 0.629)
    """
    scores = _checked_pairs(scores, n_jobs, reading)
    level = level_of(scores, level, "one")
    counted_level = _cheapest(level, scores)
    counted = CountedScores.of(scores, [direct_wins(counted_level)], threads=n_jobs)
    preference, probability, effective = compare_pairs(counted, counted_level)
    spread = radius(effective, confidence=confidence_level, sided=sided, simultaneous=simultaneous)
    low, high = ends(probability, spread)
    share = wins(preference).score
    order = best_first(places(share, tolerance=ROUNDING), scores.systems)
    both = np.ix_(order, order)
    notes = [*scores.notes, *note.of_pairs(scores, level, effective)]
    if not scores.task_level and np.count_nonzero(low > 0.5) < len(low) * (len(low) - 1) // 2:
        notes.append(Aside("intervals hold for any scores, so they are wide; podium compare is sharper on one pair"))
    return Pairwise(
        systems=tuple(scores.systems[row] for row in order),
        share=share[order],
        probability=probability[both],
        compared=effective[both],
        radius=spread[both],
        low=low[both],
        high=high[both],
        separated=low[both] > 0.5,
        level=level,
        confidence=confidence_level,
        sided=sided,
        simultaneous=simultaneous,
        notes=tuple(notes),
        backend=scores.backend,
    )


@keywords
def condorcet(
    scores: "ScoresLike",
    *,
    level: Level | None = None,
    missing: Missing | None = None,
    n_jobs: int | None = None,
    **reading: Unpack[ReadingOptions],
) -> Condorcet:
    """Find the system that beats every other by majority, or say what prevents one.

    Parameters
    ----------
    scores, threads
        As for `podium.rank`.
    level, missing
        The ballots, and how a ballot counts if it does not score both systems of a pair, see `podium.rank` and
        `podium.MethodSpec`, as for method "copeland".

    Returns
    -------
    Condorcet
        Winner, Smith set, a shortest cycle of majorities, and undecided pairs, by label.

    Raises
    ------
    MethodError
        Fewer than two systems, no score that weighs anything, an unknown level or way to count missing scores, or
        threads below 1.

    Examples
    --------
    >>> import podium
    >>> podium.condorcet(podium.datasets.toy_table1()).undecided
    (('A', 'C'),)
    """
    scores = _checked_pairs(scores, n_jobs, reading)
    spec = MethodSpec("copeland", level, missing).on(scores)
    asked = spec.level or "one"
    spec = replace(spec, level=_cheapest(asked, scores))
    counted = CountedScores.of(scores, [spec], threads=n_jobs)
    context = counted.context(spec)
    preference = preferences(counted.duels(spec), context.missing)
    return labelled(majorities(preference), majority(preference), scores, level=asked)


def _cheapest(level: Level, scores: Scores) -> Level:
    """Return the level, or one with the same ballots for which duels need not be counted for each task by itself."""
    unweighed = all(task.instance_weights is None for task in scores.tasks)
    same = scores.task_level and unweighed and scores.tie_tolerance == 0
    return "task" if level == "one" and same else level


def _checked_pairs(given: "ScoresLike", threads: int | None, reading: ReadingOptions) -> Scores:
    scores = as_scores(given, **reading)
    check_threads(threads)
    check_several(scores, "comparison")
    check_weighty(scores, "compare")
    return scores


def direct_wins(level: Level) -> MethodSpec:
    """Return the way to rank by which a table must be counted for `compare_pairs`."""
    return MethodSpec("wins", level=level, missing="direct")


def compare_pairs(counted: CountedScores, level: Level) -> tuple[Floats, Floats, Floats]:
    """Compare all pairs of systems on the ballots that score both; the table must be counted for `direct_wins`.

    Returns
    -------
    Shape `(N, N)` each: how often i is preferred to j; the share of the comparisons that is, NaN where there are
    none; and their effective number (Σ w)² / Σ_u w_u², w_u being what the comparisons of one unit weigh together.

    Comparisons on the same instances depend on each other. So tasks with the same instances are one group, and what
    an instance u weighs in all of them counts as one: Σ_u w_u² ≤ (Σ_t √Σ_u w_tu²)², t in the group, which is equal
    where they score the pair on the same instances. Units and groups are those of `podium.score.units`; w_tu is
    what all instances of unit u in task t weigh together.
    """
    duels = counted.duels(direct_wins(level))
    preference = preferences(duels, "direct")
    squares = _squares_of_tasks(counted.by_name) if level == "task" else _squares_of_instances(counted, level)
    effective = np.divide(duels.compared**2, squares, out=np.zeros_like(squares), where=squares > 0)
    probability = np.divide(preference, duels.compared, out=np.full_like(preference, np.nan), where=effective > 0)
    return preference, probability, effective


def _squares_of_tasks(scores: Scores) -> Floats:
    """Shape `(N, N)`: Σ_u w_u², see `compare_pairs`, if a ballot is a task: units are families of tasks."""
    of = np.unique([str(name) for name in drawn_as(scores.tasks, "tasks")], return_inverse=True)[1]
    for group in units_among(scores.tasks):
        if len(group.tasks) > 1:
            of[np.isin(of, of[list(group.tasks)])] = of[group.tasks[0]]
    scored = np.array([task.scored > 0 for task in scores.tasks], dtype=np.float64)
    # of thousands of tasks that are families by themselves, one sum
    alone = np.bincount(of)[of] == 1
    squares = weighted_sum(scored, (np.where(alone, scores.task_weights, 0.0)[:, None] ** 2 * scored)[..., None])
    for family in np.flatnonzero(np.bincount(of) > 1):
        own = of == family
        squares += ((scored[own] * scores.task_weights[own, None]).T @ scored[own]) ** 2
    return squares


def _squares_of_instances(counted: CountedScores, level: Level) -> Floats:
    """Shape `(N, N)`: Σ_u w_u², see `compare_pairs`; no more is held than of one group of tasks."""
    weights, tasks, duels = counted.by_name.task_weights, counted.by_name.tasks, counted.counts[Duels]
    if level == "balanced":
        weights = balanced_weights(duels, weights)
    if level != "two" and any(task.instance_weights is not None for task in tasks):
        squared = counted.given.with_squared_weights()
        duels = CountedScores.of(squared, [direct_wins(level)], threads=counted.threads).counts[Duels]

    def of_task(index: int, of: Ints) -> Floats:
        compared = duels[index].compared
        if level == "two":  # the vote of the task
            compared = (compared > 0).astype(np.float64)
        elif tasks[index].clusters is not None:
            compared = squared_masses(tasks[index], of)
        return np.asarray(weights[index] ** 2 * compared)

    squares = np.zeros((len(counted.by_name.systems),) * 2)
    for group in units_among(tasks):
        own = [of_task(index, of) for index, of in zip(group.tasks, group.of, strict=True)]
        squares += sum(map(np.sqrt, own)) ** 2 if len(own) > 1 else own[0]
    return squares


def squared_masses(task: Task, of: Ints) -> Floats:
    """Shape `(N, N)`: Σ over units of (what its instances that score both systems weigh together)².

    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1, 0, 1], [0, np.nan, 1]]}, clusters=["a", "a", "b"])
    >>> squared_masses(scores.tasks[0], np.array([0, 0, 1]))
    array([[5., 2.],
           [2., 2.]])
    """
    there = ~np.isnan(task.values)
    mass = masses_of(task)
    total = np.zeros((len(there), len(there)))
    if there.all():
        return np.full_like(total, np.square(np.bincount(of, weights=mass)).sum())
    order = np.argsort(of, kind="stable")
    for some in np.split(order, np.cumsum(np.bincount(of))[:-1]):
        scored = there[:, some].astype(np.float64)
        total += ((scored * mass[some]) @ scored.T) ** 2
    return total


def radius(compared: Floats, *, confidence: float = 0.95, sided: Sided = "two", simultaneous: bool = False) -> Floats:
    """Shape `(N, N)`: distance c_ij that share and probability of i beating j exceed with probability at most δ.

    With δ = 1 − confidence, c_ij = sqrt(log(2/δ) / (2 z_ij)) for the two sides together and
    c_ij = sqrt(log(1/δ) / (2 z_ij)) for either side alone (Hoeffding 1963, Theorem 2). Himmi et al. 2023, Eq. 4,
    print the latter and use it as if it were the former; their δ is the probability of error too.

    Parameters
    ----------
    compared
        Shape `(N, N)`: z_ij, the number of independent comparisons of i and j, each of which counts 0, ½ or 1. Where
        comparisons weigh w_b, the bound holds with the effective number (Σ w_b)² / Σ w_b².
    confidence
        1 − δ, strictly between 0 and 1.
    sided
        "two": c bounds the distance below and above together; "one": each of the two sides by itself.
    simultaneous
        Let the bounds of all N (N − 1) / 2 pairs hold together (union bound), with δ divided by their number; one-sided
        ones in one direction per pair, chosen beforehand.

    Returns
    -------
    Infinite where nothing was compared.

    Raises
    ------
    MethodError
        The confidence is not between 0 and 1, or `sided` is neither "two" nor "one".

    Examples
    --------
    >>> radius(np.array([[0.0, 200.0], [200.0, 0.0]])).round(4)
    array([[  inf, 0.096],
           [0.096,   inf]])
    """
    n_systems = len(compared)
    pairs = max(1, n_systems * (n_systems - 1) // 2) if simultaneous else 1
    half = exponent(confidence, sided, pairs) / 2
    return np.asarray(np.sqrt(np.divide(half, compared, out=np.full(compared.shape, np.inf), where=compared > 0)))


def ends(probability: Floats, distance: Floats) -> tuple[Floats, Floats]:
    """Lower and upper ends of intervals: share ∓ distance, but never outside 0 to 1; these two where nothing is known.

    Parameters
    ----------
    probability
        Shares won, NaN where nothing was compared.
    distance
        As of `radius`, infinite there.

    Examples
    --------
    >>> ends(np.array([0.9, np.nan]), np.array([0.2, np.inf]))
    (array([0.7, 0. ]), array([1., 1.]))
    """
    return np.fmax(probability - distance, 0.0), np.fmin(probability + distance, 1.0)


def comparisons_needed(
    probability: Floats, *, confidence: float = 0.95, sided: Sided = "two", simultaneous_pairs: int = 1
) -> Floats:
    """Count the comparisons beyond which Hoeffding's bound parts a share won from ½.

    The bound on z comparisons is c(z) = √(log(2m/δ) / 2z), see `radius`, and |p − ½| > c(z) once
    z > log(2m/δ) / (2 (p − ½)²).

    Parameters
    ----------
    probability
        Any shape: share p of comparisons won, taken to stay as it is. NaN gives NaN.
    confidence
        1 − δ, strictly between 0 and 1.
    sided
        "two" or "one" (with log(m/δ)).
    simultaneous_pairs
        Number m of pairs that are to hold together (union bound).

    Returns
    -------
    More comparisons than this are needed; infinite where p = ½.

    Raises
    ------
    MethodError
        The confidence is not between 0 and 1, or `sided` is neither "two" nor "one".

    References
    ----------
    Hoeffding 1963, Theorem 2; Himmi et al. 2023, Eq. 4.

    Examples
    --------
    >>> comparisons_needed(np.array([0.6, 0.55, 0.5])).round(1)
    array([184.4, 737.8,   inf])
    """
    distance = np.asarray(probability, dtype=np.float64) - 0.5
    with np.errstate(divide="ignore"):
        return np.divide(exponent(confidence, sided, simultaneous_pairs) / 2, distance**2)


def exponent(confidence: float, sided: Sided, pairs: int = 1) -> float:
    """2 z c² of the bound c on z comparisons: log(2m/δ) for two sides of m pairs together, log(m/δ) for one.

    Raises
    ------
    MethodError
        The confidence is not between 0 and 1, or `sided` is neither "two" nor "one".

    Examples
    --------
    >>> round(exponent(0.95, "two"), 4)
    3.6889
    """
    check_confidence(confidence)
    if not is_one_of(sided, SIDES):
        raise MethodError(f"there is no sided={sided!r}; {nearest(str(sided), SIDES)}")
    return math.log(pairs * (2 if sided == "two" else 1)) - math.log1p(-confidence)
