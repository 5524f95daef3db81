"""What is right, row by row: by the instances of a file of right answers, or by a column of the predictions' own."""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.base.words import counted, few
from podium.source.assemble.key import IntegerKeys
from podium.source.assemble.label import plain_text, words_of
from podium.source.column import Keyed, Whole, read_keyed
from podium.source.format.arrow import column_in
from podium.source.layout import SYNONYMS, Layout
from podium.source.role import GOLD, existing, listed, named
from podium.source.table import TRUTH, InstancesAreTextError, ReadPlan, SourceTable, is_missing

#: A number, without zeros that would make it a code such as 007; exponents short enough to be written out.
_NUMBER = re.compile(r"[-+]?(0|[1-9]\d*)(\.\d*)?([eE][-+]?\d{1,2})?")


def answer_of(text: str | None) -> str:
    """Write an answer in the one way that stands for all; empty where there is none.

    Spaces at the ends do not count, numbers are alike if they are equal, and so are all ways to write true and false.

    >>> [answer_of(text) for text in ("1", " 1.0", "1e0", "-0", "007", "True", "Yes", None)]
    ['1', '1', '1', '0', '007', 'true', 'Yes', '']
    """
    bare = (text or "").strip()
    if _NUMBER.fullmatch(bare):
        plain = format(Decimal(bare), "f")
        plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
        return "0" if plain == "-0" else plain
    return bare.lower() if bare.lower() in TRUTH else bare


def right_answers(texts: Sequence[str | None]) -> list[str]:
    """Write right answers in that way, empty where there is none.

    A word for a missing score is no answer where all others are numbers; elsewhere "none" may be one.

    >>> right_answers(["1", "NA", "0.0"]), right_answers(["favor", "none", None])
    (['1', '', '0'], ['favor', 'none', ''])
    """
    answers = {text: answer_of(text) for text in set(texts)}
    if all(is_missing(answer) or _NUMBER.fullmatch(answer) for answer in answers.values()):
        answers = {text: "" if is_missing(answer) else answer for text, answer in answers.items()}
    return [answers[text] for text in texts]


class AnswerKey(Protocol):
    """Says what is right.

    Attributes
    ----------
    name
        What notes call it.
    columns
        Columns that it needs beside the labels.
    numbers
        Number of every answer that is right somewhere.
    """

    name: str
    columns: tuple[str, ...]
    numbers: Mapping[str, int]

    def right(self, rows: Any, layout: Layout) -> NDArray[np.int64]:
        """Number of the right answer of every row; -1 where there is none."""

    def notes(self) -> list[str]:
        """Say which right answers no row has asked for."""


class AnswerColumn:
    """Right answers in a column beside the predictions.

    Parameters
    ----------
    tables
        The predictions, which are looked through for what is right anywhere.
    column
        The column.

    Raises
    ------
    LabelError
        A table has no such column.
    """

    def __init__(self, tables: Iterable[SourceTable], column: str) -> None:
        self.name = f"column {column!r}"
        self.columns: tuple[str, ...] = (column,)
        words: dict[str | None, None] = {}
        for table in tables:
            existing(column, [one.name for one in table.columns])
            for batch in table.batches(ReadPlan((column,), ())):
                words |= dict.fromkeys(words_of(column_in(batch.rows, column))[1])
        answers = right_answers(list(words))
        self.numbers: Mapping[str, int] = _numbered(answers)
        self._by_word = {word: self.numbers.get(answer, -1) for word, answer in zip(words, answers, strict=True)}

    def right(self, rows: Any, layout: Layout) -> NDArray[np.int64]:  # noqa: ARG002  # of any layout
        """Number of the right answer of every row; -1 where there is none."""
        indices, words = words_of(column_in(rows, self.columns[0]))
        numbers = np.array([self._by_word[word] for word in words], dtype=np.int64)
        return _taken(numbers, indices)

    def notes(self) -> list[str]:
        """Every right answer stands beside a prediction."""
        return []


class AnswerFile:
    """Right answers in a table of their own, with a row per instance, or per task and instance.

    Parameters
    ----------
    table
        The right answers.
    layout
        Roles of the predictions' columns: columns of the same names are looked for first, and tasks only where both
        have them.

    Raises
    ------
    InputError
        The table has no such columns, or says two things of one instance.
    """

    columns: tuple[str, ...] = ()

    def __init__(self, table: SourceTable, layout: Layout) -> None:
        table.find_columns()
        names = [column.name for column in table.columns]
        instance, task = (
            role if role in names else named(SYNONYMS[kind], names)
            for kind, role in (("instance", layout.instance), ("task", layout.task))
        )
        gold = named(GOLD, names, {instance, task})
        if instance is None or gold is None:
            lacking = "names the instances" if instance is None else f"is called {' or '.join(map(repr, GOLD))}"
            raise InputError(
                f"{table.name}: no column {lacking}; a table of right answers has a column of instances and one "
                f"called 'gold'. Its columns are {listed(names)}"
            )
        self._by_task = layout.task is not None and task is not None
        whole, keyed = read_keyed(table, instance=instance, task=task if self._by_task else None, texts=[gold])
        answers = right_answers(whole.texts[gold])
        _refuse_contradictions(whole, keyed, answers)
        self.name = f"column {gold!r} of {table.name}"
        self.numbers: Mapping[str, int] = _numbered(answers)
        self._keyed = keyed
        self._index(keyed)
        self._right = np.full(keyed.first.size, -1)
        numbers = np.array([self.numbers.get(answer, -1) for answer in answers])
        np.maximum.at(self._right, keyed.place, numbers)
        self._asked = self._right < 0

    def _index(self, keyed: Keyed) -> None:
        """Prepare to find instances by their labels."""
        self._labels, within = np.unique(keyed.instances, return_inverse=True)
        known: dict[str | None, int] = {str(label): number for number, label in enumerate(self._labels.tolist())}
        self._numbers_of_instances = {None: 0, "": 0} | known  # whoever reads the rows refuses those without a label
        tasks = [] if keyed.tasks is None else list(dict.fromkeys(keyed.tasks.tolist()))
        self._numbers_of_tasks = {"": 0} | {task: number for number, task in enumerate(tasks)}
        of_task = [0] * within.size if keyed.tasks is None else [self._numbers_of_tasks[task] for task in keyed.tasks]
        self._cells = np.array(of_task) * self._labels.size + within

    def right(self, rows: Any, layout: Layout) -> NDArray[np.int64]:
        """Number of the right answer of every row; -1 where there is none."""
        instances = self._instances(column_in(rows, str(layout.instance)), str(layout.instance))
        tasks = np.zeros(1, dtype=np.int64)
        if self._by_task:
            indices, words = words_of(column_in(rows, str(layout.task)))
            numbers = [self._numbers_of_tasks.get((word or "").strip(), -1) for word in words]
            tasks = _taken(np.array(numbers, dtype=np.int64), indices)
        cells = np.where((instances < 0) | (tasks < 0), -1, tasks * self._labels.size + instances)
        places = np.minimum(np.searchsorted(self._cells, cells), self._cells.size - 1)
        found = self._cells[places] == cells
        self._asked[places[found]] = True
        return np.where(found, self._right[places], -1)

    def _instances(self, array: Any, column: str) -> NDArray[np.int64]:
        """Numbers of instances; -1 for those that are not known."""
        if self._labels.dtype == np.int64 and not array.null_count:
            try:
                keys = IntegerKeys().keys(array, column)
            except InstancesAreTextError:
                pass  # perhaps some of them are
            else:
                places = np.minimum(np.searchsorted(self._labels, keys), self._labels.size - 1)
                return np.where(self._labels[places] == keys, places, -1)
        numbers = self._numbers_of_instances
        return np.array([numbers.get(label, -1) for label in plain_text(array).to_pylist()], dtype=np.int64)

    def notes(self) -> list[str]:
        """Say which instances with a right answer no row is of."""
        unasked = np.flatnonzero(~self._asked).tolist()
        if not unasked:
            return []
        shown = few([self._keyed.label(place) for place in unasked])
        return [f"{counted(len(unasked), 'instance')} of {self.name} without any prediction: {shown}"]


def _taken(numbers: NDArray[np.int64], indices: NDArray[Any]) -> NDArray[np.int64]:
    taken: NDArray[np.int64] = numbers[indices]
    return taken


def _numbered(answers: Sequence[str]) -> dict[str, int]:
    return {answer: number for number, answer in enumerate(dict.fromkeys(filter(None, answers)))}


def _refuse_contradictions(whole: Whole, keyed: Keyed, answers: Sequence[str]) -> None:
    """Refuse two right answers to one instance."""
    first: dict[int, int] = {}
    for row, place in enumerate(keyed.place.tolist()):
        if answers[row] and answers[first.setdefault(place, row)] != answers[row]:
            one = first[place]
            raise InputError(
                f"{whole.where(one)} and {whole.table.where(row)}: the right answer to instance {keyed.label(place)} "
                f"is {answers[one]!r} in one and {answers[row]!r} in the other; keep one of the rows"
            )
