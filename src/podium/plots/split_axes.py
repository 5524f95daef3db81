"""What stands above and below the axes of splits: numbers, which end is hard, ranges, and sizes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from podium.customized import Customized
from podium.plots.canvas import FAINT, INK, NOTE_SIZE, size_of
from podium.plots.lettering import Lettering, room_of
from podium.plots.splits import ends_of, ranges_of, sizes_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PAD", "SplitAxes"]

#: Left of the first axis, in inches.
PAD = 0.12

#: Most width between the outer axes without turning texts, least width of it, and least and greatest distance of axes.
_BROAD, _NARROW, _NEAR, _FAR = 8.5, 3.6, 0.19, 1.6

#: Of a line of small letters, between texts side by side, and from the axes to what is above and below, in inches.
_LINE, _APART, _GAP = 0.135, 0.12, 0.06


@dataclass(frozen=True, slots=True)
class SplitAxes:
    """Texts around the axes of s splits.

    Attributes
    ----------
    ends
        What the first and the last are, or twice nothing.
    heads
        Names.
    feet
        Ranges and sizes, on up to two lines.
    """

    ends: tuple[str, str]
    heads: Lettering
    feet: tuple[str, ...]

    @classmethod
    def of(cls, customized: Customized) -> "SplitAxes":
        """Say what the splits are."""
        ranges, sizes = ranges_of(customized.splits), sizes_of(customized.splits)
        feet = tuple("\n".join(filter(None, pair)) for pair in zip(ranges, sizes, strict=True))
        return cls(ends_of(customized), Lettering.of([split.name for split in customized.splits], most=24), feet)

    @property
    def step(self) -> float:
        """Inches from one axis to the next, in a figure of its own."""
        gaps = max(len(self.feet) - 1, 1)
        level = max(_wide(self.feet), self.heads.width(NOTE_SIZE)) + _APART
        if gaps * level <= _BROAD:
            return max(level, min(_FAR, _NARROW / gaps))
        return max(_NEAR, _BROAD / gaps)

    def reach(self, step: float) -> float:
        """Inches by which texts are wider than the outer axes, on either side."""
        above, below = self._turned(step)
        return max(_LINE if below else _wide(self.feet), _LINE if above else self.heads.width(NOTE_SIZE)) / 2

    def heights(self, step: float) -> tuple[float, float]:
        """Inches above and below the axes."""
        above, below = self._turned(step)
        head = self.heads.width(NOTE_SIZE) if above else _LINE
        lines = max(foot.count("\n") + 1 for foot in self.feet)
        foot = _wide([_on_a_line(foot) for foot in self.feet]) if below else _LINE * lines
        return _GAP + head + (_GAP + _LINE if any(self.ends) else 0.0), _GAP + foot

    def draw(self, ax: "Axes", step: float) -> None:
        """Write all of it; where axes are closer than letters are high, at some of them only."""
        above, below = self._turned(step)
        edge, high = ax.get_xaxis_transform(), size_of(ax)[1]
        plain, named = Lettering.of(["–"]).font(NOTE_SIZE), self.heads.font(NOTE_SIZE)
        for place in range(0, len(self.feet), ceil(_LINE / step)):
            head, foot = self.heads.texts[place], self.feet[place]
            for y, text, side, turn, font in (
                (1 + _GAP / high, head, "bottom", above, named),
                (-_GAP / high, _on_a_line(foot) if below else foot, "top", below, plain),
            ):
                ax.text(
                    place,
                    y,
                    text,
                    transform=edge,
                    ha="center",
                    va=side,
                    rotation=90 if turn else 0,
                    fontproperties=font,
                    color=INK,
                    parse_math=False,
                )
        top, shift = 1 + (self.heights(step)[0] - _LINE) / high, PAD / step / 2
        for x, side, text in ((-shift, "left", self.ends[0]), (len(self.feet) - 1 + shift, "right", self.ends[1])):
            ax.text(x, top, text, transform=edge, ha=side, va="bottom", fontproperties=plain, color=FAINT)

    def _turned(self, step: float) -> tuple[bool, bool]:
        """Whether texts above and below are turned where axes are some inches apart."""
        if len(self.feet) == 1:
            return False, False
        return self.heads.width(NOTE_SIZE) + _APART / 2 > step, _wide(self.feet) + _APART / 2 > step


def _wide(texts: Sequence[str]) -> float:
    """Inches of the widest line in small letters."""
    font = Lettering.of(["–"]).font(NOTE_SIZE)
    return max(room_of(line, font) for text in texts for line in text.split("\n"))


def _on_a_line(text: str) -> str:
    return text.replace("\n", ", ")
