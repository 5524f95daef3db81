"""Compare every system with every other: count duels, pool them, put intervals on them, give labels back."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from podium.arguments import check_scores, check_threads
from podium.competition import ROUNDING, levels
from podium.engine import Counts, count
from podium.errors import MethodError
from podium.methods import Setting, check_missing, level_of, pooled
from podium.pairings import Pairwise
from podium.ranking import Condorcet, Missing, preferences, wins
from podium.ranking import condorcet as majorities
from podium.scores import Scores
from podium.tallies import Duels, Means, Moments, Tally
from podium.tallies.draws import shared_sets
from podium.uncertainty import Sided, radius
from podium.wording import counted

__all__ = ["condorcet", "pairwise"]

Floats = NDArray[np.float64]


def pairwise(
    scores: Scores,
    *,
    level: str = "one",
    confidence: float = 0.95,
    sided: Sided = "two",
    simultaneous: bool = False,
    threads: int | None = None,
) -> Pairwise:
    """Compare every pair of systems on the ballots that score both, with Hoeffding intervals.

    Parameters
    ----------
    scores
        The table. Directions, weights and the tie tolerance are its own.
    level
        What is a comparison: "one": an instance of any task (σˡ); "two": a task, which goes to the system that wins
        more of its instances; "task": a task, which goes to the system with the higher mean. The intervals take
        comparisons as independent draws, of instances or of tasks.
    confidence
        Probability, between 0 and 1, with which an interval holds the true probability.
    sided
        "two": both ends together hold with this confidence; "one": each end by itself, as Himmi et al. 2023 print it.
    simultaneous
        Whether the intervals of all pairs hold together.
    threads
        Cores to count on; the result does not depend on it.

    Returns
    -------
    Pairwise
        Systems by the mean over opponents of the share of comparisons won. Weights of tasks and of instances
        weigh comparisons; the intervals then rest on the effective number of comparisons.

    Raises
    ------
    MethodError
        Fewer than two systems, an unknown level or side, threads below 1, or a confidence that is
        not between 0 and 1.

    References
    ----------
    Himmi, Irurozki, Noiry, Clémençon & Colombo, 2023, §2.3; Hoeffding 1963.

    Examples
    --------
    >>> import podium
    >>> duels = podium.pairwise(podium.simulate.gumbel(3, 2, 100, dispersion=1.0, rng=0).scores)
    >>> duels
    Pairwise(3 systems, one-level: 3 of 3 pairs separated at 0.95)
    >>> float(duels.probability[0, 1]), float(duels.low[0, 1].round(4))
    (0.725, 0.629)
    """
    _check_pairs(scores, threads)
    level = level_of(scores, level, "one")
    duels, effective = _counted(scores.by_name(), level, threads)
    preference = preferences(duels, "direct")
    probability = np.divide(preference, duels.compared, out=np.full_like(preference, np.nan), where=effective > 0)
    spread = radius(effective, confidence=confidence, sided=sided, simultaneous=simultaneous)
    low = np.where(effective > 0, np.maximum(probability - spread, 0.0), 0.0)
    high = np.where(effective > 0, np.minimum(probability + spread, 1.0), 1.0)
    share = wins(preference).score
    order = _order(share, scores.systems)
    both = np.ix_(order, order)
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
        confidence=confidence,
        sided=sided,
        simultaneous=simultaneous,
        notes=(*scores.notes, *_pairwise_notes(effective), *_shared(scores, level)),
    )


def condorcet(
    scores: Scores, *, level: str | None = None, missing: Missing = "imputed", threads: int | None = None
) -> Condorcet[str]:
    """Find the system that beats every other by majority, or say what prevents one.

    Parameters
    ----------
    scores
        The table. Directions, weights and the tie tolerance are its own.
    level, missing
        The ballots, and how those count that do not score both of a pair: as for method "copeland" of `podium.rank`.
    threads
        Cores to count on; the result does not depend on it.

    Returns
    -------
    Condorcet
        Winner, Smith set, a shortest cycle of majorities, and undecided pairs, by label.

    Raises
    ------
    MethodError
        Fewer than two systems, an unknown level or way to count missing scores, or threads below 1.

    Examples
    --------
    >>> import podium
    >>> podium.condorcet(podium.datasets.toy_table1()).undecided
    (('A', 'C'),)
    """
    _check_pairs(scores, threads)
    check_missing(missing)
    used = level_of(scores, level, "two")
    table = scores.by_name()
    counts = count(table, (Moments, Means) if used == "task" else (Duels,), threads=threads)
    setting = Setting.of(table, counts, used, missing=missing)
    return majorities(preferences(pooled(counts, setting), missing)).named(scores.systems)


def _check_pairs(scores: Scores, threads: int | None) -> None:
    check_scores(scores)
    check_threads(threads)
    if len(scores.systems) < 2:
        raise MethodError("there are fewer than two systems, so there is no pair to compare")


def _counted(scores: Scores, level: str, threads: int | None) -> tuple[Duels, Floats]:
    """Duels on the ballots of a level, weighed, and the effective numbers of comparisons (Σ w)² / Σ w²."""
    needs: tuple[type[Tally], ...] = (Moments, Means) if level == "task" else (Duels,)
    counts = count(scores, needs, threads=threads)
    duels = _pooled(scores, counts, level, scores.task_weights)
    by_instance = level == "one" and any(task.instance_weights is not None for task in scores.tasks)
    if not by_instance and (scores.task_weights == 1).all():
        return duels, duels.compared
    if by_instance:
        counts = count(scores.with_squared_weights(), needs, threads=threads)
    squares = _pooled(scores, counts, level, scores.task_weights**2).compared
    return duels, np.divide(duels.compared**2, squares, out=np.zeros_like(squares), where=squares > 0)


def _pooled(scores: Scores, counts: Counts, level: str, weights: Floats) -> Duels:
    return pooled(counts, replace(Setting.of(scores, counts, level, missing="direct"), weights=weights))


def _order(share: Floats, systems: tuple[str, ...]) -> list[int]:
    """Best first, equals in order of their labels, systems never compared last."""
    level = levels(share, tolerance=ROUNDING)
    last = len(systems)
    return sorted(range(last), key=lambda row: (level[row] if level[row] >= 0 else last, systems[row]))


def _shared(scores: Scores, level: str) -> list[str]:
    """Warn where comparisons that are counted as independent are of the same items."""
    shared = shared_sets(scores.tasks) if level == "one" else 0
    if not shared:
        return []
    sets = f"{counted(shared, 'set')} of instances in several tasks"
    return [f"{sets}: comparisons on the same items count as independent, as in the paper, so intervals are too narrow"]


def _pairwise_notes(effective: Floats) -> list[str]:
    n_systems = len(effective)
    apart = n_systems * (n_systems - 1) // 2 - np.count_nonzero(effective) // 2
    if not apart:
        return []
    return [f"{apart} of {n_systems * (n_systems - 1) // 2} pairs of systems are never scored together, and stay open"]
