"""Worlds whose true ranking is known: scores are drawn, and the truth is kept beside them."""

from podium.simulate.world import World, correlated, gumbel, mallows

__all__ = ["World", "correlated", "gumbel", "mallows"]
