"""What noise and chance let one expect of Kendall's τ-b of two orders of systems, and clusters by it."""

import math
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

import numpy as np

from podium.base.arrays import Floats, Ints
from podium.base.statistics import normal_quantile
from podium.ranking.distance import correlations, count_pairs

#: Systems up to which the point of chance is found by all permutations.
_PERMUTED = 7

#: Decimals of scores that order systems, in which systems of the same answers are equal.
_DIGITS = 12

#: Mean τ-b between the tasks of two clusters from which on they are one: nine of ten pairs of systems alike.
JOINED = 0.8


def by_chance(first: Floats, second: Floats) -> float:
    """Return the point that τ-b exceeds in at most 5% of unrelated orders, ties as they are.

    By all permutations up to seven systems; of more by the normal distribution, with the variance that ties leave.

    References
    ----------
    M. G. Kendall, "The treatment of ties in ranking problems", Biometrika 33, 1945.

    Examples
    --------
    >>> round(by_chance(np.arange(5.0), np.arange(5.0)), 3), round(by_chance(np.arange(14.0), np.arange(14.0)), 3)
    (0.6, 0.33)
    """
    both = ~np.isnan(first) & ~np.isnan(second)
    sizes = (np.unique(scores[both], return_counts=True)[1].tolist() for scores in (first, second))
    return _point(*map(tuple, sizes))


@lru_cache(maxsize=4096)
def _point(first: tuple[int, ...], second: tuple[int, ...]) -> float:
    """Return the same for groups of tied systems of these sizes."""
    n = sum(first)
    if min(len(first), len(second)) < 2:
        return math.nan
    if n <= _PERMUTED:
        one, other = (np.repeat(np.arange(len(sizes), dtype=np.float64), sizes) for sizes in (first, second))
        orders = np.array([other[list(order)] for order in permutations(range(n))])
        found = correlations(count_pairs(np.broadcast_to(one, orders.shape), orders))
        return float(np.quantile(found, 0.95, method="inverted_cdf"))
    ties = np.array(first, dtype=np.float64), np.array(second, dtype=np.float64)
    pairs = [float((sizes * (sizes - 1)).sum()) for sizes in ties]
    threes = [float((sizes * (sizes - 1) * (sizes - 2)).sum()) for sizes in ties]
    weighed = sum(float((sizes * (sizes - 1) * (2 * sizes + 5)).sum()) for sizes in ties)
    variance = (n * (n - 1) * (2 * n + 5) - weighed) / 18
    variance += math.prod(threes) / (9 * n * (n - 1) * (n - 2)) + math.prod(pairs) / (2 * n * (n - 1))
    untied = math.prod(n * (n - 1) - tied for tied in pairs)
    return -float(normal_quantile(0.05)) * 2 * math.sqrt(variance / untied)


class Repeatability(NamedTuple):
    """Order of systems by another sample of a benchmark; see `repeated`."""

    share: float
    correlation: float


def repeated(scores: Floats, samples: Floats) -> Repeatability:
    """Say how far two samples of a benchmark, each as large as this one, would agree on the order of its systems.

    With e the error of a replicate, score + e and score − e are scores of two halves of the benchmark, with independent
    errors; with errors e and e' of two replicates, score ± √2 e + e' are those of two quarters. Their mean τ-b is
    fitted by P · 2/π · asin r, as of normal scores of systems (Greiner), with r = m / (m + k) for a share m of the
    benchmark (Spearman-Brown) and P the share of pairs of systems that differ at all. The answer is that at m = 1.

    Parameters
    ----------
    scores, samples
        Shape `(N,)` and `(N, B)`: scores, and those in replicates; systems with NaN are left out.

    References
    ----------
    Rasines & Young, Biometrika 110, 2023 (splitting by added noise); Spearman, American Journal of Psychology 15, 1904.

    Examples
    --------
    >>> errors = 0.1 * np.random.default_rng(0).standard_normal((9, 200))
    >>> found = repeated(np.arange(9.0), np.arange(9.0)[:, None] + errors)
    >>> round(expected(found, found), 2)
    1.0
    """
    there = ~np.isnan(scores)
    own, errors = scores[there], (samples[there] - scores[there, None]).T
    errors = errors[~np.isnan(errors).any(axis=1)]
    others = np.roll(errors, 1, axis=0)
    half = _agreeing(own + errors, own - errors)
    quarter = _agreeing(own + math.sqrt(2) * errors + others, own - math.sqrt(2) * errors + others)
    if not half > 0:
        return Repeatability(math.nan, math.nan) if math.isnan(half) else Repeatability(0.0, 0.0)
    share, noise = half, 0.0
    if quarter < half:
        from scipy.optimize import brentq  # noqa: PLC0415  # only here

        def beyond(k: float) -> float:
            return math.asin(1 / (1 + 4 * k)) / math.asin(1 / (1 + 2 * k)) - quarter / half

        noise = math.inf if quarter <= half / 2 or beyond(1e6) > 0 else float(brentq(beyond, 0.0, 1e6))
        share = math.inf if math.isinf(noise) else half / _greiner(1 / (1 + 2 * noise))
    if share > 1:  # all pairs differ
        share, noise = 1.0, (1 / math.sin(math.pi / 2 * half) - 1) / 2
    return Repeatability(share, 1 / (1 + noise))


def _agreeing(one: Floats, other: Floats) -> float:
    """Return the mean τ-b of pairs of scores, shape `(B, N)`."""
    found = correlations(count_pairs(one.round(_DIGITS), other.round(_DIGITS)))
    return float(np.nanmean(found)) if not np.isnan(found).all() else math.nan


def expected(first: Repeatability, second: Repeatability) -> float:
    """Return τ-b that noise lets one expect of two benchmarks whose true orders are the same (attenuation)."""
    return math.sqrt(first.share * second.share) * _greiner(math.sqrt(first.correlation * second.correlation))


def _greiner(correlation: float) -> float:
    """Return τ of two normal variables."""
    return 2 / math.pi * math.asin(correlation)


def clustered(taus: Floats) -> tuple[Ints, Ints]:
    """Return the order of the leaves of a dendrogram of K columns, and the cluster of each, both of shape `(K,)`.

    Average linkage of 1 − τ-b, shape `(K, K)`, with the leaves in the best order; unknown τ-b count as 0.

    >>> clustered(np.array([[1.0, 0.0, 0.9], [0.0, 1.0, 0.1], [0.9, 0.1, 1.0]]))[1].tolist()
    [1, 2, 1]
    """
    from scipy.cluster.hierarchy import fcluster, leaves_list, linkage  # noqa: PLC0415  # only here

    apart = 1 - np.nan_to_num(taus)[np.triu_indices(len(taus), 1)]
    tree = linkage(apart, "average", optimal_ordering=True)
    return leaves_list(tree).astype(np.int64), fcluster(tree, 1 - JOINED, "distance").astype(np.int64)
