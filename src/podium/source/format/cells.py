"""Tables as people lay them out, as rows of cells: what names columns, what stands above and below; and turned ones."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

import pyarrow as pa

from podium.base.errors import InputError
from podium.base.words import LONG, Aside, beginning, with_names
from podium.source.column import read_whole
from podium.source.column_names import USUAL, existing, folded, lacks
from podium.source.descriptor import contents
from podium.source.table import (
    TRUTH,
    Batch,
    Kind,
    ReadPlan,
    SourceColumn,
    SourceTable,
    check_names,
    is_missing,
    numbered,
)

#: Rows that show how many cells a row has, and rows that may stand above the names.
_SHOWN, _ABOVE = 200, 20

#: How lines begin that say something of the table; and notes below it, which may also be a sentence.
_COMMENT = ("#", "//", "%")
_NOTE = re.compile(r"\s*([*†‡§¶]|(notes?|sources?|legend)\s*:).*|.*\w\w\.\s*|(\S+\s+){7,}.*", re.IGNORECASE | re.DOTALL)

#: A number with any signs, but without letters.
_NUMERIC = re.compile(r"\W*\d[^A-Za-z]*")

_INTEGER = re.compile(r"-?(0|[1-9]\d{0,17})")

_NUMBERS: frozenset[Kind] = frozenset(("integer", "single", "number", "truth"))

Cells = Sequence[str]


class Header(NamedTuple):
    """The row of the names of columns, from 0; the first row below; and the names."""

    row: int
    below: int
    names: list[str]


def header_of(rows: Sequence[Cells]) -> Header:
    """Find the names of columns below titles and comments; those of two rows are joined.

    >>> header_of([["# of May"], ["", "QQP", "", "RTE"], ["model", "acc", "f1", "acc"], ["A", "1", "2", "3"]])
    Header(row=1, below=3, names=['model', 'QQP/acc', 'QQP/f1', 'RTE/acc'])
    """
    width = _width(rows)
    above = takewhile(lambda row: _is_above(rows, row, width), range(min(len(rows) - 1, _ABOVE)))
    row = sum(1 for _ in above)
    names = [name.strip() for name in rows[row]]
    if row + 2 < len(rows) and (joined := _joined(names, rows[row + 1], rows[row + 2 : row + _ABOVE])):
        below, third = row + 2, rows[row + 2]
        # pandas writes the name of the index below both
        if _filled(third) == [third[0]] and folded(third[0]) in USUAL["system"]:
            below, joined[0] = row + 3, third[0].strip()
        return Header(row, below, joined)
    return Header(row, row + 1, names)


def _width(rows: Sequence[Cells]) -> int:
    """Cells of most rows."""
    return Counter(len(row) for row in rows[:_SHOWN]).most_common(1)[0][0]


def _filled(row: Cells) -> list[str]:
    return [cell for cell in row if cell.strip()]


def _is_above(rows: Sequence[Cells], number: int, width: int) -> bool:
    """Whether a row is a title, a comment or blank, and a row of names follows."""
    row, filled = rows[number], _filled(rows[number])
    said = row[0].strip().lower() if row else ""
    if not filled or width < 2 or said.startswith("sep="):
        return not filled or width > 1
    comment = said.startswith(_COMMENT)
    if len(row) != width and comment:
        return True
    if len(row) == width and not comment and (len(set(filled)) > 1 or not said):
        return False
    later = [other for other in rows[number + 1 : number + _ABOVE] if len(_filled(other)) > 1]
    if not later or len(later[0]) != width or any(map(_NUMERIC.fullmatch, later[0])):
        return False
    return len(row) < width or not comment or bool(_scored(later[1:]))


def _scored(rows: Sequence[Cells]) -> set[int]:
    """Columns that hold a number."""
    return {place for row in rows for place, cell in enumerate(row) if _NUMERIC.fullmatch(cell)}


def _joined(upper: Cells, lower: Cells, below: Sequence[Cells]) -> list[str] | None:
    """Names of two rows, the upper of which may span several columns; None if there is only one such row."""
    filled = _filled(lower)
    if len(lower) != len(upper) or len(filled) < 2 or any(_NUMERIC.fullmatch(one) or is_missing(one) for one in filled):
        return None
    scored = _scored(below)
    beside = "".join(lower[place] for place in range(len(lower)) if place not in scored).strip()
    begins = lower[0].strip() in {"", upper[0]} and beside in {"", upper[0]}
    if not scored or (len(set(upper)) == len(upper) and not begins):
        return None
    spans = list(upper)
    if len(set(_filled(upper))) == len(_filled(upper)):  # a name stands at its first column alone
        for place in range(1, len(spans)):
            spans[place] = spans[place] or spans[place - 1]
    names = [_both(name.strip(), end.strip()) for name, end in zip(spans, lower, strict=True)]
    return names if len(set(names)) == len(names) else None


def _both(name: str, end: str) -> str:
    """A name with what stands below it; a unit is in brackets."""
    if not name or not end or name == end:
        return name or end
    return f"{name}/{end}" if len(end) > 1 and end[0].isalnum() else f"{name} ({end.strip('()[]')})"


def rows_below(rows: Sequence[Cells], width: int) -> int:
    """Count blank rows and notes at the end of the rows of a table with so many columns.

    A note stands in the first cell alone. A row that is shorter than others is one if it has several words.

    >>> rows_below([["A", "1"], ["B", ""], [], ["of three runs"]], 2)
    2
    """
    end = len(rows)
    for number in range(len(rows) - 1, 0, -1):
        row, filled = rows[number], _filled(rows[number])
        if filled:
            apart = not _filled(rows[number - 1]) or (len(row) < width and len(filled[0].split()) > 1)
            if width < 2 or filled != [row[0]] or not (apart or _NOTE.fullmatch(filled[0])):
                break
        end = number
    return len(rows) - end


def notes_beside(above: Sequence[Cells], header: Header, others: Sequence[Cells]) -> list[Aside]:
    """Say which lines above the names, and others that are no rows, are not read, and that names are in two rows."""
    beside = [", ".join(dict.fromkeys(cell.strip() for cell in _filled(row))) for row in (*above, *others)]
    said = "; ".join(text for text in beside if text and not text.lower().startswith("sep="))
    notes = [Aside(beginning(f"lines beside the table are not read: {said}", LONG))] if said else []
    two = header.below > header.row + 1
    names = list(map(repr, header.names[1:]))
    return [*notes, *([Aside(with_names("names of columns are in two rows: ", names, room=LONG))] if two else [])]


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of cells of a document.

    Attributes
    ----------
    rows
        Cells, as text; all rows have as many.
    title
        The name of the sheet, or the heading above.
    first
        Number of the first row, as errors count them.
    unit
        What is counted: "row", "line" or "record".
    note
        What is to be said of how it is read.
    """

    rows: Sequence[Cells]
    title: str = ""
    first: int = 1
    unit: str = "row"
    note: str = ""

    def table(self, name: str) -> "TextTable":
        """Return its table, without what stands above and below.

        Raises
        ------
        InputError
            It is empty, or two columns have one name.
        """
        if not any(map(_filled, self.rows)):
            raise InputError(f"{name} is empty; it needs a row of names and at least one row of scores")
        used = [place for place in range(len(self.rows[0])) if any(row[place].strip() for row in self.rows)]
        table = [[row[place] for place in used] for row in self.rows]
        header = header_of(table)
        above, rows = table[: header.row], table[header.below :]
        again = [list(row) for row in table[header.row : header.below]]  # as below a page break
        kept = [number for number, row in enumerate(rows) if _is_row(row) and row not in again]
        places = [f"{self.unit} {self.first + header.below + number}" for number in kept]
        others = [row for row in rows if not _is_row(row) and row not in again]
        notes = [*notes_beside(above, header, others), *([Aside(self.note)] if self.note else [])]
        return TextTable(name, header.names, [rows[number] for number in kept], places, notes)


def _is_row(row: Cells) -> bool:
    """Whether a row of a document is of a system: not blank, a heading or a note, in one cell or over all."""
    found = set(_filled(row))
    return len(found) > 1 or any(len(row) < 3 or _NUMERIC.fullmatch(one) is not None for one in found)


class TextTable(SourceTable):
    """A small table in memory, all cells as text; columns without a name and a number are left out, but the first.

    Parameters
    ----------
    name
        What errors call it.
    names
        Names of the columns.
    rows
        Cells of the rows.
    places
        Where each row stands, in words.
    notes
        What was left out.

    Raises
    ------
    InputError
        Two columns have one name.
    """

    def __init__(
        self, name: str, names: Cells, rows: Sequence[Cells], places: Sequence[str], notes: Sequence[str] = ()
    ) -> None:
        kept = [
            place
            for place, text in enumerate(names)
            if text or any((place == 0 and row[0].strip()) or _NUMERIC.fullmatch(row[place]) for row in rows)
        ]
        check_names(name, [names[place] for place in kept])
        self.name, self.notes, self._places = name, tuple(notes), places
        self.n_rows = self.size = len(rows)
        self.cells = {names[place]: [row[place] for row in rows] for place in kept}
        self.columns = tuple(column_of(text, cells) for text, cells in self.cells.items())

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Give all rows at once."""
        arrays = [pa.array(self.cells[name], pa.string()) for name in plan.columns]
        return numbered([pa.RecordBatch.from_arrays(arrays, names=plan.columns)], self.n_rows)

    def where(self, row: int) -> str:
        """Place of a row, in words."""
        return self._places[row]


def transposed(table: SourceTable, naming: Sequence[str] = ()) -> TextTable:
    """Turn a table, so that its columns of numbers are the systems and its rows the tasks.

    Parameters
    ----------
    table
        A table of any format.
    naming
        The columns that name tasks; by default those with usual names, else the first that holds text.

    Raises
    ------
    InputError
        No column names the rows, or two rows have one name.
    LabelError
        A column that was named does not exist.
    """
    texts = [column.name for column in table.columns if column.kind in {"text", "empty"}]
    usual = [name for role in ("task", "metric") for name in table.names if folded(name) in USUAL[role]]
    naming = [existing(name, table.names) for name in naming] or usual or texts[:1]
    if not naming:
        raise lacks(
            table.name,
            "no column names the rows, which are to be tasks; name it with task_column= (--task-column)",
            table.names,
        )
    numbers = [column.name for column in table.columns if column.kind in _NUMBERS and column.name not in naming]
    whole = read_whole(table, texts=[*naming, *(set(texts) - set(naming))], numbers=numbers)
    cells = {name: [text or "" for text in given] for name, given in whole.texts.items()}
    cells |= {name: [repr(number) for number in given.tolist()] for name, given in whole.numbers.items()}
    systems = [name for name in table.names if name in cells and name not in naming and contents(cells[name]) is None]
    tasks = [
        "/".join(filter(None, (part.strip() for part in parts)))
        for parts in zip(*(cells[name] for name in naming), strict=True)
    ]
    if twice := next((task for task, times in Counter(tasks).items() if times > 1), None):
        raise InputError(
            f"{table.name}: several rows are called {twice!r}, and each is to be a task; name the columns that "
            "tell them apart with task_column= (--task-column), or leave transpose= (--transpose) out"
        )
    left = [repr(name) for name in table.names if name not in naming and name not in systems]
    notes = [note for note in table.notes if "--transpose" not in note]  # which is done
    notes += [Aside(with_names("columns of text are no systems: ", left))] if left else []
    places = [f"column {name!r}" for name in systems]
    return TextTable(table.name, ["system", *tasks], [[name, *cells[name]] for name in systems], places, notes)


def column_of(name: str, cells: Cells) -> SourceColumn:
    """Say what the cells of a column are.

    >>> [column_of("a", cells).kind for cells in (["1", "NA"], ["1", "2.5"], ["true"], ["1", "x"], ["", "-"])]
    ['integer', 'number', 'truth', 'text', 'empty']
    """
    present = [cell for cell in cells if not is_missing(cell)]
    if not present:
        return SourceColumn(name, "empty")
    if all(_INTEGER.fullmatch(cell) for cell in present):
        return SourceColumn(name, "integer")
    if all(cell.strip().lower() in TRUTH for cell in present):
        return SourceColumn(name, "truth")
    return SourceColumn(name, "number" if all(map(_is_number, present)) else "text")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
