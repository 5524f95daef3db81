"""What becomes the steps of a history: versions of a table, in order, with labels."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any

import numpy as np

from podium.base.errors import InputError, LabelError
from podium.score.table import Scores
from podium.score.task import Task
from podium.source.given import ScoresLike, as_scores
from podium.source.path import labels_of
from podium.source.read import read
from podium.store.place import place_of
from podium.timeline.date import Dates, begins_at

#: Which versions of a board are steps: each that changed scores, or the last one of each day or month.
EACH = ("version", "day", "month")

#: A label, and the table of a step, what becomes one, or a function that returns one when it is wanted.
Step = tuple[str, ScoresLike | Callable[[], Scores]]


def steps_of(
    given: Any, dates: Dates | None = None, each: str | None = None
) -> tuple[list[str], Iterator[Scores], list[str]]:
    """Return labels of steps, their tables, each made when it is wanted, and what to know about them.

    Parameters
    ----------
    given
        A mapping from labels to tables, or a sequence of pairs of these; of a table and dates, the table; or a board.
    dates
        When systems, or their scores on tasks, appeared.
    each
        Of a board: "version" (by default), or the last one of each "day" or "month".

    Raises
    ------
    InputError
        There are fewer than two steps, two of one label, or what is given are no steps.

    Examples
    --------
    >>> labels, tables, _ = steps_of({"May": {"A": {"t": 1.0}}, "June": {"A": {"t": 2.0}}})
    >>> labels, [table.n_scored for table in tables]
    (['May', 'June'], [1, 1])
    """
    if dates is not None:
        return dates.steps(as_scores(given))
    pairs, notes = _pairs(given, each)
    labels = [label for label, _ in pairs]
    if twice := next((label for label in labels if labels.count(label) > 1), None):
        raise InputError(f"two steps are called {twice!r}; give each step a label of its own")
    if len(pairs) < 2:
        raise InputError(f"a history has two steps or more, and there {'is one' if pairs else 'are none'}")
    return labels, (_table(*pair) for pair in pairs), notes


def _table(label: str, table: ScoresLike | Callable[[], Scores]) -> Scores:
    """The table of a step; of a name that it has not, the error says which step it is."""
    try:
        return table() if callable(table) else as_scores(table)
    except LabelError as error:
        raise LabelError(f"{label}: {error}; the options count for every step") from error


def numbers_of(
    source: str | PathLike[str], each: str | None, as_of: str | None = None
) -> tuple[list[tuple[str, int]], list[str]] | None:
    """Labels and numbers of the versions of a board that are steps, and what to know; None where a source is none.

    Of a board, the last step is the newest version, or the one that `as_of` names.

    Raises
    ------
    LabelError
        There is no such way to choose.
    InputError
        It is none, although `each` is about boards.
    """
    if each is not None and each not in EACH:
        raise LabelError.unknown("way to choose versions of a board", str(each), EACH)
    place, found = place_of(source), None
    if place is not None:
        from podium.source.board import steps_of_board  # noqa: PLC0415  # loads Arrow, which few steps need

        found = steps_of_board(place, each or "version", as_of)
    if found is None and each is not None:
        raise InputError(f"each= (--each) is about the versions of a board, and {str(source)!r} is none; leave it out")
    if found is None:
        return None
    steps, early = found
    return steps, [begins_at(steps[0][0])] if steps and early else []


def _pairs(given: Any, each: str | None) -> tuple[list[Step], list[str]]:
    if isinstance(given, str | PathLike):
        numbers = numbers_of(given, each)
        if numbers is None:
            raise InputError(f"{str(given)!r} is one table; a history needs several, {{label: table}}, or dates=")
        return [(label, partial(read, str(given), as_of=number)) for label, number in numbers[0]], numbers[1]
    if each is not None:
        raise InputError("each= is about the versions of a board, and this is none; leave it out")
    if isinstance(given, Mapping):
        return [(str(label), table) for label, table in given.items()], []
    listed = list(given) if isinstance(given, Iterable) and not isinstance(given, Scores) else None
    if listed is None or not all(isinstance(one, tuple) and len(one) == 2 for one in listed):
        paths = listed is not None and all(isinstance(one, str | PathLike) for one in listed)
        if not (paths and listed):
            raise InputError("steps are a dictionary {label: table}, or a list of (label, table); or name dates=")
        return list(zip(labels_of([str(one) for one in listed]), listed, strict=True)), []
    return [(str(label), table) for label, table in listed], []


class Joined:
    """All tasks seen so far: scores on a task that was retired stay, and what was never run is missing."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[tuple[str, ...], Task]] = {}

    def add(self, scores: Scores) -> Scores:
        """Return the table of the next step, with the tasks that earlier ones had."""
        retired = [name for name in self._seen if name not in scores.task_names]
        tasks = list(scores.tasks)
        for name in retired:
            systems, task = self._seen[name]
            again = _rows_of(task, systems, scores.systems)
            if again.scored.any():
                tasks.append(again)
        for task in scores.tasks:
            self._seen[task.name] = self._with_earlier(task, scores.systems)
        return replace(scores, tasks=tuple(tasks))

    def _with_earlier(self, task: Task, systems: tuple[str, ...]) -> tuple[tuple[str, ...], Task]:
        """The task with rows of systems that were in earlier steps and are gone, if its instances are the same."""
        if task.name not in self._seen:
            return systems, task
        known, earlier = self._seen[task.name]
        gone = tuple(system for system in known if system not in systems)
        same = earlier.n_instances == task.n_instances and np.array_equal(_labels(earlier), _labels(task))
        if not gone or not same:
            return systems, task
        values = np.concatenate([task.values, _rows_of(earlier, known, gone).values])
        return (*systems, *gone), task.with_values(values)


def _labels(task: Task) -> Any:
    return np.arange(task.n_instances) if task.instances is None else task.instances


def _rows_of(task: Task, known: tuple[str, ...], systems: tuple[str, ...]) -> Task:
    """The task with the rows of some systems; missing where it does not have them."""
    row = {system: index for index, system in enumerate(known)}
    values = task.values
    chosen = np.full((len(systems), task.n_instances), np.nan, dtype=values.dtype)
    for index, system in enumerate(systems):
        if system in row:
            chosen[index] = values[row[system]]
    return task.with_values(chosen)
