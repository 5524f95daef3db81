"""Stresses: ways in which a score table might have come out differently, each a function from scores to scores."""

from podium.robustness.remove import RemoveCells, RemoveHard, RemoveInstances, RemoveScores, Subsample
from podium.robustness.stresses import CloneSystem, Corrupt, DropSystems, DropTasks, Rescale, Stress, compose
from podium.robustness.sweep import Sweep, usual

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
