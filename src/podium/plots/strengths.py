"""Strengths of a stress along an axis: where each stands, and what is written below."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from podium.plots.canvas import NOTE_SIZE, round_ticks
from podium.plots.lettering import Lettering
from podium.wording import numeral

__all__ = ["Strengths"]

#: Steps of which the longest is so many times the shortest are drawn at equal distances.
_UNEVEN = 15

#: Least distance of numbers below the axis, and of what is drawn from its ends as a share of the width, in inches.
_APART, _PAD = 0.09, 0.04


@dataclass(frozen=True, slots=True)
class Strengths:
    """An axis of strengths.

    Attributes
    ----------
    places
        Shape `(S,)`: of each strength.
    ticks, texts
        Where numbers stand, and which.
    ends
        Of the axis.
    to_scale
        Whether places are the strengths themselves; else they are 0, 1, 2, ….
    """

    places: NDArray[np.float64]
    ticks: tuple[float, ...]
    texts: tuple[str, ...]
    ends: tuple[float, float]
    to_scale: bool

    @classmethod
    def of(cls, strengths: NDArray[np.float64], width: float) -> "Strengths":
        """Place strengths along so many inches.

        >>> axis = Strengths.of(np.array([0.0, 1, 9, 99, 999]), 2.0)
        >>> axis.places.tolist(), axis.texts
        ([0.0, 1.0, 2.0, 3.0, 4.0], ('0', '1', '9', '99', '999'))
        >>> Strengths.of(np.array([0.0, 0.1, 0.2, 0.5]), 2.0).places.tolist()
        [0.0, 0.1, 0.2, 0.5]
        """
        steps = np.diff(strengths)
        to_scale = not steps.size or bool(steps.min() > 0 and steps.max() < _UNEVEN * steps.min())
        places = strengths if to_scale else np.arange(float(strengths.size))
        low, high = float(places[0]), float(places[-1])
        pad = _PAD * (high - low) or 0.5
        if to_scale and steps.size:
            numbers = round_ticks(low, high, width / 0.42, whole=bool((strengths == np.round(strengths)).all()))
        else:
            numbers = places.tolist(), [numeral(strength) for strength in strengths.tolist()]
            step = (width - 2 * _PAD * width) / max(strengths.size - 1, 1)
            numbers = _thinned(*numbers, step)
        return cls(places, tuple(numbers[0]), tuple(numbers[1]), (low - pad, high + pad), to_scale)


def _thinned(ticks: Sequence[float], texts: Sequence[str], step: float) -> tuple[list[float], list[str]]:
    """Leave out numbers that do not fit, the last being kept."""
    every = ceil((1.03 * Lettering.of(texts).width(NOTE_SIZE) + _APART) / step)
    kept = [index for index in range(len(texts)) if (len(texts) - 1 - index) % every == 0]
    return [ticks[index] for index in kept], [texts[index] for index in kept]
