"""Texts with their right answers from a table: one row per instance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from podium.base.check import checked_path
from podium.base.errors import InputError
from podium.base.words import few, how_many
from podium.difficulty.result import Texts
from podium.source.grade import right_answers
from podium.source.table import USUAL, either, find_roles, lacks, naming, refuse_shared, usual

if TYPE_CHECKING:
    from podium.source.labels import Keyed, Whole
    from podium.source.table import SourceTable

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
            return _only(path, np.load(raw, allow_pickle=False))
    except InputError:
        raise
    except FileNotFoundError as error:
        raise InputError(f"there is no file {str(path)!r} with embeddings") from error
    except (OSError, EOFError, ValueError, BadZipFile) as error:
        raise InputError(
            f"{path} is damaged, or is not a .npy or .npz file of numbers; write it with numpy.save"
        ) from error


def _only(path: Path, archive: Any) -> NDArray[Any]:
    """Return the only array of an archive."""
    if len(archive.files) != 1:
        raise InputError(f"{path} holds {how_many(len(archive.files), 'array')}; write only the array of embeddings")
    return np.asarray(archive[archive.files[0]])


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
    from podium.source.path import open_table  # noqa: PLC0415  # import Arrow only to read

    opened = open_table(source, format, table)
    given = {"text": text_column, "gold": gold_column, "instance": instance_column}
    roles = _roles(opened, given, vectors=embeddings is not None)
    rows = _read(opened, roles, embeddings)
    notes = [] if "instance" in roles else ["no column names the instances, so rows are numbered from 0"]
    kept = _complete(rows, notes)
    return rows.chosen(_once(rows, kept, notes), notes)


def _roles(opened: "SourceTable", given: Mapping[str, str | None], *, vectors: bool) -> dict[str, str]:
    """Return the column of each role: the given one, else the first usual name that occurs."""
    roles = find_roles(opened.names, usual("text", "gold", "instance"), given)
    refuse_shared(opened.name, roles)
    if "text" in roles or (vectors and roles):
        return roles
    what = f"no column is called {either(USUAL['text'][:6])}; name the column of texts with {naming('text')}"
    raise lacks(opened.name, what, opened.names)


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


def _read(opened: "SourceTable", roles: Mapping[str, str], embeddings: str | Path | None) -> _Rows:
    from podium.source.labels import read_keyed, read_whole  # noqa: PLC0415  # import Arrow only to read

    columns = [roles[role] for role in ("text", "gold") if role in roles]
    whole, keyed = (
        read_keyed(opened, texts=columns, instance=roles["instance"])
        if "instance" in roles
        else (read_whole(opened, texts=columns), None)
    )
    vectors = None
    if embeddings is not None:
        vectors = read_embeddings(embeddings, whole.n_rows, opened.name)
    texts = [text or "" for text in whole.texts[roles["text"]]] if "text" in roles else None
    gold = right_answers(whole.texts[roles["gold"]]) if "gold" in roles else None
    return _Rows(whole, keyed, texts, gold, vectors)


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
