"""Formats of output, by name: from a result to the content of a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from podium.base.errors import LabelError, OutputError, nearest
from podium.report.view import View

if TYPE_CHECKING:
    from collections.abc import Callable


class Shown(Protocol):
    """What a format asks of a result, see `podium.report.result.Result`."""

    def view(self) -> View:
        """Return what it looks like."""
        ...

    def columns(self) -> dict[str, list[Any]]:
        """Return its rows as columns, by name."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return everything."""
        ...

    def about(self) -> dict[str, Any]:
        """Return everything but the rows."""
        ...


#: Names of the output formats.
FORMATS = ("table", "json", "csv", "markdown", "latex", "html", "jsonl", "parquet")

#: Those that hold the rows of a result and nothing else for people.
ROW_FORMATS = frozenset({"csv", "jsonl", "parquet"})

#: Those that say themselves how to read the result.
DOCUMENT_FORMATS = frozenset({"markdown", "latex", "html"})

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


def format_for(path: Path | None, name: str | None = None) -> str:
    """Pick the output format: by name if one is given, else by the suffix of the file, else a table.

    Parameters
    ----------
    path, name
        File and format as asked for, or None.

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
    if name is not None:
        if name not in FORMATS:
            raise LabelError(f"there is no output format {name!r}; {nearest(name, FORMATS, most=len(FORMATS))}")
        return name
    if path is None:
        return "table"
    meant = _SUFFIXES.get(path.suffix.lower())
    if meant is None:
        known = ", ".join(suffix for suffix in _SUFFIXES if suffix)
        raise OutputError(
            f"{path}: the suffix {path.suffix!r} does not say which format to write; use one of {known}, "
            f"or name the format (-f {'|'.join(FORMATS)})"
        )
    return meant


def render(result: Shown, format: str = "table") -> str | bytes:  # noqa: A002  # the word for it
    """Write a result in one of `FORMATS`; the table is plain text, and only Parquet is bytes.

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
    from podium.report.format import data, html, markup, terminal  # noqa: PLC0415  # only where one is written

    writers: dict[str, Callable[[], str | bytes]] = {
        "table": lambda: terminal.to_text(result.view()),
        "json": lambda: data.to_json(result.to_dict()),
        "csv": lambda: data.to_csv(result.columns()),
        "markdown": lambda: markup.to_markdown(result.view()),
        "latex": lambda: markup.to_latex(result.view()),
        "html": lambda: html.to_html(result.view()),
        "jsonl": lambda: data.to_jsonl(result.columns()),
        "parquet": lambda: data.to_parquet(result.columns(), result.about()),
    }
    return writers[format_for(None, format)]()
