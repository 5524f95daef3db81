"""Engines fold the blocks of a table into tallies."""

from podium.engine.local import Counts, Progress, count

__all__ = ["Counts", "Progress", "count"]
