"""Work on some instances of a task at a time; what is as large as the task goes where that is, in memory or on disk."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.piece import pieces
from podium.base.spill import room_of
from podium.score.task import PART, Task


def stretches_of(task: Task) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Yield a task in stretches of some instances: which they are, and their scores `(N, L)`."""
    first = 0
    for part in task.parts:
        for some in pieces(*part.shape):
            yield slice(first + some.start, first + some.stop), part[:, some]
        first += part.shape[1]


def over_instances(task: Task, function: Callable[[NDArray[Any]], NDArray[Any]]) -> NDArray[Any]:
    """Return what a function makes of the scores of some instances at a time, put together along the last axis.

    Parameters
    ----------
    task
        N systems on K instances.
    function
        From scores `(N, L)` to an array `(…, L)`. What it sums over systems is as it were for all instances at once.

    Examples
    --------
    >>> over_instances(Task.cut("t", np.array([[1.0, 2.0], [3.0, 5.0]])), lambda scores: scores.sum(axis=0))
    array([4., 7.])
    """
    made = []
    for _, scores in stretches_of(task):
        alone = scores.shape[1] == 1 < task.n_instances  # a single column would be added up in another order
        found = function(np.repeat(scores, 2, axis=1) if alone else scores)
        made.append(found[..., :1] if alone else found)
    return made[0] if len(made) == 1 else np.concatenate(made, axis=-1)


def each_score(task: Task, function: Callable[[NDArray[Any]], NDArray[Any]]) -> NDArray[np.float64]:
    """Return an array `(N, K)` of what a function makes of every score, held where the scores are.

    >>> each_score(Task.cut("t", np.array([[1.0, 0.5]])), lambda scores: 1 - scores)
    array([[0. , 0.5]])
    """
    made: NDArray[np.float64] = room_of(task.parts[0]).empty((task.scored.size, task.n_instances), np.float64)
    for where, scores in stretches_of(task):
        made[:, where] = function(scores)
    return made


def of_instances(task: Task, kept: NDArray[np.bool_]) -> tuple[NDArray[Any], ...]:
    """Return the parts of a task with some of its instances, by mask, held where its scores are.

    >>> of_instances(Task.cut("t", np.array([[1.0, 2.0, 3.0]])), np.array([True, False, True]))
    (array([[1., 3.]]),)
    """
    total, kind, room = int(np.count_nonzero(kept)), np.result_type(*task.parts), room_of(task.parts[0])
    parts = tuple(room.empty((task.scored.size, min(PART, total - start)), kind) for start in range(0, total, PART))
    done = 0
    for where, scores in stretches_of(task):
        places = np.flatnonzero(kept[where])
        while places.size:
            number, column = divmod(done, PART)
            some = places[: PART - column]
            parts[number][:, column : column + some.size] = scores[:, some]
            done, places = done + some.size, places[some.size :]
    return parts
