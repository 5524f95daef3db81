"""CSV and TSV files: the fast parser of Arrow first, and the parser of the standard library if Arrow fails."""

import csv
import io
import re
from collections import Counter, deque
from collections.abc import Iterator
from functools import cache
from itertools import islice, product
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv

from podium.base.errors import InputError
from podium.source.file import File
from podium.source.format.cells import column_of, header_of, notes_beside, rows_below
from podium.source.format.line import Lines, decoded_head
from podium.source.table import MISSING, Batch, ReadPlan, SourceTable, check_names, numbered

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
        """First records of a text that is not blank; the last record may be incomplete."""
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
        with self._lines.file.open() as stream:
            yield from pa_csv.open_csv(
                stream,
                read_options=pa_csv.ReadOptions(
                    column_names=self._names,
                    skip_rows=self._header_lines,
                    block_size=2**22 if plan.large else 2**20,
                    use_threads=plan.large,
                ),
                parse_options=pa_csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
                convert_options=pa_csv.ConvertOptions(
                    include_columns=plan.columns,
                    column_types=self._types(plan),
                    null_values=_missing_words(),
                    strings_can_be_null=False,
                ),
            )

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
        """Cells of the data rows, all as long as the header."""
        line = 0
        try:
            end = None if self._rows is None else self._above + self._rows
            records = _records(self._lines.texts(), self._delimiter)
            for line, last, cells in islice(records, self._above, end):
                if len(cells) != len(self._names):
                    if self._ends_in(last):
                        raise InputError(
                            f"{self.name} ends within line {line}, so it may be cut off; copy it again, or end this "
                            "line as the others"
                        )
                    raise InputError(
                        f"{self.name}, line {line}: {len(cells)} cell{'s' if len(cells) > 1 else ''} but the header "
                        f"has {len(self._names)}; add the missing cells, or put quotes around text that "
                        f"contains {_DELIMITERS[self._delimiter]}"
                    )
                yield cells
        except csv.Error as error:
            raise InputError(f"{self.name}, after line {line}: {error}") from error

    def where(self, row: int) -> str:
        """Line on which a row begins, in words."""
        found = next(islice(_records(self._lines.texts(), self._delimiter), self._above + row, None), None)
        return f"row {row + 1}" if found is None else f"line {found[0]}"

    def _ends_in(self, last: int) -> bool:
        """Whether a line is the last one, and has no end."""
        number, text = deque(enumerate(self._lines.texts(), start=1), maxlen=1)[0]
        return number == last and not text.endswith("\n")


def _records(lines: Any, delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    """First line, last line and cells of every record that is not blank; a carriage return alone ends a line, too."""
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    single = (part for line in lines for part in (_RETURN.split(line) if "\r" in line[:-2] else (line,)))
    reader = csv.reader(single, delimiter=delimiter)
    before = 0
    for cells in reader:
        if cells:
            yield before + 1, reader.line_num, cells
        before = reader.line_num


def _delimiter(text: str) -> str:
    r"""What stands between cells: the most frequent of comma, semicolon and tab in the first line, outside quotes.

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
    """The words for missing scores in all combinations of upper and lower case."""
    spellings = (product(*({letter, letter.upper()} for letter in word)) for word in MISSING)
    return sorted({"".join(letters) for ways in spellings for letters in ways})
