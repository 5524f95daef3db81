"""Worlds whose true ranking is known: scores are drawn, and the truth is kept beside them."""

from podium.simulate.model import correlated, gumbel, mallows
from podium.simulate.world import World

__all__ = ["World", "correlated", "gumbel", "mallows"]
