"""Scores from plain dictionaries."""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.score.table import Scores, Task
from podium.source.read import Finish


def from_dict(
    scores: Mapping[str, Mapping[str, Any]],
    *,
    tasks: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
    lower: Iterable[str] = (),
    higher: Iterable[str] = (),
    weights: Mapping[str, float] | None = None,
    tie_tolerance: float = 0.0,
) -> Scores:
    """Take scores from a dictionary: system → task → score, list of scores, or instance → score.

    A score is missing where it is None or NaN, or where its system, task or instance is not mentioned.

    Parameters
    ----------
    scores
        For each system and task a number; or a list of numbers, one per instance, as long for every system; or a
        mapping from instance labels to numbers.
    tasks, systems, lower, higher, weights, tie_tolerance
        Selection, directions and weights; see `read`.

    Returns
    -------
    Scores
        Float64. Systems and tasks in order of first appearance, instance labels sorted.

    Raises
    ------
    InputError
        A value is no number, lists of a task differ in length, or a task comes in two forms.
    LabelError
        A task or system was named that does not exist.
    WeightError
        A weight is negative or not finite, or all are zero.

    Examples
    --------
    >>> from podium.source.mapping import from_dict
    >>> from_dict({"A": {"rte": 0.7, "sst2": 0.9}, "B": {"rte": 0.6}})
    Scores(2 systems × 2 tasks, 1 of 4 scores missing)
    """
    if not isinstance(scores, Mapping):
        raise InputError(
            f"expected a dictionary system → task → score, not {type(scores).__name__}; podium.read takes paths, "
            "podium.from_frame frames and podium.from_arrays arrays"
        )
    table = {str(system): _row(str(system), row) for system, row in scores.items()}
    if len(table) < len(scores):
        raise InputError("two systems have the same name once written as text; rename one of them")
    names = list(dict.fromkeys(name for row in table.values() for name in row))
    built = tuple(
        _task(name, {system: row[name] for system, row in table.items() if name in row}, list(table)) for name in names
    )
    return Finish(lower, higher, weights, tie_tolerance, tasks=tasks, systems=systems).of(Scores(tuple(table), built))


def _row(system: str, row: Any) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise InputError(f"system {system!r}: expected a mapping from tasks to scores, not {type(row).__name__}")
    named = {str(task): value for task, value in row.items()}
    if len(named) < len(row):
        raise InputError(f"system {system!r}: two tasks have the same name once written as text; rename one of them")
    return named


def _task(name: str, given: Mapping[str, Any], systems: Sequence[str]) -> Task:
    """Lay one task out as systems × instances."""
    forms = {system: _form(value) for system, value in given.items() if value is not None}
    first = next(iter(forms), "")
    for system, form in forms.items():
        if form != forms[first]:
            raise InputError(
                f"task {name!r} is a {forms[first]} for system {first!r} and a {form} for {system!r}; use one form"
            )
    present = {system: given[system] for system in forms}
    if forms.get(first) == "mapping":
        return _labelled(name, present, systems)
    lists = {system: value if forms[first] == "list" else [value] for system, value in present.items()}
    return _numbered(name, lists, systems)


def _form(value: Any) -> str:
    if isinstance(value, Mapping):
        return "mapping"
    return "number" if isinstance(value, Real | str) or np.ndim(value) == 0 else "list"


def _numbered(name: str, lists: Mapping[str, Any], systems: Sequence[str]) -> Task:
    length = next((len(row) for row in lists.values()), 1)
    if length == 0:
        raise InputError(f"task {name!r} has no instances")
    values = np.full((len(systems), length), np.nan)
    for system, row in lists.items():
        if len(row) != length:
            first = next(iter(lists))
            raise InputError(
                f"task {name!r}: system {first!r} has {length} scores and system {system!r} has {len(row)}; give one "
                "per instance to each, None where it is missing, or a mapping from instances to scores"
            )
        values[systems.index(system)] = [_number(value, name, system) for value in row]
    return Task.cut(name, values, systems=systems)


def _labelled(name: str, rows: Mapping[str, Mapping[Any, Any]], systems: Sequence[str]) -> Task:
    instances = _sorted_labels({label for row in rows.values() for label in row})
    place = {label: column for column, label in enumerate(instances.tolist())}
    whole = instances.dtype.kind == "i"
    values = np.full((len(systems), max(len(place), 1)), np.nan)
    row_of = {system: number for number, system in enumerate(systems)}
    for system, row in rows.items():
        if not whole and len({str(label) for label in row}) < len(row):
            raise InputError(
                f"task {name!r}, system {system!r}: two instances have the same label once written as text"
            )
        for label, value in row.items():
            values[row_of[system], place[label if whole else str(label)]] = _number(value, name, system)
    if not place:
        raise InputError(f"task {name!r} has no instances")
    return Task.cut(name, values, systems=systems, instances=instances)


def _sorted_labels(labels: Iterable[Any]) -> NDArray[Any]:
    """Sort instance labels: integers as numbers, all others as text."""
    listed = list(labels)
    if all(isinstance(label, int) and not isinstance(label, bool) and abs(label) < 2**63 for label in listed):
        return np.array(sorted(listed), dtype=np.int64)
    return np.array(sorted({str(label) for label in listed}), dtype=np.dtypes.StringDType())


def _number(value: Any, task: str, system: str) -> float:
    if value is None:
        return float("nan")
    if isinstance(value, str) or not isinstance(value, Real | np.generic | np.ndarray):
        raise InputError(f"task {task!r}, system {system!r}: {value!r} is not a number; use None if it is missing")
    return float(value)
