"""Methods: pure functions from tallies to one number per system."""

from podium.ranking.averages import interquartile_mean, mean, median
from podium.ranking.borda import one_level, task_level, two_level

__all__ = ["interquartile_mean", "mean", "median", "one_level", "task_level", "two_level"]
