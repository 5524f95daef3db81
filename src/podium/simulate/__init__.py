"""Worlds whose true ranking is known: scores are drawn, and the truth is kept beside them."""

from podium.simulate.correlated import correlated
from podium.simulate.gumbel import gumbel
from podium.simulate.mallows import mallows
from podium.simulate.worlds import World

__all__ = ["World", "correlated", "gumbel", "mallows"]
