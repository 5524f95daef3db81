"""Columns of text on both sides of a forest plot: how wide they are, and where they stand."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from podium.plots.canvas import INK, size_of
from podium.plots.forest_columns import Column
from podium.plots.forest_rows import Row, Rows
from podium.plots.lettering import Lettering, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Table"]

#: Between columns, between parts of a cell, from the axes to a column, and of indentation, in heights of letters.
_GAP, _INNER, _EDGE, _INDENT = 1.6, 0.35, 1.5, 1.0

#: From the middle of a row down to the line that letters stand on: half a figure, in heights of letters.
_SINK = 0.365

Side = Literal["left", "center", "right"]


@dataclass(frozen=True, slots=True)
class Table:
    """Everything written beside the axes.

    Attributes
    ----------
    rows
        With labels as they are drawn.
    left, right
        Columns next to the labels, and right of the axes.
    fonts
        That have all letters.
    """

    rows: Rows
    left: tuple[Column, ...]
    right: tuple[Column, ...]
    fonts: Lettering

    @classmethod
    def of(cls, rows: Rows, left: Iterable[Column], right: Iterable[Column]) -> "Table":
        """Shorten what is written, and find fonts for it."""
        left, right = tuple(left), tuple(right)
        texts = dict.fromkeys(row.label for row in rows.rows)
        for column in (*left, *right):
            texts.update(dict.fromkeys([column.heading, *(part for cell in column.cells for part in cell)]))
        fonts = Lettering.of(list(texts))
        drawn = dict(zip(texts, fonts.texts, strict=True))
        named = tuple(replace(row, label=drawn[row.label]) for row in rows.rows)
        return cls(replace(rows, rows=named), _drawn(left, drawn), _drawn(right, drawn), fonts)

    def widths(self, size: float) -> tuple[float, float]:
        """Inches that columns need left and right of the axes, with letters of a size in points."""
        gap, edge = (share * size / 72 for share in (_GAP, _EDGE))
        left = self._labels(size) + sum(gap + self._width(column, size) for column in self.left)
        left = max(left, *(self._label(row, size) for row in self.rows.rows)) + edge
        right = sum(gap + self._width(column, size) for column in self.right) - gap + edge if self.right else 0.0
        return left, right

    def draw(self, ax: "Axes", size: float) -> None:
        """Write labels, headings and cells, and rules below the headings and above the summary."""
        gap, edge = (share * size / 72 for share in (_GAP, _EDGE))
        width = size_of(ax)[0]
        left, right = self.widths(size)
        self._write(ax, (-left, -0.5), "Task", size=size, bold=True)
        for row in self.rows.rows:
            start = -left + row.indented * _INDENT * size / 72
            self._write(ax, (start, row.y), row.label, size=size, bold=row.bold)
        for columns, start in ((self.left, -left + self._labels(size) + gap), (self.right, width + edge)):
            x = start
            for column in columns:
                self._column(ax, column, x, size)
                x += self._width(column, size) + gap
        ends = [-left / width, 1 + right / width]
        for y, thickness in ((0.0, 0.8), (self.rows.rule, 0.5)):
            ax.plot(ends, [y, y], transform=ax.get_yaxis_transform(), color=INK, linewidth=thickness, clip_on=False)

    def _measure(self, text: str, size: float, *, bold: bool = False) -> float:
        """Inches of a text on one line."""
        return text_width(text, self.fonts.font(size, bold=bold))

    def _label(self, row: Row, size: float) -> float:
        return self._measure(row.label, size, bold=row.bold) + row.indented * _INDENT * size / 72

    def _labels(self, size: float) -> float:
        """Inches of the widest label; one with nothing next to it may go on into the columns."""
        cells = (
            zip(*(column.cells for column in self.left), strict=True) if self.left else [(True,)] * len(self.rows.rows)
        )
        beside = [self._label(row, size) for row, cell in zip(self.rows.rows, cells, strict=True) if any(cell)]
        return max(*beside, self._measure("Task", size, bold=True))

    def _parts(self, column: Column, size: float) -> list[float]:
        """Inches of the parts of cells; cells of fewer parts than others do not count."""
        most = max(map(len, column.cells), default=0)
        cells = [(row, cell) for row, cell in zip(self.rows.rows, column.cells, strict=True) if len(cell) == most]
        return [max(self._measure(cell[part], size, bold=row.bold) for row, cell in cells) for part in range(most)]

    def _content(self, column: Column, size: float) -> float:
        """Inches of cells without the heading."""
        parts = self._parts(column, size)
        cells = zip(self.rows.rows, column.cells, strict=True)
        alone = max((self._measure(cell[0], size, bold=row.bold) for row, cell in cells if len(cell) == 1), default=0.0)
        return max(alone, sum(parts) + _INNER * size / 72 * max(0, len(parts) - 1))

    def _width(self, column: Column, size: float) -> float:
        return max(self._measure(column.heading, size, bold=True), self._content(column, size))

    def _column(self, ax: "Axes", column: Column, x: float, size: float) -> None:
        """Write a column that begins at x: words from the left, numbers up to the right, parts in the middle."""
        width, parts = self._width(column, size), self._parts(column, size)
        end = x + width
        side: Side = "left" if column.words else "right" if len(parts) < 2 else "center"
        places = {"left": x, "right": end, "center": (x + end) / 2}
        self._write(ax, (places[side], -0.5), column.heading, size=size, side=side, bold=True)
        for row, cell in zip(self.rows.rows, column.cells, strict=True):
            if len(cell) == 1:
                self._write(ax, (places[side], row.y), cell[0], size=size, side=side, bold=row.bold)
                continue
            stop = end - (width - self._content(column, size)) / 2
            for part, room in reversed(list(zip(cell, parts, strict=False))):
                self._write(ax, (stop, row.y), part, size=size, side="right", bold=row.bold)
                stop -= room + _INNER * size / 72

    def _write(
        self, ax: "Axes", place: tuple[float, float], text: str, *, size: float, side: Side = "left", bold: bool = False
    ) -> None:
        """Write at so many inches from the left of the axes, in a row."""
        width, height = size_of(ax)
        ax.text(
            place[0] / width,
            place[1] + _SINK * size / 72 / height * self.rows.height,
            text,
            transform=ax.get_yaxis_transform(),
            ha=side,
            va="baseline",
            fontproperties=self.fonts.font(size, bold=bold),
            color=INK,
            parse_math=False,
        )


def _drawn(columns: tuple[Column, ...], drawn: dict[str, str]) -> tuple[Column, ...]:
    return tuple(
        replace(
            column,
            heading=drawn[column.heading],
            cells=tuple(tuple(drawn[part] for part in cell) for cell in column.cells),
        )
        for column in columns
    )
