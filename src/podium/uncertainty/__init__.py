"""How sure an answer is: intervals from counts alone, or from replicates."""

from podium.uncertainty.bootstrap import critical_value, intervals
from podium.uncertainty.hoeffding import SIDES, Sided, radius

__all__ = ["SIDES", "Sided", "critical_value", "intervals", "radius"]
