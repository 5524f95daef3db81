"""Repeats of instances: kept apart while rows are read, and made one score each when all are."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.base.piece import pieces
from podium.base.spill import room_of
from podium.base.words import how_many, span
from podium.score.repeat import Repeats, Statistic, WrongRepeatsError, stacked
from podium.score.task import Task
from podium.source.assemble.label import IntegerKeys, Labels, TextKeys
from podium.source.role import named, naming
from podium.source.table import InstancesAreTextError

#: Repeats that are told apart.
_MOST = 2**16

#: Names of columns that may number repeats; used only if the caller says so.
_USUAL = ("repeat", "seed", "epoch", "trial", "replicate", "sample", "run_id", "attempt")


class RepeatedKeys:
    """Keys of instances and their repeats: that of the instance, then the number of the repeat.

    Parameters
    ----------
    instances
        Keys of the instances alone; None where there are none, and every task is one.
    """

    def __init__(self, instances: IntegerKeys | TextKeys | None) -> None:
        self.instances, self.repeats = instances, Labels("repeat")

    def join(self, keys: NDArray[np.int64], repeats: Any, column: str) -> NDArray[np.int64]:
        """Return the keys of repeats with these labels, of instances with these keys.

        Raises
        ------
        InputError
            There are too many different repeats.
        InstancesAreTextError
            Keys are so large that instances must be numbered.
        """
        codes = self.repeats.code(repeats, column).codes
        if len(self.repeats.numbers) > _MOST:
            raise InputError(
                f"column {column!r} has more than {_MOST:,} different repeats; number them in each instance"
            )
        if keys.size and max(-int(keys.min()), int(keys.max())) >= 2**46:
            raise InstancesAreTextError
        return keys * _MOST + codes

    def sort(self, keys: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return for each distinct key the label of its instance, sorted, and the order that sorts them."""
        instances, repeats = np.divmod(keys, _MOST)
        distinct, inverse = np.unique(instances, return_inverse=True)
        labels, order = (distinct, np.arange(distinct.size))
        if self.instances is not None:
            labels, order = self.instances.sort(distinct)
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        place = rank[inverse]
        columns = np.lexsort((repeats, place))
        return labels[place[columns]], columns

    def label(self, key: int) -> str:
        """Show the instance and the repeat."""
        instance, number = divmod(key, _MOST)
        repeat = f"repeat {self.repeats.names[number]!r}"
        return repeat if self.instances is None else f"instance {self.instances.label(instance)!r}, {repeat}"


def over_repeats(
    tasks: Sequence[Task], systems: Sequence[str], statistic: Statistic, *, column: str, instances: bool
) -> tuple[tuple[Task, ...], str]:
    """Return tasks with one score for each instance, of several with the same label, and what to know of it.

    Raises
    ------
    InputError
        The statistic cannot be taken of some repeats; or an instance has different weights or clusters.
    """
    made, least, most = [], _MOST, 0
    for task in tasks:
        labels: Any = task.instances
        place = np.concatenate(([0], np.cumsum(labels[1:] != labels[:-1])))
        first = np.flatnonzero(np.diff(place, prepend=-1))
        try:
            scores, repeats, fewest, largest = _taken(task.values, place, first, statistic)
        except WrongRepeatsError as error:
            where = f"task {task.name!r}, system {systems[error.system]!r}"
            where += f", instance {str(labels[first][error.instance])!r}" if instances else ""
            raise InputError(f"{where}: {error}") from None
        least, most = min(least, fewest), max(most, largest)
        _check_same(task, place, first)
        details = {
            "instances": labels[first] if instances else None,
            "instance_weights": None if task.instance_weights is None else task.instance_weights[first],
            "clusters": None if task.clusters is None else task.clusters.take(first),
            "repeats": repeats,
        }
        made.append(task.with_values(scores, **details))
    what = f"the {statistic.name}" if not statistic.name.startswith("pass") else statistic.name
    number = how_many(1, "repeat") if least == most == 1 else f"{span(min(least, most), most)} repeats"
    return tuple(made), f"each score is {what} of {number} (column {column!r})"


def _taken(
    values: NDArray[Any], place: NDArray[np.int64], first: NDArray[np.int64], statistic: Statistic
) -> tuple[NDArray[Any], Repeats, int, int]:
    """Return scores `(N, K)`, their repeats, and the least and most of these, of some instances at a time."""
    room, n_systems, ends = room_of(values), len(values), np.append(first, place.size)
    most_of_all = int(np.diff(ends).max())
    scores = room.empty((n_systems, first.size), values.dtype)
    kept = room.empty((n_systems, first.size, most_of_all), values.dtype)
    least, most = _MOST, 0
    for some in pieces(n_systems * most_of_all, first.size):
        columns = slice(int(ends[some.start]), int(ends[some.stop]))
        own = place[columns] - some.start
        repeats = stacked(values[:, columns].astype(np.float64), own, most_of_all)
        number = np.count_nonzero(~np.isnan(repeats), axis=2)
        if number.any():
            least, most = min(least, int(number[number > 0].min())), max(most, int(number.max()))
        try:
            scores[:, some] = statistic.of(repeats)
        except WrongRepeatsError:
            statistic.of(stacked(values.astype(np.float64), place))  # names the first of all
            raise
        kept[:, some] = np.sort(repeats.astype(values.dtype), axis=2)
    return scores, Repeats(kept, statistic), least, most


def _check_same(task: Task, place: NDArray[np.int64], first: NDArray[np.int64]) -> None:
    """Refuse an instance whose repeats have different weights or clusters."""
    clusters = None if task.clusters is None else task.clusters.numbers
    for what, values in (("weights", task.instance_weights), ("clusters", clusters)):
        if values is not None and (wrong := values != values[first][place]).any():
            label = "" if task.instances is None else f", instance {str(task.instances[wrong][0])!r}"
            raise InputError(f"task {task.name!r}{label}: its repeats have different {what}; give the instance one")


def hint(names: Sequence[str], used: Iterable[str | None]) -> str:
    """How to declare repeats, if rows that contradict each other are such."""
    if (column := named(_USUAL, names, used)) is None:
        return f", or, if rows are repeats, name the column of seeds, epochs or trials with {naming('repeat')}"
    return f", or, if column {column!r} numbers repeats, use {naming('repeat', column)}"
