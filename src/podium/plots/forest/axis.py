"""The axis of a forest plot: where values lie on it, and its round numbers."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from podium.plots.canvas import NOTE_SIZE, size_of, strip
from podium.plots.forest.limits import limits
from podium.plots.forest.numbers import Decimals
from podium.plots.forest.rows import Row
from podium.plots.lettering import Lettering, room_of
from podium.wording import significant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Axis", "ticks"]

#: Between numbers at the axis, in inches.
_APART = 0.08


@dataclass(frozen=True, slots=True)
class Axis:
    """From where to where, with the value of no effect between; logarithmic for ratios."""

    low: float
    high: float
    null: float
    log: bool

    @classmethod
    def of(cls, rows: Sequence[Row], null: float, *, log: bool) -> "Axis":
        """Hold what stands in some rows."""
        return cls(*limits(rows, null, log=log), null, log)

    def cuts(self, row: Row) -> bool:
        """Whether something in a row lies beyond the ends."""
        return any(value < self.low or value > self.high for value in (row.low, row.effect, row.high))

    def share(self, value: float) -> float:
        """Where a value lies between the ends, from 0 to 1.

        >>> Axis(-1.0, 3.0, 0.0, log=False).share(0.0)
        0.25
        """
        low, value, high = map(math.log, (self.low, value, self.high)) if self.log else (self.low, value, self.high)
        return (value - low) / (high - low)

    def put(self, ax: "Axes", height: float, decimals: Decimals) -> None:
        """Give axes these ends and numbers, and rows that count downwards to a height."""
        strip(ax, "bottom")
        ax.set_xscale("log" if self.log else "linear")
        ax.set_xlim(self.low, self.high)
        ax.set_ylim(height, 0)
        ax.set_yticks([])
        letters = Lettering.of(["−0"])
        font = letters.font(NOTE_SIZE)
        width = size_of(ax)[0]

        def fits(values: list[float], labels: list[str]) -> bool:
            halves = [room_of(label, font) / 2 for label in labels]
            places = [width * self.share(value) for value in values]
            spans = [(place - half, place + half) for place, half in zip(places, halves, strict=True)]
            return all(left[1] + _APART <= right[0] for left, right in pairwise(spans))

        values, labels = ticks(self.low, self.high, log=self.log, unit=10.0**decimals.power, fits=fits)
        ax.set_xticks(values, labels, fontproperties=font, parse_math=False)
        ax.set_xticks([], minor=True)


def ticks(
    low: float, high: float, *, log: bool, unit: float, fits: Callable[[list[float], list[str]], bool]
) -> tuple[list[float], list[str]]:
    """Round values on the axis with their labels, as many as fit beside each other.

    Parameters
    ----------
    low, high
        Ends of the axis.
    log
        Whether distances are ratios.
    unit
        What labels are multiples of.
    fits
        Whether labels at some values have room.

    Examples
    --------
    >>> ticks(-0.01, 0.32, log=False, unit=1.0, fits=lambda values, labels: len(labels) < 6)[1]
    ['0.0', '0.1', '0.2', '0.3']
    >>> ticks(0.04, 12.0, log=True, unit=1.0, fits=lambda values, labels: len(labels) < 6)[1]
    ['0.1', '0.3', '1', '3', '10']
    """
    tried = _ratios(low, high) if log else _steps(low, high, unit)
    *_, last = fewer = list(tried)
    return next((found for found in fewer if fits(*found)), last)


def _steps(low: float, high: float, unit: float) -> Iterator[tuple[list[float], list[str]]]:
    """Multiples of round steps, ever fewer."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  # an extra

    for most in range(7, 0, -1):
        places = MaxNLocator(most, steps=[1, 2, 5, 10]).tick_values(low, high)
        decimals = max(0, -math.floor(math.log10((places[1] - places[0]) / unit) + 1e-9))
        inside = [float(place) for place in places if low <= place <= high]
        yield inside, [f"{place / unit:z,.{decimals}f}".replace("-", "−") for place in inside]


def _ratios(low: float, high: float) -> Iterator[tuple[list[float], list[str]]]:
    """Round values of which 1 is one, ever fewer: equal steps on a short axis, parts of decades, whole decades."""
    if high < 5 * low:
        yield from (found for found in _steps(low, high, 1.0) if 1.0 in found[0])
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for mantissas in ((1, 2, 5), (1, 3), (1,)):
        decades = range(first, last + 1)
        inside = [part * 10.0**decade for decade in decades for part in mantissas]
        inside = [value for value in inside if low <= value <= high]
        yield inside, [_plain(value) for value in inside]
    for apart in range(2, last - first + 2):
        inside = [10.0**decade for decade in range(-apart * (-first // apart), last + 1, apart)]
        inside = [value for value in inside if low <= value <= high]
        yield inside, [_plain(value) for value in inside]


def _plain(value: float) -> str:
    return f"{value:,.10g}" if 1e-4 <= value < 1e6 else significant(value, 1)
