"""Text beside a forest plot: columns of numbers and words, and where they stand."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from podium.base.errors import InputError, LabelError
from podium.base.words import DASH, p_value
from podium.comparison.figure.axis import Decimals
from podium.comparison.figure.mark import Row, Rows
from podium.comparison.result import MetaAnalysis
from podium.comparison.summary import Beside
from podium.report.draw.canvas import INK, size_of, write
from podium.report.draw.lettering import Lettering, room_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: A built-in column by name, or a heading with a text for every task: by label, or in the order of the analysis.
Given = str | tuple[str, Mapping[str, Any] | Sequence[Any]]

Cell = tuple[str, ...]

#: How effects are called in a heading.
_SHORT = {"md": "MD", "smd": "SMD", "corr": "r", "rd": "RD", "or": "OR", "given": "Effect"}

#: Longest labels of systems that head columns, in letters.
_NAME = 14

_NUMBER = re.compile(r"[-−+<]?[\d.,]+ ?%?")


@dataclass(frozen=True, slots=True)
class ForestColumn:
    """A heading, and in every row a cell of one or more parts, which stand in columns of their own.

    Attributes
    ----------
    heading
        Over the column.
    cells
        For every row; empty where there is nothing to say.
    words
        Whether cells are words, set to the left, rather than numbers, set to the right.
    """

    heading: str
    cells: tuple[Cell, ...]
    words: bool = False


def default_columns(analysis: MetaAnalysis) -> tuple[list[Given], list[Given]]:
    """What stands left and right where nothing else is asked for."""
    counts: list[Given] = ["n"] if any(task.n is not None for task in analysis.tasks) else []
    return counts + [other.name for other in analysis.beside], ["weight", "effect", "ci"]


def columns_of(
    analysis: MetaAnalysis, rows: Sequence[Row], wanted: str | Sequence[Given], decimals: Decimals
) -> list[ForestColumn]:
    """Make columns.

    Raises
    ------
    LabelError
        There is no such column, or no such task.
    InputError
        A column has more or fewer texts than there are tasks.
    """
    known = {other.name: _beside(other) for other in analysis.beside} | _built_in(analysis, decimals)
    made = []
    for given in [wanted] if isinstance(wanted, str) else wanted:
        if not isinstance(given, str):
            made.append(_own(analysis, rows, *given))
        elif given in known:
            heading, cell = known[given]
            made.append(ForestColumn(heading, tuple(cell(row) for row in rows)))
        else:
            raise LabelError.unknown("column", given, known)
    return made


def _built_in(analysis: MetaAnalysis, decimals: Decimals) -> dict[str, tuple[str, Callable[[Row], Cell]]]:
    """Heading and cells of every column that a name asks for."""
    names = (analysis.control, analysis.treatment)
    control, treatment = (
        names if min(map(len, names)) > 0 and max(map(len, names)) <= _NAME else ("Control", "Treatment")
    )
    tasks = analysis.tasks
    means = Beside("", tuple(task.control_mean for task in tasks), tuple(task.treatment_mean for task in tasks))
    places = _places(means)

    def one(values: Sequence[float]) -> Callable[[Row], Cell]:
        return lambda row: (places(values[row.members[0]]),) if row.kind == "task" else ()

    def pooled(cell: Callable[[Row], str]) -> Callable[[Row], Cell]:
        return lambda row: (cell(row),) if row.members else ()

    def count(row: Row) -> str:
        counts = [tasks[index].n for index in row.members]
        return DASH if None in counts else f"{sum(filter(None, counts)):,}"

    def share(row: Row) -> str:
        weight = sum(tasks[index].weight for index in row.members)
        return DASH if isnan(weight) else f"{100 * weight:.1f}%"

    return {
        "n": ("n", pooled(count)),
        "control": (f"{control}{places.unit}", one(means.control)),
        "treatment": (f"{treatment}{places.unit}", one(means.treatment)),
        "means": (f"{control} → {treatment}{places.unit}", _beside(means)[1]),
        "weight": ("Weight", lambda row: (share(row),) if row.members and row.kind != "suite" else ()),
        "effect": (_SHORT[analysis.kind] + decimals.unit, pooled(lambda row: decimals(row.effect))),
        "ci": (f"{100 * analysis.confidence:g}% CI{decimals.unit}", lambda row: _interval(row, decimals)),
        "p": ("p", pooled(lambda row: p_value(row.p))),
    }


def _interval(row: Row, decimals: Decimals) -> Cell:
    if row.kind == "heading":
        return ()
    low, high = decimals(row.low), decimals(row.high)
    return (f"[{low},", f"{high}]") if row.low == row.low or row.high == row.high else (low,)


def _beside(other: Beside) -> tuple[str, Callable[[Row], Cell]]:
    """Means of both systems with an arrow from the control to the treatment."""
    places = _places(other)

    def cell(row: Row) -> Cell:
        if row.kind != "task":
            return ()
        (index,) = row.members
        return places(other.control[index]), "→", places(other.treatment[index])

    return f"{other.name}{places.unit}", cell


def _places(other: Beside) -> Decimals:
    """Decimals that show one significant digit of the middle difference between two systems."""
    spans = [abs(after - before) for before, after in zip(other.control, other.treatment, strict=True)]
    seen = [10 * span for span in spans if span > 0]
    return Decimals.of([median(seen)] if seen else [1.0], [*other.control, *other.treatment])


def _own(
    analysis: MetaAnalysis, rows: Sequence[Row], heading: str, texts: Mapping[str, Any] | Sequence[Any]
) -> ForestColumn:
    labels = [task.task for task in analysis.tasks]
    if isinstance(texts, Mapping):
        for label in texts:
            if label not in labels:
                raise LabelError.unknown("task", label, labels)
        texts = [texts.get(label, "") for label in labels]
    if len(texts) != len(labels):
        raise InputError(f"column {heading!r} has {len(texts)} texts for {len(labels)} tasks; give one for each")
    written = [str(text) for text in texts]
    words = not all(_NUMBER.fullmatch(text) for text in written if text)
    cells: list[Cell] = [(text,) if text else () for text in written]
    return ForestColumn(heading, tuple(cells[row.members[0]] if row.kind == "task" else () for row in rows), words)


#: Between columns, between parts of a cell, from the axes to a column, and of indentation, in heights of letters.
_GAP, _INNER, _EDGE, _INDENT = 1.6, 0.35, 1.5, 1.0

#: From the middle of a row down to the line that letters stand on: half a figure, in heights of letters.
_SINK = 0.365

_HEAD = "Task"


class _Widths(NamedTuple):
    """Inches of a column, of its cells, and of each part of the cells that have most."""

    whole: float
    cells: float
    parts: tuple[float, ...]


@dataclass(frozen=True)
class ForestTable:
    """Everything written beside the axes.

    Attributes
    ----------
    rows
        What stands at the far left.
    left, right
        Columns next to the labels, and right of the axes.
    size
        Of the letters, in points.
    """

    rows: Rows
    left: Sequence[ForestColumn]
    right: Sequence[ForestColumn]
    size: float

    @cached_property
    def reach(self) -> tuple[float, float]:
        """Inches from the axes to both ends."""
        em = self.size / 72
        labels = self._labels + sum(widths.whole + _GAP * em for widths in map(self._widths, self.left))
        right = sum(widths.whole + _GAP * em for widths in map(self._widths, self.right))
        return max(labels, *self._inches, 0) + _EDGE * em, right + (_EDGE - _GAP) * em if self.right else 0.0

    def draw(self, ax: "Axes") -> None:
        """Write labels, headings and cells, and rules below the headings and above the summary."""
        em, width = self.size / 72, size_of(ax)[0]
        start = -self.reach[0]
        self._write(ax, (start, -0.5), _HEAD, bold=True)
        for row in self.rows.rows:
            self._write(ax, (start + row.indented * _INDENT * em, row.y), row.label, bold=row.bold)
        for columns, first in ((self.left, start + self._labels + _GAP * em), (self.right, width + _EDGE * em)):
            x = first
            for column in columns:
                x = self._column(ax, column, x) + _GAP * em
        ends = [start / width, 1 + self.reach[1] / width]
        for y, thickness in ((0.0, 0.8), (self.rows.rule, 0.5)):
            ax.plot(ends, [y, y], transform=ax.get_yaxis_transform(), color=INK, linewidth=thickness, clip_on=False)

    def _column(self, ax: "Axes", column: ForestColumn, x: float) -> float:
        """Write a column from x, and return its end: words from the left, numbers up to there, parts in the middle."""
        widths = self._widths(column)
        end = x + widths.whole
        side = "left" if column.words else "right" if len(widths.parts) < 2 else "center"
        place = {"left": x, "right": end, "center": (x + end) / 2}[side]
        self._write(ax, (place, -0.5), column.heading, side=side, bold=True)
        for row, cell in zip(self.rows.rows, column.cells, strict=True):
            if len(cell) == 1:
                self._write(ax, (place, row.y), cell[0], side=side, bold=row.bold)
                continue
            stop = end - (widths.whole - widths.cells) / 2
            for part, room in reversed(list(zip(cell, widths.parts, strict=False))):
                self._write(ax, (stop, row.y), part, side="right", bold=row.bold)
                stop -= room + _INNER * self.size / 72
        return end

    def _write(
        self, ax: "Axes", place: tuple[float, float], text: str, *, side: str = "left", bold: bool = False
    ) -> None:
        """Write at so many inches from the left of the axes, in a row."""
        width, height = size_of(ax)
        y = place[1] + _SINK * self.size / 72 / height * self.rows.height
        write(ax, (place[0] / width, y), self._drawn[text], self._fonts.font(self.size, bold=bold), "rows", ha=side)

    def _widths(self, column: ForestColumn) -> _Widths:
        cells = [
            [self._room(part, bold=row.bold) for part in cell]
            for row, cell in zip(self.rows.rows, column.cells, strict=True)
        ]
        most = max(map(len, cells), default=0)
        parts = tuple(map(max, zip(*(cell for cell in cells if len(cell) == most), strict=True)))
        alone = max((cell[0] for cell in cells if len(cell) == 1), default=0.0)
        content = max(alone, sum(parts) + _INNER * self.size / 72 * max(0, most - 1))
        return _Widths(max(content, self._room(column.heading, bold=True)), content, parts)

    @cached_property
    def _inches(self) -> list[float]:
        """Of each label."""
        indent = _INDENT * self.size / 72
        return [self._room(row.label, bold=row.bold) + row.indented * indent for row in self.rows.rows]

    @cached_property
    def _labels(self) -> float:
        """Inches of the column of labels; one with nothing next to it may go on into the columns."""
        beside = [
            width
            for row, width in enumerate(self._inches)
            if not self.left or any(column.cells[row] for column in self.left)
        ]
        return max(*beside, self._room(_HEAD, bold=True))

    def _room(self, text: str, *, bold: bool) -> float:
        return room_of(self._drawn[text], self._fonts.font(self.size, bold=bold))

    @cached_property
    def _fonts(self) -> Lettering:
        return Lettering.of(self._texts)

    @cached_property
    def _drawn(self) -> dict[str, str]:
        """Every text, shortened."""
        return dict(zip(self._texts, self._fonts.texts, strict=True))

    @cached_property
    def _texts(self) -> list[str]:
        columns = [*self.left, *self.right]
        cells = [part for column in columns for cell in column.cells for part in cell]
        labels = [row.label for row in self.rows.rows]
        return list(dict.fromkeys([_HEAD, *labels, *(column.heading for column in columns), *cells]))
