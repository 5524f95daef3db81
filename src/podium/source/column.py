"""Columns of a table read as a whole: texts, numbers, and the instance of every row."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.source.assemble.label import IntegerKeys, Keys, Labels, TextKeys, plain_text
from podium.source.number import column_in, to_numbers
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
    """

    instances: NDArray[Any]
    tasks: NDArray[Any] | None
    place: NDArray[np.int64]
    first: NDArray[np.int64]

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
    as_text = any(column.name == instance and column.kind in {"text", "empty"} for column in table.columns)
    for text in (as_text, True):
        keying = _Keying(instance, task, as_text=text)
        with suppress(InstancesAreTextError):
            whole = _read(table, ReadPlan(labels, tuple(numbers), instance), texts, keying.add)
            break
    return whole, keying.keyed()


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
                column.extend(plain_text(column_in(batch.rows, name)).to_pylist())
            for name, part in parts.items():
                part.append(to_numbers(column_in(batch.rows, name), name, np.float64))
            also(batch.rows)
        n_rows += batch.rows.num_rows
    if n_rows == 0:
        raise InputError(f"{table.name} has columns but no rows; it needs at least one row")
    return Whole(table, n_rows, cells, {name: np.concatenate(part) for name, part in parts.items()})


class _Keying:
    """Keys of instances and numbers of tasks, row by row."""

    def __init__(self, instance: str, task: str | None, *, as_text: bool) -> None:
        self._instance, self._task = instance, task
        self._keys: Keys = TextKeys() if as_text else IntegerKeys()
        self._tasks = Labels("task")
        self._rows: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []

    def add(self, rows: Any) -> None:
        """Take the labels of a batch."""
        keys = self._keys.keys(column_in(rows, self._instance), self._instance)
        tasks = np.zeros(keys.size, dtype=np.int64)
        if self._task is not None:
            tasks += self._tasks.code(column_in(rows, self._task), self._task).codes
        self._rows.append((keys, tasks))

    def keyed(self) -> Keyed:
        """Put the instances in order."""
        keys, tasks = map(np.concatenate, zip(*self._rows, strict=True))
        distinct, which = np.unique(keys, return_inverse=True)
        labels, order = self._keys.sort(distinct)
        rank = np.empty(order.size, dtype=np.int64)
        rank[order] = np.arange(order.size)
        cells, first, place = np.unique(tasks * labels.size + rank[which], return_index=True, return_inverse=True)
        names = np.array(self._tasks.names, dtype=np.dtypes.StringDType())
        return Keyed(
            instances=labels[cells % labels.size],
            tasks=None if self._task is None else names[cells // labels.size],
            place=place,
            first=first,
        )
