"""Tables of instances, one row each: their difficulty, a column per measure; and their texts with right answers."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.check import checked_path, texts
from podium.base.errors import InputError, LabelError
from podium.base.words import Aside, few, how_many
from podium.difficulty.result import HARD, SHARES, Difficulty, Hard, Measure, Texts
from podium.source.grade import right_answers
from podium.source.table import USUAL, either, existing, find_roles, folded, lacks, naming, refuse_shared, shown, usual

if TYPE_CHECKING:
    from podium.source.labels import Keyed, Whole
    from podium.source.table import SourceTable

#: How names of measures begin, and whether low or high values mean hard instances.
_BEGINNINGS: dict[str, Hard] = {
    "bias": "low",
    "spurious": "low",
    "similarity": "low",
    "sts": "low",
    "difficulty": "high",
    "failure": "high",
    "irt": "high",
    "weight": "high",
}

#: The measure of a table that has only the order of its splits.
NO_MEASURE = "split_number"

_NUMBERS = ("integer", "single", "number")


def read_difficulty(
    source: str | Path,
    *,
    measures: str | Iterable[str] | None = None,
    hard: Hard | None = None,
    splits: str | None = None,
    task_column: str | None = None,
    instance_column: str | None = None,
    format: str | None = None,  # noqa: A002  # the word people use
    table: str | None = None,
) -> Difficulty:
    r"""Read how difficult instances are.

    The table has one row per instance, or per task and instance, and one column of numbers per measure. Low values
    mean hard instances if the name of the column begins with "bias", "spurious", "similarity" or "sts". High values
    mean hard instances if it begins with "difficulty", "failure", "irt" or "weight". A value is missing, and becomes
    NaN, as in `podium.read`. If an instance has several rows, the mean of their values counts.

    Parameters
    ----------
    source
        A file of any format that `podium.read` reads, or "-".
    measures
        One or several columns to read; None reads all columns of numbers with such a name.
    hard
        "low" or "high": which values of all measures mean hard instances, whatever the names of the columns.
    splits
        Column of labels that say in which split an instance is; it is read as text, see `podium.customize`. A table
        with this column needs no measure: the order of the splits (numbers as numbers) becomes "split_number".
    task_column, instance_column
        Columns of labels, if podium does not recognise them.
    format, table
        As for `podium.read`.

    Returns
    -------
    Difficulty
        Instances are sorted by label; if there are tasks, within tasks in order of first appearance.

    Raises
    ------
    InputError
        The file cannot be read, no column is a measure, or a share is not between 0 and 1; the message says where,
        and what to do.
    LabelError
        A column that was named does not exist.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "difficulty.csv")
    ...     _ = path.write_text("instance,bias\n2,0.9\n1,0.5\n")
    ...     read_difficulty(path).rows()
    [{'instance': 1, 'bias': 0.5}, {'instance': 2, 'bias': 0.9}]
    """
    from podium.source.labels import read_keyed  # noqa: PLC0415  # import Arrow only to read
    from podium.source.path import open_table  # noqa: PLC0415  # import Arrow only to read

    opened = open_table(source, format, table)
    roles = find_roles(opened.names, usual("instance", "task"), {"instance": instance_column, "task": task_column})
    if "instance" not in roles:
        what = f"no column names the instances; name the column with {naming('instance')}"
        raise lacks(opened.name, what, opened.names)
    labels = [*roles.values(), *([] if splits is None else [existing(splits, opened.names)])]
    taken, notes = (_chosen(opened, labels, measures), ()) if measures is not None else _recognised(opened, labels)
    if not taken and splits is None:
        what = f"no column of numbers has a name that begins with {', '.join(map(repr, _BEGINNINGS))}"
        advice = "name the measures of difficulty with measures= (--difficulty-column)"
        raise lacks(opened.name, f"{what}; {advice}", opened.names)
    ends = {name: _hard(opened.name, name, hard) for name in taken}
    texts = () if splits is None else (splits,)
    whole, keyed = read_keyed(opened, instance=roles["instance"], task=roles.get("task"), numbers=taken, texts=texts)
    said = [*notes, *(note for name in ends for note in _checked(whole, name))]
    if again := np.flatnonzero(np.bincount(keyed.place) > 1).tolist():
        rows = f"{how_many(len(again), 'instance')} in several rows"
        said.append(f"{rows}; the mean of their values counts: {few([keyed.label(place) for place in again])}")
    found = tuple(Measure(name, _averaged(whole.numbers[name], keyed), end) for name, end in ends.items())
    if splits is None:
        return Difficulty(keyed.instances, found, keyed.tasks, notes=tuple(said))
    split = _split_labels(whole, keyed, splits)
    if not found:
        known = sorted(set(split.tolist()))
        with suppress(ValueError):
            known = sorted(known, key=float)
        numbers = np.array([known.index(label) + 1.0 for label in split.tolist()])
        found = (Measure(NO_MEASURE, numbers, "high"),)
    return Difficulty(keyed.instances, found, keyed.tasks, ((splits, split),), tuple(said))


def _recognised(opened: "SourceTable", labels: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return columns of numbers whose names show measures, and a note about other columns."""
    others = [column for column in opened.columns if column.name not in labels]
    named_so = [column for column in others if _end(column.name) is not None and column.kind != "nested"]
    taken = [column.name for column in named_so if column.kind in _NUMBERS] or [column.name for column in named_so]
    left = [column.name for column in others if column.name not in taken]
    return taken, (Aside(f"{shown(left)} not used"),) if left else ()


def _chosen(opened: "SourceTable", labels: Sequence[str], measures: str | Iterable[str]) -> list[str]:
    taken = list(dict.fromkeys(texts("measure", measures)))
    if not taken:
        raise InputError(
            f"{opened.name}: the list of measures is empty; name at least one measure, or leave out the list"
        )
    for name in taken:
        if existing(name, opened.names) in labels:
            raise InputError(f"{opened.name}: column {name!r} holds labels; it is not a measure of difficulty")
    return taken


def _end(name: str) -> Hard | None:
    """Return which values mean hard instances, according to the name of a measure."""
    return next((end for start, end in _BEGINNINGS.items() if folded(name).startswith(start)), None)


def _hard(where: str, name: str, said: str | None) -> Hard:
    if said is not None and said not in HARD:
        raise LabelError.unknown("end of a measure that is hard", said, HARD)
    end = _end(name) if said is None else next(end for end in HARD if end == said)
    if end is None:
        raise InputError(
            f"{where}: the name {name!r} does not show which values mean hard instances; use hard='low' (--hard low) "
            "if low values mean hard, as for a bias or a similarity, or hard='high' (--hard high) if high values mean "
            "hard, as for a number of failures"
        )
    return end


def _split_labels(whole: "Whole", keyed: "Keyed", splits: str) -> NDArray[Any]:
    """Split of each instance."""
    texts = [None if text is None else text.strip() for text in whole.texts[splits]]
    labels = [texts[row] for row in keyed.first.tolist()]
    for row, (text, place) in enumerate(zip(texts, keyed.place.tolist(), strict=True)):
        if not text:
            raise InputError(f"{whole.where(row)}: column {splits!r} is empty; write the split of the instance")
        if text != labels[place]:
            raise InputError(
                f"{whole.where(row)}: instance {keyed.label(place)} is in split {text!r} here and in {labels[place]!r} "
                "in an earlier row; keep one of them"
            )
    return np.array(labels, dtype=np.dtypes.StringDType())


def _checked(whole: "Whole", name: str) -> list[str]:
    """Refuse values that a measure cannot have, and note how many values are missing."""
    values = whole.numbers[name]
    missing = np.isnan(values)
    if missing.all():
        raise InputError(f"{whole.table.name}: column {name!r} has no value; leave out the measure")
    outside = (values < 0) | (values > 1)
    if folded(name).startswith(SHARES) and outside.any():
        row = int(outside.argmax())
        raise InputError(
            f"{whole.where(row)}: {name!r} is {values[row]:g}, but a bias is a share from 0 to 1; correct the value, "
            "or rename the column if it is not a share"
        )
    count = int(missing.sum())
    said = f"{count:,} of {how_many(values.size, 'value')} of {name!r} {'is' if count == 1 else 'are'} missing"
    return [said] if count else []


def _averaged(values: Floats, keyed: "Keyed") -> Floats:
    """Mean of the values of each instance, without NaN."""
    here = ~np.isnan(values)
    counts = np.bincount(keyed.place[here], minlength=keyed.first.size)
    sums = np.bincount(keyed.place[here], weights=values[here], minlength=keyed.first.size)
    with np.errstate(invalid="ignore"):
        means: Floats = sums / counts
    return means


#: Number of rows that are checked together.
_STRETCH = 2**14


def read_embeddings(path: str | Path, n_rows: int, table: str) -> NDArray[Any]:
    """Map a .npy file into memory, or load the one array of an .npz file.

    Parameters
    ----------
    path
        The file.
    n_rows
        Number of rows that the array must have.
    table
        Name of the table with these rows, for errors.

    Returns
    -------
    NDArray
        Shape `(n_rows, D)`: finite numbers.

    Raises
    ------
    InputError
        The file does not exist, or does not hold such an array.
    """
    named = checked_path("embeddings", path).expanduser()
    array = _loaded(named)
    if array.dtype.kind not in "fiu" or array.ndim != 2 or array.shape[1] == 0:
        raise InputError(
            f"{named}: embeddings must be numbers in two dimensions, one row per row of {table}, but this array has "
            f"shape {array.shape} and type {array.dtype}"
        )
    if array.shape[0] != n_rows:
        raise InputError(
            f"{named} has {how_many(array.shape[0], 'row')} and {table} has {how_many(n_rows, 'row')}; both need the "
            "same rows in the same order"
        )
    for start in range(0, n_rows, _STRETCH):
        finite = np.isfinite(array[start : start + _STRETCH]).all(axis=1)
        if not finite.all():
            raise InputError(
                f"{named}, row {start + int(finite.argmin()) + 1}: the embedding is not finite; compute it again"
            )
    return array


def _loaded(path: Path) -> NDArray[Any]:
    try:
        with path.open("rb") as raw:
            if raw.read(2) != b"PK":
                return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
            raw.seek(0)
            archive = np.load(raw, allow_pickle=False)
            if len(archive.files) == 1:
                return np.asarray(archive[archive.files[0]])
    except FileNotFoundError as error:
        raise InputError(f"there is no file {str(path)!r} with embeddings") from error
    except (OSError, EOFError, ValueError, BadZipFile) as error:
        raise InputError(
            f"{path} is damaged, or is not a .npy or .npz file of numbers; write it with numpy.save"
        ) from error
    raise InputError(f"{path} holds {how_many(len(archive.files), 'array')}; write only the array of embeddings")


def read_texts(
    source: str | Path,
    *,
    text_column: str | None = None,
    gold_column: str | None = None,
    instance_column: str | None = None,
    embeddings: str | Path | None = None,
    format: str | None = None,  # noqa: A002  # the word people use
    table: str | None = None,
) -> Texts:
    r"""Read texts and right answers, one row per instance.

    Columns are recognised by their usual names: "text", "sentence", "question", "input", "prompt", "review" for texts;
    "gold", "label", "gold_label", "answer", "target", "class" for right answers; and instances as in `podium.read`.
    Without a column of instances, these are numbered from 0. Equal numbers are the same answer: 1.0 is 1.

    A row is left out if it has no text (unless there are embeddings), or no right answer although a column holds right
    answers. An instance may be repeated with the same text and answer, and then counts once.

    Parameters
    ----------
    source
        A file of any format that `podium.read` reads, or "-".
    text_column, gold_column, instance_column
        Columns, if podium does not recognise them.
    embeddings
        A .npy file, or .npz file with one array, of finite numbers: one row per row of the table. A .npy file is
        mapped into memory, not read, if all rows are kept.
    format, table
        As for `podium.read`.

    Returns
    -------
    Texts
        In order of the rows.

    Raises
    ------
    InputError
        A file cannot be read, holds no texts, or contradicts itself on an instance; the message says where, and what
        to do.
    LabelError
        A column that was named does not exist.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "samples.csv")
    ...     _ = path.write_text("id,sentence,label\n7,not bad,1\n9,bad,0\n")
    ...     read_texts(path).gold
    ('1', '0')
    """
    from podium.source.labels import read_keyed, read_whole  # noqa: PLC0415  # import Arrow only to read
    from podium.source.path import open_table  # noqa: PLC0415  # import Arrow only to read

    opened = open_table(source, format, table)
    given = {"text": text_column, "gold": gold_column, "instance": instance_column}
    roles = find_roles(opened.names, usual("text", "gold", "instance"), given)
    refuse_shared(opened.name, roles)
    if "text" not in roles and (embeddings is None or not roles):
        what = f"no column is called {either(USUAL['text'][:6])}; name the column of texts with {naming('text')}"
        raise lacks(opened.name, what, opened.names)
    columns = [roles[role] for role in ("text", "gold") if role in roles]
    whole, keyed = (
        read_keyed(opened, texts=columns, instance=roles["instance"])
        if "instance" in roles
        else (read_whole(opened, texts=columns), None)
    )
    vectors = None if embeddings is None else read_embeddings(embeddings, whole.n_rows, opened.name)
    words = [text or "" for text in whole.texts[roles["text"]]] if "text" in roles else None
    gold = right_answers(whole.texts[roles["gold"]]) if "gold" in roles else None
    rows = _Rows(whole, keyed, words, gold, vectors)
    notes = [] if "instance" in roles else ["no column names the instances, so rows are numbered from 0"]
    kept = _complete(rows, notes)
    return rows.chosen(_once(rows, kept, notes), notes)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Rows of a table, before some are left out."""

    whole: "Whole"
    keyed: "Keyed | None"
    texts: Sequence[str] | None
    gold: Sequence[str] | None
    vectors: NDArray[Any] | None

    def label(self, row: int) -> str:
        return repr(str(row)) if self.keyed is None else self.keyed.label(int(self.keyed.place[row]))

    def difference(self, one: int, other: int) -> str | None:
        """Return the column in which two rows differ, in words."""
        for what, values in (("text", self.texts), ("right answer", self.gold)):
            if values is not None and values[one] != values[other]:
                return what
        if self.vectors is not None and not np.array_equal(self.vectors[one], self.vectors[other]):
            return "embedding"
        return None

    def chosen(self, rows: NDArray[np.int64], notes: Sequence[str]) -> Texts:
        """Texts of some rows."""
        all_rows = rows.size == self.whole.n_rows
        return Texts(
            instances=rows if self.keyed is None else self.keyed.instances[self.keyed.place[rows]],
            texts=None if self.texts is None else tuple(self.texts[row] for row in rows.tolist()),
            gold=None if self.gold is None else tuple(self.gold[row] for row in rows.tolist()),
            embeddings=self.vectors if self.vectors is None or all_rows else self.vectors[rows],
            name=self.whole.table.name,
            notes=tuple(notes),
        )


def _complete(rows: _Rows, notes: list[str]) -> NDArray[np.int64]:
    """Complete rows; notes say which rows are left out."""
    kept = np.ones(rows.whole.n_rows, dtype=np.bool_)
    texts = None if rows.vectors is not None or rows.texts is None else [text.strip() for text in rows.texts]
    for what, values in (("text", texts), ("right answer", rows.gold)):
        lacking = [] if values is None else [row for row, value in enumerate(values) if not value]
        if len(lacking) == len(kept):
            raise InputError(f"{rows.whole.table.name}: no row has a {what}; name the right column")
        if lacking:
            shown = few([rows.label(row) for row in lacking])
            notes.append(f"{how_many(len(lacking), 'row')} without {what} left out: {shown}")
        kept[lacking] = False
    if not kept.any():
        raise InputError(f"{rows.whole.table.name}: no row has both a text and a right answer")
    return np.flatnonzero(kept)


def _once(rows: _Rows, kept: NDArray[np.int64], notes: list[str]) -> NDArray[np.int64]:
    """Return the first row of every instance; the others must say the same, and notes say how many there are."""
    if rows.keyed is None:
        return kept
    place = rows.keyed.place[kept]
    _, first, which = np.unique(place, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[which] != np.arange(kept.size))
    for row in again.tolist():
        one, other = int(kept[first[which[row]]]), int(kept[row])
        if (what := rows.difference(one, other)) is not None:
            places = f"{rows.whole.where(one)} and {rows.whole.table.where(other)}"
            raise InputError(f"{places}: instance {rows.label(one)} has another {what} in each; keep one of the rows")
    if again.size:
        shown = few(list(dict.fromkeys(rows.label(int(kept[row])) for row in again.tolist())))
        notes.append(f"{how_many(again.size, 'row')} repeating an instance counted once: {shown}")
    return np.delete(kept, again)
