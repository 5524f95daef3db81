"""Tables and views of a DuckDB database, opened read-only."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from podium.base.errors import InputError, LabelError, MissingExtraError, nearest
from podium.base.parallel import ahead
from podium.base.words import few
from podium.source.file import File
from podium.source.format.arrow import columns_of
from podium.source.table import Batch, ReadPlan, SourceTable, numbered

_BATCH = 2**18

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
            tables = [
                row[0]
                for row in connection.execute(
                    "SELECT table_name FROM duckdb_tables() UNION ALL "
                    "SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL"
                ).fetchall()
            ]
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
            raise InputError(f"{self._file.name} cannot be opened as a DuckDB database: {_reason(error)}") from error
        try:
            with connection:
                yield connection
        # Arrow passes on errors between batches; DuckDB also raises others where a file is damaged
        except (duckdb.Error, pa.ArrowException, OSError, RuntimeError, UnicodeError) as error:
            raise InputError(f"{self.name} cannot be read: {_reason(error)}") from error

    def _reader(self, connection: Any, columns: str) -> Any:
        relation = connection.sql(f"SELECT {columns} FROM {self._table}")  # noqa: S608  # quoted above
        read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader  # before DuckDB 1.4
        return read(_BATCH)

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Read the columns of the plan, in order."""
        with self._connected() as connection:
            rows = self._reader(connection, ", ".join(map(_quoted, plan.columns)))
            yield from numbered(ahead(rows), self.n_rows)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _reason(error: BaseException) -> str:
    """First line of the message of a library, shortened if it is long."""
    reason = str(error).strip().partition("\n")[0]
    return reason if len(reason) <= _LONGEST else reason[: _LONGEST - 1] + "…"


def _chosen(where: str, table: str | None, tables: list[str]) -> str:
    """The named table, or the only table."""
    if not tables:
        raise InputError(f"{where} has no tables")
    if table is None and len(tables) > 1:
        some = few(list(map(repr, tables)), 10)
        raise InputError(f"{where} has several tables; choose one with table= (--table): {some}")
    if table is not None and table not in tables:
        raise LabelError(f"{where} has no table {table!r}; {nearest(table, tables)}")
    return table or tables[0]
