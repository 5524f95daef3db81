"""A score table as answers: how far every system solves every instance, from 0 to 1."""

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError
from podium.score.battle import of_battles
from podium.score.part import each_score
from podium.score.table import Scores
from podium.score.task import Task

Floats = NDArray[np.float64]


def solved(scores: Scores, what: str) -> list[Floats]:
    """Return one array `(N, K)` per task: 1 is solved, 0 is failed, NaN where there is no score; `what` needs them.

    Raises
    ------
    MethodError
        There are no instances, scores are of battles, or one is not between 0 and 1.

    Examples
    --------
    >>> import podium
    >>> solved(podium.from_arrays({"error": [[0.25, 1]]}, lower=["error"]), "this")[0]
    array([[0.75, 0.  ]])
    """
    if scores.task_level:
        raise MethodError(f"these scores are of whole tasks; {what} needs one score per instance")
    if of_battles(scores):
        raise MethodError("battles of two systems have no difficulty: half of each is won, whoever takes part")
    for task in scores.tasks:
        for part in task.parts:
            outside = (part < 0) | (part > 1)
            if outside.any():
                row, column = np.argwhere(outside)[0]
                where = f"task {task.name!r}, system {scores.systems[row]!r}"
                raise MethodError(
                    f"{where}: a score of {part[row, column]:g} does not lie between 0 (failed) and 1 "
                    "(solved); divide percentages by 100, or leave the task out with tasks= (--tasks)"
                )
    return [_solved(task) for task in scores.tasks]


def _solved(task: Task) -> Floats:
    if task.higher_is_better and len(task.parts) == 1 and task.parts[0].dtype == np.float64:
        return task.parts[0]
    if task.higher_is_better:
        return each_score(task, lambda scores: scores)
    return each_score(task, lambda scores: 1 - scores)
