"""Engines fold the blocks of a table into tallies."""

from podium.engine.local import Counts, Progress, count
from podium.engine.singles import all_but_each, each_alone
from podium.engine.starts import without_starts

__all__ = ["Counts", "Progress", "all_but_each", "count", "each_alone", "without_starts"]
