"""Systems along an axis, with bars over those that are not separated: the layout of Demšar, JMLR 7, 2006, Fig. 1."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.base.arrays import Bools, Floats
from podium.report.drawing import FAINT, INK, NOTE_SIZE, Lettering, font_size, row_height, size_of, strip, write
from podium.report.picture import footed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Height of a bar with its gap, and room above and below the bars, in rows of labels.
_BAR, _GAP = 0.45, 0.7

#: Systems up to which axes are narrow, and the width of both, in inches.
_FEW, _NARROW, _WIDE = 30, 3.6, 6.0

#: Above the axis for its numbers and its label, from there up to the yardstick, and for its text, in inches.
_HEAD, _LIFT, _SAID = 0.55, 0.5, 0.38

#: How far a bar goes beyond the stems, as a share of the range of values.
_REACH = 0.012


def cliques(separated: Bools) -> list[tuple[int, int]]:
    """First and last index of the longest runs of systems in order, two or more, in which no two are separated.

    Parameters
    ----------
    separated
        Shape `(N, N)`: whether i is better than j, systems in order.

    Examples
    --------
    >>> cliques(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=np.bool_))
    [(0, 1), (1, 2)]
    """
    apart = separated | separated.T
    found: list[tuple[int, int]] = []
    first = 0
    for last in range(len(apart)):
        if (against := np.flatnonzero(apart[last, first:last])).size:
            first += int(against[-1]) + 1
        if first < last:
            if found and found[-1][0] == first:
                found.pop()
            found.append((first, last))
    return found


def stacked(spans: Sequence[tuple[float, float]]) -> list[int]:
    """Return the level of each span, from 0, so that no two on a level touch; as few levels as can be.

    Parameters
    ----------
    spans
        Left and right end of each.

    Examples
    --------
    >>> stacked([(0, 2), (1, 3), (2.5, 4)])
    [0, 1, 0]
    """
    taken: list[float] = []  # right end of the last span on each level
    level = [0] * len(spans)
    for index in sorted(range(len(spans)), key=lambda index: spans[index]):
        left, right = spans[index]
        free = [row for row, end in enumerate(taken) if end < left]
        level[index] = free[0] if free else len(taken)
        if free:
            taken[free[0]] = right
        else:
            taken.append(right)
    return level


@dataclass(frozen=True, slots=True, eq=False)
class Diagram:
    """What is drawn: systems in order, best first, with the best at the right.

    Attributes
    ----------
    values
        Shape `(N,)`: where each stands on the axis.
    names, numbers
        Texts beside each other at the end of its stem.
    spans
        First and last system of each bar, see `cliques`.
    label
        Of the axis.
    falls
        Whether smaller values are better.
    ends
        Of the axis; None for those of the values.
    yardstick
        A length above the axis and its text, such as a critical difference; None for none.
    """

    values: Floats
    names: Sequence[str]
    numbers: Sequence[str]
    spans: Sequence[tuple[int, int]]
    label: str
    falls: bool = False
    ends: tuple[float, float] | None = None
    yardstick: tuple[float, str] | None = None

    @property
    def _reach(self) -> float:
        low, high = self.ends or (float(self.values.min()), float(self.values.max()))
        return _REACH * ((high - low) or 1.0)

    def draw(self, ax: "Axes | None", sentences: Sequence[str]) -> "Axes":
        """Draw on axes, or on new ones of the size that the systems need, with sentences below."""
        good = -self.values if self.falls else self.values
        levels = stacked([(good[last] - 2 * self._reach, good[first] + 2 * self._reach) for first, last in self.spans])
        above = 2 * _GAP + _BAR * (max(levels, default=-1) + 1)
        half = (len(self.names) + 1) // 2
        rows, names = above + half, Lettering.of(self.names)
        row = row_height(max(len(self.names) // 2, 1))
        longest = max(self.numbers, key=len)
        margin = names.width(font_size(row), extra=f"  {longest}") + 0.2
        top = _HEAD + (_SAID if self.yardstick else 0.0)
        size = (_NARROW if len(self.names) <= _FEW else _WIDE, rows * row)
        ax, say = footed(ax, sentences, size, left=margin, right=margin, top=top, below=0.12)
        self._axis(ax, rows)
        self._bars(ax, levels)
        self._stems(ax, names, above)
        say()
        return ax

    def _axis(self, ax: "Axes", rows: float) -> None:
        """Draw values along the top, the best at the right; below, rows count downwards."""
        from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  # an extra

        strip(ax, "top")
        pad = 3 * self._reach
        low, high = self.ends or (float(self.values.min()), float(self.values.max()))
        low, high = low - pad, high + pad
        ax.set_xlim((high, low) if self.falls else (low, high))
        ax.set_ylim(rows, 0)
        ax.set_yticks([])
        ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False, labelsize=NOTE_SIZE)
        steps = MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(low, high)
        first = low if self.ends is None else self.ends[0]
        ends = [] if self.ends is None else [first]
        ax.set_xticks([*ends, *(tick for tick in steps if first < tick <= high)])
        ax.xaxis.set_label_position("top")
        ax.set_xlabel(self.label, fontsize=NOTE_SIZE, color=INK)
        if self.yardstick is None:
            return
        length, text = self.yardstick
        start = low + pad if not self.falls else high - pad
        end = start + min(length, high - low) * (-1 if self.falls else 1)
        y, cap = 1 + _LIFT / size_of(ax)[1], 0.03 / size_of(ax)[1]
        frame: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "color": INK, "clip_on": False}
        ax.plot([start, end], [y, y], linewidth=1.2, gid="yardstick", **frame)
        for x in (start, end):
            ax.plot([x, x], [y - cap, y + cap], linewidth=1.2, gid="yardstick end", **frame)
        write(ax, ((start + end) / 2, y + 2 * cap), text, NOTE_SIZE, "columns", ha="center", va="bottom")

    def _bars(self, ax: "Axes", levels: Sequence[int]) -> None:
        """Join systems that are not separated, a little beyond the stems."""
        thickness = 72 * size_of(ax)[1] / ax.get_ylim()[0] * _BAR * 0.5
        for (first, last), level in zip(self.spans, levels, strict=True):
            y = _GAP + _BAR * (level + 0.5)
            left, right = sorted((self.values[first], self.values[last]))
            ends = [left - self._reach, right + self._reach]
            ax.plot(ends, [y, y], color="#0072b2", linewidth=thickness, solid_capstyle="butt", zorder=3, gid="bar")

    def _stems(self, ax: "Axes", names: Lettering, top: float) -> None:
        """Lead from each value down to the label: the better half to the right, the worse to the left."""
        count = len(self.values)
        better = (count + 1) // 2
        left, right = ax.get_xlim()
        size = font_size(size_of(ax)[1] / ax.get_ylim()[0])
        for place, (x, name, number) in enumerate(zip(self.values, names.texts, self.numbers, strict=True)):
            is_better = place < better
            row = top + 0.5 + (place if is_better else count - 1 - place)
            end = right if is_better else left
            ax.plot([x, x, end], [0, row, row], color=FAINT, linewidth=0.6, zorder=2, gid="stem")
            text, side = (f"  {number}  {name}", "left") if is_better else (f"{name}  {number}  ", "right")
            write(ax, (float(is_better), row), text, names.font(size), "rows", ha=side, va="center")
