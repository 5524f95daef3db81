"""Stresses: ways in which a score table might have come out differently, each a function from scores to scores."""

from podium.robustness.removal import (
    DropSystems,
    DropTasks,
    RemoveCells,
    RemoveHard,
    RemoveInstances,
    RemoveScores,
    Stress,
    Subsample,
)
from podium.robustness.sweep import CloneSystem, Corrupt, Rescale, Sweep, compose, usual

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
