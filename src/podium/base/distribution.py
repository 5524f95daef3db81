"""Normal and Student's distributions: what a small table needs of them, in less time than SciPy takes to import.

Equal to `scipy.special` but for the last digits; a test compares them.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

#: Above so many numbers, importing SciPy takes less time than what is saved.
_MANY = 20_000

#: Below, log Φ is that of an asymptotic series, whose next term is less than rounding.
_FAR = -36.0

#: Steps of Newton's method at most.
_STEPS = 100


def normal_cdf(x: ArrayLike) -> Floats:
    """Φ(x): the probability that a standard normal number is below x.

    >>> normal_cdf([-1.96, 0.0]).round(3)
    array([0.025, 0.5  ])
    """
    values = np.asarray(x, dtype=np.float64)
    halves = [math.erfc(-value / math.sqrt(2)) / 2 for value in values.ravel().tolist()]
    return np.array(halves).reshape(values.shape)


def log_normal_cdf(x: float) -> float:
    """Logarithm of Φ(x), also far in the lower tail: Φ(x) ~ φ(x) / −x · (1 − 1/x² + 3/x⁴ − 15/x⁶ + 105/x⁸) there.

    >>> round(log_normal_cdf(-40.0), 3)
    -804.608
    """
    if x < _FAR:
        square = 1 / (x * x)
        series = square * (-1 + square * (3 + square * (-15 + square * 105)))
        return -x * x / 2 - math.log(-x * math.sqrt(2 * math.pi)) + math.log1p(series)
    if x > 0:
        return math.log1p(-math.erfc(x / math.sqrt(2)) / 2)
    return math.log(math.erfc(-x / math.sqrt(2)) / 2)


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Return the different values, sorted. `np.unique` alone would load NumPy's masked arrays, which takes longer.

    >>> distinct(np.array([2.0, 1.0, 2.0]))
    array([1., 2.])
    """
    return np.unique(values, return_counts=True)[0]


def normal_quantile(p: ArrayLike) -> Floats:
    """Φ⁻¹(p); −∞ at 0 and ∞ at 1.

    >>> normal_quantile([0.0, 0.5, 0.975]).round(2)
    array([-inf, 0.  , 1.96])
    """
    from statistics import NormalDist  # noqa: PLC0415  # only where intervals are wanted

    ends = {0.0: -math.inf, 1.0: math.inf}
    inverse = NormalDist().inv_cdf
    distinct, places = np.unique(np.asarray(p, dtype=np.float64), return_inverse=True)
    found = np.array([ends[value] if value in ends else inverse(value) for value in distinct.tolist()])
    return found[places].reshape(np.shape(p))


def student_cdf(x: Floats, freedom: float | Floats) -> Floats:
    """T(x): the probability that a number of Student's distribution is below x; freedom is from 2 up, or one for each.

    >>> student_cdf(np.array([-2.571, 0.0]), 5).round(3)
    array([0.025, 0.5  ])
    """
    if x.size > _MANY:
        from scipy.special import stdtr  # noqa: PLC0415  # slow to import

        return np.asarray(stdtr(freedom, x))
    with np.errstate(invalid="ignore", over="ignore"):  # far out there is nothing
        tail = _tail(np.abs(x), freedom) / (2 * _tail(np.zeros(np.shape(freedom) or 1), freedom))
    tail[np.isinf(x)] = 0.0
    return np.where(x > 0, 1 - tail, tail)


def student_quantile(p: float, freedom: float) -> float:
    """T⁻¹(p) for p up to ½: by Newton's method on log T(−t) from the normal quantile, which is nearer to 0.

    >>> round(student_quantile(0.025, 5), 3)
    -2.571
    """
    t = -float(normal_quantile(p))
    half = float(_tail(np.zeros(1), freedom)[0])
    for _ in range(_STEPS):
        tail = float(_tail(np.array([t]), freedom)[0])
        density = math.exp(-(freedom + 1) / 2 * math.log1p(t * t / freedom))
        step = tail / density * math.log(tail / (2 * p * half))
        t += step
        if abs(step) <= 1e-15 * abs(t):
            break
    return -t


def _tail(t: Floats, freedom: float | Floats) -> Floats:
    """∫ (1 + u²/ν)^(−(ν + 1)/2) du from t ≥ 0 to ∞: the double exponential rule, at a scale on which the density falls.

    Its error falls exponentially with the number of points (Takahasi & Mori 1974).
    """
    step = 1 / 24
    x = step * np.arange(-92, 92)
    place = np.exp(np.pi / 2 * np.sinh(x))
    weight = step * np.pi / 2 * np.cosh(x) * place
    scale = 1 / (1 + (freedom + 1) * t / (freedom + t * t))
    u = t[..., None] + scale[..., None] * place
    known = np.asarray(freedom, dtype=np.float64)[..., None]
    density = np.exp(-(known + 1) / 2 * np.log1p(u * u / known))
    tail: Floats = (density @ weight) * scale
    return tail
