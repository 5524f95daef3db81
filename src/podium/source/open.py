"""Open a file as a table, by its format."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from podium.base.errors import InputError
from podium.source.path import File, find_files

if TYPE_CHECKING:
    from podium.source.table import SourceTable

#: Module and class of the reader of each format; imported only if needed.
_READERS = {
    "csv": ("delimited", "DelimitedTable"),
    "tsv": ("delimited", "DelimitedTable"),
    "jsonl": ("jsonl", "JsonLinesTable"),
    "parquet": ("parquet", "ParquetTable"),
    "feather": ("arrow", "FeatherTable"),
    "duckdb": ("duckdb", "DuckTable"),
}


def open_table(source: str | Path, format: str | None = None, table: str | None = None) -> "SourceTable":  # noqa: A002
    """Open the one file that a source names, in any format.

    Raises
    ------
    InputError
        There is no file, or there are several.
    """
    files = find_files(source, format).files
    if len(files) > 1:
        raise InputError(f"{source}: these are {len(files)} files, but one is expected; name one file")
    return opened(files[0], table)


def opened(file: File, table: str | None) -> "SourceTable":
    """Open a file with the reader of its format."""
    module, name = _READERS[file.format]
    reader = getattr(import_module(f"podium.source.format.{module}"), name)
    return reader(file, table) if file.format == "duckdb" else reader(file)  # type: ignore[no-any-return]
