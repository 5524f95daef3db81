"""Formats of output, by name: from a result to the content of a file, for programs, and for GitHub."""

import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium.base.arrays import as_frame
from podium.base.errors import LabelError, OutputError
from podium.base.words import beginning, how_many, printable
from podium.report.view import Table, View

if TYPE_CHECKING:
    from podium.report.result import Result


Columns = Mapping[str, Sequence[Any]]

#: The suffixes of each format.
_FORMATS = {
    "table": ("", ".txt"),
    "json": (".json",),
    "csv": (".csv",),
    "markdown": (".markdown", ".md"),
    "github": (),
    "latex": (".tex",),
    "html": (".htm", ".html"),
    "jsonl": (".jsonl", ".ndjson"),
    "parquet": (".parquet", ".pq"),
}

#: Names of the output formats.
FORMATS = tuple(_FORMATS)

#: Those that hold the rows of a result and nothing else for people.
ROW_FORMATS = frozenset({"csv", "jsonl", "parquet"})

#: Those that say themselves how to read the result.
DOCUMENT_FORMATS = frozenset({"markdown", "github", "latex", "html"})

_SUFFIXES = {suffix: name for name, suffixes in _FORMATS.items() for suffix in suffixes}

#: Commas, quotes and control characters anywhere, and what makes a formula at the beginning.
_QUOTED = re.compile('[",\x00-\x1f\x7f-\x9f\u2028\u2029]|^[=+@-]')


def format_for(path: Path | None, name: str | None = None, also: Iterable[str] = ()) -> str:
    """Pick the output format: by name or suffix if one is given, else by the suffix of the file, else a table.

    Parameters
    ----------
    path, name
        File and format as asked for, or None.
    also
        Suffixes that the caller writes in another way.

    Raises
    ------
    LabelError
        There is no format of that name.
    OutputError
        The suffix says nothing.

    Examples
    --------
    >>> format_for(Path("board.tex")), format_for(None, "md")
    ('latex', 'markdown')
    """
    if name is not None:
        if (meant := name if name in FORMATS else _SUFFIXES.get(f".{name}")) is None:
            raise LabelError.unknown("output format", name, FORMATS)
        return meant
    if path is None:
        return "table"
    meant = _SUFFIXES.get(path.suffix.lower())
    if meant is None:
        known = ", ".join([*filter(None, _SUFFIXES), *sorted(also)])
        raise OutputError(
            f"{path}: the suffix {path.suffix!r} does not say which format to write; use one of {known}, "
            f"or name the format with format= (-f): {', '.join(FORMATS)}"
        )
    return meant


def render(
    result: "Result",
    format: str = "table",  # noqa: A002  # the word for it
    view: "View | None" = None,
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
    from podium.report import html, text  # noqa: PLC0415  # only where something is shown

    name = format_for(None, format)
    if name == "json":
        return to_json(result.to_dict())
    if name in ROW_FORMATS:
        columns, about = result._columns(), result._about  # noqa: SLF001  # rows as plain values, for files only
        return to_parquet(columns, about()) if name == "parquet" else {"csv": to_csv, "jsonl": to_jsonl}[name](columns)
    written = {
        "table": text.to_text,
        "markdown": text.to_markdown,
        "latex": text.to_latex,
        "github": to_github,
        "html": html.to_html,
    }
    return written[name](view or result.view())


def to_json(content: Mapping[str, Any]) -> str:
    r"""Write everything there is.

    >>> to_json({"kind": "ranking"})
    '{\n  "kind": "ranking"\n}\n'
    """
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def to_csv(columns: Columns) -> str:
    r"""Write one line per row; empty where there is no number.

    >>> to_csv({"system": ["A", "B"], "score": [0.5, None], "separated": [True, False]})
    'system,score,separated\nA,0.5,true\nB,,false\n'
    """
    rows = [columns, *zip(*columns.values(), strict=True)]
    return "".join(",".join(map(_cell, row)) + "\n" for row in rows)


def _cell(value: Any) -> str:
    """Write a cell: what is true or false as JSON does, and texts in quotes where they could be read as more.

    A lone carriage return ends a line for many readers, and so do some other control characters. A spreadsheet takes
    `=` and its like for a formula. Nothing in a label is changed, so that it comes back as it was.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"' if _QUOTED.search(value) else value
    return str(value).lower() if isinstance(value, bool) else str(value)


def to_jsonl(columns: Columns) -> str:
    r"""Write one object per row and line.

    >>> to_jsonl({"instance": ["a"], "bias": [0.5]})
    '{"instance": "a", "bias": 0.5}\n'
    """
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)


def to_parquet(columns: Columns, about: Mapping[str, Any]) -> bytes:
    """Write the rows; what there is beside them stands as JSON in the metadata, as "podium".

    >>> import pyarrow.parquet as pq
    >>> content = to_parquet({"instance": [7, 9], "bias": [0.5, 1.0]}, {"kind": "difficulty"})
    >>> pq.read_table(io.BytesIO(content)).to_pydict()
    {'instance': [7, 9], 'bias': [0.5, 1.0]}
    """
    import pyarrow.parquet as pq  # noqa: PLC0415  # only where it is written

    table = as_frame({name: list(values) for name, values in columns.items()}, "pyarrow")
    content = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({"podium": json.dumps(about, ensure_ascii=False)}), content)
    return content.getvalue()


def to_layout(view: "View") -> str:
    """Write title, verdict, tables and notes; a table has its headings and its rows of text.

    >>> import json
    >>> from podium.report.view import Column, Table, View
    >>> table = Table((Column.labels("system", ["A"]), Column.numbers("score", ["-1.5"])))
    >>> json.loads(to_layout(View("one system", (table,))))["tables"][0]["rows"]
    [['A', '−1.5']]
    """
    said = {name: list(getattr(view, name)) for name in ("verdict", "notes", "explain")}
    tables = [table_layout(table) for table in view.tables]
    return to_json({"title": view.title, "about": view.about, "tables": tables, **said})


def table_layout(table: "Table") -> dict[str, object]:
    """Return headings and rows of text as plain values.

    >>> from podium.report.view import Column, Table, View
    >>> table_layout(Table((Column.labels("system", ["A"]),)))["rows"]
    [['A']]
    """
    head = [{"name": column.name, "right": column.right, "label": column.label} for column in table.columns]
    return {"caption": table.caption, "foot": table.foot, "head": head, "rows": [list(row) for row in table.rows]}


#: First line, by which a later run finds the comment of an earlier one.
MARKER = "<!-- podium -->"

#: Lines in all, and letters: GitHub refuses a comment of more than 65,536.
LINES, LETTERS = 60, 60_000

#: Sentences, tables, notes, rows and columns that are shown at most.
_VERDICT, _TABLES, _NOTES, _ROWS, _COLUMNS = 8, 4, 12, 20, 12

#: Letters of a cell, and of a sentence.
_CELL, _SENTENCE = 100, 300

#: What has a meaning in Markdown or HTML; as an entity it is a letter like others, in tables and in `<code>`, too.
_SPECIAL = re.compile(r"[\\`*_\[\]<>|~#$&]")

#: A sentence that begins so would be a list or a heading.
_FIRST = re.compile(r"^(\d*)([-+=.)])(?=[\s=-]|$)")

#: What becomes a link everywhere: addresses. A space of no width ends it.
_ADDRESS = re.compile(r"@|:(?=/)|(?<=[wW]{3})(?=\.)")

#: The same outside code: also issues, commits and emoji.
_LINKED = re.compile(
    _ADDRESS.pattern + r"|#(?=\d)|(?<=[gG][hH]-)(?=\d)|:(?=[\w+-]+:)|\b[0-9a-f]{6}(?=[0-9a-f]{1,34}\b)"
)


def to_github(view: View) -> str:
    """Write marker, title, sentences and tables; lists of examples and notes are folded; at most 60 lines.

    >>> from podium.report.view import Column
    >>> table = Table((Column.labels("system", ["@a|b"]), Column.numbers("score", ["-1.5"])))
    >>> print(to_github(View("one system", (table,))).replace(chr(0x200B), "."), end="")
    <!-- podium -->
    ## one system
    <BLANKLINE>
    | system | score |
    | :--- | ---: |
    | <code>@.a&#124;b</code> | −1.5 |
    """
    written = (_written(view, tables, rows) for tables in range(_TABLES, 0, -1) for rows in range(_ROWS, 0, -1))
    fitting = (text for text in written if text.count("\n") <= LINES and len(text) <= LETTERS)
    return next(fitting, _written(view, 0, 0))


def _written(view: View, tables: int, rows: int) -> str:
    blocks = [f"{MARKER}\n## {_text(view.title)}", _list(view.verdict, _VERDICT)]
    for table in view.tables[:tables]:
        folded = [f"<details><summary>{_text(table.caption)}</summary>", "</details>"] if table.listing else ["", ""]
        blocks += [folded[0], _table(table, rows), folded[1]]
    if (more := len(view.tables) - tables) > 0:
        blocks.append(f"… {how_many(more, 'more table')}")
    if view.remarks:
        blocks += ["<details><summary>Notes</summary>", _list(view.remarks, _NOTES), "</details>"]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _list(sentences: Sequence[str], most: int) -> str:
    shown = [f"- {_text(one)}" for one in sentences[:most]]
    return "\n".join([*shown, *([f"- … {len(sentences) - most:,} more"] if len(sentences) > most else [])])


def _table(table: Table, rows: int) -> str:
    shown = len(table.rows) - table.foot - (table.whole is not None)
    cut = table.cut(min(rows, shown))
    columns = cut.columns[:_COLUMNS]
    write: list[Callable[[str], str]] = [_label if column.label else _github_cell for column in columns]
    lines = [
        [_github_cell(column.name) for column in columns],
        ["---:" if column.right else ":---" for column in columns],
        *([one(cell) for one, cell in zip(write, row, strict=False)] for row in cut.rows),
    ]
    if (more := len(cut.columns) - _COLUMNS) > 0:
        ends: Any = [f"… {how_many(more, 'more column')}", ":---"]
        lines = [[*line, end] for line, end in zip(lines, [*ends, *repeat("", len(lines) - 2)], strict=True)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _label(text: str) -> str:
    """Write a name as code, where GitHub links nothing but addresses, so that it can be copied."""
    return f"<code>{_text(text, _CELL, _ADDRESS)}</code>" if text and not text.startswith("… ") else _github_cell(text)


def _github_cell(text: str) -> str:
    return _text(text, _CELL)


def _text(text: str, most: int = _SENTENCE, linked: re.Pattern[str] = _LINKED) -> str:
    """Write a text that is nothing but text."""
    text = linked.sub("\\g<0>\u200b", beginning(printable(text).strip(), most))
    return _FIRST.sub(lambda found: found[1] + _entity(found[2]), _SPECIAL.sub(lambda one: _entity(one[0]), text))


def _entity(letter: str) -> str:
    return f"&#{ord(letter)};"
