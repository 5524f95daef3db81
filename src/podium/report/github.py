"""Markdown for a job summary and one comment on a pull request: short, and safe for names that others chose."""

import re
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any

from podium.base.words import beginning, how_many, printable
from podium.report.view import Table, View

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
    """Write marker, title, sentences and tables, and notes folded; at most 60 lines, whatever the result.

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
    blocks += [_table(table, rows) for table in view.tables[:tables]]
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
    write: list[Callable[[str], str]] = [_label if column.label else _cell for column in columns]
    lines = [
        [_cell(column.name) for column in columns],
        ["---:" if column.right else ":---" for column in columns],
        *([one(cell) for one, cell in zip(write, row, strict=False)] for row in cut.rows),
    ]
    if (more := len(cut.columns) - _COLUMNS) > 0:
        ends: Any = [f"… {how_many(more, 'more column')}", ":---"]
        lines = [[*line, end] for line, end in zip(lines, [*ends, *repeat("", len(lines) - 2)], strict=True)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _label(text: str) -> str:
    """Write a name as code, where GitHub links nothing but addresses, so that it can be copied."""
    return f"<code>{_text(text, _CELL, _ADDRESS)}</code>" if text and not text.startswith("… ") else _cell(text)


def _cell(text: str) -> str:
    return _text(text, _CELL)


def _text(text: str, most: int = _SENTENCE, linked: re.Pattern[str] = _LINKED) -> str:
    """Write a text that is nothing but text."""
    text = linked.sub("\\g<0>\u200b", beginning(printable(text).strip(), most))
    return _FIRST.sub(lambda found: found[1] + _entity(found[2]), _SPECIAL.sub(lambda one: _entity(one[0]), text))


def _entity(letter: str) -> str:
    return f"&#{ord(letter)};"
