"""How sure an answer is: intervals from replicates."""

from podium.uncertainty.bootstrap import intervals, widening

__all__ = ["intervals", "widening"]
