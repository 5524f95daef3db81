"""Tables of text: columns, cells that can be printed, and what a terminal may leave out of them."""

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from math import nan
from typing import Any, Self

from podium.base.words import printable
from podium.report.number import signed


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
    """

    name: str
    cells: tuple[str, ...]
    right: bool = False
    label: bool = False
    named: bool = False
    priority: int = 0

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
    """

    columns: tuple[Column, ...]
    caption: str = ""
    foot: int = 0
    bars: Bars | None = None
    bands: tuple[Hashable, ...] = ()
    whole: "Table | None" = None

    @property
    def head(self) -> tuple[str, ...]:
        """The headings."""
        return tuple(column.name for column in self.columns)

    @property
    def choice(self) -> tuple[str, ...]:
        """What `only` can choose: the headings, that of the bars among them."""
        return (*self.head, *([self.bars.name] if self.bars else []))

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells, row by row."""
        return list(zip(*(column.cells for column in self.columns), strict=True))

    @property
    def striped(self) -> tuple[bool, ...]:
        """Whether each row is in every other band; of a table without bands no row is."""
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
        return replace(
            whole,
            columns=tuple(
                replace(column, cells=kept(column.cells, more[index == said]))
                for index, column in enumerate(whole.columns)
            ),
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
        chosen = tuple(column for column in self.columns if column.label or column.name in names)
        return replace(self, columns=chosen, bars=self.bars if self.bars and self.bars.name in names else None)
