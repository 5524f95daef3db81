"""Mergeable sufficient statistics of ballots, one small object per task."""

from podium.tallies.comoments import Comoments
from podium.tallies.duels import Duels
from podium.tallies.means import Means
from podium.tallies.moments import Moments
from podium.tallies.positions import Positions
from podium.tallies.resampling import Resampling
from podium.tallies.reweighing import Reweighing
from podium.tallies.tally import Tally
from podium.tallies.ties import NEAR, Ties

__all__ = [
    "NEAR",
    "Comoments",
    "Duels",
    "Means",
    "Moments",
    "Positions",
    "Resampling",
    "Reweighing",
    "Tally",
    "Ties",
]
