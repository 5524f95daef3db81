"""What every format offers: named columns of known kinds, and batches of rows with their places in the file."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, Protocol
from unicodedata import normalize

from podium.base.errors import InputError

#: "integer", "single" (float32), "number" (any other number), "truth" (true and false), "text", "empty" (no value seen
#: yet), "nested" (lists, structures).
Kind = Literal["integer", "single", "number", "truth", "text", "empty", "nested"]

#: Words that stand for a missing score, in lower case.
MISSING = ("", "-", "--", "---", "–", "—", "na", "n/a", "#n/a", "#n/a n/a", "<na>", "null", "none", "nan", "-nan")

#: Words for right and wrong, in lower case; they count as 1 and 0.
TRUTH = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column of a table.

    Attributes
    ----------
    name
        Its name in the header.
    kind
        What its values are.
    """

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """Which columns to read, and as which kind.

    Attributes
    ----------
    labels
        Columns of systems, tasks and metrics, read as text.
    numbers
        Columns of scores or weights, read as numbers.
    instance
        Column of instance labels, or None.
    large
        Whether the table is large enough for a second thread.
    """

    labels: tuple[str, ...]
    numbers: tuple[str, ...]
    instance: str | None = None
    large: bool = False

    @property
    def columns(self) -> list[str]:
        """All columns to read, once each."""
        instance = () if self.instance is None else (self.instance,)
        return list(dict.fromkeys((*self.labels, *instance, *self.numbers)))


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows read together.

    Attributes
    ----------
    rows
        Arrow record batch or table with at least the columns of the plan.
    first
        Number of the first row in its table, from 0.
    done
        Share of the table that has been read after this batch, 0 to 1.
    """

    rows: Any
    first: int
    done: float


class SourceTable(Protocol):
    """A file, or a table of a database, before its rows are read; formats inherit what most of them share.

    `known` are labels by role ("system", "task", "repeat"), in the order that they are to have; others come behind.
    `notes` say what of the file is left out.
    """

    name: str
    columns: tuple[SourceColumn, ...]
    n_rows: int
    size: int
    known: Mapping[str, Sequence[str]] = MappingProxyType({})
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Yield the rows in order, with the columns of the plan; can be called again."""
        raise NotImplementedError

    def where(self, row: int) -> str:
        """Place of row `row`, counted from 0, in words: "line 7" or "row 7"."""
        return f"row {row + 1}"


def numbered(pieces: Iterable[Any], total: int, first: int = 0) -> Iterator[Batch]:
    """Number the rows of record batches from `first` on, of a table with about so many rows in total."""
    for rows in pieces:
        start, first = first, first + rows.num_rows
        yield Batch(rows, start, min(1.0, first / max(total, 1)))


class InstancesAreTextError(Exception):
    """Instance labels looked like integers, but some are text; read again as text."""


def is_missing(text: str) -> bool:
    """Whether a cell stands for a missing score.

    >>> [is_missing(cell) for cell in ("", " NA ", "-", "0", "n/a")]
    [True, True, True, False, True]
    """
    return text.strip().lower() in MISSING


class RowError(Exception):
    """A row of a batch that cannot be used.

    Attributes
    ----------
    row
        Number of the row in its batch, from 0.
    what
        What is wrong with it, to follow the place.
    """

    def __init__(self, row: int, what: str) -> None:
        super().__init__(what)
        self.row = row
        self.what = what


@contextmanager
def located(table: SourceTable, first: int) -> Iterator[None]:
    """Turn the error of a row into an error that names its place; its batch begins with row `first`.

    Raises
    ------
    InputError
        Instead of a `RowError`.
    """
    try:
        yield
    except RowError as error:
        raise InputError(f"{table.name}, {table.where(first + error.row)}: {error.what}") from error


#: Letters that show nothing.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")


def visible(name: str) -> str:
    """A name as it looks: letters with their accents in one, without invisible letters, and with plain blanks.

    >>> visible("cafe\u0301\u200b") == "caf\u00e9"
    True
    """
    return name if name.isascii() else _INVISIBLE.sub("", normalize("NFC", name)).replace("\u00a0", " ")


def check_names(where: str, names: list[str]) -> None:
    """Refuse a header that names a column twice."""
    seen: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        if (looks := visible(name)) in seen:
            first = names[seen[looks] - 1]
            called = f"both called {name!r}" if name == first else f"called {first!a} and {name!a}, which look alike"
            raise InputError(f"{where}: columns {seen[looks]} and {number} are {called}; rename one of them")
        seen[looks] = number


def refuse_nested(table: SourceTable, names: Collection[str | None], advice: str = "") -> None:
    """Refuse columns with several values in a cell.

    Raises
    ------
    InputError
        A column has such values.
    """
    wanted = set(names)
    for column in table.columns:
        if column.kind == "nested" and column.name in wanted:
            raise InputError(
                f"{table.name}: column {column.name!r} holds lists, structures or other values that are neither text "
                f"nor numbers; write one value per row{advice}"
            )
