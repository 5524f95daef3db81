"""What can go wrong, by name. Every message says what is wrong, where, and what to do."""

from podium.base.errors import (
    BoardError,
    ConvergenceError,
    EngineError,
    InputError,
    LabelError,
    MethodError,
    MissingExtraError,
    NoMaximumError,
    OutputError,
    PodiumError,
    PodiumWarning,
    WeightError,
    nearest,
)

__all__ = [
    "BoardError",
    "ConvergenceError",
    "EngineError",
    "InputError",
    "LabelError",
    "MethodError",
    "MissingExtraError",
    "NoMaximumError",
    "OutputError",
    "PodiumError",
    "PodiumWarning",
    "WeightError",
    "nearest",
]
