"""Weights of tasks and of instances: who gets which, and whether they make sense."""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.errors import WeightError
from podium.base.pattern import matching


def task_weights(given: Any, tasks: Sequence[str]) -> dict[str, float]:
    """Return the weight of each task that has one, by its name or else by globs.

    Raises
    ------
    LabelError
        A pattern matches no task.
    WeightError
        There is no mapping, a weight is no number, or two globs give a task different ones.

    Examples
    --------
    >>> task_weights({"MNLI*": 0.5, "MNLI-mm": 2}, ["RTE", "MNLI-m", "MNLI-mm"])
    {'MNLI-m': 0.5, 'MNLI-mm': 2.0}
    """
    return {task: _number(task, weight) for task, weight in _assigned(given, tasks).items()}


def instance_weights(given: Any, tasks: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    """Return copies of the instance weights of each task that has some, by its name or else by globs.

    Raises
    ------
    LabelError
        A pattern matches no task.
    WeightError
        There is no mapping, weights are no numbers, or two globs give a task different ones.

    Examples
    --------
    >>> instance_weights({"RTE": [1, 2]}, ["RTE", "MNLI-m"])
    {'RTE': array([1., 2.])}
    """
    return {task: _numbers(task, weights) for task, weights in _assigned(given, tasks).items()}


def _number(task: str, weight: Any) -> float:
    if not isinstance(weight, Real):
        raise WeightError(f"weight of task {task!r} is {weight!r}, which is not a number")
    return float(weight)


def _numbers(task: str, weights: Any) -> NDArray[np.float64]:
    try:
        return np.array(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise WeightError(f"instance weights of task {task!r} are not numbers: {error}") from error


def _assigned(given: Any, tasks: Sequence[str]) -> dict[str, Any]:
    """Return what each task is given."""
    if not isinstance(given, Mapping):
        raise WeightError(f"weights are a dictionary such as {{'rte': 2}}, not {type(given).__name__}")
    source: dict[str, str] = {}
    for pattern in sorted(given, key=lambda pattern: pattern not in tasks):  # names first
        for task in matching("task", [pattern], tasks):
            known = source.setdefault(task, pattern)
            if known not in {task, pattern} and not np.array_equal(given[known], given[pattern]):
                raise WeightError(
                    f"task {task!r} is given weight {given[known]} by {known!r} and {given[pattern]} by {pattern!r}; "
                    "give it one weight, under its own name"
                )
    return {task: given[source[task]] for task in tasks if task in source}


def check_weights(what: str, weights: ArrayLike, of: Sequence[str] = ()) -> None:
    """Refuse weights that make no sense; `of` names what each is the weight of.

    Raises
    ------
    WeightError
        A weight is negative or not finite; all are zero; or their sum is too large for a number.
    """
    array = np.asarray(weights, dtype=np.float64)
    wrong = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if wrong.size:
        where = f"weight of {of[wrong[0]]}" if of else f"{what}: weight {wrong[0] + 1}"
        raise WeightError(f"{where} is {array[wrong[0]]:g}; a weight is a finite number that is not negative")
    with np.errstate(over="ignore"):
        if np.isinf(array.sum()):
            raise WeightError(f"{what} are too large to be added up; divide them all by the largest")
    if array.size and not array.any():
        raise WeightError(f"{what} are all zero, so nothing would count")
