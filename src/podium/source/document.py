"""Documents that hold tables among other things: spreadsheets, Markdown, pages, YAML and JSON; one of them is read."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from io import BytesIO
from itertools import groupby
from typing import Any

from podium.base.errors import InputError, LabelError, MissingExtraError
from podium.base.words import LONG, as_typed, few, with_names
from podium.source.delimited import Grid, TextTable
from podium.source.descriptor import contents, described, may_name_systems
from podium.source.file import File, whole_text
from podium.source.jsonl import PARTS, IsDocumentError, JsonLinesTable
from podium.source.table import USUAL, SourceTable, folded, named

#: Words in the title of a table of results.
_RESULTS = re.compile(r"result|score|board|ranking|benchmark|performance|evaluation|main", re.IGNORECASE)

#: Usual names of systems, from the first on, that name nothing else.
_SURE = 5

#: Objects in objects that are searched; those of YAML may contain themselves.
_LEVELS = 5

_OF_SYSTEMS = "names of objects are taken for systems; if they are tasks, say transpose=True (--transpose)"


def json_table(file: File, table: str | None) -> SourceTable:
    """Open JSON Lines, or another document of JSON, where `table` names a key; see `document`."""
    try:
        return JsonLinesTable(file)
    except IsDocumentError:
        return document(file, table)


def document(file: File, table: str | None) -> TextTable:
    """Read the table of a document that is named, or looks like results.

    Raises
    ------
    InputError
        The document is damaged or holds no table, or several may be results.
    LabelError
        It has no such table.
    MissingExtraError
        A library for its format is not installed.
    """
    grids = [grid for grid in _GRIDS[file.format](file) if any(cell.strip() for row in grid.rows for cell in row)]
    word = "sheet" if file.format == "excel" else "table"
    by_title = file.format not in {"markdown", "html"}
    labels = [grid.title if by_title else str(number) for number, grid in enumerate(grids, start=1)]
    if not grids:
        raise InputError(f"{file.name} holds no table; it needs a row of names and at least one row of scores")
    if table is not None:
        titles = [*labels, *(grid.title for grid in grids)]
        if table not in titles:
            raise LabelError(f"{file.name}: {LabelError.unknown(word, table, labels)}")
        at = titles.index(table) % len(grids)
        return grids[at].table(f"{file.name}, {word} {labels[at]}")
    found = [_how_likely_results(file.name, grid) for grid in grids]
    best = [number for number, worth in enumerate(found) if worth == max(found)]
    shown = [
        f"{label} ({grid.title})" if grid.title not in {"", label} else label
        for label, grid in zip(labels, grids, strict=True)
    ]
    if len(best) > 1:
        what = f"{file.name} holds {len(grids)} {word}s, and which has the results is not clear: {few(shown, 8)}"
        raise InputError(f"{what}; name it, as with {word}={labels[best[0]]!r} (--{word} {as_typed(labels[best[0]])})")
    chosen = grids[best[0]].table(file.name if len(grids) == 1 else f"{file.name}, {word} {labels[best[0]]}")
    others = [label for number, label in enumerate(shown) if number != best[0]]
    if others:
        read = f"{word} {shown[best[0]]} is read; {word}= (--{word}) names another: "
        chosen.notes += (with_names(read, others, room=LONG),)
    return chosen


def _how_likely_results(name: str, grid: Grid) -> int:
    """Return how much a table looks like results; 0 if systems or scores are missing."""
    try:
        table = grid.table(name)
    except InputError:
        return 0
    usual = named(USUAL["system"], table.names) is not None
    scored = [one for one in table.columns if not described(one) and contents(table.cells[one.name]) is None]
    first = next((one for one in table.columns if may_name_systems(one)), None)
    if not (usual or first) or all(one == first or one.kind == "empty" for one in scored):
        return 0
    return 1 + 2 * usual + bool(_RESULTS.search(grid.title))


def _excel(file: File) -> Iterator[Grid]:
    try:
        import python_calamine as calamine  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise MissingExtraError("python-calamine", "excel", "reading a spreadsheet") from error
    with file.intact("a spreadsheet", calamine.CalamineError), file.open() as stream:
        book = calamine.CalamineWorkbook.from_filelike(BytesIO(stream.read()))
        for name in book.sheet_names:
            sheet = book.get_sheet_by_name(name)
            rows = [list(map(_text, row)) for row in sheet.to_python(skip_empty_area=False)]
            for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
                for row in rows[top : bottom + 1]:
                    row[left : right + 1] = [rows[top][left]] * len(row[left : right + 1])
            yield Grid(rows, name)


def _markdown(file: File) -> Iterator[Grid]:
    heading = ""
    lines = enumerate(whole_text(file).splitlines(), start=1)
    for barred, block in groupby(lines, lambda line: "|" in line[1] or bool(_RULE.fullmatch(line[1]))):
        numbered = list(block)
        if not barred:
            headings = [line.strip("# ") for _, line in numbered if line.startswith("#")]
            heading = headings[-1] if headings else heading
        elif any(_RULE.fullmatch(line) for _, line in numbered):
            rows = [[] if _RULE.fullmatch(line) else list(map(_without_marks, _cells(line))) for _, line in numbered]
            width = len(next(filter(None, rows), []))
            yield Grid([[*row, *[""] * width][:width] for row in rows], heading, numbered[0][0], "line")


#: The line below the names of a table; bars between cells; and what changes how a cell looks.
_RULE, _BAR = re.compile(r"(?=.*[-=])(?=.*[|+])[\s|+:=-]+"), re.compile(r"(?<!\\)\|")
_MARKS = (
    (re.compile(r"!\[[^\]]*\]\([^)]*\)|\[\^[^\]]*\]"), ""),
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"(\*\*|~~|`|(?<!\w)__(?=.*__(?!\w)))(.+?)\1"), r"\2"),
    (re.compile(r"(?<![\w*\\])([*_])(?![\s*_])(.+?)(?<![\s\\])\1(?![\w*])"), r"\2"),
    (re.compile(r"\\(?=[\\|*_#~`])"), ""),
)


def _cells(line: str) -> list[str]:
    """Return cells of a line of a Markdown table."""
    inner = line.strip().removeprefix("|")
    return _BAR.split(inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner)


def _without_marks(cell: str) -> str:
    r"""Return the text of a cell without marks.

    >>> [_without_marks(cell) for cell in (" [**my_model_2**](http://a.b) ", "~~0.5~~<sup>1</sup>", r"a \| *b*")]
    ['my_model_2', '0.5¹', 'a | b']
    """
    for mark, left in _MARKS:
        cell = mark.sub(left, cell)
    if "<" in cell or "&" in cell:
        page = _Page()
        page.feed(f"<table><td>{cell}")
        page.close()
        cell = page.tables[0].rows[0][0].text
    return " ".join(cell.split())


@dataclass(slots=True)
class _Cell:
    """A cell or a heading, and over how many columns and rows it stands."""

    text: str = ""
    across: int = 1
    down: int = 1


@dataclass(slots=True)
class _PageTable:
    """A table of a page."""

    heading: _Cell
    rows: list[list[_Cell]] = field(default_factory=list)

    def grid(self) -> Grid:
        """Return its cells, each at all places where it stands."""
        cells: dict[tuple[int, int], str] = {}
        for top, row in enumerate(self.rows):
            left = 0
            for cell in row:
                while (top, left) in cells:
                    left += 1
                text = " ".join(cell.text.split())
                for down in range(top, min(top + cell.down, len(self.rows))):
                    cells |= {(down, place): text for place in range(left, min(left + cell.across, _WIDEST))}
                left += cell.across
        width = max((place for _, place in cells), default=-1) + 1
        rows = [[cells.get((row, place), "") for place in range(width)] for row in range(len(self.rows))]
        return Grid(rows, " ".join(self.heading.text.split()))


class _Page(HTMLParser):
    """Tables of a page, each with the heading above it."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[_PageTable] = []
        self._open: list[_PageTable] = []
        self._heading = _Cell()
        self._cell: _Cell | None = None
        self._raised = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._open.append(_PageTable(self._heading))
            self.tables.append(self._open[-1])
        elif tag in _HEADINGS:
            self._cell = self._heading = _Cell()
            if tag == "caption" and self._open:
                self._open[-1].heading = self._cell
        elif tag in {"tr", "td", "th"} and self._open:
            rows = self._open[-1].rows
            if tag == "tr" or not rows:
                rows.append([])
            if tag != "tr":
                spans = (dict(attrs).get(name) or "" for name in ("colspan", "rowspan"))
                self._cell = _Cell(
                    "", *(max(int(span), 1) if re.fullmatch("[0-9]{1,4}", span) else 1 for span in spans)
                )
                rows[-1].append(self._cell)
        elif tag == "sup":
            self._raised = True
        elif self._cell and tag in {"br", "p", "div", "li", "sub", "small"}:
            self._cell.text += " "

    def handle_endtag(self, tag: str) -> None:
        if tag == "table" and self._open:
            self._open.pop()
        if tag in {"table", "tr", "td", "th", *_HEADINGS}:
            self._cell = None
        self._raised = self._raised and tag != "sup"

    def handle_data(self, data: str) -> None:
        if self._cell and self.cdata_elem is None:
            self._cell.text += data.translate(_RAISED) if self._raised else data


#: Tags of headings; most columns of a table of a page; and digits of footnotes, which are none of a score.
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "caption"))
_WIDEST = 10_000
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _html(file: File) -> Iterator[Grid]:
    page, text = _Page(), whole_text(file)
    try:
        page.feed(text)
        page.close()
    except (ValueError, AssertionError) as error:
        raise InputError(f"{file.name} is no HTML that can be read: {error}; save its table as CSV") from error
    return (table.grid() for table in page.tables)


def _yaml(file: File) -> Iterator[Grid]:
    try:
        import yaml  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise MissingExtraError("PyYAML", "yaml", "reading YAML") from error
    text = whole_text(file)
    try:
        values = list(yaml.load_all(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"{file.name} is not YAML, or cut off: {' '.join(str(error).split())}") from error
    return _grids(values[0] if len(values) == 1 else values)


def _json(file: File) -> Iterator[Grid]:
    text = whole_text(file)
    reasons: list[str] = []
    for parts in ([text], text.splitlines()):
        try:
            values = [json.loads(part, object_pairs_hook=_once) for part in parts if part.strip()]
        except ValueError as error:
            reasons.append(str(error))
        except RecursionError:
            reasons.append("lists stand in lists too deep to be read")
        else:
            return _grids(values[0] if len(values) == 1 else values)
    raise InputError(f"{file.name} is not JSON, or cut off: {reasons[0]}")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object, whose names differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} stands twice")
    return found


#: Grids of a document, by format.
_Reader = Callable[[File], Iterator[Grid]]
_GRIDS: dict[str, _Reader] = {"excel": _excel, "markdown": _markdown, "html": _html, "yaml": _yaml, "jsonl": _json}


def _grids(value: Any, key: str = "", levels: int = _LEVELS) -> Iterator[Grid]:
    """Yield tables in JSON or YAML: records, columns, rows, or scores by system and task; else those of its parts."""
    value = _listed(value)
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        yield _records(value, key)
    elif isinstance(value, list) and value and all(isinstance(one, list) for one in value):
        width = max(map(len, value))
        yield Grid([[*map(_text, row), *[""] * (width - len(row))] for row in value], key)
    if not isinstance(value, dict) or not levels:
        return
    lists = [one for one in map(_listed, value.values()) if isinstance(one, list)]
    columns = [list(map(_text, one)) for one in lists if not _is_nested(one)]
    parts = [part for name, one in value.items() for part in _grids(one, str(name), levels - 1)]
    apart = any(PARTS.fullmatch(folded(str(name))) for name in value)
    texts = [str(name) for name, one in value.items() if isinstance(one, str)]
    system = named(USUAL["system"][:_SURE] if parts else USUAL["system"], texts)
    if isinstance(value.get("data"), list) and isinstance(value.get("columns"), list):  # as pandas writes it
        yield from _grids([value["columns"], *value["data"]], key)
    elif 1 < len(columns) == len(value) and len(set(map(len, columns))) == 1:
        yield Grid([list(map(str, value)), *map(list, zip(*columns, strict=True))], key)
    elif system is not None:
        inside = [one for one in value.values() if isinstance(one, list) and any(isinstance(row, dict) for row in one)]
        runs = [row for row in inside[0] if isinstance(row, dict)] if len(inside) == 1 else [value]
        yield _records([{system: value[system], **run} for run in runs], key)
    elif set(map(_levels_of_numbers, value.values())) in ({1}, {2}) and not (parts and (len(value) == 1 or apart)):
        inner = [(name, task, one) for name, tasks in value.items() for task, one in tasks.items()]
        if all(isinstance(one, dict) and named(USUAL["score"], list(one)) is not None for _, _, one in inner):
            records = [{"system": name, "task": task, **one} for name, task, one in inner]
        else:
            records = [{"system": name, "scores": one} for name, one in value.items()]
        yield _records(records, key, _OF_SYSTEMS)
    elif 1 < len(parts) == len(value) and not apart and _have_same_columns(parts):
        rows = [[name, *row] for name, part in zip(value, parts, strict=True) for row in part.rows[1:]]
        yield Grid([["system", *parts[0].rows[0]], *rows], key, 0, "record", _OF_SYSTEMS)
    else:
        yield from parts


def _have_same_columns(parts: Sequence[Grid]) -> bool:
    return len({tuple(part.rows[0]) for part in parts}) == 1 and named(USUAL["system"], parts[0].rows[0]) is None


def _listed(value: Any) -> Any:
    """Return the values of an object whose keys are numbers of rows, as pandas writes it; anything else as it is."""
    numbered = isinstance(value, dict) and value and list(value) == [str(number) for number in range(len(value))]
    return list(value.values()) if numbered else value


def _is_nested(values: Iterable[Any]) -> bool:
    return any(isinstance(one, list | dict) for one in values)


def _levels_of_numbers(value: Any, most: int = 2) -> int:
    """Return levels of an object down to numbers, at most two; 0 of anything else."""
    if not isinstance(value, dict):
        return 0
    inner = list(value.values())
    if all(isinstance(one, dict) for one in inner):
        return 2 if inner and most == 2 and all(_levels_of_numbers(one, 1) for one in inner) else 0
    return int(any(isinstance(one, int | float) for one in inner) and not _is_nested(inner))


def _records(records: Sequence[Mapping[str, Any]], key: str, note: str = "") -> Grid:
    """Return a row a record; scores of tasks that stand in an object of their own are columns."""
    nested = {name for one in records for name, part in one.items() if _levels_of_numbers(part)}
    scores = {name for name in nested if PARTS.fullmatch(folded(str(name)))}
    numbers = any(isinstance(one, int | float) for row in records for one in row.values())
    scores = nested if not (scores or numbers) and len(nested) == 1 else scores
    rows = [dict(_spread(record, scores)) for record in records]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Grid([names, *([_text(row.get(name)) for name in names] for row in rows)], key, 0, "record", note)


def _spread(record: Mapping[Any, Any], inside: Collection[Any]) -> Iterator[tuple[str, Any]]:
    """Yield members of a record, and those of objects inside, under the names of tasks and metrics."""
    for name, part in record.items():
        if name not in inside or not isinstance(part, dict):
            yield str(name), part
            continue
        for task, score in part.items():
            known = f"{name}/{task}" if len(inside) > 1 else str(task)
            if isinstance(score, dict):
                yield from ((f"{known}/{last}", one) for last, one in score.items())
            else:
                yield known, score


def _text(value: Any) -> str:
    """Return a value as the text of a cell; whole numbers of spreadsheets have no decimals."""
    if isinstance(value, list | dict):
        return "[…]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    shown = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return shown.encode("utf-8", "backslashreplace").decode()
