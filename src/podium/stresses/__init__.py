"""Stresses: ways in which a score table might have come out differently, each a function from scores to scores."""

from podium.stresses.composition import compose
from podium.stresses.rescaling import Rescale
from podium.stresses.sweeps import Stress, Sweep

__all__ = ["Rescale", "Stress", "Sweep", "compose"]
