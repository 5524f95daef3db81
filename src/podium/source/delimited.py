"""Tables as rows of cells: CSV and TSV files, what stands above and below a table, and tables that are turned."""

import csv
import io
import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product, takewhile
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv as pa_csv

from podium.base.errors import InputError
from podium.base.words import LONG, Aside, beginning, with_names
from podium.source.descriptor import contents
from podium.source.file import File, Lines, decoded_head
from podium.source.labels import read_whole
from podium.source.table import (
    MISSING,
    NUMBER_KINDS,
    TRUTH,
    USUAL,
    Batch,
    ReadPlan,
    SourceColumn,
    SourceTable,
    check_names,
    existing,
    folded,
    is_missing,
    lacks,
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
    width = Counter(len(row) for row in rows[:_SHOWN]).most_common(1)[0][0]  # of most rows
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


def _filled(row: Cells) -> list[str]:
    return [cell for cell in row if cell.strip()]


def _is_above(rows: Sequence[Cells], number: int, width: int) -> bool:
    """Return whether a row is a title, a comment or blank, and a row of names follows."""
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
    """Return columns that hold a number."""
    return {place for row in rows for place, cell in enumerate(row) if _NUMERIC.fullmatch(cell)}


def _joined(upper: Cells, lower: Cells, below: Sequence[Cells]) -> list[str] | None:
    """Join names of two rows; the upper may span several columns. None if there is only one such row."""
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
    """Return a name with what stands below it; a unit is in brackets."""
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
    """Return whether a row of a document is of a system: not blank, a heading or a note, in one cell or over all."""
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
        what = "no column names the rows, which are to be tasks; name it with task_column= (--task-column)"
        raise lacks(table.name, what, table.names)
    numbers = [column.name for column in table.columns if column.kind in NUMBER_KINDS and column.name not in naming]
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


#: Number of rows that determine the kinds of columns.
_SAMPLE = 200

#: Number of rows per batch of the slow parser.
_SLOW_BATCH = 2**16

#: Letters in a cell. The default of the standard library is 128 thousand, but prompts can be longer.
_LONGEST_CELL = 2**27

#: Types of columns of scores that Arrow should not read as numbers.
_SCORES = {"text": pa.string(), "truth": pa.bool_()}

_RETURN = re.compile(r"(?<=\r)(?=[^\n])")

#: What may stand between cells; what Excel says of it in the first line; and lines that are looked at.
_DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
_SAID, _LINES = re.compile(r'"?sep=([,;\t|])"?', re.IGNORECASE), 50


class DelimitedTable(SourceTable):
    """A delimited text file with a header line.

    Parameters
    ----------
    file
        The file; format "tsv" means tabs, "csv" means comma, semicolon, tab or bar, whichever its first lines have.

    Raises
    ------
    InputError
        The file is empty, damaged, not UTF-8, or names a column twice.
    """

    def __init__(self, file: File) -> None:
        self.name = file.name
        self.portable = file.portable
        self.size = file.size
        self._lines = Lines(file)
        self._tabs = file.format == "tsv"
        text, whole = decoded_head(self._lines, lambda text: text.endswith("\n") and len(self._sampled(text, 3)) == 3)
        sample = self._sampled(text, _SAMPLE + 2)
        # The last record may be incomplete: it can have line breaks in quotes.
        sample = sample if whole or len(sample) > _SAMPLE + 1 else sample[:-1]
        shown_rows = [cells for _, _, cells in sample]
        header = header_of(shown_rows)
        _, self._above, self._names = header
        self._header_lines = sample[self._above - 1][1]
        check_names(file.name, self._names)
        #: Rows to read, where notes stand below them.
        self._rows: int | None = None
        below = self._below(text) if whole else []
        self.notes = tuple(notes_beside(shown_rows[: header.row], header, below))
        rows = [cells for cells in shown_rows[self._above : _SAMPLE + 1] if len(cells) == len(self._names)]
        rows = rows[: self._rows]
        self.columns = tuple(column_of(name, [row[i] for row in rows]) for i, name in enumerate(self._names))
        shown = sum(len(cell) + 1 for row in rows for cell in row) / max(len(rows), 1)
        self.n_rows = int(self.size * (4 if file.compression else 1) / max(shown, 1))

    def _sampled(self, text: str, count: int) -> list[tuple[int, int, list[str]]]:
        """Return the first records of a text that is not blank; the last record may be incomplete."""
        self._delimiter = "\t" if self._tabs else _delimiter(text)
        try:
            return list(islice(_records(io.StringIO(text, newline=""), self._delimiter), count))
        except csv.Error as error:
            raise InputError(f"{self.name}, among the first rows: {error}") from error

    def _below(self, text: str) -> list[list[str]]:
        """Leave out blank rows and notes below a small table, if its last line has fewer cells than names."""
        last = text.rstrip("\r\n").rpartition("\n")[2].rstrip(f' "{self._delimiter}')
        if last.count(self._delimiter) >= len(self._names) - 1 or len(self._names) < 2:
            return []
        records = _records(io.StringIO(text, newline=""), self._delimiter)
        rows = [cells for _, _, cells in islice(records, self._above, None)]
        left = rows_below(rows, len(self._names))
        self._rows = len(rows) - left if left else None
        return rows[len(rows) - left :]

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Read the columns of the plan, in order; cells of text columns come as text."""
        if self._rows is not None:
            yield from numbered(self._slow(plan, 0), self._rows)
            return
        read = 0
        try:
            with self._lines.file.intact():
                for batch in numbered(self._fast(plan), self.n_rows):
                    yield batch
                    read += batch.rows.num_rows
        except pa.ArrowException:  # the slow parser reads more, or says where the error is
            yield from numbered(self._slow(plan, read), self.n_rows, read)

    def _fast(self, plan: ReadPlan) -> Iterator[Any]:
        size = 2**22 if plan.large else 2**20
        read = pa_csv.ReadOptions(
            column_names=self._names, skip_rows=self._header_lines, block_size=size, use_threads=plan.large
        )
        parse = pa_csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True)
        types, missing = self._types(plan), _missing_words()
        convert = pa_csv.ConvertOptions(
            include_columns=plan.columns, column_types=types, null_values=missing, strings_can_be_null=False
        )
        with self._lines.file.open() as stream:
            yield from pa_csv.open_csv(stream, read, parse, convert)

    def _types(self, plan: ReadPlan) -> dict[str, Any]:
        kinds = {column.name: column.kind for column in self.columns}
        types = dict.fromkeys(plan.labels, pa.dictionary(pa.int32(), pa.string()))
        types |= {name: _SCORES.get(kinds[name], pa.float64()) for name in plan.numbers}
        if plan.instance is not None:
            types[plan.instance] = pa.string()  # also integers, because "007" is not "7"
        return types

    def _slow(self, plan: ReadPlan, first: int) -> Iterator[Any]:
        """Read on from row `first`, all cells as text."""
        place = {name: number for number, name in enumerate(self._names)}
        places = [place[name] for name in plan.columns]
        records = islice(self._checked(), first, None)
        while chunk := list(islice(records, _SLOW_BATCH)):
            arrays = [pa.array([cells[place] for cells in chunk], pa.string()) for place in places]
            yield pa.RecordBatch.from_arrays(arrays, names=plan.columns)

    def _checked(self) -> Iterator[list[str]]:
        """Yield cells of the data rows, all as long as the header."""
        line = 0
        try:
            end = None if self._rows is None else self._above + self._rows
            records = _records(self._lines.texts(), self._delimiter)
            for line, last, cells in islice(records, self._above, end):
                if len(cells) != len(self._names):
                    if self._ends_in(last):
                        what = f"{self.name} ends within line {line}, so it may be cut off"
                        raise InputError(f"{what}; copy it again, or end this line as the others")
                    what = f"{len(cells)} cell{'s' if len(cells) > 1 else ''} but the header has {len(self._names)}"
                    mark = _DELIMITERS[self._delimiter]
                    cure = f"add the missing cells, or put quotes around text that contains {mark}"
                    raise InputError(f"{self.name}, line {line}: {what}; {cure}")
                yield cells
        except csv.Error as error:
            raise InputError(f"{self.name}, after line {line}: {error}") from error

    def where(self, row: int) -> str:
        """Return the line on which a row begins, in words."""
        found = next(islice(_records(self._lines.texts(), self._delimiter), self._above + row, None), None)
        return f"row {row + 1}" if found is None else f"line {found[0]}"

    def _ends_in(self, last: int) -> bool:
        """Return whether a line is the last one, and has no end."""
        number, text = deque(enumerate(self._lines.texts(), start=1), maxlen=1)[0]
        return number == last and not text.endswith("\n")


def _records(lines: Any, delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield first line, last line and cells of every record that is not blank; a carriage return ends a line, too."""
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    single = (part for line in lines for part in (_RETURN.split(line) if "\r" in line[:-2] else (line,)))
    reader = csv.reader(single, delimiter=delimiter)
    before = 0
    for cells in reader:
        if cells:
            yield before + 1, reader.line_num, cells
        before = reader.line_num


def _delimiter(text: str) -> str:
    r"""Return what stands between cells: the most frequent of comma, semicolon and tab in the first line.

    Where the second line has none of it, such as below a title, it is what most lines have as often.

    >>> _delimiter('system;"a,b,c";rte'), _delimiter("in May, 2026\nsystem|rte\nA|1"), _delimiter("sep=;\nA;b,c,d")
    (';', '|', ';')
    """
    lines = (line.strip("\r\n") for line in io.StringIO(text) if line.strip())
    first = list(islice(lines, 2))
    if said := _SAID.fullmatch(first[0].strip()):
        return said[1]
    first = [re.sub(r'"[^"]*"', "", line) for line in first]
    usual = max(",;\t", key=first[0].count)
    if all(usual in line for line in first):
        return usual
    some = [*first, *islice(lines, _LINES)]
    same = {one: Counter(filter(None, (line.count(one) for line in some))) for one in _DELIMITERS}
    return max(same, key=lambda one: max(same[one].values(), default=0))


@cache
def _missing_words() -> list[str]:
    """Return the words for missing scores in all combinations of upper and lower case."""
    spellings = (product(*({letter, letter.upper()} for letter in word)) for word in MISSING)
    return sorted({"".join(letters) for ways in spellings for letters in ways})
