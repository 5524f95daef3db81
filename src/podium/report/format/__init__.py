"""The choice of format."""

from collections.abc import Callable
from pathlib import Path

from podium.base.errors import LabelError, OutputError
from podium.difficulty.result import Difficulty
from podium.report.format.data import to_csv, to_json, to_jsonl, to_parquet
from podium.report.format.html import page
from podium.report.format.markup import to_latex, to_markdown
from podium.report.format.terminal import to_text
from podium.report.result import Result, sheet

_RENDERERS: dict[str, Callable[[Result], str]] = {
    "table": lambda result: to_text(sheet(result)),
    "json": to_json,
    "csv": to_csv,
    "markdown": lambda result: to_markdown(sheet(result)),
    "latex": lambda result: to_latex(sheet(result)),
    "html": page,
}

#: Names of the output formats.
FORMATS = tuple(_RENDERERS)

_TABLES: dict[str, Callable[[Difficulty], str | bytes]] = {"parquet": to_parquet, "jsonl": to_jsonl}

#: Names of further formats, for results that other programs read as tables.
TABLE_FORMATS = tuple(_TABLES)

_SUFFIXES = {
    "": "table",
    ".csv": "csv",
    ".htm": "html",
    ".html": "html",
    ".json": "json",
    ".jsonl": "jsonl",
    ".markdown": "markdown",
    ".md": "markdown",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".tex": "latex",
    ".txt": "table",
}


def format_for(path: Path | None, name: str | None = None, *, tables: bool = False) -> str:
    """Pick the output format: by name if one is given, else by the suffix of the file, else a table.

    Parameters
    ----------
    path, name
        File and format as asked for, or None.
    tables
        Whether `TABLE_FORMATS` are offered too.

    Raises
    ------
    LabelError
        There is no format of that name.
    OutputError
        The suffix says nothing.

    Examples
    --------
    >>> format_for(Path("board.tex"))
    'latex'
    """
    offered = FORMATS + TABLE_FORMATS if tables else FORMATS
    if name is not None:
        if name not in offered:
            raise LabelError.unknown("output format", name, offered)
        return name
    if path is None:
        return "table"
    meant = _SUFFIXES.get(path.suffix.lower())
    if meant not in offered:
        known = ", ".join(suffix for suffix, kind in _SUFFIXES.items() if suffix and kind in offered)
        raise OutputError(
            f"{path}: the suffix {path.suffix!r} does not say which format to write; use one of {known}, "
            f"or name the format (-f {'|'.join(offered)})"
        )
    return meant


def render(result: Result, format: str = "table") -> str:  # noqa: A002  # the word for it
    """Write a result as text in one of `FORMATS`; the table is plain.

    Raises
    ------
    LabelError
        There is no such format.

    Examples
    --------
    >>> import podium
    >>> print(render(podium.rank(podium.datasets.toy_table1())).splitlines()[0])
    borda, task-level: 3 systems, 6 tasks
    """
    return _RENDERERS[format_for(None, format)](result)


def render_table(result: Difficulty, format: str) -> str | bytes:  # noqa: A002  # the word for it
    """Write a result as the content of a file in one of `FORMATS` or `TABLE_FORMATS`.

    Raises
    ------
    LabelError
        There is no such format.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.difficulty.result import Measure
    >>> render_table(Difficulty(np.array([1]), (Measure("bias", np.array([0.5]), "low"),)), "parquet")[:4]
    b'PAR1'
    """
    return _TABLES[format](result) if format in _TABLES else render(result, format)
