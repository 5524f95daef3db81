"""Which methods keep their order best, beyond the errors of chance."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import plain
from podium.robustness.study.interval import mean_interval
from podium.robustness.study.result import CONFIDENCE, ROUNDING, Study

Floats = NDArray[np.float64]


class Steadiness(NamedTuple):
    """How well methods keep their order.

    Attributes
    ----------
    tau
        Shape `(M,)`: mean τ over all stresses and their strengths.
    low, high
        Shape `(M,)`: ends of its 95 % interval.
    tiers
        Indices of the methods, the steadiest first; all of a tier are surely steadier than all of the next.
    """

    tau: Floats
    low: Floats
    high: Floats
    tiers: tuple[tuple[int, ...], ...]


def steadiness(study: Study) -> Steadiness | None:
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
    """Cut methods, in order of their means, where all before a cut are surely steadier than all behind it."""
    order = sorted(range(len(tau)), key=lambda m: (-tau[m], m))
    cuts = [0, *(n for n in range(1, len(order)) if surely[np.ix_(order[:n], order[n:])].all()), len(order)]
    return tuple(tuple(sorted(order[start:end])) for start, end in pairwise(cuts))


def rows_of(study: Study) -> list[dict[str, Any]]:
    """One plain dictionary per method: its mean τ over all stresses, the interval, and its tier."""
    found = steadiness(study)
    if found is None:
        return []
    tier = [next(t for t, of in enumerate(found.tiers, 1) if m in of) for m in range(len(found.tau))]
    columns = zip(study.methods, found.tau.tolist(), found.low.tolist(), found.high.tolist(), tier, strict=True)
    return [plain(dict(zip(("method", "tau", "low", "high", "tier"), row, strict=True))) for row in columns]
