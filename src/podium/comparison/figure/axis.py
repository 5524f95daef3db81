"""The axis of a forest plot: where values lie on it, its round numbers, and how numbers are written."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from podium.base.words import raised, significant
from podium.comparison.figure.mark import Row
from podium.report.draw.canvas import NOTE_SIZE, size_of, strip
from podium.report.draw.lettering import Lettering, room_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Fewest and most decimals that are chosen; from this size on a number is written with a power of ten.
_FEWEST, _MOST, _HUGE = 2, 4, 1e9


@dataclass(frozen=True, slots=True)
class Decimals:
    """How numbers in one unit are written.

    Attributes
    ----------
    places
        After the point.
    power
        Of ten, taken out of every number and said in the heading.
    ratio
        Whether numbers are ratios; tiny and large ones then have significant digits instead.
    """

    places: int
    power: int = 0
    ratio: bool = False

    @classmethod
    def of(cls, spans: Iterable[float], values: Iterable[float]) -> "Decimals":
        """Show two significant digits of the shortest span, with 2 to 4 decimals, or none where spans are over 100.

        Numbers too small for four decimals, or of ten digits, have a power of ten taken out.

        Parameters
        ----------
        spans, values
            Differences that are to be seen, and the numbers to be written; those that are not finite do not count.

        Examples
        --------
        >>> Decimals.of([0.0053, 0.1], [-0.01, 0.2])
        Decimals(places=4, power=0, ratio=False)
        >>> Decimals.of([2e-8], [-1e-7, 3e-7])
        Decimals(places=2, power=-7, ratio=False)
        """
        sizes = [abs(value) for value in values if value and math.isfinite(value)]
        shortest = min((span for span in spans if span > 0 and math.isfinite(span)), default=min(sizes, default=1.0))
        power = _power(sizes)
        places = 1 - math.floor(math.log10(shortest)) + power
        return cls(0 if places < 0 else min(max(places, _FEWEST), _MOST), power)

    @property
    def unit(self) -> str:
        """What follows the heading: the power of ten, if any.

        >>> Decimals(2, -7).unit
        ' in 10⁻⁷'
        """
        return f" in 10{raised(self.power)}" if self.power else ""

    def __call__(self, value: float) -> str:
        """Write a number.

        >>> [Decimals(2)(value) for value in (-0.5, -0.001, 12345, float("nan"), float("inf"))]
        ['−0.50', '0.00', '12,345.00', '–', '∞']
        >>> [Decimals(2, ratio=True)(value) for value in (0.00123, 0.5, 12345)]
        ['0.0012', '0.50', '12,345']
        """
        scaled = value / 10.0**self.power
        extreme = self.ratio and not 0.1 <= scaled < 1000
        if extreme or abs(scaled) >= _HUGE or math.isnan(scaled):
            return significant(scaled, max(2, self.places))
        return f"{scaled:z,.{self.places}f}".replace("-", "−")


def _power(sizes: list[float]) -> int:
    """Power of ten to take out of numbers of some sizes: of the largest if that is tiny, of the middle if huge."""
    if sizes and max(sizes) < 5 * 10.0**-_MOST:
        return math.floor(math.log10(max(sizes)))
    if sizes and median(sizes) >= _HUGE:
        return math.floor(math.log10(median(sizes)))
    return 0


Floats = NDArray[np.float64]

#: Arms of intervals longer than this many middle ones may be clipped, and effects this many middle ones away.
_LONG, _FAR = 3.0, 20.0

#: Nothing is clipped where the axis gets at most this much longer by showing all.
_STRETCH = 2.5

#: No logarithm, and no number, is further from 0 than this, so that sums and exponentials exist.
_LARGEST_LOG, _LARGEST = 650.0, 1e300

#: Beyond either end, as a share of the axis.
_PAD = 0.04


def limits(rows: Sequence[Row], null: float, *, log: bool) -> tuple[float, float]:
    """Ends of the axis. It holds the value of no effect, and all intervals unless a few would squeeze the others.

    Where the hull of everything is more than 2.5 times as long as that of intervals with arms of at most three times
    the middle one, it is the latter that is shown. Summaries may make it up to three times as long.

    Parameters
    ----------
    rows
        With effects and ends of intervals; what is not finite does not count.
    null
        Value of no effect.
    log
        Whether distances are ratios.

    Examples
    --------
    >>> near = [Row("task", "a", effect=0.1, low=0.0, high=0.2), Row("task", "b", effect=0.2, low=0.1, high=0.3)]
    >>> [round(end, 3) for end in limits(near, 0.0, log=False)]
    [-0.012, 0.312]
    >>> far = Row("task", "c", effect=0.2, low=-9, high=10)
    >>> [round(end, 3) for end in limits([*near, far], 0.0, log=False)]
    [-0.124, 0.524]
    """
    values = np.array([[row.low, row.effect, row.high] for row in rows], dtype=np.float64)
    zero = null
    if log:
        with np.errstate(divide="ignore", invalid="ignore"):
            values, zero = np.log(values), math.log(null)
    values[~np.isfinite(values)] = np.nan
    most = _LARGEST_LOG if log else _LARGEST
    values = values.clip(-most, most)
    is_task = np.array([row.kind == "task" for row in rows])
    core = _hull(np.append(_within(values[is_task]), zero))
    span = core[1] - core[0]
    pooled = values[~is_task].ravel()
    core = _hull(np.append(pooled.clip(core[0] - span, core[1] + span), core))
    whole = _hull(np.append(values.ravel(), zero))
    low, high = whole if whole[1] - whole[0] <= _STRETCH * (core[1] - core[0]) or core[0] == core[1] else core
    pad = _PAD * (high - low) or 1.0
    return (math.exp(low - pad), math.exp(high + pad)) if log else (low - pad, high + pad)


def _within(values: Floats) -> Floats:
    """Effects, and ends of intervals cut to arms of a usual length; without effects far from all others."""
    low, effect, high = values.T
    arms = np.stack([effect - low, high - effect])
    arms = arms[np.isfinite(arms) & (arms > 0)]
    usual = float(np.median(arms)) if arms.size else 0.0
    known = effect[np.isfinite(effect)]
    if not known.size:
        return values.ravel()
    away = np.abs(effect - np.median(known))
    reach = _FAR * max(usual, float(np.median(away[np.isfinite(away)])))
    near = ~(away > reach) if reach else np.full(len(effect), fill_value=True)
    return np.concatenate(
        [effect[near], np.fmax(low, effect - _LONG * usual)[near], np.fmin(high, effect + _LONG * usual)[near]]
    )


def _hull(values: Floats) -> tuple[float, float]:
    return float(np.nanmin(values)), float(np.nanmax(values))


#: Between numbers at the axis, in inches.
_APART = 0.08


@dataclass(frozen=True, slots=True)
class Axis:
    """From where to where, with the value of no effect between; logarithmic for ratios."""

    low: float
    high: float
    null: float
    log: bool

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
    fewer = list(_ratios(low, high) if log else _steps(low, high, unit))
    return next((found for found in fewer if fits(*found)), fewer[-1])


def _steps(low: float, high: float, unit: float) -> Iterator[tuple[list[float], list[str]]]:
    """Multiples of round steps, ever fewer."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  # an extra

    for most in range(7, 0, -1):
        places = MaxNLocator(most, steps=[1, 2, 5, 10]).tick_values(low, high)
        decimals = max(0, -math.floor(math.log10((places[1] - places[0]) / unit) + 1e-9))
        inside = [float(place) for place in places if low <= place <= high]
        yield inside, [f"{place / unit:z,.{decimals}f}".replace("-", "−") for place in inside]


def _ratios(low: float, high: float) -> Iterator[tuple[list[float], list[str]]]:
    """Round values that include 1, ever fewer: equal steps on a short axis, parts of decades, whole decades."""
    if high < 5 * low:
        yield from (found for found in _steps(low, high, 1.0) if 1.0 in found[0])
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    places = [
        [part * 10.0**decade for decade in range(first, last + 1) for part in mantissas]
        for mantissas in ((1, 2, 5), (1, 3), (1,))
    ]
    places += [
        [10.0**decade for decade in range(-apart * (-first // apart), last + 1, apart)]
        for apart in range(2, last - first + 2)
    ]
    for values in places:
        inside = [value for value in values if low <= value <= high]
        yield inside, [f"{value:,.10g}" if 1e-4 <= value < 1e6 else significant(value, 1) for value in inside]
