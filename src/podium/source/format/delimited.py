"""CSV and TSV files: the fast parser of Arrow first, and the parser of the standard library if Arrow fails."""

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv

from podium.base.errors import InputError
from podium.source.file import File
from podium.source.format.line import Lines, decoded_head
from podium.source.table import (
    MISSING,
    TRUTH,
    Batch,
    ReadPlan,
    SourceColumn,
    SourceTable,
    check_names,
    is_missing,
    numbered,
)

#: Number of rows that determine the kinds of columns.
_SAMPLE = 200

#: Number of rows per batch of the slow parser.
_SLOW_BATCH = 2**16

#: Letters in a cell. The default of the standard library is 128 thousand, but prompts can be longer.
_LONGEST_CELL = 2**27

#: Types of columns of scores that Arrow should not read as numbers.
_SCORES = {"text": pa.string(), "truth": pa.bool_()}

_RETURN = re.compile(r"(?<=\r)(?=[^\n])")

_INTEGER = re.compile(r"-?(0|[1-9]\d{0,17})")


class DelimitedTable(SourceTable):
    """A delimited text file with a header line.

    Parameters
    ----------
    file
        The file; format "tsv" means tabs, "csv" means comma, semicolon or tab, whichever the header has.

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
        _, self._header_lines, header = sample[0]
        self._names = [name.strip() for name in header]
        check_names(file.name, self._names)
        rows = [cells for _, _, cells in sample[1 : _SAMPLE + 1] if len(cells) == len(self._names)]
        self.columns = tuple(_column(name, [row[i] for row in rows]) for i, name in enumerate(self._names))
        shown = sum(len(cell) + 1 for row in rows for cell in row) / max(len(rows), 1)
        self.n_rows = int(self.size * (4 if file.compression else 1) / max(shown, 1))

    def _sampled(self, text: str, count: int) -> list[tuple[int, int, list[str]]]:
        """First records of a text that is not blank; the last record may be incomplete."""
        header = next(line for line in io.StringIO(text) if line.strip())
        self._delimiter = "\t" if self._tabs else _delimiter(header)
        try:
            return list(islice(_records(io.StringIO(text, newline=""), self._delimiter), count))
        except csv.Error as error:
            raise InputError(f"{self.name}, among the first rows: {error}") from error

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Read the columns of the plan, in order; cells of text columns come as text."""
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
            for line, _, cells in islice(_records(self._lines.texts(), self._delimiter), 1, None):
                if len(cells) != len(self._names):
                    raise InputError(
                        f"{self.name}, line {line}: {len(cells)} cell{'s' if len(cells) > 1 else ''} but the header "
                        f"has {len(self._names)}; add the missing cells, or put quotes around text that "
                        f"contains {_spoken(self._delimiter)}"
                    )
                yield cells
        except csv.Error as error:
            raise InputError(f"{self.name}, after line {line}: {error}") from error

    def where(self, row: int) -> str:
        """Line on which a row begins, in words."""
        found = next(islice(_records(self._lines.texts(), self._delimiter), row + 1, None), None)
        return f"row {row + 1}" if found is None else f"line {found[0]}"


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


def _delimiter(header: str) -> str:
    """The most frequent of comma, semicolon and tab in the header, outside quotes.

    >>> _delimiter('system;"a,b,c";rte')
    ';'
    """
    bare = re.sub(r'"[^"]*"', "", header)
    return max(",;\t", key=bare.count)


def _spoken(delimiter: str) -> str:
    return {",": "a comma", ";": "a semicolon", "\t": "a tab"}[delimiter]


def _column(name: str, cells: list[str]) -> SourceColumn:
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


def _missing_words() -> list[str]:
    """The words for missing scores in all combinations of upper and lower case."""
    spellings = (product(*({letter, letter.upper()} for letter in word)) for word in MISSING)
    return sorted({"".join(letters) for ways in spellings for letters in ways})
