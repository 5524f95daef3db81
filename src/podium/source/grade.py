"""Predictions as scores: 1 if a prediction is the right answer, else 0.

- The right answer of every row: from a file of right answers, or from a column beside the predictions.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from podium.base.arrays import Floats, Ints, from_numpy
from podium.base.errors import InputError, warn
from podium.base.parallel import Progress
from podium.base.words import LONG, Aside, few, how_many, with_names
from podium.score.table import Scores
from podium.source.collect import collect
from podium.source.labels import Keyed, Whole, plain_text, read_keyed, words_of
from podium.source.path import open_table
from podium.source.recognise import Layout, ReadSpec, recognise
from podium.source.table import (
    TRUTH,
    USUAL,
    Batch,
    ReadPlan,
    SourceColumn,
    SourceTable,
    either,
    existing,
    find_roles,
    is_missing,
    lacks,
    located,
    named,
    naming,
    refuse_nested,
    refuse_shared,
    usual,
)

#: A number. Leading zeros make it a code such as 007; exponents are short enough to be written out.
_NUMBER = re.compile(r"[-+]?(0|[1-9]\d*)(\.\d*)?([eE][-+]?\d{1,2})?")


def answer_of(text: str | None) -> str:
    """Return an answer in its standard form; empty if there is no answer.

    Spaces at the ends do not count. Equal numbers have one form, and so have all ways to write true and false.

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
    """Return right answers in their standard form; empty if there is no answer.

    A word for a missing score is not an answer if all other answers are numbers; otherwise "none" may be an answer.

    >>> right_answers(["1", "NA", "0.0"]), right_answers(["favor", "none", None])
    (['1', '', '0'], ['favor', 'none', ''])
    """
    answers = {text: answer_of(text) for text in set(texts)}
    if all(is_missing(answer) or _NUMBER.fullmatch(answer) for answer in answers.values()):
        answers = {text: "" if is_missing(answer) else answer for text, answer in answers.items()}
    return [answers[text] for text in texts]


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """The right answers.

    Attributes
    ----------
    name
        Their name in notes.
    numbers
        Number of every answer that is right for some instance.
    right
        Returns, for a batch of predictions, the number of the right answer of every row; -1 if there is none.
    columns
        Columns of the predictions that are needed in addition to the labels.
    notes
        Returns notes about right answers without predictions, once all predictions are read.
    """

    name: str
    numbers: Mapping[str, int]
    right: Callable[[Any], Ints]
    columns: tuple[str, ...] = ()
    notes: Callable[[], list[str]] = list


def answers_beside(tables: Iterable[SourceTable], column: str) -> AnswerKey:
    """Take right answers from a column beside the predictions; the whole column is read first.

    Raises
    ------
    LabelError
        A table has no such column.
    """
    words: dict[str | None, None] = {}
    for table in tables:
        existing(column, table.names)
        for batch in table.batches(ReadPlan((column,), ())):
            words |= dict.fromkeys(words_of(batch.rows.column(column))[1])
    answers = right_answers(list(words))
    numbers = _answer_numbers(answers)
    by_word = {word: numbers.get(answer, -1) for word, answer in zip(words, answers, strict=True)}

    def right(rows: Any) -> Ints:
        indices, found = words_of(rows.column(column))
        numbered: Ints = np.array([by_word.get(word, -1) for word in found], dtype=np.int64)[indices]
        return numbered

    return AnswerKey(f"column {column!r}", numbers, right, (column,))


def answers_in(table: SourceTable, layout: Layout) -> AnswerKey:
    """Take right answers from another table, with one row per instance, or per task and instance.

    Parameters
    ----------
    table
        The right answers.
    layout
        Roles of the columns of the predictions. Columns with the same names are preferred. Tasks count only if both
        tables have them.

    Raises
    ------
    InputError
        The table lacks a column, or has two right answers to one instance.
    """
    roles = _roles_of_answers(table, layout)
    task = roles.get("task") if layout.task is not None else None
    whole, keyed = read_keyed(table, instance=roles["instance"], task=task, texts=[roles["gold"]])
    answers = right_answers(whole.texts[roles["gold"]])
    numbers = _answer_numbers(answers)
    given = np.array([numbers.get(answer, -1) for answer in answers], dtype=np.int64)
    right = np.full(keyed.first.size, -1)
    np.maximum.at(right, keyed.place, given)
    if ((given >= 0) & (given != right[keyed.place])).any():
        raise _contradiction(whole, keyed, answers)
    asked = right < 0

    def find(rows: Any) -> Ints:
        place = keyed.find(rows, str(layout.instance), None if task is None else layout.task)
        asked[place[place >= 0]] = True
        return np.where(place < 0, -1, right[place])

    def unasked() -> list[str]:
        labels = [keyed.label(place) for place in np.flatnonzero(~asked).tolist()]
        unasked = f"{how_many(len(labels), 'instance')} of {name} without prediction: "
        return [with_names(unasked, labels, room=LONG)] if labels else []

    name = f"column {roles['gold']!r} of {table.name}"
    return AnswerKey(name, numbers, find, notes=unasked)


def _roles_of_answers(table: SourceTable, layout: Layout) -> dict[str, str]:
    """Return columns of instances, of tasks and of right answers."""
    same = {"instance": layout.instance, "task": layout.task}
    given = {role: name for role, name in same.items() if name in table.names}
    roles = find_roles(table.names, usual("instance", "task", "gold"), given)
    for role, lacking in (("instance", "names the instances"), ("gold", f"is called {either(USUAL['gold'])}")):
        if role not in roles:
            what = f"no column {lacking}; a table of right answers needs a column of instances and a column 'gold'"
            raise lacks(table.name, what, table.names)
    return roles


def _answer_numbers(answers: Sequence[str]) -> dict[str, int]:
    return {answer: number for number, answer in enumerate(dict.fromkeys(filter(None, answers)))}


def _contradiction(whole: Whole, keyed: Keyed, answers: Sequence[str]) -> InputError:
    """Return the error that an instance has two different right answers."""
    first: dict[int, int] = {}
    places = enumerate(keyed.place.tolist())
    row, one = next((r, first[p]) for r, p in places if answers[r] and answers[first.setdefault(p, r)] != answers[r])
    rows, instance = f"{whole.where(one)} and {whole.table.where(row)}", keyed.label(int(keyed.place[row]))
    what = f"the right answer to instance {instance} is {answers[one]!r} in one row and {answers[row]!r} in the other"
    return InputError(f"{rows}: {what}; keep one of the rows")


#: Name of the column of scores; also the name of the task if no column names tasks.
_ACCURACY = "accuracy"

#: Numbers for predictions that are not a right answer of any instance, and for missing predictions.
_WRONG, _MISSING = -2, -3

#: How many predictions that are not a right answer of any instance are shown in notes.
_EXAMPLES = 3


def read_graded(
    tables: Sequence[SourceTable],
    spec: ReadSpec,
    gold: str | Path | SourceTable | None,
    prediction: str | None,
    *,
    progress: Progress | None,
    notes: Sequence[str],
) -> Scores:
    """Read predictions as scores.

    Parameters
    ----------
    tables
        The predictions.
    spec
        What the caller said about the other columns.
    gold
        A column of the same tables with the right answers, or a table, or its file, with one row per instance.
    prediction
        Column of predictions; if None, it is recognised by its name.
    progress, notes
        As for `collect`.

    Raises
    ------
    InputError, LabelError
        A column or file does not exist or cannot be read; the message says where, and what to do.

    Warns
    -----
    PodiumWarning
        No prediction is a right answer of any instance.
    """
    if gold is None:
        wrong = f"{naming('prediction', prediction or '')} names predictions, but the right answers are missing"
        raise InputError(f"{wrong}; name their column or file with gold= (--gold)")
    if spec.layout == "wide":
        raise InputError("gold= (--gold) needs a long table with one prediction per row; leave layout= out")
    if "score" in spec.columns:
        raise InputError(
            f"{naming('score', spec.columns['score'])} names scores, but gold= (--gold) computes scores from "
            "predictions; leave one of them out"
        )
    own = gold if isinstance(gold, str) and gold in tables[0].names else None
    predictions = [_prediction_column(table, spec, own, prediction) for table in tables]
    spec = replace(spec, layout="long", columns={**spec.columns, "score": _ACCURACY})
    columns = []  # of tables of scores instead of predictions
    for table, name in zip(tables, predictions, strict=True):
        kept = (column for column in table.columns if column.name not in {name, own, _ACCURACY})
        columns.append((*kept, SourceColumn(_ACCURACY, "number")))
    layouts = [recognise(table.name, known, spec) for table, known in zip(tables, columns, strict=True)]
    key = _opened_key(tables, layouts[0], gold) if own is None else answers_beside(tables, own)
    graded = [GradedTable(*parts, key) for parts in zip(tables, columns, predictions, layouts, strict=True)]
    scores = collect(graded, spec, progress=progress, notes=notes)
    return replace(scores, notes=(*scores.notes, *_notes_on_grading(graded, key)))


def _prediction_column(table: SourceTable, spec: ReadSpec, own: str | None, said: str | None) -> str:
    """Find the column of predictions."""
    names = table.names
    others = {**spec.columns, **({} if own is None else {"gold": own})}
    found = None if said is None else existing(said, names)
    if found is not None:
        refuse_shared(table.name, {"prediction": found, **others})
    elif (score := named(USUAL["score"], names, others.values())) is not None:
        wrong = f"{table.name} already has scores in column {score!r}, but gold= (--gold) makes scores from predictions"
        raise InputError(f"{wrong}; name the column of predictions with {naming('prediction')}, or leave out gold=")
    else:
        found = named(USUAL["prediction"], names, others.values())
    if found is None:
        what = f"no column is called {either(USUAL['prediction'][:3])}"
        raise lacks(table.name, f"{what}; name the column of predictions with {naming('prediction')}", names)
    refuse_nested(table, [found])
    return found


def _opened_key(tables: Sequence[SourceTable], layout: Layout, gold: str | Path | SourceTable) -> AnswerKey:
    """Open the file of right answers, unless they are a table already."""
    table = tables[0]
    if layout.instance is None:
        what = "no column names the instances, so the right answers cannot be matched"
        raise lacks(table.name, f"{what}; name the column with {naming('instance')}", table.names)
    if not isinstance(gold, str | Path):
        return answers_in(gold, layout)
    if not str(gold):
        raise InputError("gold= (--gold) is empty text; name a file, or a column of the predictions")
    try:
        opened = open_table(gold)
    except InputError as error:
        if Path(gold).exists() or str(gold) == "-":
            raise
        raise InputError(f"{error}; {table.name} has no column {str(gold)!r} either") from error
    return answers_in(opened, layout)


def _notes_on_grading(tables: "Sequence[GradedTable]", key: AnswerKey) -> list[str]:
    """Say how predictions became scores, and what was left out."""
    columns = list(dict.fromkeys(repr(table.prediction) for table in tables))
    notes: list[str] = [Aside(f"a score is 1 if column {few(columns)} equals {key.name}, else 0")]
    left = list(dict.fromkeys(label for table in tables for label in table.left_out))
    if left:
        without = f"{how_many(len(left), 'instance')} left out because the right answer is missing: "
        notes.append(with_names(without, left, room=LONG))
    unmatched = sum(table.unmatched for table in tables)
    if unmatched:
        shown = list(dict.fromkeys(repr(word) for table in tables for word in table.unmatched_words))[:_EXAMPLES]
        given = sum(table.given for table in tables)
        which = f"{unmatched:,} of {how_many(given, 'prediction')}, such as "
        spelling = f"; check their spelling in {key.name}" if unmatched == given else ""
        notes.append(with_names(which, shown, f", match no right answer of any instance{spelling}", room=LONG))
        if unmatched == given:
            warn(notes[-1])
    return [*notes, *key.notes()]


class GradedTable(SourceTable):
    """A table of predictions, read as a table of scores.

    Parameters
    ----------
    table
        The predictions.
    columns
        Columns of this table: scores instead of predictions.
    prediction
        The column of predictions.
    layout
        Roles of the columns.
    key
        The right answers.

    Attributes
    ----------
    left_out
        Instances without a right answer; their rows are left out. This and the attributes below describe the last
        reading.
    given, unmatched
        Number of predictions, and number of predictions that are not a right answer of any instance.
    unmatched_words
        Some of the latter.
    """

    def __init__(
        self, table: SourceTable, columns: tuple[SourceColumn, ...], prediction: str, layout: Layout, key: AnswerKey
    ) -> None:
        self.name, self.size, self.n_rows = table.name, table.size, table.n_rows
        self.columns, self.prediction = columns, prediction
        self._table, self._layout, self._key = table, layout, key
        self._begin()

    def _begin(self) -> None:
        self.left_out: dict[str, None] = {}
        self.given = self.unmatched = 0
        self.unmatched_words: list[str] = []
        self._dropped: list[Ints] = []

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Yield the rows that have a right answer, with their scores.

        Raises
        ------
        InputError
            There are rows, but no row has a right answer.
        """
        self._begin()
        labels = dict.fromkeys((*plan.labels, self.prediction, *self._key.columns))
        numbers = tuple(name for name in plan.numbers if name != _ACCURACY)
        rows = kept = 0
        for batch in self._table.batches(replace(plan, labels=tuple(labels), numbers=numbers)):
            graded = self._graded(batch, plan)
            yield Batch(graded, kept, batch.done)
            rows += batch.rows.num_rows
            kept += graded.num_rows
        if rows and not kept:
            what = f"{self.name}: no instance has a right answer in {self._key.name}; both need the same labels"
            raise InputError(f"{what}, and here they look like {few(list(self.left_out), 3)}")

    def _graded(self, batch: Batch, plan: ReadPlan) -> Any:
        with located(self._table, batch.first):
            right = self._key.right(batch.rows)
        kept = right >= 0
        scores = self._scores(batch.rows.column(self.prediction), right)[kept]
        arrays = {name: batch.rows.column(name) for name in plan.columns if name != _ACCURACY}
        if not kept.all():
            dropped = np.flatnonzero(~kept)
            self._dropped.append(batch.first + dropped)
            self.left_out |= dict.fromkeys(self._labels(batch, dropped))
            chosen = from_numpy(np.flatnonzero(kept))
            arrays = {name: array.take(chosen) for name, array in arrays.items()}
        arrays[_ACCURACY] = from_numpy(scores)
        return pa.RecordBatch.from_arrays(list(arrays.values()), names=list(arrays))

    def _scores(self, predictions: Any, right: Ints) -> Floats:
        """Return 1 if a prediction is right, 0 if it is wrong, NaN if it is missing."""
        indices, words = words_of(predictions)
        answers = [answer_of(word) for word in words]
        known = self._key.numbers
        given = np.array(
            [known.get(answer, _MISSING if is_missing(answer) else _WRONG) for answer in answers], dtype=np.int64
        )[indices]
        unmatched = (given == _WRONG) & (right >= 0)
        self.given += int(np.count_nonzero((given != _MISSING) & (right >= 0)))
        self.unmatched += int(np.count_nonzero(unmatched))
        if len(self.unmatched_words) < _EXAMPLES:
            self.unmatched_words += [answers[index] for index in np.unique(indices[unmatched])[:_EXAMPLES].tolist()]
        return np.where(given == _MISSING, np.nan, (given == right).astype(np.float64))

    def _labels(self, batch: Batch, rows: Ints) -> list[str]:
        """Return labels of the instances of some rows, in quotes."""
        if self._layout.instance is None:
            return [f"row {row + 1}" for row in (batch.first + rows).tolist()]
        chosen = from_numpy(rows)
        named_by = filter(None, (self._layout.instance, self._layout.task))
        texts = [plain_text(batch.rows.column(name).take(chosen)).to_pylist() for name in named_by]
        return [" of ".join(map(repr, labels)) for labels in dict.fromkeys(zip(*texts, strict=True))]

    def where(self, row: int) -> str:
        """Place of a row that was kept in its file, in words."""
        if not self._dropped:
            return self._table.where(row)
        dropped = np.concatenate(self._dropped)
        before = np.searchsorted(dropped - np.arange(dropped.size), row, side="right")
        return self._table.where(row + int(before))
