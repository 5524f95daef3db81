"""JSON Lines: the parser of Arrow block by block, and the standard library for blocks that Arrow cannot read."""

import json
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Any

import pyarrow as pa
import pyarrow.json as pa_json

from podium.base.errors import InputError
from podium.base.parallel import ahead
from podium.source.file import File, Lines, decoded_head
from podium.source.table import USUAL, Batch, Kind, ReadPlan, SourceColumn, SourceTable, folded, is_missing, named

_SAMPLE = 200

_BLOCK = 2**22

#: Kinds of columns; each kind can hold the values of the kinds before it.
_KINDS: tuple[Kind, ...] = ("empty", "integer", "number", "text", "nested")


#: Keys of objects that hold scores, or tables, and name no system.
PARTS = re.compile(r"train|dev|val|valid|validation|test|data|rows|records|tasks|metrics?|(\w+_)?(results?|scores?)")


class IsDocumentError(Exception):
    """The file is no JSON Lines, or its lines hold objects of scores."""


_ONE_LINE = 'every line must hold one JSON object, as in {"system": "A", "task": "rte", "score": 0.7}'


class JsonLinesTable(SourceTable):
    """A text file with one JSON object per line.

    Parameters
    ----------
    file
        The file.

    Raises
    ------
    InputError
        The file is empty, damaged, not UTF-8, or not JSON.
    IsDocumentError
        It is JSON, but another document, see `podium.source.document`.
    """

    def __init__(self, file: File) -> None:
        self.name = file.name
        self.portable = file.portable
        self.size = file.size
        self._lines = Lines(file)
        text, whole = decoded_head(self._lines, lambda text: "\n" in (start := text.lstrip()) or start.startswith("["))
        start = text.lstrip("\ufeff \t\r\n")
        if start.startswith("[") or start.partition("\n")[0].rstrip().endswith(("{", "[", ",")):
            raise IsDocumentError
        lines = text.split("\n")
        sample = list(islice(self._objects(enumerate(lines, start=1)), _SAMPLE))
        self.columns = _columns([record for _, record in sample])
        if any(_is_document(record, alone=whole and len(sample) == 1) for _, record in sample[:1]):
            raise IsDocumentError
        if not (whole and len(sample) < _SAMPLE):
            self._find_columns()
        self.n_rows = self.size * (4 if file.compression else 1) * len(sample) // max(sum(map(len, lines[:_SAMPLE])), 1)

    def _find_columns(self) -> None:
        """Search all rows for columns that the first rows lack."""
        known = {column.name for column in self.columns}
        late: dict[str, Kind] = {}
        lines = 0
        for block in ahead(self._lines.blocks(_BLOCK)):
            names = _names(block)
            if names is None or not names <= known:
                for column in _columns([record for _, record in self._records(block, lines)], known):
                    late[column.name] = max(late.get(column.name, "empty"), column.kind, key=_KINDS.index)
            lines += block.count(b"\n")
        self.columns += tuple(SourceColumn(name, kind) for name, kind in late.items())

    def _records(self, block: bytes, before: int) -> list[tuple[int, dict[str, Any]]]:
        """Parse a block with the standard library."""
        try:
            lines = block.decode().split("\n")
        except UnicodeDecodeError:
            list(self._lines.texts())  # the error names the line
            raise
        return list(self._objects(enumerate(lines, start=before + 1)))

    def _objects(self, lines: Any) -> Iterator[tuple[int, dict[str, Any]]]:
        twice: list[str] = []  # names of the last object that is complete, which is that of the line

        def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            record = dict(pairs)
            twice[:] = [] if len(record) == len(pairs) else [name for name, _ in pairs]
            return record

        listed = list(lines)
        for number, line in listed:
            if not line.strip():
                continue
            try:
                record = json.loads(line, object_pairs_hook=once)
            except RecursionError as error:
                raise InputError(f"{self.name}, line {number}: lists stand in lists too deep to be read") from error
            except ValueError as error:
                # Where the last line has an end, an empty one follows.
                if number == listed[-1][0] and line.startswith("{") and not line.endswith("}"):
                    what = f"ends within line {number}, so it may be cut off; copy it again, or remove this line"
                    raise InputError(f"{self.name} {what}") from error
                raise InputError(f"{self.name}, line {number}: this is not JSON: {error}") from error
            if not isinstance(record, dict):
                raise InputError(f"{self.name}, line {number}: no object; {_ONE_LINE}")
            if twice:
                name = next(name for name in twice if twice.count(name) > 1)
                raise InputError(f"{self.name}, line {number}: {name!r} stands twice; keep one of the two values")
            yield number, ({_spelt(name): _spelt(value) for name, value in record.items()} if "\\u" in line else record)

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Read the columns of the plan, in order."""
        schema = self._schema(plan)
        first, lines, done = 0, 0, 0
        blocks = self._lines.blocks(_BLOCK)
        for block in ahead(blocks) if plan.large else blocks:
            try:
                rows = pa_json.read_json(
                    pa.BufferReader(block),
                    read_options=pa_json.ReadOptions(use_threads=plan.large, block_size=len(block) + 1),
                    parse_options=pa_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
                ).select(plan.columns)
            except pa.ArrowException:
                rows = self._slow(block, lines, plan)
            done += len(block)
            for part in rows.combine_chunks().to_batches():
                yield Batch(part, first, min(1.0, done / self.size))
                first += part.num_rows
            lines += block.count(b"\n")

    def _schema(self, plan: ReadPlan) -> Any:
        kinds = {column.name: column.kind for column in self.columns}
        types = {name: pa.int64() if kinds[name] == "integer" else pa.string() for name in plan.labels}
        types |= {name: pa.string() if kinds[name] == "text" else pa.float64() for name in plan.numbers}
        if plan.instance is not None:
            types[plan.instance] = pa.int64() if kinds[plan.instance] == "integer" else pa.string()
        return pa.schema(list(types.items()))

    def _slow(self, block: bytes, before: int, plan: ReadPlan) -> Any:
        """Read a block with the standard library; columns with numbers and words become text."""
        records = self._records(block, before)
        for number, record in records:
            for name in plan.columns:
                if isinstance(record.get(name), list | dict):
                    raise InputError(
                        f"{self.name}, line {number}: {name!r} is a list or an object; write one value per line"
                    )
        values = {name: [record.get(name) for _, record in records] for name in plan.columns}
        return pa.table({name: _array(cells, number=name in plan.numbers) for name, cells in values.items()})

    def where(self, row: int) -> str:
        """Return the line of a row, in words."""
        filled = (number for number, line in enumerate(self._lines.raw(), start=1) if line.strip())
        return f"line {next(islice(filled, row, None))}"


def _spelt(value: Any) -> Any:
    """Spell out halves of surrogate pairs, which JSON can write and no file can hold, as where a text was cut."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _is_document(record: dict[str, Any], *, alone: bool) -> bool:
    """Return whether an object holds scores in an object of their own, or, alone, several rows."""
    single = [name for name, one in record.items() if not isinstance(one, list | dict)]
    if named((*USUAL["score"], *USUAL["result"], *USUAL["prediction"]), single) is not None:
        return False
    inner = {name: list(one.values()) for name, one in record.items() if isinstance(one, dict)}
    if not alone:
        scored = (name for name, parts in inner.items() if any(isinstance(part, int | float) for part in parts))
        return any(PARTS.fullmatch(folded(name)) for name in scored)
    lists = [one for one in record.values() if isinstance(one, list)]
    return bool(inner) or 1 < len(lists) == len(record) or any(isinstance(one, list | dict) for one in chain(*lists))


def _names(block: bytes) -> set[str] | None:
    """Return names in the objects of a block, or None if Arrow cannot read it."""
    try:
        block.decode()  # Arrow does not check it
        options = pa_json.ReadOptions(use_threads=False, block_size=len(block) + 1)
        return set(pa_json.read_json(pa.BufferReader(block), read_options=options).column_names)
    except (pa.ArrowException, UnicodeDecodeError):
        return None


def _array(values: list[Any], *, number: bool) -> Any:
    if number and all(value is None or isinstance(value, int | float) for value in values):
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    if not number and values and all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        with suppress(OverflowError):
            return pa.array(values, pa.int64())
    return pa.array([value if value is None or isinstance(value, str) else json.dumps(value) for value in values])


def _columns(records: list[dict[str, Any]], known: Collection[str] = ()) -> tuple[SourceColumn, ...]:
    """Return columns that are not known yet."""
    names = [name for name in dict.fromkeys(name for record in records for name in record) if name not in known]
    return tuple(_column(name, [record.get(name) for record in records]) for name in names)


def _column(name: str, values: list[Any]) -> SourceColumn:
    present = [value for value in values if value is not None and not (isinstance(value, str) and is_missing(value))]
    if not present:
        return SourceColumn(name, "empty")
    if any(isinstance(value, list | dict) for value in present):
        return SourceColumn(name, "nested")
    if any(isinstance(value, str) for value in present):
        return SourceColumn(name, "text")
    if all(isinstance(value, int) and not isinstance(value, bool) for value in present):
        return SourceColumn(name, "integer")
    return SourceColumn(name, "number")
