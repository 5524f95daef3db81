"""Mergeable sufficient statistics of ballots, one small object per task."""

from podium.tallies.comoments import Comoments
from podium.tallies.duels import Duels
from podium.tallies.moments import Moments
from podium.tallies.positions import Positions
from podium.tallies.tally import Tally
from podium.tallies.ties import NEAR, Ties

__all__ = ["NEAR", "Comoments", "Duels", "Moments", "Positions", "Tally", "Ties"]
