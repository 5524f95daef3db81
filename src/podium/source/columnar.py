"""Tables and views of a DuckDB database, opened read-only.

- Arrow tables in memory, and Arrow files and streams, including Feather.
- Parquet files; two threads decode large files ahead.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ipc

from podium.base.errors import InputError, LabelError, MissingExtraError, nearest
from podium.base.parallel import ahead
from podium.base.words import beginning, few
from podium.source.file import File, reason
from podium.source.table import Batch, Kind, ReadPlan, SourceColumn, SourceTable, check_names, numbered

#: Number of rows per batch of a table in memory.
_BATCH = 2**20

#: Bytes of a row in a file, to estimate the number of rows.
_ROW = 24


def columns_of(schema: Any) -> tuple[SourceColumn, ...]:
    """Describe the columns of a schema."""
    return tuple(SourceColumn(field.name, _kind_of(field.type)) for field in schema)


def _kind_of(arrow_type: Any) -> Kind:  # noqa: PLR0911  # a table of decisions
    """Return the kind of an Arrow type; dates, times and similar types are read as text."""
    types = pa.types
    if types.is_dictionary(arrow_type):
        return _kind_of(arrow_type.value_type)
    if types.is_nested(arrow_type):
        return "nested"
    if types.is_integer(arrow_type):
        return "integer"
    if types.is_float32(arrow_type) or types.is_float16(arrow_type):
        return "single"
    if types.is_boolean(arrow_type):
        return "truth"
    if types.is_floating(arrow_type) or types.is_decimal(arrow_type):
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
            names = pa.DictionaryArray.from_arrays(pa.array([0] * batch.rows.num_rows, pa.int32()), [self._system])
            yield replace(batch, rows=batch.rows.append_column("system", names))

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
        self.portable = file.portable
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


#: Number of rows per batch: little memory, but enough work per call.
_PARQUET_BATCH = 2**18

#: Bytes of a column that are read at once.
_BUFFER = 2**20

#: Number of threads for a large file, and number of batches that each thread may be ahead.
_LANES, _DEPTH = 2, 4


class ParquetTable(SourceTable):
    """A Parquet file.

    Parameters
    ----------
    file
        The file.
    groups
        Row groups that are read; all by default.

    Raises
    ------
    InputError
        The file is damaged, or names a column twice.
    """

    def __init__(self, file: File, groups: range | None = None) -> None:
        self.name = file.name
        self.portable = file.portable
        self._file = file
        parquet = self._opened()
        schema = parquet.schema_arrow
        check_names(file.name, schema.names)
        sizes = [parquet.metadata.row_group(group).num_rows for group in range(parquet.num_row_groups)]
        self._groups, whole = range(len(sizes)) if groups is None else groups, sum(sizes)
        self._first, self.n_rows = sum(sizes[: self._groups.start]), sum(sizes[group] for group in self._groups)
        self._ends = np.cumsum([sizes[group] for group in self._groups]).tolist()
        self.size = file.size * self.n_rows // max(whole, 1)
        self.columns = columns_of(schema)

    def pieces(self, n_rows: int) -> "list[ParquetTable]":
        """Cut the file between its row groups."""
        if self.n_rows <= n_rows:
            return [self]
        made, start, first = list[ParquetTable](), 0, 0
        for number, end in enumerate(self._ends, start=1):
            if end - first >= n_rows or (number == len(self._ends) and end > first):
                made.append(ParquetTable(self._file, self._groups[start:number]))
                start, first = number, end
        return made

    def _opened(self, texts: tuple[str, ...] = ()) -> Any:
        how: dict[str, Any] = {"read_dictionary": list(texts), "buffer_size": _BUFFER}
        if self._file.remote is not None:  # a request takes long, whatever its size
            how = {"read_dictionary": list(texts), "pre_buffer": True}
        with self._intact():
            return pq.ParquetFile(self._file.open_random(), **how)

    def _intact(self) -> AbstractContextManager[None]:
        return self._file.intact("a Parquet file", pa.ArrowException)

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Decode the columns of the plan, in order."""
        try:
            with self._intact():
                yield from numbered(self._decoded(plan), self.n_rows, self._first)
        finally:
            pa.default_memory_pool().release_unused()

    def _decoded(self, plan: ReadPlan) -> Iterator[Any]:
        """Decode in order; in large files, threads take turns with row groups."""
        groups = self._groups
        if not plan.large:
            yield from filter(None, self._lane(plan, groups))
            return
        lanes = [ahead(self._lane(plan, groups[lane::_LANES]), depth=_DEPTH) for lane in range(_LANES)]
        for group in groups:
            yield from iter(partial(next, lanes[group % _LANES]), None)

    def _lane(self, plan: ReadPlan, groups: range) -> Iterator[Any]:
        """Decode some row groups, with None after each, with a reader that no other thread uses."""
        texts = {column.name for column in self.columns if column.kind == "text"}
        parquet = self._opened(tuple(name for name in plan.labels if name in texts))
        for group in groups:
            yield from parquet.iter_batches(_PARQUET_BATCH, [group], plan.columns, use_threads=False)
            yield None


_DUCKDB_BATCH = 2**18

#: Tables and views of a database.
_TABLES = """SELECT table_name FROM duckdb_tables()
    UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL"""

#: What a database has from its ninth byte on.
_MAGIC = b"DUCK"

#: Number of letters of a reason that are shown.
_LONGEST = 300


class DuckTable(SourceTable):
    """A table of a DuckDB database.

    Parameters
    ----------
    file
        The database.
    table
        Name of the table or view; None if there is only one.

    Raises
    ------
    MissingExtraError
        DuckDB is not installed.
    InputError
        There are several tables and none was named, or the file is not a database.
    LabelError
        The database has no such table.
    """

    def __init__(self, file: File, table: str | None) -> None:
        self.size = file.size
        self._file = file
        self.name = file.name if table is None else f"{file.name}, table {table}"
        with self._connected() as connection:
            tables = [row[0] for row in connection.execute(_TABLES).fetchall()]
            self._table = _quoted(_chosen(file.name, table, tables))
            self.n_rows = connection.execute(f"SELECT count(*) FROM {self._table}").fetchall()[0][0]  # noqa: S608
            self.columns = columns_of(self._reader(connection, "*").schema)

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        """Open the database; its errors become errors of the input."""
        try:
            import duckdb  # noqa: PLC0415  # an extra
        except ImportError as error:
            raise MissingExtraError("duckdb", "duckdb", "reading a DuckDB database") from error
        if self._file.path is None or self._file.compression is not None:
            raise InputError(f"{self._file.name}: a DuckDB database must be an uncompressed file; unpack it first")
        with self._file.path.open("rb") as raw:  # for other files DuckDB loads readers from the network
            if raw.read(12)[8:] != _MAGIC:
                raise InputError(
                    f"{self._file.name} cannot be opened as a DuckDB database: it is none; correct its name"
                )
        try:
            connection = duckdb.connect(str(self._file.path), read_only=True)
        except (duckdb.Error, RuntimeError) as error:  # the second of a name that is no text
            why = beginning(reason(error), _LONGEST)
            raise InputError(f"{self._file.name} cannot be opened as a DuckDB database: {why}") from error
        try:
            with connection:
                yield connection
        # Arrow passes on errors between batches; DuckDB also raises others where a file is damaged
        except (duckdb.Error, pa.ArrowException, OSError, RuntimeError, UnicodeError) as error:
            raise InputError(f"{self.name} cannot be read: {beginning(reason(error), _LONGEST)}") from error

    def _reader(self, connection: Any, columns: str) -> Any:
        relation = connection.sql(f"SELECT {columns} FROM {self._table}")  # noqa: S608  # quoted above
        read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader  # before DuckDB 1.4
        return read(_DUCKDB_BATCH)

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Read the columns of the plan, in order."""
        with self._connected() as connection:
            rows = self._reader(connection, ", ".join(map(_quoted, plan.columns)))
            yield from numbered(ahead(rows), self.n_rows)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _chosen(where: str, table: str | None, tables: list[str]) -> str:
    """Return the named table, or the only table."""
    if not tables:
        raise InputError(f"{where} has no tables")
    if table is None and len(tables) > 1:
        some = few(list(map(repr, tables)), 10)
        raise InputError(f"{where} has several tables; choose one with table= (--table): {some}")
    if table is not None and table not in tables:
        raise LabelError(f"{where} has no table {table!r}; {nearest(table, tables)}")
    return table or tables[0]
