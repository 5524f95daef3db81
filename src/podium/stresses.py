"""Stresses: ways in which a score table might have come out differently, each a function from scores to scores."""

from podium.robustness.stress.clone import CloneSystem
from podium.robustness.stress.corrupt import Corrupt
from podium.robustness.stress.drop import DropSystems, DropTasks
from podium.robustness.stress.remove import RemoveCells, RemoveHard, RemoveInstances, RemoveScores, Subsample
from podium.robustness.stress.rescale import Rescale
from podium.robustness.stress.stress import Stress, Sweep, compose
from podium.robustness.stress.usual import usual

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
