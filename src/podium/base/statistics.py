"""Normal and Student's distributions, flips of signs, and p-values of many comparisons; SciPy takes longer to import.

The distributions are equal to `scipy.special` but for the last digits; a test compares them.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.arrays import Floats

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


def bisect(start: float, end: float, holds: Callable[[float], bool], steps: int) -> tuple[float, float]:
    """Halve the way from a number at which something holds to one at which it does not; return what is left of it.

    >>> [round(number, 3) for number in bisect(0.0, 2.0, lambda x: x * x < 2, 30)]
    [1.414, 1.414]
    """
    for _ in range(steps):
        middle = (start + end) / 2
        start, end = (middle, end) if holds(middle) else (start, middle)
    return start, end


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


#: Items up to which the numbers of equalities that can be true together are counted out.
_EXACT_UP_TO = 128


def holm(p: ArrayLike) -> Floats:
    """Adjust p-values so that the chance of any false rejection is kept, whatever their dependence (Holm 1979).

    The i-th smallest of m becomes the largest of (m − j + 1) p₍ⱼ₎ for j ≤ i, at most 1.

    Parameters
    ----------
    p
        Shape `(m,)`; NaN where there is no test, which then does not count.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    return _adjusted(p, lambda ordered: np.maximum.accumulate(np.arange(ordered.size, 0, -1) * ordered))


def shaffer(p: Floats, n_items: int) -> Floats:
    """Adjust p-values of all comparisons of two among n items, as `holm`, but using that equality is transitive.

    Equal items form groups of sizes g₁ + g₂ + … = n, so that Σ g (g − 1) / 2 hypotheses of equality are true, which is
    not any number: among four items 0, 1, 2, 3 or 6. Once one is rejected, at most 3 others can be true, not 5. So the
    i-th smallest of m becomes the largest of t_j p₍ⱼ₎ for j ≤ i, t_j being the largest possible number ≤ m − j + 1.
    It never exceeds that of Holm (Shaffer 1986). Above 128 items, where there is next to no difference, it is that of
    Holm.

    Parameters
    ----------
    p
        Shape `(m,)`, m = n (n − 1) / 2.
    n_items
        How many items are compared.

    Examples
    --------
    >>> shaffer(np.array([0.01, 0.02, 0.5, 0.5, 0.5, 0.5]), 4)
    array([0.06, 0.06, 1.  , 1.  , 1.  , 1.  ])
    """
    return _adjusted(p, lambda ordered: np.maximum.accumulate(equalities_left(n_items)[: ordered.size] * ordered))


def equalities_left(n_items: int) -> NDArray[np.int64]:
    """Shape `(m,)`: t_1, t_2, … of `shaffer`: how many of all m comparisons can be of equals once 0, 1, … are rejected.

    >>> equalities_left(4)
    array([6, 3, 3, 3, 2, 1])
    """
    left = np.arange(n_items * (n_items - 1) // 2, 0, -1)
    if n_items > _EXACT_UP_TO:
        return left
    possible = _numbers_of_equal_pairs(n_items)
    return possible[np.searchsorted(possible, left, side="right") - 1]


def _numbers_of_equal_pairs(n_items: int) -> NDArray[np.int64]:
    """Ascending: Σ g (g − 1) / 2 for all ways to cut n items into groups of sizes g; bit s of a number stands for s."""
    sums = [1]
    for total in range(1, n_items + 1):
        found = 0
        for size in range(1, total + 1):
            found |= sums[total - size] << size * (size - 1) // 2
        sums.append(found)
    bits = np.frombuffer(bin(sums[-1])[:1:-1].encode(), dtype=np.uint8)
    return np.flatnonzero(bits == ord("1"))


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Adjust p-values so that the expected share of false ones among rejections is kept (Benjamini & Hochberg 1995).

    The i-th smallest of m becomes the smallest of m p₍ⱼ₎ / j for j ≥ i. Proved for tests that are independent,
    and for one-sided ones that are positively dependent, as comparisons with one control are.

    Parameters
    ----------
    p
        Shape `(m,)`; NaN where there is no test, which then does not count.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    array([0.03, 0.04, 0.04])
    """

    def stepped(ordered: Floats) -> Floats:
        scaled = ordered * (ordered.size / np.arange(1, ordered.size + 1))
        return np.minimum.accumulate(scaled[::-1])[::-1]

    return _adjusted(p, stepped)


def _adjusted(p: ArrayLike, adjust: Callable[[Floats], Floats]) -> Floats:
    """Adjust the p-values that exist, smallest first, and put them back in their places."""
    given = np.asarray(p, dtype=np.float64)
    order = np.argsort(given, kind="stable")[: np.count_nonzero(~np.isnan(given))]
    result = np.full_like(given, np.nan)
    result[order] = np.minimum(adjust(given[order]), 1.0)
    return result


#: Up to so many terms, signs are flipped in all ways.
COUNTED = 14

#: Steps to the saddlepoint at most; a handful are enough unless all terms but one agree.
_FLIP_STEPS = 50


def all_signs(n_units: int) -> Floats:
    """Shape `(2^(U − 1), U)`: all ways to set signs, the last fixed, since all may be turned together; first none."""
    ways = np.arange(2 ** (n_units - 1))[:, None] >> np.arange(n_units)
    return np.asarray(1.0 - 2.0 * (ways & 1), dtype=np.float64)


def sign_flip_p_values(differences: Floats) -> Floats:
    """Two-sided p-values of sums of differences, if each was as likely to have the other sign (Fisher 1935).

    If two systems are equal, every unit might as well have exchanged their scores. The p-value is the share of the 2^U
    ways to set the signs of d₁ … d_U that make |Σ ± d| at least as large as it is: exact for any distribution of |d|,
    also of ranks. Up to 14 units the ways are counted. Above, the share is that of the saddlepoint approximation
    (Robinson 1982; Lugannani & Rice 1980) at |Σ d| less the smallest |d| that is not 0, half a step of the sum.

    Parameters
    ----------
    differences
        Shape `(P, U)`: of P pairs of systems, on U units.

    Examples
    --------
    >>> sign_flip_p_values(np.array([[1.0, 1.0, 1.0, 1.0, 1.0, 1.0], [2.0, -1.0, 1.0, 3.0, 0.0, -2.0]])).round(3)
    array([0.031, 0.688])
    """
    if differences.shape[1] <= COUNTED:
        return _counted(differences)
    size = np.abs(differences)
    size = size / np.maximum(size.max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    size[size < 1e-9] = 0.0
    signed = np.copysign(size, differences).sum(axis=1)
    whole = size.sum(axis=1)
    least = 2.0 ** (1 - np.count_nonzero(size, axis=1))
    step = np.where(size > 0, size, np.inf).min(axis=1)
    reach = np.abs(signed) - np.where(np.isfinite(step), step, 0.0)
    p = np.ones(len(size))
    agreed = (np.abs(signed) >= whole * (1 - 1e-9)) & (whole > 0)
    p[agreed] = least[agreed]
    some = np.flatnonzero(~agreed & (reach > 1e-9 * whole))
    if some.size:
        p[some] = np.clip(2 * _flip_tail(size[some], reach[some]), least[some], 1.0)
    return p


def flip_p_value(added: Floats) -> float:
    """The same of one sum: by the binomial distribution if all terms that are not 0 have one size (McNemar 1947).

    Parameters
    ----------
    added
        Shape `(U,)`.

    Examples
    --------
    >>> round(flip_p_value(np.array([1.0] * 8 + [-1.0] * 2 + [0.0] * 90)), 4)
    0.1094
    """
    size = np.abs(added)
    moved = added[size > 1e-12 * size.max(initial=0.0)]
    if not moved.size:
        return 1.0
    size = np.abs(moved)
    if size.min() < (1 - 1e-9) * size.max():
        return float(sign_flip_p_values(moved[None])[0])
    number, fewer = moved.size, min(np.count_nonzero(moved > 0), np.count_nonzero(moved < 0))
    whole = math.lgamma(number + 1) - number * math.log(2)
    tail = sum(math.exp(whole - math.lgamma(k + 1) - math.lgamma(number - k + 1)) for k in range(fewer + 1))
    return min(2 * tail, 1.0)


def _counted(differences: Floats) -> Floats:
    """Return the same by counting; with the last sign fixed, since all may be turned together."""
    sums = np.abs(differences @ all_signs(differences.shape[1]).T)
    observed = np.abs(differences.sum(axis=1, keepdims=True))
    slack = 1e-12 * np.abs(differences).sum(axis=1, keepdims=True)
    share: Floats = (sums >= observed - slack).mean(axis=1)
    return share


def _flip_tail(size: Floats, reach: Floats) -> Floats:
    """Probability that Σ ± size is at least `reach`: Lugannani & Rice's formula, for K(θ) = Σ log cosh(θ size)."""
    theta = _saddlepoint(size, reach)
    tilted = theta[:, None] * size
    cumulant = (np.logaddexp(tilted, -tilted) - math.log(2)).sum(axis=1)
    curvature = (size**2 * (1 - np.tanh(tilted) ** 2)).sum(axis=1)
    root = np.sqrt(np.maximum(2 * (theta * reach - cumulant), 0.0))
    normal = normal_cdf(-reach / np.sqrt((size**2).sum(axis=1)))
    far = root > 0.05  # nearer, the formula is the difference of two large numbers, and the normal tail right
    density = np.exp(-(root**2) / 2) / math.sqrt(2 * math.pi)
    with np.errstate(divide="ignore", invalid="ignore"):
        corrected = normal_cdf(-root) + density * (1 / (theta * np.sqrt(curvature)) - 1 / root)
    tail: Floats = np.where(far & np.isfinite(corrected), corrected, normal)
    return tail


def _saddlepoint(size: Floats, reach: Floats) -> Floats:
    """Shape `(P,)`: θ where Σ size tanh(θ size) = reach: Newton's steps, kept between bounds."""
    theta: Floats = reach / (size**2).sum(axis=1)
    low, high = np.zeros_like(theta), np.full_like(theta, np.inf)
    for _ in range(_FLIP_STEPS):
        bent = np.tanh(theta[:, None] * size)
        over = (size * bent).sum(axis=1) - reach
        low, high = np.where(over < 0, theta, low), np.where(over < 0, high, theta)
        slope = (size**2 * (1 - bent**2)).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            newton = theta - over / slope
        middle = np.where(np.isinf(high), 2 * theta, (low + high) / 2)
        following: Floats = np.where((newton > low) & (newton < high), newton, middle)
        done = np.abs(following - theta).max() <= 1e-9 * np.abs(theta).min()
        theta = following
        if done:
            break
    return theta
