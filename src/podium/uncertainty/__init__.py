"""How sure a number is: intervals, from counts alone."""

from podium.uncertainty.hoeffding import SIDES, Sided, radius

__all__ = ["SIDES", "Sided", "radius"]
