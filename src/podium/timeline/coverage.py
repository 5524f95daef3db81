"""Which scores are there in one version of a table, and not in the other."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from podium.score.table import Scores
from podium.score.task import Task
from podium.timeline.shared import Shared

Ints = NDArray[np.int64]


def scored_in_both(shared: Shared, systems: list[str]) -> Shared | None:
    """Leave out scores of some systems that only one of two versions has; None where there are none.

    >>> import podium
    >>> from podium.timeline.shared import shared_part
    >>> one = podium.from_dict({"A": {"t": 1.0, "u": 2.0}, "B": {"t": 1.0, "u": 2.0}})
    >>> other = podium.from_dict({"A": {"t": 1.0, "u": 3.0}, "B": {"t": 1.0}})
    >>> scored_in_both(shared_part(one, other), ["A", "B"]).before
    Scores(2 systems × 2 tasks, 1 of 4 scores missing)
    """
    pairs = list(zip(shared.before.tasks, shared.after.tasks, strict=True))
    here, there = (rows_of(scores, systems) for scores in (shared.before, shared.after))
    cut = [_in_both(one, other, here, there) for one, other in pairs]
    if all(pair is None for pair in cut):
        return None
    kept = [pair if found is None else found for pair, found in zip(pairs, cut, strict=True)]
    return replace(
        shared,
        before=replace(shared.before, tasks=tuple(one for one, _ in kept)),
        after=replace(shared.after, tasks=tuple(other for _, other in kept)),
    )


def _in_both(one: Task, other: Task, here: Ints, there: Ints) -> tuple[Task, Task] | None:
    if (one.scored[here] == one.n_instances).all() and (other.scored[there] == other.n_instances).all():
        return None
    lone = np.isnan(one.values[here]) != np.isnan(other.values[there])
    return (_without(one, here, lone), _without(other, there, lone)) if lone.any() else None


def _without(task: Task, rows: Ints, lone: NDArray[np.bool_]) -> Task:
    values = np.array(task.values, dtype=np.result_type(task.values.dtype, np.float32), copy=True)
    values[rows] = np.where(lone, np.nan, values[rows])
    return task.with_values(values)


def rows_of(scores: Scores, systems: list[str]) -> Ints:
    """Shape `(N,)`: where some systems stand in a table."""
    row = {system: index for index, system in enumerate(scores.systems)}
    return np.array([row[system] for system in systems], dtype=np.int64)


def lone_scores(shared: Shared, systems: list[str]) -> Ints:
    """Shape `(N,)`: how many scores of each system only one of the versions has, on what both have."""
    total = np.zeros(len(systems), dtype=np.int64)
    here, there = (rows_of(scores, systems) for scores in (shared.before, shared.after))
    for one, other in zip(shared.before.tasks, shared.after.tasks, strict=True):
        total += np.count_nonzero(np.isnan(one.values[here]) != np.isnan(other.values[there]), axis=1)
    return total


def whole_elsewhere(scores: Scores, part: Scores | None, systems: list[str]) -> bool:
    """Whether no score of some systems is missing in a table, beside its part that both versions have."""
    missing = _missing(scores, systems)
    return bool((missing == (0 if part is None else _missing(part, systems))).all())


def _missing(scores: Scores, systems: list[str]) -> Ints:
    rows = rows_of(scores, systems)
    counts = [task.n_instances - task.scored[rows] for task in scores.tasks]
    total: Ints = np.sum(counts, axis=0, dtype=np.int64)
    return total


def newly_scored(before: Scores, after: Scores, systems: list[str]) -> dict[str, tuple[str, ...]]:
    """For each task of both versions, the systems that have scores on it in the second one only.

    >>> import podium
    >>> one = podium.from_dict({"A": {"t": 1.0, "u": 2.0}, "B": {"t": 1.0}})
    >>> other = podium.from_dict({"A": {"t": 1.0, "u": 3.0}, "B": {"t": 1.0, "u": 3.0}})
    >>> newly_scored(one, other, ["A", "B"]), newly_scored(other, one, ["A", "B"])
    ({'u': ('B',)}, {})
    """
    here, there = rows_of(before, systems), rows_of(after, systems)
    known = {task.name: task.scored[here] > 0 for task in before.tasks}
    found = {}
    for task in after.tasks:
        if task.name in known:
            new = np.flatnonzero((task.scored[there] > 0) & ~known[task.name]).tolist()
            if new:
                found[task.name] = tuple(systems[index] for index in new)
    return found
