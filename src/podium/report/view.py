"""What any result looks like: a view of tables and figures, the width of text, and how numbers are written."""

import math
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from math import nan
from typing import TYPE_CHECKING, Any, Self

from podium.base.check import matching
from podium.base.errors import OutputError
from podium.base.words import DASH, Misleading, printable, rounded, weightiest_first

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: Categories of signs that take no place of their own: marks on a letter, and joiners.
_NO_PLACE = frozenset({"Mn", "Me", "Cf"})

#: Shares of what stays of a name that stand before the cut.
_BEFORE = (0.5, 0.75, 0.25, 0.9, 0.1)


def width_of(text: str) -> int:
    r"""Return the places on the screen: two for wide East Asian characters, none for combining marks.

    >>> width_of("日本"), width_of("e\u0301")
    (4, 1)
    """
    return len(text) if text.isascii() else sum(map(_places, text))


def _places(sign: str) -> int:
    if unicodedata.category(sign) in _NO_PLACE:
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def longest_word(text: str) -> int:
    """Return the places of the widest word."""
    return max(map(width_of, text.split(" ")))


def folded(text: str, width: int) -> list[str]:
    """Break a text into lines between its words, never inside one.

    >>> folded("share of scores removed", 12)
    ['share of', 'scores', 'removed']
    """
    lines: list[str] = []
    for word in text.split(" "):
        if lines and width_of(lines[-1]) + 1 + width_of(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def shorten(name: str, width: int, before: float = 0.5) -> str:
    """Leave out the middle of a name that is too wide; of what stays, a share is before the cut.

    >>> shorten("distilbert-base-cased", 12), shorten("bert", 12)
    ('distil…cased', 'bert')
    """
    if width_of(name) <= width:
        return name
    left = min(max(round((width - 1) * before + 0.25), 1), width - 2)
    end = _beginning(name[::-1], width - 1 - left)[::-1]
    while end and not _places(end[0]):  # a mark whose letter was left out
        end = end[1:]
    return f"{_beginning(name, left)}…{end}"


def _beginning(text: str, width: int) -> str:
    """Return as many signs of a text as have room."""
    if text.isascii():
        return text[:width]
    used = 0
    for index, sign in enumerate(text):
        used += _places(sign)
        if used > width:
            return text[:index]
    return text


def shortened(names: Collection[str], width: int) -> list[str]:
    """Shorten names alike: in the middle, or a little to the side of it where that keeps more of them different.

    >>> shortened(["model-7b-instruct", "model-9b-instruct"], 12)
    ['model-7b…uct', 'model-9b…uct']
    """
    best: list[str] = []
    for before in _BEFORE:
        texts = [shorten(name, width, before) for name in names]
        if len(set(texts)) > len(set(best)):
            best = texts
        if len(set(best)) == len(set(names)):
            break
    return best


def enough(names: Collection[str], least: int, most: int) -> int:
    """Return a width at which different names still look different, as small as it goes; without one, the least.

    >>> enough(["llama-3-8b-chat", "llama-3-70b-chat"], 5, 16)
    9
    """
    different = set(names)

    def all_differ(width: int) -> bool:
        return len(set(shortened(different, width))) == len(different)

    widths = range(least, most + 1)
    found = bisect_left(widths, True, key=all_differ)  # almost always, names that differ do so at greater widths
    return widths[found] if found < len(widths) else least


#: Decimals of scores and effects, while a view is made that has them given.
_DIGITS: ContextVar[int | None] = ContextVar("digits", default=None)


def places_of(usual: int) -> int:
    """Return how many decimals a table shows: the usual number, unless one is given, see `DocumentStyle`."""
    given = _DIGITS.get()
    return usual if given is None else given


def exact_places(values: Iterable[float], most: int) -> int:
    """Return the fewest decimals that show all numbers as they are, at most so many.

    >>> exact_places([72.6, 75.0, nan], 4), exact_places([1 / 3], 4)
    (1, 4)
    """
    known = [value for value in values if math.isfinite(value)]
    return next((places for places in range(most) if all(round(value, places) == value for value in known)), most)


#: A float64 holds no more significant digits than this.
_MOST = 16

#: Digits beyond four that a pair of neighbours may ask of a whole column.
_MORE = 3


def score_texts(scores: Sequence[float | None], ranks: Sequence[int | None], least: int | None = None) -> list[str]:
    """Write scores alike, with four digits, or up to three more where that makes neighbouring ranks look different.

    Parameters
    ----------
    scores
        Best first, None where there is none.
    ranks
        Rank of each score; scores that share a rank may look the same.
    least
        Decimals to begin with, in place of four digits.

    Examples
    --------
    >>> score_texts([0.75, 0.5, None], [1, 2, None])
    ['0.7500', '0.5000', '–']
    >>> score_texts([0.500001, 0.5], [1, 2])
    ['0.500001', '0.500000']
    """
    if (given := _DIGITS.get()) is not None:
        return [DASH if score is None else f"{rounded(score, given):f}" for score in scores]
    largest = max((abs(score) for score in scores if score is not None), default=0.0)
    style, first = _start(largest) if least is None else ("f", least)
    written = (
        [
            DASH if score is None else f"{rounded(score, places):f}" if style == "f" else f"{score:.{places}e}"
            for score in scores
        ]
        for places in range(first, first + _MORE + 1)
    )
    return min(written, key=lambda texts: _alike(texts, ranks))


def _start(largest: float) -> tuple[str, int]:
    """Return notation and number of decimals that show four digits of the largest score."""
    if largest == 0:
        return "f", 4
    if not 1e-4 <= largest < 1e12:
        return "e", 3
    return "f", 4 + max(0, -1 - math.floor(math.log10(largest)))


def _alike(texts: Sequence[str], ranks: Sequence[int | None]) -> int:
    """Count neighbours that look the same on different ranks."""
    rows = list(zip(texts, ranks, strict=True))
    return sum(upper[0] == lower[0] and upper[1] != lower[1] for upper, lower in pairwise(rows))


def with_error(value: float, error: float) -> str:
    """Write a value with its standard error in brackets, to two digits of the error.

    >>> with_error(0.71254, 0.01239), with_error(-12.3, 0.0), with_error(0.5, float("nan")), with_error(1234.5, 321.0)
    ('0.713 (0.012)', '−12.3000 (0)', '0.5000', '1235 (321)')
    >>> with_error(3e-40, 2e-41)
    '3.000e-40 (2.0e-41)'
    """
    if math.isnan(value):
        return DASH
    if (given := _DIGITS.get()) is not None:
        return signed(f"{rounded(value, given):f}") + (f" ({rounded(error, given):f})" if math.isfinite(error) else "")
    if not 0 < error < math.inf:
        return signed(score_texts([value], [None])[0]) + (" (0)" if error == 0 else "")
    if not 1e-4 <= max(abs(value), error) < 1e12:
        return f"{signed(f'{value:.3e}')} ({error:.1e})"
    places = min(max(0, 1 - math.floor(math.log10(error))), _MOST)
    return signed(f"{rounded(value, places):f}") + f" ({rounded(error, places):f})"


def signed(number: str) -> str:
    """Write a minus sign in place of a hyphen, and none where rounding left only zeros.

    >>> signed("-0.75"), signed("-0.000"), signed("1–3")
    ('−0.75', '0.000', '1–3')
    """
    if not number.startswith("-"):
        return number
    return number[1:] if set(number[1:]) <= set("0.") else f"−{number[1:]}"


@dataclass(frozen=True, slots=True)
class Column:
    """Texts under one heading.

    Attributes
    ----------
    name
        The heading.
    cells
        The texts.
    right
        Numbers, which are set to the right.
    label
        Names of systems, tasks and the like. A narrow terminal shortens them in the middle, and never leaves them out.
    named
        The heading is itself such a name: it stays on one line, and may be shortened.
    priority
        A narrow terminal leaves out columns of the lowest priority first, and of these the one to the right.
    best
        Which cells are the best, for documents that show these in bold; nothing where that makes no sense.
    """

    name: str
    cells: tuple[str, ...]
    right: bool = False
    label: bool = False
    named: bool = False
    priority: int = 0
    best: tuple[bool, ...] = ()

    @classmethod
    def labels(cls, name: str, cells: Iterable[str]) -> Self:
        """Return a column of names; signs that could steer a terminal are spelt out."""
        return cls(printable(name), tuple(map(printable, cells)), label=True)

    @classmethod
    def words(cls, name: str, cells: Iterable[str], priority: int = 0) -> Self:
        """Return a column that is set to the left; a narrow terminal breaks its lines between words."""
        return cls(printable(name), tuple(map(printable, cells)), priority=priority)

    @classmethod
    def numbers(cls, name: str, cells: Iterable[str], priority: int = 0, *, named: bool = False) -> Self:
        """Return a column that is set to the right; a minus sign is one, and zero has none."""
        texts = tuple(signed(printable(cell)) for cell in cells)
        return cls(printable(name), texts, right=True, named=named, priority=priority)


@dataclass(frozen=True, slots=True)
class Bars:
    """Intervals that a notebook draws beside a table, and a terminal where there is room, all on one scale.

    Attributes
    ----------
    name
        The heading.
    ends
        Of each row the low end, the value and the high end; NaN where there is none.
    origin
        What values are held against, such as an effect of 0; it is always in sight.
    """

    name: str
    ends: tuple[tuple[float, float, float], ...]
    origin: float | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length.

    Attributes
    ----------
    columns
        From left to right.
    caption
        Only HTML shows it.
    foot
        How many rows at the end sum up the others.
    bars
        Intervals of the rows.
    bands
        The group that each row belongs to, such as its tier; colours alternate with it.
    whole
        The table that this one was cut from.
    detail
        Text shows it with `--wide` alone; documents always do.
    spare
        Columns that are shown only if they are chosen.
    listing
        It lists examples: `top` shortens it, too, and GitHub folds it.
    """

    columns: tuple[Column, ...]
    caption: str = ""
    foot: int = 0
    bars: Bars | None = None
    bands: tuple[Hashable, ...] = ()
    whole: "Table | None" = None
    detail: bool = False
    spare: tuple[Column, ...] = ()
    listing: bool = False

    @property
    def head(self) -> tuple[str, ...]:
        """Return the headings."""
        return tuple(column.name for column in self.columns)

    @property
    def choice(self) -> tuple[str, ...]:
        """Return what `only` can choose: the headings, that of the bars among them."""
        return (*self.head, *(column.name for column in self.spare), *([self.bars.name] if self.bars else []))

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """Return the cells, row by row."""
        return list(zip(*(column.cells for column in self.columns), strict=True))

    @property
    def striped(self) -> tuple[bool, ...]:
        """Return whether each row is in every other band; of a table without bands no row is."""
        odd = [bool(index % 2) for index, (_, band) in enumerate(groupby(self.bands)) for _ in band]
        return tuple(odd) or (False,) * len(self.rows)

    def cut(self, most: int) -> "Table":
        """Return the first rows and those of the foot, and between them a row that says how many are left out.

        >>> Table((Column.labels("system", "ABCD"), Column.numbers("score", "9876"))).cut(2).rows
        [('A', '9'), ('B', '8'), ('… 2 more', '')]
        """
        whole = self.whole or self
        body = len(whole.rows) - whole.foot
        if body <= most:
            return whole

        def kept(every: tuple[Any, ...], between: object) -> tuple[Any, ...]:
            return (*every[:most], between, *every[body:])

        said = next((index for index, column in enumerate(whole.columns) if column.label), 0)
        more = ["", f"… {body - most:,} more"]
        columns = tuple(
            replace(
                column, cells=kept(column.cells, more[index == said]), best=column.best and kept(column.best, False)
            )
            for index, column in enumerate((*whole.columns, *whole.spare))
        )
        return replace(
            whole,
            columns=columns[: len(whole.columns)],
            spare=columns[len(whole.columns) :],
            bars=whole.bars and replace(whole.bars, ends=kept(whole.bars.ends, (nan, nan, nan))),
            bands=whole.bands and kept(whole.bands, None),
            whole=whole,
        )

    def only(self, names: Collection[str]) -> "Table":
        """Return the names of the rows, and the columns with these headings; everything where none has one.

        >>> table = Table((Column.labels("system", "A"), Column.numbers("rank", "1"), Column.numbers("score", "9")))
        >>> table.only(["rank"]).head
        ('system', 'rank')
        """
        if not set(names) & set(self.choice):
            return self
        chosen = tuple(column for column in (*self.columns, *self.spare) if column.label or column.name in names)
        return replace(self, columns=chosen, bars=self.bars if self.bars and self.bars.name in names else None)


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture of a result that can be drawn.

    Attributes
    ----------
    name
        How one asks for it, and its file name in a folder.
    title
        What it shows, in words.
    draw
        From options of the picture to its axes; raises MethodError where the result has nothing to draw.
    """

    name: str
    title: str
    draw: Callable[..., "Axes | Sequence[Axes]"]


#: What the parts of a style may be, in types and in words, and the formats that they are for.
_STYLED: dict[str, tuple[type, str, tuple[str, ...]]] = {
    "caption": (str, "a text", ("latex",)),
    "label": (str, "a text", ("latex",)),
    "bold": (bool, "true or false", ("latex", "markdown")),
    "digits": (int, f"a whole number of decimals, 0 to {_MOST}", ("table", "markdown", "github", "latex", "html")),
}


#: What ends or breaks a label in LaTeX.
_NO_LABEL = re.compile(r"[\\{}%#~^$&\x00-\x1f]")


@dataclass(frozen=True, slots=True)
class DocumentStyle:
    """What a caller asks of the looks of a document.

    Attributes
    ----------
    caption, label
        Of the main table in LaTeX; either makes it a float. A caption is plain text, or LaTeX if it has a backslash.
    bold
        Whether the best cells are bold.
    digits
        Decimals of scores and effects in tables; None for as many as they need.
    """

    caption: str | None = None
    label: str | None = None
    bold: bool = False
    digits: int | None = None

    def check(self, format_: str) -> None:
        """Refuse what a format does not show.

        Raises
        ------
        OutputError
            It has no captions, labels, bold letters or rounded numbers; or a number of decimals, or a label, is none.
        """
        for name, (kind, wanted, formats) in _STYLED.items():
            value: Any = getattr(self, name)
            if value is None or value is False:
                continue
            if type(value) is not kind or (isinstance(value, int) and not 0 <= value <= _MOST):
                raise OutputError(f"{name} is {value!r}; it must be {wanted}")
            if format_ not in formats:
                raise OutputError(f"{name} (--{name}) is for {', '.join(formats)}, and not for {format_}; leave it out")
        if bad := _NO_LABEL.search(self.label or ""):
            raise OutputError(
                f"label (--label) {self.label!r} has {bad[0]!r}, which a label in LaTeX cannot have; "
                "use letters, digits and :.-_, as in tab:results"
            )

    def of(self, make: "Callable[[], View]") -> "View":
        """Return a view in this style.

        Raises
        ------
        OutputError
            Nothing is best in it, and that is to be bold.
        """
        token = _DIGITS.set(self.digits)
        try:
            view = replace(make(), style=self)
        finally:
            _DIGITS.reset(token)
        if self.bold and not any(column.best for table in view.tables for column in table.columns):
            raise OutputError(
                "bold (--bold) shows what is best in a ranking or on a task, and this shows neither; leave it out"
            )
        return view


@dataclass(frozen=True, slots=True)
class View:
    """A title, what the result says, its tables, notes and pictures, and how to read them.

    Attributes
    ----------
    title
        What was done to what.
    tables
        The numbers, most important first.
    notes
        What to know before trusting them.
    verdict
        The answer in sentences; it stands first, after notes without which it misleads.
    figures
        Pictures that can be drawn of it; the first is the usual one.
    explain
        How to read it: what columns mean, and how intervals were made. Documents say it; a terminal does if asked.
    main
        Which of the tables holds the rows of the result.
    about
        The systems that the verdict is about, if only the title names them; for readers of the verdict alone.
    style
        What a caller asks of its looks.
    """

    title: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()
    verdict: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    explain: tuple[str, ...] = ()
    main: int = 0
    about: str = ""
    style: DocumentStyle = DocumentStyle()

    def __post_init__(self) -> None:
        for name in ("title", "about"):
            object.__setattr__(self, name, printable(getattr(self, name)))
        first = tuple(note for note in self.notes if isinstance(note, Misleading))
        others = (note for note in self.notes if note not in first)
        object.__setattr__(self, "verdict", (*first, *self.verdict))
        object.__setattr__(self, "notes", weightiest_first(others))  # those of parts may be joined
        for name in ("notes", "verdict", "explain"):
            object.__setattr__(self, name, tuple(map(printable, getattr(self, name))))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return what to know, and how to read it, for documents."""
        return (*self.notes, *self.explain)

    def chosen(self, top: int | None = None, columns: Collection[str] = ()) -> Self:
        """Return the view with the first rows of its main table, and with some columns of its tables.

        Parameters
        ----------
        top
            How many rows, of lists of examples, too; None for as many as there are.
        columns
            Headings, or patterns of them; a table that has none of them keeps all its columns.

        Raises
        ------
        LabelError
            No table has such a column.

        Examples
        --------
        >>> import podium
        >>> podium.rank(podium.datasets.toy_table1()).view().chosen(1, ["rank"]).tables[0].rows
        [('1', 'C'), ('', '… 2 more')]
        """
        known = list(dict.fromkeys(name for table in self.tables for name in table.choice))
        main = self.tables[self.main].spare if self.tables else ()
        every = [column.name for column in main if column.named]
        columns = matching("column", _with_tasks(columns, every, known), known)
        tables = [
            table.cut(top) if top is not None and (place == self.main or table.listing) else table
            for place, table in enumerate(self.tables)
        ]
        return replace(self, tables=tuple(table.only(columns) for table in tables))


def _with_tasks(columns: Collection[str], tasks: Sequence[str], known: Collection[str]) -> list[str]:
    """Put the tasks in place of `tasks`, unless that is itself a heading."""
    if not tasks or "tasks" in known:
        return list(columns)
    return [name for one in columns for name in (tasks if one == "tasks" else [one])]
