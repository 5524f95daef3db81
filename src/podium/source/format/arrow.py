"""Arrow tables in memory, and Arrow files and streams, including Feather."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from podium.source.file import File
from podium.source.table import Batch, Kind, ReadPlan, SourceColumn, SourceTable, check_names, numbered

#: Number of rows per batch of a table in memory.
_BATCH = 2**20

#: Bytes of a row in a file, to estimate the number of rows.
_ROW = 24


def columns_of(schema: Any) -> tuple[SourceColumn, ...]:
    """Describe the columns of a schema."""
    return tuple(SourceColumn(field.name, _kind_of(field.type)) for field in schema)


def _kind_of(arrow_type: Any) -> Kind:
    """Kind of an Arrow type; dates, times and similar types are read as text."""
    types = pa.types
    if types.is_dictionary(arrow_type):
        return _kind_of(arrow_type.value_type)
    if types.is_nested(arrow_type):
        return "nested"
    if types.is_integer(arrow_type):
        return "integer"
    if types.is_float32(arrow_type) or types.is_float16(arrow_type):
        return "single"
    if types.is_floating(arrow_type) or types.is_boolean(arrow_type) or types.is_decimal(arrow_type):
        return "number"
    return "empty" if types.is_null(arrow_type) else "text"


class OneSystem(SourceTable):
    """A table of a single system, whose name stands in none of its columns.

    Parameters
    ----------
    table
        Without a column of systems.
    system
        Its name.
    """

    def __init__(self, table: SourceTable, system: str) -> None:
        self.name, self.n_rows, self.size, self.notes = table.name, table.n_rows, table.size, table.notes
        self.columns = (SourceColumn("system", "text"), *table.columns)
        self._table, self._system = table, system

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Yield the rows of the table, each with the name."""
        inner = replace(plan, labels=tuple(name for name in plan.labels if name != "system"))
        for batch in self._table.batches(inner):
            rows = batch.rows
            names = pa.DictionaryArray.from_arrays(pa.array([0] * rows.num_rows, pa.int32()), [self._system])
            columns = dict(zip(rows.schema.names, rows.columns, strict=True)) | {"system": names}
            yield replace(batch, rows=type(rows).from_arrays(list(columns.values()), names=list(columns)))

    def where(self, row: int) -> str:
        """Place of a row in the table."""
        return self._table.where(row)


class ArrowTable(SourceTable):
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
        self.n_rows = self.size = table.num_rows
        self.columns = columns_of(table.schema)
        self._table = table

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Cut the table into batches."""
        pieces = self._table.select(plan.columns).to_batches(max_chunksize=_BATCH)
        return numbered(pieces, self.n_rows)


class FeatherTable(SourceTable):
    """An Arrow IPC file or stream.

    Parameters
    ----------
    file
        The file.

    Raises
    ------
    InputError
        The file is damaged, or names a column twice.
    """

    def __init__(self, file: File) -> None:
        self.name = file.name
        self.size = file.size
        self.n_rows = file.size // _ROW
        self._file = file
        with self._intact():
            schema = self._opened().schema
        check_names(file.name, schema.names)
        self.columns = columns_of(schema)

    def _opened(self) -> Any:
        source = self._file.open_random()
        file = source.read(6) == b"ARROW1"
        source.seek(0)
        return ipc.open_file(source) if file else ipc.open_stream(source)

    def _pieces(self) -> Iterator[Any]:
        reader = self._opened()
        if hasattr(reader, "num_record_batches"):
            yield from map(reader.get_batch, range(reader.num_record_batches))
        else:
            yield from reader

    def _intact(self) -> AbstractContextManager[None]:
        return self._file.intact("an Arrow or Feather file", pa.ArrowException)

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Read the columns of the plan, in order."""
        with self._intact():
            yield from numbered(map(_checked, (rows.select(plan.columns) for rows in self._pieces())), self.n_rows)


def _checked(rows: Any) -> Any:
    """Return rows whose offsets and indices stay inside of them; Arrow trusts those of a file, and ends the process."""
    rows.validate(full=True)
    return rows
