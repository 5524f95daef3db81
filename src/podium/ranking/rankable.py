"""What a table needs to be ranked: two systems, scores that weigh something, and systems that connect the tasks."""

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError
from podium.base.words import few
from podium.ranking.exact_sum import weighted_sum
from podium.score.table import Scores
from podium.score.task import Task

Bools = NDArray[np.bool_]


def check_several(scores: Scores, what: str) -> None:
    """Refuse a table of one system, and say which files were left out, since the others may be in these.

    Raises
    ------
    MethodError
        There is one system.
    """
    if len(scores.systems) < 2:
        few = f"there is only one system, {scores.systems[0]!r}; a {what} needs at least two"
        raise MethodError("; ".join([few, *(note for note in scores.notes if note.startswith("left out"))]))


def check_rankable(scores: Scores) -> None:
    """Refuse a table that no method could rank.

    Raises
    ------
    MethodError
        Fewer than two systems, no score, only scores that weigh nothing, or no system scored on two tasks, so that
        nothing connects the tasks.

    Examples
    --------
    >>> import podium
    >>> check_rankable(podium.from_dict({"A": {"rte": 0.5}}))
    Traceback (most recent call last):
    podium.errors.MethodError: there is only one system, 'A'; a ranking needs at least two
    """
    check_several(scores, "ranking")
    check_weighty(scores, "rank by")
    if not connected(np.array([task.scored > 0 for task in scores.tasks])):
        raise MethodError(
            "no system is scored on two tasks, so nothing compares the systems of one task with those of another; "
            "rank the tasks one by one with tasks= (--tasks), or check the system names"
        )


def check_weighty(scores: Scores, purpose: str) -> None:
    """Refuse a table in which no score counts, because all are missing or weigh nothing; the purpose ends the error.

    >>> import podium
    >>> check_weighty(podium.datasets.toy_table1(), "rank by")
    """
    if not scores.n_scored:
        raise MethodError(f"every score is missing, so there is nothing to {purpose}")
    if not any(map(weighs, scores.tasks)):
        names = few([task.name for task in scores.tasks if task.scored.any()])
        raise MethodError(
            f"every score is on a task or an instance of weight 0 ({names}), so there is nothing to {purpose}; "
            "give weight to what has scores"
        )


def weighs(task: Task) -> bool:
    """Whether a task weighs something, and some score is on an instance that does."""
    if task.weight == 0 or not task.scored.any():
        return False
    weights = task.instance_weights
    if weights is None or weights.all():
        return True
    scored = np.concatenate([~np.isnan(part).all(axis=0) for part in task.parts])
    return bool((scored & (weights > 0)).any())


def connected(scored: Bools, kept: Bools | None = None) -> Bools:
    """Whether there is a score, and some system is scored on two tasks if several tasks have scores.

    Parameters
    ----------
    scored
        Shape `(T, N)` or, of B tables, `(T, N, B)`: whether a system has any score on a task.
    kept
        Shape `(T, B)`: which of the tasks `(T, N)` each of B tables has; None if there is one table, with all of them.

    Examples
    --------
    >>> bool(connected(np.eye(2, dtype=np.bool_)))
    False
    >>> connected(np.eye(2, dtype=np.bool_), np.array([[True, True], [True, False]]))
    array([False,  True])
    """
    if kept is not None:  # by products of whole numbers, which are exact
        there = kept.astype(np.float64)
        tasks = scored.any(axis=1) @ there
        most = weighted_sum(there, scored[..., None].astype(np.float64)).max(axis=0)
        return np.array((tasks > 0) & ((tasks == 1) | (most > 1)))
    several = scored.any(axis=1).sum(axis=0) > 1
    enough = scored.sum(axis=0).max(axis=0) > 1
    return np.array(scored.any(axis=(0, 1)) & (enough | ~several))
