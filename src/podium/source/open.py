"""Open a file as a table, by its format."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium.base.errors import InputError
from podium.source.path import File, find_files

if TYPE_CHECKING:
    from podium.source.table import SourceTable


def open_table(source: str | Path, format: str | None = None, table: str | None = None) -> "SourceTable":  # noqa: A002
    """Open the one file that a source names, whatever its format.

    Raises
    ------
    InputError
        There is none, or several.
    """
    files = find_files(source, format).files
    if len(files) > 1:
        raise InputError(f"{source}: {len(files)} files, where one is expected; name it")
    return _opened(files[0], table)


def _opened(file: File, table: str | None) -> "SourceTable":
    """Open a file with the reader of its format; each is imported only where it is needed."""
    reader = _READERS[file.format]()
    return reader(file, table) if file.format == "duckdb" else reader(file)  # type: ignore[no-any-return]


def _delimited() -> Any:
    from podium.source.format.delimited import DelimitedTable  # noqa: PLC0415

    return DelimitedTable


def _jsonlines() -> Any:
    from podium.source.format.jsonl import JsonLinesTable  # noqa: PLC0415

    return JsonLinesTable


def _parquet() -> Any:
    from podium.source.format.parquet import ParquetTable  # noqa: PLC0415

    return ParquetTable


def _feather() -> Any:
    from podium.source.format.feather import FeatherTable  # noqa: PLC0415

    return FeatherTable


def _database() -> Any:
    from podium.source.format.duckdb import DuckTable  # noqa: PLC0415

    return DuckTable


_READERS = {
    "csv": _delimited,
    "tsv": _delimited,
    "jsonl": _jsonlines,
    "parquet": _parquet,
    "feather": _feather,
    "duckdb": _database,
}
