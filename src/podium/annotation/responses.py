"""Difficulty of instances by who solves them, by label."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.arguments import check_scores
from podium.difficulties import Difficulty, Measure
from podium.difficulty import fit_item_response
from podium.engine import Progress
from podium.errors import MethodError, PodiumError
from podium.scores import Scores, Task
from podium.wording import counted

__all__ = ["failures", "item_response"]

#: Systems below which parameters of instances are said to be rough.
_MANY = 100

_CIRCULAR = (
    "a leaderboard of these systems weighted by it is weighted by what they scored themselves; take other systems' "
    "scores where there are any"
)


def failures(scores: Scores) -> Difficulty:
    """Rate instances by the share of systems that fail them: 1 − mean of their scores.

    Where lower is better a score counts as 1 minus itself; missing scores are left out.

    Parameters
    ----------
    scores
        Scores from 0 to 1, with instances.

    Returns
    -------
    Difficulty
        Measure "failures", from 0 to 1, high is hard; NaN where no system has a score.

    Raises
    ------
    InputError
        `scores` is no score table.
    MethodError
        Scores have no instances, or lie outside 0 to 1.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1, 0], [1, 0], [1, 1]]}, systems=["A", "B", "C"])
    >>> failures(scores).measure().values.round(4)
    array([0.    , 0.6667])
    """
    values = [_failed(task) for task in _answered(scores)]
    systems = counted(len(scores.systems), "system")
    notes = [*scores.notes, f"failures are those of {systems}; {_CIRCULAR}"]
    if bare := sum(int(np.isnan(column).sum()) for column in values):
        notes.append(f"{counted(bare, 'instance')} without a score, and so without failures")
    return _rated(scores, (Measure("failures", np.concatenate(values), "high"),), notes=notes)


def _failed(task: Task) -> NDArray[np.float64]:
    shares = []
    for part in task.parts:
        there = np.count_nonzero(~np.isnan(part), axis=0)
        with np.errstate(invalid="ignore"):  # no score at all
            mean = np.nansum(part, axis=0, dtype=np.float64) / there
        shares.append(1 - mean if task.higher_is_better else mean)
    return np.concatenate(shares)


def item_response(scores: Scores, *, together: bool = False, progress: Progress | None = None) -> Difficulty:
    """Rate instances by an item response model: how able a system must be to solve one in half of the cases.

    The two-parameter logistic model: system j solves instance k with probability 1 / (1 + exp(−a_k (θ_j − b_k))). The
    difficulty is b, on the scale of the abilities θ; the discrimination a says how sharply the instance tells systems
    apart. Priors settle the origin and the unit of the scale, and what few systems leave open: see
    `podium.difficulty.fit_item_response`.

    Parameters
    ----------
    scores
        Scores from 0 to 1, with instances; where lower is better a score counts as 1 minus itself.
    together
        Whether one ability of each system is behind all tasks, so that difficulties of different tasks are on one
        scale. By default every task has abilities of its own: a system may be good at one and bad at another, and no
        task is judged by the others; but then b of one task says nothing of b of another.
    progress
        Called while the model is fitted, with what is done and what there is where that is known.

    Returns
    -------
    Difficulty
        Measure "irt", high is hard, and "discrimination".

    Raises
    ------
    InputError
        `scores` is no score table.
    MethodError
        Scores have no instances, lie outside 0 to 1, or are too few for the model.
    ConvergenceError
        The fit does not come to its end.

    Examples
    --------
    >>> import podium
    >>> table = (np.arange(12)[:, None] > np.array([1, 5, 9])).astype(float)
    >>> scores = podium.from_arrays({"t": table}, systems=[f"s{number}" for number in range(12)])
    >>> item_response(scores).measure().values.argsort()
    array([0, 1, 2])
    """
    tables = [task.values if task.higher_is_better else 1 - task.values for task in _answered(scores)]
    names = list(scores.task_names)
    if together:
        tables, names = [np.concatenate(tables, axis=1)], ["all tasks"]
    fits = []
    for name, table in zip(names, tables, strict=True):
        try:
            fits.append(fit_item_response(table, progress=progress))
        except PodiumError as error:
            raise type(error)(f"{name}: {error}") from error
    few = len(scores.systems)
    notes = [*scores.notes, f"difficulties rest on the answers of {counted(few, 'system')}; {_CIRCULAR}"]
    if few < _MANY:
        notes.append(f"{counted(few, 'system')} are few to estimate two numbers per instance from, so these are rough")
    if len(tables) > 1:
        notes.append(
            "every task has a scale of its own; item_response(scores, together=True), or `podium difficulty irt "
            "--together`, puts all tasks on one"
        )
    return _rated(
        scores,
        (Measure("irt", np.concatenate([fit.difficulty for fit in fits]), "high"),),
        extras=(("discrimination", np.concatenate([fit.discrimination for fit in fits])),),
        notes=notes,
    )


def _answered(scores: Scores) -> Sequence[Task]:
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


def _rated(scores: Scores, measures: tuple[Measure, ...], *, notes: Sequence[str], extras: Any = ()) -> Difficulty:
    """Put labels on what was measured, task after task; those of all tasks are text if those of one are."""
    labels = [np.arange(task.n_instances) if task.instances is None else task.instances for task in scores.tasks]
    if len({part.dtype.kind in "iu" for part in labels}) > 1:
        labels = [part.astype(np.dtypes.StringDType()) for part in labels]
    tasks = np.repeat(np.array(scores.task_names), [len(part) for part in labels])
    instances = np.concatenate(labels)
    return Difficulty(instances, measures, tasks=tasks, extras=extras, notes=tuple(notes), backend=scores.backend)
