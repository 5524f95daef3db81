"""Methods: pure functions from tallies to one number per system."""

from podium.ranking.averages import interquartile_mean, mean, median
from podium.ranking.ballots import task_ballots
from podium.ranking.borda import one_level, task_level, two_level
from podium.ranking.bradley_terry import BradleyTerry, bradley_terry
from podium.ranking.components import weak_components
from podium.ranking.kemeny import Consensus, kemeny
from podium.ranking.pairwise import Condorcet, condorcet, copeland, wins
from podium.ranking.places import consensus_places, places
from podium.ranking.pooling import (
    MISSING,
    Missing,
    majority,
    pool_one_level,
    pool_task_level,
    pool_two_level,
    preferences,
)

__all__ = [
    "MISSING",
    "BradleyTerry",
    "Condorcet",
    "Consensus",
    "Missing",
    "bradley_terry",
    "condorcet",
    "consensus_places",
    "copeland",
    "interquartile_mean",
    "kemeny",
    "majority",
    "mean",
    "median",
    "one_level",
    "places",
    "pool_one_level",
    "pool_task_level",
    "pool_two_level",
    "preferences",
    "task_ballots",
    "task_level",
    "two_level",
    "weak_components",
    "wins",
]
