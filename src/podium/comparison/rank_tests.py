"""Rank tests over tasks: Friedman's of all systems, and Wilcoxon's and the Bayesian signed-rank test of two."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.parallel import generator
from podium.base.statistics import bisect
from podium.score.place import midranks, places

#: Points between which the distribution of a range is integrated, and halvings that find its quantile.
_POINTS, _HALVINGS = 4_001, 60


@dataclass(frozen=True, slots=True)
class Friedman:
    """Friedman's test that all of k systems are equal on n tasks, and what follows for pairs.

    Attributes
    ----------
    n_tasks
        n, the tasks with scores of all systems.
    mean_rank
        Mean rank of every system by its label; 1 is best, ties share midranks.
    chi2, df, p
        Friedman's χ², corrected for ties, its k − 1 degrees of freedom, and the p-value.
    f, f_df, f_p
        Iman and Davenport's F, its k − 1 and (k − 1)(n − 1) degrees of freedom, and the p-value. Infinite where all
        tasks agree.
    critical_difference
        Nemenyi's: by how much two mean ranks must differ.
    """

    n_tasks: int
    mean_rank: dict[str, float]
    chi2: float
    df: int
    p: float
    f: float
    f_df: tuple[int, int]
    f_p: float
    critical_difference: float


def friedman(ranks: Floats, systems: tuple[str, ...], *, confidence: float) -> Friedman:
    """Test by ranks inside each task whether k systems are all equal.

    With A = Σ r² over all ranks, C = n k (k + 1)² / 4 and mean ranks R_j: χ² = (k − 1) n² Σ (R_j − (k + 1) / 2)² /
    (A − C), which without ties is Friedman's formula; F = (n − 1) χ² / (n (k − 1) − χ²); and the critical difference
    is q √(k (k + 1) / 12 n), q being a quantile of the range of k standard normal numbers.

    Parameters
    ----------
    ranks
        Shape `(k, n)`: midranks, 1 is best.
    systems
        The k labels.
    confidence
        1 − α of the critical difference.

    References
    ----------
    Friedman 1937; Iman & Davenport 1980; Nemenyi 1963; all after Demšar, JMLR 7, 2006, §3.2.

    Examples
    --------
    >>> found = friedman(np.array([[1.0, 1, 2, 1], [2, 2, 1, 3], [3, 3, 3, 2]]), ("A", "B", "C"), confidence=0.95)
    >>> found.chi2, found.f, round(found.critical_difference, 3)
    (4.5, 3.857142857142857, 1.657)
    """
    from scipy.special import chdtrc, fdtrc  # noqa: PLC0415  # slow to import

    k, n = ranks.shape
    mean = ranks.mean(axis=1)
    spread = (ranks**2).sum() - n * k * (k + 1) ** 2 / 4
    df, error_df = k - 1, (k - 1) * (n - 1)
    chi2 = 0.0 if spread <= 0 else float(df * n**2 * ((mean - (k + 1) / 2) ** 2).sum() / spread)
    left = n * df - chi2
    f = (n - 1) * chi2 / left if left > 1e-9 * n * df else np.inf
    return Friedman(
        n_tasks=n,
        mean_rank=dict(zip(systems, mean.tolist(), strict=True)),
        chi2=chi2,
        df=df,
        p=float(chdtrc(df, chi2)),
        f=f,
        f_df=(df, error_df),
        f_p=float(fdtrc(df, error_df, f)) if np.isfinite(f) else 0.0,
        critical_difference=range_quantile(k, confidence) * float(np.sqrt(k * (k + 1) / (12 * n))),
    )


@lru_cache
def range_quantile(k: int, share: float) -> float:
    """Return quantile of the range of k independent standard normal numbers: of the studentized range, its scale known.

    P(range ≤ q) = k ∫ φ(z) (Φ(z) − Φ(z − q))^(k − 1) dz, over the largest number z.

    >>> round(range_quantile(3, 0.95), 4)
    3.3145
    """
    from scipy.special import ndtr  # noqa: PLC0415  # slow to import

    z = np.linspace(-9.0, 9.0 + np.log(k), _POINTS)
    density = k * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    ends = bisect(0.0, 40.0, lambda q: (density * (ndtr(z) - ndtr(z - q)) ** (k - 1)).sum() < share, _HALVINGS)
    return sum(ends) / 2


#: Differences up to which the distribution of the rank sum is counted; above, it is as good as normal.
_COUNTED = 500

#: Draws of the posterior, each used in both directions.
_DRAWS = 25_000

#: Weights made at once: few enough to stay in a core's cache.
_TOGETHER = 60_000

#: Weight of the prior observation at 0, beside a weight of 1 of each difference.
_PRIOR = 0.5


def wilcoxon(differences: Floats, rounding: Floats | float = 0.0) -> tuple[float, float]:
    """Return the rank sum W⁺ of the positive differences, and the two-sided p-value that all are symmetric around 0.

    Differences of 0 are left out, as Wilcoxon did. The others are ranked by their size, ties by midranks. If signs are
    as likely either way, each of the 2ⁿ ways to set them has the same probability: p is the share of those whose rank
    sum is as far from its mean n (n + 1) / 4. The ways are counted, also with ties; above 500 differences the normal
    distribution with the variance Σ r² / 4 of the midranks is used.

    Parameters
    ----------
    differences
        Shape `(T,)`.
    rounding
        Shape `(T,)` or one number: sizes that differ by no more are equal, and no larger ones are 0.

    References
    ----------
    Wilcoxon 1945; Streitberg & Röhmel 1986 for the counting.

    Examples
    --------
    >>> wilcoxon(np.array([1.0, 2.0, -3.0, 4.0, 5.0, 0.0]))
    (12.0, 0.3125)
    """
    size = np.abs(differences)
    rounding = np.broadcast_to(np.asarray(rounding, dtype=np.float64), size.shape)
    there = size > rounding
    if not there.any():
        return 0.0, 1.0
    ranks = midranks(places(-size[there], tolerance=rounding[there]))
    positive = float(ranks[differences[there] > 0].sum())
    doubled = np.rint(2 * ranks).astype(np.int64)
    total = int(doubled.sum())
    fewer = min(round(2 * positive), total - round(2 * positive))
    if 2 * fewer == total:
        return positive, 1.0
    return positive, min(2 * _tail(doubled, fewer), 1.0)


def _tail(doubled: NDArray[np.int64], reach: int) -> float:
    """Return probability that the sum of whole numbers, each taken or left with probability ½, is at most `reach`."""
    if doubled.size > _COUNTED:
        from scipy.special import ndtr  # noqa: PLC0415  # slow to import

        step = np.gcd.reduce(doubled)  # between two possible sums
        return float(ndtr((reach + step / 2 - doubled.sum() / 2) / np.sqrt((doubled.astype(float) ** 2).sum() / 4)))
    chance = np.zeros(reach + 1)
    chance[0] = 1.0
    for number in doubled.tolist():
        chance /= 2
        if number <= reach:
            chance[number:] += chance[: reach + 1 - number].copy()
    return float(chance.sum())


def signed_rank_posterior(differences: Floats, rope: float, rounding: Floats, *, seed: int) -> Floats:
    """Return probabilities that the region below, inside, or above that of practical equivalence has most of the mass.

    The distribution of differences has a Dirichlet process as its prior, with one pseudo-observation of weight ½ at
    z₀ = 0. So the observations z₀ … z_T have weights w that are Dirichlet(½, 1, …, 1), and the mass of Walsh averages
    above the region is θ = Σ w_i w_j [z_i + z_j > 2 rope], inside and below it alike. The region includes its ends.
    Each of 25,000 draws of w is given to the differences in ascending and in descending order, so that their order
    does not matter and turning them all exchanges "below" and "above" exactly. The standard error is at most 0.3%.

    Parameters
    ----------
    differences
        Shape `(P, T)`: of P pairs of systems on T tasks each.
    rope
        Half-width of the region, ≥ 0.
    rounding
        Shape `(P,)`: by how much differences may be off by rounding; sums that are beyond the region by no more than
        twice that are inside.
    seed
        Of the draws, which depend on T and it alone.

    Returns
    -------
    Shape `(P, 3)`.

    References
    ----------
    Benavoli et al., ICML 2014; Benavoli, Corani, Demšar & Zaffalon, JMLR 18, 2017, §4.2.

    Examples
    --------
    >>> signed_rank_posterior(np.array([[1.0, 2.0, 3.0, -1.0, 4.0, 2.5]]), 0.5, np.zeros(1), seed=0).round(1)
    array([[0., 0., 1.]])
    """
    ordered = np.sort(differences, axis=1)
    n_pairs, n_tasks = ordered.shape
    bound = 2 * rope + 2 * rounding
    # For each difference, and for z₀ at the end: how many differences end a pair below the region, and begin one above.
    partners = np.concatenate([ordered, np.zeros((n_pairs, 1))], axis=1)
    below = np.array([np.searchsorted(row, -b - z, "left") for row, b, z in zip(ordered, bound, partners, strict=True)])
    above = np.array([np.searchsorted(row, b - z, "right") for row, b, z in zip(ordered, bound, partners, strict=True)])
    rng, largest = generator(seed, n_tasks), np.zeros((n_pairs, 3))
    at_once = max(_TOGETHER // n_tasks, 1)
    for first in range(0, _DRAWS, at_once):
        size = min(at_once, _DRAWS - first)
        drawn, prior = rng.exponential(size=(n_tasks, size)), rng.gamma(_PRIOR, size=size)
        whole = (drawn.sum(axis=0) + prior) ** 2
        for weights in (drawn, drawn[::-1]):
            heads = np.concatenate([np.zeros((1, size)), np.cumsum(weights, axis=0)])
            tails = np.concatenate([np.cumsum(weights[::-1], axis=0)[::-1], np.zeros((1, size))])
            halves = np.concatenate([weights, 2 * prior[None]])  # z₀ stands on either side of a pair
            for pair in range(n_pairs):
                low = np.einsum("td,td->d", halves, heads[below[pair]])
                high = np.einsum("td,td->d", halves, tails[above[pair]])
                most = np.argmax([low, whole - low - high, high], axis=0)
                largest[pair] += np.bincount(most, minlength=3)
    return largest / (2 * _DRAWS)
