"""What is said below a picture, in lines that are as long as it is wide."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from podium.plots.canvas import INK, NOTE_SIZE, size_of
from podium.plots.lettering import Lettering, room_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["height_of", "lines_of", "remark", "wrapped"]

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


def lines_of(sentences: Sequence[str], width: float) -> list[str]:
    """Lines of at most so many inches, each sentence from a new one."""
    if not sentences:
        return []
    fonts = Lettering.of(sentences, most=10**6)
    font = fonts.font(NOTE_SIZE)
    return [
        line
        for text in fonts.texts
        for line in wrapped(text.split(" "), lambda line: room_of(line, font) <= width, " ")
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
    for place, line in enumerate(lines):
        y = -(below + _LINE * place) / height
        ax.text(
            -left / width,
            y,
            line,
            transform=ax.transAxes,
            va="top",
            fontproperties=font,
            color=INK,
            parse_math=False,
        )
