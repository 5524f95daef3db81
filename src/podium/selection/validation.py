"""How well chosen items tell the full score of systems that had no part in the choice: cross-validation by system."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from podium.base.arrays import Bools, Floats, Frozen, Ints
from podium.base.statistics import normal_cdf
from podium.ranking.distance import correlations, count_pairs
from podium.selection.choice import DRAWN, METHODS, ItemAnswers

#: Parts of the systems that are left out one after the other, and random choices for each.
_FOLDS, _DRAWS = 10, 10

#: Error of the claim that any method is better than the first.
_ERROR = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Validated(Frozen):
    """What items that a method chooses tell of N systems, each left out of the choice, in R draws.

    Attributes
    ----------
    told
        Shape `(R, N)`: weighted answers, less their mean over the systems that were not left out.
    full
        Shape `(N,)`: full scores, less their mean over the same.
    middle
        Shape `(N,)`: that mean of full scores.
    fold
        Shape `(N,)`: number of the part in which a system was left out.
    """

    told: Floats
    full: Floats
    middle: Floats
    fold: Ints

    @classmethod
    def of(cls, items: ItemAnswers, number: int, method: str, *, fold: Ints, rng: np.random.Generator) -> "Validated":
        """Choose items anew without each part of the systems."""
        told, middle = np.empty((_DRAWS if method in DRAWN else 1, fold.size)), np.empty(fold.size)
        for one in np.unique(fold):
            inside, out = np.flatnonzero(fold != one), np.flatnonzero(fold == one)
            part = items.of(inside)
            middle[out] = part.full.mean()
            for draw in told:
                chosen = METHODS[method](part, number, rng)
                answers = items.answers[:, chosen.places] @ chosen.weights
                draw[out] = answers[out] - answers[inside].mean()
        return cls(told, items.full - middle, middle, fold)

    def line(self, kept: Bools | None = None) -> tuple[float, float]:
        """Return intercept and slope of full scores on what answers tell, by least squares over systems left out.

        On systems by which items were chosen, chosen items tell more than on others, since they were chosen for it; so
        a line through these would be too steep (double dipping).
        """
        kept = np.ones(self.full.size, dtype=np.bool_) if kept is None else kept
        x, y = self.told[:, kept], np.broadcast_to(self.full[kept], (len(self.told), int(kept.sum())))
        off = x - x.mean()
        size = float((off**2).sum())
        slope = float((off * y).sum()) / size if size > 0 else 0.0
        return float(y.mean() - slope * x.mean()), slope

    @property
    def predicted(self) -> Floats:
        """Shape `(R, N)`: full scores by the line through the systems of all other parts."""
        found = np.empty_like(self.told)
        for one in np.unique(self.fold):
            out = self.fold == one
            intercept, slope = self.line(~out)
            found[:, out] = self.middle[out] + intercept + slope * self.told[:, out]
        return found

    @property
    def errors(self) -> Floats:
        """Shape `(R, N)`: predicted full scores, less true ones."""
        return self.predicted - self.middle - self.full

    def tau(self) -> float:
        """Return Kendall's τ-b of predicted with true scores, the mean of all draws; NaN where one of them ties all."""
        predicted = self.predicted
        full = np.broadcast_to(self.middle + self.full, predicted.shape)
        return float(correlations(count_pairs(predicted, full)).mean())

    def kept(self, better: Bools) -> float:
        """Return the share of pairs, of those where system i is better than j, that are predicted in this order."""
        i, j = np.nonzero(better)
        predicted = self.predicted
        return float((predicted[:, i] > predicted[:, j]).mean()) if i.size else math.nan


def folds(groups: Sequence[str], rng: np.random.Generator) -> Ints:
    """Shape `(N,)`: put groups of systems, such as families, into up to 10 parts at random."""
    names, of = np.unique(list(groups), return_inverse=True)
    return np.asarray((rng.permutation(names.size) % _FOLDS)[of])


def p_values(tried: Sequence[Validated], kept: Bools | None = None) -> Floats:
    """Shape `(M,)`: of each method having no smaller an error than the first, all of them together; NaN for the first.

    One-sided, by Mann and Whitney's test of the mean squared errors of draws, in each part of the systems, times M − 1.
    If another choice is as good, draws of both are exchangeable; parts have no system in common. A test of mean
    differences would find a lucky choice too often: the squares of one choice are skewed, and a mean of many is not.

    Parameters
    ----------
    tried
        M methods; the first one draws.
    kept
        Shape `(N,)`: the systems to look at; None for all.
    """
    found = np.full(len(tried), np.nan)
    rows = slice(None) if kept is None else kept
    parts = np.unique(tried[0].fold[rows], return_inverse=True)[1]
    count = np.bincount(parts)
    squares = [np.array([np.bincount(parts, row) for row in one.errors[:, rows] ** 2]) for one in tried]
    for place, own in enumerate(squares[1:], 1):
        worse = (own[:, None] > squares[0]) + 0.5 * (own[:, None] == squares[0])
        sizes = len(own), len(squares[0])
        spread = math.sqrt((sum(sizes) + 1) / (12 * math.prod(sizes) * count.size))
        found[place] = min(1.0, (len(tried) - 1) * float(normal_cdf((worse.mean() - 0.5) / spread)))
    return found


def best_of(tried: Sequence[Validated], kept: Bools | None = None) -> int:
    """Return the place of the method with the smallest error of those that surely beat the first, or of the first."""
    rows = slice(None) if kept is None else kept
    error = np.array([(one.errors[:, rows] ** 2).mean() for one in tried])
    sure = (p_values(tried, kept) < _ERROR) & (error < error[0])
    return int(np.argmin(np.where(sure, error, np.inf))) if sure.any() else 0


def errors_of_choice(tried: Sequence[Validated]) -> Floats:
    """Shape `(R, N)`: errors in each part of the systems by the method that is best in all others.

    The errors for which a method was taken are too small, since it was taken for them (the winner's curse). A random
    choice is not, and stands for itself.
    """
    if best_of(tried) == 0:
        return tried[0].errors
    fold, errors = tried[0].fold, [one.errors for one in tried]
    found = np.empty((_DRAWS, fold.size))
    for one in np.unique(fold):
        out = fold == one
        own = errors[best_of(tried, ~out)][:, out]
        found[:, out] = own[np.arange(_DRAWS) % len(own)]
    return found


def one_of_each_family(errors: Floats, families: Sequence[str], rng: np.random.Generator) -> Floats:
    """Shape `(R, N)`: of each draw the error of one system of each family, in turn, and NaN for the others.

    Families, not the systems in them, are like those to come.

    >>> one_of_each_family(np.array([[1.0, 2.0], [3.0, 4.0]]), ["base", "base"], np.random.default_rng(0))
    array([[ 1., nan],
           [nan,  4.]])
    """
    names, of = np.unique(list(families), return_inverse=True)
    members = [rng.permutation(np.flatnonzero(of == family)) for family in range(names.size)]
    draws = np.arange(max(len(errors), *map(len, members)))
    found = np.full((draws.size, of.size), np.nan)
    for own in members:
        turn = own[draws % own.size]
        found[draws, turn] = errors[draws % len(errors), turn]
    return found


def stretched(number: int, confidence: float) -> float:
    """Return by how much the largest of n errors is stretched, so that another one exceeds it in 1 − c of cases.

    It is ((1/(1 − c) − 1) / n)^¼, or 1 if there are so many errors that one of them is the quantile, 19 for 95%: what
    lies beyond all of them is taken to fall off with the fourth power (Pareto's tail), slower than normal errors do.

    >>> round(stretched(12, 0.95), 2), stretched(19, 0.95)
    (1.12, 1.0)
    """
    return max(1.0, math.pow((1 / (1 - confidence) - 1) / number, 0.25))


def half_width(errors: Floats, confidence: float) -> float:
    """Return half the width of an interval for the full score of another system, from errors `(R, N)` of R draws.

    Of each draw the quantile of the sizes at c (n + 1) / n, which the error of another system of the kind exceeds with
    a probability of 1 − c (split conformal prediction), with n the errors that are not NaN; if it is beyond the
    largest, that one is `stretched`. Of draws the mean: systems are few, and draws do not make them more.

    References
    ----------
    Lei, G'Sell, Rinaldo, Tibshirani & Wasserman, Distribution-free predictive inference, JASA 113, 2018.

    Examples
    --------
    >>> half_width(np.array([np.arange(-9.0, 10.0)]), 0.95)
    9.0
    """
    number = int(np.count_nonzero(~np.isnan(errors[0])))
    level = min(confidence * (number + 1) / number, 1.0)
    sizes = np.nanquantile(np.abs(errors), level, axis=1, method="interpolated_inverted_cdf")
    return stretched(number, confidence) * float(sizes.mean())
