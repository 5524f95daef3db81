"""Battles of two systems, as arenas, MT-bench and evalica write them: instances of two scores; ratings of arenas.

Every row of a file is a battle. Its columns are found by name and by what the winner is called.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.base.arrays import Floats, pc
from podium.base.check import texts
from podium.base.errors import InputError
from podium.base.words import Aside, few, how_many
from podium.score.table import HALF_A_WIN
from podium.score.task import covariates_named
from podium.source.file import by_ending
from podium.source.number import to_numbers
from podium.source.path import find_files, opened
from podium.source.recognise import Unused
from podium.source.table import (
    USUAL,
    WINNER,
    ReadPlan,
    RowError,
    SourceTable,
    existing,
    is_missing,
    located,
    named,
    refuse_nested,
    sides_in,
    winners_in,
)
from podium.source.tool.content import Content, once
from podium.source.tool.run import Run, Samples, Tool, all_files, labels

#: Rows that show whether the words for the winner are known.
_SHOWN = 50

#: Formats of tables that may hold battles, beside JSON.
_FORMATS = ("csv", "tsv", "parquet", "feather")

#: What became of a battle.
_FIRST, _SECOND, _TIE, _NONE, _UNKNOWN = 1, 2, 0, -1, -2

#: Words for a tie, beside "tie (…)".
_TIES = frozenset(("tie", "tied", "draw", "equal", "both_good", "both good"))

#: Ties between two answers that are both bad.
_BAD = frozenset(("tie (bothbad)", "tie (both bad)", "both_bad", "bothbad", "both bad", "both are bad"))

#: What says in the column of an outcome that it is that one.
_ONE = ("1", "1.0", "true", "True")

#: Words for a battle that failed, beside those for a missing score.
_FAILED = frozenset(("error",))

#: Who judged, by usual names of columns; and what was asked.
_JUDGE = (
    *("judge", "judge_hash", "user", "user_id", "annotator", "annotator_id", "worker", "worker_id"),
    *("rater", "rater_id", "voter", "voter_id", "evaluator", "evaluator_id", "reviewer", "reviewer_id", "assessor"),
    *("evaluation_session_id", "session_id", "session", "ip", "ip_address"),
)
_QUESTION = (
    *("question_id", "prompt_id", "instruction_id", "conversation_id", "question"),
    *(name for name in USUAL["instance"] if name != "id"),
    *("prompt", "instruction", "input", "id"),
)

#: Whether the names of the systems were hidden, and which turn of a conversation it was.
_HIDDEN, _TURN = ("anony",), ("turn",)

#: Bytes of a table that are said before they surprise; a score has four.
_LARGE, _SCORE = 2**29, 4

#: The task if no column names tasks.
_TASK = "battles"

#: Fewest clusters with which there are intervals, if they are about as large as each other.
_LEAST = 7

#: The metrics: with all ties, and without those between two bad answers.
_WIN, _NOT_BAD = "win", "win_without_both_bad"

#: How columns of covariates of either answer begin.
_MEASURED = ("first: ", "second: ")

#: Battles that have names; texts of more take more memory than they are worth.
_NAMED = 200_000

#: Of boards of arenas: the score, and the category that holds the battles of all others.
_RATING, _ALL = "rating", "full"

_Codes = NDArray[np.int64]
_Truths = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Sides:
    """The columns of a file of battles.

    Attributes
    ----------
    first, second
        Columns of the two systems.
    marks
        What their names differ by.
    winner
        The columns that say who won: one, those of two games, or one for each outcome.
    """

    first: str
    second: str
    marks: tuple[str, str]
    winner: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Return all of them."""
        return (self.first, self.second, *self.winner)

    def covariates(self, names: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Return pairs of other columns that differ by the side, by what is left of their names.

        >>> Sides("model_a", "model_b", ("a", "b")).covariates(["length_a", "length_b", "sum_a_tokens", "sum_b_tokens"])
        {'length': ('length_a', 'length_b'), 'sum_tokens': ('sum_a_tokens', 'sum_b_tokens')}
        """
        keys = {name: name.rsplit(".", 1)[-1].lower() for name in names if name not in self.columns}
        parts = {name: re.split(r"[_ ]", key) for name, key in keys.items()}
        sides = [
            {"_".join(word for word in words if word != mark): name for name, words in parts.items() if mark in words}
            for mark in self.marks
        ]
        return {stem: (name, sides[1][stem]) for stem, name in sides[0].items() if stem and stem in sides[1]}

    def outcome(self, word: str | None) -> int:
        """Return what a word says about a battle, for any two systems.

        >>> sides = Sides("model_a", "model_b", ("a", "b"))
        >>> [sides.outcome(word) for word in ("model_a", "B", "tie (bothbad)", "error", "gpt-4")]
        [1, 2, 0, -1, -2]
        """
        said = "" if word is None else word.strip().lower()
        if said in (self.first.lower(), self.marks[0]):
            return _FIRST
        if said in (self.second.lower(), self.marks[1]):
            return _SECOND
        if said in _TIES or said in _BAD or (said.startswith("tie (") and said.endswith(")")):
            return _TIE
        return _NONE if said in _FAILED or (is_missing(said) and said != "none") else _UNKNOWN

    def known(self, rows: "TextCells") -> float:
        """Return the share of rows whose winner is a known word, or one of the two systems."""
        if len(self.winner) == 3:
            return 1.0
        said = [
            None in (one, other) or all(word in (one, other) or self.outcome(word) != _UNKNOWN for word in words)
            for one, other, *words in rows.cells(self.columns)
        ]
        return sum(said) / len(said) if said else 0.0


class TextCells(NamedTuple):
    """Some columns of a file, as Arrow arrays of text; what says where a row stands; and whether the end is missing."""

    columns: Mapping[str, Any]
    where: Callable[[int], str]
    cut: bool = False

    def cells(self, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Return cells of some columns, row by row."""
        return zip(*(self.columns[name].to_pylist() for name in names), strict=True)


def _found(names: Sequence[str]) -> Iterator[Sides]:
    """Yield columns of systems, with those that may say who won."""
    for first, second, marks in sides_in(names):
        yield from (Sides(first, second, marks, winner) for winner in winners_in(names, first, second))


def _sides(content: Content) -> tuple[list[str], Sides | None]:
    """Return all columns of a file, and those of battles; None if its rows are none."""
    names = _names(content)
    found = list(_found(names))
    if not found or (len(found) == 1 and len(found[0].winner) > 1):
        return names, found[0] if found else None
    rows = _rows_of(content, list(dict.fromkeys(chain.from_iterable(one.columns for one in found))), _SHOWN)
    known = [one.known(rows) for one in found]
    best = max(known)
    return names, found[known.index(best)] if best > 0.5 else None


def refuse_words(table: SourceTable) -> None:
    """Refuse a table of battles whose winners have no words that are known.

    Raises
    ------
    InputError
        There is such a word; the message names file, row and word.
    """
    for sides in _found(table.names):
        if len(sides.winner) == 3:
            continue
        rows = _table_rows(table, sides.columns, _SHOWN)
        for number, (one, other, *words) in enumerate(rows.cells(sides.columns)):
            for name, word in zip(sides.winner, words, strict=True):
                if word not in (one, other) and sides.outcome(word) == _UNKNOWN:
                    raise InputError(
                        f"{table.name}, {rows.where(number)}: {name} is {word[:60]!r}, which names no winner of "
                        f"{one!r} and {other!r}; write {sides.first!r}, {sides.second!r} or 'tie', or name the column "
                        "of scores if the rows are no battles (--score-column)"
                    )


def _names(content: Content) -> list[str]:
    """Return columns, or keys of the first object; none if it is no table, or no column can name a winner.

    What is one level inside another column, as the metadata of arenas is, is called `column.key`.
    """
    start = content.head[:1]
    if start in (b"{", b"["):
        first = content.first_element if start == b"[" else content.first_line
        row = first if isinstance(first, dict) else {}
        inside = [f"{name}.{key}" for name, value in row.items() if isinstance(value, dict) for key in value]
        return [name for name, value in row.items() if not isinstance(value, dict)] + inside
    name = by_ending(content.path.name)[0]
    if name not in _FORMATS:
        return []
    if name in ("csv", "tsv") and content.head[:2] not in (b"\x1f\x8b", b"\x28\xb5", b"BZ", b"\xfd7"):
        line = content.head.split(b"\n", 1)[0].lower()  # so that few tables are opened; compressed ones always
        if not any(word.encode() in line for word in WINNER):
            return []
    if name == "parquet" and content.schema is not None:
        inside = [
            f"{field.name}.{one.name}"
            for field in content.schema
            if pa.types.is_struct(field.type)
            for one in field.type
        ]
        return [field.name for field in content.schema if not field.type.num_fields] + inside
    return [column.name for column in _opened(content).columns if column.kind != "nested"]


def _opened(content: Content) -> SourceTable:
    return opened(find_files(str(content.path), None).files[0], None)


def _rows_of(content: Content, names: Sequence[str], most: int | None = None) -> TextCells:
    """Read some columns of a file, or of its first rows."""
    if content.head[:1] in (b"{", b"["):
        return _json_rows(content, names, most)
    inside = [name for name in names if content.schema is not None and name not in content.schema.names]
    rows = _table_rows(_opened(content), [name for name in names if name not in inside], most)
    return rows._replace(columns={**rows.columns, **_inside(content, inside)}) if inside else rows


def _inside(content: Content, names: Sequence[str]) -> dict[str, Any]:
    """Read columns that are inside others of a Parquet file; of several numbers the sum."""
    paths = [name.split(".", 1) for name in names]
    table, found = content.parquet(list(dict.fromkeys(root for root, _ in paths))), {}
    for name, (root, key) in zip(names, paths, strict=True):
        column = pc.struct_field(table[root].combine_chunks(), key)
        parts = column.flatten() if pa.types.is_struct(column.type) else [column]
        total = parts[0] if len(parts) == 1 else reduce(pc.add, (pc.fill_null(part, 0) for part in parts))
        found[name] = total.cast(pa.large_string())
    return found


def _table_rows(table: SourceTable, names: Sequence[str], most: int | None = None) -> TextCells:
    from podium.source.labels import plain_text  # noqa: PLC0415  # imports Arrow

    refuse_nested(table, names)
    parts: dict[str, list[Any]] = {name: [] for name in names}
    read = 0
    for batch in table.batches(ReadPlan(tuple(names), ())):
        rows = batch.rows if most is None else batch.rows.slice(0, most - read)
        with located(table, batch.first):
            for name, part in parts.items():
                part.append(plain_text(rows.column(name)).cast(pa.large_string()))
        read += rows.num_rows
        if most is not None and read >= most:
            break
    # each column in one piece, of which the pieces then go
    whole = {name: pa.chunked_array(parts.pop(name), pa.large_string()).combine_chunks() for name in list(parts)}
    return TextCells(whole, table.where)


def _json_rows(content: Content, names: Sequence[str], most: int | None) -> TextCells:
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
            column.append(_cell(_value(row, name), f"{content.name}, {what} {number}", name))
        numbers.append(number)
    columns = {name: pa.array(column, pa.large_string()) for name, column in cells.items()}
    return TextCells(columns, lambda row: f"{what} {numbers[row]}", cut)


def _value(row: Mapping[str, Any], name: str) -> Any:
    """Return what is under a key, or under one inside another; of several numbers the sum.

    >>> _value({"meta": {"header_count_a": {"h1": 1, "h2": 2}}}, "meta.header_count_a")
    3
    """
    root, _, key = name.partition(".")
    if name in row or not isinstance(row.get(root), dict):
        return row.get(name)
    value = row[root].get(key)
    return sum(value.values()) if isinstance(value, dict) else value


def _cell(value: Any, where: str, name: str) -> str | None:
    """Return a value as text; the parts of a list with commas.

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


class FileBattles(NamedTuple):
    """The battles in one file.

    Attributes
    ----------
    table
        An Arrow table with a row for each battle: systems, task, judge, question and turn as text, and who won.
    counts, ties
        How many battles are left out or doubtful, and how many are ties, by word.
    notes
        What else to know.
    clustered
        Whether the caller names the column of judges, by which battles go together.
    """

    table: Any
    counts: Counter[str]
    ties: Counter[str]
    notes: tuple[str, ...]
    clustered: bool


def _recognises(content: Content) -> bool:
    return _sides(content)[1] is not None


def _part(content: Content) -> FileBattles:
    """Read a file alone."""
    names, sides = _sides(content)
    if sides is None:
        raise InputError(f"{content.name} has no two columns of systems with a column that says who won")
    tasks = [existing(name, names) for name in texts("task column", content.asked.get("task_column") or [])]
    cluster = content.asked.get("cluster_column")
    beside = {
        "judge": named(_JUDGE, names, tasks) if cluster is None else existing(cluster, names),
        "question": named(_QUESTION, names, tasks),
        "turn": named(_TURN, names, tasks),
    }
    hidden = named(_HIDDEN, names)
    pairs = sides.covariates(names)
    wanted = covariates_named(content.asked.get("covariate_column") or [], list(pairs))
    used = [*sides.columns, *tasks, *beside.values(), hidden, *chain.from_iterable(pairs[name] for name in wanted)]
    idle = [name for name in names if name not in used and "." not in name]
    notes: list[str] = [Unused(idle)] if idle else []
    rows = _rows_of(content, list(dict.fromkeys(name for name in used if name is not None)))
    size = len(rows.columns[sides.first])
    none = pa.nulls(size, pa.large_string())
    columns = {what: _labels(rows.columns[name] if name else none) for what, name in beside.items()}
    for what, name in (("first", sides.first), ("second", sides.second)):
        columns[what] = _labels(rows.columns[name])
        if columns[what].null_count:
            row = int(np.argmax(columns[what].is_null()))
            raise InputError(f"{content.name}, {rows.where(row)}: {name!r} names no system")
    named_tasks = [rows.columns[name] for name in tasks] or [pa.array([_TASK] * size, pa.large_string())]
    columns["task"] = _labels(pc.binary_join_element_wise(*named_tasks, ":") if tasks[1:] else named_tasks[0])
    outcome, bad, ties = _outcomes(content.name, rows, sides)
    measured = {
        side + name: _numbers_in(content.name, rows, column)
        for name in wanted
        for side, column in zip(_MEASURED, pairs[name], strict=True)
    }
    table = pa.table({**columns, "outcome": outcome, "bad": bad, **measured})
    failed, alone = outcome == _NONE, np.asarray(pc.equal(rows.columns[sides.first], rows.columns[sides.second]))
    nowhere = np.asarray(columns["task"].is_null()) & ~failed & ~alone
    if nowhere.any():
        notes.append(f"left out, since {tasks[0]!r} is empty: {how_many(int(nowhere.sum()), 'battle')}")
    if rows.cut:
        notes.append(f"{content.name} is cut off after {how_many(size, 'battle')}")
    counts = Counter(failed=int(failed.sum()), alone=int((alone & ~failed).sum()))
    if hidden is not None:
        counts["shown"] = pc.utf8_lower(rows.columns[hidden]).to_pylist().count("false")
    return FileBattles(table.filter(~(failed | alone | nowhere)), counts, ties, tuple(notes), cluster is not None)


def _numbers_in(where: str, rows: TextCells, name: str) -> Floats:
    """Return a column of covariates; NaN where a cell says nothing."""
    try:
        return to_numbers(rows.columns[name], name, np.float64)
    except RowError as error:
        raise InputError(f"{where}, {rows.where(error.row)}: {error}") from None


def _labels(words: Any) -> Any:
    """Return labels as codes of an Arrow dictionary; a blank is none."""
    blank = pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(words)), 0)
    return pc.if_else(blank, None, words).dictionary_encode()


def _outcomes(where: str, rows: TextCells, sides: Sides) -> tuple[_Codes, _Truths, Counter[str]]:
    """Return who won each battle, which ties are of two bad answers, and how many ties each word names."""
    if len(sides.winner) == 3:  # each outcome has a column, and one of them holds 1
        marks = [np.array([word in _ONE for word in rows.columns[name].to_pylist()], bool) for name in sides.winner]
        if (wrong := np.sum(marks, axis=0) != 1).any():
            place = f"{where}, {rows.where(int(np.argmax(wrong)))}"
            raise InputError(f"{place}: exactly one of {few(list(map(repr, sides.winner)))} must be 1")
        outcome = np.select(marks, [_FIRST, _SECOND, _TIE]).astype(np.int64)
        return outcome, np.zeros(outcome.size, dtype=np.bool_), Counter(tie=int(marks[2].sum()))
    (outcome, bad), *others = (_outcome(where, rows, name, sides) for name in sides.winner)
    ties: Counter[str] = Counter()
    for other, _ in others:  # the second of two games, in the other order of the answers
        failed = (outcome == _NONE) | (other == _NONE)
        agree = outcome == other
        ties["where two orders disagree"] = int((~agree & ~failed).sum())
        outcome = np.where(failed, _NONE, np.where(agree, outcome, _TIE))
    cells = list(rows.cells(sides.winner))
    for words in (cells[row] for row in np.flatnonzero(outcome == _TIE).tolist()):
        if not others or all(sides.outcome(word) == _TIE for word in words):
            ties[str(words[0]).strip().lower()] += 1
    return outcome, bad, ties


def _outcome(where: str, rows: TextCells, name: str, sides: Sides) -> tuple[_Codes, _Truths]:
    """Return who won by one column: a side, or the label of a system, and never both in different ways."""
    encoded = _labels(rows.columns[name])
    words = [*encoded.dictionary.to_pylist(), None]
    codes = encoded.indices.fill_null(len(words) - 1).to_numpy(zero_copy_only=False)
    of_side = np.array([sides.outcome(word) for word in words])[codes]
    first, second = (rows.columns[column] for column in (sides.first, sides.second))
    is_first, is_second, met_itself = (
        np.asarray(pc.fill_null(pc.equal(one, other), False))
        for one, other in ((rows.columns[name], first), (rows.columns[name], second), (first, second))
    )
    of_label = np.select([is_first, is_second], [_FIRST, _SECOND], _UNKNOWN)
    outcome = np.where(of_label == _UNKNOWN, of_side, of_label)
    twice = (of_label != _UNKNOWN) & (of_side >= _TIE) & (of_label != of_side) & ~met_itself
    if (wrong := (outcome == _UNKNOWN) | twice).any():
        row = int(np.argmax(wrong))
        said = f"{where}, {rows.where(row)}: {name} is {str(words[codes[row]])[:60]!r}"
        if twice[row]:
            raise InputError(f"{said}, which is a side and also the name of a system; rename the system")
        one, other = first[row].as_py(), second[row].as_py()
        raise InputError(f"{said}, which is neither {one!r}, {other!r}, a side, nor a tie; correct or remove the row")
    bad = np.array([(word or "").strip().lower() in _BAD for word in words])[codes]
    return outcome, bad & (outcome == _TIE)


class Battles(NamedTuple):
    """Battles of all files, a row each; labels are numbers, in their order, and -1 if there is none.

    Covariates of both answers, as far as they are asked for, have shape `(B, C, 2)`.
    """

    first: _Codes
    second: _Codes
    outcome: _Codes
    bad: _Truths
    task: _Codes
    judge: _Codes
    question: _Codes
    turn: _Codes
    measured: Floats
    names: Mapping[str, list[str]]

    @classmethod
    def of(cls, tables: Sequence[Any]) -> "Battles":
        """Join the tables of files."""
        table = pa.concat_tables(tables, promote_options="default")  # a file may lack a covariate
        codes, names = {}, {}
        for what in ("task", "judge", "question", "turn"):
            names[what], codes[what] = _coded(table[what])
        names["system"], both = _coded(pa.chunked_array([*table["first"].chunks, *table["second"].chunks]))
        first, second = np.split(both, 2)
        outcome, bad = (table[name].to_numpy() for name in ("outcome", "bad"))
        names["covariate"] = [name.removeprefix(_MEASURED[0]) for name in table.column_names if _MEASURED[0] in name]
        sides = [[table[side + name].to_numpy() for side in _MEASURED] for name in names["covariate"]]
        measured = np.array(sides, np.float64).reshape(-1, 2, first.size).transpose(2, 0, 1)
        return cls(first, second, outcome, bad, **codes, measured=measured, names=names)


def _coded(column: Any) -> tuple[list[str], _Codes]:
    """Return labels in their order, and the number of each row; -1 if it has none."""
    encoded = column.unify_dictionaries().combine_chunks()
    words = encoded.dictionary.to_pylist()
    known = sorted(words)
    places = {word: place for place, word in enumerate(known)}
    ranks = np.array([*(places[word] for word in words), -1], dtype=np.int64)
    return known, ranks[encoded.indices.fill_null(len(words)).to_numpy(zero_copy_only=False)]


def _read(contents: Sequence[Content]) -> Iterator[Run]:
    """Yield a run of each system on each task, whose instances are its battles."""
    contents, copies = once(contents)
    files: list[FileBattles] = [content.part for content in contents]
    battles = Battles.of([file.table for file in files])
    if not battles.first.size:
        return
    battles, merged = _merged(battles)
    kind, about = ("judge", []) if any(file.clustered for file in files) else _clusters(battles)
    notes = tuple(dict.fromkeys((*copies, *_said(files, battles), *merged, *about)))
    yield from _runs(contents[0].name, battles, kind, notes)


def in_both_orders(first: _Codes, second: _Codes, same: Sequence[_Codes]) -> tuple[_Codes, _Codes]:
    """Return rows of battles that were judged once in either order of the two answers, and those in the other order.

    Parameters
    ----------
    first, second
        Shape `(B,)`: numbers of the systems.
    same
        Of a pair the same, such as the question and the judge; each of shape `(B,)`.

    Examples
    --------
    >>> in_both_orders(np.array([0, 1, 0]), np.array([1, 0, 1]), [np.array([7, 7, 8])])
    (array([0]), array([1]))
    """
    keys = (second < first, np.minimum(first, second), np.maximum(first, second), *same)
    order = np.lexsort(keys)
    new = np.logical_or.reduce([np.diff(key[order], prepend=-1) != 0 for key in keys[1:]])
    group = np.cumsum(new) - 1
    times = np.bincount(group, minlength=0)
    turned = np.bincount(group, keys[0][order])
    start = np.flatnonzero(new)[(times == 2) & (turned == 1)]
    return order[start], order[start + 1]


def _merged(battles: Battles) -> tuple[Battles, list[str]]:
    """Make one battle of two that one judge decided in either order: a tie if the two decisions differ."""
    known = np.flatnonzero((battles.question >= 0) & (battles.judge >= 0))
    same = [getattr(battles, name)[known] for name in ("task", "judge", "question", "turn")]
    one, other = (known[rows] for rows in in_both_orders(battles.first[known], battles.second[known], same))
    if not one.size:
        return battles, []
    turned = np.select([battles.outcome[other] == _FIRST, battles.outcome[other] == _SECOND], [_SECOND, _FIRST], _TIE)
    differ = battles.outcome[one] != turned
    outcome, bad, kept = battles.outcome.copy(), battles.bad.copy(), np.ones(battles.first.size, dtype=np.bool_)
    outcome[one[differ]], kept[other] = _TIE, False
    measured = battles.measured.copy()
    # of the same answers, unless a system answered twice
    measured[one] = (measured[one] + measured[other][:, :, ::-1]) / 2
    bad[one] &= bad[other]
    columns = {name: column[kept] for name, column in battles._asdict().items() if name != "names"}
    columns |= {"outcome": outcome[kept], "bad": bad[kept], "measured": measured[kept]}
    share = f"the two differ in {int(differ.sum()):,}, which count as ties"
    return Battles(**columns, names=battles.names), [f"{how_many(one.size, 'battle')} judged in both orders: {share}"]


def _said(files: Sequence[FileBattles], battles: Battles) -> Iterator[str]:
    counts, ties = (sum((getattr(file, name) for file in files), Counter[str]()) for name in ("counts", "ties"))
    if ties:
        kinds = few([f"{number:,} {word}" for word, number in sorted(ties.items())])
        yield Aside(f"{HALF_A_WIN}: {kinds}")
    if number := counts["failed"]:
        yield f"left out, since they have no winner (empty, or error): {how_many(number, 'battle')}"
    if number := counts["alone"]:
        yield f"left out, since a system meets itself: {how_many(number, 'battle')}"
    if number := counts["shown"]:
        yield f"systems could be seen by name in {how_many(number, 'battle')}, which count too (anony is false)"
    if number := _again(battles):
        same = "same systems, question and judge"
        yield f"{how_many(number, 'battle')} may stand here twice ({same}); each counts"
    size = _SCORE * len(battles.names["system"]) * battles.first.size
    if size > _LARGE:
        cells = "a cell for every battle and every system"
        yield f"the table takes {size / 2**30:.1f} GiB of memory, and more while it is read: {cells}"
    yield from chain.from_iterable(file.notes for file in files)


def _again(battles: Battles) -> int:
    """Return how many battles have the systems, the question, the judge and the turn of another."""
    known = (battles.question >= 0) & (battles.judge >= 0)
    low, high = np.minimum(battles.first, battles.second), np.maximum(battles.first, battles.second)
    keys = [part[known] for part in (low, high, battles.question, battles.judge, battles.turn)]
    order = np.lexsort(keys)
    same = np.logical_and.reduce([np.diff(key[order]) == 0 for key in keys])
    return int(same.sum())


def _clusters(battles: Battles) -> tuple[str, list[str]]:
    """Return what goes together: the battles of a judge; if there are few judges, those on a question; "" for nothing.

    If there are many of both, that of the two whose battles say more of the same.
    """
    notes: list[str] = []
    judges, questions = (np.unique(own[own >= 0]).size for own in (battles.judge, battles.question))
    asked_again = _LEAST <= questions < np.count_nonzero(battles.question >= 0)
    if judges >= _LEAST:
        if not asked_again or _together(battles, battles.judge) >= _together(battles, battles.question):
            beside = "; questions, which say less of the same, are not" if asked_again else ""
            return "judge", [Aside(f"clusters are judges: battles of one are drawn together{beside}")]
        notes.append(Aside("judges, whose battles say less of the same than those on a question, are not clusters"))
    elif judges > 1:
        notes.append(Aside(f"intervals are for other battles with these {how_many(judges, 'judge')}"))
    if asked_again:
        notes.append(Aside("clusters are questions: battles on one are drawn together"))
    return "question" if asked_again else "", notes


def _together(battles: Battles, group: _Codes) -> float:
    """Return Σ (Σ e)² over groups and systems; e is how far a battle is from the share of wins of the system."""
    system = np.concatenate((battles.first, battles.second))
    won = np.where(battles.outcome == _TIE, 0.5, battles.outcome == _FIRST)
    won = np.concatenate((won, 1 - won))
    departure = won - (np.bincount(system, weights=won) / np.bincount(system).clip(1))[system]
    alone = np.where(group < 0, group.max() + 1 + np.arange(group.size), group)
    _, cell = np.unique(np.tile(alone, 2) * (system.max() + 1) + system, return_inverse=True)
    return float((np.bincount(cell, weights=departure) ** 2).sum())


def _runs(where: str, battles: Battles, kind: str, notes: tuple[str, ...]) -> Iterator[Run]:
    """Yield runs; instances are numbered so that neither the order of battles nor that of the two sides matters."""
    systems, tasks = battles.names["system"], battles.names["task"]
    low, high = np.minimum(battles.first, battles.second), np.maximum(battles.first, battles.second)
    won = np.where(battles.outcome == _TIE, 0.5, (battles.outcome == _FIRST) == (battles.first == low)).astype(
        np.float32
    )
    group = getattr(battles, kind) if kind else np.zeros_like(low)
    measured = np.where((battles.first == low)[:, None, None], battles.measured, battles.measured[:, :, ::-1])
    flat = measured.reshape(low.size, -1).T
    order = np.lexsort((*flat, group, battles.bad, won, high, low, battles.task))
    low, high, won, bad, measured = low[order], high[order], won[order], battles.bad[order], measured[order]
    number = labels(_numbers(battles, low, high, battles.question[order]))
    clusters = None
    if kind:  # a battle without one is a cluster of its own
        known, codes = battles.names[kind], group[order].tolist()
        clusters = labels([known[code] if code >= 0 else f"battle {row}" for row, code in enumerate(codes)])
    scores, sides = np.concatenate((won, 1 - won)), np.concatenate((measured[..., 0], measured[..., 1]))
    both = np.concatenate((low, high)) + np.tile(battles.task[order], 2) * len(systems)
    entries = np.argsort(both, kind="stable")
    starts = np.flatnonzero(np.diff(both[entries], prepend=-1))
    for some in np.split(entries, starts[1:]):
        of_task, of_system = divmod(int(both[some[0]]), len(systems))
        rows = some % order.size
        for nth, metric in enumerate((_WIN, _NOT_BAD) if battles.bad.any() else (_WIN,)):
            kept = rows >= 0 if metric == _WIN else ~bad[rows]
            own = None if clusters is None else clusters[rows[kept]]
            covariates = dict(zip(battles.names["covariate"], sides[some[kept]].T, strict=True))
            samples = Samples(number[rows[kept]], scores[some[kept]], clusters=own, covariates=covariates)
            named = systems[of_system], tasks[of_task], metric
            yield Run(where, *named, None, samples, higher_is_better=True, metric_order=nth, notes=notes)


def _numbers(battles: Battles, low: _Codes, high: _Codes, question: _Codes) -> Iterator[str | int]:
    """Return what each battle is called: by its own label, or the two systems, numbered on; if very many, a number."""
    systems, questions = battles.names["system"], battles.names["question"]
    if question.size > _NAMED:
        yield from range(1, question.size + 1)
    elif (question >= 0).all() and np.unique(question).size == question.size:
        yield from (questions[code] for code in question.tolist())
    else:
        met: Counter[tuple[int, int]] = Counter()
        for pair in zip(low.tolist(), high.tolist(), strict=True):
            met[pair] += 1
            yield f"{systems[pair[0]]} – {systems[pair[1]]}, {met[pair]}"


def _is_board(content: Content) -> bool:
    if content.head[:1] != b"{" or b'"rating"' not in content.head:
        return False
    models = [model for category in content.json.values() for model in category.values()]
    return bool(models) and all(isinstance(model, dict) and _RATING in model for model in models)


def _read_board(content: Content) -> Iterator[Run]:
    """Yield ratings; a category is a task, and that of all battles counts only if it is the only one."""
    given = content.json
    alone, board = set(given) == {_ALL}, {"board": content.path.stem.removeprefix("leaderboard-")}
    found = [one for models in given.values() for one in models.values()]
    notes = [Aside("rating_q025 and rating_q975 are not used")] if any("rating_q025" in one for one in found) else []
    if _ALL in given and not alone:
        notes.append(Aside(f"category {_ALL!r} holds the battles of all others and is left out"))
    for category, models in given.items():
        for model, one in models.items() if alone or category != _ALL else ():
            mean = math.nan if one[_RATING] is None else float(one[_RATING])
            run = Run(content.name, model, category, _RATING, mean, higher_is_better=True, task_settings=board)
            yield replace(run, notes=tuple(notes))


TOOLS = (
    Tool("battles", "battles", _recognises, _read, unit=all_files, part=_part, columns=True),
    Tool("arena", "arena leaderboards", _is_board, _read_board),
)
