"""What stands above and below a forest plot: a title, the axis in words, and remarks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from podium.plots.canvas import INK, NOTE_SIZE, size_of
from podium.plots.lettering import Lettering, room_of, shorten
from podium.plots.remarks import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Margins"]

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
