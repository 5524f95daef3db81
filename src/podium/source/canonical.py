"""The canonical long table, which `podium convert` writes: its columns, and what they mean when it is read again.

Such a table says all that a ranking depends on. So its weights count without being asked for, each task has the
direction that stands beside it, and no task is taken for an average of others.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from podium.base.check import matching
from podium.source.direction import DIRECTIONS
from podium.source.layout import Layout, Unused, Wishes
from podium.source.number import column_in
from podium.source.table import ReadPlan, SourceTable

#: Instances whose labels are text, though all are numbers, in files that hold nothing but text.
TEXT_INSTANCE = "instance_label"

#: Columns in their order; what follows them are covariates.
COLUMNS = (
    *("task", "system", "instance", TEXT_INSTANCE, "repeat", "score", "weight", "cluster", "direction", "statistic"),
    "family",
)


def is_canonical(names: Sequence[str]) -> bool:
    """Whether a table with these columns may be one that podium wrote.

    >>> is_canonical(["task", "system", "score", "direction"]), is_canonical(["task", "system", "score"])
    (True, False)
    """
    return list(names[:2]) == ["task", "system"] and {"score", "direction"} <= set(names)


def is_canonical_file(source: Any) -> bool:
    """Whether a source is one Parquet file here that podium wrote, by its columns: no tool has to be asked about it.

    >>> is_canonical_file("nowhere.parquet")
    False
    """
    listed = source if isinstance(source, list | tuple) else [source]
    if len(listed) != 1 or not isinstance(listed[0], str | Path):
        return False
    path = Path(listed[0]).expanduser()
    if path.suffix.lower() not in {".parquet", ".pq"} or not path.is_file():
        return False
    from pyarrow import ArrowException  # noqa: PLC0415  # only to read
    from pyarrow.parquet import read_schema  # noqa: PLC0415  # the same

    try:
        return is_canonical(read_schema(path).names)
    except (OSError, ArrowException):  # the reader explains why
        return False


def canonical_layouts(tables: Sequence[SourceTable], wishes: Wishes) -> tuple[list[Layout], str | None] | None:
    """Return the roles of the columns, and the statistic of repeats; None unless podium wrote all of the tables.

    A table for which the caller names columns is read as any other.
    """
    if wishes.columns or wishes.layout == "wide" or not all(is_canonical(table.names) for table in tables):
        return None
    if any(not head(table, "direction") <= set(DIRECTIONS) for table in tables):
        return None
    statistics = [word for table in tables if "statistic" in table.names for word in head(table, "statistic")]
    return [_layout(table, wishes.covariates) for table in tables], min(statistics, default=None)


def _layout(table: SourceTable, patterns: Sequence[str] | None) -> Layout:
    names = table.names
    others = {column.name: column.kind for column in table.columns if column.name not in COLUMNS}
    covariates = [name for name, kind in others.items() if kind not in {"text", "nested"}]
    unused = [name for name in others if name not in covariates]  # somebody added them
    has = {name: name if name in names else None for name in COLUMNS}
    return Layout(
        "system",
        task="task",
        instance=has["instance"] or has[TEXT_INSTANCE],
        score="score",
        weight=has["weight"],
        cluster=has["cluster"],
        repeat=has["repeat"],
        direction="direction",
        family=has["family"],
        covariates=tuple(covariates if patterns is None else matching("column", patterns, covariates)),
        notes=(Unused(unused),) if unused else (),
    )


def head(table: SourceTable, column: str) -> set[str]:
    """Words in the first rows of a column of labels."""
    first = next(iter(table.batches(ReadPlan((column,), ()))), None)
    return set() if first is None else {str(word) for word in column_in(first.rows, column).unique().to_pylist()}
