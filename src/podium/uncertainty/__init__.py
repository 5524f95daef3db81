"""How sure an answer is: intervals from counts alone, or from replicates; and what would make it surer."""

from podium.uncertainty.bootstrap import check_replicates, critical_value, errors_of_differences, intervals
from podium.uncertainty.completion import cell_values
from podium.uncertainty.hoeffding import SIDES, Sided, exponent, radius
from podium.uncertainty.planning import comparisons_needed, growth_needed

__all__ = [
    "SIDES",
    "Sided",
    "cell_values",
    "check_replicates",
    "comparisons_needed",
    "critical_value",
    "errors_of_differences",
    "exponent",
    "growth_needed",
    "intervals",
    "radius",
]
