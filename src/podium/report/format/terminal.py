"""The table for people: drawn by Rich on a terminal, aligned plain text everywhere else."""

import unicodedata
from typing import IO, TYPE_CHECKING

from podium.report.table import Column, Table
from podium.report.view import View

if TYPE_CHECKING:
    from rich.table import Table as Drawing

#: Before each sentence of a verdict.
_BULLET = "•"


def show(view: View, file: IO[str] | None = None) -> None:
    """Print a view on a terminal; labels may fold there, numbers never do.

    Parameters
    ----------
    view
        What to show.
    file
        A terminal; standard output by default.
    """
    from rich.console import Console  # noqa: PLC0415  # a tenth of a second that piped output need not pay
    from rich.text import Text  # noqa: PLC0415

    console = Console(file=file, highlight=False, emoji=False, markup=False)
    console.print(Text(view.title, style="bold"))
    for sentence in view.verdict:
        console.print(Text(f"{_BULLET} {sentence}"))
    for table in view.tables:
        console.print(_drawn(table))
    for note in view.notes:
        console.print(Text(f"note: {note}", style="dim"))


def _drawn(table: Table) -> "Drawing":
    from rich import box  # noqa: PLC0415
    from rich.table import Table as Drawing  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    drawing = Drawing(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for column in table.columns:
        drawing.add_column(
            # headings of numbers stand word over word, to leave the width to the labels
            Text(column.name.replace(" ", "\n") if column.right else column.name),
            justify="right" if column.right else "left",
            no_wrap=column.right,
            min_width=_least_width(column) if column.right else None,
            overflow="fold",
        )
    for row in table.rows:
        drawing.add_row(*map(Text, row))
    return drawing


def _least_width(column: Column) -> int:
    """Width at which no number is broken."""
    return max(map(_width, (*column.name.split(), *column.cells)))


def to_text(view: View) -> str:
    """Plain aligned text: no colour, no lines, nothing cut or wrapped.

    >>> from podium.report.table import Column, Table
    >>> table = Table((Column("system", ("A", "long")), Column("score", ("1.5", "10.0"), right=True)))
    >>> print(to_text(View("two systems", (table,))), end="")
    two systems
    <BLANKLINE>
    system  score
    A         1.5
    long     10.0
    """
    verdict = "\n".join(f"{_BULLET} {sentence}" for sentence in view.verdict)
    blocks = [view.title, *filter(None, [verdict]), *map(_aligned, view.tables)]
    if view.notes:
        blocks.append("\n".join(f"note: {note}" for note in view.notes))
    return "\n\n".join(blocks) + "\n"


def _aligned(table: Table) -> str:
    columns = [_padded(column) for column in table.columns]
    return "\n".join("  ".join(cells).rstrip() for cells in zip(*columns, strict=True))


def _padded(column: Column) -> list[str]:
    """Heading and cells of a column, made equally wide."""
    width = _width_of(column)
    texts = (column.name, *column.cells)
    spaces = [" " * (width - _width(text)) for text in texts]
    return [space + text if column.right else text + space for text, space in zip(texts, spaces, strict=True)]


def _width_of(column: Column) -> int:
    return max(map(_width, (column.name, *column.cells)))


def _width(text: str) -> int:
    """Places on the screen: two for wide East Asian characters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text
    )
