"""A stress, and a sweep of it over strengths."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from podium.scores import Scores

__all__ = ["Stress", "Sweep"]

#: From scores, and a generator that all its chance comes from, to changed scores.
Stress = Callable[[Scores, np.random.Generator], Scores]


@dataclass(frozen=True, slots=True)
class Sweep:
    """A stress at several strengths.

    Attributes
    ----------
    name
        Short, as it is typed: "missing".
    stress
        From a strength to a stress; strength 0 must change nothing.
    strengths
        From weak to strong.
    axis
        What strength means, in words, as on the axis of a picture: "share of scores removed".

    Examples
    --------
    >>> from podium.stresses import Rescale
    >>> sweep = Sweep("scale", Rescale, (0, 1, 9), "one task enlarged by so many times itself")
    >>> sweep.stress(9)
    Rescale(enlargement=9, tasks=1)
    """

    name: str
    stress: Callable[[Any], Stress]
    strengths: tuple[float, ...]
    axis: str
