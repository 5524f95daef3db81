"""Numbers of a forest plot: as many decimals as the shortest interval needs, or a power of ten for all."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from podium.report.digits import DASH
from podium.wording import raised, significant

__all__ = ["Decimals", "count_text"]

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
        Whether numbers are ratios, of which tiny and large ones have significant digits instead.
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


def count_text(value: int | None) -> str:
    """Write a count.

    >>> count_text(40430), count_text(None)
    ('40,430', '–')
    """
    return DASH if value is None else f"{value:,}"


def _power(sizes: list[float]) -> int:
    """Power of ten to take out of numbers of some sizes: of the largest if that is tiny, of the middle if huge."""
    if sizes and max(sizes) < 5 * 10.0**-_MOST:
        return math.floor(math.log10(max(sizes)))
    if sizes and median(sizes) >= _HUGE:
        return math.floor(math.log10(median(sizes)))
    return 0
