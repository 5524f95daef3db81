"""Small tables as files of every format."""

from pathlib import Path

import duckdb
import polars as pl

__all__ = ["FORMATS", "save", "written"]

FORMATS = ("csv", "tsv", "jsonl", "parquet", "feather", "duckdb")


def written(folder: Path, text: str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def save(frame: pl.DataFrame, path: Path) -> None:
    if path.suffix == ".duckdb":
        with duckdb.connect(path) as connection:
            connection.register("frame", frame.to_arrow())
            connection.execute("CREATE TABLE one AS SELECT * FROM frame")
    elif path.suffix in {".csv", ".tsv"}:
        frame.write_csv(path, separator="\t" if path.suffix == ".tsv" else ",")
    else:
        getattr(frame, {".jsonl": "write_ndjson", ".parquet": "write_parquet", ".feather": "write_ipc"}[path.suffix])(
            path
        )
