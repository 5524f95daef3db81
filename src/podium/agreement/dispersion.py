"""Dispersion of many rankings: exact from all pairs of them, or from a sample of pairs."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.arrays import Floats
from podium.base.check import as_number, checked_generator
from podium.base.errors import MethodError
from podium.ranking.distance import checked, count_pairs, distances

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Dispersion:
    """Spread of T rankings of N systems, in Kendall distances with ties at ½.

    Attributes
    ----------
    pairwise
        Mean distance between two of the rankings; NaN for one ranking.
    to_consensus
        Mean distance from the consensus; None if there was none to compare with.
    random
        N(N − 1)/4: the mean distance of random orders from each other and from anything.
    n_rankings, n_systems
        T and N.
    """

    pairwise: float
    to_consensus: float | None
    random: float
    n_rankings: int
    n_systems: int


def dispersion(ranks: ArrayLike, to: ArrayLike | None = None) -> Dispersion:
    """Measure the dispersion of rankings: mean Kendall distance from each other, and from a consensus.

    For every pair of systems let w rankings have one above the other, l below it, and z tie them. Then
    Σ w·l + z(w + l)/2 is the sum of the distances between all T(T − 1)/2 pairs of rankings, so that they need not be
    compared one by one: O(T N²).

    Parameters
    ----------
    ranks
        Shape `(T, N)`: one row per ranking, 1 is best; only the order in a row matters. NaN is unranked: such
        a system is in no pair of that row, which makes the distances of the row smaller.
    to
        Shape `(N,)`: ranks of the consensus, or None.

    Raises
    ------
    MethodError
        No rankings, other shapes, or infinite ranks.

    References
    ----------
    Colombo, Noiry, Irurozki & Clémençon, NeurIPS 2022, Appendix C and Table 8; ties as `kendall_distance`.

    Examples
    --------
    >>> dispersion([[1, 2, 3], [1, 3, 2], [2, 1, 3]], to=[1, 2, 3])
    Dispersion(pairwise=1.3333333333333333, to_consensus=0.6666666666666666, random=1.5, n_rankings=3, n_systems=3)
    """
    table = checked(ranks, dimensions=2)
    n_rankings, n_systems = table.shape
    if not table.size:
        raise MethodError("there are no rankings to compare")
    consensus = None if to is None else checked(to, dimensions=1)
    if consensus is not None and consensus.size != n_systems:
        raise MethodError(f"the consensus ranks {consensus.size} systems, and the rankings {n_systems}")
    apart, away = 0.0, 0.0
    for system, (above, below, tied) in enumerate(_preferences(table)):
        apart += float(np.sum(above * below + tied * (above + below) / 2))
        if consensus is not None:
            away += float(np.sum(_distance_to(consensus[system], consensus[system + 1 :], above, below, tied)))
    return Dispersion(
        pairwise=apart / math.comb(n_rankings, 2) if n_rankings > 1 else math.nan,
        to_consensus=None if consensus is None else away / n_rankings,
        random=n_systems * (n_systems - 1) / 4,
        n_rankings=n_rankings,
        n_systems=n_systems,
    )


def _preferences(ranks: Floats) -> Iterator[tuple[Counts, Counts, Counts]]:
    """For each system: how many rankings have it above, below, and tied with each of the systems after it."""
    systems = np.ascontiguousarray(ranks.T)
    for index, one in enumerate(systems):
        rest = systems[index + 1 :]
        yield (
            np.count_nonzero(one < rest, axis=1),
            np.count_nonzero(one > rest, axis=1),
            np.count_nonzero(one == rest, axis=1),
        )


def _distance_to(one: float, rest: Floats, above: Counts, below: Counts, tied: Counts) -> Floats:
    """Sum over rankings of what each pair adds to the distance from a consensus that ranks it so."""
    distance = np.where(one < rest, below + tied / 2, (above + below) / 2)
    distance = np.where(one > rest, above + tied / 2, distance)
    return np.where(np.isnan(rest) | np.isnan(one), 0.0, distance)


#: Pairs of rankings drawn before the first look at the precision; later looks come at half as many more.
_FIRST_LOOK = 256

#: Pairs of rankings compared at once, times systems: bounds the memory.
_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class SampledDispersion:
    """Mean Kendall distance between two of many rankings, estimated.

    Attributes
    ----------
    pairwise
        The estimate of `Dispersion.pairwise`.
    half_width
        It is off by at most this much with probability `confidence`.
    confidence
        1 − δ.
    random
        N(N − 1)/4: the mean distance of random orders.
    n_samples
        Pairs of rankings drawn.
    """

    pairwise: float
    half_width: float
    confidence: float
    random: float
    n_samples: int


def dispersion_sampled(
    ranks: ArrayLike, *, epsilon: float = 0.01, delta: float = 0.05, rng: np.random.Generator | int
) -> SampledDispersion:
    """Estimate the mean Kendall distance between rankings from random pairs, until it is known well enough.

    Pairs of different rankings are drawn uniformly, with replacement. After t draws with mean x and variance v
    of the distances, none above R = N(N − 1)/2, the empirical Bernstein bound

        |x − μ| ≤ √(2 v ln(3/δ_k) / t) + 3 R ln(3/δ_k) / t

    holds with probability 1 − δ_k; δ_k = δ/(k(k + 1)) at the k-th look sums to δ, so that the bound may be looked at
    again and again. Rankings that agree have a small variance and need few draws. Where T N² is small,
    `dispersion` is exact and faster.

    Parameters
    ----------
    ranks
        Shape `(T, N)`: one row per ranking, 1 is best. NaN is unranked, as in `dispersion`.
    epsilon
        Wanted half-width, as a share of R; above 0.
    delta
        Probability that the true mean lies outside; between 0 and 1.
    rng
        Generator, or a seed for one: any whole number.

    Raises
    ------
    MethodError
        Fewer than two rankings or systems, other shapes, infinite ranks, or numbers out of range.
    InputError
        `rng` is neither a generator nor a whole number.

    References
    ----------
    Audibert, Munos & Szepesvári, "Exploration–exploitation tradeoff using variance estimates in multi-armed bandits",
    2009, Theorem 1; Mnih, Szepesvári & Audibert, "Empirical Bernstein stopping", ICML 2008, §3, with
    geometrically spaced looks.

    Examples
    --------
    >>> orders = np.random.default_rng(0).random((100_000, 20)).argsort(axis=1) + 1
    >>> found = dispersion_sampled(orders, epsilon=0.02, rng=1)
    >>> abs(found.pairwise - found.random) < found.half_width
    True
    """
    table = checked(ranks, dimensions=2)
    if table.shape[0] < 2 or table.shape[1] < 2:
        raise MethodError(
            f"{table.shape[0]} rankings of {table.shape[1]} systems; dispersion needs at least two of each"
        )
    if not (as_number(epsilon) > 0 and 0 < as_number(delta) < 1):
        raise MethodError(f"epsilon is {epsilon!r} and delta {delta!r}; both must exceed 0, and delta stay below 1")
    generator = checked_generator(rng)
    span = math.comb(table.shape[1], 2)
    drawn, total, squares, look, goal = 0, 0.0, 0.0, 0, _FIRST_LOOK
    while True:
        part = _drawn_distances(table, min(goal - drawn, max(_AT_ONCE // table.shape[1], 1)), generator)
        drawn, total, squares = drawn + part.size, total + float(part.sum()), squares + float((part**2).sum())
        if drawn < goal:
            continue
        look += 1
        variance = max(squares / drawn - (total / drawn) ** 2, 0.0)
        half_width = _half_width(variance, span, drawn, delta / (look * (look + 1)))
        if half_width <= epsilon * span:
            return SampledDispersion(total / drawn, half_width, 1 - delta, span / 2, drawn)
        goal += goal // 2


def _drawn_distances(table: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """Distances between the rankings of randomly drawn pairs; never of one with itself."""
    one = generator.integers(len(table), size=size)
    other = (one + generator.integers(1, len(table), size=size)) % len(table)
    return distances(count_pairs(table[one], table[other]), 0.5)


def _half_width(variance: float, span: float, drawn: int, delta: float) -> float:
    """Empirical Bernstein bound."""
    surprise = math.log(3 / delta)
    return math.sqrt(2 * variance * surprise / drawn) + 3 * span * surprise / drawn
