"""Files in which every row is a battle: their columns, found by name and by what the winner is called."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, NamedTuple

from podium.base.errors import InputError
from podium.source.header import WINNER, sides_in, winners_in
from podium.source.path import find_files, opened
from podium.source.signature import by_ending
from podium.source.table import ReadPlan, SourceTable, is_missing, located, refuse_nested
from podium.source.tool.content import Content

#: Rows that show whether the words for the winner are known.
_SHOWN = 50

#: Formats of tables that may hold battles, beside JSON.
_FORMATS = ("csv", "tsv", "parquet", "feather")

#: What became of a battle.
FIRST, SECOND, TIE, NONE, UNKNOWN = 1, 2, 0, -1, -2

#: Words for a tie, beside "tie (…)".
_TIES = frozenset(("tie", "tied", "draw", "equal", "both_good", "both good"))

#: Ties between two answers that are both bad.
BAD = frozenset(("tie (bothbad)", "tie (both bad)", "both_bad", "bothbad", "both bad", "both are bad"))

#: Words for a battle that failed, beside those for a missing score.
_FAILED = frozenset(("error",))


@dataclass(frozen=True, slots=True)
class Sides:
    """The two columns that name the systems, and what stands for them.

    Attributes
    ----------
    first, second
        Names of the columns.
    marks
        What their names differ by.
    """

    first: str
    second: str
    marks: tuple[str, str]

    def outcome(self, word: str | None) -> int:
        """What a word says about a battle, whoever took part.

        >>> sides = Sides("model_a", "model_b", ("a", "b"))
        >>> [sides.outcome(word) for word in ("model_a", "B", "tie (bothbad)", "error", "gpt-4")]
        [1, 2, 0, -1, -2]
        """
        said = "" if word is None else word.strip().lower()
        if said in (self.first.lower(), self.marks[0]):
            return FIRST
        if said in (self.second.lower(), self.marks[1]):
            return SECOND
        if said in _TIES or said in BAD or (said.startswith("tie (") and said.endswith(")")):
            return TIE
        return NONE if said in _FAILED or (is_missing(said) and said != "none") else UNKNOWN


class TextCells(NamedTuple):
    """Some columns of a file, as Arrow arrays of text; what says where a row stands; and whether the end is missing."""

    columns: Mapping[str, Any]
    where: Callable[[int], str]
    cut: bool = False


@dataclass(frozen=True, slots=True)
class BattleFile:
    """A file of battles.

    Attributes
    ----------
    content
        The file.
    names
        Its columns.
    sides
        The two columns of systems.
    winner
        The columns that say who won: one, those of two games, or one for each outcome.
    """

    content: Content
    names: Sequence[str]
    sides: Sides
    winner: tuple[str, ...]

    @classmethod
    def of(cls, content: Content) -> "BattleFile | None":
        """Find the columns; None if the rows of the file are no battles.

        Raises
        ------
        InputError
            The file is damaged.
        """
        names = _names(content)
        found = list(_found(names))
        if not found:
            return None
        several = len(found) > 1 or len(found[0][1]) == 1
        rows = (
            rows_of(content, list(dict.fromkeys(chain(*(_needed(*one) for one in found)))), _SHOWN) if several else None
        )
        known = [1.0 if rows is None else _known(rows, sides, winner) for sides, winner in found]
        best = max(known)
        return cls(content, names, *found[known.index(best)]) if best > 0.5 else None


def refuse_words(table: SourceTable) -> None:
    """Refuse a table of battles whose winners have no words that are known.

    Raises
    ------
    InputError
        There is such a word; the message names file, row and word.
    """
    for sides, winner in _found(table.names):
        if len(winner) == 3:
            continue
        rows = _table_rows(table, _needed(sides, winner), _SHOWN)
        cells = zip(*(rows.columns[name].to_pylist() for name in _needed(sides, winner)), strict=True)
        for number, (one, other, *words) in enumerate(cells):
            for name, word in zip(winner, words, strict=True):
                if word not in (one, other) and sides.outcome(word) == UNKNOWN:
                    raise InputError(
                        f"{table.name}, {rows.where(number)}: {name} is {word[:60]!r}, which names no winner of "
                        f"{one!r} and {other!r}; write {sides.first!r}, {sides.second!r} or 'tie', or name the column "
                        "of scores if the rows are no battles (--score-column)"
                    )


def _names(content: Content) -> list[str]:
    """Columns, or keys of the first object; none if it is no table."""
    start = content.head[:1]
    if start in (b"{", b"["):
        first = content.first_element if start == b"[" else content.first_line
        return [name for name, value in first.items() if not isinstance(value, dict)] if isinstance(first, dict) else []
    name = by_ending(content.path.name)[0]
    if name not in _FORMATS or (name in ("csv", "tsv") and not _may_name_winner(content)):
        return []
    if name == "parquet" and content.schema is not None:
        return [field.name for field in content.schema if not field.type.num_fields]
    return [column.name for column in _opened(content).columns if column.kind != "nested"]


def _may_name_winner(content: Content) -> bool:
    """Whether the first line has such a word, so that few tables are opened; of compressed files nothing is known."""
    if content.head[:2] in (b"\x1f\x8b", b"\x28\xb5", b"BZ", b"\xfd7"):
        return True
    line = content.head.split(b"\n", 1)[0].lower()
    return any(word.encode() in line for word in WINNER)


def _opened(content: Content) -> SourceTable:
    return opened(find_files(str(content.path), None).files[0], None)


def _found(names: Sequence[str]) -> Iterator[tuple[Sides, tuple[str, ...]]]:
    """Columns of systems, with those that may say who won."""
    for first, second, marks in sides_in(names):
        yield from ((Sides(first, second, marks), winner) for winner in winners_in(names, first, second))


def _needed(sides: Sides, winner: tuple[str, ...]) -> tuple[str, ...]:
    return (sides.first, sides.second, *winner)


def _known(rows: TextCells, sides: Sides, winner: tuple[str, ...]) -> float:
    """Share of rows whose winner is a known word, or one of the two systems."""
    first, second, *words = (rows.columns[name].to_pylist() for name in _needed(sides, winner))
    if len(words) == 3:
        return 1.0
    said = [
        None in (one, other) or all(word in (one, other) or sides.outcome(word) != UNKNOWN for word in some)
        for one, other, *some in zip(first, second, *words, strict=True)
    ]
    return sum(said) / len(said) if said else 0.0


def rows_of(content: Content, names: Sequence[str], most: int | None = None) -> TextCells:
    """Read some columns of a file, or of its first rows.

    Raises
    ------
    InputError
        The file is damaged, or a column holds several values in a cell.
    """
    if content.head[:1] in (b"{", b"["):
        return _json_rows(content, names, most)
    return _table_rows(_opened(content), names, most)


def _table_rows(table: SourceTable, names: Sequence[str], most: int | None = None) -> TextCells:
    import pyarrow as pa  # noqa: PLC0415  # only to read

    from podium.source.assemble.label import plain_text  # noqa: PLC0415  # imports Arrow
    from podium.source.number import column_in  # noqa: PLC0415  # imports Arrow

    refuse_nested(table, names)
    parts: dict[str, list[Any]] = {name: [] for name in names}
    read = 0
    for batch in table.batches(ReadPlan(tuple(names), ())):
        rows = batch.rows if most is None else batch.rows.slice(0, most - read)
        with located(table, batch.first):
            for name, part in parts.items():
                part.append(plain_text(column_in(rows, name)).cast(pa.large_string()))
        read += rows.num_rows
        if most is not None and read >= most:
            break
    return TextCells({name: pa.chunked_array(part, pa.large_string()) for name, part in parts.items()}, table.where)


def _json_rows(content: Content, names: Sequence[str], most: int | None) -> TextCells:
    import pyarrow as pa  # noqa: PLC0415  # only to read

    is_list = content.head[:1] == b"["
    numbered = enumerate(content.elements(), start=1) if is_list else content.lines()
    what = "element" if is_list else "line"
    cells: dict[str, list[str | None]] = {name: [] for name in names}
    numbers: list[int] = []
    cut = False
    for number, row in islice(numbered, most):
        if row is None:
            cut = True
            break
        if not isinstance(row, dict):
            raise InputError(f"{content.name}, {what} {number}: it is no object, as other rows are")
        for name, column in cells.items():
            column.append(_cell(row.get(name), f"{content.name}, {what} {number}", name))
        numbers.append(number)
    columns = {name: pa.array(column, pa.large_string()) for name, column in cells.items()}
    return TextCells(columns, lambda row: f"{what} {numbers[row]}", cut)


def _cell(value: Any, where: str, name: str) -> str | None:
    """A value as text; the parts of a list with commas.

    >>> _cell(["gpt-4", "pair-v2"], "", ""), _cell(1, "", ""), _cell(None, "", "")
    ('gpt-4, pair-v2', '1', None)
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list) and all(isinstance(part, str | int | float) for part in value):
        return ", ".join(map(str, value))
    raise InputError(f"{where}: {name!r} holds {str(value)[:40]!r}, and not one value; write one value per row")
