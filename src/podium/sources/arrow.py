"""Arrow tables in memory, and the kinds of Arrow columns."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from podium.sources.tables import Batch, Column, Kind, Plan

__all__ = ["ArrowTable", "column_of", "counts_up", "kind_of"]

#: Rows handed on together.
_BATCH = 2**20


def kind_of(arrow_type: Any) -> Kind:
    """Kind of an Arrow type; dates, times and the like are read as text."""
    types = pa.types
    if types.is_dictionary(arrow_type):
        return kind_of(arrow_type.value_type)
    if types.is_nested(arrow_type):
        return "nested"
    if types.is_integer(arrow_type):
        return "integer"
    if types.is_float32(arrow_type) or types.is_float16(arrow_type):
        return "single"
    if types.is_floating(arrow_type) or types.is_boolean(arrow_type) or types.is_decimal(arrow_type):
        return "number"
    return "empty" if types.is_null(arrow_type) else "text"


def column_of(name: str, arrow_type: Any, values: Any) -> Column:
    """Describe a column; `values` are its first ones, looked at only where the name could be a row number's."""
    kind = kind_of(arrow_type)
    return Column(name, kind, counts=kind == "integer" and counts_up(values.to_pylist()))


def counts_up(values: list[Any]) -> bool:
    """Whether values are those of a row number: 0, 1, 2 and so on.

    >>> counts_up([0, 1, 2]), counts_up([1, 2]), counts_up([])
    (True, False, False)
    """
    return bool(values) and values == list(range(len(values)))


class ArrowTable:
    """A table in memory.

    Parameters
    ----------
    name
        What errors call it.
    table
        Arrow table.
    """

    def __init__(self, name: str, table: Any) -> None:
        self.name = name
        self.n_rows: int = table.num_rows
        self.size: int = table.num_rows
        self._table = table
        head = table.slice(0, 100)
        self.columns = tuple(
            column_of(field.name, field.type, head.column(index)) for index, field in enumerate(table.schema)
        )

    def find_columns(self) -> None:
        """All columns are known."""

    def batches(self, plan: Plan) -> Iterator[Batch]:
        """Cut the table into batches."""
        first = 0
        for rows in self._table.select(plan.columns).to_batches(max_chunksize=_BATCH):
            yield Batch(rows, first, (first + rows.num_rows) / max(self.n_rows, 1))
            first += rows.num_rows

    def where(self, row: int) -> str:
        """Count rows from 1."""
        return f"row {row + 1}"
