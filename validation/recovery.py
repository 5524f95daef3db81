"""Trials of the item response model: scores are drawn from it, and what is fitted is held against what drew them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import spearmanr
from trials import Verdict

from podium.response.fit import fit_item_response

__all__ = ["Answered"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Answered:
    """Systems with abilities from N(0, 1) on instances with difficulties from N(0, 1), right or wrong.

    Discriminations are lognormal with this mean and standard deviation of the log. A share of scores is missing at
    random.
    """

    systems: int
    discrimination: float
    spread: float
    missing: float = 0.0
    instances: int = 1000

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw scores, fit, and correlate."""
        ability, difficulty = rng.normal(size=(self.systems, 1)), rng.normal(size=self.instances)
        slope = rng.lognormal(np.log(self.discrimination) - self.spread**2 / 2, self.spread, self.instances)
        chances = expit(slope * (ability - difficulty))
        scores = (rng.random(chances.shape) < chances).astype(np.float64)
        scores[rng.random(chances.shape) < self.missing] = np.nan
        scores[:, np.isnan(scores).all(axis=0)] = 0.5  # nobody tried it, and nothing is known
        fitted = fit_item_response(scores).difficulty
        return Verdict(
            difficulty=float(np.corrcoef(fitted, difficulty)[0, 1]),
            order=float(spearmanr(fitted, difficulty).statistic),
            plain=float(spearmanr(-np.nanmean(scores, axis=0), difficulty).statistic),
        )
