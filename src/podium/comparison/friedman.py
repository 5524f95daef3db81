"""Friedman's test of many systems on many tasks, with Iman and Davenport's F and Nemenyi's critical difference."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

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
    """Quantile of the range of k independent standard normal numbers: of the studentized range, its scale known.

    P(range ≤ q) = k ∫ φ(z) (Φ(z) − Φ(z − q))^(k − 1) dz, over the largest number z.

    >>> round(range_quantile(3, 0.95), 4)
    3.3145
    """
    from scipy.special import ndtr  # noqa: PLC0415  # slow to import

    low, high = 0.0, 40.0
    z = np.linspace(-9.0, 9.0 + np.log(k), _POINTS)
    density = k * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    for _ in range(_HALVINGS):
        q = (low + high) / 2
        below = float((density * (ndtr(z) - ndtr(z - q)) ** (k - 1)).sum())
        low, high = (q, high) if below < share else (low, q)
    return (low + high) / 2
