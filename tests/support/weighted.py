"""Leaderboards weighted by difficulty, of answers drawn at random, to be shown."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import podium
from podium.customization.result import Customized
from podium.difficulty.result import Difficulty, Hard, Measure
from podium.errors import PodiumWarning

__all__ = ["answers", "customized_of", "world"]

Floats = NDArray[np.float64]


def answers(n_systems: int, n_instances: int = 400) -> tuple[Floats, Floats]:
    """Draw right and wrong answers, shape `(N, K)`, and how biased the instances are, from 0 to 1, shape `(K,)`.

    Some systems do better where bias is high, some hardly mind.
    """
    rng = np.random.default_rng(n_systems)
    bias = rng.beta(2, 1.5, n_instances).round(2)
    ability, leaning = rng.normal(1.2, 0.8, (n_systems, 1)), rng.normal(2, 1.5, (n_systems, 1))
    chance = 1 / (1 + np.exp(-(ability + leaning * (bias - 0.5))))
    return (rng.random((n_systems, n_instances)) < chance).astype(np.float64), bias


def customized_of(
    right: Floats, values: Floats, *, names: Sequence[str] | None = None, hard: Hard = "low", **options: Any
) -> Customized:
    """Weigh answers, shape `(N, K)`, by difficulty, shape `(K,)`; or by that of every system, shape `(N, K)`."""
    options = {"confidence_level": None} | options
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PodiumWarning)  # of scores that are missing
        scores = podium.from_arrays({"task": right}, systems=names)
        if values.ndim == 2:
            return podium.customize(scores, podium.from_arrays({"task": values}, systems=names), **options)
        name = "bias" if values.max() <= 1 and values.min() >= 0 else "length"  # a bias is a share
        difficulty = Difficulty(np.arange(values.size), (Measure(name, values, hard),))
        return podium.customize(scores, difficulty, **options)


def world(n_systems: int, **options: Any) -> Customized:
    """Weigh drawn answers."""
    return customized_of(*answers(n_systems), **options)
