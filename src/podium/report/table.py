"""Tables of text: columns, and cells that can be printed."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from podium.base.words import printable
from podium.report.number import signed


@dataclass(frozen=True, slots=True)
class Column:
    """Texts under one heading; numbers are set to the right."""

    name: str
    cells: tuple[str, ...]
    right: bool = False

    @classmethod
    def words(cls, name: str, cells: Iterable[str]) -> Self:
        """Return a column that is set to the left; signs that could steer a terminal are spelt out."""
        return cls(printable(name), tuple(map(printable, cells)))

    @classmethod
    def numbers(cls, name: str, cells: Iterable[str]) -> Self:
        """Return a column that is set to the right; a minus sign is one, and zero has none."""
        return cls(printable(name), tuple(signed(printable(cell)) for cell in cells), right=True)


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length, with an optional caption, which only HTML shows."""

    columns: tuple[Column, ...]
    caption: str = ""

    @property
    def head(self) -> tuple[str, ...]:
        """The headings."""
        return tuple(column.name for column in self.columns)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells, row by row."""
        return list(zip(*(column.cells for column in self.columns), strict=True))
