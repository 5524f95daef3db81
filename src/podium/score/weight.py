"""Weights of tasks and instances, as they are given."""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.errors import WeightError
from podium.base.pattern import matching


def task_weight(task: str, weight: Any) -> float:
    """Return the weight of a task as a number, or refuse what is none."""
    if not isinstance(weight, Real):
        raise WeightError(f"weight of task {task!r} is {weight!r}, which is not a number")
    return float(weight)


def instance_weights(task: str, weights: Any) -> NDArray[np.float64]:
    """Return weights of instances of a task as numbers, or refuse what are none."""
    try:
        return np.array(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise WeightError(f"instance weights of task {task!r} are not numbers: {error}") from error


def assigned(given: Any, tasks: Sequence[str]) -> dict[str, Any]:
    """Return what each task is given, by its name or else by globs."""
    if not isinstance(given, Mapping):
        raise WeightError(f"weights are a dictionary such as {{'rte': 2}}, not {type(given).__name__}")
    source = {name: name for name in tasks if name in given}  # names first
    for pattern in given:
        for task in () if pattern in source else matching("task", [pattern], tasks):
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
