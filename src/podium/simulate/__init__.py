"""Worlds whose true ranking is known: scores are drawn, and the truth is kept beside them."""

from podium.simulate.gumbel import gumbel
from podium.simulate.worlds import World

__all__ = ["World", "gumbel"]
