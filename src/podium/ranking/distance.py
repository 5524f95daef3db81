"""How far rankings agree: Kendall's distance and correlation, what two share at their ends, and dispersion of many.

One rule for ties at the ends: systems tied for places d to d + t − 1 all stand at d, so that the top n may hold more
than n systems. It is the rule of Webber, Moffat & Zobel 2010, called RBO^w by Corsi & Urbano, SIGIR 2024.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from podium.base.arrays import Bools, Floats, Ints
from podium.base.check import as_number, checked_generator, checked_whole
from podium.base.errors import MethodError
from podium.score.place import competition_ranks, places


def checked(ranks: ArrayLike, *, dimensions: int) -> Floats:
    """Return the ranks as floats: shape `(N,)` or `(T, N)`, 1 is best, NaN is unranked.

    Raises
    ------
    MethodError
        No numbers, other dimensions, or infinite ranks.

    Examples
    --------
    >>> checked([1, 2.5, 2.5], dimensions=1)
    array([1. , 2.5, 2.5])
    """
    try:
        array = np.asarray(ranks, dtype=np.float64)
    except (TypeError, ValueError):
        raise MethodError("ranks are no numbers; give one per system, and NaN where there is none") from None
    if array.ndim != dimensions:
        wanted = "one rank per system" if dimensions == 1 else "one row per ranking, one column per system"
        raise MethodError(f"ranks of shape {array.shape} are given; {wanted} is wanted")
    if np.isinf(array).any():
        raise MethodError("a rank is infinite; mark systems without a rank by NaN")
    return array


def _paired(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    """Return two rank vectors over the same N systems."""
    one, other = checked(a, dimensions=1), checked(b, dimensions=1)
    if one.size != other.size:
        raise MethodError(f"the rankings have {one.size} and {other.size} systems; rank the same systems in both")
    return one, other


def _common_places(a: ArrayLike, b: ArrayLike) -> tuple[Ints, Ints]:
    """Dense places, 0 is best, in both rankings, of the systems that both rank; the others are left out."""
    one, other = _paired(a, b)
    both = ~np.isnan(one) & ~np.isnan(other)
    if not both.any():
        raise MethodError("no system is ranked by both rankings")
    return places(-one[both]), places(-other[both])


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Numbers of pairs of systems, each of shape `(K,)`, for K pairs of rankings.

    Attributes
    ----------
    compared
        Both systems are ranked in both rankings.
    discordant
        The rankings order the two systems differently.
    tied_first, tied_second, tied_both
        The two systems are tied in the first ranking, in the second, in both.
    """

    compared: Ints
    discordant: Ints
    tied_first: Ints
    tied_second: Ints
    tied_both: Ints


def count_pairs(first: Floats, second: Floats) -> PairCounts:
    """Compare K pairs of rankings, in O(K N log² N).

    Knight's algorithm: with the systems sorted by the first ranking, and by the second where the first ties, the
    discordant pairs are the inversions of the second.

    Parameters
    ----------
    first, second
        Shape `(K, N)`: ranks, NaN where unranked. Only pairs of systems that both rankings rank count.

    References
    ----------
    W. R. Knight, "A computer method for calculating Kendall's tau with ungrouped data", JASA 61, 1966.

    Examples
    --------
    >>> count_pairs(np.array([[1.0, 2.0, 3.0]]), np.array([[3.0, 1.5, 1.5]])).discordant
    array([2])
    """
    both = ~np.isnan(first) & ~np.isnan(second)
    # systems that are not compared go to the end of both rankings, where they are in no inversion
    first, second = np.where(both, first, np.inf), np.where(both, second, np.inf)
    order = np.lexsort((second, first))
    one, other = np.take_along_axis(first, order, 1), np.take_along_axis(second, order, 1)
    sorted_second = np.sort(second, axis=1)
    size = both.sum(axis=1)
    return PairCounts(
        compared=size * (size - 1) // 2,
        discordant=_inversions(other),
        tied_first=_tied_pairs(_repeats(one)),
        tied_second=_tied_pairs(_repeats(sorted_second)),
        tied_both=_tied_pairs(_repeats(one) & _repeats(other)),
    )


def _repeats(values: Floats) -> Bools:
    """Shape `(K, N − 1)`: where a value equals the one before it."""
    return np.asarray((values[:, 1:] == values[:, :-1]) & np.isfinite(values[:, 1:]))


def _tied_pairs(repeats: Bools) -> Ints:
    """Return the pairs inside the runs of equal values: the m-th of a run is tied with the m − 1 before it."""
    place = np.arange(1, repeats.shape[1] + 1)
    start = np.maximum.accumulate(np.where(repeats, 0, place), axis=1)
    return np.asarray(np.where(repeats, place - start, 0).sum(axis=1))


#: Values that are compared in pairs before runs of them are merged.
_RUN = 16


def _inversions(values: Floats) -> Ints:
    """Return the pairs i < j with values[i] > values[j], row by row, counted while sorting by merging."""
    rows, size = values.shape
    whole = max(1 << max(size - 1, 0).bit_length(), _RUN)
    short = np.pad(values, ((0, 0), (0, whole - size)), constant_values=np.inf).reshape(rows, -1, _RUN)
    inverted = np.zeros(rows, dtype=np.int64)
    for apart in range(1, min(size, _RUN)):  # inside short runs all pairs are compared
        inverted += (short[:, :, :-apart] > short[:, :, apart:]).sum(axis=(1, 2))
    width, runs = _RUN, np.sort(short, axis=2).reshape(rows, -1)
    while width < runs.shape[1]:
        halves = runs.reshape(rows, -1, 2 * width)
        order = np.argsort(halves, axis=2, kind="stable")
        from_left = order < width
        behind = width - np.cumsum(from_left, axis=2)  # of the left half, so greater than a right one in this place
        inverted += np.where(from_left, 0, behind).sum(axis=(1, 2))
        runs = np.take_along_axis(halves, order, 2).reshape(rows, -1)
        width *= 2
    return inverted


def kendall_distance(a: ArrayLike, b: ArrayLike, *, normalised: bool = False, tie_penalty: float = 0.5) -> float:
    """Count the pairs of systems that two rankings order differently.

    K = D + p·(pairs tied in exactly one ranking), D the number of pairs in opposite orders. A pair tied in both
    rankings counts nothing.

    Parameters
    ----------
    a, b
        Shape `(N,)`: ranks of the same systems, 1 is best; only their order matters. NaN is unranked: a pair counts
        if both rankings rank both systems.
    normalised
        Divide by the number n(n − 1)/2 of pairs that count, so that 0 is agreement, 1 reversal, and ½ what two
        random orders have on average. NaN if there is no pair.
    tie_penalty
        p, from 0 to 1. From ½ on it is a metric; ½ is the expectation over random orders of the tied.

    Raises
    ------
    MethodError
        Vectors of different length, infinite ranks, or a penalty out of range.

    References
    ----------
    Fagin, Kumar, Mahdian, Sivakumar & Vee, "Comparing partial rankings", SIAM J. Discrete Math. 20, 2006, §3: K^(p).

    Examples
    --------
    >>> kendall_distance([1, 2, 3], [2, 1, 3])
    1.0
    >>> kendall_distance([1, 2, 3], [1, 2.5, 2.5], normalised=True)
    0.16666666666666666
    """
    if not 0 <= as_number(tie_penalty) <= 1:
        raise MethodError(f"tie_penalty is {tie_penalty!r}; it must lie between 0 and 1")
    one, other = _paired(a, b)
    counts = count_pairs(one[None], other[None])
    distance = float(distances(counts, tie_penalty)[0])
    if not normalised:
        return distance
    pairs = int(counts.compared[0])
    return distance / pairs if pairs else math.nan


def kendall_tau(a: ArrayLike, b: ArrayLike) -> float:
    """Kendall's τ-b: agreement between two rankings, from −1 (reversed) over 0 to 1 (the same).

    τ_b = (C − D) / √((n₀ − n_a)(n₀ − n_b)), with C and D the pairs in the same and in opposite orders, n₀ all pairs,
    n_a and n_b the pairs tied in each ranking.

    Parameters
    ----------
    a, b
        Shape `(N,)`: ranks of the same systems, 1 is best; only their order matters. NaN is unranked: a pair counts
        if both rankings rank both systems.

    Returns
    -------
    float
        NaN where a ranking ties all systems, or fewer than two are ranked by both.

    Raises
    ------
    MethodError
        Vectors of different length, or infinite ranks.

    References
    ----------
    M. G. Kendall, "The treatment of ties in ranking problems", Biometrika 33, 1945.

    Examples
    --------
    >>> kendall_tau([1, 2, 3], [1, 3, 2])
    0.3333333333333333
    """
    one, other = _paired(a, b)
    counts = count_pairs(one[None], other[None])
    return float(correlations(counts)[0])


def distances(counts: PairCounts, tie_penalty: float) -> Floats:
    """Kendall distances, shape `(K,)`, of counted pairs.

    >>> distances(count_pairs(np.array([[1.0, 2.0]]), np.array([[1.5, 1.5]])), 0.5)
    array([0.5])
    """
    return counts.discordant + tie_penalty * (counts.tied_first + counts.tied_second - 2 * counts.tied_both)


def correlations(counts: PairCounts) -> Floats:
    """Kendall's τ-b, shape `(K,)`, of counted pairs; NaN where a ranking ties all.

    >>> correlations(count_pairs(np.array([[1.0, 2.0, 3.0]]), np.array([[1.0, 3.0, 2.0]])))
    array([0.33333333])
    """
    numbers = (counts.compared, counts.discordant, counts.tied_first, counts.tied_second, counts.tied_both)
    # Python's integers, for the product of two numbers of pairs may not fit into 64 bits
    return np.array([_correlation(*row) for row in np.array(numbers).T.tolist()])


def _correlation(pairs: int, discordant: int, tied_one: int, tied_other: int, tied_both: int) -> float:
    untied = pairs - tied_one - tied_other + tied_both
    room = (pairs - tied_one) * (pairs - tied_other)
    return (untied - 2 * discordant) / math.sqrt(room) if room else math.nan


def top_agreement(a: ArrayLike, b: ArrayLike, n: int) -> float:
    """Return the share of the n best systems that two rankings have in common.

    A_n = 2 |S ∩ T| / (|S| + |T|), S and T the systems of rank n or better; the plain share where nothing is tied
    across place n.

    Parameters
    ----------
    a, b
        Shape `(N,)`: ranks of the same systems, 1 is best; only their order matters. NaN is unranked: such a system
        is left out, and those behind it move up.
    n
        From 1 to the number of systems that both rank.

    Raises
    ------
    MethodError
        `n` is out of range; vectors of different length, infinite ranks, or no system that both rank.

    References
    ----------
    Colombo, Noiry, Irurozki & Clémençon, NeurIPS 2022, §5.2, Table 2; ties as Webber, Moffat & Zobel, 2010.

    Examples
    --------
    >>> top_agreement([1, 2, 3, 4], [1, 3, 2, 4], 2)
    0.5
    """
    return _agreement(*_common_places(a, b), n)


def last_agreement(a: ArrayLike, b: ArrayLike, n: int) -> float:
    """Return share of the n worst systems that two rankings have in common: `top_agreement` of the reversed rankings.

    >>> last_agreement([1, 2, 3, 4], [1, 3, 2, 4], 1)
    1.0
    """
    one, other = _common_places(a, b)
    return _agreement(one.max() - one, other.max() - other, n)


def rank_biased_overlap(a: ArrayLike, b: ArrayLike, p: float = 0.9) -> float:
    """Rank-biased overlap: mean agreement of the tops of two rankings, the first places weighing most.

    RBO = A_n pⁿ + (1 − p)/p · Σ_{d=1…n} A_d p^d, A_d the `top_agreement` at d: the agreement expected by a reader who
    goes on from each place to the next with probability p. Beyond the n systems that both rank, agreement is
    extrapolated, as RBO_ext; as these are the same systems in both, A_n is 1.

    Parameters
    ----------
    a, b
        Shape `(N,)`: ranks of the same systems, 1 is best; only their order matters. NaN is unranked: such a system
        is left out, and those behind it move up.
    p
        Persistence, between 0 and 1, both excluded: with 0.9 the first ten places have 86 % of the weight.

    Returns
    -------
    float
        Above 0, and 1 for the same ranking.

    Raises
    ------
    MethodError
        `p` is out of range; vectors of different length, infinite ranks, or no system that both rank.

    References
    ----------
    Webber, Moffat & Zobel, "A similarity measure for indefinite rankings", ACM TOIS 28(4), 2010, Eq. 30.

    Examples
    --------
    >>> round(rank_biased_overlap([1, 2, 3], [2, 1, 3]), 6)
    0.9
    """
    if not 0 < as_number(p) < 1:
        raise MethodError(f"p is {p!r}; it must lie between 0 and 1, both excluded")
    agreements = _agreements(*_common_places(a, b))
    depths = np.arange(1, agreements.size + 1)
    return float(agreements[-1] * p**agreements.size + (1 - p) * np.sum(agreements * p ** (depths - 1)))


def _agreement(one: Ints, other: Ints, n: int) -> float:
    if not 1 <= checked_whole("n", n, None) <= one.size:
        raise MethodError(f"n is {n}; it must lie between 1 and {one.size}, the number of systems that both rank")
    return float(_agreements(one, other)[n - 1])


def _agreements(one: Ints, other: Ints) -> Floats:
    """A_d for every depth d from 1 to n."""
    ranks, others = competition_ranks(one), competition_ranks(other)
    common, first, second = (
        np.cumsum(np.bincount(places, minlength=one.size + 1)[1:])
        for places in (np.maximum(ranks, others), ranks, others)
    )
    return 2 * common / (first + second)


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


def _preferences(ranks: Floats) -> Iterator[tuple[Ints, Ints, Ints]]:
    """For each system: how many rankings have it above, below, and tied with each of the systems after it."""
    systems = np.ascontiguousarray(ranks.T)
    for index, one in enumerate(systems):
        rest = systems[index + 1 :]
        yield (
            np.count_nonzero(one < rest, axis=1),
            np.count_nonzero(one > rest, axis=1),
            np.count_nonzero(one == rest, axis=1),
        )


def _distance_to(one: float, rest: Floats, above: Ints, below: Ints, tied: Ints) -> Floats:
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
