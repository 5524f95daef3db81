"""Scores of systems as answers to instances: checked, counted, and labelled with what was measured on them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError
from podium.difficulty.result import Difficulty, Measure
from podium.score.table import Scores, Task, check_scores


def answered(scores: Scores) -> Sequence[Task]:
    """Tasks with instances whose scores say how far they are solved.

    Raises
    ------
    InputError, MethodError
        It is no score table, has no instances, or has other scores.
    """
    check_scores(scores)
    if scores.task_level:
        raise MethodError("these scores are of whole tasks; difficulty needs one score per instance")
    for task in scores.tasks:
        for part in task.parts:
            outside = (part < 0) | (part > 1)
            if outside.any():
                row, column = np.argwhere(outside)[0]
                where = f"task {task.name!r}, system {scores.systems[row]!r}"
                raise MethodError(
                    f"{where}: a score of {part[row, column]:g} does not lie between 0 (failed) and 1 "
                    "(solved); divide percentages by 100, or leave the task out with --tasks"
                )
    return scores.tasks


def failed(task: Task) -> NDArray[np.float64]:
    """Shape `(K,)`: which share of the systems fails each instance; NaN where there is no score."""
    shares = []
    for part in task.parts:
        there = np.count_nonzero(~np.isnan(part), axis=0)
        with np.errstate(invalid="ignore"):  # no score at all
            mean = np.nansum(part, axis=0, dtype=np.float64) / there
        shares.append(1 - mean if task.higher_is_better else mean)
    return np.concatenate(shares)


def rated(scores: Scores, measures: tuple[Measure, ...], *, notes: Sequence[str], extras: Any = ()) -> Difficulty:
    """Put labels on what was measured, task after task; those of all tasks are text if those of one are."""
    labels = [np.arange(task.n_instances) if task.instances is None else task.instances for task in scores.tasks]
    if len({part.dtype.kind in "iu" for part in labels}) > 1:
        labels = [part.astype(np.dtypes.StringDType()) for part in labels]
    tasks = np.repeat(np.array(scores.task_names), [len(part) for part in labels])
    instances = np.concatenate(labels)
    return Difficulty(instances, measures, tasks=tasks, extras=extras, notes=tuple(notes), backend=scores.backend)
