"""Formats of output, by name: from a result to the content of a file."""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from podium.base.errors import LabelError, OutputError, nearest
from podium.report.view import View


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


#: What a writer is given of a result and its view, by what its format holds.
_GIVEN: Mapping[str, Callable[[Shown, View | None], tuple[Any, ...]]] = {
    "text": lambda result, view: (view or result.view(),),
    "document": lambda result, view: (view or result.view(),),
    "everything": lambda result, _: (result.to_dict(),),
    "rows": lambda result, _: (result.columns(),),
    "rows and the rest": lambda result, _: (result.columns(), result.about()),
}

#: Of each format: its suffixes, what it holds, and where it is written.
_FORMATS = {
    "table": (("", ".txt"), "text", "terminal", "to_text"),
    "json": ((".json",), "everything", "data", "to_json"),
    "csv": ((".csv",), "rows", "data", "to_csv"),
    "markdown": ((".markdown", ".md"), "document", "markup", "to_markdown"),
    "github": ((), "document", "github", "to_github"),
    "latex": ((".tex",), "document", "markup", "to_latex"),
    "html": ((".htm", ".html"), "document", "html", "to_html"),
    "jsonl": ((".jsonl", ".ndjson"), "rows", "data", "to_jsonl"),
    "parquet": ((".parquet", ".pq"), "rows and the rest", "data", "to_parquet"),
}

#: Names of the output formats.
FORMATS = tuple(_FORMATS)

#: Those that hold the rows of a result and nothing else for people.
ROW_FORMATS = frozenset(name for name, (_, holds, *_) in _FORMATS.items() if holds.startswith("rows"))

#: Those that say themselves how to read the result.
DOCUMENT_FORMATS = frozenset(name for name, (_, holds, *_) in _FORMATS.items() if holds == "document")

_SUFFIXES = {suffix: name for name, (suffixes, *_) in _FORMATS.items() for suffix in suffixes}


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
            f"or name the format with format= (-f): {', '.join(FORMATS)}"
        )
    return meant


def render(
    result: Shown,
    format: str = "table",  # noqa: A002  # the word for it
    view: View | None = None,
) -> str | bytes:
    """Write a result in one of `FORMATS`; the table is plain text, and only Parquet is bytes.

    Parameters
    ----------
    result
        What is written.
    format
        How.
    view
        What text and documents show in place of the whole view of the result.

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
    name = format_for(None, format)
    _, holds, module, writer = _FORMATS[name]
    write = getattr(import_module(f"podium.report.format.{module}"), writer)  # a writer is loaded when it is used
    written: str | bytes = write(*_GIVEN[holds](result, view))
    return written
