"""Repeats of instances: kept apart while rows are read, and made one score each when all are."""

from collections.abc import Sequence
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
from podium.source.table import InstancesAreTextError

#: Repeats that are told apart.
_MOST = 2**16

#: Odd numbers that spread labels over 64 bits.
_FACTORS = tuple(map(np.uint64, (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)))


class RepeatedKeys:
    """Keys of instances and their repeats: that of the instance, then the number of the repeat.

    Parameters
    ----------
    instances
        Keys of the instances alone; None where there are none, and every task is one.
    """

    def __init__(self, instances: IntegerKeys | TextKeys | None) -> None:
        self.instances, self.repeats = instances, Labels("repeat")
        #: Whether labels name runs: in every task there is an instance that has all.
        self.are_runs = True
        #: Cells of the rows so far, sorted, each piece at most half as long as the one before.
        self._cells: list[NDArray[np.uint64]] = []

    def join(self, keys: NDArray[np.int64], repeats: Any, column: str) -> NDArray[np.int64]:
        """Return the keys of repeats with these labels, of instances with these keys.

        Raises
        ------
        InputError
            There are too many different repeats.
        InstancesAreTextError
            Keys are so large that instances must be numbered.
        """
        return self._joined(keys, self.repeats.code(repeats, column).codes, f"column {column!r} has")

    def numbered(
        self, keys: NDArray[np.int64], systems: NDArray[np.int32], tasks: NDArray[np.int32] | None
    ) -> NDArray[np.int64]:
        """Return the keys of repeats that are rows: the second row with the same labels is the second repeat."""
        # a cell is its hash: two with the same one only skip a number
        cells = keys.astype(np.uint64) * _FACTORS[0] ^ systems.astype(np.uint64) * _FACTORS[1]
        if tasks is not None:
            cells ^= tasks.astype(np.uint64) * _FACTORS[2]
        order = np.argsort(cells, kind="stable")
        ordered = cells[order]
        codes = np.empty(cells.size, dtype=np.int64)
        codes[order] = np.arange(cells.size) - np.searchsorted(ordered, ordered)
        for known in self._cells:
            codes += np.searchsorted(known, cells, "right") - np.searchsorted(known, cells)
        self._cells.append(ordered)
        while len(self._cells) > 1 and self._cells[-2].size < 2 * self._cells[-1].size:
            self._cells[-2:] = [np.sort(np.concatenate(self._cells[-2:]), kind="stable")]
        for number in range(len(self.repeats.numbers), int(codes.max(initial=-1)) + 1):
            self.repeats.numbers[str(number + 1)] = number
        self.are_runs = False
        return self._joined(keys, codes, "one system on one instance has")

    def _joined(self, keys: NDArray[np.int64], codes: NDArray[Any], which: str) -> NDArray[np.int64]:
        if len(self.repeats.numbers) > _MOST:
            raise InputError(f"{which} more than {_MOST:,} different repeats; number them in each instance")
        if keys.size and max(-int(keys.min()), int(keys.max())) >= 2**46:
            raise InstancesAreTextError
        joined: NDArray[np.int64] = keys * _MOST + codes
        return joined

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
        names = self.repeats.names
        in_order = np.empty(len(names), dtype=np.int64)
        in_order[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        columns = np.lexsort((in_order[repeats], place))
        self.are_runs &= bool(np.count_nonzero(np.bincount(repeats)) == np.bincount(place).max())
        return labels[place[columns]], columns

    def label(self, key: int) -> str:
        """Show the instance and the repeat."""
        instance, number = divmod(key, _MOST)
        repeat = f"repeat {self.repeats.names[number]!r}"
        return repeat if self.instances is None else f"instance {self.instances.label(instance)!r}, {repeat}"


def over_repeats(
    tasks: Sequence[Task],
    systems: Sequence[str],
    statistic: Statistic,
    *,
    column: str | None,
    instances: bool,
    runs: bool = False,
) -> tuple[tuple[Task, ...], str]:
    """Return tasks with one score for each instance, of several with the same label, and what to know of it.

    The order of repeats counts if they are `runs`.

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
            scores, repeats, fewest, largest = _taken(task.values, place, first, statistic, runs=runs)
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
    which = "rows with the same labels" if column is None else f"column {column!r}"
    return tuple(made), f"each score is {what} of {number} ({which})"


def _taken(
    values: NDArray[Any], place: NDArray[np.int64], first: NDArray[np.int64], statistic: Statistic, *, runs: bool
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
        kept[:, some] = Repeats.of(repeats.astype(values.dtype), statistic, runs=runs).values
    return scores, Repeats(kept, statistic), least, most


def _check_same(task: Task, place: NDArray[np.int64], first: NDArray[np.int64]) -> None:
    """Refuse an instance whose repeats have different weights or clusters."""
    clusters = None if task.clusters is None else task.clusters.numbers
    for what, values in (("weights", task.instance_weights), ("clusters", clusters)):
        if values is not None and (wrong := values != values[first][place]).any():
            label = "" if task.instances is None else f", instance {str(task.instances[wrong][0])!r}"
            raise InputError(f"task {task.name!r}{label}: its repeats have different {what}; give the instance one")
