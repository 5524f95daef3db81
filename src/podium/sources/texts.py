"""Texts with their right answers from a table: a row per instance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.sources.answers import right_answers
from podium.sources.layout import SYNONYMS
from podium.sources.naming import existing, listed, named
from podium.texts import Texts
from podium.wording import counted, few

if TYPE_CHECKING:
    from podium.sources.tables import Table
    from podium.sources.whole import Keyed, Whole

__all__ = ["GOLD", "read_texts"]

#: What columns of right answers are called; the first that occurs is taken.
GOLD = ("gold", "label", "gold_label", "answer", "target", "class")

#: What columns of texts are called.
_TEXT = ("text", "sentence", "question", "input", "prompt", "review", "content", "document", "comment", "tweet")


def read_texts(
    source: str | Path,
    *,
    text: str | None = None,
    gold: str | None = None,
    instance: str | None = None,
    embeddings: str | Path | None = None,
    format: str | None = None,  # noqa: A002  # the word people use
    table: str | None = None,
) -> Texts:
    r"""Read texts and what is right, one row per instance.

    Columns are recognised by their usual names: "text", "sentence", "question", "input", "prompt", "review"; "gold",
    "label", "gold_label", "answer", "target", "class"; and those of instances as in `podium.read`. Without a column of
    instances they are numbered from 0. Right answers are written alike where they are equal numbers: 1.0 is 1.

    Rows without text (unless there are embeddings) or without a right answer (where a column holds them) are left out.
    An instance may be repeated with the same text and answer, and counts once.

    Parameters
    ----------
    source
        A file of any format that `podium.read` reads, or "-".
    text, gold, instance
        Columns, where their names do not say so.
    embeddings
        A .npy file, or .npz file with one array, of finite numbers: one row per row of the table. A .npy file is
        mapped into memory, not read, as long as all rows are kept.
    format, table
        As for `podium.read`.

    Returns
    -------
    Texts
        In order of the rows.

    Raises
    ------
    InputError
        A file cannot be read, holds no texts, or says two things of one instance: where, and what to do.
    LabelError
        There is no such column.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "samples.csv")
    ...     _ = path.write_text("id,sentence,label\n7,not bad,1\n9,bad,0\n")
    ...     read_texts(path).gold
    ('1', '0')
    """
    from podium.sources.reading import open_table  # noqa: PLC0415  # Arrow is for when something is read

    opened = open_table(source, format, table)
    opened.find_columns()
    roles = _roles(opened, {"text": text, "gold": gold, "instance": instance}, vectors=embeddings is not None)
    rows = _read(opened, roles, embeddings)
    notes = [] if "instance" in roles else ["no column names the instances; they are numbered from 0, row by row"]
    kept = _complete(rows, notes)
    return rows.chosen(_once(rows, kept, notes), notes)


def _roles(opened: "Table", given: Mapping[str, str | None], *, vectors: bool) -> dict[str, str]:
    """Column by role: as said, else by the first usual name that occurs."""
    names = [column.name for column in opened.columns]
    roles = {role: existing(name, names) for role, name in given.items() if name is not None}
    said = list(roles.values())
    if twice := [name for name in said if said.count(name) > 1]:
        raise InputError(f"{opened.name}: column {twice[0]!r} is named in two roles; keep one")
    for role, usual in (("text", _TEXT), ("gold", GOLD), ("instance", SYNONYMS["instance"])):
        if role not in roles and (found := named(usual, names, roles.values())) is not None:
            roles[role] = found
    if "text" in roles or (vectors and roles):
        return roles
    raise InputError(
        f"{opened.name}: no column is called {' or '.join(map(repr, _TEXT[:6]))}; say which one holds the texts with "
        f"text= (--text). Its columns are {listed(names)}"
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Rows of the table, before any is left out."""

    whole: "Whole"
    keyed: "Keyed | None"
    texts: Sequence[str] | None
    gold: Sequence[str] | None
    vectors: NDArray[Any] | None

    def label(self, row: int) -> str:
        return repr(str(row)) if self.keyed is None else self.keyed.label(int(self.keyed.place[row]))

    def difference(self, one: int, other: int) -> str | None:
        """In what two rows differ."""
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


def _read(opened: "Table", roles: Mapping[str, str], embeddings: str | Path | None) -> _Rows:
    from podium.sources.whole import read_keyed, read_whole  # noqa: PLC0415  # Arrow is for when something is read

    columns = [roles[role] for role in ("text", "gold") if role in roles]
    whole, keyed = (
        read_keyed(opened, texts=columns, instance=roles["instance"])
        if "instance" in roles
        else (read_whole(opened, texts=columns), None)
    )
    vectors = None
    if embeddings is not None:
        from podium.sources.embeddings import read_embeddings  # noqa: PLC0415  # only where there are some

        vectors = read_embeddings(embeddings, whole.n_rows, opened.name)
    texts = [text or "" for text in whole.texts[roles["text"]]] if "text" in roles else None
    gold = right_answers(whole.texts[roles["gold"]]) if "gold" in roles else None
    return _Rows(whole, keyed, texts, gold, vectors)


def _complete(rows: _Rows, notes: list[str]) -> NDArray[np.int64]:
    """Rows that have all they need; notes say which have not."""
    kept = np.ones(rows.whole.n_rows, dtype=np.bool_)
    texts = None if rows.vectors is not None or rows.texts is None else [text.strip() for text in rows.texts]
    for what, values in (("text", texts), ("right answer", rows.gold)):
        lacking = [] if values is None else [row for row, value in enumerate(values) if not value]
        if len(lacking) == len(kept):
            raise InputError(f"{rows.whole.table.name}: no row has a {what}; name the column that has one")
        if lacking:
            shown = few([rows.label(row) for row in lacking])
            notes.append(f"{counted(len(lacking), 'row')} without {what} left out: {shown}")
        kept[lacking] = False
    if not kept.any():
        raise InputError(f"{rows.whole.table.name}: no row has both a text and a right answer")
    return np.flatnonzero(kept)


def _once(rows: _Rows, kept: NDArray[np.int64], notes: list[str]) -> NDArray[np.int64]:
    """The first row of every instance; the others must say the same, and notes say how many there are."""
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
        notes.append(f"{counted(again.size, 'row')} repeating an instance counted once: {shown}")
    return np.delete(kept, again)
