"""The text around a forest plot: columns on both sides, words above and below."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from podium.comparison.figure.column import Column
from podium.comparison.figure.mark import Row, Rows
from podium.comparison.result import MetaAnalysis
from podium.report.draw.canvas import INK, NOTE_SIZE, size_of
from podium.report.draw.legend import wrapped
from podium.report.draw.lettering import Lettering, room_of, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Longest label of a system that is said to be favoured, in letters.
_SHORT = 24


def favours(analysis: MetaAnalysis) -> tuple[str, str]:
    """Say what is left and right of no effect; nothing of a correlation, or where the systems have no names.

    Examples
    --------
    >>> favours(MetaAnalysis("BERT", "GPT", "md", "reml", "normal", 0.95, (), None))
    ('← favours BERT', 'favours GPT →')
    """
    names = (analysis.control, analysis.treatment)
    if analysis.kind == "corr" or not any(names):
        return "", ""
    if max(map(len, names)) > _SHORT:
        names = ("control", "treatment")
    return f"← favours {names[0]}", f"favours {names[1]} →"


#: Size of a title, in points; height of its lines and of the others, and room for the numbers of the axis, in inches.
_TITLE_SIZE, _TITLE, _LINE, _NUMBERS = 9.5, 0.19, 0.145, 0.22

#: Between words that favour one side and the line of no effect, and around a margin, in inches.
_APART, _PAD = 0.08, 0.06


@dataclass(frozen=True, slots=True)
class Margins:
    """Words around a picture, in lines that are as long as it is wide.

    Attributes
    ----------
    title, label
        Above all; below the axis.
    sides
        What lies left and right of no effect, or twice nothing.
    remarks
        Sentences in parts, between which a line may end.
    fonts
        That have all letters.
    """

    title: str
    label: str
    sides: tuple[str, str]
    remarks: tuple[tuple[str, ...], ...]
    fonts: Lettering

    @classmethod
    def of(cls, title: str, label: str, sides: tuple[str, str], remarks: Sequence[Sequence[str]]) -> "Margins":
        """Find fonts for what is said."""
        parts = [part for sentence in remarks for part in sentence]
        fonts = Lettering.of([title, shorten(label, 60), *sides, *parts], most=10**6)
        title, label, left, right, *drawn = fonts.texts
        rest = iter(drawn)
        return cls(title, label, (left, right), tuple(tuple(next(rest) for _ in one) for one in remarks), fonts)

    def reach(self, width: float, null: float) -> tuple[float, float]:
        """Inches that words below the axis stick out of axes of a width, with no effect at some inches."""
        left, right = (self._measure(side) + _APART if side else 0.0 for side in self.sides)
        label = (self._measure(self.label) - width) / 2
        return max(left - null, label, 0.0), max(null + right - width, label, 0.0)

    def heights(self, width: float) -> tuple[float, float]:
        """Inches above the headings and below the axes that are needed where lines have some inches."""
        title = _TITLE * len(self._title(width)) + _PAD
        return title, _NUMBERS + _LINE * (1 + any(self.sides) + len(self._remarks(width))) + 2 * _PAD

    def draw(self, ax: "Axes", *, null: float, above: float, reach: tuple[float, float]) -> None:
        """Write around axes.

        Parameters
        ----------
        ax
            Axes.
        null
            Inches from their left to no effect.
        above, reach
            Inches that headings take above, and columns on both sides.
        """
        width, height = size_of(ax)
        left = reach[0]
        whole = width + sum(reach)
        bold, plain = self.fonts.font(_TITLE_SIZE, bold=True), self.fonts.font(NOTE_SIZE)
        y = height + above + _PAD
        for line in reversed(self._title(whole)):
            self._write(ax, (-left, y), line, va="bottom", fontproperties=bold)
            y += _TITLE
        ax.set_xlabel(self.label, fontproperties=plain, color=INK, parse_math=False, va="top")
        ax.xaxis.set_label_coords(0.5, -_NUMBERS / height)
        y = -_NUMBERS - _LINE
        if any(self.sides):
            self._write(ax, (null - _APART, y), self.sides[0], ha="right", va="top", fontproperties=plain)
            self._write(ax, (null + _APART, y), self.sides[1], va="top", fontproperties=plain)
            y -= _LINE
        for line in self._remarks(whole):
            self._write(ax, (-left, y - _PAD), line, va="top", fontproperties=plain)
            y -= _LINE

    def _measure(self, text: str, size: float = NOTE_SIZE, *, bold: bool = False) -> float:
        return room_of(text, self.fonts.font(size, bold=bold))

    def _title(self, width: float) -> list[str]:
        """Lines of the title, cut where a word is longer than a line."""
        if not self.title:
            return []
        fits = self._fits(width, _TITLE_SIZE, bold=True)
        lines = wrapped(self.title.split(" "), fits, " ")
        return [next(cut for most in range(len(line) * 2, 0, -1) if fits(cut := shorten(line, most))) for line in lines]

    def _remarks(self, width: float) -> list[str]:
        return [line for sentence in self.remarks for line in wrapped(sentence, self._fits(width, NOTE_SIZE))]

    def _fits(self, width: float, size: float, *, bold: bool = False) -> Callable[[str], bool]:
        return lambda text: self._measure(text, size, bold=bold) <= width

    def _write(self, ax: "Axes", place: tuple[float, float], text: str, **style: Any) -> None:
        """Write at so many inches from the lower left of the axes."""
        width, height = size_of(ax)
        x, y = place[0] / width, place[1] / height
        ax.text(x, y, text, transform=ax.transAxes, color=INK, parse_math=False, **style)


#: Between columns, between parts of a cell, from the axes to a column, and of indentation, in heights of letters.
_GAP, _INNER, _EDGE, _INDENT = 1.6, 0.35, 1.5, 1.0

#: From the middle of a row down to the line that letters stand on: half a figure, in heights of letters.
_SINK = 0.365

Side = Literal["left", "center", "right"]


@dataclass(frozen=True, slots=True)
class _Measured:
    """A column with the inches of all of it, of its cells, and of each part of them."""

    column: Column
    width: float
    content: float
    parts: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Everything written beside the axes, measured in letters of a size.

    Attributes
    ----------
    rows
        With labels as they are drawn.
    fonts, size
        Of the letters, in points.
    labels
        Inches of the column of labels.
    left, right
        Columns next to the labels, and right of the axes.
    reach
        Inches from the axes to both ends.
    """

    rows: Rows
    fonts: Lettering
    size: float
    labels: float
    left: tuple[_Measured, ...]
    right: tuple[_Measured, ...]
    reach: tuple[float, float]

    @classmethod
    def of(cls, rows: Rows, left: Iterable[Column], right: Iterable[Column], size: float) -> "Table":
        """Shorten what is written, find fonts for it, and measure it."""
        left, right = tuple(left), tuple(right)
        texts = dict.fromkeys(row.label for row in rows.rows)
        for column in (*left, *right):
            texts.update(dict.fromkeys([column.heading, *(part for cell in column.cells for part in cell)]))
        fonts = Lettering.of(list(texts))
        drawn = dict(zip(texts, fonts.texts, strict=True))
        rows = replace(rows, rows=tuple(replace(row, label=drawn[row.label]) for row in rows.rows))
        em = size / 72

        def measured(columns: tuple[Column, ...]) -> tuple[_Measured, ...]:
            return tuple(_measured(rows.rows, _drawn(column, drawn), fonts, size) for column in columns)

        before, after = measured(left), measured(right)
        inches = [_room(fonts, size, row.label, bold=row.bold) + row.indented * _INDENT * em for row in rows.rows]
        # a label with nothing next to it may go on into the columns
        alone = [bool(left) and not any(column.cells[index] for column in left) for index in range(len(inches))]
        beside = [width for width, is_alone in zip(inches, alone, strict=True) if not is_alone]
        labels = max([*beside, _room(fonts, size, "Task", bold=True)])
        widths = [column.width + _GAP * em for column in before]
        reach = max(labels + sum(widths), *inches, 0) + _EDGE * em
        beyond = sum(column.width + _GAP * em for column in after) + (_EDGE - _GAP) * em if after else 0.0
        return cls(rows, fonts, size, labels, before, after, (reach, beyond))

    def draw(self, ax: "Axes") -> None:
        """Write labels, headings and cells, and rules below the headings and above the summary."""
        em, width = self.size / 72, size_of(ax)[0]
        start = -self.reach[0]
        self._write(ax, (start, -0.5), "Task", bold=True)
        for row in self.rows.rows:
            self._write(ax, (start + row.indented * _INDENT * em, row.y), row.label, bold=row.bold)
        for columns, first in ((self.left, start + self.labels + _GAP * em), (self.right, width + _EDGE * em)):
            x = first
            for column in columns:
                self._column(ax, column, x)
                x += column.width + _GAP * em
        ends = [start / width, 1 + self.reach[1] / width]
        for y, thickness in ((0.0, 0.8), (self.rows.rule, 0.5)):
            ax.plot(ends, [y, y], transform=ax.get_yaxis_transform(), color=INK, linewidth=thickness, clip_on=False)

    def _column(self, ax: "Axes", measured: _Measured, x: float) -> None:
        """Write a column that begins at x: words from the left, numbers up to the right, parts in the middle."""
        column, end = measured.column, x + measured.width
        side: Side = "left" if column.words else "right" if len(measured.parts) < 2 else "center"
        places = {"left": x, "right": end, "center": (x + end) / 2}
        self._write(ax, (places[side], -0.5), column.heading, side=side, bold=True)
        for row, cell in zip(self.rows.rows, column.cells, strict=True):
            if len(cell) == 1:
                self._write(ax, (places[side], row.y), cell[0], side=side, bold=row.bold)
                continue
            stop = end - (measured.width - measured.content) / 2
            for part, room in reversed(list(zip(cell, measured.parts, strict=False))):
                self._write(ax, (stop, row.y), part, side="right", bold=row.bold)
                stop -= room + _INNER * self.size / 72

    def _write(
        self, ax: "Axes", place: tuple[float, float], text: str, *, side: Side = "left", bold: bool = False
    ) -> None:
        """Write at so many inches from the left of the axes, in a row."""
        width, height = size_of(ax)
        ax.text(
            place[0] / width,
            place[1] + _SINK * self.size / 72 / height * self.rows.height,
            text,
            transform=ax.get_yaxis_transform(),
            ha=side,
            va="baseline",
            fontproperties=self.fonts.font(self.size, bold=bold),
            color=INK,
            parse_math=False,
        )


def _drawn(column: Column, drawn: dict[str, str]) -> Column:
    """The column with texts as they are drawn."""
    cells = tuple(tuple(drawn[part] for part in cell) for cell in column.cells)
    return replace(column, heading=drawn[column.heading], cells=cells)


def _measured(rows: tuple[Row, ...], column: Column, fonts: Lettering, size: float) -> _Measured:
    """Measure a column; its parts are those of the cells that have most."""
    most = max(map(len, column.cells), default=0)
    parts, alone = [0.0] * most, 0.0
    for row, cell in zip(rows, column.cells, strict=True):
        rooms = [_room(fonts, size, part, bold=row.bold) for part in cell]
        if len(cell) == most:
            parts = [max(pair) for pair in zip(parts, rooms, strict=True)]
        alone = max([alone, *rooms]) if len(cell) == 1 else alone
    content = max(alone, sum(parts) + _INNER * size / 72 * max(0, most - 1))
    return _Measured(column, max(content, _room(fonts, size, column.heading, bold=True)), content, tuple(parts))


def _room(fonts: Lettering, size: float, text: str, *, bold: bool) -> float:
    return room_of(text, fonts.font(size, bold=bold))
