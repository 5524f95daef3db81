"""Means over repeats with their intervals, and which methods keep their order better than others."""

from itertools import pairwise
from math import e
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.arrays import Floats, plain
from podium.robustness.sweep import CONFIDENCE

if TYPE_CHECKING:
    from podium.robustness.study_result import Study

#: Means over repeats that differ by less are equal.
ROUNDING = 1e-9


def share_interval(mean: ArrayLike, repeats: ArrayLike, error: ArrayLike) -> tuple[Floats, Floats]:
    """Return the ends of an interval of the mean of a share from 0 to 1, which holds for any number of repeats.

    A sum S of independent shares with mean p passes a whole number with at most e times the probability that a binomial
    number of as many trials passes it: P(S ≥ k) ≤ e P(Bin(R, p) ≥ k). So this is the interval of Clopper and Pearson at
    a level of error / e, of the sum rounded outwards.

    Parameters
    ----------
    mean
        Any shape: of the shares.
    repeats
        Shape that broadcasts against it: how many shares, each of an independent repeat.
    error
        The same: how often the interval may miss, at most.

    References
    ----------
    Bentkus 2004 (On Hoeffding's inequalities), for sums of shares; Clopper & Pearson 1934.

    Examples
    --------
    >>> low, high = share_interval([0.0, 0.5, 1.0], 100, 0.05)
    >>> low.round(3), high.round(3)
    (array([0.   , 0.379, 0.954]), array([0.046, 0.621, 1.   ]))
    """
    from scipy.special import betaincinv  # noqa: PLC0415  # only where there are repeats

    total, of = np.broadcast_arrays(np.multiply(mean, repeats), np.asarray(repeats, dtype=np.float64))
    tail = np.divide(error, 2 * e)
    rounding = 1e-9 * of
    down, up = np.floor(total + rounding), np.ceil(total - rounding)
    low = np.where(down > 0, betaincinv(np.maximum(down, 1), of - down + 1, tail), 0.0)
    high = np.where(up < of, betaincinv(up + 1, np.maximum(of - up, 1), 1 - tail), 1.0)
    return low, high


def mean_interval(mean: ArrayLike, spread: ArrayLike, repeats: ArrayLike, error: ArrayLike) -> tuple[Floats, Floats]:
    """Return the ends of Student's interval of a mean over repeats; infinite where there is one repeat.

    Parameters
    ----------
    mean, spread, repeats
        Shapes that broadcast: mean, standard deviation and number of the repeats.
    error
        The same: how often the interval may miss.

    Examples
    --------
    >>> low, high = mean_interval(0.5, 0.1, 100, 0.05)
    >>> print(round(float(low), 3), round(float(high), 3))
    0.48 0.52
    """
    from scipy.special import stdtrit  # noqa: PLC0415  # only where there are repeats

    repeats = np.asarray(repeats, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        reach = -stdtrit(np.maximum(repeats - 1, 1), np.divide(error, 2)) * np.asarray(spread) / np.sqrt(repeats)
    reach = np.where(repeats > 1, reach, np.inf)
    return np.subtract(mean, reach), np.add(mean, reach)


class Steadiness(NamedTuple):
    """A comparison of how well methods keep their order.

    Attributes
    ----------
    tau
        Shape `(M,)`: mean τ over all stresses and their strengths.
    low, high
        Shape `(M,)`: ends of its 95 % interval.
    tiers
        Indices of the methods, the steadiest first; all of a tier are significantly steadier than all of the next.
    """

    tau: Floats
    low: Floats
    high: Floats
    tiers: tuple[tuple[int, ...], ...]


def steadiness(study: "Study") -> Steadiness | None:
    """Compare the methods by their mean τ over all real stresses; None where there is none.

    All methods rank the same stressed tables, so differences are paired by repeat: a repeat is the mean of all stresses
    and strengths at its number. Where all cases were tried, their mean is added, which is no chance. Differences are
    Student's, at an error divided by the number of pairs of methods, and by two, since ten skewed repeats miss more
    often than they should. Of each strength the first `repeats` count, whose number does not depend on what they show.
    """
    real = [one.strengths > 0 for one in study.swept]
    count = sum(int(some.sum()) for some in real)
    if not count:
        return None
    by_repeat = np.zeros((len(study.methods), study.repeats))
    chance = False
    for one, some in zip(study.swept, real, strict=True):
        by_repeat += one.mean("tau")[:, some & one.certain].sum(axis=1, keepdims=True) / count
        drawn = some & ~one.certain
        by_repeat += one.tau[:, drawn, : study.repeats].sum(axis=1) / count if drawn.any() else 0.0
        chance |= bool(drawn.any())
    tau, error = by_repeat.mean(axis=1), 1 - CONFIDENCE
    low, high = _ends(by_repeat, error, chance)
    differences = by_repeat[:, None] - by_repeat
    pairs = max(1, len(tau) * (len(tau) - 1) // 2)
    surely = _ends(differences, error / (2 * pairs), chance)[0] > ROUNDING
    return Steadiness(tau, low, high, _tiers(tau, surely))


def _ends(values: Floats, error: float, chance: bool) -> tuple[Floats, Floats]:
    """Return the interval of a mean over the last axis; the mean itself where nothing is left to chance."""
    mean = values.mean(axis=-1)
    if not chance:
        return mean, mean
    repeats = values.shape[-1]
    spread = values.std(axis=-1, ddof=1) if repeats > 1 else np.zeros(mean.shape)
    return mean_interval(mean, spread, repeats, error)


def _tiers(tau: Floats, surely: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """Cut methods, in order of their means, where all before a cut are significantly steadier than all behind it."""
    order = sorted(range(len(tau)), key=lambda m: (-tau[m], m))
    cuts = [0, *(n for n in range(1, len(order)) if surely[np.ix_(order[:n], order[n:])].all()), len(order)]
    return tuple(tuple(sorted(order[start:end])) for start, end in pairwise(cuts))


def rows_of(study: "Study") -> list[dict[str, Any]]:
    """One plain dictionary per method: its mean τ over all stresses, the interval, and its tier."""
    found = steadiness(study)
    if found is None:
        return []
    tier = [next(t for t, of in enumerate(found.tiers, 1) if m in of) for m in range(len(found.tau))]
    columns = zip(study.methods, found.tau.tolist(), found.low.tolist(), found.high.tolist(), tier, strict=True)
    return [plain(dict(zip(("method", "tau", "low", "high", "tier"), row, strict=True))) for row in columns]
