"""How badly the model fits an instance: whether those fail it who should not, and solve it who should not."""

import numpy as np
from numpy.typing import NDArray

from podium.response.ability import Abilities
from podium.response.item import Answers, Items, chance

Floats = NDArray[np.float64]

#: A smaller sum of squares is what rounding leaves of none.
_LEAST = 1e-6


def misfit(items: Items, answers: Answers, abilities: Abilities) -> Floats:
    """Shape `(K,)`: z of more surprising scores than the model expects of an instance, about N(0, 1) where it holds.

    The surprise of an instance is Σ_i (s_i − P_i)², the numerator of its infit mean square; the model expects
    Σ_i P_i (1 − P_i). As s² = s, their difference is Σ_i (1 − 2 P_i) (s_i − P_i). To allow for a and b being fitted,
    1 − 2 P is replaced by its residual r from a regression on 1 and θ with weights P (1 − P) (Hosmer, Hosmer, le
    Cessie & Lemeshow 1997, Statistics in Medicine 16, 965–980): z = Σ r (s − P) / √(Σ P (1 − P) r²). NaN where a score
    is neither 0 nor 1, where all systems have one score, and where fewer than three systems are scored.

    Examples
    --------
    >>> from podium.response.fit import Calibration
    >>> rng = np.random.default_rng(0)
    >>> ability, difficulty = rng.normal(size=(50, 1)), rng.normal(size=100)
    >>> right = rng.random((50, 100)) < 1 / (1 + np.exp(difficulty - ability))
    >>> fit = Calibration.of(Answers(right.astype(np.float64)))
    >>> z = misfit(fit.items, fit.answers, fit.abilities)
    >>> bool(abs(z.mean()) < 0.3), bool(0.8 < z.std() < 1.2)
    (True, True)
    """
    found = np.full(items.difficulty.size, np.nan)
    ability = abilities.mean[:, None]
    for part, scores, given in answers.cut(ability.size):
        chances, _ = chance(items.slope[part] * (ability - items.difficulty[part]))
        weight = chances * (1 - chances) * given
        total = weight.sum(axis=0)
        middle = (weight * ability).sum(axis=0) / total
        off = ability - middle
        lean = 1 - 2 * chances
        mean = (weight * lean).sum(axis=0) / total
        width = (weight * off**2).sum(axis=0)
        rise = np.divide((weight * off * lean).sum(axis=0), width, out=np.zeros_like(width), where=width > _LEAST)
        rest = lean - mean - rise * off
        spread = (weight * rest**2).sum(axis=0)
        known = (given.sum(axis=0) > 2) & (spread > _LEAST) & ~((scores > 0) & (scores < 1)).any(axis=0)
        surprise = (rest * (scores - chances) * given).sum(axis=0)
        found[part] = np.where(known, surprise / np.sqrt(np.where(known, spread, 1.0)), np.nan)
    found[~answers.settle] = np.nan
    return found
