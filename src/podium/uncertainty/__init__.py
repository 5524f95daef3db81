"""How sure an answer is: intervals from counts alone, or from replicates."""

from podium.uncertainty.bootstrap import check_confidence, intervals, widening
from podium.uncertainty.hoeffding import SIDES, Sided, radius

__all__ = ["SIDES", "Sided", "check_confidence", "intervals", "radius", "widening"]
