"""Small pictures of one kind in a grid that fits on a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podium.report.draw.canvas import INK, NOTE_SIZE
from podium.report.draw.legend import height_of, lines_of
from podium.report.draw.lettering import Lettering

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Width and height of panels, by how many stand side by side.
_SIZES = {1: (3.8, 2.4), 2: (2.9, 1.8), 3: (2.08, 1.4)}

#: Left of the first panel, between panels side by side, and right of the last.
_LEFT, _BETWEEN, _RIGHT = 0.55, 0.24, 0.12

#: Names above panels, numbers below them, and from there to the next row; all in inches.
_NAME, _NUMBERS, _NEXT = 0.22, 0.2, 0.14


@dataclass(frozen=True, slots=True)
class Panels:
    """A grid of panels.

    Attributes
    ----------
    columns
        How many stand side by side.
    feet
        For each, the lines below it.
    """

    columns: int
    feet: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, labels: Sequence[str]) -> "Panels":
        """Arrange a panel for every label of a horizontal axis.

        >>> Panels.of(["strength"] * 4).columns, Panels.of(["strength"] * 10).columns
        (2, 3)
        """
        columns = 2 if len(labels) == 4 else min(len(labels), 3)
        room = _SIZES[columns][0] + _BETWEEN / 2
        return cls(columns, tuple(tuple(lines_of([label], room)) for label in labels))

    @property
    def width(self) -> float:
        """Inches of a panel."""
        return _SIZES[self.columns][0]

    @property
    def left(self) -> float:
        """Inches left of the first panel."""
        return _LEFT

    @property
    def breadth(self) -> float:
        """Inches of all of it."""
        return _LEFT + self.columns * self.width + (self.columns - 1) * _BETWEEN + _RIGHT

    @property
    def lowest(self) -> int:
        """The first panel of the last row."""
        return (len(self.feet) - 1) // self.columns * self.columns

    def below(self, index: int) -> float:
        """Inches that numbers and labels take below the panels in the row of one."""
        first = index // self.columns * self.columns
        return _NUMBERS + height_of(max(self.feet[first : first + self.columns], key=len)) + _NEXT

    def draw(self, head: float, foot: float) -> "tuple[Figure, list[Axes]]":
        """Axes of a figure of their own, with so many inches above and below all of them."""
        from matplotlib.figure import Figure  # noqa: PLC0415  # an extra

        high = _SIZES[self.columns][1]
        rows = range(0, len(self.feet), self.columns)
        whole = head + sum(_NAME + high + self.below(row) for row in rows) + foot
        figure = Figure(figsize=(self.breadth, whole))
        axes, top = [], whole - head
        for row in rows:
            for place in range(min(self.columns, len(self.feet) - row)):
                left = _LEFT + place * (self.width + _BETWEEN)
                corner = left / self.breadth, (top - _NAME - high) / whole
                axes.append(figure.add_axes((*corner, self.width / self.breadth, high / whole)))
            top -= _NAME + high + self.below(row)
        return figure, axes

    def label(self, ax: "Axes", index: int, name: str, vertical: str) -> None:
        """Write the name above a panel, what its axis is below, and what the vertical one is at the left end only."""
        names = Lettering.of([name], most=28)
        bold = names.font(NOTE_SIZE + 0.5, bold=True)
        ax.set_title(names.texts[0], loc="left", fontproperties=bold, color=INK, parse_math=False, pad=4)
        feet = Lettering.of(self.feet[index], most=10**6)
        ax.set_xlabel(
            "\n".join(feet.texts), fontproperties=feet.font(NOTE_SIZE), color=INK, labelpad=2, parse_math=False
        )
        if index % self.columns:
            ax.tick_params(labelleft=False)
        else:
            ax.set_ylabel(vertical, fontsize=NOTE_SIZE, color=INK, labelpad=2)
