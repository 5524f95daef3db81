"""How far the axis of a forest plot goes, which few long intervals must not stretch."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from podium.plots.forest.rows import Row

__all__ = ["limits"]

Floats = NDArray[np.float64]

#: Arms of intervals longer than this many middle ones may be clipped, and effects this many middle ones away.
_LONG, _FAR = 3.0, 20.0

#: Nothing is clipped where the axis gets at most this much longer by showing all.
_STRETCH = 2.5

#: No logarithm, and no number, is further from 0 than this, so that sums and exponentials exist.
_LARGEST_LOG, _LARGEST = 650.0, 1e300

#: Beyond either end, as a share of the axis.
_PAD = 0.04


def limits(rows: Sequence[Row], null: float, *, log: bool) -> tuple[float, float]:
    """Ends of the axis. It holds the value of no effect, and all intervals unless a few would squeeze the others.

    Where the hull of everything is more than 2.5 times as long as that of intervals with arms of at most three times
    the middle one, it is the latter that is shown. Summaries may make it up to three times as long.

    Parameters
    ----------
    rows
        With effects and ends of intervals; what is not finite does not count.
    null
        Value of no effect.
    log
        Whether distances are ratios.

    Examples
    --------
    >>> near = [Row("task", "a", effect=0.1, low=0.0, high=0.2), Row("task", "b", effect=0.2, low=0.1, high=0.3)]
    >>> [round(end, 3) for end in limits(near, 0.0, log=False)]
    [-0.012, 0.312]
    >>> far = Row("task", "c", effect=0.2, low=-9, high=10)
    >>> [round(end, 3) for end in limits([*near, far], 0.0, log=False)]
    [-0.124, 0.524]
    """
    values = np.array([[row.low, row.effect, row.high] for row in rows], dtype=np.float64)
    zero = null
    if log:
        with np.errstate(divide="ignore", invalid="ignore"):
            values, zero = np.log(values), math.log(null)
    values[~np.isfinite(values)] = np.nan
    most = _LARGEST_LOG if log else _LARGEST
    values = values.clip(-most, most)
    is_task = np.array([row.kind == "task" for row in rows])
    core = _hull(np.append(_within(values[is_task]), zero))
    span = core[1] - core[0]
    pooled = values[~is_task].ravel()
    core = _hull(np.append(pooled.clip(core[0] - span, core[1] + span), core))
    whole = _hull(np.append(values.ravel(), zero))
    low, high = whole if whole[1] - whole[0] <= _STRETCH * (core[1] - core[0]) or core[0] == core[1] else core
    pad = _PAD * (high - low) or 1.0
    return (math.exp(low - pad), math.exp(high + pad)) if log else (low - pad, high + pad)


def _within(values: Floats) -> Floats:
    """Effects, and ends of intervals cut to arms of a usual length; without effects far from all others."""
    low, effect, high = values.T
    arms = np.stack([effect - low, high - effect])
    arms = arms[np.isfinite(arms) & (arms > 0)]
    usual = float(np.median(arms)) if arms.size else 0.0
    known = effect[np.isfinite(effect)]
    if not known.size:
        return values.ravel()
    away = np.abs(effect - np.median(known))
    reach = _FAR * max(usual, float(np.median(away[np.isfinite(away)])))
    near = ~(away > reach) if reach else np.full(len(effect), fill_value=True)
    return np.concatenate(
        [effect[near], np.fmax(low, effect - _LONG * usual)[near], np.fmin(high, effect + _LONG * usual)[near]]
    )


def _hull(values: Floats) -> tuple[float, float]:
    return float(np.nanmin(values)), float(np.nanmax(values))
