"""How sure an answer is: intervals from counts alone, or from replicates."""

from podium.uncertainty.bootstrap import intervals, widening
from podium.uncertainty.hoeffding import SIDES, Sided, radius

__all__ = ["SIDES", "Sided", "intervals", "radius", "widening"]
