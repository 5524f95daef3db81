"""TREC files: runs rank documents for queries; qrels say how relevant documents are."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NoReturn

from podium.base.errors import InputError
from podium.source.format.line import Lines, finite
from podium.source.path import text_file

#: Query → document → score.
Run = dict[str, dict[str, float]]

#: Query → document → label.
Qrels = dict[str, dict[str, int]]

#: Columns of query, document and value, by the number of columns of a line.
_Form = Mapping[int, tuple[int, int, int]]

_RUN: _Form = {6: (0, 2, 4), 4: (0, 1, 3)}

_QRELS: _Form = {4: (0, 2, 3), 3: (0, 1, 2)}

_RUN_COLUMNS = "a run has 6 (query Q0 document rank score tag) or 4 (query document rank score)"

_QRELS_COLUMNS = "qrels have 4 (query iteration document label) or 3 (query document label)"

#: Documents of a run never have these names; qrels have them in this column.
_ITERATIONS = frozenset(("0", "Q0"))

#: trec_eval needs memory for every label up to the largest.
_LARGEST_LABEL = 10**6


def read_run(path: str | Path) -> Run:
    """Read a run: the documents of each query with their scores; ranks and tags are ignored, as in trec_eval.

    Raises
    ------
    InputError
        A line does not belong to a run, or a query has a document twice.
    """
    lines = Lines(text_file(path))
    run: Run = {}
    for number, query, document, text in _rows(lines, _RUN, _RUN_COLUMNS):
        documents = run.setdefault(query, {})
        if document in documents:
            _repeated(lines, number, query, document)
        score = finite(text)
        if score is None:
            raise InputError(
                f"{lines.name}, line {number}: the score {_shown(text)} is not a finite number; correct it"
            )
        documents[document] = score
    if all(document in _ITERATIONS for documents in run.values() for document in documents):
        raise InputError(
            f"{lines.name}: every document is called 0 or Q0, so this file seems to hold qrels; name a run"
        )
    return run


def read_qrels(path: str | Path) -> Qrels:
    """Read qrels: the judged documents of each query with their labels.

    Raises
    ------
    InputError
        A line does not belong to qrels, or a query has a document twice.
    """
    lines = Lines(text_file(path))
    qrels: Qrels = {}
    for number, query, document, text in _rows(lines, _QRELS, _QRELS_COLUMNS):
        documents = qrels.setdefault(query, {})
        if document in documents:
            _repeated(lines, number, query, document)
        label = _whole(text)
        if label is None:
            raise InputError(
                f"{lines.name}, line {number}: the label {_shown(text)} is not an integer; "
                + ("correct it" if number > 1 else "correct it, or remove the line if it is a header")
            )
        if abs(label) > _LARGEST_LABEL:
            raise InputError(
                f"{lines.name}, line {number}: the label {label} is too large; the last column must hold the "
                "relevance label"
            )
        documents[document] = label
    return qrels


def _rows(lines: Lines, form: _Form, columns: str) -> Iterator[tuple[int, str, str, bytes]]:
    """Yield line number, query, document and value; only ASCII white space separates cells, as in trec_eval."""
    width = 0
    query = document = value = 0
    for number, line in enumerate(lines.raw(), start=1):
        cells = line.split()
        if not cells:
            continue
        if len(cells) != width:
            if width or len(cells) not in form:
                _ragged(lines, number, len(cells), width, columns)
            width = len(cells)
            query, document, value = form[width]
        try:
            yield number, cells[query].decode(), cells[document].decode(), cells[value]
        except UnicodeDecodeError as error:
            raise _not_utf8(lines, number, line, error) from error
    if not width:
        raise InputError(f"{lines.name} is empty; {columns} columns")


def _ragged(lines: Lines, number: int, found: int, width: int, columns: str) -> NoReturn:
    expected = f"earlier lines have {width}" if width else columns
    raise InputError(
        f"{lines.name}, line {number}: {found} column{'s'[: found != 1]}, but {expected}; correct the line"
    )


def _repeated(lines: Lines, number: int, query: str, document: str) -> NoReturn:
    swapped = "; this file seems to hold qrels, not a run" if document in _ITERATIONS else "; keep one of the lines"
    raise InputError(f"{lines.name}, line {number}: query {query!r} has document {document!r} twice{swapped}")


def _not_utf8(lines: Lines, number: int, line: bytes, error: UnicodeDecodeError) -> InputError:
    """Error: a byte of the line (not of the cell) is not UTF-8."""
    shift = line.index(error.object)
    return lines.not_utf8(number, UnicodeDecodeError("utf-8", line, shift + error.start, shift + error.end, ""))


def _whole(text: bytes) -> int | None:
    try:
        return None if b"_" in text else int(text)
    except ValueError:
        return None


def _shown(text: bytes) -> str:
    return repr(text.decode(errors="replace"))
