"""What lines mean, in rows above a picture."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from podium.report.draw.canvas import NOTE_SIZE, size_of, write
from podium.report.draw.lettering import Lettering, room_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Height of a line, in inches.
_LINE = 0.145


def wrapped(parts: Sequence[str], fits: Callable[[str], bool], joint: str = ", ") -> list[str]:
    """Put parts on as few lines as they need, in their order; one that does not fit by itself has a line of its own.

    >>> wrapped(["one", "two", "three"], lambda line: len(line) <= 10)
    ['one, two,', 'three']
    """
    lines: list[str] = []
    for part in parts:
        if lines and fits(f"{lines[-1]}{joint}{part}"):
            lines[-1] += joint + part
        else:
            if lines:
                lines[-1] += joint.rstrip()
            lines.append(part)
    return lines


def lines_of(sentences: Sequence[str], width: float, joint: str = " ") -> list[str]:
    """Lines of at most so many inches, each sentence from a new one; they end between words, or at another joint."""
    if not sentences:
        return []
    fonts = Lettering.of(sentences, most=10**6)
    font = fonts.font(NOTE_SIZE)
    return [
        line
        for text in fonts.texts
        for line in wrapped(text.split(joint), lambda line: room_of(line, font) <= width, joint)
    ]


def height_of(lines: Sequence[str]) -> float:
    """Inches that lines take."""
    return _LINE * len(lines)


def remark(ax: "Axes", lines: Sequence[str], *, left: float, below: float) -> None:
    """Write lines, so many inches left of the axes and below them."""
    if not lines:
        return
    width, height = size_of(ax)
    font = Lettering.of(lines, most=10**6).font(NOTE_SIZE)
    for row, line in enumerate(lines):
        write(ax, (-left / width, -(below + _LINE * row) / height), line, font, "axes", va="top")


#: Of a sample of a line, from it to its text, between columns, of a row, and above and below all, in inches.
_SAMPLE, _GAP, _APART, _ROW, _ABOVE, _BELOW = 0.34, 0.06, 0.2, 0.165, 0.05, 0.08


@dataclass(frozen=True, slots=True)
class Key:
    """Names of lines, in columns.

    Attributes
    ----------
    names
        To be drawn.
    columns
        How many stand side by side.
    """

    names: Lettering
    columns: int

    @classmethod
    def of(cls, labels: Sequence[str], breadth: float) -> "Key":
        """Arrange names on so many inches.

        >>> Key.of(["mean", "borda:one", "borda:two"], 3.0).columns
        2
        """
        names = Lettering.of(labels)
        each = _SAMPLE + _GAP + 1.03 * names.width(NOTE_SIZE) + _APART
        return cls(names, max(1, min(len(labels), int((breadth + _APART) / each))))

    @property
    def height(self) -> float:
        """Inches of all rows."""
        return _ABOVE + _ROW * ceil(len(self.names.texts) / self.columns) + _BELOW

    def draw(self, figure: "Figure", styles: Sequence[dict[str, Any]], left: float) -> None:
        """Write names beside samples of their lines, at the top of a figure, so many inches from the left."""
        from matplotlib.lines import Line2D  # noqa: PLC0415  # an extra

        pairs = zip(self.names.texts, styles, strict=True)
        point = NOTE_SIZE / 72
        key = figure.legend(
            handles=[Line2D([], [], label=name, **style) for name, style in pairs],
            loc="upper left",
            bbox_to_anchor=(left / figure.get_figwidth(), 1 - _ABOVE / figure.get_figheight()),
            ncols=self.columns,
            prop=self.names.font(NOTE_SIZE),
            frameon=False,
            borderaxespad=0,
            borderpad=0,
            labelspacing=_ROW / point - 1.16,
            handlelength=_SAMPLE / point,
            handletextpad=_GAP / point,
            columnspacing=_APART / point,
        )
        for text in key.get_texts():
            text.set_parse_math(False)
