"""What is drawn on: axes of a size in inches, and letters that fit into a row."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FAINT", "INK", "NOTE_SIZE", "font_size", "new_axes", "row_height", "size_of", "strip"]

#: Of text and of what matters; of what only guides the eye.
INK, FAINT = "#222222", "#8c8c8c"

#: Of what is said below a picture, in points.
NOTE_SIZE = 7.5

#: Largest letters, in points, and the height of a row of them, in letters.
_LARGEST, _LEADING = 8.5, 1.45


def new_axes(
    width: float, height: float, *, left: float = 0.1, right: float = 0.1, top: float = 0.1, bottom: float = 0.1
) -> "Axes":
    """Axes of a figure of their own, all in inches; pyplot does not hear of it."""
    from matplotlib.figure import Figure  # noqa: PLC0415  # an extra

    whole, high = left + width + right, bottom + height + top
    figure = Figure(figsize=(whole, high))
    return figure.add_axes((left / whole, bottom / high, width / whole, height / high))


def size_of(ax: "Axes") -> tuple[float, float]:
    """Width and height of the axes in inches."""
    width, height = ax.get_figure(root=True).get_size_inches()  # type: ignore[union-attr]  # axes are in a figure
    place = ax.get_position()
    return float(width * place.width), float(height * place.height)


def row_height(rows: int) -> float:
    """Inches for each of some rows, so that few are easy to read and many fit on a page.

    >>> row_height(4), row_height(105)
    (0.22, 0.135)
    """
    return min(0.22, max(0.135, 8.8 / rows))


def font_size(height: float) -> float:
    """Points of letters in rows of a height in inches.

    >>> font_size(0.22)
    8.5
    """
    return min(_LARGEST, 72 * height / _LEADING)


def strip(ax: "Axes", *kept: str) -> None:
    """Take the frame away but for some sides."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in kept)
        spine.set_color(FAINT)
        spine.set_linewidth(0.8)
    ax.tick_params(color=FAINT, labelcolor=INK, width=0.8, length=3)
