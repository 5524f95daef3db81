"""Text of a view: for a terminal of any width, a pipe, Markdown and LaTeX."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import isfinite, isnan
from typing import IO

from podium.base.words import few, how_many
from podium.report.view import Bars, Column, Table, View, enough, folded, longest_word, shorten, shortened, width_of

#: Places between columns.
GAP = 2

#: Names, headings that are names, and texts are made this narrow before a column is left out.
_LABEL, _HEADING, _TEXT = 16, 10, 20

#: No name is made shorter.
_SHORTEST = 5


@dataclass(frozen=True, slots=True)
class Fitted:
    """The columns and rows of a table that are printed.

    Attributes
    ----------
    columns
        Those there is room for, with names as short as they must be.
    widths
        Places that each takes.
    left_out
        Headings of the others.
    shortened
        Whether a name was.
    """

    columns: tuple[Column, ...]
    widths: tuple[int, ...]
    left_out: tuple[str, ...] = ()
    shortened: bool = False

    @property
    def width(self) -> int:
        """Return places of a line."""
        return _total(self.widths)


def whole(columns: Sequence[Column]) -> Fitted:
    """Leave nothing out and shorten nothing, whatever the width."""
    return Fitted(tuple(columns), tuple(map(_natural, columns)))


def fit(columns: Sequence[Column], room: int) -> Fitted:
    """Choose the columns that fit into a width, and share it among them.

    Parameters
    ----------
    columns
        All there are; those of names stay.
    room
        Places on a line.

    Examples
    --------
    >>> columns = (Column.labels("system", ["a name without an end"]), Column.numbers("score", ["0.500"]))
    >>> fit(columns, 23).columns[0].cells, fit(columns, 10).left_out
    (('a name w… an end',), ('score',))
    """
    leasts = _leasts(columns, room)
    kept = _kept(columns, leasts, room)
    chosen = tuple(columns[index] for index in kept)
    widths = _shared(chosen, [leasts[index] for index in kept], room)
    made = tuple(_shortened(column, width) for column, width in zip(chosen, widths, strict=True))
    left_out = dict.fromkeys(one.name for index, one in enumerate(columns) if index not in kept)
    return Fitted(made, tuple(widths), tuple(left_out), shortened=made != chosen)


def _kept(columns: Sequence[Column], leasts: Sequence[int], room: int) -> list[int]:
    """Leave columns out until the others can be read; never those of names."""
    kept = list(range(len(columns)))
    loose = sorted((index for index in kept if not columns[index].label), key=lambda i: (-columns[i].priority, i))
    while loose and _total([leasts[index] for index in kept]) > room:
        kept.remove(loose.pop())
    return kept


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * max(len(widths) - 1, 0)


def _natural(column: Column) -> int:
    """Width at which nothing is shortened; headings of numbers stand word over word."""
    heading = longest_word(column.name) if column.right and not column.named else width_of(column.name)
    return max(heading, *map(width_of, column.cells), 0)


def _leasts(columns: Sequence[Column], room: int) -> list[int]:
    """Width at which each column can be read; names stay different where half of the room is enough for that."""
    share = max(room // 2 // max(sum(column.label for column in columns), 1), _LABEL)
    heading = enough([column.name for column in columns if column.named], _HEADING, _LABEL)
    return [_least(column, share, heading) for column in columns]


def _least(column: Column, share: int, heading: int) -> int:
    widest = max(map(width_of, column.cells), default=0)
    if column.label:
        widest = min(widest, enough(column.cells, _LABEL, share))
    elif not column.right:
        widest = min(widest, max(_TEXT, *map(longest_word, column.cells)))
    return max(widest, min(width_of(column.name), heading) if column.named else longest_word(column.name))


def _shared(columns: Sequence[Column], leasts: Sequence[int], room: int) -> list[int]:
    """Give room that is left to the narrowest of those that want it; where there is none, take it from the widest."""
    widths, natural = list(leasts), list(map(_natural, columns))
    while _total(widths) > room and max(widths) > _SHORTEST:
        widths[widths.index(max(widths))] -= 1
    for _ in range(room - _total(widths)):
        wanting = [index for index, width in enumerate(widths) if width < natural[index]]
        if not wanting:
            break
        widths[min(wanting, key=widths.__getitem__)] += 1
    return widths


def _shortened(column: Column, width: int) -> Column:
    """Shorten the names of a column, and its heading where that is one."""
    if column.label:
        column = replace(column, cells=tuple(shortened(column.cells, width)))
    return replace(column, name=shorten(column.name, width)) if column.named else column


#: Rows of a summary, and the places of its lines.
_REPR = 10, 80

#: Before each sentence of a verdict.
_BULLET = "•"

#: Every other tier; all others are plain.
_STRIPE = "cyan"

#: Rows of a table that are shown at most.
_ROWS = 20

#: Columns named at most where they are left out, and places of each name.
_NAMED, _PLACES = 12, 24

#: Places of a bar, at least and at most.
_BAR = (15, 41)


def show(
    view: View, file: IO[str] | None = None, *, below: str = "", top: int | None = None, wide: bool = False
) -> None:
    """Print a view on a terminal, no wider than it is: names are shortened, columns and rows left out; it says so.

    Parameters
    ----------
    view
        What to show.
    file
        A terminal; standard output by default.
    below
        Lines to print after it.
    top
        Rows of the main table and of lists of examples; None for as many as of the others.
    wide
        Print all columns and rows, whatever the width.
    """
    from rich.console import Console  # noqa: PLC0415  # a tenth of a second that piped output need not pay
    from rich.text import Text  # noqa: PLC0415

    console = Console(file=file, highlight=False, emoji=False, markup=False)
    console.print(Text(view.title, style="bold"))
    for sentence in view.verdict:
        console.print(Text(_hanging(f"{_BULLET} {sentence}", console.width)))
    for place, every in enumerate(view.tables):
        main = place == view.main or every.listing
        most = top if main and top is not None else _ROWS
        table = every if wide or len(every.rows) <= most + 1 else every.cut(most)
        fitted = whole(table.columns) if wide else fit(table.columns, console.width)
        lines = _lines(_with_bars(table, fitted, console.width), table.striped)
        drawing = Text.assemble("\n", *((f"{text}\n", style) for text, style in lines))
        console.print(drawing, no_wrap=True, overflow="ignore", crop=False, end="")
        if len(table.rows) < len(every.rows):
            more = f"--top {len(every.rows) - every.foot}" if main else "--wide"
            console.print(Text(f"{more} shows all rows", style="dim"))
        if said := _said(fitted):
            console.print(Text(said, style="dim"))
    if view.notes or below:
        console.print()
    for note in view.notes:
        console.print(Text(_hanging(f"note: {note}", console.width), style="dim"))
    if below:
        console.print(Text("".join(_hanging(line, console.width) for line in below.splitlines(keepends=True))), end="")


def _hanging(line: str, width: int) -> str:
    """Break a line between words, and indent what follows.

    >>> print(_hanging("• one two three", 10))
    • one two
      three
    """
    indent = "  " if line.startswith(_BULLET) else "    "
    return f"\n{indent}".join(folded(line, width - len(indent))) if width_of(line) > width else line


def _lines(table: Fitted, striped: tuple[bool, ...]) -> Iterator[tuple[str, str]]:
    """Return lines of a table with styles: headings, a rule, and rows, whose texts may be broken between words."""
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
    """Write plain aligned text: no colour, no lines, nothing cut or wrapped.

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


def summary(kind: str, view: View) -> str:
    """Return title, verdict and the first rows of the main table, in lines that a console has room for.

    >>> table = Table((Column.labels("system", ("A", "long")), Column.numbers("score", ("1.5", "10.0"))))
    >>> print(summary("Ranking", View("two systems", (table,), notes=("made up",))))
    Ranking(two systems)
    system  score
    A         1.5
    long     10.0
    1 note in .notes
    """
    lines = [f"{kind}({view.title})", *(f"{_BULLET} {sentence}" for sentence in view.verdict)]
    if view.tables:
        table = view.tables[view.main].cut(_REPR[0])
        widths = [max(map(width_of, (column.name, *column.cells))) for column in table.columns]
        columns = tuple(table.columns[index] for index in _kept(table.columns, widths, _REPR[1]))
        lines.append(_aligned(replace(table, columns=columns)))
    return "\n".join([*lines, *([f"{how_many(len(view.notes), 'note')} in .notes"] if view.notes else [])])


_MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#$&])")

#: Macros of LaTeX for the signs ←→↑↓≤≥≈≠±×·∞√.
_SIGNS = (
    *("leftarrow", "rightarrow", "uparrow", "downarrow", "leq", "geq", "approx", "neq", "pm", "times", "cdot"),
    *("infty", "surd"),
)


def _greek(letter: str) -> str:
    """Return the macro of LaTeX for a Greek letter.

    >>> _greek("χ"), _greek("Λ")
    ('chi', 'Lambda')
    """
    name = unicodedata.name(letter).split()[-1].lower().replace("lamda", "lambda")
    return name.title() if letter.isupper() else name


_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "…": r"\ldots{}",
    "−": "$-$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    **{sign: f"$^{{{power}}}$" for sign, power in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True)},
    **{sign: rf"$\{name}$" for sign, name in zip("←→↑↓≤≥≈≠±×·∞√", _SIGNS, strict=True)},
    **{sign: rf"$\{_greek(sign)}$" for sign in "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"},
}


def to_markdown(view: View) -> str:
    r"""Write pipe tables under the title, notes as a list.

    >>> from podium.report.view import Column
    >>> table = Table((Column("system", ("a|b",)), Column("score", ("1.5",), right=True)))
    >>> print(to_markdown(View("one system", (table,))), end="")
    one system
    <BLANKLINE>
    | system | score |
    | :--- | ---: |
    | a\|b | 1.5 |
    """
    verdict, notes = ("\n".join(f"- {_markdown_text(one)}" for one in some) for some in (view.verdict, view.remarks))
    tables = [_pipe_table(table, bold=view.style.bold) for table in view.tables]
    blocks = [_markdown_text(view.title), verdict, *tables, notes]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _pipe_table(table: Table, *, bold: bool) -> str:
    rule = tuple("---:" if column.right else ":---" for column in table.columns)
    body = _marked(table, _markdown_text, "**{}**" if bold else "{}")
    head = tuple(map(_markdown_text, table.head))
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *body])


def _marked(table: Table, written: Callable[[str], str], best: str) -> list[tuple[str, ...]]:
    """Return the rows, each cell written, and the best ones within a frame."""
    columns = [
        [
            best.format(written(cell)) if is_best and cell else written(cell)
            for cell, is_best in zip(column.cells, marks, strict=True)
        ]
        for column in table.columns
        for marks in [column.best or (False,) * len(column.cells)]
    ]
    return list(zip(*columns, strict=True))


def _markdown_text(text: str) -> str:
    return _MARKDOWN_SPECIAL.sub(r"\\\1", text)


#: Rows of a table in LaTeX that fit on a page.
_PAGE = 50


def to_latex(view: View) -> str:
    r"""Write booktabs tables; title, verdict and notes are comments, for the caption is the author's (`DocumentStyle`).

    >>> from podium.report.view import Column
    >>> table = Table((Column("system", ("a_b",)), Column("score", ("1.5",), right=True)))
    >>> print(to_latex(View("one system", (table,))), end="")
    % one system; needs \usepackage{booktabs}
    \begin{tabular}{lr}
    \toprule
    system & score \\
    \midrule
    a\_b & 1.5 \\
    \bottomrule
    \end{tabular}
    """
    lines = [f"% {view.title}; needs \\usepackage{{booktabs}}"]
    lines += [f"% {sentence}" for sentence in view.verdict]
    tables = [_float(table, view, main=place == view.main) for place, table in enumerate(view.tables)]
    if (rows := max((len(table.rows) for table in view.tables), default=0)) > _PAGE:
        lines.append(f"% {rows:,} rows are longer than a page: show fewer (--top), or make the tabular a longtable")
    if lacking := sorted({sign for sign in "".join(tables) if sign.isalpha() and sign > "ɏ"}):
        lines.append(f"% pdflatex lacks {''.join(lacking[:5])}: use lualatex, and a font that has these letters")
    lines += tables
    lines += [f"% note: {note}" for note in view.remarks]
    return "\n".join(lines) + "\n"


def _float(table: Table, view: View, *, main: bool) -> str:
    """Write a table; the main one as a float if it has a caption or a label."""
    style, tabular = view.style, _tabular(table, bold=view.style.bold)
    if not main or (style.caption is None and style.label is None):
        return tabular
    said = [] if style.caption is None else [rf"\caption{{{_caption(style.caption)}}}"]
    said += [rf"\label{{{style.label}}}"] if style.label is not None else []
    return "\n".join([r"\begin{table}", r"\centering", *said, tabular, r"\end{table}"])


def _caption(text: str) -> str:
    r"""Write a plain text; one with a backslash is LaTeX already.

    >>> _caption("95% & more"), _caption(r"95\% of $n$")
    ('95\\% \\& more', '95\\% of $n$')
    """
    return text if "\\" in text else _latex_text(text)


def _tabular(table: Table, *, bold: bool) -> str:
    alignment = "".join("r" if column.right else "l" for column in table.columns)
    rows = _marked(table, _latex_text, r"\textbf{{{}}}" if bold else "{}")
    head, *body = (_latex_row(row) for row in [tuple(map(_latex_text, table.head)), *rows])
    return "\n".join(
        [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    )


def _latex_row(cells: Sequence[str]) -> str:
    r"""Join cells; what begins with [ or * would be an option of the rule or of the \\ before it."""
    row = " & ".join(cells)
    return ("{}" if row.startswith(("[", "*")) else "") + row + r" \\"


def _latex_text(text: str) -> str:
    return "".join(_LATEX_SPECIAL.get(sign, sign) for sign in text)
