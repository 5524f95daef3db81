"""Effects to pool: eighths, so that differences are exact, with variances far apart, and holes of every pattern."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from podium.comparison.random_effects import ESTIMATORS
from support.examples import examples

Floats = NDArray[np.float64]
Analyses = tuple[Floats, Floats]

#: For tests that draw one of these: each several times.
often = examples(2)
estimators = st.sampled_from(sorted(ESTIMATORS))

#: Eighths, whose differences are exact.
eighths = st.integers(-80, 80).map(lambda number: number / 8)
variances = st.integers(-12, 12).map(lambda power: 2.0**power) | st.floats(0.01, 10.0)


@st.composite
def analyses(
    draw: st.DrawFn, *, least: int = 1, most: int = 9, batch: int = 4, whole: bool = False, alone: bool = False
) -> Analyses:
    """Effects and variances of up to `batch` analyses, with holes unless `whole`; shape `(k,)` if `alone`."""
    k = draw(st.integers(least, most))
    shape = (k,) if alone else (draw(st.integers(1, batch)), k)
    y: Floats = draw(hnp.arrays(np.float64, shape, elements=eighths))
    v: Floats = draw(hnp.arrays(np.float64, shape, elements=variances))
    if not whole:
        hole = draw(hnp.arrays(np.bool_, shape))
        hole[..., 0] = False
        y = np.where(hole & draw(hnp.arrays(np.bool_, shape)), np.nan, y)
        v = np.where(hole, np.nan, v)
    return y, v


def q(y: Floats, v: Floats, tau2: float) -> float:
    """Cochran's Q with weights 1 / (v + τ²), by its definition."""
    w = 1 / (v + tau2)
    return float((w * (y - (w * y).sum() / w.sum()) ** 2).sum())
