"""Rows of files of battles become numbers: who met whom, who won, and what is left out.

- Files in which every row is a battle: their columns, found by name and by what the winner is called.

- Battles of two systems, as arenas, MT-bench and evalica write them: instances of two scores; ratings of arenas.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.base.check import texts
from podium.base.errors import InputError
from podium.base.words import Aside, few, how_many
from podium.source.file import by_ending
from podium.source.header import GAMES, WINNER, sides_in, winners_in
from podium.source.layout import Unused
from podium.source.path import find_files, opened
from podium.source.role import USUAL, existing, named
from podium.source.table import ReadPlan, SourceTable, is_missing, located, refuse_nested
from podium.source.tool.content import Content
from podium.source.tool.run import Run, Samples, Tool, labels, together
from podium.source.tool.timing import once

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

    from podium.source.labels import plain_text  # noqa: PLC0415  # imports Arrow
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

#: The task where no column names tasks.
_TASK = "battles"

Codes = NDArray[np.int64]


class Codebook:
    """Labels numbered in order of appearance."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def code(self, array: Any) -> Codes:
        """Numbers of an Arrow array of text; -1 where there is none."""
        encoded = array.combine_chunks() if hasattr(array, "combine_chunks") else array
        encoded = encoded.dictionary_encode()
        words = encoded.dictionary.to_pylist()
        own = encoded.indices.fill_null(len(words)).to_numpy(zero_copy_only=False)
        codes: Codes = self.codes(words)[own]
        return codes

    def codes(self, words: Iterable[str | None]) -> Codes:
        """Numbers of words, and behind them that of none, which blanks have too: -1."""
        numbers = [self.known.setdefault(word, len(self.known)) if word and word.strip() else -1 for word in words]
        return np.array([*numbers, -1], dtype=np.int64)

    def ranks(self) -> Codes:
        """By number, the place of a label among all in order; and -1 at the end, for none."""
        names = list(self.known)
        ranks = np.full(len(names) + 1, -1, dtype=np.int64)
        ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        return ranks


class Battles(NamedTuple):
    """Battles of one or several files, a row each; labels are numbers."""

    first: Codes
    second: Codes
    outcome: Codes
    bad: NDArray[np.bool_]
    task: Codes
    judge: Codes
    question: Codes
    turn: Codes

    def take(self, rows: Any) -> "Battles":
        """Some of them."""
        return Battles(*(column[rows] for column in self))


class FileBattles(NamedTuple):
    """What one file says.

    Attributes
    ----------
    labels
        By kind, the labels that the numbers stand for.
    battles
        Its battles.
    counts, ties, notes
        As `Reading` has them.
    """

    labels: Mapping[str, Sequence[str]]
    battles: Battles
    counts: Mapping[str, int]
    ties: Mapping[str, int]
    notes: Sequence[str]


class Reading:
    """What the files say, while they are read."""

    def __init__(self, asked: Mapping[str, Any]) -> None:
        self.asked = asked
        self.labels = {name: Codebook() for name in ("system", "task", "judge", "question", "turn")}
        self.parts: list[Battles] = []
        self.counts: Counter[str] = Counter()
        self.ties: Counter[str] = Counter()
        self.notes: list[str] = []

    def add(self, file: FileBattles) -> None:
        """Take the battles of a file."""
        known = {what: book.codes(file.labels[what]) for what, book in self.labels.items()}
        systems, own = known["system"], file.battles
        beside = {what: known[what][getattr(own, what)] for what in ("task", "judge", "question", "turn")}
        self.parts.append(own._replace(first=systems[own.first], second=systems[own.second], **beside))
        self.counts.update(file.counts)
        self.ties.update(file.ties)
        self.notes += file.notes

    def read(self, file: BattleFile) -> FileBattles:
        """Read a file alone."""
        tasks = [existing(name, file.names) for name in texts("task column", self.asked.get("task_column") or [])]
        cluster = self.asked.get("cluster_column")
        judge = named(_JUDGE, file.names) if cluster is None else existing(cluster, file.names)
        beside = {"judge": judge, "question": named(_QUESTION, file.names), "turn": named(_TURN, file.names)}
        hidden = named(_HIDDEN, file.names)
        names = [file.sides.first, file.sides.second, *file.winner, *tasks, *beside.values(), hidden]
        if idle := [name for name in file.names if name not in names]:
            self.notes.append(Unused(idle))
        rows = rows_of(file.content, list(dict.fromkeys(name for name in names if name is not None)))
        first, second = (self._systems(file, rows, name) for name in (file.sides.first, file.sides.second))
        outcome, bad = self._outcomes(file, rows, first, second)
        empty = np.full(first.size, -1, dtype=np.int64)
        others = {
            what: empty if name is None else self.labels[what].code(rows.columns[name]) for what, name in beside.items()
        }
        battles = Battles(first, second, outcome, bad, self._tasks(rows, tasks, first.size), **others)
        counted = self._counted(battles, tasks)
        if hidden is not None:
            self.counts["shown"] += rows.columns[hidden].to_pylist().count("false")
        if rows.cut:
            self.notes.append(f"{file.content.name} is cut off after {how_many(first.size, 'battle')}")
        known = {what: tuple(book.known) for what, book in self.labels.items()}
        said = dict(self.counts), dict(self.ties), tuple(self.notes)
        return FileBattles(known, counted, *said)

    def _systems(self, file: BattleFile, rows: TextCells, name: str) -> Codes:
        codes = self.labels["system"].code(rows.columns[name])
        if (codes < 0).any():
            row = int(np.argmin(codes))
            raise InputError(f"{file.content.name}, {rows.where(row)}: {name!r} names no system")
        return codes

    def _tasks(self, rows: TextCells, names: Sequence[str], size: int) -> Codes:
        if not names:
            return np.full(size, self.labels["task"].known.setdefault(_TASK, 0), dtype=np.int64)
        import pyarrow.compute as pc  # noqa: PLC0415  # only to read

        columns = [rows.columns[name] for name in names]
        return self.labels["task"].code(columns[0] if len(columns) == 1 else pc.binary_join_element_wise(*columns, ":"))

    def _outcomes(
        self, file: BattleFile, rows: TextCells, first: Codes, second: Codes
    ) -> tuple[Codes, NDArray[np.bool_]]:
        if len(file.winner) == 3:
            return self._chosen(file, rows)
        found = [self._outcome(file, rows, name, first, second) for name in file.winner]
        outcome, bad = found[0]
        if len(found) == len(GAMES):
            other = found[1][0]
            agree = outcome == other
            failed = (outcome == NONE) | (other == NONE)
            self.ties["where two orders disagree"] += int((~agree & ~failed).sum())
            outcome = np.where(failed, NONE, np.where(agree, outcome, TIE))
        for word, number in Counter(_tie_words(rows, file, outcome == TIE)).items():
            self.ties[word] += number
        return outcome, bad

    def _outcome(
        self, file: BattleFile, rows: TextCells, name: str, first: Codes, second: Codes
    ) -> tuple[Codes, NDArray[np.bool_]]:
        """Who won by one column: a side, or the label of a system, and never both in different ways.

        Raises
        ------
        InputError
            A word is unknown, or means both systems.
        """
        own = Codebook()
        codes = own.code(rows.columns[name])
        words = [*own.known, None]
        label = np.array([self.labels["system"].known.get(word or "", -1) for word in words])[codes]
        by_label = np.where(
            label < 0, UNKNOWN, np.where(label == first, FIRST, np.where(label == second, SECOND, UNKNOWN))
        )
        by_side = np.array([file.sides.outcome(word) for word in words])[codes]
        outcome = np.where(by_label == UNKNOWN, by_side, by_label)
        twice = (by_label != UNKNOWN) & (by_side >= TIE) & (by_label != by_side) & (first != second)
        if (wrong := (outcome == UNKNOWN) | twice).any():
            row = int(np.argmax(wrong))
            one, other = (list(self.labels["system"].known)[side[row]] for side in (first, second))
            said = f"{file.content.name}, {rows.where(row)}: {name} is {str(words[codes[row]])[:60]!r}"
            if twice[row]:
                raise InputError(f"{said}, which is a side and also the name of a system; rename the system")
            raise InputError(
                f"{said}, which is neither {one!r}, {other!r}, a side, nor a tie; correct or remove the row"
            )
        bad = np.array([(word or "").strip().lower() in BAD for word in words])[codes] & (outcome == TIE)
        return outcome, bad

    def _chosen(self, file: BattleFile, rows: TextCells) -> tuple[Codes, NDArray[np.bool_]]:
        """Who won where each outcome has a column, and one of them holds 1."""
        marks = [np.array([_is_one(word) for word in rows.columns[name].to_pylist()]) for name in file.winner]
        if (wrong := np.sum(marks, axis=0) != 1).any():
            where = f"{file.content.name}, {rows.where(int(np.argmax(wrong)))}"
            raise InputError(f"{where}: exactly one of {few(list(map(repr, file.winner)))} must be 1")
        self.ties["tie"] += int(marks[2].sum())
        return np.select(marks, [FIRST, SECOND, TIE]).astype(np.int64), np.zeros(marks[0].size, dtype=np.bool_)

    def _counted(self, battles: Battles, tasks: Sequence[str]) -> Battles:
        """Battles with a winner, or a tie, of two systems."""
        failed, alone = battles.outcome == NONE, battles.first == battles.second
        self.counts["failed"] += int(failed.sum())
        self.counts["alone"] += int((alone & ~failed).sum())
        nowhere = (battles.task < 0) & ~failed & ~alone
        if nowhere.any():
            self.notes.append(f"left out, since {tasks[0]!r} is empty: {how_many(int(nowhere.sum()), 'battle')}")
        return battles.take(~(failed | alone | nowhere))

    def battles(self) -> Battles:
        """Those of all files."""
        return Battles(*(np.concatenate(columns) for columns in zip(*self.parts, strict=True)))

    def said(self, battles: Battles) -> Iterator[str]:
        """What to know of what was read."""
        if self.ties:
            kinds = few([f"{number:,} {word}" for word, number in sorted(self.ties.items()) if number])
            yield Aside(f"ties count as half a win: {kinds}")
        if number := self.counts["failed"]:
            yield f"left out, since they have no winner (empty, or error): {how_many(number, 'battle')}"
        if number := self.counts["alone"]:
            yield f"left out, since a system meets itself: {how_many(number, 'battle')}"
        if number := self.counts["shown"]:
            yield f"systems could be seen by name in {how_many(number, 'battle')}, which count too (anony is false)"
        if number := _again(battles):
            same = "same systems, question and judge"
            yield f"{how_many(number, 'battle')} may stand here twice ({same}); each counts"
        size = _SCORE * len(self.labels["system"].known) * battles.first.size
        if size > _LARGE:
            cells = "a cell for every battle and every system"
            yield f"the table takes {size / 2**30:.1f} GiB of memory, and more while it is read: {cells}"
        yield from self.notes


def _tie_words(rows: TextCells, file: BattleFile, tied: NDArray[np.bool_]) -> Iterator[str]:
    """What each tie is called; of two games, only where both say so."""
    first, *others = ([*rows.columns[name].to_pylist()] for name in file.winner)
    for row in np.flatnonzero(tied).tolist():
        word = str(first[row]).strip().lower()
        if all(file.sides.outcome(first[row]) == TIE == file.sides.outcome(other[row]) for other in others):
            yield word


def _is_one(word: str | None) -> bool:
    """Whether a cell holds 1.

    >>> _is_one("1"), _is_one("1.0"), _is_one("0"), _is_one(None)
    (True, True, False, False)
    """
    return word in ("1", "1.0", "true", "True")


def _again(battles: Battles) -> int:
    """How many battles have the systems, the question, the judge and the turn of another."""
    known = (battles.question >= 0) & (battles.judge >= 0)
    if not known.any():
        return 0
    low, high = np.minimum(battles.first, battles.second), np.maximum(battles.first, battles.second)
    keys = [part[known] for part in (low, high, battles.question, battles.judge, battles.turn)]
    order = np.lexsort(keys)
    same = np.logical_and.reduce([np.diff(key[order]) == 0 for key in keys])
    return int(same.sum())


#: Fewest clusters with which there are intervals, where they are about as large as each other.
_LEAST = 7

#: The metrics: with all ties, and without those between two bad answers.
_WIN, _NOT_BAD = "win", "win_without_both_bad"

#: Battles that have names; texts of more take more memory than they are worth.
_NAMED = 200_000

#: Columns that the caller may name.
_ASKED = ("task_column", "cluster_column")

_RATING = "rating"

#: The category that holds the battles of all others.
_ALL = "full"

#: Words before the kind of the board in the name of its file.
_BOARD = "leaderboard-"


def _takes(content: Content) -> bool:
    return BattleFile.of(content) is not None


def _part(content: Content, asked: Mapping[str, Any] | None = None) -> FileBattles:
    file = BattleFile.of(content)
    if file is None:
        raise InputError(f"{content.name} has no two columns of systems with a column that says who won")
    return Reading(asked or {}).read(file)


def _read(contents: Sequence[Content], asked: Mapping[str, Any] | None = None) -> Iterator[Run]:
    """A run of each system on each task, whose instances are its battles."""
    reading = Reading(asked or {})
    contents, copies = once(contents)
    for content in contents:
        reading.add(content.part or _part(content, asked))
    battles = reading.battles()
    if not battles.first.size:
        return
    clusters, about = _clusters(battles, reading)
    notes = tuple(dict.fromkeys((*copies, *reading.said(battles), *about)))
    yield from _runs(contents[0].name, battles, clusters, reading, notes)


def _told(asked: Mapping[str, Any]) -> Tool:
    """The reader, where the caller names columns."""
    named = {name: asked.get(name) for name in _ASKED}
    return replace(TOOL, read=partial(_read, asked=named), part=partial(_part, asked=named))


TOOL = Tool("battles", "battles", _takes, together, _read, _told, _part)


def _clusters(battles: Battles, reading: Reading) -> tuple[tuple[Codes, Codebook] | None, list[str]]:
    """What goes together: the battles of a judge; where there are few judges, those on a question.

    Where there are many of both, that of the two whose battles say more of the same.
    """
    if reading.asked.get("cluster_column") is not None:
        return (battles.judge, reading.labels["judge"]), []
    notes: list[str] = []
    judges, questions = (np.unique(own[own >= 0]).size for own in (battles.judge, battles.question))
    asked_again = _LEAST <= questions < np.count_nonzero(battles.question >= 0)
    if judges >= _LEAST:
        if not asked_again or _together(battles, battles.judge) >= _together(battles, battles.question):
            beside = "; questions, which say less of the same, are not" if asked_again else ""
            return (battles.judge, reading.labels["judge"]), [
                Aside(f"clusters are judges: battles of one are drawn together{beside}")
            ]
        notes.append(Aside("judges, whose battles say less of the same than those on a question, are not clusters"))
    elif judges > 1:
        notes.append(Aside(f"intervals are for other battles with these {how_many(judges, 'judge')}"))
    if asked_again:
        notes.append(Aside("clusters are questions: battles on one are drawn together"))
        return (battles.question, reading.labels["question"]), notes
    return None, notes


def _together(battles: Battles, group: Codes) -> float:
    """Σ (Σ e)² over groups and systems; e is by how much a battle departs from the share of wins of the system."""
    system = np.concatenate((battles.first, battles.second))
    won = np.where(battles.outcome == TIE, 0.5, battles.outcome == FIRST)
    won = np.concatenate((won, 1 - won))
    departure = won - (np.bincount(system, weights=won) / np.bincount(system).clip(1))[system]
    alone = np.where(group < 0, group.max() + 1 + np.arange(group.size), group)
    _, cell = np.unique(np.tile(alone, 2) * (system.max() + 1) + system, return_inverse=True)
    return float((np.bincount(cell, weights=departure) ** 2).sum())


def _runs(
    where: str, battles: Battles, clusters: tuple[Codes, Codebook] | None, reading: Reading, notes: tuple[str, ...]
) -> Iterator[Run]:
    """Runs whose instances are numbered so that neither the order of battles nor that of the two sides matters."""
    place = reading.labels["system"].ranks()
    first, second = place[battles.first], place[battles.second]
    low, high = np.minimum(first, second), np.maximum(first, second)
    won = np.where(battles.outcome == TIE, 0.5, (battles.outcome == FIRST) == (first == low)).astype(np.float32)
    task = reading.labels["task"].ranks()[battles.task]
    group = np.zeros_like(low) if clusters is None else clusters[1].ranks()[clusters[0]]
    order = np.lexsort((group, battles.bad, won, high, low, task))
    low, high, won, bad = low[order], high[order], won[order], battles.bad[order]
    systems = sorted(reading.labels["system"].known)
    number = labels(_numbers(systems, low, high, battles.question[order], reading.labels["question"]))
    names = None if clusters is None else labels(_cluster_names(clusters, order))
    scores = np.concatenate((won, 1 - won))
    both = np.concatenate((low, high)) + np.tile(task[order], 2) * len(place)
    entries = np.argsort(both, kind="stable")
    starts = np.flatnonzero(np.diff(both[entries], prepend=-1))
    tasks = sorted(reading.labels["task"].known)
    for some in np.split(entries, starts[1:]):
        of_task, of_system = divmod(int(both[some[0]]), len(place))
        rows = some % order.size
        for spot, metric in enumerate((_WIN, _NOT_BAD) if battles.bad.any() else (_WIN,)):
            kept = rows >= 0 if metric == _WIN else ~bad[rows]
            yield Run(
                where,
                systems[of_system],
                tasks[of_task],
                metric,
                samples=Samples(
                    number[rows[kept]], scores[some[kept]], clusters=None if names is None else names[rows[kept]]
                ),
                higher_is_better=True,
                place=spot,
                notes=notes,
            )


def _numbers(
    systems: Sequence[str], low: Codes, high: Codes, question: Codes, questions: Codebook
) -> Iterator[str | int]:
    """What each battle is called: by its own label, or the two systems, numbered on; of very many by a number."""
    if question.size > _NAMED:
        yield from range(1, question.size + 1)
        return
    if (question >= 0).all() and np.unique(question).size == question.size:
        known = list(questions.known)
        yield from (known[code] for code in question.tolist())
        return
    met: dict[tuple[int, int], int] = {}
    for pair in zip(low.tolist(), high.tolist(), strict=True):
        met[pair] = met.get(pair, 0) + 1
        yield f"{systems[pair[0]]} – {systems[pair[1]]}, {met[pair]}"


def _cluster_names(clusters: tuple[Codes, Codebook], order: Codes) -> list[str]:
    """The cluster of each battle; one without is a cluster of its own."""
    known = list(clusters[1].known)
    codes = clusters[0][order].tolist()
    return [known[code] if code >= 0 else f"battle {row}" for row, code in enumerate(codes)]


def _is_board(content: Content) -> bool:
    if content.head[:1] != b"{" or b'"rating"' not in content.head:
        return False
    given = content.json
    models = [model for category in given.values() for model in category.values()]
    return bool(models) and all(isinstance(model, dict) and _RATING in model for model in models)


def _read_board(contents: Sequence[Content]) -> Iterator[Run]:
    """Each category is a task; that of all battles counts only where it is the only one."""
    for content in contents:
        given = content.json
        board = content.path.stem.removeprefix(_BOARD)
        alone = set(given) == {_ALL}
        notes = [Aside("rating_q025 and rating_q975 are not used")] if _has_quantiles(given) else []
        if _ALL in given and not alone:
            notes.append(Aside(f"category {_ALL!r} holds the battles of all others and is left out"))
        for category, models in given.items():
            for model, found in models.items() if alone or category != _ALL else ():
                rating = found[_RATING]
                yield Run(
                    content.name,
                    model,
                    category,
                    _RATING,
                    mean=math.nan if rating is None else float(rating),
                    higher_is_better=True,
                    task_settings={"board": board},
                    notes=tuple(notes),
                )


BOARDS = Tool("arena", "arena leaderboards", _is_board, str, _read_board)


def _has_quantiles(given: Any) -> bool:
    return any("rating_q025" in found for models in given.values() for found in models.values())


TOOLS = (TOOL, BOARDS)
