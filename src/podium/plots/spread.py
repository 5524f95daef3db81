"""Means over repeats, and how far they spread."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

__all__ = ["Spread"]

Floats = NDArray[np.float64]

#: Quantiles between which bands lie, of as many methods as do not hide each other, and of more.
_BROAD, _MIDDLE = (0.05, 0.95), (0.25, 0.75)

#: Methods up to which bands are broad.
_FEW = 2

_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Spread:
    """Lines with bands.

    Attributes
    ----------
    mean, low, high
        Shape `(M, S)`: the line, and the ends of the band around it, which are equal where there is one repeat.
    words
        What the band is; nothing where there is none.
    """

    mean: Floats
    low: Floats
    high: Floats
    words: str

    @classmethod
    def of(cls, values: Floats, *, shares: bool = False, certain: NDArray[np.bool_] | None = None) -> "Spread":
        """Summarise repeats.

        Of shares of the first place, which are 0 or 1 in most repeats, quantiles would say nothing; their band is the
        interval of the mean (Wilson 1927), which is wider than need be where the place is shared.

        Parameters
        ----------
        values
            Shape `(M, S, R)`.
        shares
            Whether they lie between 0 and 1, most of them at the ends.
        certain
            Shape `(S,)`: where other repeats would give the same, so that the band has no width; nowhere by default.

        Examples
        --------
        >>> spread = Spread.of(np.array([[[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]]]))
        >>> spread.low.round(2), spread.high.round(2), spread.words
        (array([[0.05]]), array([[0.95]]), 'bands: from 5 to 95% of the repeats')
        """
        mean = values.mean(axis=2)
        if values.shape[2] == 1:
            return cls(mean, mean, mean, "")
        if shares:
            low, high = _wilson(mean, values.shape[2])
            if certain is not None:
                low, high = np.where(certain, mean, low), np.where(certain, mean, high)
            return cls(mean, low, high, f"bands: {100 * _CONFIDENCE:g}% intervals of the mean")
        ends = _BROAD if len(values) <= _FEW else _MIDDLE
        low, high = np.quantile(values, ends, axis=2)
        return cls(mean, low, high, "bands: from {:g} to {:g}% of the repeats".format(*(100 * end for end in ends)))


def _wilson(share: Floats, repeats: int) -> tuple[Floats, Floats]:
    """Ends of the score interval of a share."""
    z = NormalDist().inv_cdf((1 + _CONFIDENCE) / 2)
    centre = (share + z * z / (2 * repeats)) / (1 + z * z / repeats)
    reach = z / (1 + z * z / repeats) * np.sqrt(share * (1 - share) / repeats + (z / (2 * repeats)) ** 2)
    return np.clip(centre - reach, 0, 1), np.clip(centre + reach, 0, 1)
