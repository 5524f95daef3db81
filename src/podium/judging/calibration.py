"""Whether a judge, or a system, knows when it is right: reliability, error of calibration, AUROC, selective risk."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from podium.base.arrays import Floats, Frozen, Ints
from podium.base.statistics import student_quantile
from podium.judging.coefficients import FEWEST, Interval, linear, proportion, summed

#: What is known of a bin.
BIN = ("answers", "probability", "right", "low", "high")

#: Bins at most, and answers of a bin at least.
_BINS, _LEAST = 10, 20


@dataclass(frozen=True, slots=True, eq=False)
class Certainty(Frozen):
    """Certainty of a judge, and how often it was right.

    Attributes
    ----------
    error, error_by_noise
        Expected error of calibration, and what it would be on average if there were none.
    too_sure
        Mean probability less the share that is right.
    auroc
        Probability that of a right and a wrong answer the right one has the higher probability.
    coverage, risk
        Share of the answers whose probability is at least `threshold`, and the share of these that are wrong.
    threshold
        The largest probability that covers what was asked for.
    answers, probability, right, low, high
        Shape `(B,)`: of each bin, how many answers; their mean probability; and the share that is right.
    """

    error: Interval
    error_by_noise: float
    too_sure: Interval
    auroc: Interval
    coverage: float
    threshold: float
    risk: Interval
    answers: Ints
    probability: Floats
    right: Floats
    low: Floats
    high: Floats


def bins_of(certainty: Certainty) -> list[tuple[Any, ...]]:
    """Return of each bin what `BIN` names."""
    return list(zip(*(getattr(certainty, name).tolist() for name in BIN), strict=True))


def calibration(unit: Ints, probability: Floats, right: Floats, coverage: float, confidence: float) -> Certainty:
    """Hold probabilities against what was right.

    Bins have about the same number of answers, 20 or more, and equal probabilities stand in one bin. The error is
    Σ (n_b / n) |right_b − probability_b|. Noise makes it larger, never smaller, on average: so the lower end of its
    interval takes off all that noise may add, and holds for the error in these bins at least as often as it says.

    Parameters
    ----------
    unit, probability, right
        Shape `(A,)`: the unit of each answer, how sure one was, and 1 if it is right, otherwise 0.
    coverage
        Share of the answers, the surest, on which the risk is looked at.

    References
    ----------
    Naeini, Cooper & Hauskrecht, AAAI 2015 (the error); El-Yaniv & Wiener, JMLR 11, 2010 (selective risk).
    """
    bins = _bins(probability)
    answers = np.bincount(bins)
    mean, share = (np.bincount(bins, of) / answers for of in (probability, right))
    ones = np.ones(right.size)
    of_bins = (bins == one for one in range(answers.size))
    spans = np.array([proportion(summed(unit[own], [right[own], ones[own]]), confidence) for own in of_bins])
    error, noise = _error(unit, bins, probability, right, confidence)
    threshold = float(np.sort(probability)[::-1][max(math.ceil(coverage * right.size - 1e-9), 1) - 1])
    taken = probability >= threshold
    return Certainty(
        error=error,
        error_by_noise=noise,
        too_sure=linear(
            summed(unit, [ones, probability - right]), lambda of: of[..., 1] / of[..., 0], confidence, span=1
        )[0],
        auroc=auroc(unit, probability, right, confidence),
        coverage=float(taken.mean()),
        threshold=threshold,
        risk=proportion(summed(unit[taken], [1 - right[taken], ones[taken]]), confidence),
        answers=answers.astype(np.int64),
        probability=mean,
        right=share,
        low=spans[:, 1],
        high=spans[:, 2],
    )


def _bins(probability: Floats) -> Ints:
    """Number bins of about equal size, with equal probabilities in one."""
    _, which, times = np.unique(probability, return_inverse=True, return_counts=True)
    number = max(1, min(_BINS, probability.size // _LEAST))
    middle = np.cumsum(times) - times / 2
    return np.unique((middle * number / probability.size).astype(np.int64), return_inverse=True)[1][which]


def _error(unit: Ints, bins: Ints, probability: Floats, right: Floats, confidence: float) -> tuple[Interval, float]:
    """Return the error of calibration with its interval, and what noise alone makes it on average.

    Noise is at least that of answers that are right with their probability: a few without any error would show none.
    """
    apart = probability - right
    n, number = apart.size, int(bins.max()) + 1
    of_bin = np.bincount(bins, apart) / n
    value = float(np.abs(of_bin).sum())
    left = apart / n - (of_bin / np.bincount(bins))[bins]
    sums = summed(unit, [np.where(bins == one, left, 0.0) for one in range(number)])
    units = len(sums)
    if units < FEWEST:
        return Interval(value), math.nan
    covariance, sign = sums.T @ sums * (units / (units - 1)), np.where(of_bin < 0, -1.0, 1.0)
    there = (sums != 0).sum(axis=0).clip(2)
    least = np.bincount(bins, probability * (1 - probability)) / n**2
    deviation = np.sqrt(np.maximum(np.diag(covariance) * there / (there - 1), least))
    t = -student_quantile((1 - confidence) / 2, units - 1)
    noise = math.sqrt(2 / math.pi) * float(deviation.sum())
    low = value - noise - t * math.sqrt((1 - 2 / math.pi) * float(deviation @ deviation))
    high = value + t * math.sqrt(max(float(sign @ covariance @ sign), float(least.sum())))
    return Interval(value, max(low, 0.0), min(high, 1.0)), noise


def auroc(unit: Ints, probability: Floats, right: Floats, confidence: float) -> Interval:
    """Return the area under the ROC curve of being right, with its interval for other units, on the scale of logits.

    By the placements of DeLong, summed over units, with one right and one wrong answer more that tell nothing.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson, Biometrics 44, 1988; N. A. Obuchowski, Biometrics 53, 1997 (clusters).

    Examples
    --------
    >>> auroc(np.arange(4), np.array([0.9, 0.8, 0.3, 0.6]), np.array([1.0, 1, 0, 0]), 0.95).value
    1.0
    """
    good = right > 0
    sizes = int(good.sum()), int((~good).sum())
    if not min(sizes):
        return Interval()
    below, above = (np.sort(probability[~good]), np.sort(probability[good]))
    place = np.empty(right.size)
    place[good] = (np.searchsorted(below, probability[good]) + np.searchsorted(below, probability[good], "right")) / (
        2 * sizes[1]
    )
    place[~good] = 1 - (
        np.searchsorted(above, probability[~good]) + np.searchsorted(above, probability[~good], "right")
    ) / (2 * sizes[0])
    value = float(place[good].mean())
    parts = summed(unit, [(place - value) / np.where(good, *sizes)])[:, 0]
    units = parts.size
    if min(*sizes, units) < FEWEST:
        return Interval(value)
    fewest = min(sizes)
    middle = (value * fewest + 0.5) / (fewest + 1)
    variance = units / (units - 1) * float(parts @ parts) + ((value - 0.5) / (fewest + 1)) ** 2
    half = -student_quantile((1 - confidence) / 2, units - 1) * math.sqrt(variance) / (middle * (1 - middle))
    low, high = (math.log(one / (1 - one)) for one in sorted((middle, min(max(value, 1e-9), 1 - 1e-9))))
    low, high = (1 / (1 + math.exp(-one)) for one in (low - half, high + half))
    return Interval(value, min(low, value), max(high, value))
