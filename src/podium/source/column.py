"""Columns of a table read as a whole: texts, numbers, and the instance of every row."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.source.labels import IntegerKeys, Keys, Labels, TextKeys, plain_text
from podium.source.number import to_numbers
from podium.source.table import InstancesAreTextError, ReadPlan, SourceTable, located, refuse_nested


@dataclass(frozen=True, slots=True, eq=False)
class Keyed:
    """The instance of every row, among K distinct instances.

    Attributes
    ----------
    instances
        Shape `(K,)`: sorted labels; if there are tasks, sorted within tasks, and tasks in order of first appearance.
    tasks
        Shape `(K,)`: the task of each instance; or None.
    place
        One per row: its instance, from 0.
    first
        Shape `(K,)`: the first row of each instance.
    find
        Returns, for rows of another table and its columns of instances and of tasks (or None), the instance of every
        row; -1 if it is not among these.
    """

    instances: NDArray[Any]
    tasks: NDArray[Any] | None
    place: NDArray[np.int64]
    first: NDArray[np.int64]
    find: Callable[[Any, str, str | None], NDArray[np.int64]]

    def label(self, instance: int) -> str:
        """Label of an instance in quotes, with its task if there are tasks."""
        shown = repr(str(self.instances[instance]))
        return shown if self.tasks is None else f"{shown} of {str(self.tasks[instance])!r}"


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """What was read.

    Attributes
    ----------
    table
        The table.
    n_rows
        Number of rows.
    texts
        By column: one text per row, None if the cell is empty.
    numbers
        By column: one number per row, NaN if the cell is empty.
    """

    table: SourceTable
    n_rows: int
    texts: Mapping[str, list[str | None]]
    numbers: Mapping[str, NDArray[np.float64]]

    def where(self, row: int) -> str:
        """Name the table and the place of a row in it."""
        return f"{self.table.name}, {self.table.where(row)}"


def read_whole(table: SourceTable, *, texts: Sequence[str] = (), numbers: Sequence[str] = ()) -> Whole:
    """Read some columns of a table, as text or as numbers.

    Raises
    ------
    InputError
        There is no row, or a value cannot be read; the message says where, and what to do.
    """
    refuse_nested(table, [*texts, *numbers])
    return _read(table, ReadPlan(tuple(texts), tuple(numbers)), texts)


def read_keyed(
    table: SourceTable,
    *,
    instance: str,
    task: str | None = None,
    texts: Sequence[str] = (),
    numbers: Sequence[str] = (),
) -> tuple[Whole, Keyed]:
    """Read some columns of a table, and the instance (and task) of every row.

    Raises
    ------
    InputError
        There is no row, a value cannot be read, or a row has no label; the message says where, and what to do.
    """
    labels = (*texts, *filter(None, (task,)))
    refuse_nested(table, [*labels, *numbers, instance])
    plan = ReadPlan(labels, tuple(numbers), instance)

    def read_as(*, text: bool) -> tuple[Whole, Keyed]:
        keying = _Keying(as_text=text)
        whole = _read(table, plan, texts, partial(keying.add, instance, task))
        return whole, keying.keyed()

    try:
        return read_as(
            text=any(column.name == instance and column.kind in {"text", "empty"} for column in table.columns)
        )
    except InstancesAreTextError:  # read again, as what they are
        return read_as(text=True)


def _read(
    table: SourceTable, plan: ReadPlan, texts: Sequence[str], also: Callable[[Any], None] = lambda _: None
) -> Whole:
    """Read the columns of a plan, and hand every batch on to `also`; `texts` are columns among its labels."""
    cells: dict[str, list[str | None]] = {name: [] for name in texts}
    parts: dict[str, list[NDArray[np.float64]]] = {name: [] for name in plan.numbers}
    n_rows = 0
    for batch in table.batches(plan):
        with located(table, batch.first):
            for name, column in cells.items():
                column.extend(plain_text(batch.rows.column(name)).to_pylist())
            for name, part in parts.items():
                part.append(to_numbers(batch.rows.column(name), name, np.float64))
            also(batch.rows)
        n_rows += batch.rows.num_rows
    if n_rows == 0:
        raise InputError(f"{table.name} has columns but no rows; it needs at least one row")
    return Whole(table, n_rows, cells, {name: np.concatenate(part) for name, part in parts.items()})


class _Keying:
    """Numbers the instances of rows, and finds them again in the rows of other tables.

    An instance has three numbers: its key, the rank of its label among all labels, and its place among the instances of
    all tasks. Labels 7, 30 and 9 are their own keys and have ranks 0, 2 and 1. If tasks 0 and 1 hold 7 and 9 each, and
    task 1 holds 30 as well, task 1 has cells 3 + 0, 3 + 1 and 3 + 2 (number of the task × number of labels + rank). The
    cells that occur are 0, 1, 3, 4 and 5; so 30 of task 1 has place 4.
    """

    def __init__(self, *, as_text: bool) -> None:
        self._keys: Keys = TextKeys() if as_text else IntegerKeys()
        self._tasks = Labels("task")
        self._rows: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        #: Keys that occur, ascending, and the rank of the label of each; cells that occur, ascending.
        self._known = self._rank = self._cells = np.empty(0, dtype=np.int64)

    def _coded(self, rows: Any, instance: str, task: str | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Key and number of the task of every row."""
        keys = self._keys.encode(rows.column(instance), instance)
        tasks = np.zeros(keys.size, dtype=np.int64)
        if task is not None:
            tasks += self._tasks.code(rows.column(task), task)
        return keys, tasks

    def add(self, instance: str, task: str | None, rows: Any) -> None:
        """Take the labels of a batch."""
        self._rows.append(self._coded(rows, instance, task))

    def keyed(self) -> Keyed:
        """Put the instances in order."""
        keys, tasks = map(np.concatenate, zip(*self._rows, strict=True))
        self._known, which = np.unique(keys, return_inverse=True)
        labels, order = self._keys.sort(self._known)
        self._rank = np.empty(order.size, dtype=np.int64)
        self._rank[order] = np.arange(order.size)
        cells = tasks * labels.size + self._rank[which]
        self._cells, first, place = np.unique(cells, return_index=True, return_inverse=True)
        names = np.array(self._tasks.names, dtype=np.dtypes.StringDType())
        return Keyed(
            instances=labels[self._cells % labels.size],
            tasks=names[self._cells // labels.size] if names.size else None,
            place=place,
            first=first,
            find=self.find,
        )

    def find(self, rows: Any, instance: str, task: str | None) -> NDArray[np.int64]:
        """Find the instance of every row."""
        try:
            keys, tasks = self._coded(rows, instance, task)
        except InstancesAreTextError:  # some may still be known
            self._keys = TextKeys()
            self._known = self._keys.encode(pa.array(list(map(str, self._known.tolist()))), instance)
            keys, tasks = self._coded(rows, instance, task)
        label = _positions(self._known, keys)
        return _positions(self._cells, np.where(label < 0, -1, tasks * self._rank.size + self._rank[label]))


def _positions(known: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Position of each number among known numbers in ascending order; -1 if it is not there."""
    found = np.minimum(np.searchsorted(known, wanted), known.size - 1)
    return np.where(known[found] == wanted, found, -1)
