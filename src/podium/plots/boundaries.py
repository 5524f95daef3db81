"""Where ranges of difficulty meet, and whether that is inside a tie."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from podium.customized import Customized

__all__ = ["Boundaries"]


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Where ranges of difficulty meet.

    Attributes
    ----------
    splits
        Indices of those that are not empty, the easiest first; none where their ranges overlap.
    places
        Boundaries between them.
    tied
        Whether the instances on both sides of each are equally difficult.
    """

    splits: tuple[int, ...]
    places: tuple[float, ...]
    tied: tuple[bool, ...]

    @classmethod
    def of(cls, customized: Customized) -> "Boundaries":
        """Find them half way between the instances beside."""
        full = [index for index, split in enumerate(customized.splits) if np.isfinite(split.low)]
        spans = [(customized.splits[index].low, customized.splits[index].high) for index in full]
        if customized.hard == "low":
            meet = [(before[0], after[1]) for before, after in pairwise(spans)]
        else:
            meet = [(after[0], before[1]) for before, after in pairwise(spans)]
        if any(upper < lower for upper, lower in meet):
            return cls((), (), ())
        places = tuple(lower + (upper - lower) / 2 for upper, lower in meet)
        return cls(tuple(full), places, tuple(upper == lower for upper, lower in meet))
