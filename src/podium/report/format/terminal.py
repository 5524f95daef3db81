"""The table for people: drawn for the width of a terminal, aligned plain text everywhere else."""

from collections.abc import Iterator
from itertools import zip_longest
from math import isfinite, isnan
from typing import IO

from podium.base.words import few
from podium.report.format.fit import GAP, Fitted, fit, whole
from podium.report.table import Bars, Column, Table
from podium.report.view import View
from podium.report.width import folded, shorten, width_of

#: Before each sentence of a verdict.
_BULLET = "•"

#: Every other tier; all others are plain.
_STRIPE = "cyan"

#: Columns named at most where they are left out, and places of each name.
_NAMED, _PLACES = 12, 24

#: Places of a bar, at least and at most.
_BAR = (15, 41)


def show(view: View, file: IO[str] | None = None, *, below: str = "", wide: bool = False) -> None:
    """Print a view on a terminal, no wider than it is: names are shortened, columns left out, and it says so.

    Parameters
    ----------
    view
        What to show.
    file
        A terminal; standard output by default.
    below
        Lines to print after it.
    wide
        Print all columns, whatever the width.
    """
    from rich.console import Console  # noqa: PLC0415  # a tenth of a second that piped output need not pay
    from rich.text import Text  # noqa: PLC0415

    console = Console(file=file, highlight=False, emoji=False, markup=False)
    console.print(Text(view.title, style="bold"))
    for sentence in view.verdict:
        console.print(Text(f"{_BULLET} {sentence}"))
    for table in view.tables:
        fitted = whole(table.columns) if wide else fit(table.columns, console.width)
        lines = _lines(_with_bars(table, fitted, console.width), table.striped)
        drawing = Text.assemble("\n", *((f"{text}\n", style) for text, style in lines))
        console.print(drawing, no_wrap=True, overflow="ignore", crop=False, end="")
        if said := _said(fitted):
            console.print(Text(said, style="dim"))
    if view.notes or below:
        console.print()
    for note in view.notes:
        console.print(Text(f"note: {note}", style="dim"))
    if below:
        console.print(Text(below), end="")


def _lines(table: Fitted, striped: tuple[bool, ...]) -> Iterator[tuple[str, str]]:
    """Lines of a table with their styles: headings, a rule, and rows, whose texts may be broken between words."""
    headings = [_heading(column, width) for column, width in zip(table.columns, table.widths, strict=True)]
    most = max(map(len, headings))
    for line in zip(*([""] * (most - len(lines)) + lines for lines in headings), strict=True):
        yield _line(table, line), "bold"
    yield "─" * table.width, ""
    for row, odd in zip(zip(*(column.cells for column in table.columns), strict=True), striped, strict=True):
        cells = zip(table.columns, row, table.widths, strict=True)
        broken = ([cell] if column.right or column.label else folded(cell, width) for column, cell, width in cells)
        for line in zip_longest(*broken, fillvalue=""):
            yield _line(table, line), _STRIPE if odd else ""


def _heading(column: Column, width: int) -> list[str]:
    """Break a heading into lines: names stay whole, and those of numbers stand word over word."""
    if column.named:
        return [column.name]
    return column.name.split(" ") if column.right else folded(column.name, width)


def _line(table: Fitted, cells: tuple[str, ...]) -> str:
    spaces = (" " * (width - width_of(cell)) for cell, width in zip(cells, table.widths, strict=True))
    columns = zip(table.columns, cells, spaces, strict=True)
    texts = (space + cell if column.right else cell + space for column, cell, space in columns)
    return (" " * GAP).join(texts).rstrip()


def _said(table: Fitted) -> str:
    """Say what is left out, and how to see it."""
    if table.left_out:
        names = few([shorten(name, _PLACES) for name in table.left_out], _NAMED)
        return f"not shown: {names} (--wide shows all; --columns A,B chooses)"
    return "names are shortened (--wide shows them whole)" if table.shortened else ""


def _with_bars(table: Table, fitted: Fitted, room: int) -> Fitted:
    """Add a column of bars where all others are there, and room is left."""
    width = min(room - fitted.width - GAP, _BAR[1])
    if table.bars is None or fitted.left_out or width < _BAR[0]:
        return fitted
    return Fitted((*fitted.columns, drawn(table.bars, width)), (*fitted.widths, width), (), fitted.shortened)


def drawn(bars: Bars, width: int) -> Column:
    r"""Draw intervals on one scale; an end that is infinite is open.

    >>> print(*drawn(Bars("CI", ((0.0, 1.0, 2.0), (1.5, 3.5, 4.0)), origin=0.0), 9).cells, sep="\n")
    ├─●─┤
    ┊  ├───●┤
    """
    there = [end for ends in bars.ends for end in ends if isfinite(end)]
    there += [] if bars.origin is None else [bars.origin]
    least, greatest = min(there, default=0.0), max(there, default=0.0)

    def place(value: float) -> int:
        share = (value / 2 - least / 2) / (greatest / 2 - least / 2) if greatest / 2 > least / 2 else 0.5
        return round(min(max(share, 0.0), 1.0) * (width - 1))

    def bar(low: float, value: float, high: float) -> str:
        signs = [" "] * width
        if bars.origin is not None:
            signs[place(bars.origin)] = "┊"
        if not (isnan(low) or isnan(high)):
            first, last = place(low), place(high)
            signs[first : last + 1] = "─" * (last + 1 - first)
            signs[first], signs[last] = "├" if isfinite(low) else "─", "┤" if isfinite(high) else "─"
        if isfinite(value):
            signs[place(value)] = "●"
        return "".join(signs).rstrip()

    return Column(bars.name, tuple(bar(*ends) for ends in bars.ends))


def to_text(view: View) -> str:
    """Plain aligned text: no colour, no lines, nothing cut or wrapped.

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
    widths = tuple(max(map(width_of, (column.name, *column.cells))) for column in table.columns)
    plain = Fitted(table.columns, widths)
    return "\n".join(_line(plain, row) for row in (table.head, *table.rows))
