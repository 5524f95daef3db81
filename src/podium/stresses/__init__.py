"""Stresses: ways in which a score table might have come out differently, each a function from scores to scores."""

from podium.stresses.cloning import CloneSystem
from podium.stresses.composition import compose
from podium.stresses.corruption import Corrupt
from podium.stresses.dropping import DropSystems, DropTasks
from podium.stresses.hardness import RemoveHard
from podium.stresses.instances import RemoveInstances, Subsample
from podium.stresses.removal import RemoveCells, RemoveScores
from podium.stresses.rescaling import Rescale
from podium.stresses.sweeps import Stress, Sweep
from podium.stresses.usual import usual

__all__ = [
    "CloneSystem",
    "Corrupt",
    "DropSystems",
    "DropTasks",
    "RemoveCells",
    "RemoveHard",
    "RemoveInstances",
    "RemoveScores",
    "Rescale",
    "Stress",
    "Subsample",
    "Sweep",
    "compose",
    "usual",
]
